//! The beginning of a file, which determines its format.

use crate::Limits;
use crate::reading::input::Input;
use crate::reading::json::{Json, Kind, Step};

/// How many bytes of a file are examined.
const LENGTH: usize = 64 * 1024;

/// Maximum depth and number of the names that are collected.
const DEPTH: usize = 6;
const NAMES: usize = 4000;

/// The beginning of history files of github-action-benchmark.
pub(crate) const ASSIGNMENT: &[u8] = b"window.BENCHMARK_DATA";

/// The beginning of a file.
pub(crate) struct Head {
    /// Its bytes.
    pub(crate) text: Vec<u8>,
    /// The kind of the outermost value, if it is JSON.
    pub(crate) root: Option<Kind>,
    /// Names of members, with the number of objects and arrays around them.
    names: Vec<(usize, String)>,
}

impl Head {
    /// Examines the beginning of `input` without consuming it.
    pub(crate) fn of(input: &mut Input<'_>) -> Head {
        input.fill_to(LENGTH);
        let rest = input.rest();
        let text = rest[..rest.len().min(LENGTH)].to_vec();
        let mut head = Head { text, root: None, names: Vec::new() };
        (head.root, head.names) = outline(&head.text[head.json_start()..]);
        head
    }

    /// The position where JSON begins that is assigned to a variable.
    fn json_start(&self) -> usize {
        let blank = self.text.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        if !self.text[blank..].starts_with(ASSIGNMENT) {
            return 0;
        }
        memchr::memchr(b'=', &self.text).map_or(0, |at| at + 1)
    }

    /// Whether a member of that name was found inside `depth` objects and arrays.
    pub(crate) fn has(&self, depth: usize, name: &str) -> bool {
        self.names.iter().any(|(at, known)| *at == depth && known == name)
    }

    /// Whether it is an array whose elements have members.
    pub(crate) fn is_array(&self) -> bool {
        self.root == Some(Kind::Array)
    }

    /// Whether it is an object.
    pub(crate) fn is_object(&self) -> bool {
        self.root == Some(Kind::Object)
    }

    /// The first line, if it is text.
    pub(crate) fn first_line(&self) -> &str {
        let line = self.text.split(|byte| *byte == b'\n').next().unwrap_or_default();
        std::str::from_utf8(line).unwrap_or_default().trim_end_matches('\r')
    }

    /// Its lines.
    pub(crate) fn lines(&self) -> impl Iterator<Item = &[u8]> {
        self.text.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line))
    }

    /// A description of the content, for the message about an unknown format.
    pub(crate) fn describe(&self) -> String {
        if let Some(magic) = magic(&self.text) {
            return format!("it is {magic}, none of the known formats");
        }
        let control = |byte: &&u8| **byte < 0x20 && !byte.is_ascii_whitespace();
        if self.text.iter().take(512).any(|byte| control(&byte)) {
            return "it is none of the known formats; it looks like binary data".into();
        }
        if let Some(kind) = self.root {
            let kind = if kind == Kind::Array { "array" } else { "object" };
            let least = self.names.iter().map(|(depth, _)| *depth).min().unwrap_or(0);
            let first = self.names.iter().filter(|(depth, _)| *depth == least).map(|(_, name)| name.as_str());
            let names: Vec<String> =
                first.take(6).map(|name| format!("`{}`", crate::reading::json::shorten(name))).collect();
            return format!(
                "it is none of the known formats; it is a JSON {kind} with {}",
                or_nothing(&names)
            );
        }
        let line = self.lines().find(|line| !line.trim_ascii().is_empty()).unwrap_or_default();
        let line = crate::reading::json::shorten(&String::from_utf8_lossy(line));
        format!("it is none of the known formats; it begins with `{}`", line.trim())
    }
}

fn or_nothing(names: &[String]) -> String {
    if names.is_empty() { "nothing in it".into() } else { names.join(", ") }
}

/// Files that people confuse with results.
fn magic(text: &[u8]) -> Option<&'static str> {
    let known: [(&[u8], &str); 6] = [
        (b"PK\x03\x04", "a ZIP archive"),
        (b"\x28\xb5\x2f\xfd", "compressed with zstd"),
        (b"\xfd7zXZ", "compressed with xz"),
        (b"BZh", "compressed with bzip2"),
        (b"SQLite format 3", "an SQLite database"),
        (b"\x7fELF", "a program"),
    ];
    known.iter().find(|(start, _)| text.starts_with(start)).map(|(_, words)| *words)
}

/// The kind of the outermost value, and the names inside it.
fn outline(text: &[u8]) -> (Option<Kind>, Vec<(usize, String)>) {
    let mut json = Json::new(Input::new("", Box::new(text), Limits::default()));
    let mut names = Vec::new();
    let root = json.kind().ok().filter(|kind| matches!(kind, Kind::Object | Kind::Array));
    if root.is_some() {
        // The text is cut at some point, so this usually stops in the middle.
        let read = collect(&mut json, 1, &mut names);
        // A line of another format may begin with a bracket.
        let is_foreign = match read {
            Ok(()) => !json.is_at_end(),
            Err(stop) => !stop.is_end,
        };
        if names.is_empty() && is_foreign {
            return (None, names);
        }
    }
    (root, names)
}

/// Collects names of members down to [`DEPTH`].
fn collect(json: &mut Json<'_>, depth: usize, names: &mut Vec<(usize, String)>) -> Step<()> {
    match json.kind()? {
        Kind::Object if depth <= DEPTH && names.len() < NAMES => {
            json.object(|json, name| {
                names.push((depth, crate::reading::json::shorten(name)));
                collect(json, depth + 1, names)
            })?;
        }
        Kind::Array if depth <= DEPTH && names.len() < NAMES => {
            json.array(|json| collect(json, depth + 1, names))?;
        }
        _ => json.skip()?,
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(text: &[u8]) -> Head {
        Head::of(&mut Input::new("file", Box::new(text), Limits::default()))
    }

    #[test]
    fn names_are_found_with_their_depth_even_if_the_text_is_cut() {
        let head = head(br#"[{"a": {"b": [1, {"c": 2}]}, "d": "x"}, {"e": "#);
        assert!(
            head.is_array() && head.has(2, "a") && head.has(3, "b") && head.has(5, "c") && head.has(2, "d")
        );
        assert!(head.has(2, "e") && !head.has(1, "a"));
    }

    #[test]
    fn assigned_json_is_json() {
        assert!(head(b"window.BENCHMARK_DATA = {\"entries\": 1}").has(1, "entries"));
    }

    #[test]
    fn descriptions_help() {
        let check = |text: &[u8], expected: &str| {
            let found = head(text).describe();
            assert!(found.contains(expected), "{found}");
        };
        check(b"{\"foo\": 1, \"bar\": 2}", "a JSON object with `foo`, `bar`");
        check(b"[1, 2]", "a JSON array with nothing in it");
        check(b"\n  hello there\nsecond", "begins with `hello there`");
        check(b"PK\x03\x04....", "a ZIP archive");
        check(b"\x00\x01\x02\x03", "binary data");
    }
}
