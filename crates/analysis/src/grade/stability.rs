//! How much the result of a benchmark differs between repeated runs of its suite, and why.

use benchwright_stats::dispersion::{Divisor, coefficient_of_variation, mean, median};
use benchwright_stats::power::smallest_shift;
use benchwright_stats::rank::mann_kendall;

use crate::reduce::LevelSeries;

/// Upper bounds of the classes of spread, and their names; a larger spread is in the last class (Laaber and Leitner 2018, table 3).
pub const CLASSES: [(f64, &str); 5] = [
    (0.05, "below 5 %"),
    (0.1, "5 to 10 %"),
    (0.25, "10 to 25 %"),
    (0.5, "25 to 50 %"),
    (f64::INFINITY, "above 50 %"),
];

/// The values of one benchmark: runs of the suite, processes in each, values in each.
#[derive(Debug, Clone, PartialEq)]
pub struct Runs(Vec<Vec<Vec<f64>>>);

/// The level of a series that is one run of the suite.
const SUITE_RUN: &str = "suite run";

impl Runs {
    /// Those of a series: its suite runs; the processes of a series that has no suite runs are taken for runs.
    pub fn of(series: &LevelSeries) -> Runs {
        let levels = series.levels();
        let is_run = |name: &str| levels.iter().any(|level| level.name == name);
        let level = match is_run(SUITE_RUN) {
            true => levels.iter().position(|level| level.name == SUITE_RUN),
            false => levels.len().checked_sub(2),
        };
        let outer = levels.len() - 1;
        let mut runs: Vec<(u32, Vec<Vec<f64>>)> = Vec::new();
        let processes = series.points().chunk_by(|left, right| left.0[..outer] == right.0[..outer]);
        for process in processes {
            let values: Vec<f64> = process.iter().map(|(_, value)| *value).collect();
            let run =
                level.and_then(|level| process.first().map(|(position, _)| position[level])).unwrap_or(1);
            match runs.iter_mut().find(|(known, _)| *known == run) {
                Some((_, processes)) => processes.push(values),
                None => runs.push((run, vec![values])),
            }
        }
        runs.sort_by_key(|(run, _)| *run);
        Runs(runs.into_iter().map(|(_, processes)| processes).collect())
    }

    /// How many runs have values.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    fn values(&self) -> impl Iterator<Item = f64> + '_ {
        self.0.iter().flatten().flatten().copied()
    }

    fn processes(&self) -> impl Iterator<Item = &Vec<f64>> {
        self.0.iter().flatten().filter(|values| !values.is_empty())
    }

    /// The mean of each run.
    fn means(&self) -> Vec<f64> {
        self.0.iter().filter_map(|run| mean(&run.concat())).collect()
    }
}

/// The largest difference between the means of two runs, relative to the mean of all values (equation 1 of the paper). None below two runs.
pub fn max_spread(runs: &Runs) -> Option<f64> {
    let means = runs.means();
    let overall = mean(&runs.values().collect::<Vec<_>>()).filter(|mean| *mean > 0.0)?;
    let (least, most) =
        means.iter().fold((f64::INFINITY, 0.0_f64), |(low, high), m| (low.min(*m), high.max(*m)));
    (means.len() > 1).then(|| (most - least) / overall)
}

/// How stable a benchmark is.
#[derive(Debug, Clone, PartialEq)]
pub struct Stability {
    /// Its mean, in the unit of its values.
    pub mean: f64,
    /// The largest difference between runs, relative to the mean.
    pub max_spread: f64,
    /// How much values vary within a run: the median of the coefficients of variation. None where runs have one value.
    pub within: Option<f64>,
    /// How much the means of runs vary: their coefficient of variation.
    pub between: f64,
    /// The smallest change that so many duets show; none if they are too few.
    pub smallest_change: Option<f64>,
    /// Why it is unstable, if it is and the values tell.
    pub cause: Option<Cause>,
}

/// The likely reason for a spread.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cause {
    /// Values are multiples of a step of the clock, or were printed with few digits: the step relative to the median.
    Resolution(f64),
    /// Processes become slower (or faster, below zero) from run to run: the change from the first to the last run.
    Drift(f64),
    /// The first value of a process differs from the later ones by so much.
    WarmUp(f64),
    /// Processes take one of two times, the second larger by so much.
    TwoModes(f64),
    /// It allocates so many bytes per operation, so the garbage collector takes part.
    Allocation(f64),
}

/// Below this spread nothing has to be explained.
pub const UNSTABLE: f64 = CLASSES[0].0;

/// Looks at the runs of a benchmark: `duets` are those that a comparison can afford, `allocated` the bytes per operation if known.
/// None below two runs.
pub fn stability(runs: &Runs, duets: f64, allocated: Option<f64>) -> Option<Stability> {
    let max_spread = max_spread(runs)?;
    let means = runs.means();
    let within: Vec<f64> =
        runs.0.iter().filter_map(|run| coefficient_of_variation(&run.concat(), Divisor::Sample)).collect();
    let cause = (max_spread >= UNSTABLE).then(|| cause(runs, max_spread, allocated)).flatten();
    Some(Stability {
        mean: mean(&runs.values().collect::<Vec<_>>())?,
        max_spread,
        within: median(&within),
        between: coefficient_of_variation(&means, Divisor::Sample)?,
        smallest_change: duet_spread(runs).and_then(|spread| smallest_change(spread, duets)),
        cause,
    })
}

/// The spread of duets that processes of this benchmark would make: the standard deviation of the log-ratio of neighbours.
fn duet_spread(runs: &Runs) -> Option<f64> {
    let logs: Vec<f64> = runs.processes().filter_map(|values| median(values)).map(f64::ln).collect();
    let squares: Vec<f64> = logs.windows(2).map(|pair| (pair[1] - pair[0]).powi(2)).collect();
    mean(&squares).map(f64::sqrt)
}

/// The change that a t test at 1 % over so many duets finds four times in five, as a share; none below three duets.
pub fn smallest_change(spread: f64, duets: f64) -> Option<f64> {
    const LEVEL: f64 = 0.01;
    const POWER: f64 = 0.8;
    let n = duets as usize;
    if n < 3 {
        return None;
    }
    smallest_shift(spread, n, LEVEL, POWER).map(f64::exp_m1)
}

fn cause(runs: &Runs, max_spread: f64, allocated: Option<f64>) -> Option<Cause> {
    resolution(runs)
        .filter(|step| *step >= max_spread / 4.0)
        .map(Cause::Resolution)
        .or_else(|| warm_up(runs).filter(|change| change.abs() >= max_spread / 2.0).map(Cause::WarmUp))
        .or_else(|| two_modes(runs).filter(|change| *change >= max_spread / 2.0).map(Cause::TwoModes))
        .or_else(|| drift(runs).map(Cause::Drift))
        .or_else(|| allocated.filter(|bytes| *bytes > 0.0).map(Cause::Allocation))
}

/// The step of which all values are multiples, relative to their median, if there is one that matters.
fn resolution(runs: &Runs) -> Option<f64> {
    const FEWEST: usize = 8;
    let mut values: Vec<f64> = runs.values().collect();
    values.sort_by(f64::total_cmp);
    let whole = values.len();
    let middle = median(&values)?;
    values.dedup();
    let step = values.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min);
    let is_multiple = |value: &f64| {
        let steps = value / step;
        (steps - steps.round()).abs() < 0.01
    };
    let is_coarse = whole >= FEWEST && values.len() > 1 && values.len() * 2 <= whole;
    (is_coarse && values.iter().all(is_multiple)).then(|| step / middle)
}

/// How much larger the first value of processes is than their later values, if it is so in most processes.
fn warm_up(runs: &Runs) -> Option<f64> {
    const FEWEST: usize = 4;
    const MOST: f64 = 2.0 / 3.0;
    let changes: Vec<f64> = runs
        .processes()
        .filter(|values| values.len() >= FEWEST)
        .filter_map(|values| Some(values[0] / median(&values[1..])? - 1.0))
        .collect();
    let typical = median(&changes)?;
    let alike = changes.iter().filter(|change| change.signum() == typical.signum()).count();
    let all = runs.processes().count();
    (alike as f64 >= MOST * all as f64).then_some(typical)
}

/// How far apart two groups of processes are, if there are two: the largest gap is wider than both groups together, and each has a fifth.
fn two_modes(runs: &Runs) -> Option<f64> {
    const FEWEST: usize = 5;
    let mut values: Vec<f64> = runs.processes().filter_map(|values| median(values)).collect();
    values.sort_by(f64::total_cmp);
    let n = values.len();
    if n < FEWEST {
        return None;
    }
    let (at, gap) = values
        .windows(2)
        .map(|pair| pair[1] - pair[0])
        .enumerate()
        .max_by(|left, right| left.1.total_cmp(&right.1))?;
    let (low, high) = values.split_at(at + 1);
    let width = |group: &[f64]| group[group.len() - 1] - group[0];
    let is_group = |group: &[f64]| group.len() > 1 && group.len() * 5 >= n;
    let is_split = is_group(low) && is_group(high) && gap > 2.0 * (width(low) + width(high));
    is_split.then(|| Some(median(high)? / median(low)? - 1.0)).flatten()
}

/// The change from the first to the last run if processes follow a trend.
fn drift(runs: &Runs) -> Option<f64> {
    const LEVEL: f64 = 0.01;
    let values: Vec<f64> = runs.processes().filter_map(|values| median(values)).collect();
    let means = runs.means();
    let (first, last) = (means.first()?, means.last()?);
    mann_kendall(&values).filter(|trend| trend.p < LEVEL).map(|_| last / first - 1.0)
}

/// Spreads of a whole suite.
#[derive(Debug, Clone, PartialEq)]
pub struct SuiteStability {
    /// How many benchmarks are in each class of [`CLASSES`].
    pub classes: [usize; CLASSES.len()],
    /// The largest spread without the worst twentieth of the benchmarks.
    pub spread_95: f64,
}

impl SuiteStability {
    /// From the spreads of its benchmarks; none without any.
    pub fn of(spreads: &[f64]) -> Option<SuiteStability> {
        let mut sorted = spreads.to_vec();
        sorted.sort_by(f64::total_cmp);
        let mut classes = [0; CLASSES.len()];
        for spread in &sorted {
            if let Some(class) = CLASSES.iter().position(|(bound, _)| spread < bound) {
                classes[class] += 1;
            }
        }
        Some(SuiteStability { classes, spread_95: without_worst(&sorted)? })
    }

    /// The slowdown that nineteen of twenty benchmarks could show: twice [`SuiteStability::spread_95`].
    pub fn slowdown(&self) -> f64 {
        2.0 * self.spread_95
    }
}

/// The largest of the lowest ⌊0.95 n⌋ values, of one value that one.
fn without_worst(sorted: &[f64]) -> Option<f64> {
    let kept = (0.95 * sorted.len() as f64).floor() as usize;
    sorted.get(kept.max(1) - 1).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(of: &[&[&[f64]]]) -> Runs {
        Runs(of.iter().map(|run| run.iter().map(|values| values.to_vec()).collect()).collect())
    }

    #[test]
    fn the_spread_is_that_of_the_paper() {
        // Means 10, 12, 11 over equally many values: (12 - 10) / 11.
        let three = runs(&[&[&[9.0, 11.0]], &[&[12.0, 12.0]], &[&[10.0], &[12.0]]]);
        assert!((max_spread(&three).unwrap() - 2.0 / 11.0).abs() < 1e-12);
        assert_eq!(max_spread(&runs(&[&[&[1.0, 2.0]]])), None, "one run has no spread between runs");
        assert_eq!(max_spread(&runs(&[&[&[3.0]], &[&[3.0]]])), Some(0.0));
    }

    #[test]
    fn suite_runs_are_runs_and_forks_are_where_there_are_none() {
        let points =
            vec![(vec![1, 1, 1], 1.0), (vec![1, 2, 1], 2.0), (vec![2, 1, 1], 3.0), (vec![2, 2, 1], 4.0)];
        let suite =
            LevelSeries::new(&[("suite run", false), ("iteration", false), ("second", false)], points)
                .unwrap();
        assert_eq!(Runs::of(&suite), runs(&[&[&[1.0], &[2.0]], &[&[3.0], &[4.0]]]));
        let points = vec![(vec![1, 1, 1], 1.0), (vec![1, 1, 2], 2.0), (vec![1, 2, 1], 3.0)];
        let forks =
            LevelSeries::new(&[("instance", true), ("fork", false), ("iteration", false)], points).unwrap();
        assert_eq!(Runs::of(&forks), runs(&[&[&[1.0, 2.0]], &[&[3.0]]]));
    }

    #[test]
    fn the_slowdown_leaves_the_worst_twentieth_out() {
        let spreads: Vec<f64> = (1..=40).map(|n| f64::from(n) / 100.0).collect();
        let suite = SuiteStability::of(&spreads).unwrap();
        assert_eq!(suite.spread_95, 0.38);
        assert_eq!(suite.classes, [4, 5, 15, 16, 0]);
        assert_eq!(SuiteStability::of(&[0.7]).unwrap().spread_95, 0.7);
        assert_eq!(SuiteStability::of(&[]), None);
    }

    #[test]
    fn causes_are_told_apart() {
        let check = |of: &Runs, expected: fn(Cause) -> bool| {
            let found = stability(of, 10.0, None).unwrap();
            assert!(found.cause.is_some_and(expected), "{found:?}");
        };
        let steady = |level: f64| vec![level, level * 1.001, level * 0.999, level * 1.002];
        let of_levels = |levels: &[f64]| Runs(levels.iter().map(|level| vec![steady(*level)]).collect());
        check(
            &of_levels(&[10.0, 13.0, 10.1, 13.1, 10.05, 13.05]),
            |it| matches!(it, Cause::TwoModes(by) if (by - 0.3).abs() < 0.01),
        );
        check(
            &of_levels(&[10.0, 10.4, 10.9, 11.5, 12.0, 12.8, 13.1]),
            |it| matches!(it, Cause::Drift(by) if by > 0.3),
        );
        let warming = |first: f64| vec![first, 10.0, 10.01, 9.99];
        let warm = Runs([15.0, 30.0, 17.0, 25.0, 16.0].map(|first| vec![warming(first)]).to_vec());
        check(&warm, |it| matches!(it, Cause::WarmUp(by) if (by - 0.7).abs() < 0.02));
        let ticks = Runs(
            [[3.0, 4.0, 3.0], [4.0, 4.0, 4.0], [3.0, 3.0, 3.0]].map(|values| vec![values.to_vec()]).to_vec(),
        );
        check(&ticks, |it| matches!(it, Cause::Resolution(by) if (by - 1.0 / 3.0).abs() < 0.01));
        let noisy = of_levels(&[10.0, 11.0, 10.4, 10.7, 10.2]);
        assert_eq!(stability(&noisy, 10.0, None).unwrap().cause, None);
        assert_eq!(stability(&noisy, 10.0, Some(64.0)).unwrap().cause, Some(Cause::Allocation(64.0)));
        assert_eq!(
            stability(&of_levels(&[10.0, 10.1]), 10.0, Some(64.0)).unwrap().cause,
            None,
            "it is stable"
        );
    }

    #[test]
    fn more_duets_show_smaller_changes() {
        let ten = smallest_change(0.01, 10.0).unwrap();
        assert!((0.012..0.014).contains(&ten), "{ten}");
        assert!(smallest_change(0.01, 40.0).unwrap() < ten / 2.0);
        assert_eq!(smallest_change(0.01, 2.9), None);
    }
}
