//! `benchwright import`: imports results of other tools into the store.

use std::io::Write;

use benchwright_report::visible_line;
use benchwright_session::Problem;
use benchwright_session::import::{ImportRequest, KeptSet, import};
use benchwright_session::recorded::Extent;
use benchwright_session::words::count;
use serde_json::{Value, json};

use crate::args::{Global, ImportArgs};
use crate::exit::Outcome;
use crate::flags::file_limits;
use crate::terminal::{Terminal, print};

/// Reads all files and stores their results. A file that cannot be read does not stop the others.
pub(crate) fn run(global: &Global, args: &ImportArgs) -> Result<Outcome, Problem> {
    let terminal = Terminal::new(global);
    let request = ImportRequest {
        files: args.files.clone(),
        revision: args.revision.clone(),
        label: args.label.clone(),
        joins: args.join,
        is_preview: args.dry_run,
        limits: file_limits(global, &args.limits)?,
    };
    let finished = import(&global.workspace(), &request)?;
    finished.problems.iter().for_each(|problem| terminal.complain(problem));
    finished.diagnostics.iter().for_each(|diagnostic| terminal.notice(diagnostic));
    if args.format == "json" {
        print(|out| writeln!(out, "{:#}", document(&finished.sets)))?;
    } else {
        print(|out| finished.sets.iter().try_for_each(|row| write(row, out)))?;
    }
    Ok(Outcome { failed: finished.has_errors || !finished.problems.is_empty(), ..Outcome::default() })
}

/// One line on the result for a set.
fn write(row: &KeptSet, out: &mut dyn Write) -> std::io::Result<()> {
    let Extent { benchmarks, processes, samples, unknown_structure, summaries } = row.extent;
    let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let mut parts = vec![count(number(benchmarks), "benchmark")];
    if processes > 0 {
        parts.push(if processes == 1 { "1 process".into() } else { format!("{processes} processes") });
        parts.push(count(number(samples), "sample"));
    }
    if unknown_structure > 0 {
        parts.push(format!("processes unknown in {unknown_structure}"));
    }
    if summaries > 0 {
        parts.push(format!("summaries only in {summaries}"));
    }
    let kept = match &row.run {
        Some(run) => format!("run {run}"),
        None => "not kept (--dry-run)".to_owned(),
    };
    // Unless the user gave another name, the version is named after the file, possibly followed by a commit.
    let name = match row.version.strip_prefix(&row.source) {
        Some(rest) => rest.to_owned(),
        None => format!(" as {}", row.version),
    };
    let source = visible_line(&format!("{}{name}", row.source));
    writeln!(out, "{source}: {}, {}: {kept}", row.format, parts.join(", "))
}

fn document(rows: &[KeptSet]) -> Value {
    let row = |row: &KeptSet| {
        json!({
            "source": row.source,
            "format": row.format,
            "version": row.version,
            "run": row.run.as_ref().map(|run| &run.0),
            "benchmarks": row.extent.benchmarks,
            "processes": row.extent.processes,
            "samples": row.extent.samples,
            "unknown_structure": row.extent.unknown_structure,
            "summaries": row.extent.summaries,
        })
    };
    json!({ "schema": "benchwright.import/1", "imports": rows.iter().map(row).collect::<Vec<_>>() })
}
