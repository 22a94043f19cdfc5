//! Compares our steady-state labels with those of Traini et al. 2023, on their own series.

use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroUsize;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use benchwright_formats::warmup::{RecordedLabel, RecordedProcess, Subject, read_series, series_files};
use benchwright_steady::in_parallel;
use benchwright_steady::labels::{BenchmarkClass, Label, LabelOptions, barrett, label};

use super::markdown::Table;
use super::recorded;
use xtask::flags::Flags;

/// The difference between a label and the authors' label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Distance {
    /// Same class, same change point.
    Same,
    /// Same class, and an adjacent change point in the authors' list.
    Neighbour,
    /// Same class, another change point.
    Elsewhere,
    /// Another class.
    OtherClass,
}

impl Distance {
    /// The difference between our label and the authors'.
    pub(crate) fn between(ours: &Label, theirs: &RecordedLabel) -> Self {
        let (ours, given) = match (ours.steady_from, theirs.steady_from) {
            (None, None) => return Distance::Same,
            (Some(ours), Some(given)) => (ours, given),
            _ => return Distance::OtherClass,
        };
        let entries: Vec<u32> = std::iter::once(0).chain(theirs.changepoints.iter().copied()).collect();
        let place = |from: u32| entries.iter().position(|entry| *entry == from);
        match (place(ours), place(given)) {
            _ if ours == given => Distance::Same,
            (Some(ours), Some(given)) if ours.abs_diff(given) == 1 => Distance::Neighbour,
            _ => Distance::Elsewhere,
        }
    }

    fn is_agreement(self) -> bool {
        matches!(self, Distance::Same | Distance::Neighbour)
    }
}

/// The first step of labelling whose result differs, and so the reason for a different label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Cause {
    Outliers,
    Changes,
    Comparison,
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Cause::Outliers => "other outliers",
            Cause::Changes => "same outliers, other change points (penalties at which divisions cost the same; segments without variance)",
            Cause::Comparison => "same change points, other comparison of segments (the authors' draws have no seed)",
        })
    }
}

/// One process with both labels compared.
#[derive(Debug)]
pub(crate) struct Compared {
    subject: Subject,
    fork: u32,
    pub(crate) distance: Distance,
    cause: Option<Cause>,
    is_steady: bool,
    same_changes: bool,
    /// The distance of our label with the product's default treatment of segments without variance, which
    /// does not depend on the unit.
    default: Option<Distance>,
    barrett: Option<barrett::ProcessClass>,
    their_class: String,
}

/// Labels processes and compares the labels with the authors'. If `is_full`, also computes our default
/// treatment and Barrett's classes. Returns the processes that lack one of the two labels separately, each
/// with the reason.
pub(crate) fn compare(
    processes: &[RecordedProcess],
    jobs: NonZeroUsize,
    is_full: bool,
) -> (Vec<Compared>, Vec<String>) {
    let both = in_parallel(processes, jobs, |process| {
        let theirs = process.label.as_ref().ok_or("it has no label of its authors")?;
        let options = LabelOptions { iteration_s: process.iteration_s, ..LabelOptions::PUBLISHED };
        let ours = label(&process.values, &options).map_err(|error| error.to_string())?;
        let plain = LabelOptions { iteration_s: process.iteration_s, ..LabelOptions::DEFAULT };
        let plain = if is_full { label(&process.values, &plain).ok() } else { None };
        Ok::<Compared, String>(Compared {
            subject: process.subject.clone(),
            fork: process.fork,
            distance: Distance::between(&ours, theirs),
            cause: cause(&ours, theirs),
            is_steady: ours.steady_from.is_some(),
            same_changes: ours.changepoints == theirs.changepoints,
            default: plain.map(|plain| Distance::between(&plain, theirs)),
            barrett: if is_full { barrett::classify(&process.values) } else { None },
            their_class: theirs.benchmark_class.clone(),
        })
    });
    let (mut compared, mut left_out) = (Vec::new(), Vec::new());
    for (process, result) in processes.iter().zip(both) {
        match result {
            Ok(one) => compared.push(one),
            Err(why) => left_out.push(format!("{} fork {}: {why}", process.subject.benchmark, process.fork)),
        }
    }
    (compared, left_out)
}

fn cause(ours: &Label, theirs: &RecordedLabel) -> Option<Cause> {
    if ours.steady_from == theirs.steady_from {
        None
    } else if ours.outliers != theirs.outliers {
        Some(Cause::Outliers)
    } else if ours.changepoints != theirs.changepoints {
        Some(Cause::Changes)
    } else {
        Some(Cause::Comparison)
    }
}

/// The command `cargo xtask study labels`.
pub(super) fn study(root: &Path, arguments: &[String]) -> Result<()> {
    let flags = Flags::parse(arguments, &["data", "jobs", "every", "extent"])?;
    let is_full = match flags.text("extent") {
        None | Some("labels") => false,
        Some("all") => true,
        Some(other) => bail!("understand --extent {other}: labels or all is expected"),
    };
    let jobs = flags.number("jobs", std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN))?;
    let every = flags.number("every", NonZeroUsize::MIN)?.get();
    let directory = recorded::directory(root, flags.text("data"))?.join("jmh-steady");
    let mut labelling = Duration::ZERO;
    let (mut compared, mut left_out) = (Vec::new(), Vec::new());
    for file in series_files(&directory)? {
        let processes = read_series(&file)?;
        let some: Vec<RecordedProcess> = processes.into_iter().step_by(every).collect();
        let begin = Instant::now();
        let (more, without) = compare(&some, jobs, is_full);
        labelling += begin.elapsed();
        compared.extend(more);
        left_out.extend(without);
    }
    if compared.is_empty() {
        bail!("find labelled processes in `{}`", directory.display());
    }
    print_agreement(&compared, is_full);
    print_causes(&compared);
    if every == 1 {
        print_classes(&compared, is_full);
    }
    left_out.iter().for_each(|line| println!("left out: {line}"));
    let extent = if is_full { " with both treatments of no variance, and Barrett's classes," } else { "" };
    let seconds = labelling.as_secs_f64();
    println!("\n{} processes labelled{extent} in {seconds:.0} s on {jobs} threads", compared.len());
    Ok(())
}

fn print_agreement(compared: &[Compared], is_full: bool) {
    let count = |is: &dyn Fn(&Compared) -> bool| compared.iter().filter(|one| is(one)).count();
    let cell = |n: usize| format!("{n} ({:.1} %)", 100.0 * n as f64 / compared.len() as f64);
    let mut table = Table::new(&["label of a process", "published treatment", "our default"]);
    type Row = (&'static str, fn(Distance) -> bool);
    let rows: [Row; 5] = [
        ("same class, same `steady_from`", |distance| distance == Distance::Same),
        ("same class, neighbouring change point", |distance| distance == Distance::Neighbour),
        ("together", Distance::is_agreement),
        ("same class, elsewhere", |distance| distance == Distance::Elsewhere),
        ("other class", |distance| distance == Distance::OtherClass),
    ];
    for (name, is) in rows {
        let published = count(&|one| is(one.distance));
        let default = count(&|one| one.default.is_some_and(is));
        table.row(vec![name.into(), cell(published), if is_full { cell(default) } else { "—".into() }]);
    }
    println!("{}", table.to_markdown());
    println!("all change points the same: {}", cell(count(&|one| one.same_changes)));
}

/// Prints why labels differ, and some that do.
fn print_causes(compared: &[Compared]) {
    const SHOWN: usize = 10;
    let mut causes: BTreeMap<Cause, usize> = BTreeMap::new();
    for cause in compared.iter().filter_map(|one| one.cause) {
        *causes.entry(cause).or_default() += 1;
    }
    println!("\nother `steady_from`, by the first step that differs:");
    causes.iter().for_each(|(cause, count)| println!("  {count:>5}  {cause}"));
    let different: Vec<&Compared> = compared.iter().filter(|one| !one.distance.is_agreement()).collect();
    for one in different.iter().take(SHOWN) {
        let Subject { benchmark, params, .. } = &one.subject;
        println!("  {benchmark} {params} fork {}: {:?}", one.fork, one.distance);
    }
    if different.len() > SHOWN {
        println!("  and {} more", different.len() - SHOWN);
    }
}

/// Prints the classes of whole benchmarks: the authors', ours and Barrett's.
fn print_classes(compared: &[Compared], is_full: bool) {
    let mut benchmarks: BTreeMap<&Subject, Vec<&Compared>> = BTreeMap::new();
    for one in compared {
        benchmarks.entry(&one.subject).or_default().push(one);
    }
    let (mut same, mut counts) = (0, BTreeMap::<&str, usize>::new());
    let mut barretts: BTreeMap<&str, usize> = BTreeMap::new();
    for processes in benchmarks.values() {
        let class = BenchmarkClass::of(processes.iter().map(|one| one.is_steady));
        let word = class.map_or("", BenchmarkClass::word);
        same += usize::from(processes.iter().all(|one| one.their_class == word));
        *counts.entry(word).or_default() += 1;
        let classes: Vec<barrett::ProcessClass> = processes.iter().filter_map(|one| one.barrett).collect();
        let words = barrett::BenchmarkClass::of(&classes).map_or("", barrett::BenchmarkClass::words);
        *barretts.entry(words).or_default() += 1;
    }
    println!("\nbenchmarks of the same class: {same} of {}; ours: {counts:?}", benchmarks.len());
    if is_full {
        println!("Barrett's classes of benchmarks: {barretts:?}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root() -> std::path::PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
    }

    fn label_at(steady_from: Option<u32>) -> Label {
        Label {
            outliers: vec![],
            changepoints: vec![],
            last_change: steady_from.unwrap_or(2900),
            steady_from,
            penalty: 1.0,
            notes: vec![],
        }
    }

    #[test]
    fn neighbours_are_entries_of_the_authors_list() {
        let check = |ours: Option<u32>, theirs: Option<u32>, expected: Distance| {
            let recorded = RecordedLabel {
                steady_from: theirs,
                benchmark_class: String::new(),
                outliers: vec![],
                changepoints: vec![10, 50, 200, 2999],
            };
            assert_eq!(Distance::between(&label_at(ours), &recorded), expected, "{ours:?} {theirs:?}");
        };
        check(None, None, Distance::Same);
        check(Some(50), Some(50), Distance::Same);
        check(Some(10), Some(50), Distance::Neighbour);
        check(Some(0), Some(10), Distance::Neighbour);
        check(Some(0), Some(50), Distance::Elsewhere);
        check(Some(51), Some(50), Distance::Elsewhere);
        check(None, Some(50), Distance::OtherClass);
        check(Some(50), None, Distance::OtherClass);
    }

    /// Eight complete real processes.
    #[test]
    fn the_excerpt_is_labelled_as_its_authors_did() {
        let processes =
            read_series(&root().join("fixtures/jmh-steady/excerpt/series-0.parquet")).expect("processes");
        let (compared, left_out) = compare(&processes, NonZeroUsize::MIN, false);
        assert_eq!((compared.len(), left_out.len()), (8, 0));
        for one in &compared {
            assert!(one.distance.is_agreement(), "{one:?}");
        }
        assert!(compared.iter().filter(|one| one.same_changes).count() >= 6, "{compared:?}");
    }

    /// Fifty processes of all systems. `cargo xtask study labels` compares all processes.
    #[test]
    fn processes_of_all_systems_are_labelled_as_their_authors_did() {
        let Some(directory) = recorded::directory(&root(), None).ok().map(|data| data.join("jmh-steady"))
        else {
            println!("skipped: no data");
            return;
        };
        let Ok(files) = series_files(&directory) else {
            println!("skipped: no data");
            return;
        };
        let jobs = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let mut compared = Vec::new();
        for file in files {
            let some: Vec<RecordedProcess> =
                read_series(&file).expect("processes").into_iter().step_by(101).collect();
            compared.extend(compare(&some, jobs, false).0);
        }
        let agreeing = compared.iter().filter(|one| one.distance.is_agreement()).count();
        assert!(
            compared.len() >= 40 && agreeing * 100 >= compared.len() * 95,
            "{agreeing} of {}",
            compared.len()
        );
    }
}
