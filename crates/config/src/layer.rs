//! The settings of one source.

use std::collections::BTreeMap;

use crate::FileSettings;
use crate::decision::DecisionLayer;
use crate::definitions::DefinitionsLayer;
use crate::duets::DuetLayer;
use crate::harness_arguments::HarnessArgumentsLayer;
use crate::lambda::LambdaLayer;
use crate::levels::LevelsLayer;
use crate::output::OutputLayer;
use crate::problem::Remarks;
use crate::schedule::ScheduleLayer;
use crate::selection::SelectionLayer;
use crate::setting::{apply, keys};
use crate::slurm::SlurmLayer;
use crate::thresholds::ThresholdLayer;
use crate::trial::TrialLayer;
use crate::value::Value;

/// The settings of one source (flags, environment, file). Settings that it does not set are absent.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Layer {
    pub(crate) thresholds: ThresholdLayer,
    pub(crate) duets: DuetLayer,
    pub(crate) trial: TrialLayer,
    pub(crate) schedule: ScheduleLayer,
    pub(crate) decision: DecisionLayer,
    pub(crate) selection: SelectionLayer,
    pub(crate) output: OutputLayer,
    pub(crate) files: FileSettings,
    pub(crate) levels: LevelsLayer,
    pub(crate) lambda: LambdaLayer,
    pub(crate) slurm: SlurmLayer,
    pub(crate) harnesses: BTreeMap<String, HarnessArgumentsLayer>,
    pub(crate) definitions: DefinitionsLayer,
}

/// The numbers of a layer that plans choose too. Numbers given by the user take precedence over a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GivenNumbers {
    /// Iterations per process.
    pub iterations: Option<u32>,
    /// Whether the time of an iteration is given.
    pub has_iteration_time: bool,
    /// Whether the duets of fixed-sample rules are given.
    pub has_duets: bool,
    /// Fewest duets per benchmark.
    pub min_duets: Option<u32>,
    /// Whether the maximum number of duets per benchmark is given.
    pub has_max_duets: bool,
    /// Whether the samples per process of a run of one version are given.
    pub has_samples: bool,
}

/// Why the text of a flag or variable is not a value of its setting.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SettingError {
    /// The setting does not exist.
    #[error("unknown setting `{key}`")]
    Unknown {
        /// The given name.
        key: String,
    },
    /// The value is wrong.
    #[error("`{key}`: {message}")]
    Invalid {
        /// The setting.
        key: String,
        /// What was expected and what was found.
        message: String,
    },
}

impl SettingError {
    /// Advice for the user. Empty if the message is enough.
    pub fn hint(&self) -> String {
        match self {
            SettingError::Unknown { key } => {
                match crate::nearest::nearest(key, keys().iter().map(String::as_str)) {
                    Some(name) => format!("did you mean `{name}`?"),
                    None => String::new(),
                }
            }
            SettingError::Invalid { .. } => String::new(),
        }
    }
}

impl Layer {
    /// Sets one setting from the text of a flag or variable: numbers need no quotes, and lists are separated
    /// by commas (arguments of harnesses by blanks).
    pub fn set(&mut self, key: &str, text: &str) -> Result<(), SettingError> {
        let mut remarks = Remarks::default();
        let mut changed = self.clone();
        if !apply(&mut changed, key, &Value::word(text), &mut remarks) {
            return Err(SettingError::Unknown { key: key.into() });
        }
        match remarks.errors.into_iter().chain(remarks.warnings).next() {
            Some(remark) => Err(SettingError::Invalid { key: key.into(), message: remark.message }),
            None => {
                *self = changed;
                Ok(())
            }
        }
    }

    /// Combines this layer with one of lower precedence: for each setting, the value of this layer is used if
    /// it has one. Threshold rules are added, those of the other layer first, because the last rule that
    /// matches applies.
    pub fn over(mut self, weaker: Layer) -> Layer {
        let mut harnesses = std::mem::take(&mut self.harnesses);
        for (name, weaker) in weaker.harnesses {
            let stronger = harnesses.remove(&name).unwrap_or_default();
            harnesses.insert(name, stronger.over(weaker));
        }
        Layer {
            thresholds: self.thresholds.over(weaker.thresholds),
            duets: self.duets.over(weaker.duets),
            trial: self.trial.over(weaker.trial),
            schedule: self.schedule.over(weaker.schedule),
            decision: self.decision.over(weaker.decision),
            selection: self.selection.over(weaker.selection),
            output: self.output.over(weaker.output),
            files: self.files.over(weaker.files),
            levels: self.levels.over(weaker.levels),
            lambda: self.lambda.over(weaker.lambda),
            slurm: self.slurm.over(weaker.slurm),
            definitions: self.definitions.over(weaker.definitions),
            harnesses,
        }
    }

    /// Which of the numbers that plans also choose are given.
    pub fn given_numbers(&self) -> GivenNumbers {
        GivenNumbers {
            iterations: self.trial.iterations,
            has_iteration_time: self.trial.iteration_time.is_some(),
            has_duets: self.duets.fixed.is_some(),
            min_duets: self.duets.min,
            has_max_duets: self.duets.max.is_some(),
            has_samples: self.levels.second.is_some(),
        }
    }

    /// The settings of `--quick`: fewer duets before a benchmark is left undecided.
    pub fn quick() -> Layer {
        Layer {
            duets: DuetLayer { max: Some(crate::duets::QUICK_MAX), ..DuetLayer::default() },
            ..Layer::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Settings;

    fn layer(pairs: &[(&str, &str)]) -> Layer {
        let mut layer = Layer::default();
        for (key, text) in pairs {
            layer.set(key, text).expect("the test's value is right");
        }
        layer
    }

    #[test]
    fn the_stronger_layer_wins_setting_by_setting() {
        let flags = layer(&[("min-duets", "7"), ("levels", "run=1")]);
        let file = layer(&[("min-duets", "6"), ("max-duets", "22"), ("levels", "run=9,second=2")]);
        let settings = Settings::resolve(flags.over(file)).expect("values fit together");
        assert_eq!((settings.duets.min, settings.duets.max), (7, 22));
        assert_eq!((settings.levels.run, settings.levels.iteration, settings.levels.second), (1, 5, 2));
    }

    #[test]
    fn a_wrong_value_changes_nothing_and_names_the_setting() {
        let mut layer = layer(&[("seed", "3")]);
        let before = layer.clone();
        let error = layer.set("seed", "three").expect_err("not a number");
        assert_eq!(error.to_string(), "`seed`: expected a whole number from 0 on, got `three`");
        assert_eq!(layer, before);
    }

    #[test]
    fn an_unknown_name_gets_the_nearest_as_a_hint() {
        let error = Layer::default().set("max-duet", "3").expect_err("unknown");
        assert_eq!(error.to_string(), "unknown setting `max-duet`");
        assert_eq!(error.hint(), "did you mean `max-duets`?");
    }
}
