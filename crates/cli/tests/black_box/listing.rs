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
