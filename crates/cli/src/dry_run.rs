//! What would be measured, and how long it would take.

use std::time::Duration;

use benchwright_analysis::{Rule, predict};
use benchwright_config::{Levels, PlannedBenchmark};
use benchwright_harness::{Stop, TrialShape, TrialTime};
use benchwright_model::BenchmarkId;
use benchwright_report::scale;
use benchwright_runner::{ComparePlan, LevelsPlan, Shapes};

use crate::exit::Outcome;
use crate::follow::{self, Followed};
use crate::prepare::Matched;
use crate::problem::Problem;
use crate::progress::{Progress, count};
use crate::project::Project;
use crate::terminal::print;

/// The time a comparison is going to take on this machine: from earlier runs where there are any, else from what harnesses
/// expect of trials.
pub(crate) fn predicted(project: &Project, plan: &ComparePlan) -> TrialTime {
    let mut whole = TrialTime::always(Duration::ZERO);
    for (duets, trial) in expectations(project, plan) {
        let of_duets = |trial: Duration| predict::whole(&[trial.as_secs_f64()], duets);
        whole.usual = whole.usual.saturating_add(of_duets(trial.usual));
        whole.longest = whole.longest.saturating_add(of_duets(trial.longest));
    }
    within(plan.budget, whole)
}

/// Sets of calls, each sent when the one before is judged, that a usual comparison takes where many are sent at once: a first look
/// for all, a second for those in doubt, and fresh duets for suspects.
pub(crate) const WAVES: u32 = 3;

/// Duets that each benchmark of a plan will take, and the time of its trials.
pub(crate) fn expectations<'a>(
    project: &'a Project,
    plan: &'a ComparePlan,
) -> impl Iterator<Item = (f64, TrialTime)> + 'a {
    plan.subjects.iter().map(|subject| {
        let id = &subject.benchmark;
        let (floor, cap) = match (plan.duets.get(id), &plan.judge.rule) {
            (Some(limits), _) => (limits.floor, limits.cap),
            (None, Rule::Paired(paired)) => (paired.looks.first().copied().unwrap_or(0), paired.max_duets()),
            (None, Rule::Fixed { duets, .. }) => (*duets, *duets),
        };
        let duets = predict::USUAL_DUETS.clamp(f64::from(floor), f64::from(cap));
        let trial = match plan.durations.get(id) {
            Some(known) => TrialTime::always(*known),
            None => expected(project, &plan.shapes, id),
        };
        (duets, trial)
    })
}

/// What the harness expects of a trial of this benchmark.
fn expected(project: &Project, shapes: &Shapes, id: &BenchmarkId) -> TrialTime {
    let harness = project.harnesses.iter().find(|harness| harness.name() == id.harness);
    let time = harness.zip(shapes.of(id).ok()).map(|(harness, shape)| harness.trial_time(shape));
    time.unwrap_or_else(|| TrialTime::always(Duration::ZERO))
}

pub(crate) fn within(budget: Option<Duration>, time: TrialTime) -> TrialTime {
    let within = |time: Duration| budget.map_or(time, |budget| time.min(budget));
    TrialTime { usual: within(time.usual), longest: within(time.longest) }
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

/// Says what a plan means for a comparison.
pub(crate) fn tell_followed(project: &Project, plan: &ComparePlan, followed: &Followed, progress: &Progress) {
    let now = predicted(project, plan).usual.as_secs_f64();
    let ids = plan.subjects.iter().map(|subject| &subject.benchmark);
    if let Some(line) = followed.describe_comparing(ids, now) {
        progress.say(&line);
    }
}

/// Prints the plan of a comparison, the time it will take and what else there is to say of its place.
pub(crate) fn compare(
    plan: &ComparePlan,
    matched: &Matched,
    time: TrialTime,
    place: &str,
    progress: &mut Progress,
) -> Result<Outcome, Problem> {
    let is_new = |id: &BenchmarkId| !plan.durations.contains_key(id);
    let guessed = plan.subjects.iter().filter(|subject| is_new(&subject.benchmark)).count();
    progress.event(&benchwright_model::Event::Finished { is_partial: false });
    print(|out| {
        for subject in &plan.subjects {
            let known = plan.durations.get(&subject.benchmark);
            let mut note =
                known.map(|time| format!("  {} per process", scale::duration(*time))).unwrap_or_default();
            if let Some(limits) = plan.duets.get(&subject.benchmark) {
                note.push_str(&match limits.floor == limits.cap {
                    true => format!(", {} duets", limits.cap),
                    false => format!(", {} to {} duets", limits.floor, limits.cap),
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
            "\n{} to measure, {}; rule {}: {}; seed {}",
            count(plan.subjects.len() as u32, "benchmark"),
            about(time, guessed, plan.subjects.len()),
            plan.judge.rule.name(),
            plan.judge.rule.note(),
            plan.seed
        )?;
        if place.is_empty() { Ok(()) } else { writeln!(out, "{place}") }
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
        writeln!(out, "\n{repetitions}, {}; seed {}", about(time, 0, plan.subjects.len()), plan.seed)
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
) -> TrialTime {
    let mut whole = TrialTime::always(Duration::ZERO);
    let mut full = 0.0;
    for (subject, counts) in plan.subjects.iter().zip(&plan.counts) {
        let id = &subject.benchmark;
        let time = match followed.and_then(|followed| followed.planned(id)) {
            Some(planned) => {
                full += planned.full_seconds;
                TrialTime::always(Duration::try_from_secs_f64(planned.seconds).unwrap_or_default())
            }
            None => {
                let processes = counts.suite_runs.saturating_mul(counts.iterations);
                let time = expected(project, &plan.shapes, id);
                full += time.usual.as_secs_f64() * f64::from(processes);
                TrialTime {
                    usual: time.usual.saturating_mul(usual_processes(&plan.shapes, id, processes)),
                    longest: time.longest.saturating_mul(processes),
                }
            }
        };
        whole.usual = whole.usual.saturating_add(time.usual);
        whole.longest = whole.longest.saturating_add(time.longest);
    }
    let ids = plan.subjects.iter().map(|subject| &subject.benchmark);
    let has_any = |followed: &&Followed| ids.clone().any(|id| followed.planned(id).is_some());
    if let Some(followed) = followed.filter(has_any) {
        progress.say(&followed.describe(ids, whole.usual.as_secs_f64(), full));
    }
    within(plan.budget, whole)
}

/// How many of the processes planned there are going to be, where a stop rule may find fewer enough.
fn usual_processes(shapes: &Shapes, id: &BenchmarkId, planned: u32) -> u32 {
    /// On recorded processes.
    const USUALLY_ENOUGH: u32 = 3;
    let decides = |shape: &TrialShape| matches!(shape.stop, Stop::Rule(by) if by.processes.is_some());
    if shapes.of(id).is_ok_and(decides) { planned.min(USUALLY_ENOUGH) } else { planned }
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
