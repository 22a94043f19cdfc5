//! The rules for processes that were measured apart.

use benchwright_model::{Effect, Measurement, Metric, Reason, Series, Verdict};
use benchwright_stats::Alternative;
use benchwright_stats::hodges_lehmann::{shift, shift_interval};
use benchwright_stats::rank::mann_whitney_exact;

use super::{ApartSide, all_iterations, point};
use crate::exact;
use crate::rules::{FixedRule, Outcome};
use crate::summary::{despite_rounding, reaches};
use crate::value::{log_ratio, steady};

/// How processes that were measured apart are compared.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ApartRule {
    /// The default: a rank test over processes to find a change, and an interval of the shift to show *same*.
    /// It gives no verdict on one process.
    Processes,
    /// A paper's rule, applied to iterations if a side has one process.
    Fixed(FixedRule),
}

/// Level of the interval, and one minus the false-discovery rate over the suite.
pub(super) const LEVEL: f64 = 0.95;
/// With fewer processes there is no interval of this level.
const FEWEST: usize = 4;
/// The most processes per side that are recommended.
const MOST_NEEDED: f64 = 10_000.0;

impl ApartRule {
    /// Its name.
    pub fn name(&self) -> &'static str {
        match self {
            ApartRule::Processes => "processes",
            ApartRule::Fixed(rule) => rule.name(),
        }
    }

    /// One sentence on what it compares.
    pub fn note(&self) -> String {
        match self {
            ApartRule::Processes => format!(
                "measured apart, not in duets: Mann-Whitney on the medians of processes, false-discovery rate {:.0} % over the suite; \
                 same: {:.0} % Hodges-Lehmann interval inside the threshold",
                (1.0 - LEVEL) * 100.0,
                LEVEL * 100.0
            ),
            ApartRule::Fixed(rule) => format!("measured apart, not in duets: {}", rule.note()),
        }
    }

    /// Applies the rule to one metric of both sides.
    pub(super) fn try_out(&self, sides: [&ApartSide; 2], metric: &Metric, seed: u64) -> Reading {
        match self {
            ApartRule::Processes => ranks(sides, metric),
            ApartRule::Fixed(rule) => {
                let [base, head] = sides.map(|side| units(side, metric));
                let [base, head] = [&base, &head].map(|side| side.iter().collect::<Vec<_>>());
                Reading::Fixed { rule: *rule, outcome: rule.decide(&base, &head, metric, seed) }
            }
        }
    }
}

/// The result of a rule before the correction over the suite.
pub(super) enum Reading {
    /// A side has one process.
    OneProcess(Option<Effect>),
    /// Values are zero or negative.
    NoRatio,
    /// Fewer processes than the test needs.
    TooFew { processes: usize, effect: Option<Effect> },
    /// A rank test, and the interval of the shift of logarithms.
    Ranks { processes: usize, p: f64, effect: Effect },
    /// A paper's rule.
    Fixed { rule: FixedRule, outcome: Outcome },
}

/// Verdict, reason and effect.
pub(super) struct Answer {
    pub(super) verdict: Verdict,
    pub(super) reason: Reason,
    pub(super) effect: Option<Effect>,
}

impl Reading {
    /// The p-value, if this is part of the correction over the suite.
    pub(super) fn p(&self) -> Option<f64> {
        match self {
            Reading::Ranks { p, .. } => Some(*p),
            _ => None,
        }
    }

    /// Whether it would be part of the correction if there were enough processes.
    pub(super) fn wants_test(&self) -> bool {
        matches!(self, Reading::Ranks { .. } | Reading::TooFew { .. })
    }

    /// The final answer. `p` is corrected for the `tests` of the suite, and values are printed in steps of
    /// this size.
    pub(super) fn answer(
        self,
        metric: &Metric,
        p: Option<f64>,
        tests: usize,
        (soft, step): (f64, f64),
    ) -> Answer {
        let undecided = |reason, effect| Answer { verdict: Verdict::Undecided, reason, effect };
        match self {
            Reading::OneProcess(effect) => undecided(Reason::OneProcess, effect),
            Reading::NoRatio => undecided(Reason::NoRatio, None),
            Reading::TooFew { processes, effect } => {
                let needed = Some(smallest_test(tests));
                undecided(Reason::FewProcesses { processes: processes as u32, needed }, effect)
            }
            Reading::Ranks { processes, effect, .. } => {
                let answer = by_ranks(metric, &effect, p.unwrap_or(1.0), soft.ln_1p(), processes, tests);
                let (verdict, reason) = despite_rounding(answer, Some(effect), step, soft);
                Answer { verdict, reason, effect: Some(effect) }
            }
            Reading::Fixed { rule, outcome } => {
                let (verdict, reason) = outcome.verdict(rule, metric);
                Answer { verdict, reason, effect: outcome.effect }
            }
        }
    }
}

/// Same if the interval lies inside the band; changed if the test is significant and the centre reaches the
/// threshold.
fn by_ranks(
    metric: &Metric,
    effect: &Effect,
    p: f64,
    delta: f64,
    processes: usize,
    tests: usize,
) -> (Verdict, Reason) {
    let is_certain = effect.lo > 0.0 || effect.hi < 0.0;
    if -delta < effect.lo && effect.hi < delta {
        let reason = if is_certain { Reason::CertainButSmall } else { Reason::WithinThreshold };
        return (Verdict::Same, reason);
    }
    match (p <= 1.0 - LEVEL, reaches(effect.centre, delta.exp_m1())) {
        (true, true) => (exact::word(metric, effect.centre > 0.0), Reason::RankTest { p }),
        (true, false) => (Verdict::Undecided, Reason::ChangedBelowThreshold),
        _ => {
            let needed = processes_needed(effect, delta, processes, tests);
            (Verdict::Undecided, Reason::FewProcesses { processes: processes as u32, needed })
        }
    }
}

/// The effect for metrics that are only shown.
pub(super) fn shown(sides: [&ApartSide; 2], metric: &Metric) -> Option<Effect> {
    match ranks(sides, metric) {
        Reading::Ranks { effect, .. } => Some(effect),
        Reading::OneProcess(effect) | Reading::TooFew { effect, .. } => effect,
        Reading::NoRatio | Reading::Fixed { .. } => None,
    }
}

/// The test over processes. It uses logarithms, so that the shift is a ratio.
fn ranks(sides: [&ApartSide; 2], metric: &Metric) -> Reading {
    if sides.iter().any(|side| side.known() <= 1) {
        let [base, head] = sides.map(|side| all_iterations(&side.processes, &metric.name));
        return Reading::OneProcess(point(&base, &head));
    }
    let [base, head] = sides.map(|side| side.values(&metric.name));
    let logarithms =
        |values: &[f64]| values.iter().map(|value| log_ratio(1.0, *value)).collect::<Option<Vec<_>>>();
    let (Some(old), Some(new)) = (logarithms(&base), logarithms(&head)) else { return Reading::NoRatio };
    let processes = old.len().min(new.len());
    let few = || Reading::TooFew { processes, effect: point(&base, &head) };
    if processes < FEWEST {
        return few();
    }
    let test = mann_whitney_exact(&old, &new, Alternative::TwoSided);
    match (test, shift(&old, &new), shift_interval(&old, &new, LEVEL)) {
        (Some(test), Some(centre), Some(interval)) => {
            let effect = Effect { centre, lo: interval.lo, hi: interval.hi, level: LEVEL };
            Reading::Ranks { processes, p: test.p, effect }
        }
        _ => few(),
    }
}

/// The data of a paper's rule: processes, or the iterations of a single process as if each were a process.
/// The warning about one process explains the limits of this.
fn units(side: &ApartSide, metric: &Metric) -> Vec<Measurement> {
    if side.known() > 1 {
        return side.processes.clone();
    }
    let single = |series: &Series, value: f64| Measurement {
        series: vec![Series { values: vec![value], ..series.clone() }],
        ..Measurement::default()
    };
    let of = |process: &Measurement| {
        let series = process.series(&metric.name)?;
        Some(steady(process, series).iter().map(|value| single(series, *value)).collect::<Vec<_>>())
    };
    side.processes.iter().filter_map(of).flatten().collect()
}

/// How many processes per side would decide at this noise. The half-width shrinks with the square root of
/// their number until it fits between the centre and the edge that a verdict needs, and there must be enough
/// processes for the test itself.
fn processes_needed(effect: &Effect, delta: f64, processes: usize, tests: usize) -> Option<u32> {
    let half = (effect.hi - effect.lo) / 2.0;
    let room = (delta - effect.centre.abs()).abs().max(delta / 10.0);
    let needed = (processes as f64 * (half / room).powi(2)).ceil();
    (needed < MOST_NEEDED).then(|| (needed as u32).max(processes as u32 + 1).max(smallest_test(tests)))
}

/// The fewest processes per side for which a rank test can be significant after a correction for this many
/// tests: with n per side no two-sided p is below 2 / C(2n, n).
fn smallest_test(tests: usize) -> u32 {
    let wanted = (1.0 - LEVEL) / tests.max(1) as f64;
    let mut n = 1_u32;
    let mut orders = 2.0_f64;
    while n < FEWEST as u32 || 2.0 / orders > wanted {
        n += 1;
        // C(2n, n) = C(2n - 2, n - 1) * 2 (2n - 1) / n.
        orders *= 2.0 * f64::from(2 * n - 1) / f64::from(n);
    }
    n
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_tests_need_more_processes() {
        // 2/C(8,4) = 2.9 %, 2/C(10,5) = 0.79 %, 2/C(12,6) = 0.22 %, 2/C(14,7) = 0.058 %.
        assert_eq!(smallest_test(1), 4);
        assert_eq!(smallest_test(6), 5);
        assert_eq!(smallest_test(7), 6);
        assert_eq!(smallest_test(80), 7);
    }

    #[test]
    fn half_the_width_needs_four_times_the_processes() {
        let effect = |half: f64| Effect { centre: 0.0, lo: -half, hi: half, level: LEVEL };
        assert_eq!(processes_needed(&effect(0.04), 0.02, 10, 1), Some(40));
        assert_eq!(processes_needed(&effect(0.08), 0.02, 10, 1), Some(160));
        assert_eq!(processes_needed(&effect(f64::INFINITY), 0.02, 10, 1), None);
    }
}
