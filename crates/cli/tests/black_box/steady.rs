//! Steady states of recorded processes, and where rules would have stopped.

use std::fs;

use benchwright_formats::warmup::{read_series, read_stops};

use crate::results::{Spread, jmh};
use crate::sandbox::{Answer, Sandbox};

/// Eight whole processes of public JMH suites.
fn excerpt() -> String {
    benchwright_testkit::repository().join("fixtures/jmh-steady/excerpt").display().to_string()
}

fn stops(sandbox: &Sandbox, rule: &str) -> Answer {
    sandbox.run(&["steady", "stops", "--rule", rule, "--data", &excerpt()])
}

/// The rows: last warm-up and last measured iteration.
pub(crate) fn rows(answer: &Answer) -> Vec<(i64, i64)> {
    let mut lines = answer.stdout.lines();
    assert_eq!(lines.next(), Some("system,benchmark,params,fork,last_warmup_it,last_measure_it"));
    let number = |field: Option<&str>| field.and_then(|field| field.parse().ok()).expect("a number");
    lines
        .map(|line| {
            let mut fields = line.rsplit(',');
            let end = number(fields.next());
            (number(fields.next()), end)
        })
        .collect()
}

#[test]
fn every_rule_gives_rows_that_can_be_scored() {
    let sandbox = Sandbox::empty();
    for rule in
        ["learned", "oscnn", "fcn", "rocket", "steady", "fixed", "jmh", "georges", "cv", "rciw", "kld"]
    {
        let answer = stops(&sandbox, rule).exits(0).tells(&["processes would have run"]);
        let rows = rows(&answer);
        assert!((1..=8).contains(&rows.len()), "{rule}: {rows:?}");
        for (warmup, end) in rows {
            assert!(-1 <= warmup && warmup < end && end < 3000, "{rule}: {warmup} {end}");
        }
    }
}

#[test]
fn fixed_configurations_are_replayed_as_the_authors_did() {
    let sandbox = Sandbox::empty();
    let folder = benchwright_testkit::repository().join("fixtures/jmh-steady/excerpt");
    let processes = read_series(&folder.join("series-0.parquet")).expect("processes");
    for (rule, name) in [("jmh", "default"), ("fixed", "dev")] {
        let ours = rows(&stops(&sandbox, rule).exits(0));
        let theirs = read_stops(&folder, name).expect("stops");
        assert_eq!(ours.len(), processes.len(), "{rule}");
        for (process, ours) in processes.iter().zip(ours) {
            let theirs = theirs[&(process.subject.clone(), process.fork)];
            assert_eq!(ours, theirs, "{rule}: {:?}", process.subject);
        }
    }
}

#[test]
fn the_file_is_written_whole_and_wrong_use_is_told() {
    let sandbox = Sandbox::empty();
    let file = sandbox.script.0.join("stops.csv");
    let path = file.display().to_string();
    let arguments = ["steady", "stops", "--rule", "georges", "--data", &excerpt(), "--out", &path];
    let answer = sandbox.run(&arguments).exits(0);
    assert_eq!(answer.stdout, "");
    let text = fs::read_to_string(&file).expect("the file");
    assert_eq!(text, stops(&sandbox, "georges").stdout);
    stops(&sandbox, "guess").exits(2).tells(&["unknown stop rule `guess`", "georges", "rciw"]);
    sandbox
        .run(&["steady", "stops", "--rule", "cv", "--data", "nowhere"])
        .exits(2)
        .tells(&["`nowhere` is not a file or folder"]);
    let empty = sandbox.script.0.display().to_string();
    sandbox
        .run(&["steady", "stops", "--rule", "cv", "--data", &empty])
        .exits(1)
        .tells(&["no `series-*.parquet`", "hint: a row is a process"]);
}

#[test]
fn models_belong_to_the_learned_rule_and_are_trained_on_many_benchmarks() {
    let sandbox = Sandbox::empty();
    let embedded =
        benchwright_testkit::repository().join("crates/steady/weights/rule.bin").display().to_string();
    let with = |rule: &str, models: &str| {
        sandbox.run(&["steady", "stops", "--rule", rule, "--data", &excerpt(), "--models", models])
    };
    assert_eq!(with("learned", &embedded).exits(0).stdout, stops(&sandbox, "learned").stdout);
    with("cv", &embedded).exits(2).tells(&["use models with the rule `cv`", "--rule learned"]);
    with("learned", &format!("{}/subjects.csv", excerpt())).exits(2).tells(&["read weights", "steady train"]);
    with("learned", "nowhere").exits(1).tells(&["nowhere"]);
    let path = sandbox.script.0.join("models.bin").display().to_string();
    let train = sandbox.run(&["steady", "train", "--data", &excerpt(), "--out", &path]).exits(2);
    train.tells(&["cannot train on", "at least 20 benchmarks"]);
    assert!(!std::path::Path::new(&path).exists());
}

#[test]
fn processes_are_drawn_in_the_terminal_and_as_a_page() {
    let sandbox = Sandbox::empty();
    let page = sandbox.script.0.join("page.html");
    let path = page.display().to_string();
    let answer = sandbox.run(&["steady", "show", &excerpt(), "--output", &path, "--limit", "2"]).exits(0);
    let answer =
        answer.prints(&["process ", "iterations", "georges", "warm-up"]).tells(&["6 more processes"]);
    assert!(answer.stdout.contains(['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█']), "{}", answer.describe());
    let html = fs::read_to_string(&page).expect("the page");
    assert_eq!(html.matches("<figure>").count(), 2);
    let table = format!("{}/series-0.parquet", excerpt());
    sandbox.run(&["steady", "show", &table, "--rule", "cv,kld", "-n", "1"]).exits(0).prints(&["kld"]);
    sandbox
        .run(&["steady", "show", &table, "--format", "svg"])
        .exits(2)
        .tells(&["8 processes as one picture"]);
    sandbox.run(&["steady", "show", &table, "--filter", "("]).exits(2).tells(&["--filter"]);
    sandbox
        .run(&["steady", "show", &table, "--filter", "no such thing"])
        .exits(1)
        .tells(&["no process with values"]);
}

#[test]
fn results_of_other_tools_and_stored_runs_are_shown_too() {
    let sandbox = Sandbox::empty();
    let file = sandbox.script.0.join("jmh.json");
    fs::write(&file, jmh("org.Parse.big", "avgt", "ns/op", &Spread::of(1000.0, 2, 80))).expect("a file");
    let path = file.display().to_string();
    let shown = sandbox.run(&["steady", "show", &path]).exits(0);
    shown.prints(&["Parse.big", "process 0", "process 1", "80 iterations"]);
    let svg = sandbox.run(&["steady", "show", &path, "--process", "1", "--format", "svg"]).exits(0);
    assert!(svg.stdout.starts_with("<svg "), "{}", svg.describe());
    sandbox.run(&["import", &path]).exits(0);
    sandbox.run(&["steady", "show", "latest"]).exits(0).prints(&["Parse.big", "80 iterations"]);
    sandbox.run(&["steady", "show", "no-such-run"]).exits(2);
}

#[test]
fn results_of_other_tools_and_stored_runs_are_replayed_and_learnt_from_too() {
    let sandbox = Sandbox::empty();
    let write = |name: &str, mode: &str, unit: &str, value: fn(f64) -> f64| {
        // Six seconds of warm-up, then steady.
        let slow = |i: usize| 1.0 + 60_usize.saturating_sub(i) as f64 / 60.0;
        let process = |p: usize| (0..400).map(|i| value(slow(i) + (i % 7 + p) as f64 * 1e-4)).collect();
        let file = sandbox.script.0.join(name);
        fs::write(&file, jmh("org.Parse.big", mode, unit, &Spread((0..2).map(process).collect())))
            .expect("a file");
        file.display().to_string()
    };
    let times = write("times.json", "avgt", "ms/op", |ms| ms);
    let rates = write("rates.json", "thrpt", "ops/s", |ms| 1000.0 / ms);
    let stops = |data: &str| sandbox.run(&["steady", "stops", "--rule", "steady", "--data", data]).exits(0);
    let of_file = stops(&times);
    assert!(
        rows(&of_file).iter().all(|(warmup, end)| (50..90).contains(warmup) && warmup < end),
        "{}",
        of_file.describe()
    );
    // Rules see times where a rate is measured.
    assert_eq!(rows(&stops(&rates)), rows(&of_file));
    sandbox.run(&["import", &times]).exits(0);
    assert_eq!(stops("latest").stdout, of_file.stdout);
    let shown = sandbox.run(&["steady", "show", &rates, "--process", "0", "--rule", "steady"]).exits(0);
    shown.prints(&["1.000 ms"]);
    let models = sandbox.script.0.join("models.bin").display().to_string();
    sandbox
        .run(&["steady", "train", "--data", "latest", "--out", &models])
        .exits(2)
        .tells(&["at least 20 benchmarks"]);
}

#[test]
fn short_processes_are_drawn_without_a_label() {
    let sandbox = Sandbox::empty();
    let file = sandbox.script.0.join("jmh.json");
    fs::write(&file, jmh("org.Parse.big", "avgt", "ns/op", &Spread::of(1000.0, 1, 10))).expect("a file");
    let shown = sandbox.run(&["steady", "show", &file.display().to_string()]).exits(0);
    shown.prints(&["10 iterations, not labelled", "at least 60 are needed"]);
}

/// Warm-up and end of each process that `steady show` tells for a rule, in order.
fn shown_stops(answer: &Answer, rule: &str) -> Vec<(i64, i64)> {
    let number = |text: &str| text.trim().parse::<i64>().expect("a number");
    let lines = answer.stdout.lines().filter_map(|line| {
        let rest = line.trim_start().strip_prefix(rule)?.trim_start().strip_prefix("warm-up")?;
        let (warmup, rest) = rest.split_once(", end")?;
        Some((number(warmup), number(rest.split_once(':')?.0)))
    });
    lines.collect()
}

#[test]
fn showing_and_replaying_tell_the_same_stops_and_the_classes() {
    let sandbox = Sandbox::empty();
    // Some become faster after 150 iterations, some are steady from the start, the last becomes slower.
    let level = |process: usize, i: usize| match process {
        7 => {
            if i < 150 {
                1.0
            } else {
                1.5
            }
        }
        p if p % 2 == 0 && i < 150 => 2.0,
        _ => 1.0,
    };
    let process = |p: usize| (0..600).map(|i| level(p, i) + (i * 37 % 11 + p) as f64 * 1e-4).collect();
    let file = sandbox.script.0.join("jmh.json");
    let write = |processes: usize| {
        let values = Spread((0..processes).map(process).collect());
        fs::write(&file, jmh("org.Parse.big", "avgt", "ms/op", &values)).expect("a file");
    };
    write(8);
    let path = file.display().to_string();
    for rule in ["learned", "cv", "steady"] {
        let stops = sandbox.run(&["steady", "stops", "--rule", rule, "--data", &path]).exits(0);
        let expected: Vec<(i64, i64)> =
            rows(&stops).iter().map(|(warmup, end)| (warmup + 1, end + 1)).collect();
        let shown = sandbox.run(&["steady", "show", &path, "--rule", rule]).exits(0);
        assert_eq!(shown_stops(&shown, rule), expected, "{rule}: {}", shown.describe());
        // One process alone is shown as it is among all.
        if let Some(last) = expected.get(6) {
            let one = sandbox.run(&["steady", "show", &path, "--rule", rule, "--process", "6"]).exits(0);
            assert_eq!(shown_stops(&one, rule), [*last], "{rule}: {}", one.describe());
        }
    }
    let shown = sandbox.run(&["steady", "show", &path, "--rule", "cv"]).exits(0);
    shown.prints(&[
        "class warmup; all 8 processes: bad inconsistent",
        "class flat; all 8",
        "class slowdown; all 8",
        "would not have run: ",
    ]);
    write(7);
    let page = sandbox.run(&["steady", "show", &path, "--rule", "cv", "--format", "html"]).exits(0);
    page.prints(&["class flat; all 7 processes: good inconsistent", "flat 3, warmup 4"]);
}
