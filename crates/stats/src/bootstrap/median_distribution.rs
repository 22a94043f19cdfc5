//! The bootstrap distribution of the median in closed form.

use statrs::function::gamma::ln_gamma;

use crate::sample::{finite, sorted};

/// Tolerance for rounding errors when a cumulative probability is compared with a share.
const ROUNDING: f64 = 1e-12;

/// Terms below this share of a sum can be ignored, because they fall at least geometrically there.
const NEGLIGIBLE: f64 = 1e-18;

/// Largest even sample whose factors, up to 2^(n/2), are stored as plain numbers. Relevant products neither
/// overflow nor underflow.
const LINEAR_UP_TO: usize = 1000;

/// The possible medians of a resample of n values, with their probabilities. This is exact, without
/// resampling.
///
/// Write y for the sorted sample and M for the median of n draws with replacement. For odd n = 2m - 1, M is
/// the m-th smallest draw, and P(M <= y_k) = P(Bin(n, k/n) >= m) (Efron 1982, The Jackknife, the Bootstrap
/// and Other Resampling Plans, ch. 10). For even n = 2m, M is the mean of the m-th and the (m+1)-th smallest
/// draw. M exceeds v although the m-th smallest is some y_i <= v exactly if m draws are at most y_i, one of
/// them y_i itself, and the other m are so large that their mean with y_i exceeds v. With k the number of y_j
/// <= v and J_i that of y_j with (y_i + y_j)/2 <= v:
///
/// ```text
/// P(M <= v) = P(Bin(n, k/n) >= m) - C(2m, m) Σ_{i <= k} ((i/n)^m - ((i-1)/n)^m) ((n - J_i)/n)^m
/// ```
///
/// Ties need no special treatment, because equal values have positions of their own. Without spread M is a
/// constant.
#[derive(Debug, Clone)]
pub struct MedianDistribution {
    ascending: Vec<f64>,
    /// ln C(n, m).
    ln_choose: f64,
    /// Only for even n.
    even: Option<EvenTerms>,
}

/// The factors of the sum for even n.
#[derive(Debug, Clone)]
struct EvenTerms {
    /// The values divided by two, so that the mean of a pair is one addition.
    halves: Vec<f64>,
    /// Scaled C(2m, m) ((i/n)^m - ((i-1)/n)^m) for i = 1..=n, or its logarithm.
    lower: Vec<f64>,
    /// Scaled ((n - j)/n)^m for j = 0..=n, or its logarithm.
    upper: Vec<f64>,
    /// Whether the factors are logarithms.
    logarithmic: bool,
}

impl MedianDistribution {
    /// The distribution for one sample; `None` for an empty one. O(n log n).
    pub fn new(values: &[f64]) -> Option<Self> {
        finite(values)?;
        if values.is_empty() {
            return None;
        }
        let ascending = sorted(values);
        let n = ascending.len();
        let m = n.div_ceil(2);
        let ln_choose = ln_gamma(n as f64 + 1.0) - ln_gamma(m as f64 + 1.0) - ln_gamma((n - m) as f64 + 1.0);
        let even = n.is_multiple_of(2).then(|| EvenTerms::new(&ascending, ln_choose));
        Some(MedianDistribution { ascending, ln_choose, even })
    }

    /// P(M <= value). O(n), over the terms that matter.
    pub fn cumulative(&self, value: f64) -> f64 {
        let at_most = self.ascending.partition_point(|&y| y <= value);
        let reached = self.lower_middle_among(at_most);
        match &self.even {
            None => reached,
            Some(terms) => (reached - terms.exceeding(at_most, |mean| mean > value)).max(0.0),
        }
    }

    /// P(M < value) plus half of P(M = value).
    pub fn share_below(&self, value: f64) -> f64 {
        let below = self.ascending.partition_point(|&y| y < value);
        let reached = self.lower_middle_among(below);
        let strictly_below = match &self.even {
            None => reached,
            Some(terms) => (reached - terms.exceeding(below, |mean| mean >= value)).max(0.0),
        };
        (strictly_below + self.cumulative(value)) / 2.0
    }

    /// The smallest value v with P(M <= v) >= `share`; `None` for a share outside \[0, 1\]. Exact.
    ///
    /// O(log n) evaluations for odd n. For even n the quantile lies between those of the m-th and the
    /// (m+1)-th smallest draw; the means of two values in that narrow range, usually far fewer than n² / 4,
    /// are halved by selection with one O(n) evaluation per step.
    pub fn quantile(&self, share: f64) -> Option<f64> {
        if !(0.0..=1.0).contains(&share) {
            return None;
        }
        let from = self.first_reaching(share, |at_most| self.lower_middle_among(at_most));
        let Some(terms) = &self.even else {
            return Some(from);
        };
        let to = self.first_reaching(share, |at_most| self.upper_middle_among(at_most));
        let mut candidates = terms.means_between(from, to);
        let mut remaining = candidates.as_mut_slice();
        let mut smallest = to;
        while !remaining.is_empty() {
            let (below, &mut middle, above) =
                remaining.select_nth_unstable_by(remaining.len() / 2, f64::total_cmp);
            if self.cumulative(middle) < share - ROUNDING {
                remaining = above;
            } else {
                smallest = middle;
                remaining = below;
            }
        }
        Some(smallest)
    }

    /// P(Bin(n, k/n) >= m): the m-th smallest draw is among the first k values.
    ///
    /// Adds the terms from m away from the expected count, where they only fall, so that the sum ends early
    /// and loses no digits.
    fn lower_middle_among(&self, k: usize) -> f64 {
        let n = self.ascending.len();
        if k == 0 || k == n {
            return if k == 0 { 0.0 } else { 1.0 };
        }
        let m = n.div_ceil(2);
        let odds = k as f64 / (n - k) as f64;
        let mut term = self.middle_term(k);
        let mut sum = 0.0;
        if k < m {
            for j in m..=n {
                sum += term;
                term *= (n - j) as f64 / (j + 1) as f64 * odds;
                if term < sum * NEGLIGIBLE {
                    break;
                }
            }
            sum
        } else {
            for j in (1..=m).rev() {
                term *= j as f64 / ((n - j + 1) as f64 * odds);
                sum += term;
                if term < sum * NEGLIGIBLE {
                    break;
                }
            }
            1.0 - sum
        }
    }

    /// P(Bin(n, k/n) >= m + 1), for even n.
    fn upper_middle_among(&self, k: usize) -> f64 {
        if k == 0 || k == self.ascending.len() {
            return self.lower_middle_among(k);
        }
        (self.lower_middle_among(k) - self.middle_term(k)).max(0.0)
    }

    /// P(Bin(n, k/n) = m), for 0 < k < n.
    fn middle_term(&self, k: usize) -> f64 {
        let n = self.ascending.len();
        let m = n.div_ceil(2);
        let share = k as f64 / n as f64;
        (self.ln_choose + m as f64 * share.ln() + (n - m) as f64 * (-share).ln_1p()).exp()
    }

    /// The smallest value for which a cumulative probability, as a function of the number of values reached,
    /// is at least `share`.
    fn first_reaching(&self, share: f64, probability: impl Fn(usize) -> f64) -> f64 {
        let (mut below, mut reached) = (0, self.ascending.len());
        while reached - below > 1 {
            let middle = below.midpoint(reached);
            if probability(middle) < share - ROUNDING {
                below = middle;
            } else {
                reached = middle;
            }
        }
        self.ascending[reached - 1]
    }
}

impl EvenTerms {
    fn new(ascending: &[f64], ln_choose: f64) -> Self {
        let size = ascending.len();
        let m = size / 2;
        let logarithmic = size > LINEAR_UP_TO;
        let share = |k: usize| k as f64 / m as f64;
        // Each is scaled by 2^m, and the binomial coefficient by 4^-m, so that large and small factors are
        // combined in the middle.
        let ln_scaled_choose = ln_choose - size as f64 * std::f64::consts::LN_2;
        let (lower, power): (Vec<f64>, Vec<f64>) = if logarithmic {
            let power: Vec<f64> = (0..=size).map(|k| m as f64 * share(k).ln()).collect();
            let ln_difference = |i: usize| power[i] + (-(power[i - 1] - power[i]).exp()).ln_1p();
            ((1..=size).map(|i| ln_scaled_choose + ln_difference(i)).collect(), power)
        } else {
            let power: Vec<f64> = (0..=size).map(|k| share(k).powi(m as i32)).collect();
            let choose = ln_scaled_choose.exp();
            ((1..=size).map(|i| choose * (power[i] - power[i - 1])).collect(), power)
        };
        let upper = power.into_iter().rev().collect();
        EvenTerms { halves: ascending.iter().map(|y| y * 0.5).collect(), lower, upper, logarithmic }
    }

    /// P(the m-th smallest draw is among the first `at_most` values and the mean with its successor `exceeds`).
    fn exceeding(&self, at_most: usize, exceeds: impl Fn(f64) -> bool) -> f64 {
        let mut kept = self.halves.len();
        let mut probability = 0.0;
        for i in 0..at_most {
            while kept > 0 && exceeds(self.halves[i] + self.halves[kept - 1]) {
                kept -= 1;
            }
            let (lower, upper) = (self.lower[i], self.upper[kept]);
            probability += if self.logarithmic { (lower + upper).exp() } else { lower * upper };
        }
        probability
    }

    /// All means of two values between `from` and `to`, in no particular order.
    fn means_between(&self, from: f64, to: f64) -> Vec<f64> {
        let mut means = Vec::new();
        // For a larger first value, the second one starts at the same place or earlier.
        let mut start = self.halves.len();
        for (i, &first) in self.halves.iter().enumerate() {
            while start > i && first + self.halves[start - 1] >= from {
                start -= 1;
            }
            let partners = self.halves[start.max(i)..].iter().map(|&second| first + second);
            means.extend(partners.take_while(|&mean| mean <= to));
        }
        means
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::median_in_place;

    /// Medians of all n^n resamples.
    fn enumerate(values: &[f64]) -> Vec<f64> {
        let n = values.len();
        let mut medians: Vec<f64> = (0..n.pow(n as u32))
            .map(|code| {
                let mut resample: Vec<f64> =
                    (0..n as u32).map(|digit| values[code / n.pow(digit) % n]).collect();
                median_in_place(&mut resample)
            })
            .collect();
        medians.sort_unstable_by(f64::total_cmp);
        medians
    }

    fn check(values: &[f64]) {
        let medians = enumerate(values);
        let distribution = MedianDistribution::new(values).expect("not empty");
        let total = medians.len() as f64;
        for &median in &medians {
            let at_most = medians.partition_point(|&other| other <= median) as f64 / total;
            let below = medians.partition_point(|&other| other < median) as f64 / total;
            assert!((distribution.cumulative(median) - at_most).abs() < 1e-12, "{values:?} at {median}");
            assert!(
                (distribution.share_below(median) - (at_most + below) / 2.0).abs() < 1e-12,
                "{values:?} at {median}"
            );
        }
        for step in 0..=200 {
            let share = f64::from(step) / 200.0;
            let position = (share * total - 1e-9).ceil().max(1.0) as usize;
            assert_eq!(distribution.quantile(share), Some(medians[position - 1]), "{values:?} at {share}");
        }
    }

    #[test]
    fn agrees_with_all_resamples() {
        check(&[4.0]);
        check(&[4.0, 1.0]);
        check(&[4.0, 1.0, 9.0]);
        check(&[4.0, 1.0, 9.0, 2.5]);
        check(&[4.0, 1.0, 9.0, 2.5, -3.0]);
        check(&[4.0, 1.0, 9.0, 2.5, -3.0, 100.0]);
        check(&[-4.0, -1.0, -9.0, -2.5, 3.0, -100.0]);
    }

    #[test]
    fn agrees_with_all_resamples_under_ties() {
        check(&[1.0, 1.0, 2.0, 2.0]);
        check(&[1.0, 1.0, 1.0, 2.0, 5.0]);
        check(&[0.0, 1.0, 1.0, 2.0, 2.0, 3.0]);
        check(&[7.0; 6]);
    }

    #[test]
    fn large_samples_neither_underflow_nor_overflow() {
        for n in [2_000, 2_001] {
            let values: Vec<f64> = (0..n).map(f64::from).collect();
            let distribution = MedianDistribution::new(&values).expect("not empty");
            let centre = f64::from(n - 1) / 2.0;
            assert!((distribution.share_below(centre) - 0.5).abs() < 1e-6);
            // The standard deviation of the median's position is about √n / 2.
            let lo = distribution.quantile(0.025).expect("defined");
            assert!((centre - lo - 1.96 * f64::from(n).sqrt() / 2.0).abs() < 1.5, "{lo}");
        }
    }

    #[test]
    fn edges() {
        assert!(MedianDistribution::new(&[]).is_none());
        let distribution = MedianDistribution::new(&[1.0, 2.0]).expect("not empty");
        assert_eq!(distribution.quantile(-0.1), None);
        assert_eq!(distribution.quantile(f64::NAN), None);
        assert_eq!((distribution.cumulative(0.0), distribution.cumulative(3.0)), (0.0, 1.0));
    }
}
