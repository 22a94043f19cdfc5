//! Predicts the time of a comparison.

use std::time::Duration;

use benchwright_analysis::Judge;
use benchwright_analysis::predict::{Pending, Relinking, RunSpread, Short, Stage, expected_time};
use benchwright_model::{Metric, Phase};
use benchwright_worker::Subject;

use crate::ComparePlan;
use crate::shapes::{FIRST_DUETS, FIRST_FRESH};

/// Seconds to link both programs of a duet in another order, assumed before the first was linked. Go programs
/// of some megabytes and Rust programs take about one second each.
const RELINKING_SECS: f64 = 2.0;

/// One benchmark in this many is expected to be a suspect. Suspects of one program share its layouts.
const SUSPECT_ONE_IN: f64 = 10.0;

/// The expected time to the end of a comparison, with one duet after the other, from what was measured so
/// far. `trial_secs` is the time of a usual trial of a benchmark.
pub(crate) fn left(plan: &ComparePlan, judge: &Judge, trial_secs: impl Fn(usize) -> f64) -> Duration {
    let run = run_spread(plan, judge);
    let open = (0..plan.subjects.len()).filter(|&index| judge.is_open(index));
    let pending = open.map(|index| {
        let stage = match (judge.has_suspect(index), judge.phase_of(index)) {
            (false, _) => Stage::Screening,
            (true, Phase::Confirmation) => Stage::Confirming,
            (true, _) => Stage::Suspect,
        };
        pending(plan, index, judge.ratios(index), stage, (trial_secs(index), 0.0))
    });
    expected_time(&pending.collect::<Vec<_>>(), run)
}

/// The spread that the duets so far have in common.
pub(crate) fn run_spread(plan: &ComparePlan, judge: &Judge) -> RunSpread {
    RunSpread::seen(plan.subjects.iter().enumerate().map(|(index, subject)| {
        let id = &subject.benchmark;
        (plan.spreads.get(id).copied(), judge.ratios(index))
    }))
}

/// What is left to do for one benchmark of a plan with these duets. Its usual trials take `trial_secs`, with
/// the uncertainty `doubt` (standard deviation of the logarithm).
pub fn pending<'a>(
    plan: &'a ComparePlan,
    index: usize,
    ratios: &'a [f64],
    stage: Stage,
    (trial_secs, doubt): (f64, f64),
) -> Pending<'a> {
    let id = &plan.subjects[index].benchmark;
    let usual = &plan.judge.rule;
    let rule = plan.duets.get(id).map_or_else(|| usual.clone(), |limits| usual.limited(*limits));
    Pending {
        delta: plan.judge.thresholds.of(id, &Metric::time()).soft.ln_1p(),
        looks: rule.looks().to_vec(),
        is_fixed: !rule.is_sequential(),
        max_fresh: rule.max_fresh(),
        ratios,
        earlier: plan.spreads.get(id).copied(),
        stage,
        duet_secs: 2.0 * trial_secs,
        short: Short {
            duets: FIRST_DUETS,
            fresh: FIRST_FRESH,
            saved_secs: (2.0 * plan.saved(index).as_secs_f64()).min(2.0 * trial_secs),
        },
        relinking: relinking(plan, index),
        doubt,
    }
}

/// The cost of making the programs of a fresh duet, which other suspects of the program share.
fn relinking(plan: &ComparePlan, index: usize) -> Relinking {
    let id = &plan.subjects[index].benchmark;
    let is_together =
        |other: &&Subject| other.benchmark.harness == id.harness && other.benchmark.package == id.package;
    let together = plan.subjects.iter().filter(is_together).count();
    let harness = benchwright_harness::by_name(&id.harness);
    let is_relinked = plan.layouts > 0 && harness.is_some_and(|harness| harness.relinking().is_some());
    Relinking {
        program: plan.subjects.iter().position(|other| is_together(&other)).unwrap_or(index),
        secs: if is_relinked { RELINKING_SECS } else { 0.0 },
        sharing: (together as f64 / SUSPECT_ONE_IN).max(1.0),
    }
}
