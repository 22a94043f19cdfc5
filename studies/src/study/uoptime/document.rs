//! Writes the document: every figure and table of the paper next to ours.

mod bars;
mod changes;
mod metrics;

use std::fmt::Write as _;

use super::agreement::{self, Agreement, Differing, Match};
use super::prose;
use super::repeat::{Studied, Study};
use crate::study::markdown::Table;

/// The complete text. The names of pictures begin with `stem`.
pub(super) fn document(study: &Study, stem: &str) -> String {
    let mut text = String::from(prose::INTRODUCTION);
    text.push_str(&subjects(&study.projects).to_markdown());
    let section = |text: &mut String, title: &str, about: &str| {
        text.push_str(&format!("\n## {title}\n\n{about}"));
    };
    if !study.agreements.is_empty() {
        section(&mut text, "The prototype's choices, one by one", prose::AGREEMENT);
        text.push_str(&agreement_table(&study.agreements).to_markdown());
        text.push_str(&agreement_summary(&study.agreements));
    }
    section(&mut text, "Figure 3: time saved and results kept", prose::FIGURE_3);
    text.push_str(&format!("![Figure 3]({stem}-figure-3.svg)\n\n"));
    let (known, others): (Vec<&Studied>, Vec<&Studied>) =
        study.projects.iter().partition(|project| project.symbol.is_some());
    text.push_str(&bars::savings_table(&known, &|findings| &findings.outcomes, false).to_markdown());
    text.push_str(&bars::differences(&known));
    text.push_str(&format!("\n![What a metric saves and keeps]({stem}-trade-off.svg)\n"));
    section(&mut text, "The same by the paper's own definitions", prose::PAPER_MODE);
    text.push_str(&bars::modes_table(&known).to_markdown());
    if !others.is_empty() {
        section(&mut text, "Projects that the paper leaves out", prose::OTHERS);
        text.push_str(&bars::savings_table(&others, &|findings| &findings.outcomes, false).to_markdown());
    }
    section(&mut text, "Research question 2: do the metrics differ?", prose::METRICS);
    text.push_str(&metrics::kruskal_table(&study.projects).to_markdown());
    text.push('\n');
    text.push_str(&metrics::rmad_table(&study.projects).to_markdown());
    section(&mut text, "Figure 4: with warm-up", prose::FIGURE_4);
    text.push_str(&format!("![Figure 4]({stem}-figure-4.svg)\n\n"));
    let warm: Vec<&Studied> = known.iter().copied().filter(|one| !one.prototype.warm.is_empty()).collect();
    text.push_str(&bars::savings_table(&warm, &|findings| &findings.warm, true).to_markdown());
    section(&mut text, "Tables 2 and 3: changes between versions", prose::CHANGES);
    text.push_str(&changes::changes_table(&study.projects, &|project| &project.prototype).to_markdown());
    section(&mut text, "The same changes by the paper's own definitions", prose::CHANGES_PAPER_MODE);
    text.push_str(&changes::changes_table(&study.projects, &|project| &project.paper).to_markdown());
    text.push_str(&changes::pairs(&study.projects));
    text.push_str(&remarks(&study.remarks));
    text
}

fn subjects(projects: &[Studied]) -> Table {
    let mut table = Table::new(&["project", "data set", "versions", "newest", "benchmarks"]);
    for project in projects {
        table.row(vec![
            project.title(),
            project.set.number.to_string(),
            project.versions.to_string(),
            project.newest.clone(),
            project.benchmarks.to_string(),
        ]);
    }
    table
}

fn agreement_table(agreements: &[Agreement]) -> Table {
    let mut table = Table::new(&[
        "version",
        "metric",
        "benchmarks",
        "equal, in its mode",
        "time, points",
        "equal, replayed",
        "saved, replayed %",
    ]);
    for one in agreements {
        let equal = |found: &Match| match one.is_against_replay {
            true => "replayed".into(),
            false => found.equal.to_string(),
        };
        let replayed = one.replayed.as_ref().map_or_else(|| "—".into(), equal);
        let saved = one
            .replayed_seconds
            .map_or_else(|| "—".into(), |(chosen, full)| format!("{:.2}", 100.0 * (1.0 - chosen / full)));
        table.row(vec![
            one.version.clone(),
            one.metric.into(),
            one.benchmarks.to_string(),
            one.usual.equal.to_string(),
            format!("{:+.2}", 100.0 * one.usual.seconds_off),
            replayed,
            saved,
        ]);
    }
    table
}

fn agreement_summary(agreements: &[Agreement]) -> String {
    let published = || agreements.iter().filter(|one| !one.is_against_replay);
    let benchmarks: usize = published().map(|one| one.benchmarks).sum();
    let equal: usize = published().map(|one| one.usual.equal).sum();
    let mut text = format!(
        "\nIn its mode the choice is the package's for {equal} of {benchmarks} ({:.2} %).",
        100.0 * equal as f64 / benchmarks as f64
    );
    let replayed: Vec<(&Match, usize)> =
        published().filter_map(|one| Some((one.replayed.as_ref()?, one.benchmarks))).collect();
    let (equal, of): (usize, usize) =
        (replayed.iter().map(|(found, _)| found.equal).sum(), replayed.iter().map(|(_, of)| of).sum());
    let sets = agreement::SETS;
    write!(text, " Replayed, it is so for {equal} of {of}.\n\nWhere it is another one, and how many of {sets} further sets of resamples choose as ours and as theirs:\n\n")
        .expect("writing to a string does not fail");
    for one in agreements {
        for differing in &one.usual.differing {
            let (version, metric) = (&one.version, one.metric);
            let Differing { name, ours, theirs, off, sets } = differing;
            writeln!(
                text,
                "- {version} {metric} `{name}`: {ours} ({}), theirs {theirs} ({}); {:+.2} points",
                sets.0,
                sets.1,
                100.0 * off
            )
            .expect("writing to a string does not fail");
        }
    }
    text
}

/// Maximum number of remarks to show. Files with duplicate names cause hundreds of them.
const MOST_REMARKS: usize = 20;

fn remarks(remarks: &[String]) -> String {
    if remarks.is_empty() {
        return String::new();
    }
    let mut text = format!(
        "\n<details>\n<summary>What the reader says about the data ({} remarks)</summary>\n\n",
        remarks.len()
    );
    remarks.iter().take(MOST_REMARKS).for_each(|remark| text.push_str(&format!("- {remark}\n")));
    if remarks.len() > MOST_REMARKS {
        text.push_str(&format!("- and {} more of these\n", remarks.len() - MOST_REMARKS));
    }
    text.push_str("\n</details>\n");
    text
}
