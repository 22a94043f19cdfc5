//! A given time, spread over a suite.

use super::choose::judged;
use super::{ComparePlan, Costs, Design, Noise, Wanted, candidates};

/// A benchmark that shares a given time with others.
#[derive(Debug, Clone, PartialEq)]
pub struct Sharing {
    /// Its noise.
    pub noise: Noise,
    /// The cost of its processes.
    pub costs: Costs,
    /// The goal for it.
    pub wanted: Wanted,
}

/// Plans for a suite that together take about `seconds`, so that the most changes are found: one per benchmark, none where the limits
/// leave no plan at all. A benchmark for which no time is left gets its cheapest plan, and its reason says so.
pub fn for_suite(suite: &[Sharing], seconds: f64) -> Vec<Option<ComparePlan>> {
    let Some(first) = suite.first() else { return Vec::new() };
    let of_each: Vec<Vec<ComparePlan>> = suite
        .iter()
        .map(|one| {
            let wanted = Wanted { is_averaged: true, ..one.wanted.clone() };
            candidates(&one.noise, &one.costs, &wanted)
        })
        .collect();
    let chosen = within_budget(&of_each, seconds, &first.wanted.design);
    let planned = |((one, plans), at): ((&Sharing, &Vec<ComparePlan>), Option<usize>)| {
        let plan = judged(plans.get(at.unwrap_or(0))?.clone(), &one.wanted);
        Some(match at {
            Some(_) => plan,
            None => ComparePlan { reason: format!("no time is left for it; {}", plan.reason), ..plan },
        })
    };
    suite.iter().zip(&of_each).zip(chosen).map(planned).collect()
}

/// For every benchmark one of its candidates (cheapest first, each more likely to find the change than the one before), so that
/// the most changes are found in `seconds` together: the index of each, none where there is no time for even the cheapest.
///
/// First everybody gets the cheapest plan that can find anything, if there is time for all of them: the noise that plans were made with is
/// not the noise that will be met, and a benchmark that gets nothing because it was noisy once is never found. Not so for a rule that
/// judges by the noise it knew before, which sees nothing with the cheapest plan of what was noisy once.
///
/// Then, again and again, the step that finds most per second is taken; steps that do so only together with the next are taken together. What
/// is left at the end buys what still fits.
pub fn within_budget(suite: &[Vec<ComparePlan>], seconds: f64, design: &Design) -> Vec<Option<usize>> {
    let mut chosen: Vec<Option<usize>> = vec![None; suite.len()];
    let mut left = seconds;
    let floors: Vec<Option<usize>> = suite.iter().map(|plans| floor(plans)).collect();
    let cost = |(plans, floor): (&Vec<ComparePlan>, &Option<usize>)| {
        floor.map_or(0.0, |at| plans[at].predicted_seconds)
    };
    let for_all: f64 = suite.iter().zip(&floors).map(cost).sum();
    let judges_by_what_it_sees = !matches!(design, Design::Known { .. });
    if judges_by_what_it_sees && for_all <= seconds {
        (chosen, left) = (floors, seconds - for_all);
    }
    loop {
        let steps = suite.iter().zip(&chosen).enumerate();
        let best = steps
            .filter_map(|(at, (plans, now))| best_step(plans, *now, left).map(|step| (at, step)))
            .max_by(|one, other| one.1.gain.total_cmp(&other.1.gain));
        let Some((at, step)) = best else { return chosen };
        chosen[at] = Some(step.to);
        left -= step.seconds;
    }
}

/// The cheapest plan that can find anything: fewer processes are never rare enough for the rule, however far the sides are apart.
fn floor(plans: &[ComparePlan]) -> Option<usize> {
    plans.iter().position(|plan| plan.power > 0.0)
}

struct Step {
    to: usize,
    seconds: f64,
    /// Power per second.
    gain: f64,
}

/// The step of one benchmark that gains most per second and can be paid.
fn best_step(plans: &[ComparePlan], now: Option<usize>, left: f64) -> Option<Step> {
    let (power, paid) = now.map_or((0.0, 0.0), |at| (plans[at].power, plans[at].predicted_seconds));
    let next = now.map_or(0, |at| at + 1);
    let step = |(to, plan): (usize, &ComparePlan)| {
        let seconds = plan.predicted_seconds - paid;
        Step { to, seconds, gain: (plan.power - power) / seconds.max(f64::MIN_POSITIVE) }
    };
    let steps = plans.iter().enumerate().skip(next).map(step);
    steps
        .filter(|step| step.seconds <= left && step.gain > 0.0)
        .max_by(|one, other| one.gain.total_cmp(&other.gain))
}
