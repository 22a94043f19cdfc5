//! The identity of a benchmark.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The identity of a benchmark, which is the same in all versions: its harness, its package, and its name
/// with all parameters.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct BenchmarkId {
    /// The name of the harness: `go` or `cargo`.
    pub harness: String,
    /// Go: the import path. Cargo: package and bench target, `memchr/bench`.
    pub package: String,
    /// The full name as the harness prints it, parameters included, without the processor suffix:
    /// `BenchmarkSort/n=100`, `parse/large`.
    pub name: String,
}

impl BenchmarkId {
    /// An identity from its three parts.
    pub fn new(harness: impl Into<String>, package: impl Into<String>, name: impl Into<String>) -> Self {
        BenchmarkId { harness: harness.into(), package: package.into(), name: name.into() }
    }

    /// The name without the part that all benchmarks of the harness share (Go's `Benchmark`).
    pub fn short_name(&self) -> &str {
        match (self.harness.as_str(), self.name.strip_prefix("Benchmark")) {
            ("go", Some(rest)) if !rest.is_empty() => rest,
            _ => &self.name,
        }
    }
}

/// `package:name`, the text used by `--filter`, globs and messages.
impl fmt::Display for BenchmarkId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.package, self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_name_drops_only_gos_prefix() {
        let check = |harness: &str, name: &str, expected: &str| {
            assert_eq!(BenchmarkId::new(harness, "p", name).short_name(), expected);
        };
        check("go", "BenchmarkSort/n=1", "Sort/n=1");
        check("go", "Benchmark", "Benchmark");
        check("cargo", "BenchmarkSort", "BenchmarkSort");
    }
}
