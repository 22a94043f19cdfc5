//! Makes model values with defaults for everything that a test does not set.

use std::time::Duration;

use benchwright_model::{
    BenchmarkId, Effect, Failure, FailureKind, Finding, Measurement, Metric, Outcome, Phase, Position,
    Reason, Series, Side, Summary, Thresholds, Timestamp, Trial, Usage, Verdict,
};

/// A Go benchmark `example.com/suite:BenchmarkNAME`.
pub fn benchmark(name: &str) -> BenchmarkId {
    BenchmarkId::new("go", "example.com/suite", format!("Benchmark{name}"))
}

/// Half of the duet with this number in screening: a trial of [`benchmark`] `name` with these times in
/// seconds, one per iteration. Base runs first.
pub fn trial(name: &str, side: Side, index: u32, times: &[f64]) -> Trial {
    let series = Series { metric: Metric::time(), values: times.to_vec(), resolution: 0.0 };
    let measurement =
        Measurement { warmup: 0, operations: Vec::new(), series: vec![series], ..Measurement::default() };
    Trial {
        benchmark: benchmark(name),
        side,
        position: Position::Duet { index, attempt: 0, first: side == Side::Base },
        phase: Phase::Screening,
        layout: None,
        instance: None,
        started_at: Timestamp(i64::from(index) * 2_000_000 + i64::from(side == Side::Head) * 1_000_000),
        usage: Usage { wall: Duration::from_secs(1), ..Usage::default() },
        stopped: None,
        outcome: Outcome::Measured(measurement),
    }
}

/// A trial without values.
pub fn failed_trial(name: &str, side: Side, index: u32, kind: FailureKind) -> Trial {
    let failure = Failure::new(kind, "what the benchmark said");
    Trial { outcome: Outcome::Failed(failure), ..trial(name, side, index, &[1.0]) }
}

/// Both halves of a duet with one iteration each, base first.
pub fn duet(name: &str, index: u32, base: f64, head: f64) -> [Trial; 2] {
    [trial(name, Side::Base, index, &[base]), trial(name, Side::Head, index, &[head])]
}

/// A finding about the time of [`benchmark`] `name`, with a relative change of the base's 100 ns (0.05 for +5
/// %), five duets and an interval of one per cent to either side. Slower findings fail.
pub fn finding(name: &str, verdict: Verdict, change: f64) -> Finding {
    let centre = change.ln_1p();
    let summary = |centre: f64| Some(Summary { centre, spread: 0.01, trials: 5 });
    let reason = match verdict {
        Verdict::Same => Reason::WithinThreshold,
        Verdict::Undecided => Reason::TooNoisy { duets_needed: Some(60) },
        Verdict::NotMeasured => Reason::OutOfBudget { duets_needed: None },
        Verdict::Slower | Verdict::Faster | Verdict::Changed => {
            Reason::Confirmed { evidence: 31.0, needed: 20.0, layouts: 0 }
        }
    };
    Finding {
        benchmark: benchmark(name),
        metric: Metric::time(),
        verdict,
        reason,
        effect: Some(Effect { centre, lo: centre - 0.01, hi: centre + 0.01, level: 0.98 }),
        base: summary(100e-9),
        head: summary(100e-9 * (1.0 + change)),
        duets: [-0.004, -0.002, 0.0, 0.002, 0.004].iter().map(|noise| centre + noise).collect(),
        fresh: 0,
        quartets: 0,
        wild: 0.0,
        thresholds: Thresholds { soft: 0.03, hard: 0.03 },
        fails: verdict == Verdict::Slower,
        accepted: None,
        warnings: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duet_is_one_trial_per_side_of_one_benchmark() {
        let [base, head] = duet("Sort", 3, 1.0, 1.1);
        assert_eq!((base.side, head.side), (Side::Base, Side::Head));
        assert_eq!(base.benchmark, head.benchmark);
        assert!(base.started_at < head.started_at);
        assert!(matches!(head.position, Position::Duet { index: 3, attempt: 0, first: false }));
    }

    #[test]
    fn a_finding_is_consistent_with_its_change() {
        let finding = finding("Sort", Verdict::Slower, 0.05);
        let change = finding.effect.expect("an effect").change();
        assert!((change - 0.05).abs() < 1e-12);
        assert!(finding.fails);
    }
}
