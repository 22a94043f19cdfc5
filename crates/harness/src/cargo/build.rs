//! Compiles a project's benchmarks once and keeps the programs.
//!
//! The target directory is shared by all versions of a repository, so that dependencies are compiled once.
//! Three things keep the versions apart. Every file of the check-out is touched first, so that Cargo compiles
//! the local packages again. If Cargo still considers some units fresh, the target directory is emptied.
//! Programs that contain the target directory's path may read files there at run time that a build of another
//! version would overwrite, so they are compiled again in a directory of their own.

use std::fs;
use std::path::{Path, PathBuf};

use benchwright_model::Diagnostic;

use super::configuration;
use super::flavour::Flavour;
use super::harness::NAME;
use super::lock_file::SharedLock;
use super::manifest::Lock;
use super::messages::Messages;
use super::metadata::{Metadata, Package, Target};
use super::programs::{copy, drop_intermediate_files, environment, file_error, knows_directory};
use super::relink::WRAPPER;
use super::sources;
use super::steps::{self, BUILD_LIMIT, relative};
use super::target::Target as Machine;
use crate::{Architecture, BuildRequest, Built, Executable, HarnessError, Step, StepOutput, StepRunner};

/// Builds every program of the project that may contain benchmarks.
pub(super) fn build(
    request: &BuildRequest<'_>,
    architecture: Option<Architecture>,
    run: &mut dyn StepRunner,
) -> Result<Built, HarnessError> {
    let project = request.root.join(&request.project.dir);
    let Some(architecture) = architecture else { return build_with(request, &project, Vec::new(), run) };
    let target = Machine::choose(architecture, request.args, &project, run)?;
    let args = target.args(request.args);
    let env = target.variables(request.root, &project);
    build_with(&BuildRequest { args: &args, ..request.clone() }, &project, env, run)
}

/// Builds with these environment variables for Cargo.
fn build_with(
    request: &BuildRequest<'_>,
    project: &Path,
    env: Vec<(String, String)>,
    run: &mut dyn StepRunner,
) -> Result<Built, HarnessError> {
    let lock = SharedLock::lend(project, request.shared);
    let metadata = Metadata::ask(project, run)?;
    let has_unit_benches = metadata.packages.iter().any(has_unit_benches);
    let benches: Vec<&Target> =
        targets(&metadata).map(|(_, target)| target).filter(|target| target.is_bench()).collect();
    if !has_unit_benches && benches.is_empty() {
        return Ok(Built::default());
    }
    sources::touch(request.root);
    let has_conditions = benches.iter().any(|target| !target.required_features.is_empty());
    let benches_alone = !has_unit_benches && !has_conditions;
    // `--benches` includes libraries and programs, which is only useful for `#[bench]` functions. With a name
    // or pattern, Cargo does not skip targets whose features are not enabled but returns an error.
    let targets = if benches_alone { vec!["--bench".into(), "*".into()] } else { vec!["--benches".into()] };
    let compiler = Compiler { request, project, targets, env };
    let compiled = compiler.compile_surely(run);
    lock.keep();
    let mut compiled = compiled?;
    if knows_directory(&compiled.messages, request.intermediate)? {
        let private = request.out.join("target");
        compiled = compiler.compile(&private, run)?;
        let built = collect(request, &metadata, &compiled)?;
        drop_intermediate_files(&private);
        return Ok(built);
    }
    collect(request, &metadata, &compiled)
}

/// Calls Cargo.
pub(super) struct Compiler<'a> {
    pub(super) request: &'a BuildRequest<'a>,
    pub(super) project: &'a Path,
    /// Which targets to compile, unless the user's arguments name some.
    pub(super) targets: Vec<String>,
    /// Additional environment variables for Cargo.
    pub(super) env: Vec<(String, String)>,
}

/// The result of a compilation.
pub(super) struct Compiled {
    pub(super) step: Step,
    pub(super) output: StepOutput,
    pub(super) messages: Messages,
    /// Whether a part may come from another version.
    is_stale: bool,
}

impl Compiler<'_> {
    /// Compiles in the shared target directory. If a part may come from another version, the directory is
    /// emptied first.
    pub(super) fn compile_surely(&self, run: &mut dyn StepRunner) -> Result<Compiled, HarnessError> {
        let shared = self.request.intermediate;
        let compiled = self.compile(shared, run)?;
        if !compiled.is_stale {
            return Ok(compiled);
        }
        for entry in fs::read_dir(shared).map_err(file_error(shared))?.flatten() {
            let path = entry.path();
            let is_dir = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if entry.file_name() != WRAPPER {
                let removed = if is_dir { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
                removed.map_err(file_error(&path))?;
            }
        }
        self.compile(shared, run)
    }

    fn compile(&self, target_dir: &Path, run: &mut dyn StepRunner) -> Result<Compiled, HarnessError> {
        let step = self.step(&["bench", "--no-run"], target_dir);
        let output = steps::run(&step, run)?;
        let messages = Messages::read(&output.stdout);
        let is_stale = messages.has_stale_units(&Messages::default(), self.request.root);
        let first = Compiled { step, output, messages, is_stale };
        if first.output.status == 0 {
            return Ok(first);
        }
        // `cargo bench` stops at the first error. `cargo build` can continue with everything that compiles.
        let step = self.step(&["build", "--profile", "bench", "--keep-going"], target_dir);
        let output = steps::run(&step, run)?;
        let messages = Messages::read(&output.stdout);
        if messages.artefacts.is_empty() && messages.errors.is_empty() {
            return Ok(first);
        }
        let is_stale = is_stale || messages.has_stale_units(&first.messages, self.request.root);
        Ok(Compiled { step, output, messages, is_stale })
    }

    fn step(&self, command: &[&str], target_dir: &Path) -> Step {
        let request = self.request;
        let has = |names: &[&str]| {
            let is_named = |arg: &String| names.contains(&arg.split('=').next().unwrap_or(arg));
            request.args.iter().any(is_named)
        };
        let mut args: Vec<&str> = command.to_vec();
        args.push("--message-format=json");
        if !has(&["-p", "--package", "--workspace", "--all", "--manifest-path"]) {
            args.push("--workspace");
        }
        if !has(&["--bench", "--benches", "--lib", "--bin", "--bins", "--all-targets"]) {
            args.extend(self.targets.iter().map(String::as_str));
        }
        args.extend(request.args.iter().map(String::as_str));
        let purpose = match request.project.dir.display().to_string() {
            dir if dir.is_empty() => "build the benchmarks of the Cargo project".to_owned(),
            dir => format!("build the benchmarks of the Cargo project `{dir}`"),
        };
        let mut step = steps::step(purpose, "cargo", args, self.project, BUILD_LIMIT);
        let directory = target_dir.to_string_lossy().into_owned();
        step.env = vec![
            ("CARGO_TARGET_DIR".into(), directory.clone()),
            ("CARGO_BUILD_BUILD_DIR".into(), directory),
            ("CARGO_TERM_COLOR".into(), "never".into()),
        ];
        step.env.extend(self.env.iter().cloned());
        step
    }
}

/// Copies the programs and reports what is missing.
fn collect(
    request: &BuildRequest<'_>,
    metadata: &Metadata,
    compiled: &Compiled,
) -> Result<Built, HarnessError> {
    let lock = Lock::read(&metadata.workspace_root);
    let configured = configuration::variables(request.root, &request.root.join(&request.project.dir));
    let mut built = Built::default();
    for (artefact, program) in compiled.messages.programs() {
        let Some(package) = metadata.package(&artefact.manifest_path) else { continue };
        if !artefact.target.is_bench() && !sources::has_bench_attribute(&source_directory(&artefact.target)) {
            continue;
        }
        let label = artefact.target.label(&package.name);
        let Some(dir) = relative(request.root, package.directory()) else {
            let message = "its package lies outside the repository, so it is left out";
            built.diagnostics.push(Diagnostic::warning(label, message));
            continue;
        };
        let path = copy(program, request.out, &label)?;
        let bytes = fs::read(request.out.join(&path)).map_err(file_error(&path))?;
        let flavour = Flavour::recognise(&bytes, &artefact.target, package, &lock);
        let mut env = environment(package, &dir);
        env.extend(compiled.messages.variables(artefact));
        env.extend(configured.clone());
        built.executables.push(Executable {
            harness: NAME.into(),
            package: label,
            flavour: flavour.word().into(),
            flavour_version: flavour.version(package, &lock).unwrap_or_default().into(),
            path,
            dir,
            env,
        });
    }
    built.executables.sort_by(|a, b| a.package.cmp(&b.package));
    built.diagnostics.extend(missing(metadata, compiled, &built));
    if built.executables.is_empty() && compiled.output.status != 0 {
        let errors: Vec<&str> =
            compiled.messages.errors.iter().map(|error| error.rendered.as_str()).collect();
        return Err(steps::refusal(&compiled.step, &compiled.output, &with_hint(&errors.join("\n"))));
    }
    Ok(built)
}

/// Why bench targets have no program.
fn missing(metadata: &Metadata, compiled: &Compiled, built: &Built) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    let mut told: Vec<String> = Vec::new();
    for error in &compiled.messages.errors {
        let package = metadata.package(&error.manifest_path).map_or("", |package| package.name.as_str());
        let subject = error.target.label(package);
        let kind = error.target.kind.join(", ");
        let message = format!("does not compile ({kind}): {}", steps::shorten(&error.rendered));
        told.push(subject.clone());
        diagnostics.push(Diagnostic::error(subject, message).hint(nightly_hint(&error.rendered)));
    }
    for (package, target) in targets(metadata).filter(|(_, target)| target.is_bench()) {
        let label = target.label(&package.name);
        if told.contains(&label) || built.executables.iter().any(|executable| executable.package == label) {
            continue;
        }
        if !target.required_features.is_empty() {
            let features = target.required_features.join(",");
            let message = format!("is not built without the features {features}");
            let hint = format!("add `--features {features}` to the arguments for Cargo");
            diagnostics.push(Diagnostic::warning(label, message).hint(hint));
        } else if compiled.output.status != 0 {
            let said = steps::shorten(errors_of(&compiled.output.stderr));
            diagnostics.push(Diagnostic::error(label, format!("was not built: {said}")));
        }
    }
    diagnostics
}

/// Cargo's own errors: standard error from the first error on.
fn errors_of(stderr: &str) -> &str {
    stderr.find("error").map_or(stderr, |start| &stderr[start..])
}

fn nightly_hint(message: &str) -> &'static str {
    let is_feature = ["E0554", "feature(test)", "unstable library feature `test`"];
    if is_feature.iter().any(|sign| message.contains(sign)) {
        "`#[bench]` needs a nightly compiler: set RUSTUP_TOOLCHAIN=nightly or add a rust-toolchain file"
    } else {
        ""
    }
}

fn with_hint(message: &str) -> String {
    match nightly_hint(message) {
        "" => message.to_owned(),
        hint => format!("{message}\n{hint}"),
    }
}

fn targets(metadata: &Metadata) -> impl Iterator<Item = (&Package, &Target)> {
    metadata.packages.iter().flat_map(|package| package.targets.iter().map(move |target| (package, target)))
}

fn has_unit_benches(package: &Package) -> bool {
    let units = package.targets.iter().filter(|target| target.may_have_unit_benches());
    units.into_iter().any(|target| sources::has_bench_attribute(&source_directory(target)))
}

/// The directory of the modules of a library or program.
fn source_directory(target: &Target) -> PathBuf {
    target.src_path.parent().unwrap_or(&target.src_path).to_owned()
}

#[cfg(test)]
mod tests;
