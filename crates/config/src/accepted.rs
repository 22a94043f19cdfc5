//! `benchwright.accepted.toml`: accepted slowdowns.
//!
//! `benchwright accept` writes it, and users commit it together with the change, so that later comparisons
//! read it. An entry that the old version's own file already has no longer has an effect, because the
//! slowdown is part of that version.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use benchwright_model::{BenchmarkId, Diagnostic};
use toml::de::DeTable;

use crate::Problem;
use crate::file::Listed;
use crate::problem::{Remark, Remarks};
use crate::quoted::Quoted;
use crate::table::Table;
use crate::value::{Raw, Value, entries};

/// The name of the file, in the root of the repository.
pub const ACCEPTED_FILE_NAME: &str = "benchwright.accepted.toml";

/// The version of the file's format.
const FORMAT: i64 = 1;

/// Why the file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum AcceptedError {
    /// It cannot be read.
    #[error("read the accepted slowdowns in `{path}`")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// An error that concerns the whole file.
    #[error("use the accepted slowdowns in `{file}`\n{}", Listed(.problems))]
    Invalid {
        /// The file as it should be shown.
        file: String,
        /// The errors in it, never empty.
        problems: Vec<Problem>,
    },
}

/// All accepted slowdowns of a repository, at most one per benchmark and metric, in order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AcceptedSlowdowns {
    entries: Vec<Accepted>,
}

/// An accepted slowdown.
#[derive(Debug, Clone, PartialEq)]
pub struct Accepted {
    /// The benchmark.
    pub benchmark: BenchmarkId,
    /// The metric, by name.
    pub metric: String,
    /// The largest accepted worsening: 0.25 for a time of 1.25 times the old one, or a throughput of 1 /
    /// 1.25. `None` if there is no ratio, because the old value is zero.
    pub worsening: Option<f64>,
    /// The largest accepted value if there is no ratio, in the metric's unit.
    pub value: Option<f64>,
    /// Why.
    pub reason: String,
    /// The versions in which it was found.
    pub versions: String,
    /// The run in which it was found.
    pub run: String,
    /// When it was accepted, RFC 3339 in UTC.
    pub at: String,
}

impl AcceptedSlowdowns {
    /// The entries in order.
    pub fn entries(&self) -> &[Accepted] {
        &self.entries
    }

    /// Adds an entry in order. It replaces one for the same benchmark and metric.
    pub fn insert(&mut self, accepted: Accepted) {
        let key = |entry: &Accepted| (entry.benchmark.clone(), entry.metric.clone());
        match self.entries.binary_search_by_key(&key(&accepted), key) {
            Ok(at) => self.entries[at] = accepted,
            Err(at) => self.entries.insert(at, accepted),
        }
    }

    /// The entries that `old`, the file of the old version, does not have.
    pub fn since(&self, old: &AcceptedSlowdowns) -> Vec<Accepted> {
        self.entries.iter().filter(|entry| !old.entries.contains(entry)).cloned().collect()
    }
}

/// The slowdowns accepted in a directory. Empty if it has no such file.
pub fn read_accepted(directory: &Path) -> Result<(AcceptedSlowdowns, Vec<Diagnostic>), AcceptedError> {
    let path = directory.join(ACCEPTED_FILE_NAME);
    match std::fs::read_to_string(&path) {
        Ok(text) => read_accepted_text(ACCEPTED_FILE_NAME, &text),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Default::default()),
        Err(source) => Err(AcceptedError::Unreadable { path, source }),
    }
}

/// The same for a text. `file` is the name in messages. An invalid entry is left out and reported.
pub fn read_accepted_text(
    file: &str,
    text: &str,
) -> Result<(AcceptedSlowdowns, Vec<Diagnostic>), AcceptedError> {
    let invalid = |errors: &[Remark]| {
        let problems = errors.iter().map(|remark| Problem::new(file, text, remark)).collect();
        AcceptedError::Invalid { file: file.into(), problems }
    };
    let parsed = DeTable::parse(text).map_err(|error| {
        let span = error.span().unwrap_or(text.len()..text.len());
        invalid(&[Remark::new(span, error.message().replace('\n', ", "))])
    })?;
    let entries = entries(parsed.get_ref());
    let whole = Value { span: 0..0, raw: Raw::Table(entries.clone()) };
    let top = Table { value: &whole, entries: &entries };
    let mut remarks = Remarks::default();
    check_format(&top, &mut remarks);
    top.warn_of_unknown(&["format", "accepted"], &mut remarks);
    let list: &[Value] = match top.get("accepted").map(|value| &value.raw) {
        None => &[],
        Some(Raw::List(list)) => list,
        Some(_) => {
            let place = top.place("accepted");
            remarks.errors.push(Remark::new(place, "expected a list of tables `[[accepted]]`"));
            &[]
        }
    };
    if !remarks.errors.is_empty() {
        return Err(invalid(&remarks.errors));
    }
    let mut accepted = AcceptedSlowdowns::default();
    for item in list {
        if let Some(entry) = entry(item, &mut remarks) {
            accepted.insert(entry);
        }
    }
    // An unreadable entry accepts nothing, so the slowdown counts.
    remarks.warnings.append(&mut remarks.errors);
    remarks.warnings.sort_by_key(|remark| remark.span.start);
    let warnings = remarks.warnings.iter().map(|remark| Problem::new(file, text, remark).warning());
    Ok((accepted, warnings.collect()))
}

fn check_format(top: &Table<'_>, remarks: &mut Remarks) {
    let Some(value) = top.needed("format", remarks) else { return };
    let checked = value.whole("the number 1", FORMAT..=FORMAT);
    let newer = "install a newer benchwright: this one supports format 1";
    remarks.keep(checked.map_err(|remark| remark.hint(newer)));
}

fn entry(item: &Value, remarks: &mut Remarks) -> Option<Accepted> {
    let noted = remarks.errors.len();
    let table = Table::of(item, "a table `[[accepted]]`", remarks)?;
    table.warn_of_unknown(&KEYS, remarks);
    let mut text = |key: &str| table.required(key, remarks);
    let (harness, package, name) = (text("harness"), text("package"), text("name"));
    let (metric, reason) = (text("metric"), text("reason"));
    let mut number = |key: &str| match table.get(key).map(|value| (value, &value.raw)) {
        Some((_, Raw::Float(number))) if *number >= 0.0 => Some(*number),
        Some((_, Raw::Integer(number))) if *number >= 0 => Some(*number as f64),
        Some((value, _)) => {
            remarks.errors.push(value.expected("a number from 0"));
            None
        }
        None => None,
    };
    let (worsening, value) = (number("worsening"), number("value"));
    if worsening.is_none() && value.is_none() && remarks.errors.len() == noted {
        remarks.errors.push(Remark::new(table.place("worsening"), "missing `worsening`"));
    }
    let mut optional = |key: &str| table.text(key, remarks).unwrap_or_default();
    let (versions, run, at) = (optional("versions"), optional("run"), optional("at"));
    let benchmark = BenchmarkId::new(harness?, package?, name?);
    let entry = Accepted { benchmark, metric: metric?, worsening, value, reason: reason?, versions, run, at };
    (remarks.errors.len() == noted).then_some(entry)
}

const KEYS: [&str; 10] =
    ["harness", "package", "name", "metric", "worsening", "value", "reason", "versions", "run", "at"];

const HEADING: &str = "\
# Accepted slowdowns: a comparison that finds no others and no larger ones does not fail.
# Made by `benchwright accept`; commit it together with the change. An entry that the old version's file has, too, is
# history: remove it whenever you like.
";

/// The text of the file.
impl fmt::Display for AcceptedSlowdowns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{HEADING}\nformat = {FORMAT}\n")?;
        for entry in &self.entries {
            let Accepted { benchmark, metric, reason, .. } = entry;
            writeln!(f, "\n[[accepted]]\nharness = {}", Quoted(&benchmark.harness))?;
            writeln!(f, "package = {}\nname = {}", Quoted(&benchmark.package), Quoted(&benchmark.name))?;
            writeln!(f, "metric = {}", Quoted(metric))?;
            if let Some(worsening) = entry.worsening {
                writeln!(f, "worsening = {worsening:?}")?;
            }
            if let Some(value) = entry.value {
                writeln!(f, "value = {value:?}")?;
            }
            writeln!(f, "reason = {}\nversions = {}", Quoted(reason), Quoted(&entry.versions))?;
            writeln!(f, "run = {}\nat = {}", Quoted(&entry.run), Quoted(&entry.at))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn accepted(name: &str, worsening: f64) -> Accepted {
        Accepted {
            benchmark: BenchmarkId::new("go", "p", name),
            metric: "time".into(),
            worsening: Some(worsening),
            value: None,
            reason: "checks its input now".into(),
            versions: "main → work".into(),
            run: "r1".into(),
            at: "2026-11-15T10:00:00Z".into(),
        }
    }

    fn all(entries: &[Accepted]) -> AcceptedSlowdowns {
        let mut all = AcceptedSlowdowns::default();
        entries.iter().cloned().for_each(|entry| all.insert(entry));
        all
    }

    #[test]
    fn entries_are_sorted_and_a_new_one_replaces_that_of_the_same_metric() {
        let all = all(&[accepted("Z", 0.1), accepted("A", 0.1), accepted("Z", 0.3)]);
        assert_eq!(all.entries(), [accepted("A", 0.1), accepted("Z", 0.3)]);
    }

    #[test]
    fn what_the_old_version_has_counts_no_more() {
        let now = all(&[accepted("A", 0.1), accepted("B", 0.3)]);
        assert_eq!(now.since(&all(&[accepted("A", 0.1), accepted("B", 0.2)])), [accepted("B", 0.3)]);
        assert_eq!(now.since(&AcceptedSlowdowns::default()).len(), 2);
    }

    #[test]
    fn a_wrong_entry_is_left_out_with_its_place() {
        let text = all(&[accepted("A", 0.1), accepted("B", 0.3)]).to_string();
        let check = |from: &str, to: &str, expected: &str| {
            let (found, warnings) =
                read_accepted_text("a.toml", &text.replace(from, to)).expect("the rest is fine");
            assert_eq!(found.entries().len(), 1);
            assert_eq!(warnings[0].to_string(), format!("warning: a.toml:{expected}"));
        };
        check("worsening = 0.3", "worsening = -0.3", "23:13: expected a number from 0, got `-0.3`");
        check("worsening = 0.3\n", "", "19:1: missing `worsening`");
        check("name = \"B\"", "name = 7", "21:8: expected a text in quotes, got `7`");
    }

    #[test]
    fn another_format_is_refused() {
        let error = read_accepted_text("a.toml", "format = 2\n").expect_err("a newer format").to_string();
        assert!(error.contains("a.toml:1:10: expected the number 1, got `2`"), "{error}");
        assert!(error.contains("install a newer benchwright"), "{error}");
        assert!(read_accepted_text("a.toml", "accepted = 3\nformat = 1").is_err());
        assert!(read_accepted_text("a.toml", "[[accepted").is_err());
    }

    #[test]
    fn a_directory_without_the_file_accepts_nothing() {
        let dir = tempfile::tempdir().expect("a directory");
        assert_eq!(read_accepted(dir.path()).expect("nothing").0, AcceptedSlowdowns::default());
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(
            texts in proptest::collection::vec("(?s).{0,12}", 8),
            worsening in proptest::option::of(0.0..1e9f64),
            value in 0.0..1e9f64,
        ) {
            let entry = Accepted {
                benchmark: BenchmarkId::new(&texts[0], &texts[1], &texts[2]),
                metric: texts[3].clone(),
                worsening,
                value: Some(value),
                reason: texts[4].clone(),
                versions: texts[5].clone(),
                run: texts[6].clone(),
                at: texts[7].clone(),
            };
            let one = all(&[entry]);
            let (read, warnings) = read_accepted_text("a.toml", &one.to_string()).expect("it is right");
            prop_assert_eq!(read, one);
            prop_assert_eq!(warnings, vec![]);
        }
    }
}
