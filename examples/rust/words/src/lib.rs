//! Words in a text.

use std::collections::BTreeMap;

/// The number of words.
pub fn count(text: &str) -> usize {
    text.split_whitespace().count()
}

/// How often each word occurs.
pub fn frequencies(text: &str) -> BTreeMap<&str, usize> {
    let mut result = BTreeMap::new();
    for word in text.split_whitespace() {
        *result.entry(word).or_insert(0) += 1;
    }
    result
}
