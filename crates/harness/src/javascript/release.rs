//! Releases of node.

/// A release, comparable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Release(u32, u32);

/// How node handles TypeScript.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Types {
    /// It strips types by itself.
    Stripped,
    /// It does so with `--experimental-strip-types`.
    OnRequest,
    /// It does not support them.
    Unknown,
}

impl Release {
    /// The first release that supports everything the preloaded shim needs (`--import`, `module.register`).
    pub(super) const OLDEST: Release = Release(18, 19);

    /// Parses `v20.11.1`. The result is 0.0 for other texts.
    pub(super) fn parse(text: &str) -> Release {
        let mut numbers =
            text.trim().trim_start_matches('v').split('.').map(|part| part.parse().unwrap_or(0));
        Release(numbers.next().unwrap_or(0), numbers.next().unwrap_or(0))
    }

    /// Whether the shim works with it. Node 19 never got the features of 18.19 and 20.6.
    pub(super) fn is_enough(self) -> bool {
        self >= Release::OLDEST && self.0 != 19 && !(self.0 == 20 && self.1 < 6)
    }

    /// How it handles TypeScript.
    pub(super) fn types(self) -> Types {
        match self {
            Release(22, 18..) | Release(23, 6..) | Release(24.., _) => Types::Stripped,
            Release(22, 6..) | Release(23, _) => Types::OnRequest,
            _ => Types::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_compared_by_number() {
        let check =
            |text: &str, expected: bool| assert_eq!(Release::parse(text).is_enough(), expected, "{text}");
        check("v20.20.2", true);
        check("v18.19.0\n", true);
        check("v18.9.1", false);
        check("v19.9.0", false);
        check("v20.5.1", false);
        check("v100.0.0", true);
        check("nonsense", false);
    }

    #[test]
    fn types_are_stripped_since_22_and_by_default_since_22_18() {
        let check =
            |text: &str, expected: Types| assert_eq!(Release::parse(text).types(), expected, "{text}");
        check("v20.20.2", Types::Unknown);
        check("v22.5.0", Types::Unknown);
        check("v22.6.0", Types::OnRequest);
        check("v22.18.0", Types::Stripped);
        check("v23.0.0", Types::OnRequest);
        check("v23.6.0", Types::Stripped);
        check("v26.1.0", Types::Stripped);
    }
}
