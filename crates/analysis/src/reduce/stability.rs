//! How much the values of a configuration vary. Each metric has a file and a line in [`metrics`].

mod cv;
mod rciw1;
mod rciw2;
mod rciw3;
mod rmad;

use std::borrow::Cow;

use benchwright_model::SampleKind;
use benchwright_stats::bootstrap::Resampling;
use benchwright_stats::dispersion::Divisor;
use benchwright_stats::{Interval, dispersion};

use super::{LevelSeries, Sample};

/// The definitions to use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mode {
    /// The published definitions.
    Paper,
    /// Those of the authors' program, including its deviations.
    Prototype,
}

impl Mode {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Paper => "paper",
            Mode::Prototype => "prototype",
        }
    }

    /// The part of a series that is used: the prototype uses only the first instance.
    pub fn seen(self, series: &LevelSeries) -> Cow<'_, LevelSeries> {
        match self {
            Mode::Paper => Cow::Borrowed(series),
            Mode::Prototype => Cow::Owned(series.of_first_instance()),
        }
    }
}

/// The average that belongs to a metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Average {
    /// The mean.
    Mean,
    /// The median.
    Median,
}

impl Average {
    /// The average of these values.
    pub fn of(self, values: &[f64]) -> Option<f64> {
        match self {
            Average::Mean => dispersion::mean(values),
            Average::Median => dispersion::median(values),
        }
    }
}

/// Confidence level of all intervals.
pub(super) const CONFIDENCE: f64 = 0.99;

/// A way to measure how much values vary, relative to their size.
pub trait Stability: Sync {
    /// Its name in capitals: `RCIW1`.
    fn name(&self) -> &'static str;

    /// The average that represents the speed.
    fn average(&self) -> Average;

    /// Whether it falls with the root of the number of values. This is true for the width of an interval, and
    /// not for the spread of the values themselves.
    fn shrinks(&self) -> bool {
        false
    }

    /// The instability of the values. `None` if it is not defined for them.
    fn instability_of(&self, sample: &Sample<'_>, mode: Mode) -> Option<f64>;

    /// Whether the instability depends on the resamples.
    fn is_random(&self, mode: Mode) -> bool;

    /// A lower bound of the instability without resampling. A configuration that is unstable even by this
    /// need not be resampled.
    fn least_instability(&self, _sample: &Sample<'_>, _mode: Mode) -> f64 {
        0.0
    }

    /// The interval of the average that is reported with it.
    fn interval_of(&self, sample: &Sample<'_>, mode: Mode) -> Option<Interval>;

    /// [`Self::instability_of`] for values that are used only once.
    fn instability(&self, values: &[f64], mode: Mode, resampling: Resampling) -> Option<f64> {
        self.instability_of(&Sample::new(values, resampling), mode)
    }

    /// [`Self::interval_of`] for values that are used only once.
    fn interval(&self, values: &[f64], mode: Mode, resampling: Resampling) -> Option<Interval> {
        self.interval_of(&Sample::new(values, resampling), mode)
    }
}

/// Every metric, in the paper's order.
pub fn metrics() -> &'static [&'static dyn Stability] {
    &[&cv::Cv, &rmad::Rmad, &rciw1::Rciw1, &rciw2::Rciw2, &rciw3::Rciw3]
}

/// The metric called `name`, in capitals or not.
pub fn by_name(name: &str) -> Option<&'static dyn Stability> {
    metrics().iter().copied().find(|metric| metric.name().eq_ignore_ascii_case(name))
}

/// The metric recommended for such samples, with the kind of code they come from. Japke et al. 2025, section
/// 4.3, use the median absolute deviation for code that is compiled beforehand, and the median's interval for
/// code that is compiled while it runs. They do not discuss other code.
pub fn recommended(kind: SampleKind) -> (&'static dyn Stability, &'static str) {
    match kind {
        SampleKind::Slices | SampleKind::Native => (&rmad::Rmad, "code compiled beforehand"),
        SampleKind::Java | SampleKind::Jit => (&rciw3::Rciw3, "code compiled while it runs"),
        SampleKind::Other => (&rmad::Rmad, "interpreted code and commands, for which nothing is recommended"),
    }
}

/// Every 99 % percentile interval of a mean is wider than this many standard errors (with n, not n - 1). No
/// value is further from the mean of its sample than the standard deviation of a resample's sum, so the tails
/// of that sum fall off as Bennett's inequality (1962) says. Beyond the middle 99 % they hold at most a third
/// of the variance, and a narrower interval could not hold the rest.
const LEAST_WIDTH: f64 = 1.5;

/// The least relative width of an interval of the mean.
fn least_width(sample: &Sample<'_>, average: Option<f64>) -> f64 {
    let spread = dispersion::standard_deviation(sample.values(), Divisor::Population);
    let error = spread.map(|spread| spread / (sample.values().len() as f64).sqrt());
    let width = error.zip(average).map(|(error, average)| LEAST_WIDTH * error / average);
    width.filter(|width| width.is_finite()).unwrap_or(0.0)
}

/// The width of an interval as a share of the average.
pub(super) fn relative_width(interval: Interval, average: f64) -> Option<f64> {
    let ratio = interval.width() / average;
    ratio.is_finite().then_some(ratio)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instability(metric: &dyn Stability, values: &[f64], mode: Mode, seed: u64) -> Option<f64> {
        metric.instability(values, mode, Resampling { resamples: 10_000, seed })
    }

    #[test]
    fn every_metric_is_zero_where_nothing_varies() {
        for metric in metrics() {
            for mode in [Mode::Paper, Mode::Prototype] {
                let found = instability(*metric, &[2.0; 5], mode, 42);
                assert!(found.is_none_or(|value| value == 0.0), "{} {found:?}", metric.name());
            }
        }
    }

    #[test]
    fn no_metric_depends_on_the_unit() {
        let values = [1.0, 1.1, 0.9, 1.2, 1.05, 0.97];
        let scaled: Vec<f64> = values.iter().map(|value| value * 1e-7).collect();
        for metric in metrics() {
            let (one, other) = (
                instability(*metric, &values, Mode::Paper, 42).unwrap(),
                instability(*metric, &scaled, Mode::Paper, 42).unwrap(),
            );
            assert!((one / other - 1.0).abs() < 1e-9, "{}: {one} {other}", metric.name());
        }
    }

    #[test]
    fn only_metrics_that_say_so_depend_on_the_resamples() {
        let values = [1.0, 1.1, 0.9, 1.2, 1.05, 0.97, 1.01];
        for metric in metrics() {
            for mode in [Mode::Paper, Mode::Prototype] {
                let with = |seed| instability(*metric, &values, mode, seed);
                assert_eq!(with(1) != with(2), metric.is_random(mode), "{} {mode:?}", metric.name());
            }
        }
    }

    #[test]
    fn only_widths_of_intervals_shrink() {
        let values: Vec<f64> = (0..20).map(|i| 1.0 + 0.01 * f64::from(i * 7 % 20)).collect();
        let four_times: Vec<f64> = values.iter().copied().cycle().take(80).collect();
        for metric in metrics() {
            let of = |values: &[f64]| instability(*metric, values, Mode::Paper, 42).unwrap();
            let ratio = of(&values) / of(&four_times);
            let expected = if metric.shrinks() { 1.7..2.6 } else { 0.99..1.01 };
            assert!(expected.contains(&ratio), "{}: {ratio}", metric.name());
        }
    }

    #[test]
    fn nothing_is_below_its_least_instability() {
        // From equal values to a single outlier, with and without ties.
        let mut samples: Vec<Vec<f64>> = Vec::new();
        for n in 3..40_u32 {
            for power in [0, 1, 2, 5, 9] {
                samples.push((0..n).map(|i| 10.0 + (f64::from(i * 7 % n) / 4.0).powi(power)).collect());
                samples.push(
                    (0..n).map(|i| 10.0 + f64::from(u32::from(i * 7 % n < n / (power as u32 + 2)))).collect(),
                );
            }
            samples.push((0..n).map(|i| if i == 0 { 1000.0 } else { 10.0 }).collect());
        }
        for values in &samples {
            let sample = Sample::new(values, Resampling { resamples: 10_000, seed: 5 });
            for metric in metrics() {
                for mode in [Mode::Paper, Mode::Prototype] {
                    let least = metric.least_instability(&sample, mode);
                    let found = metric.instability_of(&sample, mode);
                    assert!(
                        found.is_none_or(|found| least <= found),
                        "{} {mode:?} {values:?}",
                        metric.name()
                    );
                }
            }
        }
    }

    #[test]
    fn the_kind_of_samples_decides_on_the_metric() {
        let check = |kind: SampleKind, expected: &str| {
            let (metric, why) = recommended(kind);
            assert_eq!(metric.name(), expected);
            let is_compiled = kind.is_compiled_beforehand() || kind.is_compiled_while_running();
            assert_eq!(why.contains("compiled"), is_compiled, "{why}");
        };
        check(SampleKind::Slices, "RMAD");
        check(SampleKind::Native, "RMAD");
        check(SampleKind::Java, "RCIW3");
        check(SampleKind::Jit, "RCIW3");
        check(SampleKind::Other, "RMAD");
    }

    #[test]
    fn names_are_found_in_any_case() {
        assert_eq!(by_name("rciw2").map(|metric| metric.name()), Some("RCIW2"));
        assert!(by_name("variance").is_none());
    }
}
