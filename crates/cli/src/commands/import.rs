//! `benchwright import`: results of other tools into the store.

use std::io::Write;

use benchwright_model::{Diagnostic, Run, RunId, RunKind, Side, Version};
use benchwright_report::visible_line;
use benchwright_runner::Repository;
use benchwright_store::{RunRecord, Store};
use serde_json::{Value, json};

use crate::args::{Global, ImportArgs};
use crate::exit::Outcome;
use crate::flags::file_limits;
use crate::terminal::{Terminal, print};
use benchwright_session::Problem;
use benchwright_session::recorded::{self, Extent, Recorded};
use benchwright_session::words::count;
use benchwright_session::{keep, project};

/// Reads all files and keeps what is in them. One that cannot be read does not stop the others.
pub(crate) fn run(global: &Global, args: &ImportArgs) -> Result<Outcome, Problem> {
    let terminal = Terminal::new(global);
    let directory = global.workspace().directory()?;
    let repository = Repository::discover(&directory)?;
    let version = args.revision.as_deref().map(|revision| repository.resolve(revision)).transpose()?;
    let limits = file_limits(global, &args.limits)?;
    let mut outcome = Outcome::default();
    let mut sets: Vec<Recorded> = Vec::new();
    for file in &args.files {
        match recorded::read(file, &directory, limits) {
            Ok(found) => sets.extend(found),
            Err(error) => {
                outcome.failed = true;
                terminal.complain(&Problem::from(error));
            }
        }
    }
    for diagnostic in sets.iter().flat_map(|set| &set.diagnostics) {
        terminal.notice(diagnostic);
    }
    outcome.failed |= sets.iter().any(Recorded::has_errors);
    if args.join {
        sets = joined(sets);
    }
    let (sets, empty): (Vec<Recorded>, Vec<Recorded>) =
        sets.into_iter().partition(|set| !set.benchmarks.is_empty());
    for set in &empty {
        outcome.failed = true;
        terminal.notice(&Diagnostic::error(&set.name, "has no results that could be read"));
    }
    let mut rows = Vec::new();
    if !sets.is_empty() {
        let root = project::work_tree(&repository)?;
        let mut store = if args.dry_run { None } else { Some(Store::open(&project::results(&root))?) };
        for set in sets {
            let version = named(&repository, &set, version.clone(), args.label.as_deref());
            rows.push(keep_set(store.as_mut(), set, version)?);
        }
    }
    if args.format == "json" {
        print(|out| writeln!(out, "{:#}", document(&rows)))?;
    } else {
        print(|out| rows.iter().try_for_each(|row| row.write(out)))?;
    }
    Ok(outcome)
}

/// All sets as one.
fn joined(sets: Vec<Recorded>) -> Vec<Recorded> {
    let mut sets = sets.into_iter();
    let Some(mut first) = sets.next() else { return Vec::new() };
    sets.for_each(|set| first.join(set));
    vec![first]
}

/// What was measured: as told, else as the file says, else the file itself.
fn named(repository: &Repository, set: &Recorded, told: Option<Version>, label: Option<&str>) -> Version {
    let found = || set.revision.as_deref().and_then(|revision| repository.resolve(revision).ok());
    let version = told.or_else(found).unwrap_or_else(|| set.version());
    Version { label: label.map_or(version.label.clone(), str::to_owned), ..version }
}

/// What became of one set.
struct Row {
    source: String,
    format: String,
    version: String,
    extent: Extent,
    /// The run that keeps it; none if it was only looked at.
    run: Option<RunId>,
}

fn keep_set(store: Option<&mut Store>, set: Recorded, version: Version) -> Result<Row, Problem> {
    let new =
        keep::new_run(RunKind::Imported, None, version.clone(), 0).with_settings(Default::default(), []);
    let run = set.run(Run { ended_at: Some(new.started_at), ..new }, version);
    let mut row = Row {
        source: set.name.clone(),
        format: set.format.clone(),
        version: run.head.title(),
        extent: set.extent(),
        run: None,
    };
    if let Some(store) = store {
        row.run = Some(run.id.clone());
        let diagnostics = set.diagnostics.clone();
        let record = RunRecord {
            run,
            trials: Vec::new(),
            comparison: None,
            instances: Vec::new(),
            builds: Vec::new(),
            diagnostics,
            is_partial: false,
        };
        store.save_with(&record, set.into_trials(Side::Head))?;
    }
    Ok(row)
}

impl Row {
    fn write(&self, out: &mut dyn Write) -> std::io::Result<()> {
        let Extent { benchmarks, processes, samples, unknown_structure, summaries } = self.extent;
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
        let kept = match &self.run {
            Some(run) => format!("run {run}"),
            None => "not kept (--dry-run)".to_owned(),
        };
        // Where nobody gave it another name it is called as the file, perhaps with a commit behind it.
        let name = match self.version.strip_prefix(&self.source) {
            Some(rest) => rest.to_owned(),
            None => format!(" as {}", self.version),
        };
        let source = visible_line(&format!("{}{name}", self.source));
        writeln!(out, "{source}: {}, {}: {kept}", self.format, parts.join(", "))
    }
}

fn document(rows: &[Row]) -> Value {
    let row = |row: &Row| {
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
