//! Collects the benchmarks of one set of results, each identity once.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};

use benchwright_model::{BenchmarkId, Measurement, Metric, Position, Timestamp};

use crate::reading::columns;
use crate::reading::diagnostics::{Diagnostics, Place};
use crate::reading::index::Index;
use crate::{Format, Imported, ImportedBenchmark, ImportedSummary};

/// Limits on the number and length of facts about a machine. Real files have fewer.
const MOST_FACTS: usize = 256;
const LONGEST_FACT: usize = 1024;

/// Collects the results of readers.
#[derive(Debug)]
pub(crate) struct Collector {
    format: Format,
    pub(crate) revision: Option<String>,
    pub(crate) taken_at: Option<Timestamp>,
    pub(crate) environment: BTreeMap<String, String>,
    entries: Vec<Entry>,
    /// Index of the first entry of an identity.
    known: Index,
    /// Entries of the same identity and other variants, by the index of the first one.
    others: BTreeMap<usize, Vec<usize>>,
}

#[derive(Debug)]
struct Entry {
    benchmark: ImportedBenchmark,
    variant: Cow<'static, str>,
    /// Number of its values.
    values: u64,
}

/// Data of one benchmark found by a reader.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) id: BenchmarkId,
    /// Separates results that must not be mixed under one name: JMH's mode, or the main metric.
    pub(crate) variant: Cow<'static, str>,
    pub(crate) processes: Vec<Measurement>,
    /// One per process, or empty.
    pub(crate) positions: Vec<Position>,
    /// One list per process, as long as its values, or empty.
    pub(crate) inner_positions: Vec<Vec<u32>>,
    /// The name in the file. Empty if the identity is enough.
    pub(crate) written_name: String,
    pub(crate) is_structure_known: bool,
    pub(crate) summaries: Vec<ImportedSummary>,
}

impl Found {
    /// Raw values of processes. The deciding metric separates variants.
    pub(crate) fn values(id: BenchmarkId, processes: Vec<Measurement>) -> Self {
        let variant = main_name(&processes);
        Found {
            id,
            variant,
            processes,
            positions: Vec::new(),
            inner_positions: Vec::new(),
            written_name: String::new(),
            is_structure_known: true,
            summaries: Vec::new(),
        }
    }

    /// Summaries alone.
    pub(crate) fn summaries(id: BenchmarkId, summaries: Vec<ImportedSummary>) -> Self {
        let main = summaries.iter().find(|summary| summary.metric.is_main()).or(summaries.first());
        let variant = main.map(|summary| word(&summary.metric.name)).unwrap_or_default();
        Found {
            id,
            variant,
            processes: Vec::new(),
            positions: Vec::new(),
            inner_positions: Vec::new(),
            written_name: String::new(),
            is_structure_known: false,
            summaries,
        }
    }

    /// Removes metrics beyond the limit, but not the one that decides. Returns whether there were any.
    fn leave_out_further_metrics(&mut self) -> bool {
        let mut is_any = false;
        let mut keeps = |at: &mut usize, metric: &Metric| {
            *at += 1;
            let is_kept = *at <= columns::MOST || metric.is_main();
            is_any |= !is_kept;
            is_kept
        };
        for process in &mut self.processes {
            let mut at = 0;
            process.series.retain(|series| keeps(&mut at, &series.metric));
        }
        let mut at = 0;
        self.summaries.retain(|summary| keeps(&mut at, &summary.metric));
        is_any
    }
}

fn main_name(processes: &[Measurement]) -> Cow<'static, str> {
    let name = |process: &Measurement| {
        let series = process.main().or(process.series.first())?;
        Some(word(&series.metric.name))
    };
    processes.iter().find_map(name).unwrap_or_default()
}

/// The name of a metric. The usual ones are not copied.
fn word(name: &str) -> Cow<'static, str> {
    match name {
        "time" => Cow::Borrowed("time"),
        "throughput" => Cow::Borrowed("throughput"),
        other => Cow::Owned(other.to_owned()),
    }
}

impl Collector {
    pub(crate) fn new(format: Format) -> Self {
        Collector {
            format,
            revision: None,
            taken_at: None,
            environment: BTreeMap::new(),
            entries: Vec::new(),
            known: Index::default(),
            others: BTreeMap::new(),
        }
    }

    /// Stores a fact about the machine. The first one of a name counts.
    pub(crate) fn fact(&mut self, key: &str, value: Option<String>) {
        let value = value.map(|value| value.trim().chars().take(LONGEST_FACT).collect::<String>());
        if let Some(value) = value.filter(|value| !value.is_empty() && self.environment.len() < MOST_FACTS) {
            self.environment.entry(key.into()).or_insert(value);
        }
    }

    /// The stored value of a fact, if it differs from `value`.
    pub(crate) fn conflicting_fact(&self, key: &str, value: Option<&str>) -> Option<&str> {
        let known = self.environment.get(key)?;
        value.filter(|value| value.trim() != known && !value.trim().is_empty()).map(|_| known.as_str())
    }

    /// Takes data found at `place`. Values of a known identity become more processes of it.
    pub(crate) fn add(&mut self, mut found: Found, place: Place, diagnostics: &mut Diagnostics) {
        let has_inner = found.inner_positions.iter().any(|places| !places.is_empty());
        found.inner_positions.resize(if has_inner { found.processes.len() } else { 0 }, Vec::new());
        let mut nowhere = Vec::new();
        let mut dropped = 0;
        for (number, process) in found.processes.iter_mut().enumerate() {
            dropped += clean(process, found.inner_positions.get_mut(number).unwrap_or(&mut nowhere));
        }
        if !found.processes.iter().all(has_values) {
            let keep: Vec<bool> = found.processes.iter().map(has_values).collect();
            retain(&mut found.positions, &keep);
            retain(&mut found.inner_positions, &keep);
            retain(&mut found.processes, &keep);
        }
        dropped += clean_summaries(&mut found.summaries);
        if found.leave_out_further_metrics() {
            let message =
                format!("`{}` has more than {} metrics, the rest is left out", found.id, columns::MOST);
            diagnostics.warn(place, message);
        }
        if dropped > 0 {
            diagnostics.warn(
                place,
                format!("left out {dropped} values of `{}` that are not positive numbers", found.id),
            );
        }
        if found.processes.is_empty() && found.summaries.is_empty() {
            return diagnostics.error(place, format!("`{}` has no values that count", found.id));
        }
        let index = self.entries.len();
        let values = count_values(&found.processes);
        let first = self.known.find(&found.id, |at| self.entries[at].benchmark.id == found.id);
        let known = first.as_ref().ok().and_then(|first| self.alike(*first, &found.variant));
        let before = known.map_or(0, |known| self.entries[known].values);
        if before + values > diagnostics.limits().values {
            let subject = format!("`{}`", found.id);
            return diagnostics.error(place, diagnostics.limits().too_many_values(&subject));
        }
        if let Some(known) = known {
            let message = format!("`{}` is here a second time; its values are added", found.id);
            diagnostics.warn(place, message);
            self.entries[known].values += values;
            return self.entries[known].join(found);
        }
        if !diagnostics.admits_benchmark(place) {
            return;
        }
        match first {
            Err(vacancy) => self.known.add(vacancy, index),
            Ok(first) => self.others.entry(first).or_default().push(index),
        }
        let benchmark = ImportedBenchmark {
            id: found.id,
            processes: found.processes,
            positions: found.positions,
            inner_positions: found.inner_positions,
            written_name: found.written_name,
            is_structure_known: found.is_structure_known,
            summaries: found.summaries,
        };
        self.entries.push(Entry { benchmark, variant: found.variant, values });
    }

    /// The entry of this variant, given the first one of its identity.
    fn alike(&self, first: usize, variant: &str) -> Option<usize> {
        let mut all = self.variants(first);
        all.find(|index| self.entries[*index].variant == variant)
    }

    /// All entries of an identity, given the first one.
    fn variants(&self, first: usize) -> impl Iterator<Item = usize> {
        std::iter::once(first).chain(self.others.get(&first).into_iter().flatten().copied())
    }

    /// Returns everything, with diagnostics left to the caller. If an identity has several variants, these
    /// are added to the names.
    pub(crate) fn finish(mut self, diagnostics: &mut Diagnostics) -> Imported {
        for (index, name) in self.new_names(diagnostics) {
            self.entries[index].benchmark.id.name = name;
        }
        Imported {
            revision: self.revision,
            taken_at: self.taken_at,
            environment: self.environment,
            benchmarks: self.entries.into_iter().map(|entry| entry.benchmark).collect(),
            ..self.format.nothing(Vec::new())
        }
    }

    /// Names for the variants of one identity, with the entries that get them.
    fn new_names(&self, diagnostics: &mut Diagnostics) -> Vec<(usize, String)> {
        let mut names = Vec::new();
        let mut taken: HashSet<BenchmarkId> = HashSet::new();
        for first in self.others.keys().copied() {
            let entry = &self.entries[first];
            let mut variants = Vec::new();
            for index in self.variants(first) {
                let variant = &self.entries[index].variant;
                let mut id = entry.benchmark.id.clone();
                id.name = format!("{}/{variant}", id.name);
                let is_known =
                    |id: &BenchmarkId| self.known.find(id, |at| self.entries[at].benchmark.id == *id).is_ok();
                while is_known(&id) || !taken.insert(id.clone()) {
                    id.name.push('\'');
                }
                variants.push(format!("`{variant}`"));
                names.push((index, id.name));
            }
            let (plain, variants) = (&entry.benchmark.id, variants.join(", "));
            diagnostics.note(format!(
                "`{plain}` measures different things under one name, kept apart as {variants}"
            ));
        }
        names
    }
}

impl Entry {
    /// Adds data found under the same identity.
    fn join(&mut self, mut found: Found) {
        let benchmark = &mut self.benchmark;
        benchmark.processes.append(&mut found.processes);
        // Each part counts positions from the beginning, so they would be wrong.
        benchmark.positions.clear();
        benchmark.inner_positions.clear();
        benchmark.is_structure_known &= found.is_structure_known;
        for summary in found.summaries {
            if benchmark.summaries.iter().all(|known| known.metric != summary.metric) {
                benchmark.summaries.push(summary);
            }
        }
    }
}

/// Removes iterations whose main value is not a positive number, with their positions, and other series with
/// values that are not numbers. Returns how many values were removed.
fn clean(process: &mut Measurement, places: &mut Vec<u32>) -> usize {
    let mut dropped = 0;
    let is_good = |value: f64| value.is_finite() && value > 0.0;
    let main = process.series.iter().position(|series| series.metric.is_time());
    let main = main.or_else(|| process.series.iter().position(|series| series.metric.is_main()));
    if let Some(main) = main.filter(|main| !process.series[*main].values.iter().all(|value| is_good(*value)))
    {
        let keep: Vec<bool> = process.series[main].values.iter().map(|value| is_good(*value)).collect();
        dropped += keep.iter().filter(|keep| !**keep).count();
        let in_warmup = usize::try_from(process.warmup).unwrap_or(usize::MAX).min(keep.len());
        let gone = keep[..in_warmup].iter().filter(|keep| !**keep).count();
        process.warmup -= u32::try_from(gone).unwrap_or(process.warmup);
        retain(&mut process.operations, &keep);
        retain(places, &keep);
        for series in &mut process.series {
            retain(&mut series.values, &keep);
        }
    }
    process.series.retain(|series| {
        let bad = series.values.iter().filter(|value| !value.is_finite()).count();
        dropped += bad;
        bad == 0 && !series.values.is_empty()
    });
    dropped
}

fn count_values(processes: &[Measurement]) -> u64 {
    let series = processes.iter().flat_map(|process| &process.series);
    series.map(|series| series.values.len() as u64).sum()
}

/// Whether anything was measured after the warm-up.
fn has_values(process: &Measurement) -> bool {
    let values = process.series.first().map_or(0, |series| series.values.len());
    values > usize::try_from(process.warmup).unwrap_or(usize::MAX)
}

/// Removes summaries that are not numbers, and all of them if the main one is not positive. Returns how many
/// were removed.
fn clean_summaries(summaries: &mut Vec<ImportedSummary>) -> usize {
    let before = summaries.len();
    let is_positive = |summary: &ImportedSummary| {
        // Counts and metrics of users may be 0; times and rates may not.
        let is_enough = summary.value > 0.0 || summary.value == 0.0 && !summary.metric.is_main();
        is_enough && summary.value.is_finite()
    };
    let main = summaries.iter().find(|summary| summary.metric.is_main()).or(summaries.first());
    if main.is_some_and(|main| !is_positive(main)) {
        summaries.clear();
    }
    summaries.retain(|summary| summary.value.is_finite());
    before - summaries.len()
}

/// Keeps the elements of kept iterations. A list with another length is not by iteration.
fn retain<T>(list: &mut Vec<T>, keep: &[bool]) {
    if list.len() == keep.len() {
        let mut wanted = keep.iter();
        list.retain(|_| wanted.next().is_some_and(|keep| *keep));
    }
}

#[cfg(test)]
mod tests {
    use benchwright_model::Series;

    use super::*;

    const PLACE: Place = Place { line: 1, column: 1 };

    fn process(metric: Metric, values: &[f64]) -> Measurement {
        let operations = (1..=values.len() as u64).collect();
        let series = vec![Series { metric, values: values.to_vec(), resolution: 0.0 }];
        Measurement { warmup: 0, operations, series, ..Measurement::default() }
    }

    fn id() -> BenchmarkId {
        BenchmarkId::new("jmh", "p", "C.m")
    }

    fn collect(found: Vec<Found>) -> (Imported, Vec<String>) {
        let mut diagnostics = Diagnostics::new("file", crate::Limits::default());
        let mut collector = Collector::new(Format::JmhJson);
        for found in found {
            collector.add(found, PLACE, &mut diagnostics);
        }
        let imported = collector.finish(&mut diagnostics);
        (imported, diagnostics.into_list().iter().map(ToString::to_string).collect())
    }

    #[test]
    fn a_second_result_of_the_same_name_is_a_further_process() {
        let found = || Found::values(id(), vec![process(Metric::time(), &[1.0])]);
        let (imported, said) = collect(vec![found(), found()]);
        assert_eq!(imported.benchmarks.len(), 1);
        assert_eq!(imported.benchmarks[0].processes.len(), 2);
        assert_eq!(said, ["warning: file:1:1: `p:C.m` is here a second time; its values are added"]);
    }

    #[test]
    fn time_and_throughput_under_one_name_are_two_benchmarks() {
        let time = Found::values(id(), vec![process(Metric::time(), &[1.0])]);
        let rate = Found::values(id(), vec![process(Metric::throughput(), &[1.0])]);
        let (imported, said) = collect(vec![time, rate]);
        let names: Vec<&str> =
            imported.benchmarks.iter().map(|benchmark| benchmark.id.name.as_str()).collect();
        assert_eq!(names, ["C.m/time", "C.m/throughput"]);
        assert_eq!(said.len(), 1);
    }

    #[test]
    fn values_that_are_no_positive_numbers_are_left_out_with_their_iteration() {
        let mut bad = process(Metric::time(), &[1.0, f64::NAN, 0.0, 4.0]);
        bad.warmup = 2;
        bad.series.push(Series {
            metric: Metric::custom("x"),
            values: vec![1.0, 2.0, 3.0, 0.0],
            resolution: 0.0,
        });
        let (imported, said) = collect(vec![Found::values(id(), vec![bad])]);
        let process = &imported.benchmarks[0].processes[0];
        assert_eq!((process.warmup, process.operations.as_slice()), (1, [1, 4].as_slice()));
        assert_eq!(process.series[0].values, [1.0, 4.0]);
        assert_eq!(process.series[1].values, [1.0, 0.0]);
        assert!(said[0].contains("left out 2 values"), "{said:?}");
    }

    #[test]
    fn a_benchmark_without_values_is_said_and_left_out() {
        let (imported, said) =
            collect(vec![Found::values(id(), vec![process(Metric::time(), &[f64::INFINITY])])]);
        assert!(imported.benchmarks.is_empty());
        assert_eq!(said[1], "error: file:1:1: `p:C.m` has no values that count");
        assert_eq!(said.len(), 2);
    }

    #[test]
    fn a_summary_that_is_no_positive_number_takes_its_benchmark_along() {
        let summary = |metric: Metric, value: f64| ImportedSummary::new(metric, value);
        for value in [-3.0, 0.0, f64::NAN, f64::INFINITY] {
            let all = vec![summary(Metric::custom("x"), 1.0), summary(Metric::time(), value)];
            let (imported, said) = collect(vec![Found::summaries(id(), all)]);
            assert!(imported.benchmarks.is_empty(), "{value}");
            assert!(said[1].starts_with("error: "), "{said:?}");
        }
        // A user's metric may be 0 if it decides, and may have any value if it does not.
        let all = vec![summary(Metric::custom("x"), 0.0), summary(Metric::custom("y"), -1.0)];
        let (imported, said) = collect(vec![Found::summaries(id(), all)]);
        assert_eq!((imported.benchmarks[0].summaries.len(), said.len()), (2, 0));
    }

    #[test]
    fn warm_up_values_are_no_results() {
        let mut process = process(Metric::time(), &[1.0, 2.0, f64::NAN]);
        process.warmup = 2;
        let (imported, said) = collect(vec![Found::values(id(), vec![process])]);
        assert!(imported.benchmarks.is_empty());
        assert!(said[1].contains("no values that count"), "{said:?}");
    }

    #[test]
    fn what_is_joined_has_no_positions_and_the_weaker_structure() {
        let found = |is_structure_known| Found {
            positions: vec![Position::Levels { instance: 0, suite_run: 0, iteration: 0 }],
            inner_positions: vec![vec![0]],
            is_structure_known,
            ..Found::values(id(), vec![process(Metric::time(), &[1.0])])
        };
        let (imported, _) = collect(vec![found(true), found(false)]);
        let benchmark = &imported.benchmarks[0];
        assert!(benchmark.positions.is_empty() && benchmark.inner_positions.is_empty());
        assert!(!benchmark.is_structure_known);
    }
}
