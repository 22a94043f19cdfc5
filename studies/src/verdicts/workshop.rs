//! Builds programs of a suite with changed files, without the product.

use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use anyhow::{Context, Result};

use super::candidates::Target;
use super::criterion::BenchProgram;
use super::experiment::Experiment;
use super::go_test::{Overlay, TestProgram};
use super::jmh::Jar;
use super::peer::Program;
use super::prepare::{ORIGINAL, copy, goroot};
use super::suites::{Slowdowns, Source, Suite};
use crate::command::{git, run};

/// A suite's repository at its original commit, with directories for builds.
pub(crate) struct Workshop<'a> {
    pub(crate) suite: &'a Suite,
    pub(crate) target: &'a Target,
    pub(crate) repository: PathBuf,
    /// The directory for programs and changed files.
    scratch: PathBuf,
    /// The directory for the shared dependencies of builds of one suite.
    shared: PathBuf,
}

impl<'a> Workshop<'a> {
    pub(crate) fn new(experiment: &Experiment, suite: &'a Suite, target: &'a Target) -> Result<Workshop<'a>> {
        let repository = suite.repository(&experiment.dir);
        run(git(&repository).args(["checkout", "--quiet", "--force", ORIGINAL]))?;
        let scratch = experiment.dir.join("scratch");
        if scratch.exists() {
            fs::remove_dir_all(&scratch).context("clear the directory of test programs")?;
        }
        fs::create_dir_all(&scratch).context("make the directory of test programs")?;
        let shared = experiment.dir.join("shared").join(suite.name);
        Ok(Workshop { suite, target, repository, scratch, shared })
    }

    /// Builds a program called `name` with these changes to files, whose paths are relative to the
    /// repository.
    pub(crate) fn build(&self, name: &str, changes: &[(PathBuf, String)]) -> Result<Rc<dyn Program>> {
        Ok(match self.suite.slowdowns {
            Slowdowns::Criterion(_) => {
                Rc::new(BenchProgram::build(&self.copied(name, changes)?, &self.shared)?)
            }
            Slowdowns::Jmh(_) => Rc::new(Jar::build(&self.copied(name, changes)?, &self.target.package)?),
            Slowdowns::Found | Slowdowns::None => Rc::new(self.go_test(name, changes)?),
        })
    }

    /// Makes a copy of the repository with the changes.
    fn copied(&self, name: &str, changes: &[(PathBuf, String)]) -> Result<PathBuf> {
        let dir = self.scratch.join(name);
        copy(&self.repository, &dir, Some(".benchwright"))?;
        for (file, text) in changes {
            fs::write(dir.join(file), text).context("write a changed file")?;
        }
        Ok(dir)
    }

    fn go_test(&self, name: &str, changes: &[(PathBuf, String)]) -> Result<TestProgram> {
        let module = module_dir(self.suite, &self.repository)?;
        let mut overlay = Overlay::new();
        for (i, (file, text)) in changes.iter().enumerate() {
            let changed = self.scratch.join(format!("{name}-{i}.go"));
            fs::write(&changed, text).context("write a changed file")?;
            overlay.insert(module.join(file), changed);
        }
        let path = self.scratch.join(format!("{name}.test"));
        TestProgram::build(&module, &self.target.dir, &overlay, path, self.repository.join(&self.target.dir))
    }
}

/// The directory in which the go command works on a suite.
fn module_dir(suite: &Suite, repository: &Path) -> Result<PathBuf> {
    match suite.source {
        Source::StandardLibrary => Ok(goroot()?.join("src")),
        _ => Ok(repository.to_path_buf()),
    }
}
