//! The default limits for the number of duets of a benchmark.

use benchwright_model::SampleKind;

/// Maximum number of screening duets if trials are long.
pub const MOST_DUETS: u32 = 40;
/// The same if trials are short: about as many as fit into the time of the usual ten repetitions of one
/// second.
const MOST_SHORT_DUETS: u32 = 96;
/// Maximum number of fresh duets of a suspect.
pub const MOST_FRESH: u32 = 96;
/// Number of random code layouts per side for fresh duets: each duet has one of its own.
pub const LAYOUTS: u32 = MOST_FRESH;

/// Maximum number of screening duets of a benchmark with samples of this kind.
pub fn most_duets(kind: SampleKind) -> u32 {
    if kind == SampleKind::Slices { MOST_SHORT_DUETS } else { MOST_DUETS }
}

/// The number of duets of one benchmark, if it differs from that of the rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DuetLimits {
    /// The fewest duets before the first look, at least 2.
    pub floor: u32,
    /// The maximum number of screening duets, or the number of a fixed-sample rule. At least `floor`.
    pub cap: u32,
}
