//! Points in time in files.

use benchwright_model::Timestamp;

/// Parses a time with its offset from UTC, `2026-11-15T07:00:00+01:00`. `None` if there is no offset.
pub(crate) fn parse_moment(text: &str) -> Option<Timestamp> {
    let moment: jiff::Timestamp = text.trim().parse().ok()?;
    Some(Timestamp(moment.as_microsecond()))
}

/// Formats a time as `2026-03-01T12:00:00Z`. Empty if it is outside the calendar's range.
pub fn moment(timestamp: Timestamp) -> String {
    jiff::Timestamp::from_microsecond(timestamp.0).map(|at| at.to_string()).unwrap_or_default()
}

/// Milliseconds since 1970.
pub(crate) fn from_milliseconds(milliseconds: f64) -> Option<Timestamp> {
    let is_moment = milliseconds.is_finite() && milliseconds.abs() < 1e15;
    is_moment.then_some(Timestamp((milliseconds * 1e3) as i64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_moments_with_an_offset_are_moments() {
        assert_eq!(parse_moment("1970-01-01T01:00:01+01:00"), Some(Timestamp(1_000_000)));
        assert_eq!(parse_moment("1970-01-01T00:00:00.5Z"), Some(Timestamp(500_000)));
        assert_eq!(parse_moment("2026-11-15 07:00:00"), None);
        assert_eq!(parse_moment("yesterday"), None);
        assert_eq!(
            parse_moment(&moment(Timestamp(1_772_366_400_000_001))),
            Some(Timestamp(1_772_366_400_000_001))
        );
        assert_eq!(from_milliseconds(1500.0), Some(Timestamp(1_500_000)));
        assert_eq!(from_milliseconds(f64::NAN), None);
    }
}
