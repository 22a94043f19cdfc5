//! Numbers as text for people: four significant digits, a unit near the value's size, percentages with a sign.

use std::time::Duration;

use benchwright_model::Unit;

/// If the ratio of the two values of a row is larger, each gets its own unit, because a common one would make
/// one of them long.
const COMMON_UNIT_RATIO: f64 = 100.0;

/// Larger numbers are written with an exponent.
const EXPONENT_FROM: f64 = 1e7;

/// A value with its unit: `1.234 ms`, `2.000 KiB`, `17`.
pub fn value(value: f64, unit: &Unit) -> String {
    step_for(value, unit).write(value)
}

/// Two values to be compared, in the same unit if both stay readable, and with all digits if four would not
/// distinguish them.
pub fn pair(base: f64, head: f64, unit: &Unit) -> (String, String) {
    let (small, large) = (base.abs().min(head.abs()), base.abs().max(head.abs()));
    let (base_step, head_step) = if small > 0.0 && large / small < COMMON_UNIT_RATIO {
        let step = common_step(small, large, unit);
        (step, step)
    } else {
        (step_for(base, unit), step_for(head, unit))
    };
    let texts = (base_step.write(base), head_step.write(head));
    let whole = |v: f64| v.is_finite() && v.fract() == 0.0 && v.abs() < 1e15;
    if texts.0 == texts.1 && base != head && whole(base) && whole(head) {
        let plain = steps(unit).last().copied().unwrap_or(Step { factor: 1.0, suffix: "" });
        return (format!("{base:.0}{}", plain.suffix), format!("{head:.0}{}", plain.suffix));
    }
    texts
}

/// A relative change given as a ratio: 0.052 is `+5.20%`.
pub fn change(ratio: f64) -> String {
    let percent = ratio * 100.0;
    let decimals = match percent.abs() {
        size if size < 99.995 => 2,
        size if size < 999.95 => 1,
        _ => 0,
    };
    signed(percent, decimals)
}

/// An interval of relative changes given as ratios: `[+4.5%, +5.8%]`.
pub fn interval(lo: f64, hi: f64) -> String {
    let largest = [lo, hi].iter().filter(|end| end.is_finite()).fold(0.0_f64, |max, end| max.max(end.abs()));
    let decimals = match largest * 100.0 {
        size if size < 0.995 => 2,
        size if size < 99.95 => 1,
        _ => 0,
    };
    format!("[{}, {}]", signed(lo * 100.0, decimals), signed(hi * 100.0, decimals))
}

/// A relative spread given as a ratio: 0.018 is `± 1.8%`.
pub fn spread(ratio: f64) -> String {
    format!("± {}", share(ratio))
}

/// A share given as a ratio, without sign: 0.03 is `3%`, 0.018 is `1.8%`, 0.42 is `42%`.
pub fn share(ratio: f64) -> String {
    let percent = ratio * 100.0;
    if percent.is_nan() {
        "?".into()
    } else if percent.is_infinite() {
        "∞".into()
    } else if percent.abs() < 0.05 && percent < 0.0 {
        "0%".into()
    } else if percent == 0.0 || percent.abs() >= 9.95 || (percent - percent.round()).abs() < 1e-9 {
        format!("{percent:.0}%")
    } else {
        format!("{percent:.1}%")
    }
}

/// A duration: `840 ms`, `7.2 s`, `1m 12s`, `2h 05m`.
pub fn duration(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    let whole = seconds.round() as u64;
    match seconds {
        s if s < 0.9995 => format!("{:.0} ms", s * 1000.0),
        s if s < 9.95 => format!("{s:.1} s"),
        s if s < 59.5 => format!("{s:.0} s"),
        _ if whole < 3600 => format!("{}m {:02}s", whole / 60, whole % 60),
        _ => format!("{}h {:02}m", whole / 3600, whole % 3600 / 60),
    }
}

/// An approximate duration: `40 s`, `1.5 min`, `25 min`, `3 h`.
pub fn rough(time: Duration) -> String {
    let (number, unit) = rounded(time, ClockUnit::of(time));
    format!("{number} {}", unit.word)
}

/// A range of durations: `4 to 9 min`, `40 s to 3 min`, or `about 5 min` if both ends are written in the same
/// way.
pub fn range(low: Duration, high: Duration) -> String {
    let (most, unit) = rounded(high, ClockUnit::of(high));
    let least = if low.as_secs_f64() < 0.95 * unit.seconds { rough(low) } else { rounded(low, unit).0 };
    match () {
        () if least == most || least == rough(high) => format!("about {}", rough(high)),
        () if low.as_secs_f64() < 0.5 => format!("up to {}", rough(high)),
        () => format!("{least} to {most} {}", unit.word),
    }
}

/// A unit that people count time in.
#[derive(Debug, Clone, Copy)]
struct ClockUnit {
    seconds: f64,
    word: &'static str,
}

impl ClockUnit {
    /// The largest unit in which this time is not a small fraction.
    fn of(time: Duration) -> ClockUnit {
        match time.as_secs_f64() {
            secs if secs < 90.0 => ClockUnit { seconds: 1.0, word: "s" },
            secs if secs < 5400.0 => ClockUnit { seconds: 60.0, word: "min" },
            _ => ClockUnit { seconds: 3600.0, word: "h" },
        }
    }
}

/// With no more digits than a prediction deserves: multiples of 0.5 below five, then whole numbers, multiples
/// of five from twenty on, and of ten from a hundred on.
fn rounded(time: Duration, unit: ClockUnit) -> (String, ClockUnit) {
    let number = time.as_secs_f64() / unit.seconds;
    let step = match number {
        n if n < 4.75 => 0.5,
        n if n < 19.5 => 1.0,
        n if n < 97.5 => 5.0,
        _ => 10.0,
    };
    (format!("{}", (number / step).round() * step), unit)
}

/// A number with four significant digits and no unit.
pub fn digits(number: f64) -> String {
    if number.is_nan() {
        return "?".into();
    }
    if number.is_infinite() {
        return if number > 0.0 { "∞".into() } else { "-∞".into() };
    }
    if number == 0.0 {
        return "0".into();
    }
    let exponent = exponent_after_rounding(number);
    if number.abs() >= EXPONENT_FROM || exponent < -3 {
        return format!("{number:.3e}");
    }
    let decimals = usize::try_from(3 - exponent).unwrap_or(0);
    format!("{number:.decimals$}")
}

/// One size of a unit.
#[derive(Debug, Clone, Copy)]
struct Step {
    factor: f64,
    suffix: &'static str,
}

impl Step {
    fn write(self, value: f64) -> String {
        if value == 0.0 {
            return format!("0{}", self.suffix);
        }
        let scaled = value / self.factor;
        // Seconds are not a count: a whole number of them gets the usual digits.
        let is_whole = self.factor == 1.0 && self.suffix != " s" && is_short_count(value);
        let number = if is_whole { format!("{value:.0}") } else { digits(scaled) };
        format!("{number}{}", self.suffix)
    }
}

/// The scales of a unit, largest first. The last one is used for all smaller values.
fn steps(unit: &Unit) -> &'static [Step] {
    const fn step(factor: f64, suffix: &'static str) -> Step {
        Step { factor, suffix }
    }
    const KIB: f64 = 1024.0;
    match unit {
        Unit::Seconds => {
            const { &[step(1.0, " s"), step(1e-3, " ms"), step(1e-6, " µs"), step(1e-9, " ns")] }
        }
        Unit::Bytes => {
            const { &[step(KIB * KIB * KIB, " GiB"), step(KIB * KIB, " MiB"), step(KIB, " KiB"), step(1.0, " B")] }
        }
        Unit::BytesPerSecond => {
            const {
                &[
                    step(KIB * KIB * KIB, " GiB/s"),
                    step(KIB * KIB, " MiB/s"),
                    step(KIB, " KiB/s"),
                    step(1.0, " B/s"),
                ]
            }
        }
        // If throughput decides, nothing else in its row shows the unit.
        Unit::Other(name) if name == "ops/s" => {
            const { &[step(1e9, " Gops/s"), step(1e6, " Mops/s"), step(1e3, " kops/s"), step(1.0, " ops/s")] }
        }
        Unit::Count | Unit::Other(_) => const { &[step(1e9, "G"), step(1e6, "M"), step(1.0, "")] },
    }
}

fn step_for(value: f64, unit: &Unit) -> Step {
    let steps = steps(unit);
    let smallest = steps.last().copied().unwrap_or(Step { factor: 1.0, suffix: "" });
    if !value.is_finite() {
        return Step { factor: 1.0, ..smallest };
    }
    if matches!(unit, Unit::Count) && is_short_count(value) {
        return smallest;
    }
    // A value that is rounded up to the step counts as reaching it: 999.96 ns is written 1.000 µs, not 1000
    // ns.
    let reaches = |step: &&Step| round_to_four_digits(value.abs() / step.factor) >= 1.0;
    steps.iter().find(reaches).copied().unwrap_or(smallest)
}

/// The step of the smaller value, unless the larger value reaches the next step of time while the smaller one
/// is close to it: `1000 ns` would be hard to compare with `1.000 µs` in another row.
fn common_step(small: f64, large: f64, unit: &Unit) -> Step {
    const NEAR: f64 = 0.9;
    let (own, next) = (step_for(small, unit), step_for(large, unit));
    let is_near = *unit == Unit::Seconds && next.factor > own.factor && small / next.factor >= NEAR;
    if is_near { next } else { own }
}

/// Whole numbers that are short enough to be written without rounding.
fn is_short_count(value: f64) -> bool {
    value.fract() == 0.0 && value.abs() < 1e6
}

fn round_to_four_digits(number: f64) -> f64 {
    format!("{number:.3e}").parse().unwrap_or(number)
}

fn exponent_after_rounding(number: f64) -> i32 {
    let text = format!("{number:.3e}");
    text.rsplit_once('e').and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or(0)
}

fn signed(percent: f64, decimals: usize) -> String {
    if percent.is_nan() {
        return "?".into();
    }
    if percent.is_infinite() {
        return if percent > 0.0 { "+∞".into() } else { "-∞".into() };
    }
    let text = format!("{percent:+.decimals$}%");
    // Rounding may leave a minus sign before zero.
    let is_zero = text.bytes().all(|byte| !byte.is_ascii_digit() || byte == b'0');
    if is_zero { text.replacen(['-', '+'], "", 1) } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_four_digits_and_a_fitting_unit() {
        let check = |number: f64, unit: Unit, expected: &str| assert_eq!(value(number, &unit), expected);
        check(1.2345e-3, Unit::Seconds, "1.234 ms");
        check(999.96e-9, Unit::Seconds, "1.000 µs");
        check(999.94e-9, Unit::Seconds, "999.9 ns");
        check(0.312e-9, Unit::Seconds, "0.3120 ns");
        check(1e-18, Unit::Seconds, "1.000e-9 ns");
        check(1234.5, Unit::Seconds, "1234 s");
        check(1e20, Unit::Seconds, "1.000e20 s");
        check(-2.5e-6, Unit::Seconds, "-2.500 µs");
        check(0.0, Unit::Seconds, "0 ns");
        check(f64::INFINITY, Unit::Seconds, "∞ ns");
        check(f64::NAN, Unit::Count, "?");
        check(0.0, Unit::Bytes, "0 B");
        check(512.0, Unit::Bytes, "512 B");
        check(2048.0, Unit::Bytes, "2.000 KiB");
        check(3.5e9, Unit::BytesPerSecond, "3.260 GiB/s");
        check(17.0, Unit::Count, "17");
        check(999_999.0, Unit::Count, "999999");
        check(1_234_567.0, Unit::Count, "1.235M");
        check(12.345, Unit::Other("hits".into()), "12.35");
        check(1.234e-6, Unit::Other("hits".into()), "1.234e-6");
        check(15e6, Unit::Other("ops/s".into()), "15.00 Mops/s");
        check(9.98, Unit::Other("ops/s".into()), "9.980 ops/s");
    }

    #[test]
    fn two_values_share_a_unit_unless_they_are_far_apart() {
        let check = |base: f64, head: f64, unit: Unit, expected: (&str, &str)| {
            assert_eq!(pair(base, head, &unit), (expected.0.to_owned(), expected.1.to_owned()));
        };
        check(999.8e-9, 1003.2e-9, Unit::Seconds, ("0.9998 µs", "1.003 µs"));
        check(999.8e-9, 999.96e-9, Unit::Seconds, ("0.9998 µs", "1.000 µs"));
        check(999.9e-9, 999.8e-9, Unit::Seconds, ("999.9 ns", "999.8 ns"));
        check(20e-9, 1500e-9, Unit::Seconds, ("20.00 ns", "1500 ns"));
        check(1000.0, 1030.0, Unit::Bytes, ("1000 B", "1030 B"));
        check(1e-9, 1.0, Unit::Seconds, ("1.000 ns", "1.000 s"));
        check(0.0, 48.0, Unit::Bytes, ("0 B", "48 B"));
        check(1_000_000.0, 1_000_001.0, Unit::Count, ("1000000", "1000001"));
        check(f64::NAN, 1.0, Unit::Seconds, ("? s", "1.000 s"));
    }

    #[test]
    fn changes_carry_a_sign_and_zero_none() {
        let check = |ratio: f64, expected: &str| assert_eq!(change(ratio), expected);
        check(0.052, "+5.20%");
        check(-0.00001, "0.00%");
        check(0.0, "0.00%");
        check(-0.25, "-25.00%");
        check(1.5, "+150.0%");
        check(41.0, "+4100%");
        check(f64::INFINITY, "+∞");
        check(f64::NEG_INFINITY, "-∞");
        check(f64::NAN, "?");
    }

    #[test]
    fn interval_ends_share_their_precision() {
        let check = |lo: f64, hi: f64, expected: &str| assert_eq!(interval(lo, hi), expected);
        check(0.0451, 0.0582, "[+4.5%, +5.8%]");
        check(-0.0041, 0.0012, "[-0.41%, +0.12%]");
        check(-1.0, f64::INFINITY, "[-100%, +∞]");
        check(f64::NAN, f64::NAN, "[?, ?]");
    }

    #[test]
    fn shares_are_short() {
        let check = |ratio: f64, expected: &str| assert_eq!(share(ratio), expected);
        check(0.03, "3%");
        check(0.018, "1.8%");
        check(0.0996, "10%");
        check(0.421, "42%");
        check(0.0, "0%");
        check(f64::INFINITY, "∞");
        assert_eq!(spread(0.018), "± 1.8%");
    }

    #[test]
    fn durations_read_like_a_clock() {
        let check = |ms: u64, expected: &str| assert_eq!(duration(Duration::from_millis(ms)), expected);
        check(0, "0 ms");
        check(840, "840 ms");
        check(7_240, "7.2 s");
        check(59_400, "59 s");
        check(59_700, "1m 00s");
        check(72_000, "1m 12s");
        check(7_500_000, "2h 05m");
    }

    #[test]
    fn predicted_times_have_few_digits() {
        let check = |low: f64, high: f64, expected: &str| {
            assert_eq!(range(Duration::from_secs_f64(low), Duration::from_secs_f64(high)), expected);
        };
        check(240.0, 540.0, "4 to 9 min");
        check(41.0, 180.0, "40 s to 3 min");
        check(12.3, 33.0, "12 to 35 s");
        check(55.0, 130.0, "55 s to 2 min");
        check(300.0, 301.0, "about 5 min");
        check(0.2, 3.1, "up to 3 s");
        check(3000.0, 9000.0, "50 min to 2.5 h");
        check(1.2, 1.2, "about 1 s");
        assert_eq!(rough(Duration::from_secs(1500)), "25 min");
        assert_eq!(rough(Duration::from_secs(86)), "85 s");
    }
}
