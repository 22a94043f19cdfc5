//! `benchwright export`: a stored run in another format.

use benchwright_model::{RunKind, Side};
use benchwright_report::Format;
use benchwright_report::benchfmt::{self, LinePer};

use crate::args::{ExportArgs, Global, Output};
use crate::commands::show;
use crate::exit::Outcome;
use crate::problem::Problem;
use crate::terminal::{Terminal, print};
use crate::{output, project};

/// Writes a stored run to standard output.
pub(crate) fn run(global: &Global, args: &ExportArgs) -> Result<Outcome, Problem> {
    let format: Format = args.format.parse()?;
    let (_, store) = project::open_store(global)?;
    let record = show::load(&store, &args.run)?;
    if format == Format::Benchfmt {
        let side = args.side.as_deref().map(|side| if side == "base" { Side::Base } else { Side::Head });
        let unit = if args.iterations { LinePer::Iteration } else { LinePer::Trial };
        print(|out| benchfmt::write_lines(&record.run, &record.trials, side, unit, out))?;
        return Ok(Outcome::default());
    }
    let formats = output::Formats::of(&Output { format: Some(args.format.clone()), output: Vec::new() })?;
    let terminal = Terminal::new(global);
    match (&record.comparison, record.run.kind) {
        (Some(comparison), _) => formats.write(comparison, &record.trials, terminal, true)?,
        (None, RunKind::Levels) => formats.write_levels(&record.run, &record.trials, terminal)?,
        (None, RunKind::Compare) => {
            let error = anyhow::anyhow!("export run {} as {}: it was cut off", record.run.id, format.name());
            return Err(Problem::failed(
                error,
                "`benchwright show --recompute` decides from what was measured",
            ));
        }
    }
    Ok(Outcome::default())
}
