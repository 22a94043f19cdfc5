//! Draws the study's pictures.

use super::repeat::{Scored, Study};
use crate::study::plot::{Anchor, Axis, COLOURS, Entry, Frame, INK, Mark, PALE, Svg, legend};

/// Colours for too late, too early and exact.
const PARTS: [(&str, &str); 3] = [(COLOURS[1], "too late"), (COLOURS[0], "too early"), (COLOURS[2], "exact")];

/// Figure 4: a bar per rule, divided into too late, too early and exact.
pub(super) fn figure_4(study: &Study) -> String {
    let rules: Vec<&Scored> = study.folded.iter().chain(study.others.iter().take(4)).collect();
    let (width, height) = (90.0, 240.0);
    let mut svg = Svg::new(width * rules.len() as f64 + 80.0, height + 90.0);
    let entries = PARTS.map(|(colour, text)| Entry { mark: None, colour, text: text.into() });
    legend(&mut svg, (55.0, 20.0), &entries);
    let frame = Frame {
        from: (55.0, 36.0),
        size: (width * rules.len() as f64, height),
        x: Axis::linear(0.0, rules.len() as f64),
        y: Axis::linear(0.0, 1.0),
    };
    frame.draw_y(&mut svg, &|share| format!("{:.0} %", 100.0 * share));
    for (place, rule) in rules.iter().enumerate() {
        let shares = [
            rule.median(|one| one.summary.over),
            rule.median(|one| one.summary.under),
            rule.median(|one| one.summary.exact),
        ];
        let mut bottom = 0.0;
        for (share, (colour, text)) in shares.into_iter().zip(PARTS) {
            let (from, to) =
                (frame.at(place as f64 + 0.2, bottom + share), frame.at(place as f64 + 0.8, bottom));
            let title = format!("{}: {:.1} % {text}", rule.name, 100.0 * share);
            svg.rectangle(from, (to.0 - from.0, to.1 - from.1), colour, &title);
            bottom += share;
        }
        let middle = frame.at(place as f64 + 0.5, 0.0).0;
        svg.text((middle, frame.bottom() + 16.0), Anchor::Middle, 11.0, &rule.name);
    }
    svg.line((frame.from.0, frame.bottom()), (frame.from.0 + frame.size.0, frame.bottom()), INK, 1.0);
    svg.finish()
}

/// Draws testing time against deviation, share of intervals that contain 1, and error of warm-up, for rules
/// that use all processes.
pub(super) fn front(study: &Study) -> String {
    const PANEL: (f64, f64) = (340.0, 300.0);
    type Panel = (&'static str, fn(&Scored) -> f64, (f64, f64));
    let panels: [Panel; 3] = [
        ("deviation, %", |rule| 100.0 * rule.median(|one| one.summary.deviation.median), (0.0, 6.0)),
        ("intervals that contain 1, %", |rule| 100.0 * rule.median(|one| one.summary.ok), (0.0, 100.0)),
        ("error of warm-up, s", |rule| rule.median(|one| one.summary.error.median), (0.0, 50.0)),
    ];
    let rules: Vec<&Scored> = study.folded.iter().chain(&study.others).filter(|rule| rule.is_whole).collect();
    let mut svg = Svg::new(3.0 * PANEL.0 + 20.0, PANEL.1 + 20.0 + 16.0 * rules.len().div_ceil(2) as f64);
    let marks = [Mark::Circle, Mark::Square, Mark::Triangle, Mark::Cross];
    let look = |place: usize| (marks[place / COLOURS.len() % marks.len()], COLOURS[place % COLOURS.len()]);
    for (index, (title, of, (low, high))) in panels.into_iter().enumerate() {
        let frame = Frame {
            from: (PANEL.0 * index as f64 + 50.0, 30.0),
            size: (PANEL.0 - 70.0, PANEL.1 - 80.0),
            x: Axis::logarithmic(50.0, 1500.0),
            y: Axis::linear(low, high),
        };
        svg.text((frame.from.0, 18.0), Anchor::Start, 13.0, title);
        frame.draw_y(&mut svg, &|value| format!("{value:.0}"));
        frame.draw_x(&mut svg, &|value| format!("{value:.0}"));
        svg.text(
            (frame.from.0 + frame.size.0 / 2.0, frame.bottom() + 32.0),
            Anchor::Middle,
            11.0,
            "testing time, s (median over benchmarks)",
        );
        svg.line((frame.from.0, frame.from.1), (frame.from.0, frame.bottom()), PALE, 1.0);
        for (place, rule) in rules.iter().enumerate() {
            let (mark, colour) = look(place);
            let at = (rule.median(|one| one.summary.time.median), of(rule));
            let text = format!("{}: {:.1} in {:.0} s", rule.name, at.1, at.0);
            svg.mark(mark, frame.at(at.0, at.1), colour, &text);
        }
    }
    for (row, pair) in rules.chunks(2).enumerate() {
        for (column, rule) in pair.iter().enumerate() {
            let (mark, colour) = look(row * 2 + column);
            let entry = Entry { mark: Some(mark), colour, text: rule.name.clone() };
            legend(&mut svg, (50.0 + 500.0 * column as f64, PANEL.1 + 10.0 + 16.0 * row as f64), &[entry]);
        }
    }
    svg.finish()
}
