//! Versions made of more than one repository's objects: submodules, nested repositories, Git LFS files.

#![expect(clippy::unwrap_used, reason = "helpers of tests may unwrap as tests do")]

mod versions_sandbox;

use std::fs;

use benchwright_runner::VersionError;
use versions_sandbox::{Sandbox, Tree, contents, files};

/// `outer` with the submodule `lib dir`, which has the submodule `deep`.
fn nested_submodules(sandbox: &Sandbox) -> Tree {
    let deep = sandbox.repository("deep origin");
    deep.write("a.txt", "deep\n");
    deep.commit("deep");
    let library = sandbox.repository("library origin");
    library.git(&["submodule", "--quiet", "add", "../deep origin", "deep"]);
    library.commit("with deep");
    let outer = sandbox.init("outer");
    outer.write("o.txt", "outer\n");
    outer.git(&["submodule", "--quiet", "add", "--name", "library", "../library origin", "lib dir"]);
    outer.git(&["submodule", "--quiet", "update", "--init", "--recursive"]);
    outer.commit("with library");
    outer
}

fn without_git_files(mut found: std::collections::BTreeMap<String, String>) -> Vec<(String, String)> {
    found.retain(|path, _| !path.ends_with(".gitmodules"));
    found.into_iter().collect()
}

#[test]
fn submodules_are_checked_out_from_what_is_here() {
    let sandbox = Sandbox::new();
    let outer = nested_submodules(&sandbox);
    let expected: Vec<(String, String)> =
        files(&[("o.txt", "outer\n"), ("lib dir/a.txt", "one\n"), ("lib dir/deep/a.txt", "deep\n")])
            .into_iter()
            .collect();
    let before = contents(&outer.dir);
    let checkout = sandbox.checkout(&outer.open(), "HEAD");
    assert_eq!(without_git_files(contents(&checkout.root)), expected);
    assert!(checkout.files().unwrap().iter().any(|file| file.path.ends_with("lib dir/deep/a.txt")));
    assert_eq!(contents(&outer.dir), before);

    // An older commit of the submodule is still in its git directory after its working tree is gone.
    outer.git(&["submodule", "--quiet", "deinit", "--all"]);
    fs::remove_dir_all(sandbox.cache.dir().join("trees")).unwrap();
    fs::create_dir(sandbox.cache.dir().join("trees")).unwrap();
    let checkout = sandbox.checkout(&outer.open(), "HEAD");
    assert_eq!(without_git_files(contents(&checkout.root)), expected);
}

#[test]
fn a_submodule_that_is_not_here_is_named() {
    let sandbox = Sandbox::new();
    let outer = nested_submodules(&sandbox);
    outer.git(&["clone", "-q", ".", "../clone"]);
    let repository = Tree { dir: sandbox.path("clone") }.open();
    let error = sandbox.cache.checkout(&repository, &repository.resolve("HEAD").unwrap()).unwrap_err();
    assert!(matches!(&error, VersionError::Submodule { path, .. } if path == "lib dir"), "{error}");
    assert!(error.hint().contains("git submodule update --init --recursive"));

    fs::remove_dir_all(outer.dir.join("lib dir/deep")).unwrap();
    fs::remove_dir_all(outer.dir.join(".git/modules/library/modules")).unwrap();
    let repository = outer.open();
    let error = sandbox.cache.checkout(&repository, &repository.resolve("HEAD").unwrap()).unwrap_err();
    assert!(matches!(&error, VersionError::Submodule { path, .. } if path == "lib dir/deep"), "{error}");
    assert_eq!(
        fs::read_dir(sandbox.cache.dir().join("trees")).unwrap().count(),
        0,
        "nothing half-made is left"
    );
}

#[test]
fn a_snapshot_follows_submodule_commits_and_warns_of_uncommitted_changes() {
    let sandbox = Sandbox::new();
    let outer = nested_submodules(&sandbox);
    let library = Tree { dir: outer.dir.join("lib dir") };
    library.write("a.txt", "committed in the submodule\n");
    library.commit("new");
    library.write("a.txt", "uncommitted\n");
    let before = contents(&outer.dir);
    let repository = outer.open();
    let snapshot = repository.snapshot(&sandbox.cache).unwrap();
    let checkout = sandbox.cache.checkout(&repository, &snapshot.version).unwrap();
    assert_eq!(contents(&outer.dir), before);
    assert_eq!(contents(&checkout.root)["lib dir/a.txt"], "committed in the submodule\n");
    assert_eq!(snapshot.diagnostics.len(), 1);
    assert_eq!(snapshot.diagnostics[0].subject, "lib dir");
    assert!(snapshot.diagnostics[0].message.contains("uncommitted changes"));
}

#[test]
fn nested_repositories_are_left_out_of_a_snapshot() {
    let sandbox = Sandbox::new();
    let outer = sandbox.repository("outer");
    sandbox.repository("outer/inner");
    sandbox.init("outer/unborn");
    let repository = outer.open();
    let snapshot = repository.snapshot(&sandbox.cache).unwrap();
    let subjects: Vec<&str> =
        snapshot.diagnostics.iter().map(|diagnostic| diagnostic.subject.as_str()).collect();
    assert_eq!(subjects, ["inner/", "unborn/"]);
    let checkout = sandbox.cache.checkout(&repository, &snapshot.version).unwrap();
    assert_eq!(contents(&checkout.root), files(&[("a.txt", "one\n")]));
}

#[test]
fn a_committed_repository_without_entry_in_gitmodules_is_left_empty() {
    let sandbox = Sandbox::new();
    let outer = sandbox.repository("outer");
    sandbox.repository("outer/inner");
    outer.commit("a gitlink by accident");
    fs::remove_dir_all(outer.dir.join("inner")).unwrap();
    let checkout = sandbox.checkout(&outer.open(), "HEAD");
    assert_eq!(checkout.diagnostics.len(), 1);
    assert_eq!(contents(&checkout.root), files(&[("a.txt", "one\n")]));
}

const CONTENTS: &str = "the real contents\n";
const CONTENTS_ID: &str = "4db5a5abf1cd0bd7bd8e4b2b0b1c8ac8c2a2bd2ca5d0d1b8a0a4b6d9bb7d3a11";

fn pointer(size: usize) -> String {
    format!("version https://git-lfs.github.com/spec/v1\noid sha256:{CONTENTS_ID}\nsize {size}\n")
}

/// A repository with a pointer that belongs to Git LFS and one that is plain text.
fn with_pointers(sandbox: &Sandbox) -> Tree {
    let tree = sandbox.init("lfs");
    tree.write(".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n");
    tree.write("data/big.bin", &pointer(CONTENTS.len()));
    tree.write("example.txt", &pointer(CONTENTS.len()));
    tree.commit("pointers");
    tree
}

#[test]
fn git_lfs_contents_replace_their_pointers() {
    let sandbox = Sandbox::new();
    let tree = with_pointers(&sandbox);
    let object = format!(".git/lfs/objects/{}/{}/{CONTENTS_ID}", &CONTENTS_ID[..2], &CONTENTS_ID[2..4]);
    tree.write(&object, CONTENTS);
    let found = contents(&sandbox.checkout(&tree.open(), "HEAD").root);
    assert_eq!(found["data/big.bin"], CONTENTS);
    assert_eq!(found["example.txt"], pointer(CONTENTS.len()));
}

#[test]
fn missing_git_lfs_contents_are_named() {
    let sandbox = Sandbox::new();
    let tree = with_pointers(&sandbox);
    let repository = tree.open();
    let error = sandbox.cache.checkout(&repository, &repository.resolve("HEAD").unwrap()).unwrap_err();
    assert!(matches!(&error, VersionError::Lfs { files } if files == &["data/big.bin"]), "{error}");
    assert!(error.hint().contains("git lfs pull"));
}

#[test]
fn a_changed_git_lfs_file_is_snapshotted_without_its_filter() {
    let sandbox = Sandbox::new();
    let tree = with_pointers(&sandbox);
    // Were it run, this filter would fail.
    tree.git(&["config", "filter.lfs.clean", "false"]);
    tree.git(&["config", "filter.lfs.smudge", "false"]);
    tree.git(&["config", "filter.lfs.required", "true"]);
    tree.write("data/big.bin", "edited\n");
    let repository = tree.open();
    let snapshot = repository.snapshot(&sandbox.cache).unwrap().version;
    let checkout = sandbox.cache.checkout(&repository, &snapshot).unwrap();
    assert_eq!(contents(&checkout.root)["data/big.bin"], "edited\n");
}
