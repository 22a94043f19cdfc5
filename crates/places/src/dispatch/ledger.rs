//! Money that was spent, and money that may still be spent.

use super::Money;

/// Money spent and money reserved. Together they never exceed the ceiling.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Ledger {
    ceiling: Option<Money>,
    spent: Money,
    reserved: Money,
}

impl Ledger {
    /// Nothing is spent yet. A ceiling of `None` means no limit.
    pub fn new(ceiling: Option<Money>) -> Self {
        Ledger { ceiling, ..Ledger::default() }
    }

    /// The money that was spent.
    pub fn spent(&self) -> Money {
        self.spent
    }

    /// The ceiling, if there is one.
    pub fn ceiling(&self) -> Option<Money> {
        self.ceiling
    }

    /// Adds costs that have already occurred, without checking the ceiling.
    pub fn charge(&mut self, cost: Money) {
        self.spent += cost;
    }

    /// Reserves `worst`. Returns false and reserves nothing if this could exceed the ceiling.
    pub(crate) fn reserve(&mut self, worst: Money) -> bool {
        let fits = self.ceiling.is_none_or(|ceiling| self.spent + self.reserved + worst <= ceiling);
        if fits {
            self.reserved += worst;
        }
        fits
    }

    /// Releases a reserved amount and spends the actual cost, at most that amount.
    pub(crate) fn settle(&mut self, worst: Money, cost: Money) {
        self.reserved = self.reserved.less(worst);
        self.spent += cost.min(worst);
    }

    /// Whether this amount would fit if nothing were reserved.
    pub(crate) fn could_ever_pay(&self, worst: Money) -> bool {
        self.ceiling.is_none_or(|ceiling| self.spent + worst <= ceiling)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_set_aside_counts_until_it_is_settled() {
        let cent = Money::dollars(0.01);
        let mut ledger = Ledger::new(Some(cent.times(2)));
        assert!(ledger.reserve(cent) && ledger.reserve(cent));
        assert!(!ledger.reserve(cent));
        ledger.settle(cent, Money::ZERO);
        assert!(ledger.reserve(cent));
        ledger.settle(cent, cent);
        assert_eq!(ledger.spent(), cent);
        assert!(ledger.could_ever_pay(cent) && !ledger.could_ever_pay(cent.times(2)));
        assert!(Ledger::new(None).reserve(Money::dollars(1e9)));
    }

    proptest! {
        #[test]
        fn the_ceiling_holds_whatever_happens(
            ceiling in 0u32..1000,
            steps in prop::collection::vec((0u32..300, 0u32..500, any::<bool>()), 0..60),
        ) {
            let cents = |count: u32| Money::dollars(f64::from(count) / 100.0);
            let mut ledger = Ledger::new(Some(cents(ceiling)));
            let mut open = Vec::new();
            for (worst, cost, settles) in steps {
                if ledger.reserve(cents(worst)) {
                    open.push((cents(worst), cents(cost)));
                }
                if settles && let Some((worst, cost)) = open.pop() {
                    ledger.settle(worst, cost);
                }
                prop_assert!(ledger.spent() <= cents(ceiling));
            }
            for (worst, cost) in open {
                ledger.settle(worst, cost);
            }
            prop_assert!(ledger.spent() <= cents(ceiling));
        }
    }
}
