//! Who takes part: ways to choose how much is measured.

use benchwright_analysis::reduce::for_compare::{
    ComparePlan, Costs, Design, Noise, Wanted, candidates, for_compare, within_budget,
};
use benchwright_analysis::reduce::{Configuration, LevelSeries, Mode, Options, baseline, metrics, reduce_by};
use benchwright_stats::bootstrap::Resampling;

use super::draw::{Pool, Shape};

/// One benchmark: what is known before, and what it is judged on.
pub(super) struct Subject {
    /// Its name, the same in every version.
    pub(super) name: String,
    /// What plans are chosen from.
    pub(super) planning: LevelSeries,
    /// What they are judged on: other processes.
    pub(super) pool: Pool,
    /// What a process costs.
    pub(super) costs: Costs,
}

/// Benchmarks that are judged together.
pub(super) struct Suite {
    /// Its name.
    pub(super) name: String,
    /// Whether both sides are measured in the same places.
    pub(super) is_shared: bool,
    /// Most processes per side that there are.
    pub(super) most_processes: u32,
    /// Its benchmarks.
    pub(super) subjects: Vec<Subject>,
}

/// Names of the contenders that stand alone, ours first; each of the others is followed by ours in its time.
pub(super) const NAMES: [&str; 9] =
    ["for compare", "CV", "RMAD", "RCIW1", "RCIW2", "RCIW3", "minimum", "random", "full"];

/// Resamples of the metrics that resample. The published number is 10,000; with fewer, one configuration in a hundred differs.
const RESAMPLES: usize = 1_000;

/// What one contender measures of each subject of a suite.
pub(super) struct Choice {
    /// Shapes by subject.
    pub(super) shapes: Vec<Shape>,
    /// How often our plans expect to find 5 %, by subject; empty for the others.
    pub(super) predicted: Vec<f64>,
}

/// The choices for a suite: those of [`NAMES`], then ours in the time of each but the first.
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
        choices.push(Choice { shapes: shapes.collect(), predicted: Vec::new() });
    }
    // A given time finds most where noise is taken for what it probably is, not for what it is at most.
    let expected = Wanted { caution: 0.5, ..wanted };
    let all: Vec<Vec<ComparePlan>> = suite
        .subjects
        .iter()
        .map(|subject| {
            let noise = Noise::of(&subject.planning);
            noise.map_or_else(Vec::new, |noise| candidates(&noise, &subject.costs, &expected))
        })
        .collect();
    let budgets: Vec<f64> = choices[1..].iter().map(|choice| 2.0 * seconds(suite, &choice.shapes)).collect();
    choices.extend(budgets.into_iter().map(|budget| in_time(&all, budget)));
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
        design: Design::Apart { is_shared: suite.is_shared },
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
    }
}

fn in_time(all: &[Vec<ComparePlan>], budget: f64) -> Choice {
    let chosen = within_budget(all, budget);
    let plans: Vec<Option<&ComparePlan>> =
        all.iter().zip(chosen).map(|(plans, at)| at.map(|at| &plans[at])).collect();
    Choice {
        shapes: plans.iter().map(|plan| plan.map_or_else(Shape::default, shape)).collect(),
        predicted: plans.iter().map(|plan| plan.map_or(0.0, |plan| plan.power)).collect(),
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
    let most = if suite.is_shared { suite.most_processes } else { u32::MAX };
    Shape { processes: outer.iter().product::<u32>().min(most), values }
}
