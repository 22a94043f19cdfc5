//! Settings from environment variables.

use benchwright_model::Diagnostic;

use crate::nearest::nearest;
use crate::setting::{PREFIX, keys, variable_name};
use crate::{Layer, SettingError};

/// Variables of benchwright that are not settings: the directory of cached builds, the lock file of the
/// machine, and the directory of recorded measurements.
const NOT_SETTINGS: [&str; 3] = ["BENCHWRIGHT_CACHE", "BENCHWRIGHT_LOCK", "BENCHWRIGHT_DATA"];

/// A variable that has no value of its setting.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("read the environment variable `{name}`")]
pub struct EnvironmentError {
    /// The variable.
    pub name: String,
    /// The error in its value.
    pub source: SettingError,
}

/// The layer of the variables `BENCHWRIGHT_*` among `variables`. An empty variable counts as not set. An
/// unknown one causes a warning.
pub fn read_environment(
    variables: impl IntoIterator<Item = (String, String)>,
) -> Result<(Layer, Vec<Diagnostic>), EnvironmentError> {
    let mut layer = Layer::default();
    let mut warnings = Vec::new();
    for (name, value) in variables {
        if !name.starts_with(PREFIX) || NOT_SETTINGS.contains(&name.as_str()) || value.is_empty() {
            continue;
        }
        match keys().iter().find(|key| variable_name(key) == name) {
            Some(key) => layer.set(key, &value).map_err(|source| EnvironmentError { name, source })?,
            None => warnings.push(unknown(&name)),
        }
    }
    Ok((layer, warnings))
}

fn unknown(name: &str) -> Diagnostic {
    let names: Vec<String> = keys().iter().map(|key| variable_name(key)).collect();
    let known = names.iter().map(String::as_str).chain(NOT_SETTINGS);
    // With the common prefix, every name would look similar.
    let bare = |name: &str| name.strip_prefix(PREFIX).unwrap_or(name).to_string();
    let candidates: Vec<String> = known.map(bare).collect();
    let warning = Diagnostic::warning(name, "unknown environment variable is ignored");
    match nearest(&bare(name), candidates.iter().map(String::as_str)) {
        Some(meant) => warning.hint(format!("did you mean `{PREFIX}{meant}`?")),
        None => warning,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FailOn, Settings};

    fn read(pairs: &[(&str, &str)]) -> Result<(Layer, Vec<Diagnostic>), EnvironmentError> {
        read_environment(pairs.iter().map(|(name, value)| (name.to_string(), value.to_string())))
    }

    #[test]
    fn variables_set_what_their_names_say_and_others_are_left_alone() {
        let (layer, warnings) = read(&[
            ("PATH", "/bin"),
            ("BENCHWRIGHT_CACHE", "/tmp"),
            ("BENCHWRIGHT_THRESHOLD", "5%"),
            ("BENCHWRIGHT_FAIL_ON", "slower,undecided"),
            ("BENCHWRIGHT_GO_ARGS", "-cpu 1,4"),
            ("BENCHWRIGHT_OUTPUT_LIMIT", "1MiB"),
            ("BENCHWRIGHT_BUDGET", ""),
        ])
        .expect("all right");
        assert_eq!(warnings, []);
        let settings = Settings::resolve(layer).expect("fits together");
        assert_eq!(settings.thresholds.general.soft, 0.05);
        assert_eq!(settings.decision.fail_on, FailOn::Undecided);
        assert_eq!(settings.harnesses["go"].args, ["-cpu", "1,4"]);
        assert_eq!(settings.trial.output_limit_bytes, 1 << 20);
        assert_eq!(settings.schedule.budget, None);
    }

    #[test]
    fn an_unknown_variable_is_a_warning_with_the_nearest_name() {
        let (_, warnings) =
            read(&[("BENCHWRIGHT_MAX_DUET", "3"), ("BENCHWRIGHT_WEATHER", "x")]).expect("no error");
        let texts: Vec<String> = warnings.iter().map(ToString::to_string).collect();
        assert_eq!(
            texts,
            [
                "warning: BENCHWRIGHT_MAX_DUET: unknown environment variable is ignored\n  \
                 hint: did you mean `BENCHWRIGHT_MAX_DUETS`?",
                "warning: BENCHWRIGHT_WEATHER: unknown environment variable is ignored",
            ]
        );
    }

    #[test]
    fn a_wrong_value_names_the_variable_and_the_value() {
        let error = read(&[("BENCHWRIGHT_PAIRING", "both")]).expect_err("no such pairing");
        assert_eq!(error.to_string(), "read the environment variable `BENCHWRIGHT_PAIRING`");
        assert!(error.source.to_string().ends_with("expected one of `sequential`, `parallel`, got `both`"));
    }
}
