//! Which functions benchmarks and tests call, from counters in the edited program.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use benchwright_model::{BenchmarkId, Diagnostic, Event, Instance, Side, Trial, Version};
use benchwright_probe::{DIRECTORY_VARIABLE, Record, read_records, sum};
use benchwright_process::{Command, Environment, Flow};
use benchwright_runner::{LevelCounts, LevelsPlan, NotKept, RunListener, Shapes, levels};

use crate::listener::Listener;
use crate::problem::{Problem, because};
use crate::project::Project;
use crate::request::Selection;
use crate::{decide, keep, prepare};

/// What processes of an edited version write there.
pub(super) struct Counters {
    dir: tempfile::TempDir,
}

impl Counters {
    pub(super) fn new() -> Result<Counters, Problem> {
        let dir = tempfile::Builder::new().prefix("benchwright-probe-").tempdir();
        let dir =
            dir.map_err(|error| Problem::failed(because("make a directory for counters", error), ""))?;
        Ok(Counters { dir })
    }

    /// Where processes have to write.
    pub(super) fn path(&self) -> &Path {
        self.dir.path()
    }

    /// Adds up what was written, and removes it. A file that a killed process did not finish counts as none.
    pub(super) fn take(&self) -> Vec<Record> {
        let mut processes = Vec::new();
        for entry in fs::read_dir(self.path()).into_iter().flatten().flatten() {
            let records = fs::read(entry.path()).ok().and_then(|bytes| read_records(&bytes).ok());
            processes.extend(records);
            let _ = fs::remove_file(entry.path());
        }
        sum(&processes)
    }
}

/// What each benchmark called.
pub(super) struct Called {
    /// The counters of each benchmark that was run, by function.
    pub(super) by_benchmark: BTreeMap<BenchmarkId, Vec<Record>>,
    /// What went wrong.
    pub(super) diagnostics: Vec<Diagnostic>,
}

/// How long a benchmark runs to count its calls, as far as its harness lets it be so short.
pub(super) const MOMENT: Duration = Duration::from_millis(1);
/// How long it runs where times inside the program are measured as well.
pub(super) const A_WHILE: Duration = Duration::from_millis(200);

/// Runs each benchmark of an edited version once, for this `time`; `only` these, if they are given.
pub(super) fn of_benchmarks(
    project: &Project,
    selection: &Selection,
    version: &Version,
    (only, time): (Option<&BTreeSet<BenchmarkId>>, Duration),
    listener: &mut dyn Listener,
) -> Result<Called, Problem> {
    // Another benchwright must not measure meanwhile, and would lose its scratch directory to this one.
    let _locks = keep::lock(project, listener)?;
    let arguments = prepare::arguments(project, selection);
    let build = prepare::build(project, version, Side::Head, &arguments, listener)?;
    let mut subjects = prepare::selected(project, &build);
    subjects.retain(|subject| only.is_none_or(|only| only.contains(&subject.benchmark)));
    let mut shapes: Shapes = prepare::shapes(project, &arguments).into();
    for (harness, shape) in &mut shapes.by_harness {
        (shape.iterations, shape.iteration_time, shape.warmup_time) = (1, time, Duration::ZERO);
        // Without a stop rule JMH takes the suite's own numbers, which are minutes per benchmark.
        if harness == "jmh" {
            let time = format!("{}ms", time.as_millis());
            shape.args.extend(["-wi", "0", "-i", "1", "-r", &time].map(str::to_owned));
        }
    }
    let counters = Counters::new()?;
    let environment = [(DIRECTORY_VARIABLE, counters.path().as_os_str())];
    let mut place = keep::here_with(project, &environment)?;
    let plan = LevelsPlan {
        counts: vec![LevelCounts { suite_runs: 1, iterations: 1 }; subjects.len()],
        subjects,
        shapes,
        fillers: 0,
        limits: decide::trial_limits(&project.settings, true),
        cores: decide::cores(&project.settings),
        niceness: project.settings.schedule.niceness,
        seed: 1,
        budget: None,
    };
    let whole = plan.subjects.len();
    listener.say(&format!("counting the calls of {}", crate::words::count(whole as u32, "benchmark")));
    let mut counting = Counting { counters: &counters, called: BTreeMap::new() };
    let measured = levels(&plan, &mut place, Vec::new(), &project.interrupt, &mut counting);
    if let Some(error) = measured.error {
        return Err(error.into());
    }
    if project.interrupt.is_set() {
        return Err(Problem::failed("count calls: interrupted", ""));
    }
    let failed = |failure: &benchwright_model::FailureSummary| {
        Diagnostic::warning(failure.benchmark.to_string(), "failed while its calls were counted")
    };
    let mut diagnostics = build.diagnostics;
    diagnostics.extend(measured.failures.iter().map(failed));
    Ok(Called { by_benchmark: counting.called, diagnostics })
}

/// Takes the counters after each trial.
struct Counting<'a> {
    counters: &'a Counters,
    called: BTreeMap<BenchmarkId, Vec<Record>>,
}

impl RunListener for Counting<'_> {
    fn measured(&mut self, trial: &Trial) -> Result<(), NotKept> {
        let records = self.counters.take();
        if trial.outcome.measurement().is_some() {
            self.called.insert(trial.benchmark.clone(), records);
        }
        Ok(())
    }

    fn instance(&mut self, _: &Instance) -> Result<(), NotKept> {
        Ok(())
    }

    fn event(&mut self, _: Event) {}
}

/// By how much a function became slower in fact, as a share of its time.
pub(super) fn slowdown(record: &Record) -> Option<f64> {
    (record.own_ns > 0).then(|| record.added_ns as f64 / record.own_ns as f64)
}

/// A project whose tests call the functions.
pub(super) struct Client {
    /// Its name.
    pub(super) name: String,
    /// Where its tests are run.
    pub(super) dir: PathBuf,
    /// The command, and what it needs beside its directory.
    pub(super) command: Vec<String>,
    /// Further variables.
    pub(super) environment: Vec<(String, PathBuf)>,
}

/// Counts what the tests of a client call. Tests that fail have called functions before; if no function was called at all, the
/// diagnostic says how the tests ended.
pub(super) fn of_tests(
    project: &Project,
    client: &Client,
    listener: &mut dyn Listener,
) -> Result<(Vec<Record>, Option<Diagnostic>), Problem> {
    /// Tests may take so long.
    const LIMIT: Duration = Duration::from_secs(600);
    /// So much of what they print at the end is shown.
    const SHOWN: usize = 400;
    let _locks = keep::lock(project, listener)?;
    let counters = Counters::new()?;
    listener.say(&format!("counting the calls of the tests of {}", client.name));
    let mut environment = vec![(DIRECTORY_VARIABLE.into(), counters.path().into())];
    environment.extend(client.environment.iter().map(|(name, value)| (name.into(), value.into())));
    let (program, arguments) = client.command.split_first().map_or(("true", &[][..]), |(p, a)| (p, a));
    let command = Command::new(program, &client.dir)
        .args(arguments)
        .env(Environment::Inherit { set: environment, remove: Vec::new() })
        .wall_limit(LIMIT);
    let mut last = Vec::new();
    let exit = benchwright_process::run(&command, &project.interrupt, &mut |_, chunk| {
        last.extend_from_slice(chunk);
        last.drain(..last.len().saturating_sub(SHOWN));
        Flow::Continue
    });
    let exit = exit
        .map_err(|error| Problem::failed(because(format!("run the tests of {}", client.name), error), ""))?;
    let records = counters.take();
    let is_silent = !exit.is_success() && records.iter().all(|record| record.calls == 0);
    let failure = is_silent.then(|| {
        let message = format!("the tests did not run: {}", client.command.join(" "));
        let last = String::from_utf8_lossy(&last).into_owned();
        Diagnostic::warning(&client.name, message).hint(last.trim())
    });
    Ok((records, failure))
}

/// The share of each function in the calls of a client, on average over the clients that call any.
pub(super) fn weights(functions: usize, clients: &[Vec<Record>]) -> HashMap<usize, f64> {
    let mut weights = HashMap::new();
    let calls = |records: &Vec<Record>| records.iter().map(|record| record.calls).sum::<u64>();
    let calling = clients.iter().filter(|records| calls(records) > 0).count() as f64;
    for records in clients {
        let all = calls(records);
        for (function, record) in records.iter().enumerate().take(functions).filter(|(_, it)| it.calls > 0) {
            *weights.entry(function).or_default() += record.calls as f64 / all as f64 / calling;
        }
    }
    weights
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_client_counts_as_much() {
        let calls = |calls: &[u64]| -> Vec<Record> {
            calls.iter().map(|&calls| Record { calls, ..Record::default() }).collect()
        };
        let found = weights(3, &[calls(&[30, 10, 0]), calls(&[0, 1]), calls(&[])]);
        assert_eq!(found, HashMap::from([(0, 0.375), (1, 0.625)]));
    }
}
