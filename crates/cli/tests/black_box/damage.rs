//! Damaged, newer and full: a clear message, and nothing is deleted.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::document::{Document, compared};
use crate::sandbox::Sandbox;

/// A sandbox with one finished run, and its database.
fn with_run() -> (Sandbox, PathBuf) {
    let sandbox = Sandbox::new();
    compared(&sandbox, "base head --filter alpha", 0);
    let database = sandbox.results().join("benchwright.db");
    assert!(database.is_file());
    (sandbox, database)
}

#[test]
fn a_store_that_is_damaged_meanwhile_does_not_hide_what_is_slower() {
    let (sandbox, database) = with_run();
    sandbox.script.write("beta", "head", "0 gate; time 1300");
    let started = sandbox.start_until_gate("compare base head --filter beta");
    fs::write(&database, "no database").expect("the damage");
    sandbox.script.open_gate();
    let answer = started.finish().exits(3).prints(&["slower"]);
    answer.tells(&["is not a benchwright database", "3 slower, 1 something failed"]);
    assert_eq!(sandbox.journals().len(), 1, "the journal keeps what was measured");
}

/// Commands that need the store and measure nothing.
const READING: [&str; 11] = [
    "show",
    "show latest",
    "show latest --recompute",
    "export latest",
    "reduce",
    "reduce --from latest",
    "agree latest latest",
    "accept alpha --reason wanted",
    "steady show latest",
    "compare 20260101-000000 20260102-000000",
    "import results.txt",
];

/// Checks that a store in this state is named by every command that needs it, before anything is measured, and that it stays as
/// it is.
#[track_caller]
fn check_store(damage: impl FnOnce(&mut Vec<u8>), texts: &[&str]) {
    let (sandbox, database) = with_run();
    let mut bytes = fs::read(&database).expect("the database");
    let good = bytes.clone();
    damage(&mut bytes);
    fs::write(&database, &bytes).expect("the damage");
    sandbox.write("results.txt", "BenchmarkA 1 5 ns/op\n");
    for command in READING {
        let answer = sandbox.say(command).exits(1).tells(texts);
        assert!(answer.stdout.is_empty(), "{command}: {}", answer.describe());
    }
    let before = sandbox.script.started().len();
    sandbox.say("compare base head --filter beta").exits(1).tells(texts);
    assert_eq!(sandbox.script.started().len(), before, "nothing is measured in vain");
    assert_eq!(fs::read(&database).expect("the database"), bytes, "the database is as it was");
    let doctor = sandbox.say("doctor --time 10ms").exits(0).prints(&["store"]);
    assert!(doctor.stdout.contains("bad "), "{}", doctor.describe());
    fs::write(&database, &good).expect("it is restored");
    sandbox.say("compare base head --filter gamma").exits(0);
    let list = sandbox.say("show").exits(0);
    assert_eq!(list.stdout.lines().count(), 2, "{}", list.describe());
    sandbox.say("doctor --time 10ms").exits(0).prints(&["store: whole"]);
}

#[test]
fn a_store_that_is_no_database_is_named_and_left() {
    check_store(
        |bytes| bytes[..100].fill(b'x'),
        &["benchwright.db", "is not a benchwright database", "move "],
    );
}

#[test]
fn a_newer_store_is_named_and_left() {
    // SQLite keeps the number of the format here.
    check_store(
        |bytes| bytes[60..64].copy_from_slice(&99_u32.to_be_bytes()),
        &["format 99 is newer", "use a newer benchwright"],
    );
}

#[test]
fn a_damaged_store_is_named_and_left() {
    check_store(|bytes| bytes[100..].fill(0xa5), &["benchwright.db", "damaged"]);
}

#[test]
fn a_damaged_journal_is_named_and_left_and_hides_no_other() {
    let (sandbox, _) = with_run();
    // The second trial of head, so that something is in the journal whichever version comes first.
    sandbox.script.write("gamma", "head", "0 time 1000\n1 gate; time 1000");
    let started = sandbox.start_until_gate("compare base head --filter gamma");
    started.signal("KILL");
    started.finish();
    let good = sandbox.journals().remove(0);
    let damaged =
        good.with_file_name("20000101-000000-0000").with_extension(good.extension().expect("an ending"));
    fs::write(&damaged, "no journal at all\n").expect("a file");
    sandbox.say("compare --resume 20000101").exits(1).tells(&["20000101-000000-0000", "move "]);
    let (_, answer) = compared(&sandbox, "base head --filter beta", 0);
    answer.tells(&["20000101-000000-0000", "recovered run"]);
    assert_eq!(fs::read_to_string(&damaged).expect("the journal"), "no journal at all\n");
    assert!(good.is_file());
}

#[test]
fn a_journal_cut_off_in_a_record_goes_on() {
    let sandbox = Sandbox::new();
    sandbox.script.write("gamma", "head", "0 time 1000\n2 gate; time 1000");
    let started = sandbox.start_until_gate("compare base head");
    started.signal("KILL");
    started.finish();
    let journal = sandbox.journals().remove(0);
    let mut file = fs::File::options().append(true).open(&journal).expect("the journal");
    file.write_all(b"0123456789abcdef {\"trial\":{\"bench").expect("half a record");
    drop(file);
    sandbox.script.open_gate();
    sandbox.say("compare --resume").exits(0).tells(&["incomplete"]);
    assert!(!sandbox.stored("latest").is_partial);
}

#[test]
fn a_newer_journal_is_named_and_left() {
    let sandbox = Sandbox::new();
    sandbox.script.write("alpha", "head", "0 gate; time 1000");
    let started = sandbox.start_until_gate("compare base head --filter alpha");
    started.signal("KILL");
    started.finish();
    let journal = sandbox.journals().remove(0);
    let text = fs::read_to_string(&journal).expect("the journal");
    let (_, header) = text.lines().next().and_then(|line| line.split_once(' ')).expect("a checksum");
    let header = header.replacen("\"format\":2", "\"format\":99", 1);
    let newer = format!("{:08x} {header}\n", checksum(header.as_bytes()));
    fs::write(&journal, &newer).expect("a newer journal");
    sandbox.say("compare --resume").exits(1).tells(&["newer benchwright", "format 99"]);
    sandbox.script.open_gate();
    sandbox.say("compare base head --filter beta").exits(0).tells(&["newer benchwright"]);
    assert_eq!(fs::read_to_string(&journal).expect("the journal"), newer);
}

/// CRC-32 as a journal's lines have it.
fn checksum(bytes: &[u8]) -> u32 {
    let shifted = |crc: u32, _| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
    !bytes.iter().fold(!0, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), shifted))
}

/// A small file system over a directory; unmounted when dropped.
struct SmallDisk(PathBuf);

impl SmallDisk {
    /// None, with a message, where mounting is not allowed.
    fn over(dir: &Path) -> Option<SmallDisk> {
        fs::create_dir_all(dir).expect("a directory");
        let mut command = Command::new("mount");
        command.args(["-t", "tmpfs", "-o", "size=1m", "tmpfs"]).arg(dir).stderr(Stdio::null());
        let is_mounted = command.status().is_ok_and(|status| status.success());
        if !is_mounted {
            benchwright_testkit::skip("a small disk needs the right to mount");
        }
        is_mounted.then(|| SmallDisk(dir.to_owned()))
    }

    /// Fills it but for some bytes; returns what occupies it.
    fn fill(&self, but: u64) -> PathBuf {
        let path = self.0.join("filler");
        let mut file = fs::File::create(&path).expect("a file");
        while file.write_all(&[0; 4096]).is_ok() {}
        let length = file.metadata().expect("its length").len();
        file.set_len(length.saturating_sub(but)).expect("some room");
        path
    }
}

impl SmallDisk {
    /// From now on it may only be read.
    fn seal(&self) {
        let sealed = Command::new("mount").args(["-o", "remount,ro"]).arg(&self.0).status();
        assert!(sealed.is_ok_and(|status| status.success()));
    }
}

#[test]
fn results_that_may_only_be_read_are_shown_and_named_before_anything_is_measured() {
    let sandbox = Sandbox::new();
    let Some(disk) = SmallDisk::over(&sandbox.results()) else { return };
    compared(&sandbox, "base head --filter alpha", 0);
    disk.seal();
    let started = sandbox.script.started().len();
    let answer = sandbox.say("compare base head --filter beta").exits(1);
    answer.tells(&["cannot write results into `", ".benchwright`", "make it writable"]);
    sandbox.say("run --rev head").exits(1).tells(&["cannot write results into `"]);
    assert_eq!(sandbox.script.started().len(), started, "nothing is measured");
    sandbox.say("show").exits(0).prints(&["1 same"]);
    sandbox.say("show latest").exits(0).prints(&["alpha", "same"]);
    sandbox.say("export latest --format csv").exits(0).prints(&["alpha"]);
    sandbox.say("compare base head --dry-run").exits(0);
}

#[test]
fn what_a_killed_process_left_in_the_log_is_read_from_a_disk_that_may_only_be_read() {
    let sandbox = Sandbox::new();
    let Some(disk) = SmallDisk::over(&sandbox.results()) else { return };
    compared(&sandbox, "base head --filter alpha", 0);
    // A second run that is in the write-ahead log alone, as after a loss of power.
    let mut second = sandbox.stored("latest");
    second.run.id.0 = "20990101-000000-0000".into();
    second.comparison.iter_mut().for_each(|comparison| comparison.run = second.run.clone());
    let mut store = benchwright_store::Store::open(&sandbox.results()).expect("the store");
    store.save(&second).expect("it is saved");
    let files = ["benchwright.db", "benchwright.db-wal"].map(|name| sandbox.results().join(name));
    let kept = files.clone().map(|file| fs::read(file).expect("a file"));
    drop(store);
    files.iter().zip(&kept).for_each(|(file, bytes)| fs::write(file, bytes).expect("as it was"));
    disk.seal();
    let list = sandbox.say("show").exits(0);
    assert_eq!(list.stdout.lines().count(), 2, "{}", list.describe());
    sandbox.say("show 20990101").exits(0).prints(&["alpha", "same"]);
    sandbox.say("export 20990101 --format csv").exits(0).prints(&["alpha"]);
    sandbox.say("agree 20990101 20990101").exits(0);
    sandbox.say("doctor --time 10ms").exits(0).prints(&["store: whole"]);
    sandbox.say("accept alpha --reason wanted").exits(1).tells(&["cannot open the store"]);
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(&self.0).status();
    }
}

#[test]
fn a_full_disk_keeps_what_was_measured_before() {
    let sandbox = Sandbox::new();
    let Some(disk) = SmallDisk::over(&sandbox.results()) else { return };
    compared(&sandbox, "base head --filter alpha", 0);
    // Room for the store to be opened, not for the journal of 240 trials.
    let filler = disk.fill(48 << 10);
    let long = "compare base head --rule t-test --duets 40";
    let answer =
        sandbox.say(long).exits(1).tells(&["write to the journal", "the disk is full", "compare --resume "]);
    let journals = sandbox.journals();
    assert_eq!(journals.len(), 1, "{}", answer.describe());
    let kept = benchwright_store::Journal::read(&journals[0]).expect("a journal").trials.len();
    assert!((1..240).contains(&kept), "{kept} {}", answer.describe());
    fs::remove_file(filler).expect("the filler goes");
    let answer = sandbox.say("compare --resume --format json").exits(0);
    Document::of(&answer);
    answer.tells(&[&format!("{kept} trials are already measured")]);
    assert_eq!(sandbox.stored("latest").trials.len(), 240);
}

#[test]
fn a_disk_without_any_room_is_named() {
    let sandbox = Sandbox::new();
    let Some(disk) = SmallDisk::over(&sandbox.results()) else { return };
    compared(&sandbox, "base head --filter alpha", 0);
    let filler = disk.fill(0);
    sandbox.say("compare base head --filter beta").exits(1).tells(&["the disk is full"]);
    fs::remove_file(filler).expect("the filler goes");
    assert_eq!(sandbox.stored("latest").trials.len(), 10, "the earlier run is there");
}
