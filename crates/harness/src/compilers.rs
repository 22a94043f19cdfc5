//! Compilers that are not started by a harness but by build scripts, cgo and the user's build commands.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use crate::{StepRunner, steps};

/// The time limit for printing the version.
const ANSWER: Duration = Duration::from_secs(60);

/// Tools that a build command may use, with the arguments that make each print its version.
const USUAL: [(&str, &str); 6] = [
    ("cc", "--version"),
    ("rustc", "--version"),
    ("go", "version"),
    ("java", "--version"),
    ("node", "--version"),
    ("python3", "--version"),
];

/// The versions of the usual compilers and interpreters that are installed. It is unknown which of them a
/// build command uses, so a change of any of them causes a new build.
pub(crate) fn describe_all(dir: &Path, run: &mut dyn StepRunner) -> String {
    let versions = USUAL.map(|(program, flag)| ask(program.into(), vec![flag.into()], dir, run));
    versions.into_iter().filter(|version| !version.is_empty()).collect::<Vec<_>>().join(", ")
}

/// The first line of the version text of `program` (a command line such as `ccache gcc`). Empty if it is not
/// installed: a project without C code does not need it, and one with C code fails when it is built.
pub(crate) fn describe(program: &str, dir: &Path, run: &mut dyn StepRunner) -> String {
    let mut words = program.split_whitespace();
    let program = words.next().unwrap_or("cc");
    ask(program.into(), words.chain(["--version"]).map(Into::into).collect(), dir, run)
}

fn ask(program: OsString, args: Vec<OsString>, dir: &Path, run: &mut dyn StepRunner) -> String {
    let purpose = format!("ask `{}` for its version", program.display());
    let step = steps::step(purpose, program, args, dir, ANSWER);
    let output = run.run(&step).ok().filter(|output| output.status == 0);
    output
        .and_then(|output| output.stdout.lines().next().map(str::trim).map(str::to_owned))
        .unwrap_or_default()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::{Harness, Project, Step, StepFailure, StepOutput};

    /// The output of every compiler, if it is installed, and the last command.
    struct Compiler(Option<&'static str>, Vec<String>);

    /// Checks that a harness whose definition builds something uses the compilers' versions, so that another
    /// compiler causes another build.
    pub(crate) fn check_asked(harness: &dyn Harness, is_asked: bool) {
        let project = Project { harness: harness.name().into(), dir: "".into() };
        let text = |printed: &'static str| {
            let mut run = Compiler(Some(printed), Vec::new());
            let text = harness.toolchain(&project, &[], &mut run).expect("a description");
            assert_eq!(!run.1.is_empty(), is_asked, "{:?}", run.1);
            text
        };
        assert_eq!(text("it 1.2\n") != text("it 1.3\n"), is_asked);
    }

    impl StepRunner for Compiler {
        fn run(&mut self, step: &Step) -> Result<StepOutput, StepFailure> {
            self.1 = std::iter::once(&step.program)
                .chain(&step.args)
                .map(|word| word.to_string_lossy().into_owned())
                .collect();
            let stdout = self.0.ok_or_else(|| StepFailure::NoProgram("cc".into()))?;
            Ok(StepOutput { stdout: stdout.into(), ..StepOutput::default() })
        }
    }

    #[test]
    fn of_several_those_that_are_there_are_named() {
        assert_eq!(describe_all(Path::new(""), &mut Compiler(None, Vec::new())), "");
        let all = describe_all(Path::new(""), &mut Compiler(Some("it 1.2\nmore"), Vec::new()));
        assert_eq!(all, ["it 1.2"; USUAL.len()].join(", "));
    }

    #[test]
    fn the_first_line_names_it_and_none_is_no_error() {
        let check = |program: &str, printed, words: &[&str], expected: &str| {
            let mut run = Compiler(printed, Vec::new());
            assert_eq!(describe(program, Path::new(""), &mut run), expected);
            assert_eq!(run.1, words);
        };
        check("cc", Some("cc (Debian) 12.2.0\nCopyright\n"), &["cc", "--version"], "cc (Debian) 12.2.0");
        check("ccache gcc", Some("gcc 13\n"), &["ccache", "gcc", "--version"], "gcc 13");
        check("cc", None, &["cc", "--version"], "");
        check("", Some(""), &["cc", "--version"], "");
    }
}
