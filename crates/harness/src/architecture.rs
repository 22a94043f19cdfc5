//! Processors that programs can be built for.

use std::fmt;

/// A processor architecture, for programs that will run on another machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Architecture {
    /// 64-bit Intel and AMD.
    X86,
    /// 64-bit ARM.
    Arm,
}

impl Architecture {
    /// The name used by AWS: `x86_64`, `arm64`.
    pub fn word(self) -> &'static str {
        match self {
            Architecture::X86 => "x86_64",
            Architecture::Arm => "arm64",
        }
    }

    /// The architecture of this machine, if it is one of these.
    pub fn here() -> Option<Self> {
        match std::env::consts::ARCH {
            "x86_64" => Some(Architecture::X86),
            "aarch64" => Some(Architecture::Arm),
            _ => None,
        }
    }
}

impl fmt::Display for Architecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}
