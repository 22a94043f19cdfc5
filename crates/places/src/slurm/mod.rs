//! The nodes of a Slurm cluster.
//!
//! 1. Calls are bundled into requests of a few duets of one benchmark; each is a file in a directory that all nodes see
//!    (`directory`);
//! 2. a wave of them is one job array, submitted under a name that follows from what is in it, so that nothing is ever submitted
//!    twice, not even when the controller's answer got lost (`controller`);
//! 3. on its node each task of the array carries out one request and puts its response beside it, under its final name only
//!    when it is whole ([`serve_task`]);
//! 4. [`Slurm`] collects responses by looking at the directory, which costs nothing, and asks the controller only about what is
//!    missing. Tasks that ended without a response (cancelled, node lost) are submitted again.
//!
//! A controller that does not answer is waited for; the nodes go on without it. Responses of a benchwright that was killed are
//! taken up by the one that goes on with the run, and what it left in the queue is cancelled.

mod controller;
mod directory;
mod error;
mod node;
mod place;
mod settings;
mod task;

pub use error::SlurmError;
pub use node::{NodeError, serve_task};
pub use place::Slurm;
pub use settings::SlurmSettings;
