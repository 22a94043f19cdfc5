//! Raw samples as `benchwright export --format parquet` writes them: the columns of the CSV with types.
//!
//! Read by hand as they are written: flat columns without compression, dictionaries for texts. Other files of Parquet are told what of
//! theirs is not read. The end of a file says where its columns are, so all of it is in memory; how large it may be is bounded.

mod pages;
mod thrift;

use benchwright_model::Timestamp;

use super::rows::{NEEDED, Row, Rows};
use super::sets::Standing;
use crate::diagnostics::{Diagnostics, Place};
use crate::formats::gather;
use crate::head::Head;
use crate::input::Input;
use crate::{Format, Imported};
use pages::Column;
use thrift::{Cursor, Value};

/// Begins and ends every file.
const MAGIC: &[u8] = b"PAR1";

/// Larger files are not read, bytes: some eight million samples.
const LARGEST: usize = 512 * 1024 * 1024;

/// Larger descriptions of columns there are not, bytes.
const LARGEST_FOOTER: usize = 4 * 1024 * 1024;

/// More rows in one group are not read; our groups have 100,000, other tools take up to this.
const MOST_ROWS: usize = 1024 * 1024;

/// Whether it begins as every file of Parquet does.
pub(crate) fn recognise(head: &Head) -> bool {
    head.text.starts_with(MAGIC)
}

/// Reads everything.
pub(crate) fn read(mut input: Input<'_>) -> Vec<Imported> {
    input.fill_to(LARGEST + 1);
    let mut diagnostics = std::mem::replace(&mut input.diagnostics, Diagnostics::new(""));
    let mut rows = Rows::default();
    if let Some(error) = input.take_error() {
        diagnostics.error_all(format!("cannot be read to its end: {error}"));
    } else if let Err(reason) = read_file(input.rest(), &mut rows, &mut diagnostics) {
        diagnostics.error_all(format!("cannot be read as samples in Parquet: {reason}"));
    }
    let collectors = rows.finish(Format::Parquet, &mut diagnostics);
    gather(diagnostics, collectors)
}

/// Reads all groups up to one that is damaged. What is wrong, in words.
fn read_file(file: &[u8], rows: &mut Rows, diagnostics: &mut Diagnostics) -> Result<(), String> {
    if file.len() > LARGEST {
        return Err(format!("it is larger than {} MiB", LARGEST / 1024 / 1024));
    }
    let footer = footer(file).ok_or("its end is missing or damaged; is it cut?")?;
    let schema = footer.list(2).unwrap_or_default();
    // The first element is the table itself.
    let columns: Vec<(&str, bool)> = schema
        .iter()
        .skip(1)
        .map(|element| (element.text(4).unwrap_or_default(), element.number(3) == Some(1)))
        .collect();
    if let Some(missing) = NEEDED.iter().find(|name| columns.iter().all(|(known, _)| known != *name)) {
        return Err(format!("there is no column `{missing}`; only what `benchwright export` writes is read"));
    }
    let mut number = 0;
    // Every row has a value of eight bytes, wherever groups say that theirs are.
    let mut left = file.len() / 8;
    for group in footer.list(4).unwrap_or_default() {
        let group = Group::read(file, group, &columns, left.min(MOST_ROWS))?;
        left -= group.rows;
        for index in 0..group.rows {
            number += 1;
            // Rows are what lines are elsewhere.
            let place = Place { line: number, column: 1 };
            if let Err(reason) = group.row(index).and_then(|row| rows.take(&row, place)) {
                diagnostics.warn(place, reason);
            }
        }
    }
    Ok(())
}

/// What stands at the end of a file.
fn footer(file: &[u8]) -> Option<Value<'_>> {
    let body = file.strip_suffix(MAGIC)?;
    let (body, length) = body.split_last_chunk()?;
    let length =
        usize::try_from(u32::from_le_bytes(*length)).ok().filter(|length| *length <= LARGEST_FOOTER)?;
    Cursor { bytes: body, at: body.len().checked_sub(length)? }.structure()
}

/// Some rows, by column.
struct Group<'a> {
    rows: usize,
    columns: Vec<(&'a str, Column)>,
}

impl<'a> Group<'a> {
    fn read(
        file: &[u8],
        group: &Value<'_>,
        columns: &[(&'a str, bool)],
        most_rows: usize,
    ) -> Result<Group<'a>, String> {
        let rows = group.size(3).ok_or("a group of rows does not say how many they are")?;
        if rows > most_rows {
            return Err(format!("a group has {rows} rows, more than the file can hold or are read at once"));
        }
        let chunks = group.list(1).unwrap_or_default();
        if chunks.len() != columns.len() {
            return Err("columns are nested, which ours are not".into());
        }
        let mut read = Vec::with_capacity(columns.len());
        for ((name, is_optional), chunk) in columns.iter().zip(chunks).filter(|((name, _), _)| is_ours(name))
        {
            let metadata = chunk.field(3).ok_or("a column does not say where it is")?;
            let column = Column::read(file, metadata, *is_optional, rows)
                .map_err(|reason| format!("{reason} (`{name}`)"))?;
            read.push((*name, column));
        }
        Ok(Group { rows, columns: read })
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
    const MORE: [&str; 15] = [
        "side",
        "commit",
        "unit",
        "better",
        "nature",
        "structure",
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

/// Sets what a column says of a row; none if it does not fit.
fn set<'g>(row: &mut Row<'g>, name: &str, column: &'g Column, index: usize) -> Option<()> {
    let Standing { duet, attempt, instance, suite_run, iteration } = &mut row.standing;
    match (name, column) {
        (_, Column::Texts { words, rows }) => {
            let word = rows.get(index)?.map_or("", |word| words[word as usize].as_str());
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
                _ => return None,
            }
        }
        (_, Column::Whole(rows)) => {
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
        // What is not a number is left out with its iteration.
        ("value", Column::Floats(rows)) => row.value = rows.get(index)?.unwrap_or(f64::NAN),
        ("resolution", Column::Floats(rows)) => row.resolution = rows.get(index)?.unwrap_or(0.0),
        _ => return None,
    }
    Some(())
}

/// A number that fits, or nothing; none if it does not fit.
fn level(number: Option<i64>) -> Option<Option<u32>> {
    match number {
        Some(number) => u32::try_from(number).ok().map(Some),
        None => Some(None),
    }
}

#[cfg(test)]
mod tests;
