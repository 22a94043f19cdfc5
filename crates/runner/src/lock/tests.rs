use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use super::*;

const CHILD_PATH: &str = "BENCHWRIGHT_TEST_LOCK_PATH";

fn acquire(path: &Path, wait: Option<Duration>) -> Result<MachineLock, LockError> {
    MachineLock::acquire_at(path, wait, &Interrupt::new(), &mut |_| {})
}

/// Not a test by itself: it is the other process of `a_killed_holder_frees_the_lock`.
#[test]
fn other_process() {
    let Some(path) = std::env::var_os(CHILD_PATH) else { return };
    let _lock = acquire(Path::new(&path), None).unwrap();
    println!("\nlocked");
    // Ends when the test that started it kills it or closes the pipe.
    let _ = io::stdin().read_line(&mut String::new());
}

#[test]
fn a_killed_holder_frees_the_lock() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("lock");
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "lock::tests::other_process", "--nocapture"])
        .env(CHILD_PATH, &path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.map_while(Result::ok).any(|line| line == "locked"));
    match acquire(&path, Some(Duration::ZERO)) {
        Err(LockError::Busy { holder, .. }) => {
            assert_eq!(holder.pid, child.id());
            assert!(holder.command.contains("other_process"), "{holder}");
            assert!(holder.since.is_some());
        }
        other => panic!("{other:?}"),
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let lock = acquire(&path, Some(Duration::ZERO)).unwrap();
    assert_eq!(Holder::read(&File::open(lock.path()).unwrap()).pid, std::process::id());
}

#[test]
fn waiting_ends_when_the_holder_lets_go_and_names_it_once() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("lock");
    let mut first = Some(acquire(&path, None).unwrap());
    let mut told = Vec::new();
    let second = MachineLock::acquire_at(&path, None, &Interrupt::new(), &mut |holder| {
        told.push(holder.pid);
        first = None;
    });
    assert!(second.is_ok());
    assert_eq!(told, [std::process::id()]);
}

#[test]
fn what_a_dead_process_wrote_into_the_file_holds_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("lock");
    fs::write(&path, "4294967295\n1\nbenchwright compare main\n").unwrap();
    let lock = acquire(&path, Some(Duration::ZERO)).unwrap();
    assert_eq!(Holder::read(&File::open(lock.path()).unwrap()).pid, std::process::id());
}

#[test]
fn waiting_ends_at_its_limit_and_says_how_long_it_was() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("lock");
    let _first = acquire(&path, None).unwrap();
    let check = |wait: Duration, expected: &str| {
        let error = acquire(&path, Some(wait)).unwrap_err().to_string();
        assert!(error.ends_with(expected), "{error}");
    };
    check(Duration::ZERO, "has it");
    check(Duration::from_secs(1), "has it, still after 1 s of waiting");
}

#[test]
fn results_that_cannot_be_written_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let results = dir.path().join(".benchwright");
    fs::write(&results, "a file").unwrap();
    let error = RepositoryLock::acquire(&results, None, &Interrupt::new(), &mut |_| {}).unwrap_err();
    assert!(matches!(error, LockError::Results { .. }), "{error:?}");
    assert!(error.hint().contains("make it writable"));
}

#[test]
fn a_lock_that_cannot_be_made_says_what_it_has_to_be() {
    let dir = tempfile::tempdir().unwrap();
    let error = acquire(&dir.path().join("missing/lock"), None).unwrap_err();
    assert!(matches!(error, LockError::File { .. }), "{error:?}");
    assert!(error.hint().contains("must be writable"));
}

#[test]
fn an_interrupt_ends_the_waiting() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("lock");
    let _first = acquire(&path, None).unwrap();
    let interrupt = Interrupt::new();
    let second = MachineLock::acquire_at(&path, None, &interrupt, &mut |_| interrupt.set());
    assert!(matches!(second, Err(LockError::Interrupted { .. })));
}

#[test]
fn every_user_may_use_the_file() {
    let dir = tempfile::tempdir().unwrap();
    let lock = acquire(&dir.path().join("lock"), None).unwrap();
    assert_eq!(fs::metadata(lock.path()).unwrap().permissions().mode() & 0o777, 0o666);
}

#[test]
fn a_link_in_place_of_the_file_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let precious = dir.path().join("precious");
    fs::write(&precious, "mine").unwrap();
    std::os::unix::fs::symlink(&precious, dir.path().join("lock")).unwrap();
    assert!(matches!(acquire(&dir.path().join("lock"), None), Err(LockError::File { .. })));
    assert_eq!(fs::read_to_string(&precious).unwrap(), "mine");
}

#[test]
fn the_results_directory_hides_itself_from_git() {
    let dir = tempfile::tempdir().unwrap();
    let results = dir.path().join(".benchwright");
    let acquire = |wait| RepositoryLock::acquire(&results, wait, &Interrupt::new(), &mut |_| {});
    let _lock = acquire(None).unwrap();
    assert_eq!(fs::read_to_string(results.join(".gitignore")).unwrap(), "*\n");
    assert!(matches!(acquire(Some(Duration::ZERO)), Err(LockError::Busy { .. })));
}

#[test]
fn removable_lock_files_keep_threads_apart() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("lock");
    let inside = AtomicU32::new(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..5 {
                    let _lock = lock_file(&path, None).unwrap();
                    assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                    std::thread::yield_now();
                    inside.fetch_sub(1, Ordering::SeqCst);
                    fs::remove_file(&path).unwrap();
                }
            });
        }
    });
}

#[test]
fn a_file_system_without_locks_keeps_nobody_away_and_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("lock");
    let by = |lock: fn(&File) -> Result<(), TryLockError>| {
        HeldLock::acquire_by(lock, &path, Some(Duration::ZERO), &Interrupt::new(), &mut |_| {})
    };
    let without = |_: &File| Err(TryLockError::Error(io::Error::from_raw_os_error(libc::ENOLCK)));
    let (first, second) = (by(without).unwrap(), by(without).unwrap());
    assert!(!first.is_held && !second.is_held);
    assert!(by(File::try_lock).unwrap().is_held);
    let broken = |_: &File| Err(TryLockError::Error(io::Error::from_raw_os_error(libc::EIO)));
    assert!(matches!(by(broken), Err(LockError::File { .. })));
    for number in [libc::ENOLCK, libc::ENOTSUP, libc::ENOSYS] {
        let answer = attempt(Err(TryLockError::Error(io::Error::from_raw_os_error(number))));
        assert!(matches!(answer, Ok(Attempt::Unsupported)), "{number}");
    }
}

#[test]
fn a_lock_that_nobody_can_look_at_is_an_error_and_not_waited_for() {
    let dir = tempfile::tempdir().unwrap();
    let [path, other] = ["lock", "other"].map(|name| dir.path().join(name));
    let [file, _] = [&path, &other].map(|path| File::create(path).unwrap());
    assert!(is_the_one(&file, fs::metadata(&path)).unwrap());
    assert!(!is_the_one(&file, fs::metadata(&other)).unwrap());
    assert!(!is_the_one(&file, fs::metadata(dir.path().join("removed"))).unwrap());
    let denied = is_the_one(&file, Err(io::Error::from_raw_os_error(libc::EACCES)));
    assert_eq!(denied.unwrap_err().raw_os_error(), Some(libc::EACCES));
}
