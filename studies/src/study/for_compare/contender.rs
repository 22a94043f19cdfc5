//! Who takes part: ways to choose how much is measured.

use benchwright_analysis::reduce::for_compare::{
    ComparePlan, Costs, Design, Noise, Wanted, candidates, for_compare, within_budget,
};
use benchwright_analysis::reduce::{Configuration, LevelSeries, Mode, Options, baseline, metrics, reduce_by};
use benchwright_stats::bootstrap::Resampling;
use benchwright_stats::known_spread::KnownSpread;

use super::draw::{Pool, Shape};

/// One benchmark: what is known before, and what it is judged on.
pub(super) struct Subject {
    /// Its name, the same in every version.
    pub(super) name: String,
    /// What plans are chosen from.
    pub(super) planning: LevelSeries,
    /// What they are judged on: other processes.
    pub(super) pool: Pool,
    /// The same over levels, for an oracle that plans with the noise that it will meet.
    pub(super) judged: LevelSeries,
    /// What a process costs.
    pub(super) costs: Costs,
}

/// Benchmarks that are judged together.
pub(super) struct Suite {
    /// Its name.
    pub(super) name: String,
    /// On how many instances both sides are measured alike; one where they share none.
    pub(super) places: u32,
    /// Most processes per side that there are.
    pub(super) most_processes: u32,
    /// Its benchmarks.
    pub(super) subjects: Vec<Subject>,
}

/// Names of the contenders that stand alone, ours first. After them come ours in the time of each of the others, in each of [`WAYS`].
pub(super) const NAMES: [&str; 9] =
    ["for compare", "CV", "RMAD", "RCIW1", "RCIW2", "RCIW3", "minimum", "random", "full"];

/// How ours is planned and judged in the time of another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Way {
    /// By the rank test over processes.
    Ranks,
    /// By the test that knows the spread, at this level.
    Known(f64),
    /// The same, planned and judged with the spread of what it is judged on: what planning could reach at best.
    Oracle(f64),
}

/// All ways, in the order in which they are shown.
pub(super) const WAYS: [Way; 7] = [
    Way::Ranks,
    Way::Known(0.02),
    Way::Known(0.05),
    Way::Known(0.1),
    Way::Known(0.2),
    Way::Oracle(0.05),
    Way::Oracle(0.2),
];

impl Way {
    /// How it is called in tables.
    pub(super) fn name(self) -> String {
        match self {
            Way::Ranks => "ranks".into(),
            Way::Known(level) => format!("known {:.0} %", 100.0 * level),
            Way::Oracle(level) => format!("oracle {:.0} %", 100.0 * level),
        }
    }

    /// The place of ours, in the time of a contender with this place in [`NAMES`], among all choices.
    pub(super) fn place(at: usize, contender: usize) -> usize {
        NAMES.len() + at * (NAMES.len() - 1) + contender - 1
    }
}

/// Resamples of the metrics that resample. The published number is 10,000; with fewer, one configuration in a hundred differs.
const RESAMPLES: usize = 1_000;

/// What one contender measures of each subject of a suite.
pub(super) struct Choice {
    /// Shapes by subject.
    pub(super) shapes: Vec<Shape>,
    /// How often our plans expect to find 5 %, by subject; empty for the others.
    pub(super) predicted: Vec<f64>,
    /// The level of the test that knows the spread, and what it knows about each subject; none where another rule is used.
    pub(super) known: Option<(f64, Vec<Option<KnownSpread>>)>,
}

/// The choices for a suite: those of [`NAMES`], then in every way ours in the time of each but the first.
pub(super) fn choose(suite: &Suite) -> Vec<Choice> {
    let wanted = wanted(suite);
    let mut choices = vec![ours(suite, &wanted)];
    let papers: Vec<Vec<Configuration>> = suite
        .subjects
        .iter()
        .enumerate()
        .map(|(at, subject)| configurations(&subject.planning, at as u64))
        .collect();
    for contender in 0..NAMES.len() - 1 {
        let shapes = papers.iter().map(|chosen| of_paper(&chosen[contender], suite));
        choices.push(Choice { shapes: shapes.collect(), predicted: Vec::new(), known: None });
    }
    let budgets: Vec<f64> = choices[1..].iter().map(|choice| 2.0 * seconds(suite, &choice.shapes)).collect();
    for way in WAYS {
        let (wanted, level) = match way {
            Way::Ranks => (wanted.clone(), None),
            Way::Known(level) | Way::Oracle(level) => {
                let design = Design::Known { places: suite.places };
                (Wanted { design, false_alarms: level, ..wanted.clone() }, Some(level))
            }
        };
        // A given time finds most where power is what is to be expected, not what is certain.
        let expected = Wanted { is_averaged: true, ..wanted };
        let all: Vec<(Option<Noise>, Vec<ComparePlan>)> = suite
            .subjects
            .iter()
            .map(|subject| {
                let is_oracle = matches!(way, Way::Oracle(_));
                let noise = Noise::of(if is_oracle { &subject.judged } else { &subject.planning });
                let plans = noise.as_ref().map(|noise| candidates(noise, &subject.costs, &expected));
                (noise, plans.unwrap_or_default())
            })
            .collect();
        choices.extend(budgets.iter().map(|budget| in_time(&all, *budget, &expected.design, level)));
    }
    choices
}

/// Seconds of one side of a suite.
pub(super) fn seconds(suite: &Suite, shapes: &[Shape]) -> f64 {
    let one = |(subject, shape): (&Subject, &Shape)| match shape.processes {
        0 => 0.0,
        processes => f64::from(processes) * subject.costs.process(shape.values),
    };
    suite.subjects.iter().zip(shapes).map(one).sum()
}

/// 5 %, found in 90 % of cases.
fn wanted(suite: &Suite) -> Wanted {
    Wanted {
        design: Design::Apart { is_shared: suite.places > 1 },
        most_processes: suite.most_processes,
        iterations: (1, None),
        ..Wanted::apart(suite.subjects.len() as u32)
    }
}

fn shape(plan: &ComparePlan) -> Shape {
    Shape { processes: plan.processes, values: plan.iterations }
}

fn ours(suite: &Suite, wanted: &Wanted) -> Choice {
    let plan = |subject: &Subject| for_compare(&subject.planning, &subject.costs, wanted);
    let plans: Vec<Option<ComparePlan>> = suite.subjects.iter().map(plan).collect();
    Choice {
        shapes: plans.iter().map(|plan| plan.as_ref().map_or_else(Shape::default, shape)).collect(),
        predicted: plans.iter().map(|plan| plan.as_ref().map_or(0.0, |plan| plan.power)).collect(),
        known: None,
    }
}

fn in_time(
    all: &[(Option<Noise>, Vec<ComparePlan>)],
    budget: f64,
    design: &Design,
    level: Option<f64>,
) -> Choice {
    let candidates: Vec<Vec<ComparePlan>> = all.iter().map(|(_, plans)| plans.clone()).collect();
    let chosen = within_budget(&candidates, budget, design);
    let plans: Vec<Option<&ComparePlan>> =
        candidates.iter().zip(chosen).map(|(plans, at)| at.map(|at| &plans[at])).collect();
    let spread = |((noise, _), plan): (&(Option<Noise>, _), &Option<&ComparePlan>)| {
        Some(noise.as_ref()?.known(plan.as_ref()?.iterations))
    };
    Choice {
        shapes: plans.iter().map(|plan| plan.map_or_else(Shape::default, shape)).collect(),
        predicted: plans.iter().map(|plan| plan.map_or(0.0, |plan| plan.power)).collect(),
        known: level.map(|level| (level, all.iter().zip(&plans).map(spread).collect())),
    }
}

/// Resamples of the paper's metrics and intervals.
pub(super) const RESAMPLING: Resampling = Resampling { resamples: RESAMPLES, seed: 42 };

/// The configurations of the paper's metrics and baselines, in the order of [`NAMES`], for a benchmark with this number.
pub(super) fn configurations(series: &LevelSeries, number: u64) -> Vec<Configuration> {
    let options = Options { resampling: RESAMPLING, ..Options::default() };
    let full = || series.full();
    let reduced = reduce_by(series, metrics(), &options).into_iter();
    let mut all: Vec<Configuration> =
        reduced.map(|found| found.map_or_else(full, |found| found.chosen.configuration)).collect();
    all.push(baseline::minimum(series.levels()).unwrap_or_else(full));
    all.push(baseline::random(series.levels(), Mode::Paper, number));
    all.push(full());
    all
}

/// A configuration as so many processes of so many values; no more processes than a side has.
fn of_paper(Configuration(sizes): &Configuration, suite: &Suite) -> Shape {
    let (values, outer) = sizes.split_last().map_or((1, &[][..]), |(last, outer)| (*last, outer));
    let most = if suite.places > 1 { suite.most_processes } else { u32::MAX };
    Shape { processes: outer.iter().product::<u32>().min(most), values }
}
