//! One benchwright measures at a time.

use std::fs::{self, File};

use crate::sandbox::{Sandbox, Started, wait_for};

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
    let heard = sandbox.script.0.join("second");
    let mut command = sandbox.command(&["compare", "base", "head", "--filter", "beta"]);
    command.stderr(File::create(&heard).expect("a file")).stdout(std::process::Stdio::null());
    let mut second = command.spawn().expect("benchwright starts");
    let waits = format!("waiting for another benchwright (process {})", first.pid());
    wait_for("the second one to say that it waits", || {
        fs::read_to_string(&heard).is_ok_and(|text| text.contains(&waits))
    });
    assert!(!sandbox.script.started().iter().any(|line| line.starts_with("beta")));
    sandbox.script.open_gate();
    first.finish().exits(0);
    assert_eq!(second.wait().expect("its end").code(), Some(0));
    assert!(sandbox.script.started().iter().any(|line| line.starts_with("beta")));
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
