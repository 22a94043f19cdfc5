//! Slows down functions of Rust and Java code. They are listed by hand, because there is no search for the
//! calls of a benchmark in these languages.

use std::path::{Path, PathBuf};

use super::candidates::Target;

/// A function of a suite that a benchmark calls once, or nearly once, per operation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    /// The package and name of the benchmark, as the product names them.
    pub(crate) package: &'static str,
    pub(crate) benchmark: &'static str,
    /// The function's file, relative to the repository.
    pub(crate) file: &'static str,
    /// The head of the function, up to the opening brace.
    pub(crate) head: &'static str,
}

impl Place {
    /// The function as a [`Target`].
    pub(crate) fn target(&self) -> Target {
        Target {
            package: self.package.into(),
            benchmark: self.benchmark.into(),
            dir: String::new(),
            file: self.file.into(),
            function: self.head.into(),
        }
    }
}

/// The name of the class that runs the loop.
const SPIN: &str = "BenchwrightTrialSpin";

/// The changed files, relative to the repository, with a loop of `rounds` rounds at the start of the
/// function. `None` if the function's head is not in the file exactly once.
pub(crate) fn slowed(target: &Target, source: &str, rounds: u32) -> Option<Vec<(PathBuf, String)>> {
    let (before, after) = source.split_once(&target.function)?;
    if after.contains(&target.function) {
        return None;
    }
    let file = PathBuf::from(&target.file);
    let head = &target.function;
    match Path::new(&target.file).extension()?.to_str()? {
        "rs" => {
            let call = format!("std::hint::black_box(benchwright_trial_spin({rounds}));");
            let spin = "#[inline(never)]\nfn benchwright_trial_spin(rounds: u64) -> u64 {\n    let mut value = rounds;\n    \
                        for i in 0..rounds {\n        value ^= value.wrapping_add(i);\n    }\n    value\n}\n";
            Some(vec![(file, format!("{before}{head} {call}{after}\n{spin}"))])
        }
        "java" => {
            let package = source.lines().find(|line| line.starts_with("package "))?;
            let spin = format!(
                "{package}\n\nfinal class {SPIN} {{\n    static volatile long sink;\n\n    static void spin(int rounds) {{\n        \
                 long value = rounds;\n        for (int i = 0; i < rounds; i++) {{\n            value ^= value + i;\n        }}\n        \
                 sink = value;\n    }}\n}}\n"
            );
            let changed = format!("{before}{head} {SPIN}.spin({rounds});{after}");
            Some(vec![(file.with_file_name(format!("{SPIN}.java")), spin), (file, changed)])
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(file: &str, function: &str) -> Target {
        Target {
            package: "p".into(),
            benchmark: "b".into(),
            dir: String::new(),
            file: file.into(),
            function: function.into(),
        }
    }

    #[test]
    fn the_loop_stands_at_the_entry() {
        let rust = slowed(&target("src/a.rs", "fn f() {"), "fn f() { 1 }\nfn g() {}\n", 7).unwrap();
        assert!(rust[0].1.starts_with("fn f() { std::hint::black_box(benchwright_trial_spin(7)); 1 }\n"));
        let source = "package a.b;\nclass C { int f() { return 1; } }\n";
        let java = slowed(&target("x/C.java", "int f() {"), source, 7).unwrap();
        assert_eq!(java[0].0, Path::new("x/BenchwrightTrialSpin.java"));
        assert!(java[0].1.starts_with("package a.b;\n\nfinal class BenchwrightTrialSpin {"));
        assert!(java[1].1.contains("int f() { BenchwrightTrialSpin.spin(7); return 1; }"), "{}", java[1].1);
    }

    #[test]
    fn a_head_that_is_gone_or_there_twice_is_not_slowed() {
        assert_eq!(slowed(&target("a.rs", "fn f() {"), "fn g() {}", 7), None);
        assert_eq!(slowed(&target("a.rs", "fn f() {"), "fn f() {} fn f() {}", 7), None);
        assert_eq!(slowed(&target("a.py", "def f():"), "def f(): pass", 7), None);
    }
}
