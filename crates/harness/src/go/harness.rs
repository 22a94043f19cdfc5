//! The interface of this harness.

use std::path::Path;

use benchwright_model::{BenchmarkId, SampleKind};

use super::{build, command, list, own_code, reader, recognise, relink, source, toolchain};
use crate::{
    Architecture, BuildRequest, Built, CodeLookup, Executable, Harness, HarnessError, ListRequest, Listing,
    OwnCode, PackageFilter, PackageSelection, Payload, PayloadRequest, Portability, Project, Reader,
    RelinkRequest, Relinked, Relinking, StepRunner, TrialCommand, TrialRequest, TrialShape,
};

/// The name in identities and configuration.
pub(super) const NAME: &str = "go";

/// Benchmarks of Go's package `testing`.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Go {
    /// The architecture to build for. `None` means that of this machine.
    target: Option<Architecture>,
}

impl Harness for Go {
    fn name(&self) -> &'static str {
        NAME
    }

    fn samples(&self) -> SampleKind {
        SampleKind::Slices
    }

    fn looks_for(&self) -> &'static str {
        "a `go.mod`"
    }

    fn recognise(&self, root: &Path) -> Vec<Project> {
        recognise::modules(root)
    }

    fn toolchain(
        &self,
        project: &Project,
        _args: &[String],
        run: &mut dyn StepRunner,
    ) -> Result<String, HarnessError> {
        toolchain::describe(project, self.target, run)
    }

    fn build(&self, request: &BuildRequest<'_>, run: &mut dyn StepRunner) -> Result<Built, HarnessError> {
        build::build(request, self.target, None, run)
    }

    fn list(&self, request: &ListRequest<'_>, run: &mut dyn StepRunner) -> Result<Listing, HarnessError> {
        list::list(request, run)
    }

    fn command(&self, request: &TrialRequest<'_>) -> TrialCommand {
        command::trial(request.executable, request.benchmark, request.shape)
    }

    fn reader(
        &self,
        _executable: &Executable,
        benchmark: &BenchmarkId,
        shape: &TrialShape,
    ) -> Box<dyn Reader> {
        Box::new(reader::TrialReader::new(benchmark, shape))
    }

    fn shares_arguments(&self) -> bool {
        true
    }

    fn arguments_help(&self) -> &'static str {
        "Go: `build-args` go to `go test -c`, such as [\"-tags\", \"x\"]; `args` go to the test program, \
         such as [\"-cpu\", \"1,4\"]."
    }

    fn is_source(&self, path: &str) -> bool {
        source::is_compiled_in(path)
    }

    fn relinking(&self) -> Option<&dyn Relinking> {
        Some(self)
    }

    fn package_selection(&self) -> Option<&dyn PackageSelection> {
        Some(self)
    }

    fn portability(&self) -> Option<&dyn Portability> {
        Some(self)
    }

    fn code_lookup(&self) -> Option<&dyn CodeLookup> {
        Some(self)
    }
}

impl Relinking for Go {
    fn relink(
        &self,
        request: &RelinkRequest<'_>,
        run: &mut dyn StepRunner,
    ) -> Result<Relinked, HarnessError> {
        relink::relink(request, self.target, run)
    }

    fn is_prepared(&self, keep: &Path) -> bool {
        relink::is_prepared(keep)
    }
}

impl PackageSelection for Go {
    fn build_selected(
        &self,
        request: &BuildRequest<'_>,
        filter: &dyn PackageFilter,
        run: &mut dyn StepRunner,
    ) -> Result<Built, HarnessError> {
        build::build(request, self.target, Some(filter), run)
    }
}

impl Portability for Go {
    fn payload(&self, request: &PayloadRequest<'_>) -> Result<Payload, String> {
        Ok(Payload::of_one(request))
    }

    fn targeting(&self, architecture: Architecture) -> Option<Box<dyn Harness>> {
        Some(Box::new(Go { target: Some(architecture) }))
    }
}

impl CodeLookup for Go {
    fn own_code(&self, root: &Path, project: &Project, benchmark: &BenchmarkId) -> Option<OwnCode> {
        own_code::find(root, project, benchmark)
    }
}
