//! `benchwright steady stops`: where a rule would have ended recorded processes, as CSV.

use std::io::Write;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use benchwright_exchange::warmup::{self, DeveloperConfiguration, RecordedProcess, Subject};
use benchwright_steady::classify::{LearnedPlan, Trained};
use benchwright_steady::rules::Configuration;
use benchwright_steady::rules::catalogue::{self, Given, NamedRule, RuleError};
use benchwright_steady::{Stop, StopPlan, WhyCut, in_parallel, replay_benchmark};

use super::doubts::Doubts;
use crate::args::{Global, SteadyStopsArgs};
use crate::exit::Outcome;
use crate::output;
use crate::problem::Problem;
use crate::project;
use crate::terminal::{Terminal, print};

/// The header of the file; iterations count from 0, both ends belong to it, -1 is no warm-up.
const HEADER: &str = "system,benchmark,params,fork,last_warmup_it,last_measure_it";

/// Replays every process of a folder and writes a row for each that the rule would have run.
pub(crate) fn run(global: &Global, args: &SteadyStopsArgs) -> Result<Outcome, Problem> {
    let terminal = Terminal::new(global);
    let rule = catalogue::rule(&args.rule)?;
    let directory = project::directory(global)?;
    let models = args.models.as_ref().map(|path| models(rule, &directory.join(path))).transpose()?;
    let folder = directory.join(&args.data);
    let files = warmup::series_files(&folder)?;
    let mut doubts = Doubts::default();
    let configurations = doubts.configurations(&folder);
    let jobs = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let mut rows: Vec<Row> = Vec::new();
    let (mut processes, mut benchmarks) = (0, 0);
    for file in files {
        let series = doubts.read(&file);
        doubts.look_at(&series, "rules take such an iteration for unsteady");
        let groups = by_benchmark(&series);
        processes += series.len();
        benchmarks += groups.len();
        let replayed = in_parallel(&groups, jobs, |group| {
            let configuration = configurations.get(&group[0].subject).copied();
            replay(rule, models.as_ref(), group, configuration, args.seed)
        });
        for (group, found) in groups.iter().zip(replayed) {
            match found {
                Ok(found) => rows.extend(found),
                Err(error) => doubts.refused(&group[0].subject.benchmark, error),
            }
        }
    }
    if rows.is_empty() {
        return Err(doubts.nothing(terminal, &folder));
    }
    let write = |out: &mut dyn Write| {
        writeln!(out, "{HEADER}")?;
        rows.iter().try_for_each(|row| row.write(out))
    };
    match &args.out {
        None => print(write)?,
        Some(path) => output::to_file(&directory.join(path), write)?,
    }
    let outcome = doubts.tell(terminal);
    terminal.say(&summary(&rows, processes, benchmarks));
    Ok(outcome)
}

/// A process that the rule would have run.
struct Row {
    subject: Subject,
    fork: u32,
    stop: Stop,
}

impl Row {
    fn write(&self, out: &mut dyn Write) -> std::io::Result<()> {
        let Subject { system, benchmark, params } = &self.subject;
        let (warmup, end) = (i64::from(self.stop.warmup) - 1, i64::from(self.stop.end) - 1);
        let (system, benchmark, params) = (field(system), field(benchmark), field(params));
        writeln!(out, "{system},{benchmark},{params},{},{warmup},{end}", self.fork)
    }
}

/// A field of CSV, in quotes where it needs them.
fn field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.into()
    }
}

/// The processes of each benchmark by number, benchmarks in the order of the table. Those without values are left out.
pub(super) fn by_benchmark(series: &[RecordedProcess]) -> Vec<Vec<&RecordedProcess>> {
    let mut places = std::collections::BTreeMap::new();
    let mut groups: Vec<Vec<&RecordedProcess>> = Vec::new();
    for process in series.iter().filter(|process| !process.values.is_empty()) {
        let place = *places.entry(&process.subject).or_insert_with(|| {
            groups.push(Vec::new());
            groups.len() - 1
        });
        groups[place].push(process);
    }
    groups.iter_mut().for_each(|group| group.sort_by_key(|process| process.fork));
    groups
}

fn replay(
    rule: &NamedRule,
    models: Option<&Arc<Trained>>,
    group: &[&RecordedProcess],
    configuration: Option<DeveloperConfiguration>,
    seed: u64,
) -> Result<Vec<Row>, RuleError> {
    let iteration_s = group[0].iteration_s;
    let given = Given {
        configuration: configuration.map(configured),
        iteration_time: Duration::from_secs_f64(iteration_s),
        longest_warmup: None,
        seed,
    };
    let mut plan = rule.plan(&given)?;
    if let Some(models) = models {
        plan = Box::new(LearnedPlan::new(Arc::clone(models), None)) as Box<dyn StopPlan>;
    }
    let values: Vec<&[f64]> = group.iter().map(|process| process.values.as_slice()).collect();
    let stops = replay_benchmark(plan.as_mut(), &values, iteration_s);
    let rows = group.iter().zip(stops);
    Ok(rows
        .map(|(process, stop)| Row { subject: process.subject.clone(), fork: process.fork, stop })
        .collect())
}

/// Models that `steady train` wrote; only the rule `learned` has some.
fn models(rule: &NamedRule, path: &Path) -> Result<Arc<Trained>, Problem> {
    if rule.name != "learned" {
        let error = anyhow::anyhow!("use models with the rule `{}`", rule.name);
        return Err(Problem::misuse(error, "`--models` belongs to `--rule learned`"));
    }
    let shown = path.display();
    let bytes = std::fs::read(path)
        .map_err(|error| Problem::failed(anyhow::Error::new(error).context(format!("read `{shown}`")), ""))?;
    let trained = Trained::read(&bytes).map_err(|error| {
        Problem::misuse(
            anyhow::Error::new(error).context(format!("use `{shown}`")),
            "`steady train` writes such files",
        )
    })?;
    Ok(Arc::new(trained))
}

/// The developers' configuration in the words of rules.
pub(super) fn configured(from: DeveloperConfiguration) -> Configuration {
    let time = |seconds: f64| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
    Configuration {
        warmup_time: time(from.warmup_time_s),
        warmup_iterations: from.warmup_iterations,
        iteration_time: time(from.iteration_time_s),
        iterations: from.iterations,
        forks: from.forks,
    }
}

fn summary(rows: &[Row], processes: usize, benchmarks: usize) -> String {
    let count = |is: fn(&Stop) -> bool| rows.iter().filter(|row| is(&row.stop)).count();
    let unsteady = count(|stop| stop.why == WhyCut::Unsteady);
    let cut_short = count(|stop| !stop.is_decided);
    format!(
        "{benchmarks} benchmarks: {} of {processes} processes would have run; {unsteady} of them not steady when warm-up ended, \
         {cut_short} to the end of the recording",
        rows.len()
    )
}
