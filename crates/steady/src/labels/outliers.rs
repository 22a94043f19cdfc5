//! Values far outside their surroundings.

use std::collections::VecDeque;

/// How outliers are detected.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct OutlierRule {
    /// Values of a window.
    pub(super) window: usize,
    /// The lower of the two quantiles whose distance is used; the other one is as far from the top.
    pub(super) tail: f64,
    /// The maximum distance of a value from the window's median, as a multiple of that distance.
    pub(super) reach: f64,
}

impl OutlierRule {
    /// Traini et al. 2023.
    pub(super) const TRAINI: OutlierRule = OutlierRule { window: 200, tail: 0.01, reach: 3.0 };
    /// Barrett et al. 2017.
    pub(super) const BARRETT: OutlierRule = OutlierRule { window: 200, tail: 0.1, reach: 3.0 };
}

/// For each window of the series, the range outside which a value is an outlier. Empty if the series is
/// shorter than a window.
///
/// The window is kept sorted while it moves: O(n (log w + w)) with very small constants, for w values per
/// window.
fn ranges(values: &[f64], rule: OutlierRule) -> Vec<(f64, f64)> {
    let w = rule.window;
    if values.len() < w || w == 0 {
        return Vec::new();
    }
    let mut sorted = values[..w].to_vec();
    sorted.sort_by(f64::total_cmp);
    let mut ranges = vec![range(&sorted, rule)];
    for (gone, come) in values.iter().zip(&values[w..]) {
        let out = sorted.partition_point(|value| value < gone);
        sorted.remove(out);
        let into = sorted.partition_point(|value| value < come);
        sorted.insert(into, *come);
        ranges.push(range(&sorted, rule));
    }
    ranges
}

fn range(ascending: &[f64], rule: OutlierRule) -> (f64, f64) {
    let centre = quantile(ascending, 0.5);
    let spread = quantile(ascending, 1.0 - rule.tail) - quantile(ascending, rule.tail);
    (centre - rule.reach * spread, centre + rule.reach * spread)
}

fn quantile(ascending: &[f64], p: f64) -> f64 {
    let position = (ascending.len() - 1) as f64 * p;
    let below = position.floor() as usize;
    let above = (below + 1).min(ascending.len() - 1);
    ascending[below] + (position - below as f64) * (ascending[above] - ascending[below])
}

/// Positions from `skip` on that are outliers in any of the windows that contain them. All windows begin at
/// or after `skip`. Finite values only. Empty if fewer values than a window's are left. O(n w).
pub(super) fn in_any_window(values: &[f64], skip: usize, rule: OutlierRule) -> Vec<usize> {
    let Some(looked_at) = values.get(skip..) else { return Vec::new() };
    let ranges = ranges(looked_at, rule);
    // A value is outside some window's range if it is above the lowest upper end or below the highest lower
    // end of its windows.
    let mut highs = Extreme::default();
    let mut lows = Extreme::default();
    let mut outliers = Vec::new();
    for (place, value) in looked_at.iter().enumerate() {
        if let Some((low, high)) = ranges.get(place) {
            highs.push(place, *high);
            lows.push(place, -low);
        }
        let oldest = (place + 1).saturating_sub(rule.window);
        let (Some(high), Some(low)) = (highs.least_since(oldest), lows.least_since(oldest)) else { break };
        if *value > high || *value < -low {
            outliers.push(skip + place);
        }
    }
    outliers
}

/// Positions that are outliers in the window around them. The last half window's values are judged by the
/// last full window, and the first half window's values are kept. Finite values only.
pub(super) fn in_own_window(values: &[f64], rule: OutlierRule) -> Vec<usize> {
    let ranges = ranges(values, rule);
    let Some(last) = ranges.len().checked_sub(1) else { return Vec::new() };
    let is_outlier = |(place, value): &(usize, &f64)| {
        let (low, high) = ranges[place.saturating_sub(rule.window / 2).min(last)];
        **value < low || **value > high
    };
    // Where the window is not full yet, warm-up varies most, so these values are kept.
    values.iter().enumerate().skip(rule.window / 2).filter(is_outlier).map(|(place, _)| place).collect()
}

/// The smallest of the latest values, in constant time per value.
#[derive(Debug, Default)]
struct Extreme {
    /// Places and values, both ascending.
    rising: VecDeque<(usize, f64)>,
}

impl Extreme {
    fn push(&mut self, place: usize, value: f64) {
        while self.rising.back().is_some_and(|(_, last)| *last >= value) {
            self.rising.pop_back();
        }
        self.rising.push_back((place, value));
    }

    /// The smallest value added at `oldest` or later.
    fn least_since(&mut self, oldest: usize) -> Option<f64> {
        while self.rising.front().is_some_and(|(place, _)| *place < oldest) {
            self.rising.pop_front();
        }
        self.rising.front().map(|(_, value)| *value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use benchwright_stats::dispersion::quantile as reference_quantile;
    use proptest::prelude::*;

    /// As it is defined, with every window sorted again.
    fn plainly(values: &[f64], skip: usize, rule: OutlierRule) -> Vec<usize> {
        let mut found = std::collections::BTreeSet::new();
        for start in skip..(values.len() + 1).saturating_sub(rule.window) {
            let window = &values[start..start + rule.window];
            let q = |p| reference_quantile(window, p).expect("values");
            let reach = rule.reach * (q(1.0 - rule.tail) - q(rule.tail));
            for (place, value) in window.iter().enumerate() {
                if *value > q(0.5) + reach || *value < q(0.5) - reach {
                    found.insert(start + place);
                }
            }
        }
        found.into_iter().collect()
    }

    #[test]
    fn a_spike_is_an_outlier_and_a_step_is_none() {
        let mut values: Vec<f64> = (0..600).map(|i| 10.0 + f64::from((i * 37) % 11) / 10.0).collect();
        values[300] = 100.0;
        values[301] = 0.1;
        assert_eq!(in_any_window(&values, 0, OutlierRule::TRAINI), [300, 301]);
        assert_eq!(in_own_window(&values, OutlierRule::BARRETT), [300, 301]);
        assert_eq!(in_any_window(&values, 302, OutlierRule::TRAINI), [0_usize; 0]);
        let step: Vec<f64> =
            values.iter().enumerate().map(|(i, _)| if i < 300 { 20.0 } else { 10.0 }).collect();
        assert!(in_any_window(&step, 0, OutlierRule::TRAINI).iter().all(|i| (298..302).contains(i)));
    }

    #[test]
    fn short_series_have_no_windows() {
        for n in [0, 1, 199] {
            assert_eq!(in_any_window(&vec![1.0; n], 0, OutlierRule::TRAINI), [0_usize; 0]);
            assert_eq!(in_own_window(&vec![1.0; n], OutlierRule::BARRETT), [0_usize; 0]);
        }
        assert_eq!(in_any_window(&[1.0; 250], 300, OutlierRule::TRAINI), [0_usize; 0]);
    }

    proptest! {
        #[test]
        fn moving_along_finds_what_sorting_every_window_finds(
            values in prop::collection::vec(prop_oneof![4 => 1.0f64..2.0, 1 => 0.0f64..50.0], 0..120),
            skip in 0usize..30,
        ) {
            let rule = OutlierRule { window: 20, tail: 0.01, reach: 0.8 };
            prop_assert_eq!(in_any_window(&values, skip, rule), plainly(&values, skip, rule));
        }
    }
}
