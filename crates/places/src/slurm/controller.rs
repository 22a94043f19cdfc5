//! Runs Slurm's own commands.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use benchwright_process::{Command, Interrupt, StartError, capture};

use super::{SlurmError, SlurmSettings};

/// The time limit of a command. Slurm itself waits less for its controller.
const LONGEST: Duration = Duration::from_secs(120);

/// Bytes of output that are read of a command.
const MOST_OUTPUT: u64 = 64 << 20;

/// Messages of Slurm when the controller is away, restarting or overloaded, so that another try may work.
const PASSING: [&str; 10] = [
    "Unable to contact slurm controller",
    "Unable to establish",
    "Connection refused",
    "Connection timed out",
    "Socket timed out",
    "Zero Bytes were transmitted",
    "temporarily unable to accept job",
    "Resource temporarily unavailable",
    "Unable to connect",
    "Transport endpoint is not connected",
];

/// The states in which a task may still have a result.
const LIVING: [&str; 12] = [
    "PENDING",
    "RUNNING",
    "CONFIGURING",
    "COMPLETING",
    "SUSPENDED",
    "REQUEUED",
    "REQUEUE_HOLD",
    "REQUEUE_FED",
    "RESIZING",
    "SIGNALING",
    "STAGE_OUT",
    "SPECIAL_EXIT",
];

/// The state of a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TaskState {
    /// It waits or runs.
    Lives,
    /// It has ended. This is the name of the state.
    Ended(String),
}

/// A job array to submit.
pub(super) struct Array<'a> {
    pub(super) name: &'a str,
    pub(super) tasks: usize,
    pub(super) script: &'a Path,
    pub(super) logs: &'a Path,
    pub(super) time: Duration,
}

/// The commands, run in a directory.
pub(super) struct Controller {
    dir: std::path::PathBuf,
}

impl Controller {
    pub(super) fn new(dir: &Path) -> Self {
        Controller { dir: dir.to_owned() }
    }

    /// Checks that Slurm's commands are installed.
    pub(super) fn check(&self) -> Result<(), SlurmError> {
        for command in ["sbatch", "squeue", "scancel"] {
            self.run(command, vec!["--version".into()])?;
        }
        Ok(())
    }

    /// Submits an array and returns its number.
    pub(super) fn submit(&self, array: &Array<'_>, settings: &SlurmSettings) -> Result<String, SlurmError> {
        let answer = self.run("sbatch", submission(array, settings))?;
        // `number` or `number;cluster`
        Ok(answer.trim().split(';').next().unwrap_or_default().to_owned())
    }

    /// The number of a living array of this name.
    pub(super) fn find(&self, name: &str) -> Result<Option<String>, SlurmError> {
        let named = self.living()?;
        Ok(named.into_iter().find(|(_, found)| found == name).map(|(number, _)| number))
    }

    /// All active arrays of this user, by number and name.
    pub(super) fn living(&self) -> Result<Vec<(String, String)>, SlurmError> {
        let text = self.run("squeue", words(&["--noheader", "--me", "--format=%F|%j"]))?;
        let mut found: Vec<(String, String)> = text.lines().filter_map(split).collect();
        found.sort();
        found.dedup();
        Ok(found)
    }

    /// The states of the tasks of the array with this name, by number within it, as far as the controller
    /// lists them.
    pub(super) fn states(&self, name: &str) -> Result<HashMap<usize, TaskState>, SlurmError> {
        let name = format!("--name={name}");
        let all = ["--noheader", "--me", "--array", "--states=all", "--format=%K|%T", &name];
        Ok(task_states(&self.run("squeue", words(&all))?))
    }

    /// Cancels an array. An array that has already ended is ignored.
    pub(super) fn cancel(&self, number: &str) -> Result<(), SlurmError> {
        self.run("scancel", words(&["--quiet", number])).map(drop)
    }

    fn run(&self, command: &'static str, args: Vec<OsString>) -> Result<String, SlurmError> {
        let process = Command::new(command, &self.dir)
            .args(args)
            .wall_limit(LONGEST)
            .output_limit(MOST_OUTPUT)
            .letting_go();
        // The user's interrupt is not used here, because cancelling is also needed after an interrupt.
        let (exit, stdout, stderr) = capture(&process, &Interrupt::new()).map_err(|source| match source {
            StartError::NoProgram { .. } => SlurmError::NoCommand(command),
            source => SlurmError::Start { command, source },
        })?;
        if exit.is_success() {
            return Ok(String::from_utf8_lossy(&stdout).into_owned());
        }
        let words = String::from_utf8_lossy(&stderr).split_whitespace().collect::<Vec<_>>().join(" ");
        let is_passing = words.is_empty() || PASSING.iter().any(|passing| words.contains(passing));
        Err(match is_passing {
            true => SlurmError::Unreachable(words),
            false => SlurmError::Refused { command, words },
        })
    }
}

fn words(args: &[&str]) -> Vec<OsString> {
    args.iter().map(OsString::from).collect()
}

fn split(line: &str) -> Option<(String, String)> {
    let (left, right) = line.trim().split_once('|')?;
    Some((left.to_owned(), right.to_owned()))
}

fn task_states(text: &str) -> HashMap<usize, TaskState> {
    let state = |word: String| match LIVING.contains(&word.as_str()) {
        true => TaskState::Lives,
        false => TaskState::Ended(word),
    };
    text.lines()
        .filter_map(split)
        .filter_map(|(task, word)| Some((task.parse().ok()?, state(word))))
        .collect()
}

fn submission(array: &Array<'_>, settings: &SlurmSettings) -> Vec<OsString> {
    let secs = array.time.as_secs().max(60);
    let time = format!("{}:{:02}:{:02}", secs / 3600, secs / 60 % 60, secs % 60);
    let mut args = words(&["--parsable", "--requeue", "--nodes=1", "--ntasks=1", "--open-mode=append"]);
    let mut add = |name: &str, value: &str| args.push(format!("--{name}={value}").into());
    add("array", &format!("0-{}%{}", array.tasks.saturating_sub(1), settings.parallel.max(1)));
    add("job-name", array.name);
    add("time", &time);
    add("cpus-per-task", &settings.cpus_per_task.max(1).to_string());
    if let Some(partition) = &settings.partition {
        add("partition", partition);
    }
    let mut log = OsString::from("--output=");
    log.push(array.logs.join("%A_%a"));
    args.push(log);
    if settings.exclusive {
        args.push("--exclusive".into());
    }
    args.extend(settings.extra.iter().map(OsString::from));
    args.push(array.script.into());
    args
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_array_is_submitted_as_configured() {
        let array = Array {
            name: "bw-1",
            tasks: 40,
            script: Path::new("/d/script"),
            logs: Path::new("/d/logs"),
            time: Duration::from_secs(3725),
        };
        let check = |settings: SlurmSettings, expected: &str| {
            let args: Vec<String> =
                submission(&array, &settings).iter().map(|arg| arg.to_string_lossy().into_owned()).collect();
            let fixed = "--parsable --requeue --nodes=1 --ntasks=1 --open-mode=append";
            assert_eq!(args.join(" "), format!("{fixed} {expected}"));
        };
        check(
            SlurmSettings::default(),
            "--array=0-39%32 --job-name=bw-1 --time=1:02:05 --cpus-per-task=2 --output=/d/logs/%A_%a --exclusive /d/script",
        );
        let pinned = SlurmSettings {
            partition: Some("bench".into()),
            exclusive: false,
            cpus_per_task: 4,
            parallel: 8,
            extra: vec!["--account=x".into()],
            ..SlurmSettings::default()
        };
        check(
            pinned,
            "--array=0-39%8 --job-name=bw-1 --time=1:02:05 --cpus-per-task=4 --partition=bench --output=/d/logs/%A_%a \
             --account=x /d/script",
        );
    }

    #[test]
    fn only_states_that_are_an_end_are_one() {
        let states = task_states("0|RUNNING\n1|COMPLETED\n 2|NODE_FAIL \n3|PENDING\nN/A|FAILED\nnonsense\n");
        assert_eq!(states.len(), 4);
        assert_eq!((&states[&0], &states[&3]), (&TaskState::Lives, &TaskState::Lives));
        assert_eq!(states[&1], TaskState::Ended("COMPLETED".into()));
        assert_eq!(states[&2], TaskState::Ended("NODE_FAIL".into()));
    }
}
