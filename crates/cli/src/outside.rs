//! Commands that run where one stands: two of them against each other, and any of them outside a repository.
//!
//! Versions, builds and results belong to a repository. Outside of one an empty repository in the cache takes its part; the commands
//! themselves run in the current directory, with its files as they are.

use std::path::{Path, PathBuf};

use benchwright_harness::Harness;
use benchwright_model::Version;
use benchwright_runner::{Cache, Repository};

use crate::args::{CommandArgs, Global};
use crate::command_flags;
use crate::commands::demo::git;
use crate::problem::Problem;
use crate::project::Project;

/// The repository that stands in for a missing one; made at its first use.
pub(crate) fn stand_in(cache: &Cache) -> Result<Repository, Problem> {
    let dir = directory(cache);
    if let Some(repository) = existing(cache) {
        return Ok(repository);
    }
    std::fs::create_dir_all(&dir).map_err(|error| {
        let error = anyhow::Error::new(error).context(format!("make `{}`", dir.display()));
        Problem::failed(error, "")
    })?;
    git(&dir, &["init", "--quiet"])?;
    git(&dir, &["commit", "--quiet", "--allow-empty", "--message", "Nothing"])?;
    Ok(Repository::discover(&dir)?)
}

/// The same, if it was made before.
pub(crate) fn existing(cache: &Cache) -> Option<Repository> {
    let dir = directory(cache);
    let repository = Repository::discover(&dir).ok()?;
    let is_own =
        repository.root().is_some_and(|root| std::fs::canonicalize(&dir).is_ok_and(|dir| dir == root));
    (is_own && repository.is_empty().is_ok_and(|is_empty| !is_empty)).then_some(repository)
}

fn directory(cache: &Cache) -> PathBuf {
    cache.dir().join("outside")
}

/// Two commands under one name: head is the one that is measured, base the one it is compared with.
pub(crate) fn opponents(args: &CommandArgs, against: &str) -> Result<[CommandArgs; 2], Problem> {
    let [command] = args.command.as_slice() else {
        let error = anyhow::anyhow!("expected one `--command` with `--against`, got {}", args.command.len());
        return Err(Problem::misuse(error, "compare more than two commands in pairs"));
    };
    let name = args.command_name.first().unwrap_or(command).clone();
    let with = |run: &str| CommandArgs {
        command: vec![run.to_owned()],
        command_name: vec![name.clone()],
        ..args.clone()
    };
    Ok([with(against), with(command)])
}

/// The harness of typed commands that run in `directory`. Nothing is built there: a cached build would not see changed files.
pub(crate) fn harnesses(args: &CommandArgs, directory: &Path) -> Result<Vec<Box<dyn Harness>>, Problem> {
    if args.build_command.is_some() || args.setup.is_some() {
        let error =
            anyhow::anyhow!("expected no `--build` or `--setup` for commands that run in this directory");
        return Err(Problem::misuse(error, "build before measuring: the files here are used as they are"));
    }
    let mut definitions = command_flags::definitions(args, directory, directory)?.unwrap_or_default();
    for command in &mut definitions.commands {
        command.dir = directory.to_owned();
    }
    crate::project::harnesses(Some(command_flags::HARNESS), &definitions)
}

/// What both commands are measured in, under their own names.
pub(crate) fn sides(
    project: &Project,
    args: &CommandArgs,
    against: &str,
) -> Result<(Version, Version), Problem> {
    let version = match project.repository.is_empty()? {
        true => stand_in(&project.cache)?.resolve("HEAD")?,
        false => project.repository.resolve("HEAD")?,
    };
    Ok((called(against, version.clone()), called(&args.command.join(" "), version)))
}

/// The directory one stands in, where that is no repository.
pub(crate) fn here(project: &Project, global: &Global) -> Result<Version, Problem> {
    let directory = crate::project::directory(global)?;
    Ok(called(&directory.display().to_string(), project.repository.resolve("HEAD")?))
}

fn called(label: &str, version: Version) -> Version {
    Version { label: label.to_owned(), commit: None, dirty: false, subject: String::new(), ..version }
}
