//! Queries over many runs.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Duration;

use benchwright_model::{BenchmarkId, RunId, Timestamp};
use rusqlite::{Connection, Row};

use crate::columns::{json, unpacked, word};
use crate::exact::floats_from_bytes;
use crate::load::{head, version};
use crate::{RunRow, StoreError, VerdictCounts};

/// Maximum number of runs that an error message names.
const NAMED: usize = 5;

/// How many of a benchmark's trials are used to predict the next one.
const RECENT_TRIALS: i64 = 200;

/// How many comparisons are used for the spread of duets.
const RECENT_COMPARISONS: i64 = 8;

/// The order of runs. Runs with a start time of more than a day in the future, due to a wrong clock, would
/// always be the newest, so they come last.
const NEWEST_FIRST: &str = "started_at > (unixepoch('now') + 86400) * 1000000, started_at DESC, id DESC";

/// The newest runs.
pub(crate) fn runs(connection: &Connection, limit: usize) -> rusqlite::Result<Vec<RunRow>> {
    let mut statement =
        connection.prepare_cached(&format!("SELECT * FROM runs ORDER BY {NEWEST_FIRST} LIMIT ?1"))?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    statement.query_map([limit], run_row)?.collect()
}

/// The run that `asked` refers to. The inner error says that there is none.
pub(crate) fn find(connection: &Connection, asked: &str) -> rusqlite::Result<Result<RunId, StoreError>> {
    let candidates = match asked {
        "latest" => newest_of(connection, "", 1)?,
        prefix => newest_of(connection, prefix, i64::MAX)?,
    };
    let exact = candidates.iter().find(|id| id.0 == asked);
    Ok(match (exact, candidates.as_slice()) {
        (Some(id), _) => Ok(id.clone()),
        (None, [only]) if !asked.is_empty() => Ok(only.clone()),
        (None, [_, ..]) if !asked.is_empty() => {
            Err(StoreError::AmbiguousRun { asked: asked.to_owned(), candidates })
        }
        _ => Err(StoreError::UnknownRun { asked: asked.to_owned(), newest: newest(connection)? }),
    })
}

/// The names of the few newest runs.
pub(crate) fn newest(connection: &Connection) -> rusqlite::Result<Vec<RunId>> {
    newest_of(connection, "", NAMED as i64)
}

/// The usual wall time of each benchmark's newest trials: the median over runs of each run's median, so that
/// one disturbed run does not count.
pub(crate) fn durations(
    connection: &Connection,
    ids: &[BenchmarkId],
) -> rusqlite::Result<HashMap<BenchmarkId, Duration>> {
    let mut statement = connection.prepare_cached(
        "SELECT run, wall_ns FROM trials
            WHERE benchmark = (SELECT key FROM benchmarks WHERE harness = ?1 AND package = ?2 AND name = ?3)
                AND failure IS NULL AND wall_ns > 0
            ORDER BY started_at DESC LIMIT ?4",
    )?;
    let mut durations = HashMap::new();
    for id in ids {
        let mut runs: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
        let mut rows = statement.query((&id.harness, &id.package, &id.name, RECENT_TRIALS))?;
        while let Some(row) = rows.next()? {
            runs.entry(row.get(0)?).or_default().push(row.get(1)?);
        }
        let medians = runs.into_values().filter_map(median).collect();
        if let Some(usual) = median(medians).and_then(|usual| u64::try_from(usual).ok()) {
            durations.insert(id.clone(), Duration::from_nanos(usual));
        }
    }
    Ok(durations)
}

/// The median, which for two middle values is their mean. `None` without values.
fn median(mut values: Vec<i64>) -> Option<i64> {
    values.sort_unstable();
    let n = values.len();
    (n > 0).then(|| (values[(n - 1) / 2] + values[n / 2]) / 2)
}

/// Log-ratios of the duets of each benchmark by its main metric in the newest comparisons, newest first.
pub(crate) fn ratios(
    connection: &Connection,
    ids: &[BenchmarkId],
) -> rusqlite::Result<HashMap<BenchmarkId, Vec<Vec<f64>>>> {
    let mut statement = connection.prepare_cached(
        "SELECT benchmarks.harness, benchmarks.package, benchmarks.name, findings.duets FROM findings
            JOIN benchmarks ON benchmarks.key = findings.benchmark
            JOIN runs ON runs.key = findings.run
            WHERE findings.key IN (
                SELECT min(key) FROM findings
                WHERE run IN (SELECT run FROM comparisons ORDER BY run DESC LIMIT ?1)
                GROUP BY run, benchmark
            )
            ORDER BY runs.started_at DESC",
    )?;
    let wanted: HashSet<&BenchmarkId> = ids.iter().collect();
    let mut ratios: HashMap<BenchmarkId, Vec<Vec<f64>>> = HashMap::new();
    let mut rows = statement.query([RECENT_COMPARISONS])?;
    while let Some(row) = rows.next()? {
        let id = BenchmarkId { harness: row.get(0)?, package: row.get(1)?, name: row.get(2)? };
        if wanted.contains(&id) {
            let duets = unpacked(row, "duets", floats_from_bytes)?;
            ratios.entry(id).or_default().push(duets);
        }
    }
    Ok(ratios)
}

fn newest_of(connection: &Connection, prefix: &str, limit: i64) -> rusqlite::Result<Vec<RunId>> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT id FROM runs WHERE substr(id, 1, length(?1)) = ?1 ORDER BY {NEWEST_FIRST} LIMIT ?2",
    ))?;
    statement.query_map((prefix, limit), |row| row.get(0).map(RunId))?.collect()
}

fn run_row(row: &Row<'_>) -> rusqlite::Result<RunRow> {
    Ok(RunRow {
        id: RunId(row.get("id")?),
        kind: word(row, "kind")?,
        command: json(row, "command")?,
        started_at: Timestamp(row.get("started_at")?),
        ended_at: row.get::<_, Option<i64>>("ended_at")?.map(Timestamp),
        base: version(row, "base")?,
        head: head(row)?,
        is_partial: row.get("is_partial")?,
        benchmarks: row.get("benchmarks")?,
        trials: row.get("trials")?,
        verdicts: VerdictCounts {
            slower: row.get("slower")?,
            faster: row.get("faster")?,
            changed: row.get("changed")?,
            same: row.get("same")?,
            undecided: row.get("undecided")?,
            not_measured: row.get("not_measured")?,
            failing: row.get("failing")?,
        },
    })
}
