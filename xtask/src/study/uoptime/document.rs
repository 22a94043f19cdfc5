//! The document: every figure and table of the paper with ours beside it.

use std::fmt::Write as _;

use benchwright_analysis::reduce::changes::Spread;
use benchwright_analysis::reduce::judgement::{Difference, effect_word};

use super::agreement::{Agreement, Match};
use super::prose;
use super::published;
use super::repeat::{Findings, Studied, Study};
use super::savings::Outcome;
use crate::study::markdown::{Table, percent, probability};

/// The whole text; `stem` is the beginning of the pictures' names.
pub(super) fn document(study: &Study, stem: &str) -> String {
    let mut text = String::from(prose::INTRODUCTION);
    text.push_str(&subjects(&study.projects).to_markdown());
    let section = |text: &mut String, title: &str, about: &str| {
        write!(text, "\n## {title}\n\n{about}").expect("writing to a string does not fail");
    };
    if !study.agreements.is_empty() {
        section(&mut text, "The prototype's choices, one by one", prose::AGREEMENT);
        text.push_str(&agreement_table(&study.agreements).to_markdown());
        text.push_str(&agreement_summary(&study.agreements));
    }
    section(&mut text, "Figure 3: time saved and results kept", prose::FIGURE_3);
    write!(text, "![Figure 3]({stem}-figure-3.svg)\n\n").expect("writing to a string does not fail");
    let (known, others): (Vec<&Studied>, Vec<&Studied>) =
        study.projects.iter().partition(|project| project.symbol.is_some());
    text.push_str(&savings_table(&known, &|findings| &findings.outcomes, false).to_markdown());
    text.push_str(&differences(&known));
    write!(text, "\n![What a metric saves and keeps]({stem}-trade-off.svg)\n").expect("writing to a string does not fail");
    section(&mut text, "The same by the paper's own definitions", prose::PAPER_MODE);
    text.push_str(&modes_table(&known).to_markdown());
    if !others.is_empty() {
        section(&mut text, "Projects that the paper leaves out", prose::OTHERS);
        text.push_str(&savings_table(&others, &|findings| &findings.outcomes, false).to_markdown());
    }
    section(&mut text, "Research question 2: do the metrics differ?", prose::METRICS);
    text.push_str(&kruskal_table(&study.projects).to_markdown());
    text.push('\n');
    text.push_str(&rmad_table(&study.projects).to_markdown());
    section(&mut text, "Figure 4: with warm-up", prose::FIGURE_4);
    write!(text, "![Figure 4]({stem}-figure-4.svg)\n\n").expect("writing to a string does not fail");
    let warm: Vec<&Studied> = known.iter().copied().filter(|one| !one.prototype.warm.is_empty()).collect();
    text.push_str(&savings_table(&warm, &|findings| &findings.warm, true).to_markdown());
    section(&mut text, "Tables 2 and 3: changes between versions", prose::CHANGES);
    text.push_str(&changes_table(&study.projects, &|project| &project.prototype).to_markdown());
    section(&mut text, "The same changes by the paper's own definitions", prose::CHANGES_PAPER_MODE);
    text.push_str(&changes_table(&study.projects, &|project| &project.paper).to_markdown());
    text.push_str(&pairs(&study.projects));
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
    let mut table =
        Table::new(&["version", "metric", "benchmarks", "equal, usual choice", "time, points", "equal, replayed"]);
    for one in agreements {
        let replayed = one.replayed.as_ref().map_or_else(|| "—".into(), |found| found.equal.to_string());
        table.row(vec![
            one.version.clone(),
            one.metric.into(),
            one.benchmarks.to_string(),
            one.usual.equal.to_string(),
            format!("{:+.2}", 100.0 * one.usual.seconds_off),
            replayed,
        ]);
    }
    table
}

fn agreement_summary(agreements: &[Agreement]) -> String {
    let benchmarks: usize = agreements.iter().map(|one| one.benchmarks).sum();
    let equal: usize = agreements.iter().map(|one| one.usual.equal).sum();
    let mut text = format!(
        "\nThe usual choice is the prototype's for {equal} of {benchmarks} ({:.1} %).",
        100.0 * equal as f64 / benchmarks as f64
    );
    let replayed: Vec<(&Match, usize)> =
        agreements.iter().filter_map(|one| Some((one.replayed.as_ref()?, one.benchmarks))).collect();
    let (equal, of): (usize, usize) =
        (replayed.iter().map(|(found, _)| found.equal).sum(), replayed.iter().map(|(_, of)| of).sum());
    write!(text, " Replayed, it is so for {equal} of {of}.\n\nWhere the usual choice is another one:\n\n")
        .expect("writing to a string does not fail");
    for one in agreements {
        for (name, ours, theirs, off) in &one.usual.differing {
            let (version, metric) = (&one.version, one.metric);
            writeln!(text, "- {version} {metric} `{name}`: {ours}, theirs {theirs} ({:+.2} points)", 100.0 * off)
                .expect("writing to a string does not fail");
        }
    }
    text
}

/// Which outcomes of a project a table shows.
type Select<'a> = &'a dyn Fn(&Findings) -> &Vec<Outcome>;

fn savings_table(projects: &[&Studied], select: Select<'_>, has_warmup: bool) -> Table {
    let mut table = Table::new(&[
        "project", "chosen by", "full s", "chosen s", "saved %", "paper", "≤ 1 %", "paper", "≤ 3 %", "paper", "≤ 5 %", "paper",
        "≤ 10 %", "worst interval ends %",
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
            cells.push(outcome.worst_ends.map_or_else(|| "—".into(), |(lo, hi)| format!("{} / {}", bound(lo), bound(hi))));
            table.row(cells);
        }
    }
    table
}

/// A relative difference in percent; the studentised interval of three values is not worth its digits.
fn bound(share: f64) -> String {
    if share > 100.0 { format!("{:.0e}", 100.0 * share) } else { format!("{:.1}", 100.0 * share) }
}

/// Every bar of figure 3 that is not the published one.
fn differences(projects: &[&Studied]) -> String {
    let mut lines = Vec::new();
    for project in projects {
        let Some(bars) = project.symbol.and_then(published::figure_3) else { continue };
        for (outcome, (saved, within)) in project.prototype.outcomes.iter().zip(bars) {
            let off = outcome.judgement.saved() - saved;
            let kept: Vec<f64> = outcome.within.iter().zip(within).map(|(ours, theirs)| ours - theirs).collect();
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

fn modes_table(projects: &[&Studied]) -> Table {
    let mut table = Table::new(&[
        "project", "metric", "saved %, prototype", "saved %, paper", "≤ 1 %, prototype", "≤ 1 %, paper", "≤ 3 %, prototype",
        "≤ 3 %, paper", "unstable, prototype", "unstable, paper",
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

fn kruskal_table(projects: &[Studied]) -> Table {
    let mut table =
        Table::new(&["project", "H", "p", "paper's H", "paper's p", "groups", "pairs with p < 0.01 after Bonferroni"]);
    for project in projects {
        let Some(difference) = &project.prototype.difference else { continue };
        let published = project.symbol.and_then(published::kruskal);
        table.row(vec![
            project.title(),
            format!("{:.2}", difference.h),
            probability(difference.p),
            published.map_or_else(|| "—".into(), |(h, ..)| format!("{h:.2}")),
            published.map_or_else(|| "—".into(), |(_, p, _)| probability(p)),
            published.map_or_else(|| "—".into(), |(.., groups)| groups.to_string()),
            significant(project, difference),
        ]);
    }
    table
}

/// The metrics of figure 3, after the baselines.
fn metric_name(project: &Studied, index: usize) -> &'static str {
    project.prototype.outcomes[4 + index].method
}

fn significant(project: &Studied, difference: &Difference) -> String {
    // Pairs are only looked at where the metrics differ at all.
    if difference.p >= 0.01 {
        return "none: no difference over all".into();
    }
    let pairs = difference.pairs.iter().filter(|pair| pair.p < 0.01).map(|pair| {
        let (first, second) = (metric_name(project, pair.metrics.0), metric_name(project, pair.metrics.1));
        format!("{first}–{second} {:+.2} {}", pair.delta, effect_word(pair.delta))
    });
    pairs.collect::<Vec<_>>().join("; ")
}

/// Every metric against RMAD where the paper has pairs.
fn rmad_table(projects: &[Studied]) -> Table {
    let mut table = Table::new(&["project", "pair", "p alone", "paper", "Cliff's delta", "paper", "size"]);
    for project in projects {
        let Some(difference) = project.prototype.difference.as_ref().filter(|_| project.set.number == 2) else { continue };
        for pair in &difference.pairs {
            let (first, second) = (metric_name(project, pair.metrics.0), metric_name(project, pair.metrics.1));
            let (metric, delta) = match (first, second) {
                (other, "RMAD") => (other, pair.delta),
                ("RMAD", other) => (other, -pair.delta),
                _ => continue,
            };
            let published = project.symbol.and_then(|symbol| published::against_rmad(symbol, metric));
            table.row(vec![
                project.title(),
                format!("{metric}–RMAD"),
                probability(pair.p_alone),
                published.map_or_else(|| "—".into(), |(p, _)| probability(p)),
                format!("{delta:+.3}"),
                published.map_or_else(|| "—".into(), |(_, delta)| format!("{delta:+.3}")),
                effect_word(delta).into(),
            ]);
        }
    }
    table
}

fn changes_table(projects: &[Studied], select: &dyn Fn(&Studied) -> &Findings) -> Table {
    let mut table = Table::new(&[
        "project", "method", "pairs", "paper", "benchmarks", "full", "paper", "chosen", "paper", "found", "missed", "false", "FPR %",
        "paper", "FNR %", "paper",
    ]);
    for project in projects {
        for (index, forward) in select(project).forward.iter().enumerate() {
            let Some(rates) = forward.rates else { continue };
            let published = project.symbol.and_then(published::table).map(|rows| rows[index]);
            let or_dash = |text: Option<String>| text.unwrap_or_else(|| "—".into());
            let compared: Vec<u32> = forward.pairs.iter().map(|pair| pair.confusion.compared()).collect();
            let (least, most) = (compared.iter().min().unwrap_or(&0), compared.iter().max().unwrap_or(&0));
            table.row(vec![
                if index == 0 { project.title() } else { String::new() },
                forward.method.into(),
                forward.pairs.len().to_string(),
                or_dash(published.map(|row| row.pairs.to_string())),
                if least == most { least.to_string() } else { format!("{least}–{most}") },
                rates.total.full_changes().to_string(),
                or_dash(published.map(|row| row.full.to_string())),
                rates.total.chosen_changes().to_string(),
                or_dash(published.map(|row| row.chosen.to_string())),
                rates.total.found.to_string(),
                rates.total.missed.to_string(),
                rates.total.false_alarms.to_string(),
                spread(rates.false_positive),
                or_dash(published.map(|row| row.false_positive.to_string())),
                spread(rates.false_negative),
                or_dash(published.map(|row| row.false_negative.to_string())),
            ]);
        }
    }
    table
}

/// `0–3.57 (0)`: range and median in percent, as the paper prints it.
fn spread(spread: Spread) -> String {
    let short = |share: f64| {
        let text = format!("{:.2}", 100.0 * share);
        text.trim_end_matches('0').trim_end_matches('.').to_string()
    };
    let (least, greatest, median) = (short(spread.least), short(spread.greatest), short(spread.median));
    if least == greatest { format!("{least} ({median})") } else { format!("{least}–{greatest} ({median})") }
}

/// Every pair of versions, folded away.
fn pairs(projects: &[Studied]) -> String {
    let mut text = String::from("\n<details>\n<summary>Every pair of versions, µOpTime by the prototype's definitions</summary>\n\n");
    let mut table =
        Table::new(&["project", "from", "to", "benchmarks", "full", "chosen", "missed", "false", "FPR %", "FNR %"]);
    for project in projects {
        let Some(forward) = project.prototype.forward.iter().find(|one| one.method == "µOpTime") else { continue };
        for pair in &forward.pairs {
            let confusion = &pair.confusion;
            table.row(vec![
                project.title(),
                pair.versions.0.clone(),
                pair.versions.1.clone(),
                confusion.compared().to_string(),
                confusion.full_changes().to_string(),
                confusion.chosen_changes().to_string(),
                confusion.missed.to_string(),
                confusion.false_alarms.to_string(),
                percent(Some(confusion.false_positive_rate())),
                percent(Some(confusion.false_negative_rate())),
            ]);
        }
    }
    text.push_str(&table.to_markdown());
    text.push_str("\n</details>\n");
    text
}

fn remarks(remarks: &[String]) -> String {
    if remarks.is_empty() {
        return String::new();
    }
    let mut text = format!("\n<details>\n<summary>What the reader says about the data ({} remarks)</summary>\n\n", remarks.len());
    remarks.iter().for_each(|remark| text.push_str(&format!("- {remark}\n")));
    text.push_str("\n</details>\n");
    text
}
