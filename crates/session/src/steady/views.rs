//! Processes with their segments, their steady part, and where rules would have ended them.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;

use benchwright_formats::warmup::RecordedProcess;
use benchwright_model::Unit;
use benchwright_report::steady::{BenchmarkClassView, Extent, SeriesView, Steady, StopView};
use benchwright_steady::labels::barrett::{self, BenchmarkClass, ProcessClass};
use benchwright_steady::labels::{LabelOptions, label};
use benchwright_steady::rules::catalogue::NamedRule;
use benchwright_steady::{Stop, in_parallel};

use super::replayed;
use super::source::{Process, Source};

/// Seed of rules that make random choices; the default of `steady stops`.
const SEED: u64 = 1;

/// Where a process is: its benchmark, and its number among that one's processes.
pub type Place = (usize, usize);

/// All processes by benchmark; one without values stands alone. What a rule does and which class a benchmark has depends on all
/// of them, however few are shown.
pub struct Groups<'a>(Vec<Vec<&'a Process>>);

impl<'a> Groups<'a> {
    /// Those of a source.
    pub fn of(source: &'a Source) -> Self {
        let empty = source.processes.iter().filter(|process| process.recorded.values.is_empty());
        Groups(source.by_benchmark().into_iter().chain(empty.map(|process| vec![process])).collect())
    }

    /// Every process, benchmark by benchmark.
    pub fn places(&self) -> impl Iterator<Item = Place> + '_ {
        self.0.iter().enumerate().flat_map(|(at, group)| (0..group.len()).map(move |number| (at, number)))
    }

    /// The process at a place.
    pub fn process(&self, (benchmark, number): Place) -> &'a Process {
        self.0[benchmark][number]
    }

    /// What is shown of the processes at these places.
    pub fn views(&self, places: &[Place], rules: &[&NamedRule]) -> Vec<SeriesView> {
        let jobs = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let shown: BTreeSet<usize> = places.iter().map(|(benchmark, _)| *benchmark).collect();
        let of_shown: Vec<Place> = self.places().filter(|(at, _)| shown.contains(at)).collect();
        let classes: BTreeMap<Place, Option<ProcessClass>> = of_shown
            .iter()
            .copied()
            .zip(in_parallel(&of_shown, jobs, |place| {
                barrett::classify(&self.process(*place).recorded.values)
            }))
            .collect();
        let has_values = |at: &&usize| !self.process((**at, 0)).recorded.values.is_empty();
        let replayed = shown.iter().filter(has_values);
        let asked: Vec<(usize, &NamedRule)> =
            replayed.flat_map(|at| rules.iter().map(move |rule| (*at, *rule))).collect();
        // A rule that needs more than is known about the processes is left out.
        let stops = in_parallel(&asked, jobs, |(at, rule)| replayed::stops(rule, &self.0[*at], SEED).ok());
        in_parallel(places, jobs, |place| {
            let of_benchmark = asked.iter().zip(&stops).filter(|((at, _), _)| *at == place.0);
            let own = of_benchmark.filter_map(|((_, rule), stops)| Some((*rule, stops.as_ref()?)));
            let of_all = classes.range((place.0, 0)..(place.0 + 1, 0)).map(|(_, class)| *class);
            SeriesView {
                class: classes.get(place).copied().flatten().map(|class| class.word().to_owned()),
                benchmark_class: benchmark_class(&of_all.collect::<Vec<_>>()),
                stops: own.map(|(rule, stops)| stop_view(rule, stops, place.1)).collect(),
                ..labelled(self.process(*place))
            }
        })
    }
}

/// The class of a benchmark with these processes; none where one of them has no class.
fn benchmark_class(processes: &[Option<ProcessClass>]) -> Option<BenchmarkClassView> {
    let known: Vec<ProcessClass> = processes.iter().copied().collect::<Option<_>>()?;
    let words = BenchmarkClass::of(&known)?.words();
    Some(BenchmarkClassView { class: words.to_owned(), processes: known.len() })
}

/// What a rule would have done with the process of this number.
fn stop_view(rule: &NamedRule, stops: &[Stop], number: usize) -> StopView {
    let rule = rule.name.to_owned();
    match stops.get(number) {
        Some(stop) => StopView { rule, extent: Some((stop.warmup, stop.end)), reason: stop.reason.clone() },
        None => StopView { rule, extent: None, reason: format!("{} processes are enough", stops.len()) },
    }
}

/// A process with its segments and its steady part.
fn labelled(process: &Process) -> SeriesView {
    let RecordedProcess { fork, iteration_s, values, .. } = &process.recorded;
    let options = LabelOptions { iteration_s: *iteration_s, ..LabelOptions::DEFAULT };
    let mut view = SeriesView {
        benchmark: process.name(),
        process: *fork,
        values: values.clone(),
        unit: Unit::Seconds,
        outliers: Vec::new(),
        segments: Vec::new(),
        steady: Steady::Never,
        class: None,
        benchmark_class: None,
        notes: Vec::new(),
        stops: Vec::new(),
    };
    match label(values, &options) {
        Err(error) => view.steady = Steady::Unknown(format!("cannot {error}; {}", error.hint())),
        Ok(label) => {
            let extent = |segment: benchwright_steady::labels::Segment| Extent {
                first: segment.first,
                last: segment.last,
                mean: segment.mean,
            };
            view.segments = label.segments(values).into_iter().map(extent).collect();
            // The label names the last iteration before; 0 is the start itself.
            view.steady = match label.steady_from {
                None => Steady::Never,
                Some(0) => Steady::From(0),
                Some(last) => Steady::From(last + 1),
            };
            view.notes = label.notes.iter().map(ToString::to_string).collect();
            view.outliers = label.outliers;
        }
    }
    view
}
