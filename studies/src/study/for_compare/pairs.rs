//! Compares recorded versions with the full configuration as the truth, as the paper does.

use std::collections::BTreeMap;

use benchwright_analysis::reduce::changes::Confusion;
use benchwright_analysis::reduce::for_compare::{Costs, Design, Wanted, for_compare};
use benchwright_analysis::reduce::{Configuration, LevelSeries, in_parallel};

use super::contender::{NAMES, configurations};
use super::draw::{Process, Shape};
use super::experiment::jobs;
use super::go::{Versions, in_turn};
use super::verdict::{Said, by_intervals, by_processes, metric_of, speed};
use crate::study::recorded::RecordedBenchmark;

/// The findings of a contender compared with each truth, over all pairs of versions.
pub(super) struct Pairs {
    /// Its name.
    pub(super) name: &'static str,
    /// The rule it is judged by.
    pub(super) rule: &'static str,
    /// Seconds of one side.
    pub(super) seconds: f64,
    /// Compared with the paper's rule applied to all values.
    pub(super) intervals: Confusion,
    /// Compared with our rule applied to all values.
    pub(super) processes: Confusion,
}

/// What is measured of a benchmark.
enum Chosen {
    /// A prefix of every level.
    Prefix(Configuration),
    /// Processes of all instances and suite runs in turn.
    Turns(Shape),
}

/// Both sides of one benchmark, as measured by a contender.
type Taken = [Vec<Process>; 2];

/// Compares all pairs of successive versions. Configurations are chosen on the oldest version.
pub(super) fn compare(projects: &[Versions]) -> Vec<Pairs> {
    let pairs = NAMES.into_iter().flat_map(|name| {
        ["intervals", "processes"].map(|rule| Pairs {
            name,
            rule,
            seconds: 0.0,
            intervals: Confusion::default(),
            processes: Confusion::default(),
        })
    });
    let mut found: Vec<Pairs> = pairs.collect();
    for project in projects {
        let Some(oldest) = project.versions.first() else { continue };
        let chosen = choose(oldest);
        for pair in project.versions.windows(2) {
            add(&chosen, &pair[0], &pair[1], &mut found);
        }
    }
    found
}

/// The choices of all contenders for each benchmark of the oldest version.
fn choose(oldest: &[RecordedBenchmark]) -> BTreeMap<&str, Vec<Chosen>> {
    let wanted = Wanted {
        design: Design::Apart { is_shared: true },
        most_processes: 45,
        iterations: (1, None),
        ..Wanted::apart(oldest.len() as u32)
    };
    let of = |(at, benchmark): (usize, &RecordedBenchmark)| {
        let plan = for_compare(&benchmark.series, &Costs::of_iterations(1.0), &wanted);
        let shape = plan.map(|plan| Shape { processes: plan.processes, values: plan.iterations });
        let papers = configurations(&benchmark.series, at as u64).into_iter().map(Chosen::Prefix);
        std::iter::once(Chosen::Turns(shape.unwrap_or_default())).chain(papers).collect::<Vec<Chosen>>()
    };
    let names = oldest.iter().map(|benchmark| benchmark.name.as_str());
    names.zip(in_parallel(&numbered(oldest), jobs(), |one| of(*one))).collect()
}

fn numbered(benchmarks: &[RecordedBenchmark]) -> Vec<(usize, &RecordedBenchmark)> {
    benchmarks.iter().enumerate().collect()
}

fn add(
    chosen: &BTreeMap<&str, Vec<Chosen>>,
    base: &[RecordedBenchmark],
    head: &[RecordedBenchmark],
    found: &mut [Pairs],
) {
    // Only benchmarks that are in the oldest version and in both of these.
    let compared: Vec<(&Vec<Chosen>, [&LevelSeries; 2])> = head
        .iter()
        .filter_map(|head| {
            let base = base.iter().find(|base| base.name == head.name)?;
            Some((chosen.get(head.name.as_str())?, [&base.series, &head.series]))
        })
        .collect();
    let of = |contender: usize| -> Vec<Taken> {
        compared.iter().map(|(chosen, sides)| sides.map(|side| take(side, &chosen[contender]))).collect()
    };
    let full = of(NAMES.len() - 1);
    let truth = [intervals("full", &full), processes(&full)];
    for (contender, name) in NAMES.iter().enumerate() {
        let taken = of(contender);
        let seconds: usize = taken.iter().flat_map(|sides| &sides[0]).map(Vec::len).sum();
        for (at, said) in [intervals(name, &taken), processes(&taken)].into_iter().enumerate() {
            let row = &mut found[2 * contender + at];
            row.seconds += seconds as f64;
            for (benchmark, said) in said.iter().enumerate() {
                row.intervals.count(truth[0][benchmark] == Said::Slower, *said == Said::Slower);
                row.processes.count(truth[1][benchmark] == Said::Slower, *said == Said::Slower);
            }
        }
    }
}

fn take(series: &LevelSeries, chosen: &Chosen) -> Vec<Process> {
    match chosen {
        Chosen::Prefix(Configuration(sizes)) => {
            let mut cells: Vec<(&[u32], Process)> = Vec::new();
            for (position, value) in series.points() {
                if position.iter().zip(sizes).any(|(at, size)| at > size) {
                    continue;
                }
                let cell = &position[..position.len() - 1];
                match cells.last_mut() {
                    Some((last, values)) if *last == cell => values.push(*value),
                    _ => cells.push((cell, vec![*value])),
                }
            }
            cells.into_iter().map(|(_, values)| values).collect()
        }
        Chosen::Turns(shape) => {
            let cells = in_turn(series);
            let places = cells.len().max(1);
            let cell =
                |number: usize| cells.get(number % places).and_then(|place| place.get(number / places));
            let cut = |cell: &Process| cell.iter().take(shape.values as usize).copied().collect();
            (0..shape.processes as usize).filter_map(cell).map(cut).collect()
        }
    }
}

fn intervals(name: &str, taken: &[Taken]) -> Vec<Said> {
    let of = |sides: &Taken| {
        let metric = metric_of(name)?;
        Some(by_intervals(speed(&sides[0].concat(), metric), speed(&sides[1].concat(), metric), 1.0))
    };
    taken.iter().map(|sides| of(sides).unwrap_or(Said::Nothing)).collect()
}

fn processes(taken: &[Taken]) -> Vec<Said> {
    let suite: Vec<([&[Process]; 2], f64)> =
        taken.iter().map(|sides| ([sides[0].as_slice(), sides[1].as_slice()], 1.0)).collect();
    by_processes(&suite)
}
