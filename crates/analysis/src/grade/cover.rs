//! Which benchmarks to keep: the cheapest that cover as much as all, and the best for a given time.

use std::collections::BTreeSet;

/// A benchmark that could be kept.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// What it covers, by number.
    pub covers: BTreeSet<usize>,
    /// What it costs, in seconds.
    pub cost: f64,
}

/// The benchmarks that are kept.
#[derive(Debug, Clone, PartialEq)]
pub struct Kept {
    /// Their numbers, in ascending order.
    pub candidates: Vec<usize>,
    /// What they cover together.
    pub covered: BTreeSet<usize>,
    /// What they cost together.
    pub cost: f64,
    /// Whether no other choice is better. False where there are too many choices to try them all.
    pub is_best: bool,
}

impl Kept {
    fn of(candidates: &[Candidate], mut chosen: Vec<usize>, is_best: bool) -> Kept {
        chosen.sort_unstable();
        let covered = chosen.iter().flat_map(|at| candidates[*at].covers.iter().copied()).collect();
        let cost = chosen.iter().map(|at| candidates[*at].cost).sum();
        Kept { candidates: chosen, covered, cost, is_best }
    }
}

/// So many choices are tried before the best so far is taken.
const MOST_STEPS: u32 = 200_000;

/// The cheapest candidates that cover whatever all of them cover.
pub fn cheapest_cover(candidates: &[Candidate]) -> Kept {
    let all: BTreeSet<usize> = candidates.iter().flat_map(|it| it.covers.iter().copied()).collect();
    let mut search = CoverSearch { candidates, best: greedy(candidates, &all, f64::INFINITY), steps: 0 };
    search.go(&all, &mut Vec::new(), 0.0);
    Kept::of(candidates, search.best, search.steps < MOST_STEPS)
}

/// Takes what covers most of the rest per second, as long as the budget allows.
fn greedy(candidates: &[Candidate], wanted: &BTreeSet<usize>, budget: f64) -> Vec<usize> {
    let (mut left, mut spent, mut chosen) = (wanted.clone(), 0.0, Vec::new());
    loop {
        let gain = |at: usize| candidates[at].covers.intersection(&left).count() as f64;
        let fits = |at: &usize| gain(*at) > 0.0 && spent + candidates[*at].cost <= budget;
        let density = |at: usize| gain(at) / candidates[at].cost.max(1e-9);
        let best = (0..candidates.len()).filter(fits).max_by(|a, b| density(*a).total_cmp(&density(*b)));
        let Some(best) = best else { return chosen };
        left = left.difference(&candidates[best].covers).copied().collect();
        spent += candidates[best].cost;
        chosen.push(best);
    }
}

/// Branches on the function that the fewest benchmarks cover.
struct CoverSearch<'a> {
    candidates: &'a [Candidate],
    best: Vec<usize>,
    steps: u32,
}

impl CoverSearch<'_> {
    fn go(&mut self, left: &BTreeSet<usize>, chosen: &mut Vec<usize>, cost: f64) {
        self.steps += 1;
        let best_cost: f64 = self.best.iter().map(|at| self.candidates[*at].cost).sum();
        if left.is_empty() {
            if (cost, chosen.len()) < (best_cost, self.best.len()) {
                self.best = chosen.clone();
            }
            return;
        }
        let coverers = |one: usize| -> Vec<usize> {
            (0..self.candidates.len()).filter(|at| self.candidates[*at].covers.contains(&one)).collect()
        };
        let cheapest =
            |of: &[usize]| of.iter().map(|at| self.candidates[*at].cost).fold(f64::INFINITY, f64::min);
        let rows: Vec<Vec<usize>> = left.iter().map(|one| coverers(*one)).collect();
        // Each function that is left needs one of its benchmarks.
        let least = rows.iter().map(|row| cheapest(row)).fold(0.0, f64::max);
        if cost + least >= best_cost || self.steps >= MOST_STEPS {
            return;
        }
        let Some(mut row) = rows.into_iter().min_by_key(Vec::len) else { return };
        row.sort_by(|a, b| self.candidates[*a].cost.total_cmp(&self.candidates[*b].cost));
        for at in row {
            let rest = left.difference(&self.candidates[at].covers).copied().collect();
            chosen.push(at);
            self.go(&rest, chosen, cost + self.candidates[at].cost);
            chosen.pop();
        }
    }
}

/// The candidates that cover most within the budget, in seconds; among equals, the cheapest.
pub fn best_within(candidates: &[Candidate], budget: f64) -> Kept {
    let all: BTreeSet<usize> = candidates.iter().flat_map(|it| it.covers.iter().copied()).collect();
    let first = greedy(candidates, &all, budget);
    // One large benchmark may cover more than many small ones.
    let single = (0..candidates.len())
        .filter(|at| candidates[*at].cost <= budget)
        .max_by_key(|at| candidates[*at].covers.len())
        .map(|at| vec![at])
        .unwrap_or_default();
    let value = |chosen: &[usize]| Kept::of(candidates, chosen.to_vec(), false).covered.len();
    let start = if value(&single) > value(&first) { single } else { first };
    let mut order: Vec<usize> = (0..candidates.len()).filter(|at| candidates[*at].cost <= budget).collect();
    let density = |at: usize| candidates[at].covers.len() as f64 / candidates[at].cost.max(1e-9);
    order.sort_by(|a, b| density(*b).total_cmp(&density(*a)));
    let mut search =
        BudgetSearch { candidates, order, budget, best: Kept::of(candidates, start, false), steps: 0 };
    search.go(0, &mut Vec::new(), &BTreeSet::new(), 0.0);
    let is_best = search.steps < MOST_STEPS;
    Kept { is_best, ..search.best }
}

/// Takes or leaves one benchmark after the other.
struct BudgetSearch<'a> {
    candidates: &'a [Candidate],
    order: Vec<usize>,
    budget: f64,
    best: Kept,
    steps: u32,
}

impl BudgetSearch<'_> {
    fn go(&mut self, at: usize, chosen: &mut Vec<usize>, covered: &BTreeSet<usize>, cost: f64) {
        self.steps += 1;
        if (covered.len(), -cost) > (self.best.covered.len(), -self.best.cost) {
            self.best = Kept::of(self.candidates, chosen.clone(), false);
        }
        let rest = &self.order[at..];
        let reachable: BTreeSet<usize> = rest
            .iter()
            .filter(|it| cost + self.candidates[**it].cost <= self.budget)
            .flat_map(|it| self.candidates[*it].covers.difference(covered).copied())
            .collect();
        let most = covered.len() + reachable.len();
        if reachable.is_empty() || most < self.best.covered.len() || self.steps >= MOST_STEPS {
            return;
        }
        let next = self.order[at];
        let candidate = &self.candidates[next];
        let adds = candidate.covers.iter().any(|one| !covered.contains(one));
        if adds && cost + candidate.cost <= self.budget {
            chosen.push(next);
            self.go(
                at + 1,
                chosen,
                &covered.union(&candidate.covers).copied().collect(),
                cost + candidate.cost,
            );
            chosen.pop();
        }
        self.go(at + 1, chosen, covered, cost);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn candidate(covers: &[usize], cost: f64) -> Candidate {
        Candidate { covers: covers.iter().copied().collect(), cost }
    }

    #[test]
    fn the_cheapest_cover_is_found_where_greed_fails() {
        // Greed takes the four at once and needs two more; the two halves are cheaper.
        let candidates = [
            candidate(&[0, 1, 3, 4], 3.0),
            candidate(&[0, 1, 2], 2.9),
            candidate(&[3, 4, 5], 2.9),
            candidate(&[], 0.1),
        ];
        let kept = cheapest_cover(&candidates);
        assert_eq!(kept.candidates, [1, 2]);
        assert!(kept.is_best);
        assert_eq!(kept.covered.len(), 6);
        assert_eq!(cheapest_cover(&[]).candidates, Vec::<usize>::new());
    }

    #[test]
    fn a_budget_is_kept() {
        let candidates =
            [candidate(&[0, 1, 2], 5.0), candidate(&[0], 1.0), candidate(&[1], 1.0), candidate(&[3], 4.0)];
        assert_eq!(best_within(&candidates, 2.0).candidates, [1, 2]);
        assert_eq!(
            best_within(&candidates, 5.0).candidates,
            [0],
            "one large one is better than two small ones"
        );
        assert_eq!(best_within(&candidates, 9.0).candidates, [0, 3]);
        assert_eq!(best_within(&candidates, 0.5).candidates, Vec::<usize>::new());
    }

    fn suites() -> impl Strategy<Value = Vec<Candidate>> {
        let one = (proptest::collection::btree_set(0_usize..8, 0..5), 1_u32..20)
            .prop_map(|(covers, cost)| Candidate { covers, cost: f64::from(cost) });
        proptest::collection::vec(one, 0..9)
    }

    fn subsets(candidates: &[Candidate]) -> impl Iterator<Item = Kept> + '_ {
        (0..1_u32 << candidates.len()).map(|bits| {
            let chosen = (0..candidates.len()).filter(|at| bits >> at & 1 == 1).collect();
            Kept::of(candidates, chosen, true)
        })
    }

    proptest! {
        #[test]
        fn both_are_as_good_as_trying_everything(candidates in suites(), budget in 0_u32..40) {
            let all: BTreeSet<usize> = candidates.iter().flat_map(|it| it.covers.iter().copied()).collect();
            let covers = subsets(&candidates).filter(|kept| kept.covered == all);
            let cheapest = covers.map(|kept| kept.cost).fold(f64::INFINITY, f64::min);
            let kept = cheapest_cover(&candidates);
            prop_assert_eq!(&kept.covered, &all);
            prop_assert_eq!(kept.cost, cheapest);
            let budget = f64::from(budget);
            let affordable = subsets(&candidates).filter(|kept| kept.cost <= budget);
            let most = affordable.map(|kept| kept.covered.len()).max().unwrap_or(0);
            let kept = best_within(&candidates, budget);
            prop_assert!(kept.cost <= budget);
            prop_assert_eq!(kept.covered.len(), most);
        }
    }
}
