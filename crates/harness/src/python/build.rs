//! Makes the virtual environment of a version, and a description of each file with benchmarks.

use std::path::{Path, PathBuf};

use benchwright_model::Diagnostic;

use super::constraints::{self, SharedVersions};
use super::description::{self, Description, LAUNCHER};
use super::environment::{Environment, Inventory};
use super::harness::NAME;
use super::interpreter::Interpreter;
use super::manifest::Manifest;
use super::recognise::{self, BenchmarkFile};
use super::requirements::{self, Wishes};
use super::{interpreter, lock_file, steps};
use crate::{BuildRequest, Built, Executable, HarnessError, StepRunner};

/// Options that disable the effects of pytest plugins on every test, by the plugin's package.
const PLUGIN_OPTIONS: [(&str, &[&str]); 3] = [
    // Benchmarks must not run in several processes at once.
    ("pytest-xdist", &["-n0"]),
    // Tracing would take most of the measured time.
    ("pytest-cov", &["--no-cov"]),
    // It has a fixture with the same name.
    ("pytest-codspeed", &["-p", "no:codspeed", "-p", "no:pytest_codspeed"]),
];
/// Maximum number of differing packages that are named.
const MOST_NAMED: usize = 8;

/// Builds what the project's files with benchmarks need.
pub(super) fn build(request: &BuildRequest<'_>, run: &mut dyn StepRunner) -> Result<Built, HarnessError> {
    let dir = &request.project.dir;
    // Joining an empty path would leave a slash at the end.
    let project: PathBuf = request.root.join(dir).components().collect();
    let files = recognise::files(request.root, dir);
    if files.is_empty() {
        let message = "a benchmark tool is among the requirements, but no file with benchmarks was found";
        let hint = "tests take the fixture `benchmark`, scripts import pyperf and make a `Runner`";
        let subject = if dir.as_os_str().is_empty() { NAME.into() } else { dir.display().to_string() };
        let diagnostics = vec![Diagnostic::warning(subject, message).hint(hint)];
        return Ok(Built { executables: Vec::new(), diagnostics });
    }
    let wishes = Wishes::parse(request.args);
    let interpreter = interpreter::find(&project, dir, wishes.python.as_deref(), run)?;
    let place = match dir.display().to_string() {
        dir if dir.is_empty() => String::new(),
        dir => format!(" in `{dir}`"),
    };
    let environment = Environment { out: request.out, project: &project, place };
    environment.create(&interpreter.program, run)?;
    let manifest = Manifest::read(&project);
    let choice = requirements::choose(&project, &manifest, &files, &wishes);
    let shared = SharedVersions::read(request.shared, interpreter.series());
    let versions = constraints::combined(&lock_file::versions(&project), &shared.versions);
    environment.install(&choice, manifest.is_package, &wishes, versions.clone(), run)?;
    let failed = environment.install_inner(&choice.inner_files, &wishes, &versions, run)?;
    let inventory = environment.inventory(run)?;
    environment.write(LAUNCHER, include_str!("../../../../shims/python/launch.py"))?;
    let mut built = Built { executables: Vec::new(), diagnostics: doubts(&interpreter, &shared, &inventory) };
    built.diagnostics.extend(failed.iter().map(|(path, words)| {
        let last = words.lines().rfind(|line| line.starts_with("ERROR")).unwrap_or("pip failed");
        Diagnostic::warning(dir.join(path).display().to_string(), format!("could not be installed: {last}"))
    }));
    shared.keep(&inventory.packages);
    for file in &files {
        built.executables.extend(executable(&environment, dir, file, &inventory)?);
    }
    Ok(built)
}

/// Diagnostics about a comparison with this build.
fn doubts(interpreter: &Interpreter, shared: &SharedVersions, inventory: &Inventory) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    if let Some(wanted) = &interpreter.missed {
        let message = format!("`.python-version` asks for {wanted}, which is not installed");
        let hint = format!(
            "{} is used; another one can be named with the build argument `--python`",
            interpreter.program
        );
        diagnostics.push(Diagnostic::warning(NAME, message).hint(hint));
    }
    let mut differences = shared.differences(&inventory.packages);
    if !differences.is_empty() {
        let more = differences.len().saturating_sub(MOST_NAMED);
        differences.truncate(MOST_NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let message = format!(
            "dependencies differ from those of the version built first: {}{more}",
            differences.join(", ")
        );
        let hint = "this version asks for them; what they change is part of the comparison";
        diagnostics.push(Diagnostic::warning(NAME, message).hint(hint));
    }
    diagnostics
}

fn executable(
    environment: &Environment<'_>,
    dir: &Path,
    file: &BenchmarkFile,
    inventory: &Inventory,
) -> Result<Option<Executable>, HarnessError> {
    // A name that is not UTF-8 could not be part of a benchmark's identity either.
    let (Some(path), Some(package)) = (file.path.to_str(), dir.join(&file.path).to_str().map(str::to_owned))
    else {
        return Ok(None);
    };
    let options: Vec<&str> = match file.flavour {
        description::Flavour::Pyperf => Vec::new(),
        description::Flavour::PytestBenchmark => PLUGIN_OPTIONS
            .iter()
            .filter(|(plugin, _)| inventory.packages.contains_key(*plugin))
            .flat_map(|(_, options)| options.iter().copied())
            .collect(),
    };
    let text = Description {
        flavour: file.flavour.word(),
        file: path,
        own_names: &inventory.own_names,
        own_directory: &inventory.own_directory,
        options: &options,
        packages: &inventory.packages,
    };
    let name = description::file_name(path);
    let text = serde_json::to_string_pretty(&text).map_err(|error| HarnessError::Output {
        purpose: "describe the benchmarks".into(),
        message: error.to_string(),
    })?;
    environment.write(&name.to_string_lossy(), &text)?;
    let version = inventory.packages.get(file.flavour.word());
    Ok(Some(Executable {
        harness: NAME.into(),
        package,
        flavour: file.flavour.word().into(),
        flavour_version: version.cloned().unwrap_or_default(),
        path: name,
        dir: dir.to_owned(),
        env: vec![("PYTHONPATH".into(), steps::python_path())],
    }))
}

#[cfg(test)]
mod tests;
