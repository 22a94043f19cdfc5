//! The tool chain that builds a module.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

pub(super) use crate::steps::own_words;
use crate::{Architecture, HarnessError, Project, Step, StepOutput, StepRunner, compilers, steps};

/// Environment variables that affect the compiled code.
const VARIABLES: [&str; 13] = [
    "GOOS",
    "GOARCH",
    "GOAMD64",
    "GOARM64",
    "GOARM",
    "GO386",
    "GOEXPERIMENT",
    "GOFLAGS",
    "GOTOOLCHAIN",
    "CGO_ENABLED",
    "CC",
    "CGO_CFLAGS",
    "CGO_LDFLAGS",
];

/// The time limit of the go command's answer. It may have to download the tool chain of a module.
const ANSWER: Duration = Duration::from_secs(300);

/// Version and settings. The go command is called in the module's directory, so that its `toolchain` line
/// counts.
pub(super) fn describe(
    project: &Project,
    target: Option<Architecture>,
    run: &mut dyn StepRunner,
) -> Result<String, HarnessError> {
    let env = target_variables(target);
    let version = go(run, "ask for the version of go", &["version".into()], &project.dir, ANSWER, &env)?;
    let settings = variables(run, &project.dir, &VARIABLES, &env)?;
    let mut text = version.stdout.trim().trim_start_matches("go version ").to_owned();
    for name in VARIABLES {
        if let Some(value) = settings.get(name).filter(|value| !value.is_empty()) {
            text.push_str(&format!(" {name}={value}"));
        }
    }
    if settings.get("CGO_ENABLED").is_some_and(|value| value == "1") {
        let program = settings.get("CC").map_or("cc", String::as_str);
        let compiler = compilers::describe(program, &project.dir, run);
        text.push_str(&format!(" ({compiler})"));
    }
    Ok(text)
}

/// The variables that make Go build for another machine. C code is left out, as Go does by default in that
/// case, unless the user names a compiler for it.
pub(super) fn target_variables(target: Option<Architecture>) -> Vec<(String, String)> {
    let Some(architecture) = target else { return Vec::new() };
    let name = match architecture {
        Architecture::X86 => "amd64",
        Architecture::Arm => "arm64",
    };
    let mut variables = vec![("GOOS", "linux"), ("GOARCH", name)];
    if std::env::var_os("CGO_ENABLED").is_none() {
        variables.push(("CGO_ENABLED", "0"));
    }
    variables.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

/// The values of the `go env` variables `names` in `dir`.
pub(super) fn variables(
    run: &mut dyn StepRunner,
    dir: &Path,
    names: &[&str],
    env: &[(String, String)],
) -> Result<BTreeMap<String, String>, HarnessError> {
    let purpose = "ask for the settings of go";
    let args: Vec<String> = ["env", "-json"].iter().chain(names).map(|arg| arg.to_string()).collect();
    let output = go(run, purpose, &args, dir, ANSWER, env)?;
    serde_json::from_str(&output.stdout).map_err(|error| HarnessError::Output {
        purpose: purpose.into(),
        message: format!("expected a JSON object of settings: {error}"),
    })
}

/// Runs the go command. A status other than 0 is an error.
pub(super) fn go(
    run: &mut dyn StepRunner,
    purpose: &str,
    args: &[String],
    dir: &Path,
    timeout: Duration,
    env: &[(String, String)],
) -> Result<StepOutput, HarnessError> {
    let step = step(purpose, args, dir, timeout, env);
    let output = carry_out(run, &step)?;
    if output.status != 0 {
        return Err(tool_error(purpose, &output));
    }
    Ok(output)
}

/// A step that runs the go command.
pub(super) fn step(
    purpose: &str,
    args: &[String],
    dir: &Path,
    timeout: Duration,
    env: &[(String, String)],
) -> Step {
    Step { env: env.to_vec(), ..steps::step(purpose, "go", args, dir, timeout) }
}

/// Runs a step of the go command, whatever its status.
pub(super) fn carry_out(run: &mut dyn StepRunner, step: &Step) -> Result<StepOutput, HarnessError> {
    let hint = "install Go from https://go.dev/dl or the system's packages (`apt install golang-go`, \
                `brew install go`), and see that `go version` works in this shell";
    run.run(step).map_err(|failure| steps::failed(step, failure, |_| hint.into()))
}

/// An error with the tool's own message.
pub(super) fn tool_error(purpose: &str, output: &StepOutput) -> HarnessError {
    steps::tool_error(purpose, output, own_words(output))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::StepFailure;
    use crate::test_steps::{Scripted, printed};

    fn project() -> Project {
        Project { harness: "go".into(), dir: "tools".into() }
    }

    #[test]
    fn version_and_settings_make_the_text() {
        let answers = vec![
            printed("go version go1.26.8 linux/amd64\n"),
            printed(r#"{"GOOS": "linux", "GOFLAGS": "", "GOAMD64": "v3"}"#),
        ];
        let mut run = Scripted(answers, Vec::new());
        let text = describe(&project(), None, &mut run).unwrap();
        assert_eq!(text, "go1.26.8 linux/amd64 GOOS=linux GOAMD64=v3");
        assert!(
            run.1.iter().all(|step| step.dir == Path::new("tools")),
            "a module may name its own tool chain"
        );
    }

    #[test]
    fn the_compilers_counts_where_it_is_used() {
        let answers = vec![
            printed("go version go1.26.8 linux/amd64\n"),
            printed(r#"{"CGO_ENABLED": "1", "CC": "gcc"}"#),
            printed("gcc (Debian) 12.2.0\n"),
        ];
        let mut run = Scripted(answers, Vec::new());
        let text = describe(&project(), None, &mut run).unwrap();
        assert_eq!(text, "go1.26.8 linux/amd64 CGO_ENABLED=1 CC=gcc (gcc (Debian) 12.2.0)");
    }

    #[test]
    fn another_machine_is_asked_for_in_every_question() {
        let answers = vec![
            printed("go version go1.26.8 linux/amd64\n"),
            printed(r#"{"GOOS": "linux", "GOARCH": "arm64", "CGO_ENABLED": "0"}"#),
        ];
        let mut run = Scripted(answers, Vec::new());
        let text = describe(&project(), Some(Architecture::Arm), &mut run).unwrap();
        assert_eq!(text, "go1.26.8 linux/amd64 GOOS=linux GOARCH=arm64 CGO_ENABLED=0");
        let is_asked = |step: &Step| step.env.contains(&("GOARCH".into(), "arm64".into()));
        assert!(run.1.iter().all(is_asked), "{:?}", run.1);
    }

    #[test]
    fn a_missing_tool_chain_says_how_to_get_it() {
        let mut run = Scripted(vec![Err(StepFailure::NoProgram("go".into()))], Vec::new());
        let error = describe(&project(), None, &mut run).unwrap_err();
        assert!(matches!(error, HarnessError::ToolChainMissing { .. }));
        assert!(error.hint().contains("go.dev/dl"));
    }

    #[test]
    fn nonsense_and_refusal_are_errors() {
        let mut run = Scripted(vec![printed("go version x"), printed("nonsense")], Vec::new());
        assert!(matches!(describe(&project(), None, &mut run), Err(HarnessError::Output { .. })));
        let refused =
            StepOutput { status: 1, stderr: "go: no such tool chain\n".into(), ..StepOutput::default() };
        let mut run = Scripted(vec![Ok(refused)], Vec::new());
        match describe(&project(), None, &mut run) {
            Err(HarnessError::Tool { message, .. }) => assert_eq!(message, "go: no such tool chain"),
            other => panic!("{other:?}"),
        }
    }
}
