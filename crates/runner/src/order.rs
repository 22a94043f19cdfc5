//! Every random choice of a run, as a function of its seed.
//!
//! A choice depends on the seed and on what it is about, not on what was chosen before, so that a resumed run makes
//! the same choices as one that was never interrupted.

use benchwright_model::{BenchmarkId, Side};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

/// Environments differ between duets by up to this many bytes, so that the stack's position is noise, not bias.
const MAX_PADDING: u64 = 4096;

/// Which side of a duet goes first: an independent fair coin. Never balanced: the guarantee of the paired rule rests on
/// the coin's independence.
pub(crate) fn first_side(seed: u64, benchmark: &BenchmarkId, index: u32, attempt: u32) -> Side {
    if choice(seed, "first side", benchmark, index, attempt) >> 63 == 0 { Side::Base } else { Side::Head }
}

/// How many bytes the environment of both halves of a duet is padded with.
pub(crate) fn padding(seed: u64, benchmark: &BenchmarkId, index: u32, attempt: u32) -> usize {
    (choice(seed, "padding", benchmark, index, attempt) % MAX_PADDING) as usize
}

/// What the order of functions in a layout of an executable follows from. The sides draw independently of each other.
pub(crate) fn layout(seed: u64, harness: &str, package: &str, side: Side, number: u32) -> u64 {
    choice(seed, "layout", &BenchmarkId::new(harness, package, side.name()), number, 0)
}

/// Shuffles what one round measures.
pub(crate) fn shuffle<T>(seed: u64, round: u64, items: &mut [T]) {
    let mut generator = Xoshiro256PlusPlus::seed_from_u64(mix(seed ^ mix(round)));
    items.shuffle(&mut generator);
}

fn choice(seed: u64, what: &str, benchmark: &BenchmarkId, index: u32, attempt: u32) -> u64 {
    let parts = [what, &benchmark.harness, &benchmark.package, &benchmark.name];
    let mut hash = mix(seed);
    for part in parts {
        hash = part.bytes().fold(mix(hash ^ part.len() as u64), |hash, byte| mix(hash ^ u64::from(byte)));
    }
    mix(hash ^ (u64::from(index) << 32 | u64::from(attempt)))
}

/// The finaliser of SplitMix64 (Steele, Lea, Flood 2014): every input bit reaches every output bit.
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
        let toss = |seed, index| first_side(seed, &id("X"), index, 0) == Side::Base;
        let tosses: Vec<bool> = (0..10_000).map(|i| toss(i / 100, (i % 100) as u32)).collect();
        let heads = tosses.iter().filter(|&&t| t).count();
        let pairs = tosses.windows(2).filter(|pair| pair[0] == pair[1]).count();
        // Standard deviation 50: both within four of them.
        assert!(heads.abs_diff(5_000) < 200, "{heads}");
        assert!(pairs.abs_diff(5_000) < 200, "{pairs}");
    }

    #[test]
    fn coins_of_other_benchmarks_and_attempts_are_others() {
        let agreeing = |other: &dyn Fn(u32) -> Side| {
            (0..1_000).filter(|&index| first_side(1, &id("X"), index, 0) == other(index)).count()
        };
        let elsewhere = BenchmarkId::new("go", "q", "X");
        let others: [&dyn Fn(u32) -> Side; 4] = [
            &|index| first_side(1, &id("Y"), index, 0),
            &|index| first_side(1, &elsewhere, index, 0),
            &|index| first_side(1, &id("X"), index, 1),
            &|index| first_side(2, &id("X"), index, 0),
        ];
        // Standard deviation 16: within four of them.
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
