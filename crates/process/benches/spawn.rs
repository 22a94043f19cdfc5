//! What starting a process through this crate costs compared with starting it directly. Prints `name value unit`, medians of
//! interleaved repetitions, with a small and with a large parent process.
#![expect(clippy::print_stdout, reason = "a benchmark program prints its results")]

use std::os::unix::process::CommandExt;
use std::process::Stdio;
use std::time::Instant;

use benchwright_process::{Command, Environment, Flow, Interrupt, run};

const REPETITIONS: usize = 400;
const PROGRAM: &str = "/bin/true";
const LARGE_BYTES: usize = 200 << 20;

fn main() {
    measure("small");
    // Touched page by page, so that fork has page tables to copy.
    let ballast: Vec<u8> = (0..LARGE_BYTES).map(|i| (i >> 12) as u8).collect();
    measure("large");
    std::hint::black_box(ballast);
}

fn measure(parent: &str) {
    let ways: [(&str, &dyn Fn()); 5] = [
        ("bare", &bare),
        ("bare_death_signal", &bare_death_signal),
        ("run", &|| through_room(None, None)),
        ("run_pinned", &|| through_room(Some(vec![0]), None)),
        ("run_nice", &|| through_room(None, Some(5))),
    ];
    let mut micros = vec![Vec::with_capacity(REPETITIONS); ways.len()];
    for _ in 0..REPETITIONS {
        for (i, (_, way)) in ways.iter().enumerate() {
            let started = Instant::now();
            way();
            micros[i].push(started.elapsed().as_secs_f64() * 1e6);
        }
    }
    let medians: Vec<f64> = micros.into_iter().map(median).collect();
    for (i, (name, _)) in ways.iter().enumerate() {
        println!("{parent}_parent/{name} {:.1} us", medians[i]);
        if i > 0 {
            println!("{parent}_parent/{name}_over_bare {:.1} us", medians[i] - medians[0]);
        }
    }
}

fn bare() {
    status(&mut std::process::Command::new(PROGRAM));
}

/// The rejected alternative to the guardian.
fn bare_death_signal() {
    let mut command = std::process::Command::new(PROGRAM);
    #[cfg(target_os = "linux")]
    // SAFETY: one async-signal-safe system call without pointers between fork and exec.
    unsafe {
        command.pre_exec(|| {
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            Ok(())
        });
    }
    status(&mut command);
}

fn status(command: &mut std::process::Command) {
    let command = command.env_clear().stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    assert!(command.process_group(0).status().expect("the program exists").success());
}

fn through_room(cores: Option<Vec<usize>>, niceness: Option<i32>) {
    let command =
        Command { cores, niceness, env: Environment::Exact(Vec::new()), ..Command::new(PROGRAM, "/") };
    let exit = run(&command, &Interrupt::new(), &mut |_, _| Flow::Continue).expect("the program exists");
    assert!(exit.is_success());
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
