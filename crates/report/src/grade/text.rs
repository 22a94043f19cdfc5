//! Tables for the terminal.

use std::io::{self, Write};

use benchwright_analysis::grade::{Cell as Seen, UNSTABLE};

use super::{Api, GradeReport, StabilityTable, words};
use crate::escape::terminal;
use crate::scale;
use crate::text::{Align, Cell, Column, Line, Lines, Palette, Table, TextOptions, Tone};

/// Rows of stable benchmarks below the unstable ones, unless all are asked for.
const SHOWN: usize = 20;

/// Blocks of the longest bar.
const BAR: usize = 24;

pub(super) fn write(report: &GradeReport, options: &TextOptions, out: &mut dyn Write) -> io::Result<()> {
    let palette = Palette { colour: options.colour };
    let mut page = Lines { limit: options.width.unwrap_or(usize::MAX).max(1), palette, out };
    if !report.title.is_empty() {
        page.prose("", &report.title, Tone::Strong)?;
    }
    if let Some(extent) = &report.extent {
        section(&mut page, "extent", &words::extent(extent))?;
    }
    for table in &report.stability {
        stability(&mut page, table, report.stability.len() > 1, options.all)?;
    }
    if report.stability.len() > 1 {
        writeln!(page.out)?;
        environments(&report.stability).write(page.limit, palette, page.out)?;
    }
    if let Some(api) = &report.api {
        write_api(&mut page, api)?;
    }
    if let Some(selection) = &report.selection {
        section(&mut page, "selection", &words::selection(selection))?;
        page.prose("  keep: ", &selection.kept.join(", "), Tone::Plain)?;
        page.prose("  run them with: ", &format!("--filter '{}'", selection.filter()), Tone::Plain)?;
        if !selection.lost.is_empty() {
            page.prose("  lost: ", &selection.lost.join(", "), Tone::Doubt)?;
        }
    }
    if let Some(gate) = &report.gate {
        section(&mut page, "gate", &words::gate(gate))?;
    }
    page.diagnostics(&report.diagnostics)
}

fn section(page: &mut Lines<'_>, name: &str, lines: &[String]) -> io::Result<()> {
    writeln!(page.out)?;
    page.prose("", name, Tone::Strong)?;
    lines.iter().try_for_each(|line| page.prose("  ", line, Tone::Plain))
}

fn stability(
    page: &mut Lines<'_>,
    table: &StabilityTable,
    is_one_of_several: bool,
    all: bool,
) -> io::Result<()> {
    let name = if is_one_of_several { format!("stability: {}", table.title) } else { "stability".to_owned() };
    section(page, &name, &words::stability(table))?;
    if !table.environment.is_empty() {
        page.prose("  on ", &table.environment, Tone::Dim)?;
    }
    let most = table.classes.iter().map(|(_, count)| *count).max().unwrap_or(0).max(1);
    for (class, count) in &table.classes {
        let bar = "█".repeat((count * BAR).div_ceil(most));
        writeln!(page.out, "  {class:<12} {count:>5}  {bar}")?;
    }
    if !is_one_of_several {
        writeln!(page.out)?;
        let unstable = table.benchmarks.iter().filter(|(_, it)| it.max_spread >= UNSTABLE).count();
        let shown =
            if all { table.benchmarks.len() } else { unstable.max(SHOWN).min(table.benchmarks.len()) };
        benchmarks(table, shown).write(page.limit, page.palette, page.out)?;
        let more = table.benchmarks.len() - shown;
        if more > 0 {
            page.prose("", &format!("and {more} more stable ones; --all shows them"), Tone::Dim)?;
        }
    }
    for (benchmark, reason) in &table.left_out {
        page.prose("left out: ", &format!("{benchmark}: {reason}"), Tone::Doubt)?;
    }
    Ok(())
}

fn share(ratio: Option<f64>) -> String {
    ratio.map(scale::share).unwrap_or_default()
}

fn tone(spread: f64) -> Tone {
    match spread {
        it if it < UNSTABLE => Tone::Good,
        it if it < 0.25 => Tone::Doubt,
        _ => Tone::Bad,
    }
}

fn benchmarks(table: &StabilityTable, shown: usize) -> Table {
    let columns = vec![
        Column::new("benchmark", Align::Left, None),
        Column::new("spread", Align::Right, None),
        Column::new("within runs", Align::Right, Some(2)),
        Column::new("between", Align::Right, Some(1)),
        Column::new("shows", Align::Right, Some(3)),
        Column::new("likely reason", Align::Left, Some(4)),
    ];
    let row = |(name, it): &(String, benchwright_analysis::grade::Stability)| {
        Line::Row(vec![
            Cell::new(terminal(name)),
            Cell::toned(scale::share(it.max_spread), tone(it.max_spread)),
            Cell::toned(share(it.within), Tone::Dim),
            Cell::toned(scale::share(it.between), Tone::Dim),
            Cell::new(share(it.smallest_change)),
            Cell::new(words::reason(it)),
        ])
    };
    Table { columns, lines: table.benchmarks.iter().take(shown).map(row).collect() }
}

/// The spread of each benchmark in each environment.
fn environments(tables: &[StabilityTable]) -> Table {
    let mut columns = vec![Column::new("benchmark", Align::Left, None)];
    columns.extend(tables.iter().map(|table| Column::new(&table.title, Align::Right, None)));
    let mut names: Vec<&String> =
        tables.iter().flat_map(|table| &table.benchmarks).map(|(name, _)| name).collect();
    names.sort();
    names.dedup();
    let row = |name: &&String| {
        let spread = |table: &StabilityTable| {
            let found = table.benchmarks.iter().find(|(known, _)| known == *name);
            found
                .map(|(_, it)| Cell::toned(scale::share(it.max_spread), tone(it.max_spread)))
                .unwrap_or_default()
        };
        Line::Row([Cell::new(terminal(name))].into_iter().chain(tables.iter().map(spread)).collect())
    };
    Table { columns, lines: names.iter().map(row).collect() }
}

fn write_api(page: &mut Lines<'_>, api: &Api) -> io::Result<()> {
    section(page, "slowdowns found", &words::api(api))?;
    writeln!(page.out)?;
    let columns = vec![
        Column::new("function", Align::Left, None),
        Column::new("use", Align::Right, Some(1)),
        Column::new("slower by", Align::Right, Some(2)),
        Column::new("found", Align::Left, None),
        Column::new("by", Align::Left, Some(3)),
    ];
    let row = |(at, function): (usize, &super::ApiFunction)| {
        let cells = &api.cells[at];
        let with = |wanted: Seen| -> Vec<&str> {
            let numbers = cells.iter().enumerate().filter(move |(_, cell)| **cell == wanted);
            numbers.map(|(number, _)| api.benchmarks[number].name.as_str()).collect()
        };
        let (seen, missed) = (with(Seen::Seen), with(Seen::Missed));
        let (word, tone) = match (function.is_covered, missed.is_empty(), with(Seen::Unknown).is_empty()) {
            (true, _, _) => ("yes", Tone::Good),
            (false, _, false) => ("unknown", Tone::Doubt),
            (false, false, true) => ("no: called, not slower", Tone::Bad),
            (false, true, true) => ("no: not called", Tone::Bad),
        };
        let named = |names: &[&str]| match names {
            [] => String::new(),
            [one] => (*one).to_owned(),
            [one, rest @ ..] => format!("{one} and {} more", rest.len()),
        };
        Line::Row(vec![
            Cell::new(terminal(&function.address)),
            Cell::toned(share(function.weight), Tone::Dim),
            Cell::toned(share(function.real_slowdown), Tone::Dim),
            Cell::toned(word, tone),
            Cell::toned(terminal(&named(if seen.is_empty() { &missed } else { &seen })), Tone::Dim),
        ])
    };
    let lines = api.functions.iter().enumerate().map(row).collect();
    Table { columns, lines }.write(page.limit, page.palette, page.out)?;
    section(page, "redundancy", &[words::redundancy(api)])?;
    let names: Vec<&str> = api.needed.iter().map(|at| api.benchmarks[*at].name.as_str()).collect();
    if !names.is_empty() {
        page.prose("  needed: ", &names.join(", "), Tone::Plain)?;
    }
    for (function, reason) in &api.skipped {
        page.prose("left out: ", &format!("{function}: {reason}"), Tone::Doubt)?;
    }
    Ok(())
}
