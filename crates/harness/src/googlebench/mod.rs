//! Benchmarks written for Google Benchmark, in C++ and C.
//!
//! A project is a directory with the top-most `CMakeLists.txt`. It is configured in one directory for all versions, CMake
//! itself says which executables link the library, and those are built and copied away. A program that would read or load
//! something from that directory at run time is built in a directory of its own version instead. Programs made by
//! other build tools are named in the settings (`--program`). A trial selects one benchmark by an escaped and
//! anchored pattern; its repetitions are the iterations, read from the JSON file the library writes at the end.
//!
//! Left to other modules: how processes are started, what a checkout is, which benchmarks will be measured.

mod arguments;
mod build;
mod cache_file;
mod code_model;
mod command;
mod given;
mod harness;
mod list;
mod loaded;
mod pattern;
mod programs;
mod reader;
mod recognise;
mod release;
mod source;
mod steps;
mod toolchain;

pub(crate) use harness::GoogleBenchmark;
