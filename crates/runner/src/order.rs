//! Every random choice of a run, as a function of its seed.
//!
//! A choice depends on the seed and on what is chosen, not on earlier choices, so that a resumed run makes
//! the same choices as one that was never interrupted.

use benchwright_model::{BenchmarkId, Phase, Side};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

/// Environments of duets differ in size by up to this many bytes, so that the position of the stack causes
/// noise and not bias.
const MAX_PADDING: u64 = 4096;

/// Which side of a duet goes first, decided by a fair coin. In screening one coin decides for two duets, the
/// second reversed, so that an order effect cannot hide a change when most coins give the same side. Fresh
/// duets are never balanced: the guarantee of the paired rule depends on independent coins.
pub(crate) fn first_side(seed: u64, benchmark: &BenchmarkId, phase: Phase, index: u32, attempt: u32) -> Side {
    let (coin, turned) =
        if phase == Phase::Screening { (index & !1, index & 1 == 1) } else { (index, false) };
    let side =
        if choice(seed, "first side", benchmark, coin, attempt) >> 63 == 0 { Side::Base } else { Side::Head };
    if turned { side.other() } else { side }
}

/// Number of bytes that pad the environment of both halves of a duet.
pub(crate) fn padding(seed: u64, benchmark: &BenchmarkId, index: u32, attempt: u32) -> usize {
    (choice(seed, "padding", benchmark, index, attempt) % MAX_PADDING) as usize
}

/// The seed of the order of functions in a layout of an executable. The two sides are independent.
pub(crate) fn layout(seed: u64, harness: &str, package: &str, side: Side, number: u32) -> u64 {
    choice(seed, "layout", &BenchmarkId::new(harness, package, side.name()), number, 0)
}

/// Shuffles the benchmarks of one round.
pub(crate) fn shuffle<T>(seed: u64, round: u64, items: &mut [T]) {
    let mut generator = Xoshiro256PlusPlus::seed_from_u64(mix(seed ^ mix(round)));
    items.shuffle(&mut generator);
}

/// Every item as often as its count says, in random order. If possible, no item directly follows itself;
/// `before` is the item before the first. If one item is more frequent than all others together, the others
/// are spread evenly among its repetitions.
pub(crate) fn arrange(seed: u64, round: u64, counts: &[(usize, u32)], before: Option<usize>) -> Vec<usize> {
    let mut left: u32 = counts.iter().map(|(_, count)| count).sum();
    let most = counts.iter().copied().max_by_key(|(_, count)| *count);
    if let Some((item, own)) = most.filter(|(_, own)| *own > left - own + 1) {
        return spread(seed, round, (item, own), counts);
    }
    let mut counts = counts.to_vec();
    let mut arranged: Vec<usize> = Vec::with_capacity(left as usize);
    while left > 0 {
        let last = arranged.last().copied().or(before);
        // An item with as many left as fit between all others has to come now.
        let urgent = counts.iter().position(|(item, count)| Some(*item) != last && *count > left / 2);
        let draw = mix(mix(seed ^ mix(round)) ^ u64::from(left));
        let at = urgent.or_else(|| drawn(&counts, last, draw)).or_else(|| drawn(&counts, None, draw));
        let Some(at) = at else { break };
        arranged.push(counts[at].0);
        counts[at].1 -= 1;
        left -= 1;
    }
    arranged
}

/// The index of a random item, with probability in proportion to how many are left of it. Never `last`.
fn drawn(counts: &[(usize, u32)], last: Option<usize>, draw: u64) -> Option<usize> {
    let weight = |(item, count): &(usize, u32)| if Some(*item) == last { 0 } else { u64::from(*count) };
    let whole: u64 = counts.iter().map(weight).sum();
    let mut rest = draw.checked_rem(whole)?;
    counts.iter().position(|entry| match rest.checked_sub(weight(entry)) {
        Some(less) => {
            rest = less;
            false
        }
        None => true,
    })
}

/// All repetitions of one item, in runs of nearly equal length between the others.
fn spread(seed: u64, round: u64, (item, own): (usize, u32), counts: &[(usize, u32)]) -> Vec<usize> {
    let others = counts.iter().filter(|(other, _)| *other != item);
    let mut others: Vec<usize> =
        others.flat_map(|&(other, count)| std::iter::repeat_n(other, count as usize)).collect();
    shuffle(seed, round, &mut others);
    let stretches = others.len() + 1;
    let (length, longer) = (own as usize / stretches, own as usize % stretches);
    let mut lengths: Vec<usize> = (0..stretches).map(|i| length + usize::from(i < longer)).collect();
    shuffle(mix(seed), round, &mut lengths);
    let mut arranged = Vec::new();
    for (i, length) in lengths.into_iter().enumerate() {
        arranged.extend(std::iter::repeat_n(item, length));
        arranged.extend(others.get(i));
    }
    arranged
}

fn choice(seed: u64, what: &str, benchmark: &BenchmarkId, index: u32, attempt: u32) -> u64 {
    let parts = [what, &benchmark.harness, &benchmark.package, &benchmark.name];
    let mut hash = mix(seed);
    for part in parts {
        hash = part.bytes().fold(mix(hash ^ part.len() as u64), |hash, byte| mix(hash ^ u64::from(byte)));
    }
    mix(hash ^ (u64::from(index) << 32 | u64::from(attempt)))
}

/// The finaliser of SplitMix64 (Steele, Lea, Flood 2014): every input bit affects every output bit.
fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(name: &str) -> BenchmarkId {
        BenchmarkId::new("go", "p", name)
    }

    #[test]
    fn coin_is_fair_and_independent_of_its_neighbour() {
        let toss = |seed, index| first_side(seed, &id("X"), Phase::Confirmation, index, 0) == Side::Base;
        let tosses: Vec<bool> = (0..10_000).map(|i| toss(i / 100, (i % 100) as u32)).collect();
        let heads = tosses.iter().filter(|&&t| t).count();
        let pairs = tosses.windows(2).filter(|pair| pair[0] == pair[1]).count();
        // The standard deviation is 50; both are within four of them.
        assert!(heads.abs_diff(5_000) < 200, "{heads}");
        assert!(pairs.abs_diff(5_000) < 200, "{pairs}");
    }

    #[test]
    fn in_screening_both_sides_are_first_equally_often() {
        let base_first = |seed, index| first_side(seed, &id("X"), Phase::Screening, index, 0) == Side::Base;
        for seed in 0..1_000 {
            for duets in 0..40 {
                let firsts = (0..duets).filter(|&index| base_first(seed, index)).count();
                assert!(firsts.abs_diff(duets as usize - firsts) <= 1, "{firsts} of {duets}");
            }
        }
        // The first side is still a fair coin, a new one for every two duets.
        let begins: Vec<bool> = (0..10_000).map(|i| base_first(i / 100, (i % 100) as u32 * 2)).collect();
        let heads = begins.iter().filter(|&&begins| begins).count();
        let pairs = begins.windows(2).filter(|pair| pair[0] == pair[1]).count();
        assert!(heads.abs_diff(5_000) < 200 && pairs.abs_diff(5_000) < 200, "{heads} {pairs}");
    }

    /// How often an item directly follows itself, including `before`.
    fn repeats(arranged: &[usize], before: Option<usize>) -> usize {
        let all: Vec<usize> = before.into_iter().chain(arranged.iter().copied()).collect();
        all.windows(2).filter(|pair| pair[0] == pair[1]).count()
    }

    #[test]
    fn nothing_follows_itself_where_that_can_be() {
        let check = |counts: &[(usize, u32)], before: Option<usize>, expected: usize| {
            for seed in 0..200 {
                let arranged = arrange(seed, 3, counts, before);
                for (item, count) in counts {
                    assert_eq!(arranged.iter().filter(|at| *at == item).count(), *count as usize);
                }
                assert_eq!(repeats(&arranged, before), expected, "{arranged:?} of {counts:?}");
            }
        };
        check(&[], None, 0);
        check(&[(0, 1)], None, 0);
        check(&[(0, 1)], Some(0), 1);
        check(&[(0, 5), (1, 5)], None, 0);
        check(&[(0, 5), (1, 4)], None, 0);
        check(&[(0, 5), (1, 2), (2, 3)], Some(0), 0);
        check(&[(0, 1), (1, 1), (2, 1)], Some(2), 0);
        check(&[(0, 6), (1, 1), (2, 1)], None, 3);
        check(&[(7, 4)], None, 3);
    }

    #[test]
    fn what_is_left_over_is_spread_evenly() {
        for seed in 0..50 {
            let arranged = arrange(seed, 0, &[(0, 9), (1, 1), (2, 1)], None);
            let longest = arranged.split(|item| *item != 0).map(<[usize]>::len).max();
            assert_eq!(longest, Some(3), "{arranged:?}");
        }
    }

    #[test]
    fn every_arrangement_of_singles_is_about_as_likely() {
        let mut found = std::collections::BTreeMap::new();
        for seed in 0..6000 {
            *found.entry(arrange(seed, 1, &[(0, 1), (1, 1), (2, 1)], None)).or_insert(0_u32) += 1;
        }
        // The standard deviation is 29.
        assert_eq!(found.len(), 6);
        assert!(found.values().all(|count| count.abs_diff(1000) < 120), "{found:?}");
    }

    #[test]
    fn coins_of_other_benchmarks_and_attempts_are_others() {
        const PHASE: Phase = Phase::Confirmation;
        let agreeing = |other: &dyn Fn(u32) -> Side| {
            (0..1_000).filter(|&index| first_side(1, &id("X"), PHASE, index, 0) == other(index)).count()
        };
        let elsewhere = BenchmarkId::new("go", "q", "X");
        let others: [&dyn Fn(u32) -> Side; 4] = [
            &|index| first_side(1, &id("Y"), PHASE, index, 0),
            &|index| first_side(1, &elsewhere, PHASE, index, 0),
            &|index| first_side(1, &id("X"), PHASE, index, 1),
            &|index| first_side(2, &id("X"), PHASE, index, 0),
        ];
        // The standard deviation is 16; all are within four of them.
        for (place, other) in others.into_iter().enumerate() {
            let agreeing = agreeing(other);
            assert!(agreeing.abs_diff(500) < 64, "{place}: {agreeing}");
        }
    }

    #[test]
    fn same_seed_same_choices_other_seed_other_choices() {
        let order = |seed| {
            let mut items: Vec<u32> = (0..50).collect();
            shuffle(seed, 3, &mut items);
            items
        };
        assert_eq!(order(1), order(1));
        assert_ne!(order(1), order(2));
        let layouts = |seed, side| [0, 1, 2].map(|number| layout(seed, "go", "p", side, number));
        assert_eq!(layouts(1, Side::Base), layouts(1, Side::Base));
        let all = [layouts(1, Side::Base), layouts(1, Side::Head), layouts(2, Side::Base)].concat();
        assert_eq!(all.iter().collect::<std::collections::HashSet<_>>().len(), 9);
        assert_eq!(padding(1, &id("a"), 0, 0), padding(1, &id("a"), 0, 0));
        assert_ne!(padding(1, &id("a"), 0, 0), padding(1, &id("b"), 0, 0));
    }
}
