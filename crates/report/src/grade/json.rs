//! Everything, for programs. Within `benchwright.grade/1` fields are only added.

use std::io::{self, Write};

use benchwright_analysis::grade::{Cause, Cell, Scores, Stability};
use serde_json::{Value, json};

use super::{Api, Extent, GateTrial, GradeReport, Selection, StabilityTable};
use crate::json::DiagnosticWire;

/// The value of the field `schema` in every document.
pub const SCHEMA_NAME: &str = "benchwright.grade/1";

/// The JSON Schema of the documents, published as `docs/schema/grade.schema.json`.
pub const SCHEMA: &str = include_str!("../../../../docs/schema/grade.schema.json");

pub(super) fn write(report: &GradeReport, out: &mut dyn Write) -> io::Result<()> {
    let diagnostics: Vec<DiagnosticWire<'_>> = report.diagnostics.iter().map(DiagnosticWire::from).collect();
    let document = json!({
        "schema": SCHEMA_NAME,
        "tool_version": report.tool_version,
        "title": report.title,
        "extent": report.extent.as_ref().map(extent),
        "stability": report.stability.iter().map(stability).collect::<Vec<_>>(),
        "api": report.api.as_ref().map(api),
        "selection": report.selection.as_ref().map(selection),
        "gate": report.gate.as_ref().map(gate),
        "diagnostics": diagnostics,
    });
    serde_json::to_writer_pretty(&mut *out, &document)?;
    writeln!(out)
}

fn extent(extent: &Extent) -> Value {
    let named = |(name, count): &(String, usize)| json!({ "harness": name, "benchmarks": count });
    let dearest = |(name, share): &(String, f64)| json!({ "benchmark": name, "share": share });
    let budget = |(seconds, benchmarks): &(f64, u32)| json!({ "seconds": seconds, "benchmarks": benchmarks });
    json!({
        "benchmarks": extent.benchmarks,
        "packages": extent.packages,
        "harnesses": extent.harnesses.iter().map(named).collect::<Vec<_>>(),
        "run_seconds": extent.runs,
        "most_time": extent.dearest.iter().map(dearest).collect::<Vec<_>>(),
        "comparison_seconds": extent.comparison.map(|[low, middle, high]| json!({ "low": low, "middle": middle, "high": high })),
        "budgets": extent.budgets.iter().map(budget).collect::<Vec<_>>(),
    })
}

fn stability(table: &StabilityTable) -> Value {
    let class = |(name, count): &(&str, usize)| json!({ "class": name, "benchmarks": count });
    let left_out = |(name, reason): &(String, String)| json!({ "benchmark": name, "reason": reason });
    json!({
        "title": table.title,
        "environment": table.environment,
        "runs": table.runs,
        "duets": table.duets,
        "budget_seconds": table.budget,
        "classes": table.classes.iter().map(class).collect::<Vec<_>>(),
        "spread_95": table.spread_95,
        "benchmarks": table.benchmarks.iter().map(benchmark).collect::<Vec<_>>(),
        "left_out": table.left_out.iter().map(left_out).collect::<Vec<_>>(),
    })
}

fn benchmark((name, it): &(String, Stability)) -> Value {
    let (cause, size) = match it.cause {
        None => (None, None),
        Some(Cause::Resolution(size)) => (Some("resolution"), Some(size)),
        Some(Cause::Drift(size)) => (Some("drift"), Some(size)),
        Some(Cause::WarmUp(size)) => (Some("warm-up"), Some(size)),
        Some(Cause::TwoModes(size)) => (Some("two-modes"), Some(size)),
        Some(Cause::Allocation(size)) => (Some("allocation"), Some(size)),
    };
    json!({
        "benchmark": name,
        "max_spread": it.max_spread,
        "within_runs": it.within,
        "between_runs": it.between,
        "smallest_change": it.smallest_change,
        "cause": cause,
        "cause_size": size,
    })
}

fn scores(scores: &Scores) -> Value {
    json!({ "total": scores.total, "relative": scores.relative, "absolute": scores.absolute })
}

fn cell(cell: &Cell) -> &'static str {
    match cell {
        Cell::Unreached => "not-called",
        Cell::Unknown => "unknown",
        Cell::Missed => "missed",
        Cell::Seen => "seen",
    }
}

fn api(api: &Api) -> Value {
    let function = |(at, function): (usize, &super::ApiFunction)| {
        json!({
            "function": function.address,
            "weight": function.weight,
            "covered": function.is_covered,
            "covered_as_published": function.is_covered_as_published,
            "real_slowdown": function.real_slowdown,
            "benchmarks": api.cells[at].iter().map(cell).collect::<Vec<_>>(),
        })
    };
    let benchmark = |one: &super::ApiBenchmark| json!({ "benchmark": one.name, "max_spread": one.max_spread, "seconds": one.seconds });
    let point = |(seconds, functions): &(f64, usize)| json!({ "seconds": seconds, "functions": functions });
    let skipped = |(function, reason): &(String, String)| json!({ "function": function, "reason": reason });
    json!({
        "slowdown": api.slowdown,
        "slowdown_note": api.slowdown_note,
        "functions_note": api.functions_note,
        "scores": api.scores.as_ref().map(scores),
        "published_scores": api.published_scores.as_ref().map(scores),
        "functions": api.functions.iter().enumerate().map(function).collect::<Vec<_>>(),
        "benchmarks": api.benchmarks.iter().map(benchmark).collect::<Vec<_>>(),
        "needed": api.needed.iter().map(|at| &api.benchmarks[*at].name).collect::<Vec<_>>(),
        "is_smallest": api.is_smallest,
        "curve": api.curve.iter().map(point).collect::<Vec<_>>(),
        "groups": api.groups,
        "seconds": api.seconds,
        "naive_seconds": api.naive_seconds,
        "skipped": api.skipped.iter().map(skipped).collect::<Vec<_>>(),
    })
}

fn selection(selection: &Selection) -> Value {
    json!({
        "goal": selection.goal,
        "kept": selection.kept,
        "seconds": selection.seconds[0],
        "all_seconds": selection.seconds[1],
        "functions": selection.covered[0],
        "all_functions": selection.covered[1],
        "lost": selection.lost,
        "is_best": selection.is_best,
    })
}

fn gate(gate: &GateTrial) -> Value {
    let slowdown = |it: &super::TriedSlowdown| json!({ "slowdown": it.slowdown, "real": it.real, "failed": it.failed, "tried": it.tried });
    json!({
        "function": gate.function,
        "settings": gate.settings,
        "unchanged": { "failed": gate.false_alarms.0, "tried": gate.false_alarms.1 },
        "slowdowns": gate.slowdowns.iter().map(slowdown).collect::<Vec<_>>(),
        "smallest_seen": gate.smallest_seen(),
        "blind": gate.blind,
        "comparison_seconds": gate.seconds,
    })
}
