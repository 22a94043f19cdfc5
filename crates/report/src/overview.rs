//! The common part of the formats for people: counts, order, and the lines above and below every table.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::time::Duration;

use benchwright_model::{
    BenchmarkId, Comparison, Finding, Metric, Nature, Reason, Run, Summary, Verdict, Version,
};

use crate::scale;

/// A smaller relative change is written as zero.
const SMALLEST_CHANGE: f64 = 0.00005;

/// Number of findings per verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Counts {
    pub(crate) slower: usize,
    pub(crate) faster: usize,
    pub(crate) changed: usize,
    pub(crate) same: usize,
    pub(crate) undecided: usize,
    pub(crate) not_measured: usize,
}

/// Counts, and metrics without a threshold, that need no row of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Quiet {
    same_counts: usize,
    varying_counts: usize,
    /// Metrics that are not counts: CPU time, memory, derived metrics of harnesses.
    same_others: usize,
    varying_others: usize,
}

impl Quiet {
    fn of<'a>(findings: impl Iterator<Item = &'a Finding>) -> Self {
        let mut quiet = Quiet::default();
        for finding in findings {
            let is_count = finding.metric.nature == Nature::Counted;
            *match (finding.verdict == Verdict::Same, is_count) {
                (true, true) => &mut quiet.same_counts,
                (false, true) => &mut quiet.varying_counts,
                (true, false) => &mut quiet.same_others,
                (false, false) => &mut quiet.varying_others,
            } += 1;
        }
        quiet
    }

    /// For example `3 counts unchanged`, `2 other metrics without a visible change`. Empty if there are none.
    pub(crate) fn parts(&self) -> Vec<String> {
        let kinds = [
            (self.same_counts, "count", "unchanged"),
            (self.varying_counts, "count", "varying around the same value"),
            (self.same_others, "other metric", "unchanged"),
            (self.varying_others, "other metric", "without a visible change"),
        ];
        let there = kinds.into_iter().filter(|(n, ..)| *n > 0);
        there.map(|(n, noun, what)| format!("{} {what}", plural(n, noun))).collect()
    }
}

/// A comparison, counted and sorted.
#[derive(Debug)]
pub(crate) struct Overview<'a> {
    /// Findings decided by statistics, most important first.
    pub(crate) measured: Vec<&'a Finding>,
    /// Counts and metrics without a threshold that changed, most important first.
    pub(crate) changed_counts: Vec<&'a Finding>,
    /// The other ones of these.
    pub(crate) quiet: Quiet,
    /// Verdicts of `measured`.
    pub(crate) counts: Counts,
    /// Number of benchmarks with a finding.
    pub(crate) benchmarks: usize,
    /// Duets of all benchmarks.
    pub(crate) duets: usize,
    /// Processes of both sides of all benchmarks.
    pub(crate) processes: usize,
    /// Number of findings that make the command fail.
    pub(crate) failing: usize,
    /// Whether a version was compared with itself.
    pub(crate) is_one_version: bool,
}

impl<'a> Overview<'a> {
    pub(crate) fn of(comparison: &'a Comparison) -> Self {
        let findings = || comparison.findings.iter();
        let measured: Vec<&Finding> = sorted(findings().filter(|f| is_decided_by_statistics(f)));
        let mut counts = Counts::default();
        for finding in &measured {
            *counts.of_mut(finding.verdict) += 1;
        }
        let others = || findings().filter(|f| !is_decided_by_statistics(f));
        let is_same = |f: &&Finding| f.verdict == Verdict::Same;
        let is_quiet = |f: &&Finding| f.reason == Reason::Informational && !has_visibly_moved(f);
        let (duets, benchmarks) = duets_and_benchmarks(&comparison.findings);
        Overview {
            changed_counts: sorted(others().filter(|f| !is_same(f) && !is_quiet(f))),
            quiet: Quiet::of(others().filter(|f| is_same(f) || is_quiet(f))),
            measured,
            counts,
            benchmarks,
            duets,
            processes: processes_of(&comparison.findings),
            failing: comparison.findings.iter().filter(|f| f.fails).count(),
            is_one_version: is_one_version(&comparison.run),
        }
    }

    /// Geometric mean of head / base over the times, as a relative change, and its number of benchmarks. An
    /// identical build counts as ratio one without measuring. Identical builds alone have no mean.
    pub(crate) fn geomean(&self) -> Option<(f64, usize)> {
        let log_ratio = |f: &&&Finding| match (&f.effect, &f.reason) {
            (Some(effect), _) if effect.centre.is_finite() => Some(effect.centre),
            (None, Reason::IdenticalBuild) => Some(0.0),
            _ => None,
        };
        let times = self.measured.iter().filter(|f| f.metric.is_time());
        let logs: Vec<f64> = times.filter_map(|f| log_ratio(&f)).collect();
        let mean = logs.iter().sum::<f64>() / logs.len() as f64;
        let is_measured = self.measured.iter().any(|f| f.metric.is_time() && f.effect.is_some());
        (is_measured && logs.len() > 1).then(|| (mean.exp_m1(), logs.len()))
    }

    /// A word for [`Overview::changed_counts`].
    pub(crate) fn changed_noun(&self) -> &'static str {
        let all_are_counts = self.changed_counts.iter().all(|f| f.metric.nature == Nature::Counted);
        if all_are_counts { "count" } else { "other metric" }
    }

    /// Whether processes were measured apart, so that there are no duets.
    pub(crate) fn is_apart(&self) -> bool {
        self.duets == 0 && self.processes > 0
    }

    /// The heading of the column that [`Overview::effort_text`] fills.
    pub(crate) fn effort_heading(&self) -> &'static str {
        if self.is_apart() { "processes" } else { "duets" }
    }

    /// The data of a finding: its duets, or the processes of base and head if they were measured apart, `10,
    /// 12`.
    pub(crate) fn effort_text(&self, finding: &Finding) -> String {
        match (&finding.base, &finding.head) {
            (Some(base), Some(head)) if self.is_apart() => format!("{}, {}", base.trials, head.trials),
            _ => duets_text(finding),
        }
    }

    /// The data of all findings: `312 duets`, `40 processes`.
    pub(crate) fn effort(&self) -> String {
        if self.is_apart() { processes(self.processes) } else { plural(self.duets, "duet") }
    }

    /// Whether benchmarks of more than one package are shown.
    pub(crate) fn has_packages(&self) -> bool {
        let mut packages = self.measured.iter().chain(&self.changed_counts).map(|f| &f.benchmark.package);
        packages.next().is_some_and(|first| packages.any(|package| package != first))
    }

    /// ` of 5%` if all failing findings have the same hard threshold.
    pub(crate) fn hard_threshold(&self) -> String {
        let all = self.measured.iter().chain(&self.changed_counts).filter(|finding| finding.fails);
        let mut hard = all.map(|finding| finding.thresholds.hard);
        match hard.next() {
            Some(first) if hard.all(|other| other == first) => format!(" of {}", scale::share(first)),
            _ => String::new(),
        }
    }

    /// The soft threshold if all measured findings share one.
    pub(crate) fn threshold(&self) -> Option<f64> {
        let mut all = self.measured.iter().map(|finding| finding.thresholds.soft);
        let first = all.next()?;
        all.all(|other| other == first).then_some(first)
    }
}

fn is_one_version(run: &Run) -> bool {
    // Two compared commands run in the same tree.
    let is_same = |base: &Version| {
        base.tree == run.head.tree && (base.commit.is_some() || base.label == run.head.label)
    };
    run.base.as_ref().is_some_and(|base| !base.tree.is_empty() && is_same(base))
}

/// Whether the rule decided on the finding. Others are compared exactly or only shown.
fn is_decided_by_statistics(finding: &Finding) -> bool {
    finding.metric.is_main() || !matches!(finding.reason, Reason::Exact | Reason::Informational)
}

/// Whether a metric that is only shown has an interval without zero and a noticeable change.
fn has_visibly_moved(finding: &Finding) -> bool {
    const NOTICEABLE: f64 = 0.01;
    finding
        .effect
        .is_some_and(|effect| (effect.lo > 0.0 || effect.hi < 0.0) && effect.change().abs() >= NOTICEABLE)
}

impl Counts {
    fn of_mut(&mut self, verdict: Verdict) -> &mut usize {
        match verdict {
            Verdict::Slower => &mut self.slower,
            Verdict::Faster => &mut self.faster,
            Verdict::Changed => &mut self.changed,
            Verdict::Same => &mut self.same,
            Verdict::Undecided => &mut self.undecided,
            Verdict::NotMeasured => &mut self.not_measured,
        }
    }

    /// Each verdict with its number, in the order of the table.
    pub(crate) fn list(self) -> [(Verdict, usize); 6] {
        [
            (Verdict::Slower, self.slower),
            (Verdict::Faster, self.faster),
            (Verdict::Changed, self.changed),
            (Verdict::Undecided, self.undecided),
            (Verdict::NotMeasured, self.not_measured),
            (Verdict::Same, self.same),
        ]
    }

    /// For example `2 slower, 1 faster, 37 same, 1 undecided, 4 not measured`. Verdicts without benchmarks
    /// are left out, except slower.
    pub(crate) fn sentence(self) -> String {
        let [slower, faster, changed, undecided, not_measured, same] = self.list();
        let is_shown = |(verdict, n): &&(Verdict, usize)| *n > 0 || *verdict == Verdict::Slower;
        let order = [slower, faster, changed, same, undecided, not_measured];
        let parts: Vec<String> =
            order.iter().filter(is_shown).map(|(verdict, n)| format!("{n} {}", verdict.word())).collect();
        parts.join(", ")
    }
}

/// The last line of every report: `2 slower, 1 faster, 37 same · 40 benchmarks · 312 duets · 1m 12s · seed 42`.
pub fn summary_line(comparison: &Comparison) -> String {
    let overview = Overview::of(comparison);
    let mut parts =
        vec![overview.counts.sentence(), plural(overview.benchmarks, "benchmark"), overview.effort()];
    parts.extend(elapsed(&comparison.run).map(scale::duration));
    // Files were not measured with a seed of benchwright.
    parts.extend((!overview.is_apart()).then(|| format!("seed {}", comparison.run.seed)));
    parts.join(" · ")
}

/// Patterns of lines that show why a process failed.
const SIGNS: [&str; 8] = [
    "panic: ",
    "panicked at",
    "fatal error",
    "Traceback",
    "Exception",
    "Error: ",
    "error: ",
    "its output cannot be read",
];

fn is_sign(line: &str) -> bool {
    SIGNS.iter().any(|sign| line.contains(sign))
}

/// The line that shows why a process failed, if there is one.
pub fn cause_in(detail: &str) -> Option<&str> {
    // Python's first line does not show the reason.
    detail.lines().find(|line| is_sign(line) && !line.contains("Traceback")).map(str::trim)
}

/// The most useful lines of a failed process: from the error on, or otherwise the last ones.
pub(crate) fn telling(detail: &str, most: usize) -> Vec<&str> {
    /// The header that Go prints before its benchmarks.
    const HEADINGS: [&str; 4] = ["goos: ", "goarch: ", "pkg: ", "cpu: "];
    let is_heading = |line: &&str| HEADINGS.iter().any(|heading| line.starts_with(heading));
    let is_empty = |line: &&str| line.trim().is_empty();
    let lines: Vec<&str> = detail.lines().filter(|line| !is_empty(line) && !is_heading(line)).collect();
    let sign = lines.iter().position(|line| is_sign(line));
    let from = sign.unwrap_or(lines.len().saturating_sub(most)).min(lines.len());
    lines[from..].iter().copied().take(most).collect()
}

/// `1 duet`, `2 duets`.
pub(crate) fn plural(n: usize, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

/// `1 process`, `2 processes`.
pub(crate) fn processes(n: usize) -> String {
    if n == 1 { "1 process".into() } else { format!("{n} processes") }
}

/// How long a run took, if it ended.
pub(crate) fn elapsed(run: &Run) -> Option<Duration> {
    let micros = run.ended_at?.0.checked_sub(run.started_at.0)?;
    u64::try_from(micros).ok().map(Duration::from_micros)
}

/// The machine in a few words: `AMD EPYC 7B13, 2 cores, linux`.
pub(crate) fn machine(run: &Run) -> String {
    let fact = |key: &str| run.environment.facts.get(key).filter(|text| !text.is_empty()).cloned();
    let counted = |n: String| if n.parse::<u32>().is_ok() { format!("{n} cores") } else { n };
    let parts = [fact("cpu"), fact("cores").map(counted), fact("memory"), fact("os")];
    let known: Vec<String> = parts.into_iter().flatten().collect();
    if known.is_empty() { "unknown machine".into() } else { known.join(", ") }
}

/// The rule in a few words: `paired, threshold 3%`.
pub(crate) fn rule(comparison: &Comparison, overview: &Overview<'_>) -> String {
    match overview.threshold() {
        Some(threshold) => format!("{}, threshold {}", comparison.rule, scale::share(threshold)),
        None if overview.measured.is_empty() => comparison.rule.clone(),
        None => format!("{}, thresholds by benchmark", comparison.rule),
    }
}

/// The number of random code layouts in which suspects were measured again. `None` if all ran as built.
pub(crate) fn layouts(comparison: &Comparison) -> Option<String> {
    let of = |finding: &Finding| match finding.reason {
        Reason::Confirmed { layouts, .. }
        | Reason::NotConfirmed { layouts, .. }
        | Reason::PlacementOnly { layouts, .. } => Some(layouts),
        _ => None,
    };
    let all: Vec<usize> = comparison.findings.iter().filter_map(of).map(|n| n as usize).collect();
    let (least, most) = (*all.iter().min()?, *all.iter().max()?);
    match (least, most) {
        (_, 0) => None,
        (least, most) if least == most => {
            Some(format!("suspects measured again in {} per side", plural(most, "random code layout")))
        }
        (least, most) => {
            Some(format!("suspects measured again in {least} to {most} random code layouts per side"))
        }
    }
}

/// The verdict as a word that fits the metric: memory is not slower but worse.
pub(crate) fn verdict_word(finding: &Finding) -> &'static str {
    match finding.verdict {
        _ if finding.reason == Reason::Informational => "not judged",
        Verdict::Slower if !finding.metric.is_main() => "worse",
        Verdict::Faster if !finding.metric.is_main() => "better",
        verdict => verdict.word(),
    }
}

/// Whether nothing was measured for a finding that had to be decided.
pub(crate) fn is_unmeasured(finding: &Finding) -> bool {
    let is_empty = finding.duets.is_empty() && finding.base.is_none() && finding.head.is_none();
    is_empty && finding.verdict != Verdict::Same
}

/// Whether a finding had to be decided and was not.
pub(crate) fn is_open(finding: &Finding) -> bool {
    let is_decided =
        matches!(finding.verdict, Verdict::Slower | Verdict::Faster | Verdict::Changed | Verdict::Same);
    !is_decided && finding.reason != Reason::Informational
}

/// The reason for the verdict, and why a slowdown was accepted.
pub(crate) fn why(finding: &Finding) -> String {
    let unit = if finding.quartets > 0 { "; four duets at a time, since single ones vary more" } else { "" };
    let accepted = finding.accepted.as_ref().map(|reason| format!("; accepted: {reason}"));
    format!("{}{unit}{}", finding.reason.describe(), accepted.unwrap_or_default())
}

/// The benchmark's short name, with the metric unless it is the time.
pub(crate) fn row_name(benchmark: &BenchmarkId, metric: &Metric) -> String {
    if metric.is_main() {
        benchmark.short_name().to_owned()
    } else {
        format!("{} {}", benchmark.short_name(), metric.name)
    }
}

/// The change as text: `+5.20%`, `~` if it is the same within the threshold, and empty if it is unknown.
pub(crate) fn change_text(finding: &Finding) -> String {
    let from_zero =
        matches!((&finding.base, &finding.head), (Some(b), Some(h)) if b.centre == 0.0 && h.centre != 0.0);
    match (finding.verdict, &finding.reason, &finding.effect) {
        (Verdict::Same, Reason::CertainButSmall, Some(effect)) => scale::change(effect.change()),
        (Verdict::Same, ..) => "~".into(),
        (_, Reason::Exact, Some(effect)) if effect.change().abs() < SMALLEST_CHANGE => difference(finding),
        (_, _, Some(effect)) if effect.centre < f64::INFINITY => scale::change(effect.change()),
        _ if from_zero => "from 0".into(),
        _ => change_of_centres(finding).map(scale::change).unwrap_or_default(),
    }
}

/// The change as text, with a star if the values of both sides suggest another one.
pub(crate) fn starred_change(finding: &Finding) -> String {
    let star = if differs_from_sides(finding) { "*" } else { "" };
    format!("{}{star}", change_text(finding))
}

/// Whether the duets' change differs noticeably from that of the values of both sides, if it is shown.
pub(crate) fn differs_from_sides(finding: &Finding) -> bool {
    /// Smaller differences, as a share of the threshold, are not mentioned.
    const NOTICEABLE: f64 = 1.0 / 3.0;
    /// A threshold below this one counts as this one.
    const SMALLEST: f64 = 0.01;
    let is_shown = finding.verdict != Verdict::Same || finding.reason == Reason::CertainButSmall;
    let (Some(effect), Some(base), Some(head)) = (finding.effect, finding.base, finding.head) else {
        return false;
    };
    let of_sides = (head.centre / base.centre).ln();
    let is_measured = !finding.duets.is_empty() && finding.reason != Reason::Exact;
    let gap = (of_sides - effect.centre).abs();
    is_shown && is_measured && gap.is_finite() && gap > finding.thresholds.soft.max(SMALLEST) * NOTICEABLE
}

/// The interval as text. Empty if there is none or if it is a single point.
pub(crate) fn interval_text(finding: &Finding) -> String {
    match &finding.effect {
        // A rule with a test but without an interval.
        Some(effect) if effect.lo.is_infinite() && effect.hi.is_infinite() => String::new(),
        Some(effect) if effect.lo < effect.hi || effect.lo.is_nan() => {
            scale::interval(effect.lo.exp_m1(), effect.hi.exp_m1())
        }
        _ => String::new(),
    }
}

/// Number of duets, with the fresh ones separate: `22+8`.
pub(crate) fn duets_text(finding: &Finding) -> String {
    let fresh = usize::try_from(finding.fresh).unwrap_or(0).min(finding.duets.len());
    match finding.duets.len() - fresh {
        0 if fresh == 0 => String::new(),
        screening if fresh == 0 => screening.to_string(),
        screening => format!("{screening}+{fresh}"),
    }
}

/// The two values as text. Either may be missing.
pub(crate) fn values(finding: &Finding) -> (String, String) {
    let unit = &finding.metric.unit;
    let alone = |side: &Summary| scale::value(side.centre, unit);
    match (&finding.base, &finding.head) {
        (Some(base), Some(head)) => scale::pair(base.centre, head.centre, unit),
        (base, head) => {
            (base.as_ref().map(alone).unwrap_or_default(), head.as_ref().map(alone).unwrap_or_default())
        }
    }
}

/// The difference of a count whose change has no percentage.
fn difference(finding: &Finding) -> String {
    match (&finding.base, &finding.head) {
        (Some(base), Some(head)) => format!("{:+}", head.centre - base.centre),
        _ => String::new(),
    }
}

fn change_of_centres(finding: &Finding) -> Option<f64> {
    let (base, head) = (finding.base?.centre, finding.head?.centre);
    (base != 0.0).then(|| head / base - 1.0)
}

/// Size of the change for sorting. Growth from zero is larger than any other.
fn size(finding: &Finding) -> f64 {
    let log_ratio = finding.effect.map(|effect| effect.centre);
    let size = log_ratio.or_else(|| change_of_centres(finding)).unwrap_or(f64::INFINITY).abs();
    if size.is_nan() { 0.0 } else { size }
}

fn rank(verdict: Verdict) -> usize {
    Counts::default().list().iter().position(|(other, _)| *other == verdict).unwrap_or(usize::MAX)
}

/// Changed findings by size, then undecided ones by size, then those that are the same, in the suite's order.
/// Benchmarks that were not measured have no size and come after the undecided ones.
fn sorted<'a>(findings: impl Iterator<Item = &'a Finding>) -> Vec<&'a Finding> {
    let mut list: Vec<&Finding> = findings.collect();
    let place = |finding: &Finding| (rank(finding.verdict), is_unmeasured(finding));
    list.sort_by(|a, b| match place(a).cmp(&place(b)) {
        Ordering::Equal if a.verdict == Verdict::Same || is_unmeasured(a) => Ordering::Equal,
        Ordering::Equal => size(b).total_cmp(&size(a)),
        other => other,
    });
    list
}

/// The number of processes. Metrics of one benchmark share its processes, so each benchmark counts once.
fn processes_of(findings: &[Finding]) -> usize {
    let mut most: BTreeMap<&BenchmarkId, usize> = BTreeMap::new();
    for finding in findings {
        let sides = [&finding.base, &finding.head].into_iter().flatten();
        let processes: usize = sides.map(|side| usize::try_from(side.trials).unwrap_or(0)).sum();
        let known = most.entry(&finding.benchmark).or_default();
        *known = (*known).max(processes);
    }
    most.values().sum()
}

/// The numbers of duets and benchmarks. Metrics of one benchmark share its duets, so each benchmark counts
/// once.
fn duets_and_benchmarks(findings: &[Finding]) -> (usize, usize) {
    let mut most: BTreeMap<&BenchmarkId, usize> = BTreeMap::new();
    for finding in findings {
        let duets = most.entry(&finding.benchmark).or_default();
        *duets = (*duets).max(finding.duets.len());
    }
    (most.values().sum(), most.len())
}

#[cfg(test)]
mod tests {
    use super::{cause_in, telling};

    #[test]
    fn a_failure_is_shown_from_where_it_says_what_went_wrong() {
        let detail =
            "goos: linux\nwarming up\n\nmore\nand more\npanic: oh no\n\ngoroutine 1\nmain.f()\nmain.g()\n";
        assert_eq!(telling(detail, 3), ["panic: oh no", "goroutine 1", "main.f()"]);
        assert_eq!(cause_in(detail), Some("panic: oh no"));
        let unread = "its output cannot be read: Input/output error (os error 5)\none\ntwo\nthree";
        assert_eq!(telling(unread, 2), ["its output cannot be read: Input/output error (os error 5)", "one"]);
        assert_eq!(cause_in("one\ntwo"), None);
        assert_eq!(
            cause_in("Traceback (most recent call last):\n  f()\nValueError: no"),
            Some("ValueError: no")
        );
        assert_eq!(telling("a\nb\n\nc\nd\n", 2), ["c", "d"]);
        assert!(telling("", 4).is_empty());
    }
}
