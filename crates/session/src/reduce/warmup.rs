//! Warm-up at the beginning of recorded processes.
//!
//! Warm-up that the source marks is already removed. `--warmup N` cuts the first N of the other values of
//! every process, and `--warmup auto` cuts the warm-up that a stop rule finds: the rule that would have ended
//! such processes while they were measured.

use std::time::Duration;

use benchwright_analysis::reduce::in_parallel;
use benchwright_model::{Diagnostic, Severity};
use benchwright_steady::rules::catalogue::{self, Given};
use benchwright_steady::{WhyCut, replay_benchmark};

use super::work;
use crate::Problem;
use crate::leveled::{Leveled, LeveledBenchmark};
use crate::stopping::recorded_rule;

/// Which warm-up is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WarmupCut {
    /// This many values of every process.
    First(u32),
    /// As many values as a stop rule finds.
    Auto,
}

impl WarmupCut {
    /// Parses the value of `--warmup`.
    pub fn of(text: &str) -> Result<WarmupCut, Problem> {
        match (text, text.parse()) {
            ("auto", _) => Ok(WarmupCut::Auto),
            (_, Ok(count)) => Ok(WarmupCut::First(count)),
            (_, Err(_)) => {
                let error = format!(
                    "read the value of `--warmup`: expected a number of values or `auto`, found `{text}`"
                );
                Err(Problem::misuse(error, "`auto` cuts what a stop rule takes for warm-up"))
            }
        }
    }

    /// The number of values to cut from every process. 0 for `Auto`.
    pub fn count(self) -> u32 {
        if let WarmupCut::First(count) = self { count } else { 0 }
    }
}

/// Cuts warm-up from all series. Diagnostics are added to those of the set.
pub fn cut(sets: &mut [Leveled], how: WarmupCut, jobs: Option<u32>) {
    for set in sets {
        match how {
            WarmupCut::First(0) => {}
            WarmupCut::First(count) => cut_first(set, count),
            WarmupCut::Auto => cut_by_rule(set, jobs),
        }
    }
}

fn cut_first(set: &mut Leveled, count: u32) {
    let diagnostics = &mut set.diagnostics;
    set.benchmarks.retain_mut(|benchmark| match benchmark.series.without_warmup(count) {
        Some(rest) => {
            (benchmark.series, benchmark.warmup) = (rest, count);
            true
        }
        None => {
            let message =
                format!("cannot be reduced: no process has more values than the {count} that are warm-up");
            diagnostics.push(Diagnostic::error(&benchmark.name, message));
            false
        }
    });
}

/// What a rule found in the processes of a benchmark.
struct Found {
    rule: &'static str,
    /// Number of values to cut from each process.
    counts: Vec<usize>,
    /// Number of processes that the rule did not find steady before they ended. Nothing is cut from them.
    unsteady: usize,
}

fn cut_by_rule(set: &mut Leveled, jobs: Option<u32>) {
    let all = in_parallel(&set.benchmarks, work::jobs(jobs), by_rule);
    let (mut processes, mut values, mut unsteady, mut names) = (0, 0, 0, Vec::new());
    let mut rules: Vec<&str> = Vec::new();
    for (benchmark, found) in set.benchmarks.iter_mut().zip(all) {
        let Some(Found { rule, counts, unsteady: own }) = found else { continue };
        let cut: usize = counts.iter().sum();
        if let Some(rest) = benchmark.series.without_leading(&counts).filter(|_| cut > 0) {
            benchmark.series = rest;
            benchmark.warmup = u32::try_from(cut.div_ceil(counts.len().max(1))).unwrap_or(u32::MAX);
        }
        (processes, values, unsteady) = (processes + counts.len(), values + cut, unsteady + own);
        if own > 0 {
            names.push(benchmark.name.clone());
        }
        if !rules.contains(&rule) {
            rules.push(rule);
        }
    }
    let note = match processes {
        0 => "warm-up: nothing is compiled while it runs, so nothing was cut".to_owned(),
        n => format!(
            "warm-up by the rule {}: {:.1} values cut per process, {n} processes",
            rules.join(" and "),
            values as f64 / n as f64
        ),
    };
    let title = set.source.title.clone();
    set.diagnostics.push(Diagnostic { severity: Severity::Note, ..Diagnostic::warning(&title, note) });
    if unsteady > 0 {
        let message = format!(
            "{unsteady} of {processes} processes were not steady by the rule before they ended, so nothing was cut from them: {}",
            names.join(", ")
        );
        set.diagnostics.push(
            Diagnostic::warning(&title, message)
                .hint("--warmup N cuts a number of values; `steady show` draws them"),
        );
    }
}

/// `None` if nothing warms up, or no rule applies.
fn by_rule(benchmark: &LeveledBenchmark) -> Option<Found> {
    if benchmark.sample_kind.is_compiled_beforehand() {
        return None;
    }
    let iteration_s = benchmark.seconds_per_value;
    let iteration_time = Duration::try_from_secs_f64(iteration_s).ok()?;
    let rule = recorded_rule(benchmark.sample_kind, iteration_time);
    let processes: Vec<Vec<f64>> = benchmark.series.processes();
    // A recording costs no waiting time, so half of the longest process may be warm-up. The other half is
    // enough to choose from.
    let longest = processes.iter().map(Vec::len).max()?;
    let longest_warmup = Duration::try_from_secs_f64(iteration_s * longest as f64 / 2.0).ok();
    let given =
        Given { configuration: None, iteration_time, longest_warmup, measured: None, seed: super::SEED };
    let mut plan = catalogue::rule(rule).and_then(|rule| rule.plan(&given)).ok()?;
    // Rules expect seconds.
    let seconds: Vec<Vec<f64>> =
        processes.iter().map(|values| values.iter().map(|value| value * 1e-9).collect()).collect();
    let values: Vec<&[f64]> = seconds.iter().map(Vec::as_slice).collect();
    let stops = replay_benchmark(plan.as_mut(), &values, iteration_s);
    let mut counts: Vec<usize> = Vec::with_capacity(values.len());
    let mut unsteady = 0;
    for stop in &stops {
        let is_steady = stop.why != WhyCut::Unsteady;
        unsteady += usize::from(!is_steady);
        counts.push(if is_steady { stop.warmup as usize } else { 0 });
    }
    Some(Found { rule, counts, unsteady })
}
