//! Stops when more iterations would not bring the mean closer to the steady one.

use std::sync::Arc;
use std::time::Duration;

use super::choice::{least_measured, warmup};
use super::features::{Look, Record};
use super::prefix::{GRID, MOST, Prefix};
use super::trained::{Models, Policy, Trained};
use crate::{Cut, Decision, StopRule, WhyCut, cut_at_the_end};

/// At this place of the grid (40 iterations) a process shows how slow its iterations are. It always gets this
/// far.
pub(crate) const FIRST_SERIOUS_LOOK: usize = 5;

/// No process is ended before this place of the grid (30 iterations).
const LOWEST: usize = 4;

/// Continuing is considered up to the first places of the grid that are this many times as far.
const HORIZONS: [f64; 3] = [1.4, 2.0, 4.0];

/// Examines a process at 26 points from 1 s to 100 s. It stops as soon as boosted trees, trained on 4,690
/// processes of JMH suites, expect the mean to be near the steady one, or expect that continuing would cost
/// more than it improves the mean.
///
/// The first five processes of a benchmark are judged without comparison. The sixth, if there is one, runs
/// for a fixed number of iterations, and its features are passed to later processes by
/// [`LearnedPlan`](super::LearnedPlan). If an iteration takes longer than 0.1 s, there are fewer. Warm-up
/// ends at the most probable point, which is usually long before the stop.
///
/// Values are seconds per operation. Values that are not positive numbers are never steady: such a process
/// runs to the cap. An examination takes about ten microseconds, the last one some tens, and the iterations
/// between them nanoseconds. Nothing is allocated.
#[derive(Debug, Clone)]
pub struct Learned {
    trained: Arc<Trained>,
    part: Part,
    cap: Option<Duration>,
    prefix: Prefix,
    seen: u32,
    /// Number of iterations when the cap was reached.
    capped: Option<u32>,
    is_usable: bool,
    stopped: Option<(Cut, Reason)>,
}

/// The role of a process among those of its benchmark.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Part {
    /// One of the first, judged by itself.
    Early,
    /// The process that runs long.
    Long,
    /// A later one, with the features of the long one.
    After(Arc<Record>),
}

/// Why a process was stopped.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Reason {
    LongProcess,
    SmallError(f64),
    NoGain,
    Most,
    Cap,
    NoTimes,
}

impl Learned {
    /// A rule for one process. `cap` is the longest warm-up.
    pub(crate) fn new(trained: Arc<Trained>, part: Part, cap: Option<Duration>) -> Self {
        Learned {
            trained,
            part,
            cap,
            prefix: Prefix::new(),
            seen: 0,
            capped: None,
            is_usable: true,
            stopped: None,
        }
    }

    /// When it stops. For the long process only the maximum and the end of warm-up matter.
    fn policy(&self) -> Policy {
        let settings = self.trained.settings;
        match self.part {
            Part::Early => settings.first,
            Part::Long => Policy { most: settings.long, ..settings.later },
            Part::After(_) => settings.later,
        }
    }

    /// Whether the process ends at this place of the grid.
    fn look(&self, place: usize, is_late: bool) -> Option<(Cut, Reason)> {
        let look = Look::new(&self.prefix, place);
        let policy = self.policy();
        let (models, record) = match &self.part {
            Part::After(record) => (&self.trained.later, Some(record.as_ref())),
            Part::Early | Part::Long => (&self.trained.first, None),
        };
        let reason = if is_late {
            // A long process is not judged, so its end is not a judgement either.
            Some(if self.part == Part::Long { Reason::LongProcess } else { Reason::Cap })
        } else if place >= limit(&self.prefix, policy.most, place) {
            Some(if self.part == Part::Long { Reason::LongProcess } else { Reason::Most })
        } else if self.part == Part::Long || place < LOWEST {
            None
        } else {
            judge(models, policy, &look, place, record)
        }?;
        let longest = self.capped.map_or(MOST, |capped| capped as usize);
        let warmup = warmup(&models.over, policy.agreement, &look, place, record, longest);
        let why =
            if matches!(reason, Reason::Most | Reason::Cap) { WhyCut::Unsteady } else { WhyCut::Steady };
        Some((Cut { warmup, why }, reason))
    }

    /// A series that does not consist of times is measured at the end, when the longest time has passed.
    fn give_up(&self) -> Option<(Cut, Reason)> {
        let (seen, most) = (self.seen as usize, self.policy().most as usize);
        let is_over =
            seen >= most || self.capped.is_some_and(|capped| seen >= capped as usize + least_measured(seen));
        let warmup = self.capped.unwrap_or(self.seen).min(self.seen - least_measured(seen).min(seen) as u32);
        is_over.then_some((Cut { warmup, why: WhyCut::Unsteady }, Reason::NoTimes))
    }
}

impl StopRule for Learned {
    fn sample(&mut self, value: f64, elapsed: Duration) -> Decision {
        if let Some((cut, _)) = self.stopped {
            return Decision::Stop(cut);
        }
        self.seen = self.seen.saturating_add(1);
        if self.capped.is_none() && self.cap.is_some_and(|cap| elapsed >= cap) {
            self.capped = Some(self.seen);
        }
        self.is_usable &= value.is_finite() && value > 0.0;
        if self.is_usable {
            self.prefix.push(value);
        }
        // After the cap, another quarter is measured.
        let is_late = self.cap.is_some_and(|cap| elapsed.as_secs_f64() >= 1.25 * cap.as_secs_f64());
        self.stopped = match GRID.binary_search(&(self.seen as usize)) {
            _ if !self.is_usable => self.give_up(),
            Ok(place) => self.look(place, is_late),
            Err(_) => None,
        };
        self.stopped.map_or(Decision::GoOn, |(cut, _)| Decision::Stop(cut))
    }

    fn cut(&self) -> Cut {
        cut_at_the_end(self.stopped.map(|(cut, _)| cut), self.seen, least_measured(self.seen as usize) as u32)
    }

    fn reason(&self) -> String {
        let small = self.policy().small;
        let seconds = self.cap.map_or(0.0, |cap| cap.as_secs_f64());
        match self.stopped.map(|(_, reason)| reason) {
            Some(Reason::LongProcess) => {
                format!("this process ran for {} iterations; later ones are compared with it", self.seen)
            }
            Some(Reason::SmallError(error)) => format!("the expected error is {error:.2}, below {small:.2}"),
            Some(Reason::NoGain) => {
                "more iterations would not bring the mean closer to the steady one".into()
            }
            Some(Reason::Most) => {
                format!("the limit of {} iterations was reached, and the mean may still change", self.seen)
            }
            Some(Reason::Cap) => format!("{seconds} s of warm-up had passed"),
            Some(Reason::NoTimes) => "there are values that are not positive numbers".into(),
            None => "the process ended before the rule had seen enough".into(),
        }
    }
}

/// Why a process may be stopped at this point.
fn judge(
    models: &Models,
    policy: Policy,
    look: &Look<'_>,
    place: usize,
    record: Option<&Record>,
) -> Option<Reason> {
    let error = match record {
        Some(record) => models.level.sum(&look.level(record)),
        None => models.level.sum(&look.level_first()),
    };
    if error < policy.small {
        return Some(Reason::SmallError(error));
    }
    let price = policy.price * look.slowness().sqrt();
    let last = GRID.partition_point(|t| *t < policy.most as usize);
    let does_pay = horizons(place).any(|to| {
        let ahead = (GRID[to.min(last)] - GRID[place]) as f64;
        let gain = match record {
            Some(record) => models.gain.sum(&look.gain(record, to)),
            None => models.gain.sum(&look.gain_first(to)),
        };
        gain >= price * ahead
    });
    (!does_pay).then_some(Reason::NoGain)
}

/// Places of the grid up to which continuing is considered.
pub(crate) fn horizons(place: usize) -> impl Iterator<Item = usize> {
    let last = GRID.len() - 1;
    let to = |factor: f64| GRID.iter().position(|t| *t as f64 >= factor * GRID[place] as f64).unwrap_or(last);
    let all = HORIZONS.map(to);
    (0..all.len()).filter(move |i| all[*i] > place && !all[..*i].contains(&all[*i])).map(move |i| all[i])
}

/// The place of the grid at which a process ends in any case. It is earlier if iterations take longer than
/// 0.1 s.
fn limit(prefix: &Prefix, iterations: u32, place: usize) -> usize {
    if place < FIRST_SERIOUS_LOOK {
        return GRID.len();
    }
    let slowness = Look::new(prefix, FIRST_SERIOUS_LOOK).slowness();
    let wanted = (f64::from(iterations) / slowness.sqrt()).max(GRID[FIRST_SERIOUS_LOOK] as f64);
    GRID.partition_point(|t| (*t as f64) < wanted).min(GRID.partition_point(|t| *t < iterations as usize))
}
