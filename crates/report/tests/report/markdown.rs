use benchwright_report::markdown::{MARKER, write};

use crate::sample;

fn show(comparison: &benchwright_model::Comparison) -> String {
    let mut out = Vec::new();
    write(comparison, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn a_comment_has_the_marker_first_and_everything_in_it() {
    let text = show(&sample::rich());
    assert!(text.starts_with(MARKER));
    insta::assert_snapshot!("markdown-rich", text);
}

#[test]
fn names_are_never_markup() {
    let text = show(&sample::rich());
    let rows: Vec<&str> = text.lines().filter(|line| line.starts_with('|')).collect();
    assert!(rows.len() > 15);
    for row in rows {
        let borders = row.replace("\\|", "").matches('|').count();
        assert_eq!(borders, 8, "{row}");
    }
    for raw in ["<script", "<b>", "<oh>", "<other>", "<buffers>", "<now>"] {
        assert!(!text.contains(raw), "{raw} in {text}");
    }
    assert!(!text.replace("\\`", "").contains('`'));
}

#[test]
fn what_is_the_same_is_folded() {
    let text = show(&sample::suite(41).0);
    let (shown, folded) = text.split_once("<details><summary>34 the same</summary>").unwrap();
    assert_eq!(shown.matches("🔴 **slower**").count(), 3);
    assert_eq!(
        folded.matches("| same | ").count() + folded.matches("| same (identical build) | ").count(),
        34
    );
}
