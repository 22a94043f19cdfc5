//! The input of the models: the same numbers, in the same order, as in `studies/warmup/features.py`.

use super::prefix::{GRID, Prefix};

/// Features of a process alone.
const OWN: usize = 16;

/// Features that compare it with an earlier one.
const COMPARED: usize = 7;

/// Number of features for the model of the level, for an early process and for one that is compared with a
/// long one.
pub(crate) const LEVEL_FIRST: usize = OWN;
pub(crate) const LEVEL: usize = OWN + COMPARED;

/// Number of features for the models of gains: the same, and the target place.
pub(crate) const GAIN_FIRST: usize = LEVEL_FIRST + 1;
pub(crate) const GAIN: usize = LEVEL + 2;

/// Number of features for the model of the end of warm-up in a first process.
pub(crate) const CUT: usize = OWN + 8;

/// And in a later one.
pub(crate) const CUT_AFTER: usize = CUT + COMPARED + 4;

/// The data of a process at one place of the grid.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Look<'a> {
    prefix: &'a Prefix,
    place: usize,
    /// Logarithm of the mean of the second half.
    level: f64,
    own: [f64; OWN],
}

/// Features of an ended process, for later ones.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Record {
    /// The last place of the grid that it reached.
    place: usize,
    /// Logarithms of the mean of the second half at each place up to the present one.
    levels: Vec<f64>,
    /// Logarithm of the mean of its last quarter, and its difference from that of the quarter before.
    end: f64,
    drift: f64,
    /// Logarithms of one plus the iterations until the last block that is more than 5 % and 2 % away from its
    /// end.
    outside: [f64; 2],
}

impl Record {
    /// The record of a process that reached at least the place `least`.
    pub(crate) fn new(prefix: &Prefix, least: usize) -> Option<Record> {
        let place = GRID.iter().rposition(|t| *t <= prefix.seen()).filter(|place| *place >= least)?;
        let t = GRID[place];
        let quarter = t - t / 4;
        let end = prefix.mean(quarter, t);
        let outside = [0.05, 0.02].map(|band| prefix.outside_until(t, end, band).ln_1p());
        Some(Record {
            place,
            levels: GRID[..=place].iter().map(|t| prefix.mean(t / 2, *t).ln()).collect(),
            end: end.ln(),
            drift: (end / prefix.mean(t / 2, quarter)).ln(),
            outside,
        })
    }

    /// Its level at a place, or at the last one it reached.
    fn level_at(&self, place: usize) -> f64 {
        self.levels[place.min(self.place)]
    }
}

impl<'a> Look<'a> {
    /// At a place of the grid that was reached.
    pub(crate) fn new(prefix: &'a Prefix, place: usize) -> Self {
        let t = GRID[place];
        let (half, quarter, eighth) = (t / 2, t / 4, t / 8);
        let (last_quarter, last_eighth) = (t - quarter, t - eighth);
        let mean = |from, to| prefix.mean(from, to);
        let level = mean(half, t);
        let ln = level.ln();
        let middle = prefix.mean_of_medians(half, t);
        let own = [
            (t as f64).ln(),
            // Only the order of magnitude, because the exact level would identify the benchmark.
            (ln / std::f64::consts::LN_10 + 0.5).floor(),
            ln - mean(quarter, half).ln(),
            ln - mean(eighth, quarter).ln(),
            ln - mean(0, eighth).ln(),
            (mean(last_quarter, t) / mean(half, last_quarter)).ln(),
            (mean(last_eighth, t) / mean(last_quarter, last_eighth)).ln(),
            prefix.relative_variance(half, t).max(1e-12).sqrt().ln(),
            (prefix.mean_step(half, t) / level).max(1e-6).ln(),
            (middle / level).ln(),
            prefix.outside_until(t, middle, 0.05) / t as f64,
            prefix.outside_until(t, middle, 0.02) / t as f64,
            prefix.share_outside(half, t, middle, 0.05),
            prefix.share_outside(half, t, middle, 0.02),
            ln - prefix.first().ln(),
            ln - mean(1, 4).ln(),
        ];
        Look { prefix, place, level: ln, own }
    }

    /// Wall time of an iteration as a multiple of 0.1 s, 1 to 100, for values in seconds per operation.
    pub(crate) fn slowness(&self) -> f64 {
        let level = self.level.exp();
        ((0.1 / level).ceil() * level / 0.1).clamp(1.0, 100.0)
    }

    /// For the model of the level in an early process.
    pub(crate) fn level_first(&self) -> [f32; LEVEL_FIRST] {
        joined([&self.own])
    }

    /// For the model of gains in an early process: continuing to another place of the grid.
    pub(crate) fn gain_first(&self, to: usize) -> [f32; GAIN_FIRST] {
        joined([&self.own, &[(GRID[to] as f64 / self.t()).ln()]])
    }

    /// For the model of the level, compared with a long process.
    pub(crate) fn level(&self, record: &Record) -> [f32; LEVEL] {
        joined([&self.own, &self.compared(record)])
    }

    /// For the model of gains, compared with a long process.
    pub(crate) fn gain(&self, record: &Record, to: usize) -> [f32; GAIN] {
        let ahead = (GRID[to] as f64 / self.t()).ln();
        joined([&self.own, &self.compared(record), &[ahead, record.level_at(to) - record.end]])
    }

    /// For the model of the end of warm-up in a first process: warm-up that ends with iteration `last`,
    /// counted from 0.
    pub(crate) fn cut(&self, last: usize) -> [f32; CUT] {
        joined([&self.own, &self.around(last)])
    }

    /// The same for a later process.
    pub(crate) fn cut_after(&self, last: usize, record: &Record) -> [f32; CUT_AFTER] {
        let (before, after) = self.neighbours(last);
        let place = (last as f64).ln_1p();
        let cut =
            [after - record.end, before - record.end, record.outside[0] - place, record.outside[1] - place];
        joined([&self.own, &self.around(last), &self.compared(record), &cut])
    }

    /// The distance of the mean of the iterations after `last` from that of the last quarter, as a logarithm.
    pub(crate) fn disagreement(&self, last: usize) -> f64 {
        let t = GRID[self.place];
        (self.prefix.mean(last + 1, t).ln() - self.prefix.mean(t - t / 4, t).ln()).abs()
    }

    fn t(&self) -> f64 {
        GRID[self.place] as f64
    }

    fn compared(&self, record: &Record) -> [f64; COMPARED] {
        let (then, t) = (record.level_at(self.place), self.t());
        [
            self.level - record.end,
            then - record.end,
            self.level - then,
            record.drift,
            record.outside[0] - t.ln(),
            record.outside[1] - t.ln(),
            (GRID[record.place] as f64 / t).ln(),
        ]
    }

    /// Logarithms of the means just before and just after the end of warm-up.
    fn neighbours(&self, last: usize) -> (f64, f64) {
        let t = GRID[self.place];
        let (begin, end) = ((last + 1).saturating_sub((last / 4).max(2)), last + 1 + ((t - last) / 8).max(3));
        (self.prefix.mean(begin, last + 1).ln(), self.prefix.mean(last + 1, end.min(t)).ln())
    }

    fn around(&self, last: usize) -> [f64; 8] {
        let t = GRID[self.place];
        let (before, after) = self.neighbours(last);
        let middle = (last + 1 + t) / 2;
        let share = last as f64 / self.t();
        [
            (last as f64).ln_1p(),
            share,
            after - self.level,
            before - self.level,
            self.prefix.mean(0, last + 1).ln() - self.level,
            self.prefix.mean(last + 1, middle).ln() - self.prefix.mean(middle, t).ln(),
            self.own[10] - share,
            self.own[11] - share,
        ]
    }
}

/// All features in one array, rounded as in the training of the models.
fn joined<const N: usize, const PARTS: usize>(parts: [&[f64]; PARTS]) -> [f32; N] {
    let mut all = [0.0; N];
    let values = parts.iter().flat_map(|part| part.iter());
    all.iter_mut().zip(values).for_each(|(to, from)| *to = *from as f32);
    all
}

#[cfg(test)]
mod tests {
    use super::super::prefix::MOST;
    use super::*;

    /// Prefixes of at most this many iterations of the processes in `processes.csv`: two numbers, then values
    /// in single precision.
    fn prefixes(most: usize) -> Vec<Prefix> {
        let text = include_str!("../../../../fixtures/steady/processes.csv");
        let read = |line: &str| {
            let mut prefix = Prefix::new();
            let values = line.split(',').skip(2).map(|value| value.parse::<f32>().expect("a value"));
            values.take(most).for_each(|value| prefix.push(f64::from(value)));
            prefix
        };
        text.lines().map(read).collect()
    }

    /// The record of the sixth of eight processes, which runs for at most 700 iterations.
    fn long_record(process: usize) -> Record {
        let at = process / 8 * 8 + 5;
        let slowness = Look::new(&prefixes(MOST)[at], 5).slowness().sqrt();
        let ran = GRID.partition_point(|t| (*t as f64) < (700.0 / slowness).max(40.0));
        Record::new(&prefixes(GRID[ran])[at], 5).expect("a record")
    }

    /// `studies/warmup/vectors.py` (numpy 2.4.6): model, process, place, horizon or cut, features.
    #[test]
    fn features_are_those_the_models_were_trained_on() {
        let prefixes = prefixes(MOST);
        let mut records = std::collections::BTreeMap::new();
        let mut n = 0;
        for line in include_str!("../../../../fixtures/steady/features.csv").lines() {
            let fields: Vec<&str> = line.split(',').collect();
            let number = |i: usize| fields[i].parse::<usize>().unwrap_or_default();
            let (process, place, other) = (number(1), number(2), number(3));
            let record = records.entry(process).or_insert_with(|| long_record(process));
            let look = Look::new(&prefixes[process], place);
            let ours: Vec<f32> = match fields[0] {
                "level_first" => look.level_first().to_vec(),
                "gain_first" => look.gain_first(other).to_vec(),
                "level" => look.level(record).to_vec(),
                "gain" => look.gain(record, other).to_vec(),
                "over_first" => look.cut(other).to_vec(),
                _ => look.cut_after(other, record).to_vec(),
            };
            let expected: Vec<f32> = fields[4..].iter().map(|x| x.parse().expect("a feature")).collect();
            assert_eq!(ours.len(), expected.len());
            for (i, (a, b)) in ours.iter().zip(&expected).enumerate() {
                assert!(
                    (a - b).abs() <= 1e-5 * b.abs().max(1.0),
                    "{} feature {i}: {a} {b}",
                    &fields[..4].join(",")
                );
            }
            n += 1;
        }
        assert!(n > 200, "{n}");
    }
}
