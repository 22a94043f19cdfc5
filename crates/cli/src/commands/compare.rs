//! `benchwright compare`: the main command.

use benchwright_session::Problem;
use benchwright_session::compare::{self, CompareRequest, FinishedComparison};

use crate::args::{CompareArgs, Global};
use crate::commands::compare_recorded;
use crate::exit::Outcome;
use crate::flags::{check_rule, flag_layer};
use crate::progress::Progress;
use crate::terminal::Terminal;
use crate::{dry_run, output, resume};

/// Compares two versions, or continues an interrupted comparison.
pub(crate) fn run(global: &Global, args: &CompareArgs) -> Result<Outcome, Problem> {
    let formats = output::Formats::of(&args.output)?;
    if let Some(sides) = compare_recorded::named(global, args)? {
        return compare_recorded::run(global, args, sides);
    }
    let (args, resumed, again) = resume::resumed(global, args)?;
    let request = request(global, &args)?;
    let terminal = Terminal::new(global);
    let mut progress = Progress::new(terminal);
    if args.dry_run {
        let preview = compare::preview(&request, resumed, &mut progress)?;
        drop(progress);
        return dry_run::compare(&preview);
    }
    let finished = compare::plan(&request, resumed, &mut progress)?.run(&mut progress)?;
    drop(progress);
    conclude(&args, finished, &again, &formats, terminal)
}

/// The session's request for these arguments.
fn request(global: &Global, args: &CompareArgs) -> Result<CompareRequest, Problem> {
    args.place.check()?;
    let mut settings = flag_layer(global, &args.selection, Some(&args.measuring), Some(&args.verdict))?;
    check_rule(global, &args.verdict, &settings)?;
    let typed = [
        ("pairing", &args.pairing),
        ("lambda.max-cost", &args.place.max_cost),
        ("lambda.architecture", &args.place.architecture),
    ];
    for (key, value) in typed {
        value.as_ref().map_or(Ok(()), |value| settings.set(key, value))?;
    }
    Ok(CompareRequest {
        workspace: global.interruptible(),
        base: args.base.clone().unwrap_or_default(),
        head: args.head.clone(),
        settings,
        selection: args.selection.selection(args.against.as_deref())?,
        plan: args.plan.choice(),
        place: args.place.choice(),
        measures_identical: args.all,
        ..CompareRequest::default()
    })
}

/// Shows the result.
fn conclude(
    args: &CompareArgs,
    finished: FinishedComparison,
    again: &str,
    formats: &output::Formats,
    terminal: Terminal,
) -> Result<Outcome, Problem> {
    let terminal = terminal.configured(finished.settings.colour);
    let comparison = &finished.comparison;
    let written = formats.write(comparison, &finished.trials, terminal, args.all);
    if finished.can_go_on {
        terminal.say(&format!("to continue: benchwright compare --resume {}{again}", comparison.run.id));
    }
    Outcome::explain(comparison, formats, terminal);
    let mut outcome = Outcome::of(comparison, &finished.settings.decision);
    outcome.failed |= finished.is_interrupted;
    // Errors do not prevent the result from being shown.
    for problem in finished.problems.iter().chain(written.as_ref().err()) {
        outcome.failed = true;
        terminal.complain(problem);
    }
    Ok(outcome)
}
