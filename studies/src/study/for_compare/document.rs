//! Writes the document.

use super::alarms::{Alarmed, ways};
use super::contender::{NAMES, WAYS, Way};
use super::experiment::{FACTORS, Outcome, RULES};
use super::pairs::Pairs;
use super::tally::{Counts, Kind, Rate, difference, rate};
use crate::study::markdown::Table;

/// A data set.
pub(super) struct Data {
    /// Its name for headings.
    pub(super) name: &'static str,
    /// The file name of its picture.
    pub(super) picture: &'static str,
    about: &'static str,
}

/// The results for one data set.
pub(super) struct Part {
    /// The data set.
    pub(super) data: &'static Data,
    /// The outcomes of all contenders.
    pub(super) outcomes: Vec<Outcome>,
    /// Benchmarks with false alarms.
    pub(super) alarmed: Vec<Alarmed>,
}

/// The complete document as Markdown.
pub(super) fn write(results: &[Part], pairs: &[Pairs], remarks: &[String], repeats: u64) -> String {
    let mut text = INTRODUCTION.replace("{repeats}", &repeats.to_string());
    let mut add = |part: &str| text.push_str(part);
    for Part { data: Data { name, picture, about }, outcomes, alarmed } in results {
        add(&format!(
            "\n## {name}\n\n{about}\n\n![missed changes and false alarms against time]({picture})\n\n"
        ));
        add(&summary(outcomes));
        add(&format!("\n### In the same time\n\n{FRONTS}\n\n{}", fronts(outcomes)));
        add(&format!("\n### Whose false alarms\n\n{ALARMS}\n\n{}", alarms(alarmed)));
        add(&format!("\n### In the same time, by ranks\n\n{IN_TIME}\n\n{}", in_time(outcomes)));
        for (rule, about) in ABOUT_RULES.iter().enumerate() {
            add(&format!("\n### Judged by {about}\n\n{}", by_rule(outcomes, rule)));
        }
        add(&format!("\n### Predicted and found\n\n{PREDICTED}\n\n{}", predicted(&outcomes[0])));
    }
    if !pairs.is_empty() {
        add(&format!("\n## Versions as they were\n\n{PAIRS}\n\n{}", of_pairs(pairs)));
    }
    if !remarks.is_empty() {
        add("\n## Left out\n\n");
        remarks.iter().for_each(|remark| add(&format!("- {remark}\n")));
    }
    text
}

const INTRODUCTION: &str = "\
# Plans made for comparisons

Written by `cargo xtask study for-compare`; everything drawn is drawn with a fixed seed, {repeats} draws per benchmark.

**Question.** A stability metric asks how much values vary, `reduce --for compare` asks whether our rule would find a change of 5 % in 90 % of cases. Which
of them finds more changes, with fewer false alarms, in the same time?

**Truth by construction.** One version is measured twice: its processes are divided at random into two sides. Nothing changed, or the
second side's times are multiplied by 1.03, 1.05 or 1.10 for a random quarter of a suite's benchmarks. A contender says how many processes of
how many values it measures on each side. Plans are chosen from other processes than those they are judged on.

**Contenders.** `for compare` (5 %, 90 %, threshold 3 %); µOpTime's five metrics as published (threshold 1 %, at least three values, 1,000 resamples
instead of 10,000); its baselines: minimum, and one random configuration per benchmark; everything (full). *Time* is that of one side, set-up and warm-up
included, as a share of full.

**Rules.** *ranks*: ours for processes that were measured apart, a rank test on the medians of processes with a false-discovery rate of 5 %
over the suite, and a shift of at least 3 %. *known*: the unpaired form that knows how processes of a benchmark differ from the measurement its plan was made
from, a moderated t test of the median difference between processes at a wanted rate of false alarms (one-sided, per benchmark), and a shift of at least 3 %. It works with one
process on each side, where a rank test says nothing. It is part of this study only, not of the product. *intervals*: the paper's, more than 3 % slower and 99 % intervals of all values pooled that do not overlap.
The paper's looks for slowdowns only, so for all rules an alarm is a slowdown that is none. A change of 3 % lies exactly at the threshold of
all, so that about half are missed by whoever measures perfectly.

**In equal time, and at which rate of false alarms?** A rule that cries wolf finds more. With one process on each side the paper's rule calls one unchanged JMH benchmark in ten slower, with full
measurements one in 23: pooled iterations of one process do not know how processes differ. Our rank rule stands at the other end, with nearly no false alarm. One number cannot rank the two, so ours is shown at
several wanted rates. A contender is beaten where ours, in its time or less, misses fewer changes of 5 % and of 10 % and has no more false alarms, at one and the same wanted rate.

Intervals are 95 %, from resampling benchmarks (versions of one benchmark together), since repeated draws of one benchmark are not independent.

**How a given time is spread.** Noise of five forks or of the version before is not the noise that will be met: half of the variances between JMH forks differ by more than a factor of 2.3 from one half of the forks to the
other, and in prometheus 0.35.0 whole suite runs differ by 10 %, the next version's do not. An earlier measurement is therefore worth three degrees of freedom, and power is averaged over the variances that it leaves possible. Before, the noise was taken as
measured, and benchmarks that had been noisy once were given up. Drawing the noise towards the suite's was tried and taken back: variances between forks differ by a factor of 14 (one standard
deviation) among the benchmarks of these suites, so that the others are worth less than one degree of freedom. *oracle* plans and judges with the noise of the very processes it is judged on: what planning could reach at best.
For ranks there is a floor: before anybody gets more, everybody gets the fewest processes with which a rank test can be as rare as the correction over the suite asks, one value each. What was noisy in the version before is calm
in this one often enough that nothing at all is the worst plan. The test that knows the spread has no floor: it judges by the noise that was known, and sees nothing in one process of what was noisy.

**Where false alarms come from.** On Go the test that knows the spread has a few, ranks have hardly any (table *whose false alarms*). Half and more are those of one benchmark whose processes differ by a third, where a shift of 3 % is what chance gives. Others are so calm
that one or two processes are measured: processes of zap's samplers differ by 0.2 %, but one in 10 to 45 is 3 to 6 % slower and decides alone. The rest were calm when the plan was made and have several times the noise now, which the spread known from before denies. Ranks need
several processes and know nothing from before: neither misleads them.

**How far to trust this.** Six variants of the planner were tried on these same data, with their results in sight: without wild processes; with them, a tenth of
the suite expected to change, and noise taken for its estimate where a time is given; with the median instead of the upper quartile for levels above the process; with the noise drawn towards the
suite's median; with power averaged over possible noise; and that with the test that knows the spread. Plans are chosen on other processes than those they are judged on, but the planner's constants are not: its figures may be flattering, those of the
contenders are not. The test that knows the spread was explored on these same data too, at levels from 1 to 80 %, before these levels were written down; the level that wins everywhere is the best of those shown.

The floor came last. It has no constant of its own: the rule and the size of the suite say how many processes it has. The reason for it was in sight, too: judged by ranks, the minimum baseline found more than our plans in its time. It was tried once, with other draws (`--seed 1`)
and for both rules; there it helped ranks, and not the test that knows the spread, which missed more in the least time on JMH. So it was kept for ranks, for the reason above, and the figures here were drawn after that. On Go, 40 other draws
(`--only go --repeats 40 --seed 2`) give the same answer: by ranks all eight are beaten.
";

/// Data set 1 of µOpTime.
pub(super) const GO: Data = Data {
    name: "Go, data set 1 of µOpTime",
    picture: "for-compare-go.svg",
    about: "\
Chosen on one version, judged on the next: prometheus/common, go-toml, zap, four steps each, a suite per step. Three instances; 15 iterations on each \
are divided, seven for a side; a configuration of more is cut to seven, which concerns the large ones (RCIW2, full). Every value is a process of one second; \
neighbouring ones share an iteration, so an iteration counts as one process and its seconds as values within. Both sides are measured on the same instances.",
};

/// The forks of `fixtures/noise`.
pub(super) const JMH: Data = Data {
    name: "JMH",
    picture: "for-compare-jmh.svg",
    about: "\
469 benchmarks of 30 systems, a suite per system; ten forks each, of which the last 60 seconds are taken. Plans are chosen on five forks, 50 iterations of one second. \
Five forks are too few to be divided, so the sides draw from the other five, again and again, each time from another moment. A process \
costs half a second to start (assumed) and the developers' own warm-up (20 s in the median).",
};

const ABOUT_RULES: [&str; 2] =
    ["our rule (ranks)", "the paper's rule (intervals; each metric with its own average and interval)"];

const IN_TIME: &str = "\
For each contender, our plans in exactly its time or less: `within_budget` spreads the suite's total over its benchmarks. Theirs stands by the \
paper's rule, which they were made for, and by ours. Differences are ours minus theirs by the paper's rule, in percentage points: negative is better.";

const FRONTS: &str = "\
Missed changes of 5 % / of 10 % / false alarms, all in per cent: theirs by the paper's rule, and ours in exactly the same time or less (`within_budget` spreads the suite's total \
over its benchmarks) by ranks, by the test that knows the spread at several wanted rates, and of the oracle. **Bold** where ours misses no more of either and has no more false alarms, and is better in one.";

const ALARMS: &str = "\
Benchmarks that were called slower though nothing had changed, how often: by the paper's rule in all eight contenders together, and by ours in the time of each of them. Beside them how much \
processes of one value differ within an instance (standard deviation): when plans were made, and when they were followed, in the version where the two differ most.";

const PREDICTED: &str = "\
How often the plans of `for compare` were predicted to find 5 %, and how often they did, by our rule.";

const PAIRS: &str = "\
As in the paper: chosen on the oldest version, followed through all later ones, and whatever the full configuration says is the truth, here by each rule. Slowdowns only. \
The truth has the noise of one full run of each version on other instances, so that a disagreement is not always the contender's error.";

fn cell(rate: Rate) -> String {
    format!("{:.1} ({:.1}-{:.1})", 100.0 * rate.value, 100.0 * rate.lo, 100.0 * rate.hi)
}

fn fine_cell(rate: Rate) -> String {
    format!("{:.2} ({:.2}-{:.2})", 100.0 * rate.value, 100.0 * rate.lo, 100.0 * rate.hi)
}

/// The counts of a rule and a factor.
fn counts(outcome: &Outcome, rule: usize, factor: f64) -> &[Counts] {
    let factor = FACTORS.iter().position(|one| *one == factor).unwrap_or(0);
    outcome.counts.get(&(rule, factor)).map_or(&[], Vec::as_slice)
}

fn time(outcome: &Outcome, all: &[Outcome]) -> String {
    format!("{:.1}", 100.0 * outcome.seconds / all[NAMES.len() - 1].seconds)
}

/// A table with one row per contender, for all changes and one rule.
fn by_rule(all: &[Outcome], rule: usize) -> String {
    let head = [
        "contender",
        "time %",
        "missed +3 %",
        "missed +5 %",
        "missed +10 %",
        "false alarms %",
        "... beside changes of 5 %",
    ];
    let mut table = Table::new(&head);
    for outcome in &all[..NAMES.len()] {
        let mut row = vec![outcome.name.clone(), time(outcome, all)];
        row.extend([1.03, 1.05, 1.10].map(|factor| cell(rate(Kind::Missed, counts(outcome, rule, factor)))));
        row.extend([1.0, 1.05].map(|factor| fine_cell(rate(Kind::Alarms, counts(outcome, rule, factor)))));
        table.row(row);
    }
    table.to_markdown()
}

const OURS: usize = 0;
const THEIRS: usize = 1;

/// Compares each contender with our plan in the same time.
fn in_time(all: &[Outcome]) -> String {
    let head = [
        "in the time of",
        "time %",
        "ours %",
        "+5 % missed: theirs",
        "... by our rule",
        "ours",
        "difference",
        "+10 % missed: theirs",
        "ours",
        "difference",
        "false alarms: theirs",
        "... by our rule",
        "ours",
        "difference",
    ];
    let mut table = Table::new(&head);
    for (at, name) in NAMES.iter().enumerate().skip(1) {
        let (theirs, ours) = (&all[at], &all[Way::place(0, at)]);
        let mut row = vec![name.to_string(), time(theirs, all), time(ours, all)];
        let plain = |rate: Rate| format!("{:.1}", 100.0 * rate.value);
        let of = |outcome, rule, factor, kind| rate(kind, counts(outcome, rule, factor));
        let gap = |kind, factor| difference(kind, counts(ours, OURS, factor), counts(theirs, THEIRS, factor));
        row.push(plain(of(theirs, THEIRS, 1.05, Kind::Missed)));
        row.push(plain(of(theirs, OURS, 1.05, Kind::Missed)));
        row.push(plain(of(ours, OURS, 1.05, Kind::Missed)));
        row.push(cell(gap(Kind::Missed, 1.05)));
        row.push(plain(of(theirs, THEIRS, 1.10, Kind::Missed)));
        row.push(plain(of(ours, OURS, 1.10, Kind::Missed)));
        row.push(cell(gap(Kind::Missed, 1.10)));
        let fine = |rate: Rate| format!("{:.2}", 100.0 * rate.value);
        row.push(fine(of(theirs, THEIRS, 1.0, Kind::Alarms)));
        row.push(fine(of(theirs, OURS, 1.0, Kind::Alarms)));
        row.push(fine(of(ours, OURS, 1.0, Kind::Alarms)));
        row.push(fine_cell(gap(Kind::Alarms, 1.0)));
        table.row(row);
    }
    table.to_markdown()
}

/// Missed changes of 5 and 10 %, and false alarms, as shares.
fn triple(outcome: &Outcome, rule: usize) -> [f64; 3] {
    let of = |kind, factor| rate(kind, counts(outcome, rule, factor)).value;
    [of(Kind::Missed, 1.05), of(Kind::Missed, 1.10), of(Kind::Alarms, 1.0)]
}

/// Whether ours is better in at least one number and worse in none.
fn is_better(ours: [f64; 3], theirs: [f64; 3]) -> bool {
    ours != theirs && ours.iter().zip(theirs).all(|(ours, theirs)| *ours <= theirs)
}

/// Compares each contender with our plans in the same time, in all ways.
fn fronts(all: &[Outcome]) -> String {
    let ways: Vec<String> = WAYS.iter().map(|way| way.name()).collect();
    let head: Vec<&str> =
        ["in the time of", "time %", "theirs"].into_iter().chain(ways.iter().map(String::as_str)).collect();
    let mut table = Table::new(&head);
    let shown = |[five, ten, alarms]: [f64; 3]| {
        format!("{:.1} / {:.1} / {:.2}", 100.0 * five, 100.0 * ten, 100.0 * alarms)
    };
    for (at, name) in NAMES.iter().enumerate().skip(1) {
        let theirs = triple(&all[at], THEIRS);
        let mut row = vec![name.to_string(), time(&all[at], all), shown(theirs)];
        row.extend((0..WAYS.len()).map(|way| {
            let ours = triple(&all[Way::place(way, at)], OURS);
            if is_better(ours, theirs) { format!("**{}**", shown(ours)) } else { shown(ours) }
        }));
        table.row(row);
    }
    table.to_markdown()
}

/// The benchmarks with the most false alarms.
fn alarms(all: &[Alarmed]) -> String {
    const SHOWN: usize = 12;
    let ways: Vec<String> = ways().iter().map(|(_, way)| way.name()).collect();
    let head: Vec<&str> = ["benchmark", "planned with %", "met %", "theirs"]
        .into_iter()
        .chain(ways.iter().map(String::as_str))
        .collect();
    let mut table = Table::new(&head);
    for one in all.iter().take(SHOWN) {
        let percent = |deviation: f64| format!("{:.1}", 100.0 * deviation);
        let mut row = vec![one.name.clone(), percent(one.planned), percent(one.met), one.theirs.to_string()];
        row.extend(one.ours.iter().map(u32::to_string));
        table.row(row);
    }
    match all.len().saturating_sub(SHOWN) {
        0 => table.to_markdown(),
        more => format!("{}\nand {more} more with fewer.\n", table.to_markdown()),
    }
}

/// Lists for each contender the ways in which our plans are better in the same time, and how certain this is.
/// Contenders that are not beaten are listed too.
fn summary(all: &[Outcome]) -> String {
    let mut text = String::from("In the same time, ours against theirs by the paper's rule:\n\n");
    for (at, name) in NAMES.iter().enumerate().skip(1) {
        let theirs = &all[at];
        let mut said: Vec<String> = Vec::new();
        for (way, kind) in WAYS.iter().enumerate().filter(|(_, way)| !matches!(way, Way::Oracle(_))) {
            let ours = &all[Way::place(way, at)];
            if !is_better(triple(ours, OURS), triple(theirs, THEIRS)) {
                continue;
            }
            let gap =
                |kind, factor| difference(kind, counts(ours, OURS, factor), counts(theirs, THEIRS, factor));
            let gaps = [gap(Kind::Missed, 1.05), gap(Kind::Missed, 1.10), gap(Kind::Alarms, 1.0)];
            let sure = gaps.map(|rate| match rate {
                Rate { hi, .. } if hi < 0.0 => "fewer",
                Rate { value, .. } if value < 0.0 => "fewer within error",
                _ => "as many",
            });
            said.push(format!("{} ({} / {} / {})", kind.name(), sure[0], sure[1], sure[2]));
        }
        let said = if said.is_empty() {
            "**not beaten** on all three counts at once".into()
        } else {
            said.join("; ")
        };
        text.push_str(&format!("- {name}: {said}\n"));
    }
    text + "\nIn brackets: missed of 5 %, missed of 10 %, false alarms; *within error* where the 95 % interval of the difference includes none.\n"
}

/// Compares predicted with found changes, by classes of predicted power.
fn predicted(ours: &Outcome) -> String {
    let mut table = Table::new(&["predicted power", "plans", "predicted %", "found %"]);
    for (from, to) in [(0.0, 0.5), (0.5, 0.8), (0.8, 0.9), (0.9, 0.95), (0.95, 0.99), (0.99, 1.01)] {
        let class: Vec<&(f64, Counts)> =
            ours.predicted.iter().filter(|(power, _)| (from..to).contains(power)).collect();
        let sum = |of: fn(&Counts) -> u32| class.iter().map(|(_, counts)| of(counts)).sum::<u32>();
        let (changed, missed) = (sum(|counts| counts.changed), sum(|counts| counts.missed));
        if changed == 0 {
            continue;
        }
        let mean = class.iter().map(|(power, _)| power).sum::<f64>() / class.len() as f64;
        table.row(vec![
            format!("{from} to {}", to.min(1.0)),
            class.len().to_string(),
            format!("{:.1}", 100.0 * mean),
            format!("{:.1}", 100.0 * (1.0 - f64::from(missed) / f64::from(changed))),
        ]);
    }
    table.to_markdown()
}

fn of_pairs(pairs: &[Pairs]) -> String {
    let head = [
        "contender",
        "rule",
        "time %",
        "truth by intervals: found",
        "missed",
        "false",
        "truth by processes: found",
        "missed",
        "false",
    ];
    let mut table = Table::new(&head);
    let full = pairs.iter().map(|one| one.seconds).fold(0.0, f64::max);
    for one in pairs {
        let mut row =
            vec![one.name.to_owned(), one.rule.to_owned(), format!("{:.1}", 100.0 * one.seconds / full)];
        for confusion in [one.intervals, one.processes] {
            row.extend(
                [confusion.found, confusion.missed, confusion.false_alarms].map(|count| count.to_string()),
            );
        }
        table.row(row);
    }
    table.to_markdown()
}

/// The name of a rule, for the picture.
pub(super) fn rule_name(rule: usize) -> &'static str {
    RULES.get(rule).copied().unwrap_or_default()
}

/// A rate of one contender, for the picture.
pub(super) fn shown(outcome: &Outcome, rule: usize, factor: f64, kind: Kind) -> Rate {
    rate(kind, counts(outcome, rule, factor))
}
