//! The plans as a self-contained page: goal and cost at the top, then for each benchmark its plan and the
//! levels of its noise.

use std::io::{self, Write};

use super::{ComparePlanReport, PlannedComparison, duets, goal, reachable, seconds, summary};
use crate::escape::html;
use crate::html::frame;
use crate::scale;

/// Styles in addition to the common ones.
const STYLE: &str = "\
.plans{width:100%;border-collapse:collapse}.plans th,.plans td{padding:.35rem .6rem;text-align:right;vertical-align:top}\
.plans th:first-child,.plans td:first-child,.plans td.why{text-align:left}.plans tbody tr{border-top:1px solid #8884}\
.plans td:first-child{overflow-wrap:anywhere}.plans .missed{color:#c0392b}.plans small{display:block;opacity:.75}\
.split{display:flex;width:9rem;height:.8rem;border-radius:3px;overflow:hidden;background:#8883;margin:.2rem 0}\
.split i{display:block;height:100%}.split .l0{background:#3b6ea5}.split .l1{background:#d98c2b}.split .l2{background:#5f9e6e}\
.split .l3{background:#8e6bb0}";

/// Writes the page.
pub(super) fn write(report: &ComparePlanReport, out: &mut dyn Write) -> io::Result<()> {
    let titles: Vec<&str> = report.sources.iter().map(|source| source.title.as_str()).collect();
    frame::write_head(&format!("Plan for comparing {}", titles.join(", ")), STYLE, out)?;
    writeln!(
        out,
        "<header>\n<p class=\"brand\">benchwright plan for comparing</p>\n<div class=\"saving\"><b>{}</b><span>{}</span></div>\n\
         <dl class=\"conditions\"><div><dt>from</dt><dd>{}</dd></div></dl>\n</header>\n<main>",
        html(&summary(report)),
        html(&goal(report)),
        html(&titles.join(", "))
    )?;
    write_benchmarks(report, out)?;
    if !report.diagnostics.is_empty() {
        writeln!(out, "<section>\n<h2>Notes</h2>")?;
        for diagnostic in &report.diagnostics {
            writeln!(out, "<p class=\"note\">{}</p>", html(&diagnostic.to_string()))?;
        }
        writeln!(out, "</section>")?;
    }
    frame::write_end(out)
}

fn write_benchmarks(report: &ComparePlanReport, out: &mut dyn Write) -> io::Result<()> {
    if report.benchmarks.is_empty() {
        return writeln!(out, "<section><h2>Benchmarks</h2><p>Nothing could be planned.</p></section>");
    }
    writeln!(
        out,
        "<section>\n<h2>Benchmarks</h2>\n<p class=\"lead\">How many duets of how many iterations, what they cost, how often the change is found, \
         and on which level the values differ.</p>\n<table class=\"plans\">\n<thead><tr><th>benchmark</th><th>duets</th><th>iterations</th>\
         <th>usually</th><th>at most</th><th>found</th><th>noise by level</th></tr></thead>\n<tbody>"
    )?;
    for one in &report.benchmarks {
        write_benchmark(one, out)?;
    }
    writeln!(out, "</tbody>\n</table>\n</section>")
}

fn write_benchmark(one: &PlannedComparison, out: &mut dyn Write) -> io::Result<()> {
    let plan = &one.plan;
    let (class, findable) = match reachable(plan) {
        none if none.is_empty() => ("found", String::new()),
        words => ("missed", format!("<small>{}</small>", html(&words))),
    };
    writeln!(
        out,
        "<tr><td>{}<small>{}</small></td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td class=\"{class}\">{}{findable}</td><td>{}</td></tr>",
        html(&one.name),
        html(&plan.reason),
        html(&duets(plan)),
        plan.iterations,
        html(&seconds(plan.predicted_seconds)),
        html(&seconds(plan.most_seconds)),
        html(&scale::share(plan.power)),
        split(one)
    )
}

/// Number of colours of levels. Any further level uses the last colour.
const COLOURS: usize = 4;

/// One bar with the share of each level in the variance, and a text with the deviations.
fn split(one: &PlannedComparison) -> String {
    let components = &one.plan.noise.components;
    let total: f64 = components.iter().map(|component| component.variance).sum();
    if total <= 0.0 {
        return "none seen".into();
    }
    let words: Vec<String> = components
        .iter()
        .map(|component| format!("{} {}", component.level, scale::share(component.deviation())))
        .collect();
    let words = html(&words.join(", ")).to_string();
    let bar: String = components
        .iter()
        .enumerate()
        .map(|(at, component)| {
            let percent = 100.0 * component.variance / total;
            format!("<i class=\"l{}\" style=\"width:{percent:.1}%\"></i>", at.min(COLOURS - 1))
        })
        .collect();
    format!("<span class=\"split\" role=\"img\" aria-label=\"{words}\">{bar}</span><small>{words}</small>")
}
