//! Runs benchwright in a suite, and examines what is left when it has ended.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::answer::Answer;
use super::suites::{Suite, write_script};

/// How long the processes of benchwright may go on after it has ended.
const GRACE: Duration = Duration::from_secs(5);

/// A longer run counts as a hang. This is longer than any build of the examples.
pub(super) const LIMIT: Duration = Duration::from_secs(150);

/// A repository with a suite, and separate directories for everything else.
#[derive(Debug)]
pub(super) struct World {
    program: PathBuf,
    dir: PathBuf,
    pub(super) suite: &'static Suite,
    /// Whether builds of earlier trials are used.
    is_warm: bool,
}

impl World {
    /// Makes all files again, below `dir`.
    pub(super) fn new(root: &Path, program: &Path, dir: &Path, suite: &'static Suite) -> Result<World> {
        let dir = dir.join(suite.name);
        if dir.exists() {
            fs::remove_dir_all(&dir).context("remove what an earlier call left")?;
        }
        fs::create_dir_all(&dir).context("make a directory for trials")?;
        suite.make(root, &dir.join("repository"))?;
        let world = World { program: program.to_owned(), dir, suite, is_warm: true };
        world.clear()?;
        Ok(world)
    }

    /// Removes all results, and all builds if the trial starts cold.
    pub(super) fn reset(&mut self, is_warm: bool) -> Result<()> {
        self.is_warm = is_warm;
        if !is_warm && self.cache().exists() {
            fs::remove_dir_all(self.cache()).context("remove builds")?;
        }
        self.clear()
    }

    fn clear(&self) -> Result<()> {
        for path in [self.results(), self.dir.join("tmp"), self.script()] {
            if path.exists() {
                fs::remove_dir_all(&path).with_context(|| format!("remove `{}`", path.display()))?;
            }
        }
        fs::create_dir(self.dir.join("tmp")).context("make a directory")?;
        fs::create_dir(self.script()).context("make a directory")?;
        write_script(&self.script())
    }

    /// The directory in which benchwright stores results.
    pub(super) fn results(&self) -> PathBuf {
        self.dir.join("repository/.benchwright")
    }

    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    fn script(&self) -> PathBuf {
        self.dir.join("script")
    }

    fn cache(&self) -> PathBuf {
        self.dir.join(if self.is_warm { "warm" } else { "cold" })
    }

    /// Starts benchwright through `wrapper`, a program with arguments that starts another program.
    pub(super) fn start(&self, arguments: &str, wrapper: &[String]) -> Result<Child> {
        // A shell makes programs in the background ignore interrupts. `env` undoes this.
        let mut command = Command::new("env");
        command
            .arg("--default-signal=INT")
            .args(wrapper)
            .arg(&self.program)
            .args(arguments.split_whitespace());
        command.current_dir(self.dir.join("repository")).stdin(Stdio::null());
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("BENCHWRIGHT_") {
                command.env_remove(name);
            }
        }
        command.env("BENCHWRIGHT_CACHE", self.cache()).env("BENCHWRIGHT_LOCK", self.dir.join("lock"));
        command
            .env("BENCHWRIGHT_LAYOUTS", "0")
            .env("TMPDIR", self.dir.join("tmp"))
            .env("SCRIPT", self.script());
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1").env("NO_COLOR", "1");
        let output = |name: &str| File::create(self.dir.join(name)).context("make a file for output");
        command.stdout(output("stdout")?).stderr(output("stderr")?);
        command.spawn().context("start benchwright")
    }

    /// Waits for benchwright to end, and kills it if it takes longer than `limit`.
    pub(super) fn wait(&self, mut child: Child, limit: Duration) -> Result<Answer> {
        let begin = Instant::now();
        let status = loop {
            match child.try_wait().context("wait for benchwright")? {
                Some(status) => break Some(status),
                None if begin.elapsed() > limit => {
                    signal("KILL", child.id());
                    child.wait().context("wait for benchwright")?;
                    break None;
                }
                None => std::thread::sleep(Duration::from_millis(2)),
            }
        };
        let output = |name: &str| fs::read(self.dir.join(name)).context("read output");
        Ok(Answer::new(status, &output("stdout")?, &output("stderr")?))
    }

    /// Runs benchwright to its end.
    pub(super) fn say(&self, arguments: &str) -> Result<Answer> {
        self.wait(self.start(arguments, &[])?, LIMIT)
    }

    /// Finds what must not remain when benchwright has ended: processes that it started, and temporary files.
    pub(super) fn left_overs(&self) -> Vec<String> {
        let begin = Instant::now();
        let mut processes = self.processes();
        while !processes.is_empty() && begin.elapsed() < GRACE {
            std::thread::sleep(Duration::from_millis(20));
            processes = self.processes();
        }
        let mut found = Vec::new();
        for (pid, command) in processes {
            found.push(format!("process left: {command}"));
            signal("KILL", pid);
        }
        let files: Vec<PathBuf> =
            fs::read_dir(self.dir.join("tmp")).into_iter().flatten().flatten().map(|it| it.path()).collect();
        let names: Vec<_> =
            files.iter().filter_map(|file| file.file_name()).map(|it| it.to_string_lossy()).collect();
        if !names.is_empty() {
            found.push(format!("left in TMPDIR: {}", names.join(", ")));
        }
        // Removed so that later trials do not report them again.
        for file in files {
            let _ = if file.is_dir() { fs::remove_dir_all(file) } else { fs::remove_file(file) };
        }
        found
    }

    /// Processes with this directory in their environment or arguments, or with a working directory inside
    /// it.
    fn processes(&self) -> Vec<(u32, String)> {
        let name = self.dir.to_string_lossy().into_owned();
        let pids = fs::read_dir("/proc").into_iter().flatten().flatten();
        let pids = pids.filter_map(|entry| entry.file_name().to_string_lossy().parse::<u32>().ok());
        let mut found = Vec::new();
        for pid in pids.filter(|pid| *pid != std::process::id()) {
            let file = |name: &str| fs::read(format!("/proc/{pid}/{name}")).unwrap_or_default();
            let command = String::from_utf8_lossy(&file("cmdline")).replace('\0', " ");
            let is_here =
                fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|cwd| cwd.starts_with(&self.dir));
            let is_ours =
                String::from_utf8_lossy(&file("environ")).contains(&name) || command.contains(&name);
            let is_dead = String::from_utf8_lossy(&file("stat"))
                .rsplit(") ")
                .next()
                .is_none_or(|state| state.starts_with(['Z', 'X']));
            if (is_ours || is_here) && !is_dead {
                found.push((pid, command));
            }
        }
        found
    }

    /// The journals of runs that have not ended.
    pub(super) fn journals(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.results().join("journals")).into_iter().flatten().flatten();
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "journal"));
        paths.sort();
        paths
    }

    /// The number of stored trials: those of the newest journal, or else those of the newest run in the
    /// store.
    pub(super) fn kept(&self) -> Result<usize> {
        match self.journals().last() {
            Some(journal) => {
                let text = fs::read(journal).context("read a journal")?;
                let is_trial =
                    |line: &&[u8]| line.get(8..).is_some_and(|rest| rest.starts_with(b" {\"trial\":"));
                Ok(text.split(|byte| *byte == b'\n').filter(is_trial).count())
            }
            None => Ok(trials(&self.say("export latest --format samples-csv")?.stdout)),
        }
    }

    /// The number of results that scripted benchmarks have printed.
    pub(super) fn printed(&self) -> usize {
        let entries = fs::read_dir(self.script()).into_iter().flatten().flatten();
        let results = entries.filter(|entry| entry.path().extension().is_some_and(|it| it == "results"));
        results.filter_map(|entry| entry.metadata().ok()).map(|file| file.len() as usize).sum()
    }
}

/// Sends a signal by its name.
pub(super) fn signal(name: &str, pid: u32) {
    let mut kill = Command::new("kill");
    // The process may have ended already. This makes no difference here.
    let _ = kill.arg(format!("-{name}")).arg(pid.to_string()).stderr(Stdio::null()).status();
}

/// The number of different trials in exported samples.
fn trials(csv: &str) -> usize {
    let mut lines = csv.lines();
    let names: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    let wanted = ["side", "package", "benchmark", "phase", "duet", "attempt"];
    let columns: Vec<usize> =
        wanted.iter().filter_map(|name| names.iter().position(|found| found == name)).collect();
    let key = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        columns.iter().map(|column| fields.get(*column).unwrap_or(&"").to_string()).collect::<Vec<_>>()
    };
    lines.map(key).collect::<BTreeSet<_>>().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_of_one_trial_count_once() {
        let csv = "run,side,package,benchmark,phase,duet,attempt,sample\nr,base,p,a,screening,0,0,0\n\
            r,base,p,a,screening,0,0,1\nr,head,p,a,screening,0,0,0\nr,base,p,a,screening,1,0,0\n";
        assert_eq!(trials(csv), 3);
        assert_eq!(trials(""), 0);
    }
}
