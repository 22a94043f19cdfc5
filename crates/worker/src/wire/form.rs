//! How single values are written where the plain way loses something, and the version around everything.

use std::time::Duration;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::WireError;

/// The format of parcels and deliveries. A change that the other end would misunderstand gets a new number.
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

/// Durations as whole nanoseconds; longer than 584 years is cut.
pub(super) mod nanoseconds {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
        u64::deserialize(deserializer).map(Duration::from_nanos)
    }
}

/// A float as the shortest decimal text that reads back as the same double: JSON has neither infinities nor NaN.
pub(super) mod exact {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&format!("{value:?}"))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

/// Many such floats in one text, separated by spaces.
pub(super) mod exact_list {
    use std::fmt::Write;

    use super::*;

    pub(crate) fn serialize<S: Serializer>(values: &[f64], serializer: S) -> Result<S::Ok, S::Error> {
        let mut text = String::with_capacity(values.len() * 12);
        for (index, value) in values.iter().enumerate() {
            let gap = if index > 0 { " " } else { "" };
            write!(text, "{gap}{value:?}").expect("writing to a string does not fail");
        }
        serializer.serialize_str(&text)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<f64>, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.split_ascii_whitespace().map(str::parse).collect::<Result<_, _>>().map_err(D::Error::custom)
    }
}
