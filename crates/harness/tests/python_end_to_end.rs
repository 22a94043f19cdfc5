//! The harness `python` with real Pythons, pip and tools: examples/python is built, listed and measured, and a package
//! with a compiled module shows whose code is run and what happens to tests that do not measure.

mod version;

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use benchwright_harness::{Executable, HarnessError};
use benchwright_model::BenchmarkId;
use version::{Ended, Version, names, shape};

/// A version of these files.
fn version_of(files: &[(&str, &str)]) -> Version {
    let version = Version::alone("python");
    version.write(files);
    version
}

/// Runs one short trial, which reports at its end.
fn trial(version: &Version, executable: &Executable, benchmark: &BenchmarkId) -> Ended {
    let short = Duration::from_millis(2);
    let ended = version.trial(executable, benchmark, &shape(3, short, short));
    assert_eq!(ended.iterations, 0);
    ended
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
    let Some(_) = benchwright_testkit::tool("python3") else { return };
    let version = Version::of_example("python", "python");
    assert_eq!(version.harness.recognise(&version.root), [version.project("")]);
    let executables = version.build("", &[]);
    let found: Vec<(&str, String)> = executables
        .iter()
        .map(|exe| (exe.package.as_str(), format!("{} {}", exe.flavour, exe.flavour_version)))
        .collect();
    let expected = EXAMPLE.map(|(package, flavour, _)| (package, flavour.to_owned()));
    assert_eq!(found, expected);
    for (executable, (package, _, expected)) in executables.iter().zip(EXAMPLE) {
        let listing = version.list(executable, &[]);
        assert_eq!(
            (names(&listing), listing.diagnostics.as_slice()),
            (expected.to_vec(), &[][..]),
            "{package}"
        );
        for benchmark in &listing.benchmarks {
            let ended = trial(&version, executable, benchmark);
            assert!(ended.output.status.success(), "{benchmark}: {}", ended.said());
            let reading = ended.reading;
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
    let left: Vec<&str> = left.into_iter().filter(|path| version.root.join(path).exists()).collect();
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
    let Some(_) = benchwright_testkit::tool("python3") else { return };
    let version = version_of(&COMPILED);
    let inside = "from swift import answer\ndef test_inside(benchmark):\n    benchmark(answer)\n";
    version.write(&[
        ("tests/test_swift.py", TESTS),
        ("tests/test_broken.py", "import no_such_module\ndef test_a(benchmark): ...\n"),
        ("swift/test_inside.py", inside),
    ]);
    let built = version.try_build("", &[]).expect("a build");
    let packages: Vec<&str> = built.executables.iter().map(|exe| exe.package.as_str()).collect();
    assert_eq!(packages, ["swift/test_inside.py", "tests/test_broken.py", "tests/test_swift.py"]);
    let constraints = fs::read_to_string(version.shared.join(shared_file(&version))).expect("a file");
    assert!(
        constraints.contains("pytest-benchmark==4.0.0\n") && !constraints.contains("swift"),
        "{constraints}"
    );

    let [inside, broken, swift] = built.executables.as_slice() else { panic!("{packages:?}") };
    let listing = version.list(swift, &[]);
    assert_eq!(names(&listing), ["test_answer", "test_failing", "test_twice", "test_skipped_inside"]);
    let doubts: Vec<String> = listing.diagnostics.iter().map(ToString::to_string).collect();
    assert_eq!(doubts, ["warning: tests/test_swift.py:test_elsewhere: is skipped: needs another system"]);
    let check = |index: usize, status: i32, has_result: bool, words: &str| {
        let ended = trial(&version, swift, &listing.benchmarks[index]);
        let said = ended.said();
        assert_eq!(ended.output.status.code(), Some(status), "{said}");
        assert_eq!(ended.reading.measurement.main().is_some(), has_result, "{said}");
        assert!(said.contains(words), "no `{words}` in {said}");
    };
    check(0, 0, true, "1 passed");
    check(1, 1, true, "the answer is wrong");
    check(2, 1, false, "Fixture can only be used once");
    check(3, 0, false, "not today");
    assert!(!version.root.join(".benchmarks").exists(), "nothing is saved");

    // What lies inside the package runs from the check-out, with its compiled module from the installed copy.
    let listing = version.list(inside, &[]);
    let ended = trial(&version, inside, &listing.benchmarks[0]);
    assert!(ended.reading.measurement.main().is_some(), "{}", ended.said());

    match version.try_list(broken, &[]) {
        Err(HarnessError::Tool { message, .. }) => {
            assert!(message.contains("No module named 'no_such_module'"), "{message}");
        }
        other => panic!("{other:?}"),
    }
}

fn shared_file(version: &Version) -> PathBuf {
    let entries = fs::read_dir(&version.shared).expect("a directory").flatten();
    let mut names = entries.map(|entry| PathBuf::from(entry.file_name()));
    names.find(|name| name.to_string_lossy().starts_with("python-")).expect("constraints")
}

#[test]
fn the_tool_chain_is_named_by_interpreter_and_platform() {
    let Some(_) = benchwright_testkit::tool("python3") else { return };
    let version =
        version_of(&[("requirements.txt", "pyperf\n"), ("bench.py", "import pyperf\npyperf.Runner()\n")]);
    let project = &version.harness.recognise(&version.root)[0];
    let text = version.harness.toolchain(project, &[], &mut version.processes()).expect("a tool chain");
    assert!(text.contains(" 3.") && text.contains(", "), "{text}");
}
