//! A file becomes columns.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use super::page::{Chunk, Kind, Shape, Values, read_chunk};
use super::thrift::{Cursor, Value};

/// Begins and ends every file.
const MAGIC: &[u8] = b"PAR1";

/// Some columns of a Parquet file.
#[derive(Debug)]
pub struct Table {
    path: PathBuf,
    rows: usize,
    columns: BTreeMap<String, Column>,
}

/// The rows of one column; a row without a value is `None`, a list without values empty.
#[derive(Debug)]
pub(super) enum Column {
    Texts(Vec<Option<String>>),
    Wholes(Vec<Option<i64>>),
    Reals(Vec<Option<f64>>),
    WholeLists(Vec<Vec<i64>>),
    RealLists(Vec<Vec<f64>>),
}

/// Why a file is not read.
#[derive(Debug, thiserror::Error)]
pub enum ParquetError {
    /// The system does not give it.
    #[error("read `{}`", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// It is damaged, or uses more of the format than is known here.
    #[error("read the Parquet file `{}`: {what}", path.display())]
    NotUnderstood {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// It lacks a column, or that has another type.
    #[error("find {kind} `{name}` in `{}`", path.display())]
    NoColumn {
        /// The file.
        path: PathBuf,
        /// The column.
        name: String,
        /// What was looked for.
        kind: &'static str,
    },
}

impl Table {
    /// Reads those of the columns that are there. The whole file is in memory meanwhile.
    pub fn read(path: &Path, columns: &[&str]) -> Result<Table, ParquetError> {
        let bytes = std::fs::read(path)
            .map_err(|source| ParquetError::Unreadable { path: path.to_owned(), source })?;
        let (rows, columns) = read_columns(&bytes, columns)
            .map_err(|what| ParquetError::NotUnderstood { path: path.to_owned(), what })?;
        Ok(Table { path: path.to_owned(), rows, columns })
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// A column of texts.
    pub fn texts(&self, name: &str) -> Result<&[Option<String>], ParquetError> {
        match self.columns.get(name) {
            Some(Column::Texts(rows)) => Ok(rows),
            _ => Err(self.lacks(name, "a column of texts")),
        }
    }

    /// A column of whole numbers.
    pub fn wholes(&self, name: &str) -> Result<&[Option<i64>], ParquetError> {
        match self.columns.get(name) {
            Some(Column::Wholes(rows)) => Ok(rows),
            _ => Err(self.lacks(name, "a column of whole numbers")),
        }
    }

    /// A column of floating-point numbers.
    pub fn reals(&self, name: &str) -> Result<&[Option<f64>], ParquetError> {
        match self.columns.get(name) {
            Some(Column::Reals(rows)) => Ok(rows),
            _ => Err(self.lacks(name, "a column of numbers")),
        }
    }

    /// A column of lists of whole numbers.
    pub fn whole_lists(&self, name: &str) -> Result<&[Vec<i64>], ParquetError> {
        match self.columns.get(name) {
            Some(Column::WholeLists(rows)) => Ok(rows),
            _ => Err(self.lacks(name, "a column of lists of whole numbers")),
        }
    }

    /// A column of lists of floating-point numbers.
    pub fn real_lists(&self, name: &str) -> Result<&[Vec<f64>], ParquetError> {
        match self.columns.get(name) {
            Some(Column::RealLists(rows)) => Ok(rows),
            _ => Err(self.lacks(name, "a column of lists of numbers")),
        }
    }

    /// A column of lists of floating-point numbers, taken out of the table.
    pub fn take_real_lists(&mut self, name: &str) -> Result<Vec<Vec<f64>>, ParquetError> {
        match self.columns.remove(name) {
            Some(Column::RealLists(rows)) => Ok(rows),
            _ => Err(self.lacks(name, "a column of lists of numbers")),
        }
    }

    /// Whether there is a column of that name.
    pub fn has(&self, name: &str) -> bool {
        self.columns.contains_key(name)
    }

    fn lacks(&self, name: &str, kind: &'static str) -> ParquetError {
        ParquetError::NoColumn { path: self.path.clone(), name: name.into(), kind }
    }
}

/// A leaf of the schema.
struct Leaf<'a> {
    name: &'a str,
    kind: Option<Kind>,
    definition: u64,
    repetition: u64,
}

pub(super) fn read_columns(
    bytes: &[u8],
    wanted: &[&str],
) -> Result<(usize, BTreeMap<String, Column>), String> {
    let footer = footer(bytes)?;
    let rows = footer.size(3).ok_or("its footer has no number of rows")?;
    let leaves = leaves(footer.list(2).unwrap_or_default()).ok_or("its schema is damaged")?;
    let mut columns = BTreeMap::new();
    for group in footer.list(4).unwrap_or_default() {
        let chunks = group.list(1).unwrap_or_default();
        for (leaf, chunk) in leaves.iter().zip(chunks).filter(|(leaf, _)| wanted.contains(&leaf.name)) {
            let column = read_column(bytes, leaf, chunk).map_err(|what| format!("column `{}`: {what}", leaf.name))?;
            match columns.get_mut(leaf.name) {
                None => {
                    columns.insert(leaf.name.to_owned(), column);
                }
                Some(first) => append(first, column),
            }
        }
    }
    match columns.iter().find(|(_, column)| column.len() != rows) {
        Some((name, column)) => Err(format!("column `{name}` has {} of {rows} rows", column.len())),
        None => Ok((rows, columns)),
    }
}

fn footer(bytes: &[u8]) -> Result<Value<'_>, String> {
    let end = bytes.len().checked_sub(8).filter(|end| *end >= MAGIC.len()).ok_or("it is too short")?;
    if !bytes.starts_with(MAGIC) || !bytes.ends_with(MAGIC) {
        return Err("it does not begin and end with PAR1".into());
    }
    let length = Cursor::new(bytes, end).array().map_or(0, u32::from_le_bytes);
    let start = usize::try_from(length).ok().and_then(|length| end.checked_sub(length));
    let start = start.ok_or("its footer is longer than the file")?;
    Cursor::new(&bytes[..end], start).header().ok_or_else(|| "its footer is damaged".into())
}

/// The leaves of the schema, which is a tree in the order of a walk from the root. A leaf is called what the field below the root is called.
fn leaves<'a>(schema: &[Value<'a>]) -> Option<Vec<Leaf<'a>>> {
    /// Children still to come, and the levels above them.
    struct Open<'a> {
        children: usize,
        name: &'a str,
        definition: u64,
        repetition: u64,
    }
    let (root, elements) = schema.split_first()?;
    let mut open = vec![Open { children: root.size(5)?, name: "", definition: 0, repetition: 0 }];
    let mut leaves = Vec::new();
    for element in elements {
        while open.last().is_some_and(|above| above.children == 0) {
            open.pop();
        }
        let above = open.last_mut()?;
        above.children -= 1;
        let (is_optional, is_repeated) = match element.number(3).unwrap_or(0) {
            0 => (false, false),
            1 => (true, false),
            _ => (true, true),
        };
        let name = if above.name.is_empty() { element.text(4)? } else { above.name };
        let definition = above.definition + u64::from(is_optional);
        let repetition = above.repetition + u64::from(is_repeated);
        match element.size(5).unwrap_or(0) {
            0 => leaves.push(Leaf { name, kind: element.number(1).and_then(Kind::of), definition, repetition }),
            children => open.push(Open { children, name, definition, repetition }),
        }
    }
    Some(leaves)
}

fn read_column(bytes: &[u8], leaf: &Leaf<'_>, chunk: &Value<'_>) -> Result<Column, String> {
    let metadata = chunk.field(3).ok_or("it has no metadata")?;
    let kind = leaf.kind.ok_or("its type is none of text, whole and floating-point numbers")?;
    if leaf.repetition > 1 {
        return Err("it has lists of lists".into());
    }
    let shape = Shape {
        kind,
        definition: leaf.definition,
        repetition: leaf.repetition,
        codec: metadata.number(4).unwrap_or(0),
    };
    let data = metadata.size(9).ok_or("it has no place in the file")?;
    let at = metadata.size(11).filter(|dictionary| *dictionary > 0).map_or(data, |dictionary| dictionary.min(data));
    let entries = metadata.size(5).ok_or("it has no number of values")?;
    let Chunk { values, definitions, repetitions } = read_chunk(bytes, at, entries, shape)?;
    let is_there = |level: &u64| *level == shape.definition;
    match (values, leaf.repetition) {
        (Values::Text(values), 0) => Ok(Column::Texts(flat(values, definitions.iter().map(is_there)))),
        (Values::Whole(values), 0) => Ok(Column::Wholes(flat(values, definitions.iter().map(is_there)))),
        (Values::Real(values), 0) => Ok(Column::Reals(flat(values, definitions.iter().map(is_there)))),
        (Values::Whole(values), _) => {
            Ok(Column::WholeLists(lists(values, definitions.iter().map(is_there), &repetitions)))
        }
        (Values::Real(values), _) => {
            Ok(Column::RealLists(lists(values, definitions.iter().map(is_there), &repetitions)))
        }
        (Values::Text(_), _) => Err("it has lists of texts".into()),
    }
}

fn flat<T>(values: Vec<T>, is_there: impl Iterator<Item = bool>) -> Vec<Option<T>> {
    let mut values = values.into_iter();
    is_there.map(|is_there| if is_there { values.next() } else { None }).collect()
}

/// An entry with repetition level 0 begins a list; one that is not there adds nothing to it.
fn lists<T>(values: Vec<T>, is_there: impl Iterator<Item = bool>, repetitions: &[u64]) -> Vec<Vec<T>> {
    let mut values = values.into_iter();
    let mut lists: Vec<Vec<T>> = Vec::new();
    for (is_there, repetition) in is_there.zip(repetitions) {
        if *repetition == 0 || lists.is_empty() {
            lists.push(Vec::new());
        }
        if let (true, Some(list)) = (is_there, lists.last_mut()) {
            list.extend(values.next());
        }
    }
    lists
}

fn append(all: &mut Column, more: Column) {
    match (all, more) {
        (Column::Texts(all), Column::Texts(more)) => all.extend(more),
        (Column::Wholes(all), Column::Wholes(more)) => all.extend(more),
        (Column::Reals(all), Column::Reals(more)) => all.extend(more),
        (Column::WholeLists(all), Column::WholeLists(more)) => all.extend(more),
        (Column::RealLists(all), Column::RealLists(more)) => all.extend(more),
        // The schema gives a column one type for all groups.
        _ => {}
    }
}

impl Column {
    fn len(&self) -> usize {
        match self {
            Column::Texts(rows) => rows.len(),
            Column::Wholes(rows) => rows.len(),
            Column::Reals(rows) => rows.len(),
            Column::WholeLists(rows) => rows.len(),
            Column::RealLists(rows) => rows.len(),
        }
    }
}
