//! Whether a gate looked: how many of the benchmarks that were to be measured got a verdict.

use std::collections::BTreeMap;

use benchwright_model::{BenchmarkId, Comparison, Finding, Reason, Verdict};
use benchwright_report::scale;

/// How much of a comparison was decided, and what kept the rest open.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gate {
    decided: usize,
    benchmarks: usize,
    /// How many benchmarks are open for which cause, in the order of [`Cause::ALL`].
    open: [usize; Cause::ALL.len()],
    /// The share that must be decided.
    required: f64,
}

/// What keeps a benchmark open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cause {
    Budget,
    Interruption,
    Failures,
    Noise,
    Processes,
}

impl Cause {
    const ALL: [Cause; 5] =
        [Cause::Budget, Cause::Interruption, Cause::Failures, Cause::Noise, Cause::Processes];

    fn of(reason: &Reason) -> Cause {
        match reason {
            Reason::OutOfBudget { .. } => Cause::Budget,
            Reason::Interrupted => Cause::Interruption,
            Reason::Failed { .. } => Cause::Failures,
            Reason::FewProcesses { .. } | Reason::OneProcess | Reason::SummaryOnly => Cause::Processes,
            _ => Cause::Noise,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Cause::Budget => "budget",
            Cause::Interruption => "interrupted",
            Cause::Failures => "failures",
            Cause::Noise => "noise",
            Cause::Processes => "too few processes",
        }
    }

    /// What would help.
    fn help(self) -> &'static str {
        match self {
            Cause::Budget => "a larger --budget or fewer benchmarks (--filter)",
            Cause::Interruption => "running the comparison to its end",
            Cause::Failures => "repairing the benchmarks that fail",
            Cause::Noise => {
                "a quieter machine (benchwright doctor), more --max-duets or a larger --threshold"
            }
            Cause::Processes => "recording more processes per side",
        }
    }
}

impl Gate {
    /// How much of a comparison was decided, where this share is required.
    pub fn of(comparison: &Comparison, required: f64) -> Gate {
        let mut main: BTreeMap<&BenchmarkId, &Finding> = BTreeMap::new();
        for finding in &comparison.findings {
            let known = main.entry(&finding.benchmark).or_insert(finding);
            if finding.metric.is_main() {
                *known = finding;
            }
        }
        let mut gate = Gate { decided: 0, benchmarks: main.len(), open: Default::default(), required };
        for finding in main.values() {
            match Cause::ALL.iter().position(|cause| *cause == Cause::of(&finding.reason)) {
                Some(at) if !has_looked(finding) => gate.open[at] += 1,
                _ => gate.decided += 1,
            }
        }
        gate
    }

    /// Whether enough was decided.
    pub fn could_see(&self) -> bool {
        /// A share such as 30 % of 10 must not miss its 3 by rounding.
        const TOLERANCE: f64 = 1e-9;
        self.decided as f64 >= self.required * self.benchmarks as f64 - TOLERANCE
    }

    /// The last line of a command whose gate could not see: how much it saw, why not more, and what would help.
    pub fn line(&self) -> String {
        let mut open: Vec<(Cause, usize)> = Cause::ALL.into_iter().zip(self.open).collect();
        open.retain(|(_, n)| *n > 0);
        open.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
        let causes: Vec<String> = open.iter().map(|(cause, n)| format!("{} ({n})", cause.word())).collect();
        let help: Vec<&str> = open.iter().map(|(cause, _)| cause.help()).collect();
        format!(
            "too few verdicts: {} of {} decided, {} required; no verdict because of: {}; what would help: {}",
            self.decided,
            self.benchmarks,
            scale::share(self.required),
            causes.join(", "),
            help.join("; ")
        )
    }
}

/// Whether the benchmark was decided. A fixed-sample rule cannot say "same": where it ran in full and found nothing, it looked.
fn has_looked(finding: &Finding) -> bool {
    let has_run = finding.verdict == Verdict::Undecided && matches!(finding.reason, Reason::Rule { .. });
    finding.verdict.is_decided() || has_run
}

#[cfg(test)]
mod tests {
    use benchwright_model::{Metric, RunKind, Version};
    use benchwright_testkit::finding;

    use super::*;

    fn comparison(findings: Vec<Finding>) -> Comparison {
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
            diagnostics: Vec::new(),
            is_partial: false,
        }
    }

    fn gate(findings: &[Finding], required: f64) -> Gate {
        Gate::of(&comparison(findings.to_vec()), required)
    }

    fn open(name: &str, verdict: Verdict, reason: Reason) -> Finding {
        Finding { reason, ..finding(name, verdict, 0.0) }
    }

    #[test]
    fn a_share_of_the_benchmarks_must_be_decided() {
        let same = || finding("A", Verdict::Same, 0.0);
        let slower = || finding("B", Verdict::Slower, 0.1);
        let noisy = |name: &str| finding(name, Verdict::Undecided, 0.0);
        let check = |findings: &[Finding], required: f64, expected: bool| {
            assert_eq!(gate(findings, required).could_see(), expected, "{findings:?}");
        };
        check(&[same(), noisy("C")], 0.5, true);
        check(&[same(), noisy("C"), noisy("D")], 0.5, false);
        check(&[same(), slower(), noisy("C"), noisy("D")], 0.5, true);
        check(&[noisy("C")], 0.0, true);
        check(&[same(), noisy("C")], 1.0, false);
        check(&[same(), slower()], 1.0, true);
        let ten: Vec<Finding> =
            (0..10).map(|n| if n < 3 { same() } else { noisy("") }).enumerate().map(named).collect();
        check(&ten, 0.3, true);
    }

    fn named((n, finding): (usize, Finding)) -> Finding {
        Finding { benchmark: BenchmarkId::new("go", "p", n.to_string()), ..finding }
    }

    #[test]
    fn a_benchmark_counts_once_by_its_main_metric() {
        let bytes = Finding {
            metric: Metric::bytes_per_op(),
            ..open("A", Verdict::Undecided, Reason::Informational)
        };
        let gate = gate(&[bytes.clone(), finding("A", Verdict::Same, 0.0), bytes], 1.0);
        assert_eq!((gate.decided, gate.benchmarks), (1, 1));
    }

    #[test]
    fn a_rule_that_cannot_say_same_has_looked_all_the_same() {
        let rule = || Reason::Rule { name: "t-test".into() };
        assert!(gate(&[open("A", Verdict::Undecided, rule())], 1.0).could_see());
        assert!(!gate(&[open("A", Verdict::NotMeasured, rule())], 0.5).could_see());
    }

    #[test]
    fn the_line_names_causes_and_what_would_help() {
        let budget = || Reason::OutOfBudget { duets_needed: None };
        let failed = Reason::Failed { what: "head".into() };
        let findings = [
            finding("A", Verdict::Same, 0.0),
            open("B", Verdict::NotMeasured, budget()),
            open("C", Verdict::Undecided, budget()),
            open("D", Verdict::NotMeasured, failed),
        ];
        let line = gate(&findings, 0.5).line();
        let expected = "too few verdicts: 1 of 4 decided, 50% required; no verdict because of: budget (2), \
                        failures (1); what would help: a larger --budget or fewer benchmarks (--filter); repairing";
        assert!(line.starts_with(expected), "{line}");
    }
}
