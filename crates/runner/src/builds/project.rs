//! One project of a version: from the cache, or built into it.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Duration;

use benchwright_harness::{
    BuildRequest, Built, Executable, Harness, ListRequest, Listing, Missing, PackageFilter, Project,
};
use benchwright_model::{BenchmarkId, Diagnostic, Severity};
use benchwright_worker::CommonEnvironment;

use super::manifest::{ListingRecord, Manifest, WireExecutable};
use super::workshop::Workshop;
use super::{Arguments, BuiltExecutable, PrepareRequest, ProjectError, digest, key, record};
use crate::steps::ProcessSteps;
use crate::versions::{are_there, keep_made, mark_used, short_hash};

/// How long a listing with failures is used.
const DOUBTFUL_LISTING: Duration = Duration::from_secs(3600);

/// The result of building one project.
pub(super) struct ProjectBuild {
    pub(super) key: String,
    pub(super) harness: String,
    pub(super) toolchain: String,
    pub(super) executables: Vec<BuiltExecutable>,
    pub(super) diagnostics: Vec<Diagnostic>,
    pub(super) cached: bool,
}

/// Takes the project from the cache, or builds and lists it.
pub(super) fn prepare_project(
    request: &PrepareRequest<'_>,
    harness: &dyn Harness,
    project: &Project,
    on_step: &mut dyn FnMut(&str),
) -> Result<ProjectBuild, ProjectError> {
    prepare_with(request, harness, project, on_step, |work, built, was_built, on_step| {
        let (listings, were_remembered) = work.list(&built.executables, on_step)?;
        Ok((listings, was_built && were_remembered))
    })
}

/// Does the same for programs that cannot be listed here.
pub(super) fn prepare_unlisted(
    request: &PrepareRequest<'_>,
    harness: &dyn Harness,
    project: &Project,
    on_step: &mut dyn FnMut(&str),
) -> Result<ProjectBuild, ProjectError> {
    prepare_with(request, harness, project, on_step, |_, built, was_built, _| {
        Ok((vec![Listing::default(); built.executables.len()], was_built))
    })
}

/// Lists the programs of a project. Also returns whether everything was in the cache.
type List =
    fn(&Work<'_>, &BuiltProject, bool, &mut dyn FnMut(&str)) -> Result<(Vec<Listing>, bool), ProjectError>;

fn prepare_with(
    request: &PrepareRequest<'_>,
    harness: &dyn Harness,
    project: &Project,
    on_step: &mut dyn FnMut(&str),
    list: List,
) -> Result<ProjectBuild, ProjectError> {
    let none = Arguments::default();
    let arguments = request.arguments.get(harness.name()).unwrap_or(&none);
    let environment = workshop(request, project).environment();
    let toolchain = query_toolchain(request, harness, project, &arguments.build, &environment, on_step)?;
    let parts = key::Parts {
        project,
        toolchain: &toolchain,
        definition: &harness.definition(),
        build_args: &arguments.build,
        environment: &environment,
    };
    let key = key::build_key(request, &parts);
    let mut work = Work::new(request, harness, project, (arguments, environment), (toolchain, key));
    let _locks = work.choose()?;
    let remembered = work.remembered();
    let was_built = remembered.is_some();
    let built = match remembered {
        Some(built) => built,
        None => work.build(on_step)?,
    };
    let (listings, cached) = list(&work, &built, was_built, on_step)?;
    mark_used(&work.dir);
    Ok(work.assemble(built, listings, cached))
}

fn workshop<'a>(request: &PrepareRequest<'a>, project: &'a Project) -> Workshop<'a> {
    Workshop {
        cache: request.cache,
        repository: request.repository,
        interrupt: request.interrupt,
        project,
        root: &request.checkout.root,
        listing: &request.checkout.listing,
    }
}

fn query_toolchain(
    request: &PrepareRequest<'_>,
    harness: &dyn Harness,
    project: &Project,
    build_args: &[String],
    environment: &CommonEnvironment,
    on_step: &mut dyn FnMut(&str),
) -> Result<String, ProjectError> {
    // The directory of the build is not known yet: its name depends on the result.
    let root = request.checkout.root.as_os_str().as_encoded_bytes();
    let name = short_hash(&[root, harness.name().as_bytes(), project.dir.as_os_str().as_encoded_bytes()]);
    let logs = request.cache.entry("logs", &name);
    let mut steps = ProcessSteps::new(
        request.cache,
        &request.checkout.root,
        environment,
        &logs,
        request.interrupt,
        on_step,
    );
    let toolchain = harness.toolchain(project, build_args, &mut steps)?;
    mark_used(&logs);
    Ok(toolchain)
}

/// Executables with their digests, and the harness's diagnostics.
struct BuiltProject {
    executables: Vec<(Executable, String)>,
    diagnostics: Vec<Diagnostic>,
}

/// The work on one project, once its key is known.
struct Work<'a> {
    request: &'a PrepareRequest<'a>,
    harness: &'a dyn Harness,
    project: &'a Project,
    arguments: &'a Arguments,
    environment: CommonEnvironment,
    toolchain: String,
    key: String,
    dir: PathBuf,
}

impl<'a> Work<'a> {
    fn new(
        request: &'a PrepareRequest<'a>,
        harness: &'a dyn Harness,
        project: &'a Project,
        (arguments, environment): (&'a Arguments, CommonEnvironment),
        (toolchain, key): (String, String),
    ) -> Work<'a> {
        let dir = request.cache.entry("builds", &key);
        Work { request, harness, project, arguments, environment, toolchain, key, dir }
    }

    /// Chooses the build and locks it. A build of some packages has a key of its own. If the build of all
    /// packages exists, it is used instead.
    fn choose(&mut self) -> Result<Vec<File>, ProjectError> {
        let lock = |work: &Self| work.request.cache.lock(&work.dir, Some(work.request.interrupt));
        let Some(filter) = self.filter() else { return Ok(vec![lock(self)?]) };
        let (whole, some) = (self.key.clone(), key::partial_key(&self.key, &filter.text()));
        self.turn_to(some.clone());
        let mut locks = vec![lock(self)?];
        if self.remembered().is_none() {
            self.turn_to(whole);
            locks.push(lock(self)?);
            if self.remembered().is_none() {
                self.turn_to(some);
                locks.truncate(1);
            }
        }
        Ok(locks)
    }

    fn turn_to(&mut self, key: String) {
        self.dir = self.request.cache.entry("builds", &key);
        self.key = key;
    }

    /// Which packages are asked for, if the harness can distinguish them.
    fn filter(&self) -> Option<&'a dyn PackageFilter> {
        self.request.filter.filter(|_| self.harness.package_selection().is_some())
    }

    fn root(&self) -> &Path {
        &self.request.checkout.root
    }

    fn out(&self) -> PathBuf {
        self.dir.join("out")
    }

    fn manifest_path(&self) -> PathBuf {
        self.dir.join("build.json")
    }

    /// The file that lists what the build put among the version's files.
    fn made_path(&self) -> PathBuf {
        self.dir.join("made")
    }

    /// The file that caches the benchmarks of an executable: all of them, or those that a filter does not
    /// exclude.
    fn listing_path(&self, executable: &Executable, filter: Option<&dyn PackageFilter>) -> PathBuf {
        let of = [executable.package.clone(), executable.path.display().to_string()];
        let all = key::text_key(&[&of, self.arguments.run.as_slice()].concat());
        let name = filter.map_or(all.clone(), |filter| key::partial_key(&all, &filter.text()));
        self.dir.join(format!("listing-{name}.json"))
    }

    fn steps<'b>(&'b self, on_step: &'b mut dyn FnMut(&str)) -> ProcessSteps<'b> {
        ProcessSteps::new(
            self.request.cache,
            self.root(),
            &self.environment,
            &self.dir.join("logs"),
            self.request.interrupt,
            on_step,
        )
    }

    /// The build in the cache, if it is complete and unchanged.
    fn remembered(&self) -> Option<BuiltProject> {
        let manifest: Manifest = record::read(&self.manifest_path())?;
        let out = self.out();
        let executables =
            manifest.executables.iter().map(|wire| Some((wire.intact(&out)?, wire.digest.clone())));
        let executables = executables.collect::<Option<Vec<_>>>().filter(|_| manifest.key == self.key)?;
        if self.harness.builds_in_place() && !are_there(self.root(), &self.made_path()) {
            return None;
        }
        Some(BuiltProject {
            executables,
            diagnostics: manifest.diagnostics.into_iter().map(Into::into).collect(),
        })
    }

    fn build(&self, on_step: &mut dyn FnMut(&str)) -> Result<BuiltProject, ProjectError> {
        let out = self.out();
        if self.dir.exists() {
            fs::remove_dir_all(&self.dir).map_err(ProjectError::file("replace", &self.dir))?;
        }
        fs::create_dir_all(&out).map_err(ProjectError::file("write", &out))?;
        let built = self.build_with_intermediate(&out, on_step)?;
        if self.harness.builds_in_place() {
            let made = self.made_path();
            keep_made(self.root(), &self.request.checkout.listing, &made)
                .map_err(ProjectError::file("write", &made))?;
        }
        let mut executables = Vec::new();
        for executable in built.executables {
            let program = out.join(&executable.path);
            let digest = digest::executable_digest(&program, self.root(), &self.dir)
                .map_err(ProjectError::file("read", &program))?;
            executables.push((executable, digest));
        }
        let built = BuiltProject { executables, diagnostics: built.diagnostics };
        self.remember(&built)?;
        Ok(built)
    }

    fn build_with_intermediate(
        &self,
        out: &Path,
        on_step: &mut dyn FnMut(&str),
    ) -> Result<Built, ProjectError> {
        workshop(self.request, self.project).with_intermediate(&self.toolchain, |intermediate, shared| {
            let request = BuildRequest {
                root: self.root(),
                project: self.project,
                out,
                intermediate,
                shared,
                args: &self.arguments.build,
            };
            let mut steps = self.steps(on_step);
            Ok(match (self.harness.package_selection(), self.filter()) {
                (Some(selection), Some(filter)) => selection.build_selected(&request, filter, &mut steps)?,
                _ => self.harness.build(&request, &mut steps)?,
            })
        })
    }

    /// Writes the manifest, unless a package failed: the reason (a download, a full disk) may be gone next
    /// time.
    fn remember(&self, built: &BuiltProject) -> Result<(), ProjectError> {
        let out = self.out();
        let wires =
            built.executables.iter().map(|(executable, digest)| WireExecutable::of(executable, &out, digest));
        let (Some(executables), false) = (wires.collect(), has_errors(&built.diagnostics)) else {
            return Ok(());
        };
        let manifest = Manifest {
            key: self.key.clone(),
            toolchain: self.toolchain.clone(),
            executables,
            diagnostics: built.diagnostics.iter().map(Into::into).collect(),
        };
        let path = self.manifest_path();
        record::write(&path, &manifest).map_err(ProjectError::file("write", path))
    }

    /// Lists every executable, using cached lists. Also returns whether all lists were cached. An executable
    /// that cannot be listed becomes a diagnostic as long as another one can.
    fn list(
        &self,
        executables: &[(Executable, String)],
        on_step: &mut dyn FnMut(&str),
    ) -> Result<(Vec<Listing>, bool), ProjectError> {
        let mut listings = Vec::new();
        let mut first_failure = None;
        let mut were_remembered = true;
        let mut steps = self.steps(on_step).within(self.request.limits);
        for (executable, _) in executables {
            let is_wanted = self.filter().is_none_or(|filter| filter.may_accept(&executable.package));
            if !is_wanted {
                listings.push(Listing::default());
                continue;
            }
            let remembered = self.remembered_listing(executable, None);
            if let Some(listing) =
                remembered.or_else(|| self.remembered_listing(executable, Some(self.filter()?)))
            {
                listings.push(self.without_skipped(listing));
                continue;
            }
            were_remembered = false;
            let listing = match self.list_one(executable, &mut steps) {
                Ok(listing) => {
                    self.remember_listing(executable, &listing)?;
                    listing
                }
                Err(error) if error.is_interrupt() => return Err(error),
                Err(error) => {
                    let diagnostics = vec![error.diagnostic(&executable.package)];
                    first_failure.get_or_insert(error);
                    Listing { diagnostics, ..Listing::default() }
                }
            };
            listings.push(listing);
        }
        match first_failure {
            Some(error) if listings.iter().all(|listing| listing.benchmarks.is_empty()) => Err(error),
            _ => Ok((listings, were_remembered)),
        }
    }

    /// The listing without benchmarks that a new listing would not include.
    fn without_skipped(&self, mut listing: Listing) -> Listing {
        if let Some(filter) = self.filter() {
            let function = |id: &BenchmarkId| id.name.split('/').next().unwrap_or_default().to_owned();
            listing.benchmarks.retain(|id| filter.may_accept_function(&id.package, &function(id)));
        }
        listing
    }

    /// The cached listing of an executable. A listing in which a benchmark failed, timed out or was skipped
    /// is used for a limited time only, because the benchmark may work later.
    fn remembered_listing(
        &self,
        executable: &Executable,
        filter: Option<&dyn PackageFilter>,
    ) -> Option<Listing> {
        let path = self.listing_path(executable, filter);
        let record: ListingRecord = record::read(&path)?;
        let mut listing: Listing = Some(record).filter(|record| record.key == self.key)?.into();
        if listing.diagnostics.is_empty() {
            return Some(listing);
        }
        let age = fs::metadata(&path).and_then(|it| it.modified()).ok()?.elapsed().ok()?;
        for diagnostic in listing.diagnostics.iter_mut().filter(|diagnostic| diagnostic.hint.is_empty()) {
            diagnostic.hint = "seen when it was last listed; it is listed again an hour after that".into();
        }
        (age < DOUBTFUL_LISTING).then_some(listing)
    }

    fn list_one(
        &self,
        executable: &Executable,
        steps: &mut ProcessSteps<'_>,
    ) -> Result<Listing, ProjectError> {
        let scratch = self.request.cache.temporary()?;
        let request = ListRequest {
            root: self.root(),
            out: &self.out(),
            executable,
            scratch: scratch.path(),
            args: &self.arguments.run,
            filter: self.filter(),
        };
        Ok(self.harness.list(&request, steps)?)
    }

    /// Caches a listing, for all filters or for the same filter only.
    fn remember_listing(&self, executable: &Executable, listing: &Listing) -> Result<(), ProjectError> {
        let filter = match listing.missing {
            Missing::Nothing => None,
            Missing::Excluded => self.filter(),
            Missing::Limited => return Ok(()),
        };
        let path = self.listing_path(executable, filter);
        record::write(&path, &ListingRecord::of(&self.key, listing))
            .map_err(ProjectError::file("write", path))
    }

    fn assemble(self, built: BuiltProject, listings: Vec<Listing>, cached: bool) -> ProjectBuild {
        let out = self.out();
        let mut diagnostics = built.diagnostics;
        let mut executables = Vec::new();
        for ((executable, digest), listing) in built.executables.into_iter().zip(listings) {
            let (project, out) = (self.project.clone(), out.clone());
            diagnostics.extend(listing.diagnostics);
            executables.push(BuiltExecutable {
                executable,
                project,
                toolchain: self.toolchain.clone(),
                out,
                digest,
                benchmarks: listing.benchmarks,
                listed: listing.times,
                here: None,
            });
        }
        let harness = self.harness.name().to_owned();
        ProjectBuild { key: self.key, harness, toolchain: self.toolchain, executables, diagnostics, cached }
    }
}

fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
}
