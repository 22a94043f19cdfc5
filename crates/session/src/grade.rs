//! How good a suite is: how large and stable, which slowdowns it finds, which benchmarks are needed, and whether a gate with it works.
//!
//! Functions are counted and slowed down in edited copies of a version, which are built like any other version. Comparisons with
//! them are kept in a store of their own below the results directory, so that they are not taken for the user's, and an interrupted
//! command finds them again.

pub mod api;
mod calls;
pub mod choose;
mod clients;
pub mod gate;
mod source;
pub mod stubs;
pub mod suite;

use std::collections::HashMap;
use std::path::PathBuf;

use benchwright_config::Settings;
use benchwright_model::{BenchmarkId, Version};
use benchwright_report::grade::GradeReport;
use benchwright_report::scale;

use crate::problem::Problem;
use crate::project::Project;

/// A grade, and what went wrong beside it.
#[derive(Debug)]
pub struct Graded {
    /// What there is to show.
    pub report: GradeReport,
    /// What could not be measured or kept. It hides nothing of the report.
    pub problems: Vec<Problem>,
    /// Whether the user ended it before everything was known.
    pub is_interrupted: bool,
}

/// Where comparisons with edited versions are kept.
fn grade_store(project: &Project) -> PathBuf {
    project.results().join("grade")
}

/// The version to grade: a revision, or the working tree.
fn version(project: &Project, revision: Option<&str>) -> Result<Version, Problem> {
    Ok(match revision {
        Some(revision) => project.repository.resolve(revision)?,
        None => project.repository.snapshot(&project.cache)?.version,
    })
}

/// The names of benchmarks as people know them: with the package only where another benchmark has the same name.
fn names<'a>(ids: impl IntoIterator<Item = &'a BenchmarkId>) -> Vec<String> {
    let ids: Vec<&BenchmarkId> = ids.into_iter().collect();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    ids.iter().for_each(|id| *counts.entry(id.short_name()).or_default() += 1);
    let name = |id: &&BenchmarkId| match counts[id.short_name()] {
        1 => id.short_name().to_owned(),
        _ => id.to_string(),
    };
    ids.iter().map(name).collect()
}

/// The threshold that holds for most benchmarks, in words.
fn threshold(settings: &Settings) -> String {
    scale::share(settings.thresholds.general.soft)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_that_two_packages_have_get_the_package() {
        let ids = [("p", "BenchmarkA"), ("q", "BenchmarkA"), ("q", "BenchmarkB")]
            .map(|(package, name)| BenchmarkId::new("go", package, name));
        assert_eq!(names(&ids), ["p:BenchmarkA", "q:BenchmarkA", "B"]);
    }
}
