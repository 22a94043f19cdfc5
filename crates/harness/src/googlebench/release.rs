//! Versions of the library, which differ in their command line.

/// Major and minor number. The default is an unknown version, older than all known ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct Release(u32, u32);

impl Release {
    /// Supports `--benchmark_min_warmup_time`.
    pub(super) const WARM_UP: Release = Release(1, 7);
    /// Requires a unit after the number of `--benchmark_min_time`, which older versions refuse.
    pub(super) const TIME_UNIT: Release = Release(1, 8);

    /// From a text like `1.7.1` or `v1.9`.
    pub(super) fn parse(text: &str) -> Release {
        let mut numbers = text.trim_start_matches('v').split('.').map(|part| part.parse().ok());
        match (numbers.next().flatten(), numbers.next().flatten()) {
            (Some(major), Some(minor)) => Release(major, minor),
            _ => Release::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_ordered_and_unknown_ones_are_oldest() {
        assert!(Release::parse("1.7.1") < Release::TIME_UNIT);
        assert!(Release::parse("v1.10.0") > Release::TIME_UNIT);
        assert!(Release::parse("1.8") >= Release::TIME_UNIT);
        for unknown in ["", "main", "1", "1.x", "-1.2"] {
            assert_eq!(Release::parse(unknown), Release::default(), "{unknown}");
        }
        assert!(Release::default() < Release::WARM_UP);
    }
}
