//! Small text tools: the library that `benchwright demo` measures.

mod count;
mod order;
mod search;
mod slug;

pub use count::count_words;
pub use order::{sort_lines, unique_words};
pub use search::{checksum, longest_line, parse_numbers};
pub use slug::slug;

/// A text of `lines` lines, the same on every call.
pub fn sample(lines: usize) -> String {
    const WORDS: [&str; 12] = [
        "Amber", "bridge", "Cedar", "delta", "ember", "Falcon", "grove", "harbor", "Indigo", "juniper", "kiln", "Lagoon",
    ];
    let mut state = 42_u64;
    let mut text = String::new();
    for line in 0..lines {
        for _ in 0..8 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            text.push_str(WORDS[(state >> 33) as usize % WORDS.len()]);
            text.push(' ');
        }
        text.push_str(&line.to_string());
        text.push('\n');
    }
    text
}
