//! One row per benchmark with the columns of the µOpTime reference, with ten significant digits, so that
//! files can be compared line by line.

use std::io::{self, Write};

use super::{ReducedBenchmark, ReductionReport};
use crate::csv::write_record;

/// The header row. Times are seconds of measuring, averages and intervals are nanoseconds, the others are
/// ratios.
pub const COLUMNS: [&str; 14] = [
    "project",
    "metric",
    "benchmark",
    "config",
    "time_s",
    "metric_min",
    "metric_full",
    "avg_min",
    "avg_full",
    "change",
    "ci_lo_min",
    "ci_hi_min",
    "ci_lo_full",
    "ci_hi_full",
];

pub(super) fn write(report: &ReductionReport, out: &mut dyn Write) -> io::Result<()> {
    write_record(COLUMNS.iter().copied(), out)?;
    for benchmark in &report.benchmarks {
        let project = report.sources.get(benchmark.source).map(|source| source.project.as_str());
        let fields = record(project.unwrap_or_default(), benchmark);
        write_record(fields.iter().map(String::as_str), out)?;
    }
    Ok(())
}

fn record(project: &str, benchmark: &ReducedBenchmark) -> [String; COLUMNS.len()] {
    let reduction = &benchmark.reduction;
    let optional = |value: Option<f64>| value.map(ten_digits).unwrap_or_default();
    let (chosen, full) = reduction.intervals;
    [
        project.to_owned(),
        benchmark.metric.to_owned(),
        benchmark.name.clone(),
        benchmark.chosen_levels(),
        ten_digits(reduction.chosen.seconds),
        optional(reduction.chosen.instability),
        optional(reduction.full.instability),
        ten_digits(reduction.averages.0),
        ten_digits(reduction.averages.1),
        ten_digits(reduction.change()),
        optional(chosen.map(|interval| interval.lo)),
        optional(chosen.map(|interval| interval.hi)),
        optional(full.map(|interval| interval.lo)),
        optional(full.map(|interval| interval.hi)),
    ]
}

/// A number in the format of C's `%.10g`. Empty if it is not finite.
fn ten_digits(number: f64) -> String {
    const DIGITS: i32 = 10;
    if !number.is_finite() {
        return String::new();
    }
    if number == 0.0 {
        return "0".into();
    }
    let scientific = format!("{number:.9e}");
    let Some((mantissa, exponent)) = scientific.split_once('e') else { return scientific };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if !(-4..DIGITS).contains(&exponent) {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{}e{sign}{:02}", without_zeros(mantissa), exponent.abs());
    }
    let decimals = usize::try_from(DIGITS - 1 - exponent).unwrap_or(0);
    without_zeros(&format!("{number:.decimals$}")).to_owned()
}

/// Removes zeros at the end.
fn without_zeros(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_in_the_reference() {
        // Expected: Python 3.11.7, '%.10g' % number.
        let check = |number: f64, expected: &str| assert_eq!(ten_digits(number), expected);
        check(499_379.666_666_666_7, "499379.6667");
        check(3.0, "3");
        check(-0.041_090_736_56, "-0.04109073656");
        check(0.004_331_050_627_12, "0.004331050627");
        check(1.234_567_890_123e-5, "1.23456789e-05");
        check(0.000_123_456_789_012, "0.000123456789");
        check(12_345_678_901.0, "1.23456789e+10");
        check(9_999_999_999.9, "1e+10");
        check(100.0, "100");
        check(0.0, "0");
        check(f64::NAN, "");
    }
}
