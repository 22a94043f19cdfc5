//! Trials in which stores and journals are damaged and then read.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use super::command::{Kind, Site};
use super::draw::Draw;
use super::mutation::Mutation;
use super::suites::SUITES;
use super::summary::Done;
use super::world::{LIMIT, World, signal};
use crate::command::run;

const EXPORT: &str = "export latest --format samples-csv";

/// Minimum number of trials in the journal to damage.
const TRIALS: usize = 8;

/// A store with a finished run, and the journal of a run that was killed.
pub(super) struct Kept {
    world: World,
    finished: PathBuf,
    interrupted: PathBuf,
    /// The lines of the finished run's samples.
    samples: Vec<String>,
}

impl Kept {
    pub(super) fn new(site: &Site) -> Result<Kept> {
        let mut world = World::new(&site.root, &site.program, &site.dir.join("kept"), &SUITES[0])?;
        let answer = world.say(&world.suite.compare())?;
        ensure!(answer.code == Some(3), "without any fault: {}", answer.last_line());
        let samples: Vec<String> = world.say(EXPORT)?.stdout.lines().map(str::to_owned).collect();
        ensure!(samples.len() > TRIALS, "the finished run has no samples");
        let [finished, interrupted] = ["finished", "interrupted"].map(|name| world.file(name));
        copy(&world.results(), &finished)?;
        world.reset(true)?;
        let child = world.start(&world.suite.compare(), &[])?;
        let begin = Instant::now();
        while (world.journals().is_empty() || world.kept()? < TRIALS) && begin.elapsed() < LIMIT {
            std::thread::sleep(Duration::from_millis(5));
        }
        signal("KILL", child.id());
        world.wait(child, LIMIT)?;
        ensure!(!world.journals().is_empty(), "no journal is left to damage");
        copy(&world.results(), &interrupted)?;
        Ok(Kept { world, finished, interrupted, samples })
    }

    /// Restores the results and damages one of their files.
    fn damage(&self, from: &Path, file: &Path, draw: &mut Draw) -> Result<String> {
        copy(from, &self.world.results())?;
        let bytes = fs::read(file).with_context(|| format!("read `{}`", file.display()))?;
        let mutation =
            if draw.below(2) == 0 { Mutation::flip(&bytes, draw) } else { Mutation::draw(&bytes, draw) };
        fs::write(file, mutation.apply(&bytes)).context("damage a file")?;
        Ok(format!("{mutation:?}"))
    }

    fn store_trial(&self, draw: &mut Draw) -> Result<Done> {
        let what = self.damage(&self.finished, &self.world.results().join("benchwright.db"), draw)?;
        let mut done = Done { what, row: "kept store".into(), is_trial: true, ..Done::default() };
        for command in [EXPORT, "show latest", "show"] {
            let answer = self.world.say(command)?;
            done.findings.extend(answer.breakage().map(|it| format!("{command}: {it}")));
            if command == EXPORT {
                let is_told = answer.code != Some(0) || answer.has_message();
                done.findings.extend(changed(&self.samples, &answer.stdout, is_told));
            }
        }
        Ok(done)
    }

    fn journal_trial(&self, draw: &mut Draw) -> Result<Done> {
        copy(&self.interrupted, &self.world.results())?;
        let journal = self.world.journals().pop().context("find the journal")?;
        let what = self.damage(&self.interrupted, &journal, draw)?;
        let mut done = Done { what, row: "kept journal".into(), is_trial: true, ..Done::default() };
        let answer = self.world.say("compare --resume --format json")?;
        done.findings.extend(answer.breakage());
        if answer.code == Some(3) {
            done.findings.extend(answer.finds_slower(self.world.suite.slower).err());
            let values = known_values(&self.samples);
            let found =
                known_values(&self.world.say(EXPORT)?.stdout.lines().map(str::to_owned).collect::<Vec<_>>());
            done.findings
                .extend(found.difference(&values).map(|it| format!("a value that nobody measured: {it}")));
        } else {
            if !answer.has_message() || answer.code == Some(0) {
                done.findings.push(format!("{}: {}", answer.end(), answer.last_line()));
            }
            if !journal.exists() {
                done.findings.push("the journal is gone and was not used".to_owned());
            }
        }
        Ok(done)
    }
}

impl Kind for Kept {
    fn trial(&mut self, number: u64, draw: &mut Draw) -> Result<Option<Done>> {
        self.world.reset(true)?;
        // Resuming takes longer than reading, so only every fifth trial resumes.
        if number % 5 == 4 { self.journal_trial(draw) } else { self.store_trial(draw) }.map(Some)
    }
}

/// Finds samples that differ from what was stored. Samples may be missing if the user is told.
fn changed(good: &[String], exported: &str, is_told: bool) -> Option<String> {
    let known: BTreeSet<&str> = good.iter().map(String::as_str).collect();
    let found: Vec<&str> = exported.lines().collect();
    if let Some(other) = found.iter().find(|line| !known.contains(*line)) {
        return Some(format!("a sample that was never stored: {other}"));
    }
    let missing = good.len().saturating_sub(found.len());
    (missing > 0 && !is_told).then(|| format!("{missing} samples are missing without a word"))
}

/// Benchmark, side and value of each sample.
fn known_values(samples: &[String]) -> BTreeSet<String> {
    let fields = |line: &String| line.split(',').map(str::to_owned).collect::<Vec<_>>();
    let names = samples.first().map(fields).unwrap_or_default();
    let columns: Vec<usize> = ["benchmark", "side", "value"]
        .iter()
        .filter_map(|name| names.iter().position(|found| found == name))
        .collect();
    let row = |line: &String| {
        let fields = fields(line);
        columns.iter().filter_map(|column| fields.get(*column).cloned()).collect::<Vec<_>>().join(" ")
    };
    samples.iter().skip(1).map(row).collect()
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    if to.exists() {
        fs::remove_dir_all(to).context("remove results")?;
    }
    run(Command::new("cp").arg("-R").arg(from).arg(to))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_may_be_missing_but_not_change() {
        let good = ["benchmark,side,value", "a,base,1", "a,head,2"].map(str::to_owned);
        assert_eq!(changed(&good, &good.join("\n"), false), None);
        assert_eq!(changed(&good, "", true), None);
        assert!(changed(&good, "benchmark,side,value\na,base,1\n", false).is_some());
        assert!(changed(&good, "benchmark,side,value\na,base,3\n", true).is_some());
        let values = known_values(&good);
        assert_eq!(values.into_iter().collect::<Vec<_>>(), ["a base 1", "a head 2"]);
    }
}
