//! Model values of every kind for property tests, including unusual floats and texts.

use std::collections::BTreeMap;
use std::time::Duration;

use benchwright_model::*;
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;

/// Any double. Unusual ones are frequent.
pub fn float() -> impl Strategy<Value = f64> {
    let odd = [0.0, -0.0, 5e-324, f64::MIN_POSITIVE, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1.0, 9e15];
    prop_oneof![proptest::sample::select(odd.to_vec()), any::<u64>().prop_map(f64::from_bits), 1e-9..1e-3_f64]
}

/// Any text. Texts that often cause errors in formats are frequent.
pub fn text() -> impl Strategy<Value = String> {
    let odd =
        ["", "a\nb\r\n", "\0", "\"\\{}", "BenchmarkX/n=1 µ(.*)", "\u{10ffff}\u{202e}", "'; --", "null", "{"];
    prop_oneof![
        proptest::sample::select(odd.to_vec()).prop_map(str::to_owned),
        vec(any::<char>(), 0..12).prop_map(|characters| characters.into_iter().collect()),
    ]
}

/// Texts by name.
pub fn texts() -> impl Strategy<Value = BTreeMap<String, String>> {
    btree_map(text(), text(), 0..4)
}

/// Durations up to 292 years.
pub fn duration() -> impl Strategy<Value = Duration> {
    prop_oneof![(0..=i64::MAX as u64), 0..10_000_000_000_u64].prop_map(Duration::from_nanos)
}

/// Either side.
pub fn side() -> impl Strategy<Value = Side> {
    proptest::sample::select(&Side::BOTH[..])
}

/// Any benchmark.
pub fn benchmark() -> impl Strategy<Value = BenchmarkId> {
    (text(), text(), text()).prop_map(|(harness, package, name)| BenchmarkId { harness, package, name })
}

/// Any unit.
pub fn unit() -> impl Strategy<Value = Unit> {
    let plain = [Unit::Seconds, Unit::Bytes, Unit::BytesPerSecond, Unit::Count];
    prop_oneof![proptest::sample::select(plain.to_vec()), text().prop_map(Unit::Other)]
}

/// Any metric.
pub fn metric() -> impl Strategy<Value = Metric> {
    let directions = vec![Direction::LowerIsBetter, Direction::HigherIsBetter, Direction::Unknown];
    let natures = vec![Nature::Measured, Nature::Counted, Nature::Derived];
    (text(), unit(), proptest::sample::select(directions), proptest::sample::select(natures))
        .prop_map(|(name, unit, direction, nature)| Metric { name, unit, direction, nature })
}

/// Any kind of failure.
pub fn failure_kind() -> impl Strategy<Value = FailureKind> {
    let plain = vec![
        FailureKind::NotStarted,
        FailureKind::TimedOut,
        FailureKind::NoResult,
        FailureKind::BadValue,
        FailureKind::TooMuchOutput,
        FailureKind::Interrupted,
    ];
    prop_oneof![
        proptest::sample::select(plain),
        any::<i32>().prop_map(FailureKind::ExitStatus),
        any::<i32>().prop_map(FailureKind::Signal),
        any::<u64>().prop_map(FailureKind::TooMuchMemory),
    ]
}

/// Values of any kind, or a failure.
pub fn outcome() -> impl Strategy<Value = Outcome> {
    let series = (metric(), vec(float(), 1..5), float()).prop_map(|(metric, values, resolution)| Series {
        metric,
        values,
        resolution,
    });
    let kind =
        option::of(proptest::sample::select(vec![SampleKind::Slices, SampleKind::Java, SampleKind::Other]));
    let measured = (any::<u32>(), vec(any::<u64>(), 0..4), vec(series, 0..4), kind).prop_map(
        |(warmup, operations, series, sample_kind)| Measurement { warmup, operations, series, sample_kind },
    );
    let measured = measured.boxed();
    let failed = (failure_kind(), text(), option::of(measured.clone()))
        .prop_map(|(kind, detail, measured)| Outcome::Failed(Failure { kind, detail, measured }));
    prop_oneof![3 => measured.prop_map(Outcome::Measured), 1 => failed]
}

/// Any position in a run.
pub fn position() -> impl Strategy<Value = Position> {
    prop_oneof![
        any::<(u32, u32, bool)>().prop_map(|(index, attempt, first)| Position::Duet {
            index,
            attempt,
            first
        }),
        any::<(u32, u32, u32)>().prop_map(|(instance, suite_run, iteration)| Position::Levels {
            instance,
            suite_run,
            iteration
        }),
    ]
}

/// Any trial.
pub fn trial() -> impl Strategy<Value = Trial> {
    let phases = vec![Phase::Screening, Phase::Confirmation, Phase::Levels];
    let usage = (duration(), duration(), duration(), any::<u64>(), any::<u32>()).prop_map(
        |(wall, user, system, max_rss_bytes, processes)| Usage {
            wall,
            user,
            system,
            max_rss_bytes,
            processes,
        },
    );
    let why = (proptest::sample::select(phases), option::of(any::<u32>()), option::of(trial_instance()));
    let what = (benchmark(), side(), position(), why);
    (what, any::<i64>(), usage, option::of(stopped()), outcome()).prop_map(
        |((benchmark, side, position, (phase, layout, instance)), started_at, usage, stopped, outcome)| {
            Trial {
                benchmark,
                side,
                position,
                phase,
                layout,
                instance,
                started_at: Timestamp(started_at),
                usage,
                stopped,
                outcome,
            }
        },
    )
}

fn stopped() -> impl Strategy<Value = Stopped> {
    let ends = vec![WarmupEnd::Steady, WarmupEnd::Unsteady, WarmupEnd::Fixed];
    let configured = (duration(), any::<u32>()).prop_map(|(time, processes)| Configured { time, processes });
    let why = (text(), proptest::sample::select(ends), text(), option::of(text()));
    (why, option::of(any::<u32>()), duration(), duration(), option::of(configured)).prop_map(
        |((rule, end, reason, enough), after, warmup_time, measured_time, configured)| Stopped {
            rule,
            end,
            reason,
            after,
            warmup_time,
            measured_time,
            configured,
            enough,
        },
    )
}

fn trial_instance() -> impl Strategy<Value = TrialInstance> {
    (text(), any::<bool>()).prop_map(|(id, is_cold)| TrialInstance { id: InstanceId(id), is_cold })
}

/// Any instance.
pub fn instance() -> impl Strategy<Value = Instance> {
    (text(), text(), text(), text(), any::<u32>(), any::<u64>()).prop_map(
        |(id, place, cpu, arch, cores, memory_bytes)| Instance {
            id: InstanceId(id),
            place,
            cpu,
            arch,
            cores,
            memory_bytes,
        },
    )
}

/// Any version.
pub fn version() -> impl Strategy<Value = Version> {
    (text(), option::of(text()), text(), any::<bool>(), text())
        .prop_map(|(label, commit, tree, dirty, subject)| Version { label, commit, tree, dirty, subject })
}

/// Any run.
pub fn run() -> impl Strategy<Value = Run> {
    let kinds = vec![RunKind::Compare, RunKind::Levels, RunKind::Imported];
    let times = (any::<i64>(), option::of(any::<i64>()), any::<u64>());
    let versions = (option::of(version()), version());
    (text(), proptest::sample::select(kinds), vec(text(), 0..4), times, versions, texts(), text(), texts())
        .prop_map(|(id, kind, command, (started_at, ended_at, seed), (base, head), facts, tool, settings)| {
            Run {
                id: RunId(id),
                kind,
                command,
                started_at: Timestamp(started_at),
                ended_at: ended_at.map(Timestamp),
                seed,
                base,
                head,
                environment: Environment { facts },
                tool_version: tool,
                settings,
            }
        })
}

/// Any diagnostic.
pub fn diagnostic() -> impl Strategy<Value = Diagnostic> {
    let severities = vec![Severity::Note, Severity::Warning, Severity::Error];
    let position = option::of(any::<(u32, u32)>());
    (proptest::sample::select(severities), text(), position, text(), text()).prop_map(
        |(severity, subject, position, message, hint)| Diagnostic {
            severity,
            subject,
            position: position.map(|(line, column)| TextPosition { line, column }),
            message,
            hint,
        },
    )
}
