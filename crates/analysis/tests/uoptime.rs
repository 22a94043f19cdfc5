//! Minimal configurations against those of the authors' own program on their own data.
//!
//! The data is not part of the repository; without it these tests are skipped.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test fails by panicking and says what it found"
)]

use std::collections::BTreeMap;
use std::io::Read;
use std::num::NonZeroUsize;
use std::path::Path;

use benchwright_analysis::reduce::replay::{BATCH, Replay};
use benchwright_analysis::reduce::{self, LevelSeries, Mode, Options, Reduction, Stability};

fn text(path: &Path) -> String {
    let mut text = String::new();
    flate2::read::GzDecoder::new(std::fs::File::open(path).unwrap()).read_to_string(&mut text).unwrap();
    text
}

/// The columns of positions, outermost first, their levels' names, and which are kept.
const GO: [(&str, &str, bool); 4] = [
    ("ir_pos", "instance", true),
    ("sr_pos", "suite run", false),
    ("it_pos", "iteration", false),
    ("bed_pos", "second", false),
];
const JAVA: [(&str, &str, bool); 2] = [("fork_pos", "fork", false), ("it_pos", "iteration", false)];

/// Values with their positions.
type Points = Vec<(Vec<u32>, f64)>;

/// In the order of the file.
fn read(path: &Path) -> Vec<(String, LevelSeries)> {
    let text = text(path);
    let mut lines = text.lines();
    let columns: Vec<&str> = lines.next().unwrap().split(',').collect();
    let at = |name: &str| columns.iter().position(|column| *column == name);
    let levels: Vec<(&str, &str, bool)> = if at("bed_pos").is_some() { GO.to_vec() } else { JAVA.to_vec() };
    let (value_at, name_at) = (at("ns_per_op").unwrap(), at("b_name").unwrap());
    let mut points: Vec<(String, Points)> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for line in lines {
        // Names come last and may contain commas.
        let fields: Vec<&str> = line.splitn(columns.len(), ',').collect();
        let position =
            levels.iter().map(|(column, ..)| fields[at(column).unwrap()].parse().unwrap()).collect();
        let nanoseconds = fields[value_at].parse().unwrap();
        let name = fields[name_at].trim_matches('"').to_owned();
        let place = *places.entry(name.clone()).or_insert_with(|| {
            points.push((name, Vec::new()));
            points.len() - 1
        });
        points[place].1.push((position, nanoseconds));
    }
    let names: Vec<(&str, bool)> = levels.iter().map(|(_, name, is_kept)| (*name, *is_kept)).collect();
    points.into_iter().map(|(name, points)| (name, LevelSeries::new(&names, points).unwrap())).collect()
}

/// A line of the reference.
struct Expected {
    configuration: String,
    seconds: f64,
    /// Metric of the minimal and of the full configuration, both averages.
    metrics: [f64; 4],
    /// Ends of the minimal and of the full configuration's interval.
    ends: [f64; 4],
}

fn reference(dir: &Path, project: &str, metric: &str) -> BTreeMap<String, Expected> {
    let text = std::fs::read_to_string(dir.join("reference/minimal-configurations.csv")).unwrap();
    let mut found = BTreeMap::new();
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        if fields[0] != project || fields[1] != metric {
            continue;
        }
        // The benchmark's name may contain commas: the other columns are counted from the end.
        let from_end = |back: usize| fields[fields.len() - back].parse::<f64>().unwrap();
        let name = fields[2..fields.len() - 11].join(",");
        let expected = Expected {
            configuration: fields[fields.len() - 11].to_owned(),
            seconds: from_end(10),
            metrics: [from_end(9), from_end(8), from_end(7), from_end(6)],
            ends: [from_end(4), from_end(3), from_end(2), from_end(1)],
        };
        found.insert(name.trim_matches('"').to_owned(), expected);
    }
    assert!(!found.is_empty(), "{project} {metric}");
    found
}

fn options() -> Options {
    Options { mode: Mode::Prototype, ..Options::default() }
}

/// The published numbers have ten digits. The studentised interval of few values is made of rounding errors, there and here.
fn check_equal(found: &Reduction, expected: &Expected, what: &str) {
    assert_eq!(found.chosen.configuration.to_string(), expected.configuration, "{what}");
    let close = |found: f64, expected: f64| (found - expected).abs() <= 1e-8 * expected.abs().max(1e-12);
    let instability = |one: &reduce::Evaluated| one.instability.unwrap();
    let metrics = [instability(&found.chosen), instability(&found.full), found.averages.0, found.averages.1];
    let (smaller, whole) = (found.intervals.0.unwrap(), found.intervals.1.unwrap());
    let ends = [smaller.lo, smaller.hi, whole.lo, whole.hi];
    for (found, expected) in metrics.iter().chain(&ends).zip(expected.metrics.iter().chain(&expected.ends)) {
        assert!(close(*found, *expected), "{what}: {found} not {expected}");
    }
}

fn check_replay(
    replay: &mut Replay,
    series: &LevelSeries,
    metric: &dyn Stability,
    expected: &Expected,
    what: &str,
) {
    let found = replay.reduce(series, metric, &options()).unwrap();
    check_equal(&found, expected, what);
}

#[test]
fn the_prototypes_run_is_repeated_number_by_number() {
    let Some(dir) = benchwright_testkit::data("uoptime") else { return };
    // Its first file: what comes later depends on everything before.
    let project = "prometheus-v0.35.0";
    let suite = read(&dir.join(format!("go/{project}.csv.gz")));
    let mut replay = Replay::start();
    for metric in reduce::metrics() {
        let expected = reference(&dir, project, metric.name());
        for (name, series) in &suite {
            check_replay(
                &mut replay,
                series,
                *metric,
                &expected[name],
                &format!("{project} {} {name}", metric.name()),
            );
        }
    }
}

#[test]
fn the_prototypes_batches_of_jmh_are_repeated_too() {
    let Some(dir) = benchwright_testkit::data("uoptime") else { return };
    let project = "bytebuddy-01_10_07";
    let suite = read(&dir.join(format!("java-ese21/laaber_{project}-jmh121.csv.gz")));
    for metric in ["RCIW1", "RCIW2", "RCIW3"].map(|name| reduce::by_name(name).unwrap()) {
        let expected = reference(&dir, project, metric.name());
        for batch in suite.chunks(BATCH) {
            let mut replay = Replay::start();
            for (name, series) in batch {
                let what = format!("{project} {} {name}", metric.name());
                check_replay(&mut replay, series, metric, &expected[name], &what);
            }
        }
    }
}

/// How many of a project's benchmarks get the same configuration as from the prototype, of how many, and the difference of the
/// time chosen as a share of the full time.
struct Agreement {
    equal: usize,
    benchmarks: usize,
    seconds_off: f64,
}

fn agreement(
    found: &BTreeMap<&str, &Reduction>,
    expected: &BTreeMap<String, Expected>,
    what: &str,
) -> Agreement {
    let full: f64 = found.values().map(|reduction| reduction.full.seconds).sum();
    let mut agreement = Agreement { equal: 0, benchmarks: expected.len(), seconds_off: 0.0 };
    for (name, expected) in expected {
        let reduction = found[name.as_str()];
        let chosen = reduction.chosen.configuration.to_string();
        let off = (reduction.chosen.seconds - expected.seconds) / full;
        if chosen == expected.configuration {
            agreement.equal += 1;
        } else {
            println!("{what} {name}: {chosen} not {}, {:+.2} points", expected.configuration, 100.0 * off);
        }
        agreement.seconds_off += off;
    }
    agreement
}

#[test]
fn the_usual_choice_is_nearly_always_the_prototypes() {
    let Some(dir) = benchwright_testkit::data("uoptime") else { return };
    let go = ["35", "36", "37", "38", "39"].map(|minor| format!("prometheus-v0.{minor}.0"));
    let mut projects: Vec<(String, String)> =
        go.into_iter().map(|project| (format!("go/{project}.csv.gz"), project)).collect();
    let java = "bytebuddy-01_10_07";
    projects.push((format!("java-ese21/laaber_{java}-jmh121.csv.gz"), java.into()));
    let jobs = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let (mut equal, mut benchmarks) = (0, 0);
    for (file, project) in &projects {
        let suite = read(&dir.join(file));
        let series: Vec<&LevelSeries> = suite.iter().map(|(_, series)| series).collect();
        let reductions = reduce::reduce_suite(&series, reduce::metrics(), &options(), jobs);
        for (index, metric) in reduce::metrics().iter().enumerate() {
            let of_metric = reductions.iter().map(|all| all[index].as_ref().unwrap());
            let found: BTreeMap<&str, &Reduction> =
                suite.iter().map(|(name, _)| name.as_str()).zip(of_metric).collect();
            let what = format!("{project} {}", metric.name());
            let found = agreement(&found, &reference(&dir, project, metric.name()), &what);
            println!(
                "{what}: {} of {} equal, time {:+.2} points",
                found.equal,
                found.benchmarks,
                100.0 * found.seconds_off
            );
            if !metric.is_random(Mode::Prototype) {
                assert_eq!(found.equal, found.benchmarks, "{what}");
            }
            assert!(found.seconds_off.abs() <= 0.01, "{what}");
            equal += found.equal;
            benchmarks += found.benchmarks;
        }
    }
    println!("{equal} of {benchmarks} equal");
    assert!(equal as f64 >= 0.98 * benchmarks as f64, "{equal} of {benchmarks}");
}
