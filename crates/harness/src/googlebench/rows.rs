//! Rows of the library's JSON file, read one by one, so that a damaged one costs only itself.
//!
//! The library writes `NaN` and `Infinity`, which are not JSON, puts the user's counters among its own
//! fields without marking them, and may be killed in the middle of a row.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;

/// After so many faults nothing more is tried.
const MOST_FAULTS: usize = 20;

/// Most fields of a row; further ones are ignored.
const MOST_FIELDS: usize = 1_000;

/// What begins every row, after the list's own indentation.
const ROW_START: &str = "\n    {";

/// One entry of the list `benchmarks`: its fields in order, a name perhaps twice (a counter called like a field).
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Row(pub(super) Vec<(String, Value)>);

/// Something that could not be read, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) line: u32,
    pub(super) column: u32,
    pub(super) message: String,
}

/// Reads all rows of the file's text.
pub(super) fn read(text: &str) -> (Vec<Row>, Vec<Fault>) {
    let text = with_quoted_numbers(text);
    let (mut rows, mut faults) = (Vec::new(), Vec::new());
    let Some(mut at) = list_start(&text) else {
        faults.push(fault(&text, 0, "there is no list of benchmarks".into()));
        return (rows, faults);
    };
    loop {
        let rest = &text[at..];
        at += rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n', ',']).len();
        let rest = &text[at..];
        if rest.starts_with(']') {
            break;
        }
        if rest.is_empty() {
            faults.push(fault(&text, at, "the file ends in the middle of the list".into()));
            break;
        }
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Row>();
        match values.next() {
            Some(Ok(row)) => {
                rows.push(row);
                at += values.byte_offset();
            }
            Some(Err(error)) => {
                faults.push(fault_of_row(&text, at, &error));
                match next_row(rest).filter(|_| faults.len() < MOST_FAULTS) {
                    Some(next) => at += next,
                    None => break,
                }
            }
            None => break,
        }
    }
    (rows, faults)
}

/// Where the next row may begin, if the one at the beginning of `text` cannot be read.
fn next_row(text: &str) -> Option<usize> {
    text.get(1..)?.find(ROW_START).map(|at| at + 1)
}

/// What is wrong with the row that begins `at` this place. The parser counts from there.
fn fault_of_row(text: &str, at: usize, error: &serde_json::Error) -> Fault {
    let begin = fault(text, at, reason(error));
    let line = u32::try_from(error.line()).unwrap_or(1).max(1);
    let column = u32::try_from(error.column()).unwrap_or(u32::MAX);
    let column = if line == 1 { begin.column.saturating_add(column).saturating_sub(1) } else { column };
    Fault { line: begin.line.saturating_add(line - 1), column, message: begin.message }
}

/// The parser's words without its position, which counts from the row.
fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or_default().to_owned()
}

/// Where the first row would begin.
fn list_start(text: &str) -> Option<usize> {
    const NAME: &str = "\"benchmarks\"";
    text.match_indices(NAME).find_map(|(start, _)| {
        let rest =
            text[start + NAME.len()..].trim_start().strip_prefix(':')?.trim_start().strip_prefix('[')?;
        Some(text.len() - rest.len())
    })
}

fn fault(text: &str, at: usize, message: String) -> Fault {
    let before = &text[..at];
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    Fault { line: number(line), column: number(column), message }
}

/// Puts quotes around `NaN` and `Infinity` where they stand as numbers, in place of their first and last letter, so
/// that positions stay as they are. See [`is_no_number`].
fn with_quoted_numbers(text: &str) -> String {
    // The small ones are those of versions before 1.5.
    const NUMBERS: [&[u8]; 8] =
        [b"-Infinity", b"Infinity", b"-NaN", b"NaN", b"-nan", b"nan", b"-inf", b"inf"];
    let mut bytes = text.as_bytes().to_vec();
    let (mut is_in_text, mut at) = (false, 0);
    while at < bytes.len() {
        match bytes[at] {
            b'"' => is_in_text = !is_in_text,
            b'\\' if is_in_text => at += 1,
            b'-' | b'I' | b'N' | b'i' | b'n' if !is_in_text => {
                if let Some(number) = NUMBERS.iter().find(|number| bytes[at..].starts_with(number)) {
                    let end = at + number.len() - 1;
                    (bytes[at], bytes[end]) = (b'"', b'"');
                    at = end;
                }
            }
            _ => {}
        }
        at += 1;
    }
    // Only letters of these words were replaced.
    String::from_utf8(bytes).unwrap_or_default()
}

/// Whether a text stands for `NaN` or an infinity.
pub(super) fn is_no_number(text: &str) -> bool {
    matches!(text, "Infinit" | "nfinit" | "Na" | "a" | "na" | "in" | "n")
}

impl<'de> Deserialize<'de> for Row {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Row, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = Row;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Row, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    if fields.len() < MOST_FIELDS {
                        fields.push(field);
                    }
                }
                Ok(Row(fields))
            }
        }
        deserializer.deserialize_map(Fields)
    }
}

impl Row {
    /// The first field called `name`: the library's own ones come before counters of the same name.
    pub(super) fn field(&self, name: &str) -> Option<&Value> {
        self.0.iter().find(|(own, _)| own == name).map(|(_, value)| value)
    }

    /// The text of a field.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.field(name)?.as_str()
    }

    /// Whether a field is `true`.
    pub(super) fn is_set(&self, name: &str) -> bool {
        self.field(name).and_then(Value::as_bool) == Some(true)
    }
}

/// The number in a value; `NaN` for numbers that JSON does not have, `None` if it is not a number.
pub(super) fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) if is_no_number(text) => Some(f64::NAN),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(rows: &[Row]) -> Vec<&str> {
        rows.iter().map(|row| row.text("name").unwrap_or_default()).collect()
    }

    fn file(rows: &[&str]) -> String {
        let rows: Vec<String> = rows.iter().map(|row| format!("    {{\n      {row}\n    }}")).collect();
        format!(
            "{{\n  \"context\": {{\"caches\": []}},\n  \"benchmarks\": [\n{}\n  ]\n}}\n",
            rows.join(",\n")
        )
    }

    #[test]
    fn rows_are_read_with_numbers_that_json_does_not_know() {
        let text = file(&[
            "\"name\": \"a NaN\", \"x\": NaN, \"y\": -Infinity, \"z\": 1.5e+00, \"w\": -nan, \"v\": inf",
            "\"name\": \"b\"",
        ]);
        let (rows, faults) = read(&text);
        assert_eq!(faults, []);
        assert_eq!(names(&rows), ["a NaN", "b"]);
        let value = |name: &str| rows[0].field(name).and_then(number).expect(name);
        assert!(value("x").is_nan() && value("y").is_nan() && value("w").is_nan() && value("v").is_nan());
        assert_eq!(value("z"), 1.5);
    }

    #[test]
    fn a_broken_row_costs_only_itself_and_has_a_position() {
        let text = file(&["\"name\": \"a\"", "\"name\": \"unescaped \" quote\"", "\"name\": \"c\""]);
        let (rows, faults) = read(&text);
        assert_eq!(names(&rows), ["a", "c"]);
        assert_eq!(faults.len(), 1);
        assert_eq!((faults[0].line, faults[0].column), (8, 28));
        let (rows, faults) = read(&text.replace('\n', "\r\n"));
        assert_eq!((names(&rows), faults[0].line), (vec!["a", "c"], 8));
    }

    #[test]
    fn the_rows_before_a_cut_are_kept() {
        let text = file(&["\"name\": \"a\"", "\"name\": \"b\""]);
        let cut = &text[..text.find("\"b\"").expect("the second row")];
        let (rows, faults) = read(cut);
        assert_eq!(names(&rows), ["a"]);
        assert_eq!(faults.len(), 1);
        let after_first = &text[..text.find(",\n    {").expect("the end of the first row")];
        assert_eq!(read(after_first).1[0].message, "the file ends in the middle of the list");
    }

    #[test]
    fn other_files_are_one_fault() {
        for text in ["", "{}", "[1, 2]", "benchmarks: [", "{\"benchmarks\": 3}", "\u{0}"] {
            let (rows, faults) = read(text);
            assert_eq!((rows.len(), faults.len()), (0, 1), "{text}");
        }
        assert_eq!(read("{\"benchmarks\": []}"), (Vec::new(), Vec::new()));
        assert_eq!(read("{\"benchmarks\":[3,4]}").1.len(), 1);
        let garbage = format!("{{\"benchmarks\": [{}", "\n    {x".repeat(1_000));
        assert_eq!(read(&garbage).1.len(), MOST_FAULTS);
    }

    #[test]
    fn the_first_of_two_fields_of_a_name_counts() {
        let (rows, _) =
            read(&file(&["\"name\": \"a\", \"iterations\": 7, \"iterations\": 9, \"error_occurred\": true"]));
        assert_eq!(rows[0].field("iterations").and_then(number), Some(7.0));
        assert!(rows[0].is_set("error_occurred") && !rows[0].is_set("skipped"));
    }
}
