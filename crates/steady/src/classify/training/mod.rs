//! Trains the learned rule on a user's own processes.
//!
//! 1. `rows` examines every process at the places of the grid, alone and compared with another process of its
//!    benchmark, and adds the correct answers;
//! 2. `boosting` grows the trees that predict these answers;
//! 3. [`train`] combines the six models with the settings of the embedded rule.
//!
//! The procedure is that of `studies/warmup/rule.py`, with trees grown here instead of by LightGBM. The
//! settings (when to stop) are not optimised again, because this takes nested cross-validation and hundreds
//! of benchmarks.

mod boosting;
mod rows;

use std::fmt;

use boosting::{Boosting, Objective};
use rows::Rows;

use super::trained::{Models, Settings, Trained};

/// A complete process whose steady state is known.
#[derive(Debug, Clone, Copy)]
pub struct Example<'a> {
    /// Seconds per operation of every iteration of 0.1 s.
    pub values: &'a [f64],
    /// The last iteration before the steady state, counted from 0. `None` if it was never reached.
    pub steady_from: Option<u32>,
}

/// Minimum number of iterations of a usable process: there must be iterations after the first serious
/// examinations.
const LEAST: usize = 200;

impl Example<'_> {
    /// Whether it can be learnt from, or why not.
    pub fn check(&self) -> Result<(), Unusable> {
        let are_times = self.values.iter().all(|value| value.is_finite() && *value > 0.0);
        let steady_from = self.steady_from.map_or(0, |last| last as usize + 1);
        if !are_times {
            Err(Unusable::NoTimes)
        } else if self.values.len() < LEAST {
            Err(Unusable::Short)
        } else if steady_from >= self.values.len() {
            Err(Unusable::SteadyAfterwards)
        } else {
            Ok(())
        }
    }
}

/// Why a process cannot be learnt from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unusable {
    /// Some of its values are not positive numbers.
    NoTimes,
    /// It has too few iterations.
    Short,
    /// The stated beginning of the steady state is after its end.
    SteadyAfterwards,
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unusable::NoTimes => f.write_str("with values that are not times"),
            Unusable::Short => write!(f, "with fewer than {LEAST} iterations"),
            Unusable::SteadyAfterwards => f.write_str("said to be steady after their end"),
        }
    }
}

/// Why nothing can be learned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TrainingError {
    /// There are too few examples.
    #[error("train on {benchmarks} benchmarks with {processes} usable processes")]
    TooFew {
        /// Benchmarks with two usable processes or more.
        benchmarks: usize,
        /// Their processes.
        processes: usize,
    },
}

impl TrainingError {
    /// Advice for the user.
    pub fn hint(&self) -> &'static str {
        "at least 20 benchmarks are needed, each with two processes of 200 iterations of 0.1 s or more"
    }
}

/// Fewer benchmarks would be learnt by heart.
const LEAST_BENCHMARKS: usize = 20;

/// Trains the models on the processes of each benchmark. The same examples and seed give the same models.
pub fn train(
    benchmarks: &[Vec<Example<'_>>],
    settings: Settings,
    seed: u64,
) -> Result<Trained, TrainingError> {
    let mut rows = Rows::new(benchmarks, seed);
    let (benchmarks, processes) = rows.counts();
    if benchmarks < LEAST_BENCHMARKS {
        return Err(TrainingError::TooFew { benchmarks, processes });
    }
    // A leaf has to contain several benchmarks, so it has a minimum share of the rows, as in the study.
    let near = |rows: usize| Boosting {
        objective: Objective::Squared,
        trees: 150,
        leaves: 15,
        rate: 0.06,
        least_rows: (rows / 200).max(20),
        seed,
    };
    let ends = |rows: usize| Boosting {
        objective: Objective::Logistic,
        trees: 120,
        leaves: 20,
        rate: 0.1,
        least_rows: (rows / 150).max(20),
        seed,
    };
    let mut models = |is_later: bool| {
        let (gain, level) = rows.near(is_later);
        let over = rows.over(is_later);
        Models {
            gain: near(gain.len()).grow(&gain),
            level: near(level.len()).grow(&level),
            over: ends(over.len()).grow(&over),
        }
    };
    Ok(Trained { settings, first: models(false), later: models(true) })
}
