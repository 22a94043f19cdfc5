//! What stop rules cost while a benchmark runs.

use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use benchwright_formats::warmup::RecordedProcess;
use benchwright_steady::rules::Configuration;
use benchwright_steady::rules::catalogue::{Given, NamedRule, RULES};
use benchwright_steady::{Cut, Decision, EndedProcess, StopPlan, WhyCut};

use super::goals::{Bound, Goal};

/// Times each decision is repeated; the fastest counts.
const TURNS: usize = 5;

/// Processes after which the learned rule compares with a long one.
const EARLIER: usize = 6;

/// What one rule costs.
struct Cost {
    rule: &'static str,
    /// From asking for the rule for the first time to having it, which reads its weights.
    load: Duration,
    /// Of all decisions about all processes.
    mean: Duration,
    /// Of the costliest decision.
    most: Duration,
}

/// Asks every rule about whole processes, prints what that costs, and holds it against our goals. To be called before anything else asks for a rule.
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
    // On the clock: what the system counts as time on a processor moves in steps of milliseconds.
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

/// The time of every decision until the rule stops each process. The same decision is timed several times, so that what an interruption cost
/// is not taken for the rule's.
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

/// Size of all files of weights.
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
