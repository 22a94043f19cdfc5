//! Draws missed changes and false alarms against time.

use super::contender::{NAMES, WAYS, Way};
use super::document::{rule_name, shown};
use super::experiment::Outcome;
use super::tally::Kind;
use crate::study::plot::{Anchor, Axis, COLOURS, Entry, Frame, INK, Mark, Svg, legend};

/// The factor shown in the picture.
const FACTOR: f64 = 1.05;

/// The way with a known spread that is shown in the picture.
const DRAWN: Way = Way::Known(0.1);

/// Draws both panels.
pub(super) fn draw(name: &str, all: &[Outcome]) -> String {
    let mut svg = Svg::new(900.0, 400.0);
    svg.text((30.0, 22.0), Anchor::Start, 14.0, name);
    let full = all[NAMES.len() - 1].seconds;
    let shares = all.iter().map(|outcome| 100.0 * outcome.seconds / full).filter(|share| *share > 0.0);
    let least = shares.fold(100.0, f64::min);
    panel(&mut svg, all, 0, Kind::Missed, 0.8 * least);
    panel(&mut svg, all, 1, Kind::Alarms, 0.8 * least);
    let entry = |mark, colour, text: &str| Entry { mark: Some(mark), colour, text: text.into() };
    let entries = [
        entry(Mark::Circle, COLOURS[0], "ours, by ranks"),
        entry(Mark::Circle, COLOURS[2], "ours, spread known, 10 %"),
        entry(Mark::Square, COLOURS[1], "µOpTime, baselines and full, by the paper's rule"),
        entry(Mark::Cross, COLOURS[4], "the same by our rule"),
    ];
    legend(&mut svg, (30.0, 388.0), &entries);
    svg.finish()
}

fn panel(svg: &mut Svg, all: &[Outcome], number: usize, kind: Kind, least: f64) {
    let (title, factor) = match kind {
        Kind::Missed => ("missed changes of 5 %, %", FACTOR),
        Kind::Alarms => ("false alarms, %", 1.0),
    };
    let full = all[NAMES.len() - 1].seconds;
    let points = |outcome: &Outcome, rule: usize| {
        (100.0 * outcome.seconds / full, 100.0 * shown(outcome, rule, factor, kind).value)
    };
    let largest = all[..NAMES.len()].iter().flat_map(|outcome| [0, 1].map(|rule| points(outcome, rule).1));
    let frame = Frame {
        from: (60.0 + 440.0 * number as f64, 55.0),
        size: (370.0, 270.0),
        x: Axis::logarithmic(least, 110.0),
        y: Axis::linear(0.0, largest.fold(0.5, f64::max) * 1.05),
    };
    frame.draw_y(svg, &|tick| format!("{tick}"));
    frame.draw_x(svg, &|tick| format!("{tick}"));
    svg.text((frame.from.0, 44.0), Anchor::Start, 12.0, title);
    svg.text((frame.from.0 + 185.0, frame.bottom() + 32.0), Anchor::Middle, 11.0, "time, % of full");
    let mut ours: Vec<(f64, f64)> = std::iter::once(&all[0])
        .chain(&all[NAMES.len()..2 * NAMES.len() - 1])
        .filter(|outcome| outcome.seconds > 0.0)
        .map(|outcome| points(outcome, 0))
        .collect();
    ours.sort_by(|left, right| left.0.total_cmp(&right.0));
    let line: Vec<(f64, f64)> = ours.iter().map(|(x, y)| frame.at(*x, *y)).collect();
    svg.path(&line, COLOURS[0], 1.2);
    let level = WAYS.iter().position(|way| *way == DRAWN).unwrap_or(0);
    let mut known: Vec<(f64, f64)> =
        (1..NAMES.len()).map(|contender| points(&all[Way::place(level, contender)], 0)).collect();
    known.sort_by(|left, right| left.0.total_cmp(&right.0));
    let line: Vec<(f64, f64)> = known.iter().map(|(x, y)| frame.at(*x, *y)).collect();
    svg.path(&line, COLOURS[2], 1.2);
    for (x, y) in &known {
        let title = format!("ours, spread known: {y:.2} % in {x:.1} % of the time");
        svg.mark(Mark::Circle, frame.at(*x, *y), COLOURS[2], &title);
    }
    for (outcome, name) in all[1..].iter().zip(&NAMES[1..]) {
        for (rule, mark, colour) in [(0, Mark::Cross, COLOURS[4]), (1, Mark::Square, COLOURS[1])] {
            let (x, y) = points(outcome, rule);
            let title = format!("{name} by {}: {y:.2} % in {x:.1} % of the time", rule_name(rule));
            svg.mark(mark, frame.at(x, y), colour, &title);
            if rule == 1 {
                let at = frame.at(x, y);
                svg.text((at.0 + 6.0, at.1 - 4.0), Anchor::Start, 9.0, name);
            }
        }
    }
    for (x, y) in &ours {
        svg.mark(
            Mark::Circle,
            frame.at(*x, *y),
            COLOURS[0],
            &format!("ours: {y:.2} % in {x:.1} % of the time"),
        );
    }
    svg.line(frame.at(least, 0.0), frame.at(110.0, 0.0), INK, 1.0);
}
