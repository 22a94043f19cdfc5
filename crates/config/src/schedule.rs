//! The order, the duration and the cores of a run.

use std::time::Duration;

use crate::problem::{Remark, Remarks};
use crate::setting::Setting;
use crate::value::Value;

/// How the two trials of a duet are run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Pairing {
    /// Back to back, the order tossed.
    Sequential,
    /// At the same time, each on its own core.
    Parallel,
}

impl Pairing {
    const CHOICES: [(&'static str, Pairing); 2] =
        [("sequential", Pairing::Sequential), ("parallel", Pairing::Parallel)];

    /// The word in file and flag.
    pub fn word(self) -> &'static str {
        match self {
            Pairing::Sequential => "sequential",
            Pairing::Parallel => "parallel",
        }
    }
}

/// Order, budget and cores of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScheduleSettings {
    /// Time for measuring. `None` means as long as the duets take.
    pub budget: Option<Duration>,
    /// How long to wait for another benchwright that measures. Zero means not at all. The wait does not count
    /// towards the budget.
    pub wait: Duration,
    /// Seed of all random choices. `None` means a random seed for each run.
    pub seed: Option<u64>,
    /// How the trials of a duet are run.
    pub pairing: Pairing,
    /// Cores that trials are pinned to, without duplicates. Empty means not pinned.
    pub cores: Vec<u32>,
    /// Niceness of trials, -20 to 19. `None` means that of benchwright.
    pub niceness: Option<i32>,
    /// The least number of different benchmarks per round. If fewer are left, finished ones run in between,
    /// unrecorded. 0 turns this off.
    pub fillers: u32,
}

impl Default for ScheduleSettings {
    fn default() -> Self {
        ScheduleSettings {
            budget: None,
            wait: Duration::from_secs(600),
            seed: None,
            pairing: Pairing::Sequential,
            cores: Vec::new(),
            niceness: None,
            fillers: 0,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct ScheduleLayer {
    budget: Option<Duration>,
    wait: Option<Duration>,
    seed: Option<u64>,
    pairing: Option<Pairing>,
    cores: Option<Vec<u32>>,
    niceness: Option<i32>,
    fillers: Option<u32>,
}

impl ScheduleLayer {
    pub(crate) fn over(self, weaker: Self) -> Self {
        ScheduleLayer {
            budget: self.budget.or(weaker.budget),
            wait: self.wait.or(weaker.wait),
            seed: self.seed.or(weaker.seed),
            pairing: self.pairing.or(weaker.pairing),
            cores: self.cores.or(weaker.cores),
            niceness: self.niceness.or(weaker.niceness),
            fillers: self.fillers.or(weaker.fillers),
        }
    }

    pub(crate) fn resolve(self) -> ScheduleSettings {
        let default = ScheduleSettings::default();
        ScheduleSettings {
            budget: self.budget,
            wait: self.wait.unwrap_or(default.wait),
            seed: self.seed,
            pairing: self.pairing.unwrap_or(default.pairing),
            cores: self.cores.unwrap_or(default.cores),
            niceness: self.niceness,
            fillers: self.fillers.unwrap_or(default.fillers),
        }
    }
}

pub(crate) const SETTINGS: &[Setting] = &[
    Setting {
        key: "budget",
        apply: |layer, value, remarks| {
            let budget = value.duration("a duration of at least a second", Duration::from_secs(1)..);
            layer.schedule.budget = remarks.keep(budget);
        },
    },
    Setting {
        key: "wait",
        apply: |layer, value, remarks| {
            let wait = value.duration("a duration such as `10m`, or `0` not to wait", Duration::ZERO..);
            layer.schedule.wait = remarks.keep(wait);
        },
    },
    Setting {
        key: "seed",
        apply: |layer, value, remarks| {
            // A printed seed uses all 64 bits, one more than numbers in TOML.
            let seed = value.as_text().and_then(|text| text.trim().parse().ok());
            let seed = seed.map_or_else(|| value.count("a whole number from 0 on", 0..), Ok);
            layer.schedule.seed = remarks.keep(seed);
        },
    },
    Setting {
        key: "pairing",
        apply: |layer, value, remarks| {
            layer.schedule.pairing = remarks.keep(value.choice(&Pairing::CHOICES));
        },
    },
    Setting { key: "cores", apply: |layer, value, remarks| layer.schedule.cores = cores(value, remarks) },
    Setting {
        key: "niceness",
        apply: |layer, value, remarks| {
            let niceness = value.count("a whole number from -20 to 19", -20..=19);
            layer.schedule.niceness = remarks.keep(niceness);
        },
    },
    Setting {
        key: "fillers",
        apply: |layer, value, remarks| {
            layer.schedule.fillers = remarks.keep(value.count("a whole number from 0 to 1000", 0..=1000));
        },
    },
];

/// A list of core numbers. Text may contain ranges, `"0,2-3"`.
fn cores(value: &Value, remarks: &mut Remarks) -> Option<Vec<u32>> {
    let result = match value.as_text() {
        Some(text) => parse_cores(text).ok_or_else(|| value.expected(CORES)),
        None => value.list(CORES, &[',']).and_then(|list| {
            list.iter().map(|core| core.count(CORES, 0..=MOST_CORES)).collect::<Result<Vec<u32>, Remark>>()
        }),
    };
    let mut cores = remarks.keep(result)?;
    cores.sort_unstable();
    cores.dedup();
    Some(cores)
}

const CORES: &str = "cores such as `[0, 2]` or `\"0,2-3\"`";

/// More than any machine has. This prevents a typing error in a range from filling the memory.
const MOST_CORES: i64 = 65_535;

fn parse_cores(text: &str) -> Option<Vec<u32>> {
    let number = |text: &str| text.trim().parse::<u32>().ok().filter(|core| i64::from(*core) <= MOST_CORES);
    let mut cores = Vec::new();
    for part in text.split(',').filter(|part| !part.trim().is_empty()) {
        match part.split_once('-') {
            Some((first, last)) => {
                let (first, last) = (number(first)?, number(last)?);
                if first > last {
                    return None;
                }
                cores.extend(first..=last);
            }
            None => cores.push(number(part)?),
        }
    }
    Some(cores)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Layer, read_text};

    #[test]
    fn a_seed_may_have_all_64_bits() {
        let largest = u64::MAX.to_string();
        let mut flags = Layer::default();
        flags.set("seed", &largest).expect("a seed");
        assert_eq!(flags.schedule.seed, Some(u64::MAX));
        let file = read_text("f", &format!("seed = \"{largest}\"")).expect("a seed in quotes");
        assert_eq!(file.schedule.seed, Some(u64::MAX));
        assert!(flags.set("seed", "-1").is_err());
    }

    #[test]
    fn cores_are_numbers_and_ranges_each_once() {
        let check = |text: &str, expected: Option<Vec<u32>>| {
            assert_eq!(cores(&Value::word(text), &mut Remarks::default()), expected, "{text}");
        };
        check("0,2-4, 3", Some(vec![0, 2, 3, 4]));
        check("", Some(vec![]));
        check("3-1", None);
        check("a", None);
        check("0-4000000000", None);
        check("-1", None);
    }
}
