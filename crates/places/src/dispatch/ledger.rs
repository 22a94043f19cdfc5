//! Money that was spent, and that may still be spent.

use super::Money;

/// Money spent and money set aside, under a ceiling that both together never pass.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Ledger {
    ceiling: Option<Money>,
    spent: Money,
    reserved: Money,
}

impl Ledger {
    /// Nothing spent yet; no ceiling: no limit.
    pub fn new(ceiling: Option<Money>) -> Self {
        Ledger { ceiling, ..Ledger::default() }
    }

    /// What was spent.
    pub fn spent(&self) -> Money {
        self.spent
    }

    /// The ceiling, if there is one.
    pub fn ceiling(&self) -> Option<Money> {
        self.ceiling
    }

    /// Spends without asking, for what happened already.
    pub fn charge(&mut self, cost: Money) {
        self.spent += cost;
    }

    /// Sets `worst` aside, or nothing where that could pass the ceiling.
    pub(crate) fn reserve(&mut self, worst: Money) -> bool {
        let fits = self.ceiling.is_none_or(|ceiling| self.spent + self.reserved + worst <= ceiling);
        if fits {
            self.reserved += worst;
        }
        fits
    }

    /// Takes back what was set aside and spends what it came to, at most that much.
    pub(crate) fn settle(&mut self, worst: Money, cost: Money) {
        self.reserved = self.reserved.less(worst);
        self.spent += cost.min(worst);
    }

    /// Whether so much would fit if nothing were set aside.
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
