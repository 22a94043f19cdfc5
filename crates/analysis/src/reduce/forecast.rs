//! Predicts how many repetitions a benchmark needs that is unstable at full size.
//!
//! The instability over n repetitions follows a + b / √n. The width of an interval tends to zero (a = 0), so
//! the full configuration is enough to find b. A spread tends to the spread of all possible values: a and b
//! come from a least-squares fit, weighted with n, over configurations in which one level has between half
//! and all of its size and the others are full. If a is not below the threshold, no number of repetitions is
//! enough.

use benchwright_stats::Interval;
use benchwright_stats::bootstrap::Resampling;
use benchwright_stats::dispersion::quantile;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use super::{Configuration, LevelSeries, Options, Stability};

/// How many repetitions would make a benchmark stable.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Forecast {
    /// The repetitions, one after the other and over all levels, for which the metric falls to the threshold.
    /// Infinite if no number is enough. Never less than the measured number, which was too small.
    pub repetitions: f64,
    /// The 90 % confidence interval of that number. An end is infinite if it is possible that no number is
    /// enough.
    pub interval: Interval,
    /// The limit of the metric for ever more repetitions.
    pub limit: f64,
}

/// Number of draws of processes for the interval.
const DRAWS: usize = 100;
/// Resamples of metrics that resample, within a draw. Their error is small compared with that of the draw.
const RESAMPLES: usize = 500;
/// Fewer sizes of a level do not show the limit of a spread, which is then assumed to stay as it is.
const FEWEST_SIZES: usize = 5;
/// More sizes add nothing, because neighbours share most of their values.
const MOST_SIZES: u32 = 10;
/// More than a thousand times the repetitions of the full configuration are not practical.
const MOST_TIMES: f64 = 1000.0;
/// The ends of the interval.
const TAILS: (f64, f64) = (0.05, 0.95);

/// Extrapolates to the number of repetitions that would be stable. The interval is computed by drawing
/// processes with replacement. It is too narrow if there are few processes, and cannot account for processes
/// unlike those measured. `None` if the metric is not defined.
pub fn forecast(series: &LevelSeries, metric: &dyn Stability, options: &Options) -> Option<Forecast> {
    let series = &options.mode.seen(series);
    let full = series.full().sequential(series.levels()) as f64;
    let law = Law::of(series, metric, options)?;
    let quick = Options { resampling: Resampling { resamples: RESAMPLES, ..options.resampling }, ..*options };
    let mut generator = Xoshiro256PlusPlus::seed_from_u64(options.resampling.seed);
    let drawn = (0..DRAWS).filter_map(|_| Law::of(&series.redrawn(&mut generator), metric, &quick));
    // Infinite numbers cannot be interpolated, so they are limited first and replaced by infinity afterwards.
    let most = MOST_TIMES * full;
    let needed: Vec<f64> = drawn.map(|law| law.needed(options.threshold, full).min(2.0 * most)).collect();
    let end = |tail: f64| {
        let found = quantile(&needed, tail).unwrap_or(f64::INFINITY);
        if found > most { f64::INFINITY } else { found }
    };
    let interval = Interval { lo: end(TAILS.0), hi: end(TAILS.1) };
    Some(Forecast { repetitions: law.needed(options.threshold, full), interval, limit: law.limit })
}

/// The instability of n repetitions: `limit` + `slope` / √n.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Law {
    limit: f64,
    slope: f64,
}

impl Law {
    fn of(series: &LevelSeries, metric: &dyn Stability, options: &Options) -> Option<Law> {
        let whole = series.full();
        let full = whole.sequential(series.levels()) as f64;
        let instability = |configuration: &Configuration| {
            metric.instability(&series.prefix(configuration), options.mode, options.resampling)
        };
        let at_full = instability(&whole)?;
        if metric.shrinks() {
            return Some(Law { limit: 0.0, slope: at_full * full.sqrt() });
        }
        let constant = Law { limit: at_full, slope: 0.0 };
        let points: Vec<(f64, f64)> = path(series)
            .iter()
            .filter_map(|one| Some((one.sequential(series.levels()) as f64, instability(one)?)))
            .collect();
        Some(if points.len() < FEWEST_SIZES { constant } else { Law::fitted(&points).unwrap_or(constant) })
    }

    /// The least-squares line through instabilities over 1 / √n, each weighted with its n. Neither
    /// coefficient is negative. `None` if the instability does not fall.
    fn fitted(points: &[(f64, f64)]) -> Option<Law> {
        let sum = |term: &dyn Fn(f64, f64) -> f64| {
            points.iter().map(|(n, y)| n * term(1.0 / n.sqrt(), *y)).sum::<f64>()
        };
        let (one, x, y) = (sum(&|_, _| 1.0), sum(&|x, _| x), sum(&|_, y| y));
        let (xx, xy) = (sum(&|x, _| x * x), sum(&|x, y| x * y));
        let slope = (one * xy - x * y) / (one * xx - x * x);
        let limit = (y - slope * x) / one;
        match (limit, slope) {
            (limit, slope) if !limit.is_finite() || slope <= 0.0 => None,
            (limit, _) if limit < 0.0 => Some(Law { limit: 0.0, slope: xy / xx }),
            (limit, slope) => Some(Law { limit, slope }),
        }
    }

    /// The repetitions for which it falls to the threshold, at least `full`. Infinite if no number or no
    /// practical number is enough.
    fn needed(self, threshold: f64, full: f64) -> f64 {
        if self.limit >= threshold {
            return f64::INFINITY;
        }
        let needed = (self.slope / (threshold - self.limit)).powi(2).max(full);
        if needed > MOST_TIMES * full { f64::INFINITY } else { needed }
    }
}

/// Configurations in which all levels but one are full: the level with the most sizes, and among equals the
/// inner one.
fn path(series: &LevelSeries) -> Vec<Configuration> {
    let whole = series.full();
    let free = series.levels().iter().enumerate().filter(|(_, level)| !level.is_kept);
    let Some((at, level)) = free.max_by_key(|(_, level)| level.size) else { return vec![whole] };
    // Few values do not follow the law yet. So the upper half of the sizes is used, from the full one
    // downwards, so that the full one is always included.
    let half = level.size - level.size / 2;
    let sizes = (half..=level.size).rev().step_by(half.div_ceil(MOST_SIZES).max(1) as usize);
    sizes
        .map(|size| {
            let mut one = whole.clone();
            one.0[at] = size;
            one
        })
        .filter(|one| one.repetitions() >= super::configuration::LEAST)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::by_name;
    use super::*;

    /// Numbers of a standard normal distribution.
    struct Normal(Xoshiro256PlusPlus);

    impl Normal {
        fn next(&mut self) -> f64 {
            use rand_xoshiro::rand_core::Rng;
            let mut uniform = || ((self.0.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64;
            (-2.0 * uniform().ln()).sqrt() * (std::f64::consts::TAU * uniform()).cos()
        }
    }

    /// Processes of values around 1 with these relative spreads between and within them.
    fn series(seed: u64, processes: u32, values: u32, between: f64, within: f64) -> LevelSeries {
        let mut normal = Normal(Xoshiro256PlusPlus::seed_from_u64(seed));
        let mut points = Vec::new();
        for process in 1..=processes {
            let shift = between * normal.next();
            points.extend((1..=values).map(|at| (vec![process, at], 1.0 + shift + within * normal.next())));
        }
        LevelSeries::new(&[("process", false), ("iteration", false)], points).unwrap()
    }

    #[test]
    fn the_width_of_the_means_interval_falls_with_the_root() {
        // Width 2 x 2.5758 x 0.03 / √n is 0.01 at n = 238.9.
        let truth = (2.0 * 2.575_829_f64 * 0.03 / 0.01).powi(2);
        let metric = by_name("rciw1").unwrap();
        let (mut covered, mut ratios) = (0, Vec::new());
        const SERIES: u64 = 60;
        for seed in 0..SERIES {
            let found = forecast(&series(seed, 15, 5, 0.0, 0.03), metric, &Options::default()).unwrap();
            assert_eq!(found.limit, 0.0);
            covered += u64::from((found.interval.lo..=found.interval.hi).contains(&truth));
            ratios.push(found.repetitions / truth);
        }
        let middle = quantile(&ratios, 0.5).unwrap();
        assert!((0.9..1.1).contains(&middle), "half of the forecasts are below {middle} of the truth");
        // Nominally 90 %; drawing from only 15 processes makes it somewhat less.
        assert!(covered >= SERIES * 3 / 4, "{covered} of {SERIES} intervals have the truth");
    }

    #[test]
    fn no_number_of_repetitions_makes_wild_values_tame() {
        let check = |metric: &str, within: f64, threshold: f64| {
            let options = Options { threshold, ..Options::default() };
            let found =
                forecast(&series(3, 15, 10, 0.0, within), by_name(metric).unwrap(), &options).unwrap();
            assert_eq!(found.repetitions, f64::INFINITY, "{metric}: {found:?}");
            assert_eq!(found.interval.hi, f64::INFINITY, "{metric}: {found:?}");
            found.limit
        };
        let limit = check("cv", 0.05, 0.01);
        assert!((limit - 0.05).abs() < 0.01, "{limit}");
        // The median absolute deviation of a normal distribution is 0.6745 standard deviations.
        let limit = check("rmad", 0.05, 0.01);
        assert!((limit - 0.0337).abs() < 0.01, "{limit}");
        // An interval would get there, but a million repetitions are not practical.
        check("rciw1", 0.3, 0.000_1);
    }

    #[test]
    fn a_slow_start_of_every_process_is_diluted() {
        // The first value of a process is half as long again, and the rest does not vary. With k values the
        // coefficient of variation is 0.5 √(p (1 - p)) / (1 + p / 2) with p = 1 / k, which is 0.05 at k = 98:
        // 490 repetitions in 5 processes.
        let mut points = Vec::new();
        for process in 1..=5 {
            points.extend((1..=20).map(|at| (vec![process, at], if at == 1 { 1.5 } else { 1.0 })));
        }
        let series = LevelSeries::new(&[("process", false), ("iteration", false)], points).unwrap();
        let options = Options { threshold: 0.05, ..Options::default() };
        let found = forecast(&series, by_name("cv").unwrap(), &options).unwrap();
        assert!((300.0..800.0).contains(&found.repetitions), "{found:?}");
        assert!(found.limit < 0.03, "{found:?}");
    }

    #[test]
    fn fits_find_the_line_they_were_made_of() {
        let check = |limit: f64, slope: f64, expected: Option<Law>| {
            let points: Vec<(f64, f64)> =
                (1..=8).map(|i| f64::from(10 * i)).map(|n| (n, limit + slope / n.sqrt())).collect();
            let found = Law::fitted(&points);
            match (found, expected) {
                (Some(found), Some(expected)) => {
                    assert!((found.limit - expected.limit).abs() < 1e-12, "{found:?}");
                    assert!((found.slope - expected.slope).abs() < 1e-10, "{found:?}");
                }
                (found, expected) => assert_eq!(found, expected),
            }
        };
        check(0.02, 0.1, Some(Law { limit: 0.02, slope: 0.1 }));
        check(0.0, 0.1, Some(Law { limit: 0.0, slope: 0.1 }));
        // If it grows with more repetitions, there is no line.
        check(0.02, -0.01, None);
        let through_zero = Law::fitted(&[(10.0, 0.5), (20.0, 0.1), (40.0, 0.01)]).unwrap();
        assert_eq!(through_zero.limit, 0.0);
        assert_eq!(Law { limit: 0.005, slope: 0.05 }.needed(0.01, 10.0), 100.0);
        assert_eq!(Law { limit: 0.005, slope: 0.01 }.needed(0.01, 10.0), 10.0);
    }

    #[test]
    fn every_metric_has_a_forecast_in_every_mode() {
        for metric in super::super::metrics() {
            for mode in [super::super::Mode::Paper, super::super::Mode::Prototype] {
                let options = Options { mode, threshold: 1e-4, ..Options::default() };
                let found = forecast(&series(1, 3, 4, 0.01, 0.02), *metric, &options).unwrap();
                assert!(found.repetitions >= 12.0 && found.interval.lo <= found.interval.hi, "{found:?}");
            }
        }
    }
}
