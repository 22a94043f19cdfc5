//! Runs and comparisons that follow a plan, and what they say when it is out of date.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use benchwright_harness::Project;
use benchwright_model::{BenchmarkId, Position};
use serde_json::Value;

use crate::document::{Document, compared};
use crate::go;
use crate::sandbox::{Sandbox, wait_for};

/// An entry of a plan: a benchmark of the scripted suite, its levels, and more lines.
struct Entry<'a>(&'a str, [u32; 3], &'a str);

const STABILITY: &str = "for = \"stability\"\nmetric = \"cv\"\nthreshold = 0.01\n";

/// The text of a plan of the scripted suite.
fn plan(goal: &str, entries: &[Entry<'_>]) -> String {
    plan_of("cargo", "scripted/scripted", goal, entries)
}

fn plan_of(harness: &str, package: &str, goal: &str, entries: &[Entry<'_>]) -> String {
    let mut text = format!("format = 1\n\n[goal]\n{goal}\n[source.full]\nversion = \"base\"\n");
    for Entry(name, [run, iteration, second], more) in entries {
        text.push_str(&format!(
            "\n[[benchmark]]\nharness = \"{harness}\"\npackage = \"{package}\"\nname = \"{name}\"\nsource = \"full\"\n\
             levels = {{ run = {run}, iteration = {iteration}, second = {second} }}\nstable = true\n\
             seconds = 2.0\nfull-seconds = 30.0\n{more}\n"
        ));
    }
    text
}

/// How many processes the latest run has of each benchmark, by suite run.
fn processes(sandbox: &Sandbox) -> BTreeMap<String, BTreeMap<u32, u32>> {
    let mut found: BTreeMap<String, BTreeMap<u32, u32>> = BTreeMap::new();
    for trial in sandbox.stored("latest").trials {
        let Position::Levels { suite_run, .. } = trial.position else { panic!("{:?}", trial.position) };
        *found.entry(trial.benchmark.name).or_default().entry(suite_run).or_default() += 1;
    }
    found
}

fn expected(counts: &[(&str, u32, u32)]) -> BTreeMap<String, BTreeMap<u32, u32>> {
    let of = |runs: u32, each: u32| (0..runs).map(|run| (run, each)).collect();
    counts.iter().map(|(name, runs, each)| ((*name).to_owned(), of(*runs, *each))).collect()
}

const LEVELS: &str = "[levels]\nrun = 2\niteration = 3\nsecond = 1\n";

#[test]
fn a_run_follows_the_plan_exactly_and_new_benchmarks_run_in_full() {
    let sandbox = Sandbox::new();
    sandbox.write("benchwright.toml", LEVELS);
    let text = plan(STABILITY, &[Entry("alpha", [1, 4, 1], ""), Entry("beta", [3, 1, 1], "")]);
    sandbox.write("benchwright.plan.toml", &text);
    let answer = sandbox.say("run --rev base --seed 7").exits(0);
    answer.tells(&[
        "following benchwright.plan.toml: 2 of 3 benchmarks, about ",
        " instead of 1m ",
        "not in the plan, so measured in full: scripted/scripted:gamma",
        "benchwright reduce --refresh",
    ]);
    assert_eq!(processes(&sandbox), expected(&[("alpha", 1, 4), ("beta", 3, 1), ("gamma", 2, 3)]));
    assert!(sandbox.stored("latest").run.settings.contains_key("plan"));

    // Nothing but the plan decides: the whole is 2 x 3, a quick look 1 x 5.
    sandbox.say("run --rev base --full --iteration-time 1ms --seed 7").exits(0);
    assert_eq!(processes(&sandbox), expected(&[("alpha", 2, 3), ("beta", 2, 3), ("gamma", 2, 3)]));
    let answer = sandbox.say("run --rev base --no-plan --seed 7").exits(0);
    assert!(!answer.stderr.contains("plan"), "{}", answer.describe());
    assert_eq!(processes(&sandbox), expected(&[("alpha", 1, 5), ("beta", 1, 5), ("gamma", 1, 5)]));
    let other = plan(STABILITY, &["alpha", "beta", "gamma"].map(|name| Entry(name, [1, 2, 1], "")));
    sandbox.write("other.toml", &other);
    sandbox
        .say("run --rev base --plan other.toml --seed 7")
        .exits(0)
        .tells(&["following other.toml: 3 benchmarks"]);
    assert_eq!(processes(&sandbox), expected(&[("alpha", 1, 2), ("beta", 1, 2), ("gamma", 1, 2)]));
}

#[test]
fn what_a_plan_means_is_shown_before_it_is_done() {
    let sandbox = Sandbox::new();
    sandbox.write("benchwright.toml", LEVELS);
    let duets = "duets = { floor = 8, cap = 12 }";
    sandbox.write("benchwright.plan.toml", &plan(STABILITY, &[Entry("alpha", [1, 4, 1], duets)]));
    sandbox
        .say("run --rev base --dry-run")
        .exits(0)
        .tells(&[
            "following benchwright.plan.toml: 1 of 3 benchmarks",
            "scripted/scripted:beta, scripted/scripted:gamma",
        ])
        .prints(&[
            "scripted/scripted:alpha  1 x 4 processes x 1 sample, about 2.0 s instead of 30 s",
            "16 processes",
        ]);
    sandbox
        .say("compare base head --dry-run")
        .exits(0)
        .tells(&["following benchwright.plan.toml: 1 of 3 benchmarks, about "])
        .prints(&["scripted/scripted:alpha  100 ms per process, 8 to 12 duets"]);
    assert_eq!(sandbox.script.started(), Vec::<String>::new(), "nothing is measured");
}

/// Duets by benchmark.
fn duets(document: &Value) -> BTreeMap<String, usize> {
    let findings = document["findings"].as_array().expect("findings").iter();
    let count = |finding: &Value| finding["duet_ratios"].as_array().expect("duets").len();
    findings
        .map(|finding| (finding["benchmark"]["name"].as_str().expect("a name").to_owned(), count(finding)))
        .collect()
}

#[test]
fn a_comparison_takes_its_duets_from_the_plan_as_the_rule_demands() {
    let sandbox = Sandbox::new();
    let with_duets = "duets = { floor = 8, cap = 12 }";
    let entries = [Entry("alpha", [1, 4, 1], ""), Entry("beta", [1, 11, 1], with_duets)];
    sandbox.write("benchwright.plan.toml", &plan(STABILITY, &entries));
    let check = |arguments: &str, expected: &[(&str, usize)]| {
        let (document, _) = compared(&sandbox, &format!("base head {arguments}"), 0);
        let expected = expected.iter().map(|(name, n)| ((*name).to_owned(), *n)).collect();
        assert_eq!(duets(&document.0), expected, "{arguments}");
        document
    };
    // The default rule stops by itself, but not before the floor of a plan made for comparing.
    let document = check("", &[("alpha", 5), ("beta", 10), ("gamma", 5)]);
    check("--min-duets 7", &[("alpha", 7), ("beta", 7), ("gamma", 7)]);
    check("--no-plan", &[("alpha", 5), ("beta", 5), ("gamma", 5)]);
    // A fixed-sample rule takes the planned number of processes, and what is planned for stability says nothing about comparisons.
    check("--rule t-test --duets 9", &[("alpha", 9), ("beta", 9), ("gamma", 9)]);
    check("--rule t-test --filter alpha|beta", &[("alpha", 30), ("beta", 11)]);
    // Deciding again from the store keeps to the limits as well.
    let again = sandbox.say(&format!("show {} --recompute --format json", document.run())).exits(0);
    let again = Document::of(&again);
    assert_eq!((duets(&again.0), again.reasons()), (duets(&document.0), document.reasons()));
}

/// How many values the halves of a comparison's first duet have. How long later ones are depends on what setting up costs, and so
/// on the load of the machine.
fn lengths(sandbox: &Sandbox, arguments: &str) -> BTreeSet<usize> {
    sandbox.say(&format!("compare base head --seed 7 --filter Fill {arguments}"));
    let trials = sandbox.stored("latest").trials;
    let first = trials.iter().filter(|trial| matches!(trial.position, Position::Duet { index: 0, .. }));
    first.filter_map(|trial| Some(trial.outcome.measurement()?.main()?.values.len())).collect()
}

#[test]
fn a_plan_never_makes_the_trials_of_a_comparison_longer() {
    let Some(sandbox) = go::sandbox() else { return };
    let fill = "BenchmarkFill";
    let fixed = "--rule t-test --duets 2";
    let paired = "--min-duets 2 --max-duets 2";
    let with = |goal: &str, more: &str, arguments: &str| {
        let text = plan_of("go", "example.com/steps", goal, &[Entry(fill, [2, 3, 5], more)]);
        sandbox.write("benchwright.plan.toml", &text);
        lengths(&sandbox, arguments)
    };
    let usual = lengths(&sandbox, fixed);
    assert_eq!(usual, BTreeSet::from([10]));
    // The default rule's first duets are short.
    let short = lengths(&sandbox, paired);
    assert_eq!(short, BTreeSet::from([3]));
    // Made for stability, five times a second per process.
    assert_eq!(with(STABILITY, "", fixed), usual);
    assert_eq!(with(STABILITY, "", paired), short);
    let answer = sandbox.say("compare base head --dry-run").exits(0);
    answer.tells(&["benchwright.plan.toml applies to `run` only", "`reduce --for compare`"]);
    // Made for comparing: shorter trials are taken, longer ones are not.
    const COMPARE: &str = "for = \"compare\"\nchange = 0.05\npower = 0.9\nfalse-alarms = 0.05\n";
    assert_eq!(with(COMPARE, "iterations = 3", fixed), usual, "three seconds are longer");
    let ten_ms = |iterations: u32| format!("iterations = {iterations}\niteration-time = \"10ms\"");
    assert_eq!(with(COMPARE, &ten_ms(5), fixed), BTreeSet::from([5]));
    assert_eq!(with(COMPARE, &ten_ms(5), paired), short, "the first duets are shorter still");
    assert_eq!(with(COMPARE, &ten_ms(2), paired), BTreeSet::from([2]));
}

#[test]
fn a_plan_for_benchmarks_that_are_gone_is_not_followed_and_says_so() {
    let sandbox = Sandbox::new();
    let entries = [Entry("omega", [1, 2, 1], ""), Entry("psi", [1, 2, 1], "")];
    sandbox.write("benchwright.plan.toml", &plan(STABILITY, &entries));
    let gone = "none of its benchmarks is in this version, so it is not followed: scripted/scripted:omega, scripted/scripted:psi";
    for command in ["run --rev base --dry-run", "compare base head --dry-run"] {
        let answer = sandbox.say(command).exits(0).tells(&[gone, "warning", "benchwright reduce"]);
        assert!(!answer.stderr.contains("following"), "{}", answer.describe());
    }
    // Asked for others, the plan is none of the matter.
    let answer = sandbox.say("run --rev base --dry-run --harness cargo --filter alpha").exits(0);
    assert!(!answer.stderr.contains("omega"), "{}", answer.describe());
    sandbox.say("reduce --refresh --dry-run --filter omega").exits(0).prints(&["removed"]);
}

#[test]
fn what_is_out_of_date_is_named_with_what_to_do() {
    let sandbox = Sandbox::new();
    sandbox.script.write("beta", "base", "0 noisy 1000");
    let text = plan(
        STABILITY,
        &[
            Entry("alpha", [1, 2, 1], "code = \"file:0000000000000000\""),
            Entry("beta", [1, 8, 1], ""),
            Entry("gamma", [1, 2, 1], ""),
            Entry("omega", [1, 2, 1], ""),
        ],
    );
    let elsewhere = text.replace(
        "[source.full]\nversion = \"base\"\n",
        "[source.full]\nversion = \"base\"\n[source.full.environment]\ncpu = \"Another CPU\"\n",
    );
    sandbox.write("benchwright.plan.toml", &elsewhere);
    sandbox.say("run --rev base --seed 7").exits(0).tells(&[
        "in the plan, but not in this version: scripted/scripted:omega",
        "changed since the plan was made: scripted/scripted:alpha\n",
        "planned with cpu `Another CPU`, here it is `",
        "less stable than the plan demands (cv at most 0.01): scripted/scripted:beta (0.",
        "hint: `benchwright reduce --refresh`",
    ]);
    let notes = sandbox.stored("latest").diagnostics;
    assert!(notes.iter().any(|note| note.message.contains("less stable")), "{notes:?}");

    sandbox.write("benchwright.plan.toml", &text);
    let (document, _) = compared(&sandbox, "base head", 0);
    let told = document.0["diagnostics"].to_string();
    assert!(told.contains("changed since the plan was made: scripted/scripted:alpha"), "{told}");
    assert!(!told.contains("cpu"), "{told}");
}

#[test]
fn a_plan_that_is_wrong_is_shown_in_its_line_and_one_wrong_entry_loses_only_itself() {
    let sandbox = Sandbox::new();
    sandbox.write("benchwright.toml", LEVELS);
    let text = plan(STABILITY, &[Entry("alpha", [1, 4, 1], ""), Entry("beta", [0, 1, 1], "")]);
    sandbox.write("benchwright.plan.toml", &text);
    sandbox
        .say("run --rev base --seed 7 --filter alpha|beta")
        .exits(0)
        .tells(&["benchwright.plan.toml:27:18: the entry of `scripted/scripted:beta` is left out"]);
    assert_eq!(processes(&sandbox), expected(&[("alpha", 1, 4), ("beta", 2, 3)]));
    sandbox.write("benchwright.plan.toml", &text.replace("0.01", "\"much\""));
    sandbox.say("run --rev base").exits(2).tells(&["benchwright.plan.toml:6:13", "--no-plan"]);
    sandbox.write("benchwright.plan.toml", "format = 9\n");
    let newer = "it has format 9, the newest known here is 1";
    sandbox.say("compare base head").exits(2).tells(&[newer, "install a newer benchwright"]);
    sandbox.say("run --rev base --plan missing.toml").exits(2).tells(&["read the plan `missing.toml`"]);
    sandbox.say("run --rev base --no-plan --seed 7").exits(0);
}

#[test]
fn a_run_goes_on_only_with_the_plan_it_began_with() {
    let sandbox = Sandbox::new();
    sandbox.script.write("gamma", "base", "0 time 1000\n1 gate; time 1000");
    let text = plan(STABILITY, &["alpha", "beta", "gamma"].map(|name| Entry(name, [1, 3, 1], "")));
    sandbox.write("benchwright.plan.toml", &text);
    let started = sandbox.start_until_gate("run --rev base --seed 7");
    started.signal("KILL");
    started.finish();
    wait_for("the end of the benchmark", || sandbox.script.left_processes().is_empty());
    sandbox.script.open_gate();
    sandbox.write("benchwright.plan.toml", &text.replace("iteration = 3", "iteration = 2"));
    sandbox.say("run --resume").exits(2).tells(&["have changed since it began", "benchwright.plan.toml"]);
    sandbox.write("benchwright.plan.toml", &text);
    sandbox.say("run --resume").exits(0).tells(&["resuming run"]);
    assert_eq!(processes(&sandbox), expected(&[("alpha", 1, 3), ("beta", 1, 3), ("gamma", 1, 3)]));
}

#[test]
fn repetitions_are_kept_apart_by_others_and_by_fillers_where_asked() {
    let sandbox = Sandbox::new();
    let text = plan(
        STABILITY,
        &[Entry("alpha", [3, 4, 1], ""), Entry("beta", [1, 1, 1], ""), Entry("gamma", [1, 1, 1], "")],
    );
    sandbox.write("benchwright.plan.toml", &text);
    let repeats = |from: usize| {
        let started = sandbox.script.started();
        started[from..].windows(2).filter(|pair| pair[0] == pair[1]).count()
    };
    sandbox.say("run --rev base --seed 7").exits(0).tells(&[
        "repetitions of a benchmark follow each other directly",
        "scripted/scripted:alpha",
        "fillers = 3",
    ]);
    assert!(repeats(0) > 0);
    let before = sandbox.script.started().len();
    sandbox.write("benchwright.toml", "fillers = 2\n");
    let answer = sandbox.say("run --rev base --seed 7").exits(0);
    assert!(!answer.stderr.contains("follow each other directly"), "{}", answer.describe());
    assert_eq!(repeats(before), 0);
    assert_eq!(processes(&sandbox), expected(&[("alpha", 3, 4), ("beta", 1, 1), ("gamma", 1, 1)]));
    assert!(sandbox.script.started().len() - before > 14, "fillers ran, and are not in the store");
}

/// The fingerprint of a benchmark's own code in the working tree.
fn fingerprint(sandbox: &Sandbox, id: &BenchmarkId) -> String {
    let harness = benchwright_harness::by_name(&id.harness).expect("a harness");
    let project = Project { harness: id.harness.clone(), dir: "".into() };
    harness.own_code(&sandbox.repository, &project, id).expect("its code").fingerprint()
}

#[test]
fn a_go_module_follows_its_plan_and_notices_a_benchmark_that_changed() {
    let Some(sandbox) = go::sandbox() else { return };
    let work = BenchmarkId::new("go", "example.com/steps", "BenchmarkWork/n=100");
    let fill = BenchmarkId::new("go", "example.com/steps", "BenchmarkFill");
    let code =
        |id: &BenchmarkId| format!("iteration-time = \"2ms\"\ncode = \"{}\"", fingerprint(&sandbox, id));
    let (work_code, fill_code) = (code(&work), code(&fill));
    let entries = [Entry(&work.name, [1, 2, 3], &work_code), Entry(&fill.name, [1, 3, 2], &fill_code)];
    let text = plan_of("go", "example.com/steps", STABILITY, &entries);
    sandbox.write("benchwright.plan.toml", &text);
    let answer = sandbox.say("run --seed 7").exits(0);
    assert!(!answer.stderr.contains("changed since"), "{}", answer.describe());
    assert_eq!(processes(&sandbox), expected(&[(work.name.as_str(), 1, 2), (fill.name.as_str(), 1, 3)]));
    for trial in sandbox.stored("latest").trials {
        let samples = trial.outcome.measurement().expect("values").main().expect("a time").values.len();
        assert_eq!(samples, if trial.benchmark == work { 3 } else { 2 });
    }
    // What it measures changed, not the benchmark.
    let path = sandbox.repository.join("steps.go");
    let source = fs::read_to_string(&path).expect("the source");
    sandbox.write("steps.go", &source.replace("i ^ sum", "i | sum"));
    let answer = sandbox.say("run --seed 7").exits(0);
    assert!(!answer.stderr.contains("changed since"), "{}", answer.describe());
    let tests = fs::read_to_string(sandbox.repository.join("steps_test.go")).expect("the benchmarks");
    sandbox.write("steps_test.go", &tests.replace("Fill(64)", "Fill(65)"));
    let answer = sandbox.say("run --seed 7").exits(0);
    answer.tells(&["changed since the plan was made: example.com/steps:BenchmarkFill\n"]);
}

#[test]
fn commands_follow_their_plan_and_their_definition_is_their_code() {
    let sandbox = Sandbox::empty();
    let configuration = "[[command]]\nname = \"one\"\nrun = \"sh it.sh\"\n[[command]]\nname = \"two\"\nrun = \"sh it.sh 2\"\n";
    let script = "i=0\nwhile [ $i -lt 2000 ]; do i=$((i + 1)); done\n";
    sandbox.commit(&[("benchwright.toml", configuration.to_owned()), ("it.sh", script.to_owned())], "base");
    let more = "iteration-time = \"1ms\"\ncode = \"definition:0000000000000000\"";
    let entries = [Entry("one", [2, 2, 1], "iteration-time = \"1ms\""), Entry("two", [1, 3, 1], more)];
    sandbox.write("benchwright.plan.toml", &plan_of("command", "command", STABILITY, &entries));
    sandbox.say("run --seed 7").exits(0).tells(&[
        "following benchwright.plan.toml: 2 benchmarks",
        "changed since the plan was made: command:two\n",
    ]);
    assert_eq!(processes(&sandbox), expected(&[("one", 2, 2), ("two", 1, 3)]));
    // Commands that are typed have no plan.
    let answer =
        sandbox.run(&["run", "--command", "sh it.sh", "--iteration-time", "1ms", "--seed", "7"]).exits(0);
    assert!(!answer.stderr.contains("following"), "{}", answer.describe());
}

/// The lines of a benchmark's entry.
fn entry_text<'a>(plan: &'a str, name: &str) -> &'a str {
    let of = |entry: &&str| entry.contains(&format!("name = \"{name}\"\n"));
    plan.split("\n[[benchmark]]\n").find(of).expect(name).trim_end()
}

#[test]
fn refreshing_measures_and_rewrites_only_what_is_out_of_date() {
    let Some(sandbox) = go::sandbox() else { return };
    sandbox.write("benchwright.toml", "[levels]\nrun = 2\niteration = 2\nsecond = 2\n");
    let plan = || fs::read_to_string(sandbox.repository.join("benchwright.plan.toml")).expect("a plan");
    sandbox.say("run --full --iteration-time 2ms --seed 7").exits(0);
    sandbox.say("reduce --metric cv --threshold 1000%").exits(0);
    let before = plan();
    assert!(before.contains("code = \"function:"), "{before}");
    sandbox.say("reduce --refresh --dry-run").exits(0).prints(&["the plan is up to date"]);

    let tests = fs::read_to_string(sandbox.repository.join("steps_test.go")).expect("the benchmarks");
    sandbox.write("steps_test.go", &tests.replace("Fill(64)", "Fill(65)"));
    let answer = sandbox.say("reduce --refresh --dry-run").exits(0);
    answer.prints(&["changed   example.com/steps:BenchmarkFill", "1 benchmark out of date"]);
    assert_eq!(plan(), before);
    sandbox.say("reduce --refresh --iteration-time 2ms --seed 7").exits(0);
    assert_eq!(processes(&sandbox), expected(&[("BenchmarkFill", 2, 2)]));
    let after = plan();
    assert_eq!(entry_text(&after, "BenchmarkWork/n=100"), entry_text(&before, "BenchmarkWork/n=100"));
    assert_ne!(entry_text(&after, "BenchmarkFill"), entry_text(&before, "BenchmarkFill"));
    assert_eq!(after.matches("\nversion = ").count(), 2, "two sources: {after}");
    let answer = sandbox.say("run --seed 7").exits(0);
    assert!(!answer.stderr.contains("changed since"), "{}", answer.describe());

    // A benchmark that is gone leaves the plan without any measuring.
    let one = tests.split("func BenchmarkFill").next().expect("the first benchmark");
    sandbox.write("steps_test.go", one);
    sandbox.say("reduce --refresh").exits(0).prints(&["removed   example.com/steps:BenchmarkFill"]);
    assert!(!plan().contains("BenchmarkFill"), "{}", plan());
    assert_eq!(plan().matches("\nversion = ").count(), 1);
}
