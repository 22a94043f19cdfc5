//! The time that stop rules saved, and their reasons.

use std::collections::BTreeMap;
use std::time::Duration;

use benchwright_model::{BenchmarkId, Configured, Position, Stopped, Trial, WarmupEnd};

use crate::value::median;

/// How a stop rule handled the processes of one benchmark.
#[derive(Debug, Clone, PartialEq)]
pub struct StopSummary {
    /// The benchmark.
    pub benchmark: BenchmarkId,
    /// The name of the rule that ended the first process. Later processes may be ended at the age that the
    /// first ones needed.
    pub rule: String,
    /// Number of processes that it examined.
    pub processes: u32,
    /// Number of processes that it found steady.
    pub steady: u32,
    /// Number of processes that it did not find steady, within the time limit or before they ended.
    pub unsteady: u32,
    /// Median warm-up of a process.
    pub warmup: Duration,
    /// Median time that a process measured.
    pub measured: Duration,
    /// Time of all iterations of all processes.
    pub time: Duration,
    /// The time with the suite's own configuration. `None` if that is not known. For a run of one version it
    /// is the time of as many processes as the suite has. For a comparison it is that of as many as there
    /// were, because their number is decided otherwise.
    pub configured: Option<Duration>,
    /// Why the rule stopped the last process.
    pub reason: String,
    /// Why no more processes were needed. `None` if the rule did not decide on their number.
    pub enough: Option<String>,
}

impl StopSummary {
    /// The share of the configured time that was saved. Negative if more time was needed. `None` if no time
    /// is configured.
    pub fn saved(&self) -> Option<f64> {
        let configured = self.configured?.as_secs_f64();
        (configured > 0.0).then(|| 1.0 - self.time.as_secs_f64() / configured)
    }
}

/// One summary per benchmark for which a rule was used, sorted by name.
pub fn stops(trials: &[Trial]) -> Vec<StopSummary> {
    let mut by_benchmark: BTreeMap<&BenchmarkId, Vec<(&Trial, &Stopped)>> = BTreeMap::new();
    for trial in trials {
        if let Some(stopped) = &trial.stopped {
            by_benchmark.entry(&trial.benchmark).or_default().push((trial, stopped));
        }
    }
    by_benchmark.into_iter().filter_map(|(id, all)| summary(id, &all)).collect()
}

fn summary(id: &BenchmarkId, all: &[(&Trial, &Stopped)]) -> Option<StopSummary> {
    let ((_, first), (last_trial, last)) = (all.first()?, all.last()?);
    let processes = u32::try_from(all.len()).unwrap_or(u32::MAX);
    let count = |end: WarmupEnd| all.iter().filter(|(_, stopped)| stopped.end == end).count() as u32;
    let middle = |of: fn(&Stopped) -> Duration| {
        let times: Vec<f64> = all.iter().map(|(_, stopped)| of(stopped).as_secs_f64()).collect();
        Duration::try_from_secs_f64(median(&times).unwrap_or(0.0)).unwrap_or_default()
    };
    let configured = last.configured.map(|Configured { time, processes: own }| match last_trial.position {
        Position::Levels { .. } => time.saturating_mul(own),
        Position::Duet { .. } => time.saturating_mul(processes),
    });
    let whole = |(_, stopped): &(&Trial, &Stopped)| stopped.warmup_time.saturating_add(stopped.measured_time);
    Some(StopSummary {
        benchmark: id.clone(),
        rule: first.rule.clone(),
        processes,
        steady: count(WarmupEnd::Steady),
        unsteady: count(WarmupEnd::Unsteady),
        warmup: middle(|stopped| stopped.warmup_time),
        measured: middle(|stopped| stopped.measured_time),
        time: all.iter().map(whole).fold(Duration::ZERO, Duration::saturating_add),
        configured,
        reason: last.reason.clone(),
        enough: all.iter().rev().find_map(|(_, stopped)| stopped.enough.clone()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use benchwright_model::Side;
    use benchwright_testkit::trial;

    fn stopped(end: WarmupEnd, warmup: u64, measured: u64) -> Option<Stopped> {
        Some(Stopped {
            rule: "learned".into(),
            end,
            reason: format!("after {warmup} s"),
            after: Some(100),
            warmup_time: Duration::from_secs(warmup),
            measured_time: Duration::from_secs(measured),
            configured: Some(Configured { time: Duration::from_secs(100), processes: 5 }),
            enough: None,
        })
    }

    #[test]
    fn a_benchmark_is_summed_up_over_its_processes() {
        let mut trials = vec![trial("a", Side::Head, 0, &[1.0]); 4];
        trials[0].stopped = stopped(WarmupEnd::Steady, 3, 10);
        trials[1].stopped = stopped(WarmupEnd::Unsteady, 30, 10);
        trials[2].stopped = stopped(WarmupEnd::Steady, 7, 20);
        // No rule was used for the fourth.
        let [summary] = stops(&trials).try_into().expect("one benchmark");
        assert_eq!((summary.processes, summary.steady, summary.unsteady), (3, 2, 1));
        assert_eq!((summary.warmup.as_secs(), summary.measured.as_secs()), (7, 10));
        // 13 + 40 + 27 s instead of three processes of 100 s, because it is a comparison.
        assert_eq!((summary.time.as_secs(), summary.configured), (80, Some(Duration::from_secs(300))));
        assert!((summary.saved().expect("configured") - (1.0 - 80.0 / 300.0)).abs() < 1e-12);
        assert_eq!((summary.reason.as_str(), summary.enough), ("after 7 s", None));
    }

    #[test]
    fn a_run_of_one_version_is_held_against_all_processes_of_the_suite() {
        let mut one = trial("a", Side::Head, 0, &[1.0]);
        one.position = Position::Levels { instance: 0, suite_run: 0, iteration: 0 };
        one.stopped = stopped(WarmupEnd::Steady, 3, 10)
            .map(|stopped| Stopped { enough: Some("it settled".into()), ..stopped });
        let [summary] = stops(&[one]).try_into().expect("one benchmark");
        assert_eq!(summary.configured, Some(Duration::from_secs(500)));
        assert_eq!(summary.enough.as_deref(), Some("it settled"));
    }

    #[test]
    fn nothing_is_saved_where_nothing_is_known() {
        let mut one = trial("a", Side::Head, 0, &[1.0]);
        one.stopped = stopped(WarmupEnd::Fixed, 3, 10).map(|stopped| Stopped { configured: None, ..stopped });
        assert_eq!(stops(&[one]).iter().filter_map(StopSummary::saved).count(), 0);
        assert!(stops(&[trial("a", Side::Head, 0, &[1.0])]).is_empty());
    }
}
