//! Draws small pictures as SVG text: a canvas, axes, a frame to plot in, and a legend.
//!
//! The pictures are shown in Markdown documents. So they have a white background, need no script and no font
//! of their own, and every mark has a title that browsers show.

use std::fmt::Write as _;

/// Colours that differ in lightness, so that they can be distinguished without colour vision.
pub(crate) const COLOURS: [&str; 6] = ["#1f4e79", "#d07c2b", "#3b8f5a", "#a23b72", "#7f7f7f", "#b8a11a"];

/// The colour of axes, ticks and text.
pub(crate) const INK: &str = "#222222";

/// The colour of grid lines, and of data that is shown only for comparison.
pub(crate) const PALE: &str = "#d9dee4";

/// The part of a text that is placed at its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

impl Anchor {
    fn name(self) -> &'static str {
        match self {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        }
    }
}

/// The form of a mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    Circle,
    Square,
    Triangle,
    Cross,
}

/// A picture under construction. Lengths are in pixels, and the origin is the upper left corner.
#[derive(Debug)]
pub(crate) struct Svg {
    width: f64,
    height: f64,
    body: String,
}

impl Svg {
    /// An empty picture.
    pub(crate) fn new(width: f64, height: f64) -> Self {
        Svg { width, height, body: String::new() }
    }

    /// Adds a filled rectangle with a title that browsers show.
    pub(crate) fn rectangle(&mut self, from: (f64, f64), size: (f64, f64), colour: &str, title: &str) {
        let (x, y) = from;
        let (width, height) = size;
        self.push(format_args!(
            r#"<rect x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}" fill="{colour}">{}</rect>"#,
            titled(title)
        ));
    }

    /// Adds a straight line.
    pub(crate) fn line(&mut self, from: (f64, f64), to: (f64, f64), colour: &str, width: f64) {
        self.push(format_args!(
            r#"<line x1="{:.1}" y1="{:.1}" x2="{:.1}" y2="{:.1}" stroke="{colour}" stroke-width="{width}"/>"#,
            from.0, from.1, to.0, to.1
        ));
    }

    /// Adds a line through several points.
    pub(crate) fn path(&mut self, points: &[(f64, f64)], colour: &str, width: f64) {
        let text: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        self.push(format_args!(
            r#"<polyline points="{}" fill="none" stroke="{colour}" stroke-width="{width}"/>"#,
            text.join(" ")
        ));
    }

    /// Adds a mark around `at`.
    pub(crate) fn mark(&mut self, mark: Mark, at: (f64, f64), colour: &str, title: &str) {
        const RADIUS: f64 = 3.6;
        let (x, y) = at;
        let title = titled(title);
        match mark {
            Mark::Circle => self.push(format_args!(
                r#"<circle cx="{x:.1}" cy="{y:.1}" r="{RADIUS}" fill="{colour}">{title}</circle>"#
            )),
            Mark::Square => self.push(format_args!(
                r#"<rect x="{:.1}" y="{:.1}" width="{side}" height="{side}" fill="{colour}">{title}</rect>"#,
                x - RADIUS,
                y - RADIUS,
                side = 2.0 * RADIUS
            )),
            Mark::Triangle => self.push(format_args!(
                r#"<path d="M{:.1} {:.1} l{r} {h} h-{w} z" fill="{colour}">{title}</path>"#,
                x,
                y - RADIUS,
                r = RADIUS,
                h = 2.0 * RADIUS,
                w = 2.0 * RADIUS
            )),
            Mark::Cross => self.push(format_args!(
                r#"<path d="M{:.1} {:.1} l{d} {d} m0 -{d} l-{d} {d}" stroke="{colour}" stroke-width="1.6" fill="none">{title}</path>"#,
                x - RADIUS,
                y - RADIUS,
                d = 2.0 * RADIUS
            )),
        }
    }

    /// Adds a text with this font size.
    pub(crate) fn text(&mut self, at: (f64, f64), anchor: Anchor, size: f64, text: &str) {
        self.push(format_args!(
            r#"<text x="{:.1}" y="{:.1}" text-anchor="{}" font-size="{size}">{}</text>"#,
            at.0,
            at.1,
            anchor.name(),
            escaped(text)
        ));
    }

    /// Adds a text that is rotated around `at` by this number of degrees.
    pub(crate) fn turned_text(&mut self, at: (f64, f64), anchor: Anchor, degrees: f64, text: &str) {
        self.push(format_args!(
            r#"<text x="{x:.1}" y="{y:.1}" text-anchor="{}" font-size="11" transform="rotate({degrees} {x:.1} {y:.1})">{}</text>"#,
            anchor.name(),
            escaped(text),
            x = at.0,
            y = at.1,
        ));
    }

    /// The complete document.
    pub(crate) fn finish(self) -> String {
        let Svg { width, height, body } = self;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
             height=\"{height:.0}\" font-family=\"sans-serif\" fill=\"{INK}\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n{body}</svg>\n"
        )
    }

    fn push(&mut self, element: std::fmt::Arguments<'_>) {
        writeln!(self.body, "{element}").expect("writing to a string does not fail");
    }
}

fn titled(title: &str) -> String {
    if title.is_empty() { String::new() } else { format!("<title>{}</title>", escaped(title)) }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A scale from numbers to shares of a length.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Axis {
    lo: f64,
    hi: f64,
    is_logarithmic: bool,
}

impl Axis {
    /// A scale with equal steps.
    pub(crate) fn linear(lo: f64, hi: f64) -> Self {
        Axis { lo, hi: if hi > lo { hi } else { lo + 1.0 }, is_logarithmic: false }
    }

    /// A scale with equal factors. Both ends must be positive.
    pub(crate) fn logarithmic(lo: f64, hi: f64) -> Self {
        Axis { lo, hi: if hi > lo { hi } else { lo * 10.0 }, is_logarithmic: true }
    }

    /// The position of a value: 0 at the lower end and 1 at the upper. Values beyond an end have the position
    /// of the end.
    pub(crate) fn share(&self, value: f64) -> f64 {
        let share = match self.is_logarithmic {
            true => (value / self.lo).ln() / (self.hi / self.lo).ln(),
            false => (value - self.lo) / (self.hi - self.lo),
        };
        if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) }
    }

    /// Round numbers within the scale, about five if it is linear.
    pub(crate) fn ticks(&self) -> Vec<f64> {
        if self.is_logarithmic {
            let (first, last) = (self.lo.log10().floor() as i32, self.hi.log10().ceil() as i32);
            let all = (first..=last).flat_map(|power| [1.0, 2.0, 5.0].map(|n| n * 10_f64.powi(power)));
            return all.filter(|tick| *tick >= self.lo * 0.999 && *tick <= self.hi * 1.001).collect();
        }
        let rough = (self.hi - self.lo) / 5.0;
        let power = 10_f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].iter().map(|n| n * power).find(|step| *step >= 0.999 * rough);
        let step = step.unwrap_or(rough);
        let (first, last) = ((self.lo / step - 1e-9).ceil() as i64, (self.hi / step + 1e-9).floor() as i64);
        (first..=last).map(|index| index as f64 * step).collect()
    }
}

/// A part of the picture with two axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Frame {
    /// The upper left corner.
    pub(crate) from: (f64, f64),
    /// Width and height.
    pub(crate) size: (f64, f64),
    /// The horizontal axis.
    pub(crate) x: Axis,
    /// The vertical axis.
    pub(crate) y: Axis,
}

impl Frame {
    /// The position of a pair of numbers.
    pub(crate) fn at(&self, x: f64, y: f64) -> (f64, f64) {
        (self.from.0 + self.size.0 * self.x.share(x), self.from.1 + self.size.1 * (1.0 - self.y.share(y)))
    }

    /// The vertical position of the lower edge.
    pub(crate) fn bottom(&self) -> f64 {
        self.from.1 + self.size.1
    }

    /// Draws horizontal grid lines with their numbers at the left.
    pub(crate) fn draw_y(&self, svg: &mut Svg, label: &dyn Fn(f64) -> String) {
        for tick in self.y.ticks() {
            let y = self.at(0.0, tick).1;
            svg.line((self.from.0, y), (self.from.0 + self.size.0, y), PALE, 1.0);
            svg.text((self.from.0 - 5.0, y + 3.5), Anchor::End, 10.0, &label(tick));
        }
    }

    /// Draws the lower edge with ticks and their numbers.
    pub(crate) fn draw_x(&self, svg: &mut Svg, label: &dyn Fn(f64) -> String) {
        let bottom = self.bottom();
        svg.line((self.from.0, bottom), (self.from.0 + self.size.0, bottom), INK, 1.0);
        for tick in self.x.ticks() {
            let x = self.at(tick, 0.0).0;
            svg.line((x, bottom), (x, bottom + 4.0), INK, 1.0);
            svg.text((x, bottom + 15.0), Anchor::Middle, 10.0, &label(tick));
        }
    }
}

/// An entry of a legend.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    /// The mark. `None` draws a filled square.
    pub(crate) mark: Option<Mark>,
    /// Its colour.
    pub(crate) colour: &'static str,
    /// The meaning of the mark or colour.
    pub(crate) text: String,
}

/// Draws entries in one row that begins at `at`.
pub(crate) fn legend(svg: &mut Svg, at: (f64, f64), entries: &[Entry]) {
    let mut x = at.0;
    for entry in entries {
        match entry.mark {
            Some(mark) => svg.mark(mark, (x + 5.0, at.1 - 4.0), entry.colour, ""),
            None => svg.rectangle((x, at.1 - 9.0), (10.0, 10.0), entry.colour, ""),
        }
        svg.text((x + 15.0, at.1), Anchor::Start, 11.0, &entry.text);
        // Fonts are not measured here. The text gets 6.2 pixels per character, for a size of 11.
        x += 34.0 + 6.2 * entry.text.chars().count() as f64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_inside() {
        let check = |axis: Axis, expected: &[f64]| {
            let found = axis.ticks();
            assert_eq!(found.len(), expected.len(), "{found:?}");
            assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-9), "{found:?}");
        };
        check(Axis::linear(0.0, 1.0), &[0.0, 0.2, 0.4, 0.6, 0.8, 1.0]);
        check(Axis::linear(0.0, 37.0), &[0.0, 10.0, 20.0, 30.0]);
        check(Axis::logarithmic(1.0, 20.0), &[1.0, 2.0, 5.0, 10.0, 20.0]);
    }

    #[test]
    fn places_grow_to_the_right_and_upwards_and_stay_inside() {
        let frame = Frame {
            from: (10.0, 20.0),
            size: (100.0, 50.0),
            x: Axis::linear(0.0, 10.0),
            y: Axis::logarithmic(1.0, 100.0),
        };
        assert_eq!(frame.at(5.0, 10.0), (60.0, 45.0));
        assert_eq!(frame.at(0.0, 100.0), (10.0, 20.0));
        assert_eq!(frame.at(99.0, 0.001), (110.0, 70.0));
        assert_eq!(frame.at(f64::NAN, 1.0), (10.0, 70.0));
    }

    #[test]
    fn texts_cannot_break_the_document() {
        let mut svg = Svg::new(10.0, 10.0);
        svg.text((0.0, 0.0), Anchor::Start, 10.0, "a<b & \"c\"");
        svg.rectangle((0.0, 0.0), (1.0, 1.0), PALE, "<x>");
        let text = svg.finish();
        assert!(text.contains("a&lt;b &amp; &quot;c&quot;") && text.contains("<title>&lt;x&gt;</title>"));
        assert!(text.starts_with("<svg ") && text.ends_with("</svg>\n"));
    }
}
