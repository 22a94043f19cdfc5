//! The harness `cargo` with the real Cargo: examples/rust is built, listed and measured, and versions that share a
//! target directory are kept apart.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use benchwright_harness::{
    BuildRequest, Built, Executable, Harness, HarnessError, ListRequest, Listing, Reading, Step, StepFailure,
    StepOutput, StepRunner, Stop, TrialRequest, TrialShape, by_name,
};
use benchwright_model::{BenchmarkId, Severity};

/// Carries out steps with the standard library alone.
struct Processes {
    root: PathBuf,
    steps: Vec<Step>,
}

impl StepRunner for Processes {
    fn run(&mut self, step: &Step) -> Result<StepOutput, StepFailure> {
        self.steps.push(step.clone());
        let mut command = Command::new(&step.program);
        command.args(&step.args).current_dir(self.root.join(&step.dir));
        // Cargo's variables of this test are not the environment of a user.
        for (name, _) in
            std::env::vars().filter(|(name, _)| name.starts_with("CARGO_") && name != "CARGO_HOME")
        {
            command.env_remove(name);
        }
        // Nothing here depends on the speed of the code, and compiling takes most of the time.
        command.env("CARGO_PROFILE_BENCH_OPT_LEVEL", "0");
        command.envs(step.env.iter().map(|(name, value)| (name, value)));
        let output = command.output().map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => StepFailure::NoProgram(step.program.to_string_lossy().into()),
            _ => StepFailure::System(error),
        })?;
        Ok(StepOutput {
            status: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            log: PathBuf::from("/absent/log"),
        })
    }
}

/// A checked-out version with its build.
struct Checkout {
    root: PathBuf,
    out: PathBuf,
    intermediate: PathBuf,
}

impl Checkout {
    /// A version of the given files below `directory`; `name` should be as long as that of other versions.
    fn new(directory: &Path, name: &str, files: &[(&str, &str)]) -> Checkout {
        let root = directory.join(name);
        for (path, text) in files {
            let path = root.join(path);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
            fs::write(path, text).expect("a file");
        }
        fs::create_dir_all(&root).expect("a directory");
        let out = directory.join(format!("{name}-out"));
        let intermediate = directory.join("intermediate");
        fs::create_dir_all(&out).expect("a directory");
        fs::create_dir_all(&intermediate).expect("a directory");
        Checkout { root, out, intermediate }
    }

    fn build(&self, args: &[&str]) -> Result<(Built, Vec<Step>), HarnessError> {
        let harness = cargo();
        let projects = harness.recognise(&self.root);
        assert_eq!(projects.len(), 1, "{projects:?}");
        let args: Vec<String> = args.iter().map(|arg| arg.to_string()).collect();
        let mut run = Processes { root: self.root.clone(), steps: Vec::new() };
        let request = BuildRequest {
            root: &self.root,
            project: &projects[0],
            out: &self.out,
            intermediate: &self.intermediate,
            shared: &self.intermediate,
            args: &args,
        };
        harness.build(&request, &mut run).map(|built| (built, run.steps))
    }

    fn built(&self) -> Built {
        self.build(&[]).expect("a build").0
    }

    fn list(&self, executable: &Executable) -> Listing {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let request =
            ListRequest { root: &self.root, out: &self.out, executable, scratch: scratch.path(), args: &[] };
        let mut run = Processes { root: self.root.clone(), steps: Vec::new() };
        cargo().list(&request, &mut run).expect("a list")
    }

    /// Runs one short trial as a worker would.
    fn measure(&self, executable: &Executable, benchmark: &BenchmarkId) -> Reading {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let shape = TrialShape {
            iterations: 10,
            iteration_time: Duration::from_millis(2),
            warmup_time: Duration::from_millis(5),
            stop: Stop::Fixed,
            args: Vec::new(),
        };
        let trial = cargo().command(&TrialRequest {
            root: &self.root,
            out: &self.out,
            executable,
            benchmark,
            shape: &shape,
            scratch: scratch.path(),
        });
        let mut command = Command::new(self.out.join(&executable.path));
        command.args(&trial.args).current_dir(self.root.join(&executable.dir)).envs(trial.env);
        for (name, value) in &executable.env {
            command.env(name, value.replace("{root}", &self.root.to_string_lossy()));
        }
        let output = command.output().expect("a trial");
        assert!(output.status.success(), "{benchmark}: {}", String::from_utf8_lossy(&output.stderr));
        let mut reader = cargo().reader(executable, benchmark, &shape);
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            reader.line(line);
        }
        reader.finish(scratch.path())
    }
}

fn cargo() -> Box<dyn Harness> {
    by_name("cargo").expect("the harness")
}

fn names(listing: &Listing) -> Vec<&str> {
    listing.benchmarks.iter().map(|benchmark| benchmark.name.as_str()).collect()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a directory");
    for entry in fs::read_dir(from).expect("a directory").flatten() {
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            if entry.file_name() != "target" {
                copy(&path, &target);
            }
        } else {
            fs::copy(&path, &target).expect("a copy");
        }
    }
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
    let checkout = Checkout::new(&directory, "version", &[]);
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/rust"), &checkout.root);
    let built = checkout.built();
    assert_eq!(built.diagnostics, []);
    let found: Vec<(String, String)> = built
        .executables
        .iter()
        .map(|exe| (exe.package.clone(), format!("{} {}", exe.flavour, exe.flavour_version)))
        .collect();
    let expected: Vec<(String, String)> =
        EXAMPLE.iter().map(|(package, flavour, _)| (package.to_string(), flavour.to_string())).collect();
    assert_eq!(found, expected);
    for (executable, (package, _, expected)) in built.executables.iter().zip(EXAMPLE) {
        let listing = checkout.list(executable);
        assert_eq!(listing.diagnostics, []);
        let mut names = names(&listing);
        names.sort();
        assert_eq!(names, expected, "{package}");
        for benchmark in &listing.benchmarks {
            let reading = checkout.measure(executable, benchmark);
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

fn tiny(directory: &Path, name: &str, word: &str) -> Checkout {
    let library = LIBRARY.replace("WORD", word);
    let files = [("Cargo.toml", MANIFEST), ("src/lib.rs", &library), ("benches/speed.rs", BENCH)];
    Checkout::new(directory, name, &files)
}

fn program(checkout: &Checkout, built: &Built) -> Vec<u8> {
    fs::read(checkout.out.join(&built.executables[0].path)).expect("the program")
}

#[test]
fn versions_that_share_a_target_directory_keep_their_own_code() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    // All sources exist before the first build, as if checked out long ago.
    let versions = ["one", "two", "six"]
        .map(|name| tiny(directory.path(), name, if name == "two" { "new" } else { "old" }));
    let mut programs = Vec::new();
    for (version, word) in versions.iter().zip(["old", "new", "old"]) {
        let (built, steps) = version.build(&[]).expect("a build");
        // Touching suffices: nothing stale, so Cargo is asked for packages and to compile, once each.
        assert_eq!(steps.len(), 2, "{steps:#?}");
        assert_eq!(names(&version.list(&built.executables[0])), [word]);
        programs.push(program(version, &built));
    }
    assert_ne!(programs[0], programs[1]);
    assert!(programs[0] == programs[2], "the same source in another directory is the same program");
    let first = cargo_executable(&versions[0]);
    assert_eq!(names(&versions[0].list(&first)), ["old"], "the first program is still the first version's");
}

fn cargo_executable(checkout: &Checkout) -> Executable {
    Executable {
        harness: "cargo".into(),
        package: "tiny/speed".into(),
        flavour: "libtest".into(),
        flavour_version: String::new(),
        path: "bin/tiny+speed".into(),
        dir: checkout.root.strip_prefix(&checkout.root).expect("itself").to_owned(),
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
        Checkout::new(directory.path(), name, &files)
    };
    let versions = [version("one", "old"), version("two", "new")];
    let built = [versions[0].built(), versions[1].built()];
    let list = |index: usize| versions[index].list(&built[index].executables[0]);
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
    let checkout = Checkout::new(directory.path(), "one", &files);
    let built = checkout.built();
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
    let (built, _) = checkout.build(&["--features", "extra"]).expect("a build");
    assert_eq!(built.executables.len(), 2, "{:?}", built.executables);
}

#[test]
fn a_project_in_which_nothing_compiles_fails_with_the_compilers_words() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let files = [("Cargo.toml", MANIFEST), ("src/lib.rs", "pub fn word( {"), ("benches/speed.rs", BENCH)];
    let checkout = Checkout::new(directory.path(), "one", &files);
    match checkout.build(&[]) {
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
    let (built, steps) = Checkout::new(directory.path(), "one", &files).build(&[]).expect("a build");
    assert_eq!((built, steps.len()), (Built::default(), 1));
}

#[test]
fn the_tool_chain_is_named_by_compiler_and_cargo() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let checkout = tiny(directory.path(), "one", "x");
    let harness = cargo();
    let mut run = Processes { root: checkout.root.clone(), steps: Vec::new() };
    let text = harness.toolchain(&harness.recognise(&checkout.root)[0], &mut run).expect("a tool chain");
    assert!(text.starts_with("rustc 1.") && text.contains(", cargo 1.") && text.contains("LLVM "), "{text}");
}
