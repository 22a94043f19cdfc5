//! Draws the study's pictures.

use super::published::{self, Bar};
use super::repeat::Studied;
use super::savings::{METHODS, Outcome};
use crate::study::plot::{Anchor, Axis, COLOURS, Entry, Frame, INK, Mark, PALE, Svg, legend};

/// Colours of the remaining time and of the paper's numbers.
const BAR: &str = COLOURS[0];
const PAPER: &str = COLOURS[1];

/// The marks for results within 1, 3 and 5 %.
const MARKS: [(Mark, &str, &str); 3] = [
    (Mark::Triangle, COLOURS[2], "within 1 %"),
    (Mark::Square, COLOURS[3], "within 3 %"),
    (Mark::Circle, COLOURS[4], "within 5 %"),
];

/// One bar with its marks.
struct Column {
    name: String,
    outcome: Outcome,
    /// Share of time saved, including warm-up if the data has any.
    saved: f64,
    published: Option<Bar>,
}

/// Figure 3: a panel per way to choose, and a bar per project of the paper.
pub(super) fn figure_3(projects: &[Studied]) -> String {
    let known: Vec<&Studied> = projects.iter().filter(|project| project.symbol.is_some()).collect();
    let panels = METHODS.iter().enumerate().map(|(index, method)| {
        let column = |project: &&Studied| {
            let outcome = project.prototype.outcomes.get(index)?.clone();
            let symbol = project.symbol?;
            Some(Column {
                name: symbol.to_string(),
                saved: outcome.judgement.saved(),
                published: published::figure_3(symbol).map(|bars| bars[index]),
                outcome,
            })
        };
        (method.to_string(), known.iter().filter_map(column).collect::<Vec<Column>>())
    });
    panels_of_bars(&panels.collect::<Vec<_>>(), 3)
}

/// Figure 4: a panel per project, and a bar per metric.
pub(super) fn figure_4(projects: &[Studied]) -> String {
    let panels = projects.iter().filter(|project| !project.prototype.warm.is_empty()).map(|project| {
        let bars = project.symbol.and_then(published::figure_4);
        let columns = project.prototype.warm.iter().enumerate().map(|(index, outcome)| Column {
            name: outcome.method.to_string(),
            saved: outcome.judgement.saved_with_warmup(),
            published: bars.map(|bars| bars[index]),
            outcome: outcome.clone(),
        });
        (format!("{} after warm-up", project.title()), columns.collect::<Vec<Column>>())
    });
    panels_of_bars(&panels.collect::<Vec<_>>(), 2)
}

fn panels_of_bars(panels: &[(String, Vec<Column>)], per_row: usize) -> String {
    const PANEL: (f64, f64) = (330.0, 230.0);
    let rows = panels.len().div_ceil(per_row);
    let mut svg = Svg::new(PANEL.0 * per_row as f64 + 20.0, PANEL.1 * rows as f64 + 50.0);
    let mut entries = vec![
        Entry { mark: None, colour: BAR, text: "time left".into() },
        Entry { mark: None, colour: PAPER, text: "the paper's".into() },
        Entry { mark: Some(Mark::Cross), colour: PAPER, text: "within 1 %, the paper's".into() },
    ];
    entries.extend(MARKS.map(|(mark, colour, text)| Entry { mark: Some(mark), colour, text: text.into() }));
    legend(&mut svg, (45.0, 20.0), &entries);
    for (index, (title, columns)) in panels.iter().enumerate() {
        let corner = (PANEL.0 * (index % per_row) as f64, PANEL.1 * (index / per_row) as f64 + 30.0);
        let frame = Frame {
            from: (corner.0 + 45.0, corner.1 + 28.0),
            size: (PANEL.0 - 60.0, PANEL.1 - 70.0),
            x: Axis::linear(0.0, columns.len() as f64),
            y: Axis::linear(0.0, 1.0),
        };
        svg.text((frame.from.0, corner.1 + 16.0), Anchor::Start, 13.0, title);
        frame.draw_y(&mut svg, &|share| format!("{:.0} %", 100.0 * share));
        columns.iter().enumerate().for_each(|(place, column)| draw_column(&mut svg, &frame, place, column));
        svg.line((frame.from.0, frame.bottom()), (frame.from.0 + frame.size.0, frame.bottom()), INK, 1.0);
    }
    svg.finish()
}

fn draw_column(svg: &mut Svg, frame: &Frame, place: usize, column: &Column) {
    let place = place as f64;
    let left = 1.0 - column.saved;
    let (from, to) = (frame.at(place + 0.12, left), frame.at(place + 0.5, 0.0));
    svg.rectangle((from.0, frame.from.1), (to.0 - from.0, frame.size.1), PALE, "");
    let title = format!("{}: {:.2} % of the time left", column.name, 100.0 * left);
    svg.rectangle(from, (to.0 - from.0, to.1 - from.1), BAR, &title);
    for ((mark, colour, text), share) in MARKS.iter().zip(column.outcome.within) {
        let title = format!("{}: {:.2} % {text}", column.name, 100.0 * share);
        svg.mark(*mark, frame.at(place + 0.68, share), colour, &title);
    }
    if let Some((saved, within)) = column.published {
        let (from, to) = (frame.at(place + 0.06, 1.0 - saved), frame.at(place + 0.56, 1.0 - saved));
        svg.line(from, to, PAPER, 2.5);
        svg.mark(Mark::Cross, frame.at(place + 0.88, within[0]), PAPER, &column.name);
    }
    svg.text((frame.at(place + 0.5, 0.0).0, frame.bottom() + 14.0), Anchor::Middle, 10.0, &column.name);
}

/// Draws saved time against preserved results, with a line through the five metrics for each project of the
/// paper.
pub(super) fn trade_off(projects: &[Studied]) -> String {
    let mut svg = Svg::new(760.0, 420.0);
    let frame = Frame {
        from: (70.0, 50.0),
        size: (660.0, 300.0),
        x: Axis::logarithmic(0.02, 1.0),
        y: Axis::linear(0.0, 1.0),
    };
    frame.draw_y(&mut svg, &|share| format!("{:.0} %", 100.0 * share));
    frame.draw_x(&mut svg, &|share| format!("{:.0} %", 100.0 * share));
    svg.text((400.0, 390.0), Anchor::Middle, 12.0, "time left, of the full configuration's");
    svg.turned_text((22.0, 200.0), Anchor::Middle, -90.0, "benchmarks within 1 % of the full result");
    let known = projects.iter().filter(|project| project.symbol.is_some());
    let mut entries = Vec::new();
    for (project, place) in known.zip(0_usize..) {
        let colour = COLOURS[place % COLOURS.len()];
        let marks = [Mark::Circle, Mark::Square, Mark::Triangle, Mark::Cross];
        let mark = marks[place % marks.len()];
        let mut points: Vec<(f64, f64, &str)> = project.prototype.outcomes[4..]
            .iter()
            .map(|outcome| (1.0 - outcome.judgement.saved(), outcome.within[0], outcome.method))
            .collect();
        points.sort_by(|left, right| left.0.total_cmp(&right.0));
        let line: Vec<(f64, f64)> = points.iter().map(|(left, kept, _)| frame.at(*left, *kept)).collect();
        svg.path(&line, colour, 1.5);
        for (left, kept, metric) in points {
            svg.mark(mark, frame.at(left, kept), colour, &format!("{} {metric}", project.title()));
        }
        entries.push(Entry { mark: Some(mark), colour, text: project.title() });
    }
    legend(&mut svg, (30.0, 25.0), &entries);
    svg.finish()
}
