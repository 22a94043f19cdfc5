//! Comparisons to show: one with everything that can occur, one like a real suite.

use std::time::Duration;

use benchwright_model::*;

/// Names that break whatever does not escape.
pub(crate) const NASTY: [&str; 6] = [
    "BenchmarkParse/größe=日本語|pipe",
    "Benchmark<script>alert(\"x\")</script>",
    "BenchmarkQuote's/\"a,b\"/`tick`",
    "BenchmarkEscape/\u{1b}[31mred\u{7}",
    "BenchmarkA&B/]]>/-->",
    "BenchmarkNew\nline/\u{202e}desrever",
];

/// Every reason there is, with the verdict it goes with.
pub(crate) fn reasons() -> Vec<(Verdict, Reason)> {
    let evidence = (812.4, 20.0);
    vec![
        (Verdict::Slower, Reason::Confirmed { evidence: evidence.0, needed: evidence.1, layouts: 7 }),
        (Verdict::Faster, Reason::Confirmed { evidence: 44.0, needed: evidence.1, layouts: 0 }),
        (Verdict::Changed, Reason::Rule { name: "mann-whitney".into() }),
        (Verdict::Undecided, Reason::NotConfirmed { evidence: 3.25, needed: evidence.1, layouts: 1 }),
        (Verdict::Undecided, Reason::ChangedBelowThreshold),
        (Verdict::Undecided, Reason::TooNoisy { duets_needed: Some(130) }),
        (Verdict::Undecided, Reason::OutOfBudget { duets_needed: None }),
        (Verdict::Undecided, Reason::Interrupted),
        (Verdict::Undecided, Reason::Failed { what: "head timed out in 3 of 5 trials".into() }),
        (Verdict::Undecided, Reason::NoRatio),
        (Verdict::Same, Reason::WithinThreshold),
        (Verdict::Same, Reason::CertainButSmall),
        (Verdict::Same, Reason::IdenticalBuild),
        (Verdict::Undecided, Reason::PlacementOnly { as_built: 0.145, layouts: 40 }),
        (Verdict::Undecided, Reason::ChangedNearThreshold),
    ]
}

/// A time finding with made-up numbers around `change`.
pub(crate) fn finding(name: &str, verdict: Verdict, reason: Reason, change: f64) -> Finding {
    let centre = change.ln_1p();
    let effect = Effect { centre, lo: centre - 0.006, hi: centre + 0.006, level: 0.98 };
    let is_measured = reason != Reason::IdenticalBuild;
    let summary = |value: f64, spread: f64| Summary { centre: value, spread, trials: 12 };
    Finding {
        benchmark: BenchmarkId::new("go", "example.com/parse", name),
        metric: Metric::time(),
        fails: verdict == Verdict::Slower,
        accepted: None,
        effect: (is_measured && reason != Reason::NoRatio).then_some(effect),
        base: is_measured.then(|| summary(1.2345e-6, 0.021)),
        head: is_measured.then(|| summary(1.2345e-6 * (1.0 + change), 0.013)),
        duets: if is_measured { noise(12, centre, 0.008, name.len() as u64) } else { Vec::new() },
        fresh: if matches!(reason, Reason::Confirmed { .. } | Reason::NotConfirmed { .. }) { 5 } else { 0 },
        quartets: 0,
        wild: 0.0,
        thresholds: Thresholds { soft: 0.03, hard: 0.03 },
        warnings: Vec::new(),
        verdict,
        reason,
    }
}

/// A comparison in which everything occurs: all verdicts and reasons, nasty names, two packages, counts, numbers
/// that are not finite, failures, diagnostics, an early end.
pub(crate) fn rich() -> Comparison {
    let changes = [0.052, -0.31, 0.4, 0.04, 0.01, 0.02, 0.03, 0.0, 0.0, 0.0, 0.001, 0.011, 0.0, 0.029, 0.028];
    let mut findings: Vec<Finding> = reasons()
        .into_iter()
        .zip(changes)
        .enumerate()
        .map(|(index, ((verdict, reason), change))| {
            let plain = format!("BenchmarkSort/n={}", 10_u32.pow(index as u32 % 6) + index as u32);
            finding(NASTY.get(index).copied().unwrap_or(&plain), verdict, reason, change)
        })
        .collect();
    findings[0].warnings.push("The clock has a resolution of 1 ms.".into());
    findings[0].wild = 0.083;
    findings[2].metric = Metric::custom("hits|s");
    findings[5].benchmark.package = "example.com/<other>".into();
    findings[6].effect = Some(Effect { centre: 0.03, lo: f64::NEG_INFINITY, hi: f64::INFINITY, level: 0.98 });
    findings[6].duets = vec![0.03, f64::NAN];
    findings[7].thresholds.hard = f64::INFINITY;
    findings.extend(counts());
    Comparison {
        run: run(),
        rule: "paired".into(),
        rule_note: "20 % trimmed mean of paired log-ratios of processes".into(),
        findings,
        added: vec![BenchmarkId::new("go", "example.com/parse", "BenchmarkNew")],
        removed: vec![BenchmarkId::new("go", "example.com/parse", "BenchmarkOld|<b>")],
        failures: failures(),
        diagnostics: vec![
            Diagnostic::warning("machine", "the processor's frequency is not fixed")
                .hint("run `doctor` <now>"),
            Diagnostic::error("benchwright.toml", "unknown key `tresholds`").at(3, 1),
        ],
        is_partial: true,
    }
}

/// Results that were measured apart: no duets, and the reasons that go with that.
pub(crate) fn apart() -> Comparison {
    let reasons = [
        (Verdict::Slower, Reason::RankTest { p: 0.000_21 }, 0.08),
        (Verdict::Undecided, Reason::FewProcesses { processes: 10, needed: Some(44) }, 0.02),
        (Verdict::Undecided, Reason::TooCoarse { step: 0.083 }, 0.0),
        (Verdict::Undecided, Reason::OneProcess, 0.3),
        (Verdict::Undecided, Reason::SummaryOnly, 0.1),
    ];
    let findings = reasons.into_iter().enumerate().map(|(index, (verdict, reason, change))| Finding {
        duets: Vec::new(),
        ..finding(&format!("BenchmarkRead/{index}"), verdict, reason, change)
    });
    Comparison {
        rule: "processes".into(),
        rule_note: "measured apart, not in duets".into(),
        findings: findings.collect(),
        added: Vec::new(),
        removed: Vec::new(),
        failures: Vec::new(),
        diagnostics: vec![Diagnostic::warning("", "one process per side: nothing is known")],
        is_partial: false,
        run: Run { base: Some(run().head), ended_at: None, ..run() },
    }
}

fn counts() -> Vec<Finding> {
    let count = |name: &str, metric: Metric, verdict, reason, base: f64, head: f64| {
        let summary = |centre| Summary { centre, spread: 0.0, trials: 12 };
        let ratio = (head / base).ln();
        let effect = Effect { centre: ratio, lo: ratio, hi: ratio, level: 1.0 };
        Finding {
            metric,
            base: Some(summary(base)),
            head: Some(summary(head)),
            effect: ratio.is_finite().then_some(effect),
            fails: false,
            accepted: None,
            duets: Vec::new(),
            thresholds: Thresholds { soft: 0.01, hard: f64::INFINITY },
            ..finding(name, verdict, reason, 0.0)
        }
    };
    let (bytes, allocations) = (Metric::bytes_per_op, Metric::allocations_per_op);
    vec![
        count("BenchmarkSort/n=10006", bytes(), Verdict::Slower, Reason::Exact, 0.0, 48.0),
        count("BenchmarkSort/n=10006", allocations(), Verdict::Faster, Reason::Exact, 3.0, 0.0),
        count("BenchmarkSort/n=17", bytes(), Verdict::Slower, Reason::Exact, 1_000_000.0, 1_000_001.0),
        count("BenchmarkSort/n=17", allocations(), Verdict::Same, Reason::Exact, 7.0, 7.0),
        count("BenchmarkSort/n=108", bytes(), Verdict::Undecided, Reason::Informational, 90.0, 91.0),
    ]
}

fn failures() -> Vec<FailureSummary> {
    let kinds = [
        FailureKind::NotStarted,
        FailureKind::ExitStatus(2),
        FailureKind::Signal(11),
        FailureKind::TimedOut,
        FailureKind::NoResult,
        FailureKind::BadValue,
        FailureKind::TooMuchOutput,
        FailureKind::Interrupted,
        FailureKind::TooMuchMemory(2_000_000_000),
    ];
    let failure = |(index, kind): (usize, &FailureKind)| FailureSummary {
        benchmark: BenchmarkId::new("go", "example.com/parse", format!("BenchmarkBroken/{index}")),
        side: Side::BOTH[index % 2],
        trials: index as u32 + 1,
        kind: *kind,
        detail: if index == 1 {
            "panic: ]]> <oh> \u{1b}[1mno\n\ngoroutine 1 [running]:\nmain.f()".into()
        } else {
            String::new()
        },
    };
    kinds.iter().enumerate().map(failure).collect()
}

/// What is known about a run beside its findings.
pub(crate) fn run() -> Run {
    let facts = [
        ("arch", "x86_64"),
        ("cores", "8"),
        ("cpu", "AMD EPYC 7B13"),
        ("memory", "32 GiB"),
        ("os", "linux 6.1"),
        ("go", "go1.26.8"),
    ];
    let pairs =
        |list: &[(&str, &str)]| list.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    let version = |label: &str, commit: &str, dirty, subject: &str| Version {
        label: label.into(),
        commit: Some(commit.into()),
        tree: commit.into(),
        dirty,
        subject: subject.into(),
    };
    Run {
        id: RunId("20260301-120000-ab12".into()),
        kind: RunKind::Compare,
        command: ["benchwright", "compare", "main"].map(String::from).to_vec(),
        started_at: Timestamp(1_772_366_400_000_000),
        ended_at: Some(Timestamp(1_772_366_472_000_000)),
        seed: 42,
        base: Some(version(
            "main",
            "1f2e3d4c5b6a79880123456789abcdef01234567",
            false,
            "Reuse <buffers> in the parser",
        )),
        head: version("working tree", "9a8b7c6d5e4f30210123456789abcdef01234567", true, ""),
        environment: Environment { facts: pairs(&facts) },
        tool_version: "0.1.0".into(),
        settings: pairs(&[("duets", "5..40"), ("threshold", "0.03")]),
    }
}

/// A suite of `n` benchmarks in two packages as a real run would leave it, with its trials.
pub(crate) fn suite(n: usize) -> (Comparison, Vec<Trial>) {
    let kinds = [
        "Encode",
        "Decode",
        "Scan",
        "Compact",
        "Indent",
        "Valid",
        "Marshal",
        "Unmarshal",
        "Number",
        "Stream",
    ];
    let mut findings = Vec::new();
    let mut trials = Vec::new();
    for index in 0..n {
        let (verdict, reason, change, spread) = story(index);
        let size = ["small", "medium", "large", "unicode"][index / kinds.len() % 4];
        let name = format!("Benchmark{}/{size}", kinds[index % kinds.len()]);
        let mut finding = finding(&name, verdict, reason, change);
        finding.benchmark.package =
            if index % 3 == 0 { "encoding/json/v2" } else { "encoding/json" }.to_owned();
        if finding.reason != Reason::IdenticalBuild {
            let count = match verdict {
                Verdict::Same => 7,
                Verdict::Undecided => 40,
                _ => 18,
            };
            finding.fresh = if verdict == Verdict::Slower || verdict == Verdict::Faster { 8 } else { 0 };
            finding.duets = noise(count, change.ln_1p(), spread, index as u64 + 9);
            let half = 2.6 * spread / (count as f64).sqrt();
            let centre = change.ln_1p();
            finding.effect = Some(Effect { centre, lo: centre - half, hi: centre + half, level: 0.98 });
            let base = 180e-9 * 1.7_f64.powi(index as i32 % 17);
            finding.base = Some(Summary { centre: base, spread: spread * 0.8, trials: count as u32 });
            finding.head = Some(Summary { centre: base * (1.0 + change), spread, trials: count as u32 });
            trials.extend(trials_of(&finding, base));
        }
        findings.push(finding);
    }
    let renamed = counts()
        .into_iter()
        .zip([1, 3, 5, 7, 8])
        .map(|(count, index)| Finding { benchmark: findings[index].benchmark.clone(), ..count });
    findings.extend(renamed.collect::<Vec<_>>());
    let partial = Comparison { findings, is_partial: false, ..rich() };
    (Comparison { failures: partial.failures[1..2].to_vec(), ..partial }, trials)
}

fn story(index: usize) -> (Verdict, Reason, f64, f64) {
    let confirmed = Reason::Confirmed { evidence: 412.0, needed: 20.0, layouts: 5 };
    match index {
        3 => (Verdict::Slower, confirmed, 0.342, 0.012),
        8 => (Verdict::Slower, confirmed, 0.0521, 0.007),
        11 => (Verdict::Slower, confirmed, 1.9, 0.03),
        5 => (Verdict::Faster, confirmed, -0.284, 0.01),
        17 => (Verdict::Faster, confirmed, -0.061, 0.009),
        13 => (Verdict::Undecided, Reason::TooNoisy { duets_needed: Some(130) }, 0.021, 0.11),
        14 => (
            Verdict::Undecided,
            Reason::NotConfirmed { evidence: 3.4, needed: 20.0, layouts: 10 },
            0.034,
            0.03,
        ),
        i if i % 7 == 6 => (Verdict::Same, Reason::IdenticalBuild, 0.0, 0.0),
        i => (Verdict::Same, Reason::WithinThreshold, (i as f64 * 1.7).sin() * 0.006, 0.009),
    }
}

/// The trials whose ratios are the finding's duets.
pub(crate) fn trials_of(finding: &Finding, base: f64) -> Vec<Trial> {
    let drift = noise(finding.duets.len(), 0.0, 0.01, 77 + finding.benchmark.name.len() as u64);
    let halves = finding.duets.iter().zip(drift).enumerate().flat_map(|(index, (log_ratio, drift))| {
        let level = base * (1.0 + drift);
        [(Side::Base, level), (Side::Head, level * log_ratio.exp())]
            .map(|(side, value)| trial(&finding.benchmark, side, index as u32, value))
    });
    halves.collect()
}

/// A trial of five iterations around `value`, the first of them warm-up.
pub(crate) fn trial(benchmark: &BenchmarkId, side: Side, index: u32, value: f64) -> Trial {
    let series = |metric, values: Vec<f64>| Series { metric, values, resolution: 0.0 };
    let values = [3.0, 0.99, 1.0, 1.01, 1.0].iter().map(|factor| factor * value).collect();
    Trial {
        benchmark: benchmark.clone(),
        side,
        position: Position::Duet { index, attempt: 0, first: index.is_multiple_of(2) },
        phase: Phase::Screening,
        layout: None,
        instance: None,
        started_at: Timestamp(1_772_366_400_000_000 + i64::from(index) * 1_000_000),
        usage: Usage { wall: Duration::from_millis(900), ..Usage::default() },
        stopped: None,
        outcome: Outcome::Measured(Measurement {
            warmup: 1,
            operations: vec![1000; 5],
            series: vec![
                series(Metric::time(), values),
                series(Metric::bytes_per_op(), vec![48.0; 5]),
                series(Metric::bytes_per_second(), vec![2.5e6; 5]),
                series(Metric::custom("p99 ns"), vec![12.5; 5]),
            ],
            sample_kind: Some(SampleKind::Slices),
        }),
    }
}

/// The same under a stop rule that took so many seconds to warm up and to measure.
pub(crate) fn stopped(trial: Trial, end: WarmupEnd, warmup: u64, measured: u64) -> Trial {
    let stopped = Stopped {
        rule: "learned".into(),
        end,
        reason: match end {
            WarmupEnd::Steady => "more iterations would not bring the mean closer to the steady one".into(),
            WarmupEnd::Unsteady | WarmupEnd::Fixed => "30 s of warm-up had passed".into(),
        },
        after: Some(5),
        warmup_time: Duration::from_secs(warmup),
        measured_time: Duration::from_secs(measured),
        configured: Some(Configured { time: Duration::from_secs(100), processes: 5 }),
        enough: None,
    };
    Trial { stopped: Some(stopped), ..trial }
}

/// Numbers that look random and are the same everywhere; roughly normal.
pub(crate) fn noise(n: usize, centre: f64, spread: f64, seed: u64) -> Vec<f64> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut uniform = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    (0..n).map(|_| centre + spread * ((0..6).map(|_| uniform()).sum::<f64>() - 3.0) * 1.4).collect()
}
