//! Benchmarks of the Java Microbenchmark Harness.
//!
//! A project is a Maven reactor with modules that use JMH, a Gradle build with the JMH plugin, or a directory
//! with a committed benchmark jar. Every module becomes one executable: its jar, or a class path if no jar is
//! complete.
//!
//! JMH prints three decimals and starts processes as it likes, so it is driven by a small program, the
//! [`shim`]. It is compiled against the suite's own JMH and prints one line per benchmark, iteration and
//! failure, with full precision. If it cannot be compiled (no `javac`, or an unsupported JMH), JMH's own text
//! is read.
//!
//! A trial is one benchmark with one combination of parameters in one mode: a host VM and the single fork it
//! starts, always in their own process group. Iterations are read as they appear, so the worker can end the
//! trial after any of them.
//!
//! This module does not decide when a process is warm, start processes, or make check-outs.

mod build;
mod class_path;
mod command;
mod equipment;
mod fact;
mod gradle;
mod harness;
mod jar;
mod jdk;
mod list;
mod maven;
mod metrics;
mod name;
mod options;
mod pom;
mod reader;
mod recognise;
mod shim;
mod source;
mod text;
mod time;
mod toolchain;

pub(crate) use harness::Jmh;
