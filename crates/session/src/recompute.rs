//! Judges a stored comparison again from its raw values.

use std::collections::HashSet;

use benchwright_analysis::replay_limited;
use benchwright_config::Settings;
use benchwright_model::{BenchmarkId, Comparison, Finding, Reason, Trial, Verdict};
use benchwright_store::RunRecord;

use crate::decide;
use crate::problem::{Problem, misconfigured};

/// Thresholds to use instead of those of the run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GivenThresholds {
    /// Smallest change that counts as slower or faster, such as `5%`. The hard threshold follows it.
    pub threshold: Option<String>,
    /// Smallest slowdown that makes a comparison fail.
    pub fail_threshold: Option<String>,
}

/// The verdicts of a stored comparison, judged again from its raw values with the settings of the run and the
/// thresholds given.
pub fn recompute(mut record: RunRecord, given: &GivenThresholds) -> Result<Comparison, Problem> {
    let is_as_it_was = *given == GivenThresholds::default();
    let own = &mut record.run.settings;
    if let Some(threshold) = &given.threshold {
        own.insert("threshold".into(), threshold.clone());
        own.insert("fail-threshold".into(), threshold.clone());
    }
    own.extend(given.fail_threshold.clone().map(|hard| ("fail-threshold".into(), hard)));
    let settings = &Settings::resolve(decide::recorded(&record.run)?).map_err(misconfigured)?;
    let judge = decide::judge(settings, record.run.seed);
    let rule = judge.rule.clone();
    let mut limits = decide::limits(settings, &rule, record.trials.iter().map(|trial| &trial.benchmark));
    limits.extend(decide::recorded_plan(&record.run)?);
    let stored = record.comparison.clone();
    let unmeasured = stored.as_ref().map_or(0, |comparison| unmeasured(comparison, &record.trials));
    let mut findings = replay_limited(&record.trials, judge, &limits, unmeasured);
    if !record.is_partial {
        let before = stored.iter().filter(|_| is_as_it_was).flat_map(|comparison| &comparison.findings);
        let before: Vec<&Finding> = before.collect();
        finish(&mut findings, &before);
    }
    // Findings that do not depend on values stay: failures, interrupts, and identical builds.
    let undecidable = |finding: &&Finding| {
        finding.verdict == Verdict::NotMeasured
            || matches!(
                finding.reason,
                Reason::Failed { .. }
                    | Reason::IdenticalBuild
                    | Reason::Interrupted
                    | Reason::OutOfBudget { .. }
            )
    };
    for known in stored.iter().flat_map(|comparison| &comparison.findings).filter(undecidable) {
        let again = findings
            .iter_mut()
            .find(|finding| finding.benchmark == known.benchmark && finding.metric == known.metric);
        match again {
            Some(finding) if matches!(finding.reason, Reason::Interrupted | Reason::Failed { .. }) => {
                *finding = known.clone();
            }
            Some(_) => {}
            None => findings.push(known.clone()),
        }
    }
    let known = stored.iter().flat_map(|comparison| &comparison.findings);
    remember(&mut findings, known, is_as_it_was);
    Ok(Comparison {
        run: record.run.clone(),
        rule: rule.name().into(),
        rule_note: rule.note(),
        findings,
        added: stored.as_ref().map(|c| c.added.clone()).unwrap_or_default(),
        removed: stored.as_ref().map(|c| c.removed.clone()).unwrap_or_default(),
        failures: benchwright_runner::failures(&record.trials),
        diagnostics: stored.map(|c| c.diagnostics).unwrap_or_default(),
        is_partial: record.is_partial,
    })
}

/// Replaces the reason *interrupted*, because the run was not interrupted: an undecided benchmark keeps the
/// finding it had `before`, or, if the threshold is another, it has too few duets.
fn finish(findings: &mut [Finding], before: &[&Finding]) {
    for finding in findings.iter_mut().filter(|finding| finding.reason == Reason::Interrupted) {
        let is_same =
            |known: &&&Finding| known.benchmark == finding.benchmark && known.metric == finding.metric;
        match before.iter().find(is_same) {
            Some(known) => *finding = (*known).clone(),
            None => finding.reason = Reason::TooNoisy { duets_needed: None },
        }
    }
}

/// Keeps what was accepted. If thresholds did not change, remarks on findings are kept too.
fn remember<'a>(findings: &mut [Finding], known: impl Iterator<Item = &'a Finding>, is_as_it_was: bool) {
    for known in known {
        let is_same =
            |again: &&mut Finding| again.benchmark == known.benchmark && again.metric == known.metric;
        let Some(again) = findings.iter_mut().find(is_same) else { continue };
        if again.verdict == Verdict::Slower && known.accepted.is_some() {
            again.accepted.clone_from(&known.accepted);
            again.fails = false;
        }
        if is_as_it_was {
            let missing = known.warnings.iter().filter(|remark| !again.warnings.contains(remark));
            again.warnings.extend(missing.cloned().collect::<Vec<_>>());
        }
    }
}

/// How many benchmarks a comparison had no time for.
fn unmeasured(comparison: &Comparison, trials: &[Trial]) -> usize {
    let measured: HashSet<&BenchmarkId> =
        trials.iter().filter(|trial| !trial.is_cut_off()).map(|trial| &trial.benchmark).collect();
    let is_left_out = |finding: &&Finding| {
        !measured.contains(&finding.benchmark) && finding.reason != Reason::IdenticalBuild
    };
    let left_out = comparison.findings.iter().filter(is_left_out);
    left_out.map(|finding| &finding.benchmark).collect::<HashSet<_>>().len()
}

#[cfg(test)]
mod tests;
