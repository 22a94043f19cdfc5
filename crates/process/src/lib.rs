//! Start one process, stream its output, limit it, kill its whole group, account for it.
//!
//! Everything benchwright starts goes through [`run`]: tools that build, programs that list, trials. The room
//! promises that nothing it started outlives the call, whatever the program does.
//!
//! 1. A [`Command`] is started in a process group of its own, with nothing on standard input;
//! 2. its output goes chunk by chunk to a closure, which may end the process at any moment with [`Flow::Stop`];
//! 3. limits of wall time, output and memory and a shared [`Interrupt`] end it too;
//! 4. however it ends, what is left of its group is killed, and its [`Usage`] is read from the kernel;
//! 5. what has left the group, as daemons do, is found by its parentage and a mark in its environment, and killed as well;
//! 6. should benchwright itself be killed, a guardian process does all this for what was running.
//!
//! A program that is itself run this way and starts another one again and again, to time it, uses [`Repeated`]: no group, no
//! pipes and no limits of its own, since the outer call has them all, and therefore as cheap as a start can be.
//!
//! The room is the only one with unsafe code. It does not know what a benchmark is, keeps no log and never decides
//! whether an exit status is good or bad. Out of reach is only who leaves its group and clears its environment while other
//! calls go on, and, on other systems than Linux, who leaves its group; it cannot make a call hang.

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
