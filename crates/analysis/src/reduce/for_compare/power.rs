//! Predicts how often the rules find a change.

use benchwright_stats::known_spread::{KnownPlan, ROBUST_FROM, known_power};
use benchwright_stats::power::{Shifted, rank_sum, shift_at_least};

use super::noise::LEAST_VARIANCE;
use super::{Design, Noise, Wanted, duets};

/// The predicted result of a number of processes per side with a number of iterations.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prediction {
    /// Processes per side. In duets, the maximum before a benchmark is suspected.
    pub processes: u32,
    /// How often the wanted change is found.
    pub power: f64,
    /// Processes per side that an unchanged benchmark takes on average: all, if both versions are measured
    /// apart.
    pub usual: f64,
    /// Maximum number of processes per side.
    pub most: u32,
    /// In duets, the first look. Otherwise all processes.
    pub floor: u32,
}

/// How much of the variance of places affects the rank sum if both sides are measured in the same places. It
/// is little if they are close together, and more if they are so far apart that it depends on chance whether
/// the sides overlap. From simulation with the rule itself.
const SHARED: f64 = 0.4;
/// With fewer processes per side the rank rule has no result.
const FEWEST: u32 = 4;

/// Predicts the result for every number of processes up to the wanted maximum, of `iterations` each; in duets
/// for every look.
pub fn predict(noise: &Noise, wanted: &Wanted, iterations: u32) -> Vec<Prediction> {
    let own = noise.of_process(iterations).max(LEAST_VARIANCE).sqrt();
    match &wanted.design {
        Design::Duets(settings) => duets::predict(own, wanted, settings, wanted.most_processes),
        Design::Apart { is_shared } => {
            let total = (noise.above + own.powi(2)).sqrt();
            let moved = if *is_shared { SHARED } else { 1.0 };
            let own = (moved * noise.above + own.powi(2)).sqrt();
            let shift = wanted.change.abs().ln_1p();
            let shifted = |n: u32| Shifted { n: n as usize, shift, deviation: total, own, wild: noise.wild };
            let prediction = |processes| Prediction {
                processes,
                power: apart(&shifted(processes), wanted),
                usual: f64::from(processes),
                most: processes,
                floor: processes,
            };
            (FEWEST..=wanted.most_processes.max(FEWEST)).map(prediction).collect()
        }
        Design::Known { places } => known(noise, wanted, iterations, *places),
    }
}

/// The test that knows the spread. If there are too few processes to leave an outlier out, every outlier is
/// an alarm or hides a change. Outliers must then be no more frequent than alarms may be.
fn known(noise: &Noise, wanted: &Wanted, iterations: u32, places: u32) -> Vec<Prediction> {
    let robust = ROBUST_FROM as u32;
    let fewest = if noise.wild <= wanted.false_alarms { 1 } else { robust };
    let prediction = |processes: u32| {
        let plan = KnownPlan {
            n: processes as usize,
            groups: places.min(processes) as usize,
            shift: wanted.change.abs().ln_1p(),
            bound: wanted.threshold.ln_1p(),
            level: wanted.false_alarms,
        };
        let power = known_power(noise.known(iterations), plan)?;
        let calm = if processes < robust { (1.0 - noise.wild).powi(2 * processes as i32) } else { 1.0 };
        Some(Prediction {
            processes,
            power: power * calm,
            usual: f64::from(processes),
            most: processes,
            floor: processes,
        })
    };
    (fewest..=wanted.most_processes.max(fewest)).filter_map(prediction).collect()
}

/// How dependent the two conditions of the rank rule are, between independence and full dependence: a large
/// enough rank sum, and a shift that reaches the threshold. From simulation with the rule itself.
const TOGETHER: f64 = 0.75;

/// The rule `processes`: a rank test corrected over the suite, and a shift of at least the threshold.
fn apart(of: &Shifted, wanted: &Wanted) -> f64 {
    let share = f64::from(wanted.changed.max(1)) / f64::from(wanted.benchmarks.max(1));
    let level = wanted.false_alarms * share.min(1.0);
    let (Some(tested), Some(large)) = (rank_sum(*of, level), shift_at_least(*of, wanted.threshold.ln_1p()))
    else {
        return 0.0;
    };
    let independent = tested * large;
    independent + TOGETHER * (tested.min(large) - independent)
}
