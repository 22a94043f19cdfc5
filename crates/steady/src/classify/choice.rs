//! Chooses the most probable end of warm-up that does not spoil the measured iterations.

use super::features::{Look, Record};
use super::prefix::GRID;
use super::trees::Trees;

/// The possible last iterations of warm-up, counted from 0.
static CUTS: [usize; 30] = [
    0, 1, 2, 3, 5, 7, 10, 14, 19, 24, 29, 39, 49, 59, 79, 99, 119, 149, 179, 199, 229, 259, 299, 349, 399,
    449, 499, 599, 699, 799,
];

/// Two ends of warm-up are near each other if they are at most this many iterations of 0.1 s apart.
const WIDTH: f64 = 38.0;

/// Larger disagreements count no more than this.
const DISAGREEMENT: f64 = 0.1;

/// The number of warm-up iterations in a process that is stopped at this look, at most `most`. It is the end
/// that is most probably near the true one, with a penalty on the distance of the mean of the iterations
/// after it from that of the last quarter.
pub(crate) fn warmup(
    over: &Trees,
    agreement: f64,
    look: &Look<'_>,
    place: usize,
    record: Option<&Record>,
    most: usize,
) -> u32 {
    let t = GRID[place];
    let cuts = cuts_at(t);
    let n = cuts.len();
    let mut probabilities = [0.0; CUTS.len() + 1];
    for (i, cut) in cuts.iter().enumerate() {
        let probability = match record {
            Some(record) => over.probability(&look.cut_after(*cut, record)),
            None => over.probability(&look.cut(*cut)),
        };
        // The probability that warm-up is over cannot decrease.
        probabilities[i + 1] = probability.max(probabilities[i]);
    }
    let value = |cut: usize| {
        let disagreement = look.disagreement(cut).min(DISAGREEMENT);
        near(&probabilities, n, cut, look.slowness()) - agreement * disagreement
    };
    let mut best = (CUTS[0], f64::NEG_INFINITY);
    for cut in cuts.iter().filter(|cut| **cut < most.max(1)) {
        let value = value(*cut);
        if value > best.1 {
            best = (*cut, value);
        }
    }
    best.0 as u32 + 1
}

/// The ends that leave enough of `t` iterations to measure.
pub(crate) fn cuts_at(t: usize) -> &'static [usize] {
    &CUTS[..CUTS.partition_point(|cut| cut + 1 + least_measured(t) <= t)]
}

/// Iterations that have to be left to measure.
pub(crate) fn least_measured(t: usize) -> usize {
    (t / 5).max(8)
}

/// The probability that the true end is near a cut. `over[i + 1]` is the probability that it is not after
/// `CUTS[i]`.
fn near(over: &[f64; CUTS.len() + 1], n: usize, cut: usize, slowness: f64) -> f64 {
    let width = WIDTH / slowness;
    let upto = CUTS.partition_point(|other| *other as f64 <= cut as f64 + width).min(n);
    let before = CUTS.partition_point(|other| (*other as f64) < cut as f64 - width).min(upto);
    over[upto] - over[before]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probability_near_a_cut_is_what_lies_within_the_width() {
        // The whole probability is between 39 and 49.
        let mut over = [0.0; CUTS.len() + 1];
        over[13..].fill(1.0);
        let check = |cut: usize, slowness: f64, expected: f64| {
            assert_eq!(near(&over, 20, cut, slowness), expected, "{cut} {slowness}");
        };
        check(49, 1.0, 1.0);
        check(79, 1.0, 1.0);
        check(14, 1.0, 1.0);
        check(10, 1.0, 0.0);
        check(99, 1.0, 0.0);
        // An iteration of 1 s counts as ten of 0.1 s.
        check(49, 10.0, 1.0);
        check(39, 10.0, 0.0);
    }
}
