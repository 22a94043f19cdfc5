//! JMH's JSON: an array of results, with `rawData` by forks and iterations, or `rawDataHistogram` in sample
//! mode.

use std::collections::BTreeSet;

use benchwright_model::{Direction, Measurement, Metric, Nature, Series};

use crate::reading::collect::{Collector, Found};
use crate::reading::diagnostics::Place;
use crate::reading::finish_json;
use crate::reading::head::Head;
use crate::reading::input::Input;
use crate::reading::json::{Json, Step};
use crate::reading::units::{self, Scaled};
use crate::{Format, Imported};

mod metric;
mod name;

pub use metric::{is_zero_if_missing, score};
pub use name::{decoded, identity};

/// Whether it is an array of JMH's results.
pub(crate) fn recognise(head: &Head) -> bool {
    head.is_array() && (head.has(2, "jmhVersion") || head.has(2, "primaryMetric") && head.has(2, "benchmark"))
}

/// Reads everything.
pub(crate) fn read(input: Input<'_>) -> Vec<Imported> {
    let mut json = Json::new(input);
    let mut collector = Collector::new(Format::JmhJson);
    let mut left_out = BTreeSet::new();
    let read = json.records(|json| result(json, &mut collector, &mut left_out));
    finish_json(json, read.map(|_| ()), vec![collector])
}

/// The content of one element.
#[derive(Default)]
struct JmhResult {
    benchmark: String,
    mode: String,
    threads: Option<u64>,
    parameters: Vec<(String, String)>,
    primary: Scores,
    secondary: Vec<(String, Scores)>,
    facts: Vec<(&'static str, Option<String>)>,
}

/// A metric's values.
#[derive(Default)]
struct Scores {
    unit: String,
    score: Option<f64>,
    /// By fork and iteration.
    forks: Vec<Vec<f64>>,
    /// Number of operations of each value. Only for histograms.
    counts: Vec<Vec<u64>>,
}

/// Names of metrics that were left out. Each is reported once.
type LeftOut = BTreeSet<String>;

fn result(json: &mut Json<'_>, collector: &mut Collector, left_out: &mut LeftOut) -> Step<()> {
    let place = json.place();
    let mut found = JmhResult::default();
    let is_object = json.object(|json, name| {
        match name {
            "benchmark" => found.benchmark = json.text()?.unwrap_or_default(),
            "mode" => found.mode = json.text()?.unwrap_or_default(),
            "threads" => found.threads = json.count()?,
            "params" => {
                json.object(|json, name| {
                    let value = json.word()?.unwrap_or_default();
                    found.parameters.push((name.into(), value));
                    Ok(())
                })?;
            }
            "primaryMetric" => found.primary = scores(json)?,
            "secondaryMetrics" => {
                json.object(|json, name| {
                    let scores = scores(json)?;
                    found.secondary.push((name.into(), scores));
                    Ok(())
                })?;
            }
            "jmhVersion" => found.facts.push(("jmh", json.word()?)),
            "jdkVersion" => found.facts.push(("jdk", json.word()?)),
            "vmName" => found.facts.push(("jvm", json.word()?)),
            "vmVersion" => found.facts.push(("jvm-version", json.word()?)),
            "jvmArgs" => found.facts.push(("jvm-args", arguments(json)?)),
            _ => json.skip()?,
        }
        Ok(())
    })?;
    if is_object {
        found.hand_over(place, collector, json, left_out);
    }
    Ok(())
}

fn arguments(json: &mut Json<'_>) -> Step<Option<String>> {
    let mut list = Vec::new();
    json.array(|json| {
        list.extend(json.word()?);
        Ok(())
    })?;
    Ok(Some(list.join(" ")))
}

fn scores(json: &mut Json<'_>) -> Step<Scores> {
    let mut scores = Scores::default();
    json.object(|json, name| {
        match name {
            "score" => scores.score = json.number()?,
            "scoreUnit" => scores.unit = json.text()?.unwrap_or_default(),
            "rawData" => {
                json.array(|json| {
                    scores.forks.push(json.numbers()?);
                    Ok(())
                })?;
            }
            "rawDataHistogram" => {
                json.array(|json| {
                    let (means, counts) = histograms(json)?;
                    scores.forks.push(means);
                    scores.counts.push(counts);
                    Ok(())
                })?;
            }
            _ => json.skip()?,
        }
        Ok(())
    })?;
    Ok(scores)
}

/// The mean of each iteration of a fork, and its number of operations. An iteration is a list of `[value,
/// count]`.
fn histograms(json: &mut Json<'_>) -> Step<(Vec<f64>, Vec<u64>)> {
    let (mut means, mut counts) = (Vec::new(), Vec::new());
    json.array(|json| {
        let (mut sum, mut total) = (0.0, 0.0);
        json.array(|json| {
            let pair = json.numbers()?;
            json.give_back(pair.len());
            let count = pair.get(1).copied().unwrap_or(1.0);
            sum += pair.first().copied().unwrap_or(f64::NAN) * count;
            total += count;
            Ok(())
        })?;
        means.push(sum / total);
        counts.push(if total.is_finite() && total > 0.0 { total as u64 } else { 0 });
        Ok(())
    })?;
    Ok((means, counts))
}

impl JmhResult {
    fn hand_over(self, place: Place, collector: &mut Collector, json: &mut Json<'_>, left_out: &mut LeftOut) {
        let diagnostics = &mut json.input.diagnostics;
        if self.benchmark.is_empty() {
            return diagnostics.warn(place, "left out a result without the name of its benchmark");
        }
        let id = identity(&self.benchmark, &self.parameters);
        for (key, value) in self.facts {
            if let Some(known) = collector.conflicting_fact(key, value.as_deref()) {
                let message =
                    format!("`{id}` has {key} `{}`, others `{known}`", value.as_deref().unwrap_or_default());
                diagnostics.warn(place, message);
            }
            collector.fact(key, value);
        }
        let unit = main_metric(&self.mode, &self.primary.unit);
        let mut primary = self.primary;
        if primary.forks.is_empty() {
            // Some converters keep only the score.
            primary.forks.extend(primary.score.map(|score| vec![score]));
        }
        let counts = std::mem::take(&mut primary.counts);
        let mut processes: Vec<Measurement> = primary.into_series(unit).map(single_series).collect();
        for (process, counts) in processes.iter_mut().zip(counts) {
            process.operations = counts;
        }
        for (label, scores) in self.secondary {
            let unit = score(&label, &scores.unit);
            let fits = scores.forks.len() == processes.len()
                && scores
                    .forks
                    .iter()
                    .zip(&processes)
                    .all(|(fork, process)| fork.len() == iterations(process));
            if !fits {
                // Profilers leave out events that did not occur in an iteration.
                if left_out.insert(label.clone()) {
                    diagnostics.note(format!(
                        "`{label}` is left out where it does not have one value per iteration"
                    ));
                }
                continue;
            }
            for (process, mut series) in processes.iter_mut().zip(scores.into_series(unit)) {
                if series.metric.nature == Nature::Counted {
                    // The tool's own allocations are divided by the number of operations too, which adds a
                    // fraction of a byte.
                    series.values.iter_mut().for_each(|value| *value = value.round());
                }
                process.series.push(series);
            }
        }
        let threads = self.threads.filter(|threads| *threads > 1);
        let variant = match threads {
            Some(threads) => format!("{},threads={threads}", self.mode),
            None => self.mode,
        };
        let found = Found { variant: variant.into(), ..Found::values(id, processes) };
        collector.add(found, place, &mut json.input.diagnostics);
    }
}

fn iterations(process: &Measurement) -> usize {
    process.series.first().map_or(0, |series| series.values.len())
}

fn single_series(series: Series) -> Measurement {
    Measurement { warmup: 0, operations: Vec::new(), series: vec![series], ..Measurement::default() }
}

impl Scores {
    /// One series per fork, in the metric's unit.
    fn into_series(self, unit: Scaled) -> impl Iterator<Item = Series> {
        self.forks.into_iter().map(move |mut values| {
            unit.apply_to(&mut values);
            Series { metric: unit.metric.clone(), values, resolution: 0.0 }
        })
    }
}

/// The main metric: operations per second in mode `thrpt`, otherwise time.
fn main_metric(mode: &str, unit: &str) -> Scaled {
    let found = units::main(unit);
    match mode {
        _ if found.metric.is_main() => found,
        // The unit is unknown. The kind of metric is still known.
        "thrpt" => Scaled::new(Metric { direction: Direction::HigherIsBetter, ..Metric::custom(unit) }, 1.0),
        _ => Scaled::new(Metric { direction: Direction::LowerIsBetter, ..Metric::custom(unit) }, 1.0),
    }
}

#[cfg(test)]
mod tests;
