//! Criterion benchmarks: a plain one, a group with parameters, names that are hard to select.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

fn text() -> String {
    // Relative to the package, where `cargo bench` runs its programs.
    std::fs::read_to_string("benches/data/text.txt").expect("the text lies beside this file")
}

fn count(c: &mut Criterion) {
    let text = text();
    c.bench_function("count", |b| b.iter(|| words::count(black_box(&text))));
    c.bench_function("count (a+b)*[c] $1.50|x^2", |b| b.iter(|| words::count(black_box("a b c"))));
    c.bench_function("größe ½", |b| b.iter(|| words::count(black_box("ä ö ü"))));
}

fn frequencies(c: &mut Criterion) {
    let text = text();
    let mut group = c.benchmark_group("frequencies");
    for copies in [1, 10] {
        let input = text.repeat(copies);
        group.throughput(Throughput::Bytes(input.len() as u64));
        group.bench_with_input(BenchmarkId::from_parameter(copies), &input, |b, input| {
            b.iter(|| words::frequencies(black_box(input)))
        });
        group.bench_with_input(BenchmarkId::new("upper case", copies), &input.to_uppercase(), |b, input| {
            b.iter(|| words::frequencies(black_box(input)))
        });
    }
    group.finish();
}

fn own_configuration(c: &mut Criterion) {
    let mut group = c.benchmark_group("own configuration");
    group.sample_size(12).measurement_time(Duration::from_millis(60)).warm_up_time(Duration::from_millis(20));
    group.bench_function("count", |b| b.iter(|| words::count(black_box("a b c"))));
    group.finish();
}

criterion_group!(benches, count, frequencies, own_configuration);
criterion_main!(benches);
