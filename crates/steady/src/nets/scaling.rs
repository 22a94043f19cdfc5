//! Scaling of a window, the input of every classifier.

/// Values of a window.
pub const WINDOW: usize = 100;

/// Smaller deviations, as a share of the mean, are rounding errors: such a window counts as constant.
const FLAT: f64 = 1e-12;

/// The window with mean 0 and standard deviation 1 (n in the denominator), or all 0 if the values are equal.
/// `None` unless there are 100 finite values.
pub(crate) fn scaled(window: &[f64]) -> Option<[f32; WINDOW]> {
    let window: &[f64; WINDOW] = window.try_into().ok()?;
    let n = WINDOW as f64;
    let mean = window.iter().sum::<f64>() / n;
    let deviation = (window.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / n).sqrt();
    if !deviation.is_finite() {
        return None;
    }
    let is_flat = deviation <= FLAT * mean.abs();
    Some(window.map(|value| if is_flat { 0.0 } else { ((value - mean) / deviation) as f32 }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn level_and_spread_are_gone() {
        let window: Vec<f64> = (0..100).map(|i| 1e-6 * (5.0 + f64::from(i % 2))).collect();
        let scaled = scaled(&window).expect("a window");
        assert!(scaled.iter().enumerate().all(|(i, z)| (z - [-1.0, 1.0][i % 2]).abs() < 1e-6), "{scaled:?}");
    }

    #[test]
    fn equal_values_are_zeros_and_others_are_refused() {
        assert_eq!(scaled(&[0.1 + 0.2; 100]), Some([0.0; 100]));
        assert_eq!(scaled(&[1.0; 99]), None);
        let mut bad = [1.0; 100];
        bad[7] = f64::NAN;
        assert_eq!(scaled(&bad), None);
        bad[7] = f64::INFINITY;
        assert_eq!(scaled(&bad), None);
    }
}
