//! The command to start.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// One process to be started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// The program: a path, or a name looked up in PATH. A path starts faster.
    pub program: OsString,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Working directory. A relative `program` path is resolved against benchwright's own working directory or
    /// this one, depending on the system, so give an absolute one.
    pub dir: PathBuf,
    /// Its environment variables.
    pub env: Environment,
    /// The processor cores it may use; `None` for all. Linux only.
    pub cores: Option<Vec<usize>>,
    /// Its niceness, -20 to 19; `None` to inherit. Values below benchwright's own need privileges.
    pub niceness: Option<i32>,
    /// When to end it by force.
    pub limits: Limits,
    /// Whether what it starts elsewhere may go on after it, as the jobs of a cluster do: it carries no mark.
    pub lets_go: bool,
}

impl Command {
    /// `program` in the directory `dir`, with the inherited environment and no limits.
    pub fn new(program: impl Into<OsString>, dir: impl Into<PathBuf>) -> Self {
        Command {
            program: program.into(),
            args: Vec::new(),
            dir: dir.into(),
            env: Environment::default(),
            cores: None,
            niceness: None,
            limits: Limits::default(),
            lets_go: false,
        }
    }

    /// The same, where what it starts elsewhere may go on after it.
    pub fn letting_go(self) -> Self {
        Command { lets_go: true, ..self }
    }

    /// The same with these arguments after those it has.
    pub fn args<A: Into<OsString>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// The same with this environment.
    pub fn env(self, env: Environment) -> Self {
        Command { env, ..self }
    }

    /// The same with this limit on its wall time.
    pub fn wall_limit(mut self, wall: Duration) -> Self {
        self.limits.wall = wall;
        self
    }

    /// The same with this limit on its output.
    pub fn output_limit(mut self, bytes: u64) -> Self {
        self.limits.output_bytes = bytes;
        self
    }

    /// The same with this limit on its memory.
    pub fn memory_limit(mut self, bytes: u64) -> Self {
        self.limits.memory_bytes = bytes;
        self
    }
}

/// The environment variables of a process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Environment {
    /// Benchwright's own, changed.
    Inherit {
        /// Variables set.
        set: Vec<(OsString, OsString)>,
        /// Variables removed; setting wins.
        remove: Vec<OsString>,
    },
    /// These and no others. The process sees them sorted by name; of a name given twice the later value counts.
    Exact(Vec<(OsString, OsString)>),
}

impl Default for Environment {
    /// Benchwright's own, unchanged.
    fn default() -> Self {
        Environment::Inherit { set: Vec::new(), remove: Vec::new() }
    }
}

/// When to end a process by force.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Longest time from start to exit; [`Duration::MAX`] for no limit.
    pub wall: Duration,
    /// Most bytes on standard output and standard error together; [`u64::MAX`] for no limit.
    pub output_bytes: u64,
    /// Most bytes of memory that it and everything it started hold at a time; [`u64::MAX`] for no limit. Linux only. Memory is
    /// looked at from time to time, so that a short excess may go unseen.
    pub memory_bytes: u64,
}

impl Default for Limits {
    /// None.
    fn default() -> Self {
        Limits { wall: Duration::MAX, output_bytes: u64::MAX, memory_bytes: u64::MAX }
    }
}

/// Why a process could not be started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// There is no such program.
    #[error("find the program `{}`", .program.display())]
    NoProgram {
        /// The program looked for.
        program: OsString,
    },
    /// Its working directory does not exist.
    #[error("enter the directory `{}`", .dir.display())]
    NoDirectory {
        /// The directory.
        dir: PathBuf,
    },
    /// The cores asked for do not exist, are not allowed, or the system cannot pin.
    #[error("pin `{}` to cores {cores:?}", .program.display())]
    Cores {
        /// The program.
        program: OsString,
        /// The cores asked for.
        cores: Vec<usize>,
        /// What the system says.
        source: io::Error,
    },
    /// The niceness asked for is not allowed.
    #[error("give `{}` niceness {niceness}", .program.display())]
    Niceness {
        /// The program.
        program: OsString,
        /// The niceness asked for.
        niceness: i32,
        /// What the system says.
        source: io::Error,
    },
    /// Anything else the system says: not executable, no memory, too many processes.
    #[error("start `{}`", .program.display())]
    System {
        /// The program.
        program: OsString,
        /// What the system says.
        source: io::Error,
    },
}

impl StartError {
    /// Advice for the user; empty if there is none.
    pub fn hint(&self) -> &'static str {
        match self {
            StartError::NoProgram { .. } => "check the spelling, or add its directory to PATH",
            StartError::NoDirectory { .. } | StartError::System { .. } => "",
            StartError::Cores { .. } => {
                "`nproc` counts the usable cores; a container may allow fewer than exist"
            }
            StartError::Niceness { .. } => "a negative niceness needs root or CAP_SYS_NICE",
        }
    }
}
