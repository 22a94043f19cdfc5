//! Recorded processes that are damaged, or no times at all: they are named, and the others are replayed, shown and learnt from.

use std::fs;
use std::path::{Path, PathBuf};

use crate::results::{Spread, jmh};
use crate::sandbox::{Answer, Sandbox};
use crate::steady::rows;

/// Processes whose values are odd: constant, no numbers, too few, a million.
const ODD: &str = "series-0.parquet";
/// Rows of which most are no processes.
const BAD_ROWS: &str = "series-1.parquet";
/// 22 benchmarks with two processes each, as they should be.
const GOOD: &str = "series-2.parquet";

/// A folder with some of the tables of the fixture.
fn folder(sandbox: &Sandbox, name: &str, tables: &[&str]) -> PathBuf {
    let folder = sandbox.script.0.join(name);
    fs::create_dir(&folder).expect("a folder");
    for table in tables {
        fs::copy(fixture(table), folder.join(table)).expect("a copy");
    }
    folder
}

fn fixture(table: &str) -> PathBuf {
    benchwright_testkit::repository().join("fixtures/jmh-steady/bad").join(table)
}

/// Half a table, and a configuration that is none.
fn damage(folder: &Path) {
    let bytes = fs::read(fixture(GOOD)).expect("a table");
    fs::write(folder.join("series-3.parquet"), &bytes[..bytes.len() / 2]).expect("a file");
    fs::write(folder.join("subjects.csv"), "system,benchmark,params,w,r,wi,i,f\ns,b,,1.0,x,5,5,3\n")
        .expect("a file");
}

fn stops(sandbox: &Sandbox, rule: &str, folder: &Path) -> Answer {
    sandbox.run(&["steady", "stops", "--rule", rule, "--data", &folder.display().to_string()])
}

fn train(sandbox: &Sandbox, folder: &Path) -> (Answer, PathBuf) {
    let models = sandbox.script.0.join("models.bin");
    let _ = fs::remove_file(&models);
    let (data, out) = (folder.display().to_string(), models.display().to_string());
    (sandbox.run(&["steady", "train", "--data", &data, "--out", &out]), models)
}

#[test]
fn odd_processes_are_replayed_by_every_rule_and_named() {
    let sandbox = Sandbox::empty();
    let folder = folder(&sandbox, "odd", &[ODD]);
    for rule in ["learned", "oscnn", "fcn", "rocket", "steady", "jmh", "georges", "cv", "rciw", "kld"] {
        let answer = stops(&sandbox, rule, &folder).exits(0).tells(&[
            "warning: value 17 of `bad.Series.nan` fork 0 is NaN, which is not a time: rules take such an iteration for unsteady; \
             3 more processes have such values",
            "warning: `bad.Series.nothing` fork 0 has no values",
            "11 processes would have run",
            "to the end of the recording",
        ]);
        for (row, (warmup, end)) in rows(&answer).into_iter().enumerate() {
            assert!(-1 <= warmup && warmup < end, "{rule}, row {row}: {warmup} {end}");
        }
        // All but the one without values.
        assert_eq!(rows(&answer).len(), 10, "{rule}");
    }
}

#[test]
fn odd_processes_are_drawn_with_what_can_be_said_about_them() {
    let sandbox = Sandbox::empty();
    let folder = folder(&sandbox, "odd", &[ODD]).display().to_string();
    let page = sandbox.script.0.join("page.html");
    let path = page.display().to_string();
    let answer = sandbox.run(&["steady", "show", &folder, "--limit", "20", "--output", &path]).exits(0);
    answer.prints(&[
        "bad.Series.constant, process 0\n  steady from the start of 3000 iterations",
        "all values are the same",
        "not labelled: cannot label a series whose value 17 is NaN",
        "whose value 40 is -0.000001",
        "whose value 0 is 0",
        "whose value 300 is inf",
        "30 iterations, not labelled: cannot label a series of 30 values: at least 60 are needed",
        "0 iterations, not labelled",
        "operations take longer than 0.1 s",
        "steady from iteration 199800 of 1000000",
        "means of 100 consecutive values",
    ]);
    let html = fs::read_to_string(&page).expect("the page");
    assert_eq!(html.matches("<figure>").count(), 11);
    assert!(html.len() < 1_000_000, "a million values are drawn in a picture's width: {}", html.len());
    assert!(!html.contains("NaN\"") && !html.contains("inf\""), "no coordinate is no number");
}

#[test]
fn training_says_what_it_leaves_out() {
    let sandbox = Sandbox::empty();
    let (answer, models) = train(&sandbox, &folder(&sandbox, "mixed", &[ODD, GOOD]));
    answer.exits(0).tells(&[
        "is NaN, which is not a time: its process is not used for training; 3 more processes have such values",
        "left out: 4 processes with values that are not times",
        "left out: 2 processes with fewer than 200 iterations",
        "left out: 4 processes alone in their benchmark",
        "trained on 44 of 55 processes of 22 benchmarks, 44 of them steady at some time",
    ]);
    let with_odd = fs::read(&models).expect("models");
    let (answer, models) = train(&sandbox, &folder(&sandbox, "good", &[GOOD]));
    answer.exits(0);
    assert!(with_odd == fs::read(&models).expect("models"), "what is left out changes nothing");
    // These processes are steady after a few seconds without exception, and models that saw nothing else know it.
    let (good, own) = (sandbox.script.0.join("good"), models.display().to_string());
    let data = good.display().to_string();
    let with_own = ["steady", "stops", "--rule", "learned", "--data", &data, "--models", &own];
    let with_own = rows(&sandbox.run(&with_own).exits(0));
    let built_in = rows(&stops(&sandbox, "learned", &good).exits(0));
    assert!(with_own.len() == built_in.len() && with_own != built_in, "{with_own:?}");
    let (answer, models) = train(&sandbox, &folder(&sandbox, "only odd", &[ODD]));
    answer.exits(2).tells(&["cannot train on 0 benchmarks", "at least 20 benchmarks"]);
    assert!(!models.exists());
}

#[test]
fn what_cannot_be_read_is_named_and_the_rest_is_done() {
    let sandbox = Sandbox::empty();
    let folder = folder(&sandbox, "damaged", &[ODD, BAD_ROWS, GOOD]);
    damage(&folder);
    let told = [
        "series-1.parquet`: it has no `fork`; 7 more rows of it are left out, too\n  hint: the other rows are used",
        "cannot read the Parquet file `",
        "series-3.parquet`: ",
        "hint: its processes are left out",
        "cannot read row 2 of `",
        "subjects.csv`: a number is none\n  hint: the rule `fixed` needs it, others do not",
    ];
    let answer = stops(&sandbox, "cv", &folder).exits(1).tells(&told);
    assert_eq!(rows(&answer).len(), 10 + 2 + 44, "{}", answer.describe());

    let answer = stops(&sandbox, "learned", &folder).exits(1).tells(&told).tells(&[
        "cannot replay `bad.Rows.longIterations`: cannot use a trained rule: iterations take 1 s",
        "or take another rule",
    ]);
    assert_eq!(rows(&answer).len(), 10 + 1 + 44, "{}", answer.describe());

    let answer = stops(&sandbox, "fixed", &folder)
        .exits(2)
        .tells(&told)
        .tells(&["cannot replay `bad.Series.constant`", "what the developers configured is not known"]);
    assert_eq!(answer.stdout, "");

    let path = folder.display().to_string();
    let shown = sandbox.run(&["steady", "show", &path, "--filter", "Warm.b0|sensible", "--rule", "cv"]);
    let shown = shown.exits(1).tells(&told).prints(&["good.Warm.b00, process 1", "bad.Rows.sensible"]);
    assert_eq!(shown.stdout.matches(", process ").count(), 20, "{}", shown.describe());

    let (answer, models) = train(&sandbox, &folder);
    let answer = answer.exits(1).tells(&told[..4]);
    answer
        .tells(&["left out: 1 processes whose iterations are not of 0.1 s", "trained on 44 of 57 processes"]);
    assert!(models.exists());
}

#[test]
fn a_folder_without_a_readable_table_is_an_error() {
    let sandbox = Sandbox::empty();
    let folder = folder(&sandbox, "broken", &[]);
    let empty = folder.display().to_string();
    let without_tables = ["no `series-*.parquet`", "hint: a row is a process"];
    stops(&sandbox, "cv", &folder).exits(1).tells(&without_tables);
    train(&sandbox, &folder).0.exits(1).tells(&without_tables);
    sandbox.run(&["steady", "show", &empty]).exits(1).tells(&[&empty]);

    damage(&folder);
    let told = ["cannot read the Parquet file `", "series-3.parquet`", "no process with values"];
    assert_eq!(stops(&sandbox, "cv", &folder).exits(1).tells(&told).stdout, "");
    assert_eq!(sandbox.run(&["steady", "show", &empty]).exits(1).tells(&told).stdout, "");
    let (answer, models) = train(&sandbox, &folder);
    answer.exits(2).tells(&told[..2]).tells(&["cannot train on 0 benchmarks"]);
    assert!(!models.exists());
}

#[test]
fn broken_results_of_other_tools_are_an_error_and_odd_values_are_named() {
    let sandbox = Sandbox::empty();
    let file = sandbox.script.0.join("jmh.json");
    let path = file.display().to_string();
    let whole = jmh("org.Parse.big", "avgt", "ns/op", &Spread::of(1000.0, 2, 80));
    fs::write(&file, &whole[..whole.len() / 2]).expect("a file");
    let answer = sandbox.run(&["steady", "show", &path]).exits(1).tells(&["error: ", "jmh.json"]);
    assert_eq!(answer.stdout, "");
    fs::write(&file, "{").expect("a file");
    sandbox.run(&["steady", "show", &path]).exits(1).tells(&["jmh.json"]);
    fs::write(&file, "").expect("a file");
    sandbox.run(&["steady", "show", &path]).exits(1).tells(&["jmh.json"]);
    let mut values = Spread::of(1000.0, 2, 80);
    values.0[1][3] = -5.0;
    fs::write(&file, jmh("org.Parse.big", "avgt", "ns/op", &values)).expect("a file");
    let shown = sandbox.run(&["steady", "show", &path]).exits(0);
    shown
        .tells(&["left out 1 values of `org:Parse.big` that are not positive numbers"])
        .prints(&["process 0\n  steady from the start of 80", "process 1\n  steady from the start of 79"]);
}
