//! Which slowdowns of its functions a suite finds.
//!
//! Functions are slowed down in copies of the version, several at a time where no benchmark calls two of them, and each copy is
//! compared with the version as it is. Only benchmarks that call a slowed function run, each until it is decided.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use benchwright_analysis::grade::{self, Candidate, Cell, Matrix};
use benchwright_model::{
    BenchmarkId, Comparison, Diagnostic, Outcome as TrialOutcome, Position, Severity, Side, Trial, Verdict,
    Version,
};
use benchwright_probe::{Change, Record};
use benchwright_report::grade::{Api, ApiBenchmark, ApiFunction, GradeReport};
use benchwright_store::{RunRow, Store};

use super::calls;
use super::clients;
use super::source::Source;
use super::stubs;
use super::suite::{self, Measured, SuiteRequest};
use super::{Graded, grade_store};
use crate::compare::{self, CompareRequest};
use crate::decide;
use crate::listener::Listener;
use crate::problem::{Problem, because};
use crate::project::Project;

/// What to find out.
#[derive(Clone)]
pub struct ApiRequest {
    /// The version, and how its stability is measured.
    pub suite: SuiteRequest,
    /// The functions, by address or its end; none: those that are used most.
    pub functions: Vec<String>,
    /// How many functions are chosen.
    pub count: usize,
    /// Projects whose tests say which functions are used most, beside the project's own.
    pub clients: Vec<String>,
    /// By how much functions are slowed down; none: by what the suite can show.
    pub slowdown: Option<f64>,
    /// Where skeletons of benchmarks go for functions whose slowdowns are not found.
    pub stubs: Option<PathBuf>,
}

/// The smallest slowdown that is tried unless the user asks for another.
const SMALLEST_SLOWDOWN: f64 = 0.1;

/// Slows functions down and looks which benchmarks find it.
pub fn grade(request: &ApiRequest, listener: &mut dyn Listener) -> Result<Graded, Problem> {
    let began = Instant::now();
    let run = &request.suite.run;
    let mut project = Project::open(&run.workspace, &run.selection, run.settings.clone(), listener)?;
    decide::check_cores(&project.settings)?;
    let version = super::version(&project, run.revision.as_deref())?;
    let source = Source::read(&project, &version)?;
    let public = source.public();
    if public.is_empty() && request.functions.is_empty() {
        let error = "no public function that could be slowed down";
        return Err(Problem::failed(error, "--function names others; Go, Java and Rust are understood"));
    }
    project.is_measuring = true;
    let mut skipped = Vec::new();
    let named = named(&source, &request.functions, &mut skipped)?;
    let candidates: Vec<usize> =
        named.iter().chain(public.iter().filter(|it| !named.contains(it))).copied().collect();
    let counted = counted(&project, &source, &candidates, request, listener)?;
    skipped.extend(counted.skipped.iter().filter(|_| !request.functions.is_empty()).cloned());
    let chosen = Chosen::of(request, &source, &named, &counted, listener)?;
    let (stability, mut diagnostics) =
        suite::measured_or_stored(&request.suite, &version, &chosen.benchmarks, listener)?;
    diagnostics.extend(counted.diagnostics);
    let mut trial = SlowdownTrial {
        request,
        project: &project,
        source: &source,
        spreads: stability.spreads(),
        slowdown: 0.0,
        chosen,
        cells: Vec::new(),
        skipped,
        diagnostics,
        groups: 0,
    };
    let note = trial.choose_slowdown();
    trial.go(listener)?;
    let seconds = began.elapsed().as_secs_f64();
    let api = trial.report(&stability, note, seconds);
    if let Some(dir) = &request.stubs {
        trial.write_stubs(dir, listener)?;
    }
    let is_interrupted = project.interrupt.is_set();
    if is_interrupted {
        let message = "interrupted before all functions were slowed down";
        let hint = "the same command goes on where it stopped";
        trial.diagnostics.push(Diagnostic::warning("", message).hint(hint));
    }
    let report = GradeReport {
        title: version.title(),
        api: Some(api),
        diagnostics: trial.diagnostics,
        tool_version: env!("CARGO_PKG_VERSION").into(),
        ..GradeReport::default()
    };
    Ok(Graded { report, problems: Vec::new(), is_interrupted })
}

/// The functions that the user named. One that cannot be slowed down is left out, and the others go on.
fn named(
    source: &Source,
    texts: &[String],
    skipped: &mut Vec<(String, String)>,
) -> Result<Vec<usize>, Problem> {
    let mut found = Vec::new();
    for text in texts {
        match source.find(text) {
            Ok(at) if found.contains(&at) => {}
            Ok(at) => found.push(at),
            Err(problem) => skipped.push((text.clone(), statement(&problem))),
        }
    }
    match (found.is_empty(), skipped.first()) {
        (true, Some((_, reason))) => {
            let reason = reason.trim_start_matches("cannot ").to_owned();
            Err(Problem::misuse(reason, "an address, or the end of one: `Parser.parse`"))
        }
        _ => Ok(found),
    }
}

/// What a problem says, without its causes.
fn statement(problem: &Problem) -> String {
    let text = problem.to_string();
    text.lines().next().unwrap_or_default().to_owned()
}

/// What benchmarks and clients call.
struct Counted {
    /// Functions, as numbers of the source; counters follow their order.
    functions: Vec<usize>,
    by_benchmark: BTreeMap<BenchmarkId, Vec<Record>>,
    /// The counters of each client, by name.
    clients: Vec<(String, Vec<Record>)>,
    skipped: Vec<(String, String)>,
    diagnostics: Vec<Diagnostic>,
}

fn counted(
    project: &Project,
    source: &Source,
    functions: &[usize],
    request: &ApiRequest,
    listener: &mut dyn Listener,
) -> Result<Counted, Problem> {
    let (version, skipped) = source.edited(project, functions, Change::Count, "calls counted")?;
    let called = calls::of_benchmarks(
        project,
        &request.suite.run.selection,
        &version,
        (None, calls::MOMENT),
        listener,
    )?;
    let mut diagnostics = called.diagnostics;
    let mut clients = Vec::new();
    // Whoever names the functions does not ask which are used.
    if request.functions.is_empty() {
        let directory = request.suite.run.workspace.directory()?;
        let root = project.cache.checkout(&project.repository, &version)?.root;
        let (found, problems) = clients::of(project, source, &root, (&directory, &request.clients))?;
        diagnostics.extend(problems);
        for client in &found {
            let (records, failure) = calls::of_tests(project, client, listener)?;
            clients.push((client.name.clone(), records));
            diagnostics.extend(failure);
        }
    }
    Ok(Counted {
        functions: functions.to_vec(),
        by_benchmark: called.by_benchmark,
        clients,
        skipped,
        diagnostics,
    })
}

/// The functions that are slowed down, with the benchmarks that call them.
struct Chosen {
    functions: Vec<usize>,
    weights: Vec<Option<f64>>,
    note: String,
    benchmarks: Vec<BenchmarkId>,
    /// The benchmarks that call each function.
    reached: Vec<Vec<usize>>,
}

impl Chosen {
    fn of(
        request: &ApiRequest,
        source: &Source,
        named: &[usize],
        counted: &Counted,
        listener: &mut dyn Listener,
    ) -> Result<Chosen, Problem> {
        let place = |function: usize| counted.functions.iter().position(|it| *it == function);
        let by_use = |clients: &[Vec<Record>]| -> Vec<(usize, f64)> {
            let weights = calls::weights(counted.functions.len(), clients);
            let mut sorted: Vec<(usize, f64)> =
                weights.into_iter().map(|(at, weight)| (counted.functions[at], weight)).collect();
            let address = |at: usize| source.functions[at].address();
            sorted.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| address(a.0).cmp(&address(b.0))));
            sorted.truncate(request.count);
            sorted
        };
        let (picked, note): (Vec<(usize, Option<f64>)>, String) = if named.is_empty() {
            let clients: Vec<Vec<Record>> =
                counted.clients.iter().map(|(_, records)| records.clone()).collect();
            let names: Vec<&str> = counted.clients.iter().map(|(name, _)| name.as_str()).collect();
            let mut used = by_use(&clients);
            let mut note = format!("those that are called most by the tests of {}", names.join(", "));
            if used.is_empty() {
                // Tests may not build, or there are none.
                let all: Vec<Vec<Record>> = counted.by_benchmark.values().cloned().collect();
                used = by_use(&all);
                note = "those that the benchmarks call most, since no tests called any".to_owned();
            }
            (used.into_iter().map(|(at, weight)| (at, Some(weight))).collect(), note)
        } else {
            (named.iter().map(|at| (*at, None)).collect(), "named by the user".to_owned())
        };
        if picked.is_empty() {
            let error = "no public function is called by tests or benchmarks";
            return Err(Problem::failed(
                error,
                "--function names functions, --client names a project that uses them",
            ));
        }
        let benchmarks: Vec<BenchmarkId> = counted.by_benchmark.keys().cloned().collect();
        let calls = |function: usize| -> Vec<usize> {
            let Some(at) = place(function) else { return Vec::new() };
            let has = |records: &Vec<Record>| records.get(at).is_some_and(|record| record.calls > 0);
            (0..benchmarks.len()).filter(|one| has(&counted.by_benchmark[&benchmarks[*one]])).collect()
        };
        let reached = picked.iter().map(|(function, _)| calls(*function)).collect();
        listener.say(&format!("{}: {note}", crate::words::count(picked.len() as u32, "function")));
        let (functions, weights) = picked.into_iter().unzip();
        Ok(Chosen { functions, weights, note, benchmarks, reached })
    }
}

/// The slowdowns of the chosen functions.
struct SlowdownTrial<'a> {
    request: &'a ApiRequest,
    project: &'a Project,
    source: &'a Source,
    spreads: HashMap<BenchmarkId, (Option<f64>, f64)>,
    slowdown: f64,
    chosen: Chosen,
    /// By function: what its benchmarks found, by our rule and by the paper's tests, and the real slowdown.
    cells: Vec<FunctionResult>,
    skipped: Vec<(String, String)>,
    diagnostics: Vec<Diagnostic>,
    groups: usize,
}

#[derive(Debug, Clone, Default)]
struct FunctionResult {
    ours: Vec<Cell>,
    published: Vec<Cell>,
    real: Option<f64>,
}

impl SlowdownTrial<'_> {
    /// The slowdown, and why it is that.
    fn choose_slowdown(&mut self) -> String {
        if let Some(given) = self.request.slowdown {
            self.slowdown = given;
            return "given".to_owned();
        }
        let spreads: Vec<f64> = self.spreads.values().filter_map(|(spread, _)| *spread).collect();
        let shown = grade::SuiteStability::of(&spreads).map_or(0.0, |suite| suite.slowdown());
        self.slowdown = shown.max(SMALLEST_SLOWDOWN);
        match shown > SMALLEST_SLOWDOWN {
            true => "twice the spread that 95 % of the benchmarks stay below".to_owned(),
            false => "the smallest that is tried; the suite is more stable than that".to_owned(),
        }
    }

    fn go(&mut self, listener: &mut dyn Listener) -> Result<(), Problem> {
        let benchmarks = self.chosen.benchmarks.len();
        let blank = |reached: &Vec<usize>| {
            let mut row = vec![Cell::Unreached; benchmarks];
            reached.iter().for_each(|at| row[*at] = Cell::Unknown);
            FunctionResult { ours: row.clone(), published: row, real: None }
        };
        self.cells = self.chosen.reached.iter().map(blank).collect();
        let groups = grade::groups(&self.chosen.reached);
        self.groups = groups.len();
        for (number, group) in groups.iter().enumerate() {
            if self.project.interrupt.is_set() {
                break;
            }
            let names: Vec<String> = group.iter().map(|at| self.address(*at)).collect();
            listener.say(&format!("slowing down {} of {}: {}", number + 1, groups.len(), names.join(", ")));
            // One function that does not compile when edited must not cost the others of its group.
            let failed: Vec<(usize, Problem)> = match self.slow_down(group, listener) {
                Ok(()) => Vec::new(),
                Err(_) if self.project.interrupt.is_set() => break,
                Err(problem) if group.len() == 1 => vec![(group[0], problem)],
                Err(_) => {
                    let alone =
                        |at: &usize| self.slow_down(&[*at], listener).err().map(|problem| (*at, problem));
                    group.iter().filter_map(alone).collect()
                }
            };
            for (function, problem) in failed {
                self.skipped.push((self.address(function), statement(&problem)));
            }
        }
        Ok(())
    }

    fn address(&self, function: usize) -> String {
        self.source.functions[self.chosen.functions[function]].address()
    }

    /// Slows the functions of a group down, and compares.
    fn slow_down(&mut self, group: &[usize], listener: &mut dyn Listener) -> Result<(), Problem> {
        let functions: Vec<usize> = group.iter().map(|at| self.chosen.functions[*at]).collect();
        let change = Change::SlowDown { factor: self.slowdown };
        let names: Vec<String> = group.iter().map(|at| self.address(*at)).collect();
        let (slowed, skipped) =
            self.source.edited(self.project, &functions, change, &format!("slower: {}", names.join(", ")))?;
        let is_slowed = |at: &usize| !skipped.iter().any(|(function, _)| *function == self.address(*at));
        let slowed_functions: Vec<usize> = group.iter().copied().filter(is_slowed).collect();
        self.skipped.extend(skipped);
        let only: BTreeSet<BenchmarkId> = group
            .iter()
            .flat_map(|at| &self.chosen.reached[*at])
            .map(|at| self.chosen.benchmarks[*at].clone())
            .collect();
        let (comparison, trials) = self.compared(&slowed, &only, listener)?;
        self.diagnostics
            .extend(comparison.diagnostics.iter().filter(|it| it.severity > Severity::Note).cloned());
        // What was not slowed down is not missed either.
        for function in &slowed_functions {
            for at in self.chosen.reached[*function].clone() {
                let id = &self.chosen.benchmarks[at];
                self.cells[*function].ours[at] = verdict(&comparison, id);
                self.cells[*function].published[at] = published(&trials, id, self.slowdown);
            }
        }
        self.real_slowdowns(group, &slowed, listener);
        Ok(())
    }

    /// The comparison of the version with a slowed one: the stored one, if an earlier command made it.
    fn compared(
        &self,
        slowed: &Version,
        only: &BTreeSet<BenchmarkId>,
        listener: &mut dyn Listener,
    ) -> Result<(Comparison, Vec<Trial>), Problem> {
        let results = grade_store(self.project);
        let run = &self.request.suite.run;
        let mut settings = run.settings.clone();
        // Half of the slowdown is what the paper asks for.
        settings.set("threshold", &format!("{:.4}%", 50.0 * self.slowdown))?;
        if let Some(stored) = stored(&results, [&self.source.version, slowed], only) {
            return Ok(stored);
        }
        let mut workspace = run.workspace.clone();
        workspace.results = Some(results);
        let request = CompareRequest {
            workspace,
            settings,
            selection: run.selection.clone(),
            versions: Some(Box::new((self.source.version.clone(), slowed.clone()))),
            only: Some(only.clone()),
            measures_identical: true,
            ..CompareRequest::default()
        };
        let finished = compare::plan(&request, None, listener)?.run(listener)?;
        match finished.problems.into_iter().next() {
            Some(problem) => Err(problem),
            None => Ok((finished.comparison, finished.trials)),
        }
    }

    /// Measures inside the program what the slowdowns became: clocks take time, too.
    fn real_slowdowns(&mut self, group: &[usize], slowed: &Version, listener: &mut dyn Listener) {
        let first =
            |at: &usize| self.chosen.reached[*at].first().map(|one| self.chosen.benchmarks[*one].clone());
        let only: BTreeSet<BenchmarkId> = group.iter().filter_map(first).collect();
        let selection = &self.request.suite.run.selection;
        let Ok(called) =
            calls::of_benchmarks(self.project, selection, slowed, (Some(&only), calls::A_WHILE), listener)
        else {
            return;
        };
        let all: Vec<Vec<Record>> = called.by_benchmark.into_values().collect();
        let sums = benchwright_probe::sum(&all);
        for (number, function) in group.iter().enumerate() {
            self.cells[*function].real = sums.get(number).and_then(calls::slowdown);
        }
    }

    /// Writes a skeleton for each function that no benchmark finds. Files that exist are never overwritten.
    fn write_stubs(&mut self, dir: &Path, listener: &mut dyn Listener) -> Result<(), Problem> {
        let is_open = |at: &usize| !self.cells[*at].ours.contains(&Cell::Seen);
        let open: Vec<usize> =
            (0..self.cells.len()).filter(is_open).map(|at| self.chosen.functions[at]).collect();
        let (files, skipped) = stubs::stubs(self.source, &open);
        for file in files {
            let path = dir.join(&file.path);
            let written = fs::create_dir_all(path.parent().unwrap_or(dir))
                .and_then(|()| File::create_new(&path))
                .and_then(|mut out| out.write_all(file.text.as_bytes()));
            written.map_err(|error| {
                let what = because(format!("write skeletons to `{}`", path.display()), error);
                Problem::failed(what, "--stubs takes another directory")
            })?;
            listener.say(&format!("wrote {}", path.display()));
        }
        self.diagnostics.extend(skipped.into_iter().map(|(function, reason)| Diagnostic {
            severity: Severity::Note,
            ..Diagnostic::warning(function, format!("has no skeleton: {reason}"))
        }));
        Ok(())
    }

    fn report(&self, stability: &Measured, slowdown_note: String, seconds: f64) -> Api {
        let benchmarks: Vec<ApiBenchmark> = self
            .chosen
            .benchmarks
            .iter()
            .zip(super::names(&self.chosen.benchmarks))
            .map(|(id, name)| {
                let (max_spread, seconds) = self.spreads.get(id).copied().unwrap_or_default();
                ApiBenchmark { name, max_spread, seconds }
            })
            .collect();
        let spreads: Vec<Option<f64>> = benchmarks.iter().map(|it| it.max_spread).collect();
        let ours = Matrix { rows: self.cells.iter().map(|it| it.ours.clone()).collect() };
        let published = Matrix { rows: self.cells.iter().map(|it| it.published.clone()).collect() };
        let functions = (0..self.chosen.functions.len()).map(|at| ApiFunction {
            address: self.address(at),
            weight: self.chosen.weights[at],
            is_covered: ours.is_covered(at, |_| true),
            is_covered_as_published: published.is_covered(at, |_| true),
            real_slowdown: self.cells[at].real,
        });
        let candidates: Vec<Candidate> = (0..benchmarks.len())
            .map(|at| Candidate {
                covers: (0..ours.rows.len()).filter(|row| ours.rows[*row][at] == Cell::Seen).collect(),
                cost: benchmarks[at].seconds,
            })
            .collect();
        let needed = grade::cheapest_cover(&candidates);
        let one_run = stability.run_seconds();
        Api {
            slowdown: self.slowdown,
            slowdown_note,
            functions_note: self.chosen.note.clone(),
            functions: functions.collect(),
            cells: ours.rows.clone(),
            scores: grade::scores(&ours, &spreads),
            published_scores: grade::scores(&published, &spreads),
            curve: curve(&candidates, benchmarks.iter().map(|it| it.seconds).sum()),
            needed: needed.candidates,
            is_smallest: needed.is_best,
            benchmarks,
            groups: self.groups,
            seconds,
            naive_seconds: 2.0 * (self.chosen.functions.len() + 1) as f64 * one_run,
            skipped: self.skipped.clone(),
        }
    }
}

/// What the best sets of benchmarks find in growing times.
fn curve(candidates: &[Candidate], whole: f64) -> Vec<(f64, usize)> {
    const STEPS: u32 = 20;
    let mut curve: Vec<(f64, usize)> = Vec::new();
    for step in 1..=STEPS {
        let kept = grade::best_within(candidates, whole * f64::from(step) / f64::from(STEPS));
        if curve.last().is_none_or(|(_, covered)| kept.covered.len() > *covered) {
            curve.push((kept.cost, kept.covered.len()));
        }
    }
    let most = curve.last().map_or(0, |(_, covered)| *covered);
    curve.push((whole, most));
    curve
}

fn verdict(comparison: &Comparison, id: &BenchmarkId) -> Cell {
    let time = comparison.findings.iter().find(|it| it.benchmark == *id && it.metric.is_time());
    match time.map(|finding| finding.verdict) {
        Some(Verdict::Slower) => Cell::Seen,
        Some(Verdict::Same | Verdict::Faster) => Cell::Missed,
        _ => Cell::Unknown,
    }
}

/// The paper's tests on the same values: every other duet is one of its two runs.
fn published(trials: &[Trial], id: &BenchmarkId, slowdown: f64) -> Cell {
    let mut runs = vec![(Vec::new(), Vec::new()); 2];
    for trial in trials.iter().filter(|trial| trial.benchmark == *id) {
        let Position::Duet { index, .. } = trial.position else { continue };
        let TrialOutcome::Measured(measurement) = &trial.outcome else { continue };
        let Some(series) = measurement.main().filter(|series| series.metric.is_time()) else { continue };
        let run = &mut runs[index as usize % 2];
        let side = if trial.side == Side::Base { &mut run.0 } else { &mut run.1 };
        side.extend_from_slice(&series.values);
    }
    match runs.iter().any(|(base, head)| base.is_empty() || head.is_empty()) {
        true => Cell::Unknown,
        false if grade::finds(&runs, slowdown) => Cell::Seen,
        false => Cell::Missed,
    }
}

/// A complete comparison of these versions that decided all these benchmarks. What was left open is measured again, since the user
/// may allow more this time.
fn stored(
    results: &Path,
    [base, head]: [&Version; 2],
    only: &BTreeSet<BenchmarkId>,
) -> Option<(Comparison, Vec<Trial>)> {
    let store = Store::open_read_only(results).ok()?;
    let is_of_these = |row: &RunRow| {
        !row.is_partial
            && row.head.tree == head.tree
            && row.base.as_ref().is_some_and(|it| it.tree == base.tree)
    };
    for row in store.runs(usize::MAX).ok()?.iter().filter(|row| is_of_these(row)) {
        let record = store.load(&row.id).ok()?;
        let Some(comparison) = record.comparison else { continue };
        if only.iter().all(|id| verdict(&comparison, id) != Cell::Unknown) {
            return Some((comparison, record.trials));
        }
    }
    None
}
