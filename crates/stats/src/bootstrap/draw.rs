//! Draws resamples and adds them up.
//!
//! Three techniques make this fast without changing the distribution. A table of all n² sums x_i + x_j turns
//! two uniform draws into one uniform draw from the table. A 64-bit word times the table size has the draw in
//! its upper half and a word for the next draw in its lower half. Three draws are taken from one word, so the
//! probabilities of any two triples differ by less than one part in four million. Two generators, 2^128 words
//! apart, work on two resamples at once, so that the processor need not wait for one chain of operations.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::Resampling;

/// Number of resamples that are processed at once. More would not fit into the registers.
const LANES: usize = 2;

/// Draws taken from one word.
const DRAWS: usize = 3;

/// Largest range for which [`DRAWS`] draws are taken from one word: (2^14)³ is a four-millionth of 2^64.
const LARGEST_RANGE: usize = 1 << 14;

/// Largest sample for which the table of pair sums is built. Its 128² sums fit into the second-level cache.
const PAIRS_UP_TO: usize = 128;

/// Sums of each of the `W` columns of `rows` over each resample. `rows` must not be empty.
pub(super) fn resample_sums<const W: usize>(rows: &[[f64; W]], resampling: Resampling) -> Vec<[f64; W]> {
    let mut generators = generators(resampling.seed);
    let mut sums = vec![[0.0; W]; resampling.resamples.next_multiple_of(LANES)];
    let pairs = if rows.len() <= PAIRS_UP_TO { pair_sums(rows) } else { Vec::new() };
    for chunk in sums.chunks_exact_mut(LANES) {
        if pairs.is_empty() {
            add_singles(rows, &mut generators, chunk);
        } else {
            add_pairs(rows, &pairs, &mut generators, chunk);
        }
    }
    sums.truncate(resampling.resamples);
    sums
}

/// Calls `each` with the positions of every resample of n values in turn; n is at least 1 and below 2^32.
pub(super) fn for_each_resample(n: usize, resampling: Resampling, mut each: impl FnMut(&[u32])) {
    let mut generator = Xoshiro256PlusPlus::seed_from_u64(resampling.seed);
    let mut positions = vec![0_u32; n];
    let draws = draws_per_word(n);
    for _ in 0..resampling.resamples {
        for some in positions.chunks_mut(draws) {
            let mut word = generator.next_u64();
            for position in some {
                *position = take(&mut word, n) as u32;
            }
        }
        each(&positions);
    }
}

fn generators(seed: u64) -> [Xoshiro256PlusPlus; LANES] {
    let mut next = Xoshiro256PlusPlus::seed_from_u64(seed);
    std::array::from_fn(|_| {
        let generator = next.clone();
        next.jump();
        generator
    })
}

fn pair_sums<const W: usize>(rows: &[[f64; W]]) -> Vec<[f64; W]> {
    let sum = |a: &[f64; W], b: &[f64; W]| std::array::from_fn(|column| a[column] + b[column]);
    rows.iter().flat_map(|first| rows.iter().map(move |second| sum(first, second))).collect()
}

fn draws_per_word(range: usize) -> usize {
    if range <= LARGEST_RANGE { DRAWS } else { 1 }
}

/// A uniform position below `range`. Leaves the unused part of the word in `word`.
#[inline]
fn take(word: &mut u64, range: usize) -> usize {
    let product = u128::from(*word) * range as u128;
    *word = product as u64;
    (product >> 64) as usize
}

#[inline]
fn add<const W: usize>(sum: &mut [f64; W], row: &[f64; W]) {
    for column in 0..W {
        sum[column] += row[column];
    }
}

fn add_pairs<const W: usize>(
    rows: &[[f64; W]],
    pairs: &[[f64; W]],
    generators: &mut [Xoshiro256PlusPlus; LANES],
    sums: &mut [[f64; W]],
) {
    // A separate sum for each draw of a word, because additions to the same sum would have to wait for each
    // other.
    let mut parts = [[[0.0; W]; DRAWS]; LANES];
    let pair_count = rows.len() / 2;
    for _ in 0..pair_count / DRAWS {
        for (generator, parts) in generators.iter_mut().zip(&mut parts) {
            let mut word = generator.next_u64();
            for part in parts {
                add(part, &pairs[take(&mut word, pairs.len())]);
            }
        }
    }
    for ((generator, parts), sum) in generators.iter_mut().zip(&parts).zip(sums) {
        parts.iter().for_each(|part| add(sum, part));
        let mut word = generator.next_u64();
        for _ in 0..pair_count % DRAWS {
            add(sum, &pairs[take(&mut word, pairs.len())]);
        }
        if rows.len() % 2 == 1 {
            add(sum, &rows[take(&mut word, rows.len())]);
        }
    }
}

fn add_singles<const W: usize>(
    rows: &[[f64; W]],
    generators: &mut [Xoshiro256PlusPlus; LANES],
    sums: &mut [[f64; W]],
) {
    let draws = draws_per_word(rows.len());
    for (generator, sum) in generators.iter_mut().zip(sums) {
        let mut remaining = rows.len();
        while remaining > 0 {
            let mut word = generator.next_u64();
            for _ in 0..draws.min(remaining) {
                add(sum, &rows[take(&mut word, rows.len())]);
            }
            remaining -= draws.min(remaining);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that every resample consists of n draws, with each position equally often.
    fn check_uniform(n: usize) {
        let resamples = 2_000_000 / n;
        // For the first three positions, column i counts how often position i was drawn. The last column
        // counts all draws.
        let rows: Vec<[f64; 4]> = (0..n)
            .map(|i| std::array::from_fn(|column| if column == 3 || column == i { 1.0 } else { 0.0 }))
            .collect();
        let sums = resample_sums(&rows, Resampling { resamples, seed: 7 });
        assert_eq!(sums.len(), resamples);
        for column in 0..n.min(3) {
            let drawn: f64 = sums.iter().map(|sum| sum[column]).sum();
            let expected = resamples as f64;
            assert!(
                (drawn - expected).abs() < 5.0 * expected.sqrt(),
                "n {n}, position {column}: {drawn} of {expected}"
            );
            // The number of times a position occurs in a resample is binomial with variance 1 - 1/n.
            let squares: f64 = sums.iter().map(|sum| (sum[column] - 1.0).powi(2)).sum();
            let variance = 1.0 - 1.0 / n as f64;
            assert!(
                (squares / expected - variance).abs() < 12.0 / expected.sqrt(),
                "n {n}: {}",
                squares / expected
            );
        }
        assert!(sums.iter().all(|sum| sum[3] == n as f64), "a resample of {n} had another size");
    }

    #[test]
    fn every_position_is_drawn_equally_often_and_independently() {
        for n in [1, 2, 3, 4, 5, 6, 7, 75, 128, 129, 300] {
            check_uniform(n);
        }
    }

    #[test]
    fn positions_are_uniform() {
        for n in [1, 2, 5, 8] {
            let mut counts = vec![0_u32; n];
            let resampling = Resampling { resamples: 40_000, seed: 3 };
            for_each_resample(n, resampling, |positions| {
                assert_eq!(positions.len(), n);
                positions.iter().for_each(|&position| counts[position as usize] += 1);
            });
            assert!(counts.iter().all(|&count| count.abs_diff(40_000) < 1_000), "{counts:?}");
        }
    }

    #[test]
    fn equal_seeds_give_equal_sums_and_others_do_not() {
        let rows: Vec<[f64; 1]> = (0..75).map(|i| [f64::from(i)]).collect();
        let draw = |seed| resample_sums(&rows, Resampling { resamples: 10, seed });
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
    }
}
