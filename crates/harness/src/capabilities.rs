//! Optional features of a harness.
//!
//! Each capability is a trait of its own. A harness that has it returns itself from the method of [`Harness`]
//! of nearly the same name. Callers use the methods below, which have defaults for harnesses without the
//! capability.

use std::path::Path;
use std::time::Duration;

use benchwright_model::BenchmarkId;

use crate::{
    Architecture, BuildRequest, Built, Equipper, Executable, Harness, HarnessError, OwnCode, PackageFilter,
    Payload, PayloadRequest, Project, RelinkRequest, Relinked, StepRunner, Stopping, TrialShape, TrialTime,
};

/// Linking an executable again with its functions in another order, drawn from a seed, so that the position
/// of code in memory can be varied without changing what the code does.
pub trait Relinking {
    /// Links it, or returns why this is not possible.
    fn relink(&self, request: &RelinkRequest<'_>, run: &mut dyn StepRunner)
    -> Result<Relinked, HarnessError>;

    /// Whether it needs only files in [`RelinkRequest::keep`], so that several can run at once.
    fn is_prepared(&self, _keep: &Path) -> bool {
        false
    }
}

/// Building only the packages that are asked for, if they can be distinguished beforehand.
pub trait PackageSelection {
    /// Builds every executable that may contain a benchmark accepted by `filter`.
    fn build_selected(
        &self,
        request: &BuildRequest<'_>,
        filter: &dyn PackageFilter,
        run: &mut dyn StepRunner,
    ) -> Result<Built, HarnessError>;
}

/// Programs that run unchanged on any machine that has their files and their run-time environment, if they
/// need one.
pub trait Portability {
    /// The files of a program that are sent to a machine where nothing is installed. The error is the reason
    /// why it cannot be sent, as a fragment that reads after a colon.
    fn payload(&self, request: &PayloadRequest<'_>) -> Result<Payload, String>;

    /// The same harness, but building Linux programs for this architecture. They can be neither listed nor
    /// run here, so the programs of this machine's own build are used for that. `None` if it builds for this
    /// machine only.
    fn targeting(&self, _architecture: Architecture) -> Option<Box<dyn Harness>> {
        None
    }

    /// For harnesses whose programs need more than their files: makes the rest.
    fn equipper(&self) -> Option<&dyn Equipper> {
        None
    }
}

/// Trials for which stop rules are useful: code that is compiled while it runs, or iterations that are seen
/// as they appear.
pub trait Warmup {
    /// What a stop rule can do for trials of an executable; `out` is its build's directory.
    fn stopping(&self, executable: &Executable, out: &Path) -> Stopping;
}

/// Trials whose times or samples differ from their shape.
pub trait TrialLength {
    /// The time of an iteration of a trial of this shape, if the shape's own arguments set another one.
    fn iteration_time(&self, shape: &TrialShape) -> Duration {
        shape.iteration_time
    }

    /// How long a trial of this shape takes, for plans that are made before anything is measured.
    fn trial_time(&self, shape: &TrialShape) -> TrialTime {
        TrialTime::of_iterations(shape)
    }

    /// Why a process of this executable does not give exactly `shape.iterations` samples. `None` if it does.
    fn other_samples(&self, _executable: &Executable, _shape: &TrialShape) -> Option<&'static str> {
        None
    }
}

/// Finding the code of a single benchmark.
pub trait CodeLookup {
    /// The part of a benchmark's code that no other benchmark shares, as far as it can be found in the
    /// project's files by simple means. `None` if it cannot.
    fn own_code(&self, root: &Path, project: &Project, benchmark: &BenchmarkId) -> Option<OwnCode>;
}

/// Builds and trials that leave files in shared places.
pub trait WorkingFiles {
    /// Whether building leaves files among the version's own files that trials need. These files are then
    /// kept when other files there are removed between runs, and made again if they are missing.
    fn builds_in_place(&self) -> bool {
        false
    }

    /// Removes files that benchmarks of earlier runs left in a build's directory `out`, if they run in it.
    /// Call this only while holding the machine's lock.
    fn sweep(&self, _out: &Path) {}
}

/// The capabilities with defaults, for every harness.
impl dyn Harness + '_ {
    /// [`Relinking::relink`]. Without the capability, the result says that it is not possible.
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

    /// [`Portability::payload`], or why the program cannot be sent.
    pub fn payload(&self, request: &PayloadRequest<'_>) -> Result<Payload, String> {
        match self.portability() {
            Some(portability) => portability.payload(request),
            None => Err(format!("{} programs need other files at run time", self.name())),
        }
    }

    /// Why its programs run on this machine only. `None` if they run on others.
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

    /// [`Warmup::stopping`]. Without the capability, there is nothing to stop.
    pub fn stopping(&self, executable: &Executable, out: &Path) -> Stopping {
        self.warmup().map_or(Stopping::Never, |warmup| warmup.stopping(executable, out))
    }

    /// [`TrialLength::iteration_time`], or the time in the shape.
    pub fn iteration_time(&self, shape: &TrialShape) -> Duration {
        self.trial_length().map_or(shape.iteration_time, |length| length.iteration_time(shape))
    }

    /// [`TrialLength::trial_time`], or the time of the shape's iterations.
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

/// Why programs of this harness have no random code layouts, if it cannot relink any of them.
pub fn no_layouts(harness: &str) -> String {
    format!("the order of functions cannot be chosen for {harness} programs")
}
