//! Counts results, and computes rates with intervals.

use super::draw::Generator;

/// Numbers of missed changes and false alarms for one benchmark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Counts {
    /// Comparisons with a change.
    pub(super) changed: u32,
    /// Comparisons with a change that was not found.
    pub(super) missed: u32,
    /// Comparisons without a change.
    pub(super) unchanged: u32,
    /// Comparisons without a change in which one was found.
    pub(super) alarms: u32,
}

impl Counts {
    pub(super) fn add(&mut self, other: Counts) {
        self.changed += other.changed;
        self.missed += other.missed;
        self.unchanged += other.unchanged;
        self.alarms += other.alarms;
    }
}

/// A rate with the ends of its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rate {
    /// The rate.
    pub(super) value: f64,
    /// The lower end.
    pub(super) lo: f64,
    /// The upper end.
    pub(super) hi: f64,
}

/// A kind of rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// The share of changes that were missed.
    Missed,
    /// The share of comparisons without a change that gave a false alarm.
    Alarms,
}

impl Kind {
    fn of(self, counts: &Counts) -> f64 {
        let (part, whole) = match self {
            Kind::Missed => (counts.missed, counts.changed),
            Kind::Alarms => (counts.alarms, counts.unchanged),
        };
        if whole == 0 { 0.0 } else { f64::from(part) / f64::from(whole) }
    }
}

/// Number of resamples of the benchmarks.
const RESAMPLES: u64 = 400;

/// A rate over benchmarks. Repetitions on one benchmark are not independent, so benchmarks are resampled and
/// not comparisons.
pub(super) fn rate(kind: Kind, benchmarks: &[Counts]) -> Rate {
    with_interval(benchmarks.len(), |chosen| kind.of(&sum(benchmarks, chosen)))
}

/// The difference between the rates of two contenders on the same benchmarks.
pub(super) fn difference(kind: Kind, first: &[Counts], second: &[Counts]) -> Rate {
    with_interval(first.len(), |chosen| kind.of(&sum(first, chosen)) - kind.of(&sum(second, chosen)))
}

fn sum(benchmarks: &[Counts], chosen: &[usize]) -> Counts {
    let mut total = Counts::default();
    for at in chosen {
        total.add(benchmarks[*at]);
    }
    total
}

fn with_interval(benchmarks: usize, statistic: impl Fn(&[usize]) -> f64) -> Rate {
    let all: Vec<usize> = (0..benchmarks).collect();
    let mut drawn: Vec<f64> = (0..RESAMPLES)
        .map(|resample| {
            let mut generator = Generator::new(&[resample, 7]);
            let chosen: Vec<usize> = all.iter().map(|_| generator.below(benchmarks)).collect();
            statistic(&chosen)
        })
        .collect();
    drawn.sort_by(f64::total_cmp);
    let at =
        |share: f64| drawn.get((share * (drawn.len() - 1) as f64).round() as usize).copied().unwrap_or(0.0);
    Rate { value: statistic(&all), lo: at(0.025), hi: at(0.975) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(missed: u32, alarms: u32) -> Counts {
        Counts { changed: 10, missed, unchanged: 10, alarms }
    }

    #[test]
    fn rates_are_over_all_benchmarks_and_intervals_over_resampled_ones() {
        let equal = [counts(5, 0); 8];
        assert_eq!(rate(Kind::Missed, &equal), Rate { value: 0.5, lo: 0.5, hi: 0.5 });
        let split = [[counts(10, 0); 4], [counts(0, 0); 4]].concat();
        let found = rate(Kind::Missed, &split);
        assert!(found.value == 0.5 && found.lo < 0.3 && found.hi > 0.7, "{found:?}");
        assert_eq!(rate(Kind::Alarms, &split).hi, 0.0);
        assert_eq!(rate(Kind::Missed, &[]).value, 0.0);
    }

    #[test]
    fn differences_are_on_the_same_benchmarks() {
        let hard = [counts(10, 1), counts(1, 0), counts(5, 2), counts(7, 0)];
        let easier = hard.map(|one| Counts { missed: one.missed - 1, ..one });
        let found = difference(Kind::Missed, &easier, &hard);
        assert!((found.value + 0.1).abs() < 1e-12 && (found.hi + 0.1).abs() < 1e-12, "{found:?}");
    }
}
