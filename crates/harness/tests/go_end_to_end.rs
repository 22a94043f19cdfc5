//! The Go harness with the real go command, on the bundled suite and on small modules made on the spot.

mod version;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::Duration;

use benchwright_harness::{Executable, HarnessError, Reading, TrialShape};
use benchwright_model::{BenchmarkId, Severity};
use version::{Version, copy, names, owned, shape, write};

fn at(root: &Path) -> Version {
    Version::at("go", root)
}

/// The bundled suite, where it is: building leaves nothing in it.
fn example() -> Version {
    at(&version::example("go"))
}

/// Runs a trial of two short iterations; returns its reading and all it printed.
fn trial(
    version: &Version,
    executable: &Executable,
    benchmark: &BenchmarkId,
    args: &[&str],
) -> (Reading, String) {
    let shape = shape(2, Duration::from_micros(10), Duration::ZERO);
    let ended = version.trial(executable, benchmark, &TrialShape { args: owned(args), ..shape });
    assert!(ended.output.status.success(), "{benchmark}: {}", ended.said());
    assert_eq!(ended.iterations as usize, ended.reading.measurement.operations.len());
    let text = String::from_utf8_lossy(&ended.output.stdout).into_owned();
    (ended.reading, text)
}

#[test]
fn the_example_is_recognised_built_listed_and_measured() {
    let Some(_) = benchwright_testkit::tool("go") else { return };
    let version = example();
    let projects = version.harness.recognise(&version.root);
    let dirs: Vec<_> = projects.iter().map(|project| project.dir.display().to_string()).collect();
    assert_eq!(dirs, ["", "nested"]);
    let text = version.harness.toolchain(&projects[1], &[], &mut version.processes()).unwrap();
    assert!(text.starts_with("go1.") && text.contains("GOARCH="), "{text}");

    let executables = version.build("", &[]);
    let packages: Vec<_> = executables.iter().map(|executable| executable.package.as_str()).collect();
    assert_eq!(packages, ["example.com/shelf", "example.com/shelf/setup", "example.com/shelf/text"]);
    let mut all = 0;
    for executable in &executables {
        let listing = version.list(executable, &[]);
        let notes = listing.diagnostics.iter().filter(|diagnostic| diagnostic.severity > Severity::Note);
        assert_eq!(notes.count(), 0, "{:?}", listing.diagnostics);
        for benchmark in &listing.benchmarks {
            let (reading, output) = trial(&version, executable, benchmark, &[]);
            assert_eq!(reading.measurement.operations.len(), 2, "{benchmark}:\n{output}");
            assert_eq!(reading.diagnostics, [], "{benchmark}");
            assert_eq!(foreign_results(&output), 0, "{benchmark} runs others too:\n{output}");
            let series = &reading.measurement.series;
            let is_timed = benchmark.name != "BenchmarkOnlyReported";
            assert_eq!(
                series.iter().any(|series| series.metric.is_time()),
                is_timed,
                "{benchmark}:\n{output}"
            );
        }
        all += listing.benchmarks.len();
    }
    assert_eq!(all, 7 + 27 + 3 + 1 + 1, "plain, names, talking, setup, text");
    let nested = version.build("nested", &[]);
    assert_eq!(nested[0].dir, Path::new("nested"));
    assert_eq!(names(&version.list(&nested[0], &[])), ["BenchmarkNested"]);
}

/// Results in a trial's output beyond those of its two iterations.
fn foreign_results(output: &str) -> usize {
    output.lines().filter(|line| line.contains(" allocs/op")).count().saturating_sub(2)
}

#[test]
fn awkward_names_are_listed_as_go_writes_them() {
    let Some(_) = benchwright_testkit::tool("go") else { return };
    let version = example();
    let executables = version.build("", &["."]);
    let listing = version.list(&executables[0], &[]);
    let found = names(&listing);
    for name in [
        "a.b*c(d|e)[f]{2}^$+?",
        "with_space",
        "size=10",
        "größe/日本",
        "n-2",
        "n-2-2",
        "leaf",
        "leaf/deeper",
        "#00",
        "same",
        "same#01",
        "//",
        "trailing/",
        r"back\slash",
        r"nul\x00",
        "1_2_ns/op",
    ] {
        assert!(found.contains(&format!("BenchmarkNames/{name}").as_str()), "{name}: {found:?}");
    }
    let distinct: BTreeSet<_> = found.iter().collect();
    assert_eq!(distinct.len(), found.len());
    let skipped =
        listing.diagnostics.iter().find(|diagnostic| diagnostic.severity == Severity::Note).unwrap();
    assert_eq!(skipped.subject, "example.com/shelf:BenchmarkSkipped");
}

#[test]
fn tags_and_processor_counts_are_the_users() {
    let Some(_) = benchwright_testkit::tool("go") else { return };
    let version = example();
    let executables = version.build("", &["-tags", "large", "."]);
    let args = ["-cpu", "1,3", "-tags", "large"];
    let listing = version.list(&executables[0], &args);
    let found = names(&listing);
    assert!(found.contains(&"BenchmarkLarge-1") && found.contains(&"BenchmarkLarge-3"), "{found:?}");
    assert!(found.contains(&"BenchmarkNames/n-2-3"));
    for name in ["BenchmarkLarge-1", "BenchmarkLarge-3", "BenchmarkNames/n-2-1"] {
        let id = BenchmarkId::new("go", "example.com/shelf", name);
        let (reading, output) = trial(&version, &executables[0], &id, &args);
        assert_eq!(reading.measurement.operations.len(), 2, "{name}:\n{output}");
    }
}

const BROKEN: &str = "package a\nimport \"testing\"\nfunc BenchmarkA(b *testing.B) { undefinedThing() }\n";

#[test]
fn a_package_that_does_not_compile_leaves_the_others() {
    let Some(_) = benchwright_testkit::tool("go") else { return };
    let dir = tempfile::tempdir().unwrap();
    let good = "package b\nimport \"testing\"\nfunc BenchmarkB(b *testing.B) {}\n";
    let syntax = "package c\nimport \"testing\"\nfunc BenchmarkC(b *testing.B) { ((( }\n";
    write(
        dir.path(),
        &[("go.mod", "module m\n\ngo 1.24\n"), ("a/a_test.go", BROKEN), ("c/c_test.go", syntax)],
    );
    write(
        dir.path(),
        &[("other/o_windows_test.go", good), ("mixed/x.go", "package x"), ("mixed/y.go", "package y")],
    );
    let version = at(dir.path());
    match version.try_build("", &[]) {
        Err(HarnessError::Tool { message, purpose, .. }) => {
            assert_eq!(purpose, "build package m/a");
            assert!(message.contains("undefined: undefinedThing"), "{message}");
        }
        other => panic!("{other:?}"),
    }
    write(dir.path(), &[("b/b_test.go", good)]);
    let built = version.try_build("", &[]).unwrap();
    let packages: Vec<_> = built.executables.iter().map(|executable| executable.package.as_str()).collect();
    assert_eq!(packages, ["m/b"]);
    let broken: Vec<_> = built.diagnostics.iter().map(|diagnostic| diagnostic.subject.as_str()).collect();
    assert_eq!(broken, ["m/a", "m/c"]);
}

#[test]
fn benchmarks_that_panic_exit_or_fail_do_not_hide_the_others() {
    let Some(_) = benchwright_testkit::tool("go") else { return };
    let dir = tempfile::tempdir().unwrap();
    let text = r#"package m
import ("os"; "testing")
func BenchmarkFirst(b *testing.B) {}
func BenchmarkPanics(b *testing.B) {
	b.Run("before", func(b *testing.B) {})
	b.Run("now", func(b *testing.B) { panic("oh no") })
	b.Run("after", func(b *testing.B) {})
}
func BenchmarkFails(b *testing.B) { b.Fatal("boom") }
func BenchmarkExits(b *testing.B) { os.Exit(0) }
func BenchmarkLast(b *testing.B) {}
"#;
    write(dir.path(), &[("go.mod", "module m\n\ngo 1.24\n"), ("m_test.go", text)]);
    let version = at(dir.path());
    let executables = version.build("", &[]);
    let listing = version.list(&executables[0], &[]);
    let expected = ["BenchmarkFirst", "BenchmarkPanics/before", "BenchmarkPanics/after", "BenchmarkLast"];
    assert_eq!(names(&listing), expected);
    let told: Vec<_> = listing.diagnostics.iter().map(|diagnostic| diagnostic.to_string()).collect();
    assert_eq!(told.len(), 3, "{told:#?}");
    assert!(
        told[0]
            .starts_with("error: m:BenchmarkPanics/now: ends the process in the listing run: panic: oh no")
    );
    assert!(
        told[1].starts_with("error: m:BenchmarkFails: fails in the listing run: ")
            && told[1].contains("boom")
    );
    assert!(told[2].starts_with("error: m:BenchmarkExits: ends the process"), "{told:#?}");
}

#[test]
fn a_module_its_workspace_leaves_out_is_built_without_it() {
    let Some(_) = benchwright_testkit::tool("go") else { return };
    let dir = tempfile::tempdir().unwrap();
    let text = |package: &str| {
        format!("package {package}\nimport \"testing\"\nfunc BenchmarkX(b *testing.B) {{}}\n")
    };
    write(
        dir.path(),
        &[
            ("go.work", "go 1.24\n\nuse ./in\n"),
            ("in/go.mod", "module example.com/in\n\ngo 1.24\n"),
            ("in/x_test.go", &text("in")),
            ("out/go.mod", "module example.com/out\n\ngo 1.24\n"),
            ("out/x_test.go", &text("out")),
        ],
    );
    let version = at(dir.path());
    assert_eq!(version.build("in", &[]).len(), 1);
    assert_eq!(version.build("out", &[]).len(), 1);
}

/// The runner takes equal executables for equal code after it has replaced the checkouts' paths.
#[test]
fn executables_differ_in_nothing_but_the_checkouts_path() {
    let Some(_) = benchwright_testkit::tool("go") else { return };
    let dir = tempfile::tempdir().unwrap();
    let contents: Vec<Vec<Vec<u8>>> = ["one", "two"]
        .iter()
        .map(|side| {
            let root = dir.path().join(side);
            copy(&version::example("go"), &root);
            let version = at(&root);
            let executables = version.build("", &[]);
            let read = |executable: &Executable| fs::read(version.out.join(&executable.path)).unwrap();
            executables.iter().map(read).map(|bytes| without(&bytes, &root)).collect()
        })
        .collect();
    assert!(contents[0] == contents[1], "executables of the same code differ");
}

fn without(bytes: &[u8], path: &Path) -> Vec<u8> {
    let path = path.display().to_string().into_bytes();
    let mut bytes = bytes.to_vec();
    let mut at = 0;
    while let Some(found) = bytes[at..].windows(path.len()).position(|window| window == path) {
        at += found;
        bytes[at..at + path.len()].fill(b'.');
    }
    bytes
}
