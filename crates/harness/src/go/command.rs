//! The command line of one trial.

use std::ffi::OsString;
use std::time::Duration;

use benchwright_model::BenchmarkId;

use super::flags::{Flags, Selection};
use super::pattern;
use super::release::Release;
use crate::{Executable, TrialCommand, TrialShape};

/// Arguments of package `testing` that benchwright sets unless the user does.
const OVERRIDABLE: [&str; 4] = ["count", "benchtime", "benchmem", "timeout"];

/// Runs exactly `benchmark`, with `shape.iterations` iterations.
pub(super) fn trial(executable: &Executable, benchmark: &BenchmarkId, shape: &TrialShape) -> TrialCommand {
    let flags = Flags::parse(&shape.args);
    let selection = Selection::of(&benchmark.name, &flags);
    let chosen = |name: &str, ours: String| {
        let value = flags.test_value(name).map_or(ours, str::to_owned);
        format!("-test.{name}={value}")
    };
    let mut args = vec![
        "-test.run=^$".to_owned(),
        format!("-test.bench={}", pattern::exactly(&selection.base)),
        chosen("count", shape.iterations.max(1).to_string()),
        chosen("benchtime", benchtime(shape)),
        chosen("benchmem", "true".into()),
        format!("-test.cpu={}", selection.processors),
        chosen("timeout", "0".into()),
    ];
    let release = Release::parse(&executable.flavour_version);
    // As `go test` does it: a benchmark that ends the process by itself has not succeeded.
    if flags.test_value("paniconexit0").is_none() && release >= Release::PANIC_ON_EXIT {
        args.push("-test.paniconexit0".into());
    }
    if flags.test_value("skip").is_none() && release >= Release::SKIP {
        args.push(format!("-test.skip={}", pattern::below(&selection.base)));
    }
    args.extend(remaining(&flags));
    TrialCommand {
        args: args.into_iter().map(OsString::from).collect(),
        env: vec![processors_variable(&selection.processors)],
        ..TrialCommand::default()
    }
}

/// The user's flags that no part of a command sets by itself.
pub(super) fn remaining(flags: &Flags) -> Vec<String> {
    let others = flags.test.iter().filter(|(name, _)| name != "cpu" && !OVERRIDABLE.contains(&name.as_str()));
    others.map(|(name, value)| format!("-test.{name}={value}")).chain(flags.program.iter().cloned()).collect()
}

/// `-test.cpu` takes effect only when the first benchmark starts measuring. Code that runs earlier (set-up, a
/// parent that names its sub-benchmarks after the processor count) must see the same number in the listing
/// run and in every trial.
pub(super) fn processors_variable<V: From<String>>(processors: &str) -> (String, V) {
    ("GOMAXPROCS".into(), V::from(processors.to_owned()))
}

/// The length of an iteration. If a number of operations is given, package `testing` does not search for one,
/// which would take as long as the iteration itself.
fn benchtime(shape: &TrialShape) -> String {
    match shape.operations {
        Some(operations) => format!("{operations}x"),
        None => duration(shape.iteration_time),
    }
}

/// A duration in Go's format, without fractions. Go refuses zero.
fn duration(time: Duration) -> String {
    let nanoseconds = time.as_nanos().max(1);
    match nanoseconds {
        n if n.is_multiple_of(1_000_000_000) => format!("{}s", n / 1_000_000_000),
        n if n.is_multiple_of(1_000_000) => format!("{}ms", n / 1_000_000),
        n if n.is_multiple_of(1_000) => format!("{}us", n / 1_000),
        n => format!("{n}ns"),
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn arguments(name: &str, release: &str, args: &[&str]) -> String {
        let executable = Executable {
            harness: "go".into(),
            package: "p".into(),
            flavour: "go".into(),
            flavour_version: release.into(),
            path: PathBuf::from("p.test"),
            dir: PathBuf::new(),
            env: Vec::new(),
        };
        let shape = TrialShape {
            args: args.iter().map(|arg| arg.to_string()).collect(),
            ..TrialShape::fixed(5, Duration::from_millis(100))
        };
        let command = trial(&executable, &BenchmarkId::new("go", "p", name), &shape);
        let text: Vec<_> = command.args.iter().map(|arg| arg.to_string_lossy().into_owned()).collect();
        text.join(" ")
    }

    #[test]
    fn one_benchmark_is_selected() {
        assert_eq!(
            arguments("BenchmarkA/n=1", "1.26.8", &["-cpu=2"]),
            "-test.run=^$ -test.bench=^BenchmarkA$/^n=1$ -test.count=5 -test.benchtime=100ms -test.benchmem=true \
             -test.cpu=2 -test.timeout=0 -test.paniconexit0 -test.skip=^BenchmarkA$/^n=1$/"
        );
    }

    #[test]
    fn old_releases_get_no_flags_that_they_do_not_know() {
        assert!(!arguments("BenchmarkA", "1.15.15", &[]).contains("paniconexit0"));
        let told = arguments("BenchmarkA", "1.26.8", &["-paniconexit0=false"]);
        assert!(told.contains("-test.paniconexit0=false") && !told.contains("-test.paniconexit0 "), "{told}");
    }

    #[test]
    fn a_known_number_of_operations_needs_no_search() {
        let shape =
            |operations| TrialShape { operations, ..TrialShape::fixed(5, Duration::from_millis(100)) };
        assert_eq!(benchtime(&shape(std::num::NonZeroU64::new(1200))), "1200x");
        assert_eq!(benchtime(&shape(None)), "100ms");
    }

    #[test]
    fn the_users_flags_win() {
        assert_eq!(
            arguments(
                "BenchmarkA-4",
                "1.19",
                &[
                    "-cpu",
                    "1,4",
                    "-count=2",
                    "-benchtime",
                    "10x",
                    "-benchmem=false",
                    "-short",
                    "-tags=x",
                    "-own=1"
                ]
            ),
            "-test.run=^$ -test.bench=^BenchmarkA$ -test.count=2 -test.benchtime=10x -test.benchmem=false \
             -test.cpu=4 -test.timeout=0 -test.paniconexit0 -test.short=true -own=1"
        );
    }

    #[test]
    fn durations_are_whole_numbers_go_accepts() {
        let check = |time, expected: &str| assert_eq!(duration(time), expected);
        check(Duration::from_secs(2), "2s");
        check(Duration::from_micros(1500), "1500us");
        check(Duration::from_nanos(1501), "1501ns");
        check(Duration::ZERO, "1ns");
    }
}
