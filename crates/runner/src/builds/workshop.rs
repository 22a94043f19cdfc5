//! What building and linking again have in common: the environment, and directories that versions use in
//! turn.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use benchwright_harness::Project;
use benchwright_process::Interrupt;
use benchwright_worker::CommonEnvironment;

use super::{ProjectError, key};
use crate::steps::common_environment;
use crate::versions::{Cache, Repository, beside, go_work_outside, mark_used, read_listing};

/// A project of a version, and the directories in which it is built.
pub(super) struct Workshop<'a> {
    pub(super) cache: &'a Cache,
    pub(super) repository: &'a Repository,
    pub(super) interrupt: &'a Interrupt,
    pub(super) project: &'a Project,
    /// The root of the version's files.
    pub(super) root: &'a Path,
    /// The file with the list of the version's files.
    pub(super) listing: &'a Path,
}

impl Workshop<'_> {
    /// The common environment, protected from a Go workspace outside the version.
    pub(super) fn environment(&self) -> CommonEnvironment {
        let environment = common_environment(self.cache);
        let has_own = self.project.dir.ancestors().any(|dir| self.root.join(dir).join("go.work").exists());
        match !has_own && go_work_outside(self.cache) {
            true => environment.with("GOWORK", "off"),
            false => environment,
        }
    }

    /// The directory for intermediate files, and the one for files that all versions share. They may not
    /// exist yet.
    pub(super) fn directories(&self, toolchain: &str) -> (PathBuf, PathBuf) {
        let identity = self.repository.identity();
        let intermediate = key::intermediate_key(identity, self.project, toolchain);
        let shared = key::shared_key(identity, self.project);
        (self.cache.entry("intermediate", &intermediate), self.cache.entry("shared", &shared))
    }

    /// Runs a function with both directories while no other process uses them.
    pub(super) fn with_intermediate<T>(
        &self,
        toolchain: &str,
        work: impl FnOnce(&Path, &Path) -> Result<T, ProjectError>,
    ) -> Result<T, ProjectError> {
        let (intermediate, shared) = self.directories(toolchain);
        // Tools lock such a directory only while they build, not while the harness takes the results out.
        let _lock = self.cache.lock(&intermediate, Some(self.interrupt))?;
        fs::create_dir_all(&intermediate).map_err(ProjectError::file("write", &intermediate))?;
        mark_used(&intermediate);
        self.take_over(&intermediate)?;
        fs::create_dir_all(&shared).map_err(ProjectError::file("write", &shared))?;
        work(&intermediate, &shared)
    }

    /// Makes tools that compare file times rebuild what belongs to another version.
    ///
    /// Cargo identifies source files by their path within the package. After a build of version A, the files
    /// of B, which was checked out earlier, look unchanged, and A's executables would be used for B.
    fn take_over(&self, intermediate: &Path) -> Result<(), ProjectError> {
        let marker = beside(intermediate, ".root");
        let root = self.root.as_os_str().as_encoded_bytes();
        if fs::read(&marker).is_ok_and(|last| last == root) {
            return Ok(());
        }
        let now = SystemTime::now();
        let files = read_listing(self.listing).ok_or_else(|| io::ErrorKind::InvalidData.into());
        for file in files.map_err(ProjectError::file("read", self.listing))? {
            let path = self.root.join(&file.path);
            if file.mode != "120000" {
                let touched = File::open(&path).and_then(|file| file.set_modified(now));
                touched.map_err(ProjectError::file("touch", &path))?;
            }
        }
        fs::write(&marker, root).map_err(ProjectError::file("write", &marker))
    }
}
