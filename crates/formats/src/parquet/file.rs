//! The positions of a file's columns, and the rows of one of them.

use std::sync::Arc;

use super::page::{Chunk, Kind, Shape, Values, read_chunk};
use super::thrift::{Cursor, Value};

/// The first and last bytes of every file.
const MAGIC: &[u8] = b"PAR1";

/// Larger footers do not occur, bytes.
const LARGEST_FOOTER: usize = 4 * 1024 * 1024;

/// A run of one value takes almost no bytes, but a real file needs more than one byte for this many entries
/// of a column.
const MOST_ENTRIES_PER_BYTE: usize = 64;

/// This many entries are permitted in any file, because a process of a million equal values takes some
/// kilobytes.
const FEW_ENTRIES: usize = 4 * 1024 * 1024;

/// A file in memory. Only its end has been read.
#[derive(Debug)]
pub(crate) struct File<'a> {
    bytes: &'a [u8],
    footer: Value<'a>,
    leaves: Vec<Leaf<'a>>,
}

/// Some rows of a file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Group<'f, 'a> {
    file: &'f File<'a>,
    described: &'f Value<'a>,
}

/// The rows of one column. A row without a value is `None`, and a list without values is empty.
#[derive(Debug)]
pub(crate) enum Column {
    Flags(Vec<Option<bool>>),
    Texts(Vec<Option<Arc<str>>>),
    Wholes(Vec<Option<i64>>),
    Reals(Vec<Option<f64>>),
    WholeLists(Vec<Vec<i64>>),
    RealLists(Vec<Vec<f64>>),
}

/// A leaf of the schema.
#[derive(Debug)]
struct Leaf<'a> {
    name: &'a str,
    kind: Option<Kind>,
    definition: u64,
    repetition: u64,
}

impl<'a> File<'a> {
    /// Reads the positions of all columns. The error is a message.
    pub(crate) fn open(bytes: &'a [u8]) -> Result<Self, String> {
        let footer = footer(bytes)?;
        let leaves = leaves(footer.list(2).unwrap_or_default()).ok_or("its schema is damaged")?;
        Ok(File { bytes, footer, leaves })
    }

    /// The number of rows according to the file.
    pub(crate) fn rows(&self) -> Option<usize> {
        self.footer.size(3)
    }

    /// Whether there is a column of that name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.leaves.iter().any(|leaf| leaf.name == name)
    }

    /// All rows, in the order of the file.
    pub(crate) fn groups(&self) -> impl Iterator<Item = Group<'_, 'a>> {
        let groups = self.footer.list(4).unwrap_or_default();
        groups.iter().map(|described| Group { file: self, described })
    }
}

impl<'a> Group<'_, 'a> {
    /// The number of rows according to the file.
    pub(crate) fn rows(&self) -> Option<usize> {
        self.described.size(3)
    }

    /// Reads the wanted columns, in the order of the file. Their pages may unpack to `left` bytes, which is
    /// reduced by the bytes they used.
    pub(crate) fn columns(
        &self,
        is_wanted: impl Fn(&str) -> bool,
        left: &mut usize,
    ) -> Result<Vec<(&'a str, Column)>, String> {
        let rows = self.rows().ok_or("a group of rows does not say how many they are")?;
        let chunks = self.described.list(1).unwrap_or_default();
        if chunks.len() != self.file.leaves.len() {
            return Err("a group of rows has another number of columns than the file".into());
        }
        let mut columns: Vec<(&str, Column)> = Vec::new();
        for (leaf, chunk) in self.file.leaves.iter().zip(chunks).filter(|(leaf, _)| is_wanted(leaf.name)) {
            let wrong = |what: &str| format!("column `{}`: {what}", leaf.name);
            // Reading a column twice would use twice the memory.
            if columns.iter().any(|(name, _)| *name == leaf.name) {
                return Err(wrong("there are two of that name"));
            }
            let column = read_column(self.file.bytes, leaf, chunk, rows, left);
            columns.push((leaf.name, column.map_err(|what| wrong(&what))?));
        }
        Ok(columns)
    }
}

impl Column {
    pub(super) fn len(&self) -> usize {
        match self {
            Column::Flags(rows) => rows.len(),
            Column::Texts(rows) => rows.len(),
            Column::Wholes(rows) => rows.len(),
            Column::Reals(rows) => rows.len(),
            Column::WholeLists(rows) => rows.len(),
            Column::RealLists(rows) => rows.len(),
        }
    }

    /// Adds the rows of the next group.
    pub(super) fn append(&mut self, more: Column) {
        match (self, more) {
            (Column::Flags(all), Column::Flags(more)) => all.extend(more),
            (Column::Texts(all), Column::Texts(more)) => all.extend(more),
            (Column::Wholes(all), Column::Wholes(more)) => all.extend(more),
            (Column::Reals(all), Column::Reals(more)) => all.extend(more),
            (Column::WholeLists(all), Column::WholeLists(more)) => all.extend(more),
            (Column::RealLists(all), Column::RealLists(more)) => all.extend(more),
            _ => unreachable!("the schema gives a column one type for all groups"),
        }
    }
}

fn footer(bytes: &[u8]) -> Result<Value<'_>, String> {
    let end = bytes.len().checked_sub(8).filter(|end| *end >= MAGIC.len()).ok_or("it is too short")?;
    if !bytes.starts_with(MAGIC) || !bytes.ends_with(MAGIC) {
        return Err("it does not begin and end with PAR1".into());
    }
    let length = Cursor::new(bytes, end).array().map_or(0, u32::from_le_bytes);
    let length = usize::try_from(length).ok().filter(|length| *length <= LARGEST_FOOTER);
    let start = length.ok_or("its footer is larger than any")?;
    let start = end.checked_sub(start).ok_or("its footer is longer than the file")?;
    Cursor::new(&bytes[..end], start).header().ok_or_else(|| "its footer is damaged".into())
}

/// The leaves of the schema, which is a tree stored in depth-first order. A leaf gets the name of its
/// ancestor below the root.
fn leaves<'a>(schema: &[Value<'a>]) -> Option<Vec<Leaf<'a>>> {
    /// Number of children that follow, and the levels above them.
    struct Open<'a> {
        children: usize,
        name: &'a str,
        definition: u64,
        repetition: u64,
    }
    let Some((root, elements)) = schema.split_first() else { return Some(Vec::new()) };
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
            0 => {
                leaves.push(Leaf { name, kind: element.number(1).and_then(Kind::of), definition, repetition })
            }
            children => open.push(Open { children, name, definition, repetition }),
        }
    }
    Some(leaves)
}

/// Reads the `rows` of a column in a group.
fn read_column(
    bytes: &[u8],
    leaf: &Leaf<'_>,
    chunk: &Value<'_>,
    rows: usize,
    left: &mut usize,
) -> Result<Column, String> {
    let metadata = chunk.field(3).ok_or("it has no metadata")?;
    let kind = leaf.kind.ok_or("its type is none of text, flag, whole and floating-point number")?;
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
    let at = metadata
        .size(11)
        .filter(|dictionary| *dictionary > 0)
        .map_or(data, |dictionary| dictionary.min(data));
    let entries = metadata.size(5).ok_or("it has no number of values")?;
    if entries > bytes.len().saturating_mul(MOST_ENTRIES_PER_BYTE).max(FEW_ENTRIES) {
        return Err(format!("it claims {entries} values, more than the file can hold"));
    }
    let Chunk { values, definitions, repetitions } = read_chunk(bytes, at, entries, shape, left)?;
    let is_there = definitions.iter().map(|level| *level == shape.definition);
    let column = match (values, leaf.repetition) {
        (Values::Flag(values), 0) => Column::Flags(flat(values, is_there)),
        (Values::Text(values), 0) => Column::Texts(flat(values, is_there)),
        (Values::Whole(values), 0) => Column::Wholes(flat(values, is_there)),
        (Values::Real(values), 0) => Column::Reals(flat(values, is_there)),
        (Values::Whole(values), _) => Column::WholeLists(lists(values, is_there, &repetitions)),
        (Values::Real(values), _) => Column::RealLists(lists(values, is_there, &repetitions)),
        (Values::Flag(_) | Values::Text(_), _) => return Err("it has lists of texts or flags".into()),
    };
    match column.len() {
        count if count == rows => Ok(column),
        count => Err(format!("it has {count} of {rows} rows")),
    }
}

fn flat<T>(values: Vec<T>, is_there: impl Iterator<Item = bool>) -> Vec<Option<T>> {
    let mut values = values.into_iter();
    is_there.map(|is_there| if is_there { values.next() } else { None }).collect()
}

/// An entry with repetition level 0 begins a list. A missing entry adds nothing to it.
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
