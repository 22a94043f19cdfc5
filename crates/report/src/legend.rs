//! Explanations of rules, reasons and the notation of tables, the same in every format for people.

use benchwright_analysis::rules::{self, NamedRule};
use benchwright_model::{Comparison, Finding, Nature, Reason, Verdict};

use crate::overview::{self, Overview, duets_text, is_open};
use crate::scale;

/// One sentence on the meaning of the verdicts, for a rule that confirms by fresh duets. `None` for other
/// rules, whose note explains it.
pub(crate) fn rule_sentence(comparison: &Comparison, overview: &Overview<'_>) -> Option<String> {
    let confirms = rules::by_name(&comparison.rule).is_some_and(NamedRule::confirms);
    let threshold = overview.threshold().map_or("the threshold".to_owned(), scale::share);
    (confirms && !overview.measured.is_empty()).then(|| {
        format!(
            "slower or faster: a change of at least {threshold}, confirmed by fresh duets; same: the whole interval is within \
             ±{threshold}; otherwise undecided"
        )
    })
}

/// The meaning of abbreviations in these rows, one line each. `change` is the heading of the changes.
pub(crate) fn legend(rows: &[&Finding], overview: &Overview<'_>, change: &str) -> Vec<String> {
    let has_spread = |f: &&Finding| f.reason != Reason::Exact && f.head.is_some_and(|head| head.trials > 1);
    let columns = rows.iter().any(has_spread).then(|| estimators(overview.is_apart(), "±", change));
    let lines = columns.into_iter().chain(star(rows, change));
    lines.chain(duets_line(rows)).chain(verdicts(rows, overview.is_one_version)).collect()
}

/// Where the values of both sides and the changes come from. `spread` is the symbol before a spread, if one
/// is shown.
pub(crate) fn estimators(is_apart: bool, spread: &str, change: &str) -> String {
    let spread = if spread.is_empty() { String::new() } else { format!(", {spread} their spread") };
    let of_duets =
        if is_apart { String::new() } else { format!("; {change}: trimmed mean of the duets' changes") };
    format!("base, head: medians of the processes{spread}{of_duets}")
}

/// The meaning of the star after a change.
pub(crate) fn star(rows: &[&Finding], change: &str) -> Option<String> {
    rows.iter().any(|row| overview::differs_from_sides(row)).then(|| {
        format!(
            "*: {change} is not head / base of the same row, because the processes vary more than the duets or the other way \
             round; {change} decides"
        )
    })
}

/// The meaning of verdicts that need an explanation. `is_one_version`: a version was compared with itself.
pub(crate) fn verdicts(rows: &[&Finding], is_one_version: bool) -> Vec<String> {
    let any = |is_it: &dyn Fn(&Finding) -> bool| rows.iter().any(|row| is_it(row));
    let is_placed =
        |f: &Finding| f.verdict == Verdict::Same && matches!(f.reason, Reason::PlacementOnly { .. });
    let lines = [
        (
            any(&is_soft),
            "slower (soft): below the hard threshold (fail-threshold), so the command does not fail because of it",
        ),
        (
            any(&|f| f.reason == Reason::CertainButSmall),
            if is_one_version {
                "same, though the interval excludes 0: chance, since base and head are the same"
            } else {
                "same, though the interval excludes 0: a change below the threshold, or chance"
            },
        ),
        (any(&is_placed), "same (placement only): differs as built, but not with its code placed at random"),
        (any(&|f| f.reason == Reason::Informational), "not judged: no threshold is set for this metric"),
    ];
    lines.into_iter().filter(|(occurs, _)| *occurs).map(|(_, line)| line.to_owned()).collect()
}

/// Whether a slowdown is below the hard threshold.
pub(crate) fn is_soft(finding: &Finding) -> bool {
    let is_measured = finding.metric.nature == Nature::Measured;
    finding.verdict == Verdict::Slower && is_measured && !finding.fails && finding.accepted.is_none()
}

/// The meaning of `5+6`, and which numbers come from the fresh duets alone.
fn duets_line(rows: &[&Finding]) -> Option<String> {
    let with_fresh: Vec<&&Finding> =
        rows.iter().filter(|row| row.fresh > 0 && (row.fresh as usize) < row.duets.len()).collect();
    let example = with_fresh.first()?;
    let (all, fresh) = (example.duets.len(), example.fresh as usize);
    let rests_on_fresh = |row: &&&Finding| row.counted_duets().len() < row.duets.len();
    let is_confirmed = |row: &&&Finding| matches!(row.reason, Reason::Confirmed { .. });
    let mut on_all = with_fresh.iter().filter(|row| !rests_on_fresh(row));
    let give = match (with_fresh.iter().any(rests_on_fresh), on_all.any(is_confirmed)) {
        (true, true) => "; these give the interval, and in random code layouts all numbers of the row",
        (true, false) => "; these give all numbers of the row",
        (false, true) => "; these give the interval of slower and faster",
        (false, false) => "",
    };
    let screening = all - fresh;
    let ones = if fresh == 1 { "one" } else { "ones" };
    let text = duets_text(example);
    Some(format!("duets {text}: {screening} for screening, {fresh} fresh {ones} for confirmation{give}"))
}

/// Findings grouped by reason, the most frequent reason first. Numbers in reasons are left out.
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

/// One line with the number of undecided findings for each reason. `None` if there are none.
pub(crate) fn undecided(rows: &[&Finding]) -> Option<String> {
    let open: Vec<&Finding> = rows.iter().copied().filter(|row| is_open(row)).collect();
    let groups = by_reason(&open);
    let parts: Vec<String> =
        groups.iter().map(|(reason, members)| format!("{} ({})", reason, members.len())).collect();
    (!open.is_empty()).then(|| format!("undecided: {}", parts.join("; ")))
}

/// The reason without the parts that differ between findings.
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

/// An explanation of evidence, for reasons that mention it.
pub(crate) fn evidence_note(finding: &Finding) -> Option<String> {
    let (Reason::Confirmed { needed, .. } | Reason::NotConfirmed { needed, .. }) = &finding.reason else {
        return None;
    };
    Some(format!("evidence of {needed:.0}: unchanged code reaches it in at most 1 of {needed:.0} cases"))
}
