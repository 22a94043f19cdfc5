//! Changes between versions, found by the full and by the chosen configurations.

use benchwright_stats::Interval;

/// The speed of a benchmark in one version.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Speed {
    /// The average time.
    pub average: f64,
    /// Its interval.
    pub interval: Interval,
}

/// A slowdown from here on is a change, as a share.
pub const LEAST_CHANGE: f64 = 0.03;

/// Whether the second version is slower, as the paper decides it: by more than 3 %, and with intervals that do not overlap;
/// those that touch do not.
pub fn is_slower(first: &Speed, second: &Speed) -> bool {
    let change = (second.average - first.average) / first.average;
    let overlap = first.interval.lo < second.interval.hi && second.interval.lo < first.interval.hi;
    change > LEAST_CHANGE && !overlap
}

/// What the smaller configurations say against what the full ones say, over the benchmarks of one pair of versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Confusion {
    /// Changes both find.
    pub found: u32,
    /// Changes only the full configuration finds.
    pub missed: u32,
    /// Changes only the smaller one finds.
    pub false_alarms: u32,
    /// Benchmarks neither finds changed.
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
}
