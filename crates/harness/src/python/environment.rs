//! The virtual environment of one version.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::constraints::{self, Versions};
use super::description::{self, ENVIRONMENT};
use super::requirement::normal;
use super::requirement_file::RequirementFile;
use super::requirements::{Choice, Wishes};
use super::steps::{self, INSTALL_LIMIT, QUESTION_LIMIT};
use crate::{HarnessError, Step, StepRunner};

/// How often pip is called again after constraints that do not fit were dropped.
const MOST_ATTEMPTS: usize = 8;

/// The project's version for tools that ask git for one, because a check-out is not a repository. It is high,
/// so that packages that depend on this project accept it.
const PRETENDED_VERSION: &str = "999.0.0";
/// The variables they listen to.
const VERSION_VARIABLES: [&str; 5] = [
    "SETUPTOOLS_SCM_PRETEND_VERSION",
    "PBR_VERSION",
    "PDM_BUILD_SCM_VERSION",
    "POETRY_DYNAMIC_VERSIONING_BYPASS",
    "UV_DYNAMIC_VERSIONING_BYPASS",
];

/// A virtual environment in the making.
pub(super) struct Environment<'a> {
    /// The build's directory.
    pub(super) out: &'a Path,
    /// The project's directory.
    pub(super) project: &'a Path,
    /// The name of the project in messages: ` in `dir``, or nothing.
    pub(super) place: String,
}

/// The packages in an environment.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Inventory {
    /// Packages from indexes, by normal names.
    pub(super) packages: Versions,
    /// Modules of the project itself.
    pub(super) own_names: Vec<String>,
    /// Their directory, relative to the build's.
    pub(super) own_directory: String,
}

#[derive(Deserialize)]
struct WireInventory {
    packages: Versions,
    own: Vec<String>,
    directory: String,
}

impl Environment<'_> {
    /// Makes it, empty but for pip.
    pub(super) fn create(&self, program: &str, run: &mut dyn StepRunner) -> Result<(), HarnessError> {
        let purpose = format!("make a virtual environment{}", self.place);
        let dir = self.out.join(ENVIRONMENT);
        let args = ["-m".into(), "venv".into(), dir.into_os_string()];
        let step = steps::step(purpose, program, args, self.project, INSTALL_LIMIT);
        let output = steps::run(&step, run)?;
        if output.status == 0 {
            return Ok(());
        }
        // Debian's Python prints on standard output which package has to be installed.
        let said = format!("{}\n{}", output.stdout.trim(), output.stderr.trim());
        Err(steps::refusal(&step, &output, &said))
    }

    /// Installs the chosen requirements with these constraints. Returns the packages whose constraints did
    /// not fit.
    pub(super) fn install(
        &self,
        choice: &Choice,
        is_package: bool,
        wishes: &Wishes,
        mut constraints: Versions,
        run: &mut dyn StepRunner,
    ) -> Result<Vec<String>, HarnessError> {
        let mut extras = choice.extras.clone();
        let mut arguments = Vec::new();
        for (index, file) in choice.files.iter().enumerate() {
            let file = RequirementFile::read(&self.project.join(file), self.project);
            let copy =
                self.write(&format!("requirements-{index}.txt"), &format!("{}\n", file.lines.join("\n")))?;
            extras.extend(file.extras.iter().cloned());
            for (name, version) in file.pins() {
                // Without hashes pip reads the pin itself. With hashes the file is installed first.
                constraints.remove(&name);
                if file.has_hashes {
                    constraints.insert(name, version);
                }
            }
            if file.has_hashes {
                let step = self.pip(&["-r".into(), copy.display().to_string()], wishes);
                steps::run_well(&step, run)?;
            } else {
                arguments.extend(["-r".to_owned(), copy.display().to_string()]);
            }
        }
        arguments.extend(choice.requirements.iter().cloned());
        if is_package {
            extras.sort();
            extras.dedup();
            let extras = if extras.is_empty() { String::new() } else { format!("[{}]", extras.join(",")) };
            arguments.push(format!("{}{extras}", self.project.display()));
        }
        match arguments.is_empty() {
            true => Ok(Vec::new()),
            false => self.install_constrained(&arguments, wishes, constraints, run),
        }
    }

    fn install_constrained(
        &self,
        arguments: &[String],
        wishes: &Wishes,
        mut constraints: Versions,
        run: &mut dyn StepRunner,
    ) -> Result<Vec<String>, HarnessError> {
        let mut dropped = Vec::new();
        for attempt in 1.. {
            let file = self.write("constraints.txt", &constraints::text(&constraints))?;
            let mut all = vec!["-c".to_owned(), file.display().to_string()];
            all.extend(arguments.iter().cloned());
            let step = self.pip(&all, wishes);
            let output = steps::run(&step, run)?;
            if output.status == 0 {
                break;
            }
            let blamed =
                constraints::relax(&mut constraints, &format!("{}\n{}", output.stdout, output.stderr));
            if blamed.is_empty() || attempt == MOST_ATTEMPTS {
                return Err(steps::refusal(&step, &output, ""));
            }
            dropped.extend(blamed);
        }
        dropped.sort();
        dropped.dedup();
        Ok(dropped)
    }

    /// Installs requirement files beside benchmarks: all at once, or else one by one. Returns those that
    /// could not be installed, with pip's message.
    pub(super) fn install_inner(
        &self,
        files: &[PathBuf],
        wishes: &Wishes,
        constraints: &Versions,
        run: &mut dyn StepRunner,
    ) -> Result<Vec<(PathBuf, String)>, HarnessError> {
        let mut arguments = Vec::new();
        for (index, path) in files.iter().enumerate() {
            let file = RequirementFile::read(&self.project.join(path), self.project);
            let text = format!("{}\n", file.lines.join("\n"));
            let copy = self.write(&format!("inner-requirements-{index}.txt"), &text)?;
            arguments.push(["-r".to_owned(), copy.display().to_string()]);
        }
        let together = arguments.concat();
        if together.is_empty() || self.try_install(&together, wishes, constraints, run)?.is_none() {
            return Ok(Vec::new());
        }
        let mut failed = Vec::new();
        for (path, single) in files.iter().zip(&arguments) {
            if let Some(words) = self.try_install(single, wishes, constraints, run)? {
                failed.push((path.clone(), words));
            }
        }
        Ok(failed)
    }

    /// Installs packages. If pip fails, the result is its message.
    fn try_install(
        &self,
        arguments: &[String],
        wishes: &Wishes,
        constraints: &Versions,
        run: &mut dyn StepRunner,
    ) -> Result<Option<String>, HarnessError> {
        match self.install_constrained(arguments, wishes, constraints.clone(), run) {
            Ok(_) => Ok(None),
            Err(HarnessError::Tool { message, .. }) => Ok(Some(message)),
            Err(error) => Err(error),
        }
    }

    fn pip(&self, arguments: &[String], wishes: &Wishes) -> Step {
        let purpose = format!("install what the benchmarks need{}", self.place);
        let mut args = vec!["-m".to_owned(), "pip".into(), "install".into()];
        args.extend(wishes.pip.iter().cloned());
        args.extend(arguments.iter().cloned());
        let program = description::interpreter(self.out);
        let mut step = steps::step(purpose, program, args, self.project, INSTALL_LIMIT);
        let is_unset = |name: &&str| std::env::var_os(name).is_none();
        let versions = VERSION_VARIABLES.iter().filter(|name| is_unset(name));
        step.env.extend(versions.map(|name| steps::text((name, PRETENDED_VERSION))));
        step
    }

    /// Lists the installed packages.
    pub(super) fn inventory(&self, run: &mut dyn StepRunner) -> Result<Inventory, HarnessError> {
        let purpose = format!("ask what is installed{}", self.place);
        let script = self.write(
            "inspect_environment.py",
            include_str!("../../../../shims/python/inspect_environment.py"),
        )?;
        let args = [script.into_os_string(), self.project.as_os_str().to_owned()];
        let program = description::interpreter(self.out);
        let step = steps::step(purpose, program, args, self.project, QUESTION_LIMIT);
        let output = steps::run_well(&step, run)?;
        let line = output.stdout.lines().last().unwrap_or_default();
        let wire: WireInventory = serde_json::from_str(line).map_err(|error| HarnessError::Output {
            purpose: step.purpose,
            message: format!("expected an object in JSON: {error}"),
        })?;
        let directory = Path::new(&wire.directory);
        let real_out = self.out.canonicalize().unwrap_or_else(|_| self.out.to_owned());
        let below = directory.strip_prefix(self.out).or_else(|_| directory.strip_prefix(&real_out));
        Ok(Inventory {
            packages: wire.packages.into_iter().map(|(name, version)| (normal(&name), version)).collect(),
            own_names: if below.is_ok() { wire.own } else { Vec::new() },
            own_directory: below.unwrap_or(Path::new("")).display().to_string(),
        })
    }

    /// Writes a file into the build's directory.
    pub(super) fn write(&self, name: &str, text: &str) -> Result<PathBuf, HarnessError> {
        let path = self.out.join(name);
        match fs::write(&path, text) {
            Ok(()) => Ok(path),
            Err(source) => Err(HarnessError::File { path, source }),
        }
    }
}
