use std::path::{Path, PathBuf};

use super::*;
use crate::{Executable, PackageFilter};

/// Answers from a script and records the requests.
struct Scripted {
    answers: Vec<Result<StepOutput, StepFailure>>,
    asked: Vec<String>,
}

impl StepRunner for Scripted {
    fn run(&mut self, step: &Step) -> Result<StepOutput, StepFailure> {
        let wanted = |arg: &&std::ffi::OsString| {
            let arg = arg.to_string_lossy();
            ["-test.bench=", "-test.skip=", "-test.list=", "-test.cpu="]
                .iter()
                .any(|start| arg.starts_with(start))
        };
        let args: Vec<_> =
            step.args.iter().filter(wanted).map(|arg| arg.to_string_lossy().into_owned()).collect();
        self.asked.push(args.join(" "));
        self.answers.remove(0)
    }
}

fn printed(status: i32, stdout: &str, stderr: &str) -> Result<StepOutput, StepFailure> {
    Ok(StepOutput { status, stdout: stdout.into(), stderr: stderr.into(), log: "log".into() })
}

fn executable(release: &str) -> Executable {
    Executable {
        harness: "go".into(),
        package: "p".into(),
        flavour: "go".into(),
        flavour_version: release.into(),
        path: PathBuf::from("p.test"),
        dir: "p".into(),
        env: vec![("PWD".into(), "{root}/p".into())],
    }
}

fn try_list(
    release: &str,
    args: &[&str],
    answers: Vec<Result<StepOutput, StepFailure>>,
) -> (Result<Listing, HarnessError>, Vec<String>) {
    try_list_some(release, args, None, answers)
}

fn try_list_some(
    release: &str,
    args: &[&str],
    filter: Option<&dyn PackageFilter>,
    answers: Vec<Result<StepOutput, StepFailure>>,
) -> (Result<Listing, HarnessError>, Vec<String>) {
    let args: Vec<String> = args.iter().map(|arg| arg.to_string()).collect();
    let request = ListRequest {
        root: Path::new("/r"),
        out: Path::new("/o"),
        executable: &executable(release),
        scratch: Path::new("/s"),
        args: &args,
        filter,
    };
    let mut run = Scripted { answers, asked: Vec::new() };
    let listing = list(&request, &mut run);
    assert!(run.answers.is_empty(), "too few steps: {:?}", run.asked);
    (listing, run.asked)
}

fn check(
    args: &[&str],
    answers: Vec<Result<StepOutput, StepFailure>>,
    names: &[&str],
    diagnostics: &[&str],
) -> Vec<String> {
    let (listing, asked) = try_list("1.26", args, answers);
    let listing = listing.unwrap();
    let found: Vec<_> = listing.benchmarks.iter().map(|id| id.name.as_str()).collect();
    assert_eq!(found, names);
    let told: Vec<_> = listing.diagnostics.iter().map(|diagnostic| diagnostic.to_string()).collect();
    assert_eq!(told, diagnostics);
    asked
}

#[test]
fn one_run_suffices_where_all_goes_well() {
    let output = "BenchmarkA\nBenchmarkA-2 \t 1\t 5 ns/op\nBenchmarkB\nBenchmarkB/x\nBenchmarkB/x-2 \t 1\t 5 ns/op\nPASS\n";
    let asked = check(&["-cpu=2"], vec![printed(0, output, "")], &["BenchmarkA", "BenchmarkB/x"], &[]);
    assert_eq!(asked, ["-test.bench=. -test.cpu=2"]);
}

#[test]
fn each_processor_count_is_a_benchmark_of_its_own() {
    let one = "BenchmarkA\nBenchmarkA \t 1\t 5 ns/op\nPASS\n";
    let four = "BenchmarkA\nBenchmarkA-4 \t 1\t 5 ns/op\nPASS\n";
    let asked = check(
        &["-cpu", "1,4"],
        vec![printed(0, one, ""), printed(0, four, "")],
        &["BenchmarkA-1", "BenchmarkA-4"],
        &[],
    );
    assert_eq!(asked, ["-test.bench=. -test.cpu=1", "-test.bench=. -test.cpu=4"]);
}

#[test]
fn a_panic_does_not_hide_the_others() {
    let whole = "BenchmarkA\nBenchmarkA \t 1\t 5 ns/op\nBenchmarkB\nBenchmarkB/x\nBenchmarkB/x \t 1\t 5 ns/op\nBenchmarkB/y\n";
    let again = "BenchmarkB\nBenchmarkB/x\nBenchmarkB/x \t 1\t 5 ns/op\nBenchmarkB/y\n";
    let without = "BenchmarkB\nBenchmarkB/x\nBenchmarkB/x \t 1\t 5 ns/op\nBenchmarkB/z\nBenchmarkB/z \t 1\t 5 ns/op\nPASS\n";
    let last = "BenchmarkC\nBenchmarkC \t 1\t 5 ns/op\nPASS\n";
    let asked = check(
        &["-cpu=1"],
        vec![
            printed(2, whole, "panic: oh\n\ngoroutine 1"),
            printed(0, "BenchmarkA\nBenchmarkB\nBenchmarkC\n", ""),
            printed(2, again, "panic: oh\n\ngoroutine 1"),
            printed(0, without, ""),
            printed(0, last, ""),
        ],
        &["BenchmarkA", "BenchmarkB/x", "BenchmarkB/z", "BenchmarkC"],
        &["error: p:BenchmarkB/y: ends the process in the listing run: panic: oh"],
    );
    assert_eq!(
        asked,
        [
            "-test.bench=. -test.cpu=1",
            "-test.list=^Benchmark",
            "-test.bench=^BenchmarkB$ -test.cpu=1",
            "-test.bench=^BenchmarkB$ -test.cpu=1 -test.skip=^BenchmarkB$/^y$",
            "-test.bench=^BenchmarkC$ -test.cpu=1",
        ]
    );
}

#[test]
fn a_panic_is_not_blamed_on_the_benchmark_that_began_meanwhile() {
    let trace =
        "panic: oh no\n\ngoroutine 9 [running]:\np.BenchmarkB.func2(0x0?)\ntesting.(*B).runN(0xc0, 0x1)\n";
    let begun = "BenchmarkB\nBenchmarkB/x\nBenchmarkB/x \t 1\t 5 ns/op\nBenchmarkB/y\n";
    let alone =
        |name: &str| format!("BenchmarkB\nBenchmarkB/{name}\nBenchmarkB/{name} \t 1\t 5 ns/op\nPASS\n");
    let tops = "BenchmarkB\n";
    let message = "ends the process in the listing run: panic: oh no";
    // Alone, x panics as well: y only began before the process ended.
    check(
        &["-cpu=1"],
        vec![
            printed(2, begun, trace),
            printed(0, tops, ""),
            printed(2, begun, trace),
            printed(2, "BenchmarkB\nBenchmarkB/x\n", trace),
            printed(0, &alone("y"), ""),
        ],
        &["BenchmarkB/y"],
        &[&format!("error: p:BenchmarkB/x: {message}")],
    );
    // Alone, x does not panic, so y did.
    check(
        &["-cpu=1"],
        vec![
            printed(2, begun, trace),
            printed(0, tops, ""),
            printed(2, begun, trace),
            printed(0, &alone("x"), ""),
            printed(0, &alone("x"), ""),
        ],
        &["BenchmarkB/x"],
        &[&format!("error: p:BenchmarkB/y: {message}")],
    );
}

#[test]
fn a_benchmark_that_hangs_does_not_hide_the_others() {
    check(
        &["-cpu=1"],
        vec![
            Err(StepFailure::TimedOut(TOGETHER)),
            printed(0, "BenchmarkA\nBenchmarkB\n", ""),
            Err(StepFailure::TimedOut(ALONE)),
            printed(0, "BenchmarkB\nBenchmarkB \t 1\t 5 ns/op\nPASS\n", ""),
        ],
        &["BenchmarkB"],
        &["error: p:BenchmarkA: did not end within 60 s in the listing run and was killed"],
    );
}

/// Accepts functions whose names have this ending.
struct Ending(&'static str);

impl PackageFilter for Ending {
    fn text(&self) -> String {
        self.0.into()
    }

    fn may_accept(&self, _: &str) -> bool {
        true
    }

    fn may_accept_function(&self, package: &str, function: &str) -> bool {
        package == "p" && function.ends_with(self.0)
    }

    fn names(&self, _: &str, _: &[String]) -> bool {
        true
    }

    fn mentions(&self, _: &str) -> bool {
        true
    }
}

#[test]
fn what_a_filter_excludes_is_not_run() {
    let tops = || printed(0, "BenchmarkA\nBenchmarkB\nBenchmarkAB\n", "");
    let check = |filter: &'static str, answers, names: &[&str], missing: Missing, expected: &[&str]| {
        let (listing, asked) = try_list_some("1.26", &["-cpu=1"], Some(&Ending(filter)), answers);
        let listing = listing.unwrap();
        let found: Vec<_> = listing.benchmarks.iter().map(|id| id.name.as_str()).collect();
        assert_eq!((found.as_slice(), listing.missing), (names, missing));
        assert_eq!(asked, expected);
    };
    check("none", vec![tops()], &[], Missing::Excluded, &["-test.list=^Benchmark"]);
    let b = "BenchmarkB\nBenchmarkB/x\nBenchmarkB/x \t 1\t 5 ns/op\nPASS\n";
    let asked = ["-test.list=^Benchmark", "-test.bench=^(BenchmarkB|BenchmarkAB)$ -test.cpu=1"];
    check("B", vec![tops(), printed(0, b, "")], &["BenchmarkB/x"], Missing::Excluded, &asked);
    let asked = ["-test.list=^Benchmark", "-test.bench=. -test.cpu=1"];
    check("", vec![tops(), printed(0, b, "")], &["BenchmarkB/x"], Missing::Nothing, &asked);
    // An excluded benchmark is not run alone either.
    let asked = [
        "-test.list=^Benchmark",
        "-test.bench=^(BenchmarkA)$ -test.cpu=1",
        "-test.list=^Benchmark",
        "-test.bench=^BenchmarkA$ -test.cpu=1",
    ];
    let full = || Err(StepFailure::TooMuchMemory(1));
    check("kA", vec![tops(), full(), tops(), full()], &[], Missing::Limited, &asked);
}

#[test]
fn limits_are_named() {
    let check = |failure: fn() -> StepFailure, message: &str| {
        let tops = printed(0, "BenchmarkA\n", "");
        let answers = vec![Err(failure()), tops, Err(failure())];
        let (listing, _) = try_list("1.26", &["-cpu=1"], answers);
        assert_eq!(listing.unwrap().diagnostics[0].to_string(), message);
    };
    check(
        || StepFailure::TimedOut(ALONE),
        "error: p:BenchmarkA: did not end within 60 s in the listing run and was killed",
    );
    check(
        || StepFailure::TooMuchOutput(16 << 20),
        "error: p:BenchmarkA: printed more than 17 MB (output-limit) in the listing run and was killed",
    );
    check(
        || StepFailure::TooMuchMemory(2_000_000_000),
        "error: p:BenchmarkA: used more than 2000 MB of memory (trial-memory) in the listing run and was killed",
    );
}

#[test]
fn failures_and_skips_are_named() {
    let output =
        "BenchmarkA\n    a_test.go:1: boom\n--- FAIL: BenchmarkA\nBenchmarkB\n--- SKIP: BenchmarkB\nFAIL\n";
    let diagnostics = [
        "error: p:BenchmarkA: fails in the listing run: a_test.go:1: boom",
        "note: p:BenchmarkB: skips itself",
    ];
    check(&["-cpu=1"], vec![printed(1, output, "")], &[], &diagnostics);
}

#[test]
fn a_program_that_cannot_begin_is_an_error_with_its_own_words() {
    let usage = "flag provided but not defined: -own";
    let (listing, _) = try_list("1.26", &["-own=1"], vec![printed(2, "", usage), printed(2, "", usage)]);
    match listing {
        Err(HarnessError::Tool { status: 2, message, .. }) => assert_eq!(message, usage),
        other => panic!("{other:?}"),
    }
    let (listing, _) = try_list("1.26", &[], vec![Err(StepFailure::Interrupted)]);
    assert!(matches!(listing, Err(HarnessError::Step { .. })));
}

#[test]
fn old_releases_are_not_asked_to_skip() {
    let dies = || printed(2, "BenchmarkA\nBenchmarkA/x\n", "panic: oh");
    let (listing, asked) =
        try_list("1.19.5", &["-cpu=1"], vec![dies(), printed(0, "BenchmarkA\n", ""), dies()]);
    assert_eq!(listing.unwrap().diagnostics.len(), 1);
    assert!(asked.iter().all(|args| !args.contains("-test.skip")));
}
