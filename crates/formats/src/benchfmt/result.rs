//! Finds the result of one benchmark among other output of a test program.
//!
//! Go prints the name, runs the benchmark, then prints the numbers. Output of the benchmark itself therefore
//! appears between the two, with or without line ends. Its output before the first measurement appears before
//! the name.

use super::line;
use crate::reading::number::Printed;

/// The information in a line about one benchmark.
#[derive(Debug, Clone, PartialEq)]
pub enum Sighting {
    /// Its name and its numbers.
    Result(ResultLine),
    /// Its name. The numbers may follow on a later line.
    NameOnly,
    /// None.
    Nothing,
}

/// The numbers of one iteration.
#[derive(Debug, Clone, PartialEq)]
pub struct ResultLine {
    /// Go's `b.N`.
    pub operations: u64,
    /// In the order of the line.
    pub values: Vec<Value>,
}

/// A number with its unit.
#[derive(Debug, Clone, PartialEq)]
pub struct Value {
    /// As printed.
    pub number: f64,
    /// One unit of the last printed digit, relative to the number. 0 for 0 and for numbers that are not
    /// finite.
    pub resolution: f64,
    /// The unit's text.
    pub unit: String,
}

/// Finds the information in `line` about the benchmark that Go prints as `name`.
pub fn sight(line: &str, name: &str) -> Sighting {
    for (start, _) in line.match_indices(name) {
        let rest = &line[start + name.len()..];
        if rest.chars().next().is_some_and(|c| !c.is_whitespace()) {
            continue;
        }
        let parsed = fields(rest).or_else(|| tail(rest));
        if start > 0 {
            // After text without a line end, `BenchmarkBenchmarkX` is another benchmark than `BenchmarkX`.
            // Before numbers Go pads the name up to a tab.
            let word = line[..start].rsplit(char::is_whitespace).next().unwrap_or_default();
            if word.starts_with("Benchmark") || !rest.trim_start_matches(' ').starts_with('\t') {
                continue;
            }
        }
        return parsed.map_or(Sighting::NameOnly, Sighting::Result);
    }
    Sighting::Nothing
}

/// The name and the numbers of a line that begins with the name of any benchmark.
pub fn any(line: &str) -> Option<(&str, ResultLine)> {
    let end = line.find(char::is_whitespace)?;
    let (name, rest) = line.split_at(end);
    if !name.starts_with("Benchmark") {
        return None;
    }
    Some((name, fields(rest)?))
}

/// Numbers that make up all of `text`.
fn fields(text: &str) -> Option<ResultLine> {
    numbers(text.as_bytes())
}

/// Numbers at the end of `text`, after output of the benchmark. Go separates them by tabs.
pub fn tail(text: &str) -> Option<ResultLine> {
    numbers(line::tail(text.as_bytes())?)
}

fn numbers(text: &[u8]) -> Option<ResultLine> {
    let (operations, rest) = line::operations(text).ok()??;
    let mut values = Vec::new();
    let take = |_, printed: Printed, unit: &[u8]| {
        let unit = String::from_utf8_lossy(unit).into_owned();
        values.push(Value { number: printed.value, resolution: 1.0 / printed.digits, unit });
    };
    line::values(rest, take).ok()?;
    Some(ResultLine { operations, values })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, name: &str, expected: Option<(u64, &[(f64, &str)])>) {
        let found = match sight(line, name) {
            Sighting::Result(result) => Some(result),
            _ => None,
        };
        let expected = expected.map(|(operations, values)| {
            let values: Vec<_> = values.iter().map(|(number, unit)| (*number, unit.to_string())).collect();
            (operations, values)
        });
        let found = found.map(|result| {
            let values: Vec<_> = result.values.into_iter().map(|value| (value.number, value.unit)).collect();
            (result.operations, values)
        });
        assert_eq!(found, expected, "{line}");
    }

    #[test]
    fn numbers_are_read_with_their_units() {
        check(
            "BenchmarkA-2   \t     100\t       123 ns/op\t       4 B/op\t       1 allocs/op\t         5.500 custom",
            "BenchmarkA-2",
            Some((100, &[(123.0, "ns/op"), (4.0, "B/op"), (1.0, "allocs/op"), (5.5, "custom")])),
        );
        check(
            "BenchmarkA 1000000000 0.0000010 ns/op",
            "BenchmarkA",
            Some((1_000_000_000, &[(1e-6, "ns/op")])),
        );
        check("BenchmarkA-2 \t       1", "BenchmarkA-2", Some((1, &[])));
        check("BenchmarkA-2 1 +Inf ns/op", "BenchmarkA-2", Some((1, &[(f64::INFINITY, "ns/op")])));
        check("BenchmarkA-2 1 -5 ns/op", "BenchmarkA-2", Some((1, &[(-5.0, "ns/op")])));
    }

    #[test]
    fn only_the_named_benchmark_counts() {
        check("BenchmarkA-20 \t 1\t 2 ns/op", "BenchmarkA-2", None);
        check("BenchmarkA/x-2 \t 1\t 2 ns/op", "BenchmarkA", None);
        check("BenchmarkBenchmarkA-2 \t 1\t 2 ns/op", "BenchmarkA-2", None);
        check("--- BENCH: BenchmarkA-2", "BenchmarkA-2", None);
        check("ok \texample.com/a\t1.2s", "BenchmarkA-2", None);
    }

    #[test]
    fn text_the_benchmark_prints_is_passed_over() {
        let numbers: Option<(u64, &[(f64, &str)])> = Some((3, &[(210.3, "ns/op"), (0.0, "B/op")]));
        check(
            "garbageBenchmarkA-2    \t       3\t       210.3 ns/op\t       0 B/op",
            "BenchmarkA-2",
            numbers,
        );
        check(
            "BenchmarkA-2    \tgarbage       3\t       210.3 ns/op\t       0 B/op",
            "BenchmarkA-2",
            numbers,
        );
        check(
            "BenchmarkA-2    \ta\t1 b\t       3\t       210.3 ns/op\t       0 B/op",
            "BenchmarkA-2",
            numbers,
        );
        check(
            "garbageBenchmarkA-2    \tgarbage       3\t       210.3 ns/op\t       0 B/op",
            "BenchmarkA-2",
            numbers,
        );
        check(
            "BenchmarkA-2    \tlog12345678\t 1 ns/op",
            "BenchmarkA-2",
            Some((12_345_678, &[(1.0, "ns/op")])),
        );
        check("BenchmarkA-2    \tlog123\t 1 ns/op", "BenchmarkA-2", None);
        assert_eq!(sight("textBenchmarkA-2    \tout line", "BenchmarkA-2"), Sighting::NameOnly);
        assert_eq!(sight("BenchmarkA-2    \tout line", "BenchmarkA-2"), Sighting::NameOnly);
        assert!(tail("       3\t       210.3 ns/op").is_some());
        assert_eq!(tail("no numbers\there"), None);
        assert_eq!(tail(""), None);
    }

    #[test]
    fn numbers_too_large_or_without_unit_are_not_understood() {
        check("BenchmarkA 99999999999999999999999 1 ns/op", "BenchmarkA", None);
        check("BenchmarkA 1 2", "BenchmarkA", None);
        check("BenchmarkA 1 x ns/op", "BenchmarkA", None);
        check("BenchmarkA -1 2 ns/op", "BenchmarkA", None);
    }
}
