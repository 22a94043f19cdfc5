//! Repeats the study of Traini, Di Menna & Cortellessa (ASE 2024) on its own data: when is warm-up over?
//!
//! 1. `recording` reads the series, their labels and the decisions of the authors' configurations;
//! 2. `stops` collects where rules stop: decided in folds (`studies/warmup/folds`), by the authors, or
//!    replayed here;
//! 3. `interval` resamples, `score` evaluates a single rule, and `against` compares it with a baseline;
//! 4. `document`, `figures` and `pictures` show our numbers next to those in `published`.
//!
//! A trained rule is evaluated with models that were not trained on the benchmark. So its stored decisions in
//! folds are used here, and not the embedded models.

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
