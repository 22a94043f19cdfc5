//! Our own benchmarks, compared with our goals.
//!
//! 1. Run the bench programs of the crates, which print `name value unit` lines.
//! 2. Measure the overhead of the product on a small Go module, and the overhead of measuring a command
//!    compared with hyperfine, if it is installed.
//! 3. Measure SciPy's time for the work of our own statistics, if SciPy is installed.
//! 4. Measure how fast configurations are chosen, compared with the prototype and NumPy, if recorded data is
//!    present.
//! 5. Measure the memory of an import of many names.
//! 6. Measure how fast steady states are labelled, compared with ruptures, and the cost of stop rules. This
//!    takes minutes, so it must be asked for.
//! 7. Print one line per goal: `goal … measured … ok`. A slow result is no failure, because machines differ.
//!    Compare the ratios.

mod command;
mod commands;
mod decisions;
mod goals;
mod import;
mod on_cpu;
mod orchestration;
mod programs;
mod reduce;
mod resident;
mod scipy;
mod steady;

pub(crate) use command::{
    bench, bench_elastic, bench_exchange, bench_orchestration, bench_reduce, bench_steady,
};
