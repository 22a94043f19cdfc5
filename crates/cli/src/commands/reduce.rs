//! `benchwright reduce`: chooses the smallest configuration per benchmark that is still accurate.

use std::time::Duration;

use benchwright_analysis::reduce::{Options, by_name};
use benchwright_config::{Goal as PlanGoal, Layer, Plan, SelectionSettings, parse_duration, parse_ratio};
use benchwright_model::{Diagnostic, Severity};
use benchwright_report::compare_plan::ComparePlanReport;
use benchwright_report::evaluation::EvaluationReport;
use benchwright_report::reduction::ReductionReport;
use benchwright_session::leveled::{self, Leveled, Purpose};
use benchwright_session::reduce::plan::{self, PlanTarget};
use benchwright_session::reduce::stability::{self, Shown};
use benchwright_session::reduce::warmup::{self, WarmupCut};
use benchwright_session::reduce::{SEED, comparing, evaluate};
use benchwright_session::words::count;
use benchwright_session::{Problem, project};

use crate::args::{ComparingArgs, FileLimits, Global, ReduceArgs};
use crate::commands::refresh;
use crate::exit::Outcome;
use crate::flags::{file_limits, refuse_typed};
use crate::output::Formats;
use crate::terminal::Terminal;

/// Reads a full measurement, reduces it, shows the result, and writes the plan.
pub(crate) fn run(global: &Global, args: &ReduceArgs) -> Result<Outcome, Problem> {
    let formats = Formats::of(&args.output)?;
    let goal = Goal::of(args)?;
    goal.check(&formats)?;
    let cut = WarmupCut::of(&args.warmup)?;
    if args.refresh {
        return refresh::refresh(global, args);
    }
    let mut terminal = Terminal::new(global);
    let settings = project::settings_anywhere(&global.workspace(), selection(args)?, &mut terminal)?;
    let terminal = terminal.configured(settings.colour);
    let mut outcome = Outcome::default();
    let mut sets = read(global, args, (goal.purpose(), terminal), &mut outcome)?;
    select(&mut sets, &settings.selection)?;
    warmup::cut(&mut sets, cut, args.jobs);
    let context = Context { global, args, formats: &formats, terminal };
    let metric = args.stability.metric.as_deref().and_then(by_name);
    let diagnostics = match goal {
        Goal::Stability(options) => {
            let shown = Shown { curves: formats.shows_curves(), forecasts: formats.shows_forecasts() };
            let report = stability::report(&sets, options, metric, shown, args.jobs);
            context.tell(&report.diagnostics, report.benchmarks.is_empty())?;
            // Before the plan: what is wrong with that must not cost the table.
            formats.write_document(&report, terminal)?;
            context.write(&sets, plan::of_stability(&sets, &report))?;
            report.diagnostics
        }
        Goal::Comparing(shares) => {
            let (report, entries) = comparing::report(&settings, &sets, shares, args.jobs)?;
            context.tell(&report.diagnostics, report.benchmarks.is_empty())?;
            formats.write_document(&report, terminal)?;
            context.write(&sets, plan::of_comparing(&sets, &report.wanted, entries))?;
            report.diagnostics
        }
        Goal::Evaluating(options) => {
            let report = evaluate::report(&sets, options, metric, args.jobs);
            context.tell(&report.diagnostics, report.benchmarks == 0)?;
            formats.write_document(&report, terminal)?;
            report.diagnostics
        }
    };
    outcome.failed |= diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    Ok(outcome)
}

/// The goal for which configurations are chosen.
enum Goal {
    Stability(Options),
    Comparing(comparing::Shares),
    /// No choice: all ways to choose for stability are evaluated.
    Evaluating(Options),
}

impl Goal {
    fn of(args: &ReduceArgs) -> Result<Goal, Problem> {
        check_flags(args)?;
        Ok(match args.goal.as_str() {
            "compare" if args.evaluate => {
                let hint = "--evaluate is about plans for stability; leave out --for";
                return Err(Problem::misuse("evaluate plans for comparisons", hint));
            }
            "compare" => Goal::Comparing(shares(args)?),
            _ if args.evaluate => Goal::Evaluating(options(args)?),
            _ => Goal::Stability(options(args)?),
        })
    }

    /// The purpose for which values are read.
    fn purpose(&self) -> Purpose {
        match self {
            Goal::Stability(_) | Goal::Evaluating(_) => Purpose::Levels,
            Goal::Comparing(_) => Purpose::Noise,
        }
    }

    fn check(&self, formats: &Formats) -> Result<(), Problem> {
        match self {
            Goal::Stability(_) => formats.check_document::<ReductionReport>(),
            Goal::Comparing(_) => formats.check_document::<ComparePlanReport>(),
            Goal::Evaluating(_) => formats.check_document::<EvaluationReport>(),
        }
    }
}

/// Refuses flags of other goals, and flags for measuring if nothing is measured.
fn check_flags(args: &ReduceArgs) -> Result<(), Problem> {
    let is_comparing = args.goal == "compare";
    let (stability, comparing, measuring) = (&args.stability, &args.comparing, &args.measuring);
    let of_stability = [
        ("--metric", stability.metric.is_some()),
        ("--threshold", stability.threshold.is_some()),
        ("--mode", stability.mode.is_some()),
        ("--count-warmup", stability.count_warmup),
    ];
    let of_comparing = [
        ("--change", comparing.change.is_some()),
        ("--power", comparing.power.is_some()),
        ("--false-alarms", comparing.false_alarms.is_some()),
    ];
    let of_measuring = [
        ("--iterations", measuring.iterations.is_some()),
        ("--iteration-time", measuring.iteration_time.is_some()),
        ("--warmup-time", measuring.warmup_time.is_some()),
        ("--stop", measuring.stop.is_some()),
        ("--stop-models", measuring.stop_models.is_some()),
        ("--max-warmup", measuring.max_warmup.is_some()),
        ("--trial-timeout", measuring.trial_timeout.is_some()),
        ("--trial-memory", measuring.trial_memory.is_some()),
        ("--budget", measuring.budget.is_some() && !is_comparing),
        ("--cores", !measuring.cores.is_empty()),
        ("--niceness", measuring.niceness.is_some()),
        ("--wait", measuring.wait.is_some()),
        ("--no-wait", measuring.no_wait),
    ];
    if is_comparing {
        refuse_typed(&of_stability, "`--for stability`")?;
    } else {
        refuse_typed(&of_comparing, "`--for compare`")?;
    }
    if args.refresh { Ok(()) } else { refuse_typed(&of_measuring, "`--refresh`") }
}

fn options(args: &ReduceArgs) -> Result<Options, Problem> {
    let typed = &args.stability;
    let mut options = Options {
        mode: stability::mode(typed.mode.as_deref().unwrap_or("paper")),
        threshold: positive_share("--threshold", typed.threshold.as_deref().unwrap_or("1%"))?,
        warmup: WarmupCut::of(&args.warmup)?.count(),
        is_warmup_counted: typed.count_warmup,
        ..Options::default()
    };
    options.resampling.seed = args.measuring.seed.unwrap_or(SEED);
    Ok(options)
}

fn shares(args: &ReduceArgs) -> Result<comparing::Shares, Problem> {
    let ComparingArgs { change, power, false_alarms } = &args.comparing;
    let below_one = |flag: &str, text: &str| match positive_share(flag, text)? {
        share if share < 1.0 => Ok(share),
        _ => {
            let error = format!("`{flag}`: expected a share below 100%, got `{text}`");
            Err(Problem::misuse(error, ""))
        }
    };
    Ok(comparing::Shares {
        change: positive_share("--change", change.as_deref().unwrap_or("5%"))?,
        power: below_one("--power", power.as_deref().unwrap_or("90%"))?,
        false_alarms: below_one("--false-alarms", false_alarms.as_deref().unwrap_or("5%"))?,
        budget: args.measuring.budget.as_deref().map(budget).transpose()?,
    })
}

fn budget(text: &str) -> Result<Duration, Problem> {
    let time = parse_duration(text).ok().filter(|time| !time.is_zero());
    time.ok_or_else(|| {
        let error = format!("read the value of `--budget`: expected a time above zero, found `{text}`");
        Problem::misuse(error, "a number and a unit: 90s, 5m")
    })
}

/// The data that all goals need to show their results.
struct Context<'a> {
    global: &'a Global,
    args: &'a ReduceArgs,
    formats: &'a Formats,
    terminal: Terminal,
}

impl Context<'_> {
    /// Reports diagnostics about the input, unless the report has them. Fails if there is nothing to report.
    fn tell(&self, diagnostics: &[Diagnostic], is_nothing: bool) -> Result<(), Problem> {
        if !self.formats.shows_diagnostics() {
            diagnostics.iter().for_each(|diagnostic| self.terminal.notice(diagnostic));
        }
        if is_nothing { Err(nothing(diagnostics)) } else { Ok(()) }
    }

    fn write(&self, sets: &[Leveled], plan: Plan) -> Result<(), Problem> {
        if self.args.no_plan {
            return Ok(());
        }
        let who = match plan.goal {
            PlanGoal::Stability { .. } => "run",
            PlanGoal::Compare { .. } => "compare",
        };
        let target = PlanTarget {
            workspace: &self.global.workspace(),
            file: self.args.plan.as_deref(),
            is_part: self.args.filter.is_some() || self.args.skip.is_some(),
        };
        if let Some((path, benchmarks)) = plan::write(target, sets, plan)? {
            let benchmarks = count(u32::try_from(benchmarks).unwrap_or(u32::MAX), "benchmark");
            let path = path.display();
            self.terminal.say(&format!("wrote {path} ({benchmarks}); commit it, and `{who}` follows it"));
        }
        Ok(())
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

pub(crate) fn selection(args: &ReduceArgs) -> Result<Layer, Problem> {
    let mut layer = Layer::default();
    for (key, value) in [("filter", &args.filter), ("skip", &args.skip)] {
        if let Some(value) = value {
            layer.set(key, value)?;
        }
    }
    Ok(layer)
}

/// Everything that was named, or the newest run. A source that cannot be read does not stop the others.
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

/// Keeps the selected benchmarks. If there are none, this must not look as if there was nothing to reduce.
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
pub(crate) fn nothing(diagnostics: &[Diagnostic]) -> Problem {
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
