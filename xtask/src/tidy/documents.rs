//! Checks that required documents and the origins of fixtures are present.

use std::collections::BTreeSet;

use super::Fault;
use super::files::File;

/// Documents that must always exist.
const REQUIRED: [&str; 8] = [
    "README.md",
    "ARCHITECTURE.md",
    "GLOSSARY.md",
    "METHODOLOGY.md",
    "STYLE.md",
    "CHANGELOG.md",
    "docs/guide/configuration.md",
    "docs/schema/comparison.schema.json",
];

/// Maximum number of lines of ARCHITECTURE.md. Nobody reads a longer one.
const ARCHITECTURE_LINES: usize = 300;

/// Finds missing documents, a change log without a section for the next change, and fixtures of unknown
/// origin.
pub(crate) fn faults(files: &[File]) -> Vec<Fault> {
    let mut faults = Vec::new();
    let find = |path: &str| files.iter().find(|file| file.path == path);
    for path in REQUIRED {
        if find(path).is_none_or(|file| file.text.trim().is_empty()) {
            faults.push(Fault::new(path, 0, "is missing or empty"));
        }
    }
    if find("CHANGELOG.md").is_some_and(|file| !file.text.lines().any(|line| line.trim() == "## Unreleased"))
    {
        faults.push(Fault::new("CHANGELOG.md", 0, "has no section `## Unreleased`"));
    }
    let length = find("ARCHITECTURE.md").map_or(0, |file| file.text.lines().count());
    if length > ARCHITECTURE_LINES {
        let message = format!("{length} lines, at most {ARCHITECTURE_LINES} allowed");
        faults.push(Fault::new("ARCHITECTURE.md", 0, message));
    }
    faults.extend(without_provenance(files));
    faults
}

/// Directories with fixtures whose origin is not stated, neither in themselves nor in a directory between
/// them and `fixtures/`.
fn without_provenance(files: &[File]) -> Vec<Fault> {
    let captured = || files.iter().filter(|file| file.path.starts_with("fixtures/"));
    let is_provenance = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or_default().to_lowercase();
        name.contains("provenance") || name == "readme.md"
    };
    let explained: BTreeSet<&str> =
        captured().filter(|file| is_provenance(&file.path)).map(|file| directory(&file.path)).collect();
    let directories: BTreeSet<&str> = captured().map(|file| directory(&file.path)).collect();
    let is_explained = |path: &str| {
        let mut at = path;
        while at.contains('/') {
            if explained.contains(at) {
                return true;
            }
            at = directory(at);
        }
        false
    };
    let unexplained = directories.into_iter().filter(|path| !is_explained(path) && *path != "fixtures");
    unexplained
        .map(|path| Fault::new(path, 0, "has no provenance file: command, tool version, date"))
        .collect()
}

fn directory(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(directory, _)| directory)
}

#[cfg(test)]
mod tests {
    use super::super::files::file;
    use super::*;

    fn house() -> Vec<File> {
        let mut files: Vec<File> = REQUIRED.iter().map(|path| file(path, "text\n")).collect();
        files.push(file("CHANGELOG.md", "# Changes\n\n## Unreleased\n"));
        files.retain(|file| file.path != "CHANGELOG.md" || file.text.contains("Unreleased"));
        files
    }

    fn check(files: &[File], expected: &[&str]) {
        let found: Vec<String> = faults(files).iter().map(Fault::to_string).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_complete_house_has_no_faults() {
        check(&house(), &[]);
    }

    #[test]
    fn missing_and_empty_documents_are_named() {
        let mut files = house();
        files.retain(|file| file.path != "STYLE.md");
        files.iter_mut().filter(|file| file.path == "GLOSSARY.md").for_each(|file| file.text.clear());
        check(&files, &["GLOSSARY.md: is missing or empty", "STYLE.md: is missing or empty"]);
    }

    #[test]
    fn the_change_log_has_room_for_the_next_change() {
        let mut files = house();
        files.retain(|file| file.path != "CHANGELOG.md");
        files.push(file("CHANGELOG.md", "# Changes\n\n## 1.0\n"));
        check(&files, &["CHANGELOG.md: has no section `## Unreleased`"]);
    }

    #[test]
    fn the_map_of_the_house_stays_short() {
        let mut files = house();
        files
            .iter_mut()
            .filter(|file| file.path == "ARCHITECTURE.md")
            .for_each(|file| file.text = "x\n".repeat(301));
        check(&files, &["ARCHITECTURE.md: 301 lines, at most 300 allowed"]);
    }

    #[test]
    fn fixtures_say_where_they_come_from() {
        let mut files = house();
        files.push(file("fixtures/go/1.26/a.txt", "x"));
        check(&files, &["fixtures/go/1.26: has no provenance file: command, tool version, date"]);
        files.push(file("fixtures/go/PROVENANCE.md", "go test"));
        check(&files, &[]);
    }
}
