//! The goal of a plan, and a plan.

use super::Noise;
use crate::rules::{MOST_DUETS, PairedSettings};

/// How the two versions will be measured and judged.
#[derive(Debug, Clone, PartialEq)]
pub enum Design {
    /// In duets, by the paired sequential rule with these constants; whatever both halves share cancels out.
    Duets(PairedSettings),
    /// Apart, by the rank test over processes.
    Apart {
        /// Whether both versions are measured on the same instances, or in the same suite runs, equally often: what these have in
        /// common then widens the spread of each side, but does not move one against the other.
        is_shared: bool,
    },
    /// Apart, by a test that knows the benchmark's spread from the measurement that the plan is made from, so that few processes are
    /// enough: [`benchwright_stats::known_spread`]. It looks for slowdowns, and its level is the wanted false-alarm rate of a benchmark.
    Known {
        /// On how many instances both versions are measured alike; what these have in common cancels out. One where nothing is shared.
        places: u32,
    },
}

/// How many degrees of freedom an earlier measurement of a benchmark's spread is worth, however long it was: machines, days and versions
/// change the spread itself. On five forks against five others of 469 JMH benchmarks, half of the variances differ by less than
/// a factor of 2.3, as those of samples with three degrees do.
pub const WORTH: f64 = 3.0;

/// The goal of a plan, and its limit of cost.
#[derive(Debug, Clone, PartialEq)]
pub struct Wanted {
    /// The rule.
    pub design: Design,
    /// The change that has to be found, as a share: 0.05.
    pub change: f64,
    /// The share of such changes that has to be found.
    pub power: f64,
    /// False-discovery rate over the suite; of [`Design::Known`], share of unchanged benchmarks that may be called slower.
    pub false_alarms: f64,
    /// From which change on the rule gives a verdict, as a share.
    pub threshold: f64,
    /// How many benchmarks are judged together.
    pub benchmarks: u32,
    /// How many of them are expected to change at once, a tenth by default; the correction for many tests is milder if more do. One
    /// is cautious.
    pub changed: u32,
    /// Most processes per side; in duets, most duets before a benchmark is suspected.
    pub most_processes: u32,
    /// Fewest and most iterations per process after warm-up; where the most is none, as many as were recorded.
    pub iterations: (u32, Option<u32>),
    /// Most seconds of both sides together; in duets for an unchanged benchmark.
    pub most_seconds: f64,
    /// How likely the variance between processes shall be no larger than the plan takes it for, given how few processes were
    /// seen; 0.5 takes it as it was estimated.
    pub caution: f64,
    /// Whether power is averaged over the variances that may be met, [`WORTH`] what an earlier measurement is, instead of taking the one of
    /// `caution` for certain. It is what a given time is spread by: no benchmark is given up because it was noisy once.
    pub is_averaged: bool,
}

impl Wanted {
    /// 5 % found in 90 % of cases in duets, in a suite of so many benchmarks; three iterations at least, so that the median of a
    /// process is robust.
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
    /// It is.
    Reached,
    /// No plan within the limits reaches it; this one comes nearest.
    Unreached {
        /// The smallest change that this plan finds as often as wanted, as a share; none where not even a tenfold time is.
        change: Option<f64>,
    },
}

/// How to measure one benchmark in comparisons.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparePlan {
    /// Processes per side; in duets, the most before a benchmark is suspected.
    pub processes: u32,
    /// Fewest duets, the first look of the rule; equal to `processes` where both versions are measured apart.
    pub floor: u32,
    /// Iterations per process after warm-up.
    pub iterations: u32,
    /// Seconds of one iteration, as recorded.
    pub seconds: f64,
    /// How often the wanted change is found.
    pub power: f64,
    /// Seconds of both sides together: of all processes; in duets, of those that an unchanged benchmark takes on average.
    pub predicted_seconds: f64,
    /// The most seconds: in duets, of a suspect that is never confirmed.
    pub most_seconds: f64,
    /// Where the variance lies.
    pub noise: Noise,
    /// Whether the wanted power is reached.
    pub reach: Reach,
    /// Why this plan, in one sentence.
    pub reason: String,
}

impl ComparePlan {
    /// Whether the wanted power is reached.
    pub fn is_reached(&self) -> bool {
        self.reach == Reach::Reached
    }
}
