//! Where a comparison measures: what the user chose, ready to take calls.

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use benchwright_config::FunctionArchitecture;
use benchwright_harness::Architecture;

use benchwright_model::{BenchmarkId, Diagnostic, RunId};
#[cfg(feature = "lambda")]
use benchwright_places::lambda::Lambda;
use benchwright_places::slurm::Slurm;
use benchwright_places::{Fallback, Local, Place, Unfit};
use benchwright_runner::{Build, ComparePlan};

use crate::args::{CompareArgs, PlaceArgs};
#[cfg(feature = "lambda")]
use crate::lambda;
use crate::problem::Problem;
use crate::project::Project;
use crate::terminal::Terminal;
use crate::{keep, slurm};

/// The place of a run.
pub(crate) enum Chosen {
    /// This machine.
    Here(Local),
    /// The nodes of a cluster, and this machine for what cannot leave it.
    Slurm(Box<Fallback<Slurm>>),
    /// AWS Lambda, and this machine for what cannot leave it.
    #[cfg(feature = "lambda")]
    Lambda(Box<Fallback<Lambda>>),
}

impl Chosen {
    /// As something that carries out calls.
    pub(crate) fn place(&mut self) -> &mut dyn Place {
        match self {
            Chosen::Here(local) => local,
            Chosen::Slurm(cluster) => cluster.as_mut(),
            #[cfg(feature = "lambda")]
            Chosen::Lambda(lambda) => lambda.as_mut(),
        }
    }

    /// Says what it cost, where it cost something.
    pub(crate) fn conclude(&self, terminal: Terminal) {
        match self {
            Chosen::Here(_) | Chosen::Slurm(_) => {}
            #[cfg(feature = "lambda")]
            Chosen::Lambda(lambda) => lambda::tell_spending(terminal, lambda.elsewhere()),
        }
    }
}

/// Numbers of duets of a place with many instances come from its own table, unless they were typed: waves that look seldom and
/// send many calls are what such a place is good at.
pub(crate) fn adjust(project: &mut Project, args: &CompareArgs) {
    if args.place.on != "lambda" {
        return;
    }
    let lambda = project.settings.lambda.clone();
    let (fewest, most) = (lambda.fewest_results, lambda.calls.saturating_mul(lambda.repeats));
    let duets = &mut project.settings.duets;
    let verdict = &args.verdict;
    if verdict.max_duets.is_none() && !verdict.quick {
        duets.max = most.max(duets.min);
        duets.is_max_given = true;
    }
    if verdict.min_duets.is_none() {
        duets.min = fewest.min(duets.max);
    }
    duets.max = duets.max.max(duets.min);
    if duets.fixed.is_none() {
        duets.fixed = Some(most);
    }
    // A process that does not become steady is measured all the same, instead of being ended by the limit: beside the longest warm-up
    // there have to fit starting, what a rule looks beyond it (three fifths of it), and measuring.
    let longest = lambda.execution_limit.saturating_sub(BESIDE_WARMUP).mul_f64(1.0 / 1.6);
    let trial = &mut project.settings.trial;
    trial.max_warmup = trial.max_warmup.min(longest.max(LEAST_WARMUP));
}

/// What a process that warms up needs beside its warm-up: two virtual machines start, and forty iterations of 0.1 s are measured.
const BESIDE_WARMUP: Duration = Duration::from_secs(6);

/// The longest warm-up is not made shorter than this.
const LEAST_WARMUP: Duration = Duration::from_secs(1);

/// What has to be built, where the place has another processor or system than this machine.
pub(crate) fn architecture(project: &Project, args: &PlaceArgs) -> Option<Architecture> {
    if args.on != "lambda" {
        return None;
    }
    let wanted = match project.settings.lambda.architecture {
        Some(FunctionArchitecture::X86) => Some(Architecture::X86),
        Some(FunctionArchitecture::Arm) => Some(Architecture::Arm),
        None => Architecture::here(),
    };
    let is_here = wanted == Architecture::here() && cfg!(target_os = "linux");
    wanted.filter(|_| !is_here)
}

/// What a run has to keep of its place: whoever goes on with it must not mix sizes or processors.
pub(crate) fn record(project: &Project, args: &PlaceArgs) -> BTreeMap<String, String> {
    if args.on != "lambda" {
        return BTreeMap::new();
    }
    let lambda = &project.settings.lambda;
    let rules = lambda.memory_for.iter().map(|rule| format!("{}: {}", rule.benchmark.glob(), rule.megabytes));
    let sizes: Vec<String> = std::iter::once(lambda.memory.to_string()).chain(rules).collect();
    let mut record = BTreeMap::from([("memory".to_owned(), sizes.join(", "))]);
    record.extend(project.architecture.map(|it| ("architecture".to_owned(), it.to_string())));
    record
}

/// Makes the place ready. Benchmarks that cannot run there leave the plan, unless there is a fallback; both are told.
pub(crate) fn choose(
    project: &Project,
    args: &PlaceArgs,
    run: &RunId,
    builds: [&Build; 2],
    plan: &mut ComparePlan,
    notices: &mut Vec<Diagnostic>,
) -> Result<Chosen, Problem> {
    match args.on.as_str() {
        // Identical builds need no measuring.
        _ if plan.subjects.is_empty() => Ok(Chosen::Here(keep::here(project)?)),
        "slurm" => on_slurm(project, args, run, plan, notices),
        "lambda" => on_lambda(project, args, run, builds, plan, notices),
        _ => Ok(Chosen::Here(keep::here(project)?)),
    }
}

fn on_slurm(
    project: &Project,
    args: &PlaceArgs,
    run: &RunId,
    plan: &mut ComparePlan,
    notices: &mut Vec<Diagnostic>,
) -> Result<Chosen, Problem> {
    let unfit = slurm::unfit(project, &plan.subjects);
    let staying = Staying::sort_out("the cluster", unfit, project, args, plan, notices)?;
    let cluster = slurm::connect(project, run.clone())?;
    Ok(Chosen::Slurm(Box::new(staying.beside(cluster))))
}

#[cfg(feature = "lambda")]
fn on_lambda(
    project: &Project,
    args: &PlaceArgs,
    run: &RunId,
    builds: [&Build; 2],
    plan: &mut ComparePlan,
    notices: &mut Vec<Diagnostic>,
) -> Result<Chosen, Problem> {
    let mut lambda = lambda::connect(project, run.clone(), plan.budget, &plan.subjects)?;
    let unfit = lambda::prepare(project, &mut lambda, builds, &plan.subjects)?;
    let staying = Staying::sort_out("AWS Lambda", unfit, project, args, plan, notices)?;
    lambda::bring_home(builds, &staying.benchmarks, &mut plan.subjects);
    notices.extend(lambda::size_notices(project, &plan.subjects, &staying.benchmarks));
    project.terminal.say(&predicted(project, plan)?);
    Ok(Chosen::Lambda(Box::new(staying.beside(lambda))))
}

/// Benchmarks that cannot leave this machine, and this machine to run them on where the user wants that.
struct Staying {
    home: Option<Local>,
    benchmarks: HashSet<BenchmarkId>,
}

impl Staying {
    /// Tells what cannot run `there`. With a fallback it stays; without, it leaves the plan, which must not look fine.
    fn sort_out(
        there: &str,
        unfit: Vec<Unfit>,
        project: &Project,
        args: &PlaceArgs,
        plan: &mut ComparePlan,
        notices: &mut Vec<Diagnostic>,
    ) -> Result<Staying, Problem> {
        let home = args.fallback.is_some().then(|| keep::here(project)).transpose()?;
        let told: Vec<Diagnostic> = unfit.iter().map(|unfit| told(unfit, there, home.is_some())).collect();
        let benchmarks: HashSet<BenchmarkId> =
            unfit.into_iter().flat_map(|unfit| unfit.benchmarks).collect();
        if home.is_none() {
            plan.subjects.retain(|subject| !benchmarks.contains(&subject.benchmark));
        }
        if plan.subjects.is_empty() {
            let why: Vec<String> = told.iter().map(ToString::to_string).collect();
            let error = anyhow::anyhow!("{}", why.join("\n"))
                .context(format!("find benchmarks that can run on {there}"));
            return Err(Problem::failed(error, FALLBACK));
        }
        notices.extend(told);
        Ok(Staying { home, benchmarks })
    }

    fn beside<Elsewhere: Place>(self, elsewhere: Elsewhere) -> Fallback<Elsewhere> {
        Fallback::new(elsewhere, self.home, self.benchmarks)
    }
}

const FALLBACK: &str = "`--fallback local` runs them on this machine";

fn told(unfit: &Unfit, there: &str, has_fallback: bool) -> Diagnostic {
    let names: Vec<String> = unfit.benchmarks.iter().take(3).map(ToString::to_string).collect();
    let more = unfit.benchmarks.len().saturating_sub(names.len());
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let subject = format!("{}{more}", names.join(", "));
    let Unfit { why, hint, .. } = unfit;
    if has_fallback {
        let message = format!("run on this machine instead of {there}: {why}");
        Diagnostic::warning(subject, message).hint(hint.as_str())
    } else {
        let hint = if hint.is_empty() { FALLBACK } else { hint };
        Diagnostic::error(subject, format!("cannot run on {there}: {why}")).hint(hint)
    }
}

/// What the place is going to cost and take, in words; nothing for this machine.
pub(crate) fn prediction(project: &Project, args: &PlaceArgs, plan: &ComparePlan) -> Result<String, Problem> {
    if args.on != "lambda" { Ok(String::new()) } else { predicted(project, plan) }
}

#[cfg(feature = "lambda")]
fn predicted(project: &Project, plan: &ComparePlan) -> Result<String, Problem> {
    use benchwright_places::lambda::Expected;
    let sizes = plan.subjects.iter().map(|subject| project.settings.lambda.memory_of(&subject.benchmark));
    let benchmarks: Vec<(Expected, u32)> = crate::dry_run::expectations(project, plan)
        .map(|(duets, trial)| Expected { duets, trial: trial.usual })
        .zip(sizes)
        .collect();
    let prediction = lambda::predicted(project, &benchmarks, crate::dry_run::WAVES)?;
    Ok(format!(
        "on AWS Lambda: about {} calls, {:.0} GB-seconds, {}, {}",
        prediction.calls,
        prediction.gb_seconds,
        prediction.cost,
        benchwright_report::scale::duration(prediction.time)
    ))
}

#[cfg(not(feature = "lambda"))]
fn on_lambda(
    _: &Project,
    _: &PlaceArgs,
    _: &RunId,
    _: [&Build; 2],
    _: &mut ComparePlan,
    _: &mut Vec<Diagnostic>,
) -> Result<Chosen, Problem> {
    Err(absent())
}

#[cfg(not(feature = "lambda"))]
fn predicted(_: &Project, _: &ComparePlan) -> Result<String, Problem> {
    Err(absent())
}

/// What is said where AWS Lambda is not known.
#[cfg(not(feature = "lambda"))]
pub(crate) fn absent() -> Problem {
    let error = anyhow::anyhow!("reach AWS Lambda: this benchwright was built without the feature `lambda`");
    Problem::misuse(error, "build it with its default features")
}
