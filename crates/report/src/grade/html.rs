//! The grade as a page that needs nothing else: score card, spread plot, heat map of functions and benchmarks, redundancy curve.

use std::fmt::Write as _;
use std::io::{self, Write};

use benchwright_analysis::grade::{Cell, Stability, UNSTABLE};

use super::{Api, GradeReport, StabilityTable, words};
use crate::escape::html;
use crate::html::frame;
use crate::scale;

/// Beside the common style.
const STYLE: &str = "\
.card{display:flex;flex-wrap:wrap;gap:1rem;margin:1rem 0}.card div{padding:.7rem 1.1rem;border-radius:.7rem;background:var(--card);border:1px solid var(--line)}\
.card b{display:block;font-size:1.5rem}.card span{color:var(--soft);font-size:.82rem}\
.grade{width:100%;border-collapse:collapse;font-size:.88rem}.grade th,.grade td{padding:.25rem .6rem;text-align:right}\
.grade th:first-child,.grade td:first-child,.grade td.why,.grade th.why{text-align:left}.grade tbody tr{border-top:1px solid var(--line)}\
.grade td:first-child{font-family:var(--mono);overflow-wrap:anywhere}.grade td.plot{width:14rem}\
.bar{display:block;height:.7rem;border-radius:3px;background:var(--same)}.bar.doubt{background:var(--undecided)}.bar.bad{background:var(--slower)}\
.heat{overflow-x:auto}.heat table{width:auto;border-collapse:collapse;font-size:.75rem}.heat th{font-weight:400;font-family:var(--mono)}\
.heat thead th{height:11rem;vertical-align:bottom;padding:0}.heat thead th div{writing-mode:vertical-rl;transform:rotate(180deg);max-height:11rem;overflow:hidden;white-space:nowrap;text-overflow:ellipsis}\
.heat tbody th{text-align:right;padding-right:.6rem;white-space:nowrap}.heat td{width:1.1rem;min-width:1.1rem;height:1.1rem;border:1px solid var(--card)}\
.c0{background:var(--grid)}.c1{background:var(--undecided-soft)}.c2{background:var(--slower-soft)}.c3{background:var(--faster)}\
.key i{display:inline-block;width:.9rem;height:.9rem;margin:0 .35rem 0 1rem;vertical-align:-.1rem}\
.curve{width:100%;max-width:40rem;height:auto}.curve text{font-size:11px;fill:var(--soft)}";

pub(super) fn write(report: &GradeReport, out: &mut dyn Write) -> io::Result<()> {
    frame::write_head(&format!("Grade of {}", report.title), STYLE, out)?;
    writeln!(out, "<header>\n<p class=\"brand\">benchwright grade</p>\n<h1>{}</h1>", html(&report.title))?;
    write_card(report, out)?;
    writeln!(out, "</header>\n<main>")?;
    if let Some(extent) = &report.extent {
        section("Extent", &words::extent(extent), "", out)?;
    }
    for table in &report.stability {
        write_stability(table, out)?;
    }
    if let Some(api) = &report.api {
        write_api(api, out)?;
    }
    if let Some(selection) = &report.selection {
        let mut lines = words::selection(selection);
        lines.push(format!("keep: {}", selection.kept.join(", ")));
        if !selection.lost.is_empty() {
            lines.push(format!("lost: {}", selection.lost.join(", ")));
        }
        section("Selection", &lines, "", out)?;
    }
    if let Some(gate) = &report.gate {
        section("Gate", &words::gate(gate), "", out)?;
    }
    if !report.diagnostics.is_empty() {
        let lines: Vec<String> = report.diagnostics.iter().map(ToString::to_string).collect();
        section("Notes", &lines, "", out)?;
    }
    frame::write_end(out)
}

/// A heading, its sentences, and what follows them as HTML.
fn section(title: &str, lines: &[String], rest: &str, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "<section>\n<h2>{}</h2>", html(title))?;
    for line in lines {
        writeln!(out, "<p class=\"lead\">{}</p>", html(line))?;
    }
    writeln!(out, "{rest}</section>")
}

/// The few numbers that sum everything up.
fn write_card(report: &GradeReport, out: &mut dyn Write) -> io::Result<()> {
    let mut cards: Vec<(String, &str)> = Vec::new();
    if let Some(extent) = &report.extent {
        cards.push((extent.benchmarks.to_string(), "benchmarks"));
        if !extent.runs.is_empty() {
            let mean = extent.runs.iter().sum::<f64>() / extent.runs.len() as f64;
            cards.push((words::time(mean), "for one run of the suite"));
        }
    }
    for table in report.stability.iter().take(1) {
        let stable = table.benchmarks.iter().filter(|(_, it)| it.max_spread < UNSTABLE).count();
        let share = stable as f64 / table.benchmarks.len().max(1) as f64;
        cards.push((scale::share(share), "of the benchmarks vary by less than 5 %"));
        cards.push((scale::share(2.0 * table.spread_95), "slowdown that 95 % of them show"));
    }
    if let Some(scores) = report.api.as_ref().and_then(|api| api.scores.as_ref()) {
        cards.push((scale::share(scores.total), "API benchmarking score"));
    }
    if let Some(gate) = &report.gate {
        let seen = gate.smallest_seen().map_or("never".to_owned(), scale::share);
        cards.push((seen, "slowdown from which on the gate fails"));
    }
    writeln!(out, "<div class=\"card\">")?;
    for (number, what) in cards {
        writeln!(out, "<div><b>{}</b><span>{}</span></div>", html(&number), html(what))?;
    }
    writeln!(out, "</div>")
}

fn write_stability(table: &StabilityTable, out: &mut dyn Write) -> io::Result<()> {
    let mut rows = String::from(
        "<table class=\"grade\"><thead><tr><th>benchmark</th><th>spread</th><th></th><th>within runs</th><th>between</th><th>shows</th>\
         <th class=\"why\">likely reason</th></tr></thead>\n<tbody>\n",
    );
    let widest = table.benchmarks.iter().map(|(_, it)| it.max_spread).fold(UNSTABLE, f64::max).min(1.0);
    for (name, it) in &table.benchmarks {
        rows += &stability_row(name, it, widest);
    }
    rows += "</tbody></table>\n";
    for (benchmark, reason) in &table.left_out {
        let _ = writeln!(rows, "<p class=\"note\">left out: {}: {}</p>", html(benchmark), html(reason));
    }
    let mut lines = words::stability(table);
    lines.extend((!table.environment.is_empty()).then(|| format!("on {}", table.environment)));
    let classes: Vec<String> =
        table.classes.iter().map(|(class, count)| format!("{class}: {count}")).collect();
    lines.push(format!("benchmarks by spread: {}", classes.join(", ")));
    section(&format!("Stability: {}", table.title), &lines, &rows, out)
}

fn stability_row(name: &str, it: &Stability, widest: f64) -> String {
    let class = match it.max_spread {
        spread if spread < UNSTABLE => "",
        spread if spread < 0.25 => " doubt",
        _ => " bad",
    };
    let width = (it.max_spread / widest).min(1.0) * 100.0;
    let share = |ratio: Option<f64>| ratio.map(scale::share).unwrap_or_default();
    format!(
        "<tr><td>{}</td><td>{}</td><td class=\"plot\"><span class=\"bar{class}\" style=\"width:{width:.1}%\"></span></td><td>{}</td><td>{}</td>\
         <td>{}</td><td class=\"why\">{}</td></tr>\n",
        html(name),
        scale::share(it.max_spread),
        share(it.within),
        scale::share(it.between),
        share(it.smallest_change),
        html(&words::reason(it))
    )
}

fn write_api(api: &Api, out: &mut dyn Write) -> io::Result<()> {
    section("Slowdowns found", &words::api(api), &heat_map(api), out)?;
    let mut lines = vec![words::redundancy(api)];
    let names: Vec<&str> = api.needed.iter().map(|at| api.benchmarks[*at].name.as_str()).collect();
    lines.push(format!("needed: {}", names.join(", ")));
    section("Redundancy", &lines, &curve(api), out)?;
    let lines: Vec<String> =
        api.skipped.iter().map(|(function, reason)| format!("{function}: {reason}")).collect();
    if lines.is_empty() { Ok(()) } else { section("Functions left out", &lines, "", out) }
}

/// Functions by benchmarks. Benchmarks that call none of the functions are left out.
fn heat_map(api: &Api) -> String {
    let called = |at: &usize| api.cells.iter().any(|row| row[*at] != Cell::Unreached);
    let columns: Vec<usize> = (0..api.benchmarks.len()).filter(called).collect();
    let mut text = String::from("<div class=\"heat\"><table><thead><tr><th></th>");
    for at in &columns {
        let name = html(&api.benchmarks[*at].name);
        let _ = write!(text, "<th title=\"{name}\"><div>{name}</div></th>");
    }
    text += "</tr></thead>\n<tbody>\n";
    for (function, cells) in api.functions.iter().zip(&api.cells) {
        let _ = write!(text, "<tr><th>{}</th>", html(&function.address));
        for at in &columns {
            let (class, word) = match cells[*at] {
                Cell::Unreached => ("c0", "does not call it"),
                Cell::Unknown => ("c1", "calls it, not decided"),
                Cell::Missed => ("c2", "calls it, did not become slower"),
                Cell::Seen => ("c3", "became slower"),
            };
            let name = html(&api.benchmarks[*at].name);
            let _ = write!(text, "<td class=\"{class}\" title=\"{name}: {word}\"></td>");
        }
        text += "</tr>\n";
    }
    text += "</tbody></table></div>\n<p class=\"lead key\"><i class=\"c3\"></i>became slower<i class=\"c2\"></i>calls it, did not become \
             slower<i class=\"c1\"></i>not decided<i class=\"c0\"></i>does not call it</p>\n";
    text
}

/// How many slowdowns the best sets of benchmarks find in which time.
fn curve(api: &Api) -> String {
    const WIDTH: f64 = 600.0;
    const HEIGHT: f64 = 220.0;
    const LEFT: f64 = 40.0;
    const BOTTOM: f64 = 30.0;
    let Some((longest, most)) =
        api.curve.last().copied().filter(|(seconds, most)| *seconds > 0.0 && *most > 0)
    else {
        return String::new();
    };
    let x = |seconds: f64| LEFT + seconds / longest * (WIDTH - LEFT - 10.0);
    let y = |functions: usize| HEIGHT - BOTTOM - functions as f64 / most as f64 * (HEIGHT - BOTTOM - 15.0);
    let mut points = format!("{:.1},{:.1}", x(0.0), y(0));
    let mut before = 0;
    for (seconds, functions) in &api.curve {
        let _ =
            write!(points, " {:.1},{:.1} {:.1},{:.1}", x(*seconds), y(before), x(*seconds), y(*functions));
        before = *functions;
    }
    format!(
        "<svg class=\"curve\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"functions found by time\">\
         <line x1=\"{LEFT}\" y1=\"{base}\" x2=\"{WIDTH}\" y2=\"{base}\" stroke=\"var(--zero)\"/>\
         <line x1=\"{LEFT}\" y1=\"10\" x2=\"{LEFT}\" y2=\"{base}\" stroke=\"var(--zero)\"/>\
         <polyline points=\"{points}\" fill=\"none\" stroke=\"var(--head)\" stroke-width=\"2\"/>\
         <text x=\"{LEFT}\" y=\"{label}\">0 s</text><text x=\"{WIDTH}\" y=\"{label}\" text-anchor=\"end\">{}, one run of all</text>\
         <text x=\"{number}\" y=\"{top}\" text-anchor=\"end\">{most}</text></svg>\n",
        html(&words::time(longest)),
        base = HEIGHT - BOTTOM,
        label = HEIGHT - 10.0,
        number = LEFT - 6.0,
        top = y(most) + 4.0,
    )
}
