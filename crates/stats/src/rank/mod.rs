//! Tests and effect sizes that use only the order of values.

mod dunn;
mod effect;
mod kruskal_wallis;
mod mann_kendall;
mod mann_whitney;
mod midrank;
mod signed_rank;

pub use dunn::{DunnComparison, dunn};
pub use effect::{cliffs_delta, vargha_delaney};
pub use kruskal_wallis::{KruskalWallis, kruskal_wallis};
pub use mann_kendall::{Trend, mann_kendall};
pub(crate) use mann_whitney::left_out;
pub use mann_whitney::{MannWhitney, mann_whitney, mann_whitney_exact};
pub use signed_rank::{SignedRank, signed_rank, signed_rank_exact};
