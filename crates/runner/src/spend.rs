//! Spends a budget: the benchmarks that can be decided in the least time come next.
//!
//! With enough time, all benchmarks are measured in rounds, and all suspects are confirmed at the end. A
//! budget that is too small for that is spent in batches: the benchmarks nearest to their verdicts, in
//! seconds, are screened together, their suspects are confirmed, and the next batch follows. Benchmarks that
//! turn out to be slow or noisy are put aside and continue if time is left. Nothing is dropped because others
//! took long (docs/design/0013-budget.md).

use std::collections::HashMap;
use std::time::Duration;

/// A batch takes this share of the time left, so that there are early verdicts and a wrong expectation costs
/// little.
const BATCH_SHARE: f64 = 0.25;
/// Smaller batches are avoided, because rounds of few benchmarks hardly interleave them.
const SMALLEST_BATCH: usize = 6;
/// A benchmark that has begun continues to its first look unless it needs this many times what the nearest
/// benchmark outside the batch needs. The first processes of a benchmark take longer than the later ones, and
/// all of them take longer than guessed. A benchmark also leaves its batch if it needs this many times what
/// was expected of it or of the others in the batch.
const PATIENCE: f64 = 2.5;
/// Suspects have this share of the time left, however many cheaper benchmarks wait, because possible
/// slowdowns matter most to a gate.
const CONFIRMATION_SHARE: f64 = 0.5;
/// Time reserved for suspects, as a multiple of what they are expected to need.
const RESERVE: f64 = 1.25;
/// Benchmarks without a verdict in the last comparison come first, for this share of a budget.
const TURNS_SHARE: f64 = 0.25;
/// If at most this share of a budget is left and nothing fits any more, the next group is the last one.
const LAST_SHARE: f64 = 0.1;
/// A benchmark that was not tried yet may take this many fair shares of the time left before it is put aside.
const PROBE_SHARES: f64 = 1.5;
/// A process may always take this long, unless the next constant forbids it.
const SHORTEST_PROBE: Duration = Duration::from_secs(5);
/// The first process of a benchmark may take at most this share of the time left, because the others need some of it.
const LONGEST_PROBE_SHARE: f64 = 0.4;
/// The limit of a process is at least this as long as so much time is left. Dividing the last second of a
/// budget is useless.
const LEAST_PROBE: Duration = Duration::from_secs(1);

/// A benchmark that has no verdict yet.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Candidate {
    pub(crate) index: usize,
    pub(crate) stage: Stage,
    /// The expected time of its next duet.
    pub(crate) duet: Duration,
    /// The expected number of duets until its verdict.
    pub(crate) duets: f64,
    /// The number of duets until its next look.
    pub(crate) duets_to_look: u32,
    /// Whether `duet` was measured in this run.
    pub(crate) is_tried: bool,
    /// Whether it has begun and has not reached its first look.
    pub(crate) is_begun: bool,
    /// Whether it had no verdict in the last comparison.
    pub(crate) is_due: bool,
}

/// What a candidate waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Its next look.
    Screening,
    /// To become part of a group, for a suspect. A clear suspect does not wait for others.
    Waiting {
        /// Whether every duet is far beyond the threshold.
        is_clear: bool,
    },
    /// The next fresh duet.
    Confirming,
}

/// What to do next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step {
    /// A screening duet of each of these.
    Screen(Vec<usize>),
    /// Make a group of the benchmarks that have left screening. If it is the last group, it has all
    /// benchmarks that are left.
    Close {
        /// Whether nothing is screened afterwards.
        is_last: bool,
    },
    /// A fresh duet of each of these.
    Confirm(Vec<usize>),
    /// Stop, because nothing fits any more.
    Done,
}

impl Candidate {
    /// The expected time to its verdict.
    pub(crate) fn need(&self) -> Duration {
        self.duet.mul_f64(self.duets.max(1.0))
    }

    /// Whether its next look can be reached within `time`. Benchmarks that were not tried yet are not
    /// rejected because of guesses.
    fn fits(&self, time: Duration) -> bool {
        !self.is_tried || self.duet * self.duets_to_look <= time
    }
}

/// Spends one budget.
#[derive(Debug, Default)]
pub(crate) struct Spending {
    /// The members of the present batch, with the time that each may need before it is put aside.
    batch: HashMap<usize, Duration>,
    /// Time promised so far to benchmarks that had no verdict in the last comparison.
    promised: Duration,
    /// Whether the last group was made. Benchmarks screened afterwards could not be confirmed.
    is_over: bool,
}

impl Spending {
    /// The next step of a budget of `whole` when `left` is left.
    pub(crate) fn next(&mut self, candidates: &[Candidate], whole: Duration, left: Duration) -> Step {
        let of_stage = |wanted: fn(&Stage) -> bool| {
            candidates.iter().copied().filter(move |one| wanted(&one.stage)).collect::<Vec<_>>()
        };
        let suspects = of_stage(|stage| *stage != Stage::Screening);
        let screening = of_stage(|stage| *stage == Stage::Screening);
        // Suspects that take long and exceed the share come last, because their time is enough to decide
        // several others.
        let nearest = screening.iter().filter(|one| one.fits(left)).map(Candidate::need).min();
        let quick = left.mul_f64(BATCH_SHARE).min(nearest.map_or(Duration::MAX, patient));
        let mut affordable = affordable(suspects.clone(), left);
        let share = left.mul_f64(CONFIRMATION_SHARE);
        let mut taken = Duration::ZERO;
        affordable.retain(|one| {
            taken += one.need();
            one.need() <= quick || taken <= share
        });
        let ready = affordable.iter().filter(|one| one.stage == Stage::Confirming);
        let ready: Vec<usize> = ready.map(|one| one.index).collect();
        if !ready.is_empty() {
            return Step::Confirm(ready);
        }
        let is_waiting = suspects.iter().any(|one| one.stage != Stage::Confirming);
        if affordable.iter().any(|one| one.stage == Stage::Waiting { is_clear: true }) {
            return Step::Close { is_last: screening.is_empty() };
        }
        let time = left.saturating_sub(total(&affordable).mul_f64(RESERVE));
        match self.batch(&screening, whole, time, is_waiting) {
            Batch::Members(members) => Step::Screen(members),
            Batch::Ended => Step::Close { is_last: false },
            Batch::Nothing if is_waiting => {
                self.is_over = screening.is_empty() || left <= whole.mul_f64(LAST_SHARE);
                Step::Close { is_last: self.is_over }
            }
            Batch::Nothing => {
                let slow = suspects.iter().filter(|one| one.duet <= left).map(|one| one.index);
                let slow: Vec<usize> = slow.collect();
                if slow.is_empty() { Step::Done } else { Step::Confirm(slow) }
            }
        }
    }

    /// The members of the present batch that continue, or a new batch if none does.
    fn batch(&mut self, screening: &[Candidate], whole: Duration, time: Duration, is_waiting: bool) -> Batch {
        // A benchmark that is further from its verdict than one outside is put aside.
        let is_outside = |one: &&Candidate| !self.batch.contains_key(&one.index) && one.fits(time);
        let nearest = screening.iter().filter(is_outside).map(Candidate::need).min().unwrap_or(Duration::MAX);
        let begun = patient(nearest);
        let goes_on = |one: &&Candidate| {
            let Some(promised) = self.batch.get(&one.index) else { return false };
            let bound = match (one.is_due, one.is_begun) {
                (true, _) => *promised,
                (false, true) => begun.min(*promised),
                (false, false) => nearest.min(*promised),
            };
            one.need() <= bound && one.fits(time)
        };
        let members: Vec<usize> = screening.iter().filter(goes_on).map(|one| one.index).collect();
        if !members.is_empty() && !time.is_zero() {
            return Batch::Members(members);
        }
        let had_members = !self.batch.is_empty();
        self.batch = self.choose(screening, whole, time);
        match self.batch.is_empty() {
            true => Batch::Nothing,
            false if had_members && is_waiting => {
                self.batch.clear();
                Batch::Ended
            }
            false => {
                let members = screening.iter().map(|one| one.index);
                Batch::Members(members.filter(|index| self.batch.contains_key(index)).collect())
            }
        }
    }

    /// The next batch: first benchmarks without a verdict in the last comparison, then those nearest to a
    /// verdict.
    fn choose(
        &mut self,
        screening: &[Candidate],
        whole: Duration,
        time: Duration,
    ) -> HashMap<usize, Duration> {
        if time.is_zero() || self.is_over {
            return HashMap::new();
        }
        let share = time.mul_f64(BATCH_SHARE);
        let turns = whole.mul_f64(TURNS_SHARE).saturating_sub(self.promised);
        let mut order: Vec<&Candidate> = screening.iter().filter(|one| one.fits(time)).collect();
        order.sort_by_key(|one| (one.need(), one.index));
        let (due, others): (Vec<&Candidate>, Vec<&Candidate>) =
            order.into_iter().partition(|one| one.is_due && one.need() <= turns);
        let mut chosen: Vec<&Candidate> = Vec::new();
        let mut spent = Duration::ZERO;
        for one in due {
            if spent + one.need() <= share.min(turns) || (chosen.is_empty() && one.need() <= turns) {
                spent += one.need();
                chosen.push(one);
            }
        }
        self.promised += spent;
        for one in others {
            let is_small = chosen.len() < SMALLEST_BATCH && spent + one.need() <= time / 2;
            if chosen.is_empty() || is_small || spent + one.need() <= share {
                spent += one.need();
                chosen.push(one);
            }
        }
        let typical = chosen.get(chosen.len() / 2).map(|one| one.need()).unwrap_or_default();
        chosen.iter().map(|one| (one.index, one.need().max(typical).mul_f64(PATIENCE))).collect()
    }
}

/// The result of choosing what to screen.
enum Batch {
    Members(Vec<usize>),
    /// The batch has ended, and its suspects wait for confirmation.
    Ended,
    Nothing,
}

/// The time a benchmark may need if another one needs `time`.
fn patient(time: Duration) -> Duration {
    Duration::try_from_secs_f64(time.as_secs_f64() * PATIENCE).unwrap_or(Duration::MAX)
}

/// The time limit of a process of a benchmark that was not tried yet, if `open` benchmarks share the time
/// `left`.
pub(crate) fn probe(left: Duration, open: usize) -> Duration {
    if open <= 1 {
        return left;
    }
    let fair = left.mul_f64(PROBE_SHARES) / open as u32;
    fair.max(SHORTEST_PROBE).min(left.mul_f64(LONGEST_PROBE_SHARE)).max(LEAST_PROBE.min(left))
}

/// The cheapest candidates that fit into `left` together.
fn affordable(mut candidates: Vec<Candidate>, left: Duration) -> Vec<Candidate> {
    candidates.sort_by_key(|one| (one.need(), one.index));
    let mut spent = Duration::ZERO;
    candidates.retain(|one| {
        let fits = spent + one.need() <= left;
        spent += if fits { one.need() } else { Duration::ZERO };
        fits
    });
    candidates
}

fn total(candidates: &[Candidate]) -> Duration {
    candidates.iter().map(Candidate::need).sum()
}

#[cfg(test)]
mod tests;
