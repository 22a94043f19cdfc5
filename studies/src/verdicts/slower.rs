//! Trials with real code that is slowed down.

use std::fs;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::calibrate::{Calibrated, Effort, Turn, calibrate, ratio};
use super::candidates::{Project, Target};
use super::choose::pattern_of;
use super::experiment::Experiment;
use super::go_source::{blanked, functions, package, slowed, spin_file};
use super::peer::{self, Program};
use super::prepare::ORIGINAL;
use super::records::{self, SlowerFound, SlowerRecord};
use super::slow_source::{self, Place};
use super::suites::{Slowdowns, Source, Suite};
use super::workshop::Workshop;
use crate::command::git;
use crate::command::run;

/// The settings of the trial.
#[derive(Debug)]
pub(crate) struct Plan {
    /// Number of slowdowns to measure.
    pub(crate) count: usize,
    /// Size of the slowdowns, as a share.
    pub(crate) effect: f64,
}

/// Minimum time of an operation in nanoseconds. In shorter ones the call would be too large a part of the
/// slowdown.
const SHORTEST: f64 = 150.0;

/// Maximum time of an operation in nanoseconds. With longer ones a calibration would take too long.
const LONGEST: f64 = 30e6;

/// Slows down one function after another until there are enough or the time is over.
pub(crate) fn slower(experiment: &Experiment, plan: &Plan) -> Result<()> {
    let file = experiment.dir.join("slower.ndjson");
    let mut known: Vec<SlowerRecord> = records::read(&file)?;
    for (suite, target) in in_turn(targets(experiment)) {
        if measured(&known) >= plan.count || experiment.is_over() {
            break;
        }
        if is_known(&known, &suite, &target) {
            continue;
        }
        let began = Instant::now();
        let record = attempt(experiment, plan, &suite, &target);
        println!("{} ({:.0} s)", line(&record), began.elapsed().as_secs_f64());
        records::append(&file, std::slice::from_ref(&record))?;
        known.push(record);
    }
    println!("{} of {} slowdowns measured", measured(&known), plan.count);
    Ok(())
}

/// Prints the functions that could be slowed down.
pub(crate) fn print_targets(experiment: &Experiment) -> Result<()> {
    let all = targets(experiment);
    for (suite, targets) in &all {
        for target in targets {
            println!("{} {} {} {}", suite.name, target.benchmark, target.file, target.function);
        }
    }
    println!("{} candidates", all.iter().map(|(_, targets)| targets.len()).sum::<usize>());
    Ok(())
}

fn measured(known: &[SlowerRecord]) -> usize {
    known.iter().filter(|record| record.found.is_some()).count()
}

/// Whether the target was already tried, or its function or benchmark was already used successfully.
/// Slowdowns should be different.
fn is_known(known: &[SlowerRecord], suite: &Suite, target: &Target) -> bool {
    known.iter().filter(|record| record.suite == suite.name).any(|record| {
        let is_function = record.file == target.file && record.function == target.function;
        let is_benchmark = record.package == target.package && record.benchmark == target.benchmark;
        (is_function && is_benchmark) || (record.found.is_some() && (is_function || is_benchmark))
    })
}

/// The targets of every suite that allows slowdowns. Suites that cannot be listed are reported and left out.
fn targets(experiment: &Experiment) -> Vec<(Suite, Vec<Target>)> {
    let mut all = Vec::new();
    for suite in &experiment.suites {
        let found = match suite.slowdowns {
            Slowdowns::None => continue,
            Slowdowns::Found => experiment.list(suite).and_then(|list| {
                Ok(Project::read(&suite.repository(&experiment.dir), suite.arguments)?.targets(&list))
            }),
            Slowdowns::Criterion(places) | Slowdowns::Jmh(places) => {
                Ok(places.iter().map(Place::target).collect())
            }
        };
        match found {
            Ok(targets) => all.push((*suite, targets)),
            Err(error) => println!("{}: left out: {error:#}", suite.name),
        }
    }
    all
}

/// The first target of every suite, then the second of every suite, and so on.
fn in_turn(all: Vec<(Suite, Vec<Target>)>) -> Vec<(Suite, Target)> {
    let longest = all.iter().map(|(_, targets)| targets.len()).max().unwrap_or(0);
    let turn =
        |i: usize| all.iter().filter_map(move |(suite, targets)| Some((*suite, targets.get(i)?.clone())));
    (0..longest).flat_map(turn).collect()
}

/// Processes one target from calibration to verdict. Errors are recorded as the reason why it was not used.
fn attempt(experiment: &Experiment, plan: &Plan, suite: &Suite, target: &Target) -> SlowerRecord {
    let mut record = SlowerRecord {
        suite: suite.name.into(),
        package: target.package.clone(),
        benchmark: target.benchmark.clone(),
        file: target.file.clone(),
        function: target.function.clone(),
        dropped: None,
        found: None,
    };
    let site = Site::new(experiment, suite, target);
    match site.and_then(|site| Ok((site.calibrate(plan.effect)?, site))) {
        Ok((calibrated, site)) => match site.compare(experiment, &calibrated) {
            Ok(found) => record.found = Some(found),
            Err(error) => record.dropped = Some(format!("{error:#}")),
        },
        Err(error) => record.dropped = Some(format!("{error:#}")),
    }
    record
}

fn line(record: &SlowerRecord) -> String {
    let what = format!("{} {} in {}:{}", record.suite, record.benchmark, record.file, record.function);
    match (&record.found, &record.dropped) {
        (Some(found), _) => format!(
            "{what}: truly {:+.1} %, {} after {} duets",
            (found.true_ratio - 1.0) * 100.0,
            found.verdict,
            found.duets
        ),
        (None, reason) => {
            let reason = reason.as_deref().unwrap_or_default();
            format!("{what}: dropped: {}", reason.lines().next().unwrap_or_default())
        }
    }
}

/// A function in a suite's repository, for which programs with different loops can be built.
struct Site<'a> {
    workshop: Workshop<'a>,
    source: String,
    original: Rc<dyn Program>,
    nanoseconds: f64,
}

impl<'a> Site<'a> {
    fn new(experiment: &Experiment, suite: &'a Suite, target: &'a Target) -> Result<Site<'a>> {
        let workshop = Workshop::new(experiment, suite, target)?;
        let file = workshop.repository.join(&target.file);
        let source = fs::read_to_string(file).context("read the function's file")?;
        let original = workshop.build("original", &[])?;
        let nanoseconds = original.measure(&target.benchmark, Duration::from_millis(30))?;
        if !(SHORTEST..=LONGEST).contains(&nanoseconds) {
            bail!("an operation takes {nanoseconds:.0} ns: too short or too long to be slowed down exactly");
        }
        Ok(Site { workshop, source, original, nanoseconds })
    }

    fn calibrate(&self, effect: f64) -> Result<Calibrated> {
        calibrate(effect, &mut |lengths, effort| self.measure(lengths, effort))
    }

    /// Measures the original and loops of these lengths in turns, each in a fresh process.
    fn measure(&self, lengths: &[u32], effort: Effort) -> Result<Vec<Turn>> {
        let (turns, time) = match effort {
            // With shorter slices, medians did not show loops that doubled the time, in programs with
            // parallel garbage collection.
            Effort::Quick => (3, Duration::from_millis(60)),
            Effort::Thorough => (12, Duration::from_millis(120)),
        };
        let mut programs = vec![self.original.clone()];
        for &rounds in lengths {
            programs.push(self.build(rounds)?);
        }
        let turn = |i: usize| {
            let mut times = vec![0.0; programs.len()];
            // Another program goes first in each turn.
            for j in (0..programs.len()).map(|j| (i + j) % programs.len()) {
                times[j] = programs[j].measure(&self.workshop.target.benchmark, time)?;
            }
            Ok(times)
        };
        (0..turns).map(turn).collect()
    }

    /// Builds the program with a loop of `rounds` rounds. The repository is not changed.
    fn build(&self, rounds: u32) -> Result<Rc<dyn Program>> {
        self.workshop.build(&rounds.to_string(), &self.changes(rounds)?)
    }

    /// The changed files, relative to the repository, and their texts.
    fn changes(&self, rounds: u32) -> Result<Vec<(PathBuf, String)>> {
        let target = self.workshop.target;
        if !matches!(self.workshop.suite.slowdowns, Slowdowns::Found) {
            return slow_source::slowed(target, &self.source, rounds).context("find the function again");
        }
        let code = blanked(&self.source);
        let found = functions(&code).into_iter().find(|function| function.label() == target.function);
        let function = found.context("find the function again")?;
        let package = package(&code).context("find the package's name")?;
        let file = PathBuf::from(&target.file);
        let spin = file.with_file_name("benchwright_trial_spin.go");
        Ok(vec![(spin, spin_file(package)), (file, slowed(&self.source, &function, rounds))])
    }

    /// Commits the slower code, runs the product's comparison, and runs the usual ten repetitions of both
    /// versions.
    fn compare(&self, experiment: &Experiment, calibrated: &Calibrated) -> Result<SlowerFound> {
        let commit = self.commit(calibrated.rounds)?;
        let id = format!("{}:{}", self.workshop.target.package, self.workshop.target.benchmark);
        let mut options = vec!["--filter".into(), pattern_of(std::slice::from_ref(&id))];
        options.extend(experiment.options.iter().cloned());
        let dir = format!("./{}", self.workshop.target.dir);
        let arguments: &[&str] = if self.workshop.suite.source == Source::StandardLibrary {
            &[&dir]
        } else {
            self.workshop.suite.arguments
        };
        let compared = experiment.product.compare(
            &self.workshop.repository,
            [ORIGINAL, &commit],
            &options,
            arguments,
        )?;
        let found = compared.findings.iter().find(|found| found.benchmark == id);
        let found = found.context("find the benchmark in the comparison")?;
        if found.reason == "failed" {
            bail!("measure the benchmark: it failed");
        }
        let measured = ratio(&self.measure(&[calibrated.rounds], Effort::Thorough)?, 1)?;
        let base = self.original.repeat(&self.workshop.target.benchmark)?;
        let head = self.build(calibrated.rounds)?.repeat(&self.workshop.target.benchmark)?;
        Ok(SlowerFound {
            spins: calibrated.rounds,
            true_ratio: calibrated.slowdown.log_ratio.exp(),
            true_error: calibrated.slowdown.error,
            measured_ratio: Some(measured.log_ratio.exp()),
            measured_error: Some(measured.error),
            nanoseconds: self.nanoseconds,
            verdict: found.verdict.clone(),
            reason: found.reason.clone(),
            effect: found.effect.map(|(ratio, _, _)| ratio),
            lo: found.effect.map(|(_, lo, _)| lo),
            hi: found.effect.map(|(_, _, hi)| hi),
            duets: found.duets,
            seconds: compared.seconds,
            peer_seconds: base.seconds + head.seconds,
            peer_verdict: Some(peer::verdict(&base.values, &head.values).into()),
            options: experiment.options.join(" "),
        })
    }

    fn commit(&self, rounds: u32) -> Result<String> {
        for (file, text) in self.changes(rounds)? {
            fs::write(self.workshop.repository.join(file), text).context("write a changed file")?;
        }
        run(git(&self.workshop.repository).args(["add", "--all", "--force", "--", ".", ":!.benchwright"]))?;
        run(git(&self.workshop.repository).args(["commit", "--quiet", "--message", "Slower"]))?;
        let output = git(&self.workshop.repository)
            .args(["rev-parse", "HEAD"])
            .output()
            .context("start `git rev-parse`")?;
        run(git(&self.workshop.repository).args(["checkout", "--quiet", "--force", ORIGINAL]))?;
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::super::suites::SUITES;
    use super::*;

    fn target(benchmark: &str, function: &str) -> Target {
        Target {
            package: "p".into(),
            benchmark: benchmark.into(),
            dir: String::new(),
            file: "a.go".into(),
            function: function.into(),
        }
    }

    #[test]
    fn suites_take_turns() {
        let all = vec![
            (SUITES[0], vec![target("A", "f"), target("B", "g"), target("C", "h")]),
            (SUITES[1], vec![target("D", "i")]),
        ];
        let order: Vec<String> = in_turn(all).into_iter().map(|(_, target)| target.benchmark).collect();
        assert_eq!(order, ["A", "D", "B", "C"]);
    }

    #[test]
    fn a_function_serves_once_and_a_dropped_pair_is_not_tried_again() {
        let record = |benchmark: &str, function: &str, found| SlowerRecord {
            suite: SUITES[0].name.into(),
            package: "p".into(),
            benchmark: benchmark.into(),
            file: "a.go".into(),
            function: function.into(),
            dropped: None,
            found,
        };
        let known =
            [record("A", "f", Some(super::super::summary::found("slower", 10.0))), record("B", "g", None)];
        let check = |benchmark, function, expected| {
            assert_eq!(is_known(&known, &SUITES[0], &target(benchmark, function)), expected);
        };
        check("A", "f", true);
        check("C", "f", true);
        check("A", "h", true);
        check("B", "g", true);
        check("B", "h", false);
        check("C", "g", false);
        assert!(!is_known(&known, &SUITES[1], &target("A", "f")));
        assert_eq!(measured(&known), 1);
    }
}
