//! A table for the terminal.

use std::io::{self, Write};

use benchwright_analysis::reduce::Why;

use super::{ReducedBenchmark, ReductionReport, Totals, saved, words};
use crate::escape::terminal;
use crate::scale;
use crate::text::{Align, Cell, Column, Line, Lines, Palette, Table, TextOptions, Tone};

pub(super) fn write(report: &ReductionReport, options: &TextOptions, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Lines {
        limit: options.width.unwrap_or(usize::MAX).max(1),
        palette: Palette { colour: options.colour },
        out,
    };
    let totals = Totals::of(report);
    for (name, text) in words::conditions(report) {
        page.prose(&format!("{name:<9}"), &text, if name == "from" { Tone::Plain } else { Tone::Dim })?;
    }
    if !report.benchmarks.is_empty() {
        writeln!(page.out)?;
        table(report).write(page.limit, page.palette, page.out)?;
        writeln!(page.out)?;
        for (word, text) in words::legend(&totals) {
            page.prose(&format!("{word:<9}"), text, Tone::Dim)?;
        }
    }
    write_unstable(report, &mut page)?;
    page.diagnostics(&report.diagnostics)?;
    writeln!(page.out)?;
    let last = match words::counts(&totals) {
        counts if counts.is_empty() => words::summary(report),
        counts => format!("{} · {counts}", words::summary(report)),
    };
    page.prose("", &last, Tone::Strong)
}

fn table(report: &ReductionReport) -> Table {
    let columns = vec![
        Column::new("benchmark", Align::Left, None),
        Column::new("before", Align::Right, Some(2)),
        Column::new("after", Align::Right, None),
        Column::new("saved", Align::Right, Some(3)),
        Column::new("levels", Align::Left, Some(5)),
        Column::new(&words::metric_heading(report), Align::Right, Some(4)),
        Column::new("off", Align::Right, Some(1)),
        Column::new("why", Align::Left, None),
    ];
    let mut lines = Vec::new();
    let mut heading = None;
    let has_headings =
        report.benchmarks.iter().any(|one| group(report, one) != group(report, &report.benchmarks[0]));
    for benchmark in &report.benchmarks {
        let own = group(report, benchmark);
        if has_headings && heading.as_ref() != Some(&own) {
            lines.push(Line::Heading(Cell::toned(terminal(&own), Tone::Strong)));
            heading = Some(own);
        }
        lines.push(Line::Row(cells(report, benchmark, if has_headings { "  " } else { "" })));
    }
    Table { columns, lines }
}

/// The heading for a benchmark: its source if there are several, and its package.
fn group(report: &ReductionReport, benchmark: &ReducedBenchmark) -> String {
    let source = report.sources.get(benchmark.source).filter(|_| report.sources.len() > 1);
    let parts = [source.map(|source| source.project.as_str()), Some(benchmark.id.package.as_str())];
    let known: Vec<&str> = parts.into_iter().flatten().filter(|part| !part.is_empty()).collect();
    known.join(" · ")
}

fn cells(report: &ReductionReport, benchmark: &ReducedBenchmark, indent: &str) -> Vec<Cell> {
    let reduction = &benchmark.reduction;
    let (before, after) = (reduction.full.total_seconds(), reduction.chosen.total_seconds());
    let tone = tone(benchmark.why);
    let is_off = reduction.change().abs() > report.options.threshold;
    vec![
        Cell::new(format!("{indent}{}", terminal(benchmark.id.short_name()))),
        Cell::toned(words::seconds(before), Tone::Dim),
        Cell::new(words::seconds(after)),
        Cell::new(scale::share(saved(before, after))),
        Cell::new(words::levels(report, benchmark)),
        Cell::toned(words::metric_text(report, benchmark), tone),
        Cell::toned(scale::change(reduction.change()), if is_off { Tone::Doubt } else { Tone::Dim }),
        Cell::toned(benchmark.why.word(), tone),
    ]
}

fn tone(why: Why) -> Tone {
    match why {
        Why::Unstable => Tone::Bad,
        Why::Full => Tone::Doubt,
        Why::Stable | Why::Floor => Tone::Good,
    }
}

/// Benchmarks that are unstable with the full configuration, and the repetitions they would need.
fn write_unstable(report: &ReductionReport, page: &mut Lines<'_>) -> io::Result<()> {
    let all: Vec<&ReducedBenchmark> =
        report.benchmarks.iter().filter(|one| one.why == Why::Unstable).collect();
    if all.is_empty() {
        return Ok(());
    }
    writeln!(page.out)?;
    page.prose("", "unstable at full size", Tone::Strong)?;
    for benchmark in all {
        let text = format!("{}: {}", benchmark.id.short_name(), words::unstable(benchmark));
        page.prose("  ", &text, Tone::Plain)?;
    }
    Ok(())
}
