//! Recorded processes: since when they were steady, where rules would have ended them, and what can be learnt from them.

mod doubts;
mod replayed;
mod source;
mod train;
mod views;

pub use doubts::Doubts;
pub use replayed::stops;
pub use source::{ITERATION_S, Process, Source, find};
pub use train::{Training, train};
pub use views::{Groups, Place};
