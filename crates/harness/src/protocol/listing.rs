//! Reads the benchmarks that a program lists.

use std::collections::HashSet;

use benchwright_model::{BenchmarkId, Diagnostic};

use super::{Message, VERSION, parse};
use crate::Listing;

/// Maximum number of benchmarks of one program.
const MOST_BENCHMARKS: usize = 100_000;

/// The benchmarks in the output of a program, in order and without duplicates.
pub(crate) fn listing(harness: &str, package: &str, output: &str) -> Listing {
    let mut listing = Listing::default();
    let mut seen = HashSet::new();
    for (i, line) in output.lines().enumerate() {
        let Some(read) = parse(line.trim_end_matches('\r')) else { continue };
        let number = u32::try_from(i + 1).unwrap_or(u32::MAX);
        let here = |column: u32, message: String| {
            Diagnostic::warning(format!("{package}, standard output"), message).at(number, column)
        };
        match read {
            Ok(Message::Benchmark(name)) if name.trim().is_empty() || name.contains('\0') => {
                listing.diagnostics.push(here(1, format!("{name:?} is not a valid benchmark name")));
            }
            Ok(Message::Benchmark(name)) if seen.len() < MOST_BENCHMARKS => match seen.insert(name.clone()) {
                true => listing.benchmarks.push(BenchmarkId::new(harness, package, name)),
                false => listing.diagnostics.push(here(1, format!("`{name}` is listed twice"))),
            },
            Ok(Message::Error { benchmark, message }) => {
                let subject = match benchmark.is_empty() {
                    true => package.to_owned(),
                    false => BenchmarkId::new(harness, package, benchmark).to_string(),
                };
                listing.diagnostics.push(Diagnostic::error(subject, message));
            }
            Ok(Message::Protocol(version)) if version > VERSION => {
                let message =
                    format!("version {version} of the protocol; this benchwright supports {VERSION}");
                listing.diagnostics.push(here(1, message));
            }
            Ok(_) => {}
            Err(error) => listing.diagnostics.push(here(error.column, error.message)),
        }
    }
    listing
}
