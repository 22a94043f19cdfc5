//! The place of a comparison on AWS Lambda.

use std::time::Duration;

use benchwright_model::{Diagnostic, RunId};
use benchwright_places::Local;
use benchwright_places::dispatch::Money;
use benchwright_places::lambda::{self, Account, Ceilings, Expected, Lambda, Prediction, Unfit};
use benchwright_worker::Subject;

use super::{architecture, settings};
use crate::problem::Problem;
use crate::project::Project;
use crate::terminal::Terminal;

/// Connects to the function, within the ceilings of cost and time.
pub(crate) fn connect(
    project: &Project,
    run: RunId,
    time: Option<Duration>,
    fallback: Option<Local>,
) -> Result<Lambda, Problem> {
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
    let place = place.within(Ceilings { cost, time });
    Ok(match fallback {
        Some(local) => place.with_fallback(local),
        None => place,
    })
}

/// Packs and stores the programs of these benchmarks. Returns those that cannot run there, each with why.
pub(crate) fn prepare(
    project: &Project,
    place: &mut Lambda,
    subjects: &[Subject],
    has_fallback: bool,
) -> Result<Vec<(Unfit, Diagnostic)>, Problem> {
    let unfit = place.prepare(subjects, &project.harnesses)?;
    let (count, bytes, unpacked) = place.package_sizes();
    project.terminal.say(&format!(
        "{count} packages, {:.1} MB ({:.1} MB unpacked)",
        bytes as f64 / 1e6,
        unpacked as f64 / 1e6
    ));
    Ok(unfit.into_iter().map(|unfit| (unfit.clone(), told(unfit, has_fallback))).collect())
}

/// With a fallback it is worth knowing; without, benchmarks are missing, which must not look fine.
fn told(unfit: Unfit, has_fallback: bool) -> Diagnostic {
    let names: Vec<String> = unfit.benchmarks.iter().take(3).map(ToString::to_string).collect();
    let more = unfit.benchmarks.len().saturating_sub(names.len());
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let subject = format!("{}{more}", names.join(", "));
    if has_fallback {
        let message = format!("run on this machine instead of AWS Lambda: {}", unfit.why);
        Diagnostic::warning(subject, message).hint(unfit.hint)
    } else {
        let message = format!("cannot run on AWS Lambda: {}", unfit.why);
        Diagnostic::error(subject, message).hint(unfit.hint)
    }
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
