//! What is written where, and how it looks.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use benchwright_model::Position;
use serde_json::Value;

use crate::document::{Document, compared};
use crate::sandbox::{Answer, Sandbox, finished};

/// A sandbox with one stored comparison in which `beta` is slower.
fn with_comparison() -> (Sandbox, Document) {
    let sandbox = Sandbox::new();
    sandbox.script.write("beta", "head", "0 time 1300");
    let (document, _) = compared(&sandbox, "base head", 3);
    (sandbox, document)
}

fn json(answer: &Answer) -> Value {
    Document::of(answer).0
}

#[test]
fn json_has_a_schema_and_everything_a_program_needs() {
    let (_, Document(document)) = with_comparison();
    assert_eq!(document["schema"], "benchwright.comparison/1");
    assert_eq!(document["run"]["kind"], "compare");
    assert_eq!(document["run"]["seed"], "7");
    assert_eq!(document["run"]["base"]["label"], "base");
    assert_eq!(document["is_partial"], false);
    assert_eq!(document["counts"]["slower"], 1);
    assert_eq!(document["counts"]["benchmarks"], 3);
    let finding = &document["findings"][1];
    assert_eq!(finding["benchmark"]["harness"], "cargo");
    assert_eq!(finding["reason"]["code"], "confirmed");
    assert_eq!(finding["fails"], true);
    assert!(finding["duet_ratios"].as_array().is_some_and(|ratios| ratios.len() >= 10));
}

#[test]
fn endings_of_files_decide_their_format() {
    let sandbox = Sandbox::new();
    sandbox.script.write("beta", "head", "0 time 1300");
    let out = tempfile::tempdir().expect("a directory");
    let beginnings = [
        ("x.html", "<!doctype html>"),
        ("x.json", "{"),
        ("x.md", ""),
        ("x.csv", "harness,"),
        ("x.xml", "<?xml"),
        ("x.txt", "base "),
    ];
    let mut arguments = vec!["compare".to_owned(), "base".to_owned(), "head".to_owned()];
    for (name, _) in beginnings {
        arguments.extend(["--output".to_owned(), out.path().join(name).display().to_string()]);
    }
    sandbox.run(&arguments.iter().map(String::as_str).collect::<Vec<_>>()).exits(3).tells(&["wrote "]);
    for (name, beginning) in beginnings {
        let text = fs::read_to_string(out.path().join(name)).expect(name);
        assert!(text.to_lowercase().starts_with(beginning), "{name}: {text:.80}");
        assert!(text.contains("beta") && text.contains("slower"), "{name}: {text}");
        assert!(!text.contains('\u{1b}'), "{name}");
    }
    let junit = fs::read_to_string(out.path().join("x.xml")).expect("a file");
    assert!(junit.contains("<failure"), "{junit}");
}

#[test]
fn a_file_that_cannot_be_written_does_not_cost_the_result() {
    let sandbox = Sandbox::new();
    sandbox.say("compare base head --output no/such/place/x.html").exits(2).tells(&["no/such/place"]);
    assert_eq!(sandbox.script.started(), Vec::<String>::new(), "known before anything is measured");
    let taken = sandbox.script.0.join("taken.html");
    fs::create_dir(&taken).expect("a directory where the file should be");
    let output = taken.display().to_string();
    let answer = sandbox.run(&["compare", "base", "head", "--filter", "alpha", "--output", &output]).exits(1);
    answer.tells(&["taken.html"]).prints(&["alpha"]);
    assert!(!sandbox.stored("latest").is_partial);
}

#[test]
fn stored_runs_are_listed_and_shown() {
    let (sandbox, document) = with_comparison();
    sandbox.say("show").exits(0).prints(&[&document.run(), "1 slower, 0 faster, 2 same", "base", "head"]);
    let list = json(&sandbox.say("show --format json").exits(0));
    assert_eq!(list["schema"], "benchwright.runs/1");
    assert_eq!(list["runs"][0]["slower"], 1);
    sandbox.say("show latest").exits(0).prints(&["beta", "slower", "1.300 µs", "alpha"]);
    sandbox.run(&["show", &document.run()[..15]]).exits(0);
    let answer = sandbox.say("show no-such-run");
    assert_ne!(answer.code, Some(0));
    answer.tells(&["no-such-run", &document.run()]);
    for format in ["text", "json", "markdown", "csv", "junit", "html", "benchfmt"] {
        sandbox.say(&format!("show latest --format {format}")).exits(0).prints(&["eta"]);
    }
}

#[test]
fn nothing_stored_is_said() {
    let sandbox = Sandbox::new();
    sandbox.say("show").exits(2).tells(&["benchwright compare"]);
}

#[test]
fn exports_are_read_by_benchstat() {
    let (sandbox, _) = with_comparison();
    let answer = sandbox.say("export --format benchfmt").exits(0);
    let answer =
        answer.prints(&["benchwright-side: base", "benchwright-side: head", "BenchmarkBeta\t1\t1300"]);
    let Some(benchstat) = benchwright_testkit::tool("benchstat") else { return };
    let file = sandbox.script.0.join("export.txt");
    fs::write(&file, &answer.stdout).expect("a file");
    let table = finished(Command::new(benchstat).args(["-col", "benchwright-side"]).arg(&file)).exits(0);
    let beta = table.stdout.lines().find(|line| line.starts_with("Beta")).expect("a row");
    assert!(beta.contains("+30") || beta.contains("+29.9"), "{beta}");
}

#[test]
fn one_side_and_single_iterations_can_be_exported() {
    let (sandbox, _) = with_comparison();
    let head = sandbox.say("export latest --side head --iterations").exits(0);
    assert!(!head.stdout.contains("benchwright-side"), "{}", head.describe());
    let duets = sandbox.stored("latest").trials.len() / 2;
    let lines = head.stdout.lines().filter(|line| line.starts_with("Benchmark")).count();
    assert_eq!(lines, duets);
}

#[test]
fn a_run_of_one_version_keeps_every_position() {
    let sandbox = Sandbox::new();
    let answer =
        sandbox.say("run --rev head --levels run=2,iteration=3,second=1 --seed 7 --format json").exits(0);
    let document = json(&answer);
    assert_eq!(document["schema"], "benchwright.levels/1");
    let rows = document["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 3);
    assert!(rows.iter().all(|row| row["processes"] == 6), "{document:#}");
    let mut positions: Vec<Position> =
        sandbox.stored("latest").trials.iter().map(|trial| trial.position).collect();
    positions.sort();
    positions.dedup();
    let expected = (0..2).flat_map(|suite_run| {
        (0..3).map(move |iteration| Position::Levels { instance: 0, suite_run, iteration })
    });
    assert_eq!(positions, expected.collect::<Vec<_>>());
    sandbox.say("export latest --format csv").exits(0).prints(&["processes", "alpha"]);
    sandbox.say("export latest --format html").exits(2).tells(&["text, json, csv, benchfmt"]);
    // libtest prints one value per process, whatever is asked for.
    let answer = sandbox.say("run head --levels run=1,iteration=1,second=2 --filter alpha").exits(2);
    answer
        .tells(&["error: `second=2` is not possible for `scripted/scripted:alpha`", "one value per process"]);
    sandbox.say("run --output x.html").exits(2).tells(&["text, json, csv, benchfmt"]);
    sandbox.say("show").exits(0).prints(&["3 benchmarks, 18 processes"]);
    sandbox.say("show latest").exits(0).prints(&["± between", "gamma"]);
}

#[test]
fn benchmarks_are_listed_without_measuring() {
    let sandbox = Sandbox::new();
    let answer = sandbox.say("list head").exits(0);
    assert_eq!(answer.stdout, "scripted/scripted:alpha\nscripted/scripted:beta\nscripted/scripted:gamma\n");
    let document = json(&sandbox.say("list --format json --filter beta").exits(0));
    assert_eq!(document["schema"], "benchwright.list/1");
    assert_eq!(document["benchmarks"].as_array().map(Vec::len), Some(1));
    assert_eq!(document["benchmarks"][0]["name"], "beta");
    assert_eq!(sandbox.script.started(), Vec::<String>::new());
}

#[test]
fn the_written_configuration_changes_nothing() {
    let (sandbox, before) = with_comparison();
    sandbox.say("init").exits(0).tells(&["benchwright.toml"]);
    sandbox.say("init").exits(2).tells(&["--force"]);
    let (after, answer) = compared(&sandbox, "base head", 3);
    assert_eq!(after.verdicts(), before.verdicts());
    assert_eq!(after.0["run"]["settings"], before.0["run"]["settings"]);
    assert!(!answer.stderr.contains("warning"), "{}", answer.describe());
}

#[test]
fn the_doctor_looks_at_any_machine() {
    let sandbox = Sandbox::new();
    sandbox.say("doctor --time 50ms").exits(0).prints(&["noise floor: "]);
    let document = json(&sandbox.say("doctor --time 50ms --format json").exits(0));
    assert_eq!(document["schema"], "benchwright.doctor/1");
    assert!(document["checks"].as_array().is_some_and(|checks| !checks.is_empty()));
    sandbox.say("doctor --time soon").exits(2);
}

#[test]
fn help_completions_and_the_manual_are_printed() {
    let sandbox = Sandbox::new();
    sandbox.say("completions bash").exits(0).prints(&["_benchwright", "compare"]);
    sandbox.say("man").exits(0).prints(&[".TH benchwright", "compare"]);
    sandbox.say("--help").exits(0).prints(&["compare", "doctor"]);
    sandbox.say("--version").exits(0).prints(&["benchwright "]);
    sandbox.say("compare --help").exits(0).prints(&["--budget", "--resume"]);
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let (sandbox, _) = with_comparison();
    for arguments in [vec!["show", "latest", "--format", "html"], vec!["man"], vec!["completions", "zsh"]] {
        let mut command = sandbox.command(&arguments);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
        let mut line = String::new();
        let stdout = child.stdout.take().expect("a pipe");
        BufReader::with_capacity(16, stdout).read_line(&mut line).expect("a line");
        let output = child.wait_with_output().expect("its end");
        assert_eq!(
            output.status.code(),
            Some(0),
            "{arguments:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn colour_is_for_terminals_or_on_demand() {
    let (sandbox, _) = with_comparison();
    let escapes = |arguments: &str| sandbox.say(arguments).exits(0).stdout.contains('\u{1b}');
    assert!(!escapes("show latest"));
    assert!(escapes("show latest --colour always"));
    assert!(!escapes("show latest --colour never"));
    sandbox.write("benchwright.toml", "colour = \"always\"\n");
    assert!(escapes("show latest"), "the configuration asks for it");
}

#[test]
fn narrow_terminals_get_narrow_tables() {
    let (sandbox, _) = with_comparison();
    let answer = finished(sandbox.command(&["show", "latest"]).env("COLUMNS", "60")).exits(0);
    for line in answer.stdout.lines() {
        assert!(line.chars().count() <= 60, "{line}");
    }
    answer.prints(&["beta", "slower"]);
}

#[test]
fn quiet_says_nothing_but_the_result() {
    let sandbox = Sandbox::new();
    let answer = sandbox.say("--quiet compare base head --filter alpha").exits(0).prints(&["alpha"]);
    assert_eq!(answer.stderr, "");
}
