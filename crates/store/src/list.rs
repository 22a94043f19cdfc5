//! Questions about many runs.

use std::collections::HashMap;
use std::time::Duration;

use benchwright_model::{BenchmarkId, RunId, Timestamp};
use rusqlite::{Connection, Row};

use crate::columns::{json, word};
use crate::load::{head, version};
use crate::{RunRow, StoreError, VerdictCounts};

/// How many runs an error message names.
const NAMED: usize = 5;

/// How many of a benchmark's trials predict the next one.
const RECENT_TRIALS: i64 = 20;

/// The newest runs.
pub(crate) fn runs(connection: &Connection, limit: usize) -> rusqlite::Result<Vec<RunRow>> {
    let mut statement =
        connection.prepare_cached("SELECT * FROM runs ORDER BY started_at DESC, id DESC LIMIT ?1")?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    statement.query_map([limit], run_row)?.collect()
}

/// The run that `asked` means. The inner error says that there is none.
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

/// Mean wall time of each benchmark's newest trials.
pub(crate) fn durations(
    connection: &Connection,
    ids: &[BenchmarkId],
) -> rusqlite::Result<HashMap<BenchmarkId, Duration>> {
    let mut statement = connection.prepare_cached(
        "SELECT avg(wall_ns) FROM (
            SELECT wall_ns FROM trials
            WHERE benchmark = (SELECT key FROM benchmarks WHERE harness = ?1 AND package = ?2 AND name = ?3)
                AND failure IS NULL AND wall_ns > 0
            ORDER BY started_at DESC LIMIT ?4
        )",
    )?;
    let mut durations = HashMap::new();
    for id in ids {
        let parts = (&id.harness, &id.package, &id.name, RECENT_TRIALS);
        let mean: Option<f64> = statement.query_row(parts, |row| row.get(0))?;
        if let Some(mean) = mean {
            durations.insert(id.clone(), Duration::from_nanos(mean as u64));
        }
    }
    Ok(durations)
}

fn newest_of(connection: &Connection, prefix: &str, limit: i64) -> rusqlite::Result<Vec<RunId>> {
    let mut statement = connection.prepare_cached(
        "SELECT id FROM runs WHERE substr(id, 1, length(?1)) = ?1 ORDER BY started_at DESC, id DESC LIMIT ?2",
    )?;
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
