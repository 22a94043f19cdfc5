//! The manifest of a build in the cache.

use std::fs;
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use benchwright_harness::{Executable, ListedTime, Listing};
use benchwright_model::{BenchmarkId, Diagnostic, Severity, TextPosition};
use serde::{Deserialize, Serialize};

/// `build.json`: the executables of one project.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Manifest {
    /// The build's key, so that a copied or renamed directory is not taken for another build.
    pub(super) key: String,
    pub(super) toolchain: String,
    pub(super) executables: Vec<WireExecutable>,
    pub(super) diagnostics: Vec<WireDiagnostic>,
}

/// `listing-<executable and arguments>.json`: the benchmarks of one executable.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ListingRecord {
    pub(super) key: String,
    benchmarks: Vec<WireBenchmark>,
    diagnostics: Vec<WireDiagnostic>,
}

impl ListingRecord {
    pub(super) fn of(key: &str, listing: &Listing) -> ListingRecord {
        let wire = |id: &BenchmarkId| WireBenchmark {
            harness: id.harness.clone(),
            package: id.package.clone(),
            name: id.name.clone(),
            took: listing.times.get(id).map(|time| {
                [time.process, time.call, time.operation]
                    .map(|part| u64::try_from(part.as_nanos()).unwrap_or(u64::MAX))
            }),
        };
        ListingRecord {
            key: key.to_owned(),
            benchmarks: listing.benchmarks.iter().map(wire).collect(),
            diagnostics: listing.diagnostics.iter().map(Into::into).collect(),
        }
    }
}

impl From<ListingRecord> for Listing {
    fn from(record: ListingRecord) -> Self {
        let mut listing = Listing {
            diagnostics: record.diagnostics.into_iter().map(Into::into).collect(),
            ..Listing::default()
        };
        for WireBenchmark { harness, package, name, took } in record.benchmarks {
            let id = BenchmarkId { harness, package, name };
            if let Some([process, call, operation]) = took.map(|it| it.map(Duration::from_nanos)) {
                listing.times.insert(id.clone(), ListedTime { process, call, operation });
            }
            listing.benchmarks.push(id);
        }
        listing
    }
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct WireExecutable {
    harness: String,
    package: String,
    flavour: String,
    flavour_version: String,
    path: String,
    dir: String,
    env: Vec<(String, String)>,
    pub(super) digest: String,
    size: u64,
    modified_nanos: u64,
}

#[derive(Debug, Serialize, Deserialize)]
struct WireBenchmark {
    harness: String,
    package: String,
    name: String,
    /// The parts of [`ListedTime`] in nanoseconds, in its order.
    took: Option<[u64; 3]>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct WireDiagnostic {
    severity: String,
    subject: String,
    position: Option<(u32, u32)>,
    message: String,
    hint: String,
}

impl WireExecutable {
    /// `None` if the file no longer exists or its name cannot be stored as JSON.
    pub(super) fn of(executable: &Executable, out: &Path, digest: &str) -> Option<WireExecutable> {
        let Executable { harness, package, flavour, flavour_version, path, dir, env } = executable;
        let (size, modified_nanos) = stamp(&out.join(path))?;
        Some(WireExecutable {
            harness: harness.clone(),
            package: package.clone(),
            flavour: flavour.clone(),
            flavour_version: flavour_version.clone(),
            path: path.to_str()?.to_owned(),
            dir: dir.to_str()?.to_owned(),
            env: env.clone(),
            digest: digest.to_owned(),
            size,
            modified_nanos,
        })
    }

    /// The executable, if the file is still the one that was built.
    pub(super) fn intact(&self, out: &Path) -> Option<Executable> {
        let is_same = stamp(&out.join(&self.path)) == Some((self.size, self.modified_nanos));
        is_same.then(|| Executable {
            harness: self.harness.clone(),
            package: self.package.clone(),
            flavour: self.flavour.clone(),
            flavour_version: self.flavour_version.clone(),
            path: (&self.path).into(),
            dir: (&self.dir).into(),
            env: self.env.clone(),
        })
    }
}

/// Size and time of a file, a cheap check for changes.
fn stamp(path: &Path) -> Option<(u64, u64)> {
    let metadata = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    let modified = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some((metadata.len(), u64::try_from(modified.as_nanos()).ok()?))
}

impl From<&Diagnostic> for WireDiagnostic {
    fn from(diagnostic: &Diagnostic) -> Self {
        let Diagnostic { severity, subject, position, message, hint } = diagnostic.clone();
        let position = position.map(|at| (at.line, at.column));
        WireDiagnostic { severity: severity.word().to_owned(), subject, position, message, hint }
    }
}

impl From<WireDiagnostic> for Diagnostic {
    fn from(wire: WireDiagnostic) -> Self {
        let severity = match wire.severity.as_str() {
            "note" => Severity::Note,
            "error" => Severity::Error,
            _ => Severity::Warning,
        };
        let position = wire.position.map(|(line, column)| TextPosition { line, column });
        Diagnostic { severity, subject: wire.subject, position, message: wire.message, hint: wire.hint }
    }
}
