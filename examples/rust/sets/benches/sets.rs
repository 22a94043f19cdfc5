//! divan benchmarks: plain, with arguments, generic, in modules, on several threads, with allocations counted.

use std::sync::atomic::{AtomicUsize, Ordering};

use divan::{AllocProfiler, Bencher, black_box};

#[global_allocator]
static ALLOCATOR: AllocProfiler = AllocProfiler::system();

fn main() {
    divan::main();
}

#[divan::bench]
fn common() -> usize {
    sets::common(black_box(&[1, 2, 3, 4]), black_box(&[2, 4, 6]))
}

#[divan::bench(args = [10, 1000])]
fn unique(bencher: Bencher, n: u32) {
    let elements: Vec<u32> = (0..n).map(|i| i.wrapping_mul(2_654_435_761) % 97).collect();
    bencher.counter(divan::counter::BytesCount::of_slice(&elements)).bench(|| sets::unique(black_box(&elements)));
}

#[divan::bench(ignore)]
fn left_out() -> usize {
    0
}

static SHARED: AtomicUsize = AtomicUsize::new(0);

#[divan::bench(threads = [1, 2])]
fn contended() -> usize {
    SHARED.fetch_add(1, Ordering::Relaxed)
}

mod collections {
    use std::collections::{BTreeSet, HashSet};

    use divan::black_box;

    #[divan::bench(types = [BTreeSet<u32>, HashSet<u32>], args = [8, 64])]
    fn collect<S: FromIterator<u32>>(n: u32) -> S {
        (0..black_box(n)).collect()
    }

    #[divan::bench(name = "sum of squares", consts = [4, 16])]
    fn squares<const N: u64>() -> u64 {
        (0..black_box(N)).map(|i| i * i).sum()
    }
}
