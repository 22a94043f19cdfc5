//! The labels of Traini et al. 2023.

use benchwright_stats::bootstrap::Resampling;

use super::compare::SegmentTest;
use super::costs::Costs;
use super::crops::crops;
use super::knee::knee;
use super::outliers::{OutlierRule, in_any_window};
use super::pelt::pelt;
use super::sums::{Sums, ZeroVariance};
use super::thinned::{Note, Thinned};

/// One part in this many at the end of a series must be steady: 500 of 3000 iterations.
const STEADY_SHARE: usize = 6;

/// The range of penalties, as multiples of the logarithm of the length.
const PENALTIES: (f64, f64) = (4.0, 100_000.0);

/// The multiple that is used if the curve has no knee.
const USUAL_PENALTY: f64 = 15.0;

/// How a series is labelled.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LabelOptions {
    /// Nominal time of an iteration in seconds.
    pub iteration_s: f64,
    /// The cost of segments without variance.
    pub zero_variance: ZeroVariance,
    /// The smallest relative difference of means that counts.
    pub effect: f64,
    /// Resamples of a comparison.
    pub resamples: usize,
    /// Seed of the resamples.
    pub seed: u64,
}

impl LabelOptions {
    /// Iterations of 100 ms. Segments differ by 5 %, with 10,000 resamples. The unit does not matter.
    pub const DEFAULT: LabelOptions = LabelOptions {
        iteration_s: 0.1,
        zero_variance: ZeroVariance::Relative,
        effect: 0.05,
        resamples: 10_000,
        seed: 1,
    };

    /// As the published labels were made.
    pub const PUBLISHED: LabelOptions =
        LabelOptions { zero_variance: ZeroVariance::Published, ..LabelOptions::DEFAULT };
}

/// The label of a complete process. Iterations count from 0.
#[derive(Debug, Clone, PartialEq)]
pub struct Label {
    /// Iterations that were excluded from the search for changes, in ascending order.
    pub outliers: Vec<u32>,
    /// The last iteration of each segment, in ascending order. The last one is the end of the series, not a
    /// change.
    pub changepoints: Vec<u32>,
    /// The last iteration of the last segment that differs from the end. 0 if none does. The iterations after
    /// it are steady if there are enough of them.
    pub last_change: u32,
    /// The same, or `None` if less than a sixth of the series follows, so that there is no steady state.
    pub steady_from: Option<u32>,
    /// The price of a change.
    pub penalty: f64,
    /// Remarks on it.
    pub notes: Vec<Note>,
}

/// A stretch of iterations of one mean and variance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Segment {
    /// Its first iteration.
    pub first: u32,
    /// Its last iteration.
    pub last: u32,
    /// Mean of all its values, outliers included.
    pub mean: f64,
}

impl Label {
    /// The segments of the series that was labelled.
    pub fn segments(&self, values: &[f64]) -> Vec<Segment> {
        let mut first = 0;
        let mut segments = Vec::with_capacity(self.changepoints.len());
        for (index, &last) in self.changepoints.iter().enumerate() {
            // An outlier at the very end belongs to the last segment.
            let last = if index + 1 == self.changepoints.len() {
                u32::try_from(values.len()).unwrap_or(u32::MAX).saturating_sub(1).max(last)
            } else {
                last
            };
            let Some(part) = values.get(first as usize..=last as usize) else { break };
            segments.push(Segment { first, last, mean: part.iter().sum::<f64>() / part.len().max(1) as f64 });
            first = last + 1;
        }
        segments
    }
}

/// The class of a benchmark's processes together. Traini et al. 2023.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BenchmarkClass {
    /// All became steady.
    Steady,
    /// Some did.
    Inconsistent,
    /// No process became steady.
    NoSteadyState,
}

impl BenchmarkClass {
    /// The class, given whether each process became steady. `None` without processes.
    pub fn of(processes: impl IntoIterator<Item = bool>) -> Option<Self> {
        let (mut steady, mut others) = (0, 0);
        for is_steady in processes {
            if is_steady { steady += 1 } else { others += 1 }
        }
        match (steady, others) {
            (0, 0) => None,
            (_, 0) => Some(BenchmarkClass::Steady),
            (0, _) => Some(BenchmarkClass::NoSteadyState),
            _ => Some(BenchmarkClass::Inconsistent),
        }
    }

    /// The authors' word.
    pub fn word(self) -> &'static str {
        match self {
            BenchmarkClass::Steady => "steady state",
            BenchmarkClass::Inconsistent => "inconsistent",
            BenchmarkClass::NoSteadyState => "no steady state",
        }
    }
}

/// Why a series has no label.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum LabelError {
    /// Too few values for a steady state.
    #[error("label a series of {found} values: at least {least} are needed")]
    TooShort {
        /// The number of values.
        found: usize,
        /// The required number.
        least: usize,
    },
    /// A value is no time.
    #[error("label a series whose value {index} is {value}: times are positive numbers")]
    NoTime {
        /// Its place, from 0.
        index: usize,
        /// The value.
        value: f64,
    },
}

impl LabelError {
    /// Advice for the user.
    pub fn hint(&self) -> &'static str {
        match self {
            LabelError::TooShort { .. } => "measure more or shorter iterations",
            LabelError::NoTime { .. } => {
                "an operation that takes no measurable time needs more operations per iteration"
            }
        }
    }
}

/// Minimum number of values of a series. Change points among fewer mean little, and a sixth of them nothing.
const SHORTEST: usize = 60;

/// Labels one process, with one value per iteration in seconds per operation.
///
/// It removes outliers by sliding windows, uses PELT with the penalty at the knee of CROPS, and compares the
/// last segment with those before it, going backwards. 3000 values take between milliseconds and a tenth of a
/// second. A constant series is steady from the start. Series longer than [`LONGEST`](super::LONGEST) are
/// first averaged in groups.
pub fn label(values: &[f64], options: &LabelOptions) -> Result<Label, LabelError> {
    check(values)?;
    let thinned = Thinned::new(values);
    let series = &thinned.values;
    let mut notes = notes(values, &thinned, options);
    let skip = skipped(series, options.iteration_s);
    let rule = OutlierRule::TRAINI;
    if series.len() < skip + rule.window {
        notes.push(Note::NoOutlierWindow(rule.window));
    }
    let outliers = in_any_window(series, skip, rule);
    let kept = without(series.len(), &outliers);
    let filtered: Vec<f64> = kept.iter().map(|place| series[*place]).collect();
    let (penalty, ends) = changes(&filtered, options.zero_variance);
    let ends: Vec<usize> = ends.iter().map(|end| kept[end - 1]).collect();
    let last_change = steady_start(series, &ends, options);
    let is_steady = last_change + series.len().div_ceil(STEADY_SHARE) < series.len();
    // 0 is not a position but means "from the start".
    let last_change = if last_change == 0 { 0 } else { thinned.original(last_change) };
    Ok(Label {
        outliers: outliers.iter().map(|place| thinned.original(*place)).collect(),
        changepoints: ends.iter().map(|place| thinned.original(*place)).collect(),
        last_change,
        steady_from: is_steady.then_some(last_change),
        penalty,
        notes,
    })
}

/// The price of a change, and the ends of segments.
fn changes(values: &[f64], zero: ZeroVariance) -> (f64, Vec<usize>) {
    if values.windows(2).all(|pair| pair[0] == pair[1]) {
        // Nothing changes. Without variance a search would divide by rounding errors.
        return (USUAL_PENALTY * (values.len() as f64).ln(), vec![values.len()]);
    }
    let sums = Sums::new(values, zero);
    let mut costs = Costs::new(&sums);
    let penalty = knee_penalty(&mut costs, zero);
    (penalty, pelt(&mut costs, penalty).ends)
}

/// The ends of the segments of a series (one past their last value) for a given price of a change. The last
/// one is the length. Finite values only, and at least four of them for more than one segment. [`label`]
/// describes how to choose the price.
pub fn divide(values: &[f64], penalty: f64, zero: ZeroVariance) -> Vec<usize> {
    pelt(&mut Costs::new(&Sums::new(values, zero)), penalty).ends
}

/// The price of a change at the knee of all divisions. Finite values only. `None` for fewer than four.
pub fn penalty(values: &[f64], zero: ZeroVariance) -> Option<f64> {
    /// Two segments of two values.
    const LEAST: usize = 4;
    if values.len() < LEAST {
        return None;
    }
    Some(knee_penalty(&mut Costs::new(&Sums::new(values, zero)), zero))
}

fn check(values: &[f64]) -> Result<(), LabelError> {
    if let Some(index) = values.iter().position(|value| !(value.is_finite() && *value > 0.0)) {
        return Err(LabelError::NoTime { index, value: values[index] });
    }
    if values.len() < SHORTEST {
        return Err(LabelError::TooShort { found: values.len(), least: SHORTEST });
    }
    Ok(())
}

fn notes(values: &[f64], thinned: &Thinned<'_>, options: &LabelOptions) -> Vec<Note> {
    let slow = values.iter().filter(|value| **value > options.iteration_s).count();
    let mut notes = Vec::new();
    if thinned.group > 1 {
        notes.push(Note::Grouped(thinned.group));
    }
    if slow * 2 > values.len() {
        notes.push(Note::SlowerThanIteration(options.iteration_s));
    }
    if values.iter().all(|value| *value == values[0]) {
        notes.push(Note::Constant);
    }
    notes
}

/// The number of iterations at the beginning that are never outliers: ⌈200 / ln(1 + operations per
/// iteration)⌉. The faster an operation, the sooner its warm-up is over.
fn skipped(values: &[f64], iteration_s: f64) -> usize {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let operations = (iteration_s / mean).ceil();
    (OutlierRule::TRAINI.window as f64 / operations.ln_1p()).ceil() as usize
}

/// All positions except these, which are in ascending order.
pub(super) fn without(n: usize, outliers: &[usize]) -> Vec<usize> {
    let mut outliers = outliers.iter().peekable();
    (0..n).filter(|place| outliers.next_if(|outlier| *outlier == place).is_none()).collect()
}

/// The price of a change: at the knee, or the usual one if there is none.
///
/// At the exact penalty of a step two divisions cost the same, and rounding decides between them. This is how
/// it was published. Otherwise a penalty is used at which the step's division is clearly the cheapest.
fn knee_penalty(costs: &mut Costs<'_>, zero: ZeroVariance) -> f64 {
    let unit = (costs.len() as f64).ln();
    let steps = crops(costs, PENALTIES.0 * unit, PENALTIES.1 * unit);
    match (steps.as_slice(), knee(&steps)) {
        ([only], _) => only.penalty,
        (_, None) => USUAL_PENALTY * unit,
        (_, Some(place)) if zero == ZeroVariance::Published => steps[place].penalty,
        (_, Some(place)) => {
            let next = steps.get(place + 1).map_or(PENALTIES.1 * unit, |step| step.penalty);
            (steps[place].penalty * next).sqrt()
        }
    }
}

/// The last position of the last segment that differs from the one at the end. 0 if none does. `ends` are the
/// segments' last positions.
fn steady_start(values: &[f64], ends: &[usize], options: &LabelOptions) -> usize {
    let test = SegmentTest {
        effect: options.effect,
        confidence: 0.95,
        resampling: Resampling { resamples: options.resamples, seed: options.seed },
    };
    let changes = &ends[..ends.len().saturating_sub(1)];
    let Some(last_change) = changes.last() else { return 0 };
    let last = &values[last_change + 1..];
    for (index, change) in changes.iter().enumerate().rev() {
        let first = index.checked_sub(1).map_or(0, |before| changes[before] + 1);
        if test.differs(last, &values[first..=*change]) {
            return *change;
        }
    }
    0
}

#[cfg(test)]
mod tests;
