//! Locks that exclude other benchwrights: from the machine while measuring, and from a repository's results
//! while writing.
//!
//! All locks are advisory locks of the kernel on a file, so they end with the process that holds them,
//! however it ends.

use std::fmt;
use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use benchwright_process::Interrupt;

/// How often a waiting process tries again. The kernel can wait for a lock, but not with a time limit.
const POLL: Duration = Duration::from_millis(50);
/// A single name for all users of a machine. `TMPDIR` may differ between them.
const MACHINE_LOCK: &str = "/tmp/benchwright.lock";

/// The right to measure on this machine.
#[derive(Debug)]
#[must_use = "the lock is released when dropped"]
pub struct MachineLock(HeldLock);

/// The right to write into a repository's `.benchwright/`.
#[derive(Debug)]
#[must_use = "the lock is released when dropped"]
pub struct RepositoryLock(HeldLock);

/// The holder of a lock, as far as the file shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    /// Its process id; 0 if unknown.
    pub pid: u32,
    /// Since when it holds the lock.
    pub since: Option<SystemTime>,
    /// Its command line; empty if unknown.
    pub command: String,
}

/// Why a lock was not acquired.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another process has it.
    #[error("lock `{}`: {holder} has it{}", .path.display(), after(.waited))]
    Busy {
        /// The lock's file.
        path: PathBuf,
        /// The holder.
        holder: Holder,
        /// How long this process waited.
        waited: Duration,
    },
    /// The user interrupted the wait.
    #[error("wait for the lock `{}`: interrupted", .path.display())]
    Interrupted {
        /// The lock's file.
        path: PathBuf,
    },
    /// The results of a repository cannot be written.
    #[error("write results into `{}`", .path.display())]
    Results {
        /// The repository's `.benchwright/`.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The file cannot be used.
    #[error("lock `{}`", .path.display())]
    File {
        /// The lock's file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
}

impl LockError {
    /// Advice for the user. Empty if there is none.
    pub fn hint(&self) -> String {
        match self {
            LockError::Busy { .. } => {
                "two that measure at once disturb each other; `--wait` sets how long to wait".into()
            }
            LockError::Results { .. } => {
                "make it writable: benchwright does not measure what it cannot store".into()
            }
            LockError::Interrupted { .. } => String::new(),
            LockError::File { .. } => {
                "the lock file of this machine must be writable; BENCHWRIGHT_LOCK can name another file"
                    .into()
            }
        }
    }
}

/// ` after 10 s of waiting`, or nothing if there was no wait.
fn after(waited: &Duration) -> String {
    match waited.as_secs() {
        0 => String::new(),
        seconds if seconds % 60 == 0 => format!(", still after {} min of waiting", seconds / 60),
        seconds => format!(", still after {seconds} s of waiting"),
    }
}

impl MachineLock {
    /// Waits until no other benchwright measures on this machine, without a limit or for at most `wait`.
    /// `on_wait` is called when waiting begins and whenever the holder changes. The file is
    /// `BENCHWRIGHT_LOCK`, or else the same for all users.
    pub fn acquire(
        wait: Option<Duration>,
        interrupt: &Interrupt,
        on_wait: &mut dyn FnMut(&Holder),
    ) -> Result<MachineLock, LockError> {
        let configured = std::env::var_os("BENCHWRIGHT_LOCK").filter(|path| !path.is_empty());
        let path = configured.map_or_else(|| PathBuf::from(MACHINE_LOCK), PathBuf::from);
        MachineLock::acquire_at(&path, wait, interrupt, on_wait)
    }

    /// The same with a given file.
    pub fn acquire_at(
        path: &Path,
        wait: Option<Duration>,
        interrupt: &Interrupt,
        on_wait: &mut dyn FnMut(&Holder),
    ) -> Result<MachineLock, LockError> {
        HeldLock::acquire(path, wait, interrupt, on_wait).map(MachineLock)
    }

    /// The lock's file.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// Whether the file system supports locks. If not, other processes are not excluded.
    pub fn is_held(&self) -> bool {
        self.0.is_held
    }
}

impl RepositoryLock {
    /// Waits until no other benchwright writes into `results`, the repository's `.benchwright/`. The
    /// directory is made if it does not exist, with a .gitignore that hides it from git.
    pub fn acquire(
        results: &Path,
        wait: Option<Duration>,
        interrupt: &Interrupt,
        on_wait: &mut dyn FnMut(&Holder),
    ) -> Result<RepositoryLock, LockError> {
        let unusable = |source| LockError::Results { path: results.to_owned(), source };
        fs::create_dir_all(results).map_err(unusable)?;
        let ignore = results.join(".gitignore");
        if !ignore.exists() {
            fs::write(&ignore, "*\n").map_err(unusable)?;
        }
        let lock = HeldLock::acquire(&results.join("lock"), wait, interrupt, on_wait);
        lock.map(RepositoryLock).map_err(|error| match error {
            LockError::File { source, .. } => unusable(source),
            other => other,
        })
    }

    /// The lock's file.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// Whether the file system supports locks. If not, other processes are not excluded.
    pub fn is_held(&self) -> bool {
        self.0.is_held
    }
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.pid, self.command.as_str()) {
            (0, _) => f.write_str("another benchwright"),
            (pid, "") => write!(f, "process {pid}"),
            (pid, command) => write!(f, "process {pid} (`{command}`)"),
        }
    }
}

impl Holder {
    fn this_process() -> Holder {
        let command: Vec<String> =
            std::env::args_os().map(|arg| arg.to_string_lossy().into_owned()).collect();
        let command = command.join(" ").replace(['\n', '\r'], " ");
        Holder { pid: std::process::id(), since: Some(SystemTime::now()), command }
    }

    fn write(&self, mut file: &File) -> io::Result<()> {
        let since = self.since.and_then(|since| since.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
        file.set_len(0)?;
        file.seek(SeekFrom::Start(0))?;
        file.write_all(format!("{}\n{}\n{}\n", self.pid, since.as_secs(), self.command).as_bytes())
    }

    fn read(mut file: &File) -> Holder {
        let mut bytes = Vec::new();
        let _ = file.seek(SeekFrom::Start(0)).and_then(|_| file.take(64 * 1024).read_to_end(&mut bytes));
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let mut lines = text.lines();
        let pid = lines.next().and_then(|line| line.parse().ok()).unwrap_or(0);
        let since = lines.next().and_then(|line| line.parse().ok()).map(Duration::from_secs);
        let since = since.and_then(|since| UNIX_EPOCH.checked_add(since));
        Holder { pid, since, command: lines.next().unwrap_or_default().to_owned() }
    }
}

#[derive(Debug)]
struct HeldLock {
    file: File,
    path: PathBuf,
    /// False on a file system without locks.
    is_held: bool,
}

/// The result of trying to lock a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Attempt {
    Locked,
    Busy,
    /// The file system has no locks.
    Unsupported,
}

impl HeldLock {
    fn acquire(
        path: &Path,
        wait: Option<Duration>,
        interrupt: &Interrupt,
        on_wait: &mut dyn FnMut(&Holder),
    ) -> Result<HeldLock, LockError> {
        HeldLock::acquire_by(File::try_lock, path, wait, interrupt, on_wait)
    }

    /// The same with another way to lock a file, for tests.
    fn acquire_by(
        lock: fn(&File) -> Result<(), TryLockError>,
        path: &Path,
        wait: Option<Duration>,
        interrupt: &Interrupt,
        on_wait: &mut dyn FnMut(&Holder),
    ) -> Result<HeldLock, LockError> {
        let unusable = |source| LockError::File { path: path.to_owned(), source };
        let deadline = wait.and_then(|wait| Instant::now().checked_add(wait));
        let file = open_shared(path).map_err(unusable)?;
        let mut told: Option<Holder> = None;
        let is_held = loop {
            match attempt(lock(&file)).map_err(unusable)? {
                Attempt::Locked => break true,
                Attempt::Unsupported => break false,
                Attempt::Busy => {}
            }
            let holder = Holder::read(&file);
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                let waited = wait.unwrap_or_default();
                return Err(LockError::Busy { path: path.to_owned(), holder, waited });
            }
            if interrupt.is_set() {
                return Err(LockError::Interrupted { path: path.to_owned() });
            }
            if told.as_ref() != Some(&holder) {
                on_wait(&holder);
                told = Some(holder);
            }
            std::thread::sleep(POLL);
        };
        // If the holder cannot be recorded, the lock is held nevertheless.
        let _ = Holder::this_process().write(&file);
        Ok(HeldLock { file, path: path.to_owned(), is_held })
    }
}

impl Drop for HeldLock {
    fn drop(&mut self) {
        let _ = self.file.set_len(0);
    }
}

/// Opens a lock file for use by all users of the machine.
fn open_shared(path: &Path) -> io::Result<File> {
    // Directories like /tmp refuse to create a file that another user made. Following a symbolic link there
    // would be unsafe.
    let mut options = File::options();
    options.read(true).write(true).custom_flags(libc::O_NOFOLLOW);
    for _ in 0..3 {
        match options.open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            answer => return answer,
        }
        match options.clone().create_new(true).open(path) {
            Ok(file) => {
                // Set explicitly because of the umask: other users have to write their names into the file.
                file.set_permissions(fs::Permissions::from_mode(0o666))?;
                return Ok(file);
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    options.open(path)
}

fn attempt(locked: Result<(), TryLockError>) -> io::Result<Attempt> {
    match locked {
        Ok(()) => Ok(Attempt::Locked),
        Err(TryLockError::WouldBlock) => Ok(Attempt::Busy),
        Err(TryLockError::Error(error)) if is_unsupported(&error) => Ok(Attempt::Unsupported),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Whether the error means that the file system has no locks. Network file systems report this in several
/// ways.
fn is_unsupported(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::ENOLCK | libc::EOPNOTSUPP | libc::ENOSYS))
}

/// Locks a file that its holder may remove, and waits without a limit. An interrupt ends the wait with
/// [`io::ErrorKind::Interrupted`].
pub(crate) fn lock_file(path: &Path, interrupt: Option<&Interrupt>) -> io::Result<File> {
    loop {
        if let Some(file) = try_lock_file(path)? {
            return Ok(file);
        }
        if interrupt.is_some_and(Interrupt::is_set) {
            return Err(io::ErrorKind::Interrupted.into());
        }
        std::thread::sleep(POLL);
    }
}

/// The same without waiting. `None` if another process holds the lock.
pub(crate) fn try_lock_file(path: &Path) -> io::Result<Option<File>> {
    let file = File::options().create(true).append(true).open(path)?;
    // Without locks, two processes may build the same thing. This is safe, because each puts its result in
    // place in one step.
    if attempt(file.try_lock())? == Attempt::Busy {
        return Ok(None);
    }
    // The last holder may have removed the file between opening and locking. Then another process could lock
    // a new file.
    Ok(is_the_one(&file, fs::metadata(path))?.then_some(file))
}

/// Whether an open file is still the one at its path. If this cannot be checked, an error ends the wait.
fn is_the_one(file: &File, found: io::Result<fs::Metadata>) -> io::Result<bool> {
    match found {
        Ok(there) => {
            let here = file.metadata()?;
            Ok((here.dev(), here.ino()) == (there.dev(), there.ino()))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests;
