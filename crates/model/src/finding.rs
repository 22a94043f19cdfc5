//! Findings: the result of analysis for one metric of one benchmark.

use serde::{Deserialize, Serialize};

use crate::wire;
use crate::{BenchmarkId, Metric};

/// The verdicts: four answers, one more for metrics without a known direction, and one for "no answer".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Head is worse than base by at least the threshold, confirmed.
    Slower,
    /// Head is better than base by at least the threshold, confirmed.
    Faster,
    /// Changed by at least the threshold, confirmed, in a metric without a known direction.
    Changed,
    /// Shown to differ by less than the threshold; not merely "not significant".
    Same,
    /// None of these could be shown.
    Undecided,
    /// There is no duet: time ran out, the run was interrupted, or every trial failed.
    NotMeasured,
}

impl Verdict {
    /// The word for people.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Slower => "slower",
            Verdict::Faster => "faster",
            Verdict::Changed => "changed",
            Verdict::Same => "same",
            Verdict::Undecided => "undecided",
            Verdict::NotMeasured => "not measured",
        }
    }

    /// The name for programs: the word without a blank.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::NotMeasured => "not_measured",
            verdict => verdict.word(),
        }
    }

    /// Whether the question was answered.
    pub fn is_decided(self) -> bool {
        !matches!(self, Verdict::Undecided | Verdict::NotMeasured)
    }
}

/// The reason for the verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// Same: the interval is inside the threshold band.
    WithinThreshold,
    /// Same: the interval excludes zero and is inside the band.
    CertainButSmall,
    /// Same: executable and data are byte for byte those of the other side. Nothing was measured.
    IdenticalBuild,
    /// A count that is constant on both sides, compared exactly.
    Exact,
    /// Slower, faster or changed: fresh duets confirmed the suspicion.
    Confirmed {
        /// The evidence E reached.
        #[serde(with = "wire::exact")]
        evidence: f64,
        /// The evidence that was required.
        #[serde(with = "wire::exact")]
        needed: f64,
        /// Number of random code layouts per side in which the fresh duets ran. 0 means only that of the
        /// build.
        #[serde(default)]
        layouts: u32,
    },
    /// Decided by the named fixed-sample rule.
    Rule {
        /// Its name as given to `--rule`.
        name: String,
    },
    /// Slower, faster or changed: a rank test over processes that were measured apart, not in duets.
    RankTest {
        /// Its p-value, corrected over the suite.
        #[serde(with = "wire::exact")]
        p: f64,
    },
    /// Undecided: a suspect that fresh duets did not confirm.
    NotConfirmed {
        /// The evidence E reached.
        #[serde(with = "wire::exact")]
        evidence: f64,
        /// The evidence that was required.
        #[serde(with = "wire::exact")]
        needed: f64,
        /// Number of random code layouts per side in which the fresh duets ran. 0 means only that of the
        /// build.
        #[serde(default)]
        layouts: u32,
    },
    /// Same or undecided: the versions differ as they were built, but not when their code is placed at
    /// random.
    PlacementOnly {
        /// The change of the programs as built, as a ratio (0.05 for head = 1.05 x base).
        #[serde(with = "wire::exact")]
        as_built: f64,
        /// Number of random code layouts per side in which the fresh duets ran.
        layouts: u32,
    },
    /// Undecided: a change was confirmed, and its whole interval is below the threshold.
    ChangedBelowThreshold,
    /// Undecided: a change was confirmed. Its estimate is below the threshold, but its whole interval is not.
    ChangedNearThreshold,
    /// Undecided: too noisy for the maximum number of duets.
    TooNoisy {
        /// How many duets would have been enough at this noise, estimated from the standard error.
        duets_needed: Option<u32>,
    },
    /// Undecided or not measured: the time budget ran out.
    OutOfBudget {
        /// How many duets would have been enough at this noise, estimated from the standard error.
        duets_needed: Option<u32>,
    },
    /// Undecided: the harness prints so few digits that rounding alone could explain the verdict.
    TooCoarse {
        /// The smallest relative difference that its output can show, as a ratio.
        #[serde(with = "wire::exact")]
        step: f64,
    },
    /// Undecided: processes measured apart are too few, or too noisy for their number.
    FewProcesses {
        /// Processes of the side that has fewer.
        processes: u32,
        /// How many per side would be enough at this noise, if known.
        needed: Option<u32>,
    },
    /// Undecided: a side has one process, or values from an unknown number of processes.
    OneProcess,
    /// Undecided: there is only a summary (a mean, a median) without values.
    SummaryOnly,
    /// Undecided or not measured: the user interrupted the run.
    Interrupted,
    /// Undecided or not measured: trials failed, so there are too few duets.
    Failed {
        /// A sentence naming version and failure.
        what: String,
    },
    /// Undecided: values are zero or negative and not constant, so there is no ratio.
    NoRatio,
    /// Not a verdict: a metric that is not constant and has no configured threshold is only shown.
    Informational,
}

/// A larger number of duets is not useful as advice, and its digits are meaningless.
const MOST_ESTIMATED: u32 = 1000;

impl Reason {
    /// A fragment for people, without the verdict's word.
    pub fn describe(&self) -> String {
        let more = |needed: &Option<u32>| match needed {
            Some(n) if *n > MOST_ESTIMATED => {
                format!("; at this noise more than {MOST_ESTIMATED} duets would be needed")
            }
            Some(n) => format!("; about {n} duets would decide"),
            None => String::new(),
        };
        let in_layouts = |layouts: &u32| match layouts {
            0 => String::new(),
            1 => " in a random code layout per side".into(),
            n => format!(" in {n} random code layouts per side"),
        };
        match self {
            Reason::WithinThreshold => "interval inside the threshold".into(),
            Reason::CertainButSmall => "below the threshold, though the interval excludes 0".into(),
            Reason::IdenticalBuild => "identical build".into(),
            Reason::Exact => "exact count".into(),
            Reason::Confirmed { evidence, needed, layouts } => {
                let how = in_layouts(layouts);
                format!("confirmed by fresh duets{how}, evidence {evidence:.0} of {needed:.0} needed")
            }
            Reason::Rule { name } => format!("rule {name}"),
            Reason::RankTest { p } => format!("rank test over processes, p {} over the suite", p_text(*p)),
            Reason::NotConfirmed { evidence, needed, layouts } => {
                let how = in_layouts(layouts);
                format!(
                    "suspect not confirmed by fresh duets{how}, evidence {evidence:.1} of {needed:.0} needed"
                )
            }
            Reason::PlacementOnly { as_built, layouts } => {
                let how = in_layouts(layouts);
                format!(
                    "differs by placement of code only: {:+.1}% as built, below the threshold{how}",
                    as_built * 100.0
                )
            }
            Reason::ChangedBelowThreshold => "changed, but below the threshold".into(),
            Reason::ChangedNearThreshold => "changed, but the interval includes the threshold".into(),
            Reason::TooNoisy { duets_needed } => {
                format!("too noisy for the duets allowed{}", more(duets_needed))
            }
            Reason::OutOfBudget { duets_needed } => {
                format!("the time budget ran out{}", more(duets_needed))
            }
            Reason::TooCoarse { step } => {
                format!("printed in steps of {:.1} %: rounding alone could decide", step * 100.0)
            }
            Reason::FewProcesses { processes, needed } => {
                let more = needed.map(|n| format!("; about {n} would")).unwrap_or_default();
                format!("{processes} processes per side do not decide{more}")
            }
            Reason::OneProcess => {
                "one process per side: how much processes of one program differ is not known".into()
            }
            Reason::SummaryOnly => "only a summary: the file does not have the single values".into(),
            Reason::Interrupted => "interrupted".into(),
            Reason::Failed { what } => what.clone(),
            Reason::NoRatio => "values are zero or negative and vary".into(),
            Reason::Informational => "not judged: no threshold is set for this metric".into(),
        }
    }
}

/// A probability with two digits. Very small ones are not distinguished.
fn p_text(p: f64) -> String {
    match p {
        p if p < 0.0001 => "< 0.0001".into(),
        p if p < 0.001 => format!("{p:.5}"),
        p if p < 0.01 => format!("{p:.4}"),
        p => format!("{p:.3}"),
    }
}

/// A change between the versions. All numbers are natural logarithms of head / base.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Effect {
    /// The estimate.
    pub centre: f64,
    /// Lower end of the interval.
    pub lo: f64,
    /// Upper end of the interval.
    pub hi: f64,
    /// Nominal level of the interval, 0.98 at one look of the default rule.
    pub level: f64,
}

impl Effect {
    /// The estimate as a relative change: 0.05 for head = 1.05 x base.
    pub fn change(&self) -> f64 {
        self.centre.exp_m1()
    }
}

/// One side of a finding.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Summary {
    /// Median of the trial values, in the metric's unit.
    pub centre: f64,
    /// Relative spread of the trial values: 1.4826 x median absolute deviation / centre. 0 for one trial.
    pub spread: f64,
    /// Number of trials with values.
    pub trials: u32,
}

/// The smallest relative changes of a metric that count.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Thresholds {
    /// A change of at least this ratio gets a verdict (0.03 for 3 %). Above 0.
    pub soft: f64,
    /// A worsening of at least this ratio makes the command fail. At least `soft`; infinite means that it
    /// never fails.
    pub hard: f64,
}

/// The result of a comparison for one metric of one benchmark.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// The benchmark.
    pub benchmark: BenchmarkId,
    /// The metric.
    pub metric: Metric,
    /// The answer.
    pub verdict: Verdict,
    /// Why.
    pub reason: Reason,
    /// The change, if there is a ratio.
    pub effect: Option<Effect>,
    /// The old version's values, from the duets that the effect is computed from. `None` if nothing was
    /// measured.
    pub base: Option<Summary>,
    /// The new version's values, likewise.
    pub head: Option<Summary>,
    /// ln(head / base) of every duet in order, screening before confirmation.
    pub duets: Vec<f64>,
    /// How many of `duets`, counted from the end, are fresh duets of the confirmation.
    pub fresh: u32,
    /// Number of pools of four duets that the effect and the verdict are computed from. 0 if they are
    /// computed from single duets.
    pub quartets: u32,
    /// Share of the duets that are outside the trimmed part by more than three of its robust standard
    /// deviations. They are outliers, which the effect leaves out.
    pub wild: f64,
    /// The thresholds that applied.
    pub thresholds: Thresholds,
    /// Whether this finding makes the command fail (exit code 3).
    pub fails: bool,
    /// The reason given when the worsening was accepted. Then it does not fail.
    pub accepted: Option<String>,
    /// Doubts about the numbers, full sentences.
    pub warnings: Vec<String>,
}

impl Finding {
    /// The duets that effect, base and head are computed from: all of them, or the fresh ones if those ran in
    /// random code layouts.
    pub fn counted_duets(&self) -> &[f64] {
        let is_fresh = self.base.is_some_and(|base| base.trials == self.fresh);
        let first = if is_fresh { self.duets.len().saturating_sub(self.fresh as usize) } else { 0 };
        &self.duets[first..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hopeless_number_of_duets_is_not_told_to_the_digit() {
        let told = |duets_needed| Reason::TooNoisy { duets_needed }.describe();
        assert!(told(Some(130)).ends_with("; about 130 duets would decide"), "{}", told(Some(130)));
        assert!(told(Some(1000)).contains("about 1000 duets"));
        assert!(told(Some(12_016)).ends_with("; at this noise more than 1000 duets would be needed"));
        assert!(!told(None).contains(';'));
    }
}
