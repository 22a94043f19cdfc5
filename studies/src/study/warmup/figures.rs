//! Formats the numbers of the document's tables.

use super::score::Quartiles;

/// A share in percent with one decimal.
pub(super) fn percent(share: f64) -> String {
    format!("{:.1}", 100.0 * share)
}

/// Our number, followed by the paper's in brackets.
pub(super) fn beside(ours: String, paper: Option<String>) -> String {
    match paper {
        Some(paper) => format!("{ours} ({paper})"),
        None => ours,
    }
}

/// Median and quartiles, multiplied by a factor, in the paper's format.
pub(super) fn quartiles(of: Quartiles, factor: f64, decimals: usize) -> String {
    let Quartiles { median, low, high } = of;
    let [median, low, high] = [median, low, high].map(|value| format!("{:.decimals$}", factor * value));
    format!("{median} ({low}–{high})")
}

/// A small probability in the paper's format.
pub(super) fn p_value(p: f64) -> String {
    if p < 0.001 { "<0.001".into() } else { format!("{p:.3}") }
}

/// A number with its sign.
pub(super) fn signed(value: f64) -> String {
    format!("{value:+.1}")
}
