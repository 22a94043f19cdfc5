//! A project's packages and targets, as reported by Cargo.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::steps::{self, QUESTION_LIMIT};
use crate::{HarnessError, StepRunner};

/// The required part of the output of `cargo metadata --no-deps`.
#[derive(Debug, Deserialize)]
pub(super) struct Metadata {
    /// The workspace's members.
    pub(super) packages: Vec<Package>,
    /// The directory of `Cargo.lock`.
    pub(super) workspace_root: PathBuf,
}

/// A member of the workspace.
#[derive(Debug, Deserialize)]
pub(super) struct Package {
    /// Its name.
    pub(super) name: String,
    /// Its version.
    pub(super) version: String,
    /// Its `Cargo.toml`.
    pub(super) manifest_path: PathBuf,
    /// Libraries, programs, benches ...
    pub(super) targets: Vec<Target>,
}

/// Something Cargo can compile.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct Target {
    /// `bench`, `lib`, `bin` ...
    pub(super) kind: Vec<String>,
    /// Its name.
    pub(super) name: String,
    /// Its main file.
    pub(super) src_path: PathBuf,
    /// Cargo skips the target unless these features are enabled.
    #[serde(default, rename = "required-features")]
    pub(super) required_features: Vec<String>,
}

impl Metadata {
    /// Runs `cargo metadata`.
    pub(super) fn ask(project: &Path, run: &mut dyn StepRunner) -> Result<Metadata, HarnessError> {
        let args = ["metadata", "--format-version", "1", "--no-deps"];
        let purpose = format!("ask Cargo for the packages of `{}`", project.display());
        let step = steps::step(purpose, "cargo", args, project, QUESTION_LIMIT);
        let output = steps::run_well(&step, run)?;
        serde_json::from_str(&output.stdout)
            .map_err(|error| HarnessError::Output { purpose: step.purpose, message: error.to_string() })
    }

    /// The member whose manifest this is.
    pub(super) fn package(&self, manifest_path: &Path) -> Option<&Package> {
        self.packages.iter().find(|package| package.manifest_path == manifest_path)
    }
}

impl Package {
    /// Its directory.
    pub(super) fn directory(&self) -> &Path {
        self.manifest_path.parent().unwrap_or(&self.manifest_path)
    }
}

impl Target {
    /// Whether it is in `benches/` or in a `[[bench]]` table.
    pub(super) fn is_bench(&self) -> bool {
        self.is("bench")
    }

    /// Whether it is a library or program, which may have `#[bench]` functions among its tests.
    pub(super) fn may_have_unit_benches(&self) -> bool {
        ["lib", "bin", "rlib", "dylib", "cdylib", "staticlib", "proc-macro"].iter().any(|kind| self.is(kind))
    }

    /// The package of its benchmarks in identities: `package/bench`, or the package name for a library.
    pub(super) fn label(&self, package: &str) -> String {
        if self.is_bench() {
            format!("{package}/{}", self.name)
        } else if self.is("bin") {
            format!("{package}/bin:{}", self.name)
        } else {
            package.to_owned()
        }
    }

    fn is(&self, kind: &str) -> bool {
        self.kind.iter().any(|known| known == kind)
    }
}
