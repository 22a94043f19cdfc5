//! The scripted suite: its files, and what its benchmarks do.

use std::fs;
use std::path::{Path, PathBuf};

/// The benchmarks of the suite, as benchwright names them without their package.
pub(crate) const NAMES: [&str; 3] = ["alpha", "beta", "gamma"];

/// A manifest that is built in the least time.
const MANIFEST: &str = r#"[package]
name = "scripted"
version = "0.1.0"
edition = "2021"

[[bench]]
name = "scripted"
harness = false

[profile.bench]
opt-level = 0
debug = false

[workspace]
"#;

const LOCK: &str = "version = 3\n\n[[package]]\nname = \"scripted\"\nversion = \"0.1.0\"\n";

/// The files of a version with these benchmarks. The scripts of its benchmarks are found by the version's name.
pub(crate) fn files(version: &str, names: &[&str]) -> Vec<(&'static str, String)> {
    vec![
        ("Cargo.toml", MANIFEST.to_owned()),
        ("Cargo.lock", LOCK.to_owned()),
        (".gitignore", "/target\n".to_owned()),
        ("benches/scripted.rs", include_str!("bench/scripted.rs").to_owned()),
        ("benchmarks.txt", format!("{}\n", names.join("\n"))),
        ("version.txt", format!("{version}\n")),
    ]
}

/// What the benchmarks of a sandbox do, and what they did.
pub(crate) struct Script(pub(crate) PathBuf);

impl Script {
    /// From now on the benchmark `name` of `version` does this: lines of the number of earlier results from which on a
    /// line applies, and commands separated by `; `.
    pub(crate) fn write(&self, name: &str, version: &str, lines: &str) {
        fs::write(self.0.join(format!("{name}.{version}")), lines).expect("the script is written");
    }

    /// Which processes were started, `NAME VERSION`, in order.
    pub(crate) fn started(&self) -> Vec<String> {
        self.lines("started")
    }

    /// What the processes were told, one line each.
    pub(crate) fn arguments(&self) -> Vec<String> {
        self.lines("arguments")
    }

    /// Processes that wait at a gate, or did.
    pub(crate) fn waiting(&self) -> Vec<String> {
        self.lines("waiting")
    }

    /// Lets those at a gate go on, and all that come later.
    pub(crate) fn open_gate(&self) {
        fs::write(self.0.join("go"), "").expect("the gate opens");
    }

    /// Those of the processes that hung, waited at a gate, or were children of benchmarks, which are still there.
    pub(crate) fn left_processes(&self) -> Vec<String> {
        let is_there = |pid: &String| {
            let state = fs::read_to_string(Path::new("/proc").join(pid).join("stat")).unwrap_or_default();
            let state = state.rsplit(") ").next().and_then(|rest| rest.chars().next());
            state.is_some_and(|state| !matches!(state, 'Z' | 'X'))
        };
        self.lines("processes").into_iter().filter(is_there).collect()
    }

    /// How many processes told of children or hung.
    pub(crate) fn processes(&self) -> usize {
        self.lines("processes").len()
    }

    fn lines(&self, file: &str) -> Vec<String> {
        let text = fs::read_to_string(self.0.join(file)).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }
}
