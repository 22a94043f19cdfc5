//! Submodules: commits of other repositories, checked out from objects that the user already has.

use std::path::{Component, Path, PathBuf};

use benchwright_model::Diagnostic;

use super::checkout::Extraction;
use super::git::{Git, path_of};
use super::{Repository, TreeFile, VersionError};

/// Checks out the submodules of `tree`, and their submodules.
pub(super) fn extract(
    extraction: &mut Extraction<'_>,
    git: &Git,
    repository: &Repository,
    tree: &str,
    dir: &Path,
    prefix: &Path,
    links: &[TreeFile],
) -> Result<(), VersionError> {
    if links.is_empty() {
        return Ok(());
    }
    let names = names_by_path(git, tree)?;
    for link in links {
        let path = prefix.join(&link.path);
        let name = names.iter().find(|(known, _)| *known == link.path).map(|(_, name)| name.as_str());
        match (locate(repository, link, name)?, name) {
            (Some(submodule), _) => {
                let tree = submodule.git().text(&["rev-parse", &format!("{}^{{tree}}", link.id)])?;
                extraction.extract(&submodule, &tree, &dir.join(&link.path), &path)?;
            }
            (None, Some(_)) => {
                let path = path.display().to_string();
                return Err(VersionError::Submodule { path, commit: link.id.clone() });
            }
            // Git also leaves such a directory empty.
            (None, None) => extraction.diagnostics.push(Diagnostic::warning(
                path.display().to_string(),
                "left empty: a repository without an entry in .gitmodules",
            )),
        }
    }
    Ok(())
}

/// Path and name of each submodule in the version's `.gitmodules`.
fn names_by_path(git: &Git, tree: &str) -> Result<Vec<(PathBuf, String)>, VersionError> {
    let blob = format!("{tree}:.gitmodules");
    let output =
        git.output(&["config", "-z", "--blob", &blob, "--get-regexp", r"^submodule\..*\.path$"], &[])?;
    // If a version has no .gitmodules, or there are no paths in it, git exits with status 1 or 128.
    let records = output.stdout.split(|byte| *byte == 0);
    Ok(records
        .filter_map(|record| {
            let line_end = record.iter().position(|byte| *byte == b'\n')?;
            let key = std::str::from_utf8(&record[..line_end]).ok()?;
            let name = key.strip_prefix("submodule.")?.strip_suffix(".path")?;
            Some((path_of(&record[line_end + 1..]).to_owned(), name.to_owned()))
        })
        .collect())
}

/// Finds a repository on this machine that has the submodule's commit.
fn locate(
    repository: &Repository,
    link: &TreeFile,
    name: Option<&str>,
) -> Result<Option<Repository>, VersionError> {
    let mut candidates = Vec::new();
    if let Some(root) = repository.root().map(|root| root.join(&link.path))
        && root.join(".git").exists()
    {
        // Without its own `.git`, git would find the outer repository.
        let git_dir = Git::at(&root).path(&["rev-parse", "--absolute-git-dir"])?;
        candidates.push(Repository::of_git_dir(&git_dir, Some(root))?);
    }
    // A name is a path below `modules`. As in git, a name that leads elsewhere is refused.
    let is_plain =
        |name: &&str| Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
    if let Some(name) = name.filter(is_plain) {
        for git_dir in [&repository.git_dir, &repository.common_dir] {
            let git_dir = git_dir.join("modules").join(name);
            if git_dir.join("HEAD").exists() {
                candidates.push(Repository::of_git_dir(&git_dir, None)?);
            }
        }
    }
    for candidate in candidates {
        if candidate.git().try_text(&["cat-file", "-e", &format!("{}^{{tree}}", link.id)])?.is_some() {
            return Ok(Some(candidate));
        }
    }
    Ok(None)
}
