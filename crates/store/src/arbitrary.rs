//! Model values of every kind for property tests, with the oddest floats and texts there are.

use std::collections::BTreeMap;
use std::time::Duration;

use benchwright_model::*;
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;

use crate::{BuildRecord, ExecutableRecord, JournalHeader, RunRecord};

fn float() -> impl Strategy<Value = f64> {
    let odd = [0.0, -0.0, 5e-324, f64::MIN_POSITIVE, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1.0, 9e15];
    prop_oneof![proptest::sample::select(odd.to_vec()), any::<u64>().prop_map(f64::from_bits), 1e-9..1e-3_f64]
}

fn text() -> impl Strategy<Value = String> {
    let odd =
        ["", "a\nb\r\n", "\0", "\"\\{}", "BenchmarkX/n=1 µ(.*)", "\u{10ffff}\u{202e}", "'; --", "null", "{"];
    prop_oneof![
        proptest::sample::select(odd.to_vec()).prop_map(str::to_owned),
        vec(any::<char>(), 0..12).prop_map(|characters| characters.into_iter().collect()),
    ]
}

fn texts() -> impl Strategy<Value = BTreeMap<String, String>> {
    btree_map(text(), text(), 0..4)
}

fn duration() -> impl Strategy<Value = Duration> {
    prop_oneof![(0..=i64::MAX as u64), 0..10_000_000_000_u64].prop_map(Duration::from_nanos)
}

fn side() -> impl Strategy<Value = Side> {
    proptest::sample::select(&Side::BOTH[..])
}

pub(crate) fn benchmark() -> impl Strategy<Value = BenchmarkId> {
    (text(), text(), text()).prop_map(|(harness, package, name)| BenchmarkId { harness, package, name })
}

pub(crate) fn unit() -> impl Strategy<Value = Unit> {
    let plain = [Unit::Seconds, Unit::Bytes, Unit::BytesPerSecond, Unit::Count];
    prop_oneof![proptest::sample::select(plain.to_vec()), text().prop_map(Unit::Other)]
}

fn metric() -> impl Strategy<Value = Metric> {
    let directions = vec![Direction::LowerIsBetter, Direction::HigherIsBetter, Direction::Unknown];
    let natures = vec![Nature::Measured, Nature::Counted, Nature::Derived];
    (text(), unit(), proptest::sample::select(directions), proptest::sample::select(natures))
        .prop_map(|(name, unit, direction, nature)| Metric { name, unit, direction, nature })
}

fn failure_kind() -> impl Strategy<Value = FailureKind> {
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
    ]
}

fn outcome() -> impl Strategy<Value = Outcome> {
    let series = (metric(), vec(float(), 1..5), float()).prop_map(|(metric, values, resolution)| Series {
        metric,
        values,
        resolution,
    });
    let measured = (any::<u32>(), vec(any::<u64>(), 0..4), vec(series, 0..4)).prop_map(
        |(warmup, operations, series)| Outcome::Measured(Measurement { warmup, operations, series }),
    );
    let failed =
        (failure_kind(), text()).prop_map(|(kind, detail)| Outcome::Failed(Failure { kind, detail }));
    prop_oneof![3 => measured, 1 => failed]
}

fn position() -> impl Strategy<Value = Position> {
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

pub(crate) fn trial() -> impl Strategy<Value = Trial> {
    let phases = vec![Phase::Screening, Phase::Confirmation, Phase::Levels];
    let usage = (duration(), duration(), duration(), any::<u64>())
        .prop_map(|(wall, user, system, max_rss_bytes)| Usage { wall, user, system, max_rss_bytes });
    let why = (proptest::sample::select(phases), option::of(any::<u32>()));
    let what = (benchmark(), side(), position(), why);
    (what, any::<i64>(), usage, option::of(stopped()), outcome()).prop_map(
        |((benchmark, side, position, (phase, layout)), started_at, usage, stopped, outcome)| Trial {
            benchmark,
            side,
            position,
            phase,
            layout,
            started_at: Timestamp(started_at),
            usage,
            stopped,
            outcome,
        },
    )
}

fn version() -> impl Strategy<Value = Version> {
    (text(), option::of(text()), text(), any::<bool>(), text())
        .prop_map(|(label, commit, tree, dirty, subject)| Version { label, commit, tree, dirty, subject })
}

pub(crate) fn run() -> impl Strategy<Value = Run> {
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

pub(crate) fn diagnostic() -> impl Strategy<Value = Diagnostic> {
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

pub(crate) fn header() -> impl Strategy<Value = JournalHeader> {
    (run(), vec(benchmark(), 0..3), texts()).prop_map(|(run, benchmarks, options)| JournalHeader {
        run,
        benchmarks,
        options,
    })
}

pub(crate) fn reason() -> impl Strategy<Value = Reason> {
    let plain = vec![
        Reason::WithinThreshold,
        Reason::CertainButSmall,
        Reason::IdenticalBuild,
        Reason::Exact,
        Reason::ChangedBelowThreshold,
        Reason::OneProcess,
        Reason::SummaryOnly,
        Reason::Interrupted,
        Reason::NoRatio,
        Reason::Informational,
    ];
    prop_oneof![
        proptest::sample::select(plain),
        (float(), float(), any::<u32>()).prop_map(|(evidence, needed, layouts)| Reason::Confirmed {
            evidence,
            needed,
            layouts
        }),
        (float(), float(), any::<u32>()).prop_map(|(evidence, needed, layouts)| Reason::NotConfirmed {
            evidence,
            needed,
            layouts
        }),
        text().prop_map(|name| Reason::Rule { name }),
        float().prop_map(|p| Reason::RankTest { p }),
        float().prop_map(|step| Reason::TooCoarse { step }),
        (any::<u32>(), option::of(any::<u32>()))
            .prop_map(|(processes, needed)| Reason::FewProcesses { processes, needed }),
        option::of(any::<u32>()).prop_map(|duets_needed| Reason::TooNoisy { duets_needed }),
        option::of(any::<u32>()).prop_map(|duets_needed| Reason::OutOfBudget { duets_needed }),
        text().prop_map(|what| Reason::Failed { what }),
    ]
}

fn summary() -> impl Strategy<Value = Option<Summary>> {
    option::of((float(), float(), any::<u32>()).prop_map(|(centre, spread, trials)| Summary {
        centre,
        spread,
        trials,
    }))
}

fn finding() -> impl Strategy<Value = Finding> {
    let verdicts =
        vec![Verdict::Slower, Verdict::Faster, Verdict::Changed, Verdict::Same, Verdict::Undecided];
    let effect =
        option::of((float(), float(), float(), float()).prop_map(|(centre, lo, hi, level)| Effect {
            centre,
            lo,
            hi,
            level,
        }));
    let answer = (proptest::sample::select(verdicts), reason(), effect, summary(), summary());
    let rest =
        (vec(float(), 0..5), any::<u32>(), float(), float(), float(), any::<bool>(), vec(text(), 0..2));
    (benchmark(), metric(), answer, rest, option::of(text())).prop_map(
        |(benchmark, metric, answer, (duets, fresh, wild, soft, hard, fails, warnings), accepted)| {
            let (verdict, reason, effect, base, head) = answer;
            let thresholds = Thresholds { soft, hard };
            Finding {
                benchmark,
                metric,
                verdict,
                reason,
                effect,
                base,
                head,
                duets,
                fresh,
                wild,
                thresholds,
                fails,
                accepted,
                warnings,
            }
        },
    )
}

fn comparison(run: Run) -> impl Strategy<Value = Comparison> {
    let failure = (benchmark(), side(), any::<u32>(), failure_kind(), text()).prop_map(
        |(benchmark, side, trials, kind, detail)| FailureSummary { benchmark, side, trials, kind, detail },
    );
    let names = (vec(benchmark(), 0..3), vec(benchmark(), 0..3));
    let lists = (vec(finding(), 0..4), names, vec(failure, 0..3), vec(diagnostic(), 0..3));
    (text(), text(), lists, any::<bool>()).prop_map(
        move |(rule, rule_note, (findings, (added, removed), failures, diagnostics), is_partial)| {
            let run = run.clone();
            Comparison { run, rule, rule_note, findings, added, removed, failures, diagnostics, is_partial }
        },
    )
}

fn build() -> impl Strategy<Value = BuildRecord> {
    let executable = (text(), text()).prop_map(|(package, digest)| ExecutableRecord { package, digest });
    (side(), text(), text(), text(), text(), vec(executable, 0..3)).prop_map(
        |(side, harness, dir, key, toolchain, executables)| BuildRecord {
            side,
            harness,
            dir,
            key,
            toolchain,
            executables,
        },
    )
}

pub(crate) fn record() -> impl Strategy<Value = RunRecord> {
    run().prop_flat_map(|run| {
        let lists = (vec(trial(), 0..5), vec(build(), 0..3), vec(diagnostic(), 0..3));
        (Just(run.clone()), option::of(comparison(run)), lists, any::<bool>()).prop_map(
            |(run, comparison, (trials, builds, diagnostics), is_partial)| RunRecord {
                run,
                trials,
                comparison,
                builds,
                diagnostics,
                is_partial,
            },
        )
    })
}
