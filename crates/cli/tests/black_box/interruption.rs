//! Nothing measured is lost, however a run ends.

use std::collections::HashSet;
use std::fs;

use benchwright_model::{Position, Trial};

use crate::document::{Document, compared, map};
use crate::sandbox::{Sandbox, wait_for};
use crate::suite::NAMES;

/// A script with which the third process of `gamma` at head waits at a gate.
fn gated() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.script.write("beta", "head", "0 time 1300");
    sandbox.script.write("gamma", "head", "0 time 1000\n2 gate; time 1000");
    sandbox
}

/// A comparison killed when it had come to the gate, and its name.
fn killed(sandbox: &Sandbox, seed: u32) -> String {
    let started = sandbox.start_until_gate(&format!("compare base head --seed {seed}"));
    started.signal("KILL");
    assert_eq!(started.finish().code, None);
    wait_for("the end of the benchmark", || sandbox.script.left_processes().is_empty());
    let journals = sandbox.journals();
    assert_eq!(journals.len(), 1);
    journals[0].file_stem().expect("a name").to_string_lossy().into_owned()
}

/// Checks that no trial is there twice.
#[track_caller]
fn assert_each_once(trials: &[Trial]) {
    let mut seen = HashSet::new();
    for trial in trials {
        let Position::Duet { index, attempt, .. } = trial.position else { panic!("{:?}", trial.position) };
        let key = (trial.benchmark.clone(), index, attempt, trial.side);
        assert!(seen.insert(key), "twice: {} duet {index} attempt {attempt} {}", trial.benchmark, trial.side);
    }
}

/// Results that benchmarks printed, in all.
fn results(sandbox: &Sandbox) -> u64 {
    let files =
        NAMES.iter().flat_map(|name| ["base", "head"].map(|version| format!("{name}.{version}.results")));
    files.map(|file| fs::metadata(sandbox.script.0.join(file)).map_or(0, |file| file.len())).sum()
}

#[test]
fn a_killed_run_goes_on_to_what_it_would_have_found() {
    let mut halves = HashSet::new();
    for seed in [1, 7] {
        let uninterrupted = gated();
        uninterrupted.script.open_gate();
        let arguments = format!("compare base head --format json --seed {seed}");
        let expected = Document::of(&uninterrupted.say(&arguments).exits(3));

        let sandbox = gated();
        let run = killed(&sandbox, seed);
        let finished_before = results(&sandbox);
        sandbox.script.open_gate();
        let answer = sandbox.say("compare --resume --format json").exits(3);
        let document = Document::of(&answer);
        answer.tells(&[&format!("resuming run {run}: {finished_before} trials are already measured")]);
        assert_eq!(document.0["findings"], expected.0["findings"], "seed {seed}");
        assert_eq!(document.run(), run);

        let record = sandbox.stored(&run);
        assert!(!record.is_partial);
        assert_each_once(&record.trials);
        assert_eq!(
            record.trials.len() as u64,
            results(&sandbox),
            "no finished process ran again, seed {seed}"
        );
        assert_eq!(sandbox.journals(), Vec::<std::path::PathBuf>::new());
        halves.insert(finished_before % 2);
    }
    assert_eq!(
        halves.len(),
        2,
        "the seeds are such that once the first half of a duet is killed, once the second"
    );
}

#[test]
fn a_run_killed_anywhere_twice_has_each_trial_once() {
    let sandbox = Sandbox::new();
    for name in NAMES {
        sandbox.script.write(name, "base", "0 sleep 4; constant 1000.00");
        sandbox.script.write(name, "head", "0 sleep 4; constant 1000.00");
    }
    for (arguments, processes) in [("compare base head --seed 5", 4), ("compare --resume", 15)] {
        let mut started = sandbox.start(arguments);
        wait_for("some processes", || {
            assert!(started.is_running(), "ended too early");
            sandbox.script.started().len() >= processes
        });
        started.signal("KILL");
        started.finish();
    }
    let document = Document::of(&sandbox.say("compare --resume --format json").exits(0));
    assert_eq!(document.verdicts(), map(&NAMES.map(|name| (name, "same"))));
    let record = sandbox.stored("latest");
    assert_each_once(&record.trials);
    assert_eq!(record.trials.len(), 30, "five duets of three benchmarks");
}

#[test]
fn the_next_start_takes_a_killed_run_up() {
    let sandbox = gated();
    let run = killed(&sandbox, 7);
    let (_, answer) = compared(&sandbox, "base head --filter alpha", 0);
    answer.tells(&[&format!("recovered run {run}"), &format!("--resume {run}")]);
    let list = sandbox.say("show").exits(0);
    let line = list.stdout.lines().find(|line| line.starts_with(&run)).expect("the run is listed");
    assert!(line.contains("(partial)"), "{line}");
    assert!(!sandbox.stored(&run).trials.is_empty());
    // Its verdicts so far can be seen, and it can still go on.
    sandbox.run(&["show", &run]).exits(0).prints(&["alpha", "interrupted"]);
    sandbox.script.open_gate();
    sandbox.run(&["compare", "--resume", &run]).exits(3);
    assert!(!sandbox.stored(&run).is_partial);
    assert_eq!(sandbox.say("show").exits(0).stdout.lines().count(), 2);
}

#[test]
fn an_interrupted_run_reports_what_there_is_and_how_to_go_on() {
    check_interrupted("INT");
}

#[test]
fn a_terminated_run_reports_what_there_is_too() {
    check_interrupted("TERM");
}

#[track_caller]
fn check_interrupted(signal: &str) {
    let sandbox = gated();
    let started = sandbox.start_until_gate("compare base head --seed 7");
    started.signal(signal);
    let answer = started.finish().exits(1);
    let answer = answer.prints(&["alpha", "gamma", "interrupted"]).tells(&["benchwright compare --resume "]);
    assert_eq!(sandbox.script.left_processes(), Vec::<String>::new());
    let hint = answer.stderr.lines().find_map(|line| line.strip_prefix("to continue: benchwright "));
    sandbox.script.open_gate();
    let going_on = format!("{} --format json", hint.expect("a hint"));
    let document = Document::of(&sandbox.say(&going_on).exits(3));
    assert_eq!(document.verdicts(), map(&[("alpha", "same"), ("beta", "slower"), ("gamma", "same")]));
    assert_each_once(&sandbox.stored("latest").trials);
    sandbox.say("compare --resume").exits(2).tells(&["there is nothing to resume"]);
}

#[test]
fn a_run_that_measured_nothing_does_not_ask_to_go_on() {
    let sandbox = Sandbox::new();
    for version in ["base", "head"] {
        sandbox.script.write("alpha", version, "0 gate; time 1000");
    }
    for (arguments, signal) in [("compare base head", "TERM"), ("run --rev head", "INT")] {
        let _ = fs::remove_file(sandbox.script.0.join("waiting"));
        let started = sandbox.start_until_gate(&format!("{arguments} --filter alpha"));
        started.signal(signal);
        let answer = started.finish().exits(1);
        assert!(!answer.stderr.contains("resume"), "{}", answer.describe());
    }
}

#[test]
fn journals_that_nobody_went_on_with_are_forgotten_after_a_month() {
    let sandbox = gated();
    let run = killed(&sandbox, 7);
    compared(&sandbox, "base head --filter alpha", 0);
    let journal = sandbox.journals().pop().expect("it stays for a resume");
    let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(31 * 24 * 3600);
    fs::File::options()
        .append(true)
        .open(&journal)
        .and_then(|file| file.set_modified(long_ago))
        .expect("a time");
    compared(&sandbox, "base head --filter alpha", 0);
    assert_eq!(sandbox.journals(), Vec::<std::path::PathBuf>::new());
    assert!(!sandbox.stored(&run).trials.is_empty(), "what was measured is kept");
}

#[test]
fn an_interrupted_run_of_one_version_goes_on_too() {
    let sandbox = gated();
    let started = sandbox.start_until_gate("run --rev head --levels run=2,iteration=3,second=1 --seed 7");
    started.signal("KILL");
    started.finish();
    wait_for("the end of the benchmark", || sandbox.script.left_processes().is_empty());
    sandbox.script.open_gate();
    sandbox.say("compare --resume").exits(2).tells(&["benchwright run --resume"]);
    let refused = sandbox.say("run --resume --levels run=5 --iteration-time 5ms").exits(2);
    refused.tells(&["`--levels`, `--iteration-time`: that would change what is measured"]);
    sandbox.say("run --resume").exits(0).tells(&["resuming run"]);
    let record = sandbox.stored("latest");
    let positions: HashSet<_> =
        record.trials.iter().map(|trial| (trial.benchmark.clone(), trial.position)).collect();
    assert_eq!((record.trials.len(), positions.len()), (18, 18));
    assert_eq!(results(&sandbox), 18);
}

#[test]
fn the_working_tree_may_change_before_a_run_goes_on() {
    let sandbox = gated();
    sandbox.git(&["checkout", "--quiet", "base"]);
    sandbox.write("version.txt", "head\n");
    let started = sandbox.start_until_gate("compare base --seed 7");
    started.signal("KILL");
    started.finish();
    sandbox.write("version.txt", "base\n");
    sandbox.script.open_gate();
    let document = Document::of(&sandbox.say("compare --resume --format json").exits(3));
    assert_eq!(document.verdicts()["beta"], "slower");
}

#[test]
fn changed_settings_are_not_mixed_into_a_run() {
    let sandbox = gated();
    killed(&sandbox, 7);
    sandbox.script.open_gate();
    let changes = [
        ("threshold", "threshold = \"20%\"\n"),
        ("threshold of one benchmark", "[[thresholds]]\nbenchmark = \"alpha\"\nsoft = \"9%\"\n"),
        ("rule", "rule = \"t-test\"\n"),
        ("confirming test", "confirm = \"wilcoxon\"\n"),
        ("most duets", "max-duets = 13\n"),
        ("build", "[cargo]\nbuild-args = [\"--verbose\"]\n"),
        ("trials", "iterations = 7\n"),
        ("benchmarks", "filter = \"beta\"\n"),
    ];
    for (what, text) in changes {
        sandbox.write("benchwright.toml", text);
        let answer = sandbox.say("compare --resume");
        assert_eq!(answer.code, Some(2), "{what}: {}", answer.describe());
        answer.tells(&["settings or benchmarks have changed since it began", "the results so far are kept"]);
    }
    fs::remove_file(sandbox.repository.join("benchwright.toml")).expect("it goes");
    sandbox.say("compare --resume").exits(3);
}

#[test]
fn what_only_judges_holds_anew_when_a_run_goes_on() {
    let check = |flags: &str, code: i32, beta: &str| {
        let sandbox = gated();
        let run = killed(&sandbox, 7);
        sandbox.script.open_gate();
        let arguments = format!("compare --resume --format json {flags}");
        let answer = sandbox.say(&arguments).exits(code);
        let document = Document::of(&answer);
        assert_eq!(document.verdicts()["beta"], beta, "{flags}");
        assert_eq!(document.run(), run);
        let record = sandbox.stored(&run);
        assert_each_once(&record.trials);
        assert_eq!(record.trials.len() as u64, results(&sandbox), "what was measured is kept: {flags}");
        document
    };
    let document = check("--threshold 50%", 0, "same");
    assert_eq!(document.0["run"]["settings"]["threshold"], "50%");
    assert_eq!(document.0["findings"][1]["thresholds"]["soft"], 0.5);
    check("--threshold 20%", 3, "slower");
    check("--fail-threshold 50%", 0, "slower");
    check("--fail-on never", 0, "slower");
    check("--fail-on undecided", 3, "slower");
    check("--require-decided 100%", 3, "slower");
}

#[test]
fn what_would_change_the_measurement_is_refused_by_name_when_a_run_goes_on() {
    let sandbox = gated();
    let run = killed(&sandbox, 7);
    sandbox.script.open_gate();
    let check = |flags: &str, names: &[&str]| {
        let answer = sandbox.say(&format!("compare --resume {flags}")).exits(2);
        let answer = answer.tells(names).tells(&["that would change what is measured", &run]);
        assert_eq!(answer.stdout, "");
    };
    check("--iterations 7", &["`--iterations`"]);
    check("--rule t-test --duets 9 --threshold 5%", &["`--rule`, `--duets`"]);
    check("--max-duets 13", &["`--max-duets`"]);
    check("--quick", &["`--quick`"]);
    check("--seed 8", &["`--seed`"]);
    check("--filter alpha", &["`--filter`"]);
    check("--pairing parallel", &["`--pairing`"]);
    check("--all", &["`--all`", "benchwright show RUN --all"]);
    check("-- --depth 3", &["`--`"]);
    // Said again as it was, it changes nothing.
    sandbox.say("compare --resume --seed 7").exits(3).tells(&["resuming run"]);
}

#[test]
fn a_run_that_is_cut_off_again_says_what_to_type_again() {
    let sandbox = gated();
    killed(&sandbox, 7);
    fs::remove_file(sandbox.script.0.join("waiting")).expect("nobody waits");
    let started = sandbox.start_until_gate("compare --resume --threshold 50% --format csv");
    started.signal("INT");
    let answer = started.finish().exits(1);
    let hint = answer.stderr.lines().find_map(|line| line.strip_prefix("to continue: benchwright "));
    let hint = hint.expect("a hint");
    assert!(hint.ends_with(" --threshold 50%"), "{hint}");
    sandbox.script.open_gate();
    sandbox.say(hint).exits(0).prints(&["threshold 50%"]);
}

#[test]
fn a_run_goes_on_only_with_the_models_it_began_with() {
    let sandbox = gated();
    let models = sandbox.script.0.join("models.bin");
    let own = benchwright_testkit::repository().join("crates/steady/weights/rule.bin");
    let bytes = fs::read(own).expect("the built-in models");
    fs::write(&models, &bytes).expect("a copy");
    sandbox.write("benchwright.toml", &format!("stop-models = \"{}\"\n", models.display()));
    killed(&sandbox, 7);
    sandbox.script.open_gate();
    let mut others = bytes.clone();
    let price = "BWT2".len() + 3 * size_of::<f32>();
    others[price] ^= 1;
    fs::write(&models, others).expect("other models of the same name");
    sandbox.say("compare --resume").exits(2).tells(&["have changed since it began", "own models"]);
    fs::write(&models, bytes).expect("the same again");
    sandbox.say("compare --resume").exits(3).tells(&["resuming run"]);
}
