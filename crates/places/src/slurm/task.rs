//! Makes tasks of arrays from calls.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use benchwright_model::{BenchmarkId, RunId};
use benchwright_worker::wire::{Parcel, ParcelId};
use benchwright_worker::{Call, Task as CallTask};

/// Time of a task in addition to its trials: reading and writing files, and starting a program.
const AROUND: Duration = Duration::from_secs(30);

/// A request on its way.
#[derive(Debug)]
pub(super) struct Task {
    pub(super) parcel: Parcel,
    /// The numbers of its calls in the wave.
    pub(super) numbers: Vec<usize>,
    /// How often it was submitted.
    pub(super) tries: u32,
    pub(super) state: State,
}

/// The state of a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum State {
    /// To be submitted.
    Waits,
    /// In the queue or on a node.
    Sent(Sent),
    /// Delivered, or given up.
    Done,
}

/// A submitted task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sent {
    /// Index of the array in the list of arrays.
    pub(super) array: usize,
    /// Its number within the array.
    pub(super) number: usize,
    pub(super) at: Instant,
    /// When it was found to have ended, and in which state, if that was seen.
    pub(super) ended: Option<(Instant, Option<String>)>,
}

/// The calls as tasks of up to `repeats` duets of one benchmark. Duets are grouped by their numbers, not by
/// their order in the wave, so that the same wave makes the same requests again after benchwright was killed.
pub(super) fn tasks(calls: &[Call], run: &RunId, repeats: u32, limit: Option<Duration>) -> Vec<Task> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut places: HashMap<(&BenchmarkId, u32, u32), usize> = HashMap::new();
    for (number, call) in calls.iter().enumerate() {
        let block = match call.task {
            CallTask::Duet { index, attempt, .. } => Some((attempt, index / repeats.max(1))),
            CallTask::Single { .. } => None,
        };
        let key = block.map(|(attempt, block)| (&call.subject.benchmark, attempt, block));
        let place = key.map(|key| *places.entry(key).or_insert(groups.len()));
        match place.and_then(|place| groups.get_mut(place)) {
            Some(group) => group.push(number),
            None => groups.push(vec![number]),
        }
    }
    groups.into_iter().map(|numbers| task(calls, run, numbers, limit)).collect()
}

fn task(calls: &[Call], run: &RunId, mut numbers: Vec<usize>, limit: Option<Duration>) -> Task {
    numbers.sort_by_key(|&number| match calls[number].task {
        CallTask::Duet { index, .. } => index,
        CallTask::Single { .. } => 0,
    });
    let own: Vec<Call> =
        numbers.iter().map(|&number| Call { cores: None, ..calls[number].clone() }).collect();
    let most = own.iter().fold(AROUND, |sum, call| sum.saturating_add(call.limits.wall.saturating_mul(2)));
    let wall = limit.map_or(most, |limit| most.min(limit.saturating_sub(AROUND / 2)));
    Task { parcel: Parcel::new(run, own, wall), numbers, tries: 0, state: State::Waits }
}

/// The name of an array. It depends on its run, its content, the number of tasks, and how often they were
/// submitted.
pub(super) fn array_name(run: &RunId, parcels: &[&Parcel], tries: u32) -> String {
    let calls: Vec<Call> = parcels.iter().flat_map(|parcel| parcel.calls.clone()).collect();
    let ParcelId(content) = ParcelId::of(run, &calls);
    format!("{}{}x{}-{tries}", run_prefix(run), &content[..16], parcels.len())
}

/// The prefix of the names of all arrays of a run.
pub(super) fn run_prefix(run: &RunId) -> String {
    let ParcelId(id) = ParcelId::of(run, &[]);
    format!("bw-{}-", &id[..12])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_call::call;

    fn run() -> RunId {
        RunId("r".into())
    }

    fn made(calls: &[Call]) -> Vec<(ParcelId, Vec<usize>)> {
        tasks(calls, &run(), 3, None).into_iter().map(|task| (task.parcel.id, task.numbers)).collect()
    }

    #[test]
    fn duets_of_one_benchmark_go_together_by_number_whatever_the_order() {
        let calls = |order: &[(&str, u32)]| order.iter().map(|(name, i)| call(name, *i)).collect::<Vec<_>>();
        let one = calls(&[("X", 4), ("Y", 0), ("X", 0), ("X", 2), ("X", 1), ("X", 3)]);
        let numbers: Vec<Vec<usize>> = made(&one).into_iter().map(|(_, numbers)| numbers).collect();
        assert_eq!(numbers, [vec![5, 0], vec![1], vec![2, 4, 3]]);
        let other = calls(&[("X", 0), ("X", 1), ("X", 2), ("X", 3), ("X", 4), ("Y", 0)]);
        let ids = |calls: &[Call]| {
            let mut ids: Vec<ParcelId> = made(calls).into_iter().map(|(id, _)| id).collect();
            ids.sort();
            ids
        };
        assert_eq!(ids(&one), ids(&other));
    }

    #[test]
    fn a_parcel_has_time_for_all_its_trials_within_the_limit_of_the_job() {
        let wall = |limit| tasks(&[call("X", 0), call("X", 1)], &run(), 3, limit)[0].parcel.wall;
        assert_eq!(wall(None), Duration::from_secs(4 * 60 + 30));
        assert_eq!(wall(Some(Duration::from_secs(3600))), Duration::from_secs(4 * 60 + 30));
        assert_eq!(wall(Some(Duration::from_secs(60))), Duration::from_secs(45));
    }

    #[test]
    fn the_name_of_an_array_follows_from_its_content() {
        let parcels = tasks(&[call("X", 0), call("Y", 0)], &run(), 3, None);
        let all: Vec<&Parcel> = parcels.iter().map(|task| &task.parcel).collect();
        let name = array_name(&run(), &all, 0);
        assert!(name.starts_with(&run_prefix(&run())) && name.ends_with("-0"), "{name}");
        assert_eq!(name, array_name(&run(), &all, 0));
        assert_ne!(name, array_name(&run(), &all[..1], 0));
        assert_ne!(name, array_name(&run(), &all, 1));
        let [one, other] = [1, 3].map(|repeats| tasks(&[call("X", 0), call("X", 1)], &run(), repeats, None));
        let [one, other] = [&one, &other]
            .map(|tasks| array_name(&run(), &tasks.iter().map(|task| &task.parcel).collect::<Vec<_>>(), 0));
        assert_ne!(one, other, "the same duets in other parcels");
        assert_ne!(run_prefix(&run()), run_prefix(&RunId("s".into())));
    }
}
