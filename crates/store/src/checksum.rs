//! Checks that a run is read as it was written, because SQLite does not notice a flipped bit inside a value.

use benchwright_model::wire::nanoseconds;
use benchwright_model::{Outcome, Position, Trial};
use rusqlite::types::{Type, ValueRef};
use rusqlite::{Connection, Row};

use crate::exact::integers_bytes;
use crate::text::to_text;

/// CRC-32 as in IEEE 802.3: reflected, polynomial 0xEDB88320.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Checksum(u32);

impl Checksum {
    pub(crate) fn new() -> Checksum {
        Checksum(!0)
    }

    pub(crate) fn bytes(self, bytes: &[u8]) -> Checksum {
        const TABLE: [u32; 256] = table();
        let next = |crc: u32, byte: &u8| TABLE[((crc ^ u32::from(*byte)) & 0xff) as usize] ^ (crc >> 8);
        Checksum(bytes.iter().fold(self.0, next))
    }

    pub(crate) fn value(self) -> u32 {
        !self.0
    }

    /// Text or a list with its length, so that the data after it cannot be mistaken for a part of it.
    fn part(self, bytes: &[u8]) -> Checksum {
        self.number(bytes.len() as u64).bytes(bytes)
    }

    /// The same result as for the part of their bytes, without a copy of a long series.
    fn floats(self, values: &[f64]) -> Checksum {
        let sum = self.number(values.len() as u64 * 8);
        values.iter().fold(sum, |sum, value| sum.bytes(&value.to_le_bytes()))
    }

    fn number(self, number: u64) -> Checksum {
        self.bytes(&number.to_le_bytes())
    }

    /// A number that may be missing. `None` differs from `Some(0)`.
    fn maybe(self, number: Option<u64>) -> Checksum {
        match number {
            Some(number) => self.bytes(&[1]).number(number),
            None => self.bytes(&[0]),
        }
    }
}

/// A table whose rows have checksums, with the columns that never change. A trial has one checksum for its
/// data and its series.
pub(crate) struct Sealed {
    table: &'static str,
    columns: &'static [&'static str],
}

pub(crate) const RUNS: Sealed = Sealed {
    table: "runs",
    columns: &[
        "id",
        "kind",
        "command",
        "started_at",
        "ended_at",
        "seed",
        "tool_version",
        "settings",
        "environment",
        "base_label",
        "base_commit",
        "base_tree",
        "base_dirty",
        "base_subject",
        "head_label",
        "head_commit",
        "head_tree",
        "head_dirty",
        "head_subject",
        "is_partial",
    ],
};
pub(crate) const COMPARISONS: Sealed = Sealed {
    table: "comparisons",
    columns: &["rule", "rule_note", "method_version", "added", "removed", "failures", "is_partial"],
};
/// The column that says whether a finding fails is not included, because a slowdown can be accepted later.
pub(crate) const FINDINGS: Sealed = Sealed {
    table: "findings",
    columns: &[
        "benchmark",
        "metric",
        "verdict",
        "reason",
        "effect_centre",
        "effect_lo",
        "effect_hi",
        "effect_level",
        "base_centre",
        "base_spread",
        "base_trials",
        "head_centre",
        "head_spread",
        "head_trials",
        "duets",
        "fresh",
        "quartets",
        "wild",
        "soft",
        "hard",
        "warnings",
    ],
};
pub(crate) const INSTANCES: Sealed =
    Sealed { table: "instances", columns: &["id", "place", "cpu", "arch", "cores", "memory_bytes"] };
pub(crate) const BUILDS: Sealed =
    Sealed { table: "builds", columns: &["side", "harness", "dir", "cache_key", "toolchain"] };
pub(crate) const EXECUTABLES: Sealed = Sealed { table: "executables", columns: &["package", "digest"] };
pub(crate) const DIAGNOSTICS: Sealed = Sealed {
    table: "diagnostics",
    columns: &["in_comparison", "severity", "subject", "line", "column", "message", "hint"],
};
pub(crate) const BENCHMARKS: Sealed =
    Sealed { table: "benchmarks", columns: &["harness", "package", "name"] };
pub(crate) const METRICS: Sealed =
    Sealed { table: "metrics", columns: &["name", "unit", "direction", "nature"] };

impl Sealed {
    /// Gives a row that was just written its checksum.
    pub(crate) fn seal(&self, connection: &Connection, key: i64) -> rusqlite::Result<()> {
        let table = self.table;
        let written = connection
            .prepare_cached(&format!("SELECT * FROM {table} WHERE rowid = ?1"))?
            .query_row([key], |row| self.sum(row))?;
        connection
            .prepare_cached(&format!("UPDATE {table} SET checksum = ?1 WHERE rowid = ?2"))?
            .execute((written, key))?;
        Ok(())
    }

    /// Returns an error if a row is not as it was written.
    pub(crate) fn check(&self, row: &Row<'_>) -> rusqlite::Result<()> {
        check(row, self.sum(row)?, || format!("a row of `{}`", self.table))
    }

    fn sum(&self, row: &Row<'_>) -> rusqlite::Result<u32> {
        let sum = self.columns.iter().try_fold(Checksum::new(), |sum, column| {
            Ok::<_, rusqlite::Error>(match row.get_ref(*column)? {
                ValueRef::Null => sum.maybe(None),
                ValueRef::Integer(number) => sum.maybe(Some(number.cast_unsigned())),
                ValueRef::Real(number) => sum.maybe(Some(number.to_bits())),
                ValueRef::Text(bytes) | ValueRef::Blob(bytes) => sum.part(bytes),
            })
        })?;
        Ok(sum.value())
    }
}

/// The checksum of a row that holds these texts.
pub(crate) fn of_texts(texts: &[&str]) -> u32 {
    texts.iter().fold(Checksum::new(), |sum, text| sum.part(text.as_bytes())).value()
}

/// Compares a row's checksum, if it has one, with that of the data that was read.
pub(crate) fn check(row: &Row<'_>, read: u32, what: impl Fn() -> String) -> rusqlite::Result<()> {
    match row.get::<_, Option<u32>>("checksum")? {
        Some(written) if written != read => {
            let column = row.as_ref().column_index("checksum")?;
            let message = format!("{} is not as it was written", what());
            Err(rusqlite::Error::FromSqlConversionFailure(column, Type::Integer, message.into()))
        }
        _ => Ok(()),
    }
}

/// The checksum of all data of a trial.
pub(crate) fn of_trial(trial: &Trial) -> u32 {
    let id = &trial.benchmark;
    let mut sum =
        Checksum::new().part(id.harness.as_bytes()).part(id.package.as_bytes()).part(id.name.as_bytes());
    sum = sum.part(to_text(&trial.side).as_bytes()).part(to_text(&trial.phase).as_bytes());
    let (kind, numbers) = match trial.position {
        Position::Duet { index, attempt, first } => (0, [index, attempt, u32::from(first)]),
        Position::Levels { instance, suite_run, iteration } => (1, [instance, suite_run, iteration]),
    };
    sum = numbers.iter().fold(sum.number(kind), |sum, number| sum.number(u64::from(*number)));
    sum = sum.maybe(trial.layout.map(u64::from)).number(trial.started_at.0.cast_unsigned());
    let usage = &trial.usage;
    for time in [usage.wall, usage.user, usage.system] {
        sum = sum.number(nanoseconds::from_duration(&time).cast_unsigned());
    }
    sum = sum.number(usage.max_rss_bytes).number(u64::from(usage.processes));
    sum = sum.part(trial.stopped.as_ref().map(to_text).unwrap_or_default().as_bytes());
    if let Some(instance) = &trial.instance {
        sum = sum.part(instance.id.0.as_bytes()).number(u64::from(instance.is_cold));
    }
    if let Outcome::Failed(failure) = &trial.outcome {
        sum = sum.part(to_text(&failure.kind).as_bytes()).part(failure.detail.as_bytes());
    }
    if let Some(measurement) = trial.outcome.values() {
        sum = sum.number(u64::from(measurement.warmup)).part(&integers_bytes(&measurement.operations));
        for series in &measurement.series {
            let metric = &series.metric;
            let words = [to_text(&metric.unit), to_text(&metric.direction), to_text(&metric.nature)];
            sum = words.iter().fold(sum.part(metric.name.as_bytes()), |sum, word| sum.part(word.as_bytes()));
            sum = sum.number(series.resolution.to_bits()).floats(&series.values);
        }
        // Older trials have no sample kind, and their checksum must not change.
        if let Some(kind) = measurement.sample_kind {
            sum = sum.part(to_text(&kind).as_bytes());
        }
    }
    sum.value()
}

const fn table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut index = 0;
    while index < 256 {
        let mut value = index as u32;
        let mut bit = 0;
        while bit < 8 {
            value = if value & 1 == 1 { (value >> 1) ^ 0xEDB8_8320 } else { value >> 1 };
            bit += 1;
        }
        table[index] = value;
        index += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_the_usual_one() {
        assert_eq!(Checksum::new().bytes(b"").value(), 0);
        assert_eq!(Checksum::new().bytes(b"1234").bytes(b"56789").value(), 0xCBF4_3926);
    }
}
