//! Studies: the papers' own tables and figures on their recorded data, next to what the papers print.
//!
//! 1. `recorded` finds the data and reads it through `exchange`;
//! 2. `uoptime` repeats the study of µOpTime (reduced configurations) and writes `docs/studies/uoptime.md`;
//! 3. `labels` compares our steady-state labels with those of Traini et al.;
//! 4. `plot` draws the pictures beside the documents.
//!
//! All numbers come from `analysis`; here they are only arranged. Studies take minutes, so they are no part of `ci`, which runs
//! them on a small excerpt.

mod command;
mod labels;
mod markdown;
mod plot;
pub(crate) mod recorded;
mod uoptime;

pub(crate) use command::study;
