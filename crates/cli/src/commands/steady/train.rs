//! `benchwright steady train`: trains the learned rule with a user's own processes.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;

use benchwright_formats::warmup::RecordedProcess;
use benchwright_steady::classify::Trained;
use benchwright_steady::classify::training::{Example, train};
use benchwright_steady::in_parallel;
use benchwright_steady::labels::{LabelOptions, label};

use super::source::{self, ITERATION_S, Process};
use crate::args::{Global, SteadyTrainArgs};
use crate::exit::Outcome;
use crate::output;
use crate::terminal::Terminal;
use benchwright_session::Problem;

/// Reads every process of a source, finds since when each was steady if the source does not state it, trains,
/// and writes the models.
pub(crate) fn run(global: &Global, args: &SteadyTrainArgs) -> Result<Outcome, Problem> {
    let terminal = Terminal::new(global);
    let directory = global.workspace().directory()?;
    let mut source = source::find(global, &args.data, ITERATION_S)?;
    source.doubts.look_at(&source.processes, "its process is not used for training");
    let groups = source.by_benchmark();
    let chosen = Chosen::of(&groups);
    let mut outcome = source.doubts.tell(terminal);
    outcome.failed |= source.tell(terminal);
    chosen
        .left_out
        .iter()
        .for_each(|(why, count)| terminal.say(&format!("left out: {count} processes {why}")));
    let trained = train(&chosen.examples, Trained::embedded().settings(), args.seed)?;
    let models = trained.write();
    output::to_file(&directory.join(&args.out), |out| out.write_all(&models))?;
    let used: Vec<&Example<'_>> = chosen.examples.iter().flatten().collect();
    let steady = used.iter().filter(|example| example.steady_from.is_some()).count();
    terminal.say(&format!(
        "trained on {} of {} processes of {} benchmarks, {steady} of them steady at some time; {} bytes in `{}`",
        used.len(),
        source.processes.len(),
        chosen.examples.len(),
        models.len(),
        args.out.display()
    ));
    Ok(outcome)
}

/// The processes used for training, by benchmark, and how many are not used, by reason.
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
                // Later processes are compared with another process of the same benchmark.
                1 => *chosen.left_out.entry("alone in their benchmark".into()).or_default() += 1,
                0 => {}
                _ => chosen.examples.push(examples),
            }
        }
        chosen
    }
}

/// A process to learn from, or why it cannot be used.
fn example(process: &RecordedProcess) -> Result<Example<'_>, String> {
    if !is_usable(process) {
        return Err("whose iterations are not of 0.1 s".into());
    }
    let unlabelled = Example { values: &process.values, steady_from: None };
    // This check comes first, because labelling takes longer.
    unlabelled.check().map_err(|why| why.to_string())?;
    let example = Example { steady_from: steady_from(process), ..unlabelled };
    example.check().map_err(|why| why.to_string()).map(|()| example)
}

/// The rule is for iterations of 0.1 s.
fn is_usable(process: &RecordedProcess) -> bool {
    (process.iteration_s - 0.1).abs() < 0.005
}

/// Since when the process is steady, according to the source or its label.
fn steady_from(process: &RecordedProcess) -> Option<u32> {
    match &process.label {
        Some(known) => known.steady_from,
        None => {
            let options = LabelOptions { iteration_s: process.iteration_s, ..LabelOptions::DEFAULT };
            label(&process.values, &options).ok().and_then(|label| label.steady_from)
        }
    }
}
