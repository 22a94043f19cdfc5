//! What the exit code says.

use std::process::ExitCode;

use benchwright_config::FailOn;
use benchwright_model::{Comparison, FailureSummary, Finding, Reason, Severity, Verdict};

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

    /// What the exit code says about a comparison.
    pub(crate) fn of(comparison: &Comparison, fail_on: &[FailOn]) -> Outcome {
        let has = |verdict: Verdict| {
            let counts =
                |finding: &&Finding| finding.verdict == verdict && finding.reason != Reason::Informational;
            comparison.findings.iter().any(|finding| counts(&finding))
        };
        let has_failed = |finding: &Finding| matches!(finding.reason, Reason::Failed { .. });
        // A benchmark that could not be measured, or a package that did not build, is a failure even if the rest is fine.
        let failed = comparison.findings.iter().any(has_failed)
            || has_one_sided_failures(&comparison.failures)
            || comparison.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
        Outcome {
            failed,
            misused: false,
            slower: fail_on.contains(&FailOn::Slower)
                && comparison.findings.iter().any(|finding| finding.fails),
            undecided: fail_on.contains(&FailOn::Undecided) && has(Verdict::Undecided),
        }
    }

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

/// Whether trials of a benchmark failed clearly more often on one side than on the other: that is a difference between
/// the versions, even where repeating them gave enough values. Once or twice may be chance; it is told, no more.
fn has_one_sided_failures(failures: &[FailureSummary]) -> bool {
    const CLEARLY: u32 = 3;
    failures.iter().any(|failure| {
        let other = failures
            .iter()
            .find(|other| other.benchmark == failure.benchmark && other.side == failure.side.other());
        failure.trials >= other.map_or(0, |other| other.trials) + CLEARLY
    })
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> ExitCode {
        ExitCode::from(outcome.code())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use benchwright_model::{BenchmarkId, Diagnostic, FailureKind, RunKind, Side, Version};
    use benchwright_testkit::finding;

    use super::*;

    fn comparison(findings: Vec<Finding>, diagnostics: Vec<Diagnostic>) -> Comparison {
        let version = Version {
            label: "main".into(),
            commit: None,
            tree: String::new(),
            dirty: false,
            subject: String::new(),
        };
        Comparison {
            run: crate::keep::new_run(RunKind::Compare, None, version, 0).with_settings(BTreeMap::new(), []),
            rule: "paired".into(),
            rule_note: String::new(),
            findings,
            added: Vec::new(),
            removed: Vec::new(),
            failures: Vec::new(),
            diagnostics,
            is_partial: false,
        }
    }

    #[test]
    fn findings_decide_the_code_as_far_as_somebody_asked() {
        let check = |findings: &[Finding], fail_on: &[FailOn], expected: u8| {
            let outcome = Outcome::of(&comparison(findings.to_vec(), Vec::new()), fail_on);
            assert_eq!(outcome.code(), expected, "{findings:?}");
        };
        let slower = finding("A", Verdict::Slower, 0.1);
        let soft = Finding { fails: false, ..slower.clone() };
        let undecided = finding("B", Verdict::Undecided, 0.0);
        let shown = Finding { reason: Reason::Informational, ..undecided.clone() };
        let failed = Finding { reason: Reason::Failed { what: "head".into() }, ..undecided.clone() };
        let same = finding("C", Verdict::Same, 0.0);
        let both = [FailOn::Slower, FailOn::Undecided];
        check(&[same.clone(), slower.clone()], &[FailOn::Slower], 3);
        check(std::slice::from_ref(&slower), &[], 0);
        check(&[soft], &both, 0);
        check(std::slice::from_ref(&undecided), &[FailOn::Slower], 0);
        check(&[same.clone(), undecided], &both, 4);
        check(&[shown], &both, 0);
        check(std::slice::from_ref(&failed), &[], 1);
        check(&[failed, slower], &both, 3);
        check(&[same], &both, 0);
    }

    #[test]
    fn an_error_is_never_fine() {
        let with = |diagnostic| Outcome::of(&comparison(Vec::new(), vec![diagnostic]), &[]).code();
        assert_eq!(with(Diagnostic::error("p", "does not build")), 1);
        assert_eq!(with(Diagnostic::warning("p", "odd")), 0);
    }

    #[test]
    fn failures_of_one_side_count_when_they_are_no_chance() {
        let failure = |name: &str, side: Side, trials: u32| FailureSummary {
            benchmark: BenchmarkId::new("go", "p", name),
            side,
            trials,
            kind: FailureKind::NoResult,
            detail: String::new(),
        };
        let check = |failures: &[FailureSummary], expected: bool| {
            assert_eq!(has_one_sided_failures(failures), expected, "{failures:?}");
        };
        check(&[], false);
        check(&[failure("A", Side::Head, 2)], false);
        check(&[failure("A", Side::Head, 3)], true);
        check(&[failure("A", Side::Base, 3)], true);
        check(&[failure("A", Side::Head, 5), failure("A", Side::Base, 3)], false);
        check(&[failure("A", Side::Base, 3), failure("A", Side::Head, 6)], true);
        // Another benchmark's failures excuse nothing.
        check(&[failure("A", Side::Head, 3), failure("B", Side::Base, 3)], true);
    }

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
