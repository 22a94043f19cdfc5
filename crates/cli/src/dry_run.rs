//! What would be measured, and how long it would take.

use std::time::Duration;

use benchwright_analysis::{Rule, predict};
use benchwright_config::{Levels, PlannedBenchmark};
use benchwright_harness::TrialShape;
use benchwright_report::scale;
use benchwright_runner::{ComparePlan, LevelsPlan};

use crate::exit::Outcome;
use crate::follow::{self, Followed};
use crate::prepare::Matched;
use crate::problem::Problem;
use crate::progress::{Progress, count};
use crate::project::Project;
use crate::terminal::print;

/// Beside its iterations a process needs time to start and to find its batch size.
const OVERHEAD: f64 = 1.5;

/// The time a comparison is going to take: from earlier runs where there are any, else from the length of trials.
pub(crate) fn predicted(project: &Project, plan: &ComparePlan) -> Duration {
    let guess = trial_guess(project);
    let mut whole = Duration::ZERO;
    for subject in &plan.subjects {
        let id = &subject.benchmark;
        let trial = plan.durations.get(id).map_or(guess, Duration::as_secs_f64);
        let (floor, cap) = match (plan.duets.get(id), &plan.judge.rule) {
            (Some(limits), _) => (limits.floor, limits.cap),
            (None, Rule::Paired(paired)) => (paired.looks.first().copied().unwrap_or(0), paired.max_duets()),
            (None, Rule::Fixed { duets, .. }) => (*duets, *duets),
        };
        let duets = predict::USUAL_DUETS.clamp(f64::from(floor), f64::from(cap));
        whole = whole.saturating_add(predict::whole(&[trial], duets));
    }
    plan.budget.map_or(whole, |budget| whole.min(budget))
}

fn trial_guess(project: &Project) -> f64 {
    let trial = &project.settings.trial;
    OVERHEAD * trial.iteration_time.as_secs_f64() * f64::from(trial.iterations)
}

/// Says that a comparison follows a plan, and what that saves against measuring both versions in full.
pub(crate) fn tell_followed(project: &Project, plan: &ComparePlan, followed: &Followed, progress: &Progress) {
    let now = predicted(project, plan).as_secs_f64();
    let guess = trial_guess(project) * 2.0 * predict::USUAL_DUETS;
    let ids = || plan.subjects.iter().map(|subject| &subject.benchmark);
    let full = ids().map(|id| followed.planned(id).map_or(guess, |planned| 2.0 * planned.full_seconds)).sum();
    progress.say(&followed.describe(ids(), now, full));
}

/// Prints the plan of a comparison.
pub(crate) fn compare(
    project: &Project,
    plan: &ComparePlan,
    matched: &Matched,
    progress: &mut Progress,
) -> Result<Outcome, Problem> {
    let time = predicted(project, plan);
    progress.event(&benchwright_model::Event::Finished { is_partial: false });
    print(|out| {
        for subject in &plan.subjects {
            let known = plan.durations.get(&subject.benchmark);
            let mut note =
                known.map(|time| format!("  {} per process", scale::duration(*time))).unwrap_or_default();
            if let Some(limits) = plan.duets.get(&subject.benchmark) {
                note.push_str(&match limits.floor == limits.cap {
                    true => format!(", {} duets as planned", limits.cap),
                    false => format!(", {} to {} duets as planned", limits.floor, limits.cap),
                });
            }
            writeln!(out, "measure  {}{note}", subject.benchmark)?;
        }
        for (word, ids) in
            [("same   ", &matched.identical), ("added  ", &matched.added), ("removed", &matched.removed)]
        {
            for id in ids {
                writeln!(out, "{word}  {id}")?;
            }
        }
        writeln!(
            out,
            "\n{} to measure, about {}; rule {}: {}; seed {}",
            count(plan.subjects.len() as u32, "benchmark"),
            scale::duration(time),
            plan.judge.rule.name(),
            plan.judge.rule.note(),
            plan.seed
        )
    })?;
    Ok(Outcome::default())
}

/// Prints the plan of a run of one version.
pub(crate) fn levels(
    project: &Project,
    plan: &LevelsPlan,
    followed: Option<&Followed>,
    progress: &mut Progress,
) -> Result<(), Problem> {
    let time = levels_predicted(project, plan, followed, progress);
    progress.event(&benchwright_model::Event::Finished { is_partial: false });
    let processes: u32 = plan.counts.iter().map(|counts| counts.suite_runs * counts.iterations).sum();
    let is_alike = plan.counts.windows(2).all(|pair| pair[0] == pair[1]);
    print(|out| {
        for subject in &plan.subjects {
            let planned = followed.and_then(|followed| followed.planned(&subject.benchmark));
            let note = planned.map(planned_note).unwrap_or_default();
            writeln!(out, "measure  {}{note}", subject.benchmark)?;
        }
        let benchmarks = count(plan.subjects.len() as u32, "benchmark");
        let repetitions = match plan.counts.first() {
            Some(counts) if is_alike => {
                format!("{benchmarks} x {} suite runs x {} processes", counts.suite_runs, counts.iterations)
            }
            _ => format!("{benchmarks}, {processes} processes"),
        };
        writeln!(out, "\n{repetitions}, about {}; seed {}", scale::duration(time), plan.seed)
    })?;
    Ok(())
}

/// What the plan says of a benchmark, behind its name.
fn planned_note(planned: &PlannedBenchmark) -> String {
    let Levels { run, iteration, second } = planned.levels;
    let (now, full) = (follow::time(planned.seconds), follow::time(planned.full_seconds));
    let samples = count(second, "sample");
    format!("  {run} x {iteration} processes x {samples}, about {now} instead of {full}")
}

/// The time a run of one version is going to take; says what following a plan saves.
pub(crate) fn levels_predicted(
    project: &Project,
    plan: &LevelsPlan,
    followed: Option<&Followed>,
    progress: &Progress,
) -> Duration {
    let (mut now, mut full) = (0.0, 0.0);
    for (subject, counts) in plan.subjects.iter().zip(&plan.counts) {
        let id = &subject.benchmark;
        match followed.and_then(|followed| followed.planned(id)) {
            Some(planned) => {
                now += planned.seconds;
                full += planned.full_seconds;
            }
            None => {
                let seconds = plan.shapes.of(id).map_or(trial_guess(project), process_secs);
                let seconds = seconds * f64::from(counts.suite_runs * counts.iterations);
                now += seconds;
                full += seconds;
            }
        }
    }
    if let Some(followed) = followed {
        let ids = plan.subjects.iter().map(|subject| &subject.benchmark);
        progress.say(&followed.describe(ids, now, full));
    }
    Duration::try_from_secs_f64(now).unwrap_or_default()
}

/// Seconds of one process of this length.
fn process_secs(shape: &TrialShape) -> f64 {
    OVERHEAD * shape.iteration_time.as_secs_f64() * f64::from(shape.iterations)
}
