//! Where a comparison measures: the places that `--on` names.
//!
//! A place is a [`Provider`] in a module of its own, with an entry in [`PROVIDERS`]. This module has what is
//! common to all places: benchmarks that cannot run there are reported or run on this machine, and the times
//! of both are predicted together.

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use benchwright_analysis::predict::Prediction;
use benchwright_analysis::value::median;
use benchwright_analysis::{InstanceNoise, instance_noise};
use benchwright_harness::{Architecture, TrialTime};
use benchwright_model::{BenchmarkId, Diagnostic, RunId, Severity, Trial};
use benchwright_places::{Expected, Fallback, Local, Place, Unfit};
use benchwright_runner::{Build, ComparePlan};
use benchwright_worker::Subject;

#[cfg(feature = "lambda")]
use crate::lambda::AwsLambda;
use crate::listener::Listener;
use crate::problem::{Problem, because};
use crate::project::Project;
use crate::request::PlaceChoice;
use crate::slurm::Cluster;
use crate::{forecast, keep};

/// All places; this machine comes first.
pub static PROVIDERS: [&dyn Provider; 3] = [&Here, &Cluster, &AwsLambda];

/// A place that `--on` names.
///
/// `benchwright_places` carries out calls there. A provider handles what the place means for settings,
/// builds, the record of a run and the prediction, and prepares the place.
pub trait Provider: Sync {
    /// Its name, as given to `--on`.
    fn name(&self) -> &'static str;

    /// Its name in messages.
    fn title(&self) -> &'static str;

    /// A description for the help of `--on`.
    fn about(&self) -> &'static str {
        self.title()
    }

    /// Changes settings that the user did not give to values that suit the place.
    fn adjust(&self, _project: &mut Project) -> Result<(), Problem> {
        Ok(())
    }

    /// The architecture to build for, if the place has another processor or system than this machine.
    fn architecture(&self, _project: &Project) -> Option<Architecture> {
        None
    }

    /// Settings about the place that a run stores: a resumed run must not mix sizes or processors.
    fn record(&self, _project: &Project) -> BTreeMap<String, String> {
        BTreeMap::new()
    }

    /// The benchmarks that cannot run there, as far as this is known without asking another machine.
    fn unfit(&self, _project: &Project, _subjects: &[Subject]) -> Result<Vec<Unfit>, Problem> {
        Ok(Vec::new())
    }

    /// Prepares the place for a run.
    fn connect(
        &self,
        order: &PlaceOrder<'_>,
        subjects: Vec<Subject>,
        listener: &mut dyn Listener,
    ) -> Result<Placement, Problem>;

    /// The predicted time of a comparison there, with the benchmarks in `staying` on this machine, and a note
    /// for the user, which may be empty.
    fn predict(
        &self,
        project: &Project,
        plan: &ComparePlan,
        staying: &HashSet<BenchmarkId>,
    ) -> Result<(Prediction, String), Problem>;
}

/// A run that needs a place.
pub struct PlaceOrder<'a> {
    /// The project.
    pub project: &'a Project,
    /// The run.
    pub run: &'a RunId,
    /// The builds of base and head.
    pub builds: [&'a Build; 2],
    /// Whether benchmarks that cannot run there run on this machine.
    pub has_fallback: bool,
}

/// The place called `name`; this machine if the name is empty.
pub fn by_name(name: &str) -> Result<&'static dyn Provider, Problem> {
    let mut all = PROVIDERS.into_iter();
    all.find(|one| name.is_empty() || one.name() == name).ok_or_else(|| {
        let names = PROVIDERS.map(|one| one.name()).join(", ");
        Problem::misuse(format!("unknown place `{name}`"), format!("places are {names}"))
    })
}

/// This machine.
struct Here;

impl Provider for Here {
    fn name(&self) -> &'static str {
        "local"
    }

    fn title(&self) -> &'static str {
        "this machine"
    }

    fn connect(
        &self,
        order: &PlaceOrder<'_>,
        subjects: Vec<Subject>,
        _: &mut dyn Listener,
    ) -> Result<Placement, Problem> {
        let place: BoxedPlace = Box::new(keep::here(order.project)?);
        Ok(Placement { place: Some(place), ..Placement::of(subjects) })
    }

    fn predict(
        &self,
        project: &Project,
        plan: &ComparePlan,
        _: &HashSet<BenchmarkId>,
    ) -> Result<(Prediction, String), Problem> {
        Ok((forecast::comparison(project, plan), String::new()))
    }
}

/// Stands in for AWS Lambda in a program that was built without it.
#[cfg(not(feature = "lambda"))]
struct AwsLambda;

#[cfg(not(feature = "lambda"))]
impl Provider for AwsLambda {
    fn name(&self) -> &'static str {
        "lambda"
    }

    fn title(&self) -> &'static str {
        "AWS Lambda, many instances at once"
    }

    fn adjust(&self, _: &mut Project) -> Result<(), Problem> {
        Err(absent())
    }

    fn connect(
        &self,
        _: &PlaceOrder<'_>,
        _: Vec<Subject>,
        _: &mut dyn Listener,
    ) -> Result<Placement, Problem> {
        Err(absent())
    }

    fn predict(
        &self,
        _: &Project,
        _: &ComparePlan,
        _: &HashSet<BenchmarkId>,
    ) -> Result<(Prediction, String), Problem> {
        Err(absent())
    }
}

/// The error if the program was built without AWS Lambda.
#[cfg(not(feature = "lambda"))]
pub fn absent() -> Problem {
    Problem::misuse(
        "this benchwright was built without AWS Lambda",
        "install it with `cargo install --path crates/cli --features lambda`, or take a released program",
    )
}

/// Changes the settings to suit the place, and sets the architecture to build for.
pub(crate) fn adjust(project: &mut Project, choice: &PlaceChoice) -> Result<(), Problem> {
    let provider = by_name(&choice.on)?;
    if !choice.is_here() && project.settings.trial.stop_models.is_some() {
        let on = provider.name();
        let error =
            format!("use `stop-models` with `--on {on}`: the rule `learned` uses its built-in models there");
        return Err(Problem::misuse(error, "measure on this machine, or leave `stop-models` out"));
    }
    provider.adjust(project)?;
    project.architecture = provider.architecture(project);
    Ok(())
}

/// A place that carries out calls.
pub(crate) type BoxedPlace = Box<dyn Place + Send>;

/// The place of a plan, and the parts of the plan that depend on it.
pub struct Placement {
    /// The place. `None` if the plan is only shown.
    pub(crate) place: Option<BoxedPlace>,
    /// The benchmarks that can be measured there, or here if the user wants that.
    pub(crate) subjects: Vec<Subject>,
    /// Those that run on this machine although another place was chosen.
    pub(crate) staying: HashSet<BenchmarkId>,
    /// Diagnostics about benchmarks that cannot run there.
    pub(crate) notices: Vec<Diagnostic>,
}

impl Placement {
    /// A plan of these benchmarks, without a place.
    fn of(subjects: Vec<Subject>) -> Self {
        Placement { place: None, subjects, staying: HashSet::new(), notices: Vec::new() }
    }
}

/// Prepares the place for a run. Benchmarks that cannot run there are left out, unless there is a fallback.
/// Both cases are reported.
pub(crate) fn choose(
    order: &PlaceOrder<'_>,
    choice: &PlaceChoice,
    subjects: Vec<Subject>,
    listener: &mut dyn Listener,
) -> Result<Placement, Problem> {
    // If all builds are identical, nothing is measured.
    let provider = if subjects.is_empty() { &Here } else { by_name(&choice.on)? };
    provider.connect(order, subjects, listener)
}

/// The benchmarks that cannot leave this machine, and this machine as their place if the user wants that.
pub(crate) struct Staying {
    home: Option<Local>,
    pub(crate) benchmarks: HashSet<BenchmarkId>,
}

impl Staying {
    /// Sorts out the benchmarks that cannot run `there`.
    pub(crate) fn of(
        there: &str,
        unfit: Vec<Unfit>,
        order: &PlaceOrder<'_>,
        subjects: Vec<Subject>,
    ) -> Result<(Staying, Placement), Problem> {
        let home = order.has_fallback.then(|| keep::here(order.project)).transpose()?;
        let placement = sort_out(there, unfit, home.is_some(), subjects)?;
        Ok((Staying { home, benchmarks: placement.staying.clone() }, placement))
    }

    pub(crate) fn beside(self, elsewhere: impl Place + Send + 'static) -> BoxedPlace {
        Box::new(Fallback::new(elsewhere, self.home, self.benchmarks))
    }
}

/// Separates the benchmarks that cannot run `there`, and reports them. Without a fallback they are left out,
/// and the diagnostic is an error, because this must not look like success.
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

/// The placement of a plan that is only shown. No other machine is asked for what cannot run there.
pub(crate) fn foretell(
    project: &Project,
    choice: &PlaceChoice,
    subjects: Vec<Subject>,
) -> Result<Placement, Problem> {
    if subjects.is_empty() {
        return Ok(Placement::of(subjects));
    }
    let provider = by_name(&choice.on)?;
    sort_out(provider.title(), provider.unfit(project, &subjects)?, choice.has_fallback, subjects)
}

/// The predicted time of a comparison there, and a note for the user.
pub(crate) fn prediction(
    project: &Project,
    choice: &PlaceChoice,
    plan: &ComparePlan,
    staying: &HashSet<BenchmarkId>,
) -> Result<(Prediction, String), Problem> {
    match plan.subjects.is_empty() {
        true => Ok((Prediction::default(), String::new())),
        false => by_name(&choice.on)?.predict(project, plan, staying),
    }
}

/// The expectations for benchmarks that run elsewhere, and the time of those that stay here.
pub(crate) struct Divided<'a> {
    pub(crate) going: Vec<(&'a BenchmarkId, f64, TrialTime)>,
    here: TrialTime,
}

impl<'a> Divided<'a> {
    pub(crate) fn of(project: &Project, plan: &'a ComparePlan, staying: &HashSet<BenchmarkId>) -> Self {
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

    /// The expectations for benchmarks that run elsewhere, by one of the two trial times.
    pub(crate) fn expected(&self, trial: fn(&TrialTime) -> Duration) -> Vec<Expected> {
        self.going.iter().map(|(_, duets, time)| Expected { duets: *duets, trial: trial(time) }).collect()
    }

    /// The time of all benchmarks, given that of the benchmarks that run elsewhere.
    fn together(&self, usual: Duration, longest: Duration) -> TrialTime {
        TrialTime {
            usual: self.here.usual.saturating_add(usual),
            longest: self.here.longest.saturating_add(longest),
        }
    }

    /// The prediction for all benchmarks, given the times of those that run elsewhere. A place works on many
    /// benchmarks at once, so no benchmark has a time of its own.
    pub(crate) fn prediction(&self, usual: Duration, longest: Duration) -> Prediction {
        let TrialTime { usual, longest } = self.together(usual, longest);
        Prediction { range: forecast::around(usual, longest), each: Vec::new() }
    }
}

/// One note on how much of the noise is due to differences between the instances of a run.
pub(crate) fn instance_notes(trials: &[Trial]) -> Vec<Diagnostic> {
    let all = instance_noise(trials);
    let middle = |of: fn(&InstanceNoise) -> f64| {
        let deviations: Vec<f64> = all.iter().map(|noise| of(noise).sqrt() * 100.0).collect();
        median(&deviations)
    };
    let (Some(time), Some(ratio), Some(duet)) = (
        middle(|noise| noise.time[0].variance),
        middle(|noise| noise.ratio[0].variance),
        middle(|noise| noise.ratio[1].variance),
    ) else {
        return Vec::new();
    };
    let instances = all.iter().map(|noise| noise.instances).max().unwrap_or(0);
    let message = format!(
        "up to {instances} instances per benchmark: times differ by {time:.1} % between them, ratios of duets by {ratio:.1} %, \
         and by {duet:.1} % from duet to duet on one (standard deviations, medians over {} benchmarks)",
        all.len()
    );
    vec![Diagnostic { severity: Severity::Note, ..Diagnostic::warning("", message) }]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_found_by_name_and_this_machine_is_the_usual_one() {
        for provider in PROVIDERS {
            assert_eq!(by_name(provider.name()).expect("a place").name(), provider.name());
        }
        assert_eq!(by_name("").expect("a place").name(), "local");
        let problem = by_name("moon").err().expect("no such place");
        assert_eq!(problem.to_string(), "unknown place `moon`");
    }
}
