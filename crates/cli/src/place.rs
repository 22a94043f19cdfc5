//! Where a comparison measures: what the user chose, ready to take calls.

use benchwright_model::Diagnostic;
use benchwright_places::slurm::Slurm;
use benchwright_places::{Fallback, Local, Place};
use benchwright_runner::ComparePlan;

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
    /// AWS Lambda.
    #[cfg(feature = "lambda")]
    Lambda(Box<benchwright_places::lambda::Lambda>),
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
            Chosen::Lambda(lambda) => lambda::tell_spending(terminal, lambda),
        }
    }
}

/// Numbers of duets of a place with many instances come from its own table, unless they were typed: waves that look seldom and
/// send many calls are what such a place is good at.
pub(crate) fn adjust(project: &mut Project, args: &CompareArgs) {
    if args.place.on != "lambda" {
        return;
    }
    let lambda = &project.settings.lambda;
    let (fewest, most) = (lambda.fewest_results, lambda.calls.saturating_mul(lambda.repeats));
    let duets = &mut project.settings.duets;
    let verdict = &args.verdict;
    if verdict.max_duets.is_none() && !verdict.quick {
        duets.max = most.max(duets.min);
    }
    if verdict.min_duets.is_none() {
        duets.min = fewest.min(duets.max);
    }
    duets.max = duets.max.max(duets.min);
    if duets.fixed.is_none() {
        duets.fixed = Some(most);
    }
}

/// Makes the place ready. Benchmarks that cannot run there leave the plan, unless there is a fallback; both are told.
pub(crate) fn choose(
    project: &Project,
    args: &PlaceArgs,
    run: &benchwright_model::RunId,
    plan: &mut ComparePlan,
    notices: &mut Vec<Diagnostic>,
) -> Result<Chosen, Problem> {
    match args.on.as_str() {
        // Identical builds need no measuring.
        _ if plan.subjects.is_empty() => return Ok(Chosen::Here(keep::here(project)?)),
        "slurm" => return on_slurm(project, args, run, plan, notices),
        "lambda" => {}
        _ => return Ok(Chosen::Here(keep::here(project)?)),
    }
    on_lambda(project, args, run, plan, notices)
}

fn on_slurm(
    project: &Project,
    args: &PlaceArgs,
    run: &benchwright_model::RunId,
    plan: &mut ComparePlan,
    notices: &mut Vec<Diagnostic>,
) -> Result<Chosen, Problem> {
    let home = args.fallback.is_some().then(|| keep::here(project)).transpose()?;
    let staying = slurm::staying(project, &plan.subjects, home.is_some());
    if home.is_none() {
        plan.subjects.retain(|subject| !staying.benchmarks.contains(&subject.benchmark));
    }
    if plan.subjects.is_empty() {
        let why: Vec<String> = staying.told.iter().map(ToString::to_string).collect();
        let error =
            anyhow::anyhow!("{}", why.join("\n")).context("find benchmarks that can run on other machines");
        return Err(Problem::failed(error, "`--fallback local` runs them on this machine"));
    }
    notices.extend(staying.told);
    let cluster = slurm::connect(project, run.clone())?;
    Ok(Chosen::Slurm(Box::new(Fallback::new(cluster, home, staying.benchmarks))))
}

#[cfg(feature = "lambda")]
fn on_lambda(
    project: &Project,
    args: &PlaceArgs,
    run: &benchwright_model::RunId,
    plan: &mut ComparePlan,
    notices: &mut Vec<Diagnostic>,
) -> Result<Chosen, Problem> {
    let fallback = args.fallback.is_some().then(|| keep::here(project)).transpose()?;
    let has_fallback = fallback.is_some();
    let mut place = lambda::connect(project, run.clone(), plan.budget, fallback)?;
    for (unfit, told) in lambda::prepare(project, &mut place, &plan.subjects, has_fallback)? {
        notices.push(told);
        if !has_fallback {
            plan.subjects.retain(|subject| !unfit.benchmarks.contains(&subject.benchmark));
        }
    }
    if plan.subjects.is_empty() {
        let why: Vec<String> = notices.iter().map(ToString::to_string).collect();
        let error =
            anyhow::anyhow!("{}", why.join("\n")).context("find benchmarks that can run on AWS Lambda");
        return Err(Problem::failed(error, "`--fallback local` runs them on this machine"));
    }
    project.terminal.say(&predicted(project, plan)?);
    Ok(Chosen::Lambda(Box::new(place)))
}

/// What the place is going to cost and take, in words; nothing for this machine.
pub(crate) fn prediction(project: &Project, args: &PlaceArgs, plan: &ComparePlan) -> Result<String, Problem> {
    if args.on != "lambda" { Ok(String::new()) } else { predicted(project, plan) }
}

#[cfg(feature = "lambda")]
fn predicted(project: &Project, plan: &ComparePlan) -> Result<String, Problem> {
    use benchwright_places::lambda::Expected;
    let benchmarks: Vec<Expected> = crate::dry_run::expectations(project, plan)
        .map(|(duets, trial)| Expected { duets, trial: trial.usual })
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
    _: &benchwright_model::RunId,
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
