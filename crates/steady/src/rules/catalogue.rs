//! All rules by name.

use std::time::Duration;

use super::{Configuration, Criterion, DynamicOptions, DynamicPlan, Fixed, Georges, GeorgesOptions};
use crate::classify::{LearnedPlan, RegroupedPlan, Trained, Windowed};
use crate::nets::{Classifier, Model};
use crate::{Limits, SameForEach, StopPlan, WindowMedians};

/// What a rule may want to know about a benchmark before it runs.
#[derive(Debug, Clone, Copy)]
pub struct Given {
    /// What its developers configured, where that is known.
    pub configuration: Option<Configuration>,
    /// Length of the iterations that the rule will be fed.
    pub iteration_time: Duration,
    /// After this time warm-up is over, whatever the values are; without it as published.
    pub longest_warmup: Option<Duration>,
    /// What random choices follow from.
    pub seed: u64,
}

/// A rule that can be asked for.
#[derive(Debug)]
pub struct NamedRule {
    /// What it is called on the command line.
    pub name: &'static str,
    /// What it does, in a sentence.
    pub about: &'static str,
    make: fn(&Given) -> Result<Box<dyn StopPlan>, RuleError>,
}

impl NamedRule {
    /// The rule for one benchmark.
    pub fn plan(&self, given: &Given) -> Result<Box<dyn StopPlan>, RuleError> {
        (self.make)(given)
    }
}

/// Why a rule cannot be had.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    /// There is none of this name.
    #[error("unknown stop rule `{0}`")]
    Unknown(String),
    /// It wants to know what the developers configured.
    #[error("use the rule `fixed`: what the developers configured is not known")]
    NoConfiguration,
    /// It was trained on shorter iterations.
    #[error("use a trained rule: iterations take {} s, and it was trained on 0.1 s", .0.as_secs_f64())]
    LongIterations(Duration),
}

impl RuleError {
    /// What to do next.
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

/// Every rule.
pub static RULES: [NamedRule; 11] = [
    NamedRule {
        name: "learned",
        about: "boosted trees expect no gain from going on, by this process and, from the seventh on, a long one of the benchmark",
        make: |given| trained(given, Box::new(LearnedPlan::new(Trained::in_use(), given.longest_warmup))),
    },
    NamedRule {
        name: "oscnn",
        about: "an Omni-Scale network finds the last 100 iterations steady (Traini et al. 2024)",
        make: |given| classifier(given, Model::Oscnn),
    },
    NamedRule {
        name: "fcn",
        about: "a fully convolutional network finds the last 100 iterations steady (Traini et al. 2024)",
        make: |given| classifier(given, Model::Fcn),
    },
    NamedRule {
        name: "rocket",
        about: "random kernels find the last 100 iterations steady (Traini et al. 2024)",
        make: |given| classifier(given, Model::Rocket),
    },
    NamedRule {
        name: "steady",
        about: "the medians of three windows of five iterations agree within 1 %; then 30 iterations are measured",
        make: |given| {
            let limits = Limits::new(given.longest_warmup.unwrap_or(LONGEST_WARMUP), MEASURED);
            Ok(Box::new(SameForEach::new(WindowMedians::new(limits), None)))
        },
    },
    NamedRule {
        name: "fixed",
        about: "what the developers configured",
        make: |given| fixed(given.configuration.ok_or(RuleError::NoConfiguration)?),
    },
    NamedRule {
        name: "jmh",
        about: "JMH's defaults: five iterations of 10 s of warm-up and five measured, in five processes",
        make: |_| fixed(Configuration::JMH),
    },
    NamedRule {
        name: "georges",
        about: "30 iterations vary by less than 2 % (Georges et al. 2007)",
        make: |given| {
            let cap = given.longest_warmup.unwrap_or(GeorgesOptions::PUBLISHED.cap);
            let options = GeorgesOptions { cap, ..GeorgesOptions::PUBLISHED };
            Ok(Box::new(SameForEach::new(Georges::new(options), None)))
        },
    },
    NamedRule {
        name: "cv",
        about: "the coefficient of variation of everything settles (Laaber et al. 2020); 2 to 5 processes",
        make: |given| dynamic(Criterion::Cv, given),
    },
    NamedRule {
        name: "rciw",
        about: "the relative width of the mean's interval settles (Laaber et al. 2020); 2 to 5 processes",
        make: |given| dynamic(Criterion::Rciw, given),
    },
    NamedRule {
        name: "kld",
        about: "the distribution settles, by its Kullback-Leibler divergence (Laaber et al. 2020); 2 to 5 processes",
        make: |given| dynamic(Criterion::Kld, given),
    },
];

/// Longest warm-up of the rule `steady` in a replay, as when it measures by default.
const LONGEST_WARMUP: Duration = Duration::from_secs(30);

/// Iterations that the rule `steady` measures in a replay.
const MEASURED: u32 = 30;

/// The rule of that name.
pub fn rule(name: &str) -> Result<&'static NamedRule, RuleError> {
    RULES.iter().find(|rule| rule.name == name).ok_or_else(|| RuleError::Unknown(name.into()))
}

fn fixed(configuration: Configuration) -> Result<Box<dyn StopPlan>, RuleError> {
    Ok(Box::new(SameForEach::new(Fixed::new(configuration), Some(configuration.forks.max(1)))))
}

fn classifier(given: &Given, model: Model) -> Result<Box<dyn StopPlan>, RuleError> {
    let rule = Windowed::new(Classifier::new(model), given.longest_warmup);
    trained(given, Box::new(SameForEach::new(rule, None)))
}

/// Trained rules want iterations of 0.1 s: shorter ones are put together, longer ones cannot be divided.
fn trained(given: &Given, plan: Box<dyn StopPlan>) -> Result<Box<dyn StopPlan>, RuleError> {
    let share = given.iteration_time.as_secs_f64() / 0.1;
    if share > 1.05 {
        return Err(RuleError::LongIterations(given.iteration_time));
    }
    // Nine of 11 ms are one of 0.1 s.
    let together = (1.0 / share.max(1e-6)).round() as usize;
    Ok(if together > 1 { Box::new(RegroupedPlan::new(plan, together)) } else { plan })
}

fn dynamic(criterion: Criterion, given: &Given) -> Result<Box<dyn StopPlan>, RuleError> {
    let mut options = DynamicOptions { seed: given.seed, ..DynamicOptions::published(criterion) };
    if let Some(longest) = given.longest_warmup {
        let steps = (longest.as_secs_f64() / options.step.as_secs_f64()).ceil();
        // At least one step; a cast of more than fits is the largest.
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
    fn names_are_unique_and_others_are_refused() {
        let names: std::collections::BTreeSet<&str> = RULES.iter().map(|rule| rule.name).collect();
        assert_eq!(names.len(), RULES.len());
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
        // Ten of 10 ms make one of 0.1 s: the same decision, counted in short ones.
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
