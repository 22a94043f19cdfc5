//! Repeats a run of the prototype, including its random numbers.
//!
//! The prototype uses one generator for the whole run, so every choice near the threshold depends on
//! everything that was drawn before. It processes files in the order of their names, for each file the
//! metrics, for each metric the benchmarks in the order of the file, and for each benchmark the
//! configurations. For each configuration it first draws the resamples of the metric, then those of the
//! interval. [`Replay`] draws the same numbers, so that it makes exactly the published choices. For JMH the
//! prototype processes benchmarks in batches of ten, each of which restarts the stream ([`BATCH`]).
//!
//! This takes far longer than [`super::reduce`], which computes only what it needs and draws its own numbers.

mod numpy;

use benchwright_stats::bootstrap::middle_part;
use benchwright_stats::{Interval, dispersion};

pub use numpy::NumpyStream;

use super::algorithm::costed;
use super::stability::{CONFIDENCE, relative_width};
use super::{Evaluated, LevelSeries, Mode, Options, Reduction, Sample, Stability, configurations};

/// Number of JMH benchmarks that share a stream.
pub const BATCH: usize = 10;

/// The seed of the prototype's generators.
pub const SEED: u32 = 42;

/// A position in a run of the prototype.
#[derive(Debug, Clone)]
pub struct Replay {
    stream: NumpyStream,
}

/// The estimate that is resampled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Estimate {
    Mean,
    StudentisedMean,
    Median,
}

/// The estimates that a metric resamples for itself, and for the interval.
fn estimates(metric: &dyn Stability) -> Option<(Option<Estimate>, Estimate)> {
    match metric.name() {
        "CV" => Some((None, Estimate::Mean)),
        "RMAD" => Some((None, Estimate::Median)),
        "RCIW1" => Some((Some(Estimate::Mean), Estimate::Mean)),
        "RCIW2" => Some((Some(Estimate::StudentisedMean), Estimate::StudentisedMean)),
        "RCIW3" => Some((Some(Estimate::Mean), Estimate::Median)),
        _ => None,
    }
}

/// A configuration, and the state of the stream before its interval was drawn.
struct Step {
    evaluated: Evaluated,
    stream: NumpyStream,
}

impl Replay {
    /// The beginning of a run.
    pub fn start() -> Replay {
        Replay { stream: NumpyStream::seeded(SEED) }
    }

    /// Goes through all configurations of the next benchmark by the next metric. `None` if the prototype does
    /// not have the metric or the benchmark has no values; nothing is drawn then. `options` gives threshold,
    /// costs and the number of resamples.
    pub fn reduce(
        &mut self,
        series: &LevelSeries,
        metric: &dyn Stability,
        options: &Options,
    ) -> Option<Reduction> {
        let (own, reported) = estimates(metric)?;
        let series = &Mode::Prototype.seen(series);
        let resamples = options.resampling.resamples;
        let mut steps = Vec::new();
        for configuration in configurations(series.levels(), Mode::Prototype) {
            let values = series.prefix(&configuration);
            let instability = match own {
                None => metric.instability_of(&Sample::new(&values, options.resampling), Mode::Prototype),
                Some(estimate) => interval(&mut self.stream, &values, estimate, resamples)
                    .and_then(|interval| relative_width(interval, metric.average().of(&values)?)),
            };
            let stream = self.stream.clone();
            self.stream.skip(values.len() as u32, resamples * values.len());
            steps.push(Step {
                evaluated: Evaluated { instability, ..costed(series, configuration, options) },
                stream,
            });
        }
        let options = Options { mode: Mode::Prototype, ..*options };
        let full = steps.last()?;
        let chosen = steps.iter().filter(|step| step.evaluated.is_stable(&options)).min_by(|left, right| {
            let key =
                |step: &Step| (step.evaluated.seconds, step.evaluated.instability.unwrap_or(f64::INFINITY));
            let (left, right) = (key(left), key(right));
            left.0.total_cmp(&right.0).then(left.1.total_cmp(&right.1))
        });
        let reported = |step: &Step| {
            let values = series.prefix(&step.evaluated.configuration);
            let interval = interval(&mut step.stream.clone(), &values, reported, resamples);
            Some((metric.average().of(&values)?, interval))
        };
        let (smaller, whole) = (reported(chosen.unwrap_or(full))?, reported(full)?);
        Some(Reduction {
            chosen: chosen.unwrap_or(full).evaluated.clone(),
            full: full.evaluated.clone(),
            is_stable: chosen.is_some(),
            averages: (smaller.0, whole.0),
            intervals: (smaller.1, whole.1),
        })
    }
}

/// Draws resamples and computes the interval. The resamples are drawn even if there is no interval.
fn interval(stream: &mut NumpyStream, values: &[f64], of: Estimate, resamples: usize) -> Option<Interval> {
    let n = values.len();
    let mean = dispersion::mean(values)?;
    let se =
        (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n as f64 - 1.0) / n as f64).sqrt();
    let mut estimates = Vec::with_capacity(resamples);
    let mut resample = Vec::with_capacity(n);
    stream.each_below(n as u32, resamples * n, |position| {
        resample.push(values[position as usize]);
        if resample.len() == n {
            estimates.push(match of {
                Estimate::Mean => resample.iter().sum::<f64>() / n as f64,
                Estimate::StudentisedMean => studentised(&resample, mean),
                Estimate::Median => dispersion::median(&resample).unwrap_or(f64::NAN),
            });
            resample.clear();
        }
    });
    let middle = middle_part(&mut estimates, CONFIDENCE)?;
    Some(match of {
        Estimate::StudentisedMean => Interval { lo: mean - middle.hi * se, hi: mean - middle.lo * se },
        Estimate::Mean | Estimate::Median => middle,
    })
}

/// t* of a resample. A spread of zero is replaced by a millionth of a nanosecond, and a result that is not a
/// number by 0.
fn studentised(resample: &[f64], centre: f64) -> f64 {
    let n = resample.len() as f64;
    let mean = resample.iter().sum::<f64>() / n;
    let spread = (resample.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt();
    let spread = if spread == 0.0 { 1e-6 } else { spread };
    let ratio = (mean - centre) / (spread / n.sqrt());
    if ratio.is_finite() { ratio } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reduce::{metrics, reduce};

    fn series(seed: u32) -> LevelSeries {
        let value =
            |fork: u32, iteration: u32| 100.0 + 0.4 * f64::from((fork * 7 + iteration * 5 + seed) % 11);
        let points = (1..=3)
            .flat_map(|fork| (1..=6).map(move |iteration| (vec![fork, iteration], value(fork, iteration))))
            .collect();
        LevelSeries::new(&[("fork", false), ("iteration", false)], points).unwrap()
    }

    #[test]
    fn another_stream_makes_the_usual_choice() {
        let options = Options { mode: Mode::Prototype, threshold: 0.012, ..Options::default() };
        let mut replay = Replay::start();
        for metric in metrics() {
            for seed in 0..3 {
                let (theirs, ours) = (
                    replay.reduce(&series(seed), *metric, &options),
                    reduce(&series(seed), *metric, &options),
                );
                let (theirs, ours) = (theirs.unwrap(), ours.unwrap());
                assert_eq!(theirs.chosen.configuration, ours.chosen.configuration, "{}", metric.name());
                assert_eq!(theirs.averages, ours.averages);
                let (lo, hi) = (theirs.intervals.1.unwrap(), ours.intervals.1.unwrap());
                assert!((lo.lo - hi.lo).abs() < 0.1 && (lo.hi - hi.hi).abs() < 0.1, "{lo:?} {hi:?}");
            }
        }
    }

    #[test]
    fn a_resample_without_spread_counts_as_in_the_prototype() {
        assert_eq!(studentised(&[2.0, 2.0, 2.0, 2.0], 2.0), 0.0);
        assert_eq!(studentised(&[2.0, 2.0, 2.0, 2.0], 1.0), 1.0 / (1e-6 / 2.0));
    }
}
