//! The displayed data of a process.

use benchwright_model::Unit;

/// One process.
#[derive(Debug, Clone, PartialEq)]
pub struct SeriesView {
    /// The benchmark's name.
    pub benchmark: String,
    /// The number of the process, from 0.
    pub process: u32,
    /// One value per iteration.
    pub values: Vec<f64>,
    /// Their unit.
    pub unit: Unit,
    /// Iterations outside their surroundings.
    pub outliers: Vec<u32>,
    /// Segments in order.
    pub segments: Vec<Extent>,
    /// Since when it is steady.
    pub steady: Steady,
    /// Its class in the words of Barrett et al. 2017. `None` if there are too few values.
    pub class: Option<String>,
    /// The class of all processes of its benchmark together.
    pub benchmark_class: Option<BenchmarkClassView>,
    /// Remarks on it.
    pub notes: Vec<String>,
    /// The points where stop rules would have ended it.
    pub stops: Vec<StopView>,
}

/// A segment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Extent {
    /// Its first iteration, from 0.
    pub first: u32,
    /// Its last iteration.
    pub last: u32,
    /// The mean of its values.
    pub mean: f64,
}

/// Since when a process is steady.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Steady {
    /// From this iteration on.
    From(u32),
    /// It never was.
    Never,
    /// It could not be labelled, for the given reason.
    Unknown(String),
}

/// The class of a benchmark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BenchmarkClassView {
    /// The class in the words of Barrett et al. 2017.
    pub class: String,
    /// Number of processes it is based on.
    pub processes: usize,
}

/// The point where a stop rule would have ended a process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StopView {
    /// Its name.
    pub rule: String,
    /// Number of leading iterations that it considers warm-up, and number of iterations it would have run.
    /// `None` if it would not have started the process.
    pub extent: Option<(u32, u32)>,
    /// The reason, in words.
    pub reason: String,
}

impl SeriesView {
    /// A sentence on the steady part, without a full stop.
    pub(super) fn summary(&self) -> String {
        let n = self.values.len();
        let segments = match self.segments.len() {
            0 | 1 => String::new(),
            count => format!(", {count} segments"),
        };
        match &self.steady {
            Steady::From(0) => format!("steady from the start of {n} iterations{segments}"),
            Steady::From(from) => format!("steady from iteration {from} of {n}{segments}"),
            Steady::Never => format!("no steady state in {n} iterations{segments}"),
            Steady::Unknown(reason) => format!("{n} iterations, not labelled: {reason}"),
        }
    }

    /// The classes of the process and of its benchmark: `class warmup; all 3 processes: good inconsistent`.
    pub(super) fn classes(&self) -> String {
        let own = self.class.as_deref().unwrap_or("unknown, too few values");
        match &self.benchmark_class {
            Some(BenchmarkClassView { class, processes }) if *processes > 1 => {
                format!("class {own}; all {processes} processes: {class}")
            }
            _ => format!("class {own}"),
        }
    }

    /// Mean of the steady part.
    pub(super) fn steady_mean(&self) -> Option<f64> {
        let Steady::From(from) = self.steady else { return None };
        let part = self.values.get(from as usize..).filter(|part| !part.is_empty())?;
        Some(part.iter().sum::<f64>() / part.len() as f64)
    }

    /// The range of values in drawings: all but the most distant half per cent at either end, and the means
    /// of all segments but the shortest. Otherwise a first tenth of a second that is ten times as slow as the
    /// rest would make the rest a flat line.
    pub(super) fn range(&self) -> (f64, f64) {
        let mut sorted: Vec<f64> = self.values.iter().copied().filter(|value| value.is_finite()).collect();
        sorted.sort_by(f64::total_cmp);
        let Some(last) = sorted.len().checked_sub(1) else { return (0.0, 1.0) };
        let at = |share: f64| sorted[(last as f64 * share).round() as usize];
        let is_long = |segment: &&Extent| (segment.last - segment.first) as usize >= self.values.len() / 100;
        let means = || {
            self.segments.iter().filter(is_long).map(|segment| segment.mean).filter(|mean| mean.is_finite())
        };
        let lo = means().fold(at(0.005), f64::min);
        let hi = means().fold(at(0.995), f64::max);
        if hi > lo { (lo, hi) } else { (lo - 0.5 * lo.abs(), hi + 0.5 * hi.abs() + f64::MIN_POSITIVE) }
    }
}
