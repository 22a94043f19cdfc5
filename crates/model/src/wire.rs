//! Serialisation of single values for which the default loses information.
//!
//! JSON has no infinities and no NaN, and not every reader of it restores a double exactly. So floats are
//! written as strings: the shortest decimal text that is read as the same double, `inf`, or `nan:` with the
//! bits.

use std::fmt::{self, Write};

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serializer};

/// A float, bit for bit.
pub mod exact {
    use super::*;

    /// Writes it as text.
    pub fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&float_text(*value))
    }

    /// Reads such text.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        float_from_text(&String::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

/// Many floats in one text, separated by spaces, bit for bit.
pub mod exact_list {
    use super::*;

    /// Writes them.
    pub fn serialize<S: Serializer>(values: &[f64], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&floats_text(values))
    }

    /// Reads such text.
    pub fn deserialize<'de, D: Deserializer<'de>, T: From<Vec<f64>>>(deserializer: D) -> Result<T, D::Error> {
        floats_from_text(&String::deserialize(deserializer)?).map(T::from).map_err(D::Error::custom)
    }
}

/// Durations as whole nanoseconds. Durations longer than 292 years are cut.
pub mod nanoseconds {
    use std::time::Duration;

    use super::*;

    /// The number that is written.
    pub fn from_duration(duration: &Duration) -> i64 {
        i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX)
    }

    /// Writes it.
    pub fn serialize<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_i64(from_duration(duration))
    }

    /// Reads such a number.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
        u64::deserialize(deserializer).map(Duration::from_nanos)
    }
}

/// The text of one float.
fn float_text(value: f64) -> String {
    let mut text = String::new();
    push_float(&mut text, value);
    text
}

fn push_float(text: &mut String, value: f64) {
    let written = match value.is_nan() {
        true => write!(text, "nan:{:016x}", value.to_bits()),
        false => write!(text, "{value:?}"),
    };
    written.expect("writing to a string does not fail");
}

/// The float of a text that [`float_text`] made.
fn float_from_text(text: &str) -> Result<f64, BadNumber> {
    let value = match text.strip_prefix("nan:") {
        Some(bits) => u64::from_str_radix(bits, 16).ok().map(f64::from_bits),
        None => text.parse().ok(),
    };
    value.ok_or_else(|| BadNumber(text.to_owned()))
}

/// Many floats as one text, separated by spaces.
fn floats_text(values: &[f64]) -> String {
    let mut text = String::with_capacity(values.len() * 12);
    for (index, value) in values.iter().enumerate() {
        if index > 0 {
            text.push(' ');
        }
        push_float(&mut text, *value);
    }
    text
}

/// The floats of a text that [`floats_text`] made.
fn floats_from_text(text: &str) -> Result<Vec<f64>, BadNumber> {
    text.split_ascii_whitespace().map(float_from_text).collect()
}

/// A number that cannot be read.
#[derive(Debug)]
struct BadNumber(String);

impl fmt::Display for BadNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not a number", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bits: u64) {
        let value = f64::from_bits(bits);
        let text = float_text(value);
        assert_eq!(float_from_text(&text).unwrap().to_bits(), bits, "{text}");
        let many = [value, 1.5, value];
        let back = floats_from_text(&floats_text(&many)).unwrap();
        assert_eq!(back.into_iter().map(f64::to_bits).collect::<Vec<_>>(), many.map(f64::to_bits));
    }

    #[test]
    fn odd_floats_come_back_bit_for_bit() {
        for value in [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::MIN_POSITIVE, f64::MAX, 5e-324, 0.1] {
            check(value.to_bits());
        }
        for nan in [f64::NAN.to_bits(), 0x7ff8_0000_dead_beef, 0xfff0_0000_0000_0001] {
            check(nan);
        }
    }

    #[test]
    fn damaged_numbers_are_refused() {
        assert!(float_from_text("1.5x").is_err());
        assert!(float_from_text("nan:zz").is_err());
    }
}
