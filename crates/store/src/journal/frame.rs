//! One record as one line: eight hexadecimal digits of checksum, a space, JSON.

use benchwright_model::{BenchmarkId, Diagnostic, Instance, Run, Trial};
use serde::{Deserialize, Serialize};

use super::JournalHeader;
use crate::checksum::Checksum;
use crate::wire::{Got, Put, list};

/// The format written here. A reader refuses a higher one.
///
/// 1: trials and notes. 2: also instances.
pub(super) const FORMAT: u32 = 2;

/// What every format's first record says, whatever else it holds.
#[derive(Deserialize)]
pub(super) struct Format {
    pub(super) format: u32,
    pub(super) written_by: String,
}

/// The first record of this format.
#[derive(Serialize, Deserialize)]
#[serde(bound(serialize = "RunType: Serialize", deserialize = "RunType: Deserialize<'de>"))]
pub(super) struct FirstRecord<RunType> {
    format: u32,
    written_by: String,
    run: RunType,
    #[serde(with = "list")]
    benchmarks: Vec<BenchmarkId>,
    options: std::collections::BTreeMap<String, String>,
}

impl FirstRecord<()> {
    /// The header as JSON.
    pub(super) fn text(header: &JournalHeader) -> String {
        let record = FirstRecord {
            format: FORMAT,
            written_by: header.run.tool_version.clone(),
            run: Put(&header.run),
            benchmarks: header.benchmarks.clone(),
            options: header.options.clone(),
        };
        serde_json::to_string(&record).expect("wire types have only text keys")
    }

    /// The header of such JSON.
    pub(super) fn header(json: &[u8]) -> Result<JournalHeader, serde_json::Error> {
        let record: FirstRecord<Got<Run>> = serde_json::from_slice(json)?;
        Ok(JournalHeader { run: record.run.0, benchmarks: record.benchmarks, options: record.options })
    }
}

/// Any record but the first.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[serde(bound(
    serialize = "TrialType: Serialize, NoteType: Serialize, InstanceType: Serialize",
    deserialize = "TrialType: Deserialize<'de>, NoteType: Deserialize<'de>, InstanceType: Deserialize<'de>"
))]
pub(super) enum Record<TrialType = Got<Trial>, NoteType = Got<Diagnostic>, InstanceType = Got<Instance>> {
    Trial(TrialType),
    Note(NoteType),
    Instance(InstanceType),
}

impl Record {
    /// A trial as JSON.
    pub(super) fn trial_text(trial: &Trial) -> String {
        let record: Record<_, (), ()> = Record::Trial(Put(trial));
        serde_json::to_string(&record).expect("wire types have only text keys")
    }

    /// A note as JSON.
    pub(super) fn note_text(note: &Diagnostic) -> String {
        let record: Record<(), _, ()> = Record::Note(Put(note));
        serde_json::to_string(&record).expect("wire types have only text keys")
    }

    /// An instance as JSON.
    pub(super) fn instance_text(instance: &Instance) -> String {
        let record: Record<(), (), _> = Record::Instance(Put(instance));
        serde_json::to_string(&record).expect("wire types have only text keys")
    }
}

/// The line of a record, newline included. JSON escapes newlines, so there is no other.
pub(super) fn line(json: &str) -> Vec<u8> {
    format!("{:08x} {json}\n", crc32(json.as_bytes())).into_bytes()
}

/// The JSON of a line without its newline, if the checksum agrees.
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
