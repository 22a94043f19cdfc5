//! Summarises records.

use std::collections::{BTreeMap, BTreeSet};

use benchwright_stats::{Interval, dispersion, proportion};

use super::records::{SameRecord, SlowerFound, SlowerRecord};

/// Confidence level of all intervals here.
const CONFIDENCE: f64 = 0.95;

/// A number of hits, of all values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Count {
    pub(crate) hits: u64,
    pub(crate) of: u64,
}

impl Count {
    /// Counts the hits among the values.
    pub(crate) fn of<T>(values: impl IntoIterator<Item = T>, is_hit: impl Fn(&T) -> bool) -> Count {
        let mut count = Count::default();
        for value in values {
            count.of += 1;
            count.hits += u64::from(is_hit(&value));
        }
        count
    }

    /// The exact interval of the rate (Clopper and Pearson).
    pub(crate) fn interval(self) -> Option<Interval> {
        proportion::clopper_pearson(self.hits, self.of, CONFIDENCE)
    }

    /// Formats the count: `2 of 300 (0.67 % [0.08, 2.39])`.
    pub(crate) fn describe(self) -> String {
        match self.interval() {
            Some(interval) => format!(
                "{} of {} ({:.2} % [{:.2}, {:.2}])",
                self.hits,
                self.of,
                100.0 * self.hits as f64 / self.of as f64,
                100.0 * interval.lo,
                100.0 * interval.hi
            ),
            None => "0 of 0".into(),
        }
    }
}

/// The results for identical code in one group of pairs.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SameSummary {
    pub(crate) flagged: Count,
    pub(crate) same: Count,
    pub(crate) undecided: Count,
    pub(crate) failed: usize,
    /// Comparisons of a whole suite with at least one flag.
    pub(crate) suites_flagged: Count,
    pub(crate) mean_duets: f64,
    pub(crate) median_duets: f64,
    pub(crate) mean_seconds: f64,
    pub(crate) median_seconds: f64,
    /// Total time of all comparisons.
    pub(crate) total_seconds: f64,
}

impl SameSummary {
    /// Summarises pairs. Those that could not be measured are only counted.
    pub(crate) fn of(records: &[&SameRecord]) -> SameSummary {
        let measured: Vec<&SameRecord> =
            records.iter().copied().filter(|record| record.reason != "failed").collect();
        let duets: Vec<f64> = measured.iter().map(|record| record.duets as f64).collect();
        let seconds: Vec<f64> = measured.iter().map(|record| record.seconds).collect();
        let has = |verdict: &str| Count::of(&measured, |record| record.verdict == verdict);
        let comparisons = comparisons(records);
        SameSummary {
            flagged: Count::of(&measured, |record| is_flagged(record)),
            same: has("same"),
            undecided: has("undecided"),
            failed: records.len() - measured.len(),
            suites_flagged: Count::of(comparisons.values(), |comparison| comparison.is_flagged),
            mean_duets: dispersion::mean(&duets).unwrap_or(0.0),
            median_duets: dispersion::median(&duets).unwrap_or(0.0),
            mean_seconds: dispersion::mean(&seconds).unwrap_or(0.0),
            median_seconds: dispersion::median(&seconds).unwrap_or(0.0),
            total_seconds: comparisons.values().map(|comparison| comparison.seconds).sum(),
        }
    }
}

/// Whether identical code was called changed.
pub(crate) fn is_flagged(record: &SameRecord) -> bool {
    matches!(record.verdict.as_str(), "slower" | "faster")
}

struct Comparison {
    is_flagged: bool,
    seconds: f64,
}

/// Whole comparisons by suite, load and seed.
fn comparisons<'a>(records: &[&'a SameRecord]) -> BTreeMap<(&'a str, &'a str, u64), Comparison> {
    let mut all = BTreeMap::new();
    for record in records {
        let key = (record.suite.as_str(), record.load.as_str(), record.seed);
        let comparison =
            all.entry(key).or_insert(Comparison { is_flagged: false, seconds: record.comparison_seconds });
        comparison.is_flagged |= is_flagged(record);
    }
    all
}

/// The results for slowed code.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SlowerSummary {
    pub(crate) found: Count,
    pub(crate) suites: usize,
    pub(crate) dropped: usize,
    pub(crate) median_true_excess: f64,
    pub(crate) median_duets: f64,
    pub(crate) median_seconds: f64,
    /// Slowdowns found by the test on ten repetitions, if they were run.
    pub(crate) peer_found: Count,
    pub(crate) median_peer_seconds: f64,
    /// Median over targets of the product's time divided by that of ten repetitions.
    pub(crate) median_time_ratio: f64,
    /// Number of targets for which the product took less time.
    pub(crate) sooner: Count,
}

impl SlowerSummary {
    /// Summarises all attempts.
    pub(crate) fn of(records: &[SlowerRecord]) -> SlowerSummary {
        let measured: Vec<&SlowerFound> = records.iter().filter_map(|record| record.found.as_ref()).collect();
        let suites: BTreeSet<&str> = records
            .iter()
            .filter(|record| record.found.is_some())
            .map(|record| record.suite.as_str())
            .collect();
        let median = |value: &dyn Fn(&SlowerFound) -> f64| {
            let values: Vec<f64> = measured.iter().map(|found| value(found)).collect();
            dispersion::median(&values).unwrap_or(f64::NAN)
        };
        SlowerSummary {
            found: Count::of(&measured, |found| found.verdict == "slower"),
            suites: suites.len(),
            dropped: records.len() - measured.len(),
            median_true_excess: median(&|found| found.true_ratio - 1.0),
            median_duets: median(&|found| found.duets as f64),
            median_seconds: median(&|found| found.seconds),
            peer_found: Count::of(
                measured.iter().filter_map(|found| found.peer_verdict.as_ref()),
                |verdict| *verdict == "slower",
            ),
            median_peer_seconds: median(&|found| found.peer_seconds),
            median_time_ratio: median(&|found| found.seconds / found.peer_seconds),
            sooner: Count::of(&measured, |found| found.seconds < found.peer_seconds),
        }
    }
}

#[cfg(test)]
pub(crate) fn found(verdict: &str, seconds: f64) -> SlowerFound {
    SlowerFound {
        spins: 10,
        true_ratio: 1.05,
        true_error: 0.002,
        measured_ratio: Some(1.052),
        measured_error: Some(0.004),
        nanoseconds: 1000.0,
        verdict: verdict.into(),
        reason: "confirmed".into(),
        effect: Some(1.051),
        lo: Some(1.04),
        hi: Some(1.06),
        duets: 12,
        seconds,
        peer_seconds: 20.0,
        peer_verdict: None,
        options: String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::records::same_record;
    use super::*;

    #[test]
    fn a_rate_comes_with_its_exact_interval() {
        // No hit in 300: the upper end solves (1 - p)^300 = 0.025.
        assert_eq!(Count { hits: 0, of: 300 }.describe(), "0 of 300 (0.00 % [0.00, 1.22])");
        assert_eq!(Count::default().describe(), "0 of 0");
        assert_eq!(Count::of([1, 2, 3], |value| *value > 1), Count { hits: 2, of: 3 });
    }

    #[test]
    fn flags_are_counted_by_pair_and_by_comparison() {
        let mut records = [
            same_record("a", 1, "idle", "same"),
            same_record("a", 1, "idle", "slower"),
            same_record("a", 1, "idle", "faster"),
            same_record("a", 3, "idle", "undecided"),
            same_record("b", 1, "idle", "same"),
            SameRecord { reason: "failed".into(), ..same_record("b", 1, "idle", "undecided") },
        ];
        records[0].duets = 11;
        let summary = SameSummary::of(&records.iter().collect::<Vec<_>>());
        assert_eq!(summary.flagged, Count { hits: 2, of: 5 });
        assert_eq!(summary.suites_flagged, Count { hits: 1, of: 3 });
        assert_eq!((summary.same.hits, summary.undecided.hits, summary.failed), (2, 1, 1));
        // (11 + 7 + 7 + 7 + 7) / 5 duets, and three comparisons of 30 s.
        assert_eq!((summary.mean_duets, summary.median_duets, summary.total_seconds), (7.8, 7.0, 90.0));
    }

    #[test]
    fn times_are_compared_target_by_target() {
        let record = |suite: &str, found| SlowerRecord {
            suite: suite.into(),
            package: "p".into(),
            benchmark: "B".into(),
            file: "a.go".into(),
            function: "f".into(),
            dropped: None,
            found,
        };
        let records = [
            record("a", Some(found("slower", 10.0))),
            record("a", Some(found("slower", 30.0))),
            record("b", Some(found("undecided", 15.0))),
            record("c", None),
        ];
        let summary = SlowerSummary::of(&records);
        assert_eq!((summary.found, summary.suites, summary.dropped), (Count { hits: 2, of: 3 }, 2, 1));
        // The ratios to 20 s are 0.5, 1.5 and 0.75.
        assert_eq!((summary.median_time_ratio, summary.sooner.hits), (0.75, 2));
    }
}
