//! `benchwright reduce`: files and stored runs in, configurations and plans out.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use benchwright_config::{Goal, Plan, read_plan_text};
use benchwright_model::BenchmarkId;

use crate::document::Document;
use crate::sandbox::{Answer, Sandbox, finished};

const GO: &str =
    "m_id,n,ns_per_op,bed_setup,it_setup,sr_setup,ir_setup,bed_pos,it_pos,sr_pos,ir_pos,b_name\n";

/// A directory of files outside any repository.
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

    fn write(&self, name: &str, text: &str) {
        fs::write(self.dir.join(name), text).expect("a file");
    }

    /// Runs `benchwright reduce` in the directory.
    fn reduce(&self, arguments: &str) -> Answer {
        let mut command = self.sandbox.command(&["reduce"]);
        command.args(arguments.split_whitespace()).current_dir(&self.dir);
        finished(&mut command)
    }
}

/// Rows of three instances, suite runs, iterations and seconds; the value follows from its place, `None` leaves it out.
fn rows(name: &str, value: impl Fn(u32, u32, u32, u32) -> Option<f64>) -> String {
    let mut text = String::new();
    for instance in 1..=3 {
        for run in 1..=3 {
            for iteration in 1..=3 {
                for second in 1..=3 {
                    if let Some(value) = value(instance, run, iteration, second) {
                        let _ = writeln!(
                            text,
                            "0,100,{value},3,3,3,3,{second},{iteration},{run},{instance},{name}"
                        );
                    }
                }
            }
        }
    }
    text
}

/// Small noise that depends on the place alone.
fn calm(instance: u32, run: u32, iteration: u32, second: u32) -> Option<f64> {
    Some(1000.0 + f64::from((instance * 7 + run * 5 + iteration * 3 + second) % 5))
}

fn wild(instance: u32, run: u32, iteration: u32, second: u32) -> Option<f64> {
    Some(1000.0 * (1.0 + 0.2 * f64::from((instance + run * 5 + iteration * 3 + second) % 7)))
}

/// Records of CSV without quotes.
fn records(answer: &Answer) -> Vec<Vec<String>> {
    answer.stdout.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

#[test]
fn a_file_becomes_rows_of_the_reference_and_nothing_else() {
    let files = Files::new();
    let text = [GO, &rows("BenchmarkCalm", calm), &rows("BenchmarkWild", wild)].concat();
    files.write("laaber_x-v1.0-jmh121.csv", &text);
    let answer =
        files.reduce("--from laaber_x-v1.0-jmh121.csv --metric cv --mode prototype --format csv").exits(0);
    let found = records(&answer);
    assert_eq!(
        found[0].join(","),
        "project,metric,benchmark,config,time_s,metric_min,metric_full,avg_min,avg_full,change,ci_lo_min,ci_hi_min,\
         ci_lo_full,ci_hi_full"
    );
    let start = |row: usize| found[row][..5].join(",");
    // Of the two configurations with three values, the more stable one.
    assert!(
        ["x-v1.0,CV,BenchmarkCalm,1/3/1,3", "x-v1.0,CV,BenchmarkCalm,3/1/1,3"].contains(&start(1).as_str())
    );
    assert_eq!(start(2), "x-v1.0,CV,BenchmarkWild,3/3/3,27");
    assert_eq!((found.len(), found[2].len()), (3, 14));
    assert_eq!(answer.stderr, "");
    assert!(!files.dir.join("benchwright.plan.toml").exists());
    // The paper pools instances, counts seconds, and keeps the instances out of the configuration.
    let answer = files.reduce("--from laaber_x-v1.0-jmh121.csv --metric CV --format csv").exits(0);
    assert_eq!(records(&answer)[1][3].split('/').count(), 3);
    let mut stdin = files.sandbox.command(&["reduce", "--from", "-", "--format", "csv"]);
    stdin
        .current_dir(&files.dir)
        .stdin(Stdio::from(fs::File::open(files.dir.join("laaber_x-v1.0-jmh121.csv")).expect("the file")));
    finished(&mut stdin).exits(0).prints(&["standard input,RMAD,BenchmarkCalm"]);
}

#[test]
fn the_language_decides_on_the_metric_and_the_output_says_so() {
    let files = Files::new();
    files.write("go.csv", &[GO, &rows("BenchmarkCalm", calm)].concat());
    let mut java = "m_id,n,ns_per_op,it_setup,fork_setup,it_pos,fork_pos,b_name\n".to_owned();
    for fork in 1..=3 {
        for iteration in 1..=10 {
            let _ = writeln!(
                java,
                "0,5,{},10,3,{iteration},{fork},org.acme.Parse.big",
                100 + (fork * iteration) % 4
            );
        }
    }
    files.write("java.csv", &java);
    files.reduce("--from go.csv").exits(0).prints(&["RMAD for code compiled beforehand", "--metric"]);
    files
        .reduce("--from java.csv")
        .exits(0)
        .prints(&["RCIW3 for code compiled while it runs", "fork/iteration"]);
    let both = files.reduce("--from go.csv java.csv --format csv").exits(0);
    let metrics: Vec<String> = records(&both).iter().skip(1).map(|row| row[..3].join(",")).collect();
    assert_eq!(metrics, ["go,RMAD,BenchmarkCalm", "java,RCIW3,org.acme.Parse.big"]);
}

#[test]
fn bad_input_is_named_and_the_rest_is_reduced() {
    let files = Files::new();
    let gap = |instance, run, iteration, second| match (run, iteration) {
        (2, 2) if instance == 1 => None,
        _ => calm(instance, run, iteration, second),
    };
    let at_start = |value: f64| {
        move |i, r, t, s| if (i, r, t, s) == (1, 1, 1, 1) { Some(value) } else { calm(i, r, t, s) }
    };
    let one_run = |i, r, t, s| if r == 1 { calm(i, r, t, s) } else { None };
    let single = |i, r, t, s| if (i, r, t, s) == (1, 1, 1, 1) { Some(5.0) } else { None };
    let text = [
        GO,
        &rows("BenchmarkGood", calm),
        &rows("BenchmarkGap", gap),
        &rows("BenchmarkZero", at_start(0.0)),
        &rows("BenchmarkNaN", at_start(f64::NAN)),
        &rows("BenchmarkOneRun", one_run),
        &rows("BenchmarkSingle", single),
        &rows("BenchmarkEqual", |_, _, _, _| Some(7.0)),
        &rows("BenchmarkTwice", calm),
        "0,100,1001,3,3,3,3,2,3,3,3,BenchmarkTwice\n",
        "0,100,1001,3,3,3,3,2,3,3,3,BenchmarkBro",
    ]
    .concat();
    files.write("bad.csv", &text);
    for mode in ["paper", "prototype"] {
        let answer =
            files.reduce(&format!("--from bad.csv --metric rmad --mode {mode} --format csv")).exits(1);
        let names: Vec<String> =
            records(&answer).iter().skip(1).map(|row| row[2].replace("Benchmark", "")).collect();
        assert_eq!(names, ["Good", "Gap", "Zero", "NaN", "OneRun", "Equal", "Twice"], "{mode}");
        answer.tells(&[
            "BenchmarkGap: 3 of 81 values are missing, 1 processes are missing completely",
            "left out 1 values of `:BenchmarkZero` that are not positive numbers",
            "left out 1 values of `:BenchmarkNaN` that are not positive numbers",
            "BenchmarkOneRun: was repeated 1 times on the level `suite run` where others were 3 times",
            "error: BenchmarkSingle: cannot be reduced: it has a single repetition",
            "BenchmarkEqual: all 81 values are 7 ns",
            "left out 1 values of `:BenchmarkTwice` whose position is taken by others",
            "the last line has no end",
        ]);
    }
    // The table has the same in it, and says nothing twice.
    let table =
        files.reduce("--from bad.csv").exits(1).prints(&["BenchmarkSingle: cannot be reduced", "Good"]);
    assert_eq!(table.stderr, "");
}

#[test]
fn files_without_levels_say_so() {
    let files = Files::new();
    let fixtures = benchwright_testkit::repository().join("fixtures/exchange");
    let summaries = fixtures.join("bencher-metric-format/two-measures.json");
    files.reduce(&format!("--from {}", summaries.display())).exits(1).tells(&["has only summary numbers"]);
    files.reduce("--from nowhere.csv").exits(2).tells(&["no file `nowhere.csv`"]);
    files.write("garbage.csv", "nothing,to,see\n1,2,3\n");
    files.write("good.csv", &[GO, &rows("BenchmarkGood", calm)].concat());
    files.reduce("--from garbage.csv").exits(1).tells(&["garbage.csv"]);
    files.reduce("--from garbage.csv good.csv --format csv").exits(1).prints(&["good,RMAD,BenchmarkGood"]);
    files.reduce("--from good.csv --filter Nothing").exits(2).tells(&["--filter"]);
}

#[test]
fn wrong_use_is_told_before_anything_is_read() {
    let files = Files::new();
    let check = |arguments: &str, expected: &str| {
        files.reduce(arguments).exits(2).tells(&[expected]);
    };
    check("--from x --metric variance", "variance");
    check("--from x --threshold zero", "--threshold");
    check("--from x --threshold 0", "above zero");
    check("--from x --format junit", "write a reduction as junit");
    check("--from x --output x.xml", "write a reduction as junit");
    check("--plan x --no-plan", "--no-plan");
}

#[test]
fn warmup_is_cut_and_chooses_only_when_asked() {
    let files = Files::new();
    let mut text = "m_id,n,ns_per_op,it_setup,fork_setup,it_pos,fork_pos,b_name\n".to_owned();
    for fork in 1..=3 {
        for iteration in 1..=20 {
            // The first five are slow; the rest hardly varies, within a fork a little more than between forks.
            let value =
                if iteration <= 5 { 2000 + 100 * iteration + 300 * fork } else { 1000 + iteration % 3 };
            let _ = writeln!(text, "0,5,{value},20,3,{iteration},{fork},org.acme.Parse.big");
        }
    }
    files.write("java.csv", &text);
    let config = |arguments: &str| {
        let answer = files.reduce(&format!("--from java.csv --metric cv --format csv {arguments}")).exits(0);
        let row = records(&answer).remove(1);
        (row[3].clone(), row[4].clone())
    };
    assert_eq!(config(""), ("3/20".into(), "60".into()));
    assert_eq!(config("--warmup 5"), ("3/1".into(), "3".into()));
    assert_eq!(config("--warmup 5 --count-warmup"), ("1/3".into(), "3".into()));
    let json = Document::of(&files.reduce("--from java.csv --metric cv --warmup 5 --format json").exits(0)).0;
    assert_eq!(json["benchmarks"][0]["chosen"]["warmup_seconds"], 15.0);
    files.reduce("--from java.csv --warmup 20").exits(1).tells(&["20 that are warm-up"]);
    files.reduce("--from java.csv --warmup some").exits(2).tells(&["expected a number of values or `auto`"]);
}

#[test]
fn warmup_is_cut_by_a_stop_rule_where_code_is_compiled_while_it_runs() {
    let files = Files::new();
    let mut text = "m_id,n,ns_per_op,it_setup,fork_setup,it_pos,fork_pos,b_name\n".to_owned();
    for fork in 1..=3_u32 {
        for iteration in 1..=80_u32 {
            // Slow for ten iterations, in the last fork for twenty.
            let slow = if fork == 3 { 20 } else { 10 };
            let value =
                if iteration <= slow { 4000 + 300 * fork - 100 * iteration } else { 1000 + iteration % 3 };
            let _ = writeln!(text, "0,5,{value},80,3,{iteration},{fork},org.acme.Parse.big");
        }
    }
    files.write("java.csv", &text);
    let json = |more: &str| {
        let arguments = format!("--from java.csv --metric cv --format json {more}");
        Document::of(&files.reduce(&arguments).exits(0)).0
    };
    let (whole, cut) = (json(""), json("--warmup auto"));
    let why = |document: &serde_json::Value| document["benchmarks"][0]["why"].to_string();
    assert_eq!((why(&whole), why(&cut)), ("\"unstable\"".into(), "\"floor\"".into()));
    let note = cut["diagnostics"].to_string();
    assert!(note.contains("warm-up by the rule steady") && note.contains("3 processes"), "{note}");
    // Its time is paid for: at least ten of eighty seconds of every process.
    let warmup = cut["benchmarks"][0]["full"]["warmup_seconds"].as_f64().expect("seconds");
    assert!((40.0..120.0).contains(&warmup), "{warmup}");
    files.reduce("--from java.csv --warmup auto --for compare").exits(0).prints(&["Parse.big"]);
    // Nothing warms up in Go.
    files.write("go.csv", &[GO, &rows("BenchmarkCalm", calm)].concat());
    let go = files.reduce("--from go.csv --warmup auto").exits(0);
    go.prints(&["nothing is compiled while it runs, so nothing was cut"]);
    // What never becomes steady is left whole, and named.
    let mut text = "m_id,n,ns_per_op,it_setup,fork_setup,it_pos,fork_pos,b_name\n".to_owned();
    for iteration in 1..=25_u32 {
        let _ = writeln!(text, "0,5,{},25,1,{iteration},1,org.acme.Parse.wild", 1000 + iteration * 700 % 990);
    }
    files.write("wild.csv", &text);
    files
        .reduce("--from wild.csv --warmup auto")
        .exits(0)
        .prints(&["1 of 1 processes were not steady", "org.acme.Parse.wild"]);
}

#[test]
fn ways_to_choose_are_evaluated_on_the_users_own_versions() {
    let files = Files::new();
    let scaled =
        |times: f64| move |i: u32, r: u32, it: u32, s: u32| calm(i, r, it, s).map(|value| value * times);
    for (version, times) in [("v1", 1.0), ("v2", 1.0), ("v3", 1.1)] {
        let text = [GO, &rows("BenchmarkCalm", scaled(times)), &rows("BenchmarkWild", wild)].concat();
        files.write(&format!("{version}.csv"), &text);
    }
    let all = "--evaluate --from v1.csv v2.csv v3.csv";
    let answer = files.reduce(all).exits(0);
    answer.prints(&[
        "2 benchmarks, measured in v3\n",
        "minimum (mean)",
        "RCIW3",
        "chosen in v1, followed through 2 later versions",
        "µOpTime by RMAD",
    ]);
    let document = Document::of(&files.reduce(&format!("{all} --format json")).exits(0)).0;
    assert_eq!(document["schema"], "benchwright.evaluation/1");
    let way = |at: usize| &document["forward"][at];
    assert_eq!(
        (&way(2)["method"], &way(2)["pairs"][1]["found"]),
        (&"µOpTime".into(), &1.into()),
        "{document}"
    );
    assert_eq!(way(0)["pairs"][0]["found"], 0);
    let outcome = |at: usize| document["outcomes"][at].clone();
    assert_eq!(
        (&outcome(0)["method"], outcome(0)["seconds"].as_f64()),
        (&"minimum (mean)".into(), Some(6.0))
    );
    assert!(outcome(5)["saved_ratio"].as_f64() > Some(0.4), "{document}");
    // One version alone has nothing to follow.
    let one = Document::of(&files.reduce("--evaluate --from v1.csv --format json").exits(0)).0;
    assert_eq!(one["forward"], serde_json::json!([]));
    assert!(!files.dir.join("benchwright.plan.toml").exists());
    files.reduce("--evaluate --for compare --from v1.csv").exits(2).tells(&["plans for stability"]);
    files.reduce("--evaluate --from v1.csv --format csv").exits(2).tells(&["csv"]);
    files.reduce("--evaluate --from v1.csv --plan x.toml").exits(2);
    // Stored runs as well.
    let sandbox = Sandbox::new();
    sandbox.say("run --rev head --levels run=2,iteration=3,second=1 --seed 7").exits(0);
    sandbox.say("reduce --evaluate").exits(0).prints(&["3 benchmarks", "RMAD"]);
    assert!(!sandbox.repository.join("benchwright.plan.toml").exists());
}

#[test]
fn choices_that_are_far_off_are_warned_of() {
    let files = Files::new();
    // The first run is faster than the others and very even: stable, and not the truth.
    let drifting = |_: u32, run: u32, _: u32, second: u32| {
        Some(if run == 1 { 840.0 } else { 1000.0 } + 0.1 * f64::from(second))
    };
    let text = [GO, &rows("BenchmarkDrifts", drifting), &rows("BenchmarkCalm", calm)].concat();
    files.write("go.csv", &text);
    let answer = files.reduce("--from go.csv --plan plan.toml").exits(0);
    answer.prints(&["1 of 2 benchmarks differ by more than 3%", "BenchmarkDrifts (-16", "--evaluate"]);
    let csv = files.reduce("--from go.csv --format csv").exits(0);
    csv.tells(&["warning", "BenchmarkDrifts (-16"]);
    let calm = files.reduce("--from go.csv --filter Calm").exits(0);
    assert!(!calm.stdout.contains("benchmarks differ by"), "{}", calm.describe());
}

#[test]
fn threads_do_not_change_the_result_and_seeds_do_not_change_the_exact() {
    let files = Files::new();
    let all: Vec<String> =
        (0..12).map(|i| rows(&format!("Benchmark{i}"), if i % 3 == 0 { wild } else { calm })).collect();
    files.write("x.csv", &[GO.to_owned(), all.concat()].concat());
    let one = files.reduce("--from x.csv --metric rciw1 --format json --jobs 1").exits(0).stdout;
    assert_eq!(files.reduce("--from x.csv --metric rciw1 --format json --jobs 4").exits(0).stdout, one);
    let exact = |seed: u32| {
        files.reduce(&format!("--from x.csv --metric rciw3 --format csv --seed {seed}")).exits(0).stdout
    };
    assert_eq!(exact(1), exact(2));
}

fn plan(text: &str) -> Plan {
    let (plan, diagnostics) = read_plan_text("plan", text).expect("a plan");
    assert_eq!(diagnostics, []);
    plan
}

#[test]
fn a_stored_run_of_a_real_suite_becomes_a_plan() {
    let sandbox = Sandbox::new();
    sandbox.script.write("gamma", "head", "0 noisy 1000");
    sandbox.say("reduce").exits(2).tells(&["`benchwright run`"]);
    sandbox.say("run --rev head --levels run=3,iteration=4,second=1 --seed 7").exits(0);
    let answer = sandbox.say("reduce --output reduction.html --output reduction.md --format json").exits(0);
    let answer = answer.tells(&["benchwright.plan.toml (3 benchmarks)", "wrote reduction.html"]);
    let document = Document::of(&answer).0;
    assert_eq!(document["sources"][0]["run"], sandbox.stored("latest").run.id.0.as_str());
    let why = |at: usize| document["benchmarks"][at]["why"].as_str().expect("a reason").to_owned();
    assert_eq!([why(0), why(1), why(2)], ["floor", "floor", "unstable"]);
    assert!(document["benchmarks"][2]["forecast"].is_object());
    let text = fs::read_to_string(sandbox.repository.join("benchwright.plan.toml")).expect("a plan");
    let found = plan(&text);
    assert_eq!(found.goal, Goal::Stability { metric: "rmad".into(), threshold: 0.01, mode: "paper".into() });
    let levels = |name: &str| {
        let planned = &found.benchmarks[&id(name)];
        let levels = planned.levels;
        (levels.run * levels.iteration * levels.second, planned.is_stable)
    };
    assert_eq!((levels("alpha"), levels("gamma")), ((3, true), (12, false)));
    let source = found.sources.values().next().expect("a source");
    assert_eq!(source.run.as_deref(), document["sources"][0]["run"].as_str());
    assert!(source.commit.is_some() && source.environment.contains_key("cargo"), "{source:?}");
    let page = fs::read_to_string(sandbox.repository.join("reduction.html")).expect("a page");
    assert!(page.contains("Unstable at full size") && page.contains("gamma"));
}

#[test]
fn plans_are_written_where_asked_and_a_part_is_renewed() {
    let sandbox = Sandbox::new();
    sandbox.say("run --rev head --levels run=2,iteration=3,second=1 --seed 7").exits(0);
    let path = sandbox.repository.join("benchwright.plan.toml");
    sandbox.say("reduce --no-plan").exits(0);
    assert!(!path.exists());
    sandbox.say("reduce --plan elsewhere.toml -q").exits(0);
    assert!(!path.exists() && sandbox.repository.join("elsewhere.toml").exists());
    sandbox.say("reduce --format csv").exits(0).tells(&["wrote", "3 benchmarks"]);
    let whole = plan(&fs::read_to_string(&path).expect("a plan"));
    sandbox
        .say("run --rev head --levels run=3,iteration=3,second=1 --seed 8 --no-plan --filter beta")
        .exits(0);
    sandbox.say("reduce --filter beta").exits(0).tells(&["3 benchmarks"]);
    let renewed = plan(&fs::read_to_string(&path).expect("a plan"));
    assert_eq!((renewed.benchmarks.len(), renewed.sources.len()), (3, 2));
    let sources = |plan: &Plan, name: &str| plan.benchmarks[&id(name)].source.clone();
    assert_eq!(sources(&renewed, "alpha"), sources(&whole, "alpha"));
    assert_ne!(sources(&renewed, "beta"), sources(&whole, "beta"));
    sandbox.say("reduce --filter beta --threshold 2%").exits(2).tells(&["made with other settings"]);
    let runs = Document::of(&sandbox.say("show --format json").exits(0)).0;
    let ids: Vec<&str> =
        runs["runs"].as_array().expect("runs").iter().filter_map(|run| run["id"].as_str()).collect();
    let both = format!("reduce --from {}", ids.join(" "));
    sandbox.say(&both).exits(2).tells(&["in several sets of results"]);
    sandbox.say(&format!("{both} --no-plan --format csv")).exits(0);
}

#[test]
fn plans_for_comparisons_set_the_duets() {
    let sandbox = Sandbox::new();
    sandbox.say("run --rev head --levels run=2,iteration=6,second=1 --seed 7").exits(0);
    let answer = sandbox.say("reduce --for compare --change 5% --power 80% --format json").exits(0);
    let document = Document::of(&answer).0;
    assert_eq!(
        (&document["schema"], &document["power"]),
        (&"benchwright.compare-plan/1".into(), &0.8.into())
    );
    let found = plan(&fs::read_to_string(sandbox.repository.join("benchwright.plan.toml")).expect("a plan"));
    assert_eq!(found.goal, Goal::Compare { change: 0.05, power: 0.8, false_alarms: 0.05 });
    let planned = &found.benchmarks[&id("alpha")];
    let duets = planned.duets.expect("duets");
    assert!(planned.is_stable && duets.floor >= 2 && duets.floor <= duets.cap, "{planned:?}");
    assert_eq!(
        u64::from(planned.levels.iteration),
        document["benchmarks"][0]["duets_cap"].as_u64().expect("a number")
    );
    assert!(duets.cap > planned.levels.iteration, "what is open goes on: {planned:?}");
    for format in ["table", "csv", "markdown", "html"] {
        sandbox.say(&format!("reduce --for compare --no-plan --format {format}")).exits(0).prints(&["alpha"]);
    }
    sandbox.say("reduce --for compare --power 100%").exits(2).tells(&["--power"]);
    sandbox.say("reduce --for compare --budget 0s").exits(2).tells(&["--budget"]);
}

#[test]
fn plans_for_comparisons_come_from_comparisons_and_share_a_budget() {
    let sandbox = Sandbox::new();
    sandbox.script.write("gamma", "base", "0 noisy 1000");
    sandbox.script.write("gamma", "head", "0 noisy 1000");
    sandbox.say("compare base head --seed 7 --min-duets 8 --max-duets 12").exits(0);
    let read =
        || plan(&fs::read_to_string(sandbox.repository.join("benchwright.plan.toml")).expect("a plan"));
    sandbox.say("reduce --for compare").exits(0).prints(&["gamma"]);
    let whole = read();
    let duets = |plan: &Plan, name: &str| plan.benchmarks[&id(name)].duets.expect("duets");
    // The first look of the rule, whatever is planned: an early verdict costs nothing.
    assert_eq!((duets(&whole, "alpha").floor, duets(&whole, "gamma").floor), (5, 5));
    assert!(duets(&whole, "alpha").cap < duets(&whole, "gamma").cap, "{whole:?}");
    assert_eq!(whole.benchmarks[&id("alpha")].iteration_time, Some(Duration::from_millis(10)));
    // A comparison follows it without becoming longer.
    let halves = |arguments: &str| {
        sandbox.say(&format!("compare base head --seed 7 {arguments}")).exits(0);
        sandbox.stored("latest").trials.len()
    };
    let (with, without) = (halves(""), halves("--no-plan"));
    assert!(with <= without, "{with} {without}");
    // A given time is spread over all.
    let json = |arguments: &str| {
        let answer = sandbox.say(&format!("reduce --for compare --no-plan --format json {arguments}"));
        Document::of(&answer.exits(0)).0
    };
    let seconds = |document: &serde_json::Value| -> f64 {
        let all = document["benchmarks"].as_array().expect("benchmarks").iter();
        all.filter_map(|one| one["usual_seconds"].as_f64()).sum()
    };
    let (much, little) = (json("--budget 10m"), json("--budget 3s"));
    assert!(seconds(&little) < seconds(&much), "{} {}", seconds(&little), seconds(&much));
}

#[test]
fn what_is_out_of_date_is_measured_again_and_nothing_else() {
    let sandbox = Sandbox::new();
    sandbox.say("run --levels run=2,iteration=3,second=1 --seed 7").exits(0);
    sandbox.say("reduce").exits(0);
    let path = sandbox.repository.join("benchwright.plan.toml");
    let before = plan(&fs::read_to_string(&path).expect("a plan"));
    assert!(before.benchmarks.values().all(|planned| planned.code.is_some()), "{before:?}");
    sandbox.say("reduce --refresh --dry-run").exits(0).prints(&["the plan is up to date"]);
    sandbox.write("benchwright.toml", "[levels]\nrun = 2\niteration = 2\nsecond = 1\n");
    sandbox.write("benchmarks.txt", "alpha\nbeta\ndelta\n");
    sandbox.say("reduce --refresh --dry-run").exits(0).prints(&["new", "delta", "removed", "gamma"]);
    let started = sandbox.script.started().len();
    sandbox.say("reduce --refresh --seed 8").exits(0).tells(&["wrote"]);
    let after = plan(&fs::read_to_string(&path).expect("a plan"));
    let measured = sandbox.script.started().split_off(started);
    assert!(measured.iter().all(|line| line.starts_with("delta ")) && measured.len() == 4, "{measured:?}");
    assert_eq!(
        after.benchmarks.keys().map(|id| id.name.as_str()).collect::<Vec<_>>(),
        ["alpha", "beta", "delta"]
    );
    assert_eq!(after.benchmarks[&id("alpha")], before.benchmarks[&id("alpha")]);
    let levels = after.benchmarks[&id("delta")].levels;
    assert_eq!(
        levels.run * levels.iteration * levels.second,
        4,
        "three repetitions do not fit into two levels of two"
    );
}

fn id(name: &str) -> BenchmarkId {
    BenchmarkId::new("cargo", "scripted/scripted", name)
}

#[test]
fn comparisons_have_no_levels() {
    let sandbox = Sandbox::new();
    sandbox.say("compare base head --rule mann-whitney --duets 2 --seed 7").exits(0);
    sandbox.say("reduce").exits(2).tells(&["no complete stored run of one version"]);
    sandbox.say("reduce --from latest").exits(2).tells(&["it is a comparison and has no levels"]);
}

/// The authors' own data: every line of the reference, as the test of `analysis` checks it in depth; here the way from file to line.
#[test]
fn the_reference_of_the_prototype_is_reproduced_line_by_line() {
    let Some(folder) = benchwright_testkit::data("uoptime") else { return };
    let reference =
        fs::read_to_string(folder.join("reference/minimal-configurations.csv")).expect("the reference");
    let sandbox = Sandbox::empty();
    let files = [
        "go/prometheus-v0.35.0.csv.gz",
        "go/prometheus-v0.37.0.csv.gz",
        "java-ese21/laaber_bytebuddy-01_10_07-jmh121.csv.gz",
    ];
    for (file, metric) in files.iter().flat_map(|file| [(file, "CV"), (file, "RMAD")]) {
        let path = folder.join(file).display().to_string();
        let answer = sandbox
            .run(&[
                "reduce",
                "--from",
                &path,
                "--metric",
                &metric.to_lowercase(),
                "--mode",
                "prototype",
                "--format",
                "csv",
            ])
            .exits(0);
        let mut lines = answer.stdout.lines();
        assert_eq!(lines.next(), reference.lines().next());
        for line in lines {
            // Without the intervals, which the prototype resamples.
            let exact = line.rsplitn(5, ',').last().expect("columns");
            assert!(
                reference.lines().any(|known| known.starts_with(&format!("{exact},"))),
                "{file} {metric}: {line}"
            );
        }
    }
}
