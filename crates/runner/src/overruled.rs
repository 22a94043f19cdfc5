//! Benchmarks whose own settings determine how long processes measure.

use std::collections::BTreeMap;

use benchwright_analysis::value::median;
use benchwright_harness::Stop;
use benchwright_model::{BenchmarkId, Diagnostic, Severity, Trial};
use benchwright_worker::measuring_secs;

use crate::shapes::Shapes;

/// Rounding or a disturbance does not make a process this many times as long as asked for.
const MUCH: f64 = 5.0;
/// Processes that measure for less time get no note, seconds.
const COSTLY: f64 = 0.5;
/// An iteration of a single operation may be long by itself.
const SEVERAL: f64 = 2.0;

/// A note on the benchmarks whose iterations are much longer than asked for although their operations are short.
pub(crate) fn notes(trials: &[Trial], shapes: &Shapes) -> Vec<Diagnostic> {
    let mut by_benchmark: BTreeMap<&BenchmarkId, (Vec<f64>, f64)> = BTreeMap::new();
    for trial in trials {
        let (Ok(shape), Some(measurement)) = (shapes.of(&trial.benchmark), trial.outcome.measurement())
        else {
            continue;
        };
        let Some(measuring) = measuring_secs(measurement).filter(|_| shape.stop == Stop::Fixed) else {
            continue;
        };
        let operations = measurement.operations.iter().sum::<u64>() as f64;
        let iterations = measurement.operations.len() as f64;
        // If set-up takes longer, benchwright may have asked for longer iterations itself.
        let is_costly = measuring >= COSTLY && trial.usage.wall.as_secs_f64() < 2.0 * measuring;
        let is_long = is_costly && operations >= SEVERAL * iterations;
        let (all, asked) = by_benchmark.entry(&trial.benchmark).or_default();
        all.push(if is_long { measuring / iterations } else { 0.0 });
        *asked = shape.iteration_time.as_secs_f64();
    }
    let long = by_benchmark.into_iter().filter_map(|(id, (all, asked))| {
        // The first duets show the effect of the settings. Later ones may be shorter in spite of them.
        let usual = median(&all)?;
        (usual >= MUCH * asked).then_some((id, usual, asked))
    });
    let long: Vec<(&BenchmarkId, f64, f64)> = long.collect();
    let Some((id, usual, asked)) = long.iter().max_by(|a, b| a.1.total_cmp(&b.1)) else { return Vec::new() };
    let others = match long.len() - 1 {
        0 => String::new(),
        n => format!(", and {n} more"),
    };
    let message =
        format!("iterations take longer than asked for: {id} {usual:.2} s instead of {asked:.2} s{others}");
    let hint = "times and sample sizes in the benchmark's code take precedence (Criterion before 0.4 takes whole seconds only)";
    vec![Diagnostic { severity: Severity::Note, ..Diagnostic::warning("", message) }.hint(hint)]
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::time::Duration;

    use benchwright_harness::TrialShape;
    use benchwright_model::{Outcome, Side};
    use benchwright_testkit::trial;

    use super::*;

    fn measured(seconds: f64, operations: u64) -> Trial {
        let mut trial = trial("a", Side::Head, 0, &[seconds / operations as f64; 10]);
        if let Outcome::Measured(measurement) = &mut trial.outcome {
            measurement.operations = vec![operations; 10];
        }
        trial
    }

    #[test]
    fn only_what_measures_much_longer_than_asked_for_is_named() {
        let shape = TrialShape::fixed(10, Duration::from_millis(10));
        let harness = trial("a", Side::Head, 0, &[1.0]).benchmark.harness;
        let shapes = Shapes::from(HashMap::from([(harness, shape)]));
        let check = |trials: &[Trial], expected: Option<&str>| {
            let notes = notes(trials, &shapes);
            let found = notes.first().map(|note| note.message.as_str());
            assert_eq!(notes.len(), usize::from(expected.is_some()), "{notes:?}");
            assert!(found.unwrap_or_default().contains(expected.unwrap_or_default()), "{found:?}");
        };
        check(&[measured(0.3, 1000), measured(0.3, 1000)], Some(" 0.30 s instead of 0.01 s"));
        check(&[measured(0.01, 1000)], None);
        check(&[measured(0.3, 1)], None);
        let expensive = Duration::from_secs(10);
        let usage = benchwright_model::Usage { wall: expensive, ..Default::default() };
        check(&[Trial { usage, ..measured(0.3, 1000) }], None);
        // It became shorter after the first duet.
        check(&[measured(0.3, 9), measured(0.01, 9), measured(0.01, 9)], None);
        check(&[], None);
    }
}
