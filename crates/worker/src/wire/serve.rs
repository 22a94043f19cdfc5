//! Makes a response from a request, on the machine that received it.

use std::sync::mpsc;
use std::time::Duration;

use benchwright_model::{Instance, InstanceId};
use benchwright_process::{Interrupt, usable_cores};

use super::{Answer, Clock, Delivery, Parcel, Refusal, Service, WireError};
use crate::{Call, Pairing, Task, Worker, machine};

/// The instance that serves a request, and its state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Host {
    /// The instance.
    pub instance: Instance,
    /// Number of requests that it has served before. 0 means that it is cold.
    pub served_before: u32,
}

impl Host {
    /// This machine as an instance called `id` of a place such as `slurm`.
    pub fn here(id: impl Into<String>, place: impl Into<String>) -> Self {
        let facts = machine::environment().facts;
        let fact = |name: &str| facts.get(name).cloned().unwrap_or_default();
        let gibibytes: u64 = fact("memory").split(' ').next().and_then(|n| n.parse().ok()).unwrap_or(0);
        let instance = Instance {
            id: InstanceId(id.into()),
            place: place.into(),
            cpu: fact("cpu"),
            arch: fact("arch"),
            cores: fact("allowed cores").parse().unwrap_or(0),
            memory_bytes: gibibytes << 30,
        };
        Host { instance, served_before: 0 }
    }
}

/// Carries out the request in `bytes` and returns the bytes of its response. `interrupt` must be a new one,
/// or that of a process that serves this request only: it is set when the time of the request is over.
pub fn serve(
    bytes: &[u8],
    worker: &Worker,
    host: &Host,
    interrupt: &Interrupt,
    clock: &dyn Clock,
) -> Result<Vec<u8>, WireError> {
    deliver(&Parcel::from_bytes(bytes)?, worker, host, interrupt, clock).to_bytes()
}

/// Carries out a request under the same conditions.
pub fn deliver(
    parcel: &Parcel,
    worker: &Worker,
    host: &Host,
    interrupt: &Interrupt,
    clock: &dyn Clock,
) -> Delivery {
    let (started_at, begin) = (clock.wall(), clock.steady());
    let answers = std::thread::scope(|scope| {
        let (done, is_done) = mpsc::channel::<()>();
        scope.spawn(move || {
            if is_done.recv_timeout(parcel.wall) == Err(mpsc::RecvTimeoutError::Timeout) {
                interrupt.set();
            }
        });
        let answers = parcel.calls.iter().map(|call| answer(call, worker, interrupt, parcel.wall)).collect();
        drop(done);
        answers
    });
    let took = clock.steady().saturating_sub(begin);
    let served_before = host.served_before;
    let service = Service { served_before, started_at, ended_at: clock.wall(), took, billed: None };
    Delivery { parcel: parcel.id.clone(), answers, instance: host.instance.clone(), service }
}

fn answer(call: &Call, worker: &Worker, interrupt: &Interrupt, wall: Duration) -> Answer {
    let mut trials = Vec::new();
    let carried_out = worker.carry_out(&on_cores_here(call), interrupt, &mut |trial| {
        if !trial.is_cut_off() {
            trials.push(trial);
        }
    });
    let cut = || Refusal {
        message: format!("finish within {wall:?}, the time limit of the whole request"),
        hint: "fewer repeats per call, or a longer time limit".into(),
    };
    match carried_out {
        Ok(diagnostics) => {
            let wanted = if matches!(call.task, Task::Duet { .. }) { 2 } else { 1 };
            Answer { refusal: (trials.len() < wanted).then(cut), trials, diagnostics }
        }
        Err(error) => {
            let refusal = Refusal { message: error.to_string(), hint: error.hint() };
            Answer { trials, diagnostics: Vec::new(), refusal: Some(refusal) }
        }
    }
}

/// Runs the halves of a parallel duet on the first two cores of this machine, whose numbers the sender does
/// not know.
fn on_cores_here(call: &Call) -> Call {
    let mut call = call.clone();
    if let Task::Duet { pairing: Pairing::Parallel { cores }, .. } = &mut call.task
        && let Some(&[one, other]) = usable_cores().unwrap_or_default().first_chunk::<2>()
    {
        *cores = [one, other];
    }
    call
}
