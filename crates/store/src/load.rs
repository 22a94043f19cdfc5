//! Reads a run.

use std::collections::HashMap;

use benchwright_model::{
    BenchmarkId, Comparison, Diagnostic, Effect, Environment, Failure, Finding, Instance, InstanceId,
    Measurement, Metric, Outcome, Position, Run, RunId, Series, Summary, TextPosition, Thresholds, Timestamp,
    Trial, TrialInstance, Usage, Version,
};
use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension, Row};
use serde::de::DeserializeOwned;

use crate::checksum;
use crate::columns::{Exact, float, json, nanoseconds, unpacked, word};
use crate::exact::{floats_from_bytes, integers_from_bytes};
use crate::{BuildRecord, ExecutableRecord, RunRecord};

/// The key of a run.
pub(crate) fn run_key(connection: &Connection, id: &RunId) -> rusqlite::Result<Option<i64>> {
    let mut statement = connection.prepare_cached("SELECT key FROM runs WHERE id = ?1")?;
    statement.query_row([&id.0], |row| row.get(0)).optional()
}

/// All of a run.
pub(crate) fn record(connection: &Connection, key: i64) -> rusqlite::Result<RunRecord> {
    let (run, is_partial) = run(connection, key)?;
    Ok(RunRecord {
        run,
        trials: trials(connection, key)?,
        comparison: comparison(connection, key)?,
        instances: instances(connection, key)?,
        builds: builds(connection, key)?,
        diagnostics: diagnostics(connection, key, false)?,
        is_partial,
    })
}

/// A run's trials, in the order they were saved.
pub(crate) fn trials(connection: &Connection, key: i64) -> rusqlite::Result<Vec<Trial>> {
    let mut names = Names::new(connection);
    let mut statement = connection.prepare_cached("SELECT * FROM trials WHERE run = ?1 ORDER BY key")?;
    let mut rows = statement.query([key])?;
    let mut trials = Vec::new();
    while let Some(row) = rows.next()? {
        trials.push(trial(row, &mut names)?);
    }
    let written: i64 =
        connection.query_row("SELECT trials FROM runs WHERE key = ?1", [key], |row| row.get(0))?;
    if usize::try_from(written) == Ok(trials.len()) {
        return Ok(trials);
    }
    // If the number of its run is damaged, a trial is not found.
    let message = format!("{} of {written} trials are there", trials.len());
    Err(rusqlite::Error::FromSqlConversionFailure(0, Type::Integer, message.into()))
}

/// The findings of a comparison, if the run is one.
pub(crate) fn comparison(connection: &Connection, key: i64) -> rusqlite::Result<Option<Comparison>> {
    let mut statement = connection.prepare_cached("SELECT * FROM comparisons WHERE run = ?1")?;
    let read = |row: &Row<'_>| {
        checksum::COMPARISONS.check(row)?;
        Ok(Comparison {
            run: run(connection, key)?.0,
            rule: row.get("rule")?,
            rule_note: row.get("rule_note")?,
            findings: findings(connection, key)?,
            added: json(row, "added")?,
            removed: json(row, "removed")?,
            failures: json(row, "failures")?,
            diagnostics: diagnostics(connection, key, true)?,
            is_partial: row.get("is_partial")?,
        })
    };
    statement.query_row([key], read).optional()
}

/// The version in the columns that begin with `side`. `None` if they are null.
pub(crate) fn version(row: &Row<'_>, side: &str) -> rusqlite::Result<Option<Version>> {
    let column = |name: &str| format!("{side}_{name}");
    let Some(label) = row.get(column("label").as_str())? else { return Ok(None) };
    Ok(Some(Version {
        label,
        commit: row.get(column("commit").as_str())?,
        tree: row.get(column("tree").as_str())?,
        dirty: row.get(column("dirty").as_str())?,
        subject: row.get(column("subject").as_str())?,
    }))
}

/// The version in the columns of head, which every run has.
pub(crate) fn head(row: &Row<'_>) -> rusqlite::Result<Version> {
    version(row, "head")?.ok_or(rusqlite::Error::QueryReturnedNoRows)
}

fn run(connection: &Connection, key: i64) -> rusqlite::Result<(Run, bool)> {
    let mut statement = connection.prepare_cached("SELECT * FROM runs WHERE key = ?1")?;
    statement.query_row([key], |row| {
        checksum::RUNS.check(row)?;
        let run = Run {
            id: RunId(row.get("id")?),
            kind: word(row, "kind")?,
            command: json(row, "command")?,
            started_at: Timestamp(row.get("started_at")?),
            ended_at: row.get::<_, Option<i64>>("ended_at")?.map(Timestamp),
            seed: row.get::<_, i64>("seed")?.cast_unsigned(),
            base: version(row, "base")?,
            head: head(row)?,
            environment: Environment { facts: json(row, "environment")? },
            tool_version: row.get("tool_version")?,
            settings: json(row, "settings")?,
        };
        Ok((run, row.get("is_partial")?))
    })
}

fn trial(row: &Row<'_>, names: &mut Names<'_>) -> rusqlite::Result<Trial> {
    let trial = trial_as_it_is(row, names)?;
    checksum::check(row, checksum::of_trial(&trial), || format!("a trial of `{}`", trial.benchmark))?;
    Ok(trial)
}

fn trial_as_it_is(row: &Row<'_>, names: &mut Names<'_>) -> rusqlite::Result<Trial> {
    Ok(Trial {
        benchmark: names.benchmark(row.get("benchmark")?)?,
        side: word(row, "side")?,
        position: position(row)?,
        phase: word(row, "phase")?,
        layout: row.get("layout")?,
        instance: trial_instance(row)?,
        started_at: Timestamp(row.get("started_at")?),
        usage: Usage {
            wall: nanoseconds(row, "wall_ns")?,
            user: nanoseconds(row, "user_ns")?,
            system: nanoseconds(row, "system_ns")?,
            max_rss_bytes: row.get::<_, i64>("max_rss_bytes")?.cast_unsigned(),
            processes: row.get("processes")?,
        },
        stopped: maybe(row, "stopped")?,
        outcome: outcome(row, names)?,
    })
}

/// The value of a text. `None` if there is no text.
fn maybe<T: DeserializeOwned>(row: &Row<'_>, column: &str) -> rusqlite::Result<Option<T>> {
    row.get::<_, Option<String>>(column)?.map(|_| word(row, column)).transpose()
}

fn trial_instance(row: &Row<'_>) -> rusqlite::Result<Option<TrialInstance>> {
    let Some(id) = row.get("instance_id")? else { return Ok(None) };
    Ok(Some(TrialInstance { id: InstanceId(id), is_cold: row.get("is_cold")? }))
}

fn instances(connection: &Connection, key: i64) -> rusqlite::Result<Vec<Instance>> {
    let mut statement = connection.prepare_cached("SELECT * FROM instances WHERE run = ?1 ORDER BY key")?;
    let read = |row: &Row<'_>| {
        checksum::INSTANCES.check(row)?;
        Ok(Instance {
            id: InstanceId(row.get("id")?),
            place: row.get("place")?,
            cpu: row.get("cpu")?,
            arch: row.get("arch")?,
            cores: row.get("cores")?,
            memory_bytes: row.get::<_, i64>("memory_bytes")?.cast_unsigned(),
        })
    };
    statement.query_map([key], read)?.collect()
}

fn position(row: &Row<'_>) -> rusqlite::Result<Position> {
    if let Some(index) = row.get("duet")? {
        return Ok(Position::Duet { index, attempt: row.get("attempt")?, first: row.get("first")? });
    }
    Ok(Position::Levels {
        instance: row.get("instance")?,
        suite_run: row.get("suite_run")?,
        iteration: row.get("iteration")?,
    })
}

fn outcome(row: &Row<'_>, names: &mut Names<'_>) -> rusqlite::Result<Outcome> {
    if let Some(detail) = row.get("failure_detail")? {
        let has_values = row.get::<_, Option<u32>>("warmup")?.is_some();
        let measured = has_values.then(|| measurement(row, names)).transpose()?;
        return Ok(Outcome::Failed(Failure { kind: word(row, "failure")?, detail, measured }));
    }
    Ok(Outcome::Measured(measurement(row, names)?))
}

fn measurement(row: &Row<'_>, names: &mut Names<'_>) -> rusqlite::Result<Measurement> {
    Ok(Measurement {
        warmup: row.get("warmup")?,
        operations: unpacked(row, "operations", integers_from_bytes)?,
        series: series(row.get("key")?, names)?,
        sample_kind: maybe(row, "sample_kind")?,
    })
}

fn series(trial: i64, names: &mut Names<'_>) -> rusqlite::Result<Vec<Series>> {
    let connection = names.connection;
    let mut statement = connection
        .prepare_cached("SELECT metric, resolution, samples FROM series WHERE trial = ?1 ORDER BY key")?;
    let mut rows = statement.query([trial])?;
    let mut all = Vec::new();
    while let Some(row) = rows.next()? {
        all.push(Series {
            metric: names.metric(row.get("metric")?)?,
            values: unpacked(row, "samples", floats_from_bytes)?,
            resolution: float(row, "resolution")?,
        });
    }
    Ok(all)
}

fn findings(connection: &Connection, key: i64) -> rusqlite::Result<Vec<Finding>> {
    let mut names = Names::new(connection);
    let mut statement = connection.prepare_cached("SELECT * FROM findings WHERE run = ?1 ORDER BY key")?;
    let mut rows = statement.query([key])?;
    let mut all = Vec::new();
    while let Some(row) = rows.next()? {
        all.push(finding(row, &mut names)?);
    }
    Ok(all)
}

fn finding(row: &Row<'_>, names: &mut Names<'_>) -> rusqlite::Result<Finding> {
    checksum::FINDINGS.check(row)?;
    Ok(Finding {
        benchmark: names.benchmark(row.get("benchmark")?)?,
        metric: names.metric(row.get("metric")?)?,
        verdict: word(row, "verdict")?,
        reason: word(row, "reason")?,
        effect: effect(row)?,
        base: summary(row, ["base_centre", "base_spread", "base_trials"])?,
        head: summary(row, ["head_centre", "head_spread", "head_trials"])?,
        duets: unpacked(row, "duets", floats_from_bytes)?,
        fresh: row.get("fresh")?,
        quartets: row.get("quartets")?,
        wild: float(row, "wild")?,
        thresholds: Thresholds { soft: float(row, "soft")?, hard: float(row, "hard")? },
        fails: row.get("fails")?,
        accepted: row.get("accepted")?,
        warnings: json(row, "warnings")?,
    })
}

fn effect(row: &Row<'_>) -> rusqlite::Result<Option<Effect>> {
    let Some(Exact(centre)) = row.get("effect_centre")? else { return Ok(None) };
    let (lo, hi) = (float(row, "effect_lo")?, float(row, "effect_hi")?);
    Ok(Some(Effect { centre, lo, hi, level: float(row, "effect_level")? }))
}

fn summary(row: &Row<'_>, [centre, spread, trials]: [&str; 3]) -> rusqlite::Result<Option<Summary>> {
    let Some(Exact(centre)) = row.get(centre)? else { return Ok(None) };
    Ok(Some(Summary { centre, spread: float(row, spread)?, trials: row.get(trials)? }))
}

fn builds(connection: &Connection, key: i64) -> rusqlite::Result<Vec<BuildRecord>> {
    let mut statement = connection.prepare_cached("SELECT * FROM builds WHERE run = ?1 ORDER BY key")?;
    let read = |row: &Row<'_>| {
        checksum::BUILDS.check(row)?;
        Ok(BuildRecord {
            side: word(row, "side")?,
            harness: row.get("harness")?,
            dir: row.get("dir")?,
            key: row.get("cache_key")?,
            toolchain: row.get("toolchain")?,
            executables: executables(connection, row.get("key")?)?,
        })
    };
    statement.query_map([key], read)?.collect()
}

fn executables(connection: &Connection, build: i64) -> rusqlite::Result<Vec<ExecutableRecord>> {
    let mut statement =
        connection.prepare_cached("SELECT * FROM executables WHERE build = ?1 ORDER BY key")?;
    let read = |row: &Row<'_>| {
        checksum::EXECUTABLES.check(row)?;
        Ok(ExecutableRecord { package: row.get("package")?, digest: row.get("digest")? })
    };
    statement.query_map([build], read)?.collect()
}

fn diagnostics(connection: &Connection, key: i64, in_comparison: bool) -> rusqlite::Result<Vec<Diagnostic>> {
    let mut statement = connection
        .prepare_cached("SELECT * FROM diagnostics WHERE run = ?1 AND in_comparison = ?2 ORDER BY key")?;
    let read = |row: &Row<'_>| {
        checksum::DIAGNOSTICS.check(row)?;
        let position = match row.get("line")? {
            Some(line) => Some(TextPosition { line, column: row.get("column")? }),
            None => None,
        };
        Ok(Diagnostic {
            severity: word(row, "severity")?,
            subject: row.get("subject")?,
            position,
            message: row.get("message")?,
            hint: row.get("hint")?,
        })
    };
    statement.query_map((key, in_comparison), read)?.collect()
}

/// Benchmarks and metrics by key, each read once.
struct Names<'a> {
    connection: &'a Connection,
    benchmarks: HashMap<i64, BenchmarkId>,
    metrics: HashMap<i64, Metric>,
}

impl<'a> Names<'a> {
    fn new(connection: &'a Connection) -> Self {
        Names { connection, benchmarks: HashMap::new(), metrics: HashMap::new() }
    }

    fn benchmark(&mut self, key: i64) -> rusqlite::Result<BenchmarkId> {
        if let Some(id) = self.benchmarks.get(&key) {
            return Ok(id.clone());
        }
        let mut statement = self.connection.prepare_cached("SELECT * FROM benchmarks WHERE key = ?1")?;
        let id = statement.query_row([key], |row| {
            checksum::BENCHMARKS.check(row)?;
            let (harness, package) = (row.get("harness")?, row.get("package")?);
            Ok(BenchmarkId { harness, package, name: row.get("name")? })
        })?;
        self.benchmarks.insert(key, id.clone());
        Ok(id)
    }

    fn metric(&mut self, key: i64) -> rusqlite::Result<Metric> {
        if let Some(metric) = self.metrics.get(&key) {
            return Ok(metric.clone());
        }
        let mut statement = self.connection.prepare_cached("SELECT * FROM metrics WHERE key = ?1")?;
        let metric = statement.query_row([key], |row| {
            checksum::METRICS.check(row)?;
            Ok(Metric {
                name: row.get("name")?,
                unit: word(row, "unit")?,
                direction: word(row, "direction")?,
                nature: word(row, "nature")?,
            })
        })?;
        self.metrics.insert(key, metric.clone());
        Ok(metric)
    }
}
