//! What runs, in which order, and for how long.

use std::time::Instant;

use crate::document::{compared, map};
use crate::sandbox::{Sandbox, wait_for};
use crate::suite::NAMES;

#[test]
fn the_seed_decides_the_order() {
    let order = |seed: u32| {
        let sandbox = Sandbox::new();
        sandbox.say(&format!("compare base head --seed {seed}")).exits(0);
        sandbox.script.started()
    };
    let first = order(1);
    assert_eq!(first.len(), 30, "five duets of three benchmarks");
    assert_eq!(order(1), first);
    assert_ne!(order(2), first);
}

#[test]
fn both_sides_run_first_now_and_then_and_benchmarks_are_interleaved() {
    let sandbox = Sandbox::new();
    sandbox.say("compare base head --seed 3 --rule t-test --duets 10").exits(0);
    let started = sandbox.script.started();
    let firsts: Vec<&str> =
        started.iter().step_by(2).filter_map(|line| line.split(' ').next_back()).collect();
    let of_base = firsts.iter().filter(|version| **version == "base").count();
    assert!((5..=25).contains(&of_base), "{of_base} of 30 duets began with base");
    let names: Vec<&str> = started.iter().step_by(2).filter_map(|line| line.split(' ').next()).collect();
    for round in names.chunks(3) {
        assert!(NAMES.iter().all(|name| round.contains(name)), "every round has every benchmark: {round:?}");
    }
}

#[test]
fn the_budget_ends_a_run_in_time_and_is_named() {
    let sandbox = Sandbox::new();
    for name in NAMES {
        sandbox.script.write(name, "base", "0 sleep 20; noisy 1000");
        sandbox.script.write(name, "head", "0 sleep 20; noisy 1000");
    }
    let start = Instant::now();
    let (document, answer) = compared(&sandbox, "base head --budget 2s --max-duets 1000 --min-duets 5", 4);
    // Without the budget it would take minutes.
    assert!(start.elapsed().as_secs() < 60, "{}", answer.describe());
    for name in NAMES {
        assert!(["undecided", "not_measured"].contains(&document.verdicts()[name].as_str()));
        assert!(document.reasons()[name].contains("time budget ran out"), "{:?}", document.reasons());
    }
    assert!(document.duets() > 0, "a guess of how long processes take is no reason to give up");
    answer.tells(&["compare --resume"]);
}

#[test]
fn a_process_that_outlasts_the_budget_is_ended() {
    let sandbox = Sandbox::new();
    for version in ["base", "head"] {
        sandbox.script.write("alpha", version, "0 time 1000; sleep 1000000; time 1000");
    }
    // Nobody waits a quarter of an hour for one process.
    let (document, _) =
        compared(&sandbox, "base head --filter alpha|beta --budget 12s --require-decided 0", 0);
    assert_eq!(document.verdicts()["alpha"], "not_measured", "{:#}", document.0);
    assert_ne!(document.verdicts()["beta"], "not_measured", "{:#}", document.0);
    let trials = sandbox.stored("latest").trials;
    let cut_off = trials.iter().find(|trial| trial.is_cut_off()).expect("what it had measured");
    assert_eq!(cut_off.benchmark.name, "alpha");
    assert!(cut_off.outcome.values().is_some() && cut_off.outcome.measurement().is_none());
    assert!(trials.iter().any(|trial| trial.benchmark.name == "beta"));
}

#[test]
fn a_dry_run_prints_the_plan_and_measures_nothing() {
    let sandbox = Sandbox::new();
    let answer = sandbox.say("compare base head --dry-run --skip gamma").exits(0);
    let answer = answer.prints(&[
        "measure  scripted/scripted:alpha",
        "2 benchmarks to measure, ",
        " (a guess: none",
        "seed ",
    ]);
    assert!(!answer.stdout.contains("gamma"));
    sandbox.say("run --dry-run").exits(0).prints(&["3 benchmarks x ", "; seed "]);
    assert_eq!(sandbox.script.started(), Vec::<String>::new());
    assert!(!sandbox.results().exists());
}

#[test]
fn arguments_after_two_hyphens_reach_the_benchmark_program() {
    let sandbox = Sandbox::new();
    sandbox.say("compare base head --filter alpha -- --depth 3").exits(0);
    let arguments = sandbox.script.arguments();
    assert!(!arguments.is_empty());
    assert!(arguments.iter().all(|line| line.contains("--depth 3")), "{arguments:?}");
}

#[test]
fn parallel_pairs_run_at_once() {
    let sandbox = Sandbox::new();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    if cores < 2 {
        let answer = sandbox.say("compare base head --pairing parallel").exits(1);
        answer.tells(&["--pairing sequential"]);
        return;
    }
    for version in ["base", "head"] {
        sandbox.script.write("alpha", version, "0 gate; time 1000");
    }
    let started = sandbox.start("compare base head --pairing parallel --filter alpha --format json");
    wait_for("both halves at the gate", || sandbox.script.waiting().len() == 2);
    let mut waiting = sandbox.script.waiting();
    waiting.sort();
    assert_eq!(waiting, ["alpha base", "alpha head"]);
    sandbox.script.open_gate();
    let document = crate::document::Document::of(&started.finish().exits(0));
    assert_eq!(document.verdicts(), map(&[("alpha", "same")]));
    assert_eq!(document.0["run"]["settings"]["pairing"], "parallel");
}

#[test]
fn cores_that_are_not_there_are_refused() {
    let sandbox = Sandbox::new();
    let answer = sandbox.say("compare base head --filter alpha --cores 999").exits(2);
    answer.tells(&["core 999 does not exist", "usable here"]);
}

#[test]
fn quick_decides_fewer_and_says_so() {
    let sandbox = Sandbox::new();
    for version in ["base", "head"] {
        sandbox.script.write("alpha", version, "0 noisy 1000");
    }
    let (document, _) = compared(&sandbox, "base head --filter alpha --quick", 4);
    assert_eq!(document.verdicts(), map(&[("alpha", "undecided")]));
    assert!(document.duets() <= 13, "{}", document.duets());
}
