//! How single fields are written where the plain way loses something.

use std::marker::PhantomData;

use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Wire;

/// A borrowed model value as something serialisable.
pub(crate) struct Put<'a, T>(pub(crate) &'a T);

impl<T: Wire> Serialize for Put<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.put(serializer)
    }
}

/// A model value that was read.
pub(crate) struct Got<T>(pub(crate) T);

impl<'de, T: Wire> Deserialize<'de> for Got<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::get(deserializer).map(Got)
    }
}

/// Lists of model values.
pub(crate) mod list {
    use super::*;

    pub(crate) fn serialize<T: Wire, S: Serializer>(values: &[T], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(values.iter().map(Put))
    }

    pub(crate) fn deserialize<'de, T: Wire, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<T>, D::Error> {
        deserializer.deserialize_seq(Elements(PhantomData))
    }

    struct Elements<T>(PhantomData<T>);

    impl<'de, T: Wire> Visitor<'de> for Elements<T> {
        type Value = Vec<T>;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("a list")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Vec<T>, A::Error> {
            let mut values = Vec::new();
            while let Some(Got(value)) = access.next_element()? {
                values.push(value);
            }
            Ok(values)
        }
    }
}

/// Model values that may be missing.
pub(crate) mod maybe {
    use super::*;

    pub(crate) fn serialize<T: Wire, S: Serializer>(
        value: &Option<T>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        value.as_ref().map(Put).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, T: Wire, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<T>, D::Error> {
        Ok(Option::<Got<T>>::deserialize(deserializer)?.map(|got| got.0))
    }
}

/// A float, bit for bit.
pub(crate) mod exact {
    use serde::de::Error;

    use super::*;
    use crate::exact::{float_from_text, float_text};

    pub(crate) fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&float_text(*value))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        float_from_text(&String::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

/// Many floats, bit for bit.
pub(crate) mod exact_list {
    use serde::de::Error;

    use super::*;
    use crate::exact::{floats_from_text, floats_text};

    pub(crate) fn serialize<S: Serializer>(values: &[f64], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&floats_text(values))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<f64>, D::Error> {
        floats_from_text(&String::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

/// Durations as whole nanoseconds; longer than 292 years is cut.
pub(crate) mod nanoseconds {
    use std::time::Duration;

    use super::*;

    pub(crate) fn from_duration(duration: &Duration) -> i64 {
        i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX)
    }

    pub(crate) fn serialize<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_i64(from_duration(duration))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
        u64::deserialize(deserializer).map(Duration::from_nanos)
    }
}
