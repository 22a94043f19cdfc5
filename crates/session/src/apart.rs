//! Compares results that were measured earlier.
//!
//! Nothing is built, measured or stored. The sides were measured apart, so the paired rule does not apply; see
//! `benchwright_analysis::compare_apart`.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use benchwright_analysis::{ApartBenchmark, ApartRule, ApartSettings, ApartSide, compare_apart};
use benchwright_config::Settings;
use benchwright_formats::{Limits, ReadError};
use benchwright_model::{BenchmarkId, Comparison, Diagnostic, Environment, Run, RunKind, Severity};
use benchwright_runner::Repository;
use benchwright_store::Store;

use crate::problem::Problem;
use crate::project;
use crate::recorded::{self, Recorded};
use crate::request::Workspace;
use crate::{decide, keep};

/// Facts about the machine. If both sides have one and it differs, they were measured on different machines.
const MACHINE_FACTS: [&str; 17] = [
    "arch",
    "cores",
    "cpu",
    "cpu_count",
    "cpu_model_name",
    "goarch",
    "goos",
    "host_name",
    "hostname",
    "machine",
    "memory",
    "node",
    "num_cpus",
    "os",
    "platform",
    "processor",
    "system",
];

/// File endings. A name with one of these that is not a revision is taken for a missing file.
const FILE_ENDINGS: [&str; 9] = [".json", ".txt", ".csv", ".ndjson", ".jsonl", ".gz", ".out", ".log", ".xml"];

/// The results of both sides, if the names stand for results that were measured earlier. `None` if they are
/// names of versions.
pub fn named(
    workspace: &Workspace,
    limits: Limits,
    base: &str,
    head: Option<&str>,
) -> Result<Option<[Recorded; 2]>, Problem> {
    let directory = workspace.directory()?;
    let repository = Repository::discover(&directory).ok();
    let finder = Finder { workspace, limits, directory: &directory, repository };
    let first = finder.find(base)?;
    let second = head.map(|head| finder.find(head)).transpose()?;
    match (first, second) {
        (Some(base), Some(Some(head))) => Ok(Some([base, head])),
        (None, None | Some(None)) => Ok(None),
        (first, _) => {
            let (file, other) = match (&first, head) {
                (Some(_), Some(head)) => (base, format!("the revision `{head}`")),
                (Some(_), None) => (base, "the working tree".to_owned()),
                (None, head) => (head.unwrap_or_default(), format!("the revision `{base}`")),
            };
            let error = format!("compare the results in `{file}` with {other}");
            Err(Problem::misuse(
                error,
                "name two files or stored runs, or two revisions; --rev takes both as revisions",
            ))
        }
    }
}

/// Decides what an argument stands for.
struct Finder<'a> {
    workspace: &'a Workspace,
    limits: Limits,
    directory: &'a Path,
    repository: Option<Repository>,
}

impl Finder<'_> {
    /// The results that `name` stands for. `None` if it is a revision or unknown.
    fn find(&self, name: &str) -> Result<Option<Recorded>, Problem> {
        if name == "-" || self.directory.join(name).exists() {
            return match recorded::read(name, self.directory, self.limits) {
                Ok(sets) => Ok(newest_of(name, sets)),
                Err(error) if !is_of_the_world(&error) && self.is_revision(name) => Ok(None),
                Err(error) => Err(Problem::from(error)),
            };
        }
        if (name == "latest" || looks_like_a_run(name)) && !self.is_revision(name) {
            return self.stored(name).map(Some);
        }
        let looks_like_a_file = FILE_ENDINGS.iter().any(|ending| name.to_ascii_lowercase().ends_with(ending));
        if looks_like_a_file && !self.is_revision(name) {
            let error = format!("no file `{name}`");
            let hint = format!("it is not a revision either; looked in `{}`", self.directory.display());
            return Err(Problem::misuse(error, hint));
        }
        Ok(None)
    }

    fn is_revision(&self, name: &str) -> bool {
        self.repository.as_ref().is_some_and(|repository| repository.resolve(name).is_ok())
    }

    fn stored(&self, name: &str) -> Result<Recorded, Problem> {
        let (_, store): (_, Store) = project::open_store(self.workspace)?;
        let record = store.load(&store.find(name)?)?;
        Ok(Recorded::of_run(&record))
    }
}

/// Whether the file could not be read at all, whatever its content.
fn is_of_the_world(error: &ReadError) -> bool {
    matches!(error, ReadError::Unreadable { .. })
}

/// `20261115-041530…`: a day, a dash and more digits.
fn looks_like_a_run(name: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let mut parts = name.split('-');
    let (day, clock) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    day.len() == 8 && digits(day) && digits(clock)
}

/// The newest set of a source that has several: the first one of Criterion, whose last run comes before its
/// baselines, otherwise the last one, as in a history.
pub fn newest_of(name: &str, mut sets: Vec<Recorded>) -> Option<Recorded> {
    let count = sets.len();
    let diagnostics: Vec<Diagnostic> = sets.iter().flat_map(|set| set.diagnostics.clone()).collect();
    let is_newest_first = sets.first()?.format == benchwright_formats::Format::Criterion.name();
    let mut newest = if is_newest_first { sets.remove(0) } else { sets.pop()? };
    newest.diagnostics = diagnostics;
    if count > 1 {
        let message = format!("holds {count} sets of results; the newest is compared");
        let note = Diagnostic { severity: Severity::Note, ..Diagnostic::warning(name, message) };
        newest.diagnostics.push(note.hint("`benchwright import` keeps each of them as a run"));
    }
    Some(newest)
}

/// Compares the benchmarks that both sides have.
pub fn compared(settings: &Settings, seed: u64, sides: [Recorded; 2]) -> Result<Comparison, Problem> {
    let judge = decide::judge(settings, seed);
    let rule = judge.rule.apart();
    let run = comparison_run(settings, &rule, &sides, seed);
    let mut diagnostics: Vec<Diagnostic> = sides.iter().flat_map(|side| side.diagnostics.clone()).collect();
    diagnostics.extend(other_machine(&sides));
    let [base, head] = &sides;
    if base.name == head.name {
        diagnostics.push(Diagnostic::warning(&base.name, "is compared with itself"));
    }
    let names = sides.each_ref().map(sample_of_names);
    let incomplete = sides.each_ref().map(|side| side.has_errors().then(|| side.name.clone()));
    let accepts = |id: &BenchmarkId| settings.selection.accepts(&id.to_string());
    let [base, head] = sides.map(|side| {
        let wanted = side.benchmarks.into_iter().filter(|known| accepts(&known.id));
        wanted.map(|known| (known.id, known.side)).collect::<Vec<_>>()
    });
    let Matched { both, mut added, mut removed } = matched(base, head);
    // A benchmark that is missing from an incomplete file may exist, so it counts neither as added nor as
    // removed.
    for (name, missing) in incomplete.into_iter().zip([&mut added, &mut removed]) {
        diagnostics.extend(name.and_then(|name| missing_in(&name, std::mem::take(missing))));
    }
    if both.is_empty() {
        let error = "no benchmark is on both sides";
        let [base, head] = names;
        let hint = format!("base has {base}\nhead has {head}");
        return Err(Problem::failed(error, hint).beside(diagnostics));
    }
    let apart = compare_apart(&both, &ApartSettings { rule, thresholds: judge.thresholds, seed });
    diagnostics.extend(apart.diagnostics);
    if settings.selection.is_everything() {
        let ids = apart.findings.iter().map(|finding| &finding.benchmark);
        let ids: Vec<&BenchmarkId> = ids.chain(&added).chain(&removed).collect();
        diagnostics.extend(settings.thresholds.unmatched(&ids));
    }
    Ok(Comparison {
        run,
        rule: rule.name().into(),
        rule_note: rule.note(),
        findings: apart.findings,
        added,
        removed,
        failures: Vec::new(),
        diagnostics,
        is_partial: false,
    })
}

/// The benchmarks of two sides, matched by identity.
pub struct Matched {
    /// On both sides.
    pub both: Vec<ApartBenchmark>,
    /// Only on the side of head.
    pub added: Vec<BenchmarkId>,
    /// Only on the side of base.
    pub removed: Vec<BenchmarkId>,
}

/// Matches the benchmarks of two sides by identity.
pub fn matched(base: Vec<(BenchmarkId, ApartSide)>, head: Vec<(BenchmarkId, ApartSide)>) -> Matched {
    let known: HashSet<BenchmarkId> = head.iter().map(|(id, _)| id.clone()).collect();
    let removed = base.iter().map(|(id, _)| id).filter(|id| !known.contains(id)).cloned().collect();
    let mut old: BTreeMap<BenchmarkId, ApartSide> = base.into_iter().collect();
    let (mut both, mut added) = (Vec::new(), Vec::new());
    for (benchmark, head) in head {
        match old.remove(&benchmark) {
            Some(base) => both.push(ApartBenchmark { benchmark, base, head }),
            None => added.push(benchmark),
        }
    }
    Matched { both, added, removed }
}

/// An error about benchmarks that are missing from a file that is damaged or reports failures.
fn missing_in(name: &str, missing: Vec<BenchmarkId>) -> Option<Diagnostic> {
    let message = format!("the file is incomplete; missing in it: {}", sample(missing.iter()));
    (!missing.is_empty()).then(|| Diagnostic::error(name, message))
}

/// A few names for the message that no benchmark matches.
fn sample_of_names(side: &Recorded) -> String {
    sample(side.benchmarks.iter().map(|known| &known.id))
}

fn sample<'a>(ids: impl ExactSizeIterator<Item = &'a BenchmarkId>) -> String {
    const NAMED: usize = 3;
    let count = ids.len();
    let names: Vec<String> = ids.take(NAMED).map(ToString::to_string).collect();
    match (names.len(), count) {
        (0, _) => "none".into(),
        (shown, all) if all > shown => format!("{} and {} more", names.join(", "), all - shown),
        _ => names.join(", "),
    }
}

/// A warning if the sides were measured on different machines.
fn other_machine([base, head]: &[Recorded; 2]) -> Option<Diagnostic> {
    let differs = |key: &&&str| {
        let both = base.environment.get(**key).zip(head.environment.get(**key));
        both.is_some_and(|(base, head)| base != head)
    };
    let differing: Vec<String> = MACHINE_FACTS
        .iter()
        .filter(differs)
        .map(|key| format!("{key} `{}` and `{}`", base.environment[*key], head.environment[*key]))
        .collect();
    let message = format!("base and head were measured on different machines: {}", differing.join("; "));
    (!differing.is_empty()).then(|| {
        Diagnostic::warning("", message).hint("a difference between machines looks like a change of the code")
    })
}

/// The run record of a comparison whose sides were measured earlier. It has no end, and no facts about this
/// machine.
fn comparison_run(settings: &Settings, rule: &ApartRule, [base, head]: &[Recorded; 2], seed: u64) -> Run {
    let percent = decide::percent;
    let recorded = BTreeMap::from([
        ("rule".to_owned(), rule.name().to_owned()),
        ("rule-note".to_owned(), rule.note()),
        ("threshold".to_owned(), percent(settings.thresholds.general.soft)),
        ("fail-threshold".to_owned(), percent(settings.thresholds.general.hard)),
        ("base-source".to_owned(), format!("{} ({})", base.name, base.format)),
        ("head-source".to_owned(), format!("{} ({})", head.name, head.format)),
    ]);
    let new = keep::new_run(RunKind::Compare, Some(base.version()), head.version(), seed);
    let run = new.with_settings(recorded, []);
    // Only facts that are the same on both sides hold for the comparison.
    let mut facts = head.environment.clone();
    facts.retain(|key, value| base.environment.get(key) == Some(value));
    Run { environment: Environment { facts }, ..run }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_told_from_revisions_by_their_look() {
        assert!(looks_like_a_run("20261115-041530-3f2a"));
        assert!(looks_like_a_run("20261115-04"));
        assert!(!looks_like_a_run("20261115"));
        assert!(!looks_like_a_run("v1-2"));
        assert!(!looks_like_a_run("2026-11-15"));
        assert!(!looks_like_a_run("deadbeef-041530"));
    }

    #[test]
    fn the_newest_of_several_sets_is_compared() {
        let set = |name: &str, format: &str| Recorded {
            name: name.into(),
            format: format.into(),
            ..Recorded::default()
        };
        let newest =
            |format: &str| newest_of("file", vec![set("a", format), set("b", format)]).expect("one").name;
        assert_eq!(newest("github-action-benchmark"), "b");
        assert_eq!(newest("criterion"), "a");
        let alone = newest_of("file", vec![set("a", "benchfmt")]).expect("one");
        assert!(alone.diagnostics.is_empty());
    }

    #[test]
    fn differing_machines_are_named() {
        let side = |cpu: &str, date: &str| Recorded {
            environment: BTreeMap::from([("cpu".into(), cpu.into()), ("date".into(), date.into())]),
            ..Recorded::default()
        };
        assert_eq!(other_machine(&[side("A", "1"), side("A", "2")]), None);
        let said = other_machine(&[side("A", "1"), side("B", "2")]).expect("a warning").to_string();
        assert!(said.contains("cpu `A` and `B`") && !said.contains("date"), "{said}");
    }
}
