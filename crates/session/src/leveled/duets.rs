//! A comparison as values over levels: a duet is a suite run, its halves are processes.
//!
//! Both halves share machine and time, so differences on the levels above them cancel, as they will in later
//! duets. A version that became slower is not noise, so the newer half is first brought to the level of the
//! older one.

use std::collections::BTreeMap;
use std::time::Duration;

use benchwright_analysis::value::{median, steady};
use benchwright_model::{BenchmarkId, Diagnostic, Measurement, Outcome, Position, Severity, Side, Trial};
use benchwright_report::reduction::Source;
use benchwright_store::RunRecord;

use super::processes::{Process, Processes};
use super::{Leveled, collect, plain_name, title};
use crate::stale;

/// A measured half: its duet, side, time and measurement.
struct Half {
    duet: u32,
    side: Side,
    wall: Duration,
    measurement: Measurement,
}

/// A stored comparison.
pub(super) fn of_comparison(record: &RunRecord) -> Leveled {
    let run = &record.run;
    let mut by_benchmark: BTreeMap<&BenchmarkId, Vec<Half>> = BTreeMap::new();
    for trial in &record.trials {
        by_benchmark.entry(&trial.benchmark).or_default().extend(half(trial));
    }
    by_benchmark.values_mut().for_each(level);
    let without: Vec<String> =
        by_benchmark.iter().filter(|(_, halves)| halves.is_empty()).map(|(id, _)| id.to_string()).collect();
    by_benchmark.retain(|_, halves| !halves.is_empty());
    let all: Vec<Processes<'_>> = by_benchmark
        .iter()
        .map(|(id, halves)| Processes {
            id,
            name: plain_name(id),
            is_structure_known: true,
            has_given_seconds: false,
            failed: 0,
            processes: halves.iter().map(Half::process).collect(),
        })
        .collect();
    let source = Source {
        title: format!("{}, {}", run.head.title(), title(&run.id)),
        project: run.id.0.clone(),
        run: Some(run.id.0.clone()),
    };
    let mut set = collect(source, stale::source(run), Vec::new(), &all, true);
    // Benchmarks take as many duets as they need, so different numbers of them are not doubtful.
    set.diagnostics.retain(|diagnostic| diagnostic.severity == Severity::Error);
    if !without.is_empty() {
        let message = format!("has no complete duet of {}", without.join(", "));
        set.diagnostics.push(Diagnostic::warning(title(&run.id), message));
    }
    set.has_trial_shape = true;
    set.built = Some((run.head.clone(), record.builds.clone()));
    set
}

fn half(trial: &Trial) -> Option<Half> {
    let Position::Duet { index, .. } = trial.position else { return None };
    let Outcome::Measured(measurement) = &trial.outcome else { return None };
    let measurement = measurement.clone();
    Some(Half { duet: index, side: trial.side, wall: trial.usage.wall, measurement })
}

impl Half {
    fn process(&self) -> Process<'_> {
        let side = u32::from(self.side == Side::Head);
        Process {
            position: [0, self.duet, side],
            places: &[],
            measurement: &self.measurement,
            wall: self.wall,
        }
    }

    fn centre(&self) -> Option<f64> {
        let series = self.measurement.main()?;
        median(steady(&self.measurement, series)).filter(|value| value.is_finite() && *value > 0.0)
    }
}

/// Keeps complete duets, the last attempt of each, and removes the difference between the versions.
fn level(halves: &mut Vec<Half>) {
    let mut last: BTreeMap<(u32, bool), Half> = BTreeMap::new();
    for half in halves.drain(..) {
        last.insert((half.duet, half.side == Side::Head), half);
    }
    let is_whole = |(duet, is_head): &&(u32, bool)| *is_head && last.contains_key(&(*duet, false));
    let both: Vec<u32> = last.keys().filter(is_whole).map(|(duet, _)| *duet).collect();
    let ratio = |duet: &u32| {
        let centre = |is_head| last.get(&(*duet, is_head)).and_then(Half::centre);
        Some(centre(true)? / centre(false)?)
    };
    let ratios: Vec<f64> = both.iter().filter_map(ratio).collect();
    let change = median(&ratios).unwrap_or(1.0);
    // Duets get new numbers, because fresh ones may have numbers of their own.
    for (at, duet) in both.iter().enumerate() {
        for is_head in [false, true] {
            let Some(mut half) = last.remove(&(*duet, is_head)) else { continue };
            half.duet = at as u32;
            if is_head {
                scale(&mut half.measurement, change);
            }
            halves.push(half);
        }
    }
}

fn scale(measurement: &mut Measurement, change: f64) {
    let main = measurement.main().map(|series| series.metric.name.clone());
    let is_main = |name: &str| main.as_deref() == Some(name);
    if let Some(series) = measurement.series.iter_mut().find(|series| is_main(&series.metric.name)) {
        series.values.iter_mut().for_each(|value| *value /= change);
    }
}

#[cfg(test)]
mod tests {
    use benchwright_model::{Metric, Series};

    use super::*;

    #[test]
    fn halves_are_brought_to_one_level_and_lone_ones_left_out() {
        let half = |duet: u32, side: Side, value: f64| {
            let series = Series { metric: Metric::time(), values: vec![value; 3], resolution: 0.0 };
            let measurement =
                Measurement { warmup: 0, operations: vec![], series: vec![series], ..Measurement::default() };
            Half { duet, side, wall: Duration::ZERO, measurement }
        };
        let mut halves = vec![
            half(0, Side::Base, 1.0),
            half(0, Side::Head, 2.0),
            half(3, Side::Base, 1.1),
            half(3, Side::Head, 9.0),
            half(3, Side::Head, 2.2),
            half(4, Side::Base, 1.0),
        ];
        level(&mut halves);
        let found: Vec<(u32, Side, f64)> =
            halves.iter().map(|half| (half.duet, half.side, half.centre().unwrap_or_default())).collect();
        let expected =
            [(0, Side::Base, 1.0), (0, Side::Head, 1.0), (1, Side::Base, 1.1), (1, Side::Head, 1.1)];
        assert_eq!(found.len(), expected.len());
        for (one, other) in found.iter().zip(expected) {
            assert_eq!((one.0, one.1), (other.0, other.1));
            assert!((one.2 - other.2).abs() < 1e-12, "{one:?} {other:?}");
        }
    }
}
