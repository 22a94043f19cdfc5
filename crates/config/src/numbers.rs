//! Shares and sizes in the format that users write.

/// Parses a share as a ratio: `3%` and `0.03` are equal. The error is a fragment that states what was
/// expected.
pub fn parse_ratio(text: &str) -> Result<f64, String> {
    let refused = || format!("expected a share such as `3%` or `0.03`, got `{text}`");
    let trimmed = text.trim();
    let (number, divisor) = match trimmed.strip_suffix('%') {
        Some(number) => (number.trim_end(), 100.0),
        None => (trimmed, 1.0),
    };
    let value: f64 = number.parse().map_err(|_| refused())?;
    if value.is_finite() { Ok(value / divisor) } else { Err(refused()) }
}

/// Units of sizes: powers of 1000 and of 1024.
const SIZES: [(&str, u64); 8] = [
    ("", 1),
    ("B", 1),
    ("kB", 1_000),
    ("KiB", 1 << 10),
    ("MB", 1_000_000),
    ("MiB", 1 << 20),
    ("GB", 1_000_000_000),
    ("GiB", 1 << 30),
];

/// Parses a number of bytes: `16MiB`, `500kB`, `4096`. The error is a fragment that states what was expected.
pub fn parse_size(text: &str) -> Result<u64, String> {
    let refused = || format!("expected a size such as `16MiB` or `500kB`, got `{text}`");
    let trimmed = text.trim();
    let digits = trimmed.find(|c: char| !c.is_ascii_digit()).unwrap_or(trimmed.len());
    let (number, unit) = trimmed.split_at(digits);
    let factor = SIZES.iter().find(|(name, _)| *name == unit.trim_start()).ok_or_else(refused)?.1;
    number.parse::<u64>().ok().and_then(|n| n.checked_mul(factor)).ok_or_else(refused)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentage_and_its_ratio_are_the_same() {
        let check = |text: &str, expected: f64| assert_eq!(parse_ratio(text), Ok(expected), "{text}");
        check("3%", 0.03);
        check("0.03", 0.03);
        check("2.5 %", 0.025);
        check("100%", 1.0);
        check("-1%", -0.01);
        for text in ["", "%", "3 percent", "inf", "NaN%", "3%%"] {
            assert!(parse_ratio(text).is_err(), "{text}");
        }
    }

    #[test]
    fn sizes_know_powers_of_1000_and_of_1024() {
        let check = |text: &str, expected: u64| assert_eq!(parse_size(text), Ok(expected), "{text}");
        check("16MiB", 16_777_216);
        check("16 MB", 16_000_000);
        check("500kB", 500_000);
        check("4096", 4096);
        check("2GiB", 2_147_483_648);
        for text in ["", "MiB", "1.5MiB", "-1", "3 bytes", "99999999999999999GiB"] {
            assert!(parse_size(text).is_err(), "{text}");
        }
    }
}
