//! Results of other tools in, ours out, and files against each other.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::Stdio;

use benchwright_model::{Position, RunKind};
use serde_json::{Value, json};

use crate::document::Document;
use crate::results::{self, Spread, action_benchmark, bencher_metric, benchfmt, hyperfine, jmh};
use crate::sandbox::{Answer, Sandbox, finished};

/// A sandbox and a directory for files.
struct Files {
    sandbox: Sandbox,
    dir: PathBuf,
}

impl Files {
    fn new() -> Files {
        let sandbox = Sandbox::empty();
        let dir = sandbox.script.0.clone();
        Files { sandbox, dir }
    }

    /// Writes a file and returns its path as text.
    fn write(&self, name: &str, text: &str) -> String {
        let path = self.dir.join(name);
        fs::write(&path, text).expect("a file");
        path.display().to_string()
    }

    fn import(&self, files: &[&str]) -> Answer {
        self.sandbox.run(&[&["import"], files].concat())
    }

    /// Compares two files and returns the document.
    fn compare(&self, base: &str, head: &str, more: &str, code: i32) -> (Document, Answer) {
        let more: Vec<&str> = more.split_whitespace().collect();
        let arguments = [&["compare", base, head, "--format", "json"], more.as_slice()].concat();
        let answer = self.sandbox.run(&arguments).exits(code);
        (Document::of(&answer), answer)
    }
}

fn imports(answer: &Answer) -> Vec<Value> {
    Document::of(answer).0["imports"].as_array().expect("imports").clone()
}

#[test]
fn imported_files_become_runs_that_can_be_shown_and_exported() {
    let files = Files::new();
    let jmh = files.write("jmh.json", &jmh("org.Parse.big", "avgt", "ns/op", &Spread::of(1000.0, 5, 4)));
    let answer = files.import(&[&jmh]).exits(0);
    let answer = answer.prints(&["jmh.json", "jmh-json", "1 benchmark, 5 processes, 20 samples", "run 2"]);
    assert_eq!(answer.stderr, "", "nothing to remark");
    let record = files.sandbox.stored("latest");
    assert_eq!((record.run.kind, record.trials.len()), (RunKind::Imported, 5));
    assert_eq!(record.trials[0].outcome.measurement().expect("values").series[0].values.len(), 4);
    files.sandbox.say("show").exits(0).prints(&["imported: 1 benchmark, 5 processes", "jmh.json"]);
    files.sandbox.say("show latest").exits(0).prints(&["Parse.big", "1.0", "imported from"]);
    let list = Document::of(&files.sandbox.say("show --format json").exits(0)).0;
    assert_eq!(list["runs"][0]["kind"], "import");
    let levels = Document::of(&files.sandbox.say("show latest --format json").exits(0)).0;
    assert_eq!((&levels["kind"], &levels["rows"][0]["processes"]), (&json!("imported"), &json!(5)));
    for format in ["benchfmt", "csv", "json", "samples-json", "samples-csv", "bmf", "github-action-benchmark"]
    {
        let answer = files.sandbox.say(&format!("export latest --format {format}")).exits(0);
        assert!(answer.stdout.contains("big"), "{format}: {}", answer.describe());
    }
}

/// Captured files of every format, and Criterion's folders.
fn captured() -> Vec<PathBuf> {
    let fixtures = benchwright_testkit::repository().join("fixtures");
    let entries =
        |dir: PathBuf| fs::read_dir(dir).expect("a folder").map(|entry| entry.expect("an entry").path());
    let formats = entries(fixtures.join("exchange")).filter(|path| path.is_dir());
    let mut files: Vec<PathBuf> = formats.flat_map(entries).collect();
    files.retain(|path| path.file_name().is_some_and(|name| name != "README.md"));
    files.extend(
        ["0.3.6", "0.5.1", "0.8.2"].map(|version| fixtures.join(format!("cargo/criterion-{version}"))),
    );
    files.sort();
    files
}

#[test]
fn captured_files_of_every_format_go_in_and_out() {
    let files = Files::new();
    let mut formats = std::collections::BTreeSet::new();
    for file in captured() {
        let name = file.display().to_string();
        let answer = files.sandbox.run(&["import", &name, "--format", "json"]);
        assert!(matches!(answer.code, Some(0 | 1)), "{name}: {}", answer.describe());
        let rows = imports(&answer);
        assert!(!rows.is_empty(), "{name}: {}", answer.describe());
        for row in &rows {
            formats.insert(row["format"].as_str().expect("a format").to_owned());
            assert!(row["benchmarks"].as_u64() > Some(0), "{name}: {row}");
        }
        let run = rows[0]["run"].as_str().expect("a run");
        files.sandbox.run(&["show", run]).exits(0);
        for format in ["samples-json", "samples-csv", "parquet", "bmf", "github-action-benchmark", "benchfmt"]
        {
            let out = files.dir.join("out").display().to_string();
            files.sandbox.run(&["export", run, "--format", format, "--output", &out]).exits(0);
            if ["samples-json", "samples-csv", "parquet"].contains(&format) {
                let again = files.sandbox.run(&["import", &out, "--format", "json"]).exits(0);
                for key in ["benchmarks", "processes", "samples", "unknown_structure", "summaries"] {
                    assert_eq!(imports(&again)[0][key], rows[0][key], "{name} as {format}: {key}");
                }
            }
        }
    }
    assert!(formats.len() >= 13, "{formats:?}");
}

#[test]
fn no_captured_file_differs_from_itself() {
    let files = Files::new();
    for file in captured() {
        let name = file.display().to_string();
        let answer = files.sandbox.run(&["compare", &name, &name, "--format", "json"]);
        assert!(matches!(answer.code, Some(0 | 1)), "{name}: {}", answer.describe());
        let document = Document::of(&answer).0;
        let findings = document["findings"].as_array().expect("findings");
        assert!(!findings.is_empty(), "{name}");
        for finding in findings {
            let verdict = finding["verdict"].as_str().expect("a verdict");
            assert!(matches!(verdict, "same" | "undecided"), "{name}: {finding:#}");
        }
    }
}

#[test]
fn a_dry_run_keeps_nothing() {
    let files = Files::new();
    let file = files.write("hyperfine.json", &hyperfine("sleep 1", &[0.1, 0.2, 0.3]));
    let answer = files.sandbox.run(&["import", "--dry-run", &file]).exits(0);
    answer.prints(&["hyperfine", "not kept (--dry-run)"]);
    assert!(!files.sandbox.results().join("benchwright.db").exists());
}

#[test]
fn what_hyperfine_writes_is_imported() {
    let Some(program) = benchwright_testkit::tool("hyperfine") else { return };
    let files = Files::new();
    let file = files.dir.join("hyperfine.json").display().to_string();
    let measured = ["--runs", "3", "--shell", "none", "--export-json", &file, "true"];
    let output = std::process::Command::new(program).args(measured).output().expect("hyperfine starts");
    assert!(output.status.success(), "{output:?}");
    let kept = imports(&files.sandbox.run(&["import", &file, "--format", "json"]).exits(0));
    assert_eq!((kept.len(), &kept[0]["format"]), (1, &"hyperfine".into()));
}

#[test]
fn one_bad_file_does_not_stop_the_others() {
    let files = Files::new();
    let good = files.write("good.txt", &benchfmt("X", &[10.0, 11.0]));
    let foreign = files.write("foreign.json", r#"{"menu": {"id": "file"}}"#);
    let missing = files.dir.join("missing.json").display().to_string();
    let empty = files.write("empty.json", "");
    let answer =
        files.sandbox.run(&["import", &foreign, &good, &missing, &empty, "--format", "json"]).exits(1);
    let kept = imports(&answer);
    assert_eq!(kept.len(), 1);
    assert_eq!(kept[0]["format"], "benchfmt");
    assert!(kept[0]["run"].is_string());
    answer.tells(&["foreign.json", "`menu`", "looked for ", "jmh-json", "missing.json", "empty.json"]);
    assert_eq!(files.sandbox.say("show").exits(0).stdout.lines().count(), 1);
}

#[test]
fn a_cut_file_is_read_as_far_as_it_goes() {
    let files = Files::new();
    let whole = [
        jmh("A.one", "avgt", "ns/op", &Spread::of(10.0, 2, 3)),
        jmh("A.two", "avgt", "ns/op", &Spread::of(10.0, 2, 3)),
    ];
    let both = format!("[{},\n{}]", results::inner(&whole[0]), results::inner(&whole[1]));
    let cut = files.write("cut.json", &both[..both.len() - 120]);
    let answer = files.sandbox.run(&["import", &cut, "--format", "json"]).exits(1);
    assert_eq!(imports(&answer)[0]["benchmarks"], 1);
    // Line and column of the damage.
    let place = answer.stderr.lines().find(|line| line.contains("cut.json:")).expect("a diagnostic");
    let after = place.split("cut.json:").nth(1).expect("a place");
    assert!(after.starts_with(|c: char| c.is_ascii_digit()), "{place}");
}

#[test]
fn several_files_are_several_runs_or_one() {
    let files = Files::new();
    let names: Vec<String> =
        (0..3).map(|i| files.write(&format!("{i}.txt"), &benchfmt("X", &[10.0 + f64::from(i)]))).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    files.import(&names).exits(0);
    assert_eq!(files.sandbox.say("show").exits(0).stdout.lines().count(), 3);
    let joined = [&["import", "--join", "--label", "all of it"], names.as_slice()].concat();
    files.sandbox.run(&joined).exits(0).prints(&["all of it", "1 benchmark, 3 processes, 3 samples"]);
    let record = files.sandbox.stored("latest");
    let positions: Vec<Position> = record.trials.iter().map(|trial| trial.position).collect();
    let expected = [0, 1, 2].map(|suite_run| Position::Levels { instance: 0, suite_run, iteration: 0 });
    assert_eq!(positions, expected);
    assert_eq!(record.run.head.label, "all of it");
}

#[test]
fn the_version_can_be_told() {
    let files = Files::new();
    files.sandbox.commit(&[("x.txt", "x\n".to_owned())], "first");
    let file = files.write("a.txt", &benchfmt("X", &[10.0]));
    files.sandbox.run(&["import", &file, "--version", "first"]).exits(0).prints(&["as first ("]);
    let head = files.sandbox.stored("latest").run.head;
    assert_eq!(head.commit.as_deref(), Some(files.sandbox.git(&["rev-parse", "first"]).trim()));
    files.sandbox.run(&["import", &file, "--version", "no-such"]).exits(2).tells(&["no-such"]);
}

#[test]
fn standard_input_is_a_file_too() {
    let files = Files::new();
    let mut command = files.sandbox.command(&["import", "-"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
    let text = benchfmt("X", &[10.0, 11.0]);
    child.stdin.take().expect("a pipe").write_all(text.as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("its end");
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&output.stdout).contains("standard input: benchfmt"));
}

#[test]
fn two_files_are_compared_by_their_processes() {
    let files = Files::new();
    let with = |score: f64| jmh("org.Parse.big", "avgt", "us/op", &Spread::of(score, 10, 5));
    let base = files.write("base.json", &with(100.0));
    let slower = files.write("slower.json", &with(110.0));
    let same = files.write("same.json", &with(100.02));
    let (document, answer) = files.compare(&base, &slower, "", 3);
    assert_eq!(document.0["rule"]["name"], "processes");
    let finding = &document.0["findings"][0];
    assert_eq!((&finding["verdict"], &finding["reason"]["code"]), (&json!("slower"), &json!("rank_test")));
    assert_eq!(finding["base"]["trials"], 10);
    let ratio = finding["effect"]["ratio"].as_f64().expect("a ratio");
    assert!((ratio - 1.1).abs() < 0.005, "{ratio}");
    assert!(!answer.stderr.contains("one process"), "{}", answer.describe());
    let (document, _) = files.compare(&base, &same, "", 0);
    assert_eq!(document.0["findings"][0]["verdict"], "same");
    files.compare(&base, &slower, "--fail-on never", 0);
    files.compare(&base, &slower, "--threshold 20%", 0);
    let text = files.sandbox.run(&["compare", &base, &slower]).exits(3);
    text.prints(&["base.json", "slower.json", "processes", "10, 10", "slower", "20 processes"]);
}

#[test]
fn throughput_in_a_file_is_better_when_higher() {
    let files = Files::new();
    let with = |score: f64| jmh("org.Parse.big", "thrpt", "ops/ms", &Spread::of(score, 10, 5));
    let base = files.write("base.json", &with(100.0));
    let head = files.write("head.json", &with(120.0));
    let (document, _) = files.compare(&base, &head, "", 0);
    assert_eq!(document.0["findings"][0]["verdict"], "faster");
    let time = files.write("time.json", &jmh("org.Parse.big", "avgt", "us/op", &Spread::of(1.0, 10, 5)));
    files.sandbox.run(&["compare", &base, &time]).exits(1).prints(&["throughput", "time", "not compared"]);
}

#[test]
fn one_process_per_side_is_warned_about_in_every_format() {
    let files = Files::new();
    let with = |score: f64| jmh("org.Parse.big", "avgt", "us/op", &Spread::of(score, 1, 20));
    let base = files.write("base.json", &with(100.0));
    let head = files.write("head.json", &with(150.0));
    let (document, _) = files.compare(&base, &head, "", 0);
    let finding = &document.0["findings"][0];
    assert_eq!(
        (&finding["verdict"], &finding["reason"]["code"]),
        (&json!("undecided"), &json!("one_process"))
    );
    assert!(finding["effect"]["hi"].is_null(), "no interval: {finding:#}");
    let warning = document.0["diagnostics"][0]["message"].as_str().expect("a warning").to_owned();
    assert!(warning.contains("flagged 64.5 % of unchanged benchmarks"), "{warning}");
    for format in ["text", "json", "markdown", "html", "csv", "junit", "benchfmt"] {
        let answer = files.sandbox.run(&["compare", &base, &head, "--format", format]).exits(0);
        let all = format!("{}{}", answer.stdout, answer.stderr).replace('\n', " ");
        assert!(all.contains("one process per side"), "{format}: {}", answer.describe());
    }
    let undecided = files.sandbox.run(&["compare", &base, &head, "--fail-on", "undecided"]);
    undecided.exits(4);
    // Who names a rule gets its answer, and the warning.
    for rule in ["mann-whitney", "t-test", "bootstrap-median", "ci-overlap"] {
        let (document, _) = files.compare(&base, &head, &format!("--rule {rule}"), 3);
        assert_eq!(document.0["findings"][0]["verdict"], "slower", "{rule}");
        assert_eq!(document.0["rule"]["name"], rule);
        assert!(document.0["diagnostics"][0]["message"].as_str().expect("a warning").contains("one process"));
    }
    files.sandbox.run(&["compare", &base, &head, "--rule", "paired"]).exits(2).tells(&["it needs duets"]);
}

#[test]
fn summaries_are_shown_and_never_decided() {
    let files = Files::new();
    for (write, name) in [(bencher_metric as fn(&str, f64) -> String, "bmf"), (action_benchmark, "action")] {
        let base = files.write(&format!("{name}-base.json"), &write("parse", 100.0));
        let head = files.write(&format!("{name}-head.json"), &write("parse", 200.0));
        let (document, _) = files.compare(&base, &head, "", 0);
        let finding = &document.0["findings"][0];
        assert_eq!(
            (&finding["verdict"], &finding["reason"]["code"]),
            (&json!("undecided"), &json!("summary_only"))
        );
        assert_eq!(finding["effect"]["ratio"], 2.0, "{name}");
        files.sandbox.run(&["compare", &base, &head]).exits(0).prints(&["+100", "only a summary"]);
    }
}

#[test]
fn counts_in_files_are_compared_exactly() {
    let files = Files::new();
    let with = |allocations: u32| {
        format!(
            "goos: linux\npkg: example.com/p\nBenchmarkX\t10\t100.5 ns/op\t{allocations} allocs/op\nPASS\n"
        )
    };
    let base = files.write("base.txt", &with(3));
    let head = files.write("head.txt", &with(4));
    let (document, _) = files.compare(&base, &head, "", 0);
    let findings = document.0["findings"].as_array().expect("findings");
    let count = findings.iter().find(|finding| finding["metric"]["name"] == "allocs/op").expect("the count");
    assert_eq!((&count["verdict"], &count["reason"]["code"]), (&json!("slower"), &json!("exact")));
}

#[test]
fn added_and_removed_benchmarks_are_listed() {
    let files = Files::new();
    let base = files.write("base.txt", &[benchfmt("X", &[1.0]), benchfmt("Old", &[1.0])].concat());
    let head = files.write("head.txt", &[benchfmt("X", &[1.0]), benchfmt("New", &[1.0])].concat());
    let (document, _) = files.compare(&base, &head, "", 0);
    assert_eq!(
        (document.names("added"), document.names("removed")),
        (vec!["BenchmarkNew".into()], vec!["BenchmarkOld".into()])
    );
    let other = files.write("other.txt", &benchfmt("Other", &[1.0]));
    let answer = files.sandbox.run(&["compare", &base, &other]).exits(1);
    answer.tells(&["no benchmark is on both sides", "BenchmarkX", "BenchmarkOther"]);
    files.compare(&base, &head, "--filter X", 0);
}

#[test]
fn files_and_revisions_are_told_apart() {
    let files = Files::new();
    files.sandbox.commit(&[("x.txt", "x\n".to_owned())], "data.txt");
    let file = files.write("a.txt", &benchfmt("X", &[1.0]));
    // A name that is neither, but looks like a file.
    let answer = files.sandbox.run(&["compare", "gone.json", &file]).exits(2);
    let answer = answer.tells(&["no file `gone.json`", "not a revision either"]);
    assert!(!answer.stderr.contains("unknown revision"), "{}", answer.describe());
    files
        .sandbox
        .run(&["compare", &file, "data.txt"])
        .exits(2)
        .tells(&["with the revision `data.txt`", "--rev"]);
    files.sandbox.run(&["compare", &file]).exits(2).tells(&["with the working tree"]);
    // A revision of a file's name is one when --rev says so; here it has no benchmarks.
    files.sandbox.write("data.txt", &benchfmt("X", &[1.0]));
    files.sandbox.say("compare data.txt data.txt").exits(0).prints(&["compared with itself"]);
    files.sandbox.say("compare data.txt data.txt --rev").exits(1).tells(&["benchmarks"]);
    // A file that is of no known format says what was looked for.
    let foreign = files.write("notes.md", "# Notes\n");
    files.sandbox.run(&["compare", &file, &foreign]).exits(1).tells(&["notes.md", "looked for ", "pyperf"]);
}

#[test]
fn files_are_compared_outside_of_repositories() {
    let files = Files::new();
    let elsewhere = tempfile::tempdir().expect("a directory");
    let file = |name: &str, value: f64| {
        let path = elsewhere.path().join(name);
        fs::write(&path, jmh("A.b", "avgt", "ns/op", &Spread::of(value, 5, 3))).expect("a file");
    };
    file("a.json", 10.0);
    file("b.json", 20.0);
    let mut command = files.sandbox.command(&["compare", "a.json", "b.json"]);
    let answer = crate::sandbox::finished(command.current_dir(elsewhere.path()));
    answer.exits(3).prints(&["slower", "+100"]);
}

#[test]
fn stored_runs_are_compared_like_files() {
    let files = Files::new();
    let with = |score: f64| jmh("org.Parse.big", "avgt", "us/op", &Spread::of(score, 10, 5));
    let names = [files.write("base.json", &with(100.0)), files.write("head.json", &with(110.0))];
    let answer = files.sandbox.run(&["import", &names[0], &names[1], "--format", "json"]).exits(0);
    let runs: Vec<String> =
        imports(&answer).iter().map(|row| row["run"].as_str().expect("a run").to_owned()).collect();
    let (document, _) = files.compare(&runs[0], &runs[1], "", 3);
    assert_eq!(document.0["findings"][0]["verdict"], "slower");
    files.compare(&names[0], &runs[1], "", 3);
    files.sandbox.run(&["compare", "20200101-000000-0000", &runs[0]]).exits(2).tells(&["20200101"]);
}

#[test]
fn exported_samples_come_back_as_they_were() {
    let sandbox = Sandbox::new();
    sandbox.say("run --rev head --levels run=2,iteration=2,second=1 --seed 7").exits(0);
    let before = sandbox.stored("latest");
    let values = |record: &benchwright_store::RunRecord| {
        let mut all: Vec<(String, Position, Vec<f64>)> = record
            .trials
            .iter()
            .map(|trial| {
                let measurement = trial.outcome.measurement().expect("values");
                let name = trial.benchmark.name.trim_start_matches("Benchmark").to_lowercase();
                (name, trial.position, measurement.series("time").expect("time").values.clone())
            })
            .collect();
        all.sort_by(|a, b| (&a.0, a.1).cmp(&(&b.0, b.1)));
        all
    };
    let file = sandbox.script.0.join("export.any");
    let path = file.display().to_string();
    let measurements = |record: &benchwright_store::RunRecord| {
        let mut all: Vec<_> = record
            .trials
            .iter()
            .map(|trial| (trial.benchmark.clone(), trial.position, trial.outcome.clone()))
            .collect();
        all.sort_by(|a, b| (&a.0, a.1).cmp(&(&b.0, b.1)));
        all
    };
    for format in ["samples-json", "samples-csv", "parquet", "benchfmt"] {
        let run = before.run.id.0.clone();
        sandbox.run(&["export", &run, "--format", format, "--output", &path]).exits(0).tells(&["wrote "]);
        sandbox.run(&["import", &path]).exits(0).prints(&["3 benchmarks, 12 processes, 12 samples"]);
        let after = sandbox.stored("latest");
        assert_ne!(after.run.id, before.run.id);
        if format != "benchfmt" {
            assert_eq!(measurements(&after), measurements(&before), "{format}: bit for bit, with all levels");
            let commit = sandbox.git(&["rev-parse", "head"]);
            assert_eq!(after.run.head.commit.as_deref(), Some(commit.trim()));
        } else {
            let plain = |list: Vec<(String, Position, Vec<f64>)>| {
                list.into_iter().map(|(name, _, values)| (name, values))
            };
            for (after, before) in plain(values(&after)).zip(plain(values(&before))) {
                assert_eq!(after.0, before.0);
                assert!((after.1[0] / before.1[0] - 1.0).abs() < 1e-11, "{format}: {after:?} {before:?}");
            }
        }
    }
}

#[test]
fn a_comparison_exports_both_sides_and_dashboards_get_head() {
    let sandbox = Sandbox::new();
    sandbox.script.write("beta", "head", "0 time 1300");
    sandbox.say("compare base head --seed 7").exits(3);
    let trials = sandbox.stored("latest").trials.len();
    let samples = Document::of(&sandbox.say("export --format samples-json").exits(0)).0;
    assert_eq!(samples["schema"], "benchwright.samples/1");
    assert_eq!(samples["trials"].as_array().map(Vec::len), Some(trials));
    let csv = sandbox.say("export --format samples-csv --side head").exits(0).stdout;
    assert_eq!(csv.lines().count(), trials / 2 + 1);
    assert!(csv.starts_with("run,version,side,"), "{csv}");
    let bmf = Document::of(&sandbox.say("export --format bmf").exits(0)).0;
    let latency = bmf["scripted/scripted:beta"]["latency"]["value"].as_f64().expect("a value");
    assert!((latency / 1300.0 - 1.0).abs() < 0.01, "{bmf:#}");
    let base = Document::of(&sandbox.say("export --format bmf --side base").exits(0)).0;
    let latency = base["scripted/scripted:beta"]["latency"]["value"].as_f64().expect("a value");
    assert!((latency / 1000.0 - 1.0).abs() < 0.01, "{base:#}");
    let action = Document::of(&sandbox.say("export --format github-action-benchmark").exits(0)).0;
    assert_eq!(action[0]["unit"], "ns/op");
    let answer = sandbox.say("export --format github-action-benchmark --better higher").exits(0);
    assert_eq!(answer.stdout.trim(), "[]");
    answer.tells(&["3 metrics are better when lower", "--better lower"]);
    sandbox.say("export --format yaml").exits(2).tells(&["samples-csv", "parquet", "markdown"]);
}

#[test]
fn parquet_holds_every_sample() {
    let sandbox = Sandbox::new();
    sandbox.say("run --rev head --levels run=1,iteration=2,second=1 --seed 7").exits(0);
    let file = sandbox.script.0.join("samples.parquet");
    let path = file.display().to_string();
    sandbox.run(&["export", "--format", "parquet", "--output", &path]).exits(0);
    let bytes = fs::read(&file).expect("a file");
    assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"));
    sandbox.run(&["compare", &path, &path]).exits(0).prints(&["parquet"]);
    fs::write(&file, &bytes[..bytes.len() - 1]).expect("a file");
    sandbox.run(&["import", &path]).exits(1).tells(&["its end is missing or damaged; is it cut?"]);
}

#[test]
fn how_much_of_a_file_is_read_can_be_set() {
    let sandbox = Sandbox::empty();
    let text = "BenchmarkA 1 5 ns/op\nBenchmarkA 1 5 ns/op\nBenchmarkA 1 5 ns/op\nBenchmarkB 1 5 ns/op\n";
    sandbox.write("r.txt", text);
    sandbox.say("import r.txt --dry-run").exits(0);
    let import = |flags: &str, said: &str| {
        let answer = sandbox.say(&format!("import r.txt --dry-run {flags}")).exits(1);
        answer.tells(&[said, "raises this limit"]);
        sandbox.say(&format!("compare r.txt r.txt {flags}")).exits(1);
    };
    import(
        "--max-benchmarks 1",
        "has more than 1 benchmarks, the rest is left out; the setting `max-benchmarks`",
    );
    import("--max-values 2", "BenchmarkA` has more than 2 values and is left out; the setting `max-values`");
    import("--max-file-size 20B", "it is larger than 20 bytes after unpacking; the setting `max-file-size`");
    sandbox.say("import r.txt --dry-run --max-file-size much").exits(2).tells(&["expected a size"]);
    let mut command = sandbox.command(&["import", "r.txt", "--dry-run"]);
    finished(command.env("BENCHWRIGHT_MAX_VALUES", "2")).exits(1).tells(&["BENCHWRIGHT_MAX_VALUES"]);
    // Flags come before the environment and that before the file.
    sandbox.write("benchwright.toml", "max-values = 2\n");
    sandbox.say("import r.txt --dry-run").exits(1);
    sandbox.say("reduce --from r.txt").exits(1);
    sandbox.say("steady show r.txt").exits(1);
    sandbox.say("import r.txt --dry-run --max-values 3").exits(0);
    sandbox.write("benchwright.toml", "max-values = 0\n");
    sandbox.say("import r.txt --dry-run").exits(2).tells(&["benchwright.toml:1:14"]);
}
