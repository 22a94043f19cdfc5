//! Errors of a cluster.

use std::io;
use std::path::PathBuf;

use benchwright_process::StartError;
use benchwright_worker::wire::WireError;

use crate::PlaceError;

/// Errors of a cluster.
#[derive(Debug, thiserror::Error)]
pub enum SlurmError {
    /// Slurm's commands are not installed.
    #[error("find Slurm's command `{0}`")]
    NoCommand(&'static str),
    /// A command of Slurm could not be started.
    #[error("run Slurm's command `{command}`")]
    Start {
        /// The command.
        command: &'static str,
        /// Why not.
        source: StartError,
    },
    /// The controller does not answer, but may do so later.
    #[error("reach the controller of Slurm: {0}")]
    Unreachable(String),
    /// Slurm refused.
    #[error("run `{command}`: {words}")]
    Refused {
        /// The command.
        command: &'static str,
        /// Slurm's message.
        words: String,
    },
    /// A file of the shared directory.
    #[error("use `{}`, which all nodes have to see", .path.display())]
    Directory {
        /// The file or directory.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// A call that cannot be written down.
    #[error("write a call for another node")]
    Wire(#[from] WireError),
}

impl SlurmError {
    /// Advice for the user. Empty if there is none.
    pub fn hint(&self) -> String {
        match self {
            SlurmError::NoCommand(_) => {
                "`--on slurm` submits jobs: run it where sbatch, squeue and scancel are installed, such as a login node \
                 of the cluster (Debian: package slurm-client), or measure with `--on local`"
                    .into()
            }
            SlurmError::Unreachable(_) => {
                "look at `sinfo` and `scontrol ping`; `benchwright compare --resume` continues the comparison"
                    .into()
            }
            SlurmError::Refused { .. } => "look at `[slurm]` in benchwright.toml and at `sinfo`".into(),
            SlurmError::Directory { .. } => {
                "set BENCHWRIGHT_CACHE to a directory on a file system that the nodes share".into()
            }
            SlurmError::Start { .. } | SlurmError::Wire(_) => String::new(),
        }
    }
}

impl From<SlurmError> for PlaceError {
    fn from(error: SlurmError) -> Self {
        let (what, hint) = (error.to_string(), error.hint());
        let source: Option<Box<dyn std::error::Error + Send + Sync>> = match error {
            SlurmError::Start { source, .. } => Some(Box::new(source)),
            SlurmError::Directory { source, .. } => Some(Box::new(source)),
            SlurmError::Wire(source) => Some(Box::new(source)),
            SlurmError::NoCommand(_) | SlurmError::Unreachable(_) | SlurmError::Refused { .. } => None,
        };
        PlaceError::Elsewhere { what, hint, source }
    }
}
