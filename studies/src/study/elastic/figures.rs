//! The data of the paper's Figures 4 to 7, for recorded and for simulated runs.

use std::num::NonZeroUsize;

use benchwright_analysis::agree::{Found, Growth, Reading, Repeats, Sample, TwoRuns, interval_size};
use benchwright_analysis::reduce::in_parallel;

use super::recorded_runs::RecordedRuns;
use super::worlds::Simulated;

/// A line of a figure, with the name of its source.
#[derive(Debug, Clone)]
pub(super) struct Line<T> {
    pub(super) name: &'static str,
    pub(super) values: T,
}

/// Sizes of differences in ascending order, as ratios without sign.
pub(super) type Sizes = Vec<f64>;

/// All four figures.
#[derive(Debug, Clone)]
pub(super) struct Figures {
    /// Figure 4: differences in unchanged code, and the number of changes found there.
    pub(super) same_code: Vec<Line<(Sizes, usize)>>,
    /// Figure 5: differences of benchmarks with a change that was found, and of all others.
    pub(super) differences: Vec<Line<[Sizes; 2]>>,
    /// Figure 6: for each disputed benchmark the largest difference, over all pairs of runs.
    pub(super) disputed: Vec<Line<Sizes>>,
    /// Figure 7: numbers of results, and the share of benchmarks whose interval is then as small as in the
    /// other run.
    pub(super) needed: Vec<Line<Vec<(u32, f64)>>>,
    /// Agreement of pairs of runs by name.
    pub(super) agreement: Vec<Line<TwoRuns>>,
}

/// The readings of recorded runs. They are computed once, because several figures use them.
struct Recorded {
    same_code: [Vec<Reading>; 2],
    versions: [Vec<Reading>; 3],
}

fn read(samples: &[Sample], seed: u64) -> Vec<Reading> {
    in_parallel(samples, cores(), |sample: &Sample| sample.reading(seed)).into_iter().flatten().collect()
}

fn cores() -> NonZeroUsize {
    std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

/// Computes the figures. `simulated` are the paper's experiments in its order, `repeats` the original and the
/// long run, and `judged` two runs of the judge.
pub(super) fn figures(
    runs: &RecordedRuns,
    simulated: &[Simulated],
    repeats: &[Vec<Sample>; 2],
    judged: [Vec<Reading>; 2],
    seed: u64,
) -> Figures {
    let recorded = Recorded {
        same_code: runs.same_code.each_ref().map(|samples| read(samples, seed)),
        versions: runs.versions.each_ref().map(|samples| read(samples, seed)),
    };
    let [original, long] = repeats.each_ref().map(|samples| read(samples, seed));
    let of =
        |name: &str| simulated.iter().find(|one| one.published.name == name).map(|one| &one.readings[..]);
    let (aa, baseline) = (of("A/A").unwrap_or(&[]), of("baseline").unwrap_or(&[]));
    let same_code = vec![
        Line { name: "recorded", values: sizes_and_alarms(&recorded.same_code[0]) },
        Line { name: "simulated", values: sizes_and_alarms(aa) },
    ];
    let differences = vec![
        Line { name: "recorded", values: divided(&recorded.versions.concat()) },
        Line { name: "simulated", values: divided(baseline) },
    ];
    let changed: Vec<&[Reading]> =
        simulated.iter().filter(|one| !one.published.is_same_code).map(|one| &one.readings[..]).collect();
    let instances: Vec<&[Reading]> = recorded.versions.iter().map(Vec::as_slice).collect();
    let disputed = vec![
        Line { name: "recorded", values: disputes(&instances) },
        Line { name: "simulated", values: disputes(&changed) },
    ];
    let needed = vec![
        Line {
            name: "recorded",
            values: growing(&recorded.versions[0], &recorded.versions[1], &runs.versions[1], seed),
        },
        Line { name: "simulated", values: growing(&original, &long, &repeats[1], seed) },
    ];
    let pair = |first: &[Reading], second: &[Reading]| TwoRuns::of(first.to_vec(), second.to_vec());
    let mut agreement = vec![
        Line { name: "recorded: instance 1, instance 2", values: pair(instances[0], instances[1]) },
        Line { name: "recorded: instance 1, instance 3", values: pair(instances[0], instances[2]) },
        Line { name: "recorded: instance 2, instance 3", values: pair(instances[1], instances[2]) },
        Line { name: "recorded: A/A, A/A", values: pair(&recorded.same_code[0], &recorded.same_code[1]) },
        Line { name: "simulated: baseline, original on machines", values: pair(baseline, &original) },
    ];
    for (name, label) in [
        ("replication", "simulated: replication, baseline"),
        ("lower memory", "simulated: lower memory, baseline"),
        ("single repeat", "simulated: single repeat, baseline"),
    ] {
        agreement.push(Line { name: label, values: pair(of(name).unwrap_or(&[]), baseline) });
    }
    let [first, second] = judged;
    agreement.push(Line { name: "simulated: judge, judge again", values: TwoRuns::of(first, second) });
    Figures { same_code, differences, disputed, needed, agreement }
}

fn size(reading: &Reading) -> Option<f64> {
    Some(reading.effect?.change().abs())
}

fn sorted(mut sizes: Sizes) -> Sizes {
    sizes.sort_by(f64::total_cmp);
    sizes
}

fn sizes_and_alarms(readings: &[Reading]) -> (Sizes, usize) {
    let alarms = readings.iter().filter(|reading| reading.found != Found::Nothing).count();
    (sorted(readings.iter().filter_map(size).collect()), alarms)
}

fn divided(readings: &[Reading]) -> [Sizes; 2] {
    let of = |has_changed: bool| {
        let such = readings.iter().filter(|reading| (reading.found != Found::Nothing) == has_changed);
        sorted(such.filter_map(size).collect())
    };
    [of(true), of(false)]
}

/// For each benchmark the largest change that one run found and another one did not.
fn disputes(runs: &[&[Reading]]) -> Sizes {
    let mut largest = std::collections::BTreeMap::new();
    for (at, first) in runs.iter().enumerate() {
        for second in &runs[at + 1..] {
            for pair in TwoRuns::of(first.to_vec(), second.to_vec()).pairs {
                if let Some(size) = pair.disputed_change() {
                    let known: &mut f64 = largest.entry(pair.first.benchmark).or_insert(0.0);
                    *known = known.max(size);
                }
            }
        }
    }
    sorted(largest.into_values().collect())
}

/// For each number of results, the share of benchmarks whose interval in the second run is then as small as
/// in the first. Only benchmarks whose final intervals overlap are counted.
fn growing(first: &[Reading], second: &[Reading], samples: &[Sample], seed: u64) -> Vec<(u32, f64)> {
    let runs = TwoRuns::of(first.to_vec(), second.to_vec());
    let overlapping: Vec<(f64, &Sample)> = runs
        .pairs
        .iter()
        .filter(|pair| pair.overlaps() == Some(true))
        .filter_map(|pair| {
            let sample = samples.iter().find(|sample| sample.benchmark == pair.first.benchmark)?;
            Some((pair.first.effect.as_ref().map(interval_size)?, sample))
        })
        .collect();
    let needed = in_parallel(&overlapping, cores(), |(size, sample): &(f64, &Sample)| {
        Growth::Medians { sample, seed }.needed(*size)
    });
    let most = samples.iter().map(Sample::results).max().unwrap_or(0);
    let share = |n: u32| {
        let enough = needed.iter().filter(|one| matches!(one, Repeats::Enough(own) if *own <= n)).count();
        enough as f64 / overlapping.len().max(1) as f64
    };
    (10..=most).map(|n| (n, share(n))).collect()
}
