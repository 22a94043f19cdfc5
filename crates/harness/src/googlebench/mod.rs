//! Benchmarks written for Google Benchmark, in C++ and C.
//!
//! A project is a directory with the top-most `CMakeLists.txt`. All versions are configured in one directory.
//! CMake reports which executables link the library, and those are built and copied. A program that would
//! read or load files from that directory at run time is built in a directory of its own version instead.
//! Programs made by other build tools are named in the settings (`--program`). A trial selects one benchmark
//! by an escaped and anchored pattern. Its repetitions are the iterations, which are read from the JSON file
//! that the library writes at the end.
//!
//! This module does not start processes, make check-outs, or decide which benchmarks are measured.

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
