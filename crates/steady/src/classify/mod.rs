//! Trained rules: when is warm-up over, in the opinion of something that saw thousands of processes?
//!
//! - [`Windowed`]: a [`Classifier`](crate::nets::Classifier) judges the last 100 iterations, as published by Traini et al. 2024.
//! - [`Learned`] and [`LearnedPlan`]: the product's own. A process is ended when, by what `prefix` and `features` tell of it, going on
//!   would not bring the mean nearer to the steady one; the sixth of a benchmark runs long, for those after it to be compared with. Boosted
//!   `trees` estimate that, and also where warm-up ended.
//! - [`training`] makes the models of the learned rule from a user's own processes.
//! - [`Regrouped`] and [`RegroupedPlan`] make iterations of 0.1 s, on which all were trained, of shorter ones.
//!
//! How they were trained and judged stands in `studies/warmup` and `docs/models/`.

mod choice;
mod features;
mod learned;
mod learned_plan;
mod prefix;
mod regrouped;
mod trained;
pub mod training;
mod trees;
mod windowed;

pub use learned::Learned;
pub use learned_plan::LearnedPlan;
pub use regrouped::{Regrouped, RegroupedPlan};
pub use trained::{Policy, Settings, Trained};
pub use windowed::Windowed;
