//! A statistic of everything measured so far, and whether it still changes.

use std::collections::VecDeque;

use benchwright_stats::dispersion::median;

use super::divergence::Divergence;

/// The statistic that has to settle. Laaber et al. 2020 (ESEC/FSE).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Criterion {
    /// Coefficient of variation.
    Cv,
    /// Relative width of the 99 % confidence interval of the mean.
    Rciw,
    /// Kullback-Leibler divergence of the distributions before and after.
    Kld,
}

impl Criterion {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Criterion::Cv => "cv",
            Criterion::Rciw => "rciw",
            Criterion::Kld => "kld",
        }
    }

    /// The published threshold: the largest change of the coefficient of variation or of the interval's
    /// width; for the divergence the smallest similarity.
    pub fn threshold(self) -> f64 {
        match self {
            Criterion::Cv => 0.01,
            Criterion::Rciw => 0.03,
            Criterion::Kld => 0.99,
        }
    }

    /// Number of steps until the last `window` values of the statistic exist. A divergence needs two steps
    /// for its first value.
    pub(crate) fn steps(self, window: usize) -> u32 {
        let extra = usize::from(self == Criterion::Kld);
        u32::try_from(window + extra).unwrap_or(u32::MAX)
    }

    /// Its name in a sentence.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Criterion::Cv => "coefficient of variation",
            Criterion::Rciw => "relative width of the 99 % interval of the mean",
            Criterion::Kld => "distribution",
        }
    }
}

/// As in the original, values further than this factor from the median of their step are left out.
const FAR: f64 = 10.0;

/// Size of the sample for the interval.
const SAMPLE: f64 = 1000.0;

/// Quantile of the standard normal distribution for an interval of 99 %.
const Z_99: f64 = 2.575_829_303_548_900_4;

/// Observes one statistic of all steps so far.
#[derive(Debug, Clone)]
pub(crate) struct Stability {
    criterion: Criterion,
    threshold: f64,
    window: usize,
    moments: Moments,
    divergence: Divergence,
    recent: VecDeque<f64>,
}

impl Stability {
    /// Uses the last `window` values of the statistic. A change needs two, a similarity one.
    pub(crate) fn new(criterion: Criterion, threshold: f64, window: usize, seed: u64) -> Self {
        let least = if criterion == Criterion::Kld { 1 } else { 2 };
        Stability {
            criterion,
            threshold,
            window: window.max(least),
            moments: Moments::default(),
            divergence: Divergence::new(seed),
            recent: VecDeque::new(),
        }
    }

    /// Adds a step. Values that are not positive numbers, and those far from the step's median, are left out.
    pub(crate) fn take(&mut self, step: &[f64]) {
        let usable: Vec<f64> =
            step.iter().copied().filter(|value| value.is_finite() && *value > 0.0).collect();
        let Some(centre) = median(&usable) else { return };
        let near: Vec<f64> =
            usable.into_iter().filter(|value| (centre / FAR..=centre * FAR).contains(value)).collect();
        let value = match self.criterion {
            Criterion::Kld => self.divergence.take(&near),
            Criterion::Cv | Criterion::Rciw => {
                near.iter().for_each(|value| self.moments.take(*value));
                self.moment_statistic()
            }
        };
        if let Some(value) = value {
            if self.recent.len() == self.window {
                self.recent.pop_front();
            }
            self.recent.push_back(value);
        }
    }

    /// The published measure of change, once there are enough values: for the divergence the mean of the last
    /// similarities, otherwise the largest difference of the latest value from those before it.
    pub(crate) fn change(&self) -> Option<f64> {
        if self.recent.len() < self.window {
            return None;
        }
        let now = *self.recent.back()?;
        Some(match self.criterion {
            Criterion::Kld => self.recent.iter().sum::<f64>() / self.recent.len() as f64,
            _ => self.recent.iter().map(|before| (now - before).abs()).fold(0.0, f64::max),
        })
    }

    /// Whether the statistic has settled.
    pub(crate) fn is_stable(&self) -> bool {
        self.change().is_some_and(|change| match self.criterion {
            Criterion::Kld => change > self.threshold,
            _ => change < self.threshold,
        })
    }

    /// A description of the state.
    pub(crate) fn words(&self, step: &str) -> String {
        let (what, window) = (self.criterion.words(), self.window);
        let steps = format!("{step}{}", if step.ends_with('s') { "es" } else { "s" });
        match (self.criterion, self.change()) {
            (_, None) => format!("too few {steps} for the {what}"),
            (Criterion::Kld, Some(similarity)) => format!(
                "similarity of the {what} before and after each of the last {window} {steps} {similarity:.4}, \
                 needed more than {}",
                self.threshold
            ),
            (_, Some(change)) => format!(
                "the {what} changed by {change:.4} over the last {window} {steps}, needed less than {}",
                self.threshold
            ),
        }
    }

    fn moment_statistic(&self) -> Option<f64> {
        match self.criterion {
            Criterion::Rciw => Some(2.0 * Z_99 * self.moments.variation(0.0)? / SAMPLE.sqrt()),
            _ => self.moments.variation(1.0),
        }
    }
}

/// Mean and spread of a growing sample, one value at a time (Welford 1962, Technometrics 4).
#[derive(Debug, Clone, Default)]
struct Moments {
    n: f64,
    mean: f64,
    squares: f64,
}

impl Moments {
    fn take(&mut self, value: f64) {
        self.n += 1.0;
        let distance = value - self.mean;
        self.mean += distance / self.n;
        self.squares += distance * (value - self.mean);
    }

    /// Coefficient of variation with n - `lost` in the denominator. 0 for a single value, which does not
    /// vary.
    fn variation(&self, lost: f64) -> Option<f64> {
        let is_defined = self.n > 0.0 && self.mean > 0.0;
        is_defined.then(|| (self.squares / (self.n - lost).max(1.0)).sqrt() / self.mean)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use benchwright_stats::bootstrap::{Resampling, mean};
    use benchwright_stats::dispersion::{Divisor, coefficient_of_variation};

    fn steps(n: usize) -> Vec<Vec<f64>> {
        (0..n).map(|s| (0..10).map(|i| 1.0 + ((s * 31 + i * 17) % 23) as f64 / 100.0).collect()).collect()
    }

    #[test]
    fn the_running_variation_is_that_of_all_values() {
        let mut moments = Moments::default();
        let all: Vec<f64> = steps(7).concat();
        all.iter().for_each(|value| moments.take(*value));
        let expected = coefficient_of_variation(&all, Divisor::Sample).expect("defined");
        assert!((moments.variation(1.0).expect("defined") - expected).abs() < 1e-14);
        assert_eq!(Moments::default().variation(0.0), None);
    }

    /// The original draws 1000 values from everything so far and bootstraps their mean. In the limit of many
    /// resamples the interval is the normal one, whatever was drawn.
    #[test]
    fn the_interval_is_what_resampling_gives() {
        let mut stability = Stability::new(Criterion::Rciw, 0.03, 2, 1);
        let all: Vec<f64> = (0..1000).map(|i| 1.0 + ((i * 7919) % 1009) as f64 / 1009.0).collect();
        stability.take(&all);
        let closed = *stability.recent.back().expect("a value");
        let interval =
            mean::percentile(&all, 0.99, Resampling { resamples: 50_000, seed: 3 }).expect("defined");
        let simulated = (interval.hi - interval.lo) / (all.iter().sum::<f64>() / 1000.0);
        assert!((closed / simulated - 1.0).abs() < 0.02, "{closed} {simulated}");
    }

    #[test]
    fn the_largest_change_within_the_window_decides() {
        let mut stability = Stability::new(Criterion::Cv, 0.01, 5, 1);
        // Coefficients of variation computed by hand: all values are equal, so it is always 0.
        for count in 1..=5 {
            assert!(!stability.is_stable(), "{count}");
            stability.take(&[2.0; 10]);
        }
        assert_eq!(stability.change(), Some(0.0));
        assert!(stability.is_stable());
        stability.take(&[3.0; 10]);
        // 50 values of 2 and 10 of 3: mean 13/6, variance 25/177; the variation is 0.1735 and was 0.
        let change = stability.change().expect("full");
        assert!((change - (25.0_f64 / 177.0).sqrt() / (13.0 / 6.0)).abs() < 1e-12, "{change}");
        assert!(!stability.is_stable());
    }

    #[test]
    fn bad_and_far_values_are_left_out() {
        let mut clean = Stability::new(Criterion::Cv, 0.01, 2, 1);
        let mut dirty = clean.clone();
        clean.take(&[1.0, 1.1, 1.2]);
        dirty.take(&[1.0, f64::NAN, 1.1, -4.0, 0.0, 1.2, 12.0, f64::INFINITY]);
        assert_eq!(clean.recent, dirty.recent);
        dirty.take(&[f64::NAN]);
        assert_eq!(clean.recent, dirty.recent, "a step without values is no step");
    }

    #[test]
    fn words_say_what_is_missing() {
        let mut stability = Stability::new(Criterion::Cv, 0.01, 2, 1);
        assert_eq!(stability.words("second"), "too few seconds for the coefficient of variation");
        stability.take(&[1.0; 3]);
        stability.take(&[1.0; 3]);
        let words = stability.words("second");
        assert!(
            words.ends_with("changed by 0.0000 over the last 2 seconds, needed less than 0.01"),
            "{words}"
        );
        assert!(stability.words("process").contains("over the last 2 processes, needed"));
    }
}
