//! What of a program travels to a machine where nothing is installed.

use std::path::{Path, PathBuf};

use crate::Executable;

/// Which program is to travel.
#[derive(Debug, Clone)]
pub struct LuggageRequest<'a> {
    /// The root of the version's files.
    pub root: &'a Path,
    /// The build's directory.
    pub out: &'a Path,
    /// The program.
    pub executable: &'a Executable,
}

/// What a program takes along beside the data in its working directory.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Luggage {
    /// Native programs that are started there, by where they lie here: what they need of a system can be seen.
    pub programs: Vec<PathBuf>,
    /// Files and directories of the build, relative to its directory.
    pub out: Vec<PathBuf>,
    /// Files of the version, relative to its root, wherever they lie in it.
    pub root: Vec<PathBuf>,
}

impl Luggage {
    /// That of a program that is one native file.
    pub(crate) fn of_one(request: &LuggageRequest<'_>) -> Luggage {
        Luggage { programs: vec![request.out.join(&request.executable.path)], ..Luggage::default() }
    }
}
