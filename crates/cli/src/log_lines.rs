//! Progress lines for output that is not a terminal: one every 30 seconds.
//!
//! Lines about the beginning and end of a phase are printed when they happen. This module adds a line in
//! between if nothing was printed for a while, so that logs stay short.

use std::time::Duration;

use benchwright_model::{Event, Phase, Verdict};
use benchwright_report::scale;

use benchwright_session::words::count;

/// The interval between two lines.
const INTERVAL: Duration = Duration::from_secs(30);

/// Consumes events, and returns a line on request if one is due. Times count from the start of the command.
#[derive(Debug, Default)]
pub(crate) struct LogLines {
    /// When the last line was printed.
    told: Duration,
    now: Doing,
    /// Benchmarks with a verdict.
    decided: u32,
    /// Number of benchmarks found slower or faster.
    changed: u32,
    /// Benchmarks that were given up, or failed.
    open: u32,
}

/// The current activity.
#[derive(Debug, Default)]
enum Doing {
    #[default]
    Nothing,
    /// Building or listing: the purpose of the current step, and the number of steps before it.
    Steps { step: String, before: u32 },
    /// Measuring this many benchmarks or processes, of which some are done.
    Duets { phase: Phase, done: u32, all: u32, suspects: u32, left: Option<Duration> },
}

impl LogLines {
    /// Takes notice of an event.
    pub(crate) fn event(&mut self, event: &Event, at: Duration) {
        match event {
            Event::Building { side, version } => {
                self.now = Doing::Steps { step: format!("{side}: preparing {}", version.title()), before: 0 };
            }
            Event::Step { side, purpose } => {
                if let Doing::Steps { step, before } = &mut self.now {
                    (*step, *before) = (format!("{side}: {purpose}"), *before + 1);
                }
            }
            // Each of these events has a line of its own.
            Event::Built { .. } => (self.now, self.told) = (Doing::Nothing, at),
            Event::Started { benchmarks, .. } => {
                let phase = Phase::Screening;
                *self = LogLines {
                    told: at,
                    now: Doing::Duets { phase, done: 0, all: *benchmarks, suspects: 0, left: None },
                    ..LogLines::default()
                };
            }
            Event::PhaseStarted { phase: began, .. } => {
                if let Doing::Duets { phase, .. } = &mut self.now {
                    *phase = *began;
                }
            }
            Event::Decided(finding) => {
                self.changed += u32::from(matches!(finding.verdict, Verdict::Slower | Verdict::Faster));
                let count = if finding.verdict.is_decided() { &mut self.decided } else { &mut self.open };
                *count += 1;
            }
            Event::Progress { decided, benchmarks, suspects: suspected, left: time } => {
                if let Doing::Duets { done, all, suspects, left, .. } = &mut self.now {
                    (*done, *all, *suspects, *left) = (*decided, *benchmarks, *suspected, Some(*time));
                }
            }
            Event::Finished { .. } => self.now = Doing::Nothing,
            Event::Measuring { .. } | Event::TrialFinished(_) | Event::Noticed(_) => {}
        }
    }

    /// The line that is due at this time, if there is one.
    pub(crate) fn due(&mut self, at: Duration) -> Option<String> {
        if at < self.told + INTERVAL {
            return None;
        }
        let line = match &self.now {
            Doing::Nothing => return None,
            Doing::Steps { step, before: 0 } => step.clone(),
            Doing::Steps { step, before } => format!("{step} (step {before})"),
            Doing::Duets { phase, done, all, suspects, left } => {
                let mut line = match phase {
                    Phase::Levels => format!("{done} of {all} processes measured"),
                    _ => format!("{} of {all} decided", self.decided),
                };
                for (count, word) in [(self.changed, "changed"), (self.open, "given up")] {
                    if count > 0 {
                        line += &format!(", {count} {word}");
                    }
                }
                if *suspects > 0 {
                    line += &format!(", {}", count(*suspects, "suspect"));
                }
                if let Some(left) = left {
                    line += &format!(", about {} left", scale::rough(*left));
                }
                line
            }
        };
        self.told = at;
        Some(line)
    }
}

#[cfg(test)]
mod tests {
    use benchwright_model::{Environment, Run, RunId, RunKind, Side, TimeRange, Timestamp, Version};

    use super::*;

    fn seconds(n: u64) -> Duration {
        Duration::from_secs(n)
    }

    fn progress(decided: u32, suspects: u32, left: u64) -> Event {
        Event::Progress { decided, benchmarks: 35, suspects, left: seconds(left) }
    }

    fn run() -> Run {
        Run {
            id: RunId("a".into()),
            kind: RunKind::Compare,
            command: Vec::new(),
            started_at: Timestamp(0),
            ended_at: None,
            seed: 1,
            base: None,
            head: Version {
                label: "HEAD".into(),
                commit: None,
                tree: "t".into(),
                dirty: false,
                subject: String::new(),
            },
            environment: Environment::default(),
            tool_version: String::new(),
            settings: std::collections::BTreeMap::new(),
        }
    }

    fn started() -> Event {
        let run = Box::new(run());
        Event::Started { run, benchmarks: 35, predicted: Some(TimeRange::default()), enough: None }
    }

    fn left(verdict: Verdict) -> Event {
        Event::Decided(Box::new(benchwright_testkit::finding("A", verdict, 0.0)))
    }

    #[test]
    fn only_verdicts_count_as_decided() {
        let mut lines = LogLines::default();
        lines.event(&started(), seconds(0));
        let verdicts = [Verdict::Same, Verdict::Slower, Verdict::Undecided, Verdict::NotMeasured];
        verdicts.into_iter().for_each(|verdict| lines.event(&left(verdict), seconds(1)));
        lines.event(&progress(4, 0, 45), seconds(2));
        let line = "2 of 35 decided, 1 changed, 2 given up, about 45 s left";
        assert_eq!(lines.due(seconds(30)).as_deref(), Some(line));
    }

    #[test]
    fn a_run_of_one_version_counts_processes() {
        let mut lines = LogLines::default();
        lines.event(&started(), seconds(0));
        lines.event(&Event::PhaseStarted { phase: Phase::Levels, benchmarks: 35 }, seconds(0));
        let progress = Event::Progress { decided: 40, benchmarks: 105, suspects: 0, left: seconds(120) };
        lines.event(&progress, seconds(20));
        let line = "40 of 105 processes measured, about 2 min left";
        assert_eq!(lines.due(seconds(30)).as_deref(), Some(line));
    }

    #[test]
    fn measuring_is_one_line_in_half_a_minute() {
        let mut lines = LogLines::default();
        lines.event(&started(), seconds(10));
        (0..12).for_each(|_| lines.event(&left(Verdict::Same), seconds(10)));
        let mut told = Vec::new();
        for at in 11..=100 {
            lines.event(&progress(12, 1, 170), seconds(at));
            told.extend(lines.due(seconds(at)).map(|line| (at, line)));
        }
        let line = "12 of 35 decided, 1 suspect, about 3 min left".to_owned();
        assert_eq!(told, [(40, line.clone()), (70, line.clone()), (100, line)]);
        lines.event(&Event::Finished { is_partial: false }, seconds(101));
        assert_eq!(lines.due(seconds(500)), None);
    }

    #[test]
    fn nothing_to_count_is_not_counted() {
        let mut lines = LogLines::default();
        lines.event(&started(), seconds(0));
        assert_eq!(lines.due(seconds(29)), None);
        // The first duet of a benchmark with a long set-up is still running.
        assert_eq!(lines.due(seconds(30)).as_deref(), Some("0 of 35 decided"));
        lines.event(&progress(0, 0, 45), seconds(50));
        assert_eq!(lines.due(seconds(60)).as_deref(), Some("0 of 35 decided, about 45 s left"));
    }

    #[test]
    fn a_long_build_names_its_present_step() {
        let mut lines = LogLines::default();
        let version = Box::new(run().head);
        lines.event(&Event::Building { side: Side::Base, version }, seconds(0));
        for at in 1..=25 {
            let purpose = format!("build package p{at}");
            lines.event(&Event::Step { side: Side::Base, purpose }, seconds(at));
            assert_eq!(lines.due(seconds(at)), None);
        }
        assert_eq!(lines.due(seconds(31)).as_deref(), Some("base: build package p25 (step 25)"));
        assert_eq!(lines.due(seconds(32)), None);
        // Short builds and listings are only reported when they end.
        let built = Event::Built { side: Side::Base, benchmarks: 3, cached: false, took: seconds(33) };
        lines.event(&built, seconds(33));
        assert_eq!(lines.due(seconds(90)), None);
    }
}
