//! Many requests, sent at once, each counted once.
//!
//! 1. [`dispatch`] sends requests through a [`Carrier`], as many at a time as allowed, fewer while the other side is throttling
//!    (`Pace`);
//! 2. what was throttled or got lost is sent again after a pause that doubles and is drawn at random ([`Patience`]);
//! 3. when nothing else waits, a request that takes far longer than the others is sent a second time ([`Stragglers`]): the
//!    answer that comes first counts, the other does not and is not waited for;
//! 4. before each sending its worst case is reserved in a [`Ledger`], so that a ceiling holds whatever happens. Each request gets
//!    the time that is left, no request is sent that needs more, and waiting ends at the deadline.
//!
//! This module is independent of the content of requests and of how they are carried.

mod ledger;
mod money;
mod pace;
mod send;

use std::time::Duration;

pub use ledger::Ledger;
pub use money::Money;
pub use send::{Ended, Report, dispatch};

/// Sends requests and returns their answers.
pub trait Carrier: Send + Sync + 'static {
    /// What is carried.
    type Parcel: Send + Sync + 'static;
    /// What comes back.
    type Delivery: Send + 'static;

    /// What one sending of the request can cost at most.
    fn worst(&self, parcel: &Self::Parcel) -> Money;

    /// The least time in which sending it makes sense.
    fn least(&self, parcel: &Self::Parcel) -> Duration;

    /// Sends it; `attempt` counts from 0 over all sendings of this request. An answer after `time_left` is of no use.
    fn send(
        &self,
        parcel: &Self::Parcel,
        attempt: u32,
        time_left: Option<Duration>,
    ) -> impl Future<Output = Result<Sent<Self::Delivery>, SendFailure>> + Send;
}

/// What came back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sent<D> {
    /// The answer.
    pub delivery: D,
    /// What it cost.
    pub cost: Money,
}

/// Why nothing came back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SendFailure {
    /// The kind of failure, which decides on repeating.
    pub kind: FailedSending,
    /// What happened, for people.
    pub message: String,
    /// What it cost in spite of that; `None` if unknown, which counts as the worst case.
    pub cost: Option<Money>,
}

/// The ways in which a sending fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FailedSending {
    /// The other side has too much to do; nothing was carried out.
    Throttled,
    /// The other side was not reached; nothing was carried out.
    Unreachable,
    /// No answer: whether it was carried out is unknown.
    Lost,
    /// The receiver crashed on this request.
    Crashed,
    /// This request cannot be carried out, now or later; the others may be.
    Impossible,
    /// Nothing more can be sent: no rights, no such function.
    Refused,
}

/// How long one insists. Where nobody gets through, because of throttling or because the other side cannot be reached, it is not the
/// request that is given up but everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// Sendings of one request that may be throttled before it is given up.
    pub throttled: u32,
    /// Sendings of one request that may find no receiver before it is given up.
    pub unreachable: u32,
    /// Sendings of one request that may get lost or crash before it is given up.
    pub lost: u32,
    /// Upper end of the first pause; it doubles with every further one.
    pub first_pause: Duration,
    /// The longest pause.
    pub longest_pause: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Patience {
            throttled: 12,
            unreachable: 7,
            lost: 3,
            first_pause: Duration::from_millis(200),
            longest_pause: Duration::from_secs(20),
        }
    }
}

/// Which requests are sent a second time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stragglers {
    /// Those that take so many times the median of the others...
    pub times_median: f64,
    /// ...and at least so long.
    pub at_least: Duration,
}

impl Default for Stragglers {
    fn default() -> Self {
        Stragglers { times_median: 3.0, at_least: Duration::from_secs(5) }
    }
}

/// How requests are sent.
#[derive(Debug, Clone, PartialEq)]
pub struct Sending {
    /// So many at a time at most.
    pub parallel: u32,
    /// How long one insists.
    pub patience: Patience,
    /// Which are sent twice; none: none are.
    pub stragglers: Option<Stragglers>,
    /// After so long nothing is waited for; none: as long as it takes.
    pub time_left: Option<Duration>,
    /// Seed of the random pauses.
    pub seed: u64,
}

#[cfg(test)]
mod tests;
