//! The default rule's settings and its two phases for one hypothesis.
//!
//! Screening gives a robust interval at a few fixed looks: it shows most benchmarks *same* and names suspects.
//! Confirmation measures suspects again with fresh duets and an exact sequential test; only it can say slower or
//! faster. METHODOLOGY.md states the rule, its constants and its measured error rates.

use benchwright_stats::trimmed::{TrimmedInterval, trimmed_interval};

/// How suspects are confirmed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Confirm {
    /// Betting on the sign of fresh duets, e-BH over the suspects.
    Stakes,
    /// Exact Wilcoxon signed-rank at four looks, Benjamini-Hochberg over the suspects.
    Wilcoxon,
}

/// The constants of the paired rule.
#[derive(Debug, Clone, PartialEq)]
pub struct PairedSettings {
    /// Numbers of screening duets at which the rule looks; ascending, never empty.
    pub looks: Vec<u32>,
    /// Nominal two-sided level of one look.
    pub a: f64,
    /// Most fresh duets per suspect.
    pub max_fresh: u32,
    /// False-discovery rate of the suite.
    pub q: f64,
    /// A suspect whose evidence falls below this is dropped.
    pub give_up: f64,
    /// The test of the fresh duets.
    pub confirm: Confirm,
}

impl Default for PairedSettings {
    fn default() -> Self {
        PairedSettings {
            looks: vec![5, 7, 10, 13, 17, 22, 29, 40],
            a: 0.02,
            max_fresh: 40,
            q: 0.05,
            give_up: 0.02,
            confirm: Confirm::Stakes,
        }
    }
}

impl PairedSettings {
    /// Fewer or more looks: none below `min` duets, none above `max`. Beyond the default's last look they go on by a
    /// factor of 4/3; `max` itself is always the last look, so that no duet is measured in vain.
    pub fn with_duets(mut self, min: u32, max: u32) -> Self {
        let (min, max) = (min.max(2), max.max(min.max(2)));
        while let Some(&last) = self.looks.last()
            && last < max
        {
            self.looks.push((last * 4).div_ceil(3));
        }
        self.looks.retain(|&look| (min..=max).contains(&look));
        if self.looks.last() != Some(&max) {
            self.looks.push(max);
        }
        self
    }

    /// The most screening duets.
    pub fn max_duets(&self) -> u32 {
        self.looks.last().copied().unwrap_or(0)
    }
}

/// What a look at the screening duets says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Look {
    /// The interval lies inside the band.
    Same,
    /// The interval excludes zero and the centre is at least the threshold, with this sign of the effect.
    Suspect(f64),
    /// Neither.
    GoOn,
}

/// Looks at all duets of a hypothesis so far (specified order: same before suspect); none below two duets.
pub(crate) fn look(duets: &[f64], a: f64, delta: f64) -> Option<(Look, TrimmedInterval)> {
    let interval = trimmed_interval(duets, a)?;
    let TrimmedInterval { centre, lo, hi, .. } = interval;
    let verdict = if -delta < lo && hi < delta {
        Look::Same
    } else if lo > 0.0 && centre >= delta {
        Look::Suspect(1.0)
    } else if hi < 0.0 && centre <= -delta {
        Look::Suspect(-1.0)
    } else {
        Look::GoOn
    };
    Some((verdict, interval))
}

/// How many duets would decide at the noise seen in `interval`: the half-width shrinks with
/// the square root of n until it fits between the centre and the nearer edge that a verdict needs.
pub(crate) fn duets_needed(interval: &TrimmedInterval, delta: f64) -> Option<u32> {
    let half = (interval.hi - interval.lo) / 2.0;
    let room = (delta - interval.centre.abs()).abs().max(delta / 10.0);
    let n = interval.n;
    let needed = (n as f64) * (half / room).powi(2);
    (needed.is_finite() && needed < 1e6).then(|| (needed.ceil() as u32).max(n as u32 + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_follow_floor_and_cap() {
        let looks = |min, max| PairedSettings::default().with_duets(min, max).looks;
        assert_eq!(looks(5, 40), PairedSettings::default().looks);
        assert_eq!(looks(5, 13), [5, 7, 10, 13]);
        assert_eq!(looks(8, 12), [10, 12]);
        assert_eq!(looks(5, 80), [5, 7, 10, 13, 17, 22, 29, 40, 54, 72, 80]);
        assert_eq!(looks(3, 3), [3]);
    }

    #[test]
    fn a_look_compares_interval_and_centre_with_the_band() {
        const DELTA: f64 = 0.029559;
        let check = |duets: &[f64], expected: Look| {
            let mirrored: Vec<f64> = duets.iter().map(|d| -d).collect();
            let turned = if let Look::Suspect(sign) = expected { Look::Suspect(-sign) } else { expected };
            for (duets, expected) in [(duets, expected), (&mirrored[..], turned)] {
                assert_eq!(look(duets, 0.02, DELTA).map(|(it, _)| it), Some(expected), "{duets:?}");
            }
        };
        // S1 to S7 of the rule's specification.
        check(&[0.004, -0.003, 0.001, 0.002, -0.001], Look::Same);
        let s2 = [0.021, -0.018, 0.030, 0.310, -0.015, 0.006, 0.012, -0.004, 0.009, -0.011];
        [5, 7, 10].iter().for_each(|&n| check(&s2[..n], Look::GoOn));
        check(&[0.051, 0.048, 0.060, 0.043, 0.055], Look::Suspect(1.0));
        let s4 = [-0.062, -0.041, 0.250, -0.055, -0.048, -0.058, -0.050];
        check(&s4[..5], Look::GoOn);
        check(&s4, Look::Suspect(-1.0));
        let s5 = [0.10, 0.0, -0.10, 0.10, 0.0, 0.10, 0.10, 0.0, 0.10, 0.0];
        [5, 7, 10].iter().for_each(|&n| check(&s5[..n], Look::GoOn));
        check(&[0.020, 0.019, 0.021, 0.020, 0.020], Look::Same);
        check(&[0.0; 5], Look::Same);
        // Certainly a change, but neither certainly inside the band nor typically outside.
        check(&[0.016, 0.022, 0.026, 0.030, 0.036], Look::GoOn);
        assert!(look(&[0.1], 0.02, DELTA).is_none());
    }

    #[test]
    fn wider_intervals_need_more_duets() {
        let interval = |half: f64| trimmed_interval(&[-half, half, -half, half, 0.0], 0.02).unwrap();
        let few = duets_needed(&interval(0.01), 0.029559).unwrap();
        let many = duets_needed(&interval(0.05), 0.029559).unwrap();
        assert!(few < many, "{few} {many}");
    }
}
