//! Benchmarks of the Java Microbenchmark Harness.
//!
//! A project is a Maven reactor with modules that use JMH, a Gradle build with the JMH plugin, or a directory with a
//! committed benchmarks jar. Every module becomes one executable: its jar, or a class path where no jar holds everything.
//!
//! JMH prints three decimals and starts whatever processes it likes, so it is driven by a small program of ours, the
//! [`shim`], which is compiled against the suite's own JMH and prints one line per benchmark, iteration and failure with
//! every number in full. Where it cannot be compiled (no `javac`, a JMH of another age), JMH's own text is read.
//!
//! A trial is one benchmark with one combination of parameters in one mode: a host VM and the one fork it starts, always
//! in their own process group. Iterations are read as they appear, so the worker can end the trial after any of them.
//!
//! Left to other modules: when a process is warm, how processes are started, what a checkout is.

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
