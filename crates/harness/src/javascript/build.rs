//! Makes a version ready to run: a copy with its packages, and a description of each benchmark file.

use std::fs;
use std::path::{Path, PathBuf};

use benchwright_model::Diagnostic;

use super::description::{self, Description};
use super::harness::NAME;
use super::install::{self, BuildArguments, Installer, Place};
use super::package::Package;
use super::release::{Release, Types};
use super::scripts::{self, Flavour, Script};
use super::steps::{self, QUESTION_LIMIT, file_error};
use super::tree::{self, TREE};
use super::{documents, shim};
use crate::{BuildRequest, Built, Executable, HarnessError, StepRunner};

/// Files that identify the directory in which vitest has to be started.
const VITEST_FILES: [&str; 3] = ["vitest.config.", "vite.config.", "vitest.workspace."];

/// Installs the project's packages in a copy of the version and describes its benchmark files.
pub(super) fn build(request: &BuildRequest<'_>, run: &mut dyn StepRunner) -> Result<Built, HarnessError> {
    let found = scripts::find(&request.root.join(&request.project.dir));
    if found.is_empty() {
        return Ok(Built::default());
    }
    let places = install::places(request.root, &request.project.dir);
    let copied = request.out.join(TREE);
    tree::copy(request.root, &copied, &with_members(request.root, &places)).map_err(file_error(&copied))?;
    shim::write(request.out).map_err(file_error(request.out))?;
    let node = steps::step("ask node for its version", "node", ["--version"], &copied, QUESTION_LIMIT);
    let release = Release::parse(&steps::run_well(&node, run)?.stdout);
    let arguments = BuildArguments::parse(request.args);
    let shared = request.shared;
    let mut installer = Installer { tree: &copied, shared, arguments, run, diagnostics: Vec::new() };
    for place in &places {
        let is_project = place.dir == request.project.dir;
        installer.install(place)?;
        if place.is_for_development {
            installer.build(&place.dir, if is_project { &found } else { &[] })?;
        }
    }
    let mut built = Built { diagnostics: installer.diagnostics, ..Built::default() };
    tree::remember(request.out).map_err(file_error(request.out))?;
    let site = Site { request, tree: &copied, release, documents: documents::mentioned(&copied) };
    for script in &found {
        match site.executable(script)? {
            Ok(executable) => built.executables.push(executable),
            Err(diagnostic) => built.diagnostics.push(diagnostic),
        }
    }
    Ok(built)
}

/// The directories whose packages are installed, including those of workspace members.
fn with_members(root: &Path, places: &[Place]) -> Vec<PathBuf> {
    let packages = places.iter().flat_map(|Place { dir, .. }| {
        scripts::packages(&root.join(dir)).into_iter().map(|(member, _)| dir.join(member))
    });
    packages.collect()
}

/// A version's copy with everything installed.
struct Site<'a> {
    request: &'a BuildRequest<'a>,
    tree: &'a Path,
    release: Release,
    documents: Vec<String>,
}

impl Site<'_> {
    /// Describes one benchmark file, or returns a diagnostic if it cannot be run here.
    fn executable(&self, script: &Script) -> Result<Result<Executable, Diagnostic>, HarnessError> {
        let project = &self.request.project.dir;
        let package_dir = project.join(&script.package_dir);
        let package = format!("{}/{}", script.package_name, script.path_in_package());
        let vitest = match script.flavour {
            Flavour::Vitest => match self.vitest(&package_dir) {
                Some(program) => Some(text(&program)),
                None => {
                    return Ok(Err(Diagnostic::error(package, "vitest is not among the installed packages")));
                }
            },
            _ => None,
        };
        let dir = if vitest.is_some() { self.vitest_dir(&package_dir) } else { package_dir.clone() };
        let node_args = match self.node_args(script, &package_dir) {
            Ok(args) => args,
            Err(diagnostic) => return Ok(Err(Diagnostic { subject: package, ..diagnostic })),
        };
        let description = Description {
            script: text(&project.join(&script.path)),
            dir: text(&dir),
            node_args,
            vitest,
            documents: self.documents.clone(),
        };
        let file = description::file_name(&description.script);
        let path = self.request.out.join(&file);
        description.write(&path).map_err(file_error(&path))?;
        let version =
            self.installed(&package_dir, script.flavour.library()).map(|(_, package)| package.version);
        Ok(Ok(Executable {
            harness: NAME.into(),
            package,
            flavour: script.flavour.name().into(),
            flavour_version: version.unwrap_or_default(),
            path: file.into(),
            dir,
            env: Vec::new(),
        }))
    }

    /// The options for node: the project's own, and those for TypeScript. If a project has tsx, its files are
    /// meant to be run with it; node's own type stripping supports less.
    fn node_args(&self, script: &Script, package_dir: &Path) -> Result<Vec<String>, Diagnostic> {
        let mut args = script.node_args.clone();
        let is_loaded = args.iter().any(|arg| arg.contains("tsx") || arg.contains("ts-node"));
        if !script.is_typed() || script.flavour == Flavour::Vitest || is_loaded {
            return Ok(args);
        }
        match self.release.types() {
            _ if self.installed(package_dir, "tsx").is_some() => {
                args.extend(["--import".to_owned(), "tsx".to_owned()]);
            }
            Types::Stripped => {}
            Types::OnRequest => args.push("--experimental-strip-types".into()),
            Types::Unknown => {
                let message = "is TypeScript, which this release of node cannot run";
                let hint = "use node 22.18 or newer, or add tsx to the development dependencies";
                return Err(Diagnostic::error("", message).hint(hint));
            }
        }
        Ok(args)
    }

    /// A package as found by files in `dir`, with its directory relative to the tree.
    fn installed(&self, dir: &Path, name: &str) -> Option<(PathBuf, Package)> {
        dir.ancestors().find_map(|above| {
            let place = above.join("node_modules").join(name);
            Package::read(&self.tree.join(&place)).map(|package| (place, package))
        })
    }

    fn vitest(&self, dir: &Path) -> Option<PathBuf> {
        let program = self.installed(dir, "vitest")?.0.join("vitest.mjs");
        self.tree.join(&program).is_file().then_some(program)
    }

    /// The directory of vitest's configuration: the package, or the project around it.
    fn vitest_dir(&self, package_dir: &Path) -> PathBuf {
        let project = &self.request.project.dir;
        let has_configuration = |dir: &&Path| {
            let entries = fs::read_dir(self.tree.join(dir)).into_iter().flatten().flatten();
            let mut names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
            names.any(|name| VITEST_FILES.iter().any(|start| name.starts_with(start)))
        };
        let above = package_dir.ancestors().take_while(|dir| dir.starts_with(project));
        above.into_iter().find(has_configuration).unwrap_or(package_dir).to_owned()
    }
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests;
