//! Finds the cheapest plan that reaches the goal.

use super::power::{Prediction, predict};
use super::{ComparePlan, Costs, Design, Noise, Reach, Wanted};
use crate::reduce::LevelSeries;

/// Chooses for one benchmark from its values over levels. `None` if nothing is repeated, so that the noise is
/// unknown.
pub fn for_compare(series: &LevelSeries, costs: &Costs, wanted: &Wanted) -> Option<ComparePlan> {
    for_noise(&Noise::of(series)?, costs, wanted)
}

/// Does the same for known noise. `None` if the limits permit no plan.
pub fn for_noise(noise: &Noise, costs: &Costs, wanted: &Wanted) -> Option<ComparePlan> {
    let all = candidates(noise, costs, wanted);
    let reached = all.iter().find(|plan| plan.power >= wanted.power).cloned();
    let plan = reached.or_else(|| match wanted.design {
        Design::Duets(_) => largest(noise, costs, wanted),
        Design::Apart { .. } | Design::Known { .. } => nearest(&all).cloned(),
    })?;
    Some(judged(plan, wanted))
}

/// The largest plan within the limits. Duets end when the rule has decided, so a plan that cannot reach its
/// goal must not prevent changes from being found that would be found without a plan.
fn largest(noise: &Noise, costs: &Costs, wanted: &Wanted) -> Option<ComparePlan> {
    let iterations = *iterations(noise, wanted).last()?;
    Some(plan(noise, costs, iterations, believed(noise, wanted, iterations).last()?))
}

/// Adds whether the plan reaches the goal, and the reason for it.
pub(super) fn judged(plan: ComparePlan, wanted: &Wanted) -> ComparePlan {
    let reach = match plan.power >= wanted.power {
        true => Reach::Reached,
        false => Reach::Unreached { change: reachable(&plan.noise, wanted, &plan) },
    };
    let reason = reason(&plan, reach, wanted);
    ComparePlan { reach, reason, ..plan }
}

/// The cheapest plan that comes close to the best one, because the last few changes cost the most.
fn nearest(all: &[ComparePlan]) -> Option<&ComparePlan> {
    const NEAR: f64 = 0.95;
    let best = all.last()?.power;
    all.iter().find(|plan| plan.power >= NEAR * best)
}

/// All plans within the limits for which no other plan is both cheaper and more likely to find the change,
/// the cheapest first. `reach` and `reason` are those of a plan that is enough.
pub fn candidates(noise: &Noise, costs: &Costs, wanted: &Wanted) -> Vec<ComparePlan> {
    let mut all: Vec<ComparePlan> = Vec::new();
    for iterations in iterations(noise, wanted) {
        let predictions = believed(noise, wanted, iterations);
        all.extend(predictions.iter().map(|prediction| plan(noise, costs, iterations, prediction)));
    }
    all.retain(|plan| plan.predicted_seconds <= wanted.most_seconds);
    all.sort_by(|left, right| {
        let by_cost = left.predicted_seconds.total_cmp(&right.predicted_seconds);
        by_cost.then(right.power.total_cmp(&left.power))
    });
    let mut best = f64::NEG_INFINITY;
    all.retain(|plan| {
        let is_better = plan.power > best;
        best = best.max(plan.power);
        is_better
    });
    all
}

/// Predictions for the assumed noise. Power is averaged over several noises if wanted. The test that knows
/// the spread averages by itself.
fn believed(noise: &Noise, wanted: &Wanted, iterations: u32) -> Vec<Prediction> {
    if !wanted.is_averaged || matches!(wanted.design, Design::Known { .. }) {
        return predict(&noise.cautious(wanted.caution), wanted, iterations);
    }
    let all: Vec<Vec<Prediction>> =
        noise.possible().map(|noise| predict(&noise, wanted, iterations)).collect();
    let mut averaged = predict(noise, wanted, iterations);
    for (at, prediction) in averaged.iter_mut().enumerate() {
        let powers = all.iter().filter_map(|one| one.get(at)).map(|one| one.power);
        prediction.power = powers.sum::<f64>() / all.len().max(1) as f64;
    }
    averaged
}

fn plan(noise: &Noise, costs: &Costs, iterations: u32, prediction: &Prediction) -> ComparePlan {
    let seconds = |processes: f64| 2.0 * processes * costs.process(iterations);
    ComparePlan {
        processes: prediction.processes,
        floor: prediction.floor,
        iterations,
        seconds: costs.iteration,
        power: prediction.power,
        predicted_seconds: seconds(prediction.usual),
        most_seconds: seconds(f64::from(prediction.most)),
        noise: noise.clone(),
        reach: Reach::Reached,
        reason: String::new(),
    }
}

/// The numbers of iterations to try: every small one, then steps of a quarter.
fn iterations(noise: &Noise, wanted: &Wanted) -> Vec<u32> {
    let (least, most) = wanted.iterations;
    let least = least.max(1);
    let most = most.unwrap_or(noise.recorded).max(least);
    let mut all = vec![least];
    while let Some(&last) = all.last()
        && last < most
    {
        all.push((last + (last / 4).max(1)).min(most));
    }
    all
}

/// The smallest change that a plan finds with the wanted power, by bisection. `None` if it is too large to be
/// useful.
fn reachable(noise: &Noise, wanted: &Wanted, plan: &ComparePlan) -> Option<f64> {
    /// A benchmark that takes ten times as long.
    const LARGEST: f64 = 9.0;
    const HALVINGS: u32 = 20;
    let believed = noise.cautious(wanted.caution);
    let finds = |change: f64| {
        let wanted = Wanted { change, most_processes: plan.processes, ..wanted.clone() };
        let predictions = predict(&believed, &wanted, plan.iterations);
        predictions.iter().any(|one| one.processes == plan.processes && one.power >= wanted.power)
    };
    let (mut below, mut above) = (wanted.change.abs().ln_1p(), LARGEST.ln_1p());
    if !finds(above.exp_m1()) {
        return None;
    }
    for _ in 0..HALVINGS {
        let middle = (below + above) / 2.0;
        if finds(middle.exp_m1()) { above = middle } else { below = middle }
    }
    Some(above.exp_m1())
}

/// How many processes are enough with the recorded number of iterations.
fn usual_processes(noise: &Noise, wanted: &Wanted) -> Option<u32> {
    let predictions = predict(&noise.cautious(wanted.caution), wanted, noise.recorded);
    predictions.iter().find(|one| one.power >= wanted.power).map(|one| one.processes)
}

/// One sentence on what dominates, and on the consequence.
fn reason(plan: &ComparePlan, reach: Reach, wanted: &Wanted) -> String {
    let percent = |variance: f64| format!("{:.2} %", variance.max(0.0).sqrt() * 100.0);
    let noise = &plan.noise;
    let within = if noise.recorded > 1 {
        format!(", within one {} per iteration", percent(noise.within(1)))
    } else {
        String::new()
    };
    let above = match &wanted.design {
        Design::Apart { .. } if noise.above > 0.0 => format!("between places {}, ", percent(noise.above)),
        _ => String::new(),
    };
    let noise = format!("{above}between processes {}{within}", percent(noise.between));
    match reach {
        Reach::Unreached { .. } if wanted.change.abs() <= wanted.threshold => format!(
            "a change of {:.1} % does not exceed the threshold of {:.1} %, so that at most half are called changed",
            wanted.change * 100.0,
            wanted.threshold * 100.0
        ),
        Reach::Unreached { change: Some(change) } => format!(
            "{noise}: no plan within the limits finds {:.1} % often enough; {:.1} % can be found",
            wanted.change * 100.0,
            change * 100.0
        ),
        Reach::Unreached { change: None } => format!("{noise}: nothing can be found within the limits"),
        Reach::Reached => format!("{noise}: {}", direction(plan, wanted)),
    }
}

/// How the plan differs from the recorded measurement.
fn direction(plan: &ComparePlan, wanted: &Wanted) -> &'static str {
    let noise = &plan.noise;
    if plan.iterations >= noise.recorded {
        return if noise.within(noise.recorded) > noise.between {
            "as many iterations as recorded, since they decide"
        } else {
            "as many iterations as recorded"
        };
    }
    match usual_processes(noise, wanted) {
        Some(usual) if plan.processes > usual => "more processes, fewer iterations",
        _ if noise.of_process(plan.iterations) < 2.0 * noise.of_process(noise.recorded) => {
            "fewer iterations, since more hardly help"
        }
        _ => "fewer iterations are enough",
    }
}
