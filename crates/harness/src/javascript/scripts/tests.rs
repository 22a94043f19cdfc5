use super::*;
use crate::test_files::tree;

const LIBRARIES: &str =
    r#"{"name": "p", "devDependencies": {"benchmark": "2", "tinybench": "2", "vitest": "3"}}"#;
const TINY: &str = "import { Bench } from 'tinybench'; await new Bench().add('a', () => {}).run()";
const OLD: &str = "const { Suite } = require('benchmark'); new Suite().add('a', () => {}).run()";

#[track_caller]
fn check(files: &[(&str, &str)], expected: &[(&str, &str)]) {
    let root = tree(files);
    let found = find(root.path());
    let found: Vec<(String, &str)> =
        found.iter().map(|script| (script.path.display().to_string(), script.flavour.name())).collect();
    let found: Vec<(&str, &str)> = found.iter().map(|(path, flavour)| (path.as_str(), *flavour)).collect();
    assert_eq!(found, expected);
    assert_eq!(may_have_benchmarks(root.path()), !expected.is_empty(), "by names");
}

#[test]
fn files_are_found_by_place_and_by_name_and_told_apart_by_what_they_import() {
    check(
        &[
            ("package.json", LIBRARIES),
            ("benchmarks/deep/one.js", OLD),
            ("bench.mjs", TINY),
            ("src/sort.bench.ts", "import { bench } from 'vitest'; bench('a', () => {})"),
            ("test/own.bench.js", TINY),
            ("src/index.js", "export {}"),
            ("src/uses.js", OLD),
            ("bench/data.js", "module.exports = []"),
            ("bench/types.d.ts", TINY),
            ("node_modules/benchmark/bench.js", OLD),
        ],
        &[
            ("bench.mjs", "tinybench"),
            ("benchmarks/deep/one.js", "benchmark.js"),
            ("src/sort.bench.ts", "vitest"),
            ("test/own.bench.js", "tinybench"),
        ],
    );
}

#[test]
fn helpers_are_not_benchmark_files_and_their_users_are() {
    let helper = "const { Suite } = require('benchmark'); exports.bench = (f) => new Suite().add(f).run()";
    check(
        &[
            ("package.json", LIBRARIES),
            ("bench/helper.js", helper),
            ("bench/a.js", "require('./helper').bench(() => 1)"),
            ("bench/b.js", "const { bench } = require('./helper.js'); bench(() => 2)"),
        ],
        &[("bench/a.js", "benchmark.js"), ("bench/b.js", "benchmark.js")],
    );
    // A file that adds parts to its own suite.
    check(
        &[
            ("package.json", LIBRARIES),
            ("bench/index.js", "const s = new (require('benchmark').Suite)(); require('./part')(s); s.run()"),
            ("bench/part.js", "module.exports = (s) => s.add('x', () => 1)"),
        ],
        &[("bench/index.js", "benchmark.js")],
    );
}

#[test]
fn a_file_that_starts_another_as_a_worker_stands_for_it() {
    check(
        &[
            ("package.json", LIBRARIES),
            ("bench/bench.js", "new Worker(path.join(__dirname, 'thread.js'), { workerData })"),
            ("bench/thread.js", OLD),
        ],
        &[("bench/bench.js", "benchmark.js")],
    );
}

#[test]
fn a_file_that_gathers_others_is_left_out_for_those() {
    check(
        &[
            ("package.json", LIBRARIES),
            ("bench/index.js", "require('./a'); require('./b');"),
            ("bench/a.js", OLD),
            ("bench/b.js", OLD),
        ],
        &[("bench/a.js", "benchmark.js"), ("bench/b.js", "benchmark.js")],
    );
}

#[test]
fn a_file_that_a_script_starts_is_one_with_the_options_of_that_script() {
    let manifest = r#"{"name": "p", "devDependencies": {"benchmark": "2"}, "scripts":
        {"bench": "NODE_ENV=production node --expose-gc -r ./setup.js speed/run && echo done", "test": "node other.js"}}"#;
    let root =
        tree(&[("package.json", manifest), ("speed/run.js", OLD), ("other.js", OLD), ("setup.js", "")]);
    // `-r ./setup.js` is a file too; the word before it shows its purpose.
    let found = find(root.path());
    let paths: Vec<_> = found.iter().map(|script| script.path.display().to_string()).collect();
    assert_eq!(paths, ["speed/run.js"]);
    assert_eq!(found[0].node_args, ["--expose-gc", "-r", "./setup.js"]);
}

#[test]
fn members_of_a_workspace_have_their_own_files_and_inner_projects_are_not_theirs() {
    let root = tree(&[
        (
            "package.json",
            r#"{"name": "all", "workspaces": ["packages/*"], "devDependencies": {"tinybench": "2"}}"#,
        ),
        ("packages/a/package.json", r#"{"name": "@s/a"}"#),
        ("packages/a/bench/x.mjs", TINY),
        ("bench/y.mjs", TINY),
        ("bench/package.json", r#"{"type": "module"}"#),
        ("benchmarks/package.json", r#"{"dependencies": {"benchmark": "2"}}"#),
        ("benchmarks/z.js", OLD),
    ]);
    let found = find(root.path());
    let facts: Vec<_> = found
        .iter()
        .map(|script| {
            (script.package_name.as_str(), script.path_in_package(), script.package_dir.display().to_string())
        })
        .collect();
    let expected = [("all", "bench/y.mjs", ""), ("@s/a", "bench/x.mjs", "packages/a")];
    assert_eq!(facts, expected.map(|(name, path, dir)| (name, path.to_owned(), dir.to_owned())));
    let inner = find(&root.path().join("benchmarks"));
    assert_eq!((inner.len(), inner[0].package_name.as_str()), (1, "benchmarks"));
}

#[test]
fn vitest_without_benchmark_files_is_no_benchmark_project() {
    check(
        &[
            ("package.json", r#"{"devDependencies": {"vitest": "3"}}"#),
            ("src/bench.js", "export {}"),
            ("test/a.test.js", "import { test } from 'vitest'"),
        ],
        &[],
    );
}

#[test]
fn odd_files_and_cycles_do_no_harm() {
    let root = tree(&[
        ("package.json", LIBRARIES),
        ("bench/a.js", "require('./b'); require('./a'); require('..')"),
        ("bench/b.js", "require('./a.js')"),
    ]);
    fs::write(root.path().join("bench/binary.js"), b"\xff\xfe require('benchmark')").unwrap();
    let found = find(root.path());
    assert_eq!(found.len(), 1);
    assert_eq!(find(&root.path().join("missing")), []);
}
