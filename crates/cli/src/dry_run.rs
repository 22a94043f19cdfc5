//! The output of `--dry-run`: what would be measured, and the predicted time.

use benchwright_config::{Levels, PlannedBenchmark};
use benchwright_model::BenchmarkId;
use benchwright_report::{scale, visible_line};
use benchwright_session::compare::ComparisonPreview;
use benchwright_session::levels::RunPreview;
use benchwright_session::words::count;
use benchwright_session::{Problem, follow, foretell};

use crate::exit::Outcome;
use crate::terminal::print;

/// A note after a prediction on how much of it is a guess.
fn guessed_note(guessed: usize, all: usize) -> String {
    match guessed {
        0 => String::new(),
        n if n == all => " (a guess: none was measured here before)".to_owned(),
        n => format!(" (a guess for {n} not measured here before)"),
    }
}

/// Prints the plan of a comparison, the predicted time, and the note on its place.
pub(crate) fn compare(preview: &ComparisonPreview) -> Result<Outcome, Problem> {
    let ComparisonPreview { plan, matched, prediction, place_note } = preview;
    let is_new = |id: &BenchmarkId| !plan.durations.contains_key(id);
    let guessed = plan.subjects.iter().filter(|subject| is_new(&subject.benchmark)).count();
    let enough = foretell::enough(prediction, plan.budget);
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
            writeln!(out, "measure  {}{note}", visible_line(&subject.benchmark.to_string()))?;
        }
        for (word, ids) in
            [("same   ", &matched.identical), ("added  ", &matched.added), ("removed", &matched.removed)]
        {
            for id in ids {
                writeln!(out, "{word}  {}", visible_line(&id.to_string()))?;
            }
        }
        writeln!(
            out,
            "\n{} to measure, {}{}; rule {}: {}; seed {}",
            count(plan.subjects.len() as u32, "benchmark"),
            foretell::describe(&prediction.range, enough, plan.subjects.len() as u32),
            guessed_note(guessed, plan.subjects.len()),
            plan.judge.rule.name(),
            plan.judge.rule.note(),
            plan.seed
        )?;
        if place_note.is_empty() { Ok(()) } else { writeln!(out, "{place_note}") }
    })?;
    Ok(Outcome::default())
}

/// Prints the plan of a run of one version.
pub(crate) fn levels(preview: &RunPreview) -> Result<(), Problem> {
    let RunPreview { plan, prediction, followed } = preview;
    let enough = foretell::enough(prediction, plan.budget);
    let time = foretell::describe(&prediction.range, enough, plan.subjects.len() as u32);
    let processes: u32 = plan.counts.iter().map(|counts| counts.suite_runs * counts.iterations).sum();
    let is_alike = plan.counts.windows(2).all(|pair| pair[0] == pair[1]);
    print(|out| {
        for subject in &plan.subjects {
            let planned = followed.as_ref().and_then(|followed| followed.planned(&subject.benchmark));
            let note = planned.map(planned_note).unwrap_or_default();
            writeln!(out, "measure  {}{note}", visible_line(&subject.benchmark.to_string()))?;
        }
        let benchmarks = count(plan.subjects.len() as u32, "benchmark");
        let repetitions = match plan.counts.first() {
            Some(counts) if is_alike => {
                format!("{benchmarks} x {} suite runs x {} processes", counts.suite_runs, counts.iterations)
            }
            _ => format!("{benchmarks}, {processes} processes"),
        };
        writeln!(out, "\n{repetitions}, {time}; seed {}", plan.seed)
    })?;
    Ok(())
}

/// A note on a benchmark's plan, after its name.
fn planned_note(planned: &PlannedBenchmark) -> String {
    let Levels { run, iteration, second } = planned.levels;
    let (now, full) = (follow::time(planned.seconds), follow::time(planned.full_seconds));
    let samples = count(second, "sample");
    format!("  {run} x {iteration} processes x {samples}, about {now} instead of {full}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_says_how_much_of_its_time_is_a_guess() {
        assert_eq!(guessed_note(0, 3), "");
        assert_eq!(guessed_note(3, 3), " (a guess: none was measured here before)");
        assert_eq!(guessed_note(1, 3), " (a guess for 1 not measured here before)");
    }
}
