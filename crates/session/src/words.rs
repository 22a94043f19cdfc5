//! Numbers in messages.

/// `1 benchmark`, `2 benchmarks`.
pub fn count(number: u32, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}
