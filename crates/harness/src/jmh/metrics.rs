//! Makes series from labelled scores.

use benchwright_formats::jmh;
use benchwright_model::{Nature, Series};

use super::fact::{Iteration, Score};

/// Maximum number of different labels that are kept.
const MOST_LABELS: usize = 200;

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
    /// Takes an iteration. Returns the time of an operation according to its score, in seconds.
    pub(super) fn take(&mut self, iteration: Iteration) -> f64 {
        self.iterations += 1;
        self.operations.extend(iteration.operations);
        let primary = jmh::score("", &iteration.primary.unit);
        let value = primary.apply(iteration.primary.value);
        let latest = if primary.metric.name == "throughput" { 1.0 / value } else { value };
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
        // If a label occurs twice in one iteration, all later values would be shifted. The first one counts.
        if known.values.len() < self.iterations {
            known.values.push(score.value);
            known.resolution = known.resolution.max(score.resolution);
        }
    }

    /// Iterations taken.
    pub(super) fn iterations(&self) -> usize {
        self.iterations
    }

    /// The operations per iteration, if all iterations report them, the series, and what was left out with
    /// the reasons.
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
    fn fill(&mut self, iterations: usize) {
        if jmh::is_zero_if_missing(&self.label) && self.values.len() < iterations {
            self.values.resize(iterations, 0.0);
        }
    }

    fn into_series(self, iterations: usize) -> Result<Series, String> {
        let scaled = jmh::score(&self.label, &self.unit);
        let metric = &scaled.metric;
        let shown = if self.label.is_empty() { "score" } else { &metric.name };
        if self.values.len() != iterations {
            return Err(format!(
                "`{shown}` left out: {} values for {iterations} iterations",
                self.values.len()
            ));
        }
        if self.label.is_empty() && !metric.is_main() {
            return Err(format!("`{}` is not a unit of time or throughput", self.unit));
        }
        // A score that is not a number makes the trial fail. Any other metric is only left out.
        if !metric.is_main() && self.values.iter().any(|value| !value.is_finite()) {
            return Err(format!("`{shown}` left out: not a finite number"));
        }
        let value = |value: f64| match metric.nature {
            // The harness's own allocations are divided by the number of operations too, which adds a
            // fraction of a byte.
            Nature::Counted => value.round(),
            _ => scaled.apply(value),
        };
        let values = self.values.iter().copied().map(value).collect();
        let resolution = if metric.nature == Nature::Counted { 0.0 } else { self.resolution };
        Ok(Series { metric: scaled.metric, values, resolution })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
