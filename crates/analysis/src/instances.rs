//! How much of a benchmark's noise comes from differences between the instances that its duets ran on.

use std::collections::{BTreeMap, HashMap};

use benchwright_model::{BenchmarkId, InstanceId, Measurement, Position, Side, Trial};
use benchwright_stats::nested_variance::{LevelVariance, nested_variances};

use crate::value::{log_ratio, of_trial};

/// The noise of one benchmark, split by level: instance, then duet. Variances are of logarithms, so that
/// their roots, if small, are shares of the value.
#[derive(Debug, Clone, PartialEq)]
pub struct InstanceNoise {
    /// The benchmark.
    pub benchmark: BenchmarkId,
    /// Number of instances with its duets, at least 2.
    pub instances: usize,
    /// Number of its duets on them.
    pub duets: usize,
    /// Variance of times: between instances, and between the duets of one instance.
    pub time: [LevelVariance; 2],
    /// The same for the ratios of duets, which determine verdicts. Effects that both halves of a duet share,
    /// such as a slow instance, cancel out in them.
    pub ratio: [LevelVariance; 2],
}

/// Do instances differ in a benchmark's time, and does that reach the ratios of its duets?
///
/// Times are those of base, whose code is the same in all duets. Assumes one independent effect per instance
/// and one per duet; the estimator is that of [`nested_variances`], which allows unequal numbers of duets.
/// Counts every duet whose halves both measured the main metric on one instance. Benchmarks on fewer than two
/// instances, or without a second duet on any of them, cannot be split and are left out. The result is sorted
/// by benchmark.
pub fn instance_noise(trials: &[Trial]) -> Vec<InstanceNoise> {
    let mut duets: BTreeMap<&BenchmarkId, BTreeMap<(u32, u32), Halves<'_>>> = BTreeMap::new();
    for trial in trials {
        let (Position::Duet { index, attempt, .. }, Some(instance), Some(measurement)) =
            (trial.position, &trial.instance, trial.outcome.measurement())
        else {
            continue;
        };
        let halves = duets.entry(&trial.benchmark).or_default().entry((index, attempt)).or_default();
        halves[usize::from(trial.side == Side::Head)] = Some((&instance.id, measurement));
    }
    duets.into_iter().filter_map(|(benchmark, duets)| split(benchmark, duets.into_values())).collect()
}

/// Base and head of a duet, each with its instance.
type Halves<'a> = [Option<(&'a InstanceId, &'a Measurement)>; 2];

fn split<'a>(benchmark: &BenchmarkId, duets: impl Iterator<Item = Halves<'a>>) -> Option<InstanceNoise> {
    let mut numbers: HashMap<&InstanceId, u32> = HashMap::new();
    let (mut places, mut times, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for halves in duets {
        let [Some((here, base)), Some((there, head))] = halves else { continue };
        let value =
            |measurement: &Measurement| of_trial(benchmark, measurement, &measurement.main()?.metric.name);
        let (Some(base), Some(head)) = (value(base), value(head)) else { continue };
        let (Some(ratio), true) = (log_ratio(base, head), here == there) else { continue };
        let next = numbers.len() as u32;
        places.push([*numbers.entry(here).or_insert(next), places.len() as u32]);
        times.push(base.ln());
        ratios.push(ratio);
    }
    let levels = |values: &[f64]| <[LevelVariance; 2]>::try_from(nested_variances(&places, values)?).ok();
    let (time, ratio) = (levels(&times)?, levels(&ratios)?);
    let is_split = numbers.len() >= 2 && time[1].degrees > 0;
    is_split.then(|| InstanceNoise {
        benchmark: benchmark.clone(),
        instances: numbers.len(),
        duets: places.len(),
        time,
        ratio,
    })
}

#[cfg(test)]
mod tests {
    use benchwright_model::{Metric, Outcome, Phase, Series, Timestamp, TrialInstance, Usage};

    use super::*;

    fn trial(instance: Option<&str>, index: u32, side: Side, seconds: f64) -> Trial {
        let series = Series { metric: Metric::time(), values: vec![seconds], resolution: 0.0 };
        Trial {
            benchmark: BenchmarkId::new("jmh", "p", "b"),
            side,
            position: Position::Duet { index, attempt: 0, first: true },
            phase: Phase::Screening,
            layout: None,
            instance: instance.map(|id| TrialInstance { id: InstanceId(id.into()), is_cold: false }),
            started_at: Timestamp(0),
            usage: Usage::default(),
            stopped: None,
            outcome: Outcome::Measured(Measurement { series: vec![series], ..Measurement::default() }),
        }
    }

    /// Duets with these logarithms of base and head.
    fn trials(duets: &[(&str, f64, f64)]) -> Vec<Trial> {
        let halves = duets.iter().enumerate().flat_map(|(index, (instance, base, head))| {
            [(Side::Base, base), (Side::Head, head)]
                .map(|(side, log)| trial(Some(instance), index as u32, side, log.exp()))
        });
        halves.collect()
    }

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    }

    #[test]
    fn what_instances_add_is_told_from_what_duets_add() {
        // Base: the means of the instances are 0.1 and 0.3, each with two duets 0.02 apart. Within: 2 x 2 x
        // 0.01^2 / 2 = 0.0002. Between: the mean square of instances is 2 x 0.02 / 1 = 0.04, so (0.04 -
        // 0.0002) / 2 = 0.0199 is due to instances.
        let duets = [("i", 0.09, 0.14), ("i", 0.11, 0.16), ("k", 0.29, 0.34), ("k", 0.31, 0.36)];
        let found = instance_noise(&trials(&duets));
        let [one] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!((one.instances, one.duets), (2, 4));
        close(one.time[1].variance, 0.0002);
        close(one.time[0].variance, 0.0199);
        assert_eq!((one.time[0].degrees, one.time[1].degrees), (1, 2));
        // All ratios are the same: pairing has removed the effect of the instances.
        close(one.ratio[0].variance, 0.0);
        close(one.ratio[1].variance, 0.0);
    }

    #[test]
    fn without_repetition_there_is_no_split() {
        assert_eq!(instance_noise(&trials(&[("i", 0.1, 0.1), ("k", 0.2, 0.2)])), []);
        assert_eq!(instance_noise(&trials(&[("i", 0.1, 0.1), ("i", 0.2, 0.2)])), []);
        assert_eq!(instance_noise(&[]), []);
        let here: Vec<Trial> = (0..9).map(|index| trial(None, index, Side::Base, 1.0)).collect();
        assert_eq!(instance_noise(&here), []);
    }

    #[test]
    fn halves_from_two_instances_are_left_out() {
        let mut all = trials(&[("i", 0.1, 0.1), ("i", 0.1, 0.1), ("k", 0.2, 0.2), ("k", 0.2, 0.2)]);
        all.push(trial(Some("i"), 9, Side::Base, 1.0));
        all.push(trial(Some("k"), 9, Side::Head, 1.0));
        assert_eq!(instance_noise(&all)[0].duets, 4);
    }
}
