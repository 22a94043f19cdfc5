//! A predicted time.

use std::time::Duration;

/// A predicted time. The actual time is between `low` and `high` in about four of five cases.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TimeRange {
    /// Less is unlikely.
    pub low: Duration,
    /// As likely too long as too short.
    pub middle: Duration,
    /// More is unlikely.
    pub high: Duration,
}

impl TimeRange {
    /// A time that is known exactly.
    pub fn exactly(time: Duration) -> Self {
        TimeRange { low: time, middle: time, high: time }
    }

    /// From `middle / factor` to `middle * factor`. Factors below 1 count as 1.
    pub fn within_factor(middle: Duration, factor: f64) -> Self {
        let factor = factor.max(1.0);
        let seconds = |secs: f64| Duration::try_from_secs_f64(secs).unwrap_or(Duration::MAX);
        let middle_secs = middle.as_secs_f64();
        TimeRange { low: seconds(middle_secs / factor), middle, high: seconds(middle_secs * factor) }
    }

    /// Whether `time` is in the range, ends included.
    pub fn contains(&self, time: Duration) -> bool {
        (self.low..=self.high).contains(&time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_factor_makes_a_range_around_the_middle() {
        let seconds = Duration::from_secs;
        let range = TimeRange::within_factor(seconds(30), 2.0);
        assert_eq!(range, TimeRange { low: seconds(15), middle: seconds(30), high: seconds(60) });
        assert!(range.contains(seconds(15)) && range.contains(seconds(60)) && !range.contains(seconds(61)));
        assert_eq!(TimeRange::within_factor(seconds(30), 0.5), TimeRange::exactly(seconds(30)));
    }
}
