use std::collections::HashMap;

/// How often each word occurs, whatever its case.
pub fn count_words(text: &str) -> HashMap<String, usize> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    let mut lower = String::new();
    for word in text.split_whitespace() {
        // One buffer for all words: only a word never seen before is allocated.
        lower.clear();
        lower.push_str(word);
        lower.make_ascii_lowercase();
        match counts.get_mut(lower.as_str()) {
            Some(count) => *count += 1,
            None => {
                counts.insert(lower.clone(), 1);
            }
        }
    }
    counts
}
