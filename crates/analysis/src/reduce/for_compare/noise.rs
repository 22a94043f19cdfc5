//! The variance of a benchmark by level.

use std::ops::RangeInclusive;

use benchwright_stats::dispersion::{median, quantile};
use benchwright_stats::known_spread::KnownSpread;
use benchwright_stats::nested_variance::{LevelVariance, robust_nested_variances};
use benchwright_stats::power::variance_factor;

use super::WORTH;
use crate::reduce::{Level, LevelSeries};

/// The variance of one level.
#[derive(Debug, Clone, PartialEq)]
pub struct Component {
    /// The level's name.
    pub level: String,
    /// Variance of logarithms added by this level, not negative. For the innermost level, that of a single
    /// value.
    pub variance: f64,
    /// Degrees of freedom: the repetitions from which it was estimated. 0 if nothing is repeated, so that the
    /// variance is unknown.
    pub degrees: usize,
}

impl Component {
    /// Its standard deviation. If small, it is a share of the value.
    pub fn deviation(&self) -> f64 {
        self.variance.sqrt()
    }
}

/// The noise of a benchmark by level, for logarithms, so that variances are relative.
#[derive(Debug, Clone, PartialEq)]
pub struct Noise {
    /// One per level, outermost first.
    pub components: Vec<Component>,
    /// Variance above the process: of instances and suite runs.
    pub above: f64,
    /// Variance between processes. If a place has only one each, that between places.
    pub between: f64,
    /// Variance between processes of one outermost place: that of all levels below it down to the process.
    /// Equal to `between` if the process is the outermost level itself.
    pub inside: f64,
    /// The repetitions from which `between` was estimated.
    pub degrees: usize,
    /// The largest number of iterations of a process that were recorded.
    pub recorded: u32,
    /// The share of outlier processes, which are so far from the others that the variances leave them out.
    /// Few processes show few of them, so fifty others with one outlier are added to the count.
    pub wild: f64,
    /// Variance of the median of this many iterations around the process' own level, by the number of
    /// iterations, in ascending order from 1.
    pub(super) within: Vec<(u32, f64)>,
}

/// The index of the level that is the process: `fork`, or else `iteration` above `second`, or else the
/// innermost.
pub fn process_level(levels: &[Level]) -> usize {
    let at = |name: &str| levels.iter().position(|level| level.name == name);
    match (at("fork"), at("iteration"), at("second")) {
        (Some(fork), ..) => fork,
        (None, Some(iteration), Some(second)) if iteration < second => iteration,
        _ => levels.len() - 1,
    }
}

/// Maximum number of blocks that are used, of a process and of all together. More add little information, and
/// the time is quadratic.
const BLOCKS: usize = 20;
const ALL_BLOCKS: usize = 1200;

impl Noise {
    /// The noise of values over levels, of which [`process_level`] is the process. `None` for a single
    /// process, however long.
    pub fn of(series: &LevelSeries) -> Option<Noise> {
        let processes = processes(series, process_level(series.levels()));
        let recorded = processes.iter().map(|process| process.logs.len()).max()?;
        let split = |size: usize| of_blocks(&processes, size);
        let mut within: Vec<(u32, f64)> = Vec::new();
        let mut outer = split(1)?;
        let single = outer.clone();
        for size in sizes(recorded) {
            let Some(levels) = split(size) else { break };
            let innermost = levels.last()?;
            if innermost.degrees == 0 {
                break;
            }
            // A median of more values is not less certain. Estimates may say otherwise by chance.
            let least = within.last().map_or(f64::INFINITY, |last| last.1);
            within.push((size as u32, innermost.variance.min(least)));
            outer = levels;
        }
        // If processes are not repeated, the levels above are the only information on how they differ.
        let unit = outer[..outer.len() - 1].iter().rposition(|level| level.degrees > 0)?;
        Some(Noise {
            components: components(series.levels(), &outer, &single),
            above: outer[..unit].iter().map(|level| level.variance).sum(),
            between: outer[unit].variance,
            inside: inside(&outer),
            degrees: outer[unit].degrees,
            recorded: recorded as u32,
            wild: wild(&processes, &outer, unit),
            within,
        })
    }

    /// The noise in comparisons, with each of these numbers of iterations per trial. The value of a trial is
    /// the median of its iterations or, for short iterations of native code (`are_slices`), the value a tenth
    /// of the way from the fast end if that spreads less.
    pub fn of_trials(
        series: &LevelSeries,
        iterations: RangeInclusive<u32>,
        are_slices: bool,
    ) -> Option<Noise> {
        let fast = |values: &[f64]| quantile(values, FAST);
        let by =
            |estimate: &dyn Fn(&[f64]) -> Option<f64>| of_estimates(series, iterations.clone(), estimate);
        let middle = by(&median);
        let all = [middle, are_slices.then(|| by(&fast)).flatten()].into_iter().flatten();
        all.min_by(|one, other| one.between.total_cmp(&other.between))
    }

    /// Variance of the median of this many iterations around the process' own level.
    ///
    /// It was measured on blocks of successive iterations, so it holds however the iterations depend on each
    /// other. Between the measured sizes and beyond them, it falls as if additional iterations were
    /// independent. 0 if processes have one value: then the variance within processes cannot be distinguished
    /// from that between them.
    pub fn within(&self, iterations: u32) -> f64 {
        let next = self.within.iter().find(|(size, _)| *size > iterations);
        let last = self.within.iter().rev().find(|(size, _)| *size <= iterations);
        let Some((size, variance)) = last else { return next.map_or(0.0, |(_, variance)| *variance) };
        let fallen = variance * f64::from(*size) / f64::from(iterations.max(1));
        fallen.max(next.map_or(0.0, |(_, variance)| *variance))
    }

    /// Variance of the value of a process with this many iterations, among processes that ran in one place at
    /// one time.
    pub fn of_process(&self, iterations: u32) -> f64 {
        self.between + self.within(iterations)
    }

    /// The same noise for at most `most` iterations per process that are `ratio` times as short as the
    /// recorded ones. Shorter iterations were not measured; the parts of an iteration are assumed to be
    /// independent.
    pub fn for_iterations(&self, ratio: f64, most: u32) -> Noise {
        let single = self.within(1) * ratio;
        let within = (1..=most.max(1)).map(|count| (count, single / f64::from(count))).collect();
        Noise { recorded: most.max(1), within, ..self.clone() }
    }

    /// The known spread of processes with this many iterations in one place.
    pub fn known(&self, iterations: u32) -> KnownSpread {
        let variance = (self.inside + self.within(iterations)).max(LEAST_VARIANCE);
        KnownSpread { variance, degrees: WORTH }
    }

    /// Possible noises of the next measurement, all equally likely: an earlier measurement counts as
    /// [`WORTH`] degrees of freedom.
    pub(super) fn possible(&self) -> impl Iterator<Item = Noise> + '_ {
        const QUANTILES: u32 = 7;
        (0..QUANTILES).filter_map(|step| {
            let share = (f64::from(step) + 0.5) / f64::from(QUANTILES);
            let factor = variance_factor(WORTH as usize, share)?;
            let within = self.within.iter().map(|(size, variance)| (*size, factor * variance)).collect();
            let scaled = |variance: f64| factor * variance;
            let (above, between, inside) = (scaled(self.above), scaled(self.between), scaled(self.inside));
            Some(Noise { above, between, inside, within, ..self.clone() })
        })
    }

    /// The same noise with a larger variance between processes, which is exceeded only with probability 1 -
    /// `confidence`.
    pub(super) fn cautious(&self, confidence: f64) -> Noise {
        let factor = variance_factor(self.degrees, confidence).unwrap_or(1.0).max(1.0);
        // The estimate is that of the sum; the part within processes is known well.
        let within = self.within(self.recorded);
        let between = ((self.between + within) * factor - within).max(self.between);
        Noise { between, ..self.clone() }
    }
}

/// The smallest variance that is assumed. Clocks and printed digits have a limited resolution, even if no
/// value differs.
pub(super) const LEAST_VARIANCE: f64 = 1e-8;

/// Position of the value of a trial of short iterations, counted from their fast end.
const FAST: f64 = 0.1;

/// Noise of the values that `estimate` computes from the first iterations of each process, for each of the
/// numbers in `iterations`.
fn of_estimates(
    series: &LevelSeries,
    iterations: RangeInclusive<u32>,
    estimate: &dyn Fn(&[f64]) -> Option<f64>,
) -> Option<Noise> {
    let most = *iterations.end();
    let of = |count: u32| Noise::of(&series.estimated(count as usize, estimate)?);
    let whole = of(most)?;
    let mut within: Vec<(u32, f64)> = Vec::new();
    for (count, noise) in iterations.filter_map(|count| Some((count, of(count)?))) {
        // More iterations are not less certain. Estimates may say otherwise by chance.
        let least = within.last().map_or(f64::INFINITY, |last| last.1);
        within.push((count, (noise.between - whole.between).max(0.0).min(least)));
    }
    Some(Noise { recorded: most, within, ..whole })
}

fn inside(outer: &[LevelVariance]) -> f64 {
    // The last level is the block of iterations.
    let levels = &outer[..outer.len() - 1];
    let below = levels.get(1..).filter(|below| !below.is_empty()).unwrap_or(levels);
    below.iter().map(|level| level.variance).sum()
}

/// One process: its position on the levels above its values, and the logarithms of the values in order.
struct Process {
    place: Vec<u32>,
    logs: Vec<f64>,
}

fn processes(series: &LevelSeries, level: usize) -> Vec<Process> {
    let mut found: Vec<Process> = Vec::new();
    for (position, value) in series.points() {
        let place = &position[..=level];
        match found.last_mut() {
            Some(last) if last.place == place => last.logs.push(value.ln()),
            _ => found.push(Process { place: place.to_vec(), logs: vec![value.ln()] }),
        }
    }
    found
}

/// The share of processes whose median is more than [`WILD`] deviations from those of their neighbours, with
/// one in fifty added.
fn wild(processes: &[Process], levels: &[LevelVariance], unit: usize) -> f64 {
    let deviation = levels[unit..].iter().map(|level| level.variance).sum::<f64>().sqrt();
    let mut wild = 0;
    for beside in processes.chunk_by(|left, right| left.place[..unit] == right.place[..unit]) {
        let medians: Vec<f64> = beside.iter().filter_map(|process| median(&process.logs)).collect();
        let Some(centre) = median(&medians) else { continue };
        wild += medians.iter().filter(|value| (*value - centre).abs() > WILD * deviation).count();
    }
    (wild as f64 + 1.0) / (processes.len() as f64 + 50.0)
}

/// A process that is this many deviations away is an outlier: one in sixteen thousand of normal ones.
const WILD: f64 = 4.0;

/// Numbers of iterations for which the variance within processes is estimated: up to half of the recorded
/// ones, so that a process has two blocks.
fn sizes(recorded: usize) -> impl Iterator<Item = usize> {
    let all = [1, 2, 3, 5, 8, 12, 20, 30, 50, 80, 120, 200, 300, 500, 1000];
    all.into_iter().take_while(move |size| 2 * size <= recorded.max(2))
}

/// Variances by level. The innermost two are the process, and the block of this many iterations within it.
fn of_blocks(processes: &[Process], size: usize) -> Option<Vec<LevelVariance>> {
    let (mut places, mut values) = (Vec::new(), Vec::new());
    let step = (2 * processes.len()).div_ceil(ALL_BLOCKS);
    let most = (ALL_BLOCKS * step / processes.len().max(1)).min(BLOCKS);
    for process in processes.iter().step_by(step) {
        let blocks: Vec<&[f64]> = process.logs.chunks_exact(size).collect();
        let kept = blocks.len().min(most);
        for at in 0..kept {
            let mut place = process.place.clone();
            place.push(at as u32);
            places.push(place);
            values.push(median(blocks[at * blocks.len() / kept])?);
        }
    }
    // There are few instances and suite runs, and many processes.
    let few = processes.first()?.place.len() - 1;
    robust_nested_variances(&places, &values, few)
}

/// The variances of the levels: down to the process from the longest blocks, and those of values from single
/// values. Levels between the process and the value, if there are any, are added to that of values.
fn components(levels: &[Level], outer: &[LevelVariance], single: &[LevelVariance]) -> Vec<Component> {
    let process = outer.len() - 2;
    let component = |level: &Level, found: &LevelVariance| Component {
        level: level.name.clone(),
        variance: found.variance,
        degrees: found.degrees,
    };
    let mut all: Vec<Component> =
        levels.iter().zip(&outer[..=process]).map(|(level, found)| component(level, found)).collect();
    if let (Some(innermost), Some(found)) =
        (levels.get(process + 1..).and_then(<[Level]>::last), single.last())
    {
        all.push(component(innermost, found));
    }
    all
}
