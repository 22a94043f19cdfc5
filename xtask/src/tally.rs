//! Counts all tests: passed, failed, and skipped with the reason.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;

use anyhow::{Context, Result, bail};

/// The variable with the path of the file in which tests record that they are skipped. `testkit` writes the
/// file.
pub(crate) const SKIPPED: &str = "TESTKIT_SKIPPED";

/// The sum over all test programs.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    ran_well: u64,
    failed: u64,
    ignored: u64,
    skipped: Vec<Skipped>,
}

/// A test that could not run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Skipped {
    /// Whether `cargo xtask setup` should have installed what is missing.
    is_for_setup: bool,
    reason: String,
    /// The program and the test in it.
    test: String,
}

impl Tally {
    /// Counts the results if the line is the last one of a test program.
    pub(crate) fn add(&mut self, line: &str) {
        let Some(result) = line.strip_prefix("test result: ") else { return };
        let count = |word: &str| {
            let parts = result.split([';', '.']);
            parts.filter_map(|part| part.trim().strip_suffix(word)?.trim().parse::<u64>().ok()).sum::<u64>()
        };
        self.ran_well += count("passed");
        self.failed += count("failed");
        self.ignored += count("ignored");
    }

    /// Reads what skipped tests recorded in the file. The file is missing if no test was skipped.
    pub(crate) fn add_skipped(&mut self, file: &Path) -> Result<()> {
        match std::fs::read_to_string(file) {
            Ok(text) => self.skipped = skipped(&text)?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(error).context("read which tests were skipped"),
        }
        Ok(())
    }

    /// Returns an error if a test was skipped for lack of something that `cargo xtask setup` installs.
    pub(crate) fn require_setup(&self) -> Result<()> {
        let reasons: BTreeSet<&str> =
            self.skipped.iter().filter(|it| it.is_for_setup).map(|it| it.reason.as_str()).collect();
        if !reasons.is_empty() {
            let reasons = reasons.into_iter().collect::<Vec<_>>().join(", ");
            bail!("tests were skipped for lack of what `cargo xtask setup` installs: {reasons}");
        }
        Ok(())
    }
}

/// Reasons with their tests, then the line of counts. Test programs report skipped tests as passed.
impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut by_reason: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for it in &self.skipped {
            by_reason.entry(&it.reason).or_default().push(&it.test);
        }
        for (reason, tests) in by_reason {
            writeln!(f, "skipped: {reason}")?;
            for test in tests {
                writeln!(f, "  {test}")?;
            }
        }
        if self.ignored > 0 {
            writeln!(f, "skipped: {} marked #[ignore]", self.ignored)?;
        }
        let skipped = self.skipped.len() as u64;
        let passed = self.ran_well.saturating_sub(skipped);
        write!(f, "{passed} passed, {} failed, {} skipped", self.failed, skipped + self.ignored)
    }
}

/// Parses the lines of `testkit`. A test that lacks two things counts once. Tests that run on the main thread
/// have no names, so they all count.
fn skipped(text: &str) -> Result<Vec<Skipped>> {
    let mut all: Vec<Skipped> = Vec::new();
    for line in text.lines() {
        let [program, test, lack, reason] = line.split('\t').collect::<Vec<_>>()[..] else {
            bail!("understand a skipped test: `{line}`");
        };
        let it = Skipped {
            is_for_setup: lack == "setup",
            reason: reason.to_owned(),
            test: format!("{program} {test}"),
        };
        match all.iter_mut().find(|other| other.test == it.test && test != "main") {
            Some(known) => known.is_for_setup |= it.is_for_setup,
            None => all.push(it),
        }
    }
    all.sort();
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECORDED: &str = "\
black_box\tpython::pypy\tsetup\tno program `pypy3`
black_box\tslurm::a\tmachine\tneeds root
black_box\tslurm::b\tmachine\tneeds root
black_box\tslurm::b\tmachine\tneeds two cores
";

    fn tally(recorded: &str) -> Tally {
        let mut tally = Tally::default();
        tally.add(
            "test result: ok. 37 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s",
        );
        tally.add("test a_test_that_passed ... ok");
        tally.add("test result: FAILED. 5 passed; 2 failed; 0 ignored; 0 measured; 1 filtered out");
        tally.skipped = skipped(recorded).unwrap();
        tally
    }

    #[test]
    fn the_results_of_all_test_programs_are_added_up() {
        assert_eq!(tally("").to_string(), "42 passed, 2 failed, 0 skipped");
    }

    #[test]
    fn a_skipped_test_did_not_pass_and_has_its_reason() {
        assert_eq!(
            tally(RECORDED).to_string(),
            "skipped: needs root\n  black_box slurm::a\n  black_box slurm::b\n\
             skipped: no program `pypy3`\n  black_box python::pypy\n39 passed, 2 failed, 3 skipped"
        );
    }

    #[test]
    fn only_what_setup_installs_is_required() {
        let error = tally(RECORDED).require_setup().expect_err("pypy3 is missing").to_string();
        assert!(error.ends_with("what `cargo xtask setup` installs: no program `pypy3`"), "{error}");
        let rest: String = RECORDED.lines().skip(1).map(|line| format!("{line}\n")).collect();
        assert!(tally(&rest).require_setup().is_ok());
    }

    #[test]
    fn ignored_tests_are_skipped_too() {
        let mut tally = Tally::default();
        tally.add("test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out");
        assert_eq!(tally.to_string(), "skipped: 1 marked #[ignore]\n3 passed, 0 failed, 1 skipped");
    }

    #[test]
    fn no_file_means_that_all_could_run_and_a_bad_one_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("skipped");
        let mut tally = Tally::default();
        tally.add_skipped(&file).unwrap();
        assert_eq!(tally, Tally::default());
        std::fs::write(&file, "nonsense\n").unwrap();
        assert!(tally.add_skipped(&file).is_err());
    }
}
