//! The file of a journal behind an interface, so that tests can simulate a full disk.

use std::fmt::Debug;
use std::fs::File;
use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

/// An append-only file.
pub(super) trait Medium: Debug + Send {
    /// Appends all of `bytes`. If this fails, some of them may be written.
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()>;
    /// Starts writing everything to the disk. Fails if this or an earlier such write failed.
    fn sync(&mut self) -> io::Result<()>;
    /// Shortens the file to `length` bytes.
    fn cut(&mut self, length: u64) -> io::Result<()>;
}

/// A file that is written to the disk in the background.
///
/// Data that was written is kept by the system from then on and survives the end of this process. Only a loss
/// of power requires it to be on the disk. Waiting for a disk takes milliseconds, as long as a short trial.
/// So a separate thread syncs everything that was written since its last sync.
#[derive(Debug)]
pub(super) struct SyncedFile {
    file: File,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    is_wanted: bool,
    is_closed: bool,
    /// Why the last sync failed, until it was reported.
    failure: Option<io::Error>,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Syncs `file` whenever this is requested, and for the last time when closed.
    fn serve(&self, file: &File) {
        loop {
            let mut state = self.lock();
            while !state.is_wanted && !state.is_closed {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            if !state.is_wanted {
                return;
            }
            state.is_wanted = false;
            drop(state);
            if let Err(error) = file.sync_data() {
                self.lock().failure = Some(error);
            }
        }
    }
}

impl SyncedFile {
    pub(super) fn new(file: File) -> Self {
        let shared = Arc::new(Shared::default());
        let thread = file.try_clone().and_then(|file| {
            let shared = Arc::clone(&shared);
            std::thread::Builder::new().name("journal".into()).spawn(move || shared.serve(&file))
        });
        SyncedFile { file, shared, thread: thread.ok() }
    }
}

impl Medium for SyncedFile {
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        Write::write_all(&mut self.file, bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        if self.thread.is_none() {
            return self.file.sync_data();
        }
        let mut state = self.shared.lock();
        state.is_wanted = true;
        self.shared.changed.notify_one();
        state.failure.take().map_or(Ok(()), Err)
    }

    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.file.set_len(length)
    }
}

impl Drop for SyncedFile {
    fn drop(&mut self) {
        self.shared.lock().is_closed = true;
        self.shared.changed.notify_one();
        if let Some(thread) = self.thread.take() {
            // It only panics after another panic, which is reported elsewhere.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_there_at_once_and_after_the_last_sync() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal");
        let mut file = SyncedFile::new(File::options().append(true).create(true).open(&path).unwrap());
        for i in 0..100 {
            file.write_all(b"x").unwrap();
            file.sync().unwrap();
            assert_eq!(path.metadata().unwrap().len(), i + 1);
        }
        file.cut(7).unwrap();
        drop(file);
        assert_eq!(std::fs::read(&path).unwrap(), b"xxxxxxx");
    }

    #[test]
    fn a_failed_sync_is_told() {
        // A pipe cannot be synced.
        let (_reader, writer) = io::pipe().unwrap();
        let mut file = SyncedFile::new(File::from(std::os::fd::OwnedFd::from(writer)));
        let mut told = 0;
        for _ in 0..1000 {
            told += usize::from(file.sync().is_err());
            if told > 0 {
                return;
            }
            std::thread::yield_now();
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        panic!("no failure was told");
    }
}
