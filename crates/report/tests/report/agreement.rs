use benchwright_analysis::agree::{Reading, Repeats, TwoRuns};
use benchwright_model::{Diagnostic, Finding, Reason, Verdict};
use benchwright_report::agreement::{AgreementReport, COLUMNS, ComparedRun, SCHEMA, WantedInterval};
use benchwright_report::text::TextOptions;
use benchwright_report::{Document, Format};
use serde_json::Value;

use crate::sample::{NASTY, finding};
use crate::schema::Checker;

fn reading(name: &str, verdict: Verdict, percent: f64) -> Reading {
    let reason = Reason::WithinThreshold;
    Reading::of_finding(&finding(name, verdict, reason, percent / 100.0)).unwrap()
}

fn title(title: &str, run: Option<&str>) -> ComparedRun {
    ComparedRun { title: title.into(), run: run.map(str::to_owned) }
}

/// All four ways to agree or not, and benchmarks that only one run has.
fn plain() -> AgreementReport {
    let first = vec![
        reading("BenchmarkBoth", Verdict::Slower, 5.0),
        reading("BenchmarkNeither", Verdict::Same, 0.1),
        reading("BenchmarkPossible/size=large", Verdict::Slower, 4.0),
        reading("BenchmarkTurned", Verdict::Faster, -10.0),
        reading("BenchmarkGone", Verdict::Same, 0.0),
    ];
    let second = vec![
        reading("BenchmarkBoth", Verdict::Slower, 5.2),
        reading("BenchmarkNeither", Verdict::Undecided, 0.3),
        reading("BenchmarkPossible/size=large", Verdict::Undecided, 3.0),
        reading("BenchmarkTurned", Verdict::Slower, 6.0),
        reading("BenchmarkNew", Verdict::Same, 0.0),
    ];
    AgreementReport {
        runs: [
            title("main (1f2e3d4) → working tree, run 20261115-100000-ab12", Some("20261115-100000-ab12")),
            title("main (1f2e3d4) → working tree, run 20261115-110000-cd34", Some("20261115-110000-cd34")),
        ],
        by: "verdicts of the rule `paired`".into(),
        found: TwoRuns::of(first, second),
        wanted: WantedInterval::FirstRun,
        repeats: vec![
            [None, Some(Repeats::Enough(7))],
            [None, Some(Repeats::About(160))],
            [None, Some(Repeats::Unknown)],
            [None, None],
        ],
        is_same_code: false,
        diagnostics: Vec::new(),
        tool_version: "0.1.0".into(),
    }
}

/// Names that break whatever does not escape, a wanted size, the same code, an identical build.
fn rich() -> AgreementReport {
    let verdicts = [Verdict::Slower, Verdict::Same, Verdict::Undecided, Verdict::Faster, Verdict::Changed];
    let of = |shift: usize| -> Vec<Reading> {
        let one = |(at, name): (usize, &&str)| {
            reading(name, verdicts[(at + shift) % 5], if at % 2 == 0 { 4.0 } else { -120.0 / 7.0 })
        };
        let mut all: Vec<Reading> = NASTY.iter().enumerate().map(one).collect();
        let identical = Finding {
            effect: None,
            ..finding("BenchmarkIdentical", Verdict::Same, Reason::IdenticalBuild, 0.0)
        };
        all.extend(Reading::of_finding(&identical));
        all
    };
    let found = TwoRuns::of(of(0), of(1));
    AgreementReport {
        runs: [title("a<b>.json", None), title("b|c.json", None)],
        repeats: vec![[Some(Repeats::Enough(12)), Some(Repeats::About(90))]; found.pairs.len()],
        found,
        wanted: WantedInterval::Size(0.02),
        is_same_code: true,
        diagnostics: vec![Diagnostic::error("x<y>.csv", "is <broken>").at(3, 4).hint("mend & <see>")],
        ..plain()
    }
}

/// Nothing in common but one benchmark that agrees.
fn agreeing() -> AgreementReport {
    let one = vec![reading("BenchmarkOne", Verdict::Same, 0.1)];
    AgreementReport { found: TwoRuns::of(one.clone(), one), repeats: vec![[None, None]], ..plain() }
}

fn show(report: &AgreementReport, format: Format, width: Option<usize>) -> String {
    let mut out = Vec::new();
    report.write(format, &TextOptions { width, ..TextOptions::default() }, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn the_table_says_who_found_what_and_whether_they_agree() {
    insta::assert_snapshot!("agreement-140", show(&plain(), Format::Text, Some(140)));
    insta::assert_snapshot!("agreement-60", show(&plain(), Format::Text, Some(60)));
    for report in [plain(), rich(), agreeing()] {
        for width in 20..150 {
            let text = show(&report, Format::Text, Some(width));
            let widest = text.lines().map(unicode_width::UnicodeWidthStr::width).max();
            assert!(widest <= Some(width), "{widest:?} at {width}:\n{text}");
        }
    }
}

#[test]
fn totals_are_counted_by_hand() {
    let text = show(&plain(), Format::Text, None);
    for part in [
        "2 of 4 (50.00%): 1 with the same change, 1 without one; 1 opposite, 1 possible",
        "2 changes: median 7.00%, 75th percentile 8.50%, largest 10.00%",
        "the second run's interval becomes as small as the first's: 1 of 3 (33.33%), half of these with 7 results",
    ] {
        assert!(text.contains(part), "no {part} in\n{text}");
    }
    assert!(!text.contains("A/A"));
    let text = show(&rich(), Format::Text, None);
    assert!(text.contains("base and head are the same code: false alarms"), "{text}");
    assert!(text.contains("intervals of 2% are reached: first 7 of 7 (100.00%), half of these with 12 results; second 0 of 7"), "{text}");
}

#[test]
fn documents_follow_the_published_schema() {
    let mut checker = Checker::new(SCHEMA);
    for report in [plain(), rich(), agreeing()] {
        let document: Value = serde_json::from_str(&show(&report, Format::Json, None)).unwrap();
        checker.document(&document);
        assert_eq!(document["schema"], "benchwright.agreement/1");
        assert_eq!(document["benchmarks"].as_array().unwrap().len(), report.found.pairs.len());
    }
    checker.has_seen_everything();
    let document: Value = serde_json::from_str(&show(&plain(), Format::Json, None)).unwrap();
    assert_eq!(document["totals"]["agreement"], 0.5);
    assert_eq!(document["benchmarks"][0]["second"]["needed"]["results"], 7);
    assert_eq!(document["benchmarks"][2]["agreement"], "possible");
}

#[test]
fn rows_for_programs_have_every_column() {
    let text = show(&rich(), Format::Csv, None);
    assert_eq!(text.split("\r\n").next().unwrap(), COLUMNS.join(","));
    let text = show(&plain(), Format::Csv, None);
    let rows: Vec<Vec<&str>> = text.split_terminator("\r\n").map(|line| line.split(',').collect()).collect();
    assert!(rows.len() == 5 && rows.iter().all(|row| row.len() == COLUMNS.len()), "{rows:?}");
    assert_eq!((rows[1][4], rows[3][4], rows[4][4]), ("same-change", "possible", "opposite"));
    assert_eq!(&rows[2][18..], ["", "", "160", "about"]);
}

#[test]
fn comments_show_disagreement_first_and_nothing_in_a_name_is_markup() {
    let text = show(&plain(), Format::Markdown, None);
    let (disagree, agree) = (text.find("**Disagree**").unwrap(), text.find("Agree (2)").unwrap());
    let at = |name: &str| text.find(name).unwrap();
    assert!(
        disagree < at("BenchmarkTurned") && at("BenchmarkTurned") < agree && agree < at("BenchmarkBoth"),
        "{text}"
    );
    let text = show(&rich(), Format::Markdown, None);
    assert!(!text.contains("<script>") && !text.contains("a<b>"), "{text}");
}
