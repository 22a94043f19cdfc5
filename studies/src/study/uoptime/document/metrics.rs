//! Tables for research question 2.

use benchwright_analysis::reduce::judgement::{Difference, effect_word};

use super::super::published;
use super::super::repeat::Studied;
use crate::study::markdown::{Table, probability};

/// A table with the test for any difference between metrics, and the pairs that differ.
pub(super) fn kruskal_table(projects: &[Studied]) -> Table {
    let mut table = Table::new(&[
        "project",
        "H",
        "p",
        "paper's H",
        "paper's p",
        "groups",
        "pairs with p < 0.01 after Bonferroni",
    ]);
    for project in projects {
        let Some(difference) = &project.prototype.difference else { continue };
        let published = project.symbol.and_then(published::kruskal);
        table.row(vec![
            project.title(),
            format!("{:.2}", difference.h),
            probability(difference.p),
            published.map_or_else(|| "—".into(), |(h, ..)| format!("{h:.2}")),
            published.map_or_else(|| "—".into(), |(_, p, _)| probability(p)),
            published.map_or_else(|| "—".into(), |(.., groups)| groups.to_string()),
            significant(project, difference),
        ]);
    }
    table
}

/// The name of a metric in figure 3, where the baselines come first.
fn metric_name(project: &Studied, index: usize) -> &'static str {
    project.prototype.outcomes[4 + index].method
}

fn significant(project: &Studied, difference: &Difference) -> String {
    // Pairs are compared only if there is a difference between the metrics at all.
    if difference.p >= 0.01 {
        return "none: no difference over all".into();
    }
    let pairs = difference.pairs.iter().filter(|pair| pair.p < 0.01).map(|pair| {
        let (first, second) = (metric_name(project, pair.metrics.0), metric_name(project, pair.metrics.1));
        format!("{first}–{second} {:+.2} {}", pair.delta, effect_word(pair.delta))
    });
    pairs.collect::<Vec<_>>().join("; ")
}

/// Compares every metric with RMAD, for the projects of which the paper does this.
pub(super) fn rmad_table(projects: &[Studied]) -> Table {
    let mut table = Table::new(&["project", "pair", "p alone", "paper", "Cliff's delta", "paper", "size"]);
    for project in projects {
        let Some(difference) = project.prototype.difference.as_ref().filter(|_| project.set.number == 2)
        else {
            continue;
        };
        for pair in &difference.pairs {
            let (first, second) =
                (metric_name(project, pair.metrics.0), metric_name(project, pair.metrics.1));
            let (metric, delta) = match (first, second) {
                (other, "RMAD") => (other, pair.delta),
                ("RMAD", other) => (other, -pair.delta),
                _ => continue,
            };
            let published = project.symbol.and_then(|symbol| published::against_rmad(symbol, metric));
            table.row(vec![
                project.title(),
                format!("{metric}–RMAD"),
                probability(pair.p_alone),
                published.map_or_else(|| "—".into(), |(p, _)| probability(p)),
                format!("{delta:+.3}"),
                published.map_or_else(|| "—".into(), |(_, delta)| format!("{delta:+.3}")),
                effect_word(delta).into(),
            ]);
        }
    }
    table
}
