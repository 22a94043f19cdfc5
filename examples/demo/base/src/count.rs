use std::collections::HashMap;

/// How often each word occurs, whatever its case.
pub fn count_words(text: &str) -> HashMap<String, usize> {
    let mut counts = HashMap::new();
    for word in text.split_whitespace() {
        let lower = word.chars().flat_map(char::to_lowercase).collect::<String>();
        *counts.entry(lower).or_insert(0) += 1;
    }
    counts
}
