//! Test results for CI servers: a finding is a test case, and a finding that makes the command fail is a
//! failure.

use std::io::{self, Write};

use benchwright_formats::moment;
use benchwright_model::{Comparison, Diagnostic, FailureSummary, Finding, Nature, Reason, Severity};

use crate::escape::xml;
use crate::gate::Gate;
use crate::overview::{self, elapsed};
use crate::scale;

/// Writes a JUnit document: a suite per package, and a case per decided benchmark and metric. Slower by at
/// least the hard threshold is a failure. Undecided and not measured benchmarks are skipped with the reason.
/// Failed trials, errors about files and builds, and a gate with too few verdicts are errors of their own.
pub fn write(comparison: &Comparison, out: &mut dyn Write) -> io::Result<()> {
    let suites = suites(comparison);
    let total = suites.iter().fold(Tally::default(), |sum, suite| sum.plus(suite.tally()));
    let run = &comparison.run;
    let seconds = elapsed(run).map_or(0.0, |time| time.as_secs_f64());
    writeln!(out, r#"<?xml version="1.0" encoding="UTF-8"?>"#)?;
    writeln!(out, r#"<testsuites name="benchwright" {} time="{seconds:.3}">"#, total.attributes())?;
    for suite in &suites {
        let at = moment(run.started_at);
        writeln!(
            out,
            r#"  <testsuite name="{}" {} timestamp="{}">"#,
            xml(suite.package),
            suite.tally().attributes(),
            at.trim_end_matches('Z'),
        )?;
        write_properties(comparison, out)?;
        suite.findings.iter().try_for_each(|finding| write_finding(finding, out))?;
        suite.failures.iter().try_for_each(|failure| write_failure(failure, out))?;
        suite.errors.iter().try_for_each(|error| write_error(&error.subject, &error.to_string(), out))?;
        suite.complaint.iter().try_for_each(|complaint| write_error("gate", complaint, out))?;
        writeln!(out, "  </testsuite>")?;
    }
    writeln!(out, "</testsuites>")
}

struct Suite<'a> {
    package: &'a str,
    findings: Vec<&'a Finding>,
    failures: Vec<&'a FailureSummary>,
    errors: Vec<&'a Diagnostic>,
    /// That too little was decided.
    complaint: Option<String>,
}

impl Suite<'_> {
    fn errors(&self) -> usize {
        self.errors.len() + usize::from(self.complaint.is_some())
    }

    fn tally(&self) -> Tally {
        let with = |test: fn(&&&Finding) -> bool| self.findings.iter().filter(test).count();
        Tally {
            tests: self.findings.len() + self.failures.len() + self.errors(),
            failures: with(|finding| finding.fails),
            errors: self.failures.len() + self.errors(),
            skipped: with(|finding| is_skipped(finding)),
        }
    }
}

#[derive(Default)]
struct Tally {
    tests: usize,
    failures: usize,
    errors: usize,
    skipped: usize,
}

impl Tally {
    fn plus(self, other: Tally) -> Tally {
        Tally {
            tests: self.tests + other.tests,
            failures: self.failures + other.failures,
            errors: self.errors + other.errors,
            skipped: self.skipped + other.skipped,
        }
    }

    fn attributes(&self) -> String {
        let Tally { tests, failures, errors, skipped } = self;
        format!(r#"tests="{tests}" failures="{failures}" errors="{errors}" skipped="{skipped}""#)
    }
}

/// Packages in the order of the suite. Derived metrics are never decided, so they are not test cases.
fn suites(comparison: &Comparison) -> Vec<Suite<'_>> {
    let mut suites: Vec<Suite<'_>> = Vec::new();
    fn of<'a, 's>(suites: &'s mut Vec<Suite<'a>>, package: &'a str) -> &'s mut Suite<'a> {
        let at = suites.iter().position(|suite| suite.package == package).unwrap_or_else(|| {
            suites.push(Suite {
                package,
                findings: Vec::new(),
                failures: Vec::new(),
                errors: Vec::new(),
                complaint: None,
            });
            suites.len() - 1
        });
        &mut suites[at]
    }
    for finding in comparison.findings.iter().filter(|f| f.metric.nature != Nature::Derived) {
        of(&mut suites, &finding.benchmark.package).findings.push(finding);
    }
    for failure in &comparison.failures {
        of(&mut suites, &failure.benchmark.package).failures.push(failure);
    }
    for error in comparison.diagnostics.iter().filter(|it| it.severity == Severity::Error) {
        of(&mut suites, "benchwright").errors.push(error);
    }
    if let Some(complaint) = Gate::complaint(comparison) {
        of(&mut suites, "benchwright").complaint = Some(complaint);
    }
    suites
}

fn write_properties(comparison: &Comparison, out: &mut dyn Write) -> io::Result<()> {
    let run = &comparison.run;
    let base = run.base.as_ref().map(benchwright_model::Version::title).unwrap_or_default();
    let list = [
        ("run", run.id.0.clone()),
        ("base", base),
        ("head", run.head.title()),
        ("rule", comparison.rule.clone()),
        ("seed", run.seed.to_string()),
        ("partial", comparison.is_partial.to_string()),
    ];
    writeln!(out, "    <properties>")?;
    for (name, value) in list {
        writeln!(out, r#"      <property name="{name}" value="{}"/>"#, xml(&value))?;
    }
    writeln!(out, "    </properties>")
}

fn write_finding(finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
    let id = &finding.benchmark;
    let name = if finding.metric.is_main() {
        id.name.clone()
    } else {
        format!("{} [{}]", id.name, finding.metric.name)
    };
    write!(out, r#"    <testcase classname="{}" name="{}">"#, xml(&id.package), xml(&name))?;
    let sentence = sentence(finding);
    if finding.fails {
        let message = format!("{} {}", overview::verdict_word(finding), overview::change_text(finding));
        write!(out, r#"<failure type="slower" message="{}">{}</failure>"#, xml(&message), xml(&sentence))?;
    } else if is_skipped(finding) {
        let message = format!("{}: {}", finding.verdict.word(), finding.reason.describe());
        write!(out, r#"<skipped message="{}"/>"#, xml(&message))?;
    } else {
        write!(out, "<system-out>{}</system-out>", xml(&sentence))?;
    }
    writeln!(out, "</testcase>")
}

fn write_error(subject: &str, message: &str, out: &mut dyn Write) -> io::Result<()> {
    let name = if subject.is_empty() { "benchwright" } else { subject };
    writeln!(
        out,
        r#"    <testcase classname="benchwright" name="{}"><error type="error" message="{}"/></testcase>"#,
        xml(name),
        xml(message)
    )
}

/// A count that is only shown is never decided.
fn is_skipped(finding: &Finding) -> bool {
    !finding.verdict.is_decided() && !finding.fails && finding.reason != Reason::Informational
}

/// The message of a case: `slower: 1.234 ms to 1.301 ms, +5.42% [+4.9%, +6.0%], threshold 3%; confirmed by
/// fresh duets …`
fn sentence(finding: &Finding) -> String {
    let mut parts = Vec::new();
    if let (Some(base), Some(head)) = (&finding.base, &finding.head) {
        let (base, head) = scale::pair(base.centre, head.centre, &finding.metric.unit);
        parts.push(format!("{base} to {head}"));
    }
    let change = format!("{} {}", overview::change_text(finding), overview::interval_text(finding));
    parts.push(change.trim().to_owned());
    if finding.reason == Reason::Informational {
        parts.insert(0, finding.reason.describe());
        parts.retain(|part| !part.is_empty());
        return parts.join("; ");
    }
    parts.push(format!("threshold {}", scale::share(finding.thresholds.soft)));
    parts.retain(|part| !part.is_empty());
    format!("{}: {}; {}", overview::verdict_word(finding), parts.join(", "), overview::why(finding))
}

fn write_failure(failure: &FailureSummary, out: &mut dyn Write) -> io::Result<()> {
    let id = &failure.benchmark;
    let name = format!("{} [trials of {}]", id.name, failure.side);
    let message = format!("{} on {}, {} trial(s)", failure.kind.describe(), failure.side, failure.trials);
    writeln!(
        out,
        r#"    <testcase classname="{}" name="{}"><error type="trial" message="{}">{}</error></testcase>"#,
        xml(&id.package),
        xml(&name),
        xml(&message),
        xml(&failure.detail),
    )
}
