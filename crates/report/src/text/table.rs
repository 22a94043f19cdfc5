//! A table that fits the width: columns are left out in a given order until the rest fits, and names are
//! shortened last.

use std::io::{self, Write};

use super::prose::{Palette, Tone, shorten, width};

/// Blanks between two columns.
const GAP: usize = 2;

/// The first column is not shortened below this width while another column can be left out.
const NAME_ROOM: usize = 24;
/// Longer names are shortened even without a terminal.
const WIDEST_NAME: usize = 160;

/// The alignment of a text in its column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    /// Names and words.
    Left,
    /// Numbers.
    Right,
}

/// A column.
#[derive(Debug, Clone)]
pub(crate) struct Column {
    pub(crate) heading: String,
    pub(crate) align: Align,
    /// Columns with the lowest number are left out first, all of one number together. `None` for columns that
    /// are never left out.
    pub(crate) leaves: Option<u8>,
}

impl Column {
    pub(crate) fn new(heading: &str, align: Align, leaves: Option<u8>) -> Self {
        Column { heading: heading.to_owned(), align, leaves }
    }
}

/// A text in a column.
#[derive(Debug, Clone, Default)]
pub(crate) struct Cell {
    pub(crate) text: String,
    pub(crate) tone: Tone,
    /// Text after the last column, shown if all of it fits.
    pub(crate) note: String,
}

impl Cell {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Cell { text: text.into(), ..Cell::default() }
    }

    pub(crate) fn toned(text: impl Into<String>, tone: Tone) -> Self {
        Cell { text: text.into(), tone, ..Cell::default() }
    }
}

/// A line of a table.
#[derive(Debug, Clone)]
pub(crate) enum Line {
    /// A text over the whole width.
    Heading(Cell),
    /// One text per column. Missing ones are empty.
    Row(Vec<Cell>),
}

/// A table. Its first column has names and is the only one that is shortened.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    pub(crate) columns: Vec<Column>,
    pub(crate) lines: Vec<Line>,
}

impl Table {
    /// Writes the table with no line wider than `limit`.
    pub(crate) fn write(&self, limit: usize, palette: Palette, out: &mut dyn Write) -> io::Result<()> {
        let widths = self.fit(limit);
        let heading = |column: &Column| Cell::toned(column.heading.clone(), Tone::Dim);
        let headings: Vec<Cell> = self.columns.iter().map(heading).collect();
        writeln!(out, "{}", self.row(&headings, &widths, limit, palette))?;
        for line in &self.lines {
            match line {
                Line::Heading(cell) => {
                    writeln!(out, "{}", palette.paint(cell.tone, &shorten(&cell.text, limit)))?;
                }
                Line::Row(cells) => writeln!(out, "{}", self.row(cells, &widths, limit, palette))?,
            }
        }
        Ok(())
    }

    /// The width of every column. `None` for columns that are left out.
    fn fit(&self, limit: usize) -> Vec<Option<usize>> {
        let natural: Vec<usize> = (0..self.columns.len()).map(|index| self.natural_width(index)).collect();
        let mut widths: Vec<Option<usize>> = natural.iter().map(|w| (*w > 0).then_some(*w)).collect();
        let mut steps: Vec<u8> = self.columns.iter().filter_map(|column| column.leaves).collect();
        steps.sort_unstable();
        steps.dedup();
        let name = natural.first().copied().unwrap_or(0);
        let others =
            |widths: &[Option<usize>]| widths.iter().skip(1).flatten().map(|w| w + GAP).sum::<usize>();
        for step in steps {
            if others(&widths) + name.min(NAME_ROOM) <= limit {
                break;
            }
            for (column, column_width) in self.columns.iter().zip(&mut widths) {
                if column.leaves == Some(step) {
                    *column_width = None;
                }
            }
        }
        let room = limit.saturating_sub(others(&widths)).max(1);
        if let Some(first) = widths.first_mut() {
            *first = Some(name.min(room).min(WIDEST_NAME));
        }
        widths
    }

    /// A column without any content has width zero, whatever its heading.
    fn natural_width(&self, index: usize) -> usize {
        let rows = self.lines.iter().filter_map(|line| match line {
            Line::Row(cells) => cells.get(index),
            Line::Heading(_) => None,
        });
        let content = rows.map(|cell| width(&cell.text)).max().unwrap_or(0);
        let heading = self.columns.get(index).map_or(0, |column| width(&column.heading));
        if content == 0 { 0 } else { content.max(heading) }
    }

    fn row(&self, cells: &[Cell], widths: &[Option<usize>], limit: usize, palette: Palette) -> String {
        let last = widths.iter().rposition(Option::is_some).unwrap_or(0);
        let empty = Cell::default();
        let mut out = String::new();
        let mut used = 0;
        for (index, column) in self.columns.iter().enumerate() {
            let Some(column_width) = widths.get(index).copied().flatten() else { continue };
            let cell = cells.get(index).unwrap_or(&empty);
            let gap = if index == 0 { 0 } else { GAP };
            let room = limit.saturating_sub(used + gap).min(column_width);
            if room == 0 && index > 0 {
                continue;
            }
            let text = shorten(&cell.text, room);
            let blank = " ".repeat(room - width(&text).min(room));
            out.push_str(&" ".repeat(gap));
            used += gap + room;
            let mut painted = palette.paint(cell.tone, &text);
            let total = used + width(&cell.note) - blank.len();
            if index == last && !cell.note.is_empty() && total <= limit {
                painted.push_str(&palette.paint(Tone::Dim, &cell.note));
            }
            match column.align {
                Align::Left if index == last => out.push_str(&painted),
                Align::Left => out.push_str(&(painted + &blank)),
                Align::Right => out.push_str(&(blank + &painted)),
            }
        }
        out.trim_end().to_owned()
    }
}
