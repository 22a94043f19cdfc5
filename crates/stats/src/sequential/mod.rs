//! Evidence that grows one value at a time and may be examined after each.
//!
//! [`Evidence`] bets on the sign of each fresh value, and [`e_bh`] decides over a family of such bets.
//! [`staged_signed_rank`] is the alternative with p-values at a few fixed looks, corrected by
//! [`crate::multiplicity::benjamini_hochberg`]. [`shifts_not_rejected`] computes an interval for either.

mod e_bh;
mod shifts;
mod staged_rank;
mod stake;

pub use e_bh::{Discoveries, e_bh};
pub use shifts::shifts_not_rejected;
pub use staged_rank::{SIGNED_RANK_STAGES, Stage, staged_signed_rank};
pub use stake::{Bet, Evidence, Sign, StakeConstants};
