//! A version on disk, and the real tools that build, list and run it as a worker would.

#![allow(dead_code, reason = "each test binary uses a part of it")]
#![expect(clippy::unwrap_used, reason = "helpers of tests, outside the functions clippy knows as such")]

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use benchwright_harness::{
    BuildRequest, Built, Executable, Harness, HarnessError, ListRequest, Listing, Project, Reading, Step,
    StepFailure, StepOutput, StepRunner, TrialCommand, TrialRequest, TrialShape, by_name,
};
use benchwright_model::BenchmarkId;
use tempfile::TempDir;

/// Runs steps as plain child processes and remembers them. Relative directories are below the version's root.
pub(crate) struct Processes {
    root: PathBuf,
    env: Vec<(&'static str, &'static str)>,
    pub(crate) steps: Vec<Step>,
}

impl Processes {
    pub(crate) fn below(root: &Path) -> Processes {
        Processes { root: root.into(), env: Vec::new(), steps: Vec::new() }
    }
}

impl StepRunner for Processes {
    fn run(&mut self, step: &Step) -> Result<StepOutput, StepFailure> {
        self.steps.push(step.clone());
        let mut command = Command::new(&step.program);
        command.args(&step.args).current_dir(self.root.join(&step.dir));
        // What Cargo sets for this test, and whoever runs it for Go, is not the environment of a user.
        let is_foreign =
            |name: &str| (name.starts_with("CARGO_") && name != "CARGO_HOME") || name == "GOFLAGS";
        for (name, _) in std::env::vars().filter(|(name, _)| is_foreign(name)) {
            command.env_remove(name);
        }
        command.envs(self.env.iter().copied()).envs(step.env.iter().cloned());
        let output = command.output().map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => StepFailure::NoProgram(step.program.to_string_lossy().into()),
            _ => StepFailure::System(error),
        })?;
        Ok(StepOutput {
            status: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            log: "step.log".into(),
        })
    }
}

/// A version's files, its build, and what it shares with other versions.
pub(crate) struct Version {
    pub(crate) harness: Box<dyn Harness>,
    pub(crate) root: PathBuf,
    pub(crate) out: PathBuf,
    /// Intermediate files and lent lock files.
    pub(crate) shared: PathBuf,
    /// Variables of all steps.
    pub(crate) env: Vec<(&'static str, &'static str)>,
    /// Kept as long as the version, where nobody else keeps it.
    pub(crate) directory: Option<TempDir>,
}

/// How a trial ended.
pub(crate) struct Ended {
    pub(crate) reading: Reading,
    /// Iterations that the reader had counted when the process ended.
    pub(crate) iterations: u32,
    pub(crate) output: Output,
}

impl Ended {
    /// All that the process said.
    pub(crate) fn said(&self) -> String {
        let [stdout, stderr] =
            [&self.output.stdout, &self.output.stderr].map(|it| String::from_utf8_lossy(it));
        format!("{stdout}\n{stderr}")
    }
}

impl Version {
    /// The version `name`, without files, of the repository in a directory; its versions share intermediate files.
    pub(crate) fn of(harness: &str, repository: &Path, name: &str) -> Version {
        let [root, out] = ["tree", "out"].map(|part| repository.join(format!("{part}-{name}")));
        let shared = repository.join("shared");
        for directory in [&root, &out, &shared] {
            fs::create_dir_all(directory).unwrap();
        }
        let harness = by_name(harness).expect("the harness is registered");
        Version { harness, root, out, shared, env: Vec::new(), directory: None }
    }

    /// The only version of a repository, without files.
    pub(crate) fn alone(harness: &str) -> Version {
        let directory = tempfile::tempdir().unwrap();
        let repository = directory.path().canonicalize().unwrap();
        Version { directory: Some(directory), ..Version::of(harness, &repository, "a") }
    }

    /// A version whose files are in the directory `root`.
    pub(crate) fn at(harness: &str, root: &Path) -> Version {
        Version { root: root.into(), ..Version::alone(harness) }
    }

    /// The only version of a repository, with the files of the bundled suite called `example`.
    pub(crate) fn of_example(harness: &str, name: &str) -> Version {
        let version = Version::alone(harness);
        copy(&example(name), &version.root);
        version
    }

    pub(crate) fn write(&self, files: &[(&str, &str)]) -> &Version {
        write(&self.root, files);
        self
    }

    pub(crate) fn processes(&self) -> Processes {
        Processes { env: self.env.clone(), ..Processes::below(&self.root) }
    }

    /// The project in a directory below the root.
    pub(crate) fn project(&self, dir: &str) -> Project {
        Project { harness: self.harness.name().into(), dir: dir.into() }
    }

    pub(crate) fn request<'a>(&'a self, project: &'a Project, args: &'a [String]) -> BuildRequest<'a> {
        BuildRequest {
            root: &self.root,
            project,
            out: &self.out,
            intermediate: &self.shared,
            shared: &self.shared,
            args,
        }
    }

    /// Builds the project in `dir`; also says which steps that took.
    pub(crate) fn build_in_steps(
        &self,
        dir: &str,
        args: &[&str],
    ) -> Result<(Built, Vec<Step>), HarnessError> {
        let (project, args, mut run) = (self.project(dir), owned(args), self.processes());
        let built = self.harness.build(&self.request(&project, &args), &mut run)?;
        Ok((built, run.steps))
    }

    pub(crate) fn try_build(&self, dir: &str, args: &[&str]) -> Result<Built, HarnessError> {
        self.build_in_steps(dir, args).map(|(built, _)| built)
    }

    /// A build without doubts.
    #[track_caller]
    pub(crate) fn build(&self, dir: &str, args: &[&str]) -> Vec<Executable> {
        let built = match self.try_build(dir, args) {
            Err(HarnessError::Tool { purpose, message, .. }) => panic!("{purpose}: {message}"),
            built => built.unwrap(),
        };
        assert_eq!(built.diagnostics, []);
        built.executables
    }

    pub(crate) fn try_list(&self, executable: &Executable, args: &[&str]) -> Result<Listing, HarnessError> {
        let (scratch, args) = (tempfile::tempdir().unwrap(), owned(args));
        let request = ListRequest {
            root: &self.root,
            out: &self.out,
            executable,
            scratch: scratch.path(),
            args: &args,
            filter: None,
        };
        self.harness.list(&request, &mut self.processes())
    }

    pub(crate) fn list(&self, executable: &Executable, args: &[&str]) -> Listing {
        self.try_list(executable, args).unwrap()
    }

    /// The process of a trial, not started yet.
    pub(crate) fn command(
        &self,
        executable: &Executable,
        benchmark: &BenchmarkId,
        shape: &TrialShape,
        scratch: &Path,
    ) -> Command {
        let (root, out) = (&self.root, &self.out);
        let request = TrialRequest { root, out, executable, benchmark, shape, scratch };
        let TrialCommand { program, args, env, dir } = self.harness.command(&request);
        let program = program.unwrap_or_else(|| out.join(&executable.path).into());
        let mut command = Command::new(program);
        command.args(args).current_dir(dir.unwrap_or_else(|| root.join(&executable.dir)));
        for (name, value) in &executable.env {
            command.env(name, value.replace("{root}", &root.to_string_lossy()));
        }
        command.envs(env);
        command
    }

    /// Runs a trial to the end that its program gives it.
    pub(crate) fn trial(
        &self,
        executable: &Executable,
        benchmark: &BenchmarkId,
        shape: &TrialShape,
    ) -> Ended {
        let scratch = tempfile::tempdir().unwrap();
        let output = self.command(executable, benchmark, shape, scratch.path()).output().unwrap();
        let mut reader = self.harness.reader(executable, benchmark, shape);
        let text = String::from_utf8_lossy(&output.stdout);
        let iterations = text.lines().map(|line| reader.line(line)).last().unwrap_or(0);
        Ended { reading: reader.finish(scratch.path()), iterations, output }
    }
}

/// A trial of so many iterations that ends by itself.
pub(crate) fn shape(iterations: u32, iteration_time: Duration, warmup_time: Duration) -> TrialShape {
    TrialShape { warmup_time, ..TrialShape::fixed(iterations, iteration_time) }
}

/// The bundled suite called `name`.
pub(crate) fn example(name: &str) -> PathBuf {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    fs::canonicalize(examples.join(name)).unwrap()
}

pub(crate) fn owned(args: &[&str]) -> Vec<String> {
    args.iter().map(|arg| arg.to_string()).collect()
}

pub(crate) fn names(listing: &Listing) -> Vec<&str> {
    listing.benchmarks.iter().map(|benchmark| benchmark.name.as_str()).collect()
}

/// Writes files into `root`.
pub(crate) fn write(root: &Path, files: &[(&str, &str)]) {
    for (path, text) in files {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

/// Copies a directory without what a developer's own builds left in it.
pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true if entry.file_name() == "target" => {}
            true => copy(&entry.path(), &target),
            false => drop(fs::copy(entry.path(), target).unwrap()),
        }
    }
}
