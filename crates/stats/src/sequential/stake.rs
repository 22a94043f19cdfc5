//! A sequential test by betting on the signs of symmetric values.

use crate::dispersion::{MAD_TO_NORMAL, median_and_deviation};
use crate::sample::{finite, plain_mean, squared_deviations};

/// The constants of the two stakes. They affect how fast evidence grows under a real change, but not whether
/// it is valid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StakeConstants {
    /// Smallest effect that the stakes bet on, in the unit of the values, not negative.
    pub delta: f64,
    /// Prior scale of the values, positive.
    pub s0: f64,
    /// Weight of the prior scale, as a number of values, positive.
    pub nu0: f64,
    /// Degrees of freedom of the robust stake's tails, positive.
    pub nu: f64,
    /// Weight kept for outliers, positive. It keeps every stake below 1 / (1 + 2 eta).
    pub eta: f64,
}

impl StakeConstants {
    /// The defaults for logarithms of ratios, with the given smallest effect (ln 1.03 for three per cent).
    pub fn for_log_ratios(delta: f64) -> Self {
        StakeConstants { delta, s0: 0.015, nu0: 2.0, nu: 4.0, eta: 0.02 }
    }

    fn is_sensible(&self) -> bool {
        let positive = [self.s0, self.nu0, self.nu, self.eta];
        self.delta >= 0.0 && self.delta.is_finite() && positive.iter().all(|c| *c > 0.0 && c.is_finite())
    }
}

/// The suspected direction of the values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Sign {
    /// Above zero.
    Positive,
    /// Below zero.
    Negative,
}

impl Sign {
    fn factor(self) -> f64 {
        match self {
            Sign::Positive => 1.0,
            Sign::Negative => -1.0,
        }
    }
}

/// The two stakes placed on one fresh value, each a share of the capital in \[0, 1).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bet {
    /// stake1: bets little on outliers.
    pub robust: f64,
    /// stake2: uses large values.
    pub gaussian: f64,
}

/// How strong is the evidence of fresh values that the suspected direction is real?
///
/// Assumes only that, without an effect, the sign of each value is a fair coin given its size and everything
/// before. The evidence E is then an e-process: its mean is at most 1 at every stopping time, and P(E ever >=
/// 1/q) <= q. Symmetry: Efron 1969 (JASA 64), de la Peña 1999 (Ann. Probab. 27); betting: Ramdas, Ruf,
/// Larsson & Koolen 2020 (arXiv 2009.03167), Waudby-Smith & Ramdas 2024 (JRSS B 86).
///
/// For a fresh value x (times the suspected sign) and the n values `past` before it:
///
/// ```text
/// m = median(past);  r = 1.4826 median|past - m|;  s² = (nu0 s0² + n r²) / (nu0 + n);  mu = max(m, delta)
/// f(z) = (1 + z²/nu)^(-(nu+1)/2);  A = f((|x|-mu)/s);  B = f((|x|+mu)/s);  stake1 = (A - B) / (A + B + 2 eta)
/// v = (nu0 s0² + Σ (past - mean)²) / (nu0 + n);  stake2 = min(tanh(max(mean, delta) |x| / v), 1 / (1 + 2 eta))
/// P1 *= 1 + sgn(x) stake1;  P2 *= 1 + sgn(x) stake2;  E = (P1 + P2) / 2
/// ```
///
/// Without a past the stakes depend only on `delta` and `s0`. x = 0 changes nothing. Without spread `s0`
/// keeps the scale positive. One value takes O(n log n). The products are stored as logarithms, so nothing
/// underflows.
#[derive(Debug, Clone)]
pub struct Evidence {
    constants: StakeConstants,
    sign: Sign,
    past: Vec<f64>,
    log_robust: f64,
    log_gaussian: f64,
}

impl Evidence {
    /// Starts with E = 1 after the values `past`, on which there was no bet. `None` if a value is not finite
    /// or a constant is out of range.
    pub fn new(constants: StakeConstants, sign: Sign, past: &[f64]) -> Option<Self> {
        finite(past)?;
        let past = past.iter().map(|value| value * sign.factor()).collect();
        let start = Evidence { constants, sign, past, log_robust: 0.0, log_gaussian: 0.0 };
        constants.is_sensible().then_some(start)
    }

    /// The stakes on a fresh value of size `magnitude`. They depend on the past and the size, not on the
    /// sign. `None` if `magnitude` is not finite.
    pub fn stakes(&self, magnitude: f64) -> Option<Bet> {
        finite(&[magnitude])?;
        let size = magnitude.abs();
        if size == 0.0 {
            return Some(Bet { robust: 0.0, gaussian: 0.0 });
        }
        Some(Bet { robust: self.robust_stake(size), gaussian: self.gaussian_stake(size) })
    }

    /// Bets on the sign of one fresh value and adds it to the past. Returns the stakes. `None`, without any
    /// change, if `value` is not finite.
    pub fn add(&mut self, value: f64) -> Option<Bet> {
        let x = value * self.sign.factor();
        let bet = self.stakes(x)?;
        if x != 0.0 {
            self.log_robust += (x.signum() * bet.robust).ln_1p();
            self.log_gaussian += (x.signum() * bet.gaussian).ln_1p();
        }
        self.past.push(x);
        Some(bet)
    }

    /// Natural logarithm of P1, the capital of the robust stake.
    pub fn log_robust(&self) -> f64 {
        self.log_robust
    }

    /// Natural logarithm of P2, the capital of the Gaussian stake.
    pub fn log_gaussian(&self) -> f64 {
        self.log_gaussian
    }

    /// Natural logarithm of E.
    pub fn log_evidence(&self) -> f64 {
        let larger = self.log_robust.max(self.log_gaussian);
        let smaller = self.log_robust.min(self.log_gaussian);
        larger + (smaller - larger).exp().ln_1p() - std::f64::consts::LN_2
    }

    /// E, the mean of both capitals. Infinite if it exceeds the range of `f64`.
    pub fn evidence(&self) -> f64 {
        self.log_evidence().exp()
    }

    fn robust_stake(&self, size: f64) -> f64 {
        let StakeConstants { delta, s0, nu0, nu, eta } = self.constants;
        let n = self.past.len() as f64;
        let (centre, deviation) =
            if self.past.is_empty() { (0.0, 0.0) } else { median_and_deviation(&self.past) };
        let r = MAD_TO_NORMAL * deviation;
        let s = ((nu0 * s0.powi(2) + n * r.powi(2)) / (nu0 + n)).sqrt();
        let mu = centre.max(delta);
        let f = |z: f64| (1.0 + z.powi(2) / nu).powf(-(nu + 1.0) / 2.0);
        let (near, far) = (f((size - mu) / s), f((size + mu) / s));
        (near - far) / (near + far + 2.0 * eta)
    }

    fn gaussian_stake(&self, size: f64) -> f64 {
        let StakeConstants { delta, s0, nu0, eta, .. } = self.constants;
        let n = self.past.len() as f64;
        let mean = if self.past.is_empty() { 0.0 } else { plain_mean(&self.past) };
        let v = (nu0 * s0.powi(2) + squared_deviations(&self.past, mean)) / (nu0 + n);
        (mean.max(delta) * size / v).tanh().min(1.0 / (1.0 + 2.0 * eta))
    }
}

#[cfg(test)]
#[path = "stake_tests.rs"]
mod tests;
