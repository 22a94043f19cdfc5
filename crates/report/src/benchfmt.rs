//! The values of a run for Go's tools.
//!
//! Those tools treat every line as an independent sample. Samples of one process are not independent, so by
//! default a line is a whole trial, with the value that the report uses.

use std::collections::BTreeMap;
use std::io::{self, Write};

use benchwright_analysis::value::{Estimator, steady};
use benchwright_formats::benchfmt::{self, TrialLine, TrialLines};
use benchwright_model::{BenchmarkId, Finding, Measurement, Run, Series, Side, Trial};

use crate::basis::{Basis, bases};

/// The meaning of one line of the export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LinePer {
    /// A trial, with the value that the report uses, so that medians of lines are those of the report.
    #[default]
    Trial,
    /// An iteration after warm-up. This is meant for examining processes; comparisons of such lines look more
    /// certain than they are.
    Iteration,
}

/// Writes the trials of `side`, or of both, one line per trial. If both sides are in one file, the key
/// `benchwright-side` distinguishes them: `benchstat -col benchwright-side FILE`.
pub fn write_trials(
    run: &Run,
    findings: &[Finding],
    trials: &[Trial],
    side: Option<Side>,
    out: &mut dyn Write,
) -> io::Result<()> {
    write_lines(run, findings, trials, side, LinePer::Trial, out)
}

/// The same with a choice of the meaning of a line.
pub fn write_lines(
    run: &Run,
    findings: &[Finding],
    trials: &[Trial],
    side: Option<Side>,
    per: LinePer,
    out: &mut dyn Write,
) -> io::Result<()> {
    let measured = || trials.iter().filter_map(|trial| Some((trial, trial.outcome.measurement()?)));
    if per == LinePer::Iteration {
        let note = "a line is one iteration after warm-up; the report compares processes";
        let lines =
            measured().map(|(trial, measurement)| TrialLines { trial, lines: iterations(measurement) });
        return benchfmt::write(run, &[note.to_owned()], &lines.collect::<Vec<_>>(), side, out);
    }
    let bases = bases(findings, trials);
    let of = |trial: &Trial| bases.get(&trial.benchmark).unwrap_or(&Basis::PLAIN);
    let counted = measured().filter(|(trial, _)| of(trial).counts(trial));
    let lines: Vec<TrialLines<'_>> = counted
        .map(|(trial, measurement)| TrialLines {
            trial,
            lines: vec![whole(measurement, of(trial).estimator)],
        })
        .collect();
    let left_out = measured().count() - lines.len();
    benchfmt::write(run, &notes(&bases, left_out), &lines, side, out)
}

/// Comments on the meaning of a line's value, and on trials that have no line.
fn notes(bases: &BTreeMap<&BenchmarkId, Basis>, left_out: usize) -> Vec<String> {
    let usual =
        "a line is one process, with the value that the report uses of it: the median of its iterations";
    let mut notes = vec![usual.to_owned()];
    let other = bases.iter().filter(|(_, basis)| basis.words() != Basis::PLAIN.words());
    notes.extend(other.map(|(benchmark, basis)| format!("{benchmark}: {}", basis.words())));
    if left_out > 0 {
        notes.push(format!("{left_out} processes that the report's numbers do not rest on are left out"));
    }
    notes
}

/// One line for all iterations after warm-up.
fn whole(measurement: &Measurement, estimator: Estimator) -> TrialLine<'_> {
    let value = |series: &Series| {
        let estimator = if series.metric.is_main() { estimator } else { Estimator::Middle };
        estimator.value(measurement, &series.metric.name)
    };
    let values = measurement.series.iter().filter_map(|series| Some((&series.metric, value(series)?)));
    TrialLine { operations: operations(measurement).iter().sum(), values: values.collect() }
}

/// One line for each iteration after warm-up.
fn iterations(measurement: &Measurement) -> Vec<TrialLine<'_>> {
    let counted: Vec<(&Series, &[f64])> =
        measurement.series.iter().map(|series| (series, steady(measurement, series))).collect();
    let longest = counted.iter().map(|(_, values)| values.len()).max().unwrap_or(0);
    let line = |index: usize| {
        let values =
            counted.iter().filter_map(|(series, values)| Some((&series.metric, *values.get(index)?)));
        let operations = operations(measurement).get(index).copied().unwrap_or(1);
        TrialLine { operations, values: values.collect() }
    };
    (0..longest).map(line).collect()
}

/// The operations of iterations after warm-up. If the warm-up covers all of them, those of all iterations.
fn operations(measurement: &Measurement) -> &[u64] {
    let warmup = usize::try_from(measurement.warmup).unwrap_or(usize::MAX);
    let rest = measurement.operations.get(warmup..).filter(|rest| !rest.is_empty());
    rest.unwrap_or(&measurement.operations)
}
