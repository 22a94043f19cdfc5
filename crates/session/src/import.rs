//! Imports results of other tools into the store.

use benchwright_formats::Limits;
use benchwright_model::{Diagnostic, Run, RunId, RunKind, Side, Version};
use benchwright_runner::Repository;
use benchwright_store::{RunRecord, Store};

use crate::problem::Problem;
use crate::recorded::{self, Extent, Recorded};
use crate::request::Workspace;
use crate::{keep, project};

/// A request for an import.
#[derive(Debug, Clone, Default)]
pub struct ImportRequest {
    /// Files of results, directories of Criterion, or `-` for standard input.
    pub files: Vec<String>,
    /// The revision that was measured. `None` uses what the file states.
    pub revision: Option<String>,
    /// The name of the version. `None` uses the revision or the name of the file.
    pub label: Option<String>,
    /// Whether all files become one run.
    pub joins: bool,
    /// Whether nothing is stored.
    pub is_preview: bool,
    /// Limits on how much of a file is read.
    pub limits: Limits,
}

/// The result of an import.
#[derive(Debug, Default)]
pub struct FinishedImport {
    /// The sets of results that were found.
    pub sets: Vec<KeptSet>,
    /// Diagnostics about what was not understood.
    pub diagnostics: Vec<Diagnostic>,
    /// Files that could not be read.
    pub problems: Vec<Problem>,
    /// Whether some of the data could not be read.
    pub has_errors: bool,
}

/// A set of results that was found, and where it was stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptSet {
    /// Its name in messages.
    pub source: String,
    /// The format's name.
    pub format: String,
    /// What was measured.
    pub version: String,
    /// How much it contains.
    pub extent: Extent,
    /// The run that it is stored as. `None` in a preview.
    pub run: Option<RunId>,
}

/// Reads all files and stores their results. A file that cannot be read does not stop the others.
pub fn import(workspace: &Workspace, request: &ImportRequest) -> Result<FinishedImport, Problem> {
    let directory = workspace.directory()?;
    let repository = Repository::discover(&directory)?;
    let version = request.revision.as_deref().map(|revision| repository.resolve(revision)).transpose()?;
    let mut finished = FinishedImport::default();
    let mut sets: Vec<Recorded> = Vec::new();
    for file in &request.files {
        match recorded::read(file, &directory, request.limits) {
            Ok(found) => sets.extend(found),
            Err(error) => finished.problems.push(Problem::from(error)),
        }
    }
    finished.diagnostics.extend(sets.iter().flat_map(|set| set.diagnostics.clone()));
    finished.has_errors = sets.iter().any(Recorded::has_errors);
    if request.joins {
        sets = joined(sets);
    }
    let (sets, empty): (Vec<Recorded>, Vec<Recorded>) =
        sets.into_iter().partition(|set| !set.benchmarks.is_empty());
    for set in &empty {
        finished.has_errors = true;
        finished.diagnostics.push(Diagnostic::error(&set.name, "has no results that could be read"));
    }
    if !sets.is_empty() {
        let root = project::work_tree(&repository)?;
        let mut store = if request.is_preview { None } else { Some(Store::open(&project::results(&root))?) };
        for set in sets {
            let version = named(&repository, &set, version.clone(), request.label.as_deref());
            finished.sets.push(keep_set(store.as_mut(), set, version)?);
        }
    }
    Ok(finished)
}

/// Joins all sets into one.
fn joined(sets: Vec<Recorded>) -> Vec<Recorded> {
    let mut sets = sets.into_iter();
    let Some(mut first) = sets.next() else { return Vec::new() };
    sets.for_each(|set| first.join(set));
    vec![first]
}

/// The version that was measured: as given by the user, otherwise as stated in the file, otherwise the file
/// itself.
fn named(repository: &Repository, set: &Recorded, told: Option<Version>, label: Option<&str>) -> Version {
    let found = || set.revision.as_deref().and_then(|revision| repository.resolve(revision).ok());
    let version = told.or_else(found).unwrap_or_else(|| set.version());
    Version { label: label.map_or(version.label.clone(), str::to_owned), ..version }
}

fn keep_set(store: Option<&mut Store>, set: Recorded, version: Version) -> Result<KeptSet, Problem> {
    let new =
        keep::new_run(RunKind::Imported, None, version.clone(), 0).with_settings(Default::default(), []);
    let run = set.run(Run { ended_at: Some(new.started_at), ..new }, version);
    let mut row = KeptSet {
        source: set.name.clone(),
        format: set.format.clone(),
        version: run.head.title(),
        extent: set.extent(),
        run: None,
    };
    if let Some(store) = store {
        row.run = Some(run.id.clone());
        let diagnostics = set.diagnostics.clone();
        let record = RunRecord {
            run,
            trials: Vec::new(),
            comparison: None,
            instances: Vec::new(),
            builds: Vec::new(),
            diagnostics,
            is_partial: false,
        };
        store.save_with(&record, set.into_trials(Side::Head))?;
    }
    Ok(row)
}
