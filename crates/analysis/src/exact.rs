//! Counts, which are compared exactly if they do not vary.

use benchwright_model::{Direction, Effect, Measurement, Metric, Reason, Thresholds, Verdict};

use crate::value::{log_ratio, steady};

/// The value of a side if it is constant. `None` if it varies or is missing in a process.
pub(crate) fn constant<'a>(side: impl Iterator<Item = &'a Measurement>, metric: &str) -> Option<f64> {
    let mut found = None;
    for measurement in side {
        let series = measurement.series(metric)?;
        for &value in steady(measurement, series) {
            match found {
                None => found = Some(value),
                Some(first) if first == value => {}
                Some(_) => return None,
            }
        }
    }
    found
}

/// The value of each side, if both are constant in all their processes.
pub(crate) fn constants(duets: &[(Measurement, Measurement)], metric: &str) -> Option<(f64, f64)> {
    let base = constant(duets.iter().map(|duet| &duet.0), metric)?;
    let head = constant(duets.iter().map(|duet| &duet.1), metric)?;
    Some((base, head))
}

/// The verdict on two constants. Any difference is a change unless a threshold is configured and the
/// difference does not reach it. A change from 0 reaches every threshold.
pub(crate) fn judge(
    metric: &Metric,
    base: f64,
    head: f64,
    configured: Option<Thresholds>,
) -> (Verdict, Reason, Option<Effect>) {
    let effect =
        log_ratio(base, head).map(|ratio| Effect { centre: ratio, lo: ratio, hi: ratio, level: 1.0 });
    if base == head {
        return (Verdict::Same, Reason::Exact, effect);
    }
    let soft = configured.map_or(0.0, |thresholds| thresholds.soft);
    if relative_change(base, head).abs() < soft {
        return (Verdict::Same, Reason::CertainButSmall, effect);
    }
    (word(metric, head > base), Reason::Exact, effect)
}

/// (head - base) / base, infinite from 0.
pub(crate) fn relative_change(base: f64, head: f64) -> f64 {
    if base == head { 0.0 } else { (head - base) / base.abs() }
}

/// The verdict on a change up or down.
pub(crate) fn word(metric: &Metric, is_up: bool) -> Verdict {
    match (metric.direction, is_up) {
        (Direction::Unknown, _) => Verdict::Changed,
        (Direction::LowerIsBetter, true) | (Direction::HigherIsBetter, false) => Verdict::Slower,
        _ => Verdict::Faster,
    }
}

#[cfg(test)]
mod tests {
    use benchwright_model::Series;

    use super::*;

    #[test]
    fn a_count_is_constant_if_every_iteration_after_warm_up_counts_the_same() {
        let side = |processes: &[(u32, &[f64])]| {
            let process = |&(warmup, values): &(u32, &[f64])| {
                let metric = Metric::allocations_per_op();
                let series = Series { metric, values: values.to_vec(), resolution: 0.0 };
                Measurement { warmup, series: vec![series], ..Measurement::default() }
            };
            let processes: Vec<Measurement> = processes.iter().map(process).collect();
            constant(processes.iter(), "allocs/op")
        };
        assert_eq!(side(&[(1, &[9.0, 3.0, 3.0]), (0, &[3.0])]), Some(3.0));
        assert_eq!(side(&[(0, &[3.0, 3.0]), (0, &[4.0])]), None);
        assert_eq!(side(&[(0, &[3.0, 4.0])]), None);
        assert_eq!(side(&[]), None);
        let without = Measurement::default();
        assert_eq!(constant([&without].into_iter(), "allocs/op"), None);
    }

    #[test]
    fn zero_to_n_is_a_change() {
        let (verdict, reason, effect) = judge(&Metric::allocations_per_op(), 0.0, 3.0, None);
        assert_eq!((verdict, reason, effect), (Verdict::Slower, Reason::Exact, None));
    }

    #[test]
    fn configured_threshold_hides_small_differences() {
        let thresholds = Thresholds { soft: 0.05, hard: 0.05 };
        let verdict = |head| judge(&Metric::bytes_per_op(), 100.0, head, Some(thresholds)).0;
        assert_eq!(verdict(104.0), Verdict::Same);
        assert_eq!(verdict(105.0), Verdict::Slower);
        assert_eq!(verdict(90.0), Verdict::Faster);
    }

    #[test]
    fn direction_decides_the_word() {
        let rate = Metric::custom("req/s");
        assert_eq!(judge(&rate, 10.0, 9.0, None).0, Verdict::Slower);
        assert_eq!(judge(&Metric::custom("hits"), 10.0, 9.0, None).0, Verdict::Changed);
    }
}
