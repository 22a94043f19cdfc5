//! The time for measuring.

use std::time::{Duration, Instant};

/// Fresh duets per suspect that screening leaves time for: one more than the minimum for a single suspect.
pub(crate) const FRESH_DUETS_RESERVED: u32 = 6;

/// The largest share of the budget that is held back for confirmation.
const MOST_RESERVED: f64 = 0.5;

/// A limit on the measuring time, if there is one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Budget {
    started: Instant,
    whole: Option<Duration>,
}

impl Budget {
    pub(crate) fn new(whole: Option<Duration>, started: Instant) -> Self {
        Budget { started, whole }
    }

    /// Whether something that takes `next` no longer fits into the budget.
    pub(crate) fn is_spent(&self, next: Duration) -> bool {
        self.whole.is_some_and(|whole| self.started.elapsed() + next > whole)
    }

    /// Whether another screening duet would use time held back for confirmation. `reserve` is the time that
    /// confirmation needs.
    pub(crate) fn must_end_screening(&self, next: Duration, reserve: Duration) -> bool {
        self.left_for_screening(reserve).is_some_and(|left| next > left)
    }

    /// The time left for screening, if there is a limit: without the time held back for confirmation.
    /// Screening keeps at least half of the whole, however large `reserve` is.
    pub(crate) fn left_for_screening(&self, reserve: Duration) -> Option<Duration> {
        let whole = self.whole?;
        Some(self.left()?.saturating_sub(reserve.min(whole.mul_f64(MOST_RESERVED))))
    }

    /// When the budget is spent, if there is a limit.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.whole.and_then(|whole| self.started.checked_add(whole))
    }

    /// The time that is left, if there is a limit.
    pub(crate) fn left(&self) -> Option<Duration> {
        self.whole.map(|whole| whole.saturating_sub(self.started.elapsed()))
    }

    /// A prediction, limited to what the budget allows.
    pub(crate) fn cap(&self, predicted: Duration) -> Duration {
        self.left().map_or(predicted, |left| predicted.min(left))
    }
}

/// The indices to leave out so that the rest fits into `left`. The most expensive ones are left out first, so
/// that as many as possible are decided.
pub(crate) fn too_expensive(needs: &[(usize, Duration)], left: Duration) -> Vec<usize> {
    let mut cheapest_first = needs.to_vec();
    cheapest_first.sort_by_key(|&(index, need)| (need, index));
    let mut spent = Duration::ZERO;
    let mut left_out = Vec::new();
    for (index, need) in cheapest_first {
        if spent + need <= left {
            spent += need;
        } else {
            left_out.push(index);
        }
    }
    left_out
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn no_budget_is_never_spent() {
        let budget = Budget::new(None, Instant::now());
        assert!(!budget.is_spent(SECOND * 1000) && !budget.must_end_screening(SECOND, SECOND * 1000));
    }

    #[test]
    fn the_most_expensive_are_left_out_first() {
        let needs = [(0, SECOND * 5), (1, SECOND * 50), (2, SECOND * 20), (3, SECOND * 30)];
        assert_eq!(too_expensive(&needs, SECOND * 200), Vec::<usize>::new());
        assert_eq!(too_expensive(&needs, SECOND * 60), [1]);
        assert_eq!(too_expensive(&needs, SECOND * 26), [3, 1]);
        assert_eq!(too_expensive(&needs, SECOND), [0, 2, 3, 1]);
    }

    #[test]
    fn screening_ends_while_suspects_can_still_be_confirmed() {
        let budget = Budget::new(Some(SECOND * 100), Instant::now());
        assert!(!budget.must_end_screening(SECOND, SECOND * 40));
        assert!(budget.must_end_screening(SECOND * 61, SECOND * 40));
        // However many suspects there are, screening keeps half of the time.
        assert!(!budget.must_end_screening(SECOND * 49, SECOND * 1000));
        assert!(!budget.is_spent(SECOND * 99));
        assert!(budget.is_spent(SECOND * 101));
    }
}
