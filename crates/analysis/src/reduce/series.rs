//! Values with their position on every level.

use rand_xoshiro::rand_core::Rng;

use super::Configuration;

/// A level of repetition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Level {
    /// Its name: `instance`, `suite run`, `fork`, `iteration`, `second`.
    pub name: String,
    /// The number of repetitions of the full configuration on it.
    pub size: u32,
    /// Whether every configuration keeps it whole. Instances remove a source of variation that must not come
    /// back, and cost no time if they run at once.
    pub is_kept: bool,
}

/// All values of one benchmark in nanoseconds, measured in full.
#[derive(Debug, Clone, PartialEq)]
pub struct LevelSeries {
    levels: Vec<Level>,
    /// Positions from 1, one per level, outermost first; sorted.
    points: Vec<(Vec<u32>, f64)>,
}

/// Why values do not form a series over levels.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SeriesError {
    /// There are no values.
    #[error("find a value")]
    Empty,
    /// A value to which no spread can be relative.
    #[error("use the value {value} at {}: it is not a positive number", place(.position))]
    Value {
        /// The value.
        value: f64,
        /// Its position.
        position: Vec<u32>,
    },
    /// Two values have the same position.
    #[error("distinguish two values at {}", place(.position))]
    Twice {
        /// Their position.
        position: Vec<u32>,
    },
    /// A position that is not valid.
    #[error("place a value at {}: there are {levels} levels, counted from 1", place(.position))]
    Position {
        /// The position.
        position: Vec<u32>,
        /// The number of levels.
        levels: usize,
    },
}

/// Whether two positions differ on the innermost level only.
fn is_same_process(left: &[u32], right: &[u32]) -> bool {
    left.len() == right.len() && left.iter().rev().skip(1).eq(right.iter().rev().skip(1))
}

fn place(position: &[u32]) -> String {
    position.iter().map(u32::to_string).collect::<Vec<_>>().join("/")
}

impl LevelSeries {
    /// Makes a series from values with their positions, outermost level first, counted from 1. The size of a
    /// level is its largest position. `names` are the levels, with a flag for those that are kept whole. Gaps
    /// are allowed: a missing value is missing from the configurations that contain it.
    pub fn new(names: &[(&str, bool)], mut points: Vec<(Vec<u32>, f64)>) -> Result<LevelSeries, SeriesError> {
        if points.is_empty() {
            return Err(SeriesError::Empty);
        }
        for (position, value) in &points {
            if position.len() != names.len() || position.contains(&0) {
                return Err(SeriesError::Position { position: position.clone(), levels: names.len() });
            }
            if !(value.is_finite() && *value > 0.0) {
                return Err(SeriesError::Value { value: *value, position: position.clone() });
            }
        }
        points.sort_by(|left, right| left.0.cmp(&right.0));
        if let Some(pair) = points.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return Err(SeriesError::Twice { position: pair[0].0.clone() });
        }
        let size = |level: usize| points.iter().map(|(position, _)| position[level]).max().unwrap_or(1);
        let levels = names
            .iter()
            .enumerate()
            .map(|(level, (name, is_kept))| Level {
                name: (*name).into(),
                size: size(level),
                is_kept: *is_kept,
            })
            .collect();
        Ok(LevelSeries { levels, points })
    }

    /// The levels, outermost first.
    pub fn levels(&self) -> &[Level] {
        &self.levels
    }

    /// All values with their positions, in order.
    pub fn points(&self) -> &[(Vec<u32>, f64)] {
        &self.points
    }

    /// The full configuration.
    pub fn full(&self) -> Configuration {
        Configuration(self.levels.iter().map(|level| level.size).collect())
    }

    /// How many values the full configuration lacks.
    pub fn gaps(&self) -> usize {
        self.full().repetitions().saturating_sub(self.points.len() as u64) as usize
    }

    /// The values that the configuration would have measured, in order.
    pub fn prefix(&self, configuration: &Configuration) -> Vec<f64> {
        let is_inside = |position: &[u32]| position.iter().zip(&configuration.0).all(|(at, size)| at <= size);
        self.points.iter().filter(|(position, _)| is_inside(position)).map(|(_, value)| *value).collect()
    }

    /// The same without the first `count` positions of the innermost level, which were warm-up. `None` if
    /// nothing is left.
    pub fn without_warmup(&self, count: u32) -> Option<LevelSeries> {
        let last = self.levels.len() - 1;
        let points: Vec<(Vec<u32>, f64)> = self
            .points
            .iter()
            .filter(|(position, _)| position[last] > count)
            .map(|(position, value)| {
                let mut position = position.clone();
                position[last] -= count;
                (position, *value)
            })
            .collect();
        let mut levels = self.levels.clone();
        levels[last].size = levels[last].size.saturating_sub(count);
        (!points.is_empty()).then_some(LevelSeries { levels, points })
    }

    /// The values of every process in order.
    pub fn processes(&self) -> Vec<Vec<f64>> {
        let processes = self.points.chunk_by(|left, right| is_same_process(&left.0, &right.0));
        processes.map(|process| process.iter().map(|(_, value)| *value).collect()).collect()
    }

    /// One value per process: the `estimate` of its first `count` values. `None` if no process has an
    /// estimate.
    pub fn estimated(&self, count: usize, estimate: &dyn Fn(&[f64]) -> Option<f64>) -> Option<LevelSeries> {
        let last = self.levels.len() - 1;
        let places = self.points.chunk_by(|left, right| is_same_process(&left.0, &right.0));
        let value = |(place, values): (&[(Vec<u32>, f64)], Vec<f64>)| {
            let mut position = place.first()?.0.clone();
            position[last] = 1;
            let value = estimate(values.get(..count.min(values.len()))?)?;
            (value.is_finite() && value > 0.0).then_some((position, value))
        };
        let points: Vec<(Vec<u32>, f64)> = places.zip(self.processes()).filter_map(value).collect();
        let mut levels = self.levels.clone();
        levels[last].size = 1;
        (!points.is_empty()).then_some(LevelSeries { levels, points })
    }

    /// The same without this many values at the beginning of each process, in the order of
    /// [`LevelSeries::processes`]. The positions of the remaining values move up. `None` if nothing is left.
    pub fn without_leading(&self, counts: &[usize]) -> Option<LevelSeries> {
        let last = self.levels.len() - 1;
        let processes = self.points.chunk_by(|left, right| is_same_process(&left.0, &right.0));
        let mut points = Vec::with_capacity(self.points.len());
        for (at, process) in processes.enumerate() {
            let rest = process.get(counts.get(at).copied().unwrap_or(0)..).unwrap_or_default();
            // The position of the first remaining value, minus one.
            let before = rest.first().map_or(0, |(position, _)| position[last] - 1);
            points.extend(rest.iter().map(|(position, value)| {
                let mut position = position.clone();
                position[last] -= before;
                (position, *value)
            }));
        }
        let mut levels = self.levels.clone();
        levels[last].size = points.iter().map(|(position, _)| position[last]).max()?;
        Some(LevelSeries { levels, points })
    }

    /// How many values there are.
    pub fn count(&self) -> usize {
        self.points.len()
    }

    /// The value, if all values are equal.
    pub fn constant(&self) -> Option<f64> {
        let (_, first) = self.points.first()?;
        self.points.iter().all(|(_, value)| value == first).then_some(*first)
    }

    /// How many processes the full configuration lacks: positions above the innermost level without any
    /// value.
    pub fn missing_processes(&self) -> usize {
        let processes = self.points.chunk_by(|left, right| is_same_process(&left.0, &right.0)).count();
        let outer = self.levels.split_last().map(|(_, outer)| outer).unwrap_or_default();
        let whole: u64 = outer.iter().map(|level| u64::from(level.size)).product();
        whole.saturating_sub(processes as u64) as usize
    }

    /// The same with processes drawn with replacement, as many as there were. If there is a single process,
    /// its values are drawn.
    pub(super) fn redrawn(&self, generator: &mut impl Rng) -> LevelSeries {
        let mut draw = |of: usize| (generator.next_u64() % of as u64) as usize;
        let processes: Vec<&[(Vec<u32>, f64)]> =
            self.points.chunk_by(|left, right| is_same_process(&left.0, &right.0)).collect();
        let mut points = Vec::with_capacity(self.points.len());
        if let [only] = processes.as_slice() {
            points.extend(only.iter().map(|(position, _)| (position.clone(), only[draw(only.len())].1)));
        } else {
            for place in &processes {
                let outer = place[0].0.split_last().map(|(_, outer)| outer).unwrap_or_default();
                for (position, value) in processes[draw(processes.len())] {
                    let inner = position.last().copied();
                    points.push((outer.iter().copied().chain(inner).collect(), *value));
                }
            }
        }
        LevelSeries { levels: self.levels.clone(), points }
    }

    /// The same with only the first position of every level that is kept whole. Those levels are removed.
    pub fn of_first_instance(&self) -> LevelSeries {
        let dropped: Vec<bool> = self.levels.iter().map(|level| level.is_kept).collect();
        let is_first = |position: &[u32]| position.iter().zip(&dropped).all(|(at, drop)| !drop || *at == 1);
        let rest = |position: &[u32]| {
            position.iter().zip(&dropped).filter(|(_, drop)| !**drop).map(|(at, _)| *at).collect()
        };
        LevelSeries {
            levels: self.levels.iter().filter(|level| !level.is_kept).cloned().collect(),
            points: self
                .points
                .iter()
                .filter(|(position, _)| is_first(position))
                .map(|(position, value)| (rest(position), *value))
                .collect(),
        }
    }
}

/// Converts seconds to nanoseconds. Numbers that were printed as nanoseconds are restored exactly. Neither
/// conversion is exact, and configurations that are equally stable must stay so.
pub fn nanoseconds(seconds: f64) -> f64 {
    let product = seconds * 1e9;
    format!("{product:.14e}").parse().unwrap_or(product)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two instances, two iterations, three seconds. The value encodes the position.
    fn series() -> LevelSeries {
        let mut points = Vec::new();
        for instance in 1..=2 {
            for iteration in 1..=2 {
                for second in 1..=3 {
                    let value = f64::from(100 * instance + 10 * iteration + second);
                    points.push((vec![instance, iteration, second], value));
                }
            }
        }
        points.reverse();
        LevelSeries::new(&[("instance", true), ("iteration", false), ("second", false)], points).unwrap()
    }

    #[test]
    fn nanoseconds_come_back_as_printed() {
        for printed in [493_767.0, 0.1, 12.34, 1e-5, 7.3, 999_999.9, 0.000_012_29] {
            assert_eq!(nanoseconds(printed / 1e9), printed);
        }
    }

    #[test]
    fn a_configuration_is_a_prefix_on_every_level() {
        let check = |configuration: &[u32], expected: &[f64]| {
            assert_eq!(series().prefix(&Configuration(configuration.to_vec())), expected);
        };
        check(&[1, 1, 1], &[111.0]);
        check(&[2, 1, 2], &[111.0, 112.0, 211.0, 212.0]);
        check(&[1, 2, 3], &[111.0, 112.0, 113.0, 121.0, 122.0, 123.0]);
        assert_eq!(series().full(), Configuration(vec![2, 2, 3]));
        assert_eq!(series().gaps(), 0);
    }

    #[test]
    fn warmup_is_cut_from_every_process() {
        let rest = series().without_warmup(2).unwrap();
        assert_eq!(rest.prefix(&rest.full()), [113.0, 123.0, 213.0, 223.0]);
        assert_eq!(rest.full(), Configuration(vec![2, 2, 1]));
        assert_eq!(series().without_warmup(3), None);
    }

    #[test]
    fn every_process_may_have_a_warmup_of_its_own() {
        assert_eq!(series().processes()[1], [121.0, 122.0, 123.0]);
        let rest = series().without_leading(&[0, 1, 3, 2]).unwrap();
        assert_eq!(rest.prefix(&rest.full()), [111.0, 112.0, 113.0, 122.0, 123.0, 223.0]);
        assert_eq!(rest.prefix(&Configuration(vec![2, 2, 1])), [111.0, 122.0, 223.0]);
        assert_eq!((rest.full(), rest.missing_processes()), (Configuration(vec![2, 2, 3]), 1));
        assert_eq!(series().without_leading(&[3, 3, 3, 3]), None);
        let last = |values: &[f64]| values.last().copied();
        let one = series().estimated(2, &last).unwrap();
        assert_eq!(one.prefix(&one.full()), [112.0, 122.0, 212.0, 222.0]);
        assert_eq!(one.full(), Configuration(vec![2, 2, 1]));
        assert_eq!(series().estimated(2, &|_| None), None);
    }

    #[test]
    fn the_first_instance_alone_has_no_instance_level() {
        let first = series().of_first_instance();
        assert_eq!(first.full(), Configuration(vec![2, 3]));
        assert_eq!(first.prefix(&Configuration(vec![2, 1])), [111.0, 121.0]);
    }

    #[test]
    fn bad_values_are_named_with_their_place() {
        let check = |points: Vec<(Vec<u32>, f64)>, expected: &str| {
            let error = LevelSeries::new(&[("fork", false), ("iteration", false)], points).unwrap_err();
            assert_eq!(error.to_string(), expected);
        };
        check(vec![], "find a value");
        check(vec![(vec![1, 1], 0.0)], "use the value 0 at 1/1: it is not a positive number");
        check(vec![(vec![1, 2], f64::NAN)], "use the value NaN at 1/2: it is not a positive number");
        check(vec![(vec![1, 1], 1.0), (vec![1, 1], 2.0)], "distinguish two values at 1/1");
        check(vec![(vec![1], 1.0)], "place a value at 1: there are 2 levels, counted from 1");
        check(vec![(vec![0, 1], 1.0)], "place a value at 0/1: there are 2 levels, counted from 1");
    }

    #[test]
    fn processes_are_drawn_whole_and_keep_their_order_within() {
        use rand_xoshiro::Xoshiro256PlusPlus;
        use rand_xoshiro::rand_core::SeedableRng;
        let mut generator = Xoshiro256PlusPlus::seed_from_u64(1);
        let (mut same, series) = (0, series());
        for _ in 0..100 {
            let drawn = series.redrawn(&mut generator);
            let values = drawn.prefix(&drawn.full());
            assert_eq!(values.len(), 12);
            for process in values.chunks(3) {
                assert!(process[0] % 10.0 == 1.0 && process[1] == process[0] + 1.0, "{values:?}");
            }
            same += usize::from(values == series.prefix(&series.full()));
        }
        assert!(same < 5, "{same} of 100 draws left everything as it was");
        let names = [("fork", false), ("iteration", false)];
        let one = LevelSeries::new(&names, (1..=9).map(|i| (vec![1, i], f64::from(i))).collect()).unwrap();
        let drawn = one.redrawn(&mut generator);
        assert_eq!(drawn.count(), 9);
        assert_ne!(drawn.prefix(&drawn.full()), one.prefix(&one.full()));
    }

    #[test]
    fn missing_processes_are_told_from_missing_values() {
        let names = [("fork", false), ("iteration", false)];
        let check = |points: &[(u32, u32)], gaps: usize, processes: usize| {
            let points = points.iter().map(|(fork, at)| (vec![*fork, *at], 1.0)).collect();
            let series = LevelSeries::new(&names, points).unwrap();
            assert_eq!((series.gaps(), series.missing_processes()), (gaps, processes));
            assert_eq!(series.constant(), Some(1.0));
        };
        check(&[(1, 1), (1, 2), (3, 1), (3, 2)], 2, 1);
        check(&[(1, 1), (1, 2), (2, 1)], 1, 0);
        assert_eq!(series().constant(), None);
    }

    #[test]
    fn gaps_are_counted_and_left_out() {
        let points = vec![(vec![1, 1], 1.0), (vec![2, 2], 4.0), (vec![2, 1], 3.0)];
        let series = LevelSeries::new(&[("fork", false), ("iteration", false)], points).unwrap();
        assert_eq!(series.gaps(), 1);
        assert_eq!(series.prefix(&Configuration(vec![2, 2])), [1.0, 3.0, 4.0]);
    }
}
