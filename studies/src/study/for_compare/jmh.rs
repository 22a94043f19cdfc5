//! Makes suites from JMH benchmarks: ten forks each, reduced to seconds in `fixtures/noise`.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use anyhow::{Context, Result};
use benchwright_analysis::reduce::LevelSeries;
use benchwright_analysis::reduce::for_compare::Costs;
use flate2::read::GzDecoder;

use super::contender::{Subject, Suite};
use super::draw::{Generator, Pool, Process, Sides, shuffle};

const EXCERPT: &str = "fixtures/noise/jmh-seconds.csv.gz";
/// Assumed seconds for starting a Java virtual machine, which are not in the data.
const START: f64 = 0.5;
/// Iterations of the full configuration, as in data set 2 of µOpTime, whose forks measure 50 iterations after
/// warm-up.
const ITERATIONS: usize = 50;
/// Maximum number of processes per side.
const MOST: u32 = 15;

/// The forks of one benchmark.
struct Recorded {
    system: String,
    name: String,
    costs: Costs,
    forks: Vec<Process>,
}

/// Makes one suite per system. Of each benchmark a random half of the forks is for planning, and the rest for
/// judging.
pub(super) fn suites(root: &Path) -> Result<Vec<Suite>> {
    let path = root.join(EXCERPT);
    let file = File::open(&path).with_context(|| format!("open `{EXCERPT}`"))?;
    suites_of(BufReader::new(GzDecoder::new(file)))
}

/// Makes suites from the text of an excerpt.
pub(super) fn suites_of(text: impl BufRead) -> Result<Vec<Suite>> {
    let mut suites: Vec<Suite> = Vec::new();
    for (at, mut recorded) in benchmarks(text)?.into_iter().enumerate() {
        shuffle(&mut recorded.forks, &mut Generator::new(&[super::SEED, at as u64]));
        let judged = recorded.forks.split_off(recorded.forks.len() / 2);
        let subject = Subject {
            name: recorded.name.clone(),
            planning: planning(&recorded.forks).with_context(|| format!("plan with `{}`", recorded.name))?,
            judged: planning(&judged).with_context(|| format!("judge `{}`", recorded.name))?,
            pool: Pool { places: vec![judged], sides: Sides::Redrawn },
            costs: recorded.costs,
        };
        match suites.last_mut() {
            Some(last) if last.name == recorded.system => last.subjects.push(subject),
            _ => suites.push(Suite {
                name: recorded.system,
                places: 1,
                most_processes: MOST,
                subjects: vec![subject],
            }),
        }
    }
    Ok(suites)
}

/// Reads lines of `system,benchmark,warmup,iteration,values`, one per fork: the seconds of warm-up and of an
/// iteration, and logarithms of times, multiplied by 100,000 and separated by blanks.
fn benchmarks(text: impl BufRead) -> Result<Vec<Recorded>> {
    let mut found: Vec<Recorded> = Vec::new();
    for line in text.lines() {
        let line = line.context("read the excerpt")?;
        let fields: Vec<&str> = line.split(',').collect();
        let [system, name, warmup, iteration, values] = fields[..] else {
            anyhow::bail!("read the line `{line}`: it has not five fields");
        };
        let number = |field: &str| field.parse::<f64>().with_context(|| format!("read the number `{field}`"));
        let value = |field: &str| Ok((number(field)? / 1e5).exp());
        let fork = values.split(' ').map(value).collect::<Result<Process>>()?;
        match found.last_mut() {
            Some(last) if last.name == name && last.system == system => last.forks.push(fork),
            _ => found.push(Recorded {
                system: system.into(),
                name: name.into(),
                costs: Costs { start: START, warmup: number(warmup)?, iteration: number(iteration)? },
                forks: vec![fork],
            }),
        }
    }
    Ok(found)
}

fn planning(forks: &[Process]) -> Result<LevelSeries> {
    let mut points = Vec::new();
    for (fork, values) in forks.iter().enumerate() {
        for (iteration, value) in values.iter().take(ITERATIONS).enumerate() {
            points.push((vec![fork as u32 + 1, iteration as u32 + 1], *value));
        }
    }
    Ok(LevelSeries::new(&[("fork", false), ("iteration", false)], points)?)
}
