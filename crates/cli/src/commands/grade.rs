//! `benchwright grade` and `benchwright select`: how good a suite is, and which of its benchmarks are needed.

use benchwright_config::{parse_duration, parse_ratio};
use benchwright_model::Severity;
use benchwright_report::grade::GradeReport;
use benchwright_session::Problem;
use benchwright_session::grade::Graded;
use benchwright_session::grade::api::{self, ApiRequest};
use benchwright_session::grade::choose::{self, ChooseRequest};
use benchwright_session::grade::gate::{self, GateRequest};
use benchwright_session::grade::suite::{self, Parts, SuiteRequest};
use benchwright_session::levels::RunRequest;

use crate::args::{
    FileLimits, Global, GradeApiArgs, GradeArgs, GradeCommand, GradeGateArgs, GradeSuiteArgs, SelectArgs,
    VerdictArgs,
};
use crate::exit::Outcome;
use crate::flags::{file_limits, flag_layer, refuse_typed};
use crate::output::Formats;
use crate::progress::Progress;
use crate::terminal::Terminal;

/// Grades a suite, or one side of it.
pub(crate) fn run(global: &Global, args: &GradeArgs) -> Result<Outcome, Problem> {
    match &args.command {
        None => suite(global, &args.suite, Parts { extent: true, stability: true }),
        Some(GradeCommand::Extent(args)) => suite(global, args, Parts { extent: true, stability: false }),
        Some(GradeCommand::Stability(args)) => suite(global, args, Parts { extent: false, stability: true }),
        Some(GradeCommand::Api(args)) => api(global, args),
        Some(GradeCommand::Gate(args)) => gate(global, args),
    }
}

/// Chooses benchmarks.
pub(crate) fn select(global: &Global, args: &SelectArgs) -> Result<Outcome, Problem> {
    refuse_sources(&args.suite)?;
    let formats = formats(&args.suite)?;
    let mut suite = suite_request(global, &args.suite, None)?;
    let budget = suite.budget.take();
    let request = ChooseRequest { suite, changed: args.changed.clone(), budget };
    measured(global, &args.suite, &formats, |progress| choose::choose(&request, progress))
}

fn suite(global: &Global, args: &GradeSuiteArgs, parts: Parts) -> Result<Outcome, Problem> {
    let formats = formats(args)?;
    let request = SuiteRequest { parts, ..suite_request(global, args, None)? };
    measured(global, args, &formats, |progress| suite::grade(&request, progress))
}

fn api(global: &Global, args: &GradeApiArgs) -> Result<Outcome, Problem> {
    let formats = formats(&args.suite)?;
    refuse_sources(&args.suite)?;
    refuse_typed(&[("--budget", args.suite.measuring.budget.is_some())], OF_SUITES)?;
    let slowdown = args.slowdown.as_deref().map(|text| positive_ratio("--slowdown", text)).transpose()?;
    let request = ApiRequest {
        suite: suite_request(global, &args.suite, None)?,
        functions: args.function.clone(),
        count: args.count as usize,
        clients: args.client.clone(),
        slowdown,
        stubs: match &args.stubs {
            Some(dir) => Some(global.workspace().directory()?.join(dir)),
            None => None,
        },
    };
    measured(global, &args.suite, &formats, |progress| api::grade(&request, progress))
}

fn gate(global: &Global, args: &GradeGateArgs) -> Result<Outcome, Problem> {
    refuse_sources(&args.suite)?;
    let formats = formats(&args.suite)?;
    let mut suite = suite_request(global, &args.suite, Some(&args.verdict))?;
    // Of the gate's own comparisons the budget is a setting.
    if let Some(budget) = &args.suite.measuring.budget {
        suite.run.settings.set("budget", budget)?;
    }
    let mut slowdowns: Vec<f64> =
        args.slowdown.iter().map(|text| positive_ratio("--slowdown", text)).collect::<Result<_, _>>()?;
    slowdowns.sort_by(f64::total_cmp);
    let request = GateRequest { suite, function: args.function.clone(), slowdowns, times: args.times };
    measured(global, &args.suite, &formats, |progress| gate::grade(&request, progress))
}

/// The commands that read results instead of measuring.
const OF_SUITES: &str = "`grade`, `grade extent` or `grade stability`";

fn refuse_sources(args: &GradeSuiteArgs) -> Result<(), Problem> {
    refuse_typed(&[("--from", !args.from.is_empty())], OF_SUITES)
}

fn formats(args: &GradeSuiteArgs) -> Result<Formats, Problem> {
    let formats = Formats::of(&args.output)?;
    formats.check_document::<GradeReport>()?;
    Ok(formats)
}

/// What was typed, as a session is asked for it.
fn suite_request(
    global: &Global,
    args: &GradeSuiteArgs,
    verdict: Option<&VerdictArgs>,
) -> Result<SuiteRequest, Problem> {
    let budget = args.measuring.budget.as_deref().map(|text| {
        parse_duration(text).map_err(|message| Problem::misuse(format!("`--budget`: {message}"), ""))
    });
    let measuring = crate::args::Measuring { budget: None, ..args.measuring.clone() };
    Ok(SuiteRequest {
        run: RunRequest {
            workspace: global.interruptible(),
            revision: args.rev.clone(),
            settings: flag_layer(global, &args.selection, Some(&measuring), verdict)?,
            selection: args.selection.selection(None)?,
            ..RunRequest::default()
        },
        sources: args.from.clone(),
        runs: args.runs,
        budget: budget.transpose()?,
        limits: file_limits(global, &FileLimits::default())?,
        parts: Parts { extent: false, stability: false },
    })
}

fn positive_ratio(flag: &str, text: &str) -> Result<f64, Problem> {
    let ratio = parse_ratio(text).map_err(|message| Problem::misuse(format!("`{flag}`: {message}"), ""))?;
    match ratio > 0.0 && ratio.is_finite() {
        true => Ok(ratio),
        false => Err(Problem::misuse(format!("`{flag}` must be above 0, got `{text}`"), "for example 30%")),
    }
}

/// Grades with progress, and shows the report.
fn measured(
    global: &Global,
    args: &GradeSuiteArgs,
    formats: &Formats,
    grade: impl FnOnce(&mut Progress) -> Result<Graded, Problem>,
) -> Result<Outcome, Problem> {
    let terminal = Terminal::new(global);
    let mut progress = Progress::new(terminal);
    let graded = grade(&mut progress)?;
    drop(progress);
    formats.write_document_with(&graded.report, terminal, args.all)?;
    graded.problems.iter().for_each(|problem| terminal.complain(problem));
    let has_error = graded.report.diagnostics.iter().any(|it| it.severity == Severity::Error);
    Ok(Outcome {
        failed: has_error || graded.is_interrupted || !graded.problems.is_empty(),
        ..Outcome::default()
    })
}
