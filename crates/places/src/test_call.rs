//! A call for tests.

use std::time::Duration;

use benchwright_harness::{Executable, TrialShape};
use benchwright_model::{BenchmarkId, Phase, Side};
use benchwright_worker::{BuildPlace, Call, Pairing, Program, Subject, Task, TrialLimits};

/// A duet of the Go benchmark `name` whose program is missing on both sides.
pub(crate) fn call(name: &str, index: u32) -> Call {
    call_of("no/such/program", name, index)
}

/// A duet of a Go benchmark whose program is `path`, relative to the root directory, on both sides.
pub(crate) fn call_of(path: &str, name: &str, index: u32) -> Call {
    let program = Program {
        executable: Executable {
            harness: "go".into(),
            package: "p".into(),
            flavour: "go".into(),
            flavour_version: String::new(),
            path: path.into(),
            dir: "".into(),
            env: Vec::new(),
        },
        place: BuildPlace { root: "/".into(), out: "/".into() },
    };
    let benchmark = BenchmarkId::new("go", "p", name);
    Call {
        subject: Subject { benchmark, base: Some(program.clone()), head: Some(program) },
        task: Task::Duet {
            index,
            attempt: 0,
            phase: Phase::Screening,
            first: Side::Head,
            pairing: Pairing::Sequential,
        },
        shape: TrialShape::fixed(1, Duration::from_millis(1)),
        limits: TrialLimits { wall: Duration::from_secs(60), output_bytes: 1 << 20, memory_bytes: None },
        cores: None,
        niceness: None,
        padding: 0,
        earlier: Vec::new(),
    }
}
