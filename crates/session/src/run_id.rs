//! Names and seeds of new runs.

use std::time::{SystemTime, UNIX_EPOCH};

use benchwright_model::{RunId, Timestamp};

/// Now.
pub fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since.as_micros()).unwrap_or(i64::MAX))
}

/// A time in UTC as in RFC 3339, to the second.
pub fn text(at: Timestamp) -> String {
    let seconds =
        jiff::Timestamp::from_second(at.0.div_euclid(1_000_000)).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    seconds.to_string()
}

/// A unique id that sorts by time: `20261115-041530-3f2a`.
pub fn new_run_id(at: Timestamp) -> RunId {
    let time = jiff::Timestamp::from_microsecond(at.0).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    let text = time.to_string();
    let digits: String = text.chars().filter(char::is_ascii_digit).take(14).collect();
    let (day, clock) = digits.split_at(digits.len().min(8));
    RunId(format!("{day}-{clock}-{:04x}", fresh_seed() & 0xffff))
}

/// A random seed.
pub fn fresh_seed() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    // The standard library seeds its hasher with the system's random numbers. 32 bits are easier to type than
    // 64.
    RandomState::new().hash_one(now().0) & 0xffff_ffff
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_sort_by_time() {
        let early = new_run_id(Timestamp(1_763_180_130_000_000));
        assert!(early.0.starts_with("20251115-041530-"), "{early}");
        assert!(early < new_run_id(Timestamp(1_763_180_131_000_000)));
    }
}
