//! Where rules would have ended recorded processes. Both `show` and `stops` use this replay.

use std::time::Duration;

use benchwright_steady::rules::catalogue::{Given, NamedRule, RuleError};
use benchwright_steady::{Stop, replay_benchmark};

use super::source::Process;

/// The stops of the processes of one benchmark, in their order. A rule may learn from earlier processes, so a
/// single plan gets all of them. Processes beyond the end of the list are those that the rule would not have
/// run.
pub(super) fn stops(rule: &NamedRule, group: &[&Process], seed: u64) -> Result<Vec<Stop>, RuleError> {
    let Some(first) = group.first() else { return Ok(Vec::new()) };
    let iteration_s = first.recorded.iteration_s;
    let given = Given {
        configuration: first.configuration,
        iteration_time: Duration::try_from_secs_f64(iteration_s).unwrap_or_default(),
        longest_warmup: None,
        measured: None,
        seed,
    };
    let mut plan = rule.plan(&given)?;
    let values: Vec<&[f64]> = group.iter().map(|process| process.recorded.values.as_slice()).collect();
    Ok(replay_benchmark(plan.as_mut(), &values, iteration_s))
}
