//! The Go harness with the real go command, on the bundled suite and on small modules made on the spot.

#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "helpers of tests, outside the functions clippy knows as such"
)]

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use benchwright_harness::{
    BuildRequest, Built, Executable, Harness, HarnessError, ListRequest, Listing, Project, Reading, Step,
    StepFailure, StepOutput, StepRunner, Stop, TrialRequest, TrialShape, by_name,
};
use benchwright_model::{BenchmarkId, Severity};

/// Runs steps as plain child processes. Directories of tool chain questions are relative to the version's root.
struct Processes(PathBuf);

impl StepRunner for Processes {
    fn run(&mut self, step: &Step) -> Result<StepOutput, StepFailure> {
        let mut command = Command::new(&step.program);
        command.args(&step.args).current_dir(self.0.join(&step.dir)).envs(step.env.iter().cloned());
        match command.output() {
            Ok(output) => Ok(printed(&output)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(StepFailure::NoProgram(step.program.to_string_lossy().into_owned()))
            }
            Err(error) => Err(error.into()),
        }
    }
}

fn printed(output: &Output) -> StepOutput {
    StepOutput {
        status: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        log: "step.log".into(),
    }
}

/// A version on disk with its build directory.
struct Version {
    harness: Box<dyn Harness>,
    root: PathBuf,
    out: tempfile::TempDir,
}

impl Version {
    fn at(root: &Path) -> Version {
        let harness = by_name("go").expect("the harness is registered");
        Version { harness, root: root.into(), out: tempfile::tempdir().unwrap() }
    }

    fn try_build(&self, dir: &str, args: &[&str]) -> Result<Built, HarnessError> {
        let project = Project { harness: "go".into(), dir: dir.into() };
        let args = owned(args);
        let request = BuildRequest {
            root: &self.root,
            project: &project,
            out: self.out.path(),
            intermediate: self.out.path(),
            shared: self.out.path(),
            args: &args,
        };
        self.harness.build(&request, &mut Processes(self.root.clone()))
    }

    fn build(&self, dir: &str, args: &[&str]) -> Vec<Executable> {
        let built = self.try_build(dir, args).unwrap();
        assert_eq!(built.diagnostics, []);
        built.executables
    }

    fn list(&self, executable: &Executable, args: &[&str]) -> Listing {
        let args = owned(args);
        let request = ListRequest {
            root: &self.root,
            out: self.out.path(),
            executable,
            scratch: self.out.path(),
            args: &args,
        };
        self.harness.list(&request, &mut Processes(self.root.clone())).unwrap()
    }

    /// Runs a trial of two short iterations; returns its reading and all it printed.
    fn trial(&self, executable: &Executable, benchmark: &BenchmarkId, args: &[&str]) -> (Reading, String) {
        let shape = TrialShape {
            iterations: 2,
            iteration_time: Duration::from_micros(10),
            warmup_time: Duration::ZERO,
            stop: Stop::Fixed,
            args: owned(args),
        };
        let command = self.harness.command(&TrialRequest {
            root: &self.root,
            out: self.out.path(),
            executable,
            benchmark,
            shape: &shape,
            scratch: self.out.path(),
        });
        let output = Command::new(self.out.path().join(&executable.path))
            .args(&command.args)
            .envs(command.env.iter().cloned())
            .current_dir(self.root.join(&executable.dir))
            .output()
            .unwrap();
        assert!(output.status.success(), "{benchmark}: {output:?}");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let mut reader = self.harness.reader(executable, benchmark, &shape);
        let mut iterations = 0;
        for line in text.lines() {
            iterations = reader.line(line);
        }
        let reading = reader.finish(self.out.path());
        assert_eq!(iterations as usize, reading.measurement.operations.len());
        (reading, text)
    }
}

fn owned(args: &[&str]) -> Vec<String> {
    args.iter().map(|arg| arg.to_string()).collect()
}

fn names(listing: &Listing) -> Vec<&str> {
    listing.benchmarks.iter().map(|id| id.name.as_str()).collect()
}

/// Whether the go command is there; says so if not.
fn has_go() -> bool {
    let is_there = Command::new("go").arg("version").output().is_ok();
    if !is_there {
        eprintln!("skipped: no program `go`");
    }
    is_there
}

fn example() -> PathBuf {
    fs::canonicalize(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/go")).unwrap()
}

/// Writes a module into `root`.
fn module(root: &Path, files: &[(&str, &str)]) {
    for (path, text) in files {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

#[test]
fn the_example_is_recognised_built_listed_and_measured() {
    if !has_go() {
        return;
    }
    let version = Version::at(&example());
    let projects = version.harness.recognise(&version.root);
    let dirs: Vec<_> = projects.iter().map(|project| project.dir.display().to_string()).collect();
    assert_eq!(dirs, ["", "nested"]);
    let text = version.harness.toolchain(&projects[1], &mut Processes(version.root.clone())).unwrap();
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
            let (reading, output) = version.trial(executable, benchmark, &[]);
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
    if !has_go() {
        return;
    }
    let version = Version::at(&example());
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
    if !has_go() {
        return;
    }
    let version = Version::at(&example());
    let executables = version.build("", &["-tags", "large", "."]);
    let args = ["-cpu", "1,3", "-tags", "large"];
    let listing = version.list(&executables[0], &args);
    let found = names(&listing);
    assert!(found.contains(&"BenchmarkLarge-1") && found.contains(&"BenchmarkLarge-3"), "{found:?}");
    assert!(found.contains(&"BenchmarkNames/n-2-3"));
    for name in ["BenchmarkLarge-1", "BenchmarkLarge-3", "BenchmarkNames/n-2-1"] {
        let id = BenchmarkId::new("go", "example.com/shelf", name);
        let (reading, output) = version.trial(&executables[0], &id, &args);
        assert_eq!(reading.measurement.operations.len(), 2, "{name}:\n{output}");
    }
}

const BROKEN: &str = "package a\nimport \"testing\"\nfunc BenchmarkA(b *testing.B) { undefinedThing() }\n";

#[test]
fn a_package_that_does_not_compile_leaves_the_others() {
    if !has_go() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let good = "package b\nimport \"testing\"\nfunc BenchmarkB(b *testing.B) {}\n";
    let syntax = "package c\nimport \"testing\"\nfunc BenchmarkC(b *testing.B) { ((( }\n";
    module(
        dir.path(),
        &[("go.mod", "module m\n\ngo 1.24\n"), ("a/a_test.go", BROKEN), ("c/c_test.go", syntax)],
    );
    module(
        dir.path(),
        &[("other/o_windows_test.go", good), ("mixed/x.go", "package x"), ("mixed/y.go", "package y")],
    );
    let version = Version::at(dir.path());
    match version.try_build("", &[]) {
        Err(HarnessError::Tool { message, purpose, .. }) => {
            assert_eq!(purpose, "build package m/a");
            assert!(message.contains("undefined: undefinedThing"), "{message}");
        }
        other => panic!("{other:?}"),
    }
    module(dir.path(), &[("b/b_test.go", good)]);
    let built = version.try_build("", &[]).unwrap();
    let packages: Vec<_> = built.executables.iter().map(|executable| executable.package.as_str()).collect();
    assert_eq!(packages, ["m/b"]);
    let broken: Vec<_> = built.diagnostics.iter().map(|diagnostic| diagnostic.subject.as_str()).collect();
    assert_eq!(broken, ["m/a", "m/c"]);
}

#[test]
fn benchmarks_that_panic_exit_or_fail_do_not_hide_the_others() {
    if !has_go() {
        return;
    }
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
    module(dir.path(), &[("go.mod", "module m\n\ngo 1.24\n"), ("m_test.go", text)]);
    let version = Version::at(dir.path());
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
    if !has_go() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let text = |package: &str| {
        format!("package {package}\nimport \"testing\"\nfunc BenchmarkX(b *testing.B) {{}}\n")
    };
    module(
        dir.path(),
        &[
            ("go.work", "go 1.24\n\nuse ./in\n"),
            ("in/go.mod", "module example.com/in\n\ngo 1.24\n"),
            ("in/x_test.go", &text("in")),
            ("out/go.mod", "module example.com/out\n\ngo 1.24\n"),
            ("out/x_test.go", &text("out")),
        ],
    );
    let version = Version::at(dir.path());
    assert_eq!(version.build("in", &[]).len(), 1);
    assert_eq!(version.build("out", &[]).len(), 1);
}

/// The runner takes equal executables for equal code after it has replaced the checkouts' paths.
#[test]
fn executables_differ_in_nothing_but_the_checkouts_path() {
    if !has_go() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let contents: Vec<Vec<Vec<u8>>> = ["one", "two"]
        .iter()
        .map(|side| {
            let root = dir.path().join(side);
            copy(&example(), &root);
            let version = Version::at(&root);
            let executables = version.build("", &[]);
            let read = |executable: &Executable| fs::read(version.out.path().join(&executable.path)).unwrap();
            executables.iter().map(read).map(|bytes| without(&bytes, &root)).collect()
        })
        .collect();
    assert!(contents[0] == contents[1], "executables of the same code differ");
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten() {
        let target = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &target),
            false => drop(fs::copy(entry.path(), target).unwrap()),
        }
    }
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
