//! The limits on how much of a file is read.

/// The limits on how much of a file is read. Without limits a small compressed file could use any amount of
/// memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Maximum number of benchmarks of a file, in all its sets of results together.
    pub benchmarks: u64,
    /// Maximum number of values of a benchmark, in all its processes and metrics together.
    pub values: u64,
    /// Maximum number of bytes of a file after unpacking.
    pub bytes: u64,
}

impl Default for Limits {
    /// More than any suite has. A benchmark takes some 700 bytes in addition to its values, so this many
    /// names take 76 MB. With values of two bytes each, the minimum for text, a file of the largest size
    /// takes 2 GiB.
    fn default() -> Self {
        Limits { benchmarks: 100_000, values: 10_000_000, bytes: 512 << 20 }
    }
}

impl Limits {
    /// A file has too many benchmarks.
    pub(crate) fn too_many_benchmarks(self) -> String {
        let raise = raise("max-benchmarks");
        format!("has more than {} benchmarks, the rest is left out; {raise}", self.benchmarks)
    }

    /// A benchmark has too many values.
    pub(crate) fn too_many_values(self, subject: &str) -> String {
        let raise = raise("max-values");
        format!("{subject} has more than {} values and is left out; {raise}", self.values)
    }

    /// A file has too many bytes.
    pub(crate) fn too_many_bytes(self) -> String {
        let raise = raise("max-file-size");
        let size = match self.bytes {
            bytes if bytes % (1 << 20) == 0 => format!("{} MiB", bytes >> 20),
            bytes => format!("{bytes} bytes"),
        };
        format!("it is larger than {size} after unpacking; {raise}")
    }
}

/// How to raise a limit.
fn raise(setting: &str) -> String {
    let variable = setting.replace('-', "_").to_uppercase();
    format!("the setting `{setting}` (BENCHWRIGHT_{variable}) raises this limit")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::test_fixtures::{files, short};

    /// All diagnostics about a file with these limits, and the numbers of its benchmarks and processes.
    fn read(limits: Limits, name: &str, bytes: &[u8]) -> (String, usize, usize) {
        match limits.read(name, bytes) {
            Err(error) => (format!("{error}: {:?}", std::error::Error::source(&error)), 0, 0),
            Ok(list) => {
                let said = list.iter().flat_map(|set| &set.diagnostics).map(ToString::to_string);
                let benchmarks = list.iter().flat_map(|set| &set.benchmarks);
                let processes = benchmarks.clone().map(|benchmark| benchmark.processes.len()).sum();
                (said.collect::<Vec<_>>().join("\n"), benchmarks.count(), processes)
            }
        }
    }

    #[test]
    fn every_format_is_read_up_to_each_limit() {
        for file in files() {
            let (name, bytes) = (short(&file), fs::read(&file).unwrap());
            let usual = Limits::default();
            let (_, benchmarks, processes) = read(usual, &name, &bytes);
            let (said, found, _) = read(Limits { bytes: 100, ..usual }, &name, &bytes);
            assert!(
                said.contains("larger than 100 bytes") && said.contains("`max-file-size`"),
                "{name}: {said}"
            );
            assert_eq!(found, 0, "{name}");
            let (said, found, _) = read(Limits { benchmarks: 1, ..usual }, &name, &bytes);
            assert_eq!(found, benchmarks.min(1), "{name}: {said}");
            assert_eq!(
                said.matches("more than 1 benchmarks").count(),
                usize::from(benchmarks > 1),
                "{name}: {said}"
            );
            let (said, _, found) = read(Limits { values: 0, ..usual }, &name, &bytes);
            assert_eq!(found, 0, "{name}: {said}");
            assert_eq!(said.contains("`max-values`"), processes > 0, "{name}: {said}");
        }
    }

    #[test]
    fn the_rest_of_a_file_is_read_where_one_benchmark_has_too_many_values() {
        let jmh = |name: &str, values: &str| {
            format!(
                "{{\"jmhVersion\": \"1.37\", \"benchmark\": \"p.C.{name}\", \"mode\": \"avgt\", \"primaryMetric\": {{\"scoreUnit\": \"s/op\", \"rawData\": {values}}}}}"
            )
        };
        let limits = Limits { values: 4, ..Limits::default() };
        for (values, expected) in
            [("[[1, 2], [1, 2]]", 2), ("[[1, 2], [1, 2, 3]]", 1), ("[[1, 2, 3, 4, 5]]", 1)]
        {
            let text = format!("[\n{},\n{}\n]\n", jmh("a", values), jmh("b", "[[1]]"));
            let (said, found, _) = read(limits, "file", text.as_bytes());
            assert_eq!(found, expected, "{values}: {said}");
        }
        // A name that occurs repeatedly, and results of one name.
        let text = format!("[\n{0},\n{0},\n{0}\n]\n", jmh("a", "[[1, 2]]"));
        let (said, _, processes) = read(limits, "file", text.as_bytes());
        assert!(processes == 2 && said.contains("`p:C.a` has more than 4 values"), "{said}");
        let text = "BenchmarkA 1 2 ns/op\n".repeat(5) + "BenchmarkB 1 2 ns/op\n";
        let (said, found, _) = read(limits, "file", text.as_bytes());
        assert!(found == 1 && said.contains("BenchmarkA` has more than 4 values"), "{said}");
    }
}
