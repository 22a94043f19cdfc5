//! Starts one process, streams its output, limits it, kills its whole group, and measures the resources it
//! used.
//!
//! Everything that benchwright starts goes through [`run`]: build tools, programs that list benchmarks,
//! trials. No process that was started here outlives the call, whatever the program does.
//!
//! 1. A [`Command`] is started in its own process group, with empty standard input;
//! 2. its output is passed chunk by chunk to a closure, which may end the process at any time with
//!    [`Flow::Stop`];
//! 3. limits on wall time, output and memory and a shared [`Interrupt`] end it too;
//! 4. when it ends, the rest of its group is killed, and its [`Usage`] is read from the kernel;
//! 5. processes that left the group, as daemons do, are found by their parents and a mark in their
//!    environment, and killed;
//! 6. if benchwright itself is killed, a guardian process does all this for the running processes.
//!
//! A program that runs under these limits and repeatedly starts another program to time it uses [`Repeated`].
//! It has no group, no pipes and no limits, because the outer call has them, so starting is as cheap as
//! possible.
//!
//! Only this crate and `steady` have unsafe code. This crate does not interpret exit statuses and writes no
//! log. It cannot find a process that leaves its group and clears its environment while other calls run, and,
//! on systems other than Linux, any process that leaves its group. Such a process cannot make a call hang.

mod command;
mod escape;
mod exit;
mod guardian;
mod interrupt;
mod lines;
mod memory;
mod repeated;
mod run;
mod start;
mod system;

pub use command::{Command, Environment, Limits, StartError};
pub use exit::{Ending, Exit, Usage};
pub use interrupt::Interrupt;
pub use lines::Lines;
pub use repeated::Repeated;
pub use run::{Flow, Stream, capture, run};
pub use system::usable_cores;
