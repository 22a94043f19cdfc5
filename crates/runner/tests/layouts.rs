//! Fresh duets in random code layouts, with a place and a linker that follow a script: no process runs.
//!
//! In this world every program has luck of its own, as placement gives it: a share of its time that depends on the
//! program's path alone and is the same in each of its processes.

mod scripted;

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use benchwright_harness::{Executable, no_layouts};
use benchwright_model::{BenchmarkId, Event, FailureKind, Phase, Position, Reason, Severity, Side, Verdict};
use benchwright_runner::{ComparePlan, Compared, Layout, NoLayout, Relinker};
use benchwright_worker::{BuildPlace, Program, Subject};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use scripted::{Given, Scripted, Started, directory, run};

/// A normal number that follows from a text.
fn luck_of(text: &str, seed: u64) -> f64 {
    let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325 ^ seed, mix);
    let mut generator = Xoshiro256PlusPlus::seed_from_u64(hash);
    let mut uniform = || generator.random_range(f64::MIN_POSITIVE..1.0);
    let (radius, turn): (f64, f64) = (uniform(), uniform());
    (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * turn).cos()
}

/// A world in which times follow from the program, the version and the duet.
#[derive(Debug, Clone)]
struct World {
    seed: u64,
    /// Standard deviation of a program's luck.
    luck: f64,
    /// What head is slower by.
    change: f64,
    /// Programs that crash: those whose path contains this, unless it is empty.
    crashing: String,
}

impl World {
    fn gives(&self, trial: &Started) -> Given {
        let Started { name, side, index, attempt, path, .. } = trial;
        if !self.crashing.is_empty() && path.contains(&self.crashing) {
            return Err(FailureKind::Signal(11));
        }
        let noise = luck_of(&format!("{name} {side} {index} {attempt}"), self.seed) * 0.005;
        let luck = luck_of(&format!("{name} {path}"), self.seed) * self.luck;
        let change = if *side == Side::Head { self.change } else { 0.0 };
        Ok((change + luck + noise).exp())
    }

    fn place(&self) -> Scripted {
        let world = self.clone();
        Scripted::new(move |trial| world.gives(trial))
    }
}

/// A linker whose programs only have names.
#[derive(Default)]
struct Linker {
    /// From this layout on it fails.
    fails_from: Option<(u32, NoLayout)>,
    made: Vec<(Side, u32, u64)>,
}

impl Relinker for Linker {
    fn relink(
        &mut self,
        layouts: [Layout<'_>; 2],
        on_step: &mut dyn FnMut(Side, &str),
    ) -> Result<[Program; 2], NoLayout> {
        let number = layouts[0].number;
        on_step(Side::Base, &format!("link layout {number}"));
        match &self.fails_from {
            Some((from, why)) if number >= *from => Err(why.clone()),
            _ => Ok(layouts.map(|layout| {
                self.made.push((layout.side, layout.number, layout.seed));
                let path = Path::new("layouts").join(format!("{:016x}", layout.seed));
                let executable = Executable { path, ..layout.program.executable.clone() };
                Program { executable, place: layout.program.place.clone() }
            })),
        }
    }
}

fn program(package: &str, out: &str) -> Program {
    Program {
        executable: Executable {
            harness: "go".into(),
            package: package.into(),
            flavour: "go".into(),
            flavour_version: String::new(),
            path: format!("{package}.test").into(),
            dir: "".into(),
            env: Vec::new(),
        },
        place: BuildPlace { root: "/".into(), out: out.into() },
    }
}

/// A comparison of benchmarks `package:name`.
fn plan(names: &[(&str, &str)], seed: u64, layouts: u32) -> ComparePlan {
    let subject = |(package, name): &(&str, &str)| Subject {
        benchmark: BenchmarkId::new("go", *package, *name),
        base: Some(program(package, "/base")),
        head: Some(program(package, "/head")),
    };
    ComparePlan { layouts, ..scripted::plan(names.iter().map(subject).collect(), seed) }
}

fn world(seed: u64, luck: f64, change: f64) -> World {
    World { seed, luck, change, crashing: String::new() }
}

fn whole(plan: &ComparePlan, world: &World, mut linker: Linker) -> (Compared, Vec<Started>, Linker) {
    let (mut place, dir) = (world.place(), directory());
    let compared = run(plan, &mut place, &mut linker, dir.path()).0;
    (compared, place.started, linker)
}

fn is_flagged(compared: &Compared) -> bool {
    compared.findings.iter().any(|it| matches!(it.verdict, Verdict::Slower | Verdict::Faster))
}

const ONE: [(&str, &str); 1] = [("p", "a")];
const THREE: [(&str, &str); 3] = [("p", "a"), ("p", "b"), ("q", "c")];

#[test]
fn every_fresh_duet_has_a_layout_of_its_own_on_either_side() {
    let (compared, started, linker) = whole(&plan(&ONE, 1, 40), &world(1, 0.0, 0.1), Linker::default());
    let finding = &compared.findings[0];
    assert_eq!((finding.verdict, finding.fresh), (Verdict::Slower, 5));
    assert!(matches!(finding.reason, Reason::Confirmed { layouts: 5, .. }), "{:?}", finding.reason);
    // As many as were needed, and all different.
    assert_eq!(linker.made.len(), 10);
    assert_eq!(linker.made.iter().map(|made| made.2).collect::<BTreeSet<_>>().len(), 10);
    let screening: BTreeSet<&String> = started[..10].iter().map(|it| &it.path).collect();
    assert_eq!(screening.into_iter().collect::<Vec<_>>(), ["/base/p.test", "/head/p.test"]);
    let fresh: BTreeSet<&String> = started[10..].iter().map(|it| &it.path).collect();
    assert_eq!(fresh.len(), 10);
    assert_eq!(
        fresh.iter().map(|path| path.len()).collect::<BTreeSet<_>>().len(),
        1,
        "paths of equal length"
    );
    for trial in &compared.trials {
        let Position::Duet { index, .. } = trial.position else { panic!("a duet") };
        let expected = (trial.phase == Phase::Confirmation).then(|| index - 5);
        assert_eq!(trial.layout, expected);
    }
}

#[test]
fn layouts_come_again_when_there_are_no_more_and_serve_all_suspects_of_an_executable() {
    let (compared, _, linker) = whole(&plan(&THREE, 1, 2), &world(1, 0.0, 0.1), Linker::default());
    assert!(compared.findings.iter().all(|finding| finding.verdict == Verdict::Slower));
    // Two layouts of two executables on two sides.
    assert_eq!(linker.made.len(), 8);
    assert!(matches!(compared.findings[0].reason, Reason::Confirmed { layouts: 2, .. }));
}

#[test]
fn without_suspects_or_without_layouts_nothing_is_linked() {
    let (_, _, linker) = whole(&plan(&THREE, 1, 40), &world(1, 0.0, 0.0), Linker::default());
    assert!(linker.made.is_empty());
    let (compared, started, linker) = whole(&plan(&ONE, 1, 0), &world(1, 0.0, 0.1), Linker::default());
    assert!(linker.made.is_empty() && started.iter().all(|it| !it.path.contains("layouts")));
    assert!(matches!(compared.findings[0].reason, Reason::Confirmed { layouts: 0, .. }));
}

#[test]
fn luck_of_any_size_is_no_change_under_a_budget_either() {
    // bits-and-blooms/bitset: in random layouts one unchanged loop takes 400 or 740 µs.
    let is_wrong = |seed: &u64| {
        let plan = ComparePlan { budget: Some(Duration::from_secs(3600)), ..plan(&ONE, *seed, 96) };
        is_flagged(&whole(&plan, &world(*seed, 0.4, 0.0), Linker::default()).0)
    };
    let wrong = (1..=100).filter(is_wrong).count();
    assert!(wrong <= 8, "{wrong} of 100");
}

#[test]
fn what_cannot_be_linked_is_measured_as_it_was_built_and_told_once() {
    let check = |from: u32, why: NoLayout, severity, rests: &str| {
        let linker = Linker { fails_from: Some((from, why)), ..Linker::default() };
        let (compared, started, _) = whole(&plan(&THREE[..2], 1, 40), &world(1, 0.0, 0.1), linker);
        assert!(compared.findings.iter().all(|finding| finding.verdict == Verdict::Slower));
        let told: Vec<(Severity, &str, &str)> = compared
            .diagnostics
            .iter()
            .map(|diagnostic| (diagnostic.severity, &*diagnostic.subject, &*diagnostic.message))
            .collect();
        let message = format!("verdicts of its suspects rest on {rests}: out of order");
        assert_eq!(told, [(severity, "p", message.as_str())]);
        let linked = started.iter().filter(|it| it.path.contains("layouts")).count();
        assert_eq!(linked, 4 * from as usize);
        assert!(matches!(compared.findings[0].reason, Reason::Confirmed { layouts, .. } if layouts == from));
    };
    let why = "out of order".to_owned();
    check(0, NoLayout::Cannot(why.clone()), Severity::Note, "one code layout per side");
    let later = "2 random code layouts per side and that of the build";
    check(2, NoLayout::Failed(why), Severity::Warning, later);
}

#[test]
fn what_holds_for_a_whole_language_is_said_once() {
    let plan = plan(&THREE, 1, 40);
    let harness = plan.subjects[0].benchmark.harness.clone();
    let linker =
        Linker { fails_from: Some((0, NoLayout::Cannot(no_layouts(&harness)))), ..Linker::default() };
    let (compared, _, _) = whole(&plan, &world(1, 0.0, 0.1), linker);
    let [told] = &compared.diagnostics[..] else { panic!("{:?}", compared.diagnostics) };
    assert_eq!((told.severity, &told.subject), (Severity::Note, &harness));
    assert!(told.message.starts_with("verdicts of suspects rest on one code layout per side"), "{told}");
}

#[test]
fn layouts_that_break_a_program_leave_the_last_try_to_the_build() {
    let world = World { crashing: "layouts".into(), ..world(1, 0.0, 0.1) };
    let (compared, _, _) = whole(&plan(&ONE, 1, 40), &world, Linker::default());
    let finding = &compared.findings[0];
    assert_eq!(finding.verdict, Verdict::Slower);
    assert!(matches!(finding.reason, Reason::Confirmed { layouts: 0, .. }), "{:?}", finding.reason);
    assert_eq!(compared.failures.iter().map(|failure| failure.trials).sum::<u32>(), 20);
}

#[test]
fn a_duet_that_a_layout_breaks_is_repeated_in_another() {
    let (plan, world) = (plan(&ONE, 1, 40), world(1, 0.0, 0.1));
    let (_, started, _) = whole(&plan, &world, Linker::default());
    let path = |of: &[Started], side: Side, index: u32, attempt: u32| {
        let is_it = |it: &&Started| (it.side, it.index, it.attempt) == (side, index, attempt);
        of.iter().find(is_it).map(|it| it.path.clone()).expect("it ran")
    };
    let broken = path(&started, Side::Head, 5, 0);
    let (compared, again, _) = whole(&plan, &World { crashing: broken, ..world }, Linker::default());
    for side in Side::BOTH {
        // The second try has the layout that the next duet's first has, and no layout is left out.
        assert_eq!(path(&again, side, 5, 1), path(&started, side, 6, 0));
        assert_eq!(path(&again, side, 6, 0), path(&started, side, 6, 0));
    }
    let finding = &compared.findings[0];
    assert_eq!((finding.verdict, finding.fresh), (Verdict::Slower, 5));
    assert!(matches!(finding.reason, Reason::Confirmed { layouts: 4, .. }), "{:?}", finding.reason);
}

#[test]
fn a_run_cut_off_anywhere_goes_on_with_the_same_layouts_and_links_none_in_vain() {
    let plan = plan(&THREE, 3, 3);
    let world = world(7, 0.02, 0.08);
    let (uninterrupted, whole_run, _) = whole(&plan, &world, Linker::default());
    assert!(uninterrupted.findings.iter().any(|finding| finding.fresh > 3));
    for stop_after in 0..whole_run.len() {
        let dir = directory();
        let mut first = Scripted { stop_after, ..world.place() };
        let (cut, _) = run(&plan, &mut first, &mut Linker::default(), dir.path());
        assert!(cut.is_partial, "{stop_after}");
        let (mut second, mut linker) = (world.place(), Linker::default());
        let (resumed, _) = run(&plan, &mut second, &mut linker, dir.path());
        assert_eq!(resumed.findings, uninterrupted.findings, "{stop_after}");
        let mut all = [first.started, second.started.clone()].concat();
        let mut expected = whole_run.clone();
        all.sort();
        expected.sort();
        assert_eq!(all, expected, "{stop_after}");
        // A duet of which one half is missing needs both programs linked; apart from that only what runs.
        let used: BTreeSet<&String> = second.started.iter().map(|it| &it.path).collect();
        let used = used.iter().filter(|path| path.contains("layouts")).count();
        assert!(linker.made.len() <= used + 1, "{stop_after}: {} for {used}", linker.made.len());
    }
}

#[test]
fn an_interrupt_while_linking_loses_nothing() {
    let plan = plan(&ONE, 1, 40);
    let (world, dir) = (world(1, 0.0, 0.1), directory());
    let mut linker = Linker { fails_from: Some((2, NoLayout::Interrupted)), ..Linker::default() };
    let (cut, events) = run(&plan, &mut world.place(), &mut linker, dir.path());
    assert!(cut.is_partial && cut.error.is_none() && cut.diagnostics.is_empty());
    assert_eq!(cut.trials.len(), 14);
    let step = |event: &Event| matches!(event, Event::Step { purpose, .. } if purpose == "link layout 2");
    assert!(events.iter().any(step), "linking is shown as a step");
    let (resumed, _) = run(&plan, &mut world.place(), &mut Linker::default(), dir.path());
    assert_eq!((resumed.findings[0].verdict, resumed.trials.len()), (Verdict::Slower, 20));
}

#[test]
fn placement_alone_is_not_flagged_and_a_change_is_found_in_spite_of_it() {
    const RUNS: u64 = 40;
    let names: Vec<(&str, &str)> = vec![("p", "a"), ("p", "b"), ("p", "c"), ("q", "d"), ("q", "e")];
    let flagged = |layouts: u32| {
        let runs = (0..RUNS)
            .map(|seed| whole(&plan(&names, seed, layouts), &world(seed, 0.03, 0.0), Linker::default()).0);
        runs.filter(is_flagged).count()
    };
    // 5 % of 40 is 2; 7 or more would happen by chance in less than 1 % of such experiments.
    let (with, without) = (flagged(40), flagged(0));
    assert!(with <= 6, "{with} of {RUNS}");
    assert!(without > 30, "{without} of {RUNS}: the programs do differ, and every duet of them shows it");
    let found = (0..RUNS).filter(|&seed| {
        let (compared, ..) =
            whole(&plan(&ONE, seed, 40), &world(seed, 0.03, 0.06_f64.ln_1p()), Linker::default());
        compared.findings[0].verdict == Verdict::Slower
    });
    let found = found.count();
    assert!(found >= 24, "{found} of {RUNS}");
}
