//! Where processes spend more time on getting ready than on measuring.

use std::collections::BTreeMap;

use benchwright_model::{BenchmarkId, Diagnostic, Severity, Trial};
use benchwright_worker::measuring_secs;

/// Harnesses feel their way to the right batch size before they measure; that much beside the measured time is normal.
const NORMAL_SHARE: f64 = 1.0;
/// Nobody minds less than this.
const NEGLIGIBLE_SECS: f64 = 0.1;

/// A note for each package in which set-up takes longer than measuring does.
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
    let mut notes: Vec<Diagnostic> = Vec::new();
    for (benchmark, (setup, measuring, count)) in by_benchmark {
        let (setup, measuring) = (setup / f64::from(count), measuring / f64::from(count));
        if setup < NEGLIGIBLE_SECS || setup < measuring * (1.0 + NORMAL_SHARE) {
            continue;
        }
        let message = format!("each process spends {setup:.2} s on set-up and {measuring:.2} s on measuring");
        notes.push(Diagnostic {
            severity: Severity::Note,
            hint: "longer trials (--iterations, --iteration-time) make better use of the set-up".into(),
            ..Diagnostic::warning(benchmark.to_string(), message)
        });
    }
    notes
}
