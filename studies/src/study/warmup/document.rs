//! Writes the document: the paper's tables and figure next to ours, and the trade-off of time and quality.

use super::against::Comparison;
use super::figures::{beside, p_value, percent, quartiles, signed};
use super::repeat::{OfSeed, Scored, Study};
use super::score::{Judged, Quartiles};
use super::{prose, published};
use crate::study::markdown::Table;

/// The complete text. The names of pictures begin with `stem`.
pub(super) fn document(study: &Study, stem: &str) -> String {
    let mut text = prose::introduction(study.benchmarks, study.processes, study.steady);
    let mut section = |title: &str, about: &str, body: String| {
        text.push_str(&format!("\n## {title}\n\n{about}\n{body}"));
    };
    section("All processes: the front", prose::FRONT, front(study, stem));
    section("Table 2: windows", prose::TABLE_2, table_2(study).to_markdown());
    section("Tables 3 and 6: the end of warm-up", prose::TABLES_3_6, errors_table(study).to_markdown());
    section("Figure 4: too early, too late", prose::FIGURE_4, figure_4(study, stem));
    section("Tables 4 and 7: quality and time", prose::TABLES_4_7, changes_table(study, 0).to_markdown());
    section("Tables 4 and 7 as the authors did", prose::AS_AUTHORS, changes_table(study, 1).to_markdown());
    section("Table 5: deviation and testing time", prose::TABLE_5, table_5(study).to_markdown());
    text.push_str(prose::LIMITS);
    text
}

/// A number of one seed's results.
type Number<'a> = &'a dyn Fn(&OfSeed) -> f64;

fn front(study: &Study, stem: &str) -> String {
    let mut table = Table::new(&[
        "rule",
        "seed",
        "error, s",
        "deviation, %",
        "contains 1, %",
        "testing time, s",
        "sum, ks",
    ]);
    let whole: Vec<&Scored> = study.folded.iter().chain(&study.others).filter(|one| one.is_whole).collect();
    for rule in &whole {
        let cells = |of: &dyn Fn(Number<'_>) -> f64| {
            vec![
                format!("{:.2}", of(&|one| one.summary.error.median)),
                format!("{:.2}", of(&|one| 100.0 * one.summary.deviation.median)),
                percent(of(&|one| one.summary.ok)),
                format!("{:.0}", of(&|one| one.summary.time.median)),
                format!("{:.0}", of(&|one| one.summary.total / 1000.0)),
            ]
        };
        if rule.seeds.len() > 1 {
            for one in &rule.seeds {
                let seed = one.seed.map(|seed| seed.to_string()).unwrap_or_default();
                let mut row = vec![rule.name.clone(), seed];
                row.extend(cells(&|number| number(one)));
                table.row(row);
            }
        }
        let (name, seed) = match rule.seeds.len() {
            1 => (rule.name.clone(), String::new()),
            _ => (format!("**{}**", rule.name), "median".into()),
        };
        let mut row = vec![name, seed];
        row.extend(cells(&|number| rule.median(number)));
        table.row(row);
    }
    format!("{}\n![The front]({stem}-front.svg)\n", table.to_markdown())
}

fn table_2(study: &Study) -> Table {
    let mut table = Table::new(&["model", "precision", "recall", "F1", "balanced accuracy"]);
    for (model, seeds) in &study.windows {
        let mut row = vec![model.clone()];
        for score in 0..4 {
            let values: Vec<f64> = seeds.iter().map(|scores| scores[score]).collect();
            let paper = published::windows(model).map(|scores| format!("{:.3}", scores[score]));
            row.push(beside(format!("{:.3}", Quartiles::of(&values).median), paper));
        }
        table.row(row);
    }
    table
}

/// Rules that are compared with the baselines.
fn compared(study: &Study) -> impl Iterator<Item = &Scored> {
    study
        .folded
        .iter()
        .chain(&study.others)
        .filter(|rule| rule.seeds.iter().all(|one| !one.against.is_empty()))
}

fn errors_table(study: &Study) -> Table {
    let mut table = Table::new(&["rule", "against", "p", "A12", "r"]);
    for rule in compared(study) {
        for (place, baseline) in study.baselines.iter().enumerate() {
            let of = |number: fn(&Comparison) -> f64| rule.median(|one| number(&one.against[place][0]));
            let paper = published::errors(&rule.name, baseline);
            table.row(vec![
                rule.name.clone(),
                (*baseline).into(),
                p_value(of(|one| one.errors.p)),
                beside(format!("{:.3}", of(|one| one.errors.a12)), paper.map(|(a12, _)| format!("{a12:.3}"))),
                beside(format!("{:.3}", of(|one| one.errors.r)), paper.map(|(_, r)| format!("{r:.3}"))),
            ]);
        }
    }
    table
}

fn figure_4(study: &Study, stem: &str) -> String {
    let mut table = Table::new(&["rule", "too late, %", "too early, %", "exact, %"]);
    for rule in study.folded.iter().chain(&study.others) {
        let paper = published::figure_4(&rule.name).unwrap_or_default();
        let shares = [
            rule.median(|one| one.summary.over),
            rule.median(|one| one.summary.under),
            rule.median(|one| one.summary.exact),
        ];
        let mut row = vec![rule.name.clone()];
        let cells = shares.iter().zip(paper);
        row.extend(
            cells.map(|(ours, paper)| beside(percent(*ours), paper.map(|value| format!("{value:.1}")))),
        );
        table.row(row);
    }
    format!("![Figure 4]({stem}-figure-4.svg)\n\n{}", table.to_markdown())
}

/// Improvements and regressions. `mode` 0 compares quality and time fairly, and 1 is the authors' way.
fn changes_table(study: &Study, mode: usize) -> Table {
    let mut table = Table::new(&[
        "rule",
        "against",
        "quality better",
        "time better",
        "quality worse",
        "time worse",
        "net",
    ]);
    for rule in compared(study) {
        for (place, baseline) in study.baselines.iter().enumerate() {
            let of = |number: fn(&Comparison) -> f64| rule.median(|one| number(&one.against[place][mode]));
            let paper = published::changes(&rule.name, baseline);
            let cell =
                |ours: f64, at: usize| beside(percent(ours), paper.map(|paper| format!("{:.1}", paper[at])));
            table.row(vec![
                rule.name.clone(),
                (*baseline).into(),
                cell(of(|one| one.quality_improved), 0),
                cell(of(|one| one.time_improved), 1),
                cell(of(|one| one.quality_regressed), 2),
                cell(of(|one| one.time_regressed), 3),
                beside(signed(100.0 * of(Comparison::net)), paper.map(|paper| signed(paper[4]))),
            ]);
        }
    }
    table
}

fn table_5(study: &Study) -> Table {
    let head = ["rule", "deviation, %", "the paper's", "time, s", "the paper's", "time, s, fitted too"];
    let mut table = Table::new(&head);
    for rule in &study.folded {
        // Medians of quartiles over seeds are not quartiles, so the numbers are those of one seed, the middle
        // one.
        let Some(one) = middle_seed(rule) else { continue };
        let pooled = |mode: usize| one.against.iter().flat_map(move |modes| &modes[mode].judged);
        let deviations: Vec<f64> = pooled(1).filter(|one| !one.is_ok()).map(Judged::deviation).collect();
        let times = |mode| Quartiles::of(&pooled(mode).map(|one| one.time_s).collect::<Vec<f64>>());
        let paper = published::deviation_and_time(&rule.name).unwrap_or(("", ""));
        table.row(vec![
            rule.name.clone(),
            quartiles(Quartiles::of(&deviations), 100.0, 1),
            paper.0.into(),
            quartiles(times(1), 1.0, 0),
            paper.1.into(),
            quartiles(times(0), 1.0, 0),
        ]);
    }
    for rule in study.others.iter().filter(|rule| published::deviation_and_time(&rule.name).is_some()) {
        let Some(one) = middle_seed(rule) else { continue };
        let paper = published::deviation_and_time(&rule.name).unwrap_or(("", ""));
        table.row(vec![
            rule.name.clone(),
            quartiles(one.summary.deviation_of_others, 100.0, 1),
            paper.0.into(),
            quartiles(one.summary.time, 1.0, 0),
            paper.1.into(),
        ]);
    }
    table
}

/// The results of the seed with the median deviation.
fn middle_seed(rule: &Scored) -> Option<&OfSeed> {
    let mut seeds: Vec<&OfSeed> = rule.seeds.iter().collect();
    seeds.sort_by(|a, b| a.summary.deviation.median.total_cmp(&b.summary.deviation.median));
    seeds.get(seeds.len() / 2).copied()
}
