//! Sums of money.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign};

/// US dollars, counted in billionths: a millisecond of a function costs some tens of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Money(u64);

impl Money {
    /// Zero.
    pub const ZERO: Money = Money(0);

    /// An amount of dollars, rounded up; zero if it is negative or not a number.
    pub fn dollars(dollars: f64) -> Self {
        // The cast saturates, which is enough for any real amount.
        Money((dollars * 1e9).ceil() as u64)
    }

    /// As a number of dollars.
    pub fn as_dollars(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// The difference to `other`; never below zero.
    pub fn less(self, other: Money) -> Money {
        Money(self.0.saturating_sub(other.0))
    }

    /// This amount, `count` times.
    pub fn times(self, count: u64) -> Money {
        Money(self.0.saturating_mul(count))
    }
}

impl Add for Money {
    type Output = Money;

    fn add(self, other: Money) -> Money {
        Money(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Money {
    fn add_assign(&mut self, other: Money) {
        *self = *self + other;
    }
}

impl Sum for Money {
    fn sum<I: Iterator<Item = Money>>(all: I) -> Money {
        all.fold(Money::ZERO, Add::add)
    }
}

/// With as many digits as are needed to show the amount: `$1.18`, `$0.0042`.
impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dollars = self.as_dollars();
        match dollars {
            _ if self.0 == 0 || dollars >= 0.1 => write!(f, "${dollars:.2}"),
            _ if dollars >= 0.001 => write!(f, "${dollars:.4}"),
            _ => write!(f, "${dollars:.6}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_exact_and_shown_with_digits_that_say_something() {
        let check = |dollars: f64, shown: &str| assert_eq!(Money::dollars(dollars).to_string(), shown);
        check(0.0, "$0.00");
        check(-3.0, "$0.00");
        check(f64::NAN, "$0.00");
        check(1.18, "$1.18");
        check(0.0042, "$0.0042");
        check(0.000_000_2, "$0.000000");
        check(0.000_03, "$0.000030");
        assert_eq!(Money::dollars(0.1) + Money::dollars(0.2), Money::dollars(0.3));
        assert_eq!([0.1, 0.2].into_iter().map(Money::dollars).sum::<Money>(), Money::dollars(0.3));
    }

    #[test]
    fn nothing_overflows_or_gets_negative() {
        let most = Money::dollars(f64::INFINITY);
        assert_eq!(most + Money::dollars(1.0), most);
        assert_eq!(most.times(2), most);
        assert_eq!(Money::dollars(1.0).less(Money::dollars(2.0)), Money::ZERO);
        assert_eq!(Money::dollars(0.5).times(4), Money::dollars(2.0));
    }
}
