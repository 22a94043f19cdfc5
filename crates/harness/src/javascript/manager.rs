//! The package manager of a project, and its command line.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use super::package::Package;
use super::steps::{self, QUESTION_LIMIT};
use crate::{HarnessError, StepRunner};

/// A program that installs packages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Manager {
    Npm,
    Pnpm,
    /// Yarn 1.
    YarnClassic,
    /// Yarn 2 and later.
    Yarn,
}

/// Lock files and their managers, in order of precedence if a project has several.
pub(super) const LOCK_FILES: [(&str, Manager); 4] = [
    ("npm-shrinkwrap.json", Manager::Npm),
    ("package-lock.json", Manager::Npm),
    ("pnpm-lock.yaml", Manager::Pnpm),
    ("yarn.lock", Manager::YarnClassic),
];

impl Manager {
    /// The manager of the package in `dir`: the one its manifest asks for, or the one whose lock file it has,
    /// or npm.
    pub(super) fn of(dir: &Path, package: &Package) -> Manager {
        let names: Vec<&str> =
            LOCK_FILES.iter().map(|(name, _)| *name).filter(|name| dir.join(name).is_file()).collect();
        let is_modern_yarn = dir.join(".yarnrc.yml").is_file()
            || fs::read_to_string(dir.join("yarn.lock")).is_ok_and(|text| text.contains("\n__metadata:"));
        Manager::choose(&names, &package.package_manager, is_modern_yarn)
    }

    /// The same, given the facts about the project.
    pub(super) fn choose(lock_files: &[&str], asked: &str, is_modern_yarn: bool) -> Manager {
        let found =
            || LOCK_FILES.iter().find(|(name, _)| lock_files.contains(name)).map(|(_, manager)| *manager);
        let manager = match asked.split('@').next() {
            Some("npm") => Manager::Npm,
            Some("pnpm") => Manager::Pnpm,
            Some("yarn") => Manager::YarnClassic,
            _ => found().unwrap_or(Manager::Npm),
        };
        match manager {
            Manager::YarnClassic if is_modern_yarn => Manager::Yarn,
            manager => manager,
        }
    }

    /// The program's name.
    pub(super) fn program(self) -> &'static str {
        match self {
            Manager::Npm => "npm",
            Manager::Pnpm => "pnpm",
            Manager::YarnClassic | Manager::Yarn => "yarn",
        }
    }

    /// Whether the package in `dir` has a lock file of this manager.
    pub(super) fn is_locked(self, dir: &Path) -> bool {
        LOCK_FILES
            .iter()
            .any(|(name, manager)| manager.program() == self.program() && dir.join(name).is_file())
    }

    /// The name of the lock file it writes.
    pub(super) fn lock_file(self) -> &'static str {
        match self {
            Manager::Npm => "package-lock.json",
            Manager::Pnpm => "pnpm-lock.yaml",
            Manager::YarnClassic | Manager::Yarn => "yarn.lock",
        }
    }

    /// Arguments that install exactly the versions in the lock file.
    pub(super) fn locked_args(self) -> &'static [&'static str] {
        match self {
            Manager::Npm => &["ci", "--no-audit", "--no-fund"],
            Manager::Pnpm => &["install", "--frozen-lockfile"],
            Manager::YarnClassic => &["install", "--frozen-lockfile", "--non-interactive"],
            Manager::Yarn => &["install", "--immutable"],
        }
    }

    /// Arguments that install what the manifest permits, and update the lock file.
    pub(super) fn unlocked_args(self) -> &'static [&'static str] {
        match self {
            Manager::Npm => &["install", "--no-audit", "--no-fund"],
            Manager::Pnpm => &["install", "--no-frozen-lockfile"],
            Manager::YarnClassic => &["install", "--non-interactive"],
            Manager::Yarn => &["install", "--no-immutable"],
        }
    }

    /// The argument that leaves development dependencies out. Yarn 2 and later cannot do this.
    pub(super) fn for_runtime(self) -> &'static [&'static str] {
        match self {
            Manager::Npm => &["--omit=dev"],
            Manager::Pnpm => &["--prod"],
            Manager::YarnClassic => &["--production"],
            Manager::Yarn => &[],
        }
    }

    /// The argument that installs them too, whatever the environment says.
    pub(super) fn for_development(self) -> &'static [&'static str] {
        match self {
            Manager::Npm => &["--include=dev"],
            Manager::Pnpm => &["--prod=false"],
            Manager::YarnClassic => &["--production=false"],
            Manager::Yarn => &[],
        }
    }

    /// The argument that prevents scripts of packages from running. Yarn 2 and later only have a variable for
    /// this.
    pub(super) fn without_scripts(self) -> &'static [&'static str] {
        match self {
            Manager::Yarn => &["--mode=skip-build"],
            _ => &["--ignore-scripts"],
        }
    }
}

/// A manager that is installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tool {
    pub(super) manager: Manager,
    /// The version that it prints.
    pub(super) version: String,
    program: &'static str,
    /// Arguments before its own.
    prefix: Vec<&'static str>,
}

impl Tool {
    /// Looks for the manager itself, then for corepack, which includes it.
    pub(super) fn find(manager: Manager, dir: &Path, run: &mut dyn StepRunner) -> Result<Tool, HarnessError> {
        let name = manager.program();
        let direct = Tool { manager, version: String::new(), program: name, prefix: Vec::new() };
        match direct.ask(dir, run) {
            Err(missing @ HarnessError::ToolChainMissing { .. }) if manager != Manager::Npm => {
                let through = Tool { program: "corepack", prefix: vec![name], ..direct };
                through.ask(dir, run).map_err(|error| match error {
                    HarnessError::ToolChainMissing { .. } => missing,
                    other => other,
                })
            }
            answer => answer,
        }
    }

    fn ask(&self, dir: &Path, run: &mut dyn StepRunner) -> Result<Tool, HarnessError> {
        let purpose = format!("ask {} for its version", self.manager.program());
        let step = steps::step(purpose, self.program, self.args(&["--version"]), dir, QUESTION_LIMIT);
        let version = steps::run_well(&step, run)?.stdout.trim().to_owned();
        Ok(Tool { version, ..self.clone() })
    }

    /// The program to start.
    pub(super) fn program(&self) -> &'static str {
        self.program
    }

    /// The arguments for it.
    pub(super) fn args(&self, own: &[&str]) -> Vec<OsString> {
        self.prefix.iter().chain(own).map(OsString::from).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Step, StepFailure, StepOutput};

    #[test]
    fn the_manifest_counts_before_lock_files_and_those_in_order() {
        let check = |files: &[&str], asked: &str, modern: bool, expected: Manager| {
            assert_eq!(Manager::choose(files, asked, modern), expected, "{files:?} {asked}");
        };
        check(&[], "", false, Manager::Npm);
        check(&["yarn.lock", "package-lock.json"], "", false, Manager::Npm);
        check(&["yarn.lock", "package-lock.json"], "yarn@1.22.0", false, Manager::YarnClassic);
        check(&["yarn.lock"], "", true, Manager::Yarn);
        check(&["pnpm-lock.yaml"], "", false, Manager::Pnpm);
        check(&["package-lock.json"], "bun@1.0.0", false, Manager::Npm);
    }

    /// Simulates these programs.
    struct Installed(&'static [&'static str]);

    impl StepRunner for Installed {
        fn run(&mut self, step: &Step) -> Result<StepOutput, StepFailure> {
            let program = step.program.to_string_lossy().into_owned();
            match self.0.contains(&program.as_str()) {
                true => Ok(StepOutput { stdout: "9.1.0\n".into(), ..StepOutput::default() }),
                false => Err(StepFailure::NoProgram(program)),
            }
        }
    }

    #[test]
    fn corepack_stands_in_for_a_manager_that_is_missing() {
        let find = |manager, installed| Tool::find(manager, Path::new(""), &mut Installed(installed));
        assert_eq!(find(Manager::Pnpm, &["pnpm", "corepack"]).unwrap().program(), "pnpm");
        let through = find(Manager::Pnpm, &["corepack"]).unwrap();
        assert_eq!(
            (through.program(), through.args(&["install"])),
            ("corepack", vec!["pnpm".into(), "install".into()])
        );
        assert_eq!(through.version, "9.1.0");
        let error = find(Manager::Yarn, &["npm"]).unwrap_err();
        assert!(
            error.to_string().contains("`yarn`") && error.hint().contains("corepack"),
            "{error} {}",
            error.hint()
        );
        let error = find(Manager::Npm, &["corepack"]).unwrap_err();
        assert!(error.hint().contains("nodejs.org"), "{}", error.hint());
    }
}
