//! Chooses the Python that a project is built with.
//!
//! The user's choice (`--python` among the build arguments) takes precedence, then the project's
//! `.python-version` if such an interpreter (CPython or PyPy) is installed, then `python3`.

use std::fmt;
use std::path::Path;

use serde::Deserialize;

use super::steps::{self, QUESTION_LIMIT};
use crate::{HarnessError, StepFailure, StepRunner};

/// A script that prints the required facts about the interpreter and, as `wanted`, the nearest
/// `.python-version` in the directory or above it within the version. Its argument is the number of levels.
const QUESTION: &str = r#"
import json, os, platform, sys, sysconfig
wanted = ""
for level in range(int(sys.argv[1]) + 1):
    try:
        with open(os.path.join(*[".."] * level, ".python-version"), encoding="utf-8") as file:
            wanted = file.read()
        break
    except OSError:
        pass
print(json.dumps({
    "implementation": platform.python_implementation(),
    "version": platform.python_version(),
    "series": "%d.%d" % sys.version_info[:2],
    "platform": sysconfig.get_platform(),
    "compiler": platform.python_compiler(),
    "abi": str(sysconfig.get_config_var("SOABI") or ""),
    "wanted": wanted,
}))
"#;

/// Environment variables that affect which code runs in an interpreter.
const VARIABLES: [&str; 7] = [
    "PYTHONDEVMODE",
    "PYTHONHASHSEED",
    "PYTHONMALLOC",
    "PYTHONOPTIMIZE",
    "PYTHON_CPU_COUNT",
    "PYTHON_GIL",
    "PYTHON_JIT",
];

/// An interpreter and its facts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Interpreter {
    /// Its program.
    pub(super) program: String,
    facts: Facts,
    /// The request of the project, if this interpreter does not fit it: `Python 3.12`, `PyPy 3.10`.
    pub(super) missed: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
struct Facts {
    implementation: String,
    version: String,
    series: String,
    platform: String,
    compiler: String,
    abi: String,
    wanted: String,
}

impl Interpreter {
    /// Everything that determines what is installed and how it runs, as one line.
    pub(super) fn describe(&self) -> String {
        let Facts { implementation, version, platform, compiler, abi, .. } = &self.facts;
        let mut parts = vec![format!("{implementation} {version}"), platform.clone(), compiler.clone()];
        parts.push(abi.clone());
        let set = |name: &&str| std::env::var(name).ok().map(|value| format!("{name}={value}"));
        parts.extend(VARIABLES.iter().filter_map(set));
        parts.retain(|part| !part.is_empty());
        parts.join(", ")
    }

    /// The series, such as `3.12`.
    pub(super) fn series(&self) -> &str {
        &self.facts.series
    }
}

/// Finds the interpreter for the project in `dir`, which is `below_root` levels below the version's root.
pub(super) fn find(
    dir: &Path,
    below_root: &Path,
    chosen: Option<&str>,
    run: &mut dyn StepRunner,
) -> Result<Interpreter, HarnessError> {
    let depth = below_root.components().count();
    if let Some(program) = chosen {
        let facts = ask(program, dir, depth, run)?;
        return Ok(Interpreter { program: program.to_owned(), facts, missed: None });
    }
    let (program, facts) = match ask("python3", dir, depth, run) {
        Err(HarnessError::ToolChainMissing { .. }) => {
            let facts = ask("python", dir, depth, run).map_err(|error| match error {
                HarnessError::ToolChainMissing { .. } => steps::missing("python3".into()),
                other => other,
            })?;
            ("python".to_owned(), facts)
        }
        facts => ("python3".to_owned(), facts?),
    };
    let Some(wanted) = Wanted::of(&facts.wanted).filter(|wanted| !wanted.is(&facts)) else {
        return Ok(Interpreter { program, facts, missed: None });
    };
    for other in wanted.programs() {
        match ask(&other, dir, depth, run) {
            Ok(facts) if wanted.is(&facts) => {
                return Ok(Interpreter { program: other, facts, missed: None });
            }
            Err(HarnessError::Step { source: StepFailure::Interrupted, purpose }) => {
                return Err(HarnessError::Step { source: StepFailure::Interrupted, purpose });
            }
            Ok(_) | Err(_) => {}
        }
    }
    Ok(Interpreter { program, facts, missed: Some(wanted.to_string()) })
}

fn ask(program: &str, dir: &Path, depth: usize, run: &mut dyn StepRunner) -> Result<Facts, HarnessError> {
    let purpose = format!("ask `{program}` for its version");
    let step = steps::step(purpose, program, ["-c", QUESTION, &depth.to_string()], dir, QUESTION_LIMIT);
    let output = steps::run_well(&step, run)?;
    let line = output.stdout.lines().last().unwrap_or_default();
    serde_json::from_str(line).map_err(|error| HarnessError::Output {
        purpose: step.purpose,
        message: format!("expected an object in JSON: {error}"),
    })
}

/// The request of a `.python-version`.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Wanted {
    /// The series, such as `3.12`.
    series: String,
    is_pypy: bool,
}

impl Wanted {
    /// Parses the first line of the file: `3.12`, `3.12.1`, `cpython@3.12`, `pypy3.10-7.3.12`.
    fn of(text: &str) -> Option<Wanted> {
        let line = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'))?;
        let number = line.trim_start_matches(|c: char| !c.is_ascii_digit());
        let mut parts = number.split(|c: char| !c.is_ascii_digit());
        let (major, minor) = (parts.next()?, parts.next()?);
        let is_series = major == "3" && !minor.is_empty();
        is_series.then(|| Wanted { series: format!("{major}.{minor}"), is_pypy: line.starts_with("pypy") })
    }

    /// Whether an interpreter fits. A request without an implementation accepts any.
    fn is(&self, facts: &Facts) -> bool {
        facts.series == self.series && (!self.is_pypy || facts.implementation == "PyPy")
    }

    /// Possible program names of such an interpreter.
    fn programs(&self) -> Vec<String> {
        match self.is_pypy {
            true => vec![format!("pypy{}", self.series), "pypy3".into()],
            false => vec![format!("python{}", self.series)],
        }
    }
}

impl fmt::Display for Wanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", if self.is_pypy { "PyPy" } else { "Python" }, self.series)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Step, StepOutput};

    #[test]
    fn the_series_is_read_from_all_usual_forms() {
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(Wanted::of(text).map(|wanted| wanted.to_string()).as_deref(), expected, "{text:?}");
        };
        check("3.12\n", Some("Python 3.12"));
        check("# ours\n3.9.18\n3.10.1\n", Some("Python 3.9"));
        check("cpython@3.13", Some("Python 3.13"));
        check("pypy3.10-7.3.12", Some("PyPy 3.10"));
        check("pypy@3.11", Some("PyPy 3.11"));
        check("system", None);
        check("3", None);
        check("", None);
    }

    /// Interpreters by name, as a machine may have them.
    struct Machine {
        installed: Vec<(&'static str, &'static str)>,
        wanted: &'static str,
    }

    impl StepRunner for Machine {
        fn run(&mut self, step: &Step) -> Result<StepOutput, StepFailure> {
            let program = step.program.to_string_lossy().into_owned();
            let Some((_, version)) = self.installed.iter().find(|(name, _)| *name == program) else {
                return Err(StepFailure::NoProgram(program));
            };
            let (series, _) = version.rsplit_once('.').expect("three numbers");
            let implementation = if program.starts_with("pypy") { "PyPy" } else { "CPython" };
            let stdout = format!(
                "hello from a start-up file\n{{\"implementation\":\"{implementation}\",\"version\":\"{version}\",\"series\":\"{series}\",\
                 \"platform\":\"linux-x86_64\",\"compiler\":\"GCC 12.2.0\",\"abi\":\"cpython\",\"wanted\":\"{}\"}}\n",
                self.wanted
            );
            Ok(StepOutput { stdout, ..StepOutput::default() })
        }
    }

    fn check(
        installed: &[(&'static str, &'static str)],
        wanted: &'static str,
        chosen: Option<&str>,
        expected: (&str, Option<&str>),
    ) {
        let mut machine = Machine { installed: installed.to_vec(), wanted };
        let found = find(Path::new("a/b"), Path::new("a/b"), chosen, &mut machine).expect("an interpreter");
        assert_eq!((found.program.as_str(), found.missed.as_deref()), expected);
    }

    #[test]
    fn the_users_choice_wins_over_the_projects_and_that_over_the_default() {
        let both = [("python3", "3.11.7"), ("python3.12", "3.12.1")];
        check(&both, "", None, ("python3", None));
        check(&both, "3.11", None, ("python3", None));
        check(&both, "3.12", None, ("python3.12", None));
        check(&both, "3.13", None, ("python3", Some("Python 3.13")));
        check(&both, "3.11", Some("python3.12"), ("python3.12", None));
        check(&[("python", "3.8.18")], "", None, ("python", None));
    }

    #[test]
    fn pypy_is_found_by_either_name_if_it_is_of_the_series() {
        let asked = "pypy3.10-7.3.12";
        let python = ("python3", "3.10.2");
        check(&[python, ("pypy3.10", "3.10.13")], asked, None, ("pypy3.10", None));
        check(&[python, ("pypy3", "3.10.13")], asked, None, ("pypy3", None));
        check(&[python, ("pypy3", "3.9.16")], asked, None, ("python3", Some("PyPy 3.10")));
        check(&[python], asked, None, ("python3", Some("PyPy 3.10")));
    }

    #[test]
    fn no_python_at_all_is_a_missing_tool_chain() {
        let mut machine = Machine { installed: Vec::new(), wanted: "" };
        let error = find(Path::new(""), Path::new(""), None, &mut machine).expect_err("nothing is installed");
        assert!(error.to_string().contains("python3") && error.hint().contains("venv"), "{error}");
    }

    #[test]
    fn the_text_names_version_and_platform() {
        let mut machine = Machine { installed: vec![("python3", "3.11.7")], wanted: "" };
        let found = find(Path::new(""), Path::new(""), None, &mut machine).expect("an interpreter");
        assert!(found.describe().starts_with("CPython 3.11.7, linux-x86_64, GCC 12.2.0, cpython"));
    }
}
