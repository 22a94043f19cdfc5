//! The study of Traini, Di Menna & Cortellessa (ASE 2024) on its own data: when is warm-up over?
//!
//! 1. `recording` reads the series, their labels and what the authors' configurations decided;
//! 2. `stops` collects where rules stop: decided in folds (`studies/warmup/folds`), by the authors, or replayed here;
//! 3. `interval` resamples, `score` judges a rule by itself, `against` holds it against another;
//! 4. `document`, `figures` and `pictures` set ours beside what was `published`.
//!
//! A trained rule is scored by models that never saw the benchmark: its decisions in folds are kept, the embedded models are not used here.

mod against;
mod command;
mod document;
mod figures;
mod folds;
mod interval;
mod pictures;
mod prose;
mod published;
mod recording;
mod repeat;
mod score;
mod stops;
#[cfg(test)]
mod tests;

pub(super) use command::study;
