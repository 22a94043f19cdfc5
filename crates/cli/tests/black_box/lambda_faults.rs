//! What can go wrong between benchwright and AWS Lambda, against a stand-in that answers as fast, slow, wrong or not at all as a
//! test wants it. Whatever happens: nothing is lost, nothing counted twice, nothing paid again, and the exit code is right.

use std::collections::HashSet;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::document::Document;
use crate::go;
use crate::lambda::{Guard, check_all_slower, command, compared, free_port, with_faults};
use crate::sandbox::{Answer, Sandbox, finished, wait_for};
use crate::stub::{Fate, Seen, Stub};

/// Checks that each half of each duet is stored once and says where it ran. Returns the number of duets.
#[track_caller]
fn check_once(sandbox: &Sandbox) -> usize {
    let stored = sandbox.stored("latest");
    let mut seen = HashSet::new();
    for trial in &stored.trials {
        assert!(trial.instance.is_some(), "{trial:?}");
        let half = (trial.benchmark.clone(), trial.position, trial.side);
        assert!(seen.insert(half), "twice: {trial:?}");
    }
    seen.len() / 2
}

fn resumed(sandbox: &Sandbox, stub: &Stub, more: &str) -> Answer {
    finished(&mut command(sandbox, stub.address, &format!("compare --resume --format json {more}")))
}

#[test]
fn throttled_crashed_lost_and_nonsensical_answers_are_asked_for_again() {
    let faulty = |seen: &Seen| match (seen.before, seen.number % 6) {
        (0, 0) => Fate::Refuse(429, "TooManyRequestsException", "Rate Exceeded."),
        (0, 1) => Fate::Crash(r#"{"errorType":"Runtime.ExitError","errorMessage":"signal: killed"}"#),
        (0, 2) => Fate::Drop,
        (0, 3) => Fate::Garbage,
        (0, 4) => Fate::Missing,
        _ => Fate::Answer,
    };
    let Some((answer, stub, sandbox)) = with_faults("", faulty) else { return };
    check_all_slower(&answer);
    assert!(stub.requests() > stub.parcels());
    assert!(answer.stderr.contains("throttled") && answer.stderr.contains("lost"), "{}", answer.stderr);
    assert_eq!(check_once(&sandbox), stub.duets());
}

#[test]
fn slow_calls_are_waited_for() {
    let slow = |seen: &Seen| match seen.number % 3 {
        0 => Fate::After(Duration::from_millis(900)),
        _ => Fate::Answer,
    };
    let Some((answer, stub, sandbox)) = with_faults("", slow) else { return };
    check_all_slower(&answer);
    assert_eq!((stub.requests(), check_once(&sandbox)), (stub.parcels(), stub.duets()));
}

/// A call that never ends is sent again, its second answer counts, and nobody waits for the first.
#[test]
fn a_straggler_is_sent_again_and_not_waited_for() {
    let Some(sandbox) = go::sandbox() else { return };
    let stub = Stub::start(|seen| if seen.number == 2 { Fate::Hold } else { Fate::Answer });
    let line = "compare base head --on lambda --format json --seed 1";
    let mut command = command(&sandbox, stub.address, line);
    // Without the second sending this would be how long it takes.
    let answer = finished(command.env("BENCHWRIGHT_LAMBDA_TIME_LIMIT", "15m"));
    check_all_slower(&answer);
    assert!(answer.stderr.contains("1 sent twice"), "{}", answer.stderr);
    assert_eq!((stub.requests(), check_once(&sandbox)), (stub.parcels() + 1, stub.duets()));
}

#[test]
fn a_function_that_always_runs_out_of_time_is_named_and_the_rest_is_decided() {
    let timed_out = |seen: &Seen| match seen.benchmark.contains("Fill") {
        true => Fate::Crash(r#"{"errorType":"Sandbox.Timedout","errorMessage":"Task timed out"}"#),
        false => Fate::Answer,
    };
    let Some((answer, ..)) = with_faults("", timed_out) else { return };
    assert_eq!(answer.code, Some(3), "{}", answer.describe());
    assert!(answer.stderr.contains("1 something failed"), "{}", answer.stderr);
    let document = Document::of(&answer);
    let verdicts = document.verdicts();
    assert_eq!(verdicts["BenchmarkWork/n=100"], "slower", "{:#}", document.0);
    assert_eq!(verdicts["BenchmarkFill"], "not_measured", "{:#}", document.0);
    assert!(answer.stdout.contains("the function was ended after 150s"), "{}", answer.stdout);
}

#[test]
fn an_instance_that_took_longer_than_the_call_is_dropped_and_named() {
    let lying = |seen: &Seen| match seen.number {
        0 => Fate::Claim(Duration::from_secs(3600)),
        _ => Fate::Answer,
    };
    let Some((answer, stub, sandbox)) = with_faults("", lying) else { return };
    check_all_slower(&answer);
    assert!(answer.stdout.contains("dropped: it says that it took 3600"), "{}", answer.describe());
    assert_eq!(check_once(&sandbox), stub.duets(), "what it said is not among what is kept");
}

#[test]
fn an_instance_whose_clock_jumps_is_dropped_and_named() {
    let jumping = |seen: &Seen| match seen.number {
        1 => Fate::Jump(Duration::from_secs(7)),
        _ => Fate::Answer,
    };
    let Some((answer, stub, sandbox)) = with_faults("", jumping) else { return };
    check_all_slower(&answer);
    assert!(answer.stdout.contains("dropped: its clock jumped by 7"), "{}", answer.describe());
    assert_eq!(check_once(&sandbox), stub.duets());
}

#[test]
fn killed_in_the_middle_it_goes_on_without_asking_again() {
    let Some(sandbox) = go::sandbox() else { return };
    let stub = Stub::start(|_| Fate::After(Duration::from_millis(150)));
    let one_by_one = |line: &str| {
        let mut command = command(&sandbox, stub.address, line);
        command.env("BENCHWRIGHT_LAMBDA_REPEATS", "1").env("BENCHWRIGHT_LAMBDA_PARALLEL", "1");
        command
    };
    let mut killed = one_by_one("compare base head --on lambda --seed 1");
    let mut child = Guard(killed.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts"));
    wait_for("some calls", || stub.requests() >= 5);
    child.0.kill().expect("it is killed");
    child.0.wait().expect("it ended");
    let answer = finished(&mut one_by_one("compare --resume"));
    assert_eq!(answer.code, Some(3), "{}", answer.describe());
    let duets = check_once(&sandbox);
    // The one that was under way when it was killed is all that may have been asked for twice.
    let asked = stub.requests();
    assert!(asked == duets || asked == duets + 1, "{asked} calls, {duets} duets");
}

#[test]
fn a_refusal_of_the_platform_ends_the_run_with_its_reason() {
    let check = |status, code: &'static str, words: [&str; 2]| {
        let refuse = move |_: &Seen| Fate::Refuse(status, code, "the platform's words");
        let Some((answer, stub, _)) = with_faults("", refuse) else { return };
        assert_eq!(answer.code, Some(1), "{}", answer.describe());
        words.iter().for_each(|word| assert!(answer.stderr.contains(word), "{word}: {}", answer.stderr));
        // Nobody insists where it cannot help.
        assert!(stub.requests() <= 4, "{}", stub.requests());
    };
    check(403, "ExpiredTokenException", ["the platform's words", "expired: log in again"]);
    check(403, "AccessDeniedException", ["the platform's words", "deploy --policy"]);
    check(404, "ResourceNotFoundException", ["the platform's words", "benchwright deploy"]);
}

#[test]
fn credentials_that_expire_in_the_middle_cost_nothing_that_was_measured() {
    let is_logged_in = Arc::new(AtomicBool::new(false));
    let now = Arc::clone(&is_logged_in);
    let expiring = move |seen: &Seen| match seen.number < 3 || now.load(Ordering::SeqCst) {
        true => Fate::Answer,
        false => Fate::Refuse(403, "ExpiredTokenException", "The security token is expired"),
    };
    let Some((answer, stub, sandbox)) = with_faults("", expiring) else { return };
    assert_eq!(answer.code, Some(1), "{}", answer.describe());
    assert!(answer.stderr.contains("expired: log in again, then `--resume`"), "{}", answer.stderr);
    is_logged_in.store(true, Ordering::SeqCst);
    check_all_slower(&resumed(&sandbox, &stub, ""));
    assert_eq!(check_once(&sandbox), stub.duets(), "nothing was asked for again");
}

#[test]
fn without_a_network_the_run_ends_and_goes_on_later() {
    let Some(sandbox) = go::sandbox() else { return };
    // A port that was free a moment ago: nobody listens.
    let nowhere = format!("127.0.0.1:{}", free_port()).parse().expect("an address");
    let answer = compared(&sandbox, nowhere, "--max-cost 0.03");
    assert_eq!(answer.code, Some(1), "{}", answer.describe());
    assert!(answer.stderr.contains("cannot be reached: check the network"), "{}", answer.stderr);
    // What reached nobody cost nothing, so that the ceiling was no obstacle.
    assert!(answer.stderr.contains("$0.00, ") && answer.stderr.contains("--resume"), "{}", answer.stderr);
    let stub = Stub::start(|_| Fate::Answer);
    check_all_slower(&resumed(&sandbox, &stub, "--max-cost 1"));
    assert_eq!(check_once(&sandbox), stub.duets());
}

/// An account that runs one instance at a time, while four are asked for.
#[test]
fn a_small_quota_takes_longer_and_loses_nothing() {
    let quota = |seen: &Seen| match seen.open {
        1 => Fate::After(Duration::from_millis(30)),
        _ => Fate::Refuse(429, "TooManyRequestsException", "ConcurrentInvocationLimitExceeded"),
    };
    let Some((answer, stub, sandbox)) = with_faults("", quota) else { return };
    check_all_slower(&answer);
    assert!(answer.stderr.contains("throttled"), "{}", answer.stderr);
    assert_eq!(check_once(&sandbox), stub.duets());
}

#[test]
fn a_ceiling_of_cost_holds_and_a_higher_one_goes_on() {
    let is_mended = Arc::new(AtomicBool::new(false));
    let now = Arc::clone(&is_mended);
    let broken = move |_: &Seen| if now.load(Ordering::SeqCst) { Fate::Answer } else { Fate::Drop };
    // A call of 150 s and 2 GB may cost $0.0053, four times that if the function asks for packages: no second one fits.
    let Some((answer, stub, sandbox)) = with_faults("--max-cost 0.03", broken) else { return };
    assert_eq!(answer.code, Some(1), "{}", answer.describe());
    assert!(answer.stderr.contains("stay below $0.0300"), "{}", answer.stderr);
    assert!(
        answer.stderr.contains("continue with `--resume` and a higher `--max-cost`"),
        "{}",
        answer.stderr
    );
    assert_eq!(stub.requests(), 1);
    is_mended.store(true, Ordering::SeqCst);
    check_all_slower(&resumed(&sandbox, &stub, "--max-cost 0.06"));
    assert_eq!(check_once(&sandbox), stub.duets());
}

#[test]
fn a_budget_is_a_ceiling_of_time_and_a_longer_one_goes_on() {
    let Some(sandbox) = go::sandbox() else { return };
    let stub = Stub::start(|_| Fate::After(Duration::from_millis(700)));
    let said = |line: &str| {
        let mut command = command(&sandbox, stub.address, line);
        finished(command.env("BENCHWRIGHT_LAMBDA_PARALLEL", "1").env("BENCHWRIGHT_LAMBDA_REPEATS", "1"))
    };
    let line = "compare base head --on lambda --format json --seed 1";
    // So that building does not count.
    said(&format!("{line} --dry-run")).exits(0);
    let answer = said(&format!("{line} --budget 22s")).exits(4);
    let document = Document::of(&answer);
    let is_open = |verdict: &String| ["undecided", "not_measured"].contains(&verdict.as_str());
    assert!(document.verdicts().values().all(is_open), "{:#}", document.0);
    assert!(answer.stdout.contains("the budget leaves no time for more calls"), "{}", answer.describe());
    // Fifteen seconds are kept for a start and the way there and back; trials have the rest.
    assert!(stub.longest_wall() <= Duration::from_secs(7), "{:?}", stub.longest_wall());
    check_all_slower(&said("compare --resume --format json --budget 30m"));
    assert_eq!(check_once(&sandbox), stub.duets(), "nothing was asked for again");
}
