//! The cost of stop rules while a benchmark runs.

use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use benchwright_formats::warmup::RecordedProcess;
use benchwright_steady::rules::Configuration;
use benchwright_steady::rules::catalogue::{Given, NamedRule, RULES};
use benchwright_steady::{Cut, Decision, EndedProcess, StopPlan, WhyCut};

use super::goals::{Bound, Goal};

/// How often each decision is repeated. The fastest time counts.
const TURNS: usize = 5;

/// Number of earlier processes after which the learned rule compares with the long process.
const EARLIER: usize = 6;

/// The cost of one rule.
struct Cost {
    rule: &'static str,
    /// Time to create the rule for the first time, which includes reading its weights.
    load: Duration,
    /// Mean time of all decisions about all processes.
    mean: Duration,
    /// Time of the slowest decision.
    most: Duration,
}

/// Applies every rule to whole processes, prints the cost, and compares it with our goals. Must run before
/// anything else creates a rule, because weights are read only once.
pub(super) fn measure(root: &Path, processes: &[RecordedProcess]) -> Result<Vec<Goal>> {
    let costs: Vec<Cost> = RULES.iter().filter_map(|rule| cost(rule, processes)).collect();
    for cost in &costs {
        println!(
            "rule {:<8} {:>8.3} µs per sample, {:>8.1} µs the costliest, ready after {:>6.3} ms",
            cost.rule,
            micros(cost.mean),
            micros(cost.most),
            cost.load.as_secs_f64() * 1e3
        );
    }
    let largest = |of: &dyn Fn(&Cost) -> f64, rules: &dyn Fn(&str) -> bool| {
        costs.iter().filter(|cost| rules(cost.rule)).map(of).reduce(f64::max)
    };
    let is_classifier = |rule: &str| ["oscnn", "fcn", "rocket"].contains(&rule);
    let load: f64 = costs.iter().map(|cost| cost.load.as_secs_f64() * 1e3).sum();
    let goal = |name, bound, measured| Goal { name, bound: Bound::AtMost(bound), measured };
    Ok(vec![
        goal(
            "the default rule, costliest decision, µs",
            100.0,
            largest(&|cost| micros(cost.most), &|rule| rule == "learned"),
        ),
        goal(
            "OSCNN, FCN and ROCKET, costliest decision, µs",
            1000.0,
            largest(&|cost| micros(cost.most), &is_classifier),
        ),
        goal(
            "costliest rule but kld and classifiers, per sample, µs",
            10.0,
            largest(&|cost| micros(cost.mean), &|rule| rule != "kld" && !is_classifier(rule)),
        ),
        goal("weights of all rules, read, ms", 10.0, Some(load)),
        goal("weights of all rules, MB", 4.0, Some(weights_mb(&root.join("crates/steady/weights"))?)),
    ])
}

fn cost(rule: &'static NamedRule, processes: &[RecordedProcess]) -> Option<Cost> {
    let given = Given {
        configuration: Some(Configuration::JMH),
        iteration_time: Duration::from_millis(100),
        longest_warmup: None,
        measured: None,
        seed: 1,
    };
    // Uses wall time, because the system counts CPU time only in steps of milliseconds.
    let begin = Instant::now();
    let mut plan = rule.plan(&given).ok()?;
    black_box(plan.rule());
    let load = begin.elapsed();
    let mut times = decisions(plan.as_ref(), processes);
    let first = &processes.first()?.values;
    for _ in 0..EARLIER {
        plan.ended(EndedProcess { values: first, cut: Cut { warmup: 50, why: WhyCut::Steady } });
    }
    times.extend(decisions(plan.as_ref(), processes));
    let count = u32::try_from(times.len()).ok().filter(|count| *count > 0)?;
    let most = times.iter().copied().max()?;
    Some(Cost { rule: rule.name, load, mean: times.iter().sum::<Duration>() / count, most })
}

/// The time of every decision until the rule stops each process. Each decision is timed several times, so
/// that interruptions are not counted as time of the rule.
fn decisions(plan: &dyn StopPlan, processes: &[RecordedProcess]) -> Vec<Duration> {
    let mut all = Vec::new();
    for process in processes {
        let mut least = vec![Duration::MAX; process.values.len()];
        let mut end = 0;
        for _ in 0..TURNS {
            let mut rule = plan.rule();
            for (place, value) in process.values.iter().enumerate() {
                let elapsed = Duration::from_secs_f64(process.iteration_s).saturating_mul(place as u32 + 1);
                let begin = Instant::now();
                let decision = black_box(rule.sample(black_box(*value), elapsed));
                least[place] = least[place].min(begin.elapsed());
                end = place + 1;
                if let Decision::Stop(_) = decision {
                    break;
                }
            }
        }
        all.extend_from_slice(&least[..end]);
    }
    all
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

/// The size of all files with weights.
fn weights_mb(folder: &Path) -> Result<f64> {
    let mut bytes = 0;
    for entry in folder.read_dir().context("look at the weights")? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "bin") {
            bytes += path.metadata()?.len();
        }
    }
    Ok(bytes as f64 / 1e6)
}
