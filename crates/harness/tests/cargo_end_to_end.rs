//! The harness `cargo` with the real Cargo: examples/rust is built, listed and measured, and versions that share a
//! target directory are kept apart.

mod version;

use std::fs;
use std::path::Path;
use std::time::Duration;

use benchwright_harness::{Built, Executable, HarnessError, Reading};
use benchwright_model::{BenchmarkId, Severity};
use version::{Version, copy, names, shape};

/// The version `name` of these files; versions below one directory share their target directory.
fn version_of(directory: &Path, name: &str, files: &[(&str, &str)]) -> Version {
    // Nothing here depends on the speed of the code, and compiling takes most of the time.
    let env = vec![("CARGO_PROFILE_BENCH_OPT_LEVEL", "0")];
    let version = Version { env, ..Version::of("cargo", directory, name) };
    version.write(files);
    assert_eq!(version.harness.recognise(&version.root), [version.project("")]);
    version
}

/// Runs one short trial.
fn measure(version: &Version, executable: &Executable, benchmark: &BenchmarkId) -> Reading {
    let shape = shape(10, Duration::from_millis(2), Duration::from_millis(5));
    let ended = version.trial(executable, benchmark, &shape);
    assert!(ended.output.status.success(), "{benchmark}: {}", ended.said());
    ended.reading
}

/// Expected flavour and names per executable of examples/rust.
const EXAMPLE: [(&str, &str, &[&str]); 4] = [
    ("digits/digits", "bencher 0.1.5", &["sum", "sum_of_many"]),
    ("plain/checksum", "libtest ", &["fletcher/16", "fletcher/4096"]),
    (
        "sets/sets",
        "divan 0.1.21",
        &[
            "sets::collections::collect::BTreeSet<u32>::64",
            "sets::collections::collect::BTreeSet<u32>::8",
            "sets::collections::collect::HashSet<u32>::64",
            "sets::collections::collect::HashSet<u32>::8",
            "sets::collections::sum of squares::16",
            "sets::collections::sum of squares::4",
            "sets::common",
            "sets::contended::t=1",
            "sets::contended::t=2",
            "sets::unique::10",
            "sets::unique::1000",
        ],
    ),
    (
        "words/text",
        "criterion 0.7.0",
        &[
            "count",
            "count (a+b)*[c] $1.50|x^2",
            "frequencies/1",
            "frequencies/10",
            "frequencies/upper case/1",
            "frequencies/upper case/10",
            "größe ½",
            "own configuration/count",
        ],
    ),
];

#[test]
fn the_example_is_built_listed_and_measured() {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cargo-example");
    copy(&version::example("rust"), &Version::of("cargo", &directory, "version").root);
    let version = version_of(&directory, "version", &[]);
    let executables = version.build("", &[]);
    let found: Vec<(String, String)> = executables
        .iter()
        .map(|exe| (exe.package.clone(), format!("{} {}", exe.flavour, exe.flavour_version)))
        .collect();
    let expected: Vec<(String, String)> =
        EXAMPLE.iter().map(|(package, flavour, _)| (package.to_string(), flavour.to_string())).collect();
    assert_eq!(found, expected);
    for (executable, (package, _, expected)) in executables.iter().zip(EXAMPLE) {
        let listing = version.list(executable, &[]);
        assert_eq!(listing.diagnostics, []);
        let mut names = names(&listing);
        names.sort();
        assert_eq!(names, expected, "{package}");
        for benchmark in &listing.benchmarks {
            let reading = measure(&version, executable, benchmark);
            assert_eq!(reading.diagnostics, [], "{benchmark}");
            let time = reading.measurement.series("time").unwrap_or_else(|| panic!("{benchmark}: no time"));
            let count = match (executable.flavour.as_str(), benchmark.name.as_str()) {
                // The group's own configuration wins over the command line.
                ("criterion", "own configuration/count") => 12,
                ("criterion", _) => 10,
                _ => 1,
            };
            assert_eq!(time.values.len(), count, "{benchmark}");
            assert!(time.values.iter().all(|value| *value > 0.0 && *value < 1.0), "{benchmark}: {time:?}");
        }
    }
}

const MANIFEST: &str = "[package]\nname = 'tiny'\nversion = '0.1.0'\nedition = '2021'\n[workspace]\n[features]\nextra = []\n\
                        [[bench]]\nname = 'speed'\nharness = false\n";
const LIBRARY: &str = "pub fn word() -> &'static str { \"WORD\" }\n";
const BENCH: &str = "fn main() { println!(\"test {} ... bench: 1 ns/iter (+/- 0)\", tiny::word()); }\n";

fn tiny(directory: &Path, name: &str, word: &str) -> Version {
    let library = LIBRARY.replace("WORD", word);
    let files = [("Cargo.toml", MANIFEST), ("src/lib.rs", &library), ("benches/speed.rs", BENCH)];
    version_of(directory, name, &files)
}

fn program(version: &Version, built: &Built) -> Vec<u8> {
    fs::read(version.out.join(&built.executables[0].path)).expect("the program")
}

#[test]
fn versions_that_share_a_target_directory_keep_their_own_code() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    // All sources exist before the first build, as if checked out long ago.
    let versions = ["one", "two", "six"]
        .map(|name| tiny(directory.path(), name, if name == "two" { "new" } else { "old" }));
    let mut programs = Vec::new();
    for (version, word) in versions.iter().zip(["old", "new", "old"]) {
        let (built, steps) = version.build_in_steps("", &[]).expect("a build");
        // Touching suffices: nothing stale, so Cargo is asked for packages and to compile, once each.
        assert_eq!(steps.len(), 2, "{steps:#?}");
        assert_eq!(names(&version.list(&built.executables[0], &[])), [word]);
        programs.push(program(version, &built));
    }
    assert_ne!(programs[0], programs[1]);
    assert!(programs[0] == programs[2], "the same source in another directory is the same program");
    let first = cargo_executable(&versions[0]);
    assert_eq!(
        names(&versions[0].list(&first, &[])),
        ["old"],
        "the first program is still the first version's"
    );
}

fn cargo_executable(version: &Version) -> Executable {
    Executable {
        harness: "cargo".into(),
        package: "tiny/speed".into(),
        flavour: "libtest".into(),
        flavour_version: String::new(),
        path: "bin/tiny+speed".into(),
        dir: version.root.strip_prefix(&version.root).expect("itself").to_owned(),
        env: Vec::new(),
    }
}

#[test]
fn files_a_program_reads_from_the_target_directory_are_its_own_versions() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let script = "fn main() { let out = std::env::var(\"OUT_DIR\").unwrap();\n\
                  std::fs::write(format!(\"{out}/word\"), \"WORD\").unwrap(); }\n";
    let bench = "fn main() { let word = std::fs::read_to_string(concat!(env!(\"OUT_DIR\"), \"/word\")).unwrap();\n\
                 println!(\"test {word}-{} ... bench: 1 ns/iter (+/- 0)\", std::env::var(\"CARGO_PKG_VERSION_MINOR\").unwrap()); }\n";
    let version = |name: &str, word: &str| {
        let script = script.replace("WORD", word);
        let files = [
            ("Cargo.toml", MANIFEST),
            ("src/lib.rs", ""),
            ("build.rs", &script),
            ("benches/speed.rs", bench),
        ];
        version_of(directory.path(), name, &files)
    };
    let versions = [version("one", "old"), version("two", "new")];
    let built = versions.each_ref().map(|version| version.build("", &[]));
    let list = |index: usize| versions[index].list(&built[index][0], &[]);
    assert_eq!(names(&list(0)), ["old-1"]);
    assert_eq!(names(&list(1)), ["new-1"]);
}

#[test]
fn a_target_that_does_not_compile_is_named_and_the_rest_is_built() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let manifest = format!(
        "{MANIFEST}[[bench]]\nname = 'broken'\nharness = false\n[[bench]]\nname = 'nightly'\n\
         [[bench]]\nname = 'extra'\nharness = false\nrequired-features = ['extra']\n"
    );
    let files = [
        ("Cargo.toml", manifest.as_str()),
        ("src/lib.rs", LIBRARY),
        ("benches/speed.rs", BENCH),
        ("benches/broken.rs", "fn main() { no_such_function(); }\n"),
        ("benches/nightly.rs", "#![feature(no_such_feature_on_any_channel, test)]\n"),
        ("benches/extra.rs", BENCH),
    ];
    let version = version_of(directory.path(), "one", &files);
    let built = version.try_build("", &[]).expect("a build");
    let packages: Vec<&str> = built.executables.iter().map(|exe| exe.package.as_str()).collect();
    assert_eq!(packages, ["tiny/speed"]);
    let about = |subject: &str| {
        let mut found = built.diagnostics.iter().filter(|diagnostic| diagnostic.subject == subject);
        found.next().unwrap_or_else(|| panic!("nothing about {subject}: {:?}", built.diagnostics))
    };
    assert!(about("tiny/broken").message.contains("no_such_function"));
    assert_eq!(about("tiny/broken").severity, Severity::Error);
    assert!(!about("tiny/nightly").message.is_empty());
    assert_eq!(about("tiny/extra").severity, Severity::Warning);
    assert!(about("tiny/extra").hint.contains("--features extra"));
    let built = version.try_build("", &["--features", "extra"]).expect("a build");
    assert_eq!(built.executables.len(), 2, "{:?}", built.executables);
}

#[test]
fn a_project_in_which_nothing_compiles_fails_with_the_compilers_words() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let files = [("Cargo.toml", MANIFEST), ("src/lib.rs", "pub fn word( {"), ("benches/speed.rs", BENCH)];
    let version = version_of(directory.path(), "one", &files);
    match version.try_build("", &[]) {
        Err(HarnessError::Tool { message, status, .. }) => {
            assert!(message.contains("src/lib.rs:1"), "{message}");
            assert_ne!(status, 0);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_project_without_benchmarks_is_not_compiled() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let files =
        [("Cargo.toml", "[package]\nname = 'tiny'\nversion = '0.1.0'\n[workspace]\n"), ("src/lib.rs", "")];
    let (built, steps) =
        version_of(directory.path(), "one", &files).build_in_steps("", &[]).expect("a build");
    assert_eq!((built, steps.len()), (Built::default(), 1));
}

#[test]
fn the_tool_chain_is_named_by_compiler_and_cargo() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let version = tiny(directory.path(), "one", "x");
    let text = version.harness.toolchain(&version.project(""), &[], &mut version.processes());
    let text = text.expect("a tool chain");
    assert!(text.starts_with("rustc 1.") && text.contains(", cargo 1.") && text.contains("LLVM "), "{text}");
}
