//! The interface of this harness.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use benchwright_model::{BenchmarkId, SampleKind};

use super::combination::combinations;
use super::{DRIVER, build, payload, record};
use crate::compilers;
use crate::document::is_document;
use crate::protocol::SampleReader;
use crate::{
    BuildRequest, Built, CodeLookup, CommandDefinition, Definitions, Executable, Harness, HarnessError,
    ListRequest, Listing, OwnCode, Payload, PayloadRequest, Portability, Project, Reader, StepRunner,
    TrialCommand, TrialRequest, TrialShape, WorkingFiles,
};

/// The name in identities and configuration.
pub(super) const NAME: &str = "command";

/// Commands as benchmarks.
#[derive(Debug, Clone, Default)]
pub(crate) struct Commands {
    definitions: Vec<CommandDefinition>,
}

impl Commands {
    /// The commands that the configuration defines.
    pub(crate) fn of(definitions: &Definitions) -> Commands {
        Commands { definitions: definitions.commands.clone() }
    }
}

impl Harness for Commands {
    fn name(&self) -> &'static str {
        NAME
    }

    fn samples(&self) -> SampleKind {
        SampleKind::Other
    }

    fn looks_for(&self) -> &'static str {
        "a `[[command]]` table of benchwright.toml"
    }

    fn definition(&self) -> String {
        self.definitions.iter().map(record::written).collect::<Vec<_>>().join("\n")
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
        // This program measures the commands. The tools that make them are known only to their authors.
        let own = format!("benchwright {}", env!("CARGO_PKG_VERSION"));
        let is_made = |command: &CommandDefinition| command.build.is_some() || command.setup.is_some();
        match self.definitions.iter().any(is_made) {
            true => Ok(format!("{own}, {}", compilers::describe_all(&project.dir, run))),
            false => Ok(own),
        }
    }

    fn build(&self, request: &BuildRequest<'_>, run: &mut dyn StepRunner) -> Result<Built, HarnessError> {
        build::build(&self.definitions, request, run)
    }

    fn list(&self, request: &ListRequest<'_>, _run: &mut dyn StepRunner) -> Result<Listing, HarnessError> {
        build::list(request)
    }

    fn command(&self, request: &TrialRequest<'_>) -> TrialCommand {
        let TrialRequest { shape, .. } = request;
        let seconds = shape.iteration_time.as_secs_f64() * f64::from(shape.iterations);
        let mut args: Vec<OsString> = vec![
            DRIVER.into(),
            request.out.join(&request.executable.path).into(),
            request.root.into(),
            (&request.benchmark.name).into(),
            shape.iterations.to_string().into(),
            seconds.to_string().into(),
        ];
        args.extend(shape.args.iter().map(OsString::from));
        TrialCommand { program: Some(driver()), args, ..TrialCommand::default() }
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
        is_document(path)
    }

    fn portability(&self) -> Option<&dyn Portability> {
        Some(self)
    }

    fn code_lookup(&self) -> Option<&dyn CodeLookup> {
        Some(self)
    }

    fn working_files(&self) -> Option<&dyn WorkingFiles> {
        Some(self)
    }
}

impl Portability for Commands {
    fn payload(&self, request: &PayloadRequest<'_>) -> Result<Payload, String> {
        payload::payload(request)
    }
}

impl CodeLookup for Commands {
    fn own_code(&self, _root: &Path, _project: &Project, benchmark: &BenchmarkId) -> Option<OwnCode> {
        let has = |definition: &&CommandDefinition| {
            let all = combinations(&definition.parameters);
            all.iter().any(|combination| combination.name_of(definition) == benchmark.name)
        };
        let definition = self.definitions.iter().find(has)?;
        Some(OwnCode::Definition(record::written(definition)))
    }
}

impl WorkingFiles for Commands {
    fn builds_in_place(&self) -> bool {
        true
    }
}

/// This program, which also drives trials of commands, whether it is benchwright or the function on another
/// machine.
fn driver() -> OsString {
    std::env::current_exe().map_or_else(|_| "benchwright".into(), OsString::from)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn there_is_a_project_where_commands_are_defined() {
        assert_eq!(Commands::default().recognise(Path::new("/r")), []);
        let of = |text: &str| Commands { definitions: vec![CommandDefinition::new("x", text)] };
        assert_eq!(of("true").recognise(Path::new("/r")).len(), 1);
        assert_ne!(of("false").definition(), of("true").definition(), "another definition is another build");
    }

    #[test]
    fn another_compiler_is_another_build_where_something_is_built() {
        let check = |build: Option<&str>, setup: Option<&str>, is_asked| {
            let mut command = CommandDefinition::new("x", "true");
            (command.build, command.setup) = (build.map(str::to_owned), setup.map(str::to_owned));
            let harness = Commands { definitions: vec![command] };
            compilers::tests::check_asked(&harness, is_asked);
        };
        check(Some("make"), None, true);
        check(None, Some("make data"), true);
        check(None, None, false);
    }

    #[test]
    fn a_trial_is_a_run_of_the_driver() {
        let executable = Executable {
            harness: NAME.into(),
            package: NAME.into(),
            flavour: NAME.into(),
            flavour_version: String::new(),
            path: "000.json".into(),
            dir: PathBuf::new(),
            env: Vec::new(),
        };
        let shape =
            TrialShape { args: vec!["--fast".into()], ..TrialShape::fixed(3, Duration::from_millis(100)) };
        let command = Commands::default().command(&TrialRequest {
            root: Path::new("/r"),
            out: Path::new("/o"),
            executable: &executable,
            benchmark: &BenchmarkId::new(NAME, NAME, "x y(n=1)"),
            shape: &shape,
            scratch: Path::new("/s"),
        });
        assert!(command.program.is_some());
        let args: Vec<_> = command.args.iter().map(|arg| arg.to_string_lossy()).collect();
        assert_eq!(args[..4], [DRIVER, "/o/000.json", "/r", "x y(n=1)"]);
        assert_eq!(args[4], "3");
        assert!((args[5].parse::<f64>().unwrap() - 0.3).abs() < 1e-9);
        assert_eq!(args[6..], ["--fast"]);
    }
}
