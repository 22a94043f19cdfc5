//! The Java and Maven installations that build a project.

use std::env;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::jdk::{self, Jdk};
use crate::steps;
use crate::{HarnessError, Project, Step, StepRunner};

/// Time limit of a tool for printing its version.
const ANSWER: Duration = Duration::from_secs(120);

/// How to install Java.
pub(super) const HINT: &str = "install a JDK from https://adoptium.net or the system's packages (`apt install default-jdk`, `brew install \
     openjdk`), and see that `java -version` works in this shell";

/// Environment variables that affect Java and Maven.
const VARIABLES: [&str; 5] =
    ["JAVA_HOME", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "MAVEN_ARGS", "MAVEN_OPTS"];

/// Java, Maven if it is installed, and the relevant variables, as one line.
pub(super) fn describe(project: &Project, run: &mut dyn StepRunner) -> Result<String, HarnessError> {
    let choice = jdk::choose_for(&statements(project, run));
    let java = java_version(&choice.jdk, &project.dir, run)?;
    let mut parts: Vec<String> = java.lines().take(3).map(|line| line.trim().to_owned()).collect();
    parts.extend(maven_version(&choice.jdk, &project.dir, run));
    let set = VARIABLES.iter().filter_map(|name| Some((name, env::var(name).ok()?)));
    parts.extend(set.filter(|(_, value)| !value.is_empty()).map(|(name, value)| format!("{name}={value}")));
    Ok(parts.join(", "))
}

/// The Java versions that the version requests. Here, only steps can read its files.
fn statements(project: &Project, run: &mut dyn StepRunner) -> String {
    let up: PathBuf = project.dir.components().map(|_| "..").collect();
    let mut files: Vec<String> = jdk::STATEMENTS.map(str::to_owned).into();
    if up != Path::new("") {
        files.extend(jdk::STATEMENTS.map(|file| up.join(file).display().to_string()));
    }
    let step = steps::step("see which Java the project wants", "cat", &files, &project.dir, ANSWER);
    // Missing files are ignored, so a status other than 0 does not matter.
    run.run(&step).map(|output| output.stdout).unwrap_or_default()
}

/// The output of `java -version`, which is printed on standard error.
fn java_version(jdk: &Jdk, dir: &Path, run: &mut dyn StepRunner) -> Result<String, HarnessError> {
    let purpose = "ask for the version of Java";
    let step = steps::step(purpose, jdk.program("java"), &["-version".to_owned()], dir, ANSWER);
    let output = run.run(&step).map_err(|failure| steps::failed(&step, failure, |_| HINT.into()))?;
    if output.status != 0 {
        return Err(steps::tool_error(purpose, &output, steps::own_words(&output)));
    }
    let text = if output.stderr.trim().is_empty() { output.stdout } else { output.stderr };
    // A notice about variables comes first.
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with("Picked up ")).collect();
    Ok(lines.join("\n"))
}

/// Maven's version. `None` without Maven, which is not needed for a jar or with a wrapper.
fn maven_version(jdk: &Jdk, dir: &Path, run: &mut dyn StepRunner) -> Option<String> {
    let purpose = "ask for the version of Maven";
    let args = ["-version".to_owned()];
    let step = Step { env: jdk.variables(), ..steps::step(purpose, "mvn", &args, dir, ANSWER) };
    let output = run.run(&step).ok().filter(|output| output.status == 0)?;
    let line = output.stdout.lines().map(plain).find(|line| line.starts_with("Apache Maven"))?;
    Some(line)
}

/// A line without the colours that Maven gives it.
fn plain(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line.chars();
    while let Some(c) = rest.next() {
        if c == '\u{1b}' {
            rest.by_ref().find(|c| c.is_ascii_alphabetic());
        } else {
            text.push(c);
        }
    }
    text.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{StepFailure, StepOutput};

    /// Answers by program. All other programs are missing.
    struct Scripted(Vec<(&'static str, StepOutput)>, Vec<Step>);

    impl StepRunner for Scripted {
        fn run(&mut self, step: &Step) -> Result<StepOutput, StepFailure> {
            self.1.push(step.clone());
            let name =
                Path::new(&step.program).file_name().unwrap_or_default().to_string_lossy().into_owned();
            let answer = self.0.iter().find(|(program, _)| *program == name);
            answer.map(|(_, output)| output.clone()).ok_or(StepFailure::NoProgram(name))
        }
    }

    fn printed(stdout: &str, stderr: &str) -> StepOutput {
        StepOutput { stdout: stdout.into(), stderr: stderr.into(), ..StepOutput::default() }
    }

    const JAVA: &str = "Picked up JAVA_TOOL_OPTIONS: -Dx=y\nopenjdk version \"17.0.15\" 2025-04-15\n\
                        OpenJDK Runtime Environment (build 17.0.15+6)\nOpenJDK 64-Bit Server VM (build 17.0.15+6)\n";

    fn project() -> Project {
        Project { harness: "jmh".into(), dir: "a/b".into() }
    }

    #[test]
    fn java_and_maven_make_the_text() {
        let maven = printed("\u{1b}[1mApache Maven 3.8.7\u{1b}[m\nMaven home: /usr\n", "");
        let mut run = Scripted(vec![("java", printed("", JAVA)), ("mvn", maven)], Vec::new());
        let text = describe(&project(), &mut run).unwrap();
        assert!(text.starts_with("openjdk version \"17.0.15\" 2025-04-15, OpenJDK Runtime"), "{text}");
        assert!(text.contains(", Apache Maven 3.8.7"), "{text}");
        let asked: Vec<_> = run.1[0].args.iter().map(|arg| arg.to_string_lossy().into_owned()).collect();
        assert_eq!(asked, [".java-version", ".sdkmanrc", "../../.java-version", "../../.sdkmanrc"]);
    }

    #[test]
    fn maven_may_be_missing_and_java_may_not() {
        let mut run = Scripted(vec![("java", printed("", JAVA))], Vec::new());
        assert!(describe(&project(), &mut run).unwrap().contains("17.0.15"));
        let error = describe(&project(), &mut Scripted(Vec::new(), Vec::new())).unwrap_err();
        assert!(error.hint().contains("adoptium.net"), "{error:?}");
    }
}
