//! Problems of recorded processes: each is reported once, and the rest is used.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;

use benchwright_formats::warmup::{self, DeveloperConfiguration, RecordedProcess, Subject, WarmupError};
use benchwright_model::Diagnostic;
use benchwright_steady::rules::Configuration;
use benchwright_steady::rules::catalogue::RuleError;

use super::source::Process;
use crate::problem::{Problem, because};

/// Data that could not be read or replayed, and doubtful data.
#[derive(Debug, Default)]
pub struct Doubts {
    errors: Vec<Diagnostic>,
    without_values: Several,
    no_times: Several,
    refused: Several,
    refusal: Option<(String, RuleError)>,
}

/// The first problem of its kind, and how many there are.
#[derive(Debug, Default)]
struct Several {
    first: String,
    count: usize,
}

impl Several {
    fn add(&mut self, one: impl FnOnce() -> String) {
        if self.count == 0 {
            self.first = one();
        }
        self.count += 1;
    }

    /// A description of the first one, saying that there are others.
    fn describe(&self, others: &str) -> String {
        match self.count {
            1 => self.first.clone(),
            count => format!("{}; {} more {others}", self.first, count - 1),
        }
    }
}

impl Doubts {
    /// The processes of a table, as far as it can be read.
    pub(super) fn read(&mut self, file: &Path) -> Vec<RecordedProcess> {
        let (processes, bad_rows) = warmup::read_sensible(file).unwrap_or_else(|error| {
            self.failed(&error, "its processes are left out");
            (Vec::new(), Vec::new())
        });
        let mut rows = Several::default();
        bad_rows.iter().for_each(|row| rows.add(|| chain(row)));
        if rows.count > 0 {
            self.error(rows.describe("rows of it are left out, too"), "the other rows are used");
        }
        processes
    }

    /// The configurations of the developers, if they can be read.
    pub(super) fn configurations(&mut self, folder: &Path) -> BTreeMap<Subject, Configuration> {
        let read = warmup::read_configurations(folder).unwrap_or_else(|error| {
            self.failed(&error, "the rule `fixed` needs it, others do not");
            BTreeMap::new()
        });
        read.into_iter().map(|(subject, configuration)| (subject, configured(configuration))).collect()
    }

    /// Looks at the values of processes: `consequence` is what becomes of those that are no times.
    pub fn look_at(&mut self, processes: &[Process], consequence: &str) {
        for Process { recorded: process, .. } in processes {
            let name = || format!("`{}` fork {}", process.subject.benchmark, process.fork);
            let is_no_time = |value: &f64| !(value.is_finite() && *value > 0.0);
            if process.values.is_empty() {
                self.without_values.add(|| format!("{} has no values", name()));
            } else if let Some(place) = process.values.iter().position(is_no_time) {
                let value = process.values[place];
                self.no_times.add(|| {
                    format!("value {place} of {} is {value}, which is not a time: {consequence}", name())
                });
            }
        }
    }

    /// The rule does not work for a benchmark.
    pub fn refused(&mut self, benchmark: &str, error: RuleError) {
        self.refused.add(|| format!("cannot replay `{benchmark}`: cannot {error}"));
        self.refusal.get_or_insert_with(|| (benchmark.to_owned(), error));
    }

    /// Everything there is to say; errors where something was left out that should not have been.
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        let mut all = self.errors.clone();
        if let Some((_, refusal)) = &self.refusal {
            let message = self.refused.describe("benchmarks are refused, too");
            all.push(Diagnostic::error("", message).hint(refusal.hint()));
        }
        let odd = [
            (&self.without_values, "processes have none, either"),
            (&self.no_times, "processes have such values"),
        ];
        let odd = odd.iter().filter(|(several, _)| several.count > 0);
        all.extend(odd.map(|(several, others)| Diagnostic::warning("", several.describe(others))));
        all
    }

    /// Why there is no result at all: the rule was refused everywhere, or there was nothing to read.
    pub fn nothing(&mut self, source: &str) -> Problem {
        match self.refusal.take() {
            Some((benchmark, error)) => {
                let hint = error.hint();
                Problem::misuse(because(format!("replay `{benchmark}`"), error), hint)
            }
            None => {
                let error = format!("no process with values in `{source}`");
                Problem::failed(
                    error,
                    "a row of a table is a process, its `values` are seconds per operation",
                )
            }
        }
    }

    fn failed(&mut self, error: &WarmupError, consequence: &str) {
        self.error(chain(error), consequence);
    }

    fn error(&mut self, message: String, consequence: &str) {
        self.errors.push(Diagnostic::error("", format!("cannot {message}")).hint(consequence));
    }
}

/// The developers' configuration in the form that rules use.
fn configured(from: DeveloperConfiguration) -> Configuration {
    let warmup = (from.warmup_iterations, from.warmup_time_s);
    Configuration::of(warmup, (from.iterations, from.iteration_time_s), from.forks)
}

/// An error with its causes on one line.
fn chain(error: &dyn Error) -> String {
    let causes = std::iter::successors(error.source(), |cause| (**cause).source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_told_and_the_others_counted() {
        let mut several = Several::default();
        several.add(|| "a".into());
        assert_eq!(several.describe("such"), "a");
        several.add(|| unreachable!("only the first is described"));
        assert_eq!(several.describe("such"), "a; 1 more such");
    }

    #[test]
    fn causes_follow_on_the_same_line() {
        let source = std::io::Error::other("the disk is gone");
        let error = WarmupError::Unreadable { path: "x".into(), source };
        assert_eq!(chain(&error), "read `x`: the disk is gone");
    }
}
