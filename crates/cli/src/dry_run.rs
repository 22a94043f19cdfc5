//! What would be measured, and how long it would take.

use std::collections::HashMap;
use std::time::Duration;

use benchwright_analysis::{Rule, predict};
use benchwright_harness::{TrialShape, TrialTime};
use benchwright_model::BenchmarkId;
use benchwright_report::scale;
use benchwright_runner::{ComparePlan, LevelsPlan};

use crate::exit::Outcome;
use crate::prepare::Matched;
use crate::problem::Problem;
use crate::progress::{Progress, count};
use crate::project::Project;
use crate::terminal::print;

/// The time a comparison is going to take: from earlier runs where there are any, else from what harnesses expect of trials.
pub(crate) fn predicted(project: &Project, plan: &ComparePlan) -> TrialTime {
    let duets = match &plan.judge.rule {
        Rule::Paired(paired) => predict::USUAL_DUETS
            .clamp(f64::from(paired.looks.first().copied().unwrap_or(0)), f64::from(paired.max_duets())),
        Rule::Fixed { duets, .. } => f64::from(*duets),
    };
    let whole = |part: fn(&TrialTime) -> Duration| {
        let trial = |id: &BenchmarkId| match plan.durations.get(id) {
            Some(known) => known.as_secs_f64(),
            None => part(&expected(project, &plan.shapes, id)).as_secs_f64(),
        };
        let trials: Vec<f64> = plan.subjects.iter().map(|subject| trial(&subject.benchmark)).collect();
        let whole = predict::whole(&trials, duets);
        plan.budget.map_or(whole, |budget| whole.min(budget))
    };
    TrialTime { usual: whole(|time| time.usual), longest: whole(|time| time.longest) }
}

/// What the harness expects of a trial of this benchmark.
fn expected(project: &Project, shapes: &HashMap<String, TrialShape>, id: &BenchmarkId) -> TrialTime {
    let harness = project.harnesses.iter().find(|harness| harness.name() == id.harness);
    let time = harness.zip(shapes.get(&id.harness)).map(|(harness, shape)| harness.trial_time(shape));
    time.unwrap_or_else(|| TrialTime::always(Duration::ZERO))
}

/// `about 5 min`, how much more it may become, and how much of that is a guess.
fn about(time: TrialTime, guessed: usize, all: usize) -> String {
    let mut text = format!("about {}", scale::duration(time.usual));
    if time.longest > time.usual {
        text += &format!(", up to {} if nothing becomes steady", scale::duration(time.longest));
    }
    match guessed {
        0 => {}
        n if n == all => text += " (a guess: none was measured here before)",
        n => text += &format!(" (a guess for {n} not measured here before)"),
    }
    text
}

/// Prints the plan of a comparison.
pub(crate) fn compare(
    project: &Project,
    plan: &ComparePlan,
    matched: &Matched,
    progress: &mut Progress,
) -> Result<Outcome, Problem> {
    let time = predicted(project, plan);
    let is_new = |id: &BenchmarkId| !plan.durations.contains_key(id);
    let guessed = plan.subjects.iter().filter(|subject| is_new(&subject.benchmark)).count();
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
            "\n{} to measure, {}; rule {}: {}; seed {}",
            count(plan.subjects.len() as u32, "benchmark"),
            about(time, guessed, plan.subjects.len()),
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
    progress: &mut Progress,
) -> Result<Outcome, Problem> {
    let time = predicted_levels(project, plan);
    progress.event(&benchwright_model::Event::Finished { is_partial: false });
    print(|out| {
        for subject in &plan.subjects {
            writeln!(out, "measure  {}", subject.benchmark)?;
        }
        writeln!(
            out,
            "\n{} x {} suite runs x {} processes, {}; seed {}",
            count(plan.subjects.len() as u32, "benchmark"),
            plan.counts.suite_runs,
            plan.counts.iterations,
            about(time, 0, plan.subjects.len()),
            plan.seed
        )
    })?;
    Ok(Outcome::default())
}

/// The time a run of one version is going to take.
pub(crate) fn predicted_levels(project: &Project, plan: &LevelsPlan) -> TrialTime {
    let processes = plan.counts.suite_runs.saturating_mul(plan.counts.iterations);
    let mut whole = TrialTime::always(Duration::ZERO);
    for subject in &plan.subjects {
        let time = expected(project, &plan.shapes, &subject.benchmark);
        whole.usual = whole.usual.saturating_add(time.usual.saturating_mul(processes));
        whole.longest = whole.longest.saturating_add(time.longest.saturating_mul(processes));
    }
    let within = |time: Duration| plan.budget.map_or(time, |budget| time.min(budget));
    TrialTime { usual: within(whole.usual), longest: within(whole.longest) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_says_how_much_of_its_time_is_a_guess() {
        let minutes = |n: u64| Duration::from_secs(60 * n);
        let check = |usual: u64, longest: u64, guessed: usize, expected: &str| {
            let time = TrialTime { usual: minutes(usual), longest: minutes(longest) };
            assert_eq!(about(time, guessed, 3), expected);
        };
        let (five, ten) = (scale::duration(minutes(5)), scale::duration(minutes(10)));
        check(5, 5, 0, &format!("about {five}"));
        check(5, 5, 3, &format!("about {five} (a guess: none was measured here before)"));
        check(
            5,
            10,
            1,
            &format!(
                "about {five}, up to {ten} if nothing becomes steady (a guess for 1 not measured here before)"
            ),
        );
    }
}
