//! `benchwright list`: lists the benchmarks of a version.

use benchwright_model::{Severity, Side};
use benchwright_report::visible_line;

use crate::args::{Global, ListArgs};
use crate::exit::Outcome;
use crate::flags::flag_layer;
use crate::progress::Progress;
use crate::terminal::{Terminal, print};
use benchwright_session::prepare;
use benchwright_session::project::Project;
use benchwright_session::{Listener, Problem};

/// Builds the version if necessary and prints its benchmarks.
pub(crate) fn run(global: &Global, args: &ListArgs) -> Result<Outcome, Problem> {
    let flags = flag_layer(global, &args.selection, None, None)?;
    let selection = args.selection.selection(None)?;
    let mut progress = Progress::new(Terminal::new(global));
    let project = Project::open(&global.interruptible(), &selection, flags, &mut progress)?;
    let version = match args.rev.as_deref().or(args.rev_flag.as_deref()) {
        Some(revision) => project.repository.resolve(revision)?,
        None => project.repository.snapshot(&project.cache)?.version,
    };
    let arguments = prepare::arguments(&project, &selection);
    let build = prepare::build(&project, &version, Side::Head, &arguments, &mut progress)?;
    build.diagnostics.iter().for_each(|diagnostic| progress.notice(diagnostic));
    drop(progress);
    let subjects = prepare::selected(&project, &build);
    if subjects.is_empty() {
        return Err(prepare::no_benchmarks("in this version", &build));
    }
    print(|out| {
        if args.format == "json" {
            let rows: Vec<serde_json::Value> = subjects
                .iter()
                .map(|subject| {
                    let id = &subject.benchmark;
                    let flavour = subject.head.as_ref().map(|program| program.executable.flavour.clone());
                    serde_json::json!({
                        "harness": id.harness, "package": id.package, "name": id.name, "flavour": flavour,
                    })
                })
                .collect();
            let document = serde_json::json!({ "schema": "benchwright.list/1", "benchmarks": rows });
            return writeln!(out, "{document:#}");
        }
        for subject in &subjects {
            writeln!(out, "{}", visible_line(&subject.benchmark.to_string()))?;
        }
        Ok(())
    })?;
    let failed = build.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    Ok(Outcome { failed, ..Outcome::default() })
}
