//! The number of duets of a benchmark.

use benchwright_analysis::rules::{LAYOUTS, RuleOptions};

use crate::problem::Remarks;
use crate::setting::Setting;
use crate::value::Value;

/// Maximum number of screening duets with `--quick`.
pub(crate) const QUICK_MAX: u32 = 13;

/// Floor and caps of duets per benchmark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DuetSettings {
    /// Number of screening duets before the first look, at least 2.
    pub min: u32,
    /// Maximum number of screening duets, at least `min`.
    pub max: u32,
    /// Whether `max` was set. Otherwise it applies to harnesses without a maximum of their own.
    pub is_max_given: bool,
    /// Maximum number of fresh duets of a suspect.
    pub max_fresh: u32,
    /// Number of random code layouts per side for fresh duets. 0 means only that of the build.
    pub layouts: u32,
    /// Number of duets of a fixed-sample rule. `None` means the rule's own number.
    pub fixed: Option<u32>,
}

impl Default for DuetSettings {
    fn default() -> Self {
        let RuleOptions { min, max, max_fresh, duets, .. } = RuleOptions::default();
        DuetSettings { min, max, is_max_given: false, max_fresh, layouts: LAYOUTS, fixed: duets }
    }
}

#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct DuetLayer {
    pub(crate) min: Option<u32>,
    pub(crate) max: Option<u32>,
    pub(crate) max_fresh: Option<u32>,
    pub(crate) layouts: Option<u32>,
    pub(crate) fixed: Option<u32>,
}

impl DuetLayer {
    pub(crate) fn over(self, weaker: Self) -> Self {
        DuetLayer {
            min: self.min.or(weaker.min),
            max: self.max.or(weaker.max),
            max_fresh: self.max_fresh.or(weaker.max_fresh),
            layouts: self.layouts.or(weaker.layouts),
            fixed: self.fixed.or(weaker.fixed),
        }
    }

    /// Adds the defaults. A minimum above a default maximum raises the maximum, and a maximum below a default
    /// minimum lowers the minimum.
    pub(crate) fn resolve(self) -> DuetSettings {
        let default = DuetSettings::default();
        let (min, max) = match (self.min, self.max) {
            (Some(min), None) => (min, default.max.max(min)),
            (None, Some(max)) => (default.min.min(max), max),
            (min, max) => (min.unwrap_or(default.min), max.unwrap_or(default.max)),
        };
        DuetSettings {
            min,
            max,
            is_max_given: self.max.is_some(),
            max_fresh: self.max_fresh.unwrap_or(default.max_fresh),
            layouts: self.layouts.unwrap_or(default.layouts),
            fixed: self.fixed,
        }
    }
}

pub(crate) const SETTINGS: &[Setting] = &[
    Setting { key: "min-duets", apply: |layer, value, remarks| layer.duets.min = count(value, 2, remarks) },
    Setting { key: "max-duets", apply: |layer, value, remarks| layer.duets.max = count(value, 2, remarks) },
    Setting {
        key: "max-fresh-duets",
        // With fewer than five fresh duets, the evidence that a single suspect needs cannot be reached.
        apply: |layer, value, remarks| layer.duets.max_fresh = count(value, 5, remarks),
    },
    Setting { key: "layouts", apply: |layer, value, remarks| layer.duets.layouts = count(value, 0, remarks) },
    Setting { key: "duets", apply: |layer, value, remarks| layer.duets.fixed = count(value, 2, remarks) },
];

fn count(value: &Value, least: i64, remarks: &mut Remarks) -> Option<u32> {
    remarks.keep(value.count(&format!("a whole number from {least} to 100000"), least..=100_000))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_may_be_switched_off_and_are_never_negative() {
        let layouts = |text: &str| crate::read_text("f", text).map(|layer| layer.duets.resolve().layouts);
        assert_eq!(layouts("layouts = 0").expect("a number"), 0);
        assert_eq!(layouts("layouts = 7").expect("a number"), 7);
        assert_eq!(layouts("").expect("nothing"), DuetSettings::default().layouts);
        assert!(layouts("layouts = -1").is_err());
    }

    #[test]
    fn a_floor_lifts_a_cap_that_was_not_given_and_a_cap_lowers_the_floor() {
        let check = |min, max, expected| {
            let settings = DuetLayer { min, max, ..DuetLayer::default() }.resolve();
            assert_eq!((settings.min, settings.max), expected);
        };
        check(None, None, (5, 40));
        check(Some(50), None, (50, 50));
        check(None, Some(3), (3, 3));
        check(Some(4), Some(6), (4, 6));
    }
}
