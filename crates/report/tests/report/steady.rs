//! Series of processes as text, pictures and a page.

use benchwright_model::Unit;
use benchwright_report::steady::{
    BenchmarkClassView, Extent, SeriesView, Steady, StopView, write_html, write_svg, write_text,
};

/// Falls from 2 µs to 1 µs at iteration 40 of `n`.
fn view(n: u32) -> SeriesView {
    let level = |i: u32| if i < 40 { 2e-6 } else { 1e-6 };
    SeriesView {
        benchmark: "org.example.<Bench>.run".into(),
        process: 3,
        values: (0..n).map(|i| level(i) * (1.0 + 0.01 * f64::from(i % 5))).collect(),
        unit: Unit::Seconds,
        outliers: vec![60],
        segments: vec![
            Extent { first: 0, last: 39, mean: 2.04e-6 },
            Extent { first: 40, last: n - 1, mean: 1.02e-6 },
        ],
        steady: Steady::From(40),
        class: Some("warmup".into()),
        benchmark_class: Some(BenchmarkClassView { class: "bad inconsistent".into(), processes: 5 }),
        notes: vec!["all & sundry".into()],
        stops: vec![
            StopView { rule: "cv".into(), extent: None, reason: "2 processes are enough".into() },
            StopView { rule: "georges".into(), extent: Some((41, 71)), reason: "it varies little".into() },
        ],
    }
}

fn text(views: &[SeriesView], width: usize) -> String {
    let mut out = Vec::new();
    write_text(views, Some(width), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn the_terminal_gets_a_line_of_blocks_and_the_rules() {
    let expected = "\
org.example.<Bench>.run, process 3
  steady from iteration 40 of 200, 2 segments, 1.020 µs
  class warmup; all 5 processes: bad inconsistent
  ████▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁
  ····━━━━━━━━━━━━━━━━
  note: all & sundry
  cv       would not have run: 2 processes are enough
  georges  warm-up    41, end    71: it varies little
";
    assert_eq!(text(&[view(200)], 22), expected);
}

#[test]
fn what_is_not_steady_or_not_known_is_said() {
    let never = SeriesView { steady: Steady::Never, ..view(200) };
    let unknown = SeriesView { steady: Steady::Unknown("too short".into()), segments: vec![], ..view(45) };
    let text = text(&[never, unknown], 80);
    assert!(text.contains("no steady state in 200 iterations, 2 segments\n"), "{text}");
    assert!(text.contains("45 iterations, not labelled: too short\n"), "{text}");
    assert!(!text.contains('━'), "{text}");
    let alone = SeriesView { class: None, benchmark_class: None, ..view(45) };
    assert!(self::text(&[alone], 80).contains("  class unknown, too few values\n"));
}

#[test]
fn pictures_show_everything_and_escape_names() {
    for n in [200, 5000] {
        let mut out = Vec::new();
        write_svg(&view(n), &mut out).unwrap();
        let svg = String::from_utf8(out).unwrap();
        assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>"));
        assert!(svg.contains("org.example.&lt;Bench&gt;.run, process 3") && !svg.contains("<Bench>"));
        for shown in [
            "steady from iteration 40",
            "outliers",
            "cv: would not have run: 2 processes are enough",
            "georges: warm-up 41, end 71: it varies little",
            "class warmup; all 5 processes: bad inconsistent",
            "2.040 µs",
        ] {
            assert!(svg.contains(shown), "{shown} in {svg}");
        }
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        assert!(svg.len() < 100_000, "{}", svg.len());
    }
}

#[test]
fn series_without_spread_or_numbers_are_drawn_too() {
    let check = |values: Vec<f64>| {
        let view = SeriesView { values, segments: vec![], outliers: vec![], ..view(200) };
        let mut out = Vec::new();
        write_svg(&view, &mut out).unwrap();
        let svg = String::from_utf8(out).unwrap();
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        assert!(!text(&[view], 60).is_empty());
    };
    check(vec![1e-6; 100]);
    check(vec![0.0; 100]);
    check(vec![f64::NAN, f64::INFINITY, 1.0]);
    check(vec![]);
}

#[test]
fn the_page_counts_and_holds_every_process() {
    let views = [view(200), SeriesView { steady: Steady::Never, ..view(200) }];
    let mut out = Vec::new();
    write_html("a <run>", &views, &mut out).unwrap();
    let page = String::from_utf8(out).unwrap();
    assert!(page.contains("2 processes: 1 became steady, 1 did not"), "{page}");
    assert!(page.contains("classes (Barrett et al. 2017): warmup 2"), "{page}");
    assert_eq!(page.matches("<figure>").count(), 2);
    assert!(page.contains("a &lt;run&gt;") && page.contains("all &amp; sundry"));
    assert!(page.contains("default-src 'none'") && !page.contains("<script"));
}
