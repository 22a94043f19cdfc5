//! Compares a rule with a baseline.

use std::collections::BTreeMap;

use benchwright_stats::Alternative;
use benchwright_stats::rank::{signed_rank, vargha_delaney};

use super::score::{Judge, Judged, WarmupError};
use super::stops::{Stop, Stops};

/// The results of a comparison, as shares of benchmarks.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Comparison {
    pub(super) quality_improved: f64,
    pub(super) time_improved: f64,
    pub(super) quality_regressed: f64,
    pub(super) time_regressed: f64,
    /// Comparison of the errors of warm-up.
    pub(super) errors: Errors,
    /// The results of the rule, adapted to the baseline.
    pub(super) judged: Vec<Judged>,
}

/// Comparison of the errors of warm-up, for the processes that both executed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Errors {
    /// p-value of the one-sided Wilcoxon signed-rank test that the rule's errors are smaller.
    pub(super) p: f64,
    /// How often the rule's error is smaller. Ties count half.
    pub(super) a12: f64,
    /// Matched-pairs rank-biserial correlation. Positive if the rule's errors are smaller.
    pub(super) r: f64,
}

impl Comparison {
    /// Improvements minus regressions.
    pub(super) fn net(&self) -> f64 {
        self.quality_improved + self.time_improved - self.quality_regressed - self.time_regressed
    }
}

/// A baseline with its results, which are computed once for all comparisons.
pub(super) struct Baseline {
    pub(super) name: &'static str,
    /// All its stops, for the errors of warm-up.
    pub(super) all: Stops,
    /// The stops that are used for quality and time.
    pub(super) used: Stops,
    pub(super) judged: Vec<Judged>,
}

/// Compares a rule with a baseline in two ways. The first comparison uses the baseline's processes and as
/// many measurements per process, for quality and time. The second one is the same for quality, but the time
/// is that of the rule's own window, as in the authors' scripts.
pub(super) fn compare(judge: &Judge<'_>, rule: &Stops, baseline: &Baseline) -> [Comparison; 2] {
    let ends: Vec<BTreeMap<u32, i64>> = judge.recording.benchmarks.iter().map(last_iterations).collect();
    let places = 0..rule.len();
    let fitted: Stops = places.clone().map(|at| fit(&rule[at], &baseline.used[at], &ends[at])).collect();
    let judged = judge.judge(&fitted);
    let own_time = |at: usize| judge.time(at, &common(&rule[at], &baseline.used[at]));
    let with_own_time = places.map(|at| Judged { time_s: own_time(at), ..judged[at] }).collect();
    let errors = compare_errors(&judge.errors(rule), &judge.errors(&baseline.all));
    [judged, with_own_time].map(|judged| compare_judged(judged, baseline, errors))
}

fn compare_judged(judged: Vec<Judged>, baseline: &Baseline, errors: Errors) -> Comparison {
    let pairs: Vec<(&Judged, &Judged)> = judged.iter().zip(&baseline.judged).collect();
    let share = |is: &dyn Fn(&Judged, &Judged) -> bool| {
        pairs.iter().filter(|(ours, theirs)| is(ours, theirs)).count() as f64 / pairs.len().max(1) as f64
    };
    let both = |ours: &Judged, theirs: &Judged| ours.is_ok() && theirs.is_ok();
    Comparison {
        quality_improved: share(&|ours, theirs| ours.is_ok() && !theirs.is_ok()),
        quality_regressed: share(&|ours, theirs| !ours.is_ok() && theirs.is_ok()),
        time_improved: share(&|ours, theirs| both(ours, theirs) && ours.time_s < theirs.time_s),
        time_regressed: share(&|ours, theirs| both(ours, theirs) && ours.time_s > theirs.time_s),
        errors,
        judged,
    }
}

fn last_iterations(benchmark: &super::recording::Benchmark) -> BTreeMap<u32, i64> {
    benchmark.processes.iter().map(|(fork, process)| (*fork, process.values.len() as i64 - 1)).collect()
}

/// The rule's stops for the processes that the baseline runs.
fn common(rule: &BTreeMap<u32, Stop>, baseline: &BTreeMap<u32, Stop>) -> BTreeMap<u32, Stop> {
    baseline.keys().filter_map(|fork| Some((*fork, *rule.get(fork)?))).collect()
}

/// The rule's stops with as many measurements as the baseline has. Only the last measurements of a longer
/// window are used, and a shorter window is extended.
fn fit(
    rule: &BTreeMap<u32, Stop>,
    baseline: &BTreeMap<u32, Stop>,
    ends: &BTreeMap<u32, i64>,
) -> BTreeMap<u32, Stop> {
    let mut fitted = common(rule, baseline);
    for (fork, stop) in &mut fitted {
        let wanted = baseline[fork].last - baseline[fork].warmup;
        if stop.last - stop.warmup > wanted {
            stop.warmup = stop.last - wanted;
        } else {
            stop.last = (stop.warmup + wanted).min(ends.get(fork).copied().unwrap_or(stop.last));
        }
    }
    fitted
}

fn compare_errors(rule: &[WarmupError], baseline: &[WarmupError]) -> Errors {
    let of = |errors: &[WarmupError]| -> BTreeMap<(usize, u32), f64> {
        errors.iter().map(|error| ((error.benchmark, error.fork), error.seconds.abs())).collect()
    };
    let (rule, baseline) = (of(rule), of(baseline));
    let pairs: Vec<(f64, f64)> =
        rule.iter().filter_map(|(key, ours)| Some((*ours, *baseline.get(key)?))).collect();
    let (ours, theirs): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
    let differences: Vec<f64> = pairs.iter().map(|(ours, theirs)| ours - theirs).collect();
    let ranks = signed_rank(&differences, Alternative::Less);
    Errors {
        p: ranks.as_ref().map_or(1.0, |ranks| ranks.p),
        a12: vargha_delaney(&theirs, &ours).unwrap_or(0.5),
        r: ranks.map_or(0.0, |ranks| (ranks.negative - ranks.positive) / (ranks.negative + ranks.positive)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stops(list: &[(u32, i64, i64)]) -> BTreeMap<u32, Stop> {
        list.iter().map(|(fork, warmup, last)| (*fork, Stop { warmup: *warmup, last: *last })).collect()
    }

    #[test]
    fn windows_are_cut_at_their_beginning_or_extended_at_their_end() {
        let baseline = stops(&[(0, 49, 149), (1, 9, 59), (3, 0, 100), (4, 0, 100)]);
        let rule = stops(&[(0, 19, 69), (1, -1, 99), (2, 5, 10), (3, 2950, 2990)]);
        let ends: BTreeMap<u32, i64> = (0..5).map(|fork| (fork, 2999)).collect();
        let expected = stops(&[(0, 19, 119), (1, 49, 99), (3, 2950, 2999)]);
        assert_eq!(fit(&rule, &baseline, &ends), expected);
        assert_eq!(common(&rule, &baseline).len(), 3);
    }

    #[test]
    fn smaller_errors_are_better() {
        let errors = |list: &[f64]| -> Vec<WarmupError> {
            let error = |(fork, seconds): (u32, &f64)| WarmupError {
                benchmark: 0,
                fork,
                seconds: *seconds,
                iterations: 0,
            };
            (0..).zip(list).map(error).collect()
        };
        let found = compare_errors(&errors(&[1.0, -2.0, 3.0]), &errors(&[5.0, 5.0, -2.0, 9.0]));
        // Differences -4, -3, 1 have ranks 3, 2, 1. Of nine pairs 7 are smaller and one is equal.
        assert_eq!((found.r, found.a12), (4.0 / 6.0, 7.5 / 9.0));
        assert!((found.p - 0.25).abs() < 1e-12, "{}", found.p);
        let same = compare_errors(&errors(&[1.0]), &errors(&[1.0]));
        assert_eq!((same.p, same.a12, same.r), (1.0, 0.5, 0.0));
    }
}
