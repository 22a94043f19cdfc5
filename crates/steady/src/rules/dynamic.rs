//! Warm-up until a statistic of everything so far stops changing, and in the same way processes.

use std::time::Duration;

use super::grouping::Grouping;
use super::stability::{Criterion, Stability};
use crate::{Cut, Decision, EndedProcess, Processes, StopPlan, StopRule, WhyCut, cut_at_the_end};

/// Number of warm-up steps whose statistics are compared.
const WARMUP_WINDOW: usize = 5;

/// Options of [`Dynamic`] and [`DynamicPlan`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DynamicOptions {
    /// The statistic that has to settle.
    pub criterion: Criterion,
    /// [`Criterion::threshold`] unless set otherwise.
    pub threshold: f64,
    /// Length of a step.
    pub step: Duration,
    /// Maximum number of warm-up steps.
    pub most_warmup: u32,
    /// Number of steps that are measured after warm-up, at least 1.
    pub measured: u32,
    /// Fewest processes.
    pub least_forks: u32,
    /// Maximum number of processes.
    pub most_forks: u32,
    /// Seed of the samples of [`Criterion::Kld`].
    pub seed: u64,
}

impl DynamicOptions {
    /// As in the replays of Traini et al. 2023: steps of one second, at most 50 of warm-up, 10 measured, 2 to
    /// 5 processes.
    pub fn published(criterion: Criterion) -> Self {
        DynamicOptions {
            criterion,
            threshold: criterion.threshold(),
            step: Duration::from_secs(1),
            most_warmup: 50,
            measured: 10,
            least_forks: 2,
            most_forks: 5,
            seed: 1,
        }
    }
}

/// Warm-up ends when a statistic of all values so far has settled, or after the maximum number of steps. Then
/// a fixed number of steps is measured. Laaber, Würsten, Gall & Leitner 2020 (ESEC/FSE), "dynamic
/// reconfiguration".
///
/// The threshold applies to the change of the statistic over the last five steps, not to the statistic
/// itself. Because everything since the start counts, a slow beginning stays in the statistic for ever. The
/// original uses single operations, whose noise is large and constant. Here only means of iterations are
/// available, in which a slow beginning has more weight, so on recorded series it stops later than the
/// original. The coefficient of variation and the interval take a few nanoseconds per value, the divergence
/// half a millisecond per step.
#[derive(Debug, Clone)]
pub struct Dynamic {
    options: DynamicOptions,
    grouping: Grouping,
    stability: Stability,
    step: Vec<f64>,
    steps: u32,
    seen: u32,
    cut: Option<Cut>,
}

impl Dynamic {
    /// A rule for one process.
    pub fn new(options: DynamicOptions) -> Self {
        let DynamicOptions { criterion, threshold, seed, .. } = options;
        Dynamic {
            options,
            grouping: Grouping::new(options.step),
            stability: Stability::new(criterion, threshold, WARMUP_WINDOW, seed),
            step: Vec::new(),
            steps: 0,
            seen: 0,
            cut: None,
        }
    }

    /// Ends a step of warm-up.
    fn end_step(&mut self) {
        self.stability.take(&self.step);
        self.step.clear();
        let is_stable =
            self.steps >= self.options.criterion.steps(WARMUP_WINDOW) && self.stability.is_stable();
        if is_stable || self.steps >= self.options.most_warmup {
            let why = if is_stable { WhyCut::Steady } else { WhyCut::Unsteady };
            self.cut = Some(Cut { warmup: self.seen, why });
            self.steps = 0;
        }
    }
}

impl StopRule for Dynamic {
    fn sample(&mut self, value: f64, elapsed: Duration) -> Decision {
        self.seen = self.seen.saturating_add(1);
        if self.cut.is_none() {
            self.step.push(value);
        }
        if !self.grouping.is_complete(elapsed) {
            return Decision::GoOn;
        }
        self.steps += 1;
        match self.cut {
            None => self.end_step(),
            Some(cut) if self.steps >= self.options.measured.max(1) => return Decision::Stop(cut),
            Some(_) => {}
        }
        Decision::GoOn
    }

    fn cut(&self) -> Cut {
        cut_at_the_end(self.cut, self.seen, 1)
    }

    fn reason(&self) -> String {
        let state = self.stability.words("step");
        match self.cut.map(|cut| cut.why) {
            Some(WhyCut::Steady) => state,
            Some(_) => format!("{} steps of warm-up passed; {state}", self.options.most_warmup),
            None => format!("the process ended before it settled; {state}"),
        }
    }
}

/// The rule for each process. Processes are run until the same statistic of their measurements has settled.
#[derive(Debug, Clone)]
pub struct DynamicPlan {
    options: DynamicOptions,
    stability: Stability,
    ended: u32,
}

impl DynamicPlan {
    /// For one benchmark.
    pub fn new(options: DynamicOptions) -> Self {
        let DynamicOptions { criterion, threshold, seed, .. } = options;
        // A change needs two values of a statistic. A similarity already compares two processes.
        let window = if criterion == Criterion::Kld { 1 } else { 2 };
        DynamicPlan { options, stability: Stability::new(criterion, threshold, window, seed), ended: 0 }
    }
}

impl StopPlan for DynamicPlan {
    fn rule(&self) -> Box<dyn StopRule> {
        let seed = self.options.seed.wrapping_add(u64::from(self.ended) + 1);
        Box::new(Dynamic::new(DynamicOptions { seed, ..self.options }))
    }

    fn ended(&mut self, process: EndedProcess<'_>) -> Processes {
        self.ended += 1;
        self.stability.take(process.measured());
        if self.ended >= self.options.least_forks && self.stability.is_stable() {
            return Processes::Enough(self.stability.words("process"));
        }
        if self.ended >= self.options.most_forks {
            let most = self.options.most_forks;
            return Processes::Enough(format!("{most} processes ran; {}", self.stability.words("process")));
        }
        Processes::Another
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{replay, replay_benchmark};

    const ALL: [Criterion; 3] = [Criterion::Cv, Criterion::Rciw, Criterion::Kld];

    fn stop(criterion: Criterion, values: &[f64], iteration_s: f64) -> crate::Stop {
        let mut rule = Dynamic::new(DynamicOptions::published(criterion));
        replay(&mut rule, values, iteration_s).expect("values")
    }

    #[test]
    fn a_flat_series_takes_the_fewest_steps_and_then_measures_ten() {
        let check = |criterion: Criterion, warmup: u32| {
            let stop = stop(criterion, &[1e-6; 3000], 0.1);
            assert_eq!((stop.warmup, stop.end, stop.why), (warmup, warmup + 100, WhyCut::Steady));
        };
        check(Criterion::Cv, 50);
        check(Criterion::Rciw, 50);
        check(Criterion::Kld, 60);
    }

    #[test]
    fn what_never_settles_ends_after_the_most_steps() {
        // Triples every second, so that the values so far never predict the next ones.
        let growing: Vec<f64> = (0..3000).map(|i| 1e-40 * 3.0_f64.powi(i / 10)).collect();
        for criterion in ALL {
            let stop = stop(criterion, &growing[..700], 0.1);
            assert_eq!(stop.why, WhyCut::Unsteady, "{criterion:?}: {}", stop.reason);
            assert!(stop.reason.starts_with("50 steps of warm-up passed"), "{}", stop.reason);
            assert_eq!(stop.warmup, 500, "{criterion:?}");
        }
    }

    #[test]
    fn operations_longer_than_a_step_are_steps() {
        for criterion in ALL {
            let stop = stop(criterion, &[7.0; 100], 0.1);
            let least = criterion.steps(WARMUP_WINDOW);
            assert_eq!((stop.warmup, stop.end), (least, least + 10), "{criterion:?}");
        }
    }

    #[test]
    fn bad_values_are_never_stable_and_never_panic() {
        for criterion in ALL {
            for bad in [f64::NAN, f64::INFINITY, 0.0, -1.0] {
                let stop = stop(criterion, &[bad; 700], 0.1);
                assert_eq!((stop.warmup, stop.why), (500, WhyCut::Unsteady), "{criterion:?} {bad}");
            }
        }
    }

    #[test]
    fn processes_that_agree_are_enough_after_two_and_others_after_five() {
        let flat = vec![1e-6; 400];
        let other = |level: f64| vec![level; 400];
        let agreeing: Vec<&[f64]> = vec![&flat; 10];
        let levels: Vec<Vec<f64>> = (0..10).map(|i| other(1e-6 * 2.0_f64.powi(i))).collect();
        let differing: Vec<&[f64]> = levels.iter().map(Vec::as_slice).collect();
        for criterion in [Criterion::Cv, Criterion::Kld] {
            let forks = |processes: &[&[f64]]| {
                let mut plan = DynamicPlan::new(DynamicOptions::published(criterion));
                replay_benchmark(&mut plan, processes, 0.1).len()
            };
            assert_eq!((forks(&agreeing), forks(&differing)), (2, 5), "{criterion:?}");
        }
    }

    #[test]
    fn a_process_that_ended_early_says_so() {
        let stop = stop(Criterion::Cv, &[1e-6; 20], 0.1);
        assert_eq!((stop.warmup, stop.end, stop.is_decided), (19, 20, false));
        assert!(
            stop.reason.starts_with("the process ended before it settled; too few steps"),
            "{}",
            stop.reason
        );
    }
}
