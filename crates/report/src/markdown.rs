//! A comment on a pull request: one line with the result, a table of everything that needs attention, and the
//! rest folded.

use std::collections::BTreeSet;
use std::io::{self, Write};

use benchwright_model::{Comparison, Finding, Reason, Verdict};

use crate::escape::markdown as escape;
use crate::gate::Gate;
use crate::overview::{self, Overview, plural};
use crate::remarks::{self, Failed};
use crate::{legend, scale};

/// The first line of every comment. It is used to find and replace an earlier comment.
pub const MARKER: &str = "<!-- benchwright -->";

/// Maximum number of rows of one table. Comments have a size limit.
const MOST_ROWS: usize = 200;

/// Maximum number of undecided rows, those with the largest change. The others are counted by reason.
const MOST_UNDECIDED: usize = 20;

/// Benchmarks with failed trials that are shown.
const MOST_FAILED: usize = 20;

/// Number of lines of a failed trial's output that are shown.
const LAST_WORDS: usize = 12;

/// Writes the comment.
pub fn write(comparison: &Comparison, out: &mut dyn Write) -> io::Result<()> {
    let overview = Overview::of(comparison);
    writeln!(out, "{MARKER}")?;
    write_summary(comparison, &overview, out)?;
    if let Some(complaint) = Gate::complaint(comparison) {
        writeln!(out, "\n**{complaint}**")?;
    }
    let is_same = |finding: &&&Finding| finding.verdict == Verdict::Same;
    let (unmeasured, different): (Vec<&Finding>, Vec<&Finding>) = overview
        .measured
        .iter()
        .filter(|f| !is_same(f))
        .copied()
        .partition(|finding| overview::is_unmeasured(finding));
    let (open, changed): (Vec<&Finding>, Vec<&Finding>) =
        different.into_iter().partition(|finding| overview::is_open(finding));
    let same: Vec<&Finding> = overview.measured.iter().filter(is_same).copied().collect();
    let folded = open.len().saturating_sub(MOST_UNDECIDED);
    let shown: Vec<&Finding> = [&changed[..], &open[..open.len() - folded]].concat();
    if !shown.is_empty() {
        writeln!(out)?;
        write_table(&shown, &overview, out)?;
    }
    if folded > 0 {
        writeln!(out, "\n… and {folded} more undecided")?;
    }
    if !overview.changed_counts.is_empty() {
        let noun = if overview.changed_noun() == "count" { "Counts" } else { "Other metrics" };
        writeln!(out, "\n**{noun} that changed**\n")?;
        write_table(&overview.changed_counts, &overview, out)?;
    }
    write_legend(&shown, &overview, out)?;
    write_undecided(&open, out)?;
    write_reasons("Not measured", &unmeasured, out)?;
    write_failures(comparison, out)?;
    write_folded(&format!("{} the same", same.len()), same.len(), out, |out| {
        write_table(&same, &overview, out)
    })?;
    write_names("Added", &comparison.added, out)?;
    write_names("Removed", &comparison.removed, out)?;
    let notes = remarks::condensed(&comparison.diagnostics);
    write_folded("Notes", notes.len(), out, |out| {
        for diagnostic in &notes {
            writeln!(out, "- {}", escape(&diagnostic.to_string()))?;
        }
        Ok(())
    })?;
    write_conditions(comparison, &overview, out)
}

fn write_summary(comparison: &Comparison, overview: &Overview<'_>, out: &mut dyn Write) -> io::Result<()> {
    let run = &comparison.run;
    let versions = match &run.base {
        Some(base) => format!("{} → {}", escape(&base.title()), escape(&run.head.title())),
        None => escape(&run.head.title()),
    };
    write!(out, "**{}**", overview.counts.sentence())?;
    if let Some((change, _)) = overview.geomean() {
        write!(out, " · geomean {}", scale::change(change))?;
    }
    write!(out, " · {versions}")?;
    if !comparison.failures.is_empty() {
        let failed: BTreeSet<_> = comparison.failures.iter().map(|failure| &failure.benchmark).collect();
        write!(out, " · {} with failed trials", plural(failed.len(), "benchmark"))?;
    }
    if comparison.is_partial {
        write!(out, " · partial: the run ended before every benchmark was decided")?;
    }
    writeln!(out)
}

fn write_table(findings: &[&Finding], overview: &Overview<'_>, out: &mut dyn Write) -> io::Result<()> {
    let effort = overview.effort_heading();
    writeln!(out, "| | benchmark | base | head | change | interval | {effort} |")?;
    writeln!(out, "|:--|:--|--:|--:|--:|:--|--:|")?;
    for finding in findings.iter().take(MOST_ROWS) {
        let name = overview::row_name(&finding.benchmark, &finding.metric);
        let package = if overview.has_packages() {
            format!("{} · ", escape(&finding.benchmark.package))
        } else {
            String::new()
        };
        let (base, head) = sides(finding);
        writeln!(
            out,
            "| {} | {package}{} | {base} | {head} | {} | {} | {} |",
            verdict(finding),
            escape(&name),
            escape(&overview::starred_change(finding)),
            escape(&overview::interval_text(finding)),
            overview.effort_text(finding),
        )?;
    }
    match findings.len().saturating_sub(MOST_ROWS) {
        0 => Ok(()),
        more => writeln!(out, "\n… and {more} more"),
    }
}

/// The verdict's word with a symbol.
fn verdict(finding: &Finding) -> String {
    let word = overview::verdict_word(finding);
    match finding.verdict {
        Verdict::Slower if finding.fails => format!("🔴 **{word}**"),
        Verdict::Slower => match &finding.accepted {
            Some(reason) => format!("🟠 {word}, accepted: {}", escape(reason)),
            None => format!("🟠 {word}"),
        },
        Verdict::Faster => format!("🟢 {word}"),
        Verdict::Changed => format!("🔵 {word}"),
        Verdict::Undecided | Verdict::NotMeasured => format!("⚪ {word}"),
        Verdict::Same if finding.reason == Reason::IdenticalBuild => format!("{word} (identical build)"),
        Verdict::Same => word.to_owned(),
    }
}

fn sides(finding: &Finding) -> (String, String) {
    let (base, head) = overview::values(finding);
    let with_spread = |text: String, side: &Option<benchwright_model::Summary>| match side {
        Some(side) if side.trials > 1 && finding.reason != Reason::Exact => {
            format!("{text} {}", scale::spread(side.spread))
        }
        _ => text,
    };
    (with_spread(base, &finding.base), with_spread(head, &finding.head))
}

/// The meaning of the table's abbreviations.
fn write_legend(rows: &[&Finding], overview: &Overview<'_>, out: &mut dyn Write) -> io::Result<()> {
    let rows: Vec<&Finding> = rows.iter().chain(&overview.changed_counts).copied().collect();
    let lines: Vec<String> =
        legend::legend(&rows, overview, "change").iter().map(|line| escape(line)).collect();
    if lines.is_empty() { Ok(()) } else { writeln!(out, "\n<sub>{}</sub>", lines.join("<br>")) }
}

fn write_undecided(open: &[&Finding], out: &mut dyn Write) -> io::Result<()> {
    if open.len() > MOST_UNDECIDED {
        return write_reasons("Why undecided", open, out);
    }
    write_folded("Why undecided", open.len(), out, |out| {
        for finding in open {
            let name = overview::row_name(&finding.benchmark, &finding.metric);
            writeln!(out, "- {}: {}", escape(&name), escape(&finding.reason.describe()))?;
        }
        Ok(())
    })
}

/// The number of findings for each reason.
fn write_reasons(title: &str, findings: &[&Finding], out: &mut dyn Write) -> io::Result<()> {
    write_folded(title, findings.len(), out, |out| {
        for (reason, members) in legend::by_reason(findings) {
            writeln!(out, "- {}: {}", plural(members.len(), "benchmark"), escape(&reason))?;
        }
        Ok(())
    })
}

fn write_failures(comparison: &Comparison, out: &mut dyn Write) -> io::Result<()> {
    let entries = remarks::failed(&comparison.failures, "failed trial");
    write_folded("Failed trials", entries.len(), out, |out| {
        for Failed { failure, trials, is_alike } in entries.iter().take(MOST_FAILED) {
            let name = escape(&failure.benchmark.to_string());
            let alike = if *is_alike { format!("; {}", remarks::ALIKE) } else { String::new() };
            writeln!(out, "- {name}: {trials}: {}{}", escape(&failure.kind.describe()), escape(&alike))?;
            let words = overview::telling(&failure.detail, LAST_WORDS);
            if !words.is_empty() {
                // HTML instead of a code fence, which text could end early.
                let lines: Vec<String> = words.into_iter().map(crate::escape::html).collect();
                writeln!(out, "  <pre>{}</pre>", lines.join("<br>"))?;
            }
        }
        match entries.len().saturating_sub(MOST_FAILED) {
            0 => Ok(()),
            more => writeln!(out, "\n… and {more} more"),
        }
    })
}

fn write_names(title: &str, ids: &[benchwright_model::BenchmarkId], out: &mut dyn Write) -> io::Result<()> {
    write_folded(title, ids.len(), out, |out| {
        ids.iter().try_for_each(|id| writeln!(out, "- {}", escape(&id.to_string())))
    })
}

fn write_conditions(comparison: &Comparison, overview: &Overview<'_>, out: &mut dyn Write) -> io::Result<()> {
    let machine = escape(&overview::machine(&comparison.run));
    let rule = escape(&overview::rule(comparison, overview));
    let layouts = overview::layouts(comparison).map(|note| format!(" · {note}")).unwrap_or_default();
    writeln!(out, "\n<sub>{} · {machine} · rule {rule}{layouts}</sub>", overview::summary_line(comparison))
}

/// A part that is folded at first. Nothing is written without entries.
fn write_folded(
    title: &str,
    entries: usize,
    out: &mut dyn Write,
    body: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    if entries == 0 {
        return Ok(());
    }
    let starts_with_number = title.starts_with(|c: char| c.is_ascii_digit());
    let count = if starts_with_number { String::new() } else { format!(" ({entries})") };
    writeln!(out, "\n<details><summary>{title}{count}</summary>\n")?;
    body(out)?;
    writeln!(out, "\n</details>")
}
