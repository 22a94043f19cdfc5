//! Which files of a project matter to its benchmarks.

/// Endings of files that compilers and CMake read.
const COMPILED: [&str; 23] = [
    "c", "cc", "cpp", "cxx", "c++", "h", "hh", "hpp", "hxx", "h++", "inl", "ipp", "ixx", "cppm", "tcc",
    "tpp", "inc", "def", "s", "asm", "m", "mm", "cmake",
];

/// Whether a file is compiled in, or certainly not read by a benchmark (documents, files of other tools).
pub(super) fn is_compiled_in(path: &str) -> bool {
    let mut directories: Vec<&str> = path.split('/').collect();
    let file = directories.pop().unwrap_or_default();
    if directories.iter().any(|part| matches!(*part, "testdata" | "data")) {
        return false;
    }
    let is_hidden = |part: &&str| part.starts_with('.') && part.len() > 1;
    directories.iter().any(is_hidden)
        || is_hidden(&file)
        || matches!(file, "CMakeLists.txt" | "CMakePresets.json" | "benchwright.toml")
        || is_code(file)
        || crate::document::is_document(path)
}

/// Whether a file's name is that of code.
pub(super) fn is_code(file: &str) -> bool {
    let extension = file.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    extension.is_some_and(|extension| COMPILED.contains(&extension.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_settings_and_documents_are_no_data() {
        let check = |path: &str, expected: bool| assert_eq!(is_compiled_in(path), expected, "{path}");
        check("src/parse.cc", true);
        check("include/a/b.HPP", true);
        check("bench/CMakeLists.txt", true);
        check("cmake/options.cmake", true);
        check(".clang-format", true);
        check(".github/workflows/ci.yml", true);
        check("README.md", true);
        check("config.h.in", false);
        check("bench/corpus.json", false);
        check("bench/data/sample.cc", false);
        check("testdata/a.h", false);
        check("Makefile", false);
        check("c", false);
    }
}
