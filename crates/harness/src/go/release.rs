//! The release of Go, because flags depend on it.

/// Major and minor number of a release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Release(u32, u32);

impl Release {
    /// `go list -json=FIELDS`.
    pub(super) const LIST_FIELDS: Release = Release(1, 19);
    /// `-buildvcs`.
    pub(super) const BUILD_VCS: Release = Release(1, 18);
    /// The linker's `-B none`.
    pub(super) const NO_HOST_BUILD_ID: Release = Release(1, 24);
    /// The linker's `-randlayout`.
    pub(super) const RANDOM_LAYOUT: Release = Release(1, 23);
    /// `-test.paniconexit0`.
    pub(super) const PANIC_ON_EXIT: Release = Release(1, 16);
    /// `-test.skip`.
    pub(super) const SKIP: Release = Release(1, 20);

    /// Reads `go1.26.8`, `1.26`, `devel go1.27-abc`. A text without a number counts as the newest release,
    /// because development versions of the tool chain have none.
    pub(super) fn parse(text: &str) -> Release {
        let digits = text.find(|c: char| c.is_ascii_digit()).map_or("", |start| &text[start..]);
        let mut numbers = digits.split(|c: char| !c.is_ascii_digit()).map(str::parse::<u32>);
        match (numbers.next(), numbers.next()) {
            (Some(Ok(major)), Some(Ok(minor))) => Release(major, minor),
            _ => Release(u32::MAX, 0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_ordered_by_number() {
        let check = |text: &str, expected| assert_eq!(Release::parse(text), expected, "{text}");
        check("go1.26.8", Release(1, 26));
        check("1.9", Release(1, 9));
        check("devel go1.27-0a1b2c", Release(1, 27));
        check("go1.21rc2", Release(1, 21));
        check("", Release(u32::MAX, 0));
        assert!(Release::parse("1.9") < Release::SKIP);
    }
}
