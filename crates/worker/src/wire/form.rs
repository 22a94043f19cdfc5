//! The version that every message contains.

use serde::{Deserialize, Serialize};

use super::WireError;

/// The version of requests and responses. It changes with every change that the other end would
/// misunderstand.
pub(super) const VERSION: u32 = 1;

/// The part that every format begins with.
#[derive(Deserialize)]
struct Head {
    version: u32,
}

/// The bytes of a message that has a `version` field.
pub(super) fn write<T: Serialize>(what: &'static str, form: &T) -> Result<Vec<u8>, WireError> {
    serde_json::to_vec(form).map_err(|source| WireError::Unwritable { what, source })
}

/// The content of such bytes. Another version is an error before anything else is read.
pub(super) fn read<'de, T: Deserialize<'de>>(what: &'static str, bytes: &'de [u8]) -> Result<T, WireError> {
    let unreadable = |source| WireError::Unreadable { what, source };
    let head: Head = serde_json::from_slice(bytes).map_err(unreadable)?;
    if head.version != VERSION {
        return Err(WireError::Version { what, found: head.version, known: VERSION });
    }
    serde_json::from_slice(bytes).map_err(unreadable)
}
