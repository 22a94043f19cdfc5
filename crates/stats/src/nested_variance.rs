//! The variance on each level of a nested layout, balanced or not.

use crate::sample::{finite, plain_mean};

/// The variance of one level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LevelVariance {
    /// The variance that this level adds, never negative. 0 if nothing is repeated on it.
    pub variance: f64,
    /// Degrees of freedom: number of groups on this level minus number of groups above it. 0 if nothing is
    /// repeated.
    pub degrees: usize,
    /// Whether the estimate was negative and was raised to 0, because the levels below dominate.
    pub is_floored: bool,
}

/// Do values differ because of the outermost groups, the groups within these, ..., or from one value to the
/// next?
///
/// Assumes that a value is a mean plus one independent effect for each of its groups, with one variance per
/// level. `places` has the groups of each value, one number per level, outermost first; the innermost level
/// is the value itself. This is the analysis-of-variance estimator: sums of squares of nested groups are set
/// equal to their expectations, from the innermost level outwards, with the coefficients of unequal group
/// sizes. Searle, Casella & McCulloch 1992 (Variance Components, ch. 5).
///
/// `None` without values, without levels, or with places of unequal length. Ties need no special treatment.
/// Without spread all variances are 0. One outlier can change them by any amount: see
/// [`robust_nested_variances`]. O(N log N).
pub fn nested_variances<Place: AsRef<[u32]>>(places: &[Place], values: &[f64]) -> Option<Vec<LevelVariance>> {
    let layout = Layout::new(places, values)?;
    let mean = plain_mean(&layout.values);
    let centred: Vec<f64> = layout.values.iter().map(|value| value - mean).collect();
    let explained: Vec<f64> = layout.groups.iter().map(|groups| explained(groups, &centred)).collect();
    let mut found: Vec<LevelVariance> = Vec::new();
    let mut raw = vec![0.0; layout.levels() + 1];
    for level in (1..=layout.levels()).rev() {
        let below: f64 =
            (level + 1..=layout.levels()).map(|inner| raw[inner] * layout.coefficient(level, inner)).sum();
        let own = layout.coefficient(level, level);
        let degrees = layout.groups[level].len() - layout.groups[level - 1].len();
        if degrees > 0 {
            raw[level] = (explained[level] - explained[level - 1] - below) / own;
        }
        let is_floored = raw[level] < 0.0;
        found.push(LevelVariance { variance: raw[level].max(0.0), degrees, is_floored });
    }
    found.reverse();
    Some(found)
}

/// The share of differences at which the scale is computed, and the same quantile of |Z|, Z standard normal.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Share(f64, f64);

/// For a level with many groups.
const MANY: Share = Share(0.75, 1.150_349_380_376_008);

/// For a level with few groups, of which one is a large part.
const FEW: Share = Share(0.5, 0.674_489_750_196_081_7);

/// As [`nested_variances`], but up to one in eight groups may be an outlier.
///
/// For each level it uses the differences of all pairs of values that are in the same group on the level
/// above but not on this one. Their variance is twice the sum of the variances of this level and all below.
/// The scale of the differences is the upper quartile of their absolute values divided by that of a normal
/// distribution, and a level's variance is its sum minus that of the next level. Scales of pairwise
/// differences need no centre: Bickel & Lehmann 1979, Rousseeuw & Croux 1993 (JASA 88), who use lower
/// quantiles. The upper quartile is used so that two modes of which one has three in ten values count as
/// spread, but one outlier in eight does not: one in eight affects 23 % of pairs. On the outermost `few`
/// levels, which have few groups, the median is used instead. There one outlier in three affects two of three
/// pairs, but only if it exists.
///
/// `None` as for [`nested_variances`]. O(N²) time and memory.
pub fn robust_nested_variances<Place: AsRef<[u32]>>(
    places: &[Place],
    values: &[f64],
    few: usize,
) -> Option<Vec<LevelVariance>> {
    let layout = Layout::new(places, values)?;
    let mut found: Vec<LevelVariance> = Vec::new();
    let mut below = 0.0;
    for level in (1..=layout.levels()).rev() {
        let mut differences = layout.differences(level);
        let degrees = layout.groups[level].len() - layout.groups[level - 1].len();
        if differences.is_empty() {
            found.push(LevelVariance { variance: 0.0, degrees, is_floored: false });
            continue;
        }
        let Share(share, normal) = if level <= few { FEW } else { MANY };
        let scale = quantile(&mut differences, share) / normal;
        let sum = scale.powi(2) / 2.0;
        found.push(LevelVariance { variance: (sum - below).max(0.0), degrees, is_floored: sum < below });
        below = below.max(sum);
    }
    found.reverse();
    Some(found)
}

/// A quantile of a non-empty slice, interpolated as in [`crate::dispersion::quantile`], in linear time.
/// Reorders the slice.
fn quantile(values: &mut [f64], share: f64) -> f64 {
    let position = (values.len() - 1) as f64 * share;
    let (_, &mut below, larger) = values.select_nth_unstable_by(position as usize, f64::total_cmp);
    let above = larger.iter().copied().fold(f64::INFINITY, f64::min);
    if above.is_finite() { below + position.fract() * (above - below) } else { below }
}

/// Values in the order of their places, and the ranges of the groups on every level. Level 0 has one group of
/// all values, the last level one group per value.
struct Layout {
    values: Vec<f64>,
    groups: Vec<Vec<std::ops::Range<usize>>>,
}

impl Layout {
    fn new<Place: AsRef<[u32]>>(places: &[Place], values: &[f64]) -> Option<Layout> {
        finite(values)?;
        let levels = places.first()?.as_ref().len();
        let is_even = places.iter().all(|place| place.as_ref().len() == levels);
        if levels == 0 || !is_even || places.len() != values.len() {
            return None;
        }
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_by(|left, right| places[*left].as_ref().cmp(places[*right].as_ref()));
        let place = |at: usize| places[order[at]].as_ref();
        let mut groups = vec![std::iter::once(0..values.len()).collect::<Vec<_>>()];
        for level in 1..levels {
            let mut of_level: Vec<std::ops::Range<usize>> = Vec::new();
            for at in 0..order.len() {
                match of_level.last_mut() {
                    Some(last) if place(last.start)[..level] == place(at)[..level] => last.end = at + 1,
                    _ => of_level.push(at..at + 1),
                }
            }
            groups.push(of_level);
        }
        groups.push((0..values.len()).map(|at| at..at + 1).collect());
        Some(Layout { values: order.iter().map(|at| values[*at]).collect(), groups })
    }

    fn levels(&self) -> usize {
        self.groups.len() - 1
    }

    /// The coefficient of the variance of `inner` in the expected sum of squares of `level`, `inner >= level
    /// >= 1`.
    fn coefficient(&self, level: usize, inner: usize) -> f64 {
        self.shared(level, inner) - self.shared(level - 1, inner)
    }

    /// Sum over the groups g of `outer` of the squared sizes of the groups of `inner` within g, divided by
    /// the size of g.
    fn shared(&self, outer: usize, inner: usize) -> f64 {
        if outer >= inner {
            return self.values.len() as f64;
        }
        let mut inners = self.groups[inner].iter().peekable();
        let mut sum = 0.0;
        for group in &self.groups[outer] {
            let mut squares = 0.0;
            while let Some(within) = inners.next_if(|within| within.end <= group.end) {
                squares += (within.len() as f64).powi(2);
            }
            sum += squares / group.len() as f64;
        }
        sum
    }

    /// The absolute differences of all pairs that are in the same group above `level` and in different ones
    /// on it.
    fn differences(&self, level: usize) -> Vec<f64> {
        let mut differences = Vec::new();
        for group in &self.groups[level - 1] {
            let inner =
                self.groups[level].iter().filter(|one| one.start >= group.start && one.end <= group.end);
            for one in inner {
                for &value in &self.values[one.clone()] {
                    let later = &self.values[one.end..group.end];
                    differences.extend(later.iter().map(|other| (value - other).abs()));
                }
            }
        }
        differences
    }
}

/// Sum over groups of the squared sum divided by the size.
fn explained(groups: &[std::ops::Range<usize>], values: &[f64]) -> f64 {
    let of = |group: &std::ops::Range<usize>| {
        values[group.clone()].iter().sum::<f64>().powi(2) / group.len() as f64
    };
    groups.iter().map(of).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    type Method<const LEVELS: usize> = dyn Fn(&[[u32; LEVELS]], &[f64]) -> Option<Vec<LevelVariance>>;

    fn variances(found: Option<Vec<LevelVariance>>) -> Vec<f64> {
        found.expect("defined").iter().map(|level| level.variance).collect()
    }

    #[test]
    fn hand_case() {
        // As in `variance_components`: between 7, within 2.
        let places = [[1, 1], [1, 2], [2, 1], [2, 2]];
        assert_eq!(variances(nested_variances(&places, &[1.0, 3.0, 5.0, 7.0])), [7.0, 2.0]);
    }

    #[test]
    fn unequal_groups_by_hand() {
        // Groups 1, 3 and 8: means 2 and 8, overall 4. Within: (1 + 1) / 1 = 2. Between: 2 * 4 + 1 * 16 = 24
        // over one degree; its coefficient is 3 - (4 + 1) / 3 = 4/3, so (24 - 2) / (4/3) = 16.5.
        let places = [[1, 1], [1, 2], [2, 1]];
        let found = variances(nested_variances(&places, &[1.0, 3.0, 8.0]));
        assert!((found[0] - 16.5).abs() < 1e-12 && (found[1] - 2.0).abs() < 1e-12, "{found:?}");
    }

    #[test]
    fn order_and_unit_do_not_matter() {
        let places = [[2, 1], [1, 2], [1, 1], [3, 1], [2, 2], [3, 2]];
        let values = [1.0, 4.0, 2.5, 7.0, 1.5, 6.0];
        let reversed: Vec<[u32; 2]> = places.iter().rev().copied().collect();
        let scaled: Vec<f64> = values.iter().rev().map(|value| 10.0 * value).collect();
        let robust = |places: &[[u32; 2]], values: &[f64]| robust_nested_variances(places, values, 0);
        for method in [&nested_variances::<[u32; 2]> as &Method<2>, &robust] {
            let (one, other) = (variances(method(&places, &values)), variances(method(&reversed, &scaled)));
            for (small, large) in one.iter().zip(&other) {
                assert!((100.0 * small - large).abs() < 1e-9, "{one:?} {other:?}");
            }
        }
    }

    #[test]
    fn levels_without_repetition_have_no_variance() {
        let places = [[1, 1, 1], [1, 1, 2], [1, 2, 1], [1, 2, 2]];
        let robust = |places: &[[u32; 3]], values: &[f64]| robust_nested_variances(places, values, 0);
        for method in [&nested_variances::<[u32; 3]> as &Method<3>, &robust] {
            let found = method(&places, &[1.0, 3.0, 5.0, 7.0]).expect("defined");
            assert_eq!((found[0].variance, found[0].degrees), (0.0, 0));
            assert_eq!((found[1].degrees, found[2].degrees), (1, 2));
            assert!(found[1].variance > 0.0 && found[2].variance > 0.0);
        }
    }

    #[test]
    fn equal_groups_are_floored() {
        let places = [[1, 1], [1, 2], [2, 1], [2, 2]];
        let found = nested_variances(&places, &[1.0, 3.0, 0.0, 4.0]).expect("defined");
        assert!(found[0].is_floored && found[0].variance == 0.0 && found[1].variance == 5.0);
    }

    #[test]
    fn one_wild_group_in_ten_moves_only_the_plain_estimate() {
        let mut places = Vec::new();
        let mut values = Vec::new();
        for group in 0..10_u32 {
            for at in 0..6_u32 {
                places.push([group, at]);
                let wild = if group == 4 { 50.0 } else { 0.0 };
                values.push(f64::from(group * 7 % 10) + 0.1 * f64::from(at * 5 % 6) + wild);
            }
        }
        let plain = variances(nested_variances(&places, &values));
        let robust = variances(robust_nested_variances(&places, &values, 0));
        // Without the outlier group the values of groups are 0 to 9: a variance of about 9.
        assert!(plain[0] > 200.0 && robust[0] > 5.0 && robust[0] < 30.0, "{plain:?} {robust:?}");
    }

    #[test]
    fn wild_groups_count_less_where_groups_are_few() {
        // Three machines with three passes each; one pass of two machines is 40 larger.
        let (mut places, mut values) = (Vec::new(), Vec::new());
        for machine in 0..3_u32 {
            for pass in 0..3_u32 {
                for at in 0..5_u32 {
                    places.push([machine, pass, at]);
                    let wild = if [(0, 1), (1, 2)].contains(&(machine, pass)) { 40.0 } else { 0.0 };
                    values.push(f64::from((machine * 7 + pass * 5 + at * 3) % 11) + wild);
                }
            }
        }
        let sum = |few| variances(robust_nested_variances(&places, &values, few)).iter().sum::<f64>();
        assert!(sum(2) < 0.2 * sum(0), "{} {}", sum(2), sum(0));
    }

    #[test]
    fn quantiles_are_the_usual_ones() {
        for n in 1..12_u32 {
            let mut values: Vec<f64> = (0..n).map(|at| f64::from(at * 7 % n).sqrt()).collect();
            for share in [MANY.0, FEW.0] {
                let expected = crate::dispersion::quantile(&values, share).expect("defined");
                assert!((quantile(&mut values, share) - expected).abs() < 1e-12, "{n}");
            }
        }
    }

    #[test]
    fn bad_input_gives_none() {
        assert_eq!(nested_variances::<[u32; 1]>(&[], &[]), None);
        assert_eq!(nested_variances(&[vec![1, 1], vec![1]], &[1.0, 2.0]), None);
        assert_eq!(nested_variances(&[[1], [2]], &[1.0]), None);
        assert_eq!(nested_variances(&[[1], [2]], &[1.0, f64::NAN]), None);
        assert_eq!(robust_nested_variances(&[[0_u32; 0]], &[1.0], 0), None);
    }
}
