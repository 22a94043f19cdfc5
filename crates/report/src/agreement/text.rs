//! A table for the terminal.

use std::io::{self, Write};

use super::{AgreementReport, words};
use crate::escape::terminal;
use crate::text::{Align, Cell, Column, Line, Lines, Palette, Table, TextOptions, Tone};
use benchwright_analysis::agree::Pair;

pub(super) fn write(report: &AgreementReport, options: &TextOptions, out: &mut dyn Write) -> io::Result<()> {
    let palette = Palette { colour: options.colour };
    let mut page = Lines { limit: options.width.unwrap_or(usize::MAX).max(1), palette, out };
    for (name, text) in words::heading(report) {
        page.prose(&format!("{name:<10}"), &text, if name == "by" { Tone::Dim } else { Tone::Plain })?;
    }
    if !report.found.pairs.is_empty() {
        writeln!(page.out)?;
        table(report).write(page.limit, palette, page.out)?;
    }
    let alone = [("only first", &report.found.only_first), ("only second", &report.found.only_second)];
    if alone.iter().any(|(_, names)| !names.is_empty()) {
        writeln!(page.out)?;
    }
    for (name, benchmarks) in alone.into_iter().filter(|(_, names)| !names.is_empty()) {
        let names: Vec<String> = benchmarks.iter().map(|id| id.short_name().to_owned()).collect();
        page.prose(&format!("{name:<13}"), &names.join(", "), Tone::Dim)?;
    }
    page.diagnostics(&report.diagnostics)?;
    writeln!(page.out)?;
    for (name, text) in words::totals(report) {
        page.prose(&format!("{name:<10}"), &text, if name == "agree" { Tone::Strong } else { Tone::Plain })?;
    }
    Ok(())
}

fn table(report: &AgreementReport) -> Table {
    let columns = vec![
        Column::new("benchmark", Align::Left, None),
        Column::new("first", Align::Right, Some(4)),
        Column::new("interval", Align::Left, Some(1)),
        Column::new("second", Align::Right, Some(4)),
        Column::new("interval", Align::Left, Some(1)),
        Column::new("verdict", Align::Left, Some(5)),
        Column::new("covered", Align::Left, Some(3)),
        Column::new("needed", Align::Right, Some(2)),
        Column::new("agree", Align::Left, None),
    ];
    let row = |(pair, repeats): (&Pair, &[_; 2])| {
        let tone = if pair.agreement().agrees() { Tone::Good } else { Tone::Bad };
        Line::Row(vec![
            Cell::new(terminal(pair.first.benchmark.short_name())),
            Cell::new(words::change(&pair.first)),
            Cell::toned(words::interval(&pair.first), Tone::Dim),
            Cell::new(words::change(&pair.second)),
            Cell::toned(words::interval(&pair.second), Tone::Dim),
            Cell::new(words::verdicts(pair)),
            Cell::toned(words::covered(pair), Tone::Dim),
            Cell::new(words::needed(repeats)),
            Cell::toned(words::agreement(pair), tone),
        ])
    };
    Table { columns, lines: report.found.pairs.iter().zip(&report.repeats).map(row).collect() }
}
