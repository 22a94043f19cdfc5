//! The classes of Barrett et al. 2017 (OOPSLA, "Virtual machine warmup blows hot and cold").

use super::costs::Costs;
use super::outliers::{OutlierRule, in_own_window};
use super::pelt::pelt;
use super::sums::{Sums, ZeroVariance};
use super::thinned::Thinned;
use super::traini::without;

/// The cost of a change, as a multiple of the logarithm of the length.
const PENALTY: f64 = 15.0;

/// One part in this many at the end of a series must be alike: 500 of 2000 iterations.
const STEADY_SHARE: usize = 4;

/// The smallest difference that counts: 0.001 s, for iterations of about a second.
const DELTA: f64 = 0.001;

/// The behaviour of one process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ProcessClass {
    /// All segments are alike.
    Flat,
    /// It becomes faster and stays so.
    Warmup,
    /// It becomes slower than it was.
    Slowdown,
    /// It changes near its end.
    NoSteadyState,
}

/// The behaviour of a benchmark's processes together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BenchmarkClass {
    /// All have the same class.
    Consistent(ProcessClass),
    /// Some are flat and the others warm up, which is harmless.
    GoodInconsistent,
    /// Any other combination.
    BadInconsistent,
}

impl ProcessClass {
    /// The authors' word.
    pub fn word(self) -> &'static str {
        match self {
            ProcessClass::Flat => "flat",
            ProcessClass::Warmup => "warmup",
            ProcessClass::Slowdown => "slowdown",
            ProcessClass::NoSteadyState => "no steady state",
        }
    }
}

impl BenchmarkClass {
    /// The class for those of its processes. `None` without processes.
    pub fn of(processes: &[ProcessClass]) -> Option<Self> {
        let first = *processes.first()?;
        let is_harmless = |class: &ProcessClass| matches!(class, ProcessClass::Flat | ProcessClass::Warmup);
        Some(if processes.iter().all(|class| *class == first) {
            BenchmarkClass::Consistent(first)
        } else if processes.iter().all(is_harmless) {
            BenchmarkClass::GoodInconsistent
        } else {
            BenchmarkClass::BadInconsistent
        })
    }

    /// The authors' name for it.
    pub fn words(self) -> &'static str {
        match self {
            BenchmarkClass::Consistent(class) => class.word(),
            BenchmarkClass::GoodInconsistent => "good inconsistent",
            BenchmarkClass::BadInconsistent => "bad inconsistent",
        }
    }
}

/// The class of one process. The values are times of iterations in order. `None` for fewer than four values,
/// or for values that are not positive numbers.
///
/// Segments are found by PELT with a fixed penalty. A segment is like the last one if its mean ± variance
/// overlaps that one's mean ± max(variance, 0.001). These numbers apply to iterations of about one second, so
/// values are divided by the mean of the fastest segment.
pub fn classify(values: &[f64]) -> Option<ProcessClass> {
    if values.len() < STEADY_SHARE || values.iter().any(|value| !(value.is_finite() && *value > 0.0)) {
        return None;
    }
    let thinned = Thinned::new(values);
    let kept = without(thinned.values.len(), &in_own_window(&thinned.values, OutlierRule::BARRETT));
    let filtered: Vec<f64> = kept.iter().map(|place| thinned.values[*place]).collect();
    let sums = Sums::new(&filtered, ZeroVariance::Relative);
    let ends = pelt(&mut Costs::new(&sums), PENALTY * (filtered.len() as f64).ln()).ends;
    let starts = std::iter::once(0).chain(ends.iter().copied());
    let moments: Vec<Moments> =
        starts.zip(&ends).map(|(start, end)| Moments::of(&filtered[start..*end])).collect();
    let fastest = moments.iter().map(|segment| segment.mean).fold(f64::INFINITY, f64::min);
    let segments: Vec<Moments> = moments.iter().map(|segment| segment.in_units_of(fastest)).collect();
    walk_back(&segments, &ends, filtered.len())
}

/// From the last segment to the first.
fn walk_back(segments: &[Moments], ends: &[usize], n: usize) -> Option<ProcessClass> {
    let (last, before) = segments.split_last()?;
    let reach = last.variance.max(DELTA);
    let (low, high) = (last.mean - reach, last.mean + reach);
    let mut class = ProcessClass::Flat;
    for (segment, end) in before.iter().zip(ends).rev() {
        let is_below = segment.mean + segment.variance < low;
        let is_above = segment.mean - segment.variance > high;
        if !is_below && !is_above {
            continue;
        }
        if class == ProcessClass::Flat && *end > n - n / STEADY_SHARE {
            return Some(ProcessClass::NoSteadyState);
        }
        if is_below {
            return Some(ProcessClass::Slowdown);
        }
        class = ProcessClass::Warmup;
    }
    Some(class)
}

/// Mean and variance of a segment.
#[derive(Debug, Clone, Copy)]
struct Moments {
    mean: f64,
    variance: f64,
}

impl Moments {
    fn of(values: &[f64]) -> Self {
        let n = values.len().max(1) as f64;
        let mean = values.iter().sum::<f64>() / n;
        Moments { mean, variance: values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / n }
    }

    fn in_units_of(self, unit: f64) -> Self {
        Moments { mean: self.mean / unit, variance: self.variance / (unit * unit) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Levels of 500 iterations each, with a variation of a tenth of a per cent.
    fn series(levels: &[f64]) -> Vec<f64> {
        let wobble = |i: usize| 1.0 + (((i * 7919) % 101) as f64 / 50.0 - 1.0) * 0.001;
        levels.iter().flat_map(|level| (0..500).map(move |i| level * wobble(i))).collect()
    }

    fn check(levels: &[f64], expected: ProcessClass) {
        for unit in [1.0, 1e-9] {
            let values: Vec<f64> = series(levels).iter().map(|value| value * unit).collect();
            assert_eq!(classify(&values), Some(expected), "{levels:?} in {unit} s");
        }
    }

    #[test]
    fn processes_are_flat_warm_up_slow_down_or_never_end() {
        check(&[1.0, 1.0, 1.0, 1.0], ProcessClass::Flat);
        check(&[1.0005, 1.0, 1.0, 1.0], ProcessClass::Flat);
        check(&[2.0, 1.0, 1.0, 1.0], ProcessClass::Warmup);
        check(&[3.0, 2.0, 1.0, 1.0], ProcessClass::Warmup);
        check(&[1.0, 1.0, 2.0, 2.0], ProcessClass::Slowdown);
        check(&[1.0, 3.0, 2.0, 2.0], ProcessClass::Slowdown);
        check(&[2.0, 2.0, 2.0, 1.0, 1.5], ProcessClass::NoSteadyState);
    }

    #[test]
    fn benchmarks_are_consistent_or_not() {
        use ProcessClass::{Flat, Slowdown, Warmup};
        let check = |processes: &[ProcessClass], expected: Option<BenchmarkClass>| {
            assert_eq!(BenchmarkClass::of(processes), expected);
        };
        check(&[], None);
        check(&[Flat, Flat], Some(BenchmarkClass::Consistent(Flat)));
        check(&[Slowdown], Some(BenchmarkClass::Consistent(Slowdown)));
        check(&[Flat, Warmup, Flat], Some(BenchmarkClass::GoodInconsistent));
        check(&[Flat, Warmup, Slowdown], Some(BenchmarkClass::BadInconsistent));
    }

    #[test]
    fn bad_input_has_no_class_and_constant_input_is_flat() {
        assert_eq!(classify(&[]), None);
        assert_eq!(classify(&[1.0; 3]), None);
        assert_eq!(classify(&[1.0, f64::NAN, 1.0, 1.0]), None);
        assert_eq!(classify(&[1.0, -1.0, 1.0, 1.0]), None);
        assert_eq!(classify(&[1.0; 100]), Some(ProcessClass::Flat));
    }
}
