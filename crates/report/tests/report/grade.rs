use benchwright_analysis::grade::{CLASSES, Cause, Cell, Scores, Stability};
use benchwright_model::Diagnostic;
use benchwright_report::grade::{
    Api, ApiBenchmark, ApiFunction, Extent, GateTrial, GradeReport, SCHEMA, Selection, StabilityTable,
    TriedSlowdown,
};
use benchwright_report::text::TextOptions;
use benchwright_report::{Document, Format};
use serde_json::Value;

use crate::html::check_nesting;
use crate::sample::NASTY;
use crate::schema::Checker;

fn stability(max_spread: f64, cause: Option<Cause>) -> Stability {
    Stability {
        mean: 1e-6,
        max_spread,
        within: Some(max_spread / 3.0),
        between: max_spread / 2.0,
        smallest_change: Some(max_spread / 4.0),
        cause,
    }
}

fn table(title: &str) -> StabilityTable {
    let causes = [
        Some(Cause::TwoModes(0.6)),
        Some(Cause::Drift(0.31)),
        Some(Cause::WarmUp(0.2)),
        Some(Cause::Resolution(0.1)),
        Some(Cause::Allocation(64.0)),
        None,
    ];
    let spreads = [0.62, 0.3, 0.2, 0.12, 0.07, 0.01];
    let rows = NASTY.iter().zip(causes).zip(spreads);
    StabilityTable {
        title: title.into(),
        environment: "two cores".into(),
        runs: 5,
        duets: 20,
        budget: Some(300.0),
        classes: CLASSES.iter().map(|(_, name)| *name).zip([1, 1, 2, 1, 1]).collect(),
        spread_95: 0.3,
        benchmarks: rows
            .map(|((name, cause), spread)| (name.to_string(), stability(spread, cause)))
            .collect(),
        left_out: vec![("Broken<b>".into(), "has results in 4 of 5 runs".into())],
    }
}

fn api() -> Api {
    let function = |address: &str, is_covered| ApiFunction {
        address: address.into(),
        weight: Some(0.25),
        is_covered,
        is_covered_as_published: is_covered,
        real_slowdown: Some(0.31),
    };
    let benchmark = |name: &str| ApiBenchmark { name: name.into(), max_spread: Some(0.02), seconds: 1.5 };
    let scores = Scores { total: 0.25, relative: 0.25, absolute: 0.25 };
    Api {
        slowdown: 0.3,
        slowdown_note: "given".into(),
        functions_note: "named by the user".into(),
        functions: vec![
            function("shop.(*Cart).Add", true),
            function("shop.Vec<T>", false),
            function("shop.Open", false),
            function("shop.Close", false),
        ],
        benchmarks: vec![benchmark("Add"), benchmark("Vec<T>"), benchmark("Unrelated")],
        cells: vec![
            vec![Cell::Seen, Cell::Missed, Cell::Unreached],
            vec![Cell::Unreached, Cell::Missed, Cell::Unreached],
            vec![Cell::Unknown, Cell::Unreached, Cell::Unreached],
            vec![Cell::Unreached; 3],
        ],
        scores: Some(scores),
        published_scores: Some(scores),
        needed: vec![0],
        is_smallest: true,
        curve: vec![(1.5, 1), (4.5, 1)],
        groups: 2,
        seconds: 60.0,
        naive_seconds: 900.0,
        skipped: vec![("shop.init".into(), "no body".into())],
    }
}

/// Every part.
fn whole() -> GradeReport {
    GradeReport {
        title: "main <1f2e3d4>".into(),
        extent: Some(Extent {
            benchmarks: 6,
            packages: 2,
            harnesses: vec![("go".into(), 6)],
            runs: vec![60.0, 61.0, 66.0],
            dearest: vec![("Parse<T>".into(), 0.4)],
            comparison: Some([240.0, 400.0, 900.0]),
            budgets: vec![(60.0, 1), (300.0, 4), (1800.0, 6)],
        }),
        stability: vec![table("here <a>"), table("there")],
        api: Some(api()),
        selection: Some(Selection {
            goal: "as many public functions as possible, in 5m".into(),
            kept: vec!["p:BenchmarkA/n=1+2".into(), "p:Vec<T>".into()],
            seconds: [3.0, 4.5],
            covered: [2, 3],
            lost: vec!["shop.Vec<T>".into()],
            is_best: false,
        }),
        gate: Some(GateTrial {
            function: "shop.(*Cart).Add".into(),
            slowdowns: vec![
                TriedSlowdown { slowdown: 0.05, real: None, failed: 1, tried: 3 },
                TriedSlowdown { slowdown: 0.3, real: Some(0.32), failed: 3, tried: 3 },
                TriedSlowdown { slowdown: 1.0, real: Some(1.01), failed: 3, tried: 3 },
            ],
            false_alarms: (0, 3),
            blind: 1,
            seconds: 42.0,
            settings: "threshold 3%".into(),
        }),
        diagnostics: vec![Diagnostic::warning("x<y>", "is <broken>").hint("mend & <see>")],
        tool_version: "0.1.0".into(),
    }
}

fn show(report: &GradeReport, format: Format, width: Option<usize>) -> String {
    let mut out = Vec::new();
    report.write(format, &TextOptions { width, ..TextOptions::default() }, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn the_text_has_every_part_and_fits() {
    insta::assert_snapshot!("grade-120", show(&whole(), Format::Text, Some(120)));
    for report in [whole(), GradeReport::default()] {
        for width in 48..150 {
            let text = show(&report, Format::Text, Some(width));
            let widest = text.lines().map(unicode_width::UnicodeWidthStr::width).max();
            assert!(widest <= Some(width), "{widest:?} at {width}:\n{text}");
        }
    }
}

#[test]
fn the_document_follows_its_schema() {
    let mut checker = Checker::new(SCHEMA);
    for report in [whole(), GradeReport::default()] {
        let document: Value = serde_json::from_str(&show(&report, Format::Json, None)).unwrap();
        checker.document(&document);
    }
    let document: Value = serde_json::from_str(&show(&whole(), Format::Json, None)).unwrap();
    assert_eq!(document["api"]["functions"][0]["benchmarks"][1], "missed");
    assert_eq!(document["gate"]["smallest_seen"], 0.32);
    assert_eq!(document["stability"][0]["benchmarks"][0]["cause"], "two-modes");
}

#[test]
fn the_page_nests_and_escapes() {
    let page = show(&whole(), Format::Html, None);
    let tags = check_nesting(&page);
    // Seven columns of functions and benchmarks, without the benchmark that calls none of the functions.
    assert_eq!(page.matches("calls it, did not become slower\"").count(), 2, "{tags:?}");
    assert!(!page.contains("Unrelated"), "a benchmark that calls no function has no column");
    assert!(page.contains("Vec&lt;T&gt;") && !page.contains("Vec<T>"));
    check_nesting(&show(&GradeReport::default(), Format::Html, None));
}

#[test]
fn a_gate_is_as_good_as_its_smallest_slowdown_that_always_fails() {
    let tried = |slowdown, failed| TriedSlowdown { slowdown, real: None, failed, tried: 3 };
    let gate =
        |slowdowns: &[TriedSlowdown]| GateTrial { slowdowns: slowdowns.to_vec(), ..GateTrial::default() };
    assert_eq!(gate(&[tried(0.1, 3), tried(0.2, 2), tried(0.4, 3)]).smallest_seen(), Some(0.4));
    assert_eq!(gate(&[tried(0.1, 3), tried(0.2, 3)]).smallest_seen(), Some(0.1));
    assert_eq!(gate(&[tried(0.1, 3), tried(0.2, 0)]).smallest_seen(), None);
}

#[test]
fn the_filter_matches_what_is_kept_and_nothing_else() {
    let kept = Selection { kept: vec!["p:A/n=1+2".into(), "p:B".into()], ..Selection::default() };
    assert_eq!(kept.filter(), r"^(p:A/n=1\+2|p:B)$");
}
