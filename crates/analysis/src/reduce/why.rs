//! Why a configuration was chosen.

use super::{Level, Mode, Reduction, configurations};

/// Why a benchmark got its configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Why {
    /// Not even the full configuration is stable.
    Unstable,
    /// Only the full configuration is stable.
    Full,
    /// It is the cheapest stable configuration; cheaper ones are not stable.
    Stable,
    /// The cheapest configuration with enough values is stable.
    Floor,
}

impl Why {
    /// All variants, the worst first.
    pub const ALL: [Why; 4] = [Why::Unstable, Why::Full, Why::Stable, Why::Floor];

    /// The reason for a reduction over these levels.
    pub fn of(reduction: &Reduction, levels: &[Level], mode: Mode) -> Why {
        let chosen = &reduction.chosen.configuration;
        let least = configurations(levels, mode).iter().map(|one| one.sequential(levels)).min();
        if !reduction.is_stable {
            Why::Unstable
        } else if *chosen == reduction.full.configuration {
            Why::Full
        } else if Some(chosen.sequential(levels)) == least {
            Why::Floor
        } else {
            Why::Stable
        }
    }

    /// One word: `stable`.
    pub fn word(self) -> &'static str {
        match self {
            Why::Unstable => "unstable",
            Why::Full => "full",
            Why::Stable => "stable",
            Why::Floor => "floor",
        }
    }

    /// The same as a sentence without its period.
    pub fn describe(self) -> &'static str {
        match self {
            Why::Unstable => "even the full measurement is not stable, so nothing is saved",
            Why::Full => "only the full measurement is stable",
            Why::Stable => "the cheapest configuration that is stable",
            Why::Floor => "already stable with the fewest repetitions for which stability is defined",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{LevelSeries, Options, by_name, reduce};
    use super::*;

    #[test]
    fn every_reason_occurs_where_it_should() {
        let check = |values: &[f64], expected: Why| {
            let points = values.iter().zip(1..).map(|(value, at)| (vec![1, at], *value)).collect();
            let series = LevelSeries::new(&[("fork", false), ("iteration", false)], points).unwrap();
            let reduction = reduce(&series, by_name("cv").unwrap(), &Options::default()).unwrap();
            assert_eq!(Why::of(&reduction, series.levels(), Mode::Paper), expected, "{values:?}");
        };
        check(&[1.0; 10], Why::Floor);
        check(&[1.0, 1.0, 1.03, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0], Why::Stable);
        check(&[1.0, 1.0, 1.03, 1.0, 1.0, 1.0, 1.0, 1.0], Why::Full);
        check(&[1.0, 2.0, 3.0, 4.0, 5.0], Why::Unstable);
        // The full configuration has only the minimum number of values, so nothing was saved.
        check(&[1.0, 1.0, 1.0], Why::Full);
    }
}
