//! Faults on a Slurm cluster and on AWS Lambda.
//!
//! The cluster, the emulator and the faulty platform are part of the black-box tests, which use the product's
//! own protocol. So each of these trials is one of those tests, and the seed determines their order.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, ensure};

use super::command::{Kind, Site};
use super::draw::Draw;
use super::summary::Done;
use crate::command::{EVERYTHING, cargo};
use crate::tally::SKIPPED;

/// Modules of the black-box tests for other places.
const MODULES: [&str; 4] = ["lambda::", "lambda_faults::", "lambda_packages::", "slurm::"];

/// Tests, in the order in which they run.
pub(super) struct Places {
    site: Site,
    tests: Vec<String>,
}

impl Places {
    pub(super) fn new(site: &Site, seed: u64) -> Result<Places> {
        let output = tests(site).args(["--", "--list"]).output()?;
        ensure!(output.status.success(), "`cargo test` cannot build the black-box tests");
        let mut tests = names(&String::from_utf8_lossy(&output.stdout));
        let mut draw = Draw::new(seed, "places", 0);
        for last in (1..tests.len()).rev() {
            tests.swap(last, draw.below(last + 1));
        }
        Ok(Places { site: site.clone(), tests })
    }
}

impl Kind for Places {
    fn trial(&mut self, number: u64, _: &mut Draw) -> Result<Option<Done>> {
        let Some(name) = self.tests.get(number as usize) else { return Ok(None) };
        fs::create_dir_all(&self.site.dir)?;
        let skipped: PathBuf = self.site.dir.join("skipped");
        let _ = fs::remove_file(&skipped);
        let output = tests(&self.site).env(SKIPPED, &skipped).args(["--", "--exact", name]).output()?;
        let text = String::from_utf8_lossy(&output.stdout);
        let panic = text.lines().find(|line| line.contains("panicked at")).unwrap_or("no reason").to_owned();
        let findings =
            if output.status.success() { Vec::new() } else { vec![format!("the test fails: {panic}")] };
        let is_trial = !skipped.exists();
        let row = format!("places {}", name.split("::").next().unwrap_or_default());
        Ok(Some(Done { what: name.clone(), row, is_trial, findings }))
    }
}

fn tests(site: &Site) -> Command {
    let mut command = cargo(&site.root);
    command.args(["test", "--quiet", "--release", "--test", "black_box"]).args(EVERYTHING);
    command
}

/// Selects the tests of other places from the list that a test program prints.
fn names(list: &str) -> Vec<String> {
    let tests = list.lines().filter_map(|line| line.strip_suffix(": test"));
    tests.filter(|name| MODULES.iter().any(|module| name.starts_with(module))).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_of_other_places_are_chosen_from_the_list() {
        let list = "faults::a: test\nlambda_faults::b: test\nslurm::c: test\nslurm: benchmark\n\n3 tests\n";
        assert_eq!(names(list), ["lambda_faults::b", "slurm::c"]);
    }
}
