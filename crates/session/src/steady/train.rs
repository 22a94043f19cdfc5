//! The learned rule from a user's own processes.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;

use benchwright_formats::warmup::RecordedProcess;
use benchwright_steady::classify::Trained;
use benchwright_steady::classify::training::{self, Example};
use benchwright_steady::in_parallel;
use benchwright_steady::labels::{LabelOptions, label};

use super::source::{Process, Source};
use crate::problem::Problem;

/// What was learnt.
pub struct Training {
    /// The models, as `--stop-models` reads them.
    pub models: Vec<u8>,
    /// How many processes were used, and how many of them are steady at some time.
    pub used: (usize, usize),
    /// The number of their benchmarks.
    pub benchmarks: usize,
    /// How many processes were left out, by reason.
    pub left_out: BTreeMap<String, usize>,
}

/// Trains on every process of a source. Since when each was steady is computed where the source does not say.
pub fn train(source: &Source, seed: u64) -> Result<Training, Problem> {
    let Chosen { examples, left_out } = Chosen::of(&source.by_benchmark());
    let models = training::train(&examples, Trained::embedded().settings(), seed)?.write();
    let used = examples.iter().flatten();
    let steady = used.clone().filter(|example| example.steady_from.is_some()).count();
    Ok(Training { models, used: (used.count(), steady), benchmarks: examples.len(), left_out })
}

/// What is learnt from, by benchmark, and how many processes are not, by reason.
struct Chosen<'a> {
    examples: Vec<Vec<Example<'a>>>,
    left_out: BTreeMap<String, usize>,
}

impl<'a> Chosen<'a> {
    fn of(groups: &[Vec<&'a Process>]) -> Self {
        let mut chosen = Chosen { examples: Vec::new(), left_out: BTreeMap::new() };
        let jobs = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let looked_at = in_parallel(groups, jobs, |group| {
            group.iter().map(|&process| example(&process.recorded)).collect::<Vec<_>>()
        });
        for group in looked_at {
            let mut examples = Vec::new();
            for one in group {
                match one {
                    Ok(example) => examples.push(example),
                    Err(why) => *chosen.left_out.entry(why).or_default() += 1,
                }
            }
            match examples.len() {
                // Later processes are compared with another of the same benchmark.
                1 => *chosen.left_out.entry("alone in their benchmark".into()).or_default() += 1,
                0 => {}
                _ => chosen.examples.push(examples),
            }
        }
        chosen
    }
}

/// A process to learn from, or why it is none.
fn example(process: &RecordedProcess) -> Result<Example<'_>, String> {
    if !is_usable(process) {
        return Err("whose iterations are not of 0.1 s".into());
    }
    let unlabelled = Example { values: &process.values, steady_from: None };
    // Before the label, which takes longer.
    unlabelled.check().map_err(|why| why.to_string())?;
    let example = Example { steady_from: steady_from(process), ..unlabelled };
    example.check().map_err(|why| why.to_string()).map(|()| example)
}

/// The rule is for iterations of 0.1 s.
fn is_usable(process: &RecordedProcess) -> bool {
    (process.iteration_s - 0.1).abs() < 0.005
}

/// Since when the process is steady: what the source says, or what its label is.
fn steady_from(process: &RecordedProcess) -> Option<u32> {
    match &process.label {
        Some(known) => known.steady_from,
        None => {
            let options = LabelOptions { iteration_s: process.iteration_s, ..LabelOptions::DEFAULT };
            label(&process.values, &options).ok().and_then(|label| label.steady_from)
        }
    }
}
