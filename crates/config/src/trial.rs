//! The shape and the limits of one trial.

use std::path::PathBuf;
use std::time::Duration;

use benchwright_steady::rules::catalogue::RULES;

use crate::problem::Remarks;
use crate::setting::Setting;
use crate::value::Value;

/// The word for the suite's own numbers. While measuring, the suite itself uses them and no rule is needed.
/// In a replay the rule of that name does this.
const SUITE: &str = "fixed";

/// What ends a trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StopName {
    /// The rule that suits the harness. There is none if nothing warms up.
    Auto,
    /// A rule by name, from the crate `steady`.
    Rule(&'static str),
    /// The suite's own numbers of iterations.
    Fixed,
}

impl StopName {
    /// All words in file and flag with their meaning: the names of rules, and two other words.
    pub fn choices() -> Vec<(&'static str, StopName)> {
        let rules = RULES.iter().filter(|rule| rule.name != SUITE);
        let words = rules.flat_map(|rule| rule.words().map(|word| (word, StopName::Rule(rule.name))));
        [("auto", StopName::Auto)].into_iter().chain(words).chain([(SUITE, StopName::Fixed)]).collect()
    }

    /// The word in file and flag.
    pub fn word(self) -> &'static str {
        match self {
            StopName::Auto => "auto",
            StopName::Rule(name) => name,
            StopName::Fixed => SUITE,
        }
    }
}

/// How long a trial measures, and its limits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrialSettings {
    /// Number of timed batches within the process, at least 1. `None` leaves it to the harness.
    pub iterations: Option<u32>,
    /// Time of one iteration, above 0. `None` leaves it to the harness.
    pub iteration_time: Option<Duration>,
    /// Time to warm up before the first iteration, for harnesses with such an option.
    pub warmup_time: Duration,
    /// The stop rule for code that is compiled while it runs.
    pub stop: StopName,
    /// Models written by `steady train`, for the rule `learned`. `None` means the built-in ones. Relative to
    /// the root of the project.
    pub stop_models: Option<PathBuf>,
    /// The longest warm-up of a trial under a stop rule, if it was set.
    pub max_warmup: Option<Duration>,
    /// After this time the whole process group is killed, and the trial has failed.
    pub timeout: Duration,
    /// With more than this many bytes of memory, the process and its child processes are killed, and the
    /// trial has failed. `None` uses a share of the free memory.
    pub memory_bytes: Option<u64>,
    /// After this many bytes of output the process group is killed, and the trial has failed.
    pub output_limit_bytes: u64,
}

impl Default for TrialSettings {
    fn default() -> Self {
        TrialSettings {
            iterations: None,
            iteration_time: None,
            warmup_time: Duration::from_millis(100),
            stop: StopName::Auto,
            stop_models: None,
            max_warmup: None,
            timeout: Duration::from_secs(300),
            memory_bytes: None,
            output_limit_bytes: 16 << 20,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct TrialLayer {
    pub(crate) iterations: Option<u32>,
    pub(crate) iteration_time: Option<Duration>,
    warmup_time: Option<Duration>,
    stop: Option<StopName>,
    stop_models: Option<PathBuf>,
    max_warmup: Option<Duration>,
    timeout: Option<Duration>,
    memory_bytes: Option<u64>,
    output_limit_bytes: Option<u64>,
}

impl TrialLayer {
    pub(crate) fn over(self, weaker: Self) -> Self {
        TrialLayer {
            iterations: self.iterations.or(weaker.iterations),
            iteration_time: self.iteration_time.or(weaker.iteration_time),
            warmup_time: self.warmup_time.or(weaker.warmup_time),
            stop: self.stop.or(weaker.stop),
            stop_models: self.stop_models.or(weaker.stop_models),
            max_warmup: self.max_warmup.or(weaker.max_warmup),
            timeout: self.timeout.or(weaker.timeout),
            memory_bytes: self.memory_bytes.or(weaker.memory_bytes),
            output_limit_bytes: self.output_limit_bytes.or(weaker.output_limit_bytes),
        }
    }

    pub(crate) fn resolve(self) -> TrialSettings {
        let default = TrialSettings::default();
        TrialSettings {
            iterations: self.iterations.or(default.iterations),
            iteration_time: self.iteration_time.or(default.iteration_time),
            warmup_time: self.warmup_time.unwrap_or(default.warmup_time),
            stop: self.stop.unwrap_or(default.stop),
            stop_models: self.stop_models.or(default.stop_models),
            max_warmup: self.max_warmup.or(default.max_warmup),
            timeout: self.timeout.unwrap_or(default.timeout),
            memory_bytes: self.memory_bytes.or(default.memory_bytes),
            output_limit_bytes: self.output_limit_bytes.unwrap_or(default.output_limit_bytes),
        }
    }
}

pub(crate) const SETTINGS: &[Setting] = &[
    Setting {
        key: "iterations",
        apply: |layer, value, remarks| {
            let iterations = value.count("a whole number from 1 to 100000", 1..=100_000);
            layer.trial.iterations = remarks.keep(iterations);
        },
    },
    Setting {
        key: "iteration-time",
        apply: |layer, value, remarks| layer.trial.iteration_time = positive(value, remarks),
    },
    Setting {
        key: "warmup-time",
        apply: |layer, value, remarks| {
            layer.trial.warmup_time = remarks.keep(value.duration("a duration", ..));
        },
    },
    Setting {
        key: "stop",
        apply: |layer, value, remarks| layer.trial.stop = remarks.keep(value.choice(&StopName::choices())),
    },
    Setting {
        key: "stop-models",
        apply: |layer, value, remarks| {
            layer.trial.stop_models = remarks.keep(value.text("the path of a file")).map(PathBuf::from);
        },
    },
    Setting {
        key: "max-warmup",
        apply: |layer, value, remarks| {
            layer.trial.max_warmup = remarks.keep(value.duration("a duration", ..));
        },
    },
    Setting {
        key: "trial-timeout",
        apply: |layer, value, remarks| layer.trial.timeout = positive(value, remarks),
    },
    Setting {
        key: "trial-memory",
        apply: |layer, value, remarks| {
            layer.trial.memory_bytes = remarks.keep(value.size("a size above 0 such as `2GiB`"));
        },
    },
    Setting {
        key: "output-limit",
        apply: |layer, value, remarks| {
            layer.trial.output_limit_bytes = remarks.keep(value.size("a size above 0 such as `16MiB`"));
        },
    },
];

fn positive(value: &Value, remarks: &mut Remarks) -> Option<Duration> {
    remarks.keep(value.duration("a duration above 0", Duration::from_nanos(1)..))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Layer;

    #[test]
    fn stop_rules_have_names_and_others_are_refused() {
        let check = |text: &str, expected: Result<StopName, &str>| {
            let mut layer = Layer::default();
            let set = layer.set("stop", text).map(|()| layer.trial.clone().resolve().stop);
            match (set, expected) {
                (Ok(found), Ok(expected)) => assert_eq!(found, expected, "{text}"),
                (Err(error), Err(part)) => assert!(error.to_string().contains(part), "{error}"),
                (found, expected) => panic!("{text}: {found:?} instead of {expected:?}"),
            }
        };
        for (word, name) in StopName::choices() {
            check(word, Ok(name));
            assert!(word == name.word() || word == "classifier", "{word}");
        }
        check("classifier", Ok(StopName::Rule("oscnn")));
        check("guess", Err("expected one of `auto`, `learned`"));
        check("", Err("expected one of"));
        assert_eq!(TrialLayer::default().resolve().stop, StopName::Auto);
    }
}
