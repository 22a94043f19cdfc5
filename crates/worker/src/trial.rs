//! Runs one trial: one fresh process, from its scratch directory to its outcome.

use std::error::Error;
use std::path::Path;

use benchwright_harness::{Harness, Reader, TrialRequest, protocol};
use benchwright_model::{
    Diagnostic, Failure, FailureKind, Outcome, Phase, Position, Side, Stopped, Trial, Usage,
};
use benchwright_process::{
    Command, Ending, Environment, Exit, Flow, Interrupt, Limits, Lines, StartError, Stream, run,
};

use crate::outcome::judge;
use crate::tail::Tail;
use crate::watch::Watch;
use crate::wire::now;
use crate::{Call, CallError, CommonEnvironment, Program};

/// Longer lines are cut, because no harness prints results in such lines.
const LONGEST_LINE: usize = 64 * 1024;

/// What a trial needs to run.
pub(crate) struct Bench<'a> {
    /// The harness of the program.
    pub(crate) harness: &'a dyn Harness,
    /// The environment that the trial's own is made from.
    pub(crate) environment: &'a CommonEnvironment,
    /// The directory for scratch directories.
    pub(crate) scratch: &'a Path,
    /// Stops the trial early.
    pub(crate) interrupt: &'a Interrupt,
}

/// One trial of a call.
#[derive(Clone)]
pub(crate) struct Half<'a> {
    /// Its side.
    pub(crate) side: Side,
    /// The program of that side.
    pub(crate) program: &'a Program,
    /// Its position in the run.
    pub(crate) position: Position,
    /// Why it is run.
    pub(crate) phase: Phase,
    /// The cores it may use. `None` means all.
    pub(crate) cores: Option<Vec<usize>>,
}

/// A trial that ended, and diagnostics about its values.
pub(crate) type Ended = (Trial, Vec<Diagnostic>);

/// Runs one trial to its end.
pub(crate) fn run_trial(bench: &Bench<'_>, call: &Call, half: Half<'_>) -> Result<Ended, CallError> {
    // All names have the same length, so that the environments of both sides do too.
    let scratch = tempfile::Builder::new().prefix("trial-").rand_bytes(8).tempdir_in(bench.scratch);
    let scratch = scratch.map_err(|source| CallError::Scratch { dir: bench.scratch.into(), source })?;
    let command = command(bench, call, &half, scratch.path());
    let started_at = now();
    let Told { usage, stopped, outcome, mut diagnostics } =
        measure(bench, call, &half, &command, scratch.path())?;
    if let Err(error) = scratch.close() {
        let why = format!("scratch directory not removed: {error}");
        diagnostics.push(Diagnostic::warning("", why));
    }
    for diagnostic in &mut diagnostics {
        if diagnostic.subject.is_empty() {
            diagnostic.subject = format!("{} ({})", call.subject.benchmark, half.side);
        }
    }
    let trial = Trial {
        benchmark: call.subject.benchmark.clone(),
        side: half.side,
        position: half.position,
        phase: half.phase,
        layout: None,
        instance: None,
        started_at,
        usage,
        stopped,
        outcome,
    };
    Ok((trial, diagnostics))
}

fn command(bench: &Bench<'_>, call: &Call, half: &Half<'_>, scratch: &Path) -> Command {
    let program = half.program;
    let harness = bench.harness;
    let trial = harness.command(&TrialRequest {
        root: &program.place.root,
        out: &program.place.out,
        executable: &program.executable,
        benchmark: &call.subject.benchmark,
        shape: &call.shape,
        scratch,
    });
    let dir = trial.dir.unwrap_or_else(|| program.dir());
    Command {
        program: trial.program.unwrap_or_else(|| program.path().into()),
        args: trial.args,
        env: Environment::Exact(bench.environment.of_trial(program, &trial.env, &dir, call.padding)),
        dir,
        cores: half.cores.clone(),
        niceness: call.niceness,
        limits: Limits {
            wall: call.limits.wall,
            output_bytes: call.limits.output_bytes,
            memory_bytes: call.limits.memory_bytes.unwrap_or(u64::MAX),
        },
        lets_go: false,
    }
}

/// The data of a process that ended.
struct Told {
    usage: Usage,
    stopped: Option<Stopped>,
    outcome: Outcome,
    diagnostics: Vec<Diagnostic>,
}

fn measure(
    bench: &Bench<'_>,
    call: &Call,
    half: &Half<'_>,
    command: &Command,
    scratch: &Path,
) -> Result<Told, CallError> {
    let mut reader = bench.harness.reader(&half.program.executable, &call.subject.benchmark, &call.shape);
    let mut lines = Lines::new(LONGEST_LINE);
    let mut tail = Tail::default();
    let mut watch = Watch::new(call, half.side).map_err(CallError::Rule)?;
    let exit = run(command, bench.interrupt, &mut |stream, chunk| {
        let mut has_enough = false;
        match stream {
            Stream::Stdout => lines.feed(chunk, &mut |line| {
                let iterations = take(line, reader.as_mut(), &mut tail);
                has_enough |= watch.has_enough(iterations, reader.latest()) || reader.is_full();
            }),
            Stream::Stderr => tail.push(chunk),
        }
        if has_enough { Flow::Stop } else { Flow::Continue }
    });
    // A process that was stopped may have been in the middle of a line.
    if !matches!(exit, Ok(Exit { ending: Ending::Stopped, .. })) {
        lines.finish(&mut |line| {
            let iterations = take(line, reader.as_mut(), &mut tail);
            watch.has_enough(iterations, reader.latest());
        });
    }
    match exit {
        Ok(Exit { ending, usage, escaped, .. }) => {
            let configured = reader.configured();
            let mut reading = reader.finish(scratch);
            reading.measurement.sample_kind = Some(bench.harness.samples());
            let decided = watch.conclude(&mut reading.measurement, configured);
            let (stopped, doubts) =
                decided.map_or((None, Vec::new()), |(stopped, doubts)| (Some(stopped), doubts));
            reading.diagnostics.extend(doubts);
            let (outcome, mut diagnostics) = judge(ending, call.limits, reading, tail.text());
            if escaped > 0 {
                let message = "starts processes that leave its process group; they were ended with it";
                diagnostics.push(Diagnostic::warning(call.subject.benchmark.to_string(), message));
            }
            let stopped = stopped.filter(|_| outcome.measurement().is_some());
            Ok(Told { usage: converted(&usage), stopped, outcome, diagnostics })
        }
        // This is not the fault of the benchmark and would happen to every other one.
        Err(error @ (StartError::Cores { .. } | StartError::Niceness { .. })) => {
            Err(CallError::Placement(error))
        }
        Err(error) => {
            let failure = Failure::new(FailureKind::NotStarted, chain(&error));
            let outcome = Outcome::Failed(failure);
            Ok(Told { usage: Usage::default(), stopped: None, outcome, diagnostics: Vec::new() })
        }
    }
}

/// Passes a line of standard output to the reader, and its readable part to the tail. Returns the iterations
/// read so far.
fn take(line: &str, reader: &mut dyn Reader, tail: &mut Tail) -> u32 {
    let iterations = reader.line(line);
    if let Some(text) = protocol::plain(line) {
        tail.push(text.as_bytes());
        tail.push(b"\n");
    }
    iterations
}

fn converted(usage: &benchwright_process::Usage) -> Usage {
    let benchwright_process::Usage { wall, user, system, max_rss_bytes } = *usage;
    Usage { wall, user, system, max_rss_bytes, processes: 1 }
}

fn chain(error: &StartError) -> String {
    let mut text = format!("cannot {error}");
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}
