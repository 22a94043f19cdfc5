//! Files for people that programs do not read.

/// Names of documents, without their file endings.
const NAMES: [&str; 8] =
    ["README", "CHANGELOG", "CHANGES", "CONTRIBUTING", "CODE_OF_CONDUCT", "SECURITY", "LICENSE", "AUTHORS"];

/// Files that benchwright writes for later comparisons and that no benchmark reads, in capitals.
const OURS: [&str; 2] = ["BENCHWRIGHT.PLAN.TOML", "BENCHWRIGHT.ACCEPTED.TOML"];

/// Directories whose files are data for tests and benchmarks, whatever their names.
const OF_TESTS: [&str; 6] = ["bench", "benches", "benchmark", "benchmarks", "testdata", "tests"];

/// Whether a path, relative and with `/`, is a document that no benchmark reads. Other Markdown files do not
/// count, because Markdown parsers are benchmarked with such files.
pub(crate) fn is_document(path: &str) -> bool {
    let mut directories: Vec<&str> = path.split('/').collect();
    let name = directories.pop().unwrap_or_default().to_ascii_uppercase();
    if directories.iter().any(|part| OF_TESTS.contains(part)) {
        return false;
    }
    let stem = name.split('.').next().unwrap_or_default();
    NAMES.iter().any(|known| stem == *known || stem.starts_with(&format!("{known}-")))
        || directories.first() == Some(&"docs")
        || directories.is_empty() && OURS.contains(&name.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_people_read_is_a_document() {
        let check = |path: &str, expected: bool| assert_eq!(is_document(path), expected, "{path}");
        check("README.md", true);
        check("crates/a/README.md", true);
        check("LICENSE-MIT", true);
        check("docs/design/a.png", true);
        check("benchwright.plan.toml", true);
        check("benchwright.accepted.toml", true);
        check("data/benchwright.plan.toml", false);
        check("spec.md", false);
        check("benches/README.md", false);
        check("a/testdata/CHANGELOG.md", false);
        check("readme_test.txt", false);
    }
}
