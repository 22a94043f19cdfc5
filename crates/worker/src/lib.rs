//! Carry out one call on this machine.
//!
//! A [`Call`] is plain owned data: what to run, on which side first, under which limits. The same code carries it
//! out here and inside a function instance.
//!
//! 1. The call's task says which trials are due: a duet (one per side, one after the other or at once on two
//!    cores), or a single one;
//! 2. each trial gets a fresh process, a scratch directory and an environment that is the same on both sides byte
//!    for byte, but for the side's own paths, which are equally long ([`CommonEnvironment`]);
//! 3. its output goes line by line to the harness' reader; where that sees every iteration as it appears, a stop rule
//!    ends the process and marks its warm-up; where values come at the end, it finds warm-up then;
//! 4. how the process ended and what the reader understood make the trial's outcome: values, or a failure with
//!    the benchmark's own words. A failed benchmark is data, not an error.
//!
//! Calls from elsewhere come as a parcel and go back as a delivery: [`wire`]; functions get theirs in an
//! [`envelope`]. Trials of commands are processes of [`driver`], in whichever binary the worker is. Beside that, [`machine`] says what machine this is and how well it can measure.
//!
//! The room does not know versions, plans, verdicts or journals: it does not choose what runs next and keeps
//! nothing.

mod call;
pub mod driver;
pub mod envelope;
mod environment;
pub mod machine;
mod outcome;
mod setup;
mod stopping;
mod tail;
mod trial;
mod turns;
mod watch;
pub mod wire;
mod worker;

pub use call::{BuildPlace, Call, CallError, Earlier, Pairing, Program, Subject, Task, TrialLimits};
pub use environment::{CommonEnvironment, PADDING_VARIABLE};
pub use setup::{measuring_secs, setup_time};
pub use stopping::{Asked, stop_plan};
pub use worker::Worker;
