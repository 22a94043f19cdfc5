//! What would be measured, and how long it would take.

use std::time::Duration;

use benchwright_analysis::{Rule, predict};
use benchwright_harness::TrialShape;
use benchwright_report::scale;
use benchwright_runner::{ComparePlan, LevelsPlan};

use crate::exit::Outcome;
use crate::prepare::Matched;
use crate::problem::Problem;
use crate::progress::{Progress, count};
use crate::terminal::print;

/// Beside its iterations a process needs time to start and to find its batch size.
const OVERHEAD: f64 = 1.5;

/// The time a comparison is going to take: from earlier runs where there are any, else from the length of trials.
pub(crate) fn predicted(plan: &ComparePlan) -> Duration {
    let trials: Vec<f64> = plan
        .subjects
        .iter()
        .map(|subject| {
            let known = plan.durations.get(&subject.benchmark).map(Duration::as_secs_f64);
            known.unwrap_or_else(|| plan.shapes.get(&subject.benchmark.harness).map_or(0.0, guess))
        })
        .collect();
    let duets = match &plan.judge.rule {
        Rule::Paired(paired) => predict::USUAL_DUETS
            .clamp(f64::from(paired.looks.first().copied().unwrap_or(0)), f64::from(paired.max_duets())),
        Rule::Fixed { duets, .. } => f64::from(*duets),
    };
    let whole = predict::whole(&trials, duets);
    plan.budget.map_or(whole, |budget| whole.min(budget))
}

fn guess(shape: &TrialShape) -> f64 {
    OVERHEAD * shape.iteration_time.as_secs_f64() * f64::from(shape.iterations)
}

/// Prints the plan of a comparison.
pub(crate) fn compare(
    plan: &ComparePlan,
    matched: &Matched,
    progress: &mut Progress,
) -> Result<Outcome, Problem> {
    let time = predicted(plan);
    progress.event(&benchwright_model::Event::Finished { is_partial: false });
    print(|out| {
        for subject in &plan.subjects {
            let known = plan.durations.get(&subject.benchmark);
            let note =
                known.map(|time| format!("  {} per process", scale::duration(*time))).unwrap_or_default();
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
pub(crate) fn levels(plan: &LevelsPlan, progress: &mut Progress) -> Result<Outcome, Problem> {
    let processes = plan.counts.suite_runs * plan.counts.iterations * plan.subjects.len() as u32;
    let time = Duration::from_secs_f64(levels_guess(plan) * f64::from(processes));
    progress.event(&benchwright_model::Event::Finished { is_partial: false });
    print(|out| {
        for subject in &plan.subjects {
            writeln!(out, "measure  {}", subject.benchmark)?;
        }
        writeln!(
            out,
            "\n{} x {} suite runs x {} processes, about {}; seed {}",
            count(plan.subjects.len() as u32, "benchmark"),
            plan.counts.suite_runs,
            plan.counts.iterations,
            scale::duration(time),
            plan.seed
        )
    })?;
    Ok(Outcome::default())
}

/// Seconds of one process of a run of one version.
pub(crate) fn levels_guess(plan: &LevelsPlan) -> f64 {
    plan.shapes.values().next().map_or(0.0, guess)
}
