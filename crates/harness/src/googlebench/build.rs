//! Builds the executables that link the library, once per version.
//!
//! All versions are built in the same directory, which is emptied before each, so that identical code gives
//! identical programs with the same paths of the build directory. The programs are copied, so they must not
//! need that directory any more. Programs that load a library made by the same build, or name the directory
//! as a place of data, are built in a directory of their own version, which stays with the build. So no
//! version can read files of the other.
//!
//! The path of the source directory stays in the programs (`__FILE__`), because benchmarks use it to find
//! their data. It is the same on both sides except for a part of the same length, which the comparison of
//! programs ignores.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use benchwright_model::{Diagnostic, Severity};

use super::arguments::BuildArguments;
use super::cache_file::CacheFile;
use super::code_model::{self, CodeModel, Program};
use super::harness::NAME;
use super::steps::{self, file_error};
use super::{given, programs};
use crate::{BuildRequest, Built, Executable, HarnessError, Step, StepOutput, StepRunner};

/// Time limit for configuring, which may download other projects.
const CONFIGURING: Duration = Duration::from_secs(30 * 60);

/// Limit for compiling.
const COMPILING: Duration = Duration::from_secs(2 * 60 * 60);

/// Builds every executable of the project that links the library.
pub(super) fn build(request: &BuildRequest<'_>, run: &mut dyn StepRunner) -> Result<Built, HarnessError> {
    let arguments = BuildArguments::parse(request.args);
    if !arguments.programs.is_empty() {
        return given::take(request, &arguments, run);
    }
    let project = request.root.join(&request.project.dir).components().collect();
    let maker = Maker { request, arguments, project };
    let common = maker.configure(&request.intermediate.join("build"), &[], run)?;
    let (common, switches) = maker.with_benchmarks(common, run)?;
    if common.model.programs.is_empty() {
        return Ok(maker.nothing(&common));
    }
    let mut built = if common.is_needed_later() {
        maker.build_privately(&switches, run)?
    } else {
        let compiled = maker.compile(common, run)?;
        match compiled.has_program_that_knows_directory()? {
            true => maker.build_privately(&switches, run)?,
            false => maker.collect(&compiled, None)?,
        }
    };
    built.diagnostics.extend(maker.switched_on(&switches));
    Ok(built)
}

/// Calls CMake.
struct Maker<'a> {
    request: &'a BuildRequest<'a>,
    arguments: BuildArguments,
    project: PathBuf,
}

/// A build directory that CMake has filled.
struct Configured {
    directory: PathBuf,
    cache: CacheFile,
    model: CodeModel,
    /// Targets that the user asked for but that do not exist.
    unknown: Vec<String>,
}

/// A build directory with programs.
struct Compiled {
    configured: Configured,
    step: Step,
    output: StepOutput,
}

impl Maker<'_> {
    fn title(&self) -> String {
        steps::title(&self.request.project.dir)
    }

    /// Configures the project in an empty directory, with these switches on.
    fn configure(
        &self,
        directory: &Path,
        switches: &[String],
        run: &mut dyn StepRunner,
    ) -> Result<Configured, HarnessError> {
        if directory.exists() {
            fs::remove_dir_all(directory).map_err(file_error(directory))?;
        }
        code_model::ask(directory)?;
        let purpose = format!("configure {}", self.title());
        let args = self.configure_args(directory, switches);
        let step = steps::step(purpose, "cmake", args, &self.project, CONFIGURING);
        let output = steps::run(&step, run)?;
        if output.status != 0 {
            return Err(steps::refusal(&step, &output));
        }
        let mut model = CodeModel::read(directory)?;
        let found: BTreeSet<String> = model.programs.iter().map(|program| program.name.clone()).collect();
        let wanted = &self.arguments.targets;
        model.programs.retain(|program| wanted.is_empty() || wanted.contains(&program.name));
        let unknown = wanted.iter().filter(|name| !found.contains(*name)).cloned().collect();
        Ok(Configured { directory: directory.to_owned(), cache: CacheFile::read(directory), model, unknown })
    }

    fn configure_args(&self, directory: &Path, switches: &[String]) -> Vec<String> {
        let mut args = vec![
            "-S".into(),
            self.project.display().to_string(),
            "-B".into(),
            directory.display().to_string(),
        ];
        let has_own_type = self.arguments.defines("CMAKE_BUILD_TYPE")
            || self.arguments.has_preset()
            || std::env::var_os("CMAKE_BUILD_TYPE").is_some();
        if !has_own_type {
            args.push("-DCMAKE_BUILD_TYPE=Release".into());
        }
        args.extend(switches.iter().map(|name| format!("-D{name}=ON")));
        // The user's arguments come last and take precedence.
        args.extend(self.arguments.cmake.iter().cloned());
        args
    }

    /// If the project has no benchmark programs but options that may add some, tries these. An option that
    /// the user switched off stays off.
    fn with_benchmarks(
        &self,
        first: Configured,
        run: &mut dyn StepRunner,
    ) -> Result<(Configured, Vec<String>), HarnessError> {
        let mut switches = first.cache.benchmark_switches();
        switches.retain(|name| !self.arguments.defines(name));
        if !first.model.programs.is_empty() || switches.is_empty() {
            return Ok((first, Vec::new()));
        }
        match self.configure(&first.directory, &switches, run) {
            Ok(second) if !second.model.programs.is_empty() => Ok((second, switches)),
            // The switches do not help, so the result without them is used.
            Ok(_) | Err(HarnessError::Tool { .. }) => Ok((first, Vec::new())),
            Err(error) => Err(error),
        }
    }

    fn compile(&self, configured: Configured, run: &mut dyn StepRunner) -> Result<Compiled, HarnessError> {
        let purpose = format!("build the benchmarks of {}", self.title());
        let processors = std::thread::available_parallelism().map_or(1, |number| number.get());
        let mut args = vec!["--build".to_owned(), configured.directory.display().to_string()];
        args.extend(["--parallel".into(), processors.to_string()]);
        if !configured.model.configuration.is_empty() {
            args.extend(["--config".into(), configured.model.configuration.clone()]);
        }
        args.push("--target".into());
        args.extend(configured.model.programs.iter().map(|program| program.name.clone()));
        // A program that does not compile must not prevent the others from being built.
        match configured.cache.generator() {
            name if name.starts_with("Ninja") => args.extend(["--", "-k", "0"].map(String::from)),
            name if name.ends_with("Makefiles") => args.extend(["--", "-k"].map(String::from)),
            _ => {}
        }
        let step = steps::step(purpose, "cmake", args, &self.project, COMPILING);
        let output = steps::run(&step, run)?;
        Ok(Compiled { configured, step, output })
    }

    /// Builds in a directory that belongs to this version only and stays.
    fn build_privately(&self, switches: &[String], run: &mut dyn StepRunner) -> Result<Built, HarnessError> {
        let inner = Path::new("build");
        let configured = self.configure(&self.request.out.join(inner), switches, run)?;
        let compiled = self.compile(configured, run)?;
        let built = self.collect(&compiled, Some(inner))?;
        programs::drop_intermediate_files(&compiled.configured.directory);
        Ok(built)
    }

    /// Finds the programs, copies them unless their directory `kept` (below the build's) stays, and reports
    /// missing ones.
    fn collect(&self, compiled: &Compiled, kept: Option<&Path>) -> Result<Built, HarnessError> {
        let Compiled { configured, step, output } = compiled;
        let version = configured.cache.library_version();
        let mut built = Built::default();
        for program in &configured.model.programs {
            let package = self.package(&program.name);
            let file = configured.directory.join(&program.artefact);
            if !file.is_file() {
                built.diagnostics.push(failed(package, output));
                continue;
            }
            let path = match kept.filter(|_| program.artefact.is_relative()) {
                Some(directory) => directory.join(&program.artefact),
                None => programs::copy(&file, self.request.out, &package)?,
            };
            built.executables.push(Executable {
                harness: NAME.into(),
                package,
                flavour: NAME.into(),
                flavour_version: version.clone(),
                path,
                dir: self.request.project.dir.clone(),
                env: kept.map(|_| programs::belonging(self.request.out)).unwrap_or_default(),
            });
        }
        if built.executables.is_empty() {
            return Err(steps::refusal(step, output));
        }
        built.diagnostics.extend(self.unknown_targets(configured));
        Ok(built)
    }

    /// The package of a target's benchmarks in identities. Names of targets are unique within a project.
    fn package(&self, target: &str) -> String {
        self.request.project.dir.join(target).display().to_string()
    }

    fn unknown_targets(&self, configured: &Configured) -> Vec<Diagnostic> {
        let message = "there is no executable of this name that links Google Benchmark";
        configured.unknown.iter().map(|name| Diagnostic::warning(self.package(name), message)).collect()
    }

    /// A project without benchmark programs.
    fn nothing(&self, configured: &Configured) -> Built {
        let message = "no executable of it links Google Benchmark";
        let hint = match configured.cache.benchmark_switches().first() {
            Some(name) => format!("set `build-args = [\"-D{name}=ON\"]` in `[{NAME}]`"),
            None => format!(
                "if an option of the project adds benchmarks, set it: `build-args = [\"-DOPTION=ON\"]` in `[{NAME}]`"
            ),
        };
        let mut diagnostics = vec![Diagnostic::warning(self.title(), message).hint(hint)];
        diagnostics.extend(self.unknown_targets(configured));
        Built { executables: Vec::new(), diagnostics }
    }

    fn switched_on(&self, switches: &[String]) -> Option<Diagnostic> {
        let all: Vec<String> = switches.iter().map(|name| format!("-D{name}=ON")).collect();
        let message = format!("is built with {}, without which it has no benchmarks", all.join(" "));
        let note = Diagnostic { severity: Severity::Note, ..Diagnostic::warning(self.title(), message) };
        (!switches.is_empty()).then_some(note)
    }
}

impl Configured {
    /// Whether a program will load or read something from the directory, as far as this is known before it is
    /// compiled.
    fn is_needed_later(&self) -> bool {
        let name = self.directory.display().to_string();
        let is_named = |definition: &String| definition.contains(&name);
        let needs = |program: &Program| program.loads_own_library || program.definitions.iter().any(is_named);
        self.model.programs.iter().any(needs)
            || programs::has_code_that_names(&self.directory, name.as_bytes())
    }
}

impl Compiled {
    fn has_program_that_knows_directory(&self) -> Result<bool, HarnessError> {
        let Configured { directory, model, .. } = &self.configured;
        let file = |program: &Program| directory.join(&program.artefact);
        for program in model.programs.iter().map(file).filter(|file| file.is_file()) {
            if programs::knows_directory(&program, directory)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

fn failed(package: String, output: &StepOutput) -> Diagnostic {
    Diagnostic::error(package, format!("does not build:\n{}", steps::own_words(output)))
        .hint(format!("the whole output is in {}", output.log.display()))
}

#[cfg(test)]
mod tests;
