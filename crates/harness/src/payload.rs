//! The files of a program that are sent to a machine where nothing is installed.

use std::path::{Path, PathBuf};

use crate::Executable;

/// The program to send.
#[derive(Debug, Clone)]
pub struct PayloadRequest<'a> {
    /// The root of the version's files.
    pub root: &'a Path,
    /// The build's directory.
    pub out: &'a Path,
    /// The program.
    pub executable: &'a Executable,
}

/// The files sent with a program, in addition to the data in its working directory.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Payload {
    /// Native programs that are started there, as paths on this machine. The system libraries they need can
    /// be found by examining them.
    pub programs: Vec<PathBuf>,
    /// Files and directories of the build, relative to its directory.
    pub out: Vec<PathBuf>,
    /// Files of the version, relative to its root.
    pub root: Vec<PathBuf>,
}

impl Payload {
    /// The payload of a program that is a single native file.
    pub(crate) fn of_one(request: &PayloadRequest<'_>) -> Payload {
        Payload { programs: vec![request.out.join(&request.executable.path)], ..Payload::default() }
    }
}
