//! The page, from top to bottom.

use std::collections::BTreeMap;
use std::io::{self, Write};

use benchwright_formats::moment;
use benchwright_formats::separated::exact;
use benchwright_model::{BenchmarkId, Comparison, Finding, Reason, Summary, Trial, Verdict, Version};

use super::axis::Axis;
use super::{detail, effect, frame};
use crate::escape::html;
use crate::gate::Gate;
use crate::overview::{self, Overview, elapsed, plural};
use crate::{legend, scale, stops};

/// Writes the page. With the run's `trials` it also shows their values, otherwise only duets and numbers.
pub fn write(comparison: &Comparison, trials: &[Trial], out: &mut dyn Write) -> io::Result<()> {
    let overview = Overview::of(comparison);
    let mut by_benchmark: BTreeMap<&BenchmarkId, Vec<&Trial>> = BTreeMap::new();
    for trial in trials {
        by_benchmark.entry(&trial.benchmark).or_default().push(trial);
    }
    write_head(comparison, out)?;
    write_header(comparison, &overview, out)?;
    writeln!(out, "<main>")?;
    write_effects(comparison, &overview, &by_benchmark, out)?;
    write_counts(&overview, out)?;
    stops::write_html(trials, out)?;
    write_failures(comparison, out)?;
    write_names("Added in head", &comparison.added, out)?;
    write_names("Removed in head", &comparison.removed, out)?;
    write_diagnostics(comparison, out)?;
    write_conditions(comparison, out)?;
    frame::write_end(out)
}

fn write_head(comparison: &Comparison, out: &mut dyn Write) -> io::Result<()> {
    let title = match &comparison.run.base {
        Some(base) => format!("{} → {}", base.label, comparison.run.head.label),
        None => comparison.run.head.label.clone(),
    };
    frame::write_head(&title, "", out)
}

fn write_header(comparison: &Comparison, overview: &Overview<'_>, out: &mut dyn Write) -> io::Result<()> {
    let run = &comparison.run;
    writeln!(out, "<header>\n<p class=\"brand\">benchwright comparison</p>\n<div class=\"versions\">")?;
    if let Some(base) = &run.base {
        write_version("base", base, out)?;
        writeln!(out, "<div class=\"arrow\" aria-hidden=\"true\">→</div>")?;
    }
    write_version("head", &run.head, out)?;
    writeln!(out, "</div>\n<ul class=\"tally\">")?;
    for (verdict, n) in overview.counts.list() {
        if n > 0 || verdict == Verdict::Slower {
            let (name, word) = (verdict.name(), verdict.word());
            let none = if n == 0 { " none" } else { "" };
            writeln!(
                out,
                "<li class=\"v-{name}{none}\"><span class=\"glyph\" aria-hidden=\"true\">{}</span>\
                 <b>{n}</b> {word}</li>",
                glyph(verdict)
            )?;
        }
    }
    if let Some((change, n)) = overview.geomean() {
        writeln!(out, "<li class=\"geomean\"><b>{}</b> geomean of {n}</li>", scale::change(change))?;
    }
    writeln!(out, "</ul>")?;
    if comparison.is_partial {
        writeln!(out, "<p class=\"partial\">Partial: the run ended before every benchmark was decided.</p>")?;
    }
    if let Some(complaint) = Gate::complaint(comparison) {
        writeln!(out, "<p class=\"partial\">{}</p>", html(&complaint))?;
    }
    write_facts(comparison, overview, out)?;
    writeln!(out, "</header>")
}

fn write_version(side: &str, version: &Version, out: &mut dyn Write) -> io::Result<()> {
    let commit = version.commit.as_deref().unwrap_or_default();
    let short: String = commit.chars().take(9).collect();
    let is_named = !short.is_empty() && !version.label.starts_with(&short);
    let commit = match (is_named, version.dirty) {
        (true, true) => format!(" <code>{} + changes</code>", html(&short)),
        (true, false) => format!(" <code>{}</code>", html(&short)),
        (false, _) => String::new(),
    };
    writeln!(
        out,
        "<div class=\"version\"><span class=\"side\">{side}</span><h1>{}{commit}</h1><p>{}</p></div>",
        html(&version.label),
        html(&version.subject)
    )
}

fn write_facts(comparison: &Comparison, overview: &Overview<'_>, out: &mut dyn Write) -> io::Result<()> {
    let run = &comparison.run;
    let measured = format!("{}, {}", plural(overview.benchmarks, "benchmark"), overview.effort());
    let took = elapsed(run).map(|time| format!(" in {}", scale::duration(time))).unwrap_or_default();
    let rule = overview::rule(comparison, overview);
    let note = &comparison.rule_note;
    let rule = if note.is_empty() { rule } else { format!("{rule} ({note})") };
    let rule = overview::layouts(comparison).map_or(rule.clone(), |note| format!("{rule}; {note}"));
    let when = moment(run.started_at).replace('T', " ");
    let when = format!("{} UTC", when.split('.').next().unwrap_or_default().trim_end_matches('Z'));
    let rows = [
        ("measured", format!("{measured}{took}")),
        ("when", when),
        ("machine", overview::machine(run)),
        ("seed", run.seed.to_string()),
        ("rule", rule),
    ];
    writeln!(out, "<dl class=\"conditions\">")?;
    for (name, text) in rows {
        writeln!(out, "<div><dt>{name}</dt><dd>{}</dd></div>", html(&text))?;
    }
    writeln!(out, "</dl>")
}

fn write_effects(
    comparison: &Comparison,
    overview: &Overview<'_>,
    trials: &BTreeMap<&BenchmarkId, Vec<&Trial>>,
    out: &mut dyn Write,
) -> io::Result<()> {
    if overview.measured.is_empty() {
        return writeln!(out, "<section><h2>Effects</h2><p>No benchmark was measured.</p></section>");
    }
    let axis = common_axis(overview);
    writeln!(
        out,
        "<section>\n<h2>Effects</h2>\n<p class=\"lead\">Change of head against base with its interval; the shaded band is \
         the threshold. Each line opens to its duets.</p>"
    )?;
    if let Some(sentence) = legend::rule_sentence(comparison, overview) {
        writeln!(out, "<p class=\"lead\">{}</p>", html(&detail::sentence_case(&sentence)))?;
    }
    write_controls(overview, out)?;
    writeln!(
        out,
        "<div class=\"row axis-row\" aria-hidden=\"true\"><span class=\"verdict\">verdict</span>\
         <span class=\"name\">benchmark</span><span class=\"side\">base</span><span class=\"side\">head</span>{}\
         <span class=\"delta\">change</span></div>\n<div id=\"list\">",
        effect::axis_svg(axis)
    )?;
    let none = Vec::new();
    let (unmeasured, shown): (Vec<&Finding>, Vec<&Finding>) =
        overview.measured.iter().copied().partition(|finding| overview::is_unmeasured(finding));
    for (order, finding) in shown.iter().enumerate() {
        let own = trials.get(&finding.benchmark).unwrap_or(&none);
        write_finding(order, finding, own, axis, overview.has_packages(), out)?;
    }
    writeln!(out, "</div>\n<p id=\"nothing\" hidden>No benchmark matches.</p>")?;
    let estimators = legend::estimators(overview.is_apart(), "", "change");
    writeln!(out, "<div class=\"legend-lines\">")?;
    let undecided = legend::undecided(&shown);
    let star = legend::star(&shown, "change");
    let verdicts = legend::verdicts(&shown, overview.is_one_version);
    for line in [estimators].iter().chain(&star).chain(&verdicts).chain(&undecided) {
        writeln!(out, "<p class=\"lead\">{}</p>", html(&detail::sentence_case(line)))?;
    }
    writeln!(out, "</div>")?;
    write_unmeasured(&unmeasured, out)?;
    writeln!(out, "</section>")
}

/// Benchmarks that there was no time for, or that failed from the start: folded, and grouped by reason.
fn write_unmeasured(findings: &[&Finding], out: &mut dyn Write) -> io::Result<()> {
    if findings.is_empty() {
        return Ok(());
    }
    let count = plural(findings.len(), "benchmark");
    writeln!(out, "<details class=\"unmeasured\"><summary>{count} not measured</summary>")?;
    for (reason, members) in legend::by_reason(findings) {
        writeln!(out, "<h3>{}: {}</h3><ul class=\"names\">", members.len(), html(&reason))?;
        for finding in members {
            writeln!(out, "<li>{}</li>", html(&finding.benchmark.to_string()))?;
        }
        writeln!(out, "</ul>")?;
    }
    writeln!(out, "</details>")
}

/// A common axis for all estimates, and for the parts of intervals that do not compress them.
fn common_axis(overview: &Overview<'_>) -> Axis {
    let thresholds = overview.measured.iter().map(|finding| finding.thresholds.soft.ln_1p());
    let threshold = thresholds.filter(|size| size.is_finite()).fold(0.0, f64::max);
    let effects = || overview.measured.iter().filter_map(|finding| finding.effect);
    let sizes = effects().map(|effect| effect.centre.abs()).filter(|size| size.is_finite());
    let reach = 1.5 * sizes.fold(2.0 * threshold, f64::max);
    let points = effects().flat_map(|effect| [effect.lo, effect.centre, effect.hi]);
    Axis::around(points.filter(|point| point.abs() <= reach), threshold)
}

fn write_controls(overview: &Overview<'_>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "<form class=\"controls\" hidden>\n<input type=\"search\" id=\"filter\" placeholder=\"Filter by name\" \
         aria-label=\"Filter by name\">\n<fieldset><legend>Show</legend>"
    )?;
    for (verdict, n) in overview.counts.list().into_iter().filter(|(_, n)| *n > 0) {
        let (name, word) = (verdict.name(), verdict.word());
        writeln!(
            out,
            "<label class=\"v-{name}\"><input type=\"checkbox\" value=\"{name}\" checked>\
             <span aria-hidden=\"true\">{}</span> {word} {n}</label>",
            glyph(verdict)
        )?;
    }
    writeln!(
        out,
        "</fieldset>\n<label class=\"sort\">Sort <select id=\"sort\"><option value=\"order\">by verdict</option>\
         <option value=\"change\">by change</option><option value=\"name\">by name</option>\
         <option value=\"spread\">by spread</option></select></label>\n\
         <button type=\"button\" id=\"toggle\">Open all</button>\n</form>"
    )
}

fn write_finding(
    order: usize,
    finding: &Finding,
    trials: &[&Trial],
    axis: Axis,
    has_packages: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    let name = html(&overview::row_name(&finding.benchmark, &finding.metric));
    let package = if has_packages {
        format!("<span class=\"package\">{}</span>", html(&finding.benchmark.package))
    } else {
        String::new()
    };
    let (base, head) = overview::values(finding);
    let change = finding.effect.map_or(0.0, |effect| effect.centre);
    let spread = finding.head.or(finding.base).map_or(0.0, |side: Summary| side.spread);
    let name_of_verdict = finding.verdict.name();
    let fails = if finding.fails { " fails" } else { "" };
    writeln!(
        out,
        "<details class=\"finding v-{name_of_verdict}{fails}\" data-verdict=\"{name_of_verdict}\" data-order=\"{order}\" \
         data-change=\"{}\" data-spread=\"{}\"><summary class=\"row\"><span class=\"verdict\">\
         <span class=\"glyph\" aria-hidden=\"true\">{}</span> {}</span>\
         <span class=\"name\">{name}{package}</span><span class=\"side\">{}</span><span class=\"side\">{}</span>{}\
         <span class=\"delta\"><b>{}</b> <small>{}</small></span></summary>",
        exact(change),
        exact(spread),
        glyph(finding.verdict),
        overview::verdict_word(finding),
        html(&base),
        html(&head),
        effect::effect_svg(finding, axis),
        html(&overview::starred_change(finding)),
        html(&beside_change(finding)),
    )?;
    writeln!(out, "{}</details>", detail::detail(finding, trials))
}

/// The interval, or why there is none.
fn beside_change(finding: &Finding) -> String {
    match finding.reason {
        _ if finding.verdict == Verdict::NotMeasured => finding.reason.describe(),
        Reason::IdenticalBuild => finding.reason.describe(),
        _ => overview::interval_text(finding),
    }
}

fn write_counts(overview: &Overview<'_>, out: &mut dyn Write) -> io::Result<()> {
    let rest = overview.quiet.parts();
    if overview.changed_counts.is_empty() && rest.is_empty() {
        return Ok(());
    }
    writeln!(out, "<section><h2>Counts and other metrics</h2>")?;
    if !overview.changed_counts.is_empty() {
        writeln!(
            out,
            "<div class=\"scroll\"><table><thead><tr><th>benchmark</th><th>metric</th><th class=\"num\">base</th>\
             <th class=\"num\">head</th><th class=\"num\">change</th><th>verdict</th></tr></thead><tbody>"
        )?;
        for finding in &overview.changed_counts {
            write_count(finding, out)?;
        }
        writeln!(out, "</tbody></table></div>")?;
    }
    if !rest.is_empty() {
        writeln!(out, "<p class=\"lead\">{}.</p>", rest.join(", "))?;
    }
    writeln!(out, "</section>")
}

fn write_count(finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
    let unit = &finding.metric.unit;
    let (base, head) = match (&finding.base, &finding.head) {
        (Some(base), Some(head)) => scale::pair(base.centre, head.centre, unit),
        _ => (String::new(), String::new()),
    };
    writeln!(
        out,
        "<tr class=\"v-{}\"><td class=\"mono\">{}</td><td>{}</td><td class=\"num\">{}</td><td class=\"num\">{}</td>\
         <td class=\"num\">{}</td><td><span class=\"verdict\"><span class=\"glyph\" aria-hidden=\"true\">{}</span> \
         {}{}</span></td></tr>",
        finding.verdict.name(),
        html(finding.benchmark.short_name()),
        html(&finding.metric.name),
        html(&base),
        html(&head),
        html(&overview::change_text(finding)),
        glyph(finding.verdict),
        overview::verdict_word(finding),
        if finding.fails { " (fails)" } else { "" },
    )
}

fn write_failures(comparison: &Comparison, out: &mut dyn Write) -> io::Result<()> {
    if comparison.failures.is_empty() {
        return Ok(());
    }
    writeln!(out, "<section><h2>Failed trials</h2>")?;
    for failure in &comparison.failures {
        let trials = plural(usize::try_from(failure.trials).unwrap_or(usize::MAX), "failed trial");
        writeln!(
            out,
            "<article class=\"failure\"><h3>{}</h3><p>{trials} on {}: {}.</p>",
            html(&failure.benchmark.to_string()),
            failure.side,
            html(&failure.kind.describe())
        )?;
        if !failure.detail.trim().is_empty() {
            writeln!(out, "<pre>{}</pre>", html(failure.detail.trim_end()))?;
        }
        writeln!(out, "</article>")?;
    }
    writeln!(out, "</section>")
}

fn write_names(title: &str, ids: &[BenchmarkId], out: &mut dyn Write) -> io::Result<()> {
    if ids.is_empty() {
        return Ok(());
    }
    writeln!(out, "<section><h2>{title}</h2><ul class=\"names\">")?;
    for id in ids {
        writeln!(out, "<li>{}</li>", html(&id.to_string()))?;
    }
    writeln!(out, "</ul></section>")
}

fn write_diagnostics(comparison: &Comparison, out: &mut dyn Write) -> io::Result<()> {
    if comparison.diagnostics.is_empty() {
        return Ok(());
    }
    writeln!(out, "<section><h2>Notes</h2>")?;
    for diagnostic in &crate::remarks::condensed(&comparison.diagnostics) {
        let class = diagnostic.severity.word();
        writeln!(out, "<p class=\"note {class}\">{}</p>", html(&diagnostic.to_string()))?;
    }
    writeln!(out, "</section>")
}

fn write_conditions(comparison: &Comparison, out: &mut dyn Write) -> io::Result<()> {
    let run = &comparison.run;
    writeln!(out, "<footer><details><summary>How this was measured</summary><dl class=\"conditions\">")?;
    let mut rows: Vec<(String, String)> = vec![
        ("command".into(), run.command.join(" ")),
        ("run".into(), run.id.0.clone()),
        ("benchwright".into(), run.tool_version.clone()),
    ];
    let pairs = run.environment.facts.iter().chain(&run.settings);
    rows.extend(pairs.map(|(key, value)| (key.clone(), value.clone())));
    for (key, value) in rows.iter().filter(|(_, value)| !value.is_empty()) {
        writeln!(out, "<div><dt>{}</dt><dd>{}</dd></div>", html(key), html(value))?;
    }
    writeln!(out, "</dl></details></footer>")
}

fn glyph(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Slower => "▲",
        Verdict::Faster => "▼",
        Verdict::Changed => "◆",
        Verdict::Undecided => "○",
        Verdict::NotMeasured => "–",
        Verdict::Same => "●",
    }
}
