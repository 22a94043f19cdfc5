//! The command line of one trial.

use std::ffi::OsString;
use std::time::Duration;

use super::release::Release;
use super::{arguments, pattern};
use crate::{TrialCommand, TrialRequest};

/// The file with the results, in the scratch directory.
pub(super) const RESULTS: &str = "results.json";

/// Runs exactly the benchmark, once per iteration, in one process.
pub(super) fn trial(request: &TrialRequest<'_>) -> TrialCommand {
    let TrialRequest { executable, benchmark, shape, scratch, .. } = request;
    let release = Release::parse(&executable.flavour_version);
    let mut out = OsString::from("--benchmark_out=");
    out.push(scratch.join(RESULTS));
    let mut args = vec![
        OsString::from(format!("--benchmark_filter={}", pattern::exactly(&benchmark.name))),
        out,
        "--benchmark_out_format=json".into(),
        "--benchmark_format=console".into(),
        "--benchmark_color=false".into(),
        // The environment may request aggregates only, which are not enough.
        "--benchmark_report_aggregates_only=false".into(),
    ];
    let mut choose = |name: &str, ours: String| {
        if arguments::flag(&shape.args, name).is_none() {
            args.push(format!("--{name}={ours}").into());
        }
    };
    choose("benchmark_repetitions", shape.iterations.max(1).to_string());
    let unit = if release >= Release::TIME_UNIT { "s" } else { "" };
    choose("benchmark_min_time", format!("{}{unit}", seconds(shape.iteration_time)));
    if release >= Release::WARM_UP && !shape.warmup_time.is_zero() {
        choose("benchmark_min_warmup_time", seconds(shape.warmup_time));
    }
    args.extend(arguments::passed_on(&shape.args).map(OsString::from));
    TrialCommand { args, ..TrialCommand::default() }
}

/// Seconds as a decimal number without exponent. Never 0, which means the default.
fn seconds(time: Duration) -> String {
    time.max(Duration::from_nanos(1)).as_secs_f64().to_string()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use benchwright_model::BenchmarkId;

    use super::*;
    use crate::{Executable, TrialShape};

    fn command_line(name: &str, release: &str, args: &[&str], warmup: u64) -> String {
        let executable = Executable {
            harness: "googlebench".into(),
            package: "p".into(),
            flavour: "googlebench".into(),
            flavour_version: release.into(),
            path: "bin/p".into(),
            dir: "".into(),
            env: Vec::new(),
        };
        let shape = TrialShape {
            warmup_time: Duration::from_millis(warmup),
            args: args.iter().map(|arg| arg.to_string()).collect(),
            ..TrialShape::fixed(5, Duration::from_millis(100))
        };
        let command = trial(&TrialRequest {
            root: Path::new("/r"),
            out: Path::new("/o"),
            executable: &executable,
            benchmark: &BenchmarkId::new("googlebench", "p", name),
            shape: &shape,
            scratch: Path::new("/s"),
        });
        let text: Vec<_> = command.args.iter().map(|arg| arg.to_string_lossy().into_owned()).collect();
        text.join(" ")
    }

    const COMMON: &str = "--benchmark_out=/s/results.json --benchmark_out_format=json --benchmark_format=console \
                          --benchmark_color=false --benchmark_report_aggregates_only=false";

    #[test]
    fn one_benchmark_is_selected_and_repeated() {
        assert_eq!(
            command_line("BM_A<int*>/8", "1.7.1", &[], 0),
            format!(
                "--benchmark_filter=^BM_A<int\\*>/8$ {COMMON} --benchmark_repetitions=5 --benchmark_min_time=0.1"
            )
        );
    }

    #[test]
    fn units_and_warm_up_follow_the_librarys_version() {
        let check = |release: &str, expected: &str| {
            let line = command_line("A", release, &[], 50);
            let (_, end) = line.split_once("--benchmark_repetitions=5 ").expect("repetitions");
            assert_eq!(end, expected, "{release}");
        };
        check("", "--benchmark_min_time=0.1");
        check("1.5.2", "--benchmark_min_time=0.1");
        check("1.7.1", "--benchmark_min_time=0.1 --benchmark_min_warmup_time=0.05");
        check("1.8.0", "--benchmark_min_time=0.1s --benchmark_min_warmup_time=0.05");
    }

    #[test]
    fn the_users_flags_win_except_those_that_choose_results() {
        let args =
            ["--benchmark_min_time=3x", "--benchmark_repetitions=2", "--benchmark_out=mine", "--corpus"];
        assert_eq!(
            command_line("A", "1.9.1", &args, 0),
            format!(
                "--benchmark_filter=^A$ {COMMON} --benchmark_min_time=3x --benchmark_repetitions=2 --corpus"
            )
        );
    }

    #[test]
    fn times_are_plain_numbers() {
        assert_eq!(seconds(Duration::from_secs(2)), "2");
        assert_eq!(seconds(Duration::from_micros(10)), "0.00001");
        assert_eq!(seconds(Duration::ZERO), "0.000000001");
    }
}
