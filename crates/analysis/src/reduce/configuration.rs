//! The number of repetitions on every level.

use std::fmt;

use super::{Level, Mode};

/// Repetitions per level, outermost first. Shown as `1/3/1`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Configuration(pub Vec<u32>);

impl Configuration {
    /// The product over all levels.
    pub fn repetitions(&self) -> u64 {
        self.0.iter().map(|size| u64::from(*size)).product()
    }

    /// The product over the levels that take time one after the other.
    pub fn sequential(&self, levels: &[Level]) -> u64 {
        let sizes = self.0.iter().zip(levels).filter(|(_, level)| !level.is_kept);
        sizes.map(|(size, _)| u64::from(*size)).product()
    }
}

impl fmt::Display for Configuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, size) in self.0.iter().enumerate() {
            write!(f, "{}{size}", if i > 0 { "/" } else { "" })?;
        }
        Ok(())
    }
}

/// Fewer values are not enough to estimate their spread.
pub(super) const LEAST: u64 = 3;

/// Every configuration with enough repetitions, the full one included, in lexicographic order.
pub fn configurations(levels: &[Level], mode: Mode) -> Vec<Configuration> {
    let mut all = vec![Vec::new()];
    for level in levels {
        let sizes = if level.is_kept { level.size..=level.size } else { 1..=level.size };
        all = all
            .into_iter()
            .flat_map(|start: Vec<u32>| {
                sizes.clone().map(move |size| start.iter().copied().chain([size]).collect())
            })
            .collect();
    }
    let is_enough = |configuration: &Configuration| counted(configuration, levels, mode) >= LEAST;
    all.into_iter().map(Configuration).filter(is_enough).collect()
}

/// The repetitions that count towards the least number.
pub(super) fn counted(configuration: &Configuration, levels: &[Level], mode: Mode) -> u64 {
    match mode {
        Mode::Paper => configuration.sequential(levels),
        Mode::Prototype => {
            // The prototype does not count the seconds of an iteration.
            let sizes = configuration.0.iter().zip(levels);
            let sizes = sizes.filter(|(_, level)| !level.is_kept && level.name != "second");
            sizes.map(|(size, _)| u64::from(*size)).product()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn levels(sizes: &[(&str, u32)]) -> Vec<Level> {
        let level = |(name, size): &(&str, u32)| Level {
            name: (*name).into(),
            size: *size,
            is_kept: *name == "instance",
        };
        sizes.iter().map(level).collect()
    }

    #[test]
    fn the_numbers_of_configurations_are_those_of_the_data_sets() {
        let check = |sizes: &[(&str, u32)], mode, expected: usize, first: &str| {
            let all = configurations(&levels(sizes), mode);
            assert_eq!(all.len(), expected);
            assert_eq!(all[0].to_string(), first);
            assert!(all.is_sorted());
        };
        let go = [("suite run", 3), ("iteration", 5), ("second", 5)];
        check(&go, Mode::Prototype, 60, "1/3/1");
        check(&[("fork", 5), ("iteration", 100)], Mode::Prototype, 497, "1/3");
        check(&[("fork", 5), ("iteration", 50)], Mode::Prototype, 247, "1/3");
        check(&[("fork", 3), ("iteration", 20)], Mode::Prototype, 57, "1/3");
        // Of 75, four have one measurement (1/1/1) or two (1/1/2, 1/2/1, 2/1/1).
        check(&go, Mode::Paper, 71, "1/1/3");
    }

    #[test]
    fn a_level_that_is_kept_is_whole_everywhere_and_costs_no_time() {
        let levels = levels(&[("instance", 3), ("iteration", 4)]);
        let all = configurations(&levels, Mode::Paper);
        assert_eq!(all.iter().map(ToString::to_string).collect::<Vec<_>>(), ["3/3", "3/4"]);
        assert_eq!(all[1].sequential(&levels), 4);
        assert_eq!(all[1].repetitions(), 12);
    }
}
