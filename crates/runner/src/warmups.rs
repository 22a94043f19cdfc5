//! How long the processes of a benchmark warm up, once the first ones have shown what they need.
//!
//! A stop rule has to be sure of each process that it is steady, and waits for that while the machine is disturbed. Afterwards
//! one sees sooner since when a process was as fast as at its end. Later processes are ended at that age, all at the same one: on
//! 63 recorded JMH benchmarks they then spread less, and a verdict takes about 0.8 of the time (docs/design/0015-trial-shapes.md).

use std::time::Duration;

use benchwright_analysis::value::{median, relative_spread};
use benchwright_harness::{Stop, StopBy, TrialShape};
use benchwright_model::Trial;
use benchwright_steady::{Limits, iteration_wall};
use benchwright_worker::{EARLIER, Earlier};

/// Processes that are waited for: those of two duets.
const FIRST: usize = 4;
/// Iterations whose median is compared with the end of the process.
const WINDOW: usize = 5;
/// As fast as at the end: so much may be missing, or twice what iterations scatter.
const TOLERANCE: f64 = 0.02;
/// More iterations than this are not measured after warm-up, unless asked for.
const MOST: u32 = 10;
/// Iterations that are measured, as a share of those of warm-up.
const SHARE: f64 = 0.5;
/// It must save so much of the time of a process.
const WORTH_WHILE: f64 = 0.9;

/// What the first processes of a benchmark needed.
#[derive(Debug, Default)]
pub(crate) struct Warmups {
    /// Seconds until each was as fast as at its end, and seconds of all its iterations.
    processes: Vec<(f64, f64)>,
}

impl Warmups {
    /// Takes the halves of the next duet.
    pub(crate) fn take(&mut self, shape: &TrialShape, halves: &[Trial]) {
        if self.processes.len() < FIRST && shape.live().is_some() {
            let iteration = shape.iteration_time.as_secs_f64();
            self.processes.extend(halves.iter().filter_map(Earlier::of).map(|it| needed(&it, iteration)));
        }
    }

    /// The shape with a stop at the age that was enough, where that saves time.
    pub(crate) fn shape(&self, usual: TrialShape) -> TrialShape {
        let (Some(by), FIRST..) = (usual.live(), self.processes.len()) else { return usual };
        let mut ages: Vec<f64> = self.processes.iter().map(|process| process.0).collect();
        ages.sort_by(f64::total_cmp);
        // Most of them were ready by then; a single one that took long does not make all others wait.
        let age = ages[ages.len() * 2 / 3].max(Limits::FLOOR.as_secs_f64());
        let iteration = usual.iteration_time.as_secs_f64();
        let measured = ((age / iteration * SHARE) as u32).min(MOST).max(usual.iterations);
        let whole = age + iteration * f64::from(measured);
        let before = self.processes.iter().map(|process| process.1).sum::<f64>() / ages.len() as f64;
        let (Ok(longest_warmup), Ok(longest)) =
            (Duration::try_from_secs_f64(age), Duration::try_from_secs_f64(whole))
        else {
            return usual;
        };
        if whole > WORTH_WHILE * before {
            return usual;
        }
        let by = StopBy { rule: EARLIER, longest_warmup, usual: longest, longest, ..*by };
        TrialShape { iterations: measured, stop: Stop::Rule(by), ..usual }
    }
}

/// Seconds until a process was as fast as at its end, and seconds of all its iterations.
fn needed(process: &Earlier, iteration: f64) -> (f64, f64) {
    let values = &process.values;
    let seconds = |of: &[f64]| of.iter().map(|value| iteration_wall(*value, iteration)).sum::<f64>();
    let whole = seconds(values);
    let warmup = (process.warmup as usize).min(values.len());
    let measured = &values[warmup..];
    let (Some(end), Some(scatter)) = (median(measured), relative_spread(measured)) else {
        return (whole, whole);
    };
    let tolerance = end * TOLERANCE.max(2.0 * scatter);
    let is_away = |window: &[f64]| median(window).is_none_or(|it| (it - end).abs() > tolerance);
    let before = &values[..(warmup + WINDOW - 1).min(values.len())];
    let last = before.windows(WINDOW).rposition(is_away).map_or(0, |at| at + 1);
    (seconds(&values[..last.min(warmup)]), whole)
}

#[cfg(test)]
mod tests {
    use benchwright_model::Side;
    use benchwright_testkit::trial;
    use benchwright_worker::Asked;

    use super::*;

    fn shape() -> TrialShape {
        let shape = TrialShape::fixed(3, Duration::from_millis(100));
        let longest_warmup = Duration::from_secs(30);
        let asked = Asked { rule: "steady", processes: None, is_live: true, longest_warmup, seed: 1 };
        TrialShape { stop: Stop::Rule(asked.stop(&shape).expect("a rule")), ..shape }
    }

    /// A process that is slow for so many iterations and ended by its rule after `whole`.
    fn process(slow: usize, whole: usize) -> Trial {
        let values: Vec<f64> = (0..whole).map(|i| if i < slow { 2e-6 } else { 1e-6 }).collect();
        let mut trial = trial("a", Side::Head, 0, &values);
        if let benchwright_model::Outcome::Measured(measurement) = &mut trial.outcome {
            measurement.warmup = whole as u32 - 3;
        }
        trial
    }

    /// Seconds of warm-up and iterations of later processes; none: as the rule says.
    fn learned(processes: &[(usize, usize)]) -> Option<(f64, u32)> {
        let mut warmups = Warmups::default();
        for duet in processes.chunks(2) {
            let halves: Vec<Trial> = duet.iter().map(|&(slow, whole)| process(slow, whole)).collect();
            warmups.take(&shape(), &halves);
        }
        let later = warmups.shape(shape());
        let by = *later.live().expect("a rule");
        (by.rule == EARLIER).then(|| (by.longest_warmup.as_secs_f64(), later.iterations))
    }

    #[test]
    fn later_processes_are_measured_when_the_first_ones_were_ready() {
        let (age, iterations) = learned(&[(20, 80), (22, 90), (25, 70), (60, 150)]).expect("it saves time");
        assert!((age - 2.3).abs() < 0.31 && iterations == 10, "{age} {iterations}");
        let (age, iterations) = learned(&[(0, 80); 4]).expect("it saves time");
        assert!(age == 1.0 && iterations == 5, "at least a second: {age} {iterations}");
    }

    #[test]
    fn the_rule_goes_on_where_too_little_is_known_or_nothing_is_saved() {
        assert_eq!(learned(&[(20, 80), (22, 90)]), None);
        assert_eq!(learned(&[(70, 80); 4]), None);
        assert_eq!(learned(&[(0, 16); 4]), None);
        assert_eq!(learned(&[]), None);
    }

    #[test]
    fn only_processes_that_are_watched_are_ended_so() {
        let fixed = TrialShape { stop: Stop::Fixed, ..shape() };
        let mut warmups = Warmups::default();
        warmups.take(&fixed, &[process(20, 80), process(20, 80)]);
        assert!(warmups.processes.is_empty());
        assert_eq!(warmups.shape(fixed.clone()), fixed);
    }
}
