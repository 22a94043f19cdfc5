//! The harness `javascript` with the real node and npm, on the bundled package and on small ones made on the spot.

mod version;

use std::fs;
use std::path::Path;
use std::time::Duration;

use benchwright_harness::{Executable, Listing};
use benchwright_model::BenchmarkId;
use version::{Ended, Version, shape, write};

fn at(root: &Path) -> Version {
    Version::at("javascript", root)
}

/// Runs a trial of three short iterations after one of warm-up.
fn trial(version: &Version, executable: &Executable, benchmark: &BenchmarkId) -> Ended {
    let short = Duration::from_millis(2);
    let ended = version.trial(executable, benchmark, &shape(3, short, short));
    assert_eq!(ended.iterations as usize, ended.reading.measurement.operations.len());
    ended
}

/// Runs a trial that has to give four good values.
fn measure(version: &Version, executable: &Executable, benchmark: &BenchmarkId) {
    let ended = trial(version, executable, benchmark);
    let (measurement, said) = (&ended.reading.measurement, ended.said());
    assert!(ended.output.status.success(), "{benchmark}: {said}");
    assert_eq!(ended.reading.diagnostics, [], "{benchmark}");
    assert_eq!(measurement.warmup, 1, "{benchmark}: {said}");
    let time = measurement.series("time").unwrap_or_else(|| panic!("{benchmark}: {said}"));
    assert_eq!(time.values.len(), 4, "{benchmark}: {said}");
    let total: f64 = time.values.iter().zip(&measurement.operations).map(|(s, n)| s * *n as f64).sum();
    assert!(time.values.iter().all(|value| *value > 0.0), "{benchmark}: {:?}", time.values);
    // Four iterations of 2 ms, of which a loaded machine makes more.
    assert!((0.004..10.0).contains(&total), "{benchmark}: {total} s of {measurement:?}");
}

/// The names in a listing without doubts.
fn names(listing: &Listing) -> Vec<&str> {
    assert_eq!(listing.diagnostics, []);
    version::names(listing)
}

#[test]
fn the_example_is_recognised_built_listed_and_measured() {
    let Some(_) = benchwright_testkit::tool("npm") else { return };
    let version = at(&version::example("javascript"));
    let projects = version.harness.recognise(&version.root);
    assert_eq!(projects, [version.project("")]);
    let text = version.harness.toolchain(&projects[0], &[], &mut version.processes()).unwrap();
    assert!(text.starts_with("node v") && text.contains(", npm "), "{text}");

    let executables = version.build("", &[]);
    let facts: Vec<_> = executables
        .iter()
        .map(|it| (it.package.as_str(), it.flavour.as_str(), it.flavour_version.as_str()))
        .collect();
    assert_eq!(
        facts,
        [
            ("shelf/bench/cache.js", "benchmark.js", "2.1.4"),
            ("shelf/bench/distance.mjs", "tinybench", "6.1.0"),
            ("shelf/bench/words.bench.mjs", "vitest", "3.2.4"),
        ]
    );
    let expected: [&[&str]; 3] = [
        &["cache/get", "cache/get missing", "set", "set#2", "deferred", "alone"],
        &["distance/short words", "distance/long words", "distance/same words", "short words"],
        &["words/of a page/count", "words/count", "nothing"],
    ];
    for (executable, expected) in executables.iter().zip(expected) {
        let listing = version.list(executable, &[]);
        assert_eq!(names(&listing), expected, "{}", executable.package);
        listing.benchmarks.iter().for_each(|benchmark| measure(&version, executable, benchmark));
    }
}

/// A workspace without a lock file whose benchmark's name comes from another member, which a script generates.
fn workspace(root: &Path, value: u32) {
    write(
        root,
        &[
            ("package.json", r#"{"private": true, "workspaces": ["packages/*"]}"#),
            (
                "packages/fast/package.json",
                r#"{"name": "fast", "type": "module", "dependencies": {"values": "*"}, "devDependencies": {"tinybench": "2.9.0"}}"#,
            ),
            (
                "packages/fast/bench/a.js",
                "import { Bench } from 'tinybench';\nimport values from 'values';\n\
                 const bench = new Bench();\nbench.add(`value ${values.value}`, () => values.value);\n\
                 await bench.warmup();\nawait bench.run();\nconsole.table(bench.table());\n",
            ),
            (
                "packages/values/package.json",
                r#"{"name": "values", "version": "1.0.0", "main": "dist/index.js", "scripts": {"build": "node make.js"}}"#,
            ),
            (
                "packages/values/make.js",
                &format!(
                    "const fs = require('fs'); fs.mkdirSync('dist'); \
                     fs.writeFileSync('dist/index.js', 'exports.value = {value}');"
                ),
            ),
        ],
    );
}

#[test]
fn versions_of_a_workspace_have_their_own_members_and_share_a_lent_lock_file() {
    let Some(_) = benchwright_testkit::tool("npm") else { return };
    let (dir, shared) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for value in [1, 2] {
        let root = dir.path().join(value.to_string());
        workspace(&root, value);
        let version = Version { shared: shared.path().into(), ..at(&root) };
        let executable = &version.build("", &[])[0];
        assert_eq!(
            (executable.package.as_str(), executable.flavour_version.as_str()),
            ("fast/bench/a.js", "2.9.0")
        );
        let listing = version.list(executable, &[]);
        assert_eq!(names(&listing), [format!("value {value}")]);
        measure(&version, executable, &listing.benchmarks[0]);
        let own = fs::read_to_string(version.out.join("tree/package-lock.json")).unwrap();
        let lent = fs::read_to_string(shared.path().join("@package-lock.json")).unwrap();
        assert_eq!(own, lent);
        let left: Vec<_> = fs::read_dir(&root).unwrap().flatten().map(|entry| entry.file_name()).collect();
        assert_eq!(left.len(), 2, "the version's own files stay as they are: {left:?}");
    }
}

#[test]
fn benchmarks_that_fail_are_told_and_what_they_leave_is_swept() {
    let Some(_) = benchwright_testkit::tool("npm") else { return };
    let dir = tempfile::tempdir().unwrap();
    let text = "import { Bench } from 'tinybench';\nimport { writeFileSync } from 'node:fs';\n\
        process.stdout.write('no line end');\nconst bench = new Bench({ time: 1 });\n\
        bench.add('works', () => writeFileSync('left.txt', 'x'));\n\
        bench.add('throws', () => { throw new TypeError('boom') });\n\
        bench.add('exits', () => process.exit(7));\n\
        await bench.run();\nthrow new Error('after the benchmarks');\n";
    let manifest = r#"{"name": "p", "type": "module", "devDependencies": {"tinybench": "2.9.0"}}"#;
    write(dir.path(), &[("package.json", manifest), ("bench.js", text)]);
    let version = at(dir.path());
    let executable = &version.build("", &[])[0];
    let listing = version.list(executable, &[]);
    assert_eq!(version::names(&listing), ["works", "throws", "exits"]);
    assert!(listing.diagnostics[0].to_string().contains("after the benchmarks"), "{:?}", listing.diagnostics);

    measure(&version, executable, &listing.benchmarks[0]);
    let left = version.out.join("tree/left.txt");
    assert!(left.exists(), "it runs in its package's directory");
    version.harness.sweep(&version.out);
    assert!(!left.exists());

    let Ended { reading, output, .. } = trial(&version, executable, &listing.benchmarks[1]);
    assert_eq!(output.status.code(), Some(1));
    assert!(reading.measurement.series.is_empty());
    assert_eq!(reading.diagnostics[0].to_string(), "error: p/bench.js:throws: TypeError: boom");
    assert_eq!(trial(&version, executable, &listing.benchmarks[2]).output.status.code(), Some(7));

    let unknown = BenchmarkId::new("javascript", "p/bench.js", "no such");
    assert!(trial(&version, executable, &unknown).reading.measurement.series.is_empty());
}
