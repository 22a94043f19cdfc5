//! Columns for types that SQLite does not have.

use std::time::Duration;

use rusqlite::Row;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, Type, ValueRef};
use serde::de::DeserializeOwned;

use crate::text::from_text;

/// A float that is restored bit for bit. SQLite turns NaN into null and loses the sign of zero, so these
/// values are stored as eight bytes. All others are ordinary numbers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Exact(pub(crate) f64);

impl ToSql for Exact {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        let is_minus_zero = self.0 == 0.0 && self.0.is_sign_negative();
        Ok(match self.0.is_nan() || is_minus_zero {
            true => ToSqlOutput::from(self.0.to_le_bytes().to_vec()),
            false => ToSqlOutput::from(self.0),
        })
    }
}

impl FromSql for Exact {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        match value {
            ValueRef::Blob(bytes) => match bytes.try_into() {
                Ok(bytes) => Ok(Exact(f64::from_le_bytes(bytes))),
                Err(_) => Err(FromSqlError::InvalidBlobSize { expected_size: 8, blob_size: bytes.len() }),
            },
            other => other.as_f64().map(Exact),
        }
    }
}

/// The float in column `name`.
pub(crate) fn float(row: &Row<'_>, name: &str) -> rusqlite::Result<f64> {
    row.get::<_, Exact>(name).map(|exact| exact.0)
}

/// The word of an enumeration in column `name`.
pub(crate) fn word<T: DeserializeOwned>(row: &Row<'_>, name: &str) -> rusqlite::Result<T> {
    parsed(row, name, from_text)
}

/// Plain texts as JSON in column `name`.
pub(crate) fn json<T: DeserializeOwned>(row: &Row<'_>, name: &str) -> rusqlite::Result<T> {
    parsed(row, name, |text| serde_json::from_str(text))
}

/// The whole nanoseconds in column `name`.
pub(crate) fn nanoseconds(row: &Row<'_>, name: &str) -> rusqlite::Result<Duration> {
    let index = row.as_ref().column_index(name)?;
    let count: i64 = row.get(index)?;
    let count = u64::try_from(count).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(index, count))?;
    Ok(Duration::from_nanos(count))
}

/// The text in column `name`, understood by `parse`.
pub(crate) fn parsed<T, E: std::error::Error + Send + Sync + 'static>(
    row: &Row<'_>,
    name: &str,
    parse: impl FnOnce(&str) -> Result<T, E>,
) -> rusqlite::Result<T> {
    let index = row.as_ref().column_index(name)?;
    let text = row.get_ref(index)?.as_str()?;
    parse(text).map_err(|error| rusqlite::Error::FromSqlConversionFailure(index, Type::Text, Box::new(error)))
}

/// The bytes in column `name`, understood by `parse`.
pub(crate) fn unpacked<T, E: std::error::Error + Send + Sync + 'static>(
    row: &Row<'_>,
    name: &str,
    parse: impl FnOnce(&[u8]) -> Result<T, E>,
) -> rusqlite::Result<T> {
    let index = row.as_ref().column_index(name)?;
    let bytes = row.get_ref(index)?.as_blob()?;
    parse(bytes)
        .map_err(|error| rusqlite::Error::FromSqlConversionFailure(index, Type::Blob, Box::new(error)))
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::*;

    #[test]
    fn floats_come_back_bit_for_bit_and_stay_numbers_where_they_can() {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch("CREATE TABLE t (value ANY) STRICT").unwrap();
        let check = |value: f64, kind: &str| {
            connection.execute("DELETE FROM t", []).unwrap();
            connection.execute("INSERT INTO t VALUES (?1)", [Exact(value)]).unwrap();
            let read = |row: &Row<'_>| Ok((float(row, "value")?, row.get::<_, String>("kind")?));
            let (back, stored) =
                connection.query_row("SELECT value, typeof(value) AS kind FROM t", [], read).unwrap();
            assert_eq!((back.to_bits(), stored.as_str()), (value.to_bits(), kind), "{value}");
        };
        for value in [0.0, 1.0, 0.1, 5e-324, f64::MAX, f64::INFINITY, f64::NEG_INFINITY, 9e15, 1e300] {
            check(value, "real");
        }
        for value in [-0.0, f64::NAN, f64::from_bits(0xfff8_0000_0000_0007)] {
            check(value, "blob");
        }
    }
}
