//! Our own benchmarks, held against our goals.
//!
//! 1. the bench programs of the crates, which print `name value unit` lines;
//! 2. what the product costs beside the benchmarks it runs, on a small Go module, and what measuring a command costs against
//!    hyperfine, where that is there;
//! 3. SciPy's time for what our own statistics do, where SciPy is there;
//! 4. how fast configurations are chosen, against the prototype and against NumPy, where recorded data is there;
//! 5. how much memory an import of many names needs;
//! 6. how fast steady states are labelled, against ruptures, and what stop rules cost, only when asked for: it takes minutes;
//! 7. one line per goal: `goal … measured … ok`. Nothing fails by being slow: machines differ, ratios are to be read.

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
