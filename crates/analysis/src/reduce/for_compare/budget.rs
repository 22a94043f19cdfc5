//! Distributes a given time over a suite.

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

/// Plans for a suite that together take about `seconds` and find as many changes as possible. There is one
/// per benchmark, or `None` if the limits permit no plan. A benchmark for which no time is left gets its
/// cheapest plan, and its reason says so.
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

/// Chooses one of the candidates of every benchmark, so that as many changes as possible are found in
/// `seconds` together. Candidates are sorted by cost, and each is more likely to find the change than the one
/// before. The result has the index of each, or `None` if there is no time for even the cheapest.
///
/// First every benchmark gets the cheapest plan that can find anything, if there is time for all of them. The
/// noise at the next measurement will differ from the known noise, and a benchmark that gets no time because
/// it was noisy once would never find a change. This step is left out for a rule that judges by the noise
/// known before: with its cheapest plan it would find nothing in a benchmark that was noisy once.
///
/// Then the step with the most power per second is taken repeatedly. A step that only pays off with the next
/// one is taken together with it. In the end, the time left is used for whatever still fits.
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

/// The cheapest plan that can find anything. With fewer processes no result is rare enough for the rule,
/// however different the sides are.
fn floor(plans: &[ComparePlan]) -> Option<usize> {
    plans.iter().position(|plan| plan.power > 0.0)
}

struct Step {
    to: usize,
    seconds: f64,
    /// Power per second.
    gain: f64,
}

/// The affordable step of one benchmark with the most power per second.
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
