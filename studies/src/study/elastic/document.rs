//! Writes the document with its tables.

use benchwright_analysis::agree::{Among, TwoRuns};
use benchwright_stats::dispersion::quantile;

use super::Results;
use super::errors::{Contender, Errors, Rate};
use super::figures::{Figures, Sizes};
use super::map::{BENCHMARKS, INSTANCES, Point, Strategy};
use super::words;
use crate::study::markdown::Table;

/// The complete document as Markdown.
pub(super) fn write(results: &Results, seed: u64) -> String {
    let mut text = words::INTRODUCTION.replace("{seed}", &seed.to_string());
    let mut add = |part: &str| text.push_str(part);
    add(&format!("\n## In short\n\n{}", in_short(results)));
    add(&format!("\n{}\n\n{}", words::DEFINITIONS, agreement(&results.figures)));
    add(&format!("\n{}\n\n{}\n{}", words::FIGURES, figures(&results.figures), words::ABOUT_FIGURES));
    add(&format!("\n{}\n\n{}\n{}", words::PLATFORM, noise(results), words::ASSUMED));
    let fitted = words::POINTS
        .replace("{overhead}", &format!("{:.1}", results.prototype.overhead))
        .replace("{rate}", &format!("{:.1}", results.prototype.rate));
    add(&format!("\n{fitted}\n\n{}\n{}", experiments(results), words::ABOUT_POINTS));
    add(&format!("\n{}\n", words::MAP));
    for benchmarks in BENCHMARKS {
        add(&format!("\n{benchmarks} benchmarks:\n\n{}", map(&results.points, benchmarks)));
    }
    add(&format!("\n{}\n\n{}", words::MACHINES, machines(results)));
    add(&format!("\n{}\n\n{}", words::SPEED_UP, speed_up(&results.points)));
    add(&format!("\n{}\n\n{}\n{}", words::ERRORS, errors(&results.errors), words::ABOUT_ERRORS));
    add(words::LIMITS);
    text
}

fn percent(share: f64) -> String {
    format!("{:.2}", 100.0 * share)
}

fn of(part: usize, whole: usize) -> String {
    if whole == 0 { "—".into() } else { percent(part as f64 / whole as f64) }
}

fn minutes(seconds: f64) -> String {
    match seconds / 60.0 {
        minutes if minutes < 10.0 => format!("{minutes:.1} min"),
        minutes if minutes < 600.0 => format!("{minutes:.0} min"),
        minutes => format!("{:.0} h", minutes / 60.0),
    }
}

/// The main figures as a list.
fn in_short(results: &Results) -> String {
    let bill = |strategy: Strategy, benchmarks: usize, instances: usize| {
        let such = |point: &&Point| {
            (point.strategy, point.benchmarks, point.instances) == (strategy, benchmarks, instances)
        };
        results.points.iter().find(such).map(|point| point.bill).unwrap_or_default()
    };
    let (paper, judge) = (bill(Strategy::Paper, 100, 150), bill(Strategy::Waves, 100, 150));
    let (large, huge) = (bill(Strategy::Waves, 10_000, 1_000), bill(Strategy::Waves, 10_000, 10_000));
    let speed_up = bill(Strategy::Waves, 1_000, 1).seconds / bill(Strategy::Waves, 1_000, 8).seconds;
    format!(
        "- 100 benchmarks on 150 instances with prebuilt programs: ${:.2} and {} with the paper's 15 calls of 3 repeats, ${:.2} and {} with the \
         judge, which takes {:.1} duets of a benchmark on average in the paper's suite.\n\
         - 10,000 benchmarks with the judge: ${:.2} and {} on 1,000 instances, ${:.2} and {} on 10,000.\n\
         - Eight instances against one, 1,000 benchmarks, judge in waves: {speed_up:.1} times as fast (asked for: 6).\n\
         - Errors on ARM: {}.\n",
        paper.dollars,
        minutes(paper.seconds),
        judge.dollars,
        minutes(judge.seconds),
        results.mean_duets,
        large.dollars,
        minutes(large.seconds),
        huge.dollars,
        minutes(huge.seconds),
        error_line(&results.errors),
    )
}

/// The errors of the paper's rule and of the judge in one sentence.
fn error_line(all: &[Errors]) -> String {
    let of = |contender: Contender| {
        let found = all.iter().find(|one| one.contender == contender && one.platform == "ARM")?;
        let share = |rate: Rate| 100.0 * rate.interval().0;
        Some(format!(
            "{:.2} % false alarms, {:.1} % of changes of 5 % and {:.1} % of those of 10 % missed",
            share(found.alarms),
            share(found.missed[1]),
            share(found.missed[2])
        ))
    };
    let [paper, judge] = [Contender::Paper, Contender::Judge].map(|one| of(one).unwrap_or_default());
    format!("{paper} by the paper's way; {judge} by the judge")
}

/// The paper's numbers: name, agreement, and coverage of the first run in the second, the second in the
/// first, and both.
const PRINTED: [(&str, &str, [&str; 3]); 5] = [
    ("paper: baseline, original", "95.65", ["86.96", "52.17", "50.00"]),
    ("paper: replication, original", "95.65", ["81.72", "51.61", "48.39"]),
    ("paper: replication, baseline", "89.13", ["—", "—", "—"]),
    ("paper: lower memory, baseline", "10 disagree", ["—", "—", "—"]),
    ("paper: single repeat, baseline", "18 disagree", ["—", "—", "—"]),
];

fn agreement(figures: &Figures) -> String {
    let mut table = Table::new(&[
        "runs",
        "benchmarks",
        "agree %",
        "opposite",
        "possible",
        "1st in 2nd %",
        "2nd in 1st %",
        "both %",
        "of changed, both %",
    ]);
    for (name, agree, [first, second, both]) in PRINTED {
        let row = [name, "", agree, "", "", first, second, both];
        table.row(row.iter().map(|text| text.to_string()).collect());
    }
    for line in &figures.agreement {
        table.row(agreement_row(line.name, &line.values));
    }
    table.to_markdown()
}

fn agreement_row(name: &str, runs: &TwoRuns) -> Vec<String> {
    use benchwright_analysis::agree::Agreement::{Opposite, Possible};
    let (all, changed) = (runs.coverage(Among::All), runs.coverage(Among::Changed));
    vec![
        name.into(),
        runs.pairs.len().to_string(),
        of(runs.agreeing(), runs.pairs.len()),
        runs.count(Opposite).to_string(),
        runs.count(Possible).to_string(),
        of(all.first_in_second, all.benchmarks),
        of(all.second_in_first, all.benchmarks),
        of(all.both, all.benchmarks),
        of(changed.both, changed.benchmarks),
    ]
}

fn figures(figures: &Figures) -> String {
    let mut table = Table::new(&["", "recorded", "simulated", "paper"]);
    let quantile_of = |sizes: &Sizes, p: f64| quantile(sizes, p).map_or("—".into(), percent);
    let mut row = |name: &str, values: Vec<String>, paper: &str| {
        let mut cells = vec![name.to_owned()];
        cells.extend(values);
        cells.push(paper.into());
        table.row(cells);
    };
    let same: Vec<&(Sizes, usize)> = figures.same_code.iter().map(|line| &line.values).collect();
    row(
        "4: median difference on identical code, %",
        same.iter().map(|it| quantile_of(&it.0, 0.5)).collect(),
        "0.047",
    );
    row("4: largest, %", same.iter().map(|it| quantile_of(&it.0, 1.0)).collect(), "32");
    let alarms = |it: &&&(Sizes, usize)| format!("{} of {}", it.1, it.0.len());
    row("4: changes found", same.iter().map(|it| alarms(&it)).collect(), "0 of 90");
    let differences: Vec<&[Sizes; 2]> = figures.differences.iter().map(|line| &line.values).collect();
    let found = |it: &&[Sizes; 2]| format!("{} of {}", it[0].len(), it[0].len() + it[1].len());
    row("5: changes found", differences.iter().map(found).collect(), "—");
    row(
        "5: median change found, %",
        differences.iter().map(|it| quantile_of(&it[0], 0.5)).collect(),
        "4.71 or 3.08",
    );
    row("5: largest change found, %", differences.iter().map(|it| quantile_of(&it[0], 1.0)).collect(), "116");
    row(
        "5: largest without a change found, %",
        differences.iter().map(|it| quantile_of(&it[1], 1.0)).collect(),
        "26",
    );
    let disputed: Vec<&Sizes> = figures.disputed.iter().map(|line| &line.values).collect();
    row("6: benchmarks in dispute", disputed.iter().map(|sizes| sizes.len().to_string()).collect(), "—");
    for (name, p, paper) in [
        ("6: median disputed change, %", 0.5, "1.58 or 1.63"),
        ("6: 75th percentile, %", 0.75, "3.06"),
        ("6: largest, %", 1.0, "7.6 or 7.06"),
    ] {
        row(name, disputed.iter().map(|sizes| quantile_of(sizes, p)).collect(), paper);
    }
    let share = |n: u32| -> Vec<String> {
        let at =
            |line: &Vec<(u32, f64)>| line.iter().find(|(own, _)| *own == n).map(|(_, share)| percent(*share));
        figures.needed.iter().map(|line| at(&line.values).unwrap_or_else(|| "—".into())).collect()
    };
    for (n, paper) in [(15, "—"), (45, "75.95"), (75, "—"), (135, "89.87")] {
        row(&format!("7: interval as small with {n} results, %"), share(n), paper);
    }
    table.to_markdown()
}

fn noise(results: &Results) -> String {
    let mut table = Table::new(&["standard deviation, %", "10 %", "median", "90 %", "99 %"]);
    let fitted = &results.fitted;
    let names =
        ["between instances", "on an instance, over time", "between executions that follow each other"];
    for (at, name) in names.into_iter().enumerate() {
        let all: Vec<f64> =
            fitted.noises.iter().map(|noise| [noise.instance, noise.state, noise.trial][at]).collect();
        let mut cells = vec![name.to_owned()];
        cells.extend([0.1, 0.5, 0.9, 0.99].map(|p| quantile(&all, p).map_or("—".into(), percent)));
        table.row(cells);
    }
    let wild = format!(
        "\n{} benchmarks and versions. {} % of executions are slower than their neighbours by far more than that, by {} % on average.\n",
        fitted.noises.len(),
        percent(fitted.wild_share),
        percent(fitted.wild_size.exp_m1())
    );
    table.to_markdown() + &wild
}

fn experiments(results: &Results) -> String {
    let mut table = Table::new(&[
        "experiment",
        "calls",
        "paper $",
        "simulated $",
        "paper min",
        "simulated min",
        "s per call billed",
        "instances",
        "benchmarks with results",
    ]);
    for one in &results.experiments {
        let (published, bill) = (one.published, one.bill);
        table.row(vec![
            published.name.into(),
            format!("{} × {}", published.calls.0, published.calls.1),
            format!("{:.2}", published.dollars),
            format!("{:.2}", bill.dollars),
            format!("{:.0}", published.minutes),
            format!("{:.1}", bill.seconds / 60.0),
            format!(
                "{:.1}",
                bill.gb_seconds / if published.has_half_memory { 1.0 } else { 2.0 } / bill.requests as f64
            ),
            bill.instances.to_string(),
            one.samples.len().to_string(),
        ]);
    }
    let original = &results.original;
    table.row(vec![
        "original, three machines".into(),
        "45 × 1".into(),
        "1.14".into(),
        format!("{:.2}", original.dollars),
        "240".into(),
        format!("{:.0}", original.seconds / 60.0),
        String::new(),
        original.instances.to_string(),
    ]);
    table.to_markdown()
}

fn map(points: &[Point], benchmarks: usize) -> String {
    let mut head = vec!["strategy".to_owned()];
    head.extend(INSTANCES.map(|n| format!("{n}")));
    let mut table = Table::new(&head.iter().map(String::as_str).collect::<Vec<_>>());
    for strategy in Strategy::ALL {
        let own: Vec<&Point> = points
            .iter()
            .filter(|point| point.benchmarks == benchmarks && point.strategy == strategy)
            .collect();
        let mut cells = vec![strategy.name().to_owned()];
        let cell = |point: &&Point| format!("{}, ${:.2}", minutes(point.bill.seconds), point.bill.dollars);
        cells.extend(own.iter().map(cell));
        table.row(cells);
    }
    let throttled: u64 = points
        .iter()
        .filter(|point| point.benchmarks == benchmarks && point.instances == 10_000)
        .map(|point| point.bill.throttled)
        .sum();
    let note = match throttled {
        0 => String::new(),
        n => format!(
            "\nWith 10,000 instances calls were turned away {n} times before instances could be started.\n"
        ),
    };
    table.to_markdown() + &note
}

fn machines(results: &Results) -> String {
    let mut table = Table::new(&["benchmarks", "45 duets of each", "$", "judge", "$"]);
    for (size, [fixed, judged]) in &results.machines {
        table.row(vec![
            size.to_string(),
            minutes(fixed.seconds),
            format!("{:.2}", fixed.dollars),
            minutes(judged.seconds),
            format!("{:.2}", judged.dollars),
        ]);
    }
    table.to_markdown()
}

fn speed_up(points: &[Point]) -> String {
    let mut head = vec!["benchmarks".to_owned()];
    head.extend(INSTANCES.map(|n| format!("{n}")));
    let mut table = Table::new(&head.iter().map(String::as_str).collect::<Vec<_>>());
    for strategy in [Strategy::Paper, Strategy::Waves, Strategy::Fitting, Strategy::Streaming] {
        for benchmarks in BENCHMARKS {
            let own: Vec<f64> = points
                .iter()
                .filter(|point| point.strategy == strategy && point.benchmarks == benchmarks)
                .map(|point| point.bill.seconds)
                .collect();
            let mut cells = vec![format!("{benchmarks}, {}", strategy.name())];
            cells.extend(own.iter().map(|seconds| format!("{:.1}", own[0] / seconds)));
            table.row(cells);
        }
    }
    table.to_markdown()
}

fn errors(all: &[Errors]) -> String {
    let mut table = Table::new(&[
        "strategy and rule",
        "on",
        "false alarms %",
        "suites with one %",
        "missed 3 %",
        "missed 5 %",
        "missed 10 %",
        "$",
        "time",
    ]);
    let cell = |rate: Rate| {
        let (share, ends) = rate.interval();
        format!("{:.1} ({:.1}-{:.1})", 100.0 * share, 100.0 * ends.lo, 100.0 * ends.hi)
    };
    for one in all {
        let mut cells = vec![one.contender.name().to_owned(), one.platform.into()];
        cells.extend([one.alarms, one.suites].map(cell));
        cells.extend(one.missed.map(cell));
        cells.extend([format!("{:.2}", one.dollars), minutes(one.seconds)]);
        table.row(cells);
    }
    table.to_markdown()
}
