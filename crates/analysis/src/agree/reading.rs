//! The result of one run for one benchmark.

use benchwright_model::{BenchmarkId, Effect, Finding, Measurement, Metric, Reason, Trial, Verdict};

use crate::ApartBenchmark;
use crate::replay;
use crate::rules::median_ratio;
use crate::value::of_process;

/// The fewest results per version that the paper uses. Benchmarks with fewer are left out.
pub const MIN_RESULTS: u32 = 10;

/// Whether a run found a change, and in which direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Found {
    /// The metric's value grew.
    Larger,
    /// It shrank.
    Smaller,
    /// No change was found: there is none, or it was not decided.
    Nothing,
}

/// The result of one run for the main metric of one benchmark.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// Which benchmark.
    pub benchmark: BenchmarkId,
    /// The metric that decides: time, or throughput if that is measured instead.
    pub metric: Metric,
    /// The verdict of the rule.
    pub verdict: Verdict,
    /// Whether the verdict is a change.
    pub found: Found,
    /// Size and interval. `None` for identical builds, which were not measured, and for rules without an
    /// interval.
    pub effect: Option<Effect>,
    /// Number of results it is based on: duets, or processes of the side that has fewer.
    pub results: u32,
}

impl Reading {
    /// The reading of a finding. `None` for metrics other than the main one, and if nothing was measured.
    pub fn of_finding(finding: &Finding) -> Option<Reading> {
        let is_measured = match &finding.reason {
            Reason::Failed { .. } | Reason::SummaryOnly => false,
            Reason::IdenticalBuild => true,
            _ => finding.effect.is_some(),
        };
        if !finding.metric.is_main() || !is_measured {
            return None;
        }
        let trials = [&finding.base, &finding.head].map(|side| side.map_or(0, |side| side.trials));
        let results =
            if finding.duets.is_empty() { trials[0].min(trials[1]) } else { finding.duets.len() as u32 };
        Some(Reading {
            benchmark: finding.benchmark.clone(),
            metric: finding.metric.clone(),
            verdict: finding.verdict,
            found: found(finding.verdict, finding.effect),
            effect: finding.effect.filter(|effect| effect.lo.is_finite() && effect.hi.is_finite()),
            results,
        })
    }
}

fn found(verdict: Verdict, effect: Option<Effect>) -> Found {
    match (verdict, effect) {
        (Verdict::Same | Verdict::Undecided | Verdict::NotMeasured, _) | (_, None) => Found::Nothing,
        (_, Some(effect)) if effect.centre > 0.0 => Found::Larger,
        (_, Some(_)) => Found::Smaller,
    }
}

/// The results of a benchmark: one value per process. The values of both versions are in the order in which
/// they were measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// Which benchmark.
    pub benchmark: BenchmarkId,
    /// The metric.
    pub metric: Metric,
    /// Values of the old version.
    pub base: Vec<f64>,
    /// Values of the new version.
    pub head: Vec<f64>,
}

impl Sample {
    /// The main metric of processes that were measured apart. `None` if a side has no values of it, or only
    /// summaries.
    pub fn of_apart(benchmark: &ApartBenchmark) -> Option<Sample> {
        let sides = [&benchmark.base, &benchmark.head];
        if sides.iter().any(|side| side.is_summary || !side.is_structure_known) {
            return None;
        }
        let [base, head] = sides.map(|side| side.processes.iter().collect::<Vec<_>>());
        Sample::new(&benchmark.benchmark, &base, &head)
    }

    fn new(benchmark: &BenchmarkId, base: &[&Measurement], head: &[&Measurement]) -> Option<Sample> {
        let metric = head.first()?.main()?.metric.clone();
        let values = |side: &[&Measurement]| -> Vec<f64> {
            side.iter().filter_map(|process| of_process(process, &metric.name)).collect()
        };
        let (base, head) = (values(base), values(head));
        if base.is_empty() || head.is_empty() {
            return None;
        }
        Some(Sample { benchmark: benchmark.clone(), metric, base, head })
    }

    /// The number of results that both versions have.
    pub fn results(&self) -> u32 {
        self.base.len().min(self.head.len()) as u32
    }

    /// The reading by the paper's rule: the 99 % percentile bootstrap interval of the ratio of medians, with
    /// the versions resampled independently. There is a change if the interval excludes zero. `None` if a
    /// value is not positive.
    pub fn reading(&self, seed: u64) -> Option<Reading> {
        let outcome = median_ratio(&self.base, &self.head, seed)?;
        let verdict =
            outcome.is_up.map_or(Verdict::Undecided, |is_up| crate::exact::word(&self.metric, is_up));
        Some(Reading {
            benchmark: self.benchmark.clone(),
            metric: self.metric.clone(),
            verdict,
            found: match outcome.is_up {
                Some(true) => Found::Larger,
                Some(false) => Found::Smaller,
                None => Found::Nothing,
            },
            effect: outcome.effect.filter(|effect| effect.lo.is_finite() && effect.hi.is_finite()),
            results: self.results(),
        })
    }
}

/// The good duets among `trials` as samples, with benchmarks in the order of their first trial. A duet with a
/// failed half does not count.
pub fn samples(trials: &[Trial]) -> Vec<Sample> {
    let of = |(benchmark, duets): (BenchmarkId, Vec<(Measurement, Measurement)>)| {
        let (base, head): (Vec<_>, Vec<_>) = duets.iter().map(|(base, head)| (base, head)).unzip();
        Sample::new(&benchmark, &base, &head)
    };
    replay::duets(trials).into_iter().filter_map(of).collect()
}
