//! One process as a picture.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::view::{SeriesView, Steady};
use crate::escape::xml;
use crate::scale;

/// Size of the picture and of what is around the plot, pixels.
const WIDTH: f64 = 960.0;
const LEFT: f64 = 88.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 48.0;
const PLOT: f64 = 220.0;
/// Height of a rule's line below the plot.
const ROW: f64 = 18.0;

/// Values that are drawn as a line; more become one stroke per column from the least to the most.
const SINGLE: usize = 900;

/// Writes the picture of one process as a document of its own.
pub fn write_svg(view: &SeriesView, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", picture(view))
}

/// The picture: values, segments, the steady part, and below it a line per rule.
pub(super) fn picture(view: &SeriesView) -> String {
    let plot = Plot::of(view);
    let height = TOP + PLOT + 34.0 + ROW * view.stops.len() as f64 + 10.0;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH:.0} {height:.0}\" width=\"{WIDTH:.0}\" \
         height=\"{height:.0}\" font-family=\"sans-serif\" font-size=\"11\" fill=\"#222222\" role=\"img\">\n\
         <title>{}, process {}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n\
         <text x=\"{LEFT}\" y=\"18\" font-size=\"13\" font-weight=\"600\">{}, process {}</text>\n\
         <text x=\"{LEFT}\" y=\"36\" fill=\"#5a6472\">{}</text>\n",
        xml(&view.benchmark),
        view.process,
        xml(&view.benchmark),
        view.process,
        xml(&view.summary())
    );
    plot.draw_steady(&mut svg);
    plot.draw_axes(&mut svg);
    plot.draw_values(&mut svg);
    plot.draw_segments(&mut svg);
    plot.draw_outliers(&mut svg);
    plot.draw_rules(&mut svg);
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
                r##"<rect x="{left:.1}" y="{TOP}" width="{:.1}" height="{PLOT}" fill="#e2f3f0"><title>steady from iteration {from}</title></rect>"##,
                right - left
            ),
        );
    }

    fn draw_axes(&self, svg: &mut String) {
        let bottom = TOP + PLOT;
        for tick in 0..=4 {
            let value = self.lo + (self.hi - self.lo) * f64::from(tick) / 4.0;
            let y = self.y(value);
            push(
                svg,
                format_args!(
                    r##"<line x1="{LEFT}" x2="{:.1}" y1="{y:.1}" y2="{y:.1}" stroke="#d9dee4"/><text x="{:.1}" y="{:.1}" text-anchor="end">{}</text>"##,
                    WIDTH - RIGHT,
                    LEFT - 6.0,
                    y + 3.5,
                    xml(&scale::value(value, &self.view.unit))
                ),
            );
        }
        let n = self.view.values.len();
        for tick in 0..=5 {
            let iteration = n * tick / 5;
            let x = self.x(iteration as f64);
            push(
                svg,
                format_args!(
                    r##"<line x1="{x:.1}" x2="{x:.1}" y1="{bottom}" y2="{:.1}" stroke="#222222"/><text x="{x:.1}" y="{:.1}" text-anchor="middle">{iteration}</text>"##,
                    bottom + 4.0,
                    bottom + 16.0
                ),
            );
        }
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
                let least = part.iter().copied().filter(|value| value.is_finite()).fold(f64::INFINITY, f64::min);
                let most = part.iter().copied().filter(|value| value.is_finite()).fold(f64::NEG_INFINITY, f64::max);
                if least <= most {
                    let x = self.x((index * values.len().div_ceil(SINGLE)) as f64 + 0.5);
                    let _ = write!(path, "M{x:.1} {:.1}V{:.1}", self.y(least) + 0.5, self.y(most) - 0.5);
                }
            }
        }
        push(svg, format_args!(r##"<path d="{path}" fill="none" stroke="#1f4e79" stroke-width="1"/>"##));
    }

    fn draw_segments(&self, svg: &mut String) {
        for (index, segment) in self.view.segments.iter().enumerate() {
            let (left, right) = (self.x(f64::from(segment.first)), self.x(f64::from(segment.last) + 1.0));
            let y = self.y(segment.mean);
            push(
                svg,
                format_args!(
                    r##"<line x1="{left:.1}" x2="{right:.1}" y1="{y:.1}" y2="{y:.1}" stroke="#d07c2b" stroke-width="2.5"><title>iterations {} to {}: {}</title></line>"##,
                    segment.first,
                    segment.last,
                    xml(&scale::value(segment.mean, &self.view.unit))
                ),
            );
            if index > 0 {
                push(
                    svg,
                    format_args!(
                        r##"<line x1="{left:.1}" x2="{left:.1}" y1="{TOP}" y2="{:.1}" stroke="#d07c2b" stroke-dasharray="3 3" stroke-width="0.7"/>"##,
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
                format_args!(r##"<path d="{path}" stroke="#a23b72" fill="none"><title>outliers</title></path>"##),
            );
        }
    }

    /// A line per rule: pale for warm-up, full for what is measured.
    fn draw_rules(&self, svg: &mut String) {
        for (index, stop) in self.view.stops.iter().enumerate() {
            let y = TOP + PLOT + 30.0 + ROW * index as f64;
            let (cut, end) = (self.x(f64::from(stop.warmup)), self.x(f64::from(stop.end)));
            push(
                svg,
                format_args!(
                    r##"<g><title>{rule}: warm-up {warmup}, end {last}: {why}</title><text x="{label:.1}" y="{base:.1}" text-anchor="end">{rule}</text><rect x="{LEFT}" y="{y:.1}" width="{warm:.1}" height="9" fill="#d9dee4"/><rect x="{cut:.1}" y="{y:.1}" width="{measured:.1}" height="9" fill="#3b8f5a"/></g>"##,
                    rule = xml(&stop.rule),
                    warmup = stop.warmup,
                    last = stop.end,
                    why = xml(&stop.reason),
                    label = LEFT - 6.0,
                    base = y + 8.5,
                    warm = cut - LEFT,
                    measured = (end - cut).max(1.0),
                ),
            );
        }
    }
}

fn push(svg: &mut String, element: std::fmt::Arguments<'_>) {
    let _ = writeln!(svg, "{element}");
}
