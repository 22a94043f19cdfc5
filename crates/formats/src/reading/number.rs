//! Reads numbers from bytes.

/// Powers of ten that a double represents exactly.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];

/// A number, and its printed precision.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Printed {
    pub(crate) value: f64,
    /// The number in units of the last printed digit: 1250 for `1.250`. Infinite for 0 and for numbers that
    /// are not finite.
    pub(crate) digits: f64,
}

/// The number that `token` is, correctly rounded.
pub(crate) fn parse(token: &[u8]) -> Option<f64> {
    match short(token) {
        Some((value, _)) => Some(value),
        None => std::str::from_utf8(token).ok()?.parse().ok(),
    }
}

/// The same with its precision.
#[inline]
pub(crate) fn printed(token: &[u8]) -> Option<Printed> {
    if let Some((value, mantissa)) = short(token) {
        let digits = if mantissa == 0 { f64::INFINITY } else { mantissa as f64 };
        return Some(Printed { value, digits });
    }
    let value = parse(token)?;
    Some(Printed { value, digits: 1.0 / resolution(token, value) })
}

/// The number if it is a plain decimal of at most 15 digits, as most printed ones are, and all its digits as
/// one number. Both digits and power are exact, so one division rounds correctly (Clinger, "How to read
/// floating point numbers accurately", PLDI 1990).
#[inline]
fn short(token: &[u8]) -> Option<(f64, u64)> {
    let (digits, is_negative) = match token {
        [b'-', rest @ ..] => (rest, true),
        _ => (token, false),
    };
    if digits.is_empty() || digits.len() > 16 {
        return None;
    }
    let mut mantissa = 0_u64;
    let mut point = None;
    for (index, byte) in digits.iter().enumerate() {
        let digit = byte.wrapping_sub(b'0');
        if digit <= 9 {
            mantissa = mantissa * 10 + u64::from(digit);
        } else if *byte == b'.' && point.is_none() {
            point = Some(index);
        } else {
            return None;
        }
    }
    let decimals = point.map_or(0, |point| digits.len() - 1 - point);
    let count = digits.len() - usize::from(point.is_some());
    if count == 0 || count > 15 {
        return None;
    }
    let value = mantissa as f64 / POWERS[decimals];
    Some((if is_negative { -value } else { value }, mantissa))
}

/// One unit of the last printed digit, relative to the number. 0 for 0 and for numbers that are not finite.
pub(crate) fn resolution(token: &[u8], value: f64) -> f64 {
    let decimals = memchr::memchr(b'.', token)
        .map_or(0, |point| token[point + 1..].iter().take_while(|byte| byte.is_ascii_digit()).count());
    let relative = 1.0 / POWERS.get(decimals).copied().unwrap_or(f64::INFINITY) / value.abs();
    if relative.is_finite() && value.is_finite() { relative } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn odd_texts_are_numbers_or_not() {
        let check =
            |text: &str, expected: Option<f64>| assert_eq!(parse(text.as_bytes()), expected, "{text}");
        check("0", Some(0.0));
        check("-12.50", Some(-12.5));
        check(".5", Some(0.5));
        check("5.", Some(5.0));
        check("1e3", Some(1000.0));
        check("1.7976931348623157e308", Some(f64::MAX));
        check("123456789012345678901234567890", Some(1.234_567_890_123_456_8e29));
        check("+Inf", Some(f64::INFINITY));
        check("", None);
        check(".", None);
        check("-", None);
        check("1.2.3", None);
        check("12a", None);
        assert!(parse(b"NaN").is_some_and(f64::is_nan));
    }

    #[test]
    fn resolution_is_the_last_printed_digit() {
        let check = |token: &str, expected: f64| {
            let found = resolution(token.as_bytes(), token.parse().unwrap());
            assert!((found - expected).abs() < 1e-12, "{token}: {found}");
            let digits = printed(token.as_bytes()).unwrap().digits;
            assert!((1.0 / digits - expected).abs() < 1e-12, "{token}: {digits}");
        };
        check("1.250", 0.0008);
        check("50.00", 0.0002);
        check("2000", 0.0005);
        check("-4", 0.25);
        check("0", 0.0);
        check("NaN", 0.0);
        check("1.2500000000000000000", 8e-20);
    }

    proptest! {
        #[test]
        fn parsing_agrees_with_the_standard_library(value in any::<f64>(), decimals in 0_usize..12) {
            let whole = value.to_string();
            prop_assert_eq!(parse(whole.as_bytes()).map(f64::to_bits), Some(value.to_bits()));
            let cut = format!("{:.decimals$}", value % 1e9);
            prop_assert_eq!(parse(cut.as_bytes()), cut.parse().ok());
        }

        #[test]
        fn short_decimals_agree_with_the_standard_library(digits in 0_u64..1_000_000_000_000_000, decimals in 0_usize..15) {
            let text = format!("{digits:016}");
            let (whole, part) = text.split_at(16 - decimals);
            let text = format!("{whole}.{part}");
            prop_assert_eq!(parse(&text.as_bytes()[1..]), text.parse().ok());
        }
    }
}
