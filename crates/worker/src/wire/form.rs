//! The version around everything.

use serde::{Deserialize, Serialize};

use super::WireError;

/// The format of requests and responses. A change that the other end would misunderstand gets a new number.
pub(super) const VERSION: u32 = 1;

/// What every format says first.
#[derive(Deserialize)]
struct Head {
    version: u32,
}

/// The bytes of something that has a `version` field.
pub(super) fn write<T: Serialize>(what: &'static str, form: &T) -> Result<Vec<u8>, WireError> {
    serde_json::to_vec(form).map_err(|source| WireError::Unwritable { what, source })
}

/// What such bytes say; another version is refused before anything else is looked at.
pub(super) fn read<'de, T: Deserialize<'de>>(what: &'static str, bytes: &'de [u8]) -> Result<T, WireError> {
    let unreadable = |source| WireError::Unreadable { what, source };
    let head: Head = serde_json::from_slice(bytes).map_err(unreadable)?;
    if head.version != VERSION {
        return Err(WireError::Version { what, found: head.version, known: VERSION });
    }
    serde_json::from_slice(bytes).map_err(unreadable)
}
