//! The exit code.

use std::process::ExitCode;

use benchwright_config::{DecisionSettings, FailOn};
use benchwright_model::{Comparison, FailureSummary, Finding, Reason, Severity};
use benchwright_report::cause_in;
use benchwright_report::gate::Gate;

use crate::output::Formats;
use crate::terminal::Terminal;
use benchwright_session::Problem;

/// The outcome of the program for its caller. Several fields may be set.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Outcome {
    /// An operation failed: a build, a benchmark, the disk.
    pub(crate) failed: bool,
    /// The command line or configuration makes no sense.
    pub(crate) misused: bool,
    /// A benchmark became slower by at least its hard threshold.
    pub(crate) slower: bool,
    /// A benchmark is undecided or not measured, and `--fail-on undecided` was given.
    pub(crate) undecided: bool,
    /// Fewer benchmarks were decided than required.
    pub(crate) blind: Option<Gate>,
}

impl Outcome {
    pub(crate) const FAILED: Outcome =
        Outcome { failed: true, misused: false, slower: false, undecided: false, blind: None };
    pub(crate) const MISUSED: Outcome =
        Outcome { failed: false, misused: true, slower: false, undecided: false, blind: None };

    /// The outcome of a comparison.
    pub(crate) fn of(comparison: &Comparison, decision: &DecisionSettings) -> Outcome {
        let is_open =
            |finding: &Finding| !finding.verdict.is_decided() && finding.reason != Reason::Informational;
        Outcome {
            failed: !reasons_of_failure(comparison).is_empty(),
            misused: false,
            slower: decision.fail_on != FailOn::Never
                && comparison.findings.iter().any(|finding| finding.fails),
            undecided: decision.fail_on == FailOn::Undecided && comparison.findings.iter().any(is_open),
            blind: Some(Gate::of(comparison, decision.require_decided))
                .filter(|gate| decision.fail_on != FailOn::Never && !gate.could_see()),
        }
    }

    /// Reports on standard error why a comparison failed, unless standard output is for people and contains
    /// this too.
    pub(crate) fn explain(comparison: &Comparison, formats: &Formats, terminal: Terminal) {
        /// Maximum number of reasons that are reported.
        const GIVEN: usize = 5;
        if formats.is_for_people() {
            return;
        }
        let reasons = reasons_of_failure(comparison);
        reasons.iter().take(GIVEN).for_each(|reason| terminal.insist(reason));
        if reasons.len() > GIVEN {
            terminal.insist(&format!("error: and {} more of this kind", reasons.len() - GIVEN));
        }
    }

    /// 0 success, 1 something failed, 2 wrong arguments or configuration, 3 slower, 4 undecided or too few
    /// decided. If several apply: 2, then 3, then 1, then 4. An error never looks like "nothing got slower".
    pub(crate) fn code(self) -> u8 {
        match self {
            Outcome { misused: true, .. } => 2,
            Outcome { slower: true, .. } => 3,
            Outcome { failed: true, .. } => 1,
            Outcome { undecided: true, .. } | Outcome { blind: Some(_), .. } => 4,
            _ => 0,
        }
    }

    /// Prints the last lines of a command: all exit codes that apply, and why there were too few verdicts.
    pub(crate) fn tell(self, terminal: Terminal) {
        terminal.say(&self.describe());
        if let Some(gate) = self.blind {
            terminal.insist(&gate.line());
        }
    }

    /// All codes that apply. Empty if there is at most one.
    fn describe(self) -> String {
        let all = [
            (self.misused, "2 wrong arguments or configuration"),
            (self.slower, "3 slower"),
            (self.failed, "1 something failed"),
            (self.undecided, "4 undecided"),
            (self.blind.is_some(), "4 too few verdicts"),
        ];
        let applying: Vec<&str> = all.iter().filter(|(applies, _)| *applies).map(|(_, text)| *text).collect();
        if applying.len() < 2 {
            return String::new();
        }
        format!("exit code {} ({} apply)", self.code(), applying.join(", "))
    }
}

/// Why a comparison has failed, one line each. A benchmark that could not be measured, or a package that did
/// not build, is a failure even if everything else succeeded.
fn reasons_of_failure(comparison: &Comparison) -> Vec<String> {
    let errors = comparison.diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
    let failed = |finding: &&Finding| matches!(finding.reason, Reason::Failed { .. });
    let with_cause = |reason: String, cause: Option<&str>| match cause {
        Some(cause) if !reason.contains(cause) => format!("{reason}: {cause}"),
        _ => reason,
    };
    let of_finding = |finding: &Finding| {
        let mut own = comparison.failures.iter().filter(|failure| failure.benchmark == finding.benchmark);
        let cause = own.find_map(|failure| cause_in(&failure.detail));
        with_cause(format!("error: {}: {}", finding.benchmark, finding.reason.describe()), cause)
    };
    let of_summary = |failure: &FailureSummary| {
        let FailureSummary { benchmark, side, trials, kind, detail } = failure;
        let reason = format!("error: {benchmark}: {trials} trials of {} {}", side.name(), kind.describe());
        with_cause(reason, cause_in(detail))
    };
    let one_sided = comparison.failures.iter().filter(|it| is_one_sided(it, &comparison.failures));
    errors
        .map(ToString::to_string)
        .chain(comparison.findings.iter().filter(failed).map(of_finding))
        .chain(one_sided.map(of_summary))
        .collect()
}

/// Whether trials of a benchmark failed clearly more often on one side than on the other. This is a
/// difference between the versions, even if repeating them gave enough values. One or two failures may be
/// chance and are only reported.
fn is_one_sided(failure: &FailureSummary, all: &[FailureSummary]) -> bool {
    const CLEARLY: u32 = 3;
    let is_other =
        |other: &&FailureSummary| other.benchmark == failure.benchmark && other.side == failure.side.other();
    failure.trials >= all.iter().find(is_other).map_or(0, |other| other.trials) + CLEARLY
}

/// The outcome of a problem.
impl From<&Problem> for Outcome {
    fn from(problem: &Problem) -> Outcome {
        if problem.is_misuse() { Outcome::MISUSED } else { Outcome::FAILED }
    }
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> ExitCode {
        ExitCode::from(outcome.code())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use benchwright_model::{BenchmarkId, Diagnostic, FailureKind, RunKind, Side, Verdict, Version};
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
            run: benchwright_session::keep::new_run(RunKind::Compare, None, version, 0)
                .with_settings(BTreeMap::new(), []),
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
        let check = |findings: &[Finding], fail_on: FailOn, expected: u8| {
            let decision = DecisionSettings { fail_on, require_decided: 0.0, ..Default::default() };
            let outcome = Outcome::of(&comparison(findings.to_vec(), Vec::new()), &decision);
            assert_eq!(outcome.code(), expected, "{findings:?} {fail_on:?}");
        };
        let slower = finding("A", Verdict::Slower, 0.1);
        let soft = Finding { fails: false, ..slower.clone() };
        let undecided = finding("B", Verdict::Undecided, 0.0);
        let shown = Finding { reason: Reason::Informational, ..undecided.clone() };
        let failed = Finding { reason: Reason::Failed { what: "head".into() }, ..undecided.clone() };
        let same = finding("C", Verdict::Same, 0.0);
        let not_measured = finding("D", Verdict::NotMeasured, 0.0);
        let either = FailOn::Undecided;
        check(&[same.clone(), slower.clone()], FailOn::Slower, 3);
        check(std::slice::from_ref(&slower), either, 3);
        check(std::slice::from_ref(&slower), FailOn::Never, 0);
        check(&[soft], either, 0);
        check(std::slice::from_ref(&undecided), FailOn::Slower, 0);
        check(&[same.clone(), undecided], either, 4);
        check(&[same.clone(), not_measured], either, 4);
        check(&[shown], either, 0);
        check(std::slice::from_ref(&failed), FailOn::Never, 1);
        check(&[failed, slower], either, 3);
        check(&[same], either, 0);
    }

    #[test]
    fn a_gate_that_could_not_see_fails_unless_nothing_is_to_fail() {
        let open = [finding("A", Verdict::NotMeasured, 0.0), finding("B", Verdict::Slower, 0.1)];
        let of = |findings: &[Finding], fail_on: FailOn| {
            let decision = DecisionSettings { fail_on, ..Default::default() };
            Outcome::of(&comparison(findings.to_vec(), Vec::new()), &decision)
        };
        assert_eq!(of(&open[..1], FailOn::Slower).code(), 4);
        assert_eq!(of(&open[..1], FailOn::Never).code(), 0);
        assert_eq!(of(&open, FailOn::Slower).blind, None, "half of them is enough");
        let more = [&open[..], &[finding("C", Verdict::Undecided, 0.0)]].concat();
        let outcome = of(&more, FailOn::Slower);
        assert_eq!(outcome.code(), 3);
        assert_eq!(outcome.describe(), "exit code 3 (3 slower, 4 too few verdicts apply)");
    }

    #[test]
    fn an_error_is_never_fine() {
        let decision = DecisionSettings { fail_on: FailOn::Never, ..Default::default() };
        let with = |diagnostic| Outcome::of(&comparison(Vec::new(), vec![diagnostic]), &decision).code();
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
            let is_found = failures.iter().any(|failure| is_one_sided(failure, failures));
            assert_eq!(is_found, expected, "{failures:?}");
        };
        check(&[], false);
        check(&[failure("A", Side::Head, 2)], false);
        check(&[failure("A", Side::Head, 3)], true);
        check(&[failure("A", Side::Base, 3)], true);
        check(&[failure("A", Side::Head, 5), failure("A", Side::Base, 3)], false);
        check(&[failure("A", Side::Base, 3), failure("A", Side::Head, 6)], true);
        // Failures of another benchmark do not matter.
        check(&[failure("A", Side::Head, 3), failure("B", Side::Base, 3)], true);
    }

    #[test]
    fn a_reason_has_the_words_of_what_failed() {
        let reason = Reason::Failed { what: "head printed no result".into() };
        let finding = Finding { reason, ..finding("A", Verdict::NotMeasured, 0.0) };
        let check = |detail: &str, expected: &str| {
            let mut comparison = comparison(vec![finding.clone()], Vec::new());
            comparison.failures.push(FailureSummary {
                benchmark: finding.benchmark.clone(),
                side: Side::Head,
                trials: 2,
                kind: FailureKind::NoResult,
                detail: detail.into(),
            });
            assert_eq!(reasons_of_failure(&comparison), [expected], "{detail}");
        };
        let plain = format!("error: {}: head printed no result", finding.benchmark);
        check("3 apples\n", &plain);
        let unread = "its output cannot be read: Input/output error (os error 5)";
        check(&format!("{unread}\n3 apples"), &format!("{plain}: {unread}"));
    }

    #[test]
    fn precedence_is_two_three_one_four() {
        let all = Outcome { failed: true, misused: true, slower: true, undecided: true, blind: None };
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
