//! One number per process, and the spread of such numbers.

use benchwright_model::{BenchmarkId, Direction, Measurement, Metric, SampleKind, Series};
use benchwright_stats::dispersion::{MAD_TO_NORMAL, median_absolute_deviation, quantile};
use benchwright_stats::trimmed::trimmed_interval;

pub use benchwright_stats::dispersion::median;

/// The iterations of a series after warm-up.
///
/// If the warm-up covers the whole series, all of it is used: a doubtful value is better than silently having
/// none.
pub fn steady<'a>(measurement: &Measurement, series: &'a Series) -> &'a [f64] {
    let warmup = measurement.warmup as usize;
    series.values.get(warmup..).filter(|rest| !rest.is_empty()).unwrap_or(&series.values)
}

/// Which of a trial's iterations is its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Estimator {
    /// The value a tenth of the way from the fast end. The fastest alone would be a single clock reading.
    /// Disturbances make iterations slower and never faster, so the fast ones show the time of the code (Chen
    /// & Revels 2016).
    Undisturbed,
    /// The median. Without disturbances it spreads less: the fast end then depends on the luck of single
    /// processes.
    Middle,
}

impl Estimator {
    /// The estimators for samples of this kind, the usual one first. If there are two, the measured values
    /// decide.
    pub fn all(kind: SampleKind, metric: &Metric) -> &'static [Estimator] {
        match metric.is_main() && kind == SampleKind::Slices {
            true => &[Estimator::Undisturbed, Estimator::Middle],
            false => &[Estimator::Middle],
        }
    }

    /// The value of a trial. `None` if it has no such metric, or one of the values is not finite.
    pub fn value(self, measurement: &Measurement, metric: &str) -> Option<f64> {
        let series = measurement.series(metric)?;
        let probability = match (self, series.metric.direction) {
            (Estimator::Middle, _) => return of_process(measurement, metric),
            (Estimator::Undisturbed, Direction::HigherIsBetter) => 0.9,
            (Estimator::Undisturbed, _) => 0.1,
        };
        quantile(steady(measurement, series), probability)
    }

    /// ln(head / base) of a duet, as in [`log_ratio`].
    pub fn log_ratio(self, base: &Measurement, head: &Measurement, metric: &str) -> Option<f64> {
        log_ratio(self.value(base, metric)?, self.value(head, metric)?)
    }
}

/// Successive duets taken together, with the iterations of each version in one pool. A disturbance that lasts
/// longer than a trial affects whole duets, but seldom four in a row.
#[derive(Debug, Clone, Default)]
pub(crate) struct Quartets {
    /// ln(head / base) of the complete pools.
    pub(crate) ratios: Vec<f64>,
    /// How many of them are of screening.
    pub(crate) screened: usize,
    /// Iterations of base and head in the incomplete pool, and its number of duets.
    heaps: [Vec<f64>; 2],
    waiting: usize,
}

impl Quartets {
    /// Duets in each pool.
    pub(crate) const OF: usize = 4;
    /// With fewer pools their trimmed interval has too few values to be preferred to that of the duets.
    pub(crate) const FEWEST: usize = 7;
    /// Position of the value of a pool, counted from its fast end: with four trials of ten slices each, about
    /// the second.
    const FAST: f64 = 0.025;
    /// With fewer samples the 2.5 % quantile of a pool cannot be estimated.
    const SMALLEST_HEAP: usize = 20;

    /// Pooled duets for a benchmark whose fast iterations may be its value. `None` for others, where slow
    /// iterations are part of the program.
    pub(crate) fn of(kind: SampleKind, metric: &Metric) -> Option<Quartets> {
        Estimator::all(kind, metric).contains(&Estimator::Undisturbed).then(Quartets::default)
    }

    /// Adds a duet. Returns the ratio of the pool if the duet completes it.
    pub(crate) fn push(&mut self, base: &Measurement, head: &Measurement, metric: &str) -> Option<f64> {
        let series = [base.series(metric)?, head.series(metric)?];
        for (heap, (side, series)) in self.heaps.iter_mut().zip([base, head].into_iter().zip(series)) {
            heap.extend_from_slice(steady(side, series));
        }
        self.waiting += 1;
        if self.waiting < Quartets::OF {
            return None;
        }
        let probability = match series[0].metric.direction {
            Direction::HigherIsBetter => 1.0 - Quartets::FAST,
            _ => Quartets::FAST,
        };
        let value = |heap: &Vec<f64>| {
            (heap.len() >= Quartets::SMALLEST_HEAP).then(|| quantile(heap, probability)).flatten()
        };
        let [base, head] = self.heaps.each_ref().map(value);
        self.begin();
        let ratio = log_ratio(base?, head?)?;
        self.ratios.push(ratio);
        Some(ratio)
    }

    /// Discards the duets of the incomplete pool.
    pub(crate) fn begin(&mut self) {
        self.heaps.iter_mut().for_each(Vec::clear);
        self.waiting = 0;
    }
}

/// The index of the list that spreads least, among lists of the same duets' log-ratios, one per estimator.
/// The first of equals, or of lists that are too short to decide.
pub(crate) fn steadiest<'a>(ratios: impl Iterator<Item = &'a Vec<f64>>) -> usize {
    // The level does not matter, because only standard errors are compared.
    let error = |list: &Vec<f64>| trimmed_interval(list, 0.5).map_or(f64::INFINITY, |interval| interval.se);
    let errors = ratios.map(error).enumerate();
    errors.min_by(|(_, one), (_, other)| one.total_cmp(other)).map_or(0, |(index, _)| index)
}

/// The value of a trial by the usual estimator, for use without duets to choose one by.
pub fn of_trial(benchmark: &BenchmarkId, measurement: &Measurement, metric: &str) -> Option<f64> {
    let series = measurement.series(metric)?;
    Estimator::all(measurement.sample_kind(benchmark), &series.metric)[0].value(measurement, metric)
}

/// The value of a process for the metric called `metric`: the median of its iterations after warm-up. `None`
/// if the process has no such metric, or one of the values is not finite.
pub fn of_process(measurement: &Measurement, metric: &str) -> Option<f64> {
    let series = measurement.series(metric)?;
    median(steady(measurement, series))
}

/// Robust relative spread: 1.4826 x median absolute deviation / median. `None` without values; 0 if the
/// median is zero.
pub fn relative_spread(values: &[f64]) -> Option<f64> {
    let deviation = MAD_TO_NORMAL * median_absolute_deviation(values)?;
    let centre = median(values)?;
    Some(if centre == 0.0 { 0.0 } else { deviation / centre.abs() })
}

/// ln(head / base). `None` if a value is zero, negative or not finite, so that there is no ratio.
pub fn log_ratio(base: f64, head: f64) -> Option<f64> {
    let usable = |value: f64| value.is_finite() && value > 0.0;
    (usable(base) && usable(head)).then(|| (head / base).ln())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measurement(warmup: u32, values: &[f64]) -> Measurement {
        let series = Series { metric: Metric::time(), values: values.to_vec(), resolution: 0.0 };
        Measurement { warmup, operations: Vec::new(), series: vec![series], ..Measurement::default() }
    }

    #[test]
    fn value_is_the_median_after_warmup() {
        assert_eq!(of_process(&measurement(2, &[90.0, 80.0, 3.0, 1.0, 2.0]), "time"), Some(2.0));
    }

    #[test]
    fn short_slices_of_native_code_count_where_they_were_not_disturbed() {
        let values: Vec<f64> = (0..=10).map(|i| 1.0 + f64::from(i * i)).collect();
        let check = |harness: &str, metric: Metric, expected| {
            let mut measurement = measurement(0, &values);
            measurement.series[0].metric = metric.clone();
            let benchmark = BenchmarkId::new(harness, "p", "b");
            assert_eq!(
                of_trial(&benchmark, &measurement, &metric.name),
                Some(expected),
                "{harness} {metric:?}"
            );
        };
        check("go", Metric::time(), 2.0);
        check("cargo", Metric::time(), 2.0);
        check("jmh", Metric::time(), 26.0);
        check("go", Metric::custom("widgets"), 26.0);
        check("googlebench", Metric::throughput(), 82.0);
    }

    fn estimator<'a>(
        kind: SampleKind,
        metric: &Metric,
        duets: impl Iterator<Item = (&'a Measurement, &'a Measurement)> + Clone,
    ) -> Estimator {
        let all = Estimator::all(kind, metric);
        let ratios = |estimator: &Estimator| -> Vec<f64> {
            duets.clone().filter_map(|(base, head)| estimator.log_ratio(base, head, &metric.name)).collect()
        };
        all[steadiest(all.iter().map(ratios).collect::<Vec<_>>().iter())]
    }

    #[test]
    fn the_estimator_that_spreads_least_is_used() {
        let slices = |low: f64, middle: f64| {
            let mut values = vec![low; 3];
            values.extend(vec![middle; 8]);
            measurement(0, &values)
        };
        let check = |kind: SampleKind, duets: &[(Measurement, Measurement)], expected: Estimator| {
            let pairs = duets.iter().map(|(base, head)| (base, head));
            assert_eq!(estimator(kind, &Metric::time(), pairs), expected, "{kind:?}");
        };
        let varied = [1.0, 1.2, 0.9, 1.1, 1.3];
        // First the middle is disturbed and the fast end is not, then the opposite.
        let disturbed = varied.map(|it| (slices(1.0, 2.0), slices(1.0, 2.0 * it)));
        let lucky = varied.map(|it| (slices(1.0, 2.0), slices(it, 2.0)));
        check(SampleKind::Slices, &disturbed, Estimator::Undisturbed);
        check(SampleKind::Slices, &lucky, Estimator::Middle);
        check(SampleKind::Java, &disturbed, Estimator::Middle);
        check(SampleKind::Slices, &lucky[..1], Estimator::Undisturbed);
        check(SampleKind::Slices, &[], Estimator::Undisturbed);
    }

    #[test]
    fn a_quartet_is_the_fast_end_of_four_duets() {
        let trial = |fastest: f64, metric: Metric| {
            let values: Vec<f64> = (0..10).map(|i| fastest + f64::from(i)).collect();
            let mut all = measurement(2, &[&[0.1, 90.0], &values[..]].concat());
            all.series[0].metric = metric;
            all
        };
        let mut quartets = Quartets::of(SampleKind::Slices, &Metric::time()).expect("slices of native code");
        let mut push = |fastest: f64| {
            quartets.push(&trial(4.0, Metric::time()), &trial(fastest, Metric::time()), "time")
        };
        assert_eq!([push(100.0), push(8.0), push(50.0)], [None; 3]);
        // Forty values: position 0.025 x 39 is just below the second value. It is 4 for base and 8.975 for
        // head, whose second value is 9.
        let found = push(70.0).expect("the fourth");
        assert!((found - (8.975_f64 / 4.0).ln()).abs() < 1e-12, "{found}");
        // Duets of an incomplete pool are discarded, and the next pool has four duets of its own.
        push(1.0);
        quartets.begin();
        let steps: Vec<bool> = (0..4)
            .map(|_| {
                quartets.push(&trial(4.0, Metric::time()), &trial(4.0, Metric::time()), "time").is_some()
            })
            .collect();
        assert_eq!((steps, quartets.ratios.len()), (vec![false, false, false, true], 2));
        // If more is better, the fast end is the upper one.
        let mut rates = Quartets::default();
        let rate = |fastest| trial(fastest, Metric::throughput());
        let last =
            [1.0, 1.0, 11.0, 1.0].map(|fastest| rates.push(&rate(1.0), &rate(fastest), "throughput"))[3];
        assert!((last.expect("the fourth") - (19.025_f64 / 10.0).ln()).abs() < 1e-12, "{last:?}");
        assert!(Quartets::of(SampleKind::Java, &Metric::time()).is_none());
        // Four numbers are too few to have a fast end.
        let mut few = Quartets::default();
        let one = measurement(0, &[1.0]);
        assert_eq!([0; 5].map(|_| few.push(&one, &one, "time")), [None; 5]);
    }

    #[test]
    fn warmup_that_covers_everything_is_ignored() {
        assert_eq!(of_process(&measurement(3, &[1.0, 2.0, 3.0]), "time"), Some(2.0));
    }

    #[test]
    fn no_ratio_without_positive_values() {
        assert_eq!(log_ratio(0.0, 1.0), None);
        assert_eq!(log_ratio(1.0, -1.0), None);
        assert_eq!(log_ratio(f64::NAN, 1.0), None);
        assert_eq!(log_ratio(2.0, 2.0), Some(0.0));
    }
}
