//! Benchmarks that do what a script says, and print times that nobody measured.
//!
//! The script of a benchmark is the file `NAME.VERSION` in the directory `SCRIPT`: a command per line, each with the
//! number of earlier results of this benchmark and version from which on it applies. Without a script a benchmark takes
//! 1000 ns.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const NAMES: &str = include_str!("../benchmarks.txt");
const VERSION: &str = include_str!("../version.txt");

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == "--list") {
        NAMES.lines().for_each(|name| println!("{name}: benchmark"));
        return;
    }
    let name = arguments.last().expect("a benchmark's name").clone();
    let script = Script { dir: std::env::var_os("SCRIPT").expect("a script").into(), name };
    script.append("started", &format!("{} {}\n", script.name, VERSION.trim()));
    script.append("arguments", &format!("{}\n", arguments.join(" ")));
    let earlier = fs::metadata(script.results()).map_or(0, |results| results.len());
    for command in script.commands(earlier) {
        script.carry_out(&command, earlier);
    }
}

struct Script {
    dir: PathBuf,
    name: String,
}

impl Script {
    /// The commands of the last line that applies.
    fn commands(&self, earlier: u64) -> Vec<String> {
        let file = self.dir.join(format!("{}.{}", self.name, VERSION.trim()));
        let text = fs::read_to_string(file).unwrap_or_else(|_| "0 time 1000".to_owned());
        let applies = |line: &&str| {
            let from = line.split_once(' ').and_then(|(from, _)| from.parse().ok());
            earlier >= from.unwrap_or(0)
        };
        let line = text.lines().filter(applies).last().unwrap_or_default();
        let (_, commands) = line.split_once(' ').unwrap_or_default();
        commands.split("; ").map(str::to_owned).collect()
    }

    fn carry_out(&self, command: &str, earlier: u64) {
        let (verb, rest) = command.split_once(' ').unwrap_or((command, ""));
        match verb {
            // Times spread by a tenth of a per cent, the same in every run of the script.
            "time" => self.result(&format!("{:.2}", number(rest) * (1.0 + 0.001 * self.noise(earlier)))),
            "noisy" => self.result(&format!("{:.2}", number(rest) * (1.0 + 0.3 * self.noise(earlier)))),
            "constant" => self.result(rest),
            "print" => println!("{rest}"),
            // Fails at every other start.
            "flaky" => {
                let started = fs::read_to_string(self.dir.join("started")).expect("this start at least");
                let own = format!("{} {}", self.name, VERSION.trim());
                assert!(started.lines().filter(|line| *line == own).count() % 2 == 0, "bad luck");
                self.carry_out(&format!("time {rest}"), earlier);
            }
            "panic" => panic!("{rest}"),
            "sleep" => std::thread::sleep(Duration::from_millis(rest.parse().expect("milliseconds"))),
            "hang" => {
                self.append("processes", &format!("{}\n", std::process::id()));
                loop {
                    std::thread::sleep(Duration::from_secs(1));
                }
            }
            "fork" => {
                let child = Command::new("sleep").arg("1000").spawn().expect("a child");
                self.append("processes", &format!("{}\n", child.id()));
            }
            // Leaves the process group, as daemons do.
            "daemon" => {
                let child = Command::new("setsid").args(["sleep", "1000"]).spawn().expect("a daemon");
                self.append("processes", &format!("{}\n", child.id()));
            }
            // Holds so many megabytes as long as it lives.
            "hold" => std::mem::forget(std::hint::black_box(vec![1_u8; number(rest) as usize * 1_000_000])),
            "flood" => {
                let line = [b'x'; 1 << 16];
                while std::io::stdout().write_all(&line).is_ok() {}
            }
            // Tells that it is here and waits until it may go on.
            "gate" => {
                self.append("processes", &format!("{}\n", std::process::id()));
                self.append("waiting", &format!("{} {}\n", self.name, VERSION.trim()));
                while !self.dir.join("go").exists() {
                    std::thread::sleep(Duration::from_millis(5));
                }
            }
            "nothing" => {}
            unknown => panic!("unknown command {unknown}"),
        }
    }

    fn result(&self, time: &str) {
        println!("test {} ... bench: {time} ns/iter (+/- 1)", self.name);
        self.append_to(&self.results(), ".");
    }

    /// The file with a byte per result.
    fn results(&self) -> PathBuf {
        self.dir.join(format!("{}.{}.results", self.name, VERSION.trim()))
    }

    /// From -1 to 1.
    fn noise(&self, earlier: u64) -> f64 {
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        for byte in self.name.bytes().chain(VERSION.bytes()).chain(earlier.to_le_bytes()) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
        hash = (hash ^ hash >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (hash >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn append(&self, file: &str, text: &str) {
        self.append_to(&self.dir.join(file), text);
    }

    fn append_to(&self, file: &Path, text: &str) {
        let mut file = OpenOptions::new().create(true).append(true).open(file).expect("a file of the script");
        file.write_all(text.as_bytes()).expect("room for it");
    }
}

fn number(text: &str) -> f64 {
    text.parse().expect("a number")
}
