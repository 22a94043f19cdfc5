//! Stored data of every kind, for property tests.

use benchwright_model::*;
pub(crate) use benchwright_testkit::arbitrary::*;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use crate::{BuildRecord, ExecutableRecord, JournalHeader, RunRecord};

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
        Reason::ChangedNearThreshold,
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
        (float(), any::<u32>()).prop_map(|(as_built, layouts)| Reason::PlacementOnly { as_built, layouts }),
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
    let verdicts = vec![
        Verdict::Slower,
        Verdict::Faster,
        Verdict::Changed,
        Verdict::Same,
        Verdict::Undecided,
        Verdict::NotMeasured,
    ];
    let effect =
        option::of((float(), float(), float(), float()).prop_map(|(centre, lo, hi, level)| Effect {
            centre,
            lo,
            hi,
            level,
        }));
    let answer = (proptest::sample::select(verdicts), reason(), effect, summary(), summary());
    let rest =
        (vec(float(), 0..5), any::<[u32; 2]>(), float(), float(), float(), any::<bool>(), vec(text(), 0..2));
    (benchmark(), metric(), answer, rest, option::of(text())).prop_map(
        |(
            benchmark,
            metric,
            answer,
            (duets, [fresh, quartets], wild, soft, hard, fails, warnings),
            accepted,
        )| {
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
                quartets,
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
        let lists = (vec(trial(), 0..5), vec(instance(), 0..3), vec(build(), 0..3), vec(diagnostic(), 0..3));
        (Just(run.clone()), option::of(comparison(run)), lists, any::<bool>()).prop_map(
            |(run, comparison, (trials, instances, builds, diagnostics), is_partial)| RunRecord {
                run,
                trials,
                comparison,
                instances,
                builds,
                diagnostics,
                is_partial,
            },
        )
    })
}
