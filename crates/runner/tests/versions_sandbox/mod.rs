//! Real repositories in temporary directories.

#![allow(dead_code, reason = "each test binary uses a part of it")]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use benchwright_runner::{Cache, Checkout, Repository};
use tempfile::TempDir;

/// A directory with repositories and a cache beside them.
pub(crate) struct Sandbox {
    dir: TempDir,
    pub(crate) cache: Cache,
}

/// A working tree or bare repository in the sandbox.
#[derive(Clone)]
pub(crate) struct Tree {
    pub(crate) dir: PathBuf,
}

impl Sandbox {
    pub(crate) fn new() -> Sandbox {
        let dir = tempfile::tempdir().unwrap();
        let cache = Cache::at(&dir.path().join("cache dir")).unwrap();
        Sandbox { dir, cache }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// A new repository without commits.
    pub(crate) fn init(&self, name: &str) -> Tree {
        let dir = self.path(name);
        fs::create_dir_all(&dir).unwrap();
        let tree = Tree { dir };
        tree.git(&["init", "--quiet", "--initial-branch=main"]);
        tree
    }

    /// A repository with one commit of one file.
    pub(crate) fn repository(&self, name: &str) -> Tree {
        let tree = self.init(name);
        tree.write("a.txt", "one\n");
        tree.commit("first");
        tree
    }

    pub(crate) fn checkout(&self, repository: &Repository, revision: &str) -> Checkout {
        self.cache.checkout(repository, &repository.resolve(revision).unwrap()).unwrap()
    }
}

impl Tree {
    pub(crate) fn git(&self, args: &[&str]) -> String {
        let output = Command::new("git")
            .args(["-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main"])
            .args(args)
            .current_dir(&self.dir)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_SYSTEM", "/dev/null")
            .envs(["AUTHOR", "COMMITTER"].map(|role| (format!("GIT_{role}_NAME"), "Somebody")))
            .envs(["AUTHOR", "COMMITTER"].map(|role| (format!("GIT_{role}_EMAIL"), "somebody@example.org")))
            .output()
            .unwrap();
        assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.dir.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn remove(&self, path: &str) {
        fs::remove_file(self.dir.join(path)).unwrap();
    }

    pub(crate) fn make_executable(&self, path: &str) {
        fs::set_permissions(self.dir.join(path), fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Commits everything and returns the commit's id.
    pub(crate) fn commit(&self, message: &str) -> String {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "-m", message]);
        self.git(&["rev-parse", "HEAD"])
    }

    pub(crate) fn open(&self) -> Repository {
        Repository::discover(&self.dir).unwrap()
    }
}

/// Everything below a directory: a file's mode and contents, a link's target.
pub(crate) fn contents(dir: &Path) -> BTreeMap<String, String> {
    fn walk(dir: &Path, prefix: &str, found: &mut BTreeMap<String, String>) {
        for entry in fs::read_dir(dir).unwrap() {
            let entry = entry.unwrap();
            let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
            let metadata = fs::symlink_metadata(entry.path()).unwrap();
            if metadata.is_dir() {
                walk(&entry.path(), &format!("{name}/"), found);
            } else if metadata.is_symlink() {
                found.insert(name, format!("-> {}", fs::read_link(entry.path()).unwrap().display()));
            } else {
                let mode = if metadata.permissions().mode() & 0o100 != 0 { "x " } else { "" };
                let text = String::from_utf8_lossy(&fs::read(entry.path()).unwrap()).into_owned();
                found.insert(name, format!("{mode}{text}"));
            }
        }
    }
    let mut found = BTreeMap::new();
    walk(dir, "", &mut found);
    found
}

/// What `contents` gives for these files.
pub(crate) fn files(expected: &[(&str, &str)]) -> BTreeMap<String, String> {
    expected.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
}
