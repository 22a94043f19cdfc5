//! All rules by name.

use std::time::Duration;

use super::{Configuration, Criterion, DynamicOptions, DynamicPlan, Fixed, Georges, GeorgesOptions};
use crate::classify::{LearnedPlan, RegroupedPlan, Trained, Windowed};
use crate::nets::{Classifier, Model};
use crate::{Limits, SameForEach, StopPlan, WindowMedians};

/// Facts about a benchmark that a rule may need before it runs.
#[derive(Debug, Clone, Copy)]
pub struct Given {
    /// The configuration of its developers, if known.
    pub configuration: Option<Configuration>,
    /// The length of the iterations that the rule will get.
    pub iteration_time: Duration,
    /// After this time warm-up ends, whatever the values are. `None` means as published.
    pub longest_warmup: Option<Duration>,
    /// Number of iterations to measure after warm-up, for rules that use it. `None` means the rule's own
    /// number. While measuring, it comes from the trial's shape; a replay of external recordings has none.
    /// This is the only difference between the two.
    pub measured: Option<u32>,
    /// Seed of random choices.
    pub seed: u64,
}

impl Given {
    /// The time of this many iterations. For rules, iterations count as at least 0.1 s.
    fn time_of(&self, iterations: u32) -> Duration {
        self.iteration_time.max(Duration::from_millis(100)).saturating_mul(iterations)
    }

    /// The longest warm-up.
    fn cap(&self) -> Duration {
        self.longest_warmup.unwrap_or(LONGEST_WARMUP)
    }

    /// Iterations that the rule `steady` measures.
    fn measured(&self) -> u32 {
        self.measured.unwrap_or(MEASURED)
    }
}

/// The descriptor of a rule. Settings, help, records and predictions use it.
#[derive(Debug)]
pub struct NamedRule {
    /// Its name on the command line.
    pub name: &'static str,
    /// Other names.
    pub aliases: &'static [&'static str],
    /// Its description, in a sentence.
    pub about: &'static str,
    /// Whether it also decides how many processes a run of one version needs.
    pub decides_processes: bool,
    /// Whether it can use models made by `steady train`.
    pub takes_models: bool,
    make: fn(&Given) -> Result<Box<dyn StopPlan>, RuleError>,
    time: fn(&Given) -> ProcessTime,
}

impl NamedRule {
    /// The usual answers.
    const PLAIN: NamedRule = NamedRule {
        name: "",
        aliases: &[],
        about: "",
        decides_processes: false,
        takes_models: false,
        make: |_| Err(RuleError::NoConfiguration),
        time: |_| ProcessTime::of(Configuration::JMH),
    };

    /// The rule for one benchmark, while it is measured or for recorded processes.
    pub fn plan(&self, given: &Given) -> Result<Box<dyn StopPlan>, RuleError> {
        (self.make)(given)
    }

    /// How long a process takes that this rule ends.
    pub fn time(&self, given: &Given) -> ProcessTime {
        let ProcessTime { usual, longest } = (self.time)(given);
        ProcessTime { usual: usual.min(longest), longest }
    }

    /// Every word for it, its name first.
    pub fn words(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.name).chain(self.aliases.iter().copied())
    }
}

/// The time of all iterations of a process that a rule ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessTime {
    /// The mean to expect.
    pub usual: Duration,
    /// The maximum.
    pub longest: Duration,
}

impl ProcessTime {
    /// A mean warm-up of this many seconds, but at most the longest warm-up, plus the measured time.
    fn after(given: &Given, warmup_s: f64, measured: Duration, longest: Duration) -> ProcessTime {
        let warmup = given.cap().min(Duration::from_secs_f64(warmup_s));
        ProcessTime { usual: warmup.saturating_add(measured), longest }
    }

    /// The same for rules that use a window of a hundred iterations, or ten steps of one second of which the
    /// first has already begun.
    fn windowed(given: &Given, warmup_s: f64, measured_s: f64) -> ProcessTime {
        let longest = given.cap().saturating_add(given.time_of(100)).saturating_add(Duration::from_secs(2));
        ProcessTime::after(given, warmup_s, Duration::from_secs_f64(measured_s), longest)
    }

    /// The time of a configuration, whatever the longest warm-up is.
    fn of(configuration: Configuration) -> ProcessTime {
        let Configuration { warmup_time, warmup_iterations, iteration_time, iterations, .. } = configuration;
        let warmup = warmup_time.saturating_mul(warmup_iterations);
        let time = warmup.saturating_add(iteration_time.saturating_mul(iterations));
        ProcessTime { usual: time, longest: time }
    }
}

/// Why a rule cannot be had.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    /// There is no rule with this name.
    #[error("unknown stop rule `{0}`")]
    Unknown(String),
    /// It needs the numbers that the developers configured.
    #[error("use the rule `fixed`: what the developers configured is not known")]
    NoConfiguration,
    /// It was trained on shorter iterations.
    #[error("use a trained rule: iterations take {} s, and it was trained on 0.1 s", .0.as_secs_f64())]
    LongIterations(Duration),
}

impl RuleError {
    /// Advice for the user.
    pub fn hint(&self) -> String {
        match self {
            RuleError::Unknown(_) => {
                let names: Vec<&str> = RULES.iter().map(|rule| rule.name).collect();
                format!("known rules: {}", names.join(", "))
            }
            RuleError::NoConfiguration => {
                "the folder needs a `subjects.csv`; `--rule jmh` takes JMH's defaults".into()
            }
            RuleError::LongIterations(_) => {
                "measure iterations of 0.1 s or less, or take another rule, such as `steady`".into()
            }
        }
    }
}

/// All rules.
///
/// The times are mean warm-up and mean measured time, in seconds, of ten recorded processes of each of 469
/// JMH benchmarks under each rule, with a longest warm-up of half a minute (classifiers: every twelfth
/// benchmark, without those whose operations fill an iteration). The rule `steady` measures the given number
/// of iterations; a test of the worker compares it with `fixtures/jmh-steady`.
pub static RULES: [NamedRule; 11] = [
    NamedRule {
        name: "learned",
        about: "boosted trees predict that more iterations would not change the mean; from the seventh process on they also use a long one of the benchmark",
        takes_models: true,
        make: |given| trained(given, Box::new(LearnedPlan::new(Trained::in_use(), given.longest_warmup))),
        // It examines the process only at certain points, each at most a quarter later than the previous one,
        // and measures another quarter.
        time: |given| {
            let longest = given.cap().mul_f64(1.6).saturating_add(given.time_of(40));
            ProcessTime::after(given, 6.5, Duration::from_secs_f64(11.8), longest)
        },
        ..NamedRule::PLAIN
    },
    NamedRule {
        name: "oscnn",
        // The best of the published models.
        aliases: &["classifier"],
        about: "an Omni-Scale network finds the last 100 iterations steady (Traini et al. 2024)",
        make: |given| classifier(given, Model::Oscnn),
        time: |given| ProcessTime::windowed(given, 11.0, 10.0),
        ..NamedRule::PLAIN
    },
    NamedRule {
        name: "fcn",
        about: "a fully convolutional network finds the last 100 iterations steady (Traini et al. 2024)",
        make: |given| classifier(given, Model::Fcn),
        time: |given| ProcessTime::windowed(given, 12.0, 10.0),
        ..NamedRule::PLAIN
    },
    NamedRule {
        name: "rocket",
        about: "random kernels find the last 100 iterations steady (Traini et al. 2024)",
        make: |given| classifier(given, Model::Rocket),
        time: |given| ProcessTime::windowed(given, 4.0, 10.0),
        ..NamedRule::PLAIN
    },
    NamedRule {
        name: "steady",
        about: "the medians of three windows of five iterations agree within 1 %; then 30 iterations are measured",
        make: |given| {
            let limits = Limits::new(given.cap(), given.measured());
            Ok(Box::new(SameForEach::new(WindowMedians::new(limits), None)))
        },
        time: |given| {
            let measured = given.iteration_time.saturating_mul(given.measured());
            ProcessTime::after(given, 7.8, measured, given.cap().saturating_add(measured))
        },
        ..NamedRule::PLAIN
    },
    NamedRule {
        name: "fixed",
        about: "the numbers that the developers configured",
        make: |given| fixed(given.configuration.ok_or(RuleError::NoConfiguration)?),
        time: |given| ProcessTime::of(given.configuration.unwrap_or(Configuration::JMH)),
        ..NamedRule::PLAIN
    },
    NamedRule {
        name: "jmh",
        about: "JMH's defaults: five iterations of 10 s of warm-up and five measured, in five processes",
        decides_processes: true,
        make: |_| fixed(Configuration::JMH),
        ..NamedRule::PLAIN
    },
    NamedRule {
        name: "georges",
        about: "30 iterations vary by less than 2 % (Georges et al. 2007)",
        make: |given| {
            let cap = given.longest_warmup.unwrap_or(GeorgesOptions::PUBLISHED.cap);
            let options = GeorgesOptions { cap, ..GeorgesOptions::PUBLISHED };
            Ok(Box::new(SameForEach::new(Georges::new(options), None)))
        },
        time: |given| {
            let longest = given.cap().max(given.time_of(30));
            ProcessTime::after(given, 15.2, Duration::from_secs_f64(10.1), longest)
        },
        ..NamedRule::PLAIN
    },
    NamedRule {
        name: "cv",
        about: "the coefficient of variation of all values settles (Laaber et al. 2020); 2 to 5 processes",
        decides_processes: true,
        make: |given| dynamic(Criterion::Cv, given),
        time: |given| ProcessTime::windowed(given, 23.3, 11.8),
        ..NamedRule::PLAIN
    },
    NamedRule {
        name: "rciw",
        about: "the relative width of the mean's interval settles (Laaber et al. 2020); 2 to 5 processes",
        decides_processes: true,
        make: |given| dynamic(Criterion::Rciw, given),
        time: |given| ProcessTime::windowed(given, 6.9, 11.8),
        ..NamedRule::PLAIN
    },
    NamedRule {
        name: "kld",
        about: "the distribution settles, by its Kullback-Leibler divergence (Laaber et al. 2020); 2 to 5 processes",
        decides_processes: true,
        make: |given| dynamic(Criterion::Kld, given),
        time: |given| ProcessTime::windowed(given, 22.7, 13.2),
        ..NamedRule::PLAIN
    },
];

/// The rule that ends warm-up after a fixed number of iterations, those that fit into the longest warm-up.
/// That time is what the benchmark's first processes needed. Users cannot choose it, but records and calls
/// contain its name.
pub static EARLIER: NamedRule = NamedRule {
    name: "earlier",
    about: "as many iterations as the benchmark's first processes needed",
    make: |given| {
        let iteration = given.iteration_time.as_secs_f64();
        let warmup = (given.cap().as_secs_f64() / iteration.max(1e-9)).round() as u32;
        // An iteration that takes a little less time than asked for counts as a complete one.
        let most = iteration / 2.0;
        fixed(Configuration::of((warmup, most), (given.measured(), most), u32::MAX))
    },
    ..NamedRule::PLAIN
};

/// The longest warm-up of the rule `steady` in a replay, the same as the default while measuring.
const LONGEST_WARMUP: Duration = Duration::from_secs(30);

/// Iterations that the rule `steady` measures in a replay.
const MEASURED: u32 = 30;

/// The rule with this name or alias.
pub fn rule(word: &str) -> Result<&'static NamedRule, RuleError> {
    let found = RULES.iter().find(|rule| rule.words().any(|known| known == word));
    found.ok_or_else(|| RuleError::Unknown(word.into()))
}

/// The rule with this name in a record or a call, including those that users cannot choose.
pub fn recorded(name: &str) -> Result<&'static NamedRule, RuleError> {
    if name == EARLIER.name { Ok(&EARLIER) } else { rule(name) }
}

fn fixed(configuration: Configuration) -> Result<Box<dyn StopPlan>, RuleError> {
    Ok(Box::new(SameForEach::new(Fixed::new(configuration), Some(configuration.forks.max(1)))))
}

fn classifier(given: &Given, model: Model) -> Result<Box<dyn StopPlan>, RuleError> {
    let rule = Windowed::new(Classifier::new(model), given.longest_warmup);
    trained(given, Box::new(SameForEach::new(rule, None)))
}

/// Trained rules need iterations of 0.1 s. Shorter ones are combined, and longer ones cannot be divided.
fn trained(given: &Given, plan: Box<dyn StopPlan>) -> Result<Box<dyn StopPlan>, RuleError> {
    let share = given.iteration_time.as_secs_f64() / 0.1;
    if share > 1.05 {
        return Err(RuleError::LongIterations(given.iteration_time));
    }
    // Nine of 11 ms make one of 0.1 s.
    let together = (1.0 / share.max(1e-6)).round() as usize;
    Ok(if together > 1 { Box::new(RegroupedPlan::new(plan, together)) } else { plan })
}

fn dynamic(criterion: Criterion, given: &Given) -> Result<Box<dyn StopPlan>, RuleError> {
    let mut options = DynamicOptions { seed: given.seed, ..DynamicOptions::published(criterion) };
    if let Some(longest) = given.longest_warmup {
        let steps = (longest.as_secs_f64() / options.step.as_secs_f64()).ceil();
        // At least one step. The cast saturates.
        options.most_warmup = (steps as u32).max(1);
    }
    Ok(Box::new(DynamicPlan::new(options)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay_benchmark;

    const GIVEN: Given = Given {
        configuration: None,
        iteration_time: Duration::from_millis(100),
        longest_warmup: None,
        measured: None,
        seed: 7,
    };

    #[test]
    fn every_rule_can_be_had_and_measures_something() {
        let falling: Vec<f64> = (0..2000).map(|i| 1e-6 * (1.0 + 5.0 * 0.97_f64.powi(i))).collect();
        let processes: Vec<&[f64]> = vec![&falling; 4];
        for known in &RULES {
            let given = Given { configuration: Some(Configuration::JMH), ..GIVEN };
            let mut plan = rule(known.name).and_then(|rule| rule.plan(&given)).expect("a rule");
            let stops = replay_benchmark(plan.as_mut(), &processes, 0.1);
            assert!((2..=4).contains(&stops.len()), "{}", known.name);
            for stop in &stops {
                assert!(stop.warmup < stop.end && stop.is_decided, "{}: {stop:?}", known.name);
                assert!(!stop.reason.is_empty());
            }
        }
    }

    #[test]
    fn the_longest_warm_up_holds_for_every_rule_that_looks() {
        let growing: Vec<f64> = (0..1500).map(|i| 1e-40 * 3.0_f64.powi(i / 10)).collect();
        let given = Given { longest_warmup: Some(Duration::from_secs(7)), ..GIVEN };
        for known in RULES.iter().filter(|rule| !["fixed", "jmh"].contains(&rule.name)) {
            let mut plan = known.plan(&given).expect("a rule");
            let stops = replay_benchmark(plan.as_mut(), &[&growing[..]], 0.1);
            assert!(stops[0].warmup <= 70 && stops[0].is_decided, "{}: {:?}", known.name, stops[0]);
        }
    }

    #[test]
    fn what_is_measured_and_what_is_replayed_come_from_the_same_rule() {
        let flat = [1e-6; 400];
        let stop = |given: &Given| {
            let mut plan = rule("steady").and_then(|rule| rule.plan(given)).expect("a rule");
            replay_benchmark(plan.as_mut(), &[&flat[..]], 0.1).remove(0)
        };
        let replayed = stop(&GIVEN);
        let measured = stop(&Given { measured: Some(3), ..GIVEN });
        assert_eq!(replayed.warmup, measured.warmup);
        assert_eq!((replayed.end - replayed.warmup, measured.end - measured.warmup), (30, 3));
    }

    #[test]
    fn words_are_unique_and_others_are_refused() {
        let all: Vec<&str> = RULES.iter().chain([&EARLIER]).flat_map(NamedRule::words).collect();
        let words: std::collections::BTreeSet<&str> = all.iter().copied().collect();
        assert_eq!(words.len(), all.len());
        assert!(words.iter().all(|word| recorded(word).is_ok()));
        assert_eq!(rule("classifier").map(|rule| rule.name), Ok("oscnn"));
        assert!(rule("earlier").is_err());
        let error = rule("guess").expect_err("no such rule");
        assert_eq!(error.to_string(), "unknown stop rule `guess`");
        assert!(error.hint().contains("georges"));
        let refused = rule("fixed").and_then(|rule| rule.plan(&GIVEN)).err();
        assert_eq!(refused, Some(RuleError::NoConfiguration));
    }

    #[test]
    fn trained_rules_want_iterations_of_a_tenth_of_a_second() {
        let plan = |millis| {
            let given = Given { iteration_time: Duration::from_millis(millis), ..GIVEN };
            rule("learned").and_then(|rule| rule.plan(&given))
        };
        assert!(plan(100).is_ok() && plan(10).is_ok());
        let error = plan(1000).err().expect("too long");
        assert_eq!(error.to_string(), "use a trained rule: iterations take 1 s, and it was trained on 0.1 s");
        // Ten of 10 ms make one of 0.1 s: the decision is the same, counted in short iterations.
        let falling: Vec<f64> = (0..2000).map(|i| 1e-6 * (1.0 + 5.0 * 0.97_f64.powi(i))).collect();
        let short: Vec<f64> = falling.iter().flat_map(|value| [*value; 10]).collect();
        let stops = |millis, values: &[f64]| {
            let mut plan = plan(millis).expect("a rule");
            let stops = replay_benchmark(plan.as_mut(), &[values, values, values], millis as f64 / 1000.0);
            stops.iter().map(|stop| (stop.warmup, stop.end)).collect::<Vec<_>>()
        };
        let whole = stops(100, &falling);
        let expected: Vec<(u32, u32)> = whole.iter().map(|(warmup, end)| (warmup * 10, end * 10)).collect();
        assert_eq!(stops(10, &short), expected);
    }
}
