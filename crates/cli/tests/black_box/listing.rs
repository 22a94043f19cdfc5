//! What is built, listed and foretold before anything is measured.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use crate::sandbox::{Sandbox, Started, finished, wait_for};

/// A benchmark that leaves a line in a file whenever it runs, and then does what it is told.
fn marking(package: &str, file: &str, then: &str) -> String {
    format!(
        "package {package}\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc BenchmarkSound(b *testing.B) {{}}\n\n\
         func BenchmarkMarking(b *testing.B) {{\n\
         \tfile, _ := os.OpenFile(\"{file}\", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)\n\
         \tfile.WriteString(\"ran\\n\")\n\tfile.Close()\n\t{then}\n}}\n"
    )
}

/// A Go module with a package that works, one that does not compile and one that notices when it is listed; and how often it was.
fn sandbox(then: &str) -> Option<(Sandbox, impl Fn() -> usize)> {
    benchwright_testkit::tool("go")?;
    let sandbox = Sandbox::empty();
    let marks = sandbox.script.0.join("marks");
    let fast = "package fast\n\nimport \"testing\"\n\nfunc BenchmarkNothing(b *testing.B) {}\n";
    let broken =
        "package broken\n\nimport \"testing\"\n\nfunc BenchmarkBroken(b *testing.B) { undefined() }\n";
    let files = [
        ("go.mod", "module example.com/many\n\ngo 1.21\n".to_owned()),
        ("fast/fast_test.go", fast.to_owned()),
        ("broken/broken_test.go", broken.to_owned()),
        ("loud/loud_test.go", marking("loud", &marks.display().to_string(), then)),
    ];
    sandbox.commit(&files, "base");
    let count = move || fs::read_to_string(&marks).map_or(0, |text| text.lines().count());
    Some((sandbox, count))
}

#[test]
fn a_filter_decides_which_packages_are_built_and_listed() {
    let Some((sandbox, listed)) = sandbox("b.Skip(\"not here\")") else { return };
    for filter in ["^example.com/many/fast:", "many/fast", "fast:BenchmarkNothing"] {
        let answer = sandbox.run(&["compare", "base", "base", "--dry-run", "--filter", filter]).exits(0);
        let answer =
            answer.prints(&["measure  example.com/many/fast:BenchmarkNothing", "1 benchmark to measure"]);
        assert_eq!(listed(), 0, "{filter}");
        assert!(!answer.stderr.contains("broken"), "{}", answer.describe());
    }
    // A name could be one of any package, and what is wrong with others is not asked for.
    let answer = sandbox.run(&["compare", "base", "base", "--dry-run", "--filter", "Nothing$"]).exits(0);
    assert!(listed() > 0);
    assert!(!answer.stderr.contains("skips itself"), "{}", answer.describe());
    // Without a filter everything is there.
    sandbox
        .say("compare base base --dry-run")
        .exits(0)
        .prints(&["loud:BenchmarkSound", "fast:BenchmarkNothing"]);
}

#[test]
fn what_fails_in_its_listing_run_is_remembered_with_the_rest() {
    let Some((sandbox, listed)) = sandbox("b.Fatal(\"no database\")") else { return };
    let line = ["compare", "base", "base", "--dry-run", "--filter", "^example.com/many/(fast|loud):"];
    sandbox.run(&line).exits(0).prints(&["loud:BenchmarkSound", "fast:BenchmarkNothing"]);
    assert_eq!(listed(), 1);
    sandbox.run(&line).exits(0).prints(&["loud:BenchmarkSound", "fast:BenchmarkNothing"]);
    assert_eq!(listed(), 1, "listed once for all runs");
}

/// A sandbox whose packages all build, and how often the one that notices it was listed.
fn building(then: &str) -> Option<(Sandbox, impl Fn() -> usize)> {
    let (sandbox, listed) = sandbox(then)?;
    sandbox.commit(&[("broken/broken_test.go", "package broken\n".to_owned())], "base");
    Some((sandbox, listed))
}

/// Benchwright with a cache of its own.
fn command(sandbox: &Sandbox, arguments: &str) -> Command {
    let mut command = sandbox.command(&arguments.split_whitespace().collect::<Vec<_>>());
    command.env("BENCHWRIGHT_CACHE", sandbox.script.0.join("cache"));
    command
}

#[test]
fn what_is_skipped_is_not_run_in_order_to_be_listed() {
    let Some((sandbox, listed)) = building("") else { return };
    let check = |arguments: &str, has_marking: bool, times: usize| {
        let answer = finished(&mut command(&sandbox, arguments)).exits(0).prints(&["loud:BenchmarkSound"]);
        assert_eq!(answer.stdout.contains("loud:BenchmarkMarking"), has_marking, "{}", answer.describe());
        assert_eq!(listed(), times, "{arguments}");
    };
    for skip in ["Marking", "BenchmarkMarking$", "loud:BenchmarkM"] {
        check(&format!("list --skip {skip}"), false, 0);
        check(&format!("compare base base --dry-run --skip {skip}"), false, 0);
    }
    check("list --filter ^example.com/many/loud:BenchmarkSound$", false, 0);
    // All benchmarks are remembered for every filter, but what one filter left is not taken for all of them.
    check("list", true, 1);
    check("list --skip Marking|Other", false, 1);
    for entry in fs::read_dir(sandbox.script.0.join("cache/builds")).expect("builds").flatten() {
        for file in fs::read_dir(entry.path()).into_iter().flatten().flatten() {
            if file.file_name().to_string_lossy().starts_with("listing-") {
                fs::remove_file(file.path()).expect("it goes");
            }
        }
    }
    check("list --skip Marking|Another", false, 1);
    check("list", true, 2);
}

#[test]
fn limits_of_a_listing_run_are_named() {
    let filling = "var all [][]byte\n\tfor len(all) < 2000 {\n\t\tall = append(all, make([]byte, 1<<20))\n\t\t\
                   for i := range all[len(all)-1] {\n\t\t\tall[len(all)-1][i] = 1\n\t\t}\n\t}\n\tb.Log(len(all[0]))";
    let flood = "line := make([]byte, 1<<16)\n\tfor i := 0; i < 1<<14; i++ {\n\t\tos.Stdout.Write(line)\n\t}";
    for (then, variable, limit, reason) in [
        (filling, "BENCHWRIGHT_TRIAL_MEMORY", "300MB", "used more than 300 MB of memory (trial-memory)"),
        (flood, "BENCHWRIGHT_OUTPUT_LIMIT", "5MB", "printed more than 5 MB (output-limit)"),
    ] {
        let Some((sandbox, _)) = building(then) else { return };
        let answer = finished(command(&sandbox, "list").env(variable, limit));
        let all = format!("{}{}", answer.stdout, answer.stderr);
        assert!(all.contains(&format!("loud:BenchmarkMarking: {reason} in the listing run")), "{all}");
        let answer = answer.prints(&["loud:BenchmarkSound", "fast:BenchmarkNothing"]);
        assert!(!answer.stdout.contains("measure  example.com/many/loud:BenchmarkMarking"));
        // Another limit is tried at once.
        let answer = finished(command(&sandbox, "list").env(variable, "3GB"));
        answer.exits(0).prints(&["loud:BenchmarkMarking"]);
    }
}

#[test]
fn a_signal_ends_listing_at_once() {
    let Some((sandbox, listed)) = building("for {\n\t}") else { return };
    for (arguments, signal) in [("list", "TERM"), ("compare base base --dry-run", "TERM"), ("list", "INT")] {
        let before = listed();
        let started = Started::of(&command(&sandbox, arguments));
        wait_for("the benchmark that hangs", || listed() > before);
        started.signal(signal);
        started.finish().exits(1).tells(&["interrupted"]);
    }
}

#[test]
fn an_interrupted_build_leaves_no_files() {
    let Some((sandbox, _)) = building("") else { return };
    let temporary = sandbox.script.0.join("tmp");
    fs::create_dir(&temporary).expect("a directory");
    // A compiler that never comes to an end; the sources are such that nothing of them was ever compiled.
    let tool = sandbox.script.0.join("tool");
    let script = "#!/bin/sh\ncase \"$*\" in *-V=full*) exec \"$@\" ;; esac\necho x > $SCRIPT/waiting\nexec sleep 1000\n";
    fs::write(&tool, script).expect("a script");
    fs::set_permissions(&tool, fs::Permissions::from_mode(0o755)).expect("it can run");
    let files = |dir: &Path| fs::read_dir(dir).map_or(0, |entries| entries.count());
    for (n, (arguments, signal)) in
        [("list", "TERM"), ("compare base base --dry-run", "TERM"), ("compare base base", "INT")]
            .into_iter()
            .enumerate()
    {
        let unique = format!("package fast\n\n// {}\nvar Unique = {n}\n", tool.display());
        sandbox.commit(&[("fast/fast.go", unique)], "base");
        let _ = fs::remove_file(sandbox.script.0.join("waiting"));
        let mut command = command(&sandbox, arguments);
        command.env("TMPDIR", &temporary).env("GOFLAGS", format!("-toolexec={}", tool.display()));
        let mut started = Started::of(&command);
        sandbox.wait_for_gate(&mut started);
        started.signal(signal);
        started.finish().exits(1).tells(&["interrupted"]);
        assert_eq!(files(&temporary), 0, "{arguments} {signal}");
        assert_eq!(files(&sandbox.script.0.join("cache/temporary")), 0, "{arguments} {signal}");
    }
}

#[test]
fn a_budget_does_not_hide_how_long_all_would_take() {
    let sandbox = Sandbox::new();
    sandbox
        .say("compare base head --dry-run --budget 1s")
        .exits(0)
        .prints(&["3 benchmarks to measure, ", " of 3; all need about "]);
    let plain = sandbox.say("compare base head --dry-run").exits(0).prints(&["3 benchmarks to measure, "]);
    assert!(!plain.stdout.contains("enough"), "{}", plain.describe());
}

/// A Go module whose packages have this code in base and head, after the package's name each.
fn lost(base: &[(&str, &str)], head: &[(&str, &str)]) -> Option<Sandbox> {
    benchwright_testkit::tool("go")?;
    let sandbox = Sandbox::empty();
    sandbox.commit(&[("go.mod", "module example.com/lost\n\ngo 1.21\n".to_owned())], "empty");
    for (files, tag) in [(base, "base"), (head, "head")] {
        let path = |dir: &str| format!("{dir}/{dir}_test.go");
        let paths: Vec<String> = files.iter().map(|(dir, _)| path(dir)).collect();
        let text = |(dir, body): &(&str, &str)| format!("package {dir}\n\nimport \"testing\"\n\n{body}\n");
        let files: Vec<(&str, String)> =
            paths.iter().map(String::as_str).zip(files.iter().map(text)).collect();
        sandbox.commit(&files, tag);
    }
    Some(sandbox)
}

const PLAIN: &str = "var sink int\n\n\
    func BenchmarkOne(b *testing.B) {\n\tfor i := 0; i < b.N; i++ {\n\t\tsink += i\n\t}\n}\n\n\
    func BenchmarkTwo(b *testing.B) {\n\tfor i := 0; i < b.N; i++ {\n\t\tsink += i\n\t}\n}\n";

/// A comparison whose verdicts are not asked for.
const COMPARE: &str = "compare base head --threshold 90% --fail-on never";

#[test]
fn what_head_does_not_list_for_a_reason_is_not_removed() {
    let first = |code: &str| PLAIN.replacen("for i", &format!("{code}\n\tfor i"), 1);
    let cases = [
        ("undefined()", 1, "lost/second: 2 benchmarks (One, Two) not listed in head: does not build"),
        (
            "b.Skip(\"not here\")",
            0,
            "lost/second:BenchmarkOne: not listed in head: skips itself: second_test.go:8: not here",
        ),
        (
            "panic(\"oh no\")",
            1,
            "lost/second:BenchmarkOne: not listed in head: ends the process in the listing run",
        ),
    ];
    for (code, exit, told) in cases {
        let head = first(code);
        let Some(sandbox) =
            lost(&[("first", PLAIN), ("second", PLAIN)], &[("first", PLAIN), ("second", &head)])
        else {
            return;
        };
        let preview = sandbox.say("compare base head --dry-run").exits(0).tells(&[told]);
        assert!(!preview.stdout.contains("removed"), "{}", preview.describe());
        let answer = sandbox.say(COMPARE).exits(exit).prints(&[told]);
        assert!(!answer.stdout.contains("removed in head"), "{}", answer.describe());
        if code == "undefined()" {
            assert!(!answer.stdout.contains("geomean"), "only identical builds: {}", answer.describe());
            assert!(!answer.stderr.contains("measuring 0"), "{}", answer.describe());
        }
        sandbox.say("show latest").exits(0).prints(&[told]);
    }
}

#[test]
fn what_base_does_not_list_for_a_reason_is_not_added() {
    let broken = "func BenchmarkOne(b *testing.B) { undefined() }";
    let both = [("first", PLAIN), ("second", PLAIN)];
    let Some(sandbox) = lost(&[("first", PLAIN), ("second", broken)], &both) else { return };
    let answer = sandbox.say("compare base head").exits(1);
    let answer = answer.prints(&["second: 2 benchmarks (One, Two) not listed in base: does not build"]);
    assert!(!answer.stdout.contains("added in head"), "{}", answer.describe());
}

#[test]
fn the_first_benchmarks_of_a_project_do_not_fail() {
    let Some(sandbox) = lost(&[("first", "func TestNothing(t *testing.T) {}")], &[("first", PLAIN)]) else {
        return;
    };
    let texts = [
        "added in head\n  example.com/lost/first:BenchmarkOne",
        "note: only head has benchmarks: nothing was compared",
    ];
    let answer = sandbox.say("compare base head").exits(0).prints(&texts);
    assert!(!answer.stderr.contains("measuring 0"), "{}", answer.describe());
    sandbox.say("compare head base").exits(1).tells(&[
        "no benchmarks found that both versions have",
        "only base has example.com/lost/first:BenchmarkOne, example.com/lost/first:BenchmarkTwo",
    ]);
    // Nothing at all in base: not even a module.
    sandbox.git(&["checkout", "--quiet", "--orphan", "fresh"]);
    sandbox.git(&["rm", "-rf", "--quiet", "."]);
    sandbox.commit(&[("notes.txt", "Words.\n".to_owned())], "bare");
    sandbox.say("compare bare head").exits(0).prints(&texts);
}

#[test]
fn a_base_that_only_fails_to_list_is_no_base_without_benchmarks() {
    let exits =
        "func TestMain(m *testing.M) { panic(\"no database\") }\n\nfunc BenchmarkOne(b *testing.B) {}";
    let Some(sandbox) = lost(&[("first", exits)], &[("first", PLAIN)]) else { return };
    sandbox.say("compare base head").exits(1).tells(&["no database"]);
}

#[test]
fn benchmarks_that_fail_alike_are_told_once() {
    let loops = "for _, name := range []string{\"a\", \"b\", \"c\", \"d\", \"e\", \"f\"} {\n\t\tb.Run(name, func(b *testing.B) { \
                 b.Fatal(\"no database\") })\n\t}";
    let many = format!("{PLAIN}\nfunc BenchmarkMany(b *testing.B) {{\n\t{loops}\n}}\n");
    let Some(sandbox) = lost(&[("first", &many)], &[("first", &many)]) else { return };
    let answer = sandbox.say(COMPARE).exits(1);
    // The second time, one side's listing is fresh and the other's is remembered.
    let failing = |text: &str| text.lines().filter(|line| line.contains("fails in the listing run")).count();
    assert!((1..=2).contains(&failing(&answer.stdout)), "{}", answer.describe());
    let answer = answer.prints(&["and 3 more", "fails alike in both versions: --skip leaves it out"]);
    assert_eq!(answer.stdout.matches("--skip leaves it out").count(), 1, "{}", answer.describe());
    let again = sandbox.say(COMPARE).exits(1);
    assert_eq!(failing(&again.stdout), failing(&answer.stdout), "{}", again.describe());
    sandbox.say(&format!("{COMPARE} --skip Many")).exits(0);
}
