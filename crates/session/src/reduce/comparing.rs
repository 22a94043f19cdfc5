//! Chooses configurations that find changes.

use std::collections::BTreeMap;
use std::time::Duration;

use benchwright_analysis::reduce::for_compare::{
    ComparePlan, Costs, Design, Noise, Sharing, Wanted, for_noise, for_suite,
};
use benchwright_analysis::reduce::in_parallel;
use benchwright_analysis::rules::most_duets;
use benchwright_analysis::value::{Estimator, median};
use benchwright_config::{PlannedBenchmark, Settings};
use benchwright_harness::{Usual, by_name};
use benchwright_model::{BenchmarkId, Diagnostic, Metric};
use benchwright_report::compare_plan::{ComparePlanReport, PlannedComparison};

use super::{plan, work};
use crate::Problem;
use crate::decide;
use crate::leveled::{Leveled, LeveledBenchmark};

/// What a comparison has to achieve, as shares.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shares {
    /// The change to find.
    pub change: f64,
    /// The share of cases in which it must be found.
    pub power: f64,
    /// The largest share of the changes found that may be false.
    pub false_alarms: f64,
    /// The time that all benchmarks share. `None` gives each what it needs.
    pub budget: Option<Duration>,
}

/// Plans every benchmark and makes the entries of a plan file. The report has no benchmarks if nothing could
/// be planned.
pub fn report(
    settings: &Settings,
    sets: &[Leveled],
    shares: Shares,
    jobs: Option<u32>,
) -> Result<(ComparePlanReport, BTreeMap<BenchmarkId, PlannedBenchmark>), Problem> {
    let count = sets.iter().map(|set| set.benchmarks.len()).sum::<usize>();
    let wanted = wanted(settings, shares, count)?;
    let planner = Planner { settings, wanted: &wanted, budget: shares.budget };
    let (benchmarks, errors) = planner.planned(sets, jobs);
    let said = sets.iter().flat_map(|set| set.diagnostics.clone()).chain(errors);
    let entries = plan::comparing_entries(sets, &benchmarks, &planner);
    let report = ComparePlanReport {
        sources: sets.iter().map(|set| set.source.clone()).collect(),
        wanted: wanted.clone(),
        benchmarks,
        diagnostics: said.collect(),
        tool_version: env!("CARGO_PKG_VERSION").into(),
    };
    Ok((report, entries))
}

/// What a plan has to achieve under the rule of the settings.
pub fn wanted(settings: &Settings, shares: Shares, benchmarks: usize) -> Result<Wanted, Problem> {
    let rule = decide::judge(settings, 0).rule;
    let Some(paired) = rule.plannable().cloned() else {
        let error = format!("plan comparisons for the rule `{}`", rule.name());
        return Err(Problem::misuse(error, "plans are made for the rule `paired`"));
    };
    let Shares { change, power, false_alarms, .. } = shares;
    Ok(Wanted {
        design: Design::Duets(paired),
        change,
        power,
        false_alarms,
        threshold: settings.thresholds.general.soft,
        ..Wanted::in_duets(u32::try_from(benchmarks).unwrap_or(u32::MAX))
    })
}

/// How plans are made.
pub struct Planner<'a> {
    /// Thresholds, rule and trials.
    pub settings: &'a Settings,
    /// What plans have to achieve.
    pub wanted: &'a Wanted,
    /// The time that all benchmarks share.
    pub budget: Option<Duration>,
}

/// How a trial of a comparison measures a benchmark without a plan, and how that differs from what was recorded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UsualTrial {
    /// Its iterations.
    pub iterations: u32,
    /// The time of one iteration.
    pub iteration_time: Duration,
    /// Seconds of one iteration, or of one operation if that is longer.
    seconds: f64,
    /// The length of a recorded iteration divided by this one. `None` if they are alike.
    ratio: Option<f64>,
    /// The maximum number of duets.
    pub most_duets: u32,
}

/// If the ratio of a recorded iteration's length to that of a comparison is in this range, they count as
/// alike.
const ALIKE: std::ops::RangeInclusive<f64> = 0.5..=2.0;

/// A plan has at least the usual number of iterations divided by this: with fewer, an estimate from short
/// iterations is no longer robust.
const LEAST_SHARE: u32 = 2;

impl Planner<'_> {
    /// A plan for every benchmark, and diagnostics about benchmarks that cannot be planned.
    pub fn planned(&self, sets: &[Leveled], jobs: Option<u32>) -> (Vec<PlannedComparison>, Vec<Diagnostic>) {
        let (found, mut errors) = work::of_all(sets, jobs, |source, benchmark| {
            Ok((source, benchmark, self.sharing(&sets[source], benchmark)?))
        });
        let suite: Vec<Sharing> = found.iter().map(|(.., sharing)| sharing.clone()).collect();
        let plans = match self.budget {
            Some(budget) => for_suite(&suite, budget.as_secs_f64()),
            None => in_parallel(&suite, work::jobs(jobs), |one: &Sharing| {
                for_noise(&one.noise, &one.costs, &one.wanted)
            }),
        };
        let mut planned = Vec::new();
        for ((source, benchmark, _), plan) in found.into_iter().zip(plans) {
            match plan {
                Some(plan) => planned.push(named(source, benchmark, plan)),
                None => errors.push(cannot(benchmark)),
            }
        }
        (planned, errors)
    }

    /// The data needed to plan a benchmark.
    fn sharing(&self, set: &Leveled, benchmark: &LeveledBenchmark) -> Result<Sharing, Diagnostic> {
        let Some(usual) = self.usual(set, benchmark) else {
            // It is unknown how such a benchmark would be measured here, so it is planned as it was recorded.
            let noise = Noise::of(&benchmark.series).ok_or_else(|| cannot(benchmark))?;
            return Ok(Sharing { noise, costs: costs(benchmark), wanted: self.wanted.clone() });
        };
        let least = match usual.ratio {
            None => (usual.iterations / LEAST_SHARE).max(self.wanted.iterations.0).min(usual.iterations),
            Some(_) => usual.iterations,
        };
        let noise = match usual.ratio {
            Some(ratio) => {
                Noise::of(&benchmark.series).map(|noise| noise.for_iterations(ratio, usual.iterations))
            }
            None => {
                let are_slices =
                    Estimator::all(benchmark.sample_kind, &Metric::time()).contains(&Estimator::Undisturbed);
                Noise::of_trials(&benchmark.series, least..=usual.iterations, are_slices)
            }
        };
        let wanted = Wanted {
            iterations: (least, Some(usual.iterations)),
            most_processes: usual.most_duets,
            ..self.wanted.clone()
        };
        Ok(Sharing {
            noise: noise.ok_or_else(|| cannot(benchmark))?,
            costs: Costs { iteration: usual.seconds, ..costs(benchmark) },
            wanted,
        })
    }

    /// How comparisons measure a benchmark without a plan. `None` if benchwright does not support its
    /// harness.
    pub fn usual(&self, set: &Leveled, benchmark: &LeveledBenchmark) -> Option<UsualTrial> {
        let harness = by_name(&benchmark.id.harness)?;
        let Usual { iterations, iteration_time, .. } = Usual::of(harness.samples());
        let typed = &self.settings.trial;
        let iteration_time = typed.iteration_time.unwrap_or(iteration_time);
        let operation = median(&benchmark.series.prefix(&benchmark.series.full()))? * 1e-9;
        let seconds = iteration_time.as_secs_f64().max(operation);
        let ratio = if set.has_trial_shape { 1.0 } else { benchmark.seconds_per_value / seconds };
        let duets = &self.settings.duets;
        Some(UsualTrial {
            iterations: typed.iterations.unwrap_or(iterations),
            iteration_time,
            seconds,
            ratio: (!ALIKE.contains(&ratio)).then_some(ratio),
            most_duets: if duets.is_max_given {
                duets.max
            } else {
                duets.max.max(most_duets(harness.samples()))
            },
        })
    }
}

fn named(source: usize, benchmark: &LeveledBenchmark, plan: ComparePlan) -> PlannedComparison {
    PlannedComparison { source, id: benchmark.id.clone(), name: benchmark.name.clone(), plan }
}

fn cannot(benchmark: &LeveledBenchmark) -> Diagnostic {
    let message =
        "cannot be planned: it was measured in one process, so the spread between processes is unknown";
    Diagnostic::error(&benchmark.name, message)
}

/// The recorded cost of a process of a benchmark.
pub fn costs(benchmark: &LeveledBenchmark) -> Costs {
    let iteration = benchmark.seconds_per_value;
    Costs { start: benchmark.process_seconds, warmup: f64::from(benchmark.warmup) * iteration, iteration }
}
