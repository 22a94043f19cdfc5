//! The contenders: ways to choose how much is measured.

use benchwright_analysis::reduce::for_compare::{
    ComparePlan, Costs, Design, Noise, Wanted, candidates, for_compare, within_budget,
};
use benchwright_analysis::reduce::{Configuration, LevelSeries, Mode, Options, baseline, metrics, reduce_by};
use benchwright_stats::bootstrap::Resampling;
use benchwright_stats::known_spread::KnownSpread;

use super::draw::{Pool, Shape};

/// One benchmark, with the data for planning and the data for judging.
pub(super) struct Subject {
    /// Its name, the same in every version.
    pub(super) name: String,
    /// The data from which plans are chosen.
    pub(super) planning: LevelSeries,
    /// The data on which plans are judged. These are other processes.
    pub(super) pool: Pool,
    /// The same data by level, for an oracle that plans with the noise of the judged data.
    pub(super) judged: LevelSeries,
    /// The cost of a process.
    pub(super) costs: Costs,
}

/// Benchmarks that are judged together.
pub(super) struct Suite {
    /// Its name.
    pub(super) name: String,
    /// Number of instances on which both sides are measured. One if the sides share no instance.
    pub(super) places: u32,
    /// Maximum number of processes per side.
    pub(super) most_processes: u32,
    /// Its benchmarks.
    pub(super) subjects: Vec<Subject>,
}

/// Names of the main contenders, ours first. After them come our plans in the time of each of the others, in
/// each of [`WAYS`].
pub(super) const NAMES: [&str; 9] =
    ["for compare", "CV", "RMAD", "RCIW1", "RCIW2", "RCIW3", "minimum", "random", "full"];

/// How our plan is made and judged in the time of another contender.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Way {
    /// With the rank test over processes.
    Ranks,
    /// With the test for a known spread, at this level.
    Known(f64),
    /// The same, but planned and judged with the spread of the judged data. This is the best that planning
    /// can achieve.
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
    /// Its name in tables.
    pub(super) fn name(self) -> String {
        match self {
            Way::Ranks => "ranks".into(),
            Way::Known(level) => format!("known {:.0} %", 100.0 * level),
            Way::Oracle(level) => format!("oracle {:.0} %", 100.0 * level),
        }
    }

    /// The index of our plan among all choices, for the way `at` and the time of this contender in [`NAMES`].
    pub(super) fn place(at: usize, contender: usize) -> usize {
        NAMES.len() + at * (NAMES.len() - 1) + contender - 1
    }
}

/// Number of resamples for the metrics that need them. The published number is 10,000. With fewer, one
/// configuration in a hundred differs.
const RESAMPLES: usize = 1_000;

/// How much a contender measures of each subject of a suite.
pub(super) struct Choice {
    /// The shapes by subject.
    pub(super) shapes: Vec<Shape>,
    /// The predicted power of our plans for a change of 5 %, by subject. Empty for other contenders.
    pub(super) predicted: Vec<f64>,
    /// The level of the test for a known spread, and the known spread of each subject. `None` if another rule
    /// is used.
    pub(super) known: Option<(f64, Vec<Option<KnownSpread>>)>,
}

/// The choices for a suite: those of [`NAMES`], and then for each way our plans in the time of each contender
/// but the first.
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
        // With a fixed time, plans find the most if they use the expected power instead of the guaranteed
        // power.
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

/// Seconds needed to measure one side of a suite.
pub(super) fn seconds(suite: &Suite, shapes: &[Shape]) -> f64 {
    let one = |(subject, shape): (&Subject, &Shape)| match shape.processes {
        0 => 0.0,
        processes => f64::from(processes) * subject.costs.process(shape.values),
    };
    suite.subjects.iter().zip(shapes).map(one).sum()
}

/// A plan that finds 5 % in 90 % of cases.
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

/// The resampling of the paper's metrics and intervals.
pub(super) const RESAMPLING: Resampling = Resampling { resamples: RESAMPLES, seed: 42 };

/// The configurations of the paper's metrics and baselines, in the order of [`NAMES`]. `number` is the number
/// of the benchmark.
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

/// Converts a configuration to a number of processes and values, with no more processes than a side has.
fn of_paper(Configuration(sizes): &Configuration, suite: &Suite) -> Shape {
    let (values, outer) = sizes.split_last().map_or((1, &[][..]), |(last, outer)| (*last, outer));
    let most = if suite.places > 1 { suite.most_processes } else { u32::MAX };
    Shape { processes: outer.iter().product::<u32>().min(most), values }
}
