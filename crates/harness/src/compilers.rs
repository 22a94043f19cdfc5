//! Compilers that a harness does not start itself: build scripts, cgo and people's own build commands do.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use crate::{StepRunner, steps};

/// How long it may take to say its version.
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

/// The versions of the usual compilers and interpreters, as far as they are there. Which of them a build command uses nobody
/// knows, so a change of any makes a new build.
pub(crate) fn describe_all(dir: &Path, run: &mut dyn StepRunner) -> String {
    let versions = USUAL.map(|(program, flag)| ask(program.into(), vec![flag.into()], dir, run));
    versions.into_iter().filter(|version| !version.is_empty()).collect::<Vec<_>>().join(", ")
}

/// What `program` (a command line such as `ccache gcc`) calls itself: the first line of its version. Empty where there is
/// none: a project without C code needs none, and one with C code says so when it is built.
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

    /// What every compiler prints, if there is any, and the last question.
    struct Compiler(Option<&'static str>, Vec<String>);

    /// Checks that a harness whose definition builds something asks compilers, so that another compiler is another build.
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
