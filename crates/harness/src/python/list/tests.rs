use std::fs;
use std::path::PathBuf;

use benchwright_model::Severity;

use super::*;
use crate::{Executable, StepFailure};

/// Writes the record and ends like the launcher.
struct Tool<'a> {
    record: &'a str,
    output: StepOutput,
    steps: Vec<Step>,
}

impl StepRunner for Tool<'_> {
    fn run(&mut self, step: &Step) -> Result<StepOutput, StepFailure> {
        self.steps.push(step.clone());
        fs::write(&step.args[3], self.record).expect("a record");
        Ok(self.output.clone())
    }
}

fn executable(flavour: &str) -> Executable {
    Executable {
        harness: NAME.into(),
        package: "py/tests/test_a.py".into(),
        flavour: flavour.into(),
        flavour_version: "5.1.0".into(),
        path: "tests@test_a.py.json".into(),
        dir: "py".into(),
        env: Vec::new(),
    }
}

fn run(flavour: &str, record: &str, status: i32, stderr: &str) -> (Result<Listing, HarnessError>, Vec<Step>) {
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let output = StepOutput { status, stderr: stderr.into(), ..StepOutput::default() };
    let mut tool = Tool { record, output, steps: Vec::new() };
    let executable = executable(flavour);
    let request = ListRequest {
        root: Path::new("/tree"),
        out: Path::new("/out"),
        executable: &executable,
        scratch: scratch.path(),
        args: &["-k".to_owned(), "x".to_owned()],
        filter: None,
    };
    (list(&request, &mut tool), tool.steps)
}

fn check(record: &str, status: i32, names: &[&str], diagnostics: &[(Severity, &str)]) {
    let listing = run("pytest-benchmark", record, status, "words").0.expect("a list");
    let found: Vec<&str> = listing.benchmarks.iter().map(|benchmark| benchmark.name.as_str()).collect();
    assert_eq!(found, names);
    let told: Vec<(Severity, &str)> =
        listing.diagnostics.iter().map(|doubt| (doubt.severity, doubt.message.as_str())).collect();
    assert_eq!(told, diagnostics);
}

#[test]
fn names_are_taken_as_they_are_and_each_once() {
    let record = "{\"name\": \"TestA::test_b[a b-[x]-\\\\xe4::]\", \"skipped\": null}\n{\"name\": \"test_c\"}\nnoise\n{\"name\": \"test_c\"}\n";
    let twice = (Severity::Warning, "the name `test_c` is used twice; only the first is measured");
    check(record, 0, &["TestA::test_b[a b-[x]-\\xe4::]", "test_c"], &[twice]);
}

#[test]
fn skipped_tests_and_files_are_told() {
    let record = "{\"name\": \"test_a\", \"skipped\": \"needs a GPU\"}\n{\"name\": \"test_b\"}\n";
    check(record, 0, &["test_b"], &[(Severity::Warning, "is skipped: needs a GPU")]);
    let whole = "{\"left_out\": \"Skipped: could not import 'numpy'\"}\n";
    let told = (Severity::Warning, "is skipped as a whole: Skipped: could not import 'numpy'");
    check(whole, 5, &[], &[told]);
}

#[test]
fn a_file_that_fails_is_an_error_unless_it_named_benchmarks_before() {
    let failed = "{\"failed\": \"ImportError: no module named numpy\"}\n";
    match run("pytest-benchmark", failed, 2, "").0 {
        Err(HarnessError::Tool { message, .. }) => assert_eq!(message, "ImportError: no module named numpy"),
        other => panic!("{other:?}"),
    }
    let partly = format!("{{\"name\": \"test_a\"}}\n{failed}");
    let told = "could not be read to its end: ImportError: no module named numpy";
    check(&partly, 2, &["test_a"], &[(Severity::Error, told)]);
    check(
        "{\"name\": \"a\"}\n",
        1,
        &["a"],
        &[(Severity::Error, "ended with status 1 while its benchmarks were listed: words")],
    );
    match run("pyperf", "", 1, "Traceback: no such argument").0 {
        Err(HarnessError::Tool { message, status: 1, .. }) => assert!(message.contains("no such argument")),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_file_without_benchmarks_is_no_failure() {
    check("", 5, &[], &[]);
    check("", 0, &[], &[]);
}

#[test]
fn the_call_names_file_root_and_record() {
    let (_, steps) = run("pytest-benchmark", "", 0, "");
    let args: Vec<String> = steps[0].args.iter().map(|arg| arg.to_string_lossy().into_owned()).collect();
    assert_eq!(args[..3], ["/out/launch.py", "/out/tests@test_a.py.json", "list"]);
    assert_eq!(args[4..7], ["--collect-only", "tests/test_a.py", "--rootdir=/tree/py"]);
    assert_eq!(args[args.len() - 2..], ["-k", "x"]);
    assert_eq!(
        (&steps[0].dir, &steps[0].program),
        (&PathBuf::from("/tree/py"), &"/out/venv/bin/python".into())
    );
    let (_, steps) = run("pyperf", "", 0, "");
    assert!(steps[0].args.contains(&"--worker".into()), "{:?}", steps[0].args);
}
