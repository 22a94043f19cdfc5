//! The harness `javascript` with the real node and npm, on the bundled package and on small ones made on the spot.

#![expect(clippy::unwrap_used, reason = "helpers of tests, outside the functions clippy knows as such")]

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use benchwright_harness::{
    BuildRequest, Built, Executable, Harness, HarnessError, ListRequest, Listing, Project, Reading, Step,
    StepFailure, StepOutput, StepRunner, TrialRequest, TrialShape, by_name,
};
use benchwright_model::BenchmarkId;

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
        let harness = by_name("javascript").expect("the harness is registered");
        Version { harness, root: root.into(), out: tempfile::tempdir().unwrap() }
    }

    fn out(&self) -> PathBuf {
        self.out.path().canonicalize().unwrap()
    }

    fn try_build(&self, shared: &Path) -> Result<Built, HarnessError> {
        let project = Project { harness: "javascript".into(), dir: PathBuf::new() };
        let out = self.out();
        let request = BuildRequest {
            root: &self.root,
            project: &project,
            out: &out,
            intermediate: shared,
            shared,
            args: &[],
        };
        self.harness.build(&request, &mut Processes(self.root.clone()))
    }

    fn build(&self) -> Vec<Executable> {
        let shared = tempfile::tempdir().unwrap();
        let built = self.try_build(shared.path()).unwrap();
        assert_eq!(built.diagnostics, []);
        built.executables
    }

    fn list(&self, executable: &Executable) -> Listing {
        let out = self.out();
        let request = ListRequest { root: &self.root, out: &out, executable, scratch: &out, args: &[] };
        self.harness.list(&request, &mut Processes(self.root.clone())).unwrap()
    }

    /// Runs a trial of three short iterations after one of warm-up; returns its reading and all it printed.
    fn trial(&self, executable: &Executable, benchmark: &BenchmarkId) -> (Reading, Output) {
        let shape = TrialShape {
            iterations: 3,
            iteration_time: Duration::from_millis(2),
            warmup_time: Duration::from_millis(2),
            stop: benchwright_harness::Stop::Fixed,
            args: Vec::new(),
        };
        let out = self.out();
        let command = self.harness.command(&TrialRequest {
            root: &self.root,
            out: &out,
            executable,
            benchmark,
            shape: &shape,
            scratch: &out,
        });
        let output = Command::new(command.program.expect("node runs it"))
            .args(&command.args)
            .envs(command.env.iter().cloned())
            .current_dir(command.dir.expect("a copy of the version"))
            .output()
            .unwrap();
        let mut reader = self.harness.reader(executable, benchmark, &shape);
        let mut iterations = 0;
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            iterations = reader.line(line);
        }
        let reading = reader.finish(&out);
        assert_eq!(iterations as usize, reading.measurement.operations.len());
        (reading, output)
    }

    /// Runs a trial that has to give four good values.
    fn measure(&self, executable: &Executable, benchmark: &BenchmarkId) {
        let (reading, output) = self.trial(executable, benchmark);
        assert!(output.status.success(), "{benchmark}: {output:?}");
        assert_eq!(reading.diagnostics, [], "{benchmark}");
        assert_eq!(reading.measurement.warmup, 1, "{benchmark}: {output:?}");
        let time = reading.measurement.series("time").unwrap();
        assert_eq!(time.values.len(), 4, "{benchmark}: {output:?}");
        let total: f64 =
            time.values.iter().zip(&reading.measurement.operations).map(|(s, n)| s * *n as f64).sum();
        assert!(time.values.iter().all(|value| *value > 0.0), "{benchmark}: {:?}", time.values);
        // Four iterations of 2 ms, of which a loaded machine makes more.
        assert!((0.004..10.0).contains(&total), "{benchmark}: {total} s of {:?}", reading.measurement);
    }
}

fn example() -> PathBuf {
    fs::canonicalize(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/javascript")).unwrap()
}

/// Writes files into `root`.
fn write(root: &Path, files: &[(&str, &str)]) {
    for (path, text) in files {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

fn names(listing: &Listing) -> Vec<&str> {
    assert_eq!(listing.diagnostics, []);
    listing.benchmarks.iter().map(|id| id.name.as_str()).collect()
}

#[test]
fn the_example_is_recognised_built_listed_and_measured() {
    let version = Version::at(&example());
    let projects = version.harness.recognise(&version.root);
    assert_eq!(projects, [Project { harness: "javascript".into(), dir: PathBuf::new() }]);
    let text = version.harness.toolchain(&projects[0], &mut Processes(version.root.clone())).unwrap();
    assert!(text.starts_with("node v") && text.contains(", npm "), "{text}");

    let executables = version.build();
    let facts: Vec<_> = executables
        .iter()
        .map(|it| (it.package.as_str(), it.flavour.as_str(), it.flavour_version.as_str()))
        .collect();
    assert_eq!(
        facts,
        [
            ("shelf/bench/cache.js", "benchmark.js", "2.1.4"),
            ("shelf/bench/distance.mjs", "tinybench", "6.1.0"),
            ("shelf/bench/words.bench.mjs", "vitest", "3.2.4"),
        ]
    );
    let expected: [&[&str]; 3] = [
        &["cache/get", "cache/get missing", "set", "set#2", "deferred", "alone"],
        &["distance/short words", "distance/long words", "distance/same words", "short words"],
        &["words/of a page/count", "words/count", "nothing"],
    ];
    for (executable, expected) in executables.iter().zip(expected) {
        let listing = version.list(executable);
        assert_eq!(names(&listing), expected, "{}", executable.package);
        listing.benchmarks.iter().for_each(|benchmark| version.measure(executable, benchmark));
    }
}

/// A workspace without a lock file whose benchmark's name comes from another member, which a script generates.
fn workspace(root: &Path, value: u32) {
    write(
        root,
        &[
            ("package.json", r#"{"private": true, "workspaces": ["packages/*"]}"#),
            (
                "packages/fast/package.json",
                r#"{"name": "fast", "type": "module", "dependencies": {"values": "*"}, "devDependencies": {"tinybench": "2.9.0"}}"#,
            ),
            (
                "packages/fast/bench/a.js",
                "import { Bench } from 'tinybench';\nimport values from 'values';\n\
                 const bench = new Bench();\nbench.add(`value ${values.value}`, () => values.value);\n\
                 await bench.warmup();\nawait bench.run();\nconsole.table(bench.table());\n",
            ),
            (
                "packages/values/package.json",
                r#"{"name": "values", "version": "1.0.0", "main": "dist/index.js", "scripts": {"build": "node make.js"}}"#,
            ),
            (
                "packages/values/make.js",
                &format!(
                    "const fs = require('fs'); fs.mkdirSync('dist'); \
                     fs.writeFileSync('dist/index.js', 'exports.value = {value}');"
                ),
            ),
        ],
    );
}

#[test]
fn versions_of_a_workspace_have_their_own_members_and_share_a_lent_lock_file() {
    let (dir, shared) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for value in [1, 2] {
        let root = dir.path().join(value.to_string());
        workspace(&root, value);
        let version = Version::at(&root);
        let built = version.try_build(shared.path()).unwrap();
        assert_eq!(built.diagnostics, []);
        let executable = &built.executables[0];
        assert_eq!(
            (executable.package.as_str(), executable.flavour_version.as_str()),
            ("fast/bench/a.js", "2.9.0")
        );
        let listing = version.list(executable);
        assert_eq!(names(&listing), [format!("value {value}")]);
        version.measure(executable, &listing.benchmarks[0]);
        let own = fs::read_to_string(version.out().join("tree/package-lock.json")).unwrap();
        let lent = fs::read_to_string(shared.path().join("@package-lock.json")).unwrap();
        assert_eq!(own, lent);
        let left: Vec<_> = fs::read_dir(&root).unwrap().flatten().map(|entry| entry.file_name()).collect();
        assert_eq!(left.len(), 2, "the version's own files stay as they are: {left:?}");
    }
}

#[test]
fn benchmarks_that_fail_are_told_and_what_they_leave_is_swept() {
    let dir = tempfile::tempdir().unwrap();
    let text = "import { Bench } from 'tinybench';\nimport { writeFileSync } from 'node:fs';\n\
        process.stdout.write('no line end');\nconst bench = new Bench({ time: 1 });\n\
        bench.add('works', () => writeFileSync('left.txt', 'x'));\n\
        bench.add('throws', () => { throw new TypeError('boom') });\n\
        bench.add('exits', () => process.exit(7));\n\
        await bench.run();\nthrow new Error('after the benchmarks');\n";
    let manifest = r#"{"name": "p", "type": "module", "devDependencies": {"tinybench": "2.9.0"}}"#;
    write(dir.path(), &[("package.json", manifest), ("bench.js", text)]);
    let version = Version::at(dir.path());
    let executable = &version.build()[0];
    let listing = version.list(executable);
    let found: Vec<&str> = listing.benchmarks.iter().map(|id| id.name.as_str()).collect();
    assert_eq!(found, ["works", "throws", "exits"]);
    assert!(listing.diagnostics[0].to_string().contains("after the benchmarks"), "{:?}", listing.diagnostics);

    version.measure(executable, &listing.benchmarks[0]);
    let left = version.out().join("tree/left.txt");
    assert!(left.exists(), "it runs in its package's directory");
    version.harness.sweep(&version.out());
    assert!(!left.exists());

    let (reading, output) = version.trial(executable, &listing.benchmarks[1]);
    assert_eq!(output.status.code(), Some(1));
    assert!(reading.measurement.series.is_empty());
    assert_eq!(reading.diagnostics[0].to_string(), "error: p/bench.js:throws: TypeError: boom");
    assert_eq!(version.trial(executable, &listing.benchmarks[2]).1.status.code(), Some(7));

    let unknown = BenchmarkId::new("javascript", "p/bench.js", "no such");
    let (reading, _) = version.trial(executable, &unknown);
    assert!(reading.measurement.series.is_empty());
}
