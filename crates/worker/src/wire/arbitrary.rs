//! Calls and responses of every kind, for property tests.

use std::path::PathBuf;

use benchwright_harness::{Executable, Stop, StopBy, TrialShape};
use benchwright_model::{Phase, Timestamp};
use benchwright_testkit::arbitrary::{
    benchmark, diagnostic, duration, instance, position, side, text, trial,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

use super::{Answer, Delivery, Parcel, ParcelId, Refusal, Service};
use crate::{BuildPlace, Call, Earlier, Pairing, Program, Subject, Task, TrialLimits};

fn path() -> impl Strategy<Value = PathBuf> {
    text().prop_map(PathBuf::from)
}

fn program() -> impl Strategy<Value = Program> {
    let names = (text(), text(), text(), text());
    let rest = (path(), path(), vec((text(), text()), 0..3));
    (names, rest, path(), path()).prop_map(|(names, (file, dir, env), root, out)| {
        let (harness, package, flavour, flavour_version) = names;
        let executable = Executable { harness, package, flavour, flavour_version, path: file, dir, env };
        Program { executable, place: BuildPlace { root, out } }
    })
}

fn phase() -> impl Strategy<Value = Phase> {
    proptest::sample::select(vec![Phase::Screening, Phase::Confirmation, Phase::Levels])
}

fn task() -> impl Strategy<Value = Task> {
    let pairing = prop_oneof![
        Just(Pairing::Sequential),
        any::<[usize; 2]>().prop_map(|cores| Pairing::Parallel { cores }),
        any::<u32>().prop_map(|processes| Pairing::InTurns { processes })
    ];
    prop_oneof![
        (any::<u32>(), any::<u32>(), phase(), side(), pairing).prop_map(
            |(index, attempt, phase, first, pairing)| Task::Duet { index, attempt, phase, first, pairing }
        ),
        (side(), position(), phase()).prop_map(|(side, position, phase)| Task::Single {
            side,
            position,
            phase
        }),
    ]
}

fn shape() -> impl Strategy<Value = TrialShape> {
    let rule = || {
        select(benchwright_steady::rules::catalogue::RULES.iter().map(|rule| rule.name).collect::<Vec<_>>())
    };
    let rule = (rule(), option::of(rule()), any::<bool>(), duration(), duration(), duration(), any::<u64>());
    let rule = rule.prop_map(|(rule, processes, is_live, longest_warmup, usual, longest, seed)| {
        let (rule, processes) = (rule.into(), processes.map(Into::into));
        Stop::Rule(StopBy { rule, processes, is_live, longest_warmup, usual, longest, seed })
    });
    let stop = prop_oneof![Just(Stop::Fixed), rule];
    let operations = option::of(any::<std::num::NonZeroU64>());
    (any::<u32>(), duration(), operations, (duration(), any::<bool>()), stop, vec(text(), 0..3)).prop_map(
        |(iterations, iteration_time, operations, (warmup_time, is_overruled), stop, args)| TrialShape {
            iterations,
            iteration_time,
            operations,
            warmup_time,
            is_overruled,
            stop,
            args,
        },
    )
}

pub(super) fn call() -> impl Strategy<Value = Call> {
    let subject = (benchmark(), option::of(program()), option::of(program()))
        .prop_map(|(benchmark, base, head)| Subject { benchmark, base, head });
    let limits = (duration(), any::<u64>(), any::<Option<u64>>())
        .prop_map(|(wall, output_bytes, memory_bytes)| TrialLimits { wall, output_bytes, memory_bytes });
    let earlier = (side(), vec(any::<f64>(), 0..4), any::<u32>())
        .prop_map(|(side, values, warmup)| Earlier { side, values: values.into(), warmup });
    let rest = (option::of(vec(any::<usize>(), 0..3)), option::of(any::<i32>()), any::<usize>());
    (subject, task(), shape(), limits, rest, vec(earlier, 0..3)).prop_map(
        |(subject, task, shape, limits, (cores, niceness, padding), earlier)| Call {
            subject,
            task,
            shape,
            limits,
            cores,
            niceness,
            padding,
            earlier,
        },
    )
}

pub(super) fn parcel() -> impl Strategy<Value = Parcel> {
    (text(), vec(call(), 0..3), duration()).prop_map(|(id, calls, wall)| Parcel {
        id: ParcelId(id),
        calls,
        wall,
    })
}

pub(super) fn delivery() -> impl Strategy<Value = Delivery> {
    let refusal = (text(), text()).prop_map(|(message, hint)| Refusal { message, hint });
    let answer = (vec(trial(), 0..3), vec(diagnostic(), 0..2), option::of(refusal)).prop_map(
        |(mut trials, diagnostics, refusal)| {
            trials.iter_mut().for_each(|trial| trial.instance = None);
            Answer { trials, diagnostics, refusal }
        },
    );
    let service = (any::<u32>(), any::<(i64, i64)>(), duration(), option::of(duration())).prop_map(
        |(served_before, (started_at, ended_at), took, billed)| Service {
            served_before,
            started_at: Timestamp(started_at),
            ended_at: Timestamp(ended_at),
            took,
            billed,
        },
    );
    (text(), vec(answer, 0..3), instance(), service).prop_map(|(parcel, answers, instance, service)| {
        Delivery { parcel: ParcelId(parcel), answers, instance, service }
    })
}
