use benchwright_analysis::reduce::{self, LevelSeries, Options, Why};
use benchwright_model::{BenchmarkId, Diagnostic};
use benchwright_report::reduction::{COLUMNS, ReducedBenchmark, ReductionReport, SCHEMA, Source};
use benchwright_report::text::TextOptions;
use benchwright_report::{Document, Format};
use serde_json::Value;

use crate::html::check_nesting;
use crate::sample::NASTY;
use crate::schema::Checker;

/// Three suite runs, five iterations, five seconds around 1000 ns, spread by `noise` in a fixed way.
fn series(noise: f64) -> LevelSeries {
    let mut points = Vec::new();
    for run in 1..=3_u32 {
        for iteration in 1..=5_u32 {
            for second in 1..=5_u32 {
                let wave = f64::from((run * 31 + iteration * 17 + second * 7) % 23) / 11.0 - 1.0;
                // Later seconds are calmer, so that more of them help.
                let value = 1000.0 * (1.0 + noise * wave / f64::from(second));
                points.push((vec![run, iteration, second], value));
            }
        }
    }
    let names = [("suite run", false), ("iteration", false), ("second", false)];
    LevelSeries::new(&names, points).unwrap()
}

fn reduced(source: usize, id: BenchmarkId, metric: &str, noise: f64) -> ReducedBenchmark {
    let (series, options) = (series(noise), Options { process_seconds: 0.5, ..Options::default() });
    let metric = reduce::by_name(metric).unwrap();
    let reduction = reduce::reduce(&series, metric, &options).unwrap();
    ReducedBenchmark {
        source,
        name: id.name.clone(),
        id,
        metric: metric.name(),
        levels: series.levels().to_vec(),
        why: Why::of(&reduction, series.levels(), options.mode),
        forecast: (!reduction.is_stable).then(|| reduce::forecast(&series, metric, &options)).flatten(),
        curve: reduce::curve(&series, metric, &options, 40),
        reduction,
    }
}

fn go(name: &str) -> BenchmarkId {
    BenchmarkId::new("go", "example.com/parse", name)
}

/// Every reason, one metric, one source.
fn plain() -> ReductionReport {
    let rows = [
        ("BenchmarkCalm", 0.004),
        ("BenchmarkBusy/size=large", 0.08),
        ("BenchmarkWild", 0.4),
        ("BenchmarkSame", 0.0),
    ];
    ReductionReport {
        sources: vec![Source {
            title: "main (1f2e3d4), run 20261115-100000-ab12".into(),
            project: "20261115-100000-ab12".into(),
            run: Some("20261115-100000-ab12".into()),
        }],
        options: Options::default(),
        metric_note: "RMAD for code compiled beforehand (by language; --metric takes another)".into(),
        benchmarks: rows.map(|(name, noise)| reduced(0, go(name), "rmad", noise)).into(),
        diagnostics: vec![Diagnostic::warning("BenchmarkSame", "all 75 values are 1000 ns")],
        tool_version: "0.1.0".into(),
    }
}

/// Several sources, packages and metrics, and names that break whatever does not escape.
fn rich() -> ReductionReport {
    let mut report = plain();
    report.sources.push(Source { title: "b<o>ld.csv".into(), project: "b<o>ld".into(), run: None });
    for (at, name) in NASTY.iter().enumerate() {
        let metric = ["cv", "rciw1", "rciw2", "rciw3"][at % 4];
        let noise = [0.001, 0.05, 0.5][at % 3];
        report.benchmarks.push(reduced(1, BenchmarkId::new("jmh", "org.<i>", *name), metric, noise));
    }
    report.diagnostics.push(Diagnostic::error("x<y>.csv", "is <broken>").at(3, 4).hint("mend & <see>"));
    report
}

fn show(report: &ReductionReport, format: Format, width: Option<usize>) -> String {
    let mut out = Vec::new();
    report.write(format, &TextOptions { width, ..TextOptions::default() }, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn the_table_says_what_is_saved_and_why() {
    insta::assert_snapshot!("reduction-100", show(&plain(), Format::Text, Some(100)));
    insta::assert_snapshot!("reduction-48", show(&plain(), Format::Text, Some(48)));
    for report in [plain(), rich()] {
        for width in 20..130 {
            let text = show(&report, Format::Text, Some(width));
            let widest = text.lines().map(unicode_width::UnicodeWidthStr::width).max();
            assert!(widest <= Some(width), "{widest:?} at {width}:\n{text}");
        }
    }
}

#[test]
fn every_reason_is_there() {
    let whys: Vec<Why> = plain().benchmarks.iter().map(|benchmark| benchmark.why).collect();
    assert!(
        whys.contains(&Why::Unstable) && whys.contains(&Why::Floor) && whys.contains(&Why::Stable),
        "{whys:?}"
    );
    let text = show(&plain(), Format::Text, None);
    for part in ["unstable at full size", "Wild: RMAD", "before", "after", "saved", "warning: BenchmarkSame"]
    {
        assert!(text.contains(part), "no {part} in\n{text}");
    }
}

#[test]
fn documents_follow_the_published_schema() {
    let mut checker = Checker::new(SCHEMA);
    for report in [plain(), rich()] {
        let document: Value = serde_json::from_str(&show(&report, Format::Json, None)).unwrap();
        checker.document(&document);
        assert_eq!(document["schema"], "benchwright.reduction/1");
        assert_eq!(document["benchmarks"].as_array().unwrap().len(), report.benchmarks.len());
        let totals = &document["totals"];
        let counted: u64 =
            ["unstable", "full", "stable", "floor"].iter().map(|why| totals[why].as_u64().unwrap()).sum();
        assert_eq!(counted as usize, report.benchmarks.len());
        assert!(document["benchmarks"][2]["forecast"].is_object());
    }
    checker.has_seen_everything();
}

#[test]
fn rows_for_programs_have_the_columns_of_the_reference() {
    let text = show(&plain(), Format::Csv, None);
    let lines: Vec<&str> = text.split_terminator("\r\n").collect();
    assert_eq!(lines[0], COLUMNS.join(","));
    assert_eq!(lines.len(), 5);
    assert!(
        lines[4].starts_with("20261115-100000-ab12,RMAD,BenchmarkSame,1/1/3,3,0,0,1000,1000,0,"),
        "{}",
        lines[4]
    );
}

#[test]
fn comments_have_a_table_and_nothing_in_a_name_is_markup() {
    let text = show(&rich(), Format::Markdown, None);
    assert!(text.starts_with("**10 benchmarks&#58; "), "{text}");
    assert!(
        text.contains("| benchmark | before | after | saved | levels | instability | off | why |"),
        "{text}"
    );
    assert!(!text.contains("<script>") && !text.contains("<broken>"), "{text}");
}

#[test]
fn the_page_is_whole_and_needs_nothing_else() {
    let report = rich();
    let page = show(&report, Format::Html, None);
    let counts = check_nesting(&page);
    assert_eq!(page.matches("<details class=\"finding").count(), report.benchmarks.len());
    assert_eq!(counts["figure"], report.benchmarks.len(), "one curve per benchmark");
    assert_eq!(page.matches("class=\"threshold\"").count(), report.benchmarks.len());
    assert_eq!(page.matches("trial chosen ring").count(), report.benchmarks.len());
    for outside in ["http://", "https://", "src=", "href=", "@import", "url("] {
        assert!(!page.contains(outside), "{outside}");
    }
    for raw in ["<script>alert", "org.<i>", "<broken>", "b<o>ld"] {
        assert!(!page.contains(raw), "{raw}");
    }
    assert!(page.contains("Unstable at full size"));
    // Where a person can look at it.
    std::fs::write(format!("{}/reduction.html", env!("CARGO_TARGET_TMPDIR")), &page).unwrap();
}

#[test]
fn plans_for_comparisons_say_how_many_duets_and_why() {
    use benchwright_analysis::reduce::for_compare::{Costs, Wanted, for_compare};
    use benchwright_report::compare_plan::{self, ComparePlanReport, PlannedComparison};
    let wanted = Wanted::in_duets(3);
    let plan = |(name, noise): (&str, f64)| PlannedComparison {
        source: 0,
        id: go(name),
        name: name.into(),
        plan: for_compare(&series(noise), &Costs::of_iterations(1.0), &wanted).unwrap(),
    };
    let rows = [("BenchmarkCalm", 0.004), ("BenchmarkBusy", 0.05), (NASTY[1], 0.9)];
    let plain = plain();
    let report = ComparePlanReport {
        sources: plain.sources,
        benchmarks: rows.map(plan).into(),
        wanted: wanted.clone(),
        diagnostics: plain.diagnostics,
        tool_version: "0.1.0".into(),
    };
    let show = |format: Format, width: Option<usize>| {
        let mut out = Vec::new();
        let options = TextOptions { width, ..TextOptions::default() };
        report.write(format, &options, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    };
    let text = show(Format::Text, Some(100));
    for part in
        ["a change of 5% found in 90% of cases", "duets", "Calm: between processes", "3 benchmarks: usually"]
    {
        assert!(text.contains(part), "no {part} in\n{text}");
    }
    for width in 20..130 {
        let text = show(Format::Text, Some(width));
        let widest = text.lines().map(unicode_width::UnicodeWidthStr::width).max();
        assert!(widest <= Some(width), "{widest:?} at {width}:\n{text}");
    }
    let mut checker = Checker::new(compare_plan::SCHEMA);
    let document: Value = serde_json::from_str(&show(Format::Json, None)).unwrap();
    checker.document(&document);
    checker.has_seen_everything();
    assert_eq!(document["benchmarks"][0]["is_reached"], true);
    assert_eq!(document["benchmarks"][2]["is_reached"], false);
    assert!(!show(Format::Markdown, None).contains("<script>"));
    assert_eq!(show(Format::Csv, None).lines().count(), 4);
    let page = show(Format::Html, None);
    for part in [
        "a change of 5% found in 90% of cases",
        "BenchmarkCalm",
        "class=\"split\"",
        "class=\"missed\"",
        "</html>",
    ] {
        assert!(page.contains(part), "no {part} in\n{page}");
    }
    assert!(!page.contains(NASTY[1]), "not escaped");
    assert_eq!(page.matches("<tr><td>").count(), 3);
}

#[test]
fn nothing_reduced_is_an_empty_report_in_every_format() {
    let mut report = plain();
    report.benchmarks.clear();
    for format in benchwright_report::reduction::FORMATS {
        assert!(!show(&report, format, Some(80)).is_empty(), "{format:?}");
    }
    assert!(show(&report, Format::Text, None).contains("0 benchmarks"));
}

#[test]
fn ways_to_choose_stand_side_by_side() {
    use std::num::NonZeroUsize;

    use benchwright_analysis::reduce::evaluation::{self as ways, Evaluand, Version};
    use benchwright_analysis::reduce::metrics;
    use benchwright_report::evaluation::{self, EvaluationReport};
    let (calm, busy) = (series(0.004), series(0.3));
    let suite = |name: &str| -> Version<'_> {
        let of = [("calm", &calm), ("busy", &busy)];
        let evaluand = |(name, series)| Evaluand { name, series, options: Options::default() };
        (name.to_owned(), of.map(evaluand).into())
    };
    let versions = [suite("v1"), suite("v2")];
    let outcomes = ways::outcomes(&versions[1].1, NonZeroUsize::MIN);
    let plain = plain();
    let report = EvaluationReport {
        sources: [plain.sources.clone(), plain.sources].concat(),
        metric_note: "RMAD".into(),
        threshold: 0.01,
        benchmarks: 2,
        difference: ways::difference(&outcomes),
        metrics: metrics().iter().map(|metric| metric.name()).collect(),
        outcomes,
        forward: ways::forward(&versions, &|_| metrics()[1], NonZeroUsize::MIN),
        diagnostics: plain.diagnostics,
        tool_version: "0.1.0".into(),
    };
    let show = |format: Format, width: Option<usize>| {
        let mut out = Vec::new();
        let options = TextOptions { width, ..TextOptions::default() };
        report.write(format, &options, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    };
    let text = show(Format::Text, Some(120));
    for part in [
        "minimum (mean)",
        "RCIW3",
        "within 1%",
        "Kruskal-Wallis",
        "followed through 1 later version",
        "µOpTime",
    ] {
        assert!(text.contains(part), "no {part} in\n{text}");
    }
    for width in 20..130 {
        let text = show(Format::Text, Some(width));
        let widest = text.lines().map(unicode_width::UnicodeWidthStr::width).max();
        assert!(widest <= Some(width), "{widest:?} at {width}:\n{text}");
    }
    let mut checker = Checker::new(evaluation::SCHEMA);
    let document: Value = serde_json::from_str(&show(Format::Json, None)).unwrap();
    checker.document(&document);
    checker.has_seen_everything();
    assert_eq!(document["outcomes"].as_array().map(Vec::len), Some(9));
    assert_eq!(document["forward"][2]["pairs"][0]["same"], 2);
}
