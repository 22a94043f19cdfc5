//! Whether a gate has enough verdicts: how many of the benchmarks to be measured were decided.

use std::collections::BTreeMap;

use crate::scale;
use benchwright_model::{BenchmarkId, Comparison, Finding, Reason, Run, Verdict};

/// The setting of a run with the verdicts that make it fail.
pub const FAIL_ON: &str = "fail-on";
/// The setting with the share of benchmarks that must be decided, such as `50%`.
pub const REQUIRE_DECIDED: &str = "require-decided";

/// How much of a comparison was decided, and why the rest was not.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gate {
    decided: usize,
    benchmarks: usize,
    /// How many benchmarks are undecided for each cause, in the order of [`Cause::ALL`].
    open: [usize; Cause::ALL.len()],
    /// The share that must be decided.
    required: f64,
}

/// Why a benchmark is undecided.
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
        /// The default maximum. A benchmark that took this many duets would not be helped by a larger budget
        /// alone.
        const MOST_DUETS: u32 = 96;
        match reason {
            Reason::OutOfBudget { duets_needed: Some(needed) } if *needed > MOST_DUETS => Cause::Noise,
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
    /// The gate of a comparison whose run requires a share of verdicts. `None` if it requires none.
    pub fn required_by(run: &Run, comparison: &Comparison) -> Option<Gate> {
        let is_off = run.settings.get(FAIL_ON).is_some_and(|word| word == "never");
        let share = run.settings.get(REQUIRE_DECIDED).filter(|_| !is_off)?;
        let percent: f64 = share.strip_suffix('%')?.parse().ok()?;
        Some(Gate::of(comparison, percent / 100.0))
    }

    /// The message for reports if there are too few verdicts. `None` if there are enough, or if none are
    /// required.
    pub(crate) fn complaint(comparison: &Comparison) -> Option<String> {
        let gate = Gate::required_by(&comparison.run, comparison)?;
        (!gate.could_see()).then(|| gate.line())
    }

    /// The gate of a comparison if this share is required. Identical builds do not count, because they need
    /// not be measured.
    pub fn of(comparison: &Comparison, required: f64) -> Gate {
        let mut main: BTreeMap<&BenchmarkId, &Finding> = BTreeMap::new();
        for finding in comparison.findings.iter().filter(|it| it.reason != Reason::IdenticalBuild) {
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

    /// Number of decided benchmarks, number of benchmarks to be measured, and the required share.
    pub(crate) fn counts(&self) -> (usize, usize, f64) {
        (self.decided, self.benchmarks, self.required)
    }

    /// Whether enough was decided.
    pub fn could_see(&self) -> bool {
        /// Rounding must not make 3 of 10 miss a share of 30 %.
        const TOLERANCE: f64 = 1e-9;
        self.decided as f64 >= self.required * self.benchmarks as f64 - TOLERANCE
    }

    /// The last line of a command with too few verdicts: how many there were, why not more, and what would
    /// help.
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

/// Whether the benchmark was decided. A fixed-sample rule cannot answer "same"; if it ran completely and
/// found nothing, the benchmark counts as decided.
fn has_looked(finding: &Finding) -> bool {
    let has_run = finding.verdict == Verdict::Undecided && matches!(finding.reason, Reason::Rule { .. });
    finding.verdict.is_decided() || has_run
}

#[cfg(test)]
mod tests {
    use benchwright_model::{Environment, Metric, RunId, RunKind, Timestamp, Version};
    use benchwright_testkit::finding;

    use super::*;

    fn comparison(findings: Vec<Finding>) -> Comparison {
        let head = Version {
            label: "main".into(),
            commit: None,
            tree: String::new(),
            dirty: false,
            subject: String::new(),
        };
        let run = Run {
            id: RunId("r".into()),
            kind: RunKind::Compare,
            command: Vec::new(),
            started_at: Timestamp(0),
            ended_at: None,
            seed: 0,
            base: None,
            head,
            environment: Environment::default(),
            tool_version: String::new(),
            settings: BTreeMap::new(),
        };
        Comparison {
            run,
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
    fn identical_builds_were_not_to_be_measured() {
        let identical = |name: &str| open(name, Verdict::Same, Reason::IdenticalBuild);
        let unmeasured = open("B", Verdict::NotMeasured, Reason::OutOfBudget { duets_needed: None });
        assert!(!gate(&[identical("A"), identical("A2"), unmeasured], 0.5).could_see());
        assert!(gate(&[identical("A")], 1.0).could_see());
    }

    #[test]
    fn reports_complain_where_the_run_required_more() {
        let complaint = |settings: &[(&str, &str)]| {
            let mut comparison = comparison(vec![finding("C", Verdict::Undecided, 0.0)]);
            comparison.run.settings =
                settings.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
            Gate::complaint(&comparison)
        };
        assert_eq!(complaint(&[]), None);
        assert_eq!(complaint(&[(REQUIRE_DECIDED, "0%"), (FAIL_ON, "slower")]), None);
        assert_eq!(complaint(&[(REQUIRE_DECIDED, "50%"), (FAIL_ON, "never")]), None);
        let line = complaint(&[(REQUIRE_DECIDED, "50%"), (FAIL_ON, "slower")]).expect("nothing was decided");
        assert!(line.starts_with("too few verdicts: 0 of 1 decided, 50% required"), "{line}");
    }

    #[test]
    fn more_time_is_no_help_against_noise() {
        let needs = |duets| open("A", Verdict::Undecided, Reason::OutOfBudget { duets_needed: Some(duets) });
        assert!(gate(&[needs(40)], 0.5).line().contains("budget (1); what would help: a larger --budget"));
        assert!(gate(&[needs(1000)], 0.5).line().contains("noise (1); what would help: a quieter machine"));
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
