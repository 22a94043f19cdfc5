//! `benchwright show`: shows stored runs.

use std::io::Write;

use benchwright_config::Layer;
use benchwright_model::RunKind;
use benchwright_report::visible_line;
use benchwright_session::recompute::{GivenThresholds, recompute};
use benchwright_session::words::count;
use benchwright_session::{Problem, project, run_id};
use benchwright_store::{RunRecord, RunRow, Store};

use crate::args::{Global, ShowArgs};
use crate::exit::Outcome;
use crate::output;
use crate::terminal::{Terminal, print};

/// Lists the stored runs, or shows one.
pub(crate) fn run(global: &Global, args: &ShowArgs) -> Result<Outcome, Problem> {
    let formats = output::Formats::of(&args.output)?;
    let (root, store) = project::open_store(&global.workspace())?;
    let Some(asked) = &args.run else {
        let rows = store.runs(args.limit)?;
        if args.output.format.as_deref() == Some("json") {
            print(|out| writeln!(out, "{:#}", list_json(&rows)))?;
        } else {
            print(|out| list_text(&rows, out))?;
        }
        return Ok(Outcome::default());
    };
    let mut terminal = Terminal::new(global);
    let settings = project::settings(&global.workspace(), &root, &root, Layer::default(), &mut terminal);
    let terminal = settings.map_or(terminal, |settings| terminal.configured(settings.colour));
    let thresholds =
        GivenThresholds { threshold: args.threshold.clone(), fail_threshold: args.fail_threshold.clone() };
    let id = store.find(asked)?;
    let stored = if args.recompute || formats.uses_trials() { None } else { store.comparison(&id)? };
    let (comparison, trials) = match stored {
        Some(comparison) => (comparison, Vec::new()),
        None => {
            let record = store.load(&id)?;
            if matches!(record.run.kind, RunKind::Levels | RunKind::Imported) {
                formats.write_levels(&record.run, &record.trials, terminal)?;
                return Ok(Outcome::default());
            }
            let comparison = match record.comparison.clone() {
                Some(comparison) if !args.recompute => comparison,
                _ => recompute(record.clone(), &thresholds)?,
            };
            (comparison, record.trials)
        }
    };
    formats.write(&comparison, &trials, terminal, args.all)?;
    Ok(Outcome::default())
}

fn list_text(rows: &[RunRow], out: &mut dyn Write) -> std::io::Result<()> {
    if rows.is_empty() {
        return writeln!(out, "no runs yet");
    }
    for row in rows {
        let what = match &row.base {
            Some(base) => format!("{} → {}", base.title(), row.head.title()),
            None => row.head.title(),
        };
        writeln!(
            out,
            "{}  {}  {}  {}",
            row.id,
            run_id::text(row.started_at),
            counts(row),
            visible_line(&what)
        )?;
    }
    Ok(())
}

fn counts(row: &RunRow) -> String {
    let verdicts = &row.verdicts;
    let mut text = match row.kind {
        RunKind::Levels => measured(row),
        RunKind::Imported => format!("imported: {}", measured(row)),
        RunKind::Compare => {
            let not_measured = match verdicts.not_measured {
                0 => String::new(),
                n => format!(", {n} not measured"),
            };
            format!(
                "{} slower, {} faster, {} same, {} undecided{not_measured}",
                verdicts.slower, verdicts.faster, verdicts.same, verdicts.undecided
            )
        }
    };
    if row.is_partial {
        text.push_str(" (partial)");
    }
    text
}

fn measured(row: &RunRow) -> String {
    let benchmarks = count(row.benchmarks, "benchmark");
    let ending = if row.trials == 1 { "" } else { "es" };
    format!("{benchmarks}, {} process{ending}", row.trials)
}

fn list_json(rows: &[RunRow]) -> serde_json::Value {
    let row = |row: &RunRow| {
        serde_json::json!({
            "id": row.id.0,
            "kind": kind(row.kind),
            "started": run_id::text(row.started_at),
            "base": row.base.as_ref().map(|version| version.title()),
            "head": row.head.title(),
            "partial": row.is_partial,
            "benchmarks": row.benchmarks,
            "trials": row.trials,
            "slower": row.verdicts.slower,
            "faster": row.verdicts.faster,
            "changed": row.verdicts.changed,
            "same": row.verdicts.same,
            "undecided": row.verdicts.undecided,
            "not_measured": row.verdicts.not_measured,
        })
    };
    serde_json::json!({ "schema": "benchwright.runs/1", "runs": rows.iter().map(row).collect::<Vec<_>>() })
}

fn kind(kind: RunKind) -> &'static str {
    match kind {
        RunKind::Compare => "compare",
        RunKind::Levels => "run",
        RunKind::Imported => "import",
    }
}

/// Loads a complete run for a command that needs all of its data.
pub(crate) fn load(store: &Store, asked: &str) -> Result<RunRecord, Problem> {
    let id = store.find(asked)?;
    Ok(store.load(&id)?)
}
