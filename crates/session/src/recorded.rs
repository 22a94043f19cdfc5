//! Results that were measured earlier: in files of any known format, or in stored runs.

use std::collections::BTreeMap;
use std::path::Path;

use benchwright_analysis::ApartSide;
use benchwright_config::FileSettings;
use benchwright_formats::{Imported, ImportedBenchmark, Limits, ReadError, Structure};
use benchwright_model::{
    BenchmarkId, Diagnostic, Environment, Measurement, Outcome, Phase, Position, Run, RunKind, Series,
    Severity, Side, Timestamp, Trial, Usage, Version,
};
use benchwright_store::RunRecord;

/// The name of `-` in messages.
const STANDARD_INPUT: &str = "standard input";

/// One set of results: of one version, measured on one occasion.
#[derive(Debug, Clone, Default)]
pub struct Recorded {
    /// Its name in messages: the file as typed, or the run.
    pub name: String,
    /// The format's name; `benchwright` for a stored run.
    pub format: String,
    /// The commit the source names.
    pub revision: Option<String>,
    /// When it was measured, if the source says.
    pub taken_at: Option<Timestamp>,
    /// Facts about where it was measured, under the source's own names.
    pub environment: BTreeMap<String, String>,
    /// Benchmarks in the source's order.
    pub benchmarks: Vec<RecordedBenchmark>,
    /// Diagnostics about what was not understood.
    pub diagnostics: Vec<Diagnostic>,
}

/// One benchmark of a set.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedBenchmark {
    /// Its identity.
    pub id: BenchmarkId,
    /// The measurements of its processes.
    pub side: ApartSide,
    /// The position of each process.
    positions: Vec<Position>,
}

impl RecordedBenchmark {
    /// Adds the processes of another set. Joining two files with one process each gives two processes.
    fn join(&mut self, other: RecordedBenchmark) {
        let is_known = |side: &ApartSide| side.is_structure_known || side.processes.len() == 1;
        let below = self.suite_runs();
        let side = &mut self.side;
        side.is_summary |= other.side.is_summary;
        side.is_structure_known = is_known(side) && is_known(&other.side) && !side.is_summary;
        side.processes.extend(other.side.processes);
        self.positions.extend(other.positions.into_iter().map(|position| match position {
            Position::Levels { instance, suite_run, iteration } => {
                Position::Levels { instance, suite_run: suite_run + below, iteration }
            }
            duet @ Position::Duet { .. } => duet,
        }));
    }

    /// The index of the suite run that the next set gets when it is joined.
    fn suite_runs(&self) -> u32 {
        let suite_run = |position: &Position| match position {
            Position::Levels { suite_run, .. } => suite_run + 1,
            Position::Duet { .. } => 1,
        };
        self.positions.iter().map(suite_run).max().unwrap_or(0)
    }
}

/// The size of a set of results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Extent {
    /// Benchmarks.
    pub benchmarks: usize,
    /// Processes of benchmarks whose structure is known.
    pub processes: usize,
    /// Values, counted in the longest series of each process.
    pub samples: usize,
    /// Benchmarks for which it is unknown which process measured which value.
    pub unknown_structure: usize,
    /// Benchmarks with summaries only.
    pub summaries: usize,
}

/// Reads a file, a folder of Criterion, or standard input (`-`).
pub fn read(name: &str, directory: &Path, limits: Limits) -> Result<Vec<Recorded>, ReadError> {
    let imported = imported(name, directory, limits)?;
    Ok(imported.into_iter().map(|set| Recorded::of_imported(name, set)).collect())
}

/// The same, as the reader of the format returns it.
pub fn imported(name: &str, directory: &Path, limits: Limits) -> Result<Vec<Imported>, ReadError> {
    match name {
        "-" => limits.read(STANDARD_INPUT, std::io::stdin().lock()),
        path => limits.read_path(&directory.join(path)),
    }
}

/// The limits on reading files.
pub fn limits_of(settings: FileSettings) -> Limits {
    let default = Limits::default();
    Limits {
        benchmarks: settings.max_benchmarks.unwrap_or(default.benchmarks),
        values: settings.max_values.unwrap_or(default.values),
        bytes: settings.max_size.unwrap_or(default.bytes),
    }
}

impl Recorded {
    fn of_imported(name: &str, imported: Imported) -> Recorded {
        Recorded {
            name: if name == "-" { STANDARD_INPUT.into() } else { name.to_owned() },
            format: imported.format.name().to_owned(),
            revision: imported.revision,
            taken_at: imported.taken_at,
            environment: imported.environment,
            benchmarks: imported.benchmarks.into_iter().map(benchmark_of).collect(),
            diagnostics: imported.diagnostics,
        }
    }

    /// The results of head in a stored run.
    pub fn of_run(record: &RunRecord) -> Recorded {
        let mut benchmarks: Vec<RecordedBenchmark> = Vec::new();
        let mut places: BTreeMap<BenchmarkId, usize> = BTreeMap::new();
        let settings = &record.run.settings;
        for trial in record.trials.iter().filter(|trial| trial.side == Side::Head) {
            let Some(measurement) = trial.outcome.measurement() else { continue };
            let place = *places.entry(trial.benchmark.clone()).or_insert_with(|| {
                let structure = Structure::of(settings, &trial.benchmark);
                let side = ApartSide {
                    processes: Vec::new(),
                    is_structure_known: structure == Structure::Known,
                    is_summary: structure == Structure::Summary,
                };
                let id = trial.benchmark.clone();
                benchmarks.push(RecordedBenchmark { id, side, positions: Vec::new() });
                benchmarks.len() - 1
            });
            benchmarks[place].side.processes.push(measurement.clone());
            benchmarks[place].positions.push(trial.position);
        }
        Recorded {
            name: format!("{}, run {}", record.run.head.title(), record.run.id),
            format: "benchwright".into(),
            revision: record.run.head.commit.clone(),
            taken_at: Some(record.run.started_at),
            environment: record.run.environment.facts.clone(),
            benchmarks,
            diagnostics: Vec::new(),
        }
    }

    /// Adds another set as if it had been measured together with this one. The processes of a benchmark are
    /// combined.
    pub fn join(&mut self, other: Recorded) {
        self.name = format!("{}, {}", self.name, other.name);
        if !self.format.split(", ").any(|format| format == other.format) {
            self.format = format!("{}, {}", self.format, other.format);
        }
        // Only facts that are the same in all sets hold for the result.
        self.environment.retain(|key, value| other.environment.get(key) == Some(value));
        self.revision = self.revision.take().filter(|revision| other.revision.as_ref() == Some(revision));
        self.taken_at = self.taken_at.min(other.taken_at);
        let known: BTreeMap<BenchmarkId, usize> =
            self.benchmarks.iter().enumerate().map(|(place, known)| (known.id.clone(), place)).collect();
        for benchmark in other.benchmarks {
            match known.get(&benchmark.id) {
                Some(&place) => self.benchmarks[place].join(benchmark),
                None => self.benchmarks.push(benchmark),
            }
        }
        self.diagnostics.extend(other.diagnostics);
    }

    /// Its size.
    pub fn extent(&self) -> Extent {
        let mut extent = Extent { benchmarks: self.benchmarks.len(), ..Extent::default() };
        for RecordedBenchmark { side, .. } in &self.benchmarks {
            extent.summaries += usize::from(side.is_summary);
            if side.is_summary {
                continue;
            }
            extent.unknown_structure += usize::from(!side.is_structure_known);
            extent.processes += side.processes.len();
            let longest =
                |process: &Measurement| process.series.iter().map(|series| series.values.len()).max();
            extent.samples += side.processes.iter().filter_map(longest).sum::<usize>();
        }
        extent
    }

    /// Whether something in the source is damaged.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    }

    /// Its processes as trials of a side.
    pub fn into_trials(self, side: Side) -> impl Iterator<Item = Trial> {
        let started_at = self.taken_at.unwrap_or_default();
        let of = move |recorded: RecordedBenchmark| {
            let RecordedBenchmark { id: benchmark, side: values, positions } = recorded;
            let trial = move |(measurement, position): (Measurement, Position)| Trial {
                benchmark: benchmark.clone(),
                side,
                position,
                phase: Phase::Levels,
                layout: None,
                instance: None,
                started_at,
                usage: Usage::default(),
                stopped: None,
                outcome: Outcome::Measured(measurement),
            };
            values.processes.into_iter().zip(positions).map(trial)
        };
        self.benchmarks.into_iter().flat_map(of)
    }

    /// What was measured, as far as the source says.
    pub fn version(&self) -> Version {
        let is_id = |text: &&String| text.len() >= 7 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        Version {
            label: self.name.clone(),
            commit: self.revision.as_ref().filter(is_id).cloned(),
            tree: String::new(),
            dirty: false,
            subject: String::new(),
        }
    }

    /// The run that stores it.
    pub fn run(&self, new: Run, version: Version) -> Run {
        let mut settings = BTreeMap::from([
            ("format".to_owned(), self.format.clone()),
            ("source".to_owned(), self.name.clone()),
        ]);
        let benchmarks: Vec<_> =
            self.benchmarks.iter().map(|known| (&known.id, structure(&known.side))).collect();
        settings.extend(
            [Structure::Unknown, Structure::Summary].into_iter().filter_map(|one| one.list(&benchmarks)),
        );
        let environment = Environment { facts: self.environment.clone() };
        Run { kind: RunKind::Imported, base: None, head: version, environment, settings, ..new }
    }
}

/// A benchmark of a file. A summary becomes a process with one value and is marked.
fn benchmark_of(imported: ImportedBenchmark) -> RecordedBenchmark {
    let is_summary = imported.processes.is_empty();
    let mut processes = imported.processes;
    if is_summary {
        let series = imported.summaries.into_iter().map(|summary| Series {
            metric: summary.metric,
            values: vec![summary.value],
            resolution: 0.0,
        });
        processes.push(Measurement { series: series.collect(), ..Measurement::default() });
    }
    let is_structure_known = imported.is_structure_known && !is_summary;
    let mut positions = imported.positions;
    if positions.len() != processes.len() {
        let counted = |iteration| Position::Levels { instance: 0, suite_run: 0, iteration };
        positions = (0..processes.len() as u32).map(counted).collect();
    }
    let side = ApartSide { processes, is_structure_known, is_summary };
    RecordedBenchmark { id: imported.id, side, positions }
}

fn structure(side: &ApartSide) -> Structure {
    match side {
        ApartSide { is_summary: true, .. } => Structure::Summary,
        ApartSide { is_structure_known: true, .. } => Structure::Known,
        ApartSide { .. } => Structure::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use benchwright_model::Metric;

    use super::*;

    fn set(name: &str, values: &[f64], is_structure_known: bool) -> Recorded {
        let series = Series { metric: Metric::time(), values: values.to_vec(), resolution: 0.0 };
        let process = Measurement { series: vec![series], ..Measurement::default() };
        let side = ApartSide { processes: vec![process], is_structure_known, is_summary: false };
        Recorded {
            name: name.into(),
            format: "benchfmt".into(),
            environment: BTreeMap::from([("goos".into(), "linux".into()), ("host".into(), name.into())]),
            benchmarks: vec![RecordedBenchmark {
                id: BenchmarkId::new("go", "p", "BenchmarkX"),
                side,
                positions: vec![Position::Levels { instance: 0, suite_run: 0, iteration: 0 }],
            }],
            ..Recorded::default()
        }
    }

    #[test]
    fn joined_files_are_processes_side_by_side() {
        let mut joined = set("a", &[1.0, 2.0], false);
        joined.join(set("b", &[3.0], false));
        assert_eq!((joined.name.as_str(), joined.format.as_str()), ("a, b", "benchfmt"));
        assert_eq!(joined.environment.keys().collect::<Vec<_>>(), ["goos"]);
        let RecordedBenchmark { side, positions, .. } = &joined.benchmarks[0];
        assert_eq!((side.processes.len(), side.is_structure_known), (2, true));
        assert_eq!(positions[1], Position::Levels { instance: 0, suite_run: 1, iteration: 0 });
        assert_eq!(joined.extent(), Extent { benchmarks: 1, processes: 2, samples: 3, ..Extent::default() });
    }

    #[test]
    fn a_joined_summary_makes_no_processes() {
        let summary = || {
            let mut set = set("s", &[1.0], false);
            set.benchmarks[0].side.is_summary = true;
            set
        };
        let both = |mut first: Recorded, second: Recorded| {
            first.join(second);
            let side = &first.benchmarks[0].side;
            (side.is_structure_known, side.is_summary)
        };
        assert_eq!(both(set("a", &[1.0], true), summary()), (false, true));
        assert_eq!(both(summary(), set("a", &[1.0], true)), (false, true));
        // Values whose processes are unknown stay so, whatever is joined.
        let mut several = set("a", &[1.0], false);
        several.join(set("b", &[1.0], false));
        several.benchmarks[0].side.is_structure_known = false;
        assert_eq!(both(several, set("c", &[1.0], true)), (false, false));
    }

    #[test]
    fn the_head_of_a_stored_comparison_is_what_is_compared() {
        let recorded = set("a", &[1.0, 2.0], true);
        let new = crate::keep::new_run(RunKind::Compare, None, recorded.version(), 0);
        let mut trials: Vec<Trial> = set("base", &[9.0], true).into_trials(Side::Base).collect();
        trials.extend(recorded.clone().into_trials(Side::Head));
        let record = RunRecord {
            run: new.with_settings(BTreeMap::new(), []),
            trials,
            comparison: None,
            instances: Vec::new(),
            builds: Vec::new(),
            diagnostics: Vec::new(),
            is_partial: false,
        };
        assert_eq!(Recorded::of_run(&record).benchmarks, recorded.benchmarks);
    }

    #[test]
    fn what_is_not_known_is_kept_with_the_run() {
        let recorded = set("a", &[1.0, 2.0], false);
        let new = crate::keep::new_run(RunKind::Imported, None, recorded.version(), 0)
            .with_settings(BTreeMap::new(), []);
        let run = recorded.run(new, recorded.version());
        assert_eq!(run.settings.get("unknown-structure").map(String::as_str), Some("all"));
        let record = RunRecord {
            run,
            trials: recorded.clone().into_trials(Side::Head).collect(),
            comparison: None,
            instances: Vec::new(),
            builds: Vec::new(),
            diagnostics: Vec::new(),
            is_partial: false,
        };
        assert_eq!(Recorded::of_run(&record).benchmarks, recorded.benchmarks);
    }

    #[test]
    fn only_what_looks_like_a_commit_is_one() {
        let version =
            |revision: &str| Recorded { revision: Some(revision.into()), ..Recorded::default() }.version();
        assert_eq!(version("0123abcd").commit.as_deref(), Some("0123abcd"));
        assert_eq!(version("größer!").commit, None);
        assert_eq!(version("main").commit, None);
    }
}
