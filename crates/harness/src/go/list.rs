//! Finds the benchmarks in an executable.
//!
//! All benchmarks are run for one operation, because sub-benchmarks are only known then. Functions that a
//! filter excludes are not run; their names are in the executable. If one of them ends the whole process, the
//! top-level benchmarks from there on are run one by one, so that the others are found nevertheless.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use benchwright_model::{BenchmarkId, Diagnostic, Severity};

use super::flags::{Flags, Selection};
use super::harness::NAME;
use super::listing_output::{ListingOutput, top_of};
use super::release::Release;
use super::{command, pattern, toolchain};
use crate::{HarnessError, ListRequest, Listing, Missing, Step, StepFailure, StepOutput, StepRunner};

/// Time limit for listing one executable.
const WHOLE: Duration = Duration::from_secs(10 * 60);

/// Time limit for the run of all benchmarks. The rest of the time is for running them one by one.
const TOGETHER: Duration = Duration::from_secs(6 * 60);

/// Time limit for a single top-level benchmark.
const ALONE: Duration = Duration::from_secs(60);

/// If this many sub-benchmarks of one parent end the process, the parent is given up.
const DEATHS: usize = 8;

/// The benchmarks of one executable, for each processor count that the user asks for.
pub(super) fn list(request: &ListRequest<'_>, run: &mut dyn StepRunner) -> Result<Listing, HarnessError> {
    let flags = Flags::parse(request.args);
    let mut search = Search {
        request,
        run,
        began: Instant::now(),
        processors: String::new(),
        seen: HashSet::new(),
        told: HashSet::new(),
        listing: Listing::default(),
        flags,
    };
    for processors in search.flags.processors() {
        search.processors = processors;
        search.all()?;
    }
    Ok(search.listing)
}

/// How a run of the executable ended.
#[expect(clippy::large_enum_variant, reason = "there is one at a time, and it is taken apart at once")]
enum End {
    /// By itself, with any status.
    Exit(ListingOutput, StepOutput),
    /// Killed at a limit, with a description, and whether it was the time limit. Its output is lost.
    AtLimit { words: String, is_time: bool },
}

struct Search<'a> {
    request: &'a ListRequest<'a>,
    run: &'a mut dyn StepRunner,
    flags: Flags,
    began: Instant,
    processors: String,
    seen: HashSet<String>,
    told: HashSet<(String, String)>,
    listing: Listing,
}

impl Search<'_> {
    fn all(&mut self) -> Result<(), HarnessError> {
        let selected = match self.wanted()? {
            Some(tops) if tops.is_empty() => return Ok(()),
            Some(tops) => pattern::any_of(&tops),
            None => ".".to_owned(),
        };
        let (last, failure) = match self.measure(&selected, &[], TOGETHER)? {
            End::Exit(output, step) => {
                self.take(&output);
                if output.is_complete {
                    if step.status != 0 && output.failed.is_empty() {
                        let message =
                            format!("the program exits with status {} after its benchmarks", step.status);
                        self.tell(Severity::Warning, "", message);
                    }
                    return Ok(());
                }
                (output.doubtful.or(output.last_started), Some(step))
            }
            End::AtLimit { .. } => (None, None),
        };
        let tops = self.top_level()?;
        if let (None, Some(step)) = (&last, failure) {
            // No benchmark began: set-up failed, or the program does not know a flag.
            if step.status != 0 {
                return Err(toolchain::tool_error(&self.purpose(), &step));
            }
            if !tops.is_empty() {
                self.tell(Severity::Warning, "", "the program exits before it runs any benchmark".into());
            }
            return Ok(());
        }
        // They run in this order, so all before the one that ended the process are known already.
        let dead = last.as_deref().map(top_of);
        let from = tops.iter().position(|top| Some(top.as_str()) == dead).unwrap_or(0);
        for top in tops[from..].iter().filter(|top| self.is_wanted(top)).cloned().collect::<Vec<_>>() {
            self.alone(&top)?;
        }
        Ok(())
    }

    /// The functions that are asked for, if not all of them.
    fn wanted(&mut self) -> Result<Option<Vec<String>>, HarnessError> {
        if self.request.filter.is_none() {
            return Ok(None);
        }
        let all = self.top_level()?;
        let wanted: Vec<String> = all.iter().filter(|top| self.is_wanted(top)).cloned().collect();
        let is_restricted = wanted.len() < all.len();
        if is_restricted {
            self.listing.missing = self.listing.missing.max(Missing::Excluded);
        }
        Ok(is_restricted.then_some(wanted))
    }

    fn is_wanted(&self, top: &str) -> bool {
        let package = &self.request.executable.package;
        self.request.filter.is_none_or(|filter| filter.may_accept_function(package, top))
    }

    /// Runs one top-level benchmark, skipping sub-benchmarks that end the process.
    fn alone(&mut self, top: &str) -> Result<(), HarnessError> {
        let mut deadly: Vec<String> = Vec::new();
        loop {
            let limit = ALONE.min(WHOLE.saturating_sub(self.began.elapsed()));
            if limit.is_zero() {
                self.tell(Severity::Error, top, "not looked at: listing took too long".into());
                return Ok(());
            }
            let (output, step) = match self.measure(&pattern::exactly(top), &deadly, limit)? {
                End::Exit(output, step) => (output, step),
                End::AtLimit { words, is_time } => {
                    if !is_time {
                        self.listing.missing = Missing::Limited;
                    }
                    self.tell(Severity::Error, top, format!("{words} in the listing run and was killed"));
                    return Ok(());
                }
            };
            self.take(&output);
            if output.is_complete {
                return Ok(());
            }
            let last = output.last_started.clone().filter(|name| top_of(name) == top);
            let last = last.filter(|name| !output.found.contains(name)).unwrap_or_else(|| top.to_owned());
            let doubtful = output.doubtful.filter(|name| top_of(name) == top);
            let culprit = match doubtful {
                Some(name) if !self.survives(&name)? => name,
                _ => last,
            };
            self.tell(
                Severity::Error,
                &culprit,
                format!("ends the process in the listing run: {}", cause(&step)),
            );
            let can_go_on = self.release() >= Release::SKIP && deadly.len() < DEATHS && culprit != top;
            if !can_go_on || deadly.contains(&culprit) {
                return Ok(());
            }
            deadly.push(culprit);
        }
    }

    /// Whether the process ends normally when only this benchmark runs. Its result is then kept.
    fn survives(&mut self, name: &str) -> Result<bool, HarnessError> {
        match self.measure(&pattern::exactly(name), &[], ALONE)? {
            End::Exit(output, _) if output.is_complete => {
                self.take(&output);
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// The names of the functions, without sub-benchmarks.
    fn top_level(&mut self) -> Result<Vec<String>, HarnessError> {
        let step = self.step(vec!["-test.list=^Benchmark".into()], ALONE);
        let output = match self.run.run(&step) {
            Ok(output) => output,
            Err(StepFailure::TimedOut(_)) => StepOutput::default(),
            Err(source) => return Err(HarnessError::Step { purpose: step.purpose, source }),
        };
        let is_name =
            |line: &&str| line.starts_with("Benchmark") && !line.contains(|c: char| c.is_whitespace());
        Ok(output.stdout.lines().filter(is_name).map(str::to_owned).collect())
    }

    fn measure(&mut self, selected: &str, skipped: &[String], limit: Duration) -> Result<End, HarnessError> {
        let mut args = vec![
            "-test.run=^$".to_owned(),
            format!("-test.bench={selected}"),
            "-test.benchtime=1x".into(),
            "-test.count=1".into(),
            "-test.v=true".into(),
            format!("-test.cpu={}", self.processors),
            "-test.timeout=0".into(),
        ];
        if !skipped.is_empty() {
            let user = self.flags.test_value("skip").map(str::to_owned);
            let ours = skipped.iter().map(|name| pattern::exactly(name));
            let patterns: Vec<String> = user.into_iter().chain(ours).collect();
            args.push(format!("-test.skip={}", patterns.join("|")));
        }
        let is_said = |arg: &String| arg.starts_with("-test.skip=") && !skipped.is_empty();
        args.extend(command::remaining(&self.flags).into_iter().filter(|arg| !is_said(arg)));
        let step = self.step(args, limit);
        match self.run.run_timed(&step) {
            Ok((output, times)) => {
                let mut told = ListingOutput::parse(&output.stdout, &self.processors, &times);
                told.drop_result_of_panicking(&output.stderr);
                Ok(End::Exit(told, output))
            }
            Err(source) => match source.limit() {
                Some(words) => {
                    Ok(End::AtLimit { words, is_time: matches!(source, StepFailure::TimedOut(_)) })
                }
                None => Err(HarnessError::Step { purpose: step.purpose, source }),
            },
        }
    }

    fn step(&self, args: Vec<String>, timeout: Duration) -> Step {
        let ListRequest { root, out, executable, .. } = self.request;
        let program = out.join(&executable.path);
        let root_text = root.display().to_string();
        let expanded = |value: &String| match value.strip_prefix("{root}") {
            Some(rest) => format!("{root_text}{rest}"),
            None => value.clone(),
        };
        let own = executable.env.iter().map(|(name, value)| (name.clone(), expanded(value)));
        let mut env: Vec<(String, String)> = own.collect();
        env.push(command::processors_variable(&self.processors));
        Step {
            purpose: self.purpose(),
            // The step runs in another directory, so a relative path would not work.
            program: std::path::absolute(&program).unwrap_or(program).into(),
            args: args.into_iter().map(Into::into).collect(),
            dir: root.join(&executable.dir),
            env,
            timeout,
        }
    }

    fn purpose(&self) -> String {
        format!("list the benchmarks of package {}", self.request.executable.package)
    }

    fn release(&self) -> Release {
        Release::parse(&self.request.executable.flavour_version)
    }

    fn take(&mut self, output: &ListingOutput) {
        for base in &output.found {
            let selection = Selection { base: base.clone(), processors: self.processors.clone() };
            let name = selection.public_name(&self.flags);
            if self.seen.insert(name.clone()) {
                let id = BenchmarkId::new(NAME, &self.request.executable.package, name);
                self.listing.times.extend(output.times.get(base).map(|time| (id.clone(), *time)));
                self.listing.benchmarks.push(id);
            }
        }
        for (name, words) in &output.failed {
            self.tell(Severity::Error, name, with_words("fails in the listing run", words));
        }
        for (name, words) in &output.skipped {
            self.tell(Severity::Note, name, with_words("skips itself", words));
        }
    }

    /// Adds a diagnostic about a benchmark, or about the whole package if `name` is empty, unless it is
    /// already there.
    fn tell(&mut self, severity: Severity, name: &str, message: String) {
        let package = &self.request.executable.package;
        let subject = match name {
            "" => package.clone(),
            _ => BenchmarkId::new(NAME, package, name).to_string(),
        };
        if self.told.insert((subject.clone(), message.clone())) {
            self.listing.diagnostics.push(Diagnostic { severity, ..Diagnostic::warning(subject, message) });
        }
    }
}

fn with_words(what: &str, words: &str) -> String {
    if words.is_empty() { what.to_owned() } else { format!("{what}: {words}") }
}

/// Why a process died: Go's first line about a panic, or the last line of output, or the status.
fn cause(step: &StepOutput) -> String {
    let mut lines = step.stderr.lines().map(str::trim).filter(|line| !line.is_empty());
    let is_headline = |line: &&str| line.starts_with("panic: ") || line.starts_with("fatal error: ");
    let headline = lines.clone().find(is_headline).or(lines.next_back());
    headline.map_or_else(|| format!("exit status {}", step.status), str::to_owned)
}

#[cfg(test)]
mod tests;
