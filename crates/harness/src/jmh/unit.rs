//! The units of JMH's scores.

use benchwright_model::{Direction, Metric, Nature, Unit};

/// What a score of JMH is counted in: `ns/op`, `ops/ms`, and any other text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ScoreUnit {
    /// Time per operation; so many seconds is one unit.
    Time(f64),
    /// Operations per time; so many operations per second is one unit.
    Rate(f64),
    /// Something else: `B/op`, `MB/sec`, `counts`, `#`.
    Other,
}

/// Time units as JMH abbreviates them, in seconds.
const SECONDS: [(&str, f64); 7] =
    [("ns", 1e-9), ("us", 1e-6), ("ms", 1e-3), ("s", 1.0), ("min", 60.0), ("hr", 3600.0), ("day", 86400.0)];

impl ScoreUnit {
    /// Reads a unit's text.
    pub fn parse(text: &str) -> ScoreUnit {
        let seconds = |name: &str| SECONDS.iter().find(|(known, _)| *known == name).map(|(_, secs)| *secs);
        match text.trim().split_once('/') {
            Some((time, "op")) => seconds(time).map_or(ScoreUnit::Other, ScoreUnit::Time),
            Some(("ops", time)) => {
                // The inverse of a billionth, as a number, is not quite a billion.
                let rate = |seconds: f64| if seconds < 1.0 { (1.0 / seconds).round() } else { 1.0 / seconds };
                seconds(time).map_or(ScoreUnit::Other, |seconds| ScoreUnit::Rate(rate(seconds)))
            }
            _ => ScoreUnit::Other,
        }
    }

    /// A score in seconds or operations per second; any other as it is.
    pub fn normalised(self, score: f64) -> f64 {
        match self {
            // Dividing by a power of ten is exact where multiplying by its inverse is not.
            ScoreUnit::Time(seconds) if seconds < 1.0 => score / (1.0 / seconds).round(),
            ScoreUnit::Time(factor) | ScoreUnit::Rate(factor) => score * factor,
            ScoreUnit::Other => score,
        }
    }

    /// The metric called `name` that is counted in this unit.
    pub(super) fn metric(self, name: &str, text: &str) -> Metric {
        let known = |unit, direction| Metric { name: name.into(), unit, direction, nature: Nature::Measured };
        match self {
            ScoreUnit::Time(_) => known(Unit::Seconds, Direction::LowerIsBetter),
            ScoreUnit::Rate(_) => known(Unit::Other("ops/s".into()), Direction::HigherIsBetter),
            ScoreUnit::Other => Metric { name: name.into(), ..Metric::custom(text) },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_become_seconds_or_operations_per_second() {
        let check = |text: &str, score: f64, expected: f64| {
            assert_eq!(ScoreUnit::parse(text).normalised(score), expected, "{text}");
        };
        check("ns/op", 12.0, 12e-9);
        check("us/op", 12.0, 12e-6);
        check("ms/op", 12.0, 12e-3);
        check("s/op", 12.0, 12.0);
        check("min/op", 2.0, 120.0);
        check("day/op", 1.0, 86400.0);
        check("ops/s", 7.0, 7.0);
        check("ops/ms", 7.0, 7000.0);
        check("ops/us", 7.0, 7e6);
        check("ops/min", 60.0, 1.0);
        check("MB/sec", 7.0, 7.0);
    }

    #[test]
    fn the_direction_follows_the_unit() {
        let check = |text: &str, expected| {
            assert_eq!(ScoreUnit::parse(text).metric("x", text).direction, expected, "{text}");
        };
        check("ns/op", Direction::LowerIsBetter);
        check("ops/ns", Direction::HigherIsBetter);
        check("B/op", Direction::LowerIsBetter);
        check("counts", Direction::Unknown);
        check("", Direction::Unknown);
        check("parsecs/op", Direction::Unknown);
    }
}
