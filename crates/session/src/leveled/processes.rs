//! The processes of one benchmark, and the position of each value.

use std::time::Duration;

use benchwright_analysis::reduce::{LevelSeries, nanoseconds};
use benchwright_analysis::value::{median, steady};
use benchwright_model::{BenchmarkId, Diagnostic, Measurement, SampleKind};

use super::LeveledBenchmark;

/// A benchmark's processes.
pub(super) struct Processes<'a> {
    pub(super) id: &'a BenchmarkId,
    /// Its name as the source writes it.
    pub(super) name: String,
    /// Whether the source separates processes.
    pub(super) is_structure_known: bool,
    /// Whether every value stands for one second, as the data sets of µOpTime define it.
    pub(super) has_given_seconds: bool,
    /// Number of processes without values.
    pub(super) failed: usize,
    pub(super) processes: Vec<Process<'a>>,
}

/// One process.
pub(super) struct Process<'a> {
    /// Instance, suite run, process within it; from 0.
    pub(super) position: [u32; 3],
    /// The positions of its values within it, from 0. If empty, the values follow one another.
    pub(super) places: &'a [u32],
    pub(super) measurement: &'a Measurement,
    /// Time from start to exit; zero if unknown.
    pub(super) wall: Duration,
}

/// The levels of a set, and their largest sizes.
pub(super) struct Shape {
    /// Name of each level, and whether it is kept whole.
    names: Vec<(&'static str, bool)>,
    /// Indices of the levels of a position that are used.
    used: Vec<usize>,
    /// The largest size of each of these levels in the set.
    sizes: Vec<u32>,
    /// Whether benchwright measured it. Then processes may have ended when they were steady.
    is_own: bool,
}

impl Shape {
    /// The shape of all benchmarks. Instances and suite runs are levels if there are several of them. With
    /// `is_suite`, suite runs always are.
    pub(super) fn of(all: &[Processes<'_>], is_suite: bool) -> Shape {
        let positions = || all.iter().flat_map(|one| &one.processes).map(|process| process.position);
        let largest = |level: usize| positions().map(|position| position[level] + 1).max().unwrap_or(1);
        // In the data sets of µOpTime, programs that are compiled beforehand are repeated in suite runs, and
        // others in forks.
        let is_native =
            all.iter().any(|one| one.has_given_seconds && one.sample_kind().is_compiled_beforehand());
        let (has_instances, has_runs) = (largest(0) > 1, largest(1) > 1 || is_suite || is_native);
        let (mut names, mut used) = (Vec::new(), Vec::new());
        if has_instances {
            names.push(("instance", true));
            used.push(0);
        }
        if has_runs {
            names.push(("suite run", false));
            used.push(1);
        }
        used.push(2);
        names.extend(match has_runs {
            true => [("iteration", false), ("second", false)],
            false => [("fork", false), ("iteration", false)],
        });
        let sizes = used.iter().map(|level| largest(*level)).collect();
        Shape { names, used, sizes, is_own: is_suite }
    }
}

impl Processes<'_> {
    /// The sample kind of the first process. All processes are of one harness.
    fn sample_kind(&self) -> SampleKind {
        let first = self.processes.first().map(|process| process.measurement.sample_kind(self.id));
        first.unwrap_or_else(|| SampleKind::of_unstated(&self.id.harness))
    }

    /// All values with their positions, or what is wrong with them.
    pub(super) fn leveled(&self, shape: &Shape) -> Result<LeveledBenchmark, Diagnostic> {
        if self.processes.is_empty() {
            let message = match self.failed {
                0 => "has only summary numbers; how much single values vary is not known".to_owned(),
                n => format!("has no values: all {n} processes failed"),
            };
            return Err(Diagnostic::error(&self.name, message));
        }
        let points = self.processes.iter().flat_map(|process| process.points(shape)).collect();
        let series = LevelSeries::new(&shape.names, points)
            .map_err(|error| Diagnostic::error(&self.name, format!("is left out: cannot {error}")))?;
        let (seconds_per_value, process_seconds) = self.costs();
        Ok(LeveledBenchmark {
            id: self.id.clone(),
            name: self.name.clone(),
            sample_kind: self.sample_kind(),
            series,
            seconds_per_value,
            process_seconds,
            warmup: 0,
        })
    }

    /// Diagnostics about doubtful values among those that could be placed.
    pub(super) fn doubts(&self, series: &LevelSeries, shape: &Shape) -> Vec<Diagnostic> {
        let mut doubts = Vec::new();
        let mut doubt = |message: String| doubts.push(Diagnostic::warning(&self.name, message));
        if !self.is_structure_known {
            doubt("it is unknown which process measured which value; all values count as one process".into());
        }
        let levels = series.levels();
        for ((level, most), (name, _)) in levels.iter().zip(&shape.sizes).zip(&shape.names) {
            if level.size < *most {
                doubt(format!(
                    "was repeated {} times on the level `{name}` where others were {most} times",
                    level.size
                ));
            }
        }
        let (gaps, processes) = (series.gaps(), series.missing_processes());
        let whole = series.count() + gaps;
        if processes > 0 {
            doubt(format!(
                "{gaps} of {whole} values are missing, {processes} processes are missing completely; configurations use the values that exist"
            ));
        } else if gaps > 0 && !shape.is_own {
            doubt(format!("{gaps} of {whole} values are missing; configurations use the values that exist"));
        }
        if let Some(value) = series.constant().filter(|_| series.count() > 1) {
            let n = series.count();
            doubt(format!(
                "all {n} values are {value} ns: the clock or the printed digits are too coarse to show how they vary"
            ));
        }
        doubts
    }

    /// Seconds of one value, and seconds of a process in addition to its values.
    fn costs(&self) -> (f64, f64) {
        if self.has_given_seconds {
            return (1.0, 0.0);
        }
        let timed: Vec<f64> =
            self.processes.iter().filter_map(|process| process.seconds_per_value()).collect();
        let walls: Vec<(f64, f64)> = self
            .processes
            .iter()
            .filter(|process| !process.wall.is_zero())
            .map(|process| (process.wall.as_secs_f64(), process.values().len() as f64))
            .collect();
        match median(&timed) {
            Some(seconds) => {
                let beside: Vec<f64> = walls.iter().map(|(wall, n)| (wall - n * seconds).max(0.0)).collect();
                (seconds, median(&beside).unwrap_or(0.0))
            }
            None => {
                let shares: Vec<f64> = walls.iter().map(|(wall, n)| wall / n.max(1.0)).collect();
                (median(&shares).unwrap_or(1.0), 0.0)
            }
        }
    }
}

impl Process<'_> {
    /// Its values after warm-up, in the metric's unit.
    fn values(&self) -> &[f64] {
        self.measurement.main().map(|series| steady(self.measurement, series)).unwrap_or_default()
    }

    /// Its values in nanoseconds, with their positions from 1.
    fn points(&self, shape: &Shape) -> Vec<(Vec<u32>, f64)> {
        let is_time = self.measurement.main().is_some_and(|series| series.metric.is_time());
        let values = self.values();
        let has_places = self.places.len() == values.len();
        let place = |at: usize| if has_places { self.places[at] + 1 } else { at as u32 + 1 };
        let outer = shape.used.iter().map(|level| self.position[*level] + 1);
        let point = |(at, value): (usize, &f64)| {
            let seconds = if is_time { *value } else { 1.0 / value };
            (outer.clone().chain([place(at)]).collect(), nanoseconds(seconds))
        };
        values.iter().enumerate().map(point).collect()
    }

    /// Seconds that one value took on average, where the harness says how many operations it timed.
    fn seconds_per_value(&self) -> Option<f64> {
        let series = self.measurement.main()?;
        let (values, operations) = (&series.values, &self.measurement.operations);
        if values.is_empty() || values.len() != operations.len() {
            return None;
        }
        let seconds = |value: f64| if series.metric.is_time() { value } else { 1.0 / value };
        let timed: f64 = values.iter().zip(operations).map(|(value, n)| seconds(*value) * *n as f64).sum();
        Some(timed / values.len() as f64).filter(|seconds| seconds.is_finite() && *seconds > 0.0)
    }
}

#[cfg(test)]
mod tests {
    use benchwright_model::{Metric, Series};

    use super::*;

    fn measurement(warmup: u32, values: &[f64], operations: &[u64]) -> Measurement {
        let series = Series { metric: Metric::time(), values: values.to_vec(), resolution: 0.0 };
        Measurement {
            warmup,
            operations: operations.to_vec(),
            series: vec![series],
            ..Measurement::default()
        }
    }

    fn processes<'a>(id: &'a BenchmarkId, all: &'a [(Measurement, [u32; 3], u64)]) -> Processes<'a> {
        let process = |(measurement, position, wall): &'a (Measurement, [u32; 3], u64)| Process {
            position: *position,
            places: &[],
            measurement,
            wall: Duration::from_secs(*wall),
        };
        Processes {
            id,
            name: id.name.clone(),
            is_structure_known: true,
            has_given_seconds: false,
            failed: 0,
            processes: all.iter().map(process).collect(),
        }
    }

    #[test]
    fn levels_are_those_that_repeat() {
        let check = |harness: &str, positions: &[[u32; 3]], is_suite: bool, expected: &[&str]| {
            let id = BenchmarkId::new(harness, "p", "x");
            let all: Vec<_> =
                positions.iter().map(|position| (measurement(0, &[1.0], &[]), *position, 0)).collect();
            let shape = Shape::of(&[processes(&id, &all)], is_suite);
            let names: Vec<&str> = shape.names.iter().map(|(name, _)| *name).collect();
            assert_eq!(names, expected);
        };
        check("jmh", &[[0, 0, 0], [0, 0, 1]], false, &["fork", "iteration"]);
        check("cargo", &[[0, 0, 0], [0, 0, 1]], false, &["fork", "iteration"]);
        check("cargo", &[[0, 0, 0]], true, &["suite run", "iteration", "second"]);
        check("go", &[[2, 0, 0], [0, 1, 0]], false, &["instance", "suite run", "iteration", "second"]);
    }

    #[test]
    fn time_is_split_into_values_and_what_a_process_needs_beside() {
        let id = BenchmarkId::new("go", "p", "x");
        // Four values of half a second, one of them warm-up, in processes of five seconds.
        let one = (measurement(1, &[0.5, 0.5, 0.5, 0.5], &[1, 1, 1, 1]), [0, 0, 0], 5);
        let all = [one.clone(), (one.0.clone(), [0, 0, 1], 5)];
        assert_eq!(processes(&id, &all).costs(), (0.5, 3.5));
        let unknown = [(measurement(0, &[1e-6, 1e-6], &[]), [0, 0, 0], 3)];
        assert_eq!(processes(&id, &unknown).costs(), (1.5, 0.0));
        let nothing = [(measurement(0, &[1e-6, 1e-6], &[]), [0, 0, 0], 0)];
        assert_eq!(processes(&id, &nothing).costs(), (1.0, 0.0));
    }

    #[test]
    fn bad_input_is_named() {
        let id = BenchmarkId::new("go", "p", "x");
        let check = |all: &[(Measurement, [u32; 3], u64)], expected: &[&str]| {
            let all = processes(&id, all);
            let shape = Shape { sizes: vec![2, 2], ..Shape::of(std::slice::from_ref(&all), true) };
            let said: Vec<String> = match all.leveled(&shape) {
                Ok(found) => all.doubts(&found.series, &shape).iter().map(ToString::to_string).collect(),
                Err(diagnostic) => vec![diagnostic.to_string()],
            };
            assert_eq!(said.len(), expected.len(), "{said:?}");
            for (said, expected) in said.iter().zip(expected) {
                assert!(said.contains(expected) && said.contains(": x: "), "{said}");
            }
        };
        let at = |position: [u32; 3], values: &[f64]| (measurement(0, values, &[]), position, 0);
        check(&[], &["only summary numbers"]);
        check(&[at([0, 0, 0], &[f64::NAN])], &["it is not a positive number"]);
        check(&[at([0, 0, 0], &[1.0]), at([0, 0, 0], &[1.0])], &["distinguish two values at 1/1/1"]);
        let whole = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [0, 1, 1]].map(|position| at(position, &[1.0, 2.0]));
        check(&whole, &[]);
        check(&whole[..3], &["2 of 8 values are missing, 1 processes"]);
        check(&whole[..2], &["1 times on the level `suite run` where others were 2 times"]);
        let equal = whole.clone().map(|(_, position, _)| at(position, &[1.0]));
        check(&equal, &["all 4 values are 1000000000 ns"]);
    }
}
