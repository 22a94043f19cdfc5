//! Sentences and numbers that the formats for people share.

use std::collections::BTreeSet;
use std::time::Duration;

use benchwright_analysis::reduce::{Forecast, Mode, Why};

use super::{ReducedBenchmark, ReductionReport, Totals};
use crate::overview::plural;
use crate::scale;

/// A time such as `75 s`, `2h 05m`.
pub(super) fn seconds(seconds: f64) -> String {
    Duration::try_from_secs_f64(seconds).map(scale::duration).unwrap_or_else(|_| "?".into())
}

/// An instability with enough digits to differ from the threshold: `0.43%`.
pub(super) fn percent(ratio: f64) -> String {
    if ratio.is_finite() { format!("{:.2}%", 100.0 * ratio) } else { "?".into() }
}

/// The same, or a word if the metric is not defined.
pub(super) fn instability(value: Option<f64>) -> String {
    value.map_or_else(|| "undefined".into(), percent)
}

/// The lines above everything: names and texts.
pub(super) fn conditions(report: &ReductionReport) -> Vec<(&'static str, String)> {
    let titles: Vec<&str> = report.sources.iter().map(|source| source.title.as_str()).collect();
    let options = &report.options;
    let relation = match options.mode {
        Mode::Paper => "at most",
        Mode::Prototype => "below",
    };
    let mut rows = vec![
        ("from", titles.join(", ")),
        (
            "metric",
            format!("{}; stable is {relation} {}", report.metric_note, scale::share(options.threshold)),
        ),
    ];
    if options.mode == Mode::Prototype {
        rows.push(("mode", "prototype: as the authors' program, first instance only".into()));
    }
    if let Some(levels) = common(report, ReducedBenchmark::level_names) {
        let whole = common(report, ReducedBenchmark::full_levels);
        rows.push(("levels", whole.map_or(levels.clone(), |whole| format!("{levels}, in full {whole}"))));
    }
    rows.extend(warmup(report).map(|text| ("warm-up", text)));
    rows
}

/// How warm-up is taken into account.
fn warmup(report: &ReductionReport) -> Option<String> {
    let options = &report.options;
    let is_there = report.benchmarks.iter().any(|one| one.reduction.full.warmup_seconds > 0.0);
    let cut = match options.warmup {
        0 => "start and warm-up of each process".to_owned(),
        n => format!("{} cut from each process", plural(n as usize, "value")),
    };
    let counts =
        if options.is_warmup_counted { "counted when choosing" } else { "in all times, but does not choose" };
    is_there.then(|| format!("{cut}; {counts}"))
}

/// The text that all benchmarks have in common, if there is one.
fn common(report: &ReductionReport, of: fn(&ReducedBenchmark) -> String) -> Option<String> {
    let all: BTreeSet<String> = report.benchmarks.iter().map(of).collect();
    if all.len() == 1 { all.into_iter().next() } else { None }
}

/// The levels of a benchmark, `1/3/1 of 3/5/5`. The full ones are left out if all benchmarks share them.
pub(super) fn levels(report: &ReductionReport, benchmark: &ReducedBenchmark) -> String {
    match common(report, ReducedBenchmark::full_levels) {
        Some(_) => benchmark.chosen_levels(),
        None => format!("{} of {}", benchmark.chosen_levels(), benchmark.full_levels()),
    }
}

/// The metric's name as a heading, or a general word if benchmarks differ.
pub(super) fn metric_heading(report: &ReductionReport) -> String {
    common(report, |benchmark| benchmark.metric.to_owned()).unwrap_or_else(|| "instability".into())
}

/// The value in the metric's column, with its name if benchmarks differ.
pub(super) fn metric_text(report: &ReductionReport, benchmark: &ReducedBenchmark) -> String {
    let value = instability(benchmark.reduction.chosen.instability);
    match common(report, |benchmark| benchmark.metric.to_owned()) {
        Some(_) => value,
        None => format!("{} {value}", benchmark.metric),
    }
}

/// The line about an unstable benchmark: its repetitions, and those it would need.
pub(super) fn unstable(benchmark: &ReducedBenchmark) -> String {
    let n = benchmark.full_repetitions();
    let metric = benchmark.metric;
    let at_full = match benchmark.reduction.full.instability {
        Some(value) => format!("{metric} {} with all {n} repetitions", percent(value)),
        None => format!("{metric} is not defined for its values"),
    };
    match &benchmark.forecast {
        Some(forecast) => format!("{at_full}; {}", needed(forecast, n)),
        None => at_full,
    }
}

/// The repetitions it would need.
pub(super) fn needed(forecast: &Forecast, full: u64) -> String {
    let number = |n: f64| format!("{:.0}", two_digits(n));
    let Forecast { repetitions, interval, limit } = *forecast;
    if repetitions.is_finite() {
        let range = match (interval.lo.is_finite(), interval.hi.is_finite()) {
            (true, true) => format!("{} to {}", number(interval.lo), number(interval.hi)),
            (true, false) => format!("{} or more, or no number at all", number(interval.lo)),
            _ => "or no number at all".into(),
        };
        let times = repetitions / full.max(1) as f64;
        return format!("about {} would be enough ({range}), {times:.1} times as many", number(repetitions));
    }
    let doubt = match interval.lo.is_finite() {
        true => format!(" (at best {} or more)", number(interval.lo)),
        false => String::new(),
    };
    match limit > 0.0 {
        true => format!(
            "no number would be enough{doubt}: repetitions do not shrink a spread, here about {}",
            percent(limit)
        ),
        false => format!("no practical number would be enough{doubt}"),
    }
}

/// More than two digits would suggest a precision that does not exist.
fn two_digits(number: f64) -> f64 {
    format!("{number:.1e}").parse().unwrap_or(number)
}

/// The last line: `31 benchmarks: 38m 45s before, 2m 45s after, 93% saved`.
pub(super) fn summary(report: &ReductionReport) -> String {
    let totals = Totals::of(report);
    format!(
        "{}: {} before, {} after, {} saved",
        plural(report.benchmarks.len(), "benchmark"),
        seconds(totals.before_seconds),
        seconds(totals.after_seconds),
        scale::share(totals.saved())
    )
}

/// The numbers per reason: `2 unstable, 1 full, 5 stable, 23 floor`. Reasons that do not occur are left out.
pub(super) fn counts(totals: &Totals) -> String {
    let all = Why::ALL.iter().zip(totals.counts).filter(|(_, n)| *n > 0);
    all.map(|(why, n)| format!("{n} {}", why.word())).collect::<Vec<_>>().join(", ")
}

/// The legend of the words in the last column, for those that occur.
pub(super) fn legend(totals: &Totals) -> Vec<(&'static str, &'static str)> {
    let all = Why::ALL.iter().zip(totals.counts).filter(|(_, n)| *n > 0);
    all.map(|(why, _)| (why.word(), why.describe())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forecasts_say_how_sure_they_are() {
        let check = |repetitions: f64, lo: f64, hi: f64, limit: f64, expected: &str| {
            // The interval's type belongs to another crate, so a default one is taken from the forecast.
            let mut forecast = some_forecast();
            forecast.repetitions = repetitions;
            (forecast.interval.lo, forecast.interval.hi, forecast.limit) = (lo, hi, limit);
            assert_eq!(needed(&forecast, 75), expected);
        };
        let never = f64::INFINITY;
        check(238.9, 181.0, 312.0, 0.0, "about 240 would be enough (180 to 310), 3.2 times as many");
        check(
            238.9,
            181.0,
            never,
            0.0,
            "about 240 would be enough (180 or more, or no number at all), 3.2 times as many",
        );
        check(
            never,
            never,
            never,
            0.031,
            "no number would be enough: repetitions do not shrink a spread, here about 3.10%",
        );
        check(
            never,
            1234.0,
            never,
            0.031,
            "no number would be enough (at best 1200 or more): repetitions do not shrink a spread, here about 3.10%",
        );
        check(never, never, never, 0.0, "no practical number would be enough");
    }

    fn some_forecast() -> Forecast {
        use benchwright_analysis::reduce::{LevelSeries, Options, by_name, forecast};
        let points = (1..=9).map(|at| (vec![1, at], f64::from(at))).collect();
        let series = LevelSeries::new(&[("fork", false), ("iteration", false)], points).unwrap();
        forecast(&series, by_name("cv").unwrap(), &Options::default()).unwrap()
    }
}
