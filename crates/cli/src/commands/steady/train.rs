//! `benchwright steady train`: trains the learned rule with a user's own processes.

use benchwright_session::Problem;
use benchwright_session::steady::{self, ITERATION_S};

use super::tell;
use crate::args::{FileLimits, Global, SteadyTrainArgs};
use crate::exit::Outcome;
use crate::flags::file_limits;
use crate::output;
use crate::terminal::Terminal;

/// Reads every process of a source, trains, and writes the models.
pub(crate) fn run(global: &Global, args: &SteadyTrainArgs) -> Result<Outcome, Problem> {
    let terminal = Terminal::new(global);
    let limits = file_limits(global, &FileLimits::default())?;
    let mut source = steady::find(&global.workspace(), &args.data, ITERATION_S, limits)?;
    source.doubts.look_at(&source.processes, "its process is not used for training");
    let outcome = tell(terminal, source.doubts.diagnostics().iter().chain(&source.diagnostics));
    let trained = steady::train(&source, args.seed)?;
    for (why, count) in &trained.left_out {
        terminal.say(&format!("left out: {count} processes {why}"));
    }
    let path = global.workspace().directory()?.join(&args.out);
    output::to_file(&path, |out| out.write_all(&trained.models))?;
    let (used, steady) = trained.used;
    terminal.say(&format!(
        "trained on {used} of {} processes of {} benchmarks, {steady} of them steady at some time; {} bytes in `{}`",
        source.processes.len(),
        trained.benchmarks,
        trained.models.len(),
        args.out.display()
    ));
    Ok(outcome)
}
