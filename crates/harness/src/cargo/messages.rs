//! Reads the output of Cargo with `--message-format=json`.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::metadata::Target;

/// The messages of one compilation.
#[derive(Debug, Default)]
pub(super) struct Messages {
    /// Units of this compilation.
    pub(super) artefacts: Vec<Artefact>,
    /// Errors, in their order.
    pub(super) errors: Vec<CompilerError>,
    /// Build scripts that ran, in this or an earlier compilation.
    pub(super) scripts: Vec<Script>,
}

/// A compiled unit.
#[derive(Debug, Clone)]
pub(super) struct Artefact {
    /// Cargo's name of the package.
    package_id: String,
    /// The manifest of its package.
    pub(super) manifest_path: PathBuf,
    /// Its target.
    pub(super) target: Target,
    /// The program, if the unit is one.
    pub(super) executable: Option<PathBuf>,
    /// All files, which distinguish units of the same target.
    filenames: Vec<PathBuf>,
    /// Whether Cargo reused it from an earlier compilation.
    fresh: bool,
    /// Whether it is compiled with its tests and `#[bench]` functions.
    is_test: bool,
}

/// An error of the compiler.
#[derive(Debug)]
pub(super) struct CompilerError {
    /// The manifest of the package.
    pub(super) manifest_path: PathBuf,
    /// The target.
    pub(super) target: Target,
    /// The message as the compiler would show it.
    pub(super) rendered: String,
}

/// A build script's results.
#[derive(Debug)]
pub(super) struct Script {
    /// Whether its package comes from a registry or another repository. Then the same unit always has the
    /// same results.
    pub(super) is_foreign: bool,
    /// Cargo's name of the package.
    package_id: String,
    /// Its output directory.
    pub(super) out_dir: PathBuf,
    /// Environment variables that it sets for its package.
    pub(super) env: Vec<(String, String)>,
}

/// A line of Cargo's output.
#[derive(Deserialize)]
struct Line {
    reason: String,
    #[serde(default)]
    package_id: String,
    #[serde(default)]
    manifest_path: PathBuf,
    target: Option<Target>,
    executable: Option<PathBuf>,
    #[serde(default)]
    filenames: Vec<PathBuf>,
    #[serde(default)]
    fresh: bool,
    profile: Option<Profile>,
    message: Option<CompilerMessage>,
    out_dir: Option<PathBuf>,
    #[serde(default)]
    env: Vec<(String, String)>,
}

#[derive(Deserialize)]
struct Profile {
    test: bool,
}

#[derive(Deserialize)]
struct CompilerMessage {
    level: String,
    rendered: Option<String>,
    #[serde(default)]
    message: String,
}

impl Messages {
    /// Reads Cargo's standard output. Other kinds of lines are ignored.
    pub(super) fn read(stdout: &str) -> Messages {
        let mut messages = Messages::default();
        let lines = stdout.lines().filter(|line| line.starts_with('{'));
        for line in lines.filter_map(|line| serde_json::from_str::<Line>(line).ok()) {
            messages.take(line);
        }
        messages
    }

    fn take(&mut self, line: Line) {
        match (line.reason.as_str(), line.target, line.message, line.out_dir) {
            ("compiler-artifact", Some(target), _, _) => self.artefacts.push(Artefact {
                package_id: line.package_id,
                manifest_path: line.manifest_path,
                target,
                executable: line.executable,
                filenames: line.filenames,
                fresh: line.fresh,
                is_test: line.profile.is_some_and(|profile| profile.test),
            }),
            ("compiler-message", Some(target), Some(message), _) if message.level.starts_with("error") => {
                let rendered = message.rendered.unwrap_or(message.message);
                self.errors.push(CompilerError { manifest_path: line.manifest_path, target, rendered });
            }
            ("build-script-executed", _, _, Some(out_dir)) => self.scripts.push(Script {
                is_foreign: !is_local(&line.package_id),
                package_id: line.package_id,
                out_dir,
                env: line.env,
            }),
            _ => {}
        }
    }

    /// Whether Cargo reused units of packages below `root` from an earlier compilation, other than those that
    /// `before` has just compiled. They may come from another version. This includes vendored packages, which
    /// Cargo treats as packages of a registry that never change.
    pub(super) fn has_stale_units(&self, before: &Messages, root: &Path) -> bool {
        let made = before.artefacts.iter().filter(|artefact| !artefact.fresh);
        let made: HashSet<&[PathBuf]> = made.map(|artefact| artefact.filenames.as_slice()).collect();
        let is_stale = |artefact: &&Artefact| {
            let is_ours = is_local(&artefact.package_id) || artefact.manifest_path.starts_with(root);
            artefact.fresh && is_ours && !made.contains(artefact.filenames.as_slice())
        };
        self.artefacts.iter().any(|artefact| is_stale(&artefact))
    }

    /// The programs that may contain benchmarks.
    pub(super) fn programs(&self) -> impl Iterator<Item = (&Artefact, &Path)> {
        let programs = self.artefacts.iter().filter(|artefact| artefact.is_bench_program());
        programs.filter_map(|artefact| Some((artefact, artefact.executable.as_deref()?)))
    }

    /// Environment variables that the package's own build script sets.
    pub(super) fn variables(&self, artefact: &Artefact) -> Vec<(String, String)> {
        let own = self.scripts.iter().filter(|script| script.package_id == artefact.package_id);
        own.flat_map(|script| script.env.clone()).collect()
    }
}

impl Artefact {
    /// Whether it may contain benchmarks, unlike an ordinary program that a bench calls.
    fn is_bench_program(&self) -> bool {
        self.target.is_bench() || self.is_test
    }
}

/// Whether the package is on this disk and not from a registry or another repository.
fn is_local(package_id: &str) -> bool {
    // `path+file:///…#name@1.0.0`, or `name 1.0.0 (path+file:///…)` before Cargo 1.77.
    package_id.contains("path+file:")
}

#[cfg(test)]
mod tests {
    use super::*;

    const ARTEFACT: &str = r#"{"reason":"compiler-artifact","package_id":"ID","manifest_path":"/w/p/Cargo.toml","target":{"kind":["bench"],"crate_types":["bin"],"name":"speed","src_path":"/w/p/benches/speed.rs","edition":"2021","doc":false,"doctest":false,"test":false},"profile":{"opt_level":"3","debuginfo":0,"debug_assertions":false,"overflow_checks":false,"test":true},"features":[],"filenames":["/t/release/deps/speed-1"],"executable":"/t/release/deps/speed-1","fresh":FRESH}"#;

    fn artefact(id: &str, fresh: bool) -> String {
        ARTEFACT.replace("ID", id).replace("FRESH", &fresh.to_string())
    }

    #[test]
    fn only_local_units_that_were_not_just_made_are_stale() {
        let read = |text: String| Messages::read(&text);
        let nothing = Messages::default();
        let local = "path+file:///w/p#0.1.0";
        assert!(read(artefact(local, true)).has_stale_units(&nothing, Path::new("/w")));
        assert!(!read(artefact(local, false)).has_stale_units(&nothing, Path::new("/w")));
        assert!(!read(artefact(local, true)).has_stale_units(&read(artefact(local, false)), Path::new("/w")));
        let registry = "registry+https://example.org/index#itoa@1.0.0";
        assert!(!read(artefact(registry, true)).has_stale_units(&nothing, Path::new("/elsewhere")));
        // Vendored: Cargo treats it as a package of a registry, but its files belong to the version.
        assert!(read(artefact(registry, true)).has_stale_units(&nothing, Path::new("/w")));
    }

    #[test]
    fn garbage_between_messages_is_passed_by() {
        let text =
            format!("hello\n{{\"reason\":1}}\n{{\n{}\n{{\"reason\":\"new-kind\"}}\n", artefact("x", false));
        let messages = Messages::read(&text);
        assert_eq!(messages.artefacts.len(), 1);
        let (artefact, path) = messages.programs().next().expect("a program");
        assert_eq!(
            (path, artefact.target.label("p")),
            (Path::new("/t/release/deps/speed-1"), "p/speed".into())
        );
    }

    #[test]
    fn errors_keep_the_compilers_own_words() {
        let line = r#"{"reason":"compiler-message","package_id":"path+file:///w/p#0.1.0","manifest_path":"/w/p/Cargo.toml","target":{"kind":["lib"],"name":"p","src_path":"/w/p/src/lib.rs"},"message":{"rendered":"error[E0554]: no\n","level":"error","message":"no"}}"#;
        let warning = line.replace(r#""level":"error""#, r#""level":"warning""#);
        let messages = Messages::read(&format!("{line}\n{warning}"));
        assert_eq!(messages.errors.len(), 1);
        assert_eq!(messages.errors[0].rendered, "error[E0554]: no\n");
    }
}
