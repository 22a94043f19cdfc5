//! divan: its command line, its lists, and reading its rows.

use std::ffi::OsString;
use std::path::Path as FilePath;
use std::time::Duration;

use benchwright_model::{BenchmarkId, Diagnostic, Direction, Metric, Nature, Series, Unit};

use super::flavour::has_option;
use super::number::{self, Printed};
use super::tree::{Line, Path};
use crate::{Reader, Reading, TrialCommand, TrialShape};

/// Which column is the median.
const MEDIAN: usize = 2;

/// The command line of one trial: as many samples as fit into the time, printed as one row.
pub(super) fn command(name: &str, shape: &TrialShape) -> TrialCommand {
    let (path, threads) = split_threads(name);
    let time = shape.iteration_time.saturating_mul(shape.iterations.max(1)).max(Duration::from_millis(1));
    let time = time.as_secs_f64().to_string();
    let mut args: Vec<OsString> = vec!["--bench".into()];
    let ours = [("--color", "never"), ("--min-time", time.as_str()), ("--max-time", time.as_str())];
    for (option, value) in ours.into_iter().filter(|(option, _)| !has_option(&shape.args, option)) {
        args.extend([option.into(), value.into()]);
    }
    if let Some(threads) = threads {
        args.extend(["--threads".into(), threads.into()]);
    }
    args.extend(shape.args.iter().map(OsString::from));
    args.push("--exact".into());
    if path.starts_with('-') {
        args.push("--".into());
    }
    args.push(path.into());
    TrialCommand { args, ..TrialCommand::default() }
}

/// The names in a list in the form that divan prints for nextest: `crate::function::argument: benchmark`.
pub(super) fn terse(stdout: &str) -> Vec<String> {
    stdout.lines().filter_map(|line| line.strip_suffix(": benchmark")).map(str::to_owned).collect()
}

/// The names. Each thread count makes a name of its own (`crate::function::t=4`), which only the tree of a
/// `--test` run contains. For everything else the terse list is more reliable if there is one, because output
/// of a benchmark can appear between the lines of the tree.
pub(super) fn names(terse: Option<Vec<String>>, tree: &str) -> Vec<String> {
    let leaves = leaves(tree);
    let Some(terse) = terse else { return leaves };
    let threads_of = |name: &str| -> Vec<String> {
        let inner = leaves.iter().filter_map(|leaf| leaf.strip_prefix(name)?.strip_prefix("::"));
        inner.filter_map(thread_count).map(|threads| format!("{name}::t={threads}")).collect()
    };
    let mut names = Vec::new();
    for name in terse {
        let threads = threads_of(&name);
        if threads.is_empty() {
            names.push(name);
        } else {
            names.extend(threads);
        }
    }
    names
}

/// Whether the terse list of this version is complete. Before 0.1.19 it left out benchmarks with arguments.
pub(super) fn has_whole_terse_list(version: &str) -> bool {
    let parts: Vec<u32> = version.split('.').map_while(|part| part.parse().ok()).collect();
    parts.as_slice() >= [0, 1, 19].as_slice()
}

/// The paths of the leaves in a tree, without ignored ones.
fn leaves(tree: &str) -> Vec<String> {
    let mut path = Path::default();
    let mut nodes: Vec<(usize, String)> = Vec::new();
    for line in tree.lines() {
        if path.take(&Line::read(line)) {
            nodes.push((path.depth(), path.joined()));
        }
    }
    let is_leaf = |index: usize| {
        let depth = nodes[index].0;
        depth > 0 && nodes.get(index + 1).is_none_or(|(next, _)| *next <= depth)
    };
    let leaves = (0..nodes.len()).filter(|index| is_leaf(*index)).map(|index| &nodes[index].1);
    leaves.filter(|leaf| !leaf.ends_with("(ignored)")).cloned().collect()
}

/// The number in `t=4`, even if output of a benchmark follows it.
fn thread_count(name: &str) -> Option<&str> {
    let digits = name.strip_prefix("t=")?;
    let end = digits.bytes().position(|byte| !byte.is_ascii_digit()).unwrap_or(digits.len());
    (end > 0).then_some(&digits[..end])
}

/// Splits `crate::function::t=4` into the values for `--exact` and `--threads`.
fn split_threads(name: &str) -> (&str, Option<&str>) {
    match name.rsplit_once("::") {
        Some((path, last)) if thread_count(last).is_some_and(|count| count.len() + 2 == last.len()) => {
            (path, thread_count(last))
        }
        _ => (name, None),
    }
}

/// Reads the row of one benchmark.
pub(super) struct RowReader {
    benchmark: BenchmarkId,
    /// The path that the node must have.
    wanted: String,
    path: Path,
    /// Whether the last node is the benchmark, so that columns without a name belong to it.
    is_inside: bool,
    row: Option<Row>,
    /// The heading of the next lines (`alloc:`), and how many there were.
    section: Option<(String, usize)>,
    counts: Vec<Series>,
    /// Whether there are more rows than divan prints, or rows in another order.
    is_forged: bool,
    /// Whether the empty line was read with which divan ends its table.
    is_ended: bool,
    diagnostics: Vec<Diagnostic>,
}

/// The times of a row, in seconds.
struct Row {
    times: [Printed; 4],
    scales: [f64; 4],
    iterations: Option<u64>,
}

impl RowReader {
    /// A reader for one benchmark.
    pub(super) fn new(benchmark: &BenchmarkId) -> Self {
        RowReader {
            benchmark: benchmark.clone(),
            wanted: split_threads(&benchmark.name).0.to_owned(),
            path: Path::default(),
            is_inside: false,
            row: None,
            section: None,
            counts: Vec::new(),
            is_forged: false,
            is_ended: false,
            diagnostics: Vec::new(),
        }
    }

    fn node(&mut self, columns: Option<[&str; 6]>) {
        let joined = self.path.joined();
        // Without columns the name line has output of the benchmark, and its row follows without a name.
        let printed = joined.strip_prefix(&self.wanted).filter(|_| columns.is_none());
        let is_open = printed.is_some_and(|text| text.starts_with(' '));
        self.is_inside = joined == self.wanted || is_open;
        self.section = None;
        let has_threads = joined
            .strip_prefix(&self.wanted)
            .and_then(|rest| rest.strip_prefix("::"))
            .is_some_and(|rest| thread_count(rest).is_some());
        if has_threads && self.diagnostics.is_empty() {
            self.doubt("runs on several thread counts, of which none was selected");
        }
        if let (true, Some(columns)) = (self.is_inside, columns) {
            self.columns(columns);
        }
    }

    fn columns(&mut self, columns: [&str; 6]) {
        if !self.is_inside || columns[MEDIAN].is_empty() && !columns[0].ends_with(':') {
            return;
        }
        if columns[0].ends_with(':') {
            self.is_forged |= self.row.is_none();
            self.section = Some((columns[0].to_owned(), 0));
        } else if let Some((heading, index)) = self.section.take() {
            self.count(&heading, index, columns[MEDIAN]);
            self.section = Some((heading, index + 1));
        } else if let Some(rate) = rate(columns[MEDIAN]) {
            self.is_forged |= self.row.is_none();
            self.counts.push(rate);
        } else if is_other_rate(columns[MEDIAN]) {
            self.is_forged |= self.row.is_none();
        } else {
            match Row::read(&columns) {
                // divan prints the times once, before everything else. Earlier lines are output of the
                // benchmark.
                _ if self.row.is_some() => self.is_forged = true,
                Some(row) => self.row = Some(row),
                None => self.doubt(&format!("cannot understand the row `{}`", columns.join(" │ "))),
            }
        }
    }

    /// Takes a line of allocations: the first below a heading is their number, the second their size.
    fn count(&mut self, heading: &str, index: usize, text: &str) {
        let (count, size) = match heading {
            "alloc:" => (Metric::allocations_per_op(), Metric::bytes_per_op()),
            "grow:" => (counted("grows/op", Unit::Count), counted("grow-B/op", Unit::Bytes)),
            "max alloc:" => (counted("max-allocs", Unit::Count), counted("max-B", Unit::Bytes)),
            _ => return,
        };
        let (number, unit) = text.split_once(' ').unwrap_or((text, ""));
        let scale = if index == 0 { Some(1.0) } else { number::bytes(unit) };
        if let (true, Some(number), Some(scale)) = (index < 2, number::four_digits(number), scale) {
            let metric = if index == 0 { count } else { size };
            let values = vec![number.value * scale];
            self.counts.push(Series { metric, values, resolution: number.resolution() });
        }
    }

    fn doubt(&mut self, message: &str) {
        self.diagnostics.push(Diagnostic::warning(self.benchmark.to_string(), message));
    }
}

impl Reader for RowReader {
    fn line(&mut self, line: &str) -> u32 {
        self.is_ended |= self.row.is_some() && line.trim().is_empty();
        let line = Line::read(line);
        let is_node = self.path.take(&line);
        match line {
            Line::Node { columns, .. } if is_node => self.node(columns),
            Line::Columns(columns) => self.columns(columns),
            _ => {}
        }
        0
    }

    fn finish(self: Box<Self>, _scratch: &FilePath) -> Reading {
        let mut reading = Reading { diagnostics: self.diagnostics, ..Reading::default() };
        let forged = match (&self.row, self.is_ended) {
            _ if self.is_forged => {
                Some("prints lines that look like rows of divan, which cannot be distinguished from its own")
            }
            (Some(_), false) => Some("ended before divan did, so that its row may not be one of divan"),
            _ => None,
        };
        if let Some(message) = forged {
            reading.diagnostics.push(Diagnostic::error(self.benchmark.to_string(), message));
            return reading;
        }
        if let Some(row) = self.row {
            reading.measurement.operations.extend(row.iterations);
            reading.measurement.series.extend(row.series());
            reading.measurement.series.extend(self.counts);
        }
        reading
    }
}

impl Row {
    fn read(columns: &[&str; 6]) -> Option<Row> {
        let mut times = [Printed { value: 0.0, step: 0.0 }; 4];
        let mut scales = [0.0; 4];
        for (index, column) in columns[..4].iter().enumerate() {
            let (number, unit) = column.split_once(' ')?;
            times[index] = number::four_digits(number)?;
            scales[index] = number::seconds(unit)?;
        }
        Some(Row { times, scales, iterations: columns[5].parse().ok() })
    }

    /// The median is the value of the trial. The others are kept, but do not affect decisions.
    fn series(&self) -> Vec<Series> {
        let series = |index: usize, metric: Metric| Series {
            metric,
            values: vec![self.times[index].value * self.scales[index]],
            resolution: self.times[index].resolution(),
        };
        let kept = |name: &str| Metric { name: name.into(), nature: Nature::Derived, ..Metric::time() };
        vec![
            series(MEDIAN, Metric::time()),
            series(0, kept("time-fastest")),
            series(1, kept("time-slowest")),
            series(3, kept("time-mean")),
        ]
    }
}

/// Throughput in bytes, `549.4 MB/s`, which divan computes from time. Other throughputs are left out.
fn rate(text: &str) -> Option<Series> {
    let (number, unit) = text.split_once(' ')?;
    let unit = number::bytes(unit.strip_suffix("/s")?)?;
    let number = number::four_digits(number)?;
    let values = vec![number.value * unit];
    Some(Series { metric: Metric::bytes_per_second(), values, resolution: number.resolution() })
}

/// Throughput in characters, items or cycles: `1.2 Mitem/s`, `3 GHz`.
fn is_other_rate(text: &str) -> bool {
    text.ends_with("/s") || text.ends_with("Hz")
}

fn counted(name: &str, unit: Unit) -> Metric {
    Metric { name: name.into(), unit, direction: Direction::LowerIsBetter, nature: Nature::Counted }
}

#[cfg(test)]
mod tests;
