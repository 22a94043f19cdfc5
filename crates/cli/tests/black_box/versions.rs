//! Which versions are compared, and that the repository stays as it is.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::document::{compared, map};
use crate::sandbox::{Sandbox, git_in};
use crate::suite::{self, NAMES};

/// The contents of all files of a directory but benchwright's own.
fn contents(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(dir).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() && !path.ends_with(".benchwright") {
            all.extend(contents(&path));
        } else if path.is_file() {
            all.insert(path.clone(), fs::read(&path).expect("a file"));
        }
    }
    all
}

/// The label and the tree of a side.
fn tree(document: &serde_json::Value, side: &str) -> String {
    document["run"][side]["tree"].as_str().expect("a tree").to_owned()
}

#[test]
fn the_working_tree_is_compared_with_all_that_is_not_committed() {
    let sandbox = Sandbox::new();
    // Changed, not committed; and a benchmark source that git does not know yet.
    sandbox.write("version.txt", "tree\n");
    sandbox.write(
        "Cargo.toml",
        &fs::read_to_string(sandbox.repository.join("Cargo.toml")).expect("a manifest").replace(
            "[profile.bench]",
            "[[bench]]\nname = \"untracked\"\nharness = false\n\n[profile.bench]",
        ),
    );
    sandbox.write("benches/untracked.rs", "fn main() { println!(\"omega: benchmark\"); }\n");
    sandbox.script.write("beta", "tree", "0 time 1300");
    let before = contents(&sandbox.repository);
    let (document, _) = compared(&sandbox, "head", 3);
    assert_eq!(document.verdicts(), map(&[("alpha", "same"), ("beta", "slower"), ("gamma", "same")]));
    assert_eq!(document.names("added"), ["omega"]);
    assert_eq!(document.0["run"]["head"]["dirty"], true);
    assert_eq!(contents(&sandbox.repository), before, "the repository is as it was");
    assert_eq!(sandbox.git(&["status", "--porcelain"]).lines().count(), 3, "results hide from git");
    let ignore = fs::read_to_string(sandbox.results().join(".gitignore")).expect("a .gitignore");
    assert_eq!(ignore.trim(), "*");
}

#[test]
fn ignored_files_are_no_part_of_the_working_tree() {
    let sandbox = Sandbox::new();
    sandbox.write("target/noise", "x");
    let (document, _) = compared(&sandbox, "head --filter alpha", 0);
    assert_eq!(tree(&document.0, "base"), tree(&document.0, "head"));
}

#[test]
fn three_dots_are_the_merge_base_and_two_are_the_ends() {
    let sandbox = Sandbox::new();
    sandbox.git(&["checkout", "--quiet", "-b", "topic", "base"]);
    sandbox.commit(&suite::files("topic", &NAMES), "topic-end");
    let of = |revision: &str| sandbox.git(&["rev-parse", &format!("{revision}^{{tree}}")]).trim().to_owned();
    for (range, base, head) in
        [("head...topic", "base", "topic"), ("head..topic", "head", "topic"), ("topic...", "topic", "topic")]
    {
        let (document, _) = compared(&sandbox, &format!("{range} --filter alpha"), 0);
        assert_eq!((tree(&document.0, "base"), tree(&document.0, "head")), (of(base), of(head)), "{range}");
    }
}

#[test]
fn the_second_comparison_builds_nothing() {
    let sandbox = Sandbox::new();
    // A version that no other test has.
    sandbox.commit(&suite::files("fresh", &["alpha"]), "fresh");
    let (_, first) = compared(&sandbox, "base fresh", 0);
    first.tells(&["head: 1 benchmark built in "]);
    let (_, second) = compared(&sandbox, "base fresh", 0);
    second.tells(&["base: 3 benchmarks from the cache", "head: 1 benchmark from the cache"]);
}

#[test]
fn versions_do_not_see_each_others_configuration() {
    let sandbox = Sandbox::new();
    // With these flags of its own the working tree could not be built.
    sandbox.write(".cargo/config.toml", "[build]\nrustflags = [\"--no-such-flag\"]\n");
    compared(&sandbox, "base head --filter alpha", 0);
}

#[test]
fn a_directory_below_the_root_will_do() {
    let sandbox = Sandbox::new();
    let benches = sandbox.repository.join("benches");
    let arguments = ["-C", benches.to_str().expect("UTF-8"), "compare", "base", "head", "--filter", "alpha"];
    sandbox.run(&arguments).exits(0);
    assert!(sandbox.results().is_dir(), "results are at the root");
    sandbox.say("-C no/such/place show").exits(2).tells(&["no/such/place"]);
}

/// A sandbox whose repository is a clone of another sandbox's.
fn cloned(from: &Sandbox, arguments: &[&str]) -> Sandbox {
    let sandbox = Sandbox::empty();
    fs::remove_dir_all(&sandbox.repository).expect("it goes");
    let url = format!("file://{}", from.repository.display());
    let all = [&["clone", "--quiet"], arguments, &[url.as_str(), "repository"]].concat();
    git_in(sandbox.repository.parent().expect("a parent"), &all);
    sandbox
}

#[test]
fn a_shallow_clone_is_told_what_gets_the_history() {
    let sandbox = cloned(&Sandbox::new(), &["--depth", "1"]);
    sandbox.say("compare HEAD~1").exits(2).tells(&["HEAD~1", "git fetch --unshallow"]);
}

#[test]
fn a_submodule_that_is_not_there_is_named_with_what_gets_it() {
    let library = Sandbox::empty();
    library.commit(&[("data.txt", "Words.\n".to_owned())], "library");
    let origin = Sandbox::new();
    let url = format!("file://{}", library.repository.display());
    origin.git(&["submodule", "--quiet", "add", &url, "library"]);
    origin.commit(&[], "with-submodule");
    let sandbox = cloned(&origin, &[]);
    let answer = sandbox.say("compare with-submodule with-submodule").exits(2);
    answer.tells(&["library", "git submodule update --init --recursive"]);
}

#[test]
fn a_bare_repository_is_told_to_be_cloned() {
    let sandbox = cloned(&Sandbox::new(), &["--bare"]);
    sandbox.say("compare base head").exits(2).tells(&["bare", "clone"]);
}

#[test]
fn twins_of_different_projects_are_measured_once_and_named() {
    let sandbox = Sandbox::empty();
    for version in ["base", "head"] {
        for dir in ["one", "two"] {
            for (path, text) in suite::files(version, &["alpha"]) {
                sandbox.write(&format!("{dir}/{path}"), &text);
            }
        }
        sandbox.commit(&[], version);
    }
    let answer = sandbox.say("list head").exits(1);
    assert_eq!(answer.stdout, "scripted/scripted:alpha\n");
    answer.tells(&["cargo project `one`", "cargo project `two`", "only the first is measured"]);
    let (document, _) = compared(&sandbox, "base head", 1);
    assert_eq!(document.verdicts(), map(&[("alpha", "same")]));
    assert!(sandbox.script.started().len() >= 10, "it was measured");
}

#[test]
fn every_project_that_does_not_build_is_named() {
    let sandbox = Sandbox::empty();
    for dir in ["one", "two"] {
        for (path, text) in suite::files("base", &["alpha"]) {
            let broken = if path.ends_with(".rs") { "fn main() { no_such_name }\n".to_owned() } else { text };
            sandbox.write(&format!("{dir}/{path}"), &broken);
        }
    }
    sandbox.commit(&[], "base");
    let answer = sandbox.say("compare base base").exits(1);
    answer.tells(&["cargo project `one`", "cargo project `two`", "no_such_name"]);
}
