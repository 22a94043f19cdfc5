//! Grows boosted trees: each one corrects the error of those before it.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::super::trees::{Grown, Split, Trees};

/// Training rows.
#[derive(Debug, Clone)]
pub(super) struct Table {
    width: usize,
    features: Vec<f32>,
    targets: Vec<f32>,
}

impl Table {
    /// A table without rows, for this many features.
    pub(super) fn new(width: usize) -> Self {
        Table { width, features: Vec::new(), targets: Vec::new() }
    }

    /// Adds a row.
    pub(super) fn push(&mut self, features: &[f32], target: f64) {
        debug_assert_eq!(features.len(), self.width);
        self.features.extend_from_slice(features);
        self.targets.push(target as f32);
    }

    /// Rows.
    pub(super) fn len(&self) -> usize {
        self.targets.len()
    }
}

/// The meaning of the sum of the trees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Objective {
    /// An estimate of the target, by least squares.
    Squared,
    /// The log-odds of a target that is 0 or 1.
    Logistic,
}

/// How trees are grown (Friedman 2001, Annals of Statistics; histograms and growth by leaf as in Ke et al.
/// 2017, NIPS).
#[derive(Debug, Clone, Copy)]
pub(super) struct Boosting {
    pub(super) objective: Objective,
    pub(super) trees: usize,
    /// Maximum number of leaves of a tree.
    pub(super) leaves: usize,
    /// Share of its correction that a tree applies.
    pub(super) rate: f64,
    /// Rows a leaf must hold.
    pub(super) least_rows: usize,
    pub(super) seed: u64,
}

/// Maximum number of ranges of a feature's values.
const BINS: usize = 127;

/// Pulls the values of leaves towards 0.
const SHRINKAGE: f64 = 10.0;

/// Shares of the rows and of the features that are used for a tree.
const ROWS: f64 = 0.5;
const FEATURES: f64 = 0.6;

impl Boosting {
    /// The sum of all trees estimates the targets.
    pub(super) fn grow(&self, table: &Table) -> Trees {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(self.seed);
        let bins = Bins::new(table);
        let base = self.base(&table.targets);
        let mut sums = vec![base; table.len()];
        let mut trees = Trees::empty(table.width);
        for number in 0..self.trees {
            let slopes: Vec<[f32; 2]> =
                sums.iter().zip(&table.targets).map(|(sum, target)| self.slope(*sum, *target)).collect();
            let rows: Vec<u32> = (0..table.len() as u32).filter(|_| draw(&mut random) < ROWS).collect();
            let features: Vec<usize> = (0..table.width).filter(|_| draw(&mut random) < FEATURES).collect();
            let mut growth = Growth { bins: &bins, slopes: &slopes, features: &features, boosting: self };
            let mut tree = growth.tree(rows);
            tree.leaves.iter_mut().for_each(|leaf| *leaf *= self.rate as f32);
            bins.add(&tree, &mut sums);
            if number == 0 {
                tree.leaves.iter_mut().for_each(|leaf| *leaf += base as f32);
            }
            trees.push(&tree);
        }
        trees
    }

    /// The estimate without any feature.
    fn base(&self, targets: &[f32]) -> f64 {
        let mean = targets.iter().copied().map(f64::from).sum::<f64>() / targets.len().max(1) as f64;
        match self.objective {
            Objective::Squared => mean,
            Objective::Logistic => {
                let share = mean.clamp(1e-6, 1.0 - 1e-6);
                (share / (1.0 - share)).ln()
            }
        }
    }

    /// First and second derivative of the loss.
    fn slope(&self, sum: f64, target: f32) -> [f32; 2] {
        match self.objective {
            Objective::Squared => [(sum - f64::from(target)) as f32, 1.0],
            Objective::Logistic => {
                let p = 1.0 / (1.0 + (-sum).exp());
                [(p - f64::from(target)) as f32, (p * (1.0 - p)).max(1e-9) as f32]
            }
        }
    }
}

/// A number in [0, 1).
fn draw(random: &mut Xoshiro256PlusPlus) -> f64 {
    (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

/// The table with every feature divided into ranges with about the same number of rows.
struct Bins {
    rows: usize,
    /// Upper ends of the ranges of each feature, ascending.
    ends: Vec<Vec<f32>>,
    /// The range of each row, feature after feature.
    of: Vec<u8>,
}

impl Bins {
    fn new(table: &Table) -> Self {
        let rows = table.len();
        let mut of = vec![0; rows * table.width];
        let mut ends = Vec::with_capacity(table.width);
        for feature in 0..table.width {
            let column: Vec<f32> =
                table.features.iter().skip(feature).step_by(table.width).copied().collect();
            let upper = range_ends(&column);
            for (to, value) in of[feature * rows..][..rows].iter_mut().zip(&column) {
                *to = upper.partition_point(|end| end < value).min(upper.len().saturating_sub(1)) as u8;
            }
            ends.push(upper);
        }
        Bins { rows, ends, of }
    }

    fn at(&self, feature: usize, row: u32) -> u8 {
        self.of[feature * self.rows + row as usize]
    }

    /// Adds a tree's answer for every row.
    fn add(&self, tree: &Grown, sums: &mut [f64]) {
        // Thresholds are ends of ranges, so comparing ranges is the same as comparing values.
        let limits: Vec<u8> = tree
            .splits
            .iter()
            .map(|split| self.ends[split.feature].partition_point(|end| *end < split.threshold) as u8)
            .collect();
        for (row, sum) in sums.iter_mut().enumerate() {
            let leaf = tree.leaf_by(|node| self.at(tree.splits[node].feature, row as u32) <= limits[node]);
            *sum += f64::from(tree.leaves[leaf]);
        }
    }
}

/// Ends of ranges with about the same number of values each. If there are few different values, each gets a
/// range.
fn range_ends(column: &[f32]) -> Vec<f32> {
    let step = (column.len() / 50_000).max(1);
    let mut sample: Vec<f32> = column.iter().copied().step_by(step).collect();
    sample.sort_unstable_by(f32::total_cmp);
    let mut ends: Vec<f32> =
        (1..=BINS).filter_map(|k| sample.get((k * sample.len() / BINS).saturating_sub(1))).copied().collect();
    ends.dedup();
    ends
}

/// One tree while it grows.
struct Growth<'a> {
    bins: &'a Bins,
    slopes: &'a [[f32; 2]],
    features: &'a [usize],
    boosting: &'a Boosting,
}

/// Sums over the rows of a range: gradients, curvatures, number of rows.
type Sum = [f64; 3];

/// A leaf that may be split.
struct Open {
    rows: Vec<u32>,
    total: Sum,
    best: Option<Best>,
    /// The split above it, and the side on which it is.
    parent: Option<(usize, bool)>,
}

/// The best split of a leaf.
#[derive(Clone, Copy)]
struct Best {
    gain: f64,
    feature: usize,
    bin: u8,
}

impl Growth<'_> {
    fn tree(&mut self, rows: Vec<u32>) -> Grown {
        let mut splits: Vec<Split> = Vec::new();
        let mut open = vec![self.open(rows, None)];
        while open.len() < self.boosting.leaves {
            let gain = |leaf: &Open| leaf.best.map_or(0.0, |best| best.gain);
            let Some(at) = (0..open.len()).max_by(|a, b| gain(&open[*a]).total_cmp(&gain(&open[*b]))) else {
                break;
            };
            let Some(best) = open[at].best else { break };
            let node = splits.len();
            let leaf = open.swap_remove(at);
            connect(&mut splits, leaf.parent, Split::node(node));
            let (left, right): (Vec<u32>, Vec<u32>) =
                leaf.rows.into_iter().partition(|row| self.bins.at(best.feature, *row) <= best.bin);
            let threshold = self.bins.ends[best.feature][usize::from(best.bin)];
            splits.push(Split { feature: best.feature, threshold, children: [0, 0] });
            open.push(self.open(left, Some((node, false))));
            open.push(self.open(right, Some((node, true))));
        }
        let mut leaves = Vec::with_capacity(open.len());
        for leaf in open {
            connect(&mut splits, leaf.parent, Split::leaf(leaves.len()));
            leaves.push((-leaf.total[0] / (leaf.total[1] + SHRINKAGE)) as f32);
        }
        Grown { splits, leaves }
    }

    fn open(&self, rows: Vec<u32>, parent: Option<(usize, bool)>) -> Open {
        let mut total = [0.0; 3];
        rows.iter().for_each(|row| add(&mut total, self.slopes[*row as usize]));
        let splits = self.features.iter().filter_map(|feature| self.best(&rows, total, *feature));
        let best = splits.max_by(|a, b| a.gain.total_cmp(&b.gain));
        Open { rows, total, best, parent }
    }

    /// The best split by a feature. `None` if no split is an improvement.
    fn best(&self, rows: &[u32], total: Sum, feature: usize) -> Option<Best> {
        let least = self.boosting.least_rows as f64;
        if total[2] < 2.0 * least {
            return None;
        }
        let mut sums = [[0.0; 3]; BINS];
        let column = &self.bins.of[feature * self.bins.rows..][..self.bins.rows];
        rows.iter()
            .for_each(|row| add(&mut sums[usize::from(column[*row as usize])], self.slopes[*row as usize]));
        let worth = |sum: Sum| sum[0] * sum[0] / (sum[1] + SHRINKAGE);
        let mut left = [0.0; 3];
        let mut best: Option<Best> = None;
        for (bin, sum) in sums.iter().enumerate().take(self.bins.ends[feature].len().saturating_sub(1)) {
            left = [left[0] + sum[0], left[1] + sum[1], left[2] + sum[2]];
            let right = [total[0] - left[0], total[1] - left[1], total[2] - left[2]];
            let gain = worth(left) + worth(right) - worth(total);
            let is_allowed = left[2] >= least && right[2] >= least && gain > 1e-9;
            if is_allowed && best.is_none_or(|best| gain > best.gain) {
                best = Some(Best { gain, feature, bin: bin as u8 });
            }
        }
        best
    }
}

fn connect(splits: &mut [Split], parent: Option<(usize, bool)>, child: u16) {
    if let Some((node, is_right)) = parent {
        splits[node].children[usize::from(is_right)] = child;
    }
}

fn add(sum: &mut Sum, [slope, curvature]: [f32; 2]) {
    sum[0] += f64::from(slope);
    sum[1] += f64::from(curvature);
    sum[2] += 1.0;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn boosting(objective: Objective) -> Boosting {
        Boosting { objective, trees: 80, leaves: 8, rate: 0.1, least_rows: 20, seed: 3 }
    }

    /// Three features, the last without meaning.
    fn rows() -> impl Iterator<Item = [f32; 3]> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(9);
        (0..4000).map(move |_| [(); 3].map(|()| draw(&mut random) as f32 * 4.0 - 2.0))
    }

    #[test]
    fn a_sum_of_trees_follows_a_curve_and_a_step() {
        let truth = |x: &[f32; 3]| f64::from(x[0]).sin() + if x[1] > 0.5 { 1.0 } else { 0.0 };
        let mut table = Table::new(3);
        rows().for_each(|x| table.push(&x, truth(&x)));
        let trees = boosting(Objective::Squared).grow(&table);
        let errors = rows().map(|x| (trees.sum(&x) - truth(&x)).powi(2));
        let error = (errors.sum::<f64>() / 4000.0).sqrt();
        assert!(error < 0.1, "{error}");
        assert_eq!(boosting(Objective::Squared).grow(&table), trees);
    }

    #[test]
    fn probabilities_are_shares() {
        // Feature 0 below 0: one in four is 1. Above: three in four.
        let mut table = Table::new(3);
        rows().enumerate().for_each(|(i, x)| {
            let rare = i % 4 == 0;
            table.push(&x, f64::from(u8::from(if x[0] < 0.0 { rare } else { !rare })));
        });
        let trees = boosting(Objective::Logistic).grow(&table);
        let check = |x: [f32; 3], expected: f64| {
            let p = trees.probability(&x);
            assert!((p - expected).abs() < 0.1, "{p} {expected}");
        };
        check([-1.0, 0.3, 0.0], 0.25);
        check([1.0, 0.3, 0.0], 0.75);
    }

    #[test]
    fn one_value_of_everything_gives_the_mean() {
        let mut table = Table::new(1);
        (0..100).for_each(|i| table.push(&[7.0], f64::from(i % 2)));
        assert!((boosting(Objective::Squared).grow(&table).sum(&[7.0]) - 0.5).abs() < 0.02);
    }
}
