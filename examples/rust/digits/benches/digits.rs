//! Benchmarks of the `bencher` crate. One name is part of another: the crate selects by substring.

use bencher::{Bencher, benchmark_group, benchmark_main};

fn sum(b: &mut Bencher) {
    b.iter(|| digits::sum(bencher::black_box(1_234_567_890_123)));
}

fn sum_of_many(b: &mut Bencher) {
    b.iter(|| (0..bencher::black_box(500)).map(digits::sum).sum::<u64>());
    b.bytes = 500 * 8;
}

benchmark_group!(benches, sum, sum_of_many);
benchmark_main!(benches);
