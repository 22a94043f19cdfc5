//! `benchwright reduce`: the smallest configuration per benchmark that still tells the truth.
//!
//! 1. [`read`] takes files and stored runs with their levels;
//! 2. `stability` chooses by how much values vary, `comparing` by what a comparison has to find; both do the `work` on several
//!    threads and show what came out;
//!    `evaluate` sets ways to choose against each other on the same data;
//! 3. `plan` writes the choices down; `renew` makes them for the part of a plan that is out of date.

mod comparing;
mod evaluate;
mod plan;
mod renew;
mod stability;
mod warmup;
mod work;

use benchwright_config::{Layer, SelectionSettings, Settings, parse_ratio};
use benchwright_model::{Diagnostic, Severity};

use crate::args::{FileLimits, Global, ReduceArgs};
use crate::exit::Outcome;
use crate::flags::file_limits;
use crate::output::Formats;
use crate::terminal::Terminal;
use benchwright_session::Problem;
use benchwright_session::leveled::{self, Leveled, Purpose};
use benchwright_session::project;

/// What all resamples follow from unless something else is asked for. The 42 of the authors' program would mean nothing here: the
/// generator is another.
const SEED: u64 = 1;

/// Reads what was measured in full, reduces it, shows what came out, and writes the plan.
pub(crate) fn run(global: &Global, args: &ReduceArgs) -> Result<Outcome, Problem> {
    let formats = Formats::of(&args.output)?;
    let goal = Goal::of(args)?;
    goal.check(&formats)?;
    let cut = warmup::WarmupCut::of(&args.warmup)?;
    if args.refresh {
        return renew::run(global, args);
    }
    let mut terminal = Terminal::new(global);
    let settings = project::settings_anywhere(&global.workspace(), selection(args)?, &mut terminal)?;
    let terminal = terminal.configured(settings.colour);
    let mut outcome = Outcome::default();
    let mut sets = read(global, args, (goal.purpose(), terminal), &mut outcome)?;
    select(&mut sets, &settings.selection)?;
    warmup::cut(&mut sets, cut, args.jobs);
    let context = Context { global, args, settings: &settings, formats: &formats, terminal };
    let diagnostics = match goal {
        Goal::Stability(options) => stability::run(&context, &sets, options)?,
        Goal::Comparing(wanted) => comparing::run(&context, &sets, wanted)?,
        Goal::Evaluating(options) => evaluate::run(&context, &sets, options)?,
    };
    outcome.failed |= diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    Ok(outcome)
}

/// What configurations are chosen for.
enum Goal {
    Stability(benchwright_analysis::reduce::Options),
    Comparing(comparing::Shares),
    /// None is: all ways to choose for stability are evaluated.
    Evaluating(benchwright_analysis::reduce::Options),
}

impl Goal {
    fn of(args: &ReduceArgs) -> Result<Goal, Problem> {
        Ok(match args.goal.as_str() {
            "compare" if args.evaluate => {
                let error = "evaluate plans for comparisons";
                return Err(Problem::misuse(
                    error,
                    "--evaluate is about plans for stability; leave --for away",
                ));
            }
            "compare" => Goal::Comparing(comparing::shares(args)?),
            _ if args.evaluate => Goal::Evaluating(stability::options(args)?),
            _ => Goal::Stability(stability::options(args)?),
        })
    }

    /// What values are read for.
    fn purpose(&self) -> Purpose {
        match self {
            Goal::Stability(_) | Goal::Evaluating(_) => Purpose::Levels,
            Goal::Comparing(_) => Purpose::Noise,
        }
    }

    fn check(&self, formats: &Formats) -> Result<(), Problem> {
        match self {
            Goal::Stability(_) => formats.check_reduction(),
            Goal::Comparing(_) => formats.check_comparing(),
            Goal::Evaluating(_) => formats.check_evaluation(),
        }
    }
}

/// What both goals need.
struct Context<'a> {
    global: &'a Global,
    args: &'a ReduceArgs,
    settings: &'a Settings,
    formats: &'a Formats,
    terminal: Terminal,
}

impl Context<'_> {
    /// Tells what there is to say about the input, unless the report has it.
    fn tell(&self, diagnostics: &[Diagnostic]) {
        if !self.formats.shows_diagnostics() {
            diagnostics.iter().for_each(|diagnostic| self.terminal.notice(diagnostic));
        }
    }
}

/// A share above zero.
pub(crate) fn positive_share(flag: &str, text: &str) -> Result<f64, Problem> {
    let share = parse_ratio(text).and_then(|ratio| match ratio > 0.0 {
        true => Ok(ratio),
        false => Err(format!("expected a share above zero, got `{text}`")),
    });
    share.map_err(|message| Problem::misuse(format!("`{flag}`: {message}"), ""))
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
    (purpose, terminal): (Purpose, Terminal),
    outcome: &mut Outcome,
) -> Result<Vec<Leveled>, Problem> {
    if args.from.is_empty() {
        return Ok(vec![leveled::newest(&global.workspace(), purpose)?]);
    }
    let mut sets = Vec::new();
    let mut problems = Vec::new();
    let limits = file_limits(global, &FileLimits::default())?;
    for name in &args.from {
        match leveled::read(&global.workspace(), name, limits, purpose) {
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
        let kind = Outcome::from(problem);
        outcome.failed |= kind.failed;
        outcome.misused |= kind.misused;
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
        let error = format!("no benchmarks left: --filter and --skip exclude all {before}");
        return Err(Problem::misuse(error, "they match `package:name`"));
    }
    Ok(())
}

/// No benchmark at all could be reduced.
fn nothing(diagnostics: &[Diagnostic]) -> Problem {
    let said: Vec<String> = diagnostics.iter().map(ToString::to_string).collect();
    let hint = if said.is_empty() { "there were no benchmarks".to_owned() } else { said.join("\n") };
    Problem::failed("reduce any benchmark", hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_are_shares_above_zero() {
        let check = |text: &str, expected: Option<f64>| {
            assert_eq!(positive_share("--threshold", text).ok(), expected, "{text}");
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
        let own = command.get_arguments().filter(|flag| flag.get_help_heading() != Some("Measuring"));
        for name in own.filter_map(clap::Arg::get_long).filter(|name| *name != "help") {
            assert!(guide.contains(&format!("--{name}")), "{name}");
        }
    }
}
