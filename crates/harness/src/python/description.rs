//! The output of a build, for the launcher: one small file per file with benchmarks.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::Executable;

/// The launcher's file in a build's directory.
pub(super) const LAUNCHER: &str = "launch.py";
/// The virtual environment in a build's directory.
pub(super) const ENVIRONMENT: &str = "venv";
/// The directory for byte code of the check-out's files.
const BYTE_CODE: &str = "pycache";
/// Maximum length of a description's file name, which every file system permits.
const LONGEST_NAME: usize = 200;

/// The tool that runs a file's benchmarks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Flavour {
    /// Tests with the fixture `benchmark`.
    PytestBenchmark,
    /// Scripts with a `pyperf.Runner`.
    Pyperf,
}

impl Flavour {
    /// Its name, which is also that of its package.
    pub(super) fn word(self) -> &'static str {
        match self {
            Flavour::PytestBenchmark => "pytest-benchmark",
            Flavour::Pyperf => "pyperf",
        }
    }

    /// The flavour of an executable of this harness.
    pub(super) fn of(executable: &Executable) -> Flavour {
        match executable.flavour.as_str() {
            "pyperf" => Flavour::Pyperf,
            _ => Flavour::PytestBenchmark,
        }
    }
}

/// The contents of a description. It contains no absolute path, so that it is equal in two builds of the same
/// files. It contains every package of the environment, so that it differs if dependencies do.
#[derive(Debug, Serialize)]
pub(super) struct Description<'a> {
    /// The tool.
    pub(super) flavour: &'a str,
    /// The file, relative to the project, with `/`.
    pub(super) file: &'a str,
    /// Modules of the project itself.
    pub(super) own_names: &'a [String],
    /// Where they are installed, relative to the build's directory.
    pub(super) own_directory: &'a str,
    /// Options that the environment's packages make necessary.
    pub(super) options: &'a [&'a str],
    /// The installed packages with versions.
    pub(super) packages: &'a BTreeMap<String, String>,
}

/// The name of a description's file. It depends only on the described file, so that it has the same length in
/// every version.
pub(super) fn file_name(file: &str) -> PathBuf {
    let flat = file.replace('/', "@");
    if flat.len() <= LONGEST_NAME {
        return format!("{flat}.json").into();
    }
    let hash = flat.bytes().fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    let end: Vec<char> = flat.chars().rev().take(40).collect();
    format!("{hash:016x}@{}.json", end.into_iter().rev().collect::<String>()).into()
}

/// The file that belongs to an executable, relative to the project. Packages are named by the path from the
/// version's root.
pub(super) fn file_of(executable: &Executable) -> &Path {
    let file = Path::new(&executable.package);
    file.strip_prefix(&executable.dir).unwrap_or(file)
}

/// The interpreter of a build.
pub(super) fn interpreter(out: &Path) -> PathBuf {
    out.join(ENVIRONMENT).join("bin/python")
}

/// The first arguments of every call: the launcher, what to launch, and the mode.
pub(super) fn launch(out: &Path, executable: &Executable, mode: &str, subject: OsString) -> Vec<OsString> {
    vec![out.join(LAUNCHER).into(), out.join(&executable.path).into(), mode.into(), subject]
}

/// Environment variables of every call. Byte code is always written, whatever the environment says. It is
/// stored in the build, and without it every process would compile pytest again.
pub(super) fn variables(out: &Path) -> Vec<(String, OsString)> {
    vec![
        ("PYTHONPYCACHEPREFIX".into(), out.join(BYTE_CODE).into()),
        ("PYTHONDONTWRITEBYTECODE".into(), OsString::new()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_flat_and_bounded() {
        assert_eq!(file_name("tests/test_a.py"), Path::new("tests@test_a.py.json"));
        let long = file_name(&format!("{}/test_größe.py", "d".repeat(300)));
        assert!(long.as_os_str().len() < LONGEST_NAME && long.to_string_lossy().ends_with("größe.py.json"));
        assert_ne!(long, file_name(&format!("{}/test_größe.py", "d".repeat(301))));
    }
}
