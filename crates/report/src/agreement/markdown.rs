//! A Markdown comment: the numbers, the disagreements, and the rest folded.

use std::io::{self, Write};

use benchwright_analysis::agree::{Pair, Repeats};

use super::{AgreementReport, words};
use crate::escape::markdown as escape;

/// Maximum number of rows of one table. Comments have a size limit.
const MOST_ROWS: usize = 300;

pub(super) fn write(report: &AgreementReport, out: &mut dyn Write) -> io::Result<()> {
    for (name, text) in words::heading(report) {
        writeln!(out, "- {name}: {}", escape(&text))?;
    }
    writeln!(out)?;
    for (name, text) in words::totals(report) {
        let name = if name.is_empty() { "coverage" } else { name };
        writeln!(out, "- **{name}** {}", escape(&text))?;
    }
    let rows: Vec<(&Pair, &[Option<Repeats>; 2])> = report.found.pairs.iter().zip(&report.repeats).collect();
    let (agreeing, disagreeing): (Vec<_>, Vec<_>) =
        rows.into_iter().partition(|(pair, _)| pair.agreement().agrees());
    if !disagreeing.is_empty() {
        writeln!(out, "\n**Disagree**\n")?;
        write_table(&disagreeing, out)?;
    }
    if !agreeing.is_empty() {
        writeln!(out, "\n<details><summary>Agree ({})</summary>\n", agreeing.len())?;
        write_table(&agreeing, out)?;
        writeln!(out, "\n</details>")?;
    }
    for (name, benchmarks) in
        [("Only in the first", &report.found.only_first), ("Only in the second", &report.found.only_second)]
    {
        if !benchmarks.is_empty() {
            let names: Vec<String> = benchmarks.iter().map(|id| escape(&id.to_string())).collect();
            writeln!(out, "\n{name}: {}", names.join(", "))?;
        }
    }
    for diagnostic in &report.diagnostics {
        writeln!(out, "\n- {}", escape(&diagnostic.to_string()))?;
    }
    Ok(())
}

fn write_table(rows: &[(&Pair, &[Option<Repeats>; 2])], out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "| benchmark | first | interval | second | interval | verdict | covered | needed | agree |"
    )?;
    writeln!(out, "|:--|--:|:--|--:|:--|:--|:--|--:|:--|")?;
    for (pair, repeats) in rows.iter().take(MOST_ROWS) {
        writeln!(
            out,
            "| {} | {} | {} | {} | {} | {} | {} | {} | {} |",
            escape(&pair.first.benchmark.to_string()),
            words::change(&pair.first),
            escape(&words::interval(&pair.first)),
            words::change(&pair.second),
            escape(&words::interval(&pair.second)),
            words::verdicts(pair),
            words::covered(pair),
            words::needed(repeats),
            words::agreement(pair),
        )?;
    }
    match rows.len().saturating_sub(MOST_ROWS) {
        0 => Ok(()),
        more => writeln!(out, "\n… and {more} more"),
    }
}
