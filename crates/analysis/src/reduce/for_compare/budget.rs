//! A given time, spread over a suite.

use super::{ComparePlan, Design};

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
