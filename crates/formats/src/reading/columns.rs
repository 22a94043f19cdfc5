//! Values that come in rows, one row per iteration.

use benchwright_model::{Measurement, Metric, Series};

/// Maximum number of metrics of a benchmark. The collector leaves out others and reports this, so it has to
/// see one of them.
pub(crate) const MOST: usize = 256;

/// Rows of one process.
#[derive(Debug, Default)]
pub struct Columns {
    rows: usize,
    warmup: u32,
    operations: Vec<u64>,
    columns: Vec<(Metric, Vec<f64>)>,
}

impl Columns {
    /// Takes the values of one iteration. Operations are kept only if every row has them.
    pub fn row(&mut self, operations: Option<u64>, values: impl IntoIterator<Item = (Metric, f64)>) {
        self.rows += 1;
        self.operations.extend(operations);
        for (metric, value) in values {
            let has_room = self.columns.len() <= MOST;
            match self.columns.iter_mut().find(|(known, _)| known.name == metric.name) {
                // The first value of a name counts. Two in one row would shift all later ones.
                Some((_, list)) if list.len() < self.rows => list.push(value),
                Some(_) => {}
                None if has_room => self.columns.push((metric, vec![value])),
                None => {}
            }
        }
    }

    /// Number of iterations.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The same as [`Columns::row`] for a warm-up iteration. All of these come first.
    pub(crate) fn warmup_row(
        &mut self,
        operations: Option<u64>,
        values: impl IntoIterator<Item = (Metric, f64)>,
    ) {
        self.warmup += 1;
        self.row(operations, values);
    }

    /// All metrics for which every row has a value, and the names of the others with their numbers of values.
    pub fn finish(self) -> (Measurement, Vec<(String, usize)>) {
        let mut measurement = Measurement { warmup: self.warmup, ..Measurement::default() };
        if self.operations.len() == self.rows {
            measurement.operations = self.operations;
        }
        let mut left_out = Vec::new();
        for (metric, values) in self.columns {
            if values.len() == self.rows {
                measurement.series.push(Series { metric, values, resolution: 0.0 });
            } else {
                left_out.push((metric.name, values.len()));
            }
        }
        (measurement, left_out)
    }
}

/// A process with one value per metric.
pub(crate) fn single(
    operations: Option<u64>,
    values: impl IntoIterator<Item = (Metric, f64)>,
) -> Measurement {
    let mut columns = Columns::default();
    columns.row(operations, values);
    columns.finish().0
}

/// A process with one metric.
pub(crate) fn series(metric: Metric, values: Vec<f64>) -> Measurement {
    Measurement {
        warmup: 0,
        operations: Vec::new(),
        series: vec![Series { metric, values, resolution: 0.0 }],
        ..Measurement::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_metric_that_some_rows_lack_is_left_out() {
        let mut columns = Columns::default();
        columns.row(Some(1), [(Metric::time(), 1.0), (Metric::custom("x"), 5.0)]);
        columns.row(Some(2), [(Metric::time(), 2.0)]);
        let (measurement, left_out) = columns.finish();
        assert_eq!(measurement.operations, [1, 2]);
        assert_eq!(measurement.series.len(), 1);
        assert_eq!(left_out, [("x".to_owned(), 1)]);
    }

    #[test]
    fn a_metric_twice_in_a_row_counts_once() {
        let mut columns = Columns::default();
        columns.row(None, [(Metric::time(), 1.0), (Metric::time(), 9.0)]);
        columns.row(None, [(Metric::time(), 2.0)]);
        assert_eq!(columns.finish().0.series[0].values, [1.0, 2.0]);
    }
}
