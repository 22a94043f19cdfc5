//! The goal of a plan, and a plan.

use super::Noise;
use crate::rules::{MOST_DUETS, PairedSettings};

/// How the two versions will be measured and judged.
#[derive(Debug, Clone, PartialEq)]
pub enum Design {
    /// In duets, by the paired sequential rule with these constants. Effects that both halves share cancel
    /// out.
    Duets(PairedSettings),
    /// Apart, by the rank test over processes.
    Apart {
        /// Whether both versions are measured on the same instances, or in the same suite runs, equally
        /// often. The effects of these then widen the spread of each side, but do not shift one against the
        /// other.
        is_shared: bool,
    },
    /// Apart, by a test that knows the benchmark's spread from the measurement that the plan is made from, so
    /// that few processes are enough: [`benchwright_stats::known_spread`]. It finds slowdowns only, and its
    /// level is the allowed false-alarm rate of a benchmark.
    Known {
        /// On how many instances both versions are measured in the same way; their effects cancel out. 1 if
        /// nothing is shared.
        places: u32,
    },
}

/// How many degrees of freedom an earlier measurement of a benchmark's spread counts as, however long it was:
/// machines, days and versions change the spread itself. If five forks of 469 JMH benchmarks are compared
/// with five others, half of the variances differ by less than a factor of 2.3, like those of samples with
/// three degrees.
pub const WORTH: f64 = 3.0;

/// The goal of a plan, and its limits.
#[derive(Debug, Clone, PartialEq)]
pub struct Wanted {
    /// The rule.
    pub design: Design,
    /// The change that has to be found, as a share: 0.05.
    pub change: f64,
    /// The share of such changes that has to be found.
    pub power: f64,
    /// False-discovery rate over the suite. For [`Design::Known`], the share of unchanged benchmarks that may
    /// be called slower.
    pub false_alarms: f64,
    /// The smallest change for which the rule gives a verdict, as a share.
    pub threshold: f64,
    /// How many benchmarks are judged together.
    pub benchmarks: u32,
    /// How many of them are expected to change at once, by default a tenth. The correction for many tests is
    /// milder if more do. One is cautious.
    pub changed: u32,
    /// Maximum number of processes per side. In duets, maximum number of duets before a benchmark is
    /// suspected.
    pub most_processes: u32,
    /// Fewest and most iterations per process after warm-up. A maximum of `None` means as many as were
    /// recorded.
    pub iterations: (u32, Option<u32>),
    /// Maximum seconds of both sides together. In duets, for an unchanged benchmark.
    pub most_seconds: f64,
    /// Probability that the variance between processes is not larger than the plan assumes, given how few
    /// processes were measured. 0.5 uses the estimate itself.
    pub caution: f64,
    /// Whether power is averaged over the possible variances, with an earlier measurement counting as
    /// [`WORTH`], instead of assuming the one of `caution`. A given time is distributed by this, so that no
    /// benchmark is given up because it was noisy once.
    pub is_averaged: bool,
}

impl Wanted {
    /// 5 % found in 90 % of cases in duets, in a suite of this many benchmarks. There are at least three
    /// iterations, so that the median of a process is robust.
    pub fn in_duets(benchmarks: u32) -> Wanted {
        Wanted {
            design: Design::Duets(PairedSettings::default()),
            change: 0.05,
            power: 0.9,
            false_alarms: 0.05,
            threshold: 0.03,
            benchmarks,
            changed: benchmarks.div_ceil(10),
            most_processes: MOST_DUETS,
            iterations: (3, None),
            most_seconds: f64::INFINITY,
            caution: 0.7,
            is_averaged: false,
        }
    }

    /// The same for processes that are measured apart.
    pub fn apart(benchmarks: u32) -> Wanted {
        Wanted { design: Design::Apart { is_shared: false }, ..Wanted::in_duets(benchmarks) }
    }
}

/// Whether the wanted power is reached.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Reach {
    /// The plan has the wanted power.
    Reached,
    /// No plan within the limits has it; this one comes closest.
    Unreached {
        /// The smallest change that this plan finds with the wanted power, as a share. `None` if not even a
        /// tenfold time is found.
        change: Option<f64>,
    },
}

/// How to measure one benchmark in comparisons.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparePlan {
    /// Processes per side. In duets, the maximum before a benchmark is suspected.
    pub processes: u32,
    /// The fewest duets: the first look of the rule. Equal to `processes` if both versions are measured
    /// apart.
    pub floor: u32,
    /// Iterations per process after warm-up.
    pub iterations: u32,
    /// Seconds of one iteration, as recorded.
    pub seconds: f64,
    /// How often the wanted change is found.
    pub power: f64,
    /// Seconds of both sides together: of all processes, or in duets of those that an unchanged benchmark
    /// takes on average.
    pub predicted_seconds: f64,
    /// Maximum seconds. In duets, of a suspect that is never confirmed.
    pub most_seconds: f64,
    /// The variances.
    pub noise: Noise,
    /// Whether the wanted power is reached.
    pub reach: Reach,
    /// The reason for this plan, in one sentence.
    pub reason: String,
}

impl ComparePlan {
    /// Whether the wanted power is reached.
    pub fn is_reached(&self) -> bool {
        self.reach == Reach::Reached
    }
}
