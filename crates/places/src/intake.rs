//! Checks a response before its trials are used.

use std::time::Duration;

use benchwright_model::{BenchmarkId, Diagnostic, Instance, Position, Trial, TrialInstance};
use benchwright_worker::wire::{Answer, Delivery};
use benchwright_worker::{Call, Task};

/// The usable content of a response.
#[derive(Debug)]
pub struct Intake {
    /// Trials, with the number of their call within the request. Duets are complete.
    pub trials: Vec<(usize, Trial)>,
    /// Calls that have no answer that counts, by number.
    pub missing: Vec<usize>,
    /// Diagnostics of the instance, and reasons for missing trials.
    pub diagnostics: Vec<Diagnostic>,
    /// The instance that carried it out.
    pub instance: Instance,
}

/// Takes the response to `calls`, which arrived when `observed` had passed since they were sent. Trials that
/// were not asked for, halves without their other half, and all trials of an instance whose times cannot be
/// trusted are left out and reported. The trials that count get their instance.
pub fn take_in(calls: &[Call], delivery: Delivery, observed: Duration) -> Intake {
    let doubt = delivery.doubt(observed);
    let Delivery { answers, instance, service, .. } = delivery;
    let mut intake = Intake { trials: Vec::new(), missing: Vec::new(), diagnostics: Vec::new(), instance };
    let mut dropped: Vec<(&BenchmarkId, String)> = Vec::new();
    let mut answers = answers.into_iter();
    for (number, call) in calls.iter().enumerate() {
        let answer = answers.next().unwrap_or_default();
        if doubt.is_some() {
            intake.missing.push(number);
            dropped.push((&call.subject.benchmark, name(&call.task)));
            continue;
        }
        intake.take(number, call, answer, service.served_before == 0 && number == 0);
    }
    if let Some(doubt) = doubt {
        intake.drop_named(dropped, &doubt);
    }
    intake
}

impl Intake {
    fn take(&mut self, number: usize, call: &Call, answer: Answer, is_cold: bool) {
        let Answer { trials, diagnostics, refusal } = answer;
        self.diagnostics.extend(diagnostics);
        let subject = call.subject.benchmark.to_string();
        let (id, what) = (self.instance.id.clone(), name(&call.task));
        if let Some(refusal) = refusal {
            let message = format!("instance {id} cannot {}: {what} is missing", refusal.message);
            self.diagnostics.push(Diagnostic::warning(subject, message).hint(refusal.hint));
            self.missing.push(number);
        } else if is_answer(call, &trials) {
            let instance = Some(TrialInstance { id, is_cold });
            let with_instance = |trial| Trial { instance: instance.clone(), ..trial };
            self.trials.extend(trials.into_iter().map(|trial| (number, with_instance(trial))));
        } else {
            let message = format!("instance {id} sent something other than {what}; it is left out");
            self.diagnostics.push(Diagnostic::warning(subject, message));
            self.missing.push(number);
        }
    }

    /// Adds one warning per benchmark, with the numbers of the dropped trials.
    fn drop_named(&mut self, mut dropped: Vec<(&BenchmarkId, String)>, doubt: &str) {
        dropped.sort();
        for chunk in dropped.chunk_by(|one, other| one.0 == other.0) {
            let names: Vec<&str> = chunk.iter().map(|(_, name)| name.as_str()).collect();
            let message = format!("{} from instance {} dropped: {doubt}", names.join(", "), self.instance.id);
            self.diagnostics.push(Diagnostic::warning(chunk[0].0.to_string(), message));
        }
    }
}

fn name(task: &Task) -> String {
    match task {
        Task::Duet { index, .. } => format!("duet {index}"),
        Task::Single { side, .. } => format!("a trial of {side}"),
    }
}

/// Whether these are exactly the trials that the call asks for.
fn is_answer(call: &Call, trials: &[Trial]) -> bool {
    let wanted = |trial: &Trial| match call.task {
        Task::Duet { index, attempt, phase, first, .. } => {
            let position = Position::Duet { index, attempt, first: trial.side == first };
            (trial.position, trial.phase) == (position, phase)
        }
        Task::Single { side, position, phase } => {
            (trial.side, trial.position, trial.phase) == (side, position, phase)
        }
    };
    let is_complete = match (&call.task, trials) {
        (Task::Duet { .. }, [one, other]) => one.side != other.side,
        (Task::Single { .. }, [_]) => true,
        _ => false,
    };
    is_complete && trials.iter().all(|trial| trial.benchmark == call.subject.benchmark && wanted(trial))
}

#[cfg(test)]
mod tests {
    use benchwright_model::{InstanceId, Phase, Side, Timestamp};
    use benchwright_worker::wire::{ParcelId, Refusal, Service};

    use super::*;
    use crate::test_call::call;

    const SECOND: Duration = Duration::from_secs(1);

    fn trial(call: &Call, side: Side) -> Trial {
        let Task::Duet { index, attempt, phase, first, .. } = call.task else { panic!("no duet") };
        Trial {
            benchmark: call.subject.benchmark.clone(),
            position: Position::Duet { index, attempt, first: side == first },
            phase,
            started_at: Timestamp(100_000_000),
            ..benchwright_testkit::trial("X", side, index, &[1.0])
        }
    }

    fn answer(call: &Call) -> Answer {
        Answer { trials: vec![trial(call, Side::Head), trial(call, Side::Base)], ..Answer::default() }
    }

    fn delivery(answers: Vec<Answer>, served_before: u32) -> Delivery {
        let (started_at, ended_at) = (Timestamp(100_000_000), Timestamp(110_000_000));
        let instance = Instance {
            id: InstanceId("i1".into()),
            place: "slurm".into(),
            cpu: String::new(),
            arch: String::new(),
            cores: 1,
            memory_bytes: 0,
        };
        let service = Service { served_before, started_at, ended_at, took: 10 * SECOND, billed: None };
        Delivery { parcel: ParcelId("p".into()), answers, instance, service }
    }

    fn calls() -> Vec<Call> {
        (0..3).map(|index| call("X", index)).collect()
    }

    #[test]
    fn only_the_first_duet_of_a_cold_instance_is_cold() {
        let cold = |served_before| {
            let calls = calls();
            let intake =
                take_in(&calls, delivery(calls.iter().map(answer).collect(), served_before), 11 * SECOND);
            assert_eq!((intake.missing.len(), intake.diagnostics.len()), (0, 0));
            let cold = |(_, trial): &(usize, Trial)| trial.instance.as_ref().unwrap().is_cold;
            intake.trials.iter().map(cold).collect::<Vec<_>>()
        };
        assert_eq!(cold(0), [true, true, false, false, false, false]);
        assert_eq!(cold(1), [false; 6]);
    }

    #[test]
    fn what_was_not_asked_for_is_left_out_and_named() {
        let calls = calls();
        let mut answers: Vec<Answer> = calls.iter().map(answer).collect();
        answers[0].trials.pop();
        answers[1].trials[0].phase = Phase::Confirmation;
        answers.truncate(2);
        let intake = take_in(&calls, delivery(answers, 1), 11 * SECOND);
        assert_eq!(intake.missing, [0, 1, 2]);
        assert!(intake.trials.is_empty());
        let text = intake.diagnostics[1].to_string();
        assert_eq!(text, "warning: p:X: instance i1 sent something other than duet 1; it is left out");
    }

    #[test]
    fn a_refused_call_is_missing_with_its_reason() {
        let calls = calls();
        let mut answers: Vec<Answer> = calls.iter().map(answer).collect();
        answers[2].refusal = Some(Refusal { message: "find the harness `x`".into(), hint: "h".into() });
        let intake = take_in(&calls, delivery(answers, 1), 11 * SECOND);
        assert_eq!((intake.missing.as_slice(), intake.trials.len()), (&[2][..], 4));
        let text = "warning: p:X: instance i1 cannot find the harness `x`: duet 2 is missing\n  hint: h";
        assert_eq!(intake.diagnostics[0].to_string(), text);
    }

    #[test]
    fn everything_from_an_instance_with_impossible_times_is_dropped_and_named() {
        let calls = calls();
        let intake = take_in(&calls, delivery(calls.iter().map(answer).collect(), 1), 5 * SECOND);
        assert_eq!((intake.missing.as_slice(), intake.trials.len()), (&[0, 1, 2][..], 0));
        let text = "warning: p:X: duet 0, duet 1, duet 2 from instance i1 dropped: it says that it took 10.000s, \
                    but 5.000s passed here";
        assert_eq!(intake.diagnostics.iter().map(Diagnostic::to_string).collect::<Vec<_>>(), [text]);
    }
}
