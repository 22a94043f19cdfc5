//! What stop rules saved per benchmark, and why they stopped: as a table, for programs and on a page.

use std::io::{self, Write};

use benchwright_analysis::{StopSummary, stops};
use benchwright_model::{Metric, Trial};
use serde::Serialize;

use crate::escape::{html, terminal};
use crate::overview::row_name;
use crate::scale;
use crate::text::{Align, Cell, Column, Line, Lines, Palette, Table, Tone};

/// Writes a table and the reasons below it, after a blank line. Nothing is written if no rule was used.
pub(crate) fn write_text(
    trials: &[Trial],
    limit: usize,
    palette: Palette,
    out: &mut dyn Write,
) -> io::Result<()> {
    let all = stops(trials);
    if all.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    let columns = vec![
        Column::new("stopped", Align::Left, None),
        Column::new("rule", Align::Left, Some(1)),
        Column::new("warm-up", Align::Right, None),
        Column::new("measured", Align::Right, Some(2)),
        Column::new("steady", Align::Right, Some(3)),
        Column::new("in all", Align::Right, Some(4)),
        Column::new("configured", Align::Right, Some(0)),
        Column::new("saved", Align::Right, None),
    ];
    let lines = all.iter().map(|summary| Line::Row(cells(summary))).collect();
    Table { columns, lines }.write(limit, palette, out)?;
    let mut prose = Lines { limit, palette, out };
    for (names, why) in reasons(&all) {
        prose.prose("  ", &format!("{names}: {why}"), Tone::Dim)?;
    }
    Ok(())
}

fn cells(summary: &StopSummary) -> Vec<Cell> {
    let tone = if summary.unsteady > 0 { Tone::Doubt } else { Tone::Plain };
    let configured = summary.configured.map(scale::duration).unwrap_or_default();
    let steady = match summary.steady + summary.unsteady {
        // The rule did not examine iterations.
        0 => summary.processes.to_string(),
        _ => format!("{} of {}", summary.steady, summary.processes),
    };
    vec![
        Cell::new(terminal(&name(summary))),
        Cell::new(terminal(&summary.rule)),
        Cell::new(scale::duration(summary.warmup)),
        Cell::new(scale::duration(summary.measured)),
        Cell::toned(steady, tone),
        Cell::new(scale::duration(summary.time)),
        Cell::new(configured),
        Cell::new(summary.saved().map(saved).unwrap_or_default()),
    ]
}

fn name(summary: &StopSummary) -> String {
    row_name(&summary.benchmark, &Metric::time())
}

/// The saved share, `82%`, or the additional time: `+12%`.
fn saved(ratio: f64) -> String {
    if ratio < 0.0 { format!("+{}", scale::share(-ratio)) } else { scale::share(ratio) }
}

/// Why processes stopped, and why there were no more of them. Benchmarks with the same reason share a line.
fn reasons(all: &[StopSummary]) -> Vec<(String, String)> {
    let mut lines: Vec<(Vec<String>, String)> = Vec::new();
    for summary in all {
        let why = match &summary.enough {
            Some(enough) => format!("{}; {} processes: {enough}", summary.reason, summary.processes),
            None => summary.reason.clone(),
        };
        match lines.iter_mut().find(|(_, known)| *known == why) {
            Some((names, _)) => names.push(name(summary)),
            None => lines.push((vec![name(summary)], why)),
        }
    }
    lines.into_iter().map(|(names, why)| (names.join(", "), why)).collect()
}

/// Writes a section of a page. Nothing is written if no rule was used.
pub(crate) fn write_html(trials: &[Trial], out: &mut dyn Write) -> io::Result<()> {
    let all = stops(trials);
    if all.is_empty() {
        return Ok(());
    }
    writeln!(
        out,
        "<section><h2>Warm-up</h2><p class=\"lead\">Medians per process; “configured” is what the suite's own numbers of \
         iterations would have taken in as many processes.</p><div class=\"scroll\"><table><thead><tr><th>benchmark</th>\
         <th>rule</th><th class=\"num\">warm-up</th><th class=\"num\">measured</th><th class=\"num\">steady</th>\
         <th class=\"num\">in all</th><th class=\"num\">configured</th><th class=\"num\">saved</th><th>why it stopped</th></tr></thead><tbody>"
    )?;
    for summary in &all {
        writeln!(
            out,
            "<tr><td class=\"mono\">{}</td><td>{}</td>",
            html(&name(summary)),
            html(&summary.rule)
        )?;
        for cell in &cells(summary)[2..] {
            writeln!(out, "<td class=\"num\">{}</td>", html(&cell.text))?;
        }
        writeln!(out, "<td>{}</td></tr>", html(&summary.reason))?;
    }
    writeln!(out, "</tbody></table></div></section>")
}

/// A summary for programs. Times are seconds.
#[derive(Serialize)]
pub(crate) struct StopWire {
    harness: String,
    package: String,
    name: String,
    rule: String,
    processes: u32,
    steady: u32,
    unsteady: u32,
    warmup_secs: f64,
    measured_secs: f64,
    total_secs: f64,
    configured_secs: Option<f64>,
    saved_ratio: Option<f64>,
    reason: String,
    enough: Option<String>,
}

/// The summaries of a run's trials.
pub(crate) fn wires(trials: &[Trial]) -> Vec<StopWire> {
    stops(trials).into_iter().map(StopWire::from).collect()
}

impl From<StopSummary> for StopWire {
    fn from(summary: StopSummary) -> Self {
        StopWire {
            saved_ratio: summary.saved(),
            harness: summary.benchmark.harness,
            package: summary.benchmark.package,
            name: summary.benchmark.name,
            rule: summary.rule,
            processes: summary.processes,
            steady: summary.steady,
            unsteady: summary.unsteady,
            warmup_secs: summary.warmup.as_secs_f64(),
            measured_secs: summary.measured.as_secs_f64(),
            total_secs: summary.time.as_secs_f64(),
            configured_secs: summary.configured.map(|time| time.as_secs_f64()),
            reason: summary.reason,
            enough: summary.enough,
        }
    }
}
