//! Raw samples as Parquet: the columns of the CSV with types.
//!
//! They are read group by group with [`crate::parquet`]. A file rewritten by another tool is read too, if it
//! has the same columns. The end of a file has the positions of its columns, so the whole file is in memory.
//! Its size is limited, both packed and unpacked.

mod write;

pub(crate) use write::write;

use benchwright_model::Timestamp;

use super::rows::{NEEDED, Row, Rows};
use super::sets::Standing;
use crate::parquet::{self, Column, File};
use crate::reading::diagnostics::{Diagnostics, Place};
use crate::reading::gather;
use crate::reading::head::Head;
use crate::reading::input::Input;
use crate::{Format, Imported};

/// The first bytes of every file.
const MAGIC: &[u8] = b"PAR1";

/// Larger files are not read, bytes: some eight million samples. The unpacked size has the same limit.
const LARGEST: usize = 512 * 1024 * 1024;

/// Larger groups are not read, rows. benchwright's groups have 100,000, and other tools use up to this.
const MOST_ROWS: usize = 1024 * 1024;

/// No file has more rows per byte, however well it is compressed, because the number of the sample differs
/// from row to row.
const MOST_ROWS_PER_BYTE: usize = 4;

/// Whether it begins as every file of Parquet does.
pub(crate) fn recognise(head: &Head) -> bool {
    head.text.starts_with(MAGIC)
}

/// Reads everything.
pub(crate) fn read(mut input: Input<'_>) -> Vec<Imported> {
    input.fill_to(LARGEST + 1);
    let mut diagnostics = input.take_diagnostics();
    let mut rows = Rows::default();
    if let Some(error) = input.take_error() {
        diagnostics.error_all(format!("cannot be read to its end: {error}"));
    } else if let Err(reason) = read_file(input.rest(), &mut rows, &mut diagnostics) {
        diagnostics.error_all(format!("cannot be read as samples in Parquet: {reason}"));
    }
    let collectors = rows.finish(Format::Parquet, &mut diagnostics);
    gather(diagnostics, collectors)
}

/// Reads all groups up to a damaged one. The error is a message.
fn read_file(file: &[u8], rows: &mut Rows, diagnostics: &mut Diagnostics) -> Result<(), String> {
    if file.len() > LARGEST {
        return Err(format!("it is larger than {} MiB", LARGEST / 1024 / 1024));
    }
    let opened =
        File::open(file).map_err(|what| format!("its end is missing or damaged; is it cut? ({what})"))?;
    if let Some(missing) = NEEDED.iter().find(|name| !opened.has(name)) {
        return Err(format!("there is no column `{missing}`; only what `benchwright export` writes is read"));
    }
    let mut number = 0;
    let mut left = Left { rows: (file.len() * MOST_ROWS_PER_BYTE).min(LARGEST / 8), bytes: LARGEST };
    for group in opened.groups() {
        let group = Group::read(group, &mut left)?;
        for index in 0..group.rows {
            number += 1;
            // Rows take the place of lines.
            let place = Place { line: number, column: 1 };
            if let Err(reason) = group.row(index).and_then(|row| rows.take(&row, place)) {
                diagnostics.warn(place, reason);
            }
        }
    }
    Ok(())
}

/// The remaining limits on the groups of a file, whatever sizes they state.
struct Left {
    rows: usize,
    /// Of unpacked pages.
    bytes: usize,
}

/// Some rows, by column.
struct Group<'a> {
    rows: usize,
    columns: Vec<(&'a str, Column)>,
}

impl<'a> Group<'a> {
    fn read(group: parquet::Group<'_, 'a>, left: &mut Left) -> Result<Group<'a>, String> {
        let rows = group.rows().ok_or("a group of rows does not say how many they are")?;
        if rows > left.rows.min(MOST_ROWS) {
            return Err(format!("a group has {rows} rows, more than the file can hold or are read at once"));
        }
        left.rows -= rows;
        let columns = group.columns(is_ours, &mut left.bytes)?;
        let is_list = |column: &Column| matches!(column, Column::WholeLists(_) | Column::RealLists(_));
        match columns.iter().find(|(_, column)| is_list(column)) {
            Some((name, _)) => Err(format!("column `{name}`: it has lists, which this format does not have")),
            None => Ok(Group { rows, columns }),
        }
    }

    fn row(&self, index: usize) -> Result<Row<'_>, String> {
        let mut row = Row { value: f64::NAN, ..Row::default() };
        for (name, column) in &self.columns {
            set(&mut row, name, column, index).ok_or_else(|| format!("left out a row without a {name}"))?;
        }
        Ok(row)
    }
}

fn is_ours(name: &str) -> bool {
    const MORE: [&str; 16] = [
        "side",
        "commit",
        "unit",
        "better",
        "nature",
        "structure",
        "sample_kind",
        "duet",
        "attempt",
        "instance",
        "suite_run",
        "iteration",
        "warmup",
        "operations",
        "resolution",
        "started_at",
    ];
    NEEDED.contains(&name) || MORE.contains(&name)
}

/// Sets the value of a column in a row. `None` if it does not fit.
fn set<'g>(row: &mut Row<'g>, name: &str, column: &'g Column, index: usize) -> Option<()> {
    let Standing { duet, attempt, instance, suite_run, iteration } = &mut row.standing;
    match (name, column) {
        (_, Column::Texts(rows)) => {
            let word = rows.get(index)?.as_deref().unwrap_or_default();
            match name {
                "side" => row.side = word,
                "commit" => row.commit = word,
                "harness" => row.harness = word,
                "package" => row.package = word,
                "benchmark" => row.benchmark = word,
                "metric" => row.metric[0] = word,
                "unit" => row.metric[1] = word,
                "better" => row.metric[2] = word,
                "nature" => row.metric[3] = word,
                "structure" => row.structure = word,
                "sample_kind" => row.sample_kind = word,
                _ => return None,
            }
        }
        (_, Column::Wholes(rows)) => {
            let number = *rows.get(index)?;
            match name {
                "duet" => *duet = level(number)?,
                "attempt" => *attempt = level(number)?,
                "instance" => *instance = level(number)?,
                "suite_run" => *suite_run = level(number)?,
                "iteration" => *iteration = level(number)?,
                "sample" => row.sample = u64::try_from(number?).ok()?,
                "operations" => row.operations = number.and_then(|number| u64::try_from(number).ok()),
                "started_at" => row.started_at = number.map(Timestamp),
                _ => return None,
            }
        }
        ("warmup", Column::Flags(rows)) => row.is_warmup = rows.get(index)?.unwrap_or(false),
        // A missing value becomes NaN, and its iteration is left out.
        ("value", Column::Reals(rows)) => row.value = rows.get(index)?.unwrap_or(f64::NAN),
        ("resolution", Column::Reals(rows)) => row.resolution = rows.get(index)?.unwrap_or(0.0),
        _ => return None,
    }
    Some(())
}

/// A number that fits, or no number. `None` if it does not fit.
fn level(number: Option<i64>) -> Option<Option<u32>> {
    match number {
        Some(number) => u32::try_from(number).ok().map(Some),
        None => Some(None),
    }
}

#[cfg(test)]
mod tests;
