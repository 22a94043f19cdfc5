//! Versions of real repositories: resolved, snapshotted and checked out, and the repository left as it was.

#![expect(clippy::unwrap_used, reason = "helpers of tests may unwrap as tests do")]

mod versions_sandbox;

use std::fs;
use std::os::unix::fs::symlink;
use std::time::{Duration, SystemTime};

use benchwright_runner::{Cache, Repository, VersionError, surroundings};
use versions_sandbox::{Sandbox, Tree, contents, files};

/// The message and hint of an error.
fn words(error: VersionError) -> String {
    format!("{error}\n{}", error.hint())
}

#[test]
fn a_snapshot_is_the_working_tree_and_leaves_the_repository_untouched() {
    let sandbox = Sandbox::new();
    let tree = sandbox.init("my répo with spaces");
    for path in ["kept.txt", "changed.txt", "staged.txt", "deleted.txt", "script.sh", "was-file", "was-dir/x"]
    {
        tree.write(path, "old\n");
    }
    tree.write(".gitignore", "*.log\n");
    tree.write("tracked.log", "old\n");
    tree.git(&["add", "--force", "tracked.log"]);
    tree.commit("first");
    tree.write("changed.txt", "new\n");
    tree.write("tracked.log", "new\n");
    tree.write("staged.txt", "new\n");
    tree.git(&["add", "staged.txt"]);
    tree.remove("deleted.txt");
    tree.make_executable("script.sh");
    tree.write("ignored.log", "x");
    tree.write("new dir/ünïcode \"quoted\"\n.txt", "untracked\n");
    symlink("kept.txt", tree.dir.join("link")).unwrap();
    symlink("nowhere", tree.dir.join("dangling")).unwrap();
    tree.remove("was-file");
    tree.write("was-file/x", "now a directory\n");
    tree.remove("was-dir/x");
    fs::remove_dir(tree.dir.join("was-dir")).unwrap();
    tree.write("was-dir", "now a file\n");
    tree.write(".benchwright/results.db", "x");
    tree.write("sub/.benchwright/results.db", "x");
    tree.write(".git/hooks/post-index-change", "#!/bin/sh\ntouch \"$GIT_DIR/hook-ran\"\n");
    tree.make_executable(".git/hooks/post-index-change");

    let before = contents(&tree.dir);
    let repository = Repository::discover(&tree.dir.join("new dir")).unwrap();
    let snapshot = repository.snapshot(&sandbox.cache).unwrap();
    let checkout = sandbox.cache.checkout(&repository, &snapshot.version).unwrap();
    sandbox.checkout(&repository, "HEAD");
    assert_eq!(contents(&tree.dir), before);

    assert_eq!(snapshot.diagnostics, []);
    assert_eq!(snapshot.version.label, "working tree");
    assert_eq!(snapshot.version.commit, Some(tree.git(&["rev-parse", "HEAD"])));
    assert!(snapshot.version.dirty);
    let expected = files(&[
        (".gitignore", "*.log\n"),
        ("kept.txt", "old\n"),
        ("changed.txt", "new\n"),
        ("tracked.log", "new\n"),
        ("staged.txt", "new\n"),
        ("script.sh", "x old\n"),
        ("new dir/ünïcode \"quoted\"\n.txt", "untracked\n"),
        ("link", "-> kept.txt"),
        ("dangling", "-> nowhere"),
        ("was-file/x", "now a directory\n"),
        ("was-dir", "now a file\n"),
    ]);
    assert_eq!(contents(&checkout.root), expected);
    let listed: Vec<_> =
        checkout.files().unwrap().into_iter().map(|file| file.path.display().to_string()).collect();
    assert_eq!(listed.len(), expected.len());
    assert!(listed.iter().all(|path| expected.contains_key(path)), "{listed:?}");

    tree.write("changed.txt", "edited during the run\n");
    assert_eq!(contents(&checkout.root), expected);
}

#[test]
fn a_clean_working_tree_is_the_commits_tree() {
    let sandbox = Sandbox::new();
    let tree = sandbox.repository("r");
    let repository = tree.open();
    let snapshot = repository.snapshot(&sandbox.cache).unwrap().version;
    assert_eq!(snapshot.tree, repository.resolve("HEAD").unwrap().tree);
    assert!(!snapshot.dirty);
    assert_eq!(snapshot.subject, "");
}

#[test]
fn a_change_in_the_clock_tick_of_the_index_is_seen() {
    let sandbox = Sandbox::new();
    let tree = sandbox.repository("r");
    let repository = tree.open();
    // The same size, and the times that the index remembers: only the index' own time betrays the change.
    let time = SystemTime::now() - Duration::from_secs(60);
    let set_time = |path: &str| fs::File::open(tree.dir.join(path)).unwrap().set_modified(time).unwrap();
    tree.git(&["config", "core.trustctime", "false"]);
    tree.git(&["config", "core.checkStat", "minimal"]);
    set_time("a.txt");
    tree.git(&["add", "a.txt"]);
    tree.git(&["update-index", "--refresh"]);
    set_time(".git/index");
    tree.write("a.txt", "two\n");
    set_time("a.txt");
    let snapshot = repository.snapshot(&sandbox.cache).unwrap().version;
    let checkout = sandbox.cache.checkout(&repository, &snapshot).unwrap();
    assert_eq!(contents(&checkout.root), files(&[("a.txt", "two\n")]));
}

#[test]
fn a_conflicted_index_is_no_obstacle() {
    let sandbox = Sandbox::new();
    let tree = sandbox.repository("r");
    tree.git(&["checkout", "-qb", "topic"]);
    tree.write("a.txt", "topic\n");
    tree.commit("topic");
    tree.git(&["checkout", "-q", "main"]);
    tree.write("a.txt", "main\n");
    tree.commit("main");
    let merged =
        std::process::Command::new("git").args(["merge", "-q", "topic"]).current_dir(&tree.dir).output();
    assert!(!merged.unwrap().status.success());
    tree.write("a.txt", "resolved by hand\n");
    let before = contents(&tree.dir);
    let repository = tree.open();
    let snapshot = repository.snapshot(&sandbox.cache).unwrap().version;
    assert_eq!(contents(&tree.dir), before);
    let checkout = sandbox.cache.checkout(&repository, &snapshot).unwrap();
    assert_eq!(contents(&checkout.root), files(&[("a.txt", "resolved by hand\n")]));
}

#[test]
fn revisions_are_whatever_git_understands() {
    let sandbox = Sandbox::new();
    let tree = sandbox.repository("r");
    let first = tree.git(&["rev-parse", "HEAD"]);
    tree.write("a.txt", "two\n");
    let second = tree.commit("second: a subject\n\nand a body");
    tree.git(&["tag", "-a", "v1.0", "-m", "annotated"]);
    tree.git(&["branch", "feature/x", &first]);
    let repository = tree.open();
    let check = |revision: &str, commit: &str, subject: &str| {
        let version = repository.resolve(revision).unwrap();
        assert_eq!(version.label, revision);
        assert_eq!(version.commit.as_deref(), Some(commit), "{revision}");
        assert_eq!(version.tree, tree.git(&["rev-parse", &format!("{commit}^{{tree}}")]));
        assert_eq!(version.subject, subject);
        assert!(!version.dirty);
    };
    check("main", &second, "second: a subject");
    check("HEAD~1", &first, "first");
    check("v1.0", &second, "second: a subject");
    check("feature/x", &first, "first");
    check(&first[..8], &first, "first");
    check(":/second", &second, "second: a subject");
    check("main@{0}", &second, "second: a subject");
    let tree_id = tree.git(&["rev-parse", "HEAD^{tree}"]);
    let version = repository.resolve(&tree_id).unwrap();
    assert_eq!((version.commit, version.tree), (None, tree_id));
}

#[test]
fn unknown_revisions_get_advice() {
    let sandbox = Sandbox::new();
    let origin = sandbox.repository("origin");
    origin.git(&["branch", "topic"]);
    origin.write("a.txt", "two\n");
    origin.commit("second");
    let check = |tree: &Tree, revision: &str, expected: &[&str]| {
        let words = words(tree.open().resolve(revision).unwrap_err());
        assert!(words.lines().next().is_some_and(|line| line.contains(&format!("`{revision}`"))), "{words}");
        expected.iter().for_each(|part| assert!(words.contains(part), "{words}"));
    };
    check(&origin, "mian", &["unknown revision", "did you mean `main`?"]);
    check(&origin, "mian~1", &["did you mean `main`?"]);
    check(&origin, "", &["unknown revision"]);
    check(&origin, "--all", &["unknown revision"]);
    check(&origin, "^main", &["unknown revision"]);
    check(&origin, "main~99", &["unknown revision"]);
    check(&origin, "main:a.txt", &["neither a commit nor a tree", "give a branch"]);

    origin.git(&["clone", "-q", "--depth=1", &format!("file://{}", origin.dir.display()), "../shallow"]);
    let shallow = Tree { dir: sandbox.path("shallow") };
    check(&shallow, "HEAD~1", &["`git fetch --unshallow`"]);
    check(
        &shallow,
        "topic",
        &["`git fetch --unshallow`", "`git fetch origin topic:refs/remotes/origin/topic`"],
    );
    origin.git(&["clone", "-q", ".", "../whole"]);
    check(&Tree { dir: sandbox.path("whole") }, "topic", &["did you mean `origin/topic`?", "`git fetch`"]);
}

#[test]
fn pairs_follow_gits_dots() {
    let sandbox = Sandbox::new();
    let tree = sandbox.repository("r");
    let fork = tree.git(&["rev-parse", "HEAD"]);
    tree.git(&["checkout", "-qb", "topic"]);
    tree.write("b.txt", "topic\n");
    let topic = tree.commit("topic");
    tree.git(&["checkout", "-q", "main"]);
    tree.write("a.txt", "two\n");
    let main = tree.commit("main");
    tree.git(&["checkout", "-q", "topic"]);
    tree.write("b.txt", "uncommitted\n");
    let repository = tree.open();
    let check = |base: &str, head: Option<&str>, base_commit: &str, head_commit: &str, head_label: &str| {
        let pair = repository.resolve_pair(&sandbox.cache, base, head).unwrap();
        assert_eq!(pair.base.commit.as_deref(), Some(base_commit), "{base}");
        assert_eq!(pair.head.version.commit.as_deref(), Some(head_commit), "{base}");
        assert_eq!(pair.head.version.label, head_label);
        assert_eq!(pair.head.version.dirty, head_label == "working tree");
        pair
    };
    check("main", None, &main, &topic, "working tree");
    check("main", Some("topic"), &main, &topic, "topic");
    check("main..topic", None, &main, &topic, "topic");
    check("main..", None, &main, &topic, "working tree");
    check("..main", None, &topic, &main, "main");
    check("main...", None, &fork, &topic, "working tree");
    let pair = check("main...topic", None, &fork, &topic, "topic");
    assert_eq!(pair.base.label, "merge base of main and topic");
    assert_eq!(pair.base.subject, "first");

    let error = repository.resolve_pair(&sandbox.cache, "main..topic", Some("main")).unwrap_err();
    assert!(words(error).contains("either a range or two revisions"));
    let error = repository.resolve_pair(&sandbox.cache, "nothing...topic", None).unwrap_err();
    assert!(matches!(error, VersionError::UnknownRevision { revision, .. } if revision == "nothing"));
}

#[test]
fn a_missing_merge_base_names_what_helps() {
    let sandbox = Sandbox::new();
    let tree = sandbox.repository("r");
    tree.git(&["checkout", "-q", "--orphan", "island"]);
    tree.commit("no ancestors");
    let pair = |tree: &Tree, range: &str| tree.open().resolve_pair(&sandbox.cache, range, None).map(|_| ());
    let text = words(pair(&tree, "main...island").unwrap_err());
    assert!(text.contains("`main..island`"), "{text}");

    tree.git(&["checkout", "-q", "main"]);
    tree.git(&["checkout", "-qb", "topic"]);
    tree.commit("topic");
    tree.git(&[
        "clone",
        "-q",
        "--depth=1",
        "--no-single-branch",
        &format!("file://{}", tree.dir.display()),
        "../s",
    ]);
    let shallow = Tree { dir: sandbox.path("s") };
    assert!(shallow.open().is_shallow());
    let text = words(pair(&shallow, "origin/main...origin/topic").unwrap_err());
    assert!(text.contains("`git fetch --unshallow`"), "{text}");
    // What is there can be used.
    sandbox.checkout(&shallow.open(), "origin/main");
}

#[test]
fn odd_places_are_named() {
    let sandbox = Sandbox::new();
    let plain = sandbox.path("plain");
    fs::create_dir(&plain).unwrap();
    let text = words(Repository::discover(&plain).unwrap_err());
    assert!(text.contains("no git repository") && text.contains("git init"), "{text}");
    assert!(matches!(
        Repository::discover(&sandbox.path("missing")).unwrap_err(),
        VersionError::NotARepository { .. }
    ));

    let empty = sandbox.init("empty");
    let repository = empty.open();
    assert!(repository.is_empty().unwrap());
    assert!(matches!(repository.resolve("HEAD").unwrap_err(), VersionError::NoCommits { .. }));
    empty.write("a.txt", "x");
    let snapshot = repository.snapshot(&sandbox.cache).unwrap().version;
    assert_eq!((snapshot.commit.clone(), snapshot.dirty), (None, true));
    let checkout = sandbox.cache.checkout(&repository, &snapshot).unwrap();
    assert_eq!(contents(&checkout.root), files(&[("a.txt", "x")]));

    let tree = sandbox.repository("r");
    tree.git(&["clone", "-q", "--bare", ".", "../bare.git"]);
    let bare = Tree { dir: sandbox.path("bare.git") };
    let before = contents(&bare.dir);
    let repository = bare.open();
    assert_eq!(repository.root(), None);
    let checkout = sandbox.checkout(&repository, "main");
    assert_eq!(contents(&checkout.root), files(&[("a.txt", "one\n")]));
    assert!(words(repository.snapshot(&sandbox.cache).unwrap_err()).contains("compare BASE HEAD"));
    assert_eq!(contents(&bare.dir), before);
}

#[test]
fn linked_worktrees_and_sha256_repositories_work() {
    let sandbox = Sandbox::new();
    let tree = sandbox.repository("r");
    tree.git(&["worktree", "add", "-q", "../linked", "-b", "linked"]);
    let linked = Tree { dir: sandbox.path("linked") };
    linked.write("a.txt", "linked\n");
    let before = contents(&tree.dir);
    let repository = linked.open();
    assert_eq!(repository.identity(), tree.open().identity());
    let snapshot = repository.snapshot(&sandbox.cache).unwrap().version;
    let checkout = sandbox.cache.checkout(&repository, &snapshot).unwrap();
    assert_eq!(contents(&checkout.root), files(&[("a.txt", "linked\n")]));
    assert_eq!(contents(&tree.dir), before);

    let long = sandbox.init("long");
    fs::remove_dir_all(long.dir.join(".git")).unwrap();
    long.git(&["init", "-q", "--object-format=sha256"]);
    long.write("a.txt", "one\n");
    long.commit("first");
    long.write("a.txt", "two\n");
    let repository = long.open();
    let pair = repository.resolve_pair(&sandbox.cache, "HEAD", None).unwrap();
    let [base, head] =
        [pair.base, pair.head.version].map(|it| sandbox.cache.checkout(&repository, &it).unwrap());
    assert_eq!(contents(&base.root), files(&[("a.txt", "one\n")]));
    assert_eq!(contents(&head.root), files(&[("a.txt", "two\n")]));
    assert_eq!(base.root.as_os_str().len(), head.root.as_os_str().len());
}

#[test]
fn attributes_are_those_of_the_version() {
    let sandbox = Sandbox::new();
    let tree = sandbox.init("r");
    tree.write(".gitattributes", "*.txt text eol=crlf\nhidden export-ignore\n");
    tree.write("a.txt", "one\n");
    tree.write("hidden", "not in archives\n");
    tree.commit("first");
    tree.write(".gitattributes", "*.txt -text\n");
    let checkout = sandbox.checkout(&tree.open(), "HEAD");
    let found = contents(&checkout.root);
    assert_eq!(found["a.txt"], "one\r\n");
    assert_eq!(found["hidden"], "not in archives\n");
}

#[test]
fn checkouts_have_equal_lengths_are_reused_and_repaired() {
    let sandbox = Sandbox::new();
    let tree = sandbox.repository("r");
    tree.write("b.txt", "b\n");
    tree.commit("second");
    let repository = tree.open();
    let [first, second] = ["HEAD~1", "HEAD"].map(|revision| sandbox.checkout(&repository, revision));
    assert_ne!(first.root, second.root);
    assert_eq!(first.root.as_os_str().len(), second.root.as_os_str().len());
    assert!(!second.cached);
    assert!(sandbox.checkout(&repository, "HEAD").cached);

    let check_repaired = |damage: &dyn Fn()| {
        damage();
        let again = sandbox.checkout(&repository, "HEAD");
        assert!(!again.cached);
        assert_eq!(contents(&again.root), files(&[("a.txt", "one\n"), ("b.txt", "b\n")]));
    };
    check_repaired(&|| fs::remove_file(second.root.join("b.txt")).unwrap());
    check_repaired(&|| fs::write(second.root.join("b.txt"), "longer\n").unwrap());
    check_repaired(&|| fs::remove_dir_all(&second.root).unwrap());
    check_repaired(&|| fs::remove_file(&second.listing).unwrap());
    check_repaired(&|| fs::write(&second.listing, "garbage").unwrap());
}

#[test]
fn concurrent_checkouts_do_not_disturb_each_other() {
    let sandbox = Sandbox::new();
    let tree = sandbox.repository("r");
    let repository = tree.open();
    let checkouts: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| sandbox.checkout(&repository, "HEAD"))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(checkouts.iter().filter(|checkout| !checkout.cached).count(), 1);
    assert_eq!(contents(&checkouts[0].root), files(&[("a.txt", "one\n")]));
}

#[test]
fn a_cache_inside_the_repository_is_refused() {
    let sandbox = Sandbox::new();
    let tree = sandbox.repository("r");
    let cache = Cache::at(&tree.dir.join("cache")).unwrap();
    let repository = tree.open();
    let error = cache.checkout(&repository, &repository.resolve("HEAD").unwrap()).unwrap_err();
    assert!(words(error).contains("BENCHWRIGHT_CACHE"));
}

#[test]
fn configuration_above_the_cache_is_warned_of() {
    let sandbox = Sandbox::new();
    let tree = sandbox.repository("r");
    let warnings = || -> Vec<String> {
        surroundings(&sandbox.cache, &tree.open()).into_iter().map(|diagnostic| diagnostic.subject).collect()
    };
    let before = warnings();
    fs::write(sandbox.path("go.work"), "go 1.22\n").unwrap();
    fs::create_dir(sandbox.path(".cargo")).unwrap();
    fs::write(sandbox.path(".cargo/config.toml"), "").unwrap();
    let found = warnings();
    assert_eq!(found.len(), before.len() + 2);
    assert!(found.iter().any(|path| path.ends_with("go.work")), "{found:?}");
    assert!(found.iter().any(|path| path.ends_with(".cargo/config.toml")), "{found:?}");
}

#[test]
fn housekeeping_removes_what_is_old_and_only_that() {
    let sandbox = Sandbox::new();
    let tree = sandbox.repository("r");
    let repository = tree.open();
    let old = sandbox.checkout(&repository, "HEAD");
    tree.write("a.txt", "two\n");
    tree.commit("second");
    let new = sandbox.checkout(&repository, "HEAD");
    assert!(sandbox.cache.size() > 8);
    let long_ago = SystemTime::now() - Duration::from_secs(40 * 24 * 3600);
    let mut marker = old.root.clone().into_os_string();
    marker.push(".used");
    fs::File::options().append(true).open(marker).unwrap().set_modified(long_ago).unwrap();
    let pruned = sandbox.cache.housekeep().unwrap();
    assert_eq!(pruned.entries, 1);
    assert!(!old.root.exists() && !old.listing.exists());
    assert!(new.root.exists() && new.listing.exists());
    assert!(!sandbox.checkout(&repository, "HEAD~1").cached);
    assert_eq!(sandbox.cache.prune(Duration::ZERO).unwrap().entries, 3, "two trees and the object directory");
}

#[test]
fn what_benchmarks_left_among_the_files_is_swept_away() {
    let sandbox = Sandbox::new();
    let tree = sandbox.init("r");
    tree.write("data/words.txt", "words\n");
    tree.write("src/main.c", "int main;\n");
    symlink("words.txt", tree.dir.join("data/link")).unwrap();
    tree.commit("first");
    let checkout = sandbox.checkout(&tree.open(), "HEAD");
    let clean = contents(&checkout.root);
    fs::write(checkout.root.join("data/grows.db"), "x").unwrap();
    fs::create_dir_all(checkout.root.join("out/deep")).unwrap();
    fs::write(checkout.root.join("out/deep/file"), "x").unwrap();
    fs::write(checkout.root.join("Cargo.lock"), "lent").unwrap();
    checkout.sweep();
    let mut expected = clean.clone();
    expected.insert("Cargo.lock".into(), "lent".into());
    assert_eq!(contents(&checkout.root), expected);
    assert!(!checkout.root.join("out").exists(), "empty directories go, too");
    assert!(sandbox.checkout(&tree.open(), "HEAD").cached, "the check-out is still whole");
}
