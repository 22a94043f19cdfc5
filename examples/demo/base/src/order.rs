use std::collections::BTreeSet;

/// The lines in alphabetical order.
pub fn sort_lines(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort();
    lines
}

/// Every word once, in alphabetical order.
pub fn unique_words(text: &str) -> BTreeSet<&str> {
    text.split(' ').collect()
}
