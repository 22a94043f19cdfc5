//! Directories of recorded processes: the measurement of every iteration, and labels of other authors.
//!
//! The format is that of the data of Traini et al. 2023 as tables: `series-*.parquet` with one row per
//! process, `subjects.csv` with the configuration of the developers, and `configs.parquet` with the points
//! where the authors' configurations would have stopped. Only the first is required.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::parquet::{ParquetError, Table};
use crate::separated;

/// The identity of a benchmark.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Subject {
    /// The project, `owner/name`.
    pub system: String,
    /// The fully qualified method.
    pub benchmark: String,
    /// `name=value&name=value`, or empty.
    pub params: String,
}

/// One recorded process.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedProcess {
    /// The benchmark.
    pub subject: Subject,
    /// The number of the process, from 0.
    pub fork: u32,
    /// Nominal time of an iteration in seconds.
    pub iteration_s: f64,
    /// Seconds per operation of every iteration.
    pub values: Vec<f64>,
    /// The label in the source, if there is one.
    pub label: Option<RecordedLabel>,
}

/// Label of a process in the source of a recording. Iterations count from 0.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedLabel {
    /// The change after which it is steady, 0 if it is steady from the start. `None` without a steady state.
    pub steady_from: Option<u32>,
    /// The class of all processes of the benchmark together, in the words of the source.
    pub benchmark_class: String,
    /// Iterations that were excluded from the search for changes.
    pub outliers: Vec<u32>,
    /// Last iterations of segments, in ascending order. The last one is the end.
    pub changepoints: Vec<u32>,
}

/// The numbers that the developers of a benchmark configured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DeveloperConfiguration {
    /// Length of a warm-up iteration in seconds.
    pub warmup_time_s: f64,
    /// Number of warm-up iterations.
    pub warmup_iterations: u32,
    /// Length of a measured iteration in seconds.
    pub iteration_time_s: f64,
    /// Number of measured iterations.
    pub iterations: u32,
    /// Number of processes.
    pub forks: u32,
}

/// Where a configuration stops a process: the last iterations of warm-up (-1 for none) and of measurement.
pub type RecordedStop = (i64, i64);

/// Why a folder is not read.
#[derive(Debug, thiserror::Error)]
pub enum WarmupError {
    /// A table is not read.
    #[error(transparent)]
    Table(#[from] ParquetError),
    /// A file or the directory cannot be read.
    #[error("read `{}`", path.display())]
    Unreadable {
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// It contains no series.
    #[error("find recorded processes in `{}`: it has no `series-*.parquet`", path.display())]
    NoSeries {
        /// The folder.
        path: PathBuf,
    },
    /// A row makes no sense.
    #[error("read row {row} of `{}`: {what}", path.display())]
    BadRow {
        /// The file.
        path: PathBuf,
        /// The row, from 1.
        row: usize,
        /// The error.
        what: String,
    },
}

impl WarmupError {
    /// Advice for the user. Empty if there is none.
    pub fn hint(&self) -> &'static str {
        match self {
            WarmupError::NoSeries { .. } => {
                "a row is a process with system, benchmark, params, fork, iteration_time_s and values; steady_from, \
                 outliers and changepoints are optional"
            }
            _ => "",
        }
    }
}

/// The tables of processes in a directory, or the file itself, in order of their names with numbers compared
/// by value.
pub fn series_files(path: &Path) -> Result<Vec<PathBuf>, WarmupError> {
    if path.is_file() {
        return Ok(vec![path.to_owned()]);
    }
    let unreadable = |source| WarmupError::Unreadable { path: path.to_owned(), source };
    let mut files = Vec::new();
    for entry in fs::read_dir(path).map_err(unreadable)? {
        let file = entry.map_err(unreadable)?.path();
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if let Some(middle) = name.strip_prefix("series-").and_then(|rest| rest.strip_suffix(".parquet")) {
            files.push((middle.parse().unwrap_or(u64::MAX), file));
        }
    }
    files.sort();
    match files.is_empty() {
        true => Err(WarmupError::NoSeries { path: path.to_owned() }),
        false => Ok(files.into_iter().map(|(_, file)| file).collect()),
    }
}

/// Whether a path looks like recorded processes: a directory with such tables, or a table.
pub fn is_recorded(path: &Path) -> bool {
    let is_table = path.extension().is_some_and(|ending| ending == "parquet");
    if path.is_dir() { series_files(path).is_ok() } else { is_table && path.is_file() }
}

/// Reads the processes of one table. An invalid row is an error.
pub fn read_series(path: &Path) -> Result<Vec<RecordedProcess>, WarmupError> {
    let (processes, bad_rows) = read_sensible(path)?;
    bad_rows.into_iter().next().map_or(Ok(processes), Err)
}

/// Reads the processes of one table that are valid, and returns the errors of the others.
pub fn read_sensible(path: &Path) -> Result<(Vec<RecordedProcess>, Vec<WarmupError>), WarmupError> {
    const NAMES: [&str; 10] = [
        "system",
        "benchmark",
        "params",
        "fork",
        "iteration_time_s",
        "values",
        "benchmark_class",
        "steady_from",
        "outliers",
        "changepoints",
    ];
    let mut table = Table::read(path, &NAMES)?;
    let values = table.take_real_lists("values")?;
    let subjects = subjects(&table)?;
    let (forks, times) = (table.wholes("fork")?, table.reals("iteration_time_s")?);
    let labels = labels(&table)?.into_iter().chain(std::iter::repeat(None));
    let (mut processes, mut bad_rows) = (Vec::with_capacity(values.len()), Vec::new());
    let rows = subjects.into_iter().zip(values).zip(forks.iter().zip(times)).zip(labels);
    for (index, (((subject, values), (fork, time)), label)) in rows.enumerate() {
        let mut bad = |what: &str| {
            bad_rows.push(WarmupError::BadRow { path: path.to_owned(), row: index + 1, what: what.into() })
        };
        let Some(fork) = fork.and_then(|fork| u32::try_from(fork).ok()) else {
            bad("it has no `fork`");
            continue;
        };
        let Some(iteration_s) = time.filter(|time| is_time(*time)) else {
            bad("its `iteration_time_s` is not a time");
            continue;
        };
        processes.push(RecordedProcess { subject, fork, iteration_s, values, label });
    }
    Ok((processes, bad_rows))
}

/// Whether rules can use it: at least a nanosecond, and not absurdly long.
fn is_time(seconds: f64) -> bool {
    Duration::try_from_secs_f64(seconds).is_ok_and(|time| !time.is_zero())
}

fn subjects(table: &Table) -> Result<Vec<Subject>, ParquetError> {
    let (systems, names) = (table.texts("system")?, table.texts("benchmark")?);
    let params = table.texts("params")?;
    let text = |text: &Option<Arc<str>>| text.as_deref().unwrap_or_default().to_owned();
    let rows = systems.iter().zip(names).zip(params);
    Ok(rows
        .map(|((system, benchmark), params)| Subject {
            system: text(system),
            benchmark: text(benchmark),
            params: text(params),
        })
        .collect())
}

/// Labels of the rows. `None` if the table has none.
fn labels(table: &Table) -> Result<Vec<Option<RecordedLabel>>, ParquetError> {
    if !(table.has("steady_from") && table.has("changepoints")) {
        return Ok(Vec::new());
    }
    let places =
        |list: &[i64]| -> Vec<u32> { list.iter().filter_map(|place| u32::try_from(*place).ok()).collect() };
    let ends = table.whole_lists("changepoints")?;
    let outliers: &[Vec<i64>] = if table.has("outliers") { table.whole_lists("outliers")? } else { &[] };
    let classes: &[Option<Arc<str>>] =
        if table.has("benchmark_class") { table.texts("benchmark_class")? } else { &[] };
    let rows = table.wholes("steady_from")?.iter().zip(ends).enumerate();
    Ok(rows
        .map(|(row, (steady_from, ends))| {
            Some(RecordedLabel {
                steady_from: u32::try_from((*steady_from)?).ok(),
                benchmark_class: classes.get(row).and_then(Option::as_deref).unwrap_or_default().to_owned(),
                outliers: outliers.get(row).map(|list| places(list)).unwrap_or_default(),
                changepoints: places(ends),
            })
        })
        .collect())
}

/// The configuration of the developers, from `subjects.csv` in the directory. Empty if there is none.
pub fn read_configurations(folder: &Path) -> Result<BTreeMap<Subject, DeveloperConfiguration>, WarmupError> {
    let path = folder.join("subjects.csv");
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(BTreeMap::new());
        }
        Err(source) => return Err(WarmupError::Unreadable { path, source }),
    };
    let mut lines = text.lines().enumerate();
    let mut fields: Vec<Cow<'_, str>> = Vec::new();
    let bad =
        |row: usize, what: &str| WarmupError::BadRow { path: path.clone(), row: row + 1, what: what.into() };
    let header = lines.next().map(|(_, line)| line).unwrap_or_default();
    separated::split(header, ',', &mut fields);
    let columns = ["system", "benchmark", "params", "w", "r", "wi", "i", "f"];
    let places = separated::columns(&fields, columns).ok_or_else(|| bad(0, "a column is missing"))?;
    let mut found = BTreeMap::new();
    for (row, line) in lines.filter(|(_, line)| !line.is_empty()) {
        separated::split(line, ',', &mut fields);
        let field = |place: usize| fields.get(places[place]).map(|field| field.trim()).unwrap_or_default();
        let subject =
            Subject { system: field(0).into(), benchmark: field(1).into(), params: field(2).into() };
        let parsed = configuration([3, 4, 5, 6, 7].map(field)).ok_or_else(|| bad(row, "a number is none"))?;
        found.insert(subject, parsed);
    }
    Ok(found)
}

fn configuration([w, r, wi, i, f]: [&str; 5]) -> Option<DeveloperConfiguration> {
    let time = |text: &str| text.parse().ok().filter(|time: &f64| time.is_finite() && *time >= 0.0);
    Some(DeveloperConfiguration {
        warmup_time_s: time(w)?,
        iteration_time_s: time(r)?,
        warmup_iterations: wi.parse().ok()?,
        iterations: i.parse().ok()?,
        forks: f.parse().ok()?,
    })
}

/// Where the source's configuration of that name stops each process, from `configs.parquet` in the directory.
/// Processes that it does not run are missing.
pub fn read_stops(folder: &Path, name: &str) -> Result<BTreeMap<(Subject, u32), RecordedStop>, WarmupError> {
    let (warmup, measured) = (format!("{name}_last_warmup_it"), format!("{name}_last_measure_it"));
    let path = folder.join("configs.parquet");
    let table = Table::read(&path, &["system", "benchmark", "params", "fork", &warmup, &measured])?;
    let rows = subjects(&table)?.into_iter().zip(table.wholes("fork")?);
    let stops = table.wholes(&warmup)?.iter().zip(table.wholes(&measured)?);
    Ok(rows
        .zip(stops)
        .filter_map(|((subject, fork), (warmup, measured))| {
            Some(((subject, u32::try_from((*fork)?).ok()?), ((*warmup)?, (*measured)?)))
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn excerpt() -> PathBuf {
        benchwright_testkit::repository().join("fixtures/jmh-steady/excerpt")
    }

    #[test]
    fn a_folder_is_read_whole() {
        assert!(is_recorded(&excerpt()) && is_recorded(&excerpt().join("series-0.parquet")));
        let files = series_files(&excerpt()).expect("files");
        let processes = read_series(&files[0]).expect("processes");
        assert_eq!((files.len(), processes.len()), (1, 8));
        let configurations = read_configurations(&excerpt()).expect("configurations");
        let dev = read_stops(&excerpt(), "dev").expect("stops");
        for process in &processes {
            let label = process.label.as_ref().expect("a label");
            assert!(label.steady_from.is_none_or(|from| from == 0 || label.changepoints.contains(&from)));
            assert!(configurations.contains_key(&process.subject), "{:?}", process.subject);
            let (warmup, measured) = dev[&(process.subject.clone(), process.fork)];
            assert!((-1..measured).contains(&warmup) && measured < 3000);
        }
    }

    #[test]
    fn what_is_no_folder_of_processes_is_said() {
        let folder = tempfile::tempdir().expect("a folder");
        assert!(!is_recorded(folder.path()));
        let error = series_files(folder.path()).expect_err("nothing there");
        assert!(error.to_string().contains("no `series-*.parquet`") && !error.hint().is_empty());
        assert!(read_configurations(folder.path()).expect("none").is_empty());
        assert!(read_stops(folder.path(), "dev").is_err());
        assert!(series_files(&folder.path().join("nowhere")).is_err());
        let subjects = folder.path().join("subjects.csv");
        fs::write(&subjects, "system,benchmark,params,w,r,wi,i,f\ns,b,,1.0,x,5,5,3\n").expect("a file");
        let error = read_configurations(folder.path()).expect_err("a bad number");
        assert!(error.to_string().starts_with("read row 2 of"), "{error}");
        fs::write(&subjects, "system,benchmark\n").expect("a file");
        assert!(read_configurations(folder.path()).is_err());
    }

    #[test]
    fn tables_are_taken_in_the_order_of_their_numbers() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["series-10.parquet", "series-9.parquet", "series-2.parquet", "other.parquet"] {
            fs::write(folder.path().join(name), "").expect("a file");
        }
        let files = series_files(folder.path()).expect("files");
        let names: Vec<_> = files.iter().map(|file| file.file_name().unwrap_or_default()).collect();
        assert_eq!(names, ["series-2.parquet", "series-9.parquet", "series-10.parquet"]);
    }
}
