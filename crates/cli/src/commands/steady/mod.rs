//! `benchwright steady`: since when processes were steady, and where rules would have stopped them.

mod show;
mod stops;
mod train;

use benchwright_model::{Diagnostic, Severity};
use benchwright_session::Problem;

use crate::args::{Global, SteadyArgs, SteadyCommand};
use crate::exit::Outcome;
use crate::terminal::Terminal;

/// Carries out the subcommand.
pub(crate) fn run(global: &Global, args: &SteadyArgs) -> Result<Outcome, Problem> {
    match &args.command {
        SteadyCommand::Show(args) => show::run(global, args),
        SteadyCommand::Stops(args) => stops::run(global, args),
        SteadyCommand::Train(args) => train::run(global, args),
    }
}

/// Prints all diagnostics; an error among them means that something was left out that should not have been.
fn tell<'a>(terminal: Terminal, diagnostics: impl Iterator<Item = &'a Diagnostic>) -> Outcome {
    let mut outcome = Outcome::default();
    for diagnostic in diagnostics {
        terminal.notice(diagnostic);
        outcome.failed |= diagnostic.severity == Severity::Error;
    }
    outcome
}
