//! The parts of the report, top to bottom.

use std::collections::BTreeMap;
use std::io::{self, Write};

use benchwright_model::{Comparison, Finding, Nature, Reason, Verdict};

use super::prose::{Lines, Palette, Tone, wrap};
use super::table::{Align, Cell, Column, Line, Table};
use crate::escape::terminal;
use crate::overview::{self, Overview, plural};
use crate::scale;

/// Up to this many rows that are the same are shown one by one.
const SAME_ROWS: usize = 20;

/// Lines of a failed trial's own words that are shown.
const LAST_WORDS: usize = 4;

/// A reason that more benchmarks share is told once for all of them.
const REASONS_ONE_BY_ONE: usize = 5;

/// Names in a list of added or removed benchmarks before the rest is only counted.
const LISTED: usize = 20;

/// How the table is to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TextOptions {
    /// Columns there are; none: as many as needed.
    pub width: Option<usize>,
    /// Whether escape sequences for colour are wanted.
    pub colour: bool,
    /// Whether every row is shown, even if many are the same.
    pub all: bool,
}

/// Writes the report.
pub fn write(comparison: &Comparison, options: &TextOptions, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page {
        limit: options.width.unwrap_or(usize::MAX).max(1),
        palette: Palette { colour: options.colour },
        all: options.all,
        out,
    };
    let overview = Overview::of(comparison);
    page.header(comparison, &overview)?;
    page.measured(&overview)?;
    page.quartets(&overview)?;
    page.counted(&overview)?;
    page.open(Verdict::Undecided, &overview)?;
    page.open(Verdict::NotMeasured, &overview)?;
    page.accepted(&overview)?;
    page.warnings(&overview)?;
    page.names("added in head", comparison.added.iter().map(ToString::to_string))?;
    page.names("removed in head", comparison.removed.iter().map(ToString::to_string))?;
    page.failures(comparison)?;
    page.lines().diagnostics(&comparison.diagnostics)?;
    page.footer(comparison, &overview)
}

struct Page<'a> {
    limit: usize,
    palette: Palette,
    all: bool,
    out: &'a mut dyn Write,
}

impl Page<'_> {
    fn header(&mut self, comparison: &Comparison, overview: &Overview<'_>) -> io::Result<()> {
        let run = &comparison.run;
        let title = |version: &benchwright_model::Version| match version.subject.as_str() {
            "" => version.title(),
            subject => format!("{} · {subject}", version.title()),
        };
        if let Some(base) = &run.base {
            self.prose("base  ", &title(base), Tone::Plain)?;
        }
        self.prose("head  ", &title(&run.head), Tone::Plain)?;
        self.prose("on    ", &overview::machine(run), Tone::Dim)?;
        // The note belongs to people who ask for it: to --all, the page and JSON.
        let rule = overview::rule(comparison, overview);
        let note = match comparison.rule_note.as_str() {
            note if self.all && !note.is_empty() => format!("{rule}: {note}"),
            _ => rule,
        };
        self.prose("rule  ", &note, Tone::Dim)
    }

    fn measured(&mut self, overview: &Overview<'_>) -> io::Result<()> {
        if overview.measured.is_empty() {
            return Ok(());
        }
        writeln!(self.out)?;
        let same = overview.counts.same;
        let folds = !self.all && same > SAME_ROWS;
        let shown: Vec<&Finding> =
            overview.measured.iter().copied().filter(|f| !folds || f.verdict != Verdict::Same).collect();
        let mut lines = grouped(&shown, overview);
        if folds {
            let which = if shown.is_empty() { "all" } else { "… and" };
            lines.push(Line::Heading(Cell::toned(
                format!("{which} {same} the same (--all shows them)"),
                Tone::Dim,
            )));
        }
        if let Some((change, n)) = overview.geomean() {
            let mut cells = vec![Cell::default(); 6];
            cells[0] = Cell::toned(format!("geomean of {n}"), Tone::Strong);
            cells[5] = Cell::toned(scale::change(change), Tone::Strong);
            lines.push(Line::Row(cells));
        }
        Table { columns: comparison_columns(overview), lines }.write(self.limit, self.palette, self.out)
    }

    fn counted(&mut self, overview: &Overview<'_>) -> io::Result<()> {
        let rest = overview.quiet.parts();
        if overview.changed_counts.is_empty() && rest.is_empty() {
            return Ok(());
        }
        writeln!(self.out)?;
        if !overview.changed_counts.is_empty() {
            let mut columns = comparison_columns(overview);
            columns[0].heading = overview.changed_noun().into();
            let lines = grouped(&overview.changed_counts, overview);
            Table { columns, lines }.write(self.limit, self.palette, self.out)?;
        }
        if rest.is_empty() { Ok(()) } else { self.prose("", &rest.join(", "), Tone::Dim) }
    }

    /// Why benchmarks are undecided or not measured.
    fn open(&mut self, verdict: Verdict, overview: &Overview<'_>) -> io::Result<()> {
        let all = overview.measured.iter().chain(&overview.changed_counts);
        let is_open = |f: &&&Finding| f.verdict == verdict && f.reason != Reason::Informational;
        let open: Vec<&&Finding> = all.filter(is_open).collect();
        self.title(verdict.word(), open.len())?;
        let mut shared: BTreeMap<String, usize> = BTreeMap::new();
        for finding in &open {
            *shared.entry(finding.reason.describe()).or_default() += 1;
        }
        for finding in open {
            let why = finding.reason.describe();
            if shared.get(&why).is_some_and(|n| *n <= REASONS_ONE_BY_ONE) {
                self.entry(&entry_name(finding, overview.has_packages()), &why, Tone::Doubt)?;
            }
        }
        for (why, n) in shared.iter().filter(|(_, n)| **n > REASONS_ONE_BY_ONE) {
            self.entry(&plural(*n, "benchmark"), why, Tone::Doubt)?;
        }
        Ok(())
    }

    /// How many were judged four duets at a time.
    fn quartets(&mut self, overview: &Overview<'_>) -> io::Result<()> {
        match overview.measured.iter().filter(|finding| finding.quartets > 0).count() {
            0 => Ok(()),
            n => {
                let text =
                    format!("{} judged four duets at a time: single ones vary more", plural(n, "benchmark"));
                self.prose("", &text, Tone::Dim)
            }
        }
    }

    /// Slowdowns that are meant to be, with the reasons given for them.
    fn accepted(&mut self, overview: &Overview<'_>) -> io::Result<()> {
        let all = overview.measured.iter().chain(&overview.changed_counts);
        let accepted: Vec<(&&Finding, &String)> =
            all.filter_map(|finding| Some((finding, finding.accepted.as_ref()?))).collect();
        self.title("accepted", accepted.len())?;
        for (finding, reason) in accepted {
            self.entry(&entry_name(finding, overview.has_packages()), reason, Tone::Plain)?;
        }
        Ok(())
    }

    fn warnings(&mut self, overview: &Overview<'_>) -> io::Result<()> {
        let all = overview.measured.iter().chain(&overview.changed_counts);
        let doubtful: Vec<&&Finding> = all.filter(|f| !f.warnings.is_empty()).collect();
        self.title("doubts", doubtful.len())?;
        for finding in doubtful {
            self.entry(
                &entry_name(finding, overview.has_packages()),
                &finding.warnings.join(" "),
                Tone::Doubt,
            )?;
        }
        Ok(())
    }

    fn names(&mut self, title: &str, names: impl Iterator<Item = String>) -> io::Result<()> {
        let names: Vec<String> = names.collect();
        self.title(title, names.len())?;
        let shown = if self.all { names.len() } else { names.len().min(LISTED) };
        for name in &names[..shown] {
            self.prose("  ", name, Tone::Plain)?;
        }
        match names.len() - shown {
            0 => Ok(()),
            more => self.prose("  ", &format!("… and {more} more (--all shows them)"), Tone::Dim),
        }
    }

    fn failures(&mut self, comparison: &Comparison) -> io::Result<()> {
        self.title("failed", comparison.failures.len())?;
        for failure in &comparison.failures {
            let trials = plural(usize::try_from(failure.trials).unwrap_or(usize::MAX), "failed trial");
            let what = format!("{} on {}: {}", trials, failure.side, failure.kind.describe());
            self.entry(&failure.benchmark.to_string(), &what, Tone::Bad)?;
            let words = failure.detail.lines().filter(|line| !line.trim().is_empty());
            for line in words.take(LAST_WORDS) {
                self.prose("    │ ", line, Tone::Dim)?;
            }
        }
        Ok(())
    }

    fn footer(&mut self, comparison: &Comparison, overview: &Overview<'_>) -> io::Result<()> {
        writeln!(self.out)?;
        if comparison.is_partial {
            let note = "partial: the run ended before every benchmark was decided";
            self.prose("", note, Tone::Doubt)?;
        }
        if overview.failing > 0 {
            let note = format!("{} beyond the hard threshold", plural(overview.failing, "finding"));
            self.prose("", &note, Tone::Bad)?;
        }
        if let Some(note) = overview::layouts(comparison) {
            self.prose("", &note, Tone::Dim)?;
        }
        self.prose("", &overview::summary_line(comparison), Tone::Strong)
    }

    /// A blank line and a title, unless there is nothing below it.
    fn title(&mut self, title: &str, entries: usize) -> io::Result<()> {
        if entries == 0 {
            return Ok(());
        }
        writeln!(self.out)?;
        self.prose("", title, Tone::Strong)
    }

    /// A name and what there is to say about it.
    fn entry(&mut self, name: &str, text: &str, tone: Tone) -> io::Result<()> {
        let text = format!("{}: {}", terminal(name), terminal(text));
        for (index, line) in wrap("  ", &text, self.limit).iter().enumerate() {
            let tone = if index == 0 { Tone::Plain } else { tone };
            writeln!(self.out, "{}", self.palette.paint(tone, line))?;
        }
        Ok(())
    }

    fn prose(&mut self, first: &str, text: &str, tone: Tone) -> io::Result<()> {
        self.lines().prose(first, text, tone)
    }

    fn lines(&mut self) -> Lines<'_> {
        Lines { limit: self.limit, palette: self.palette, out: &mut *self.out }
    }
}

/// The name in a list below the table, where no heading says the package.
fn entry_name(finding: &Finding, has_packages: bool) -> String {
    let name = overview::row_name(&finding.benchmark, &finding.metric);
    if has_packages { format!("{}:{name}", finding.benchmark.package) } else { name }
}

fn comparison_columns(overview: &Overview<'_>) -> Vec<Column> {
    vec![
        Column::new("benchmark", Align::Left, None),
        Column::new("base", Align::Right, Some(3)),
        Column::new("±", Align::Left, Some(2)),
        Column::new("head", Align::Right, Some(5)),
        Column::new("±", Align::Left, Some(2)),
        Column::new("Δ", Align::Right, None),
        Column::new("[interval]", Align::Left, Some(1)),
        Column::new(overview.effort_heading(), Align::Right, Some(4)),
        Column::new("verdict", Align::Left, None),
    ]
}

/// Rows in their order; under package headings, packages in the order of their most important row, where there
/// is more than one package.
fn grouped(findings: &[&Finding], overview: &Overview<'_>) -> Vec<Line> {
    if !overview.has_packages() {
        return findings.iter().map(|finding| row(finding, "", overview)).collect();
    }
    let mut packages: Vec<&str> = Vec::new();
    for finding in findings {
        if !packages.contains(&finding.benchmark.package.as_str()) {
            packages.push(&finding.benchmark.package);
        }
    }
    let mut lines = Vec::new();
    for package in packages {
        lines.push(Line::Heading(Cell::toned(terminal(package), Tone::Strong)));
        let members = findings.iter().filter(|finding| finding.benchmark.package == package);
        lines.extend(members.map(|finding| row(finding, "  ", overview)));
    }
    lines
}

fn row(finding: &Finding, indent: &str, overview: &Overview<'_>) -> Line {
    let name = format!("{indent}{}", terminal(&overview::row_name(&finding.benchmark, &finding.metric)));
    let (base, head) = values(finding);
    let spread = |summary: &Option<benchwright_model::Summary>| match summary {
        Some(summary) if summary.trials > 1 && finding.reason != Reason::Exact => {
            scale::spread(summary.spread)
        }
        _ => String::new(),
    };
    let tone = tone(finding);
    Line::Row(vec![
        Cell::new(name),
        Cell::new(base),
        Cell::toned(spread(&finding.base), Tone::Dim),
        Cell::new(head),
        Cell::toned(spread(&finding.head), Tone::Dim),
        Cell::toned(overview::change_text(finding), tone),
        Cell::toned(overview::interval_text(finding), Tone::Dim),
        Cell::new(overview.effort_text(finding)),
        Cell { note: verdict_note(finding), ..Cell::toned(overview::verdict_word(finding), tone) },
    ])
}

/// The two values as text; each alone where the other is missing.
fn values(finding: &Finding) -> (String, String) {
    let unit = &finding.metric.unit;
    let alone = |side: &benchwright_model::Summary| scale::value(side.centre, unit);
    match (&finding.base, &finding.head) {
        (Some(base), Some(head)) => scale::pair(base.centre, head.centre, unit),
        (base, head) => {
            (base.as_ref().map(alone).unwrap_or_default(), head.as_ref().map(alone).unwrap_or_default())
        }
    }
}

/// What makes the verdict special.
fn verdict_note(finding: &Finding) -> String {
    let is_measured = finding.metric.nature == Nature::Measured;
    let note = match (finding.verdict, &finding.reason) {
        (Verdict::Same, Reason::IdenticalBuild) => " (identical build)",
        (Verdict::Slower, _) if finding.accepted.is_some() => " (accepted)",
        (Verdict::Slower, _) if is_measured && !finding.fails => " (soft)",
        (_, _) if !is_measured && finding.fails => " (fails)",
        _ => "",
    };
    note.to_owned()
}

fn tone(finding: &Finding) -> Tone {
    match finding.verdict {
        Verdict::Slower => Tone::Bad,
        Verdict::Faster => Tone::Good,
        Verdict::Changed | Verdict::Undecided | Verdict::NotMeasured => Tone::Doubt,
        Verdict::Same => Tone::Dim,
    }
}
