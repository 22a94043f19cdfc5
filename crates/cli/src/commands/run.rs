//! `benchwright run`: measures one version over its levels of repetition.

use std::collections::BTreeSet;

use benchwright_model::BenchmarkId;
use benchwright_session::Problem;
use benchwright_session::levels::{self, FinishedRun, Repetition, RunRequest};
use benchwright_store::RunRecord;

use crate::args::{Global, RunArgs};
use crate::exit::Outcome;
use crate::flags::flag_layer;
use crate::progress::Progress;
use crate::terminal::Terminal;
use crate::{dry_run, output, resume};

/// Measures one version, or continues an interrupted run.
pub(crate) fn run(global: &Global, args: &RunArgs) -> Result<Outcome, Problem> {
    run_only(global, args, None).map(|(_, outcome)| outcome)
}

/// The same, limited to the benchmarks in `only`, if given. Returns the record of the run, or `None` if
/// nothing was measured.
pub(crate) fn run_only(
    global: &Global,
    args: &RunArgs,
    only: Option<&BTreeSet<BenchmarkId>>,
) -> Result<(Option<RunRecord>, Outcome), Problem> {
    let formats = output::Formats::of(&args.output)?;
    formats.check_levels()?;
    let (args, resumed) = resume::resumed_run(global, args)?;
    let request = RunRequest { only: only.cloned(), ..request(global, &args)? };
    let terminal = Terminal::new(global);
    let mut progress = Progress::new(terminal);
    if args.dry_run {
        let preview = levels::preview(&request, resumed, &mut progress)?;
        drop(progress);
        dry_run::levels(&preview)?;
        return Ok((None, Outcome::default()));
    }
    let finished = levels::plan(&request, resumed, &mut progress)?.run(&mut progress)?;
    drop(progress);
    let outcome = conclude(&finished, &formats, terminal);
    Ok((Some(finished.record), outcome))
}

/// The session's request for these arguments.
fn request(global: &Global, args: &RunArgs) -> Result<RunRequest, Problem> {
    let mut settings = flag_layer(global, &args.selection, Some(&args.measuring), None)?;
    if let Some(levels) = &args.levels {
        settings.set("levels", levels)?;
    }
    let says_how_often = args.full || args.levels.is_some();
    Ok(RunRequest {
        workspace: global.interruptible(),
        revision: args.rev.clone().or_else(|| args.rev_flag.clone()),
        settings,
        selection: args.selection.selection(None)?,
        only: None,
        plan: args.plan.choice(),
        repetition: if says_how_often { Repetition::Levels } else { Repetition::Usual },
    })
}

/// Shows the result.
fn conclude(finished: &FinishedRun, formats: &output::Formats, terminal: Terminal) -> Outcome {
    let terminal = terminal.configured(finished.settings.colour);
    let record = &finished.record;
    let written = formats.write_levels(&record.run, &record.trials, terminal);
    record.diagnostics.iter().for_each(|diagnostic| terminal.notice(diagnostic));
    if finished.can_go_on {
        terminal.say(&format!("to continue: benchwright run --resume {}", record.run.id));
    }
    for failure in &finished.failures {
        let (benchmark, how) = (&failure.benchmark, failure.kind.describe());
        terminal.say(&format!("error: {benchmark} {how} ({} trials)\n{}", failure.trials, failure.detail));
    }
    let mut failed = finished.is_interrupted || !finished.failures.is_empty();
    for problem in finished.problems.iter().chain(written.as_ref().err()) {
        failed = true;
        terminal.complain(problem);
    }
    Outcome { failed, ..Outcome::default() }
}
