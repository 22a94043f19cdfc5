use std::io::{self, BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use benchwright_model::*;
use proptest::prelude::*;
use tempfile::TempDir;

use super::*;
use crate::arbitrary;

fn header() -> JournalHeader {
    let version = |label: &str| Version {
        label: label.into(),
        commit: Some("1f2e3d4".into()),
        tree: "77aa".into(),
        dirty: false,
        subject: "Sort faster".into(),
    };
    JournalHeader {
        run: Run {
            id: RunId("20260102-030405-abcd".into()),
            kind: RunKind::Compare,
            command: vec!["benchwright".into(), "compare".into(), "main".into()],
            started_at: Timestamp(1),
            ended_at: None,
            seed: u64::MAX,
            base: Some(version("main")),
            head: version("working tree"),
            environment: Environment::default(),
            tool_version: "0.1.0".into(),
            settings: [("duets".to_owned(), "30".to_owned())].into(),
        },
        benchmarks: vec![BenchmarkId::new("go", "sort", "BenchmarkSort/n=1")],
        options: [("budget".to_owned(), "5m".to_owned())].into(),
    }
}

fn trial(index: u32) -> Trial {
    let series =
        Series { metric: Metric::time(), values: vec![1e-9, 5e-324, f64::INFINITY], resolution: 1e-4 };
    Trial {
        benchmark: BenchmarkId::new("go", "sort", "BenchmarkSort/n=1"),
        side: Side::Head,
        position: Position::Duet { index, attempt: 0, first: true },
        phase: Phase::Screening,
        layout: None,
        instance: None,
        started_at: Timestamp(i64::from(index)),
        usage: Usage::default(),
        stopped: None,
        outcome: Outcome::Measured(Measurement {
            warmup: 1,
            operations: vec![100],
            series: vec![series],
            ..Measurement::default()
        }),
    }
}

/// A journal in a new directory with this many trials.
fn written(trials: u32) -> (TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("journals/run.journal");
    let mut journal = Journal::create(&path, &header()).unwrap();
    for index in 0..trials {
        journal.append(&trial(index)).unwrap();
    }
    (dir, path)
}

fn indices(content: &JournalContent) -> Vec<u32> {
    let index = |trial: &Trial| match trial.position {
        Position::Duet { index, .. } => index,
        Position::Levels { .. } => panic!("no such trial was written"),
    };
    content.trials.iter().map(index).collect()
}

#[test]
fn everything_written_is_read() {
    let (_dir, path) = written(2);
    let (mut journal, _) = Journal::reopen(&path).unwrap();
    let note = Diagnostic::warning("sort", "two\nlines").at(3, 4).hint("do");
    journal.append_note(&note).unwrap();
    journal.append(&trial(2)).unwrap();
    let content = Journal::read(&path).unwrap();
    assert_eq!(content.header, header());
    assert_eq!(content.trials, [trial(0), trial(1), trial(2)]);
    assert_eq!(content.notes, [note]);
    assert_eq!(content.diagnostics, []);
}

#[test]
fn records_of_before_stop_rules_and_turns_are_read() {
    let (_dir, path) = written(0);
    let mut json: serde_json::Value = serde_json::from_str(&frame::Record::trial_text(&trial(0))).unwrap();
    let remove = |value: &mut serde_json::Value, key: &str| {
        assert!(value.as_object_mut().unwrap().remove(key).is_some(), "{key} was written");
    };
    remove(&mut json["trial"], "stopped");
    remove(&mut json["trial"]["usage"], "processes");
    let mut file = fs::OpenOptions::new().append(true).open(&path).unwrap();
    file.write_all(&frame::line(&json.to_string())).unwrap();
    let read = Journal::read(&path).unwrap().trials;
    assert_eq!((read[0].usage.processes, &read[0].stopped), (1, &None));
}

#[test]
fn an_existing_journal_is_not_overwritten() {
    let (_dir, path) = written(1);
    let error = Journal::create(&path, &header()).unwrap_err();
    assert!(
        matches!(&error, JournalError::Create { source, .. } if source.kind() == io::ErrorKind::AlreadyExists)
    );
    assert!(error.hint().contains("--resume"));
    assert_eq!(indices(&Journal::read(&path).unwrap()), [0]);
}

#[test]
fn a_tail_torn_at_any_byte_costs_only_the_last_record() {
    let (_dir, path) = written(3);
    let whole = fs::read(&path).unwrap();
    let start = whole[..whole.len() - 1].iter().rposition(|byte| *byte == b'\n').unwrap() + 1;
    for length in start..whole.len() {
        fs::write(&path, &whole[..length]).unwrap();
        // In the last case only the newline is missing: the record is complete, and its trial is not run
        // again.
        let is_whole = length == whole.len() - 1;
        let torn = usize::from(length != start && !is_whole);
        let expected: &[u32] = if is_whole { &[0, 1, 2] } else { &[0, 1] };

        let content = Journal::read(&path).unwrap();
        assert_eq!(indices(&content), expected, "{length}");
        assert_eq!(content.diagnostics.len(), torn, "{length}");
        assert_eq!(fs::read(&path).unwrap().len(), length, "reading changes nothing");

        let (mut journal, content) = Journal::reopen(&path).unwrap();
        assert_eq!(indices(&content), expected, "{length}");
        assert_eq!(content.diagnostics.len(), torn, "{length}");
        if torn == 1 {
            assert_eq!(content.diagnostics[0].position, Some(TextPosition { line: 4, column: 1 }));
        }
        journal.append(&trial(7)).unwrap();
        drop(journal);
        let content = Journal::read(&path).unwrap();
        assert_eq!(indices(&content), [expected, &[7]].concat(), "{length}");
        assert_eq!(content.diagnostics, [], "{length}");
    }
}

#[test]
fn any_damaged_byte_in_the_middle_costs_only_its_record() {
    let (_dir, path) = written(3);
    let whole = fs::read(&path).unwrap();
    let ends: Vec<usize> = (0..whole.len()).filter(|index| whole[*index] == b'\n').collect();
    for index in ends[0] + 1..ends[1] {
        let mut damaged = whole.clone();
        damaged[index] ^= 0x15;
        fs::write(&path, &damaged).unwrap();
        let (journal, content) = Journal::reopen(&path).unwrap();
        assert_eq!(indices(&content), [1, 2], "{index}");
        // A byte that turns into a newline makes two damaged records of one.
        let lines = if damaged[index] == b'\n' { 2 } else { 1 };
        assert_eq!(content.diagnostics.len(), lines, "{index}");
        assert_eq!(content.diagnostics[0].position, Some(TextPosition { line: 2, column: 1 }));
        drop(journal);
        assert_eq!(fs::read(&path).unwrap(), damaged, "damaged records stay for people to look at");
    }
}

#[test]
fn a_record_of_zeroes_at_the_end_is_cut_off() {
    let (_dir, path) = written(1);
    let whole = fs::read(&path).unwrap();
    fs::write(&path, [&whole[..], &[0; 4096]].concat()).unwrap();
    let (_journal, content) = Journal::reopen(&path).unwrap();
    assert_eq!((indices(&content), content.diagnostics.len()), (vec![0], 1));
    assert_eq!(fs::read(&path).unwrap(), whole);
}

#[test]
fn an_unknown_record_is_skipped() {
    let (_dir, path) = written(1);
    let mut file = OpenOptions::new().append(true).open(&path).unwrap();
    Write::write_all(&mut file, &frame::line("{\"unheard_of\":1}")).unwrap();
    let content = Journal::read(&path).unwrap();
    assert_eq!((indices(&content), content.diagnostics.len()), (vec![0], 1));
    assert!(content.diagnostics[0].message.contains("unheard_of"), "{}", content.diagnostics[0]);
}

#[test]
fn a_header_torn_at_any_byte_says_that_nothing_was_measured() {
    let (_dir, path) = written(0);
    let whole = fs::read(&path).unwrap();
    for length in 0..whole.len() - 1 {
        fs::write(&path, &whole[..length]).unwrap();
        assert!(matches!(Journal::reopen(&path), Err(JournalError::NoHeader { .. })), "{length}");
        assert_eq!(fs::read(&path).unwrap().len(), length);
    }
    fs::write(&path, &whole[..whole.len() - 1]).unwrap();
    drop(Journal::reopen(&path).unwrap());
    assert_eq!(fs::read(&path).unwrap(), whole);
}

#[test]
fn other_files_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("journal");
    fs::write(&path, "hello\nworld\n").unwrap();
    let error = Journal::read(&path).unwrap_err();
    assert!(matches!(error, JournalError::BadHeader { .. }), "{error}");
    assert!(error.hint().contains("move"));
    let missing = Journal::read(&dir.path().join("none")).unwrap_err();
    assert!(matches!(missing, JournalError::Read { .. }));
}

#[test]
fn a_newer_journal_is_refused_with_advice() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("journal");
    let line = frame::line(r#"{"format":3,"written_by":"9.9.9","whatever":[]}"#);
    fs::write(&path, &line).unwrap();
    let error = Journal::reopen(&path).unwrap_err();
    let expected = "it was written by a newer benchwright (9.9.9, format 3)";
    assert!(error.to_string().ends_with(expected), "{error}");
    assert!(error.hint().starts_with("use benchwright 9.9.9 or later"), "{}", error.hint());
    assert_eq!(fs::read(&path).unwrap(), line, "the file is as it was");
}

#[test]
fn a_journal_in_use_is_not_taken_over() {
    let (_dir, path) = written(1);
    let (journal, _) = Journal::reopen(&path).unwrap();
    assert!(matches!(Journal::reopen(&path), Err(JournalError::InUse { .. })));
    assert_eq!(indices(&Journal::read(&path).unwrap()), [0]);
    drop(journal);
    Journal::reopen(&path).unwrap();
}

#[test]
fn a_discarded_journal_is_gone() {
    let (_dir, path) = written(1);
    Journal::reopen(&path).unwrap().0.discard().unwrap();
    assert!(!path.exists());
}

/// A file on a disk with `room` bytes left, on which cutting can be made to fail.
#[derive(Debug)]
struct SmallDisk {
    file: File,
    room: usize,
    cuts_to_fail: usize,
    syncs_to_fail: usize,
}

impl Medium for SmallDisk {
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        let written = bytes.len().min(self.room);
        Write::write_all(&mut self.file, &bytes[..written])?;
        self.room -= written;
        if written < bytes.len() { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
    }

    fn sync(&mut self) -> io::Result<()> {
        if self.syncs_to_fail > 0 {
            self.syncs_to_fail -= 1;
            return Err(io::Error::other("the disk is on fire"));
        }
        self.file.sync_data()
    }

    fn cut(&mut self, length: u64) -> io::Result<()> {
        if self.cuts_to_fail > 0 {
            self.cuts_to_fail -= 1;
            return Err(io::Error::other("no"));
        }
        let before = self.file.metadata()?.len();
        self.room += before.saturating_sub(length) as usize;
        self.file.set_len(length)
    }
}

/// A journal with one trial on a disk with `room` bytes left.
fn on_small_disk(room: usize, cuts_to_fail: usize, syncs_to_fail: usize) -> (TempDir, Journal) {
    let (dir, path) = written(1);
    let file = OpenOptions::new().append(true).open(&path).unwrap();
    let length = file.metadata().unwrap().len();
    let disk = SmallDisk { file, room, cuts_to_fail, syncs_to_fail };
    (dir, Journal::over(Box::new(disk), &path, length))
}

#[test]
fn a_full_disk_leaves_the_journal_as_it_was() {
    let record = frame::line(&Record::trial_text(&trial(1))).len();
    for room in 0..record {
        let (_dir, mut journal) = on_small_disk(room, 0, 0);
        let before = fs::read(journal.path()).unwrap();
        let error = journal.append(&trial(1)).unwrap_err();
        assert!(matches!(error, JournalError::Full { .. }), "{error}");
        assert!(error.hint().contains("--resume"));
        assert_eq!(fs::read(journal.path()).unwrap(), before, "{room}");
    }
    let (_dir, mut journal) = on_small_disk(record, 0, 0);
    journal.append(&trial(1)).unwrap();
    assert!(journal.append(&trial(2)).is_err());
    let content = Journal::read(journal.path()).unwrap();
    assert_eq!((indices(&content), content.diagnostics), (vec![0, 1], vec![]));
}

#[test]
fn bytes_that_could_not_be_cut_are_cut_before_the_next_record() {
    let record = frame::line(&Record::trial_text(&trial(1))).len();
    let (_dir, mut journal) = on_small_disk(record / 2, 1, 0);
    assert!(journal.append(&trial(1)).is_err());
    let torn = Journal::read(journal.path()).unwrap();
    assert_eq!((indices(&torn), torn.diagnostics.len()), (vec![0], 1));
    journal.append_note(&Diagnostic::warning("", "short")).unwrap();
    let content = Journal::read(journal.path()).unwrap();
    assert_eq!((indices(&content), content.notes.len(), content.diagnostics), (vec![0], 1, vec![]));
}

#[test]
fn a_record_that_may_not_be_on_the_disk_is_withdrawn() {
    let (_dir, mut journal) = on_small_disk(usize::MAX / 2, 0, 1);
    let error = journal.append(&trial(1)).unwrap_err();
    assert!(matches!(error, JournalError::Append { .. }), "{error}");
    journal.append(&trial(1)).unwrap();
    assert_eq!(indices(&Journal::read(journal.path()).unwrap()), [0, 1]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_device_without_room_says_full() {
    let file = OpenOptions::new().append(true).open("/dev/full").unwrap();
    let mut journal = Journal::over(Box::new(SyncedFile::new(file)), Path::new("/dev/full"), 0);
    assert!(matches!(journal.append(&trial(0)), Err(JournalError::Full { .. })));
}

const CHILD_PATH: &str = "BENCHWRIGHT_TEST_JOURNAL";

/// The other process of the next test: appends until it is killed, and reports each trial once `append`
/// returned.
#[test]
fn child_appends_until_killed() {
    let Some(path) = std::env::var_os(CHILD_PATH) else { return };
    let mut journal = Journal::create(Path::new(&path), &header()).unwrap();
    let mut out = io::stdout().lock();
    for index in 0.. {
        journal.append(&trial(index)).unwrap();
        writeln!(out, "\nappended").unwrap();
        out.flush().unwrap();
    }
}

#[test]
fn a_killed_process_loses_no_finished_trial() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.journal");
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "journal::tests::child_appends_until_killed", "--nocapture", "--test-threads=1"])
        .env(CHILD_PATH, &path)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    let told = lines.filter(|line| line == "appended").take(20).count();
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(told, 20, "the child wrote");
    let (mut journal, content) = Journal::reopen(&path).unwrap();
    let found = indices(&content);
    assert!(found.len() >= told, "{} of {told}", found.len());
    assert!(found.iter().copied().eq(0..found.len() as u32), "each once, in order");
    journal.append(&trial(99)).unwrap();
    assert_eq!(Journal::read(&path).unwrap().diagnostics, []);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_journal_comes_back(
        header in arbitrary::header(),
        trials in proptest::collection::vec(arbitrary::trial(), 0..3),
        note in arbitrary::diagnostic(),
        instance in arbitrary::instance(),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal");
        let mut journal = Journal::create(&path, &header).unwrap();
        journal.append_note(&note).unwrap();
        journal.append_instance(&instance).unwrap();
        for trial in &trials {
            journal.append(trial).unwrap();
        }
        let content = Journal::read(&path).unwrap();
        // The debug text distinguishes minus zero from zero, and NaN is equal to itself.
        prop_assert_eq!(format!("{:?}", content.header), format!("{header:?}"));
        prop_assert_eq!(format!("{:?}", content.trials), format!("{trials:?}"));
        prop_assert_eq!(content.notes, [note]);
        prop_assert_eq!(content.instances, [instance]);
        prop_assert!(content.diagnostics.is_empty());
    }
}
