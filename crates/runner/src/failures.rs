//! Failed trials, counted by benchmark and side.

use benchwright_model::{FailureSummary, Outcome, Trial};

/// One summary per benchmark and side with failures, in the order of the first failure. It has the message of
/// the last failure.
pub fn failures(trials: &[Trial]) -> Vec<FailureSummary> {
    let mut summaries: Vec<FailureSummary> = Vec::new();
    for trial in trials.iter().filter(|trial| !trial.is_cut_off()) {
        let Outcome::Failed(failure) = &trial.outcome else { continue };
        let known = summaries.iter_mut().find(|s| s.benchmark == trial.benchmark && s.side == trial.side);
        match known {
            Some(summary) => {
                summary.trials += 1;
                summary.kind = failure.kind;
                summary.detail.clone_from(&failure.detail);
            }
            None => summaries.push(FailureSummary {
                benchmark: trial.benchmark.clone(),
                side: trial.side,
                trials: 1,
                kind: failure.kind,
                detail: failure.detail.clone(),
            }),
        }
    }
    summaries
}
