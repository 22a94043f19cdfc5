//! Changes between versions, found by the full and by the chosen configurations.
//!
//! Configurations are chosen once, on one version, and used on later ones ([`speeds`]). For two versions,
//! [`confusion`] compares the changes they find with those that the full configurations find. [`Rates`] sums
//! up many pairs of versions.

use std::collections::BTreeMap;

use benchwright_stats::{Interval, dispersion};

use super::{Configuration, LevelSeries, Options, Sample, Stability};

/// The speed of a benchmark in one version.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Speed {
    /// The average time.
    pub average: f64,
    /// Its interval.
    pub interval: Interval,
}

/// The speed of a benchmark in one version, measured in full and by a configuration chosen elsewhere.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Speeds {
    /// With the full configuration.
    pub full: Speed,
    /// With the chosen configuration.
    pub chosen: Speed,
}

/// Both speeds of a benchmark by a metric's average and interval. `chosen` has the levels that the mode uses.
/// `None` if there is no average or no interval.
pub fn speeds(
    series: &LevelSeries,
    chosen: &Configuration,
    metric: &dyn Stability,
    options: &Options,
) -> Option<Speeds> {
    let series = options.mode.seen(series);
    let speed = |configuration: &Configuration| {
        let values = series.prefix(configuration);
        let interval = metric.interval_of(&Sample::new(&values, options.reported()), options.mode)?;
        Some(Speed { average: metric.average().of(&values)?, interval })
    };
    Some(Speeds { full: speed(&series.full())?, chosen: speed(chosen)? })
}

/// Compares two versions over the benchmarks that both have.
pub fn confusion(first: &BTreeMap<String, Speeds>, second: &BTreeMap<String, Speeds>) -> Confusion {
    let mut confusion = Confusion::default();
    for (name, before) in first {
        let Some(after) = second.get(name) else { continue };
        confusion.count(is_slower(&before.full, &after.full), is_slower(&before.chosen, &after.chosen));
    }
    confusion
}

/// How many benchmarks of both versions are faster in the second, measured in full.
pub fn faster(first: &BTreeMap<String, Speeds>, second: &BTreeMap<String, Speeds>) -> usize {
    let both = first.iter().filter_map(|(name, before)| Some((before, second.get(name)?)));
    both.filter(|(before, after)| is_faster(&before.full, &after.full)).count()
}

/// The smallest slowdown that counts as a change, as a share.
pub const LEAST_CHANGE: f64 = 0.03;

/// Whether the second version is slower by the paper's definition: by more than 3 %, with intervals that
/// neither overlap nor touch.
pub fn is_slower(first: &Speed, second: &Speed) -> bool {
    clear_change(first, second).is_some_and(|change| change > LEAST_CHANGE)
}

/// Whether it is faster by the same definition. The paper's program does not examine this.
pub fn is_faster(first: &Speed, second: &Speed) -> bool {
    clear_change(first, second).is_some_and(|change| change < -LEAST_CHANGE)
}

/// The change of the average as a share. `None` if the intervals overlap.
fn clear_change(first: &Speed, second: &Speed) -> Option<f64> {
    let overlap = first.interval.lo < second.interval.hi && second.interval.lo < first.interval.hi;
    (!overlap).then(|| (second.average - first.average) / first.average)
}

/// The changes that the smaller configurations find, compared with the full ones, for the benchmarks of one
/// pair of versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Confusion {
    /// Changes that both find.
    pub found: u32,
    /// Changes that only the full configuration finds.
    pub missed: u32,
    /// Changes that only the smaller one finds.
    pub false_alarms: u32,
    /// Benchmarks for which neither finds a change.
    pub same: u32,
}

impl Confusion {
    /// Counts one benchmark.
    pub fn count(&mut self, full: bool, chosen: bool) {
        match (full, chosen) {
            (true, true) => self.found += 1,
            (true, false) => self.missed += 1,
            (false, true) => self.false_alarms += 1,
            (false, false) => self.same += 1,
        }
    }

    /// The share of unchanged benchmarks that are called changed; 0 if there are none.
    pub fn false_positive_rate(&self) -> f64 {
        rate(self.false_alarms, self.same)
    }

    /// The share of changed benchmarks that are missed; 0 if there are none.
    pub fn false_negative_rate(&self) -> f64 {
        rate(self.missed, self.found)
    }
}

impl Confusion {
    /// Number of benchmarks that were compared.
    pub fn compared(&self) -> u32 {
        self.found + self.missed + self.false_alarms + self.same
    }

    /// Number of changes that the full configurations find.
    pub fn full_changes(&self) -> u32 {
        self.found + self.missed
    }

    /// Number of changes that the chosen configurations find, true or false.
    pub fn chosen_changes(&self) -> u32 {
        self.found + self.false_alarms
    }
}

/// Smallest, median and largest of a rate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// The smallest.
    pub least: f64,
    /// The median.
    pub median: f64,
    /// The largest.
    pub greatest: f64,
}

impl Spread {
    fn of(values: &[f64]) -> Option<Spread> {
        Some(Spread {
            least: values.iter().copied().reduce(f64::min)?,
            median: dispersion::median(values)?,
            greatest: values.iter().copied().reduce(f64::max)?,
        })
    }
}

/// Rates over pairs of versions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rates {
    /// The sum over all pairs.
    pub total: Confusion,
    /// Spread of the false positive rates.
    pub false_positive: Spread,
    /// Spread of the false negative rates.
    pub false_negative: Spread,
}

impl Rates {
    /// The rates of these pairs. `None` if there are no pairs.
    pub fn of(pairs: &[Confusion]) -> Option<Rates> {
        let rates = |rate: fn(&Confusion) -> f64| pairs.iter().map(rate).collect::<Vec<f64>>();
        let sum = |part: fn(&Confusion) -> u32| pairs.iter().map(part).sum();
        Some(Rates {
            total: Confusion {
                found: sum(|pair| pair.found),
                missed: sum(|pair| pair.missed),
                false_alarms: sum(|pair| pair.false_alarms),
                same: sum(|pair| pair.same),
            },
            false_positive: Spread::of(&rates(Confusion::false_positive_rate))?,
            false_negative: Spread::of(&rates(Confusion::false_negative_rate))?,
        })
    }
}

fn rate(wrong: u32, right: u32) -> f64 {
    if wrong == 0 { 0.0 } else { f64::from(wrong) / f64::from(wrong + right) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_larger_than_three_percent_and_clear() {
        let speed = |average: f64, width: f64| Speed {
            average,
            interval: Interval { lo: average - width, hi: average + width },
        };
        let check = |first, second, expected| assert_eq!(is_slower(&first, &second), expected);
        check(speed(1.0, 0.01), speed(1.05, 0.01), true);
        check(speed(1.0, 0.01), speed(1.02, 0.001), false);
        check(speed(1.0, 0.03), speed(1.05, 0.03), false);
        check(speed(1.0, 0.01), speed(0.5, 0.01), false);
        // 1 + 0.25 touches 1.5 - 0.25.
        check(speed(1.0, 0.25), speed(1.5, 0.25), true);
        assert!(is_faster(&speed(1.0, 0.01), &speed(0.9, 0.01)));
        assert!(!is_faster(&speed(1.0, 0.01), &speed(0.98, 0.001)));
        assert!(!is_faster(&speed(1.0, 0.01), &speed(1.1, 0.01)));
    }

    #[test]
    fn rates_have_the_right_denominators() {
        let mut confusion = Confusion::default();
        assert_eq!((confusion.false_positive_rate(), confusion.false_negative_rate()), (0.0, 0.0));
        for (full, chosen) in
            [(true, true), (true, false), (false, true), (false, false), (false, false), (false, false)]
        {
            confusion.count(full, chosen);
        }
        assert_eq!(confusion.false_positive_rate(), 0.25);
        assert_eq!(confusion.false_negative_rate(), 0.5);
    }

    #[test]
    fn versions_are_compared_over_what_both_have() {
        let speeds = |full: f64, chosen: f64| {
            let speed = |average: f64| Speed {
                average,
                interval: Interval { lo: average - 0.01, hi: average + 0.01 },
            };
            Speeds { full: speed(full), chosen: speed(chosen) }
        };
        let version = |benchmarks: &[(&str, f64, f64)]| -> BTreeMap<String, Speeds> {
            benchmarks.iter().map(|(name, full, chosen)| (name.to_string(), speeds(*full, *chosen))).collect()
        };
        let first = version(&[("a", 1.0, 1.0), ("b", 1.0, 1.0), ("c", 1.0, 1.0), ("gone", 1.0, 1.0)]);
        let second = version(&[("a", 1.2, 1.2), ("b", 1.2, 1.0), ("c", 1.0, 1.2), ("new", 9.0, 9.0)]);
        let found = confusion(&first, &second);
        assert_eq!(found, Confusion { found: 1, missed: 1, false_alarms: 1, same: 0 });
        assert_eq!((found.compared(), found.full_changes(), found.chosen_changes()), (3, 2, 2));
        assert_eq!((faster(&first, &second), faster(&second, &first)), (0, 2));
    }

    #[test]
    fn rates_are_spread_over_pairs_and_counts_are_summed() {
        let pair = |found, missed| Confusion { found, missed, false_alarms: 0, same: 10 };
        let rates = Rates::of(&[pair(1, 1), pair(3, 1), pair(0, 0)]).unwrap();
        assert_eq!((rates.total.full_changes(), rates.total.same), (6, 30));
        assert_eq!(rates.false_negative, Spread { least: 0.0, median: 0.25, greatest: 0.5 });
        assert_eq!(Rates::of(&[]), None);
    }

    #[test]
    fn speeds_follow_a_configuration_into_another_version() {
        use crate::reduce::{Mode, by_name};
        let mut points = Vec::new();
        for instance in 1..=2 {
            for iteration in 1..=4 {
                points.push((vec![instance, iteration], f64::from(10 * instance + iteration)));
            }
        }
        let series = LevelSeries::new(&[("instance", true), ("iteration", false)], points).unwrap();
        let rmad = by_name("rmad").unwrap();
        let paper = speeds(&series, &Configuration(vec![2, 3]), rmad, &Options::default()).unwrap();
        assert_eq!((paper.full.average, paper.chosen.average), (17.5, 17.0));
        let options = Options { mode: Mode::Prototype, ..Options::default() };
        let prototype = speeds(&series, &Configuration(vec![3]), rmad, &options).unwrap();
        assert_eq!((prototype.full.average, prototype.chosen.average), (12.5, 12.0));
    }
}
