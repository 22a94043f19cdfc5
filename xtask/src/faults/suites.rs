//! Small repositories with the versions `base` and `head`, of which `head` is much slower.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::command::{find_program, git, run};

/// A suite and how to compare its versions.
#[derive(Debug)]
pub(super) struct Suite {
    /// Its name for `--harness`.
    pub(super) name: &'static str,
    /// Programs that it needs.
    needs: &'static [&'static str],
    /// The directory that it is copied from. `None` for the scripted suite.
    example: Option<&'static str>,
    /// The file that `head` changes, the text it replaces, and the new text.
    change: [&'static str; 3],
    /// The benchmark that gets slower.
    pub(super) slower: &'static str,
    /// Options that keep a comparison short.
    pub(super) options: &'static str,
}

/// The scripted suite comes first, because its benchmarks are fast and their values are known.
pub(super) const SUITES: [Suite; 6] = [
    Suite {
        name: "scripted",
        needs: &["cargo"],
        example: None,
        change: ["version.txt", "base", "head"],
        slower: "beta",
        options: "",
    },
    Suite {
        name: "go",
        needs: &["go"],
        example: Some("examples/go"),
        change: ["shelf.go", "total += value", "for i := 0; i < 30; i++ {\n\t\t\ttotal += value ^ i\n\t\t}"],
        slower: "BenchmarkSum",
        options: "--filter :BenchmarkSum$ --iteration-time 2ms --iterations 2",
    },
    Suite {
        name: "python",
        needs: &["python3"],
        example: Some("examples/python"),
        // The test of this function checks the counts, so the change must not affect them.
        change: [
            "src/tally/__init__.py",
            "    counts = {}\n",
            "    for _ in range(30):\n        sorted(text.lower())\n    counts = {}\n",
        ],
        slower: "TestLetters::test_count",
        options: "--filter TestLetters::test_count --iteration-time 2ms --iterations 2 --warmup-time 0ms --max-duets 8",
    },
    Suite {
        name: "javascript",
        needs: &["node", "npm"],
        example: Some("examples/javascript"),
        change: [
            "src/distance.js",
            "  return row",
            "  for (let k = 0; k < 50000; k++) row[0] = (row[0] * 31 + k) % 1009;\n  return row",
        ],
        slower: "long words",
        options: "--filter long.words --iteration-time 2ms --iterations 2 --stop fixed",
    },
    Suite {
        name: "cpp",
        needs: &["cmake", "c++"],
        example: Some("examples/cpp"),
        change: ["src/shelf.cc", "    sum = (sum", "    for (int i = 0; i < 30; ++i) sum = (sum"],
        slower: "BM_Checksum/512",
        options: "--filter BM_Checksum/512 --iteration-time 2ms --iterations 2",
    },
    Suite {
        name: "jmh",
        needs: &["javac", "mvn"],
        example: Some("examples/java"),
        change: [
            "shelf/src/main/java/org/example/shelf/Shelf.java",
            "sum += book;",
            "for (int i = 0; i < 30; i++) {\n sum += book ^ i;\n }",
        ],
        slower: "Modes.sum/avgt",
        options: "--filter Modes.sum/avgt --iteration-time 20ms --max-warmup 1s --stop fixed",
    },
];

impl Suite {
    /// The first of the needed programs that is not installed.
    pub(super) fn missing(&self) -> Option<&'static str> {
        self.needs.iter().copied().find(|program| find_program(program).is_none())
    }

    /// Makes the repository with its two tags.
    pub(super) fn make(&self, root: &Path, repository: &Path) -> Result<()> {
        match self.example {
            Some(example) => run(Command::new("cp").arg("-R").arg(root.join(example)).arg(repository))?,
            None => write_scripted(root, repository)?,
        }
        run(git(repository).args(["init", "--quiet", "--initial-branch", "main"]))?;
        commit(repository, "base")?;
        let [file, from, to] = self.change;
        let path = repository.join(file);
        let text = fs::read_to_string(&path).with_context(|| format!("read `{file}`"))?;
        ensure!(text.contains(from), "`{file}` has no `{from}`");
        fs::write(path, text.replace(from, to)).with_context(|| format!("write `{file}`"))?;
        commit(repository, "head")
    }

    /// The arguments of the comparison in every trial.
    pub(super) fn compare(&self) -> String {
        format!("compare base head --seed 7 --format json {}", self.options)
    }
}

fn commit(repository: &Path, tag: &str) -> Result<()> {
    run(git(repository).args(["add", "--all"]))?;
    run(git(repository).args(["commit", "--quiet", "--message", tag]))?;
    run(git(repository).args(["tag", tag]))
}

/// Writes the suite of the black-box tests: a package without dependencies, whose benchmarks print the times
/// of a script.
fn write_scripted(root: &Path, repository: &Path) -> Result<()> {
    let program = root.join("crates/cli/tests/black_box/bench/scripted.rs");
    let program = fs::read_to_string(program).context("read the scripted benchmark")?;
    let manifest = "[package]\nname = \"scripted\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n\
        [[bench]]\nname = \"scripted\"\nharness = false\n\n[profile.bench]\nopt-level = 0\n\n[workspace]\n";
    let lock = "version = 3\n\n[[package]]\nname = \"scripted\"\nversion = \"0.1.0\"\n";
    fs::create_dir_all(repository.join("benches")).context("make a repository")?;
    let files = [
        ("Cargo.toml", manifest),
        ("Cargo.lock", lock),
        (".gitignore", "/target\n"),
        ("benches/scripted.rs", &program),
        ("benchmarks.txt", "alpha\nbeta\ngamma\n"),
        ("version.txt", "base\n"),
    ];
    for (file, text) in files {
        fs::write(repository.join(file), text).with_context(|| format!("write `{file}`"))?;
    }
    Ok(())
}

/// Makes every scripted benchmark take 4 ms and report 1000 ns, except 1300 ns for `beta` of `head`.
pub(super) fn write_script(script: &Path) -> Result<()> {
    for name in ["alpha", "beta", "gamma"] {
        for version in ["base", "head"] {
            let time = if (name, version) == ("beta", "head") { "1300.00" } else { "1000.00" };
            let text = format!("0 sleep 4; constant {time}");
            fs::write(script.join(format!("{name}.{version}")), text).context("write a script")?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_example_has_the_text_that_head_changes() {
        let root = crate::root().unwrap();
        for suite in SUITES.iter().filter(|suite| suite.example.is_some()) {
            let [file, from, _] = suite.change;
            let path = root.join(suite.example.unwrap()).join(file);
            assert!(fs::read_to_string(&path).unwrap().contains(from), "{}", suite.name);
        }
    }
}
