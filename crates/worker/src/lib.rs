//! Carries out one call on this machine.
//!
//! A [`Call`] is plain owned data: what to run, on which side first, under which limits. The same code carries it
//! out on this machine and inside a function instance.
//!
//! 1. The task of the call lists the trials: a duet (one per side, one after the other or at once on two cores), or a
//!    single trial;
//! 2. each trial gets a fresh process, a scratch directory, and an environment that is the same on both sides byte
//!    for byte, except for the side's own paths, which are equally long ([`CommonEnvironment`]);
//! 3. its output goes line by line to the reader of the harness. If the reader sees every iteration as it
//!    appears, a stop rule ends the process and marks its warm-up. If values come at the end, the rule finds
//!    the warm-up then;
//! 4. the outcome of the trial follows from the end of the process and the result of the reader: values, or a
//!    failure with the message of the benchmark. A failed benchmark is data, not an error.
//!
//! Calls from other machines are received as requests and answered by responses: [`wire`]. For functions
//! these are sent in an [`envelope`]. Trials of commands are processes of [`driver`], in the program that
//! contains the worker. [`machine`] describes this machine and how well it can measure.
//!
//! This crate does not use versions, plans, verdicts or journals: it does not choose what runs next and stores
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
