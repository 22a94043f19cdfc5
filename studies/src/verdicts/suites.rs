//! The suites: code that many people use and that we did not write.

use std::path::{Path, PathBuf};

use super::slow_source::Place;

/// A project with benchmarks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Suite {
    /// Our name for it, which is also the name of its directory.
    pub(crate) name: &'static str,
    /// The source of the code.
    pub(crate) source: Source,
    /// Arguments for the harness after `--`.
    pub(crate) arguments: &'static [&'static str],
    /// A regular expression for benchmarks that are never used. Empty for none.
    pub(crate) skip: &'static str,
    /// The functions that may be slowed down.
    pub(crate) slowdowns: Slowdowns,
}

/// The functions of a suite that may be slowed down.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Slowdowns {
    None,
    /// Functions that its Go benchmarks call.
    Found,
    /// These functions, in a Rust crate with Criterion.
    Criterion(&'static [Place]),
    /// These functions, in a Maven project with JMH.
    Jmh(&'static [Place]),
}

/// The source of a suite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    /// A Go module at a version.
    Module(&'static str, &'static str),
    /// The standard library of the installed Go.
    StandardLibrary,
    /// An example of this repository.
    Example(&'static str),
    /// A crate of the Rust registry at a version. Only few crates are suitable. Their package must include
    /// benches, and many benches set their own measuring time of seconds, or measure code that the optimiser
    /// removes.
    Crate(&'static str, &'static str),
}

/// All suites. Versions are fixed, so that trials on different machines measure the same code.
pub(crate) const SUITES: [Suite; 13] = [
    module("btree", "github.com/google/btree", "v1.1.3"),
    module("zerolog", "github.com/rs/zerolog", "v1.34.0"),
    module("zap", "go.uber.org/zap", "v1.27.0"),
    module("fastjson", "github.com/valyala/fastjson", "v1.6.4"),
    module("expr", "github.com/expr-lang/expr", "v1.17.5"),
    module("toml", "github.com/pelletier/go-toml/v2", "v2.2.4"),
    standard(
        "std-text",
        &["./sort", "./strings", "./strconv", "./encoding/hex", "./unicode/utf8"],
        Slowdowns::None,
    ),
    Suite {
        // Its set-up takes eleven seconds per process.
        skip: "TypeFieldsCache",
        ..standard(
            "std-formats",
            &["./encoding/json", "./encoding/csv", "./regexp", "./html", "./net/url"],
            Slowdowns::Found,
        )
    },
    standard(
        "std-data",
        &["./encoding/xml", "./encoding/gob", "./image/png", "./image/jpeg", "./go/printer"],
        Slowdowns::Found,
    ),
    rust("matchit", "0.8.6"),
    Suite { slowdowns: Slowdowns::Criterion(&CRC32FAST), ..rust("crc32fast", "1.5.4") },
    Suite { slowdowns: Slowdowns::Jmh(&JAVA), ..example("java", "examples/java") },
    example("demo", "examples/demo/base"),
];

const CRC32FAST: [Place; 2] = [
    checksum(
        "baseline/16384",
        "src/baseline.rs",
        "pub(crate) fn update_fast_16(prev: u32, mut buf: &[u8]) -> u32 {",
    ),
    checksum("specialized/1048576", "src/lib.rs", "pub fn update(&mut self, buf: &[u8]) {"),
];

const fn checksum(benchmark: &'static str, file: &'static str, head: &'static str) -> Place {
    Place { package: "crc32fast/bench", benchmark, file, head }
}

const JAVA: [Place; 1] = [Place {
    package: "org.example.shelf",
    benchmark: "Sorting.fill/order=RISING/size=100",
    file: "benchmarks/src/main/java/org/example/shelf/Sorting.java",
    head: "public int fill() {",
}];

const fn module(name: &'static str, path: &'static str, version: &'static str) -> Suite {
    Suite {
        name,
        source: Source::Module(path, version),
        arguments: &[],
        skip: "",
        slowdowns: Slowdowns::Found,
    }
}

/// A suite of the standard library. Packages that the tool chain itself uses must not be slowed down, because
/// each step of a calibration would build most of the library again.
const fn standard(name: &'static str, arguments: &'static [&'static str], slowdowns: Slowdowns) -> Suite {
    Suite { name, source: Source::StandardLibrary, arguments, skip: "", slowdowns }
}

const fn rust(name: &'static str, version: &'static str) -> Suite {
    Suite { name, source: Source::Crate(name, version), arguments: &[], skip: "", slowdowns: Slowdowns::None }
}

const fn example(name: &'static str, path: &'static str) -> Suite {
    Suite { name, source: Source::Example(path), arguments: &[], skip: "", slowdowns: Slowdowns::None }
}

impl Suite {
    /// Its repository below the directory of the trials. Suites of the standard library share one.
    pub(crate) fn repository(&self, dir: &Path) -> PathBuf {
        let name = if self.source == Source::StandardLibrary { "std" } else { self.name };
        let path = dir.join("suites").join(name);
        // The overlay of the go command needs the paths that the command itself uses.
        path.canonicalize().unwrap_or(path)
    }
}

/// The suites with these names, separated by commas, or all suites.
pub(crate) fn named(wanted: Option<&str>) -> anyhow::Result<Vec<Suite>> {
    let Some(wanted) = wanted else { return Ok(SUITES.to_vec()) };
    let find = |name: &str| {
        let found = SUITES.iter().find(|suite| suite.name == name).copied();
        found.ok_or_else(|| {
            let names: Vec<&str> = SUITES.iter().map(|suite| suite.name).collect();
            anyhow::anyhow!("find the suite `{name}`; there are: {}", names.join(", "))
        })
    };
    wanted.split(',').map(find).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suites_are_chosen_by_name() {
        let names =
            |wanted| named(wanted).map(|found| found.iter().map(|suite| suite.name).collect::<Vec<_>>());
        assert_eq!(names(Some("expr,btree")).unwrap(), ["expr", "btree"]);
        assert_eq!(names(None).unwrap().len(), SUITES.len());
        assert!(names(Some("nothing")).unwrap_err().to_string().contains("zerolog"));
    }
}
