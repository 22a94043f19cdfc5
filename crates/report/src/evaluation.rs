//! The effect of ways to choose configurations on a suite: baselines compared with metrics, and changes
//! between versions.

use std::io::{self, Write};
use std::time::Duration;

use benchwright_analysis::reduce::changes::{Confusion, Rates, Spread};
use benchwright_analysis::reduce::evaluation::{Forward, LIMITS, Outcome};
use benchwright_analysis::reduce::judgement::{Difference, effect_word};
use benchwright_model::Diagnostic;
use serde::Serialize;

use crate::json::DiagnosticWire;
use crate::overview::plural;
use crate::reduction::Source;
use crate::text::{Align, Cell, Column, Line, Lines, Palette, Table, TextOptions, Tone};
use crate::{Document, Format, scale};

/// The supported formats.
pub const FORMATS: [Format; 2] = [Format::Text, Format::Json];

/// The value of the field `schema` in the JSON document.
pub const SCHEMA_NAME: &str = "benchwright.evaluation/1";

/// The JSON Schema of the documents, published as `docs/schema/evaluation.schema.json`.
pub const SCHEMA: &str = include_str!("../../../docs/schema/evaluation.schema.json");

/// Ways to choose, evaluated on a user's own data.
#[derive(Debug, Clone)]
pub struct EvaluationReport {
    /// The sources of the values: versions, oldest first.
    pub sources: Vec<Source>,
    /// Which metric is used on later versions, and why.
    pub metric_note: String,
    /// The largest value of a metric for a stable configuration.
    pub threshold: f64,
    /// Benchmarks of the newest version.
    pub benchmarks: usize,
    /// The effect of each way to choose on the newest version.
    pub outcomes: Vec<Outcome>,
    /// Whether the metrics differ. `None` if the test is not defined.
    pub difference: Option<Difference>,
    /// The names of the metrics in the order of the test.
    pub metrics: Vec<&'static str>,
    /// The choices made on the oldest version and used on the others. Empty for a single version.
    pub forward: Vec<Forward>,
    /// Benchmarks that could not be evaluated, and doubts.
    pub diagnostics: Vec<Diagnostic>,
    /// Version of benchwright that evaluated.
    pub tool_version: String,
}

/// A p-value of at least this is not significant.
const ALPHA: f64 = 0.05;

impl Document for EvaluationReport {
    const FORMATS: &'static [Format] = &FORMATS;
    const NAME: &'static str = "an evaluation";

    fn write(&self, format: Format, options: &TextOptions, out: &mut dyn Write) -> io::Result<()> {
        if format == Format::Json {
            serde_json::to_writer_pretty(&mut *out, &ReportWire::of(self))?;
            return writeln!(out);
        }
        let palette = Palette { colour: options.colour };
        let mut page = Lines { limit: options.width.unwrap_or(usize::MAX).max(1), palette, out };
        let titles: Vec<&str> = self.sources.iter().map(|source| source.title.as_str()).collect();
        page.prose("from    ", &titles.join(", "), Tone::Plain)?;
        let threshold = scale::share(self.threshold);
        page.prose("stable  ", &format!("at most {threshold} by each metric"), Tone::Dim)?;
        writeln!(page.out)?;
        let newest = self.sources.last().map_or("", short);
        let heading = format!("{}, measured in {newest}", plural(self.benchmarks, "benchmark"));
        page.prose("", &heading, Tone::Strong)?;
        outcomes(&self.outcomes).write(page.limit, palette, page.out)?;
        page.prose("", KEPT, Tone::Dim)?;
        if let Some(difference) = &self.difference {
            page.prose("", &differs(difference, &self.metrics), Tone::Plain)?;
        }
        if !self.forward.is_empty() {
            writeln!(page.out)?;
            let first = self.sources.first().map_or("", short);
            let heading = format!("chosen in {first}, followed through {}", versions(self));
            page.prose("", &heading, Tone::Strong)?;
            page.prose("", &format!("µOpTime by {}", self.metric_note), Tone::Dim)?;
            followed(&self.forward).write(page.limit, palette, page.out)?;
            page.prose("", RATES, Tone::Dim)?;
        }
        page.diagnostics(&self.diagnostics)
    }
}

const KEPT: &str = "within: benchmarks whose average is within this distance of the full measurement; ends: the worst lower and \
                    upper end of an interval";

const RATES: &str = "slowdowns above 3 % with intervals that do not overlap (Japke et al. 2025); the full measurement is \
                     taken as the truth; rates are least, median and greatest over pairs of versions";

/// The name of a version: the file name without directories, or the name of a run.
fn short(source: &Source) -> &str {
    if source.run.is_none() { &source.project } else { &source.title }
}

fn versions(report: &EvaluationReport) -> String {
    plural(report.sources.len().saturating_sub(1), "later version")
}

fn outcomes(all: &[Outcome]) -> Table {
    let mut columns = vec![
        Column::new("way to choose", Align::Left, None),
        Column::new("time", Align::Right, Some(3)),
        Column::new("saved", Align::Right, None),
        Column::new("unstable", Align::Right, Some(2)),
    ];
    let limits = LIMITS.iter().map(|limit| format!("within {}", scale::share(*limit)));
    columns.extend(limits.map(|heading| Column::new(&heading, Align::Right, None)));
    columns.push(Column::new("ends", Align::Right, Some(1)));
    let row = |outcome: &Outcome| {
        let judgement = &outcome.judgement;
        let seconds = judgement.seconds + judgement.warmup_seconds.1;
        let time = Duration::try_from_secs_f64(seconds).map(scale::duration).unwrap_or_else(|_| "?".into());
        let mut cells = vec![
            Cell::new(outcome.method),
            Cell::toned(time, Tone::Dim),
            Cell::new(scale::share(judgement.saved_with_warmup())),
            Cell::new(judgement.unstable.to_string()),
        ];
        cells.extend(outcome.within.iter().map(|share| Cell::new(scale::share(*share))));
        let ends = outcome
            .worst_ends
            .map_or_else(|| "?".to_owned(), |(lo, hi)| format!("{} {}", scale::share(lo), scale::share(hi)));
        cells.push(Cell::toned(ends, Tone::Dim));
        Line::Row(cells)
    };
    Table { columns, lines: all.iter().map(row).collect() }
}

/// Whether metrics differ, and which ones.
fn differs(difference: &Difference, metrics: &[&str]) -> String {
    let p = difference.p;
    if p >= ALPHA {
        return format!("the metrics' results do not differ (Kruskal-Wallis, p = {p:.3})");
    }
    let name = |at: usize| metrics.get(at).copied().unwrap_or("?");
    let pairs: Vec<String> = difference
        .pairs
        .iter()
        .filter(|pair| pair.p < ALPHA)
        .map(|pair| {
            format!("{} and {} ({})", name(pair.metrics.0), name(pair.metrics.1), effect_word(pair.delta))
        })
        .collect();
    let pairs = if pairs.is_empty() { "no single pair does".to_owned() } else { pairs.join(", ") };
    format!("the metrics' results differ (Kruskal-Wallis, p = {p:.3}): {pairs}")
}

fn followed(all: &[Forward]) -> Table {
    let columns = vec![
        Column::new("way to choose", Align::Left, None),
        Column::new("changes", Align::Right, None),
        Column::new("found", Align::Right, None),
        Column::new("missed", Align::Right, None),
        Column::new("false", Align::Right, None),
        Column::new("false positive rate", Align::Right, Some(1)),
        Column::new("false negative rate", Align::Right, Some(1)),
    ];
    let spread = |of: &Spread| [of.least, of.median, of.greatest].map(scale::share).join(" / ");
    let row = |way: &Forward| {
        let Some(Rates { total, false_positive, false_negative }) = &way.rates else {
            return Line::Row(vec![Cell::new(way.method), Cell::new("nothing in common")]);
        };
        Line::Row(vec![
            Cell::new(way.method),
            Cell::new(total.full_changes().to_string()),
            Cell::new(total.found.to_string()),
            Cell::toned(total.missed.to_string(), if total.missed > 0 { Tone::Bad } else { Tone::Good }),
            Cell::new(total.false_alarms.to_string()),
            Cell::toned(spread(false_positive), Tone::Dim),
            Cell::toned(spread(false_negative), Tone::Dim),
        ])
    };
    Table { columns, lines: all.iter().map(row).collect() }
}

#[derive(Serialize)]
struct ReportWire<'a> {
    schema: &'static str,
    tool_version: &'a str,
    sources: Vec<&'a str>,
    metric_note: &'a str,
    threshold: f64,
    benchmarks: usize,
    outcomes: Vec<OutcomeWire>,
    difference: Option<DifferenceWire>,
    forward: Vec<ForwardWire<'a>>,
    diagnostics: Vec<DiagnosticWire<'a>>,
}

#[derive(Serialize)]
struct OutcomeWire {
    method: &'static str,
    full_seconds: f64,
    seconds: f64,
    saved_ratio: f64,
    unstable: usize,
    within: Vec<WithinWire>,
    worst_interval_ends: Option<[f64; 2]>,
}

#[derive(Serialize)]
struct WithinWire {
    limit: f64,
    share: f64,
}

#[derive(Serialize)]
struct DifferenceWire {
    h: f64,
    p: f64,
    pairs: Vec<PairOfMetricsWire>,
}

#[derive(Serialize)]
struct PairOfMetricsWire {
    metrics: [&'static str; 2],
    p: f64,
    cliffs_delta: f64,
}

#[derive(Serialize)]
struct ForwardWire<'a> {
    method: &'static str,
    pairs: Vec<PairWire<'a>>,
    false_positive_rate: Option<[f64; 3]>,
    false_negative_rate: Option<[f64; 3]>,
}

#[derive(Serialize)]
struct PairWire<'a> {
    versions: [&'a str; 2],
    found: u32,
    missed: u32,
    false_alarms: u32,
    same: u32,
    faster: usize,
}

impl<'a> ReportWire<'a> {
    fn of(report: &'a EvaluationReport) -> Self {
        let name = |at: usize| report.metrics.get(at).copied().unwrap_or_default();
        let difference = report.difference.as_ref().map(|difference| DifferenceWire {
            h: difference.h,
            p: difference.p,
            pairs: difference
                .pairs
                .iter()
                .map(|pair| PairOfMetricsWire {
                    metrics: [name(pair.metrics.0), name(pair.metrics.1)],
                    p: pair.p,
                    cliffs_delta: pair.delta,
                })
                .collect(),
        });
        ReportWire {
            schema: SCHEMA_NAME,
            tool_version: &report.tool_version,
            sources: report.sources.iter().map(|source| source.title.as_str()).collect(),
            metric_note: &report.metric_note,
            threshold: report.threshold,
            benchmarks: report.benchmarks,
            outcomes: report.outcomes.iter().map(OutcomeWire::of).collect(),
            difference,
            forward: report.forward.iter().map(ForwardWire::of).collect(),
            diagnostics: report.diagnostics.iter().map(DiagnosticWire::from).collect(),
        }
    }
}

impl OutcomeWire {
    fn of(outcome: &Outcome) -> Self {
        let judgement = &outcome.judgement;
        let within = LIMITS.iter().zip(outcome.within);
        OutcomeWire {
            method: outcome.method,
            full_seconds: judgement.full_seconds + judgement.warmup_seconds.0,
            seconds: judgement.seconds + judgement.warmup_seconds.1,
            saved_ratio: judgement.saved_with_warmup(),
            unstable: judgement.unstable,
            within: within.map(|(limit, share)| WithinWire { limit: *limit, share }).collect(),
            worst_interval_ends: outcome.worst_ends.map(|(lo, hi)| [lo, hi]),
        }
    }
}

impl<'a> ForwardWire<'a> {
    fn of(way: &'a Forward) -> Self {
        let spread = |of: &Spread| [of.least, of.median, of.greatest];
        let pairs = way.pairs.iter().map(|pair| {
            let Confusion { found, missed, false_alarms, same } = pair.confusion;
            let versions = [pair.versions.0.as_str(), pair.versions.1.as_str()];
            PairWire { versions, found, missed, false_alarms, same, faster: pair.faster }
        });
        ForwardWire {
            method: way.method,
            pairs: pairs.collect(),
            false_positive_rate: way.rates.map(|rates| spread(&rates.false_positive)),
            false_negative_rate: way.rates.map(|rates| spread(&rates.false_negative)),
        }
    }
}
