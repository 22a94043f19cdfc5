//! The interface of this harness.

use std::path::Path;
use std::time::Duration;

use benchwright_model::{BenchmarkId, SampleKind};

use super::{build, command, documents, list, recognise, toolchain, tree};
use crate::protocol::SampleReader;
use crate::{
    BuildRequest, Built, CodeLookup, Executable, Harness, HarnessError, ListRequest, Listing, OwnCode,
    Project, Reader, StepRunner, Stopping, TrialCommand, TrialLength, TrialRequest, TrialShape, TrialTime,
    Warmup, WorkingFiles,
};

/// The name of the harness in identities and configuration.
pub(super) const NAME: &str = "javascript";

/// Benchmarks that run under node.
pub(crate) struct JavaScript;

impl Harness for JavaScript {
    fn name(&self) -> &'static str {
        NAME
    }

    fn samples(&self) -> SampleKind {
        SampleKind::Jit
    }

    fn looks_for(&self) -> &'static str {
        "a `package.json` with benchmarks of Benchmark.js, tinybench or vitest"
    }

    fn recognise(&self, root: &Path) -> Vec<Project> {
        recognise::projects(root)
    }

    fn toolchain(
        &self,
        project: &Project,
        _args: &[String],
        run: &mut dyn StepRunner,
    ) -> Result<String, HarnessError> {
        toolchain::describe(project, run)
    }

    fn build(&self, request: &BuildRequest<'_>, run: &mut dyn StepRunner) -> Result<Built, HarnessError> {
        build::build(request, run)
    }

    fn list(&self, request: &ListRequest<'_>, run: &mut dyn StepRunner) -> Result<Listing, HarnessError> {
        list::list(request, run)
    }

    fn command(&self, request: &TrialRequest<'_>) -> TrialCommand {
        command::trial(request)
    }

    fn reader(
        &self,
        _executable: &Executable,
        benchmark: &BenchmarkId,
        shape: &TrialShape,
    ) -> Box<dyn Reader> {
        Box::new(SampleReader::new(benchmark).watched(shape.live().is_some()))
    }

    fn arguments_help(&self) -> &'static str {
        "JavaScript: `build-args` are [\"--script\", \"build\"] or [\"--no-script\"]; others go to the \
         package manager. `args` go to vitest or the benchmark file, such as [\"--pool=threads\"]. See \
         docs/guide/javascript.md."
    }

    fn is_source(&self, path: &str) -> bool {
        documents::is_irrelevant(path)
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

    fn working_files(&self) -> Option<&dyn WorkingFiles> {
        Some(self)
    }
}

impl Warmup for JavaScript {
    fn stopping(&self, _executable: &Executable, _out: &Path) -> Stopping {
        Stopping::Live
    }
}

impl TrialLength for JavaScript {
    fn trial_time(&self, shape: &TrialShape) -> TrialTime {
        /// The start of node, vitest or Benchmark.js, and their warm-up: trials of real suites took 4 to 8 s.
        const START: Duration = Duration::from_secs(4);
        TrialTime::with_start(shape, START)
    }
}

impl CodeLookup for JavaScript {
    /// The package in an identity is the npm package's name and the file in it. If the npm package is not the
    /// project itself, the code is not searched for.
    fn own_code(&self, root: &Path, project: &Project, benchmark: &BenchmarkId) -> Option<OwnCode> {
        let package = &benchmark.package;
        let below =
            package.match_indices('/').map(|(at, _)| root.join(&project.dir).join(&package[at + 1..]));
        let text = below.filter(|file| file.is_file()).find_map(|file| std::fs::read_to_string(file).ok())?;
        Some(OwnCode::File(text))
    }
}

impl WorkingFiles for JavaScript {
    fn sweep(&self, out: &Path) {
        tree::sweep(out);
    }
}
