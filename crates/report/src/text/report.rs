//! The parts of the report, from top to bottom.

use std::io::{self, Write};

use benchwright_model::{Comparison, Finding, Nature, Reason, Verdict};

use super::prose::{Lines, Palette, Tone, wrap};
use super::table::{Align, Cell, Column, Line, Table};
use crate::escape::terminal;
use crate::overview::{self, Overview, plural};
use crate::remarks::{self, Failed};
use crate::{legend, scale};

/// Up to this many rows with the verdict same are shown one by one.
const SAME_ROWS: usize = 20;

/// Number of lines of a failed trial's output that are shown.
const LAST_WORDS: usize = 4;

/// Up to this many undecided rows are shown one by one, those with the largest change.
const UNDECIDED_ROWS: usize = 20;

/// Up to this many rows of benchmarks that were not measured are shown one by one.
const UNMEASURED_ROWS: usize = 5;

/// If more undecided benchmarks than this have the same reason, it is shown once for all of them.
const REASONS_ONE_BY_ONE: usize = 5;

/// Number of benchmarks that were not measured and are named for each reason.
const NAMED: usize = 3;

/// Number of names in a list of added or removed benchmarks. The rest is only counted.
const LISTED: usize = 20;

/// Failed benchmarks before the rest is only counted.
const FAILED: usize = 10;

/// Options of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TextOptions {
    /// Width of the terminal in columns. `None` means no limit.
    pub width: Option<usize>,
    /// Whether escape sequences for colour are used.
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
    page.legend(&overview)?;
    page.undecided(&overview)?;
    page.unmeasured(&overview)?;
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
        // The note is shown only in detailed output: with --all, on the page and in JSON.
        let rule = overview::rule(comparison, overview);
        let note = match comparison.rule_note.as_str() {
            note if self.all && !note.is_empty() => format!("{rule}: {note}"),
            _ => rule,
        };
        self.prose("rule  ", &note, Tone::Dim)?;
        match legend::rule_sentence(comparison, overview) {
            Some(sentence) => self.prose("      ", &sentence, Tone::Dim),
            None => Ok(()),
        }
    }

    fn measured(&mut self, overview: &Overview<'_>) -> io::Result<()> {
        if overview.measured.is_empty() {
            return Ok(());
        }
        writeln!(self.out)?;
        let folded = Folded::of(overview, self.all);
        let mut lines = grouped(&folded.shown, overview);
        let mut more = if folded.shown.is_empty() { "all" } else { "… and" };
        let hidden = [
            (folded.undecided, "more undecided"),
            (folded.unmeasured, "not measured"),
            (folded.same, "the same"),
        ];
        for (n, what) in hidden.into_iter().filter(|(n, _)| *n > 0) {
            lines
                .push(Line::Heading(Cell::toned(format!("{more} {n} {what} (--all shows them)"), Tone::Dim)));
            more = "… and";
        }
        if let Some((change, n)) = overview.geomean() {
            let mut cells = vec![Cell::default(); 6];
            cells[0] = Cell::toned(format!("geomean of {n}"), Tone::Strong);
            cells[5] = Cell::toned(scale::change(change), Tone::Strong);
            lines.push(Line::Row(cells));
        }
        Table { columns: comparison_columns(overview), lines }.write(self.limit, self.palette, self.out)
    }

    /// The meaning of the tables' abbreviations.
    fn legend(&mut self, overview: &Overview<'_>) -> io::Result<()> {
        let mut rows = Folded::of(overview, self.all).shown;
        rows.extend(&overview.changed_counts);
        let lines = legend::legend(&rows, overview, "Δ");
        if !lines.is_empty() {
            writeln!(self.out)?;
        }
        lines.iter().try_for_each(|line| self.prose("", line, Tone::Dim))
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

    fn undecided(&mut self, overview: &Overview<'_>) -> io::Result<()> {
        let all = overview.measured.iter().chain(&overview.changed_counts).copied();
        let open: Vec<&Finding> =
            all.filter(|f| overview::is_open(f) && !overview::is_unmeasured(f)).collect();
        self.title("undecided", open.len())?;
        let are_few = self.all || open.len() <= UNDECIDED_ROWS;
        for (reason, members) in legend::by_reason(&open) {
            if !are_few || members.len() > REASONS_ONE_BY_ONE {
                self.entry(&plural(members.len(), "benchmark"), &reason, Tone::Doubt)?;
                continue;
            }
            self.reasons(&members, overview)?;
        }
        match open.iter().find_map(|finding| legend::evidence_note(finding)) {
            Some(note) => self.prose("  ", &note, Tone::Dim),
            None => Ok(()),
        }
    }

    /// The reason of each finding.
    fn reasons(&mut self, findings: &[&Finding], overview: &Overview<'_>) -> io::Result<()> {
        for finding in findings {
            let name = entry_name(finding, overview.has_packages());
            self.entry(&name, &finding.reason.describe(), Tone::Doubt)?;
        }
        Ok(())
    }

    /// Benchmarks that there was no time for, or that failed from the start: the number for each reason.
    fn unmeasured(&mut self, overview: &Overview<'_>) -> io::Result<()> {
        let all = overview.measured.iter().copied();
        let unmeasured: Vec<&Finding> = all.filter(|f| overview::is_unmeasured(f)).collect();
        self.title("not measured", unmeasured.len())?;
        for (reason, members) in legend::by_reason(&unmeasured) {
            if members.len() <= REASONS_ONE_BY_ONE {
                self.reasons(&members, overview)?;
                continue;
            }
            let named = if self.all { members.len() } else { members.len().min(NAMED) };
            let names: Vec<String> =
                members[..named].iter().map(|f| entry_name(f, overview.has_packages())).collect();
            let more = match members.len() - named {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let count = plural(members.len(), "benchmark");
            self.entry(&count, &format!("{reason} ({}{more})", names.join(", ")), Tone::Doubt)?;
        }
        Ok(())
    }

    /// How many benchmarks were judged by pooled duets.
    fn quartets(&mut self, overview: &Overview<'_>) -> io::Result<()> {
        match overview.measured.iter().filter(|finding| finding.quartets > 0).count() {
            0 => Ok(()),
            n => {
                let text = format!(
                    "{} judged four duets at a time: single ones vary more; base and head are those of single ones",
                    plural(n, "benchmark")
                );
                self.prose("", &text, Tone::Dim)
            }
        }
    }

    /// Accepted slowdowns, with the reasons given for them.
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
        self.more(names.len() - shown)
    }

    /// How many entries of a list are not shown.
    fn more(&mut self, hidden: usize) -> io::Result<()> {
        match hidden {
            0 => Ok(()),
            more => self.prose("  ", &format!("… and {more} more (--all shows them)"), Tone::Dim),
        }
    }

    fn failures(&mut self, comparison: &Comparison) -> io::Result<()> {
        let entries = remarks::failed(&comparison.failures, "failed trial");
        self.title("failed", entries.len())?;
        let shown = if self.all { entries.len() } else { entries.len().min(FAILED) };
        for Failed { failure, trials, is_alike } in &entries[..shown] {
            let alike = if *is_alike { format!("; {}", remarks::ALIKE) } else { String::new() };
            let what = format!("{trials}: {}{alike}", failure.kind.describe());
            self.entry(&failure.benchmark.to_string(), &what, Tone::Bad)?;
            for line in overview::telling(&failure.detail, LAST_WORDS) {
                self.prose("    │ ", line, Tone::Dim)?;
            }
        }
        self.more(entries.len() - shown)
    }

    fn footer(&mut self, comparison: &Comparison, overview: &Overview<'_>) -> io::Result<()> {
        writeln!(self.out)?;
        if comparison.is_partial {
            let note = "partial: the run ended before every benchmark was decided";
            self.prose("", note, Tone::Doubt)?;
        }
        if overview.failing > 0 {
            let note = format!(
                "{} at or beyond the hard threshold{} (fail-threshold)",
                plural(overview.failing, "finding"),
                overview.hard_threshold()
            );
            self.prose("", &note, Tone::Bad)?;
        }
        if let Some(note) = overview::layouts(comparison) {
            self.prose("", &note, Tone::Dim)?;
        }
        self.prose("", &overview::summary_line(comparison), Tone::Strong)
    }

    /// A blank line and a title, unless there are no entries below it.
    fn title(&mut self, title: &str, entries: usize) -> io::Result<()> {
        if entries == 0 {
            return Ok(());
        }
        writeln!(self.out)?;
        self.prose("", title, Tone::Strong)
    }

    /// A name and the text for it.
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

/// The rows that the table shows, and how many it does not show.
struct Folded<'a> {
    shown: Vec<&'a Finding>,
    undecided: usize,
    unmeasured: usize,
    same: usize,
}

impl<'a> Folded<'a> {
    fn of(overview: &Overview<'a>, all: bool) -> Self {
        let mut folded = Folded { shown: Vec::new(), undecided: 0, unmeasured: 0, same: 0 };
        let folds_same = overview.counts.same > SAME_ROWS;
        let unmeasured = overview.measured.iter().filter(|finding| overview::is_unmeasured(finding)).count();
        let mut undecided = 0;
        for finding in &overview.measured {
            let is_undecided = overview::is_open(finding) && !overview::is_unmeasured(finding);
            undecided += usize::from(is_undecided);
            let hidden = match finding.verdict {
                _ if all => None,
                _ if overview::is_unmeasured(finding) && unmeasured > UNMEASURED_ROWS => {
                    Some(&mut folded.unmeasured)
                }
                _ if is_undecided && undecided > UNDECIDED_ROWS => Some(&mut folded.undecided),
                Verdict::Same if folds_same => Some(&mut folded.same),
                _ => None,
            };
            match hidden {
                Some(number) => *number += 1,
                None => folded.shown.push(finding),
            }
        }
        folded
    }
}

/// The name in a list below the table, where no heading shows the package.
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

/// Rows in their order. If there is more than one package, rows are under package headings, with packages in
/// the order of their most important row.
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
    let (base, head) = overview::values(finding);
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
        Cell::toned(overview::starred_change(finding), tone),
        Cell::toned(overview::interval_text(finding), Tone::Dim),
        Cell::new(overview.effort_text(finding)),
        Cell { note: verdict_note(finding), ..Cell::toned(overview::verdict_word(finding), tone) },
    ])
}

/// An additional note on the verdict.
fn verdict_note(finding: &Finding) -> String {
    let is_measured = finding.metric.nature == Nature::Measured;
    let note = match (finding.verdict, &finding.reason) {
        (Verdict::Same, Reason::IdenticalBuild) => " (identical build)",
        (Verdict::Same, Reason::PlacementOnly { .. }) => " (placement only)",
        (Verdict::Slower, _) if finding.accepted.is_some() => " (accepted)",
        _ if legend::is_soft(finding) => " (soft)",
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
