//! `benchwright steady show`: shows processes with their steady part.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::Path;
use std::time::Duration;

use benchwright_formats::warmup::RecordedProcess;
use benchwright_model::Unit;
use benchwright_report::steady::{
    BenchmarkClassView, Extent, SeriesView, Steady, StopView, write_html, write_svg, write_text,
};
use benchwright_steady::labels::barrett::{self, BenchmarkClass, ProcessClass};
use benchwright_steady::labels::{LabelOptions, label};
use benchwright_steady::rules::catalogue::{self, NamedRule, RULES};
use benchwright_steady::{Stop, in_parallel};
use regex::Regex;

use super::replayed;
use super::source::{self, Process, Source};
use crate::args::{Global, SteadyShowArgs};
use crate::exit::Outcome;
use crate::output;
use crate::terminal::{Terminal, print};
use benchwright_session::{Problem, because};

/// Seed of rules that make random choices. It equals the default of `steady stops`.
const SEED: u64 = 1;

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
    let source = source::find(global, &args.source, iteration.as_secs_f64())?;
    let mut outcome = source.doubts.tell(terminal);
    outcome.failed |= source.tell(terminal);
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
    let jobs = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let views = groups.views(&chosen, &rules, jobs);
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

/// The position of a process: its benchmark, and its number among the benchmark's processes.
type Place = (usize, usize);

/// All processes by benchmark. A process without values is a group of its own. The results of a rule and the
/// class of a benchmark depend on all processes, even if only some are shown.
struct Groups<'a>(Vec<Vec<&'a Process>>);

impl<'a> Groups<'a> {
    fn of(source: &'a Source) -> Self {
        let empty = source.processes.iter().filter(|process| process.recorded.values.is_empty());
        Groups(source.by_benchmark().into_iter().chain(empty.map(|process| vec![process])).collect())
    }

    fn places(&self) -> impl Iterator<Item = Place> + '_ {
        self.0.iter().enumerate().flat_map(|(at, group)| (0..group.len()).map(move |number| (at, number)))
    }

    fn process(&self, (benchmark, number): Place) -> &'a Process {
        self.0[benchmark][number]
    }

    /// The views of the processes at these positions.
    fn views(&self, places: &[Place], rules: &[&NamedRule], jobs: NonZeroUsize) -> Vec<SeriesView> {
        let shown: BTreeSet<usize> = places.iter().map(|(benchmark, _)| *benchmark).collect();
        let of_shown: Vec<Place> = self.places().filter(|(at, _)| shown.contains(at)).collect();
        let classes: BTreeMap<Place, Option<ProcessClass>> = of_shown
            .iter()
            .copied()
            .zip(in_parallel(&of_shown, jobs, |place| {
                barrett::classify(&self.process(*place).recorded.values)
            }))
            .collect();
        let has_values = |at: &&usize| !self.process((**at, 0)).recorded.values.is_empty();
        let replayed = shown.iter().filter(has_values);
        let asked: Vec<(usize, &NamedRule)> =
            replayed.flat_map(|at| rules.iter().map(move |rule| (*at, *rule))).collect();
        // A rule that needs unknown facts about the processes is left out.
        let stops = in_parallel(&asked, jobs, |(at, rule)| replayed::stops(rule, &self.0[*at], SEED).ok());
        in_parallel(places, jobs, |place| {
            let of_benchmark = asked.iter().zip(&stops).filter(|((at, _), _)| *at == place.0);
            let own = of_benchmark.filter_map(|((_, rule), stops)| Some((*rule, stops.as_ref()?)));
            let of_all = classes.range((place.0, 0)..(place.0 + 1, 0)).map(|(_, class)| *class);
            SeriesView {
                class: classes.get(place).copied().flatten().map(|class| class.word().to_owned()),
                benchmark_class: benchmark_class(&of_all.collect::<Vec<_>>()),
                stops: own.map(|(rule, stops)| stop_view(rule, stops, place.1)).collect(),
                ..labelled(self.process(*place))
            }
        })
    }
}

/// The class of a benchmark with these processes. `None` if one of them has no class.
fn benchmark_class(processes: &[Option<ProcessClass>]) -> Option<BenchmarkClassView> {
    let known: Vec<ProcessClass> = processes.iter().copied().collect::<Option<_>>()?;
    let words = BenchmarkClass::of(&known)?.words();
    Some(BenchmarkClassView { class: words.to_owned(), processes: known.len() })
}

/// What a rule would have done with the process with this number.
fn stop_view(rule: &NamedRule, stops: &[Stop], number: usize) -> StopView {
    let rule = rule.name.to_owned();
    match stops.get(number) {
        Some(stop) => StopView { rule, extent: Some((stop.warmup, stop.end)), reason: stop.reason.clone() },
        None => StopView { rule, extent: None, reason: format!("{} processes are enough", stops.len()) },
    }
}

/// A process with its segments and its steady part.
fn labelled(process: &Process) -> SeriesView {
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
        class: None,
        benchmark_class: None,
        notes: Vec::new(),
        stops: Vec::new(),
    };
    match label(values, &options) {
        Err(error) => view.steady = Steady::Unknown(format!("cannot {error}; {}", error.hint())),
        Ok(label) => {
            let extent = |segment: benchwright_steady::labels::Segment| Extent {
                first: segment.first,
                last: segment.last,
                mean: segment.mean,
            };
            view.segments = label.segments(values).into_iter().map(extent).collect();
            // The label is the last iteration before the steady part. 0 means that it is steady from the
            // start.
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
