use benchwright_model::{Reason, WarmupEnd};
use benchwright_report::html::write;

use crate::sample;

fn show(comparison: &benchwright_model::Comparison, trials: &[benchwright_model::Trial]) -> String {
    let mut out = Vec::new();
    write(comparison, trials, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// Elements that need no end.
const VOID: [&str; 3] = ["meta", "input", "!DOCTYPE"];

/// Checks that tags nest; returns how often each occurs.
pub(crate) fn check_nesting(page: &str) -> std::collections::BTreeMap<String, usize> {
    let without = |page: &str, name: &str| {
        let (before, rest) = page.split_once(&format!("<{name}>")).unwrap();
        let (_, after) = rest.split_once(&format!("</{name}>")).unwrap();
        format!("{before}{after}")
    };
    let page = without(&without(page, "style"), "script");
    let mut open: Vec<String> = Vec::new();
    let mut counts = std::collections::BTreeMap::new();
    for part in page.split('<').skip(1) {
        let (tag, text) = part.split_once('>').expect("a tag ends");
        assert!(!text.contains('>'), "a bare > in {text}");
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name), "near {part}");
            continue;
        }
        let name = tag.split([' ', '/']).next().unwrap().to_owned();
        *counts.entry(name.clone()).or_default() += 1;
        if !tag.ends_with('/') && !VOID.contains(&name.as_str()) {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?} still open");
    counts
}

#[test]
fn no_name_is_markup() {
    let page = show(&sample::rich(), &[]);
    check_nesting(&page);
    let fragments = [
        "<script>alert",
        "alert(\"x\")",
        "<other>",
        "<b>BenchmarkOld",
        "OLD|<b>",
        "<oh>",
        "<buffers>",
        "<now>",
        "`tick`'",
    ];
    for raw in fragments {
        assert!(!page.contains(raw), "{raw}");
    }
    for name in sample::NASTY.iter().filter(|name| name.contains(['<', '"', '&'])) {
        assert!(!page.contains(name), "{name}");
    }
    assert!(page.contains("&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;"));
    assert!(!page.contains('\u{1b}') && !page.contains('\u{202e}'));
}

#[test]
fn the_page_needs_nothing_else() {
    let page = show(&sample::suite(41).0, &sample::suite(41).1);
    for outside in ["http://", "https://", "src=", "href=", "@import", "url("] {
        assert!(!page.contains(outside), "{outside}");
    }
    assert_eq!(page.matches("<script>").count(), 1);
}

#[test]
fn every_measured_benchmark_has_its_effect_its_duets_and_its_trials() {
    let (comparison, trials) = sample::suite(41);
    let page = show(&comparison, &trials);
    let counts = check_nesting(&page);
    assert_eq!(page.matches("<details class=\"finding").count(), 41);
    assert_eq!(page.matches("class=\"effect\"").count(), 41);
    let duets: usize = comparison.findings.iter().map(|finding| finding.duets.len()).sum();
    let fresh: u32 = comparison.findings.iter().map(|finding| finding.fresh).sum();
    assert_eq!(page.matches("class=\"duet").count(), duets);
    assert_eq!(page.matches("class=\"duet fresh\"").count(), fresh as usize);
    assert_eq!(page.matches("class=\"trial ").count(), trials.len());
    assert_eq!(counts["figure"], 2 * 37, "identical builds have no drawings");
    let without = show(&comparison, &[]);
    assert_eq!(check_nesting(&without)["figure"], 37);
}

/// Leaves the pages beside the test binary, where a person can look at them.
#[test]
fn pages_are_of_reasonable_size() {
    let (comparison, trials) = sample::suite(41);
    let pages = [("suite", show(&comparison, &trials)), ("rich", show(&sample::rich(), &[]))];
    for (name, page) in pages {
        assert!(page.len() < 1_500_000, "{name}: {} bytes", page.len());
        std::fs::write(format!("{}/{name}.html", env!("CARGO_TARGET_TMPDIR")), page).unwrap();
    }
}

#[test]
fn what_stop_rules_did_has_a_section_of_its_own() {
    let (comparison, mut trials) = sample::suite(41);
    assert!(!show(&comparison, &trials).contains("Warm-up"));
    trials[0] = sample::stopped(trials[0].clone(), WarmupEnd::Unsteady, 30, 8);
    let page = show(&comparison, &trials);
    check_nesting(&page);
    for part in
        ["<h2>Warm-up</h2>", "<td>learned</td>", "38 s", "1m 40s", "62%", "30 s of warm-up had passed"]
    {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn a_closed_row_shows_base_and_head() {
    let (comparison, trials) = sample::suite(41);
    let page = show(&comparison, &trials);
    let row = page.lines().find(|line| line.contains("Compact/small")).unwrap();
    let summary = row.split_once("</summary>").unwrap().0;
    assert!(summary.contains("<span class=\"side\">884.3 ns</span>"), "{summary}");
    assert!(summary.contains("<span class=\"side\">1187 ns</span>"), "{summary}");
}

#[test]
fn what_was_not_measured_is_folded_by_reason() {
    let mut comparison = sample::rich();
    for finding in &mut comparison.findings[5..7] {
        (finding.effect, finding.base, finding.head) = (None, None, None);
        finding.duets.clear();
        finding.reason = Reason::OutOfBudget { duets_needed: None };
    }
    let page = show(&comparison, &[]);
    assert!(page.contains("<summary>2 benchmarks not measured</summary>"), "{page}");
    assert!(page.contains("<h3>2: the time budget ran out</h3>"), "{page}");
    assert!(page.contains("Undecided: suspects not confirmed by fresh duets (1); "), "{page}");
    assert_eq!(page.matches("<details class=\"finding").count(), 13);
}
