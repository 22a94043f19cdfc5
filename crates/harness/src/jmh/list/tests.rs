use std::path::Path;

use benchwright_model::BenchmarkId;

use super::*;
use crate::jmh::harness::WITH_SHIM;
use crate::test_steps::Scripted;
use crate::{Executable, Step};

fn fixture(path: &str) -> String {
    let path = format!("{}/../../fixtures/jmh/{path}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn play(flavour: &str, answers: Vec<StepOutput>) -> (Result<Listing, HarnessError>, Vec<Step>) {
    let executable = Executable {
        harness: "jmh".into(),
        package: "shelf-benchmarks".into(),
        flavour: flavour.into(),
        flavour_version: String::new(),
        path: "shelf-benchmarks.jar".into(),
        dir: "benchmarks".into(),
        env: Vec::new(),
    };
    let args = ["-e".to_owned(), "Slow".to_owned()];
    let request = ListRequest {
        root: Path::new("/version"),
        out: Path::new("/out"),
        executable: &executable,
        scratch: Path::new("/scratch"),
        args: &args,
        filter: None,
    };
    let mut run = Scripted(answers.into_iter().map(Ok).collect(), Vec::new());
    (list(&request, &mut run), run.1)
}

fn printed(stdout: &str) -> StepOutput {
    StepOutput { stdout: stdout.into(), ..StepOutput::default() }
}

#[test]
fn every_version_lists_the_same() {
    let listings = ["1.19", "1.21", "1.29", "1.37"].map(|version| {
        let (listing, steps) = play(WITH_SHIM, vec![printed(&fixture(&format!("{version}/list.txt")))]);
        assert_eq!(steps[0].dir, Path::new("/version/benchmarks"));
        assert!(steps[0].args.ends_with(&["list".into(), "-e".into(), "Slow".into()]), "{:?}", steps[0].args);
        let mut ids = listing.unwrap().benchmarks;
        ids.sort();
        ids
    });
    assert_eq!(listings[3].len(), 17);
    assert!(listings.iter().all(|ids| *ids == listings[3]));
    let id = |name: &str| BenchmarkId::new("jmh", "org.example.shelf", name);
    for name in ["Modes.sum/ss", "Sorting.fill/order=RISING/size=10", "Texts.hash/title=a,b", "Counted.both"]
    {
        assert!(listings[3].contains(&id(name)), "{name}");
    }
}

#[test]
fn a_parameter_without_values_is_told_and_the_rest_listed() {
    let text = "\n#benchwright\tmissing\ta.B.c\tsize\t.\n\n#benchwright\tbenchmark\ta.B.d\tavgt\t.\n";
    let listing = play(WITH_SHIM, vec![printed(text)]).0.unwrap();
    assert_eq!((listing.benchmarks.len(), listing.diagnostics.len()), (1, 1));
    assert!(listing.diagnostics[0].hint.contains("-p size="), "{:?}", listing.diagnostics);
}

#[test]
fn a_refusal_is_told() {
    let text = "#benchwright\tfailure\tCommandLineOptionException: n is not a recognized option\t.\n";
    let refused = StepOutput { status: 1, ..printed(text) };
    match play(WITH_SHIM, vec![refused]).0 {
        Err(HarnessError::Tool { message, .. }) => assert!(message.ends_with("not a recognized option")),
        other => panic!("{other:?}"),
    }
}

#[test]
fn without_the_shim_the_text_is_read() {
    let listing = play(TEXT, vec![printed(&fixture("1.37/text-list.txt"))]).0.unwrap();
    let names: Vec<&str> = listing.benchmarks.iter().map(|id| id.name.as_str()).collect();
    assert!(names.contains(&"Sorting.fill/size=100/order=FALLING"), "{names:?}");
    assert_eq!(names.iter().filter(|name| name.starts_with("Modes.sum")).count(), 1, "{names:?}");
}

#[test]
fn versions_without_parameters_in_the_list_are_asked_again() {
    let refused = StepOutput { stderr: "lp is not a recognized option".into(), ..StepOutput::default() };
    let (listing, steps) = play(TEXT, vec![refused.clone(), printed("Benchmarks: \na.B.c\na.B.d\n")]);
    assert_eq!((listing.unwrap().benchmarks.len(), steps.len()), (2, 2));
    assert!(matches!(play(TEXT, vec![refused.clone(), refused]).0, Err(HarnessError::Tool { .. })));
}
