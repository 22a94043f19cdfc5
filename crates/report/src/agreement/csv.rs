//! One row per benchmark that both runs have.

use std::io::{self, Write};

use benchwright_analysis::agree::{Pair, Reading, Repeats};
use benchwright_formats::separated::exact;

use super::AgreementReport;
use crate::csv::write_record;

/// The header row. Ratios are head / base. `repeats` is the number of results needed for the wanted interval,
/// and `repeats_kind` states whether they existed (`enough`) or were extrapolated (`about`).
pub const COLUMNS: [&str; 22] = [
    "harness",
    "package",
    "benchmark",
    "metric",
    "agreement",
    "first_verdict",
    "first_ratio",
    "first_lo",
    "first_hi",
    "first_results",
    "second_verdict",
    "second_ratio",
    "second_lo",
    "second_hi",
    "second_results",
    "first_in_second",
    "second_in_first",
    "disputed_change",
    "first_repeats",
    "first_repeats_kind",
    "second_repeats",
    "second_repeats_kind",
];

pub(super) fn write(report: &AgreementReport, out: &mut dyn Write) -> io::Result<()> {
    write_record(COLUMNS.iter().copied(), out)?;
    for (pair, repeats) in report.found.pairs.iter().zip(&report.repeats) {
        let fields = record(pair, repeats);
        write_record(fields.iter().map(String::as_str), out)?;
    }
    Ok(())
}

fn record(pair: &Pair, repeats: &[Option<Repeats>; 2]) -> Vec<String> {
    let id = &pair.first.benchmark;
    let flag = |is: Option<bool>| is.map(|is| is.to_string()).unwrap_or_default();
    let mut fields = vec![
        id.harness.clone(),
        id.package.clone(),
        id.name.clone(),
        pair.first.metric.name.clone(),
        pair.agreement().word().to_owned(),
    ];
    fields.extend(reading(&pair.first));
    fields.extend(reading(&pair.second));
    fields.extend([flag(pair.is_first_covered()), flag(pair.is_second_covered())]);
    fields.push(pair.disputed_change().map(exact).unwrap_or_default());
    fields.extend(repeats.iter().flat_map(|one| match one {
        Some(Repeats::Enough(n)) => [n.to_string(), "enough".into()],
        Some(Repeats::About(n)) => [n.to_string(), "about".into()],
        Some(Repeats::Unknown) => [String::new(), "unknown".into()],
        None => [String::new(), String::new()],
    }));
    fields
}

fn reading(reading: &Reading) -> [String; 5] {
    let part = |of: fn(&benchwright_model::Effect) -> f64| {
        reading.effect.as_ref().map(|effect| exact(of(effect).exp())).unwrap_or_default()
    };
    [
        reading.verdict.name().to_owned(),
        part(|effect| effect.centre),
        part(|effect| effect.lo),
        part(|effect| effect.hi),
        reading.results.to_string(),
    ]
}
