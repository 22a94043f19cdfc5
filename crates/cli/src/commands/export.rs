//! `benchwright export`: a stored run in another format.

use std::io::{IsTerminal, Write};

use benchwright_formats::{ExportFormat, ExportOptions};
use benchwright_model::{Direction, RunKind, Side};
use benchwright_report::benchfmt::{self, LinePer};
use benchwright_report::{Format, summaries};
use benchwright_store::RunRecord;

use crate::args::{ExportArgs, Global};
use crate::commands::show;
use crate::exit::Outcome;
use crate::flags::refuse_typed;
use crate::output::{self, PLAIN};
use crate::terminal::{Terminal, print};
use benchwright_session::Problem;
use benchwright_session::project;

/// The formats in which a run can be exported.
#[derive(Debug, Clone, Copy)]
enum Target {
    /// For other programs.
    Export(ExportFormat),
    /// As `show` would.
    Report(Format),
}

impl Target {
    fn named(name: &str) -> Result<Target, Problem> {
        match (ExportFormat::by_name(name), name.parse::<Format>()) {
            (Some(format), _) => Ok(Target::Export(format)),
            (None, Ok(format)) => Ok(Target::Report(format)),
            (None, Err(error)) => {
                let own = ExportFormat::ALL.iter().map(|format| format.name());
                let names: Vec<&str> = own.chain(Format::NAMES).collect();
                let hint = format!("known formats: {}", names.join(", "));
                Err(Problem::misuse(error, hint))
            }
        }
    }

    fn is_binary(self) -> bool {
        matches!(self, Target::Export(format) if format.is_binary())
    }
}

/// Writes a stored run to standard output or to a file.
pub(crate) fn run(global: &Global, args: &ExportArgs) -> Result<Outcome, Problem> {
    let target = Target::named(&args.format)?;
    check_flags(target, args)?;
    if args.output.is_none() && target.is_binary() && std::io::stdout().is_terminal() {
        let error = format!("write {} to a terminal", args.format);
        return Err(Problem::misuse(error, "name a file with --output"));
    }
    let (_, store) = project::open_store(&global.workspace())?;
    let record = show::load(&store, &args.run)?;
    if let Target::Report(format) = target {
        check(format, &record)?;
    }
    let mut left_out = 0;
    let mut write = |out: &mut dyn Write| {
        left_out = written(target, args, &record, out)?;
        Ok(())
    };
    let terminal = Terminal::new(global);
    match &args.output {
        None => print(write)?,
        Some(path) => {
            output::to_file(path, &mut write)?;
            terminal.say(&format!("wrote {}", path.display()));
        }
    }
    if left_out > 0 {
        let other = if args.better.as_deref() == Some("higher") { "lower" } else { "higher" };
        terminal.say(&format!(
            "{left_out} metrics are better when {other} and were left out; --better {other} writes those"
        ));
    }
    Ok(Outcome::default())
}

/// Refuses flags of other formats.
fn check_flags(target: Target, args: &ExportArgs) -> Result<(), Problem> {
    let (is_benchfmt, is_report) = match target {
        Target::Report(format) => (format == Format::Benchfmt, format != Format::Benchfmt),
        Target::Export(_) => (false, false),
    };
    if !is_benchfmt {
        refuse_typed(&[("--iterations", args.iterations)], "`--format benchfmt`")?;
    }
    if is_report {
        refuse_typed(&[("--side", args.side.is_some())], "a format for samples or summaries")?;
    }
    if args.format.eq_ignore_ascii_case("github-action-benchmark") {
        return Ok(());
    }
    refuse_typed(&[("--better", args.better.is_some())], "`--format github-action-benchmark`")
}

/// Whether the run has the data that the format shows.
fn check(format: Format, record: &RunRecord) -> Result<(), Problem> {
    match (&record.comparison, record.run.kind) {
        _ if format == Format::Benchfmt => Ok(()),
        (Some(_), _) => Ok(()),
        (None, RunKind::Levels | RunKind::Imported) => {
            let own = ExportFormat::ALL.map(|format| format.name()).join(", ");
            output::check_levels(format)
                .map_err(|problem| problem.hinting(&format!("; {own} for other programs")))
        }
        (None, RunKind::Compare) => {
            let error = format!("export run {} as {}: it was cut off", record.run.id, format.name());
            Err(Problem::failed(error, "`benchwright show --recompute` decides from what was measured"))
        }
    }
}

/// Writes the run. Returns how many metrics the format does not support.
fn written(
    target: Target,
    args: &ExportArgs,
    record: &RunRecord,
    out: &mut dyn Write,
) -> std::io::Result<usize> {
    let (run, trials) = (&record.run, &record.trials);
    let findings = record.comparison.as_ref().map_or(&[][..], |comparison| &comparison.findings);
    let side = args.side.as_deref().map(|side| if side == "base" { Side::Base } else { Side::Head });
    match (target, &record.comparison) {
        (Target::Export(format), _) => {
            let better = match args.better.as_deref() {
                Some("higher") => Direction::HigherIsBetter,
                _ => Direction::LowerIsBetter,
            };
            let summaries = |side| summaries(findings, trials, side);
            return format.write(run, trials, &summaries, ExportOptions { side, better }, out);
        }
        (Target::Report(Format::Benchfmt), _) => {
            let unit = if args.iterations { LinePer::Iteration } else { LinePer::Trial };
            benchfmt::write_lines(run, findings, trials, side, unit, out)?;
        }
        (Target::Report(format), Some(comparison)) => format.write(comparison, trials, &PLAIN, out)?,
        (Target::Report(format), None) => output::write_one_levels(format, run, trials, &PLAIN, out)?,
    }
    Ok(0)
}
