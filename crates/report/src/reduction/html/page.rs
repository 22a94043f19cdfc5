//! The page, from top to bottom.

use std::fmt::Write as _;
use std::io::{self, Write};

use benchwright_analysis::reduce::{Average, Why, by_name};
use benchwright_formats::separated::exact;
use benchwright_model::Unit;

use super::super::{ReducedBenchmark, ReductionReport, Totals, saved, words};
use super::bars::bars;
use super::curve::{curve_svg, tick_percent};
use crate::escape::html;
use crate::html::frame;
use crate::overview::plural;
use crate::scale;

const STYLE: &str = include_str!("style.css");

/// Writes the page.
pub(in crate::reduction) fn write(report: &ReductionReport, out: &mut dyn Write) -> io::Result<()> {
    let totals = Totals::of(report);
    let projects: Vec<&str> = report.sources.iter().map(|source| source.project.as_str()).collect();
    frame::write_head(&format!("Reduction of {}", projects.join(", ")), STYLE, out)?;
    write_header(report, &totals, out)?;
    writeln!(out, "<main>")?;
    write_benchmarks(report, &totals, out)?;
    write_unstable(report, out)?;
    write_notes(report, out)?;
    write_legend(&totals, out)?;
    frame::write_end(out)
}

fn write_header(report: &ReductionReport, totals: &Totals, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "<header>\n<p class=\"brand\">benchwright reduction</p>")?;
    writeln!(
        out,
        "<div class=\"saving\"><b>{} saved</b><span>{} instead of {}</span></div>",
        scale::share(totals.saved()),
        html(&words::seconds(totals.after_seconds)),
        html(&words::seconds(totals.before_seconds))
    )?;
    writeln!(
        out,
        "<div class=\"whole\">{}</div>\n<ul class=\"tally\">",
        bars(totals.before_seconds, totals.after_seconds, totals.before_seconds)
    )?;
    for (why, n) in Why::ALL.into_iter().zip(totals.counts).filter(|(why, n)| *n > 0 || *why == Why::Unstable)
    {
        let none = if n == 0 { " none" } else { "" };
        writeln!(
            out,
            "<li class=\"{}{none}\" title=\"{}\"><span class=\"glyph\" aria-hidden=\"true\">{}</span><b>{n}</b> {}</li>",
            class(why),
            html(why.describe()),
            glyph(why),
            title(why)
        )?;
    }
    writeln!(out, "</ul>\n<dl class=\"conditions\">")?;
    for (name, text) in words::conditions(report) {
        writeln!(out, "<div><dt>{name}</dt><dd>{}</dd></div>", html(&text))?;
    }
    writeln!(out, "</dl>\n</header>")
}

fn write_benchmarks(report: &ReductionReport, totals: &Totals, out: &mut dyn Write) -> io::Result<()> {
    if report.benchmarks.is_empty() {
        return writeln!(out, "<section><h2>Benchmarks</h2><p>Nothing could be reduced.</p></section>");
    }
    writeln!(
        out,
        "<section class=\"reduction\">\n<h2>Benchmarks</h2>\n<p class=\"lead\">Time before (pale) and after. Each line opens to the \
         stability of its configurations.</p>"
    )?;
    write_controls(totals, out)?;
    writeln!(
        out,
        "<div class=\"row axis-row\" aria-hidden=\"true\"><span class=\"verdict\">why</span><span class=\"name\">benchmark</span>\
         <span>time</span><span class=\"delta\">before → after</span><span class=\"levels\">levels</span></div>\n\
         <div id=\"list\">"
    )?;
    let times = report.benchmarks.iter().map(|one| one.reduction.full.total_seconds());
    let longest = times.fold(0.0, f64::max);
    let mut order: Vec<&ReducedBenchmark> = report.benchmarks.iter().collect();
    order.sort_by_key(|one| one.why);
    for (place, benchmark) in order.into_iter().enumerate() {
        write_benchmark(report, place, benchmark, longest, out)?;
    }
    writeln!(out, "</div>\n<p id=\"nothing\" hidden>No benchmark matches.</p>\n</section>")
}

fn write_controls(totals: &Totals, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "<form class=\"controls\" hidden>\n<input type=\"search\" id=\"filter\" placeholder=\"Filter by name\" \
         aria-label=\"Filter by name\">\n<fieldset><legend>Show</legend>"
    )?;
    for (why, n) in Why::ALL.into_iter().zip(totals.counts).filter(|(_, n)| *n > 0) {
        let word = why.word();
        writeln!(
            out,
            "<label class=\"{}\"><input type=\"checkbox\" value=\"{word}\" checked><span aria-hidden=\"true\">{}</span> \
             {word} {n}</label>",
            class(why),
            glyph(why)
        )?;
    }
    writeln!(
        out,
        "</fieldset>\n<label class=\"sort\">Sort <select id=\"sort\"><option value=\"order\">by reason</option>\
         <option value=\"change\">by time left</option><option value=\"name\">by name</option>\
         <option value=\"spread\">by instability</option></select></label>\n\
         <button type=\"button\" id=\"toggle\">Open all</button>\n</form>"
    )
}

fn write_benchmark(
    report: &ReductionReport,
    place: usize,
    benchmark: &ReducedBenchmark,
    longest: f64,
    out: &mut dyn Write,
) -> io::Result<()> {
    let reduction = &benchmark.reduction;
    let (before, after) = (reduction.full.total_seconds(), reduction.chosen.total_seconds());
    let why = benchmark.why;
    writeln!(
        out,
        "<details class=\"finding {}\" data-verdict=\"{}\" data-order=\"{place}\" data-change=\"{}\" data-spread=\"{}\">\
         <summary class=\"row\"><span class=\"verdict\"><span class=\"glyph\" aria-hidden=\"true\">{}</span> {}</span>\
         <span class=\"name\">{}{}</span>{}<span class=\"delta\">{} → <b>{}</b></span><span class=\"levels\">{}</span></summary>",
        class(why),
        why.word(),
        exact(after),
        exact(reduction.chosen.instability.unwrap_or(0.0)),
        glyph(why),
        why.word(),
        html(benchmark.id.short_name()),
        above(report, benchmark),
        bars(before, after, longest),
        html(&words::seconds(before)),
        html(&words::seconds(after)),
        benchmark.chosen_levels(),
    )?;
    writeln!(out, "{}</details>", detail(report, benchmark))
}

/// Source and package in small letters, if there are several.
fn above(report: &ReductionReport, benchmark: &ReducedBenchmark) -> String {
    let source = report.sources.get(benchmark.source).filter(|_| report.sources.len() > 1);
    let has_packages = report.benchmarks.iter().any(|other| other.id.package != benchmark.id.package);
    let package = has_packages.then_some(benchmark.id.package.as_str());
    let parts: Vec<&str> = source
        .map(|source| source.project.as_str())
        .into_iter()
        .chain(package)
        .filter(|part| !part.is_empty())
        .collect();
    if parts.is_empty() {
        return String::new();
    }
    format!("<span class=\"package\">{}</span>", html(&parts.join(" · ")))
}

fn detail(report: &ReductionReport, benchmark: &ReducedBenchmark) -> String {
    let mut out = String::from("<div class=\"detail\"><div class=\"plots\">");
    if let Some(svg) = curve_svg(benchmark, &report.options) {
        let _ = write!(
            out,
            "<figure><figcaption>{} over the time of every configuration <span class=\"legend\">\
             <span class=\"key\">● stable</span><span class=\"key\">◯ chosen</span>\
             <span class=\"key\">◌ everything</span><span class=\"key threshold-key\">┄ threshold {}</span></span>\
             </figcaption>{svg}</figure>",
            benchmark.metric,
            tick_percent(report.options.threshold)
        );
    }
    out.push_str("</div><div class=\"facts\"><dl>");
    for (name, text) in facts(benchmark) {
        let _ = write!(out, "<dt>{name}</dt><dd>{}</dd>", html(&text));
    }
    let why = match benchmark.why {
        Why::Unstable => words::unstable(benchmark),
        other => format!("{}: {}", other.word(), other.describe()),
    };
    let _ = write!(out, "</dl><p class=\"why\">{}.</p></div></div>", html(&why));
    out
}

fn facts(benchmark: &ReducedBenchmark) -> Vec<(&'static str, String)> {
    let reduction = &benchmark.reduction;
    let (before, after) = (reduction.full.total_seconds(), reduction.chosen.total_seconds());
    let average = match by_name(benchmark.metric).map(|metric| metric.average()) {
        Some(Average::Mean) => "mean",
        _ => "median",
    };
    let (chosen, full) = scale::pair(reduction.averages.0 / 1e9, reduction.averages.1 / 1e9, &Unit::Seconds);
    let mut rows = vec![
        ("levels", benchmark.level_names()),
        ("before", format!("{}, {}", benchmark.full_levels(), words::seconds(before))),
        ("after", format!("{}, {}", benchmark.chosen_levels(), words::seconds(after))),
        ("saved", scale::share(saved(before, after))),
    ];
    if reduction.full.warmup_seconds > 0.0 {
        let (full, chosen) = (reduction.full.warmup_seconds, reduction.chosen.warmup_seconds);
        rows.push(("warm-up in it", format!("{} → {}", words::seconds(full), words::seconds(chosen))));
    }
    let values = (reduction.chosen.instability, reduction.full.instability);
    rows.push((
        benchmark.metric,
        format!("{}, in full {}", words::instability(values.0), words::instability(values.1)),
    ));
    rows.push((average, format!("{chosen}, in full {full} ({})", scale::change(reduction.change()))));
    rows
}

fn write_unstable(report: &ReductionReport, out: &mut dyn Write) -> io::Result<()> {
    let all: Vec<&ReducedBenchmark> =
        report.benchmarks.iter().filter(|one| one.why == Why::Unstable).collect();
    if all.is_empty() {
        return Ok(());
    }
    writeln!(
        out,
        "<section><h2>Unstable at full size</h2>\n<p class=\"lead\">Even the full measurement does not make {} stable; the repetitions they would need are \
         extrapolated, with a 90 % interval.</p>\n<div class=\"scroll\"><table class=\"unstable\"><thead><tr>\
         <th>benchmark</th><th>metric</th><th>in full</th><th>repetitions</th><th>it would need</th></tr></thead><tbody>",
        plural(all.len(), "benchmark")
    )?;
    for benchmark in all {
        let n = benchmark.full_repetitions();
        let needed =
            benchmark.forecast.as_ref().map(|forecast| words::needed(forecast, n)).unwrap_or_default();
        writeln!(
            out,
            "<tr><td class=\"mono\">{}{}</td><td>{}</td><td>{}</td><td>{n}</td><td>{}</td></tr>",
            html(benchmark.id.short_name()),
            above(report, benchmark),
            benchmark.metric,
            words::instability(benchmark.reduction.full.instability),
            html(&needed)
        )?;
    }
    writeln!(out, "</tbody></table></div></section>")
}

fn write_notes(report: &ReductionReport, out: &mut dyn Write) -> io::Result<()> {
    if report.diagnostics.is_empty() {
        return Ok(());
    }
    writeln!(out, "<section><h2>Notes</h2>")?;
    for diagnostic in &report.diagnostics {
        let class = diagnostic.severity.word();
        writeln!(out, "<p class=\"note {class}\">{}</p>", html(&diagnostic.to_string()))?;
    }
    writeln!(out, "</section>")
}

fn write_legend(totals: &Totals, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "<footer><dl class=\"conditions\">")?;
    for (word, text) in words::legend(totals) {
        writeln!(out, "<div><dt>{word}</dt><dd>{}</dd></div>", html(text))?;
    }
    writeln!(out, "</dl></footer>")
}

/// The colours of verdicts, used here for bad, doubtful, good and ordinary.
fn class(why: Why) -> &'static str {
    match why {
        Why::Unstable => "v-slower",
        Why::Full => "v-undecided",
        Why::Stable => "v-faster",
        Why::Floor => "v-same",
    }
}

fn glyph(why: Why) -> &'static str {
    match why {
        Why::Unstable => "▲",
        Why::Full => "○",
        Why::Stable => "●",
        Why::Floor => "▼",
    }
}

fn title(why: Why) -> &'static str {
    match why {
        Why::Unstable => "unstable at full size",
        Why::Full => "stable only at full size",
        Why::Stable => "stable with less",
        Why::Floor => "stable at the floor",
    }
}
