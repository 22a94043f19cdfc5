//! Costs of segments, each of which is computed once.

use super::sums::Sums;

/// Number of positions between two points at which a search examines all its candidates.
pub(super) const STRIDE: usize = 16;

/// The longest segment whose cost is stored for every end: the distance of two such points.
const SHORT: usize = 2 * STRIDE;

/// The longest series for which the costs at these points are stored: 8 MB.
const KEPT: usize = 4096;

/// Costs of the segments of one series. Searches with different penalties need the same ones, and a logarithm
/// takes longer than a look-up.
///
/// It stores the costs of short segments, and of all segments that end where searches examine every
/// candidate. For other segments it stores those with the latest end, which parallel searches need one after
/// the other.
#[derive(Debug)]
pub(super) struct Costs<'a> {
    sums: &'a Sums,
    /// By end and length. NaN if not computed yet.
    short: Vec<f64>,
    /// By point and start. NaN if not computed yet.
    looks: Vec<f64>,
    /// By start, for the latest end. Valid if the number equals that end.
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

    /// The same as [`Sums::cost`].
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
                // An end is at least 1, so 0 means that there is no value.
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

    /// Whether the rounding error of the cost is at most a hundredth.
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
