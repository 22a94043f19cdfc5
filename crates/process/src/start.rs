//! Makes a running process from a command.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, Stdio};
use std::time::Duration;

use crate::escape::{self, Mark};
use crate::guardian::{self, Entry};
use crate::memory;
use crate::system::{self, Status};
use crate::{Command, Environment, StartError, Usage};

/// A started process. Dropping it kills its group.
pub(crate) struct Process {
    pid: i32,
    mark: Mark,
    /// The reading ends of standard output and standard error. `None` once they have ended.
    pub(crate) pipes: [Option<File>; 2],
    exit_descriptor: Option<OwnedFd>,
    /// Present until the process has been waited for.
    entry: Option<Option<Entry>>,
}

impl Process {
    /// Starts the command in a new process group.
    pub(crate) fn start(command: &Command) -> Result<Process, StartError> {
        guardian::wake();
        let mark = Mark::new();
        let mut prepared = prepare(command);
        match command.lets_go {
            true => prepared.env_remove(escape::VARIABLE),
            false => prepared.env(escape::VARIABLE, mark.value()),
        };
        let (mut child, entry) = match command.cores.is_some() || command.niceness.is_some() {
            true => spawn_placed(command, &mut prepared)?,
            false => spawn_guarded(command, &mut prepared)?,
        };
        let pid = number(&child);
        let stdout = child.stdout.take().map(|pipe| File::from(OwnedFd::from(pipe)));
        let stderr = child.stderr.take().map(|pipe| File::from(OwnedFd::from(pipe)));
        Ok(Process {
            pid,
            mark,
            pipes: [stdout, stderr],
            exit_descriptor: system::exit_descriptor(pid),
            entry: Some(entry),
        })
    }

    /// A descriptor that becomes readable when the process exits. `None` if [`Process::has_ended`] has to be
    /// called from time to time.
    pub(crate) fn exit_descriptor(&self) -> Option<BorrowedFd<'_>> {
        self.exit_descriptor.as_ref().map(AsFd::as_fd)
    }

    /// Whether the leader of the group has ended.
    pub(crate) fn has_ended(&self) -> bool {
        system::has_ended(self.pid)
    }

    /// Bytes of memory that it and its descendants hold.
    pub(crate) fn memory_bytes(&self) -> u64 {
        memory::of_tree(self.pid, &self.mark)
    }

    /// Kills the whole group, or the rest of it.
    pub(crate) fn kill_group(&self) {
        system::kill_group(self.pid);
    }

    /// Waits for the leader's end, and ends processes that have left the group. The number is that of these
    /// processes. The usage's wall time is left at zero.
    pub(crate) fn end(mut self) -> (Status, Usage, u32) {
        // The group leaves the ledger only after its number is free again, so that it is protected until the
        // end.
        let entry = self.entry.take();
        let (status, usage) = self.reap();
        drop(entry);
        (status, usage, escape::sweep(&self.mark, self.pid))
    }

    fn reap(&self) -> (Status, Usage) {
        let ended = system::reap(self.pid);
        escape::leaving(self.pid);
        ended
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It is still set only if there was a panic while the process ran.
        if self.entry.is_some() {
            self.kill_group();
            self.reap();
            escape::sweep(&self.mark, self.pid);
        }
    }
}

fn prepare(command: &Command) -> std::process::Command {
    let mut prepared = std::process::Command::new(&command.program);
    prepared
        .args(&command.args)
        .current_dir(&command.dir)
        .process_group(0)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    match &command.env {
        Environment::Inherit { set, remove } => {
            for name in remove {
                prepared.env_remove(name);
            }
            prepared.envs(set.iter().map(|(name, value)| (name, value)));
        }
        Environment::Exact(all) => {
            prepared.env_clear().envs(all.iter().map(|(name, value)| (name, value)));
        }
    }
    prepared
}

/// Starts it from a thread whose cores and niceness were set, which the process inherits. The usual way is to
/// set them between fork and exec, but then the standard library has to fork, which takes about 10 ms in a
/// parent of 200 MB instead of the 0.1 ms this takes (`benches/spawn.rs`).
#[cfg(target_os = "linux")]
fn spawn_placed(
    command: &Command,
    prepared: &mut std::process::Command,
) -> Result<(Child, Option<Entry>), StartError> {
    let start = || {
        if let Some(cores) = &command.cores {
            system::pin(cores).map_err(|source| cores_error(command, source))?;
        }
        if let Some(niceness) = command.niceness {
            system::set_niceness(0, niceness).map_err(|source| niceness_error(command, source))?;
        }
        spawn_guarded(command, prepared)
    };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().spawn_scoped(scope, start);
        let thread = thread.map_err(|source| system_error(command, source))?;
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// Starts it and changes its niceness a moment later, because threads have no niceness of their own here.
#[cfg(not(target_os = "linux"))]
fn spawn_placed(
    command: &Command,
    prepared: &mut std::process::Command,
) -> Result<(Child, Option<Entry>), StartError> {
    if let Some(cores) = &command.cores {
        system::pin(cores).map_err(|source| cores_error(command, source))?;
    }
    let (mut child, entry) = spawn_guarded(command, prepared)?;
    let niceness = command.niceness.unwrap_or(0);
    if let Err(source) = system::set_niceness(child.id(), niceness) {
        let _ = child.kill();
        let _ = child.wait();
        return Err(niceness_error(command, source));
    }
    Ok((child, entry))
}

/// Starts it and registers it with the guardian at once. The guardian cannot protect it between these two
/// steps.
fn spawn_guarded(
    command: &Command,
    prepared: &mut std::process::Command,
) -> Result<(Child, Option<Entry>), StartError> {
    let child = escape::entering(|| spawn(command, prepared), number)?;
    let entry = guardian::enter(number(&child));
    Ok((child, entry))
}

fn number(child: &Child) -> i32 {
    i32::try_from(child.id()).expect("process ids fit pid_t")
}

/// Starts it, and retries if another thread's child still holds the program file open for writing.
pub(crate) fn spawn(command: &Command, prepared: &mut std::process::Command) -> Result<Child, StartError> {
    const TRIES: u32 = 20;
    let mut tries = 1;
    loop {
        match prepared.spawn() {
            Ok(child) => return Ok(child),
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy && tries < TRIES => {
                std::thread::sleep(Duration::from_millis(5));
                tries += 1;
            }
            Err(_) if !command.dir.is_dir() => {
                return Err(StartError::NoDirectory { dir: command.dir.clone() });
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(StartError::NoProgram { program: command.program.clone() });
            }
            Err(source) => return Err(system_error(command, source)),
        }
    }
}

fn cores_error(command: &Command, source: io::Error) -> StartError {
    let cores = command.cores.clone().unwrap_or_default();
    StartError::Cores { program: command.program.clone(), cores, source }
}

fn niceness_error(command: &Command, source: io::Error) -> StartError {
    let niceness = command.niceness.unwrap_or(0);
    StartError::Niceness { program: command.program.clone(), niceness, source }
}

fn system_error(command: &Command, source: io::Error) -> StartError {
    StartError::System { program: command.program.clone(), source }
}
