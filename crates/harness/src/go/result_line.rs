//! Lines with results: `BenchmarkX-2   100   123 ns/op   4 B/op`.
//!
//! Go prints the name, runs the benchmark, then prints the numbers. Whatever the benchmark itself prints therefore lands
//! between the two, with or without line ends, and what it prints before its first measuring lands before the name.

/// What a line says about one benchmark.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Sighting {
    /// Its name and its numbers.
    Result(ResultLine),
    /// Its name; the numbers may come on a later line.
    NameOnly,
    /// Nothing.
    Nothing,
}

/// The numbers of one iteration.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ResultLine {
    /// Go's `b.N`.
    pub(super) operations: u64,
    /// In the order of the line.
    pub(super) values: Vec<Value>,
}

/// A number with its unit.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Value {
    /// As printed.
    pub(super) number: f64,
    /// One unit of the last printed digit, relative to the number; 0 for 0 and for what is no finite number.
    pub(super) resolution: f64,
    /// The unit's text.
    pub(super) unit: String,
}

/// What `line` says about the benchmark that Go prints as `name`.
pub(super) fn sight(line: &str, name: &str) -> Sighting {
    for (start, _) in line.match_indices(name) {
        let rest = &line[start + name.len()..];
        if rest.chars().next().is_some_and(|c| !c.is_whitespace()) {
            continue;
        }
        let parsed = fields(rest).or_else(|| tail(rest));
        if start > 0 {
            // `BenchmarkBenchmarkX` is another benchmark than `BenchmarkX` after text without a line end, and Go pads the
            // name it prints before numbers up to a tab.
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
pub(super) fn any(line: &str) -> Option<(&str, ResultLine)> {
    let end = line.find(char::is_whitespace)?;
    let (name, rest) = line.split_at(end);
    if !name.starts_with("Benchmark") {
        return None;
    }
    Some((name, fields(rest)?))
}

/// Numbers that make up all of `text`.
fn fields(text: &str) -> Option<ResultLine> {
    let mut words = text.split_whitespace();
    let operations = operations(words.next()?)?;
    let mut values = Vec::new();
    while let Some(number) = words.next() {
        values.push(value(number, words.next()?)?);
    }
    Some(ResultLine { operations, values })
}

/// Numbers at the end of `text`, after something the benchmark printed. Go separates them by tabs.
pub(super) fn tail(text: &str) -> Option<ResultLine> {
    let mut values = Vec::new();
    for segment in text.rsplit('\t') {
        let mut words = segment.split_whitespace();
        let pair = (words.next(), words.next(), words.next());
        if let (Some(number), Some(unit), None) = pair
            && let Some(value) = value(number, unit)
        {
            values.push(value);
            continue;
        }
        let operations = trailing_operations(segment)?;
        if values.is_empty() {
            return None;
        }
        values.reverse();
        return Some(ResultLine { operations, values });
    }
    None
}

fn operations(word: &str) -> Option<u64> {
    if word.bytes().all(|byte| byte.is_ascii_digit()) { word.parse().ok() } else { None }
}

/// Operations at the end of `segment`. Go pads them to eight places, so text touches only longer numbers.
fn trailing_operations(segment: &str) -> Option<u64> {
    let text = segment.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = &segment[text.len()..];
    let is_apart = text.is_empty() || text.ends_with(char::is_whitespace);
    if is_apart || digits.len() >= 8 { operations(digits) } else { None }
}

fn value(number: &str, unit: &str) -> Option<Value> {
    let parsed: f64 = number.parse().ok()?;
    let decimals = number.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    let step = 10f64.powi(-i32::try_from(decimals).unwrap_or(i32::MAX));
    let relative = step / parsed.abs();
    let resolution = if relative.is_finite() && parsed.is_finite() { relative } else { 0.0 };
    Some(Value { number: parsed, resolution, unit: unit.into() })
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

    #[test]
    fn resolution_is_the_last_printed_digit() {
        let check = |number: &str, expected: f64| {
            let found = value(number, "ns/op").unwrap().resolution;
            assert!((found - expected).abs() < 1e-12, "{number}: {found}");
        };
        check("1.250", 0.0008);
        check("50.00", 0.0002);
        check("500.0", 0.0002);
        check("2000", 0.0005);
        check("-4", 0.25);
        check("0", 0.0);
        check("NaN", 0.0);
    }
}
