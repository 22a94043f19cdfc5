//! The command `cargo xtask faults`.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail};

use super::draw::Draw;
use super::errors::Errors;
use super::files::Files;
use super::kept::Kept;
use super::kills::Kills;
use super::places::Places;
use super::suites::{SUITES, Suite};
use super::summary::{Done, Summary};
use crate::flags::Flags;
use crate::program;

const USAGE: &str = "\
usage: cargo xtask faults [KIND] [--seed N] [--minutes M] [--harness A,B] [--trial N]

  all      every kind, each for its share of the time [default]
  kills    kill or interrupt comparisons at random moments, then resume them
  errors   let system calls of benchwright fail; needs strace
  files    damage files of other tools, then compare and import them
  kept     damage stores and journals, then read and resume them
  places   run the fault tests of Slurm and AWS Lambda in a random order

  --seed N       repeat the trials of this seed [default: the time of day]
  --minutes M    stop after this time, at most 20 [default: 10]
  --harness A,B  suites to kill: scripted, go, python, javascript, cpp, jmh [default: all that are installed]
  --trial N      only this trial";

/// Kinds of trials, with their shares of the time.
const KINDS: [(&str, f64); 5] =
    [("kills", 0.45), ("errors", 0.25), ("files", 0.1), ("kept", 0.1), ("places", 0.1)];

/// Maximum time in minutes.
const LONGEST: f64 = 20.0;

/// The program under test, and the directories used.
#[derive(Debug, Clone)]
pub(super) struct Site {
    pub(super) root: PathBuf,
    pub(super) program: PathBuf,
    pub(super) dir: PathBuf,
}

/// One kind of trial.
pub(super) trait Kind {
    /// Makes one trial. It depends only on `number` and on what `draw` returns. `None` if nothing is left to
    /// try.
    fn trial(&mut self, number: u64, draw: &mut Draw) -> Result<Option<Done>>;
}

/// The parsed arguments.
struct Request {
    kinds: Vec<(&'static str, f64)>,
    seed: u64,
    time: Duration,
    suites: Vec<&'static Suite>,
    trial: Option<u64>,
}

/// Makes trials until the time is over. Returns an error if a trial found something.
pub(crate) fn faults(root: &Path, arguments: &[String]) -> Result<()> {
    if let Some("help" | "--help" | "-h") = arguments.first().map(String::as_str) {
        println!("{USAGE}");
        return Ok(());
    }
    let request = parse(arguments)?;
    // Not below the repository, because files of the repository would apply to the suites.
    let dir = std::env::temp_dir().join(format!("benchwright-faults-{}", std::process::id()));
    let site = Site { root: root.to_owned(), program: program::build(root)?, dir };
    println!("seed {}", request.seed);
    let mut summary = Summary::default();
    let begin = Instant::now();
    let mut until = Duration::ZERO;
    for (kind, share) in &request.kinds {
        until += request.time.mul_f64(*share);
        match make(kind, &site, &request) {
            Ok(mut trials) => repeat(kind, trials.as_mut(), &request, begin + until, &mut summary),
            Err(error) => println!("left out: {kind}: {error:#}"),
        }
    }
    if site.dir.exists() {
        std::fs::remove_dir_all(&site.dir).context("remove the directory of the trials")?;
    }
    print!("{}", summary.table());
    match summary.findings() {
        0 => Ok(()),
        count => bail!("{count} findings; each line above says how to repeat it"),
    }
}

fn parse(arguments: &[String]) -> Result<Request> {
    let (kind, rest) = match arguments.split_first() {
        Some((first, rest)) if !first.starts_with("--") => (first.as_str(), rest),
        _ => ("all", arguments),
    };
    let kinds: Vec<_> = match kind {
        "all" => KINDS.to_vec(),
        one => KINDS.iter().filter(|(name, _)| *name == one).map(|(name, _)| (*name, 1.0)).collect(),
    };
    if kinds.is_empty() {
        bail!("unknown kind `{kind}`\n{USAGE}");
    }
    let flags = Flags::parse(rest, &["seed", "minutes", "harness", "trial"]).context(USAGE)?;
    let minutes = flags.number("minutes", LONGEST / 2.0)?;
    if !(minutes > 0.0 && minutes <= LONGEST) {
        bail!("--minutes {minutes} is not between 0 and {LONGEST}");
    }
    let clock = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let trial = flags.text("trial").map(|_| flags.number("trial", 0)).transpose()?;
    if trial.is_some() && kinds.len() > 1 {
        bail!("--trial needs a kind\n{USAGE}");
    }
    Ok(Request {
        kinds,
        seed: flags.number("seed", clock)?,
        time: Duration::from_secs_f64(60.0 * minutes),
        suites: suites(flags.text("harness"))?,
        trial,
    })
}

fn suites(names: Option<&str>) -> Result<Vec<&'static Suite>> {
    let Some(names) = names else { return Ok(SUITES.iter().collect()) };
    let suite = |name: &str| {
        let found = SUITES.iter().find(|suite| suite.name == name);
        found.with_context(|| format!("unknown harness `{name}`\n{USAGE}"))
    };
    names.split(',').map(suite).collect()
}

fn make(kind: &str, site: &Site, request: &Request) -> Result<Box<dyn Kind>> {
    Ok(match kind {
        "kills" => Box::new(Kills::new(site, request.suites.clone())),
        "errors" => Box::new(Errors::new(site)?),
        "files" => Box::new(Files::new(site)?),
        "kept" => Box::new(Kept::new(site)?),
        _ => Box::new(Places::new(site, request.seed)?),
    })
}

fn repeat(kind: &str, trials: &mut dyn Kind, request: &Request, end: Instant, summary: &mut Summary) {
    for number in request.trial.unwrap_or(0).. {
        let begin = Instant::now();
        let mut draw = Draw::new(request.seed, kind, number);
        let done = match trials.trial(number, &mut draw) {
            Ok(Some(done)) => done,
            Ok(None) => return,
            // The trial itself failed. It must not look like a trial without findings.
            Err(error) => Done {
                row: format!("{kind} (not carried out)"),
                findings: vec![format!("{error:#}")],
                ..Done::default()
            },
        };
        summary.add(&done, begin.elapsed());
        if request.trial.is_some() && done.findings.is_empty() {
            println!("nothing found: {}", done.what);
        }
        for finding in &done.findings {
            let again = repetition(kind, request.seed, number, &done);
            println!("FOUND {kind}: {finding}\n  after: {}\n  repeat: {again}", done.what);
        }
        if request.trial.is_some() || Instant::now() >= end {
            return;
        }
    }
}

/// The command that repeats a trial.
fn repetition(kind: &str, seed: u64, number: u64, done: &Done) -> String {
    let suite = SUITES.iter().find(|suite| kind == "kills" && done.row.ends_with(suite.name));
    let harness = suite.map(|suite| format!(" --harness {}", suite.name)).unwrap_or_default();
    format!("cargo xtask faults {kind} --seed {seed} --trial {number}{harness}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Request> {
        parse(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn arguments_name_a_kind_a_seed_and_suites() {
        let request = parsed("kills --seed 7 --minutes 0.5 --harness go,jmh").unwrap();
        assert_eq!((request.kinds, request.seed, request.time.as_secs()), (vec![("kills", 1.0)], 7, 30));
        let names: Vec<&str> = request.suites.iter().map(|suite| suite.name).collect();
        assert_eq!(names, ["go", "jmh"]);
        assert_eq!(parsed("--seed 3").unwrap().kinds.len(), KINDS.len());
        assert_eq!(parsed("files --trial 4").unwrap().trial, Some(4));
        assert!((KINDS.iter().map(|(_, share)| share).sum::<f64>() - 1.0).abs() < 1e-9);
    }

    #[test]
    fn what_is_not_understood_is_an_error() {
        for line in ["kill", "kills --minutes 21", "kills --harness perl", "--trial 3", "kills --seed x"] {
            assert!(parsed(line).is_err(), "{line}");
        }
    }

    #[test]
    fn a_finding_says_how_to_repeat_it() {
        let done = Done { row: "kills go".into(), ..Done::default() };
        assert_eq!(
            repetition("kills", 7, 3, &done),
            "cargo xtask faults kills --seed 7 --trial 3 --harness go"
        );
        let done = Done { row: "errors write".into(), ..Done::default() };
        assert_eq!(repetition("errors", 7, 3, &done), "cargo xtask faults errors --seed 7 --trial 3");
    }
}
