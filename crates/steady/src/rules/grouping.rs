//! Combines shorter iterations to longer ones.

use std::time::Duration;

/// Elapsed times are whole nanoseconds. With this tolerance ten iterations of a tenth of a second make one
/// second in spite of rounding.
const ROUNDING_S: f64 = 1e-7;

/// Counts iterations of a given length, made from shorter (or longer) ones. An iteration that is longer than
/// the length counts as one. Time beyond the length at the end of a group does not count for the next group,
/// as in the replays of Traini et al. 2023.
#[derive(Debug, Clone)]
pub(crate) struct Grouping {
    length_s: f64,
    filled_s: f64,
    last: Duration,
}

impl Grouping {
    /// Groups of this length.
    pub(crate) fn new(length: Duration) -> Self {
        Grouping { length_s: length.as_secs_f64(), filled_s: 0.0, last: Duration::ZERO }
    }

    /// Takes the time that has passed since the beginning. Returns whether a group ends here.
    pub(crate) fn is_complete(&mut self, elapsed: Duration) -> bool {
        self.filled_s += elapsed.saturating_sub(self.last).as_secs_f64();
        self.last = elapsed;
        let is_complete = self.filled_s + ROUNDING_S >= self.length_s;
        if is_complete {
            self.filled_s = 0.0;
        }
        is_complete
    }

    /// Continues with groups of another length. A group that had begun is dropped.
    pub(crate) fn restart(&mut self, length: Duration) {
        self.length_s = length.as_secs_f64();
        self.filled_s = 0.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(millis: &[u64], length_ms: u64, expected: &[usize]) {
        let mut grouping = Grouping::new(Duration::from_millis(length_ms));
        let mut elapsed = Duration::ZERO;
        let ends: Vec<usize> = millis
            .iter()
            .enumerate()
            .filter(|(_, millis)| {
                elapsed += Duration::from_millis(**millis);
                grouping.is_complete(elapsed)
            })
            .map(|(index, _)| index)
            .collect();
        assert_eq!(ends, expected);
    }

    #[test]
    fn groups_end_when_their_time_is_full() {
        check(&[100; 20], 1000, &[9, 19]);
        // The excess of 200 ms is dropped.
        check(&[400; 6], 1000, &[2, 5]);
        check(&[2500, 100, 2500], 1000, &[0, 2]);
        check(&[100; 3], 0, &[0, 1, 2]);
    }

    #[test]
    fn rounding_does_not_lengthen_a_group() {
        let mut grouping = Grouping::new(Duration::from_secs(1));
        let ends = (1..=10).filter(|i| grouping.is_complete(Duration::from_nanos(i * 99_999_999)));
        assert_eq!(ends.collect::<Vec<_>>(), [10]);
    }
}
