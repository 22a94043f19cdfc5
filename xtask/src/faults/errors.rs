//! Trials in which system calls of benchwright fail.

use std::fs;

use anyhow::{Context, Result};

use super::answer::Answer;
use super::calls::{Calls, Injection, injected};
use super::command::{Kind, Site};
use super::draw::Draw;
use super::kills::{lost, resume};
use super::suites::SUITES;
use super::summary::Done;
use super::world::{LIMIT, World};

/// Errors in a comparison of the scripted suite. It has to find the slower benchmark, or fail.
pub(super) struct Errors {
    world: World,
    calls: Calls,
}

impl Errors {
    pub(super) fn new(site: &Site) -> Result<Errors> {
        let mut world = World::new(&site.root, &site.program, &site.dir.join("errors"), &SUITES[0])?;
        // Builds everything, so that later comparisons only measure.
        world.say(&world.suite.compare())?;
        world.reset(true)?;
        let calls = Calls::count(&world)?;
        Ok(Errors { world, calls })
    }
}

impl Kind for Errors {
    fn trial(&mut self, _: u64, draw: &mut Draw) -> Result<Option<Done>> {
        let injection = self.calls.draw_error(draw);
        let world = &mut self.world;
        world.reset(true)?;
        let file = world.file("trace");
        let wrapper = injection.wrapper(&file.to_string_lossy());
        let answer = world.wait(world.start(&world.suite.compare(), &wrapper)?, LIMIT / 5)?;
        let trace = fs::read(&file).context("read what strace wrote")?;
        let trace = String::from_utf8_lossy(&trace);
        let call = injected(&trace);
        let mut done = Done {
            what: format!("{}: {}", injection.words(), call.unwrap_or("not reached")),
            row: format!("errors {}", injection.call),
            // An error before the program is loaded is not an error of the program.
            is_trial: call.is_some() && answer.code != Some(127),
            findings: faults(&answer, &injection, call.unwrap_or_default(), world.suite.slower),
        };
        done.findings.extend(world.left_overs());
        let kept = world.kept()?;
        if let Some(answer) = resume(world)? {
            done.findings.extend(answer.breakage());
            done.findings
                .extend(answer.finds_slower(world.suite.slower).err().map(|it| format!("resumed: {it}")));
            done.findings.extend(lost(kept, world.kept()?));
        }
        Ok(Some(done))
    }
}

/// Checks how a comparison ended in which a call failed.
fn faults(answer: &Answer, injection: &Injection, call: &str, slower: &str) -> Vec<String> {
    if let Some(breakage) = answer.breakage() {
        return vec![breakage];
    }
    match answer.code {
        Some(127) => Vec::new(),
        Some(3) => answer.finds_slower(slower).err().into_iter().collect(),
        Some(0) | None => vec![format!("{}: {}", answer.end(), answer.last_line())],
        // If writing to standard error fails, no message can be seen. Other programs have messages of their
        // own.
        Some(_) if call.contains("write(2,") || injection.is_for_all => Vec::new(),
        Some(_) if call.contains("write(") && injection.is_lasting => Vec::new(),
        // Failed benchmarks are in the document.
        Some(_) if ![&answer.stderr, &answer.stdout].iter().any(|text| names(text, reason(call), call)) => {
            vec![format!("{}, and nothing says `{}`: {}", answer.end(), reason(call), answer.last_line())]
        }
        Some(_) => Vec::new(),
    }
}

/// The text of an error at the end of a call: `… = -1 EIO (Input/output error) (INJECTED)`.
fn reason(call: &str) -> &str {
    call.strip_suffix(") (INJECTED)").and_then(|rest| rest.rsplit('(').next()).unwrap_or_default()
}

/// Whether a text contains the system's message for an error, ours, or that of SQLite. The standard library
/// hides why reading the data of a directory failed, and the C library hides why no thread could be started.
fn names(text: &str, reason: &str, call: &str) -> bool {
    let is_full = ["No space left on device", "Disk quota exceeded"].contains(&reason);
    text.contains(reason)
        || text.contains("disk I/O error")
        || is_full && text.contains("the disk is full")
        || call.starts_with("statx") && text.contains("os error")
        || call.starts_with("clone") && text.contains("Resource temporarily unavailable")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reason_is_read_from_the_trace_and_looked_for() {
        let call = "fsync(9) = -1 ENOSPC (No space left on device) (INJECTED)";
        assert_eq!(reason(call), "No space left on device");
        assert!(names("error: cannot write: the disk is full", reason(call), call));
        assert!(names("error: Input/output error (os error 5)", "Input/output error", "read(3"));
        assert!(!names("error: cannot write", reason(call), call));
        let eagain = "Resource temporarily unavailable (os error 11)";
        assert!(names(eagain, "Cannot allocate memory", "clone3({"));
        assert!(!names(eagain, "Cannot allocate memory", "memfd_create("));
    }
}
