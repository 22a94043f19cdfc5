use std::fs;
use std::path::Path;
use std::sync::mpsc;
use std::thread;

use super::*;
use crate::Environment;

/// Longer than any test may take, so a process that sleeps this long has to be killed.
const FOR_EVER: &str = "1000";

fn shell(script: &str) -> Command {
    Command::new("/bin/sh", "/").args(["-c", script])
}

fn ending(command: &Command) -> Ending {
    run(command, &Interrupt::new(), &mut |_, _| Flow::Continue).unwrap().ending
}

fn stdout(command: &Command) -> String {
    let (exit, stdout, stderr) = capture(command, &Interrupt::new()).unwrap();
    assert!(exit.is_success(), "{exit:?} {}", String::from_utf8_lossy(&stderr));
    String::from_utf8(stdout).unwrap().trim().to_owned()
}

/// Whether a process runs. A zombie does not.
fn is_alive(pid: &str) -> bool {
    let state = Command::new("ps", "/").args(["-o", "stat=", "-p", pid]);
    let (_, stdout, _) = capture(&state, &Interrupt::new()).unwrap();
    let state = String::from_utf8(stdout).unwrap();
    !(state.trim().is_empty() || state.trim().starts_with('Z'))
}

fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !holds() {
        assert!(Instant::now() < deadline, "still waiting until {what}");
        thread::sleep(Duration::from_millis(5));
    }
}

fn await_end(pids: &[String]) {
    assert!(!pids.is_empty());
    wait_until("the processes are gone", || !pids.iter().any(|pid| is_alive(pid)));
}

#[test]
fn the_exit_status_is_told() {
    assert_eq!(ending(&shell("exit 0")), Ending::Exited(0));
    assert_eq!(ending(&shell("exit 101")), Ending::Exited(101));
}

#[test]
fn a_signal_is_told() {
    assert_eq!(ending(&shell("kill -SEGV $$")), Ending::Signalled(libc::SIGSEGV));
    assert_eq!(ending(&shell("kill -KILL $$")), Ending::Signalled(libc::SIGKILL));
}

#[test]
fn streams_are_told_apart_and_complete() {
    let command = shell("echo out; echo err >&2; printf 'a\\377b'");
    let (exit, stdout, stderr) = capture(&command, &Interrupt::new()).unwrap();
    assert_eq!(exit.ending, Ending::Exited(0));
    assert_eq!(stdout, b"out\na\xffb");
    assert_eq!(stderr, b"err\n");
    assert!(exit.first_output.unwrap() <= exit.usage.wall);
}

#[test]
fn output_larger_than_a_pipe_arrives_whole() {
    let command = shell("head -c 3000000 /dev/zero; head -c 2000000 /dev/zero >&2");
    let (exit, stdout, stderr) = capture(&command, &Interrupt::new()).unwrap();
    assert!(exit.is_success());
    assert_eq!((stdout.len(), stderr.len()), (3_000_000, 2_000_000));
}

#[test]
fn silence_has_no_first_output() {
    let exit = run(&shell(":"), &Interrupt::new(), &mut |_, _| Flow::Continue).unwrap();
    assert_eq!(exit.first_output, None);
}

#[test]
fn standard_input_is_empty() {
    assert_eq!(stdout(&shell("cat | wc -c")), "0");
}

#[test]
fn a_timeout_kills_grandchildren() {
    let command = shell(&format!("sleep {FOR_EVER} & echo $! $$; sleep {FOR_EVER}"));
    let (exit, stdout, _) =
        capture(&command.wall_limit(Duration::from_millis(200)), &Interrupt::new()).unwrap();
    assert_eq!(exit.ending, Ending::TimedOut);
    assert!(exit.usage.wall >= Duration::from_millis(200));
    let pids = String::from_utf8(stdout).unwrap().split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(pids.len(), 2);
    await_end(&pids);
}

#[test]
fn a_process_that_closed_its_output_is_still_limited() {
    let command = shell(&format!("exec >/dev/null 2>&1; sleep {FOR_EVER}"));
    assert_eq!(ending(&command.wall_limit(Duration::from_millis(50))), Ending::TimedOut);
}

#[test]
fn a_process_that_ignores_signals_is_killed_all_the_same() {
    let command = shell("trap '' TERM INT HUP; while :; do :; done");
    assert_eq!(ending(&command.wall_limit(Duration::from_millis(50))), Ending::TimedOut);
}

#[test]
fn a_flood_of_output_is_limited() {
    let command = shell("exec yes").output_limit(100_000);
    let (exit, stdout, stderr) = capture(&command, &Interrupt::new()).unwrap();
    assert_eq!(exit.ending, Ending::TooMuchOutput);
    assert_eq!((stdout.len(), stderr.len()), (100_000, 0));
}

#[test]
fn output_of_exactly_the_limit_is_allowed() {
    assert_eq!(ending(&shell("printf 1234; printf 56 >&2").output_limit(6)), Ending::Exited(0));
    assert_eq!(ending(&shell("printf 1234; printf 56 >&2").output_limit(5)), Ending::TooMuchOutput);
}

#[test]
#[cfg(target_os = "linux")]
fn memory_is_limited_for_the_whole_tree() {
    // The last line, which has no end, is kept in memory.
    let filling =
        |megabytes: u32| format!("(head -c {} /dev/zero; sleep {FOR_EVER}) | tail", megabytes * 1_000_000);
    let check = |script: &str, expected: Ending| {
        let command = shell(script).memory_limit(100_000_000).wall_limit(Duration::from_secs(60));
        assert_eq!(ending(&command), expected, "{script}");
    };
    let (all, part) = (filling(150), filling(60));
    check("exit 0", Ending::Exited(0));
    check(&all, Ending::TooMuchMemory);
    // Two processes that are each within the limit, and one that has left the group and lost its parent.
    check(&format!("({part}) & ({part}) & wait"), Ending::TooMuchMemory);
    check(&format!("(setsid sh -c '{all}' &) ; sleep {FOR_EVER}"), Ending::TooMuchMemory);
    check(&format!("({part}) & sleep 0.3"), Ending::Exited(0));
}

#[test]
fn a_grandchild_with_the_pipe_open_does_not_outlive_its_parent() {
    let (exit, stdout, _) =
        capture(&shell(&format!("sleep {FOR_EVER} & echo $!")), &Interrupt::new()).unwrap();
    assert_eq!(exit.ending, Ending::Exited(0));
    await_end(&[String::from_utf8(stdout).unwrap().trim().to_owned()]);
}

#[test]
#[cfg(target_os = "linux")]
fn daemons_that_left_the_group_are_ended_and_counted() {
    let daemon =
        |inside: &str| format!("setsid sh -c 'echo $$; {inside} exec sleep {FOR_EVER}' & sleep {FOR_EVER}");
    let child = format!("setsid sh -c \"echo \\$\\$; exec sleep {FOR_EVER}\" &");
    for (script, count) in [(daemon(""), 1), (daemon(&child), 2)] {
        let mut told = String::new();
        let exit = run(&shell(&script), &Interrupt::new(), &mut |_, chunk| {
            told.push_str(std::str::from_utf8(chunk).unwrap());
            // Each has left the group when it prints its number.
            if told.lines().count() == count { Flow::Stop } else { Flow::Continue }
        });
        let daemons: Vec<String> = told.lines().map(str::to_owned).collect();
        assert_eq!((daemons.len(), exit.unwrap().escaped as usize), (count, count), "{script}");
        await_end(&daemons);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_daemon_of_another_call_is_left_alone() {
    let stop = &Interrupt::new();
    thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        let other = scope.spawn(move || {
            // The daemon has lost its parent, so it is a child of this process while the call continues.
            let script = format!("(setsid sh -c 'echo $$; exec sleep {FOR_EVER}' &); sleep {FOR_EVER}");
            run(&shell(&script), stop, &mut |_, chunk| {
                sender.send(String::from_utf8(chunk.to_vec()).unwrap().trim().to_owned()).unwrap();
                Flow::Continue
            })
        });
        let daemon = receiver.recv().unwrap();
        assert_eq!(ending(&shell("exit 0")), Ending::Exited(0));
        assert_eq!(ending(&shell(&format!("kill -0 {daemon}"))), Ending::Exited(0));
        stop.set();
        assert_eq!(other.join().unwrap().unwrap().escaped, 1);
        await_end(&[daemon]);
    });
}

#[test]
fn the_closure_may_stop_the_process() {
    let mut chunks = 0;
    let exit = run(&shell("echo first; exec yes"), &Interrupt::new(), &mut |_, _| {
        chunks += 1;
        Flow::Stop
    });
    assert_eq!(exit.unwrap().ending, Ending::Stopped);
    assert_eq!(chunks, 1);
}

#[test]
fn a_panic_in_the_closure_leaves_no_process() {
    let (sender, receiver) = mpsc::channel();
    let panicked = thread::spawn(move || {
        let script = format!("echo $$; sleep {FOR_EVER}");
        run(&shell(&script), &Interrupt::new(), &mut |_, chunk| {
            sender.send(String::from_utf8(chunk.to_vec()).unwrap().trim().to_owned()).unwrap();
            panic!("as a closure may");
        })
    });
    assert!(panicked.join().is_err());
    await_end(&[receiver.recv().unwrap()]);
}

#[test]
fn an_interrupt_from_another_thread_ends_every_run() {
    let interrupt = Interrupt::new();
    let (sender, receiver) = mpsc::channel();
    let runs = [(); 2].map(|()| {
        let (interrupt, sender) = (interrupt.clone(), sender.clone());
        thread::spawn(move || {
            let script = format!("echo ready; sleep {FOR_EVER}");
            run(&shell(&script), &interrupt, &mut |_, _| {
                sender.send(()).unwrap();
                Flow::Continue
            })
        })
    });
    receiver.recv().unwrap();
    receiver.recv().unwrap();
    interrupt.set();
    for run in runs {
        assert_eq!(run.join().unwrap().unwrap().ending, Ending::Interrupted);
    }
    assert!(interrupt.is_set());
    assert_eq!(run(&shell(":"), &interrupt, &mut |_, _| Flow::Continue).unwrap().ending, Ending::Interrupted);
}

#[test]
fn a_signal_to_benchwright_interrupts() {
    let interrupt = Interrupt::new();
    assert!(interrupt.listen_for_signals());
    assert!(!Interrupt::new().listen_for_signals());
    let command = shell(&format!("kill -TERM $PPID; sleep {FOR_EVER}"));
    let exit = run(&command, &interrupt, &mut |_, _| Flow::Continue).unwrap();
    assert_eq!(exit.ending, Ending::Interrupted);
}

#[test]
fn usage_counts_the_children_it_waited_for() {
    let busy = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done";
    let exit = run(&shell(&format!("/bin/sh -c '{busy}'; :")), &Interrupt::new(), &mut |_, _| Flow::Continue)
        .unwrap();
    assert!(exit.usage.user >= Duration::from_millis(5), "{exit:?}");
    assert!(
        exit.usage.user + exit.usage.system <= exit.usage.wall * 2 + Duration::from_millis(20),
        "{exit:?}"
    );
    assert!((100_000..1 << 33).contains(&exit.usage.max_rss_bytes), "{exit:?}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_process_can_be_pinned() {
    let core = *crate::usable_cores().unwrap().last().unwrap();
    let command = Command { cores: Some(vec![core]), ..shell("grep Cpus_allowed_list /proc/self/status") };
    assert_eq!(stdout(&command), format!("Cpus_allowed_list:\t{core}"));
}

#[test]
fn cores_that_do_not_exist_are_an_error() {
    for core in [1000, 100_000] {
        let command = Command { cores: Some(vec![core]), ..shell(":") };
        let error = run(&command, &Interrupt::new(), &mut |_, _| Flow::Continue).unwrap_err();
        assert!(matches!(&error, StartError::Cores { cores, .. } if *cores == [core]), "{error:?}");
    }
}

#[test]
fn niceness_is_given() {
    let own: i32 = stdout(&Command::new("nice", "/")).parse().unwrap();
    let command = Command { niceness: Some((own + 3).min(19)), ..Command::new("nice", "/") };
    assert_eq!(stdout(&command), (own + 3).min(19).to_string());
}

#[test]
fn an_exact_environment_is_all_there_is() {
    let env = Environment::Exact(vec![("B".into(), "2".into()), ("A".into(), "1".into())]);
    let all = stdout(&Command::new("/usr/bin/env", "/").env(env));
    let (mark, others) = all.lines().partition::<Vec<_>, _>(|line| line.starts_with("BENCHWRIGHT_CALL="));
    assert_eq!((mark.len(), others), (1, vec!["A=1", "B=2"]));
}

#[test]
fn an_inherited_environment_can_be_changed() {
    let env = Environment::Inherit { set: vec![("NEW".into(), "1".into())], remove: vec!["PATH".into()] };
    let seen = stdout(&Command::new("/usr/bin/env", "/").env(env));
    assert!(seen.lines().any(|line| line == "NEW=1"));
    assert!(!seen.lines().any(|line| line.starts_with("PATH=")));
}

#[test]
fn what_is_missing_is_named() {
    let start = |command: &Command| run(command, &Interrupt::new(), &mut |_, _| Flow::Continue).unwrap_err();
    let error = start(&Command::new("no-such-program", "/"));
    assert!(matches!(error, StartError::NoProgram { .. }));
    assert_eq!(error.to_string(), "find the program `no-such-program`");
    assert!(matches!(start(&Command::new("/bin/sh", "/no/such/dir")), StartError::NoDirectory { .. }));
    assert!(matches!(start(&Command::new("/etc/passwd", "/")), StartError::System { .. }));
}

/// The environment variable that makes this test the one to be killed. Its value is the file for process ids.
const VICTIM: &str = "BENCHWRIGHT_TEST_VICTIM";

#[test]
fn nothing_outlives_a_killed_benchwright() {
    if let Some(file) = std::env::var_os(VICTIM) {
        let script = format!("sleep {FOR_EVER} & echo $! $$ > part; mv part {}; wait", file.display());
        let command = Command { dir: Path::new(&file).parent().unwrap().into(), ..shell(&script) };
        run(&command, &Interrupt::new(), &mut |_, _| Flow::Continue).unwrap();
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("pids");
    let mut victim = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "run::tests::nothing_outlives_a_killed_benchwright"])
        .env(VICTIM, &file)
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    wait_until("the victim is busy", || file.exists());
    let pids: Vec<String> =
        fs::read_to_string(&file).unwrap().split_whitespace().map(str::to_owned).collect();
    assert_eq!(pids.len(), 2);
    assert!(pids.iter().all(|pid| is_alive(pid)));
    victim.kill().unwrap();
    victim.wait().unwrap();
    await_end(&pids);
}
