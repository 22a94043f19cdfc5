//! The driver of a trial of a command: benchwright, or the function on another machine, started as a process
//! of its own.
//!
//! The worker starts one process per trial and cannot run commands itself. The driver is that process. It
//! runs the command several times in a row, each time as a fresh process, and prints one line of the shim
//! protocol per run. It stays in the process group made by the worker, so that limits and kills reach the
//! command as well. Its own start is not measured.
//!
//! It is called before the command line is parsed and uses as little memory as possible, because Linux counts
//! the driver's resident memory into the peak memory of the processes it starts.

use std::ffi::OsString;
use std::fs::File;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use benchwright_harness::protocol::{Message, Sample, VERSION};
use benchwright_harness::{CommandTrial, DRIVER};
use benchwright_process::{Ending, Exit, Repeated};

use complaints::Complaints;

mod complaints;

/// Maximum number of runs of one trial, however short they are.
const MOST_RUNS: u32 = 1000;

/// How long lines are buffered, because reading them takes time from the next run.
const HELD_BACK: Duration = Duration::from_millis(50);

/// The exit status that shells use if there is no such program.
const NOT_FOUND: i32 = 127;

/// Does the driver's work if this process was started as a driver.
pub fn take_over() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next()? != DRIVER {
        return None;
    }
    let failed = match Task::read(&arguments.collect::<Vec<_>>()).and_then(Task::carry_out) {
        Ok(()) => return Some(ExitCode::SUCCESS),
        Err(failed) => failed,
    };
    let _ = writeln!(std::io::stderr(), "{}", failed.message);
    Some(u8::try_from(failed.status).map_or(ExitCode::FAILURE, ExitCode::from))
}

/// Why a trial has no values.
#[derive(Debug)]
struct Failed {
    message: String,
    /// The exit status of the driver. It is that of the command if the command is the reason.
    status: i32,
}

impl Failed {
    fn new(message: impl Into<String>) -> Failed {
        Failed { message: message.into(), status: 1 }
    }
}

/// The task of this process.
struct Task {
    trial: CommandTrial,
    name: String,
    /// Minimum number of runs.
    iterations: u32,
    /// Minimum time of the runs.
    time: Duration,
}

impl Task {
    fn read(arguments: &[OsString]) -> Result<Task, Failed> {
        let [file, root, name, iterations, seconds, more @ ..] = arguments else {
            return Err(Failed::new(format!("`{DRIVER}` is for benchwright's own use")));
        };
        let text = |argument: &OsString| argument.to_string_lossy().into_owned();
        let number = |argument: &OsString| text(argument).parse::<f64>().ok();
        let seconds = number(seconds).and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        let (Ok(iterations), Some(time)) = (text(iterations).parse(), seconds) else {
            return Err(Failed::new(format!("`{DRIVER}` expects numbers of runs and seconds")));
        };
        let (name, more) = (text(name), more.iter().map(text).collect::<Vec<_>>());
        let trial = CommandTrial::read(Path::new(file), Path::new(root), &name, &more);
        let trial = trial.map_err(|error| Failed::new(format!("cannot {error}")))?;
        Ok(Task { trial, name, iterations, time })
    }

    fn carry_out(self) -> Result<(), Failed> {
        let mut complaints =
            Complaints::open().map_err(|error| Failed::new(format!("cannot open a pipe: {error}")))?;
        let result = Runs::prepared(&self.trial, &complaints).and_then(|mut runs| {
            let measured = self.measure(&mut runs, &complaints);
            // The files that runs left are cleaned up in any case.
            let cleaned = runs.text(Text::Cleanup);
            measured.and(cleaned)
        });
        result.map_err(|failed| {
            let words = complaints.last_words();
            let message =
                if words.is_empty() { failed.message } else { format!("{words}\n{}", failed.message) };
            Failed { message, ..failed }
        })
    }

    fn measure(&self, runs: &mut Runs<'_>, complaints: &Complaints) -> Result<(), Failed> {
        let mut lines = Lines::new();
        lines.say(&Message::Protocol(VERSION));
        for _ in 0..self.trial.warmup {
            let exit = runs.once(complaints)?;
            lines.say(&self.sample(&exit, true));
        }
        let started = Instant::now();
        for done in 1.. {
            let exit = runs.once(complaints)?;
            lines.say(&self.sample(&exit, false));
            let is_enough = match self.trial.runs {
                Some(runs) => done >= runs,
                None => done >= self.iterations && (done >= MOST_RUNS || started.elapsed() >= self.time),
            };
            if is_enough {
                break;
            }
        }
        lines.flush();
        Ok(())
    }

    fn sample(&self, exit: &Exit, warmup: bool) -> Message {
        let usage = exit.usage;
        let metrics = [
            ("cpu-time", (usage.user + usage.system).as_secs_f64()),
            ("max-rss", usage.max_rss_bytes as f64),
            ("system-time", usage.system.as_secs_f64()),
            ("user-time", usage.user.as_secs_f64()),
        ];
        Message::Sample(Sample {
            benchmark: self.name.clone(),
            seconds: usage.wall.as_secs_f64(),
            operations: Some(1),
            warmup,
            metrics: metrics.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
        })
    }
}

/// The command and the steps around its runs, ready to be started repeatedly.
struct Runs<'a> {
    trial: &'a CommandTrial,
    command: Repeated,
    prepare: Option<Repeated>,
    conclude: Option<Repeated>,
    cleanup: Option<Repeated>,
    number: u32,
}

/// A shell text that is not measured.
#[derive(Debug, Clone, Copy)]
enum Text {
    Prepare,
    Conclude,
    Cleanup,
}

impl<'a> Runs<'a> {
    fn prepared(trial: &'a CommandTrial, complaints: &Complaints) -> Result<Runs<'a>, Failed> {
        let (name, arguments) =
            trial.words.split_first().ok_or_else(|| Failed::new("there is no command"))?;
        let program = find(name).ok_or_else(|| Failed {
            message: format!("cannot find the program `{name}`"),
            status: NOT_FOUND,
        })?;
        let text = |text: &Option<String>| {
            text.as_ref().map(|text| {
                let arguments = ["-c".to_owned(), text.clone()];
                let mut shell = Repeated::new("/bin/sh".into(), &arguments, &trial.env, complaints.stdio());
                shell.output(complaints.stdio());
                shell
            })
        };
        Ok(Runs {
            trial,
            command: Repeated::new(program, arguments, &trial.env, complaints.stdio()),
            prepare: text(&trial.prepare),
            conclude: text(&trial.conclude),
            cleanup: text(&trial.cleanup),
            number: 0,
        })
    }

    /// One run with the steps before and after it.
    fn once(&mut self, complaints: &Complaints) -> Result<Exit, Failed> {
        self.number += 1;
        complaints.forget();
        self.text(Text::Prepare)?;
        if let Some(input) = &self.trial.input {
            let file = File::open(input);
            let failed = |error| Failed::new(format!("cannot read `{}`: {error}", input.display()));
            self.command.input(file.map_err(failed)?);
        }
        let ended = self.command.run().map_err(|error| {
            let cause = std::error::Error::source(&error).map_or(String::new(), |cause| format!(": {cause}"));
            Failed { message: format!("cannot {error}{cause}"), status: NOT_FOUND }
        });
        let judged = ended.and_then(|exit| self.judged(exit));
        let concluded = self.text(Text::Conclude);
        let exit = judged?;
        concluded.map(|()| exit)
    }

    fn judged(&self, exit: Exit) -> Result<Exit, Failed> {
        let is_fine = match (&self.trial.exit_codes, exit.ending) {
            (None, _) => true,
            (Some(fine), Ending::Exited(status)) => fine.contains(&status),
            (Some(_), _) => false,
        };
        let what = format!("run {}: `{}`", self.number, self.trial.words.join(" "));
        if is_fine { Ok(exit) } else { Err(ended_badly(&what, exit.ending)) }
    }

    fn text(&mut self, which: Text) -> Result<(), Failed> {
        let (name, shell) = match which {
            Text::Prepare => ("prepare", &mut self.prepare),
            Text::Conclude => ("conclude", &mut self.conclude),
            Text::Cleanup => ("cleanup", &mut self.cleanup),
        };
        let Some(shell) = shell else { return Ok(()) };
        let exit = shell.run().map_err(|error| Failed::new(format!("cannot {error}")))?;
        if exit.is_success() { Ok(()) } else { Err(ended_badly(&format!("`{name}`"), exit.ending)) }
    }
}

fn ended_badly(what: &str, ending: Ending) -> Failed {
    match ending {
        Ending::Exited(status) => {
            // A status of 0 that is not an expected one is a failure too.
            Failed { message: format!("{what} exited with status {status}"), status: status.max(1) }
        }
        Ending::Signalled(signal) => {
            Failed { message: format!("{what} was ended by signal {signal}"), status: 128 + signal }
        }
        other => Failed::new(format!("{what} ended: {other:?}")),
    }
}

/// The path of the program. It is looked up once, so that runs do not have to.
fn find(name: &str) -> Option<PathBuf> {
    if name.contains('/') {
        return Some(name.into());
    }
    let is_program = |path: &PathBuf| {
        path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
    };
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|dir| dir.join(name)).find(is_program)
}

/// Lines on standard output.
struct Lines {
    text: String,
    flushed_at: Instant,
}

impl Lines {
    fn new() -> Lines {
        Lines { text: String::new(), flushed_at: Instant::now() }
    }

    fn say(&mut self, message: &Message) {
        self.text.push_str(&message.line());
        self.text.push('\n');
        if self.flushed_at.elapsed() >= HELD_BACK {
            self.flush();
        }
    }

    fn flush(&mut self) {
        let mut stdout = std::io::stdout().lock();
        // If this fails, the error cannot be reported to anyone.
        let _ = stdout.write_all(self.text.as_bytes()).and_then(|()| stdout.flush());
        self.text.clear();
        self.flushed_at = Instant::now();
    }
}
