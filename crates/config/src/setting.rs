//! All settings by name.

use crate::Layer;
use crate::nearest::nearest;
use crate::problem::{Remark, Remarks};
use crate::value::{Entry, Value};
use crate::{
    decision, definitions, duets, files, harness_arguments, lambda, levels, output, schedule, selection,
    slurm, thresholds, trial,
};

/// Maximum number of unknown keys of a file that are reported.
const MOST_ERRORS: usize = 20;

/// One setting: its name in file, environment and command line, and the function that puts its value into a
/// layer.
pub(crate) struct Setting {
    pub(crate) key: &'static str,
    pub(crate) apply: fn(&mut Layer, &Value, &mut Remarks),
}

/// The groups in the order of the default file.
const GROUPS: [&[Setting]; 12] = [
    thresholds::SETTINGS,
    duets::SETTINGS,
    trial::SETTINGS,
    schedule::SETTINGS,
    decision::SETTINGS,
    selection::SETTINGS,
    output::SETTINGS,
    files::SETTINGS,
    levels::SETTINGS,
    lambda::SETTINGS,
    slurm::SETTINGS,
    definitions::SETTINGS,
];

/// The names of all settings, in the order of the default file.
pub fn keys() -> Vec<String> {
    let plain = GROUPS.into_iter().flatten().map(|setting| setting.key.to_owned());
    plain.chain(harness_arguments::keys()).collect()
}

/// The environment variable of a setting: `BENCHWRIGHT_MIN_DUETS` for `min-duets`, `BENCHWRIGHT_GO_ARGS` for
/// `go.args`.
pub fn variable_name(key: &str) -> String {
    format!("{PREFIX}{}", key.replace(['-', '.'], "_").to_uppercase())
}

/// The prefix of the names of all benchwright variables.
pub(crate) const PREFIX: &str = "BENCHWRIGHT_";

/// Puts the value of the setting called `key` into a layer. Returns false if there is no such setting.
pub(crate) fn apply(layer: &mut Layer, key: &str, value: &Value, remarks: &mut Remarks) -> bool {
    match GROUPS.into_iter().flatten().find(|setting| setting.key == key) {
        Some(setting) => {
            (setting.apply)(layer, value, remarks);
            true
        }
        None => harness_arguments::apply(layer, key, value, remarks),
    }
}

/// Puts the entries of the file's top level into a layer. The keys of a table such as `[go]` are settings of
/// their own, `go.args`.
///
/// Only the first unknown keys are reported: a file with many of them is not a configuration file, and
/// searching for similar names takes time.
pub(crate) fn apply_all(layer: &mut Layer, entries: &[Entry], remarks: &mut Remarks) {
    for entry in entries {
        if apply(layer, &entry.key, &entry.value, remarks) {
            continue;
        }
        let keys = keys();
        if keys.iter().any(|key| key.split_once('.').is_some_and(|(table, _)| table == entry.key)) {
            let inner = remarks.keep(entry.value.table(&format!("a table `[{}]`", entry.key)));
            let dotted =
                |inner: &Entry| Entry { key: format!("{}.{}", entry.key, inner.key), ..inner.clone() };
            let inner: Vec<Entry> = inner.unwrap_or_default().iter().map(dotted).collect();
            apply_all(layer, &inner, remarks);
        } else if remarks.errors.len() < MOST_ERRORS {
            remarks.errors.push(unknown(entry, keys.iter().map(String::as_str)));
        }
    }
}

/// The error about a key that is not in `known`.
pub(crate) fn unknown<'a>(entry: &Entry, known: impl IntoIterator<Item = &'a str>) -> Remark {
    let remark = Remark::new(entry.key_span.clone(), format!("unknown setting `{}`", entry.key));
    match nearest(&entry.key, known) {
        Some(name) => remark.hint(format!("did you mean `{name}`?")),
        None => remark,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_there_once_and_is_lowercase_with_hyphens() {
        let mut all = keys();
        for key in &all {
            assert!(key.chars().all(|c| c.is_ascii_lowercase() || c == '-' || c == '.'), "{key}");
        }
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }
}
