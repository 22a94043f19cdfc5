use std::fs;
use std::sync::Barrier;

use benchwright_model::*;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use tempfile::TempDir;

use super::*;
use crate::arbitrary;

/// A record with all kinds of data, of a run with this name and start.
fn record(id: &str, started_at: i64) -> RunRecord {
    let mut runner = TestRunner::deterministic();
    loop {
        let mut record = arbitrary::record().new_tree(&mut runner).unwrap().current();
        let Some(comparison) = &mut record.comparison else { continue };
        let has_programs = record.builds.iter().any(|build| !build.executables.is_empty());
        let is_small = record.trials.len() < 3 || !has_programs || comparison.findings.len() < 2;
        let measurements = record.trials.iter().filter_map(|trial| trial.outcome.measurement());
        let has_values = measurements.into_iter().any(|measurement| !measurement.series.is_empty());
        if is_small || !has_values || record.diagnostics.is_empty() || record.instances.is_empty() {
            continue;
        }
        record.run.id = RunId(id.into());
        record.run.started_at = Timestamp(started_at);
        comparison.run = record.run.clone();
        return record;
    }
}

fn fresh() -> (TempDir, Store) {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(&dir.path().join(".benchwright")).unwrap();
    (dir, store)
}

fn same(left: &impl std::fmt::Debug, right: &impl std::fmt::Debug) {
    // The debug text distinguishes minus zero from zero, and NaN is equal to itself.
    assert_eq!(format!("{left:?}"), format!("{right:?}"));
}

fn count(store: &Store, table: &str) -> i64 {
    store.connection.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]
    #[test]
    fn any_run_comes_back(record in arbitrary::record()) {
        let mut store = in_memory();
        store.save(&record).unwrap();
        let id = &record.run.id;
        let back = store.load(id).unwrap();
        prop_assert_eq!(format!("{back:?}"), format!("{record:?}"));
        prop_assert_eq!(format!("{:?}", store.trials(id).unwrap()), format!("{:?}", record.trials));
        prop_assert_eq!(format!("{:?}", store.comparison(id).unwrap()), format!("{:?}", record.comparison));
        prop_assert_eq!(store.runs(9).unwrap().len(), 1);
    }
}

fn in_memory() -> Store {
    let mut store = Store::connect(Connection::open_in_memory(), "memory".into()).unwrap();
    store.prepare_writing().unwrap();
    store
}

#[test]
fn a_store_opened_again_has_everything() {
    let (dir, mut store) = fresh();
    let record = record("a", 1);
    store.save(&record).unwrap();
    drop(store);
    let dir = dir.path().join(".benchwright");
    assert_eq!(fs::read_to_string(dir.join(".gitignore")).unwrap(), "*\n");
    same(&Store::open(&dir).unwrap().load(&record.run.id).unwrap(), &record);
    same(&Store::open_read_only(&dir).unwrap().load(&record.run.id).unwrap(), &record);
}

#[test]
fn saving_twice_is_saving_once() {
    let (_dir, mut store) = fresh();
    let (first, second) = (record("a", 1), record("b", 2));
    store.save(&first).unwrap();
    store.save(&second).unwrap();
    let tables = [
        "runs",
        "trials",
        "series",
        "comparisons",
        "findings",
        "builds",
        "executables",
        "diagnostics",
        "instances",
    ];
    let before = tables.map(|table| count(&store, table));
    assert!(before.iter().all(|rows| *rows > 0), "{before:?}");
    store.save(&first).unwrap();
    assert_eq!(tables.map(|table| count(&store, table)), before);
    same(&store.load(&first.run.id).unwrap(), &first);

    let shorter = RunRecord { trials: first.trials[..1].to_vec(), comparison: None, ..first };
    store.save(&shorter).unwrap();
    same(&store.load(&shorter.run.id).unwrap(), &shorter);
    same(&store.load(&second.run.id).unwrap(), &second);
}

#[test]
fn a_save_that_fails_changes_nothing() {
    let (_dir, mut store) = fresh();
    let before = record("a", 1);
    store.save(&before).unwrap();
    let pages: i64 = store.connection.query_row("PRAGMA page_count", [], |row| row.get(0)).unwrap();
    store.connection.execute_batch(&format!("PRAGMA max_page_count = {pages}")).unwrap();
    let mut after = record("a", 9);
    after.trials = std::iter::repeat_n(after.trials, 2000).flatten().collect();
    let error = store.save(&after).unwrap_err();
    assert!(matches!(error, StoreError::Full { .. }), "{error}");
    same(&store.load(&before.run.id).unwrap(), &before);
    store.save(&before).unwrap();
}

#[test]
fn runs_are_listed_newest_first_with_counts() {
    let (_dir, mut store) = fresh();
    for (id, started_at) in [("b", 20), ("c", 10), ("a", 20)] {
        store.save(&record(id, started_at)).unwrap();
    }
    let names = |limit| store.runs(limit).unwrap().into_iter().map(|row| row.id.0).collect::<Vec<_>>();
    assert_eq!(names(9), ["b", "a", "c"]);
    assert_eq!(names(1), ["b"]);

    let mut counted = record("d", 30);
    counted.trials.truncate(1);
    let comparison = counted.comparison.as_mut().unwrap();
    let model = comparison.findings[0].clone();
    let finding = |verdict, reason, fails| Finding { verdict, reason, fails, ..model.clone() };
    let mut unchanged_count = finding(Verdict::Same, Reason::Exact, false);
    unchanged_count.metric.name = "allocations".into();
    comparison.findings = vec![
        unchanged_count,
        finding(Verdict::Slower, Reason::Exact, true),
        finding(Verdict::Slower, Reason::Exact, false),
        finding(Verdict::Same, Reason::IdenticalBuild, false),
        finding(Verdict::Undecided, Reason::Informational, false),
    ];
    store.save(&counted).unwrap();
    let row = store.runs(1).unwrap().remove(0);
    let expected = crate::VerdictCounts { slower: 2, same: 1, failing: 1, ..Default::default() };
    assert_eq!(row.verdicts, expected);
    assert_eq!((row.trials, row.benchmarks), (1, 2));
    assert_eq!((row.command, row.head), (counted.run.command, counted.run.head));
}

#[test]
fn an_accepted_finding_has_its_reason_and_fails_no_more() {
    let (_dir, mut store) = fresh();
    let mut record = record("a", 1);
    let finding = &mut record.comparison.as_mut().unwrap().findings[0];
    (finding.verdict, finding.fails, finding.accepted) = (Verdict::Slower, true, None);
    let (benchmark, metric) = (finding.benchmark.clone(), finding.metric.name.clone());
    store.save(&record).unwrap();
    let failing = |store: &Store| store.runs(1).unwrap()[0].verdicts.failing;
    let before = failing(&store);
    let id = &record.run.id;
    assert!(!store.accept(id, &benchmark, "no such metric", "why not").unwrap());
    assert!(store.accept(id, &benchmark, &metric, "meant to be").unwrap());
    let comparison = store.comparison(id).unwrap().unwrap();
    let found = comparison.findings.iter().find(|f| f.benchmark == benchmark && f.metric.name == metric);
    let found = found.unwrap();
    assert_eq!((found.accepted.as_deref(), found.fails), (Some("meant to be"), false));
    assert_eq!(failing(&store), before - 1);
    let unknown = benchwright_model::RunId("b".into());
    assert!(!store.accept(&unknown, &benchmark, &metric, "nothing").unwrap());
}

#[test]
fn runs_are_found_by_name_beginning_and_latest() {
    let (_dir, mut store) = fresh();
    let unknown = store.find("latest").unwrap_err();
    assert_eq!(unknown.hint(), "there are no runs yet");
    for (id, started_at) in [("2026-a", 1), ("2026-ab", 2), ("2025-z", 3)] {
        store.save(&record(id, started_at)).unwrap();
    }
    let check = |asked: &str, expected: &str| assert_eq!(store.find(asked).unwrap().0, expected, "{asked}");
    check("latest", "2025-z");
    check("2026-a", "2026-a");
    check("2026-ab", "2026-ab");
    check("2025", "2025-z");
    let ambiguous = store.find("2026").unwrap_err();
    assert_eq!(ambiguous.hint(), "one of 2026-ab, 2026-a");
    for asked in ["", "%", "2027", "2026-abc"] {
        let unknown = store.find(asked).unwrap_err();
        assert!(matches!(unknown, StoreError::UnknownRun { .. }), "{asked}");
        assert_eq!(unknown.hint(), "the newest runs are 2025-z, 2026-ab, 2026-a");
    }
    let (known, other) = (RunId("2025-z".into()), RunId("2025".into()));
    assert!(store.contains(&known).unwrap() && !store.contains(&other).unwrap());
    assert!(matches!(store.load(&other), Err(StoreError::UnknownRun { .. })));
}

#[test]
fn durations_are_medians_over_runs_of_trials_that_did_not_fail() {
    let (_dir, mut store) = fresh();
    let ids = ["often", "once", "failing", "never"].map(|name| BenchmarkId::new("go", "p", name));
    let measured = || Outcome::Measured(Measurement::default());
    let failed = || Outcome::Failed(Failure::new(FailureKind::TimedOut, ""));
    // The second run was disturbed: its trials took 32 s instead of a tenth of a second.
    for (run, wall) in [("a", 100), ("b", 32_000), ("c", 120)] {
        let mut record = record(run, 1);
        let model = record.trials[0].clone();
        let trial = |benchmark: usize, at: i64, wall: u64, outcome: Outcome| Trial {
            benchmark: ids[benchmark].clone(),
            started_at: Timestamp(at),
            usage: Usage { wall: Duration::from_millis(wall), ..Usage::default() },
            outcome,
            ..model.clone()
        };
        record.trials = (0..21).map(|at| trial(0, at, wall - 10 + at as u64, measured())).collect();
        if run == "a" {
            record.trials.extend([
                trial(1, 0, 7, measured()),
                trial(1, 1, 9000, failed()),
                trial(2, 0, 9000, failed()),
            ]);
        }
        store.save(&record).unwrap();
    }
    let durations = store.durations(&ids).unwrap();
    assert_eq!(durations.get(&ids[0]), Some(&Duration::from_millis(120)));
    assert_eq!(durations.get(&ids[1]), Some(&Duration::from_millis(7)));
    assert_eq!(durations.len(), 2);
    let plan: String = store
        .connection
        .query_row(
            "EXPLAIN QUERY PLAN SELECT run, wall_ns FROM trials WHERE benchmark = 1 AND failure IS NULL
            ORDER BY started_at DESC LIMIT 20",
            [],
            |row| row.get("detail"),
        )
        .unwrap();
    assert!(plan.contains("INDEX trials_by_benchmark"), "{plan}");
}

#[test]
fn earlier_duets_come_from_the_main_metric_newest_first() {
    let (_dir, mut store) = fresh();
    let id = BenchmarkId::new("go", "p", "BenchmarkX");
    for (run, at, duets) in [("a", 1, vec![0.1, -0.2]), ("b", 2, vec![0.3])] {
        let mut record = record(run, at);
        let comparison = record.comparison.as_mut().unwrap();
        let model = comparison.findings[0].clone();
        let finding = |duets: Vec<f64>| Finding { benchmark: id.clone(), duets, ..model.clone() };
        comparison.findings = vec![finding(duets), finding(vec![9.0])];
        store.save(&record).unwrap();
    }
    let ratios = store.ratios(&[id.clone(), BenchmarkId::new("go", "p", "BenchmarkY")]).unwrap();
    assert_eq!(ratios, HashMap::from([(id, vec![vec![0.3], vec![0.1, -0.2]])]));
}

#[test]
fn a_comparison_of_another_run_is_refused() {
    let (_dir, mut store) = fresh();
    let mut record = record("a", 1);
    record.comparison.as_mut().unwrap().run.id = RunId("b".into());
    assert!(matches!(store.save(&record), Err(StoreError::ForeignComparison { .. })));
    assert!(store.runs(9).unwrap().is_empty());
}

#[test]
fn a_missing_store_is_not_made_by_reading() {
    let dir = tempfile::tempdir().unwrap();
    let error = Store::open_read_only(dir.path()).unwrap_err();
    assert!(matches!(error, StoreError::Missing { .. }), "{error}");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    fs::write(dir.path().join(FILE_NAME), "").unwrap();
    assert!(matches!(Store::open_read_only(dir.path()), Err(StoreError::Missing { .. })));
}

#[test]
fn files_that_are_no_store_are_refused_and_left_alone() {
    let check = |content: &[u8]| {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(FILE_NAME);
        fs::write(&path, content).unwrap();
        for error in [Store::open(dir.path()).unwrap_err(), Store::open_read_only(dir.path()).unwrap_err()] {
            assert!(matches!(error, StoreError::NotAStore { .. }), "{error}");
            assert!(error.to_string().contains(FILE_NAME), "{error}");
            assert!(
                error.hint().starts_with("move ") && error.hint().contains("journals"),
                "{}",
                error.hint()
            );
        }
        assert_eq!(fs::read(&path).unwrap(), content);
    };
    check(&b"this is not a database, whatever its name says\n".repeat(100));
    let other = tempfile::tempdir().unwrap();
    let path = other.path().join("other.db");
    Connection::open(&path).unwrap().execute_batch("CREATE TABLE notes (a)").unwrap();
    check(&fs::read(&path).unwrap());
}

#[test]
fn damage_inside_the_file_is_named() {
    let (dir, mut store) = fresh();
    let record = record("a", 1);
    store.save(&record).unwrap();
    store.connection.execute_batch("UPDATE trials SET side = 'left'").unwrap();
    let error = store.load(&record.run.id).unwrap_err();
    assert!(matches!(error, StoreError::Corrupt { .. }), "{error}");
    store.connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
    drop(store);

    let dir = dir.path().join(".benchwright");
    let path = dir.join(FILE_NAME);
    let mut bytes = fs::read(&path).unwrap();
    bytes[4096..].fill(0x5a);
    fs::write(&path, bytes).unwrap();
    let error = Store::open(&dir).and_then(|store| store.load(&record.run.id)).unwrap_err();
    assert!(matches!(error, StoreError::Corrupt { .. }), "{error}");
    assert!(error.hint().starts_with("move "));
}

#[test]
fn a_clock_of_the_future_does_not_make_a_run_the_latest_for_good() {
    let (_dir, mut store) = fresh();
    let year_2500 = 16_725_225_600_000_000;
    for (id, started_at) in [("a", 1_000_000), ("b", year_2500), ("c", 2_000_000)] {
        store.save(&record(id, started_at)).unwrap();
    }
    assert_eq!(store.find("latest").unwrap().0, "c");
    let order: Vec<String> = store.runs(9).unwrap().into_iter().map(|row| row.id.0).collect();
    assert_eq!(order, ["c", "a", "b"]);
}

#[test]
fn a_flipped_bit_never_changes_a_run_in_silence() {
    let (dir, mut store) = fresh();
    let record = record("a", 1);
    store.save(&record).unwrap();
    assert_eq!(store.damage().unwrap(), [""; 0]);
    store.connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
    drop(store);
    let dir = dir.path().join(".benchwright");
    let path = dir.join(FILE_NAME);
    let whole = fs::read(&path).unwrap();
    let mut seed = 7_u64;
    let mut noticed = 0;
    for _ in 0..600 {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let bit = (seed >> 16) as usize % (8 * whole.len());
        let mut bytes = whole.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        fs::write(&path, &bytes).unwrap();
        match Store::open_read_only(&dir).and_then(|store| store.load(&record.run.id)) {
            Ok(loaded) => {
                // Compared as text, in which NaN equals itself.
                let text =
                    |record: &RunRecord| format!("{:?}", (&record.trials, &record.run, &record.comparison));
                assert_eq!(text(&loaded), text(&record), "bit {bit}");
            }
            Err(_) => noticed += 1,
        }
    }
    assert!(noticed > 0);
}

#[test]
fn a_trial_out_of_sight_is_noticed() {
    let (_dir, mut store) = fresh();
    let record = record("a", 1);
    store.save(&record).unwrap();
    store
        .connection
        .execute_batch("PRAGMA foreign_keys = OFF; UPDATE trials SET run = 77 WHERE key = 1")
        .unwrap();
    let error = store.load(&record.run.id).unwrap_err();
    assert!(matches!(error, StoreError::Corrupt { .. }), "{error}");
}

#[test]
fn a_newer_store_is_refused_and_left_alone() {
    let (dir, store) = fresh();
    store.connection.execute_batch("PRAGMA user_version = 1000").unwrap();
    drop(store);
    let dir = dir.path().join(".benchwright");
    for opened in [Store::open(&dir), Store::open_read_only(&dir)] {
        let error = opened.unwrap_err();
        assert!(matches!(error, StoreError::Newer { found: 1000, .. }), "{error}");
        assert!(error.hint().contains("use a newer benchwright"));
    }
}

#[test]
fn an_older_store_can_be_opened_only_where_it_can_be_brought_up_to_date() {
    let store = in_memory();
    store.check_format(Access::Write, KNOWN_FORMAT + 1).unwrap();
    let error = store.check_format(Access::Read, KNOWN_FORMAT + 1).unwrap_err();
    assert!(matches!(error, StoreError::Older { .. }), "{error}");
}

/// Removes what the migration to format 11 added.
const WITHOUT_CHECKSUMS: &str = "ALTER TABLE runs DROP COLUMN checksum; \
    ALTER TABLE comparisons DROP COLUMN checksum; ALTER TABLE findings DROP COLUMN checksum; \
    ALTER TABLE instances DROP COLUMN checksum; ALTER TABLE builds DROP COLUMN checksum; \
    ALTER TABLE executables DROP COLUMN checksum; ALTER TABLE diagnostics DROP COLUMN checksum; \
    ALTER TABLE benchmarks DROP COLUMN checksum; ALTER TABLE metrics DROP COLUMN checksum;";

/// Gives all measurements samples of this kind.
fn set_kind(record: &mut RunRecord, kind: Option<SampleKind>) {
    for trial in &mut record.trials {
        let measurement = match &mut trial.outcome {
            Outcome::Measured(measurement) => Some(measurement),
            Outcome::Failed(failure) => failure.measured.as_mut(),
        };
        measurement.into_iter().for_each(|measurement| measurement.sample_kind = kind);
    }
}

#[test]
fn a_store_of_format_5_knew_one_process_per_trial_and_no_quartets() {
    let (dir, mut store) = fresh();
    let mut record = record("a", 1);
    record.trials.iter_mut().for_each(|trial| trial.usage.processes = 7);
    store.save(&record).unwrap();
    let before = "ALTER TABLE trials DROP COLUMN processes; ALTER TABLE findings DROP COLUMN quartets; \
        ALTER TABLE trials DROP COLUMN checksum; ALTER TABLE runs DROP COLUMN not_measured; \
        ALTER TABLE trials DROP COLUMN sample_kind; PRAGMA user_version = 5";
    store.connection.execute_batch(WITHOUT_CHECKSUMS).unwrap();
    store.connection.execute_batch(before).unwrap();
    drop(store);
    let store = Store::open(&dir.path().join(".benchwright")).unwrap();
    record.trials.iter_mut().for_each(|trial| trial.usage.processes = 1);
    set_kind(&mut record, None);
    let findings = &mut record.comparison.as_mut().unwrap().findings;
    findings.iter_mut().for_each(|finding| finding.quartets = 0);
    assert!(!record.trials.is_empty());
    same(&store.load(&record.run.id).unwrap(), &record);
}

#[test]
fn a_store_of_format_7_called_what_was_not_measured_undecided() {
    let (dir, mut store) = fresh();
    let mut record = record("a", 1);
    let comparison = record.comparison.as_mut().unwrap();
    let model = Finding { verdict: Verdict::Undecided, fails: false, ..comparison.findings[0].clone() };
    let finding = |reason| Finding { reason, ..model.clone() };
    let without_duets = |reason| Finding { duets: Vec::new(), base: None, head: None, ..finding(reason) };
    let noisy = Finding { duets: vec![0.1], ..finding(Reason::TooNoisy { duets_needed: None }) };
    let cut = Finding { duets: vec![0.1], ..finding(Reason::Interrupted) };
    comparison.findings = vec![
        without_duets(Reason::OutOfBudget { duets_needed: None }),
        without_duets(Reason::Interrupted),
        without_duets(Reason::Failed { what: "head".into() }),
        without_duets(Reason::SummaryOnly),
        noisy,
        cut,
    ];
    store.save(&record).unwrap();
    let before = "ALTER TABLE runs DROP COLUMN not_measured; ALTER TABLE trials DROP COLUMN checksum; \
        ALTER TABLE trials DROP COLUMN sample_kind; PRAGMA user_version = 7";
    store.connection.execute_batch(WITHOUT_CHECKSUMS).unwrap();
    store.connection.execute_batch(before).unwrap();
    drop(store);
    let store = Store::open(&dir.path().join(".benchwright")).unwrap();
    let findings = store.comparison(&record.run.id).unwrap().unwrap().findings;
    let verdicts: Vec<Verdict> = findings.iter().map(|finding| finding.verdict).collect();
    let (not, open) = (Verdict::NotMeasured, Verdict::Undecided);
    assert_eq!(verdicts, [not, not, not, open, open, open]);
    let counts = store.runs(1).unwrap()[0].verdicts;
    assert_eq!((counts.not_measured, counts.undecided), (3, 3));
}

#[test]
fn a_store_of_format_9_knew_no_kinds_of_samples() {
    let (dir, mut store) = fresh();
    let mut record = record("a", 1);
    set_kind(&mut record, None);
    store.save(&record).unwrap();
    // A trial written without a sample kind has the same checksum as before the kind existed.
    store
        .connection
        .execute_batch(&format!(
            "{WITHOUT_CHECKSUMS} ALTER TABLE trials DROP COLUMN sample_kind; PRAGMA user_version = 9"
        ))
        .unwrap();
    drop(store);
    let mut store = Store::open(&dir.path().join(".benchwright")).unwrap();
    same(&store.load(&record.run.id).unwrap(), &record);
    let mut stated = self::record("b", 2);
    set_kind(&mut stated, Some(SampleKind::Slices));
    store.save(&stated).unwrap();
    same(&store.load(&stated.run.id).unwrap(), &stated);
}

#[test]
fn many_may_open_and_save_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let barrier = Barrier::new(8);
    std::thread::scope(|scope| {
        for number in 0..8 {
            let (dir, barrier) = (dir.path(), &barrier);
            scope.spawn(move || {
                let record = record(&format!("run{number}"), number);
                barrier.wait();
                let mut store = Store::open(dir).unwrap();
                store.save(&record).unwrap();
                same(&store.load(&record.run.id).unwrap(), &record);
            });
        }
    });
    assert_eq!(Store::open(dir.path()).unwrap().runs(99).unwrap().len(), 8);
}

#[test]
fn a_lock_held_too_long_is_named_and_reading_goes_on() {
    let (dir, mut store) = fresh();
    store.save(&record("a", 1)).unwrap();
    let mut other = Store::open(&dir.path().join(".benchwright")).unwrap();
    let writing = store.connection.transaction_with_behavior(TransactionBehavior::Immediate).unwrap();
    other.connection.busy_timeout(Duration::ZERO).unwrap();
    let error = other.save(&record("b", 2)).unwrap_err();
    assert!(matches!(error, StoreError::Busy { .. }), "{error}");
    assert_eq!(other.runs(9).unwrap().len(), 1);
    drop(writing);
    other.save(&record("b", 2)).unwrap();
}

#[test]
fn a_directory_that_cannot_be_made_is_named() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("file"), "").unwrap();
    let error = Store::open(&dir.path().join("file/.benchwright")).unwrap_err();
    assert!(matches!(error, StoreError::Directory { .. }), "{error}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_read_only_directory_can_be_read_and_refuses_writing() {
    use std::os::unix::fs::PermissionsExt;

    let (root, mut store) = fresh();
    let record = record("a", 1);
    store.save(&record).unwrap();
    drop(store);
    let dir = root.path().join(".benchwright");
    let allow = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    allow(root.path(), 0o755);
    allow(&dir.join(FILE_NAME), 0o444);
    allow(&dir, 0o555);
    let check = move || {
        // SAFETY: changes only whose files this thread may touch, so that the test says the same to root.
        unsafe { libc::setfsuid(65534) };
        same(&Store::open_read_only(&dir).unwrap().load(&record.run.id).unwrap(), &record);
        let error = Store::open(&dir).unwrap_err();
        assert!(matches!(error, StoreError::Denied { .. }), "{error}");
        let error = Store::open(&dir.join("below")).unwrap_err();
        assert!(matches!(error, StoreError::Directory { .. }), "{error}");
        dir
    };
    let dir = std::thread::spawn(check).join().unwrap();
    allow(&dir, 0o755);
}

#[cfg(target_os = "linux")]
#[test]
fn a_log_left_in_a_read_only_directory_is_read_too() {
    use std::os::unix::fs::PermissionsExt;

    let (root, mut store) = fresh();
    let dir = root.path().join(".benchwright");
    let record = record("a", 1);
    store.save(&record).unwrap();
    // As a killed process leaves it: everything is in the log, nothing in the database.
    let kept: Vec<(PathBuf, Vec<u8>)> = [FILE_NAME.into(), format!("{FILE_NAME}{WAL}")]
        .map(|name| (dir.join(&name), fs::read(dir.join(name)).unwrap()))
        .into();
    drop(store);
    for (path, bytes) in &kept {
        fs::write(path, bytes).unwrap();
    }
    let allow = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    allow(root.path(), 0o755);
    allow(&dir, 0o555);
    let check = move || {
        // SAFETY: this only changes the user for file access of this thread, so that the test also works for
        // root.
        unsafe { libc::setfsuid(65534) };
        let store = Store::open_read_only(&dir).unwrap();
        same(&store.load(&record.run.id).unwrap(), &record);
        assert_eq!(store.path, dir.join(FILE_NAME), "messages name the store and not its copy");
        let copy = store._copy.as_ref().unwrap().path().to_owned();
        drop(store);
        assert!(!copy.exists());
        dir
    };
    let dir = std::thread::spawn(check).join().unwrap();
    for (path, bytes) in kept {
        assert!(fs::read(path).unwrap() == bytes, "it is as it was");
    }
    allow(&dir, 0o755);
}

#[test]
fn a_file_system_without_locks_keeps_runs_too() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(FILE_NAME);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
    let mut store = Store::connect(open_without_locks(&path, flags), path.clone()).unwrap();
    store.prepare_writing().unwrap();
    let record = record("a", 1);
    store.save(&record).unwrap();
    drop(store);
    let store = Store::connect(open_without_locks(&path, OpenFlags::SQLITE_OPEN_READ_ONLY), path).unwrap();
    store.check_format(Access::Read, KNOWN_FORMAT).unwrap();
    same(&store.load(&record.run.id).unwrap(), &record);
}

#[test]
fn runs_can_be_saved_from_trials_that_are_made_meanwhile() {
    let (_dir, mut store) = fresh();
    let whole = record("a", 1);
    store.save(&whole).unwrap();
    let rows = store.runs(9).unwrap();
    let empty = RunRecord { trials: Vec::new(), ..whole.clone() };
    store.save_with(&empty, whole.trials.iter().cloned()).unwrap();
    same(&store.load(&whole.run.id).unwrap(), &whole);
    same(&store.runs(9).unwrap(), &rows);
}
