//! Where calls are carried out.
//!
//! A [`Place`] takes calls and gives back trials; whoever uses one does not notice whether they ran on this machine or
//! elsewhere. [`Local`] is this machine, through `benchwright-worker`.
//!
//! The room does not choose what runs next, in which order or how often, and it keeps nothing. It is the only room that
//! may know a cloud's or a cluster's interfaces.

pub mod dispatch;
pub mod package;

mod local;
mod place;

pub use local::Local;
pub use place::{Place, PlaceError};
