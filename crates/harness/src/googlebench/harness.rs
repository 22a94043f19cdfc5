//! The interface of this harness.

use std::path::Path;

use benchwright_model::{BenchmarkId, SampleKind};

use super::{build, command, list, reader, recognise, source, toolchain};
use crate::{
    BuildRequest, Built, Executable, Harness, HarnessError, ListRequest, Listing, Payload, PayloadRequest,
    Portability, Project, Reader, StepRunner, TrialCommand, TrialRequest, TrialShape,
};

/// The name in identities and configuration.
pub(super) const NAME: &str = "googlebench";

/// Benchmarks written for Google Benchmark.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct GoogleBenchmark;

impl Harness for GoogleBenchmark {
    fn name(&self) -> &'static str {
        NAME
    }

    fn samples(&self) -> SampleKind {
        SampleKind::Slices
    }

    fn looks_for(&self) -> &'static str {
        "a `CMakeLists.txt` that uses Google Benchmark, or `build-args` that name a program"
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
        _shape: &TrialShape,
    ) -> Box<dyn Reader> {
        Box::new(reader::ResultReader::new(benchmark))
    }

    fn arguments_help(&self) -> &'static str {
        "C++: `build-args` go to CMake's configuration, such as [\"-DX=ON\"]; [\"--make\", \"make \
         bench\", \"--program\", \"build/bench\"] builds without CMake. `args` go to programs of Google \
         Benchmark, such as [\"--benchmark_min_warmup_time=0.2\"]. See docs/guide/googlebench.md."
    }

    fn is_source(&self, path: &str) -> bool {
        source::is_compiled_in(path)
    }

    fn portability(&self) -> Option<&dyn Portability> {
        Some(self)
    }
}

impl Portability for GoogleBenchmark {
    fn payload(&self, request: &PayloadRequest<'_>) -> Result<Payload, String> {
        Ok(Payload::of_one(request))
    }
}
