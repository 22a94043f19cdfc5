//! Random choices that depend only on a seed.

/// A generator of random numbers (SplitMix64; Steele, Lea & Flood 2014).
#[derive(Debug, Clone)]
pub(super) struct Draw(u64);

impl Draw {
    /// The generator of one trial.
    pub(super) fn new(seed: u64, kind: &str, number: u64) -> Draw {
        let kind = kind.bytes().fold(0, |sum: u64, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
        let mut draw = Draw(seed ^ kind.rotate_left(32) ^ number.wrapping_mul(0xA24B_AED4_963E_E407));
        draw.next();
        draw
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ mixed >> 31
    }

    /// Uniform below `n`; 0 for `n` = 0.
    pub(super) fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    /// Uniform in \[0, 1).
    pub(super) fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// One of `items`, which must not be empty.
    pub(super) fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_trial_draws_the_same_and_others_do_not() {
        let drawn = |seed, kind, number| {
            let mut draw = Draw::new(seed, kind, number);
            [0; 4].map(|_| draw.below(1 << 20))
        };
        assert_eq!(drawn(1, "kills", 2), drawn(1, "kills", 2));
        let others = [drawn(2, "kills", 2), drawn(1, "files", 2), drawn(1, "kills", 3)];
        assert!(others.iter().all(|other| *other != drawn(1, "kills", 2)), "{others:?}");
    }

    #[test]
    fn draws_are_spread() {
        let mut draw = Draw::new(1, "", 0);
        let mut counts = [0; 10];
        (0..10_000).for_each(|_| counts[draw.below(10)] += 1);
        assert!(counts.iter().all(|count| (850..1150).contains(count)), "{counts:?}");
        let mean = (0..10_000).map(|_| draw.share()).sum::<f64>() / 10_000.0;
        assert!((mean - 0.5).abs() < 0.02, "{mean}");
    }
}
