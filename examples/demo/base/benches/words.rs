//! The benchmarks, in the text format of Rust's built-in benchmark runner and without any dependency.

use std::hint::black_box;
use std::time::{Duration, Instant};

const BATCHES: usize = 80;
const BATCH: Duration = Duration::from_millis(1);

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let list = arguments.iter().any(|argument| argument == "--list");
    let exact = arguments.iter().position(|argument| argument == "--exact");
    let wanted = exact.and_then(|at| arguments.get(at + 1)).filter(|name| !name.starts_with('-'));
    let wanted = wanted.or_else(|| arguments.iter().skip(1).find(|argument| !argument.starts_with('-')));
    let text = wordlab::sample(400);

    let bench = |name: &str, operation: &dyn Fn(&str)| {
        if wanted.is_some_and(|wanted| wanted != name) {
            return;
        }
        if list {
            println!("{name}: benchmark");
        } else {
            let (fast, spread) = measure(|| operation(black_box(&text)));
            println!("test {name} ... bench: {fast:>14.2} ns/iter (+/- {spread:.2})");
        }
    };
    bench("checksum", &|text| keep(wordlab::checksum(text)));
    bench("count_words", &|text| keep(wordlab::count_words(text)));
    bench("longest_line", &|text| keep(wordlab::longest_line(text)));
    bench("parse_numbers", &|text| keep(wordlab::parse_numbers(text)));
    bench("slug", &|text| keep(wordlab::slug(text)));
    bench("sort_lines", &|text| keep(wordlab::sort_lines(text)));
    bench("unique_words", &|text| keep(wordlab::unique_words(text)));
}

/// Keeps the compiler from leaving the work out.
fn keep<T>(value: T) {
    black_box(value);
}

/// The fast tenth of many short batches and the spread to their median, nanoseconds per call; the first batches find the number of
/// calls. What disturbs a machine makes code slower, never faster, and seldom for the whole of a short batch.
fn measure(mut operation: impl FnMut()) -> (f64, f64) {
    let mut time = |calls: u32| {
        let start = Instant::now();
        (0..calls).for_each(|_| operation());
        start.elapsed()
    };
    let mut calls = 1_u32;
    while time(calls) < BATCH / 2 {
        calls *= 2;
    }
    let mut batches: Vec<f64> =
        (0..BATCHES).map(|_| time(calls).as_secs_f64() * 1e9 / f64::from(calls)).collect();
    batches.sort_by(f64::total_cmp);
    (batches[BATCHES / 10], batches[BATCHES / 2] - batches[BATCHES / 10])
}
