//! Numbers fit together: verdict and interval, table and exports.

use serde_json::Value;

use crate::document::{Document, compared};
use crate::sandbox::Sandbox;

/// The finding about the time of this benchmark.
fn finding<'a>(document: &'a Document, benchmark: &str) -> &'a Value {
    let findings = document.0["findings"].as_array().expect("findings");
    let is_it = |f: &&Value| f["metric"]["name"] == "time" && f["benchmark"]["name"] == benchmark;
    findings.iter().find(is_it).unwrap_or_else(|| panic!("{:#}", document.0))
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("a number instead of {value}"))
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    f64::midpoint(values[(values.len() - 1) / 2], values[values.len() / 2])
}

/// Whether two numbers are the same but for printed digits.
fn agree(one: f64, other: f64) -> bool {
    (one / other - 1.0).abs() < 1e-6
}

#[test]
fn exports_give_the_values_of_the_table() {
    let Some(sandbox) = crate::go::sandbox() else { return };
    // Ten slices per process, so that fast end and median differ.
    let (document, _) =
        compared(&sandbox, "base head --layouts 9 --filter Work --iteration-time 2ms --iterations 10", 3);
    let found = finding(&document, "BenchmarkWork/n=100");
    assert_eq!(found["verdict"], "slower", "{found:#}");
    for side in ["base", "head"] {
        let wanted = number(&found[side]["centre"]);
        let lines = sandbox.say(&format!("export latest --format benchfmt --side {side}")).exits(0);
        let values: Vec<f64> = lines
            .stdout
            .lines()
            .filter_map(|line| line.strip_prefix("BenchmarkWork/n=100\t"))
            .map(|line| line.split_whitespace().nth(1).and_then(|text| text.parse().ok()).expect("a time"))
            .collect();
        assert_eq!(values.len() as f64, number(&found[side]["trials"]), "{}", lines.stdout);
        assert!(agree(median(values) * 1e-9, wanted), "{side}: {wanted}\n{}", lines.stdout);
        assert!(lines.stdout.contains("# a line is one process, with the value that the report uses of it"));
        let list = sandbox.say(&format!("export latest --format github-action-benchmark --side {side}"));
        let list: Value = serde_json::from_str(&list.exits(0).stdout).expect("JSON");
        let entry = list.as_array().and_then(|list| list.iter().find(|entry| entry["unit"] == "ns/op"));
        let entry = entry.unwrap_or_else(|| panic!("{list:#}"));
        assert!(agree(number(&entry["value"]) * 1e-9, wanted), "{side}: {wanted}\n{entry:#}");
        assert!(entry["extra"].as_str().is_some_and(|text| text.contains("of the iterations")), "{entry:#}");
    }
}

#[test]
fn a_confirmed_change_has_an_interval_without_zero_and_values_of_the_same_duets() {
    let sandbox = Sandbox::new();
    // Screening sees +30 %, fresh duets +20 % and everything at twice the time.
    sandbox.script.write("beta", "base", "0 time 1000\n5 time 2000");
    sandbox.script.write("beta", "head", "0 time 1300\n5 time 2400");
    let (document, _) = compared(&sandbox, "base head --layouts 96", 3);
    let found = finding(&document, "beta");
    assert_eq!(found["verdict"], "slower", "{found:#}");
    assert!(number(&found["effect"]["lo"]) > 1.0, "{found:#}");
    assert!(number(&found["effect"]["hi"]) >= number(&found["effect"]["ratio"]), "{found:#}");
    if number(&found["reason"]["numbers"]["layouts"]) > 0.0 {
        assert_eq!(found["base"]["trials"], found["fresh_duets"], "{found:#}");
        assert!((number(&found["effect"]["ratio"]) - 1.2).abs() < 0.01, "{found:#}");
        assert!(number(&found["base"]["centre"]) > 1.9e-6, "{found:#}");
    }
}

#[test]
fn code_that_only_lies_elsewhere_is_told_from_code_that_changed() {
    let sandbox = Sandbox::new();
    // As built head takes 10 % longer; in random layouts, which begin after five duets, it does not.
    sandbox.script.write("beta", "head", "0 time 1100\n5 time 1000");
    let (document, answer) = compared(&sandbox, "base head --layouts 96", 0);
    let found = finding(&document, "beta");
    let told = document.0["diagnostics"].as_array().expect("diagnostics");
    if told.iter().any(|it| it["message"].as_str().is_some_and(|text| text.contains("one code layout"))) {
        return; // The linker here cannot order functions.
    }
    assert_eq!(found["reason"]["code"], "placement_only", "{}\n{found:#}", answer.describe());
    assert_eq!(found["verdict"], "same", "{found:#}");
    assert!((number(&found["reason"]["numbers"]["as_built"]) - 0.1).abs() < 0.01, "{found:#}");
    sandbox.say("show latest").exits(0).prints(&["placement only"]);
}

#[test]
fn a_change_below_the_threshold_explains_itself_once() {
    let sandbox = Sandbox::new();
    sandbox.script.write("alpha", "head", "0 time 1020");
    sandbox.script.write("beta", "head", "0 time 980");
    let answer = sandbox.say("compare base head --seed 7").exits(0);
    let line = "same, though the interval excludes 0: a change below the threshold, or chance";
    assert_eq!(answer.stdout.matches(line).count(), 1, "{}", answer.describe());
    answer.prints(&["± their spread", "same: the whole interval is within ±3%"]);
}
