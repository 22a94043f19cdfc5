use benchwright_model::{
    BenchmarkId, Comparison, Effect, FailureKind, FailureSummary, Finding, Metric, Nature, Reason, Run, Side,
    Summary, Verdict, Version,
};
use benchwright_report::text::{TextOptions, write};
use unicode_width::UnicodeWidthStr;

use crate::sample;

fn show(comparison: &Comparison, width: Option<usize>, all: bool) -> String {
    let mut out = Vec::new();
    write(comparison, &TextOptions { width, colour: false, all }, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn everything_that_can_occur_is_shown() {
    insta::assert_snapshot!("text-rich-120", show(&sample::rich(), Some(120), false));
    insta::assert_snapshot!("text-rich-70", show(&sample::rich(), Some(70), false));
}

#[test]
fn an_accepted_slowdown_is_shown_with_its_reason() {
    let reason = Reason::Confirmed { evidence: 40.0, needed: 20.0, layouts: 0 };
    let accepted = Some("checks its input now".to_owned());
    let slower = sample::finding("BenchmarkParse", Verdict::Slower, reason, 0.1);
    let finding = Finding { accepted, fails: false, ..slower };
    let comparison = Comparison { findings: vec![finding], ..sample::rich() };
    let text = show(&comparison, Some(120), false);
    assert!(text.contains("slower (accepted)"), "{text}");
    assert!(text.contains("checks its input now"), "{text}");
}

#[test]
fn a_line_says_how_many_were_judged_four_duets_at_a_time() {
    let mut comparison = sample::rich();
    let said = "judged four duets at a time: single ones vary more";
    assert!(!show(&comparison, None, false).contains(said));
    comparison.findings[0].quartets = 7;
    let text = show(&comparison, None, false);
    assert!(text.contains(&format!("1 benchmark {said}")), "{text}");
    comparison.findings[1].quartets = 24;
    let text = show(&comparison, None, false);
    assert!(text.contains(&format!("2 benchmarks {said}")), "{text}");
}

#[test]
fn a_suite_folds_what_is_the_same() {
    let (comparison, _) = sample::suite(41);
    insta::assert_snapshot!("text-suite-110", show(&comparison, Some(110), false));
    let folded = show(&comparison, None, false);
    assert!(folded.contains("… and 34 the same (--all shows them)"), "{folded}");
    let all = show(&comparison, None, true);
    assert!(!all.contains("--all"), "{all}");
    assert_eq!(all.lines().filter(|line| line.ends_with(" same")).count(), 30);
    assert_eq!(all.lines().filter(|line| line.ends_with("same (identical build)")).count(), 4);
}

#[test]
fn what_is_measured_is_no_count() {
    let (suite, _) = sample::suite(41);
    let of_command = |metric: &str, (base, head): (f64, f64), clear: bool| {
        let metric = Metric { nature: Nature::Measured, ..Metric::custom(metric) };
        let effect =
            Effect { centre: (head / base).ln(), lo: if clear { 0.01 } else { -1.0 }, hi: 1.0, level: 0.98 };
        let summary = |centre| Some(Summary { centre, spread: 0.01, trials: 5 });
        let (base, head, effect) = (summary(base), summary(head), Some(effect));
        let (verdict, reason) = (Verdict::Undecided, Reason::Informational);
        Finding { metric, base, head, effect, verdict, reason, ..suite.findings[0].clone() }
    };
    let with = |mut more: Vec<Finding>| {
        let mut comparison = suite.clone();
        comparison.findings.retain(|finding| finding.metric.is_main());
        comparison.findings.append(&mut more);
        show(&comparison, None, false)
    };
    let quiet =
        || vec![of_command("user-s", (1.0, 1.001), false), of_command("system-s", (1.0, 1.001), false)];
    let text = with(quiet());
    assert!(text.contains("2 other metrics without a visible change") && !text.contains("count"), "{text}");
    let moved = with([quiet(), vec![of_command("peak-B", (1.0, 2.0), true)]].concat());
    assert!(moved.contains("\nother metric") && moved.contains("2 other metrics without"), "{moved}");
    let mut steady = of_command("peak-B", (1.0, 1.0), false);
    (steady.verdict, steady.reason) = (Verdict::Same, Reason::Exact);
    let text = with(vec![steady]);
    assert!(text.contains("1 other metric unchanged"), "{text}");
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    let (suite, _) = sample::suite(41);
    for comparison in [sample::rich(), suite] {
        for width in 20..200 {
            for line in show(&comparison, Some(width), true).lines() {
                assert!(line.width() <= width, "{} > {width}: {line}", line.width());
            }
        }
    }
}

#[test]
fn columns_leave_in_order() {
    let check = |width: usize, expected: &str| {
        let text = show(&sample::suite(41).0, Some(width), false);
        let heading = text.lines().find(|line| line.starts_with("benchmark")).unwrap();
        assert_eq!(heading.split_whitespace().collect::<Vec<_>>().join(" "), expected, "at {width}");
    };
    check(120, "benchmark base ± head ± Δ [interval] duets verdict");
    check(85, "benchmark base ± head ± Δ duets verdict");
    check(70, "benchmark base head Δ duets verdict");
    check(58, "benchmark head Δ duets verdict");
    check(44, "benchmark Δ verdict");
}

#[test]
fn colour_changes_no_letter() {
    let (comparison, _) = sample::suite(41);
    let mut out = Vec::new();
    write(&comparison, &TextOptions { width: Some(100), colour: true, all: true }, &mut out).unwrap();
    let coloured = String::from_utf8(out).unwrap();
    assert!(coloured.contains("\u{1b}[1m\u{1b}[31m"), "slower is red");
    let mut plain = String::new();
    for part in coloured.split('\u{1b}') {
        let text =
            part.strip_prefix('[').and_then(|rest| rest.split_once('m')).map_or(part, |(_, text)| text);
        plain.push_str(text);
    }
    assert_eq!(plain, show(&comparison, Some(100), true));
}

#[test]
fn names_cannot_control_the_terminal() {
    let text = show(&sample::rich(), None, true);
    assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
    assert!(!text.contains('\u{202e}'));
}

#[test]
fn changed_rows_come_first_and_the_largest_on_top() {
    let name = |index: usize| format!("B{index}");
    let make = |index: usize, verdict, change| -> Finding {
        sample::finding(&name(index), verdict, Reason::Rule { name: "x".into() }, change)
    };
    let findings = vec![
        make(0, Verdict::Same, 0.0),
        make(1, Verdict::Faster, -0.1),
        make(2, Verdict::Slower, 0.05),
        make(3, Verdict::Undecided, 0.9),
        make(4, Verdict::Slower, 0.5),
        make(5, Verdict::Faster, -0.6),
    ];
    let comparison = Comparison { findings, ..sample::rich() };
    let text = show(&comparison, None, false);
    let order: Vec<&str> = text
        .lines()
        .filter_map(|l| l.split_whitespace().next())
        .filter(|w| w.len() == 2 && w.starts_with('B'))
        .collect();
    assert_eq!(order, ["B4", "B2", "B5", "B1", "B3", "B0"]);
}

/// A suite in which little was decided: 30 undecided ones, of which the time ran out for most, and 40 that were not measured.
fn unfinished() -> Comparison {
    let open = |index: usize| {
        let reason = match index {
            0..20 => Reason::OutOfBudget { duets_needed: Some(index as u32 + 7) },
            20..28 => Reason::TooNoisy { duets_needed: Some(index as u32 + 90) },
            _ => Reason::NotConfirmed { evidence: index as f64 / 9.0, needed: 20.0, layouts: 3 },
        };
        sample::finding(&format!("Open{index:02}"), Verdict::Undecided, reason, 0.001 * index as f64)
    };
    let unmeasured = |index: usize| Finding {
        effect: None,
        base: None,
        head: None,
        duets: Vec::new(),
        ..sample::finding(
            &format!("Never{index:02}"),
            Verdict::Undecided,
            Reason::OutOfBudget { duets_needed: None },
            0.0,
        )
    };
    let findings = (0..30).map(open).chain((0..40).map(unmeasured)).collect();
    Comparison { findings, failures: Vec::new(), ..sample::rich() }
}

#[test]
fn many_undecided_rows_are_sorted_capped_and_counted_by_reason() {
    let text = show(&unfinished(), Some(120), false);
    let rows: Vec<&str> = text.lines().filter(|line| line.starts_with("Open")).collect();
    assert_eq!(rows.len(), 20, "{text}");
    assert!(rows[0].starts_with("Open29") && rows[19].starts_with("Open10"), "{text}");
    assert!(text.contains("… and 10 more undecided (--all shows them)"), "{text}");
    assert!(text.contains("  20 benchmarks: the time budget ran out\n"), "{text}");
    assert!(text.contains("  8 benchmarks: too noisy for the duets allowed\n"), "{text}");
    assert!(text.contains("  2 benchmarks: suspects not confirmed by fresh duets\n"), "{text}");
    assert!(text.contains("evidence of 20: unchanged code reaches it in at most 1 of 20 cases"), "{text}");
    let all = show(&unfinished(), Some(120), true);
    assert_eq!(all.lines().filter(|line| line.starts_with("Open")).count(), 30, "{all}");
    assert!(all.contains("Open28: suspect not confirmed by fresh duets in 3 random code layouts"), "{all}");
}

#[test]
fn what_was_not_measured_is_folded() {
    let text = show(&unfinished(), Some(120), false);
    assert!(text.contains("… and 40 not measured (--all shows them)"), "{text}");
    let named =
        "\nnot measured\n  40 benchmarks: the time budget ran out (Never00, Never01, Never02 and 37 more)\n";
    assert!(text.contains(named), "{text}");
    assert!(text.lines().all(|line| !line.starts_with("Never")), "{text}");
    let all = show(&unfinished(), Some(120), true);
    assert_eq!(all.lines().filter(|line| line.starts_with("Never")).count(), 40, "{all}");
}

#[test]
fn shorthand_is_explained_where_it_occurs() {
    let text = |findings: Vec<Finding>| show(&Comparison { findings, ..sample::rich() }, None, false);
    let small = || sample::finding("Small", Verdict::Same, Reason::CertainButSmall, -0.023);
    let excluded = "same, though the interval excludes 0: a change below the threshold, or chance";
    let both = text(vec![small(), small()]);
    assert_eq!(both.matches(excluded).count(), 1, "once, not per row: {both}");
    assert!(both.contains("± their spread") && !both.contains("fresh ones for"), "{both}");
    let plain = text(vec![sample::finding("Plain", Verdict::Same, Reason::WithinThreshold, 0.0)]);
    assert!(!plain.contains(excluded), "{plain}");
    let confirmed = Reason::Confirmed { evidence: 40.0, needed: 20.0, layouts: 0 };
    let slower = text(vec![sample::finding("Slow", Verdict::Slower, confirmed, 0.1)]);
    assert!(slower.contains("duets 7+5: 7 for screening, 5 fresh ones for confirmation; these give the interval of slower and faster"), "{slower}");
    let reason = Reason::Confirmed { evidence: 40.0, needed: 20.0, layouts: 5 };
    let mut placed = sample::finding("Slow", Verdict::Slower, reason, 0.1);
    placed.base = placed.base.map(|base| Summary { trials: 5, ..base });
    let placed = text(vec![placed]);
    assert!(placed.contains("5 fresh ones for confirmation; these give all numbers of the row"), "{placed}");
    assert!(slower.contains("same: the whole interval is within ±3%"), "the rule in a sentence: {slower}");
    assert!(slower.contains("1 finding at or beyond the hard threshold of 3%"), "{slower}");
}

#[test]
fn a_metric_without_a_threshold_is_not_judged() {
    let metric = Metric { nature: Nature::Measured, ..Metric::custom("cpu-time") };
    let reason = Reason::Informational;
    let moved = sample::finding("Parse", Verdict::Undecided, reason, 0.12);
    let findings = vec![Finding { metric, ..moved }];
    let text = show(&Comparison { findings, ..sample::rich() }, None, false);
    assert!(text.contains("not judged") && !text.contains("varies"), "{text}");
    assert!(text.contains("not judged: no threshold is set for this metric"), "{text}");
}

#[test]
fn an_empty_comparison_says_so_in_its_last_line() {
    let empty = Comparison {
        findings: vec![],
        added: vec![],
        removed: vec![],
        failures: vec![],
        diagnostics: vec![],
        is_partial: false,
        ..sample::rich()
    };
    let text = show(&empty, Some(80), false);
    assert!(text.ends_with("0 slower · 0 benchmarks · 0 duets · 1m 12s · seed 42\n"), "{text}");
}

#[test]
fn a_failure_names_its_version_and_shows_its_words() {
    let text = show(&sample::rich(), None, false);
    let failure = &sample::rich().failures[1];
    assert_eq!(failure.side, Side::Head);
    assert!(text.contains("BenchmarkBroken/1: 2 failed trials on head: exited with status 2"), "{text}");
    assert!(text.contains("    │ goroutine 1 [running]:"), "{text}");
}

#[test]
fn a_benchmark_without_a_duet_is_not_measured_and_never_undecided() {
    let budget = || Reason::OutOfBudget { duets_needed: None };
    let measured = sample::finding("BenchmarkCut", Verdict::Undecided, budget(), 0.5);
    let never = Finding {
        effect: None,
        base: None,
        head: None,
        duets: Vec::new(),
        ..sample::finding("BenchmarkLeft", Verdict::NotMeasured, budget(), 0.0)
    };
    let comparison = Comparison { findings: vec![measured, never], failures: Vec::new(), ..sample::rich() };
    let text = show(&comparison, Some(120), false);
    assert!(text.contains("0 slower, 1 undecided, 1 not measured"), "{text}");
    assert!(text.contains("\nnot measured\n  Left: the time budget ran out\n"), "{text}");
    let written = |format: benchwright_report::Format| {
        let mut out = Vec::new();
        format.write(&comparison, &[], &TextOptions::default(), &mut out).unwrap();
        String::from_utf8(out).unwrap()
    };
    let check = |format: &str, expected: &[&str]| {
        let text = written(format.parse().unwrap());
        for part in expected {
            assert!(text.contains(part), "no {part} in {format}: {text}");
        }
    };
    check("markdown", &["**0 slower, 1 undecided, 1 not measured**", "Not measured (1)"]);
    check("json", &["\"not_measured\": 1", "\"verdict\": \"not_measured\""]);
    check("csv", &["BenchmarkLeft,time,seconds,lower,not_measured,out_of_budget"]);
    check("junit", &["<skipped message=\"not measured: the time budget ran out\"/>"]);
    check(
        "html",
        &[
            "<summary>1 benchmark not measured</summary>",
            "<b>1</b> not measured",
            "<h3>1: the time budget ran out</h3>",
        ],
    );
}

#[test]
fn a_version_against_itself_has_no_small_change() {
    let plain = sample::rich();
    let head = Version { commit: Some("9a8b7c6d5".into()), tree: "t".into(), ..plain.run.head.clone() };
    let run = Run { base: Some(head.clone()), head, ..plain.run.clone() };
    let small = sample::finding("Small", Verdict::Same, Reason::CertainButSmall, -0.023);
    let text = show(&Comparison { run, findings: vec![small], ..plain }, None, false);
    let line = "same, though the interval excludes 0: chance, since base and head are the same";
    assert!(text.contains(line) && !text.contains("a change below"), "{text}");
}

#[test]
fn a_change_that_differs_from_its_columns_has_a_star_and_the_star_a_line() {
    let reason = Reason::Confirmed { evidence: 40.0, needed: 20.0, layouts: 0 };
    let mut slow = sample::finding("Slow", Verdict::Slower, reason, 0.1);
    let text =
        |slow: &Finding| show(&Comparison { findings: vec![slow.clone()], ..sample::rich() }, None, false);
    assert!(!text(&slow).contains('*'), "{}", text(&slow));
    slow.head = slow.head.map(|head| Summary { centre: head.centre * 1.02, ..head });
    let starred = text(&slow);
    assert!(
        starred.contains("+10.00%* ") && starred.contains("*: Δ is not head / base of the same row"),
        "{starred}"
    );
}

#[test]
fn identical_builds_alone_have_no_mean() {
    let same = || sample::finding("Same", Verdict::Same, Reason::IdenticalBuild, 0.0);
    let plain = || Finding { effect: None, base: None, head: None, duets: Vec::new(), ..same() };
    let text = show(&Comparison { findings: vec![plain(), plain()], ..sample::rich() }, None, false);
    assert!(!text.contains("geomean"), "{text}");
}

#[test]
fn failures_are_capped_and_told_once_for_both_sides() {
    let failure = |index: usize, side| FailureSummary {
        benchmark: BenchmarkId::new("go", "p", format!("BenchmarkBroken{index:02}")),
        side,
        trials: 3,
        kind: FailureKind::NoResult,
        detail: "goos: linux\ngoarch: amd64\npanic: oh no".into(),
    };
    let failures = (0..30).flat_map(|index| Side::BOTH.map(|side| failure(index, side))).collect();
    let comparison = Comparison { failures, ..sample::rich() };
    let text = show(&comparison, None, false);
    let line = "p:BenchmarkBroken00: 3 failed trials on base, 3 on head: printed no result; fails alike in both versions";
    assert!(text.contains(line) && text.contains("… and 20 more"), "{text}");
    assert_eq!(text.matches("panic: oh no").count(), 10, "{text}");
    assert!(!text.contains("goos"), "{text}");
    assert_eq!(show(&comparison, None, true).matches("panic: oh no").count(), 30);
}
