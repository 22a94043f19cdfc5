//! Runs one process from start to end.

use std::io::Read;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use crate::memory;
use crate::start::Process;
use crate::system::{self, Status};
use crate::{Command, Ending, Exit, Interrupt, Limits, StartError, Usage};

/// How often to check if the system cannot wake us (no pidfd, no pipe).
const LOOK_EVERY: Duration = Duration::from_millis(2);
/// How long to wait for output after the process and its group have ended: only a process that left the group
/// can still hold the pipes open.
const GRACE: Duration = Duration::from_millis(100);
/// Bytes read at once: the size of a pipe on Linux.
const CHUNK: usize = 64 * 1024;

/// The stream of a chunk of output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// Whether the process may go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// It may.
    Continue,
    /// Its whole group is to be killed now.
    Stop,
}

/// Runs the command until it ends. Every chunk of output is passed to `on_chunk` as it appears, in order
/// within a stream, and at most [`Limits::output_bytes`] in all. Returns when the process has ended and its
/// group is gone.
pub fn run(
    command: &Command,
    interrupt: &Interrupt,
    on_chunk: &mut dyn FnMut(Stream, &[u8]) -> Flow,
) -> Result<Exit, StartError> {
    if interrupt.is_set() {
        let ending = Ending::Interrupted;
        return Ok(Exit { ending, usage: Usage::default(), first_output: None, escaped: 0 });
    }
    let started = Instant::now();
    let mut session = Session {
        process: Process::start(command)?,
        started,
        limits: command.limits,
        taken_bytes: 0,
        first_output: None,
        buffer: vec![0; CHUNK],
        on_chunk,
    };
    let mut forced = session.follow(interrupt);
    let wall = started.elapsed();
    session.process.kill_group();
    if forced.is_none() {
        forced = session.drain();
    }
    let first_output = session.first_output;
    let (status, usage, escaped) = session.process.end();
    let ending = forced.unwrap_or(match status {
        Status::Exited(status) => Ending::Exited(status),
        Status::Signalled(signal) => Ending::Signalled(signal),
    });
    Ok(Exit { ending, usage: Usage { wall, ..usage }, first_output, escaped })
}

/// Runs the command until it ends and returns its standard output and standard error.
pub fn capture(command: &Command, interrupt: &Interrupt) -> Result<(Exit, Vec<u8>, Vec<u8>), StartError> {
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let exit = run(command, interrupt, &mut |stream, chunk| {
        match stream {
            Stream::Stdout => stdout.extend_from_slice(chunk),
            Stream::Stderr => stderr.extend_from_slice(chunk),
        }
        Flow::Continue
    })?;
    Ok((exit, stdout, stderr))
}

struct Session<'a> {
    process: Process,
    started: Instant,
    limits: Limits,
    /// Bytes of output so far, both streams.
    taken_bytes: u64,
    first_output: Option<Duration>,
    buffer: Vec<u8>,
    on_chunk: &'a mut dyn FnMut(Stream, &[u8]) -> Flow,
}

impl Session<'_> {
    /// Passes on output until the leader has ended by itself (`None`) or has to be killed.
    fn follow(&mut self, interrupt: &Interrupt) -> Option<Ending> {
        let deadline = self.started.checked_add(self.limits.wall);
        let memory = self.limits.memory_bytes;
        let mut look = (memory < u64::MAX).then(|| self.started + memory::pause(memory));
        loop {
            let next = [deadline, look].into_iter().flatten().min();
            let left = next.map(|next| next.saturating_duration_since(Instant::now()));
            let [ready_stdout, ready_stderr, has_ended] = match self.wait(interrupt, left) {
                Ok(ready) => ready,
                Err(error) => return Some(Ending::Unread(error)),
            };
            if interrupt.is_set() {
                return Some(Ending::Interrupted);
            }
            for (stream, ready) in [(Stream::Stdout, ready_stdout), (Stream::Stderr, ready_stderr)] {
                if ready && let Some(ending) = self.take(stream) {
                    return Some(ending);
                }
            }
            if has_ended {
                return None;
            }
            let now = Instant::now();
            if deadline.is_some_and(|deadline| now >= deadline) {
                return Some(Ending::TimedOut);
            }
            if look.is_some_and(|look| now >= look) {
                let Some(room) = memory.checked_sub(self.process.memory_bytes()) else {
                    return Some(Ending::TooMuchMemory);
                };
                look = Some(now + memory::pause(room));
            }
        }
    }

    /// Passes on the output left in the pipes after the leader's end, until they close.
    fn drain(&mut self) -> Option<Ending> {
        let deadline = Instant::now() + GRACE;
        while self.process.pipes.iter().any(Option::is_some) {
            let left = deadline.saturating_duration_since(Instant::now());
            let mut entries = self.pipe_entries();
            if let Err(error) = system::poll(&mut entries, Some(left)) {
                return Some(Ending::Unread(error));
            }
            let ready = entries.map(|entry| system::is_ready(&entry));
            for (stream, ready) in [(Stream::Stdout, ready[0]), (Stream::Stderr, ready[1])] {
                match ready.then(|| self.take(stream)).flatten() {
                    // It ended by itself before the closure stopped it, so it counts as ended by itself.
                    Some(Ending::Stopped) => return None,
                    Some(ending) => return Some(ending),
                    None => {}
                }
            }
            if left.is_zero() {
                break;
            }
        }
        None
    }

    /// Waits until something happens. Returns whether the streams are ready and whether the leader has ended.
    fn wait(&self, interrupt: &Interrupt, left: Option<Duration>) -> Result<[bool; 3], i32> {
        let [stdout, stderr] = self.pipe_entries();
        let exit = self.process.exit_descriptor();
        let waker = interrupt.waker();
        let mut entries = [stdout, stderr, system::pollable(exit), system::pollable(waker)];
        let is_woken = exit.is_some() && waker.is_some();
        let timeout =
            if is_woken { left } else { Some(left.map_or(LOOK_EVERY, |left| left.min(LOOK_EVERY))) };
        system::poll(&mut entries, timeout)?;
        let has_ended = match exit {
            Some(_) => system::is_ready(&entries[2]),
            None => self.process.has_ended(),
        };
        Ok([system::is_ready(&entries[0]), system::is_ready(&entries[1]), has_ended])
    }

    fn pipe_entries(&self) -> [libc::pollfd; 2] {
        let [stdout, stderr] = &self.process.pipes;
        [stdout, stderr].map(|pipe| system::pollable(pipe.as_ref().map(AsFd::as_fd)))
    }

    /// Reads once from a stream that is ready and passes the bytes on, up to the output limit.
    fn take(&mut self, stream: Stream) -> Option<Ending> {
        let pipe = &mut self.process.pipes[stream as usize];
        let count = match pipe.as_mut().map(|pipe| pipe.read(&mut self.buffer)) {
            Some(Err(error)) if error.kind() == std::io::ErrorKind::Interrupted => return None,
            Some(Err(error)) => return Some(Ending::Unread(error.raw_os_error().unwrap_or_default())),
            Some(Ok(count)) if count > 0 => count,
            _ => {
                *pipe = None;
                return None;
            }
        };
        self.first_output.get_or_insert_with(|| self.started.elapsed());
        let room = self.limits.output_bytes - self.taken_bytes;
        let allowed = count.min(usize::try_from(room).unwrap_or(usize::MAX));
        self.taken_bytes += allowed as u64;
        if allowed > 0 && (self.on_chunk)(stream, &self.buffer[..allowed]) == Flow::Stop {
            return Some(Ending::Stopped);
        }
        (allowed < count).then_some(Ending::TooMuchOutput)
    }
}

#[cfg(test)]
mod tests;
