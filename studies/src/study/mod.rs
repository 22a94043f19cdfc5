//! Studies: the papers' tables and figures, computed from their recorded data, next to what the papers print.
//!
//! 1. `recorded` finds the data and reads it through `formats`;
//! 2. `uoptime` repeats the study of µOpTime (reduced configurations) and writes `docs/studies/uoptime.md`;
//! 3. `for_compare` compares plans for comparisons with µOpTime's configurations where the truth is known;
//! 4. `labels` compares our steady-state labels with those of Traini et al.;
//! 5. `warmup` repeats the study of Traini et al. 2024 (when is warm-up over?) and writes
//!    `docs/studies/warmup.md`;
//! 6. `elastic` repeats the figures of ElastiBench and simulates function platforms of any size;
//! 7. `plot` draws the pictures for the documents, and `random` generates random numbers.
//!
//! `analysis`, `stats` and `steady` compute all numbers, and the studies only present them. Studies take
//! minutes, so `ci` only tests them on a small excerpt.

mod command;
mod elastic;
mod for_compare;
mod labels;
mod markdown;
mod plot;
mod random;
pub(crate) mod recorded;
mod uoptime;
mod warmup;

pub(crate) use command::study;
