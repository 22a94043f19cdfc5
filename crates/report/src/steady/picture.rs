//! One process as a picture.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::view::{SeriesView, Steady};
use crate::escape::xml;
use crate::scale;

/// Size of the picture and of the margins around the plot, pixels.
const WIDTH: f64 = 960.0;
const LEFT: f64 = 88.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 48.0;
const PLOT: f64 = 220.0;
/// Space between the plot and the first rule, for numbers and name of the axis.
const AXIS: f64 = 38.0;
/// Height of a rule's line below the plot, and of the legend.
const ROW: f64 = 18.0;

const VALUES: &str = "#1f4e79";
const SEGMENTS: &str = "#d07c2b";
const STEADY: &str = "#e2f3f0";
const OUTLIERS: &str = "#a23b72";
const WARM_UP: &str = "#d9dee4";
const MEASURED: &str = "#3b8f5a";
const SOFT: &str = "#5a6472";

/// Characters of a heading that fit.
const HEADING: usize = 80;

/// Up to this many values are drawn as a line. More are drawn as one stroke per column from the smallest to
/// the largest.
const SINGLE: usize = 900;

/// Writes the picture of one process as a separate document.
pub fn write_svg(view: &SeriesView, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", picture(view))
}

/// The picture: values, segments, the steady part, and below it one line per rule.
pub(super) fn picture(view: &SeriesView) -> String {
    let plot = Plot::of(view);
    let height = TOP + PLOT + AXIS + ROW * (view.stops.len() as f64 + 1.0) + 10.0;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH:.0} {height:.0}\" width=\"{WIDTH:.0}\" \
         height=\"{height:.0}\" font-family=\"sans-serif\" font-size=\"11\" fill=\"#222222\" role=\"img\">\n\
         <title>{}, process {}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n\
         <text x=\"{LEFT}\" y=\"18\" font-size=\"13\" font-weight=\"600\">{}, process {}</text>\n\
         <text x=\"{LEFT}\" y=\"36\" fill=\"{SOFT}\">{}</text>\n",
        xml(&view.benchmark),
        view.process,
        xml(&shortened(&view.benchmark, HEADING)),
        view.process,
        xml(&format!("{}; {}", view.summary(), view.classes()))
    );
    plot.draw_steady(&mut svg);
    plot.draw_axes(&mut svg);
    plot.draw_values(&mut svg);
    plot.draw_segments(&mut svg);
    plot.draw_outliers(&mut svg);
    plot.draw_rules(&mut svg);
    draw_legend(&mut svg, view, height - 16.0);
    svg.push_str("</svg>");
    svg
}

struct Plot<'a> {
    view: &'a SeriesView,
    lo: f64,
    hi: f64,
}

impl<'a> Plot<'a> {
    fn of(view: &'a SeriesView) -> Self {
        let (lo, hi) = view.range();
        let air = 0.05 * (hi - lo);
        Plot { view, lo: lo - air, hi: hi + air }
    }

    fn x(&self, iteration: f64) -> f64 {
        let last = self.view.values.len().max(1) as f64;
        LEFT + (WIDTH - LEFT - RIGHT) * (iteration / last).clamp(0.0, 1.0)
    }

    fn y(&self, value: f64) -> f64 {
        let share = (value - self.lo) / (self.hi - self.lo);
        TOP + PLOT * (1.0 - if share.is_nan() { 0.5 } else { share.clamp(0.0, 1.0) })
    }

    /// The steady part has another ground.
    fn draw_steady(&self, svg: &mut String) {
        let Steady::From(from) = self.view.steady else { return };
        let (left, right) = (self.x(f64::from(from)), self.x(f64::INFINITY));
        push(
            svg,
            format_args!(
                r##"<rect x="{left:.1}" y="{TOP}" width="{:.1}" height="{PLOT}" fill="{STEADY}"><title>steady from iteration {from}</title></rect>"##,
                right - left
            ),
        );
    }

    fn draw_axes(&self, svg: &mut String) {
        let (bottom, right) = (TOP + PLOT, WIDTH - RIGHT);
        for value in round_numbers(self.lo, self.hi) {
            let y = self.y(value);
            push(
                svg,
                format_args!(
                    r##"<line x1="{LEFT}" x2="{right:.1}" y1="{y:.1}" y2="{y:.1}" stroke="#d9dee4"/><text x="{:.1}" y="{:.1}" text-anchor="end">{}</text>"##,
                    LEFT - 6.0,
                    y + 3.5,
                    xml(&scale::value(value, &self.view.unit))
                ),
            );
        }
        let last = self.view.values.len() as f64;
        for iteration in round_numbers(0.0, last).into_iter().filter(|tick| tick.fract() == 0.0) {
            let x = self.x(iteration);
            push(
                svg,
                format_args!(
                    r##"<line x1="{x:.1}" x2="{x:.1}" y1="{bottom}" y2="{:.1}" stroke="{SOFT}"/><text x="{x:.1}" y="{:.1}" text-anchor="middle">{iteration}</text>"##,
                    bottom + 4.0,
                    bottom + 16.0
                ),
            );
        }
        push(
            svg,
            format_args!(
                r##"<line x1="{LEFT}" x2="{right:.1}" y1="{bottom}" y2="{bottom}" stroke="{SOFT}"/><text x="{:.1}" y="{:.1}" text-anchor="end" fill="{SOFT}">iteration</text>"##,
                LEFT - 6.0,
                bottom + 16.0
            ),
        );
    }

    fn draw_values(&self, svg: &mut String) {
        let values = &self.view.values;
        let mut path = String::new();
        if values.len() <= SINGLE {
            for (index, value) in values.iter().enumerate().filter(|(_, value)| value.is_finite()) {
                let step = if path.is_empty() { 'M' } else { 'L' };
                let _ = write!(path, "{step}{:.1} {:.1}", self.x(index as f64 + 0.5), self.y(*value));
            }
        } else {
            for (index, part) in values.chunks(values.len().div_ceil(SINGLE)).enumerate() {
                let least =
                    part.iter().copied().filter(|value| value.is_finite()).fold(f64::INFINITY, f64::min);
                let most =
                    part.iter().copied().filter(|value| value.is_finite()).fold(f64::NEG_INFINITY, f64::max);
                if least <= most {
                    let x = self.x((index * values.len().div_ceil(SINGLE)) as f64 + 0.5);
                    let _ = write!(path, "M{x:.1} {:.1}V{:.1}", self.y(least) + 0.5, self.y(most) - 0.5);
                }
            }
        }
        push(svg, format_args!(r##"<path d="{path}" fill="none" stroke="{VALUES}" stroke-width="1"/>"##));
    }

    fn draw_segments(&self, svg: &mut String) {
        for (index, segment) in self.view.segments.iter().enumerate() {
            let (left, right) = (self.x(f64::from(segment.first)), self.x(f64::from(segment.last) + 1.0));
            let y = self.y(segment.mean);
            push(
                svg,
                format_args!(
                    r##"<line x1="{left:.1}" x2="{right:.1}" y1="{y:.1}" y2="{y:.1}" stroke="{SEGMENTS}" stroke-width="2.5"><title>iterations {} to {}: {}</title></line>"##,
                    segment.first,
                    segment.last,
                    xml(&scale::value(segment.mean, &self.view.unit))
                ),
            );
            if index > 0 {
                push(
                    svg,
                    format_args!(
                        r##"<line x1="{left:.1}" x2="{left:.1}" y1="{TOP}" y2="{:.1}" stroke="{SEGMENTS}" stroke-dasharray="3 3" stroke-width="0.7"/>"##,
                        TOP + PLOT
                    ),
                );
            }
        }
    }

    fn draw_outliers(&self, svg: &mut String) {
        let mut path = String::new();
        for outlier in &self.view.outliers {
            let Some(value) = self.view.values.get(*outlier as usize) else { continue };
            let (x, y) = (self.x(f64::from(*outlier) + 0.5), self.y(*value));
            let _ = write!(path, "M{:.1} {:.1}l5 5m0 -5l-5 5", x - 2.5, y - 2.5);
        }
        if !path.is_empty() {
            push(
                svg,
                format_args!(
                    r##"<path d="{path}" stroke="{OUTLIERS}" fill="none"><title>outliers</title></path>"##
                ),
            );
        }
    }

    /// One line per rule: pale for warm-up, full for the measured part.
    fn draw_rules(&self, svg: &mut String) {
        for (index, stop) in self.view.stops.iter().enumerate() {
            let y = TOP + PLOT + AXIS - 10.0 + ROW * index as f64;
            let (rule, why) = (xml(&stop.rule), xml(&stop.reason));
            let (label, base) = (LEFT - 6.0, y + 8.5);
            let name = format!(r##"<text x="{label:.1}" y="{base:.1}" text-anchor="end">{rule}</text>"##);
            let Some((warmup, last)) = stop.extent else {
                push(
                    svg,
                    format_args!(
                        r##"<g><title>{rule}: would not have run: {why}</title>{name}<text x="{LEFT}" y="{base:.1}" fill="{SOFT}">would not have run</text></g>"##
                    ),
                );
                continue;
            };
            let (cut, end) = (self.x(f64::from(warmup)), self.x(f64::from(last)));
            push(
                svg,
                format_args!(
                    r##"<g><title>{rule}: warm-up {warmup}, end {last}: {why}</title>{name}<rect x="{LEFT}" y="{y:.1}" width="{warm:.1}" height="9" fill="{WARM_UP}"/><rect x="{cut:.1}" y="{y:.1}" width="{measured:.1}" height="9" fill="{MEASURED}"/></g>"##,
                    warm = cut - LEFT,
                    measured = (end - cut).max(1.0),
                ),
            );
        }
    }
}

/// The meaning of the colours that occur.
fn draw_legend(svg: &mut String, view: &SeriesView, y: f64) {
    let has_rules = !view.stops.is_empty();
    let items = [
        (VALUES, "value", true),
        (SEGMENTS, "mean of a segment", !view.segments.is_empty()),
        (STEADY, "steady", matches!(view.steady, Steady::From(_))),
        (OUTLIERS, "outlier", !view.outliers.is_empty()),
        (WARM_UP, "warm-up by a rule", has_rules),
        (MEASURED, "measured by a rule", has_rules),
    ];
    let mut x = LEFT;
    for (colour, name, _) in items.iter().filter(|(.., is_there)| *is_there) {
        push(
            svg,
            format_args!(
                r##"<rect x="{x:.1}" y="{y:.1}" width="14" height="8" fill="{colour}" stroke="#c3cad2" stroke-width="0.5"/><text x="{:.1}" y="{:.1}" fill="{SOFT}">{name}</text>"##,
                x + 19.0,
                y + 8.0
            ),
        );
        // Wide enough for any font.
        x += 40.0 + 6.4 * name.len() as f64;
    }
}

/// Multiples of 1, 2, 2.5 or 5 times a power of ten between two numbers, about five of them.
fn round_numbers(lo: f64, hi: f64) -> Vec<f64> {
    let least_step = (hi - lo) / 5.0;
    let power = 10.0_f64.powf(least_step.log10().floor());
    let Some(step) =
        [1.0, 2.0, 2.5, 5.0, 10.0].map(|times| times * power).into_iter().find(|step| *step >= least_step)
    else {
        return Vec::new();
    };
    let first = (lo / step).ceil();
    (0..10).map(|i| (first + f64::from(i)) * step).take_while(|value| *value <= hi).collect()
}

/// The text, or its beginning and end if it is too long.
fn shortened(text: &str, most: usize) -> String {
    let count = text.chars().count();
    if count <= most {
        return text.to_owned();
    }
    let (begin, end) = (most / 2, most - most / 2 - 1);
    let head: String = text.chars().take(begin).collect();
    let tail: String = text.chars().skip(count - end).collect();
    format!("{head}…{tail}")
}

fn push(svg: &mut String, element: std::fmt::Arguments<'_>) {
    let _ = writeln!(svg, "{element}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_have_round_numbers() {
        let check = |lo: f64, hi: f64, expected: &[f64]| {
            let found = round_numbers(lo, hi);
            assert_eq!(found.len(), expected.len(), "{found:?}");
            let is_near = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-9 * hi.abs();
            assert!(found.iter().zip(expected).all(is_near), "{found:?}");
        };
        check(0.0, 3000.0, &[0.0, 1000.0, 2000.0, 3000.0]);
        check(0.0, 2500.0, &[0.0, 500.0, 1000.0, 1500.0, 2000.0, 2500.0]);
        check(1.03e-6, 2.1e-6, &[1.25e-6, 1.5e-6, 1.75e-6, 2e-6]);
        check(98.2, 99.7, &[98.5, 99.0, 99.5]);
        check(-1.0, 1.0, &[-1.0, -0.5, 0.0, 0.5, 1.0]);
        check(5.0, 5.0, &[]);
        assert_eq!(round_numbers(f64::NAN, 1.0), [0.0; 0]);
        assert_eq!(round_numbers(0.0, f64::INFINITY), [0.0; 0]);
    }

    #[test]
    fn long_names_keep_both_ends() {
        assert_eq!(shortened("short", 7), "short");
        assert_eq!(shortened("abcdefghij", 7), "abc…hij");
        assert_eq!(shortened("äöüäöüäöü", 5), "äö…öü");
    }
}
