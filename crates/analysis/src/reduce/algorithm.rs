//! Finds the cheapest configuration that is stable enough.

use benchwright_stats::Interval;
use benchwright_stats::bootstrap::Resampling;

use super::vote::vote;
use super::{Configuration, LevelSeries, Mode, Sample, Stability, configurations};

/// The settings of a choice.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// The definitions to use.
    pub mode: Mode,
    /// A configuration with this instability or more is not stable.
    pub threshold: f64,
    /// Settings of metrics that resample.
    pub resampling: Resampling,
    /// Seconds that one value took.
    pub seconds_per_value: f64,
    /// Warm-up of every process, in values. It is already cut from the data.
    pub warmup: u32,
    /// Seconds that every process takes in addition to its values and that warm-up: start, set-up, warm-up by
    /// the clock.
    pub process_seconds: f64,
    /// Whether warm-up counts when configurations are compared by cost. In the published algorithm it costs
    /// time but does not affect the choice.
    pub is_warmup_counted: bool,
    /// By how many sets of resamples a choice must lead before it counts; with 1, the first set decides.
    /// `None`: 1 with the paper's definitions, and 5 with the prototype's, whose own choice depends on the
    /// position of a benchmark in its stream of random numbers.
    pub lead: Option<u32>,
}

impl Options {
    /// By how many sets a choice must lead.
    pub(super) fn lead(&self) -> u32 {
        self.lead.unwrap_or(match self.mode {
            Mode::Paper => 1,
            Mode::Prototype => 5,
        })
    }

    /// The reported interval has resamples of its own.
    pub(super) fn reported(&self) -> Resampling {
        Resampling { seed: self.resampling.seed.wrapping_add(1), ..self.resampling }
    }
}

impl Default for Options {
    fn default() -> Self {
        Options {
            mode: Mode::Paper,
            threshold: 0.01,
            resampling: Resampling { resamples: 10_000, seed: 42 },
            seconds_per_value: 1.0,
            warmup: 0,
            process_seconds: 0.0,
            is_warmup_counted: false,
            lead: None,
        }
    }
}

/// A configuration and its results.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluated {
    /// The configuration.
    pub configuration: Configuration,
    /// Seconds of measuring, one after the other.
    pub seconds: f64,
    /// Seconds of warm-up and of everything else before a process measures.
    pub warmup_seconds: f64,
    /// Its instability. `None` if the metric is not defined.
    pub instability: Option<f64>,
}

impl Evaluated {
    /// Seconds of everything together.
    pub fn total_seconds(&self) -> f64 {
        self.seconds + self.warmup_seconds
    }

    /// Whether it is stable enough.
    pub fn is_stable(&self, options: &Options) -> bool {
        self.instability.is_some_and(|value| match options.mode {
            Mode::Paper => value <= options.threshold,
            Mode::Prototype => value < options.threshold,
        })
    }
}

/// The configuration chosen for one benchmark, and the full one.
#[derive(Debug, Clone, PartialEq)]
pub struct Reduction {
    /// The chosen configuration: the full one if none is stable.
    pub chosen: Evaluated,
    /// The full configuration.
    pub full: Evaluated,
    /// Whether the chosen configuration is stable.
    pub is_stable: bool,
    /// The averages over the chosen and over the full configuration.
    pub averages: (f64, f64),
    /// The intervals of these averages.
    pub intervals: (Option<Interval>, Option<Interval>),
}

impl Reduction {
    /// The difference of the chosen configuration's average from the full one's, as a share.
    pub fn change(&self) -> f64 {
        (self.averages.0 - self.averages.1) / self.averages.1
    }

    /// The differences of the ends of the chosen interval from the full one's, as shares.
    pub fn interval_changes(&self) -> Option<(f64, f64)> {
        let (chosen, full) = (self.intervals.0?, self.intervals.1?);
        Some(((chosen.lo - full.lo) / full.lo, (chosen.hi - full.hi) / full.hi))
    }
}

/// Chooses for one benchmark. `None` if even its full configuration has no average.
pub fn reduce(series: &LevelSeries, metric: &dyn Stability, options: &Options) -> Option<Reduction> {
    reduce_by(series, &[metric], options).pop().flatten()
}

/// Chooses for one benchmark by each of several metrics, which share resamples. Five metrics take about as
/// long as the slowest of them.
pub fn reduce_by(
    series: &LevelSeries,
    metrics: &[&dyn Stability],
    options: &Options,
) -> Vec<Option<Reduction>> {
    let series = &options.mode.seen(series);
    let candidates = by_cost(series, options);
    let chosen =
        vote(metrics, options, &|metrics, options| cheapest_stable(series, metrics, options, &candidates));
    let values = series.prefix(&series.full());
    let full = Whole::of(series, &values, options);
    metrics
        .iter()
        .zip(chosen)
        .map(|(metric, chosen)| full.reduction(series, *metric, options, chosen))
        .collect()
}

/// All configurations with their stability, in lexicographic order. They show why one was chosen, and what
/// more repetitions would achieve.
pub fn evaluate(series: &LevelSeries, metric: &dyn Stability, options: &Options) -> Vec<Evaluated> {
    let series = &options.mode.seen(series);
    let all = configurations(series.levels(), options.mode).into_iter();
    all.map(|configuration| evaluated(series, costed(series, configuration, options), metric, options))
        .collect()
}

/// The stability of at most about `most` configurations from the cheapest to the full one, spread evenly over
/// their costs. It is meant for drawings when there are hundreds of configurations.
pub fn curve(series: &LevelSeries, metric: &dyn Stability, options: &Options, most: usize) -> Vec<Evaluated> {
    let series = &options.mode.seen(series);
    let all = by_cost(series, options);
    let (last, step) = (all.len().saturating_sub(1), all.len().div_ceil(most.max(1)).max(1));
    let wanted = all.into_iter().enumerate().filter(|(i, _)| i % step == 0 || *i == last);
    wanted.map(|(_, costed)| evaluated(series, costed, metric, options)).collect()
}

/// All configurations, the cheapest first. Those of equal cost stay in lexicographic order.
fn by_cost(series: &LevelSeries, options: &Options) -> Vec<Evaluated> {
    let all = configurations(series.levels(), options.mode).into_iter();
    let mut candidates: Vec<Evaluated> =
        all.map(|configuration| costed(series, configuration, options)).collect();
    candidates.sort_by(|left, right| cost(left, options).total_cmp(&cost(right, options)));
    candidates
}

/// The result of a given configuration. `None` if it has no average.
pub(super) fn apply(
    series: &LevelSeries,
    configuration: Configuration,
    metric: &dyn Stability,
    options: &Options,
) -> Option<Reduction> {
    let series = &options.mode.seen(series);
    let chosen = evaluated(series, costed(series, configuration, options), metric, options);
    let is_stable = chosen.is_stable(options);
    let values = series.prefix(&series.full());
    let reduction = Whole::of(series, &values, options).reduction(series, metric, options, Some(chosen))?;
    Some(Reduction { is_stable, ..reduction })
}

/// Examines one cost after the other, the cheapest first. For each metric it stops at the first cost with a
/// stable configuration.
fn cheapest_stable(
    series: &LevelSeries,
    metrics: &[&dyn Stability],
    options: &Options,
    candidates: &[Evaluated],
) -> Vec<Option<Evaluated>> {
    let mut found: Vec<Option<Evaluated>> = vec![None; metrics.len()];
    for equals in candidates.chunk_by(|left, right| cost(left, options) == cost(right, options)) {
        let open: Vec<usize> = (0..metrics.len()).filter(|index| found[*index].is_none()).collect();
        if open.is_empty() {
            break;
        }
        for candidate in equals {
            let values = series.prefix(&candidate.configuration);
            let sample = Sample::new(&values, options.resampling);
            for &index in &open {
                if metrics[index].least_instability(&sample, options.mode) > options.threshold {
                    continue;
                }
                let instability = metrics[index].instability_of(&sample, options.mode);
                let evaluated = Evaluated { instability, ..candidate.clone() };
                let is_better = found[index].as_ref().is_none_or(|best| instability < best.instability);
                if is_better && evaluated.is_stable(options) {
                    found[index] = Some(evaluated);
                }
            }
        }
    }
    found
}

fn cost(evaluated: &Evaluated, options: &Options) -> f64 {
    match options.is_warmup_counted {
        true => evaluated.total_seconds(),
        false => evaluated.seconds,
    }
}

pub(super) fn costed(series: &LevelSeries, configuration: Configuration, options: &Options) -> Evaluated {
    let values = configuration.sequential(series.levels());
    let innermost = configuration.0.last().copied().unwrap_or(1);
    let processes = values / u64::from(innermost.max(1));
    let seconds = |count: u64| count as f64 * options.seconds_per_value;
    Evaluated {
        seconds: seconds(values),
        warmup_seconds: seconds(processes * u64::from(options.warmup))
            + processes as f64 * options.process_seconds,
        configuration,
        instability: None,
    }
}

fn evaluated(series: &LevelSeries, of: Evaluated, metric: &dyn Stability, options: &Options) -> Evaluated {
    let values = series.prefix(&of.configuration);
    let instability = metric.instability_of(&Sample::new(&values, options.resampling), options.mode);
    Evaluated { instability, ..of }
}

/// The full configuration, which is the same for every metric.
struct Whole<'a> {
    costed: Evaluated,
    /// The sample for the instability.
    judged: Sample<'a>,
    /// The sample for the interval.
    reported: Sample<'a>,
}

impl<'a> Whole<'a> {
    fn of(series: &LevelSeries, values: &'a [f64], options: &Options) -> Whole<'a> {
        Whole {
            costed: costed(series, series.full(), options),
            judged: Sample::new(values, options.resampling),
            reported: Sample::new(values, options.reported()),
        }
    }

    /// The reduction to `chosen`, or to the full configuration if nothing is stable.
    fn reduction(
        &self,
        series: &LevelSeries,
        metric: &dyn Stability,
        options: &Options,
        chosen: Option<Evaluated>,
    ) -> Option<Reduction> {
        let instability = metric.instability_of(&self.judged, options.mode);
        let full = Evaluated { instability, ..self.costed.clone() };
        let reported = |sample: &Sample<'_>| {
            Some((metric.average().of(sample.values())?, metric.interval_of(sample, options.mode)))
        };
        let whole = reported(&self.reported)?;
        let smaller = match &chosen {
            Some(chosen) if chosen.configuration != full.configuration => {
                reported(&Sample::new(&series.prefix(&chosen.configuration), options.reported()))?
            }
            _ => whole,
        };
        Some(Reduction {
            averages: (smaller.0, whole.0),
            intervals: (smaller.1, whole.1),
            is_stable: chosen.is_some(),
            chosen: chosen.unwrap_or_else(|| full.clone()),
            full,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reduce::by_name;

    fn series(forks: u32, iterations: u32, value: impl Fn(u32, u32) -> f64) -> LevelSeries {
        let mut points = Vec::new();
        for fork in 1..=forks {
            for iteration in 1..=iterations {
                points.push((vec![fork, iteration], value(fork, iteration)));
            }
        }
        LevelSeries::new(&[("fork", false), ("iteration", false)], points).unwrap()
    }

    fn chosen(series: &LevelSeries, metric: &str, options: Options) -> (String, bool) {
        let reduction = reduce(series, by_name(metric).unwrap(), &options).unwrap();
        (reduction.chosen.configuration.to_string(), reduction.is_stable)
    }

    #[test]
    fn the_cheapest_stable_configuration_wins_and_stability_breaks_ties() {
        // 1/3 and 3/1 cost the same, and there is no variation between forks.
        let series = series(3, 5, |_, iteration| 1.0 + 0.001 * f64::from(iteration));
        for metric in ["cv", "rmad", "rciw1", "rciw3"] {
            assert_eq!(chosen(&series, metric, Options::default()), ("3/1".into(), true), "{metric}");
        }
    }

    #[test]
    fn what_is_never_stable_keeps_everything() {
        let series = series(3, 5, |fork, iteration| 1.0 + f64::from(fork * iteration % 7));
        assert_eq!(chosen(&series, "cv", Options::default()), ("3/5".into(), false));
    }

    #[test]
    fn exactly_at_the_threshold_is_stable_in_the_paper_only() {
        // Values 0.99, 1, 1.01 have a median absolute deviation of 0.01 around 1.
        let series = series(1, 3, |_, iteration| 1.0 + 0.01 * (f64::from(iteration) - 2.0));
        let values = series.prefix(&series.full());
        let sample = Sample::new(&values, Options::default().resampling);
        let at = crate::reduce::by_name("rmad").unwrap().instability_of(&sample, Mode::Paper);
        let options = Options { threshold: at.unwrap(), ..Options::default() };
        assert_eq!(chosen(&series, "rmad", options), ("1/3".into(), true));
        let options = Options { mode: Mode::Prototype, ..options };
        assert_eq!(chosen(&series, "rmad", options), ("1/3".into(), false));
    }

    #[test]
    fn warmup_chooses_only_where_it_counts() {
        // There is no variation between forks, and hardly any within a fork.
        let series = series(3, 5, |_, iteration| 1.0 + 1e-6 * f64::from(iteration));
        let options = Options { warmup: 50, ..Options::default() };
        let reduction = reduce(&series, by_name("cv").unwrap(), &options).unwrap();
        assert_eq!(
            (reduction.chosen.configuration.to_string(), reduction.chosen.warmup_seconds),
            ("3/1".into(), 150.0)
        );
        assert_eq!(chosen(&series, "cv", Options { is_warmup_counted: true, ..options }).0, "1/3");
    }

    #[test]
    fn looking_at_everything_gives_the_same_choice() {
        let series = series(3, 6, |fork, iteration| 1.0 + 0.004 * f64::from((fork * 7 + iteration * 5) % 11));
        for metric in crate::reduce::metrics() {
            let options = Options { threshold: 0.02, ..Options::default() };
            let all = evaluate(&series, *metric, &options);
            let mut stable: Vec<&Evaluated> = all.iter().filter(|one| one.is_stable(&options)).collect();
            stable.sort_by(|left, right| {
                (left.seconds, left.instability).partial_cmp(&(right.seconds, right.instability)).unwrap()
            });
            let expected = stable.first().map_or_else(|| series.full(), |one| one.configuration.clone());
            let reduction = reduce(&series, *metric, &options).unwrap();
            assert_eq!(reduction.chosen.configuration, expected, "{}", metric.name());
        }
    }

    #[test]
    fn metrics_do_not_disturb_each_other() {
        let series = series(3, 8, |fork, iteration| 1.0 + 0.003 * f64::from((fork * 5 + iteration * 3) % 13));
        for mode in [Mode::Paper, Mode::Prototype] {
            let options = Options { mode, threshold: 0.015, ..Options::default() };
            let together = reduce_by(&series, crate::reduce::metrics(), &options);
            for (metric, found) in crate::reduce::metrics().iter().zip(together) {
                assert_eq!(found, reduce(&series, *metric, &options), "{} {mode:?}", metric.name());
            }
        }
    }

    #[test]
    fn changes_are_relative_to_the_full_configuration() {
        let series = series(1, 4, |_, iteration| if iteration <= 3 { 1.0 } else { 2.0 });
        let reduction = reduce(&series, by_name("cv").unwrap(), &Options::default()).unwrap();
        assert_eq!(reduction.averages, (1.0, 1.25));
        assert_eq!(reduction.change(), -0.2);
        let (lo, hi) = reduction.interval_changes().unwrap();
        assert!(lo <= 0.0 && hi < 0.0, "{lo} {hi}");
    }
}
