//! `benchwright steady stops`: writes where a rule would have ended recorded processes, as CSV.

use std::io::Write;
use std::num::NonZeroUsize;

use benchwright_formats::warmup::{RecordedProcess, Subject};
use benchwright_session::Problem;
use benchwright_session::steady::{self, ITERATION_S};
use benchwright_session::stopping::choose_models;
use benchwright_steady::rules::catalogue;
use benchwright_steady::{Stop, WhyCut, in_parallel};

use super::tell;
use crate::args::{FileLimits, Global, SteadyStopsArgs};
use crate::exit::Outcome;
use crate::flags::file_limits;
use crate::output;
use crate::terminal::{Terminal, print};

/// The header row. Iterations count from 0, both ends are inclusive, and -1 means no warm-up.
const HEADER: &str = "system,benchmark,params,fork,last_warmup_it,last_measure_it";

/// Replays every process of a source, and writes a row for each one that the rule would have run.
pub(crate) fn run(global: &Global, args: &SteadyStopsArgs) -> Result<Outcome, Problem> {
    let terminal = Terminal::new(global);
    let rule = catalogue::rule(&args.rule)?;
    let directory = global.workspace().directory()?;
    if let Some(path) = &args.models {
        if !rule.takes_models {
            let error = format!("use models with the rule `{}`", rule.name);
            return Err(Problem::misuse(error, "`--models` belongs to `--rule learned`"));
        }
        choose_models(&directory.join(path))?;
    }
    let limits = file_limits(global, &FileLimits::default())?;
    let mut source = steady::find(&global.workspace(), &args.data, ITERATION_S, limits)?;
    let mut doubts = std::mem::take(&mut source.doubts);
    doubts.look_at(&source.processes, "rules take such an iteration for unsteady");
    let groups = source.by_benchmark();
    let jobs = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let replayed = in_parallel(&groups, jobs, |group| steady::stops(rule, group, args.seed));
    let mut rows: Vec<Row<'_>> = Vec::new();
    for (group, found) in groups.iter().zip(replayed) {
        match found {
            Ok(stops) => {
                let run = group.iter().zip(stops);
                rows.extend(run.map(|(process, stop)| Row { process: &process.recorded, stop }));
            }
            Err(error) => doubts.refused(&group[0].recorded.subject.benchmark, error),
        }
    }
    if rows.is_empty() {
        let nothing = doubts.nothing(&args.data);
        tell(terminal, doubts.diagnostics().iter());
        return Err(nothing);
    }
    let write = |out: &mut dyn Write| {
        writeln!(out, "{HEADER}")?;
        rows.iter().try_for_each(|row| row.write(out))
    };
    match &args.out {
        None => print(write)?,
        Some(path) => output::to_file(&directory.join(path), write)?,
    }
    let outcome = tell(terminal, doubts.diagnostics().iter().chain(&source.diagnostics));
    terminal.say(&summary(&rows, source.processes.len(), groups.len()));
    Ok(outcome)
}

/// A process that the rule would have run.
struct Row<'a> {
    process: &'a RecordedProcess,
    stop: Stop,
}

impl Row<'_> {
    fn write(&self, out: &mut dyn Write) -> std::io::Result<()> {
        let Subject { system, benchmark, params } = &self.process.subject;
        let (warmup, end) = (i64::from(self.stop.warmup) - 1, i64::from(self.stop.end) - 1);
        let (system, benchmark, params) = (field(system), field(benchmark), field(params));
        writeln!(out, "{system},{benchmark},{params},{},{warmup},{end}", self.process.fork)
    }
}

/// A field of CSV, quoted if necessary.
fn field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.into()
    }
}

fn summary(rows: &[Row<'_>], processes: usize, benchmarks: usize) -> String {
    let count = |is: fn(&Stop) -> bool| rows.iter().filter(|row| is(&row.stop)).count();
    let unsteady = count(|stop| stop.why == WhyCut::Unsteady);
    let cut_short = count(|stop| !stop.is_decided);
    format!(
        "{benchmarks} benchmarks: {} of {processes} processes would have run; {unsteady} of them not steady when warm-up ended, \
         {cut_short} to the end of the recording",
        rows.len()
    )
}
