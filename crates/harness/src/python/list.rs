//! Finds the benchmarks in a file with its tool.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use benchwright_model::{BenchmarkId, Diagnostic};
use serde::Deserialize;

use super::description::{self, Flavour};
use super::harness::NAME;
use super::steps::{self, LIST_LIMIT};
use super::{pyperf, pytest};
use crate::{HarnessError, ListRequest, Listing, Step, StepOutput, StepRunner};

/// Maximum number of benchmarks in one file. The rest is left out.
const MOST: usize = 100_000;

/// The benchmarks of one file.
pub(super) fn list(request: &ListRequest<'_>, run: &mut dyn StepRunner) -> Result<Listing, HarnessError> {
    let record = request.scratch.join("benchmarks.jsonl");
    let step = step(request, &record);
    let output = steps::run(&step, run)?;
    let facts = read(&record);
    Gathering { package: &request.executable.package, listing: Listing::default(), seen: HashSet::new() }
        .gather(facts, &step, &output)
}

fn step(request: &ListRequest<'_>, record: &Path) -> Step {
    let executable = request.executable;
    let mut args = description::launch(request.out, executable, "list", record.into());
    match Flavour::of(executable) {
        Flavour::Pyperf => args.extend(pyperf::list_arguments().map(OsString::from)),
        Flavour::PytestBenchmark => {
            args.push("--collect-only".into());
            args.extend(pytest::common_arguments(executable, request.root, request.scratch));
        }
    }
    args.extend(request.args.iter().map(OsString::from));
    let purpose = format!("list the benchmarks of `{}`", executable.package);
    let dir = request.root.join(&executable.dir);
    let mut step = steps::step(purpose, description::interpreter(request.out), args, dir, LIST_LIMIT);
    let variables = description::variables(request.out).into_iter();
    step.env.extend(variables.map(|(name, value)| (name, value.to_string_lossy().into_owned())));
    step
}

/// A line of the launcher's record.
#[derive(Debug, Deserialize)]
struct Fact {
    /// A benchmark.
    name: Option<String>,
    /// Why it would be skipped.
    skipped: Option<String>,
    /// Why the file could not be read completely.
    failed: Option<String>,
    /// Why the whole file is skipped.
    left_out: Option<String>,
}

/// The valid lines. Empty if the tool did not write any.
fn read(record: &Path) -> Vec<Fact> {
    let Ok(file) = File::open(record) else { return Vec::new() };
    let lines = BufReader::new(file).split(b'\n').map_while(Result::ok);
    lines.filter_map(|line| serde_json::from_slice(&line).ok()).take(MOST).collect()
}

struct Gathering<'a> {
    package: &'a str,
    listing: Listing,
    seen: HashSet<String>,
}

impl Gathering<'_> {
    fn gather(mut self, facts: Vec<Fact>, step: &Step, output: &StepOutput) -> Result<Listing, HarnessError> {
        let mut failure = None;
        let count = facts.len();
        for fact in facts {
            match fact {
                Fact { failed: Some(reason), .. } => failure = failure.or(Some(reason)),
                Fact { left_out: Some(reason), .. } => {
                    self.warn(self.package.to_owned(), format!("is skipped as a whole: {}", reason.trim()));
                }
                Fact { name: Some(name), skipped: Some(reason), .. } => {
                    self.warn(format!("{}:{name}", self.package), format!("is skipped: {}", reason.trim()));
                }
                Fact { name: Some(name), .. } => self.add(name),
                Fact { .. } => {}
            }
        }
        if count == MOST {
            self.warn(self.package.to_owned(), format!("only the first {MOST} benchmarks are listed"));
        }
        let is_empty = self.listing.benchmarks.is_empty();
        match failure {
            Some(reason) if is_empty => return Err(steps::refusal(step, output, &reason)),
            Some(reason) => self.fail(format!("could not be read to its end: {}", steps::ending(&reason))),
            // pytest returns 5 for a file without tests, which is not a failure.
            None if is_empty && count == 0 && !matches!(output.status, 0 | 5) => {
                let said = format!("{}\n{}", output.stdout.trim(), output.stderr.trim());
                return Err(steps::refusal(step, output, &said));
            }
            None if !matches!(output.status, 0 | 5) => {
                let said = steps::ending(&output.stderr);
                self.fail(format!(
                    "ended with status {} while its benchmarks were listed: {said}",
                    output.status
                ));
            }
            None => {}
        }
        Ok(self.listing)
    }

    fn add(&mut self, name: String) {
        if name.is_empty() {
            self.warn(self.package.to_owned(), "has a benchmark without a name, which is left out".into());
        } else if self.seen.insert(name.clone()) {
            self.listing.benchmarks.push(BenchmarkId::new(NAME, self.package, name));
        } else {
            let message = format!("the name `{name}` is used twice; only the first is measured");
            self.warn(self.package.to_owned(), message);
        }
    }

    fn warn(&mut self, subject: String, message: String) {
        self.listing.diagnostics.push(Diagnostic::warning(subject, message));
    }

    fn fail(&mut self, message: String) {
        self.listing.diagnostics.push(Diagnostic::error(self.package, message));
    }
}

#[cfg(test)]
mod tests;
