//! Merges diagnostics for people: diagnostics that differ only in their subject become one, and no hint is
//! repeated.

use benchwright_model::{Diagnostic, FailureSummary};

use crate::overview;

/// Number of subjects that one remark names.
const NAMED: usize = 3;

/// The diagnostics, with those merged that differ only in their subject. Of equal hints only the last stays.
pub(crate) fn condensed(diagnostics: &[Diagnostic]) -> Vec<Diagnostic> {
    let mut groups: Vec<(Diagnostic, Vec<&str>)> = Vec::new();
    for diagnostic in diagnostics {
        match groups.iter_mut().find(|(known, _)| are_alike(known, diagnostic)) {
            Some((_, subjects)) => subjects.push(&diagnostic.subject),
            None => groups.push((diagnostic.clone(), vec![diagnostic.subject.as_str()])),
        }
    }
    let mut condensed: Vec<Diagnostic> = groups
        .into_iter()
        .map(|(diagnostic, subjects)| Diagnostic { subject: joined(&subjects), ..diagnostic })
        .collect();
    for at in 0..condensed.len() {
        let (earlier, later) = condensed.split_at_mut(at + 1);
        if later.iter().any(|other| other.hint == earlier[at].hint) {
            earlier[at].hint.clear();
        }
    }
    condensed
}

/// Whether two diagnostics are equal except for their subject.
fn are_alike(one: &Diagnostic, other: &Diagnostic) -> bool {
    let subject = one.subject.clone();
    one.position.is_none() && !subject.is_empty() && *one == Diagnostic { subject, ..other.clone() }
}

/// `a, b, c and 2 more`.
fn joined(subjects: &[&str]) -> String {
    let shown = subjects[..subjects.len().min(NAMED)].join(", ");
    match subjects.len().saturating_sub(NAMED) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// Failed trials of a benchmark. Those of both sides are together if they failed in the same way.
pub(crate) struct Failed<'a> {
    pub(crate) failure: &'a FailureSummary,
    /// How many there are, and on which side.
    pub(crate) trials: String,
    /// Whether both versions failed in the same way.
    pub(crate) is_alike: bool,
}

/// The failures, with one entry if both sides of a benchmark failed in the same way.
pub(crate) fn failed<'a>(failures: &'a [FailureSummary], noun: &str) -> Vec<Failed<'a>> {
    let alike = |one: &FailureSummary, other: &FailureSummary| {
        one.benchmark == other.benchmark && one.side != other.side && one.kind == other.kind
    };
    let count = |failure: &FailureSummary| {
        let trials = overview::plural(usize::try_from(failure.trials).unwrap_or(usize::MAX), noun);
        format!("{trials} on {}", failure.side)
    };
    let mut entries: Vec<Failed<'a>> = Vec::new();
    for failure in failures {
        match entries.iter_mut().find(|entry| alike(entry.failure, failure)) {
            Some(entry) => {
                entry.trials = format!("{}, {} on {}", entry.trials, failure.trials, failure.side);
                entry.is_alike = true;
            }
            None => entries.push(Failed { failure, trials: count(failure), is_alike: false }),
        }
    }
    entries
}

/// Advice for benchmarks that fail in both versions.
pub(crate) const ALIKE: &str = "fails alike in both versions; --skip leaves it out";

#[cfg(test)]
mod tests {
    use benchwright_model::{BenchmarkId, FailureKind, Side};

    use super::*;

    #[test]
    fn what_several_subjects_share_is_said_once() {
        let skips = |subject: &str| Diagnostic::warning(subject, "skips itself").hint("look again");
        let other = Diagnostic::warning("e", "fails").hint("look again");
        let told = condensed(&[skips("a"), skips("b"), other, skips("c"), skips("d")]);
        let told: Vec<String> = told.iter().map(ToString::to_string).collect();
        assert_eq!(
            told,
            ["warning: a, b, c and 1 more: skips itself", "warning: e: fails\n  hint: look again"]
        );
    }

    #[test]
    fn places_in_a_text_stay_apart() {
        let told = condensed(&[
            Diagnostic::error("f", "no key").at(1, 1),
            Diagnostic::error("f", "no key").at(2, 1),
        ]);
        assert_eq!(told.len(), 2);
    }

    #[test]
    fn sides_that_fail_alike_are_one_entry() {
        let failure = |side, kind, trials| FailureSummary {
            benchmark: BenchmarkId::new("go", "p", "BenchmarkA"),
            side,
            trials,
            kind,
            detail: String::new(),
        };
        let failures =
            [failure(Side::Base, FailureKind::NoResult, 1), failure(Side::Head, FailureKind::NoResult, 3)];
        let entries = failed(&failures, "trial");
        assert_eq!((entries.len(), entries[0].trials.as_str()), (1, "1 trial on base, 3 on head"));
        let differ =
            [failure(Side::Base, FailureKind::NoResult, 1), failure(Side::Head, FailureKind::TimedOut, 3)];
        assert_eq!(failed(&differ, "trial").len(), 2);
    }
}
