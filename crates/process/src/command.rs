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
    /// Working directory. Depending on the system, a relative `program` path is resolved against it or
    /// against benchwright's own working directory, so use an absolute one.
    pub dir: PathBuf,
    /// Its environment variables.
    pub env: Environment,
    /// The processor cores it may use. `None` means all. Linux only.
    pub cores: Option<Vec<usize>>,
    /// Its niceness, -20 to 19. `None` inherits it. Values below benchwright's own need privileges.
    pub niceness: Option<i32>,
    /// When to end it by force.
    pub limits: Limits,
    /// Whether processes that it starts may outlive it, as the jobs of a cluster do. It then gets no mark.
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

    /// Lets processes that it starts outlive it.
    pub fn letting_go(self) -> Self {
        Command { lets_go: true, ..self }
    }

    /// Appends these arguments.
    pub fn args<A: Into<OsString>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Sets the environment.
    pub fn env(self, env: Environment) -> Self {
        Command { env, ..self }
    }

    /// Sets the limit on the wall time.
    pub fn wall_limit(mut self, wall: Duration) -> Self {
        self.limits.wall = wall;
        self
    }

    /// Sets the limit on the output.
    pub fn output_limit(mut self, bytes: u64) -> Self {
        self.limits.output_bytes = bytes;
        self
    }

    /// Sets the limit on the memory.
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
        /// Variables that are removed. Variables that are set take precedence.
        remove: Vec<OsString>,
    },
    /// Exactly these variables. The process gets them sorted by name. If a name occurs twice, the later value
    /// counts.
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
    /// Maximum time from start to exit. [`Duration::MAX`] means no limit.
    pub wall: Duration,
    /// Maximum number of bytes on standard output and standard error together. [`u64::MAX`] means no limit.
    pub output_bytes: u64,
    /// Maximum number of bytes of memory that it and its descendants hold at a time. [`u64::MAX`] means no
    /// limit. Linux only. Memory is checked from time to time, so a short excess may go unnoticed.
    pub memory_bytes: u64,
}

impl Default for Limits {
    /// No limits.
    fn default() -> Self {
        Limits { wall: Duration::MAX, output_bytes: u64::MAX, memory_bytes: u64::MAX }
    }
}

/// Why a process could not be started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The program does not exist.
    #[error("find the program `{}`", .program.display())]
    NoProgram {
        /// The program that was not found.
        program: OsString,
    },
    /// Its working directory does not exist.
    #[error("enter the directory `{}`", .dir.display())]
    NoDirectory {
        /// The directory.
        dir: PathBuf,
    },
    /// The requested cores do not exist, are not allowed, or the system does not support pinning.
    #[error("pin `{}` to cores {cores:?}", .program.display())]
    Cores {
        /// The program.
        program: OsString,
        /// The requested cores.
        cores: Vec<usize>,
        /// The error of the system.
        source: io::Error,
    },
    /// The requested niceness is not allowed.
    #[error("give `{}` niceness {niceness}", .program.display())]
    Niceness {
        /// The program.
        program: OsString,
        /// The requested niceness.
        niceness: i32,
        /// The error of the system.
        source: io::Error,
    },
    /// Any other error of the system: not executable, no memory, too many processes.
    #[error("start `{}`", .program.display())]
    System {
        /// The program.
        program: OsString,
        /// The error of the system.
        source: io::Error,
    },
}

impl StartError {
    /// Advice for the user. Empty if there is none.
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
