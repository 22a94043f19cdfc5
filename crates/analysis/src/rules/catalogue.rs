//! All decision rules by name.

use super::{Confirm, FixedRule, FixedSample, MOST_DUETS, MOST_FRESH, PairedSettings, Rule};

/// The options of all rules in the settings. Each rule uses those that apply to it.
#[derive(Debug, Clone, PartialEq)]
pub struct RuleOptions {
    /// Fewest screening duets before the first look, at least 2.
    pub min: u32,
    /// Most screening duets; at least `min`.
    pub max: u32,
    /// Most fresh duets of a suspect.
    pub max_fresh: u32,
    /// The test of fresh duets.
    pub confirm: Confirm,
    /// Duets of a fixed-sample rule. `None` uses the rule's own number.
    pub duets: Option<u32>,
    /// The injected slowdown as a ratio, for the rule that needs it.
    pub injected: f64,
}

impl Default for RuleOptions {
    fn default() -> Self {
        RuleOptions {
            min: PairedSettings::LOOKS[0],
            max: MOST_DUETS,
            max_fresh: MOST_FRESH,
            confirm: Confirm::Stakes,
            duets: None,
            injected: 0.0,
        }
    }
}

/// A rule by name. Settings and help use this list.
#[derive(Debug)]
pub struct NamedRule {
    /// Its name in the configuration file and in the flag.
    pub name: &'static str,
    /// Whether the injected slowdown has to be given.
    pub needs_injected: bool,
    make: fn(&RuleOptions) -> Rule,
}

impl NamedRule {
    /// The rule with these settings.
    pub fn rule(&self, options: &RuleOptions) -> Rule {
        (self.make)(options)
    }

    /// Whether it confirms suspects by fresh duets.
    pub fn confirms(&self) -> bool {
        self.rule(&RuleOptions::default()).confirmation().is_some()
    }

    const fn fixed(rule: FixedRule, make: fn(&RuleOptions) -> Rule) -> NamedRule {
        NamedRule { name: rule.name(), needs_injected: false, make }
    }
}

impl PartialEq for NamedRule {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// Every rule, the default first.
pub static RULES: [NamedRule; 6] = [
    NamedRule { name: PairedSettings::NAME, needs_injected: false, make: PairedSettings::rule },
    NamedRule::fixed(FixedRule::BootstrapMedian, |options| {
        FixedSample::rule(FixedRule::BootstrapMedian, options)
    }),
    NamedRule::fixed(FixedRule::CiOverlap, |options| FixedSample::rule(FixedRule::CiOverlap, options)),
    NamedRule::fixed(FixedRule::MannWhitney, |options| FixedSample::rule(FixedRule::MannWhitney, options)),
    NamedRule::fixed(FixedRule::TTest, |options| FixedSample::rule(FixedRule::TTest, options)),
    NamedRule {
        needs_injected: true,
        ..NamedRule::fixed(FixedRule::WilcoxonHalf { injected: 0.0 }, |options| {
            FixedSample::rule(FixedRule::WilcoxonHalf { injected: options.injected }, options)
        })
    },
];

/// The rule called `name`.
pub fn by_name(name: &str) -> Option<&'static NamedRule> {
    RULES.iter().find(|rule| rule.name == name)
}
