//! What sending calls costs: ten thousand requests through the SDK to a stand-in for the platform that answers at once. Prints
//! `name value unit` lines. The stand-in is a process of its own, so that its memory and its time are not counted.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark is a program of its own")]

#[path = "../../cli/tests/black_box/stub.rs"]
#[expect(dead_code, reason = "tests use more of it")]
mod stub;

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use benchwright_harness::{Executable, TrialShape};
use benchwright_model::{BenchmarkId, Phase, RunId, Side};
use benchwright_places::Place;
use benchwright_places::lambda::{Account, Lambda, LambdaSettings};
use benchwright_places::package::Architecture;
use benchwright_process::Interrupt;
use benchwright_worker::{BuildPlace, Call, Pairing, Program, Subject, Task, TrialLimits};

const CALLS: u32 = 10_000;

fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("stub") => answer_forever(),
        Some("send") => send(&std::env::args().nth(2).unwrap()),
        _ => measure(),
    }
}

fn answer_forever() {
    let stub = stub::Stub::start(|_| stub::Fate::Answer);
    println!("{}", stub.address);
    loop {
        std::thread::sleep(Duration::from_secs(3600));
    }
}

/// Starts the stand-in, and a sender with credentials of nobody.
fn measure() {
    let me = std::env::current_exe().unwrap();
    let mut stub = Command::new(&me).arg("stub").stdout(Stdio::piped()).spawn().unwrap();
    let mut address = String::new();
    BufReader::new(stub.stdout.take().unwrap()).read_line(&mut address).unwrap();
    let mut sender = Command::new(&me);
    sender
        .args(["send", address.trim()])
        .env("AWS_ACCESS_KEY_ID", "nobody")
        .env("AWS_SECRET_ACCESS_KEY", "x");
    let status = sender.env("AWS_REGION", "eu-central-1").env("AWS_EC2_METADATA_DISABLED", "true").status();
    stub.kill().unwrap();
    stub.wait().unwrap();
    assert!(status.unwrap().success());
}

fn send(address: &str) {
    let dir = tempfile::tempdir().unwrap();
    let program = program(dir.path());
    let settings = LambdaSettings {
        repeats: 1,
        endpoint: Some(format!("http://{address}")),
        function: Some("_".into()),
        bucket: Some("none".into()),
        architecture: Some(Architecture::X86),
        ..LambdaSettings::default()
    };
    let account = Account::open(&settings).unwrap();
    let run = RunId("dispatch".into());
    let mut place =
        Lambda::connect(account, settings, Architecture::X86, None, run, Interrupt::new()).unwrap();
    let calls: Vec<Call> = (0..CALLS).map(|index| call(&program, index)).collect();
    assert_eq!(
        place.prepare(&[calls[0].subject.clone()], &benchwright_harness::all(), &|_| None).unwrap(),
        []
    );
    let (began, cpu) = (Instant::now(), cpu_secs());
    let mut trials = 0;
    place.carry_out_all(&calls, &mut |_, _| trials += 1).unwrap();
    let (took, cpu) = (began.elapsed().as_secs_f64(), cpu_secs() - cpu);
    assert_eq!(trials, 2 * CALLS);
    print("lambda: calls per second", f64::from(CALLS) / took, "1/s");
    print("lambda: own time per call", cpu / f64::from(CALLS) * 1e3, "ms");
    print("lambda: memory for 10,000 calls", most_memory() as f64 / 1e6, "MB");
}

/// A program that fits the platform as far as its headers show: 64 bytes of them, and nothing to load.
fn program(dir: &std::path::Path) -> Program {
    let mut header = vec![0u8; 64];
    header[..7].copy_from_slice(b"\x7fELF\x02\x01\x01");
    header[16] = 2;
    header[18] = 62;
    header[20] = 1;
    header[52] = 64;
    std::fs::write(dir.join("p.test"), header).unwrap();
    let executable = Executable {
        harness: "go".into(),
        package: "p".into(),
        flavour: "go".into(),
        flavour_version: String::new(),
        path: "p.test".into(),
        dir: "".into(),
        env: Vec::new(),
    };
    std::fs::create_dir(dir.join("root")).unwrap();
    Program { executable, place: BuildPlace { root: dir.join("root"), out: dir.into() } }
}

fn call(program: &Program, index: u32) -> Call {
    let benchmark = BenchmarkId::new("go", "p", format!("Benchmark{}", index % 100));
    Call {
        subject: Subject { benchmark, base: Some(program.clone()), head: Some(program.clone()) },
        task: Task::Duet {
            index: index / 100,
            attempt: 0,
            phase: Phase::Screening,
            first: Side::Head,
            pairing: Pairing::Sequential,
        },
        shape: TrialShape::fixed(15, Duration::from_millis(20)),
        limits: TrialLimits { wall: Duration::from_secs(20), output_bytes: 1 << 20, memory_bytes: None },
        cores: None,
        niceness: None,
        padding: 0,
        earlier: Vec::new(),
    }
}

/// Time on processors of this process so far.
fn cpu_secs() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit(") ").next().unwrap().split(' ').collect();
    let ticks: f64 = fields[11].parse::<f64>().unwrap() + fields[12].parse::<f64>().unwrap();
    ticks / 100.0
}

/// The largest resident set of this process so far, bytes.
fn most_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
}

fn print(name: &str, value: f64, unit: &str) {
    println!("{name} {value} {unit}");
}
