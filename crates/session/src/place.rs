//! Where a comparison measures: what the user chose, ready to take calls.

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use benchwright_analysis::predict::Prediction;
use benchwright_config::FunctionArchitecture;
use benchwright_harness::{Architecture, TrialTime};
use benchwright_model::{BenchmarkId, Diagnostic, RunId};
#[cfg(feature = "lambda")]
use benchwright_places::lambda::Lambda;
use benchwright_places::slurm::Slurm;
use benchwright_places::{Expected, Fallback, Local, Place, Unfit};
#[cfg(feature = "lambda")]
use benchwright_report::scale;
use benchwright_runner::{Build, ComparePlan};
use benchwright_worker::Subject;

#[cfg(feature = "lambda")]
use crate::lambda;
use crate::listener::Listener;
use crate::problem::{Problem, because};
use crate::project::Project;
use crate::request::PlaceChoice;
use crate::{forecast, keep, slurm, stopping};

/// The place of a run.
pub enum Chosen {
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
    pub fn place(&mut self) -> &mut dyn Place {
        match self {
            Chosen::Here(local) => local,
            Chosen::Slurm(cluster) => cluster.as_mut(),
            #[cfg(feature = "lambda")]
            Chosen::Lambda(lambda) => lambda.as_mut(),
        }
    }

    /// The benchmarks that run on this machine although another place was chosen.
    pub fn staying(&self) -> HashSet<BenchmarkId> {
        match self {
            Chosen::Here(_) => HashSet::new(),
            Chosen::Slurm(cluster) => cluster.staying().clone(),
            #[cfg(feature = "lambda")]
            Chosen::Lambda(lambda) => lambda.staying().clone(),
        }
    }

    /// What it cost, where it cost something.
    pub fn spending(&self) -> Option<String> {
        match self {
            Chosen::Here(_) | Chosen::Slurm(_) => None,
            #[cfg(feature = "lambda")]
            Chosen::Lambda(lambda) => Some(format!("AWS Lambda: {}", lambda.elsewhere().spending())),
        }
    }
}

/// Numbers of duets of a place with many instances come from its own table, unless they were given: waves that look seldom and
/// send many calls are what such a place is good at.
pub fn adjust(project: &mut Project, choice: &PlaceChoice) -> Result<(), Problem> {
    let on = choice.on.as_str();
    if !choice.is_here() && project.settings.trial.stop_models.is_some() {
        let error =
            format!("use `stop-models` with `--on {on}`: the rule `learned` uses its built-in models there");
        return Err(Problem::misuse(error, "measure on this machine, or leave `stop-models` out"));
    }
    if on != "lambda" {
        return Ok(());
    }
    let lambda = project.settings.lambda.clone();
    let (fewest, most) = (lambda.fewest_results, lambda.calls.saturating_mul(lambda.repeats));
    let duets = &mut project.settings.duets;
    if !project.given.has_max_duets {
        duets.max = most.max(duets.min);
        duets.is_max_given = true;
    }
    if project.given.min_duets.is_none() {
        duets.min = fewest.min(duets.max);
    }
    duets.max = duets.max.max(duets.min);
    if duets.fixed.is_none() {
        duets.fixed = Some(most);
    }
    let trial = &mut project.settings.trial;
    let longest = longest_warmup(trial.stop.word(), lambda.execution_limit);
    if trial.max_warmup.unwrap_or(stopping::LONGEST_WARMUP) > longest {
        trial.max_warmup = Some(longest);
    }
    Ok(())
}

/// The longest warm-up within a limit of processes: one that does not become steady is to be measured all the same, instead of being
/// ended by the limit. Beside its warm-up there have to fit the start of two virtual machines, what the rule looks at beyond it, and what is
/// measured.
fn longest_warmup(rule: &str, limit: Duration) -> Duration {
    let longest = match rule {
        // Three fifths more, and forty iterations of 0.1 s.
        "auto" | "fixed" | "learned" | "steady" => limit.saturating_sub(Duration::from_secs(6)).div_f64(1.6),
        // A window of a hundred iterations, and two seconds.
        _ => limit.saturating_sub(Duration::from_secs(14)),
    };
    longest.max(Duration::from_secs(1))
}

/// What has to be built, where the place has another processor or system than this machine.
pub fn architecture(project: &Project, choice: &PlaceChoice) -> Option<Architecture> {
    if choice.on != "lambda" {
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

/// What a run has to keep of its place: a resumed run must not mix sizes or processors.
pub fn record(project: &Project, choice: &PlaceChoice) -> BTreeMap<String, String> {
    if choice.on != "lambda" {
        return BTreeMap::new();
    }
    let lambda = &project.settings.lambda;
    let rules = lambda.memory_for.iter().map(|rule| format!("{}: {}", rule.benchmark.glob(), rule.megabytes));
    let sizes: Vec<String> = std::iter::once(lambda.memory.to_string()).chain(rules).collect();
    let mut record = BTreeMap::from([("memory".to_owned(), sizes.join(", "))]);
    record.extend(project.architecture.map(|it| ("architecture".to_owned(), it.to_string())));
    record
}

/// The place of a plan, and what of the plan it decides.
pub struct Placement {
    /// The place; none where the plan is only looked at.
    pub place: Option<Chosen>,
    /// The benchmarks that can be measured there, or here where that is wanted.
    pub subjects: Vec<Subject>,
    /// Those that run on this machine although another place was chosen.
    pub staying: HashSet<BenchmarkId>,
    /// What there is to say of those that cannot run there.
    pub notices: Vec<Diagnostic>,
}

impl Placement {
    fn here(place: Option<Chosen>, subjects: Vec<Subject>) -> Self {
        Placement { place, subjects, staying: HashSet::new(), notices: Vec::new() }
    }
}

/// Makes the place ready for a run. Benchmarks that cannot run there are left out, unless there is a fallback; both are reported.
pub fn choose(
    project: &Project,
    choice: &PlaceChoice,
    run: &RunId,
    builds: [&Build; 2],
    subjects: Vec<Subject>,
    listener: &mut dyn Listener,
) -> Result<Placement, Problem> {
    match choice.on.as_str() {
        // Identical builds need no measuring.
        on if subjects.is_empty() || !matches!(on, "slurm" | "lambda") => {
            Ok(Placement::here(Some(Chosen::Here(keep::here(project)?)), subjects))
        }
        "slurm" => on_slurm(project, choice, run, subjects),
        _ => on_lambda(project, choice, run, builds, subjects, listener),
    }
}

fn on_slurm(
    project: &Project,
    choice: &PlaceChoice,
    run: &RunId,
    subjects: Vec<Subject>,
) -> Result<Placement, Problem> {
    let unfit = slurm::unfit(project, &subjects);
    let (staying, placement) = Staying::of("the cluster", unfit, project, choice, subjects)?;
    let cluster = slurm::connect(project, run.clone())?;
    Ok(Placement { place: Some(Chosen::Slurm(Box::new(staying.beside(cluster)))), ..placement })
}

#[cfg(feature = "lambda")]
fn on_lambda(
    project: &Project,
    choice: &PlaceChoice,
    run: &RunId,
    builds: [&Build; 2],
    subjects: Vec<Subject>,
    listener: &mut dyn Listener,
) -> Result<Placement, Problem> {
    let mut lambda = lambda::connect(project, run.clone(), &subjects)?;
    let unfit = lambda::prepare(project, &mut lambda, builds, &subjects, listener)?;
    let (staying, mut placement) = Staying::of("AWS Lambda", unfit, project, choice, subjects)?;
    lambda::bring_home(builds, &staying.benchmarks, &mut placement.subjects);
    placement.notices.extend(lambda::size_notices(project, &placement.subjects, &staying.benchmarks));
    Ok(Placement { place: Some(Chosen::Lambda(Box::new(staying.beside(lambda)))), ..placement })
}

/// Benchmarks that cannot leave this machine, and this machine to run them on where the user wants that.
struct Staying {
    home: Option<Local>,
    benchmarks: HashSet<BenchmarkId>,
}

impl Staying {
    /// Of what cannot run `there`.
    fn of(
        there: &str,
        unfit: Vec<Unfit>,
        project: &Project,
        choice: &PlaceChoice,
        subjects: Vec<Subject>,
    ) -> Result<(Staying, Placement), Problem> {
        let home = choice.has_fallback.then(|| keep::here(project)).transpose()?;
        let placement = sort_out(there, unfit, home.is_some(), subjects)?;
        Ok((Staying { home, benchmarks: placement.staying.clone() }, placement))
    }

    fn beside<Elsewhere: Place>(self, elsewhere: Elsewhere) -> Fallback<Elsewhere> {
        Fallback::new(elsewhere, self.home, self.benchmarks)
    }
}

/// Separates what cannot run `there`, and reports it. Without a fallback it is left out, which must not look like success.
fn sort_out(
    there: &str,
    unfit: Vec<Unfit>,
    has_fallback: bool,
    mut subjects: Vec<Subject>,
) -> Result<Placement, Problem> {
    let told: Vec<Diagnostic> = unfit.iter().map(|unfit| told(unfit, there, has_fallback)).collect();
    let benchmarks: HashSet<BenchmarkId> = unfit.into_iter().flat_map(|unfit| unfit.benchmarks).collect();
    if !has_fallback {
        subjects.retain(|subject| !benchmarks.contains(&subject.benchmark));
    }
    if subjects.is_empty() {
        let why: Vec<String> = told.iter().map(ToString::to_string).collect();
        let error = because(format!("find benchmarks that can run on {there}"), why.join("\n"));
        return Err(Problem::failed(error, FALLBACK));
    }
    Ok(Placement { place: None, subjects, staying: benchmarks, notices: told })
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
        let hint = if hint == FALLBACK { "" } else { hint };
        Diagnostic::warning(subject, message).hint(hint)
    } else {
        let hint = if hint.is_empty() { FALLBACK } else { hint };
        Diagnostic::error(subject, format!("cannot run on {there}: {why}")).hint(hint)
    }
}

/// The same for a plan that is only looked at: what cannot run there, as far as that can be known without asking anybody there.
pub fn foretell(
    project: &Project,
    choice: &PlaceChoice,
    subjects: Vec<Subject>,
) -> Result<Placement, Problem> {
    let (there, unfit) = match choice.on.as_str() {
        _ if subjects.is_empty() => return Ok(Placement::here(None, subjects)),
        "slurm" => ("the cluster", slurm::unfit(project, &subjects)),
        #[cfg(feature = "lambda")]
        "lambda" => ("AWS Lambda", lambda::unfit(project, &subjects)?),
        _ => return Ok(Placement::here(None, subjects)),
    };
    sort_out(there, unfit, choice.has_fallback, subjects)
}

/// The time that a comparison is going to take there, beside what stays on this machine, and what else there is to say of it; nothing for this machine.
pub fn prediction(
    project: &Project,
    choice: &PlaceChoice,
    plan: &ComparePlan,
    staying: &HashSet<BenchmarkId>,
) -> Result<(Prediction, String), Problem> {
    match choice.on.as_str() {
        _ if plan.subjects.is_empty() => Ok((Prediction::default(), String::new())),
        "slurm" => Ok(predicted_on_slurm(project, plan, staying)),
        "lambda" => predicted_on_lambda(project, plan, staying),
        _ => Ok((forecast::comparison(project, plan), String::new())),
    }
}

/// What is expected of the benchmarks that go elsewhere, and how long those that stay take here.
struct Divided<'a> {
    going: Vec<(&'a BenchmarkId, f64, TrialTime)>,
    here: TrialTime,
}

impl<'a> Divided<'a> {
    fn of(project: &Project, plan: &'a ComparePlan, staying: &HashSet<BenchmarkId>) -> Self {
        let mut divided = Divided { going: Vec::new(), here: TrialTime::always(Duration::ZERO) };
        for (subject, (duets, trial)) in plan.subjects.iter().zip(forecast::expectations(project, plan)) {
            if staying.contains(&subject.benchmark) {
                let of_duets = |trial: Duration| trial.mul_f64(2.0 * duets);
                divided.here = divided.together(of_duets(trial.usual), of_duets(trial.longest));
            } else {
                divided.going.push((&subject.benchmark, duets, trial));
            }
        }
        divided
    }

    /// What goes elsewhere, by one of its two times.
    fn expected(&self, trial: fn(&TrialTime) -> Duration) -> Vec<Expected> {
        self.going.iter().map(|(_, duets, time)| Expected { duets: *duets, trial: trial(time) }).collect()
    }

    /// The time of all where that of the others is known.
    fn together(&self, usual: Duration, longest: Duration) -> TrialTime {
        TrialTime {
            usual: self.here.usual.saturating_add(usual),
            longest: self.here.longest.saturating_add(longest),
        }
    }
}

/// A prediction for a place that works on many benchmarks at once, so that none of them has a time of its own.
fn elsewhere(time: TrialTime) -> Prediction {
    Prediction { range: forecast::around(time.usual, time.longest), each: Vec::new() }
}

fn predicted_on_slurm(
    project: &Project,
    plan: &ComparePlan,
    staying: &HashSet<BenchmarkId>,
) -> (Prediction, String) {
    let spread = slurm::spread(project, forecast::WAVES);
    let divided = Divided::of(project, plan, staying);
    let [usual, longest] = [divided.expected(|time| time.usual), divided.expected(|time| time.longest)]
        .map(|all| spread.time(&all));
    let prediction = elsewhere(divided.together(usual, longest));
    let text = format!(
        "on the cluster: up to {} tasks at a time; time in the queue is not counted",
        spread.parallel
    );
    (prediction, text)
}

#[cfg(feature = "lambda")]
fn predicted_on_lambda(
    project: &Project,
    plan: &ComparePlan,
    staying: &HashSet<BenchmarkId>,
) -> Result<(Prediction, String), Problem> {
    let divided = Divided::of(project, plan, staying);
    let predicted = |trial: fn(&TrialTime) -> Duration| {
        let sizes = divided.going.iter().map(|(id, ..)| project.settings.lambda.memory_of(id));
        let all: Vec<(Expected, u32)> = divided.expected(trial).into_iter().zip(sizes).collect();
        lambda::predicted(project, &all, forecast::WAVES)
    };
    let usual = predicted(|time| time.usual)?;
    let longest = predicted(|time| time.longest)?;
    let prediction = elsewhere(divided.together(usual.time, longest.time));
    let text = format!(
        "on AWS Lambda: about {} calls, {:.0} GB-seconds, {}, {}",
        usual.calls,
        usual.gb_seconds,
        usual.cost,
        scale::duration(usual.time)
    );
    Ok((prediction, text))
}

#[cfg(not(feature = "lambda"))]
fn on_lambda(
    _: &Project,
    _: &PlaceChoice,
    _: &RunId,
    _: [&Build; 2],
    _: Vec<Subject>,
    _: &mut dyn Listener,
) -> Result<Placement, Problem> {
    Err(absent())
}

#[cfg(not(feature = "lambda"))]
fn predicted_on_lambda(
    _: &Project,
    _: &ComparePlan,
    _: &HashSet<BenchmarkId>,
) -> Result<(Prediction, String), Problem> {
    Err(absent())
}

/// What is said where AWS Lambda is not known.
#[cfg(not(feature = "lambda"))]
pub fn absent() -> Problem {
    Problem::misuse(
        "this benchwright was built without AWS Lambda",
        "install it with `cargo install --path crates/cli --features lambda`, or take a released program",
    )
}

#[cfg(test)]
mod tests {
    use benchwright_harness::TrialShape;
    use benchwright_worker::Asked;

    use super::*;

    #[test]
    fn processes_that_warm_up_end_before_the_limit() {
        let shape = TrialShape::fixed(3, Duration::from_millis(100));
        let limit = Duration::from_secs(20);
        for rule in ["learned", "steady", "cv", "rciw", "kld", "oscnn"] {
            let longest_warmup = longest_warmup(rule, limit);
            let asked = Asked { rule, processes: None, is_live: true, longest_warmup, seed: 1 };
            let whole = asked.stop(&shape).expect("a rule").longest + Duration::from_millis(1200);
            assert!(whole <= limit && whole > limit / 2, "{rule}: {whole:?}");
        }
        assert_eq!(longest_warmup("auto", Duration::from_secs(3)), Duration::from_secs(1));
    }
}
