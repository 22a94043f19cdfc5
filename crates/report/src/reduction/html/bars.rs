//! Times before and after.

use super::super::words;
use crate::escape::html;

/// Two bars on a scale that ends at `longest` seconds: the full time, and the reduced one.
pub(super) fn bars(before: f64, after: f64, longest: f64) -> String {
    let percent =
        |seconds: f64| if longest > 0.0 { (100.0 * seconds / longest).clamp(0.0, 100.0) } else { 0.0 };
    let label = format!("{} before, {} after", words::seconds(before), words::seconds(after));
    format!(
        r#"<span class="effect"><svg role="img" aria-label="{}"><rect class="before" x="0" width="{:.2}%" y="22%" height="56%" rx="3"/><rect class="after" x="0" width="{:.2}%" y="22%" height="56%" rx="3"/></svg></span>"#,
        html(&label),
        percent(before),
        // A minimum width, so that it is visible.
        percent(after).max(0.3),
    )
}
