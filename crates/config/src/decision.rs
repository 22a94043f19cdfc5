//! The decision rule, and what makes the command fail.

use benchwright_analysis::Confirm;
use benchwright_analysis::rules::{NamedRule, RULES};

use crate::problem::{Remark, Remarks};
use crate::setting::Setting;
use crate::value::Value;

/// The verdicts that make the command fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FailOn {
    /// No verdict does, and too few verdicts do not either.
    Never,
    /// A benchmark got slower by at least its hard threshold: exit code 3.
    Slower,
    /// The same, and a benchmark could not be decided or was not measured: exit code 4.
    Undecided,
}

impl FailOn {
    const CHOICES: [(&'static str, FailOn); 3] =
        [("slower", FailOn::Slower), ("undecided", FailOn::Undecided), ("never", FailOn::Never)];

    /// Its word in settings.
    pub fn word(self) -> &'static str {
        let (word, _) =
            FailOn::CHOICES.into_iter().find(|(_, choice)| *choice == self).unwrap_or(FailOn::CHOICES[0]);
        word
    }

    /// The value for a list of words. Each word adds to `slower`, and only `never`, alone, removes it.
    fn of_list(value: &Value, remarks: &mut Remarks) -> Option<FailOn> {
        let list = remarks.keep(value.list("a list such as `[\"undecided\"]`", &[',']))?;
        let noted = remarks.errors.len();
        let words: Vec<FailOn> =
            list.iter().filter_map(|item| remarks.keep(item.choice(&FailOn::CHOICES))).collect();
        if remarks.errors.len() > noted {
            return None;
        }
        let is = |word: FailOn| words.contains(&word);
        if is(FailOn::Never) && words.iter().any(|word| *word != FailOn::Never) {
            let message = "`never` cannot be combined with other values";
            let hint = "leave `never` out to fail, or the others not to fail";
            remarks.errors.push(Remark::new(value.span.clone(), message).hint(hint));
            return None;
        }
        let asked = [FailOn::Never, FailOn::Undecided].into_iter().find(|word| is(*word));
        Some(asked.unwrap_or(FailOn::Slower))
    }
}

/// Rule and consequences.
#[derive(Debug, Clone, PartialEq)]
pub struct DecisionSettings {
    /// The rule.
    pub rule: &'static NamedRule,
    /// How suspects are confirmed under the rule `paired`.
    pub confirm: Confirm,
    /// The injected slowdown as a ratio, for rules that need it. `None` if it was not given.
    pub injected: Option<f64>,
    /// Verdicts that make the command fail.
    pub fail_on: FailOn,
    /// The share of the benchmarks to be measured that must be decided, 0 to 1. If fewer are: exit code 4.
    pub require_decided: f64,
}

impl Default for DecisionSettings {
    fn default() -> Self {
        DecisionSettings {
            rule: &RULES[0],
            confirm: Confirm::Stakes,
            injected: None,
            fail_on: FailOn::Slower,
            require_decided: 0.5,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct DecisionLayer {
    rule: Option<&'static NamedRule>,
    confirm: Option<Confirm>,
    injected: Option<f64>,
    fail_on: Option<FailOn>,
    require_decided: Option<f64>,
}

impl DecisionLayer {
    pub(crate) fn over(self, weaker: Self) -> Self {
        DecisionLayer {
            rule: self.rule.or(weaker.rule),
            confirm: self.confirm.or(weaker.confirm),
            injected: self.injected.or(weaker.injected),
            fail_on: self.fail_on.or(weaker.fail_on),
            require_decided: self.require_decided.or(weaker.require_decided),
        }
    }

    pub(crate) fn resolve(self) -> DecisionSettings {
        let default = DecisionSettings::default();
        DecisionSettings {
            rule: self.rule.unwrap_or(default.rule),
            confirm: self.confirm.unwrap_or(default.confirm),
            injected: self.injected,
            fail_on: self.fail_on.unwrap_or(default.fail_on),
            require_decided: self.require_decided.unwrap_or(default.require_decided),
        }
    }
}

pub(crate) const SETTINGS: &[Setting] = &[
    Setting {
        key: "rule",
        apply: |layer, value, remarks| {
            let choices: Vec<_> = RULES.iter().map(|rule| (rule.name, rule)).collect();
            layer.decision.rule = remarks.keep(value.choice(&choices));
        },
    },
    Setting {
        key: "confirm",
        apply: |layer, value, remarks| {
            layer.decision.confirm = remarks.keep(value.choice(&Confirm::CHOICES));
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
        apply: |layer, value, remarks| layer.decision.fail_on = FailOn::of_list(value, remarks),
    },
    Setting {
        key: "require-decided",
        apply: |layer, value, remarks| {
            let share = value.ratio("a share from 0 to 100% such as `50%`", 0.0..=1.0);
            layer.decision.require_decided = remarks.keep(share);
        },
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Layer;

    #[test]
    fn a_rule_is_chosen_by_its_name_and_the_default_file_lists_it() {
        let file = crate::default_file();
        let listed =
            file.lines().find(|line| line.starts_with("# Decision rule: ")).expect("a list of rules");
        for rule in &RULES {
            let mut layer = Layer::default();
            layer.set("rule", rule.name).expect("a rule");
            assert_eq!(layer.decision.rule, Some(rule));
            assert!(listed.split([' ', ',', '.']).any(|word| word == rule.name), "{listed}");
        }
        for (name, test) in Confirm::CHOICES {
            assert_eq!(test.word(), name);
        }
    }

    #[test]
    fn values_add_to_slower_and_only_never_removes_it() {
        let check = |text: &str, expected: FailOn| {
            let mut layer = Layer::default();
            layer.set("fail-on", text).expect("verdicts");
            assert_eq!(layer.decision.fail_on, Some(expected), "{text}");
        };
        check("never", FailOn::Never);
        check("never,never", FailOn::Never);
        check("slower", FailOn::Slower);
        check("undecided", FailOn::Undecided);
        check("undecided,slower,undecided", FailOn::Undecided);
        assert!(Layer::default().set("fail-on", "faster").is_err());
        for text in ["never,undecided", "slower,never"] {
            let error =
                Layer::default().set("fail-on", text).expect_err("they exclude each other").to_string();
            assert!(error.contains("`never` cannot be combined"), "{error}");
        }
        assert!(crate::read_text("f", "fail-on = [\"never\", \"undecided\"]").is_err());
        let empty = crate::read_text("f", "fail-on = []").expect("an empty list");
        assert_eq!(empty.decision.resolve().fail_on, FailOn::Slower, "an empty list removes nothing");
    }

    #[test]
    fn the_required_share_lies_between_nothing_and_all() {
        let set = |text: &str| {
            let mut layer = Layer::default();
            layer.set("require-decided", text).map(|()| layer.decision.resolve().require_decided)
        };
        assert_eq!(set("80%"), Ok(0.8));
        assert_eq!(set("0"), Ok(0.0));
        assert_eq!(set("1"), Ok(1.0));
        for wrong in ["101%", "-1%", "50", "most", ""] {
            assert!(set(wrong).is_err(), "{wrong}");
        }
    }
}
