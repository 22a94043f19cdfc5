//! Processor time per interval, as `name value unit` lines; `reference/speed.py` measures the same with SciPy.
//!
//! Processor time of the thread, not wall time: on a busy machine a long call is interrupted and a short one is not, so that ratios of
//! wall times would flatter the shorter.

#![expect(clippy::print_stdout, reason = "a benchmark program reports on standard output")]

use std::hint::black_box;

use benchwright_stats::bootstrap::{Resampling, SharedResamples, mean, median};

const SIZE: usize = 75;
const SERIES: usize = 100;
const RESAMPLES: usize = 10_000;
const CONFIDENCE: f64 = 0.95;
const ROUNDS: usize = 31;

fn main() {
    let odd = samples(SIZE);
    let even = samples(SIZE + 1);
    let mut seed = 0;
    let mut resampling = || {
        seed += 1;
        Resampling { resamples: RESAMPLES, seed }
    };

    report("mean_percentile_n75", 1, || mean::percentile(black_box(&odd[0]), CONFIDENCE, resampling()));
    report("mean_bca_n75", 1, || mean::bca(black_box(&odd[0]), CONFIDENCE, resampling()));
    report("mean_studentised_n75", 1, || mean::studentised(black_box(&odd[0]), CONFIDENCE, resampling()));
    // Drawing the weights is part of the price.
    report("mean_percentile_shared_n75", SERIES, || {
        SharedResamples::draw(SIZE, resampling())
            .and_then(|shared| shared.mean_percentile(black_box(&odd), CONFIDENCE))
    });
    report("median_exact_n75", SERIES, || intervals_of_medians(&odd));
    report("median_exact_n76", SERIES, || intervals_of_medians(&even));
}

fn intervals_of_medians(samples: &[Vec<f64>]) -> f64 {
    samples
        .iter()
        .filter_map(|sample| median::percentile(black_box(sample), CONFIDENCE))
        .map(|found| found.width())
        .sum()
}

/// Prints the median time of one interval over some rounds.
fn report<Answer>(name: &str, intervals: usize, mut work: impl FnMut() -> Answer) {
    let mut times: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let start = processor_nanoseconds();
            black_box(work());
            (processor_nanoseconds() - start) as f64 / intervals as f64
        })
        .collect();
    times.sort_unstable_by(f64::total_cmp);
    println!("{name} {:.0} ns", times[ROUNDS / 2]);
}

/// Processor time this thread has used so far.
fn processor_nanoseconds() -> i64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a live `timespec`, which the call only writes.
    let status = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    assert_eq!(status, 0, "the thread clock exists on every supported system");
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}

/// Skewed positive samples, the same in every run: logarithms of a Weyl sequence.
fn samples(size: usize) -> Vec<Vec<f64>> {
    const STEP: f64 = 0.618_033_988_749_894_9;
    (0..SERIES)
        .map(|series| {
            (0..size).map(|i| 1.0 - (1.0 - ((1 + series * size + i) as f64 * STEP).fract()).ln()).collect()
        })
        .collect()
}
