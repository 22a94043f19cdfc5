//! Finds what is out of date in a plan, and says what to do about it.

use std::collections::{BTreeMap, BTreeSet};

use benchwright_analysis::reduce::{Mode, Options, by_name};
use benchwright_config::{Goal, Plan, PlanSource, PlannedBenchmark};
use benchwright_harness::{Harness, Project};
use benchwright_model::{BenchmarkId, Diagnostic, Environment, Position, Run, RunKind, Severity, Trial};
use benchwright_runner::Build;

use crate::follow::Followed;

/// At most this many names of a long list are shown.
const NAMED: usize = 5;

/// A benchmark whose entry in the plan is out of date.
#[derive(Debug, Clone, PartialEq)]
pub struct Stale {
    /// The benchmark.
    pub benchmark: BenchmarkId,
    /// Why it is out of date.
    pub why: Why,
}

/// What happened since the plan was made.
#[derive(Debug, Clone, PartialEq)]
pub enum Why {
    /// It is not in the plan.
    New,
    /// It is not in the version.
    Removed,
    /// Its own code changed.
    Code,
    /// A fact about machine or tool chain changed.
    Environment {
        /// Its name.
        fact: String,
        /// Its value when the plan was made.
        then: String,
        /// Its present value.
        now: String,
    },
    /// Its values, measured as planned, vary more than they may.
    Unstable {
        /// The metric of stability.
        metric: String,
        /// The measured value of the metric.
        value: f64,
        /// The largest value that is allowed.
        threshold: f64,
    },
}

/// The benchmarks of a version, with the fingerprints of their own code as far as they are known.
pub type Codes = BTreeMap<BenchmarkId, Option<String>>;

/// The benchmarks of a build. Fingerprints are computed only if `is_wanted` holds, because this reads files.
pub fn codes(
    harnesses: &[Box<dyn Harness>],
    build: &Build,
    is_wanted: &dyn Fn(&BenchmarkId) -> bool,
) -> Codes {
    let code = |id: &BenchmarkId, project: &Project| {
        let harness = harnesses.iter().find(|harness| harness.name() == id.harness)?;
        Some(harness.own_code(&build.root, project, id)?.fingerprint())
    };
    let executables = build.executables.iter();
    executables
        .flat_map(|built| built.benchmarks.iter().map(move |id| (id, &built.project)))
        .map(|(id, project)| (id.clone(), is_wanted(id).then(|| code(id, project)).flatten()))
        .collect()
}

/// The source that a plan records for numbers chosen from this run.
pub fn source(run: &Run) -> PlanSource {
    let is_known = |name: &str| {
        Environment::HARDWARE.contains(&name) || benchwright_harness::names().any(|harness| harness == name)
    };
    let facts = run.environment.facts.iter().filter(|(name, _)| is_known(name));
    PlanSource {
        run: (run.kind != RunKind::Imported).then(|| run.id.to_string()),
        files: Vec::new(),
        version: run.head.title(),
        commit: run.head.commit.clone(),
        environment: facts.map(|(name, value)| (name.clone(), value.clone())).collect(),
    }
}

/// Everything in a plan that is out of date. `codes` are all benchmarks of the version in those harnesses
/// that were looked at, `environment` is the present one, and `trials` are those of a run that followed the
/// plan, if there is one.
pub fn stale(
    plan: &Plan,
    codes: &Codes,
    harnesses: &[Box<dyn Harness>],
    environment: &Environment,
    trials: &[Trial],
) -> Vec<Stale> {
    let is_looked_at = |id: &BenchmarkId| harnesses.iter().any(|harness| harness.name() == id.harness);
    let mut found: Vec<Stale> = Vec::new();
    let mut tell = |benchmark: &BenchmarkId, why| found.push(Stale { benchmark: benchmark.clone(), why });
    for id in codes.keys().filter(|id| !plan.benchmarks.contains_key(id)) {
        tell(id, Why::New);
    }
    for (id, planned) in plan.benchmarks.iter().filter(|(id, _)| is_looked_at(id)) {
        let Some(code) = codes.get(id) else {
            tell(id, Why::Removed);
            continue;
        };
        if matches!((code, &planned.code), (Some(now), Some(then)) if now != then) {
            tell(id, Why::Code);
        }
        if let Some(why) = other_environment(plan.source_of(id), &id.harness, environment) {
            tell(id, why);
        }
    }
    found.extend(unstable(plan, trials).into_iter().filter(|stale| codes.contains_key(&stale.benchmark)));
    found
}

/// The first relevant fact that differs. Facts that only one of the two has do not count.
fn other_environment(source: Option<&PlanSource>, harness: &str, now: &Environment) -> Option<Why> {
    let then = &source?.environment;
    let mut facts = Environment::HARDWARE.into_iter().chain([harness]);
    facts.find_map(|fact| match (then.get(fact), now.facts.get(fact)) {
        (Some(then), Some(now)) if then != now => {
            Some(Why::Environment { fact: fact.into(), then: then.clone(), now: now.clone() })
        }
        _ => None,
    })
}

/// Benchmarks that were planned as stable but are not stable when measured as planned.
pub fn unstable(plan: &Plan, trials: &[Trial]) -> Vec<Stale> {
    let Goal::Stability { metric, threshold, mode } = &plan.goal else { return Vec::new() };
    let mode = if mode == Mode::Prototype.name() { Mode::Prototype } else { Mode::Paper };
    let mut by_benchmark: BTreeMap<&BenchmarkId, Vec<&Trial>> = BTreeMap::new();
    for trial in trials.iter().filter(|trial| matches!(trial.position, Position::Levels { .. })) {
        by_benchmark.entry(&trial.benchmark).or_default().push(trial);
    }
    let mut found = Vec::new();
    for (id, own) in by_benchmark {
        let Some(planned) = plan.benchmarks.get(id).filter(|planned| planned.is_stable) else { continue };
        let name = planned.metric.as_ref().unwrap_or(metric);
        let (Some(values), Some(stability)) = (values(planned, own), by_name(name)) else { continue };
        let value = stability.instability(&values, mode, Options::default().resampling);
        let is_stable = |value: f64| match mode {
            Mode::Paper => value <= *threshold,
            Mode::Prototype => value < *threshold,
        };
        if let Some(value) = value.filter(|value| !is_stable(*value)) {
            let why = Why::Unstable { metric: name.clone(), value, threshold: *threshold };
            found.push(Stale { benchmark: id.clone(), why });
        }
    }
    found
}

/// The values of the planned processes in order, as many of each as planned. `None` if a process or a value
/// is missing.
fn values(planned: &PlannedBenchmark, mut trials: Vec<&Trial>) -> Option<Vec<f64>> {
    let second = planned.levels.second as usize;
    trials.sort_by_key(|trial| trial.position);
    let mut values = Vec::new();
    let mut processes = 0;
    for trial in trials {
        let Position::Levels { suite_run, iteration, .. } = trial.position else { continue };
        if suite_run >= planned.levels.run || iteration >= planned.levels.iteration {
            continue;
        }
        let measurement = trial.outcome.measurement()?;
        let used = measurement.main()?.values.get(measurement.warmup as usize..)?;
        values.extend(used.get(..second)?);
        processes += 1;
    }
    (processes == planned.levels.run * planned.levels.iteration).then_some(values)
}

/// What is out of date before anything is measured, for the benchmarks that are asked for.
pub fn notices(
    project: &crate::project::Project,
    build: &Build,
    run: &Run,
    followed: &Followed,
    unplanned: &str,
) -> Vec<Diagnostic> {
    let codes = codes(&project.harnesses, build, &|id| followed.planned(id).is_some());
    let mut found = stale(&followed.plan, &codes, &project.harnesses, &run.environment, &[]);
    let is_asked = |id: &BenchmarkId| project.settings.selection.accepts(&id.to_string());
    found.retain(|stale| is_asked(&stale.benchmark));
    let is_known = |id: &BenchmarkId| project.harnesses.iter().any(|harness| harness.name() == id.harness);
    let asked = followed.plan.benchmarks.keys().filter(|id| is_asked(id) && is_known(id)).count();
    let useless = all_gone(&followed.file, &mut found, asked);
    let told = diagnostics(&followed.file, &found, unplanned);
    [followed.diagnostics.clone(), useless.into_iter().collect(), told].concat()
}

/// A warning if none of the plan's benchmarks exists any more. The entries that it replaces are removed from
/// `found`. `asked` is the number of planned benchmarks that were looked at.
fn all_gone(file: &str, found: &mut Vec<Stale>, asked: usize) -> Option<Diagnostic> {
    let gone: BTreeSet<String> = found
        .iter()
        .filter(|stale| stale.why == Why::Removed)
        .map(|stale| stale.benchmark.to_string())
        .collect();
    if asked == 0 || gone.len() < asked {
        return None;
    }
    found.retain(|stale| !matches!(stale.why, Why::Removed | Why::New));
    let message =
        format!("none of its benchmarks is in this version, so it is not followed: {}", listed(&gone));
    Some(Diagnostic::warning(file, message).hint(
        "`benchwright run --full` and `benchwright reduce` make a new plan; delete the file to measure without one",
    ))
}

/// The diagnostics: one per cause, with all its benchmarks. `unplanned` says what happens to benchmarks
/// without a plan.
pub fn diagnostics(file: &str, stale: &[Stale], unplanned: &str) -> Vec<Diagnostic> {
    let mut groups: BTreeMap<(u8, String), BTreeSet<String>> = BTreeMap::new();
    for Stale { benchmark, why } in stale {
        let (rank, message, detail) = match why {
            Why::New => (0, format!("not in the plan, so {unplanned}"), String::new()),
            Why::Removed => (1, "in the plan, but not in this version".to_owned(), String::new()),
            Why::Code => (2, "changed since the plan was made".to_owned(), String::new()),
            Why::Environment { fact, then, now } => {
                (3, format!("planned with {fact} `{then}`, here it is `{now}`"), String::new())
            }
            Why::Unstable { metric, value, threshold } => {
                let message = format!("less stable than the plan demands ({metric} at most {threshold})");
                (4, message, format!(" ({value:.3})"))
            }
        };
        groups.entry((rank, message)).or_default().insert(format!("{benchmark}{detail}"));
    }
    let told = groups.into_iter().map(|((rank, message), names)| {
        let severity = if rank < 2 { Severity::Note } else { Severity::Warning };
        let message = format!("{message}: {}", listed(&names));
        let hint =
            "`benchwright reduce --refresh` measures what is out of date in full and renews its entries";
        Diagnostic { severity, ..Diagnostic::warning(file, message) }.hint(hint)
    });
    told.collect()
}

/// The first few names, and the number of the others.
fn listed(names: &BTreeSet<String>) -> String {
    let named: Vec<&str> = names.iter().take(NAMED).map(String::as_str).collect();
    match names.len().saturating_sub(NAMED) {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use benchwright_config::Levels;
    use benchwright_model::{Measurement, Metric, Outcome, Phase, Series, Side, Timestamp, Usage};

    use super::*;

    fn id(name: &str) -> BenchmarkId {
        BenchmarkId::new("go", "p", name)
    }

    fn planned(code: Option<&str>) -> PlannedBenchmark {
        PlannedBenchmark {
            source: "run".into(),
            instances: 1,
            levels: Levels { run: 1, iteration: 2, second: 2 },
            metric: None,
            instability: Some(0.001),
            is_stable: true,
            seconds: 4.0,
            full_seconds: 40.0,
            code: code.map(str::to_owned),
            duets: None,
            iterations: None,
            iteration_time: None,
        }
    }

    fn plan(entries: &[(&str, Option<&str>)]) -> Plan {
        let facts = [("cpu", "Fast CPU"), ("go", "go1.26"), ("cargo", "1.95")];
        let environment = facts.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        Plan {
            made: String::new(),
            by: String::new(),
            goal: Goal::Stability { metric: "cv".into(), threshold: 0.01, mode: "paper".into() },
            sources: BTreeMap::from([("run".into(), PlanSource { environment, ..PlanSource::default() })]),
            benchmarks: entries.iter().map(|(name, code)| (id(name), planned(*code))).collect(),
        }
    }

    fn environment(cpu: &str, go: &str) -> Environment {
        let facts = [("cpu", cpu), ("go", go), ("cargo", "2.0")];
        Environment { facts: facts.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect() }
    }

    fn check(plan: &Plan, codes: &[(&str, Option<&str>)], now: &Environment, expected: &[(&str, Why)]) {
        let codes = codes.iter().map(|(name, code)| (id(name), code.map(str::to_owned))).collect();
        let found = stale(plan, &codes, &benchwright_harness::all(), now, &[]);
        let expected: Vec<Stale> =
            expected.iter().map(|(name, why)| Stale { benchmark: id(name), why: why.clone() }).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn new_removed_and_changed_benchmarks_are_found_and_unknown_code_is_no_change() {
        let plan =
            plan(&[("Same", Some("f:1")), ("Changed", Some("f:1")), ("Gone", None), ("Unknown", None)]);
        let codes =
            [("Same", Some("f:1")), ("Changed", Some("f:2")), ("Unknown", Some("f:3")), ("Fresh", None)];
        let here = environment("Fast CPU", "go1.26");
        let expected = [("Fresh", Why::New), ("Changed", Why::Code), ("Gone", Why::Removed)];
        check(&plan, &codes, &here, &expected);
    }

    #[test]
    fn only_facts_about_the_machine_and_the_benchmarks_own_tool_chain_count() {
        let plan = plan(&[("X", None)]);
        check(&plan, &[("X", None)], &environment("Fast CPU", "go1.26"), &[]);
        let why = |fact: &str, then: &str, now: &str| Why::Environment {
            fact: fact.into(),
            then: then.into(),
            now: now.into(),
        };
        let other = environment("Slow CPU", "go1.26");
        check(&plan, &[("X", None)], &other, &[("X", why("cpu", "Fast CPU", "Slow CPU"))]);
        let other = environment("Fast CPU", "go1.27");
        check(&plan, &[("X", None)], &other, &[("X", why("go", "go1.26", "go1.27"))]);
    }

    fn trial(name: &str, iteration: u32, values: &[f64], warmup: u32) -> Trial {
        let series = Series { metric: Metric::time(), values: values.to_vec(), resolution: 0.0 };
        Trial {
            benchmark: id(name),
            side: Side::Head,
            position: Position::Levels { instance: 0, suite_run: 0, iteration },
            phase: Phase::Levels,
            layout: None,
            instance: None,
            started_at: Timestamp(0),
            usage: Usage { wall: Duration::from_secs(2), ..Usage::default() },
            stopped: None,
            outcome: Outcome::Measured(Measurement {
                warmup,
                operations: vec![],
                series: vec![series],
                ..Measurement::default()
            }),
        }
    }

    #[test]
    fn stability_is_judged_on_the_planned_values_alone() {
        let plan = plan(&[("X", None)]);
        let check = |trials: &[Trial], expected: usize| {
            assert_eq!(unstable(&plan, trials).len(), expected, "{trials:?}");
        };
        let quiet = [trial("X", 0, &[1.0, 1.001], 0), trial("X", 1, &[1.0, 1.001], 0)];
        check(&quiet, 0);
        check(&[trial("X", 0, &[1.0, 1.1], 0), trial("X", 1, &[1.0, 1.001], 0)], 1);
        // Warm-up, samples beyond the plan and processes beyond it do not count.
        let more = [trial("X", 0, &[9.0, 1.0, 1.001, 5.0], 1), trial("X", 1, &[1.0, 1.001], 0)];
        check(&more, 0);
        check(&[quiet[0].clone(), quiet[1].clone(), trial("X", 2, &[7.0, 7.0], 0)], 0);
        // With too few processes there is no result.
        check(&[trial("X", 0, &[1.0, 1.5], 0)], 0);
        check(&[trial("Other", 0, &[1.0, 1.5], 0), trial("Other", 1, &[1.0, 1.5], 0)], 0);
    }

    #[test]
    fn a_plan_of_which_nothing_is_left_is_told_in_one_warning() {
        let gone = |names: &[&str]| -> Vec<Stale> {
            names.iter().map(|name| Stale { benchmark: id(name), why: Why::Removed }).collect()
        };
        let new = Stale { benchmark: id("New"), why: Why::New };
        let mut found = [gone(&["A", "B"]), vec![new.clone()]].concat();
        assert_eq!(all_gone("plan", &mut found, 3), None, "one is still there");
        let told = all_gone("plan", &mut found, 2).expect("a warning");
        assert_eq!(told.severity, Severity::Warning);
        assert!(told.message.ends_with("not followed: p:A, p:B"), "{}", told.message);
        assert_eq!(found, []);
        assert_eq!(all_gone("plan", &mut vec![new], 0), None, "nothing of the plan is asked for");
    }

    #[test]
    fn everything_is_told_once_with_all_it_is_about() {
        let one = |name: &str, why: Why| Stale { benchmark: id(name), why };
        let many: Vec<Stale> = (0..23).map(|i| one(&format!("N{i:02}"), Why::New)).collect();
        let unstable = Why::Unstable { metric: "cv".into(), value: 0.02345, threshold: 0.01 };
        let all = [many, vec![one("X", unstable), one("Y", Why::Code), one("Z", Why::Code)]].concat();
        let told = diagnostics("plan", &all, "measured in full");
        assert_eq!(told.len(), 3);
        assert!(told[0].message.starts_with("not in the plan, so measured in full: p:N00, p:N01"));
        assert!(told[0].message.ends_with("p:N04 and 18 more"));
        assert_eq!(told[1].message, "changed since the plan was made: p:Y, p:Z");
        assert_eq!(told[2].message, "less stable than the plan demands (cv at most 0.01): p:X (0.023)");
        assert!(told.iter().all(|one| one.hint.contains("reduce --refresh")));
    }
}
