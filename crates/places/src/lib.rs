//! Where calls are carried out.
//!
//! A [`Place`] takes calls and gives back trials; whoever uses one does not notice whether they ran on this machine or
//! elsewhere. [`Local`] is this machine, through `benchwright-worker`; [`slurm`] the nodes of a cluster. With the feature
//! `lambda` there is AWS Lambda: programs are packed ([`package`]), parcels sent many at a time ([`dispatch`]) to functions
//! ([`lambda`]). [`Fallback`] keeps this machine beside a place elsewhere, for what cannot leave it.
//!
//! The room does not choose what runs next, in which order or how often, and it keeps nothing. It is the only room that
//! may know a cloud's or a cluster's interfaces.

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
