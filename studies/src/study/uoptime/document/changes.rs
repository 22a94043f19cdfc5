//! Tables 2 and 3.

use benchwright_analysis::reduce::changes::Spread;

use super::super::published;
use super::super::repeat::{Findings, Studied};
use crate::study::markdown::{Table, percent};

/// A table with a row per project and way to choose.
pub(super) fn changes_table(projects: &[Studied], select: &dyn Fn(&Studied) -> &Findings) -> Table {
    let mut table = Table::new(&[
        "project",
        "method",
        "pairs",
        "paper",
        "benchmarks",
        "full",
        "paper",
        "chosen",
        "paper",
        "found",
        "missed",
        "false",
        "FPR %",
        "paper",
        "FNR %",
        "paper",
        "faster, full",
    ]);
    for project in projects {
        for (index, forward) in select(project).forward.iter().enumerate() {
            let Some(rates) = forward.rates else { continue };
            let published = project.symbol.and_then(published::table).map(|rows| rows[index]);
            let or_dash = |text: Option<String>| text.unwrap_or_else(|| "—".into());
            let compared: Vec<u32> = forward.pairs.iter().map(|pair| pair.confusion.compared()).collect();
            let (least, most) = (compared.iter().min().unwrap_or(&0), compared.iter().max().unwrap_or(&0));
            table.row(vec![
                if index == 0 { project.title() } else { String::new() },
                forward.method.into(),
                forward.pairs.len().to_string(),
                or_dash(published.map(|row| row.pairs.to_string())),
                if least == most { least.to_string() } else { format!("{least}–{most}") },
                rates.total.full_changes().to_string(),
                or_dash(published.map(|row| row.full.to_string())),
                rates.total.chosen_changes().to_string(),
                or_dash(published.map(|row| row.chosen.to_string())),
                rates.total.found.to_string(),
                rates.total.missed.to_string(),
                rates.total.false_alarms.to_string(),
                spread(rates.false_positive),
                or_dash(published.map(|row| row.false_positive.to_string())),
                spread(rates.false_negative),
                or_dash(published.map(|row| row.false_negative.to_string())),
                forward.pairs.iter().map(|pair| pair.faster).sum::<usize>().to_string(),
            ]);
        }
    }
    table
}

/// Formats the range and median in percent as the paper does: `0–3.57 (0)`.
fn spread(spread: Spread) -> String {
    let short = |share: f64| {
        let text = format!("{:.2}", 100.0 * share);
        text.trim_end_matches('0').trim_end_matches('.').to_string()
    };
    let (least, greatest, median) = (short(spread.least), short(spread.greatest), short(spread.median));
    if least == greatest { format!("{least} ({median})") } else { format!("{least}–{greatest} ({median})") }
}

/// A table with every pair of versions, in a collapsed section.
pub(super) fn pairs(projects: &[Studied]) -> String {
    let mut text = String::from(
        "\n<details>\n<summary>Every pair of versions, µOpTime by the prototype's definitions</summary>\n\n",
    );
    let mut table = Table::new(&[
        "project",
        "from",
        "to",
        "benchmarks",
        "full",
        "chosen",
        "missed",
        "false",
        "FPR %",
        "FNR %",
    ]);
    for project in projects {
        let Some(forward) = project.prototype.forward.iter().find(|one| one.method == "µOpTime") else {
            continue;
        };
        for pair in &forward.pairs {
            let confusion = &pair.confusion;
            table.row(vec![
                project.title(),
                pair.versions.0.clone(),
                pair.versions.1.clone(),
                confusion.compared().to_string(),
                confusion.full_changes().to_string(),
                confusion.chosen_changes().to_string(),
                confusion.missed.to_string(),
                confusion.false_alarms.to_string(),
                percent(Some(confusion.false_positive_rate())),
                percent(Some(confusion.false_negative_rate())),
            ]);
        }
    }
    text.push_str(&table.to_markdown());
    text.push_str("\n</details>\n");
    text
}
