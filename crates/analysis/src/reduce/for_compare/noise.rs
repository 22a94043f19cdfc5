//! Where the variance of a benchmark lies.

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
    /// Variance of logarithms that it adds, not negative; of the innermost level, that of a single value.
    pub variance: f64,
    /// Repetitions that say something about it; 0 where nothing is repeated, so that its variance is unknown.
    pub degrees: usize,
}

impl Component {
    /// Its standard deviation: for small ones, a share of the value.
    pub fn deviation(&self) -> f64 {
        self.variance.sqrt()
    }
}

/// The noise of a benchmark by level, on the scale of logarithms, where variances are relative.
#[derive(Debug, Clone, PartialEq)]
pub struct Noise {
    /// One per level, outermost first.
    pub components: Vec<Component>,
    /// Variance above the process: of instances and suite runs.
    pub above: f64,
    /// Variance between processes; where a place has only one each, that of places.
    pub between: f64,
    /// Variance between processes of one outermost place: that of all levels below it down to the process. `between` where the process is the
    /// outermost level itself.
    pub inside: f64,
    /// Repetitions that say something about `between`.
    pub degrees: usize,
    /// The most iterations of a process that were recorded.
    pub recorded: u32,
    /// The share of outlier processes, so far from the others that the variances leave them out. Few processes show few of them, so
    /// that it is taken as if fifty others had been seen before, of which one was an outlier.
    pub wild: f64,
    /// Variance of the median of so many iterations around the process' own level, by their number, which ascends from 1.
    pub(super) within: Vec<(u32, f64)>,
}

/// Which level is the process: `fork`, else `iteration` above `second`, else the innermost.
pub fn process_level(levels: &[Level]) -> usize {
    let at = |name: &str| levels.iter().position(|level| level.name == name);
    match (at("fork"), at("iteration"), at("second")) {
        (Some(fork), ..) => fork,
        (None, Some(iteration), Some(second)) if iteration < second => iteration,
        _ => levels.len() - 1,
    }
}

/// Blocks of a process that are looked at, and of all together; more say little more and cost time, which is quadratic.
const BLOCKS: usize = 20;
const ALL_BLOCKS: usize = 1200;

impl Noise {
    /// Of values over levels, of which [`process_level`] is the process; none of a single process, however long.
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
            // A median of more values is not more uncertain; estimates may say so by chance.
            let least = within.last().map_or(f64::INFINITY, |last| last.1);
            within.push((size as u32, innermost.variance.min(least)));
            outer = levels;
        }
        // Where processes are not repeated, what lies above them is all that is known about how they differ.
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

    /// Noise as comparisons see it, of trials with each of these numbers of iterations. A trial gives one value: the median of its
    /// iterations or, of short ones of native code (`are_slices`), the one a tenth of the way from the fast end, where that spreads less.
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

    /// Variance of the median of so many iterations around the process' own level.
    ///
    /// It was measured on blocks of neighbouring iterations, so that it holds whatever the iterations have to do with each
    /// other; between the sizes that were measured, and beyond, it falls as if more iterations were independent. 0 where
    /// processes have one value: what lies within cannot be distinguished from what lies between.
    pub fn within(&self, iterations: u32) -> f64 {
        let next = self.within.iter().find(|(size, _)| *size > iterations);
        let last = self.within.iter().rev().find(|(size, _)| *size <= iterations);
        let Some((size, variance)) = last else { return next.map_or(0.0, |(_, variance)| *variance) };
        let fallen = variance * f64::from(*size) / f64::from(iterations.max(1));
        fallen.max(next.map_or(0.0, |(_, variance)| *variance))
    }

    /// Variance of the value of a process with so many iterations, among processes that ran in one place at one time.
    pub fn of_process(&self, iterations: u32) -> f64 {
        self.between + self.within(iterations)
    }

    /// The same noise for at most `most` iterations per process that are `ratio` times as short as the recorded ones. What a shorter
    /// iteration does was not measured: it is taken as if the parts of an iteration were independent.
    pub fn for_iterations(&self, ratio: f64, most: u32) -> Noise {
        let single = self.within(1) * ratio;
        let within = (1..=most.max(1)).map(|count| (count, single / f64::from(count))).collect();
        Noise { recorded: most.max(1), within, ..self.clone() }
    }

    /// What is known about the values of processes with so many iterations in one place.
    pub fn known(&self, iterations: u32) -> KnownSpread {
        let variance = (self.inside + self.within(iterations)).max(LEAST_VARIANCE);
        KnownSpread { variance, degrees: WORTH }
    }

    /// Noises that may be met next time, equally likely: an earlier measurement is worth [`WORTH`] degrees of freedom.
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

    /// The same noise with the variance between processes raised to what it exceeds only with probability 1 - `confidence`.
    pub(super) fn cautious(&self, confidence: f64) -> Noise {
        let factor = variance_factor(self.degrees, confidence).unwrap_or(1.0).max(1.0);
        // The estimate is that of the sum; what lies within is known well.
        let within = self.within(self.recorded);
        let between = ((self.between + within) * factor - within).max(self.between);
        Noise { between, ..self.clone() }
    }
}

/// The smallest variance that is believed: clocks and printed digits have one, even where no value differs.
pub(super) const LEAST_VARIANCE: f64 = 1e-8;

/// Where the value of a trial of short iterations lies, from their fast end.
const FAST: f64 = 0.1;

/// Noise of the values that `estimate` gives for the first iterations of each process, so many of them as `iterations` says.
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
        // More iterations are not more uncertain; estimates may say so by chance.
        let least = within.last().map_or(f64::INFINITY, |last| last.1);
        within.push((count, (noise.between - whole.between).max(0.0).min(least)));
    }
    Some(Noise { recorded: most, within, ..whole })
}

fn inside(outer: &[LevelVariance]) -> f64 {
    // The last is the block of iterations.
    let levels = &outer[..outer.len() - 1];
    let below = levels.get(1..).filter(|below| !below.is_empty()).unwrap_or(levels);
    below.iter().map(|level| level.variance).sum()
}

/// One process: its place on the levels above its values, and their logarithms in order.
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

/// The share of processes whose median lies more than [`WILD`] deviations from those beside it, with one of fifty added.
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

/// From this many deviations on, a process is an outlier: one in sixteen thousand of normal ones.
const WILD: f64 = 4.0;

/// Numbers of iterations at which the variance within processes is looked at: up to half of what was recorded, so that a process
/// has two blocks.
fn sizes(recorded: usize) -> impl Iterator<Item = usize> {
    let all = [1, 2, 3, 5, 8, 12, 20, 30, 50, 80, 120, 200, 300, 500, 1000];
    all.into_iter().take_while(move |size| 2 * size <= recorded.max(2))
}

/// Variances by level, the process and the block of so many iterations within it being the innermost two.
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
    // Instances and suite runs are few; processes are not.
    let few = processes.first()?.place.len() - 1;
    robust_nested_variances(&places, &values, few)
}

/// The levels' variances: down to the process from the longest blocks, the values' own from single ones. Levels between the process
/// and the value, if there are any, count with the values.
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
