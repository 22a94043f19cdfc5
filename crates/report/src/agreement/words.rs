//! Sentences and numbers that the formats for people share.

use benchwright_analysis::agree::{Agreement, Among, Coverage, Found, Pair, Reading, Repeats};

use super::{AgreementReport, WantedInterval};
use crate::overview::plural;
use crate::scale;

/// The lines above the table: a name and a text each.
pub(super) fn heading(report: &AgreementReport) -> Vec<(&'static str, String)> {
    let [first, second] = report.runs.each_ref().map(|run| run.title.clone());
    vec![("first", first), ("second", second), ("by", report.by.clone())]
}

/// The change of a reading, `+5.20%`. Empty if nothing was measured.
pub(super) fn change(reading: &Reading) -> String {
    reading.effect.map_or_else(|| "-".into(), |effect| scale::change(effect.change()))
}

/// Its interval, `[+4.5%, +5.8%]`.
pub(super) fn interval(reading: &Reading) -> String {
    let text = |effect: benchwright_model::Effect| scale::interval(effect.lo.exp_m1(), effect.hi.exp_m1());
    reading.effect.map(text).unwrap_or_default()
}

/// The verdicts of both runs, `slower`, or `slower / same` if they differ.
pub(super) fn verdicts(pair: &Pair) -> String {
    let (first, second) = (pair.first.verdict.word(), pair.second.verdict.word());
    if first == second { first.into() } else { format!("{first} / {second}") }
}

/// Whether the runs agree, in one word, with an explanation if they do not.
pub(super) fn agreement(pair: &Pair) -> &'static str {
    match pair.agreement() {
        Agreement::SameChange | Agreement::NoChange => "yes",
        Agreement::Opposite => "opposite",
        Agreement::Possible => "no",
    }
}

/// Which run's estimate is in the other's interval.
pub(super) fn covered(pair: &Pair) -> &'static str {
    match (pair.is_first_covered(), pair.is_second_covered()) {
        (Some(true), Some(true)) => "both",
        (Some(true), _) => "first in second",
        (_, Some(true)) => "second in first",
        (Some(false), _) | (_, Some(false)) => "neither",
        (None, None) => "",
    }
}

/// How many results are needed: `12`, `about 160`, `?`.
pub(super) fn repeats(repeats: Option<Repeats>) -> String {
    match repeats {
        None => String::new(),
        Some(Repeats::Enough(n)) => n.to_string(),
        Some(Repeats::About(n)) => format!("about {n}"),
        Some(Repeats::Unknown) => "?".into(),
    }
}

/// The numbers of both runs in one cell. Only that of the second run if there is none for the first.
pub(super) fn needed(both: &[Option<Repeats>; 2]) -> String {
    let parts: Vec<String> = both.iter().map(|one| repeats(*one)).filter(|text| !text.is_empty()).collect();
    parts.join(" / ")
}

/// A share, such as `88 of 92 (95.65%)`.
fn share(part: usize, whole: usize) -> String {
    if whole == 0 {
        return "0 of 0".into();
    }
    format!("{part} of {whole} ({:.2}%)", 100.0 * part as f64 / whole as f64)
}

/// The lines below the table: a name and a text each.
pub(super) fn totals(report: &AgreementReport) -> Vec<(&'static str, String)> {
    let found = &report.found;
    let count = |agreement| found.count(agreement);
    let mut lines = vec![(
        "agree",
        format!(
            "{}: {} with the same change, {} without one; {} opposite, {} possible",
            share(found.agreeing(), found.pairs.len()),
            count(Agreement::SameChange),
            count(Agreement::NoChange),
            count(Agreement::Opposite),
            count(Agreement::Possible),
        ),
    )];
    for (name, among, what) in
        [("coverage", Among::All, "all"), ("", Among::Changed, "those changed in both runs")]
    {
        let coverage = found.coverage(among);
        if coverage.benchmarks > 0 {
            lines.push((name, covering(coverage, what)));
        }
    }
    if let Some(disputed) = found.disputed() {
        let percent = |ratio: f64| format!("{:.2}%", 100.0 * ratio);
        lines.push((
            "disputed",
            format!(
                "{}: median {}, 75th percentile {}, largest {}",
                plural(disputed.benchmarks, "change"),
                percent(disputed.median),
                percent(disputed.upper_quartile),
                percent(disputed.largest)
            ),
        ));
    }
    lines.extend(reached(report).map(|text| ("interval", text)));
    if report.is_same_code {
        let alarms = |of: fn(&Pair) -> &Reading| {
            let is_alarm = |pair: &&Pair| of(pair).found != Found::Nothing;
            share(found.pairs.iter().filter(is_alarm).count(), found.pairs.len())
        };
        let (first, second) = (alarms(|pair| &pair.first), alarms(|pair| &pair.second));
        lines.push((
            "A/A",
            format!("base and head are the same code: false alarms {first} in the first run, {second} in the second"),
        ));
    }
    lines
}

fn covering(coverage: Coverage, what: &str) -> String {
    let of = |part| share(part, coverage.benchmarks);
    format!(
        "of {what}: first's estimate in second's interval {}, second's in first's {}, both {}",
        of(coverage.first_in_second),
        of(coverage.second_in_first),
        of(coverage.both)
    )
}

/// For how many benchmarks the results were enough for the wanted interval, and how many were needed.
fn reached(report: &AgreementReport) -> Option<String> {
    let wanted = match report.wanted {
        WantedInterval::FirstRun => "the second run's interval becomes as small as the first's".to_owned(),
        WantedInterval::Size(size) => format!("intervals of {} are reached", scale::share(size)),
    };
    let parts: Vec<String> = [("first", 0), ("second", 1)]
        .into_iter()
        .filter_map(|(name, at)| {
            let asked: Vec<Repeats> = report.repeats.iter().filter_map(|both| both[at]).collect();
            let mut enough: Vec<u32> = asked
                .iter()
                .filter_map(|repeats| match repeats {
                    Repeats::Enough(n) => Some(*n),
                    _ => None,
                })
                .collect();
            enough.sort_unstable();
            if asked.is_empty() {
                return None;
            }
            let middle = enough.get(enough.len() / 2).map(|n| format!(", half of these with {n} results"));
            let who = if report.wanted == WantedInterval::FirstRun { "" } else { name };
            let text = format!("{} {}", who, share(enough.len(), asked.len()));
            Some(text.trim_start().to_owned() + &middle.unwrap_or_default())
        })
        .collect();
    (!parts.is_empty()).then(|| format!("{wanted}: {}", parts.join("; ")))
}
