//! Calls that are sent to another machine, and the responses.
//!
//! A [`Parcel`] has calls, an identity and a time limit. A [`Delivery`] has their trials, the [`Instance`]
//! that carried them out, and its times by that instance's own clocks. Both are JSON with their own version
//! around the model's records. A function or a job of a cluster that receives a request passes its bytes to
//! [`serve`] and sends back the result.
//!
//! The identity of a request is computed from the run, the benchmark, the numbers of the duets and their
//! attempts. The same work has the same identity wherever and however often it is requested, so a response
//! that arrives twice counts once.
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
