//! Stores the results of trials as JSON lines, one per result. Files are only appended to.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::Path;

use anyhow::{Context, Result};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// One benchmark in one comparison of a suite with itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct SameRecord {
    pub(crate) suite: String,
    pub(crate) benchmark: String,
    pub(crate) seed: u64,
    /// `idle` or `loaded`.
    pub(crate) load: String,
    pub(crate) verdict: String,
    /// The reason's code in the product's JSON.
    pub(crate) reason: String,
    /// The ratio of head to base and its interval, if there is one.
    pub(crate) effect: Option<f64>,
    pub(crate) lo: Option<f64>,
    pub(crate) hi: Option<f64>,
    pub(crate) duets: usize,
    /// Wall time of this benchmark's processes.
    pub(crate) seconds: f64,
    /// Wall time of the whole comparison, without builds.
    pub(crate) comparison_seconds: f64,
    /// The options for the product.
    pub(crate) options: String,
}

/// One slowed function with the product's verdict, or the reason why the function was not used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct SlowerRecord {
    pub(crate) suite: String,
    pub(crate) package: String,
    pub(crate) benchmark: String,
    /// The function's file, relative to the repository.
    pub(crate) file: String,
    pub(crate) function: String,
    /// Why there was no comparison. `found` is then `None`.
    pub(crate) dropped: Option<String>,
    pub(crate) found: Option<SlowerFound>,
}

/// The result for one slowdown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct SlowerFound {
    /// Number of rounds of the inserted loop.
    pub(crate) spins: u32,
    /// The ratio of slower to original that is caused by the loop's rounds alone.
    pub(crate) true_ratio: f64,
    /// Standard error of the logarithm of that ratio.
    pub(crate) true_error: f64,
    /// The measured ratio of these two programs, including the effects of call and layout.
    #[serde(default)]
    pub(crate) measured_ratio: Option<f64>,
    /// Standard error of the logarithm of that ratio.
    #[serde(default)]
    pub(crate) measured_error: Option<f64>,
    /// Time of one operation of the original.
    pub(crate) nanoseconds: f64,
    pub(crate) verdict: String,
    pub(crate) reason: String,
    pub(crate) effect: Option<f64>,
    pub(crate) lo: Option<f64>,
    pub(crate) hi: Option<f64>,
    pub(crate) duets: usize,
    /// Wall time of measuring, without builds.
    pub(crate) seconds: f64,
    /// Wall time of ten repetitions of both versions with prebuilt programs, as users of the harness run
    /// them.
    #[serde(alias = "go_test_seconds")]
    pub(crate) peer_seconds: f64,
    /// The verdict of a test on their values. `None` in old records, whose time is ten times that of one
    /// repetition.
    #[serde(default)]
    pub(crate) peer_verdict: Option<String>,
    pub(crate) options: String,
}

/// Reads all records of a file. Empty if there is no file. An incomplete last line, which a kill may leave,
/// is ignored.
pub(crate) fn read<Record: DeserializeOwned>(file: &Path) -> Result<Vec<Record>> {
    let text = match fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error).with_context(|| format!("read `{}`", file.display())),
    };
    parse(&text).with_context(|| format!("read `{}`", file.display()))
}

fn parse<Record: DeserializeOwned>(text: &str) -> Result<Vec<Record>> {
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    let lines = whole.lines().enumerate().filter(|(_, line)| !line.is_empty());
    lines
        .map(|(i, line)| serde_json::from_str(line).with_context(|| format!("understand line {}", i + 1)))
        .collect()
}

/// Appends all records in one write, and syncs the file before it returns.
pub(crate) fn append<Record: Serialize>(file: &Path, records: &[Record]) -> Result<()> {
    let mut text = String::new();
    for record in records {
        text.push_str(&serde_json::to_string(record).context("write a result as JSON")?);
        text.push('\n');
    }
    let write = || -> std::io::Result<()> {
        cut_remainder(file)?;
        let mut out = OpenOptions::new().create(true).append(true).open(file)?;
        out.write_all(text.as_bytes())?;
        out.sync_data()
    };
    write().with_context(|| format!("append to `{}`", file.display()))
}

/// Removes an incomplete last line.
fn cut_remainder(file: &Path) -> std::io::Result<()> {
    let bytes = match fs::read(file) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    if whole < bytes.len() {
        OpenOptions::new().write(true).open(file)?.set_len(whole as u64)?;
    }
    Ok(())
}

#[cfg(test)]
pub(crate) fn same_record(suite: &str, seed: u64, load: &str, verdict: &str) -> SameRecord {
    SameRecord {
        suite: suite.into(),
        benchmark: "p:B".into(),
        seed,
        load: load.into(),
        verdict: verdict.into(),
        reason: "within_threshold".into(),
        effect: Some(1.001),
        lo: Some(0.99),
        hi: Some(1.01),
        duets: 7,
        seconds: 3.0,
        comparison_seconds: 30.0,
        options: String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_appended_is_read_again_and_a_cut_line_is_left_out() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("same.ndjson");
        assert_eq!(read::<SameRecord>(&file).unwrap(), []);
        let (one, two) = (same_record("a", 1, "idle", "same"), same_record("b", 2, "loaded", "slower"));
        append(&file, std::slice::from_ref(&one)).unwrap();
        let mut text = fs::read_to_string(&file).unwrap();
        text.push_str("{\"suite\": \"cut");
        fs::write(&file, text).unwrap();
        assert_eq!(read::<SameRecord>(&file).unwrap(), std::slice::from_ref(&one));
        append(&file, std::slice::from_ref(&two)).unwrap();
        assert_eq!(read::<SameRecord>(&file).unwrap(), [one, two]);
    }

    #[test]
    fn a_foreign_line_is_an_error_with_its_number() {
        let error = parse::<SameRecord>("{}\n").expect_err("no record");
        assert!(format!("{error:#}").contains("line 1"), "{error:#}");
    }
}
