//! `benchwright accept`: a slowdown that is meant to be.

use std::path::Path;

use benchwright_config::{ACCEPTED_FILE_NAME, read_accepted};
use benchwright_model::{BenchmarkId, Comparison, Finding, RunId, RunKind, Verdict};
use benchwright_report::visible_line;
use benchwright_store::Store;

use crate::args::{AcceptArgs, Global};
use crate::exit::Outcome;
use crate::terminal::{Terminal, print};
use benchwright_session::{Problem, because};
use benchwright_session::{accepted, project, run_id};

/// Accepts slowdowns of a stored comparison: in the store, and in a file to be committed.
pub(crate) fn run(global: &Global, args: &AcceptArgs) -> Result<Outcome, Problem> {
    let terminal = Terminal::new(global);
    let (root, mut store) = project::open_store_to_write(&global.workspace())?;
    if args.reason.trim().is_empty() {
        let error = "accept a slowdown without a reason";
        return Err(Problem::misuse(error, "say with --reason why it is meant to be"));
    }
    // With --all there is no benchmark, so what looks like one is the run.
    let (benchmark, run) = match args.all {
        true => (None, args.benchmark.as_ref().or(args.run.as_ref())),
        false => (args.benchmark.as_deref(), args.run.as_ref()),
    };
    let id = comparison_id(&store, run.map_or("latest", String::as_str))?;
    let comparison = store.comparison(&id)?.ok_or_else(|| no_comparison(&id))?;
    let slower = chosen(&comparison, benchmark)?;
    write_file(&root, &comparison, &slower, &args.reason, terminal)?;
    for finding in &slower {
        store.accept(&id, &finding.benchmark, &finding.metric.name, &args.reason)?;
    }
    print(|out| {
        for finding in &slower {
            let change =
                finding.effect.map_or(String::new(), |effect| format!(" {:+.1} %", effect.change() * 100.0));
            let name = visible_line(&format!("{} {}", finding.benchmark, finding.metric.name));
            writeln!(out, "accepted  {name}{change}")?;
        }
        Ok(())
    })?;
    terminal.say(&format!("wrote {ACCEPTED_FILE_NAME}; commit it, so that others and CI know"));
    Ok(Outcome::default())
}

/// The comparison that is meant; the latest one may have later runs of other kinds after it.
fn comparison_id(store: &Store, asked: &str) -> Result<RunId, Problem> {
    if asked != "latest" {
        return Ok(store.find(asked)?);
    }
    let rows = store.runs(usize::MAX)?;
    let latest = rows.into_iter().find(|row| row.kind == RunKind::Compare).map(|row| row.id);
    latest.ok_or_else(|| Problem::misuse("no stored comparison", "`benchwright compare BASE` makes one"))
}

fn no_comparison(id: &RunId) -> Problem {
    let error = format!("the run {id} is not a comparison");
    Problem::misuse(error, "`benchwright show` lists the runs; only comparisons find slowdowns")
}

/// The slowdowns that are meant, at least one.
fn chosen<'a>(comparison: &'a Comparison, benchmark: Option<&str>) -> Result<Vec<&'a Finding>, Problem> {
    let slower: Vec<&Finding> =
        comparison.findings.iter().filter(|finding| finding.verdict == Verdict::Slower).collect();
    let Some(asked) = benchmark else {
        let nothing = || Problem::misuse(format!("no slowdown in run {}", comparison.run.id), "");
        return if slower.is_empty() { Err(nothing()) } else { Ok(slower) };
    };
    let is_meant = |id: &BenchmarkId| id.to_string() == asked || id.name == asked || id.short_name() == asked;
    let found: Vec<&Finding> =
        slower.iter().copied().filter(|finding| is_meant(&finding.benchmark)).collect();
    if found.is_empty() {
        let names: Vec<String> = slower.iter().map(|finding| finding.benchmark.to_string()).collect();
        let hint = match names.is_empty() {
            true => "nothing is slower there".to_owned(),
            false => format!("slower are: {}", names.join(", ")),
        };
        let error = format!("no slowdown of `{asked}` in run {}", comparison.run.id);
        return Err(Problem::misuse(error, hint));
    }
    Ok(found)
}

fn write_file(
    root: &Path,
    comparison: &Comparison,
    slower: &[&Finding],
    reason: &str,
    terminal: Terminal,
) -> Result<(), Problem> {
    let (known, diagnostics) = read_accepted(root)?;
    // An entry that nobody understands would be lost by writing the rest.
    if let Some(diagnostic) = diagnostics.first() {
        terminal.notice(diagnostic);
        let error = format!("add to `{ACCEPTED_FILE_NAME}`: it has an error");
        return Err(Problem::misuse(error, "mend the file first"));
    }
    let run = &comparison.run;
    let base = run.base.as_ref().map(|base| base.title()).unwrap_or_default();
    let versions = format!("{base} → {}", run.head.title());
    let at = run_id::text(run_id::now());
    let entries =
        slower.iter().map(|finding| accepted::entry(finding, reason.trim(), &versions, &run.id.0, &at));
    let text = accepted::with(known, entries.collect());
    let path = root.join(ACCEPTED_FILE_NAME);
    std::fs::write(&path, text).map_err(|error| {
        let what = format!("write `{}`", path.display());
        Problem::failed(because(what, error), "")
    })
}
