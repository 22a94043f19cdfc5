//! How long trials take.

use std::time::Duration;

/// Before anything is known.
const GUESS: Duration = Duration::from_millis(500);

/// Running means of trial times, by benchmark.
#[derive(Debug, Clone)]
pub(crate) struct Pace {
    /// Sum of trial times and their number, per benchmark; starts with what earlier runs say, as one trial.
    trials: Vec<(Duration, u32)>,
}

impl Pace {
    pub(crate) fn new(known: Vec<Option<Duration>>) -> Self {
        Pace {
            trials: known.into_iter().map(|known| known.map_or((Duration::ZERO, 0), |d| (d, 1))).collect(),
        }
    }

    pub(crate) fn trial(&mut self, index: usize, took: Duration) {
        let (sum, count) = &mut self.trials[index];
        *sum += took;
        *count += 1;
    }

    /// Expected time of one trial of a benchmark; the mean of all where nothing is known of it.
    pub(crate) fn trial_secs(&self, index: usize) -> f64 {
        match self.trials[index] {
            (_, 0) => self.mean_trial().as_secs_f64(),
            (sum, count) => sum.as_secs_f64() / f64::from(count),
        }
    }

    /// Expected time of one duet of a benchmark.
    pub(crate) fn duet(&self, index: usize) -> Duration {
        Duration::from_secs_f64(2.0 * self.trial_secs(index))
    }

    /// Whether all expectations are mere guesses: no trial has ended yet, in this run or in earlier ones.
    pub(crate) fn is_guess(&self) -> bool {
        self.trials.iter().all(|(_, count)| *count == 0)
    }

    /// Expected time of a duet of any benchmark.
    pub(crate) fn mean_duet(&self) -> Duration {
        2 * self.mean_trial()
    }

    fn mean_trial(&self) -> Duration {
        let (sum, count) =
            self.trials.iter().fold((Duration::ZERO, 0), |(sum, count), (s, c)| (sum + *s, count + *c));
        if count == 0 { GUESS } else { sum / count }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_benchmarks_take_the_mean_of_the_known() {
        assert!(Pace::new(vec![None, None]).is_guess());
        let mut pace = Pace::new(vec![None, Some(Duration::from_secs(3)), None]);
        assert!(!pace.is_guess());
        assert_eq!(pace.trial_secs(0), 3.0);
        pace.trial(0, Duration::from_secs(1));
        assert_eq!(pace.trial_secs(0), 1.0);
        assert_eq!(pace.trial_secs(2), 2.0);
        assert_eq!(pace.duet(1), Duration::from_secs(6));
        assert_eq!(Pace::new(vec![None]).mean_duet(), 2 * GUESS);
    }
}
