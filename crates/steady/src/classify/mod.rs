//! Trained rules: a model that was trained on thousands of processes decides when warm-up is over.
//!
//! - [`Windowed`]: a [`Classifier`](crate::nets::Classifier) judges the last 100 iterations, as published by
//!   Traini et al. 2024.
//! - [`Learned`] and [`LearnedPlan`]: benchwright's own. A process is ended when, according to its `prefix`
//!   and `features`, continuing would not bring the mean closer to the steady one. The sixth process of a
//!   benchmark runs long, and later ones are compared with it. Boosted `trees` estimate this, and where
//!   warm-up ended.
//! - [`training`] makes the models of the learned rule from a user's own processes.
//! - [`Regrouped`] and [`RegroupedPlan`] combine shorter iterations to ones of 0.1 s, on which all models
//!   were trained.
//!
//! `studies/warmup` and `docs/models/` describe how they were trained and evaluated.

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
