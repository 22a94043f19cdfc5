//! `benchwright agree`: whether two runs of the same comparison agree.

use benchwright_config::Layer;
use benchwright_model::Severity;
use benchwright_report::agreement::{AgreementReport, WantedInterval};
use benchwright_session::agreement::{self, AgreementRequest, By};
use benchwright_session::{Problem, project};

use crate::args::{AgreeArgs, Global};
use crate::commands::reduce::positive_share;
use crate::exit::Outcome;
use crate::output::Formats;
use crate::terminal::Terminal;

/// Reads both runs and shows whether they agree.
pub(crate) fn run(global: &Global, args: &AgreeArgs) -> Result<Outcome, Problem> {
    let formats = Formats::of(&args.output)?;
    formats.check_document::<AgreementReport>()?;
    let by = if args.by == "medians" { By::Medians } else { By::Verdicts };
    let wanted = match &args.wanted_interval {
        Some(text) => WantedInterval::Size(positive_share("--wanted-interval", text)?),
        None => WantedInterval::FirstRun,
    };
    let mut terminal = Terminal::new(global);
    let settings = project::settings_anywhere(&global.workspace(), selection(args)?, &mut terminal)?;
    let terminal = terminal.configured(settings.colour);
    let request =
        AgreementRequest { runs: args.runs.clone(), by, wanted, least: args.min_results, seed: args.seed };
    let report = agreement::report(&global.workspace(), &settings, &request)?;
    formats.write_document(&report, terminal)?;
    if !formats.shows_diagnostics() {
        report.diagnostics.iter().for_each(|diagnostic| terminal.notice(diagnostic));
    }
    let failed = report.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    Ok(Outcome { failed, ..Outcome::default() })
}

fn selection(args: &AgreeArgs) -> Result<Layer, Problem> {
    let mut layer = Layer::default();
    for (key, value) in [("filter", &args.filter), ("skip", &args.skip)] {
        if let Some(value) = value {
            layer.set(key, value)?;
        }
    }
    Ok(layer)
}
