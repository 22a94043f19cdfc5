//! Positions of logarithms of ratios on a line.

use crate::scale;

/// Relative changes that may get a tick, smallest first.
const TICKS: [f64; 16] =
    [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 100.0, 1000.0];

/// A duet that is further away than this many times the width of the middle 80 % is drawn at the edge.
const FAR: f64 = 2.0;

/// A linear scale for the duets of one benchmark, as narrow as their spread permits. It includes zero unless
/// that is far away.
#[derive(Debug, Clone, Copy)]
pub(super) struct Focus {
    lo: f64,
    hi: f64,
}

impl Focus {
    /// The scale for `duets` and their interval.
    pub(super) fn on(duets: &[f64], interval: Option<(f64, f64)>, threshold: f64) -> Self {
        let mut sorted: Vec<f64> = duets.iter().copied().filter(|duet| duet.is_finite()).collect();
        sorted.sort_by(f64::total_cmp);
        let at =
            |share: f64| sorted.get(((sorted.len().max(1) - 1) as f64 * share).round() as usize).copied();
        let (low, high) = (at(0.1).unwrap_or(0.0), at(0.9).unwrap_or(0.0));
        let reach = FAR * (high - low) + 1e-4;
        let mut lo = at(0.0).unwrap_or(0.0).max(low - reach);
        let mut hi = at(1.0).unwrap_or(0.0).min(high + reach);
        if let Some((from, to)) = interval {
            (lo, hi) = (lo.min(from.max(low - reach)), hi.max(to.min(high + reach)));
        }
        let distance = if lo > 0.0 { lo } else { -hi.min(0.0) };
        if distance <= 2.0 * (hi - lo).max(threshold) {
            (lo, hi) = (lo.min(-1.3 * threshold), hi.max(1.3 * threshold));
        }
        let air = 0.06 * (hi - lo).max(1e-4);
        Focus { lo: lo - air, hi: hi + air }
    }

    /// The position of `log_ratio`, 0 at the lower end and 1 at the upper end. Values beyond the ends are at
    /// the end.
    pub(super) fn position(self, log_ratio: f64) -> f64 {
        let at = (log_ratio - self.lo) / (self.hi - self.lo);
        if at.is_nan() { 0.5 } else { at.clamp(0.0, 1.0) }
    }

    /// Round changes, three to nine, with their labels.
    pub(super) fn ticks(self) -> Vec<(f64, String)> {
        let (from, to) = (self.lo.exp_m1(), self.hi.exp_m1());
        let rough = (to - from) / 8.0;
        let power = 10_f64.powf(rough.log10().floor());
        let step =
            [1.0, 2.0, 5.0, 10.0].iter().map(|n| n * power).find(|step| *step >= rough).unwrap_or(rough);
        let (first, last) = ((from / step).ceil() as i64, (to / step).floor() as i64);
        let decimals = (-(step * 100.0).log10().floor()).max(0.0) as usize;
        let label = |change: f64| match change {
            0.0 => "0".to_owned(),
            c => format!("{:+.decimals$}%", c * 100.0).replace('-', "−"),
        };
        // An infinite range has no round numbers.
        if !step.is_finite() || last - first > 20 {
            return Vec::new();
        }
        (first..=last)
            .map(|index| index as f64 * step)
            .map(|change| (self.position(change.ln_1p()), label(change)))
            .collect()
    }
}

/// A scale that is linear around zero and logarithmic far from it (an inverse hyperbolic sine), so that
/// changes of 200 % and of 1 % can be read on the same line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Axis {
    lo: f64,
    hi: f64,
    linear: f64,
}

impl Axis {
    /// The scale that shows all `points` and at least twice `threshold` on both sides of zero. Points that
    /// are not finite are ignored.
    pub(super) fn around(points: impl Iterator<Item = f64>, threshold: f64) -> Self {
        let least = (2.0 * threshold).max(1e-3);
        let (lo, hi) = points
            .filter(|point| point.is_finite())
            .fold((-least, least), |(lo, hi), point| (lo.min(point), hi.max(point)));
        let axis = Axis { lo, hi, linear: least };
        // Some space at both ends.
        let air = 0.04 * (axis.bend(hi) - axis.bend(lo));
        Axis { lo: axis.unbend(axis.bend(lo) - air), hi: axis.unbend(axis.bend(hi) + air), linear: least }
    }

    /// The position of `log_ratio`, 0 at the left end and 1 at the right end. Values beyond the ends are at
    /// the end.
    pub(super) fn position(self, log_ratio: f64) -> f64 {
        let (lo, hi) = (self.bend(self.lo), self.bend(self.hi));
        let at = (self.bend(log_ratio) - lo) / (hi - lo);
        if at.is_nan() { 0.5 } else { at.clamp(0.0, 1.0) }
    }

    /// Whether `log_ratio` is on the line.
    pub(super) fn contains(self, log_ratio: f64) -> bool {
        (self.lo..=self.hi).contains(&log_ratio)
    }

    /// Round changes with their labels, from left to right, with a distance of at least `least_gap` of the
    /// line's length.
    pub(super) fn ticks(self, least_gap: f64) -> Vec<(f64, String)> {
        let mut taken: Vec<(f64, f64)> = vec![(self.position(0.0), 0.0)];
        // Large changes first, because the ends of the scale matter most.
        for size in TICKS.iter().rev() {
            for change in [*size, -*size].into_iter().filter(|change| *change > -0.95) {
                let log_ratio = change.ln_1p();
                let at = self.position(log_ratio);
                let is_free = taken.iter().all(|(other, _)| (at - other).abs() >= least_gap);
                if self.contains(log_ratio) && is_free {
                    taken.push((at, change));
                }
            }
        }
        taken.sort_by(|a, b| a.0.total_cmp(&b.0));
        taken.into_iter().map(|(at, change)| (at, tick_label(change))).collect()
    }

    fn bend(self, log_ratio: f64) -> f64 {
        (log_ratio / self.linear).asinh()
    }

    fn unbend(self, bent: f64) -> f64 {
        bent.sinh() * self.linear
    }
}

fn tick_label(change: f64) -> String {
    match change {
        0.0 => "0".into(),
        c if c >= 10.0 => format!("×{:.0}", c + 1.0),
        c if c > 0.0 => format!("+{}", scale::share(c)),
        c => format!("−{}", scale::share(-c)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_grow_with_the_change_and_stay_on_the_line() {
        let axis = Axis::around([-0.3, 0.9, f64::INFINITY, f64::NAN].into_iter(), 0.03);
        let at: Vec<f64> = [f64::NEG_INFINITY, -0.3, -0.01, 0.0, 0.01, 0.9, f64::INFINITY]
            .iter()
            .map(|point| axis.position(*point))
            .collect();
        assert!(at.windows(2).all(|pair| pair[0] < pair[1] || pair[0] == 0.0 || pair[1] == 1.0), "{at:?}");
        assert_eq!((at[0], at[6]), (0.0, 1.0));
        assert!(at[1] > 0.0 && at[5] < 1.0);
    }

    #[test]
    fn duets_far_from_zero_are_shown_close() {
        let check = |duets: &[f64], has_zero: bool| {
            let focus = Focus::on(duets, Some((duets[0] - 0.01, duets[0] + 0.01)), 0.03);
            let ticks = focus.ticks();
            assert!((3..=12).contains(&ticks.len()), "{ticks:?}");
            assert!(ticks.windows(2).all(|pair| pair[0].0 < pair[1].0), "{ticks:?}");
            assert_eq!(ticks.iter().any(|(_, label)| label == "0"), has_zero, "{ticks:?}");
        };
        check(&[0.0], true);
        check(&[0.05, 0.04, 0.06], true);
        check(&[1.05, 1.04, 1.06], false);
        check(&[-0.35, -0.34, -0.36, f64::NAN], false);
        check(&[0.01, -0.02, 0.0, 0.01, 0.01, 0.02, -0.01, 0.0, 0.0, 0.0, 7.0], true);
    }

    #[test]
    fn ticks_are_apart_and_contain_zero() {
        let check = |points: &[f64]| {
            let ticks = Axis::around(points.iter().copied(), 0.03).ticks(0.1);
            assert!(ticks.windows(2).all(|pair| pair[1].0 - pair[0].0 >= 0.0999), "{ticks:?}");
            assert!(ticks.iter().any(|(_, label)| label == "0"));
            assert!(ticks.len() >= 3, "{ticks:?}");
        };
        check(&[]);
        check(&[0.01]);
        check(&[-0.7, 5.0]);
        check(&[0.0004, -0.0003]);
    }
}
