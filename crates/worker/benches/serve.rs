//! What a request costs before its first trial: from the start of the program that serves it to the start of the first process, and
//! the part of that which is reading the request. Prints `name value unit` lines.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark is a program of its own")]

use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use benchwright_harness::{Executable, TrialShape};
use benchwright_model::{BenchmarkId, Phase, RunId, Side};
use benchwright_process::Interrupt;
use benchwright_worker::wire::{Delivery, Host, Parcel, SystemClock, serve};
use benchwright_worker::{
    BuildPlace, Call, CommonEnvironment, Pairing, Program, Subject, Task, TrialLimits, Worker,
};

/// Starts that are measured; the median counts.
const STARTS: usize = 51;

fn main() {
    if std::env::args().nth(1).as_deref() == Some("serve") {
        return serve_once();
    }
    let parcel = parcel();
    let bytes = parcel.to_bytes().unwrap();
    let mut starts: Vec<f64> = (0..STARTS).map(|_| start_to_first_process(&bytes)).collect();
    println!("serve: start to first process {:.0} us", median(&mut starts));
    let mut reads: Vec<f64> = (0..STARTS)
        .map(|_| {
            let begin = Instant::now();
            assert_eq!(Parcel::from_bytes(&bytes).unwrap().id, parcel.id);
            begin.elapsed().as_secs_f64() * 1e9
        })
        .collect();
    println!("serve: read a parcel of three duets {:.0} ns", median(&mut reads));
}

/// Microseconds from before the start of a serving program until its first trial.
fn start_to_first_process(parcel: &[u8]) -> f64 {
    let me = std::env::current_exe().unwrap();
    let begin = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let child = Command::new(me).arg("serve").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut child = child.unwrap();
    child.stdin.take().unwrap().write_all(parcel).unwrap();
    let delivery = Delivery::from_bytes(&child.wait_with_output().unwrap().stdout).unwrap();
    let first = delivery.answers[0].trials[0].started_at;
    first.0 as f64 - begin.as_micros() as f64
}

fn serve_once() {
    let mut bytes = Vec::new();
    std::io::stdin().read_to_end(&mut bytes).unwrap();
    let worker = Worker::new(CommonEnvironment::capture(), std::env::temp_dir());
    let host = Host::here("here", "bench");
    let answer = serve(&bytes, &worker, &host, &Interrupt::new(), &SystemClock::new()).unwrap();
    std::io::stdout().write_all(&answer).unwrap();
}

/// Three duets of a program that does nothing.
fn parcel() -> Parcel {
    let program = Program {
        executable: Executable {
            harness: "go".into(),
            package: "p".into(),
            flavour: "go".into(),
            flavour_version: String::new(),
            path: "bin/true".into(),
            dir: "".into(),
            env: Vec::new(),
        },
        place: BuildPlace { root: "/".into(), out: "/".into() },
    };
    let call = |index| Call {
        subject: Subject {
            benchmark: BenchmarkId::new("go", "p", "BenchmarkNothing"),
            base: Some(program.clone()),
            head: Some(program.clone()),
        },
        task: Task::Duet {
            index,
            attempt: 0,
            phase: Phase::Screening,
            first: Side::Base,
            pairing: Pairing::Sequential,
        },
        shape: TrialShape::fixed(1, Duration::from_millis(1)),
        limits: TrialLimits { wall: Duration::from_secs(10), output_bytes: 1 << 20, memory_bytes: None },
        cores: None,
        niceness: None,
        padding: 0,
        earlier: Vec::new(),
    };
    Parcel::new(&RunId("bench".into()), (0..3).map(call).collect(), Duration::from_secs(60))
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
