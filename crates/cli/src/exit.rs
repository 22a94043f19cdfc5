//! What the exit code says.

use std::process::ExitCode;

/// What happened that the caller of the program should know, several at once if need be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// Something failed: a build, a benchmark, the disk.
    pub(crate) failed: bool,
    /// The command line or configuration makes no sense.
    pub(crate) misused: bool,
    /// A benchmark became slower by at least its hard threshold.
    pub(crate) slower: bool,
    /// A benchmark is undecided and `--fail-on undecided` was given.
    pub(crate) undecided: bool,
}

impl Outcome {
    pub(crate) const FAILED: Outcome =
        Outcome { failed: true, misused: false, slower: false, undecided: false };
    pub(crate) const MISUSED: Outcome =
        Outcome { failed: false, misused: true, slower: false, undecided: false };

    /// 0 fine, 1 something failed, 2 wrong use or configuration, 3 slower, 4 undecided. If several apply: 2, then 3, then
    /// 1, then 4. An error never looks like "nothing got slower".
    pub(crate) fn code(self) -> u8 {
        match self {
            Outcome { misused: true, .. } => 2,
            Outcome { slower: true, .. } => 3,
            Outcome { failed: true, .. } => 1,
            Outcome { undecided: true, .. } => 4,
            _ => 0,
        }
    }

    /// All that apply, for the last line; empty if there is at most one.
    pub(crate) fn describe(self) -> String {
        let all = [
            (self.misused, "2 wrong use or configuration"),
            (self.slower, "3 slower"),
            (self.failed, "1 something failed"),
            (self.undecided, "4 undecided"),
        ];
        let applying: Vec<&str> = all.iter().filter(|(applies, _)| *applies).map(|(_, text)| *text).collect();
        if applying.len() < 2 {
            return String::new();
        }
        format!("exit code {} ({} apply)", self.code(), applying.join(", "))
    }
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> ExitCode {
        ExitCode::from(outcome.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn precedence_is_two_three_one_four() {
        let all = Outcome { failed: true, misused: true, slower: true, undecided: true };
        assert_eq!(all.code(), 2);
        assert_eq!(Outcome { misused: false, ..all }.code(), 3);
        assert_eq!(Outcome { misused: false, slower: false, ..all }.code(), 1);
        assert_eq!(Outcome { undecided: true, ..Outcome::default() }.code(), 4);
        assert_eq!(Outcome::default().code(), 0);
        assert!(
            Outcome { misused: false, ..all }
                .describe()
                .contains("3 slower, 1 something failed, 4 undecided")
        );
    }
}
