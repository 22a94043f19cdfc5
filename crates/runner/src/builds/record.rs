//! JSON files that are either complete or absent.

use std::io::{self, Write};
use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

#[derive(Serialize, Deserialize)]
struct WireRecord {
    checksum: String,
    content: Value,
}

/// Writes the file in one step, with a checksum of its content.
pub(super) fn write<T: Serialize>(path: &Path, content: &T) -> io::Result<()> {
    let content = serde_json::to_value(content)?;
    let record = WireRecord { checksum: checksum(&content), content };
    let mut temporary = tempfile::NamedTempFile::new_in(path.parent().unwrap_or(Path::new(".")))?;
    serde_json::to_writer_pretty(&mut temporary, &record)?;
    temporary.write_all(b"\n")?;
    temporary.as_file().sync_all()?;
    temporary.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Reads the file; `None` if there is none, it is damaged, or it was written by another version of the format.
pub(super) fn read<T: DeserializeOwned>(path: &Path) -> Option<T> {
    let record: WireRecord = serde_json::from_slice(&std::fs::read(path).ok()?).ok()?;
    if checksum(&record.content) != record.checksum {
        return None;
    }
    serde_json::from_value(record.content).ok()
}

fn checksum(content: &Value) -> String {
    hex::encode(Sha256::digest(content.to_string()))
}
