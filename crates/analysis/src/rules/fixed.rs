//! The rules of papers, each applied to the unit of data of its paper.
//!
//! They are meant for comparison and reproduction. They take a fixed number of duets, do not correct for many
//! tests over the suite and cannot show that two versions are the same. `undecided` then means that the rule
//! found no change.

use std::sync::Arc;

use benchwright_model::{Effect, Finding, Measurement, Metric, Reason, Verdict};
use benchwright_stats::bootstrap::{Resampling, median as bootstrap_median, statistic};
use benchwright_stats::dispersion::{Divisor, mean, median, quantile, standard_deviation};
use benchwright_stats::rank::mann_whitney;
use benchwright_stats::{Alternative, t_test};

use super::{DecisionRule, DuetLimits, Rule, RuleOptions};
use crate::apart::ApartRule;
use crate::exact;
use crate::hypothesis::{Answer, Hypothesis, State};
use crate::judge::Entry;
use crate::predict::LogSpread;
use crate::value::{of_process, steady};

/// A paper's rule on a fixed number of duets per benchmark. No benchmark leaves early.
#[derive(Debug, Clone, PartialEq)]
pub struct FixedSample {
    /// Its test.
    pub rule: FixedRule,
    /// Duets per benchmark.
    pub duets: u32,
}

impl FixedSample {
    /// The rule with this test, under these settings.
    pub(super) fn rule(rule: FixedRule, options: &RuleOptions) -> Rule {
        Arc::new(FixedSample { rule, duets: options.duets.unwrap_or(rule.default_duets()) })
    }
}

impl DecisionRule for FixedSample {
    fn name(&self) -> &'static str {
        self.rule.name()
    }

    fn note(&self) -> String {
        format!("{} duets, {}", self.duets, self.rule.note())
    }

    fn looks(&self) -> &[u32] {
        std::slice::from_ref(&self.duets)
    }

    fn limited(&self, limits: DuetLimits) -> Rule {
        Arc::new(FixedSample { duets: limits.cap, ..self.clone() })
    }

    fn apart(&self) -> ApartRule {
        ApartRule::Fixed(self.rule)
    }

    fn screen(&self, hypothesis: &mut Hypothesis, number: u32, _: &Measurement, _: &Measurement) {
        if hypothesis.is_screening() && number >= self.duets {
            hypothesis.state = State::Left(Answer::Complete);
        }
    }

    fn further_duets(&self, _: &Hypothesis, done: usize, _: LogSpread) -> f64 {
        f64::from(self.duets) - done as f64
    }

    fn conclude(
        &self,
        entry: &Entry,
        hypothesis: &Hypothesis,
        finding: &mut Finding,
        seed: u64,
    ) -> (Verdict, Reason) {
        if let State::Left(Answer::Undecided(reason)) = &hypothesis.state {
            return (Verdict::Undecided, reason.clone());
        }
        let (bases, heads): (Vec<_>, Vec<_>) = entry.duets.iter().map(|(base, head)| (base, head)).unzip();
        let outcome = self.rule.decide(&bases, &heads, &finding.metric, seed);
        finding.effect = outcome.effect;
        outcome.verdict(self.rule, &finding.metric)
    }
}

/// The test of a fixed-sample rule.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FixedRule {
    /// 99 % percentile bootstrap interval of the ratio of medians of process values (ElastiBench).
    BootstrapMedian,
    /// 99 % intervals of the median of all iterations do not overlap, and the medians differ by 3 % (µOpTime).
    CiOverlap,
    /// Mann-Whitney at 1 % on process means of the second half of the iterations (Peass).
    MannWhitney,
    /// Student's t with pooled variance at 1 % on process means of the second half of the iterations (Peass).
    TTest,
    /// Wilcoxon rank sum at 1 % on all iterations, and means differ by half the injected slowdown (suite quality).
    WilcoxonHalf {
        /// The injected slowdown as a ratio, 0.1 for 10 %.
        injected: f64,
    },
}

/// The result of a fixed-sample rule.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Outcome {
    /// Whether head is larger. `None` if no change was found.
    pub(crate) is_up: Option<bool>,
    /// The rule's own estimate, with its own interval if it has one.
    pub(crate) effect: Option<Effect>,
}

impl Outcome {
    /// Verdict and reason of this result.
    pub(crate) fn verdict(&self, rule: FixedRule, metric: &Metric) -> (Verdict, Reason) {
        let verdict = self.is_up.map_or(Verdict::Undecided, |is_up| exact::word(metric, is_up));
        (verdict, Reason::Rule { name: rule.name().into() })
    }
}

const LEVEL: f64 = 0.99;
const RESAMPLES: usize = 10_000;
/// Peass leaves out process values further than this many standard deviations from their mean.
const OUTLIER_Z: f64 = 3.29;
const OVERLAP_CHANGE: f64 = 0.03;

impl FixedRule {
    /// Its name as given to `--rule`.
    pub const fn name(&self) -> &'static str {
        match self {
            FixedRule::BootstrapMedian => "bootstrap-median",
            FixedRule::CiOverlap => "ci-overlap",
            FixedRule::MannWhitney => "mann-whitney",
            FixedRule::TTest => "t-test",
            FixedRule::WilcoxonHalf { .. } => "wilcoxon-half",
        }
    }

    /// The number of duets its paper used.
    pub fn default_duets(&self) -> u32 {
        match self {
            FixedRule::BootstrapMedian => 45,
            _ => 30,
        }
    }

    /// Its unit of data and its test, in one phrase.
    pub fn note(&self) -> String {
        match self {
            FixedRule::BootstrapMedian => {
                "99 % bootstrap interval of the ratio of medians, unit: process".into()
            }
            FixedRule::CiOverlap => {
                "99 % intervals of the medians disjoint and 3 % apart, unit: iteration".into()
            }
            FixedRule::MannWhitney => "Mann-Whitney p < 0.01, unit: process mean of the second half".into(),
            FixedRule::TTest => "pooled t-test p < 0.01, unit: process mean of the second half".into(),
            FixedRule::WilcoxonHalf { injected } => format!(
                "Wilcoxon rank sum p < 0.01 and means {:.1} % apart, unit: iteration",
                injected * 50.0
            ),
        }
    }

    /// Applies the rule to the processes of both versions. They need not be duets, because none of the rules
    /// uses pairs. Without enough usable values it finds no change.
    pub(crate) fn decide(
        &self,
        bases: &[&Measurement],
        heads: &[&Measurement],
        metric: &Metric,
        seed: u64,
    ) -> Outcome {
        let both = |of: fn(&[&Measurement], &Metric) -> Vec<f64>| (of(bases, metric), of(heads, metric));
        let outcome = match self {
            FixedRule::BootstrapMedian => {
                let (base, head) = both(processes);
                median_ratio(&base, &head, seed)
            }
            FixedRule::CiOverlap => {
                let (base, head) = both(iterations);
                ci_overlap(&base, &head)
            }
            FixedRule::MannWhitney => {
                let (base, head) = both(half_means);
                by_p(&base, &head, rank_sum(&base, &head))
            }
            FixedRule::TTest => {
                let (base, head) = both(half_means);
                let test = t_test::pooled(&base, &head, Alternative::TwoSided, LEVEL);
                by_p(&base, &head, test.map(|test| test.p))
            }
            FixedRule::WilcoxonHalf { injected } => {
                let (base, head) = both(iterations);
                by_p(&base, &head, rank_sum(&base, &head)).map(|outcome| {
                    let change = outcome.effect.map_or(0.0, |effect| effect.change().abs());
                    Outcome { is_up: outcome.is_up.filter(|_| change >= injected / 2.0), ..outcome }
                })
            }
        };
        outcome.unwrap_or(Outcome { is_up: None, effect: None })
    }
}

/// ElastiBench's rule on process values.
pub(crate) fn median_ratio(base: &[f64], head: &[f64], seed: u64) -> Option<Outcome> {
    let effect = resampled_median_ratio(base, head, Resampling { resamples: RESAMPLES, seed })?;
    let is_up = if effect.lo > 0.0 { Some(true) } else { (effect.hi < 0.0).then_some(false) };
    Some(Outcome { is_up, effect: Some(effect) })
}

/// Its interval only, with a fifth of the resamples, for callers that compute it after every result.
pub(crate) fn growing_median_ratio(base: &[f64], head: &[f64], seed: u64) -> Option<Effect> {
    resampled_median_ratio(base, head, Resampling { resamples: RESAMPLES / 5, seed })
}

fn resampled_median_ratio(base: &[f64], head: &[f64], resampling: Resampling) -> Option<Effect> {
    let medians = |values: &[f64], seed: u64| {
        let resampling = Resampling { seed, ..resampling };
        statistic::distribution(values, resampling, |resample| median(resample).unwrap_or(f64::NAN))
    };
    // As in the paper, the versions are resampled independently.
    let (old, new) = (medians(base, resampling.seed)?, medians(head, !resampling.seed)?);
    let ratios: Vec<f64> = old.iter().zip(&new).map(|(old, new)| (new / old).ln()).collect();
    let tail = (1.0 - LEVEL) / 2.0;
    let (lo, hi) = (quantile(&ratios, tail)?, quantile(&ratios, 1.0 - tail)?);
    let centre = (median(head)? / median(base)?).ln();
    Some(Effect { centre, lo, hi, level: LEVEL })
}

fn ci_overlap(base: &[f64], head: &[f64]) -> Option<Outcome> {
    let (old, new) = (bootstrap_median::percentile(base, LEVEL)?, bootstrap_median::percentile(head, LEVEL)?);
    let change = median(head)? / median(base)? - 1.0;
    let is_up = if new.lo > old.hi && change > OVERLAP_CHANGE {
        Some(true)
    } else {
        (new.hi < old.lo && change < -OVERLAP_CHANGE).then_some(false)
    };
    Some(Outcome { is_up, effect: point(change.ln_1p()) })
}

/// A change if `p` is below 1 %; its sign is that of the difference of means.
fn by_p(base: &[f64], head: &[f64], p: Option<f64>) -> Option<Outcome> {
    let (base_mean, head_mean) = (mean(base)?, mean(head)?);
    let is_up = (p? < 1.0 - LEVEL).then_some(head_mean > base_mean);
    Some(Outcome { is_up, effect: point((head_mean / base_mean).ln()) })
}

fn rank_sum(base: &[f64], head: &[f64]) -> Option<f64> {
    Some(mann_whitney(base, head, Alternative::TwoSided)?.p)
}

fn point(centre: f64) -> Option<Effect> {
    centre.is_finite().then_some(Effect { centre, lo: f64::NEG_INFINITY, hi: f64::INFINITY, level: LEVEL })
}

/// The value of each process.
fn processes(side: &[&Measurement], metric: &Metric) -> Vec<f64> {
    side.iter().filter_map(|m| of_process(m, &metric.name)).collect()
}

/// All iterations of all processes.
fn iterations(side: &[&Measurement], metric: &Metric) -> Vec<f64> {
    side.iter().filter_map(|m| Some(steady(m, m.series(&metric.name)?))).flatten().copied().collect()
}

/// For each process the mean of the second half of its iterations, without outliers.
fn half_means(side: &[&Measurement], metric: &Metric) -> Vec<f64> {
    let second_half = |m: &&Measurement| {
        let values = &m.series(&metric.name)?.values;
        mean(&values[values.len() / 2..])
    };
    let values: Vec<f64> = side.iter().filter_map(second_half).collect();
    match (mean(&values), standard_deviation(&values, Divisor::Sample)) {
        (Some(centre), Some(sd)) => {
            values.into_iter().filter(|value| (value - centre).abs() <= OUTLIER_Z * sd).collect()
        }
        _ => values,
    }
}

#[cfg(test)]
mod tests {
    use benchwright_model::Series;

    use super::*;

    /// Processes with these iterations each, of which the first `warmup` do not count.
    fn side(warmup: u32, processes: impl IntoIterator<Item = Vec<f64>>) -> Vec<Measurement> {
        let process = |values| {
            let series = Series { metric: Metric::time(), values, resolution: 0.0 };
            Measurement { warmup, series: vec![series], ..Measurement::default() }
        };
        processes.into_iter().map(process).collect()
    }

    #[track_caller]
    fn check(rule: FixedRule, base: &[Measurement], head: &[Measurement], expected: Option<bool>) {
        let [old, new] = [base, head].map(|side| side.iter().collect::<Vec<_>>());
        let outcome = rule.decide(&old, &new, &Metric::time(), 1);
        assert_eq!(outcome.is_up, expected, "{rule:?}: {outcome:?}");
    }

    /// This many processes of one iteration around `centre`, a millionth apart.
    fn close(count: u32, centre: f64) -> Vec<Measurement> {
        side(0, (0..count).map(|i| vec![centre * (1.0 + f64::from(i) * 1e-6)]))
    }

    #[test]
    fn one_per_cent_is_the_level() {
        // Separate without overlap: p is 2 / C(8, 4) = 2.9 % and 2 / C(10, 5) = 0.8 %.
        check(FixedRule::MannWhitney, &close(4, 1.0), &close(4, 1.1), None);
        check(FixedRule::MannWhitney, &close(5, 1.0), &close(5, 1.1), Some(true));
        check(FixedRule::MannWhitney, &close(5, 1.1), &close(5, 1.0), Some(false));
    }

    #[test]
    fn peass_rules_look_at_the_second_half_without_outliers() {
        let warming = |first: f64, offset: f64| {
            let process = |i: u32| {
                let late = 1.0 + (f64::from(i) + offset) * 1e-6;
                vec![first, first, late, late]
            };
            side(0, (0..20).map(process))
        };
        for rule in [FixedRule::MannWhitney, FixedRule::TTest] {
            check(rule, &warming(9.0, 0.0), &warming(1.0, 0.5), None);
        }
        let wild = || [close(19, 1.0), close(1, 100.0)].concat();
        check(FixedRule::TTest, &wild(), &close(20, 1.01), Some(true));
    }

    #[test]
    fn wilcoxon_half_needs_half_of_what_was_injected() {
        let rule = FixedRule::WilcoxonHalf { injected: 0.1 };
        for (factor, expected) in [(1.04, None), (1.06, Some(true)), (0.96, None), (0.94, Some(false))] {
            check(rule, &close(20, 1.0), &close(20, factor), expected);
        }
    }

    #[test]
    fn disjoint_intervals_count_from_three_per_cent_on() {
        for (factor, expected) in [(1.02, None), (1.04, Some(true)), (0.98, None), (0.96, Some(false))] {
            check(FixedRule::CiOverlap, &close(20, 1.0), &close(20, factor), expected);
        }
        // The medians are 10 % apart, but the spread makes the intervals overlap.
        let wide = |centre: f64| side(0, (0..5).map(|i| vec![centre * (0.8 + 0.1 * f64::from(i))]));
        check(FixedRule::CiOverlap, &wide(1.0), &wide(1.1), None);
    }

    #[test]
    fn medians_of_processes_are_resampled_without_their_warm_up() {
        let process = |i: u32, value: f64| vec![100.0, value + f64::from(i) * 1e-6, value];
        let sides =
            |old: f64, new: f64| [old, new].map(|value| side(1, (0..10).map(move |i| process(i, value))));
        let [base, head] = sides(1.0, 1.001);
        check(FixedRule::BootstrapMedian, &base, &head, Some(true));
        check(FixedRule::BootstrapMedian, &head, &base, Some(false));
        // However many iterations a process has, it counts as one value.
        let two = |old: f64, new: f64| side(0, [vec![old; 99], vec![new]]);
        check(FixedRule::BootstrapMedian, &two(1.0, 1.2), &two(1.1, 1.1), None);
    }
}
