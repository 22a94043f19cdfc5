//! Metrics: what a number measures, and which direction is better.

use serde::{Deserialize, Serialize};

/// Which direction of a metric is an improvement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Time, memory, allocations.
    LowerIsBetter,
    /// Throughput.
    HigherIsBetter,
    /// An unknown unit: a change is shown as a change, never as slower or faster.
    Unknown,
}

/// The origin of a metric's values, which determines how two versions are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Nature {
    /// Measured with a clock or otherwise noisy: decided by statistics, and included in the suite's error
    /// control.
    Measured,
    /// A count (bytes, allocations, instructions): compared exactly if it is constant within a side.
    Counted,
    /// Computed by the harness from another metric of the same trial (MB/s from time): stored, but never
    /// decided.
    Derived,
}

/// The unit of a value, as needed for display.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Seconds per operation.
    Seconds,
    /// Bytes per operation.
    Bytes,
    /// Bytes per second.
    BytesPerSecond,
    /// A plain number of things, e.g. allocations per operation.
    Count,
    /// The text of the benchmark's author.
    Other(String),
}

impl Direction {
    /// The word in documents for programs.
    pub fn word(self) -> &'static str {
        match self {
            Direction::LowerIsBetter => "lower",
            Direction::HigherIsBetter => "higher",
            Direction::Unknown => "unknown",
        }
    }

    /// The direction called `word` in documents. Any other word is unknown.
    pub fn named(word: &str) -> Direction {
        match word {
            "lower" => Direction::LowerIsBetter,
            "higher" => Direction::HigherIsBetter,
            _ => Direction::Unknown,
        }
    }
}

impl Nature {
    /// The word in documents for programs.
    pub fn word(self) -> &'static str {
        match self {
            Nature::Measured => "measured",
            Nature::Counted => "counted",
            Nature::Derived => "derived",
        }
    }

    /// The nature called `word` in documents. Any other word means measured.
    pub fn named(word: &str) -> Nature {
        match word {
            "counted" => Nature::Counted,
            "derived" => Nature::Derived,
            _ => Nature::Measured,
        }
    }
}

impl Unit {
    /// The word in documents for programs.
    pub fn word(&self) -> &str {
        match self {
            Unit::Seconds => "seconds",
            Unit::Bytes => "bytes",
            Unit::BytesPerSecond => "bytes_per_second",
            Unit::Count => "count",
            Unit::Other(text) => text,
        }
    }

    /// The unit that documents call `word`.
    pub fn named(word: &str) -> Unit {
        match word {
            "seconds" => Unit::Seconds,
            "bytes" => Unit::Bytes,
            "bytes_per_second" => Unit::BytesPerSecond,
            "count" => Unit::Count,
            other => Unit::Other(other.into()),
        }
    }
}

/// A metric of a benchmark.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Metric {
    /// Its identity: `time`, `B/op`, `allocs/op`, `B/s`, or the unit text the benchmark reports.
    pub name: String,
    /// The unit of values, already normalised (seconds, not nanoseconds).
    pub unit: Unit,
    /// Which direction is better.
    pub direction: Direction,
    /// The origin of its values.
    pub nature: Nature,
}

impl Metric {
    /// Time per operation in seconds, the metric that decides.
    pub fn time() -> Self {
        Metric {
            name: "time".into(),
            unit: Unit::Seconds,
            direction: Direction::LowerIsBetter,
            nature: Nature::Measured,
        }
    }

    /// Bytes allocated per operation.
    pub fn bytes_per_op() -> Self {
        Metric {
            name: "B/op".into(),
            unit: Unit::Bytes,
            direction: Direction::LowerIsBetter,
            nature: Nature::Counted,
        }
    }

    /// Allocations per operation.
    pub fn allocations_per_op() -> Self {
        Metric {
            name: "allocs/op".into(),
            unit: Unit::Count,
            direction: Direction::LowerIsBetter,
            nature: Nature::Counted,
        }
    }

    /// Throughput in bytes per second, which harnesses compute from time.
    pub fn bytes_per_second() -> Self {
        Metric {
            name: "B/s".into(),
            unit: Unit::BytesPerSecond,
            direction: Direction::HigherIsBetter,
            nature: Nature::Derived,
        }
    }

    /// A metric that the benchmark reports itself with the unit `unit`. The direction follows from the unit:
    /// a rate (`…/s`, `…/sec`) is better when higher, a time or size (`ns…`, `…-ns`, `B…`) when lower.
    pub fn custom(unit: &str) -> Self {
        let lower = unit.to_ascii_lowercase();
        let words: Vec<&str> = lower.split(['/', '-', '_', ' ']).collect();
        let is_cost = |word: &&str| {
            matches!(*word, "ns" | "us" | "µs" | "ms" | "s" | "sec" | "b" | "bytes" | "kb" | "mb" | "allocs")
        };
        let direction = if lower.ends_with("/s") || lower.ends_with("/sec") || lower.ends_with("ps") {
            Direction::HigherIsBetter
        } else if words.iter().any(is_cost) {
            Direction::LowerIsBetter
        } else {
            Direction::Unknown
        };
        Metric { name: unit.into(), unit: Unit::Other(unit.into()), direction, nature: Nature::Measured }
    }

    /// Operations per second, for benchmarks that measure this instead of time.
    pub fn throughput() -> Self {
        Metric {
            name: "throughput".into(),
            unit: Unit::Other("ops/s".into()),
            direction: Direction::HigherIsBetter,
            nature: Nature::Measured,
        }
    }

    /// Whether this is the time of an operation.
    pub fn is_time(&self) -> bool {
        self.name == "time"
    }

    /// Whether this is the metric that decides by default: time, or throughput if a benchmark measures that
    /// instead.
    pub fn is_main(&self) -> bool {
        self.is_time() || self.name == "throughput"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn direction_follows_the_unit() {
        let check = |unit: &str, expected| assert_eq!(Metric::custom(unit).direction, expected, "{unit}");
        check("p99-ns", Direction::LowerIsBetter);
        check("ns/get", Direction::LowerIsBetter);
        check("req/s", Direction::HigherIsBetter);
        check("rows/sec", Direction::HigherIsBetter);
        check("B/row", Direction::LowerIsBetter);
        check("hits", Direction::Unknown);
    }

    #[test]
    fn words_in_documents_are_read_back() {
        for metric in [
            Metric::time(),
            Metric::bytes_per_op(),
            Metric::allocations_per_op(),
            Metric::bytes_per_second(),
            Metric::custom("hits"),
        ] {
            assert_eq!(Unit::named(metric.unit.word()), metric.unit);
            assert_eq!(Direction::named(metric.direction.word()), metric.direction);
            assert_eq!(Nature::named(metric.nature.word()), metric.nature);
        }
    }
}
