//! Sums in extended precision, as computed by the processor of the published labels.

/// A sum of numbers that are not negative, with 64 bits of precision (the 80-bit format of x87), rounded to
/// nearest after each addition. R computes prefix sums in this way, and their last bit decides between
/// segmentations with equal costs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct ExtendedSum {
    /// The top bit is set unless the sum is 0.
    mantissa: u64,
    /// The sum is mantissa · 2^exponent.
    exponent: i32,
}

impl ExtendedSum {
    /// Adds a finite number that is not negative. Others count as 0.
    pub(super) fn add(&mut self, value: f64) {
        let other = ExtendedSum::of(value);
        let (large, small) = if self.is_below(other) { (other, *self) } else { (*self, other) };
        *self = if small.mantissa == 0 { large } else { sum(large, small) };
    }

    /// Rounded to a double.
    pub(super) fn value(self) -> f64 {
        const LOST: u32 = 11;
        let quotient = round(u128::from(self.mantissa), LOST, false);
        // In two steps, so that the smallest numbers can be represented.
        let exponent = self.exponent + LOST as i32;
        quotient as f64 * 2.0_f64.powi(exponent / 2) * 2.0_f64.powi(exponent - exponent / 2)
    }

    fn of(value: f64) -> Self {
        if !(value.is_finite() && value > 0.0) {
            return ExtendedSum::default();
        }
        let bits = value.to_bits();
        let (biased, fraction) = ((bits >> 52) as i32 & 0x7ff, bits & ((1 << 52) - 1));
        let (mantissa, exponent) =
            if biased == 0 { (fraction, -1074) } else { (fraction | 1 << 52, biased - 1075) };
        let zeros = mantissa.leading_zeros();
        ExtendedSum { mantissa: mantissa << zeros, exponent: exponent - zeros as i32 }
    }

    fn is_below(self, other: Self) -> bool {
        self.mantissa == 0 || (other.mantissa != 0 && self.exponent < other.exponent)
    }
}

/// The sum of two positive numbers, of which the first has the larger exponent.
fn sum(large: ExtendedSum, small: ExtendedSum) -> ExtendedSum {
    // The larger one is in bits 63 to 126, which leaves room for a carry above it and for rounding below it.
    const ROOM: u32 = 63;
    let distance = large.exponent.abs_diff(small.exponent);
    let wide = u128::from(small.mantissa) << ROOM;
    let (shifted, is_rest) =
        if distance < 127 { (wide >> distance, wide & ((1 << distance) - 1) != 0) } else { (0, true) };
    let total = (u128::from(large.mantissa) << ROOM) + shifted;
    let shift = if total >> 127 == 1 { ROOM + 1 } else { ROOM };
    let exponent = large.exponent + (shift - ROOM) as i32;
    let mantissa = round(total, shift, is_rest);
    match u64::try_from(mantissa) {
        Ok(mantissa) => ExtendedSum { mantissa, exponent },
        // Rounded up to the next power of two.
        Err(_) => ExtendedSum { mantissa: 1 << 63, exponent: exponent + 1 },
    }
}

/// The number without its lowest `shift` bits, rounded to nearest, halves to even. `is_rest` means that there
/// are more bits below these.
fn round(number: u128, shift: u32, is_rest: bool) -> u128 {
    let (quotient, rest, half) = (number >> shift, number & ((1 << shift) - 1), 1 << (shift - 1));
    let is_up = rest > half || (rest == half && (is_rest || quotient & 1 == 1));
    quotient + u128::from(is_up)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn total(values: &[f64]) -> f64 {
        let mut sum = ExtendedSum::default();
        values.iter().for_each(|value| sum.add(*value));
        sum.value()
    }

    /// From C: `long double s = 0; for (...) s += x[i]; printf("%a", (double) s)`, gcc 12.2 on x86-64. The
    /// plain sum of doubles differs in all but the first case.
    #[test]
    fn sums_are_those_of_the_processor() {
        assert_eq!(total(&[0.1, 0.2]), 0.1 + 0.2);
        assert_eq!(total(&[0.1; 10]), 1.0);
        assert_eq!(total(&[1.0, 1e-16, 1e-16, 1e-16]), 1.000_000_000_000_000_2);
        assert_ne!([0.1; 10].iter().sum::<f64>(), 1.0);
    }

    #[test]
    fn edges() {
        assert_eq!(total(&[]), 0.0);
        assert_eq!(total(&[0.0, 0.0, 3.0, 0.0]), 3.0);
        assert_eq!(total(&[f64::NAN, -1.0, f64::INFINITY, 2.0]), 2.0);
        assert_eq!(total(&[1e300, 1e-300]), 1e300);
        assert_eq!(total(&[5e-324, 5e-324]), 1e-323);
    }

    proptest! {
        #[test]
        fn single_numbers_survive(value in 1e-300f64..1e300) {
            prop_assert_eq!(total(&[value]), value);
            prop_assert_eq!(total(&[0.0, value]), value);
        }

        #[test]
        fn two_numbers_are_added_exactly_but_for_one_rounding(a in 1e-9f64..1.0, b in 1e-9f64..1.0) {
            // Rounding twice may differ from rounding once, but never by more than the last bit.
            let (found, expected) = (total(&[a, b]), a + b);
            prop_assert!((found - expected).abs() <= f64::EPSILON * expected);
        }
    }
}
