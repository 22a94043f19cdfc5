//! The harness `python` with real Pythons, pip and tools: examples/python is built, listed and measured, and a package
//! with a compiled module shows whose code is run and what happens to tests that do not measure.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use benchwright_harness::{
    BuildRequest, Built, Executable, Harness, ListRequest, Listing, Reading, Step, StepFailure, StepOutput,
    StepRunner, TrialRequest, TrialShape, by_name,
};
use benchwright_model::BenchmarkId;

/// Carries out steps with the standard library alone.
struct Processes {
    root: PathBuf,
}

impl StepRunner for Processes {
    fn run(&mut self, step: &Step) -> Result<StepOutput, StepFailure> {
        let mut command = Command::new(&step.program);
        command.args(&step.args).current_dir(self.root.join(&step.dir));
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

fn python() -> Box<dyn Harness> {
    by_name("python").expect("the harness")
}

/// A checked-out version with its build.
struct Checkout {
    dir: tempfile::TempDir,
}

impl Checkout {
    fn new(files: &[(&str, &str)]) -> Checkout {
        let dir = tempfile::tempdir().expect("a temporary directory");
        for name in ["root", "out", "shared"] {
            fs::create_dir(dir.path().join(name)).expect("a directory");
        }
        let checkout = Checkout { dir };
        files.iter().for_each(|(path, text)| checkout.write(path, text));
        checkout
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path("root").join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        fs::write(path, text).expect("a file");
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn runner(&self) -> Processes {
        Processes { root: self.path("root") }
    }

    fn built(&self) -> Built {
        let harness = python();
        let (root, out, shared) = (self.path("root"), self.path("out"), self.path("shared"));
        let projects = harness.recognise(&root);
        assert_eq!(projects.len(), 1, "{projects:?}");
        let request = BuildRequest {
            root: &root,
            project: &projects[0],
            out: &out,
            intermediate: &shared,
            shared: &shared,
            args: &[],
        };
        match harness.build(&request, &mut self.runner()) {
            Ok(built) => built,
            Err(benchwright_harness::HarnessError::Tool { purpose, message, .. }) => {
                panic!("{purpose}: {message}")
            }
            Err(error) => panic!("{error:?}"),
        }
    }

    fn list(&self, executable: &Executable) -> Listing {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let (root, out) = (self.path("root"), self.path("out"));
        let request = ListRequest { root: &root, out: &out, executable, scratch: scratch.path(), args: &[] };
        python().list(&request, &mut self.runner()).expect("a list")
    }

    /// Runs one short trial as a worker would.
    fn trial(&self, executable: &Executable, benchmark: &BenchmarkId) -> (Output, Reading) {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let shape = TrialShape {
            iterations: 3,
            iteration_time: Duration::from_millis(2),
            warmup_time: Duration::from_millis(2),
            stop: benchwright_harness::Stop::Fixed,
            args: Vec::new(),
        };
        let (root, out) = (self.path("root"), self.path("out"));
        let trial = python().command(&TrialRequest {
            root: &root,
            out: &out,
            executable,
            benchmark,
            shape: &shape,
            scratch: scratch.path(),
        });
        let mut command = Command::new(trial.program.expect("an interpreter"));
        command.args(&trial.args).current_dir(root.join(&executable.dir)).envs(trial.env);
        command.envs(executable.env.iter().map(|(name, value)| (name, value)));
        let output = command.output().expect("a trial");
        let mut reader = python().reader(executable, benchmark, &shape);
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            assert_eq!(reader.line(line), 0);
        }
        (output, reader.finish(scratch.path()))
    }
}

fn names(listing: &Listing) -> Vec<&str> {
    listing.benchmarks.iter().map(|benchmark| benchmark.name.as_str()).collect()
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a directory");
    for entry in fs::read_dir(from).expect("a directory").flatten() {
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        match path.is_dir() {
            true => copy(&path, &target),
            false => drop(fs::copy(&path, &target).expect("a copy")),
        }
    }
}

/// Expected flavour and names per file of examples/python.
const EXAMPLE: [(&str, &str, &[&str]); 3] = [
    ("benchmarks/bench_counting.py", "pyperf 2.8.1", &["words", "letters", "most common"]),
    (
        "tests/test_counting.py",
        "pytest-benchmark 5.1.0",
        &[
            "test_words",
            "test_most_common[1]",
            "test_most_common[10]",
            "test_names[a b]",
            "test_names[gr\\xf6\\xdfe]",
            "test_names[a::b]",
            "test_names[[x]]",
            "TestLetters::test_count",
            "TestLetters::test_pedantic",
        ],
    ),
    ("tests/test_fixture.py", "pytest-benchmark 5.1.0", &["test_through_a_fixture"]),
];

#[test]
fn the_example_is_built_listed_and_measured() {
    let checkout = Checkout::new(&[]);
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/python"), &checkout.path("root"));
    let built = checkout.built();
    assert_eq!(built.diagnostics, []);
    let found: Vec<(&str, String)> = built
        .executables
        .iter()
        .map(|exe| (exe.package.as_str(), format!("{} {}", exe.flavour, exe.flavour_version)))
        .collect();
    let expected = EXAMPLE.map(|(package, flavour, _)| (package, flavour.to_owned()));
    assert_eq!(found, expected);
    for (executable, (package, _, expected)) in built.executables.iter().zip(EXAMPLE) {
        let listing = checkout.list(executable);
        assert_eq!(
            (names(&listing), listing.diagnostics.as_slice()),
            (expected.to_vec(), &[][..]),
            "{package}"
        );
        for benchmark in &listing.benchmarks {
            let (output, reading) = checkout.trial(executable, benchmark);
            assert!(output.status.success(), "{benchmark}: {}", said(&output));
            assert_eq!(reading.diagnostics, [], "{benchmark}");
            let warmup = reading.measurement.warmup as usize;
            let time = reading.measurement.series("time").unwrap_or_else(|| panic!("{benchmark}: no time"));
            let measured = if benchmark.name.ends_with("test_pedantic") { 20 } else { 3 };
            assert_eq!(time.values.len() - warmup, measured, "{benchmark}: {time:?}");
            assert_eq!(reading.measurement.operations.len(), time.values.len());
            assert!(time.values.iter().all(|value| *value > 0.0 && *value < 1.0), "{benchmark}: {time:?}");
        }
    }
    // Neither installing nor measuring leaves byte code among the version's files.
    let left = [".pytest_cache", ".benchmarks", "tests/__pycache__", "src/tally/__pycache__"];
    let left: Vec<&str> = left.into_iter().filter(|path| checkout.path("root").join(path).exists()).collect();
    assert_eq!(left, Vec::<&str>::new());
}

/// A package in the flat layout with a module in C. Its tests are a package beside it, so that pytest puts the
/// check-out before everything installed.
const COMPILED: [(&str, &str); 7] = [
    (
        "pyproject.toml",
        "[build-system]\nrequires = ['setuptools==75.8.0']\nbuild-backend = 'setuptools.build_meta'\n",
    ),
    (
        "setup.py",
        "from setuptools import Extension, setup\nsetup(name='swift', version='1', packages=['swift'],\n\
         ext_modules=[Extension('swift._fast', ['swift/_fast.c'])])\n",
    ),
    ("swift/__init__.py", "from swift._fast import answer\n"),
    (
        "swift/_fast.c",
        "#include <Python.h>\n\
         static PyObject *answer(PyObject *self, PyObject *none) { return PyLong_FromLong(42); }\n\
         static PyMethodDef methods[] = {{\"answer\", answer, METH_NOARGS, \"\"}, {NULL, NULL, 0, NULL}};\n\
         static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, \"_fast\", NULL, -1, methods};\n\
         PyMODINIT_FUNC PyInit__fast(void) { return PyModule_Create(&module); }\n",
    ),
    ("tests/__init__.py", ""),
    (
        "requirements-test.txt",
        "-e .\npytest==7.4.4\npytest-benchmark==4.0.0\npytest-cov==5.0.0\npytest-xdist==3.5.0\n",
    ),
    ("setup.cfg", "[tool:pytest]\naddopts = -n 2 --cov=swift --benchmark-disable --benchmark-autosave\n"),
];

const TESTS: &str = "import os\nimport pytest\nimport swift\n\
    def test_answer(benchmark):\n    assert benchmark(swift.answer) == 42\n    assert 'site-packages' in swift.__file__\n\
    def test_failing(benchmark):\n    assert benchmark(swift.answer) == 43, 'the answer is wrong'\n\
    def test_twice(benchmark):\n    benchmark(swift.answer)\n    benchmark(swift.answer)\n\
    def test_skipped_inside(benchmark):\n    pytest.skip('not today')\n\
    @pytest.mark.skipif(os.name == 'posix', reason='needs another system')\ndef test_elsewhere(benchmark): ...\n\
    def test_plain(): ...\n";

#[test]
fn the_installed_copy_is_measured_and_tests_without_a_measurement_say_why() {
    let checkout = Checkout::new(&COMPILED);
    checkout.write("tests/test_swift.py", TESTS);
    checkout.write("tests/test_broken.py", "import no_such_module\ndef test_a(benchmark): ...\n");
    checkout.write(
        "swift/test_inside.py",
        "from swift import answer\ndef test_inside(benchmark):\n    benchmark(answer)\n",
    );
    let built = checkout.built();
    let packages: Vec<&str> = built.executables.iter().map(|exe| exe.package.as_str()).collect();
    assert_eq!(packages, ["swift/test_inside.py", "tests/test_broken.py", "tests/test_swift.py"]);
    let constraints =
        fs::read_to_string(checkout.path("shared").join(shared_file(&checkout))).expect("a file");
    assert!(
        constraints.contains("pytest-benchmark==4.0.0\n") && !constraints.contains("swift"),
        "{constraints}"
    );

    let [inside, broken, swift] = built.executables.as_slice() else { panic!("{packages:?}") };
    let listing = checkout.list(swift);
    assert_eq!(names(&listing), ["test_answer", "test_failing", "test_twice", "test_skipped_inside"]);
    let doubts: Vec<String> = listing.diagnostics.iter().map(ToString::to_string).collect();
    assert_eq!(doubts, ["warning: tests/test_swift.py:test_elsewhere: is skipped: needs another system"]);
    let check = |index: usize, status: i32, has_result: bool, words: &str| {
        let (output, reading) = checkout.trial(swift, &listing.benchmarks[index]);
        assert_eq!(output.status.code(), Some(status), "{}", said(&output));
        assert_eq!(reading.measurement.main().is_some(), has_result, "{}", said(&output));
        assert!(said(&output).contains(words), "no `{words}` in {}", said(&output));
    };
    check(0, 0, true, "1 passed");
    check(1, 1, true, "the answer is wrong");
    check(2, 1, false, "Fixture can only be used once");
    check(3, 0, false, "not today");
    assert!(!checkout.path("root").join(".benchmarks").exists(), "nothing is saved");

    // What lies inside the package runs from the check-out, with its compiled module from the installed copy.
    let listing = checkout.list(inside);
    let (output, reading) = checkout.trial(inside, &listing.benchmarks[0]);
    assert!(reading.measurement.main().is_some(), "{}", said(&output));

    let scratch = tempfile::tempdir().expect("a temporary directory");
    let (root, out) = (checkout.path("root"), checkout.path("out"));
    let request =
        ListRequest { root: &root, out: &out, executable: broken, scratch: scratch.path(), args: &[] };
    match python().list(&request, &mut checkout.runner()) {
        Err(benchwright_harness::HarnessError::Tool { message, .. }) => {
            assert!(message.contains("No module named 'no_such_module'"), "{message}");
        }
        other => panic!("{other:?}"),
    }
}

fn shared_file(checkout: &Checkout) -> PathBuf {
    let entries = fs::read_dir(checkout.path("shared")).expect("a directory").flatten();
    let mut names = entries.map(|entry| PathBuf::from(entry.file_name()));
    names.find(|name| name.to_string_lossy().starts_with("python-")).expect("constraints")
}

#[test]
fn the_tool_chain_is_named_by_interpreter_and_platform() {
    let checkout =
        Checkout::new(&[("requirements.txt", "pyperf\n"), ("bench.py", "import pyperf\npyperf.Runner()\n")]);
    let harness = python();
    let project = &harness.recognise(&checkout.path("root"))[0];
    let text = harness.toolchain(project, &mut checkout.runner()).expect("a tool chain");
    assert!(text.contains(" 3.") && text.contains(", "), "{text}");
}
