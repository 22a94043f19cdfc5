//! Finds out which files are compiled into the executables.

use crate::document::is_document;

/// Endings of source files in JVM languages.
const ENDINGS: [&str; 5] = [".groovy", ".java", ".kt", ".kts", ".scala"];

/// Directories whose files are data, even if they look like source, because parsers are benchmarked with
/// them.
const OF_DATA: [&str; 4] = ["data", "resources", "samples", "testdata"];

/// Whether a path of the project is compiled in, affects how that is done, or is only for people.
pub(super) fn is_compiled_in(path: &str) -> bool {
    let mut directories: Vec<&str> = path.split('/').collect();
    let name = directories.pop().unwrap_or_default();
    if directories.iter().any(|part| OF_DATA.contains(part)) {
        return false;
    }
    let is_source = directories.contains(&"src") && ENDINGS.iter().any(|ending| name.ends_with(ending));
    let is_build = matches!(name, "pom.xml" | "build.gradle" | "build.gradle.kts" | "gradle.properties")
        || name.starts_with("settings.gradle");
    is_source || is_build || is_document(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn source_and_build_files_are_compiled_in_and_data_is_not() {
        let check = |path: &str, expected: bool| assert_eq!(is_compiled_in(path), expected, "{path}");
        check("src/main/java/org/acme/Sort.java", true);
        check("core/src/main/kotlin/Sort.kt", true);
        check("pom.xml", true);
        check("a/build.gradle.kts", true);
        check("README.md", true);
        check("src/main/resources/words.txt", false);
        check("src/test/resources/Big.java", false);
        check("Big.java", false);
        check("data/pom.xml", false);
    }
}
