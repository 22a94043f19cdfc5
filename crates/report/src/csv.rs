//! One row per benchmark and metric with all numbers, for spreadsheets and data frames, quoted as in RFC
//! 4180.

use std::borrow::Cow;
use std::io::{self, Write};

use benchwright_formats::separated::{self, exact};
use benchwright_model::{Comparison, Finding, Reason, Summary};

use crate::escape::visible;
use crate::json::reason_code;
use crate::overview;

/// The header row. Changes are ratios of head / base. Spreads, thresholds and shares are ratios too.
pub const COLUMNS: [&str; 27] = [
    "harness",
    "package",
    "benchmark",
    "metric",
    "unit",
    "better",
    "verdict",
    "reason",
    "base",
    "base_spread",
    "base_trials",
    "head",
    "head_spread",
    "head_trials",
    "ratio",
    "ratio_lo",
    "ratio_hi",
    "level",
    "duets",
    "fresh_duets",
    "outlier_ratio",
    "threshold_soft",
    "threshold_hard",
    "fails",
    "why",
    "warnings",
    "run",
];

/// Writes the findings as CSV with a header row. An unknown number, or one that is not finite, is an empty
/// field.
pub fn write(comparison: &Comparison, out: &mut dyn Write) -> io::Result<()> {
    write_record(COLUMNS.iter().copied(), out)?;
    for finding in &comparison.findings {
        let fields = record(finding, &comparison.run.id.0);
        write_record(fields.iter().map(String::as_str), out)?;
    }
    Ok(())
}

/// Writes one record for people and spreadsheets. Hidden characters are written as `\u{1b}`.
pub(crate) fn write_record<'a>(fields: impl Iterator<Item = &'a str>, out: &mut dyn Write) -> io::Result<()> {
    let fields: Vec<Cow<'_, str>> = fields.map(visible).collect();
    separated::write_record(fields.iter().map(AsRef::as_ref), out)
}

fn record(finding: &Finding, run: &str) -> [String; COLUMNS.len()] {
    let id = &finding.benchmark;
    let metric = &finding.metric;
    let effect = |part: fn(&benchwright_model::Effect) -> f64| {
        finding.effect.as_ref().map(|effect| exact(part(effect))).unwrap_or_default()
    };
    let [base, base_spread, base_trials] = summary(finding.base.as_ref());
    let [head, head_spread, head_trials] = summary(finding.head.as_ref());
    [
        id.harness.clone(),
        id.package.clone(),
        id.name.clone(),
        metric.name.clone(),
        metric.unit.word().to_owned(),
        metric.direction.word().to_owned(),
        verdict(finding).to_owned(),
        reason_code(&finding.reason).to_owned(),
        base,
        base_spread,
        base_trials,
        head,
        head_spread,
        head_trials,
        effect(|effect| effect.centre.exp()),
        effect(|effect| effect.lo.exp()),
        effect(|effect| effect.hi.exp()),
        effect(|effect| effect.level),
        finding.duets.len().to_string(),
        finding.fresh.to_string(),
        exact(finding.wild),
        exact(finding.thresholds.soft),
        exact(finding.thresholds.hard),
        finding.fails.to_string(),
        overview::why(finding),
        finding.warnings.join(" "),
        run.to_owned(),
    ]
}

/// The verdict's name. Empty for a metric without a threshold.
fn verdict(finding: &Finding) -> &'static str {
    if finding.reason == Reason::Informational { "not_judged" } else { finding.verdict.name() }
}

fn summary(side: Option<&Summary>) -> [String; 3] {
    match side {
        Some(side) => [exact(side.centre), exact(side.spread), side.trials.to_string()],
        None => Default::default(),
    }
}
