//! As many iterations as configured.

use std::time::Duration;

use super::grouping::Grouping;
use crate::{Cut, Decision, StopRule, WhyCut, cut_at_the_end};

/// How long a benchmark warms up and measures, in JMH's terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Configuration {
    /// Length of a warm-up iteration.
    pub warmup_time: Duration,
    /// Number of warm-up iterations.
    pub warmup_iterations: u32,
    /// Length of a measured iteration.
    pub iteration_time: Duration,
    /// Number of measured iterations, at least 1.
    pub iterations: u32,
    /// Number of processes.
    pub forks: u32,
}

impl Configuration {
    /// JMH's own since version 1.21.
    pub const JMH: Configuration = Configuration {
        warmup_time: Duration::from_secs(10),
        warmup_iterations: 5,
        iteration_time: Duration::from_secs(10),
        iterations: 5,
        forks: 5,
    };

    /// The configuration with this many warm-up and measured iterations of this many seconds, in this many
    /// processes. A length that is not a valid duration means endless.
    pub fn of(
        (warmup_iterations, warmup_s): (u32, f64),
        (iterations, iteration_s): (u32, f64),
        forks: u32,
    ) -> Self {
        let time = |seconds: f64| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
        Configuration {
            warmup_time: time(warmup_s),
            warmup_iterations,
            iteration_time: time(iteration_s),
            iterations,
            forks,
        }
    }
}

/// Warms up and measures for the configured number of iterations, whatever the values are. It may get shorter
/// iterations, which are counted together until a configured one is complete. Takes constant time.
#[derive(Debug, Clone)]
pub struct Fixed {
    configuration: Configuration,
    grouping: Grouping,
    groups: u32,
    seen: u32,
    cut: Option<Cut>,
}

impl Fixed {
    /// A rule for one process.
    pub fn new(configuration: Configuration) -> Self {
        let configuration = Configuration { iterations: configuration.iterations.max(1), ..configuration };
        let grouping = Grouping::new(configuration.warmup_time);
        let mut rule = Fixed { configuration, grouping, groups: 0, seen: 0, cut: None };
        if configuration.warmup_iterations == 0 {
            rule.end_warmup();
        }
        rule
    }

    fn end_warmup(&mut self) {
        self.cut = Some(Cut { warmup: self.seen, why: WhyCut::Fixed });
        self.groups = 0;
        self.grouping.restart(self.configuration.iteration_time);
    }
}

impl StopRule for Fixed {
    fn sample(&mut self, _: f64, elapsed: Duration) -> Decision {
        self.seen = self.seen.saturating_add(1);
        if !self.grouping.is_complete(elapsed) {
            return Decision::GoOn;
        }
        self.groups += 1;
        match self.cut {
            None if self.groups >= self.configuration.warmup_iterations => self.end_warmup(),
            Some(cut) if self.groups >= self.configuration.iterations => return Decision::Stop(cut),
            _ => {}
        }
        Decision::GoOn
    }

    fn cut(&self) -> Cut {
        // If a process ended before its warm-up was over, its last iteration counts as measured.
        cut_at_the_end(self.cut, self.seen, 1)
    }

    fn reason(&self) -> String {
        let Configuration { warmup_iterations, warmup_time, .. } = self.configuration;
        let seconds = warmup_time.as_secs_f64();
        match self.cut {
            Some(_) => format!("{warmup_iterations} iterations of {seconds} s were configured"),
            None => format!(
                "the process ended before the {warmup_iterations} iterations of {seconds} s that were configured"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay;

    fn configuration(warmup: (u64, u32), measured: (u64, u32)) -> Configuration {
        Configuration {
            warmup_time: Duration::from_millis(warmup.0),
            warmup_iterations: warmup.1,
            iteration_time: Duration::from_millis(measured.0),
            iterations: measured.1,
            forks: 1,
        }
    }

    fn check(configuration: Configuration, value: f64, n: usize, expected: (u32, u32, bool)) {
        let stop = replay(&mut Fixed::new(configuration), &vec![value; n], 0.1).expect("values");
        assert_eq!((stop.warmup, stop.end, stop.is_decided), expected, "{configuration:?} at {value}");
    }

    #[test]
    fn short_iterations_fill_the_configured_ones() {
        check(configuration((1000, 5), (1000, 5)), 1e-6, 3000, (50, 100, true));
        check(Configuration::JMH, 1e-6, 3000, (500, 1000, true));
        // Operations of 0.4 s: three of them take a little more than a second.
        check(configuration((1000, 2), (1000, 1)), 0.4, 3000, (6, 9, true));
        check(configuration((1000, 2), (1000, 3)), 7.0, 3000, (2, 5, true));
    }

    #[test]
    fn no_warm_up_and_no_measurement_are_possible_and_impossible() {
        check(configuration((1000, 0), (1000, 1)), 1e-6, 3000, (0, 10, true));
        check(configuration((1000, 1), (1000, 0)), 1e-6, 3000, (10, 20, true));
    }

    #[test]
    fn a_recording_that_is_too_short_measures_what_is_left() {
        check(Configuration::JMH, 1e-6, 600, (500, 600, false));
        check(Configuration::JMH, 1e-6, 400, (399, 400, false));
        let mut rule = Fixed::new(Configuration::JMH);
        assert!(rule.reason().starts_with("the process ended before"));
        replay(&mut rule, &[1e-6; 600], 0.1).expect("values");
        assert_eq!(rule.reason(), "5 iterations of 10 s were configured");
    }
}
