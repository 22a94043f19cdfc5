//! Where calls are carried out.
//!
//! A [`Place`] takes calls and returns trials. Its users need not know whether they ran on this machine or
//! elsewhere. [`Local`] is this machine, through `benchwright-worker`; [`slurm`] is the nodes of a cluster.
//! The feature `lambda` adds AWS Lambda: programs are packed ([`package`]), and requests are sent many at a
//! time ([`dispatch`]) to functions ([`lambda`]). [`Fallback`] runs benchmarks on this machine that cannot
//! run at another place.
//!
//! This crate does not choose what runs next, in which order or how often, and it stores nothing. It is the
//! only crate that uses the interfaces of a cloud or a cluster.

#[cfg(feature = "lambda")]
pub mod dispatch;
#[cfg(feature = "lambda")]
pub mod lambda;
#[cfg(feature = "lambda")]
pub mod package;

mod fallback;
mod intake;
mod local;
mod place;
pub mod slurm;
mod spread;
#[cfg(test)]
mod test_call;

pub use fallback::{Fallback, Unfit};
pub use intake::{Intake, take_in};
pub use local::Local;
pub use place::{Place, PlaceError};
pub use spread::{Expected, Spread};
