//! Following a plan: how often and how long `benchwright.plan.toml` says each benchmark is measured.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::time::Duration;

use benchwright_analysis::{DuetLimits, Rule};
use benchwright_config::{
    DuetRange, GivenNumbers, Levels, Plan, PlannedBenchmark, Settings, find_plan, read_plan,
};
use benchwright_harness::TrialShape;
use benchwright_model::{BenchmarkId, Diagnostic};
use benchwright_report::scale;
use benchwright_runner::{Shapes, short_hash};

use crate::decide;
use crate::problem::Problem;
use crate::request::{PlanChoice, Selection};
use crate::words::count;

/// The length of an iteration unless a plan says otherwise. The level *second* is named after it.
pub const SECOND: Duration = Duration::from_secs(1);

/// A plan that a command follows.
#[derive(Debug)]
pub struct Followed {
    /// The content of the file.
    pub plan: Plan,
    /// The name of the file in messages.
    pub file: String,
    /// Diagnostics about entries that were left out.
    pub diagnostics: Vec<Diagnostic>,
}

impl Followed {
    /// Finds the plan that `choice` names, or that of the repository at `root`. `None` if there is none, if
    /// plans are switched off, or if the benchmarks are commands that were asked for.
    pub fn find(
        root: &Path,
        choice: &PlanChoice,
        selection: &Selection,
    ) -> Result<Option<Followed>, Problem> {
        let path = match choice {
            PlanChoice::File(path) => Some(path.clone()),
            PlanChoice::Ignored => None,
            PlanChoice::OfRepository if !selection.commands.is_empty() => None,
            PlanChoice::OfRepository => find_plan(root),
        };
        let Some(path) = path else { return Ok(None) };
        let (plan, diagnostics) = read_plan(&path)?;
        let file = path.strip_prefix(root).unwrap_or(&path).display().to_string();
        Ok(Some(Followed { plan, file, diagnostics }))
    }

    /// The entry of a benchmark.
    pub fn planned(&self, benchmark: &BenchmarkId) -> Option<&PlannedBenchmark> {
        self.plan.benchmarks.get(benchmark)
    }

    /// One line on what following the plan saves. `now` and `full` are the times predicted for all these
    /// benchmarks. A comparison may take longer than measuring in full once; then the line mentions no
    /// saving.
    pub fn describe<'a>(
        &self,
        benchmarks: impl Iterator<Item = &'a BenchmarkId>,
        now: f64,
        full: f64,
    ) -> String {
        let (mut all, mut planned) = (0, 0);
        for benchmark in benchmarks {
            all += 1;
            planned += u32::from(self.planned(benchmark).is_some());
        }
        let of = if planned == all { String::new() } else { format!("{planned} of ") };
        let saved = if now < full { format!(" instead of {} in full", time(full)) } else { String::new() };
        format!("following {}: {of}{}, about {}{saved}", self.file, count(all, "benchmark"), time(now))
    }

    /// A digest of the numbers planned for these benchmarks.
    pub fn digest<'a>(&self, benchmarks: impl Iterator<Item = &'a BenchmarkId>) -> String {
        let numbers = |benchmark| {
            let planned = self.planned(benchmark)?;
            let Levels { run, iteration, second } = planned.levels;
            let (floor, cap) = planned.duets.map_or((0, 0), |range| (range.floor, range.cap));
            let iterations = planned.iterations.unwrap_or(0);
            let nanos = planned.iteration_time.map_or(0, |time| time.as_nanos());
            Some(format!("{benchmark} {run} {iteration} {second} {floor} {cap} {iterations} {nanos}"))
        };
        let lines: Vec<String> =
            benchmarks.collect::<BTreeSet<_>>().into_iter().filter_map(numbers).collect();
        short_hash(&[lines.join("\n").as_bytes()])
    }

    /// Gives the planned benchmarks their trial shapes. `wanted` returns iterations and iteration time, given
    /// the entry of the plan and the usual shape. Numbers given by the user take precedence.
    pub fn shape<'a>(
        &self,
        shapes: &mut Shapes,
        benchmarks: impl Iterator<Item = &'a BenchmarkId>,
        given: &GivenNumbers,
        wanted: impl Fn(&PlannedBenchmark, &TrialShape) -> (u32, Duration),
    ) {
        for benchmark in benchmarks {
            let (Some(planned), Some(usual)) =
                (self.planned(benchmark), shapes.by_harness.get(&benchmark.harness))
            else {
                continue;
            };
            let given_time = given.has_iteration_time.then_some(usual.iteration_time);
            let (iterations, iteration_time) = wanted(planned, usual);
            let shape = TrialShape {
                iterations: given.iterations.unwrap_or(iterations),
                iteration_time: given_time.unwrap_or(iteration_time),
                operations: None,
                ..usual.clone()
            };
            shapes.by_benchmark.insert(benchmark.clone(), shape);
        }
    }

    /// Gives a comparison's benchmarks the trials that were planned for comparing, unless they are longer
    /// than without a plan.
    pub fn shape_comparing(&self, shapes: &Shapes, ids: &[BenchmarkId], given: &GivenNumbers) -> Shapes {
        let mut planned_shapes = shapes.clone();
        let planned = |id: &&BenchmarkId| self.planned(id).is_some_and(|one| one.iterations.is_some());
        self.shape(&mut planned_shapes, ids.iter().filter(planned), given, no_longer);
        // Stop rules that choose the length do not apply to a benchmark with a shape of its own, so a shape
        // equal to the usual one is removed.
        planned_shapes.by_benchmark.retain(|id, shape| shapes.of(id).ok() != Some(&*shape));
        planned_shapes
    }

    /// How long trials of these shapes take, from the cost of a process in the plan.
    pub fn durations(&self, shapes: &Shapes, ids: &[BenchmarkId]) -> HashMap<BenchmarkId, Duration> {
        let time = |id: &BenchmarkId| {
            let secs = trial_secs(self.planned(id)?, shapes.of(id).ok()?);
            Some((id.clone(), Duration::try_from_secs_f64(secs).ok()?))
        };
        ids.iter().filter_map(time).collect()
    }

    /// Whether the plan has entries for comparing these benchmarks.
    fn is_for_comparing<'a>(&self, mut benchmarks: impl Iterator<Item = &'a BenchmarkId>) -> bool {
        let is_made_for_it = |one: &PlannedBenchmark| one.duets.is_some() || one.iterations.is_some();
        benchmarks.any(|id| self.planned(id).is_some_and(is_made_for_it))
    }

    /// One line on what the plan means for comparing these benchmarks, which takes `now` seconds. `None` if
    /// the plan has none of them.
    pub fn describe_comparing<'a>(
        &self,
        benchmarks: impl Iterator<Item = &'a BenchmarkId> + Clone,
        now: f64,
    ) -> Option<String> {
        if !benchmarks.clone().any(|id| self.planned(id).is_some()) {
            return None;
        }
        Some(match self.is_for_comparing(benchmarks.clone()) {
            true => self.describe(benchmarks, now, 0.0),
            false => format!(
                "{} applies to `run` only; for comparisons, make a plan with `reduce --for compare`",
                self.file
            ),
        })
    }

    /// The duet limits of benchmarks that are planned for comparing: the maximum is at most that without a
    /// plan, and under the default rule the minimum is at least that of the rule.
    pub fn limits(
        &self,
        rule: &Rule,
        settings: &Settings,
        given: &GivenNumbers,
    ) -> HashMap<BenchmarkId, DuetLimits> {
        let usual = decide::limits(settings, rule, self.plan.benchmarks.keys());
        let most = |id: &BenchmarkId| usual.get(id).map_or(settings.duets.max, |limits| limits.cap);
        let of = |id: &BenchmarkId, planned: &PlannedBenchmark, range: DuetRange| match rule.is_sequential() {
            false if given.has_duets => None,
            false => {
                let duets = planned.levels.iteration.clamp(range.floor, range.cap).min(rule.max_duets());
                Some(DuetLimits { floor: duets, cap: duets })
            }
            true => {
                let floor = given.min_duets.unwrap_or(range.floor.max(settings.duets.min));
                let cap = if given.has_max_duets { settings.duets.max } else { range.cap.min(most(id)) };
                Some(DuetLimits { floor, cap: cap.max(floor) })
            }
        };
        let all = self.plan.benchmarks.iter();
        all.filter_map(|(id, planned)| Some((id.clone(), of(id, planned, planned.duets?)?))).collect()
    }
}

/// The planned iterations and their time.
pub fn exactly(planned: &PlannedBenchmark, _: &TrialShape) -> (u32, Duration) {
    let iterations = planned.iterations.unwrap_or(planned.levels.second);
    (iterations, planned.iteration_time.unwrap_or(SECOND))
}

/// The planned length, or the usual one if the trial would become longer: a plan must never make a comparison
/// slower.
fn no_longer(planned: &PlannedBenchmark, usual: &TrialShape) -> (u32, Duration) {
    let (iterations, time) = exactly(planned, usual);
    let length = |iterations: u32, time: Duration| time.saturating_mul(iterations);
    match length(iterations, time) > length(usual.iterations, usual.iteration_time) {
        true => (usual.iterations, usual.iteration_time),
        false => (iterations, time),
    }
}

/// Formats predicted seconds for people.
pub fn time(seconds: f64) -> String {
    scale::duration(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX))
}

/// Seconds that a process of this shape takes, from the cost of the planned processes.
fn trial_secs(planned: &PlannedBenchmark, shape: &TrialShape) -> f64 {
    let levels = planned.levels;
    let processes = f64::from(planned.instances.max(1)) * f64::from(levels.run) * f64::from(levels.iteration);
    let measured = f64::from(levels.second) * planned.iteration_time.unwrap_or(SECOND).as_secs_f64();
    let now = f64::from(shape.iterations) * shape.iteration_time.as_secs_f64();
    // Starting a process takes the same time however much it measures.
    (planned.seconds / processes - measured).max(0.0) + now
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use benchwright_analysis::{FixedRule, FixedSample, PairedSettings};
    use benchwright_config::{Goal, Levels};

    use super::*;

    fn planned(duets: Option<DuetRange>) -> PlannedBenchmark {
        PlannedBenchmark {
            source: "run".into(),
            instances: 1,
            levels: Levels { run: 2, iteration: 3, second: 4 },
            metric: None,
            instability: Some(0.005),
            is_stable: true,
            seconds: 30.0,
            full_seconds: 90.0,
            code: None,
            duets,
            iterations: None,
            iteration_time: None,
        }
    }

    fn followed(duets: Option<DuetRange>) -> (Followed, BenchmarkId) {
        let id = BenchmarkId::new("go", "p", "BenchmarkX");
        let plan = Plan {
            made: String::new(),
            by: String::new(),
            goal: Goal::Stability { metric: "rmad".into(), threshold: 0.01, mode: "paper".into() },
            sources: BTreeMap::new(),
            benchmarks: BTreeMap::from([(id.clone(), planned(duets))]),
        };
        (Followed { plan, file: "plan".into(), diagnostics: Vec::new() }, id)
    }

    #[test]
    fn duets_come_from_the_plan_as_the_rule_demands() {
        let settings = Settings::resolve(benchwright_config::Layer::default()).expect("the defaults");
        let paired: Rule = Arc::new(PairedSettings::default());
        let fixed: Rule = Arc::new(FixedSample { rule: FixedRule::MannWhitney, duets: 30 });
        let check =
            |duets: Option<(u32, u32)>, rule: &Rule, given: GivenNumbers, expected: Option<(u32, u32)>| {
                let (followed, id) = followed(duets.map(|(floor, cap)| DuetRange { floor, cap }));
                let found = followed.limits(rule, &settings, &given).get(&id).copied();
                assert_eq!(found.map(|limits| (limits.floor, limits.cap)), expected);
            };
        let given = GivenNumbers::default;
        check(None, &paired, given(), None);
        check(Some((9, 12)), &paired, given(), Some((9, 12)));
        // Never below the floor of the rule.
        check(Some((3, 12)), &paired, given(), Some((5, 12)));
        check(Some((3, 4)), &paired, given(), Some((5, 5)));
        check(Some((9, 12)), &paired, GivenNumbers { min_duets: Some(6), ..given() }, Some((6, 12)));
        check(Some((9, 12)), &paired, GivenNumbers { has_max_duets: true, ..given() }, Some((9, 40)));
        // No more than without a plan: 96 for short trials, 30 for the fixed rule.
        check(Some((5, 200)), &paired, given(), Some((5, 96)));
        check(Some((40, 200)), &fixed, given(), Some((30, 30)));
        check(None, &fixed, given(), None);
        // The planned number, three, within the range.
        check(Some((2, 12)), &fixed, given(), Some((3, 3)));
        check(Some((9, 12)), &fixed, given(), Some((9, 9)));
        check(Some((9, 12)), &fixed, GivenNumbers { has_duets: true, ..given() }, None);
    }

    #[test]
    fn trials_are_as_long_as_planned_unless_given() {
        let (followed, id) = followed(None);
        let usual = TrialShape::fixed(3, Duration::from_millis(100));
        let check = |given: &GivenNumbers, iterations: u32, time: Duration, seconds: f64| {
            let mut shapes = Shapes::from(HashMap::from([("go".to_owned(), usual.clone())]));
            followed.shape(&mut shapes, [&id].into_iter(), given, exactly);
            let shape = shapes.of(&id).expect("a shape");
            assert_eq!((shape.iterations, shape.iteration_time), (iterations, time));
            assert_eq!(trial_secs(&planned(None), shape), seconds);
        };
        // 30 s in six processes of 4 s: one second each for starting.
        check(&GivenNumbers::default(), 4, SECOND, 5.0);
        check(&GivenNumbers { iterations: Some(2), ..GivenNumbers::default() }, 2, SECOND, 3.0);
        let given = GivenNumbers { has_iteration_time: true, ..GivenNumbers::default() };
        check(&given, 4, Duration::from_millis(100), 1.4);
    }

    #[test]
    fn a_plan_never_makes_a_trial_of_a_comparison_longer() {
        let usual = TrialShape::fixed(10, Duration::from_millis(10));
        let check = |iterations: u32, time: Duration, expected: (u32, u64)| {
            let planned = PlannedBenchmark {
                iterations: Some(iterations),
                iteration_time: Some(time),
                ..planned(None)
            };
            let found = no_longer(&planned, &usual);
            assert_eq!(found, (expected.0, Duration::from_millis(expected.1)));
        };
        check(3, SECOND, (10, 10));
        check(20, Duration::from_millis(10), (10, 10));
        check(5, Duration::from_millis(10), (5, 10));
        check(20, Duration::from_millis(5), (20, 5));
    }

    #[test]
    fn the_digest_changes_with_the_numbers_of_the_benchmarks_at_hand() {
        let (one, id) = followed(None);
        let (other, _) = followed(Some(DuetRange { floor: 5, cap: 9 }));
        assert_eq!(one.digest([&id].into_iter()), followed(None).0.digest([&id].into_iter()));
        assert_ne!(one.digest([&id].into_iter()), other.digest([&id].into_iter()));
        let absent = BenchmarkId::new("go", "p", "BenchmarkY");
        assert_eq!(one.digest([&absent].into_iter()), other.digest([&absent].into_iter()));
    }

    #[test]
    fn one_line_says_what_is_saved() {
        let (followed, id) = followed(None);
        let absent = BenchmarkId::new("go", "p", "BenchmarkY");
        let line = followed.describe([&id, &absent].into_iter(), 30.0, 90.0);
        assert_eq!(line, "following plan: 1 of 2 benchmarks, about 30 s instead of 1m 30s in full");
        let line = followed.describe([&id].into_iter(), 91.0, 90.0);
        assert_eq!(line, "following plan: 1 benchmark, about 1m 31s");
        // A plan for stability does not apply to comparisons.
        let line = followed.describe_comparing([&id, &absent].into_iter(), 30.0).expect("a line");
        assert!(line.starts_with("plan applies to `run` only"), "{line}");
        assert_eq!(followed.describe_comparing([&absent].into_iter(), 30.0), None);
        let (followed, id) = self::followed(Some(DuetRange { floor: 5, cap: 9 }));
        let line = followed.describe_comparing([&id].into_iter(), 30.0).expect("a line");
        assert_eq!(line, "following plan: 1 benchmark, about 30 s");
    }
}
