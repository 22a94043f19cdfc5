//! Commands in the current directory: comparisons of two commands, and any command outside a repository.
//!
//! Versions, builds and results belong to a repository. Outside of one, an empty repository in the cache
//! takes its place. The commands themselves run in the current directory, on its files.

use std::path::{Path, PathBuf};

use benchwright_harness::{CommandDefinition, Definitions, Harness};
use benchwright_model::Version;
use benchwright_process::{Command, Interrupt, capture};
use benchwright_runner::{Cache, Repository};

use crate::problem::{Problem, because};
use crate::project::{self, COMMAND_HARNESS, Project};
use crate::request::{Selection, Workspace};

/// The repository that takes the place of a missing one. It is made when first used.
pub fn stand_in(cache: &Cache) -> Result<Repository, Problem> {
    let dir = directory(cache);
    if let Some(repository) = existing(cache) {
        return Ok(repository);
    }
    std::fs::create_dir_all(&dir).map_err(|error| {
        let error = because(format!("make `{}`", dir.display()), error);
        Problem::failed(error, "")
    })?;
    git(&dir, &["init", "--quiet"])?;
    git(&dir, &["commit", "--quiet", "--allow-empty", "--message", "Nothing"])?;
    Ok(Repository::discover(&dir)?)
}

/// The same repository, if it exists already.
pub fn existing(cache: &Cache) -> Option<Repository> {
    let dir = directory(cache);
    let repository = Repository::discover(&dir).ok()?;
    let is_own =
        repository.root().is_some_and(|root| std::fs::canonicalize(&dir).is_ok_and(|dir| dir == root));
    (is_own && repository.is_empty().is_ok_and(|is_empty| !is_empty)).then_some(repository)
}

fn directory(cache: &Cache) -> PathBuf {
    cache.dir().join("outside")
}

/// The harness of commands that run in `directory`. Nothing is built there: a cached build would not see changed files.
pub fn harnesses(commands: &[CommandDefinition], directory: &Path) -> Result<Vec<Box<dyn Harness>>, Problem> {
    if commands.iter().any(|command| command.build.is_some() || command.setup.is_some()) {
        let error = "expected no `--build` or `--setup` for commands that run in this directory";
        return Err(Problem::misuse(error, "build before measuring: the files here are used as they are"));
    }
    let here =
        |command: &CommandDefinition| CommandDefinition { dir: directory.to_owned(), ..command.clone() };
    let definitions = Definitions { commands: commands.iter().map(here).collect(), ..Definitions::default() };
    project::harnesses(Some(COMMAND_HARNESS), &definitions)
}

/// The versions of two commands. Both are the same version of the repository, labelled with the commands.
pub fn sides(
    project: &Project,
    selection: &Selection,
    against: &CommandDefinition,
) -> Result<(Version, Version), Problem> {
    let version = match project.repository.is_empty()? {
        true => stand_in(&project.cache)?.resolve("HEAD")?,
        false => project.repository.resolve("HEAD")?,
    };
    let commands: Vec<&str> = selection.commands.iter().map(|command| command.run.as_str()).collect();
    Ok((called(&against.run, version.clone()), called(&commands.join(" "), version)))
}

/// The version outside a repository, labelled with the workspace's directory.
pub fn here(project: &Project, workspace: &Workspace) -> Result<Version, Problem> {
    let directory = workspace.directory()?;
    Ok(called(&directory.display().to_string(), project.repository.resolve("HEAD")?))
}

fn called(label: &str, version: Version) -> Version {
    Version { label: label.to_owned(), commit: None, dirty: false, subject: String::new(), ..version }
}

/// Runs git without the user's configuration (signing, hooks, templates), which must not affect repositories
/// that benchwright makes.
pub fn git(dir: &Path, arguments: &[&str]) -> Result<(), Problem> {
    let own =
        ["-c", "user.name=benchwright", "-c", "user.email=demo@localhost", "-c", "commit.gpgsign=false"];
    let quiet = ["-c", "core.hooksPath=/dev/null", "-c", "init.defaultBranch=main"];
    let all = own.iter().chain(&quiet).chain(arguments).copied();
    let command = Command::new("git", dir).args(all);
    let hint = "git must be installed";
    let (exit, _, stderr) =
        capture(&command, &Interrupt::new()).map_err(|error| Problem::failed(error, hint))?;
    if exit.is_success() {
        return Ok(());
    }
    let error = format!("run git {}", arguments.join(" "));
    Err(Problem::failed(error, hint).quoting(String::from_utf8_lossy(&stderr)))
}
