//! Reading the JSON files that Python's tools leave.

use std::borrow::Cow;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use benchwright_model::BenchmarkId;
use serde::de::DeserializeOwned;

use crate::Reading;

/// A larger file is not read: even a million values fit.
const LARGEST: u64 = 64 << 20;

/// The file a trial's results are in, in its scratch directory.
pub(super) const NAME: &str = "result.json";

/// What the file in a trial's scratch directory says of the benchmark; nothing if it is missing or empty.
pub(super) fn reading<T: DeserializeOwned>(
    scratch: &Path,
    benchmark: &BenchmarkId,
    read_results: impl FnOnce(T) -> Reading,
) -> Reading {
    match read(&scratch.join(NAME)) {
        None => Reading::default(),
        Some(Ok(results)) => read_results(results),
        Some(Err(message)) => Reading::without_values(benchmark, message),
    }
}

/// Reads the file. `None` if it is missing or empty, as after a test that was skipped; the message says where the
/// text stops making sense.
fn read<T: DeserializeOwned>(path: &Path) -> Option<Result<T, String>> {
    let file = File::open(path).ok()?;
    let mut bytes = Vec::new();
    if let Err(error) = file.take(LARGEST + 1).read_to_end(&mut bytes) {
        return Some(Err(format!("cannot read `{NAME}`: {error}")));
    }
    if bytes.is_empty() {
        return None;
    }
    if bytes.len() as u64 > LARGEST {
        return Some(Err(format!("`{NAME}` is larger than {} MiB", LARGEST >> 20)));
    }
    let text = String::from_utf8_lossy(&bytes);
    Some(
        serde_json::from_str(&standard(&text))
            .map_err(|error| format!("cannot understand `{NAME}`: {error}")),
    )
}

/// The text with `null` for the numbers that Python writes and JSON does not have: `NaN`, `Infinity`, `-Infinity`.
/// Positions stay, as far as there is room.
pub(super) fn standard(text: &str) -> Cow<'_, str> {
    if !text.contains("NaN") && !text.contains("Infinity") {
        return Cow::Borrowed(text);
    }
    let mut standard = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['"', 'N', 'I', '-']) {
        standard.push_str(&rest[..at]);
        rest = &rest[at..];
        let length = if rest.starts_with('"') { literal_length(rest) } else { 0 };
        if length > 0 {
            standard.push_str(&rest[..length]);
            rest = &rest[length..];
            continue;
        }
        match ["NaN", "-Infinity", "Infinity"].iter().find(|word| rest.starts_with(**word)) {
            Some(word) => {
                standard.push_str(&format!("{:<width$}", "null", width = word.len()));
                rest = &rest[word.len()..];
            }
            None => {
                standard.push_str(&rest[..1]);
                rest = &rest[1..];
            }
        }
    }
    standard.push_str(rest);
    Cow::Owned(standard)
}

/// The length of the string literal at the beginning of the text, both quotes included.
fn literal_length(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pythons_numbers_become_null_and_texts_stay() {
        let check = |text: &str, expected: &str| assert_eq!(standard(text), expected);
        check(r#"{"a": [NaN, -1.5, Infinity, -Infinity]}"#, r#"{"a": [null, -1.5, null    , null     ]}"#);
        check(r#"{"NaN": "a \" NaN", "b": NaN}"#, r#"{"NaN": "a \" NaN", "b": null}"#);
        check(r#"["größe", NaN"#, r#"["größe", null"#);
        check(r#"NaN "open"#, r#"null "open"#);
        check("[1]", "[1]");
    }

    #[test]
    fn a_file_that_is_missing_or_empty_is_none_and_a_broken_one_says_where() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let path = dir.path().join(NAME);
        assert!(read::<Vec<f64>>(&path).is_none());
        std::fs::write(&path, "").expect("a file");
        assert!(read::<Vec<f64>>(&path).is_none());
        std::fs::write(&path, "[1, 2").expect("a file");
        let message = read::<Vec<f64>>(&path).expect("a file").expect_err("it is cut");
        assert!(message.contains("line 1 column 5"), "{message}");
        std::fs::write(&path, b"[1, 2, \xff]").expect("a file");
        assert!(read::<Vec<f64>>(&path).expect("a file").is_err());
        let large = File::create(&path).expect("a file");
        large.set_len(LARGEST + 1).expect("a size");
        let message = read::<Vec<f64>>(&path).expect("a file").expect_err("it is too large");
        assert_eq!(message, "`result.json` is larger than 64 MiB");
    }
}
