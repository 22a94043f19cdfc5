//! One program, started repeatedly.

use std::fs::File;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Instant;

use crate::start::spawn;
use crate::system::{self, Status};
use crate::{Command, Ending, Environment, Exit, StartError, Usage};

/// A program whose every run is timed.
///
/// Everything that can be prepared is done once: between the two readings of the clock there is only the
/// start itself and the wait for the end. The process stays in the caller's group and has the caller's
/// directory, cores and niceness, so that the limits of the caller apply to both, and both are killed
/// together.
pub struct Repeated {
    /// For messages.
    command: Command,
    prepared: std::process::Command,
}

impl Repeated {
    /// `program`, a path, with these arguments and with variables added to the caller's own. Its standard
    /// input is empty, its standard output is discarded, and its standard error goes to `stderr`.
    pub fn new(program: PathBuf, args: &[String], env: &[(String, String)], stderr: Stdio) -> Self {
        let mut prepared = std::process::Command::new(&program);
        prepared.args(args).envs(env.iter().map(|(name, value)| (name, value)));
        // Opened once here instead of at every start.
        prepared.stdin(nothing()).stdout(nothing()).stderr(stderr);
        let set = env.iter().map(|(name, value)| (name.into(), value.into())).collect();
        let command =
            Command::new(program, ".").args(args).env(Environment::Inherit { set, remove: Vec::new() });
        Repeated { command, prepared }
    }

    /// The next run reads this.
    pub fn input(&mut self, file: File) {
        self.prepared.stdin(file);
    }

    /// Sets the destination of standard output.
    pub fn output(&mut self, stdout: Stdio) {
        self.prepared.stdout(stdout);
    }

    /// Runs it until it ends. The wall time is that between two readings of the clock, directly before the
    /// start and directly after the end.
    pub fn run(&mut self) -> Result<Exit, StartError> {
        let started = Instant::now();
        let child = spawn(&self.command, &mut self.prepared)?;
        let pid = i32::try_from(child.id()).expect("process ids fit pid_t");
        let (status, usage) = system::reap(pid);
        let wall = started.elapsed();
        let ending = match status {
            Status::Exited(status) => Ending::Exited(status),
            Status::Signalled(signal) => Ending::Signalled(signal),
        };
        Ok(Exit { ending, usage: Usage { wall, ..usage }, first_output: None, escaped: 0 })
    }
}

/// The null device.
fn nothing() -> Stdio {
    let file = File::options().read(true).write(true).open("/dev/null");
    file.map_or_else(|_| Stdio::null(), Stdio::from)
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    fn shell(text: &str, stderr: Stdio) -> Repeated {
        let args = ["-c".to_owned(), text.to_owned()];
        Repeated::new("/bin/sh".into(), &args, &[("COLOUR".into(), "blue".into())], stderr)
    }

    #[test]
    fn every_run_has_its_own_end_and_cost() {
        let mut program = shell("exit 3", Stdio::null());
        for _ in 0..3 {
            let exit = program.run().unwrap();
            assert_eq!(exit.ending, Ending::Exited(3));
            assert!(exit.usage.wall.as_nanos() > 0 && exit.usage.max_rss_bytes > 0);
        }
        assert_eq!(shell("kill -9 $$", Stdio::null()).run().unwrap().ending, Ending::Signalled(9));
    }

    #[test]
    fn it_reads_nothing_or_a_file_and_complains_where_it_is_told() {
        let (mut reader, writer) = std::io::pipe().unwrap();
        let mut program = shell("cat >&2; echo $COLOUR >&2; echo lost", writer.into());
        program.run().unwrap();
        let path = std::env::current_exe().unwrap().with_extension("input");
        std::fs::write(&path, "words\n").unwrap();
        for _ in 0..2 {
            program.input(File::open(&path).unwrap());
            program.run().unwrap();
        }
        drop(program);
        std::fs::remove_file(&path).unwrap();
        let mut text = String::new();
        reader.read_to_string(&mut text).unwrap();
        assert_eq!(text, "blue\nwords\nblue\nwords\nblue\n");
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let mut program = Repeated::new("/no/such/program".into(), &[], &[], Stdio::null());
        assert!(matches!(program.run(), Err(StartError::NoProgram { .. })));
    }
}
