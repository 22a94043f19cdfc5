//! All settings together.

use std::collections::BTreeMap;

use benchwright_harness::Definitions;

use crate::{
    Colour, DecisionSettings, DuetSettings, FileSettings, HarnessArguments, LambdaSettings, Layer, Levels,
    ScheduleSettings, SelectionSettings, SlurmSettings, ThresholdTable, TrialSettings,
};

/// The commented default file, as written by `benchwright init`. Reading it gives the defaults. Each harness
/// has a table with its own explanations.
pub fn default_file() -> String {
    const FILE: &str = include_str!("default.toml");
    /// The comment before the tables, and the comment after them.
    const AFTER: &str = "# Thresholds of some benchmarks";
    let at = FILE.find(AFTER).unwrap_or(FILE.len());
    let mut text = FILE[..at].to_owned();
    for harness in benchwright_harness::all() {
        // Benchmarks that are defined in the configuration have their arguments there.
        if FILE.contains(&format!("[[{}]]", harness.name())) {
            continue;
        }
        text += &comment(harness.arguments_help());
        text += &format!("[{}]\nbuild-args = []\nargs = []\n\n", harness.name());
    }
    text + &FILE[at..]
}

/// Formats text as lines of a comment.
fn comment(words: &str) -> String {
    /// Characters of a line.
    const WIDTH: usize = 100;
    let mut lines = vec!["#".to_owned()];
    for word in words.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + word.chars().count() < WIDTH => *line += &format!(" {word}"),
            _ => lines.push(format!("# {word}")),
        }
    }
    if words.is_empty() { String::new() } else { lines.join("\n") + "\n" }
}

/// The file of a new project: the settings that are changed most often, and the others of [`default_file`]
/// commented out. No setting occurs twice, so that any line can be uncommented.
pub fn initial_file() -> String {
    let mut text = INITIAL.to_owned();
    let given: Vec<&str> = INITIAL.lines().filter_map(key).collect();
    let mut words = String::new();
    for line in default_file().lines().skip_while(|line| line.starts_with('#')) {
        if key(line).is_some_and(|key| given.contains(&key)) {
            words.clear();
            continue;
        }
        let is_plain = line.is_empty() || line.starts_with('#');
        words += &format!("{}{line}\n", if is_plain { "" } else { "# " });
        if line.is_empty() || key(line).is_some() {
            text += &std::mem::take(&mut words);
        }
    }
    text + &words
}

/// The setting of a line, commented out or not.
fn key(line: &str) -> Option<&str> {
    let (key, _) = line.strip_prefix("# ").unwrap_or(line).split_once(" = ")?;
    let is_name = key.chars().all(|c| c.is_ascii_lowercase() || c == '-');
    is_name.then_some(key)
}

/// The settings that are changed most often.
const INITIAL: &str = "\
# Settings of benchwright. Without this file everything has its default.

# Smallest change that counts as slower or faster.
threshold = \"3%\"
# Verdicts that make `benchwright compare` fail: \"slower\", \"undecided\"; \"never\": none.
fail-on = [\"slower\"]
# Time for measuring.
# budget = \"10m\"

# Everything else, commented out: each setting with its default, or with an example where it has none.
";

/// Every setting with a value.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Settings {
    /// The smallest changes that count.
    pub thresholds: ThresholdTable,
    /// The number of duets of a benchmark.
    pub duets: DuetSettings,
    /// Shape and limits of a trial.
    pub trial: TrialSettings,
    /// Order, budget and cores.
    pub schedule: ScheduleSettings,
    /// The decision rule, and what makes the command fail.
    pub decision: DecisionSettings,
    /// Which benchmarks are measured.
    pub selection: SelectionSettings,
    /// When the output has colours.
    pub colour: Colour,
    /// The limits on reading a file of results.
    pub files: FileSettings,
    /// The full configuration of a run of one version.
    pub levels: Levels,
    /// The settings of AWS Lambda.
    pub lambda: LambdaSettings,
    /// The settings of a Slurm cluster.
    pub slurm: SlurmSettings,
    /// Extra arguments by harness. Harnesses without any are absent.
    pub harnesses: BTreeMap<String, HarnessArguments>,
    /// Commands and shims. Their directories are relative to that of the file.
    pub definitions: Definitions,
}

/// Values that are valid by themselves but not together.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ConflictError {
    /// The floor is above the cap.
    #[error("use `min-duets` {min}, which is above `max-duets` {max}")]
    Duets {
        /// The floor.
        min: u32,
        /// The cap.
        max: u32,
    },
    /// The hard threshold is below the soft one.
    #[error("use `fail-threshold` {hard}, which is below `threshold` {soft}")]
    Thresholds {
        /// The soft threshold.
        soft: f64,
        /// The hard threshold.
        hard: f64,
    },
    /// The rule needs the injected slowdown, which is missing.
    #[error("use the rule `{rule}` without `injected`")]
    Injected {
        /// The rule.
        rule: &'static str,
    },
}

impl Settings {
    /// The settings without any configuration.
    pub fn defaults() -> Settings {
        Settings::default()
    }

    /// A layer over the defaults.
    pub fn resolve(layer: Layer) -> Result<Settings, ConflictError> {
        let settings = Settings {
            thresholds: layer.thresholds.resolve(),
            duets: layer.duets.resolve(),
            trial: layer.trial.resolve(),
            schedule: layer.schedule.resolve(),
            decision: layer.decision.resolve(),
            selection: layer.selection.resolve(),
            colour: layer.output.resolve(),
            files: layer.files,
            levels: layer.levels.resolve(),
            lambda: layer.lambda.resolve(),
            slurm: layer.slurm.resolve(),
            definitions: layer.definitions.resolve(),
            harnesses: layer
                .harnesses
                .into_iter()
                .map(|(name, arguments)| (name, arguments.resolve()))
                .filter(|(_, arguments)| *arguments != HarnessArguments::default())
                .collect(),
        };
        settings.check()?;
        Ok(settings)
    }

    fn check(&self) -> Result<(), ConflictError> {
        let (min, max) = (self.duets.min, self.duets.max);
        let (soft, hard) = (self.thresholds.general.soft, self.thresholds.general.hard);
        if min > max {
            return Err(ConflictError::Duets { min, max });
        }
        if hard < soft {
            return Err(ConflictError::Thresholds { soft, hard });
        }
        if self.decision.rule.needs_injected && self.decision.injected.is_none() {
            return Err(ConflictError::Injected { rule: self.decision.rule.name });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{keys, read_text};

    #[test]
    fn the_default_file_gives_exactly_the_defaults() {
        let layer = read_text("default.toml", &default_file()).expect("the default file is right");
        assert_eq!(Settings::resolve(layer).expect("fits together"), Settings::defaults());
    }

    #[test]
    fn the_initial_file_gives_exactly_the_defaults_in_few_lines() {
        let text = initial_file();
        let layer = read_text("benchwright.toml", &text).expect("the initial file is right");
        assert_eq!(Settings::resolve(layer).expect("fits together"), Settings::defaults());
        let active: Vec<&str> =
            text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
        assert_eq!(active, ["threshold = \"3%\"", "fail-on = [\"slower\"]"]);
    }

    /// Examples are commented out as `# key = value`, prose as `# Text.`.
    fn uncommented(file: &str) -> String {
        let is_example = |line: &str| {
            line.starts_with('[') && line.ends_with(']')
                || line.split_once(" = ").is_some_and(|(key, _)| !key.contains(' '))
        };
        let lines = file.lines().map(|line| match line.strip_prefix("# ") {
            Some(rest) if is_example(rest) => rest,
            _ => line,
        });
        lines.map(|line| format!("{line}\n")).collect()
    }

    #[test]
    fn every_line_of_the_initial_file_can_be_uncommented() {
        let text = uncommented(&initial_file());
        let layer = read_text("benchwright.toml", &text).expect("no setting is there twice");
        let all = read_text("default.toml", &uncommented(&default_file())).expect("the examples are right");
        let budget = "budget = \"10m\"\n".to_owned();
        assert_eq!(layer, read_text("budget", &budget).expect("a budget").over(all), "nothing is left out");
    }

    #[test]
    fn the_examples_in_the_default_file_are_right_and_change_something() {
        let layer = read_text("default.toml", &uncommented(&default_file())).expect("the examples are right");
        assert_ne!(Settings::resolve(layer).expect("fits together"), Settings::defaults());
    }

    #[test]
    fn the_default_file_shows_every_setting() {
        let text = uncommented(&default_file());
        for key in keys() {
            let name = key.rsplit('.').next().expect("a split has a last part");
            let is_shown = text.lines().any(|line| {
                line.starts_with(&format!("{name} = "))
                    || line == format!("[{name}]")
                    || line == format!("[[{name}]]")
            });
            assert!(is_shown, "{key}");
        }
        for harness in benchwright_harness::names() {
            let is_shown = [format!("\n[{harness}]\n"), format!("\n[[{harness}]]\n")];
            assert!(is_shown.iter().any(|table| text.contains(table)), "a table of {harness}");
        }
    }

    #[test]
    fn values_that_do_not_fit_together_are_refused() {
        let check = |text: &str, expected: &str| {
            let layer = read_text("f", text).expect("each value is right");
            assert_eq!(Settings::resolve(layer).expect_err("a conflict").to_string(), expected);
        };
        check("min-duets = 9\nmax-duets = 8", "use `min-duets` 9, which is above `max-duets` 8");
        check(
            "threshold = 0.1\nfail-threshold = 0.05",
            "use `fail-threshold` 0.05, which is below `threshold` 0.1",
        );
        check("rule = \"wilcoxon-half\"", "use the rule `wilcoxon-half` without `injected`");
    }

    #[test]
    fn the_guide_shows_the_default_file_and_every_variable() {
        let guide = include_str!("../../../docs/guide/configuration.md");
        assert!(
            guide.contains(&format!("```toml\n{}```\n", default_file())),
            "copy the default file into the guide"
        );
        // Tables occur in the file only.
        let is_plain = |key: &&String| !["thresholds", "command", "shim"].contains(&key.as_str());
        for key in keys().iter().filter(is_plain) {
            let harness = benchwright_harness::names().find(|name| key.starts_with(&format!("{name}.")));
            let key = harness.map_or(key.clone(), |name| key.replacen(name, "HARNESS", 1));
            let row = format!("| `{key}` | `{}` |", crate::variable_name(&key));
            assert!(guide.contains(&row), "{row}");
        }
    }
}
