//! Whether two runs of the same comparison say the same.

use std::fs;

use serde_json::Value;

use crate::document::compared;
use crate::results::{Spread, jmh};
use crate::sandbox::{Answer, Sandbox};

#[track_caller]
fn document(answer: &Answer) -> Value {
    serde_json::from_str(&answer.stdout).unwrap_or_else(|error| panic!("{error}: {}", answer.describe()))
}

/// What is said about a benchmark.
fn benchmark<'a>(document: &'a Value, name: &str) -> &'a Value {
    let all = document["benchmarks"].as_array().expect("benchmarks");
    all.iter().find(|one| one["benchmark"]["name"] == name).expect(name)
}

#[test]
fn stored_runs_agree_where_they_found_the_same() {
    let sandbox = Sandbox::new();
    sandbox.script.write("alpha", "head", "0 time 1100");
    let first = compared(&sandbox, "base head", 3).0.run();
    let again = compared(&sandbox, "base head", 3).0.run();
    let answer = sandbox.say(&format!("agree {first} {again} --format json")).exits(0);
    let found = document(&answer);
    assert_eq!(found["schema"], "benchwright.agreement/1");
    assert_eq!((&found["totals"]["agreement"], &found["totals"]["benchmarks"]), (&1.0.into(), &3.into()));
    assert_eq!(found["totals"]["same_change"], 1);
    assert_eq!(benchmark(&found, "alpha")["first"]["verdict"], "slower");
    assert_eq!(found["is_same_code"], false);

    // The second run finds another change, and not the first's.
    sandbox.script.write("alpha", "head", "0 time 1000");
    sandbox.script.write("beta", "head", "0 time 800");
    let other = compared(&sandbox, "base head", 0).0.run();
    let found = document(&sandbox.say(&format!("agree {first} {other} --format json")).exits(0));
    assert_eq!((&found["totals"]["possible"], &found["totals"]["no_change"]), (&2.into(), &1.into()));
    assert_eq!(benchmark(&found, "beta")["agreement"], "possible");
    let disputed = benchmark(&found, "beta")["disputed_change"].as_f64().expect("a number");
    assert!((disputed - 0.2).abs() < 0.02, "{disputed}");
    let text = sandbox.say(&format!("agree {first} {other}")).exits(0);
    text.prints(&["1 of 3 (33.33%)", "slower / same", "same / faster"]);
    let csv = sandbox.say(&format!("agree {first} {other} --format csv --filter alpha")).exits(0);
    assert_eq!(csv.stdout.lines().count(), 2, "{}", csv.describe());
}

#[test]
fn what_a_run_did_not_measure_is_left_out_and_named() {
    let sandbox = Sandbox::new();
    let first = compared(&sandbox, "base head", 0).0.run();
    sandbox.script.write("alpha", "head", "0 panic out of cheese");
    let second = compared(&sandbox, "base head", 1).0.run();
    let answer = sandbox.say(&format!("agree {first} {second} --format json")).exits(0);
    let found = document(&answer);
    assert_eq!(found["totals"]["benchmarks"], 2, "{found:#}");
    assert!(!answer.stdout.contains("undecided\""), "{}", answer.describe());
    let said = "1 benchmark left out, not measured: scripted/scripted:alpha";
    assert!(answer.stdout.contains(said), "{}", answer.describe());
}

#[test]
fn a_version_against_itself_shows_false_alarms_and_a_run_against_itself_is_named() {
    let sandbox = Sandbox::new();
    let run = compared(&sandbox, "base base", 0).0.run();
    let answer = sandbox.say(&format!("agree {run} latest --wanted-interval 2%")).exits(0);
    answer.prints(&[
        "base and head are the same code: false alarms 0 of 3 (0.00%) in the first run",
        "both names are the same run",
        "intervals of 2% are reached: first 3 of 3 (100.00%), half of these with 5 results",
    ]);
}

#[test]
fn exported_samples_are_a_run_and_medians_need_ten_results() {
    let sandbox = Sandbox::new();
    sandbox.script.write("alpha", "head", "0 time 1100");
    let run = compared(&sandbox, "base head", 3).0.run();
    sandbox.say(&format!("export {run} --format samples-json --output a.json")).exits(0);
    let found = document(&sandbox.say(&format!("agree {run} a.json --format json")).exits(0));
    assert_eq!(found["totals"]["agreement"], 1.0);
    assert_eq!(benchmark(&found, "alpha")["second"]["verdict"], "slower");
    let counted = |side: &str| benchmark(&found, "alpha")[side]["results"].clone();
    assert_eq!(counted("first"), counted("second"));
    // Only the suspect was measured ten times.
    let found = document(&sandbox.say(&format!("agree {run} a.json --by medians --format json")).exits(0));
    assert_eq!(found["totals"]["benchmarks"], 1);
    assert!(found["diagnostics"].to_string().contains("fewer than 10 results"), "{found:#}");
    let all = format!("agree {run} a.json --by medians --min-results 1 --format json");
    assert_eq!(document(&sandbox.say(&all).exits(0))["totals"]["benchmarks"], 3);
}

#[test]
fn four_files_are_two_comparisons() {
    let sandbox = Sandbox::empty();
    for (name, centre) in [("a1", 1.0), ("b1", 1.2), ("a2", 1.0), ("b2", 1.21), ("c2", 0.8)] {
        let text = jmh("org.example.Parse.all", "avgt", "ms/op", &Spread::of(centre, 12, 3));
        fs::write(sandbox.repository.join(format!("{name}.json")), text).expect("a file");
    }
    let found = document(&sandbox.say("agree a1.json b1.json a2.json b2.json --format json").exits(0));
    assert_eq!(found["totals"]["same_change"], 1);
    for by in ["verdicts", "medians"] {
        let say = format!("agree a1.json b1.json a2.json c2.json --format json --by {by}");
        let found = document(&sandbox.say(&say).exits(0));
        assert_eq!((by, &found["totals"]["opposite"]), (by, &1.into()), "{found:#}");
    }
}

#[test]
fn wrong_use_is_named() {
    let sandbox = Sandbox::new();
    sandbox.say("run --rev base --seed 7 --levels run=1,iteration=2").exits(0);
    let levels = sandbox.stored("latest").run.id;
    let run = compared(&sandbox, "base head", 0).0.run();
    fs::write(sandbox.repository.join("half.txt"), crate::results::benchfmt("X", &[1.0, 1.1]))
        .expect("a file");
    let check = |arguments: &str, code: i32, text: &str| {
        sandbox.say(&format!("agree {arguments}")).exits(code).tells(&[text]);
    };
    check(&run, 2, "2");
    check(&format!("{run} {run} {run}"), 2, "expected two or four names, got three");
    check(&format!("{run} {levels}"), 2, "it measured one version");
    check(&format!("{run} 19990101-000000"), 2, "19990101-000000");
    check(&format!("{run} half.txt"), 2, "no base and head in `half.txt`");
    check("half.txt half.txt nothing.txt half.txt", 2, "no file `nothing.txt`");
    check(&format!("{run} {run} --wanted-interval 0"), 2, "--wanted-interval");
    check(&format!("{run} {run} --format junit"), 2, "write the agreement of two runs as junit");
    check(&format!("{run} {run} --filter nothing"), 1, "no benchmark was measured by both runs");
}
