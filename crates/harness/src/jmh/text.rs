//! Parses JMH's own text output: `Iteration   1: 12.345 ±(99.9%) 0.067 ns/op`.

use super::fact::{Iteration, Score};

/// A parsed line.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Line {
    /// An iteration with its score.
    Iteration(Iteration),
    /// The beginning of an iteration whose score is on a later line, because the benchmark printed something.
    Begun {
        /// Whether it is warm-up.
        is_warmup: bool,
    },
    /// A score alone.
    Score(Score),
    /// A further score of the iteration before.
    Secondary(Score),
    /// `<failure>`. The exception follows.
    Failure,
    /// The mode, short.
    Mode(&'static str),
    /// A score given only as a power of ten.
    Approximate(Iteration),
    /// Any other line.
    Other,
}

/// Long names of modes in the heading.
const MODES: [(&str, &str); 4] =
    [("Throughput", "thrpt"), ("Average time", "avgt"), ("Sampling time", "sample"), ("Single shot", "ss")];

/// Reads a line.
pub(super) fn parse(line: &str) -> Line {
    if let Some(mode) = line.strip_prefix("# Benchmark mode: ") {
        let known = MODES.iter().find(|(long, _)| mode.starts_with(long));
        return known.map_or(Line::Other, |(_, short)| Line::Mode(short));
    }
    if line.trim_end().ends_with("<failure>") || line.starts_with("<forked VM failed") {
        return Line::Failure;
    }
    let (is_warmup, rest) = match (line.strip_prefix("# Warmup Iteration"), line.strip_prefix("Iteration")) {
        (Some(rest), _) => (true, rest),
        (None, Some(rest)) => (false, rest),
        (None, None) => return other(line),
    };
    let Some((number, text)) = rest.split_once(':') else { return Line::Other };
    if number.trim().parse::<u32>().is_err() {
        return Line::Other;
    }
    let iteration = |primary| Iteration { is_warmup, primary, ..Iteration::default() };
    match (score(text), approximate(text)) {
        (Some(primary), _) => Line::Iteration(iteration(primary)),
        (None, Some(primary)) => Line::Approximate(iteration(primary)),
        (None, None) => Line::Begun { is_warmup },
    }
}

/// Parses lines without an iteration's number: additional scores are indented and labelled.
fn other(line: &str) -> Line {
    if !line.starts_with("      ") {
        return score(line).map_or(Line::Other, Line::Score);
    }
    let labelled = line.trim().split_once(": ").or_else(|| line.trim().split_once(":\t"));
    let found = labelled.and_then(|(label, text)| Some((label.trim(), score(text)?)));
    match found {
        Some((label, score)) if !label.is_empty() => Line::Secondary(Score { label: label.into(), ..score }),
        _ => Line::Other,
    }
}

/// `12.345 ns/op`, `12.345 ±(99.9%) 0.067 ns/op`, or sample mode's `n = 12, mean = 34 ns/op, p{…} = …`.
fn score(text: &str) -> Option<Score> {
    let text = text.trim();
    let text = match text.split_once("mean = ") {
        Some((before, mean)) if before.trim_start().starts_with("n = ") => mean.split_once(", ")?.0,
        _ => text,
    };
    let mut words = text.split_whitespace();
    let number = words.next()?;
    let mut unit = words.next()?;
    if unit.starts_with('±') || unit.starts_with('\u{fffd}') || unit.starts_with('?') {
        words.next()?;
        unit = words.next()?;
    }
    // If there is more text after the unit, the line is output of the benchmark.
    if words.next().is_some() {
        return None;
    }
    let (value, resolution) = number_of(number)?;
    Some(Score { label: String::new(), value, resolution, unit: unit.into() })
}

/// A number in the format of any locale, and its precision.
fn number_of(text: &str) -> Option<(f64, f64)> {
    let plain = text.replace(',', ".");
    let is_number = plain.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
        && plain.contains(|c: char| c.is_ascii_digit());
    let value: f64 = plain.parse().ok().filter(|_| is_number)?;
    let decimals = plain.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    let step = 10f64.powi(-(i32::try_from(decimals).unwrap_or(300).min(300)));
    Some((value, if value > 0.0 { (step / value).min(1.0) } else { 1.0 }))
}

/// `≈ 10⁻⁴ s/op`: a power of ten, which may be wrong by a factor of three.
fn approximate(text: &str) -> Option<Score> {
    let mut words = text.trim().strip_prefix('≈')?.split_whitespace();
    let exponent = words.next()?.strip_prefix("10")?;
    let digits: String = exponent.chars().map(digit).collect::<Option<_>>()?;
    let value = 10f64.powi(digits.parse().ok()?);
    Some(Score { label: String::new(), value, resolution: 1.0, unit: words.next()?.into() })
}

/// The plain character for a raised one.
fn digit(raised: char) -> Option<char> {
    const RAISED: [char; 11] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹', '⁻'];
    let index = RAISED.iter().position(|known| *known == raised)?;
    "0123456789-".chars().nth(index)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(line: &str, value: f64, unit: &str) {
        match parse(line) {
            Line::Iteration(Iteration { primary, .. }) | Line::Approximate(Iteration { primary, .. }) => {
                assert_eq!((primary.value, primary.unit.as_str()), (value, unit), "{line}");
            }
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn scores_are_read_in_every_form() {
        check("Iteration   1: 12.345 ns/op", 12.345, "ns/op");
        check("# Warmup Iteration   1: 12,345 ns/op", 12.345, "ns/op");
        check("Iteration 103: 12.345 ±(99.9%) 0.067 ns/op", 12.345, "ns/op");
        check("Iteration   1: n = 4571, mean = 22 ns/op, p{0.00, 0.50} = 0, 21 ns/op", 22.0, "ns/op");
        check("Iteration   3: 0.000123456789012 s/op", 0.000123456789012, "s/op");
        check("Iteration   3: ≈ 10⁻⁴ s/op", 1e-4, "s/op");
        check("Iteration   3: ≈ 10⁻¹² s/op", 1e-12, "s/op");
    }

    #[test]
    fn what_is_no_score_is_told_apart() {
        assert_eq!(parse("Iteration   1: hello"), Line::Begun { is_warmup: false });
        assert_eq!(parse("# Warmup Iteration   1: "), Line::Begun { is_warmup: true });
        assert_eq!(parse("Iteration over 5: 12 ns/op"), Line::Other);
        assert_eq!(parse("Iteration   1: ≈ 0 s/op"), Line::Begun { is_warmup: false });
        assert_eq!(parse("<failure>"), Line::Failure);
        assert_eq!(parse("Iteration   1: <failure>"), Line::Failure);
        assert_eq!(parse("<forked VM failed with exit code 1>"), Line::Failure);
        assert_eq!(parse("# Benchmark mode: Single shot invocation time"), Line::Mode("ss"));
        assert_eq!(parse("Result \"a.B.c\":"), Line::Other);
        assert!(matches!(parse("17.5 ns/op"), Line::Score(score) if score.value == 17.5));
    }

    #[test]
    fn further_scores_have_labels() {
        let line = "                 ·gc.alloc.rate.norm:                    16.000 B/op";
        let Line::Secondary(score) = parse(line) else { panic!("a score") };
        assert_eq!(
            (score.label.as_str(), score.value, score.unit.as_str()),
            ("·gc.alloc.rate.norm", 16.0, "B/op")
        );
    }

    #[test]
    fn the_resolution_is_that_of_the_printed_digits() {
        let Line::Iteration(iteration) = parse("Iteration   1: 2.500 ns/op") else { panic!("an iteration") };
        assert!((iteration.primary.resolution - 0.0004).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn any_line_is_harmless(line in "(Iteration   1: |      )?\\PC*") {
            let _ = parse(&line);
        }
    }
}
