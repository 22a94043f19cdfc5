//! Draws the study's pictures.

use super::figures::{Figures, Line, Sizes};
use super::map::{BENCHMARKS, Point, Strategy};
use super::worlds::PUBLISHED;
use crate::study::plot::{Anchor, Axis, COLOURS, Entry, Frame, Mark, Svg, legend};

/// Cost against time, with a line per strategy and size of the suite over growing numbers of instances, and
/// the paper's points.
pub(super) fn map(points: &[Point]) -> String {
    let mut svg = Svg::new(900.0, 560.0);
    svg.text(
        (30.0, 22.0),
        Anchor::Start,
        14.0,
        "Cost and time of a comparison, 1 to 10,000 instances from right to left",
    );
    let frame = Frame {
        from: (70.0, 45.0),
        size: (790.0, 410.0),
        x: Axis::logarithmic(0.1, 40_000.0),
        y: Axis::logarithmic(0.02, 100.0),
    };
    let decades = |tick: f64| {
        if (tick.log10() - tick.log10().round()).abs() < 1e-9 { format!("{tick}") } else { String::new() }
    };
    frame.draw_y(&mut svg, &|tick| format!("${tick}"));
    frame.draw_x(&mut svg, &decades);
    svg.text((465.0, 490.0), Anchor::Middle, 11.0, "minutes");
    for (strategy, colour) in Strategy::ALL.into_iter().zip(COLOURS) {
        for benchmarks in BENCHMARKS {
            let own: Vec<&Point> = points
                .iter()
                .filter(|point| point.strategy == strategy && point.benchmarks == benchmarks)
                .collect();
            let at = |point: &&Point| frame.at(point.bill.seconds / 60.0, point.bill.dollars);
            svg.path(&own.iter().map(at).collect::<Vec<_>>(), colour, 1.4);
            for point in &own {
                let title = format!(
                    "{}, {benchmarks} benchmarks, {} instances: ${:.2}, {:.1} min",
                    strategy.name(),
                    point.instances,
                    point.bill.dollars,
                    point.bill.seconds / 60.0
                );
                svg.mark(Mark::Circle, at(point), colour, &title);
            }
            if let (Strategy::Paper, Some(last)) = (strategy, own.first()) {
                let (x, y) = at(last);
                svg.text((x, y - 8.0), Anchor::End, 10.0, &format!("{benchmarks} benchmarks"));
            }
        }
    }
    for published in PUBLISHED {
        let title = format!(
            "the paper's {}: ${}, {} min, 106 benchmarks, 150 calls in parallel",
            published.name, published.dollars, published.minutes
        );
        svg.mark(Mark::Cross, frame.at(published.minutes, published.dollars), "#000000", &title);
    }
    let original = "the original study on virtual machines: $1.14, 4 h";
    svg.mark(Mark::Triangle, frame.at(240.0, 1.14), "#000000", original);
    let entry = |mark, colour, text: &str| Entry { mark: Some(mark), colour, text: text.into() };
    let mut entries: Vec<Entry> = Strategy::ALL
        .into_iter()
        .zip(COLOURS)
        .map(|(strategy, colour)| entry(Mark::Circle, colour, strategy.name()))
        .collect();
    legend(&mut svg, (30.0, 520.0), &entries);
    entries = vec![
        entry(Mark::Cross, "#000000", "the paper's experiments (106 benchmarks, 150 in parallel)"),
        entry(Mark::Triangle, "#000000", "the original study (three virtual machines)"),
    ];
    legend(&mut svg, (30.0, 542.0), &entries);
    svg.finish()
}

/// Figures 4 to 7 in four panels.
pub(super) fn figures(figures: &Figures) -> String {
    let mut svg = Svg::new(980.0, 700.0);
    let [four, five, six, seven] = [0, 1, 2, 3].map(|number: usize| {
        let (column, row) = (number % 2, number / 2);
        (60.0 + 460.0 * column as f64, 50.0 + 330.0 * row as f64)
    });
    let lines: Vec<(&str, &Sizes, &str)> = figures
        .same_code
        .iter()
        .zip(COLOURS)
        .map(|(line, colour)| (line.name, &line.values.0, colour))
        .collect();
    distribution(&mut svg, four, "Figure 4: difference on identical code, %", &lines);
    let mut lines = Vec::new();
    for (line, colours) in
        figures.differences.iter().zip([[COLOURS[0], COLOURS[4]], [COLOURS[1], COLOURS[5]]])
    {
        lines.push((line.name, &line.values[0], colours[0]));
        lines.push(("no change found", &line.values[1], colours[1]));
    }
    distribution(&mut svg, five, "Figure 5: difference, change found or not, %", &lines);
    let lines: Vec<(&str, &Sizes, &str)> = figures
        .disputed
        .iter()
        .zip(COLOURS)
        .map(|(line, colour)| (line.name, &line.values, colour))
        .collect();
    distribution(&mut svg, six, "Figure 6: largest difference where runs disagree, %", &lines);
    growth(&mut svg, seven, &figures.needed);
    let entry = |mark, colour, text: &str| Entry { mark, colour, text: text.into() };
    let entries = [
        entry(None, COLOURS[0], "recorded (Figure 5: change found)"),
        entry(None, COLOURS[4], "recorded, no change found"),
        entry(None, COLOURS[1], "simulated (change found)"),
        entry(None, COLOURS[5], "simulated, no change found"),
        entry(Some(Mark::Cross), "#000000", "the paper's numbers"),
    ];
    legend(&mut svg, (30.0, 688.0), &entries);
    svg.finish()
}

/// Points that the paper states for Figures 4, 5 (changes) and 6, each a percentage and a share of
/// benchmarks.
fn printed(title: &str) -> &'static [(f64, f64)] {
    match title.as_bytes()[7] {
        b'4' => &[(0.047, 0.5), (32.0, 1.0)],
        b'5' => &[(4.71, 0.5), (116.0, 1.0)],
        _ => &[(1.58, 0.5), (3.06, 0.75), (7.6, 1.0)],
    }
}

/// Draws the share of benchmarks with at most each difference.
fn distribution(svg: &mut Svg, from: (f64, f64), title: &str, lines: &[(&str, &Sizes, &str)]) {
    let frame =
        Frame { from, size: (390.0, 240.0), x: Axis::logarithmic(0.005, 200.0), y: Axis::linear(0.0, 1.0) };
    frame.draw_y(svg, &|tick| format!("{tick:.1}"));
    let label = |tick: f64| {
        if (tick.log10() - tick.log10().round()).abs() < 1e-9 { format!("{tick}") } else { String::new() }
    };
    frame.draw_x(svg, &label);
    svg.text((from.0, from.1 - 10.0), Anchor::Start, 12.0, title);
    for (_, sizes, colour) in lines {
        let n = sizes.len().max(1) as f64;
        let path: Vec<(f64, f64)> = sizes
            .iter()
            .enumerate()
            .map(|(at, size)| frame.at((100.0 * size).max(0.005), (at + 1) as f64 / n))
            .collect();
        svg.path(&path, colour, 1.6);
    }
    for (size, share) in printed(title) {
        svg.mark(Mark::Cross, frame.at(*size, *share), "#000000", &format!("the paper: {size} % at {share}"));
    }
}

fn growth(svg: &mut Svg, from: (f64, f64), lines: &[Line<Vec<(u32, f64)>>]) {
    let frame = Frame { from, size: (390.0, 240.0), x: Axis::linear(0.0, 140.0), y: Axis::linear(0.0, 1.0) };
    frame.draw_y(svg, &|tick| format!("{tick:.1}"));
    frame.draw_x(svg, &|tick| format!("{tick}"));
    let title = "Figure 7: share with an interval as small as the other run's, by results";
    svg.text((from.0, from.1 - 10.0), Anchor::Start, 12.0, title);
    for (line, colour) in lines.iter().zip(COLOURS) {
        let path: Vec<(f64, f64)> =
            line.values.iter().map(|(n, share)| frame.at(f64::from(*n), *share)).collect();
        svg.path(&path, colour, 1.6);
    }
    for (n, share) in [(45.0, 0.7595), (135.0, 0.8987)] {
        svg.mark(Mark::Cross, frame.at(n, share), "#000000", &format!("the paper: {share} with {n} results"));
    }
}
