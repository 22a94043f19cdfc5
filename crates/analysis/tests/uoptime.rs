//! Minimal configurations against those of the authors' own program on their own data.
//!
//! The data is not part of the repository; without it these tests say so and pass.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test fails by panicking and says what it found"
)]

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use benchwright_analysis::reduce::{self, LevelSeries, Mode, Options};
use benchwright_stats::bootstrap::Resampling;

fn data() -> Option<PathBuf> {
    let given = std::env::var_os("BENCHWRIGHT_DATA").map(PathBuf::from);
    let dir = given.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"));
    let found = dir.join("uoptime").is_dir().then(|| dir.join("uoptime"));
    if found.is_none() {
        println!("skipped: no data");
    }
    found
}

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

fn read(path: &Path) -> BTreeMap<String, LevelSeries> {
    let text = text(path);
    let mut lines = text.lines();
    let columns: Vec<&str> = lines.next().unwrap().split(',').collect();
    let at = |name: &str| columns.iter().position(|column| *column == name);
    let levels: Vec<(&str, &str, bool)> = if at("bed_pos").is_some() { GO.to_vec() } else { JAVA.to_vec() };
    let (value_at, name_at) = (at("ns_per_op").unwrap(), at("b_name").unwrap());
    let mut points: BTreeMap<String, Vec<(Vec<u32>, f64)>> = BTreeMap::new();
    for line in lines {
        // Names come last and may contain commas.
        let fields: Vec<&str> = line.splitn(columns.len(), ',').collect();
        let position =
            levels.iter().map(|(column, ..)| fields[at(column).unwrap()].parse().unwrap()).collect();
        let nanoseconds = fields[value_at].parse().unwrap();
        points.entry(fields[name_at].trim_matches('"').to_owned()).or_default().push((position, nanoseconds));
    }
    let names: Vec<(&str, bool)> = levels.iter().map(|(_, name, is_kept)| (*name, *is_kept)).collect();
    points.into_iter().map(|(name, points)| (name, LevelSeries::new(&names, points).unwrap())).collect()
}

/// Configuration, time and average of the reference, by benchmark.
fn reference(dir: &Path, project: &str, metric: &str) -> BTreeMap<String, (String, f64, f64)> {
    let text = std::fs::read_to_string(dir.join("reference/minimal-configurations.csv")).unwrap();
    let mut found = BTreeMap::new();
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        if fields[0] != project || fields[1] != metric {
            continue;
        }
        // The benchmark's name may contain commas: the other columns are counted from the end.
        let from_end = |back: usize| fields[fields.len() - back];
        let name = fields[2..fields.len() - 11].join(",");
        let values = (from_end(11).to_owned(), from_end(10).parse().unwrap(), from_end(7).parse().unwrap());
        found.insert(name.trim_matches('"').to_owned(), values);
    }
    assert!(!found.is_empty(), "{project} {metric}");
    found
}

/// How many of a project's benchmarks get the same configuration as from the prototype, of how many, and the difference of the
/// time chosen as a share of the full time.
struct Agreement {
    equal: usize,
    benchmarks: usize,
    seconds_off: f64,
}

/// Reduces as the prototype does. Where the choice differs, the reason must be the resamples: with others, ours is the same.
fn agreement(dir: &Path, file: &str, project: &str, metric: &str) -> Agreement {
    /// One in so many is rare enough to be called a difference.
    const SEEDS: u64 = 200;
    let series = read(&dir.join(file));
    let expected = reference(dir, project, metric);
    let options = Options { mode: Mode::Prototype, ..Options::default() };
    let stability = reduce::by_name(metric).unwrap();
    let (mut equal, mut ours, mut theirs, mut full) = (0, 0.0, 0.0, 0.0);
    for (name, (configuration, seconds, average)) in &expected {
        let found = reduce::reduce(&series[name], stability, &options).unwrap();
        let chosen = found.chosen.configuration.to_string();
        if chosen == *configuration {
            equal += 1;
            assert!((found.averages.0 / average - 1.0).abs() < 1e-6, "{project} {metric} {name}");
        } else {
            let with_seed = |seed| {
                let resampling = Resampling { seed, ..options.resampling };
                reduce::reduce(&series[name], stability, &Options { resampling, ..options }).unwrap()
            };
            let seed =
                (1..SEEDS).find(|seed| with_seed(*seed).chosen.configuration.to_string() == *configuration);
            println!("{project} {metric} {name}: {chosen} not {configuration}, as with seed {seed:?}");
            assert!(seed.is_some(), "{project} {metric} {name}");
        }
        ours += found.chosen.seconds;
        theirs += seconds;
        full += found.full.seconds;
    }
    Agreement { equal, benchmarks: expected.len(), seconds_off: (ours - theirs) / full }
}

#[test]
fn the_prototypes_choices_are_reproduced() {
    let Some(dir) = data() else { return };
    let go = ["35", "36", "37", "38", "39"].map(|minor| format!("prometheus-v0.{minor}.0"));
    let mut projects: Vec<(String, String)> =
        go.into_iter().map(|project| (format!("go/{project}.csv.gz"), project)).collect();
    let java = "bytebuddy-01_10_07";
    projects.push((format!("java-ese21/laaber_{java}-jmh121.csv.gz"), java.into()));
    let (mut equal, mut benchmarks) = (0, 0);
    for (file, project) in &projects {
        for metric in ["CV", "RMAD", "RCIW1", "RCIW2", "RCIW3"] {
            let found = agreement(&dir, file, project, metric);
            println!(
                "{project} {metric}: {} of {} equal, time {:+.2} points",
                found.equal,
                found.benchmarks,
                100.0 * found.seconds_off
            );
            if matches!(metric, "CV" | "RMAD") {
                assert_eq!(found.equal, found.benchmarks, "{project} {metric}");
            }
            // One borderline benchmark may shift a suite of thirty by that much.
            assert!(found.seconds_off.abs() <= 0.02, "{project} {metric}");
            equal += found.equal;
            benchmarks += found.benchmarks;
        }
    }
    println!("{equal} of {benchmarks} equal");
    // The studentised width of six values has a Monte-Carlo error of 7 %, so that even the prototype with another seed of its
    // own differs from itself.
    assert!(equal as f64 >= 0.97 * benchmarks as f64, "{equal} of {benchmarks}");
}
