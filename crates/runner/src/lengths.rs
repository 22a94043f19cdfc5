//! How much the processes of a benchmark measure, once duets have shown the cost of their set-up.
//!
//! A process of k iterations has the variance sb² + (π/2) sw² / k, with sb between processes and sw between
//! iterations. If set-up takes cp and an iteration ci, a given precision takes the least time at k =
//! sqrt((π/2) (sw² / sb²) (cp / ci)) (METHODOLOGY.md 6). So a process measures more if set-up dominates, and
//! less if single iterations are long. The length of a duet follows from the duets before it alone and is the
//! same for both halves. Exchanging the versions therefore changes only the sign, and the evidence stays
//! exact.

use std::f64::consts::FRAC_PI_2;
use std::num::NonZeroU64;
use std::time::Duration;

use benchwright_analysis::value::{log_ratio, of_process, relative_spread, steady};
use benchwright_harness::TrialShape;
use benchwright_model::{Measurement, Trial};
use benchwright_worker::measuring_secs;

/// The length is fixed after this many duets.
const OBSERVED: usize = 8;
/// With fewer iterations there is no robust median.
const LEAST_ITERATIONS: u32 = 3;
/// Shorter set-up is ignored, seconds.
const NEGLIGIBLE: f64 = 0.05;
/// Set-up of at least this many seconds that takes at least this many times as long as measuring. It is tried
/// with fewer iterations first, because it may be part of every iteration.
const EXPENSIVE: (f64, f64) = (0.5, 5.0);
/// An iteration that takes more than this many times as long as asked for is a single long operation.
const LONG: f64 = 3.0;
/// Processes that measure at least this many times as long as asked for follow settings of the suite, or have
/// long operations.
const OVERRULED: f64 = 5.0;
/// A process that takes at most this share of another one's time is shorter.
const SHORTER: f64 = 0.7;
/// An iteration with fewer operations is not divided, because tools round their number up.
const LEAST_OPERATIONS: f64 = 50.0;
/// More iterations than this say nothing more about a process.
const MOST_SLICES: f64 = 100.0;
/// No process measures longer than this, seconds.
const LONGEST: f64 = 10.0;
/// No process measures more than this many times as much as one before it, because it may cost more than
/// expected.
const STEP: f64 = 2.0;
/// The spread of d that is assumed before anything is known, and the number of duets it counts as. The same
/// as for betting.
const PRIOR: (f64, f64) = (0.015, 2.0);
/// Processes of the steadiest benchmarks differ by this much. Measuring more precisely decides nothing
/// sooner.
const LEAST_BETWEEN: f64 = 0.005;

/// How much a process measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Length {
    /// Iterations.
    pub(crate) iterations: u32,
    /// How many times as long as usual each iteration is.
    pub(crate) times: u32,
    /// Whether the suite's own settings make it longer, so that the tool has to override them to measure
    /// briefly.
    pub(crate) is_overruled: bool,
}

impl Length {
    /// This many iterations of the usual time.
    fn iterations(iterations: u32) -> Length {
        Length { iterations, times: 1, is_overruled: false }
    }

    /// A shape of this length.
    pub(crate) fn of(self, shape: TrialShape) -> TrialShape {
        let times = u64::from(self.times);
        let operations = shape.operations.map(|operations| {
            NonZeroU64::new(operations.get().saturating_mul(times)).unwrap_or(NonZeroU64::MIN)
        });
        let iteration_time = shape.iteration_time.saturating_mul(self.times);
        let Length { iterations, is_overruled, .. } = self;
        TrialShape { iterations, iteration_time, operations, is_overruled, ..shape }
    }
}

/// The first duets of a benchmark.
#[derive(Debug, Default)]
pub(crate) struct Lengths {
    duets: Vec<Observed>,
    length: Option<Length>,
    /// Whether the length no longer changes, because the suite determines how long processes measure.
    is_settled: bool,
}

/// The cost and the variation of a duet, as means of its halves.
#[derive(Debug, Clone, Copy)]
struct Observed {
    /// Seconds of a process.
    wall: f64,
    /// Seconds of its timed batches.
    measuring: f64,
    /// Its iterations.
    iterations: f64,
    /// How many times as long they were as those of the first duet.
    times: f64,
    /// Operations of all its iterations.
    operations: f64,
    /// Relative variance of iterations.
    within: f64,
    /// ln(head / base) of the medians.
    ratio: f64,
}

impl Observed {
    /// `None` if the harness does not report the number of operations of iterations.
    fn of(halves: &[Trial]) -> Option<Observed> {
        let [base, head] = halves else { return None };
        let both = [base.outcome.measurement()?, head.outcome.measurement()?];
        let mean = |of: &dyn Fn(&Measurement) -> Option<f64>| Some((of(both[0])? + of(both[1])?) / 2.0);
        let ratio = log_ratio(of_process(both[0], "time")?, of_process(both[1], "time")?)?;
        let within = |side: &Measurement| {
            let spread = relative_spread(steady(side, side.series("time")?))?;
            Some(spread * spread)
        };
        let observed = Observed {
            wall: (base.usage.wall + head.usage.wall).as_secs_f64() / 2.0,
            measuring: mean(&measuring_secs)?,
            iterations: mean(&|side| Some(side.operations.len() as f64))?,
            times: 1.0,
            operations: mean(&|side| Some(side.operations.iter().sum::<u64>() as f64))?,
            within: mean(&within)?,
            ratio,
        };
        // Benchmarks report times themselves, which may be wrong.
        (observed.measuring > 0.0 && observed.measuring <= observed.wall).then_some(observed)
    }

    fn setup(&self) -> f64 {
        self.wall - self.measuring
    }

    /// Seconds of an iteration.
    fn each(&self) -> f64 {
        self.measuring / self.iterations
    }

    /// The number of usual iterations that its own are worth.
    fn worth(&self) -> f64 {
        self.iterations * self.times
    }
}

/// The cost of a process, in seconds.
#[derive(Debug, Clone, Copy)]
struct Cost {
    /// Set-up of the process.
    process: f64,
    /// Set-up around each iteration.
    around: f64,
    /// Measured time of a usual iteration.
    inside: f64,
}

impl Lengths {
    /// Takes the next duet, base first, and decides on the length of the following ones. `shape` is the usual
    /// one; `asked` is that of the first duets, which may be shorter. A process is killed after `limit`.
    pub(crate) fn take(
        &mut self,
        (shape, asked): (&TrialShape, &TrialShape),
        limit: Duration,
        halves: &[Trial],
    ) {
        if self.duets.len() == OBSERVED || self.is_settled {
            return;
        }
        let Some(mut observed) = Observed::of(halves) else { return };
        observed.times = self.duets.first().map_or(1.0, |first| observed.each() / first.each());
        self.duets.push(observed);
        self.length = match self.duets.len() {
            1 => probing(&observed, asked),
            _ => self.despite_the_suite(shape).or_else(|| self.best(shape, limit)),
        };
    }

    /// The length of processes that the suite's own settings made much too long. If they became shorter when
    /// asked, that length stays. Otherwise the time that they take anyway is divided into more iterations.
    fn despite_the_suite(&mut self, shape: &TrialShape) -> Option<Length> {
        let asked = self.length.filter(|length| length.is_overruled)?;
        let (first, last) = (self.duets.first()?, self.duets.last()?);
        self.is_settled = last.wall <= SHORTER * first.wall;
        if self.is_settled {
            return Some(asked);
        }
        let fitting = last.measuring / shape.iteration_time.as_secs_f64();
        let most = fitting.min(last.operations / LEAST_OPERATIONS).min(MOST_SLICES);
        self.is_settled = last.iterations >= first.iterations && most > last.iterations;
        self.is_settled.then(|| Length::iterations(most as u32))
    }

    /// The length of the next duet. `None` means the usual one.
    pub(crate) fn length(&self) -> Option<Length> {
        self.length
    }

    fn best(&self, shape: &TrialShape, limit: Duration) -> Option<Length> {
        let cost = self.cost()?;
        let usual = f64::from(shape.iterations);
        // If every iteration has a set-up of its own, few long ones replace many short ones.
        let is_around = cost.around > cost.inside && cost.around >= NEGLIGIBLE;
        let setup = cost.process + if is_around { f64::from(LEAST_ITERATIONS) * cost.around } else { 0.0 };
        let each = cost.inside + if is_around { 0.0 } else { cost.around };
        let is_long = cost.inside > LONG * shape.iteration_time.as_secs_f64();
        if !is_long && !is_around && (setup < NEGLIGIBLE || setup < usual * cost.inside) {
            return None;
        }
        let seen = self.duets.iter().map(Observed::worth).fold(usual, f64::max);
        let room = (limit.as_secs_f64() / 2.0 - setup).min(LONGEST).min(setup);
        let least = if is_long { f64::from(LEAST_ITERATIONS) } else { usual };
        let most = (room / each).min(STEP * seen).max(least);
        let worth = self.wanted(setup / each).clamp(least, most);
        if is_around {
            let iterations = LEAST_ITERATIONS.min(shape.iterations);
            let times = (worth / f64::from(iterations)).round().max(1.0);
            return Some(Length { times: times as u32, ..Length::iterations(iterations) });
        }
        Some(Length::iterations(worth.round() as u32))
    }

    /// The best number of usual iterations if set-up takes as long as `cost` of them.
    fn wanted(&self, cost: f64) -> f64 {
        let n = self.duets.len() as f64;
        let mean = |of: &dyn Fn(&Observed) -> f64| self.duets.iter().map(of).sum::<f64>() / n;
        let within = mean(&|duet| duet.within * duet.times);
        let centre = mean(&|duet| duet.ratio);
        let squares = n * mean(&|duet| (duet.ratio - centre).powi(2));
        let (scale, weight) = PRIOR;
        let spread = (weight * scale * scale + squares) / (weight + n - 1.0);
        let explained = FRAC_PI_2 * within * mean(&|duet| 1.0 / duet.worth());
        let between = (spread / 2.0 - explained).max(LEAST_BETWEEN * LEAST_BETWEEN);
        (FRAC_PI_2 * within / between * cost).sqrt()
    }

    /// The kinds of set-up are told apart by duets of different lengths. If all are equal, all set-up counts
    /// as that of the process.
    fn cost(&self) -> Option<Cost> {
        let last = self.duets.last()?;
        let inside = last.measuring / last.worth();
        let by_iterations = |a: &&Observed, b: &&Observed| a.iterations.total_cmp(&b.iterations);
        let (few, many) =
            (self.duets.iter().min_by(by_iterations)?, self.duets.iter().max_by(by_iterations)?);
        let around = match many.iterations - few.iterations {
            0.0 => 0.0,
            more => ((many.setup() - few.setup()) / more).clamp(0.0, few.setup() / few.iterations),
        };
        Some(Cost { process: (last.setup() - last.iterations * around).max(0.0), around, inside })
    }
}

/// If processes are expensive, the second duet of a benchmark has few iterations, or twice as many if the
/// first had few. The difference shows which cost belongs to the process, which to each iteration, and which
/// to settings of the suite.
fn probing(first: &Observed, shape: &TrialShape) -> Option<Length> {
    let (seconds, share) = EXPENSIVE;
    let is_expensive = first.setup() >= seconds && first.setup() >= share * first.measuring;
    let asked = shape.iteration_time.as_secs_f64() * f64::from(shape.iterations);
    let is_overruled = first.measuring >= OVERRULED * asked;
    let had_few = is_expensive && !is_overruled && first.iterations <= f64::from(LEAST_ITERATIONS);
    let few = LEAST_ITERATIONS.min(shape.iterations);
    let length = Length::iterations(if had_few { 2 * few } else { few });
    (is_expensive || is_overruled).then_some(Length { is_overruled, ..length })
}

#[cfg(test)]
mod tests;
