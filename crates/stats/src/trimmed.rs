//! The interval of a trimmed mean, which stays short even if single values are outliers.

use crate::Interval;
use crate::reference_distribution::t_quantile;
use crate::sample::{finite, open_share, plain_mean, sorted, squared_deviations};

/// One value in this many is cut from each end of the sorted sample.
const TRIM_ONE_IN: usize = 5;

/// Smallest sample that is trimmed. With fewer values there would be too few left to estimate a spread.
const TRIM_FROM: usize = 7;

/// A trimmed mean with its Winsorised standard error and t interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrimmedInterval {
    /// Trimmed mean.
    pub centre: f64,
    /// Standard error of `centre`. 0 without spread.
    pub se: f64,
    /// Lower end.
    pub lo: f64,
    /// Upper end.
    pub hi: f64,
    /// Sample size before trimming, at least 2.
    pub n: usize,
    /// Values cut from each end.
    pub trimmed: usize,
    /// Degrees of freedom of the t quantile, n - 2 `trimmed` - 1.
    pub df: usize,
}

impl TrimmedInterval {
    /// The two ends alone.
    pub fn interval(&self) -> Interval {
        Interval { lo: self.lo, hi: self.hi }
    }
}

/// Where does the typical value lie, if up to a fifth of the values on either side are outliers?
///
/// Assumes independent values, roughly symmetric after trimming. With g = 0 for n < 7 and ⌊n / 5⌋ otherwise,
/// h = n - 2 g and y the sorted values: centre = mean(y\[g..n-g\]); z = y with the g smallest replaced by
/// y\[g\] and the g largest by y\[n-1-g\]; se = sqrt(Σ (z - mean z)² / (h (h - 1))); the ends are centre ∓
/// t(1 - a/2, h - 1) se. `a` is the two-sided level, e.g. 0.02. Tukey & McLaughlin 1963 (Sankhyā A 25); Yuen
/// 1974 (Biometrika 61).
///
/// `None` for n < 2 or `a` outside (0, 1). Ties need no special treatment. Without spread the interval is a
/// point. O(n log n).
pub fn trimmed_interval(d: &[f64], a: f64) -> Option<TrimmedInterval> {
    finite(d)?;
    open_share(a)?;
    let n = d.len();
    if n < 2 {
        return None;
    }
    let g = if n < TRIM_FROM { 0 } else { n / TRIM_ONE_IN };
    let h = n - 2 * g;
    let mut z = sorted(d);
    let centre = plain_mean(&z[g..n - g]);
    let (smallest_kept, largest_kept) = (z[g], z[n - 1 - g]);
    z[..g].fill(smallest_kept);
    z[n - g..].fill(largest_kept);
    let se = (squared_deviations(&z, plain_mean(&z)) / (h * (h - 1)) as f64).sqrt();
    let reach = t_quantile(1.0 - a / 2.0, (h - 1) as f64) * se;
    Some(TrimmedInterval { centre, se, lo: centre - reach, hi: centre + reach, n, trimmed: g, df: h - 1 })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEVEL: f64 = 0.02;

    /// Compares centre, se, lo, hi to six decimals.
    fn check(d: &[f64], expected: [f64; 4]) {
        let found = trimmed_interval(d, LEVEL).expect("defined");
        for (actual, wanted) in [found.centre, found.se, found.lo, found.hi].into_iter().zip(expected) {
            assert!((actual - wanted).abs() < 5.1e-7, "{actual} instead of {wanted} in {found:?}");
        }
    }

    #[test]
    fn quantiles_agree_with_the_table_of_the_rule() {
        let table = [
            (5, 4, 3.746947),
            (7, 4, 3.746947),
            (10, 5, 3.364930),
            (13, 8, 2.896459),
            (17, 10, 2.763769),
            (22, 13, 2.650309),
            (29, 18, 2.552380),
            (40, 23, 2.499867),
        ];
        for (n, df, quantile) in table {
            let d: Vec<f64> = (0..n).map(f64::from).collect();
            let found = trimmed_interval(&d, LEVEL).expect("defined");
            assert_eq!(found.df, df, "n = {n}");
            let ratio = (found.hi - found.centre) / found.se;
            assert!((ratio - quantile).abs() < 5.1e-7, "n = {n}: {ratio} instead of {quantile}");
        }
    }

    #[test]
    fn quiet_sample() {
        check(&[0.004, -0.003, 0.001, 0.002, -0.001], [0.000600, 0.001208, -0.003927, 0.005127]);
    }

    #[test]
    fn one_wild_value_stops_mattering_from_seven_on() {
        let d = [0.021, -0.018, 0.030, 0.310, -0.015, 0.006, 0.012, -0.004, 0.009, -0.011];
        check(&d[..5], [0.065600, 0.061836, -0.166095, 0.297295]);
        check(&d[..7], [0.010800, 0.010466, -0.028417, 0.050017]);
        check(&d, [0.005500, 0.007488, -0.019697, 0.030697]);
    }

    #[test]
    fn clear_shift() {
        check(&[0.051, 0.048, 0.060, 0.043, 0.055], [0.051400, 0.002909, 0.040502, 0.062298]);
    }

    #[test]
    fn clear_shift_downwards_behind_a_wild_value() {
        let d = [-0.062, -0.041, 0.250, -0.055, -0.048, -0.058, -0.050];
        check(&d[..5], [0.008800, 0.060401, -0.217521, 0.235121]);
        check(&d, [-0.050400, 0.003993, -0.065361, -0.035439]);
    }

    #[test]
    fn two_modes() {
        let d = [0.10, 0.0, -0.10, 0.10, 0.0, 0.10, 0.10, 0.0, 0.10, 0.0];
        check(&d, [0.050000, 0.028868, -0.047137, 0.147137]);
    }

    #[test]
    fn small_certain_shift() {
        check(&[0.020, 0.019, 0.021, 0.020, 0.020], [0.020000, 0.000316, 0.018815, 0.021185]);
    }

    #[test]
    fn no_spread_gives_a_point() {
        check(&[0.0; 5], [0.0; 4]);
    }

    #[test]
    fn ten_duets_pooled_from_screening_and_confirmation() {
        let d = [0.051, 0.048, 0.060, 0.043, 0.055, 0.047, 0.058, 0.050, 0.044, 0.053];
        let found = trimmed_interval(&d, LEVEL).expect("defined");
        assert!((found.centre - 0.050667).abs() < 5.1e-7);
        assert!((found.lo - 0.044235).abs() < 5.1e-7 && (found.hi - 0.057098).abs() < 5.1e-7);
        assert!((100.0 * found.centre.exp_m1() - 5.197218).abs() < 5.1e-7);
        let mirrored: Vec<f64> = d.iter().map(|x| -x).collect();
        let centre = trimmed_interval(&mirrored, LEVEL).expect("defined").centre;
        assert!((100.0 * centre.exp_m1() + 4.940452).abs() < 5.1e-7);
    }

    #[test]
    fn twelve_duets_pooled_with_one_wild() {
        let d = [0.051, 0.048, 0.060, 0.043, 0.055, 0.047, -0.350, 0.050, 0.044, 0.053, 0.049, 0.052];
        let found = trimmed_interval(&d, LEVEL).expect("defined");
        assert!((found.centre - 0.049250).abs() < 5.1e-7);
        assert!((found.lo - 0.044476).abs() < 5.1e-7 && (found.hi - 0.054024).abs() < 5.1e-7);
        assert!((100.0 * found.centre.exp_m1() - 5.048294).abs() < 5.1e-7);
    }

    #[test]
    fn too_few_values_or_a_senseless_level_give_none() {
        assert_eq!(trimmed_interval(&[], LEVEL), None);
        assert_eq!(trimmed_interval(&[1.0], LEVEL), None);
        assert_eq!(trimmed_interval(&[1.0, 2.0], 0.0), None);
        assert_eq!(trimmed_interval(&[1.0, 2.0], 1.0), None);
        assert_eq!(trimmed_interval(&[1.0, f64::NAN], LEVEL), None);
    }
}
