//! Which slowdowns a suite finds, and the API benchmarking score (Laaber and Leitner 2018, section 6).

use benchwright_stats::Alternative;
use benchwright_stats::dispersion::mean;
use benchwright_stats::rank::mann_whitney;

/// What is known of a benchmark and a function that was slowed down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cell {
    /// The benchmark does not call the function.
    Unreached,
    /// It calls the function, and nothing could be decided: it failed, or there was no time.
    Unknown,
    /// It calls the function and did not become slower by enough.
    Missed,
    /// It became slower.
    Seen,
}

/// Functions by benchmarks.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Matrix {
    /// One row per function, one cell per benchmark.
    pub rows: Vec<Vec<Cell>>,
}

impl Matrix {
    /// Whether a benchmark for which `counts` holds sees the function.
    pub fn is_covered(&self, function: usize, counts: impl Fn(usize) -> bool) -> bool {
        self.rows[function].iter().enumerate().any(|(at, cell)| *cell == Cell::Seen && counts(at))
    }

    /// Whether it is known if the function is covered: some benchmark sees it, or all that call it were decided.
    pub fn is_decided(&self, function: usize) -> bool {
        self.is_covered(function, |_| true) || !self.rows[function].contains(&Cell::Unknown)
    }

    /// The share of functions that are covered by the benchmarks for which `counts` holds, among those of which it is known. None
    /// without any.
    pub fn score(&self, counts: impl Fn(usize) -> bool) -> Option<f64> {
        let decided: Vec<usize> =
            (0..self.rows.len()).filter(|function| self.is_decided(*function)).collect();
        let covered = decided.iter().filter(|function| self.is_covered(**function, &counts)).count();
        (!decided.is_empty()).then(|| covered as f64 / decided.len() as f64)
    }
}

/// The three scores of the paper.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scores {
    /// Over all benchmarks.
    pub total: f64,
    /// Without the twentieth of the benchmarks with the largest spread.
    pub relative: f64,
    /// Without benchmarks with a spread above one half.
    pub absolute: f64,
}

/// The scores of a suite with these spreads; a benchmark of unknown spread counts for the total alone.
pub fn scores(matrix: &Matrix, spreads: &[Option<f64>]) -> Option<Scores> {
    const LARGEST: f64 = 0.5;
    let mut known: Vec<f64> = spreads.iter().flatten().copied().collect();
    known.sort_by(f64::total_cmp);
    let kept = (0.95 * known.len() as f64).floor() as usize;
    let bound = known.get(kept.max(1) - 1).copied().unwrap_or(0.0);
    let within =
        |bound: f64| move |at: usize| spreads.get(at).copied().flatten().is_some_and(|it| it <= bound);
    Some(Scores {
        total: matrix.score(|_| true)?,
        relative: matrix.score(within(bound))?,
        absolute: matrix.score(within(LARGEST))?,
    })
}

/// Whether a benchmark finds a slowdown as the paper defines it: in each run its values differ at 1 % by Wilcoxon's rank-sum test, and
/// their means by at least half the slowdown. `runs` are pairs of values without and with the slowdown.
pub fn finds(runs: &[(Vec<f64>, Vec<f64>)], slowdown: f64) -> bool {
    const LEVEL: f64 = 0.01;
    let in_run = |(before, after): &(Vec<f64>, Vec<f64>)| {
        let test = mann_whitney(before, after, Alternative::TwoSided)?;
        let change = (mean(after)? - mean(before)?) / mean(before)?;
        Some(test.p < LEVEL && change >= slowdown / 2.0)
    };
    !runs.is_empty() && runs.iter().all(|run| in_run(run).unwrap_or(false))
}

/// Divides functions into groups that can be slowed down at the same time, since no benchmark calls two functions of a group:
/// `reached` has the benchmarks of each function. Functions with many benchmarks come first, so that there are few groups.
pub fn groups(reached: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> =
        (0..reached.len()).filter(|function| !reached[*function].is_empty()).collect();
    order.sort_by_key(|function| (std::cmp::Reverse(reached[*function].len()), *function));
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for function in order {
        let is_apart = |group: &&mut Vec<usize>| {
            group
                .iter()
                .all(|other| reached[*other].iter().all(|benchmark| !reached[function].contains(benchmark)))
        };
        match groups.iter_mut().find(is_apart) {
            Some(group) => group.push(function),
            None => groups.push(vec![function]),
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use Cell::{Missed, Seen, Unknown, Unreached};

    #[test]
    fn the_scores_leave_unstable_benchmarks_out() {
        let rows = vec![
            vec![Seen, Unreached, Missed],
            vec![Missed, Seen, Unreached],
            vec![Unreached, Unknown, Seen],
            vec![Missed, Missed, Missed],
        ];
        let matrix = Matrix { rows };
        let found = scores(&matrix, &[Some(0.02), Some(0.7), Some(0.4)]).unwrap();
        // Three benchmarks: the lowest floor(2.85) are kept, and the worst goes.
        assert_eq!(found, Scores { total: 0.75, relative: 0.5, absolute: 0.5 });
        let found = scores(&matrix, &[Some(0.02), None, Some(0.6)]).unwrap();
        assert_eq!(found, Scores { total: 0.75, relative: 0.25, absolute: 0.25 });
        assert_eq!(scores(&Matrix::default(), &[]), None, "no functions, no score");
    }

    #[test]
    fn what_was_not_decided_is_not_counted_as_not_found() {
        let rows =
            vec![vec![Seen, Unknown], vec![Unknown, Missed], vec![Missed, Unreached], vec![Unreached; 2]];
        let matrix = Matrix { rows };
        let decided: Vec<bool> = (0..4).map(|function| matrix.is_decided(function)).collect();
        assert_eq!(decided, [true, false, true, true]);
        assert_eq!(matrix.score(|_| true), Some(1.0 / 3.0));
        assert_eq!(Matrix { rows: vec![vec![Unknown]] }.score(|_| true), None);
    }

    #[test]
    fn a_slowdown_must_be_found_in_every_run() {
        let values = |from: f64| (0..10).map(|n| from + f64::from(n) / 100.0).collect::<Vec<_>>();
        let slow = (values(1.0), values(1.2));
        assert!(finds(&[slow.clone(), slow.clone()], 0.3));
        assert!(!finds(&[slow.clone(), slow.clone()], 0.5), "19 % is less than half of 50 %");
        assert!(!finds(&[slow.clone(), (values(1.0), values(1.0))], 0.3));
        assert!(!finds(&[(values(1.2), values(1.0))], 0.3), "faster is not slower");
        assert!(!finds(&[(vec![1.0], vec![2.0])], 0.3), "one value proves nothing");
        assert!(!finds(&[], 0.3));
    }

    #[test]
    fn functions_of_a_group_share_no_benchmark() {
        let reached = vec![vec![0, 1, 2], vec![3], vec![0, 3], vec![4], vec![]];
        let found = groups(&reached);
        assert_eq!(found, [vec![0, 1, 3], vec![2]]);
    }

    proptest::proptest! {
        #[test]
        fn every_function_that_is_reached_is_in_one_group(
            reached in proptest::collection::vec(proptest::collection::btree_set(0_usize..8, 0..5), 0..12)
        ) {
            let reached: Vec<Vec<usize>> = reached.into_iter().map(|set| set.into_iter().collect()).collect();
            let found = groups(&reached);
            let mut all: Vec<usize> = found.concat();
            all.sort_unstable();
            let expected: Vec<usize> = (0..reached.len()).filter(|at| !reached[*at].is_empty()).collect();
            proptest::prop_assert_eq!(all, expected);
            for group in found {
                let mut benchmarks: Vec<usize> = group.iter().flat_map(|at| reached[*at].clone()).collect();
                let whole = benchmarks.len();
                benchmarks.sort_unstable();
                benchmarks.dedup();
                proptest::prop_assert_eq!(benchmarks.len(), whole);
            }
        }
    }
}
