//! How much is measured by default.

use std::time::Duration;

use benchwright_model::SampleKind;

/// How much is measured of a benchmark unless the user or its first duets decide otherwise. It depends on the
/// kind of samples only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usual {
    /// Iterations of a trial.
    pub iterations: u32,
    /// Time of one of them.
    pub iteration_time: Duration,
    /// Iterations of a trial before the rule's first look, which is often the only one.
    pub first_iterations: u32,
}

impl Usual {
    /// For samples of this kind.
    pub fn of(kind: SampleKind) -> Usual {
        match kind {
            // Many short iterations: a disturbance of some milliseconds affects some of them and leaves the
            // others unchanged.
            SampleKind::Slices => {
                let iteration_time = Duration::from_millis(10);
                Usual { iterations: 10, iteration_time, first_iterations: 3 }
            }
            _ => {
                let iteration_time = Duration::from_millis(100);
                Usual { iterations: 3, iteration_time, first_iterations: 3 }
            }
        }
    }
}
