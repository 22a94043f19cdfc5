//! divan's output: a tree of names with box-drawing characters, with six columns if it measures.
//!
//! ```text
//! sets          fastest       │ slowest       │ median        │ mean          │ samples │ iters
//! ├─ common     4.89 ns       │ 165.2 ns      │ 5.165 ns      │ 5.283 ns      │ 3569    │ 1827328
//! ╰─ unique                   │               │               │               │         │
//!    ╰─ 1000    7.06 µs       │ 32.14 µs      │ 7.279 µs      │ 7.424 µs      │ 2604    │ 2604
//!               alloc:        │               │               │               │         │
//!                 1           │ 1             │ 1             │ 1             │         │
//!                 4 KB        │ 4 KB          │ 4 KB          │ 4 KB          │         │
//! ```

/// A parsed line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Line<'a> {
    /// A name at a depth. Depth 0 is the crate.
    Node {
        /// The depth.
        depth: usize,
        /// The name. Output of a benchmark may follow it.
        name: &'a str,
        /// The columns, of which the first begins with the first value. `None` in a plain tree.
        columns: Option<[&'a str; 6]>,
    },
    /// Columns without a name: more values of the node before.
    Columns([&'a str; 6]),
    /// An empty line, which ends the tree of a crate.
    Empty,
    /// Anything else.
    Other(&'a str),
}

impl<'a> Line<'a> {
    /// Reads one line.
    pub(super) fn read(line: &'a str) -> Line<'a> {
        let line = line.trim_end();
        if line.is_empty() {
            return Line::Empty;
        }
        match (branch(line), columns(line)) {
            (Some((depth, rest)), None) => Line::Node { depth, name: rest.trim_end(), columns: None },
            (Some((depth, rest)), Some(mut columns)) => {
                let first = rest.split('│').next().unwrap_or(rest);
                let (name, value) = name_and_value(first.trim_end());
                columns[0] = value;
                Line::Node { depth, name, columns: Some(columns) }
            }
            (None, Some(mut columns)) => match columns[0].strip_suffix("fastest") {
                Some(name) => {
                    columns[0] = "fastest";
                    Line::Node { depth: 0, name: name.trim_end(), columns: Some(columns) }
                }
                None => Line::Columns(columns),
            },
            (None, None) => Line::Other(line),
        }
    }
}

/// Depth and rest of a line that begins with a branch of the tree.
fn branch(line: &str) -> Option<(usize, &str)> {
    let mut rest = line;
    let mut depth = 1;
    loop {
        if let Some(name) = rest.strip_prefix("├─ ").or_else(|| rest.strip_prefix("╰─ ")) {
            return Some((depth, name));
        }
        rest = rest.strip_prefix("│  ").or_else(|| rest.strip_prefix("   "))?;
        depth += 1;
    }
}

/// The six columns. The drawing of the tree is removed from the first.
fn columns(line: &str) -> Option<[&str; 6]> {
    let mut columns = [""; 6];
    let mut parts = line.rsplitn(6, '│');
    for column in columns.iter_mut().rev() {
        *column = parts.next()?.trim();
    }
    let first = columns[0].trim_start_matches(['│', ' ', '├', '╰', '─']);
    columns[0] = first;
    // A line with only the tree (`│  │`) has bars too, but not this many with only values between them.
    let is_value = |column: &&str| {
        column.is_empty() || column.starts_with(|letter: char| letter.is_ascii_alphanumeric())
    };
    columns[1..].iter().all(is_value).then_some(columns)
}

/// Splits `name    1.234 ns` and `name   (ignored)`. A name alone has no value.
fn name_and_value(text: &str) -> (&str, &str) {
    if let Some(name) = text.strip_suffix("(ignored)") {
        return (name.trim_end(), "(ignored)");
    }
    // There are at least two spaces between name and columns, and one between number and unit.
    match text.rsplit_once("  ") {
        Some((name, value)) if is_quantity(value.trim_start()) => (name.trim_end(), value.trim_start()),
        _ => (text, ""),
    }
}

fn is_quantity(text: &str) -> bool {
    let Some((number, unit)) = text.split_once(' ') else { return false };
    super::number::four_digits(number).is_some() && super::number::seconds(unit).is_some()
}

/// Keeps track of the position in the tree.
#[derive(Debug, Default)]
pub(super) struct Path {
    names: Vec<String>,
    /// Whether an empty line has ended the crate's tree, so that the next line begins another one.
    is_over: bool,
}

impl Path {
    /// Takes a line; returns whether it begins a node, which [`Path::joined`] then names.
    pub(super) fn take(&mut self, line: &Line<'_>) -> bool {
        let (depth, name) = match line {
            Line::Node { depth, name, .. } => (*depth, *name),
            // The crate's line in a plain tree has no special form, and output of benchmarks may look like
            // it.
            Line::Other(name) if self.names.is_empty() || self.is_over => (0, *name),
            Line::Empty => {
                self.is_over = true;
                return false;
            }
            _ => return false,
        };
        self.is_over = false;
        if depth > self.names.len() {
            return false;
        }
        self.names.truncate(depth);
        self.names.push(name.to_owned());
        true
    }

    /// The names from the crate down, in the format of `--exact`.
    pub(super) fn joined(&self) -> String {
        self.names.join("::")
    }

    /// The depth of the last node. 0 is the crate.
    pub(super) fn depth(&self) -> usize {
        self.names.len().saturating_sub(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_told_apart() {
        let check = |line: &str, expected: Line<'_>| assert_eq!(Line::read(line), expected, "{line}");
        let node = |depth, name, columns| Line::Node { depth, name, columns };
        check("├─ common", node(1, "common", None));
        check("   │  ├─ BTreeSet<u32>", node(3, "BTreeSet<u32>", None));
        check("├─ left_out             (ignored)", node(1, "left_out             (ignored)", None));
        check("sets", Line::Other("sets"));
        check("", Line::Empty);
        check(
            "│  ╰─ two words  1.84 ns       │ 23.13 ns      │ 1.84 µs       │ 1 s           │ 666     │ 681984",
            node(2, "two words", Some(["1.84 ns", "23.13 ns", "1.84 µs", "1 s", "666", "681984"])),
        );
        check(
            "╰─ collections                        │               │               │               │         │",
            node(1, "collections", Some(["", "", "", "", "", ""])),
        );
        check(
            "│  │                    max alloc:    │               │               │               │         │",
            Line::Columns(["max alloc:", "", "", "", "", ""]),
        );
        check(
            "sets   fastest       │ slowest       │ median        │ mean          │ samples │ iters",
            node(0, "sets", Some(["fastest", "slowest", "median", "mean", "samples", "iters"])),
        );
    }
}
