//! A benchmark program without any dependency. It speaks as much of libtest's language as is needed: `--list`,
//! `--exact NAME` and lines `test NAME ... bench: N ns/iter (+/- N)`.

use std::hint::black_box;
use std::time::{Duration, Instant};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let exact = arguments.iter().any(|argument| argument == "--exact");
    let filter = arguments.iter().find(|argument| !argument.starts_with("--"));
    for length in [16, 4096] {
        let name = format!("fletcher/{length}");
        let selected = filter.is_none_or(|filter| if exact { name == *filter } else { name.contains(filter) });
        if !selected {
            continue;
        }
        if arguments.iter().any(|argument| argument == "--list") {
            println!("{name}: benchmark");
        } else {
            let bytes: Vec<u8> = (0..length).map(|i| i as u8).collect();
            measure(&name, || {
                black_box(plain::fletcher(black_box(&bytes)));
            });
        }
    }
}

/// Times batches of about a millisecond for a twentieth of a second and prints their median.
fn measure(name: &str, operation: impl Fn()) {
    let time = |n: u32| {
        let start = Instant::now();
        (0..n).for_each(|_| operation());
        start.elapsed()
    };
    let mut batch = 1;
    while time(batch) < Duration::from_millis(1) {
        batch *= 2;
    }
    let mut nanoseconds: Vec<f64> = (0..50).map(|_| time(batch).as_nanos() as f64 / f64::from(batch)).collect();
    nanoseconds.sort_by(f64::total_cmp);
    let spread = nanoseconds[nanoseconds.len() - 1] - nanoseconds[0];
    println!("test {name} ... bench: {:.2} ns/iter (+/- {spread:.2})", nanoseconds[nanoseconds.len() / 2]);
}
