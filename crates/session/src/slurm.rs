//! Measuring on the nodes of a Slurm cluster.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use benchwright_analysis::predict::Prediction;
use benchwright_model::{BenchmarkId, RunId};
use benchwright_places::slurm::{Slurm, SlurmSettings, serve_task};
use benchwright_places::{Spread, Unfit};
use benchwright_process::Interrupt;
use benchwright_runner::ComparePlan;
use benchwright_worker::{CommonEnvironment, Subject, Worker};

use crate::forecast;
use crate::listener::Listener;
use crate::place::{Divided, PlaceOrder, Placement, Provider, Staying};
use crate::problem::{Problem, because};
use crate::project::Project;

/// The nodes of a cluster, with this machine for benchmarks that cannot run there.
pub struct Cluster;

impl Provider for Cluster {
    fn name(&self) -> &'static str {
        "slurm"
    }

    fn title(&self) -> &'static str {
        "the cluster"
    }

    fn about(&self) -> &'static str {
        "the nodes of a cluster"
    }

    fn unfit(&self, project: &Project, subjects: &[Subject]) -> Result<Vec<Unfit>, Problem> {
        Ok(unfit(project, subjects))
    }

    fn connect(
        &self,
        order: &PlaceOrder<'_>,
        subjects: Vec<Subject>,
        _: &mut dyn Listener,
    ) -> Result<Placement, Problem> {
        let unfit = unfit(order.project, &subjects);
        let (staying, placement) = Staying::of(self.title(), unfit, order, subjects)?;
        let cluster = connect(order.project, order.run.clone())?;
        Ok(Placement { place: Some(staying.beside(cluster)), ..placement })
    }

    fn predict(
        &self,
        project: &Project,
        plan: &ComparePlan,
        staying: &HashSet<BenchmarkId>,
    ) -> Result<(Prediction, String), Problem> {
        let spread = spread(project, forecast::WAVES);
        let divided = Divided::of(project, plan, staying);
        let [usual, longest] = [divided.expected(|time| time.usual), divided.expected(|time| time.longest)]
            .map(|all| spread.time(&all));
        let text = format!(
            "on the cluster: up to {} tasks at a time; time in the queue is not counted",
            spread.parallel
        );
        Ok((divided.prediction(usual, longest), text))
    }
}

/// The cluster, for a run. Its files are in the cache, next to the builds, because nodes have to see both.
fn connect(project: &Project, run: RunId) -> Result<Slurm, Problem> {
    let program = std::env::current_exe()
        .map_err(|error| Problem::failed(because("find the running program", error), ""))?;
    let shared = project.cache.dir().join("slurm");
    let interrupt = project.interrupt.clone();
    Slurm::new(settings(project), run, &shared, &program, interrupt).map_err(|error| {
        let hint = error.hint();
        Problem::failed(error, hint)
    })
}

fn settings(project: &Project) -> SlurmSettings {
    let configured = project.settings.slurm.clone();
    SlurmSettings {
        partition: configured.partition,
        exclusive: configured.exclusive,
        cpus_per_task: configured.cpus_per_task,
        parallel: configured.parallel,
        repeats: configured.repeats,
        time_limit: configured.time_limit,
        extra: configured.extra,
        ..SlurmSettings::default()
    }
}

/// How duets spread over the nodes. Submitting a job and noticing its end take about as long as one look at
/// the directory and one at the queue.
fn spread(project: &Project, waves: u32) -> Spread {
    let SlurmSettings { parallel, repeats, poll, ask, .. } = settings(project);
    Spread { parallel, repeats, waves, per_parcel: poll, per_wave: ask }
}

/// The benchmarks that cannot leave this machine, by harness.
fn unfit(project: &Project, subjects: &[Subject]) -> Vec<Unfit> {
    let mut by_harness: BTreeMap<&str, Unfit> = BTreeMap::new();
    for subject in subjects {
        let name = subject.benchmark.harness.as_str();
        let harness = project.harnesses.iter().find(|harness| harness.name() == name);
        let Some(why) = harness.and_then(|harness| harness.stays()) else { continue };
        let fresh = || Unfit { benchmarks: Vec::new(), why: format!("{why} ({name})"), hint: String::new() };
        by_harness.entry(name).or_insert_with(fresh).benchmarks.push(subject.benchmark.clone());
    }
    by_harness.into_values().collect()
}

/// Carries out one task of the job array `array` of the run in `dir`, on the current node.
pub fn task(dir: &Path, array: &str) -> Result<(), Problem> {
    let variable = |name: &str| std::env::var(name).ok();
    let number = variable("SLURM_ARRAY_TASK_ID").and_then(|text| text.parse().ok());
    let Some(number) = number else {
        let error = "find out which task this is: SLURM_ARRAY_TASK_ID is not set";
        return Err(Problem::misuse(error, "`benchwright compare --on slurm` submits such tasks itself"));
    };
    let node = variable("SLURMD_NODENAME").or_else(|| variable("HOSTNAME")).unwrap_or_else(|| "node".into());
    let interrupt = Interrupt::new();
    interrupt.listen_for_signals();
    let scratch = tempfile::tempdir()
        .map_err(|error| Problem::failed(because("make a temporary directory", error), ""))?;
    let worker = Worker::new(environment(dir), scratch.path());
    serve_task(dir, array, number, &node, &worker, &interrupt).map_err(|error| Problem::failed(error, ""))
}

/// The environment of trials: that of the user where the job was submitted, without the variables that show
/// that it is a job, because some programs behave differently with them.
fn environment(dir: &Path) -> CommonEnvironment {
    let captured = CommonEnvironment::capture();
    let is_kept = |name: &std::ffi::OsStr| {
        let name = name.to_string_lossy();
        !["SLURM_", "SLURMD_", "SBATCH_"].iter().any(|prefix| name.starts_with(prefix))
    };
    let kept = captured.variables().filter(|(name, _)| is_kept(name));
    let kept = CommonEnvironment::exactly(kept.map(|(name, value)| (name.to_owned(), value.to_owned())));
    // The run's directory is in `slurm` below the cache, as check-outs are. Git must not look for a
    // repository around it.
    let cache = dir.parent().and_then(Path::parent).unwrap_or(dir);
    kept.with("GIT_CEILING_DIRECTORIES", cache)
}
