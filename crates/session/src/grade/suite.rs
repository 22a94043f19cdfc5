//! How large and how stable a suite is, from runs measured now, stored runs, or files.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use benchwright_analysis::grade::{self, CLASSES, Runs, SuiteStability};
use benchwright_formats::Limits;
use benchwright_model::{BenchmarkId, Diagnostic, Metric, Outcome, Position, RunKind, Side, Version};
use benchwright_report::grade::{Extent, GradeReport, StabilityTable};
use benchwright_store::{RunRecord, RunRow};

use super::Graded;
use crate::compare::{self, CompareRequest};
use crate::leveled::{self, Leveled, LeveledBenchmark, Purpose};
use crate::levels::{self, Repetition, RunRequest};
use crate::listener::{Listener, Silent};
use crate::problem::Problem;
use crate::project;

/// What to grade.
#[derive(Clone)]
pub struct SuiteRequest {
    /// The version and its settings, if it is measured.
    pub run: RunRequest,
    /// Stored runs or files to read instead; several are several environments, or the runs of one if each has a single one.
    pub sources: Vec<String>,
    /// How often the suite is run.
    pub runs: u32,
    /// The time of a comparison from which the smallest change follows.
    pub budget: Option<Duration>,
    /// Bounds of files.
    pub limits: Limits,
    /// Which parts of the report are wanted.
    pub parts: Parts,
}

/// Parts of the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parts {
    /// Size and duration.
    pub extent: bool,
    /// Spreads.
    pub stability: bool,
}

/// Duets of a usual comparison, where no budget says how many there can be.
const USUAL_DUETS: u32 = 20;

/// The most duets that a comparison takes.
const MOST_DUETS: f64 = 96.0;

/// Grades a suite.
pub fn grade(request: &SuiteRequest, listener: &mut dyn Listener) -> Result<Graded, Problem> {
    let mut report = GradeReport { tool_version: env!("CARGO_PKG_VERSION").into(), ..GradeReport::default() };
    let mut problems = Vec::new();
    let mut is_interrupted = false;
    let sets = if request.sources.is_empty() {
        let finished = measure(request, listener)?;
        is_interrupted = finished.is_interrupted;
        problems = finished.problems;
        report.diagnostics.extend(finished.record.diagnostics.iter().cloned());
        vec![Measured::of_record(&finished.record)?]
    } else {
        read(request)?
    };
    report.title = sets.iter().map(|set| set.leveled.source.title.as_str()).collect::<Vec<_>>().join(", ");
    if request.parts.extent {
        report.extent = sets.first().map(|set| extent(request, set));
    }
    if request.parts.stability {
        report.stability = sets.iter().filter_map(|set| table(request, set)).collect();
        if report.stability.is_empty() {
            let error = "no benchmark has results in two runs of the suite";
            return Err(Problem::failed(
                error,
                "`--runs 5` measures five; one file per run can be named, too",
            ));
        }
    }
    for set in &sets {
        report.diagnostics.extend(set.leveled.diagnostics.iter().cloned());
    }
    Ok(Graded { report, problems, is_interrupted })
}

fn measure(request: &SuiteRequest, listener: &mut dyn Listener) -> Result<levels::FinishedRun, Problem> {
    let run = RunRequest { repetition: Repetition::Passes(request.runs), ..request.run.clone() };
    levels::plan(&run, None, listener)?.run(listener)
}

/// Values with what only a stored run knows.
pub(super) struct Measured {
    leveled: Leveled,
    environment: String,
    /// Seconds of each run of the suite.
    runs: Vec<f64>,
    /// Bytes allocated per operation.
    allocated: HashMap<BenchmarkId, f64>,
    version: Option<Version>,
}

impl Measured {
    pub(super) fn of_record(record: &RunRecord) -> Result<Measured, Problem> {
        let mut runs: BTreeMap<u32, f64> = BTreeMap::new();
        let mut bytes: HashMap<BenchmarkId, Vec<f64>> = HashMap::new();
        for trial in record.trials.iter().filter(|trial| trial.side == Side::Head) {
            if let Position::Levels { suite_run, .. } = trial.position {
                *runs.entry(suite_run).or_default() += trial.usage.wall.as_secs_f64();
            }
            let Outcome::Measured(measurement) = &trial.outcome else { continue };
            let wanted = Metric::bytes_per_op();
            let allocated = measurement.series.iter().filter(|series| series.metric.name == wanted.name);
            bytes
                .entry(trial.benchmark.clone())
                .or_default()
                .extend(allocated.flat_map(|series| &series.values));
        }
        let mean = |values: Vec<f64>| values.iter().sum::<f64>() / values.len().max(1) as f64;
        let is_own = record.run.kind == RunKind::Levels;
        Ok(Measured {
            leveled: leveled::of_run(record)?,
            environment: record.run.environment.fingerprint(),
            runs: if is_own { runs.into_values().collect() } else { Vec::new() },
            allocated: bytes.into_iter().map(|(id, values)| (id, mean(values))).collect(),
            version: is_own.then(|| record.run.head.clone()),
        })
    }

    fn of_leveled(leveled: Leveled) -> Measured {
        let environment = leveled.origin.environment.values().cloned().collect::<Vec<_>>().join(", ");
        Measured { leveled, environment, runs: Vec::new(), allocated: HashMap::new(), version: None }
    }

    /// The spread of each benchmark, and the seconds of one run of it.
    pub(super) fn spreads(&self) -> HashMap<BenchmarkId, (Option<f64>, f64)> {
        let one = |it: &LeveledBenchmark| {
            let runs = Runs::of(&it.series);
            (it.id.clone(), (grade::max_spread(&runs), seconds(it) / runs.count().max(1) as f64))
        };
        self.leveled.benchmarks.iter().map(one).collect()
    }

    /// Seconds of one run of the suite.
    pub(super) fn run_seconds(&self) -> f64 {
        self.runs.iter().sum::<f64>() / self.runs.len().max(1) as f64
    }
}

/// Seconds that all processes of a benchmark took.
fn seconds(benchmark: &LeveledBenchmark) -> f64 {
    let processes = benchmark.series.processes().len() as f64;
    benchmark.series.count() as f64 * benchmark.seconds_per_value + processes * benchmark.process_seconds
}

fn read(request: &SuiteRequest) -> Result<Vec<Measured>, Problem> {
    let workspace = &request.run.workspace;
    let directory = workspace.directory()?;
    let mut sets = Vec::new();
    for name in &request.sources {
        if name == "-" || directory.join(name).exists() {
            let found = leveled::read(workspace, name, request.limits, Purpose::Levels)?;
            sets.extend(found.into_iter().map(Measured::of_leveled));
        } else {
            let store = project::open_store_for(workspace, name)?;
            sets.push(Measured::of_record(&store.load(&store.find(name)?)?)?);
        }
    }
    Ok(joined(sets))
}

/// Sets of one run each are the runs of one suite.
fn joined(sets: Vec<Measured>) -> Vec<Measured> {
    let has_one_run =
        |set: &Measured| set.leveled.benchmarks.iter().all(|it| Runs::of(&it.series).count() == 1);
    if sets.len() < 2 || !sets.iter().all(has_one_run) {
        return sets;
    }
    let mut sets = sets.into_iter();
    let Some(mut whole) = sets.next() else { return Vec::new() };
    let mut title = whole.leveled.source.title.clone();
    let mut runs: BTreeMap<BenchmarkId, Vec<LeveledBenchmark>> = BTreeMap::new();
    for set in std::iter::once(std::mem::take(&mut whole.leveled.benchmarks)).chain(sets.map(|set| {
        title += &format!(", {}", set.leveled.source.title);
        set.leveled.benchmarks
    })) {
        set.into_iter().for_each(|one| runs.entry(one.id.clone()).or_default().push(one));
    }
    whole.leveled.source.title = title;
    whole.leveled.benchmarks = runs.into_values().filter_map(one_after_another).collect();
    vec![whole]
}

/// The runs of one benchmark as one series.
fn one_after_another(runs: Vec<LeveledBenchmark>) -> Option<LeveledBenchmark> {
    use benchwright_analysis::reduce::LevelSeries;
    let mut points = Vec::new();
    for (run, one) in (1..).zip(&runs) {
        for (process, values) in (1..).zip(one.series.processes()) {
            points.extend((1..).zip(values).map(|(at, value)| (vec![run, process, at], value)));
        }
    }
    let names = [("suite run", false), ("iteration", false), ("second", false)];
    let series = LevelSeries::new(&names, points).ok()?;
    runs.into_iter().next().map(|first| LeveledBenchmark { series, ..first })
}

fn extent(request: &SuiteRequest, set: &Measured) -> Extent {
    /// So many benchmarks are named as those that take most time.
    const NAMED: usize = 3;
    let benchmarks = &set.leveled.benchmarks;
    let mut harnesses: BTreeMap<String, usize> = BTreeMap::new();
    let mut packages: Vec<&str> = benchmarks.iter().map(|it| it.id.package.as_str()).collect();
    packages.sort_unstable();
    packages.dedup();
    for one in benchmarks {
        *harnesses.entry(one.id.harness.clone()).or_default() += 1;
    }
    let whole: f64 = benchmarks.iter().map(seconds).sum();
    let mut dearest: Vec<(String, f64)> =
        benchmarks.iter().map(|it| (it.id.short_name().to_owned(), seconds(it) / whole.max(1e-9))).collect();
    dearest.sort_by(|left, right| right.1.total_cmp(&left.1));
    dearest.truncate(NAMED);
    let (comparison, budgets) = predicted(request, set).unwrap_or_default();
    Extent {
        benchmarks: benchmarks.len(),
        packages: packages.len(),
        harnesses: harnesses.into_iter().collect(),
        runs: set.runs.clone(),
        dearest,
        comparison,
        budgets,
    }
}

type Predicted = (Option<[f64; 3]>, Vec<(f64, u32)>);

/// How long a comparison of this version takes, and how many benchmarks fit into budgets.
fn predicted(request: &SuiteRequest, set: &Measured) -> Option<Predicted> {
    const BUDGETS: [u64; 4] = [60, 300, 600, 1800];
    let version = set.version.clone()?;
    let compared = CompareRequest {
        workspace: request.run.workspace.clone(),
        settings: request.run.settings.clone(),
        selection: request.run.selection.clone(),
        versions: Some(Box::new((version.clone(), version))),
        measures_identical: true,
        ..CompareRequest::default()
    };
    let prediction = compare::preview(&compared, None, &mut Silent).ok()?.prediction;
    let range = prediction.range;
    let budgets = BUDGETS.map(Duration::from_secs).into_iter().chain(request.budget);
    let mut budgets: Vec<(f64, u32)> =
        budgets.map(|budget| (budget.as_secs_f64(), prediction.enough_for(budget))).collect();
    budgets.sort_by(|left, right| left.0.total_cmp(&right.0));
    budgets.dedup();
    Some((Some([range.low, range.middle, range.high].map(|time| time.as_secs_f64())), budgets))
}

fn table(request: &SuiteRequest, set: &Measured) -> Option<StabilityTable> {
    let runs: Vec<(&LeveledBenchmark, Runs)> =
        set.leveled.benchmarks.iter().map(|one| (one, Runs::of(&one.series))).collect();
    let most = runs.iter().map(|(_, runs)| runs.count()).max()?;
    // A duet is two processes.
    let process = |it: &LeveledBenchmark| seconds(it) / it.series.processes().len().max(1) as f64;
    let duet_of_all: f64 = 2.0 * runs.iter().map(|(it, _)| process(it)).sum::<f64>();
    let duets = match request.budget {
        Some(budget) => (budget.as_secs_f64() / duet_of_all.max(1e-9)).min(MOST_DUETS) as u32,
        None => USUAL_DUETS,
    };
    let mut benchmarks = Vec::new();
    let mut left_out = Vec::new();
    let names = super::names(set.leveled.benchmarks.iter().map(|one| &one.id));
    for ((one, runs), name) in runs.iter().zip(names) {
        let allocated = set.allocated.get(&one.id).copied();
        match grade::stability(runs, f64::from(duets), allocated) {
            Some(stability) if runs.count() == most => benchmarks.push((name, stability)),
            _ => left_out.push((name, format!("has results in {} of {most} runs", runs.count()))),
        }
    }
    benchmarks.sort_by(|left, right| right.1.max_spread.total_cmp(&left.1.max_spread));
    let spreads: Vec<f64> = benchmarks.iter().map(|(_, it)| it.max_spread).collect();
    let suite = SuiteStability::of(&spreads)?;
    Some(StabilityTable {
        title: set.leveled.source.title.clone(),
        environment: set.environment.clone(),
        runs: most,
        duets,
        budget: request.budget.map(|budget| budget.as_secs_f64()),
        classes: CLASSES.iter().zip(suite.classes).map(|((_, name), count)| (*name, count)).collect(),
        spread_95: suite.spread_95,
        benchmarks,
        left_out,
    })
}

/// The newest complete run of this version over several passes that has all these benchmarks, or a new one.
pub(super) fn measured_or_stored(
    request: &SuiteRequest,
    version: &Version,
    ids: &[BenchmarkId],
    listener: &mut dyn Listener,
) -> Result<(Measured, Vec<Diagnostic>), Problem> {
    const FEWEST: usize = 3;
    let is_of_this =
        |row: &RunRow| row.kind == RunKind::Levels && !row.is_partial && row.head.tree == version.tree;
    if let Ok((_, store)) = project::open_store(&request.run.workspace) {
        for row in store.runs(usize::MAX)?.iter().filter(|row| is_of_this(row)) {
            let measured = Measured::of_record(&store.load(&row.id)?)?;
            let known = measured.spreads();
            if measured.runs.len() >= FEWEST && ids.iter().all(|id| known.contains_key(id)) {
                return Ok((measured, Vec::new()));
            }
        }
    }
    let finished = measure(request, listener)?;
    Ok((Measured::of_record(&finished.record)?, finished.record.diagnostics))
}
