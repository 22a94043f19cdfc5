//! What a comparison finds.

use crate::document::{Document, compared, map};
use crate::sandbox::Sandbox;
use crate::suite;

#[test]
fn a_slowdown_is_found_and_fails_the_command() {
    let sandbox = Sandbox::new();
    sandbox.script.write("beta", "head", "0 time 1300");
    let (document, answer) = compared(&sandbox, "base head", 3);
    assert_eq!(document.verdicts(), map(&[("alpha", "same"), ("beta", "slower"), ("gamma", "same")]));
    let beta = &document.0["findings"].as_array().expect("findings")[1];
    let ratio = beta["effect"]["ratio"].as_f64().expect("a ratio");
    assert!((ratio - 1.3).abs() < 0.005, "{ratio}");
    answer.tells(&["confirming 1 suspect with fresh duets"]);
}

#[test]
fn a_speed_up_is_found_and_fine() {
    let sandbox = Sandbox::new();
    sandbox.script.write("gamma", "head", "0 time 700");
    let (document, _) = compared(&sandbox, "base head", 0);
    assert_eq!(document.verdicts(), map(&[("alpha", "same"), ("beta", "same"), ("gamma", "faster")]));
}

#[test]
fn a_version_compared_with_itself_is_measured() {
    let sandbox = Sandbox::new();
    let (document, _) = compared(&sandbox, "HEAD HEAD --filter alpha", 0);
    assert_eq!(document.verdicts(), map(&[("alpha", "same")]));
    assert!(document.duets() >= 5);
    assert!(!sandbox.script.started().is_empty());
}

#[test]
fn identical_builds_are_same_without_a_trial_and_measured_on_demand() {
    let sandbox = Sandbox::new();
    sandbox.commit(&[("README.md", "Words.\n".to_owned())], "words");
    let (document, _) = compared(&sandbox, "head words", 0);
    assert_eq!(document.verdicts(), map(&suite::NAMES.map(|name| (name, "same"))));
    assert_eq!(document.reasons(), map(&suite::NAMES.map(|name| (name, "identical build"))));
    assert_eq!(sandbox.script.started(), Vec::<String>::new());
    sandbox.say("compare head words").exits(0).prints(&["identical build", "threshold 3%"]);
    let (document, _) = compared(&sandbox, "head words --all --filter alpha", 0);
    assert_eq!(document.reasons(), map(&[("alpha", "interval inside the threshold")]));
    assert!(document.duets() >= 5);
}

#[test]
fn benchmarks_of_one_version_are_listed_as_added_or_removed() {
    let sandbox = Sandbox::new();
    sandbox.commit(&suite::files("other", &["alpha", "delta", "epsilon"]), "other");
    let (document, _) = compared(&sandbox, "base other", 0);
    assert_eq!(document.verdicts(), map(&[("alpha", "same")]));
    assert_eq!(document.names("added"), ["delta", "epsilon"]);
    assert_eq!(document.names("removed"), ["beta", "gamma"]);
    sandbox.say("show latest").exits(0).prints(&["added", "delta", "removed", "gamma"]);
}

#[test]
fn zero_spread_is_no_trouble() {
    let sandbox = Sandbox::new();
    for version in ["base", "head"] {
        sandbox.script.write("alpha", version, "0 constant 1000.00");
        sandbox.script.write("beta", version, "0 constant 1000.00");
    }
    sandbox.script.write("beta", "head", "0 constant 1300.00");
    let (document, _) = compared(&sandbox, "base head --skip gamma", 3);
    assert_eq!(document.verdicts(), map(&[("alpha", "same"), ("beta", "slower")]));
}

#[test]
fn filter_and_skip_choose_benchmarks() {
    let sandbox = Sandbox::new();
    let check = |arguments: &str, expected: &[&str]| {
        let (document, _) = compared(&sandbox, arguments, 0);
        assert_eq!(document.verdicts().into_keys().collect::<Vec<_>>(), expected);
    };
    check("base head --filter ^.*:(alpha|beta)$", &["alpha", "beta"]);
    check("base head --skip al|bet", &["gamma"]);
    check("base head --filter eta --skip alpha", &["beta"]);
}

#[test]
fn every_rule_finds_a_scripted_slowdown_and_names_itself() {
    let sandbox = Sandbox::new();
    sandbox.script.write("alpha", "head", "0 time 1300");
    for rule in ["bootstrap-median", "ci-overlap", "mann-whitney", "t-test", "wilcoxon-half --injected 10%"] {
        let arguments = format!("base head --filter alpha|beta --duets 10 --rule {rule}");
        let (document, _) = compared(&sandbox, &arguments, 3);
        // Such a rule shows changes, not that there is none.
        assert_eq!(document.verdicts(), map(&[("alpha", "slower"), ("beta", "undecided")]), "{rule}");
        assert_eq!(document.0["rule"]["name"], rule.split(' ').next().expect("a name"));
    }
}

#[test]
fn thresholds_decide_what_counts_and_what_fails() {
    let sandbox = Sandbox::new();
    sandbox.script.write("alpha", "head", "0 time 1060");
    let check = |arguments: &str, code: i32, verdict: &str| {
        let (document, _) = compared(&sandbox, &format!("base head --filter alpha {arguments}"), code);
        assert_eq!(document.verdicts(), map(&[("alpha", verdict)]), "{arguments}");
    };
    check("--threshold 10%", 0, "same");
    check("--fail-threshold 20%", 0, "slower");
    check("--fail-threshold never", 0, "slower");
    sandbox.write(
        "benchwright.toml",
        "[[thresholds]]\nbenchmark = \"*:alpha\"\nsoft = \"1%\"\nhard = \"50%\"\n",
    );
    check("", 0, "slower");
}

#[test]
fn recomputed_verdicts_are_the_stored_ones() {
    let sandbox = Sandbox::new();
    sandbox.script.write("beta", "head", "0 time 1300");
    sandbox.script.write("gamma", "head", "0 panic out of cheese");
    sandbox.commit(&[("README.md", "Words.\n".to_owned())], "words");
    let (first, _) = compared(&sandbox, "base words", 3);
    let show = |arguments: &str| Document::of(&sandbox.say(arguments).exits(0));
    let shown = show("show latest --format json");
    let recomputed = show("show latest --recompute --format json");
    assert_eq!(shown.0, first.0);
    assert_eq!(recomputed.verdicts(), first.verdicts());
    assert_eq!(recomputed.reasons(), first.reasons());
    let (first, _) = compared(&sandbox, "head words", 0);
    assert_eq!(show("show latest --recompute --format json").reasons(), first.reasons());
}

#[test]
fn a_run_is_decided_again_by_its_own_settings() {
    let sandbox = Sandbox::new();
    sandbox.script.write("alpha", "head", "0 time 1060");
    sandbox.script.write("beta", "head", "0 time 1300");
    let rules = "[[thresholds]]\nbenchmark = \"*:alpha\"\nsoft = \"1%\"\nhard = \"never\"\n";
    let again = |arguments: &str| Document::of(&sandbox.say(arguments).exits(0));
    for (arguments, file) in [
        ("--threshold 40%", ""),
        ("--threshold 10% --fail-threshold never", ""),
        ("--max-duets 6 --threshold 2%", ""),
        ("--quick", rules),
        ("--rule wilcoxon-half --injected 5% --duets 8", ""),
        ("--confirm wilcoxon", rules),
    ] {
        sandbox.write("benchwright.toml", file);
        let said = sandbox.say(&format!("compare base head --layouts 0 --format json {arguments}"));
        let first = Document::of(&said);
        // What the file says now is not what the run was decided by.
        sandbox.write("benchwright.toml", "threshold = \"90%\"\nmin-duets = 30\n");
        let shown = again("show latest --recompute --format json");
        assert_eq!(shown.verdicts(), first.verdicts(), "{arguments}");
        assert_eq!(shown.reasons(), first.reasons(), "{arguments}");
    }
    sandbox.write("benchwright.toml", "");
    sandbox.say("compare base head --threshold 40%").exits(0);
    let strict = again("show latest --recompute --threshold 2% --format json");
    assert!(
        strict.reasons().values().all(|reason| !reason.contains("interrupted")),
        "{:?}",
        strict.reasons()
    );
    assert_ne!(strict.verdicts(), again("show latest --format json").verdicts());
    sandbox.say("show latest --threshold 2%").exits(2);
}
