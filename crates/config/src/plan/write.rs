//! Writes a plan as text. Equal plans give equal texts.

use std::fmt;

use benchwright_model::BenchmarkId;

use super::{Goal, PLAN_FORMAT, Plan, PlanSource, PlannedBenchmark};
use crate::format_duration;
use crate::quoted::Quoted;

const HEADING: &str = "\
# How often each benchmark has to be measured. Made by `benchwright reduce`; commit it.
# `benchwright run` and `benchwright compare` follow it; --no-plan measures without it once.
# To renew what is out of date: benchwright reduce --refresh. To make a new one: benchwright reduce.
";

/// The text of the file.
impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HEADING)?;
        writeln!(f, "\nformat = {PLAN_FORMAT}")?;
        writeln!(f, "made = {}\nby = {}", Quoted(&self.made), Quoted(&self.by))?;
        goal(f, &self.goal)?;
        for (name, source) in &self.sources {
            write_source(f, name, source)?;
        }
        for (id, planned) in &self.benchmarks {
            benchmark(f, id, planned)?;
        }
        Ok(())
    }
}

fn goal(f: &mut fmt::Formatter<'_>, goal: &Goal) -> fmt::Result {
    writeln!(f, "\n[goal]")?;
    match goal {
        Goal::Stability { metric, threshold, mode } => {
            writeln!(f, "for = \"stability\"\nmetric = {}", Quoted(metric))?;
            writeln!(f, "threshold = {threshold:?}\nmode = {}", Quoted(mode))
        }
        Goal::Compare { change, power, false_alarms } => {
            writeln!(f, "for = \"compare\"\nchange = {change:?}\npower = {power:?}")?;
            writeln!(f, "false-alarms = {false_alarms:?}")
        }
    }
}

fn write_source(f: &mut fmt::Formatter<'_>, name: &str, source: &PlanSource) -> fmt::Result {
    writeln!(f, "\n[source.{}]", Key(name))?;
    if let Some(run) = &source.run {
        writeln!(f, "run = {}", Quoted(run))?;
    }
    if !source.files.is_empty() {
        let files: Vec<String> = source.files.iter().map(|file| Quoted(file).to_string()).collect();
        writeln!(f, "files = [{}]", files.join(", "))?;
    }
    writeln!(f, "version = {}", Quoted(&source.version))?;
    if let Some(commit) = &source.commit {
        writeln!(f, "commit = {}", Quoted(commit))?;
    }
    if !source.environment.is_empty() {
        writeln!(f, "\n[source.{}.environment]", Key(name))?;
    }
    for (fact, value) in &source.environment {
        writeln!(f, "{} = {}", Key(fact), Quoted(value))?;
    }
    Ok(())
}

fn benchmark(f: &mut fmt::Formatter<'_>, id: &BenchmarkId, planned: &PlannedBenchmark) -> fmt::Result {
    writeln!(f, "\n[[benchmark]]\nharness = {}", Quoted(&id.harness))?;
    writeln!(f, "package = {}\nname = {}", Quoted(&id.package), Quoted(&id.name))?;
    writeln!(f, "source = {}", Quoted(&planned.source))?;
    let levels = planned.levels;
    let instance =
        if planned.instances > 1 { format!("instance = {}, ", planned.instances) } else { String::new() };
    let (run, iteration, second) = (levels.run, levels.iteration, levels.second);
    writeln!(f, "levels = {{ {instance}run = {run}, iteration = {iteration}, second = {second} }}")?;
    if let Some(iterations) = planned.iterations {
        writeln!(f, "iterations = {iterations}")?;
    }
    if let Some(time) = planned.iteration_time {
        writeln!(f, "iteration-time = {}", Quoted(&format_duration(time)))?;
    }
    if let Some(duets) = planned.duets {
        writeln!(f, "duets = {{ floor = {}, cap = {} }}", duets.floor, duets.cap)?;
    }
    if let Some(metric) = &planned.metric {
        writeln!(f, "metric = {}", Quoted(metric))?;
    }
    if let Some(instability) = planned.instability {
        writeln!(f, "instability = {:?}", significant(instability))?;
    }
    writeln!(f, "stable = {}", planned.is_stable)?;
    writeln!(f, "seconds = {:?}", significant(planned.seconds))?;
    writeln!(f, "full-seconds = {:?}", significant(planned.full_seconds))?;
    match &planned.code {
        Some(code) => writeln!(f, "code = {}", Quoted(code)),
        None => Ok(()),
    }
}

/// Rounds to four significant digits: enough for planning, and not so many that they suggest differences that
/// do not exist.
pub(super) fn significant(number: f64) -> f64 {
    if !number.is_finite() {
        return 0.0;
    }
    format!("{number:.3e}").parse().unwrap_or(number)
}

/// A key, with quotes if necessary.
struct Key<'a>(&'a str);

impl fmt::Display for Key<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_bare = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if !self.0.is_empty() && self.0.chars().all(is_bare) {
            f.write_str(self.0)
        } else {
            Quoted(self.0).fmt(f)
        }
    }
}
