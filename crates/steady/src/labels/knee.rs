//! Finds the knee of a falling curve.

use super::crops::Step;

/// The step at the knee of the number of changes by penalty, in ascending order of penalty. Satopää et al.
/// 2011 (ICDCSW), Kneedle, for a convex falling curve with sensitivity 1. `None` if the curve has no knee.
///
/// The curve is followed from the largest penalty downwards, as for the published labels (`kneed` 0.7.0 with
/// the reversed list). The knee is the first local maximum of the difference curve after which that falls by
/// more than the mean distance of two penalties. At a local minimum the threshold is 0, and a maximum at the
/// largest penalty ends the search.
pub(super) fn knee(steps: &[Step]) -> Option<usize> {
    let n = steps.len();
    if n < 2 {
        return None;
    }
    let penalties: Vec<f64> = steps.iter().rev().map(|step| step.penalty).collect();
    let changes: Vec<f64> = steps.iter().rev().map(|step| step.changes as f64).collect();
    let x = normalised(&penalties);
    let difference: Vec<f64> =
        normalised(&changes).iter().zip(&x).map(|(changes, penalty)| (1.0 - changes) - penalty).collect();
    let tolerance = 1.0 / (n - 1) as f64;
    let mut threshold = None;
    for i in 0..n {
        let (before, after) = (difference[i.saturating_sub(1)], difference[(i + 1).min(n - 1)]);
        let here = difference[i];
        if here >= before && here >= after {
            if i == 0 {
                return None;
            }
            threshold = Some((here - tolerance, i));
        }
        let Some((height, place)) = &mut threshold else { continue };
        if here <= before && here <= after {
            *height = 0.0;
        }
        if *difference.get(i + 1)? < *height {
            return Some(n - 1 - *place);
        }
    }
    None
}

/// Stretched to \[0, 1\].
fn normalised(values: &[f64]) -> Vec<f64> {
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    values.iter().map(|value| (value - least) / (most - least)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reference: kneed 0.7.0, `KneeLocator(penalties[::-1], changes[::-1], S=1.0, curve="convex",
    /// direction="decreasing").elbow`, computed by `reference/knee.py`.
    fn check(curve: &[(f64, usize)], expected: Option<f64>) {
        let steps: Vec<Step> = curve.iter().map(|&(penalty, changes)| Step { penalty, changes }).collect();
        assert_eq!(knee(&steps).map(|place| steps[place].penalty), expected, "{curve:?}");
    }

    #[test]
    fn knees_are_those_of_the_reference() {
        check(
            &[(32.0, 40), (40.0, 20), (60.0, 10), (200.0, 5), (900.0, 2), (4000.0, 1), (9000.0, 0)],
            Some(200.0),
        );
        check(&[(32.0, 9), (50.0, 4), (1000.0, 1), (20000.0, 0)], Some(1000.0));
        check(&[(32.0, 3), (400.0, 0)], None);
        check(&[(32.0, 2), (400.0, 1), (500.0, 0)], None);
        check(&[(32.0, 2), (50.0, 1), (500.0, 0)], None);
        check(&[(32.0, 12), (33.0, 11), (34.0, 3), (35.0, 1), (5000.0, 0)], Some(35.0));
    }

    #[test]
    fn a_line_and_a_point_have_none() {
        check(&[(32.0, 0)], None);
        check(&[], None);
        check(&[(10.0, 3), (20.0, 2), (30.0, 1), (40.0, 0)], None);
    }
}
