//! Which rule decides, and what makes the command fail.

use crate::setting::Setting;

/// The decision rules by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RuleName {
    /// Screening and confirmation on paired log-ratios of processes; the default.
    Paired,
    /// Bootstrap interval of the difference of medians.
    BootstrapMedian,
    /// Non-overlapping bootstrap intervals.
    CiOverlap,
    /// Mann-Whitney U test.
    MannWhitney,
    /// Welch's t-test.
    TTest,
    /// Wilcoxon signed-rank test and half of an injected slowdown.
    WilcoxonHalf,
}

impl RuleName {
    /// All rules with their names.
    pub const CHOICES: [(&'static str, RuleName); 6] = [
        ("paired", RuleName::Paired),
        ("bootstrap-median", RuleName::BootstrapMedian),
        ("ci-overlap", RuleName::CiOverlap),
        ("mann-whitney", RuleName::MannWhitney),
        ("t-test", RuleName::TTest),
        ("wilcoxon-half", RuleName::WilcoxonHalf),
    ];

    /// The name in file and flag.
    pub fn word(self) -> &'static str {
        match self {
            RuleName::Paired => "paired",
            RuleName::BootstrapMedian => "bootstrap-median",
            RuleName::CiOverlap => "ci-overlap",
            RuleName::MannWhitney => "mann-whitney",
            RuleName::TTest => "t-test",
            RuleName::WilcoxonHalf => "wilcoxon-half",
        }
    }
}

/// How fresh duets confirm a suspect under the paired rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ConfirmTest {
    /// Betting on the signs of fresh duets; the default.
    Stakes,
    /// Wilcoxon signed-rank test at four looks.
    Wilcoxon,
}

impl ConfirmTest {
    const CHOICES: [(&'static str, ConfirmTest); 2] =
        [("stakes", ConfirmTest::Stakes), ("wilcoxon", ConfirmTest::Wilcoxon)];

    /// The name in file and flag.
    pub fn word(self) -> &'static str {
        match self {
            ConfirmTest::Stakes => "stakes",
            ConfirmTest::Wilcoxon => "wilcoxon",
        }
    }
}

/// A verdict that makes the command fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FailOn {
    /// Something got slower by at least its hard threshold: exit code 3.
    Slower,
    /// Something could not be decided: exit code 4.
    Undecided,
}

impl FailOn {
    /// `never` stands for none of the others.
    const CHOICES: [(&'static str, Option<FailOn>); 3] =
        [("slower", Some(FailOn::Slower)), ("undecided", Some(FailOn::Undecided)), ("never", None)];
}

/// Rule and consequences.
#[derive(Debug, Clone, PartialEq)]
pub struct DecisionSettings {
    /// The rule.
    pub rule: RuleName,
    /// How suspects are confirmed under the rule `paired`.
    pub confirm: ConfirmTest,
    /// The slowdown, as a ratio, that the rule `wilcoxon-half` takes as injected; none where it was not given.
    pub injected: Option<f64>,
    /// Verdicts that make the command fail, each once; empty: none does.
    pub fail_on: Vec<FailOn>,
}

impl Default for DecisionSettings {
    fn default() -> Self {
        DecisionSettings {
            rule: RuleName::Paired,
            confirm: ConfirmTest::Stakes,
            injected: None,
            fail_on: vec![FailOn::Slower],
        }
    }
}

#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct DecisionLayer {
    rule: Option<RuleName>,
    confirm: Option<ConfirmTest>,
    injected: Option<f64>,
    fail_on: Option<Vec<FailOn>>,
}

impl DecisionLayer {
    pub(crate) fn over(self, weaker: Self) -> Self {
        DecisionLayer {
            rule: self.rule.or(weaker.rule),
            confirm: self.confirm.or(weaker.confirm),
            injected: self.injected.or(weaker.injected),
            fail_on: self.fail_on.or(weaker.fail_on),
        }
    }

    pub(crate) fn resolve(self) -> DecisionSettings {
        let default = DecisionSettings::default();
        DecisionSettings {
            rule: self.rule.unwrap_or(default.rule),
            confirm: self.confirm.unwrap_or(default.confirm),
            injected: self.injected,
            fail_on: self.fail_on.unwrap_or(default.fail_on),
        }
    }
}

pub(crate) const SETTINGS: &[Setting] = &[
    Setting {
        key: "rule",
        apply: |layer, value, remarks| layer.decision.rule = remarks.keep(value.choice(&RuleName::CHOICES)),
    },
    Setting {
        key: "confirm",
        apply: |layer, value, remarks| {
            layer.decision.confirm = remarks.keep(value.choice(&ConfirmTest::CHOICES));
        },
    },
    Setting {
        key: "injected",
        apply: |layer, value, remarks| {
            let injected = value.ratio("a share above 0 such as `5%`", f64::MIN_POSITIVE..=100.0);
            layer.decision.injected = remarks.keep(injected);
        },
    },
    Setting {
        key: "fail-on",
        apply: |layer, value, remarks| {
            let list = value.list("a list such as `[\"slower\", \"undecided\"]`", &[',']);
            let Some(list) = remarks.keep(list) else { return };
            let mut verdicts = Vec::new();
            let choices = list.iter().filter_map(|item| remarks.keep(item.choice(&FailOn::CHOICES)));
            for verdict in choices.flatten() {
                if !verdicts.contains(&verdict) {
                    verdicts.push(verdict);
                }
            }
            layer.decision.fail_on = Some(verdicts);
        },
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Layer;

    #[test]
    fn a_rules_word_is_the_name_it_is_chosen_by() {
        for (name, rule) in RuleName::CHOICES {
            assert_eq!(rule.word(), name);
        }
        for (name, test) in ConfirmTest::CHOICES {
            assert_eq!(test.word(), name);
        }
    }

    #[test]
    fn never_stands_for_no_verdict() {
        let check = |text: &str, expected: &[FailOn]| {
            let mut layer = Layer::default();
            layer.set("fail-on", text).expect("verdicts");
            assert_eq!(layer.decision.fail_on.as_deref(), Some(expected), "{text}");
        };
        check("never", &[]);
        check("undecided,slower,undecided", &[FailOn::Undecided, FailOn::Slower]);
        assert!(Layer::default().set("fail-on", "faster").is_err());
    }
}
