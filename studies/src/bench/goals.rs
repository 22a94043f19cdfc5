//! Our goals for speed and memory.

use std::fmt;

use super::programs::Figures;

/// One goal and what was measured.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Goal {
    /// The measured quantity, with its unit.
    pub(crate) name: &'static str,
    pub(crate) bound: Bound,
    /// `None` if it could not be measured here.
    pub(crate) measured: Option<f64>,
}

/// The number that must not be exceeded, or must be reached.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Bound {
    AtMost(f64),
    AtLeast(f64),
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (words, bound) = match self.bound {
            Bound::AtMost(bound) => ("at most", bound),
            Bound::AtLeast(bound) => ("at least", bound),
        };
        write!(f, "goal {:<66} {words:>8} {bound:>5}  ", self.name)?;
        match self.measured {
            Some(measured) => {
                let is_reached = match self.bound {
                    Bound::AtMost(bound) => measured <= bound,
                    Bound::AtLeast(bound) => measured >= bound,
                };
                write!(f, "measured {measured:>8.2}  {}", if is_reached { "ok" } else { "missed" })
            }
            None => write!(f, "not measured here"),
        }
    }
}

/// The goals for the figures of bench programs and SciPy.
pub(crate) fn of_programs(figures: &Figures) -> Vec<Goal> {
    let ratio = |slow: &str, fast: &str| Some(figures.get(slow)? / figures.get(fast)?);
    let millis = |name: &str| figures.get(name).map(|seconds| seconds * 1e3);
    let micros = |name: &str| figures.get(name).map(|seconds| seconds * 1e6);
    vec![
        Goal {
            name: "percentile bootstrap of the mean, times as fast as SciPy",
            bound: Bound::AtLeast(10.0),
            measured: ratio("scipy_mean_percentile_n75", "mean_percentile_n75"),
        },
        Goal {
            name: "the same for many series by shared weights",
            bound: Bound::AtLeast(30.0),
            measured: ratio("scipy_mean_percentile_n75", "mean_percentile_shared_n75"),
        },
        Goal {
            name: "exact interval of the median, odd n, µs",
            bound: Bound::AtMost(20.0),
            measured: micros("median_exact_n75"),
        },
        Goal {
            name: "exact interval of the median, even n, µs",
            bound: Bound::AtMost(20.0),
            measured: micros("median_exact_n76"),
        },
        Goal {
            name: "show of a run out of 1,000 x 500, ms",
            bound: Bound::AtMost(200.0),
            measured: millis("open+comparison(latest)"),
        },
        Goal {
            name: "list of runs out of 1,000 x 500, ms",
            bound: Bound::AtMost(200.0),
            measured: millis("open+runs(20)"),
        },
    ]
}

/// The goals for sending calls to a function platform.
pub(crate) fn of_elastic(figures: &Figures) -> Vec<Goal> {
    vec![
        Goal {
            name: "10,000 calls to a platform that answers at once, calls per second",
            bound: Bound::AtLeast(500.0),
            measured: figures.get("lambda: calls per second"),
        },
        Goal {
            name: "our own time on the processor per call, ms",
            bound: Bound::AtMost(1.0),
            measured: figures.get("lambda: own time per call").map(|seconds| seconds * 1e3),
        },
        Goal {
            name: "memory for 10,000 calls, MB",
            bound: Bound::AtMost(200.0),
            measured: figures.get("lambda: memory for 10,000 calls"),
        },
        Goal {
            name: "start of a program that serves a parcel to its first trial, ms",
            bound: Bound::AtMost(50.0),
            measured: figures.get("serve: start to first process").map(|seconds| seconds * 1e3),
        },
    ]
}

/// The goals for reading results of other tools.
pub(crate) fn of_exchange(figures: &Figures) -> Vec<Goal> {
    vec![
        Goal {
            name: "import of 200 MB of JMH's JSON, MB per second of CPU time",
            bound: Bound::AtLeast(200.0),
            measured: figures.get("import_jmh_speed"),
        },
        Goal {
            name: "the same without white space",
            bound: Bound::AtLeast(200.0),
            measured: figures.get("import_jmh_one_line_speed"),
        },
        Goal {
            name: "memory of that import, MB",
            bound: Bound::AtMost(300.0),
            measured: figures.get("import_jmh_one_line_memory"),
        },
        Goal {
            name: "benchfmt in memory, times as fast as benchstat reads it",
            bound: Bound::AtLeast(5.0),
            measured: figures.get("benchfmt_reader_ratio"),
        },
        Goal {
            name: "the same, names that change every ten lines",
            bound: Bound::AtLeast(5.0),
            measured: figures.get("benchfmt_mixed_reader_ratio"),
        },
        Goal {
            name: "import of benchfmt, times as fast as all of benchstat",
            bound: Bound::AtLeast(5.0),
            measured: figures.get("benchfmt_ratio"),
        },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goals_say_whether_they_are_reached() {
        let check = |bound, measured, expected: &str| {
            let text = Goal { name: "x", bound, measured }.to_string();
            assert!(text.ends_with(expected), "{text}");
        };
        check(Bound::AtMost(2.0), Some(1.5), "measured     1.50  ok");
        check(Bound::AtMost(2.0), Some(2.5), "missed");
        check(Bound::AtLeast(10.0), Some(9.0), "missed");
        check(Bound::AtLeast(10.0), Some(10.0), "ok");
        check(Bound::AtLeast(10.0), None, "not measured here");
    }

    #[test]
    fn ratios_are_made_of_figures_in_different_units() {
        let mut figures = Figures::default();
        figures.take("scipy_mean_percentile_n75 12 ms");
        figures.take("mean_percentile_n75 600000 ns");
        let goals = of_programs(&figures);
        assert!(goals[0].measured.is_some_and(|ratio| (ratio - 20.0).abs() < 1e-9));
        assert_eq!(goals[1].measured, None);
    }
}
