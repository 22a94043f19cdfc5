//! `benchwright show`: stored runs.

use std::collections::HashSet;
use std::io::Write;
use std::path::Path;

use benchwright_analysis::replay_limited;
use benchwright_config::{GivenNumbers, Layer, Settings};
use benchwright_model::{BenchmarkId, Comparison, Finding, Reason, RunKind, Trial, Verdict};
use benchwright_report::visible_line;
use benchwright_store::{RunRecord, RunRow, Store};

use crate::args::{Global, ShowArgs};
use crate::exit::Outcome;
use crate::output;
use crate::terminal::{Terminal, print};
use benchwright_session::follow::Followed;
use benchwright_session::words::count;
use benchwright_session::{PlanChoice, Problem, Selection, misconfigured};
use benchwright_session::{decide, project, run_id};

/// Lists the stored runs, or shows one.
pub(crate) fn run(global: &Global, args: &ShowArgs) -> Result<Outcome, Problem> {
    let formats = output::Formats::of(&args.output)?;
    let (root, store) = project::open_store(&global.workspace())?;
    let Some(asked) = &args.run else {
        let rows = store.runs(args.limit)?;
        if args.output.format.as_deref() == Some("json") {
            print(|out| writeln!(out, "{:#}", list_json(&rows)))?;
        } else {
            print(|out| list_text(&rows, out))?;
        }
        return Ok(Outcome::default());
    };
    let mut terminal = Terminal::new(global);
    let settings = project::settings(&global.workspace(), &root, &root, Layer::default(), &mut terminal);
    let terminal = settings.map_or(terminal, |settings| terminal.configured(settings.colour));
    let id = store.find(asked)?;
    let stored = if args.recompute || formats.uses_trials() { None } else { store.comparison(&id)? };
    let (comparison, trials) = match stored {
        Some(comparison) => (comparison, Vec::new()),
        None => {
            let record = store.load(&id)?;
            if matches!(record.run.kind, RunKind::Levels | RunKind::Imported) {
                formats.write_levels(&record.run, &record.trials, terminal)?;
                return Ok(Outcome::default());
            }
            let comparison = match record.comparison.clone() {
                Some(comparison) if !args.recompute => comparison,
                _ => recompute(args, record.clone(), &root)?,
            };
            (comparison, record.trials)
        }
    };
    formats.write(&comparison, &trials, terminal, args.all)?;
    Ok(Outcome::default())
}

/// The verdicts of a stored comparison, decided again from its raw values by the settings of the run and the flags given now.
fn recompute(args: &ShowArgs, mut record: RunRecord, root: &Path) -> Result<Comparison, Problem> {
    let own = &mut record.run.settings;
    if let Some(threshold) = &args.threshold {
        own.insert("threshold".into(), threshold.clone());
        own.insert("fail-threshold".into(), threshold.clone());
    }
    own.extend(args.fail_threshold.clone().map(|hard| ("fail-threshold".into(), hard)));
    let settings = &Settings::resolve(decide::recorded(&record.run)?).map_err(misconfigured)?;
    let judge = decide::judge(settings, record.run.seed);
    let rule = judge.rule.clone();
    // A run that followed a plan took as many duets as that said.
    let no_plan = !record.run.settings.contains_key("plan");
    let plan = if no_plan { PlanChoice::Ignored } else { PlanChoice::OfRepository };
    let followed = Followed::find(root, &plan, &Selection::default())?;
    let mut limits = decide::limits(settings, &rule, record.trials.iter().map(|trial| &trial.benchmark));
    if let Some(followed) = followed {
        limits.extend(followed.limits(&rule, settings, &GivenNumbers::default()));
    }
    let stored = record.comparison.clone();
    let unmeasured = stored.as_ref().map_or(0, |comparison| unmeasured(comparison, &record.trials));
    let mut findings = replay_limited(&record.trials, judge, &limits, unmeasured);
    if !record.is_partial {
        let is_as_it_was = args.threshold.is_none() && args.fail_threshold.is_none();
        let before = stored.iter().filter(|_| is_as_it_was).flat_map(|comparison| &comparison.findings);
        let before: Vec<&Finding> = before.collect();
        finish(&mut findings, &before);
    }
    // What was not decided from values stays as it was: failures, and builds too alike to be measured.
    let undecidable = |finding: &&Finding| {
        finding.verdict == Verdict::NotMeasured
            || matches!(
                finding.reason,
                Reason::Failed { .. } | Reason::IdenticalBuild | Reason::OutOfBudget { .. }
            )
    };
    for known in stored.iter().flat_map(|comparison| &comparison.findings).filter(undecidable) {
        let again = findings
            .iter_mut()
            .find(|finding| finding.benchmark == known.benchmark && finding.metric == known.metric);
        match again {
            Some(finding) if matches!(finding.reason, Reason::Interrupted | Reason::Failed { .. }) => {
                *finding = known.clone();
            }
            Some(_) => {}
            None => findings.push(known.clone()),
        }
    }
    Ok(Comparison {
        run: record.run.clone(),
        rule: rule.name().into(),
        rule_note: rule.note(),
        findings,
        added: stored.as_ref().map(|c| c.added.clone()).unwrap_or_default(),
        removed: stored.as_ref().map(|c| c.removed.clone()).unwrap_or_default(),
        failures: benchwright_runner::failures(&record.trials),
        diagnostics: stored.map(|c| c.diagnostics).unwrap_or_default(),
        is_partial: record.is_partial,
    })
}

/// A run that was not interrupted has no interrupted benchmarks: what is open stays as it was `before`, or, by another threshold,
/// has too few duets.
fn finish(findings: &mut [Finding], before: &[&Finding]) {
    for finding in findings.iter_mut().filter(|finding| finding.reason == Reason::Interrupted) {
        let is_same =
            |known: &&&Finding| known.benchmark == finding.benchmark && known.metric == finding.metric;
        match before.iter().find(is_same) {
            Some(known) => *finding = (*known).clone(),
            None => finding.reason = Reason::TooNoisy { duets_needed: None },
        }
    }
}

/// How many benchmarks of a comparison there was no time for.
fn unmeasured(comparison: &Comparison, trials: &[Trial]) -> usize {
    let measured: HashSet<&BenchmarkId> = trials.iter().map(|trial| &trial.benchmark).collect();
    let is_left_out = |finding: &&Finding| {
        !measured.contains(&finding.benchmark) && finding.reason != Reason::IdenticalBuild
    };
    let left_out = comparison.findings.iter().filter(is_left_out);
    left_out.map(|finding| &finding.benchmark).collect::<HashSet<_>>().len()
}

fn list_text(rows: &[RunRow], out: &mut dyn Write) -> std::io::Result<()> {
    if rows.is_empty() {
        return writeln!(out, "no runs yet");
    }
    for row in rows {
        let what = match &row.base {
            Some(base) => format!("{} → {}", base.title(), row.head.title()),
            None => row.head.title(),
        };
        writeln!(
            out,
            "{}  {}  {}  {}",
            row.id,
            run_id::text(row.started_at),
            counts(row),
            visible_line(&what)
        )?;
    }
    Ok(())
}

fn counts(row: &RunRow) -> String {
    let verdicts = &row.verdicts;
    let mut text = match row.kind {
        RunKind::Levels => measured(row),
        RunKind::Imported => format!("imported: {}", measured(row)),
        RunKind::Compare => {
            let not_measured = match verdicts.not_measured {
                0 => String::new(),
                n => format!(", {n} not measured"),
            };
            format!(
                "{} slower, {} faster, {} same, {} undecided{not_measured}",
                verdicts.slower, verdicts.faster, verdicts.same, verdicts.undecided
            )
        }
    };
    if row.is_partial {
        text.push_str(" (partial)");
    }
    text
}

fn measured(row: &RunRow) -> String {
    let benchmarks = count(row.benchmarks, "benchmark");
    let ending = if row.trials == 1 { "" } else { "es" };
    format!("{benchmarks}, {} process{ending}", row.trials)
}

fn list_json(rows: &[RunRow]) -> serde_json::Value {
    let row = |row: &RunRow| {
        serde_json::json!({
            "id": row.id.0,
            "kind": kind(row.kind),
            "started": run_id::text(row.started_at),
            "base": row.base.as_ref().map(|version| version.title()),
            "head": row.head.title(),
            "partial": row.is_partial,
            "benchmarks": row.benchmarks,
            "trials": row.trials,
            "slower": row.verdicts.slower,
            "faster": row.verdicts.faster,
            "changed": row.verdicts.changed,
            "same": row.verdicts.same,
            "undecided": row.verdicts.undecided,
            "not_measured": row.verdicts.not_measured,
        })
    };
    serde_json::json!({ "schema": "benchwright.runs/1", "runs": rows.iter().map(row).collect::<Vec<_>>() })
}

fn kind(kind: RunKind) -> &'static str {
    match kind {
        RunKind::Compare => "compare",
        RunKind::Levels => "run",
        RunKind::Imported => "import",
    }
}

/// Opens the store for a command that needs it whole.
pub(crate) fn load(store: &Store, asked: &str) -> Result<RunRecord, Problem> {
    let id = store.find(asked)?;
    Ok(store.load(&id)?)
}
