//! The environment variables all trials share.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::Path;

use crate::Program;

/// The environment variable that enlarges environments by [`Call::padding`](crate::Call::padding) bytes.
pub const PADDING_VARIABLE: &str = "BENCHWRIGHT_PADDING";

/// Variables that describe how benchwright itself was started and would mislead the programs it starts.
const ALWAYS_REMOVED: [&str; 18] = [
    "_",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_DIR",
    "GIT_INDEX_FILE",
    "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_QUARANTINE_PATH",
    "GIT_WORK_TREE",
    "MAKEFLAGS",
    "MAKELEVEL",
    "MFLAGS",
    "OLDPWD",
    "PWD",
    "RUST_RECURSION_COUNT",
    "RUSTUP_TOOLCHAIN_SOURCE",
    "SHLVL",
];

/// Variables that `cargo run` and `cargo test` set for the programs they start, apart from `CARGO_PKG_…` and
/// `CARGO_BIN_EXE_…`. Settings of the user (`CARGO_HOME`, `CARGO_NET_OFFLINE`, `RUSTFLAGS`) are not included.
/// The tool chain is included because rustup chose it for cargo, not for the measured project.
const SET_BY_CARGO: [&str; 12] = [
    "CARGO",
    "CARGO_BIN_NAME",
    "CARGO_CRATE_NAME",
    "CARGO_MAKEFLAGS",
    "CARGO_MANIFEST_DIR",
    "CARGO_MANIFEST_LINKS",
    "CARGO_MANIFEST_PATH",
    "CARGO_PRIMARY_PACKAGE",
    "CARGO_RUSTC_CURRENT_DIR",
    "CARGO_TARGET_TMPDIR",
    "OUT_DIR",
    "RUSTUP_TOOLCHAIN",
];

/// Search paths for libraries. Cargo adds its own directories to them.
const LIBRARY_PATHS: [&str; 2] = ["LD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH"];

/// The environment variables of every process of a run, fixed once at its start.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CommonEnvironment {
    variables: BTreeMap<OsString, OsString>,
}

impl CommonEnvironment {
    /// Benchwright's own environment, without variables that describe benchwright or how it was started.
    pub fn capture() -> Self {
        let target = std::env::current_exe().ok().and_then(|path| path.parent().map(Path::to_path_buf));
        CommonEnvironment::cleaned(std::env::vars_os(), target.as_deref())
    }

    /// Exactly these variables.
    pub fn exactly(variables: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        CommonEnvironment { variables: variables.into_iter().collect() }
    }

    /// Sets one variable, such as `GIT_CEILING_DIRECTORIES`, which prevents git in a check-out from finding a
    /// repository around it.
    pub fn with(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.variables.insert(name.into(), value.into());
        self
    }

    /// The variables, sorted by name.
    pub fn variables(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.variables.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }

    /// The variables of one trial, sorted by name. Later sources win: common, the executable's own with
    /// `{root}` replaced, the trial's. The working directory and the padding are always set here.
    pub(crate) fn of_trial(
        &self,
        program: &Program,
        of_command: &[(String, OsString)],
        dir: &Path,
        padding: usize,
    ) -> Vec<(OsString, OsString)> {
        let mut all = self.variables.clone();
        let root = program.place.root.as_os_str();
        let own = program.executable.env.iter().map(|(name, value)| (name.into(), with_root(value, root)));
        all.extend(own);
        all.extend(of_command.iter().map(|(name, value)| (name.into(), value.clone())));
        all.insert("PWD".into(), dir.into());
        all.insert(PADDING_VARIABLE.into(), "x".repeat(padding).into());
        all.into_iter().collect()
    }

    /// `target` is the directory of benchwright's executable.
    fn cleaned(variables: impl Iterator<Item = (OsString, OsString)>, target: Option<&Path>) -> Self {
        let all: BTreeMap<OsString, OsString> = variables.collect();
        // Cargo passes its own path to every program that it starts.
        let is_under_cargo = all.contains_key(OsStr::new("CARGO"));
        let mut kept = BTreeMap::new();
        for (name, value) in all {
            let text = name.to_string_lossy();
            if text.starts_with("BENCHWRIGHT_")
                || ALWAYS_REMOVED.contains(&&*text)
                || is_under_cargo && is_set_by_cargo(&text)
                // A path in it names a single workspace for both versions, probably that of the working tree.
                || text == "GOWORK" && value != "off"
            {
                continue;
            }
            if is_under_cargo && LIBRARY_PATHS.contains(&&*text) {
                if let Some(rest) = without_cargos_directories(&value, target) {
                    kept.insert(name, rest);
                }
                continue;
            }
            kept.insert(name, value);
        }
        CommonEnvironment { variables: kept }
    }
}

fn is_set_by_cargo(name: &str) -> bool {
    SET_BY_CARGO.contains(&name) || name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_BIN_EXE_")
}

/// A library search path without cargo's target directory and without tool chains. `None` if nothing is left.
fn without_cargos_directories(value: &OsStr, target: Option<&Path>) -> Option<OsString> {
    // The executable of a test is in `deps` below the profile's directory; the path has both.
    let is_target = |entry: &Path| {
        target.is_some_and(|target| entry.starts_with(target) || target.parent() == Some(entry))
    };
    let is_toolchain = |entry: &Path| {
        entry.components().any(|part| part.as_os_str() == "rustlib")
            || entry.parent().is_some_and(|above| above.join("bin").join("rustc").is_file())
    };
    let is_cargos = |entry: &Path| is_target(entry) || is_toolchain(entry);
    let rest: Vec<_> = std::env::split_paths(value)
        .filter(|entry| !entry.as_os_str().is_empty() && !is_cargos(entry))
        .collect();
    if rest.is_empty() { None } else { std::env::join_paths(rest).ok() }
}

fn with_root(value: &str, root: &OsStr) -> OsString {
    let mut parts = value.split("{root}");
    let mut filled = OsString::from(parts.next().unwrap_or_default());
    for part in parts {
        filled.push(root);
        filled.push(part);
    }
    filled
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(before: &[(&str, &str)], after: &[(&str, &str)]) {
        let owned = |list: &[(&str, &str)]| -> Vec<(OsString, OsString)> {
            list.iter().map(|(name, value)| (name.into(), value.into())).collect()
        };
        let cleaned = CommonEnvironment::cleaned(owned(before).into_iter(), Some(Path::new("/t/release")));
        assert_eq!(cleaned, CommonEnvironment::exactly(owned(after)));
    }

    #[test]
    fn own_variables_and_the_way_of_the_start_are_removed() {
        check(
            &[("BENCHWRIGHT_CACHE", "/c"), ("PATH", "/bin"), ("PWD", "/repo"), ("GIT_DIR", "/repo/.git")],
            &[("PATH", "/bin")],
        );
    }

    #[test]
    fn settings_of_the_user_stay() {
        let all =
            [("CARGO_HOME", "/c"), ("LD_LIBRARY_PATH", "/t/release:/opt"), ("RUSTUP_TOOLCHAIN", "nightly")];
        check(&all, &all);
    }

    #[test]
    fn what_cargo_run_sets_is_removed() {
        check(
            &[
                ("CARGO", "/bin/cargo"),
                ("CARGO_HOME", "/c"),
                ("CARGO_MANIFEST_DIR", "/m"),
                ("CARGO_PKG_NAME", "n"),
                ("LD_LIBRARY_PATH", "/t/release/deps:/t/release:/opt/lib"),
                ("RUSTUP_TOOLCHAIN", "stable"),
            ],
            &[("CARGO_HOME", "/c"), ("LD_LIBRARY_PATH", "/opt/lib")],
        );
        check(&[("CARGO", "/bin/cargo"), ("LD_LIBRARY_PATH", "/t/release/deps")], &[]);
    }

    #[test]
    fn the_root_is_filled_in_everywhere() {
        let check = |value: &str, expected: &str| {
            assert_eq!(with_root(value, OsStr::new("/r")), OsString::from(expected));
        };
        check("{root}/a", "/r/a");
        check("{root}/a:{root}/b", "/r/a:/r/b");
        check("plain", "plain");
        check("", "");
    }
}
