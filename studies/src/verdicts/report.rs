//! Prints the tables.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Result;

use super::moved;
use super::records::{self, SameRecord, SlowerRecord};
use super::summary::{Count, SameSummary, SlowerSummary, is_flagged};

/// Maximum share of flags for identical code.
const FLAGGED_GOAL: f64 = 0.01;

/// Minimum share of slowdowns to find.
const FOUND_GOAL: f64 = 0.9;

/// Prints what all trials have found so far.
pub(crate) fn report(dir: &Path) -> Result<()> {
    let same: Vec<SameRecord> = records::read(&dir.join("same.ndjson"))?;
    let slower: Vec<SlowerRecord> = records::read(&dir.join("slower.ndjson"))?;
    println!("{}\n\n{}\n\n{}", same_text(&same), slower_text(&slower), moved::report(dir)?);
    Ok(())
}

fn same_text(records: &[SameRecord]) -> String {
    let mut lines = vec!["Identical code on both sides".to_string()];
    if records.is_empty() {
        lines.push("\nnothing yet".into());
    }
    let loads: BTreeSet<&str> = records.iter().map(|record| record.load.as_str()).collect();
    for load in loads {
        let all: Vec<&SameRecord> = records.iter().filter(|record| record.load == load).collect();
        let suites: BTreeSet<&str> = all.iter().map(|record| record.suite.as_str()).collect();
        lines.push(format!("\n{load}: {}", options(all.iter().map(|record| record.options.as_str()))));
        lines.push(format!(
            "{:<12} {:>5} {:>7} {:>7} {:>9} {:>6} {:>13} {:>14} {:>7}",
            "suite",
            "pairs",
            "flagged",
            "same",
            "undecided",
            "failed",
            "duets mean/md",
            "seconds mean/md",
            "total"
        ));
        for suite in &suites {
            let of_suite: Vec<&SameRecord> =
                all.iter().copied().filter(|record| record.suite == *suite).collect();
            lines.push(same_row(suite, &SameSummary::of(&of_suite)));
        }
        let summary = SameSummary::of(&all);
        lines.push(same_row("all", &summary));
        let rate = summary.flagged.hits as f64 / summary.flagged.of.max(1) as f64;
        lines.push(format!(
            "flagged: {} of pairs from {} suites; goal at most {:.0} %: {}",
            summary.flagged.describe(),
            suites.len(),
            100.0 * FLAGGED_GOAL,
            reached(rate <= FLAGGED_GOAL && summary.flagged.of > 0)
        ));
        lines.push(format!("comparisons of a suite with a flag: {}", summary.suites_flagged.describe()));
        lines.extend(all.iter().filter(|record| is_flagged(record)).map(|record| flagged_line(record)));
    }
    lines.join("\n")
}

fn same_row(name: &str, summary: &SameSummary) -> String {
    format!(
        "{name:<12} {:>5} {:>7} {:>7} {:>9} {:>6} {:>13} {:>14} {:>5.0} s",
        summary.flagged.of,
        summary.flagged.hits,
        summary.same.hits,
        summary.undecided.hits,
        summary.failed,
        format!("{:.1} / {:.0}", summary.mean_duets, summary.median_duets),
        format!("{:.1} / {:.1}", summary.mean_seconds, summary.median_seconds),
        summary.total_seconds
    )
}

fn flagged_line(record: &SameRecord) -> String {
    format!(
        "  {} {} seed {}: {} {} after {} duets",
        record.suite,
        record.benchmark,
        record.seed,
        record.verdict,
        interval(record.effect, record.lo, record.hi),
        record.duets
    )
}

fn slower_text(records: &[SlowerRecord]) -> String {
    let summary = SlowerSummary::of(records);
    if summary.found.of == 0 {
        return format!("Slower code\n\nnothing yet ({} candidates did not serve)", summary.dropped);
    }
    let measured: Vec<_> =
        records.iter().filter_map(|record| Some((record, record.found.as_ref()?))).collect();
    let mut lines =
        vec![format!("Slower code\n\n{}", options(measured.iter().map(|(_, f)| f.options.as_str())))];
    for (record, found) in &measured {
        lines.push(format!(
            "{:<12} {:<40} loop {:+.2} ± {:.2} %, programs {:+.2} ± {:.2} %  {:<9} {}  {} duets  {:.1} s, ten repetitions {} {:.1} s",
            record.suite,
            record.benchmark,
            100.0 * (found.true_ratio - 1.0),
            100.0 * found.true_error,
            100.0 * (found.measured_ratio.unwrap_or(f64::NAN) - 1.0),
            100.0 * found.measured_error.unwrap_or(f64::NAN),
            found.verdict,
            interval(found.effect, found.lo, found.hi),
            found.duets,
            found.seconds,
            found.peer_verdict.as_deref().unwrap_or("not judged"),
            found.peer_seconds,
        ));
    }
    let rate = summary.found.hits as f64 / summary.found.of.max(1) as f64;
    lines.push(format!(
        "found: {} in {} suites ({} candidates did not serve); median true slowdown {:+.2} %; goal at least {:.0} %: {}",
        summary.found.describe(),
        summary.suites,
        summary.dropped,
        100.0 * summary.median_true_excess,
        100.0 * FOUND_GOAL,
        reached(rate >= FOUND_GOAL)
    ));
    let predicted = Count::of(&measured, |(_, found)| found.peer_verdict.is_none());
    lines.push(format!(
        "ten repetitions and a U test at 5 %: {} found; time predicted from one repetition in {} of {}",
        summary.peer_found.describe(),
        predicted.hits,
        predicted.of
    ));
    lines.push(format!(
        "time: median {:.1} s ({:.0} duets) against {:.1} s of ten repetitions of both sides (builds not counted); \
         median ratio {:.2}, sooner in {} of {}; goal below 1: {}",
        summary.median_seconds,
        summary.median_duets,
        summary.median_peer_seconds,
        summary.median_time_ratio,
        summary.sooner.hits,
        summary.sooner.of,
        reached(summary.median_time_ratio < 1.0)
    ));
    for (record, found) in measured.iter().filter(|(_, found)| found.verdict != "slower") {
        lines.push(format!(
            "  missed: {} {} in {}:{}: {} ({}) {}",
            record.suite,
            record.benchmark,
            record.file,
            record.function,
            found.verdict,
            found.reason,
            interval(found.effect, found.lo, found.hi)
        ));
    }
    lines.join("\n")
}

/// The options for the product, joined if they differ between records.
fn options<'a>(all: impl Iterator<Item = &'a str>) -> String {
    let different: BTreeSet<&str> = all.collect();
    let shown: Vec<&str> =
        different.into_iter().map(|text| if text.is_empty() { "defaults" } else { text }).collect();
    format!("options: {}", if shown.is_empty() { "none yet".into() } else { shown.join(" | ") })
}

fn interval(effect: Option<f64>, lo: Option<f64>, hi: Option<f64>) -> String {
    let percent = |ratio: f64| 100.0 * (ratio - 1.0);
    match (effect, lo, hi) {
        (Some(effect), Some(lo), Some(hi)) => {
            format!("{:+.2} % [{:+.2}, {:+.2}]", percent(effect), percent(lo), percent(hi))
        }
        _ => "no effect".into(),
    }
}

fn reached(is_reached: bool) -> &'static str {
    if is_reached { "ok" } else { "missed" }
}

#[cfg(test)]
mod tests {
    use super::super::records::same_record;
    use super::super::summary::found;
    use super::*;

    #[test]
    fn false_alarms_are_counted_and_named() {
        let mut records: Vec<SameRecord> =
            (0..200).map(|seed| same_record("btree", seed, "idle", "same")).collect();
        let text = same_text(&records);
        assert!(
            text.contains(
                "flagged: 0 of 200 (0.00 % [0.00, 1.83]) of pairs from 1 suites; goal at most 1 %: ok"
            ),
            "{text}"
        );
        records.extend((0..3).map(|seed| same_record("zap", seed, "idle", "slower")));
        let text = same_text(&records);
        assert!(text.contains("goal at most 1 %: missed"), "{text}");
        assert!(text.contains("  zap p:B seed 2: slower +0.10 % [-1.00, +1.00] after 7 duets"), "{text}");
        assert!(!text.contains("loaded"), "{text}");
    }

    #[test]
    fn without_records_nothing_is_claimed() {
        assert!(same_text(&[]).ends_with("nothing yet"));
        assert!(!slower_text(&[]).contains("goal"));
    }

    #[test]
    fn missed_slowdowns_are_named_with_their_reason() {
        let record = |verdict: &str| SlowerRecord {
            suite: "btree".into(),
            package: "p".into(),
            benchmark: "BenchmarkInsert".into(),
            file: "btree.go".into(),
            function: "Insert".into(),
            dropped: None,
            found: Some(found(verdict, 10.0)),
        };
        let text = slower_text(&[record("slower"), record("undecided")]);
        assert!(text.contains("found: 1 of 2 (50.00 % [1.26, 98.74]) in 1 suites"), "{text}");
        assert!(
            text.contains("missed: btree BenchmarkInsert in btree.go:Insert: undecided (confirmed) +5.10 %"),
            "{text}"
        );
        assert!(text.contains("median ratio 0.50, sooner in 2 of 2; goal below 1: ok"), "{text}");
    }
}
