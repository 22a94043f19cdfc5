//! What rules, reasons and the tables' shorthand mean, in words: the same in every format for people.

use benchwright_model::{Comparison, Finding, Reason, Verdict};

use crate::overview::{Overview, duets_text};
use crate::scale;

/// What the verdicts of the default rule mean, in one sentence; nothing for other rules, whose note says it.
pub(crate) fn rule_sentence(comparison: &Comparison, overview: &Overview<'_>) -> Option<String> {
    let threshold = overview.threshold().map_or("the threshold".to_owned(), scale::share);
    (comparison.rule == "paired" && !overview.measured.is_empty()).then(|| {
        format!(
            "slower or faster: a change of at least {threshold}, confirmed by fresh duets; same: the whole interval is within \
             ±{threshold}; otherwise undecided"
        )
    })
}

/// What the table's shorthand means, as far as it occurs in these rows, one line each.
pub(crate) fn legend(rows: &[&Finding], is_apart: bool) -> Vec<String> {
    let any = |is_it: &dyn Fn(&Finding) -> bool| rows.iter().any(|row| is_it(row));
    let mut lines = Vec::new();
    let has_spread = |f: &Finding| f.reason != Reason::Exact && f.head.is_some_and(|head| head.trials > 1);
    if any(&has_spread) {
        let change = if is_apart { "" } else { "; Δ: trimmed mean of the duets' changes" };
        lines.push(format!("base, head: medians of the processes, ± their spread{change}"));
    }
    let with_fresh = rows.iter().find(|f| f.fresh > 0 && (f.fresh as usize) < f.duets.len());
    if let Some(example) = with_fresh {
        let screening = example.duets.len() - example.fresh as usize;
        let interval = if any(&|f| matches!(f.reason, Reason::Confirmed { .. })) {
            ", and give the interval of slower and faster"
        } else {
            ""
        };
        lines.push(format!(
            "duets {}: {screening} for screening; {} fresh ones confirm{interval}",
            duets_text(example),
            example.fresh
        ));
    }
    if any(&|f| f.reason == Reason::CertainButSmall) {
        lines.push(
            "same, though the interval excludes 0: a real change, but smaller than the threshold".into(),
        );
    }
    if any(&|f| f.verdict == Verdict::Same && matches!(f.reason, Reason::PlacementOnly { .. })) {
        lines.push("same (placement only): differs as built, but not with its code placed at random".into());
    }
    if any(&|f| f.reason == Reason::Informational) {
        lines.push("not judged: no threshold is set for this metric".into());
    }
    lines
}

/// How many of these findings there are for each reason, the most frequent first; without the numbers in which reasons differ.
pub(crate) fn by_reason<'a>(findings: &[&'a Finding]) -> Vec<(String, Vec<&'a Finding>)> {
    let mut groups: Vec<(String, Vec<&Finding>)> = Vec::new();
    for finding in findings {
        let reason = common_reason(&finding.reason);
        match groups.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, members)) => members.push(finding),
            None => groups.push((reason, vec![finding])),
        }
    }
    groups.sort_by_key(|(_, members)| std::cmp::Reverse(members.len()));
    groups
}

/// The reason without what differs from finding to finding.
fn common_reason(reason: &Reason) -> String {
    let text = match reason {
        Reason::NotConfirmed { .. } => "suspects not confirmed by fresh duets",
        Reason::PlacementOnly { .. } => "differ by placement of code only",
        Reason::TooNoisy { .. } => "too noisy for the duets allowed",
        Reason::OutOfBudget { .. } => "the time budget ran out",
        Reason::TooCoarse { .. } => "printed in steps too coarse for the threshold",
        Reason::FewProcesses { .. } => "too few processes per side",
        Reason::Failed { .. } => "trials failed",
        other => return other.describe(),
    };
    text.to_owned()
}

/// What evidence means, for a reason that speaks of it.
pub(crate) fn evidence_note(finding: &Finding) -> Option<String> {
    let (Reason::Confirmed { needed, .. } | Reason::NotConfirmed { needed, .. }) = &finding.reason else {
        return None;
    };
    Some(format!("evidence of {needed:.0}: unchanged code gets that far in at most 1 of {needed:.0} cases"))
}
