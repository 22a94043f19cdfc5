//! One record as one line: eight hexadecimal digits of checksum, a space, JSON.

use benchwright_model::{BenchmarkId, Diagnostic, Instance, Run, Trial};
use serde::{Deserialize, Serialize};

use super::JournalHeader;
use crate::checksum::Checksum;
use crate::text::json;

/// The format that is written. Readers refuse a higher one.
///
/// 1: trials and notes. 2: also instances.
pub(super) const FORMAT: u32 = 2;

/// The part of the first record that all formats have.
#[derive(Deserialize)]
pub(super) struct Format {
    pub(super) format: u32,
    pub(super) written_by: String,
}

/// The first record of this format.
#[derive(Serialize, Deserialize)]
pub(super) struct FirstRecord {
    format: u32,
    written_by: String,
    run: Run,
    benchmarks: Vec<BenchmarkId>,
    options: std::collections::BTreeMap<String, String>,
}

impl FirstRecord {
    /// The header as JSON.
    pub(super) fn text(header: &JournalHeader) -> String {
        let record = FirstRecord {
            format: FORMAT,
            written_by: header.run.tool_version.clone(),
            run: header.run.clone(),
            benchmarks: header.benchmarks.clone(),
            options: header.options.clone(),
        };
        json(&record)
    }

    /// The header of such JSON.
    pub(super) fn header(json: &[u8]) -> Result<JournalHeader, serde_json::Error> {
        let record: FirstRecord = serde_json::from_slice(json)?;
        Ok(JournalHeader { run: record.run, benchmarks: record.benchmarks, options: record.options })
    }
}

/// Any record except the first. For writing, it borrows its content.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Record<TrialType = Trial, NoteType = Diagnostic, InstanceType = Instance> {
    Trial(TrialType),
    Note(NoteType),
    Instance(InstanceType),
}

impl Record {
    /// A trial as JSON.
    pub(super) fn trial_text(trial: &Trial) -> String {
        json::<Record<_, (), ()>>(&Record::Trial(trial))
    }

    /// A note as JSON.
    pub(super) fn note_text(note: &Diagnostic) -> String {
        json::<Record<(), _, ()>>(&Record::Note(note))
    }

    /// An instance as JSON.
    pub(super) fn instance_text(instance: &Instance) -> String {
        json::<Record<(), (), _>>(&Record::Instance(instance))
    }
}

/// The line of a record, including the newline. JSON escapes newlines, so there is no other one.
pub(super) fn line(json: &str) -> Vec<u8> {
    format!("{:08x} {json}\n", crc32(json.as_bytes())).into_bytes()
}

/// The JSON of a line without its newline, if the checksum is correct.
pub(super) fn unframe(line: &[u8]) -> Option<&[u8]> {
    let (digits, rest) = line.split_at_checked(8)?;
    let json = rest.strip_prefix(b" ")?;
    let expected = u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    (crc32(json) == expected).then_some(json)
}

fn crc32(bytes: &[u8]) -> u32 {
    Checksum::new().bytes(bytes).value()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_written_as_earlier_versions_wrote_them() {
        let golden = benchwright_testkit::fixture("kept/format-2.journal");
        let mut lines = golden.lines().map(|line| unframe(line.as_bytes()).expect("a good checksum"));
        let first = lines.next().expect("a header");
        assert_eq!(FirstRecord::text(&FirstRecord::header(first).unwrap()).as_bytes(), first);
        let mut trials = 0;
        for line in lines {
            let record: Record = serde_json::from_slice(line).unwrap();
            let Record::Trial(trial) = record else { panic!("no trial") };
            assert_eq!(Record::trial_text(&trial).as_bytes(), line);
            trials += 1;
        }
        assert_eq!(trials, 2);
    }

    #[test]
    fn damaged_lines_are_recognised() {
        let good = line("{\"a\":1}");
        let text = good.strip_suffix(b"\n").unwrap();
        assert_eq!(unframe(text), Some(&b"{\"a\":1}"[..]));
        for index in 0..text.len() {
            let mut bad = text.to_vec();
            bad[index] ^= 1;
            assert_eq!(unframe(&bad), None, "byte {index}");
            assert_eq!(unframe(&text[..index]), None, "cut at {index}");
        }
    }
}
