//! Places that work on many calls at once: the same verdicts as one by one, whatever such a place does to its calls.

mod scripted;

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::time::{Duration, Instant};

use benchwright_analysis::replay;
use benchwright_model::{
    BenchmarkId, Diagnostic, Event, FailureKind, Finding, Instance, InstanceId, Position, Reason, Side,
    Trial, TrialInstance, Verdict,
};
use benchwright_places::{Place, PlaceError};
use benchwright_process::Interrupt;
use benchwright_runner::{ComparePlan, Compared, Layout, NoLayout, Relinker};
use benchwright_store::Journal;
use benchwright_worker::{Call, Program, Subject, Task};
use scripted::{Given, Scripted, Started, directory};

/// Nothing is linked again away from home.
struct NoLinker;

impl Relinker for NoLinker {
    fn relink(
        &mut self,
        _: [Layout<'_>; 2],
        _: &mut dyn FnMut(Side, &str),
    ) -> Result<[Program; 2], NoLayout> {
        panic!("nothing may be linked for another machine")
    }
}

/// What a cluster does to an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Comes,
    ComesTwice,
    GetsLost,
    /// Its halves come from two instances.
    Mixed,
}

/// What becomes of the answer to a duet, by number, that was asked for so often before.
type FateOf = Box<dyn Fn(&BenchmarkId, u32, u32) -> Fate>;

/// Many instances, which answer from the last call to the first.
struct Cluster {
    scripted: Scripted,
    fate: FateOf,
    asked: HashMap<(BenchmarkId, u32, u32), u32>,
    /// The calls of each wave: name, duet.
    waves: Vec<Vec<(String, u32)>>,
    /// After so many calls in all it says this.
    ceiling: Option<(usize, fn() -> PlaceError)>,
    deadline: Option<Instant>,
}

impl Cluster {
    fn new(script: impl Fn(&Started) -> Given + 'static) -> Cluster {
        Cluster {
            scripted: Scripted::new(script),
            fate: Box::new(|_, _, _| Fate::Comes),
            asked: HashMap::new(),
            waves: Vec::new(),
            ceiling: None,
            deadline: None,
        }
    }

    fn with_fate(self, fate: impl Fn(&BenchmarkId, u32, u32) -> Fate + 'static) -> Cluster {
        Cluster { fate: Box::new(fate), ..self }
    }
}

fn numbers(call: &Call) -> (BenchmarkId, u32, u32) {
    let Task::Duet { index, attempt, .. } = call.task else { panic!("only whole duets travel: {call:?}") };
    (call.subject.benchmark.clone(), index, attempt)
}

impl Place for Cluster {
    fn describe(&self) -> String {
        "a cluster".into()
    }

    fn capacity(&self) -> usize {
        8
    }

    fn end_by(&mut self, deadline: Option<Instant>) {
        self.deadline = deadline;
    }

    fn carry_out(&mut self, _: &Call, _: &mut dyn FnMut(Trial)) -> Result<Vec<Diagnostic>, PlaceError> {
        panic!("calls come in waves")
    }

    fn carry_out_all(
        &mut self,
        calls: &[Call],
        on_trial: &mut dyn FnMut(usize, Trial),
    ) -> Result<Vec<Diagnostic>, PlaceError> {
        self.waves.push(calls.iter().map(numbers).map(|(id, duet, _)| (id.name, duet)).collect());
        for (number, call) in calls.iter().enumerate().rev() {
            let key = numbers(call);
            if let Some((most, error)) = self.ceiling
                && self.asked.len() == most
            {
                return Err(error());
            }
            let asked = self.asked.entry(key.clone()).or_insert(0);
            let fate = (self.fate)(&key.0, key.1, *asked);
            *asked += 1;
            if fate == Fate::GetsLost {
                continue;
            }
            let mut trials = Vec::new();
            self.scripted.carry_out(call, &mut |trial| trials.push(trial))?;
            for trial in trials {
                let other = if fate == Fate::Mixed { trial.side.name() } else { "" };
                let id = InstanceId(format!("i{}{other}", number % 8));
                let trial = Trial { instance: Some(TrialInstance { id, is_cold: number < 8 }), ..trial };
                on_trial(number, trial.clone());
                if fate == Fate::ComesTwice {
                    on_trial(number, trial);
                }
            }
        }
        Ok(Vec::new())
    }

    fn instances(&self) -> Vec<Instance> {
        let instance = |number| Instance {
            id: InstanceId(format!("i{number}")),
            place: "test".into(),
            cpu: "Fast CPU".into(),
            arch: "x86_64".into(),
            cores: 2,
            memory_bytes: 1 << 30,
        };
        (0..8).map(instance).collect()
    }
}

fn plan(names: &[&str], seed: u64) -> ComparePlan {
    let subject =
        |name: &&str| Subject { benchmark: BenchmarkId::new("go", "p", *name), base: None, head: None };
    scripted::plan(names.iter().map(subject).collect(), seed)
}

/// `slow` and its like are 10 % slower in head, everything else the same; all with a little noise.
fn usual(trial: &Started) -> Given {
    let Started { name, side, index, attempt, .. } = trial;
    let noise = 1.0 + f64::from((index * 7 + attempt * 3 + name.len() as u32 + *side as u32) % 11) * 1e-4;
    Ok(noise * if name.starts_with("slow") && *side == Side::Head { 1.1 } else { 1.0 })
}

/// Like that, with noise that takes some benchmarks to later looks.
fn noisy(trial: &Started) -> Given {
    let Started { name, side, index, .. } = trial;
    let hash = name.bytes().fold(u64::from(*index) * 2 + *side as u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23)
    });
    let noise = 1.0 + (hash % 1000) as f64 * 6e-5;
    Ok(noise * if name.starts_with("slow") && *side == Side::Head { 1.1 } else { 1.0 })
}

fn run(plan: &ComparePlan, cluster: &mut Cluster, dir: &Path) -> (Compared, Vec<Event>) {
    let interrupt = cluster.scripted.interrupt.clone();
    scripted::run_at(plan, cluster, &interrupt, &mut NoLinker, dir)
}

fn whole(plan: &ComparePlan, mut cluster: Cluster) -> (Compared, Cluster) {
    let compared = run(plan, &mut cluster, directory().path()).0;
    (compared, cluster)
}

/// The findings of the same comparison one by one.
fn one_by_one(plan: &ComparePlan, script: fn(&Started) -> Given) -> Vec<Finding> {
    let mut place = Scripted::new(script);
    scripted::run(plan, &mut place, &mut NoLinker, directory().path()).0.findings
}

const NAMES: [&str; 6] = ["a", "slow", "b", "slow too", "c", "d"];

#[test]
fn verdicts_are_those_of_one_by_one() {
    for (seed, script) in [(1, usual as fn(&Started) -> Given), (2, noisy), (3, noisy), (4, noisy)] {
        let plan = plan(&NAMES, seed);
        let (compared, cluster) = whole(&plan, Cluster::new(script));
        assert_eq!(compared.findings, one_by_one(&plan, script), "{seed}");
        assert!(!compared.is_partial);
        assert_eq!(replay(&compared.trials, plan.judge.clone()), in_order(&plan, &compared), "{seed}");
        assert_eq!(compared.trials.len(), cluster.scripted.started.len(), "all that was measured is kept");
    }
}

/// The findings in the order in which a replay has them: that of first trials.
fn in_order(plan: &ComparePlan, compared: &Compared) -> Vec<Finding> {
    let first = |id: &BenchmarkId| compared.trials.iter().position(|trial| trial.benchmark == *id);
    let mut all = compared.findings.clone();
    all.sort_by_key(|finding| first(&finding.benchmark));
    assert_eq!(all.len(), plan.subjects.len());
    all
}

#[test]
fn a_decided_benchmark_gets_no_more_calls() {
    let (_, cluster) = whole(&plan(&["a", "slow", "b"], 1), Cluster::new(usual));
    let names = |wave: &[(String, u32)]| wave.iter().map(|(name, _)| name.clone()).collect::<HashSet<_>>();
    assert_eq!(cluster.waves[0].len(), 15, "all up to the first look");
    assert_eq!(cluster.waves.len(), 2);
    assert_eq!(cluster.waves[1].len(), 6);
    assert_eq!(names(&cluster.waves[1]), HashSet::from(["slow".to_owned()]));
}

#[test]
fn the_seed_decides_the_order_within_a_wave() {
    let first = |seed| whole(&plan(&NAMES, seed), Cluster::new(usual)).1.waves.remove(0);
    assert_eq!(first(1), first(1));
    assert_ne!(first(1), first(2));
}

#[test]
fn an_answer_that_comes_twice_counts_once() {
    let plan = plan(&NAMES, 1);
    let (compared, cluster) = whole(&plan, Cluster::new(usual).with_fate(|_, _, _| Fate::ComesTwice));
    assert_eq!(compared.findings, one_by_one(&plan, usual));
    assert_eq!(compared.trials.len(), cluster.scripted.started.len());
}

#[test]
fn what_gets_lost_is_asked_for_again() {
    let plan = plan(&NAMES, 1);
    let lost = |id: &BenchmarkId, duet, asked| match (id.name.as_str(), duet, asked) {
        ("a", _, 0) | ("slow", 7, 0 | 1) | ("c", 4, 0 | 1) => Fate::GetsLost,
        _ => Fate::Comes,
    };
    let (compared, cluster) = whole(&plan, Cluster::new(usual).with_fate(lost));
    assert_eq!(compared.findings, one_by_one(&plan, usual));
    // Asked for again alone, under the same number and attempt.
    assert!(cluster.asked.keys().all(|(_, _, attempt)| *attempt == 0));
    assert_eq!(cluster.waves[1].len(), 6, "{:?}", cluster.waves);
}

#[test]
fn a_benchmark_that_never_answers_leaves_and_the_others_are_decided() {
    let plan = plan(&["a", "gone", "slow"], 1);
    let lost = |id: &BenchmarkId, _, _| if id.name == "gone" { Fate::GetsLost } else { Fate::Comes };
    let (compared, cluster) = whole(&plan, Cluster::new(usual).with_fate(lost));
    let verdicts: Vec<Verdict> = compared.findings.iter().map(|finding| finding.verdict).collect();
    assert_eq!(verdicts, [Verdict::Same, Verdict::NotMeasured, Verdict::Slower]);
    let what = "got no complete answer from a cluster".to_owned();
    assert_eq!(compared.findings[1].reason, Reason::Failed { what });
    assert_eq!(cluster.asked[&(BenchmarkId::new("go", "p", "gone"), 0, 0)], 3);
}

#[test]
fn halves_from_two_instances_are_no_duet() {
    let plan = plan(&["a", "slow"], 1);
    let mixed = |id: &BenchmarkId, duet, _| match (id.name.as_str(), duet) {
        ("a", 2) => Fate::Mixed,
        _ => Fate::Comes,
    };
    let (compared, cluster) = whole(&plan, Cluster::new(usual).with_fate(mixed));
    // Every attempt is mixed; each is kept, none is used.
    assert!(matches!(compared.findings[0].verdict, Verdict::Undecided), "{:?}", compared.findings[0]);
    assert_eq!(compared.findings[1].verdict, Verdict::Slower);
    assert_eq!(cluster.asked.keys().filter(|(id, duet, _)| id.name == "a" && *duet == 2).count(), 3);
    let replayed = replay(&compared.trials, plan.judge.clone());
    assert_eq!(replayed.iter().find(|finding| finding.benchmark.name == "a").map(|f| f.duets.len()), Some(4));
}

#[test]
fn a_duet_that_was_mixed_once_is_measured_again() {
    let plan = plan(&["a"], 1);
    let first = std::cell::Cell::new(true);
    let once = move |_: &BenchmarkId, duet, _| match duet {
        2 if first.replace(false) => Fate::Mixed,
        _ => Fate::Comes,
    };
    let (compared, _) = whole(&plan, Cluster::new(usual).with_fate(once));
    assert_eq!(compared.findings[0].verdict, Verdict::Same);
    let again = compared.trials.iter().filter(|trial| {
        trial.benchmark.name == "a" && matches!(trial.position, Position::Duet { index: 2, .. })
    });
    assert_eq!(again.count(), 4, "the mixed one is kept, too");
}

#[test]
fn a_failing_benchmark_is_tried_again_with_one_duet_only() {
    let broken = |trial: &Started| match (trial.name.as_str(), trial.side) {
        ("broken", Side::Head) => Err(FailureKind::ExitStatus(2)),
        _ => usual(trial),
    };
    let (compared, cluster) = whole(&plan(&["a", "broken"], 1), Cluster::new(broken));
    assert_eq!(compared.findings[0].verdict, Verdict::Same);
    let what = "head exited with status 2".to_owned();
    assert_eq!(compared.findings[1].reason, Reason::Failed { what });
    let sizes: Vec<usize> = cluster.waves.iter().map(Vec::len).collect();
    assert_eq!(sizes, [10, 1, 1]);
}

#[test]
fn a_duet_that_fails_once_is_repeated_whole() {
    let once = |trial: &Started| match (trial.side, trial.index, trial.attempt) {
        (Side::Head, 2, 0) => Err(FailureKind::Signal(9)),
        _ => usual(trial),
    };
    let (compared, cluster) = whole(&plan(&["a"], 1), Cluster::new(once));
    assert_eq!(compared.findings[0].verdict, Verdict::Same);
    assert_eq!(cluster.waves.iter().map(Vec::len).collect::<Vec<_>>(), [5, 1]);
    assert_eq!((compared.failures.len(), compared.failures[0].trials), (1, 1));
}

/// Everything about the trials but where they ran, which another wave may change.
fn contents(trials: &[Trial]) -> Vec<String> {
    let without = |trial: &Trial| format!("{:?}", Trial { instance: None, ..trial.clone() });
    let mut all: Vec<String> = trials.iter().map(without).collect();
    all.sort();
    all
}

#[test]
fn a_run_cut_off_anywhere_loses_and_repeats_nothing() {
    let plan = plan(&["a", "slow", "b"], 3);
    let (uninterrupted, cluster) = whole(&plan, Cluster::new(usual));
    let started = cluster.scripted.started.len();
    for (stop_after, hands_over_cut) in (0..2 * started).map(|n| (n / 2, n % 2 == 0)) {
        let dir = directory();
        let mut first = Cluster::new(usual);
        first.scripted.stop_after = stop_after;
        first.scripted.hands_over_cut = hands_over_cut;
        assert!(run(&plan, &mut first, dir.path()).0.is_partial, "{stop_after}");
        let mut second = Cluster::new(usual);
        let (resumed, _) = run(&plan, &mut second, dir.path());
        assert_eq!(resumed.findings.len(), 3);
        for (one, other) in resumed.findings.iter().zip(&uninterrupted.findings) {
            assert_eq!((one.verdict, one.duets.len()), (other.verdict, other.duets.len()), "{stop_after}");
        }
        // A half without the other one on its instance is kept, and its duet measured again.
        let torn = stop_after % 2;
        assert_eq!(first.scripted.started.len() + second.scripted.started.len(), started + torn);
        assert_eq!(resumed.trials.len(), started + torn, "{stop_after}");
        if torn == 0 {
            assert_eq!(contents(&resumed.trials), contents(&uninterrupted.trials), "{stop_after}");
        }
    }
}

#[test]
fn the_journal_knows_the_instances() {
    let dir = directory();
    let (compared, _) = run(&plan(&["a"], 1), &mut Cluster::new(usual), dir.path());
    let content = Journal::read(&dir.path().join("run.journal")).unwrap();
    assert_eq!(content.instances, compared.instances);
    assert_eq!(content.instances.len(), 8);
    assert!(content.trials.iter().all(|trial| trial.instance.is_some()));
    let cold = content.trials.iter().filter(|trial| trial.instance.as_ref().unwrap().is_cold).count();
    assert_eq!(cold, 10, "marked, and used all the same");
}

#[test]
fn layouts_stay_at_home_and_the_user_is_told() {
    let plan = ComparePlan { layouts: 10, ..plan(&["slow"], 1) };
    let (compared, _) = whole(&plan, Cluster::new(usual));
    assert_eq!(compared.findings[0].verdict, Verdict::Slower);
    let told =
        compared.diagnostics.iter().filter(|d| d.message.contains("are not sent to other machines")).count();
    assert_eq!(told, 1);
}

#[test]
fn a_spent_budget_is_the_reason_of_what_is_left() {
    let plan = ComparePlan { budget: Some(Duration::ZERO), ..plan(&["a", "b"], 1) };
    let (compared, cluster) = whole(&plan, Cluster::new(usual));
    assert!(cluster.waves.is_empty() && compared.findings.len() == 2);
    assert!(compared.findings.iter().all(|f| matches!(f.reason, Reason::OutOfBudget { .. })));
}

/// Two of three benchmarks have all their duets when a ceiling ends the wave: these are decided.
#[test]
fn what_came_before_a_ceiling_counts() {
    let check = |error: fn() -> PlaceError| {
        let names = ["a", "b", "c"];
        let sent = whole(&plan(&names, 1), Cluster::new(usual)).1.waves;
        // Answers come from the last call to the first: up to the moment when the second benchmark is complete.
        let mut counts: HashMap<&str, u32> = HashMap::new();
        let mut most = 0;
        for (name, _) in sent[0].iter().rev() {
            most += 1;
            *counts.entry(name).or_insert(0) += 1;
            if counts.values().filter(|count| **count == 5).count() == 2 {
                break;
            }
        }
        let cluster = Cluster { ceiling: Some((most, error)), ..Cluster::new(usual) };
        let (compared, cluster) = whole(&plan(&names, 1), cluster);
        assert_eq!(cluster.scripted.started.len(), 2 * most);
        assert_eq!(compared.trials.len(), 2 * most);
        let [same, spent]: [fn(&&Finding) -> bool; 2] = [
            |finding| finding.verdict == Verdict::Same,
            |finding| matches!(finding.reason, Reason::OutOfBudget { .. }),
        ];
        assert_eq!(compared.findings.iter().filter(same).count(), 2, "{:?}", compared.findings);
        assert_eq!(compared.findings.iter().filter(spent).count(), 1);
        assert!(compared.is_partial && compared.diagnostics.iter().any(|d| d.message == "until then"));
        compared.error
    };
    let of_time = check(|| PlaceError::OutOfTime { noticed: vec![Diagnostic::warning("", "until then")] });
    assert!(of_time.is_none(), "a budget is no error");
    let of_money = check(|| PlaceError::OutOfMoney {
        what: "stay below a cent".into(),
        noticed: vec![Diagnostic::warning("", "until then")],
    });
    let of_money = of_money.expect("who wanted to spend no more is told so");
    assert!(of_money.hint().contains("--max-cost"), "{of_money:?}");
}

#[test]
fn a_place_is_told_when_the_budget_ends() {
    let deadline = |budget| whole(&ComparePlan { budget, ..plan(&["a"], 1) }, Cluster::new(usual)).1.deadline;
    assert_eq!(deadline(None), None);
    let left = deadline(Some(Duration::from_secs(1000))).map(|at| at.duration_since(Instant::now()));
    assert!(left.is_some_and(|left| left > Duration::from_secs(900)), "{left:?}");
}

#[test]
fn under_a_budget_the_first_wave_finds_out_what_trials_take() {
    let names: Vec<String> = (0..40).map(|number| format!("b{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    // By the guess of half a second per trial, 200 duets on eight lanes would take 25 s.
    let plan = ComparePlan { budget: Some(Duration::from_secs(10)), ..plan(&names, 1) };
    let (compared, cluster) = whole(&plan, Cluster::new(usual));
    assert!(compared.findings.iter().all(|finding| finding.verdict == Verdict::Same));
    assert_eq!(cluster.waves.iter().map(Vec::len).collect::<Vec<_>>(), [8, 192]);
}

#[test]
fn what_the_budget_cannot_decide_leaves_the_time_to_the_others() {
    let second = Duration::from_secs(1);
    let id = |name: &str| BenchmarkId::new("go", "p", name);
    let durations = HashMap::from([(id("a"), second), (id("dear"), 1000 * second), (id("slow"), second)]);
    let plan = ComparePlan { budget: Some(100 * second), durations, ..plan(&["a", "dear", "slow"], 1) };
    let (compared, cluster) = whole(&plan, Cluster::new(usual));
    let verdicts: Vec<Verdict> = compared.findings.iter().map(|finding| finding.verdict).collect();
    assert_eq!(verdicts, [Verdict::Same, Verdict::NotMeasured, Verdict::Slower]);
    assert!(cluster.waves.iter().flatten().all(|(name, _)| name != "dear") && compared.is_partial);
}

#[test]
fn an_interrupt_before_the_first_wave_sends_nothing() {
    let mut cluster = Cluster::new(usual);
    cluster.scripted.interrupt = Interrupt::new();
    cluster.scripted.interrupt.set();
    let (compared, _) = run(&plan(&["a"], 1), &mut cluster, directory().path());
    assert!(compared.is_partial && cluster.waves.is_empty());
}
