//! Benchmarks whose processes spend more time on set-up than on measuring.

use std::collections::BTreeMap;

use benchwright_model::{BenchmarkId, Diagnostic, Severity, Trial};
use benchwright_worker::measuring_secs;

/// Harnesses search for the right batch size before they measure. It is normal that this takes as long as
/// measuring.
const NORMAL_SHARE: f64 = 1.0;
/// Number of benchmarks that are named; the rest is counted.
const NAMED: usize = 3;
/// Less than this is not reported, seconds.
const NEGLIGIBLE_SECS: f64 = 0.1;

/// A note that names the benchmarks whose set-up takes at least twice as long as measuring, the slowest
/// first.
pub(crate) fn notes(trials: &[Trial]) -> Vec<Diagnostic> {
    let mut by_benchmark: BTreeMap<&BenchmarkId, (f64, f64, u32)> = BTreeMap::new();
    for trial in trials {
        let Some(measurement) = trial.outcome.measurement() else { continue };
        let Some(measuring) = measuring_secs(measurement) else { continue };
        let entry = by_benchmark.entry(&trial.benchmark).or_default();
        entry.0 += trial.usage.wall.as_secs_f64() - measuring;
        entry.1 += measuring;
        entry.2 += 1;
    }
    let mut slow: Vec<(&BenchmarkId, f64, f64)> = by_benchmark
        .into_iter()
        .map(|(id, (setup, measuring, n))| (id, setup / f64::from(n), measuring / f64::from(n)))
        .filter(|(_, setup, measuring)| *setup >= NEGLIGIBLE_SECS.max(measuring * (1.0 + NORMAL_SHARE)))
        .collect();
    slow.sort_by(|a, b| b.1.total_cmp(&a.1));
    let named: Vec<String> = slow
        .iter()
        .take(NAMED)
        .map(|(id, setup, measuring)| format!("{id} ({setup:.2} s for {measuring:.2} s of measuring)"))
        .collect();
    if named.is_empty() {
        return Vec::new();
    }
    let rest = slow.len() - named.len();
    let and_more = if rest == 0 { String::new() } else { format!(" and {rest} more") };
    let message =
        format!("processes spend more time on set-up than on measuring: {}{and_more}", named.join(", "));
    let hint = "longer trials (--iterations, --iteration-time) make better use of the set-up";
    vec![Diagnostic { severity: Severity::Note, ..Diagnostic::warning("", message) }.hint(hint)]
}
