//! Formats tables and numbers for documents.

use std::fmt::Write as _;

/// A table under construction.
#[derive(Debug, Clone, Default)]
pub(crate) struct Table {
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these columns.
    pub(crate) fn new(head: &[&str]) -> Self {
        Table { head: head.iter().map(|text| text.to_string()).collect(), rows: Vec::new() }
    }

    /// Adds a row. Missing cells at its end are empty.
    pub(crate) fn row(&mut self, mut cells: Vec<String>) {
        cells.resize(self.head.len(), String::new());
        self.rows.push(cells);
    }

    /// Formats the table as Markdown. Every column is as wide as its widest cell, so that the source is
    /// readable too. The first column is text, and the others are numbers.
    pub(crate) fn to_markdown(&self) -> String {
        let width = |column: usize| {
            let cells = self.rows.iter().map(|row| &row[column]).chain([&self.head[column]]);
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0).max(3)
        };
        let widths: Vec<usize> = (0..self.head.len()).map(width).collect();
        let mut text = String::new();
        let mut line = |cells: &[String]| {
            for (column, (cell, width)) in cells.iter().zip(&widths).enumerate() {
                let cell = cell.replace('|', "\\|");
                match column {
                    0 => write!(text, "| {cell:<width$} "),
                    _ => write!(text, "| {cell:>width$} "),
                }
                .expect("writing to a string does not fail");
            }
            text.push_str("|\n");
        };
        line(&self.head);
        let rule: Vec<String> = widths
            .iter()
            .enumerate()
            .map(
                |(column, width)| {
                    if column == 0 { "-".repeat(*width) } else { format!("{}:", "-".repeat(width - 1)) }
                },
            )
            .collect();
        line(&rule);
        self.rows.iter().for_each(|row| line(row));
        text
    }
}

/// A share in percent with two decimals, or a dash for `None`.
pub(crate) fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| "—".into(), |share| format!("{:.2}", 100.0 * share))
}

/// A probability with three decimals. Below 0.001 it has two significant digits and an exponent.
pub(crate) fn probability(p: f64) -> String {
    if p < 0.001 { format!("{p:.1e}") } else { format!("{p:.3}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_and_bars_are_escaped() {
        let mut table = Table::new(&["name", "n"]);
        table.row(vec!["a|b".into(), "12345".into()]);
        table.row(vec!["c".into()]);
        assert_eq!(
            table.to_markdown(),
            "| name |     n |\n| ---- | ----: |\n| a\\|b | 12345 |\n| c    |       |\n"
        );
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(percent(Some(0.92903)), "92.90");
        assert_eq!(percent(None), "—");
        assert_eq!(probability(0.0301), "0.030");
        assert_eq!(probability(1.127e-8), "1.1e-8");
    }
}
