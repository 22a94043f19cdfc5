//! The tools that build a project.

use std::time::Duration;

use super::steps;
use crate::{HarnessError, Project, StepFailure, StepRunner};

/// Time limit of a program for printing its version.
const ANSWER: Duration = Duration::from_secs(60);

/// Environment variables that affect CMake's builds, in addition to those that begin with `CMAKE_`.
const VARIABLES: [&str; 5] = ["CC", "CFLAGS", "CXX", "CXXFLAGS", "LDFLAGS"];

/// CMake, the compiler it would use, and the relevant variables, as one line. A missing CMake is reported by
/// the build, which may not need it. A machine without both has no tool chain.
pub(super) fn describe(project: &Project, run: &mut dyn StepRunner) -> Result<String, HarnessError> {
    let mut first_line = |program: &str, args: &[&str]| {
        let purpose = format!("ask `{program}` for its version");
        let step = steps::step(purpose, program, args, &project.dir, ANSWER);
        match steps::run(&step, run) {
            Ok(output) if output.status == 0 => {
                Ok(output.stdout.lines().next().unwrap_or_default().trim().to_owned())
            }
            Ok(output) => Err(steps::refusal(&step, &output)),
            Err(error) => Err(error),
        }
    };
    let cmake = first_line("cmake", &["--version"]);
    let chosen = std::env::var("CXX").ok().filter(|text| !text.trim().is_empty());
    let chosen = chosen.unwrap_or_else(|| "c++".into());
    // The compiler may be preceded by a launcher: `ccache g++`.
    let words: Vec<&str> = chosen.split_whitespace().collect();
    let args: Vec<&str> = words[1..].iter().copied().chain(["--version"]).collect();
    let compiler = first_line(words[0], &args);
    let (cmake, compiler) = match (cmake, compiler) {
        (Err(error), _) if is_interrupt(&error) => return Err(error),
        (_, Err(error)) if is_interrupt(&error) => return Err(error),
        (Err(error), Err(_)) => return Err(error),
        (cmake, compiler) => (cmake.unwrap_or_default(), compiler.unwrap_or_default()),
    };
    let variables = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    Ok(text(&cmake, &compiler, variables))
}

fn is_interrupt(error: &HarnessError) -> bool {
    matches!(error, HarnessError::Step { source: StepFailure::Interrupted, .. })
}

fn text(cmake: &str, compiler: &str, variables: impl Iterator<Item = (String, String)>) -> String {
    let cmake = match cmake.strip_prefix("cmake version ") {
        Some(version) => format!("CMake {version}"),
        None if cmake.is_empty() => "no CMake".into(),
        None => cmake.to_owned(),
    };
    let compiler = if compiler.is_empty() { "no C++ compiler" } else { compiler };
    let mut set: Vec<String> = variables
        .filter(|(name, _)| VARIABLES.contains(&name.as_str()) || name.starts_with("CMAKE_"))
        .filter(|(name, value)| !value.is_empty() && name != "CMAKE_BUILD_PARALLEL_LEVEL")
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    set.sort();
    [cmake, compiler.to_owned()].into_iter().chain(set).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_names_cmake_compiler_and_flags() {
        let variables = [("CXXFLAGS", "-O2"), ("HOME", "/"), ("CMAKE_GENERATOR", "Ninja"), ("CC", "")];
        let variables = variables.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(
            text("cmake version 3.25.1", "c++ (Debian 12.2.0-14) 12.2.0", variables),
            "CMake 3.25.1, c++ (Debian 12.2.0-14) 12.2.0, CMAKE_GENERATOR=Ninja, CXXFLAGS=-O2"
        );
        assert_eq!(text("", "", std::iter::empty()), "no CMake, no C++ compiler");
    }
}
