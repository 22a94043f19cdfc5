//! Tables for figures 3 and 4.

use super::super::published;
use super::super::repeat::{Findings, Studied};
use super::super::savings::Outcome;
use crate::study::markdown::{Table, percent};

/// Selects the outcomes of a project that a table shows.
pub(super) type Select<'a> = &'a dyn Fn(&Findings) -> &Vec<Outcome>;

pub(super) fn savings_table(projects: &[&Studied], select: Select<'_>, has_warmup: bool) -> Table {
    let mut table = Table::new(&[
        "project",
        "chosen by",
        "full s",
        "chosen s",
        "saved %",
        "paper",
        "≤ 1 %",
        "paper",
        "≤ 3 %",
        "paper",
        "≤ 5 %",
        "paper",
        "≤ 10 %",
        "worst interval ends %",
    ]);
    for project in projects {
        for (index, outcome) in select(&project.prototype).iter().enumerate() {
            let published = project.symbol.and_then(|symbol| match has_warmup {
                true => published::figure_4(symbol).map(|bars| bars[index]),
                false => published::figure_3(symbol).map(|bars| bars[index]),
            });
            let judgement = &outcome.judgement;
            let (full, chosen) = judgement.warmup_seconds;
            let mut cells = vec![
                if index == 0 { project.title() } else { String::new() },
                outcome.method.into(),
                format!("{:.0}", judgement.full_seconds + full),
                format!("{:.0}", judgement.seconds + chosen),
                percent(Some(judgement.saved_with_warmup())),
                percent(published.map(|(saved, _)| saved)),
            ];
            for limit in 0..3 {
                cells.push(percent(Some(outcome.within[limit])));
                cells.push(percent(published.map(|(_, within)| within[limit])));
            }
            cells.push(percent(Some(outcome.within[3])));
            cells.push(
                outcome
                    .worst_ends
                    .map_or_else(|| "—".into(), |(lo, hi)| format!("{} / {}", bound(lo), bound(hi))),
            );
            table.row(cells);
        }
    }
    table
}

/// A relative difference in percent. Very large ones get one digit, because the studentised interval of three
/// values is not more precise.
fn bound(share: f64) -> String {
    if share > 100.0 { format!("{:.0e}", 100.0 * share) } else { format!("{:.1}", 100.0 * share) }
}

/// Lists the bars of figure 3 that differ from the published ones.
pub(super) fn differences(projects: &[&Studied]) -> String {
    let mut lines = Vec::new();
    for project in projects {
        let Some(bars) = project.symbol.and_then(published::figure_3) else { continue };
        for (outcome, (saved, within)) in project.prototype.outcomes.iter().zip(bars) {
            let off = outcome.judgement.saved() - saved;
            let kept: Vec<f64> =
                outcome.within.iter().zip(within).map(|(ours, theirs)| ours - theirs).collect();
            // Published numbers have four digits.
            if off.abs() > 1e-4 || kept.iter().any(|off| off.abs() > 1e-4) {
                let kept: Vec<String> = kept.iter().map(|off| format!("{:+.2}", 100.0 * off)).collect();
                lines.push(format!(
                    "- {} {}: {:+.2} points saved; within 1, 3, 5 %: {} points\n",
                    project.title(),
                    outcome.method,
                    100.0 * off,
                    kept.join(", ")
                ));
            }
        }
    }
    match lines.is_empty() {
        true => "\nEvery bar is the published one.\n".into(),
        false => format!("\nBars that are not the published ones:\n\n{}", lines.concat()),
    }
}

pub(super) fn modes_table(projects: &[&Studied]) -> Table {
    let mut table = Table::new(&[
        "project",
        "metric",
        "saved %, prototype",
        "saved %, paper",
        "≤ 1 %, prototype",
        "≤ 1 %, paper",
        "≤ 3 %, prototype",
        "≤ 3 %, paper",
        "unstable, prototype",
        "unstable, paper",
    ]);
    for project in projects {
        let both = project.prototype.outcomes.iter().zip(&project.paper.outcomes).skip(4);
        for (index, (prototype, paper)) in both.enumerate() {
            table.row(vec![
                if index == 0 { project.title() } else { String::new() },
                prototype.method.into(),
                percent(Some(prototype.judgement.saved())),
                percent(Some(paper.judgement.saved())),
                percent(Some(prototype.within[0])),
                percent(Some(paper.within[0])),
                percent(Some(prototype.within[1])),
                percent(Some(paper.within[1])),
                prototype.judgement.unstable.to_string(),
                paper.judgement.unstable.to_string(),
            ]);
        }
    }
    table
}
