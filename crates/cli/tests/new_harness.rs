//! docs/guide/new-harness.md, followed: the harness of one module that it shows is registered, and everything else treats it as it
//! treats Go's. No other line knows it.

#![expect(clippy::unwrap_used, reason = "helpers of tests may unwrap as tests do")]

#[path = "../../harness/tests/guide/example.rs"]
mod example;
#[path = "../../runner/tests/scripted/mod.rs"]
mod scripted;
#[path = "../../runner/tests/versions_sandbox/mod.rs"]
mod versions_sandbox;

use std::collections::HashMap;
use std::sync::Once;
use std::time::Duration;

use benchwright_analysis::{JudgeSettings, replay};
use benchwright_config::{Settings, default_file, read_text};
use benchwright_harness::{Harness, TrialShape, Usual, by_name, register};
use benchwright_model::{BenchmarkId, Finding, Outcome, SampleKind, Side, Trial, Verdict};
use benchwright_places::Local;
use benchwright_process::Interrupt;
use benchwright_runner::{
    Build, ComparePlan, Compared, Layout, NoLayout, PrepareRequest, Relinker, common_environment, prepare,
};
use benchwright_worker::{BuildPlace, Program, Subject, TrialLimits, Worker};
use versions_sandbox::Sandbox;

/// Benchmarks of which every third iteration takes the same time as the others of its kind, and the rest are disturbed as on a busy
/// machine. `slow` takes `factor` times as long.
fn script(factor: f64) -> String {
    let disturbed = "0.001 * (1 + 9 * rand())";
    let quiet = "0.001 * (1 + 0.002 * rand())";
    format!(
        "if [ $1 = list ]; then echo same; echo slow; exit; fi\n\
         factor=1; if [ $1 = slow ]; then factor={factor}; fi\n\
         awk -v name=$1 -v n=$2 -v factor=$factor -v seed=$$ 'BEGIN {{ srand(seed)\n\
         for (i = 0; i < n; i++) printf \"%s %.9f\\n\", name, factor * (i % 3 ? {disturbed} : {quiet}) }}'\n"
    )
}

fn registered() -> Box<dyn Harness> {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| register("script", |_| Box::new(example::Scripts)));
    by_name("script").unwrap()
}

/// Layouts are not asked for.
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

fn built(sandbox: &Sandbox, revision: &str) -> Build {
    let repository = versions_sandbox::Tree { dir: sandbox.path("repository") }.open();
    let request = PrepareRequest {
        cache: &sandbox.cache,
        repository: &repository,
        checkout: &sandbox.checkout(&repository, revision),
        harnesses: &benchwright_harness::all(),
        arguments: &HashMap::new(),
        architecture: None,
        filter: None,
        limits: TrialLimits::NONE,
        interrupt: &Interrupt::new(),
    };
    prepare(&request, &mut |_| {}).unwrap()
}

/// Compares the last two commits as `benchwright compare` does.
fn compared(sandbox: &Sandbox, usual: Usual) -> (ComparePlan, Compared) {
    let builds = [built(sandbox, "HEAD~1"), built(sandbox, "HEAD")];
    let program = |build: &Build, id: &BenchmarkId| {
        let (_, built) = build.benchmarks().find(|(known, _)| *known == id)?;
        let place = BuildPlace { root: build.root.clone(), out: built.out.clone() };
        Some(Program { executable: built.executable.clone(), place })
    };
    let subject = |id: &BenchmarkId| Subject {
        benchmark: id.clone(),
        base: program(&builds[0], id),
        head: program(&builds[1], id),
    };
    let shape = TrialShape::fixed(usual.iterations, usual.iteration_time);
    let plan = ComparePlan {
        shapes: HashMap::from([("script".to_owned(), shape)]).into(),
        limits: TrialLimits { wall: Duration::from_secs(60), output_bytes: 1 << 20, memory_bytes: None },
        ..scripted::plan(builds[1].benchmarks().map(|(id, _)| subject(id)).collect(), 7)
    };
    let (dir, interrupt) = (scripted::directory(), Interrupt::new());
    let worker = Worker::new(common_environment(&sandbox.cache), dir.path());
    let mut place = Local::new(worker, interrupt.clone());
    let (compared, _) = scripted::run_at(&plan, &mut place, &interrupt, &mut NoLinker, dir.path());
    (plan, compared)
}

/// The findings on these trials, had they been of this harness and this kind.
fn judged(
    trials: &[Trial],
    settings: &JudgeSettings,
    harness: &str,
    kind: Option<SampleKind>,
) -> Vec<Finding> {
    let mut trials = trials.to_vec();
    for trial in &mut trials {
        trial.benchmark.harness = harness.into();
        if let Outcome::Measured(measurement) = &mut trial.outcome {
            measurement.sample_kind = kind;
        }
    }
    let mut findings = replay(&trials, settings.clone());
    findings.iter_mut().for_each(|finding| finding.benchmark.harness.clear());
    findings
}

#[test]
fn it_is_measured_and_judged_as_go_is() {
    let (harness, go) = (registered(), by_name("go").unwrap());
    let usual = Usual::of(harness.samples());
    assert_eq!(usual, Usual::of(go.samples()));
    let sandbox = Sandbox::new();
    let tree = sandbox.init("repository");
    for factor in [1.0, 1.2] {
        tree.write("benches.sh", &script(factor));
        tree.commit("a version");
    }
    let (plan, compared) = compared(&sandbox, usual);
    assert!(compared.error.is_none(), "{:?}", compared.error);
    let verdicts: Vec<_> =
        compared.findings.iter().map(|finding| (finding.benchmark.name.as_str(), finding.verdict)).collect();
    assert_eq!(verdicts, [("same", Verdict::Same), ("slow", Verdict::Slower)]);
    for trial in &compared.trials {
        let measurement = trial.outcome.measurement().expect("values");
        assert_eq!(measurement.sample_kind, Some(go.samples()), "the kind is kept with every measurement");
    }
    // Runs of before state no kind, and those of Go were judged by Go's name.
    let as_go = judged(&compared.trials, &plan.judge, "go", None);
    assert_eq!(judged(&compared.trials, &plan.judge, "script", Some(SampleKind::Slices)), as_go);
    let unknown = judged(&compared.trials, &plan.judge, "script", None);
    assert!(unknown.iter().all(|finding| finding.verdict == Verdict::Undecided), "{unknown:?}");
    let program = plan.subjects[0].head.as_ref().unwrap();
    let stopping = |harness: &dyn Harness| harness.stopping(&program.executable, &program.place.out);
    assert_eq!(stopping(harness.as_ref()), stopping(go.as_ref()));
}

#[test]
fn it_has_the_settings_and_the_help_of_go() {
    registered();
    for name in ["go", "script"] {
        let text = format!("[{name}]\nbuild-args = [\"-y\"]\nargs = [\"-x\"]\n");
        let settings = Settings::resolve(read_text("benchwright.toml", &text).unwrap()).unwrap();
        assert_eq!(settings.harnesses[name].args, ["-x"], "{name}");
        assert_eq!(settings.harnesses[name].build_args, ["-y"], "{name}");
        assert!(default_file().contains(&format!("\n[{name}]\nbuild-args = []\nargs = []\n")), "{name}");
    }
    assert!(read_text("benchwright.toml", "[nobody]\nargs = []\n").is_err());
}
