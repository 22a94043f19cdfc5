//! Stability by the size of the configuration. Both axes are logarithmic. It shows the threshold as a line,
//! every configuration as a dot, a line through the most stable configuration of each cost, and marks for the
//! chosen and the full configuration.

use std::fmt::Write as _;

use benchwright_analysis::reduce::{Evaluated, Options};

use super::super::{ReducedBenchmark, words};
use crate::escape::html;

/// Height of the drawing and the margins above and below it, pixels.
const HEIGHT: f64 = 230.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 24.0;

/// The left end of the points, per cent. The space left of it is for labels.
const LEFT: f64 = 9.0;
const RIGHT: f64 = 98.0;

/// The smallest instability that is drawn at its position, as a share of the threshold. Smaller ones are
/// drawn at the bottom.
const LEAST: f64 = 0.01;

/// The drawing. Empty if no configuration was evaluated.
pub(super) fn curve_svg(benchmark: &ReducedBenchmark, options: &Options) -> Option<String> {
    let reduction = &benchmark.reduction;
    let all = || benchmark.curve.iter().chain([&reduction.chosen, &reduction.full]);
    let known = || all().filter(|one| one.instability.is_some());
    if benchmark.curve.is_empty() || known().next().is_none() {
        return None;
    }
    let floor = LEAST * options.threshold;
    let value = |one: &Evaluated| one.instability.unwrap_or(0.0).max(floor);
    let x = Log::over(known().map(Evaluated::total_seconds));
    let y = Log::over(known().map(value).chain([options.threshold]));
    let at_x = |seconds: f64| LEFT + (RIGHT - LEFT) * x.position(seconds);
    let at_y = |instability: f64| TOP + (1.0 - y.position(instability)) * (HEIGHT - TOP - BOTTOM);
    let mut svg = format!(
        r#"<svg class="plot" height="{HEIGHT}" role="img" aria-label="{} over time, {} configurations">"#,
        benchmark.metric,
        benchmark.curve.len()
    );
    svg.push_str(&axes(&x, &y, &at_x, &at_y));
    svg.push_str(&threshold(at_y(options.threshold)));
    svg.push_str(&best_line(known().collect(), &at_x, &|one| at_y(value(one))));
    for one in benchmark.curve.iter().filter(|one| one.instability.is_some()) {
        let class = if one.is_stable(options) { "trial head" } else { "trial" };
        let mark = Mark { class, radius: 3.0, note: "" };
        svg.push_str(&mark.draw(benchmark, one, at_x(one.total_seconds()), at_y(value(one))));
    }
    let ends = [
        ("full ring", "everything that was measured, ", &reduction.full),
        ("chosen ring", "chosen, ", &reduction.chosen),
    ];
    for (class, note, one) in ends.into_iter().filter(|(_, _, one)| one.instability.is_some()) {
        let class = format!("trial {class}");
        let mark = Mark { class: &class, radius: 6.5, note };
        svg.push_str(&mark.draw(benchmark, one, at_x(one.total_seconds()), at_y(value(one))));
    }
    svg.push_str("</svg>");
    Some(svg)
}

struct Mark<'a> {
    class: &'a str,
    radius: f64,
    note: &'a str,
}

impl Mark<'_> {
    fn draw(&self, benchmark: &ReducedBenchmark, one: &Evaluated, x: f64, y: f64) -> String {
        let title = format!(
            "{}{}: {}, {} {}",
            self.note,
            benchmark.free(&one.configuration.0),
            words::seconds(one.total_seconds()),
            benchmark.metric,
            words::instability(one.instability)
        );
        format!(
            r#"<circle class="{}" cx="{x:.2}%" cy="{y:.1}" r="{}"><title>{}</title></circle>"#,
            self.class,
            self.radius,
            html(&title)
        )
    }
}

fn axes(x: &Log, y: &Log, at_x: &dyn Fn(f64) -> f64, at_y: &dyn Fn(f64) -> f64) -> String {
    let mut svg = String::new();
    let bottom = HEIGHT - BOTTOM;
    for tick in y.ticks(8) {
        let at = at_y(tick);
        let _ = write!(
            svg,
            r#"<line class="grid" x1="{LEFT}%" x2="{RIGHT}%" y1="{at:.1}" y2="{at:.1}"/><text x="{:.1}%" y="{:.1}" text-anchor="end">{}</text>"#,
            LEFT - 1.2,
            at + 3.5,
            tick_percent(tick)
        );
    }
    for tick in x.ticks(9) {
        let at = at_x(tick);
        let _ = write!(
            svg,
            r#"<line class="grid" x1="{at:.2}%" x2="{at:.2}%" y1="{TOP}" y2="{bottom}"/><text x="{at:.2}%" y="{:.1}" text-anchor="middle">{}</text>"#,
            HEIGHT - 6.0,
            html(&words::seconds(tick))
        );
    }
    svg
}

fn threshold(y: f64) -> String {
    format!(r#"<line class="threshold" x1="{LEFT}%" x2="{RIGHT}%" y1="{y:.1}" y2="{y:.1}"/>"#)
}

/// A line through the most stable configuration of each cost.
fn best_line(
    mut known: Vec<&Evaluated>,
    at_x: &dyn Fn(f64) -> f64,
    at_y: &dyn Fn(&Evaluated) -> f64,
) -> String {
    known.sort_by(|left, right| {
        let key = |one: &Evaluated| (one.total_seconds(), one.instability.unwrap_or(f64::INFINITY));
        key(left).partial_cmp(&key(right)).unwrap_or(std::cmp::Ordering::Equal)
    });
    known.dedup_by(|next, kept| next.total_seconds() == kept.total_seconds());
    let mut svg = String::new();
    for pair in known.windows(2) {
        let [x1, x2] = [pair[0], pair[1]].map(|one| at_x(one.total_seconds()));
        let [y1, y2] = [pair[0], pair[1]].map(at_y);
        let _ = write!(svg, r#"<line class="best" x1="{x1:.2}%" x2="{x2:.2}%" y1="{y1:.1}" y2="{y2:.1}"/>"#);
    }
    svg
}

/// `1%`, `0.05%`.
pub(super) fn tick_percent(ratio: f64) -> String {
    let percent = 100.0 * ratio;
    let decimals = (-percent.log10().floor()).clamp(0.0, 6.0) as usize;
    format!("{percent:.decimals$}%")
}

/// A logarithmic scale.
struct Log {
    lo: f64,
    hi: f64,
}

impl Log {
    /// A scale that shows all these numbers, with some space.
    fn over(numbers: impl Iterator<Item = f64>) -> Log {
        let positive = numbers.filter(|number| number.is_finite() && *number > 0.0).map(f64::ln);
        let (lo, hi) =
            positive.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), at| (lo.min(at), hi.max(at)));
        if lo > hi {
            return Log { lo: -1.0, hi: 1.0 };
        }
        let air = 0.04 * (hi - lo).max(1.0);
        Log { lo: lo - air, hi: hi + air }
    }

    fn position(&self, number: f64) -> f64 {
        ((number.max(f64::MIN_POSITIVE).ln() - self.lo) / (self.hi - self.lo)).clamp(0.0, 1.0)
    }

    /// Round numbers on it, at most `most`: ones, twos and fives, or only ones if there would be too many.
    fn ticks(&self, most: usize) -> Vec<f64> {
        let decades = ((self.lo / std::f64::consts::LN_10).floor() as i32)
            ..=((self.hi / std::f64::consts::LN_10).ceil() as i32);
        let among = |steps: &[f64]| -> Vec<f64> {
            let all =
                decades.clone().flat_map(|decade| steps.iter().map(move |step| step * 10_f64.powi(decade)));
            all.filter(|tick| (self.lo..=self.hi).contains(&tick.ln())).collect()
        };
        let fine = among(&[1.0, 2.0, 5.0]);
        if fine.len() <= most { fine } else { among(&[1.0]) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_show_what_they_were_made_for() {
        let scale = Log::over([3.0, 75.0, f64::NAN, 0.0].into_iter());
        assert!(scale.position(3.0) > 0.0 && scale.position(75.0) < 1.0);
        assert!(scale.position(3.0) < scale.position(10.0));
        assert_eq!((scale.position(0.0), scale.position(1e9)), (0.0, 1.0));
        assert_eq!(scale.ticks(8), [5.0, 10.0, 20.0, 50.0]);
        assert_eq!(Log::over([1e-4, 10.0].into_iter()).ticks(8), [1e-4, 1e-3, 0.01, 0.1, 1.0, 10.0]);
        assert!(Log::over([].into_iter()).position(1.0).is_finite());
        assert!(Log::over([5.0].into_iter()).position(5.0) > 0.4);
    }

    #[test]
    fn ticks_have_the_digits_they_need() {
        let check = |ratio: f64, expected: &str| assert_eq!(tick_percent(ratio), expected);
        check(0.01, "1%");
        check(0.005, "0.5%");
        check(0.000_2, "0.02%");
        check(0.5, "50%");
    }
}
