//! A random number generator with a seed.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// A random number generator for several distributions.
#[derive(Debug, Clone)]
pub(crate) struct Generator(Xoshiro256PlusPlus);

impl Generator {
    /// A generator whose seed consists of several numbers.
    pub(crate) fn new(parts: &[u64]) -> Generator {
        let mixed = parts.iter().fold(0x9E37_79B9_7F4A_7C15_u64, |state, part| {
            (state ^ part).wrapping_mul(0xBF58_476D_1CE4_E5B9).rotate_left(27)
        });
        Generator(Xoshiro256PlusPlus::seed_from_u64(mixed))
    }

    /// Uniform below `n`, which must be positive.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.0.next_u64() % n.max(1) as u64) as usize
    }

    /// Uniform in \[0, 1).
    pub(crate) fn share(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// True with this probability.
    pub(crate) fn happens(&mut self, probability: f64) -> bool {
        self.share() < probability
    }

    /// Standard normal (Box & Muller 1958).
    pub(crate) fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.share()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.share()).cos()
    }

    /// Exponential with mean 1.
    pub(crate) fn exponential(&mut self) -> f64 {
        -(1.0 - self.share()).ln()
    }
}

/// Shuffles by the method of Fisher and Yates.
pub(crate) fn shuffle<T>(items: &mut [T], generator: &mut Generator) {
    for last in (1..items.len()).rev() {
        items.swap(last, generator.below(last + 1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_those_of_their_distributions() {
        let mut generator = Generator::new(&[1]);
        let mut moments = |draw: fn(&mut Generator) -> f64| {
            let drawn: Vec<f64> = (0..20_000).map(|_| draw(&mut generator)).collect();
            let mean = drawn.iter().sum::<f64>() / 20_000.0;
            (mean, drawn.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / 20_000.0)
        };
        for (found, expected) in [
            (moments(Generator::normal), (0.0, 1.0)),
            (moments(Generator::exponential), (1.0, 1.0)),
            (moments(Generator::share), (0.5, 1.0 / 12.0)),
        ] {
            assert!((found.0 - expected.0).abs() < 0.03 && (found.1 - expected.1).abs() < 0.05, "{found:?}");
        }
    }
}
