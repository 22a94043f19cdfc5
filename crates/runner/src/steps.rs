//! Runs the steps of a harness.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use benchwright_harness::{Step, StepFailure, StepOutput, StepRunner};
use benchwright_process::{Command, Ending, Environment, Flow, Interrupt, StartError, Stream, run};
use benchwright_worker::{CommonEnvironment, TrialLimits};
use tempfile::TempDir;

use crate::versions::Cache;

/// Environment variables with Java options for Maven and Gradle.
const JAVA_OPTIONS: [&str; 2] = ["MAVEN_OPTS", "GRADLE_OPTS"];

/// A step that prints more than this is killed.
const OUTPUT_LIMIT: u64 = 256 << 20;

/// The environment that everything of both versions is built and run in: that of benchwright, without
/// variables that lead back into the repository.
pub fn common_environment(cache: &Cache) -> CommonEnvironment {
    CommonEnvironment::capture().with("GIT_CEILING_DIRECTORIES", cache.dir())
}

/// Runs steps as processes and writes a log of each.
///
/// Steps get a directory for temporary files, which is removed when this value is dropped, because a tool
/// that is killed cannot clean up.
pub struct ProcessSteps<'a> {
    cache: &'a Cache,
    /// The directory for temporary files. It is made for the first step.
    temporary: Option<TempDir>,
    root: PathBuf,
    environment: &'a CommonEnvironment,
    logs: PathBuf,
    interrupt: &'a Interrupt,
    on_step: &'a mut dyn FnMut(&str),
    steps: u32,
    output_limit: u64,
    memory_limit: u64,
}

impl<'a> ProcessSteps<'a> {
    /// Steps that run in `environment`, end with `interrupt` and log into the directory `logs`. A relative
    /// working directory is below `root`, the root of the version. `on_step` is called with the purpose of
    /// each step before it starts.
    pub fn new(
        cache: &'a Cache,
        root: &Path,
        environment: &'a CommonEnvironment,
        logs: &Path,
        interrupt: &'a Interrupt,
        on_step: &'a mut dyn FnMut(&str),
    ) -> ProcessSteps<'a> {
        ProcessSteps {
            cache,
            temporary: None,
            root: root.to_owned(),
            environment,
            logs: logs.to_owned(),
            interrupt,
            on_step,
            steps: 0,
            output_limit: OUTPUT_LIMIT,
            memory_limit: u64::MAX,
        }
    }

    /// The same, with the limits that a trial has on memory and output.
    pub fn within(self, limits: TrialLimits) -> ProcessSteps<'a> {
        let memory_limit = limits.memory_bytes.unwrap_or(u64::MAX);
        ProcessSteps { output_limit: limits.output_bytes, memory_limit, ..self }
    }

    fn command(&mut self, step: &Step) -> io::Result<Command> {
        let dir = self.dir_of(step);
        let temporary = match self.temporary.take() {
            Some(temporary) => temporary,
            None => self.cache.temporary().map_err(io::Error::other)?,
        };
        let temporary = self.temporary.insert(temporary).path();
        // Some tools rely on PWD, so it names the step's directory. The go command has its own variable for
        // temporary files.
        let common = self.environment.clone().with("PWD", &dir);
        let mut common = common.with("TMPDIR", temporary).with("GOTMPDIR", temporary);
        // Java ignores TMPDIR. The Java tools read options from a variable, in which they are separated by
        // blanks.
        let text = temporary.to_string_lossy();
        for name in JAVA_OPTIONS.iter().filter(|_| !text.contains(char::is_whitespace)) {
            let told = self.environment.variables().find(|(known, _)| known == name);
            let told = told.map(|(_, value)| value.to_string_lossy()).unwrap_or_default();
            common = common.with(name, format!("{told} -Djava.io.tmpdir={text}").trim_start());
        }
        let own = step.env.iter().fold(common, |all, (name, value)| all.with(name, value));
        let variables = own.variables().map(|(name, value)| (name.to_owned(), value.to_owned()));
        Ok(Command::new(&step.program, dir)
            .args(&step.args)
            .env(Environment::Exact(variables.collect()))
            .wall_limit(step.timeout)
            .output_limit(self.output_limit)
            .memory_limit(self.memory_limit))
    }

    fn dir_of(&self, step: &Step) -> PathBuf {
        // Joining an empty path leaves a slash at the end, which some tools would copy into what they build.
        self.root.join(&step.dir).components().collect()
    }

    fn next_log(&mut self, purpose: &str) -> PathBuf {
        self.steps += 1;
        let plain = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' };
        let name: String = purpose.chars().map(plain).take(60).collect();
        self.logs.join(format!("{:03}-{name}.log", self.steps))
    }
}

impl StepRunner for ProcessSteps<'_> {
    fn run(&mut self, step: &Step) -> Result<StepOutput, StepFailure> {
        self.run_timed(step).map(|(output, _)| output)
    }

    fn run_timed(&mut self, step: &Step) -> Result<(StepOutput, Vec<Duration>), StepFailure> {
        (self.on_step)(&step.purpose);
        fs::create_dir_all(&self.logs)?;
        let path = self.next_log(&step.purpose);
        let mut log = Log::create(&path, step, &self.dir_of(step))?;
        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        let command = self.command(step)?;
        let (began, mut times) = (Instant::now(), Vec::new());
        let exit = run(&command, self.interrupt, &mut |stream, chunk| {
            log.write(chunk);
            match stream {
                Stream::Stdout => {
                    let lines = chunk.iter().filter(|byte| **byte == b'\n').count();
                    times.resize(times.len() + lines, began.elapsed());
                    stdout.extend_from_slice(chunk);
                }
                Stream::Stderr => stderr.extend_from_slice(chunk),
            }
            Flow::Continue
        });
        let exit = exit.map_err(failure)?;
        log.finish(exit.ending)?;
        let status = match exit.ending {
            Ending::Exited(status) => status,
            // The same convention as shells. A harness only checks for 0.
            Ending::Signalled(signal) => 128 + signal,
            Ending::TimedOut => return Err(StepFailure::TimedOut(step.timeout)),
            Ending::Interrupted | Ending::Stopped => return Err(StepFailure::Interrupted),
            Ending::TooMuchOutput => return Err(StepFailure::TooMuchOutput(self.output_limit)),
            Ending::TooMuchMemory => return Err(StepFailure::TooMuchMemory(self.memory_limit)),
            Ending::Unread(error) => return Err(StepFailure::System(io::Error::from_raw_os_error(error))),
        };
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ok((StepOutput { status, stdout: text(&stdout), stderr: text(&stderr), log: path }, times))
    }
}

fn failure(error: StartError) -> StepFailure {
    match error {
        StartError::NoProgram { program } => StepFailure::NoProgram(program.to_string_lossy().into_owned()),
        StartError::System { source, .. } => StepFailure::System(source),
        other => StepFailure::System(io::Error::other(other)),
    }
}

/// The log of a step: the command, its output on both streams in the order in which it came, and how it
/// ended.
struct Log {
    file: BufWriter<File>,
    failed: Option<io::Error>,
}

impl Log {
    fn create(path: &Path, step: &Step, dir: &Path) -> io::Result<Log> {
        let mut file = BufWriter::new(File::create(path)?);
        writeln!(file, "# {}", step.purpose)?;
        write!(file, "$ cd {} &&", quoted(dir.as_os_str()))?;
        for (name, value) in &step.env {
            write!(file, " {name}={}", quoted(value.as_ref()))?;
        }
        for word in std::iter::once(&step.program).chain(&step.args) {
            write!(file, " {}", quoted(word))?;
        }
        writeln!(file)?;
        Ok(Log { file, failed: None })
    }

    fn write(&mut self, chunk: &[u8]) {
        // A full disk must not look like a failed tool. The step continues, and the error is reported at its
        // end.
        if let (None, Err(error)) = (&self.failed, self.file.write_all(chunk)) {
            self.failed = Some(error);
        }
    }

    fn finish(mut self, ending: Ending) -> io::Result<()> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        writeln!(self.file, "# {ending:?}")?;
        self.file.flush()
    }
}

/// A word quoted for a shell.
fn quoted(word: &std::ffi::OsStr) -> String {
    let word = word.to_string_lossy();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.into_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn carry_out(script: &str, timeout: Duration) -> (Result<StepOutput, StepFailure>, Vec<String>) {
        let dir = tempfile::tempdir().unwrap();
        let environment = CommonEnvironment::capture().with("COLOUR", "blue sky");
        let (interrupt, mut heard) = (Interrupt::new(), Vec::new());
        let mut on_step = |purpose: &str| heard.push(purpose.to_owned());
        let logs = dir.path().join("logs");
        let cache = Cache::at(&dir.path().join("cache")).unwrap();
        let mut steps = ProcessSteps::new(&cache, dir.path(), &environment, &logs, &interrupt, &mut on_step);
        let step = Step {
            purpose: "try a/script".into(),
            program: script.split(' ').next().unwrap_or("").into(),
            args: vec!["-c".into(), script.split_once(' ').unwrap_or_default().1.into()],
            dir: PathBuf::new(),
            env: vec![("SHAPE".into(), "it's round".into())],
            timeout,
        };
        let output = steps.run(&step);
        drop(steps);
        assert_eq!(fs::read_dir(cache.dir().join("temporary")).unwrap().count(), 0);
        let log = fs::read_to_string(logs.join("001-try-a-script.log")).unwrap();
        heard.push(log);
        (output, heard)
    }

    #[test]
    fn output_status_and_log_are_complete() {
        let (output, heard) = carry_out("sh echo $COLOUR; echo $SHAPE >&2; exit 3", Duration::from_secs(60));
        let output = output.unwrap();
        assert_eq!((output.status, &*output.stdout, &*output.stderr), (3, "blue sky\n", "it's round\n"));
        assert_eq!(heard[0], "try a/script");
        let log: Vec<&str> = heard[1].lines().collect();
        assert_eq!(log[0], "# try a/script");
        assert!(
            log[1].starts_with("$ cd /") && log[1].contains(r"&& SHAPE='it'\''s round' sh -c 'echo $COLOUR;")
        );
        assert!(log.contains(&"blue sky") && log.contains(&"it's round"));
        assert_eq!(log.last(), Some(&"# Exited(3)"));
    }

    #[test]
    fn temporary_files_go_however_a_step_ends() {
        let script = "sh mktemp; mktemp -d -p $GOTMPDIR; echo $TMPDIR; exec sleep $0";
        let (output, heard) = carry_out(&script.replace("exec sleep $0", "exit 1"), Duration::from_secs(60));
        let made: Vec<PathBuf> = output.unwrap().stdout.lines().map(PathBuf::from).collect();
        assert!(made.len() == 3 && made.iter().all(|path| path.starts_with(&made[2])), "{heard:?}");
        let (output, _) = carry_out(&script.replace("$0", "60"), Duration::from_millis(300));
        assert!(matches!(output, Err(StepFailure::TimedOut(_))));
        let (output, _) =
            carry_out("sh echo $TMPDIR; echo $MAVEN_OPTS; echo $GRADLE_OPTS", Duration::from_secs(60));
        let text = output.unwrap().stdout;
        let dir = text.lines().next().unwrap();
        assert_eq!(text.matches(&format!("-Djava.io.tmpdir={dir}\n")).count(), 2, "{text}");
    }

    #[test]
    fn steps_without_output_say_why() {
        let (output, _) = carry_out("sh sleep 60", Duration::from_millis(20));
        assert!(matches!(output, Err(StepFailure::TimedOut(_))));
        let (output, _) = carry_out("no-such-program x", Duration::from_secs(60));
        assert!(matches!(output, Err(StepFailure::NoProgram(program)) if program == "no-such-program"));
        let (output, _) = carry_out("sh kill -9 $$", Duration::from_secs(60));
        assert_eq!(output.unwrap().status, 137);
    }
}
