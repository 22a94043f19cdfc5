//! Finds the benchmarks in a program.

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use benchwright_model::{BenchmarkId, Diagnostic};

use super::harness::NAME;
use super::{arguments, steps};
use crate::{HarnessError, ListRequest, Listing, Step, StepOutput, StepRunner};

/// Time limit of a program for listing its benchmarks. Some read their data first.
const LISTING: Duration = Duration::from_secs(10 * 60);

/// A pattern that no benchmark's name matches.
const NONE: &str = "^$";

/// The benchmarks of one program, in the order in which it lists them.
pub(super) fn list(request: &ListRequest<'_>, run: &mut dyn StepRunner) -> Result<Listing, HarnessError> {
    let user = arguments::flag(request.args, "benchmark_filter");
    let all = ask(request, user, run)?;
    // Other output of the program also appears when no benchmark is selected.
    let noise = ask(request, Some(NONE), run)?;
    let lines = names(&all.stdout, &noise.stdout);
    if let Some(line) = lines.iter().find(|line| line.starts_with("-----")) {
        return Err(HarnessError::Output {
            purpose: step(request, user).purpose,
            message: format!(
                "expected a name per line, found `{line}`; perhaps its `main` does not pass its arguments to \
                 `benchmark::Initialize`"
            ),
        });
    }
    Ok(listing(request, &lines, user.is_some()))
}

/// The lines of `text` that are names. Empty lines are left out, and each line of `noise` removes one equal
/// line.
fn names(text: &str, noise: &str) -> Vec<String> {
    let mut foreign: BTreeMap<&str, usize> = BTreeMap::new();
    for line in noise.lines() {
        *foreign.entry(line).or_default() += 1;
    }
    let is_name = |line: &&str| match foreign.get_mut(*line) {
        Some(left) if *left > 0 => {
            *left -= 1;
            false
        }
        _ => !line.trim().is_empty(),
    };
    text.lines().filter(is_name).map(str::to_owned).collect()
}

fn listing(request: &ListRequest<'_>, lines: &[String], is_filtered: bool) -> Listing {
    let package = &request.executable.package;
    let mut listing = Listing::default();
    let mut seen = HashSet::new();
    let mut told = HashSet::new();
    for name in lines {
        let id = BenchmarkId::new(NAME, package, name);
        if seen.insert(name) {
            listing.benchmarks.push(id);
        } else if told.insert(name) {
            let message =
                "several benchmarks have this name and run together; the values of the first are taken";
            listing.diagnostics.push(Diagnostic::warning(id.to_string(), message));
        }
    }
    if lines.is_empty() && !is_filtered {
        listing.diagnostics.push(Diagnostic::warning(package, "lists no benchmarks"));
    }
    listing
}

fn ask(
    request: &ListRequest<'_>,
    filter: Option<&str>,
    run: &mut dyn StepRunner,
) -> Result<StepOutput, HarnessError> {
    let step = step(request, filter);
    let output = run.run(&step);
    let output = output.map_err(|source| HarnessError::Step { purpose: step.purpose.clone(), source })?;
    if output.status == 0 { Ok(output) } else { Err(steps::refusal(&step, &output)) }
}

fn step(request: &ListRequest<'_>, filter: Option<&str>) -> Step {
    let ListRequest { root, out, executable, .. } = request;
    let mut args = vec!["--benchmark_list_tests=true".to_owned(), "--benchmark_format=console".into()];
    args.extend(filter.map(|pattern| format!("--benchmark_filter={pattern}")));
    args.extend(arguments::passed_on(request.args).cloned());
    let program = out.join(&executable.path);
    // The step runs in another directory, so a relative path would not work.
    let program = std::path::absolute(&program).unwrap_or(program);
    let purpose = format!("list the benchmarks of {}", executable.package);
    steps::step(purpose, program, args, root.join(&executable.dir), LISTING)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::{Executable, StepFailure};

    /// Answers like a program: with the names if everything is selected, and with noise in any case.
    struct Answers {
        names: &'static str,
        noise: &'static str,
        status: i32,
        asked: Vec<String>,
    }

    impl StepRunner for Answers {
        fn run(&mut self, step: &Step) -> Result<StepOutput, StepFailure> {
            let args: Vec<_> = step.args.iter().map(|arg| arg.to_string_lossy().into_owned()).collect();
            let names = if args.contains(&"--benchmark_filter=^$".to_owned()) { "" } else { self.names };
            self.asked.push(args.join(" "));
            let stdout = format!("{}{names}", self.noise);
            Ok(StepOutput { status: self.status, stdout, stderr: "said".into(), log: "x.log".into() })
        }
    }

    fn asked(answers: &mut Answers, args: &[&str]) -> Result<Listing, HarnessError> {
        let executable = Executable {
            harness: NAME.into(),
            package: "sort".into(),
            flavour: NAME.into(),
            flavour_version: String::new(),
            path: "bin/sort".into(),
            dir: "cpp".into(),
            env: Vec::new(),
        };
        let args: Vec<String> = args.iter().map(|arg| arg.to_string()).collect();
        let request = ListRequest {
            root: Path::new("/r"),
            out: Path::new("/o"),
            executable: &executable,
            scratch: Path::new("/s"),
            args: &args,
            filter: None,
        };
        list(&request, answers)
    }

    fn answers(names: &'static str, noise: &'static str) -> Answers {
        Answers { names, noise, status: 0, asked: Vec::new() }
    }

    #[test]
    fn names_are_taken_as_printed_and_noise_is_not() {
        let mut program = answers("BM_A/8\nBM_Map<int, long>/1/threads:2\r\n loading\n", "loading\n\n");
        let listing = asked(&mut program, &["--corpus=x", "--benchmark_filter=A", "--benchmark_out=y"])
            .expect("a list");
        let names: Vec<_> = listing.benchmarks.iter().map(|id| id.name.as_str()).collect();
        assert_eq!(names, ["BM_A/8", "BM_Map<int, long>/1/threads:2", " loading"]);
        assert_eq!(listing.diagnostics, []);
        assert_eq!(
            program.asked[0],
            "--benchmark_list_tests=true --benchmark_format=console --benchmark_filter=A --corpus=x"
        );
    }

    #[test]
    fn a_name_used_twice_is_listed_once_and_told() {
        let listing = asked(&mut answers("a\nb\na\na\n", ""), &[]).expect("a list");
        assert_eq!(listing.benchmarks.len(), 2);
        assert_eq!(listing.diagnostics.len(), 1);
        assert_eq!(listing.diagnostics[0].subject, "sort:a");
    }

    #[test]
    fn programs_without_benchmarks_or_with_another_main_are_told() {
        assert_eq!(asked(&mut answers("", ""), &[]).expect("a list").diagnostics.len(), 1);
        assert_eq!(asked(&mut answers("", ""), &["--benchmark_filter=x"]).expect("a list").diagnostics, []);
        let table = "Benchmark  Time\n-----------------\nBM_A  3 ns\n";
        let error = asked(&mut answers(table, ""), &[]).expect_err("a table is no list");
        assert!(error.to_string().contains("benchmark::Initialize"), "{error}");
        let mut failing = Answers { status: 1, ..answers("", "") };
        let error = asked(&mut failing, &[]).expect_err("a failure");
        assert!(matches!(&error, HarnessError::Tool { message, .. } if message == "said"), "{error}");
    }
}
