//! Slowdowns that are meant to be.

use std::fs;

use crate::document::{Document, compared};
use crate::sandbox::Sandbox;
use crate::suite;

/// What the document says about a benchmark's time.
fn finding(document: &Document, name: &str) -> serde_json::Value {
    let findings = document.0["findings"].as_array().expect("findings");
    findings.iter().find(|finding| finding["benchmark"]["name"] == name).expect(name).clone()
}

#[test]
fn an_accepted_slowdown_does_not_fail_and_a_greater_one_does() {
    let sandbox = Sandbox::new();
    sandbox.script.write("alpha", "head", "0 time 1100");
    let (document, _) = compared(&sandbox, "base head", 3);
    assert_eq!(finding(&document, "alpha")["accepted"], serde_json::Value::Null);
    sandbox
        .run(&["accept", "alpha", "--reason", "it checks its input now"])
        .exits(0)
        .prints(&["accepted  scripted/scripted:alpha time +10."])
        .tells(&["wrote benchwright.accepted.toml; commit it"]);
    let text = fs::read_to_string(sandbox.repository.join("benchwright.accepted.toml")).expect("a file");
    assert!(
        text.contains("reason = \"it checks its input now\"") && text.contains("worsening = 0.1"),
        "{text}"
    );
    // The store knows it, too.
    let show = format!("show {}", document.run());
    sandbox.say(&show).exits(0).prints(&["slower (accepted)", "it checks its input now"]);

    let (document, _) = compared(&sandbox, "base head", 0);
    let alpha = finding(&document, "alpha");
    assert_eq!((&alpha["verdict"], &alpha["fails"]), (&"slower".into(), &false.into()));
    assert_eq!(alpha["accepted"], "it checks its input now");
    let text = sandbox.say("compare base head --seed 7 --format markdown").exits(0);
    text.prints(&["slower, accepted: it checks its input now"]);

    sandbox.script.write("alpha", "head", "0 time 1300");
    let (document, _) = compared(&sandbox, "base head", 3);
    let alpha = finding(&document, "alpha");
    assert_eq!((&alpha["fails"], &alpha["accepted"]), (&true.into(), &serde_json::Value::Null));
    assert!(alpha["warnings"].to_string().contains("this one is greater"), "{alpha:#}");
    // Another benchmark is not excused.
    sandbox.script.write("alpha", "head", "0 time 1100");
    sandbox.script.write("beta", "head", "0 time 1100");
    compared(&sandbox, "base head", 3);
    sandbox.run(&["accept", "--all", "--reason", "both"]).exits(0).prints(&[":alpha time", ":beta time"]);
    compared(&sandbox, "base head", 0);
}

#[test]
fn what_the_old_version_accepted_excuses_nothing_new() {
    let sandbox = Sandbox::new();
    sandbox.script.write("alpha", "head", "0 time 1100");
    sandbox.script.write("alpha", "next", "0 time 1210");
    compared(&sandbox, "base head", 3);
    sandbox.run(&["accept", "alpha", "--reason", "meant"]).exits(0);
    // The change and its acceptance are merged; the next change is slower by the same share again.
    sandbox.commit(&[], "merged");
    sandbox.commit(&suite::files("next", &suite::NAMES), "next");
    compared(&sandbox, "base merged", 0);
    let (document, _) = compared(&sandbox, "merged next", 3);
    assert_eq!(finding(&document, "alpha")["accepted"], serde_json::Value::Null);
    // It can be accepted as well.
    sandbox.run(&["accept", "alpha", &document.run(), "--reason", "meant again"]).exits(0);
    compared(&sandbox, "merged next", 0);
}

#[test]
fn accepting_needs_a_slowdown_and_a_reason() {
    let sandbox = Sandbox::new();
    sandbox.say("run --rev base --seed 7").exits(0);
    sandbox.say("accept alpha --reason x").exits(2).tells(&["no stored comparison"]);
    sandbox.script.write("alpha", "head", "0 time 1100");
    compared(&sandbox, "base head", 3);
    sandbox.say("accept beta --reason x").exits(2).tells(&["slower in this run: scripted/scripted:alpha"]);
    sandbox.say("accept alpha").exits(2).tells(&["--reason"]);
    sandbox.run(&["accept", "alpha", "--reason", " "]).exits(2).tells(&["without a reason"]);
    sandbox.say("accept --reason x").exits(2).tells(&["BENCHMARK"]);
    sandbox.write("benchwright.accepted.toml", "format = 1\n[[accepted]]\nname = 3\n");
    sandbox.say("accept alpha --reason x").exits(2).tells(&["correct the file first"]);
    // What cannot be read excuses nothing.
    compared(&sandbox, "base head", 3);
    sandbox.write("benchwright.accepted.toml", "format = 7\n");
    sandbox.say("compare base head").exits(2).tells(&["benchwright.accepted.toml:1:10"]);
}

#[test]
fn important_and_unimportant_benchmarks_have_thresholds_of_their_own() {
    let sandbox = Sandbox::new();
    sandbox.script.write("alpha", "head", "0 time 1100");
    sandbox.script.write("beta", "head", "0 time 1020");
    let unimportant = "[[thresholds]]\nbenchmark = \"*:alpha\"\nsoft = \"3%\"\nhard = \"never\"\n";
    sandbox.write("benchwright.toml", unimportant);
    let (document, _) = compared(&sandbox, "base head", 0);
    assert_eq!(
        (document.verdicts()["alpha"].as_str(), document.verdicts()["beta"].as_str()),
        ("slower", "same")
    );
    let important = "[[thresholds]]\nbenchmark = \"*:beta\"\nsoft = \"1%\"\n";
    sandbox.write("benchwright.toml", &format!("{unimportant}{important}"));
    let (document, _) = compared(&sandbox, "base head", 3);
    assert_eq!(document.verdicts()["beta"], "slower");
    assert_eq!(finding(&document, "alpha")["fails"], false);
}
