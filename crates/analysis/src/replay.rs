//! Decides a recorded run again.

use std::collections::HashMap;

use benchwright_model::{BenchmarkId, Finding, Measurement, Outcome, Phase, Position, Reason, Side, Trial};

use crate::{DuetLimits, Judge, JudgeSettings};

/// The findings of the duets among `trials`, fed to a judge in the order in which a run would have fed them. With the
/// settings of the run they are the run's own findings. Benchmarks in the order of their first trial.
///
/// Duets with a failed half do not count. Where the recorded duets end before the judge is content (an interrupted
/// run, or other settings), a benchmark is undecided.
pub fn replay(trials: &[Trial], settings: JudgeSettings) -> Vec<Finding> {
    replay_limited(trials, settings, &HashMap::new())
}

/// The same where some benchmarks had limits of their own.
pub fn replay_limited(
    trials: &[Trial],
    settings: JudgeSettings,
    limits: &HashMap<BenchmarkId, DuetLimits>,
) -> Vec<Finding> {
    let (benchmarks, duets) = collect(trials);
    let mut judge = Judge::new(benchmarks, settings).with_limits(limits);
    while let Some(round) = judge.round() {
        let mut has_ended = false;
        for index in round.benchmarks {
            match duets[index].get(judge.duets(index)) {
                Some(Duet { base, head, layout: Some(layout) }) => {
                    judge.duet_in_layout(index, *layout, base.clone(), head.clone());
                }
                Some(Duet { base, head, .. }) => judge.duet(index, base.clone(), head.clone()),
                None if round.phase == Phase::Confirmation => has_ended = true,
                None => judge.give_up(index, Reason::Interrupted),
            }
        }
        if has_ended {
            judge.interrupt();
            break;
        }
    }
    judge.findings()
}

struct Duet {
    base: Measurement,
    head: Measurement,
    layout: Option<u32>,
}

/// The measurements of a benchmark by duet and attempt, base and head, with the layout.
type Halves = HashMap<(u32, u32), ([Option<Measurement>; 2], Option<u32>)>;

/// The good duets of each benchmark, in order.
fn collect(trials: &[Trial]) -> (Vec<BenchmarkId>, Vec<Vec<Duet>>) {
    let mut benchmarks: Vec<BenchmarkId> = Vec::new();
    let mut places: HashMap<BenchmarkId, usize> = HashMap::new();
    let mut halves: Vec<Halves> = Vec::new();
    for trial in trials {
        let Position::Duet { index, attempt, .. } = trial.position else { continue };
        let place = *places.entry(trial.benchmark.clone()).or_insert_with(|| {
            benchmarks.push(trial.benchmark.clone());
            halves.push(HashMap::new());
            benchmarks.len() - 1
        });
        if let Outcome::Measured(measurement) = &trial.outcome {
            let side = usize::from(trial.side == Side::Head);
            let (both, layout) = halves[place].entry((index, attempt)).or_default();
            let is_first = both.iter().all(Option::is_none);
            both[side] = Some(measurement.clone());
            *layout = if is_first { trial.layout } else { layout.and(trial.layout) };
        }
    }
    let good = |halves: Halves| {
        let mut whole: Vec<((u32, u32), Duet)> = halves
            .into_iter()
            .filter_map(|(key, ([base, head], layout))| {
                Some((key, Duet { base: base?, head: head?, layout }))
            })
            .collect();
        whole.sort_by_key(|(key, _)| *key);
        whole.into_iter().map(|(_, duet)| duet).collect()
    };
    (benchmarks, halves.into_iter().map(good).collect())
}

#[cfg(test)]
mod tests {
    use benchwright_model::{Metric, Series, Thresholds, Timestamp, Usage, Verdict};

    use super::*;
    use crate::{PairedSettings, Rule, ThresholdRules};

    fn trial(side: Side, index: u32, attempt: u32, log: Option<f64>) -> Trial {
        let outcome = match log {
            Some(log) => {
                let series = Series { metric: Metric::time(), values: vec![log.exp()], resolution: 0.0 };
                Outcome::Measured(Measurement { series: vec![series], ..Measurement::default() })
            }
            None => Outcome::Failed(benchwright_model::Failure {
                kind: benchwright_model::FailureKind::NoResult,
                detail: String::new(),
            }),
        };
        Trial {
            benchmark: BenchmarkId::new("go", "p", "X"),
            side,
            position: Position::Duet { index, attempt, first: side == Side::Base },
            phase: Phase::Screening,
            layout: None,
            started_at: Timestamp(0),
            usage: Usage::default(),
            outcome,
        }
    }

    fn settings() -> JudgeSettings {
        let thresholds = ThresholdRules::general(Thresholds { soft: 0.03, hard: 0.03 });
        JudgeSettings { rule: Rule::Paired(PairedSettings::default()), thresholds, seed: 0 }
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
}
