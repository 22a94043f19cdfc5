//! Trials in which benchwright is ended at a random moment and then resumes.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use super::answer::Answer;
use super::calls::Calls;
use super::command::{Kind, Site};
use super::draw::Draw;
use super::suites::Suite;
use super::summary::Done;
use super::world::{LIMIT, World, signal};

/// Kills in all selected suites.
pub(super) struct Kills {
    site: Site,
    suites: Vec<&'static Suite>,
    /// Prepared suites. `None` if preparing a suite failed.
    ready: BTreeMap<&'static str, Option<Ready>>,
}

/// A suite, and how long a comparison of it takes.
struct Ready {
    world: World,
    /// With finished builds (`warm`) and without (`cold`).
    warm: Duration,
    cold: Duration,
    /// Calls in which it can be interrupted, if they were counted.
    calls: Option<Calls>,
}

impl Kills {
    pub(super) fn new(site: &Site, suites: Vec<&'static Suite>) -> Kills {
        Kills { site: site.clone(), suites, ready: BTreeMap::new() }
    }
}

impl Kind for Kills {
    fn trial(&mut self, number: u64, draw: &mut Draw) -> Result<Option<Done>> {
        let suite = self.suites[turn(number, self.suites.len())];
        let row = format!("kills {}", suite.name);
        let site = &self.site;
        let ready = self.ready.entry(suite.name).or_insert_with(|| match prepare(site, suite) {
            Ok(ready) => Some(ready),
            Err(error) => {
                println!("left out: {}: {error:#}", suite.name);
                None
            }
        });
        let Some(ready) = ready else {
            let is_nothing_left = self.suites.iter().all(|it| matches!(self.ready.get(it.name), Some(None)));
            return Ok((!is_nothing_left).then(|| Done { row, ..Done::default() }));
        };
        let is_warm = draw.below(4) != 0;
        ready.world.reset(is_warm)?;
        let mut done = Done { row, is_trial: true, ..Done::default() };
        done.what = format!("{}, {}", suite.name, if is_warm { "built before" } else { "nothing built" });
        let rounds = 1 + draw.below(2);
        let mut arguments = suite.compare();
        for _ in 0..rounds {
            kill(ready, is_warm, &arguments, draw, &mut done)?;
            arguments = "compare --resume --format json".to_owned();
        }
        go_on(&ready.world, rounds, &mut done)?;
        Ok(Some(done))
    }
}

/// The suite of a trial. Every second trial uses the first suite, because the others take longer. They take
/// turns.
fn turn(number: u64, count: usize) -> usize {
    let number = number as usize;
    if number.is_multiple_of(2) || count == 1 { 0 } else { 1 + number / 2 % (count - 1) }
}

/// Makes the repository and measures how long comparisons take.
fn prepare(site: &Site, suite: &'static Suite) -> Result<Ready> {
    if let Some(program) = suite.missing() {
        anyhow::bail!("{program} is not installed");
    }
    let mut world = World::new(&site.root, &site.program, &site.dir, suite)?;
    let mut timed = || {
        world.reset(true)?;
        let begin = Instant::now();
        let answer = world.say(&suite.compare())?;
        let found = answer.finds_slower(suite.slower);
        ensure!(found.is_ok(), "without any fault: {}", found.err().unwrap_or_default());
        Ok(begin.elapsed())
    };
    let (cold, warm) = (timed()?, timed()?);
    world.reset(true)?;
    let is_scripted = suite.name == "scripted";
    let calls = if is_scripted { Calls::count(&world).ok() } else { None };
    Ok(Ready { world, warm, cold, calls })
}

/// Starts benchwright and ends it at a random moment. No finished trial may be lost.
fn kill(ready: &Ready, is_warm: bool, arguments: &str, draw: &mut Draw, done: &mut Done) -> Result<()> {
    let world = &ready.world;
    let before = world.kept()?;
    let name = *draw.pick(&["KILL", "KILL", "TERM", "INT"]);
    let answer = match &ready.calls {
        Some(calls) if is_warm && draw.below(2) == 0 => {
            let (wrapper, words) = calls.draw_kill(name, draw);
            done.what.push_str(&format!("; {name} {words}"));
            world.wait(world.start(arguments, &wrapper)?, LIMIT)?
        }
        _ => {
            let time = if is_warm { ready.warm } else { ready.cold }.mul_f64(1.02 * draw.share());
            done.what.push_str(&format!("; {name} after {time:.3?}"));
            let child = world.start(arguments, &[])?;
            std::thread::sleep(time);
            signal(name, child.id());
            world.wait(child, LIMIT)?
        }
    };
    done.findings.extend(answer.breakage());
    done.findings.extend(world.left_overs());
    let kept = world.kept()?;
    if kept < before {
        done.findings.push(format!("{before} trials were kept and {kept} are"));
    }
    Ok(())
}

/// Resumes after the last kill, and checks that no trial is missing and the result is right.
fn go_on(world: &World, kills: usize, done: &mut Done) -> Result<()> {
    let kept = world.kept()?;
    let printed = world.printed();
    // Each kill may lose the result that was printed last.
    if kept + kills < printed {
        done.findings.push(format!("{printed} results were printed and {kept} trials are kept"));
    }
    let resumed = resume(world)?;
    let is_same_run = resumed.is_some();
    // A run that ended before the signal arrived was not hit. If nothing was stored, the comparison starts
    // anew.
    done.is_trial = is_same_run || kept == 0;
    let answer = match resumed {
        Some(answer) => answer,
        None => world.say(&world.suite.compare())?,
    };
    done.findings.extend(answer.breakage());
    done.findings.extend(answer.finds_slower(world.suite.slower).err());
    done.findings.extend(world.left_overs());
    if is_same_run {
        done.findings.extend(lost(kept, world.kept()?));
    }
    if !world.journals().is_empty() {
        done.findings.push("a journal is left after the end of the run".to_owned());
    }
    let show = world.say("show")?;
    if show.code != Some(0) {
        done.findings.push(format!("show: {}: {}", show.end(), show.last_line()));
    }
    Ok(())
}

/// Reports trials that a run had before it resumed and has no longer. Only for the same run: another run of
/// the suite may have needed fewer trials.
pub(super) fn lost(kept: usize, after: usize) -> Option<String> {
    (after < kept).then(|| format!("{kept} trials were kept before going on and {after} are"))
}

/// Resumes the interrupted run. `None` if no run had begun, or if all runs had ended.
pub(super) fn resume(world: &World) -> Result<Option<Answer>> {
    let has_journal = !world.journals().is_empty();
    let answer = world.say("compare --resume --format json").context("go on")?;
    Ok((has_journal || answer.code != Some(2)).then_some(answer))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_suite_has_every_other_turn() {
        let turns: Vec<usize> = (0..8).map(|number| turn(number, 4)).collect();
        assert_eq!(turns, [0, 1, 0, 2, 0, 3, 0, 1]);
        assert_eq!([turn(0, 1), turn(5, 1)], [0, 0]);
    }
}
