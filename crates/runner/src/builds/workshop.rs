//! Shared by building and linking again: its environment, and directories that versions use in turn.

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

/// One project of one version, and where it is worked on.
pub(super) struct Workshop<'a> {
    pub(super) cache: &'a Cache,
    pub(super) repository: &'a Repository,
    pub(super) interrupt: &'a Interrupt,
    pub(super) project: &'a Project,
    /// The root of the version's files.
    pub(super) root: &'a Path,
    /// The file that remembers which files those are.
    pub(super) listing: &'a Path,
}

impl Workshop<'_> {
    /// The common environment, closed against a Go work space that lies outside the version.
    pub(super) fn environment(&self) -> CommonEnvironment {
        let environment = common_environment(self.cache);
        let has_own = self.project.dir.ancestors().any(|dir| self.root.join(dir).join("go.work").exists());
        match !has_own && go_work_outside(self.cache) {
            true => environment.with("GOWORK", "off"),
            false => environment,
        }
    }

    /// The directory for intermediate files and that for what all versions share; neither need exist yet.
    pub(super) fn directories(&self, toolchain: &str) -> (PathBuf, PathBuf) {
        let identity = self.repository.identity();
        let intermediate = key::intermediate_key(identity, self.project, toolchain);
        let shared = key::shared_key(identity, self.project);
        (self.cache.entry("intermediate", &intermediate), self.cache.entry("shared", &shared))
    }

    /// Works with the directory for intermediate files and that for what all versions share, while nobody else does.
    pub(super) fn with_intermediate<T>(
        &self,
        toolchain: &str,
        work: impl FnOnce(&Path, &Path) -> Result<T, ProjectError>,
    ) -> Result<T, ProjectError> {
        let (intermediate, shared) = self.directories(toolchain);
        // Tools protect such a directory only while they build, not while the harness takes its results out.
        let _lock = self.cache.lock(&intermediate, Some(self.interrupt))?;
        fs::create_dir_all(&intermediate).map_err(ProjectError::file("write", &intermediate))?;
        mark_used(&intermediate);
        self.take_over(&intermediate)?;
        fs::create_dir_all(&shared).map_err(ProjectError::file("write", &shared))?;
        work(&intermediate, &shared)
    }

    /// Makes tools that go by file times see that intermediate files of another version are not those of this one.
    ///
    /// Cargo notes source files relative to their package. After a build of version A, the files of B, checked out
    /// before it, look unchanged since, and A's executables would be taken for B's.
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
