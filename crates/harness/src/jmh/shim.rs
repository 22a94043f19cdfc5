//! The program that drives JMH: `shims/jmh/BenchwrightJmh.java`.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::class_path::ClassPath;
use super::fact::{self, Fact};
use super::jdk::Jdk;
use crate::steps;
use crate::{HarnessError, StepFailure, StepOutput, StepRunner};

/// Its source.
const SOURCE: &str = include_str!("../../../../shims/jmh/BenchwrightJmh.java");
/// Its class.
pub(super) const CLASS: &str = "BenchwrightJmh";
/// Limit for compiling it and for asking it.
const LIMIT: Duration = Duration::from_secs(5 * 60);

/// Why it could not be compiled, for the user.
pub(super) struct Absent(pub(super) String);

/// The directory of the compiled program for an executable called `name`, below the build's directory.
pub(super) fn directory(name: &str) -> PathBuf {
    PathBuf::from(format!("{name}.shim"))
}

/// Compiles it against the executable's own JMH and returns that JMH's version.
pub(super) fn compile(
    out: &Path,
    name: &str,
    class_path: &ClassPath,
    jdk: &Jdk,
    run: &mut dyn StepRunner,
) -> Result<Result<String, Absent>, HarnessError> {
    let dir = out.join(directory(name));
    let source = dir.join(format!("{CLASS}.java"));
    let written = fs::create_dir_all(&dir).and_then(|()| fs::write(&source, SOURCE));
    written.map_err(|error| HarnessError::File { path: source.clone(), source: error })?;
    let text = |path: &Path| path.display().to_string();
    let args = ["-proc:none", "-nowarn", "-encoding", "UTF-8", "-d"].map(str::to_owned);
    let places = [text(&dir), "-cp".into(), class_path.text(out), text(&source)];
    let args: Vec<String> = args.into_iter().chain(places).collect();
    let step = steps::step("compile the driver of JMH", jdk.program("javac"), &args, &dir, LIMIT);
    match run.run(&step) {
        Ok(output) if output.status == 0 => {}
        Ok(output) => return Ok(Err(Absent(steps::own_words(&output)))),
        Err(StepFailure::NoProgram(program)) => return Ok(Err(Absent(format!("no program `{program}`")))),
        Err(failure) => return Err(steps::failed(&step, failure, |_| "".into())),
    }
    version(out, name, class_path, jdk, run)
}

fn version(
    out: &Path,
    name: &str,
    class_path: &ClassPath,
    jdk: &Jdk,
    run: &mut dyn StepRunner,
) -> Result<Result<String, Absent>, HarnessError> {
    let args = [class_path_args(out, name, class_path), vec!["version".into()]].concat();
    let mut step = steps::step("ask for the version of JMH", jdk.program("java"), &[] as &[&str], out, LIMIT);
    step.args = args;
    let output =
        run.run(&step).map_err(|failure| steps::failed(&step, failure, |_| super::toolchain::HINT.into()))?;
    let found = facts(&output).find_map(|fact| match fact {
        // Older versions put a sentence around it.
        Fact::Version(text) => text
            .split_whitespace()
            .find(|word| word.starts_with(|c: char| c.is_ascii_digit()))
            .map(str::to_owned),
        _ => None,
    });
    Ok(found.ok_or_else(|| Absent(steps::own_words(&output))))
}

/// Arguments for `java` before the program's own arguments.
pub(super) fn class_path_args(out: &Path, name: &str, class_path: &ClassPath) -> Vec<OsString> {
    let both = format!("{}:{}", out.join(directory(name)).display(), class_path.text(out));
    vec!["-cp".into(), both.into(), CLASS.into()]
}

/// The lines it printed.
pub(super) fn facts(output: &StepOutput) -> impl Iterator<Item = Fact> {
    output.stdout.lines().filter_map(fact::parse)
}
