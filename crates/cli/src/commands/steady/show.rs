//! `benchwright steady show`: shows processes with their steady part.

use std::io::Write;
use std::path::Path;
use std::time::Duration;

use benchwright_report::steady::{SeriesView, write_html, write_svg, write_text};
use benchwright_session::steady::{self, Groups, Place, Process};
use benchwright_session::{Problem, because};
use benchwright_steady::rules::catalogue::{self, NamedRule, RULES};
use regex::Regex;

use super::tell;
use crate::args::{FileLimits, Global, SteadyShowArgs};
use crate::exit::Outcome;
use crate::flags::file_limits;
use crate::output;
use crate::terminal::{Terminal, print};

/// The way to show them.
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
    let limits = file_limits(global, &FileLimits::default())?;
    let source = steady::find(&global.workspace(), &args.source, iteration.as_secs_f64(), limits)?;
    let outcome = tell(terminal, source.doubts.diagnostics().iter().chain(&source.diagnostics));
    let groups = Groups::of(&source);
    let mut chosen = chosen(&groups, args)?;
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
    let views = groups.views(&chosen, &rules);
    let width = terminal.text_options(true).width;
    print(|out| write(shown, &source.title, &views, width, out))?;
    if let Some((path, view)) = file {
        let path = global.workspace().directory()?.join(path);
        output::to_file(&path, |out| write(view, &source.title, &views, None, out))?;
        terminal.say(&format!("wrote {}", path.display()));
    }
    if left_out > 0 {
        let noun = if left_out == 1 { "process" } else { "processes" };
        terminal.say(&format!("{left_out} more {noun}; --limit, --filter and --process choose others"));
    }
    Ok(outcome)
}

/// The rules to show: those that the user names, or all. A rule that needs unknown facts about a process is
/// left out for that process.
fn rules(args: &SteadyShowArgs) -> Result<Vec<&'static NamedRule>, Problem> {
    if args.rule.is_empty() {
        return Ok(RULES.iter().collect());
    }
    Ok(args.rule.iter().map(|name| catalogue::rule(name)).collect::<Result<_, _>>()?)
}

fn iteration_time(text: &str) -> Result<Duration, Problem> {
    let parsed = benchwright_config::parse_duration(text).ok();
    parsed.filter(|time| !time.is_zero()).ok_or_else(|| {
        let error = format!("expected a duration such as `100ms`, got `{text}`");
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
            let error = format!("unknown format of the file `{}`", path.display());
            Err(Problem::misuse(error, "known endings: .html .svg .txt"))
        }
    }
}

/// The processes to show.
fn chosen(groups: &Groups<'_>, args: &SteadyShowArgs) -> Result<Vec<Place>, Problem> {
    let filter = args.filter.as_deref().map(Regex::new).transpose().map_err(|error| {
        Problem::misuse(because("understand --filter", error), "it is a regular expression")
    })?;
    let is_chosen = |process: &Process| {
        filter.as_ref().is_none_or(|filter| filter.is_match(&process.name()))
            && args.process.is_none_or(|number| number == process.recorded.fork)
    };
    Ok(groups.places().filter(|place| is_chosen(groups.process(*place))).collect())
}

fn wrong_number(count: usize) -> Problem {
    match count {
        0 => Problem::failed("no process with values", "--filter and --process choose"),
        _ => Problem::misuse(
            format!("draw {count} processes as one picture"),
            "choose one with --filter and --process, or write HTML",
        ),
    }
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
