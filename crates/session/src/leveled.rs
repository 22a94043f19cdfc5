//! Results with their position on every level of repetition, from files or from stored runs.
//!
//! 1. [`read`] turns files and runs into [`Leveled`] sets;
//! 2. `processes` gives every value its position and nanoseconds;
//! 3. values that cannot be placed or are doubtful get a diagnostic that names the benchmark, and the rest is
//!    used.

mod duets;
mod processes;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use benchwright_analysis::reduce::LevelSeries;
use benchwright_config::{PlanSource, parse_duration};
use benchwright_formats::{Format, Imported, ImportedBenchmark, Limits};
use benchwright_model::{BenchmarkId, Diagnostic, Position, RunId, RunKind, SampleKind, Side, Version};
use benchwright_report::reduction::Source;
use benchwright_store::{BuildRecord, RunRecord, Store};

use crate::problem::Problem;
use crate::project;
use crate::recorded;
use crate::request::Workspace;
use crate::stale;
use processes::{Process, Processes, Shape};

/// One set of results: of one version, measured on one occasion.
#[derive(Debug)]
pub struct Leveled {
    /// Where it comes from.
    pub source: Source,
    /// Its source, as a plan records it.
    pub origin: PlanSource,
    /// The configured length of an iteration. `None` if unknown.
    pub iteration_time: Option<Duration>,
    /// Whether a value is one iteration of a trial, as in comparisons.
    pub has_trial_shape: bool,
    /// The version and its builds, if benchwright measured it here.
    pub built: Option<(Version, Vec<BuildRecord>)>,
    /// Its benchmarks.
    pub benchmarks: Vec<LeveledBenchmark>,
    /// Diagnostics about data that was not understood or is doubtful.
    pub diagnostics: Vec<Diagnostic>,
}

/// One benchmark of a set.
#[derive(Debug, Clone, PartialEq)]
pub struct LeveledBenchmark {
    /// Its identity.
    pub id: BenchmarkId,
    /// Its name as the source writes it.
    pub name: String,
    /// What kind of samples its values are.
    pub sample_kind: SampleKind,
    /// Its values with their positions.
    pub series: LevelSeries,
    /// Seconds that one value took.
    pub seconds_per_value: f64,
    /// Seconds that a process took in addition to its values.
    pub process_seconds: f64,
    /// Number of values that were cut from the beginning of a process as warm-up: the average, rounded up.
    pub warmup: u32,
}

/// Names of settings of a stored run: the format of an imported one, and the length of iterations.
const FORMAT: &str = "format";
const ITERATION_TIME: &str = "iteration-time";

/// What the values are used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// To choose among smaller configurations, which have to be part of the data: one version over its
    /// levels.
    Levels,
    /// To find out how much processes differ. Comparisons are the best source for this.
    Noise,
}

/// Reads the file called `name`, or the stored run if there is no such file.
pub fn read(
    workspace: &Workspace,
    name: &str,
    limits: Limits,
    purpose: Purpose,
) -> Result<Vec<Leveled>, Problem> {
    let directory = workspace.directory()?;
    if name == "-" || directory.join(name).exists() {
        let sets = recorded::imported(name, &directory, limits)?;
        return Ok(sets.into_iter().map(|set| of_file(name, set)).collect());
    }
    let store = project::open_store_for(workspace, name)?;
    let id = store.find(name)?;
    Ok(vec![of_record(&store.load(&id)?, purpose)?])
}

/// Reads the newest stored run that suits the purpose.
pub fn newest(workspace: &Workspace, purpose: Purpose) -> Result<Leveled, Problem> {
    let (_, store) = project::open_store(workspace)?;
    match newest_record(&store, purpose)? {
        Some(record) => of_record(&record, purpose),
        None => {
            let what = match purpose {
                Purpose::Levels => "no complete stored run of one version",
                Purpose::Noise => "no complete stored run",
            };
            Err(Problem::misuse(what, "`benchwright run --full` measures one; --from names files"))
        }
    }
}

/// A run that followed a plan has no data beyond the plan, but shows as well as any other how processes
/// differ.
fn newest_record(store: &Store, purpose: Purpose) -> Result<Option<RunRecord>, Problem> {
    let is_wanted = |kind: RunKind| match purpose {
        Purpose::Levels => kind == RunKind::Levels,
        Purpose::Noise => matches!(kind, RunKind::Levels | RunKind::Compare),
    };
    let rows = store.runs(usize::MAX)?;
    for row in rows.iter().filter(|row| is_wanted(row.kind) && !row.is_partial) {
        let record = store.load(&row.id)?;
        if purpose == Purpose::Noise || !record.run.settings.contains_key("plan") {
            return Ok(Some(record));
        }
    }
    Ok(None)
}

fn of_record(record: &RunRecord, purpose: Purpose) -> Result<Leveled, Problem> {
    match (record.run.kind, purpose) {
        (RunKind::Compare, Purpose::Noise) => Ok(duets::of_comparison(record)),
        _ => of_run(record),
    }
}

fn of_file(name: &str, set: Imported) -> Leveled {
    let title = if name == "-" { "standard input".to_owned() } else { name.to_owned() };
    let source = Source { title: title.clone(), project: project_of(&title), run: None };
    let origin = PlanSource {
        files: vec![title.clone()],
        version: set.revision.clone().unwrap_or(title),
        commit: set.revision.clone().filter(|text| is_commit(text)),
        environment: set.environment.clone(),
        ..PlanSource::default()
    };
    let is_uoptime = set.format == Format::Uoptime;
    let all: Vec<Processes<'_>> = set.benchmarks.iter().map(|one| of_imported(one, is_uoptime)).collect();
    collect(source, origin, set.diagnostics.clone(), &all, false)
}

fn is_commit(text: &str) -> bool {
    text.len() >= 7 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The name of the file without the parts that all such files share: `laaber_`, `-jmh121`, and endings.
fn project_of(path: &str) -> String {
    let name = Path::new(path).file_name().map(|name| name.to_string_lossy().into_owned());
    let name = name.unwrap_or_else(|| path.to_owned());
    let mut rest = name.as_str();
    for ending in [".gz", ".csv", ".json", ".txt", ".out", "-jmh121"] {
        rest = rest.strip_suffix(ending).unwrap_or(rest);
    }
    rest.strip_prefix("laaber_").unwrap_or(rest).to_owned()
}

fn of_imported(benchmark: &ImportedBenchmark, is_uoptime: bool) -> Processes<'_> {
    let position = |at: usize| match benchmark.positions.get(at) {
        Some(Position::Levels { instance, suite_run, iteration }) => [*instance, *suite_run, *iteration],
        _ => [0, 0, at as u32],
    };
    let processes = benchmark.processes.iter().enumerate();
    Processes {
        id: &benchmark.id,
        name: match benchmark.written_name.as_str() {
            "" => plain_name(&benchmark.id),
            written => written.to_owned(),
        },
        is_structure_known: benchmark.is_structure_known,
        has_given_seconds: is_uoptime,
        failed: 0,
        processes: processes
            .map(|(at, measurement)| Process {
                position: position(at),
                places: benchmark.inner_positions.get(at).map(Vec::as_slice).unwrap_or_default(),
                measurement,
                wall: Duration::ZERO,
            })
            .collect(),
    }
}

/// `package:name`, or the name alone where no package is known.
fn plain_name(id: &BenchmarkId) -> String {
    if id.package.is_empty() { id.name.clone() } else { id.to_string() }
}

/// Reads a stored run.
pub fn of_run(record: &RunRecord) -> Result<Leveled, Problem> {
    let run = &record.run;
    if run.kind == RunKind::Compare {
        let error = format!("reduce run {}: it is a comparison and has no levels", run.id);
        return Err(Problem::misuse(error, "`benchwright run --full` measures one version over its levels"));
    }
    let mut by_benchmark: BTreeMap<&BenchmarkId, Processes<'_>> = BTreeMap::new();
    let format = run.settings.get(FORMAT).map(String::as_str).unwrap_or_default();
    for trial in record.trials.iter().filter(|trial| trial.side == Side::Head) {
        let Position::Levels { instance, suite_run, iteration } = trial.position else { continue };
        let known = by_benchmark.entry(&trial.benchmark).or_insert_with(|| Processes {
            id: &trial.benchmark,
            name: plain_name(&trial.benchmark),
            is_structure_known: true,
            has_given_seconds: format == Format::Uoptime.name(),
            failed: 0,
            processes: Vec::new(),
        });
        match trial.outcome.measurement() {
            Some(measurement) => known.processes.push(Process {
                position: [instance, suite_run, iteration],
                places: &[],
                measurement,
                wall: trial.usage.wall,
            }),
            None => known.failed += 1,
        }
    }
    let all: Vec<Processes<'_>> = by_benchmark.into_values().collect();
    let mut diagnostics = Vec::new();
    if record.is_partial {
        diagnostics.push(Diagnostic::warning(title(&run.id), "ended before everything was measured"));
    }
    let source = Source {
        title: format!("{}, {}", run.head.title(), title(&run.id)),
        project: run.id.0.clone(),
        run: Some(run.id.0.clone()),
    };
    let origin = stale::source(run);
    let is_own = run.kind == RunKind::Levels;
    let mut set = collect(source, origin, diagnostics, &all, is_own);
    let told = run.settings.get(ITERATION_TIME).filter(|_| is_own);
    set.iteration_time = told.and_then(|text| parse_duration(text).ok());
    set.built = is_own.then(|| (run.head.clone(), record.builds.clone()));
    Ok(set)
}

fn title(id: &RunId) -> String {
    format!("run {id}")
}

/// Gives all values their positions. With `is_suite` the levels are those of `benchwright run`, whatever
/// their sizes.
fn collect(
    source: Source,
    origin: PlanSource,
    diagnostics: Vec<Diagnostic>,
    all: &[Processes<'_>],
    is_suite: bool,
) -> Leveled {
    let shape = Shape::of(all, is_suite);
    let mut set = Leveled {
        source,
        origin,
        iteration_time: None,
        has_trial_shape: false,
        built: None,
        benchmarks: Vec::new(),
        diagnostics,
    };
    for processes in all {
        match processes.leveled(&shape) {
            Ok(benchmark) => {
                set.diagnostics.extend(processes.doubts(&benchmark.series, &shape));
                set.benchmarks.push(benchmark);
            }
            Err(diagnostic) => set.diagnostics.push(diagnostic),
        }
    }
    set
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn projects_are_called_as_in_the_reference() {
        let check = |path: &str, expected: &str| assert_eq!(project_of(path), expected);
        check("data/go/prometheus-v0.35.0.csv.gz", "prometheus-v0.35.0");
        check("laaber_bytebuddy-01_10_07-jmh121.csv.gz", "bytebuddy-01_10_07");
        check("java-fse20/laaber_byte-buddy.csv.gz", "byte-buddy");
        check("results.json", "results");
        check("standard input", "standard input");
    }
}
