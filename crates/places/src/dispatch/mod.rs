//! Sends many requests at once, each of which counts once.
//!
//! 1. [`dispatch`] sends requests through a [`Carrier`], as many at a time as allowed, and fewer while the
//!    other side is throttling (`Pace`);
//! 2. a request that was throttled or lost is sent again after a random pause whose bound doubles each time
//!    ([`Patience`]);
//! 3. when nothing else waits, a request that takes far longer than the others is sent a second time
//!    ([`Stragglers`]). The first response counts; the other one does not and is not waited for;
//! 4. before each sending the worst case is reserved in a [`Ledger`], so that a ceiling holds in any case.
//!    Each request gets the time that is left, no request is sent that needs more, and waiting ends at the
//!    deadline.
//!
//! This module does not depend on the content of requests, or on how they are sent.

mod ledger;
mod money;
mod pace;
mod send;

use std::time::Duration;

pub use ledger::Ledger;
pub use money::Money;
pub use send::{Ended, Report, dispatch};

/// Sends requests and returns their responses.
pub trait Carrier: Send + Sync + 'static {
    /// The requests.
    type Parcel: Send + Sync + 'static;
    /// The responses.
    type Delivery: Send + 'static;

    /// The highest possible cost of one sending of the request.
    fn worst(&self, parcel: &Self::Parcel) -> Money;

    /// The minimum time that is needed to send it.
    fn least(&self, parcel: &Self::Parcel) -> Duration;

    /// Sends it. `attempt` counts from 0 over all sendings of this request. A response after `time_left` is
    /// useless.
    fn send(
        &self,
        parcel: &Self::Parcel,
        attempt: u32,
        time_left: Option<Duration>,
    ) -> impl Future<Output = Result<Sent<Self::Delivery>, SendFailure>> + Send;
}

/// A response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sent<D> {
    /// The answer.
    pub delivery: D,
    /// Its cost.
    pub cost: Money,
}

/// Why there is no response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SendFailure {
    /// The kind of failure, which determines whether the request is sent again.
    pub kind: FailedSending,
    /// What happened, for people.
    pub message: String,
    /// Its cost nevertheless. `None` if unknown, which counts as the worst case.
    pub cost: Option<Money>,
}

/// The ways in which a sending fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FailedSending {
    /// The other side is overloaded. Nothing was carried out.
    Throttled,
    /// The other side was not reached. Nothing was carried out.
    Unreachable,
    /// No response, so it is unknown whether it was carried out.
    Lost,
    /// The receiver crashed on this request.
    Crashed,
    /// This request cannot be carried out, now or later. Others may be.
    Impossible,
    /// Nothing can be sent: no permission, or no such function.
    Refused,
}

/// How often a request is sent again. If no request gets through, because of throttling or because the other
/// side cannot be reached, everything is given up and not only the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// How often one request may be throttled before it is given up.
    pub throttled: u32,
    /// How often the receiver of one request may be unreachable before it is given up.
    pub unreachable: u32,
    /// How often one request may get lost or crash before it is given up.
    pub lost: u32,
    /// Upper bound of the first pause. It doubles with every further pause.
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
    /// Those that take this many times the median of the others...
    pub times_median: f64,
    /// ...and at least this long.
    pub at_least: Duration,
}

impl Default for Stragglers {
    fn default() -> Self {
        Stragglers { times_median: 3.0, at_least: Duration::from_secs(5) }
    }
}

/// The settings of sending.
#[derive(Debug, Clone, PartialEq)]
pub struct Sending {
    /// Maximum number of requests at a time.
    pub parallel: u32,
    /// How often a request is sent again.
    pub patience: Patience,
    /// Which requests are sent twice. `None` means no requests.
    pub stragglers: Option<Stragglers>,
    /// The time limit for everything. `None` means no limit.
    pub time_left: Option<Duration>,
    /// Seed of the random pauses.
    pub seed: u64,
}

#[cfg(test)]
mod tests;
