//! The values of a process so far, stored so that the mean of any range takes two look-ups.

/// Iterations at which the learned rule examines a process.
pub(crate) const GRID: [usize; 26] = [
    10, 15, 20, 25, 30, 40, 50, 60, 80, 100, 120, 140, 160, 180, 200, 230, 260, 300, 350, 400, 450, 500, 600,
    700, 800, 1000,
];

/// Maximum number of values that are stored.
pub(crate) const MOST: usize = GRID[GRID.len() - 1];

/// Iterations of a block.
const BLOCK: usize = 5;

/// The beginning of a process. Memory is allocated only when it is created.
#[derive(Debug, Clone)]
pub(crate) struct Prefix {
    seen: usize,
    first: f64,
    last: f64,
    /// Sums before each iteration: of values, of their squares, and of the differences of neighbours.
    sums: Vec<f64>,
    squares: Vec<f64>,
    steps: Vec<f64>,
    /// The block that is not full yet.
    open: [f64; BLOCK],
    /// Medians of the blocks, and their sums.
    medians: Vec<f64>,
    median_sums: Vec<f64>,
}

impl Prefix {
    /// A process without iterations.
    pub(crate) fn new() -> Self {
        let sums = |n: usize| {
            let mut sums = Vec::with_capacity(n + 1);
            sums.push(0.0);
            sums
        };
        Prefix {
            seen: 0,
            first: 0.0,
            last: 0.0,
            sums: sums(MOST),
            squares: sums(MOST),
            steps: sums(MOST),
            open: [0.0; BLOCK],
            medians: Vec::with_capacity(MOST / BLOCK),
            median_sums: sums(MOST / BLOCK),
        }
    }

    /// Takes the next value, a positive number. Values after [`MOST`] are not stored.
    pub(crate) fn push(&mut self, value: f64) {
        if self.seen == MOST {
            return;
        }
        if self.seen == 0 {
            self.first = value;
        } else {
            self.steps.push(self.steps[self.seen - 1] + (value - self.last).abs());
        }
        self.last = value;
        self.sums.push(self.sums[self.seen] + value);
        self.squares.push(self.squares[self.seen] + value * value);
        self.open[self.seen % BLOCK] = value;
        self.seen += 1;
        if self.seen.is_multiple_of(BLOCK) {
            let mut block = self.open;
            block.sort_unstable_by(f64::total_cmp);
            self.medians.push(block[BLOCK / 2]);
            self.median_sums.push(self.median_sums[self.medians.len() - 1] + block[BLOCK / 2]);
        }
    }

    /// Number of stored values.
    pub(crate) fn seen(&self) -> usize {
        self.seen
    }

    /// The very first value.
    pub(crate) fn first(&self) -> f64 {
        self.first
    }

    /// Mean of the values from one iteration up to another.
    pub(crate) fn mean(&self, from: usize, to: usize) -> f64 {
        (self.sums[to] - self.sums[from]) / (to - from) as f64
    }

    /// Variance of these values as a share of their squared mean.
    pub(crate) fn relative_variance(&self, from: usize, to: usize) -> f64 {
        let mean = self.mean(from, to);
        (self.squares[to] - self.squares[from]) / (to - from) as f64 / (mean * mean) - 1.0
    }

    /// Mean distance of neighbours among these values.
    pub(crate) fn mean_step(&self, from: usize, to: usize) -> f64 {
        (self.steps[to - 1] - self.steps[from]) / (to - 1 - from) as f64
    }

    /// Mean of the medians of the blocks that are completely inside.
    pub(crate) fn mean_of_medians(&self, from: usize, to: usize) -> f64 {
        let (from, to) = (from.div_ceil(BLOCK), to / BLOCK);
        (self.median_sums[to] - self.median_sums[from]) / (to - from) as f64
    }

    /// Share of the blocks that are completely inside and whose median is further than `band` from the level.
    pub(crate) fn share_outside(&self, from: usize, to: usize, level: f64, band: f64) -> f64 {
        let blocks = &self.medians[from.div_ceil(BLOCK)..to / BLOCK];
        blocks.iter().filter(|median| is_outside(**median, level, band)).count() as f64 / blocks.len() as f64
    }

    /// Iterations until the end of the last block before `to` whose median is further than `band` from the
    /// level.
    pub(crate) fn outside_until(&self, to: usize, level: f64, band: f64) -> f64 {
        let last = self.medians[..to / BLOCK].iter().rposition(|median| is_outside(*median, level, band));
        last.map_or(0.0, |block| (BLOCK * (block + 1)) as f64)
    }
}

fn is_outside(median: f64, level: f64, band: f64) -> bool {
    (median / level - 1.0).abs() > band
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prefix(values: impl IntoIterator<Item = f64>) -> Prefix {
        let mut prefix = Prefix::new();
        values.into_iter().for_each(|value| prefix.push(value));
        prefix
    }

    #[test]
    fn means_and_steps_are_those_of_the_values() {
        let prefix = prefix((1..=20).map(f64::from));
        assert_eq!((prefix.seen(), prefix.first(), prefix.mean(0, 20)), (20, 1.0, 10.5));
        assert_eq!(
            (prefix.mean(3, 5), prefix.mean_step(10, 20), prefix.mean_of_medians(7, 20)),
            (4.5, 1.0, 15.5)
        );
        // 1 to 4 have mean 2.5 and variance 1.25.
        assert!((prefix.relative_variance(0, 4) - 0.2).abs() < 1e-12);
    }

    #[test]
    fn blocks_outside_a_band_are_found_from_the_end() {
        let mut values = [1.0; 40];
        values[10..15].fill(1.04);
        values[3] = 9.0;
        let prefix = prefix(values);
        assert_eq!((prefix.outside_until(40, 1.0, 0.03), prefix.outside_until(40, 1.0, 0.05)), (15.0, 0.0));
        assert_eq!(prefix.share_outside(0, 40, 1.0, 0.03), 0.125);
    }

    #[test]
    fn what_comes_after_the_last_look_is_dropped_and_nothing_is_allocated_for_it() {
        let mut prefix = Prefix::new();
        let rooms = |prefix: &Prefix| {
            [prefix.sums.capacity(), prefix.medians.capacity(), prefix.median_sums.capacity()]
        };
        let before = rooms(&prefix);
        (0..5000).for_each(|i| prefix.push(f64::from(i + 1)));
        assert_eq!((prefix.seen(), rooms(&prefix)), (MOST, before));
    }
}
