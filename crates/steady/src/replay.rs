//! Applies rules to recorded processes, as if they were running.

use std::time::Duration;

use crate::{Cut, Decision, EndedProcess, Processes, StopPlan, StopRule, WhyCut};

/// The result of a rule for a recorded process.
#[derive(Debug, Clone, PartialEq)]
pub struct Stop {
    /// Leading iterations that are warm-up.
    pub warmup: u32,
    /// Number of iterations that would have run. Those from `warmup` on are measured.
    pub end: u32,
    /// The reason for the end of warm-up.
    pub why: WhyCut,
    /// The rule's reason, in words.
    pub reason: String,
    /// Whether the rule ended the process. Otherwise the recording ended first.
    pub is_decided: bool,
}

/// Wall time in seconds of an iteration of `iteration_s` seconds with operations of `value` seconds: as many
/// whole operations as fill the time, at least one. This is the same assumption as that of the authors of the
/// recorded series. For a value that is not a positive number it is the nominal time.
pub fn iteration_wall(value: f64, iteration_s: f64) -> f64 {
    let operations = (iteration_s / value).ceil();
    let is_usable = value.is_finite() && value > 0.0 && operations.is_finite();
    if is_usable { operations * value } else { iteration_s }
}

/// Passes the values of one process to a rule until it has enough. `None` for a process without values.
pub fn replay(rule: &mut dyn StopRule, values: &[f64], iteration_s: f64) -> Option<Stop> {
    let mut elapsed_s = 0.0;
    for (index, value) in values.iter().enumerate() {
        elapsed_s += iteration_wall(*value, iteration_s);
        let elapsed = Duration::try_from_secs_f64(elapsed_s).unwrap_or(Duration::MAX);
        if let Decision::Stop(cut) = rule.sample(*value, elapsed) {
            return Some(stop(rule, cut, index as u32 + 1, true));
        }
    }
    let end = u32::try_from(values.len()).unwrap_or(u32::MAX);
    (end > 0).then(|| stop(rule, rule.cut(), end, false))
}

/// Passes processes to the rules of a plan, one after the other, until it has enough of them.
pub fn replay_benchmark(plan: &mut dyn StopPlan, processes: &[&[f64]], iteration_s: f64) -> Vec<Stop> {
    let mut stops = Vec::new();
    for values in processes {
        let mut rule = plan.rule();
        let Some(stop) = replay(rule.as_mut(), values, iteration_s) else { continue };
        let cut = Cut { warmup: stop.warmup, why: stop.why };
        let next = plan.ended(EndedProcess { values: &values[..stop.end as usize], cut });
        stops.push(stop);
        if let Processes::Enough(_) = next {
            break;
        }
    }
    stops
}

fn stop(rule: &dyn StopRule, cut: Cut, end: u32, is_decided: bool) -> Stop {
    // At least one iteration is measured, whatever a rule decides.
    let warmup = cut.warmup.min(end - 1);
    Stop { warmup, end, why: cut.why, reason: rule.reason(), is_decided }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limits, SameForEach, WindowMedians};

    fn rule() -> WindowMedians {
        WindowMedians::new(Limits::new(Duration::from_secs(30), 3))
    }

    #[test]
    fn iterations_take_whole_operations() {
        let check = |value: f64, expected: f64| {
            let wall = iteration_wall(value, 0.1);
            assert!((wall - expected).abs() < 1e-12, "{value}: {wall}");
        };
        check(0.03, 0.12);
        check(0.05, 0.1);
        check(0.4, 0.4);
        check(155.0, 155.0);
        check(0.0, 0.1);
        check(f64::NAN, 0.1);
        check(-1.0, 0.1);
    }

    #[test]
    fn the_rule_ends_the_process_or_the_recording_does() {
        let flat = [1e-6; 40];
        let stop = replay(&mut rule(), &flat, 0.1).expect("values");
        assert_eq!((stop.warmup, stop.end, stop.is_decided), (15, 18, true));
        let short = replay(&mut rule(), &flat[..10], 0.1).expect("values");
        assert_eq!((short.warmup, short.end, short.is_decided), (7, 10, false));
        assert_eq!(replay(&mut rule(), &[], 0.1), None);
    }

    #[test]
    fn a_plan_leaves_processes_out_that_it_does_not_need() {
        let flat = [1e-6; 40];
        let processes: Vec<&[f64]> = vec![&flat; 5];
        let mut plan = SameForEach::new(rule(), Some(2));
        assert_eq!(replay_benchmark(&mut plan, &processes, 0.1).len(), 2);
    }

    #[test]
    fn one_slow_operation_is_one_iteration() {
        // 4 s each: the floor of 1 s has passed after the first, the cap of 30 s after the eighth.
        let slow = [4.0, 8.0, 4.0, 8.0, 4.0, 8.0, 4.0, 8.0, 4.0, 8.0, 4.0, 8.0];
        let stop = replay(&mut rule(), &slow, 0.1).expect("values");
        assert_eq!((stop.warmup, stop.why), (6, WhyCut::Unsteady));
    }
}
