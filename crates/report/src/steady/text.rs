//! Processes for the terminal.

use std::io::{self, Write};

use unicode_width::UnicodeWidthStr;

use super::sparkline::{sparkline, underline};
use super::view::{SeriesView, Steady};
use crate::escape::terminal;
use crate::scale;

/// Number of columns if the width of the terminal is unknown.
const WIDTH: usize = 100;

/// Writes every process: its name, a line of blocks, and the results of rules. `width` is the terminal's.
pub fn write_text(views: &[SeriesView], width: Option<usize>, out: &mut dyn Write) -> io::Result<()> {
    let width = width.unwrap_or(WIDTH).max(20);
    for (index, view) in views.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        write_process(view, width, out)?;
    }
    Ok(())
}

fn write_process(view: &SeriesView, width: usize, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}, process {}", terminal(&view.benchmark), view.process)?;
    let mean =
        view.steady_mean().map(|mean| format!(", {}", scale::value(mean, &view.unit))).unwrap_or_default();
    writeln!(out, "  {}{mean}", terminal(&view.summary()))?;
    writeln!(out, "  {}", terminal(&view.classes()))?;
    let columns = width - 2;
    writeln!(out, "  {}", sparkline(&view.values, columns, view.range()))?;
    if let Steady::From(from) = view.steady {
        writeln!(out, "  {}", underline(view.values.len(), columns, from as usize))?;
    }
    for note in &view.notes {
        writeln!(out, "  note: {}", terminal(note))?;
    }
    let longest = view.stops.iter().map(|stop| stop.rule.width()).max().unwrap_or(0);
    for stop in &view.stops {
        let padding = " ".repeat(longest - stop.rule.width());
        let what = match stop.extent {
            Some((warmup, end)) => format!("warm-up {warmup:>5}, end {end:>5}"),
            None => "would not have run".to_owned(),
        };
        writeln!(out, "  {}{padding}  {what}: {}", terminal(&stop.rule), terminal(&stop.reason))?;
    }
    Ok(())
}
