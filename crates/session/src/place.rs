//! Where a comparison measures: the places that `--on` names.
//!
//! A place is a [`Provider`] in a module of its own, with an entry in [`PROVIDERS`]. What is common to all places is here: what
//! cannot run there is reported or runs on this machine, and the times of both are predicted together.

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

/// Every place, this machine first.
pub static PROVIDERS: [&dyn Provider; 3] = [&Here, &Cluster, &AwsLambda];

/// A place that `--on` names.
///
/// `benchwright_places` carries out calls there. A provider says what that means for settings, builds, the record of a run and the
/// prediction, and makes the place ready.
pub trait Provider: Sync {
    /// Its name, as given to `--on`.
    fn name(&self) -> &'static str;

    /// What messages call it.
    fn title(&self) -> &'static str;

    /// What it is, for the help of `--on`.
    fn about(&self) -> &'static str {
        self.title()
    }

    /// Changes settings that were not given to what suits the place.
    fn adjust(&self, _project: &mut Project) -> Result<(), Problem> {
        Ok(())
    }

    /// What has to be built, where the place has another processor or system than this machine.
    fn architecture(&self, _project: &Project) -> Option<Architecture> {
        None
    }

    /// Settings that a run keeps of its place: a resumed run must not mix sizes or processors.
    fn record(&self, _project: &Project) -> BTreeMap<String, String> {
        BTreeMap::new()
    }

    /// What cannot run there, as far as that can be known without asking another machine.
    fn unfit(&self, _project: &Project, _subjects: &[Subject]) -> Result<Vec<Unfit>, Problem> {
        Ok(Vec::new())
    }

    /// Makes the place ready for a run.
    fn connect(
        &self,
        order: &PlaceOrder<'_>,
        subjects: Vec<Subject>,
        listener: &mut dyn Listener,
    ) -> Result<Placement, Problem>;

    /// The time that a comparison takes there, with the benchmarks in `staying` on this machine, and a note for the user; no note
    /// if there is nothing to say.
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

/// The place called `name`; this machine without a name.
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

/// Stands for AWS Lambda in a program that was built without it.
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

/// What is said where AWS Lambda is not known.
#[cfg(not(feature = "lambda"))]
pub fn absent() -> Problem {
    Problem::misuse(
        "this benchwright was built without AWS Lambda",
        "install it with `cargo install --path crates/cli --features lambda`, or take a released program",
    )
}

/// Changes the settings to what suits the place, and notes what has to be built for it.
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

/// The place of a plan, and what of the plan it decides.
pub struct Placement {
    /// The place; none where the plan is only looked at.
    pub(crate) place: Option<BoxedPlace>,
    /// The benchmarks that can be measured there, or here where that is wanted.
    pub(crate) subjects: Vec<Subject>,
    /// Those that run on this machine although another place was chosen.
    pub(crate) staying: HashSet<BenchmarkId>,
    /// What there is to say of those that cannot run there.
    pub(crate) notices: Vec<Diagnostic>,
}

impl Placement {
    /// A plan of these benchmarks, without a place.
    fn of(subjects: Vec<Subject>) -> Self {
        Placement { place: None, subjects, staying: HashSet::new(), notices: Vec::new() }
    }
}

/// Makes the place ready for a run. Benchmarks that cannot run there are left out, unless there is a fallback; both are reported.
pub(crate) fn choose(
    order: &PlaceOrder<'_>,
    choice: &PlaceChoice,
    subjects: Vec<Subject>,
    listener: &mut dyn Listener,
) -> Result<Placement, Problem> {
    // Identical builds need no measuring.
    let provider = if subjects.is_empty() { &Here } else { by_name(&choice.on)? };
    provider.connect(order, subjects, listener)
}

/// Benchmarks that cannot leave this machine, and this machine to run them on where the user wants that.
pub(crate) struct Staying {
    home: Option<Local>,
    pub(crate) benchmarks: HashSet<BenchmarkId>,
}

impl Staying {
    /// Of what cannot run `there`.
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

/// The time that a comparison takes there, and what else there is to say of it.
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

/// What is expected of the benchmarks that go elsewhere, and how long those that stay take here.
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

    /// What goes elsewhere, by one of its two times.
    pub(crate) fn expected(&self, trial: fn(&TrialTime) -> Duration) -> Vec<Expected> {
        self.going.iter().map(|(_, duets, time)| Expected { duets: *duets, trial: trial(time) }).collect()
    }

    /// The time of all where that of the others is known.
    fn together(&self, usual: Duration, longest: Duration) -> TrialTime {
        TrialTime {
            usual: self.here.usual.saturating_add(usual),
            longest: self.here.longest.saturating_add(longest),
        }
    }

    /// The prediction for all where what goes elsewhere takes such times. A place works on many benchmarks at once, so that none of
    /// them has a time of its own.
    pub(crate) fn prediction(&self, usual: Duration, longest: Duration) -> Prediction {
        let TrialTime { usual, longest } = self.together(usual, longest);
        Prediction { range: forecast::around(usual, longest), each: Vec::new() }
    }
}

/// How much of the noise lies between the instances that a run was spread over, as one note.
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
