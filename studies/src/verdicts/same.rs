//! Trials with identical code on both sides.

use std::path::Path;
use std::time::Instant;

use anyhow::Result;

use super::choose::{evenly_spaced, pattern_of};
use super::experiment::Experiment;
use super::load::{Load, Workers};
use super::prepare::ORIGINAL;
use super::product::{Compared, Listed};
use super::records::{self, SameRecord};
use super::suites::Suite;

/// The settings of the trial.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) load: Load,
    /// How many pairs of a benchmark and a comparison are wanted.
    pub(crate) pairs: usize,
    /// Maximum number of benchmarks of a suite in one comparison.
    pub(crate) most: usize,
}

/// Compares suites with themselves until there are enough pairs or the time is over.
pub(crate) fn same(experiment: &Experiment, plan: &Plan) -> Result<()> {
    let file = experiment.dir.join("same.ndjson");
    let mut known: Vec<SameRecord> = records::read(&file)?;
    let suites: Vec<(Suite, Vec<Listed>)> = lists(experiment);
    let workers = Workers::start(plan.load)?;
    let mut turn = 0;
    let mut has_progress = true;
    while has_progress && pairs(&known, plan.load) < plan.pairs && !experiment.is_over() {
        has_progress = false;
        for (suite, benchmarks) in &suites {
            if pairs(&known, plan.load) >= plan.pairs || experiment.is_over() {
                break;
            }
            let seed = seed(turn, plan.load);
            if is_done(&known, suite.name, seed, plan.load) {
                has_progress = true;
                continue;
            }
            let chosen = evenly_spaced(benchmarks, plan.most, turn);
            match compare(experiment, plan.load, suite, seed, &chosen) {
                Ok(found) => {
                    append(&file, &found)?;
                    has_progress = true;
                    known.extend(found);
                    println!("{} of {} pairs {}", pairs(&known, plan.load), plan.pairs, plan.load.name());
                }
                Err(error) => println!("{}: no result with seed {seed}: {error:#}", suite.name),
            }
        }
        turn += 1;
    }
    drop(workers);
    Ok(())
}

/// The benchmarks of every suite. Suites that cannot be listed are reported and left out.
fn lists(experiment: &Experiment) -> Vec<(Suite, Vec<Listed>)> {
    let mut lists = Vec::new();
    for suite in &experiment.suites {
        match experiment.list(suite) {
            Ok(list) => {
                println!("{}: {} benchmarks", suite.name, list.len());
                lists.push((*suite, list));
            }
            Err(error) => println!("{}: left out: {error:#}", suite.name),
        }
    }
    lists
}

/// A seed that differs for every turn and load.
fn seed(turn: usize, load: Load) -> u64 {
    1 + 2 * turn as u64 + u64::from(load == Load::Loaded)
}

/// Number of pairs under this load. Benchmarks that could not be measured do not count.
fn pairs(known: &[SameRecord], load: Load) -> usize {
    known.iter().filter(|record| record.load == load.name() && record.reason != "failed").count()
}

fn is_done(known: &[SameRecord], suite: &str, seed: u64, load: Load) -> bool {
    known.iter().any(|record| record.suite == suite && record.seed == seed && record.load == load.name())
}

fn append(file: &Path, found: &[SameRecord]) -> Result<()> {
    let words = |record: &SameRecord| matches!(record.verdict.as_str(), "slower" | "faster");
    for record in found.iter().filter(|record| words(record)) {
        println!("  flagged: {} {} {}", record.suite, record.benchmark, record.verdict);
    }
    records::append(file, found)
}

fn compare(
    experiment: &Experiment,
    load: Load,
    suite: &Suite,
    seed: u64,
    chosen: &[Listed],
) -> Result<Vec<SameRecord>> {
    let ids: Vec<String> = chosen.iter().map(Listed::id).collect();
    let mut options = vec!["--seed".into(), seed.to_string(), "--filter".into(), pattern_of(&ids)];
    options.extend(experiment.options.iter().cloned());
    let began = Instant::now();
    let repository = suite.repository(&experiment.dir);
    let compared =
        experiment.product.compare(&repository, [ORIGINAL, ORIGINAL], &options, suite.arguments)?;
    println!(
        "{}: {} benchmarks in {:.0} s ({:.0} s with builds)",
        suite.name,
        compared.findings.len(),
        compared.seconds,
        began.elapsed().as_secs_f64()
    );
    Ok(same_records(&compared, suite.name, seed, load, &experiment.options.join(" ")))
}

fn same_records(compared: &Compared, suite: &str, seed: u64, load: Load, options: &str) -> Vec<SameRecord> {
    let seconds = compared.seconds_by_benchmark();
    let record = |found: &super::product::Found| SameRecord {
        suite: suite.into(),
        benchmark: found.benchmark.clone(),
        seed,
        load: load.name().into(),
        verdict: found.verdict.clone(),
        reason: found.reason.clone(),
        effect: found.effect.map(|(ratio, _, _)| ratio),
        lo: found.effect.map(|(_, lo, _)| lo),
        hi: found.effect.map(|(_, _, hi)| hi),
        duets: found.duets,
        seconds: seconds.get(&found.benchmark).copied().unwrap_or(0.0),
        comparison_seconds: compared.seconds,
        options: options.into(),
    };
    compared.findings.iter().map(record).collect()
}

#[cfg(test)]
mod tests {
    use super::super::records::same_record;
    use super::*;

    #[test]
    fn a_trial_goes_on_after_what_is_recorded() {
        let mut known =
            vec![same_record("btree", 1, "idle", "same"), same_record("btree", 1, "idle", "slower")];
        assert_eq!((pairs(&known, Load::Idle), pairs(&known, Load::Loaded)), (2, 0));
        assert!(is_done(&known, "btree", 1, Load::Idle));
        assert!(!is_done(&known, "btree", 1, Load::Loaded));
        assert!(!is_done(&known, "btree", 3, Load::Idle));
        assert!(!is_done(&known, "zap", 1, Load::Idle));
        known.push(SameRecord { reason: "failed".into(), ..same_record("zap", 1, "idle", "undecided") });
        assert_eq!(pairs(&known, Load::Idle), 2);
        assert!(is_done(&known, "zap", 1, Load::Idle));
    }

    #[test]
    fn every_turn_has_its_own_seed() {
        let mut seeds: Vec<u64> =
            (0..50).flat_map(|turn| [seed(turn, Load::Idle), seed(turn, Load::Loaded)]).collect();
        seeds.sort_unstable();
        seeds.dedup();
        assert_eq!(seeds.len(), 100);
    }
}
