use std::sync::Arc;

use benchwright_model::{Failure, FailureKind, Metric, Series, Thresholds, Timestamp, Usage, Verdict};

use super::*;
use crate::{PairedSettings, ThresholdRules};

/// Half of a duet of benchmark `X` that takes exp(log) seconds, or fails.
fn trial(side: Side, index: u32, attempt: u32, log: Option<f64>) -> Trial {
    let outcome = match log {
        Some(log) => Outcome::Measured(measured(&[(Metric::time(), log.exp())])),
        None => Outcome::Failed(Failure::new(FailureKind::NoResult, "")),
    };
    Trial {
        benchmark: BenchmarkId::new("go", "p", "X"),
        side,
        position: Position::Duet { index, attempt, first: side == Side::Base },
        phase: Phase::Screening,
        layout: None,
        instance: None,
        started_at: Timestamp(0),
        usage: Usage::default(),
        stopped: None,
        outcome,
    }
}

fn measured(values: &[(Metric, f64)]) -> Measurement {
    let series = |(metric, value): &(Metric, f64)| Series {
        metric: metric.clone(),
        values: vec![*value],
        resolution: 0.0,
    };
    Measurement { series: values.iter().map(series).collect(), ..Measurement::default() }
}

/// Thresholds of 3 %, also for the 99th percentile.
fn settings() -> JudgeSettings {
    let thresholds = Thresholds { soft: 0.03, hard: 0.03 };
    let rules = ThresholdRules::general(thresholds)
        .with(move |_, metric| (metric.name == "p99-ns").then_some(thresholds));
    JudgeSettings { rule: Arc::new(PairedSettings::default()), thresholds: rules, seed: 0 }
}

/// A run that records its trials.
struct Recording {
    judge: Judge,
    trials: Vec<Trial>,
}

impl Recording {
    fn new(count: usize) -> Recording {
        let ids = (0..count).map(|n| BenchmarkId::new("go", "p", format!("B{n}"))).collect();
        Recording { judge: Judge::new(ids, settings()), trials: Vec::new() }
    }

    /// Measures a duet of the benchmark with this index, with the log-ratio of its times and the 99th
    /// percentile of head, if it has one.
    fn duet(&mut self, index: usize, phase: Phase, log: f64, percentile: Option<f64>) {
        let number = self.judge.duets(index) as u32;
        let sides = [(0.0_f64, percentile.map(|_| 1.5)), (log, percentile)].map(|(log, percentile)| {
            let mut values = vec![(Metric::time(), log.exp())];
            values.extend(percentile.map(|value| (Metric::custom("p99-ns"), value)));
            measured(&values)
        });
        for (side, measurement) in Side::BOTH.into_iter().zip(&sides) {
            let benchmark = BenchmarkId::new("go", "p", format!("B{index}"));
            let outcome = Outcome::Measured(measurement.clone());
            let started_at = Timestamp(self.trials.len() as i64);
            self.trials.push(Trial { benchmark, phase, outcome, started_at, ..trial(side, number, 0, None) });
        }
        let [base, head] = sides;
        self.judge.duet(index, base, head);
    }

    /// Measures until the judge has decided or a benchmark has no more duets, which interrupts the run.
    /// Benchmarks in `given_up` leave the schedule when they have this many duets.
    fn play(mut self, duets: &[Vec<f64>], given_up: &[(usize, usize)]) -> Recording {
        while let Some(round) = self.judge.round() {
            for index in round.benchmarks {
                let number = self.judge.duets(index);
                if given_up.contains(&(index, number)) {
                    self.judge.give_up(index, Reason::Interrupted);
                    continue;
                }
                let Some(&log) = duets[index].get(number) else {
                    self.judge.interrupt();
                    return self;
                };
                self.duet(index, round.phase, log, None);
            }
        }
        self
    }

    /// Checks that the trials, in any order, give the findings of the run, and returns these.
    #[track_caller]
    fn check(mut self) -> Vec<Finding> {
        self.trials.reverse();
        let sorted = |mut findings: Vec<Finding>| {
            findings.sort_by(|one, other| one.benchmark.cmp(&other.benchmark));
            findings
        };
        let found = sorted(self.judge.findings());
        assert_eq!(sorted(replay(&self.trials, settings())), found);
        found
    }
}

const SUSPECT: [f64; 5] = [0.051, 0.048, 0.060, 0.043, 0.055];
const CONFIRMING: [f64; 6] = [0.047, 0.058, 0.050, 0.044, 0.053, 0.050];

#[test]
fn a_recorded_run_is_decided_as_it_was() {
    let quiet = vec![0.004, -0.003, 0.001, 0.002, -0.001];
    let changed = [&SUSPECT[..], &CONFIRMING].concat();
    let lucky = [&SUSPECT[..], &[0.0; 40]].concat();
    let found = Recording::new(3).play(&[quiet, changed, lucky], &[]).check();
    let verdicts: Vec<Verdict> = found.iter().map(|finding| finding.verdict).collect();
    assert_eq!(verdicts, [Verdict::Same, Verdict::Slower, Verdict::Undecided]);
}

#[test]
fn a_run_in_groups_is_decided_as_it_was() {
    let quiet = [0.004, -0.003, 0.001, 0.002, -0.001];
    let changed = [&SUSPECT[..], &CONFIRMING, &CONFIRMING].concat();
    let is_changed = |index: usize| index % 3 == 1;
    let mut recording = Recording::new(9);
    for batch in [[0, 1, 2], [3, 4, 5], [6, 7, 8]] {
        // The last batch is interrupted before its look.
        for n in 0..if batch[0] == 6 { 4 } else { 5 } {
            for index in batch {
                let log = if is_changed(index) { changed[n] } else { quiet[n] };
                recording.duet(index, Phase::Screening, log, None);
            }
        }
        recording.judge.close_group(false);
        while let Some(&index) = recording.judge.confirming().first() {
            let log = changed[recording.judge.duets(index)];
            recording.duet(index, Phase::Confirmation, log, None);
            recording.judge.end_round();
        }
    }
    recording.judge.interrupt();
    let fresh: Vec<u32> = recording.judge.findings().iter().map(|finding| finding.fresh).collect();
    let found = recording.check();
    let verdicts: Vec<Verdict> = found.iter().map(|finding| finding.verdict).collect();
    use Verdict::{Same, Slower, Undecided};
    assert_eq!(verdicts, [Same, Slower, Same, Same, Slower, Same, Undecided, Undecided, Undecided]);
    // The first represents three of nine and needs E >= 60. The second is one of two found and needs 30.
    assert_eq!(fresh, [0, 7, 0, 0, 6, 0, 0, 0, 0]);
}

#[test]
fn a_suspect_that_was_given_up_does_not_end_the_others() {
    let changed = [&SUSPECT[..], &CONFIRMING].concat();
    for duets in 5..8 {
        let found = Recording::new(2).play(&[changed.clone(), changed.clone()], &[(0, duets)]).check();
        let verdicts: Vec<Verdict> = found.iter().map(|finding| finding.verdict).collect();
        assert_eq!(verdicts, [Verdict::Undecided, Verdict::Slower], "{duets}");
    }
}

#[test]
fn a_run_cut_off_in_the_middle_of_a_round_is_decided_as_it_was() {
    let changed = [&SUSPECT[..], &CONFIRMING].concat();
    for cut in 1..changed.len() {
        Recording::new(2).play(&[changed.clone(), changed[..cut].to_vec()], &[]).check();
    }
}

#[test]
fn a_suspect_whose_screening_was_cut_short_for_another_metric_is_confirmed_as_it_was() {
    let mut recording = Recording::new(1);
    for (number, log) in SUSPECT.into_iter().enumerate() {
        recording.judge.round();
        let noisy = if number % 2 == 0 { 1.0 } else { 2.0 };
        recording.duet(0, Phase::Screening, log, Some(noisy));
    }
    // As in a run with a budget.
    recording.judge.end_screening_of(0);
    while let Some(round) = recording.judge.round() {
        assert_eq!(round.phase, Phase::Confirmation);
        let log = CONFIRMING[recording.judge.duets(0) - SUSPECT.len()];
        recording.duet(0, round.phase, log, None);
    }
    let mut trials = recording.trials.clone();
    assert_eq!(replay(&trials, settings()), recording.judge.findings());
    assert_eq!(recording.check()[0].verdict, Verdict::Slower);
    // Without its fresh duets it would be undecided.
    trials.truncate(2 * SUSPECT.len());
    assert_eq!(replay(&trials, settings())[0].verdict, Verdict::Undecided);
}

#[test]
fn failed_attempts_are_left_out_and_the_rest_decides() {
    let mut trials = vec![trial(Side::Base, 0, 0, Some(5.0)), trial(Side::Head, 0, 0, None)];
    for (index, d) in [0.004, -0.003, 0.001, 0.002, -0.001].into_iter().enumerate() {
        let attempt = u32::from(index == 0);
        trials.push(trial(Side::Head, index as u32, attempt, Some(d)));
        trials.push(trial(Side::Base, index as u32, attempt, Some(0.0)));
    }
    let findings = replay(&trials, settings());
    assert_eq!((findings.len(), findings[0].verdict), (1, Verdict::Same));
    assert_eq!(findings[0].duets.len(), 5);
}

#[test]
fn halves_of_different_attempts_are_no_pair() {
    let trials = [
        trial(Side::Base, 0, 0, Some(0.0)),
        trial(Side::Head, 0, 0, None),
        trial(Side::Base, 0, 1, None),
        trial(Side::Head, 0, 1, Some(0.5)),
    ];
    assert!(replay(&trials, settings())[0].duets.is_empty());
}

#[test]
fn a_pair_is_in_a_layout_only_if_both_halves_are() {
    let check = |base: Option<u32>, head: Option<u32>, expected: Option<u32>| {
        for is_base_first in [true, false] {
            let mut pair = [trial(Side::Base, 0, 0, Some(0.0)), trial(Side::Head, 0, 0, Some(0.0))];
            (pair[0].layout, pair[1].layout) = (base, head);
            if !is_base_first {
                pair.reverse();
            }
            assert_eq!(collect(&pair).1[0][0].layout, expected);
        }
    };
    check(Some(3), Some(3), Some(3));
    check(Some(3), None, None);
    check(None, None, None);
}

#[test]
fn too_few_recorded_duets_are_undecided() {
    let trials = [trial(Side::Base, 0, 0, Some(0.0)), trial(Side::Head, 0, 0, Some(0.1))];
    let findings = replay(&trials, settings());
    assert_eq!(findings[0].reason, Reason::Interrupted);
}
