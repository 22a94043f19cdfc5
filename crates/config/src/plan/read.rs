//! Reads a plan from its text.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use benchwright_model::{BenchmarkId, Diagnostic};
use toml::de::DeTable;

use super::{DuetRange, Goal, PLAN_FORMAT, Plan, PlanSource, PlannedBenchmark};
use crate::file::Listed;
use crate::problem::{Remark, Remarks};
use crate::table::Table;
use crate::value::{Raw, Value, entries};
use crate::{Levels, Problem};

/// Why a file does not contain a valid plan.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// It cannot be read.
    #[error("read the plan `{path}`")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// Errors that concern the whole plan, all of them.
    #[error("use the plan `{file}`\n{}", Listed(.problems))]
    Invalid {
        /// The file as it should be shown.
        file: String,
        /// The errors in the order of the text, never empty.
        problems: Vec<Problem>,
    },
    /// It was written by a later benchwright.
    #[error("use the plan `{file}`: it has format {format}, the newest known here is {PLAN_FORMAT}")]
    Newer {
        /// The file as it should be shown.
        file: String,
        /// Its format.
        format: u32,
    },
}

impl PlanError {
    /// Advice for the user.
    pub fn hint(&self) -> &'static str {
        match self {
            PlanError::Unreadable { .. } => "--no-plan measures without a plan",
            PlanError::Invalid { .. } => "`benchwright reduce` writes a new one; --no-plan ignores it",
            PlanError::Newer { .. } => {
                "install a newer benchwright, or make a new plan with `benchwright reduce`; --no-plan ignores it"
            }
        }
    }
}

/// The plan in a file, and diagnostics about parts that were left out.
pub fn read_plan(path: &Path) -> Result<(Plan, Vec<Diagnostic>), PlanError> {
    let text = std::fs::read_to_string(path)
        .map_err(|source| PlanError::Unreadable { path: path.into(), source })?;
    read_plan_text(&path.display().to_string(), &text)
}

/// The same for a text. `file` is the name in messages. An invalid entry is left out and reported.
pub fn read_plan_text(file: &str, text: &str) -> Result<(Plan, Vec<Diagnostic>), PlanError> {
    let mut remarks = Remarks::default();
    let invalid = |mut errors: Vec<Remark>| {
        errors.sort_by_key(|remark| remark.span.start);
        let problems = errors.iter().map(|remark| Problem::new(file, text, remark)).collect();
        PlanError::Invalid { file: file.into(), problems }
    };
    let parsed = DeTable::parse(text).map_err(|error| {
        let span = error.span().unwrap_or(text.len()..text.len());
        invalid(vec![Remark::new(span, error.message().replace('\n', ", "))])
    })?;
    let entries = entries(parsed.get_ref());
    let whole = Value { span: 0..0, raw: Raw::Table(entries.clone()) };
    let top = Table { value: &whole, entries: &entries };
    if let Some(format) = format(&top, &mut remarks).filter(|format| *format > PLAN_FORMAT) {
        // Other parts that look wrong may be valid in that format.
        return Err(PlanError::Newer { file: file.into(), format });
    }
    top.warn_of_unknown(&["format", "made", "by", "goal", "source", "benchmark"], &mut remarks);
    let goal = goal(&top, &mut remarks);
    let sources = sources(&top, &mut remarks);
    let listed = listed(&top, &mut remarks);
    let (Some(goal), true) = (goal, remarks.errors.is_empty()) else { return Err(invalid(remarks.errors)) };
    let mut diagnostics: Vec<Diagnostic> = Vec::new();
    let mut plan = Plan {
        made: top.text("made", &mut remarks).unwrap_or_default(),
        by: top.text("by", &mut remarks).unwrap_or_default(),
        goal,
        sources,
        benchmarks: BTreeMap::new(),
    };
    for item in listed {
        let mut of_entry = Remarks::default();
        add(&mut plan, item, &mut of_entry);
        remarks.warnings.append(&mut of_entry.warnings);
        let left_out = of_entry.errors.iter().map(|remark| left_out(file, text, item, remark));
        diagnostics.extend(left_out);
    }
    remarks.warnings.append(&mut remarks.errors);
    remarks.warnings.sort_by_key(|remark| remark.span.start);
    let warnings = remarks.warnings.iter().map(|remark| Problem::new(file, text, remark).warning());
    Ok((plan, warnings.chain(diagnostics).collect()))
}

/// The warning that an entry is left out, with its benchmark if that can be read.
fn left_out(file: &str, text: &str, item: &Value, remark: &Remark) -> Diagnostic {
    let part = |key: &str| match &item.raw {
        Raw::Table(entries) => {
            entries.iter().find(|entry| entry.key == key).and_then(|entry| entry.value.as_text())
        }
        _ => None,
    };
    let name = match (part("package"), part("name")) {
        (Some(package), Some(name)) => format!("`{package}:{name}`"),
        (None, Some(name)) => format!("`{name}`"),
        _ => "a benchmark".to_owned(),
    };
    let problem = Problem::new(file, text, remark);
    let message = format!("the entry of {name} is left out: {}", problem.message);
    let hint =
        if problem.hint.is_empty() { "it runs in full until the entry is right" } else { &problem.hint };
    Diagnostic::warning(file, message).at(problem.position.line, problem.position.column).hint(hint)
}

fn format(top: &Table<'_>, remarks: &mut Remarks) -> Option<u32> {
    let value = top.needed("format", remarks)?;
    remarks.keep(value.count("the number of a format, from 1", 1..=i64::from(u32::MAX)))
}

fn goal(top: &Table<'_>, remarks: &mut Remarks) -> Option<Goal> {
    let value = top.needed("goal", remarks)?;
    let table = Table::of(value, "a table `[goal]`", remarks)?;
    let what_for = table.needed("for", remarks)?;
    let is_stability = remarks.keep(what_for.choice(&[("stability", true), ("compare", false)]))?;
    if is_stability {
        table.warn_of_unknown(&["for", "metric", "threshold", "mode"], remarks);
        let (metric, threshold) = (table.required("metric", remarks), ratio(&table, "threshold", remarks));
        let mode = table.text("mode", remarks).unwrap_or_else(|| "paper".into());
        return Some(Goal::Stability { metric: metric?, threshold: threshold?, mode });
    }
    table.warn_of_unknown(&["for", "change", "power", "false-alarms"], remarks);
    let (change, power) = (ratio(&table, "change", remarks), ratio(&table, "power", remarks));
    let false_alarms = ratio(&table, "false-alarms", remarks);
    Some(Goal::Compare { change: change?, power: power?, false_alarms: false_alarms? })
}

fn ratio(table: &Table<'_>, key: &str, remarks: &mut Remarks) -> Option<f64> {
    let value = table.needed(key, remarks)?;
    remarks.keep(value.ratio("a positive share such as `0.01`", f64::MIN_POSITIVE..f64::INFINITY))
}

/// The sources in `[source]`. An invalid source causes only a warning, because only other warnings depend on
/// it.
fn sources(top: &Table<'_>, remarks: &mut Remarks) -> BTreeMap<String, PlanSource> {
    let mut found = Remarks::default();
    let table = top.get("source").and_then(|value| Table::of(value, "tables `[source.NAME]`", &mut found));
    let mut sources = BTreeMap::new();
    for entry in table.iter().flat_map(|table| table.entries) {
        let Some(table) = Table::of(&entry.value, "a table `[source.NAME]`", &mut found) else { continue };
        table.warn_of_unknown(&["run", "files", "version", "commit", "environment"], &mut found);
        let files = table.get("files").and_then(|value| found.keep(value.list("a list of files", &[])));
        let files = files.unwrap_or_default();
        let source = PlanSource {
            run: table.text("run", &mut found),
            files: files.iter().filter_map(|file| found.keep(file.text("a text in quotes"))).collect(),
            version: table.text("version", &mut found).unwrap_or_default(),
            commit: table.text("commit", &mut found),
            environment: facts(&table, &mut found),
        };
        sources.insert(entry.key.clone(), source);
    }
    remarks.warnings.append(&mut found.warnings);
    remarks.warnings.append(&mut found.errors);
    sources
}

fn facts(source: &Table<'_>, remarks: &mut Remarks) -> BTreeMap<String, String> {
    let value = source.get("environment");
    let table = value.and_then(|value| Table::of(value, "a table of facts", remarks));
    let facts = table
        .iter()
        .flat_map(|table| table.entries)
        .filter_map(|entry| Some((entry.key.clone(), remarks.keep(entry.value.text("a text in quotes"))?)));
    facts.collect()
}

/// The tables of the list `[[benchmark]]`.
fn listed<'a>(top: &Table<'a>, remarks: &mut Remarks) -> &'a [Value] {
    match top.get("benchmark").map(|value| (value, &value.raw)) {
        None => &[],
        Some((_, Raw::List(list))) => list,
        Some((value, _)) => {
            remarks.errors.push(value.expected("a list of tables `[[benchmark]]`"));
            &[]
        }
    }
}

/// Adds an entry that has no error.
fn add(plan: &mut Plan, item: &Value, remarks: &mut Remarks) {
    let Some(table) = Table::of(item, "a table `[[benchmark]]`", remarks) else { return };
    table.warn_of_unknown(&BENCHMARK_KEYS, remarks);
    let id = id(&table, remarks);
    let planned = planned(&table, remarks);
    let (Some(id), Some(planned), true) = (id, planned, remarks.errors.is_empty()) else { return };
    if plan.benchmarks.contains_key(&id) {
        let remark = Remark::new(table.place("name"), format!("`{id}` is there twice"));
        remarks.errors.push(remark.hint("the first entry counts"));
        return;
    }
    if !plan.sources.contains_key(&planned.source) {
        let message = format!("there is no `[source.{}]`", planned.source);
        remarks.warnings.push(Remark::new(table.place("source"), message));
    }
    plan.benchmarks.insert(id, planned);
}

const BENCHMARK_KEYS: [&str; 14] = [
    "harness",
    "package",
    "name",
    "source",
    "levels",
    "metric",
    "instability",
    "stable",
    "seconds",
    "full-seconds",
    "code",
    "duets",
    "iterations",
    "iteration-time",
];

fn id(table: &Table<'_>, remarks: &mut Remarks) -> Option<BenchmarkId> {
    let (harness, package) = (table.required("harness", remarks), table.required("package", remarks));
    let name = table.required("name", remarks);
    Some(BenchmarkId::new(harness?, package?, name?))
}

fn planned(table: &Table<'_>, remarks: &mut Remarks) -> Option<PlannedBenchmark> {
    let levels = table.needed("levels", remarks);
    let (instances, levels) = levels.and_then(|value| self::levels(value, remarks))?;
    let is_stable = table.get("stable").map(|value| remarks.keep(value.flag()));
    let instability = table.get("instability").map(|value| not_negative(value, remarks));
    let (seconds, full) = (seconds(table, "seconds", remarks), seconds(table, "full-seconds", remarks));
    let time = table.get("iteration-time").map(|value| {
        remarks.keep(value.duration("a duration such as `\"100ms\"`", Duration::from_nanos(1)..))
    });
    Some(PlannedBenchmark {
        source: table.required("source", remarks)?,
        instances,
        levels,
        metric: table.text("metric", remarks),
        instability: instability.flatten(),
        is_stable: is_stable.flatten().unwrap_or(false),
        seconds: seconds?,
        full_seconds: full?,
        code: table.text("code", remarks),
        duets: table.get("duets").and_then(|value| duets(value, remarks)),
        iterations: table.count("iterations", 1, remarks),
        iteration_time: time.flatten(),
    })
}

fn levels(value: &Value, remarks: &mut Remarks) -> Option<(u32, Levels)> {
    let table = Table::of(value, "a table such as `{ run = 1, iteration = 3, second = 1 }`", remarks)?;
    table.warn_of_unknown(&["instance", "run", "iteration", "second"], remarks);
    let mut size = |key: &str| {
        table.needed(key, remarks)?;
        table.count(key, 1, remarks)
    };
    let (run, iteration, second) = (size("run"), size("iteration"), size("second"));
    let instances = table.count("instance", 1, remarks).unwrap_or(1);
    Some((instances, Levels { run: run?, iteration: iteration?, second: second? }))
}

fn duets(value: &Value, remarks: &mut Remarks) -> Option<DuetRange> {
    let table = Table::of(value, "a table such as `{ floor = 5, cap = 20 }`", remarks)?;
    table.warn_of_unknown(&["floor", "cap"], remarks);
    let mut size = |key: &str| {
        table.needed(key, remarks)?;
        table.count(key, 2, remarks)
    };
    let range = DuetRange { floor: size("floor")?, cap: size("cap")? };
    if range.cap < range.floor {
        let place = table.place("cap");
        remarks.errors.push(Remark::new(place, "expected a cap of at least the floor"));
        return None;
    }
    Some(range)
}

fn seconds(table: &Table<'_>, key: &str, remarks: &mut Remarks) -> Option<f64> {
    let value = table.needed(key, remarks)?;
    not_negative(value, remarks)
}

fn not_negative(value: &Value, remarks: &mut Remarks) -> Option<f64> {
    let number = match value.raw {
        Raw::Float(number) => Some(number),
        Raw::Integer(number) => Some(number as f64),
        _ => None,
    };
    let found = number.filter(|number| number.is_finite() && *number >= 0.0);
    remarks.keep(found.ok_or_else(|| value.expected("a number from 0")))
}
