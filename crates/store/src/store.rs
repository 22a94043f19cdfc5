//! The store of runs: opening it, and its operations.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use benchwright_model::{BenchmarkId, Comparison, RunId, Trial};
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};
use tempfile::TempDir;

use crate::directory::{HIDING_FILE, prepare_directory};
use crate::schema::{self, Format, MIGRATIONS};
use crate::{RunRecord, RunRow, StoreError, list, load, save};

/// The database's name in the results directory.
pub(crate) const FILE_NAME: &str = "benchwright.db";

/// The newest supported format.
const KNOWN_FORMAT: i64 = MIGRATIONS.len() as i64;

/// The suffix of its write-ahead log.
const WAL: &str = "-wal";

/// SQLite's way to files without locking them.
const WITHOUT_LOCKS: &str = "unix-none";

/// How often a database that other processes write is copied before giving up.
const COPIES: usize = 5;

/// How long to wait for another process that writes.
const PATIENCE: Duration = Duration::from_secs(20);

/// All runs of a repository, in one SQLite database.
#[derive(Debug)]
pub struct Store {
    connection: Connection,
    path: PathBuf,
    /// The directory with the copy of the database, removed after the connection is closed. `None` for the
    /// database itself.
    _copy: Option<TempDir>,
}

impl Store {
    /// Opens the store in the results directory `dir`. Both are made if they are missing, and an older format
    /// is migrated.
    pub fn open(dir: &Path) -> Result<Store, StoreError> {
        prepare_directory(dir).map_err(|source| StoreError::Directory { path: dir.to_owned(), source })?;
        let path = dir.join(FILE_NAME);
        Store::open_file(&path, path.clone())
    }

    /// Opens the database `file` for writing. Messages show `path`.
    fn open_file(file: &Path, path: PathBuf) -> Result<Store, StoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut store = Store::connect(open_database(file, flags), path)?;
        store.check_format(Access::Write, KNOWN_FORMAT)?;
        store.prepare_writing().map_err(|source| store.failed("open the store", source))?;
        Ok(store)
    }

    /// Opens the store in `dir` for reading only. Nothing is made or changed.
    pub fn open_read_only(dir: &Path) -> Result<Store, StoreError> {
        let path = dir.join(FILE_NAME);
        if !path.exists() {
            return Err(StoreError::Missing { path });
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let store = Store::connect(open_database(&path, flags), path.clone())?;
        match store.check_format(Access::Read, KNOWN_FORMAT) {
            Ok(()) => Ok(store),
            // If nothing can be written, the write-ahead log of a process that was killed cannot be used.
            Err(StoreError::Denied { .. }) if with_suffix(&path, WAL).exists() => Store::open_copy(dir),
            // If SQLite cannot make its files beside the database, no other process can be writing, so the
            // database can be read as it is.
            Err(StoreError::Denied { .. }) => {
                let flags = flags | OpenFlags::SQLITE_OPEN_URI;
                let opened = Connection::open_with_flags(immutable_uri(&path), flags);
                let store = Store::connect(opened, path)?;
                store.check_format(Access::Read, KNOWN_FORMAT)?;
                Ok(store)
            }
            Err(error) => Err(error),
        }
    }

    /// Opens a migrated copy of the store in `dir`, for directories that are not writable. Changes to the
    /// copy are lost.
    pub fn open_copy(dir: &Path) -> Result<Store, StoreError> {
        let path = dir.join(FILE_NAME);
        if !path.exists() {
            return Err(StoreError::Missing { path });
        }
        let copy = copied(&path).map_err(|source| StoreError::Copy { path: path.clone(), source })?;
        let store = Store::open_file(&copy.path().join(FILE_NAME), path)?;
        Ok(Store { _copy: Some(copy), ..store })
    }

    /// The damage of the file that SQLite can detect, one line each. Empty if there is none.
    pub fn damage(&self) -> Result<Vec<String>, StoreError> {
        let read = || {
            let mut statement = self.connection.prepare("PRAGMA integrity_check(20)")?;
            let lines = statement.query_map([], |row| row.get::<_, String>(0))?;
            lines.collect::<Result<Vec<_>, _>>()
        };
        let lines = read().map_err(|source| self.failed("check the store", source))?;
        Ok(lines.into_iter().filter(|line| line != "ok").collect())
    }

    /// Stores a run completely or not at all, in one transaction. A run of the same name is replaced, so
    /// saving twice has the same result as saving once.
    pub fn save(&mut self, record: &RunRecord) -> Result<(), StoreError> {
        self.save_with(record, &record.trials)
    }

    /// The same with these trials instead of those of the record. They can be generated while they are saved,
    /// so that not all of them have to be in memory.
    pub fn save_with<T: Borrow<Trial>>(
        &mut self,
        record: &RunRecord,
        trials: impl IntoIterator<Item = T>,
    ) -> Result<(), StoreError> {
        if let Some(comparison) = &record.comparison
            && comparison.run.id != record.run.id
        {
            let (run, comparison) = (record.run.id.clone(), comparison.run.id.clone());
            return Err(StoreError::ForeignComparison { run, comparison });
        }
        let write = || {
            let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            save::save(&transaction, record, trials)?;
            transaction.commit()
        };
        write().map_err(|source| self.failed("save a run in the store", source))
    }

    /// Marks a finding of a comparison about a metric of a benchmark as accepted. Returns false if there is
    /// no such finding.
    pub fn accept(
        &mut self,
        id: &RunId,
        benchmark: &BenchmarkId,
        metric: &str,
        reason: &str,
    ) -> Result<bool, StoreError> {
        let mut write = || -> rusqlite::Result<bool> {
            let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let changed = save::accept(&transaction, id, benchmark, metric, reason)?;
            transaction.commit()?;
            Ok(changed)
        };
        write().map_err(|source| self.failed("accept a slowdown in the store", source))
    }

    /// The newest runs, newest first, at most `limit`.
    pub fn runs(&self, limit: usize) -> Result<Vec<RunRow>, StoreError> {
        list::runs(&self.connection, limit)
            .map_err(|source| self.failed("list the runs of the store", source))
    }

    /// The name of the run that `asked` refers to: `latest`, a name, or the beginning of exactly one name.
    pub fn find(&self, asked: &str) -> Result<RunId, StoreError> {
        let found = list::find(&self.connection, asked);
        found.map_err(|source| self.failed("find a run in the store", source))?
    }

    /// Whether the run is stored, so that its left-over journal may be discarded.
    pub fn contains(&self, id: &RunId) -> Result<bool, StoreError> {
        let key = load::run_key(&self.connection, id);
        Ok(key.map_err(|source| self.failed("find a run in the store", source))?.is_some())
    }

    /// Everything about a run.
    pub fn load(&self, id: &RunId) -> Result<RunRecord, StoreError> {
        self.of_run(id, load::record)
    }

    /// The findings of a comparison, without the trials. `None` for a run of one version.
    pub fn comparison(&self, id: &RunId) -> Result<Option<Comparison>, StoreError> {
        self.of_run(id, load::comparison)
    }

    /// The trials of a run, in the order in which they ended.
    pub fn trials(&self, id: &RunId) -> Result<Vec<Trial>, StoreError> {
        self.of_run(id, load::trials)
    }

    /// How long a trial of each benchmark usually took recently, from start to exit: the median over runs of
    /// the median of its trials that did not fail. Benchmarks that were never measured are missing.
    pub fn durations(&self, ids: &[BenchmarkId]) -> Result<HashMap<BenchmarkId, Duration>, StoreError> {
        let durations = list::durations(&self.connection, ids);
        durations.map_err(|source| self.failed("read durations from the store", source))
    }

    /// ln(head / base) of the duets of each benchmark in the newest comparisons, one list per comparison, by
    /// its main metric. Benchmarks that are in none of them are missing.
    pub fn ratios(&self, ids: &[BenchmarkId]) -> Result<HashMap<BenchmarkId, Vec<Vec<f64>>>, StoreError> {
        let ratios = list::ratios(&self.connection, ids);
        ratios.map_err(|source| self.failed("read earlier duets from the store", source))
    }

    fn of_run<T>(
        &self,
        id: &RunId,
        read: impl FnOnce(&Connection, i64) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        // A single transaction, so that all parts are of the same state while another process saves.
        let run = || {
            let transaction = self.connection.unchecked_transaction()?;
            load::run_key(&transaction, id)?.map(|key| read(&transaction, key)).transpose()
        };
        match run().map_err(|source| self.failed("read a run from the store", source))? {
            Some(value) => Ok(value),
            None => Err(StoreError::UnknownRun {
                asked: id.0.clone(),
                newest: list::newest(&self.connection)
                    .map_err(|source| self.failed("list the runs of the store", source))?,
            }),
        }
    }

    fn connect(opened: rusqlite::Result<Connection>, path: PathBuf) -> Result<Store, StoreError> {
        let configure = || {
            let connection = opened?;
            connection.busy_timeout(PATIENCE)?;
            connection.set_prepared_statement_cache_capacity(64);
            connection.pragma_update(None, "foreign_keys", true)?;
            Ok(connection)
        };
        match configure() {
            Ok(connection) => Ok(Store { connection, path, _copy: None }),
            Err(source) => Err(StoreError::of(&path, "open the store", source)),
        }
    }

    fn check_format(&self, access: Access, known: i64) -> Result<(), StoreError> {
        let path = || self.path.clone();
        match schema::format(&self.connection).map_err(|source| self.failed("open the store", source))? {
            Format::Foreign => Err(StoreError::NotAStore { path: path(), source: None }),
            Format::Version(found) if found > known => Err(StoreError::Newer { path: path(), found, known }),
            Format::Version(found) if found < known && access == Access::Read => {
                Err(StoreError::Older { path: path(), found, known })
            }
            Format::Empty if access == Access::Read => Err(StoreError::Missing { path: path() }),
            _ => Ok(()),
        }
    }

    fn prepare_writing(&mut self) -> rusqlite::Result<()> {
        write_ahead(&self.connection)?;
        // The journal of a run is removed once the run is stored, so a commit has to be on the disk.
        self.connection.pragma_update(None, "synchronous", "FULL")?;
        match schema::format(&self.connection)? {
            Format::Version(version) if version == KNOWN_FORMAT => Ok(()),
            _ => schema::migrate(&mut self.connection, MIGRATIONS),
        }
    }

    fn failed(&self, action: &'static str, source: rusqlite::Error) -> StoreError {
        StoreError::of(&self.path, action, source)
    }
}

/// The purpose of opening a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Access {
    Read,
    Write,
}

/// Opens a database file. If the file system has no locks, SQLite cannot work as usual: it would wait for
/// ever, or fail.
fn open_database(file: &Path, flags: OpenFlags) -> rusqlite::Result<Connection> {
    match has_locks(file.parent().unwrap_or(Path::new("."))) {
        true => Connection::open_with_flags(file, flags),
        false => open_without_locks(file, flags),
    }
}

fn open_without_locks(file: &Path, flags: OpenFlags) -> rusqlite::Result<Connection> {
    let connection = Connection::open_with_flags_and_vfs(file, flags, WITHOUT_LOCKS)?;
    // A write-ahead log needs shared memory with locks, unless a single process uses it.
    connection.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
    Ok(connection)
}

/// Whether files in `dir` can be locked. The database itself is not tried, because closing it would release
/// locks that SQLite holds on it through another connection of this process.
fn has_locks(dir: &Path) -> bool {
    let Ok(file) = fs::File::open(dir.join(HIDING_FILE)) else { return true };
    !matches!(file.try_lock_shared(), Err(fs::TryLockError::Error(_)))
}

/// Switches permanently to a write-ahead log. SQLite does not wait for other processes here, so this function
/// does.
fn write_ahead(connection: &Connection) -> rusqlite::Result<()> {
    let began = Instant::now();
    loop {
        let switched = connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()));
        match switched {
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                    && began.elapsed() < PATIENCE =>
            {
                std::thread::sleep(Duration::from_millis(5));
            }
            switched => return switched,
        }
    }
}

/// Copies a database with its write-ahead log into a new directory. Another process may be writing it, so
/// this is repeated until nothing changed in the meantime.
fn copied(path: &Path) -> io::Result<TempDir> {
    let log = with_suffix(path, WAL);
    let state =
        || [path, &log].map(|file| fs::metadata(file).and_then(|it| Ok((it.len(), it.modified()?))).ok());
    let copy = tempfile::Builder::new().prefix("benchwright-").tempdir()?;
    for _ in 0..COPIES {
        let before = state();
        fs::copy(path, copy.path().join(FILE_NAME))?;
        let target = with_suffix(&copy.path().join(FILE_NAME), WAL);
        let _ = fs::remove_file(&target);
        match fs::copy(&log, target) {
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            copied => drop(copied?),
        }
        if state() == before {
            return Ok(copy);
        }
    }
    Err(io::Error::other("it changes all the time"))
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// The address of a database that does not change.
fn immutable_uri(path: &Path) -> String {
    let escaped = path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    format!("file:{escaped}?immutable=1")
}

#[cfg(test)]
mod tests;
