//! `reduce --refresh`: makes new choices for the part of a plan that is out of date.

use std::collections::BTreeMap;

use benchwright_analysis::reduce::{Options, Stability, by_name, recommended};
use benchwright_config::{Goal, Plan, PlannedBenchmark, Settings};
use benchwright_model::{BenchmarkId, Diagnostic};
use benchwright_store::RunRecord;

use super::warmup::{self, WarmupCut};
use super::work::{self, Wanted};
use super::{comparing, plan, stability};
use crate::leveled::{self, Leveled, LeveledBenchmark};
use crate::problem::Problem;

/// Options for making choices again.
pub struct RenewalOptions<'a> {
    /// Thresholds, rule and trials.
    pub settings: &'a Settings,
    /// Which warm-up is cut.
    pub warmup: WarmupCut,
    /// The seed of resamples.
    pub seed: u64,
    /// The number of threads.
    pub jobs: Option<u32>,
}

/// Makes choices for the benchmarks of a full run in the same way as the plan was made, with diagnostics.
pub fn chosen(
    record: &RunRecord,
    known: &Plan,
    options: &RenewalOptions<'_>,
) -> Result<(BTreeMap<BenchmarkId, PlannedBenchmark>, Vec<Diagnostic>), Problem> {
    let mut sets = [leveled::of_run(record)?];
    warmup::cut(&mut sets, options.warmup, options.jobs);
    let (planned, diagnostics) = match &known.goal {
        Goal::Stability { threshold, mode, .. } => {
            let mut wanted =
                Options { mode: stability::mode(mode), threshold: *threshold, ..Options::default() };
            wanted.resampling.seed = options.seed;
            of_stability(&sets, known, wanted, options.jobs)
        }
        Goal::Compare { change, power, false_alarms } => {
            let (change, power, false_alarms) = (*change, *power, *false_alarms);
            let shares = comparing::Shares { change, power, false_alarms, budget: None };
            let all = known.benchmarks.len().max(sets[0].benchmarks.len());
            let wanted = comparing::wanted(options.settings, shares, all)?;
            let planner = comparing::Planner { settings: options.settings, wanted: &wanted, budget: None };
            let (found, errors) = planner.planned(&sets, options.jobs);
            (plan::comparing_entries(&sets, &found, &planner), errors)
        }
    };
    Ok((planned, sets[0].diagnostics.iter().cloned().chain(diagnostics).collect()))
}

fn of_stability(
    sets: &[Leveled],
    known: &Plan,
    options: Options,
    jobs: Option<u32>,
) -> (BTreeMap<BenchmarkId, PlannedBenchmark>, Vec<Diagnostic>) {
    let wanted = Wanted {
        metric: &|benchmark: &LeveledBenchmark| metric(known, benchmark),
        options,
        has_curve: false,
        has_forecast: false,
    };
    let (found, errors) = work::reduce(sets, &wanted, jobs);
    let usual = match &known.goal {
        Goal::Stability { metric, .. } => metric.as_str(),
        Goal::Compare { .. } => "",
    };
    (plan::stability_entries(sets, &found, usual), errors)
}

/// The metric that the plan has for a benchmark, or for others of its harness.
fn metric(known: &Plan, benchmark: &LeveledBenchmark) -> &'static dyn Stability {
    let id = &benchmark.id;
    let entry = known.benchmarks.get(id);
    let akin = || known.benchmarks.iter().find(|(other, _)| other.harness == id.harness);
    let entry = entry.or_else(|| akin().map(|(_, planned)| planned));
    let usual = match &known.goal {
        Goal::Stability { metric, .. } => Some(metric),
        Goal::Compare { .. } => None,
    };
    let name = entry.and_then(|planned| planned.metric.as_ref().or(usual));
    name.and_then(|name| by_name(name)).unwrap_or_else(|| recommended(benchmark.sample_kind).0)
}
