//! Predicts how long a comparison takes.
//!
//! The spread of a benchmark's duets determines how many of them the paired rule takes. It is estimated from
//! the benchmark's own duets if there are some, from earlier runs, or from the usual spread of benchmarks. A
//! common deviation of the benchmarks measured so far, because the machine is disturbed or the suite is
//! quiet, is expected of the others too.

mod duets;
mod prior;
mod simulated;

use std::time::Duration;

use benchwright_model::TimeRange;
use benchwright_stats::trimmed::trimmed_interval;

use crate::PairedSettings;
use duets::Duets;
use prior::Prior;

/// Share of benchmarks that a comparison changes by more than a fraction of the threshold, before anything is known.
const CHANGED: f64 = 0.1;
/// Standard deviation of the change of these benchmarks and of all others, in thresholds.
const CHANGE: [f64; 2] = [5.0, 0.2];
/// Nodes and weights of the Gauss-Hermite rule with five points, for a standard normal variable.
const NORMAL: [(f64, f64); 5] = [
    (-2.856_970, 0.011_257_4),
    (-1.355_626, 0.222_075_9),
    (0.0, 0.533_333_3),
    (1.355_626, 0.222_075_9),
    (2.856_970, 0.011_257_4),
];

/// The expected number of further duets until a verdict on a benchmark: the duets spent until it is decided
/// or given up, divided by the probability that it is decided. It is given up at the look for which this is
/// least.
///
/// `spread` is the spread expected from the run, `delta` the threshold as a logarithm, `ratios` the
/// log-ratios of the benchmark's duets so far (may be empty), and `looks` the numbers of duets at which the
/// rule looks, in ascending order. The result is at least 1. A call takes some ten microseconds.
pub fn duets_per_verdict(spread: LogSpread, delta: f64, ratios: &[f64], looks: &[u32]) -> f64 {
    /// Below this probability a verdict is not realistic; the cost then only orders such benchmarks.
    const HOPELESS: f64 = 1e-3;
    let most = PairedSettings::default().max_fresh;
    let done = ratios.len() as u32;
    let mut spent_and_decided: Vec<(f64, f64)> = Vec::new();
    for (weight, spread, shift) in worlds(spread, delta, ratios) {
        let fresh = duets::fresh(spread, shift, delta, most);
        let (mut spent, mut open, mut before) = (0.0, 1.0, 0.0);
        for (at, look) in duets::course(spread, shift, delta, looks, done).enumerate() {
            spent += open * (look.ahead - before);
            (open, before) = (look.open, look.ahead);
            if spent_and_decided.len() <= at {
                spent_and_decided.push((0.0, 0.0));
            }
            spent_and_decided[at].0 += weight * (spent + look.suspected * fresh);
            spent_and_decided[at].1 += weight * (1.0 - open);
        }
    }
    let costs = spent_and_decided.iter().map(|(spent, decided)| spent / decided.max(HOPELESS));
    costs.fold(f64::INFINITY, f64::min).clamp(1.0, 1e6)
}

/// The spread of duets: the standard deviation of their log-ratios without outliers. `None` for fewer than
/// three duets.
pub fn spread(ratios: &[f64]) -> Option<f64> {
    observed(ratios).map(|(logarithm, _)| logarithm.exp())
}

/// The typical spread of a benchmark in earlier runs, given the log-ratios of its duets in each of them. It
/// is the median, so that one disturbed run does not count. `None` if no run has three duets.
pub fn typical_spread(runs: &[Vec<f64>]) -> Option<f64> {
    let mut spreads: Vec<f64> = runs.iter().filter_map(|ratios| spread(ratios)).collect();
    spreads.sort_by(f64::total_cmp);
    let n = spreads.len();
    (n > 0).then(|| (spreads[(n - 1) / 2] * spreads[n / 2]).sqrt())
}

/// The state of a benchmark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Not decided and not suspected.
    Screening,
    /// A suspect without fresh duets.
    Suspect,
    /// A suspect with fresh duets.
    Confirming,
}

/// A benchmark that has no verdict yet.
#[derive(Debug, Clone)]
pub struct Pending<'a> {
    /// The threshold as a logarithm.
    pub delta: f64,
    /// Numbers of duets at which the rule looks, in ascending order. A fixed-sample rule has one.
    pub looks: Vec<u32>,
    /// Whether it takes all its duets, whatever their values.
    pub is_fixed: bool,
    /// Maximum number of fresh duets.
    pub max_fresh: u32,
    /// Log-ratios of its duets so far.
    pub ratios: &'a [f64],
    /// Its spread in earlier runs.
    pub earlier: Option<f64>,
    /// Its state.
    pub stage: Stage,
    /// Seconds of a usual duet.
    pub duet_secs: f64,
    /// The first duets, which are shorter.
    pub short: Short,
    /// The additional cost of fresh duets.
    pub relinking: Relinking,
    /// The uncertainty of `duet_secs`: standard deviation of its logarithm.
    pub doubt: f64,
}

/// Duets that are shorter than the usual ones.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Short {
    /// Maximum number of short screening duets.
    pub duets: u32,
    /// Maximum number of short fresh duets of a suspect that these found, unless programs are made for it.
    pub fresh: u32,
    /// Seconds by which each is shorter.
    pub saved_secs: f64,
}

impl Short {
    /// Seconds saved if a benchmark takes this many further screening and fresh duets.
    fn saved(&self, pending: &Pending<'_>, screening: f64, fresh: f64) -> f64 {
        let [done, most] = [pending.ratios.len() as f64, f64::from(self.duets)];
        let is_linked = pending.relinking.secs > 0.0;
        let is_early = pending.stage == Stage::Screening && done + screening <= most;
        let fresh = if is_early && !is_linked { fresh.min(f64::from(self.fresh)) } else { 0.0 };
        ((most - done).clamp(0.0, screening.max(0.0)) + fresh) * self.saved_secs
    }
}

/// Making the programs of fresh duets in another layout.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Relinking {
    /// An index of the program. Its suspects share their layouts.
    pub program: usize,
    /// Seconds for both programs of a layout. 0 if none are made.
    pub secs: f64,
    /// How many suspects of the program are expected to share a layout, at least 1.
    pub sharing: f64,
}

/// What the duets of a run show about all its spreads: how much they differ from the expected ones, in
/// standard deviations of the usual differences between runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RunSpread {
    mean: f64,
    deviation: f64,
    /// What the noise of the machine adds to the logarithm of spreads that are not known from earlier runs.
    noise: f64,
    /// The uncertainty of `noise`, as a standard deviation.
    noise_doubt: f64,
}

impl RunSpread {
    /// Before anything is measured.
    pub const UNKNOWN: RunSpread = RunSpread { mean: 0.0, deviation: 1.0, noise: 0.0, noise_doubt: 0.0 };

    /// The same on a machine where two successive measurements differ by this ratio, if that was measured.
    pub fn on_machine(noise: Option<f64>) -> RunSpread {
        let (noise, noise_doubt) = prior::of_machine(noise);
        RunSpread { noise, noise_doubt, ..RunSpread::UNKNOWN }
    }

    /// The state after these benchmarks, given as spread in earlier runs and log-ratios so far.
    pub fn seen<'a>(benchmarks: impl Iterator<Item = (Option<f64>, &'a [f64])>) -> RunSpread {
        let (mut precision, mut sum) = (1.0, 0.0);
        for (earlier, ratios) in benchmarks {
            let Some((seen, error)) = observed(ratios) else { continue };
            let prior = prior_of(earlier);
            let variance = prior.of_benchmark.powi(2) + error * error;
            precision += prior.of_run.powi(2) / variance;
            sum += prior.of_run * (seen - prior.median.ln()) / variance;
        }
        RunSpread { mean: sum / precision, deviation: precision.powf(-0.5), ..RunSpread::UNKNOWN }
    }

    /// The expected spread of a benchmark with this spread in earlier runs.
    pub fn expected(&self, earlier: Option<f64>) -> LogSpread {
        let prior = prior_of(earlier);
        let mean = prior.median.ln() + prior.of_run * self.mean;
        (mean, prior.of_benchmark.hypot(prior.of_run * self.deviation))
    }
}

/// Mean and standard deviation of the logarithm of an unknown spread.
pub type LogSpread = (f64, f64);

/// A predicted time and what it consists of.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Prediction {
    /// The time for all benchmarks together.
    pub range: TimeRange,
    /// The time of each benchmark, in the given order, in a comparison that takes the middle of the range.
    pub each: Vec<Duration>,
}

impl Prediction {
    /// How many of the benchmarks will have been decided after this time, the cheapest first.
    pub fn enough_for(&self, budget: Duration) -> u32 {
        /// The rest of the time is spent on finding out which benchmarks these are
        /// (docs/design/0013-budget.md).
        const FOUND: f64 = 0.8;
        let budget = budget.mul_f64(FOUND);
        let mut each = self.each.clone();
        each.sort();
        let mut spent = Duration::ZERO;
        let fits = |time: &&Duration| {
            spent = spent.saturating_add(**time);
            spent <= budget
        };
        each.iter().take_while(fits).count() as u32
    }
}

/// The time until all benchmarks have their verdicts, measured one after the other: the median of simulated
/// comparisons, and the range that contains four of five of them.
pub fn time(pending: &[Pending<'_>], run: RunSpread) -> Prediction {
    let drawn = simulated::comparisons(pending, run);
    let at = |share: f64| &drawn[(share * (drawn.len() - 1) as f64).round() as usize];
    let time = |share| seconds(at(share).total);
    let range = TimeRange { low: time(0.1), middle: time(0.5), high: time(0.9) };
    Prediction { range, each: at(0.5).each.iter().map(|secs| seconds(*secs)).collect() }
}

/// The expected time only.
pub fn expected_time(pending: &[Pending<'_>], run: RunSpread) -> Duration {
    seconds(pending.iter().map(|one| further(one, run)).sum())
}

fn prior_of(earlier: Option<f64>) -> Prior {
    earlier.map_or(prior::USUAL, prior::again)
}

/// Seconds that these duets take.
fn time_of(duets: Duets, pending: &Pending<'_>) -> f64 {
    let relinking = pending.relinking.secs / pending.relinking.sharing.max(1.0);
    let saved = match pending.is_fixed {
        true => 0.0,
        false => pending.short.saved(pending, duets.mean - duets.fresh, duets.fresh),
    };
    duets.mean * pending.duet_secs + duets.fresh * relinking - saved
}

/// The further time of a benchmark in a run that deviates from the usual one as the mean of `run` says.
fn further(pending: &Pending<'_>, run: RunSpread) -> f64 {
    let Pending { ratios, looks, .. } = pending;
    let done = ratios.len() as u32;
    if pending.is_fixed {
        let left = looks.last().map_or(0, |duets| duets.saturating_sub(done));
        return time_of(Duets { mean: f64::from(left), fresh: 0.0 }, pending);
    }
    let prior = prior_of(pending.earlier);
    let noise = if pending.earlier.is_none() { run.noise } else { 0.0 };
    let spread = (prior.median.ln() + prior.of_run * run.mean + noise, prior.of_benchmark);
    match pending.stage {
        Stage::Screening => screening(spread, pending),
        stage => time_of(confirming(spread, pending, stage == Stage::Confirming), pending),
    }
}

/// The further time of a benchmark, given mean and standard deviation of the logarithm of its spread before
/// its own duets are used.
fn screening(spread: LogSpread, pending: &Pending<'_>) -> f64 {
    let Pending { delta, ratios, looks, max_fresh, .. } = pending;
    let done = ratios.len() as u32;
    let worlds = worlds(spread, *delta, ratios).map(|(weight, spread, shift)| {
        weight * time_of(duets::further(spread, shift, *delta, looks, (done, *max_fresh)), pending)
    });
    worlds.sum()
}

/// Possible spreads and shifts of a benchmark with these duets, each with its weight. Mean and standard
/// deviation of the logarithm of the spread are those before its own duets are used.
fn worlds(spread: LogSpread, delta: f64, ratios: &[f64]) -> impl Iterator<Item = (f64, f64, f64)> {
    let (mean, deviation) = updated(spread, ratios);
    let centre = trimmed_interval(ratios, 0.5).map(|interval| interval.centre);
    let done = ratios.len() as u32;
    NORMAL.into_iter().flat_map(move |(node, weight)| {
        let spread = (mean + deviation * node).exp();
        shifts(centre, spread, done, delta).map(|(share, shift)| (weight * share, spread, shift))
    })
}

/// The number of fresh duets that a suspect still needs. If it has some, half of them are assumed to be done.
fn confirming(spread: LogSpread, pending: &Pending<'_>, has_some: bool) -> Duets {
    let Pending { ratios, delta, max_fresh, .. } = pending;
    let (mean, _) = updated(spread, ratios);
    let centre = trimmed_interval(ratios, 0.5).map_or(0.0, |interval| interval.centre);
    let whole = duets::fresh(mean.exp(), centre, *delta, *max_fresh);
    let left = if has_some { (whole / 2.0).max(1.0) } else { whole };
    Duets { mean: left, fresh: left }
}

/// Mean and standard deviation of the logarithm of the spread after `ratios` were measured. Fewer than three
/// duets change nothing.
fn updated((mean, deviation): LogSpread, ratios: &[f64]) -> LogSpread {
    let Some((seen, error)) = observed(ratios) else { return (mean, deviation) };
    let (before, now) = (deviation.powi(-2), error.powi(-2));
    ((mean * before + seen * now) / (before + now), (before + now).powf(-0.5))
}

/// Logarithm of the spread of these duets, and its standard error. `None` for fewer than three duets.
fn observed(ratios: &[f64]) -> Option<(f64, f64)> {
    /// Duets that agree to the last digit show only that they vary little.
    const LEAST: f64 = 1e-4;
    let interval = trimmed_interval(ratios, 0.5).filter(|interval| interval.n >= 3)?;
    let efficiency = if interval.trimmed == 0 { 1.0 } else { duets::TRIMMED_EFFICIENCY };
    let spread = interval.se * (interval.n as f64 * efficiency).sqrt();
    Some((spread.max(LEAST).ln(), (2.0 * interval.df as f64).sqrt().recip()))
}

/// The possible changes with their shares: benchmarks that hardly change and benchmarks that do. The weight
/// of each is its share times the likelihood of the mean of the duets so far. Without duets the former have
/// no change and the latter a typical one.
fn shifts(centre: Option<f64>, spread: f64, done: u32, delta: f64) -> [(f64, f64); 2] {
    let [wide, narrow] = CHANGE.map(|change| (change * delta).powi(2));
    let Some(centre) = centre else { return [(1.0 - CHANGED, 0.0), (CHANGED, wide.sqrt())] };
    let error = spread * spread / f64::from(done.max(1));
    let density = |variance: f64| {
        let whole = variance + error;
        (-centre * centre / (2.0 * whole)).exp() / whole.sqrt()
    };
    let (changed, unchanged) = (CHANGED * density(wide), (1.0 - CHANGED) * density(narrow));
    let share = if changed + unchanged > 0.0 { changed / (changed + unchanged) } else { 1.0 };
    [(1.0 - share, centre * narrow / (narrow + error)), (share, centre * wide / (wide + error))]
}

fn seconds(total: f64) -> Duration {
    Duration::try_from_secs_f64(total).unwrap_or(Duration::MAX)
}

#[cfg(test)]
mod tests;
