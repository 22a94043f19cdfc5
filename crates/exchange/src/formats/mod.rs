//! One file per format: `recognise` looks at the beginning, `read` reads everything.

pub(crate) mod bencher_metric;
pub(crate) mod benchfmt;
pub(crate) mod benchmark_dot_net;
pub(crate) mod criterion;
pub(crate) mod github_action;
pub(crate) mod google_benchmark;
pub(crate) mod gungraun;
pub(crate) mod hyperfine;
pub(crate) mod jmh;
pub(crate) mod pa;
pub(crate) mod pyperf;
pub(crate) mod pytest_benchmark;
pub(crate) mod uoptime;
