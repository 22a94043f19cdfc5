//! `benchwright steady show`: processes with their steady part.

use std::io::Write;
use std::num::NonZeroUsize;
use std::path::Path;
use std::time::Duration;

use benchwright_exchange::warmup::RecordedProcess;
use benchwright_model::Unit;
use benchwright_report::steady::{Extent, SeriesView, Steady, StopView, write_html, write_svg, write_text};
use benchwright_steady::labels::{LabelOptions, label};
use benchwright_steady::rules::catalogue::{self, Given, NamedRule, RULES};
use benchwright_steady::{in_parallel, replay};
use regex::Regex;

use super::source::{self, Process};
use crate::args::{Global, SteadyShowArgs};
use crate::exit::Outcome;
use crate::output;
use crate::problem::Problem;
use crate::project;
use crate::terminal::{Terminal, print};

/// How it is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum View {
    Text,
    Html,
    Svg,
}

/// Labels the processes of a source and draws them.
pub(crate) fn run(global: &Global, args: &SteadyShowArgs) -> Result<Outcome, Problem> {
    let terminal = Terminal::new(global);
    let rules = rules(args)?;
    let iteration = iteration_time(&args.iteration_time)?;
    let file = args.output.as_deref().map(|path| Ok::<_, Problem>((path, by_ending(path)?))).transpose()?;
    let source = source::find(global, &args.source, iteration.as_secs_f64())?;
    let mut outcome = source.doubts.tell(terminal);
    outcome.failed |= source.tell(terminal);
    let mut chosen = chosen(source.processes, args)?;
    let left_out = chosen.len().saturating_sub(args.limit);
    chosen.truncate(args.limit);
    let shown = match args.format.as_str() {
        "html" => View::Html,
        "svg" => View::Svg,
        _ => View::Text,
    };
    let is_picture = shown == View::Svg || file.is_some_and(|(_, view)| view == View::Svg);
    if chosen.is_empty() || (is_picture && chosen.len() + left_out > 1) {
        return Err(wrong_number(chosen.len() + left_out));
    }
    let jobs = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let views = in_parallel(&chosen, jobs, |process| view_of(process, &rules));
    let width = terminal.text_options(true).width;
    print(|out| write(shown, &source.title, &views, width, out))?;
    if let Some((path, view)) = file {
        let path = project::directory(global)?.join(path);
        output::to_file(&path, |out| write(view, &source.title, &views, None, out))?;
        terminal.say(&format!("wrote {}", path.display()));
    }
    if left_out > 0 {
        terminal.say(&format!("{left_out} more processes; --limit, --filter and --process choose others"));
    }
    Ok(outcome)
}

/// The rules to show: those asked for, or all. One that needs more than is known about a process is left out there.
fn rules(args: &SteadyShowArgs) -> Result<Vec<&'static NamedRule>, Problem> {
    if args.rule.is_empty() {
        return Ok(RULES.iter().collect());
    }
    Ok(args.rule.iter().map(|name| catalogue::rule(name)).collect::<Result<_, _>>()?)
}

fn iteration_time(text: &str) -> Result<Duration, Problem> {
    let parsed = benchwright_config::parse_duration(text).ok();
    parsed.filter(|time| !time.is_zero()).ok_or_else(|| {
        let error = anyhow::anyhow!("expected a duration such as `100ms`, got `{text}`");
        Problem::misuse(error, "a number and a unit: 100ms, 1s")
    })
}

fn by_ending(path: &Path) -> Result<View, Problem> {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase()).unwrap_or_default();
    match ending.as_str() {
        "html" => Ok(View::Html),
        "svg" => Ok(View::Svg),
        "txt" => Ok(View::Text),
        _ => {
            let error = anyhow::anyhow!("unknown format of the file `{}`", path.display());
            Err(Problem::misuse(error, "known endings: .html .svg .txt"))
        }
    }
}

fn chosen(processes: Vec<Process>, args: &SteadyShowArgs) -> Result<Vec<Process>, Problem> {
    let filter = args.filter.as_deref().map(Regex::new).transpose().map_err(|error| {
        Problem::misuse(
            anyhow::Error::new(error).context("understand --filter"),
            "it is a regular expression",
        )
    })?;
    let is_chosen = |process: &Process| {
        filter.as_ref().is_none_or(|filter| filter.is_match(&process.name()))
            && args.process.is_none_or(|number| number == process.recorded.fork)
    };
    Ok(processes.into_iter().filter(is_chosen).collect())
}

fn wrong_number(count: usize) -> Problem {
    match count {
        0 => Problem::failed(anyhow::anyhow!("no process with values"), "--filter and --process choose"),
        _ => Problem::misuse(
            anyhow::anyhow!("draw {count} processes as one picture"),
            "choose one with --filter and --process, or write HTML",
        ),
    }
}

fn view_of(process: &Process, rules: &[&NamedRule]) -> SeriesView {
    let RecordedProcess { fork, iteration_s, values, .. } = &process.recorded;
    let options = LabelOptions { iteration_s: *iteration_s, ..LabelOptions::DEFAULT };
    let mut view = SeriesView {
        benchmark: process.name(),
        process: *fork,
        values: values.clone(),
        unit: Unit::Seconds,
        outliers: Vec::new(),
        segments: Vec::new(),
        steady: Steady::Never,
        notes: Vec::new(),
        stops: rules.iter().filter_map(|rule| stop_of(process, rule)).collect(),
    };
    match label(values, &options) {
        Err(error) => view.steady = Steady::Unknown(format!("failed to {error}; {}", error.hint())),
        Ok(label) => {
            let extent = |segment: benchwright_steady::labels::Segment| Extent {
                first: segment.first,
                last: segment.last,
                mean: segment.mean,
            };
            view.segments = label.segments(values).into_iter().map(extent).collect();
            // The label names the last iteration before; 0 is the start itself.
            view.steady = match label.steady_from {
                None => Steady::Never,
                Some(0) => Steady::From(0),
                Some(last) => Steady::From(last + 1),
            };
            view.notes = label.notes.iter().map(ToString::to_string).collect();
            view.outliers = label.outliers;
        }
    }
    view
}

fn stop_of(process: &Process, rule: &NamedRule) -> Option<StopView> {
    let given = Given {
        configuration: process.configuration,
        iteration_time: Duration::try_from_secs_f64(process.recorded.iteration_s).ok()?,
        longest_warmup: None,
        seed: 1,
    };
    let plan = rule.plan(&given).ok()?;
    let stop = replay(plan.rule().as_mut(), &process.recorded.values, process.recorded.iteration_s)?;
    Some(StopView { rule: rule.name.to_owned(), warmup: stop.warmup, end: stop.end, reason: stop.reason })
}

fn write(
    view: View,
    title: &str,
    views: &[SeriesView],
    width: Option<usize>,
    out: &mut dyn Write,
) -> std::io::Result<()> {
    match view {
        View::Text => write_text(views, width, out),
        View::Html => write_html(title, views, out),
        View::Svg => views.iter().try_for_each(|view| write_svg(view, out)),
    }
}
