//! `benchwright reduce`: the smallest configuration per benchmark that still tells the truth.

mod plan;
mod work;

use std::collections::BTreeSet;

use benchwright_analysis::reduce::{Mode, Options, by_name, recommended};
use benchwright_config::{Layer, SelectionSettings, parse_ratio};
use benchwright_model::{Diagnostic, Severity};
use benchwright_report::reduction::ReductionReport;

use crate::args::{Global, ReduceArgs};
use crate::exit::Outcome;
use crate::leveled::{self, Leveled};
use crate::output::Formats;
use crate::problem::Problem;
use crate::project;
use crate::terminal::Terminal;
use work::Wanted;

/// Reads what was measured in full, reduces it, shows what came out, and writes the plan.
pub(crate) fn run(global: &Global, args: &ReduceArgs) -> Result<Outcome, Problem> {
    let formats = Formats::of(&args.output)?;
    formats.check_reduction()?;
    let options = options(args)?;
    let terminal = Terminal::new(global);
    let settings = project::settings_anywhere(global, selection(args)?, terminal)?;
    let terminal = terminal.configured(settings.colour);
    let mut outcome = Outcome::default();
    let mut sets = read(global, args, terminal, &mut outcome)?;
    select(&mut sets, &settings.selection)?;
    let wanted = Wanted {
        metric: args.metric.as_deref().and_then(by_name),
        options,
        has_curve: formats.shows_curves(),
        has_forecast: formats.shows_forecasts(),
    };
    let (benchmarks, errors) = work::reduce(&sets, &wanted, args.jobs);
    let mut diagnostics: Vec<Diagnostic> = sets.iter().flat_map(|set| set.diagnostics.clone()).collect();
    diagnostics.extend(errors);
    outcome.failed |= diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    if !formats.shows_diagnostics() {
        diagnostics.iter().for_each(|diagnostic| terminal.notice(diagnostic));
    }
    if benchmarks.is_empty() {
        return Err(nothing(&diagnostics));
    }
    let report = ReductionReport {
        sources: sets.iter().map(|set| set.source.clone()).collect(),
        options,
        metric_note: metric_note(args, &sets),
        benchmarks,
        diagnostics,
        tool_version: env!("CARGO_PKG_VERSION").into(),
    };
    // Before the plan: what is wrong with that must not cost the table.
    formats.write_reduction(&report, terminal)?;
    plan::write(global, args, &sets, &report, terminal)?;
    Ok(outcome)
}

fn options(args: &ReduceArgs) -> Result<Options, Problem> {
    let threshold = parse_ratio(&args.threshold).and_then(|ratio| match ratio > 0.0 {
        true => Ok(ratio),
        false => Err(format!("expected a share above zero, found `{}`", args.threshold)),
    });
    let threshold = threshold
        .map_err(|message| Problem::misuse(anyhow::anyhow!("read the value of `--threshold`: {message}"), ""))?;
    let mut options = Options {
        mode: if args.mode == "prototype" { Mode::Prototype } else { Mode::Paper },
        threshold,
        warmup: args.warmup,
        is_warmup_counted: args.count_warmup,
        ..Options::default()
    };
    options.resampling.seed = args.seed;
    Ok(options)
}

fn selection(args: &ReduceArgs) -> Result<Layer, Problem> {
    let mut layer = Layer::default();
    for (key, value) in [("filter", &args.filter), ("skip", &args.skip)] {
        if let Some(value) = value {
            layer.set(key, value)?;
        }
    }
    Ok(layer)
}

/// Everything that was named, or the newest run. What cannot be read does not stop the rest.
fn read(
    global: &Global,
    args: &ReduceArgs,
    terminal: Terminal,
    outcome: &mut Outcome,
) -> Result<Vec<Leveled>, Problem> {
    if args.from.is_empty() {
        return Ok(vec![leveled::newest(global)?]);
    }
    let mut sets = Vec::new();
    let mut problems = Vec::new();
    for name in &args.from {
        match leveled::read(global, name) {
            Ok(found) => sets.extend(found),
            Err(problem) => problems.push(problem),
        }
    }
    if sets.is_empty() {
        let last = problems.pop();
        problems.iter().for_each(|problem| terminal.complain(problem));
        return last.map_or(Ok(sets), Err);
    }
    for problem in &problems {
        outcome.failed |= problem.outcome.failed;
        outcome.misused |= problem.outcome.misused;
        terminal.complain(problem);
    }
    Ok(sets)
}

/// Leaves what was asked for; that this is nothing must not look like nothing to reduce.
fn select(sets: &mut [Leveled], selection: &SelectionSettings) -> Result<(), Problem> {
    let before: usize = sets.iter().map(|set| set.benchmarks.len()).sum();
    for set in &mut *sets {
        set.benchmarks.retain(|benchmark| selection.accepts(&benchmark.id.to_string()));
    }
    if before > 0 && sets.iter().all(|set| set.benchmarks.is_empty()) {
        let error = anyhow::anyhow!("find a benchmark that --filter and --skip leave of {before}");
        return Err(Problem::misuse(error, "they match `package:name`"));
    }
    Ok(())
}

/// No benchmark at all could be reduced.
fn nothing(diagnostics: &[Diagnostic]) -> Problem {
    let said: Vec<String> = diagnostics.iter().map(ToString::to_string).collect();
    let hint = if said.is_empty() { "there were no benchmarks".to_owned() } else { said.join("\n") };
    Problem::failed(anyhow::anyhow!("reduce any benchmark"), hint)
}

/// Which metric, and why.
fn metric_note(args: &ReduceArgs, sets: &[Leveled]) -> String {
    if let Some(metric) = &args.metric {
        return metric.to_uppercase();
    }
    let all = sets.iter().flat_map(|set| &set.benchmarks).map(|benchmark| recommended(&benchmark.id.harness));
    let found: BTreeSet<(&str, &str)> = all.map(|(metric, why)| (metric.name(), why)).collect();
    let parts: Vec<String> = found.iter().map(|(name, why)| format!("{name} for code {why}")).collect();
    format!("{} (by language; --metric takes another)", parts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_are_shares_above_zero() {
        let check = |text: &str, expected: Option<f64>| {
            let args = ReduceArgs { threshold: text.into(), ..ReduceArgs::default() };
            assert_eq!(options(&args).ok().map(|options| options.threshold), expected, "{text}");
        };
        check("0.01", Some(0.01));
        check("1%", Some(0.01));
        check("0", None);
        check("-1%", None);
        check("one", None);
    }

    #[test]
    fn the_guide_explains_every_flag() {
        use clap::CommandFactory;
        let guide = include_str!("../../../../docs/guide/reduce.md");
        let command = crate::args::Cli::command().find_subcommand("reduce").cloned().expect("a command");
        for name in command.get_arguments().filter_map(clap::Arg::get_long).filter(|name| *name != "help") {
            assert!(guide.contains(&format!("--{name}")), "{name}");
        }
    }
}
