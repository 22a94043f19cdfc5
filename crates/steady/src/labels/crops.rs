//! All divisions of a series that are the cheapest for some price of a change.

use super::costs::Costs;
use super::pelt::{Segmentation, pelt, pelt_each};

/// Number of parallel searches. Their data has to fit into the processor's cache.
const TOGETHER: usize = 8;

/// A division, and the smallest price at which it is the cheapest.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Step {
    /// The smallest penalty for which it is the cheapest.
    pub(super) penalty: f64,
    /// Its changes.
    pub(super) changes: usize,
}

/// The divisions that are cheapest for the penalties between two limits, by ascending penalty and falling
/// number of changes. Haynes, Eckley & Fearnhead 2017 (J. Comput. Graph. Stat. 26), CROPS: if two penalties
/// give m and k changes, the penalty at which both divisions cost the same shows all divisions between them.
///
/// The first step has the smallest penalty itself. There are at most two runs of [`pelt`] more than
/// divisions.
///
/// The results are stored as in R's `changepoint`: penalties, numbers of changes and costs are each sorted
/// separately. If a division was found twice with costs that differ by rounding, this determines which of two
/// equally cheap divisions is chosen.
pub(super) fn crops(costs: &mut Costs<'_>, least: f64, most: f64) -> Vec<Step> {
    let mut tested = Tested::default();
    tested.add(least, &pelt(costs, least));
    match whole(costs, &tested, most) {
        Some(undivided) => tested.add(most, &undivided),
        None => tested.add(most, &pelt(costs, most)),
    }
    loop {
        tested.sort();
        let wanted = tested.unexplored();
        if wanted.is_empty() {
            return tested.steps();
        }
        for some in wanted.chunks(TOGETHER) {
            let found = pelt_each(costs, some);
            some.iter().zip(&found).for_each(|(penalty, found)| tested.add(*penalty, found));
        }
    }
}

/// The results for the penalties.
#[derive(Debug, Default)]
struct Tested {
    /// Ascending.
    penalties: Vec<f64>,
    /// Falling.
    changes: Vec<usize>,
    /// Without penalties, ascending.
    costs: Vec<f64>,
}

impl Tested {
    fn add(&mut self, penalty: f64, found: &Segmentation) {
        self.penalties.push(penalty);
        self.changes.push(found.changes());
        self.costs.push(found.cost);
    }

    fn sort(&mut self) {
        self.penalties.sort_by(f64::total_cmp);
        self.changes.sort_unstable_by(|a, b| b.cmp(a));
        self.costs.sort_by(f64::total_cmp);
    }

    /// Penalties between neighbours that differ by more than one change and were not tried.
    fn unexplored(&self) -> Vec<f64> {
        /// Penalties with a smaller relative difference count as equal.
        const SAME: f64 = 1.5e-8;
        let between = self.changes.windows(2).zip(self.costs.windows(2));
        let crossings = between.filter(|(changes, _)| changes[0] - changes[1] > 1).map(|(changes, costs)| {
            // As published, by multiplying with the reciprocal.
            (costs[1] - costs[0]) * ((changes[0] - changes[1]) as f64).recip()
        });
        let is_new =
            |penalty: &f64| self.penalties.iter().all(|known| (known - penalty).abs() > SAME * penalty);
        crossings.filter(|penalty| penalty.is_finite()).filter(is_new).collect()
    }

    /// Each division with the penalty at which it costs the same as the one before.
    fn steps(&self) -> Vec<Step> {
        let mut steps: Vec<Step> = Vec::new();
        let mut before = None;
        for (place, (&changes, &cost)) in self.changes.iter().zip(&self.costs).enumerate() {
            let penalty = match before {
                // Of equal numbers of changes, the first one counts.
                Some((known, _)) if known == changes => continue,
                Some((known, known_cost)) => (cost - known_cost) / (known - changes) as f64,
                None => self.penalties[place],
            };
            steps.push(Step { penalty, changes });
            before = Some((changes, cost));
        }
        steps
    }
}

/// The undivided series, if the cheapest division for another penalty proves that it is the cheapest for this
/// one: every division into parts costs at least the lower bound that follows from that one.
fn whole(costs: &mut Costs<'_>, known: &Tested, penalty: f64) -> Option<Segmentation> {
    let n = costs.len();
    // In the same order of additions as in a search, because rounding errors are passed on.
    let undivided = -penalty + costs.cost(0, n) + penalty;
    let (&first, &changes, &cost) = (known.penalties.first()?, known.changes.first()?, known.costs.first()?);
    let least_divided = cost + first * changes as f64 + (penalty - first);
    (least_divided > undivided).then(|| Segmentation { ends: vec![n], cost: undivided })
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
        let mut known = Tested::default();
        known.add(10.0, &pelt(&mut costs, 10.0));
        assert!(whole(&mut costs, &known, 11.0).is_none());
        let found = whole(&mut costs, &known, 1e6).expect("far too dear");
        let searched = pelt(&mut costs, 1e6);
        assert_eq!(found, searched);
    }

    #[test]
    fn a_constant_series_has_one_division() {
        let sums = Sums::new(&[3.0; 50], ZeroVariance::Relative);
        assert_eq!(crops(&mut Costs::new(&sums), 10.0, 1e5), [Step { penalty: 10.0, changes: 0 }]);
    }
}
