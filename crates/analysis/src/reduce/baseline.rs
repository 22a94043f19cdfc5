//! Baselines for comparison with the choices.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::configuration::{LEAST, counted};
use super::replay::NumpyStream;
use super::{
    Configuration, Level, LevelSeries, Mode, Options, Reduction, Stability, algorithm, configurations,
};

/// The smallest configuration with enough values, the same for every benchmark: `1/3/1`, the first with three
/// values if the innermost level is the seconds of an iteration.
pub fn minimum(levels: &[Level]) -> Option<Configuration> {
    // Seconds of one process are not independent repetitions, so they do not count here either.
    let all = configurations(levels, Mode::Prototype);
    all.into_iter().min_by_key(|configuration| configuration.sequential(levels))
}

/// The configuration that the prototype draws next from its stream for a benchmark with these levels, like
/// [`random`] in its mode.
pub fn random_of_prototype(levels: &[Level], stream: &mut NumpyStream) -> Configuration {
    drawn(levels, Mode::Prototype, &mut |below| stream.below(below))
}

/// A configuration drawn at random: every level uniform below its full size, drawn again until there are
/// enough values. In the prototype, a draw that has enough values only because of its seconds is discarded
/// and the full configuration stays.
pub fn random(levels: &[Level], mode: Mode, seed: u64) -> Configuration {
    let mut generator = Xoshiro256PlusPlus::seed_from_u64(seed);
    drawn(levels, mode, &mut |below| (generator.next_u64() % u64::from(below)) as u32)
}

/// `draw_below` returns a whole number below its argument.
fn drawn(levels: &[Level], mode: Mode, draw_below: &mut dyn FnMut(u32) -> u32) -> Configuration {
    let full = Configuration(levels.iter().map(|level| level.size).collect());
    // If no smaller configuration has enough values, nothing can be drawn.
    const TRIES: usize = 10_000;
    for _ in 0..TRIES {
        let draw = |level: &Level| match level.is_kept || level.size == 1 {
            true => level.size,
            false => 1 + draw_below(level.size - 1),
        };
        let drawn = Configuration(levels.iter().map(draw).collect());
        if drawn.sequential(levels) < LEAST {
            continue;
        }
        return if counted(&drawn, levels, mode) < LEAST { full } else { drawn };
    }
    full
}

/// The result of a configuration that was not chosen for this benchmark. It has the levels that the mode
/// uses.
pub fn applied(
    series: &LevelSeries,
    configuration: Configuration,
    metric: &dyn Stability,
    options: &Options,
) -> Option<Reduction> {
    algorithm::apply(series, configuration, metric, options)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn levels(sizes: &[(&str, u32)]) -> Vec<Level> {
        let level = |(name, size): &(&str, u32)| Level { name: (*name).into(), size: *size, is_kept: false };
        sizes.iter().map(level).collect()
    }

    #[test]
    fn the_minimum_has_three_values() {
        let check = |sizes: &[(&str, u32)], expected: &str| {
            assert_eq!(minimum(&levels(sizes)).unwrap().to_string(), expected);
        };
        check(&[("suite run", 3), ("iteration", 5), ("second", 5)], "1/3/1");
        check(&[("fork", 5), ("iteration", 100)], "1/3");
        assert_eq!(minimum(&levels(&[("fork", 1), ("iteration", 2)])), None);
    }

    #[test]
    fn draws_are_below_the_full_size_and_have_enough_values() {
        let levels = levels(&[("suite run", 3), ("iteration", 5), ("second", 5)]);
        let mut seen = std::collections::BTreeSet::new();
        for seed in 0..500 {
            let drawn = random(&levels, Mode::Paper, seed);
            assert!(
                drawn.repetitions() >= 3 && drawn.0[0] <= 2 && drawn.0[1] <= 4 && drawn.0[2] <= 4,
                "{drawn}"
            );
            seen.insert(drawn);
        }
        // 2 x 4 x 4 without 1/1/1, 1/1/2, 1/2/1 and 2/1/1.
        assert_eq!(seen.len(), 28);
        let full = |seed| random(&levels, Mode::Prototype, seed).to_string() == "3/5/5";
        let share = (0..2000).filter(|seed| full(*seed)).count() as f64 / 2000.0;
        // Of 28, eight have too few values without seconds: 1/1/3, 1/1/4, 1/2/2, 1/2/3, 1/2/4, 2/1/2, 2/1/3
        // and 2/1/4.
        assert!((share - 8.0 / 28.0).abs() < 0.03, "{share}");
    }

    #[test]
    fn the_prototypes_draws_are_its_own() {
        // The first of its published random configurations on data set 1: prometheus 0.35.0 by CV.
        let levels = levels(&[("suite run", 3), ("iteration", 5), ("second", 5)]);
        let mut stream = NumpyStream::seeded(42);
        let drawn: Vec<String> =
            (0..8).map(|_| random_of_prototype(&levels, &mut stream).to_string()).collect();
        assert_eq!(drawn, ["1/4/3", "3/5/5", "1/3/1", "1/3/4", "2/4/3", "2/3/1", "2/2/3", "3/5/5"]);
    }

    #[test]
    fn nothing_smaller_leaves_the_full_configuration() {
        assert_eq!(random(&levels(&[("fork", 1), ("iteration", 2)]), Mode::Paper, 1).to_string(), "1/2");
    }
}
