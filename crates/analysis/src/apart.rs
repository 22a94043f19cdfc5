//! Compares processes of two versions that were measured apart: two files, two stored runs.
//!
//! They are not duets. They did not run back to back, their order was not random, and every difference
//! between the two occasions (machine, load, temperature) looks like a change of the code. So the paired rule
//! and its coin do not apply. What can be used is a rank test over processes, with a statement of its limits
//! (METHODOLOGY.md, section 10).

mod rule;

use benchwright_model::{
    BenchmarkId, Diagnostic, Effect, Finding, Measurement, Metric, Nature, Reason, Summary, Verdict,
};
use benchwright_stats::multiplicity::benjamini_hochberg;

use crate::exact;
use crate::summary::{fails, resolution, resolution_warning, summarise};
use crate::threshold::ThresholdRules;
use crate::value::{log_ratio, median, of_process, steady};

pub use rule::ApartRule;
use rule::{Answer, Reading};

/// The values of one side of a benchmark.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ApartSide {
    /// One measurement per process. If it is unknown which process measured which value, there is one with
    /// all values.
    pub processes: Vec<Measurement>,
    /// Whether it is known that each entry of `processes` is a process.
    pub is_structure_known: bool,
    /// Whether there is only a summary: each value represents others that are not available.
    pub is_summary: bool,
}

impl ApartSide {
    /// The number of processes. At most 1 if it is unknown which process measured which value.
    fn known(&self) -> usize {
        if self.is_structure_known { self.processes.len() } else { self.processes.len().min(1) }
    }

    fn has(&self, metric: &Metric) -> bool {
        self.processes.iter().any(|process| process.series.iter().any(|series| series.metric == *metric))
    }

    /// The value of each process that has the metric.
    fn values(&self, metric: &str) -> Vec<f64> {
        self.processes.iter().filter_map(|process| of_process(process, metric)).collect()
    }
}

/// A benchmark that both sides have.
#[derive(Debug, Clone, PartialEq)]
pub struct ApartBenchmark {
    /// The benchmark.
    pub benchmark: BenchmarkId,
    /// The values of the old version.
    pub base: ApartSide,
    /// The values of the new version.
    pub head: ApartSide,
}

/// The settings of the comparison.
#[derive(Debug, Clone)]
pub struct ApartSettings {
    /// The rule.
    pub rule: ApartRule,
    /// The smallest changes that count.
    pub thresholds: ThresholdRules,
    /// Seed for rules that resample.
    pub seed: u64,
}

/// The result of comparing processes that were measured apart.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Apart {
    /// One finding per benchmark and metric, in the order given.
    pub findings: Vec<Finding>,
    /// Diagnostics about benchmarks that were not compared or are doubtful.
    pub diagnostics: Vec<Diagnostic>,
}

/// Share of unchanged JMH benchmarks for which a rank test on ten iterations of one process per side finds a
/// change, measured on recorded suites (METHODOLOGY.md, section 10).
pub const FALSE_ALARMS_OF_ONE_PROCESS: f64 = 0.645;

/// Compares all benchmarks together, because the correction for many tests applies to all of them.
pub fn compare_apart(benchmarks: &[ApartBenchmark], settings: &ApartSettings) -> Apart {
    let mut apart = Apart::default();
    let mut rows: Vec<Row<'_>> = Vec::new();
    for benchmark in benchmarks {
        let (metrics, remarks) = common_metrics(benchmark);
        apart.diagnostics.extend(remarks);
        rows.extend(metrics.into_iter().map(|metric| Row::new(benchmark, metric, settings)));
    }
    let tested: Vec<f64> = rows.iter().filter_map(|row| row.reading.as_ref()?.p()).collect();
    // `None` is possible only for values that are not probabilities, which a test never returns.
    let mut adjusted = benjamini_hochberg(&tested).unwrap_or_default().into_iter();
    let tests = rows.iter().filter(|row| row.reading.as_ref().is_some_and(Reading::wants_test)).count();
    let mut one_process = 0;
    for row in rows {
        one_process += u32::from(row.is_of_one_process());
        let p = row.reading.as_ref().and_then(Reading::p).and_then(|_| adjusted.next());
        apart.findings.push(row.finish(p, tests, settings));
    }
    apart.diagnostics.extend((one_process > 0).then(one_process_warning));
    apart
}

/// The warning that is shown whenever a side has one process.
fn one_process_warning() -> Diagnostic {
    let message = format!(
        "one process per side: the difference between two processes of the same program is not known; on recorded JMH suites such \
         a comparison flagged {} % of unchanged benchmarks",
        FALSE_ALARMS_OF_ONE_PROCESS * 100.0
    );
    let hint = "measure several processes per side (JMH: -f 5, pyperf: -p 5, Go: run `go test` several times), or let \
                `benchwright compare` measure both versions";
    Diagnostic::warning("", message).hint(hint)
}

/// The metrics that both sides have in the same form, the main one first, and diagnostics about the others.
fn common_metrics(benchmark: &ApartBenchmark) -> (Vec<Metric>, Vec<Diagnostic>) {
    let (mut metrics, mut diagnostics): (Vec<Metric>, Vec<Diagnostic>) = Default::default();
    let all = benchmark.base.processes.iter().chain(&benchmark.head.processes);
    for series in all.flat_map(|process| &process.series) {
        let metric = &series.metric;
        let is_common = benchmark.base.has(metric) && benchmark.head.has(metric);
        if is_common && metric.nature != Nature::Derived && !metrics.contains(metric) {
            metrics.push(metric.clone());
        }
    }
    let id = benchmark.benchmark.to_string();
    if let Some((base, head)) = clash(benchmark, &metrics) {
        let message = format!("measures {base} in base and {head} in head: not compared");
        let hint = "give both files in the same mode and unit";
        diagnostics.push(Diagnostic::error(id, message).hint(hint));
    } else if metrics.is_empty() {
        diagnostics.push(Diagnostic::error(id, "has no metric that both sides have"));
    }
    metrics.sort_by_key(|metric| !metric.is_main());
    (metrics, diagnostics)
}

/// The main metrics of the sides, if they differ and neither is common to both.
fn clash(benchmark: &ApartBenchmark, common: &[Metric]) -> Option<(String, String)> {
    if common.iter().any(Metric::is_main) {
        return None;
    }
    let main = |side: &ApartSide| {
        let metric = &side.processes.iter().find_map(Measurement::main)?.metric;
        Some(match &metric.unit {
            benchwright_model::Unit::Other(unit) => format!("{} in {unit}", metric.name),
            _ => metric.name.clone(),
        })
    };
    Some((main(&benchmark.base)?, main(&benchmark.head)?))
}

/// One metric of one benchmark.
struct Row<'a> {
    benchmark: &'a ApartBenchmark,
    metric: Metric,
    /// Whether the rule decides on the metric.
    is_hypothesis: bool,
    /// The result of the rule for this row alone. `None` if the rule does not apply.
    reading: Option<Reading>,
}

impl<'a> Row<'a> {
    fn new(benchmark: &'a ApartBenchmark, metric: Metric, settings: &ApartSettings) -> Self {
        let is_configured = settings.thresholds.configured(&benchmark.benchmark, &metric).is_some();
        let is_hypothesis = metric.is_main() || is_configured;
        let mut row = Row { benchmark, metric, is_hypothesis, reading: None };
        if row.is_hypothesis && row.constants().is_none() && !row.is_summary() {
            let sides = [&benchmark.base, &benchmark.head];
            row.reading = Some(settings.rule.try_out(sides, &row.metric, settings.seed));
        }
        row
    }

    fn is_summary(&self) -> bool {
        self.benchmark.base.is_summary || self.benchmark.head.is_summary
    }

    /// Whether this is a noisy metric with a single process on one side.
    fn is_of_one_process(&self) -> bool {
        let is_one = |side: &ApartSide| side.known() <= 1;
        self.is_hypothesis
            && self.constants().is_none()
            && !self.is_summary()
            && (is_one(&self.benchmark.base) || is_one(&self.benchmark.head))
    }

    /// The value of each side of a count, if it is constant. A clock that shows the same value every time
    /// does not count.
    fn constants(&self) -> Option<(f64, f64)> {
        if self.metric.nature != Nature::Counted {
            return None;
        }
        let constant = |side: &ApartSide| exact::constant(side.processes.iter(), &self.metric.name);
        Some((constant(&self.benchmark.base)?, constant(&self.benchmark.head)?))
    }

    fn finish(self, p: Option<f64>, tests: usize, settings: &ApartSettings) -> Finding {
        let id = &self.benchmark.benchmark;
        let sides = [&self.benchmark.base, &self.benchmark.head];
        let [base, head] = sides.map(|side| side.values(&self.metric.name));
        let constants = self.constants();
        let configured = settings.thresholds.configured(id, &self.metric);
        let thresholds = settings.thresholds.of(id, &self.metric);
        let step = resolution(sides.iter().flat_map(|side| &side.processes), &self.metric);
        let answer = match (constants, self.reading) {
            (Some((base, head)), _) => {
                let (verdict, reason, effect) = exact::judge(&self.metric, base, head, configured);
                Answer { verdict, reason, effect }
            }
            (None, Some(reading)) => reading.answer(&self.metric, p, tests, (thresholds.soft, step)),
            (None, None) => {
                let is_summary = self.benchmark.base.is_summary || self.benchmark.head.is_summary;
                let (reason, effect) = match is_summary {
                    true => (Reason::SummaryOnly, point(&base, &head)),
                    false => (Reason::Informational, rule::shown(sides, &self.metric)),
                };
                Answer { verdict: Verdict::Undecided, reason, effect }
            }
        };
        let warnings = resolution_warning(step, thresholds);
        let mut finding = Finding {
            benchmark: id.clone(),
            verdict: answer.verdict,
            reason: answer.reason,
            effect: answer.effect,
            base: side_summary(sides[0], &self.metric.name, &base),
            head: side_summary(sides[1], &self.metric.name, &head),
            metric: self.metric,
            duets: Vec::new(),
            fresh: 0,
            quartets: 0,
            wild: 0.0,
            thresholds,
            fails: false,
            accepted: None,
            warnings: warnings.into_iter().collect(),
        };
        finding.fails = fails(&finding, constants);
        finding
    }
}

/// The ratio of medians without an interval, because there is no data to compute one.
fn point(base: &[f64], head: &[f64]) -> Option<Effect> {
    let centre = log_ratio(median(base)?, median(head)?)?;
    Some(Effect { centre, lo: f64::NEG_INFINITY, hi: f64::INFINITY, level: rule::LEVEL })
}

/// The summary of one side for the table. It has no spread if there is a single process: the spread of its
/// iterations would be misleading.
fn side_summary(side: &ApartSide, metric: &str, values: &[f64]) -> Option<Summary> {
    if side.is_structure_known {
        return summarise(values);
    }
    let all: Vec<f64> = all_iterations(&side.processes, metric);
    summarise(&all).map(|summary| Summary { spread: 0.0, trials: 1, ..summary })
}

/// All iterations after warm-up.
fn all_iterations(processes: &[Measurement], metric: &str) -> Vec<f64> {
    let of = |process: &Measurement| process.series(metric).map(|series| steady(process, series).to_vec());
    processes.iter().filter_map(of).flatten().collect()
}

#[cfg(test)]
mod tests;
