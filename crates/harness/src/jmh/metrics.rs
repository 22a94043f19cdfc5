//! From labelled scores to series.
//!
//! The benchmark's own score is its time or throughput. Of the others, only what is counted per operation says
//! something about the code alone, so only that is ever decided: how often the collector ran in 100 ms, and how much it then
//! found, depends on how many operations fitted in. The rest is kept.

use benchwright_model::{Metric, Nature, Series, Unit};

use super::fact::{Iteration, Score};
use super::unit::ScoreUnit;

/// More different labels than this are not kept.
const MOST_LABELS: usize = 200;

/// What older versions put before the labels of profilers.
const OLD_MARK: char = '·';

/// What units of costs of an operation end with.
const PER_OPERATION: &str = "/op";

/// Bytes allocated per operation.
const ALLOCATED: &str = "gc.alloc.rate.norm";

/// The scores of a trial, one column per label.
#[derive(Debug, Default)]
pub(super) struct Columns {
    columns: Vec<Column>,
    iterations: usize,
    operations: Vec<u64>,
    has_too_many: bool,
}

#[derive(Debug)]
struct Column {
    label: String,
    unit: String,
    values: Vec<f64>,
    resolution: f64,
}

impl Columns {
    /// Takes an iteration; the time of an operation by its score, in seconds.
    pub(super) fn take(&mut self, iteration: Iteration) -> f64 {
        self.iterations += 1;
        self.operations.extend(iteration.operations);
        let unit = ScoreUnit::parse(&iteration.primary.unit);
        let value = unit.normalised(iteration.primary.value);
        let latest = if matches!(unit, ScoreUnit::Rate(_)) { 1.0 / value } else { value };
        for score in std::iter::once(iteration.primary).chain(iteration.secondary) {
            self.add(score);
        }
        latest
    }

    fn add(&mut self, score: Score) {
        let is_full = self.columns.len() >= MOST_LABELS;
        let same = |column: &&mut Column| column.label == score.label && column.unit == score.unit;
        let known = match self.columns.iter_mut().find(same) {
            Some(known) => known,
            None if is_full => {
                self.has_too_many = true;
                return;
            }
            None => {
                let (label, unit) = (score.label, score.unit);
                self.columns.push(Column { label, unit, values: Vec::new(), resolution: 0.0 });
                let Some(new) = self.columns.last_mut() else { return };
                new
            }
        };
        known.fill(self.iterations - 1);
        // A label twice in one iteration would shift all later values; the first one counts.
        if known.values.len() < self.iterations {
            known.values.push(score.value);
            known.resolution = known.resolution.max(score.resolution);
        }
    }

    /// Iterations taken.
    pub(super) fn iterations(&self) -> usize {
        self.iterations
    }

    /// Operations per iteration, if all of them say; the series; and what was left out and why.
    pub(super) fn finish(self) -> (Vec<u64>, Vec<Series>, Vec<String>) {
        let mut doubts = Vec::new();
        let mut series: Vec<Series> = Vec::new();
        for mut column in self.columns {
            column.fill(self.iterations);
            match column.into_series(self.iterations) {
                Ok(found) if series.iter().any(|known| known.metric.name == found.metric.name) => {
                    doubts.push(format!("`{}` left out: it is there twice", found.metric.name));
                }
                Ok(found) => series.push(found),
                Err(doubt) => doubts.push(doubt),
            }
        }
        if self.has_too_many {
            doubts.push(format!("only the first {MOST_LABELS} metrics were kept"));
        }
        let operations = if self.operations.len() == self.iterations { self.operations } else { Vec::new() };
        (operations, series, doubts)
    }
}

impl Column {
    /// Profilers leave out what did not happen in an iteration; JMH itself takes that as zero.
    fn fill(&mut self, iterations: usize) {
        if is_of_profiler(&self.label) && !is_allocated(&self.label) && self.values.len() < iterations {
            self.values.resize(iterations, 0.0);
        }
    }

    fn into_series(self, iterations: usize) -> Result<Series, String> {
        let (label, unit) = (self.label.trim_start_matches(OLD_MARK), &self.unit);
        let shown = if label.is_empty() { "score" } else { label };
        if self.values.len() != iterations {
            return Err(format!(
                "`{shown}` left out: {} values for {iterations} iterations",
                self.values.len()
            ));
        }
        let metric = metric(&self.label, unit);
        let scale = ScoreUnit::parse(unit);
        if label.is_empty() && scale == ScoreUnit::Other {
            return Err(format!("`{unit}` is not a unit of time or throughput"));
        }
        // A score that is no number makes the trial a failed one; any other only makes that metric useless.
        if !metric.is_main() && self.values.iter().any(|value| !value.is_finite()) {
            return Err(format!("`{shown}` left out: not a finite number"));
        }
        let value = |value: f64| match metric.nature {
            Nature::Counted => value.round(),
            _ => scale.normalised(value),
        };
        let values = self.values.iter().copied().map(value).collect();
        let resolution = if metric.nature == Nature::Counted { 0.0 } else { self.resolution };
        Ok(Series { metric, values, resolution })
    }
}

/// What a label means.
fn metric(label: &str, unit: &str) -> Metric {
    let scale = ScoreUnit::parse(unit);
    let name = label.trim_start_matches(OLD_MARK);
    if name.is_empty() {
        return match scale {
            ScoreUnit::Rate(_) => Metric::throughput(),
            _ => Metric::time(),
        };
    }
    if let Some(percentile) = percentile(name) {
        // All percentiles come from the samples whose mean is the score.
        return Metric { nature: Nature::Derived, ..scale.metric(&percentile, unit) };
    }
    if is_allocated(name) {
        // The harness' own allocations are divided among the operations too and make for a fraction of a byte.
        return Metric::bytes_per_op();
    }
    let name = if Metric::time().name == name || name == "throughput" {
        format!("reported:{name}")
    } else {
        name.into()
    };
    let is_per_operation = unit.ends_with(PER_OPERATION) && !name.starts_with("gc.");
    let nature = if is_of_profiler(label) && !is_per_operation { Nature::Derived } else { Nature::Measured };
    let metric = Metric { nature, ..scale.metric(&name, unit) };
    // `kilobytes` and the like tell nothing about their direction that is worth a verdict.
    if unit == "#" { Metric { unit: Unit::Count, ..metric } } else { metric }
}

/// Whether this is what was allocated per operation.
fn is_allocated(label: &str) -> bool {
    label.trim_start_matches(OLD_MARK) == ALLOCATED
}

/// Whether a profiler says this: names of methods and counters have no dots.
fn is_of_profiler(label: &str) -> bool {
    label.starts_with(OLD_MARK) || (label.contains('.') && percentile(label).is_none())
}

/// `p99` for `p0.99`, `method:p0.99` or `method·p0.99`, which sample mode adds.
fn percentile(label: &str) -> Option<String> {
    let share = label.rsplit([':', OLD_MARK]).next()?;
    let share = share.strip_prefix('p')?;
    let (whole, decimals) = share.split_once('.')?;
    if !matches!(whole, "0" | "1")
        || decimals.len() < 2
        || !decimals.bytes().all(|byte| byte.is_ascii_digit())
    {
        return None;
    }
    let (first, rest) = decimals.split_at(2);
    let percent = format!("{whole}{first}").trim_start_matches('0').to_owned();
    let percent = if percent.is_empty() { "0".to_owned() } else { percent };
    Some(if rest.is_empty() { format!("p{percent}") } else { format!("p{percent}.{rest}") })
}

#[cfg(test)]
mod tests {
    use super::*;
    use benchwright_model::Direction;

    #[test]
    fn labels_become_metrics() {
        let check = |label: &str, unit: &str, name: &str, direction, nature| {
            let metric = metric(label, unit);
            assert_eq!(
                (metric.name.as_str(), metric.direction, metric.nature),
                (name, direction, nature),
                "{label}"
            );
        };
        use Direction::{HigherIsBetter as Higher, LowerIsBetter as Lower, Unknown};
        use Nature::{Counted, Derived, Measured};
        check("", "us/op", "time", Lower, Measured);
        check("", "ops/ms", "throughput", Higher, Measured);
        check("p0.50", "ns/op", "p50", Lower, Derived);
        check("run:p0.99", "ns/op", "p99", Lower, Derived);
        check("run·p0.9999", "ns/op", "p99.99", Lower, Derived);
        check("run:p1.00", "ns/op", "p100", Lower, Derived);
        check("run:p0.00", "ns/op", "p0", Lower, Derived);
        check("gc.alloc.rate.norm", "B/op", "B/op", Lower, Counted);
        check("·gc.alloc.rate.norm", "B/op", "B/op", Lower, Counted);
        check("·gc.alloc.rate", "MB/sec", "gc.alloc.rate", Higher, Derived);
        check("gc.count", "counts", "gc.count", Unknown, Derived);
        check("·gc.churn.G1_Eden_Space.norm", "B/op", "gc.churn.G1_Eden_Space.norm", Lower, Derived);
        check("·cycles", "#/op", "cycles", Unknown, Measured);
        check("put", "ns/op", "put", Lower, Measured);
        check("hits", "#", "hits", Unknown, Measured);
        check("time", "ns/op", "reported:time", Lower, Measured);
    }

    fn score(label: &str, value: f64, unit: &str) -> Score {
        Score { label: label.into(), value, resolution: 0.0, unit: unit.into() }
    }

    fn columns(iterations: &[&[Score]]) -> Columns {
        let mut columns = Columns::default();
        for scores in iterations {
            let (primary, secondary) = scores.split_first().expect("a score");
            let operations = Some(7);
            columns.take(Iteration {
                operations,
                primary: primary.clone(),
                secondary: secondary.to_vec(),
                ..Iteration::default()
            });
        }
        columns
    }

    #[test]
    fn series_are_in_seconds_and_whole_bytes() {
        let first = [score("", 2.0, "us/op"), score("gc.alloc.rate.norm", 16.0003, "B/op")];
        let second = [score("", 3.0, "us/op"), score("gc.alloc.rate.norm", 15.9999, "B/op")];
        let (operations, series, doubts) = columns(&[&first, &second]).finish();
        assert_eq!((operations, doubts), (vec![7, 7], Vec::new()));
        assert_eq!(series[0].values, [2e-6, 3e-6]);
        assert_eq!(series[1].values, [16.0, 16.0]);
    }

    #[test]
    fn what_is_incomplete_or_no_number_is_left_out() {
        let first =
            [score("", 2.0, "us/op"), score("a", 1.0, "#"), score("b", f64::NAN, "#"), score("a", 2.0, "#")];
        let second = [score("", 3.0, "us/op"), score("b", 1.0, "#")];
        let (_, series, doubts) = columns(&[&first, &second]).finish();
        assert_eq!(series.len(), 1);
        assert_eq!(doubts, ["`a` left out: 1 values for 2 iterations", "`b` left out: not a finite number"]);
    }

    #[test]
    fn what_a_profiler_leaves_out_did_not_happen() {
        let [quiet, busy] =
            [vec![score("", 2.0, "us/op")], vec![score("", 3.0, "us/op"), score("gc.time", 11.0, "ms")]];
        let (_, series, doubts) = columns(&[&quiet, &busy, &quiet]).finish();
        assert_eq!(doubts, Vec::<String>::new());
        assert_eq!(series[1].values, [0.0, 11.0, 0.0]);
    }

    #[test]
    fn a_score_in_no_known_unit_or_in_two_is_no_result() {
        let (_, series, doubts) = columns(&[&[score("", 2.0, "furlongs")]]).finish();
        assert_eq!((series.len(), doubts.len()), (0, 1));
        let (_, series, doubts) = columns(&[&[score("", 2.0, "us/op")], &[score("", 2.0, "ops/s")]]).finish();
        assert_eq!((series.len(), doubts.len()), (0, 2));
    }
}
