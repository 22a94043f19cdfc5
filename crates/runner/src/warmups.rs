//! How long the processes of a benchmark warm up, once the first ones have shown how much they need.
//!
//! A stop rule has to be sure that each process is steady, and waits for that while the machine is disturbed.
//! Afterwards it is easier to see since when a process was as fast as at its end. Later processes are all
//! ended at that age. On 63 recorded JMH benchmarks they then differ less, and a verdict takes half of the
//! time (docs/design/0015-trial-shapes.md).

use benchwright_analysis::value::{median, relative_spread};
use benchwright_harness::{Stop, StopBy, TrialShape};
use benchwright_model::Trial;
use benchwright_steady::Limits;
use benchwright_steady::rules::catalogue::EARLIER;
use benchwright_worker::Earlier;

/// Number of processes that are examined: those of two duets.
const FIRST: usize = 4;
/// The age is found in steps of this many iterations, and at least this many are compared.
const WINDOW: usize = 5;
/// The end of a process is its measured part, with at least this many iterations.
const END: usize = 15;
/// A process is as fast as at its end if the relative difference is at most this,
const TOLERANCE: f64 = 0.02;
/// or at most this many times the expected difference of medians due to the scatter of iterations.
const SCATTER: f64 = 2.5;
/// At most this many iterations are measured after warm-up, unless more are asked for.
const MOST: u32 = 10;
/// One iteration is measured for this many iterations of warm-up.
const SHARE: u32 = 2;
/// The new length must be at most this share of the old one.
const WORTH_WHILE: f64 = 0.9;

/// The warm-up that the first processes of a benchmark needed.
#[derive(Debug, Default)]
pub(crate) struct Warmups {
    /// For each process, the iterations until it was as fast as at its end, and all its iterations.
    processes: Vec<(u32, u32)>,
}

impl Warmups {
    /// Takes the halves of the next duet.
    pub(crate) fn take(&mut self, shape: &TrialShape, halves: &[Trial]) {
        if self.processes.len() < FIRST && shape.live().is_some() {
            self.processes.extend(halves.iter().filter_map(Earlier::of).map(|process| needed(&process)));
        }
    }

    /// The shape with a stop at the age that was enough for all of these processes, if that saves time.
    pub(crate) fn shape(&self, usual: TrialShape) -> TrialShape {
        let (Some(by), FIRST..) = (usual.live(), self.processes.len()) else { return usual };
        let floor = (Limits::FLOOR.as_secs_f64() / usual.iteration_time.as_secs_f64()).ceil() as u32;
        let age = self.processes.iter().map(|process| process.0).fold(floor, u32::max);
        let measured = (age / SHARE).min(MOST).max(usual.iterations);
        let whole = age.saturating_add(measured);
        let before = self.processes.iter().map(|process| f64::from(process.1)).sum::<f64>();
        if f64::from(whole) > WORTH_WHILE * before / self.processes.len() as f64 {
            return usual;
        }
        let time = |iterations| usual.iteration_time.saturating_mul(iterations);
        let (longest_warmup, longest) = (time(age), time(whole));
        let by = StopBy { rule: EARLIER.name.into(), longest_warmup, usual: longest, longest, ..by.clone() };
        TrialShape { iterations: measured, stop: Stop::Rule(by), ..usual }
    }
}

/// The iterations until a process was as fast as at its end, and all its iterations. A process is ready when
/// the first eighth of its remaining iterations is as fast as the measured ones.
fn needed(process: &Earlier) -> (u32, u32) {
    let values = &process.values;
    let warmup = (process.warmup as usize).min(values.len());
    let last = &values[warmup.min(values.len().saturating_sub(END))..];
    let (end, scatter) = (median(last).unwrap_or(f64::NAN), relative_spread(last).unwrap_or(f64::NAN));
    let is_ready = |age: &usize| {
        let rest = &values[*age..];
        let eighth = (rest.len() / 8).max(WINDOW).min(rest.len());
        let tolerance = TOLERANCE.max(SCATTER * scatter / (eighth as f64).sqrt());
        median(&rest[..eighth]).is_some_and(|begin| (begin / end - 1.0).abs() <= tolerance)
    };
    let age = (0..warmup).step_by(WINDOW).find(is_ready).unwrap_or(warmup);
    (u32::try_from(age).unwrap_or(u32::MAX), u32::try_from(values.len()).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

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

    /// A process that is slow for this many iterations and is ended by its rule after `whole`.
    fn process(slow: usize, whole: usize) -> Trial {
        let values: Vec<f64> = (0..whole).map(|i| if i < slow { 2e-6 } else { 1e-6 }).collect();
        let mut trial = trial("a", Side::Head, 0, &values);
        if let benchwright_model::Outcome::Measured(measurement) = &mut trial.outcome {
            measurement.warmup = whole as u32 - 3;
        }
        trial
    }

    /// Seconds of warm-up and number of iterations of later processes. `None` leaves both to the rule.
    fn learned(processes: &[(usize, usize)]) -> Option<(f64, u32)> {
        let mut warmups = Warmups::default();
        for duet in processes.chunks(2) {
            let halves: Vec<Trial> = duet.iter().map(|&(slow, whole)| process(slow, whole)).collect();
            warmups.take(&shape(), &halves);
        }
        let later = warmups.shape(shape());
        let by = later.live().expect("a rule");
        (by.rule == EARLIER.name).then_some((by.longest_warmup.as_secs_f64(), later.iterations))
    }

    #[test]
    fn later_processes_are_measured_when_the_first_ones_were_ready() {
        let (age, iterations) = learned(&[(20, 80), (22, 90), (25, 70), (40, 150)]).expect("it saves time");
        assert!((age - 4.0).abs() < 0.51 && iterations == 10, "the slowest of them: {age} {iterations}");
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
