//! Steady when the last values vary little.

use std::collections::VecDeque;
use std::time::Duration;

use benchwright_stats::dispersion::{Divisor, coefficient_of_variation};

use crate::{Cut, Decision, StopRule, WhyCut, cut_at_the_end};

/// Options of [`Georges`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GeorgesOptions {
    /// Number of iterations in the window, which are the measured ones; at least 2.
    pub window: u32,
    /// The window is steady if its coefficient of variation, a ratio, is below this.
    pub threshold: f64,
    /// After this time the last window is measured even if it is not steady.
    pub cap: Duration,
}

impl GeorgesOptions {
    /// 30 values that vary by less than 2 %, as Traini et al. 2023 adopted it from Georges et al. 2007
    /// (OOPSLA); no cap.
    pub const PUBLISHED: GeorgesOptions = GeorgesOptions { window: 30, threshold: 0.02, cap: Duration::MAX };
}

/// Number of values for which memory is reserved. Much longer windows do not occur.
const RESERVED: u32 = 1000;

/// Ends as soon as the coefficient of variation of the last few iterations (n in the denominator) is below a
/// threshold. These iterations are the measured ones. Georges, Buytaert & Eeckhout 2007 (OOPSLA).
///
/// It uses the values themselves: a benchmark that always varies by more than the threshold runs to the cap,
/// and a slow drift is not detected. Values that are not positive numbers are never steady. The sum over a
/// window of 30 is computed again for every value, which takes well below a microsecond. Nothing is allocated
/// for windows of up to a thousand.
#[derive(Debug)]
pub struct Georges {
    options: GeorgesOptions,
    window: VecDeque<f64>,
    seen: u32,
    stopped: Option<(Cut, Option<f64>)>,
}

impl Georges {
    /// A rule for one process.
    pub fn new(options: GeorgesOptions) -> Self {
        let options = GeorgesOptions { window: options.window.max(2), ..options };
        let window = VecDeque::with_capacity(options.window.min(RESERVED) as usize);
        Georges { options, window, seen: 0, stopped: None }
    }

    /// The coefficient of variation of a full window of positive numbers.
    fn variation(&mut self) -> Option<f64> {
        if self.window.len() < self.options.window as usize {
            return None;
        }
        let values: &[f64] = self.window.make_contiguous();
        let are_times = values.iter().all(|value| value.is_finite() && *value > 0.0);
        are_times.then(|| coefficient_of_variation(values, Divisor::Population)).flatten()
    }
}

/// A plan clones a rule for every process. A derived clone would reserve memory only for the present values,
/// of which there are none.
impl Clone for Georges {
    fn clone(&self) -> Self {
        let mut window = VecDeque::with_capacity(self.window.capacity());
        window.extend(&self.window);
        Georges { options: self.options, window, seen: self.seen, stopped: self.stopped }
    }
}

impl StopRule for Georges {
    fn sample(&mut self, value: f64, elapsed: Duration) -> Decision {
        self.seen = self.seen.saturating_add(1);
        if self.window.len() == self.options.window as usize {
            self.window.pop_front();
        }
        self.window.push_back(value);
        let variation = self.variation();
        let is_steady = variation.is_some_and(|variation| variation < self.options.threshold);
        let is_over = self.seen >= self.options.window && elapsed >= self.options.cap;
        if !is_steady && !is_over {
            return Decision::GoOn;
        }
        let why = if is_steady { WhyCut::Steady } else { WhyCut::Unsteady };
        let cut = Cut { warmup: self.seen - self.options.window, why };
        self.stopped = Some((cut, variation));
        Decision::Stop(cut)
    }

    fn cut(&self) -> Cut {
        cut_at_the_end(self.stopped.map(|(cut, _)| cut), self.seen, self.options.window)
    }

    fn reason(&self) -> String {
        let GeorgesOptions { window, threshold, cap } = self.options;
        let (wanted, seconds) = (threshold * 100.0, cap.as_secs_f64());
        match self.stopped {
            Some((Cut { why: WhyCut::Steady, .. }, Some(variation))) => {
                format!(
                    "the last {window} iterations vary by {:.2} %, less than {wanted} %",
                    variation * 100.0
                )
            }
            Some(_) => {
                format!("{seconds} s passed and no {window} iterations varied by less than {wanted} %")
            }
            None => format!("the process ended before {window} iterations varied by less than {wanted} %"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay;

    /// Alternates by ± `share` around 1 µs, so that the coefficient of variation is `share` itself.
    fn wobble(share: f64, n: usize) -> Vec<f64> {
        (0..n).map(|i| 1e-6 * if i % 2 == 0 { 1.0 + share } else { 1.0 - share }).collect()
    }

    fn check(values: &[f64], options: GeorgesOptions, expected: (u32, u32, WhyCut)) {
        let stop = replay(&mut Georges::new(options), values, 0.1).expect("values");
        assert_eq!((stop.warmup, stop.end, stop.why), expected);
    }

    #[test]
    fn the_window_is_what_is_measured() {
        check(&wobble(0.019, 100), GeorgesOptions::PUBLISHED, (0, 30, WhyCut::Steady));
        check(&wobble(0.021, 100), GeorgesOptions::PUBLISHED, (70, 100, WhyCut::Unsteady));
        let warm: Vec<f64> = [2e-6; 40].into_iter().chain([1e-6; 60]).collect();
        check(&warm, GeorgesOptions::PUBLISHED, (0, 30, WhyCut::Steady));
        let falling: Vec<f64> = (0..40).map(|i| 5e-6 - 1e-7 * f64::from(i)).chain([1e-6; 60]).collect();
        // With one value of 1.1 µs among thirty, the variation is still 1.8 %.
        check(&falling, GeorgesOptions::PUBLISHED, (39, 69, WhyCut::Steady));
    }

    #[test]
    fn the_cap_measures_the_last_window() {
        let capped = GeorgesOptions { cap: Duration::from_secs(5), ..GeorgesOptions::PUBLISHED };
        check(&wobble(0.5, 100), capped, (20, 50, WhyCut::Unsteady));
        // Less than a window has passed, so the window is completed first.
        let early = GeorgesOptions { cap: Duration::from_secs(1), ..GeorgesOptions::PUBLISHED };
        check(&wobble(0.5, 100), early, (0, 30, WhyCut::Unsteady));
    }

    #[test]
    fn what_is_no_time_is_never_steady() {
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            check(&[bad; 50], GeorgesOptions::PUBLISHED, (20, 50, WhyCut::Unsteady));
        }
        check(&[1e-6; 5], GeorgesOptions::PUBLISHED, (0, 5, WhyCut::Unsteady));
    }

    #[test]
    fn reasons_name_the_numbers() {
        let mut rule = Georges::new(GeorgesOptions::PUBLISHED);
        replay(&mut rule, &wobble(0.01, 100), 0.1).expect("values");
        assert_eq!(rule.reason(), "the last 30 iterations vary by 1.00 %, less than 2 %");
    }
}
