//! A Markdown comment: what is saved, what is unstable, and the rest folded.

use std::io::{self, Write};

use benchwright_analysis::reduce::Why;

use super::{ReducedBenchmark, ReductionReport, saved, words};
use crate::escape::markdown as escape;
use crate::scale;

/// Maximum number of rows of one table. Comments have a size limit.
const MOST_ROWS: usize = 300;

pub(super) fn write(report: &ReductionReport, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "**{}**\n", escape(&words::summary(report)))?;
    for (name, text) in words::conditions(report) {
        writeln!(out, "- {name}: {}", escape(&text))?;
    }
    let unstable: Vec<&ReducedBenchmark> =
        report.benchmarks.iter().filter(|one| one.why == Why::Unstable).collect();
    if !unstable.is_empty() {
        writeln!(out, "\n**Unstable at full size**\n")?;
    }
    for benchmark in unstable {
        writeln!(out, "- {}: {}", escape(&benchmark.name), escape(&words::unstable(benchmark)))?;
    }
    write_table(report, out)?;
    if !report.diagnostics.is_empty() {
        writeln!(out, "\n<details><summary>Notes ({})</summary>\n", report.diagnostics.len())?;
        for diagnostic in &report.diagnostics {
            writeln!(out, "- {}", escape(&diagnostic.to_string()))?;
        }
        writeln!(out, "\n</details>")?;
    }
    Ok(())
}

fn write_table(report: &ReductionReport, out: &mut dyn Write) -> io::Result<()> {
    if report.benchmarks.is_empty() {
        return Ok(());
    }
    let metric = words::metric_heading(report);
    writeln!(out, "\n| benchmark | before | after | saved | levels | {metric} | off | why |")?;
    writeln!(out, "|:--|--:|--:|--:|:--|--:|--:|:--|")?;
    for benchmark in report.benchmarks.iter().take(MOST_ROWS) {
        let reduction = &benchmark.reduction;
        let (before, after) = (reduction.full.total_seconds(), reduction.chosen.total_seconds());
        writeln!(
            out,
            "| {} | {} | {} | {} | {} | {} | {} | {} |",
            escape(&title(report, benchmark)),
            words::seconds(before),
            words::seconds(after),
            scale::share(saved(before, after)),
            words::levels(report, benchmark),
            words::metric_text(report, benchmark),
            scale::change(reduction.change()),
            benchmark.why.word(),
        )?;
    }
    match report.benchmarks.len().saturating_sub(MOST_ROWS) {
        0 => Ok(()),
        more => writeln!(out, "\n… and {more} more"),
    }
}

/// The name, with its source if there are several.
fn title(report: &ReductionReport, benchmark: &ReducedBenchmark) -> String {
    match report.sources.get(benchmark.source) {
        Some(source) if report.sources.len() > 1 => format!("{} · {}", source.project, benchmark.name),
        _ => benchmark.name.clone(),
    }
}
