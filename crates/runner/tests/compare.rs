//! The comparing loop with a place that answers from a script, so that no process runs and no time passes.

mod scripted;

use std::collections::{HashMap, HashSet};
use std::num::NonZeroU64;
use std::sync::Arc;
use std::time::Duration;

use benchwright_analysis::{DuetLimits, FixedRule, FixedSample, ThresholdRules, replay};
use benchwright_harness::TrialShape;
use benchwright_model::{BenchmarkId, FailureKind, Finding, Phase, Reason, Side, Thresholds, Trial, Verdict};
use benchwright_runner::{ComparePlan, Compared, Layout, NoLayout, Relinker};
use benchwright_store::Journal;
use benchwright_worker::{Pairing, Program, Subject};
use scripted::{Given, Scripted, Started, directory};

/// Layouts have tests of their own.
struct NoLinker;

impl Relinker for NoLinker {
    fn relink(
        &mut self,
        _: [Layout<'_>; 2],
        _: &mut dyn FnMut(Side, &str),
    ) -> Result<[Program; 2], NoLayout> {
        panic!("nobody asked for layouts")
    }
}

fn id(name: &str) -> BenchmarkId {
    BenchmarkId::new("go", "p", name)
}

fn plan(names: &[&str], seed: u64) -> ComparePlan {
    let subject = |name: &&str| Subject { benchmark: id(name), base: None, head: None };
    scripted::plan(names.iter().map(subject).collect(), seed)
}

/// A run to its end or its interrupt, going on with the journal in `dir` if there is one.
fn run(plan: &ComparePlan, place: &mut Scripted, dir: &std::path::Path) -> Compared {
    scripted::run(plan, place, &mut NoLinker, dir).0
}

fn whole(plan: &ComparePlan, script: impl Fn(&Started) -> Given + 'static) -> (Compared, Vec<Started>) {
    let (mut place, dir) = (Scripted::new(script), directory());
    let compared = run(plan, &mut place, dir.path());
    (compared, place.started)
}

/// `slow` and its like are 10 % slower in head, everything else the same; all with a little noise.
fn usual(trial: &Started) -> Given {
    let Started { name, side, index, attempt, .. } = trial;
    let noise = 1.0 + f64::from((index * 7 + attempt * 3 + name.len() as u32 + *side as u32) % 11) * 1e-4;
    Ok(noise * if name.starts_with("slow") && *side == Side::Head { 1.1 } else { 1.0 })
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
    let order = |seed| whole(&plan(&names, seed), usual).1;
    let first = order(1);
    assert_eq!(first, order(1));
    assert_ne!(first, order(2));
    // Every round of six duets has each benchmark once.
    for round in first.chunks(12) {
        let seen: HashSet<&String> = round.iter().map(|it| &it.name).collect();
        assert_eq!(seen.len(), 6);
    }
    let heads_first = first.iter().step_by(2).filter(|it| it.side == Side::Head).count();
    assert!((8..=22).contains(&heads_first), "{heads_first} of 30");
}

/// Everything about the trials, in an order that does not depend on when they were measured.
fn in_order(trials: &[Trial]) -> Vec<String> {
    let mut all: Vec<String> = trials.iter().map(|trial| format!("{trial:?}")).collect();
    all.sort();
    all
}

#[test]
fn a_benchmark_does_not_follow_itself_while_another_is_open() {
    for seed in 0..20 {
        let (_, started) = whole(&plan(&["a", "b"], seed), usual);
        let duets: Vec<&String> = started.iter().step_by(2).map(|it| &it.name).collect();
        assert!(duets.windows(2).all(|pair| pair[0] != pair[1]), "{duets:?}");
    }
}

#[test]
fn fillers_run_between_the_last_ones_and_are_not_kept() {
    let plan = ComparePlan { fillers: 2, ..plan(&["a", "slow", "b"], 1) };
    let (compared, started) = whole(&plan, usual);
    // After five rounds `slow` is alone; each of its five fresh duets is followed by one process of another.
    assert_eq!(compared.trials.len(), 40);
    assert_eq!(started.len(), 45);
    let last: Vec<&str> = started[30..].iter().map(|it| it.name.as_str()).collect();
    for three in last.chunks(3) {
        assert!(matches!(three, ["slow", "slow", "a" | "b"]), "{last:?}");
    }
}

#[test]
fn both_sides_measure_as_many_operations_as_the_first_duet_showed_to_fill_an_iteration() {
    // An iteration has 1 ms. The values say what an operation takes; base takes longer.
    let given = |trial: &Started| Ok(if trial.side == Side::Base { 4e-6 } else { 2e-6 });
    let told = |plan: &ComparePlan| {
        let (_, started) = whole(plan, given);
        let told = |it: &Started| (it.index > 0, it.operations.map(NonZeroU64::get));
        started.iter().map(told).collect::<HashSet<_>>()
    };
    let mut plan = plan(&["a", "b"], 1);
    assert_eq!(told(&plan), HashSet::from([(false, None), (true, Some(250))]));
    plan.judge.rule = Arc::new(FixedSample { rule: FixedRule::MannWhitney, duets: 3 });
    assert_eq!(told(&plan), HashSet::from([(false, None), (true, None)]), "their iterations have a time");
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
    // Cut off by Ctrl-C, which still hands over what it cut, and by a kill.
    for (stop_after, hands_over_cut) in (0..2 * whole_run.len()).map(|n| (n / 2, n % 2 == 0)) {
        let dir = directory();
        let mut first = Scripted { stop_after, hands_over_cut, ..Scripted::new(usual) };
        let cut = run(&plan, &mut first, dir.path());
        assert!(cut.is_partial, "{stop_after}");
        let mut second = Scripted::new(usual);
        let resumed = run(&plan, &mut second, dir.path());
        assert_eq!(resumed.findings, uninterrupted.findings, "{stop_after}");
        assert!(resumed.failures.is_empty() && !resumed.is_partial, "{stop_after}");
        // Nothing lost, nothing twice, every half where it belongs.
        assert_eq!(in_order(&resumed.trials), in_order(&uninterrupted.trials), "{stop_after}");
        let mut all = [first.started, second.started].concat();
        assert_eq!(all.len(), whole_run.len(), "{stop_after}");
        all.sort();
        all.dedup();
        assert_eq!(all.len(), whole_run.len(), "{stop_after}");
    }
}

#[test]
fn a_failed_duet_is_repeated_whole() {
    let once = |trial: &Started| match (trial.side, trial.index, trial.attempt) {
        (Side::Head, 2, 0) => Err(FailureKind::Signal(9)),
        _ => usual(trial),
    };
    let (compared, started) = whole(&plan(&["a"], 1), once);
    assert_eq!(compared.findings[0].verdict, Verdict::Same);
    assert_eq!(started.iter().filter(|it| it.index == 2).count(), 4);
    assert_eq!((compared.failures.len(), compared.failures[0].trials), (1, 1));
}

/// Where halves of a duet stand in a list of trials: benchmark, duet and attempt.
fn place_of(trial: &Started) -> (&str, u32, u32) {
    (&trial.name, trial.index, trial.attempt)
}

#[test]
fn the_halves_of_a_duet_at_once_are_never_measured_apart() {
    let plan = ComparePlan { pairing: Pairing::Parallel { cores: [0, 1] }, ..plan(&["a", "slow"], 3) };
    let (uninterrupted, whole_run) = whole(&plan, usual);
    for stop_after in 0..whole_run.len() {
        let dir = directory();
        let mut first = Scripted { stop_after, ..Scripted::new(usual) };
        run(&plan, &mut first, dir.path());
        let mut second = Scripted::new(usual);
        let resumed = run(&plan, &mut second, dir.path());
        let verdicts_of =
            |compared: &Compared| compared.findings.iter().map(|finding| finding.verdict).collect::<Vec<_>>();
        assert_eq!(verdicts_of(&resumed), verdicts_of(&uninterrupted), "{stop_after}");
        // What was measured of a torn duet is kept, and the duet is measured again as another attempt.
        let torn = stop_after % 2;
        assert_eq!(resumed.trials.len(), whole_run.len() + torn, "{stop_after}");
        assert_eq!(first.started.len() + second.started.len(), whole_run.len() + torn, "{stop_after}");
        for pair in second.started.chunks(2) {
            assert_eq!(place_of(&pair[0]), place_of(&pair[1]), "{stop_after}");
        }
    }
}

/// A plan of benchmarks with ten iterations of so many seconds per half.
fn plan_of_slices(names: &[&str], seconds: f64) -> ComparePlan {
    let mut plan = plan(names, 3);
    for shape in plan.shapes.by_harness.values_mut() {
        shape.iterations = 10;
        shape.iteration_time = Duration::from_secs_f64(seconds);
    }
    plan
}

/// So that there are duets after the short first ones.
fn with_a_late_first_look(plan: ComparePlan) -> ComparePlan {
    let late = |subject: &Subject| (subject.benchmark.clone(), DuetLimits { floor: 7, cap: 40 });
    let duets = plan.subjects.iter().map(late).collect();
    ComparePlan { duets, ..plan }
}

#[test]
fn halves_go_in_turns_once_it_is_known_what_starting_a_process_costs() {
    // Five processes may cost a fifth of what a trial measures each, two of them a half, and none more than 0.1 s.
    let check = |measured: f64, wall: u64, expected: u32| {
        let started = wall as f64 * 1e-3 - measured;
        let wall_of =
            move |it: &Started| Duration::from_secs_f64(started + measured / 10.0 * f64::from(it.iterations));
        let script = move |_: &Started| Ok(measured / 10.0);
        let mut place = Scripted { wall: Box::new(wall_of), in_slices: true, ..Scripted::new(script) };
        let plan = with_a_late_first_look(plan_of_slices(&["a"], measured / 10.0));
        run(&plan, &mut place, directory().path());
        let processes: Vec<u32> = place.started.iter().map(|started| started.processes).collect();
        assert_eq!(processes[..10], [1; 10], "the first duets are short");
        assert_eq!(processes[10..], [expected; 4], "{wall:?}");
    };
    check(0.1, 110, 5);
    check(0.1, 119, 5);
    check(0.1, 121, 2);
    check(0.1, 151, 1);
    check(1.0, 1097, 5);
    check(1.0, 1101, 1);
    check(1.0, 900, 1);
}

#[test]
fn short_trials_are_tried_before_long_ones() {
    let scripted = || Scripted { in_slices: true, ..Scripted::new(usual) };
    let lengths = |plan: &ComparePlan| {
        let mut place = scripted();
        let compared = run(plan, &mut place, directory().path());
        let each =
            |name: &str| place.started.iter().filter(|it| it.name == name).map(|it| it.iterations).collect();
        (verdicts(&compared.findings), ["a", "slow"].map(each))
    };
    let plan = plan_of_slices(&["a", "slow"], 0.01);
    let expected = [("a".to_owned(), Verdict::Same, 5), ("slow".to_owned(), Verdict::Slower, 10)];
    assert_eq!(
        lengths(&plan),
        (expected.to_vec(), [vec![3; 10], vec![3; 20]]),
        "a suspect at the first look"
    );
    let (_, [same, suspect]) = lengths(&with_a_late_first_look(plan.clone()));
    assert_eq!((&same[..10], &same[10..]), (&[3; 10][..], &[10; 4][..]));
    assert_eq!((&suspect[..10], suspect[10..].iter().all(|it| *it == 10)), (&[3; 10][..], true));

    let mut given = plan.clone();
    given.shapes.are_given = true;
    let (_, [same, suspect]) = lengths(&given);
    assert!(same.iter().chain(&suspect).all(|iterations| *iterations == 10), "what somebody asked for stays");

    // A run that was cut off goes on with the same lengths.
    let mut place = scripted();
    let uninterrupted = run(&plan, &mut place, directory().path());
    let whole_run = place.started;
    for stop_after in 0..whole_run.len() {
        let dir = directory();
        let mut first = Scripted { stop_after, ..scripted() };
        run(&plan, &mut first, dir.path());
        let mut second = scripted();
        let resumed = run(&plan, &mut second, dir.path());
        assert_eq!(resumed.findings, uninterrupted.findings, "{stop_after}");
        assert!(second.started.iter().all(|it| it.iterations == 3), "{stop_after}");
    }
}

#[test]
fn a_process_with_an_expensive_set_up_measures_more_of_the_same_on_both_sides() {
    // Getting ready takes 4 s, an iteration of one operation 1 ms.
    let wall = |it: &Started| Duration::from_secs(4) + Duration::from_micros(1021 * u64::from(it.iterations));
    let scripted = || Scripted { wall: Box::new(wall), in_slices: true, ..Scripted::new(|_| Ok(1e-3)) };
    let mut plan = plan_of_slices(&["a"], 1e-3);
    plan.limits.wall = Duration::from_secs(300);
    let mut place = scripted();
    let uninterrupted = run(&plan, &mut place, directory().path());
    assert_eq!(uninterrupted.findings[0].verdict, Verdict::Same);
    let lengths: Vec<u32> = place.started.iter().map(|it| it.iterations).collect();
    assert_eq!(lengths, [3, 3, 6, 6, 20, 20, 40, 40, 81, 81]);
    assert!(place.started.iter().all(|it| it.processes == 1));
    assert!(
        uninterrupted.diagnostics.is_empty(),
        "nobody has to do anything: {:?}",
        uninterrupted.diagnostics
    );
    // A run that was cut off goes on with the same lengths, also between the halves of a duet.
    for stop_after in 0..10 {
        let dir = directory();
        let mut first = Scripted { stop_after, ..scripted() };
        run(&plan, &mut first, dir.path());
        let mut second = scripted();
        let resumed = run(&plan, &mut second, dir.path());
        assert_eq!(in_order(&resumed.trials), in_order(&uninterrupted.trials), "{stop_after}");
    }
    // What somebody asked for stays, and the note says what it costs.
    plan.shapes.are_given = true;
    let mut place = scripted();
    let given = run(&plan, &mut place, directory().path());
    assert!(place.started.iter().all(|it| it.iterations == 10));
    assert!(given.diagnostics.iter().any(|it| it.message.contains("more time on set-up")));
}

#[test]
fn the_halves_of_a_duet_in_turns_are_never_measured_apart() {
    let wall = |it: &Started| Duration::from_millis(10 + 10 * u64::from(it.iterations));
    let scripted = || Scripted { wall: Box::new(wall), in_slices: true, ..Scripted::new(|_| Ok(0.01)) };
    let plan = with_a_late_first_look(plan_of_slices(&["a"], 0.01));
    for stop_after in 0..14 {
        let dir = directory();
        let mut first = Scripted { stop_after, ..scripted() };
        run(&plan, &mut first, dir.path());
        let mut second = scripted();
        let resumed = run(&plan, &mut second, dir.path());
        assert_eq!((resumed.findings[0].verdict, resumed.findings[0].duets.len()), (Verdict::Same, 7));
        // Of the first five duets, one process a half, the other half is measured alone; later ones are measured again.
        let torn = usize::from(stop_after > 10 && stop_after % 2 == 1);
        assert_eq!(resumed.trials.len(), 14 + torn, "{stop_after}");
        assert!(second.started.iter().all(|started| (started.processes > 1) == (started.index > 4)));
    }
}

#[test]
fn a_duet_torn_in_its_last_try_is_tried_once_more() {
    // Two tries of duet 2 fail; the kill comes between the halves of the third.
    let twice = |trial: &Started| match (trial.side, trial.index, trial.attempt) {
        (Side::Head, 2, 0 | 1) => Err(FailureKind::Signal(9)),
        _ => usual(trial),
    };
    let plan = ComparePlan { pairing: Pairing::Parallel { cores: [0, 1] }, ..plan(&["a"], 3) };
    let dir = directory();
    let mut first = Scripted { stop_after: 9, ..Scripted::new(twice) };
    run(&plan, &mut first, dir.path());
    assert_eq!((first.started[8].index, first.started[8].attempt), (2, 2));
    let mut second = Scripted::new(twice);
    let resumed = run(&plan, &mut second, dir.path());
    assert_eq!((resumed.findings[0].verdict, resumed.findings[0].duets.len()), (Verdict::Same, 5));
    assert_eq!((second.started[0].index, second.started[0].attempt), (2, 3));
    let mut all = [first.started, second.started].concat();
    let count = all.len();
    all.sort();
    all.dedup();
    assert_eq!((all.len(), resumed.trials.len()), (count, count), "nothing twice, nothing lost");
}

#[test]
fn a_benchmark_that_always_fails_leaves_and_the_others_are_measured() {
    let broken = |trial: &Started| match (trial.name.as_str(), trial.side) {
        ("broken", Side::Head) => Err(FailureKind::ExitStatus(2)),
        _ => usual(trial),
    };
    let (compared, started) = whole(&plan(&["a", "broken"], 1), broken);
    assert_eq!(compared.findings[0].verdict, Verdict::Same);
    let what = "head exited with status 2".to_owned();
    assert_eq!(compared.findings[1].reason, Reason::Failed { what });
    assert_eq!(started.iter().filter(|it| it.name == "broken").count(), 6);
    assert_eq!(compared.failures[0].detail, "its words");
}

#[test]
fn only_a_benchmark_that_hangs_from_the_start_is_not_tried_again() {
    let hanging = |from: u32| {
        move |trial: &Started| match trial.name.as_str() {
            "hangs" if trial.index == from => Err(FailureKind::TimedOut),
            _ => usual(trial),
        }
    };
    let tries = |from: u32| {
        let (_, started) = whole(&plan(&["a", "hangs"], 1), hanging(from));
        started.iter().filter(|it| it.name == "hangs" && it.index == from).count()
    };
    assert_eq!((tries(0), tries(1)), (2, 6));
}

#[test]
fn a_spent_budget_is_the_reason_of_what_is_left() {
    let plan = ComparePlan { budget: Some(Duration::ZERO), ..plan(&["a", "b"], 1) };
    let (compared, started) = whole(&plan, usual);
    assert!(started.is_empty() && compared.findings.len() == 2);
    assert!(compared.findings.iter().all(|f| matches!(f.reason, Reason::OutOfBudget { .. })));
    assert!(compared.is_partial, "a larger budget may go on with it");
    let told: Vec<&str> = compared.diagnostics.iter().map(|it| it.message.as_str()).collect();
    assert!(told.iter().any(|it| it.starts_with("the budget was too short for 2 benchmarks")), "{told:?}");
}

#[test]
fn what_was_slow_in_an_earlier_run_is_tried_when_the_others_are_decided() {
    let second = Duration::from_secs(1);
    let durations = HashMap::from([(id("a"), second), (id("dear"), 1000 * second), (id("slow"), second)]);
    let plan = ComparePlan { budget: Some(100 * second), durations, ..plan(&["a", "dear", "slow"], 1) };
    let (compared, started) = whole(&plan, usual);
    // `slow` stands against a suite of three, of which `dear` is not screened yet: one fresh duet more than alone.
    let expected = [("a", Verdict::Same, 5), ("dear", Verdict::Same, 5), ("slow", Verdict::Slower, 11)];
    assert_eq!(verdicts(&compared.findings), expected.map(|(n, v, d)| (n.to_owned(), v, d)));
    assert!(started[..32].iter().all(|it| it.name != "dear") && !compared.is_partial);
}

#[test]
fn what_takes_longer_than_its_share_is_put_aside_and_has_not_failed() {
    let mut names = vec!["a"; 30];
    let others: Vec<String> = (0..29).map(|n| format!("b{n}")).collect();
    others.iter().zip(&mut names[1..]).for_each(|(other, name)| *name = other);
    names[1] = "dear";
    let hour = Duration::from_secs(3600);
    let mut plan = ComparePlan { budget: Some(hour), ..plan(&names, 1) };
    plan.limits.wall = hour;
    let given = |trial: &Started| match (trial.name.as_str(), trial.attempt) {
        ("dear", 0) => Err(FailureKind::TimedOut),
        _ => usual(trial),
    };
    let (compared, started) = whole(&plan, given);
    assert!(compared.findings.iter().all(|finding| finding.verdict == Verdict::Same));
    assert!(compared.failures.is_empty(), "{:?}", compared.failures);
    // It came back when the others were decided, as another attempt.
    let dear: Vec<usize> = (0..started.len()).filter(|&at| started[at].name == "dear").collect();
    assert!(dear[0] < 60 && dear[2] >= 290, "{dear:?}");
    assert_eq!(started[dear[2]].attempt, 1);
}

#[test]
fn a_suspect_that_no_longer_fits_is_undecided_and_the_other_is_confirmed() {
    // What it costs shows only in its last screening duet.
    let wall = Box::new(|trial: &Started| match (trial.name.as_str(), trial.index) {
        ("slow and dear", 4) => Duration::from_secs(100_000),
        _ => Duration::from_millis(1),
    });
    let plan = ComparePlan { budget: Some(Duration::from_secs(3600)), ..plan(&["slow and dear", "slow"], 1) };
    let compared = run(&plan, &mut Scripted { wall, ..Scripted::new(usual) }, directory().path());
    // Two were suspects when confirmation began, so that one fresh duet more is needed than for one.
    let expected = [("slow and dear", Verdict::Undecided, 5), ("slow", Verdict::Slower, 11)];
    assert_eq!(verdicts(&compared.findings), expected.map(|(n, v, d)| (n.to_owned(), v, d)));
    let reason = &compared.findings[0].reason;
    assert!(matches!(reason, Reason::OutOfBudget { .. }) && compared.is_partial, "{reason:?}");
}

#[test]
fn fresh_duets_are_marked_and_follow_those_of_screening() {
    let (compared, _) = whole(&plan(&["slow"], 1), usual);
    let phases: Vec<Phase> = compared.trials.iter().map(|trial| trial.phase).collect();
    assert_eq!(phases[..10], [Phase::Screening; 10]);
    assert_eq!(phases[10..], [Phase::Confirmation; 10]);
}

#[test]
fn what_screening_measured_beyond_its_end_is_no_fresh_duet() {
    let plan = plan(&["slow"], 1);
    let (uninterrupted, _) = whole(&plan, usual);
    let dir = directory();
    let mut journal =
        Journal::create(&dir.path().join("run.journal"), &scripted::header_of(&plan.subjects, plan.seed))
            .unwrap();
    // Beside screening the first fresh duet and half of the second, as a run with more time for screening measures them.
    for trial in &uninterrupted.trials[..13] {
        journal.append(&Trial { phase: Phase::Screening, ..trial.clone() }).unwrap();
    }
    drop(journal);
    let mut place = Scripted::new(usual);
    let resumed = run(&plan, &mut place, dir.path());
    assert_eq!(verdicts(&resumed.findings), [("slow".to_owned(), Verdict::Slower, 10)]);
    // They are kept, and measured again.
    assert_eq!((place.started.len(), resumed.trials.len()), (10, 23));
    assert!(
        place.started.iter().all(|trial| trial.attempt == u32::from(trial.index < 7)),
        "{:?}",
        place.started
    );
    assert_eq!(replay(&resumed.trials, plan.judge.clone()), resumed.findings);
}

#[test]
fn trials_that_another_threshold_has_no_use_for_are_kept() {
    let mut plan = plan(&["slow"], 1);
    let dir = directory();
    let mut first = Scripted { stop_after: 15, ..Scripted::new(usual) };
    let interrupted = run(&plan, &mut first, dir.path());
    plan.judge.thresholds = ThresholdRules::general(Thresholds { soft: 0.5, hard: 0.5 });
    let mut second = Scripted::new(usual);
    let resumed = run(&plan, &mut second, dir.path());
    assert_eq!(verdicts(&resumed.findings), [("slow".to_owned(), Verdict::Same, 5)]);
    assert_eq!((second.started.len(), resumed.trials.len()), (0, interrupted.trials.len()));
    assert_eq!(replay(&resumed.trials, plan.judge.clone()), resumed.findings);
}
