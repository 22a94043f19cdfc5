//! Turns the configuration into settings of the analysis.

use std::collections::{BTreeMap, HashMap};

use benchwright_analysis::rules::{RuleOptions, most_duets};
use benchwright_analysis::{DuetLimits, JudgeSettings, Rule, ThresholdRules};
use benchwright_config::{
    Layer, Pairing, Settings, StopName, TrialSettings, format_duration, parse_ratio, read_text,
};
use benchwright_model::{BenchmarkId, Run};
use benchwright_report::gate;
use benchwright_worker::{TrialLimits, machine};

use crate::problem::{Problem, because, misconfigured};

/// Share of the free memory that processes may use unless the user sets a limit. The rest is left for the
/// machine.
const MEMORY_SHARE: f64 = 0.8;

/// The limits at which trials are killed. The free memory is known for this machine only.
pub(crate) fn trial_limits(settings: &Settings, is_here: bool) -> TrialLimits {
    let trial = &settings.trial;
    let at_once = match settings.schedule.pairing {
        Pairing::Sequential => 1.0,
        Pairing::Parallel => 2.0,
    };
    let free = if is_here { machine::available_memory() } else { None };
    let bearable = free.map(|free| (free as f64 * MEMORY_SHARE / at_once) as u64);
    TrialLimits {
        wall: trial.timeout,
        output_bytes: trial.output_limit_bytes,
        memory_bytes: trial.memory_bytes.or(bearable),
    }
}

/// The settings of the judge.
pub(crate) fn judge(settings: &Settings, seed: u64) -> JudgeSettings {
    let table = settings.thresholds.clone();
    let thresholds = ThresholdRules::general(table.general)
        .with(move |benchmark, metric| table.configured(benchmark, metric));
    JudgeSettings { rule: rule(settings), thresholds, seed }
}

fn rule(settings: &Settings) -> Rule {
    let duets = &settings.duets;
    settings.decision.rule.rule(&RuleOptions {
        min: duets.min,
        max: duets.max,
        max_fresh: duets.max_fresh,
        confirm: settings.decision.confirm,
        duets: duets.fixed,
        injected: settings.decision.injected.unwrap_or(0.0),
    })
}

/// The duet limits of harnesses whose maximum exceeds that of the rule, because their trials are short.
pub(crate) fn limits<'a>(
    settings: &Settings,
    rule: &Rule,
    benchmarks: impl IntoIterator<Item = &'a BenchmarkId>,
) -> HashMap<BenchmarkId, DuetLimits> {
    let duets = &settings.duets;
    if duets.is_max_given || !rule.is_sequential() {
        return HashMap::new();
    }
    let harnesses = benchwright_harness::all();
    let of = |id: &'a BenchmarkId| {
        let harness = harnesses.iter().find(|it| it.name() == id.harness)?;
        let cap = most_duets(harness.samples());
        (cap > duets.max).then(|| (id.clone(), DuetLimits { floor: duets.min, cap }))
    };
    benchmarks.into_iter().filter_map(of).collect()
}

/// Whether settings determine how much processes measure, or what ends them. Otherwise the first duets
/// decide.
pub(crate) fn says_how_much(trial: &TrialSettings) -> bool {
    trial.iterations.is_some() || trial.iteration_time.is_some() || trial.stop != StopName::Auto
}

/// The number of random code layouts for fresh duets. 0 if the rule has no confirmation.
pub(crate) fn layouts(settings: &Settings, rule: &Rule) -> u32 {
    if rule.confirmation().is_some() { settings.duets.layouts } else { 0 }
}

/// The settings that affect the numbers, as a run stores them.
pub(crate) fn record(settings: &Settings, rule: &Rule) -> BTreeMap<String, String> {
    let trial = &settings.trial;
    let given = |number: Option<u32>| number.map(|number| number.to_string()).unwrap_or_default();
    let pairs = [
        ("rule", rule.name().to_owned()),
        ("rule-note", rule.note()),
        ("confirm", settings.decision.confirm.word().to_owned()),
        ("layouts", layouts(settings, rule).to_string()),
        ("threshold", percent(settings.thresholds.general.soft)),
        ("fail-threshold", percent(settings.thresholds.general.hard)),
        ("thresholds", settings.thresholds.rules_text()),
        (gate::FAIL_ON, settings.decision.fail_on.word().to_owned()),
        (gate::REQUIRE_DECIDED, percent(settings.decision.require_decided)),
        ("min-duets", settings.duets.min.to_string()),
        ("max-duets", given(settings.duets.is_max_given.then_some(settings.duets.max))),
        ("max-fresh-duets", settings.duets.max_fresh.to_string()),
        ("duets", given(settings.duets.fixed)),
        ("injected", settings.decision.injected.map(percent).unwrap_or_default()),
        ("iterations", trial.iterations.map(|n| n.to_string()).unwrap_or_default()),
        ("iteration-time", trial.iteration_time.map(format_duration).unwrap_or_default()),
        ("warmup-time", format_duration(trial.warmup_time)),
        ("stop", trial.stop.word().into()),
        ("max-warmup", trial.max_warmup.map_or_else(|| "auto".to_owned(), format_duration)),
        ("trial-timeout", format_duration(trial.timeout)),
        ("trial-memory", trial.memory_bytes.map(|bytes| bytes.to_string()).unwrap_or_default()),
        ("pairing", settings.schedule.pairing.word().to_owned()),
        ("cores", settings.schedule.cores.iter().map(u32::to_string).collect::<Vec<_>>().join(",")),
        ("niceness", settings.schedule.niceness.map(|n| n.to_string()).unwrap_or_default()),
    ];
    let pairs = pairs.into_iter().map(|(key, value)| (key.to_owned(), value));
    let of_harness = settings.harnesses.iter().map(|(name, it)| (format!("{name}-args"), it.args.join(" ")));
    pairs.chain(of_harness).filter(|(_, value)| !value.is_empty()).collect()
}

/// A threshold as text. Reading the text gives exactly the same number.
pub(crate) fn percent(ratio: f64) -> String {
    let text = format!("{}%", (ratio * 1e10).round() / 1e8);
    match ratio {
        _ if ratio.is_infinite() => "never".into(),
        _ if parse_ratio(&text) == Ok(ratio) => text,
        _ => ratio.to_string(),
    }
}

/// Settings that affect verdicts. With them a stored run can be judged again.
const JUDGING: [&str; 9] = [
    "rule",
    "confirm",
    "threshold",
    "fail-threshold",
    "min-duets",
    "max-duets",
    "max-fresh-duets",
    "duets",
    "injected",
];

/// The setting of a run that holds the duet limits of the benchmarks that its plan has duets for.
const PLANNED: &str = "planned-duets";

/// The duet limits of the plan as a setting of the run, because the plan may change afterwards.
pub(crate) fn record_plan(limits: &HashMap<BenchmarkId, DuetLimits>) -> Option<(String, String)> {
    let sorted: BTreeMap<_, _> = limits.iter().map(|(id, limits)| (id, (limits.floor, limits.cap))).collect();
    let list: Vec<_> = sorted.into_iter().collect();
    (!list.is_empty()).then(|| (PLANNED.to_owned(), serde_json::json!(list).to_string()))
}

/// The duet limits that were planned for a run.
pub(crate) fn recorded_plan(run: &Run) -> Result<HashMap<BenchmarkId, DuetLimits>, Problem> {
    let Some(text) = run.settings.get(PLANNED) else { return Ok(HashMap::new()) };
    let list: Vec<(BenchmarkId, (u32, u32))> = serde_json::from_str(text).map_err(|error| {
        Problem::failed(because(format!("read `{PLANNED}` of run {}", run.id), error), "")
    })?;
    Ok(list.into_iter().map(|(id, (floor, cap))| (id, DuetLimits { floor, cap })).collect())
}

/// The settings that a run was judged with. Settings that it does not have keep their defaults.
pub(crate) fn recorded(run: &Run) -> Result<Layer, Problem> {
    let rules = run.settings.get("thresholds").map(String::as_str).unwrap_or_default();
    let mut layer = read_text(&format!("run {}", run.id), rules).map_err(misconfigured)?;
    for key in JUDGING {
        if let Some(value) = run.settings.get(key) {
            layer.set(key, value).map_err(Problem::from)?;
        }
    }
    Ok(layer)
}

/// Refuses cores that this machine does not have, before anything is built for them.
pub(crate) fn check_cores(settings: &Settings) -> Result<(), Problem> {
    let Some(usable) = benchwright_process::usable_cores() else { return Ok(()) };
    let is_missing = |core: &&u32| !usable.contains(&(**core as usize));
    let Some(core) = settings.schedule.cores.iter().find(is_missing) else { return Ok(()) };
    let list: Vec<String> = usable.iter().map(usize::to_string).collect();
    let hint = format!("usable here: {}", list.join(", "));
    Err(Problem::misuse(format!("core {core} does not exist, or this process may not use it"), hint))
}

/// How the halves of a duet share the machine.
pub(crate) fn pairing(settings: &Settings) -> benchwright_worker::Pairing {
    match settings.schedule.pairing {
        Pairing::Sequential => benchwright_worker::Pairing::Sequential,
        Pairing::Parallel => {
            let mut cores: Vec<usize> = settings.schedule.cores.iter().map(|core| *core as usize).collect();
            if cores.len() < 2 {
                cores = benchwright_process::usable_cores().unwrap_or_default();
            }
            // With fewer than two cores the worker fails and names the available ones.
            let core = |index: usize| cores.get(index).copied().unwrap_or(index);
            benchwright_worker::Pairing::Parallel { cores: [core(0), core(1)] }
        }
    }
}

/// The cores of all processes, if they are pinned.
pub(crate) fn cores(settings: &Settings) -> Option<Vec<usize>> {
    let cores: Vec<usize> = settings.schedule.cores.iter().map(|core| *core as usize).collect();
    (!cores.is_empty()).then_some(cores)
}
