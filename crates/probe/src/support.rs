//! The code that edited functions call.

use crate::Target;
use crate::insertion::TAIL_MARK;

/// The environment variable with the directory that processes write their counters into. Without it they write none.
pub const DIRECTORY_VARIABLE: &str = "BENCHWRIGHT_PROBE_DIR";

/// The name that edited Go files know the package by.
pub(crate) const GO_NAME: &str = "benchwrightprobe";

/// The code that edited functions call, and where it has to be put.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Support {
    /// New files.
    Files(Vec<SupportFile>),
    /// Text to put at the end of each crate root whose crate has edited functions, edited or not: `lib.rs`, `main.rs`.
    EndOfCrateRoot(String),
}

/// A new file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SupportFile {
    /// Where it has to be, with `/`: below the directory of `go.mod`, or below a directory of Java sources.
    pub path: String,
    /// Its content.
    pub text: String,
}

/// The code that edited functions with numbers below `count` call. It is the same for every [`Change`](crate::Change).
///
/// - Go: a package within the module, for Unix systems. The files can be in an overlay, but their directory has to exist
///   on the disk, if only empty, because the assembler runs in it.
/// - Java: a class, for Java 8 or newer. If a program has several parts with their own sources, one of them that all
///   others see has to contain it.
/// - Rust: a module without unsafe code, for Rust 1.66 or newer and all editions. A crate that forbids every warning
///   there is can be built with `--cap-lints warn`.
pub fn support(target: &Target, count: u32) -> Support {
    let count = count.max(1).to_string();
    let filled = |text: &str| text.replace("__COUNT__", &count);
    match target {
        Target::Go { .. } => {
            let file = |(name, text): &(&str, &str)| SupportFile {
                path: format!("internal/{GO_NAME}/{name}"),
                text: filled(text),
            };
            Support::Files(GO_FILES.iter().map(file).collect())
        }
        Target::Java => {
            let text = filled(include_str!("../runtime/Probe.java"));
            Support::Files(vec![SupportFile { path: "benchwright/Probe.java".to_owned(), text }])
        }
        Target::Rust => {
            let text = filled(include_str!("../runtime/probe.rs.in"));
            Support::EndOfCrateRoot(format!("\n{TAIL_MARK}\n{text}"))
        }
    }
}

const GO_FILES: [(&str, &str); 5] = [
    ("probe.go", include_str!("../runtime/go/probe.go")),
    ("goroutine_asm.go", include_str!("../runtime/go/goroutine_asm.go")),
    ("goroutine_amd64.s", include_str!("../runtime/go/goroutine_amd64.s")),
    ("goroutine_arm64.s", include_str!("../runtime/go/goroutine_arm64.s")),
    ("goroutine_other.go", include_str!("../runtime/go/goroutine_other.go")),
];

/// The import path of the package.
pub(crate) fn go_import(module: &str) -> String {
    format!("{module}/internal/{GO_NAME}")
}
