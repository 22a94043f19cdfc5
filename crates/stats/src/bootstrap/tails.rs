//! Computes the ends of an interval from the values of an estimate over all resamples.

use crate::Interval;
use crate::reference_distribution::{normal_cdf, normal_quantile};

/// The quantiles `lo <= hi` (as shares) of the values, interpolated linearly as in
/// [`crate::dispersion::quantile`], in linear time by selection. Reorders the values, of which there must be
/// at least one.
pub(super) fn quantile_pair(values: &mut [f64], lo: f64, hi: f64) -> Interval {
    let last = (values.len() - 1) as f64;
    let (lo_position, hi_position) = (last * lo, last * hi);
    let lo_start = lo_position as usize;
    let hi_start = hi_position as usize;
    let (_, _, above) = values.select_nth_unstable_by(lo_start, f64::total_cmp);
    if hi_start > lo_start {
        above.select_nth_unstable_by(hi_start - lo_start - 1, f64::total_cmp);
    }
    // All values between the two selected positions are between the selected values, so the successor of each
    // is the smallest value after it.
    let lo_end = if hi_start > lo_start { hi_start + 1 } else { values.len() };
    Interval {
        lo: interpolate(values[lo_start], &values[lo_start + 1..lo_end], lo_position.fract()),
        hi: interpolate(values[hi_start], &values[hi_start + 1..], hi_position.fract()),
    }
}

/// Collects the values beyond a guess of two extreme quantiles, so that only these few have to be sorted.
pub(super) struct FarTails {
    reach: f64,
    count: usize,
    low: Vec<f64>,
    high: Vec<f64>,
}

impl FarTails {
    /// For quantiles guessed to lie beyond `-reach` and `reach`.
    pub(super) fn beyond(reach: f64) -> Self {
        FarTails { reach, count: 0, low: Vec::new(), high: Vec::new() }
    }

    /// Takes a value.
    #[inline]
    pub(super) fn take(&mut self, value: f64) {
        self.count += 1;
        if value < -self.reach {
            self.low.push(value);
        } else if value > self.reach {
            self.high.push(value);
        }
    }

    /// Takes a value that is known to be inside.
    #[inline]
    pub(super) fn take_inner(&mut self) {
        self.count += 1;
    }

    /// The number of values.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// The same as [`quantile_pair`] of all values. `None` if the guess was too far out, or there were no
    /// values.
    pub(super) fn quantiles(mut self, lo: f64, hi: f64) -> Option<Interval> {
        let last = self.count.checked_sub(1)? as f64;
        let below_high = self.count - self.high.len();
        Some(Interval {
            lo: at_position(&mut self.low, 0, last * lo)?,
            hi: at_position(&mut self.high, below_high, last * hi)?,
        })
    }
}

/// The interpolated value at a position in ascending order, if this many smaller values were left out. `None`
/// outside the values.
fn at_position(values: &mut [f64], left_out: usize, position: f64) -> Option<f64> {
    let start = (position as usize).checked_sub(left_out)?;
    let is_last = position.fract() == 0.0;
    if start + usize::from(!is_last) >= values.len() {
        return None;
    }
    let (_, &mut at, above) = values.select_nth_unstable_by(start, f64::total_cmp);
    Some(interpolate(at, above, position.fract()))
}

fn interpolate(at: f64, following: &[f64], share: f64) -> f64 {
    if share == 0.0 || following.is_empty() {
        return at;
    }
    let next = following.iter().copied().fold(f64::INFINITY, f64::min);
    at + share * (next - at)
}

/// The two shares at which the bias-corrected and accelerated interval takes quantiles of the bootstrap
/// distribution.
///
/// With z0 the normal quantile of the share of resamples below the estimate (ties half), a the acceleration
/// and z the normal quantile of each tail: Φ(z0 + (z0 + z) / (1 - a (z0 + z))). Efron 1987 (JASA 82). `None`
/// if no or all resamples lie below.
pub(super) fn bca_shares(share_below: f64, acceleration: f64, confidence: f64) -> Option<(f64, f64)> {
    let bias = normal_quantile(share_below);
    if !bias.is_finite() || !acceleration.is_finite() {
        return None;
    }
    let adjusted = |tail: f64| {
        let shifted = bias + normal_quantile(tail);
        normal_cdf(bias + shifted / (1.0 - acceleration * shifted))
    };
    let (lo, hi) = (adjusted((1.0 - confidence) / 2.0), adjusted((1.0 + confidence) / 2.0));
    // With a large acceleration the denominator changes sign, and the ends are swapped.
    (lo <= hi).then_some((lo, hi))
}

/// Share of values below the estimate, equal ones counting half.
pub(super) fn share_below(values: &[f64], estimate: f64) -> f64 {
    let below = values.iter().filter(|&&value| value < estimate).count();
    let equal = values.iter().filter(|&&value| value == estimate).count();
    (below as f64 + equal as f64 / 2.0) / values.len() as f64
}

/// Acceleration from the estimates with one value left out each: Σ (θ̄ - θ_i)³ / (6 (Σ (θ̄ - θ_i)²)^1.5); 0
/// without spread.
pub(super) fn acceleration(left_out: &[f64]) -> f64 {
    let centre = left_out.iter().sum::<f64>() / left_out.len() as f64;
    let squares: f64 = left_out.iter().map(|value| (centre - value).powi(2)).sum();
    let cubes: f64 = left_out.iter().map(|value| (centre - value).powi(3)).sum();
    if squares > 0.0 { cubes / (6.0 * squares.powf(1.5)) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dispersion::quantile;

    #[test]
    fn selected_quantiles_equal_sorted_ones() {
        let values: Vec<f64> = (0..1000).map(|i| f64::from((i * 7919) % 613)).collect();
        for (lo, hi) in
            [(0.025, 0.975), (0.0, 1.0), (0.5, 0.5), (0.5, 0.5002), (0.3333, 0.3335), (0.999, 1.0)]
        {
            for n in [1, 2, 3, 10, 999, 1000] {
                let found = quantile_pair(&mut values[..n].to_vec(), lo, hi);
                assert_eq!(Some(found.lo), quantile(&values[..n], lo), "n {n} lo {lo}");
                assert_eq!(Some(found.hi), quantile(&values[..n], hi), "n {n} hi {hi}");
            }
        }
    }

    #[test]
    fn tails_alone_give_the_same_quantiles_or_none() {
        let values: Vec<f64> = (0..1000).map(|i| f64::from((i * 7919) % 1009) - 504.0).collect();
        let check = |reach: f64, lo: f64, hi: f64, is_found: bool| {
            let mut tails = FarTails::beyond(reach);
            values.iter().for_each(|value| tails.take(*value));
            assert_eq!(tails.count(), 1000);
            let expected = quantile_pair(&mut values.clone(), lo, hi);
            assert_eq!(tails.quantiles(lo, hi), is_found.then_some(expected), "{reach} {lo} {hi}");
        };
        check(400.0, 0.005, 0.995, true);
        check(400.0, 0.0, 1.0, true);
        check(0.0, 0.25, 0.7501, true);
        check(500.0, 0.05, 0.95, false);
        check(600.0, 0.005, 0.995, false);
        assert_eq!(FarTails::beyond(1.0).quantiles(0.1, 0.9), None);
    }

    #[test]
    fn without_bias_and_acceleration_bca_reads_the_plain_tails() {
        let (lo, hi) = bca_shares(0.5, 0.0, 0.95).expect("defined");
        assert!((lo - 0.025).abs() < 1e-10 && (hi - 0.975).abs() < 1e-10, "{lo} {hi}");
        assert_eq!(bca_shares(0.0, 0.0, 0.95), None);
        assert_eq!(bca_shares(1.0, 0.0, 0.95), None);
    }
}
