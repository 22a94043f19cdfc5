//! Numbers in the formats of benchmark programs.

/// A printed number and the smallest step its digits can show, both in the printed unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Printed {
    /// The number.
    pub(super) value: f64,
    /// The step.
    pub(super) step: f64,
}

impl Printed {
    /// The step relative to the value, at most 1.
    pub(super) fn resolution(self) -> f64 {
        if self.value == 0.0 { 1.0 } else { (self.step / self.value).abs().min(1.0) }
    }
}

/// A number with thousands separated by commas, `1,234.56`. The step is that of the last digit.
pub(super) fn with_separators(text: &str) -> Option<Printed> {
    let text = text.replace(',', "");
    let value = plain(&text)?;
    let decimals = text.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    Some(Printed { value, step: power_of_ten(-(decimals.min(300) as i32)) })
}

/// A number as divan prints it: cut to four digits and without zeros at the end. So the step follows from the
/// digits before the point, not from those after it.
pub(super) fn four_digits(text: &str) -> Option<Printed> {
    let value = plain(text)?;
    let whole = text.split('.').next().unwrap_or(text).len().min(4) as i32;
    Some(Printed { value, step: power_of_ten(whole - 4) })
}

/// Seconds per unit of time. `None` for an unknown unit.
pub(super) fn seconds(unit: &str) -> Option<f64> {
    Some(match unit {
        "ps" => 1e-12,
        "ns" => 1e-9,
        "µs" | "μs" | "us" => 1e-6,
        "ms" => 1e-3,
        "s" => 1.0,
        "m" => 60.0,
        "h" => 3_600.0,
        "d" => 86_400.0,
        _ => return None,
    })
}

/// Bytes per unit of size, decimal or binary. `None` for an unknown unit.
pub(super) fn bytes(unit: &str) -> Option<f64> {
    let power = |prefix: &str| ["", "K", "M", "G", "T", "P"].iter().position(|known| *known == prefix);
    let prefix = unit.strip_suffix('B')?;
    let (base, prefix) = match prefix.strip_suffix('i') {
        Some(binary) => (1024.0_f64, binary),
        None => (1000.0, prefix),
    };
    power(prefix).map(|power| base.powi(power as i32))
}

/// Digits with at most one point: no sign, exponent, `inf` or `nan`.
fn plain(text: &str) -> Option<f64> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let value: f64 = if is_plain { text.parse().ok()? } else { return None };
    value.is_finite().then_some(value)
}

fn power_of_ten(exponent: i32) -> f64 {
    10_f64.powi(exponent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_follow_from_the_printed_digits() {
        let check = |printed: Option<Printed>, value: f64, resolution: f64| {
            let printed = printed.expect("a number");
            assert_eq!(printed.value, value);
            assert!((printed.resolution() / resolution - 1.0).abs() < 1e-9, "{printed:?}");
        };
        check(with_separators("1,234.56"), 1234.56, 0.01 / 1234.56);
        check(with_separators("10"), 10.0, 0.1);
        check(with_separators("0"), 0.0, 1.0);
        check(four_digits("4.89"), 4.89, 0.001 / 4.89);
        check(four_digits("165.2"), 165.2, 0.1 / 165.2);
        check(four_digits("1"), 1.0, 0.001);
        check(four_digits("0.102"), 0.102, 0.001 / 0.102);
        check(four_digits("12345"), 12345.0, 1.0 / 12345.0);
    }

    #[test]
    fn what_is_no_plain_number_is_none() {
        for text in ["", "-1", "1e9", "inf", "nan", "1.2.3", "x"] {
            assert_eq!(four_digits(text), None, "{text}");
            assert_eq!(with_separators(text), None, "{text}");
        }
    }

    #[test]
    fn sizes_are_decimal_or_binary() {
        assert_eq!(bytes("B"), Some(1.0));
        assert_eq!(bytes("KB"), Some(1e3));
        assert_eq!(bytes("MiB"), Some(1_048_576.0));
        assert_eq!(bytes("item"), None);
    }
}
