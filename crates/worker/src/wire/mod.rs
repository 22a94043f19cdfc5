//! Calls that are sent to another machine, and the responses.
//!
//! A [`Parcel`] is calls with an identity and a time limit; a [`Delivery`] is their trials, the [`Instance`] that
//! carried them out, and when by that instance's own clocks. Both are JSON with a version of its own, around the
//! model's own records. Whatever receives a request, a function or a job of a cluster, hands its
//! bytes to [`serve`] and sends back what that returns.
//!
//! The identity of a request follows from the run, the benchmark, the numbers of the duets and their attempts: the same work
//! has the same identity wherever and however often it is asked for, so that an answer that comes twice counts once.
//!
//! [`Instance`]: benchwright_model::Instance

#[cfg(test)]
mod arbitrary;
mod clock;
mod delivery;
mod error;
mod form;
mod parcel;
mod serve;
#[cfg(test)]
mod tests;

pub(crate) use clock::now;
pub use clock::{Clock, SystemClock};
pub use delivery::{Answer, Delivery, Refusal, Service};
pub use error::WireError;
pub use parcel::{Parcel, ParcelId};
pub use serve::{Host, deliver, serve};
