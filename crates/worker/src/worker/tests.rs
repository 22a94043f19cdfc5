use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use benchwright_harness::{
    BuildRequest, Built, Executable, HarnessError, ListRequest, Listing, Project, Reader, Reading,
    StepRunner, Stop, TrialCommand, TrialRequest, TrialShape,
};
use benchwright_model::{
    BenchmarkId, Failure, FailureKind, Measurement, Metric, Outcome, SampleKind, Series, Trial, WarmupEnd,
};

use super::*;
use crate::{Asked, BuildPlace, Earlier, Subject, TrialLimits};

/// A harness whose programs print `time SECONDS OPERATIONS` and leave values in a file of the scratch
/// directory.
struct Fake;

impl Harness for Fake {
    fn name(&self) -> &'static str {
        "fake"
    }
    fn samples(&self) -> SampleKind {
        SampleKind::Jit
    }
    fn recognise(&self, _root: &Path) -> Vec<Project> {
        Vec::new()
    }
    fn toolchain(
        &self,
        _project: &Project,
        _args: &[String],
        _run: &mut dyn StepRunner,
    ) -> Result<String, HarnessError> {
        Ok(String::new())
    }
    fn build(&self, _request: &BuildRequest<'_>, _run: &mut dyn StepRunner) -> Result<Built, HarnessError> {
        Ok(Built::default())
    }
    fn list(&self, _request: &ListRequest<'_>, _run: &mut dyn StepRunner) -> Result<Listing, HarnessError> {
        Ok(Listing::default())
    }
    fn command(&self, request: &TrialRequest<'_>) -> TrialCommand {
        TrialCommand {
            args: vec![(&request.benchmark.name).into(), request.shape.iterations.to_string().into()],
            env: vec![("SCRATCH".into(), request.scratch.into())],
            ..TrialCommand::default()
        }
    }
    fn reader(&self, _: &Executable, _: &BenchmarkId, _: &TrialShape) -> Box<dyn Reader> {
        Box::new(FakeReader::default())
    }
    fn is_source(&self, _path: &str) -> bool {
        false
    }
}

#[derive(Default)]
struct FakeReader {
    values: Vec<f64>,
    operations: Vec<u64>,
}

impl Reader for FakeReader {
    fn line(&mut self, line: &str) -> u32 {
        if let Some((secs, operations)) =
            line.strip_prefix("time ").and_then(|rest| rest.trim_end().split_once(' '))
            && let (Ok(secs), Ok(operations)) = (secs.parse(), operations.parse())
        {
            self.values.push(secs);
            self.operations.push(operations);
        }
        self.values.len() as u32
    }
    fn latest(&self) -> Option<f64> {
        self.values.last().copied()
    }
    fn finish(mut self: Box<Self>, scratch: &Path) -> Reading {
        for line in fs::read_to_string(scratch.join("values")).unwrap_or_default().lines() {
            self.line(line);
        }
        let series = Series { metric: Metric::time(), values: self.values, resolution: 0.0 };
        let series = if series.values.is_empty() { Vec::new() } else { vec![series] };
        let measurement =
            Measurement { warmup: 0, operations: self.operations, series, ..Measurement::default() };
        Reading { measurement, diagnostics: Vec::new() }
    }
}

/// Two versions of a program side by side, and a directory for scratch directories.
struct Stage {
    dir: tempfile::TempDir,
    call: Call,
}

impl Stage {
    fn new(base: &str, head: &str) -> Stage {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("scratch")).unwrap();
        let program = |side: Side, script: &str| {
            let place = BuildPlace {
                root: dir.path().join(side.name()),
                out: dir.path().join(side.name()).join("out"),
            };
            fs::create_dir_all(place.root.join("package")).unwrap();
            fs::create_dir_all(&place.out).unwrap();
            fs::write(place.out.join("bench"), format!("#!/bin/sh\n{script}\n")).unwrap();
            fs::set_permissions(place.out.join("bench"), fs::Permissions::from_mode(0o755)).unwrap();
            let executable = Executable {
                harness: "fake".into(),
                package: "package".into(),
                flavour: "fake".into(),
                flavour_version: String::new(),
                path: "bench".into(),
                dir: "package".into(),
                env: vec![("OWN_ROOT".into(), "{root}/data".into())],
            };
            Some(Program { executable, place })
        };
        let subject = Subject {
            benchmark: BenchmarkId::new("fake", "package", "sort"),
            base: program(Side::Base, base),
            head: program(Side::Head, head),
        };
        let call = Call {
            subject,
            task: duet(Side::Base, Pairing::Sequential),
            shape: TrialShape::fixed(3, Duration::from_millis(1)),
            limits: TrialLimits { wall: Duration::from_secs(60), output_bytes: 1 << 20, memory_bytes: None },
            cores: None,
            niceness: None,
            padding: 0,
            earlier: Vec::new(),
        };
        Stage { dir, call }
    }

    /// Lets a stop rule end the trials.
    fn watch(&mut self, rule: &'static str, longest_warmup: Duration) {
        let asked = Asked { rule, processes: None, is_live: true, longest_warmup, seed: 1 };
        self.call.shape.stop = Stop::Rule(asked.stop(&self.call.shape).unwrap());
    }

    /// The same program on both sides.
    fn same(script: &str) -> Stage {
        Stage::new(script, script)
    }

    fn try_play(&self, interrupt: &Interrupt) -> Result<Vec<Trial>, CallError> {
        let environment = CommonEnvironment::exactly([("PATH".into(), "/usr/bin:/bin".into())]);
        let scratch = self.dir.path().join("scratch");
        let worker = Worker::with_harnesses(environment, &scratch, vec![Box::new(Fake)]);
        let mut trials = Vec::new();
        worker.carry_out(&self.call, interrupt, &mut |trial| trials.push(trial))?;
        assert_eq!(fs::read_dir(&scratch).unwrap().count(), 0, "scratch directories are left");
        Ok(trials)
    }

    fn play(&self) -> Vec<Trial> {
        self.try_play(&Interrupt::new()).unwrap()
    }
}

fn duet(first: Side, pairing: Pairing) -> Task {
    Task::Duet { index: 7, attempt: 1, phase: Phase::Screening, first, pairing }
}

fn times(trial: &Trial) -> &[f64] {
    let measurement = trial.outcome.measurement().unwrap_or_else(|| panic!("{:?}", trial.outcome));
    &measurement.series("time").unwrap().values
}

#[track_caller]
fn check_failure(script: &str, kind: FailureKind, detail: &str) {
    check_failure_of(&Stage::same(script), kind, detail);
}

#[track_caller]
fn check_failure_of(stage: &Stage, kind: FailureKind, detail: &str) {
    let trials = stage.play();
    assert_eq!(trials.len(), 2);
    for trial in trials {
        let Outcome::Failed(failure) = &trial.outcome else { panic!("{:?}", trial.outcome) };
        assert_eq!(failure.kind, kind, "{failure:?}");
        assert!(failure.detail.contains(detail), "{:?}", failure.detail);
    }
}

#[test]
fn good_output_is_measured() {
    let stage = Stage::new("echo time 0.5 10; echo noise; echo time 0.25 20", "printf 'time 2 5'");
    let trials = stage.play();
    assert_eq!(trials.iter().map(times).collect::<Vec<_>>(), [&[0.5, 0.25][..], &[2.0]]);
    assert_eq!(trials[0].outcome.measurement().unwrap().operations, [10, 20]);
    assert!(trials[0].usage.wall > Duration::ZERO);
    assert!(trials[0].started_at < trials[1].started_at);
    assert_eq!(trials[0].benchmark, stage.call.subject.benchmark);
}

#[test]
fn values_may_come_from_a_file_in_the_scratch_directory() {
    let trials = Stage::same("echo time 3 1 > $SCRATCH/values").play();
    assert_eq!(times(&trials[1]), [3.0]);
}

#[test]
fn the_harness_command_line_reaches_the_program() {
    let trials =
        Stage::same("[ \"$1 $2\" = 'sort 3' ] && [ $(basename $PWD) = package ] && echo time 1 1").play();
    assert_eq!(times(&trials[0]), [1.0]);
}

#[test]
fn the_order_of_sides_is_respected() {
    for first in Side::BOTH {
        let mut stage = Stage::new("echo time 1 1", "echo time 2 1");
        stage.call.task = duet(first, Pairing::Sequential);
        let trials = stage.play();
        assert_eq!([trials[0].side, trials[1].side], [first, first.other()]);
        for (trial, is_first) in trials.iter().zip([true, false]) {
            assert_eq!(trial.position, Position::Duet { index: 7, attempt: 1, first: is_first });
            assert_eq!(times(trial), [if trial.side == Side::Base { 1.0 } else { 2.0 }]);
        }
    }
}

#[test]
fn a_single_trial_keeps_its_position() {
    let mut stage = Stage::same("echo time 1 1");
    let position = Position::Levels { instance: 0, suite_run: 2, iteration: 4 };
    stage.call.task = Task::Single { side: Side::Head, position, phase: Phase::Levels };
    stage.call.subject.base = None;
    let trials = stage.play();
    assert_eq!(trials.len(), 1);
    assert_eq!((trials[0].side, trials[0].position, trials[0].phase), (Side::Head, position, Phase::Levels));
}

#[test]
fn garbage_and_silence_are_no_result() {
    check_failure("echo garbage; head -c 100 /dev/urandom", FailureKind::NoResult, "garbage");
    check_failure(":", FailureKind::NoResult, "");
    check_failure("echo time 1 1 >&2", FailureKind::NoResult, "time 1 1");
}

#[test]
fn a_panic_is_told_in_its_own_words() {
    check_failure(
        "echo time 1 1; echo \"panicked at 'boom'\" >&2; exit 101",
        FailureKind::ExitStatus(101),
        "panicked at 'boom'",
    );
    check_failure("kill -SEGV $$", FailureKind::Signal(11), "");
}

#[test]
fn a_hanging_benchmark_is_ended() {
    let mut stage = Stage::same("echo started; echo time 7 1; sleep 1000 & sleep 1000");
    stage.call.limits.wall = Duration::from_millis(200);
    check_failure_of(&stage, FailureKind::TimedOut, "started");
    let kept = stage.play()[0].outcome.values().expect("what it had measured").clone();
    assert_eq!(kept.series[0].values, [7.0]);
}

#[test]
fn a_child_left_behind_does_not_hold_the_trial_up() {
    let trials = Stage::same("sleep 1000 & echo time 1 1").play();
    assert_eq!(times(&trials[0]), [1.0]);
}

#[test]
fn a_flood_of_output_is_ended_and_its_end_kept() {
    let stage = Stage::same("exec yes flood");
    check_failure_of(&stage, FailureKind::TooMuchOutput, "flood\nflood");
    let Outcome::Failed(failure) = &stage.play()[0].outcome else { panic!("a flood has no values") };
    assert!(failure.detail.len() <= 8 * 1024);
}

#[test]
fn times_that_are_no_times_are_bad_values() {
    for value in ["0", "-1", "NaN", "inf"] {
        check_failure(&format!("echo time 1 1; echo time {value} 1"), FailureKind::BadValue, "iteration 2");
    }
}

#[test]
fn one_broken_side_leaves_the_other_measured() {
    let trials = Stage::new("exit 3", "echo time 1 1").play();
    assert!(trials[0].outcome.measurement().is_none());
    assert_eq!(times(&trials[1]), [1.0]);
}

#[test]
fn a_vanished_program_is_not_started() {
    let stage = Stage::same("echo time 1 1");
    for side in Side::BOTH {
        fs::remove_file(stage.call.subject.program(side).unwrap().path()).unwrap();
    }
    check_failure_of(&stage, FailureKind::NotStarted, "cannot find the program");
}

#[test]
fn both_sides_have_environments_of_equal_size() {
    let mut stage =
        Stage::same("env | sort > $SCRATCH/env; echo time $(wc -c < $SCRATCH/env) $(env | wc -l)");
    stage.call.padding = 100;
    let trials = stage.play();
    assert_eq!(times(&trials[0]), times(&trials[1]));
    let padded = times(&trials[0])[0];
    stage.call.padding = 0;
    assert_eq!(times(&stage.play()[0])[0], padded - 100.0);
}

#[test]
fn environments_differ_in_the_sides_own_paths_only() {
    // The mark of a call has the same length in every process.
    let stage = Stage::same(
        "env | sed \"s,$SCRATCH,SCRATCH,; /^BENCHWRIGHT_CALL=/s/[0-9a-f]/x/g\" | sort > ../env; echo time 1 1",
    );
    stage.play();
    let seen = Side::BOTH.map(|side| {
        let root = &stage.call.subject.program(side).unwrap().place.root;
        fs::read_to_string(root.join("env")).unwrap().replace(root.to_str().unwrap(), "ROOT")
    });
    assert_eq!(seen[0], seen[1]);
    assert!(seen[0].contains("OWN_ROOT=ROOT/data\n"), "{}", seen[0]);
    assert!(seen[0].contains("PWD=ROOT/package\n"), "{}", seen[0]);
}

#[test]
fn after_an_interrupt_nothing_is_started() {
    let interrupt = Interrupt::new();
    interrupt.set();
    assert_eq!(Stage::same("echo time 1 1").try_play(&interrupt).unwrap(), []);
}

#[test]
fn an_interrupt_ends_the_running_half_and_spares_the_other() {
    let stage = Stage::same("touch ../../running; sleep 1000");
    let interrupt = Interrupt::new();
    let trials = std::thread::scope(|scope| {
        let playing = scope.spawn(|| stage.try_play(&interrupt));
        while !stage.dir.path().join("running").exists() {
            std::thread::sleep(Duration::from_millis(2));
        }
        interrupt.set();
        playing.join().unwrap().unwrap()
    });
    assert_eq!(trials.len(), 1);
    let Outcome::Failed(failure) = &trials[0].outcome else { panic!("{:?}", trials[0].outcome) };
    assert_eq!(failure.kind, FailureKind::Interrupted);
}

#[test]
fn a_call_without_a_program_or_harness_is_an_error() {
    let mut stage = Stage::same("echo time 1 1");
    stage.call.subject.head.as_mut().unwrap().executable.harness = "other".into();
    assert!(matches!(stage.try_play(&Interrupt::new()), Err(CallError::NoHarness(name)) if name == "other"));
    stage.call.subject.head = None;
    let error = stage.try_play(&Interrupt::new()).unwrap_err();
    assert!(matches!(error, CallError::NoProgram { side: Side::Head, .. }));
}

#[test]
fn cores_that_do_not_exist_are_an_error_of_the_call() {
    let mut stage = Stage::same("echo time 1 1");
    stage.call.task = duet(Side::Head, Pairing::Parallel { cores: [0, 0] });
    assert!(matches!(stage.try_play(&Interrupt::new()), Err(CallError::TooFewCores { .. })));
    stage.call.task = duet(Side::Head, Pairing::Sequential);
    stage.call.cores = Some(vec![1000]);
    assert!(matches!(stage.try_play(&Interrupt::new()), Err(CallError::Placement(_))));
}

#[test]
#[cfg(target_os = "linux")]
fn a_parallel_duet_runs_both_halves_at_once_on_their_cores() {
    let usable = usable_cores().unwrap();
    let [first, second, ..] = usable[..] else { return benchwright_testkit::skip("there is only one core") };
    // Each half waits for the other, so running them one after the other would never end.
    let script = |own: &str, other: &str| {
        format!(
            "touch ../../{own}.up; while [ ! -e ../../{other}.up ]; do sleep 0.01; done
             set -- $(grep Cpus_allowed_list /proc/self/status); echo time 1.$2 1"
        )
    };
    let mut stage = Stage::new(&script("base", "head"), &script("head", "base"));
    stage.call.task = duet(Side::Head, Pairing::Parallel { cores: [first, second] });
    let trials = stage.play();
    assert_eq!([trials[0].side, trials[1].side], [Side::Head, Side::Base]);
    let cores: Vec<String> = trials.iter().map(|trial| times(trial)[0].to_string()).collect();
    let expected: Vec<String> =
        [first, second].iter().map(|core| format!("1.{core}").parse::<f64>().unwrap().to_string()).collect();
    assert_eq!(cores, expected);
}

/// A duet of six iterations per half as three processes each, which record that they ran.
fn in_turns(base: &str, head: &str) -> Stage {
    let script = |name: &str, rest: &str| format!("echo {name} $2 >> ../../turns; {rest}");
    let mut stage = Stage::new(&script("base", base), &script("head", head));
    stage.call.shape.iterations = 6;
    stage.call.task = duet(Side::Head, Pairing::InTurns { processes: 3 });
    stage
}

#[test]
fn halves_in_turns_share_the_iterations_and_the_time() {
    let stage = in_turns("echo time 1 4; echo time 2 4", "echo time 3 5; echo time 4 5");
    let trials = stage.play();
    let turns = fs::read_to_string(stage.dir.path().join("turns")).unwrap();
    assert_eq!(turns, "head 2\nbase 2\nbase 2\nhead 2\nhead 2\nbase 2\n");
    assert_eq!([trials[0].side, trials[1].side], [Side::Head, Side::Base]);
    assert_eq!(times(&trials[0]), [3.0, 4.0, 3.0, 4.0, 3.0, 4.0]);
    assert_eq!(times(&trials[1]), [1.0, 2.0, 1.0, 2.0, 1.0, 2.0]);
    assert_eq!(trials[1].outcome.measurement().unwrap().operations, [4; 6]);
    assert_eq!(trials[1].usage.processes, 3);
    assert_eq!(trials[1].position, Position::Duet { index: 7, attempt: 1, first: false });
}

#[test]
fn a_process_that_fails_in_a_later_turn_fails_its_half() {
    // The second process of head finds the mark of the first one.
    let head = "[ -e ../../mark ] && exit 3; touch ../../mark; echo time 3 1";
    let stage = in_turns("echo time 1 1", head);
    let trials = stage.play();
    let Outcome::Failed(failure) = &trials[0].outcome else { panic!("{:?}", trials[0]) };
    assert_eq!(failure.kind, FailureKind::ExitStatus(3));
    assert_eq!(trials[0].outcome.values().expect("that of its first").series[0].values, [3.0]);
    // The turn was completed, and no other one began.
    assert_eq!(times(&trials[1]), [1.0, 1.0]);
    assert_eq!(fs::read_to_string(stage.dir.path().join("turns")).unwrap().lines().count(), 4);
}

#[test]
fn an_interrupt_between_turns_fails_both_halves_and_keeps_what_they_had() {
    let interrupt = Interrupt::new();
    let stage = in_turns(
        "echo time 1 1",
        "echo time 3 1; [ -e ../../mark ] && touch ../../up && sleep 1000; touch ../../mark",
    );
    let trials = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stage.dir.path().join("up").exists() {
                std::thread::sleep(Duration::from_millis(5));
            }
            interrupt.set();
        });
        stage.try_play(&interrupt).unwrap()
    });
    let kept = |trial: &Trial| match &trial.outcome {
        Outcome::Failed(Failure { kind: FailureKind::Interrupted, measured: Some(kept), .. }) => {
            kept.series[0].values.clone()
        }
        outcome => panic!("{outcome:?}"),
    };
    assert_eq!(trials.iter().map(kept).collect::<Vec<_>>(), [vec![3.0, 3.0], vec![1.0, 1.0]]);
}

#[test]
fn a_trial_that_has_measured_enough_is_ended_with_all_it_started_and_counts() {
    let mut stage =
        Stage::same("sleep 1000 & echo $! > ../../child; while :; do echo time 2 1; sleep 0.01; done");
    stage.watch("steady", Duration::from_millis(50));
    for trial in stage.play() {
        let measurement = trial.outcome.measurement().expect("ended by us, so it counts");
        let warmup = measurement.warmup as usize;
        assert!(warmup > 0 && times(&trial).len() >= warmup + 3, "{measurement:?}");
    }
    let child = fs::read_to_string(stage.dir.path().join("child")).unwrap();
    let is_gone = || !Path::new("/proc").join(child.trim()).join("exe").exists();
    assert!((0..100).any(|_| is_gone() || {
        std::thread::sleep(Duration::from_millis(10));
        false
    }));
}

#[test]
fn half_a_line_of_a_trial_that_was_ended_is_no_value() {
    // The first is warm-up, three are measured, and only the beginning of the next one is printed.
    let script = "printf 'time 2 1\\ntime 2 1\\ntime 2 1\\ntime 2 1\\ntime 9 1'; exec sleep 1000";
    let mut stage = Stage::same(script);
    stage.watch("steady", Duration::ZERO);
    for trial in stage.play() {
        assert_eq!(times(&trial), [2.0; 4]);
    }
}

#[test]
fn a_trial_that_ends_by_itself_keeps_its_last_iterations() {
    let mut stage = Stage::same("for i in 9 8 7 1 2; do echo time $i 1; done");
    stage.watch("steady", Duration::from_secs(30));
    let trials = stage.play();
    assert_eq!(times(&trials[0]), [9.0, 8.0, 7.0, 1.0, 2.0]);
    assert_eq!(trials[0].outcome.measurement().map(|measurement| measurement.warmup), Some(2));
    let stopped = trials[0].stopped.as_ref().unwrap();
    assert_eq!((stopped.after, stopped.end), (None, WarmupEnd::Unsteady));
    assert!(stopped.reason.contains("ended after 5 iterations"), "{}", stopped.reason);
}

#[test]
fn what_the_rule_decided_is_kept_with_the_trial() {
    let mut stage = Stage::same("while :; do echo time 2 1; sleep 0.01; done");
    stage.watch("georges", Duration::from_secs(30));
    for trial in stage.play() {
        let stopped = trial.stopped.as_ref().unwrap();
        assert_eq!(
            (stopped.rule.as_str(), stopped.end, stopped.after),
            ("georges", WarmupEnd::Steady, Some(30))
        );
        assert_eq!(stopped.reason, "the last 30 iterations vary by 0.00 %, less than 2 %");
        let told = Earlier::of(&trial).unwrap();
        assert_eq!((told.side, told.warmup, told.values.len()), (trial.side, 0, times(&trial).len()));
    }
    stage.call.shape.stop = Stop::Fixed;
    let mut ending = Stage::same("echo time 2 1");
    assert_eq!(ending.play()[0].stopped, None);
    // A trial that failed was not stopped by a rule, whatever the rule decided.
    ending = Stage::same("while :; do echo time 2 1; echo time NaN 1; sleep 0.01; done");
    ending.watch("learned", Duration::from_secs(30));
    for trial in ending.play() {
        let Outcome::Failed(failure) = &trial.outcome else { panic!("{:?}", trial.outcome) };
        assert_eq!((failure.kind, trial.stopped.is_none()), (FailureKind::BadValue, true));
    }
}

#[test]
fn a_rule_that_cannot_be_had_is_an_error_of_the_call() {
    let mut stage = Stage::same("echo time 1 1");
    stage.watch("learned", Duration::from_secs(30));
    stage.call.shape.iteration_time = Duration::from_secs(1);
    let error = stage.try_play(&Interrupt::new()).unwrap_err();
    assert!(matches!(error, CallError::Rule(_)) && !error.hint().is_empty(), "{error}");
}
