//! How many duets a benchmark takes at most, unless settings say otherwise.

use benchwright_model::SampleKind;

/// Most screening duets where trials are long.
pub const MOST_DUETS: u32 = 40;
/// The same where trials are short: about as many as fit into the time of the usual ten repetitions of a second.
const MOST_SHORT_DUETS: u32 = 96;
/// Most fresh duets of a suspect.
pub const MOST_FRESH: u32 = 96;
/// Random code layouts per side that fresh duets run in: each duet has one of its own.
pub const LAYOUTS: u32 = MOST_FRESH;

/// Most screening duets of a benchmark with samples of this kind.
pub fn most_duets(kind: SampleKind) -> u32 {
    if kind == SampleKind::Slices { MOST_SHORT_DUETS } else { MOST_DUETS }
}

/// How many duets one benchmark takes, where that is not what the rule says for all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DuetLimits {
    /// The fewest before the first look; at least 2.
    pub floor: u32,
    /// The most screening duets, and the number of a fixed-sample rule; at least `floor`.
    pub cap: u32,
}
