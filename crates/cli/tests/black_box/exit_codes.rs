//! What the exit code says, and what stands beside it.

use std::fs;

use crate::document::{Document, compared, map};
use crate::sandbox::{Sandbox, finished};
use crate::suite;

#[test]
fn an_unknown_revision_is_wrong_use() {
    let sandbox = Sandbox::new();
    sandbox.say("compare haed").exits(2).tells(&["error: unknown revision `haed`", "did you mean `head`?"]);
    sandbox.say("compare base no-such").exits(2).tells(&["`no-such`"]);
}

#[test]
fn outside_a_repository_is_wrong_use() {
    let sandbox = Sandbox::new();
    let outside = tempfile::tempdir().expect("a directory");
    for arguments in [["compare", "HEAD"], ["show", "latest"], ["list", "HEAD"]] {
        let answer = finished(sandbox.command(&arguments).current_dir(outside.path()));
        answer.exits(2).tells(&["error: no git repository", "git init"]);
    }
}

#[test]
fn a_repository_without_commits_is_wrong_use() {
    Sandbox::empty().say("compare HEAD").exits(2).tells(&["no commits yet", "git commit"]);
}

#[test]
fn a_repository_without_benchmarks_is_told_what_would_be_some() {
    let sandbox = Sandbox::empty();
    sandbox.commit(&[("README.md", "nothing to measure\n".to_owned())], "base");
    let answer = sandbox.say("compare base").exits(1).tells(&["error: no benchmarks found"]);
    answer.tells(&[
        "a `go.mod`",
        "a `Cargo.toml`",
        "a `pom.xml`, a Gradle build or a jar with JMH",
        "a `CMakeLists.txt`",
        "a `package.json`",
        "pytest-benchmark or pyperf",
        "[[command]]",
        "[[shim]]",
        "benchwright compare main --command 'PROGRAM ARGUMENTS'",
    ]);
}

#[test]
fn what_looks_like_benchmarks_is_told_with_why_it_does_not_count() {
    let check = |files: &[(&str, &str)], expected: &[&str]| {
        let sandbox = Sandbox::empty();
        let files: Vec<(&str, String)> = files.iter().map(|(path, text)| (*path, text.to_string())).collect();
        sandbox.commit(&files, "base");
        let answer = sandbox.say("list base").exits(1).tells(&["error: no benchmarks found"]).tells(expected);
        assert!(answer.stderr.lines().count() < 12, "{}", answer.describe());
    };
    check(
        &[("build.gradle", "plugins { id 'me.champeau.jmh' version '0.7.2' }\n")],
        &[
            "because: `build.gradle` uses JMH, but there is no Gradle wrapper",
            "`gradle wrapper` adds `gradlew`",
        ],
    );
    let package = "[package]\nname = \"x\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
    check(
        &[("Cargo.toml", package), ("src/lib.rs", ""), ("benches/a.rs", "#[test]\nfn a() {}\n")],
        &["`Cargo.toml` has benches that use none of Criterion, divan, bencher and `#[bench]`"],
    );
}

#[test]
fn unknown_commands_suggest_the_right_one() {
    let sandbox = Sandbox::new();
    let check = |arguments: &str, text: &str| {
        sandbox.say(arguments).exits(2).tells(&["unrecognized subcommand", text]);
    };
    check("history", "a similar subcommand exists: 'show'");
    check("bench", "a similar subcommand exists: 'run'");
    check("diff a b", "a similar subcommand exists: 'compare'");
    check("compar", "'compare'");
}

#[test]
fn a_revision_is_named_in_one_way() {
    let sandbox = Sandbox::new();
    let plain = sandbox.say("list base").exits(0).stdout;
    assert_eq!(sandbox.say("list --rev base").exits(0).stdout, plain);
    for way in ["run base", "run --rev base"] {
        sandbox.say(&format!("{way} --levels run=1,iteration=1,second=1 --filter alpha")).exits(0);
        assert_eq!(sandbox.stored("latest").run.head.label, "base", "{way}");
    }
    sandbox.say("run base --rev head").exits(2);
}

#[test]
fn errors_are_statements() {
    let sandbox = Sandbox::new();
    let check = |arguments: &str, text: &str| {
        sandbox.say(arguments).exits(2).tells(&[text]);
    };
    check("compare base head --format yaml", "error: unknown format `yaml`");
    check(
        "compare base head --iteration-time 1x",
        "error: `iteration-time`: expected a duration such as `100ms`, `90s` or `5m`, got `1x`",
    );
    check("compare base nowhere", "error: unknown revision `nowhere`");
    check("run --harness perl", "error: unknown harness `perl`");
    check("show latest", "error: no results in `");
}

#[test]
fn wrong_flags_are_wrong_use() {
    let sandbox = Sandbox::new();
    let check = |arguments: &str, text: &str| {
        sandbox.say(arguments).exits(2).tells(&[text]);
    };
    check("compare base --no-such-flag", "--no-such-flag");
    check("compare", "BASE");
    check("compare base head --format yaml", "known formats: text, json");
    check("compare base head --output x.docx", "known endings");
    check("compare base head --budget soon", "soon");
    check("compare base head --threshold lots", "lots");
    check("compare base head --rule astrology", "astrology");
    check("compare base head --filter (", "regular expression");
    check("compare base head --harness abacus", "known harnesses: ");
    check("compare base..head head", "give either a range or two revisions");
    check("run --levels run=0", "levels");
    assert_eq!(sandbox.script.started(), Vec::<String>::new(), "nothing is measured");
}

#[test]
fn wrong_configuration_is_wrong_use_and_shown_with_its_place() {
    let sandbox = Sandbox::new();
    sandbox.write("benchwright.toml", "# Settings.\nmin-duets = 5\nthreshold = \"three\"\n");
    let answer = sandbox.say("compare base head").exits(2);
    answer.tells(&["benchwright.toml:3:13", "threshold = \"three\"", "^"]);
    sandbox.write("benchwright.toml", "iterations = 3\nthreshold =\n");
    sandbox.say("compare base head").exits(2).tells(&["benchwright.toml:2:"]);
}

#[test]
fn unknown_settings_are_wrong_use_and_get_the_nearest_name() {
    let sandbox = Sandbox::new();
    let check = |text: &str, place: &str, meant: &str| {
        sandbox.write("benchwright.toml", text);
        let answer = sandbox.say("compare base head --dry-run").exits(2);
        answer.tells(&[&format!("benchwright.toml:{place}"), &format!("did you mean `{meant}`?")]);
    };
    check("treshold = \"10%\"\n", "1:1: unknown setting `treshold`", "threshold");
    check("seed = 1\n[levels]\nruns = 5\n", "3:1: unknown setting `runs`", "run");
    let entry = "[[thresholds]]\nbenchmark = \"*\"\nsotf = \"1%\"\nhard = \"5%\"\n";
    check(entry, "3:1: unknown setting `sotf`", "soft");
    check("[[command]]\nname = \"x\"\nrun = \"x\"\nprepair = \"y\"\n", "4:1: unknown", "prepare");
    assert_eq!(sandbox.script.started(), Vec::<String>::new(), "nothing is measured");
}

#[test]
fn a_failed_build_shows_the_compilers_message_and_the_log() {
    let sandbox = Sandbox::new();
    sandbox.commit(&[("benches/scripted.rs", "fn main() { let x: u8 = \"words\"; }\n".to_owned())], "broken");
    let answer = sandbox.say("compare head broken").exits(1);
    let answer = answer.tells(&["mismatched types", "benches/scripted.rs:1", "cannot build"]);
    let log = answer.stderr.split(['`', ' ', '\n']).find(|word| word.ends_with(".log"));
    let log = fs::read_to_string(log.expect("the log's path")).expect("the log");
    assert!(log.contains("mismatched types"), "{log}");
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "");
}

#[test]
fn no_benchmarks_is_a_failure() {
    let sandbox = Sandbox::empty();
    sandbox.commit(&[("notes.txt", "Words.\n".to_owned())], "base");
    sandbox.commit(&[("notes.txt", "More words.\n".to_owned())], "head");
    sandbox.say("compare base head").exits(1).tells(&["go.mod", "Cargo.toml"]);
    let sandbox = Sandbox::new();
    let answer = sandbox.say("compare base head --filter nothing-like-it").exits(1);
    answer.tells(&["error: no benchmarks found", "scripted:alpha"]);
}

#[test]
fn a_benchmark_that_fails_on_head_fails_the_command_and_no_other_benchmark() {
    let sandbox = Sandbox::new();
    sandbox.script.write("alpha", "head", "0 panic out of cheese");
    let (document, _) = compared(&sandbox, "base head", 1);
    let verdicts = map(&[("alpha", "not_measured"), ("beta", "same"), ("gamma", "same")]);
    assert_eq!(document.verdicts(), verdicts);
    let answer = sandbox.say("compare base head --seed 7").exits(1);
    answer.prints(&["alpha", "head exited with status 101", "out of cheese"]);
}

#[test]
fn slower_beats_failed_and_both_are_listed() {
    let sandbox = Sandbox::new();
    sandbox.script.write("alpha", "head", "0 panic out of cheese");
    sandbox.script.write("beta", "head", "0 time 1300");
    let answer = sandbox.say("compare base head --fail-on slower,undecided").exits(3);
    answer.tells(&["3 slower, 1 something failed, 4 undecided"]);
    sandbox.say("compare base head --fail-on never").exits(1);
}

#[test]
fn undecided_fails_only_on_demand() {
    let sandbox = Sandbox::new();
    for version in ["base", "head"] {
        sandbox.script.write("alpha", version, "0 noisy 1000");
    }
    let noisy = "base head --filter alpha --max-duets 5 --min-duets 5";
    let (document, _) = compared(&sandbox, &format!("{noisy} --require-decided 0"), 0);
    assert_eq!(document.verdicts(), map(&[("alpha", "undecided")]));
    compared(&sandbox, &format!("{noisy} --require-decided 0 --fail-on undecided"), 4);
    compared(&sandbox, &format!("{noisy} --require-decided 0 --fail-on slower"), 0);
}

#[test]
fn never_failing_still_shows_what_is_slower() {
    let sandbox = Sandbox::new();
    sandbox.script.write("beta", "head", "0 time 1300");
    let answer = sandbox.say("compare base head --fail-on never --format json").exits(0);
    assert_eq!(Document::of(&answer).verdicts()["beta"], "slower");
}

#[test]
fn a_missing_tool_chain_is_named_with_what_installs_it() {
    let sandbox = Sandbox::new();
    sandbox.commit(&suite::files("unseen", &["alpha"]), "unseen");
    let tools = tempfile::tempdir().expect("a directory");
    let git = benchwright_testkit::tool("git").expect("git");
    std::os::unix::fs::symlink(git, tools.path().join("git")).expect("a link");
    let mut command = sandbox.command(&["compare", "base", "unseen"]);
    let answer = finished(command.env("PATH", tools.path())).exits(1);
    answer.tells(&["cargo", "rustup"]);
}
