//! Accepted slowdowns of a comparison.

use std::path::Path;

use benchwright_config::{ACCEPTED_FILE_NAME, Accepted, AcceptedSlowdowns, read_accepted};
use benchwright_model::{BenchmarkId, Comparison, Diagnostic, Effect, Finding, RunId, RunKind, Verdict};
use benchwright_store::Store;

use crate::listener::Listener;
use crate::problem::{Problem, because};
use crate::request::Workspace;
use crate::{project, run_id};

/// The slowdowns that the repository at `root` accepts and the old version, whose files are in `base`, does
/// not accept yet. An entry that the old version already has covers a slowdown that is part of the old
/// version. Another slowdown of the same size is a new one.
pub fn of(root: &Path, base: &Path) -> Result<(Vec<Accepted>, Vec<Diagnostic>), Problem> {
    let (now, diagnostics) = read_accepted(root)?;
    // Errors in the file of the old version do not matter: it then counts as empty.
    let before = read_accepted(base).map(|(before, _)| before).unwrap_or_default();
    Ok((now.since(&before), diagnostics))
}

/// Marks accepted slowdowns: they are shown with the reason and do not fail. A slowdown that exceeds what was
/// accepted stays as it is and gets a remark.
pub fn apply(findings: &mut [Finding], accepted: &[Accepted]) {
    for finding in findings.iter_mut().filter(|finding| finding.verdict == Verdict::Slower) {
        let is_meant =
            |entry: &&Accepted| entry.benchmark == finding.benchmark && entry.metric == finding.metric.name;
        let Some(entry) = accepted.iter().find(is_meant) else { continue };
        if covers(entry, finding) {
            finding.accepted = Some(entry.reason.clone());
            finding.fails = false;
        } else {
            let what = match entry.worsening {
                Some(worsening) => format!("{:.1} %", worsening * 100.0),
                None => "less".to_owned(),
            };
            let remark =
                format!("A slowdown of up to {what} is accepted ({}); this one is greater.", entry.reason);
            finding.warnings.push(remark);
        }
    }
}

/// Whether an entry covers a slowdown. It does not if the slowdown is shown to be greater, or if the estimate
/// exceeds the accepted value by the soft threshold.
fn covers(entry: &Accepted, finding: &Finding) -> bool {
    /// Rounding must not make two equal counts differ.
    const TOLERANCE: f64 = 1e-9;
    match (worsening(finding), entry.worsening, entry.value, finding.head) {
        (Some((centre, least, _)), Some(most), _, _) => {
            let most = most.ln_1p() + TOLERANCE;
            least <= most && centre - most < finding.thresholds.soft.ln_1p()
        }
        (None, _, Some(most), Some(head)) => head.centre <= most,
        _ => false,
    }
}

/// Centre, lower and upper end of a slowdown's effect as logarithms, where larger is worse. `None` if there
/// is no ratio.
fn worsening(finding: &Finding) -> Option<(f64, f64, f64)> {
    let Effect { centre, lo, hi, .. } = finding.effect.filter(|effect| effect.centre.is_finite())?;
    // If larger values of the metric are better, the effect of a slowdown is negative.
    Some(if centre < 0.0 { (-centre, -hi, -lo) } else { (centre, lo, hi) })
}

/// The entry that accepts a slowdown, up to the upper end of its interval.
fn entry(finding: &Finding, reason: &str, versions: &str, run: &str, at: &str) -> Accepted {
    // Rounded up, so that the entry covers the slowdown it was made for.
    let up = |ratio: f64| (ratio * 1e4).ceil() / 1e4;
    let worsening = worsening(finding).map(|(_, _, most)| up(most.exp_m1()));
    Accepted {
        benchmark: finding.benchmark.clone(),
        metric: finding.metric.name.clone(),
        worsening: worsening.filter(|ratio| ratio.is_finite()),
        value: if worsening.is_none() { finding.head.map(|head| head.centre) } else { None },
        reason: reason.into(),
        versions: versions.into(),
        run: run.into(),
        at: at.into(),
    }
}

/// The text of the file with more entries.
fn with(mut accepted: AcceptedSlowdowns, more: Vec<Accepted>) -> String {
    more.into_iter().for_each(|entry| accepted.insert(entry));
    accepted.to_string()
}

/// Accepts slowdowns of a stored comparison, in the store and in a file to be committed. `benchmark` selects
/// one benchmark by `package:name` or by name; without it, all slowdowns are accepted. `run` is the id of the
/// comparison, the beginning of one, or `latest`.
pub fn accept(
    workspace: &Workspace,
    run: &str,
    benchmark: Option<&str>,
    reason: &str,
    listener: &mut dyn Listener,
) -> Result<Vec<Finding>, Problem> {
    let (root, mut store) = project::open_store_to_write(workspace)?;
    if reason.trim().is_empty() {
        return Err(Problem::misuse("accept a slowdown without a reason", "give the reason with --reason"));
    }
    let id = comparison_id(&store, run)?;
    let comparison = store.comparison(&id)?.ok_or_else(|| no_comparison(&id))?;
    let slower = chosen(&comparison, benchmark)?;
    write_file(&root, &comparison, &slower, reason, listener)?;
    for finding in &slower {
        store.accept(&id, &finding.benchmark, &finding.metric.name, reason)?;
    }
    Ok(slower.into_iter().cloned().collect())
}

/// The id of the comparison called `asked`. `latest` is the newest comparison, even if newer runs of other
/// kinds exist.
fn comparison_id(store: &Store, asked: &str) -> Result<RunId, Problem> {
    if asked != "latest" {
        return Ok(store.find(asked)?);
    }
    let rows = store.runs(usize::MAX)?;
    let latest = rows.into_iter().find(|row| row.kind == RunKind::Compare).map(|row| row.id);
    latest.ok_or_else(|| Problem::misuse("no stored comparison", "`benchwright compare BASE` makes one"))
}

fn no_comparison(id: &RunId) -> Problem {
    let error = format!("the run {id} is not a comparison");
    Problem::misuse(error, "`benchwright show` lists the runs; only comparisons find slowdowns")
}

/// The slowdowns to accept, at least one.
fn chosen<'a>(comparison: &'a Comparison, benchmark: Option<&str>) -> Result<Vec<&'a Finding>, Problem> {
    let slower: Vec<&Finding> =
        comparison.findings.iter().filter(|finding| finding.verdict == Verdict::Slower).collect();
    let Some(asked) = benchmark else {
        let nothing = || Problem::misuse(format!("no slowdown in run {}", comparison.run.id), "");
        return if slower.is_empty() { Err(nothing()) } else { Ok(slower) };
    };
    let is_meant = |id: &BenchmarkId| id.to_string() == asked || id.name == asked || id.short_name() == asked;
    let found: Vec<&Finding> =
        slower.iter().copied().filter(|finding| is_meant(&finding.benchmark)).collect();
    if found.is_empty() {
        let names: Vec<String> = slower.iter().map(|finding| finding.benchmark.to_string()).collect();
        let hint = match names.is_empty() {
            true => "nothing is slower there".to_owned(),
            false => format!("slower in this run: {}", names.join(", ")),
        };
        let error = format!("no slowdown of `{asked}` in run {}", comparison.run.id);
        return Err(Problem::misuse(error, hint));
    }
    Ok(found)
}

fn write_file(
    root: &Path,
    comparison: &Comparison,
    slower: &[&Finding],
    reason: &str,
    listener: &mut dyn Listener,
) -> Result<(), Problem> {
    let (known, diagnostics) = read_accepted(root)?;
    // Writing the other entries would lose one that cannot be read.
    if let Some(diagnostic) = diagnostics.first() {
        listener.notice(diagnostic);
        let error = format!("add to `{ACCEPTED_FILE_NAME}`: it has an error");
        return Err(Problem::misuse(error, "correct the file first"));
    }
    let run = &comparison.run;
    let base = run.base.as_ref().map(|base| base.title()).unwrap_or_default();
    let versions = format!("{base} → {}", run.head.title());
    let at = run_id::text(run_id::now());
    let entries = slower.iter().map(|finding| entry(finding, reason.trim(), &versions, &run.id.0, &at));
    let text = with(known, entries.collect());
    let path = root.join(ACCEPTED_FILE_NAME);
    std::fs::write(&path, text).map_err(|error| {
        let what = format!("write `{}`", path.display());
        Problem::failed(because(what, error), "")
    })
}

#[cfg(test)]
mod tests {
    use benchwright_model::{Metric, Reason, Summary, Thresholds};

    use super::*;

    /// A slowdown with this effect and this half-width, in logarithms.
    fn slower(centre: f64, half: f64) -> Finding {
        Finding {
            benchmark: BenchmarkId::new("go", "p", "X"),
            metric: Metric::time(),
            verdict: Verdict::Slower,
            reason: Reason::Exact,
            effect: Some(Effect { centre, lo: centre - half, hi: centre + half, level: 0.98 }),
            base: None,
            head: None,
            duets: Vec::new(),
            fresh: 0,
            quartets: 0,
            wild: 0.0,
            thresholds: Thresholds { soft: 0.03, hard: 0.03 },
            fails: true,
            accepted: None,
            warnings: Vec::new(),
        }
    }

    fn accepting(finding: &Finding) -> Accepted {
        entry(finding, "meant", "a → b", "run", "now")
    }

    fn check(accepted: &Accepted, finding: Finding, expected: bool) {
        let mut findings = [finding];
        apply(&mut findings, std::slice::from_ref(accepted));
        let [finding] = findings;
        assert_eq!(finding.accepted.is_some(), expected, "{finding:?}");
        assert_eq!(finding.fails, !expected);
        assert_eq!(finding.warnings.is_empty(), expected);
    }

    #[test]
    fn the_same_slowdown_is_accepted_and_a_greater_one_is_not() {
        let accepted = accepting(&slower(0.10, 0.01));
        check(&accepted, slower(0.10, 0.01), true);
        check(&accepted, slower(0.05, 0.01), true);
        // The estimate is above the accepted interval, but not certainly, and by less than the threshold.
        check(&accepted, slower(0.13, 0.03), true);
        // Certainly above it.
        check(&accepted, slower(0.13, 0.01), false);
        // Not certainly above it, but the estimate exceeds it by more than the threshold.
        check(&accepted, slower(0.15, 0.05), false);
        check(&accepted, slower(0.30, 0.01), false);
    }

    #[test]
    fn a_metric_of_which_more_is_better_worsens_downwards() {
        let accepted = accepting(&slower(-0.10, 0.01));
        assert_eq!(accepted.worsening, Some(0.1163));
        check(&accepted, slower(-0.10, 0.01), true);
        check(&accepted, slower(-0.30, 0.01), false);
    }

    #[test]
    fn counts_are_accepted_up_to_their_value() {
        let third = (4.0f64 / 3.0).ln();
        check(&accepting(&slower(third, 0.0)), slower(third, 0.0), true);
        let from_zero = |head: f64| Finding {
            effect: None,
            head: Some(Summary { centre: head, spread: 0.0, trials: 5 }),
            ..slower(0.0, 0.0)
        };
        let accepted = accepting(&from_zero(3.0));
        assert_eq!((accepted.worsening, accepted.value), (None, Some(3.0)));
        check(&accepted, from_zero(3.0), true);
        check(&accepted, from_zero(4.0), false);
        check(&accepted, slower(0.1, 0.0), false);
    }

    #[test]
    fn other_benchmarks_metrics_and_verdicts_are_left_alone() {
        let accepted = accepting(&slower(0.10, 0.01));
        let mut findings = [
            Finding { benchmark: BenchmarkId::new("go", "p", "Y"), ..slower(0.1, 0.01) },
            Finding { metric: Metric::allocations_per_op(), ..slower(0.1, 0.01) },
            Finding { verdict: Verdict::Faster, ..slower(-0.1, 0.01) },
        ];
        let before = findings.clone();
        apply(&mut findings, &[accepted]);
        assert_eq!(findings, before);
    }
}
