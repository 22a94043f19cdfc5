//! `benchwright steady train`: the learned rule from somebody's own processes.

use std::num::NonZeroUsize;
use std::path::Path;

use benchwright_exchange::warmup::{self, RecordedProcess};
use benchwright_steady::classify::Trained;
use benchwright_steady::classify::training::{Example, train};
use benchwright_steady::in_parallel;
use benchwright_steady::labels::{LabelOptions, label};

use super::stops::by_benchmark;
use crate::args::{Global, SteadyTrainArgs};
use crate::exit::Outcome;
use crate::output;
use crate::problem::Problem;
use crate::project;
use crate::terminal::Terminal;

/// Reads every process of a folder, finds since when each was steady where the folder does not say, trains, and writes the models.
pub(crate) fn run(global: &Global, args: &SteadyTrainArgs) -> Result<Outcome, Problem> {
    let terminal = Terminal::new(global);
    let directory = project::directory(global)?;
    let series = read(&directory.join(&args.data))?;
    let steady = steady_states(&series);
    let places: std::collections::BTreeMap<_, _> =
        series.iter().enumerate().map(|(place, process)| ((&process.subject, process.fork), place)).collect();
    let groups = by_benchmark(&series);
    let example = |process: &&RecordedProcess| {
        let place = places[&(&process.subject, process.fork)];
        Example { values: &series[place].values, steady_from: steady[place] }
    };
    let examples: Vec<Vec<Example<'_>>> = groups
        .iter()
        .map(|group| group.iter().filter(|process| is_usable(process)).map(example).collect())
        .collect();
    let settings = Trained::embedded().settings();
    let trained = train(&examples, settings, args.seed)?;
    let models = trained.write();
    output::to_file(&directory.join(&args.out), |out| out.write_all(&models))?;
    let (used, labelled) = (examples.iter().map(Vec::len).sum::<usize>(), steady.iter().flatten().count());
    terminal.say(&format!(
        "trained on {used} of {} processes of {} benchmarks, {labelled} of them steady at some time; {} bytes in `{}`",
        series.len(),
        groups.len(),
        models.len(),
        args.out.display()
    ));
    Ok(Outcome::default())
}

fn read(folder: &Path) -> Result<Vec<RecordedProcess>, Problem> {
    let mut series = Vec::new();
    for file in warmup::series_files(folder)? {
        series.extend(warmup::read_series(&file)?);
    }
    Ok(series)
}

/// The rule is for iterations of 0.1 s.
fn is_usable(process: &RecordedProcess) -> bool {
    (process.iteration_s - 0.1).abs() < 0.005
}

/// Since when each process is steady: what the folder says, or what its label is.
fn steady_states(series: &[RecordedProcess]) -> Vec<Option<u32>> {
    let jobs = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    in_parallel(series, jobs, |process| match &process.label {
        Some(known) => known.steady_from,
        None => {
            let options = LabelOptions { iteration_s: process.iteration_s, ..LabelOptions::DEFAULT };
            label(&process.values, &options).ok().and_then(|label| label.steady_from)
        }
    })
}
