//! Passes data of a benchmark's processes to the stop rules of later ones.

use std::collections::{BTreeMap, HashMap};

use benchwright_analysis::{StopSummary, stops};
use benchwright_harness::{Stop, TrialShape};
use benchwright_model::{Diagnostic, Position, Severity, Side, Trial, WarmupEnd};
use benchwright_steady::{Cut, EndedProcess, Processes, StopPlan, WhyCut};
use benchwright_worker::{Call, Earlier, Subject, stop_plan};

use crate::shapes::Shapes;

/// Number of first processes of a benchmark on each side whose data later ones get. The rule `learned`
/// compares with the sixth.
const TOLD: usize = 6;

/// The data of all benchmarks.
#[derive(Default)]
pub(crate) struct Stopping {
    known: HashMap<usize, Known>,
}

#[derive(Default)]
struct Known {
    /// The first processes of each side, by their place in the run, because they may arrive in any order.
    earlier: BTreeMap<(Side, Position), Earlier>,
    /// Number of iterations the next process needs, by side, if the rule examines them only afterwards.
    needed: HashMap<Side, u32>,
    /// Decides the number of processes, if it is not fixed.
    plan: Option<Box<dyn StopPlan>>,
    has_enough: bool,
}

impl Stopping {
    /// For a run of one version, in which rules may decide how many processes are needed.
    pub(crate) fn of_levels(subjects: &[Subject], shapes: &Shapes) -> Self {
        let mut stopping = Stopping::default();
        for (index, subject) in subjects.iter().enumerate() {
            let Ok(shape) = shapes.of(&subject.benchmark) else { continue };
            let Stop::Rule(by) = &shape.stop else { continue };
            // If the rule cannot be used, the first call fails with an error.
            let plan = by.processes.as_deref().and_then(|name| stop_plan(by, name, shape).ok());
            stopping.known.entry(index).or_default().plan = plan;
        }
        stopping
    }

    /// Gives a call the data of its benchmark.
    pub(crate) fn prepare(&self, index: usize, call: &mut Call) {
        let (Stop::Rule(by), Some(known)) = (&call.shape.stop, self.known.get(&index)) else { return };
        let is_live = by.is_live;
        call.earlier = known.earlier.values().cloned().collect();
        // Both sides measure equally long: as long as the side that needs more.
        if let Some(needed) = known.needed.values().max().filter(|_| !is_live) {
            call.shape.iterations = *needed;
        }
    }

    /// Takes the data of a process, and marks its trial if no more processes are needed.
    pub(crate) fn take(&mut self, index: usize, shape: &TrialShape, trial: &mut Trial) {
        let Stop::Rule(by) = &shape.stop else { return };
        let (Some(earlier), Some(stopped)) = (Earlier::of(trial), &mut trial.stopped) else { return };
        let known = self.known.entry(index).or_default();
        if !by.is_live {
            let count = u32::try_from(earlier.values.len()).unwrap_or(u32::MAX);
            // Doubled until the rule has enough.
            let needed = stopped.after.unwrap_or(count.saturating_mul(2));
            known.needed.insert(trial.side, needed.clamp(shape.iterations, by.most_iterations(shape)));
        }
        if let Some(plan) = &mut known.plan {
            let why = match stopped.end {
                WarmupEnd::Steady => WhyCut::Steady,
                WarmupEnd::Unsteady => WhyCut::Unsteady,
                WarmupEnd::Fixed => WhyCut::Fixed,
            };
            let cut = Cut { warmup: earlier.warmup, why };
            if let Processes::Enough(reason) = plan.ended(EndedProcess { values: &earlier.values, cut }) {
                known.has_enough = true;
                stopped.enough = Some(reason);
            }
        }
        let side = earlier.side;
        known.earlier.insert((side, trial.position), earlier);
        let own: Vec<(Side, Position)> = known.earlier.keys().filter(|key| key.0 == side).copied().collect();
        if let Some(last) = own.get(TOLD) {
            known.earlier.remove(last);
        }
    }

    /// Whether the benchmark needs no further process.
    pub(crate) fn has_enough(&self, index: usize) -> bool {
        self.known.get(&index).is_some_and(|known| known.has_enough)
    }
}

/// A note per rule on what it saved.
pub(crate) fn notes(trials: &[Trial]) -> Vec<Diagnostic> {
    let all = stops(trials);
    let mut rules: Vec<&str> = all.iter().map(|summary| summary.rule.as_str()).collect();
    rules.sort_unstable();
    rules.dedup();
    let of = |rule: &str| all.iter().filter(|summary| summary.rule == rule).collect::<Vec<_>>();
    rules.into_iter().map(|rule| note(rule, &of(rule))).collect()
}

fn note(rule: &str, all: &[&StopSummary]) -> Diagnostic {
    let sum = |of: fn(&StopSummary) -> u32| all.iter().map(|summary| of(summary)).sum::<u32>();
    let (processes, steady, unsteady) =
        (sum(|one| one.processes), sum(|one| one.steady), sum(|one| one.unsteady));
    let is_known = |summary: &&&StopSummary| summary.configured.is_some();
    let seconds = |of: fn(&StopSummary) -> f64| all.iter().filter(is_known).map(|one| of(one)).sum::<f64>();
    // A rule that does not examine iterations cannot report steadiness.
    let mut message = match steady + unsteady {
        0 => format!("stop rule `{rule}`: fixed time in {processes} of {processes} processes"),
        _ => format!("stop rule `{rule}`: {steady} of {processes} processes became steady"),
    };
    if unsteady > 0 {
        message += &format!(", {unsteady} did not");
    }
    let later = processes.saturating_sub(steady + unsteady);
    if later > 0 && later < processes {
        message += &format!(", {later} were ended after the time that the first ones had needed");
    }
    if all.iter().any(|summary| summary.configured.is_some()) {
        let time = seconds(|one| one.time.as_secs_f64());
        let configured = seconds(|one| one.configured.unwrap_or_default().as_secs_f64());
        message +=
            &format!("; {time:.0} s of iterations instead of {configured:.0} s as the suite is configured");
    }
    Diagnostic { severity: Severity::Note, ..Diagnostic::warning("", message) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use benchwright_model::{BenchmarkId, Configured, Stopped};
    use benchwright_testkit::trial;
    use benchwright_worker::{Asked, Task, TrialLimits};
    use std::time::Duration;

    fn shape(rule: &'static str, processes: Option<&'static str>, is_live: bool) -> TrialShape {
        let shape = TrialShape::fixed(20, Duration::from_millis(100));
        let asked = Asked { rule, processes, is_live, longest_warmup: Duration::from_secs(30), seed: 1 };
        let by = asked.stop(&shape).expect("a rule");
        TrialShape { stop: Stop::Rule(by), ..shape }
    }

    fn stopped(after: Option<u32>) -> Stopped {
        Stopped {
            rule: "steady".into(),
            end: if after.is_some() { WarmupEnd::Steady } else { WarmupEnd::Unsteady },
            reason: String::new(),
            after,
            warmup_time: Duration::from_secs(2),
            measured_time: Duration::from_secs(8),
            configured: None,
            enough: None,
        }
    }

    fn call(shape: &TrialShape) -> Call {
        let position = Position::Levels { instance: 0, suite_run: 0, iteration: 0 };
        Call {
            subject: Subject { benchmark: BenchmarkId::new("go", "p", "a"), base: None, head: None },
            task: Task::Single { side: Side::Head, position, phase: benchwright_model::Phase::Levels },
            shape: shape.clone(),
            limits: TrialLimits { wall: Duration::from_secs(60), output_bytes: 1, memory_bytes: None },
            cores: None,
            niceness: None,
            padding: 0,
            earlier: Vec::new(),
        }
    }

    fn measured(side: Side, values: &[f64], after: Option<u32>) -> Trial {
        Trial { stopped: Some(stopped(after)), ..trial("a", side, 0, values) }
    }

    #[test]
    fn later_processes_are_told_of_the_first_ones_of_each_side() {
        let shape = shape("learned", None, true);
        let mut stopping = Stopping::default();
        // In any order, as from several machines.
        for number in [3, 7, 0, 5, 1, 2, 6, 4_u32] {
            for side in Side::BOTH {
                let mut later = measured(side, &[f64::from(number + 1); 3], Some(3));
                later.position = Position::Duet { index: number, attempt: 0, first: true };
                stopping.take(0, &shape, &mut later);
            }
        }
        let mut call = call(&shape);
        stopping.prepare(0, &mut call);
        let of = |side| call.earlier.iter().filter(move |one| one.side == side).map(|one| one.values[0]);
        assert_eq!(of(Side::Base).collect::<Vec<_>>(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert_eq!(of(Side::Head).count(), 6);
        assert_eq!(call.shape.iterations, 20, "a rule that sees everything needs no other length");
        stopping.prepare(1, &mut call);
    }

    #[test]
    fn the_next_process_is_as_long_as_the_slower_side_needs() {
        let shape = shape("steady", None, false);
        let mut stopping = Stopping::default();
        let mut check = |side, count: usize, after, expected| {
            stopping.take(0, &shape, &mut measured(side, &vec![1.0; count], after));
            let mut call = call(&shape);
            stopping.prepare(0, &mut call);
            assert_eq!(call.shape.iterations, expected);
        };
        check(Side::Base, 20, None, 40);
        check(Side::Head, 20, Some(25), 40);
        check(Side::Base, 40, Some(33), 33);
        check(Side::Base, 33, Some(5), 25);
        check(Side::Head, 33, Some(5), 20);
        let Stop::Rule(by) = &shape.stop else { panic!("a rule") };
        check(Side::Head, 1000, None, by.most_iterations(&shape));
    }

    #[test]
    fn a_rule_may_decide_the_number_of_processes() {
        let id = BenchmarkId::new("go", "p", "a");
        let check = |processes, expected: Option<usize>| {
            let shape = shape("steady", processes, true);
            let subjects = [Subject { benchmark: id.clone(), base: None, head: None }];
            let shapes = Shapes::from(HashMap::from([("go".to_owned(), shape.clone())]));
            let mut stopping = Stopping::of_levels(&subjects, &shapes);
            let values: Vec<f64> = (0..200).map(|i| 1.0 + f64::from(i % 7) / 1000.0).collect();
            let enough = (1..=20).find(|_| {
                let mut trial = measured(Side::Head, &values, Some(200));
                stopping.take(0, &shape, &mut trial);
                let is_marked = trial.stopped.is_some_and(|stopped| stopped.enough.is_some());
                assert_eq!(stopping.has_enough(0), is_marked);
                is_marked
            });
            assert_eq!(enough, expected, "{processes:?}");
        };
        check(Some("cv"), Some(2));
        check(Some("rciw"), Some(2));
        check(Some("jmh"), Some(5));
        check(Some("steady"), None);
        check(None, None);
    }

    #[test]
    fn what_was_saved_is_noted_per_rule() {
        let mut trials = vec![measured(Side::Head, &[1.0], Some(1)); 3];
        trials[2].stopped = Some(stopped(None));
        let text = |trials: &[Trial]| {
            let notes = notes(trials);
            assert!(notes.iter().all(|note| note.severity == Severity::Note));
            notes.into_iter().map(|note| note.message).collect::<Vec<_>>()
        };
        assert_eq!(text(&trials), ["stop rule `steady`: 2 of 3 processes became steady, 1 did not"]);
        for trial in &mut trials {
            let configured = Some(Configured { time: Duration::from_secs(100), processes: 5 });
            trial.stopped = trial.stopped.take().map(|stopped| Stopped { configured, ..stopped });
        }
        let expected = "stop rule `steady`: 2 of 3 processes became steady, 1 did not; \
                        30 s of iterations instead of 300 s as the suite is configured";
        assert_eq!(text(&trials), [expected]);
        let later = Stopped { end: WarmupEnd::Fixed, rule: "earlier".into(), ..stopped(Some(1)) };
        let mut both = trials[..2].to_vec();
        both.iter_mut().for_each(|trial| trial.stopped = Some(stopped(Some(1))));
        both.push(Trial { stopped: Some(later), ..both[0].clone() });
        let expected = "stop rule `steady`: 2 of 3 processes became steady, 1 were ended after the time that the \
                        first ones had needed";
        assert_eq!(text(&both), [expected]);
        let fixed = Stopped { end: WarmupEnd::Fixed, rule: "jmh".into(), ..stopped(Some(1)) };
        let fixed = Trial { stopped: Some(fixed), ..trial("a", Side::Head, 0, &[1.0]) };
        assert_eq!(text(&[fixed]), ["stop rule `jmh`: fixed time in 1 of 1 processes"]);
        assert_eq!(text(&[trial("a", Side::Head, 0, &[1.0])]), [""; 0]);
    }
}
