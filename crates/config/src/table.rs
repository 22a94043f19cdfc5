//! Reads one table of a file, key by key.

use std::ops::Range;

use crate::problem::{Remark, Remarks};
use crate::setting::unknown;
use crate::value::{Entry, Value};

/// A table with its position.
pub(crate) struct Table<'a> {
    pub(crate) value: &'a Value,
    pub(crate) entries: &'a [Entry],
}

impl<'a> Table<'a> {
    /// The value as a table, described as `what`.
    pub(crate) fn of(value: &'a Value, what: &str, remarks: &mut Remarks) -> Option<Table<'a>> {
        let entries = remarks.keep(value.table(what))?;
        Some(Table { value, entries })
    }

    pub(crate) fn get(&self, key: &str) -> Option<&'a Value> {
        self.entries.iter().find(|entry| entry.key == key).map(|entry| &entry.value)
    }

    /// The position of a key's value, or of the table's beginning if the key is missing.
    pub(crate) fn place(&self, key: &str) -> Range<usize> {
        let first = self.entries.first().map(|entry| entry.key_span.clone());
        self.get(key).map_or_else(|| first.unwrap_or(self.value.span.clone()), |value| value.span.clone())
    }

    /// Adds errors for keys that are not in `known`, because a typing error in a setting would silently
    /// change the measurement.
    pub(crate) fn refuse_unknown(&self, known: &[&str], remarks: &mut Remarks) {
        remarks.errors.extend(self.unknown(known));
    }

    /// Adds warnings for keys that are not in `known`, because files that benchwright writes may come from a
    /// newer version.
    pub(crate) fn warn_of_unknown(&self, known: &[&str], remarks: &mut Remarks) {
        let ignored = |remark: Remark| Remark { message: remark.message + " is ignored", ..remark };
        remarks.warnings.extend(self.unknown(known).map(ignored));
    }

    fn unknown(&self, known: &[&str]) -> impl Iterator<Item = Remark> {
        let is_unknown = |entry: &&Entry| !known.contains(&entry.key.as_str());
        self.entries.iter().filter(is_unknown).map(|entry| unknown(entry, known.iter().copied()))
    }

    /// A value that is required.
    pub(crate) fn needed(&self, key: &str, remarks: &mut Remarks) -> Option<&'a Value> {
        let value = self.get(key);
        if value.is_none() {
            remarks.errors.push(Remark::new(self.place(key), format!("missing `{key}`")));
        }
        value
    }

    pub(crate) fn text(&self, key: &str, remarks: &mut Remarks) -> Option<String> {
        remarks.keep(self.get(key)?.text("a text in quotes"))
    }

    /// A text that is required.
    pub(crate) fn required(&self, key: &str, remarks: &mut Remarks) -> Option<String> {
        let value = self.needed(key, remarks)?;
        remarks.keep(value.text("a text in quotes"))
    }

    pub(crate) fn count(&self, key: &str, least: i64, remarks: &mut Remarks) -> Option<u32> {
        let what = format!("a whole number from {least} to 100000");
        remarks.keep(self.get(key)?.count(&what, least..=100_000))
    }
}
