//! Benchmarks that do not behave: each is named with its version, and the others are measured.

use crate::document::{Document, map};
use crate::sandbox::{Answer, Sandbox};

/// Compares versions of which `alpha` at head does this; checks that the reason names version and failure and that the
/// others are measured.
#[track_caller]
fn check(script: &str, arguments: &str, reason: &str) -> (Sandbox, Answer) {
    let sandbox = Sandbox::new();
    sandbox.script.write("alpha", "head", script);
    let more = if arguments.is_empty() { String::new() } else { format!(" {arguments}") };
    let answer =
        sandbox.say(&format!("compare base head --seed 7{more}")).exits(1).prints(&["alpha", reason]);
    let document = Document::of(&sandbox.say("show latest --format json").exits(0));
    let has_results = script.contains("time");
    let alpha = if has_results { "undecided" } else { "not_measured" };
    let verdicts = map(&[("alpha", alpha), ("beta", "same"), ("gamma", "same")]);
    assert_eq!(document.verdicts(), verdicts, "{}", answer.describe());
    assert!(document.reasons()["alpha"].contains(reason), "{:?}", document.reasons());
    assert_eq!(sandbox.script.left_processes(), Vec::<String>::new());
    (sandbox, answer)
}

#[test]
fn a_panic_is_shown_with_its_words() {
    let (_, answer) = check("0 panic out of cheese", "", "head exited with status 101");
    answer.prints(&["out of cheese"]);
}

#[test]
fn a_hanging_benchmark_is_killed_with_its_children() {
    let script = "0 fork; hang";
    let (sandbox, _) = check(script, "--trial-timeout 300ms", "head ran past its time limit and was killed");
    assert_eq!(sandbox.script.processes(), 2, "one process and its child: a hang is not tried again");
}

#[test]
fn children_left_behind_are_killed_and_the_result_counts() {
    let sandbox = Sandbox::new();
    sandbox.script.write("alpha", "head", "0 time 1000; fork");
    let answer = sandbox.say("compare base head --filter alpha --seed 7 --format json").exits(0);
    assert_eq!(Document::of(&answer).verdicts(), map(&[("alpha", "same")]));
    assert!(sandbox.script.processes() >= 5);
    assert_eq!(sandbox.script.left_processes(), Vec::<String>::new());
}

#[test]
#[cfg(target_os = "linux")]
fn daemons_are_ended_with_their_trial_and_their_benchmark_is_named() {
    let sandbox = Sandbox::new();
    sandbox.script.write("alpha", "head", "0 daemon; sleep 50; time 1000");
    let answer = sandbox.say("compare base head --filter alpha|beta --seed 7 --format json").exits(0);
    assert_eq!(Document::of(&answer).verdicts(), map(&[("alpha", "same"), ("beta", "same")]));
    let diagnostics = Document::of(&answer).0["diagnostics"].to_string();
    assert!(diagnostics.contains("alpha") && !diagnostics.contains("beta"), "{diagnostics}");
    assert!(sandbox.script.processes() >= 5);
    assert_eq!(sandbox.script.left_processes(), Vec::<String>::new());
}

#[test]
#[cfg(target_os = "linux")]
fn a_killed_benchwright_leaves_nothing_where_no_directory_can_be_written() {
    let sandbox = Sandbox::new();
    sandbox.script.write("alpha", "head", "0 daemon; fork; sleep 50; gate; time 1000");
    // With the builds done, nothing needs a directory for temporary files.
    sandbox.say("compare base head --filter beta").exits(0);
    let mut command = sandbox.command(&["compare", "base", "head", "--filter", "alpha"]);
    let mut started = crate::sandbox::Started::of(command.env("TMPDIR", "/proc/none"));
    sandbox.wait_for_gate(&mut started);
    started.signal("KILL");
    started.finish();
    crate::sandbox::wait_for("the end of the benchmark", || sandbox.script.left_processes().is_empty());
    assert_eq!(sandbox.script.processes(), 3);
}

#[test]
fn a_flood_of_output_is_stopped() {
    check("0 flood", "", "head printed too much and was killed");
}

#[test]
#[cfg(target_os = "linux")]
fn a_benchmark_that_fills_the_memory_is_killed() {
    let reason = "head used more than 200 MB (trial-memory) and was killed";
    let (sandbox, answer) = check("0 hold 300; hang", "--trial-memory 200MB", reason);
    answer.prints(&["alpha"]);
    let starts = sandbox.script.started();
    assert_eq!(starts.iter().filter(|line| *line == "alpha head").count(), 1, "it is not tried again");
    // The same setting as a variable, where no benchmark needs so much.
    let mut command = sandbox.command(&["compare", "base", "head", "--filter", "beta"]);
    crate::sandbox::finished(command.env("BENCHWRIGHT_TRIAL_MEMORY", "1GiB")).exits(0);
}

#[test]
fn megabytes_below_the_limit_are_read_over() {
    let sandbox = Sandbox::new();
    let line = "x".repeat(1 << 20);
    sandbox.script.write("alpha", "head", &format!("0 print {line}; print {line}; time 1000"));
    let answer = sandbox.say("compare base head --filter alpha --seed 7 --format json").exits(0);
    assert_eq!(Document::of(&answer).verdicts(), map(&[("alpha", "same")]));
}

#[test]
fn times_that_are_no_positive_numbers_are_refused() {
    for time in ["0.00", "0", "-12.5", "NaN", "inf"] {
        let sandbox = Sandbox::new();
        sandbox.script.write("alpha", "head", &format!("0 constant {time}"));
        let answer = sandbox.say("compare base head --filter alpha|beta --seed 7").exits(1);
        let answer = answer.prints(&["alpha", "head printed "]);
        assert!(!answer.stdout.contains("NaN %") && answer.stdout.contains("same"), "{}", answer.describe());
    }
}

#[test]
fn silence_is_no_result() {
    check("0 nothing", "", "head printed no result");
}

#[test]
fn garbage_is_no_result_and_is_quoted() {
    let (_, answer) = check("0 print \u{1b}[2J\u{7}test alpha ... bench: soon", "", "head printed no result");
    assert!(!answer.stdout.contains('\u{1b}'), "control characters do not reach the terminal");
    answer.prints(&["bench: soon"]);
}

#[test]
fn a_benchmark_that_disappears_in_the_middle_keeps_what_it_measured() {
    let (sandbox, _) = check("0 time 1000\n3 nothing", "", "head printed no result");
    let trials = sandbox.stored("latest").trials;
    let of_alpha = trials.iter().filter(|trial| trial.benchmark.name == "alpha");
    let measured = of_alpha.filter(|trial| trial.outcome.measurement().is_some());
    assert!(measured.count() >= 6, "three duets");
}

#[test]
fn a_benchmark_that_fails_half_the_time_on_one_side_is_measured_and_fails_the_command() {
    let sandbox = Sandbox::new();
    sandbox.script.write("alpha", "head", "0 flaky 1000");
    let answer = sandbox.say("compare base head --filter alpha --seed 7 --format json").exits(1);
    let document = Document::of(&answer);
    assert_eq!(document.verdicts(), map(&[("alpha", "same")]), "{}", answer.describe());
    assert_eq!(document.0["failures"].as_array().map(Vec::len), Some(1), "{}", answer.describe());
}
