//! Keeps the end of what the command and its helpers print on standard error.

use std::io::{self, PipeReader, PipeWriter, Read};
use std::process::Stdio;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How many bytes are kept.
const KEPT: usize = 8 * 1024;

/// How long to wait for the rest after the failed process has ended. A process that it left behind may hold
/// the pipe open.
const GRACE: Duration = Duration::from_millis(100);

/// A pipe that is read all the time, so that processes that write to it never wait. Its content is only used
/// if something fails. It costs nothing as long as nothing is printed.
pub(super) struct Complaints {
    writer: Option<PipeWriter>,
    kept: Arc<Mutex<Vec<u8>>>,
    ended: Receiver<()>,
}

impl Complaints {
    pub(super) fn open() -> io::Result<Complaints> {
        let (reader, writer) = io::pipe()?;
        let kept = Arc::new(Mutex::new(Vec::new()));
        let (end, ended) = channel();
        let shared = Arc::clone(&kept);
        std::thread::Builder::new().stack_size(64 * 1024).spawn(move || {
            keep_reading(reader, &shared);
            let _ = end.send(());
        })?;
        Ok(Complaints { writer: Some(writer), kept, ended })
    }

    /// Another writing end. Output is discarded if there are no descriptors left.
    pub(super) fn stdio(&self) -> Stdio {
        let clone = self.writer.as_ref().and_then(|writer| writer.try_clone().ok());
        clone.map_or_else(Stdio::null, Stdio::from)
    }

    /// Discards the output before a new run.
    pub(super) fn forget(&self) {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// The end of the output. All processes that can write to the pipe must have ended.
    pub(super) fn last_words(&mut self) -> String {
        drop(self.writer.take());
        let waited: Result<(), RecvTimeoutError> = self.ended.recv_timeout(GRACE);
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(&kept);
        // Output that was cut at the front may begin in the middle of a line, which is useless.
        let whole =
            if kept.len() >= KEPT { text.split_once('\n').map_or(&*text, |(_, rest)| rest) } else { &text };
        let end = if waited.is_err() { "\n(something is still writing)" } else { "" };
        format!("{}{end}", whole.trim())
    }
}

fn keep_reading(mut reader: PipeReader, kept: &Mutex<Vec<u8>>) {
    let mut chunk = [0; 16 * 1024];
    loop {
        match reader.read(&mut chunk) {
            Ok(0) => return,
            Ok(count) => {
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                kept.extend_from_slice(&chunk[..count]);
                let surplus = kept.len().saturating_sub(KEPT);
                kept.drain(..surplus);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn check(chunks: &[&str], expected: &str) {
        let mut complaints = Complaints::open().unwrap();
        let mut writer = complaints.writer.as_ref().unwrap().try_clone().unwrap();
        chunks.iter().for_each(|chunk| writer.write_all(chunk.as_bytes()).unwrap());
        drop(writer);
        assert_eq!(complaints.last_words(), expected);
    }

    #[test]
    fn the_end_is_kept_from_a_whole_line_on() {
        check(&[], "");
        check(&["a\n", "b\n"], "a\nb");
        let line = "x".repeat(999) + "\n";
        // 8192 bytes hold 8 lines of 1000 and a part of another one.
        check(&[&line.repeat(100)], line.repeat(8).trim_end());
    }

    #[test]
    fn somebody_who_keeps_the_pipe_open_is_not_waited_for() {
        let mut complaints = Complaints::open().unwrap();
        let mut writer = complaints.writer.as_ref().unwrap().try_clone().unwrap();
        writer.write_all(b"words\n").unwrap();
        assert_eq!(complaints.last_words(), "words\n(something is still writing)");
        drop(writer);
    }
}
