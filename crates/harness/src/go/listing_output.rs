//! Reads the output of a test executable that runs every benchmark for one operation with `-test.v`.

use std::collections::HashMap;
use std::time::Duration;

use benchwright_formats::benchfmt::{self, Sighting};

use super::flags::printed_suffix;
use crate::ListedTime;

/// How many lines of a benchmark's own output are kept.
const WORDS_KEPT: usize = 10;

/// The result of a listing run.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ListingOutput {
    /// Benchmarks with a result, in order, without processor suffix. A name may occur twice.
    pub(super) found: Vec<String>,
    /// Benchmarks that failed, with their output. Parents fail with their children and are not listed again.
    pub(super) failed: Vec<(String, String)>,
    /// Benchmarks that skipped themselves, with their output.
    pub(super) skipped: Vec<(String, String)>,
    /// The benchmark that began last.
    pub(super) last_started: Option<String>,
    /// Whether package `testing` ended normally. Otherwise the process was killed.
    pub(super) is_complete: bool,
    /// A benchmark with a result that may be the one whose panic ended the process. It is not in `found`.
    pub(super) doubtful: Option<String>,
    /// How long those in `found` took, if the times of lines are known.
    pub(super) times: HashMap<String, ListedTime>,
}

impl ListingOutput {
    /// Reads the complete standard output of a run with this processor count. `times` are those of its lines,
    /// if known.
    pub(super) fn parse(stdout: &str, processors: &str, times: &[Duration]) -> ListingOutput {
        let suffix = printed_suffix(processors);
        let mut output = ListingOutput::default();
        let mut words = Vec::new();
        let mut watch = Watch::default();
        for (at, line) in stdout.lines().enumerate() {
            let line = line.trim_end_matches('\r');
            let found = output.found.len();
            output.line(line, &suffix, &mut words);
            let Some(now) = times.get(at) else { continue };
            if output.found.len() > found {
                let name = output.found[found].clone();
                output.times.extend(watch.ended(&name, line, *now).map(|time| (name, time)));
            } else if output.last_started.as_deref() == Some(line) {
                watch.started(line, *now);
            }
        }
        let children = output.failed.clone();
        output.failed.retain(|(parent, _)| !children.iter().any(|(name, _)| is_below(name, parent)));
        output
    }

    /// Removes the result of the benchmark whose panic ended the process. Deferred calls run before a panic
    /// ends the process. One of them signals to package `testing` that the benchmark is done, which then
    /// sometimes prints its result, and more rarely starts the next one.
    pub(super) fn drop_result_of_panicking(&mut self, stderr: &str) {
        let (Some(last), Some(function)) = (self.last_started.clone(), panicking(stderr)) else { return };
        let top = top_of(&last);
        let guilty = match self.found.last() {
            _ if function == top => top,
            Some(before) if before == function => {
                self.last_started = Some(function.to_owned());
                function
            }
            Some(_) if !self.found.contains(&last) => {
                self.doubtful = self.found.pop();
                return;
            }
            _ => &last,
        };
        self.found.retain(|name| name != guilty);
    }

    fn line(&mut self, line: &str, suffix: &str, words: &mut Vec<String>) {
        if line == "PASS" || line == "FAIL" {
            self.is_complete = true;
        } else if let Some(name) = line.strip_prefix("--- FAIL: ") {
            self.failed.push((self.started_name(name, suffix), std::mem::take(words).join("; ")));
        } else if let Some(name) = line.strip_prefix("--- SKIP: ") {
            self.skipped.push((self.started_name(name, suffix), std::mem::take(words).join("; ")));
        } else if let Some(name) = self.result(line, suffix) {
            self.found.push(name);
            words.clear();
        } else if line.starts_with("Benchmark") && !line.contains(char::is_whitespace) {
            self.last_started = Some(line.to_owned());
            self.is_complete = false;
            words.clear();
        } else if line.starts_with("    ") && words.len() < WORDS_KEPT {
            words.push(line.trim().to_owned());
        }
    }

    /// The benchmark that this result line belongs to. The running one is checked first, because its own
    /// output may precede its name on the line.
    fn result(&self, line: &str, suffix: &str) -> Option<String> {
        if let Some(running) = &self.last_started
            && let Sighting::Result(_) = benchfmt::sight(line, &format!("{running}{suffix}"))
        {
            return Some(running.clone());
        }
        let (name, _) = benchfmt::any(line)?;
        name.strip_suffix(suffix).map(str::to_owned)
    }

    /// Go prints a failed benchmark with or without suffix, depending on when it failed.
    fn started_name(&self, printed: &str, suffix: &str) -> String {
        let stripped = printed.strip_suffix(suffix).unwrap_or(printed);
        match &self.last_started {
            Some(running) if running == printed => running.clone(),
            Some(running) if running == stripped => running.clone(),
            _ => printed.to_owned(),
        }
    }
}

/// Measures the time of benchmarks.
#[derive(Default)]
struct Watch {
    starts: HashMap<String, Duration>,
    /// Time that functions with sub-benchmarks spent before the first of them.
    preludes: HashMap<String, Duration>,
    /// Time from the start of the process to its first benchmark.
    before_all: Option<Duration>,
}

impl Watch {
    fn started(&mut self, name: &str, now: Duration) {
        self.before_all.get_or_insert(now);
        self.starts.insert(name.to_owned(), now);
        if let Some((parent, _)) = name.rsplit_once('/')
            && let Some(start) = self.starts.get(parent)
        {
            self.preludes.entry(parent.to_owned()).or_insert(now.saturating_sub(*start));
        }
    }

    /// The time of the benchmark to which this result line belongs.
    fn ended(&self, name: &str, line: &str, now: Duration) -> Option<ListedTime> {
        let whole = now.saturating_sub(*self.starts.get(name)?);
        let values = benchfmt::tail(line).map(|result| result.values).unwrap_or_default();
        let nanoseconds = values.iter().find(|value| value.unit == "ns/op").map_or(0.0, |value| value.number);
        let operation = Duration::try_from_secs_f64(nanoseconds * 1e-9).unwrap_or_default().min(whole);
        let above = name.match_indices('/').filter_map(|(at, _)| self.preludes.get(&name[..at]));
        let process = self.before_all.unwrap_or_default() + above.sum::<Duration>();
        Some(ListedTime { process, call: whole - operation, operation })
    }
}

/// The function called by package `testing` from which a panic came, without its package: the line above that
/// of `runN` in Go's stack trace. `None` if there was no panic, or if it came from a goroutine of the
/// benchmark.
fn panicking(stderr: &str) -> Option<&str> {
    let trace = &stderr[stderr.find("panic: ")?..];
    let calls: Vec<&str> = trace.lines().filter(|line| !line.starts_with('\t')).collect();
    let at = calls.iter().position(|line| line.starts_with("testing.(*B).runN("))?;
    let (function, _arguments) = calls[at.checked_sub(1)?].rsplit_once('(')?;
    function.rsplit(['.', '/']).next()
}

/// The top-level benchmark that `name` belongs to.
pub(super) fn top_of(name: &str) -> &str {
    name.split('/').next().unwrap_or(name)
}

/// Whether `name` is a sub-benchmark of `parent`.
fn is_below(name: &str, parent: &str) -> bool {
    name.strip_prefix(parent).is_some_and(|rest| rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_failures_and_skips_are_told_apart() {
        let output = ListingOutput::parse(
            "goos: linux\nBenchmarkA\n    a_test.go:3: hello\nBenchmarkA-2 \t 1\t 61202 ns/op\n\
             BenchmarkF\nBenchmarkF/x\n    a_test.go:6: pre\n    a_test.go:6: boom\n--- FAIL: BenchmarkF/x\n\
             BenchmarkF/y\nBenchmarkF/y-2 \t 1\t 1 ns/op\n--- FAIL: BenchmarkF\n\
             BenchmarkS\n    a_test.go:7: not here\n--- SKIP: BenchmarkS\nFAIL\n",
            "2",
            &[],
        );
        assert_eq!(output.found, ["BenchmarkA", "BenchmarkF/y"]);
        let failed = [("BenchmarkF/x".to_owned(), "a_test.go:6: pre; a_test.go:6: boom".to_owned())];
        assert_eq!(output.failed, failed);
        assert_eq!(output.skipped, [("BenchmarkS".to_owned(), "a_test.go:7: not here".to_owned())]);
        assert!(output.is_complete);
    }

    #[test]
    fn lines_with_times_tell_set_up_from_operations() {
        let text = "goos: linux\nBenchmarkA\nBenchmarkA-2 \t 1\t 3000000000 ns/op\nBenchmarkF\nBenchmarkF/x\n\
                    BenchmarkF/x-2 \t 1\t 5 ns/op\nBenchmarkF/y\nBenchmarkF/y-2 \t 1\t 5 ns/op\nPASS\n";
        let seconds = Duration::from_secs;
        let output = ListingOutput::parse(text, "2", &[0, 1, 5, 5, 24, 25, 25, 26, 26].map(seconds));
        let time =
            |name: &str| output.times.get(name).map(|it| (it.process, it.call.as_secs(), it.operation));
        assert_eq!(time("BenchmarkA"), Some((seconds(1), 1, seconds(3))));
        // The time that the function around them took first counts for each.
        let five = Duration::from_nanos(5);
        assert_eq!(time("BenchmarkF/x"), Some((seconds(20), 0, five)));
        assert_eq!(time("BenchmarkF/y"), Some((seconds(20), 0, five)));
        assert_eq!(output.times.len(), 3);
        assert!(ListingOutput::parse(text, "2", &[]).times.is_empty());
    }

    #[test]
    fn names_lose_one_suffix_and_output_before_a_name_does_not_hide_it() {
        let check = |text: &str, processors: &str, expected: &[&str]| {
            assert_eq!(ListingOutput::parse(text, processors, &[]).found, expected, "{text}");
        };
        check("BenchmarkA/n-2\nBenchmarkA/n-2-2 \t 1\t 3 ns/op", "2", &["BenchmarkA/n-2"]);
        check("BenchmarkA/n-2\nBenchmarkA/n-2 \t 1\t 3 ns/op", "1", &["BenchmarkA/n-2"]);
        check("BenchmarkA\ngarbageBenchmarkA-4 \t 1\t 3 ns/op", "4", &["BenchmarkA"]);
        check("BenchmarkA\nBenchmarkA-4 \t 1", "4", &["BenchmarkA"]);
        check("BenchmarkA-4 \t 1\t 3 ns/op", "2", &[]);
        check("Benchmarking takes 1 while", "2", &[]);
    }

    #[test]
    fn captured_runs_are_read() {
        let read = |name: &str| {
            let path = format!("{}/../../fixtures/go/{name}", env!("CARGO_MANIFEST_DIR"));
            let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
            ListingOutput::parse(&String::from_utf8_lossy(&bytes), "2", &[])
        };
        let whole = read("go1.26.8/listing.txt");
        assert!(whole.is_complete);
        assert_eq!((whole.found.len(), whole.failed.len(), whole.skipped.len()), (37, 0, 1));
        assert!(whole.found.contains(&"BenchmarkNames/n-2-2".to_owned()));
        let dead = read("go1.26.8/panicking-listing.txt");
        assert!(!dead.is_complete);
        assert_eq!(dead.found, ["BenchmarkFailing/works", "BenchmarkPanics/before"]);
        assert_eq!(dead.last_started.as_deref(), Some("BenchmarkPanics/panics"));
        assert_eq!(read("foreign.txt"), ListingOutput::default());
        assert_eq!(read("garbage.bin").found, [""; 0]);
    }

    #[test]
    fn a_result_printed_while_the_process_dies_of_a_panic_does_not_count() {
        let text = "BenchmarkP\nBenchmarkP/x\nBenchmarkP/x-2 \t 1\t 3 ns/op\nBenchmarkP/y\n\
                    BenchmarkP/y-2 \t 1\t 9 ns/op\n";
        let trace = |function: &str| {
            format!(
                "panic: oh no\n\ngoroutine 9 [running]:\n{function}\n\t/src/m_test.go:6 +0x25\n\
                 testing.(*B).runN(0xc0000d4c88, 0x1)\n\t/go/src/testing/benchmark.go:219 +0x190\n\
                 testing.(*B).run1.func1()\n"
            )
        };
        let check = |function: &str, expected: &[&str]| {
            let mut output = ListingOutput::parse(text, "2", &[]);
            output.drop_result_of_panicking(&trace(function));
            assert_eq!(output.found, expected, "{function}");
        };
        check("example%2ecom/m.BenchmarkP.func2(0x0?)", &["BenchmarkP/x"]);
        check("example%2ecom/m.(*suite).run(...)", &["BenchmarkP/x"]);
        // The function around them panics when both are done.
        check("example%2ecom/m.BenchmarkP(0xc0000d4c88)", &["BenchmarkP/x", "BenchmarkP/y"]);
        let mut output = ListingOutput::parse(text, "2", &[]);
        output.drop_result_of_panicking("panic: oh no\n\ngoroutine 9 [running]:\nm.worker()\n");
        assert_eq!(output.found.len(), 2);
        // The next benchmark may have begun: one of the two panicked, or the top-level one with a result.
        let mut output = ListingOutput::parse(&format!("{text}BenchmarkP/z\n"), "2", &[]);
        output.drop_result_of_panicking(&trace("m.BenchmarkP.func2(0x0?)"));
        assert_eq!(
            (output.found, output.doubtful),
            (vec!["BenchmarkP/x".to_owned()], Some("BenchmarkP/y".into()))
        );
        let text = "BenchmarkA\nBenchmarkA-2 \t 1\t 3 ns/op\nBenchmarkB\n";
        let mut output = ListingOutput::parse(text, "2", &[]);
        output.drop_result_of_panicking(&trace("m.BenchmarkA(0xc0000d4c88)"));
        assert_eq!((output.found, output.last_started), (vec![], Some("BenchmarkA".into())));
    }

    #[test]
    fn a_run_that_stops_in_the_middle_is_not_complete() {
        let output =
            ListingOutput::parse("BenchmarkA\nBenchmarkA-2 \t 1\t 3 ns/op\nBenchmarkB/x\n", "2", &[]);
        assert!(!output.is_complete);
        assert_eq!(output.last_started.as_deref(), Some("BenchmarkB/x"));
        assert_eq!(ListingOutput::parse("", "2", &[]), ListingOutput::default());
    }
}
