//! The interface of this harness.

use std::path::Path;
use std::time::Duration;

use benchwright_model::{BenchmarkId, SampleKind};

use super::description::Flavour;
use super::requirements::Wishes;
use super::{build, description, interpreter, list, pyperf, pytest, recognise};
use crate::{
    BuildRequest, Built, CodeLookup, Executable, Harness, HarnessError, ListRequest, Listing, OwnCode,
    Project, Reader, StepRunner, Stopping, TrialCommand, TrialLength, TrialRequest, TrialShape, TrialTime,
    Warmup,
};

/// The name in identities and configuration.
pub(super) const NAME: &str = "python";

/// Benchmarks of pytest-benchmark and pyperf.
pub(crate) struct Python;

impl Harness for Python {
    fn name(&self) -> &'static str {
        NAME
    }

    fn samples(&self) -> SampleKind {
        SampleKind::Other
    }

    fn looks_for(&self) -> &'static str {
        "Python files with benchmarks of pytest-benchmark or pyperf"
    }

    fn recognise(&self, root: &Path) -> Vec<Project> {
        recognise::projects(root)
    }

    fn toolchain(
        &self,
        project: &Project,
        args: &[String],
        run: &mut dyn StepRunner,
    ) -> Result<String, HarnessError> {
        let wishes = Wishes::parse(args);
        interpreter::find(&project.dir, &project.dir, wishes.python.as_deref(), run)
            .map(|found| found.describe())
    }

    fn build(&self, request: &BuildRequest<'_>, run: &mut dyn StepRunner) -> Result<Built, HarnessError> {
        build::build(request, run)
    }

    fn list(&self, request: &ListRequest<'_>, run: &mut dyn StepRunner) -> Result<Listing, HarnessError> {
        list::list(request, run)
    }

    fn command(&self, request: &TrialRequest<'_>) -> TrialCommand {
        match Flavour::of(request.executable) {
            Flavour::PytestBenchmark => pytest::command(request),
            Flavour::Pyperf => pyperf::command(request),
        }
    }

    fn reader(
        &self,
        executable: &Executable,
        benchmark: &BenchmarkId,
        shape: &TrialShape,
    ) -> Box<dyn Reader> {
        match Flavour::of(executable) {
            Flavour::PytestBenchmark => Box::new(pytest::RoundReader::new(benchmark, shape)),
            Flavour::Pyperf => Box::new(pyperf::ValueReader::new(benchmark, shape)),
        }
    }

    fn arguments_help(&self) -> &'static str {
        "Python: `build-args` are [\"--python\", \"python3.12\", \"--extra\", \"speed\", \"--group\", \
         \"bench\"]; others go to pip. `args` go to pytest or a script of pyperf, such as \
         [\"--benchmark-disable-gc\"]. See docs/guide/python.md."
    }

    /// A description contains no compiled files, so every file counts as data unless it is a document.
    fn is_source(&self, path: &str) -> bool {
        crate::document::is_document(path)
    }

    fn warmup(&self) -> Option<&dyn Warmup> {
        Some(self)
    }

    fn trial_length(&self) -> Option<&dyn TrialLength> {
        Some(self)
    }

    fn code_lookup(&self) -> Option<&dyn CodeLookup> {
        Some(self)
    }
}

impl Warmup for Python {
    /// Both tools write their values at the end. PyPy compiles code while it runs; its name is in the
    /// environment made for a build.
    fn stopping(&self, _executable: &Executable, out: &Path) -> Stopping {
        let programs = description::interpreter(out);
        let is_compiled =
            programs.with_file_name("pypy").exists() || programs.with_file_name("pypy3").exists();
        if is_compiled { Stopping::Afterwards } else { Stopping::Never }
    }
}

impl TrialLength for Python {
    fn trial_time(&self, shape: &TrialShape) -> TrialTime {
        /// The start of the interpreter and pytest, and calibration: trials of a real suite took 2.5 s, of
        /// which 0.3 s were measured.
        const START: Duration = Duration::from_secs(2);
        TrialTime::with_start(shape, START)
    }
}

impl CodeLookup for Python {
    /// The package in an identity is the file. pytest's names end with the function's name.
    fn own_code(&self, root: &Path, _project: &Project, benchmark: &BenchmarkId) -> Option<OwnCode> {
        let text = std::fs::read_to_string(root.join(&benchmark.package)).ok()?;
        let name = benchmark.name.split('[').next().unwrap_or_default();
        let beginning = format!("def {}(", name.rsplit("::").next().unwrap_or(name));
        Some(OwnCode::indented(text, |line| line.starts_with(&beginning)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_interpreter_that_compiles_warms_up() {
        let executable = Executable {
            harness: NAME.into(),
            package: "tests/test_a.py".into(),
            flavour: "pytest-benchmark".into(),
            flavour_version: String::new(),
            path: "a.json".into(),
            dir: "".into(),
            env: Vec::new(),
        };
        let out = tempfile::tempdir().expect("a directory");
        let programs = description::interpreter(out.path());
        let programs = programs.parent().expect("a directory");
        std::fs::create_dir_all(programs).expect("a directory");
        std::fs::write(programs.join("python"), "").expect("a file");
        assert_eq!(Python.stopping(&executable, out.path()), Stopping::Never);
        std::fs::write(programs.join("pypy3"), "").expect("a file");
        assert_eq!(Python.stopping(&executable, out.path()), Stopping::Afterwards);
    }
}
