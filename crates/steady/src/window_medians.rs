//! Steady when the medians of the last few windows agree.

use std::time::Duration;

use crate::{Cut, Decision, Limits, StopRule, WhyCut, cut_at_the_end};

/// Iterations of one window.
const WINDOW: usize = 5;

/// Windows that have to agree.
const WINDOWS: usize = 3;

/// Medians agree if they differ by at most this share. This is one of twelve variants tried on 781 recorded
/// processes (windows of 5 to 20 iterations, 0.5 % to 2 %, with and without an allowance for scatter). They
/// trade warm-up time for the remaining error, and none is accurate.
const TOLERANCE: f64 = 0.01;

/// Warm-up ends when the medians of the last three windows of five iterations differ by at most 1 %. The
/// iterations after that are measured.
///
/// It uses only the recent past, so it cannot predict a later change: no rule that stops earlier can detect
/// code that is compiled again after twenty quiet seconds. A series that varies more than the tolerance ends
/// at the cap, or by chance before it. Values that are not positive numbers never agree. Takes constant time
/// and allocates nothing.
#[derive(Debug, Clone)]
pub struct WindowMedians {
    limits: Limits,
    /// The last values. The first entries are unused until there are enough values.
    recent: [f64; WINDOW * WINDOWS],
    seen: u32,
    cut: Option<Cut>,
}

impl WindowMedians {
    /// A rule for one process.
    pub fn new(limits: Limits) -> Self {
        WindowMedians { limits, recent: [0.0; WINDOW * WINDOWS], seen: 0, cut: None }
    }

    fn take(&mut self, value: f64) {
        self.recent.rotate_left(1);
        self.recent[WINDOW * WINDOWS - 1] = value;
    }

    /// Whether all windows agree.
    fn is_steady(&self) -> bool {
        let are_times = self.recent.iter().all(|value| value.is_finite() && *value > 0.0);
        if (self.seen as usize) < WINDOW * WINDOWS || !are_times {
            return false;
        }
        let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
        for window in self.recent.as_chunks::<WINDOW>().0 {
            let mut sorted = *window;
            sorted.sort_unstable_by(f64::total_cmp);
            let median = sorted[WINDOW / 2];
            (least, most) = (least.min(median), most.max(median));
        }
        most - least <= TOLERANCE * least
    }
}

impl StopRule for WindowMedians {
    fn sample(&mut self, value: f64, elapsed: Duration) -> Decision {
        self.seen = self.seen.saturating_add(1);
        if let Some(cut) = self.cut {
            let is_enough = self.seen - cut.warmup >= self.limits.iterations;
            return if is_enough { Decision::Stop(cut) } else { Decision::GoOn };
        }
        self.take(value);
        if elapsed >= self.limits.floor && self.is_steady() {
            self.cut = Some(Cut { warmup: self.seen, why: WhyCut::Steady });
        } else if elapsed >= self.limits.cap {
            self.cut = Some(Cut { warmup: self.seen, why: WhyCut::Unsteady });
        }
        Decision::GoOn
    }

    fn cut(&self) -> Cut {
        cut_at_the_end(self.cut, self.seen, self.limits.iterations)
    }

    fn reason(&self) -> String {
        let share = TOLERANCE * 100.0;
        match self.cut.map(|cut| cut.why) {
            Some(WhyCut::Steady) => {
                format!(
                    "the medians of the last {WINDOWS} windows of {WINDOW} iterations agree within {share} %"
                )
            }
            Some(_) => format!(
                "the medians of {WINDOWS} windows of {WINDOW} iterations did not agree within {share} % in {} s",
                self.limits.cap.as_secs_f64()
            ),
            None => format!("the process ended after {} iterations, before its values agreed", self.seen),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ITERATION: Duration = Duration::from_millis(100);

    /// Passes values until the rule has enough. Returns the number of iterations it took, and the cut.
    fn play(values: impl IntoIterator<Item = f64>, limits: Limits) -> (usize, Option<Cut>) {
        let mut rule = WindowMedians::new(limits);
        let mut taken = 0;
        for value in values {
            taken += 1;
            if let Decision::Stop(cut) = rule.sample(value, ITERATION * taken as u32) {
                assert_eq!(rule.cut(), cut);
                return (taken, Some(cut));
            }
        }
        (taken, None)
    }

    fn limits() -> Limits {
        Limits::new(Duration::from_secs(30), 3)
    }

    #[test]
    fn a_flat_series_stops_after_the_windows_and_the_measured_iterations() {
        let (taken, cut) = play(std::iter::repeat(1.0), limits());
        assert_eq!((taken, cut), (18, Some(Cut { warmup: 15, why: WhyCut::Steady })));
    }

    #[test]
    fn the_floor_holds_even_if_everything_is_steady() {
        let slow_to_start = Limits { floor: Duration::from_secs(5), ..limits() };
        assert_eq!(play(std::iter::repeat(1.0), slow_to_start).1.map(|cut| cut.warmup), Some(50));
    }

    #[test]
    fn a_fall_is_waited_for() {
        // Falls by 3 % per iteration for 8 s and then is flat. The last window that contains the fall must be
        // over.
        let falling = (0..).map(|i| 1.0 + 10.0 * 0.97_f64.powi(i.min(80)));
        let cut = play(falling, limits()).1.expect("a stop");
        assert!(cut.why == WhyCut::Steady && (70..=100).contains(&cut.warmup), "{cut:?}");
    }

    #[test]
    fn windows_agree_up_to_one_per_cent() {
        let fallen = |by: f64| (0..).map(move |i| if i < 10 { 1.0 + by } else { 1.0 });
        let warmup = |by: f64| play(fallen(by), limits()).1.expect("a stop").warmup;
        assert_eq!(warmup(0.0099), 15);
        // The median of the first window equals that of the others when three of its values do.
        assert_eq!(warmup(0.0101), 23);
    }

    #[test]
    fn single_wild_values_change_nothing() {
        let spiky = (0..).map(|i| if i % 5 == 3 { 50.0 } else { 1.0 });
        assert_eq!(play(spiky, limits()).1, Some(Cut { warmup: 15, why: WhyCut::Steady }));
    }

    #[test]
    fn what_never_gets_steady_ends_at_the_cap() {
        let growing = (0..).map(|i| 1.1_f64.powi(i));
        let (taken, cut) = play(growing, limits());
        assert_eq!((taken, cut), (303, Some(Cut { warmup: 300, why: WhyCut::Unsteady })));
    }

    #[test]
    fn slow_iterations_reach_the_cap_by_time() {
        let mut rule = WindowMedians::new(Limits::new(Duration::from_secs(10), 2));
        let decisions: Vec<Decision> =
            (1..=5).map(|i| rule.sample(4.0, Duration::from_secs(4 * i))).collect();
        let cut = Cut { warmup: 3, why: WhyCut::Unsteady };
        assert_eq!(decisions[3..], [Decision::GoOn, Decision::Stop(cut)]);
    }

    #[test]
    fn a_process_that_ended_early_keeps_its_last_iterations() {
        let check = |seen: u32, expected: u32| {
            let mut rule = WindowMedians::new(limits());
            (0..seen).for_each(|i| {
                let _ = rule.sample(1.0, ITERATION * i);
            });
            assert_eq!(rule.cut().warmup, expected, "{seen}");
        };
        check(0, 0);
        check(2, 0);
        check(10, 7);
        // Steady after 15. If no iteration is measured yet, the last three count; if one is, only that one
        // counts.
        check(15, 12);
        check(16, 15);
    }

    #[test]
    fn zeros_and_worse_are_never_steady() {
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let cut = play(std::iter::repeat(bad), limits()).1.expect("the cap");
            assert_eq!(cut.why, WhyCut::Unsteady, "{bad}");
        }
    }

    proptest! {
        #[test]
        fn anything_ends_soon_after_the_cap_with_iterations_left(
            values in prop::collection::vec(any::<f64>(), 400),
            iterations in 1u32..20,
        ) {
            let (taken, cut) = play(values, Limits::new(Duration::from_secs(30), iterations));
            let cut = cut.expect("300 iterations are the cap");
            prop_assert_eq!(taken as u32, cut.warmup + iterations);
            prop_assert!(cut.warmup <= 300);
        }

        #[test]
        fn the_unit_does_not_matter(values in prop::collection::vec(0.5f64..2.0, 320), power in -9i32..9) {
            let scaled: Vec<f64> = values.iter().map(|value| value * 2f64.powi(power)).collect();
            prop_assert_eq!(play(values, limits()), play(scaled, limits()));
        }
    }
}
