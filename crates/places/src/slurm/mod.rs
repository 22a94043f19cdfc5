//! The nodes of a Slurm cluster.
//!
//! 1. Calls are grouped into requests of a few duets of one benchmark. Each is a file in a directory that all
//!    nodes can read (`directory`);
//! 2. a wave of requests is one job array. It is submitted under a name computed from its content, so that
//!    nothing is submitted twice, even if the controller's answer got lost (`controller`);
//! 3. on its node each task of the array carries out one request and writes its response beside it. The
//!    response gets its final name only when it is complete ([`serve_task`]);
//! 4. [`Slurm`] collects responses by reading the directory, which costs nothing, and asks the controller
//!    only about missing ones. Tasks that ended without a response (cancelled, node lost) are submitted
//!    again.
//!
//! If the controller does not answer, benchwright waits for it while the nodes continue. If benchwright is
//! killed, its responses are used when the run is resumed, and its tasks left in the queue are cancelled.

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
