//! Predicts how long a comparison or a run takes.

use std::time::Duration;

use benchwright_analysis::predict::{self, Pending, Prediction, RunSpread, Short, Stage};
use benchwright_harness::{Stop, TrialShape, TrialTime};
use benchwright_model::{BenchmarkId, TimeRange};
use benchwright_runner::{ComparePlan, LevelsPlan, Shapes, pending};

use crate::follow::Followed;
use crate::listener::Listener;
use crate::project::Project;

/// Uncertainty of predicted trial times, as the standard deviation of their logarithm: of times from earlier
/// runs, of guesses from a listing run, and of what the harness expects of any benchmark.
const DOUBTS: [f64; 3] = [0.15, 0.3, 0.6];

/// Predicts the time of a comparison on this machine: from earlier runs if there are any, otherwise from what
/// harnesses expect of trials.
pub(crate) fn comparison(project: &Project, plan: &ComparePlan) -> Prediction {
    let pending: Vec<Pending<'_>> = (0..plan.subjects.len())
        .map(|index| {
            let (trial, doubt) = trial_time(project, plan, index);
            let secs = trial.usual.as_secs_f64();
            // Some trials become steady late or never.
            let late = (trial.longest.as_secs_f64() / secs.max(1e-3)).max(1.0).ln() / 2.0;
            pending(plan, index, &[], Stage::Screening, (secs, doubt.max(late)))
        })
        .collect();
    let is_new = |index: usize| !plan.spreads.contains_key(&plan.subjects[index].benchmark);
    // Only benchmarks without earlier runs need a measurement of the machine's noise.
    let noise = (0..plan.subjects.len()).any(is_new).then(|| project.noise()).flatten();
    predict::time(&pending, RunSpread::on_machine(noise))
}

/// The predicted time of a trial of the benchmark with this index, and its uncertainty.
fn trial_time(project: &Project, plan: &ComparePlan, index: usize) -> (TrialTime, f64) {
    let id = &plan.subjects[index].benchmark;
    let [earlier, listed, expected] = DOUBTS;
    match (plan.durations.get(id), plan.guesses.get(id)) {
        (Some(known), _) => (TrialTime::always(*known), earlier),
        (None, Some(guess)) => (TrialTime::always(*guess), listed),
        (None, None) => (self::expected(project, &plan.shapes, id), expected),
    }
}

/// Number of waves that a usual comparison takes at a place with many instances: a first look for all
/// benchmarks, a second one for those in doubt, and fresh duets for suspects. Each wave is sent after the one
/// before it was judged.
pub(crate) const WAVES: u32 = 3;

/// The number of duets that each benchmark of a plan will take, and the time of its trials.
pub(crate) fn expectations<'a>(
    project: &'a Project,
    plan: &'a ComparePlan,
) -> impl Iterator<Item = (f64, TrialTime)> + 'a {
    (0..plan.subjects.len()).map(|index| {
        let (trial, _) = trial_time(project, plan, index);
        // Two trials of half a second: the predicted seconds are the number of duets.
        let known = pending(plan, index, &[], Stage::Screening, (0.5, 0.0));
        let alone = [Pending { short: Short::default(), ..known }];
        (predict::expected_time(&alone, RunSpread::UNKNOWN).as_secs_f64(), trial)
    })
}

/// The trial time that the harness expects for this benchmark.
fn expected(project: &Project, shapes: &Shapes, id: &BenchmarkId) -> TrialTime {
    let harness = project.harnesses.iter().find(|harness| harness.name() == id.harness);
    let time = harness.zip(shapes.of(id).ok()).map(|(harness, shape)| harness.trial_time(shape));
    time.unwrap_or_else(|| TrialTime::always(Duration::ZERO))
}

/// Reports what a plan means for a comparison.
pub(crate) fn tell_followed(
    project: &Project,
    plan: &ComparePlan,
    followed: &Followed,
    listener: &mut dyn Listener,
) {
    let now = comparison(project, plan).range.middle.as_secs_f64();
    let ids = plan.subjects.iter().map(|subject| &subject.benchmark);
    if let Some(line) = followed.describe_comparing(ids, now) {
        listener.say(&line);
    }
}

/// Predicts the time of a run of one version, and reports what following a plan saves.
pub(crate) fn levels(
    project: &Project,
    plan: &LevelsPlan,
    followed: Option<&Followed>,
    listener: &mut dyn Listener,
) -> Prediction {
    let mut each = Vec::new();
    let (mut longest, mut full) = (Duration::ZERO, 0.0);
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
        each.push(time.usual);
        longest = longest.saturating_add(time.longest);
    }
    let usual = each.iter().fold(Duration::ZERO, |all, one| all.saturating_add(*one));
    let ids = plan.subjects.iter().map(|subject| &subject.benchmark);
    let has_any = |followed: &&Followed| ids.clone().any(|id| followed.planned(id).is_some());
    if let Some(followed) = followed.filter(has_any) {
        listener.say(&followed.describe(ids, usual.as_secs_f64(), full));
    }
    Prediction { range: around(usual, longest), each }
}

/// The range of a predicted time, if the number of processes is known and their time is not.
pub(crate) fn around(usual: Duration, longest: Duration) -> TimeRange {
    /// How far off the time of a process may be, as a factor.
    const FACTOR: f64 = 1.4;
    let high = TimeRange::within_factor(longest.max(usual), FACTOR).high;
    TimeRange { high, ..TimeRange::within_factor(usual, FACTOR) }
}

/// The number of processes that are likely to run. A stop rule may need fewer than planned.
fn usual_processes(shapes: &Shapes, id: &BenchmarkId, planned: u32) -> u32 {
    /// Found on recorded processes.
    const USUALLY_ENOUGH: u32 = 3;
    let decides = |shape: &TrialShape| matches!(&shape.stop, Stop::Rule(by) if by.processes.is_some());
    if shapes.of(id).is_ok_and(decides) { planned.min(USUALLY_ENOUGH) } else { planned }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn late_warm_up_prolongs_the_range() {
        let minutes = |n: u64| Duration::from_secs(60 * n);
        assert_eq!(around(minutes(10), minutes(10)), TimeRange::within_factor(minutes(10), 1.4));
        assert_eq!(around(minutes(10), minutes(20)).high, minutes(28));
    }
}
