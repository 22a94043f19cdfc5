//! Steady when a classifier accepts the last 100 iterations.

use std::time::Duration;

use crate::nets::{Classifier, WINDOW};
use crate::{Cut, Decision, StopRule, WhyCut, cut_at_the_end};

/// As published, after this many iterations the last window is measured even if it is not steady.
const MOST_WARMUP: usize = 500;

/// Ends as soon as the classifier's score of the last 100 iterations reaches its threshold. These iterations
/// are the measured ones. After 500 iterations, or the cap, the next window is used as it is. Traini, Di
/// Menna & Cortellessa 2024 (ASE).
///
/// It uses the shape of one window, but not its level or earlier values. Values that are not positive numbers
/// are never steady. A decision takes up to a millisecond; nothing is allocated.
#[derive(Debug, Clone)]
pub struct Windowed {
    classifier: Classifier,
    cap: Option<Duration>,
    /// The last values. The first entries are unused until the window is full.
    window: [f64; WINDOW],
    /// Number of warm-up iterations after which it ends in any case.
    most: usize,
    seen: u32,
    stopped: Option<(Cut, Option<f64>)>,
}

impl Windowed {
    /// A rule for one process. Warm-up takes at most `cap`.
    pub fn new(classifier: Classifier, cap: Option<Duration>) -> Self {
        Windowed { classifier, cap, window: [0.0; WINDOW], most: MOST_WARMUP, seen: 0, stopped: None }
    }
}

impl StopRule for Windowed {
    fn sample(&mut self, value: f64, elapsed: Duration) -> Decision {
        if let Some((cut, _)) = self.stopped {
            return Decision::Stop(cut);
        }
        self.seen = self.seen.saturating_add(1);
        let seen = self.seen as usize;
        self.window.rotate_left(1);
        self.window[WINDOW - 1] = value;
        if self.cap.is_some_and(|cap| elapsed >= cap) {
            self.most = self.most.min(seen);
        }
        let Some(warmup) = seen.checked_sub(WINDOW) else { return Decision::GoOn };
        let are_times = self.window.iter().all(|value| *value > 0.0);
        let score = if are_times { self.classifier.score(&self.window) } else { None };
        let is_steady = score.is_some_and(|score| score >= self.classifier.threshold());
        if !is_steady && warmup < self.most {
            return Decision::GoOn;
        }
        let why = if is_steady { WhyCut::Steady } else { WhyCut::Unsteady };
        let cut = Cut { warmup: warmup as u32, why };
        self.stopped = Some((cut, score));
        Decision::Stop(cut)
    }

    fn cut(&self) -> Cut {
        cut_at_the_end(self.stopped.map(|(cut, _)| cut), self.seen, WINDOW as u32)
    }

    fn reason(&self) -> String {
        let least = self.classifier.threshold();
        match self.stopped {
            Some((Cut { why: WhyCut::Steady, .. }, Some(score))) => {
                format!("the classifier gives the last {WINDOW} iterations {score:.2}, at least {least:.2}")
            }
            Some((cut, _)) => {
                format!(
                    "the limit of {} warm-up iterations was reached, and no window was steady",
                    cut.warmup
                )
            }
            None => format!("the process ended before {WINDOW} iterations were steady"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nets::Model;
    use crate::replay;

    fn rule(model: Model, cap: Option<Duration>) -> Windowed {
        Windowed::new(Classifier::new(model), cap)
    }

    #[test]
    fn the_window_is_what_is_measured_and_warm_up_has_an_end() {
        let falling: Vec<f64> = (0..2000).map(|i| 1e-3 / f64::from(i + 5)).collect();
        for model in [Model::Oscnn, Model::Fcn, Model::Rocket] {
            let stop = replay(&mut rule(model, None), &falling, 0.1).expect("values");
            assert!(
                stop.is_decided && stop.end == stop.warmup + 100 && stop.warmup <= 500,
                "{model:?} {stop:?}"
            );
            let short =
                replay(&mut rule(model, Some(Duration::from_secs(7))), &falling, 0.1).expect("values");
            assert!(short.warmup <= 70.min(stop.warmup), "{model:?} {short:?}");
        }
    }

    #[test]
    fn what_is_no_time_is_never_steady() {
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let stop = replay(&mut rule(Model::Rocket, None), &[bad; 700], 0.1).expect("values");
            assert_eq!((stop.warmup, stop.why), (500, WhyCut::Unsteady), "{bad}");
        }
    }

    #[test]
    fn a_process_that_ends_before_the_window_is_full_keeps_what_it_has() {
        let stop = replay(&mut rule(Model::Fcn, None), &[1e-6; 60], 0.1).expect("values");
        assert_eq!((stop.warmup, stop.end, stop.is_decided), (0, 60, false));
        assert!(stop.reason.contains("ended before 100"));
    }
}
