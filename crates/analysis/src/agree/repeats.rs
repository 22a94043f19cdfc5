//! How many results an interval of a wanted size takes.

use benchwright_model::Effect;
use benchwright_stats::trimmed::trimmed_interval;

use super::reading::{MIN_RESULTS, Sample};
use crate::rules::PairedSettings;
use crate::rules::growing_median_ratio;

/// The fewest duets with an interval: the first look of the paired rule.
const FEWEST_DUETS: usize = 5;

/// Larger numbers of results are not practical.
const MOST: f64 = 1e6;

/// How an interval shrinks with more results.
#[derive(Debug, Clone, Copy)]
pub enum Growth<'a> {
    /// The paired rule's interval of the first ln(head / base), beginning with five of them.
    Duets(&'a [f64]),
    /// The paper's interval of the first values of each version, beginning with ten of them.
    Medians {
        /// The values.
        sample: &'a Sample,
        /// Seed for resampling.
        seed: u64,
    },
}

/// How many results are needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repeats {
    /// This many were enough.
    Enough(u32),
    /// All were not enough. About this many would be, if intervals shrink with the square root of the number.
    About(u32),
    /// All were not enough, and no practical number would be, or there are too few for an estimate.
    Unknown,
}

impl Growth<'_> {
    /// The smallest number of results, taken in their order, whose interval is at most as large as `wanted`
    /// (see [`interval_size`]). Intervals may grow at a step; the first one that is small enough counts, as
    /// in the paper.
    pub fn needed(&self, wanted: f64) -> Repeats {
        let mut last = None;
        for n in self.least()..=self.results() {
            let Some(size) = self.size(n) else { continue };
            if size <= wanted {
                return Repeats::Enough(n as u32);
            }
            last = Some((n, size));
        }
        let needed = last.map(|(n, size)| (n as f64 * (size / wanted).powi(2)).ceil());
        match needed.filter(|needed| needed.is_finite() && *needed <= MOST) {
            Some(needed) => Repeats::About((needed as u32).max(self.results() as u32 + 1)),
            None => Repeats::Unknown,
        }
    }

    /// The sizes of the intervals of the first 5 (10), 6, 7, ... results. Numbers without an interval are
    /// left out.
    pub fn sizes(&self) -> Vec<(u32, f64)> {
        (self.least()..=self.results()).filter_map(|n| Some((n as u32, self.size(n)?))).collect()
    }

    fn least(&self) -> usize {
        match self {
            Growth::Duets(_) => FEWEST_DUETS,
            Growth::Medians { .. } => MIN_RESULTS as usize,
        }
    }

    fn results(&self) -> usize {
        match self {
            Growth::Duets(duets) => duets.len(),
            Growth::Medians { sample, .. } => sample.results() as usize,
        }
    }

    fn size(&self, n: usize) -> Option<f64> {
        match self {
            Growth::Duets(duets) => {
                let interval = trimmed_interval(&duets[..n], PairedSettings::default().a)?;
                Some(relative(interval.lo, interval.hi))
            }
            Growth::Medians { sample, seed } => {
                let effect = growing_median_ratio(&sample.base[..n], &sample.head[..n], *seed)?;
                Some(interval_size(&effect))
            }
        }
    }
}

/// The size of an interval: upper minus lower end, both as relative changes. For example 0.02 for [-1 %, +1
/// %].
pub fn interval_size(effect: &Effect) -> f64 {
    relative(effect.lo, effect.hi)
}

fn relative(lo: f64, hi: f64) -> f64 {
    hi.exp_m1() - lo.exp_m1()
}
