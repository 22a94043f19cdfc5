//! Applies the rules to two sides.

use benchwright_analysis::reduce::changes::{Speed, is_slower};
use benchwright_analysis::reduce::{self, Mode, Stability};
use benchwright_analysis::{
    ApartBenchmark, ApartRule, ApartSettings, ApartSide, ThresholdRules, compare_apart,
};
use benchwright_model::{BenchmarkId, Measurement, Metric, Series, Thresholds, Verdict};
use benchwright_stats::Interval;
use benchwright_stats::dispersion::median;
use benchwright_stats::known_spread::{KnownShift, KnownSpread, known_shift};

use super::contender::RESAMPLING;
use super::draw::Process;

/// The decision of a rule for one benchmark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Said {
    /// It got slower.
    Slower,
    /// It got faster.
    Faster,
    /// Neither: no change was found.
    Nothing,
}

/// The threshold of both rules.
const THRESHOLD: f64 = 0.03;

/// Our rule for processes measured apart, applied to a whole suite. Each entry has the two sides of a
/// benchmark, and the factor by which the second side is multiplied.
pub(super) fn by_processes(suite: &[([&[Process]; 2], f64)]) -> Vec<Said> {
    let benchmark = |(at, (sides, factor)): (usize, &([&[Process]; 2], f64))| ApartBenchmark {
        benchmark: BenchmarkId::new("recorded", "", at.to_string()),
        base: side(sides[0], 1.0),
        head: side(sides[1], *factor),
    };
    let all: Vec<ApartBenchmark> = suite.iter().enumerate().map(benchmark).collect();
    let thresholds = ThresholdRules::general(Thresholds { soft: THRESHOLD, hard: THRESHOLD });
    let settings = ApartSettings { rule: ApartRule::Processes, thresholds, seed: 0 };
    let findings = compare_apart(&all, &settings).findings;
    let mut said = vec![Said::Nothing; suite.len()];
    for finding in findings {
        // Findings are matched by name, because benchmarks without processes have no finding.
        let Some(at) = finding.benchmark.name.parse::<usize>().ok().filter(|at| *at < said.len()) else {
            continue;
        };
        said[at] = match finding.verdict {
            Verdict::Slower => Said::Slower,
            Verdict::Faster => Said::Faster,
            _ => Said::Nothing,
        };
    }
    said
}

/// The test for a known spread. A benchmark is slower if the shift reaches the threshold and its p-value is
/// at most the level. `found` does not include the factor, which is added to the shift here.
pub(super) fn by_known_spread(found: Option<KnownShift>, level: f64, factor: f64) -> Said {
    let Some(found) = found else { return Said::Nothing };
    let more = factor.ln();
    let is_slower = found.shift + more >= THRESHOLD.ln_1p() && found.p_larger(more) <= level;
    if is_slower { Said::Slower } else { Said::Nothing }
}

/// The result of the test for two sides, given by place.
pub(super) fn shift(sides: [&[Vec<Process>]; 2], known: Option<KnownSpread>) -> Option<KnownShift> {
    let logarithms = |places: &[Vec<Process>]| -> Vec<Vec<f64>> {
        let value = |process: &Process| median(process).map(f64::ln);
        places.iter().map(|processes| processes.iter().filter_map(value).collect()).collect()
    };
    known_shift(&logarithms(sides[0]), &logarithms(sides[1]), known?)
}

fn side(processes: &[Process], factor: f64) -> ApartSide {
    let measurement = |values: &Process| Measurement {
        series: vec![Series {
            metric: Metric::time(),
            values: values.iter().map(|value| value * factor).collect(),
            resolution: 0.0,
        }],
        ..Measurement::default()
    };
    ApartSide {
        processes: processes.iter().map(measurement).collect(),
        is_structure_known: true,
        is_summary: false,
    }
}

/// The metric whose average and interval the paper's rule uses for a contender: its own, or RMAD if it has
/// none.
pub(super) fn metric_of(contender: &str) -> Option<&'static dyn Stability> {
    reduce::by_name(contender).or_else(|| reduce::by_name("rmad"))
}

/// Average and interval of all values of a side, which the paper pools. `None` if there are too few values.
pub(super) fn speed(values: &[f64], metric: &dyn Stability) -> Option<Speed> {
    let interval = metric.interval(values, Mode::Paper, RESAMPLING)?;
    Some(Speed { average: metric.average().of(values)?, interval })
}

/// The paper's rule: more than 3 % slower, and intervals do not overlap. It does not look for benchmarks that
/// got faster.
pub(super) fn by_intervals(base: Option<Speed>, head: Option<Speed>, factor: f64) -> Said {
    let (Some(base), Some(head)) = (base, head) else { return Said::Nothing };
    // Averages and intervals scale with the values.
    let interval = Interval { lo: head.interval.lo * factor, hi: head.interval.hi * factor };
    let head = Speed { average: head.average * factor, interval };
    if is_slower(&base, &head) { Said::Slower } else { Said::Nothing }
}
