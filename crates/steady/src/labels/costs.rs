//! Costs of segments, each computed once.

use super::sums::Sums;

/// Positions between two looks of a search at all its candidates.
pub(super) const STRIDE: usize = 16;

/// Longest segment whose cost is kept for every end: what lies between two looks.
const SHORT: usize = 2 * STRIDE;

/// Longest series of which the costs at looks are kept: 8 MB.
const KEPT: usize = 4096;

/// Costs of the segments of one series. Searches with different penalties ask for the same ones, and a logarithm costs more than a look-up.
///
/// Kept are the short segments and all segments that end where searches look at every candidate; of others those with the latest end, which searches side
/// by side ask for one after the other.
#[derive(Debug)]
pub(super) struct Costs<'a> {
    sums: &'a Sums,
    /// By end and length; NaN where not known yet.
    short: Vec<f64>,
    /// By look and start; NaN where not known yet.
    looks: Vec<f64>,
    /// By start, for the latest end that was asked for: known where the number is that of the end.
    latest: Vec<(usize, f64)>,
}

impl<'a> Costs<'a> {
    pub(super) fn new(sums: &'a Sums) -> Self {
        let n = sums.len();
        let looks = if n <= KEPT { (n / STRIDE + 1) * n } else { 0 };
        let (short, looks) = (vec![f64::NAN; (n + 1) * SHORT], vec![f64::NAN; looks]);
        Costs { sums, short, looks, latest: vec![(0, 0.0); n + 1] }
    }

    /// Number of values.
    pub(super) fn len(&self) -> usize {
        self.sums.len()
    }

    /// [`Sums::cost`].
    #[inline(always)]
    pub(super) fn cost(&mut self, from: usize, to: usize) -> f64 {
        let length = to - from;
        let place = if length <= SHORT {
            self.short.get_mut(to * SHORT + length - 1)
        } else if to.is_multiple_of(STRIDE) {
            self.looks.get_mut(to / STRIDE * self.sums.len() + from)
        } else {
            None
        };
        match place {
            Some(known) if !known.is_nan() => *known,
            Some(unknown) => {
                *unknown = self.sums.cost(from, to);
                *unknown
            }
            None => {
                // An end is at least 1, so that 0 is none.
                let (known_for, known) = self.latest[from];
                if known_for == to {
                    return known;
                }
                let cost = self.sums.cost(from, to);
                self.latest[from] = (to, cost);
                cost
            }
        }
    }

    /// Whether rounding leaves the cost as it is, up to a hundredth.
    #[inline]
    pub(super) fn is_reliable(&self, from: usize, to: usize) -> bool {
        self.sums.is_clear(from, to)
    }
}

#[cfg(test)]
mod tests {
    use super::super::sums::ZeroVariance;
    use super::*;

    #[test]
    fn kept_costs_are_those_of_the_sums() {
        let values: Vec<f64> = (0..100).map(|i| 1.0 + f64::from((i * 37) % 11)).collect();
        let sums = Sums::new(&values, ZeroVariance::Published);
        let mut costs = Costs::new(&sums);
        for _ in 0..2 {
            for from in 0..99 {
                for to in from + 1..=100 {
                    assert_eq!(costs.cost(from, to).to_bits(), sums.cost(from, to).to_bits(), "{from} {to}");
                }
            }
        }
        assert_eq!(costs.len(), 100);
    }
}
