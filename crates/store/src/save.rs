//! Writes a run.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;

use benchwright_model::wire::nanoseconds;
use benchwright_model::{
    BenchmarkId, Comparison, Diagnostic, Finding, Instance, Measurement, Metric, Outcome, Position, Reason,
    RunId, Summary, Trial, Verdict,
};
use rusqlite::{Connection, OptionalExtension, named_params, params};

use crate::checksum;
use crate::columns::Exact;
use crate::exact::{floats_bytes, integers_bytes};
use crate::text::{json, to_text};
use crate::{BuildRecord, RunRecord, VerdictCounts};

/// The version of benchwright that computed the saved findings.
const METHOD_VERSION: &str = env!("CARGO_PKG_VERSION");

/// Writes a run and replaces one with the same name. The caller has begun a transaction.
pub(crate) fn save<T: Borrow<Trial>>(
    connection: &Connection,
    record: &RunRecord,
    trials: impl IntoIterator<Item = T>,
) -> rusqlite::Result<()> {
    connection.prepare_cached("DELETE FROM runs WHERE id = ?1")?.execute([&record.run.id.0])?;
    let run = insert_run(connection, record)?;
    checksum::RUNS.seal(connection, run)?;
    let mut writer = Writer { connection, run, benchmarks: Known::default(), metrics: Known::default() };
    for trial in trials {
        writer.trial(trial.borrow())?;
    }
    if let Some(comparison) = &record.comparison {
        writer.comparison(comparison)?;
    }
    for instance in &record.instances {
        writer.instance(instance)?;
    }
    for build in &record.builds {
        writer.build(build)?;
    }
    for diagnostic in &record.diagnostics {
        writer.diagnostic(diagnostic, false)?;
    }
    connection.prepare_cached(COUNT)?.execute([run])?;
    Ok(())
}

/// Counts the benchmarks and trials of a run.
const COUNT: &str = "
UPDATE runs SET
    trials = (SELECT count(*) FROM trials WHERE run = ?1),
    benchmarks = (SELECT count(*) FROM (
        SELECT benchmark FROM trials WHERE run = ?1 UNION SELECT benchmark FROM findings WHERE run = ?1))
WHERE key = ?1";

const INSERT_RUN: &str = "
INSERT INTO runs (id, kind, command, started_at, ended_at, seed, tool_version, settings, environment,
    base_label, base_commit, base_tree, base_dirty, base_subject,
    head_label, head_commit, head_tree, head_dirty, head_subject,
    is_partial, benchmarks, trials, slower, faster, changed, same, undecided, not_measured, failing)
VALUES (:id, :kind, :command, :started_at, :ended_at, :seed, :tool_version, :settings, :environment,
    :base_label, :base_commit, :base_tree, :base_dirty, :base_subject,
    :head_label, :head_commit, :head_tree, :head_dirty, :head_subject,
    :is_partial, 0, 0, :slower, :faster, :changed, :same, :undecided, :not_measured,
    :failing)";

fn insert_run(connection: &Connection, record: &RunRecord) -> rusqlite::Result<i64> {
    let run = &record.run;
    let base = run.base.as_ref();
    let verdicts = count_verdicts(record.comparison.as_ref());
    connection.prepare_cached(INSERT_RUN)?.insert(named_params! {
        ":id": run.id.0,
        ":kind": to_text(&run.kind),
        ":command": plain_json(&run.command),
        ":started_at": run.started_at.0,
        ":ended_at": run.ended_at.map(|at| at.0),
        ":seed": run.seed.cast_signed(),
        ":tool_version": run.tool_version,
        ":settings": plain_json(&run.settings),
        ":environment": plain_json(&run.environment.facts),
        ":base_label": base.map(|base| &base.label),
        ":base_commit": base.and_then(|base| base.commit.as_ref()),
        ":base_tree": base.map(|base| &base.tree),
        ":base_dirty": base.map(|base| base.dirty),
        ":base_subject": base.map(|base| &base.subject),
        ":head_label": run.head.label,
        ":head_commit": run.head.commit,
        ":head_tree": run.head.tree,
        ":head_dirty": run.head.dirty,
        ":head_subject": run.head.subject,
        ":is_partial": record.is_partial,
        ":slower": verdicts.slower,
        ":faster": verdicts.faster,
        ":changed": verdicts.changed,
        ":same": verdicts.same,
        ":undecided": verdicts.undecided,
        ":not_measured": verdicts.not_measured,
        ":failing": verdicts.failing,
    })
}

fn plain_json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).expect("texts and maps of texts are JSON")
}

/// Marks a finding as accepted for a reason. The finding and its run then no longer fail because of it.
pub(crate) fn accept(
    connection: &Connection,
    id: &RunId,
    benchmark: &BenchmarkId,
    metric: &str,
    reason: &str,
) -> rusqlite::Result<bool> {
    const ACCEPT: &str = "
        UPDATE findings SET accepted = :reason, fails = 0
        WHERE run = (SELECT key FROM runs WHERE id = :run)
            AND benchmark IN (SELECT key FROM benchmarks
                WHERE harness = :harness AND package = :package AND name = :name)
            AND metric IN (SELECT key FROM metrics WHERE name = :metric)";
    let changed = connection.execute(
        ACCEPT,
        named_params! {
            ":reason": reason,
            ":run": id.0,
            ":harness": benchmark.harness,
            ":package": benchmark.package,
            ":name": benchmark.name,
            ":metric": metric,
        },
    )?;
    connection.execute(
        "UPDATE runs SET failing = (SELECT count(*) FROM findings WHERE run = runs.key AND fails) WHERE id = ?1",
        [&id.0],
    )?;
    Ok(changed > 0)
}

fn count_verdicts(comparison: Option<&Comparison>) -> VerdictCounts {
    let mut counts = VerdictCounts::default();
    for finding in comparison.iter().flat_map(|comparison| &comparison.findings) {
        counts.failing += u32::from(finding.fails);
        let count = match (finding.verdict, &finding.reason) {
            (_, Reason::Informational) => continue,
            // If a benchmark has ten equal counts, only its time is counted.
            (Verdict::Same, Reason::Exact) if !finding.metric.is_main() => continue,
            (Verdict::Slower, _) => &mut counts.slower,
            (Verdict::Faster, _) => &mut counts.faster,
            (Verdict::Changed, _) => &mut counts.changed,
            (Verdict::Same, _) => &mut counts.same,
            (Verdict::Undecided, _) => &mut counts.undecided,
            (Verdict::NotMeasured, _) => &mut counts.not_measured,
        };
        *count += 1;
    }
    counts
}

/// Writes the parts of one run, and caches the keys of benchmarks and metrics.
struct Writer<'a> {
    connection: &'a Connection,
    run: i64,
    benchmarks: Known<BenchmarkId>,
    metrics: Known<Metric>,
}

/// Maximum number of cached keys: enough for a suite that is measured in rounds, with little memory.
const MOST_KNOWN: usize = 10_000;

/// Keys of things that were met before.
struct Known<T>(HashMap<T, i64>);

impl<T> Default for Known<T> {
    fn default() -> Self {
        Known(HashMap::new())
    }
}

impl<T: Clone + Eq + Hash> Known<T> {
    fn add(&mut self, thing: &T, key: i64) {
        if self.0.len() >= MOST_KNOWN {
            self.0.clear();
        }
        self.0.insert(thing.clone(), key);
    }
}

const INSERT_TRIAL: &str = "
INSERT INTO trials (run, benchmark, side, phase, layout, duet, attempt, first, instance, suite_run, iteration,
    started_at, wall_ns, user_ns, system_ns, max_rss_bytes, processes, stopped, failure, failure_detail, warmup, operations,
    instance_id, is_cold, sample_kind, checksum)
VALUES (:run, :benchmark, :side, :phase, :layout, :duet, :attempt, :first, :instance, :suite_run, :iteration,
    :started_at, :wall_ns, :user_ns, :system_ns, :max_rss_bytes, :processes, :stopped, :failure, :failure_detail, :warmup,
    :operations, :instance_id, :is_cold, :sample_kind, :checksum)";

const INSERT_FINDING: &str = "
INSERT INTO findings (run, benchmark, metric, verdict, reason, effect_centre, effect_lo, effect_hi, effect_level,
    base_centre, base_spread, base_trials, head_centre, head_spread, head_trials,
    duets, fresh, quartets, wild, soft, hard, fails, accepted, warnings)
VALUES (:run, :benchmark, :metric, :verdict, :reason, :effect_centre, :effect_lo, :effect_hi, :effect_level,
    :base_centre, :base_spread, :base_trials, :head_centre, :head_spread, :head_trials,
    :duets, :fresh, :quartets, :wild, :soft, :hard, :fails, :accepted, :warnings)";

impl Writer<'_> {
    fn trial(&mut self, trial: &Trial) -> rusqlite::Result<()> {
        let (duet, levels) = match trial.position {
            Position::Duet { index, attempt, first } => (Some((index, attempt, first)), None),
            Position::Levels { instance, suite_run, iteration } => {
                (None, Some((instance, suite_run, iteration)))
            }
        };
        let measurement = trial.outcome.values();
        let failure = match &trial.outcome {
            Outcome::Measured(_) => None,
            Outcome::Failed(failure) => Some(failure),
        };
        let benchmark = self.benchmark(&trial.benchmark)?;
        let key = self.connection.prepare_cached(INSERT_TRIAL)?.insert(named_params! {
            ":run": self.run,
            ":benchmark": benchmark,
            ":side": to_text(&trial.side),
            ":phase": to_text(&trial.phase),
            ":layout": trial.layout,
            ":duet": duet.map(|duet| duet.0),
            ":attempt": duet.map(|duet| duet.1),
            ":first": duet.map(|duet| duet.2),
            ":instance": levels.map(|levels| levels.0),
            ":suite_run": levels.map(|levels| levels.1),
            ":iteration": levels.map(|levels| levels.2),
            ":started_at": trial.started_at.0,
            ":wall_ns": nanoseconds::from_duration(&trial.usage.wall),
            ":user_ns": nanoseconds::from_duration(&trial.usage.user),
            ":system_ns": nanoseconds::from_duration(&trial.usage.system),
            ":max_rss_bytes": trial.usage.max_rss_bytes.cast_signed(),
            ":processes": trial.usage.processes,
            ":stopped": trial.stopped.as_ref().map(to_text),
            ":failure": failure.map(|failure| to_text(&failure.kind)),
            ":failure_detail": failure.map(|failure| &failure.detail),
            ":warmup": measurement.map(|measurement| measurement.warmup),
            ":operations": measurement.map(|measurement| integers_bytes(&measurement.operations)),
            ":instance_id": trial.instance.as_ref().map(|instance| &instance.id.0),
            ":is_cold": trial.instance.as_ref().map(|instance| instance.is_cold),
            ":sample_kind": measurement.and_then(|measurement| measurement.sample_kind).map(|kind| to_text(&kind)),
            ":checksum": checksum::of_trial(trial),
        })?;
        measurement.map_or(Ok(()), |measurement| self.series(key, measurement))
    }

    fn series(&mut self, trial: i64, measurement: &Measurement) -> rusqlite::Result<()> {
        for series in &measurement.series {
            let metric = self.metric(&series.metric)?;
            self.connection
                .prepare_cached(
                    "INSERT INTO series (trial, metric, resolution, samples) VALUES (?1, ?2, ?3, ?4)",
                )?
                .execute(params![trial, metric, Exact(series.resolution), floats_bytes(&series.values)])?;
        }
        Ok(())
    }

    fn comparison(&mut self, comparison: &Comparison) -> rusqlite::Result<()> {
        self.connection
            .prepare_cached(
                "INSERT INTO comparisons (run, rule, rule_note, method_version, added, removed, failures, is_partial)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            )?
            .execute(params![
                self.run,
                comparison.rule,
                comparison.rule_note,
                METHOD_VERSION,
                json(&comparison.added),
                json(&comparison.removed),
                json(&comparison.failures),
                comparison.is_partial,
            ])?;
        checksum::COMPARISONS.seal(self.connection, self.run)?;
        for finding in &comparison.findings {
            self.finding(finding)?;
        }
        for diagnostic in &comparison.diagnostics {
            self.diagnostic(diagnostic, true)?;
        }
        Ok(())
    }

    fn finding(&mut self, finding: &Finding) -> rusqlite::Result<()> {
        let (effect, base, head) = (finding.effect, finding.base, finding.head);
        let centre = |side: Option<Summary>| side.map(|summary| Exact(summary.centre));
        let spread = |side: Option<Summary>| side.map(|summary| Exact(summary.spread));
        let (benchmark, metric) = (self.benchmark(&finding.benchmark)?, self.metric(&finding.metric)?);
        let key = self.connection.prepare_cached(INSERT_FINDING)?.insert(named_params! {
            ":run": self.run,
            ":benchmark": benchmark,
            ":metric": metric,
            ":verdict": to_text(&finding.verdict),
            ":reason": to_text(&finding.reason),
            ":effect_centre": effect.map(|effect| Exact(effect.centre)),
            ":effect_lo": effect.map(|effect| Exact(effect.lo)),
            ":effect_hi": effect.map(|effect| Exact(effect.hi)),
            ":effect_level": effect.map(|effect| Exact(effect.level)),
            ":base_centre": centre(base),
            ":base_spread": spread(base),
            ":base_trials": base.map(|summary| summary.trials),
            ":head_centre": centre(head),
            ":head_spread": spread(head),
            ":head_trials": head.map(|summary| summary.trials),
            ":duets": floats_bytes(&finding.duets),
            ":fresh": finding.fresh,
            ":quartets": finding.quartets,
            ":wild": Exact(finding.wild),
            ":soft": Exact(finding.thresholds.soft),
            ":hard": Exact(finding.thresholds.hard),
            ":fails": finding.fails,
            ":accepted": finding.accepted,
            ":warnings": plain_json(&finding.warnings),
        })?;
        checksum::FINDINGS.seal(self.connection, key)
    }

    fn instance(&mut self, instance: &Instance) -> rusqlite::Result<()> {
        let key = self
            .connection
            .prepare_cached(
                "INSERT INTO instances (run, id, place, cpu, arch, cores, memory_bytes)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            )?
            .insert(params![
                self.run,
                instance.id.0,
                instance.place,
                instance.cpu,
                instance.arch,
                instance.cores,
                instance.memory_bytes.cast_signed(),
            ])?;
        checksum::INSTANCES.seal(self.connection, key)
    }

    fn build(&mut self, build: &BuildRecord) -> rusqlite::Result<()> {
        let key = self
            .connection
            .prepare_cached(
                "INSERT INTO builds (run, side, harness, dir, cache_key, toolchain)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?
            .insert(params![
                self.run,
                to_text(&build.side),
                build.harness,
                build.dir,
                build.key,
                build.toolchain
            ])?;
        checksum::BUILDS.seal(self.connection, key)?;
        for executable in &build.executables {
            let key = self
                .connection
                .prepare_cached("INSERT INTO executables (build, package, digest) VALUES (?1, ?2, ?3)")?
                .insert(params![key, executable.package, executable.digest])?;
            checksum::EXECUTABLES.seal(self.connection, key)?;
        }
        Ok(())
    }

    fn diagnostic(&mut self, diagnostic: &Diagnostic, in_comparison: bool) -> rusqlite::Result<()> {
        let key = self
            .connection
            .prepare_cached(
                "INSERT INTO diagnostics (run, in_comparison, severity, subject, line, \"column\", message, hint)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            )?
            .insert(params![
                self.run,
                in_comparison,
                to_text(&diagnostic.severity),
                diagnostic.subject,
                diagnostic.position.map(|at| at.line),
                diagnostic.position.map(|at| at.column),
                diagnostic.message,
                diagnostic.hint,
            ])?;
        checksum::DIAGNOSTICS.seal(self.connection, key)
    }

    fn benchmark(&mut self, id: &BenchmarkId) -> rusqlite::Result<i64> {
        if let Some(key) = self.benchmarks.0.get(id) {
            return Ok(*key);
        }
        let parts = params![id.harness, id.package, id.name];
        let select = "SELECT key FROM benchmarks WHERE harness = ?1 AND package = ?2 AND name = ?3";
        let known = self.connection.prepare_cached(select)?.query_row(parts, |row| row.get(0)).optional()?;
        let insert = "INSERT INTO benchmarks (harness, package, name, checksum) VALUES (?1, ?2, ?3, ?4)";
        let sum = checksum::of_texts(&[&id.harness, &id.package, &id.name]);
        let new =
            || self.connection.prepare_cached(insert)?.insert(params![id.harness, id.package, id.name, sum]);
        let key = known.map_or_else(new, Ok)?;
        self.benchmarks.add(id, key);
        Ok(key)
    }

    fn metric(&mut self, metric: &Metric) -> rusqlite::Result<i64> {
        if let Some(key) = self.metrics.0.get(metric) {
            return Ok(*key);
        }
        let (unit, direction, nature) =
            (to_text(&metric.unit), to_text(&metric.direction), to_text(&metric.nature));
        let parts = params![metric.name, unit, direction, nature];
        let select =
            "SELECT key FROM metrics WHERE name = ?1 AND unit = ?2 AND direction = ?3 AND nature = ?4";
        let known = self.connection.prepare_cached(select)?.query_row(parts, |row| row.get(0)).optional()?;
        let insert =
            "INSERT INTO metrics (name, unit, direction, nature, checksum) VALUES (?1, ?2, ?3, ?4, ?5)";
        let sum = checksum::of_texts(&[&metric.name, &unit, &direction, &nature]);
        let new = || {
            let row = params![metric.name, unit, direction, nature, sum];
            self.connection.prepare_cached(insert)?.insert(row)
        };
        let key = known.map_or_else(new, Ok)?;
        self.metrics.add(metric, key);
        Ok(key)
    }
}
