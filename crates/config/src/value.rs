//! One value with its position, and the types of values in settings.

use std::fmt::Display;
use std::ops::{Range, RangeBounds};
use std::time::Duration;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::problem::Remark;
use crate::{parse_duration, parse_ratio, parse_size};

/// A value as written, with its position.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Value {
    pub(crate) span: Range<usize>,
    pub(crate) raw: Raw,
}

/// The written value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Raw {
    /// The text of a flag or variable, which has no type: `5` may be a number, and `a,b` a list.
    Word(String),
    Text(String),
    Integer(i64),
    Float(f64),
    Boolean(bool),
    List(Vec<Value>),
    Table(Vec<Entry>),
    /// A kind that no setting takes, by its name.
    Other(&'static str),
}

/// A key of a table with its value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) key_span: Range<usize>,
    pub(crate) value: Value,
}

impl Value {
    /// The text of a flag or variable.
    pub(crate) fn word(text: &str) -> Self {
        Value { span: 0..text.len(), raw: Raw::Word(text.into()) }
    }

    fn new(value: &Spanned<DeValue<'_>>) -> Self {
        let raw = match value.get_ref() {
            DeValue::String(text) => Raw::Text(text.to_string()),
            DeValue::Integer(digits) => match i64::from_str_radix(digits.as_str(), digits.radix()) {
                Ok(number) => Raw::Integer(number),
                Err(_) => Raw::Other("a number that is too large"),
            },
            DeValue::Float(digits) => match digits.as_str().parse() {
                Ok(number) => Raw::Float(number),
                Err(_) => Raw::Other("an invalid number"),
            },
            DeValue::Boolean(value) => Raw::Boolean(*value),
            DeValue::Datetime(_) => Raw::Other("a date"),
            DeValue::Array(values) => Raw::List(values.iter().map(Value::new).collect()),
            DeValue::Table(table) => Raw::Table(entries(table)),
        };
        Value { span: value.span(), raw }
    }

    /// A whole number in `range`. `what` describes it in errors.
    pub(crate) fn whole(&self, what: &str, range: impl RangeBounds<i64>) -> Result<i64, Remark> {
        let number = match &self.raw {
            Raw::Integer(number) => Some(*number),
            Raw::Word(text) => text.trim().parse().ok(),
            _ => None,
        };
        number.filter(|number| range.contains(number)).ok_or_else(|| self.expected(what))
    }

    /// A whole number of the type `T`, which can represent all numbers in `range`.
    pub(crate) fn count<T: TryFrom<i64>>(
        &self,
        what: &str,
        range: impl RangeBounds<i64>,
    ) -> Result<T, Remark> {
        T::try_from(self.whole(what, range)?).map_err(|_| self.expected(what))
    }

    /// A share in `range`, as `"3%"` or `0.03`.
    pub(crate) fn ratio(&self, what: &str, range: impl RangeBounds<f64>) -> Result<f64, Remark> {
        let ratio = match &self.raw {
            Raw::Float(number) => *number,
            Raw::Integer(number) => *number as f64,
            Raw::Text(text) | Raw::Word(text) => {
                parse_ratio(text).map_err(|message| Remark::new(self.span.clone(), message))?
            }
            _ => return Err(self.expected(what)),
        };
        if range.contains(&ratio) { Ok(ratio) } else { Err(self.expected(what)) }
    }

    /// A duration in `range`, as text with a unit.
    pub(crate) fn duration(&self, what: &str, range: impl RangeBounds<Duration>) -> Result<Duration, Remark> {
        let Some(text) = self.as_text() else {
            return Err(self.expected(what).hint("write it with a unit and in quotes: \"90s\", \"5m\""));
        };
        let duration = parse_duration(text).map_err(|message| Remark::new(self.span.clone(), message))?;
        if range.contains(&duration) { Ok(duration) } else { Err(self.expected(what)) }
    }

    /// A number of bytes, at least 1: a whole number, or text with a unit.
    pub(crate) fn size(&self, what: &str) -> Result<u64, Remark> {
        let size = match &self.raw {
            Raw::Integer(number) => u64::try_from(*number).map_err(|_| self.expected(what))?,
            Raw::Text(text) | Raw::Word(text) => {
                parse_size(text).map_err(|message| Remark::new(self.span.clone(), message))?
            }
            _ => return Err(self.expected(what)),
        };
        if size > 0 { Ok(size) } else { Err(self.expected(what)) }
    }

    /// Any text.
    pub(crate) fn text(&self, what: &str) -> Result<String, Remark> {
        self.as_text().map(str::to_string).ok_or_else(|| self.expected(what))
    }

    /// Yes or no.
    pub(crate) fn flag(&self) -> Result<bool, Remark> {
        match self.raw {
            Raw::Boolean(value) => Ok(value),
            _ => Err(self.expected("`true` or `false`")),
        }
    }

    /// One of the given words.
    pub(crate) fn choice<T: Copy>(&self, choices: &[(&str, T)]) -> Result<T, Remark> {
        let names: Vec<String> = choices.iter().map(|(name, _)| format!("`{name}`")).collect();
        let refused = || self.expected(&format!("one of {}", names.join(", ")));
        let text = self.as_text().ok_or_else(refused)?;
        let chosen = choices.iter().find(|(name, _)| *name == text.trim());
        chosen.map(|(_, choice)| *choice).ok_or_else(refused)
    }

    /// A list. The parts of a text are separated by `separators`.
    pub(crate) fn list(&self, what: &str, separators: &[char]) -> Result<Vec<Value>, Remark> {
        match &self.raw {
            Raw::List(values) => Ok(values.clone()),
            Raw::Word(text) => {
                let parts = text.split(separators).map(str::trim).filter(|part| !part.is_empty());
                Ok(parts.map(|part| Value { span: self.span.clone(), ..Value::word(part) }).collect())
            }
            _ => Err(self.expected(what)),
        }
    }

    /// The entries of a table.
    pub(crate) fn table(&self, what: &str) -> Result<&[Entry], Remark> {
        match &self.raw {
            Raw::Table(entries) => Ok(entries),
            _ => Err(self.expected(what)),
        }
    }

    /// Text from a file or a word.
    pub(crate) fn as_text(&self) -> Option<&str> {
        match &self.raw {
            Raw::Text(text) | Raw::Word(text) => Some(text),
            _ => None,
        }
    }

    /// The error that the value is not `what`.
    pub(crate) fn expected(&self, what: &str) -> Remark {
        let quoted = |value: &dyn Display| format!("`{value}`");
        let found = match &self.raw {
            Raw::Word(text) => quoted(text),
            Raw::Text(text) => quoted(&format!("{text:?}")),
            Raw::Integer(number) => quoted(number),
            Raw::Float(number) => quoted(&format!("{number:?}")),
            Raw::Boolean(value) => quoted(value),
            Raw::List(_) => "a list".into(),
            Raw::Table(_) => "a table".into(),
            Raw::Other(kind) => (*kind).into(),
        };
        Remark::new(self.span.clone(), format!("expected {what}, got {found}"))
    }
}

/// The entries of a table in the order of the text.
pub(crate) fn entries(table: &DeTable<'_>) -> Vec<Entry> {
    let mut entries: Vec<Entry> = table
        .iter()
        .map(|(key, value)| Entry {
            key: key.get_ref().to_string(),
            key_span: key.span(),
            value: Value::new(value),
        })
        .collect();
    entries.sort_by_key(|entry| entry.key_span.start);
    entries
}
