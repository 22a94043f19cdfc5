//! A closed interval of the real line.

/// An interval estimate: all values from `lo` to `hi`, both included.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// Lower end, in the unit of the sample.
    pub lo: f64,
    /// Upper end, in the unit of the sample, never below `lo`.
    pub hi: f64,
}

impl Interval {
    /// Distance between the ends.
    pub fn width(&self) -> f64 {
        self.hi - self.lo
    }

    /// Whether `value` is inside or equals an end.
    pub fn contains(&self, value: f64) -> bool {
        self.lo <= value && value <= self.hi
    }

    /// Whether the two intervals share at least one value.
    pub fn overlaps(&self, other: &Interval) -> bool {
        self.lo <= other.hi && other.lo <= self.hi
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn touching_intervals_overlap_and_ends_belong() {
        let left = Interval { lo: 1.0, hi: 2.0 };
        let right = Interval { lo: 2.0, hi: 5.0 };
        assert!(left.overlaps(&right) && right.overlaps(&left));
        assert!(left.contains(2.0) && !left.contains(2.1));
        assert!(!left.overlaps(&Interval { lo: 2.5, hi: 3.0 }));
        assert_eq!(right.width(), 3.0);
    }
}
