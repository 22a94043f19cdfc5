//! The interface of this harness.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use benchwright_model::{BenchmarkId, SampleKind};

use super::build;
use crate::compilers;
use crate::document::is_document;
use crate::protocol::{SampleReader, VERSION};
use crate::{
    BuildRequest, Built, CodeLookup, Definitions, Executable, Harness, HarnessError, ListRequest, Listing,
    OwnCode, Project, Reader, ShimDefinition, StepRunner, Stopping, TrialCommand, TrialRequest, TrialShape,
    Warmup, WorkingFiles,
};

/// The name in identities and configuration.
pub(super) const NAME: &str = "shim";

/// Programs that use the shim protocol.
#[derive(Debug, Clone, Default)]
pub(crate) struct Shims {
    definitions: Vec<ShimDefinition>,
}

impl Shims {
    /// The shims that the configuration defines.
    pub(crate) fn of(definitions: &Definitions) -> Shims {
        Shims { definitions: definitions.shims.clone() }
    }
}

impl Harness for Shims {
    fn name(&self) -> &'static str {
        NAME
    }

    fn samples(&self) -> SampleKind {
        SampleKind::Other
    }

    fn looks_for(&self) -> &'static str {
        "a `[[shim]]` table of benchwright.toml"
    }

    fn definition(&self) -> String {
        // This text is only compared with itself, so its format does not matter.
        self.definitions.iter().map(|definition| format!("{definition:?}\n")).collect()
    }

    fn recognise(&self, _root: &Path) -> Vec<Project> {
        match self.definitions.is_empty() {
            true => Vec::new(),
            false => vec![Project { harness: NAME.into(), dir: PathBuf::new() }],
        }
    }

    fn toolchain(
        &self,
        project: &Project,
        _args: &[String],
        run: &mut dyn StepRunner,
    ) -> Result<String, HarnessError> {
        let own = format!("shim protocol {VERSION}");
        match self.definitions.iter().any(|shim| shim.build.is_some()) {
            true => Ok(format!("{own}, {}", compilers::describe_all(&project.dir, run))),
            false => Ok(own),
        }
    }

    fn build(&self, request: &BuildRequest<'_>, run: &mut dyn StepRunner) -> Result<Built, HarnessError> {
        build::build(&self.definitions, request, run)
    }

    fn list(&self, request: &ListRequest<'_>, run: &mut dyn StepRunner) -> Result<Listing, HarnessError> {
        build::list(request, run)
    }

    fn command(&self, request: &TrialRequest<'_>) -> TrialCommand {
        let TrialRequest { benchmark, shape, .. } = request;
        let mut args: Vec<OsString> = vec!["run".into(), (&benchmark.name).into()];
        // A rule that sees every iteration sees warm-up too.
        let (iterations, warmup) = match shape.live() {
            Some(by) => (by.most_iterations(shape), Duration::ZERO),
            None => (shape.iterations, shape.warmup_time),
        };
        let options = [
            ("--iterations", iterations.to_string()),
            ("--iteration-time", shape.iteration_time.as_secs_f64().to_string()),
            ("--warmup-time", warmup.as_secs_f64().to_string()),
        ];
        args.extend(options.into_iter().flat_map(|(name, value)| [name.into(), value.into()]));
        args.extend(shape.args.iter().map(OsString::from));
        TrialCommand { args, ..TrialCommand::default() }
    }

    fn reader(
        &self,
        _executable: &Executable,
        benchmark: &BenchmarkId,
        shape: &TrialShape,
    ) -> Box<dyn Reader> {
        Box::new(SampleReader::new(benchmark).watched(shape.live().is_some()))
    }

    fn is_source(&self, path: &str) -> bool {
        is_document(path)
    }

    fn warmup(&self) -> Option<&dyn Warmup> {
        Some(self)
    }

    fn code_lookup(&self) -> Option<&dyn CodeLookup> {
        Some(self)
    }

    fn working_files(&self) -> Option<&dyn WorkingFiles> {
        Some(self)
    }
}

impl Warmup for Shims {
    fn stopping(&self, _executable: &Executable, _out: &Path) -> Stopping {
        Stopping::OnRequest
    }
}

impl CodeLookup for Shims {
    fn own_code(&self, _root: &Path, _project: &Project, benchmark: &BenchmarkId) -> Option<OwnCode> {
        let definition = self.definitions.iter().find(|definition| definition.name == benchmark.package)?;
        Some(OwnCode::Definition(format!("{definition:?}")))
    }
}

impl WorkingFiles for Shims {
    fn builds_in_place(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_compiler_is_another_build_where_something_is_built() {
        let check = |build: Option<&str>, is_asked| {
            let build = build.map(str::to_owned);
            let (name, run) = ("words".to_owned(), "perl words.pl".to_owned());
            let shim = ShimDefinition { name, run, build, dir: PathBuf::new(), env: Vec::new() };
            let harness = Shims { definitions: vec![shim] };
            compilers::tests::check_asked(&harness, is_asked);
        };
        check(Some("make bench"), true);
        check(None, false);
    }
}
