//! Trials in which files of results are damaged and then read.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use super::command::{Kind, Site};
use super::draw::Draw;
use super::mutation::Mutation;
use super::suites::SUITES;
use super::summary::Done;
use super::world::{LIMIT, World};

/// Address space in kilobytes that is enough to read a small file.
const MEMORY_KB: usize = 2 << 20;

/// Larger fixtures are not used. Every format also has smaller ones.
const LARGEST: u64 = 512 << 10;

/// Every fixture that `compare` reads.
pub(super) struct Files {
    world: World,
    root: PathBuf,
    fixtures: Vec<PathBuf>,
    /// Whether a fixture is a file of results.
    is_read: BTreeMap<PathBuf, bool>,
}

impl Files {
    pub(super) fn new(site: &Site) -> Result<Files> {
        let world = World::new(&site.root, &site.program, &site.dir.join("files"), &SUITES[0])?;
        let mut fixtures = Vec::new();
        find(&site.root.join("fixtures"), &mut fixtures)?;
        fixtures.sort();
        ensure!(!fixtures.is_empty(), "no fixtures");
        Ok(Files { world, root: site.root.clone(), fixtures, is_read: BTreeMap::new() })
    }

    /// Chooses a fixture that can be compared with itself.
    fn draw(&mut self, draw: &mut Draw) -> Result<PathBuf> {
        loop {
            let path = draw.pick(&self.fixtures).clone();
            let is_read = match self.is_read.get(&path) {
                Some(is_read) => *is_read,
                None => {
                    let answer = self.say(&format!("compare {0} {0}", path.display()))?;
                    matches!(answer.code, Some(0 | 4))
                }
            };
            self.is_read.insert(path.clone(), is_read);
            if is_read {
                return Ok(path);
            }
        }
    }

    fn say(&self, arguments: &str) -> Result<super::answer::Answer> {
        let limit = format!("ulimit -v {MEMORY_KB}; exec \"$@\"");
        let wrapper = ["sh", "-c", &limit, "sh"].map(str::to_owned);
        self.world.wait(self.world.start(arguments, &wrapper)?, LIMIT / 5)
    }
}

impl Kind for Files {
    fn trial(&mut self, _: u64, draw: &mut Draw) -> Result<Option<Done>> {
        let good = self.draw(draw)?;
        let bytes = fs::read(&good).context("read a fixture")?;
        let mutation = match draw.below(4) {
            0 => Mutation::truncate(&bytes, draw),
            _ => Mutation::draw(&bytes, draw),
        };
        let name = good.strip_prefix(&self.root).unwrap_or(&good).display().to_string();
        let format = name.split('/').nth(if name.starts_with("fixtures/exchange") { 2 } else { 1 });
        let mut done = Done {
            what: format!("{name}: {mutation:?}"),
            row: format!("files {}", format.unwrap_or("others")),
            is_trial: true,
            ..Done::default()
        };
        self.world.reset(true)?;
        let bad = self.world.file("damaged").with_extension(good.extension().unwrap_or_default());
        fs::write(&bad, mutation.apply(&bytes)).context("write a damaged file")?;
        let compared = self.say(&format!("compare {} {}", good.display(), bad.display()))?;
        let imported = self.say(&format!("import {}", bad.display()))?;
        for (command, answer) in [("compare", &compared), ("import", &imported)] {
            done.findings.extend(answer.breakage().map(|it| format!("{command}: {it}")));
            // A comparison prints errors about its files with the table, on standard output.
            let says_why = answer.has_message() || answer.stdout.contains("error");
            if !matches!(answer.code, Some(0..=4)) || (answer.code == Some(1) && !says_why) {
                done.findings.push(format!("{command}: {}: {}", answer.end(), answer.last_line()));
            }
        }
        let is_list = ["csv", "ndjson"].iter().any(|end| good.extension().is_some_and(|it| it == *end));
        if mutation.is_visible_cut(&bytes, is_list) {
            if compared.code == Some(0) && compared.stdout.contains("removed") {
                done.findings
                    .push("a file that was cut makes benchmarks \"removed\" with exit code 0".to_owned());
            }
            if compared.code == Some(1) && imported.code == Some(0) && imported.stderr.trim().is_empty() {
                done.findings.push("import takes without a word what compare calls an error".to_owned());
            }
        }
        Ok(Some(done))
    }
}

/// Collects all files that could contain results.
fn find(dir: &Path, found: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(dir).with_context(|| format!("read `{}`", dir.display()))? {
        let path = entry.context("read a directory")?.path();
        let length = path.metadata().map_or(0, |file| file.len());
        let has_space = path.to_string_lossy().contains(' ');
        if path.is_dir() {
            find(&path, found)?;
        } else if (1..LARGEST).contains(&length) && !has_space && path.extension().is_none_or(|it| it != "md")
        {
            found.push(path);
        }
    }
    Ok(())
}
