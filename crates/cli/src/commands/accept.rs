//! `benchwright accept`: accepts a slowdown.

use benchwright_config::ACCEPTED_FILE_NAME;
use benchwright_report::{scale, visible_line};
use benchwright_session::{Problem, accepted};

use crate::args::{AcceptArgs, Global};
use crate::exit::Outcome;
use crate::terminal::{Terminal, print};

/// Accepts slowdowns of a stored comparison: in the store, and in a file to be committed.
pub(crate) fn run(global: &Global, args: &AcceptArgs) -> Result<Outcome, Problem> {
    let mut terminal = Terminal::new(global);
    // With --all there is no benchmark, so the first argument is the run.
    let (benchmark, run) = match args.all {
        true => (None, args.benchmark.as_ref().or(args.run.as_ref())),
        false => (args.benchmark.as_deref(), args.run.as_ref()),
    };
    let run = run.map_or("latest", String::as_str);
    let slower = accepted::accept(&global.workspace(), run, benchmark, &args.reason, &mut terminal)?;
    print(|out| {
        for finding in &slower {
            let change =
                finding.effect.map_or(String::new(), |effect| format!(" {}", scale::change(effect.change())));
            let name = visible_line(&format!("{} {}", finding.benchmark, finding.metric.name));
            writeln!(out, "accepted  {name}{change}")?;
        }
        Ok(())
    })?;
    terminal.say(&format!("wrote {ACCEPTED_FILE_NAME}; commit it, so that it applies for others and in CI"));
    Ok(Outcome::default())
}
