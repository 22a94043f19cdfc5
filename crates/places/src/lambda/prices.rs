//! The cost of calls, predicted and billed.

use std::time::Duration;

use crate::dispatch::Money;
use crate::lambda::LambdaSettings;
use crate::package::Architecture;
use crate::{Expected, Spread};

/// Prices in US dollars. The defaults are those of most regions in 2026. They are configured, not queried.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prices {
    /// A gigabyte of memory for a second, on x86_64.
    pub x86_gb_second: f64,
    /// The same on arm64.
    pub arm_gb_second: f64,
    /// One gigabyte of /tmp beyond the free half, for one second.
    pub tmp_gb_second: f64,
    /// A request.
    pub request: f64,
}

impl Default for Prices {
    fn default() -> Self {
        Prices {
            x86_gb_second: 0.000_016_666_7,
            arm_gb_second: 0.000_013_333_4,
            tmp_gb_second: 0.000_000_030_9,
            request: 0.000_000_2,
        }
    }
}

/// The size of /tmp that is free, in megabytes.
const FREE_TMP: u32 = 512;

/// The platform bills whole milliseconds.
fn billed(time: Duration) -> f64 {
    (time.as_secs_f64() * 1000.0 - 1e-6).ceil() / 1000.0
}

/// Gigabyte-seconds for this many megabytes.
pub(crate) fn gb_seconds(memory: u32, time: Duration) -> f64 {
    f64::from(memory) / 1024.0 * billed(time)
}

/// The cost of one call that takes `time` in a function with this many megabytes.
pub(crate) fn of_call(
    settings: &LambdaSettings,
    memory: u32,
    architecture: Architecture,
    time: Duration,
) -> Money {
    let prices = &settings.prices;
    let price = match architecture {
        Architecture::X86 => prices.x86_gb_second,
        Architecture::Arm => prices.arm_gb_second,
    };
    let tmp = f64::from(settings.tmp_size.saturating_sub(FREE_TMP)) / 1024.0 * billed(time);
    Money::dollars(prices.request + price * gb_seconds(memory, time) + prices.tmp_gb_second * tmp)
}

/// The predicted time and cost of a comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// Calls.
    pub calls: u64,
    /// Memory times time.
    pub gb_seconds: f64,
    /// Money.
    pub cost: Money,
    /// From the first call to the last answer.
    pub time: Duration,
}

/// Time of each call in addition to its trials: starting processes, sometimes downloading packages.
const BESIDE: Duration = Duration::from_millis(300);

/// Time of a wave in addition to its calls: sending, receiving, stragglers.
const PER_WAVE: Duration = Duration::from_secs(2);

impl Prediction {
    /// The prediction for these benchmarks, each with the megabytes of its function. They are measured in
    /// `waves` waves, each sent after the one before it was judged.
    pub fn of(
        benchmarks: &[(Expected, u32)],
        waves: u32,
        settings: &LambdaSettings,
        architecture: Architecture,
    ) -> Prediction {
        let spread = Spread {
            parallel: settings.parallel,
            repeats: settings.repeats,
            waves,
            per_parcel: BESIDE,
            per_wave: PER_WAVE,
        };
        let within = |expected: &Expected| Expected {
            trial: expected.trial.min(settings.execution_limit),
            ..*expected
        };
        let (benchmarks, sizes): (Vec<Expected>, Vec<u32>) =
            benchmarks.iter().map(|(expected, memory)| (within(expected), *memory)).unzip();
        let duets = benchmarks.iter().map(|expected| expected.duets).sum();
        let (mut calls, mut whole, mut cost) = (0, 0.0, Money::ZERO);
        for (expected, memory) in benchmarks.iter().zip(sizes) {
            let (count, time) = spread.parcels(expected, duets);
            let time = time.min(settings.time_limit);
            calls += count as u64;
            whole += gb_seconds(memory, time) * count;
            cost += of_call(settings, memory, architecture, time).times(count as u64);
        }
        Prediction { calls, gb_seconds: whole, cost, time: spread.time(&benchmarks) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_costs_memory_times_time_and_a_request() {
        let check = |memory, architecture, millis, expected: f64| {
            let cost =
                of_call(&LambdaSettings::default(), memory, architecture, Duration::from_millis(millis));
            assert!((cost.as_dollars() - expected).abs() < 1e-9, "{cost:?} {expected}");
        };
        // 2 GB for one second.
        check(2048, Architecture::X86, 1000, 2.0 * 0.000_016_666_7 + 0.000_000_2);
        check(2048, Architecture::Arm, 1000, 2.0 * 0.000_013_333_4 + 0.000_000_2);
        check(1024, Architecture::X86, 0, 0.000_000_2);
        let tmp = LambdaSettings { tmp_size: 1536, ..LambdaSettings::default() };
        let cost = of_call(&tmp, 1024, Architecture::X86, Duration::from_secs(1)).as_dollars();
        assert!((cost - (0.000_016_666_7 + 0.000_000_030_9 + 0.000_000_2)).abs() < 1e-9);
    }

    #[test]
    fn a_started_millisecond_is_billed() {
        assert_eq!(billed(Duration::from_micros(1)), 0.001);
        assert_eq!(billed(Duration::from_millis(20)), 0.02);
        assert_eq!(billed(Duration::from_micros(20_001)), 0.021);
    }

    #[test]
    fn a_benchmark_costs_by_the_memory_of_its_own_function() {
        let of = |sizes: [u32; 2]| {
            let expected = sizes.map(|size| (Expected { duets: 30.0, trial: Duration::from_secs(1) }, size));
            Prediction::of(&expected, 1, &LambdaSettings::default(), Architecture::X86)
        };
        let (small, mixed, large) = (of([1024, 1024]), of([1024, 4096]), of([4096, 4096]));
        assert!((mixed.gb_seconds - (small.gb_seconds + large.gb_seconds) / 2.0).abs() < 1e-9);
        assert!(small.cost < mixed.cost && mixed.cost < large.cost);
    }

    /// The paper's suite: 106 benchmarks, 15 calls of 3 duets, 1 s per trial, 2 GB of ARM, 150 at a time. The
    /// paper paid $1.18 and waited 8 to 11 minutes, including builds inside the calls. Without these it must
    /// be cheaper and faster, but of the same order.
    #[test]
    fn the_papers_suite_is_predicted_below_what_the_paper_paid() {
        let benchmarks = [(Expected { duets: 45.0, trial: Duration::from_millis(1500) }, 2048); 106];
        let prediction = Prediction::of(&benchmarks, 1, &LambdaSettings::default(), Architecture::Arm);
        assert_eq!(prediction.calls, 106 * 15);
        let dollars = prediction.cost.as_dollars();
        assert!(dollars > 0.2 && dollars < 1.18, "{dollars}");
        assert!(prediction.time > Duration::from_secs(60) && prediction.time < Duration::from_secs(480));
    }
}
