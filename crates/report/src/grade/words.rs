//! Sentences that the formats for people share.

use std::time::Duration;

use benchwright_analysis::grade::{Cause, Cell, Scores, UNSTABLE};

use super::{Api, ApiFunction, Extent, GateTrial, Selection, StabilityTable, TriedSlowdown};
use crate::overview::plural;
use crate::scale;

/// Seconds as a stretch of time.
pub(super) fn time(seconds: f64) -> String {
    scale::duration(Duration::try_from_secs_f64(seconds).unwrap_or_default())
}

fn rough(seconds: f64) -> String {
    scale::rough(Duration::try_from_secs_f64(seconds).unwrap_or_default())
}

pub(super) fn extent(extent: &Extent) -> Vec<String> {
    let harnesses: Vec<String> =
        extent.harnesses.iter().map(|(name, count)| format!("{name} {count}")).collect();
    let (benchmarks, packages) = (plural(extent.benchmarks, "benchmark"), plural(extent.packages, "package"));
    let mut lines = vec![format!("{benchmarks} in {packages} ({})", harnesses.join(", "))];
    if !extent.runs.is_empty() {
        let n = extent.runs.len();
        let mean = extent.runs.iter().sum::<f64>() / n as f64;
        let (least, most) =
            extent.runs.iter().fold((f64::INFINITY, 0.0_f64), |(a, b), it| (a.min(*it), b.max(*it)));
        let range =
            if n > 1 { format!(" ({} to {} in {n} runs)", time(least), time(most)) } else { String::new() };
        lines.push(format!("one run of the suite takes {}{range}", time(mean)));
    }
    if !extent.dearest.is_empty() {
        let named: Vec<String> =
            extent.dearest.iter().map(|(name, share)| format!("{name} {}", scale::share(*share))).collect();
        lines.push(format!("most of the time: {}", named.join(", ")));
    }
    if let Some([low, middle, high]) = extent.comparison {
        let budgets: Vec<String> = extent
            .budgets
            .iter()
            .filter(|(seconds, _)| *seconds < middle)
            .map(|(seconds, benchmarks)| format!("{} about {benchmarks}", rough(*seconds)))
            .collect();
        let range = scale::range(Duration::from_secs_f64(low), Duration::from_secs_f64(high));
        let fits = if budgets.is_empty() {
            String::new()
        } else {
            format!("; benchmarks decided in a budget of {}", budgets.join(", of "))
        };
        lines.push(format!("a comparison of all takes {range}{fits}"));
    }
    lines
}

pub(super) fn stability(table: &StabilityTable) -> Vec<String> {
    let benchmarks = plural(table.benchmarks.len(), "benchmark");
    let mut lines = vec![format!(
        "{benchmarks} in {} runs; the spread is the largest difference between the means of two runs, relative to the mean",
        table.runs
    )];
    lines.push(format!(
        "the most stable 95 % vary by at most {}, and show slowdowns of twice that: {}",
        scale::share(table.spread_95),
        scale::share(2.0 * table.spread_95)
    ));
    let of_budget =
        table.budget.map(|seconds| format!(" in a budget of {}", rough(seconds))).unwrap_or_default();
    let duets = plural(table.duets as usize, "duet");
    lines.push(format!("`shows`: the smallest change that {duets} each{of_budget} find four times in five"));
    lines
}

pub(super) fn cause(cause: &Cause) -> String {
    let percent = |ratio: f64| scale::share(ratio.abs());
    match cause {
        Cause::Resolution(step) => format!("clock: times come in steps of {}", percent(*step)),
        Cause::Drift(change) if *change > 0.0 => {
            format!("drift: {} slower from the first run to the last", percent(*change))
        }
        Cause::Drift(change) => format!("drift: {} faster from the first run to the last", percent(*change)),
        Cause::WarmUp(change) if *change > 0.0 => {
            format!("warm-up: the first value of a process is {} slower", percent(*change))
        }
        Cause::WarmUp(change) => format!("the first value of a process is {} faster", percent(*change)),
        Cause::TwoModes(change) => {
            format!("two modes: processes take one of two times, {} apart", percent(*change))
        }
        Cause::Allocation(bytes) => format!("allocates {bytes:.0} B per operation: garbage collection"),
    }
}

/// The likely reason, if one is needed.
pub(super) fn reason(stability: &benchwright_analysis::grade::Stability) -> String {
    match &stability.cause {
        Some(found) => cause(found),
        None if stability.max_spread >= UNSTABLE => "noise of the machine, or of the benchmark".to_owned(),
        None => String::new(),
    }
}

pub(super) fn scores(scores: &Scores) -> String {
    format!(
        "{} (without the least stable 5 %: {}; without spreads above 50 %: {})",
        scale::share(scores.total),
        scale::share(scores.relative),
        scale::share(scores.absolute)
    )
}

pub(super) fn api(api: &Api) -> Vec<String> {
    let found = api.functions.iter().filter(|function| function.is_covered).count();
    let is_open = |(function, cells): &(&ApiFunction, &Vec<Cell>)| {
        !function.is_covered && cells.contains(&Cell::Unknown)
    };
    let open = match api.functions.iter().zip(&api.cells).filter(is_open).count() {
        0 => String::new(),
        open => format!("; {open} not decided, which do not count in the score"),
    };
    let mut lines = vec![
        format!("functions: {}", api.functions_note),
        format!("slowdown: {} ({})", scale::share(api.slowdown), api.slowdown_note),
        format!("found: {found} of {} slowdowns{open}", api.functions.len()),
    ];
    if let Some(of) = &api.scores {
        lines.push(format!("API benchmarking score: {}", scores(of)));
    }
    if let Some(of) = &api.published_scores {
        lines.push(format!("by the paper's tests: {}", scores(of)));
    }
    lines.push(format!(
        "took {}; running the whole suite twice for each function, with processes as short as these, would take {}",
        time(api.seconds),
        time(api.naive_seconds)
    ));
    lines
}

pub(super) fn redundancy(api: &Api) -> String {
    let seconds =
        |numbers: &mut dyn Iterator<Item = usize>| numbers.map(|at| api.benchmarks[at].seconds).sum::<f64>();
    let all = seconds(&mut (0..api.benchmarks.len()));
    let needed = seconds(&mut api.needed.iter().copied());
    let best = if api.is_smallest { "" } else { " (a smaller set may exist)" };
    format!(
        "{} of {} benchmarks find as much as all of them, in {} instead of {}{best}",
        api.needed.len(),
        api.benchmarks.len(),
        time(needed),
        time(all)
    )
}

pub(super) fn selection(selection: &Selection) -> Vec<String> {
    let [seconds, all] = selection.seconds;
    let [covered, of] = selection.covered;
    let best = if selection.is_best { "" } else { "; a better choice may exist" };
    vec![
        format!("goal: {}", selection.goal),
        format!(
            "{}: one run takes {} instead of {}, and calls {covered} of {of} functions{best}",
            plural(selection.kept.len(), "benchmark"),
            time(seconds),
            time(all)
        ),
    ]
}

pub(super) fn gate(gate: &GateTrial) -> Vec<String> {
    let (failed, tried) = gate.false_alarms;
    let mut lines = vec![
        format!("slowed function: {}", gate.function),
        format!("settings: {}", gate.settings),
        format!("unchanged code: {failed} of {tried} comparisons failed"),
    ];
    for TriedSlowdown { slowdown, real, failed, tried } in &gate.slowdowns {
        let real = real.map(|real| format!(" (measured in the program: {})", scale::share(real)));
        let slower = format!("{} slower{}", scale::share(*slowdown), real.unwrap_or_default());
        lines.push(format!("{slower}: {failed} of {tried} comparisons failed"));
    }
    if gate.blind > 0 {
        lines.push(format!(
            "{} could not see: too few benchmarks were decided",
            plural(gate.blind as usize, "comparison")
        ));
    }
    lines.push(match (gate.smallest_seen(), failed) {
        (Some(slowdown), 0) => {
            format!("the gate works: it fails from a slowdown of {} on", scale::share(slowdown))
        }
        (Some(slowdown), _) => {
            format!("the gate fails from a slowdown of {} on, but also without any", scale::share(slowdown))
        }
        (None, _) => "the gate does not work: it passes whatever became slower".to_owned(),
    });
    lines
}
