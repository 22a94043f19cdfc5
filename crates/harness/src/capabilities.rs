//! Optional features of a harness.
//!
//! Each capability is a trait of its own. A harness that has it returns itself from the method of [`Harness`] of nearly the same
//! name; everybody else asks the methods below, which say what holds where a harness does not offer it.

use std::path::Path;
use std::time::Duration;

use benchwright_model::BenchmarkId;

use crate::{
    Architecture, BuildRequest, Built, Equipper, Executable, Harness, HarnessError, OwnCode, PackageFilter,
    Payload, PayloadRequest, Project, RelinkRequest, Relinked, StepRunner, Stopping, TrialShape, TrialTime,
};

/// Linking one executable again with its functions in another order, drawn from a seed, so that where code lies in memory can be
/// varied without changing what it does.
pub trait Relinking {
    /// Links it, or says why this one cannot be.
    fn relink(&self, request: &RelinkRequest<'_>, run: &mut dyn StepRunner)
    -> Result<Relinked, HarnessError>;

    /// Whether it needs nothing but what lies in [`RelinkRequest::keep`], so that several may go on at once.
    fn is_prepared(&self, _keep: &Path) -> bool {
        false
    }
}

/// Building no more than the packages that are asked for, where they can be distinguished beforehand.
pub trait PackageSelection {
    /// Builds every executable that may contain a benchmark which `filter` accepts.
    fn build_selected(
        &self,
        request: &BuildRequest<'_>,
        filter: &dyn PackageFilter,
        run: &mut dyn StepRunner,
    ) -> Result<Built, HarnessError>;
}

/// Programs that run, as they are, on any machine that sees their files and has their run-time environment, if they have one.
pub trait Portability {
    /// The files of a program that are sent to a machine where nothing is installed, or why it stays, as a fragment that reads
    /// after a colon.
    fn payload(&self, request: &PayloadRequest<'_>) -> Result<Payload, String>;

    /// The same harness, but building Linux programs for this architecture. They can be neither listed nor run here: that is what
    /// the programs of this machine's own build are for. None where it builds for this machine alone.
    fn targeting(&self, _architecture: Architecture) -> Option<Box<dyn Harness>> {
        None
    }

    /// For harnesses whose programs are more than themselves: what makes the rest of what they need there.
    fn equipper(&self) -> Option<&dyn Equipper> {
        None
    }
}

/// Trials that stop rules have something to do for: code that is compiled while it runs, or iterations that are seen as they
/// appear.
pub trait Warmup {
    /// What a stop rule can do for trials of an executable; `out` is its build's directory.
    fn stopping(&self, executable: &Executable, out: &Path) -> Stopping;
}

/// Trials that take other times, or give other samples, than their shape says.
pub trait TrialLength {
    /// The time of an iteration of a trial of this shape, where the shape's own arguments say another one.
    fn iteration_time(&self, shape: &TrialShape) -> Duration {
        shape.iteration_time
    }

    /// How long a trial of this shape takes, for plans that are made before anything was measured.
    fn trial_time(&self, shape: &TrialShape) -> TrialTime {
        TrialTime::of_iterations(shape)
    }

    /// Why a process of this executable does not give exactly `shape.iterations` samples; none where it does.
    fn other_samples(&self, _executable: &Executable, _shape: &TrialShape) -> Option<&'static str> {
        None
    }
}

/// Finding the code of a single benchmark.
pub trait CodeLookup {
    /// The part of a benchmark's code that is its own alone, as far as the project's files show it by simple means; none where
    /// they do not.
    fn own_code(&self, root: &Path, project: &Project, benchmark: &BenchmarkId) -> Option<OwnCode>;
}

/// Builds and trials that leave files where others find them.
pub trait WorkingFiles {
    /// Whether building leaves something among the version's own files that trials need. It is then kept where whatever else
    /// lies there between runs is swept away, and built again should it be missing.
    fn builds_in_place(&self) -> bool {
        false
    }

    /// Removes what benchmarks of earlier runs left in a build's directory `out`, where they run in it. Call it only while holding
    /// the machine's lock.
    fn sweep(&self, _out: &Path) {}
}

/// What holds for every harness, whether it offers the capability or not.
impl dyn Harness + '_ {
    /// [`Relinking::relink`]; a harness that does not offer it says so.
    pub fn relink(
        &self,
        request: &RelinkRequest<'_>,
        run: &mut dyn StepRunner,
    ) -> Result<Relinked, HarnessError> {
        match self.relinking() {
            Some(relinking) => relinking.relink(request, run),
            None => Ok(Relinked::Cannot(no_layouts(self.name()))),
        }
    }

    /// [`Portability::payload`], or why the program stays.
    pub fn payload(&self, request: &PayloadRequest<'_>) -> Result<Payload, String> {
        match self.portability() {
            Some(portability) => portability.payload(request),
            None => Err(format!("{} programs need other files at run time", self.name())),
        }
    }

    /// Why its programs run on this machine only; none where they run on others.
    pub fn stays(&self) -> Option<&'static str> {
        let why = "its programs need an interpreter and packages as they are installed here";
        self.portability().is_none().then_some(why)
    }

    /// [`Portability::targeting`].
    pub fn targeting(&self, architecture: Architecture) -> Option<Box<dyn Harness>> {
        self.portability()?.targeting(architecture)
    }

    /// [`Portability::equipper`].
    pub fn equipper(&self) -> Option<&dyn Equipper> {
        self.portability()?.equipper()
    }

    /// [`Warmup::stopping`]; otherwise there is nothing to wait for.
    pub fn stopping(&self, executable: &Executable, out: &Path) -> Stopping {
        self.warmup().map_or(Stopping::Never, |warmup| warmup.stopping(executable, out))
    }

    /// [`TrialLength::iteration_time`], or that of the shape.
    pub fn iteration_time(&self, shape: &TrialShape) -> Duration {
        self.trial_length().map_or(shape.iteration_time, |length| length.iteration_time(shape))
    }

    /// [`TrialLength::trial_time`], or that of the shape's iterations.
    pub fn trial_time(&self, shape: &TrialShape) -> TrialTime {
        self.trial_length().map_or_else(|| TrialTime::of_iterations(shape), |length| length.trial_time(shape))
    }

    /// [`TrialLength::other_samples`].
    pub fn other_samples(&self, executable: &Executable, shape: &TrialShape) -> Option<&'static str> {
        self.trial_length()?.other_samples(executable, shape)
    }

    /// [`CodeLookup::own_code`].
    pub fn own_code(&self, root: &Path, project: &Project, benchmark: &BenchmarkId) -> Option<OwnCode> {
        self.code_lookup()?.own_code(root, project, benchmark)
    }

    /// [`WorkingFiles::builds_in_place`].
    pub fn builds_in_place(&self) -> bool {
        self.working_files().is_some_and(|files| files.builds_in_place())
    }

    /// [`WorkingFiles::sweep`].
    pub fn sweep(&self, out: &Path) {
        if let Some(files) = self.working_files() {
            files.sweep(out);
        }
    }
}

/// Why programs of a harness that cannot relink any of them have no random code layouts.
pub fn no_layouts(harness: &str) -> String {
    format!("the order of functions cannot be chosen for {harness} programs")
}
