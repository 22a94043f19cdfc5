//! The lines that the shim prints.

use std::time::Duration;

use benchwright_model::Configured;

/// The beginning of such a line. It is followed by a tab, or by a hyphen and the token of the call.
const MARK: &str = "#benchwright";

/// The end of such a line, so that a line that was cut does not count as complete.
const END: &str = "\t.";

/// A line of the shim.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Fact {
    /// The token of all further lines of this call.
    Token(String),
    /// The version of JMH.
    Version(String),
    /// A benchmark in one mode with one combination of parameters.
    Benchmark {
        /// The name with its Java package.
        name: String,
        /// `avgt`, `thrpt`, `sample` or `ss`.
        mode: String,
        /// Names and values.
        parameters: Vec<(String, String)>,
    },
    /// A benchmark with a parameter that has no values.
    Missing {
        /// The benchmark's name.
        name: String,
        /// The parameter's.
        parameter: String,
    },
    /// The result of one iteration.
    Iteration(Iteration),
    /// How long the suite would measure by itself.
    Configured(Configured),
    /// Why JMH gave up: the message of the exception.
    Failure(String),
}

/// The result of one iteration.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Iteration {
    /// Whether the suite calls it warm-up.
    pub(super) is_warmup: bool,
    /// `avgt`, `thrpt`, `sample` or `ss`; empty if not stated.
    pub(super) mode: String,
    /// Number of its operations, if the version reports it.
    pub(super) operations: Option<u64>,
    /// The score; its label is empty.
    pub(super) primary: Score,
    /// The other scores.
    pub(super) secondary: Vec<Score>,
}

/// A number with its unit.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Score {
    /// Its label. Empty for the benchmark's own score.
    pub(super) label: String,
    /// The number as JMH has it.
    pub(super) value: f64,
    /// The smallest relative difference that the text can show. 0 if the number is exact.
    pub(super) resolution: f64,
    /// The unit's text.
    pub(super) unit: String,
}

/// Whether the line begins like one of the shim.
pub(super) fn is_marked(line: &str) -> bool {
    line.strip_prefix(MARK).is_some_and(|rest| rest.starts_with(['\t', '-']))
}

/// Whether a marked line has another token than this. The line may be cut, and the token is empty until it is
/// set.
pub(super) fn has_other_token(line: &str, token: &str) -> bool {
    token_of(line).is_some_and(|(found, _)| found != token)
}

/// The token of a line, which may be empty, and its fields.
fn token_of(line: &str) -> Option<(&str, &str)> {
    let (token, fields) = line.strip_prefix(MARK)?.split_once('\t')?;
    Some((token.strip_prefix('-').unwrap_or(token), fields))
}

/// Parses a line of the shim. `None` if it is cut or from another version of the shim.
pub(super) fn parse(line: &str) -> Option<Fact> {
    let fields: Vec<String> = token_of(line)?.1.strip_suffix(END)?.split('\t').map(unescaped).collect();
    let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
    match fields.as_slice() {
        ["token", token] => Some(Fact::Token((*token).into())),
        ["version", version] => Some(Fact::Version((*version).into())),
        ["configured", numbers @ ..] => configured(numbers).map(Fact::Configured),
        ["failure", words] => Some(Fact::Failure((*words).into())),
        ["missing", name, parameter] => {
            Some(Fact::Missing { name: (*name).into(), parameter: (*parameter).into() })
        }
        ["benchmark", name, mode, rest @ ..] if rest.len().is_multiple_of(2) => Some(Fact::Benchmark {
            name: (*name).into(),
            mode: (*mode).into(),
            parameters: rest.chunks(2).map(|pair| (pair[0].into(), pair[1].into())).collect(),
        }),
        ["iteration", kind, mode, operations, rest @ ..] => {
            let mut scores = rest.chunks(3).map(score);
            Some(Fact::Iteration(Iteration {
                is_warmup: *kind == "warmup",
                mode: (*mode).into(),
                operations: operations.parse().ok(),
                primary: scores.next()??,
                secondary: scores.collect::<Option<_>>()?,
            }))
        }
        _ => None,
    }
}

/// Numbers and nanoseconds of iterations to warm up and to measure, and the number of forks.
fn configured(fields: &[&str]) -> Option<Configured> {
    let numbers: Vec<u64> = fields.iter().map(|field| field.parse().ok()).collect::<Option<_>>()?;
    let [warmups, warmup_ns, iterations, iteration_ns, forks] = numbers[..] else { return None };
    let time = warmups.saturating_mul(warmup_ns).saturating_add(iterations.saturating_mul(iteration_ns));
    // Without a fork JMH measures in its own process.
    let processes = u32::try_from(forks.max(1)).unwrap_or(u32::MAX);
    Some(Configured { time: Duration::from_nanos(time), processes })
}

fn score(fields: &[&str]) -> Option<Score> {
    let [label, value, unit] = fields else { return None };
    // Java prints Infinity and NaN, which Rust parses too.
    Some(Score { label: (*label).into(), value: value.parse().ok()?, resolution: 0.0, unit: (*unit).into() })
}

/// Text in the encoding of the shim: printable ASCII, and `\u` with four digits per UTF-16 unit for other
/// characters.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        if matches!(c, ' '..='~') && c != '\\' {
            escaped.push(c);
        } else {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                escaped.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    escaped
}

fn unescaped(text: &str) -> String {
    let mut units: Vec<u16> = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let digits = rest.strip_prefix("\\u").and_then(|after| after.get(..4));
        match digits.and_then(|digits| u16::from_str_radix(digits, 16).ok()) {
            Some(unit) => {
                units.push(unit);
                rest = &rest[6..];
            }
            None => {
                units.extend_from_slice(c.encode_utf16(&mut [0; 2]));
                rest = &rest[c.len_utf8()..];
            }
        }
    }
    String::from_utf16_lossy(&units)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn facts_are_read() {
        let line = "#benchwright\titeration\tmeasurement\tavgt\t812\t\t0.125\tus/op\tgc.alloc.rate.norm\t16.0\tB/op\t.";
        let Some(Fact::Iteration(iteration)) = parse(line) else { panic!("an iteration") };
        assert_eq!((iteration.is_warmup, iteration.operations), (false, Some(812)));
        assert_eq!((iteration.primary.value, iteration.primary.unit.as_str()), (0.125, "us/op"));
        assert_eq!(iteration.secondary[0].label, "gc.alloc.rate.norm");
        let line = "#benchwright\tbenchmark\ta.B.c\tavgt\tsize\t10\tkind\t\\u00e4\\u0009b\t.";
        let parameters = vec![("size".into(), "10".into()), ("kind".into(), "ä\tb".into())];
        let expected = Fact::Benchmark { name: "a.B.c".into(), mode: "avgt".into(), parameters };
        assert_eq!(parse(line), Some(expected));
        assert_eq!(parse("#benchwright\tversion\t1.37\t."), Some(Fact::Version("1.37".into())));
    }

    #[test]
    fn what_is_cut_or_foreign_is_none() {
        for line in [
            "#benchwright\titeration\tmeasurement\tavgt\t812\t\t0.12",
            "#benchwright\titeration\tmeasurement\tavgt\t812\t\t0.125\t.",
            "#benchwright\titeration\tmeasurement\tavgt\t812\t\tmany\tus/op\t.",
            "#benchwright\tbenchmark\ta\tavgt\tsize\t.",
            "#benchwright\t.",
            "Iteration   1: 12.3 ns/op",
            "",
        ] {
            assert_eq!(parse(line), None, "{line}");
        }
    }

    proptest! {
        #[test]
        fn any_line_is_harmless(line in "(#benchwright\t)?\\PC*(\t\\PC*)*") {
            let _ = parse(&line);
        }

        #[test]
        fn escaping_loses_nothing(text in any::<String>()) {
            let escaped = escaped(&text);
            prop_assert!(escaped.chars().all(|c| matches!(c, ' '..='~')));
            prop_assert_eq!(unescaped(&escaped), text);
        }
    }
}
