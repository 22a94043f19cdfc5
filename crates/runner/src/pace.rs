//! How long trials take.

use std::time::Duration;

/// The time of a trial before anything is known.
const GUESS: Duration = Duration::from_millis(500);
/// Expectations are corrected when this many benchmarks were measured, by at most this factor.
const ENOUGH: usize = 5;
const MOST_BIAS: f64 = 3.0;
/// A process that was cut off would probably have taken this many times as long.
const CUT_OFF: f64 = 1.5;

/// Mean trial times by benchmark: as seen in this run, otherwise from earlier runs, otherwise a guess. Other
/// benchmarks of the package may make the guess smaller but never larger, so that no benchmark goes untried
/// because others take long.
#[derive(Debug, Clone)]
pub(crate) struct Pace {
    benchmarks: Vec<Known>,
    /// The factor that corrects expectations.
    bias: f64,
}

#[derive(Debug, Clone)]
struct Known {
    package: String,
    /// The time from earlier runs.
    earlier: Option<Duration>,
    /// Sum of the trial times in this run, and their number.
    sum: Duration,
    count: u32,
    /// The least time it takes, known from a trial that was cut off.
    at_least: Duration,
}

impl Known {
    fn mean(&self) -> Option<Duration> {
        let mean = (self.count > 0).then(|| self.sum / self.count);
        let cut_off = (!self.at_least.is_zero()).then(|| self.at_least.mul_f64(CUT_OFF));
        mean.max(cut_off)
    }
}

impl Pace {
    /// For benchmarks with these packages and times in earlier runs.
    pub(crate) fn new<'a>(known: impl IntoIterator<Item = (&'a str, Option<Duration>)>) -> Self {
        let one = |(package, earlier): (&str, _)| Known {
            package: package.to_owned(),
            earlier,
            sum: Duration::ZERO,
            count: 0,
            at_least: Duration::ZERO,
        };
        Pace { benchmarks: known.into_iter().map(one).collect(), bias: 1.0 }
    }

    pub(crate) fn trial(&mut self, index: usize, took: Duration) {
        let known = &mut self.benchmarks[index];
        known.sum += took;
        known.count += 1;
        self.bias = self.bias();
    }

    /// Records that a trial was cut off after `took`.
    pub(crate) fn cut_off(&mut self, index: usize, took: Duration) {
        let known = &mut self.benchmarks[index];
        known.at_least = known.at_least.max(took);
        self.bias = self.bias();
    }

    /// Whether a trial of the benchmark was started in this run.
    pub(crate) fn is_tried(&self, index: usize) -> bool {
        self.benchmarks[index].mean().is_some()
    }

    /// Expected time of one trial of a benchmark.
    pub(crate) fn trial_secs(&self, index: usize) -> f64 {
        let known = &self.benchmarks[index];
        let expected = known.mean().or_else(|| Some(known.earlier?.mul_f64(self.bias)));
        expected.unwrap_or_else(|| self.median_of(&known.package).unwrap_or(GUESS).min(GUESS)).as_secs_f64()
    }

    /// The median ratio of measured to expected times, because listing runs and other days are faster or
    /// slower as a whole. The median ignores single benchmarks with a long set-up.
    fn bias(&self) -> f64 {
        let ratio =
            |known: &Known| Some(known.mean()?.as_secs_f64() / known.earlier?.as_secs_f64().max(1e-6));
        let mut ratios: Vec<f64> = self.benchmarks.iter().filter_map(ratio).collect();
        ratios.sort_by(f64::total_cmp);
        match ratios.len() {
            n if n < ENOUGH => 1.0,
            n => ratios[n / 2].clamp(1.0 / MOST_BIAS, MOST_BIAS),
        }
    }

    /// Expected time of one duet of a benchmark.
    pub(crate) fn duet(&self, index: usize) -> Duration {
        Duration::from_secs_f64(2.0 * self.trial_secs(index))
    }

    /// Whether all expectations are guesses: no trial has ended yet, in this run or an earlier one.
    pub(crate) fn is_guess(&self) -> bool {
        self.benchmarks.iter().all(|known| known.mean().or(known.earlier).is_none())
    }

    /// Expected time of a duet of any benchmark.
    pub(crate) fn mean_duet(&self) -> Duration {
        2 * self.mean_trial()
    }

    /// The median time of the tried benchmarks of a package. A single one with a long set-up does not count
    /// much.
    fn median_of(&self, package: &str) -> Option<Duration> {
        let of_package = self.benchmarks.iter().filter(|known| known.package == package);
        let mut means: Vec<Duration> = of_package.filter_map(Known::mean).collect();
        means.sort_unstable();
        means.get(means.len() / 2).copied()
    }

    fn mean_trial(&self) -> Duration {
        let known = |it: &Known| it.mean().or(it.earlier);
        let (sum, count) = self
            .benchmarks
            .iter()
            .filter_map(known)
            .fold((Duration::ZERO, 0), |(sum, count), mean| (sum + mean, count + 1));
        if count == 0 { GUESS } else { sum / count }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn this_run_is_believed_before_earlier_ones_and_those_before_others() {
        assert!(Pace::new([("p", None), ("q", None)]).is_guess());
        let mut pace = Pace::new([("p", None), ("p", Some(3 * SECOND)), ("p", None), ("q", None)]);
        assert!(!pace.is_guess() && !pace.is_tried(1));
        assert_eq!([0, 1].map(|index| pace.trial_secs(index)), [0.5, 3.0]);
        pace.trial(0, SECOND / 4);
        assert_eq!([0, 1, 2, 3].map(|index| pace.trial_secs(index)), [0.25, 3.0, 0.25, 0.5]);
        pace.trial(0, 100 * SECOND);
        assert_eq!(pace.trial_secs(2), 0.5);
        // An earlier, disturbed run no longer counts when there are trials of this run.
        pace.trial(1, 4 * SECOND);
        pace.trial(1, 2 * SECOND);
        assert!(pace.trial_secs(1) == 3.0 && pace.is_tried(1));
        assert_eq!(pace.duet(1), 6 * SECOND);
        assert_eq!(Pace::new([("p", None)]).mean_duet(), 2 * GUESS);
    }

    #[test]
    fn expectations_that_are_off_as_a_whole_are_corrected() {
        let mut pace = Pace::new([("p", Some(SECOND)); 8]);
        (0..4).for_each(|index| pace.trial(index, 2 * SECOND));
        assert_eq!(pace.trial_secs(7), 1.0);
        pace.trial(4, 2 * SECOND);
        assert_eq!(pace.trial_secs(7), 2.0);
        // A benchmark with a long set-up does not affect the others.
        pace.trial(5, 60 * SECOND);
        assert_eq!(pace.trial_secs(7), 2.0);
    }

    #[test]
    fn what_was_cut_off_takes_longer_than_that() {
        let mut pace = Pace::new([("p", None)]);
        pace.cut_off(0, 10 * SECOND);
        assert!(pace.is_tried(0) && pace.trial_secs(0) == 15.0);
        pace.trial(0, 40 * SECOND);
        assert_eq!(pace.trial_secs(0), 40.0);
    }
}
