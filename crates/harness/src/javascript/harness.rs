//! The harness as the rest of the program sees it.

use std::path::Path;

use benchwright_model::BenchmarkId;

use super::{build, command, documents, list, recognise, toolchain, tree};
use crate::protocol::SampleReader;
use crate::{
    BuildRequest, Built, Executable, Harness, HarnessError, ListRequest, Listing, Project, Reader,
    StepRunner, TrialCommand, TrialRequest, TrialShape,
};

/// The harness' name in identities and configuration.
pub(super) const NAME: &str = "javascript";

/// Benchmarks that run under node.
pub(crate) struct JavaScript;

impl Harness for JavaScript {
    fn name(&self) -> &'static str {
        NAME
    }

    fn looks_for(&self) -> &'static str {
        "a `package.json` with benchmarks of Benchmark.js, tinybench or vitest"
    }

    fn recognise(&self, root: &Path) -> Vec<Project> {
        recognise::projects(root)
    }

    fn toolchain(&self, project: &Project, run: &mut dyn StepRunner) -> Result<String, HarnessError> {
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
        Box::new(SampleReader::new(benchmark))
    }

    fn is_source(&self, path: &str) -> bool {
        documents::is_irrelevant(path)
    }

    fn sweep(&self, out: &Path) {
        tree::sweep(out);
    }
}
