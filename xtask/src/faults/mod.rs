//! Fault trials: what the built program does when it is killed, when system calls fail and when files are
//! damaged. The requirements are in `docs/design/0018-fault-trials.md`.
//!
//! 1. `suites` makes small repositories with two versions, of which the second is slower;
//! 2. `world` runs benchwright in one of them and examines what is left afterwards;
//! 3. `kills`, `errors`, `files`, `kept` and `places` each make one kind of trial;
//! 4. `command` repeats trials until the time is over, and `summary` prints the table.
//!
//! All random choices of a trial depend only on the seed, the kind and the number of the trial.

mod answer;
mod calls;
mod command;
mod draw;
mod errors;
mod files;
mod kept;
mod kills;
mod mutation;
mod places;
mod suites;
mod summary;
mod world;

pub(crate) use command::faults;
