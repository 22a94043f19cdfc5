//! The content of one run: findings, and the values behind them.

use std::path::Path;

use benchwright_analysis::agree::{Sample, samples};
use benchwright_analysis::{ApartSettings, compare_apart, replay};
use benchwright_config::Settings;
use benchwright_formats::Format;
use benchwright_model::{Diagnostic, Finding, Position, RunKind, Side, Trial};
use benchwright_report::agreement::ComparedRun;
use benchwright_store::RunRecord;

use super::Duets;
use crate::apart::{Matched, matched, newest_of};
use crate::problem::Problem;
use crate::recorded::{self, Recorded};
use crate::request::Workspace;
use crate::{decide, project};

/// One of the two runs to compare.
pub(super) struct Told {
    pub(super) run: ComparedRun,
    /// The rule that decided, as given to `--rule`.
    pub(super) rule: String,
    /// Base and head, identified by their content. `None` if unknown.
    pub(super) versions: Option<[String; 2]>,
    pub(super) findings: Vec<Finding>,
    pub(super) samples: Vec<Sample>,
    pub(super) duets: Duets,
    pub(super) diagnostics: Vec<Diagnostic>,
}

impl Told {
    /// Whether base and head are the same.
    pub(super) fn is_same_code(&self) -> bool {
        self.versions.as_ref().is_some_and(|[base, head]| base == head)
    }
}

/// Reads both runs. `names` are two runs, or base and head of each.
pub(super) fn read(
    workspace: &Workspace,
    settings: &Settings,
    names: &[String],
    seed: u64,
) -> Result<[Told; 2], Problem> {
    let directory = workspace.directory()?;
    match names {
        [first, second] => {
            Ok([one(workspace, settings, &directory, first)?, one(workspace, settings, &directory, second)?])
        }
        [base, head, other_base, other_head] => Ok([
            apart(settings, &directory, [base, head], seed)?,
            apart(settings, &directory, [other_base, other_head], seed)?,
        ]),
        _ => {
            let error = "expected two or four names, got three";
            Err(Problem::misuse(error, "name two runs, or base and head of the first and of the second"))
        }
    }
}

fn one(workspace: &Workspace, settings: &Settings, directory: &Path, name: &str) -> Result<Told, Problem> {
    if directory.join(name).exists() {
        return of_file(settings, directory, name);
    }
    let store = project::open_store_for(workspace, name)?;
    let record = store.load(&store.find(name)?)?;
    of_run(settings, record)
}

fn of_run(settings: &Settings, record: RunRecord) -> Result<Told, Problem> {
    let run = &record.run;
    let (RunKind::Compare, Some(base)) = (run.kind, &run.base) else {
        let error = format!("use run {}: it measured one version", run.id);
        return Err(Problem::misuse(error, "`benchwright show` lists the comparisons"));
    };
    let title = format!("{} → {}, run {}", base.title(), run.head.title(), run.id);
    let versions = [base, &run.head].map(|version| version.tree.clone());
    let judge = decide::judge(settings, run.seed);
    let mut diagnostics = Vec::new();
    if record.is_partial {
        diagnostics.push(Diagnostic::warning(run.id.to_string(), "ended before every benchmark was decided"));
    }
    let (rule, findings) = match record.comparison {
        Some(comparison) => (comparison.rule, comparison.findings),
        None => (judge.rule.name().to_owned(), replay(&record.trials, judge)),
    };
    let compared = ComparedRun { title, run: Some(run.id.to_string()) };
    let versions = versions.iter().all(|tree| !tree.is_empty()).then_some(versions);
    Ok(told(compared, rule, versions, findings, &record.trials, diagnostics))
}

/// A file of raw samples that has both versions.
fn of_file(settings: &Settings, directory: &Path, name: &str) -> Result<Told, Problem> {
    let mut sets = recorded::read(name, directory, recorded::limits_of(settings.files))?;
    let formats = [Format::Samples, Format::SamplesCsv, Format::Parquet].map(Format::name);
    if sets.len() != 2 || !sets.iter().all(|set| formats.contains(&set.format.as_str())) {
        let error = format!("no base and head in `{name}`");
        let hint = "a file of one version is half of a comparison; name four files: base and head of the first run, then of the second; \
                    `benchwright export --format samples-json` writes both into one file";
        return Err(Problem::misuse(error, hint));
    }
    let diagnostics = sets.iter().flat_map(|set| set.diagnostics.clone()).collect();
    let revisions = [&sets[0], &sets[1]].map(|set| set.revision.clone());
    let versions = match revisions {
        [Some(base), Some(head)] => Some([base, head]),
        _ => None,
    };
    let (head, base) = (sets.remove(1), sets.remove(0));
    let mut trials: Vec<Trial> = base.into_trials(Side::Base).chain(head.into_trials(Side::Head)).collect();
    trials.iter_mut().for_each(as_duet);
    let judge = decide::judge(settings, 0);
    let rule = judge.rule.name().to_owned();
    let findings = replay(&trials, judge);
    let run = ComparedRun { title: name.to_owned(), run: None };
    Ok(told(run, rule, versions, findings, &trials, diagnostics))
}

/// Turns a trial from a file back into a half of a duet. Files store the duet's number and attempt as levels,
/// because readers of one side have no duets.
fn as_duet(trial: &mut Trial) {
    if let Position::Levels { suite_run: attempt, iteration: index, .. } = trial.position {
        trial.position = Position::Duet { index, attempt, first: trial.side == Side::Base };
    }
}

fn told(
    run: ComparedRun,
    rule: String,
    versions: Option<[String; 2]>,
    findings: Vec<Finding>,
    trials: &[Trial],
    diagnostics: Vec<Diagnostic>,
) -> Told {
    let main = findings.iter().filter(|finding| finding.metric.is_main());
    let duets = main.map(|finding| (finding.benchmark.clone(), finding.duets.clone())).collect();
    Told { run, rule, versions, findings, samples: samples(trials), duets, diagnostics }
}

/// Reads base and head from one file each.
fn apart(
    settings: &Settings,
    directory: &Path,
    [base, head]: [&String; 2],
    seed: u64,
) -> Result<Told, Problem> {
    let side = |name: &String| -> Result<Recorded, Problem> {
        if name != "-" && !directory.join(name).exists() {
            let error = format!("no file `{name}`");
            return Err(Problem::misuse(error, format!("looked in `{}`", directory.display())));
        }
        newest_of(name, recorded::read(name, directory, recorded::limits_of(settings.files))?).ok_or_else(
            || {
                Problem::failed(
                    format!("no results in `{name}`"),
                    "the format was recognised, but the file has no benchmarks",
                )
            },
        )
    };
    let (base, head) = (side(base)?, side(head)?);
    let title = format!("{} → {}", base.name, head.name);
    let mut diagnostics: Vec<Diagnostic> =
        [&base, &head].iter().flat_map(|side| side.diagnostics.clone()).collect();
    let [base, head] = [base, head]
        .map(|side| side.benchmarks.into_iter().map(|known| (known.id, known.side)).collect::<Vec<_>>());
    let Matched { both, .. } = matched(base, head);
    let judge = decide::judge(settings, seed);
    let (rule, thresholds) = (judge.rule.apart(), judge.thresholds);
    let found = compare_apart(&both, &ApartSettings { rule, thresholds, seed });
    diagnostics.extend(found.diagnostics);
    Ok(Told {
        run: ComparedRun { title, run: None },
        rule: rule.name().into(),
        versions: None,
        findings: found.findings,
        samples: both.iter().filter_map(Sample::of_apart).collect(),
        duets: Duets::new(),
        diagnostics,
    })
}
