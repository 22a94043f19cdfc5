//! Draws the time of a comparison at random. A few suspects or noisy benchmarks take most of the time of a
//! small suite, so that neither mean nor variance show the median.

use std::collections::BTreeMap;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::{
    CHANGE, LogSpread, Pending, RunSpread, Stage, confirming, duets, prior_of, trimmed_interval, updated,
};

/// Number of comparisons that are drawn.
const DRAWS: usize = 300;
/// How many benchmarks differ between two versions: shares of comparisons, and the share of benchmarks that
/// changed in each. Most commits do not change the speed of anything that is measured, and some change most
/// of it.
const CHANGED: [(f64, f64); 3] = [(0.6, 0.0), (0.3, 0.1), (0.1, 0.6)];

/// One comparison.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Drawn {
    /// Its time in seconds.
    pub(super) total: f64,
    /// The time of each benchmark alone.
    pub(super) each: Vec<f64>,
}

/// Comparisons, the shortest first.
pub(super) fn comparisons(pending: &[Pending<'_>], run: RunSpread) -> Vec<Drawn> {
    // The draws are always the same, so that a suite always gets the same prediction.
    let mut draws = Draws(Xoshiro256PlusPlus::seed_from_u64(1));
    let mut comparisons: Vec<Drawn> = (0..DRAWS).map(|_| one(pending, run, &mut draws)).collect();
    comparisons.sort_by(|a, b| a.total.total_cmp(&b.total));
    comparisons
}

fn one(pending: &[Pending<'_>], run: RunSpread, draws: &mut Draws) -> Drawn {
    let (common, off) = (draws.normal(), draws.normal());
    let (mean, noise) = (run.mean + run.deviation * common, run.noise + run.noise_doubt * common);
    let changed = draws.share_of_changed();
    let mut each = Vec::with_capacity(pending.len());
    let mut total = 0.0;
    // For each program, the fresh duets of the suspect that takes the most of them. Suspects of a program
    // share their layouts.
    let mut relinked: BTreeMap<usize, f64> = BTreeMap::new();
    for one in pending {
        let (screening, fresh) = match (one.is_fixed, one.stage) {
            (true, _) => (f64::from(one.looks.last().copied().unwrap_or(0)) - one.ratios.len() as f64, 0.0),
            (false, Stage::Screening) => {
                let prior = prior_of(one.earlier);
                let noise = if one.earlier.is_none() { noise } else { 0.0 };
                let spread = (prior.median.ln() + prior.of_run * mean + noise, prior.of_benchmark);
                screened(spread, one, changed, draws)
            }
            (false, stage) => {
                let prior = prior_of(one.earlier);
                let spread = (prior.median.ln() + prior.of_run * mean, prior.of_benchmark);
                (0.0, confirming(spread, one, stage == Stage::Confirming).fresh)
            }
        };
        let saved = if one.is_fixed { 0.0 } else { one.short.saved(one, screening, fresh) };
        let secs = (screening + fresh).max(0.0) * one.duet_secs - saved;
        let secs = secs.max(0.0) * (one.doubt * off).exp();
        total += secs;
        each.push(secs + fresh * one.relinking.secs / one.relinking.sharing.max(1.0));
        let secs = relinked.entry(one.relinking.program).or_default();
        *secs = secs.max(fresh * one.relinking.secs);
    }
    Drawn { total: total + relinked.values().sum::<f64>(), each }
}

/// Screening and fresh duets of one benchmark.
fn screened(spread: LogSpread, one: &Pending<'_>, changed: f64, draws: &mut Draws) -> (f64, f64) {
    let (mean, deviation) = updated(spread, one.ratios);
    let spread = (mean + deviation * draws.normal()).exp();
    let change = CHANGE[usize::from(draws.uniform() >= changed)];
    let shift = match one.ratios {
        [] => change * one.delta * draws.normal(),
        ratios => trimmed_interval(ratios, 0.5).map_or(0.0, |interval| interval.centre),
    };
    let (mut ahead, mut open) = (0.0, 1.0);
    let mut suspected = 0.0;
    let at = draws.uniform();
    for look in duets::course(spread, shift, one.delta, &one.looks, one.ratios.len() as u32) {
        ahead = look.ahead;
        let left = open - look.open;
        let newly = look.suspected - suspected;
        (open, suspected) = (look.open, look.suspected);
        if open <= at {
            let is_suspect = left > 0.0 && draws.uniform() < newly / left;
            // The number of fresh duets is random.
            let fresh = duets::fresh(spread, shift, one.delta, one.max_fresh) * (0.5 + draws.uniform());
            return (ahead, if is_suspect { fresh } else { 0.0 });
        }
    }
    (ahead, 0.0)
}

struct Draws(Xoshiro256PlusPlus);

impl Draws {
    fn uniform(&mut self) -> f64 {
        ((self.0.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        (-2.0 * self.uniform().ln()).sqrt() * (2.0 * std::f64::consts::PI * self.uniform()).cos()
    }

    fn share_of_changed(&mut self) -> f64 {
        let mut left = self.uniform();
        for (share, changed) in CHANGED {
            left -= share;
            if left < 0.0 {
                return changed;
            }
        }
        0.0
    }
}
