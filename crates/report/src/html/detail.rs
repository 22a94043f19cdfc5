//! The details of a benchmark, below its line.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use benchwright_analysis::value::median;
use benchwright_model::{Finding, Position, Reason, Side, Trial, Unit};

use super::axis::Focus;
use crate::basis::Basis;
use crate::escape::html;
use crate::legend::evidence_note;
use crate::overview::{interval_text, why};
use crate::scale;

/// Height of the drawing of duets, pixels.
const DUETS_HEIGHT: f64 = 190.0;

/// Height of the drawing of trial values, pixels.
const TRIALS_HEIGHT: f64 = 104.0;

/// The left end of the points, per cent. The space left of it is for labels.
const LEFT: f64 = 11.0;
const RIGHT: f64 = 98.0;

/// Drawings and numbers of a finding. `trials` are those of its benchmark.
pub(super) fn detail(finding: &Finding, trials: &[&Trial]) -> String {
    let mut out = String::from("<div class=\"detail\"><div class=\"plots\">");
    if !finding.duets.is_empty() {
        let fresh = fresh(finding);
        let legend = if fresh > 0 {
            "<span class=\"key\">○ screening</span> <span class=\"key\">◆ fresh, confirming</span>"
        } else {
            "<span class=\"key\">○ one duet each</span>"
        };
        let _ = write!(
            out,
            "<figure><figcaption>Duets in order <span class=\"legend\">{legend}</span></figcaption>{}</figure>",
            duets_svg(finding)
        );
    }
    if let Some(svg) = trials_svg(finding, trials) {
        let has_aside = svg.contains(" aside\"");
        let aside = if has_aside { " <span class=\"key\">◌ of screening, not counted</span>" } else { "" };
        let _ = write!(
            out,
            "<figure><figcaption>Trial values <span class=\"legend\"><span class=\"key\">│ median</span>{aside}</span>\
             </figcaption>{svg}</figure>"
        );
    }
    out.push_str("</div>");
    out.push_str(&numbers(finding));
    out.push_str("</div>");
    out
}

fn fresh(finding: &Finding) -> usize {
    usize::try_from(finding.fresh).unwrap_or(0).min(finding.duets.len())
}

/// The log-ratios of the duets by number, the threshold band, the effect and its interval.
fn duets_svg(finding: &Finding) -> String {
    let threshold = finding.thresholds.soft.ln_1p();
    let effect = finding.effect;
    let axis = Focus::on(&finding.duets, effect.map(|effect| (effect.lo, effect.hi)), threshold);
    let y = |log_ratio: f64| 8.0 + (1.0 - axis.position(log_ratio)) * (DUETS_HEIGHT - 16.0);
    let mut svg = format!(
        r#"<svg class="plot" height="{DUETS_HEIGHT}" role="img" aria-label="{} duets, head relative to base">"#,
        finding.duets.len()
    );
    let rect = |svg: &mut String, class: &str, lo: f64, hi: f64| {
        let (top, bottom) = (y(hi), y(lo));
        let height = bottom - top;
        let _ = write!(
            svg,
            r#"<rect class="{class}" x="{LEFT}%" width="{:.2}%" y="{top:.1}" height="{height:.1}"/>"#,
            100.0 - LEFT
        );
    };
    rect(&mut svg, "band", -threshold, threshold);
    svg.push_str(&change_axis(axis));
    if let Some(effect) = effect.filter(|effect| effect.centre.is_finite()) {
        rect(&mut svg, "between", effect.lo, effect.hi);
        let centre = y(effect.centre);
        let _ =
            write!(svg, r#"<line class="centre" x1="{LEFT}%" x2="100%" y1="{centre:.1}" y2="{centre:.1}"/>"#);
    }
    svg.push_str(&duet_marks(finding, &y));
    svg.push_str("</svg>");
    svg
}

fn change_axis(axis: Focus) -> String {
    let mut svg = String::new();
    for (at, label) in axis.ticks() {
        let tick_y = 8.0 + (1.0 - at) * (DUETS_HEIGHT - 16.0);
        let class = if label == "0" { "zero" } else { "grid" };
        let _ = write!(
            svg,
            r#"<line class="{class}" x1="{LEFT}%" x2="100%" y1="{tick_y:.1}" y2="{tick_y:.1}"/>"#
        );
        let _ = write!(
            svg,
            r#"<text x="{:.1}%" y="{:.1}" text-anchor="end">{label}</text>"#,
            LEFT - 1.5,
            tick_y + 3.5
        );
    }
    svg
}

fn duet_marks(finding: &Finding, y: &dyn Fn(f64) -> f64) -> String {
    let n = finding.duets.len();
    let screening = n - fresh(finding);
    let x = |index: f64| LEFT + (RIGHT - LEFT) * (index + 0.5) / n as f64;
    let mut out = String::new();
    if screening > 0 && screening < n {
        let at = x(screening as f64 - 0.5);
        let _ = write!(out, r#"<line class="divide" x1="{at:.2}%" x2="{at:.2}%" y1="0" y2="100%"/>"#);
    }
    for (index, log_ratio) in finding.duets.iter().enumerate().filter(|(_, d)| !d.is_nan()) {
        let (at, top) = (x(index as f64), y(*log_ratio));
        let change = scale::change(log_ratio.exp_m1());
        if index < screening {
            let _ = write!(
                out,
                r#"<circle class="duet" cx="{at:.2}%" cy="{top:.1}" r="4"><title>duet {}: {change}</title></circle>"#,
                index + 1
            );
        } else {
            let _ = write!(
                out,
                r#"<svg x="{at:.2}%" y="{top:.1}" overflow="visible"><path class="duet fresh" d="M0-5 5 0 0 5-5 0z"><title>fresh duet {}: {change}</title></path></svg>"#,
                index + 1
            );
        }
    }
    out
}

/// The trial values of both sides, one line each, with a common axis of values.
fn trials_svg(finding: &Finding, trials: &[&Trial]) -> Option<String> {
    let basis = Basis::of(finding, trials);
    let of = |side: Side| side_values(trials, side, &finding.metric.name, &basis);
    let sides = [(Side::Base, of(Side::Base)), (Side::Head, of(Side::Head))];
    let pooled: Vec<f64> =
        sides.iter().flat_map(|(_, values)| values.iter().map(|value| value.value)).collect();
    if pooled.len() < 2 {
        return None;
    }
    let (lo, hi) = value_range(&pooled);
    let x = |value: f64| {
        let at = if hi > lo { ((value - lo) / (hi - lo)).clamp(0.0, 1.0) } else { 0.5 };
        LEFT + 1.0 + (RIGHT - LEFT - 2.0) * at
    };
    let unit = &finding.metric.unit;
    let mut svg = format!(
        r#"<svg class="plot" height="{TRIALS_HEIGHT}" role="img" aria-label="trial values of base and head">"#
    );
    for (row, (side, values)) in sides.iter().enumerate() {
        let middle = 22.0 + 36.0 * row as f64;
        svg.push_str(&side_marks(*side, values, middle, &x, unit, unit_of_place(trials)));
    }
    svg.push_str(&value_axis(lo, hi, unit));
    svg.push_str("</svg>");
    Some(svg)
}

/// The meaning of the numbers of trials.
fn unit_of_place(trials: &[&Trial]) -> &'static str {
    let is_apart = trials.iter().any(|trial| matches!(trial.position, Position::Levels { .. }));
    if is_apart { "process" } else { "duet" }
}

fn side_marks(
    side: Side,
    values: &[Value],
    middle: f64,
    x: &dyn Fn(f64) -> f64,
    unit: &Unit,
    place: &str,
) -> String {
    let mut out = format!(
        r#"<text x="{:.1}%" y="{:.1}" text-anchor="end">{side}</text><line class="grid" x1="{LEFT}%" x2="100%" y1="{middle}" y2="{middle}"/>"#,
        LEFT - 1.5,
        middle + 3.5,
    );
    for Value { number, value, is_counted } in values {
        // Fixed offsets separate equal values; they have no meaning.
        let shift = f64::from((number * 7) % 5) * 4.0 - 8.0;
        let (class, note) = if *is_counted { ("", "") } else { (" aside", ", not counted") };
        let _ = write!(
            out,
            r#"<circle class="trial {side}{class}" cx="{:.2}%" cy="{:.1}" r="3"><title>{side}, {place} {}: {}{note}</title></circle>"#,
            x(*value),
            middle + shift,
            number + 1,
            html(&scale::value(*value, unit)),
        );
    }
    let plain: Vec<f64> = values.iter().filter(|value| value.is_counted).map(|value| value.value).collect();
    if let Some(centre) = median(&plain) {
        let at = x(centre);
        let (top, bottom) = (middle - 14.0, middle + 14.0);
        let _ = write!(
            out,
            r#"<line class="median" x1="{at:.2}%" x2="{at:.2}%" y1="{top}" y2="{bottom}"><title>median of {side}: {}</title></line>"#,
            html(&scale::value(centre, unit)),
        );
    }
    out
}

fn value_axis(lo: f64, hi: f64, unit: &Unit) -> String {
    let y = TRIALS_HEIGHT - 6.0;
    let (from, to) = scale::pair(lo, hi, unit);
    format!(
        r#"<text x="{LEFT}%" y="{y}">{}</text><text x="{RIGHT}%" y="{y}" text-anchor="end">{}</text>"#,
        html(&from),
        html(&to),
    )
}

/// A trial's value.
struct Value {
    /// Number of the duet, or of the process if there are no duets.
    number: u32,
    value: f64,
    /// Whether the finding rests on it.
    is_counted: bool,
}

/// The values of a side's trials. Of a repeated duet, only the last attempt is shown.
fn side_values(trials: &[&Trial], side: Side, metric: &str, basis: &Basis) -> Vec<Value> {
    let mut last: BTreeMap<u32, (u32, Value)> = BTreeMap::new();
    for (number, trial) in trials.iter().filter(|trial| trial.side == side).enumerate() {
        let (number, attempt) = match trial.position {
            Position::Duet { index, attempt, .. } => (index, attempt),
            Position::Levels { .. } => (number as u32, 0),
        };
        let value = trial.outcome.measurement().and_then(|it| basis.estimator.value(it, metric));
        let is_later = last.get(&number).is_none_or(|(earlier, _)| *earlier <= attempt);
        if let Some(value) = value.filter(|value| value.is_finite() && is_later) {
            last.insert(number, (attempt, Value { number, value, is_counted: basis.counts(trial) }));
        }
    }
    last.into_values().map(|(_, value)| value).collect()
}

/// The smallest and largest value of the axis. A few distant ones are drawn at the end, so that they do not
/// compress the rest.
fn value_range(values: &[f64]) -> (f64, f64) {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = |share: f64| sorted[((sorted.len() - 1) as f64 * share).round() as usize];
    let (low, high) = (at(0.1), at(0.9));
    let reach = 2.0 * (high - low);
    if reach <= 0.0 {
        return (sorted[0], sorted[sorted.len() - 1]);
    }
    (sorted[0].max(low - reach), sorted[sorted.len() - 1].min(high + reach))
}

fn numbers(finding: &Finding) -> String {
    let mut out = String::from("<div class=\"facts\"><dl>");
    for (name, text) in rows(finding) {
        let _ = write!(out, "<dt>{name}</dt><dd>{}</dd>", html(&text));
    }
    out.push_str("</dl>");
    let _ = write!(out, "<p class=\"why\">{}</p>", html(&sentence_case(&why(finding))));
    if let Some(text) = evidence_note(finding) {
        let _ = write!(out, "<p class=\"aside\">{}</p>", html(&sentence_case(&text)));
    }
    for warning in &finding.warnings {
        let _ = write!(out, "<p class=\"warning\">{}</p>", html(warning));
    }
    out.push_str("</div>");
    out
}

fn rows(finding: &Finding) -> Vec<(&'static str, String)> {
    let mut rows: Vec<(&str, String)> = Vec::new();
    let unit = &finding.metric.unit;
    for (name, side) in [("base", &finding.base), ("head", &finding.head)] {
        if let Some(side) = side {
            let spread = if side.trials > 1 {
                format!(" {} spread", scale::spread(side.spread))
            } else {
                String::new()
            };
            let value = scale::value(side.centre, unit);
            rows.push((name, format!("{value}{spread}, median of {} trials", side.trials)));
        }
    }
    if let Some(effect) = &finding.effect {
        rows.push(("change", scale::change(effect.change())));
        if !interval_text(finding).is_empty() {
            let from = if is_confirmed(finding) { ", from the fresh duets" } else { "" };
            let level = scale::share(effect.level);
            rows.push(("interval", format!("{} at {level}{from}", interval_text(finding))));
        }
    }
    rows.push(("threshold", thresholds(finding)));
    if !finding.duets.is_empty() {
        rows.push(("duets", duets_in_words(finding)));
    }
    if finding.quartets > 0 {
        rows.push(("pooled duets, by four", finding.quartets.to_string()));
    }
    if finding.wild > 0.0 {
        rows.push(("outlier duets", scale::share(finding.wild)));
    }
    rows.push(("metric", finding.metric.name.clone()));
    rows.push(("package", finding.benchmark.package.clone()));
    rows
}

fn is_confirmed(finding: &Finding) -> bool {
    matches!(finding.reason, Reason::Confirmed { .. })
}

/// The numbers of duets in words: `22 for screening, 8 fresh ones`.
fn duets_in_words(finding: &Finding) -> String {
    let fresh = fresh(finding);
    match finding.duets.len() - fresh {
        n if fresh == 0 => n.to_string(),
        screening => format!("{screening} for screening, {fresh} fresh ones"),
    }
}

fn thresholds(finding: &Finding) -> String {
    let soft = scale::share(finding.thresholds.soft);
    match finding.thresholds.hard {
        hard if hard.is_infinite() => format!("{soft}, never fails"),
        hard if hard == finding.thresholds.soft => soft,
        hard => format!("{soft}; the command fails from {} on (hard threshold)", scale::share(hard)),
    }
}

/// The text as a sentence.
pub(super) fn sentence_case(text: &str) -> String {
    let mut chars = text.chars();
    let first: String = chars.next().map(|c| c.to_uppercase().collect()).unwrap_or_default();
    format!("{first}{}.", chars.as_str().trim_end_matches('.'))
}
