//! Builds of real check-outs, made by a harness whose tool is the shell.

#![expect(clippy::unwrap_used, reason = "helpers of tests may unwrap as tests do")]

mod builds_harness;
mod versions_sandbox;

use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use benchwright_harness::{Harness, HarnessError};
use benchwright_model::Severity;
use benchwright_process::Interrupt;
use benchwright_runner::{
    Arguments, Build, BuildError, PrepareRequest, ProjectError, Repository, identical, prepare,
};
use benchwright_worker::TrialLimits;
use builds_harness::ShellHarness;
use versions_sandbox::{Sandbox, Tree};

/// A repository with one project.
fn suite(sandbox: &Sandbox) -> Tree {
    let tree = sandbox.init("suite");
    tree.write("suite.code", "alpha\nbeta\n");
    tree.write("README.md", "words\n");
    tree.write("data.txt", "numbers\n");
    tree.commit("first");
    tree
}

fn harnesses() -> Vec<Box<dyn Harness>> {
    vec![Box::new(ShellHarness)]
}

/// Builds a revision and returns what was done for it.
fn prepare_with(
    sandbox: &Sandbox,
    repository: &Repository,
    revision: &str,
    arguments: Arguments,
) -> (Result<Build, BuildError>, Vec<String>) {
    let checkout = sandbox.checkout(repository, revision);
    let mut steps = Vec::new();
    let request = PrepareRequest {
        cache: &sandbox.cache,
        repository,
        checkout: &checkout,
        harnesses: &harnesses(),
        arguments: &HashMap::from([("shell".to_owned(), arguments)]),
        architecture: None,
        filter: None,
        limits: TrialLimits::NONE,
        interrupt: &Interrupt::new(),
    };
    let build = prepare(&request, &mut |purpose| steps.push(purpose.to_owned()));
    (build, steps)
}

fn prepare_plain(sandbox: &Sandbox, repository: &Repository, revision: &str) -> (Build, Vec<String>) {
    let (build, steps) = prepare_with(sandbox, repository, revision, Arguments::default());
    (build.unwrap(), steps)
}

fn names(build: &Build) -> Vec<String> {
    build.benchmarks().map(|(benchmark, _)| benchmark.to_string()).collect()
}

const ASK: &str = "ask for the tool chain";
const BUILD: &str = "build suite.code";
const LIST: &str = "list suite.code";

#[test]
fn a_second_prepare_only_asks_for_the_tool_chain() {
    let sandbox = Sandbox::new();
    let tree = suite(&sandbox);
    let (first, steps) = prepare_plain(&sandbox, &tree.open(), "HEAD");
    assert_eq!(steps, [ASK, BUILD, LIST]);
    assert!(!first.cached);
    assert_eq!(names(&first), ["suite.code:alpha", "suite.code:beta"]);
    assert_eq!(first.toolchains, [("shell".to_owned(), "shell 1".to_owned())]);
    assert!(first.executables[0].program().is_file());
    assert_eq!(first.diagnostics.len(), 1, "what the harness said is kept");

    let (second, steps) = prepare_plain(&sandbox, &tree.open(), "HEAD");
    assert_eq!(steps, [ASK]);
    assert!(second.cached);
    assert_eq!(second.key, first.key);
    assert_eq!(second.executables, first.executables);
    assert_eq!(second.diagnostics, first.diagnostics);
}

#[test]
fn arguments_are_part_of_what_is_remembered() {
    let sandbox = Sandbox::new();
    let tree = suite(&sandbox);
    let repository = tree.open();
    let check = |build: &[&str], run: &[&str], expected: &[&str]| {
        let texts = |args: &[&str]| args.iter().map(|arg| (*arg).to_owned()).collect();
        let arguments = Arguments { build: texts(build), run: texts(run) };
        let (build, steps) = prepare_with(&sandbox, &repository, "HEAD", arguments);
        assert_eq!(steps, expected);
        build.unwrap()
    };
    let plain = check(&[], &[], &[ASK, BUILD, LIST]);
    let listed = check(&[], &["-cpu=2"], &[ASK, LIST]);
    assert_eq!(plain.key, listed.key);
    assert_eq!(names(&listed), ["suite.code:alpha-cpu=2", "suite.code:beta-cpu=2"]);
    let built = check(&["-fast"], &[], &[ASK, BUILD, LIST]);
    assert_ne!(plain.key, built.key);
    assert_ne!(plain.executables[0].digest, built.executables[0].digest);
    check(&[], &[], &[ASK]);
    check(&[], &["-cpu=2"], &[ASK]);
    check(&["-fast"], &[], &[ASK]);
}

#[test]
fn a_benchmark_that_fails_in_its_listing_run_is_not_listed_every_time() {
    let sandbox = Sandbox::new();
    let tree = suite(&sandbox);
    tree.write("suite.code", "alpha\nlimping\n");
    tree.commit("second");
    let repository = tree.open();
    let (first, steps) = prepare_plain(&sandbox, &repository, "HEAD");
    assert_eq!(steps, [ASK, BUILD, LIST]);
    let told = |build: &Build| {
        let of = build.diagnostics.iter().filter(|it| it.message.contains("fails in the listing run"));
        of.count()
    };
    assert_eq!((names(&first), told(&first)), (vec!["suite.code:alpha".to_owned()], 1));
    let (second, steps) = prepare_plain(&sandbox, &repository, "HEAD");
    assert_eq!(steps, [ASK]);
    assert_eq!((names(&second), told(&second)), (names(&first), 1));
    // Some time later it may work again.
    let dir = first.executables[0].out.parent().unwrap().to_owned();
    for entry in fs::read_dir(&dir).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.to_string_lossy().contains("listing-") {
            let two_hours_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(7200);
            fs::File::options().write(true).open(&entry).unwrap().set_modified(two_hours_ago).unwrap();
        }
    }
    let (_, steps) = prepare_plain(&sandbox, &repository, "HEAD");
    assert_eq!(steps, [ASK, LIST]);
}

#[test]
fn nothing_damaged_is_trusted() {
    let sandbox = Sandbox::new();
    let tree = suite(&sandbox);
    let repository = tree.open();
    let (good, _) = prepare_plain(&sandbox, &repository, "HEAD");
    let program = good.executables[0].program();
    let dir = good.executables[0].out.parent().unwrap().to_owned();
    let manifest = dir.join("build.json");
    let listing = || {
        let mut entries = fs::read_dir(&dir).unwrap().map(|entry| entry.unwrap().path());
        entries.find(|path| path.to_string_lossy().contains("listing-")).unwrap()
    };
    let check = |what: &str, damage: &dyn Fn(), expected: &[&str]| {
        damage();
        let (build, steps) = prepare_plain(&sandbox, &repository, "HEAD");
        assert_eq!(steps, expected, "{what}");
        assert_eq!(build.executables, good.executables, "{what}");
        assert_eq!(prepare_plain(&sandbox, &repository, "HEAD").1, [ASK], "{what}");
    };
    let edit = |path: &Path, from: &str, to: &str| {
        let text = fs::read_to_string(path).unwrap();
        assert!(text.contains(from), "{text}");
        fs::write(path, text.replace(from, to)).unwrap();
    };
    let all = [ASK, BUILD, LIST];
    check("cut", &|| fs::write(&manifest, &fs::read(&manifest).unwrap()[..50]).unwrap(), &all);
    check("edited", &|| edit(&manifest, "\"flavour\": \"shell\"", "\"flavour\": \"smell\""), &all);
    check("no manifest", &|| fs::remove_file(&manifest).unwrap(), &all);
    check("no program", &|| fs::remove_file(&program).unwrap(), &all);
    check("changed program", &|| fs::write(&program, "other").unwrap(), &all);
    check("leftovers", &|| fs::remove_file(&manifest).and(fs::write(dir.join("out/x"), "x")).unwrap(), &all);
    assert!(!dir.join("out/x").exists());
    check("edited listing", &|| edit(&listing(), "alpha", "gamma"), &[ASK, LIST]);
    check("no listing", &|| fs::remove_file(listing()).unwrap(), &[ASK, LIST]);
}

#[test]
fn concurrent_prepares_build_once() {
    let sandbox = Sandbox::new();
    let tree = suite(&sandbox);
    let repository = tree.open();
    let results: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..4).map(|_| scope.spawn(|| prepare_plain(&sandbox, &repository, "HEAD"))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(results.iter().filter(|(build, _)| !build.cached).count(), 1);
    assert_eq!(results.iter().filter(|(_, steps)| steps.iter().any(|step| step == BUILD)).count(), 1);
    assert!(results.iter().all(|(build, _)| build.executables == results[0].0.executables));
}

#[test]
fn the_same_code_and_data_need_no_measuring() {
    let sandbox = Sandbox::new();
    let tree = suite(&sandbox);
    let repository = tree.open();
    let base = prepare_plain(&sandbox, &repository, "HEAD").0;
    let check = |change: &dyn Fn(), same_digest: bool, expected: &[&str]| {
        tree.git(&["checkout", "-q", "--detach", "main"]);
        change();
        tree.commit("changed");
        let head = prepare_plain(&sandbox, &repository, "HEAD").0;
        assert_ne!(base.root, head.root);
        assert_eq!(base.executables[0].digest == head.executables[0].digest, same_digest);
        let mut found: Vec<String> =
            identical(&base, &head, &harnesses()).iter().map(ToString::to_string).collect();
        found.sort();
        assert_eq!(found, expected);
    };
    let both = ["suite.code:alpha", "suite.code:beta"];
    check(&|| tree.write("README.md", "other words\n"), true, &both);
    check(&|| tree.write("sub/README.md", "new words\n"), true, &both);
    check(&|| tree.remove("README.md"), true, &both);
    check(&|| tree.write("data.txt", "other numbers\n"), true, &[]);
    check(&|| tree.remove("data.txt"), true, &[]);
    check(&|| tree.make_executable("data.txt"), true, &[]);
    check(&|| symlink("data.txt", tree.dir.join("more.txt")).unwrap(), true, &[]);
    check(&|| tree.write("elsewhere/data.txt", "new\n"), true, &[]);
    check(&|| tree.write("suite.code", "alpha\ngamma\n"), false, &[]);
}

#[test]
fn a_failed_build_has_the_tools_own_words_and_leaves_the_repository_as_it_was() {
    let sandbox = Sandbox::new();
    let tree = suite(&sandbox);
    tree.write("suite.code", "fail\n");
    tree.commit("broken");
    let before = versions_sandbox::contents(&tree.dir);
    let error = prepare_with(&sandbox, &tree.open(), "HEAD", Arguments::default()).0.unwrap_err();
    assert_eq!(error.detail(), Some("suite.code:1: error: told to fail"));
    assert!(error.to_string().starts_with("build HEAD ("), "{error}");
    let log = fs::read_to_string(error.log().unwrap()).unwrap();
    assert!(log.contains("told to fail") && log.contains("$ cd ") && log.contains(" sh -c "), "{log}");
    assert!(error.hint().contains(&error.log().unwrap().display().to_string()));
    assert_eq!(versions_sandbox::contents(&tree.dir), before);
    // It is tried again, and may work then.
    assert_eq!(prepare_with(&sandbox, &tree.open(), "HEAD", Arguments::default()).1, [ASK, BUILD]);
}

#[test]
fn one_failed_project_does_not_lose_the_others() {
    let sandbox = Sandbox::new();
    let tree = suite(&sandbox);
    tree.write("broken/suite.code", "fail\n");
    tree.write("unlistable/suite.code", "unlistable\n");
    tree.commit("more projects");
    let (build, _) = prepare_plain(&sandbox, &tree.open(), "HEAD");
    assert_eq!(names(&build), ["suite.code:alpha", "suite.code:beta"]);
    let errors: Vec<_> =
        build.diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error).collect();
    assert_eq!(errors.len(), 2);
    assert_eq!(errors[0].subject, "shell project `broken`");
    assert!(errors[0].message.contains("cannot build suite.code\nsuite.code:1: error: told to fail"));
    assert_eq!(errors[1].subject, "shell project `unlistable`");
    assert!(!build.cached);
}

#[test]
fn nothing_to_build_and_missing_tools_are_named() {
    let sandbox = Sandbox::new();
    let tree = sandbox.repository("plain");
    let error = prepare_with(&sandbox, &tree.open(), "HEAD", Arguments::default()).0.unwrap_err();
    assert!(matches!(&error, BuildError::NoProjects { harnesses, .. } if harnesses == &["shell"]), "{error}");

    let tree = suite(&sandbox);
    tree.write("toolchain", "no-such-program\n");
    tree.commit("needs a tool");
    let error = prepare_with(&sandbox, &tree.open(), "HEAD", Arguments::default()).0.unwrap_err();
    let BuildError::Project { source, .. } = &error else { panic!("{error}") };
    assert!(matches!(source.as_ref(), ProjectError::Harness(HarnessError::ToolChainMissing { .. })));
    assert_eq!(error.hint(), "install no-such-program");
}

#[test]
fn every_failing_project_is_named() {
    let sandbox = Sandbox::new();
    let tree = sandbox.init("suite");
    for dir in ["one", "two", "three"] {
        tree.write(&format!("{dir}/suite.code"), "fail\n");
    }
    tree.commit("all broken");
    let error = prepare_with(&sandbox, &tree.open(), "HEAD", Arguments::default()).0.unwrap_err();
    let BuildError::Project { project, .. } = &error else { panic!("{error}") };
    assert_eq!(project, "shell project `one`");
    let others: Vec<&str> = error.others().iter().map(|other| other.subject.as_str()).collect();
    assert_eq!(others, ["shell project `three`", "shell project `two`"]);
    assert!(error.others()[0].message.contains("told to fail"));
}

#[test]
fn an_interrupt_ends_it() {
    let sandbox = Sandbox::new();
    let tree = suite(&sandbox);
    let repository = tree.open();
    let checkout = sandbox.checkout(&repository, "HEAD");
    let interrupt = Interrupt::new();
    let request = PrepareRequest {
        cache: &sandbox.cache,
        repository: &repository,
        checkout: &checkout,
        harnesses: &harnesses(),
        arguments: &HashMap::new(),
        architecture: None,
        filter: None,
        limits: TrialLimits::NONE,
        interrupt: &interrupt,
    };
    let result = prepare(&request, &mut |purpose| {
        if purpose == BUILD {
            interrupt.set();
        }
    });
    assert!(matches!(result, Err(BuildError::Interrupted { .. })));
    assert_eq!(prepare_plain(&sandbox, &repository, "HEAD").1, [ASK, BUILD, LIST]);
}

#[test]
fn steps_run_in_the_checkout_and_git_finds_nothing_there() {
    let sandbox = Sandbox::new();
    // The cache itself lies inside somebody's repository.
    let outer = Tree { dir: sandbox.path("") };
    outer.git(&["init", "-q"]);
    let tree = suite(&sandbox);
    tree.write("suite.code", "environment\n");
    tree.commit("asks for its environment");
    let (build, _) = prepare_plain(&sandbox, &tree.open(), "HEAD");
    let text = fs::read_to_string(build.executables[0].program()).unwrap();
    let root = build.root.display().to_string();
    assert!(text.contains(&format!("PWD={root}\n")), "{text}");
    assert!(text.contains("repository=none\n"), "{text}");
}
