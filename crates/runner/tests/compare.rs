//! The comparing loop with a place that answers from a script, so that no process runs and no time passes.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Duration;

use benchwright_analysis::{DuetLimits, JudgeSettings, PairedSettings, Rule, ThresholdRules};
use benchwright_harness::{Stop, TrialShape};
use benchwright_model::{
    BenchmarkId, Diagnostic, Environment, Event, Failure, FailureKind, Finding, Measurement, Metric, Outcome,
    Position, Reason, Run, RunId, RunKind, Series, Side, Thresholds, Timestamp, Trial, Usage, Verdict,
    Version,
};
use benchwright_places::{Place, PlaceError};
use benchwright_process::Interrupt;
use benchwright_runner::{ComparePlan, Compared, Layout, NoLayout, Relinker, compare};
use benchwright_store::{Journal, JournalHeader};
use benchwright_worker::{Call, Pairing, Program, Subject, Task, TrialLimits};

/// Decides what a trial of (benchmark, side, duet, attempt) gives: seconds, or a failure.
type Script = fn(&str, Side, u32, u32) -> Result<f64, FailureKind>;

struct Scripted {
    script: Script,
    /// After so many trials the interrupt is set, as by Ctrl-C or a kill.
    stop_after: usize,
    interrupt: Interrupt,
    started: Vec<(String, Side, u32, u32)>,
}

impl Place for Scripted {
    fn describe(&self) -> String {
        "a script".into()
    }

    fn carry_out(
        &mut self,
        call: &Call,
        on_trial: &mut dyn FnMut(Trial),
    ) -> Result<Vec<Diagnostic>, PlaceError> {
        let name = call.subject.benchmark.name.clone();
        let trials = match call.task {
            Task::Duet { index, attempt, phase, first, .. } => vec![
                (first, Position::Duet { index, attempt, first: true }, phase),
                (first.other(), Position::Duet { index, attempt, first: false }, phase),
            ],
            Task::Single { side, position, phase } => vec![(side, position, phase)],
        };
        for (side, position, phase) in trials {
            if self.started.len() == self.stop_after {
                self.interrupt.set();
                return Ok(Vec::new());
            }
            let Position::Duet { index, attempt, .. } = position else { panic!("a duet") };
            self.started.push((name.clone(), side, index, attempt));
            let outcome = match (self.script)(&name, side, index, attempt) {
                Ok(seconds) => {
                    let series = Series { metric: Metric::time(), values: vec![seconds], resolution: 0.0 };
                    Outcome::Measured(Measurement { series: vec![series], ..Measurement::default() })
                }
                Err(kind) => Outcome::Failed(Failure { kind, detail: "its words".into() }),
            };
            on_trial(Trial {
                benchmark: call.subject.benchmark.clone(),
                side,
                position,
                phase,
                layout: None,
                started_at: Timestamp(0),
                usage: Usage { wall: Duration::from_millis(1), ..Usage::default() },
                outcome,
            });
        }
        Ok(Vec::new())
    }
}

/// Layouts have tests of their own.
struct NoLinker;

impl Relinker for NoLinker {
    fn relink(&mut self, _: &Layout<'_>, _: &mut dyn FnMut(&str)) -> Result<Program, NoLayout> {
        panic!("nobody asked for layouts")
    }
}

fn plan(names: &[&str], seed: u64) -> ComparePlan {
    let subject =
        |name: &&str| Subject { benchmark: BenchmarkId::new("go", "p", *name), base: None, head: None };
    let shape = TrialShape {
        iterations: 1,
        iteration_time: Duration::from_millis(1),
        warmup_time: Duration::ZERO,
        stop: Stop::Fixed,
        args: Vec::new(),
    };
    ComparePlan {
        subjects: names.iter().map(subject).collect(),
        judge: JudgeSettings {
            rule: Rule::Paired(PairedSettings::default()),
            thresholds: ThresholdRules::general(Thresholds { soft: 0.03, hard: 0.03 }),
            seed,
        },
        duets: HashMap::new(),
        shapes: HashMap::from([("go".to_owned(), shape)]).into(),
        fillers: 0,
        limits: TrialLimits { wall: Duration::from_secs(1), output_bytes: 1 },
        pairing: Pairing::Sequential,
        cores: None,
        niceness: None,
        seed,
        budget: None,
        durations: HashMap::new(),
        layouts: 0,
    }
}

fn header(plan: &ComparePlan) -> JournalHeader {
    let version = Version {
        label: "main".into(),
        commit: None,
        tree: "0".repeat(40),
        dirty: false,
        subject: String::new(),
    };
    JournalHeader {
        run: Run {
            id: RunId("run".into()),
            kind: RunKind::Compare,
            command: Vec::new(),
            started_at: Timestamp(0),
            ended_at: None,
            seed: plan.seed,
            base: Some(version.clone()),
            head: version,
            environment: Environment::default(),
            tool_version: String::new(),
            settings: BTreeMap::new(),
        },
        benchmarks: plan.subjects.iter().map(|subject| subject.benchmark.clone()).collect(),
        options: BTreeMap::new(),
    }
}

/// A run to its end or to its `stop_after`th trial, going on with the journal in `dir` if there is one.
fn run(plan: &ComparePlan, script: Script, stop_after: usize, dir: &std::path::Path) -> (Compared, Scripted) {
    let path = dir.join("run.journal");
    let (mut journal, recalled) = if path.exists() {
        let (journal, content) = Journal::reopen(&path).unwrap();
        (journal, content.trials)
    } else {
        (Journal::create(&path, &header(plan)).unwrap(), Vec::new())
    };
    let interrupt = Interrupt::new();
    let mut place = Scripted { script, stop_after, interrupt: interrupt.clone(), started: Vec::new() };
    let compared =
        compare(plan, &mut place, &mut NoLinker, &mut journal, recalled, &interrupt, &mut |_: Event| {});
    (compared, place)
}

fn whole(plan: &ComparePlan, script: Script) -> (Compared, Scripted) {
    let dir = tempfile::tempdir().unwrap();
    run(plan, script, usize::MAX, dir.path())
}

/// `slow` is 10 % slower in head, everything else the same; all with a little noise.
fn usual(name: &str, side: Side, index: u32, attempt: u32) -> Result<f64, FailureKind> {
    let noise = 1.0 + f64::from((index * 7 + attempt * 3 + name.len() as u32 + side as u32) % 11) * 1e-4;
    Ok(noise * if name == "slow" && side == Side::Head { 1.1 } else { 1.0 })
}

fn verdicts(findings: &[Finding]) -> Vec<(String, Verdict, usize)> {
    findings.iter().map(|f| (f.benchmark.name.clone(), f.verdict, f.duets.len())).collect()
}

#[test]
fn each_benchmark_leaves_when_it_is_decided() {
    let (compared, _) = whole(&plan(&["a", "slow", "b"], 1), usual);
    let expected = [("a", Verdict::Same, 5), ("slow", Verdict::Slower, 10), ("b", Verdict::Same, 5)];
    let expected = expected.map(|(name, verdict, duets)| (name.to_owned(), verdict, duets));
    assert_eq!(verdicts(&compared.findings), expected);
    assert_eq!(compared.trials.len(), 40);
    assert!(!compared.is_partial && compared.error.is_none());
}

#[test]
fn benchmarks_are_interleaved_and_the_seed_decides_the_order() {
    let names = ["a", "b", "c", "d", "e", "f"];
    let order = |seed| whole(&plan(&names, seed), usual).1.started;
    let first = order(1);
    assert_eq!(first, order(1));
    assert_ne!(first, order(2));
    // Every round of six duets has each benchmark once.
    for round in first.chunks(12) {
        let seen: HashSet<&String> = round.iter().map(|(name, ..)| name).collect();
        assert_eq!(seen.len(), 6);
    }
    let heads_first = first.iter().step_by(2).filter(|(_, side, ..)| *side == Side::Head).count();
    assert!((8..=22).contains(&heads_first), "{heads_first} of 30");
}

#[test]
fn a_benchmark_does_not_follow_itself_while_another_is_open() {
    for seed in 0..20 {
        let started = whole(&plan(&["a", "b"], seed), usual).1.started;
        let duets: Vec<&String> = started.iter().step_by(2).map(|(name, ..)| name).collect();
        assert!(duets.windows(2).all(|pair| pair[0] != pair[1]), "{duets:?}");
    }
}

#[test]
fn fillers_run_between_the_last_ones_and_are_not_kept() {
    let plan = ComparePlan { fillers: 2, ..plan(&["a", "slow", "b"], 1) };
    let (compared, place) = whole(&plan, usual);
    // After five rounds `slow` is alone; each of its five fresh duets is followed by one process of another.
    assert_eq!(compared.trials.len(), 40);
    assert_eq!(place.started.len(), 45);
    let last: Vec<&str> = place.started[30..].iter().map(|(name, ..)| name.as_str()).collect();
    for three in last.chunks(3) {
        assert!(matches!(three, ["slow", "slow", "a" | "b"]), "{last:?}");
    }
}

#[test]
fn a_benchmark_with_limits_and_a_shape_of_its_own_keeps_to_them() {
    let mut plan = plan(&["a", "b"], 1);
    let b = plan.subjects[1].benchmark.clone();
    plan.duets.insert(b.clone(), DuetLimits { floor: 8, cap: 12 });
    let longer = TrialShape { iterations: 9, ..plan.shapes.by_harness["go"].clone() };
    plan.shapes.by_benchmark.insert(b.clone(), longer);
    assert_eq!(plan.shapes.of(&b).unwrap().iterations, 9);
    assert_eq!(plan.shapes.of(&plan.subjects[0].benchmark).unwrap().iterations, 1);
    let (compared, _) = whole(&plan, usual);
    let expected = [("a", Verdict::Same, 5), ("b", Verdict::Same, 10)];
    assert_eq!(
        verdicts(&compared.findings),
        expected.map(|(name, verdict, n)| (name.to_owned(), verdict, n))
    );
}

#[test]
fn a_run_cut_off_anywhere_goes_on_as_if_nothing_had_happened() {
    let plan = plan(&["a", "slow", "b"], 3);
    let (uninterrupted, whole_run) = whole(&plan, usual);
    for stop_after in 0..whole_run.started.len() {
        let dir = tempfile::tempdir().unwrap();
        let (cut, first) = run(&plan, usual, stop_after, dir.path());
        assert!(cut.is_partial, "{stop_after}");
        let (resumed, second) = run(&plan, usual, usize::MAX, dir.path());
        assert_eq!(resumed.findings, uninterrupted.findings, "{stop_after}");
        // Nothing lost, nothing twice.
        let mut all = [first.started, second.started].concat();
        assert_eq!(all.len(), whole_run.started.len(), "{stop_after}");
        all.sort();
        all.dedup();
        assert_eq!(all.len(), whole_run.started.len(), "{stop_after}");
    }
}

#[test]
fn a_failed_duet_is_repeated_whole() {
    let once = |name: &str, side, index, attempt| match (name, side, index, attempt) {
        ("a", Side::Head, 2, 0) => Err(FailureKind::Signal(9)),
        _ => usual(name, side, index, attempt),
    };
    let (compared, place) = whole(&plan(&["a"], 1), once);
    assert_eq!(compared.findings[0].verdict, Verdict::Same);
    let tries: Vec<_> = place.started.iter().filter(|(_, _, index, _)| *index == 2).collect();
    assert_eq!(tries.len(), 4);
    assert_eq!((compared.failures.len(), compared.failures[0].trials), (1, 1));
}

#[test]
fn a_benchmark_that_always_fails_leaves_and_the_others_are_measured() {
    let broken = |name: &str, side, index, attempt| match (name, side) {
        ("broken", Side::Head) => Err(FailureKind::ExitStatus(2)),
        _ => usual(name, side, index, attempt),
    };
    let (compared, place) = whole(&plan(&["a", "broken"], 1), broken);
    assert_eq!(compared.findings[0].verdict, Verdict::Same);
    let what = "head exited with status 2".to_owned();
    assert_eq!(compared.findings[1].reason, Reason::Failed { what });
    assert_eq!(place.started.iter().filter(|(name, ..)| name == "broken").count(), 6);
    assert_eq!(compared.failures[0].detail, "its words");
}

#[test]
fn a_benchmark_that_hangs_from_the_start_is_not_tried_again() {
    let hanging = |name: &str, side, index, attempt| match name {
        "hangs" => Err(FailureKind::TimedOut),
        _ => usual(name, side, index, attempt),
    };
    let (_, place) = whole(&plan(&["a", "hangs"], 1), hanging);
    assert_eq!(place.started.iter().filter(|(name, ..)| name == "hangs").count(), 2);
}

#[test]
fn a_spent_budget_is_the_reason_of_what_is_left() {
    let plan = ComparePlan { budget: Some(Duration::ZERO), ..plan(&["a", "b"], 1) };
    let (compared, place) = whole(&plan, usual);
    assert!(place.started.is_empty() && compared.findings.len() == 2);
    assert!(compared.findings.iter().all(|f| matches!(f.reason, Reason::OutOfBudget { .. })));
}
