//! Trials with code that has moved but does the same.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Result;
use serde::{Deserialize, Serialize};

use super::choose::{evenly_spaced, pattern_of};
use super::experiment::Experiment;
use super::move_code;
use super::prepare::ORIGINAL;
use super::product::{Compared, Found, Listed};
use super::records;
use super::suites::Suite;
use super::summary::Count;

/// The settings of the trial.
#[derive(Debug)]
pub(crate) struct Plan {
    /// Number of versions with moved code per suite.
    pub(crate) variants: u32,
    /// Maximum number of benchmarks of a suite in one comparison.
    pub(crate) most: usize,
    /// Numbers of layouts to compare: `0` for none, `default` for the product's default.
    pub(crate) layouts: Vec<String>,
}

/// One benchmark in one comparison of a suite with a version in which code has moved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct MovedRecord {
    suite: String,
    variant: u32,
    /// The value of `--layouts`: `0`, `default`.
    layouts: String,
    benchmark: String,
    verdict: String,
    reason: String,
    effect: Option<f64>,
    lo: Option<f64>,
    hi: Option<f64>,
    duets: usize,
    /// Wall time of the whole comparison, without the first builds.
    comparison_seconds: f64,
    options: String,
}

/// The file of the trial's results.
fn file(dir: &Path) -> std::path::PathBuf {
    dir.join("moved.ndjson")
}

/// Compares every suite with versions in which code has moved, with and without layouts.
pub(crate) fn moved(experiment: &Experiment, plan: &Plan) -> Result<()> {
    let mut known: Vec<MovedRecord> = records::read(&file(&experiment.dir))?;
    for variant in 0..plan.variants {
        for suite in &experiment.suites {
            for layouts in &plan.layouts {
                if experiment.is_over() || is_done(&known, suite.name, variant, layouts) {
                    continue;
                }
                match compare(experiment, plan, suite, variant, layouts) {
                    Ok(found) => {
                        records::append(&file(&experiment.dir), &found)?;
                        known.extend(found);
                    }
                    Err(error) => println!("{} {variant}: no result: {error:#}", suite.name),
                }
            }
        }
    }
    println!("{}", text(&known));
    Ok(())
}

fn is_done(known: &[MovedRecord], suite: &str, variant: u32, layouts: &str) -> bool {
    known.iter().any(|it| it.suite == suite && it.variant == variant && it.layouts == layouts)
}

fn compare(
    experiment: &Experiment,
    plan: &Plan,
    suite: &Suite,
    variant: u32,
    layouts: &str,
) -> Result<Vec<MovedRecord>> {
    let repository = suite.repository(&experiment.dir);
    let head = move_code::commit(&repository, variant)?;
    let chosen = evenly_spaced(&experiment.list(suite)?, plan.most, variant as usize);
    let ids: Vec<String> = chosen.iter().map(Listed::id).collect();
    let mut options = vec!["--filter".into(), pattern_of(&ids)];
    if layouts != "default" {
        options.extend(["--layouts".into(), layouts.to_owned()]);
    }
    options.extend(experiment.options.iter().cloned());
    let compared = experiment.product.compare(&repository, [ORIGINAL, &head], &options, suite.arguments)?;
    println!(
        "{} {head}, layouts {layouts}: {} benchmarks in {:.0} s",
        suite.name,
        compared.findings.len(),
        compared.seconds
    );
    let record = |found: &Found| record(found, &compared, suite, variant, layouts, experiment);
    let found: Vec<MovedRecord> = compared.findings.iter().map(record).collect();
    for it in found.iter().filter(|it| is_flagged(it)) {
        println!("  flagged: {} {} {:+.2} %", it.benchmark, it.verdict, percent(it.effect));
    }
    Ok(found)
}

fn record(
    found: &Found,
    compared: &Compared,
    suite: &Suite,
    variant: u32,
    layouts: &str,
    experiment: &Experiment,
) -> MovedRecord {
    MovedRecord {
        suite: suite.name.into(),
        variant,
        layouts: layouts.into(),
        benchmark: found.benchmark.clone(),
        verdict: found.verdict.clone(),
        reason: found.reason.clone(),
        effect: found.effect.map(|(ratio, _, _)| ratio),
        lo: found.effect.map(|(_, lo, _)| lo),
        hi: found.effect.map(|(_, _, hi)| hi),
        duets: found.duets,
        comparison_seconds: compared.seconds,
        options: experiment.options.join(" "),
    }
}

fn is_flagged(record: &MovedRecord) -> bool {
    matches!(record.verdict.as_str(), "slower" | "faster")
}

fn percent(ratio: Option<f64>) -> f64 {
    100.0 * (ratio.unwrap_or(f64::NAN) - 1.0)
}

/// Formats what was found so far.
pub(crate) fn report(dir: &Path) -> Result<String> {
    Ok(text(&records::read(&file(dir))?))
}

fn text(records: &[MovedRecord]) -> String {
    let mut lines = vec!["Code that moved".to_owned()];
    let kinds: BTreeSet<&str> = records.iter().map(|record| record.layouts.as_str()).collect();
    if kinds.is_empty() {
        lines.push("\nnothing yet".into());
    }
    for layouts in kinds {
        let all: Vec<&MovedRecord> =
            records.iter().filter(|it| it.layouts == layouts && it.reason != "failed").collect();
        let comparisons: BTreeSet<(&str, u32)> =
            all.iter().map(|it| (it.suite.as_str(), it.variant)).collect();
        let with_flag = Count::of(&comparisons, |(suite, variant)| {
            all.iter().any(|it| it.suite == *suite && it.variant == *variant && is_flagged(it))
        });
        let first = |(suite, variant): &(&str, u32)| {
            all.iter()
                .find(|it| it.suite == *suite && it.variant == *variant)
                .map_or(0.0, |it| it.comparison_seconds)
        };
        let seconds: f64 = comparisons.iter().map(first).sum();
        let is = |word: &str| all.iter().filter(|it| it.verdict == word).count();
        let suspects = all.iter().filter(|it| is_flagged(it) || it.reason == "not_confirmed").count();
        lines.push(format!("\nlayouts {layouts}: {} benchmarks, {seconds:.0} s", all.len()));
        lines.push(format!("flagged: {}", Count::of(&all, |it| is_flagged(it)).describe()));
        lines.push(format!("comparisons with a flag: {}", with_flag.describe()));
        lines.push(format!("same {}, undecided {}, suspects {suspects}", is("same"), is("undecided")));
        for it in all.iter().filter(|it| is_flagged(it)) {
            let (effect, lo, hi) = (percent(it.effect), percent(it.lo), percent(it.hi));
            lines.push(format!(
                "  {} {} variant {}: {} {effect:+.2} % [{lo:+.2}, {hi:+.2}] after {} duets",
                it.suite, it.benchmark, it.variant, it.verdict, it.duets
            ));
        }
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(suite: &str, layouts: &str, verdict: &str, reason: &str) -> MovedRecord {
        MovedRecord {
            suite: suite.into(),
            variant: 1,
            layouts: layouts.into(),
            benchmark: "p:B".into(),
            verdict: verdict.into(),
            reason: reason.into(),
            effect: Some(1.04),
            lo: Some(1.03),
            hi: Some(1.05),
            duets: 12,
            comparison_seconds: 30.0,
            options: String::new(),
        }
    }

    #[test]
    fn flags_are_counted_with_and_without_layouts() {
        let records = [
            record("a", "0", "slower", "confirmed"),
            record("a", "0", "same", "within_threshold"),
            record("a", "default", "undecided", "not_confirmed"),
            record("b", "default", "undecided", "failed"),
        ];
        assert!(is_done(&records, "a", 1, "0") && !is_done(&records, "a", 0, "0"));
        let text = text(&records);
        assert!(text.contains("layouts 0: 2 benchmarks, 30 s\nflagged: 1 of 2"), "{text}");
        assert!(text.contains("layouts default: 1 benchmarks, 30 s\nflagged: 0 of 1"), "{text}");
        assert!(text.contains("a p:B variant 1: slower +4.00 % [+3.00, +5.00] after 12 duets"), "{text}");
        assert!(text.contains("same 0, undecided 1, suspects 1"), "{text}");
    }
}
