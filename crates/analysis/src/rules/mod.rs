//! Decision rules: how verdicts are made.
//!
//! A rule is a [`DecisionRule`] in a module of its own, with an entry in [`RULES`]. Settings, help, the
//! judge, predictions and the commands use this interface and do not depend on single rules.

mod catalogue;
mod fixed;
pub(crate) mod limits;
pub(crate) mod paired;
mod rule;

pub use catalogue::{NamedRule, RULES, RuleOptions, by_name};
pub use fixed::{FixedRule, FixedSample};
pub(crate) use fixed::{Outcome, growing_median_ratio, median_ratio};
pub use limits::{DuetLimits, LAYOUTS, MOST_DUETS, MOST_FRESH, most_duets};
pub use paired::{Confirm, PairedSettings};
pub use rule::{ConfirmationLimits, DecisionRule, Rule};
