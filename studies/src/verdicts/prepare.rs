//! Makes a git repository for each suite.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::suites::{Source, Suite};
use crate::command::{cargo, git, run, shown};

/// The name of the only commit in a suite's repository before any code is slowed down.
pub(crate) const ORIGINAL: &str = "original";

/// Makes the missing repositories. Suites that are not available are reported and left out.
pub(crate) fn prepare(root: &Path, dir: &Path, suites: &[Suite]) -> Result<()> {
    for suite in suites {
        let repository = suite.repository(dir);
        if is_ready(&repository) {
            println!("{}: there", suite.name);
            continue;
        }
        match make(root, dir, suite, &repository) {
            Ok(()) => println!("{}: made from {:?}", suite.name, suite.source),
            Err(error) => println!("{}: left out: {error:#}", suite.name),
        }
    }
    Ok(())
}

/// Whether the suite's repository is complete.
pub(crate) fn is_ready(repository: &Path) -> bool {
    git(repository)
        .args(["rev-parse", "--quiet", "--verify", ORIGINAL])
        .output()
        .is_ok_and(|o| o.status.success())
        && repository.join(".git").is_dir()
}

fn make(root: &Path, dir: &Path, suite: &Suite, repository: &Path) -> Result<()> {
    if repository.exists() {
        fs::remove_dir_all(repository).context("remove a repository that was made in part")?;
    }
    let source = match suite.source {
        Source::Module(path, version) => module_source(&format!("{path}@{version}"))?,
        Source::StandardLibrary => goroot()?.join("src"),
        Source::Example(path) => root.join(path),
        Source::Crate(name, version) => crate_source(root, dir, name, version)?,
    };
    // `cmd` is a separate module, and the largest part of Go.
    let left_out = if suite.source == Source::StandardLibrary { Some("cmd") } else { None };
    copy(&source, repository, left_out)?;
    if matches!(suite.source, Source::Crate(..)) {
        stand_alone(&repository.join("Cargo.toml"))?;
        run(cargo(repository).args(["generate-lockfile", "--quiet"]))?;
    }
    run(git(repository).args(["init", "--quiet", "--initial-branch", "main"]))?;
    run(git(repository).args(["add", "--all", "--force"]))?;
    run(git(repository).args(["commit", "--quiet", "--message", "The original"]))?;
    run(git(repository).args(["tag", ORIGINAL]))
}

/// The directory in which the go command stores a module.
fn module_source(module: &str) -> Result<PathBuf> {
    let output = Command::new("go").args(["mod", "download", "-json", module]).output();
    let output = output.context("start `go mod download`")?;
    let answer: Value = serde_json::from_slice(&output.stdout).context("understand `go mod download`")?;
    match answer["Dir"].as_str() {
        Some(dir) => Ok(PathBuf::from(dir)),
        None => bail!("get the module `{module}`: {}", answer["Error"].as_str().unwrap_or("no reason given")),
    }
}

/// The directory in which Go is installed.
pub(crate) fn goroot() -> Result<PathBuf> {
    let output = Command::new("go").args(["env", "GOROOT"]).output().context("start `go env`")?;
    Ok(PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()))
}

/// The directory in which Cargo stores a crate's package. The crate is fetched as a dependency of a temporary
/// project.
fn crate_source(root: &Path, dir: &Path, name: &str, version: &str) -> Result<PathBuf> {
    let project = dir.join("fetch").join(name);
    fs::create_dir_all(project.join("src")).context("make a project to fetch with")?;
    let manifest = format!(
        "[package]\nname = \"fetch\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\n[dependencies]\n{name} = \"={version}\"\n\n[workspace]\n"
    );
    fs::write(project.join("Cargo.toml"), manifest).context("write the project to fetch with")?;
    fs::write(project.join("src/lib.rs"), "").context("write the project to fetch with")?;
    let mut command = cargo(root);
    command
        .arg("metadata")
        .args(["--format-version", "1", "--manifest-path"])
        .arg(project.join("Cargo.toml"));
    let output = command.output().context("start `cargo metadata`")?;
    if !output.status.success() {
        bail!("`{}` failed: {}", shown(&command), String::from_utf8_lossy(&output.stderr).trim());
    }
    let metadata: Value = serde_json::from_slice(&output.stdout).context("understand `cargo metadata`")?;
    let packages = metadata["packages"].as_array().context("find the packages")?;
    let package = packages.iter().find(|package| package["name"] == name).context("find the crate")?;
    let manifest = package["manifest_path"].as_str().context("find the crate's manifest")?;
    Ok(Path::new(manifest).parent().context("find the crate's directory")?.to_path_buf())
}

/// Makes a crate a separate workspace. Otherwise Cargo uses a workspace around the directory of the trial.
fn stand_alone(manifest: &Path) -> Result<()> {
    let text = fs::read_to_string(manifest).context("read the crate's manifest")?;
    if text.lines().any(|line| line.trim() == "[workspace]") {
        return Ok(());
    }
    fs::write(manifest, format!("{text}\n[workspace]\n")).context("write the crate's manifest")
}

/// Copies a directory with writable files, without links and files of registries.
pub(crate) fn copy(from: &Path, to: &Path, left_out: Option<&str>) -> Result<()> {
    fs::create_dir_all(to).with_context(|| format!("make `{}`", to.display()))?;
    for entry in fs::read_dir(from).with_context(|| format!("read `{}`", from.display()))? {
        let entry = entry?;
        let (name, kind) = (entry.file_name(), entry.file_type()?);
        let is_registrys = name == ".cargo-ok" || name == ".cargo_vcs_info.json" || name == ".git";
        if is_registrys || left_out.is_some_and(|left_out| name == left_out) {
            continue;
        }
        let target = to.join(&name);
        if kind.is_dir() {
            copy(&entry.path(), &target, None)?;
        } else if kind.is_file() {
            // `fs::copy` would also copy permissions, and files in the module cache are read-only.
            let bytes =
                fs::read(entry.path()).with_context(|| format!("read `{}`", entry.path().display()))?;
            fs::write(&target, bytes).with_context(|| format!("write `{}`", target.display()))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_can_be_written_and_lacks_what_is_not_the_suites() {
        let dir = tempfile::tempdir().unwrap();
        let (from, to) = (dir.path().join("from"), dir.path().join("to"));
        fs::create_dir_all(from.join("cmd/x")).unwrap();
        fs::create_dir_all(from.join("sort/cmd")).unwrap();
        for file in ["a.go", "cmd/x/b.go", "sort/cmd/c.go", ".cargo-ok"] {
            fs::write(from.join(file), "text").unwrap();
        }
        let mut permissions = fs::metadata(from.join("a.go")).unwrap().permissions();
        permissions.set_readonly(true);
        fs::set_permissions(from.join("a.go"), permissions).unwrap();
        copy(&from, &to, Some("cmd")).unwrap();
        assert!(!fs::metadata(to.join("a.go")).unwrap().permissions().readonly());
        assert!(to.join("sort/cmd/c.go").is_file());
        assert!(!to.join("cmd").exists() && !to.join(".cargo-ok").exists());
        assert!(!is_ready(&to));
    }
}
