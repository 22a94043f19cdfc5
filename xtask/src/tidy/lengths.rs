//! Limits the length of files and functions, and requires a header in every file.

use super::Fault;
use super::code::{blanked, functions, test_lines};
use super::files::File;

/// Maximum number of lines of a file, without tests. Aim for 300.
const FILE_LINES: usize = 600;

/// Maximum number of lines of a function, without tests. Aim for 40.
const FUNCTION_LINES: usize = 80;

/// Files and functions (`path` or `path:function`) that may be longer, each with the reason.
const EXCEPTIONS: [(&str, &str); 0] = [];

/// Finds files and functions that are too long, and Rust files without a header.
pub(crate) fn faults(files: &[File]) -> Vec<Fault> {
    files.iter().filter(|file| file.is_rust()).flat_map(file_faults).collect()
}

fn file_faults(file: &File) -> Vec<Fault> {
    let mut faults = Vec::new();
    if file.is_test() {
        return faults;
    }
    if !file.text.starts_with("//!") {
        faults.push(Fault::new(&file.path, 1, "a file begins with a sentence on what it is (`//!`)"));
    }
    let code = blanked(&file.text);
    let tests = test_lines(&code);
    let is_test = |line: usize| tests.iter().any(|range| range.contains(&line));
    let lines = code.lines().enumerate().filter(|(i, _)| !is_test(*i)).count();
    if lines > FILE_LINES && !is_excepted(&file.path) {
        faults.push(Fault::new(&file.path, 0, format!("{lines} lines, at most {FILE_LINES} allowed")));
    }
    for function in functions(&code) {
        let length = function.lines.len();
        let name = format!("{}:{}", file.path, function.name);
        if length > FUNCTION_LINES && !is_test(function.lines.start) && !is_excepted(&name) {
            let message = format!("`{}` has {length} lines, at most {FUNCTION_LINES} allowed", function.name);
            faults.push(Fault::new(&file.path, function.lines.start + 1, message));
        }
    }
    faults
}

fn is_excepted(name: &str) -> bool {
    EXCEPTIONS.iter().any(|(excepted, _)| *excepted == name)
}

#[cfg(test)]
mod tests {
    use super::super::files::file;
    use super::*;

    fn check(path: &str, text: &str, expected: &[&str]) {
        let found: Vec<String> = faults(&[file(path, text)]).iter().map(Fault::to_string).collect();
        assert_eq!(found, expected);
    }

    fn function(lines: usize) -> String {
        format!("fn long() {{\n{}}}\n", "    one();\n".repeat(lines - 2))
    }

    #[test]
    fn a_function_of_80_lines_is_allowed_and_one_of_81_is_not() {
        check("crates/a/src/b.rs", &format!("//! B.\n{}", function(80)), &[]);
        let long = "crates/a/src/b.rs:2: `long` has 81 lines, at most 80 allowed";
        check("crates/a/src/b.rs", &format!("//! B.\n{}", function(81)), &[long]);
    }

    #[test]
    fn a_file_of_600_lines_is_allowed_and_one_of_601_is_not() {
        let lines = |count: usize| format!("//! B.\n{}", "const A: u8 = 1;\n".repeat(count - 1));
        check("crates/a/src/b.rs", &lines(600), &[]);
        check("crates/a/src/b.rs", &lines(601), &["crates/a/src/b.rs: 601 lines, at most 600 allowed"]);
    }

    #[test]
    fn tests_may_be_long() {
        let inner = format!("//! B.\n#[cfg(test)]\nmod tests {{\n{}}}\n", function(700));
        check("crates/a/src/b.rs", &inner, &[]);
        check("crates/a/src/tests.rs", &format!("//! B.\n{}", function(700)), &[]);
    }

    #[test]
    fn every_rust_file_of_ours_says_what_it_is() {
        let missing = "xtask/src/b.rs:1: a file begins with a sentence on what it is (`//!`)";
        check("xtask/src/b.rs", "use a;\n", &[missing]);
        check("xtask/src/b/tests.rs", "use a;\n", &[]);
        check("examples/b.rs", "use a;\n", &[]);
    }
}
