//! How long a comparison will take.
//!
//! A benchmark's duets vary by its spread, and the spread decides how many of them the paired rule takes. The spread comes from
//! the benchmark's own duets as far as there are some, from earlier runs, or from what benchmarks usually do. What
//! the benchmarks measured so far have in common, since the machine is disturbed or the suite is quiet, is expected of the others too.

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
/// Standard deviation of the change of these, and of all others, in thresholds.
const CHANGE: [f64; 2] = [5.0, 0.2];
/// Nodes and weights of the Gauss-Hermite rule with five points, for a standard normal variable.
const NORMAL: [(f64, f64); 5] = [
    (-2.856_970, 0.011_257_4),
    (-1.355_626, 0.222_075_9),
    (0.0, 0.533_333_3),
    (1.355_626, 0.222_075_9),
    (2.856_970, 0.011_257_4),
];

/// The expected cost of a verdict on a benchmark in further duets: those spent on it until it is decided or given up, over the
/// probability that it is decided, for the look at which giving up makes this least.
///
/// `spread` is what the run lets expect of the benchmark, `delta` the threshold as a logarithm, `ratios` the log-ratios of the
/// benchmark's duets so far (perhaps none), `looks` the numbers of duets at which the rule looks, in ascending order. At least 1.
/// A call takes some ten microseconds.
pub fn duets_per_verdict(spread: LogSpread, delta: f64, ratios: &[f64], looks: &[u32]) -> f64 {
    /// Below this probability a verdict is not to be had; what it would cost orders such benchmarks and no more.
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

/// The spread of duets, the standard deviation of their log-ratios without outliers; none below three duets.
pub fn spread(ratios: &[f64]) -> Option<f64> {
    observed(ratios).map(|(logarithm, _)| logarithm.exp())
}

/// The typical spread of a benchmark in earlier runs, from the log-ratios of its duets in each of them: the median, so that one
/// disturbed run does not count. None if no run has three duets.
pub fn typical_spread(runs: &[Vec<f64>]) -> Option<f64> {
    let mut spreads: Vec<f64> = runs.iter().filter_map(|ratios| spread(ratios)).collect();
    spreads.sort_by(f64::total_cmp);
    let n = spreads.len();
    (n > 0).then(|| (spreads[(n - 1) / 2] * spreads[n / 2]).sqrt())
}

/// How far a benchmark is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Not decided and not suspected.
    Screening,
    /// A suspect without fresh duets.
    Suspect,
    /// A suspect with some.
    Confirming,
}

/// A benchmark that has no verdict yet.
#[derive(Debug, Clone)]
pub struct Pending<'a> {
    /// The threshold as a logarithm.
    pub delta: f64,
    /// When the rule looks: numbers of duets, ascending. Of a fixed-sample rule the one number.
    pub looks: Vec<u32>,
    /// Whether it takes all its duets whatever they say.
    pub is_fixed: bool,
    /// The most fresh duets.
    pub max_fresh: u32,
    /// Log-ratios of its duets so far.
    pub ratios: &'a [f64],
    /// Its spread in earlier runs.
    pub earlier: Option<f64>,
    /// How far it is.
    pub stage: Stage,
    /// Seconds of a usual duet.
    pub duet_secs: f64,
    /// The first ones, which are shorter.
    pub short: Short,
    /// What fresh duets cost beyond that.
    pub relinking: Relinking,
    /// How far `duet_secs` may be off: standard deviation of its logarithm.
    pub doubt: f64,
}

/// Duets that are shorter than the usual ones.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Short {
    /// So many screening duets at most.
    pub duets: u32,
    /// So many fresh duets of a suspect that these found, unless programs are made for it.
    pub fresh: u32,
    /// Seconds that each takes less.
    pub saved_secs: f64,
}

impl Short {
    /// Seconds that they save where a benchmark takes so many further screening and fresh duets.
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
    /// A number of the program; its suspects share their layouts.
    pub program: usize,
    /// Seconds for both programs of a layout; 0 where none are made.
    pub secs: f64,
    /// How many suspects of the program are expected to share a layout, at least 1.
    pub sharing: f64,
}

/// What the duets of a run have shown about all its spreads: how far they lie from what was expected, in standard deviations of
/// what runs differ by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RunSpread {
    mean: f64,
    deviation: f64,
    /// What the noise of the machine adds to the logarithm of spreads that are not known from earlier runs.
    noise: f64,
    /// How far that may be off, as a standard deviation.
    noise_doubt: f64,
}

impl RunSpread {
    /// Before anything is measured.
    pub const UNKNOWN: RunSpread = RunSpread { mean: 0.0, deviation: 1.0, noise: 0.0, noise_doubt: 0.0 };

    /// The same on a machine where two neighbouring measurements differ by this ratio, if that was looked at.
    pub fn on_machine(noise: Option<f64>) -> RunSpread {
        let (noise, noise_doubt) = prior::of_machine(noise);
        RunSpread { noise, noise_doubt, ..RunSpread::UNKNOWN }
    }

    /// After these benchmarks, by spread in earlier runs and log-ratios so far.
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

    /// What to expect of a benchmark with this spread in earlier runs.
    pub fn expected(&self, earlier: Option<f64>) -> LogSpread {
        let prior = prior_of(earlier);
        let mean = prior.median.ln() + prior.of_run * self.mean;
        (mean, prior.of_benchmark.hypot(prior.of_run * self.deviation))
    }
}

/// Mean and standard deviation of the logarithm of a spread that is not known.
pub type LogSpread = (f64, f64);

/// A predicted time and what it consists of.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Prediction {
    /// For all together.
    pub range: TimeRange,
    /// Time of each benchmark, in the order given, where the comparison takes the middle of the range.
    pub each: Vec<Duration>,
}

impl Prediction {
    /// How many of the benchmarks will have been decided after this time, the cheapest first.
    pub fn enough_for(&self, budget: Duration) -> u32 {
        /// Finding out which these are takes the rest (docs/design/0013-budget.md).
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

/// The time until all of them have their verdicts, one after the other: the median of simulated comparisons, and the range in which
/// four of five of them lie.
pub fn time(pending: &[Pending<'_>], run: RunSpread) -> Prediction {
    let drawn = simulated::comparisons(pending, run);
    let at = |share: f64| &drawn[(share * (drawn.len() - 1) as f64).round() as usize];
    let time = |share| seconds(at(share).total);
    let range = TimeRange { low: time(0.1), middle: time(0.5), high: time(0.9) };
    Prediction { range, each: at(0.5).each.iter().map(|secs| seconds(*secs)).collect() }
}

/// The same for the expected time alone.
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

/// Further time of a benchmark in a run that lies as far from the usual one as the mean says.
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

/// The further time of a benchmark whose spread has a logarithm with this mean and standard deviation, before its own duets are
/// looked at.
fn screening(spread: LogSpread, pending: &Pending<'_>) -> f64 {
    let Pending { delta, ratios, looks, max_fresh, .. } = pending;
    let done = ratios.len() as u32;
    let worlds = worlds(spread, *delta, ratios).map(|(weight, spread, shift)| {
        weight * time_of(duets::further(spread, shift, *delta, looks, (done, *max_fresh)), pending)
    });
    worlds.sum()
}

/// The spreads and shifts that a benchmark with these duets may have, each with its weight. Mean and standard deviation of the
/// logarithm of the spread are those before its own duets are looked at.
fn worlds(spread: LogSpread, delta: f64, ratios: &[f64]) -> impl Iterator<Item = (f64, f64, f64)> {
    let (mean, deviation) = updated(spread, ratios);
    let centre = trimmed_interval(ratios, 0.5).map(|interval| interval.centre);
    let done = ratios.len() as u32;
    NORMAL.into_iter().flat_map(move |(node, weight)| {
        let spread = (mean + deviation * node).exp();
        shifts(centre, spread, done, delta).map(|(share, shift)| (weight * share, spread, shift))
    })
}

/// Fresh duets that a suspect still takes. One that has some is taken to have had half of them.
fn confirming(spread: LogSpread, pending: &Pending<'_>, has_some: bool) -> Duets {
    let Pending { ratios, delta, max_fresh, .. } = pending;
    let (mean, _) = updated(spread, ratios);
    let centre = trimmed_interval(ratios, 0.5).map_or(0.0, |interval| interval.centre);
    let whole = duets::fresh(mean.exp(), centre, *delta, *max_fresh);
    let left = if has_some { (whole / 2.0).max(1.0) } else { whole };
    Duets { mean: left, fresh: left }
}

/// Mean and standard deviation of the logarithm of the spread after `ratios` were seen. Below three duets nothing is learnt.
fn updated((mean, deviation): LogSpread, ratios: &[f64]) -> LogSpread {
    let Some((seen, error)) = observed(ratios) else { return (mean, deviation) };
    let (before, now) = (deviation.powi(-2), error.powi(-2));
    ((mean * before + seen * now) / (before + now), (before + now).powf(-0.5))
}

/// Logarithm of the spread of these duets and its standard error; none below three.
fn observed(ratios: &[f64]) -> Option<(f64, f64)> {
    /// Duets that agree to the last digit say no more than that they vary little.
    const LEAST: f64 = 1e-4;
    let interval = trimmed_interval(ratios, 0.5).filter(|interval| interval.n >= 3)?;
    let efficiency = if interval.trimmed == 0 { 1.0 } else { duets::TRIMMED_EFFICIENCY };
    let spread = interval.se * (interval.n as f64 * efficiency).sqrt();
    Some((spread.max(LEAST).ln(), (2.0 * interval.df as f64).sqrt().recip()))
}

/// Where the change may lie, with shares: among benchmarks that hardly change and among those that do. Each share weighs as much as
/// it makes the mean of the duets so far likely; without any, the change of the former is none and that of the latter typical.
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
