//! The difference between a rule's measurements and the steady ones: a two-level bootstrap of the ratio of
//! means.
//!
//! Processes are drawn with replacement, and then values from each. The mean is over all drawn values. To
//! save time, sums of resamples are first drawn into a pool for each process, and then taken from the pools.

use std::collections::BTreeMap;

use benchwright_stats::Interval;
use benchwright_stats::bootstrap::middle_part;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::recording::Benchmark;
use super::stops::Stop;

/// The numbers of draws.
#[derive(Debug, Clone, Copy)]
pub(super) struct Draws {
    /// Number of bootstrap means.
    pub(super) means: usize,
    /// Number of resampled sums per process.
    pub(super) pool: usize,
}

impl Draws {
    /// The authors' number of means. The pools are smaller than those of `score_stop.py`, which changes
    /// intervals by less than their random error.
    pub(super) const USUAL: Draws = Draws { means: 10_000, pool: 500 };
}

/// The values of one process for an interval.
type Window<'a> = &'a [f64];

/// Bootstrap means of the steady parts of all steady processes.
pub(super) fn steady_means(benchmark: &Benchmark, draws: Draws) -> Vec<f64> {
    let steady = |process: &super::recording::Process| {
        process.steady_from.map(|from| from + 1..process.values.len()).filter(|range| !range.is_empty())
    };
    let windows: Vec<Window<'_>> =
        benchmark.processes.values().filter_map(|process| Some(&process.values[steady(process)?])).collect();
    means(&windows, draws, 1)
}

/// The 95 % interval of the ratio of the measured mean to the steady mean.
pub(super) fn ratio(
    benchmark: &Benchmark,
    stops: &BTreeMap<u32, Stop>,
    steady: &[f64],
    draws: Draws,
) -> Option<Interval> {
    let windows: Vec<Window<'_>> =
        stops.iter().filter_map(|(fork, stop)| window(benchmark, *fork, *stop)).collect();
    let mut ratios = means(&windows, draws, 2);
    ratios.iter_mut().zip(steady).for_each(|(mean, steady)| *mean /= steady);
    middle_part(&mut ratios, 0.95)
}

fn window(benchmark: &Benchmark, fork: u32, stop: Stop) -> Option<Window<'_>> {
    let from = usize::try_from(stop.warmup + 1).ok()?;
    let values = &benchmark.processes.get(&fork)?.values;
    values.get(from..=usize::try_from(stop.last).ok()?).filter(|window| !window.is_empty())
}

fn means(windows: &[Window<'_>], draws: Draws, stream: u64) -> Vec<f64> {
    if windows.is_empty() {
        return Vec::new();
    }
    let mut random = Xoshiro256PlusPlus::seed_from_u64(42 + stream);
    let pools: Vec<Vec<f64>> = windows.iter().map(|window| pool(window, draws.pool, &mut random)).collect();
    let mut mean = || {
        let (mut sum, mut n) = (0.0, 0);
        for _ in windows {
            let bits = random.next_u64();
            let place = below(bits as u32, windows.len());
            sum += pools[place][below((bits >> 32) as u32, pools[place].len())];
            n += windows[place].len();
        }
        sum / n as f64
    };
    (0..draws.means).map(|_| mean()).collect()
}

/// Sums of resamples with as many values as the window, drawn with replacement.
fn pool(window: Window<'_>, size: usize, random: &mut Xoshiro256PlusPlus) -> Vec<f64> {
    let n = window.len();
    let mut sum = || {
        let mut sum = 0.0;
        for _ in 0..n / 2 {
            let bits = random.next_u64();
            sum += window[below(bits as u32, n)] + window[below((bits >> 32) as u32, n)];
        }
        if n % 2 == 1 {
            sum += window[below(random.next_u64() as u32, n)];
        }
        sum
    };
    (0..size).map(|_| sum()).collect()
}

/// A number below `n`. The bias does not matter, because `n` is much smaller than 2³².
fn below(bits: u32, n: usize) -> usize {
    ((u64::from(bits) * n as u64) >> 32) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pools_sum_values_drawn_with_replacement() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        let sums = pool(&[1.0, 2.0, 6.0], 4000, &mut random);
        let mean = sums.iter().sum::<f64>() / 4000.0;
        assert!(sums.iter().all(|sum| (3.0..=18.0).contains(sum)));
        // The variance of a value is 14/3, and that of a sum of three is 14.
        let variance = sums.iter().map(|sum| (sum - mean).powi(2)).sum::<f64>() / 4000.0;
        assert!((mean - 9.0).abs() < 0.3 && (variance - 14.0).abs() < 1.5, "{mean} {variance}");
        assert_eq!(pool(&[7.0; 5], 2, &mut random), [35.0, 35.0]);
    }

    #[test]
    fn longer_windows_weigh_more() {
        let (short, long) = ([1.0; 10], [2.0; 90]);
        let mut all = means(&[&short, &long], Draws { means: 4000, pool: 1 }, 0);
        all.sort_by(f64::total_cmp);
        // The mean is 1.9 if both are drawn once, and 1 or 2 if one of them is drawn twice.
        assert!((all[0], all[3999]) == (1.0, 2.0) && (all[2000] - 1.9).abs() < 1e-9);
    }
}
