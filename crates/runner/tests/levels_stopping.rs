//! Runs of one version in which a stop rule decides how many processes are needed, with a place that follows a script.

mod scripted;

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::time::Duration;

use benchwright_harness::{Stop, TrialShape};
use benchwright_model::{
    BenchmarkId, Diagnostic, Measurement, Metric, Outcome, Position, Series, Stopped, Trial, WarmupEnd,
};
use benchwright_places::{Place, PlaceError};
use benchwright_process::Interrupt;
use benchwright_runner::{LevelCounts, LevelsPlan, Measured, levels};
use benchwright_store::Journal;
use benchwright_testkit::trial;
use benchwright_worker::{Asked, Call, Subject, Task, TrialLimits};
use scripted::{Recording, directory, header_of};

/// A place whose processes are steady after ten iterations of eighty.
struct Steady {
    /// After so many processes the interrupt is set.
    stop_after: usize,
    interrupt: Interrupt,
    /// Per process: its benchmark, and how many earlier ones it was told of.
    started: Vec<(String, usize)>,
}

/// `calm` is the same in every process, `wild` is not.
fn value(name: &str, iteration: u32, i: u32) -> f64 {
    let level = if name == "wild" { [1.0, 1.9, 1.2, 3.0, 1.0][iteration as usize % 5] } else { 1.0 };
    1e-6 * level * (1.0 + f64::from(i % 7) / 500.0)
}

impl Place for Steady {
    fn describe(&self) -> String {
        "a script".into()
    }

    fn carry_out(
        &mut self,
        call: &Call,
        on_trial: &mut dyn FnMut(Trial),
    ) -> Result<Vec<Diagnostic>, PlaceError> {
        if self.started.len() == self.stop_after {
            self.interrupt.set();
            return Ok(Vec::new());
        }
        let Task::Single { side, position, phase } = call.task else { panic!("a run of one version") };
        let Position::Levels { iteration, .. } = position else { panic!("a run of one version") };
        let name = call.subject.benchmark.name.clone();
        let values = (0..80).map(|i| value(&name, iteration, i)).collect();
        let series = vec![Series { metric: Metric::time(), values, resolution: 0.0 }];
        self.started.push((name, call.earlier.len()));
        on_trial(Trial {
            benchmark: call.subject.benchmark.clone(),
            position,
            phase,
            stopped: Some(Stopped {
                rule: "cv".into(),
                end: WarmupEnd::Steady,
                reason: "it settled".into(),
                after: Some(80),
                warmup_time: Duration::from_secs(1),
                measured_time: Duration::from_secs(7),
                configured: None,
                enough: None,
            }),
            outcome: Outcome::Measured(Measurement {
                warmup: 10,
                operations: Vec::new(),
                series,
                ..Measurement::default()
            }),
            ..trial("", side, 0, &[1.0])
        });
        Ok(Vec::new())
    }
}

fn plan(processes: Option<&'static str>) -> LevelsPlan {
    let shape = TrialShape::fixed(3, Duration::from_millis(100));
    let asked =
        Asked { rule: "cv", processes, is_live: true, longest_warmup: Duration::from_secs(30), seed: 1 };
    let by = asked.stop(&shape).expect("a rule");
    let shape = TrialShape { stop: Stop::Rule(by), ..shape };
    let subject =
        |name: &str| Subject { benchmark: BenchmarkId::new("jmh", "p", name), base: None, head: None };
    LevelsPlan {
        subjects: vec![subject("calm"), subject("wild")],
        counts: vec![LevelCounts { suite_runs: 1, iterations: 5 }; 2],
        shapes: HashMap::from([("jmh".to_owned(), shape)]).into(),
        fillers: 0,
        limits: TrialLimits { wall: Duration::from_secs(1), output_bytes: 1, memory_bytes: None },
        cores: None,
        niceness: None,
        seed: 3,
        budget: None,
    }
}

fn run(plan: &LevelsPlan, stop_after: usize, dir: &Path) -> (Measured, Steady) {
    let path = dir.join("run.journal");
    let (journal, recalled) = match path.exists() {
        true => {
            let (journal, content) = Journal::reopen(&path).expect("a journal");
            (journal, content.trials)
        }
        false => {
            (Journal::create(&path, &header_of(&plan.subjects, plan.seed)).expect("a journal"), Vec::new())
        }
    };
    let mut place = Steady { stop_after, interrupt: Interrupt::new(), started: Vec::new() };
    let interrupt = place.interrupt.clone();
    let mut listener = Recording { journal, events: Vec::new() };
    let measured = levels(plan, &mut place, recalled, &interrupt, &mut listener);
    (measured, place)
}

fn counts(measured: &Measured) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for trial in &measured.trials {
        *counts.entry(trial.benchmark.name.as_str()).or_default() += 1;
    }
    counts
}

#[test]
fn a_benchmark_whose_processes_agree_needs_fewer_of_them() {
    let dir = directory();
    let (measured, place) = run(&plan(Some("cv")), usize::MAX, dir.path());
    assert_eq!(counts(&measured), BTreeMap::from([("calm", 2), ("wild", 5)]));
    assert!(!measured.is_partial && measured.error.is_none());
    let enough: Vec<(&str, bool)> = measured
        .trials
        .iter()
        .filter(|trial| trial.benchmark.name == "calm")
        .map(|trial| ("calm", trial.stopped.as_ref().is_some_and(|stopped| stopped.enough.is_some())))
        .collect();
    assert_eq!(enough, [("calm", false), ("calm", true)]);
    // Every process is told of those before it.
    let told: Vec<usize> = place.started.iter().filter(|(name, _)| name == "wild").map(|(_, n)| *n).collect();
    assert_eq!(told, [0, 1, 2, 3, 4]);
    let note = measured.diagnostics.iter().find(|note| note.message.starts_with("stop rule `cv`"));
    assert!(note.is_some_and(|note| note.message.contains("7 of 7 processes")), "{:?}", measured.diagnostics);
}

#[test]
fn without_such_a_rule_all_processes_run() {
    let dir = directory();
    let (measured, _) = run(&plan(None), usize::MAX, dir.path());
    assert_eq!(counts(&measured), BTreeMap::from([("calm", 5), ("wild", 5)]));
}

#[test]
fn a_run_that_was_cut_off_decides_as_if_nothing_had_happened() {
    let whole = run(&plan(Some("cv")), usize::MAX, directory().path()).0;
    for cut in 0..7 {
        let dir = directory();
        let (first, before) = run(&plan(Some("cv")), cut, dir.path());
        assert!(first.is_partial);
        let (second, after) = run(&plan(Some("cv")), usize::MAX, dir.path());
        assert_eq!(before.started.len() + after.started.len(), 7, "nothing is measured twice");
        assert_eq!(second.trials, whole.trials, "cut after {cut}");
    }
}
