use benchwright_model::Comparison;
use benchwright_report::junit::write;

use crate::sample;

fn show(comparison: &Comparison) -> String {
    let mut out = Vec::new();
    write(comparison, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// Checks that tags nest, attributes are quoted and unique, references are known and every character is allowed.
/// Returns the elements' names.
fn elements(xml: &str) -> Vec<String> {
    let is_allowed = |c: char| matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
    assert!(xml.chars().all(is_allowed), "a character XML forbids");
    let body = xml.strip_prefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n").unwrap();
    let (mut open, mut all) = (Vec::<String>::new(), Vec::new());
    let mut rest = body;
    while let Some((text, tail)) = rest.split_once('<') {
        check_text(text);
        let (tag, after) = tail.split_once('>').expect("a tag ends");
        rest = after;
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name), "tags nest");
            continue;
        }
        let (inner, is_empty) = tag.strip_suffix('/').map_or((tag, false), |inner| (inner, true));
        let (name, attributes) = inner.split_once(' ').unwrap_or((inner, ""));
        check_attributes(attributes);
        all.push(name.to_owned());
        if !is_empty {
            open.push(name.to_owned());
        }
    }
    assert!(open.is_empty() && rest.trim().is_empty());
    all
}

fn check_attributes(text: &str) {
    let parts: Vec<&str> = text.split('"').collect();
    assert!(parts.len() % 2 == 1, "quotes pair up: {text}");
    let mut names = Vec::new();
    for pair in parts.chunks_exact(2) {
        let name = pair[0].trim().strip_suffix('=').expect("name=\"value\"");
        assert!(!names.contains(&name), "{name} twice");
        names.push(name);
        check_text(pair[1]);
    }
}

fn check_text(text: &str) {
    for part in text.split('&').skip(1) {
        let (reference, _) = part.split_once(';').expect("a reference ends");
        assert!(["amp", "lt", "gt", "quot", "apos", "#9", "#10", "#13"].contains(&reference), "{reference}");
    }
}

#[test]
fn the_document_is_well_formed_and_counts_itself() {
    let xml = show(&sample::rich());
    let all = elements(&xml);
    let count = |name: &str| all.iter().filter(|element| *element == name).count();
    // What is wrong with the whole has a suite of its own.
    assert_eq!(count("testsuite"), 3);
    assert_eq!((count("testcase"), count("failure"), count("error"), count("skipped")), (30, 1, 10, 9));
    assert!(xml.contains(
        r#"<testsuites name="benchwright" tests="30" failures="1" errors="10" skipped="9" time="72.000">"#
    ));
    elements(&show(&sample::suite(41).0));
}

#[test]
fn what_fails_says_why_and_what_is_undecided_too() {
    let xml = show(&sample::rich());
    assert!(xml.contains(r#"message="slower +5.20%">slower: 1.235 µs to 1.299 µs, +5.20% [+4.6%, +5.8%], threshold 3%; confirmed"#), "{xml}");
    assert!(xml.contains(
        r#"<skipped message="undecided: too noisy for the duets allowed; about 130 duets would decide"/>"#
    ));
    assert!(xml.contains(r#"<error type="trial" message="exited with status 2 on head, 2 trial(s)">panic: ]]&gt; &lt;oh&gt; \u{1b}[1mno&#10;"#));
}

#[test]
fn slower_below_the_hard_threshold_does_not_fail() {
    let mut comparison = sample::rich();
    comparison.findings[0].fails = false;
    let all = elements(&show(&comparison));
    assert!(!all.contains(&"failure".to_owned()));
}
