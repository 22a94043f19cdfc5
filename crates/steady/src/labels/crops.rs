//! Every division of a series that some price of a change makes the cheapest.

use super::costs::Costs;
use super::pelt::{Segmentation, pelt};

/// A division and from which price on it is the cheapest.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Step {
    /// The least penalty for which it is.
    pub(super) penalty: f64,
    /// Its changes.
    pub(super) changes: usize,
}

/// The divisions that are cheapest for the penalties between two, by ascending penalty and falling number of changes. Haynes, Eckley & Fearnhead 2017
/// (J. Comput. Graph. Stat. 26), CROPS: if two penalties give m and k changes, whatever lies between shows at the penalty for which both
/// divisions cost the same.
///
/// The first step carries the least penalty itself. At most as many runs of [`pelt`] as there are divisions, and two.
pub(super) fn crops(costs: &mut Costs<'_>, least: f64, most: f64) -> Vec<Step> {
    let mut tested = vec![Tested::new(least, &pelt(costs, least))];
    let last = whole(costs, &tested[0], most).unwrap_or_else(|| Tested::new(most, &pelt(costs, most)));
    tested.push(last);
    loop {
        let wanted = unexplored(&tested);
        if wanted.is_empty() {
            break;
        }
        tested.extend(wanted.into_iter().map(|penalty| Tested::new(penalty, &pelt(costs, penalty))));
        tested.sort_by(|a, b| a.penalty.total_cmp(&b.penalty));
    }
    // Of equal numbers of changes the first is the one.
    tested.dedup_by_key(|tested| tested.changes);
    let crossings = tested.windows(2).map(|pair| crossing(&pair[0], &pair[1]));
    let penalties: Vec<f64> = std::iter::once(least).chain(crossings).collect();
    let steps = penalties.into_iter().zip(&tested);
    steps.map(|(penalty, tested)| Step { penalty, changes: tested.changes }).collect()
}

/// What a penalty gave.
#[derive(Debug, Clone, Copy)]
struct Tested {
    penalty: f64,
    changes: usize,
    /// Without penalties.
    cost: f64,
}

impl Tested {
    fn new(penalty: f64, found: &Segmentation) -> Self {
        Tested { penalty, changes: found.changes(), cost: found.cost }
    }
}

/// The undivided series, where the cheapest division for another penalty shows that it is the cheapest for this one: no division into m parts
/// costs less than what was least there allows for.
fn whole(costs: &mut Costs<'_>, known: &Tested, penalty: f64) -> Option<Tested> {
    // In the order of additions of a search, whose rounding is passed on.
    let undivided = -penalty + costs.cost(0, costs.len()) + penalty;
    let least_divided = known.cost + known.penalty * known.changes as f64 + (penalty - known.penalty);
    (least_divided > undivided).then_some(Tested { penalty, changes: 0, cost: undivided })
}

/// Penalties between neighbours that differ by more than one change and were not looked at.
fn unexplored(tested: &[Tested]) -> Vec<f64> {
    /// Relative difference below which two penalties are one.
    const SAME: f64 = 1.5e-8;
    let between = tested.windows(2).filter(|pair| pair[0].changes.abs_diff(pair[1].changes) > 1);
    // By the reciprocal, as it was published: rounding chooses between divisions that cost the same.
    let wanted = between.map(|pair| {
        (pair[1].cost - pair[0].cost) * (pair[0].changes as f64 - pair[1].changes as f64).recip()
    });
    let is_new =
        |penalty: &f64| tested.iter().all(|tested| (tested.penalty - penalty).abs() > SAME * penalty);
    wanted.filter(|penalty| penalty.is_finite()).filter(is_new).collect()
}

/// The penalty for which both cost the same.
fn crossing(more: &Tested, fewer: &Tested) -> f64 {
    (fewer.cost - more.cost) / (more.changes as f64 - fewer.changes as f64)
}

#[cfg(test)]
mod tests {
    use super::super::sums::{Sums, ZeroVariance};
    use super::*;

    fn stairs() -> Sums {
        let values: Vec<f64> = (0..400)
            .map(|i| {
                let level = [10.0, 20.0, 12.0, 12.5][i / 100];
                level + ((i * 7919) % 101) as f64 / 100.0
            })
            .collect();
        Sums::new(&values, ZeroVariance::Relative)
    }

    #[test]
    fn every_penalty_in_between_gives_one_of_the_divisions() {
        let sums = stairs();
        let mut costs = Costs::new(&sums);
        let steps = crops(&mut costs, 10.0, 1e5);
        assert_eq!(steps[0].penalty, 10.0);
        assert!(steps.windows(2).all(|pair| pair[0].penalty < pair[1].penalty), "{steps:?}");
        assert!(steps.windows(2).all(|pair| pair[0].changes > pair[1].changes), "{steps:?}");
        assert_eq!(steps.last().map(|step| step.changes), Some(0));
        for (index, step) in steps.iter().enumerate() {
            let next = steps.get(index + 1).map_or(1e5, |next| next.penalty);
            for share in [0.1, 0.5, 0.9] {
                let penalty = step.penalty + share * (next - step.penalty);
                assert_eq!(pelt(&mut costs, penalty).changes(), step.changes, "{penalty}");
            }
        }
    }

    #[test]
    fn the_undivided_series_is_known_without_looking_where_the_price_is_high() {
        let sums = stairs();
        let mut costs = Costs::new(&sums);
        let known = Tested::new(10.0, &pelt(&mut costs, 10.0));
        assert!(whole(&mut costs, &known, 11.0).is_none());
        let found = whole(&mut costs, &known, 1e6).expect("far too dear");
        let searched = pelt(&mut costs, 1e6);
        assert_eq!((found.changes, found.cost), (searched.changes(), searched.cost));
    }

    #[test]
    fn a_constant_series_has_one_division() {
        let sums = Sums::new(&[3.0; 50], ZeroVariance::Relative);
        assert_eq!(crops(&mut Costs::new(&sums), 10.0, 1e5), [Step { penalty: 10.0, changes: 0 }]);
    }
}
