//! One benchwright measures at a time.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use crate::sandbox::{Sandbox, Started, finished, wait_for};

/// A sandbox in which a comparison waits at a gate.
fn measuring() -> (Sandbox, Started) {
    let sandbox = Sandbox::new();
    sandbox.script.write("alpha", "head", "0 gate; time 1000");
    let started = sandbox.start_until_gate("compare base head --filter alpha");
    (sandbox, started)
}

#[test]
fn a_second_one_in_the_repository_says_who_measures() {
    let (sandbox, first) = measuring();
    let answer = sandbox.say("compare base head --filter beta --no-wait").exits(1);
    answer.tells(&[&format!("process {}", first.pid()), "compare base head --filter alpha"]);
    // What only looks need not wait.
    sandbox.say("compare base head --filter beta --dry-run").exits(0);
    sandbox.say("list").exits(0);
    sandbox.script.open_gate();
    first.finish().exits(0);
}

#[test]
fn a_second_one_elsewhere_on_the_machine_says_who_measures() {
    let (sandbox, first) = measuring();
    let mut elsewhere = Sandbox::new();
    elsewhere.lock.clone_from(&sandbox.lock);
    let answer = elsewhere.say("compare base head --filter beta --no-wait").exits(1);
    answer.tells(&[&format!("process {}", first.pid())]);
    sandbox.script.open_gate();
    first.finish().exits(0);
}

#[test]
fn a_second_one_waits() {
    let (sandbox, first) = measuring();
    let (mut second, _) = waiting(&sandbox, &first, "compare base head --filter beta");
    assert!(!sandbox.script.started().iter().any(|line| line.starts_with("beta")));
    sandbox.script.open_gate();
    first.finish().exits(0);
    assert_eq!(second.wait().expect("its end").code(), Some(0));
    assert!(sandbox.script.started().iter().any(|line| line.starts_with("beta")));
}

/// A second one that was started and has said that it waits for the first, and the file of what it says.
fn waiting(sandbox: &Sandbox, first: &Started, arguments: &str) -> (Child, PathBuf) {
    let heard = sandbox.script.0.join("second");
    let mut command = sandbox.command(&arguments.split_whitespace().collect::<Vec<_>>());
    command.stderr(File::create(&heard).expect("a file")).stdout(std::process::Stdio::null());
    let second = command.spawn().expect("benchwright starts");
    let waits = format!("waiting for another benchwright (process {})", first.pid());
    wait_for("the second one to say that it waits", || {
        fs::read_to_string(&heard).is_ok_and(|text| text.contains(&waits))
    });
    (second, heard)
}

#[test]
fn waiting_is_told_to_the_quiet_and_does_not_use_the_budget_up() {
    let (sandbox, first) = measuring();
    let began = Instant::now();
    let budget = Duration::from_secs(5);
    let (mut second, heard) = waiting(&sandbox, &first, "compare base head --filter beta --budget 5s -q");
    wait_for("the budget to pass", || began.elapsed() > budget);
    sandbox.script.open_gate();
    first.finish().exits(0);
    let code = second.wait().expect("its end").code();
    assert_eq!(code, Some(0), "{}", fs::read_to_string(&heard).expect("what it said"));
    assert!(!sandbox.stored("latest").is_partial);
    let trials = sandbox.stored("latest").trials;
    assert!(trials.iter().any(|trial| trial.benchmark.name == "beta"), "{trials:?}");
}

#[test]
fn waiting_ends_at_its_limit() {
    let (sandbox, first) = measuring();
    let who = format!("process {}", first.pid());
    let answer = sandbox.say("compare base head --filter beta --wait 1s").exits(1);
    answer.tells(&[&who, "still after 1 s of waiting", "`--wait` sets how long to wait"]);
    let mut none = sandbox.command(&["compare", "base", "head", "--filter", "beta"]);
    let answer = finished(none.env("BENCHWRIGHT_WAIT", "0")).exits(1).tells(&[&who]);
    assert!(!answer.stderr.contains("waiting"), "{}", answer.describe());
    sandbox.write("benchwright.toml", "wait = \"0\"\n");
    sandbox.say("run --rev head").exits(1).tells(&[&who]);
    sandbox.say("compare base head --wait 1s --no-wait").exits(2);
    sandbox.say("compare base head --wait soon").exits(2).tells(&["soon"]);
    sandbox.write("benchwright.toml", "wait = 5\n");
    sandbox.say("compare base head").exits(2).tells(&["benchwright.toml:1:8"]);
    fs::remove_file(sandbox.repository.join("benchwright.toml")).expect("it goes");
    sandbox.script.open_gate();
    first.finish().exits(0);
}

#[test]
fn a_lock_that_names_a_dead_process_is_free() {
    let sandbox = Sandbox::new();
    let dead = "4294967295\n1\nbenchwright compare main\n";
    fs::create_dir_all(sandbox.results()).expect("a directory");
    for lock in [sandbox.lock.clone(), sandbox.results().join("lock")] {
        fs::write(lock, dead).expect("a lock");
    }
    let answer = sandbox.say("compare base head --filter beta --no-wait").exits(0);
    assert!(!answer.stderr.contains("4294967295"), "{}", answer.describe());
}

#[test]
fn a_killed_one_leaves_no_lock() {
    let (sandbox, first) = measuring();
    first.signal("KILL");
    first.finish();
    sandbox.script.open_gate();
    sandbox.say("compare base head --filter beta --no-wait").exits(0);
}

#[test]
fn two_with_locks_of_their_own_do_not_disturb_each_other() {
    let (sandbox, first) = measuring();
    let elsewhere = Sandbox::new();
    elsewhere.say("compare base head --no-wait").exits(0);
    sandbox.script.open_gate();
    let answer = first.finish().exits(0);
    assert!(!answer.stderr.contains("scratch"), "{}", answer.describe());
}

#[test]
fn without_locks_it_measures_with_a_warning() {
    let sandbox = Sandbox::new();
    let mut command = Command::new("strace");
    command.args(["-o", "/dev/null", "-e", "trace=flock", "-e", "inject=flock:error=ENOLCK"]);
    if !Command::new(command.get_program())
        .args(command.get_args())
        .arg("true")
        .output()
        .is_ok_and(|it| it.status.success())
    {
        return benchwright_testkit::skip("a file system without locks needs strace and the right to trace");
    }
    let plain = sandbox.command(&["compare", "base", "head", "--filter", "alpha"]);
    command.arg(plain.get_program()).args(plain.get_args()).current_dir(&sandbox.repository);
    for (name, value) in plain.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let answer = finished(&mut command).exits(0).prints(&["1 same"]);
    let warning = "this file system has no locks, so another benchwright may measure at the same time";
    assert_eq!(answer.stderr.matches(warning).count(), 2, "{}", answer.describe());
    sandbox.say("show").exits(0).prints(&["1 same"]);
}
