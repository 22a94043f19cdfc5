//! Makes findings from a benchmark's duets.

use benchwright_model::{Effect, Finding, Measurement, Metric, Nature, Reason, Summary, Thresholds, Verdict};
use benchwright_stats::dispersion::{MAD_TO_NORMAL, median, median_absolute_deviation};
use benchwright_stats::trimmed::trimmed_interval;

use crate::exact;
use crate::hypothesis::{Answer, Hypothesis, State};
use crate::judge::{Entry, JudgeSettings};
use crate::value::{Estimator, log_ratio, relative_spread};

/// This many fresh duets are enough to compute the effect from them alone.
pub(crate) const FEWEST_FRESH: usize = 5;

/// One finding per metric of the benchmark: first the metric that decides (time, or throughput if that is
/// measured instead), then the others in the order of the harness.
pub(crate) fn findings(entry: &Entry, settings: &JudgeSettings) -> Vec<Finding> {
    let main = entry.hypotheses.first().map_or_else(Metric::time, |hypothesis| hypothesis.metric.clone());
    let mut metrics = vec![main];
    if let Some((base, head)) = entry.duets.first() {
        for series in base.series.iter().chain(&head.series) {
            if series.metric.nature != Nature::Derived && !metrics.contains(&series.metric) {
                metrics.push(series.metric.clone());
            }
        }
    }
    metrics.into_iter().map(|metric| finding(entry, metric, settings)).collect()
}

fn finding(entry: &Entry, metric: Metric, settings: &JudgeSettings) -> Finding {
    let configured = settings.thresholds.configured(&entry.benchmark, &metric);
    let hypothesis = entry.hypotheses.iter().find(|h| h.metric == metric);
    let mut finding = blank(entry, metric, hypothesis, settings);
    let constants = settled(entry, &finding.metric, hypothesis);
    (finding.verdict, finding.reason) = match (constants, hypothesis) {
        (Some((base, head)), _) => {
            let (verdict, reason, effect) = exact::judge(&finding.metric, base, head, configured);
            finding.effect = effect;
            (verdict, reason)
        }
        (None, None) => (Verdict::Undecided, Reason::Informational),
        (None, Some(hypothesis)) => entry.rule.conclude(entry, hypothesis, &mut finding, settings.seed),
    };
    if entry.duets.is_empty() && finding.verdict == Verdict::Undecided {
        finding.verdict = Verdict::NotMeasured;
    }
    finding.fails = fails(&finding, constants);
    finding
}

/// The constant values of a metric that is compared exactly. A metric that is constant only by chance, in few
/// processes, does not count.
fn settled(entry: &Entry, metric: &Metric, hypothesis: Option<&Hypothesis>) -> Option<(f64, f64)> {
    match hypothesis.map(|hypothesis| &hypothesis.state) {
        Some(State::Left(Answer::Exact { base, head })) => Some((*base, *head)),
        _ if metric.is_main() || entry.duets.len() < entry.rule.constant_after() as usize => None,
        _ => exact::constants(&entry.duets, &metric.name),
    }
}

/// A finding without verdict and reason.
fn blank(
    entry: &Entry,
    metric: Metric,
    hypothesis: Option<&Hypothesis>,
    settings: &JudgeSettings,
) -> Finding {
    let thresholds = settings.thresholds.of(&entry.benchmark, &metric);
    let hypothesis = hypothesis.filter(|_| entry.rule.is_sequential());
    let estimator = hypothesis.map_or(Estimator::Middle, |hypothesis| hypothesis.estimator);
    let mut sides = process_values(entry, &metric.name, estimator);
    let (duets, fresh) = match hypothesis {
        Some(hypothesis) => (hypothesis.duets.clone(), hypothesis.fresh()),
        None => (sides.iter().filter_map(|&(base, head)| log_ratio(base, head)).collect(), 0),
    };
    let (ratios, fresh_ratios, of_each) = hypothesis.map_or((&duets[..], 0, 1), Hypothesis::deciding);
    let deciding = deciding(ratios, fresh_ratios, entry.layouts());
    if hypothesis.is_some() && !duets.is_empty() {
        let is_fresh = deciding.len() < ratios.len();
        let counted = if is_fresh { &duets[duets.len() - fresh as usize..] } else { &duets[..] };
        sides = values_of(&sides, counted);
    }
    let (base, head): (Vec<f64>, Vec<f64>) = sides.into_iter().unzip();
    let mut warnings = Vec::new();
    warnings.extend(resolution_warning(resolution(entry.measurements(), &metric), thresholds));
    Finding {
        benchmark: entry.benchmark.clone(),
        effect: effect(deciding, entry.rule.interval_error()),
        base: summarise(&base),
        head: summarise(&head),
        wild: wild(&duets),
        metric,
        verdict: Verdict::Undecided,
        reason: Reason::Informational,
        quartets: if of_each > 1 { ratios.len() as u32 } else { 0 },
        duets,
        fresh,
        thresholds,
        fails: false,
        accepted: None,
        warnings,
    }
}

/// Whether a change, as a logarithm of head / base, is at least the threshold as it is shown: a change of
/// -2.9 % does not reach 3 %, although its logarithm does.
pub(crate) fn reaches(centre: f64, threshold: f64) -> bool {
    /// Rounding errors must not hide that a threshold was just reached.
    const TOLERANCE: f64 = 1e-9;
    centre.exp_m1().abs() >= threshold - TOLERANCE
}

/// Whether this finding makes the command fail: worse by at least the hard threshold.
pub(crate) fn fails(finding: &Finding, constants: Option<(f64, f64)>) -> bool {
    if finding.verdict != Verdict::Slower || finding.thresholds.hard.is_infinite() {
        return false;
    }
    match (finding.effect, constants) {
        (Some(effect), _) => reaches(effect.centre, finding.thresholds.hard),
        (None, Some((base, head))) => exact::relative_change(base, head).abs() >= finding.thresholds.hard,
        (None, None) => false,
    }
}

/// The ratios of duets or pooled duets that the effect is computed from: all of them, or the fresh ones if
/// those ran in random code layouts. An interval needs a minimum number; with fewer, nothing is confirmed
/// either.
fn deciding(ratios: &[f64], fresh: u32, layouts: u32) -> &[f64] {
    let fresh = fresh as usize;
    if layouts > 0 && fresh >= FEWEST_FRESH {
        &ratios[ratios.len() - fresh.min(ratios.len())..]
    } else {
        ratios
    }
}

fn effect(duets: &[f64], a: f64) -> Option<Effect> {
    let interval = trimmed_interval(duets, a)?;
    Some(Effect { centre: interval.centre, lo: interval.lo, hi: interval.hi, level: 1.0 - a })
}

/// The values of base and head for every duet that has the metric.
fn process_values(entry: &Entry, metric: &str, estimator: Estimator) -> Vec<(f64, f64)> {
    let value = |side: &Measurement| estimator.value(side, metric);
    entry.duets.iter().filter_map(|(base, head)| Some((value(base)?, value(head)?))).collect()
}

/// The values of those duets whose log-ratios are `counted`. A benchmark that continued for another metric
/// has more duets than the finding uses. Both lists are in the order of measuring. The search begins at the
/// end, because fresh duets come last.
fn values_of(all: &[(f64, f64)], counted: &[f64]) -> Vec<(f64, f64)> {
    let mut left = all.iter().rev();
    let is_it = |(base, head): &&(f64, f64), ratio: f64| log_ratio(*base, *head) == Some(ratio);
    let found = counted.iter().rev().filter_map(|ratio| left.find(|duet| is_it(duet, *ratio)));
    let mut values: Vec<(f64, f64)> = found.copied().collect();
    values.reverse();
    values
}

pub(crate) fn summarise(values: &[f64]) -> Option<Summary> {
    let (centre, spread) = (median(values)?, relative_spread(values)?);
    Some(Summary { centre, spread, trials: values.len() as u32 })
}

/// Share of duets that are more than three robust standard deviations from the median.
fn wild(duets: &[f64]) -> f64 {
    let (Some(centre), Some(deviation)) = (median(duets), median_absolute_deviation(duets)) else {
        return 0.0;
    };
    if duets.len() < 5 {
        return 0.0;
    }
    let scale = (MAD_TO_NORMAL * deviation).max(1e-4);
    let count = duets.iter().filter(|d| (*d - centre).abs() > 3.0 * scale).count();
    count as f64 / duets.len() as f64
}

/// The coarsest step in which the values of a metric are printed, as a ratio.
pub(crate) fn resolution<'a>(measurements: impl Iterator<Item = &'a Measurement>, metric: &Metric) -> f64 {
    let series = measurements.filter_map(|measurement| measurement.series(&metric.name));
    series.map(|series| series.resolution).fold(0.0, f64::max)
}

/// Whether steps of this size are too coarse for a threshold.
fn is_coarse(step: f64, soft: f64) -> bool {
    step > soft / 3.0
}

/// Rejects a verdict that may be due to rounding alone. Every printed value may be off by half a step. Unlike
/// noise, that is the same in each process of a steady benchmark, so the ratio may be off by a whole step in
/// every duet.
pub(crate) fn despite_rounding(
    answer: (Verdict, Reason),
    effect: Option<Effect>,
    step: f64,
    soft: f64,
) -> (Verdict, Reason) {
    let (delta, off) = (soft.ln_1p(), step.ln_1p());
    let stands = match (answer.0, effect) {
        _ if !is_coarse(step, soft) => true,
        (Verdict::Same, Some(effect)) => -delta < effect.lo - off && effect.hi + off < delta,
        (Verdict::Slower | Verdict::Faster | Verdict::Changed, Some(effect)) => {
            let least = (effect.centre.abs() - off).max(0.0);
            reaches(least.copysign(effect.centre), soft)
        }
        _ => true,
    };
    if stands { answer } else { (Verdict::Undecided, Reason::TooCoarse { step }) }
}

/// The warning if the printed digits are too few for the threshold, so that "same" and small changes are
/// doubtful.
pub(crate) fn resolution_warning(step: f64, thresholds: Thresholds) -> Option<String> {
    is_coarse(step, thresholds.soft).then(|| {
        format!(
            "the harness prints this value in steps of {:.1} %, too coarse for a threshold of {:.1} %",
            step * 100.0,
            thresholds.soft * 100.0
        )
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use benchwright_model::BenchmarkId;

    use super::*;
    use crate::{Judge, PairedSettings, ThresholdRules};

    #[test]
    fn a_threshold_is_reached_by_the_change_that_is_shown() {
        let check = |change: f64, expected| assert_eq!(reaches(change.ln_1p(), 0.03), expected, "{change}");
        check(0.03, true);
        check(0.0299, false);
        check(-0.03, true);
        // Its logarithm exceeds that of +3 %.
        check(-0.0295, false);
        check(-0.0299, false);
    }

    #[test]
    fn what_is_shown_below_the_threshold_is_not_faster() {
        let verdict = |change: f64| {
            let thresholds = ThresholdRules::general(Thresholds { soft: 0.03, hard: 0.03 });
            let settings = JudgeSettings { rule: Arc::new(PairedSettings::default()), thresholds, seed: 1 };
            let mut judge = Judge::new(vec![BenchmarkId::new("go", "p", "a")], settings);
            let measured = |seconds: f64| Measurement {
                warmup: 0,
                operations: vec![1],
                series: vec![benchwright_model::Series {
                    metric: Metric::time(),
                    values: vec![seconds],
                    resolution: 0.0,
                }],
                ..Measurement::default()
            };
            while let Some(round) = judge.round() {
                round.benchmarks.iter().for_each(|&index| {
                    let varied = 1.0 + change + 1e-5 * (judge.duets(index) % 3) as f64;
                    judge.duet(index, measured(1.0), measured(varied));
                });
            }
            judge.findings().remove(0).verdict
        };
        assert_eq!(verdict(-0.031), Verdict::Faster);
        assert_eq!(verdict(-0.0297), Verdict::Undecided);
        assert_eq!(verdict(0.031), Verdict::Slower);
    }
}
