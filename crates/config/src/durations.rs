//! Durations in the format that users write.

use std::time::Duration;

/// Units from large to small with their length in nanoseconds. `m` means minutes.
const UNITS: [(&str, u64); 7] = [
    ("h", 3_600_000_000_000),
    ("m", 60_000_000_000),
    ("s", 1_000_000_000),
    ("ms", 1_000_000),
    ("us", 1_000),
    ("µs", 1_000),
    ("ns", 1),
];

/// Parses `5m`, `1h30m`, `250ms`, `1.5s`, `90s`. A number without a unit is an error, except `0`, because `5`
/// could be seconds or minutes. The error is a fragment that states what was expected.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let refused = || format!("expected a duration such as `100ms`, `90s` or `5m`, got `{text}`");
    let mut rest = text.trim();
    if rest == "0" {
        return Ok(Duration::ZERO);
    }
    if rest.is_empty() {
        return Err(refused());
    }
    let mut total = Duration::ZERO;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').ok_or_else(refused)?;
        let (number, tail) = rest.split_at(digits);
        let letters = tail.find(|c: char| !c.is_alphabetic()).unwrap_or(tail.len());
        let (unit, tail) = tail.split_at(letters);
        let nanoseconds = UNITS.iter().find(|(name, _)| *name == unit).ok_or_else(refused)?.1;
        total = part(number, nanoseconds).and_then(|part| total.checked_add(part)).ok_or_else(refused)?;
        rest = tail.trim_start();
    }
    Ok(total)
}

/// `number` times a unit. Whole numbers are not rounded.
fn part(number: &str, nanoseconds: u64) -> Option<Duration> {
    if let Ok(whole) = number.parse::<u64>() {
        return whole.checked_mul(nanoseconds).map(Duration::from_nanos);
    }
    let seconds = number.parse::<f64>().ok()? * nanoseconds as f64 / 1e9;
    Duration::try_from_secs_f64(seconds).ok()
}

/// Formats a duration so that [`parse_duration`] parses it to the same value: `1h30m`, `250ms`, `1s500ms`.
pub fn format_duration(duration: Duration) -> String {
    let mut left = duration.as_nanos();
    let mut text = String::new();
    for (name, length) in UNITS.iter().filter(|(name, _)| *name != "µs") {
        let count = left / u128::from(*length);
        left %= u128::from(*length);
        if count > 0 {
            text.push_str(&format!("{count}{name}"));
        }
    }
    if text.is_empty() { "0".into() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_sums_of_numbers_with_units() {
        let check = |text: &str, milliseconds: u64| {
            assert_eq!(parse_duration(text), Ok(Duration::from_millis(milliseconds)), "{text}");
        };
        check("5m", 300_000);
        check("1h30m", 5_400_000);
        check("1h 30m", 5_400_000);
        check("250ms", 250);
        check("90s", 90_000);
        check("1.5s", 1_500);
        check(" 2s ", 2_000);
        check("0", 0);
        check("2000us", 2);
        check("2000µs", 2);
    }

    #[test]
    fn whatever_is_not_a_duration_is_refused_with_the_text_in_the_message() {
        for text in
            ["", "5", "m", "5 m 3", "-3s", "3 days", "1e3s", "1.2.3s", "99999999999999h", "s5", "NaNs"]
        {
            let message = parse_duration(text).expect_err(text);
            assert!(message.contains(&format!("`{text}`")), "{message}");
        }
    }

    #[test]
    fn what_is_written_reads_back_as_the_same_duration() {
        for nanoseconds in [0, 1, 999, 1_500_000_000, 5_400_000_000_000, 90_061_001_002_003] {
            let duration = Duration::from_nanos(nanoseconds);
            assert_eq!(parse_duration(&format_duration(duration)), Ok(duration));
        }
        assert_eq!(format_duration(Duration::from_secs(5400)), "1h30m");
    }
}
