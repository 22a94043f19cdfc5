//! The place of a comparison on AWS Lambda.

use benchwright_model::RunId;
use benchwright_places::dispatch::Money;
use benchwright_places::lambda::{self, Account, Lambda, Prediction};
use benchwright_places::{Expected, Unfit};
use benchwright_worker::Subject;

use super::{architecture, settings};
use crate::problem::Problem;
use crate::project::Project;
use crate::terminal::Terminal;

/// Connects to the function, within the ceiling of cost.
pub(crate) fn connect(project: &Project, run: RunId) -> Result<Lambda, Problem> {
    let settings = settings(&project.settings);
    let architecture = architecture(&settings)?;
    let image = match settings.function {
        Some(_) => None,
        None => Some(lambda::find_image(None, architecture)?),
    };
    let account = Account::open(&settings)?;
    let cost = project.settings.lambda.max_cost.map(Money::dollars);
    let place =
        Lambda::connect(account, settings, architecture, image.as_ref(), run, project.interrupt.clone())?;
    Ok(place.within(cost))
}

/// Packs and stores the programs of these benchmarks. Returns those that cannot run there.
pub(crate) fn prepare(
    project: &Project,
    place: &mut Lambda,
    subjects: &[Subject],
) -> Result<Vec<Unfit>, Problem> {
    let unfit = place.prepare(subjects, &project.harnesses)?;
    let (count, bytes, unpacked) = place.package_sizes();
    project.terminal.say(&format!(
        "{count} packages, {:.1} MB ({:.1} MB unpacked)",
        bytes as f64 / 1e6,
        unpacked as f64 / 1e6
    ));
    Ok(unfit)
}

/// What a comparison of these benchmarks will cost and take.
pub(crate) fn predicted(
    project: &Project,
    benchmarks: &[Expected],
    waves: u32,
) -> Result<Prediction, Problem> {
    let settings = settings(&project.settings);
    let architecture = architecture(&settings)?;
    Ok(Prediction::of(benchmarks, waves, &settings, architecture))
}

/// Says what was spent.
pub(crate) fn tell_spending(terminal: Terminal, place: &Lambda) {
    terminal.say(&format!("AWS Lambda: {}", place.spending()));
}
