//! Studies: the papers' own tables and figures on their recorded data, next to what the papers print.
//!
//! 1. `recorded` finds the data and reads it through `formats`;
//! 2. `uoptime` repeats the study of µOpTime (reduced configurations) and writes `docs/studies/uoptime.md`;
//! 3. `for_compare` compares plans made for comparisons with µOpTime's where the truth is known;
//! 4. `labels` compares our steady-state labels with those of Traini et al.;
//! 5. `warmup` repeats the study of Traini et al. 2024 (when is warm-up over?) and writes `docs/studies/warmup.md`;
//! 6. `elastic` repeats the figures of ElastiBench and simulates function platforms of any size;
//! 7. `plot` draws the pictures beside the documents, `random` is what they draw lots with.
//!
//! All numbers come from `analysis`, `stats` and `steady`; here they are only arranged. Studies take minutes, so they are no part of `ci`, which runs
//! them on a small excerpt.

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
