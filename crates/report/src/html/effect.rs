//! A benchmark's line in the list of effects.

use std::fmt::Write as _;

use benchwright_model::{Finding, Verdict};

use super::axis::Axis;
use crate::overview;

/// Minimum distance of two ticks as a share of the line, so that labels do not touch on a line of 250 pixels.
const TICK_GAP: f64 = 0.155;

/// The tick marks above the list.
pub(super) fn axis_svg(axis: Axis) -> String {
    let mut svg = String::from(r#"<svg class="axis" height="22" aria-hidden="true">"#);
    for (at, label) in axis.ticks(TICK_GAP) {
        let _ = write!(svg, r#"<text x="{:.2}%" y="15" text-anchor="middle">{label}</text>"#, at * 100.0);
    }
    svg.push_str("</svg>");
    svg
}

/// The effect with its interval over the threshold band.
pub(super) fn effect_svg(finding: &Finding, axis: Axis) -> String {
    let mut svg = format!(r#"<span class="effect"><svg role="img" aria-label="{}">"#, label(finding));
    let band = finding.thresholds.soft.ln_1p();
    let (left, right) = (percent(axis, -band), percent(axis, band));
    let width = right - left;
    let _ = write!(svg, r#"<rect class="band" x="{left:.2}%" width="{width:.2}%" y="0" height="100%"/>"#);
    for (at, tick) in axis.ticks(TICK_GAP) {
        let class = if tick == "0" { "zero" } else { "grid" };
        let x = at * 100.0;
        let _ = write!(svg, r#"<line class="{class}" x1="{x:.2}%" x2="{x:.2}%" y1="0" y2="100%"/>"#);
    }
    if let Some(effect) = finding.effect.filter(|effect| effect.centre.is_finite()) {
        let (lo, hi) = (percent(axis, effect.lo), percent(axis, effect.hi));
        let _ = write!(svg, r#"<line class="interval" x1="{lo:.2}%" x2="{hi:.2}%" y1="50%" y2="50%"/>"#);
        for (end, at) in [(effect.lo, lo), (effect.hi, hi)] {
            svg.push_str(&interval_end(axis, end, at));
        }
        svg.push_str(&marker(finding.verdict, percent(axis, effect.centre)));
    } else if finding.verdict == Verdict::Same {
        svg.push_str(&marker(finding.verdict, percent(axis, 0.0)));
    }
    svg.push_str("</svg></span>");
    svg
}

/// A mark whose shape shows the verdict: up, down, diamond, ring, dot.
fn marker(verdict: Verdict, x_percent: f64) -> String {
    let shape = match verdict {
        Verdict::Slower => r#"<path class="mark" d="M0-5.5 5.5 4H-5.5z"/>"#,
        Verdict::Faster => r#"<path class="mark" d="M0 5.5 5.5-4H-5.5z"/>"#,
        Verdict::Changed => r#"<path class="mark" d="M0-5.5 5.5 0 0 5.5-5.5 0z"/>"#,
        Verdict::Undecided | Verdict::NotMeasured => r#"<circle class="mark ring" r="4.5"/>"#,
        Verdict::Same => r#"<circle class="mark" r="3.5"/>"#,
    };
    placed(x_percent, shape)
}

/// A bar at the end of the interval, or an arrow if the interval continues beyond the drawing.
fn interval_end(axis: Axis, end: f64, at: f64) -> String {
    let shape = match (axis.contains(end), at < 50.0) {
        (true, _) => "M0-4V4",
        (false, true) => "M6-4 0 0 6 4",
        (false, false) => "M-6-4 0 0-6 4",
    };
    placed(at, &format!(r#"<path class="interval" d="{shape}"/>"#))
}

/// Percentages apply to the nested drawing; shapes inside it use pixels from its corner.
fn placed(x_percent: f64, shape: &str) -> String {
    format!(r#"<svg x="{x_percent:.2}%" y="50%" overflow="visible">{shape}</svg>"#)
}

fn percent(axis: Axis, log_ratio: f64) -> f64 {
    axis.position(log_ratio) * 100.0
}

fn label(finding: &Finding) -> String {
    let text = format!(
        "{} {} {}",
        overview::verdict_word(finding),
        overview::change_text(finding),
        overview::interval_text(finding)
    );
    crate::escape::html(text.trim())
}
