//! `benchwright steady`: since when processes were steady, and where rules would have stopped them.

mod doubts;
mod replayed;
mod show;
mod source;
mod stops;
mod train;

use crate::args::{Global, SteadyArgs, SteadyCommand};
use crate::exit::Outcome;
use benchwright_session::Problem;

/// Carries out the subcommand.
pub(crate) fn run(global: &Global, args: &SteadyArgs) -> Result<Outcome, Problem> {
    match &args.command {
        SteadyCommand::Show(args) => show::run(global, args),
        SteadyCommand::Stops(args) => stops::run(global, args),
        SteadyCommand::Train(args) => train::run(global, args),
    }
}
