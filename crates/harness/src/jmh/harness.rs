//! The interface of this harness.

use std::path::Path;
use std::time::Duration;

use benchwright_model::{BenchmarkId, SampleKind};

use super::class_path::ClassPath;
use super::{build, command, list, reader, recognise, shim, source, time, toolchain};
use crate::own_code::files_below;
use crate::{
    BuildRequest, Built, CodeLookup, Equipper, Executable, Harness, HarnessError, ListRequest, Listing,
    OwnCode, Payload, PayloadRequest, Portability, Project, Reader, StepRunner, Stopping, TrialCommand,
    TrialLength, TrialRequest, TrialShape, TrialTime, Warmup,
};

/// The name in identities and configuration.
pub(super) const NAME: &str = "jmh";

/// The flavour of executables that our shim drives.
pub(super) const WITH_SHIM: &str = "jmh";

/// The flavour of executables whose text output is read, because the shim could not be compiled for them.
pub(super) const TEXT: &str = "jmh-text";

/// Benchmarks of the Java Microbenchmark Harness.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Jmh;

impl Harness for Jmh {
    fn name(&self) -> &'static str {
        NAME
    }

    fn samples(&self) -> SampleKind {
        SampleKind::Java
    }

    fn looks_for(&self) -> &'static str {
        "a `pom.xml`, a Gradle build or a jar with JMH"
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
        executable: &Executable,
        benchmark: &BenchmarkId,
        shape: &TrialShape,
    ) -> Box<dyn Reader> {
        Box::new(reader::TrialReader::new(executable, benchmark, shape))
    }

    fn arguments_help(&self) -> &'static str {
        "Java: `build-args` go to Maven or Gradle, such as [\"-Pbenchmarks\"]; `args` go to JMH, such as \
         [\"-prof\", \"gc\", \"-jvmArgs\", \"-Xmx2g\"]. See docs/guide/jmh.md."
    }

    fn is_source(&self, path: &str) -> bool {
        source::is_compiled_in(path)
    }

    fn portability(&self) -> Option<&dyn Portability> {
        Some(self)
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

impl Portability for Jmh {
    fn payload(&self, request: &PayloadRequest<'_>) -> Result<Payload, String> {
        let package = &request.executable.package;
        let out = vec![shim::directory(package), ClassPath::directory(package)];
        Ok(Payload { out, ..Payload::default() })
    }

    fn equipper(&self) -> Option<&dyn Equipper> {
        Some(self)
    }
}

impl Warmup for Jmh {
    fn stopping(&self, _executable: &Executable, _out: &Path) -> Stopping {
        Stopping::Live
    }
}

impl TrialLength for Jmh {
    fn other_samples(&self, _executable: &Executable, shape: &TrialShape) -> Option<&'static str> {
        (!command::is_watched(shape))
            .then_some("without a stop rule JMH takes the suite's own iterations; `--stop steady` is one")
    }

    fn iteration_time(&self, shape: &TrialShape) -> Duration {
        time::iteration(shape)
    }

    fn trial_time(&self, shape: &TrialShape) -> TrialTime {
        time::trial(shape)
    }
}

impl CodeLookup for Jmh {
    fn own_code(&self, root: &Path, project: &Project, benchmark: &BenchmarkId) -> Option<OwnCode> {
        let class = benchmark.name.split('.').next()?;
        let file = Path::new(&benchmark.package.replace('.', "/")).join(format!("{class}.java"));
        let files = files_below(&root.join(&project.dir), &|path| path.ends_with(&file));
        std::fs::read_to_string(files.first()?).ok().map(OwnCode::File)
    }
}
