use std::cell::Cell;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use benchwright_harness::{Executable, TrialShape};
use benchwright_model::{
    BenchmarkId, Instance, InstanceId, Outcome, Phase, Position, RunId, Side, Timestamp, Trial, Usage,
};
use benchwright_process::Interrupt;
use proptest::prelude::*;

use super::*;
use crate::{BuildPlace, Call, CommonEnvironment, Pairing, Program, Subject, Task, TrialLimits, Worker};

const SECOND: Duration = Duration::from_secs(1);

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_field_of_a_parcel_comes_back(parcel in arbitrary::parcel()) {
        prop_assert_eq!(Parcel::from_bytes(&parcel.to_bytes().unwrap()).unwrap(), parcel);
    }

    #[test]
    fn every_field_of_a_delivery_comes_back(delivery in arbitrary::delivery()) {
        let back = Delivery::from_bytes(&delivery.to_bytes().unwrap()).unwrap();
        // Compared as text, in which NaN equals NaN.
        prop_assert_eq!(format!("{back:?}"), format!("{delivery:?}"));
    }

    #[test]
    fn cut_off_bytes_are_an_error(parcel in arbitrary::parcel(), share in 0.0..1.0_f64) {
        let bytes = parcel.to_bytes().unwrap();
        let cut = &bytes[..(bytes.len() as f64 * share) as usize];
        let is_refused = matches!(Parcel::from_bytes(cut), Err(WireError::Unreadable { .. }));
        prop_assert!(is_refused);
    }

    #[test]
    fn damaged_bytes_never_panic(delivery in arbitrary::delivery(), at: usize, byte: u8) {
        let mut bytes = delivery.to_bytes().unwrap();
        let at = at % bytes.len();
        bytes[at] = byte;
        let _ = Delivery::from_bytes(&bytes);
    }

    #[test]
    fn garbage_is_an_error(bytes: Vec<u8>) {
        prop_assert!(Parcel::from_bytes(&bytes).is_err() && Delivery::from_bytes(&bytes).is_err());
    }

    #[test]
    fn doubting_never_panics(delivery in arbitrary::delivery(), secs in 0..u64::MAX) {
        delivery.doubt(Duration::from_secs(secs));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn trials_without_an_instance_are_read_as_earlier_versions_wrote_them(delivery in arbitrary::delivery()) {
        let text = String::from_utf8(delivery.to_bytes().unwrap()).unwrap();
        let back = Delivery::from_bytes(text.replace(r#""instance":null,"#, "").as_bytes()).unwrap();
        prop_assert_eq!(format!("{back:?}"), format!("{delivery:?}"));
    }
}

#[test]
fn another_version_is_refused_by_name() {
    let check = |text: &str, expected: &str| {
        assert_eq!(Parcel::from_bytes(text.as_bytes()).unwrap_err().to_string(), expected);
    };
    let other = "read a request of format 2: this benchwright supports format 1";
    check(r#"{"version":2}"#, other);
    check(r#"{"version":2,"parcel":7,"calls":"none"}"#, other);
    check(r#"{"parcel":"x"}"#, "understand the request that came");
    check(r#"{"version":1,"parcel":"x"}"#, "understand the request that came");
}

fn call(root: &Path, index: u32, attempt: u32) -> Call {
    let program = Program {
        executable: Executable {
            harness: "go".into(),
            package: "p".into(),
            flavour: "go".into(),
            flavour_version: String::new(),
            path: "program".into(),
            dir: "".into(),
            env: Vec::new(),
        },
        place: BuildPlace { root: root.into(), out: root.into() },
    };
    Call {
        subject: Subject {
            benchmark: BenchmarkId::new("go", "p", "BenchmarkSort"),
            base: Some(program.clone()),
            head: Some(program),
        },
        task: Task::Duet {
            index,
            attempt,
            phase: Phase::Screening,
            first: Side::Head,
            pairing: Pairing::Sequential,
        },
        shape: TrialShape { args: vec!["-cpu=1".into()], ..TrialShape::fixed(1, Duration::from_millis(1)) },
        limits: TrialLimits { wall: 60 * SECOND, output_bytes: 1 << 20, memory_bytes: None },
        cores: None,
        niceness: None,
        padding: 0,
        earlier: Vec::new(),
    }
}

#[test]
fn the_same_work_has_the_same_identity_and_other_work_another() {
    let id = |run: &str, duets: &[(u32, u32)], root: &str| {
        let calls: Vec<Call> = duets.iter().map(|&(i, a)| call(Path::new(root), i, a)).collect();
        ParcelId::of(&RunId(run.into()), &calls)
    };
    let one = id("r", &[(0, 0), (1, 0)], "/here");
    assert_eq!(one.0.len(), 32);
    assert_eq!(one, id("r", &[(0, 0), (1, 0)], "/elsewhere"));
    let others = [
        id("s", &[(0, 0), (1, 0)], "/here"),
        id("r", &[(0, 1), (1, 0)], "/here"),
        id("r", &[(0, 0), (2, 0)], "/here"),
        id("r", &[(0, 0)], "/here"),
        id("r", &[(1, 0), (0, 0)], "/here"),
    ];
    assert!(others.iter().all(|other| *other != one));
}

/// A directory with a Go test program that is this shell script.
fn program(script: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("program");
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    dir
}

fn served(script: &str, duets: u32, wall: Duration) -> Delivery {
    let root = program(script);
    let scratch = tempfile::tempdir().unwrap();
    let worker = Worker::new(CommonEnvironment::capture(), scratch.path());
    let calls = (0..duets).map(|index| call(root.path(), index, 0)).collect();
    let parcel = Parcel::new(&RunId("r".into()), calls, wall);
    let host = Host { served_before: 4, ..Host::here("node-1", "slurm") };
    let bytes = parcel.to_bytes().unwrap();
    let answer = serve(&bytes, &worker, &host, &Interrupt::new(), &SystemClock::new()).unwrap();
    let delivery = Delivery::from_bytes(&answer).unwrap();
    assert_eq!(delivery.parcel, parcel.id);
    delivery
}

#[test]
fn a_served_parcel_has_all_its_trials_and_says_where_they_ran() {
    let delivery = served("echo 'BenchmarkSort 	 100 	 12.5 ns/op'; echo PASS", 2, 60 * SECOND);
    assert_eq!(delivery.answers.len(), 2);
    for (number, answer) in delivery.answers.iter().enumerate() {
        assert_eq!(answer.refusal, None);
        assert_eq!(
            answer.trials.iter().map(|trial| trial.side).collect::<Vec<_>>(),
            [Side::Head, Side::Base]
        );
        for trial in &answer.trials {
            let Position::Duet { index, .. } = trial.position else { panic!("{trial:?}") };
            assert_eq!(index as usize, number);
            let Outcome::Measured(measurement) = &trial.outcome else { panic!("{trial:?}") };
            assert_eq!(measurement.main().unwrap().values, [12.5e-9]);
        }
    }
    assert_eq!(delivery.instance.id, InstanceId("node-1".into()));
    assert_eq!(delivery.instance.arch, std::env::consts::ARCH);
    assert_eq!(delivery.service.served_before, 4);
    assert_eq!(delivery.doubt(delivery.service.took), None);
}

#[test]
fn a_parcels_time_limit_ends_what_runs_and_what_waits() {
    let delivery = served("exec sleep 100", 3, Duration::from_millis(100));
    assert!(delivery.service.took < 50 * SECOND);
    for answer in delivery.answers {
        assert_eq!(answer.trials, []);
        assert!(answer.refusal.unwrap().message.contains("within 100ms"));
    }
}

/// A wall clock that is set while a request is served.
struct Jumping {
    clock: SystemClock,
    asked: Cell<i64>,
}

impl Clock for Jumping {
    fn wall(&self) -> Timestamp {
        self.asked.set(self.asked.get() + 1);
        Timestamp(self.clock.wall().0 + 3_600_000_000 * self.asked.get())
    }
    fn steady(&self) -> Duration {
        self.clock.steady()
    }
}

#[test]
fn a_clock_that_is_set_meanwhile_is_noticed() {
    let scratch = tempfile::tempdir().unwrap();
    let worker = Worker::new(CommonEnvironment::capture(), scratch.path());
    let parcel = Parcel::new(&RunId("r".into()), Vec::new(), SECOND);
    let clock = Jumping { clock: SystemClock::new(), asked: Cell::new(0) };
    let delivery = deliver(&parcel, &worker, &Host::here("i", "lambda"), &Interrupt::new(), &clock);
    let doubt = delivery.doubt(SECOND).unwrap();
    assert!(doubt.starts_with("its clock jumped by 3600"), "{doubt}");
}

/// A response that took from second 100 to 110 by its own clock, with one trial.
fn timed(trial_starts: i64, trial_secs: u32) -> Delivery {
    let trial = Trial {
        started_at: Timestamp(trial_starts * 1_000_000),
        usage: Usage { wall: trial_secs * SECOND, ..Usage::default() },
        ..benchwright_testkit::trial("X", Side::Base, 0, &[1.0])
    };
    let instance = Instance {
        id: InstanceId("i".into()),
        place: "lambda".into(),
        cpu: String::new(),
        arch: String::new(),
        cores: 0,
        memory_bytes: 0,
    };
    let service = Service {
        served_before: 0,
        started_at: Timestamp(100_000_000),
        ended_at: Timestamp(110_000_000),
        took: 10 * SECOND,
        billed: None,
    };
    let answers = vec![Answer { trials: vec![trial], ..Answer::default() }];
    Delivery { parcel: ParcelId("p".into()), answers, instance, service }
}

#[test]
fn times_that_cannot_be_are_doubted() {
    let check = |trial_starts, trial_secs, observed: u32, expected: Option<&str>| {
        assert_eq!(timed(trial_starts, trial_secs).doubt(observed * SECOND).as_deref(), expected);
    };
    check(101, 8, 11, None);
    check(100, 10, 10, None);
    check(101, 8, 9, Some("it says that it took 10.000s, but 9.000s passed here"));
    check(101, 12, 20, Some("a trial took 12.000s by its clock, all of them 10.000s"));
    check(98, 5, 20, Some("its clock jumped between two trials"));
    check(107, 5, 20, Some("its clock jumped between two trials"));
}
