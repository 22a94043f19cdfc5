//! NumPy's default generator, with the part that drawing with replacement needs.
//!
//! `default_rng(seed)` is PCG64 (O'Neill 2014: PCG, XSL-RR 128/64), seeded through `SeedSequence`. `choice`
//! and `integers` use 32 bits per draw, the lower half of a word first, and map them to a range by Lemire's
//! multiplication (2019, ACM TOMACS 29) with rejection.

/// The factor of the underlying congruential generator.
const MULTIPLIER: u128 = 0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645;

/// A stream of NumPy's random numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumpyStream {
    state: u128,
    increment: u128,
    /// The upper half of the last word, if it was not used yet.
    spare: Option<u32>,
}

impl NumpyStream {
    /// The same as `numpy.random.default_rng(seed)`.
    pub fn seeded(seed: u32) -> NumpyStream {
        let words = seed_words(seed);
        let wide = |high: u64, low: u64| (u128::from(high) << 64) | u128::from(low);
        let mut stream =
            NumpyStream { state: 0, increment: (wide(words[2], words[3]) << 1) | 1, spare: None };
        stream.step();
        stream.state = stream.state.wrapping_add(wide(words[0], words[1]));
        stream.step();
        stream
    }

    /// A whole number from 0 to n - 1, the same as `integers(n)`. If only 0 is possible, nothing is drawn.
    pub fn below(&mut self, n: u32) -> u32 {
        if n <= 1 {
            return 0;
        }
        let half = self.next_half();
        self.below_from(half, n)
    }

    /// This many draws of [`Self::below`], one after the other.
    pub fn each_below(&mut self, n: u32, count: usize, mut take: impl FnMut(u32)) {
        if n <= 1 {
            (0..count).for_each(|_| take(0));
            return;
        }
        let mut left = count;
        while left > 0 {
            if self.spare.is_some() || left == 1 {
                take(self.below(n));
                left -= 1;
                continue;
            }
            let word = self.next_word();
            let (first, second) = (product(word as u32, n), product((word >> 32) as u32, n));
            if (first as u32) < n || (second as u32) < n {
                // One of them may have to be drawn again, which shifts the other, so the halves are used one
                // by one.
                self.spare = Some((word >> 32) as u32);
                take(self.below_from(word as u32, n));
                left -= 1;
            } else {
                take((first >> 32) as u32);
                take((second >> 32) as u32);
                left -= 2;
            }
        }
    }

    /// Draws numbers and discards them.
    pub fn skip(&mut self, n: u32, count: usize) {
        self.each_below(n, count, |_| {});
    }

    fn below_from(&mut self, half: u32, n: u32) -> u32 {
        let mut found = product(half, n);
        if (found as u32) < n {
            let least = n.wrapping_neg() % n;
            while (found as u32) < least {
                found = product(self.next_half(), n);
            }
        }
        (found >> 32) as u32
    }

    fn next_half(&mut self) -> u32 {
        if let Some(half) = self.spare.take() {
            return half;
        }
        let word = self.next_word();
        self.spare = Some((word >> 32) as u32);
        word as u32
    }

    #[inline]
    fn next_word(&mut self) -> u64 {
        self.step();
        let folded = ((self.state >> 64) as u64) ^ (self.state as u64);
        folded.rotate_right((self.state >> 122) as u32)
    }

    #[inline]
    fn step(&mut self) {
        self.state = self.state.wrapping_mul(MULTIPLIER).wrapping_add(self.increment);
    }
}

#[inline]
fn product(half: u32, n: u32) -> u64 {
    u64::from(half) * u64::from(n)
}

/// The words that `SeedSequence(seed)` generates for a generator of four words: a pool of four halves is
/// filled from the seed, mixed, and expanded.
fn seed_words(seed: u32) -> [u64; 4] {
    let mut constant = 0x43b0_d7e5;
    let mut pool = [seed, 0, 0, 0].map(|value| hashed(value, &mut constant, 0x931e_8875));
    for from in 0..4 {
        for to in (0..4).filter(|to| *to != from) {
            let other = hashed(pool[from], &mut constant, 0x931e_8875);
            let mixed =
                0xca01_f9dd_u32.wrapping_mul(pool[to]).wrapping_sub(0x4973_f715_u32.wrapping_mul(other));
            pool[to] = mixed ^ (mixed >> 16);
        }
    }
    let mut constant = 0x8b51_f9dd;
    let halves: [u32; 8] = std::array::from_fn(|i| hashed(pool[i % 4], &mut constant, 0x58f3_8ded));
    std::array::from_fn(|i| u64::from(halves[2 * i]) | (u64::from(halves[2 * i + 1]) << 32))
}

/// One step of the hash, whose constant changes with every use.
fn hashed(value: u32, constant: &mut u32, factor: u32) -> u32 {
    let value = value ^ *constant;
    *constant = constant.wrapping_mul(factor);
    let value = value.wrapping_mul(*constant);
    value ^ (value >> 16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_are_numpys() {
        // numpy.random.default_rng(42).integers(0, n, 10)
        let check = |n: u32, expected: &[u32]| {
            let mut stream = NumpyStream::seeded(42);
            let found: Vec<u32> = expected.iter().map(|_| stream.below(n)).collect();
            assert_eq!(found, expected, "{n}");
        };
        check(10, &[0, 7, 6, 4, 4, 8, 0, 6, 2, 0]);
    }

    #[test]
    fn many_draws_at_once_are_the_same_as_one_by_one() {
        // A range of nearly 2^32 rejects almost every second draw.
        for n in [1, 2, 3, 75, 1 << 31, (1 << 31) + 1, u32::MAX] {
            for warm in 0..3 {
                let (mut one, mut other) = (NumpyStream::seeded(42), NumpyStream::seeded(42));
                for stream in [&mut one, &mut other] {
                    (0..warm).for_each(|_| {
                        stream.below(5);
                    });
                }
                let single: Vec<u32> = (0..1001).map(|_| one.below(n)).collect();
                let mut many = Vec::new();
                other.each_below(n, 1001, |value| many.push(value));
                assert_eq!(single, many, "{n}");
                assert_eq!(one, other, "{n}");
            }
        }
    }

    #[test]
    fn skipping_is_drawing() {
        let (mut one, mut other) = (NumpyStream::seeded(7), NumpyStream::seeded(7));
        one.skip(75, 12_345);
        other.each_below(75, 12_345, |value| assert!(value < 75));
        assert_eq!(one, other);
    }
}
