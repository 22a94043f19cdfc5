//! A green gate means that it looked.

use std::process::Command;

use crate::document::{Document, compared, map};
use crate::sandbox::{Answer, Sandbox, finished};
use crate::suite::NAMES;

/// The last line on standard error.
fn last_line(answer: &Answer) -> &str {
    answer.stderr.lines().last().unwrap_or_default()
}

/// Checks that the last line says how much was decided, and names these.
#[track_caller]
fn assert_blind(answer: &Answer, decided: &str, texts: &[&str]) {
    let line = last_line(answer);
    let expected = format!("too few verdicts: {decided} decided");
    assert!(line.starts_with(&expected), "{}", answer.describe());
    for text in texts {
        assert!(line.contains(text), "no `{text}`: {}", answer.describe());
    }
}

/// A sandbox of which the benchmarks take so long that a second is not enough for them.
fn slow() -> Sandbox {
    let sandbox = Sandbox::new();
    for name in NAMES {
        for version in ["base", "head"] {
            sandbox.script.write(name, version, "0 sleep 700; time 1000");
        }
    }
    sandbox
}

#[test]
fn values_of_fail_on_add_to_slower() {
    let sandbox = Sandbox::new();
    sandbox.script.write("beta", "head", "0 time 1300");
    compared(&sandbox, "base head --fail-on undecided", 3);
    compared(&sandbox, "base head --fail-on slower", 3);
    compared(&sandbox, "base head --fail-on never", 0);
    let with = |value: &str| {
        let mut command = sandbox.command(&["compare", "base", "head"]);
        finished(command.env("BENCHWRIGHT_FAIL_ON", value))
    };
    with("undecided").exits(3);
    sandbox.write("benchwright.toml", "fail-on = [\"undecided\"]\n");
    compared(&sandbox, "base head", 3);
    sandbox.write("benchwright.toml", "fail-on = []\n");
    compared(&sandbox, "base head", 3);
}

#[test]
fn never_with_another_value_is_wrong_use() {
    let sandbox = Sandbox::new();
    let said = "`never` cannot be combined with other values";
    sandbox.say("compare base head --fail-on never,undecided").exits(2).tells(&[said]);
    sandbox.say("compare base head --fail-on slower --fail-on never").exits(2).tells(&[said]);
    let mut command = sandbox.command(&["compare", "base", "head"]);
    finished(command.env("BENCHWRIGHT_FAIL_ON", "never,slower")).exits(2).tells(&[said]);
    sandbox.write("benchwright.toml", "fail-on = [\"never\", \"undecided\"]\n");
    sandbox.say("compare base head").exits(2).tells(&[said, "benchwright.toml:1:11"]);
    assert_eq!(sandbox.script.started(), Vec::<String>::new(), "nothing is measured");
}

#[test]
fn a_budget_that_leaves_most_open_fails_and_names_what_was_not_measured() {
    let sandbox = slow();
    let (document, answer) = compared(&sandbox, "base head --budget 1s", 4);
    assert_blind(&answer, "0 of 3", &["50% required", "budget (3)", "a larger --budget"]);
    let findings = document.0["findings"].as_array().expect("findings");
    let not_measured = findings.iter().filter(|finding| finding["duet_ratios"] == serde_json::json!([]));
    let names: Vec<&str> = not_measured
        .map(|finding| {
            assert_eq!(finding["verdict"], "not_measured", "{finding:#}");
            finding["benchmark"]["name"].as_str().expect("a name")
        })
        .collect();
    assert!(!names.is_empty(), "{}", answer.describe());
    assert_eq!(document.0["counts"]["not_measured"], names.len());
    let counted = format!("{} not measured", names.len());
    for shown in ["show latest", "show latest --recompute", "show latest --format markdown", "show"] {
        sandbox.say(shown).exits(0).prints(&[&counted]);
    }
    for (format, text) in [("csv", "not_measured"), ("junit", "not measured: "), ("html", "not measured")] {
        sandbox.say(&format!("export latest --format {format}")).exits(0).prints(&[text]);
    }
    // Reports say it, too: exit code 4 beside a report without any failure looks like a mistake.
    let gate = &document.0["gate"];
    assert_eq!(
        (&gate["decided"], &gate["benchmarks"], &gate["is_blind"]),
        (&0.into(), &3.into(), &true.into())
    );
    for format in ["json", "markdown", "html", "junit"] {
        let said = "too few verdicts: 0 of 3 decided";
        sandbox.say(&format!("export latest --format {format}")).exits(0).prints(&[said]);
    }
    // The quiet are told as well, and nothing but `never` makes it pass.
    let answer = sandbox.say("compare base head --budget 1s -q -q").exits(4);
    assert_blind(&answer, "0 of 3", &[]);
    sandbox.say("compare base head --budget 1s --fail-on never").exits(0);
    sandbox.say("compare base head --budget 1s --require-decided 0").exits(0);
}

#[test]
fn noise_that_leaves_most_open_fails_too() {
    let sandbox = Sandbox::new();
    for name in ["alpha", "beta"] {
        for version in ["base", "head"] {
            sandbox.script.write(name, version, "0 noisy 1000");
        }
    }
    let few = "base head --max-duets 5 --min-duets 5";
    let (_, answer) = compared(&sandbox, few, 4);
    assert_blind(&answer, "1 of 3", &["noise (2)", "--max-duets", "benchwright doctor"]);
    compared(&sandbox, &format!("{few} --require-decided 33%"), 0);
    let (_, answer) = compared(&sandbox, &format!("{few} --require-decided 34%"), 4);
    assert_blind(&answer, "1 of 3", &["34% required"]);
    sandbox.write("benchwright.toml", "require-decided = \"20%\"\n");
    compared(&sandbox, few, 0);
    let mut command = sandbox.command(&["compare", "base", "head", "--max-duets", "5"]);
    finished(command.env("BENCHWRIGHT_REQUIRE_DECIDED", "1")).exits(4);
    for wrong in ["most", "101%", "-1%", "50"] {
        sandbox.say(&format!("compare base head --require-decided={wrong}")).exits(2).tells(&[wrong]);
    }
}

#[test]
fn failures_and_slowdowns_come_first_and_all_are_listed() {
    let sandbox = Sandbox::new();
    sandbox.script.write("alpha", "head", "0 panic out of cheese");
    sandbox.script.write("beta", "head", "0 panic out of cheese");
    let (_, answer) = compared(&sandbox, "base head", 1);
    assert_blind(&answer, "1 of 3", &["failures (2)", "repairing the benchmarks that fail"]);
    answer.tells(&["exit code 1 (1 something failed, 4 too few verdicts apply)"]);
    sandbox.script.write("gamma", "head", "0 time 1300");
    let (_, answer) = compared(&sandbox, "base head", 3);
    answer.tells(&["exit code 3 (3 slower, 1 something failed, 4 too few verdicts apply)"]);
}

#[test]
fn a_rule_that_cannot_say_same_has_looked() {
    let sandbox = Sandbox::new();
    let (document, answer) = compared(&sandbox, "base head --rule t-test", 0);
    assert_eq!(document.verdicts(), map(&NAMES.map(|name| (name, "undecided"))), "{}", answer.describe());
}

#[test]
fn the_demo_obeys_its_budget_too() {
    let sandbox = Sandbox::empty();
    let dir = sandbox.script.0.join("demo");
    let keep = dir.to_str().expect("a path");
    let mut command: Command = sandbox.command(&["demo", "--keep", keep]);
    let answer = finished(command.env("BENCHWRIGHT_BUDGET", "1s")).exits(4);
    // A quick machine finds the cheapest unchanged within a second.
    answer.tells(&["of 7 decided, 50% required; no verdict because of: budget ("]);
}

#[test]
fn a_budget_of_nothing_is_wrong_use() {
    let sandbox = Sandbox::new();
    let said = "a duration of at least a second";
    for budget in ["0", "0s", "900ms"] {
        sandbox.say(&format!("compare base head --budget {budget}")).exits(2).tells(&[said]);
        let mut command = sandbox.command(&["compare", "base", "head"]);
        finished(command.env("BENCHWRIGHT_BUDGET", budget)).exits(2).tells(&[said]);
    }
    sandbox.write("benchwright.toml", "budget = \"0s\"\n");
    sandbox.say("compare base head").exits(2).tells(&[said, "benchwright.toml:1:10"]);
    assert_eq!(sandbox.script.started(), Vec::<String>::new(), "nothing is measured");
}

#[test]
fn a_threshold_for_no_benchmark_is_a_warning_with_its_line() {
    let sandbox = Sandbox::new();
    let entry = |pattern: &str| format!("[[thresholds]]\nbenchmark = \"{pattern}\"\nsoft = \"9%\"\n");
    let text = format!("{}{}{}", entry("alpha"), entry("bet"), entry("other:*"));
    sandbox.write("benchwright.toml", &text);
    let place = |line: u32| format!("benchwright.toml:{line}:13: the pattern `");
    let (bet, other) = (format!("{}bet` matches no benchmark", place(5)), format!("{}other:*`", place(8)));
    let answer = sandbox.say("compare base head").exits(0).prints(&[&bet, &other]);
    assert!(!answer.stdout.contains("`alpha`"), "{}", answer.describe());
    sandbox.say("compare base head --dry-run").exits(0).tells(&[&bet, &other]);
    let document = Document::of(&sandbox.say("compare base head --format json").exits(0));
    assert_eq!(document.0["diagnostics"].as_array().map(Vec::len), Some(2));
    // What is left out on purpose is no slip.
    let answer = sandbox.say("compare base head --filter gamma").exits(0);
    assert!(!answer.describe().contains("matches no benchmark"), "{}", answer.describe());
}
