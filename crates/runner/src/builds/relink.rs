//! Executables of a build in other code layouts, made when a duet asks for them.
//!
//! They are inside the build, below `layouts/SEED`, and are removed when the run they were made for has
//! ended. Files shared by all layouts of an executable stay with the build.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, SystemTime};

use benchwright_harness::{BuildRequest, Harness, RelinkRequest, Relinked};
use benchwright_model::Side;
use benchwright_process::Interrupt;
use benchwright_worker::{BuildPlace, Program};
use serde::{Deserialize, Serialize};

use super::manifest::WireExecutable;
use super::workshop::Workshop;
use super::{Arguments, Build, BuiltExecutable, ProjectError, record};
use crate::layouts::{Layout, NoLayout, Relinker};
use crate::steps::ProcessSteps;
use crate::versions::{Cache, Repository, mark_used};

/// The directory of layouts within a build.
const LAYOUTS: &str = "layouts";
/// The directory in it for files that all layouts share.
const SHARED: &str = "shared";
/// Layouts of interrupted runs that were not resumed are removed after this time.
const KEPT: Duration = Duration::from_secs(24 * 3600);

/// Relinks the executables of the two builds of a comparison.
pub struct BuildRelinker<'a> {
    /// The cache that holds the builds.
    pub cache: &'a Cache,
    /// The repository whose versions share intermediate files.
    pub repository: &'a Repository,
    /// The tools.
    pub harnesses: &'a [Box<dyn Harness>],
    /// Extra arguments by the name of the harness, the same as for building.
    pub arguments: &'a HashMap<String, Arguments>,
    /// Stops the work early.
    pub interrupt: &'a Interrupt,
    /// The old version.
    pub base: &'a Build,
    /// The new version.
    pub head: &'a Build,
}

/// What is cached about an executable in another layout.
#[derive(Debug, Serialize, Deserialize)]
struct Memory {
    /// Digest of the executable it was made from.
    digest: String,
    seed: u64,
    executable: WireExecutable,
}

impl Relinker for BuildRelinker<'_> {
    fn relink(
        &mut self,
        layouts: [Layout<'_>; 2],
        on_step: &mut dyn FnMut(Side, &str),
    ) -> Result<[Program; 2], NoLayout> {
        let (this, (sender, steps)) = (&*self, mpsc::channel());
        let [base, head] = thread::scope(|scope| {
            let sides = layouts.map(|layout| {
                let sender = sender.clone();
                scope.spawn(move || {
                    this.relink_side(&layout, &mut |purpose| {
                        // The receiver lives until both threads have ended.
                        let _ = sender.send((layout.side, purpose.to_owned()));
                    })
                })
            });
            drop(sender);
            steps.iter().for_each(|(side, purpose)| on_step(side, &purpose));
            sides.map(|side| side.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        });
        Ok([base?, head?])
    }
}

impl BuildRelinker<'_> {
    /// Makes the program of one side.
    fn relink_side(&self, layout: &Layout<'_>, on_step: &mut dyn FnMut(&str)) -> Result<Program, NoLayout> {
        let build = self.build(layout.side);
        let is_it = |built: &&BuiltExecutable| {
            built.out == layout.program.place.out && built.executable.path == layout.program.executable.path
        };
        let missing = || NoLayout::Failed("its build is not known any more".into());
        let built = build.executables.iter().find(is_it).ok_or_else(missing)?;
        let harness = self.harnesses.iter().find(|it| it.name() == built.executable.harness);
        let harness = harness.ok_or_else(missing)?;
        let made = self.make(build, built, harness.as_ref(), layout, on_step);
        made.map_err(|error| self.failure(&error, &built.executable.package))?
    }

    /// Removes the layouts of the run with this seed.
    pub fn discard(&self, run_seed: u64) {
        let outs: BTreeSet<&PathBuf> =
            [self.base, self.head].iter().flat_map(|build| &build.executables).map(|it| &it.out).collect();
        for out in outs {
            // Files that cannot be removed now are removed with the build.
            let _ = fs::remove_dir_all(out.join(LAYOUTS).join(run_name(run_seed)));
        }
    }

    fn build(&self, side: Side) -> &Build {
        match side {
            Side::Base => self.base,
            Side::Head => self.head,
        }
    }

    fn failure(&self, error: &ProjectError, package: &str) -> NoLayout {
        match error.is_interrupt() || self.interrupt.is_set() {
            true => NoLayout::Interrupted,
            false => NoLayout::Failed(error.diagnostic(package).message),
        }
    }

    /// Takes the program from the cache, or links it into it.
    fn make(
        &self,
        build: &Build,
        built: &BuiltExecutable,
        harness: &dyn Harness,
        layout: &Layout<'_>,
        on_step: &mut dyn FnMut(&str),
    ) -> Result<Result<Program, NoLayout>, ProjectError> {
        let entry = built.out.parent().unwrap_or(&built.out);
        let _lock = self.cache.lock(entry, Some(self.interrupt))?;
        mark_used(entry);
        let place = BuildPlace { root: build.root.clone(), out: built.out.clone() };
        let relative = relative_path(layout, &built.executable.path);
        let target = built.out.join(&relative);
        let dir = target.parent().unwrap_or(&built.out);
        if let Some(memory) = record::read::<Memory>(&dir.join("layout.json"))
            && memory.digest == built.digest
            && memory.seed == layout.seed
            && let Some(executable) = memory.executable.intact(&built.out)
        {
            return Ok(Ok(Program { executable, place }));
        }
        remove_old(&built.out.join(LAYOUTS), layout.run_seed);
        if dir.exists() {
            fs::remove_dir_all(dir).map_err(ProjectError::file("replace", dir))?;
        }
        fs::create_dir_all(dir).map_err(ProjectError::file("write", dir))?;
        if let Relinked::Cannot(reason) =
            self.relink_into(&target, build, built, harness, layout.seed, on_step)?
        {
            return Ok(Err(NoLayout::Cannot(reason)));
        }
        let executable = benchwright_harness::Executable { path: relative, ..built.executable.clone() };
        if let Some(wire) = WireExecutable::of(&executable, &built.out, &built.digest) {
            let memory = Memory { digest: built.digest.clone(), seed: layout.seed, executable: wire };
            let path = dir.join("layout.json");
            record::write(&path, &memory).map_err(ProjectError::file("write", path))?;
        }
        Ok(Ok(Program { executable, place }))
    }

    fn relink_into(
        &self,
        target: &Path,
        build: &Build,
        built: &BuiltExecutable,
        harness: &dyn Harness,
        seed: u64,
        on_step: &mut dyn FnMut(&str),
    ) -> Result<Relinked, ProjectError> {
        let none = Arguments::default();
        let arguments = self.arguments.get(harness.name()).unwrap_or(&none);
        let workshop = Workshop {
            cache: self.cache,
            repository: self.repository,
            interrupt: self.interrupt,
            project: &built.project,
            root: &build.root,
            listing: &build.listing,
        };
        let environment = workshop.environment();
        let logs = built.out.join(LAYOUTS).join("logs");
        let mut steps =
            ProcessSteps::new(self.cache, &build.root, &environment, &logs, self.interrupt, on_step);
        let keep = built.out.join(LAYOUTS).join(SHARED).join(flat(&built.executable.path));
        let mut link = |intermediate: &Path, shared: &Path| {
            let request = RelinkRequest {
                build: BuildRequest {
                    root: &build.root,
                    project: &built.project,
                    out: &built.out,
                    intermediate,
                    shared,
                    args: &arguments.build,
                },
                executable: &built.executable,
                target,
                keep: &keep,
                seed,
            };
            Ok(harness.relink(&request, &mut steps)?)
        };
        if harness.relinking().is_some_and(|relinking| relinking.is_prepared(&keep)) {
            let (intermediate, shared) = workshop.directories(&built.toolchain);
            return link(&intermediate, &shared);
        }
        workshop.with_intermediate(&built.toolchain, link)
    }
}

/// The path within the build. It has the same length for both sides, because a longer name would move the
/// stack.
fn relative_path(layout: &Layout<'_>, executable: &Path) -> PathBuf {
    let side = match layout.side {
        Side::Base => "b",
        Side::Head => "h",
    };
    let run = run_name(layout.run_seed);
    let name = format!("{side}{:05}-{}", layout.number, flat(executable));
    Path::new(LAYOUTS).join(run).join(name).join(executable.file_name().unwrap_or_default())
}

fn run_name(seed: u64) -> String {
    format!("{seed:016x}")
}

/// A relative path as a single file name.
fn flat(path: &Path) -> String {
    path.to_string_lossy().replace('/', "+")
}

/// Removes layouts of other runs that are no longer needed.
fn remove_old(layouts: &Path, run_seed: u64) {
    let is_run = |name: &str| name.len() == 16 && name.chars().all(|c| c.is_ascii_hexdigit());
    for entry in fs::read_dir(layouts).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let modified = entry.metadata().and_then(|metadata| metadata.modified());
        let is_old =
            modified.is_ok_and(|at| SystemTime::now().duration_since(at).is_ok_and(|age| age > KEPT));
        if is_run(&name) && name != run_name(run_seed) && is_old {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}
