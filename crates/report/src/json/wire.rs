//! The structure of the document. The schema describes the fields.

use std::collections::BTreeMap;

use benchwright_formats::RunDocument;
use benchwright_model::{
    BenchmarkId, Comparison, Diagnostic, Effect, FailureSummary, Finding, Reason, Summary, Trial,
};
use serde::Serialize;

use super::SCHEMA_NAME;
use crate::gate::Gate;
use crate::overview::Overview;
use crate::stops::{self, StopWire};

#[derive(Serialize)]
pub(super) struct ComparisonWire<'a> {
    schema: &'static str,
    run: RunDocument<'a>,
    rule: RuleWire<'a>,
    is_partial: bool,
    counts: CountsWire,
    gate: Option<GateWire>,
    geomean_ratio: Option<f64>,
    findings: Vec<FindingWire<'a>>,
    added: Vec<BenchmarkWire<'a>>,
    removed: Vec<BenchmarkWire<'a>>,
    failures: Vec<FailureWire<'a>>,
    diagnostics: Vec<DiagnosticWire<'a>>,
    stops: Vec<StopWire>,
}

impl<'a> ComparisonWire<'a> {
    pub(super) fn of(comparison: &'a Comparison, trials: &[Trial]) -> Self {
        let overview = Overview::of(comparison);
        ComparisonWire {
            schema: SCHEMA_NAME,
            run: RunDocument::from(&comparison.run),
            rule: RuleWire { name: &comparison.rule, note: &comparison.rule_note },
            is_partial: comparison.is_partial,
            counts: CountsWire::from(&overview),
            gate: Gate::required_by(&comparison.run, comparison).map(|gate| GateWire::from(&gate)),
            geomean_ratio: overview.geomean().map(|(change, _)| 1.0 + change),
            findings: comparison.findings.iter().map(FindingWire::from).collect(),
            added: comparison.added.iter().map(BenchmarkWire::from).collect(),
            removed: comparison.removed.iter().map(BenchmarkWire::from).collect(),
            failures: comparison.failures.iter().map(FailureWire::from).collect(),
            diagnostics: comparison.diagnostics.iter().map(DiagnosticWire::from).collect(),
            stops: stops::wires(trials),
        }
    }
}

#[derive(Serialize)]
struct RuleWire<'a> {
    name: &'a str,
    note: &'a str,
}

#[derive(Serialize)]
struct GateWire {
    decided: usize,
    benchmarks: usize,
    required: f64,
    is_blind: bool,
    complaint: Option<String>,
}

impl From<&Gate> for GateWire {
    fn from(gate: &Gate) -> Self {
        let (decided, benchmarks, required) = gate.counts();
        let is_blind = !gate.could_see();
        GateWire { decided, benchmarks, required, is_blind, complaint: is_blind.then(|| gate.line()) }
    }
}

#[derive(Serialize)]
struct CountsWire {
    benchmarks: usize,
    duets: usize,
    failing: usize,
    slower: usize,
    faster: usize,
    changed: usize,
    same: usize,
    undecided: usize,
    not_measured: usize,
}

impl From<&Overview<'_>> for CountsWire {
    fn from(overview: &Overview<'_>) -> Self {
        let counts = overview.counts;
        CountsWire {
            benchmarks: overview.benchmarks,
            duets: overview.duets,
            failing: overview.failing,
            slower: counts.slower,
            faster: counts.faster,
            changed: counts.changed,
            same: counts.same,
            undecided: counts.undecided,
            not_measured: counts.not_measured,
        }
    }
}

#[derive(Serialize)]
pub(crate) struct BenchmarkWire<'a> {
    harness: &'a str,
    package: &'a str,
    name: &'a str,
}

impl<'a> From<&'a BenchmarkId> for BenchmarkWire<'a> {
    fn from(id: &'a BenchmarkId) -> Self {
        BenchmarkWire { harness: &id.harness, package: &id.package, name: &id.name }
    }
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

#[derive(Serialize)]
struct FindingWire<'a> {
    benchmark: BenchmarkWire<'a>,
    metric: MetricWire<'a>,
    verdict: &'static str,
    reason: ReasonWire,
    effect: Option<EffectWire>,
    base: Option<SummaryWire>,
    head: Option<SummaryWire>,
    duet_ratios: Vec<f64>,
    fresh_duets: u32,
    #[serde(skip_serializing_if = "is_zero")]
    quartets: u32,
    wild_ratio: f64,
    thresholds: ThresholdsWire,
    fails: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    accepted: Option<&'a str>,
    warnings: &'a [String],
}

impl<'a> From<&'a Finding> for FindingWire<'a> {
    fn from(finding: &'a Finding) -> Self {
        FindingWire {
            benchmark: BenchmarkWire::from(&finding.benchmark),
            metric: MetricWire {
                name: &finding.metric.name,
                unit: finding.metric.unit.word(),
                direction: finding.metric.direction.word(),
                nature: finding.metric.nature.word(),
            },
            verdict: finding.verdict.name(),
            reason: ReasonWire::from(&finding.reason),
            effect: finding.effect.as_ref().map(EffectWire::from),
            base: finding.base.as_ref().map(SummaryWire::from),
            head: finding.head.as_ref().map(SummaryWire::from),
            duet_ratios: finding.duets.iter().map(|log_ratio| log_ratio.exp()).collect(),
            fresh_duets: finding.fresh,
            quartets: finding.quartets,
            wild_ratio: finding.wild,
            thresholds: ThresholdsWire { soft: finding.thresholds.soft, hard: finding.thresholds.hard },
            fails: finding.fails,
            accepted: finding.accepted.as_deref(),
            warnings: &finding.warnings,
        }
    }
}

#[derive(Serialize)]
struct MetricWire<'a> {
    name: &'a str,
    unit: &'a str,
    direction: &'static str,
    nature: &'static str,
}

#[derive(Serialize)]
struct ThresholdsWire {
    soft: f64,
    hard: f64,
}

#[derive(Serialize)]
struct EffectWire {
    ratio: f64,
    lo: f64,
    hi: f64,
    level: f64,
}

impl From<&Effect> for EffectWire {
    fn from(effect: &Effect) -> Self {
        EffectWire {
            ratio: effect.centre.exp(),
            lo: effect.lo.exp(),
            hi: effect.hi.exp(),
            level: effect.level,
        }
    }
}

#[derive(Serialize)]
struct SummaryWire {
    centre: f64,
    spread: f64,
    trials: u32,
}

impl From<&Summary> for SummaryWire {
    fn from(summary: &Summary) -> Self {
        SummaryWire { centre: summary.centre, spread: summary.spread, trials: summary.trials }
    }
}

#[derive(Serialize)]
struct ReasonWire {
    code: &'static str,
    text: String,
    numbers: BTreeMap<&'static str, f64>,
}

impl From<&Reason> for ReasonWire {
    fn from(reason: &Reason) -> Self {
        let mut numbers = BTreeMap::new();
        match reason {
            Reason::Confirmed { evidence, needed, layouts }
            | Reason::NotConfirmed { evidence, needed, layouts } => {
                numbers.insert("evidence", *evidence);
                numbers.insert("needed", *needed);
                numbers.insert("layouts", f64::from(*layouts));
            }
            Reason::TooNoisy { duets_needed: Some(n) } | Reason::OutOfBudget { duets_needed: Some(n) } => {
                numbers.insert("duets_needed", f64::from(*n));
            }
            Reason::PlacementOnly { as_built, layouts } => {
                numbers.insert("as_built", *as_built);
                numbers.insert("layouts", f64::from(*layouts));
            }
            Reason::RankTest { p } => {
                numbers.insert("p", *p);
            }
            Reason::TooCoarse { step } => {
                numbers.insert("step", *step);
            }
            Reason::FewProcesses { processes, needed } => {
                numbers.insert("processes", f64::from(*processes));
                numbers.extend(needed.map(|n| ("processes_needed", f64::from(n))));
            }
            _ => {}
        }
        ReasonWire { code: reason_code(reason), text: reason.describe(), numbers }
    }
}

#[derive(Serialize)]
struct FailureWire<'a> {
    benchmark: BenchmarkWire<'a>,
    side: &'static str,
    trials: u32,
    kind: &'static str,
    number: Option<i32>,
    text: String,
    detail: &'a str,
}

impl<'a> From<&'a FailureSummary> for FailureWire<'a> {
    fn from(failure: &'a FailureSummary) -> Self {
        let (kind, number) = failure.kind.code();
        FailureWire {
            benchmark: BenchmarkWire::from(&failure.benchmark),
            side: failure.side.name(),
            trials: failure.trials,
            kind,
            number,
            text: failure.kind.describe(),
            detail: &failure.detail,
        }
    }
}

#[derive(Serialize)]
pub(crate) struct DiagnosticWire<'a> {
    severity: &'static str,
    subject: &'a str,
    line: Option<u32>,
    column: Option<u32>,
    message: &'a str,
    hint: &'a str,
}

impl<'a> From<&'a Diagnostic> for DiagnosticWire<'a> {
    fn from(diagnostic: &'a Diagnostic) -> Self {
        DiagnosticWire {
            severity: diagnostic.severity.word(),
            subject: &diagnostic.subject,
            line: diagnostic.position.map(|at| at.line),
            column: diagnostic.position.map(|at| at.column),
            message: &diagnostic.message,
            hint: &diagnostic.hint,
        }
    }
}

/// The reason's name in documents for programs.
pub(crate) fn reason_code(reason: &Reason) -> &'static str {
    match reason {
        Reason::WithinThreshold => "within_threshold",
        Reason::CertainButSmall => "certain_but_small",
        Reason::IdenticalBuild => "identical_build",
        Reason::Exact => "exact",
        Reason::Confirmed { .. } => "confirmed",
        Reason::Rule { .. } => "rule",
        Reason::RankTest { .. } => "rank_test",
        Reason::NotConfirmed { .. } => "not_confirmed",
        Reason::PlacementOnly { .. } => "placement_only",
        Reason::ChangedBelowThreshold => "changed_below_threshold",
        Reason::ChangedNearThreshold => "changed_near_threshold",
        Reason::TooNoisy { .. } => "too_noisy",
        Reason::OutOfBudget { .. } => "out_of_budget",
        Reason::TooCoarse { .. } => "too_coarse",
        Reason::FewProcesses { .. } => "few_processes",
        Reason::OneProcess => "one_process",
        Reason::SummaryOnly => "summary_only",
        Reason::Interrupted => "interrupted",
        Reason::Failed { .. } => "failed",
        Reason::NoRatio => "no_ratio",
        Reason::Informational => "informational",
    }
}
