//! Building for another machine.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use super::steps::{self, QUESTION_LIMIT};
use crate::{Architecture, HarnessError, StepRunner};

/// The Rust target for another machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Target {
    /// Its name in Rust: `aarch64-unknown-linux-gnu`.
    pub(super) triple: String,
    architecture: Architecture,
}

/// The installed targets for the architecture. glibc comes first because its programs behave as they do here,
/// then musl, whose programs need nothing. `dir` is the project's directory. Returns an error if there is
/// none.
pub(super) fn installed(
    architecture: Architecture,
    dir: &Path,
    run: &mut dyn StepRunner,
) -> Result<Vec<String>, HarnessError> {
    let triples =
        ["gnu", "musl"].map(|library| format!("{}-unknown-linux-{library}", processor(architecture)));
    let mut installed = Vec::new();
    for triple in &triples {
        let purpose = format!("see whether Rust can build for {triple}");
        let words = ["--print", "target-libdir", "--target", triple];
        let step = steps::step(purpose, "rustc", words, dir, QUESTION_LIMIT);
        let output = steps::run(&step, run)?;
        // rustc also answers for targets that are not installed.
        if output.status == 0 && Path::new(output.stdout.trim()).is_dir() {
            installed.push(triple.clone());
        }
    }
    match installed.is_empty() {
        false => Ok(installed),
        true => Err(HarnessError::Unbuildable {
            purpose: format!("build for {architecture}"),
            message: format!("neither {} nor {} is installed", triples[0], triples[1]),
            hint: format!("`rustup target add {}`", triples[1]),
        }),
    }
}

impl Target {
    /// The target to build for: the first that is installed, or the last if the user's own target is musl.
    pub(super) fn choose(
        architecture: Architecture,
        args: &[String],
        dir: &Path,
        run: &mut dyn StepRunner,
    ) -> Result<Target, HarnessError> {
        let mut installed = installed(architecture, dir, run)?;
        if given(args).is_some_and(|triple| triple.ends_with("musl")) {
            installed.reverse();
        }
        Ok(Target { triple: installed.swap_remove(0), architecture })
    }

    /// The user's arguments for Cargo, with this target instead of another one.
    pub(super) fn args(&self, args: &[String]) -> Vec<String> {
        let mut kept = Vec::new();
        let mut words = args.iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--target" => drop(words.next()),
                word if word.starts_with("--target=") => {}
                word => kept.push(word.to_owned()),
            }
        }
        kept.extend(["--target".to_owned(), self.triple.clone()]);
        kept
    }

    /// Sets the linker, because the default one links for this machine only. It is not set if the user's
    /// variables, or a configuration between `project` and `root` or in Cargo's home, configure this target.
    pub(super) fn variables(&self, root: &Path, project: &Path) -> Vec<(String, String)> {
        let name = format!("CARGO_TARGET_{}_LINKER", self.triple.replace('-', "_").to_uppercase());
        let below = project.ancestors().take_while(|dir| dir.starts_with(root)).map(|dir| dir.join(".cargo"));
        let home = env::var_os("CARGO_HOME").map(PathBuf::from);
        let home = home.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".cargo")));
        let files = below.chain(home).flat_map(|dir| ["config.toml", "config"].map(|name| dir.join(name)));
        let mut texts = files.filter_map(|file| fs::read_to_string(file).ok());
        if env::var_os(&name).is_some() || texts.any(|text| text.contains(&self.triple)) {
            return Vec::new();
        }
        let linker = match self.triple.ends_with("musl") {
            // It is part of Rust, like everything else that a static program is linked with.
            true => "rust-lld".to_owned(),
            false => format!("{}-linux-gnu-gcc", processor(self.architecture)),
        };
        vec![(name, linker)]
    }
}

fn processor(architecture: Architecture) -> &'static str {
    match architecture {
        Architecture::X86 => "x86_64",
        Architecture::Arm => "aarch64",
    }
}

/// The target named in the user's arguments.
fn given(args: &[String]) -> Option<&str> {
    let place = args.iter().position(|arg| arg == "--target" || arg.starts_with("--target="))?;
    match args[place].split_once('=') {
        Some((_, triple)) => Some(triple),
        None => args.get(place + 1).map(String::as_str),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_steps::{Scripted, printed};

    fn words(args: &[&str]) -> Vec<String> {
        args.iter().map(|arg| arg.to_string()).collect()
    }

    /// The target that is chosen if these are installed.
    fn chosen(there: &[&str], args: &[&str]) -> Result<String, HarnessError> {
        let dir = tempfile::tempdir().unwrap();
        there.iter().for_each(|library| fs::create_dir(dir.path().join(library)).unwrap());
        let answer = |library: &str| printed(&format!("{}\n", dir.path().join(library).display()));
        let mut run = Scripted(vec![answer("gnu"), answer("musl")], Vec::new());
        let target = Target::choose(Architecture::Arm, &words(args), Path::new("p"), &mut run);
        assert_eq!(run.1[0].args, ["--print", "target-libdir", "--target", "aarch64-unknown-linux-gnu"]);
        target.map(|target| target.triple)
    }

    #[test]
    fn what_is_installed_is_taken_and_glibc_first() {
        let check = |there: &[&str], args: &[&str], expected: &str| {
            assert_eq!(chosen(there, args).unwrap(), expected);
        };
        check(&["gnu", "musl"], &[], "aarch64-unknown-linux-gnu");
        check(&["musl"], &[], "aarch64-unknown-linux-musl");
        check(&["gnu", "musl"], &["--target", "x86_64-unknown-linux-musl"], "aarch64-unknown-linux-musl");
        check(&["gnu"], &["--target=x86_64-unknown-linux-musl"], "aarch64-unknown-linux-gnu");
    }

    #[test]
    fn without_a_target_the_remedy_is_told() {
        let error = chosen(&[], &[]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "build for arm64: neither aarch64-unknown-linux-gnu nor aarch64-unknown-linux-musl is installed"
        );
        assert_eq!(error.hint(), "`rustup target add aarch64-unknown-linux-musl`");
    }

    fn target(library: &str) -> Target {
        Target { triple: format!("aarch64-unknown-linux-{library}"), architecture: Architecture::Arm }
    }

    #[test]
    fn another_target_of_the_user_gives_way() {
        let check = |args: &[&str], expected: &[&str]| {
            let expected: Vec<&str> = [expected, &["--target", "aarch64-unknown-linux-musl"]].concat();
            assert_eq!(target("musl").args(&words(args)), expected);
        };
        check(&["--features", "a"], &["--features", "a"]);
        check(&["--target", "x", "-p", "y"], &["-p", "y"]);
        check(&["-p", "y", "--target=x"], &["-p", "y"]);
    }

    #[test]
    fn the_linker_is_chosen_unless_somebody_did() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        let project = root.join("a");
        fs::create_dir_all(root.join(".cargo")).unwrap();
        let linker = |library: &str| target(library).variables(root, &project);
        let name = |library: &str| format!("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_{library}_LINKER");
        assert_eq!(linker("musl"), [(name("MUSL"), "rust-lld".to_owned())]);
        assert_eq!(linker("gnu"), [(name("GNU"), "aarch64-linux-gnu-gcc".to_owned())]);
        fs::write(root.join(".cargo/config.toml"), "[target.aarch64-unknown-linux-gnu]\nlinker = \"mine\"\n")
            .unwrap();
        assert_eq!(linker("gnu"), []);
        assert_eq!(linker("musl").len(), 1);
    }
}
