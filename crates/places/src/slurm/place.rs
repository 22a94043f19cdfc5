//! A cluster as a place: it sends waves of calls as job arrays.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use benchwright_model::{BenchmarkId, Diagnostic, Instance, Position, RunId, Trial};
use benchwright_process::Interrupt;
use benchwright_worker::wire::Parcel;
use benchwright_worker::{Call, Task as CallTask};

use super::controller::{Array, Controller, TaskState};
use super::directory::Directory;
use super::task::{Sent, State, Task, array_name, run_prefix, tasks};
use super::{SlurmError, SlurmSettings};
use crate::spread::per_parcel;
use crate::{Place, PlaceError, take_in};

/// How often a request without a result is submitted at most.
const TRIES: u32 = 4;

/// The largest number of tasks in an array: Slurm's default limit.
const LARGEST_ARRAY: usize = 1000;

/// How much later than the end of its task a response may appear here, because network file systems cache
/// missing files.
const DELAY: Duration = Duration::from_secs(5);

/// The pause before a controller that did not answer is asked again. It doubles up to the longest one.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(20);

/// The nodes of a Slurm cluster.
pub struct Slurm {
    settings: SlurmSettings,
    run: RunId,
    directory: Directory,
    program: PathBuf,
    controller: Controller,
    interrupt: Interrupt,
    deadline: Option<Instant>,
    instances: BTreeMap<String, Instance>,
    /// Trials left by an earlier process of this run, by benchmark, duet and attempt.
    left: HashMap<(BenchmarkId, u32, u32), Vec<Trial>>,
    is_prepared: bool,
    /// Whether there may be files that a resumed run needs.
    is_open: bool,
}

/// One array under way.
struct Submitted {
    name: String,
    /// Slurm's number for it.
    number: String,
}

/// A wave under way.
struct Wave {
    tasks: Vec<Task>,
    arrays: Vec<Submitted>,
    diagnostics: Vec<Diagnostic>,
    /// Why tasks were submitted again, and how many.
    losses: BTreeMap<String, u32>,
    asked: Instant,
    /// Since when the controller does not answer.
    silent_since: Option<Instant>,
}

impl Slurm {
    /// The cluster whose commands are in PATH, for a run. Its files are made below `shared`, which all nodes
    /// can read. `program` is benchwright itself, which nodes start.
    pub fn new(
        settings: SlurmSettings,
        run: RunId,
        shared: &Path,
        program: &Path,
        interrupt: Interrupt,
    ) -> Result<Self, SlurmError> {
        Controller::new(Path::new("/")).check()?;
        let directory = Directory::make(shared, &run.0)?;
        let controller = Controller::new(directory.path());
        Ok(Slurm {
            program: directory.install(program)?,
            settings,
            run,
            controller,
            directory,
            interrupt,
            deadline: None,
            instances: BTreeMap::new(),
            left: HashMap::new(),
            is_prepared: false,
            is_open: true,
        })
    }

    /// Before the first wave, cancels arrays that an earlier process of this run left in the queue, except
    /// the array `wanted`. That one continues and its responses are collected. Otherwise the responses in the
    /// directory are used.
    fn prepare(&mut self, wanted: &str) -> Result<Vec<Diagnostic>, SlurmError> {
        if std::mem::replace(&mut self.is_prepared, true) {
            return Ok(Vec::new());
        }
        let prefix = run_prefix(&self.run);
        let is_left = |name: &str| name.starts_with(&prefix) && name != wanted;
        let living = self.patiently(|controller| controller.living())?;
        for (number, _) in living.iter().filter(|(_, name)| is_left(name)) {
            self.controller.cancel(number)?;
        }
        if living.iter().any(|(_, name)| name == wanted) {
            return Ok(Vec::new());
        }
        // A task that is being cancelled may still write a response, which then counts.
        let until = Instant::now() + DELAY;
        while Instant::now() < until && !self.interrupt.is_set() {
            if !self.patiently(|controller| controller.living())?.iter().any(|(_, name)| is_left(name)) {
                break;
            }
            std::thread::sleep(self.settings.poll);
        }
        self.take_up()
    }

    /// Reads responses that an earlier process did not collect.
    fn take_up(&mut self) -> Result<Vec<Diagnostic>, SlurmError> {
        let mut diagnostics = Vec::new();
        for id in self.directory.delivered()? {
            match self.directory.read_parcel(&id).and_then(|parcel| Ok((parcel, self.directory.take(&id)?))) {
                Ok((parcel, (delivery, observed))) => {
                    let intake = take_in(&parcel.calls, delivery, observed);
                    diagnostics.extend(intake.diagnostics);
                    self.instances.insert(intake.instance.id.0.clone(), intake.instance);
                    for (_, trial) in intake.trials {
                        self.left.entry(key_of(&trial)).or_default().push(trial);
                    }
                }
                Err(_) => self.directory.forget(&id),
            }
        }
        Ok(diagnostics)
    }

    /// Asks the controller until it answers, within the limit of patience.
    fn patiently<T>(&self, ask: impl Fn(&Controller) -> Result<T, SlurmError>) -> Result<T, SlurmError> {
        let (since, mut pause) = (Instant::now(), FIRST_PAUSE);
        loop {
            match ask(&self.controller) {
                Err(SlurmError::Unreachable(words)) => {
                    let is_patient = since.elapsed() <= self.settings.patience && !self.is_late();
                    if !is_patient || self.interrupt.is_set() {
                        return Err(SlurmError::Unreachable(words));
                    }
                }
                answer => return answer,
            }
            let until = Instant::now() + pause;
            while Instant::now() < until && !self.interrupt.is_set() {
                std::thread::sleep(self.settings.poll);
            }
            pause = (2 * pause).min(LONGEST_PAUSE);
        }
    }

    fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Submits the waiting tasks in as few arrays as possible.
    fn submit(&self, wave: &mut Wave) -> Result<(), SlurmError> {
        loop {
            let waiting: Vec<usize> = (0..wave.tasks.len())
                .filter(|&index| wave.tasks[index].state == State::Waits)
                .take(LARGEST_ARRAY)
                .collect();
            if waiting.is_empty() || self.interrupt.is_set() {
                return Ok(());
            }
            let submitted = self.submit_array(&wave.tasks, &waiting)?;
            wave.arrays.push(submitted);
            for (number, index) in waiting.into_iter().enumerate() {
                let task = &mut wave.tasks[index];
                task.tries += 1;
                let array = wave.arrays.len() - 1;
                task.state = State::Sent(Sent { array, number, at: Instant::now(), ended: None });
            }
        }
    }

    /// Submits one array of these tasks. If an array of the same name, and therefore of the same content, is
    /// already in the queue, it is used: benchwright was killed after submitting it, or the answer to the
    /// submission got lost.
    fn submit_array(&self, tasks: &[Task], waiting: &[usize]) -> Result<Submitted, SlurmError> {
        let parcels: Vec<&Parcel> = waiting.iter().map(|&index| &tasks[index].parcel).collect();
        let tries = waiting.iter().map(|&index| tasks[index].tries).max().unwrap_or(0);
        let name = array_name(&self.run, &parcels, tries);
        let script = self.directory.write_array(&name, &self.program, parcels.iter().copied())?;
        let longest = parcels.iter().map(|parcel| parcel.wall).max().unwrap_or_default();
        let array = Array {
            name: &name,
            tasks: parcels.len(),
            script: &script,
            logs: &self.directory.logs(),
            time: self.settings.time_limit.unwrap_or(longest + Duration::from_secs(60)),
        };
        let number = self.patiently(|controller| match controller.find(&name)? {
            Some(number) => Ok(number),
            None => controller.submit(&array, &self.settings),
        })?;
        Ok(Submitted { name, number })
    }

    /// Takes the responses that have arrived.
    fn collect(&mut self, wave: &mut Wave, on_trial: &mut dyn FnMut(usize, Trial)) -> Result<(), SlurmError> {
        let delivered = self.directory.delivered()?;
        for task in &mut wave.tasks {
            let State::Sent(sent) = &task.state else { continue };
            if !delivered.contains(&task.parcel.id) {
                continue;
            }
            let observed = sent.at.elapsed();
            match self.directory.take(&task.parcel.id) {
                Ok((delivery, between)) => {
                    let intake = take_in(&task.parcel.calls, delivery, observed.max(between));
                    wave.diagnostics.extend(intake.diagnostics);
                    self.instances.insert(intake.instance.id.0.clone(), intake.instance);
                    intake.trials.into_iter().for_each(|(call, trial)| on_trial(task.numbers[call], trial));
                    task.state = State::Done;
                }
                Err(error) => {
                    *wave.losses.entry(format!("cannot {error}")).or_insert(0) += 1;
                    task.state = if task.tries < TRIES { State::Waits } else { State::Done };
                }
            }
            self.directory.forget(&task.parcel.id);
        }
        Ok(())
    }

    /// Asks the controller about tasks without a response.
    fn ask(&self, wave: &mut Wave) -> Result<(), SlurmError> {
        for (index, array) in wave.arrays.iter().enumerate() {
            let is_of = |task: &Task| matches!(&task.state, State::Sent(sent) if sent.array == index);
            if !wave.tasks.iter().any(is_of) {
                continue;
            }
            let states = match self.controller.states(&array.name) {
                Ok(states) => states,
                Err(SlurmError::Unreachable(words)) => {
                    let since = *wave.silent_since.get_or_insert_with(Instant::now);
                    if since.elapsed() > self.settings.patience {
                        return Err(SlurmError::Unreachable(words));
                    }
                    return Ok(());
                }
                Err(error) => return Err(error),
            };
            wave.silent_since = None;
            for task in wave.tasks.iter_mut().filter(|task| is_of(task)) {
                if let Some(why) = self.lost(task, array, &states) {
                    *wave.losses.entry(why).or_insert(0) += 1;
                    task.state = if task.tries < TRIES { State::Waits } else { State::Done };
                }
            }
        }
        Ok(())
    }

    /// Why a task will no longer answer. `None` if it still may.
    fn lost(&self, task: &mut Task, array: &Submitted, states: &HashMap<usize, TaskState>) -> Option<String> {
        let State::Sent(sent) = &mut task.state else { return None };
        let state = states.get(&sent.number);
        if state == Some(&TaskState::Lives) {
            sent.ended = None;
            return None;
        }
        let (at, seen) = sent.ended.get_or_insert_with(|| (Instant::now(), None));
        // Slurm soon forgets tasks that have ended.
        if let Some(TaskState::Ended(state)) = state {
            *seen = Some(state.clone());
        }
        if at.elapsed() < DELAY.min(2 * self.settings.ask) {
            return None;
        }
        let state = seen.as_deref().unwrap_or("forgotten by Slurm");
        let words = self.directory.last_words(&array.number, sent.number);
        Some(if words.is_empty() { state.to_owned() } else { format!("{state}: {words}") })
    }

    fn follow(&mut self, wave: &mut Wave, on_trial: &mut dyn FnMut(usize, Trial)) -> Result<(), SlurmError> {
        loop {
            self.submit(wave)?;
            self.collect(wave, on_trial)?;
            if wave.tasks.iter().all(|task| task.state == State::Done) {
                return Ok(());
            }
            if self.interrupt.is_set() || self.is_late() {
                return Ok(());
            }
            if wave.asked.elapsed() >= self.settings.ask {
                self.ask(wave)?;
                wave.asked = Instant::now();
            }
            std::thread::sleep(self.settings.poll);
        }
    }

    /// Cancels the rest of a wave. If this fails, the jobs end by their own time limit.
    fn cancel(&self, wave: &Wave) {
        for array in &wave.arrays {
            let _ = self.controller.cancel(&array.number);
        }
    }

    /// Passes on the trials left by an earlier process of this run. Returns the indices of the calls that are
    /// still needed.
    fn hand_over_left(&mut self, calls: &[Call], on_trial: &mut dyn FnMut(usize, Trial)) -> Vec<usize> {
        let mut open = Vec::new();
        for (number, call) in calls.iter().enumerate() {
            let CallTask::Duet { index, attempt, .. } = call.task else {
                open.push(number);
                continue;
            };
            match self.left.remove(&(call.subject.benchmark.clone(), index, attempt)) {
                Some(trials) => trials.into_iter().for_each(|trial| on_trial(number, trial)),
                None => open.push(number),
            }
        }
        open
    }
}

impl Place for Slurm {
    fn describe(&self) -> String {
        "Slurm".into()
    }

    fn carry_out(
        &mut self,
        call: &Call,
        on_trial: &mut dyn FnMut(Trial),
    ) -> Result<Vec<Diagnostic>, PlaceError> {
        self.carry_out_all(std::slice::from_ref(call), &mut |_, trial| on_trial(trial))
    }

    fn end_by(&mut self, deadline: Option<Instant>) {
        self.deadline = deadline;
    }

    fn capacity(&self) -> usize {
        // Even if tasks run one at a time, it is better to have a whole wave in the queue.
        self.settings.parallel.max(2) as usize
    }

    fn carry_out_all(
        &mut self,
        calls: &[Call],
        on_trial: &mut dyn FnMut(usize, Trial),
    ) -> Result<Vec<Diagnostic>, PlaceError> {
        self.is_open = true;
        let limit = self.settings.time_limit;
        let repeats = per_parcel(calls.len(), self.settings.parallel, self.settings.repeats) as u32;
        let all = tasks(calls, &self.run, repeats, limit);
        let whole: Vec<&Parcel> = all.iter().map(|task| &task.parcel).take(LARGEST_ARRAY).collect();
        let diagnostics = match self.prepare(&array_name(&self.run, &whole, 0)) {
            Err(_) if self.interrupt.is_set() => return Ok(Vec::new()),
            prepared => prepared?,
        };
        let open = self.hand_over_left(calls, on_trial);
        let open_calls: Vec<Call> = open.iter().map(|&number| calls[number].clone()).collect();
        let mut wave = Wave {
            tasks: tasks(&open_calls, &self.run, repeats, limit),
            arrays: Vec::new(),
            diagnostics,
            losses: BTreeMap::new(),
            asked: Instant::now(),
            silent_since: None,
        };
        let followed = self.follow(&mut wave, &mut |number, trial| on_trial(open[number], trial));
        let is_done = wave.tasks.iter().all(|task| task.state == State::Done);
        if !is_done {
            self.cancel(&wave);
        }
        match followed {
            // Waiting for a controller may have been interrupted too.
            Err(error) if !self.interrupt.is_set() => return Err(error.into()),
            _ => {}
        }
        self.is_open = !is_done;
        match is_done || self.interrupt.is_set() {
            true => Ok(told(wave)),
            false => Err(PlaceError::OutOfTime { noticed: told(wave) }),
        }
    }

    fn instances(&self) -> Vec<Instance> {
        self.instances.values().cloned().collect()
    }
}

impl Drop for Slurm {
    /// Removes the files if all results have been passed on. The files of an interrupted run stay for when it
    /// is resumed.
    fn drop(&mut self) {
        if !self.is_open || self.directory.is_empty() {
            self.directory.remove();
        }
    }
}

/// The diagnostics of a wave.
fn told(wave: Wave) -> Vec<Diagnostic> {
    let again = |(why, count): (String, u32)| {
        let message = match count {
            1 => format!("a job ended without a result and was submitted again: {why}"),
            n => format!("jobs ended {n} times without results and were submitted again: {why}"),
        };
        Diagnostic::warning("slurm", message)
    };
    wave.diagnostics.into_iter().chain(wave.losses.into_iter().map(again)).collect()
}

fn key_of(trial: &Trial) -> (BenchmarkId, u32, u32) {
    match trial.position {
        Position::Duet { index, attempt, .. } => (trial.benchmark.clone(), index, attempt),
        Position::Levels { suite_run, iteration, .. } => (trial.benchmark.clone(), iteration, suite_run),
    }
}
