//! A comparison that is judged again from the store gives its own findings, however it was judged and
//! measured.

#[path = "../../../runner/tests/scripted/mod.rs"]
mod scripted;

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::time::Duration;

use benchwright_analysis::DuetLimits;
use benchwright_config::{Accepted, read_text};
use benchwright_harness::{Executable, TrialShape};
use benchwright_model::{
    Diagnostic, FailureKind, InstanceId, Metric, Run, RunId, Side, Timestamp, TrialInstance,
};
use benchwright_places::{Place, PlaceError};
use benchwright_process::Interrupt;
use benchwright_runner::{Build, ComparePlan, Layout, NoLayout, Relinker};
use benchwright_store::Store;
use benchwright_worker::{BuildPlace, Call, Program, Subject};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use scripted::{Given, Scripted, Started, directory, header_of, run_at};

use super::*;
use crate::prepare::Matched;
use crate::{accepted, compare};

/// The request for a comparison, and what happens while it is measured.
#[derive(Debug, Clone)]
struct Case {
    /// The configuration file.
    settings: String,
    benchmarks: Vec<Behaviour>,
    seed: u64,
    /// In hours. No time passes: processes report that they took that long.
    budget: Option<u64>,
    /// After each of these numbers of trials the run is ended and resumed. True: by an interrupt, false: by a
    /// kill.
    cuts: Vec<(usize, bool)>,
    /// Whether several machines measure at once.
    in_waves: bool,
    /// Whether a process measures ten slices instead of one value.
    in_slices: bool,
    /// Worsening, in per cent, up to which the slowdown of the first benchmark is accepted.
    accepted: Option<u32>,
}

/// The behaviour of a benchmark.
#[derive(Debug, Clone)]
struct Behaviour {
    /// ln(head / base), and the standard deviation of the noise of each process.
    change: f64,
    noise: f64,
    failing: Failing,
    /// Minutes that a process takes.
    minutes: u64,
    /// Bytes per operation of both sides. `None` if it does not count them.
    bytes: Option<[u32; 2]>,
    /// Whether it also measures a percentile, which some settings judge.
    has_percentile: bool,
    /// Floor and cap of duets that a plan has for it.
    planned: Option<(u32, u32)>,
    is_identical: bool,
}

#[derive(Debug, Clone, Copy)]
enum Failing {
    Never,
    /// One attempt in this many.
    Sometimes(u32),
    /// On head, from this duet on.
    From(u32),
}

fn behaviour() -> impl Strategy<Value = Behaviour> {
    let change = prop_oneof![3 => Just(0.0), 2 => -0.12..0.12, 1 => Just(0.5), 1 => 0.02..0.05];
    let noise = prop_oneof![Just(0.0), Just(0.002), Just(0.01), 0.02..0.15];
    let failing = prop_oneof![
        6 => Just(Failing::Never),
        1 => (2..9_u32).prop_map(Failing::Sometimes),
        1 => (0..9_u32).prop_map(Failing::From),
    ];
    let minutes = prop_oneof![4 => Just(0_u64), 1 => 1..90_u64];
    let bytes =
        prop_oneof![Just([100, 100]), Just([100, 107]), Just([0, 8]), Just([100, 129]), Just([93, 3])];
    let planned = (2..12_u32, 0..20_u32).prop_map(|(floor, more)| (floor, floor + more));
    let counts = (proptest::option::of(bytes), any::<bool>());
    (change, noise, failing, minutes, counts, proptest::option::weighted(0.2, planned), 0..12_u32).prop_map(
        |(change, noise, failing, minutes, (bytes, has_percentile), planned, luck)| Behaviour {
            change,
            noise,
            failing,
            minutes,
            bytes,
            has_percentile,
            planned,
            is_identical: luck == 0,
        },
    )
}

/// A share as users write it.
fn share() -> impl Strategy<Value = String> {
    let usual = ["0.5%", "1%", "3%", "7%", "29%", "0.07", "40 %"].map(str::to_owned);
    let odd = (1..900_u32).prop_map(|n| format!("{}%", f64::from(n) / 97.0));
    prop_oneof![proptest::sample::select(usual.to_vec()), odd]
}

/// A configuration file with consistent settings.
fn settings() -> impl Strategy<Value = String> {
    let option = proptest::option::of::<BoxedStrategy<String>>;
    let line = |key: &'static str, value: BoxedStrategy<String>| {
        option(value.prop_map(move |value| format!("{key} = {value}\n")).boxed())
    };
    let number = |from: u32, to: u32| (from..to).prop_map(|n| n.to_string()).boxed();
    let hard = prop_oneof![Just("\"never\"".to_owned()), Just("\"50%\"".to_owned())].boxed();
    let quoted = || share().prop_map(|share| format!("\"{share}\"")).boxed();
    let paired = (
        line("min-duets", number(2, 9)),
        line("max-duets", number(9, 30)),
        line("max-fresh-duets", number(5, 60)),
        line("confirm", Just("\"wilcoxon\"".to_owned()).boxed()),
        line("layouts", number(0, 4)),
    )
        .prop_map(|(min, max, fresh, confirm, layouts)| {
            [min, max, fresh, confirm, layouts].into_iter().flatten().collect::<String>()
        });
    let rules = ["bootstrap-median", "ci-overlap", "mann-whitney", "t-test", "wilcoxon-half"];
    let fixed = (proptest::sample::select(rules.to_vec()), 2..12_u32, quoted()).prop_map(
        |(rule, duets, injected)| {
            let injected =
                if rule == "wilcoxon-half" { format!("injected = {injected}\n") } else { "".into() };
            format!("rule = \"{rule}\"\nduets = {duets}\n{injected}")
        },
    );
    let metrics = ["time", "B/op", "p99-ns", "*"];
    let patterns = ["*", "*B1*", "p:B0", "B[23]"];
    let which = (proptest::sample::select(patterns.to_vec()), proptest::sample::select(metrics.to_vec()));
    let rule = (which, quoted(), hard.clone(), 0..3).prop_map(|((pattern, metric), soft, hard, has)| {
        let soft = if has < 2 { format!("soft = {soft}\n") } else { String::new() };
        let hard = if has > 0 { format!("hard = {hard}\n") } else { String::new() };
        format!("[[thresholds]]\nbenchmark = \"{pattern}\"\nmetric = \"{metric}\"\n{soft}{hard}")
    });
    let rule_settings = prop_oneof![3 => paired.boxed(), 1 => fixed.boxed()];
    let thresholds = (line("threshold", quoted()), line("fail-threshold", hard));
    (thresholds, rule_settings, proptest::collection::vec(rule, 0..3)).prop_map(
        |((soft, hard), settings, rules)| {
            format!("{}{}{settings}{}", soft.unwrap_or_default(), hard.unwrap_or_default(), rules.concat())
        },
    )
}

fn case() -> impl Strategy<Value = Case> {
    let cuts = proptest::collection::vec((0..60_usize, any::<bool>()), 0..3);
    let how =
        (proptest::option::weighted(0.4, 1..40_u64), cuts, proptest::bool::weighted(0.25), any::<bool>());
    let accepted = proptest::option::weighted(0.3, 1..60_u32);
    (settings(), proptest::collection::vec(behaviour(), 1..7), any::<u64>(), how, accepted).prop_map(
        |(settings, benchmarks, seed, (budget, cuts, in_waves, in_slices), accepted)| Case {
            settings,
            benchmarks,
            seed,
            budget,
            cuts,
            in_waves,
            in_slices,
            accepted,
        },
    )
}

fn id(index: usize) -> BenchmarkId {
    BenchmarkId::new("go", "p", format!("B{index}"))
}

/// Uniform in \[0, 1), the same for the same key.
fn uniform(key: impl Hash) -> f64 {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    (hasher.finish() >> 11) as f64 / (1_u64 << 53) as f64
}

/// Nearly normal, with a standard deviation of 1.
fn normal(key: impl Hash) -> f64 {
    (0..12).map(|n| uniform((&key, n))).sum::<f64>() - 6.0
}

impl Case {
    fn of(&self, started: &Started) -> &Behaviour {
        let index: usize = started.name[1..].parse().expect("a number");
        &self.benchmarks[index]
    }

    fn gives(&self, started: &Started) -> Given {
        let benchmark = self.of(started);
        let Started { name, side, index, attempt, .. } = started;
        let fails = match benchmark.failing {
            Failing::Never => false,
            Failing::Sometimes(n) => {
                uniform((self.seed, "fails", name, *side, index, attempt)) * f64::from(n) < 1.0
            }
            Failing::From(duet) => *side == Side::Head && *index >= duet,
        };
        if fails {
            return Err(FailureKind::ExitStatus(2));
        }
        let change = if *side == Side::Head { benchmark.change } else { 0.0 };
        let noise = benchmark.noise * normal((self.seed, name, *side, index, attempt));
        Ok(1e-3 * (change + noise).exp())
    }

    fn others(&self, started: &Started) -> Vec<(Metric, f64)> {
        let benchmark = self.of(started);
        let side = usize::from(started.side == Side::Head);
        let bytes = benchmark.bytes.map(|bytes| (Metric::bytes_per_op(), f64::from(bytes[side])));
        let Started { name, side, index, .. } = started;
        let tail = || 500.0 * (0.2 * normal((self.seed, "tail", name, *side, index))).exp();
        let percentile = benchmark.has_percentile.then(|| (Metric::custom("p99-ns"), tail()));
        bytes.into_iter().chain(percentile).collect()
    }

    /// The place, after this many trials were measured.
    fn place(&self, before: usize, cut: Option<(usize, bool)>) -> Machines {
        let [one, two, three] = [self.clone(), self.clone(), self.clone()];
        let (stop_after, hands_over_cut) = cut.unwrap_or((usize::MAX, false));
        let scripted = Scripted {
            stop_after,
            hands_over_cut,
            in_slices: self.in_slices,
            others: Box::new(move |started| two.others(started)),
            wall: Box::new(move |started| Duration::from_secs(60 * three.of(started).minutes)),
            clock: Box::new(move |started| Timestamp((before + started) as i64)),
            ..Scripted::new(move |started| one.gives(started))
        };
        Machines { scripted, capacity: if self.in_waves { 3 } else { 1 } }
    }

    fn subjects(&self) -> Vec<Subject> {
        let program = |out: &str| Program {
            executable: Executable {
                harness: "go".into(),
                package: "p".into(),
                flavour: "go".into(),
                flavour_version: String::new(),
                path: "p.test".into(),
                dir: "".into(),
                env: Vec::new(),
            },
            place: BuildPlace { root: "/".into(), out: out.into() },
        };
        let measured = (0..self.benchmarks.len()).filter(|&index| !self.benchmarks[index].is_identical);
        let subject = |index| Subject {
            benchmark: id(index),
            base: Some(program("/base")),
            head: Some(program("/head")),
        };
        measured.map(subject).collect()
    }

    fn planned(&self) -> HashMap<BenchmarkId, DuetLimits> {
        let planned = |(index, one): (usize, &Behaviour)| {
            let (floor, cap) = one.planned?;
            Some((id(index), DuetLimits { floor, cap }))
        };
        self.benchmarks.iter().enumerate().filter_map(planned).collect()
    }

    /// Measures the case with all its interruptions, and returns the contents of the store after each.
    fn measured(&self) -> Vec<RunRecord> {
        let settings =
            Settings::resolve(read_text("f", &self.settings).expect("settings")).expect("they fit");
        let judge = decide::judge(&settings, self.seed);
        let (rule, planned) = (judge.rule.clone(), self.planned());
        let subjects = self.subjects();
        let ids: Vec<BenchmarkId> = subjects.iter().map(|subject| subject.benchmark.clone()).collect();
        let mut duets = decide::limits(&settings, &rule, &ids);
        duets.extend(planned.clone());
        let mut recorded = decide::record(&settings, &rule);
        recorded.extend(decide::record_plan(&planned));
        let mut plan = ComparePlan {
            judge,
            duets,
            layouts: decide::layouts(&settings, &rule),
            budget: self.budget.map(|hours| Duration::from_secs(3600 * hours)),
            ..scripted::plan(subjects, self.seed)
        };
        plan.limits.wall = Duration::from_secs(24 * 3600);
        if self.in_slices {
            let shape = TrialShape::fixed(10, Duration::from_millis(1));
            plan.shapes = HashMap::from([("go".to_owned(), shape)]).into();
        }
        let dir = directory();
        let (mut before, mut trials, mut records) = (0, Vec::new(), Vec::new());
        for cut in self.cuts.iter().copied().map(Some).chain([None]) {
            let mut place = self.place(before, cut);
            let interrupt: Interrupt = place.scripted.interrupt.clone();
            let (compared, _) = run_at(&plan, &mut place, &interrupt, &mut Linker, dir.path());
            before += place.scripted.started.len();
            let compared = compare::with_unused(compared, std::mem::take(&mut trials));
            trials = compared.trials.clone();
            let run = Run {
                id: RunId(format!("run-{}", records.len())),
                settings: recorded.clone(),
                ..header_of(&plan.subjects, self.seed).run
            };
            let identical = (0..self.benchmarks.len()).filter(|&index| self.benchmarks[index].is_identical);
            let matched = Matched { identical: identical.map(id).collect(), ..Matched::default() };
            let mut comparison = compare::comparison(
                run.clone(),
                &rule,
                &settings.thresholds,
                matched,
                [&build(), &build()],
                compared,
            );
            accepted::apply(&mut comparison.findings, &self.accepted());
            records.push(RunRecord {
                run,
                trials: trials.clone(),
                is_partial: comparison.is_partial,
                comparison: Some(comparison),
                instances: Vec::new(),
                builds: Vec::new(),
                diagnostics: Vec::new(),
            });
        }
        let mut store = Store::open(dir.path()).expect("a store");
        let mut kept = |record: &RunRecord| {
            store.save(record).expect("it is kept");
            store.load(&record.run.id).expect("it is there")
        };
        records.iter().map(&mut kept).collect()
    }

    fn accepted(&self) -> Vec<Accepted> {
        let entry = |percent: u32| Accepted {
            benchmark: id(0),
            metric: "time".into(),
            worsening: Some(f64::from(percent) / 100.0),
            value: None,
            reason: "on purpose".into(),
            versions: String::new(),
            run: String::new(),
            at: String::new(),
        };
        self.accepted.map(entry).into_iter().collect()
    }
}

fn build() -> Build {
    Build {
        key: String::new(),
        root: PathBuf::new(),
        listing: PathBuf::new(),
        toolchains: Vec::new(),
        executables: Vec::new(),
        diagnostics: Vec::new(),
        cached: true,
    }
}

/// One machine, or several that answer in another order than the calls were sent.
struct Machines {
    scripted: Scripted,
    capacity: usize,
}

impl Place for Machines {
    fn describe(&self) -> String {
        "a script".into()
    }

    fn capacity(&self) -> usize {
        self.capacity
    }

    fn carry_out(
        &mut self,
        call: &Call,
        on_trial: &mut dyn FnMut(Trial),
    ) -> Result<Vec<Diagnostic>, PlaceError> {
        self.scripted.carry_out(call, on_trial)
    }

    fn carry_out_all(
        &mut self,
        calls: &[Call],
        on_trial: &mut dyn FnMut(usize, Trial),
    ) -> Result<Vec<Diagnostic>, PlaceError> {
        for (number, call) in calls.iter().enumerate().rev() {
            if self.scripted.interrupt.is_set() {
                break;
            }
            let id = InstanceId(format!("i{}", number % self.capacity));
            self.scripted.carry_out(call, &mut |trial| {
                let instance = Some(TrialInstance { id: id.clone(), is_cold: false });
                on_trial(number, Trial { instance, ..trial });
            })?;
        }
        Ok(Vec::new())
    }
}

/// A linker that only makes names of programs.
struct Linker;

impl Relinker for Linker {
    fn relink(
        &mut self,
        layouts: [Layout<'_>; 2],
        _: &mut dyn FnMut(Side, &str),
    ) -> Result<[Program; 2], NoLayout> {
        Ok(layouts.map(|layout| {
            let path = PathBuf::from(format!("{:016x}", layout.seed));
            let executable = Executable { path, ..layout.program.executable.clone() };
            Program { executable, place: layout.program.place.clone() }
        }))
    }
}

fn sorted(mut findings: Vec<Finding>) -> Vec<Finding> {
    findings.sort_by(|one, other| {
        (&one.benchmark, &one.metric.name).cmp(&(&other.benchmark, &other.metric.name))
    });
    findings
}

/// The same cases in every run.
fn fixed() -> ProptestConfig {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(300);
    let seed = std::env::var("PROPTEST_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(1);
    ProptestConfig {
        cases,
        rng_seed: RngSeed::Fixed(seed),
        failure_persistence: None,
        max_global_rejects: 100_000,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(fixed())]

    #[test]
    fn a_stored_run_gives_its_own_findings(case in case()) {
        prop_assume!(!case.in_waves && case.budget.is_none());
        for record in case.measured() {
            if record.is_partial {
                continue;
            }
            let own = sorted(record.comparison.clone().expect("a comparison").findings);
            let again = sorted(recompute(record, &GivenThresholds::default()).expect("findings").findings);
            prop_assert_eq!(again.len(), own.len());
            for (again, own) in again.iter().zip(&own) {
                prop_assert_eq!(again, own);
            }
        }
    }
}
