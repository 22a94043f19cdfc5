//! Plans made for comparisons: for each benchmark the numbers of duets and iterations that find the wanted
//! change, and their cost.

mod html;

use std::io::{self, Write};
use std::time::Duration;

use benchwright_analysis::reduce::for_compare::{ComparePlan, Reach, Wanted};
use benchwright_formats::separated::exact;
use benchwright_model::{BenchmarkId, Diagnostic};
use serde::Serialize;

use crate::escape::{markdown as escape, terminal};
use crate::json::{BenchmarkWire, DiagnosticWire};
use crate::overview::plural;
use crate::reduction::Source;
use crate::text::{Align, Cell, Column, Line, Lines, Palette, Table, TextOptions, Tone};
use crate::{Document, Format, csv, scale};

/// The supported formats.
pub const FORMATS: [Format; 5] = [Format::Text, Format::Csv, Format::Json, Format::Html, Format::Markdown];

/// The value of the field `schema` in the JSON document.
pub const SCHEMA_NAME: &str = "benchwright.compare-plan/1";

/// The JSON Schema of the documents, published as `docs/schema/compare-plan.schema.json`.
pub const SCHEMA: &str = include_str!("../../../docs/schema/compare-plan.schema.json");

/// Plans of one or several sets of results.
#[derive(Debug, Clone)]
pub struct ComparePlanReport {
    /// The sources of the values.
    pub sources: Vec<Source>,
    /// The goal.
    pub wanted: Wanted,
    /// The plans, in the order of the sources.
    pub benchmarks: Vec<PlannedComparison>,
    /// Benchmarks that could not be planned, and doubts.
    pub diagnostics: Vec<Diagnostic>,
    /// Version of benchwright that planned.
    pub tool_version: String,
}

/// The plan of one benchmark.
#[derive(Debug, Clone)]
pub struct PlannedComparison {
    /// Its place among the sources.
    pub source: usize,
    /// Its identity.
    pub id: BenchmarkId,
    /// Its name as the source writes it.
    pub name: String,
    /// Its plan.
    pub plan: ComparePlan,
}

impl Document for ComparePlanReport {
    const FORMATS: &'static [Format] = &FORMATS;
    const NAME: &'static str = "plans for comparisons";

    fn write(&self, format: Format, options: &TextOptions, out: &mut dyn Write) -> io::Result<()> {
        match format {
            Format::Csv => write_csv(self, out),
            Format::Json => write_json(self, out),
            Format::Markdown => write_markdown(self, out),
            Format::Html => html::write(self, out),
            Format::Text | Format::Benchfmt | Format::Junit => write_text(self, options, out),
        }
    }
}

fn goal(report: &ComparePlanReport) -> String {
    let Wanted { change, power, false_alarms, threshold, .. } = &report.wanted;
    let share = |ratio: &f64| scale::share(*ratio);
    format!(
        "a change of {} found in {} of cases, {} false alarms, threshold {}",
        share(change),
        share(power),
        share(false_alarms),
        share(threshold)
    )
}

fn seconds(seconds: f64) -> String {
    Duration::try_from_secs_f64(seconds).map(scale::duration).unwrap_or_else(|_| "?".into())
}

fn summary(report: &ComparePlanReport) -> String {
    let total = |of: fn(&ComparePlan) -> f64| report.benchmarks.iter().map(|one| of(&one.plan)).sum::<f64>();
    let reached = report.benchmarks.iter().filter(|one| one.plan.is_reached()).count();
    format!(
        "{}: usually {}, at most {} · {reached} reach the goal",
        plural(report.benchmarks.len(), "benchmark"),
        seconds(total(|plan| plan.predicted_seconds)),
        seconds(total(|plan| plan.most_seconds))
    )
}

/// The smallest and largest number of duets: `5 to 22`.
fn duets(plan: &ComparePlan) -> String {
    if plan.floor < plan.processes {
        format!("{} to {}", plan.floor, plan.processes)
    } else {
        plan.processes.to_string()
    }
}

/// The smallest change that is found with the wanted power. Empty if it is the wanted change.
fn reachable(plan: &ComparePlan) -> String {
    match plan.reach {
        Reach::Reached => String::new(),
        Reach::Unreached { change: Some(change) } => format!("only {}", scale::share(change)),
        Reach::Unreached { change: None } => "nothing".into(),
    }
}

fn write_text(report: &ComparePlanReport, options: &TextOptions, out: &mut dyn Write) -> io::Result<()> {
    let palette = Palette { colour: options.colour };
    let mut page = Lines { limit: options.width.unwrap_or(usize::MAX).max(1), palette, out };
    let titles: Vec<&str> = report.sources.iter().map(|source| source.title.as_str()).collect();
    page.prose("from  ", &titles.join(", "), Tone::Plain)?;
    page.prose("goal  ", &goal(report), Tone::Dim)?;
    if !report.benchmarks.is_empty() {
        writeln!(page.out)?;
        table(report).write(page.limit, palette, page.out)?;
        writeln!(page.out)?;
        page.prose("", "why", Tone::Strong)?;
    }
    for one in &report.benchmarks {
        page.prose("  ", &format!("{}: {}", one.id.short_name(), one.plan.reason), Tone::Plain)?;
    }
    page.diagnostics(&report.diagnostics)?;
    writeln!(page.out)?;
    page.prose("", &summary(report), Tone::Strong)
}

fn table(report: &ComparePlanReport) -> Table {
    let columns = vec![
        Column::new("benchmark", Align::Left, None),
        Column::new("duets", Align::Right, Some(5)),
        Column::new("iterations", Align::Right, Some(4)),
        Column::new("usually", Align::Right, None),
        Column::new("at most", Align::Right, Some(1)),
        Column::new("found", Align::Right, Some(3)),
        Column::new("findable", Align::Left, Some(2)),
    ];
    let row = |one: &PlannedComparison| {
        let plan = &one.plan;
        let tone = if plan.is_reached() { Tone::Good } else { Tone::Bad };
        Line::Row(vec![
            Cell::new(terminal(one.id.short_name())),
            Cell::new(duets(plan)),
            Cell::new(plan.iterations.to_string()),
            Cell::new(seconds(plan.predicted_seconds)),
            Cell::toned(seconds(plan.most_seconds), Tone::Dim),
            Cell::toned(scale::share(plan.power), tone),
            Cell::toned(reachable(plan), Tone::Doubt),
        ])
    };
    Table { columns, lines: report.benchmarks.iter().map(row).collect() }
}

fn write_markdown(report: &ComparePlanReport, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "**{}**\n\n{}\n", escape(&summary(report)), escape(&goal(report)))?;
    writeln!(out, "| benchmark | duets | iterations | usually | at most | found | why |")?;
    writeln!(out, "|:--|--:|--:|--:|--:|--:|:--|")?;
    for one in &report.benchmarks {
        let plan = &one.plan;
        writeln!(
            out,
            "| {} | {} | {} | {} | {} | {} | {} |",
            escape(&one.name),
            duets(plan),
            plan.iterations,
            seconds(plan.predicted_seconds),
            seconds(plan.most_seconds),
            scale::share(plan.power),
            escape(&plan.reason),
        )?;
    }
    for diagnostic in &report.diagnostics {
        writeln!(out, "\n- {}", escape(&diagnostic.to_string()))?;
    }
    Ok(())
}

fn write_csv(report: &ComparePlanReport, out: &mut dyn Write) -> io::Result<()> {
    let heading = "project,benchmark,floor,cap,iterations,iteration_s,power,usual_s,most_s,reached";
    csv::write_record(heading.split(','), out)?;
    for one in &report.benchmarks {
        let plan = &one.plan;
        let project = report.sources.get(one.source).map(|source| source.project.clone());
        let fields = [
            project.unwrap_or_default(),
            one.name.clone(),
            plan.floor.to_string(),
            plan.processes.to_string(),
            plan.iterations.to_string(),
            exact(plan.seconds),
            exact(plan.power),
            exact(plan.predicted_seconds),
            exact(plan.most_seconds),
            plan.is_reached().to_string(),
        ];
        csv::write_record(fields.iter().map(String::as_str), out)?;
    }
    Ok(())
}

fn write_json(report: &ComparePlanReport, out: &mut dyn Write) -> io::Result<()> {
    let wanted = &report.wanted;
    let document = ReportWire {
        schema: SCHEMA_NAME,
        tool_version: &report.tool_version,
        change: wanted.change,
        power: wanted.power,
        false_alarms: wanted.false_alarms,
        threshold: wanted.threshold,
        sources: report.sources.iter().map(|source| source.title.as_str()).collect(),
        benchmarks: report.benchmarks.iter().map(PlannedWire::from).collect(),
        diagnostics: report.diagnostics.iter().map(DiagnosticWire::from).collect(),
    };
    serde_json::to_writer_pretty(&mut *out, &document)?;
    writeln!(out)
}

#[derive(Serialize)]
struct ReportWire<'a> {
    schema: &'static str,
    tool_version: &'a str,
    change: f64,
    power: f64,
    false_alarms: f64,
    threshold: f64,
    sources: Vec<&'a str>,
    benchmarks: Vec<PlannedWire<'a>>,
    diagnostics: Vec<DiagnosticWire<'a>>,
}

#[derive(Serialize)]
struct PlannedWire<'a> {
    source: usize,
    benchmark: BenchmarkWire<'a>,
    written_name: &'a str,
    duets_floor: u32,
    duets_cap: u32,
    iterations: u32,
    iteration_seconds: f64,
    power: f64,
    usual_seconds: f64,
    most_seconds: f64,
    is_reached: bool,
    reachable_change: Option<f64>,
    noise: Vec<NoiseWire<'a>>,
    reason: &'a str,
}

#[derive(Serialize)]
struct NoiseWire<'a> {
    level: &'a str,
    deviation: f64,
    degrees: usize,
}

impl<'a> From<&'a PlannedComparison> for PlannedWire<'a> {
    fn from(one: &'a PlannedComparison) -> Self {
        let plan = &one.plan;
        let noise = plan.noise.components.iter().map(|component| NoiseWire {
            level: &component.level,
            deviation: component.deviation(),
            degrees: component.degrees,
        });
        PlannedWire {
            source: one.source,
            benchmark: BenchmarkWire::from(&one.id),
            written_name: &one.name,
            duets_floor: plan.floor,
            duets_cap: plan.processes,
            iterations: plan.iterations,
            iteration_seconds: plan.seconds,
            power: plan.power,
            usual_seconds: plan.predicted_seconds,
            most_seconds: plan.most_seconds,
            is_reached: plan.is_reached(),
            reachable_change: match plan.reach {
                Reach::Reached => None,
                Reach::Unreached { change } => change,
            },
            noise: noise.collect(),
            reason: &plan.reason,
        }
    }
}
