//! Gains and losses of a suite when its configurations are reduced.

use benchwright_stats::rank;

use super::Reduction;

/// A suite's reductions in numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// Benchmarks.
    pub benchmarks: usize,
    /// Benchmarks without a stable configuration.
    pub unstable: usize,
    /// Seconds of measuring with the full configurations.
    pub full_seconds: f64,
    /// Seconds of measuring with the chosen ones.
    pub seconds: f64,
    /// Seconds of warm-up, full and chosen.
    pub warmup_seconds: (f64, f64),
}

impl Judgement {
    /// The judgement of these reductions.
    pub fn of(reductions: &[Reduction]) -> Judgement {
        let sum = |value: fn(&Reduction) -> f64| reductions.iter().map(value).sum();
        Judgement {
            benchmarks: reductions.len(),
            unstable: reductions.iter().filter(|reduction| !reduction.is_stable).count(),
            full_seconds: sum(|reduction| reduction.full.seconds),
            seconds: sum(|reduction| reduction.chosen.seconds),
            warmup_seconds: (
                sum(|reduction| reduction.full.warmup_seconds),
                sum(|reduction| reduction.chosen.warmup_seconds),
            ),
        }
    }

    /// The share of the measuring time that is saved. 0 without benchmarks.
    pub fn saved(&self) -> f64 {
        share(self.full_seconds - self.seconds, self.full_seconds)
    }

    /// The same with warm-up.
    pub fn saved_with_warmup(&self) -> f64 {
        let (full, chosen) = self.warmup_seconds;
        share(self.full_seconds + full - self.seconds - chosen, self.full_seconds + full)
    }
}

fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

/// The share of benchmarks whose average differs from the full configuration's by at most `limit`, as a
/// share. 1 without benchmarks.
pub fn within(reductions: &[Reduction], limit: f64) -> f64 {
    let near = reductions.iter().filter(|reduction| reduction.change().abs() <= limit).count();
    if reductions.is_empty() { 1.0 } else { near as f64 / reductions.len() as f64 }
}

/// The largest differences of the lower and of the upper end of an interval from the full configuration's, as
/// shares without sign. `None` if no benchmark has both intervals.
pub fn worst_interval_changes(reductions: &[Reduction]) -> Option<(f64, f64)> {
    let ends = reductions.iter().filter_map(Reduction::interval_changes);
    ends.map(|(lo, hi)| (lo.abs(), hi.abs())).reduce(|worst, one| (worst.0.max(one.0), worst.1.max(one.1)))
}

/// The word for an effect of this size, after Romano et al. 2006.
pub fn effect_word(delta: f64) -> &'static str {
    match delta.abs() {
        size if size < 0.147 => "negligible",
        size if size < 0.33 => "small",
        size if size < 0.474 => "medium",
        _ => "large",
    }
}

/// The difference between the changes of two metrics.
#[derive(Debug, Clone, PartialEq)]
pub struct PairOfMetrics {
    /// Their indices in the list.
    pub metrics: (usize, usize),
    /// Dunn's p-value of this pair without correction.
    pub p_alone: f64,
    /// The p-value corrected after Bonferroni over all pairs.
    pub p: f64,
    /// Cliff's delta of the first compared with the second.
    pub delta: f64,
}

/// Whether different metrics cause different changes: Kruskal-Wallis over all, then Dunn and Cliff's delta in
/// pairs.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// The statistic over all metrics.
    pub h: f64,
    /// Its p-value.
    pub p: f64,
    /// All pairs.
    pub pairs: Vec<PairOfMetrics>,
}

/// Compares the changes of each benchmark under several metrics, with one list per metric. `None` if a test
/// is not defined.
pub fn difference(changes: &[Vec<f64>]) -> Option<Difference> {
    let all = rank::kruskal_wallis(changes)?;
    let mut pairs = Vec::new();
    for pair in rank::dunn(changes)? {
        let delta = rank::cliffs_delta(&changes[pair.first], &changes[pair.second])?;
        pairs.push(PairOfMetrics {
            metrics: (pair.first, pair.second),
            p_alone: pair.p,
            p: pair.adjusted,
            delta,
        });
    }
    Some(Difference { h: all.h, p: all.p, pairs })
}

#[cfg(test)]
mod tests {
    use super::super::{LevelSeries, Options, by_name, reduce};
    use super::*;

    fn reduction(value: impl Fn(u32) -> f64, options: &Options) -> Reduction {
        let points = (1..=10).map(|iteration| (vec![1, iteration], value(iteration))).collect();
        let series = LevelSeries::new(&[("fork", false), ("iteration", false)], points).unwrap();
        reduce(&series, by_name("cv").unwrap(), options).unwrap()
    }

    #[test]
    fn time_saved_is_over_the_whole_suite() {
        let options = Options { warmup: 5, ..Options::default() };
        let steady = reduction(|_| 1.0, &options);
        let wild = reduction(f64::from, &options);
        let both = Judgement::of(&[steady.clone(), wild.clone()]);
        assert_eq!((both.benchmarks, both.unstable), (2, 1));
        assert_eq!((both.full_seconds, both.seconds), (20.0, 13.0));
        assert!((both.saved() - 7.0 / 20.0).abs() < 1e-12);
        assert!((both.saved_with_warmup() - 7.0 / 30.0).abs() < 1e-12);
        assert_eq!(Judgement::of(&[]).saved(), 0.0);
        assert_eq!(within(&[steady, wild], 0.01), 1.0);
    }

    #[test]
    fn the_worst_end_of_an_interval_is_found_without_its_sign() {
        let options = Options::default();
        // Three equal values are enough, and the tenth of ten values doubles.
        let low = reduction(|iteration| if iteration < 10 { 1.0 } else { 2.0 }, &options);
        let (lo, hi) = worst_interval_changes(&[low.clone(), reduction(|_| 1.0, &options)]).unwrap();
        let own = low.interval_changes().unwrap();
        assert!(own.1 < 0.0 && (lo, hi) == (own.0.abs(), own.1.abs()), "{own:?} {lo} {hi}");
        assert_eq!(worst_interval_changes(&[]), None);
    }

    #[test]
    fn effects_have_words() {
        let words: Vec<&str> = [0.0, -0.147, 0.33, -1.0].iter().map(|delta| effect_word(*delta)).collect();
        assert_eq!(words, ["negligible", "small", "medium", "large"]);
    }

    #[test]
    fn metrics_that_change_alike_do_not_differ() {
        let alike: Vec<f64> = (0..30).map(|i| f64::from(i) * 0.001).collect();
        let shifted: Vec<f64> = alike.iter().map(|change| change + 0.1).collect();
        let found = difference(&[alike.clone(), alike, shifted]).unwrap();
        assert!(found.p < 1e-6);
        let p: Vec<f64> = found.pairs.iter().map(|pair| pair.p).collect();
        assert!(p[0] > 0.9 && p[1] < 1e-6 && p[2] < 1e-6, "{p:?}");
        assert_eq!(found.pairs[1].delta, -1.0);
    }
}
