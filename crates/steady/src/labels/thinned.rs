//! Prepares a series before it is labelled, with notes.

use std::borrow::Cow;
use std::fmt;

/// Maximum number of values that are used individually. The time grows with up to the square of the length.
pub const LONGEST: usize = 10_000;

/// A remark that belongs to a label.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Note {
    /// This many consecutive values were averaged, so change points have this resolution.
    Grouped(usize),
    /// The series is too short for a window of this many values, so outliers were not searched for.
    NoOutlierWindow(usize),
    /// Operations take longer than the nominal time of an iteration (given in seconds), so an iteration is
    /// one operation with the length of its value.
    SlowerThanIteration(f64),
    /// All values are equal.
    Constant,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Note::Grouped(size) => {
                write!(f, "too long to look at every value: means of {size} consecutive values were labelled")
            }
            Note::NoOutlierWindow(window) => {
                write!(f, "too short for windows of {window} values: outliers were not looked for")
            }
            Note::SlowerThanIteration(seconds) => {
                write!(f, "operations take longer than {seconds} s: every iteration is one operation")
            }
            Note::Constant => write!(f, "all values are the same"),
        }
    }
}

/// A series of at most [`LONGEST`] values.
#[derive(Debug)]
pub(super) struct Thinned<'a> {
    /// The values, or means of consecutive ones.
    pub(super) values: Cow<'a, [f64]>,
    /// Values per mean.
    pub(super) group: usize,
    length: usize,
}

impl<'a> Thinned<'a> {
    pub(super) fn new(values: &'a [f64]) -> Self {
        let group = values.len().div_ceil(LONGEST).max(1);
        let mean = |group: &[f64]| group.iter().sum::<f64>() / group.len() as f64;
        let thinned = match group {
            1 => Cow::Borrowed(values),
            _ => Cow::Owned(values.chunks(group).map(mean).collect()),
        };
        Thinned { values: thinned, group, length: values.len() }
    }

    /// The last of the original positions that the value at `place` represents.
    pub(super) fn original(&self, place: usize) -> u32 {
        let last = ((place + 1) * self.group).min(self.length).saturating_sub(1);
        u32::try_from(last).unwrap_or(u32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_series_become_means_and_places_are_found_again() {
        let short = [1.0, 2.0];
        let thinned = Thinned::new(&short);
        assert_eq!((thinned.group, thinned.original(1)), (1, 1));
        let long: Vec<f64> = (0..25_001).map(f64::from).collect();
        let thinned = Thinned::new(&long);
        assert_eq!((thinned.group, thinned.values.len()), (3, 8334));
        assert_eq!(thinned.values[0], 1.0);
        assert_eq!((thinned.original(0), thinned.original(8333)), (2, 25_000));
    }
}
