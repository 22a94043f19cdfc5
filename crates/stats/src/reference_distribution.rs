//! Quantiles and tails of the normal, t, chi-squared and beta distributions, from `statrs`, behind one small interface.
//!
//! Callers guarantee positive degrees of freedom and probabilities inside (0, 1), so the functions always
//! have a value.

use statrs::distribution::{ChiSquared, ContinuousCDF, Normal, StudentsT};
use statrs::function::beta::beta_reg;

/// `P(Z <= z)`.
pub(crate) fn normal_cdf(z: f64) -> f64 {
    Normal::standard().cdf(z)
}

/// `P(Z >= z)`, accurate in the far tail.
pub(crate) fn normal_upper_tail(z: f64) -> f64 {
    Normal::standard().sf(z)
}

/// The `z` with `P(Z <= z) = p`; infinite at 0 and 1.
pub(crate) fn normal_quantile(p: f64) -> f64 {
    if p <= 0.0 {
        f64::NEG_INFINITY
    } else if p >= 1.0 {
        f64::INFINITY
    } else {
        Normal::standard().inverse_cdf(p)
    }
}

/// `P(T <= t)` with `df` degrees of freedom.
pub(crate) fn t_cdf(t: f64, df: f64) -> f64 {
    students_t(df).cdf(t)
}

/// The `t` with `P(T <= t) = p` for `df` degrees of freedom.
pub(crate) fn t_quantile(p: f64, df: f64) -> f64 {
    students_t(df).inverse_cdf(p)
}

fn students_t(df: f64) -> StudentsT {
    StudentsT::new(0.0, 1.0, df).expect("degrees of freedom are positive")
}

/// `P(X >= x)` of chi-squared with `df` degrees of freedom.
pub(crate) fn chi_squared_upper_tail(x: f64, df: f64) -> f64 {
    ChiSquared::new(df).expect("degrees of freedom are positive").sf(x)
}

/// The `x` with `P(X <= x) = p` of chi-squared with `df` degrees of freedom.
pub(crate) fn chi_squared_quantile(p: f64, df: f64) -> f64 {
    ChiSquared::new(df).expect("degrees of freedom are positive").inverse_cdf(p)
}

/// `P(X <= x)` of a beta distribution with positive parameters, `x` in \[0, 1\].
pub(crate) fn beta_cdf(x: f64, a: f64, b: f64) -> f64 {
    beta_reg(a, b, x)
}

/// `P(Binomial(n, p) >= k)` through the regularised incomplete beta function.
pub(crate) fn binomial_at_least(k: usize, n: usize, p: f64) -> f64 {
    if k == 0 || p >= 1.0 {
        1.0
    } else if k > n || p <= 0.0 {
        0.0
    } else {
        beta_reg(k as f64, (n - k + 1) as f64, p)
    }
}

/// The `x` at which the regularised incomplete beta function `I_x(a, b)` equals `p`, by bisection down to
/// neighbouring floats. It is as exact as the function itself.
pub(crate) fn beta_quantile(p: f64, a: f64, b: f64) -> f64 {
    let (mut below, mut above) = (0.0_f64, 1.0_f64);
    loop {
        let middle = (below + above) / 2.0;
        if middle <= below || middle >= above {
            return middle;
        }
        if beta_reg(a, b, middle) < p {
            below = middle;
        } else {
            above = middle;
        }
    }
}
