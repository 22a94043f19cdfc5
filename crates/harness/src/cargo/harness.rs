//! The interface of this harness.

use std::path::Path;
use std::time::Duration;

use benchwright_model::{BenchmarkId, SampleKind};

use super::flavour::Flavour;
use super::{build, criterion, divan, libtest, list, own_code, recognise, relink, sources, toolchain};
use crate::{
    Architecture, BuildRequest, Built, CodeLookup, Executable, Harness, HarnessError, ListRequest, Listing,
    OwnCode, Payload, PayloadRequest, Portability, Project, Reader, RelinkRequest, Relinked, Relinking,
    StepRunner, TrialCommand, TrialLength, TrialRequest, TrialShape, TrialTime,
};

/// The name of the harness in identities and configuration.
pub(super) const NAME: &str = "cargo";

/// Benchmarks that `cargo bench` runs.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Cargo {
    /// The architecture to build for. `None` means that of this machine.
    target: Option<Architecture>,
}

impl Harness for Cargo {
    fn name(&self) -> &'static str {
        NAME
    }

    fn samples(&self) -> SampleKind {
        SampleKind::Slices
    }

    fn looks_for(&self) -> &'static str {
        "a `Cargo.toml` with benchmarks of Criterion, divan or libtest"
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
        toolchain::describe(project, self.target, run)
    }

    fn build(&self, request: &BuildRequest<'_>, run: &mut dyn StepRunner) -> Result<Built, HarnessError> {
        build::build(request, self.target, run)
    }

    fn list(&self, request: &ListRequest<'_>, run: &mut dyn StepRunner) -> Result<Listing, HarnessError> {
        list::list(request, run)
    }

    fn command(&self, request: &TrialRequest<'_>) -> TrialCommand {
        let TrialRequest { executable, benchmark, shape, scratch, .. } = request;
        match Flavour::of(executable) {
            Flavour::Criterion => {
                criterion::command(&executable.flavour_version, &benchmark.name, shape, scratch)
            }
            Flavour::Divan => divan::command(&benchmark.name, shape),
            Flavour::Bencher => libtest::bencher_command(&benchmark.name, shape),
            Flavour::Libtest => libtest::command(&benchmark.name, shape),
        }
    }

    fn reader(
        &self,
        executable: &Executable,
        benchmark: &BenchmarkId,
        _shape: &TrialShape,
    ) -> Box<dyn Reader> {
        match Flavour::of(executable) {
            Flavour::Criterion => Box::new(criterion::SampleReader::new(benchmark)),
            Flavour::Divan => Box::new(divan::RowReader::new(benchmark)),
            Flavour::Bencher | Flavour::Libtest => Box::new(libtest::LineReader::new(benchmark)),
        }
    }

    fn arguments_help(&self) -> &'static str {
        "Rust (Criterion, divan, libtest): `build-args` go to `cargo bench --no-run`, such as \
         [\"--features\", \"x\"]; `args` go to the benchmark program."
    }

    fn is_source(&self, path: &str) -> bool {
        sources::is_source(path)
    }

    fn relinking(&self) -> Option<&dyn Relinking> {
        Some(self)
    }

    fn portability(&self) -> Option<&dyn Portability> {
        Some(self)
    }

    fn trial_length(&self) -> Option<&dyn TrialLength> {
        Some(self)
    }

    fn code_lookup(&self) -> Option<&dyn CodeLookup> {
        Some(self)
    }
}

/// Time that Criterion's processes need in addition to their iterations: 23 benchmarks of `examples/rust`
/// took 0.15 to 0.4 s in all.
const ANALYSIS: Duration = Duration::from_millis(100);

impl Relinking for Cargo {
    fn relink(
        &self,
        request: &RelinkRequest<'_>,
        run: &mut dyn StepRunner,
    ) -> Result<Relinked, HarnessError> {
        match self.target {
            None => relink::relink(request, run),
            Some(architecture) => Ok(Relinked::Cannot(format!(
                "only programs for this machine are linked in random order, not those for {architecture}"
            ))),
        }
    }

    fn is_prepared(&self, keep: &Path) -> bool {
        relink::is_prepared(keep)
    }
}

impl Portability for Cargo {
    fn payload(&self, request: &PayloadRequest<'_>) -> Result<Payload, String> {
        Ok(Payload::of_one(request))
    }

    fn targeting(&self, architecture: Architecture) -> Option<Box<dyn Harness>> {
        Some(Box::new(Cargo { target: Some(architecture) }))
    }
}

impl TrialLength for Cargo {
    /// Includes Criterion's analysis of its measurements.
    fn trial_time(&self, shape: &TrialShape) -> TrialTime {
        TrialTime::with_start(shape, ANALYSIS)
    }

    fn other_samples(&self, executable: &Executable, shape: &TrialShape) -> Option<&'static str> {
        match Flavour::of(executable) {
            Flavour::Criterion if shape.iterations < criterion::LEAST_SAMPLES => {
                Some("Criterion takes at least 10 samples per process")
            }
            Flavour::Criterion => None,
            Flavour::Divan if shape.iterations != 1 => Some("divan prints one value per process"),
            Flavour::Bencher | Flavour::Libtest if shape.iterations != 1 => {
                Some("libtest and bencher print one value per process")
            }
            Flavour::Divan | Flavour::Bencher | Flavour::Libtest => None,
        }
    }
}

impl CodeLookup for Cargo {
    fn own_code(&self, root: &Path, project: &Project, benchmark: &BenchmarkId) -> Option<OwnCode> {
        own_code::find(root, project, benchmark)
    }
}
