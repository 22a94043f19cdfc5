//! Finds the choice on which resamples agree.
//!
//! Near the threshold the choice depends on the resamples. With 10,000 of them the width of an interval of
//! the mean has an error of 1 to 2 %, and a studentised one of six values 7 %. If the usual choice matters,
//! sets of resamples vote until one choice leads.

use super::{Evaluated, Options, Stability};

/// Maximum number of sets. With two equally likely choices, voting might never end.
const MOST_SETS: u32 = 31;

/// The choice of one set of resamples for each metric.
type Choose<'a> = &'a dyn Fn(&[&dyn Stability], &Options) -> Vec<Option<Evaluated>>;

/// The choice of each metric. Metrics that do not resample need one set only.
pub(super) fn vote(
    metrics: &[&dyn Stability],
    options: &Options,
    choose: Choose<'_>,
) -> Vec<Option<Evaluated>> {
    let mut tallies: Vec<Tally> = metrics.iter().map(|_| Tally::default()).collect();
    let mut open: Vec<usize> = (0..metrics.len()).collect();
    for set in 0..MOST_SETS {
        let asked: Vec<&dyn Stability> = open.iter().map(|index| metrics[*index]).collect();
        // Odd steps are used for the reported intervals.
        let mut resampling = options.resampling;
        resampling.seed = resampling.seed.wrapping_add(2 * u64::from(set));
        for (index, choice) in open.iter().zip(choose(&asked, &Options { resampling, ..*options })) {
            tallies[*index].count(choice);
        }
        let is_open = |index: &usize| {
            metrics[*index].is_random(options.mode) && tallies[*index].lead() < options.lead()
        };
        open.retain(is_open);
        if open.is_empty() {
            break;
        }
    }
    tallies.into_iter().map(Tally::winner).collect()
}

/// How often each configuration was chosen, with its first evaluation. `None` means that nothing was stable.
#[derive(Debug, Default)]
struct Tally(Vec<(Option<Evaluated>, u32)>);

impl Tally {
    fn count(&mut self, choice: Option<Evaluated>) {
        let configuration = |choice: &Option<Evaluated>| choice.as_ref().map(|one| one.configuration.clone());
        match self.0.iter_mut().find(|(known, _)| configuration(known) == configuration(&choice)) {
            Some((_, times)) => *times += 1,
            None => self.0.push((choice, 1)),
        }
    }

    fn lead(&self) -> u32 {
        let mut times: Vec<u32> = self.0.iter().map(|(_, times)| *times).collect();
        times.sort_unstable_by(|left, right| right.cmp(left));
        times.first().map_or(0, |first| first - times.get(1).unwrap_or(&0))
    }

    fn winner(self) -> Option<Evaluated> {
        // Among equals the first one, because it was found with the given seed.
        let most = self.0.iter().map(|(_, times)| *times).max()?;
        self.0.into_iter().find(|(_, times)| *times == most)?.0
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::reduce::{Configuration, Mode, by_name};

    fn choice(size: u32) -> Option<Evaluated> {
        let configuration = Configuration(vec![1, size]);
        Some(Evaluated { configuration, seconds: 0.0, warmup_seconds: 0.0, instability: Some(0.005) })
    }

    /// Checks the winner of these choices in this order, and how many sets were used.
    fn check(metric: &str, lead: u32, choices: &[u32], expected: u32, sets: usize) {
        let asked = Cell::new(0);
        let options = Options { mode: Mode::Prototype, lead: Some(lead), ..Options::default() };
        let found = vote(&[by_name(metric).unwrap()], &options, &|_, _| {
            asked.set(asked.get() + 1);
            vec![choice(choices[(asked.get() - 1) % choices.len()])]
        });
        assert_eq!((found, asked.get()), (vec![choice(expected)], sets), "{metric} {lead} {choices:?}");
    }

    #[test]
    fn sets_vote_until_one_choice_leads() {
        check("rciw1", 1, &[7, 8, 8], 7, 1);
        check("rciw1", 3, &[7], 7, 3);
        check("rciw1", 3, &[7, 8, 8, 8, 8], 8, 5);
        check("rciw1", 3, &[7, 8], 7, 31);
        check("cv", 3, &[7, 8], 7, 1);
    }

    #[test]
    fn nothing_stable_is_a_choice_too() {
        let options = Options { lead: Some(2), ..Options::default() };
        let turn = Cell::new(0);
        let found = vote(&[by_name("rciw2").unwrap()], &options, &|_, _| {
            turn.set(turn.get() + 1);
            vec![if turn.get() == 1 { choice(3) } else { None }]
        });
        assert_eq!((found, turn.get()), (vec![None], 4));
    }
}
