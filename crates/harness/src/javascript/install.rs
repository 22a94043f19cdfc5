//! Installs dependencies and runs build scripts.

use std::path::{Path, PathBuf};

use benchwright_model::Diagnostic;

use super::imports;
use super::lock_file::LentLock;
use super::manager::{Manager, Tool};
use super::package::Package;
use super::scripts::{self, Script};
use super::steps::{self, BUILD_LIMIT};
use crate::{HarnessError, Step, StepOutput, StepRunner};

/// The user's arguments for building. All others are for the package manager.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct BuildArguments {
    /// Scripts to run in any case.
    scripts: Vec<String>,
    /// Whether only named scripts run.
    is_without_script: bool,
    /// Arguments for the package manager.
    manager: Vec<String>,
}

impl BuildArguments {
    /// Parses `--script NAME` (any number), `--no-script`, and the rest.
    pub(super) fn parse(args: &[String]) -> BuildArguments {
        let mut parsed = BuildArguments::default();
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            match (arg.as_str(), arg.strip_prefix("--script=")) {
                ("--script", _) => parsed.scripts.extend(args.next().cloned()),
                (_, Some(name)) => parsed.scripts.push(name.to_owned()),
                ("--no-script", _) => parsed.is_without_script = true,
                _ => parsed.manager.push(arg.clone()),
            }
        }
        parsed
    }
}

/// Makes a copy of a version ready to run.
pub(super) struct Installer<'a> {
    /// The copy's root.
    pub(super) tree: &'a Path,
    /// The directory that all versions share.
    pub(super) shared: &'a Path,
    pub(super) arguments: BuildArguments,
    pub(super) run: &'a mut dyn StepRunner,
    pub(super) diagnostics: Vec<Diagnostic>,
}

/// A directory in which packages are installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// Relative to the version's root.
    pub(super) dir: PathBuf,
    /// Whether development dependencies are needed here.
    pub(super) is_for_development: bool,
}

/// The directories in which packages have to be installed for the project in `dir`. Packages around it come
/// first, because benchmarks in a package of their own import their code. These need only runtime
/// dependencies, unless they have to be built.
pub(super) fn places(root: &Path, dir: &Path) -> Vec<Place> {
    let around = dir.ancestors().skip(1).filter_map(|above| {
        let package = Package::read(&root.join(above))?;
        let is_for_development =
            package.scripts.contains_key("build") && lacks_entries(&root.join(above), &package);
        let is_needed = is_for_development || package.has_runtime_dependencies;
        is_needed.then(|| Place { dir: above.to_owned(), is_for_development })
    });
    let mut places: Vec<Place> = around.collect();
    places.reverse();
    places.push(Place { dir: dir.to_owned(), is_for_development: true });
    places
}

impl Installer<'_> {
    /// Installs the packages of a place.
    pub(super) fn install(&mut self, place: &Place) -> Result<(), HarnessError> {
        let dir = self.tree.join(&place.dir);
        let package = Package::read(&dir).unwrap_or_default();
        let manager = Manager::of(&dir, &package);
        let tool = Tool::find(manager, &dir, self.run)?;
        let is_locked = manager.is_locked(&dir);
        let lent = (!is_locked).then(|| LentLock::lend(manager, &dir, &place.dir, self.shared));
        let args = if is_locked { manager.locked_args() } else { manager.unlocked_args() };
        let step = self.step(&tool, place, args);
        let output = steps::run(&step, self.run)?;
        if output.status != 0 {
            self.install_somehow(&tool, place, &step, &output)?;
        }
        if let Some(lent) = lent {
            lent.keep();
        }
        Ok(())
    }

    /// Handles failed installations: a manifest that is newer than its lock file, and scripts of packages
    /// that need missing packages. Both are reported.
    fn install_somehow(
        &mut self,
        tool: &Tool,
        place: &Place,
        first: &Step,
        failed: &StepOutput,
    ) -> Result<(), HarnessError> {
        let manager = tool.manager;
        let is_behind = is_out_of_date(failed);
        let mut args =
            if is_behind { manager.unlocked_args().to_vec() } else { manager.locked_args().to_vec() };
        if !is_behind {
            args.extend(manager.without_scripts());
        }
        let step = self.step(tool, place, &args);
        if steps::run(&step, self.run)?.status != 0 {
            return Err(steps::refusal(first, failed));
        }
        let message = match is_behind {
            true => {
                "the lock file is older than the manifest: packages missing in it were installed in their current versions"
            }
            false => "scripts of packages failed: installed without running them",
        };
        let subject = place.dir.join(super::package::FILE).display().to_string();
        let hint = format!("what {} printed is in {}", manager.program(), failed.log.display());
        self.diagnostics.push(Diagnostic::warning(subject, message).hint(hint));
        Ok(())
    }

    fn step(&self, tool: &Tool, place: &Place, args: &[&str]) -> Step {
        let extent = match place.is_for_development {
            true => tool.manager.for_development(),
            false => tool.manager.for_runtime(),
        };
        let users = self.arguments.manager.iter().map(String::as_str);
        let own: Vec<&str> = args.iter().chain(extent).copied().chain(users).collect();
        let purpose = match place.dir.as_os_str().is_empty() {
            true => "install the packages".to_owned(),
            false => format!("install the packages of `{}`", place.dir.display()),
        };
        steps::step(purpose, tool.program(), tool.args(&own), self.tree.join(&place.dir), BUILD_LIMIT)
    }

    /// Runs the named build scripts. Without names, it runs the script `build` in every package whose entry
    /// files, or files that benchmarks import, are missing, because such a script makes them.
    pub(super) fn build(&mut self, place: &Path, scripts: &[Script]) -> Result<(), HarnessError> {
        let project = self.tree.join(place);
        let packages = scripts::packages(&project);
        for name in self.arguments.scripts.clone() {
            self.run_script(place, &name)?.map_err(|(step, output)| steps::refusal(&step, &output))?;
        }
        if self.arguments.is_without_script || !self.arguments.scripts.is_empty() {
            return Ok(());
        }
        for (dir, package) in packages {
            let has_script = package.scripts.contains_key("build");
            let of_package: Vec<&Script> =
                scripts.iter().filter(|script| script.package_dir == dir).collect();
            let is_root = dir.as_os_str().is_empty();
            let lacks = || {
                lacks_entries(&project.join(&dir), &package)
                    || lacks_imports(&project, &of_package)
                    || is_root && self.members_lack(&project)
            };
            if !has_script || !lacks() {
                continue;
            }
            if let Err((_, output)) = self.run_script(&place.join(&dir), "build")? {
                let subject = place.join(&dir).join(super::package::FILE).display().to_string();
                let hint = format!("what it printed is in {}", output.log.display());
                let message = "the script `build` failed; benchmarks may need what it makes";
                self.diagnostics.push(Diagnostic::warning(subject, message).hint(hint));
            }
        }
        Ok(())
    }

    fn members_lack(&self, project: &Path) -> bool {
        let packages = scripts::packages(project);
        packages.iter().skip(1).any(|(dir, package)| lacks_entries(&project.join(dir), package))
    }

    /// Whether the script ended well. If not, the result has the step and its output.
    fn run_script(
        &mut self,
        place: &Path,
        name: &str,
    ) -> Result<Result<(), (Step, StepOutput)>, HarnessError> {
        let dir = self.tree.join(place);
        let manager = Manager::of(&dir, &Package::read(&dir).unwrap_or_default());
        // Members of a workspace have no lock file, and any manager can run a script.
        let program = if manager.is_locked(&dir) { manager } else { Manager::Npm };
        let tool = Tool::find(program, &dir, self.run)?;
        let purpose = format!("run the script `{name}`");
        let step = steps::step(purpose, tool.program(), tool.args(&["run", name]), dir, BUILD_LIMIT);
        let output = steps::run(&step, self.run)?;
        Ok(if output.status == 0 { Ok(()) } else { Err((step, output)) })
    }
}

/// Whether the manager failed because the lock file is older than the manifest.
fn is_out_of_date(output: &StepOutput) -> bool {
    let signs =
        ["npm ci` can only install", "ERR_PNPM_OUTDATED_LOCKFILE", "frozen-lockfile", "YN0028", "EUSAGE"];
    signs.iter().any(|sign| output.stderr.contains(sign) || output.stdout.contains(sign))
}

/// Whether the package names entry files that do not exist.
fn lacks_entries(dir: &Path, package: &Package) -> bool {
    let is_plain = |entry: &&String| !entry.contains('*') && !entry.ends_with(".d.ts");
    package.entries.iter().filter(is_plain).any(|entry| {
        let path = imports::plain(&dir.join(entry));
        !path.exists() && !path.with_extension("js").exists() && !dir.join(format!("{entry}.js")).exists()
    })
}

/// Whether benchmarks import files of the project that do not exist.
fn lacks_imports(project: &Path, scripts: &[&Script]) -> bool {
    scripts.iter().any(|script| {
        let path = project.join(&script.path);
        let text = std::fs::read(&path).unwrap_or_default();
        let specifiers = imports::specifiers(&String::from_utf8_lossy(&text));
        let relative = specifiers.iter().filter(|specifier| imports::is_relative(specifier));
        // A directory refers to the package in it, whose entries are checked separately.
        let is_missing = |specifier: &&String| {
            let target = path.parent().map(|dir| imports::plain(&dir.join(specifier)));
            imports::resolve(&path, specifier).is_none() && !target.is_some_and(|target| target.exists())
        };
        relative.into_iter().any(|specifier| is_missing(&specifier))
    })
}

#[cfg(test)]
mod tests;
