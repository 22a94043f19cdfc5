//! How often the rules find a change.

use benchwright_stats::power::{Shifted, rank_sum, shift_at_least};

use super::{Design, Noise, Wanted, duets};

/// What a number of processes per side with a number of iterations would do.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prediction {
    /// Processes per side; in duets, the most before a benchmark is suspected.
    pub processes: u32,
    /// How often the wanted change is found.
    pub power: f64,
    /// Processes per side that an unchanged benchmark takes on average: all, where both versions are measured apart.
    pub usual: f64,
    /// The most processes per side.
    pub most: u32,
    /// In duets, the first look at which a decision is likely at all; else all processes.
    pub floor: u32,
}

/// The smallest standard deviation that is believed: clocks and printed digits have one, even where no value differs.
const LEAST_DEVIATION: f64 = 1e-4;
/// With fewer processes per side the rank rule says nothing.
const FEWEST: u32 = 4;

/// Predicts for processes of `iterations` each, for every number of them up to the most wanted; in duets for every look.
pub fn predict(noise: &Noise, wanted: &Wanted, iterations: u32) -> Vec<Prediction> {
    let own = noise.of_process(iterations).sqrt().max(LEAST_DEVIATION);
    match &wanted.design {
        Design::Duets(settings) => duets::predict(own, wanted, settings, wanted.most_processes),
        Design::Apart { is_shared } => {
            let total = (noise.above + own.powi(2)).sqrt();
            let own = if *is_shared { own } else { total };
            let prediction = |processes| Prediction {
                processes,
                power: apart(total, own, wanted, processes),
                usual: f64::from(processes),
                most: processes,
                floor: processes,
            };
            (FEWEST..=wanted.most_processes.max(FEWEST)).map(prediction).collect()
        }
    }
}

/// How much of the way from independence to full dependence the two conditions of the rank rule go together: a rank sum that is
/// large enough, and a shift that reaches the threshold. From simulation with the rule itself.
const TOGETHER: f64 = 0.75;

/// The rule `processes`: a rank test corrected over the suite, and a shift of at least the threshold.
fn apart(total: f64, own: f64, wanted: &Wanted, processes: u32) -> f64 {
    let share = f64::from(wanted.changed.max(1)) / f64::from(wanted.benchmarks.max(1));
    let level = wanted.false_alarms * share.min(1.0);
    let of = Shifted { n: processes as usize, shift: wanted.change.abs().ln_1p(), deviation: total, own };
    let (Some(tested), Some(large)) = (rank_sum(of, level), shift_at_least(of, wanted.threshold.ln_1p()))
    else {
        return 0.0;
    };
    let independent = tested * large;
    independent + TOGETHER * (tested.min(large) - independent)
}
