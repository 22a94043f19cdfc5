//! What is built, listed and foretold before anything is measured.

use std::fs;

use crate::sandbox::Sandbox;

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
